"""What this machine knows about reminders: when they were shown, and when words were first read.

REMINDERS.md is shared by all clones, and says what is to be done. Who was already reminded, and on
which day somebody's "tomorrow" was first seen here, is of one machine.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time

from mind.documents.reminders.reading import Reminder, resolved
from mind.text import dates

_MOST_SHOWN = 2
"""Sessions that are shown the same occurrence: one, and once more."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What is known about one reminder.

    Attributes:
        words: Its hand-written time, as first read.
        written: The day from which the words count.
        time: The occurrence that was shown.
        shown: The sessions that were shown it, and when: their names and days.
    """

    words: str = ""
    written: str = ""
    time: str = ""
    shown: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Marks:
    """What is known about all reminders, by their ids."""

    known: Mapping[str, Mark] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: object) -> "Marks":
        """Read leniently: what is wrong is as if it had never been noted."""
        rows = data.get("reminders") if isinstance(data, dict) else None
        return cls(
            {
                identifier: _mark(row)
                for identifier, row in (rows if isinstance(rows, dict) else {}).items()
                if isinstance(row, dict)
            }
        )

    def to_json(self) -> dict[str, object]:
        """The object that is stored."""
        rows = {
            identifier: {
                **({"words": one.words, "written": one.written} if one.words else {}),
                **(
                    {"time": one.time, "shown": [list(two) for two in one.shown]}
                    if one.time
                    else {}
                ),
            }
            for identifier, one in sorted(self.known.items())
        }
        return {"reminders": rows}

    def unread(self, listed: Iterable[Reminder]) -> list[Reminder]:
        """Pending reminders whose words count from a day that is not known yet."""
        return [
            one
            for one in listed
            if one.done is None
            and (words := _words(one))
            and self.known.get(one.id, Mark()).words != words
        ]

    def read(self, days: Mapping[str, date], listed: Iterable[Reminder]) -> "Marks":
        """These, with the days from which the words of some reminders count."""
        new = {
            one.id: replace(
                self.known.get(one.id, Mark()), words=_words(one), written=days[one.id].isoformat()
            )
            for one in listed
            if one.id in days
        }
        return Marks({**self.known, **new})

    def shown(self, listed: Iterable[Reminder], session: str, now: datetime) -> "Marks":
        """These, with reminders noted as shown to a session."""
        new = {}
        for one in listed:
            mark = self.known.get(one.id, Mark())
            before = mark.shown if mark.time == _time(one) else ()
            if session not in dict(before):
                more = (*before, (session, now.date().isoformat()))
                new[one.id] = replace(mark, time=_time(one), shown=more)
        return Marks({**self.known, **new}) if new else self

    def without_all_but(self, ids: Collection[str]) -> "Marks":
        """These, of the reminders that there are."""
        return Marks(
            {identifier: one for identifier, one in self.known.items() if identifier in ids}
        )

    def applied(self, one: Reminder, now: datetime, session: str | None) -> Reminder:
        """``one`` with its time and with what is known of it, as ``session`` is to see it."""
        mark = self.known.get(one.id, Mark())
        zone = now.tzinfo or dates.zone("")
        written = (
            dates.heading_date(mark.written) if mark.words and mark.words == _words(one) else None
        )
        if one.unclear and written:
            one = resolved(one, written, zone)
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


def _mark(row: Mapping[str, object]) -> Mark:
    shown = row.get("shown")
    pairs = [one for one in (shown if isinstance(shown, list) else ()) if isinstance(one, list)]
    return Mark(
        words=str(row.get("words") or ""),
        written=str(row.get("written") or ""),
        time=str(row.get("time") or ""),
        shown=tuple((str(one[0]), str(one[1])) for one in pairs if len(one) == 2),
    )


def _words(one: Reminder) -> str:
    """The words that mean another time from another day on; "" if there are none."""
    return one.unclear or (one.every if one.created is None else "")


def _time(one: Reminder) -> str:
    """What is shown once: the time; the text where it waits for a session or is not understood."""
    return one.due.isoformat() if one.due else one.unclear or f"next session {one.session}".strip()


def _occurrence(one: Reminder, start: datetime, now: datetime) -> datetime | None:
    """The last time that it came and was not done, else the next one."""
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
