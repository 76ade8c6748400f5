"""Parse reminders, written by Mind or by hand."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, time, tzinfo
from itertools import pairwise
from typing import NamedTuple

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.documents.reminders.triggers import TriggerText, is_next_session, phrases, trigger_in
from mind.documents.secret_entries import hider
from mind.domain.entry import Span, content_id
from mind.text import dates, lazy_pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """A reminder and its position.

    Attributes:
        id: Block id, else derived from the text; independent of other reminders.
        text: The text, on one line.
        due: The time, in the zone the file was read with.
        trigger: Words or phrases that trigger it.
        next_session: Whether it waits for the next session.
        session: The session that created it, "" if unknown.
        every: Its recurrence: "every monday"; ``due`` is then its last or next time.
        unclear: A hand-written ``due`` that cannot be parsed, or not without knowing the day on
            which it was written.
        done: The day it was completed; ``date.min`` if it is ticked without a day.
        created: The day it was created, or that of its section's heading.
        begun: Start of its recurrence, if recorded.
        last: The day it was last done, if it recurs.
        shown: The day on which an earlier session showed it; None if none did.
        is_over: It was shown the maximum number of times, and is only listed until it is done.
        line: 1-based.
        span: Its own bytes, line end included.
    """

    id: str
    text: str
    due: datetime | None = None
    trigger: tuple[str, ...] = ()
    next_session: bool = False
    session: str = ""
    every: str = ""
    unclear: str = ""
    done: date | None = None
    created: date | None = None
    begun: datetime | None = None
    last: date | None = None
    shown: date | None = None
    is_over: bool = False
    line: int = 0
    span: Span = Span(0, 0)  # noqa: RUF009 - frozen

    @property
    def told(self) -> str:
        """The text, with the reason why it is shown."""
        notes = []
        if self.unclear:
            notes.append(f'its time "{self.unclear[:_MOST_SAID]}" is not understood: write a date')
        if self.shown:
            notes.append(f"shown before on {self.shown.isoformat()}")
        return f"{self.text} ({'; '.join(notes)})" if notes else self.text

    @property
    def when(self) -> str:
        """Its time or trigger in words."""
        if self.done:
            return "done" if self.done == date.min else f"done {self.done.isoformat()}"
        if self.next_session:
            return "next session"
        if self.trigger:
            return f"when {' or '.join(self.trigger)} comes up"
        if self.due is None:
            return f'time not understood: "{self.unclear}"' if self.unclear else "no time"
        moment = self.due.strftime("%Y-%m-%d %H:%M")
        return f"{self.every}: {moment}" if self.every else moment


class ReminderSpans(NamedTuple):
    """Offsets of the parts of a reminder, in bytes.

    Attributes:
        start: Of its first line.
        text: Of its text, after marker and checkbox.
        fields: After the message, where a field can be inserted.
        end: After its own text.
        block: After its indented content, line end included.
        nested: Whether it is part of another item.
        named: Its block id, "" if it has none.
    """

    start: int
    text: int
    fields: int
    end: int
    block: int
    nested: bool
    named: str


_BAR = lazy_pattern(r"\\[\\|^]|(\|)")
_FIELD = lazy_pattern(r"\s*(due|trigger|created|completed|session)\s*:\s*(.*)", re.IGNORECASE)
_BLOCK_ID = lazy_pattern(r"(?:^|\s)\^([A-Za-z0-9-]+)\s*$")
_MOST_SAID = 60
MINUTE = "%Y-%m-%d %H:%M"
_LONG_ID = 16
"""Characters: standalone secrets are at least this long."""
_DAY = lazy_pattern(r"\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?")
_BOX, _CANCELLED = b"[ ]", b"[-]"


def parse(source: bytes, zone: tzinfo) -> list[Reminder]:
    """All reminders in the file, in order, including completed ones, without secrets.

    A reminder is a task item, or a plain item with a ``due`` or ``trigger`` field. Fences,
    comments and quotes contain none.
    """
    return [one for one, _ in located(source, zone)]


_LIKELY = lazy_pattern(
    rb"(?:^|[\r\n])[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]++"
    rb"(?:\[[ /]\]|[^\r\n]*\|[ \t]*(?:due|trigger)[ \t]*:)",
    re.IGNORECASE,
)


def likely(source: bytes) -> bool:
    """Return whether the file may have a pending reminder: cheap, and False is reliable.

    An item whose fields begin on its second line only counts with a box.
    """
    return _LIKELY.search(source.removeprefix(b"\xef\xbb\xbf")) is not None


def located(source: bytes, zone: tzinfo) -> list[tuple[Reminder, ReminderSpans]]:
    """All reminders with the offsets of their parts."""
    found: list[tuple[Reminder, ReminderSpans]] = []
    days = _days(source)
    for block in _items(markdown.parse(source).blocks):
        text = " ".join(line.text for line in block.lines)
        named = _BLOCK_ID.search(text)
        bare = text[: named.start()] if named else text
        day = next((day for start, day in days if start <= block.span.start), None)
        one = _reminder(bare, block, source, zone, day)
        if one is not None:
            written = named[1] if named else ""
            place = _place(bare, block, source, written)
            found.append((_covered(one, written, block), place))
    return _told_apart(found)


def _days(source: bytes) -> list[tuple[int, date | None]]:
    """Return each section's offset and the day in its own heading, the last one first."""
    sections = markdown.sections(source) if b"\n#" in source or source.startswith(b"#") else ()
    return [
        (one.span.start, dates.heading_date(one.headings[-1][1]) if one.headings else None)
        for one in reversed(sections)
    ]


