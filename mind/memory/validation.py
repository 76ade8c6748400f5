"""Checks before an entry is written: no secrets, no short-lived statements, no duplicates.

The order matters: secrets are checked first, so that no other check, answer or log sees one.
``acknowledge`` overrides the checks that may be overridden; the usage log counts this.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations

from mind.documents.archive import Archived
from mind.documents.tags import tags_in
from mind.domain.entry import LOGGED, ORIGIN, Entry, Kind, Status, resolves
from mind.domain.errors import FileError, InputError
from mind.domain.settings import Settings
from mind.memory import sync
from mind.ranking import heat
from mind.search.engine import similar
from mind.storage import archives
from mind.storage.index import Filter, Index, QueryVector, RefreshedEntries
from mind.storage.project import Project
from mind.text import durability, lazy_pattern, secrets
from mind.text.similarity import literal, said, says_the_same, words
from mind.text.terms import query_terms

COMPARED = frozenset(kind for kind in LOGGED if not kind.traits.noted) - {Kind.PROGRESS}
"""Kinds of long-term memory whose duplicates are not recorded; progress may repeat on another day.
"""
MOST_NAMED = 3
"""Maximum number of similar entries named in an answer."""
_COMPARED = 12
"""Maximum number of similar entries of which they are chosen."""
NAMING = COMPARED | {Kind.PROGRESS, Kind.REJECTED}
"""Kinds that are compared with the archive, and with similar entries, which they may supersede."""
_STATING = NAMING - {Kind.TODO}
"""Kinds that may be superseded."""
_NOTED = ("memory", "session")
_CANDIDATES = 8
_POSTINGS = 1_000
"""Maximum entries per term; near-duplicates share the rarest terms, so common ones are skipped."""
_SHORT, _MOST_TEXTS = 5, 8
"""Maximum words of a text that may be a value, and maximum texts checked together."""
_CONTROL = lazy_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class SecretRefused(InputError):
    """A text contains a credential; nothing was written."""

    code = "secret"
    default_remedy = (
        "Record where the credential is stored instead. Rotate it if anyone may have seen it."
    )


class Transient(InputError):
    """A short-lived statement; nothing was written."""

    code = "transient"


class Repeated(InputError):
    """Another entry already says this; nothing was written."""

    code = "repeated"


class Forgotten(InputError):
    """The same was archived before; nothing was written."""

    code = "forgotten"


def refuse_secrets(*texts: str) -> None:
    """Reject credentials in single texts, and in a name and value split over two texts.

    Raises:
        SecretRefused: There is one; the error names its type, never its value.
    """
    for text in (*texts, *_together(texts)):
        found = secrets.find(_CONTROL.sub("", text))
        if found:
            names = ", ".join(dict.fromkeys(one.name for one in found))
            raise SecretRefused(f"this looks like a credential ({names}); nothing was written")


def refuse_tags(text: str, settings: Settings) -> None:
    """Reject tags that this project does not allow.

    Raises:
        InputError: There is one; the remedy lists the allowed tags.
    """
    others = [tag for tag in tags_in(text) if not settings.allows(tag)]
    if others:
        names = ", ".join(f"#{tag.lstrip('#')}" for tag in settings.scopes_allowed)
        raise InputError(
            f"#{others[0]} is not a tag of this project; nothing was written",
            remedy=f"Use one of: {names}. Or add it to the setting scopes.allowed.",
        )


def _together(texts: Sequence[str]) -> Iterator[str]:
    """Yield each pair "text: last word of a short other text", and all texts joined."""
    for name, value in combinations([text for text in texts if text.strip()][:_MOST_TEXTS], 2):
        said = value.split()
        if len(said) <= _SHORT:
            yield f"{name}: {said[-1]}"
    if len(texts) > 1:
        yield "\n".join(texts)


def transient(text: str, kind: Kind) -> Transient | None:
    """Return the error about statements that will not be true in a week, if there are any.

    Only for kinds that state how things are. It names the phrases, and how to rephrase them.
    """
    markers = durability.transient(text) if kind.traits.lasting else []
    if not markers:
        return None
    return Transient(
        f'"{markers[0].words}" will not be true for long; nothing was written',
        remedy=f"{markers[0].advice} Or set acknowledge to record it as it is.",
        phrases=[one.phrase for one in markers],
    )


def claim(text: str, kind: Kind, about: str) -> str:
    """Return the phrase that makes a text a claim about the user; "" if there is none.

    Args:
        text: The text to write.
        kind: Kind of the new entry.
        about: "user" for a claim, "project" for none, "" to decide by the words.
    """
    if about:
        return " ".join(text.split()) if about == "user" else ""
    return (durability.about_user(text) if kind.traits.lasting else None) or ""


def repeated(entry: Entry) -> Repeated:
    """Return the error about a text that an entry already says."""
    return Repeated(
        f"{entry.id} ({entry.where}) already says this; nothing was written",
        remedy=f"Forget the duplicate, replaced by {entry.id}, or set acknowledge.",
        id=entry.id,
    )


def _may_say(lines: bytes, text: str) -> bool:
    """Return whether one of the file's ``lines`` may say the same as ``text``."""
    told = frozenset(words(text))
    return any(told.issubset(words(_plain(line))) for line in lines.splitlines())


