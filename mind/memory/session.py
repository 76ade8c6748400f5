"""Sessions: assigning calls to sessions, ending sessions, and promoting their notes.

State is stored in ``state.json``; nothing runs between calls. Several sessions may run at once: two
terminals, a subagent, the shell. A session ends when its client says so, or after a gap since its
last call. A call without a client's session id belongs to the most recent session.
"""

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

from mind.documents import memory_file, parser
from mind.domain.entry import KEYWORDS, Entry, Kind, normalise
from mind.domain.errors import FileError, IndexIncomplete, InputError
from mind.domain.settings import Settings
from mind.memory import sync
from mind.ranking import heat
from mind.storage import files
from mind.storage.index import Filter, Index
from mind.storage.project import SCHEMA_VERSION, Project
from mind.text import lazy_pattern, secrets, similarity
from mind.text.terms import query_terms

_MOST_IDS = 16

CONTINUING = frozenset({"compact", "resume"})
"""Start events of Claude Code that continue the session with their id."""

BEGINNING = frozenset({"startup", "clear", "fork"})
"""Start events of Claude Code that start a new session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promoted:
    """The outcome for one note of an ended session.

    Attributes:
        outcome: "added", "known" (already in memory), "linked", "superseded" or "left" (not kept).
        entry: The note, with the kind to keep: a lesson in an experience becomes a learning.
        other: The entry of memory that it resembles, if any.
    """

    outcome: str
    entry: Entry
    other: Entry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """Contents of ``state.json``.

    Attributes:
        last_activity: Milliseconds since the epoch of the last call; 0 before the first.
        session_started: Milliseconds since the epoch.
        session_ids: Clients' session ids that share this session, newest last.
        muted: Tags muted in this session.
        part: Heading of its part of SESSION.md; "" for the first part, which has no own heading.
    """

    last_activity: int = 0
    session_started: int = 0
    session_ids: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()
    part: str = ""

    @classmethod
    def from_json(cls, data: object) -> "SessionState":
        """Read leniently: a wrong or missing value gets its default."""
        if not isinstance(data, dict):
            return cls()
        return cls(
            last_activity=_whole(data.get("last_activity")),
            session_started=_whole(data.get("session_started")),
            session_ids=_texts(data.get("session_ids")),
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
            **({"muted": list(self.muted)} if self.muted else {}),
            **({"part": self.part} if self.part else {}),
        }

    @property
    def name(self) -> str:
        """Return a name that identifies this session, for "next session" reminders."""
        return str(self.session_started)

    @property
    def started(self) -> datetime | None:
        """Return when the session began, in UTC."""
        at = self.session_started
        return datetime.fromtimestamp(at / 1000, UTC) if at else None


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**53 else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, value)) if isinstance(value, list) else ()


def begins_anew(
    state: SessionState, now: datetime, gap: timedelta, session_id: str | None, event: str | None
) -> bool:
    """Return whether a call at ``now`` starts a new session instead of continuing ``state``.

    A client's session id is better evidence than a gap or an event. A known id continues the
    session; a new id starts another, even on a compaction or resumption, because ``state`` then
    belongs to another client. Without ids to compare, a compaction or resumption continues the
    session. A clock that went backwards starts nothing.
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
class Sessions:
    """The running sessions, the one with the latest call last.

    In ``state.json`` that one is stored where versions with a single session expect it.
    """

    sessions: tuple[SessionState, ...] = ()

    @classmethod
    def from_json(cls, data: object) -> "Sessions":
        """Read leniently, as for one session."""
        others = data.get("others") if isinstance(data, dict) else None
        rows = [*(others if isinstance(others, list) else ()), data]
        read = [SessionState.from_json(row) for row in rows]
        return cls(tuple(one for one in read if one.last_activity))

    def to_json(self) -> dict[str, object]:
        """The object that is stored."""
        others = [one.to_json() for one in self.sessions[:-1]]
        return {**self.newest.to_json(), **({"others": others} if others else {})}

    @property
    def newest(self) -> SessionState:
        """The session with the latest call; an empty state if none runs."""
        return self.sessions[-1] if self.sessions else SessionState()

    def of_call(
        self, now: datetime, gap: timedelta, session_id: str | None, event: str | None
    ) -> SessionState | None:
        """Return the session that a call belongs to; None if it starts a new one."""
        for one in self.sessions:
            if session_id and session_id in one.session_ids:
                return one
        return None if begins_anew(self.newest, now, gap, session_id, event) else self.newest

    def over(self, now: datetime, gap: timedelta, own: SessionState | None) -> list[SessionState]:
        """Return the ended sessions: all except ``own`` that were idle longer than ``gap``."""
        return [one for one in self.sessions if one is not own and _idle(one, now) > gap]

    def without(self, *gone: SessionState) -> "Sessions":
        """Return the sessions without ``gone``; start time and part identify a session."""
        names = {(one.session_started, one.part) for one in gone}
        return Sessions(
            tuple(one for one in self.sessions if (one.session_started, one.part) not in names)
        )

    def with_newest(self, state: SessionState) -> "Sessions":
        """Return the sessions with ``state`` updated, and as the newest."""
        return Sessions((*self.without(state).sessions, state))

    def free_part(self, now: datetime) -> str:
        """Return the part of SESSION.md for a new session; the first part if it is free."""
        taken = {one.part for one in self.sessions}
        if "" not in taken:
            return ""
        named = f"{PART} {now:%Y-%m-%d %H:%M:%S}"
        numbered = (f"{named} ({number})" for number in range(2, len(taken) + 2))
        return next((one for one in (named, *numbered) if one not in taken), named)


