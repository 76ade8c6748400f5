"""Which reminders are to be shown now."""

from collections.abc import Sequence
from datetime import datetime

from mind.documents.reminders.reading import Reminder, shown
from mind.documents.reminders.triggers import Text


def due(reminders: Sequence[Reminder], now: datetime, session: str) -> list[Reminder]:
    """Pending reminders whose time has come, or that waited for another session than theirs.

    One whose time is not understood is among them: nobody would hear of it else.
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
    """Pending reminders one of whose trigger phrases comes up in ``text``, by whole words."""
    waiting = [one for one in reminders if one.done is None and one.trigger]
    if not waiting:
        return []
    where = Text(text)
    return [one for one in waiting if any(where.has(phrase) for phrase in one.trigger)]
