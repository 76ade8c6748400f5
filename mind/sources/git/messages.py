"""Explicit marks and prose in a commit message.

Only explicit marks are entries. Labels such as "Root cause:", "BREAKING CHANGE:" or "Bug:" mostly
describe the code before the change, and most reverts are redone later: their text can be searched.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from mind.documents import parser
from mind.documents.parser.lexicon import fold, lexicon
from mind.documents.secret_entries import covered
from mind.documents.tags import is_tag
from mind.domain.entry import Entry, Kind, content_id
from mind.domain.settings import Settings
from mind.sources import MARK
from mind.sources.prose import in_fences
from mind.text import lazy_pattern

_LONGEST = 1_000
"""Maximum length of a passage in characters."""
_TEMPLATE = re.compile(r"[ \t]*(?:[-*+] \[[ xX]\]|#+ |-{3,}$)")
"""Headings, tick boxes and rules of a template for pull requests."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_REVERTED = re.compile(
    r"This reverts commit [0-9a-f]{7,64}(?:, reversing\s+changes made to [0-9a-f]{7,64})?\.?"
)
"""Git's own sentence about a revert."""
_REVERT = re.compile(
    r"(?:[a-z]+(?:\([^()\n]*\))?!?: ?)?revert:?\s+(?P<quoted>\")?(?!\"?(?:revert|reapply)\b)",
    re.IGNORECASE,
)


def passage(message: str, settings: Settings, *, merge: bool = False) -> str:
    """Return a commit's subject and the prose below it; "" if there is only a subject.

    Explicit marks, code, comments, trailers, templates and git's own sentence about a revert are
    left out.

    Args:
        message: Commit message, without credentials.
        settings: For the marks.
        merge: The subject was written by git, not by a person.
    """
    subject, _, body = message.partition("\n")
    body = _without_comments(_REVERTED.sub("", body))
    parts = list(_parts(body))
    marks = _marks((text for _, text in parts), settings)
    entries = {text for text in marks if _entry(text, settings) is not None}
    others = (one for one, text in parts if text not in entries)
    prose = " ".join(line.strip() for lines in others for line in lines if not _is_form(line))
    said = f"{subject.strip()}: {prose}" if not merge else prose
    is_told = len(_WORD.findall(prose, 0, _LONGEST)) > 1
    return _cut(said) if is_told else ""