PART = "Session"
"""Start of the heading of each part of SESSION.md except the first."""


def part_of(entry: Entry) -> str:
    """Return the part of SESSION.md that contains an entry."""
    heading = entry.section[0] if entry.section else ""
    return heading if re.match(rf"{PART} \d{{4}}-", heading) else ""


def _idle(state: SessionState, now: datetime) -> timedelta:
    return timedelta(milliseconds=_milliseconds(now) - state.last_activity)


def begun(now: datetime, session_id: str | None, part: str = "") -> SessionState:
    """Return the state of a session that starts now."""
    moment = _milliseconds(now)
    ids = (session_id,) if session_id else ()
    return SessionState(last_activity=moment, session_started=moment, session_ids=ids, part=part)


def touched(state: SessionState, now: datetime, session_id: str | None) -> SessionState:
    """Return the state after a call within the session."""
    ids = state.session_ids
    if session_id and session_id not in ids:
        ids = (*ids, session_id)[-_MOST_IDS:]
    return replace(state, last_activity=_milliseconds(now), session_ids=ids)


_LESSON = lazy_pattern(
    r"\b(?:learn(?:ed|t)|lesson|turns? out|realis|realiz|root cause|because|the fix|fixed by|"
    r"never|always|must not|only works|does(?:n't| not) work|caused by|gotcha|workaround)\b|"
    r"\b(?:aprend|resulta que|gelernt|stellte sich heraus|appris|aprendi|оказалось|узнал)|"
    r"原因|教训|学到|分かった|わかった",
    re.IGNORECASE,
)


def kept_as(entry: Entry, settings: Settings) -> Kind | None:
    """Return the kind to promote a note as; None for plain experience without a lesson."""
    if entry.kind is not Kind.EXPERIENCE:
        return None if entry.kind in (Kind.NOTE, Kind.RELATION) else entry.kind
    announced = parser.keyword_line(entry.text, settings)
    if announced not in (None, Kind.EXPERIENCE, Kind.NOTE, Kind.RELATION):
        return announced
    return Kind.LEARNING if _LESSON.search(entry.text) else None


