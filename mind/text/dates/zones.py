"""Time zones: a named one, or the system's with its changes over the year."""

from datetime import UTC, datetime, timedelta, tzinfo


class _System(tzinfo):
    """The zone of the machine, asked anew for each moment, so that summer time is right.

    ``datetime.astimezone()`` alone gives a fixed offset: of today, wrong half a year from now.
    """

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        local = moment.replace(tzinfo=None).astimezone() if moment else datetime.now(UTC)
        return local.utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:  # noqa: ARG002 - the interface's
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        return moment.replace(tzinfo=None).astimezone().tzname() if moment else None

    def fromutc(self, moment: datetime) -> datetime:
        local = moment.replace(tzinfo=UTC).astimezone()
        first = local.replace(tzinfo=self, fold=0)
        return first if first.utcoffset() == local.utcoffset() else first.replace(fold=1)

    def __repr__(self) -> str:
        return "system"


_SYSTEM = _System()


def is_zone(name: str) -> bool:
    """Whether there is a zone of that name here."""
    return zone(name) is not _SYSTEM


def zone(name: str) -> tzinfo:
    """The zone called ``name``; the system's for ``""`` or a name that is unknown here."""
    if not name:
        return _SYSTEM
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - only when configured

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return _SYSTEM
