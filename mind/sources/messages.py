"""What a commit message asks to remember: its keyword lines, with the lines that continue them."""

import re
from collections.abc import Iterator
from dataclasses import replace

from mind import parser
from mind.config import Settings
from mind.entry import Entry, Kind, Status, content_id
from mind.secrets.entries import covered
from mind.sources import MARK

_MOST_LINES = 30
_ITEM = r"(?: {0,3}(?:[-*+•]|\d{1,3}[.)])[ \t]+)?"
_MARKED = re.compile(rf"{_ITEM}(?:\*\*)?{MARK}(?:\*\*)?[ \t]*(?=\S)")
_KEYWORD = re.compile(
    rf"{_ITEM}[*_]{{0,2}}(?P<word>[^\W\d_][\w' -]{{0,28}})(?:\([^()\n]{{1,40}}\))?!?[*_]{{0,2}}"
    r"[ \t]?[:：][*_]{0,2}(?:[ \t]+|(?<=：))(?P<rest>\S.*)"
)
_BULLET = re.compile(_ITEM.removesuffix("?"))
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_TRAILER = re.compile(r"[A-Z][A-Za-z]*(?:-[A-Za-z]+)+:[ \t]")
_SCISSORS = "# ------------------------ >8 ------------------------"

# Words of ordinary commits and trailers. A memory is announced by others.
_ORDINARY = frozenset(
    """fix fixed fixes fixing feat feature chore docs doc build ci test tests tested perf refactor
    style revert reverts bugfix hotfix add added adds done finished completed closes close closed
    resolves resolved resolve refs ref see link cc change changes changed improved improvement
    update updated release version signed-off-by""".split()
)
_NOT_A_SUBJECT = frozenset("bug bugs issue issues error errors warning warnings warn note".split())
_TRAILERS = frozenset("bug bugs issue issues problem blocked blocker".split())
_REFERENCE = re.compile(  # the value of a trailer such as "Bug: 1234" or "Issue: owner/name#12"
    r"(?:(?:#|[A-Z][A-Z0-9]+-|[\w./-]*[#/])?\d+|https?://\S+|[0-9a-f]{7,64}|none|n/a)"
    r"(?:[\s,;]+(?:and\s+)?\S*\d\S*)*\.?",
    re.IGNORECASE,
)
_SUBJECT_KINDS = frozenset(
    {Kind.DECISION, Kind.LEARNING, Kind.GOTCHA, Kind.PROBLEM, Kind.REJECTED, Kind.BLOCKER}
)
_BODY_KINDS = _SUBJECT_KINDS | {Kind.ASSUMPTION, Kind.GOAL, Kind.EXPERIENCE, Kind.PROGRESS}
_DELIBERATE = re.compile(r"(?:[-*] )?(?:note|todo): ")  # "Note:" and "TODO:" are plain prose
_SOLVED = re.compile(
    r"^(?:\W{0,3}(?:bug|hot)?fix(?:e[sd])?\b|solution\b|resolution\b|resolve[sd]?\b|close[sd]?\b)",
    re.IGNORECASE | re.MULTILINE,
)


def entries_in(message: str, settings: Settings, *, merge: bool = False) -> list[Entry]:
    """The entries of one commit message, without provenance and credentials.

    A problem that the commit says it solves is resolved.

    Args:
        message: As git has it: subject, blank line, body.
        settings: For the parser.
        merge: The subject is git's, not a person's.
    """
    subject, _, body = message.partition("\n")
    read = [] if merge else [_entry(subject.strip(), settings, is_subject=True)]
    read += [_entry(text, settings, is_subject=False) for text in paragraphs(body)]
    solved = _SOLVED.search(message) is not None
    entries = covered((entry for entry in read if entry is not None), message)
    return [_settled(entry, solved=solved) for entry in entries]


def paragraphs(body: str) -> Iterator[str]:
    """Each keyword line on one line with what continues it: up to a blank line or the next."""
    gathered: list[str] = []
    for line in [*_outside_fences(body), ""]:
        begins = _begins(line)
        if gathered and (begins or _ends(line, gathered)):
            yield " ".join(part.strip() for part in gathered)
            gathered = []
        if begins or gathered:
            gathered.append(line)


def _outside_fences(body: str) -> Iterator[str]:
    fenced = False
    for line in body.partition(_SCISSORS)[0].split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            yield ""
        elif not fenced:
            yield line.rstrip()


def _begins(line: str) -> bool:
    if _MARKED.match(line):
        return True
    keyword = _KEYWORD.match(line)
    return keyword is not None and not _TRAILER.match(line) and not _is_prose(keyword["word"])


def _is_prose(words: str) -> bool:
    return words.count(" ") > 3


def _ends(line: str, gathered: list[str]) -> bool:
    if not line.strip() or _TRAILER.match(line) or len(gathered) >= _MOST_LINES:
        return True
    return _BULLET.match(gathered[0]) is not None and _BULLET.match(line) is not None


def _entry(text: str, settings: Settings, *, is_subject: bool) -> Entry | None:
    marked = _MARKED.match(text)
    if marked:
        return _note(text[marked.end() :], settings)
    keyword = _KEYWORD.fullmatch(text)
    if keyword is None or _is_ordinary(keyword, is_subject=is_subject):
        return None
    kind = parser.keyword_line(text, settings)
    if kind not in (_SUBJECT_KINDS if is_subject else _BODY_KINDS) and (
        is_subject or kind is None or not _DELIBERATE.match(text)
    ):
        return None
    return parser.parse_line(text, settings)


def _is_ordinary(keyword: re.Match[str], *, is_subject: bool) -> bool:
    word = keyword["word"].strip().lower()
    if word in _TRAILERS and _REFERENCE.fullmatch(keyword["rest"]):
        return True
    return word in _ORDINARY or (is_subject and word in _NOT_A_SUBJECT)


def _note(text: str, settings: Settings) -> Entry | None:
    parsed = parser.parse_line(text, settings)
    if parsed is not None or not any(character.isalnum() for character in text):
        return parsed
    why = f"{MARK} in a commit message"
    return Entry(id=content_id(text), kind=Kind.NOTE, text=text, confidence=0.7, why=why)


def _settled(entry: Entry, *, solved: bool) -> Entry:
    if solved and entry.kind is Kind.PROBLEM and entry.status is not Status.RESOLVED:
        return replace(entry, status=Status.RESOLVED)
    return entry