def promote(
    entries: Sequence[Entry],
    resembling: Callable[[Entry], Sequence[Entry]],
    settings: Settings,
) -> list[Promoted]:
    """Decide on the promotion of each note of an ended session.

    Args:
        entries: The session's notes, in order.
        resembling: Returns the entries of memory that share words with a note, best first.
        settings: Settings with the thresholds.

    Returns:
        One decision per note: "known" if an entry of its kind says the same; above
        ``promotion.link``, "linked" to the entry it resembles, or "superseded" if it contradicts or
        refines that; else "added". Repeats within the session count once.
    """
    decisions: list[Promoted] = []
    taken: dict[tuple[Kind, tuple[str, ...]], int] = {}
    for entry in entries:
        kind = kept_as(entry, settings)
        said = similarity.said(entry.text)
        if kind is None or (kind, said) in taken:
            decisions.append(Promoted(outcome="left", entry=entry))
            if kind is not None and entry.keywords:
                at = taken[kind, said]
                decisions[at] = _with_keywords(decisions[at], entry.keywords)
            continue
        taken[kind, said] = len(decisions)
        decisions.append(_decide(replace(entry, kind=kind), resembling(entry), settings))
    return decisions


def _with_keywords(one: Promoted, more: Sequence[str]) -> Promoted:
    names = memory_file.keywords_of(one.entry.keywords, more)
    return replace(one, entry=replace(one.entry, fields={**one.entry.fields, KEYWORDS: names}))


def _decide(entry: Entry, candidates: Sequence[Entry], settings: Settings) -> Promoted:
    best, score = None, 0.0
    kind = entry.kind
    text = memory_file.unlabelled(kind, entry.whole)
    for other in candidates:
        if other.kind is kind and similarity.says_the_same(text, other.whole):
            return Promoted(outcome="known", entry=entry, other=other)
        if similarity.opposed(entry.text, other.text) and _same_subject(kind, other):
            return Promoted(outcome=_replacing(other), entry=entry, other=other)
        measured = similarity.similarity(entry.text, other.text)
        if measured > score:
            best, score = other, measured
    if best is None or score < settings.promotion_link:
        return Promoted(outcome="added", entry=entry)
    if _same_subject(kind, best) and _refines(entry.text, best.text):
        return Promoted(outcome=_replacing(best), entry=entry, other=best)
    return Promoted(outcome="linked", entry=entry, other=best)


def _replacing(other: Entry) -> str:
    """Decide on a note that could replace ``other``; a protected entry is kept beside it."""
    return "linked" if heat.is_protected(other) else "superseded"


def _same_subject(kind: Kind, other: Entry) -> bool:
    """Return whether a promoted note may replace ``other``; other kinds are kept beside it."""
    replaceable = (Kind.DECISION, Kind.LEARNING, Kind.PROGRESS, Kind.ASSUMPTION)
    return kind is other.kind and kind in replaceable


def _refines(new: str, old: str) -> bool:
    """Return whether the new text says all that the old one says, and more."""
    words, before = set(normalise(new).split()), set(normalise(old).split())
    return before < words


_RESEMBLING = 20
_TOUCH_MILLISECONDS = 60_000
"""Minimum interval for writing the activity of the most recent session, so that a recall that finds
no change writes nothing."""


@dataclass(slots=True, kw_only=True)
class Visit:
    """One call, with its time and session.

    Attributes:
        now: Time of the call.
        state: State of the session.
        new: True if the call started a new session.
        promoted: Outcomes for the notes of ended sessions.
        problems: Write problems, each with its remedy.
    """

    now: datetime
    state: SessionState
    new: bool = False
    promoted: tuple[Promoted, ...] = ()
    problems: list[str] = field(default_factory=list)


def enter(
    project: Project,
    index: Callable[[], Index],
    now: datetime,
    session_id: str | None,
    event: str | None,
) -> Visit:
    """Begin a call: continue its session or start one, and end the sessions that are over.

    If the state cannot be written (a read-only checkout), the call continues with a problem.

    Raises:
        NewerVersion: A newer version of Mind wrote the settings or the state.
    """
    project.readable()
    gap = timedelta(minutes=project.settings.session_gap_minutes)
    running = _running(project)
    own = running.of_call(now, gap, session_id, event)
    visit = Visit(now=now, state=own or SessionState())
    news = own is not running.newest or _is_news(visit.state, now, session_id)
    if not news and not running.over(now, gap, own):
        return visit
    try:
        with files.lock(project.lock):
            _enter(project, index, visit, session_id, event)
    except FileError as error:
        visit.problems.append(str(error))
    except IndexIncomplete:
        pass  # a later call ends sessions; this answer reports the problem
    return visit