def _covered(one: Reminder, written: str, block: Block) -> Reminder:
    """``one`` with its written id and without secrets."""
    lines = "\n".join(line.text for line in block.lines) if len(block.lines) > 1 else ""
    named = written if len(written) > _LONG_ID else ""
    hide = hider(lines, one.text, *one.trigger, one.unclear, one.session, named)
    if hide is None:
        return replace(one, id=written or one.id)
    return replace(
        one,
        id=one.id if hide(written) != written else written or one.id,
        text=hide(one.text),
        trigger=tuple(map(hide, one.trigger)),
        unclear=hide(one.unclear),
        session=hide(one.session),
    )


def _items(blocks: Sequence[Block]) -> Iterator[Block]:
    """Items of lists and nested lists, excluding those in quotes."""
    for block in blocks:
        if block.type == "item" and block.lines:
            yield block
        if block.type in ("list", "item"):
            yield from _items(block.children)


def _told_apart(
    found: list[tuple[Reminder, ReminderSpans]],
) -> list[tuple[Reminder, ReminderSpans]]:
    """Make ids unique: written ones take precedence, then completed ones, then file order.

    So ids stay the same when a reminder is completed and moves below its duplicate.
    """
    written = {place.named for _, place in found}
    taken: dict[str, int] = {}
    for at in sorted(
        range(len(found)), key=lambda at: (not found[at][1].named, found[at][0].done is None)
    ):
        own = found[at][0].id
        taken[free_id(own, taken.keys() | written) if own in taken else own] = at
    unique = {at: identifier for identifier, at in taken.items()}
    return [(replace(one, id=unique[at]), place) for at, (one, place) in enumerate(found)]


def free_id(wanted: str, taken: Collection[str]) -> str:
    """``wanted``, with the first free number if it is taken."""
    number, free = 1, wanted
    while free in taken:
        number += 1
        free = f"{wanted}-{number}"
    return free


def _place(bare: str, block: Block, source: bytes, named: str) -> ReminderSpans:
    line = 1 + max(
        source.rfind(b"\n", 0, block.span.start), source.rfind(b"\r", 0, block.span.start)
    )
    indented = not source[line : block.span.start].strip(b" \t")
    return ReminderSpans(
        start=line if indented else block.span.start,
        text=block.lines[0].span.start,
        fields=_offset(block, len(_taken_apart(bare)[0])),
        end=block.lines[-1].span.end,
        block=max(block.span.end, line_end(source, block.lines[-1].span.end)),
        nested=block.level > 0,
        named=named,
    )


def _offset(block: Block, at: int) -> int:
    """The byte offset of character ``at`` of the item's lines joined by spaces."""
    lines = iter(block.lines)
    line = next(lines)
    while at > len(line.text):
        at -= len(line.text) + 1
        line = next(lines)
    return line.span.start + len(line.text[:at].encode("utf-8", "surrogateescape"))


