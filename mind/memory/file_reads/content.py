"""What of a file is shown: its text, without credentials, and what is to be told about it."""

import codecs
import re
from dataclasses import dataclass

from mind.domain.errors import InputError
from mind.memory.file_reads.changes import lines_of
from mind.text import secrets

LARGEST = 2_000_000
"""Bytes of the largest file that is read."""

_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BAD = "\ufffd"
_REMOVED = "[removed]"
_END = re.compile(r"\r?\n")


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it is shown.

    Attributes:
        lines: With their ends, as they are in the file.
        size: Characters of the file: no answer has more.
        note: What is to be told about it; "" if nothing.
    """

    lines: tuple[str, ...]
    size: int
    note: str = ""


def content(data: bytes, name: str) -> Content:
    """The content of the file ``name``.

    UTF-8 comes as it is, with its byte order mark and its line ends. UTF-16 and UTF-32 with a mark
    are told. What is no text of either is replaced, and counted. Credentials are masked by no more
    characters than they have, and no line is lost.

    Raises:
        InputError: It is no text.
    """
    text, note = _decoded(data, name)
    shown = masked(text)
    return Content(lines=tuple(lines_of(shown)), size=len(text), note=note)


def _decoded(data: bytes, name: str) -> tuple[str, str]:
    for mark, codec in _WIDE:
        if data.startswith(mark):
            text = data.decode(codec, "replace")
            return text, f"{codec.upper()} in the file"
    if b"\0" in data:
        raise InputError(
            f"{name} is binary ({len(data):,} bytes)",
            remedy="Use a program that knows its format.",
        )
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    count = text.count(_BAD) - data.count(_BAD.encode())
    return text, f"not UTF-8: {_BAD} stands for what cannot be read, {count} times"


def masked(text: str) -> str:
    """``text`` with a mask for every credential, no longer than it, and with its line ends."""
    parts: list[str] = []
    last = 0
    for one in secrets.find(text):
        value = text[one.start : one.end]
        first, ends = _END.split(value, maxsplit=1)[0], _END.findall(value)
        marks = (f"[{one.name} removed]", _REMOVED, "*" * len(first))
        mask = next(mark for mark in marks if len(mark) <= len(first))
        parts += [text[last : one.start], mask, *ends]
        last = one.end
    return "".join((*parts, text[last:]))