def _running(project: Project) -> Sessions:
    return Sessions.from_json(files.read_json(project.state))


def _is_news(state: SessionState, now: datetime, session_id: str | None) -> bool:
    """Return whether the state must be written: a minute passed, or the session id is new."""
    later = touched(state, now, session_id)
    idle = later.last_activity - state.last_activity
    return idle >= _TOUCH_MILLISECONDS or later.session_ids != state.session_ids


def _enter(
    project: Project,
    index: Callable[[], Index],
    visit: Visit,
    session_id: str | None,
    event: str | None,
) -> None:
    """Decide again with the lock held: another process may have been first."""
    gap = timedelta(minutes=project.settings.session_gap_minutes)
    running = _running(project)
    own = running.of_call(visit.now, gap, session_id, event)
    over = running.over(visit.now, gap, own)
    running = running.without(*over)
    if over or own is None:
        visit.promoted = _closed(project, index(), over, running, visit.now)
    if own is None:
        visit.new = True
        running = _with_something_to_keep(project, running)
        visit.state = begun(visit.now, session_id, running.free_part(visit.now))
    else:
        visit.state = touched(own, visit.now, session_id)
    _store(project, running.with_newest(visit.state))


def _with_something_to_keep(project: Project, running: Sessions) -> Sessions:
    """Return the sessions to store; if SESSION.md has no notes, only those with muted tags."""
    if files.read(project.session) not in (b"", _blank()):
        return running
    return Sessions(tuple(one for one in running.sessions if one.muted))


def _store(project: Project, running: Sessions) -> None:
    files.write_json(project.state, running.to_json())


def _closed(
    project: Project, index: Index, over: Sequence[SessionState], running: Sessions, now: datetime
) -> tuple[Promoted, ...]:
    """End sessions, and parts of SESSION.md that no session writes to."""
    taken = {one.part for one in (*running.sessions, *over)}
    there = memory_file.session_parts(files.read(project.session))
    left = [SessionState(part=part) for part in there if part not in taken]
    promoted: list[Promoted] = []
    for one in (*over, *left):
        sync.refresh_whole(project, index, sources=False)  # include notes of the previous session
        promoted += close(project, index, one, now)
    return tuple(promoted)


def end(
    project: Project, index: Callable[[], Index], now: datetime, session_id: str
) -> tuple[Promoted, ...]:
    """End the session with a client's session id.

    Raises:
        FileError: A file cannot be written.
        IndexIncomplete: The index is incomplete; a later call ends the session.
    """
    with files.lock(project.lock):
        running = _running(project)
        over = [one for one in running.sessions if session_id in one.session_ids]
        if not over:
            return ()
        running = running.without(*over)
        promoted = _closed(project, index(), over, running, now)
        _store(project, running)
    return promoted


def keep(project: Project, visit: Visit, state: SessionState) -> None:
    """Write the session's new state; ``visit`` continues with it.

    Another session may have started meanwhile and taken the part of one without notes; this one
    then gets another part.

    Raises:
        FileError: It cannot be written.
    """
    with files.lock(project.lock):
        running = _running(project).without(state)
        if any(one.part == state.part for one in running.sessions):
            state = replace(state, part=running.free_part(visit.now))
        _store(project, running.with_newest(state))
        visit.state = state


def close(project: Project, index: Index, state: SessionState, now: datetime) -> list[Promoted]:
    """End the session in ``state``: promote its notes, move its part to SESSION.last.md.

    The caller holds the project's lock and has refreshed the index. Memory is written before the
    part is cleared, so that a crash in between repeats the promotion, which then finds
    everything known.
    """
    blank = _blank()
    source = _part(files.read(project.session), state.part)
    is_noted = source.strip() not in (b"", blank.strip())
    decisions: list[Promoted] = []
    if is_noted:
        entries = parser.parse(source, project.relative(project.session), project.settings)
        decisions = promote(entries, lambda entry: _resembling(index, entry), project.settings)
        below = memory_file.told_below(source, entries)
        _write(project, decisions, now.date(), below)
        counts = Counter(one.outcome for one in decisions)
        outcome = ", ".join(f"{count} {name}" for name, count in counts.items()) or "no notes"
        kept = files.read(project.last_session)
        ended = memory_file.with_ended(kept, secrets.mask_bytes(source), now, outcome)
        files.write(project.last_session, ended)
    if source and source != blank:
        files.edit(
            project.session,
            lambda now_there: memory_file.without_part(now_there, state.part, source, blank),
        )
    return decisions