def duplicate(  # noqa: PLR0913 - independent options, by name only
    project: Project,
    index: Index,
    text: str,
    kind: Kind,
    *,
    once: bool = True,
    day: date | None = None,
    besides: Collection[str] = (),
) -> Entry | None:
    """Return the entry that ``text`` duplicates, if any.

    The search uses the current index and a few unread lines. The index is updated first only if
    one of these lines may say the same, or if there are more.

    Args:
        project: The project.
        index: The index, maybe not up to date.
        text: The text to write.
        kind: Kind of the new entry.
        once: Find duplicates whatever the kind.
        day: The day on which progress must not repeat.
        besides: Ids of entries that are not compared.
    """
    day = day if kind is Kind.PROGRESS and not once else None
    is_sought = once or kind in COMPARED or day is not None

    def is_enough(added: bytes | None) -> bool:
        return added is not None and not _may_say(added, text)

    if not is_enough(sync.unread(project, index.meta(sync.tail_key(project)))):
        sync.refresh(project, index, sources=False, enough=is_enough)
    same = _same(project, index, text, kind, day, besides) if is_sought else None
    if (
        same is not None
        and sync.refresh(project, index, sources=False).change != RefreshedEntries()
    ):
        same = _same(project, index, text, kind, day, besides)
    return same


def similar_to(index: Index, text: str, kind: Kind, sense: QueryVector | None) -> list[Entry]:
    """Return the entries most similar to ``text``, which a new one of ``kind`` may replace.

    Those that it may resolve come first. Progress is replaced only by progress. Imported notes say
    more than one fact.

    Args:
        index: The index, up to date.
        text: The text to write.
        kind: Kind of the new entry.
        sense: Embedding of the text, if a model is available.
    """
    stay = {Kind.GOAL, Kind.PROGRESS} - {kind} | ({kind} & {Kind.REJECTED})
    closing = {one for one in Kind if resolves(kind, one)}
    which = Filter(families=_NOTED, kinds=tuple(sorted(_STATING - stay | closing)))
    near = [
        one
        for one in similar(index, text, sense, which, _COMPARED)
        if (one.kind not in closing or one.status is not Status.RESOLVED)
        and (one.kind is not Kind.NOTE or ORIGIN not in one.fields)
    ]
    return sorted(near, key=lambda one: one.kind not in closing)[:MOST_NAMED]


def _same(  # noqa: PLR0913, PLR0917 - as for duplicate
    project: Project,
    index: Index,
    text: str,
    kind: Kind,
    day: date | None,
    besides: Collection[str],
) -> Entry | None:
    wanted = Filter(families=_NOTED, kinds=(kind,))
    # not all notes of a session are kept when it ends
    passing = "" if kind.traits.noted else project.relative(project.session)
    most = _CANDIDATES + len(besides)
    for other, _ in index.match(query_terms(text), wanted, limit=most, postings=_POSTINGS):
        is_like = other.id not in besides and other.source != passing
        is_like = is_like and day in (None, other.date)
        if is_like and says_the_same(text, other.whole):
            return other
    return None


@dataclass(frozen=True, slots=True)
class RemovedText:
    """An archived text, without marks, and its words."""

    archived: Archived
    said: str
    words: tuple[str, ...]


def gone(project: Project, saying: Collection[str] = ()) -> list[RemovedText]:
    """Return the archived texts that contain all of ``saying``, latest first."""
    known = archives.read(project.archive, [one.encode() for one in saying])
    told = [(one, _plain(one.text)) for one in reversed(known)]
    return [RemovedText(one, text, said(text)) for one, text in told]


def same_among(taken: Sequence[RemovedText], text: str) -> Archived | None:
    """Return the first archived text that says the same as ``text``, if any."""
    asked = said(text)
    return next((one.archived for one in taken if one.words == asked), None)


def forgotten(
    project: Project, text: str, kind: Kind, today: date, besides: Collection[str]
) -> Forgotten | None:
    """Return the error about a text that duplicates an archived entry; None if it does not.

    It gives the reason for archiving.

    Args:
        project: The project.
        text: The text to write.
        kind: Kind of the new entry. Progress is not compared with expired entries.
        today: The current day.
        besides: Ids of entries whose earlier versions do not count.
    """
    if kind not in NAMING:
        return None
    life = heat.TTL[kind.traits.layer] if kind is Kind.PROGRESS else None
    since = today - timedelta(days=life) if life else date.min
    try:
        taken = [
            one
            for one in gone(project, literal(text))
            if one.archived.id not in besides and (one.archived.date or today) >= since
        ]
        one = same_among(taken, text)
    except FileError:  # an unreadable archive must not prevent recording
        return None
    if one is None:
        return None
    return Forgotten(
        f"the same was archived on {one.day.isoformat()} ({one.reason}); nothing was written",
        remedy=f"See {one.replaced_by}, which replaced it, or set acknowledge."
        if one.replaced_by
        else f"Restore {one.id} if that reason no longer applies, or set acknowledge to record it.",
        id=one.id,
    )


_PREFIX = lazy_pattern(r"\s*(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]\]\s*)?(?:\*\*|__)?\w+:(?:\*\*|__)?\s+")
_MARK = lazy_pattern(r"\s\[[\w -]+::[^\[\]]*\]|\s\^[\w-]+\s*$")


def _plain(text: bytes) -> str:
    """Return an archived text without its keyword and marks."""
    said = " ".join(text.decode("utf-8", "replace").split())
    return _MARK.sub("", _PREFIX.sub("", said, count=1))
