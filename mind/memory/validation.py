"""Rules of what may be written down: nothing secret, nothing short-lived, nothing twice.

The order matters. A credential is looked for first, and no other check, answer or log ever sees
it. What the caller may override, an ``acknowledge`` overrides, and the usage log tells how often.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations

from mind.documents.archive import Archived
from mind.documents.notebook import SESSION_SECTIONS
from mind.documents.tags import tags_in
from mind.domain.entry import LAYER_OF, Entry, Kind
from mind.domain.errors import FileError, InputError
from mind.domain.settings import Settings
from mind.memory import sync
from mind.ranking import heat
from mind.search.engine import similar
from mind.storage import archives
from mind.storage.index import Change, Filter, Index, Sense
from mind.storage.project import Project
from mind.text import durability, secrets
from mind.text.similarity import literal, says_the_same, words
from mind.text.terms import query_terms

LASTING = frozenset(
    {Kind.DECISION, Kind.LEARNING, Kind.GOTCHA, Kind.GOAL, Kind.NOTE, Kind.ASSUMPTION}
)
"""Kinds that say how things are. The others tell what happened, or what is to be done now."""
COMPARED = frozenset({*LASTING, Kind.PROBLEM, Kind.TODO} - {Kind.ASSUMPTION})
"""Kinds of the long-term memory of which one entry is enough; progress may repeat itself on another
day.
"""
FORGOTTEN = COMPARED | {Kind.PROGRESS}
"""Kinds of which the caller learns that the same was taken out of memory, and why."""
MOST_NAMED = 3
"""Entries that a new note may replace: so many are named at most."""
NAMING = COMPARED | {Kind.PROGRESS, Kind.REJECTED}
"""Kinds of which the answer names what is near in memory: it may put that right."""
_STATING = NAMING - {Kind.TODO}
"""Kinds that may be put right."""
_NOTED = ("memory", "session")
_CANDIDATES = 8
_POSTINGS = 1_000
"""What says nearly the same has the rarest terms too; they are looked up in so many entries."""
_SHORT, _MOST_TEXTS = 5, 8
"""Words of a text that may be a value, and texts that are looked at together."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class Secret(InputError):
    """A text holds a credential; nothing was written."""

    code = "secret"
    default_remedy = (
        "Say where the credential is kept instead. Change it if anybody may have seen it."
    )


class Transient(InputError):
    """A statement that will not be true for long; nothing was written."""

    code = "transient"


class Repeated(InputError):
    """Another entry says the same; nothing was written."""

    code = "repeated"


class Forgotten(InputError):
    """The same was taken out of memory before; nothing was written."""

    code = "forgotten"


def refuse_secrets(*texts: str) -> None:
    """Look for credentials, in texts that are told apart and in what two of them say together.

    Raises:
        Secret: There is one; the error names its kind and never its value.
    """
    for text in (*texts, *_together(texts)):
        found = secrets.find(_CONTROL.sub("", text))
        if found:
            names = ", ".join(dict.fromkeys(one.name for one in found))
            raise Secret(f"this looks like a credential ({names}); nothing was written")


def refuse_scopes(text: str, settings: Settings) -> None:
    """Look for tags that this project does not use.

    Raises:
        InputError: There is one; the remedy lists those that it uses.
    """
    allowed = {tag.lstrip("#").casefold() for tag in settings.scopes_allowed}
    others = [tag for tag in tags_in(text) if tag.casefold() not in allowed] if allowed else []
    if others:
        names = ", ".join(f"#{tag.lstrip('#')}" for tag in settings.scopes_allowed)
        raise InputError(
            f"#{others[0]} is no tag of this project; nothing was written",
            remedy=f"Use one of: {names}. Or add it to the setting scopes.allowed.",
        )


def _together(texts: Sequence[str]) -> Iterator[str]:
    """Yield what one text names and the last word of a short other one is, and all as one text."""
    for name, value in combinations([text for text in texts if text.strip()][:_MOST_TEXTS], 2):
        said = value.split()
        if len(said) <= _SHORT:
            yield f"{name}: {said[-1]}"
    if len(texts) > 1:
        yield "\n".join(texts)


def refuse_transient(text: str, kind: Kind, *, acknowledged: bool) -> tuple[str, ...]:
    """Look for what will not be true in a week, in kinds that say how things are.

    Returns:
        The phrases that the caller overrides.

    Raises:
        Transient: There are some; the remedy says how to put it.
    """
    markers = durability.transient(text) if kind in LASTING else []
    if markers and not acknowledged:
        first = markers[0]
        raise Transient(
            f'"{first.words}" will not be true for long ({first.snippet}); nothing was written',
            remedy=f"{first.advice} Or set acknowledge, if it is to stay as it is.",
            phrases=[one.phrase for one in markers],
        )
    return tuple(one.phrase for one in markers)


@dataclass(frozen=True, slots=True)
class Known:
    """The texts of long-term memory.

    Attributes:
        same: The entry that says the same, if one does.
        related: Similar entries, the most similar first: the new one may replace them.
    """

    same: Entry | None = None
    related: tuple[Entry, ...] = ()


def _may_say(lines: bytes, text: str) -> bool:
    """Return whether one of ``lines``, as they stand in a file, may say what ``text`` says."""
    told = frozenset(words(text))
    return any(told.issubset(words(_plain(line))) for line in lines.splitlines())


