"""Sessions: which one a call belongs to, when one ends, and what is kept of it.

State lives in ``state.json``; nothing runs between calls. Several sessions may run at once: two
terminals, a subagent, the shell. Each ends when its client says so, or after a gap since its last
call; a call without a client's name for its session belongs to the most recent one.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from mind.documents import parser
from mind.domain.entry import Entry, Kind, normalise
from mind.domain.settings import Settings
from mind.ranking import heat
from mind.storage.project import SCHEMA_VERSION
from mind.text.similarity import opposed, similarity

_MOST_IDS = 16

CONTINUING = frozenset({"compact", "resume"})
"""Start events of Claude Code that go on with the session of their name."""

BEGINNING = frozenset({"startup", "clear", "fork"})
"""Start events of Claude Code that begin a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What ``state.json`` remembers.

    Attributes:
        last_activity: Milliseconds since the epoch of the last call; 0 before the first.
        session_started: Milliseconds since the epoch.
        session_ids: The clients' names for sessions that share this one, newest last.
        memory_hash: Digest of MEMORY.md when it was last read.
        muted: Tags whose entries this session does not want to see.
        part: Heading of its part of SESSION.md; "" for the first part, which has no own heading.
    """

    last_activity: int = 0
    session_started: int = 0
    session_ids: tuple[str, ...] = ()
    memory_hash: str = ""
    muted: tuple[str, ...] = ()
    part: str = ""

    @classmethod
    def from_json(cls, data: object) -> "State":
        """Read leniently: a wrong or missing value is as if it had never been written."""
        if not isinstance(data, dict):
            return cls()
        return cls(
            last_activity=_whole(data.get("last_activity")),
            session_started=_whole(data.get("session_started")),
            session_ids=_texts(data.get("session_ids")),
            memory_hash=_text(data.get("memory_hash")),
            muted=_texts(data.get("muted")),
            part=_text(data.get("part")),
        )

    def to_json(self) -> dict[str, object]:
        """The object that is stored."""
        return {
            "schema_version": SCHEMA_VERSION,
            "last_activity": self.last_activity,
            "session_started": self.session_started,
            "session_ids": list(self.session_ids),
            "memory_hash": self.memory_hash,
            **({"muted": list(self.muted)} if self.muted else {}),
            **({"part": self.part} if self.part else {}),
        }

    @property
    def name(self) -> str:
        """What tells this session from others, for "next session" reminders."""
        return str(self.session_started)

    @property
    def started(self) -> datetime | None:
        """When the session began, in UTC."""
        if not self.session_started:
            return None
        return datetime.fromtimestamp(self.session_started / 1000, UTC)


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**53 else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, value)) if isinstance(value, list) else ()


def begins_anew(
    state: State, now: datetime, gap: timedelta, session_id: str | None, event: str | None
) -> bool:
    """Whether a call at ``now`` begins another session than the one in ``state``.

    A client's session id is better evidence than a gap or an event: one that is known goes on with
    the session, a new one begins another, also where it compacts or resumes what was closed or
    never kept, for the session in ``state`` is that of another client. Without names to compare, a
    compaction or a resumption goes on. A clock that went backwards begins nothing.
    """
    if not state.last_activity:
        return True
    if event in BEGINNING or (session_id and state.session_ids):
        return session_id not in state.session_ids
    if event in CONTINUING:
        return False
    return _idle(state, now) > gap


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class Running:
    """The sessions that run, the one with the latest call last.

    In ``state.json`` that one stands where a version that knows one session looks for it.
    """

    sessions: tuple[State, ...] = ()

    @classmethod
    def from_json(cls, data: object) -> "Running":
        """Read as leniently as one session."""
        others = data.get("others") if isinstance(data, dict) else None
        rows = [*(others if isinstance(others, list) else ()), data]
        read = [State.from_json(row) for row in rows]
        return cls(tuple(one for one in read if one.last_activity))

    def to_json(self) -> dict[str, object]:
        """The object that is stored."""
        others = [one.to_json() for one in self.sessions[:-1]]
        return {**self.newest.to_json(), **({"others": others} if others else {})}

    @property
    def newest(self) -> State:
        """The session with the latest call; an empty state if none runs."""
        return self.sessions[-1] if self.sessions else State()

    def of_call(
        self, now: datetime, gap: timedelta, session_id: str | None, event: str | None
    ) -> State | None:
        """The session that a call belongs to; None if it begins one."""
        for one in self.sessions:
            if session_id and session_id in one.session_ids:
                return one
        return None if begins_anew(self.newest, now, gap, session_id, event) else self.newest

    def over(self, now: datetime, gap: timedelta, own: State | None) -> tuple[State, ...]:
        """The sessions that ended: all but ``own`` that were idle for longer than ``gap``."""
        return tuple(one for one in self.sessions if one is not own and _idle(one, now) > gap)

    def without(self, *gone: State) -> "Running":
        """The others; a session is known by when it began and its part."""
        names = {(one.session_started, one.part) for one in gone}
        return Running(
            tuple(one for one in self.sessions if (one.session_started, one.part) not in names)
        )

    def with_newest(self, state: State) -> "Running":
        """These, with ``state`` as it is now, and as the newest."""
        return Running((*self.without(state).sessions, state))

    def free_part(self, now: datetime) -> str:
        """The part of SESSION.md for a session that begins now; the first where it is free."""
        taken = {one.part for one in self.sessions}
        if "" not in taken:
            return ""
        named = f"{PART} {now:%Y-%m-%d %H:%M:%S}"
        numbered = (f"{named} ({number})" for number in range(2, len(taken) + 2))
        return next((one for one in (named, *numbered) if one not in taken), named)


PART = "Session"
"""Begins the heading of each part of SESSION.md but the first."""


def part_of(entry: Entry) -> str:
    """The part of SESSION.md that an entry of it stands in."""
    heading = entry.section[0] if entry.section else ""
    return heading if re.match(rf"{PART} \d{{4}}-", heading) else ""


def _idle(state: State, now: datetime) -> timedelta:
    return timedelta(milliseconds=_milliseconds(now) - state.last_activity)


def begun(now: datetime, session_id: str | None, part: str = "") -> State:
    """The state of a session that begins now."""
    moment = _milliseconds(now)
    ids = (session_id,) if session_id else ()
    return State(last_activity=moment, session_started=moment, session_ids=ids, part=part)


def touched(state: State, now: datetime, session_id: str | None) -> State:
    """The state after a call within the session."""
    ids = state.session_ids
    if session_id and session_id not in ids:
        ids = (*ids, session_id)[-_MOST_IDS:]
    return replace(state, last_activity=_milliseconds(now), session_ids=ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """What to do with one item of a finished session.

    Attributes:
        outcome: "added", "known", "linked", "superseded" or "left".
        entry: The item.
        kind: As what it is kept: a lesson in an experience becomes a learning.
        other: The entry of memory it was measured against, if one was close.
    """

    outcome: str
    entry: Entry
    kind: Kind
    other: Entry | None = None


_LESSON = re.compile(
    r"\b(?:learn(?:ed|t)|lesson|turns? out|realis|realiz|root cause|because|the fix|fixed by|"
    r"never|always|must not|only works|does(?:n't| not) work|caused by|gotcha|workaround)\b|"
    r"\b(?:aprend|resulta que|gelernt|stellte sich heraus|appris|aprendi|оказалось|узнал)|"
    r"原因|教训|学到|分かった|わかった",
    re.IGNORECASE,
)


def kept_as(entry: Entry, settings: Settings) -> Kind | None:
    """As what a session's item goes into memory; None for raw experience without a lesson."""
    if entry.kind is not Kind.EXPERIENCE:
        return None if entry.kind in (Kind.NOTE, Kind.RELATION) else entry.kind
    announced = parser.keyword_line(entry.text, settings)
    if announced not in (None, Kind.EXPERIENCE, Kind.NOTE):
        return announced
    return Kind.LEARNING if _LESSON.search(entry.text) else None


