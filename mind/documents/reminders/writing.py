"""Add, complete and move reminders; every other byte of the file is unchanged."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime

from mind.documents import markdown
from mind.documents.markdown import Edit
from mind.documents.reminders.reading import (
    MINUTE,
    Reminder,
    ReminderSpans,
    escaped,
    free_id,
    line_end,
    located,
    shown,
    timed,
)
from mind.documents.reminders.triggers import (
    conditioned,
    has_condition,
    is_next_session,
    trigger_in,
    without_link,
    without_request,
)
from mind.domain.entry import Span, content_id, normalise
from mind.domain.errors import DateNotUnderstood, FileError, InputError, NotFound
from mind.text import dates, lazy_pattern
from mind.text.dates.repeats import is_joined, is_sure, names_a_time, takes_along

_EAST = "\u3040-\u30ff\u3400-\u9fff"
_PIECE = lazy_pattern(rf"[{_EAST}]|[^\s{_EAST}]+")
_LONGEST = 16
"""Maximum length of a time: words, or characters in scripts without spaces."""
_AROUND = " \t\r\n,;:.!、，。"
_DASH = re.compile(r"\A[-–—]\s+|\s+[-–—]\Z")
_ALSO = 'Or "next session", "every monday", "when I mention X".'
_REMEDY = (
    'Say when with --when (the parameter `when`), such as "tomorrow 9am"; "next session" if the '
    "text names no time for the reminder."
)


def divided(message: str, now: datetime) -> tuple[str, str]:
    """Split a reminder without a time argument into (text, time); default "next session".

    "Remind me to" at its beginning is left out.

    Raises:
        DateNotUnderstood: Part of the text may be a time, but is ambiguous.
    """
    rest, link = without_request(message)
    text, when = _divided(rest, now)
    return without_link(text, link), when


def _divided(message: str, now: datetime) -> tuple[str, str]:
    found = conditioned(message)
    if found:
        return found
    if has_condition(message):
        raise _not_clear(message)
    for text, when, beside in _divisions(message):
        if not (text and when) or trigger_in(when) or takes_along(when, beside):
            continue
        if is_next_session(when) or (is_sure(when) and _is_time(when, now)):
            if not (names_a_time(text) or is_joined(text, when, beside)):
                return text, when
            break
    if names_a_time(message) or any(
        trigger_in(when) or _is_time(when, now) for _, when, _ in _divisions(message)
    ):
        raise _not_clear(message)
    return message, "next session"


def _not_clear(message: str) -> DateNotUnderstood:
    return DateNotUnderstood(
        "the text seems to say when, in a way that is not clear", remedy=_REMEDY, value=message
    )


def _divisions(message: str) -> Iterator[tuple[str, str, int]]:
    """Each way to take the start or end as a time, longest first.

    Also yields which word of the text is next to the time: -1 for the last, 0 for the first.
    """
    pieces = [found.span() for found in _PIECE.finditer(message)]
    for size in range(min(_LONGEST, len(pieces) - 1), 0, -1):
        at = pieces[-size][0]
        yield _DASH.sub("", message[:at].rstrip(_AROUND)), message[at:].strip(_AROUND), -1
        at = pieces[size - 1][1]
        yield _DASH.sub("", message[at:].lstrip(_AROUND)), message[:at].strip(_AROUND), 0


def _is_time(when: str, now: datetime) -> bool:
    return dates.rhythm(when) is not None or dates.moment(when, now) is not None


MOST_CHARACTERS = 2_000
_LONGEST_TIME = 300
_ADDED = {(1, "Reminders"), (2, "Pending"), (2, "Done")}


def add(
    source: bytes, message: str, when: str, now: datetime, *, session: str = ""
) -> tuple[bytes, Reminder]:
    """Add a reminder after the pending ones of ``source``.

    Args:
        source: The file; a missing one is ``b""``.
        message: The text; line breaks become spaces.
        when: "next session", a form of :data:`mind.text.dates.FORMS`, or "when I mention X"; ""
            for the time or condition at the start or end of the message.
        now: Aware; times are written in its zone.
        session: The running session's name.

    Returns:
        The file and the reminder. An equal pending one is returned instead of added again.

    Raises:
        InputError: An empty or too long message.
        DateNotUnderstood: ``when`` is not an accepted form, or is in the past.
        FileError: The result would not be read back correctly.
    """
    text, when = _asked(message, when, now)
    wanted = _understood(text, when, now, shown(session))
    known = _located(source, now)
    for one, _ in known:
        if one.done is None and _asked_for(one) == _asked_for(wanted):
            return source, one
    wanted = replace(wanted, id=free_id(wanted.id, {one.id for one, _ in known}))
    alone = (place.block for one, place in known if one.done is None and not place.nested)
    changed = _inserted(source, "Pending", _written(wanted).encode(), max(alone, default=None))
    return _read_back(source, changed, wanted, [one for one, _ in known], now)


def _asked(message: str, when: str, now: datetime) -> tuple[str, str]:
    """Return the text and time of a reminder."""
    text = shown(message)
    if not text:
        raise InputError("the reminder is empty", remedy="Say what to be reminded of.")
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"the reminder has {len(text):,} characters",
            remedy=f"Shorten it to {MOST_CHARACTERS:,} characters.",
        )
    if len(when) > _LONGEST_TIME:
        raise InputError(
            f"the time has {len(when):,} characters",
            remedy='Name a time such as "tomorrow", or say "when I mention" a few words.',
        )
    return (text, when) if when.strip() else divided(text, now)


def take(source: bytes, one: Reminder, now: datetime) -> bytes:
    """Add a reminder of another memory, pending or done, unless already known.

    Args:
        source: The file; a missing one is ``b""``.
        one: With its id.
        now: Aware; times are written in its zone.

    Raises:
        FileError: The result would not be read back correctly.
    """
    known = _located(source, now)
    wanted = replace(
        one,
        due=one.due.astimezone(now.tzinfo) if one.due else None,
        begun=one.begun.astimezone(now.tzinfo) if one.begun else None,
    )
    same = _asked_for(wanted)
    if any(there.id == one.id or _asked_for(there) == same for there, _ in known):
        return source
    line = _written(wanted).encode("utf-8", "replace")
    changed = _inserted(source, "Done" if one.done else "Pending", line)
    return _read_back(source, changed, wanted, [there for there, _ in known], now)[0]


def _located(source: bytes, now: datetime) -> list[tuple[Reminder, ReminderSpans]]:
    return located(source, now.tzinfo or dates.zone(""))


def _understood(text: str, when: str, now: datetime, session: str) -> Reminder:
    plain = shown(when).rstrip(" .!")
    new = Reminder(id="r" + content_id(text)[:7], text=text, created=now.date())
    one = timed(new, plain, now)
    if one.next_session:
        return replace(one, session=session)
    if one.every:
        return replace(one, begun=now.replace(second=0, microsecond=0))
    if one.trigger:
        return one
    if one.due is None and (due := dates.in_further_languages(plain, now)):
        one = replace(one, due=due, unclear="")
    if one.due is None:
        both = dates.ambiguity(plain, now)
        raise DateNotUnderstood(
            f"{when!r} {f'may mean {both}' if both else 'is not understood'}",
            remedy=f"{DateNotUnderstood.default_remedy} {_ALSO}",
            value=when,
        )
    if one.due < now:
        raise DateNotUnderstood(
            f"{when!r} lies in the past: {one.due:%Y-%m-%d %H:%M}",
            remedy=f"It is {now:%A, %Y-%m-%d %H:%M} now; name a later moment.",
            value=when,
        )
    return replace(one, due=one.due.replace(second=0, microsecond=0))


def _asked_for(one: Reminder) -> tuple[object, ...]:
    """Return what equal reminders have in common: of "next session" also the session."""
    session = one.next_session and one.session
    return normalise(one.text), one.due, one.every, one.trigger, one.next_session, session


def _written(one: Reminder) -> str:
    parts = [f"- [{'x' if one.done else ' '}] {escaped(one.text)}"]
    due = "next session" if one.next_session else escaped(one.every)
    if one.due and not due:
        due = f"{one.due:%Y-%m-%d %H:%M}"
    if due:
        parts.append(f"due: {due}")
    if one.trigger:
        parts.append(f"trigger: {escaped(', '.join(one.trigger))}")
    if one.unclear:
        parts.append(f"due: {escaped(one.unclear)}")
    if one.created:
        parts.append(f"created: {one.begun.strftime(MINUTE) if one.begun else one.created}")
    completed = one.done or one.last
    if completed and completed != date.min:
        parts.append(f"completed: {completed}")
    if one.session:
        parts.append(f"session: {escaped(one.session)}")
    return " | ".join(parts) + f" ^{one.id}"


def complete(
    source: bytes, identifier: str, now: datetime, *, dismiss: bool = False
) -> tuple[bytes, Reminder]:
    """Complete a pending reminder and move it under ``## Done``.

    Its indented content moves along. One nested in another item stays in place, and so does a
    recurring one, for which only the day is recorded.

    Args:
        source: The file.
        identifier: Id of the reminder.
        now: Aware.
        dismiss: Mark it as dismissed; if recurring, end the recurrence.

    Raises:
        NotFound: No pending reminder has this id; the remedy lists those that do.
        FileError: The result would not be read back correctly.
    """
    known = _located(source, now)
    wanted = identifier.strip().removeprefix("^").casefold()
    match = [pair for pair in known if pair[0].done is None and pair[0].id.casefold() == wanted]
    if not match:
        raise _missing(identifier, wanted, [one for one, _ in known])
    found, place = match[0]
    returns, today = bool(found.every) and not dismiss, now.date()
    done = replace(found, last=today) if returns else replace(found, done=today, last=None)
    others = [one for one, _ in known if one is not found]
    fields, box = _fields(source, found, place, now), b"-" if dismiss else b"x"
    if returns:
        return _read_back(source, markdown.splice(source, fields), done, others, now)
    if not place.nested:
        with suppress(FileError):  # removing a separator would change how other text is parsed
            return _read_back(source, _moved(source, place, fields, box), done, others, now)
    return _read_back(source, _ticked(source, place, fields, box), done, others, now)


def _moved(source: bytes, place: ReminderSpans, fields: list[Edit], box: bytes) -> bytes:
    """Move the item with its content to the end of the completed ones."""
    ticked = markdown.splice(
        source, [Edit(Span(place.start, place.text), b"- [%b] " % box), *fields]
    )
    item = ticked[place.start : place.block + len(ticked) - len(source)].rstrip(b"\r\n")
    return _inserted(
        markdown.splice(source, [Edit(Span(place.start, place.block), b"")]), "Done", item
    )


def _ticked(source: bytes, place: ReminderSpans, fields: list[Edit], box: bytes) -> bytes:
    """Tick the item in its place."""
    there = re.compile(rb"\[[ /]\]([ \t]+)$").search(source[place.start : place.text])
    begin = place.start + there.start() if there else place.text
    mark = b"[" + box + b"]" + (there[1] if there else b" ")
    return markdown.splice(source, [Edit(Span(begin, place.text), mark), *fields])


_COMPLETED = re.compile(rb"\|[ \t]*completed[ \t]*:[ \t]*[\d-]*(?=[ \t]*(?:[|^\r\n]|$))")


def _fields(source: bytes, found: Reminder, place: ReminderSpans, now: datetime) -> list[Edit]:
    """Edits that record the day of completion and the id."""
    before = _COMPLETED.search(source, place.fields, place.end) if found.last else None
    start = len(source[: before.start()].rstrip(b" \t")) if before else place.fields
    span = Span(max(start, place.fields), before.end() if before else place.fields)
    said = Edit(span, f" | completed: {now.date()}".encode())
    if not place.named:
        return [said, Edit(Span(place.end, place.end), f" ^{found.id}".encode())]
    # a copied line has a duplicate id
    named = Edit(Span(place.end - len(place.named), place.end), found.id.encode())
    return [said, named]


def _missing(identifier: str, wanted: str, known: Sequence[Reminder]) -> NotFound:
    if any(one.id.casefold() == wanted for one in known):
        return NotFound(
            f"reminder {identifier!r} is done already", remedy="There is nothing to do."
        )
    pending = [one for one in known if one.done is None]
    listed = "; ".join(f"{one.id} ({one.text[:40]})" for one in pending[:20]) or "none"
    return NotFound(
        f"no pending reminder {identifier!r}",
        remedy=f"Pending: {listed}.",
        pending=[one.id for one in pending],
    )


# --- where it goes ------------------------------------------------------------------------


_TITLES = {"Pending": r"\bpending\b", "Done": r"\b(?:done|completed|finished)\b"}


def _inserted(source: bytes, title: str, item: bytes, at: int | None = None) -> bytes:
    """Insert an item in the section of that title, else at ``at``, else in a new section."""
    for section in markdown.sections(source):
        named = section.headings and section.headings[-1][1].casefold()
        if named and re.search(_TITLES[title], named):
            body = source[section.span.start : section.span.end].rstrip()
            return _put(source, line_end(source, section.span.start + len(body)), item)
    if at is not None:
        return _put(source, at, item)
    newline = _newline(source, len(source))
    head = b"# Reminders" + newline * 2
    if source.removeprefix(b"\xef\xbb\xbf").strip():
        head = newline if source.endswith((b"\n", b"\r")) else newline * 2
    return source + head + b"## " + title.encode() + newline * 2 + item + newline


def _put(source: bytes, at: int, item: bytes) -> bytes:
    """Insert an item at ``at``, after a blank line unless that is in or after a list."""
    newline = _newline(source, at)
    lead = b"" if source[:at].endswith((b"\n", b"\r")) else newline
    after_list = any(
        block.type == "list" and block.span.start < at <= block.span.end
        for block in markdown.parse(source).blocks
    )
    gap = b"" if after_list else newline
    return markdown.splice(source, [Edit(Span(at, at), lead + gap + item + newline)])


def _newline(source: bytes, at: int) -> bytes:
    """The line end used before ``at``, else after it."""
    ends = re.findall(rb"\r\n|\r|\n", source[:at]) or re.findall(rb"\r\n|\r|\n", source)
    return ends[-1] if ends else b"\n"


def _read_back(
    source: bytes, changed: bytes, wanted: Reminder, others: Sequence[Reminder], now: datetime
) -> tuple[bytes, Reminder]:
    """The changed file and reminder, if it, the others and the headings are read back as intended.

    Raises:
        FileError: They are not: an open comment or fence may swallow an addition, and a removed
            line may have separated two others.
    """
    there = {one.id: one for one, _ in _located(changed, now)}
    meant = {one.id: _content(one) for one in (wanted, *others)}
    found = {identifier: _content(one) for identifier, one in there.items()}
    if found != meant or _titles(changed) != _titles(source):
        raise FileError(
            "REMINDERS.md would not be read as meant after the change",
            remedy="Close the comment or code fence that is left open in it, then try again; "
            "nothing was changed.",
        )
    return changed, there[wanted.id]


def _content(one: Reminder) -> Reminder:
    return replace(one, line=0, span=Span(0, 0))


def _titles(source: bytes) -> list[tuple[int, str]]:
    """The headings except those that Mind may add."""
    titles = [one.headings[-1] for one in markdown.sections(source) if one.headings]
    return [one for one in titles if one not in _ADDED]
