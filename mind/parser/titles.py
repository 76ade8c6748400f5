"""What a heading, a lead line or a file's name says about what stands under it."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from mind.dates import heading_date
from mind.entry import Kind
from mind.parser.lexicon import (
    COMPOUNDS,
    FIELDS,
    LOG,
    NOT_TITLES,
    NOUNS,
    PENDING,
    SILENT,
    STATE,
    TEMPLATE,
    Lexicon,
    field_of,
    fold,
    is_one_of,
)
from mind.parser.lines import is_placeholder

Role = Literal["kind", "field", "silent", "state", "log", "record", "neutral"]

_ID = re.compile(
    r"^\[?(?P<id>(?P<prefix>[A-Z]{1,6})[-_ ]?(?:\d{1,8}|[A-Z0-9]{1,8}-\d{1,6})(?:-[A-Z0-9]{1,6})?)"
    r"\]?\s*(?:[:：.)—–-]+\s*|\s+|$)(?P<title>.*)$"
)
_ID_KINDS = {
    "ADR": Kind.DECISION,
    "D": Kind.DECISION,
    "DEC": Kind.DECISION,
    "DR": Kind.DECISION,
    "RFC": Kind.DECISION,
    "LRN": Kind.LEARNING,
    "L": Kind.LEARNING,
    "LL": Kind.LEARNING,
    "LESSON": Kind.LEARNING,
    "ERR": Kind.PROBLEM,
    "BUG": Kind.PROBLEM,
    "ISSUE": Kind.PROBLEM,
    "ISS": Kind.PROBLEM,
    "P": Kind.PROBLEM,
    "G": Kind.GOTCHA,
    "GOT": Kind.GOTCHA,
    "GOTCHA": Kind.GOTCHA,
    "FIX": Kind.PROGRESS,
    "REJ": Kind.REJECTED,
    "FEAT": Kind.TODO,
}
_SPLIT = re.compile(r"\s*[:：]\s+|：|\s+[-–—|]\s+")
_DATE = re.compile(
    r"\[?\(?\b(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])\b"
    r"(?:[T ]\d\d?:\d\d(?::\d\d)?(?:\s?Z|\s?[AP]M)?)?\)?\]?",
    re.IGNORECASE,
)
_STAMP = re.compile(
    r"(?:\*\*|__)?(?:\[\s?(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?[^\]\n]{0,20}\](?:\*\*|__)?\s*[-–—:|]?\s*|"
    r"(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?(?:[T ]\d\d?:\d\d(?::\d\d)?Z?)?(?:\*\*|__)?"
    r"\s*(?:[-–—|]|:(?!\d))\s*(?:\*\*|__)?\s*)(?=\S)"
)
_DATE_CJK = re.compile(r"(?:19|20)\d\d年\d{1,2}月\d{1,2}日")
_AROUND_DATES = " \t:-–—|,·()[]"
_NUMBERED = re.compile(r"^\s*#?\d{1,3}\s*[.)]\s+\S")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+\S*", re.IGNORECASE)
_PLURAL = re.compile(r"(?:s|en|и|ы|ые|志|录|ログ|事項)$")


@dataclass(frozen=True, slots=True)
class Title:
    """How a heading is understood.

    Attributes:
        role: What it is.
        kind: For kind and record.
        name: The field's name for field; "id" for a record that carries an identifier.
        dated: A date was taken from the text.
        quiet: Outside a record, what stands under this field is no memory.
        text: Its text without identifier, date, label and numbering.
    """

    role: Role
    text: str
    kind: Kind | None = None
    name: str = ""
    dated: bool = False
    quiet: bool = False


@lru_cache(maxsize=2048)
def title(text: str, level: int, words: Lexicon) -> Title:
    """Understand the heading ``text``."""
    plain = " ".join(text.split()).strip("*_ ")
    own = without_date(plain)
    dated = own != plain
    if not fold(own):
        return Title("log", plain, dated=dated)
    if is_placeholder(own):
        return Title("neutral", own, dated=dated)
    return (
        _whole(own, dated, words)
        or _identified(own, dated)
        or _labelled(own, level, dated, words)
        or _by_noun(own, dated, words)
        or _day(own)
        or Title("neutral", _unnumbered(own), dated=dated)
    )


def _day(text: str) -> Title | None:
    """A day written in words: ``3. Februar 2026``, ``Monday, Feb 3, 2026``."""
    if not any(mark.isdigit() for mark in text) or len(re.findall(r"[^\W\d_]+", text)) > 3:
        return None
    return Title("log", text, dated=True) if heading_date(text) is not None else None


def without_date(text: str) -> str:
    """``text`` without a numeric date in it and what set that off."""
    if not any(mark.isdigit() for mark in text):
        return text
    bare = _DATE_CJK.sub(" ", _DATE.sub(" ", text))
    return text if bare == text else bare.strip(_AROUND_DATES)


def is_dated_line(text: str) -> bool:
    """Whether ``text`` begins with a date in brackets, or a date and a dash, and goes on."""
    return bool(undated(text))


def undated(text: str) -> str:
    """What follows the date that ``text`` begins with; "" if it does not begin with one."""
    found = _STAMP.match(text)
    return text[found.end() :].strip() if found else ""


def is_numbered(text: str) -> bool:
    """Whether a heading counts itself: ``3. Use one queue``."""
    return bool(_NUMBERED.match(text))


def _whole(text: str, dated: bool, words: Lexicon) -> Title | None:
    """A heading that is a label as a whole."""
    folded = fold(text)
    if folded in STATE:
        return Title("state", text, dated=dated)
    name = field_of(text)
    quiet = folded in SILENT
    if (quiet and not name) or not TEMPLATE.isdisjoint(folded.split()):
        return Title("silent", text, dated=dated)
    form = words.label_form(text)
    kind = words.labels.get(form)
    single = form in FIELDS and _is_single(text, name)
    if name and (kind is None or form in NOT_TITLES or single):
        return Title("field", text, kind=kind, name=name, dated=dated, quiet=quiet)
    exact = kind not in (Kind.EXPERIENCE, Kind.GOAL, Kind.TODO) or form == folded
    role = _role(text, speaks=kind is not None and exact, common=form in NOT_TITLES)
    return Title(role, text, kind=kind if role == "kind" else None, dated=dated) if role else None


def _role(text: str, *, speaks: bool, common: bool) -> Role | None:
    if is_one_of(text, LOG):
        return "log"
    if speaks:
        return "silent" if common else "kind"
    return "silent" if is_one_of(text, SILENT) else None


def _is_single(text: str, name: str) -> bool:
    """Whether a label that is both (Decision, Lösung, 决定) names one thing, not a list of them."""
    return name in ("what", "fix", "alternatives") and not _PLURAL.search(fold(text))


def _identified(text: str, dated: bool) -> Title | None:
    found = _ID.match(text)
    if found is None:
        return None
    kind = _ID_KINDS.get(found.group("prefix"))
    return Title("record", found.group("title").strip() or text, kind=kind, name="id", dated=dated)


def _labelled(text: str, level: int, dated: bool, words: Lexicon) -> Title | None:
    """``Decision 4: use one queue`` is a record; ``Learnings — the app`` titles a section."""
    parts = _SPLIT.split(text, maxsplit=1)
    if len(parts) != 2:
        return None
    head, rest = parts
    kind = words.label(head)
    if kind is None:
        if is_one_of(head, LOG):
            return Title("log", text, dated=dated)
        tail = words.label(rest) if level == 1 else None
        return Title("kind", text, kind=tail, dated=dated) if tail else None
    titles_section = level == 1 or _PLURAL.search(fold(head)) or _VERSION.fullmatch(rest)
    if titles_section and not re.search(r"\d", head):
        return Title("kind", text, kind=kind, dated=dated)
    return Title("record", rest, kind=kind, dated=dated)


def _by_noun(text: str, dated: bool, words: Lexicon) -> Title | None:
    """``Findings from the load test``, ``Baseline findings``: a section by its noun."""
    folded = fold(text)
    parts = re.findall(r"[^\W\d_]+", folded)
    if not parts or len(parts) > 6:
        return None
    kind = next(
        (
            words.labels[word]
            for word in _nearest_first(parts)
            if word in NOUNS and word in words.labels
        ),
        None,
    )
    if kind is None and not any(mark in folded for mark in PENDING):
        within = (end for end in COMPOUNDS if end in folded)
        kind = next((words.labels[end] for end in within if end in words.labels), None)
    return Title("kind", text, kind=kind, dated=dated) if kind is not None else None


def _nearest_first(parts: list[str]) -> list[str]:
    """The last word (English), the first (Spanish), then those between."""
    return [parts[-1], *parts[:-1]]


def _unnumbered(text: str) -> str:
    return re.sub(r"^\s*#?\d{1,3}\s*[.)]\s+", "", text)
