"""Entries and their parts: immutable values that every other module uses."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - `date` is the name of a field here
from enum import StrEnum
from typing import NamedTuple, Self

from mind.domain.errors import InputError


class Layer(StrEnum):
    """The layer of an entry, which determines how it ages."""

    GOAL = "goal"
    CONTEXT = "context"
    EMOTION = "emotion"
    IMPLEMENTATION = "implementation"
    REALIZE = "realize"
    LEARNING = "learning"


class Traits(NamedTuple):
    """The properties of a kind, from which other modules derive their sets of kinds.

    Attributes:
        layer: The layer of its entries, unless they name one.
        plural: The heading above several, in SESSION.md and in exports.
        keyword: The label that Mind writes before the text; by default the name of the kind.
        noun: The word for one of them; by default the name of the kind.
        lasting: It states how things are. Others record what happened, or what to do now.
        lesson: Every session should know it. It has a section in the context block, a label alone
            marks it in a commit, and it may advise against something.
        noted: It is written to SESSION.md, and promoted when the session ends.
        trouble: It is open until progress with the same words resolves it.
        task: It is open until somebody says that it is done.
    """

    layer: Layer
    plural: str
    keyword: str = ""
    noun: str = ""
    lasting: bool = False
    lesson: bool = False
    noted: bool = False
    trouble: bool = False
    task: bool = False

    @property
    def has_status(self) -> bool:
        """True if its entries are open until something resolves them."""
        return self.trouble or self.task


class Kind(StrEnum):
    """The kind of an entry: what it records. CONTRIBUTING.md says how to add one."""

    traits: Traits

    def __new__(cls, name: str, *traits: Traits) -> Self:
        """Make a kind of its name and its traits; a call with a name alone looks it up."""
        made, (own,) = str.__new__(cls, name), traits
        named = own._replace(keyword=own.keyword or name, noun=own.noun or name)
        made._value_, made.traits = name, named
        return made

    DECISION = "decision", Traits(Layer.LEARNING, "Decisions", "decided", lasting=True, lesson=True)
    PROBLEM = "problem", Traits(Layer.REALIZE, "Problems", trouble=True)
    LEARNING = "learning", Traits(Layer.LEARNING, "Learnings", "learned", lasting=True, lesson=True)
    PROGRESS = "progress", Traits(Layer.IMPLEMENTATION, "Progress")
    REJECTED = (
        "rejected",
        Traits(Layer.REALIZE, "Rejected", noun="rejection", lesson=True, noted=True),
    )
    BLOCKER = "blocker", Traits(Layer.REALIZE, "Blockers", noted=True, trouble=True)
    ASSUMPTION = "assumption", Traits(Layer.CONTEXT, "Assumptions", lasting=True, noted=True)
    EXPERIENCE = "experience", Traits(Layer.CONTEXT, "Experience", noted=True)
    GOTCHA = "gotcha", Traits(Layer.REALIZE, "Gotchas", lasting=True, lesson=True)
    GOAL = "goal", Traits(Layer.GOAL, "Goals", lasting=True)
    TODO = "todo", Traits(Layer.IMPLEMENTATION, "To do", task=True)
    RELATION = "relation", Traits(Layer.CONTEXT, "Relations")
    NOTE = "note", Traits(Layer.CONTEXT, "Notes", lasting=True)


LOGGED = tuple(kind for kind in Kind if kind is not Kind.RELATION)
"""Kinds whose entries are lines; relations are listed in a section of their own."""
_KIND_ALIASES = {
    "decided": Kind.DECISION,
    "learned": Kind.LEARNING,
    "issue": Kind.PROBLEM,
    "bug": Kind.PROBLEM,
    "fixed": Kind.PROGRESS,
    "done": Kind.PROGRESS,
    "blocked": Kind.BLOCKER,
    "tried": Kind.REJECTED,
    "warning": Kind.GOTCHA,
}


def parse_kind(name: str, accepted: Iterable[Kind] = Kind) -> Kind:
    """The kind that ``name`` or an alias of it stands for.

    Raises:
        InputError: There is no such kind; the remedy lists those ``accepted``.
    """
    folded = name.strip().lower()
    try:
        return _KIND_ALIASES.get(folded) or Kind(folded)
    except ValueError:
        remedy = f"Use one of: {', '.join(accepted)}."
        raise InputError(f"unknown type {name!r}", remedy=remedy) from None


def counted(number: int, kind: str) -> str:
    """A count with its kind: "1 decision", "2 decisions", "2 rejected"."""
    if number == 1 or kind in (Kind.PROGRESS, Kind.REJECTED):
        return f"{number:,} {kind}"
    return f"{number:,} {kind[:-1]}ies" if kind.endswith("y") else f"{number:,} {kind}s"


class Status(StrEnum):
    """The state of a problem, blocker or todo."""

    OPEN = "open"
    RESOLVED = "resolved"
    BLOCKED = "blocked"


def resolves(by: Kind, kind: Kind) -> bool:
    """Return whether an entry that replaces one of ``kind`` resolves it: it stays in its place."""
    return by is Kind.PROGRESS and kind.traits.has_status


_LAYERS: Mapping[str, Layer] = {
    **{layer.value: layer for layer in Layer},
    **dict.fromkeys(("decisions", "insights", "learned"), Layer.LEARNING),
    **dict.fromkeys(("warnings", "pitfalls", "rule"), Layer.REALIZE),
    **dict.fromkeys(("why", "goals"), Layer.GOAL),
    **dict.fromkeys(("how", "tried"), Layer.IMPLEMENTATION),
}


ORIGIN = "from"
"""The field with the origin of an imported entry: ``[from:: claude-mem:obs-12]``."""


DOCUMENT = "document of the project"
"""The :attr:`Entry.why` of a passage of a document."""
STRUCK_OUT = "struck through"
"""The :attr:`Entry.why` of an entry that is not in force, because somebody struck it through."""
RECORD = "adr:"
"""Beginning of the origin of decision records, which have a status and a date of their own."""
REPOSITORY = "repository:"
"""Beginning of the origin of the stack, commands and other facts read from the repository."""
RESOLVED_BY = "resolved"
"""The field of a problem, blocker or to-do with the id of the entry that resolved it."""
SAME_AS = "same-as"
"""The predicate of relations between names of one thing."""
DESPITE = "despite"
"""The field of a decision with the ids of the rejections that it contradicts."""
KEYWORDS = "keywords"
"""The field with other names of what an entry is about, separated by commas."""


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of byte offsets, ``start <= offset < end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One remembered item and its place.

    Attributes:
        id: Block id, else the content id; see :func:`content_id`.
        kind: Its kind.
        text: The whole item on one line: keyword prefix, list marker, emphasis of the keyword,
            block id and inline fields removed; newlines folded to single spaces.
        date: Day of the nearest dated heading (or the item's own date), if any.
        status: Of a problem, blocker or todo.
        confidence: 0–1; the parser's confidence that this is an entry of this kind.
        why: How it was recognised, for people (``keyword "decided:"``, ``section "Gotchas"``).
        reasoning: The part after "because", "so that", a Why line or a dash; "" if none.
        alternatives: What was considered instead (the Y of "X over Y").
        workaround: Fix for a problem or gotcha (the part after ``->``, ``→``, Fix: …).
        tags: ``#tags`` without the hash, in order of appearance.
        links: Targets of ``[[wikilinks]]``.
        fields: Inline fields ``[key:: value]``.
        section: Texts of the headings above it, outermost first.
        source: Path of its file, relative to the project with ``/``, or ``git`` for a commit.
        line: First line, 1-based; 0 for a commit.
        end: Last line, inclusive.
        span: Byte range of the whole item in its file.
        commit: Full hash, if the source is a commit.
        masked: Number of secrets in its source that are masked here.
        beside: Text searched with it but not part of it: the label or heading above.
        code: The blocks of code that belong to it, each fenced; its text has "…" for one within.
        lead: Of an imported entry with more lines, the length of its first one in its text; else 0.
    """

    id: str
    kind: Kind
    text: str
    date: Date | None = None
    status: Status | None = None
    confidence: float = 1.0
    why: str = ""
    reasoning: str = ""
    alternatives: tuple[str, ...] = ()
    workaround: str = ""
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    section: tuple[str, ...] = ()
    source: str = ""
    line: int = 0
    end: int = 0
    span: Span = Span(0, 0)
    commit: str = ""
    masked: int = 0
    beside: str = ""
    code: tuple[str, ...] = ()
    lead: int = 0

    @property
    def layer(self) -> Layer:
        """The layer that ``[layer:: …]`` names, else that of its kind."""
        named = self.fields.get("layer") if self.fields else None
        return (_LAYERS.get(named.lower()) if named else None) or self.kind.traits.layer

    @property
    def despite(self) -> tuple[str, ...]:
        """Ids of the rejections that it contradicts."""
        return tuple(self.fields.get(DESPITE, "").replace(",", " ").split())

    @property
    def keywords(self) -> tuple[str, ...]:
        """Other names of what it is about, by which it is found."""
        said = self.fields.get(KEYWORDS, "") if self.fields else ""
        return tuple(one for part in said.split(",") if (one := " ".join(part.split())))

    @property
    def is_struck(self) -> bool:
        """True if somebody struck it through: it is found, but not in force."""
        return self.why == STRUCK_OUT

    @property
    def title(self) -> str:
        """The first sentence or clause, at most 100 characters, cut between words."""
        return title_of(self.told)

    @property
    def statement(self) -> str:
        """The first line of an imported entry, else all of its text."""
        return self.text[: self.lead] if self.lead else self.text

    @property
    def told(self) -> str:
        """The statement as shown: with the beginning of what it announces, if it ends in a colon.

        A heading without which it says the opposite stands before it: "Don't".
        """
        above = _DENYING.fullmatch(self.section[-1]) if self.section else None
        is_told = self.why.startswith("keyword") or _DENIED.match(self.text) is not None
        said = self._announced() if self.lead else self.text
        return f"{above['said']}: {said}" if above and not is_told else said

    def _announced(self) -> str:
        text, most = self.text, self.lead + _MOST_ANNOUNCED
        if not self.statement.rstrip("*_ ").endswith((":", "：")):
            return self.statement
        if len(text) <= most:
            return text
        if ends := [end.end() for end in _CLAUSE_END.finditer(text, self.lead + 1, most)]:
            return f"{text[: ends[-1]].rstrip(' ;…')} …"
        blank = text.rfind(" ", self.lead + 2, most)
        return f"{text[: blank if blank > 0 else most]}…"

    @property
    def whole(self) -> str:
        """The text with its code, on one line."""
        return " ".join([self.text, *" ".join(self.code).split()])

    @property
    def code_lines(self) -> list[str]:
        """The lines of its code; of a long block, the first 40."""
        found: list[str] = []
        for block in self.code:
            lines = block.split("\n")
            if (more := len(lines) - _MOST_CODE) > 0:
                lines[_MOST_CODE - 1 : -1] = [f"… {counted(more, 'more line')}"]
            found += lines
        return found

    @property
    def where(self) -> str:
        """Its place as ``file:line``, or ``commit abc1234``."""
        return f"commit {self.commit[:7]}" if self.commit else f"{self.source}:{self.line}"