def promote(
    entries: Sequence[Entry],
    resembling: Callable[[Entry], Sequence[Entry]],
    settings: Settings,
) -> list[Promotion]:
    """Decide what becomes of each item of a finished session.

    Args:
        entries: The session's items, in order.
        resembling: The entries of memory that share words with an item, best first.
        settings: For the thresholds.

    Returns:
        One decision an item: above ``promotion.skip`` it is known; above ``promotion.link`` it
        is linked to the known one, or supersedes it when it contradicts or refines it; else it
        is added. Repeats within the session count once.
    """
    decisions: list[Promotion] = []
    taken: set[str] = set()
    for entry in entries:
        kind = kept_as(entry, settings)
        folded = normalise(entry.text)
        if kind is None or folded in taken:
            decisions.append(Promotion(outcome="left", entry=entry, kind=entry.kind))
            continue
        taken.add(folded)
        decisions.append(_decide(entry, kind, resembling(entry), settings))
    return decisions


def _decide(entry: Entry, kind: Kind, candidates: Sequence[Entry], settings: Settings) -> Promotion:
    best, score = None, 0.0
    for other in candidates:
        if opposed(entry.text, other.text) and _same_subject(kind, other):
            return Promotion(outcome=_replacing(other), entry=entry, kind=kind, other=other)
        measured = similarity(entry.text, other.text)
        if measured > score:
            best, score = other, measured
    if best is None or score < settings.promotion_link:
        return Promotion(outcome="added", entry=entry, kind=kind)
    if _same_subject(kind, best) and _refines(entry.text, best.text):
        return Promotion(outcome=_replacing(best), entry=entry, kind=kind, other=best)
    outcome = "known" if score > settings.promotion_skip else "linked"
    return Promotion(outcome=outcome, entry=entry, kind=kind, other=best)


def _replacing(other: Entry) -> str:
    """What becomes of an item that could replace ``other``: a protected entry stays beside it."""
    return "linked" if heat.is_protected(other) else "superseded"


_SUPERSEDABLE = frozenset({Kind.DECISION, Kind.LEARNING, Kind.PROGRESS, Kind.ASSUMPTION})


def _same_subject(kind: Kind, other: Entry) -> bool:
    return other.kind in _SUPERSEDABLE and kind is other.kind


def _refines(new: str, old: str) -> bool:
    """The new text says all that the old one says, and more."""
    words, before = set(normalise(new).split()), set(normalise(old).split())
    return before < words
