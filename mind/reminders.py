"""REMINDERS.md: what to be reminded of at a time, in the next session, or when a word comes up.

A reminder is a task item with fields behind bars:

    - [ ] Check the audit | due: 2026-12-20 09:00 | created: 2026-11-20 ^r1a2b3c4
    - [ ] Review the flow | trigger: auth, login | created: 2026-11-20 ^r5d6e7f8
    - [x] Update the docs | completed: 2026-11-21
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo

from mind import dates, markdown
from mind.entry import Span, content_id, normalise
from mind.errors import DateNotUnderstood, InputError, NotFound

NEXT_SESSION = "next session"
MOST_CHARACTERS = 2_000
_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """One reminder and where it stands.

    Attributes:
        id: Block id, else made from the text; it stays when others come and go.
        text: What to be reminded of, on one line.
        due: When, in the zone the file was read with.
        trigger: Words or phrases that bring it up.
        next_session: Whether it waits for the next session.
        session: The session in which it was set, "" if unknown.
        unclear: What a hand-written ``due`` says when it is not understood.
        done: The day it was completed.
        created: The day it was set.
        line: 1-based.
        span: Its bytes, line end included.
    """

    id: str
    text: str
    due: datetime | None = None
    trigger: tuple[str, ...] = ()
    next_session: bool = False
    session: str = ""
    unclear: str = ""
    done: date | None = None
    created: date | None = None
    line: int = 0
    span: Span = _NOWHERE


_FIELD = re.compile(r"\s*(?<!\\)\|\s*")
_BLOCK_ID = re.compile(r"\s\^([A-Za-z0-9-]+)\s*$")
_ESCAPED = re.compile(r"\\([\\|^])")
_NEXT_SESSION = re.compile(
    r"(?:the\s+|in\s+the\s+|on\s+the\s+)?next\s+(?:session|time)|"
    r"(?:la\s+)?próxima\s+sesión|(?:in\s+der\s+)?nächsten?\s+sitzung|"
    r"(?:la\s+)?prochaine\s+session|(?:na\s+)?próxima\s+sessão|"
    r"(?:в\s+)?следующ\w+\s+сесси\w+|下次会话|下一次会话|次のセッション",
    re.IGNORECASE,
)
_TRIGGER = re.compile(
    r"(?:when|whenever|if|once|next time)\s+(?:(?:i|we|you|someone)\s+)?"
    r"(?:mentions?|talks?\s+about|discuss(?:es)?|says?|works?\s+on|touch(?:es)?|edits?|"
    r"changes?|opens?|starts?\s+on|come\s+back\s+to|get\s+to|see)\s+(?P<what>.+)|"
    r"(?:when|whenever|if|once)\s+(?P<up>.+?)\s+(?:comes?\s+up|is\s+mentioned|is\s+touched)|"
    r"(?:cuando\s+mencione|wenn\s+ich\s+(?P<de>.+?)\s+erwähne|quand\s+je\s+(?:mentionne|parle\s+de)|"
    r"quando\s+(?:eu\s+)?mencionar|когда\s+я\s+упомяну)\s*(?P<other>.*)",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"\s*(?:,|;|\bor\b|\bo\b|\boder\b|\bou\b|\bили\b)\s*", re.IGNORECASE)


# --- reading ------------------------------------------------------------------------------


def parse(source: bytes, zone: tzinfo) -> list[Reminder]:
    """All reminders in the file, in order, completed ones included."""
    found: list[Reminder] = []
    ids: dict[str, int] = {}
    for block in markdown.parse(source).walk():
        if block.type != "item" or block.checked is None or not block.lines:
            continue
        text = " ".join(line.text for line in block.lines)
        one = _reminder(text, zone, checked=block.checked)
        if one is None:
            continue
        ids[one.id] = ids.get(one.id, 0) + 1
        number = f"-{ids[one.id]}" if ids[one.id] > 1 else ""
        end = _line_end(source, block.lines[-1].span.end)
        span = Span(block.span.start, end)
        found.append(replace(one, id=one.id + number, line=block.line, span=span))
    return found


def _line_end(source: bytes, at: int) -> int:
    """The offset behind the line end at or after ``at``."""
    found = re.compile(rb"\r\n|\r|\n").search(source, at)
    return found.end() if found else len(source)


def _reminder(text: str, zone: tzinfo, *, checked: bool) -> Reminder | None:
    block_id = _BLOCK_ID.search(text)
    message, *rest = _FIELD.split(text[: block_id.start()] if block_id else text)
    message = _unescaped(message)
    if not message.strip():
        return None
    fields = {
        name.strip().casefold(): value.strip()
        for name, _, value in (part.partition(":") for part in rest)
    }
    created = dates.heading_date(fields.get("created", ""))
    completed = dates.heading_date(fields.get("completed", ""))
    one = Reminder(
        id=block_id[1] if block_id else "r" + content_id(message)[:7],
        text=message,
        created=created,
        done=completed or (date.min if checked else None),
        session=fields.get("session", ""),
        trigger=_phrases(_unescaped(fields.get("trigger", ""))),
    )
    return _timed(one, fields.get("due", ""), zone)


def _timed(one: Reminder, due: str, zone: tzinfo) -> Reminder:
    if not due:
        return one
    if _NEXT_SESSION.fullmatch(due):
        return replace(one, next_session=True)
    written = one.created or dates.heading_date(due)
    midnight = datetime.min.time()
    if written is None:
        return replace(one, unclear=due)
    moment = dates.parse_when(due, datetime.combine(written, midnight, tzinfo=zone))
    return replace(one, due=moment) if moment else replace(one, unclear=due)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


_LEAD = re.compile(
    r"^(?:(?:when|whenever)\s+(?:i|we)\s+(?:mention|work\s+on)\s+)?(?:(?:the|an?|my|our)\s+)?",
    re.IGNORECASE,
)


def _phrases(text: str) -> tuple[str, ...]:
    parts = (_LEAD.sub("", part.strip(" .\"'")) for part in _SPLIT.split(text.strip()))
    return tuple(part for part in parts if part)


# --- writing ------------------------------------------------------------------------------


def add(
    source: bytes, message: str, when: str, now: datetime, *, session: str = ""
) -> tuple[bytes, Reminder]:
    """``source`` with a reminder added at the end of its pending ones.

    Args:
        source: The file; a missing one is ``b""``.
        message: What to be reminded of; line breaks become spaces.
        when: "next session", a date or time, or "when I mention X".
        now: Aware.
        session: The running session's name.

    Returns:
        The file and the reminder. An equal one that is pending is returned instead of doubled.

    Raises:
        InputError: An empty or too long message.
        DateNotUnderstood: ``when`` is none of the accepted forms, or lies in the past.
    """
    text = " ".join(re.sub(r"[\x00-\x1f\x7f\u2028\u2029\x85]", " ", message).split())
    if not text:
        raise InputError("the reminder is empty", remedy="Say what to be reminded of.")
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"the reminder has {len(text):,} characters", remedy="Shorten it.")
    wanted = _understood(text, when, now, session)
    known = parse(source, now.tzinfo or dates.zone(""))
    for one in known:
        if one.done is None and _same(one, wanted):
            return source, one
    identifier = _free_id(wanted.id, {one.id for one in known})
    wanted = replace(wanted, id=identifier)
    line = _written(wanted)
    return _inserted(source, line, "Pending"), wanted


def _same(one: Reminder, other: Reminder) -> bool:
    timing = (one.due, one.trigger, one.next_session)
    return normalise(one.text) == normalise(other.text) and timing == (
        other.due,
        other.trigger,
        other.next_session,
    )


def _free_id(wanted: str, taken: set[str]) -> str:
    number, free = 2, wanted
    while free in taken:
        free, number = f"{wanted}-{number}", number + 1
    return free


def _understood(text: str, when: str, now: datetime, session: str) -> Reminder:
    plain = " ".join(when.split()).strip(" .")
    one = Reminder(id="r" + content_id(text)[:7], text=text, created=now.date(), session=session)
    if _NEXT_SESSION.fullmatch(plain):
        return replace(one, next_session=True)
    moment = dates.parse_when(plain, now)
    if moment is not None:
        return replace(one, due=moment.replace(second=0, microsecond=0))
    trigger = _TRIGGER.fullmatch(plain)
    if trigger:
        phrases = _phrases(next(part for part in trigger.groups() if part))
        if phrases:
            return replace(one, trigger=phrases)
    raise DateNotUnderstood(f"{when!r} is not understood, or lies in the past", value=when)


def _written(one: Reminder) -> str:
    parts = [f"- [ ] {_escaped(one.text)}"]
    if one.next_session:
        parts.append(f"due: {NEXT_SESSION}")
    if one.due:
        parts.append(f"due: {one.due.strftime('%Y-%m-%d %H:%M')}")
    if one.trigger:
        parts.append(f"trigger: {_escaped(', '.join(one.trigger))}")
    parts.append(f"created: {one.created}")
    if one.session and one.next_session:
        parts.append(f"session: {one.session}")
    return " | ".join(parts) + f" ^{one.id}"


def _escaped(text: str) -> str:
    """Backslashes, bars and carets that could be read as fields or an id are escaped."""
    return re.sub(r"\\(?=[\\|^])|\\$|\||(?<=\s)\^|^\^", lambda found: "\\" + found.group(), text)


def _inserted(source: bytes, line: str, title: str) -> bytes:
    newline = b"\r\n" if b"\r\n" in source else b"\n"
    text = line.encode("utf-8", "replace") + newline
    for section in markdown.sections(source):
        if section.headings and section.headings[-1][1].strip().casefold() == title.casefold():
            body = source[section.span.start : section.span.end].rstrip()
            at = _line_end(source, section.span.start + len(body))
            empty = not body.count(b"\n")  # nothing but its heading
            lead = b"" if source[:at].endswith((b"\n", b"\r")) else newline
            gap = newline if empty else b""
            return markdown.splice(source, [markdown.Edit(Span(at, at), lead + gap + text)])
    start = source if not source or source.endswith(b"\n") else source + newline
    head = (newline if start.strip() else b"# Reminders" + newline * 2) + b"## " + title.encode()
    return start + head + newline * 2 + text


def complete(source: bytes, identifier: str, now: datetime) -> tuple[bytes, Reminder]:
    """``source`` with a pending reminder ticked off and moved under ``## Done``.

    Raises:
        NotFound: No pending reminder has this id; the remedy lists those that are.
    """
    pending = [one for one in parse(source, now.tzinfo or dates.zone("")) if one.done is None]
    found = next((one for one in pending if one.id == identifier.strip().lstrip("^")), None)
    if found is None:
        listed = ", ".join(f"{one.id} ({one.text[:40]})" for one in pending[:20]) or "none"
        raise NotFound(f"no pending reminder {identifier!r}", remedy=f"Pending: {listed}.")
    day = now.date().isoformat()
    line = f"- [x] {_escaped(found.text)} | completed: {day} ^{found.id}"
    rest = markdown.splice(source, [markdown.Edit(found.span, b"")])
    return _inserted(rest, line, "Done"), replace(found, done=now.date())


# --- firing -------------------------------------------------------------------------------


def due(reminders: Sequence[Reminder], now: datetime, session: str) -> list[Reminder]:
    """Pending reminders whose time has come, or that waited for another session than theirs."""
    return [
        one
        for one in reminders
        if one.done is None and ((one.due is not None and one.due <= now) or _waited(one, session))
    ]


def _waited(one: Reminder, session: str) -> bool:
    return one.next_session and one.session != session


def triggered(reminders: Sequence[Reminder], text: str) -> list[Reminder]:
    """Pending reminders one of whose trigger phrases comes up in ``text``, by whole words."""
    waiting = [one for one in reminders if one.done is None and one.trigger]
    if not waiting:
        return []
    words = [_stem(word) for word in _words(text)]
    folded = normalise(text)
    return [
        one for one in waiting if any(_comes_up(phrase, words, folded) for phrase in one.trigger)
    ]


_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _comes_up(phrase: str, words: list[str], folded: str) -> bool:
    if _CJK.search(phrase):
        return normalise(phrase) in folded
    wanted = [_stem(word) for word in _words(phrase)]
    starts = range(len(words) - len(wanted) + 1)
    return bool(wanted) and any(
        all(_matches(word, words[at + step]) for step, word in enumerate(wanted)) for at in starts
    )


def _matches(wanted: str, word: str) -> bool:
    """Equal stems; a stem of four letters or more also matches a longer word it begins."""
    return word == wanted or (len(wanted) >= 4 and word.startswith(wanted))


def _words(text: str) -> Iterator[str]:
    for word in re.findall(r"[^\W_]+", text):
        yield from (
            part.casefold()
            for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+\w*|\w+", word)
        )


def _stem(word: str) -> str:
    for ending in ("ies", "ing", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word
