"""``MEMORY:`` notes in the comments of a text, each with the lines that continue it."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from mind.sources import MARK
from mind.sources.syntax import Remark, Syntax, remarks

_MOST_LINES = 30
_MENTION = re.compile(r"(?:[-*•]\s+)?(?:\*\*)?MEMORY:(?:\*\*)?\s*")
_DECORATION = re.compile(r"[ \t\r]*+(?:[*|!#+~-]+(?=[ \t\r]|$))?[ \t\r]*+")
_TAIL = re.compile(r"(?:\*+|\s[*~-]+)?\s*$")
_OTHER = re.compile(
    r"(?:TODO|FIXME|XXX|HACK|BUG|NOTE|SAFETY|OPTIMIZE)\b\s*[:(]|:(?:param|returns?|raises)\b|"
    r"[@\\](?:param|returns?|throws|exception|see|since|deprecated|type|typedef|template|example|"
    r"author|brief|note|todo|property|override|internal|default|ts-)\b|"
    r"(?:noqa|type:|fmt:|pylint:|mypy:|ruff:|pragma:|nolint|eslint-|prettier-|tslint:|region\b|"
    r"endregion\b|spell-?checker:|cspell:|istanbul |c8 |v8 |shellcheck |rubocop:)"
)


@dataclass(frozen=True, slots=True)
class Note:
    """A note that a comment asks to remember.

    Attributes:
        text: On one line, without ``MEMORY:``.
        said: The same on its own lines.
        line: First line, 1-based.
        end: Last line, inclusive.
        start: Offset of ``MEMORY:`` in the text.
        stop: Offset behind the last word.
    """

    text: str
    said: str
    line: int
    end: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a comment; ``style`` is the same for lines that can continue one another."""

    number: int
    start: int
    stop: int
    style: tuple[str, int]
    alone: bool


def notes(text: str, syntax: Syntax) -> Iterator[Note]:
    """The notes of a text in the order in which they stand."""
    gathered: list[_Line] = []
    first = 0
    for line in _lines(text, syntax):
        said = text[line.start : line.stop]
        mention = _MENTION.match(said)
        if gathered and (mention or not _goes_on(gathered, line, said)):
            yield _note(text, gathered, first)
            gathered = []
        if mention:
            first = line.start + mention.end()
        if mention or gathered:
            gathered.append(line)
    if gathered:
        yield _note(text, gathered, first)


def _goes_on(gathered: list[_Line], line: _Line, said: str) -> bool:
    last = gathered[-1]
    adjoins = line.style == last.style and line.number == last.number + 1 and line.alone
    says = re.search(r"\w", said) is not None and not _OTHER.match(said)
    return adjoins and says and len(gathered) < _MOST_LINES


def _note(text: str, lines: list[_Line], first: int) -> Note:
    parts = [text[first : lines[0].stop], *(text[line.start : line.stop] for line in lines[1:])]
    return Note(
        text=" ".join(" ".join(parts).split()),
        said="\n".join(parts),
        line=lines[0].number,
        end=lines[-1].number,
        start=lines[0].start,
        stop=lines[-1].stop,
    )


def _lines(text: str, syntax: Syntax) -> Iterator[_Line]:
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    for number, remark in enumerate(remarks(text, syntax)):
        if remark.mark or MARK in text[remark.first : remark.end]:
            yield from _lines_of(text, remark, starts, -number - 1)


def _lines_of(text: str, remark: Remark, starts: list[int], block: int) -> Iterator[_Line]:
    row = bisect_right(starts, remark.start) - 1
    column = remark.start - starts[row]
    alone = not text[starts[row] : remark.start].strip()
    style = (remark.mark, column if remark.mark else block)
    at = remark.first
    row = bisect_right(starts, remark.first) - 1
    while at <= remark.end:
        stop = text.find("\n", at, remark.end)
        stop = remark.end if stop < 0 else stop
        yield _line(text, at, stop, _Line(row + 1, 0, 0, style, alone or not remark.mark))
        at = stop + 1
        row += 1


def _line(text: str, at: int, stop: int, line: _Line) -> _Line:
    """``line`` between its first and its last character, without what decorates it."""
    decoration = _DECORATION.match(text, at, stop)
    start = decoration.end() if decoration else at
    tail = _TAIL.search(text, start, stop)
    end = tail.start() if tail else stop
    return _Line(line.number, start, max(start, end), line.style, line.alone)