def _reminder(
    text: str, block: Block, source: bytes, zone: tzinfo, day: date | None
) -> Reminder | None:
    message, values = _taken_apart(text)
    plain = shown(unescaped(message))
    if not plain or (block.checked is None and not values.keys() & {"due", "trigger"}):
        return None
    one = Reminder(
        id="r" + content_id(plain)[:7],
        text=plain,
        created=dates.heading_date(values.get("created", "")) or day,
        session=unescaped(values.get("session", "")),
        trigger=phrases(unescaped(values.get("trigger", ""))),
        line=block.line,
        span=Span(block.span.start, line_end(source, block.lines[-1].span.end)),
    )
    due = unescaped(values.get("due", ""))
    one = timed(one, due, _midnight(one.created or dates.heading_date(due), zone))
    if one.every:
        one = replace(one, begun=_begun(values.get("created", ""), zone))
    completed = dates.heading_date(values.get("completed", ""))
    box = source[block.span.start : block.lines[0].span.start]
    over = _BOX not in box and "completed" in values and not one.every
    if block.checked or _CANCELLED in box or over:
        return replace(one, done=completed or date.min)
    return replace(one, last=completed) if one.every else one


def _begun(created: str, zone: tzinfo) -> datetime | None:
    """The time in a ``created`` field; None if it has only a date."""
    try:
        return datetime.strptime(created, MINUTE).replace(tzinfo=zone)
    except ValueError:
        return None


def _taken_apart(text: str) -> tuple[str, Mapping[str, str]]:
    """(message as written, fields by name); a bar within the message belongs to it."""
    bars = [found.start() for found in _BAR.finditer(text) if found[1]]
    begin = next((at for at in bars if _FIELD.match(text, at + 1)), len(text))
    values: dict[str, str] = {}
    name = ""
    for at, end in pairwise([*bars, len(text)]):
        named = _FIELD.match(text[at + 1 : end])
        if named:
            name = named[1].lower()
            values.setdefault(name, named[2].strip())
        elif name:
            values[name] += ", " + text[at + 1 : end].strip()
    return text[:begin].rstrip(), values


def timed(one: Reminder, due: str, since: datetime | None) -> Reminder:
    """``one`` with its ``due`` parsed; relative times count from ``since``, if known."""
    if not due:
        return one
    if is_next_session(due):
        return replace(one, next_session=True)
    words = trigger_in(due)
    if words:
        return replace(one, trigger=one.trigger + words)
    if _DAY.fullmatch(due) is None and dates.rhythm(due):
        return replace(one, every=due)
    moment = dates.moment(due, since) if since else None
    return replace(one, due=moment) if moment else replace(one, unclear=due)


def _midnight(day: date | None, zone: tzinfo) -> datetime | None:
    return datetime.combine(day, time(), tzinfo=zone) if day else None


def line_end(source: bytes, at: int) -> int:
    """The offset after the first line end at or after ``at``."""
    found = re.compile(rb"\r\n|\r|\n").search(source, at)
    return found.end() if found else len(source)


def escaped(text: str) -> str:
    """Escape with backslashes any part of ``text`` that would parse as field, id or escape."""
    return re.sub(r"\\(?=[\\|^])|\\$|\||(?<=\s)\^|^\^", lambda found: "\\" + found.group(), text)


def unescaped(text: str) -> str:
    """Undo :func:`escaped`; other backslashes stay."""
    return re.sub(r"\\([\\|^])", r"\1", text)


def shown(text: str) -> str:
    """``text`` on one line; bytes that are not UTF-8 become U+FFFD."""
    plain = re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text)
    return " ".join(re.sub("[\ud800-\udfff]", "\ufffd", plain).split())


_MOST_SHOWN = 2
"""Maximum number of sessions that show the same occurrence."""