def refuse_known(  # noqa: PLR0913 - what is written, and what it is compared with, by name only
    project: Project,
    index: Index,
    text: str,
    kind: Kind,
    *,
    today: date,
    instead: Collection[str],
) -> None:
    """Look for what says the same as new words for entries, in memory and in its archive.

    Args:
        project: Whose.
        index: Up to date.
        text: The words.
        kind: Of the entry that they will be.
        today: The day.
        instead: Ids of the entries that they take the place of, whose own words may come back.

    Raises:
        Repeated: Another entry does.
        Forgotten: Something that was taken out does.
    """
    if kind not in COMPARED:
        return
    found = _same(project, index, text, kind, besides=instead)
    if found is not None:
        raise Repeated(
            f"{found.id} ({found.where}) says the same; nothing was written",
            remedy=f"Forget what is superfluous, replaced by {found.id}; or set acknowledge.",
            id=found.id,
        )
    refuse_forgotten(project, text, kind, today, besides=instead)


def known(  # noqa: PLR0913 - what is written, and how it is compared, by name only
    project: Project,
    index: Index,
    text: str,
    kind: Kind,
    *,
    sense: Sense | None = None,
    once: bool = True,
    today: date | None = None,
) -> Known:
    """Return what memory says about ``text``, as far as it was read, and a few lines behind that.

    The rest is read only if one of those lines may say it, or there are more.

    Args:
        project: Whose memory.
        index: Of what was read.
        text: What is to be written.
        kind: As what.
        sense: What it means, if a model is at hand.
        once: It is not to be there twice, of whatever kind it is.
        today: The day on which progress is not to be there twice.
    """
    day = today if kind is Kind.PROGRESS and not once else None
    once = once or kind in COMPARED or day is not None

    def is_enough(added: bytes | None) -> bool:
        return added is not None and not _may_say(added, text)

    if not is_enough(sync.unread(project, index)):
        sync.refresh(project, index, sources=False, enough=is_enough)
    same = _same(project, index, text, kind, once=once, day=day)
    if same is not None and sync.refresh(project, index, sources=False).change != Change():
        same = _same(project, index, text, kind, once=once, day=day)
    if same is not None:
        return Known(same=same)
    stating = _STATING - {Kind.REJECTED} if kind is Kind.REJECTED else _STATING
    which = Filter(families=_NOTED, kinds=tuple(sorted(stating)))
    return Known(related=tuple(similar(index, text, sense, which, MOST_NAMED)))


def _same(  # noqa: PLR0913 - those of known
    project: Project,
    index: Index,
    text: str,
    kind: Kind,
    *,
    besides: Collection[str] = (),
    once: bool = True,
    day: date | None = None,
) -> Entry | None:
    """The entry that says the same as a text, if it is not to be there twice."""
    if not once:
        return None
    wanted = Filter(families=_NOTED, kinds=(kind,))
    # of a session's buffer not all is kept when the session ends
    passing = "" if kind in SESSION_SECTIONS else project.relative(project.session)
    most = _CANDIDATES + len(besides)
    for other, _ in index.match(query_terms(text), wanted, limit=most, postings=_POSTINGS):
        is_like = other.id not in besides and other.source != passing
        is_like = is_like and day in (None, other.date)
        if is_like and says_the_same(text, other.text):
            return other
    return None


@dataclass(frozen=True, slots=True)
class Gone:
    """A text taken out of memory, its words without marks, and their terms."""

    archived: Archived
    said: str
    terms: frozenset[str]


def gone(project: Project, saying: Collection[str] = ()) -> list[Gone]:
    """Return what was taken out of memory, the last first.

    Only what has all of ``saying`` in it.
    """
    known = archives.read(project.archive, [one.encode() for one in saying])
    told = [(one, _plain(one.text)) for one in reversed(known)]
    return [Gone(one, said, frozenset(query_terms(said))) for one, said in told]


def same_among(taken: Sequence[Gone], text: str) -> Archived | None:
    """The first that says the same as ``text``, if one does."""
    asked = frozenset(query_terms(text))
    for one in taken:
        if 2 * len(asked & one.terms) >= len(asked) and says_the_same(text, one.said):
            return one.archived
    return None


def refuse_forgotten(
    project: Project, text: str, kind: Kind, today: date, *, besides: Collection[str] = ()
) -> None:
    """Look for what was taken out of memory and says the same.

    Args:
        project: Whose.
        text: What is to be written.
        kind: As what. Progress is not compared with entries that lived their time.
        today: The day.
        besides: Ids of entries whose earlier words do not count.

    Raises:
        Forgotten: There is some; the error tells why it was taken out.
    """
    if kind not in FORGOTTEN:
        return
    life = heat.ttl(LAYER_OF[kind]) if kind is Kind.PROGRESS else None
    since = today - timedelta(days=life) if life else date.min
    try:
        taken = [
            one
            for one in gone(project, literal(text))
            if one.archived.id not in besides and (one.archived.date or today) >= since
        ]
        one = same_among(taken, text)
    except FileError:  # what cannot be read keeps nobody from noting
        return
    if one is None:
        return
    if one.replaced_by:
        remedy = f"See {one.replaced_by}, which took its place; or set acknowledge."
    else:
        remedy = f"Restore {one.id} if that no longer holds, or set acknowledge to note it anew."
    raise Forgotten(
        f"the same was taken out of memory on {one.day.isoformat()} ({one.reason}); "
        "nothing was written",
        remedy=remedy,
        id=one.id,
    )


_PREFIX = re.compile(r"\s*(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]\]\s*)?(?:\*\*|__)?\w+:(?:\*\*|__)?\s+")
_MARK = re.compile(r"\s\[[\w -]+::[^\[\]]*\]|\s\^[\w-]+\s*$")


def _plain(text: bytes) -> str:
    """An archived text without its keyword and marks."""
    said = " ".join(text.decode("utf-8", "replace").split())
    return _MARK.sub("", _PREFIX.sub("", said, count=1))
