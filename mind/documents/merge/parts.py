"""An entry in parts, so that its words, its fields and its box can be changed apart."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mind.documents import notebook
from mind.domain.errors import InputError

_PREFIX = re.compile(rb"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_BOX = re.compile(rb"\[([ xX/-])\](?=[ \t]|$)")
_FIELD = re.compile(rb"[ \t]?\[([A-Za-z][\w -]{0,39})::[ \t]?([^\[\]\r\n]*)\]")
_ID = re.compile(rb"(?:^|[ \t]+)\^([A-Za-z0-9][A-Za-z0-9-]{2,63})[ \t]*$")
_BAR = re.compile(rb"(?<!\\)\|[ \t]*(due|trigger|created|completed|session)[ \t]*:", re.IGNORECASE)
_DONE = (b"x", b"X")

Fields = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Parts:
    """What an entry is made of.

    Attributes:
        prefix: The mark of a list item, with white space around it.
        box: What stands in its task box; None without one.
        words: All that is said, white space folded.
        fields: Inline fields, or those of a reminder, by name in lower case.
        id: Its block id.
    """

    prefix: bytes
    box: bytes | None
    words: bytes
    fields: Mapping[str, bytes]
    id: bytes


class Undecided(Exception):
    """Both sides changed the same part, each in its own way."""


def parts(body: bytes, *, reminder: bool) -> Parts:
    """What ``body``, an entry of a memory or a reminder, is made of."""
    prefix, box, rest = _head(body)
    rest, identifier = _without_id(rest)
    fields: Fields = {}
    if reminder:
        words, raw = _reminder_fields(rest)
        fields = {name: value for name, value, _ in raw}
    else:
        for one in _FIELD.finditer(rest):
            fields[one[1].decode("ascii", "replace").lower()] = one[2].strip()
        words = _FIELD.sub(b"", rest)
    return Parts(prefix, box, b" ".join(words.split()), fields, identifier)


def _head(body: bytes) -> tuple[bytes, bytes | None, bytes]:
    found = _PREFIX.match(body)
    prefix = found.group() if found else b""
    rest = body[len(prefix) :]
    box = _BOX.match(rest) if prefix else None
    return (prefix, box[1], rest[box.end() :]) if box else (prefix, None, rest)


def _without_id(text: bytes) -> tuple[bytes, bytes]:
    """``text`` without its block id, at the end of its first line or of all of it; and the id."""
    lines = text.splitlines(keepends=True)
    for at in dict.fromkeys((len(lines) - 1, 0)) if lines else ():
        body = lines[at].rstrip(b"\r\n")
        found = _ID.search(body)
        if found:
            kept = body[: found.start()] + lines[at][len(body) :]
            return b"".join((*lines[:at], kept, *lines[at + 1 :])), found[1]
    return text, b""


def _reminder_fields(rest: bytes) -> tuple[bytes, list[tuple[str, bytes, bytes]]]:
    """The message, and (name, value, bytes) of each field behind it."""
    bars = list(_BAR.finditer(rest))
    if not bars:
        return rest, []
    ends = [one.start() for one in bars[1:]] + [len(rest)]
    fields = [
        (one[1].decode().lower(), rest[one.end() : end].strip(), rest[one.start() : end].rstrip())
        for one, end in zip(bars, ends, strict=True)
    ]
    return rest[: bars[0].start()], fields


def together(base: bytes, ours: bytes, theirs: bytes, *, reminder: bool) -> bytes:
    """One entry with what each side changed of it.

    Args:
        base: As it was; b"" if it was not there.
        ours: One version.
        theirs: The other.
        reminder: It is one of REMINDERS.md.

    Raises:
        Undecided: Both gave it other words, or another value for the same field.
    """
    old, one, other = (parts(text, reminder=reminder) for text in (base, ours, theirs))
    by_theirs = one.words != other.words and one.words == old.words
    if one.words != other.words and not by_theirs and other.words != old.words:
        raise Undecided
    layout = theirs if by_theirs else ours
    box = _either(old.box, one.box, other.box, base)
    fields = {
        name: _value(
            *(name, old.fields.get(name), one.fields.get(name), other.fields.get(name)),
            open_box=box == b" ",
        )
        for name in {**one.fields, **other.fields}
    }
    identifier = other.id if by_theirs or not one.id else one.id
    identifier = identifier or one.id or other.id
    prefix = other.prefix if one.prefix == old.prefix else one.prefix
    write = _reminder if reminder else _memory
    return write(layout, Parts(prefix, box, b"", _present(fields), identifier))


def _either(old: bytes | None, one: bytes | None, other: bytes | None, base: bytes) -> bytes | None:
    """The box of one entry: what was ticked off by anybody is done."""
    if one == other or (base and other == old):
        return one
    if base and one == old:
        return other
    return next((box for box in (one, other) if box in _DONE), one or other)


def _present(fields: Mapping[str, bytes | None]) -> Fields:
    return {name: value for name, value in fields.items() if value is not None}


def _value(
    name: str, old: bytes | None, one: bytes | None, other: bytes | None, *, open_box: bool
) -> bytes | None:
    """The value of a field; what was changed counts more than that it was taken away.

    What comes back has an open box, and the day on which it was done last.
    """
    if other in {one, old}:
        return one
    if one == old:
        return other
    if one is None or other is None:
        return one or other
    if name == "verified":
        return max(one, other)
    if name in {"completed", "created"}:
        return max(one, other) if open_box and name == "completed" else min(one, other)
    raise Undecided


def _memory(layout: bytes, wanted: Parts) -> bytes:
    """``layout`` with other fields, box and id."""
    now = parts(layout, reminder=False)
    changes = {
        name: value.decode("utf-8", "surrogateescape")
        for name, value in wanted.fields.items()
        if now.fields.get(name) != value
    }
    changes |= dict.fromkeys((name for name in now.fields if name not in wanted.fields), "")
    if changes:
        try:
            layout = next(notebook.marked(layout, changes))
        except (InputError, UnicodeEncodeError) as error:
            raise Undecided from error
    if wanted.id and not now.id:
        layout += b" ^" + wanted.id
    return _boxed(layout, wanted)


def _boxed(layout: bytes, wanted: Parts) -> bytes:
    _, box, rest = _head(layout)
    if wanted.box is None or not wanted.prefix:
        return wanted.prefix + (b"" if box is None else b"[" + box + b"]") + rest
    gap = b"" if box is not None else b" "
    return wanted.prefix + b"[" + wanted.box + b"]" + gap + rest


def _reminder(layout: bytes, wanted: Parts) -> bytes:
    prefix, box, rest = _head(layout)
    rest, _ = _without_id(rest)
    message, raw = _reminder_fields(rest)
    there = {name: text for name, value, text in raw if wanted.fields.get(name) == value}
    order = dict.fromkeys((*(name for name, _, _ in raw), *_ORDER))
    said = [
        there.get(name) or b"| " + name.encode() + b": " + wanted.fields[name]
        for name in order
        if name in wanted.fields
    ]
    told = b" ".join((message.rstrip(), *said)) if said else message.rstrip()
    if wanted.id:
        told += b" ^" + wanted.id
    return _boxed(prefix + (b"" if box is None else b"[" + box + b"]") + told, wanted)


_ORDER = ("due", "trigger", "created", "completed", "session")
"""Of the fields of a reminder, as Mind writes them."""