@dataclass(frozen=True, slots=True)
class ReminderRecord:
    """Recorded state of one reminder.

    Attributes:
        words: Its hand-written time expression, as first read.
        written: The day relative to which it is resolved.
        time: The occurrence that was shown.
        shown: Names of the sessions that showed it, with days.
    """

    words: str = ""
    written: str = ""
    time: str = ""
    shown: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReminderRecords:
    """Recorded state of all reminders, by id."""

    known: Mapping[str, ReminderRecord] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: object) -> "ReminderRecords":
        """Parse leniently: invalid data is ignored."""
        rows = data.get("reminders") if isinstance(data, dict) else None
        known = rows.items() if isinstance(rows, dict) else ()
        return cls({name: _mark(row) for name, row in known if isinstance(row, dict)})

    def to_json(self) -> dict[str, object]:
        """The object that is stored."""
        rows = sorted((identifier, asdict(one)) for identifier, one in self.known.items())
        return {"reminders": {name: {k: v for k, v in one.items() if v} for name, one in rows}}

    def unread(self, listed: Iterable[Reminder]) -> list[Reminder]:
        """Pending reminders with a relative time whose reference day is not recorded."""
        return [
            one
            for one in listed
            if one.done is None and _words(one) not in {"", self._of(one).words}
        ]

    def read(self, days: Mapping[str, date], listed: Iterable[Reminder]) -> "ReminderRecords":
        """Record the reference days of reminders with relative times."""
        new = {
            one.id: replace(self._of(one), words=_words(one), written=days[one.id].isoformat())
            for one in listed
            if one.id in days
        }
        return ReminderRecords({**self.known, **new})

    def _of(self, one: Reminder) -> ReminderRecord:
        return self.known.get(one.id, ReminderRecord())

    def shown(self, listed: Iterable[Reminder], session: str, now: datetime) -> "ReminderRecords":
        """Record that a session showed reminders."""
        new = {}
        for one in listed:
            mark = self._of(one)
            before = mark.shown if mark.time == _time(one) else ()
            if session not in dict(before):
                more = (*before, (session, now.date().isoformat()))
                new[one.id] = replace(mark, time=_time(one), shown=more)
        return ReminderRecords({**self.known, **new}) if new else self

    def without_all_but(self, ids: Collection[str]) -> "ReminderRecords":
        """Keep only the records of these reminders."""
        return ReminderRecords({name: one for name, one in self.known.items() if name in ids})

    def applied(self, one: Reminder, now: datetime, session: str | None) -> Reminder:
        """``one`` with its time and recorded state, as seen by ``session``."""
        mark = self._of(one)
        zone = now.tzinfo or dates.zone("")
        written = (
            dates.heading_date(mark.written) if mark.words and mark.words == _words(one) else None
        )
        if one.unclear and written:
            one = timed(replace(one, unclear=""), one.unclear, _midnight(written, zone))
        day = one.created or written or now.date()
        start = one.begun or datetime.combine(day, time(), tzinfo=zone)
        one = replace(one, due=_occurrence(one, start, now)) if one.every else one
        told = dict(mark.shown) if mark.time == _time(one) else {}
        earlier = [day for name, day in told.items() if name != session]
        is_over = len(told) >= _MOST_SHOWN and session not in told
        if is_over and one.every and (rhythm := dates.rhythm(one.every)):
            one, is_over = replace(one, due=rhythm.next(start, now)), False
        shown = dates.heading_date(earlier[-1]) if earlier else None
        return replace(one, shown=shown, is_over=is_over)


def _mark(row: Mapping[str, object]) -> ReminderRecord:
    words, written, seen = (str(row.get(key) or "") for key in ("words", "written", "time"))
    shown = row.get("shown")
    pairs = [one for one in (shown if isinstance(shown, list) else ()) if isinstance(one, list)]
    days = tuple((str(one[0]), str(one[1])) for one in pairs if len(one) == 2)
    return ReminderRecord(words, written, seen, days)


def _words(one: Reminder) -> str:
    """The time expression if it is relative; "" if there is none."""
    return one.unclear or (one.every if one.created is None else "")


def _time(one: Reminder) -> str:
    """Return the occurrence that is shown once: the time.

    The text if it waits for a session or its time cannot be parsed.
    """
    return one.due.isoformat() if one.due else one.unclear or f"next session {one.session}".strip()


def _occurrence(one: Reminder, start: datetime, now: datetime) -> datetime | None:
    """The latest occurrence that is not done, else the next one."""
    rhythm = dates.rhythm(one.every)
    if rhythm is None:
        return None
    latest = rhythm.latest(start, now)
    if latest and (one.last is None or latest.date() > one.last):
        return latest
    if one.last:
        done = datetime.combine(one.last, time.max, tzinfo=start.tzinfo)
        return rhythm.next(start, max(now, done, start))
    return rhythm.next(start, max(now, start))


def due(reminders: Sequence[Reminder], now: datetime, session: str) -> list[Reminder]:
    """Pending reminders that are due, or that waited for a session other than their own.

    Includes those whose time cannot be parsed, which would never be shown otherwise.
    """
    return [
        one
        for one in reminders
        if one.done is None
        and not one.is_over
        and ((one.due is not None and one.due <= now) or _waited(one, session) or one.unclear)
    ]


def _waited(one: Reminder, session: str) -> bool:
    return one.next_session and one.session != shown(session)


def triggered(reminders: Sequence[Reminder], text: str) -> list[Reminder]:
    """Pending reminders with a trigger phrase that occurs in ``text`` as whole words."""
    waiting = [one for one in reminders if one.done is None and one.trigger]
    if not waiting:
        return []
    where = TriggerText(text)
    return [one for one in waiting if any(where.has(phrase) for phrase in one.trigger)]
