"""Explicit marks and reverts in a commit message.

The rest of a message is left to git: labels such as "Root cause:", "BREAKING CHANGE:" or "Bug:"
mostly describe the code before the change.
"""

import re
from collections.abc import Iterable, Iterator

from mind.documents import parser
from mind.documents.parser.lexicon import fold, lexicon
from mind.documents.secret_entries import covered
from mind.domain.entry import REVERT, Entry, Kind, content_id
from mind.domain.settings import Settings
from mind.sources import MARK
from mind.sources.git.log import REVERTED, reverted

_SUBJECT = re.compile(
    r"(?:[a-z]+(?:\([^()\n]*\))?!?: )?revert(?:: ?|(?P<quote> \")| )"
    r"(?P<what>.+?)(?(quote)\")(?: \(#\d+\))*",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"\W*(?:revert|reapply)\b", re.IGNORECASE)
_LABEL = re.compile(r"reason(?: for (?:the )?revert(?:ing)?)?:[ \t]*", re.IGNORECASE)
_NO_REASON = re.compile(  # items, quotations, fences, headings, comments, trailers, issue numbers
    r"[-*+>`~]|#+(?:\s|$)|[A-Za-z][\w-]*:[ \t]|(?:[A-Za-z]+ )?\S*#\d+\.?$"
)
_REFERENCE = re.compile(  # to a commit, or to another change that is reverted, too
    r"(?:(?:and|also|this|it|partially|manually|the|related|reverts?|reverting|commits?|&|,)\s+)*"
    r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b\W*(?:manually\W*)?"
    r"|\W*revert(?:s|ed|ing)? [\"“][^\"”]*[\"”]\W*",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?:\b[A-Za-z]+:? )?https?://\S+")
"""An address and the word that announces it."""
_SAYS = re.compile(r"[^\W\d_]{2}")
_ITEM_MARK = re.compile(r"[-*+] +")


def turned_down(message: str) -> str:
    """Return the change that a revert rejects, with its reason; "" without a reason.

    Without a reason, the change may have been wrong or just early: many come back. A reverted
    revert rejects nothing.

    Args:
        message: Commit message.
    """
    subject, _, body = message.partition("\n")
    found = _SUBJECT.fullmatch(subject.strip())
    if found is None or not (found["quote"] or reverted(body)) or _AGAIN.match(found["what"]):
        return ""
    reason = _reason(body)
    return f"{found['what'].strip()} - {reason}" if reason else ""


def _reason(body: str) -> str:
    """Return the first paragraph of prose other than git's own sentence.

    A single word, as in "Because", is a heading: the list below it has the reason.
    """
    heading = ""
    body = _without_comments(REVERTED.sub("", body))
    for paragraph in re.split(r"\n\s*\n", body):
        lines = [_LABEL.sub("", line.strip(), count=1) for line in paragraph.splitlines()]
        lines = [line for line in lines if line]
        if lines[:1] == ["Conflicts:"]:
            continue
        prose = _prose(lines)
        if prose and _is_heading(prose) and not heading:
            heading, lines = prose, [line for line in lines if line != prose]
            prose = ""
        if heading and _ITEM_MARK.match(next(iter(lines), "")):
            return _prose(_ITEM_MARK.sub("", line, count=1) for line in lines)
        if prose or (heading and lines):
            return heading or prose
    return heading


def _without_comments(body: str) -> str:
    first, *others = body.split("<!--")
    closed = (one.partition("-->") for one in others)
    return first + "".join(after if end else f"<!--{said}" for said, end, after in closed)


def _prose(lines: Iterable[str]) -> str:
    said = " ".join(line for line in lines if line and not _NO_REASON.match(line))
    is_said = _SAYS.search(_ADDRESS.sub("", said)) and not _REFERENCE.fullmatch(said)
    return said if is_said else ""


def _is_heading(prose: str) -> bool:
    return " " not in prose and not prose.endswith((".", "!", "?", "。"))


_MOST_LINES = 30
_ITEM = r"(?: {0,3}(?:[-*+•]|\d{1,3}[.)])[ \t]+)?"
_MARKED = re.compile(rf"{_ITEM}(?:\*\*)?{MARK}(?:\*\*)?[ \t]*(?=\S)")
_KEYWORD = re.compile(
    rf"{_ITEM}[*_]{{0,2}}(?P<word>[^\W\d_][\w' -]{{0,28}})(?:\([^()\n]{{1,40}}\))?!?[*_]{{0,2}}"
    r"[ \t]?[:：][*_]{0,2}(?:[ \t]+|(?<=：))\S.*"
)
_BULLET = re.compile(_ITEM.removesuffix("?"))
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_TRAILER = re.compile(r"[A-Z][A-Za-z]*(?:-[A-Za-z]+)+:[ \t]")
_SCISSORS = "# ------------------------ >8 ------------------------"

_MARKING = frozenset({Kind.DECISION, Kind.REJECTED, Kind.LEARNING, Kind.GOTCHA})
"""Kinds that a label alone marks. Open and short-lived kinds need :data:`MARK`."""
_NO_MARKS = frozenset({"warning"})  # "warning: unused variable" is a commit about a warning


def entries_in(
    message: str, settings: Settings, *, merge: bool = False, standing: bool = True
) -> list[Entry]:
    """Return the entries of one commit message, without provenance and credentials.

    Args:
        message: Subject, blank line, body.
        settings: For the parser.
        merge: The subject was written by git, not by a person.
        standing: False if a later commit reverts this one; a reverted revert rejects nothing.
    """
    subject, _, body = message.partition("\n")
    read = [] if merge else [_entry(subject.strip(), settings)]
    read += [_revert(message)] if standing else []
    read += [_entry(text, settings) for text in paragraphs(body)]
    return covered((entry for entry in read if entry is not None), message)


def _revert(message: str) -> Entry | None:
    text = turned_down(message)
    if not text:
        return None
    return Entry(id=content_id(text), kind=Kind.REJECTED, text=text, confidence=0.9, why=REVERT)


def paragraphs(body: str) -> Iterator[str]:
    """Yield each labelled line with its continuation, up to a blank line or the next label."""
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


def _entry(text: str, settings: Settings) -> Entry | None:
    marked = _MARKED.match(text)
    if marked:
        return _note(text[marked.end() :], settings)
    keyword = _KEYWORD.fullmatch(text)
    return parser.parse_line(text, settings) if keyword and _is_mark(keyword, settings) else None


def _is_mark(keyword: re.Match[str], settings: Settings) -> bool:
    """Return True if a label marks its kind in any position."""
    known, word = lexicon(settings), fold(keyword["word"])
    return word in known.strong - _NO_MARKS and known.labels[word] in _MARKING


def _note(text: str, settings: Settings) -> Entry | None:
    parsed = parser.parse_line(text, settings)
    if parsed is not None or not any(character.isalnum() for character in text):
        return parsed
    why = f"{MARK} in a commit message"
    return Entry(id=content_id(text), kind=Kind.NOTE, text=text, confidence=0.7, why=why)