def _cut(text: str) -> str:
    """Cut a text between words, unless it has none, as in Chinese."""
    if len(text) <= _LONGEST:
        return text
    at = text.rfind(" ", _LONGEST // 2, _LONGEST)
    return text[: at if at > 0 else _LONGEST]


def _without_comments(body: str) -> str:
    first, *others = body.split("<!--")
    closed = (one.partition("-->") for one in others)
    return first + "".join(after if end else f"<!--{said}" for said, end, after in closed)


def is_revert(message: str) -> bool:
    """Return True if a commit undoes another one, but not another revert."""
    found = _REVERT.match(message)
    return found is not None and bool(found["quoted"] or _REVERTED.search(message))


def _is_form(line: str) -> bool:
    return bool(_TRAILER.match(line) or _TEMPLATE.match(line))


_MOST_LINES, _MOST_MARKS, _LONGEST_MARK = 30, 100, 10_000
"""Maximum lines of a mark, marks of a message, and characters of a mark."""
_ITEM = r"(?: {0,3}(?:[-*+•]|\d{1,3}[.)])[ \t]+)?"
_MARKED = re.compile(rf"{_ITEM}(?:\*\*)?{MARK}(?:\*\*)?[ \t]*(?=\S)")
_KEYWORD = re.compile(
    rf"{_ITEM}[*_]{{0,2}}(?P<word>[^\W\d_][\w' -]{{0,28}})(?:\((?P<scope>[^()\n]{{1,40}})\))?!?"
    r"[*_]{0,2}[ \t]?[:：][*_]{0,2}(?:[ \t]+|(?<=：))(?P<said>\S.*)"
)
_BULLET = re.compile(_ITEM.removesuffix("?"))
_TRAILER = re.compile(r"[A-Z][A-Za-z]*(?:-[A-Za-z]+)+:[ \t]")
_SCISSORS = "# ------------------------ >8 ------------------------"

_AREA = re.compile(r"(?!(?:critical|high|low|major|medium|minor)$)(?=.*[^\W\d_]).+", re.IGNORECASE)
"""The scope of a label, as in Conventional Commits: no date, issue or severity."""
_OF_COMMIT = lazy_pattern(
    r"\b(?:for|from|in|into|within) (?:this|the current) (?:change|commit|iteration|pass|patch|"
    r"phase|pr|pull request|round|session|slice)\b|"
    r"\b(?:in|into) (?:multiple|separate|several) commits\b",
    re.IGNORECASE,
)
"""Signs of an option that a commit leaves for later, or of how it was cut: not turned down."""
_DIRECTIVE = "directive"
"""A label of commit messages alone: what whoever changes this code has to know."""
_NO_MARKS = frozenset({"warning"})  # "warning: unused variable" is a commit about a warning


def entries_in(message: str, settings: Settings, *, merge: bool = False) -> list[Entry]:
    """Return the entries of one commit message, without provenance and credentials.

    Args:
        message: Subject, blank line, body.
        settings: For the parser.
        merge: The subject was written by git, not by a person.
    """
    subject, _, body = message.partition("\n")
    title = subject.strip()
    is_about_code = title.startswith(_DIRECTIVE)  # of a framework, in small letters
    read = [] if merge or is_about_code else [_entry(title, settings)]
    read += [_entry(text, settings) for text in _marks(paragraphs(body), settings)]
    return covered((entry for entry in read if entry is not None), message)


def alternatives_in(message: str, settings: Settings) -> list[Entry]:
    """Return the alternatives that a commit rejected, as in ``Rejected: X | reason``.

    Half of them are about the commit alone, so they are no entries by themselves.
    """
    marks = _marks(paragraphs(message), settings)
    found = (_entry(one, settings, turned_down=True) for one in marks)
    return covered((entry for entry in found if entry is not None), message)


def _marks(texts: Iterable[str], settings: Settings) -> Iterator[str]:
    """Yield the first texts with a mark, which are parsed; a very long text is none."""
    told = (one for one in texts if len(one) <= _LONGEST_MARK and _has_mark(one, settings))
    return islice(told, _MOST_MARKS)


def _has_mark(text: str, settings: Settings) -> bool:
    keyword = _KEYWORD.fullmatch(text)
    return _MARKED.match(text) is not None or (keyword is not None and _is_mark(keyword, settings))


def paragraphs(body: str) -> Iterator[str]:
    """Yield each labelled line with its continuation, up to a blank line or the next label."""
    return (text for _, text in _parts(body) if text)


def _parts(body: str) -> Iterator[tuple[list[str], str]]:
    """Yield all lines of a body but blank ones: a paragraph's with its text, others without."""
    gathered: list[str] = []
    for line in (*_outside_fences(body), ""):
        begins = _begins(line)
        if gathered and (begins or _ends(line, gathered)):
            yield gathered, " ".join(part.strip() for part in gathered)
            gathered = []
        if begins or gathered:
            gathered.append(line)
        elif line.strip():
            yield [line], ""


def _outside_fences(body: str) -> Iterator[str]:
    lines = body.partition(_SCISSORS)[0].split("\n")
    return ("" if one else line.rstrip() for line, one in zip(lines, in_fences(lines), strict=True))


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


def _entry(text: str, settings: Settings, *, turned_down: bool = False) -> Entry | None:
    """Return the entry of a mark; None for an alternative of the commit, or all but those."""
    marked = _MARKED.match(text)
    if marked:
        return None if turned_down else _note(text[marked.end() :], settings)
    keyword = _KEYWORD.fullmatch(text)
    if keyword is None or not _is_mark(keyword, settings) or not _tells(keyword["said"]):
        return None
    label, said, scope = keyword["word"], keyword["said"], keyword["scope"] or ""
    if _AREA.fullmatch(scope) and fold(scope) not in fold(said):
        said += f" #{scope}" if is_tag(scope) else f" - {scope}"
    label = Kind.DECISION.value if fold(label) == _DIRECTIVE else label
    made = parser.parse_line(f"{label}: {said}", settings)
    if made is None or made.kind is not Kind.REJECTED:
        return None if turned_down else made
    is_put_off = _OF_COMMIT.search(made.text) is not None
    return None if is_put_off or bool(alternative(made.text)) is not turned_down else made


def alternative(text: str) -> tuple[str, str] | None:
    """Return what "X | reason" rejects, and why; None for other text. A bar in code is none."""
    bars = (one.start() for one in re.finditer(r" \| ", text))
    at = next((one for one in bars if text.count("`", 0, one) % 2 == 0), None)
    return None if at is None else (text[:at], text[at + 3 :])


def _tells(said: str) -> bool:
    """Return False for "None" with a reason, and for the bare number of a decision or an issue."""
    return not _NONE.match(said) and not _NUMBER.fullmatch(said)


_NONE = re.compile(r"(?:none|n/a)\.?\s{0,3}(?:[-–—|]|$)", re.IGNORECASE)
_NUMBER = re.compile(r"#\d{1,9}|ADR[- ]?\d{1,9}|[A-Z]{1,30}(?:-[A-Z\d]{1,30}){1,9}-\d{2,9}")


def _is_mark(keyword: re.Match[str], settings: Settings) -> bool:
    """Return True if a label alone marks its kind; open and short-lived kinds need a mark."""
    known, word = lexicon(settings), fold(keyword["word"])
    if word == _DIRECTIVE:
        return True
    return word in known.strong - _NO_MARKS and known.labels[word].traits.lesson


def _note(text: str, settings: Settings) -> Entry | None:
    parsed = parser.parse_line(text, settings)
    if parsed is not None or not any(character.isalnum() for character in text):
        return parsed
    why = f"{MARK} in a commit message"
    return Entry(id=content_id(text), kind=Kind.NOTE, text=text, confidence=0.7, why=why)