_MOST_ANNOUNCED = 240
"""Characters shown of what a statement announces."""
_CLAUSE_END = re.compile(r"(?<!\s\d)(?<!\s\d\d)[.;!?](?= )|[。；！？]")
_MOST_CODE = 42
"""Lines of a block of code that are shown, with its fences."""
_DENYING = re.compile(
    r"\W*(?P<said>don['’]?ts?|do not|never(?: do)?(?: this)?|(?:things|what) (?:we )?(?:never do|"
    r"don['’]?t do)|(?:things|what) (?:to avoid|not to do)|avoid|nie(?:mals)?|nicht tun|jamais|"
    r"[àa] ne pas faire|nunca|no hacer|não fazer|evitar|vermeiden|никогда|не делать|"
    r"禁止(?:事項|事项)?|やってはいけないこと|不要做)\W*",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\W*(?:don['’]?t|do not|never|avoid|no|not|nie|niemals|nicht|kein\w*|vermeide\w*|jamais|"
    r"ne(?=\s+(?:\w+\s+)?(?:pas|jamais|plus)\b)|pas|nunca|evit\w*|não|не|никогда)\b(?!-)|"
    r"\W*(?:禁止|不要|不用)",
    re.IGNORECASE,
)
_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_EMPHASIS = re.compile(r"(\*\*|__|~~|`|(?<!\w)[*_]|[*_](?!\w))")
_SENTENCE_END = re.compile(r"(?<![.:!?]\s\d)[.!?](?=\s+[^\sa-z\d])|[。！？]|\s[-–—*•]\s")


def normalise(text: str) -> str:
    """Fold differences without meaning: Unicode form, case, emphasis, white space."""
    plain = _EMPHASIS.sub("", unicodedata.normalize("NFKC", text))
    return " ".join(plain.casefold().split())


def content_id(text: str) -> str:
    """Eight characters of Crockford base32 over BLAKE2b of the normalised text."""
    number = int.from_bytes(
        hashlib.blake2b(normalise(text).encode("utf-8", "replace"), digest_size=5).digest()
    )
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(35, -1, -5))


def number_repeats(ids: Iterable[str]) -> list[str]:
    """Make ids unique in order: the second ``x`` becomes ``x-2``, the third ``x-3``."""
    seen: dict[str, int] = {}
    unique = []
    for identifier in ids:
        count = seen[identifier] = seen.get(identifier, 0) + 1
        unique.append(identifier if count == 1 else f"{identifier}-{count}")
    return unique


def is_fixed(identifier: str, text: str) -> bool:
    """Return whether an id before numbering is written in the file (``^id``), not made of it."""
    return identifier != content_id(text)


_REPEAT = re.compile(r"([0-9a-hjkmnp-tv-z]{8})-[1-9]\d{0,6}")


def unnumbered(identifier: str) -> str:
    """``identifier`` without the number that :func:`number_repeats` added."""
    repeat = _REPEAT.fullmatch(identifier)
    return repeat[1] if repeat else identifier


def title_of(text: str, limit: int = 100) -> str:
    """The first sentence of ``text``, at most ``limit`` characters, cut between words.

    A full stop ends a sentence only before white space and what is neither a small letter nor a
    digit, so ``server.py crashes`` and ``ca. 20 minutes`` are not split.
    """
    end = _SENTENCE_END.search(text, 10)
    first = text[: end.start()] if end else text
    if len(first) <= limit:
        return first.strip()
    cut = first[:limit].rsplit(" ", 1)[0]
    return cut.rstrip(" ,;:-") + "…"


def unfenced(block: str) -> str:
    """A block of code without its fences."""
    return "\n".join(block.split("\n")[1:-1])


def judgement(kind: Kind) -> str:
    """Relation of an entry of ``kind`` to an approach that it turns down, as a clause."""
    return "decided otherwise" if kind is Kind.DECISION else "rejected before"


FULL_STOP = re.compile(r"(?<![.:!?]\s\d)[.!?](?=\s+[^\sa-z])|[。！？]")
"""The end of a sentence, but not of the number of a list's item."""


def sentences(text: str) -> list[str]:
    """The sentences of ``text`` as they stand, which together are the whole text."""
    ends = [found.end() for found in FULL_STOP.finditer(text)]
    return [text[at:end] for at, end in zip([0, *ends], [*ends, len(text)], strict=True)]


class RecordedAt(NamedTuple):
    """The time at which the current text of an entry was recorded.

    Attributes:
        at: Seconds since 1970.
        day: The day in the author's time zone.
        session: The session's id.
        corrected: True for a correction in place, which keeps the entry's original date.
    """

    at: float
    day: Date
    session: str
    corrected: bool


DEFAULT_IMPORTANCE = 0.5
"""Importance of an entry without the field."""
PINNED_FROM = 0.9
"""Importance from which an entry is pinned."""


def iso_day(text: str) -> Date | None:
    """The day that ``text`` is in ISO form; None if it is none."""
    try:
        return Date.fromisoformat(text) if text else None
    except ValueError:
        return None


_YES = frozenset({"yes", "true", "on", "1"})


def importance(fields: Mapping[str, str]) -> float:
    """The importance in ``fields``, 0–1, as in ``[importance:: 0.9]``; 0.5 by default.

    A value that is not a number from 0 to 1 is ignored.
    """
    said = fields.get("importance")
    if not said:  # true of nearly every entry, and catching an error takes a microsecond
        return DEFAULT_IMPORTANCE
    try:
        value = float(said)
    except ValueError:
        return DEFAULT_IMPORTANCE
    return value if 0 <= value <= 1 else DEFAULT_IMPORTANCE


def is_pinned(fields: Mapping[str, str]) -> bool:
    """True if an entry is pinned: ``[pinned:: yes]``, or an importance of 0.9 or more."""
    return fields.get("pinned", "").lower() in _YES or importance(fields) >= PINNED_FROM