def _blank() -> bytes:
    from mind.storage.templates import text  # noqa: PLC0415 - only where a session ends

    return text("SESSION.md").encode()


def _part(source: bytes, part: str) -> bytes:
    """Return the text of a session's part; empty if there is none."""
    span = memory_file.session_parts(source).get(part)
    return source[span.start : span.end] if span else b""


def _resembling(index: Index, entry: Entry) -> list[Entry]:
    found = index.match(query_terms(entry.text), Filter(families=("memory",)), limit=_RESEMBLING)
    return [other for other, _ in found]


def _write(
    project: Project, decisions: Sequence[Promoted], day: date, below: Mapping[str, str]
) -> None:
    """Write the promoted notes; entries that notes repeat get their keywords."""
    from mind.documents import additions  # noqa: PLC0415 - only where a session ends
    from mind.memory import curation  # noqa: PLC0415 - the same

    page, settings = project.memory, project.settings
    name, kept = project.relative(page), ("added", "linked", "superseded")
    made = [_linked(one) for one in decisions if one.outcome in kept]
    earlier = [one for one in made if one.date not in (None, day)]
    refused: list[Entry] = []

    def compose(source: bytes) -> bytes:  # each to the section of its day
        done = additions.add(source, earlier, name, settings, below)
        refused[:] = [one.entry for one in done.refused]
        return done.source

    if earlier:
        files.edit(page, compose)
    for entry in [*refused, *(one for one in made if one not in earlier)]:
        with contextlib.suppress(InputError):  # no line of memory: it stays in SESSION.last.md
            line = additions.line_of(entry, settings, below.get(entry.id, ""))
            files.append(page, of_day(project, line, day))
    for one in decisions:
        if one.other and one.outcome == "known" and one.entry.keywords:
            curation.give_keywords(project, one.other, one.entry.keywords)
        if one.other and one.outcome == "superseded":
            why, by = "superseded by a later entry", one.entry.id
            curation.forget(project, one.other, why, day, replaced_by=by)


def _linked(one: Promoted) -> Entry:
    """The entry of a promoted note, with a link to the one that it resembles."""
    if one.other is None:
        return one.entry
    name = "supersedes" if one.outcome == "superseded" else "related"
    link = memory_file.links_of(one.other.id, one.entry.fields.get(name, ""))
    fields = {name: ""} | dict(one.entry.fields) | ({name: link} if link else {})
    return replace(one.entry, fields={key: value for key, value in fields.items() if value})


def record(project: Project, line: str, day: date, visit: Visit) -> None:
    """Write ``line`` to the session's part of SESSION.md.

    Args:
        project: The project.
        line: The line to write.
        day: The day of its heading, under which it is promoted.
        visit: Provides the session and its part of SESSION.md.
    """
    with files.lock(project.lock):  # no session may take the part before the note is written
        running = _running(project)
        if visit.state.last_activity and running == running.without(visit.state):
            keep(project, visit, visit.state)
        files.edit(
            project.session,
            lambda source: memory_file.add_to_session(source, line, day, visit.state.part),
            create=True,
        )


def of_day(project: Project, line: str, day: date) -> Callable[[bytes], bytes]:
    """Return a function from the end of MEMORY.md to the bytes to append for ``line``.

    The line is added under the heading of ``day``.
    """

    def compose(tail: bytes) -> bytes:
        if added := memory_file.append_to_day(tail, line, day, whole=False):
            return added
        return memory_file.append_to_day(files.read(project.memory), line, day, whole=True) or b""

    return compose
