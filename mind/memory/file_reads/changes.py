r"""Changes between two texts, in a form that a model reads.

An answer is the text itself, or begins with a bracketed line that has a digest of the represented
text::

    [mind_read 5f3a91bc: 1 change since you read it]
    @@ -10,2 +10,3 @@ def parse(text):
    -    return text
    -
    +    if not text:
    +        return ""
    +    return text

Hunks are those of a unified diff without context. As in git, each is followed by the last
unindented line above it. Of many removed lines only the first are listed: the hunk header has
their number, which suffices to rebuild the text. A line without a line end is followed by
``\ No newline at end of file``.
"""

import codecs
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from mind.domain.errors import InputError
from mind.text import secrets

_TOLD_REMOVED = 6
"""Maximum number of removed lines listed per hunk."""
_SHORTENED = 3
_LONGEST_PLACE = 60
_COSTLY = 100_000
"""Number of line pairs above which lines are not compared one by one."""
_PLACE = re.compile(r"[^\W\d]|[$#]")
_ENDLESS = "\\ No newline at end of file\n"

Block = tuple[int, int, int, int]
"""Lines [a, b) of the old text, replaced by lines [c, d) of the new one."""


def digest(text: str) -> str:
    """Return an eight-character digest of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def lines_of(text: str) -> list[str]:
    """Split ``text`` into lines with their ends; only a line feed ends a line."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def changed(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Return the blocks of lines that differ, in order; empty if the texts are equal.

    Lines that are unique in both texts are anchors (patience diff, Bram Cohen); small gaps between
    anchors are compared line by line. The cost is that of sorting, for any texts.
    """
    found: list[Block] = []
    rest = [(0, len(old), 0, len(new))]
    while rest:
        block = _trimmed(old, new, rest.pop())
        a, b, c, d = block
        if a == b or c == d:
            found += [block] if a < b or c < d else []
            continue
        if (b - a) * (d - c) <= _COSTLY:
            found += _compared(old, new, block)
            continue
        common = _once_in_both(old[a:b], new[c:d])
        if not common:
            found.append(block)
            continue
        starts = [(a, c), *((a + one + 1, c + other + 1) for one, other in common)]
        ends = [*((a + one, c + other) for one, other in common), (b, d)]
        gaps = zip(starts, ends, strict=True)
        rest += reversed([(a, b, c, d) for (a, c), (b, d) in gaps])
    return found


def _trimmed(old: Sequence[str], new: Sequence[str], block: Block) -> Block:
    """Strip equal lines from the start and end of ``block``."""
    a, b, c, d = block
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return a, b, c, d


def _compared(old: Sequence[str], new: Sequence[str], block: Block) -> Iterator[Block]:
    from difflib import SequenceMatcher  # noqa: PLC0415 - only if texts differ

    a, b, c, d = block
    for tag, *found in SequenceMatcher(None, old[a:b], new[c:d], autojunk=False).get_opcodes():
        if tag != "equal":
            yield a + found[0], a + found[1], c + found[2], c + found[3]


def _once_in_both(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the longest common subsequence of lines that are unique in both texts."""
    counts, others = Counter(old), Counter(new)
    place = {line: at for at, line in enumerate(new)}
    pairs = [(at, place[line]) for at, line in enumerate(old) if counts[line] == others[line] == 1]
    tails: list[int] = []  # the last line of the best run of each length
    runs: list[tuple[int, int]] = []
    before: list[int] = []
    best: list[int] = []
    for at, pair in enumerate(pairs):
        length = bisect_left(tails, pair[1])
        before.append(best[length - 1] if length else -1)
        tails[length : length + 1] = [pair[1]]
        best[length : length + 1] = [at]
    step = best[-1] if best else -1
    while step >= 0:
        runs.append(pairs[step])
        step = before[step]
    return runs[::-1]


def diff(old: Sequence[str], new: Sequence[str], blocks: Sequence[Block]) -> str:
    """Return the hunks of ``blocks``, without context."""
    return "".join(part for block in blocks for part in _hunk(old, new, block))


def _hunk(old: Sequence[str], new: Sequence[str], block: Block) -> Iterator[str]:
    a, b, c, d = block
    yield f"@@ -{_range(a, b)} +{_range(c, d)} @@{_place(new, c)}\n"
    removed = b - a
    told = removed if removed <= _TOLD_REMOVED else _SHORTENED
    yield from _marked("-", old[a : a + told])
    if told < removed:
        yield f"-[… {removed - told} more lines removed]\n"
    yield from _marked("+", new[c:d])


def _range(start: int, end: int) -> str:
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"


def _place(lines: Sequence[str], before: int) -> str:
    for at in range(before - 1, -1, -1):
        if _PLACE.match(lines[at]):
            return f" {lines[at].rstrip()[:_LONGEST_PLACE]}"
    return ""


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line
        if not line.endswith("\n"):
            yield f"\n{_ENDLESS}"


LARGEST = 2_000_000
"""Maximum size of a file, in bytes."""

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
class ShownFile:
    """A file as shown to the model.

    Attributes:
        lines: Lines with their ends, as in the file.
        size: Length of the file in characters, the limit of an answer.
        note: Note about its encoding or masks; "" if none.
    """

    lines: tuple[str, ...]
    size: int
    note: str = ""


def content(data: bytes, name: str) -> ShownFile:
    """Return the content of the file ``name``.

    UTF-8 is kept unchanged, with byte order mark and line ends. UTF-16 and UTF-32 with a byte order
    mark are decoded and noted. Invalid characters are replaced and counted. Masks are never longer
    than the credentials, and keep the number of lines.

    Raises:
        InputError: The file is not text.
    """
    text, note = _decoded(data, name)
    shown = masked(text)
    return ShownFile(lines=tuple(lines_of(shown)), size=len(text), note=note)


def _decoded(data: bytes, name: str) -> tuple[str, str]:
    for mark, codec in _WIDE:
        if data.startswith(mark):
            text = data.decode(codec, "replace")
            return text, f"{codec.upper()} in the file"
    if b"\0" in data:
        raise InputError(
            f"{name} is binary ({len(data):,} bytes)",
            remedy="Use a program that reads this format.",
        )
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    count = text.count(_BAD) - data.count(_BAD.encode())
    return text, f"not UTF-8: {_BAD} stands for what cannot be read, {count} times"


def masked(text: str) -> str:
    """Mask credentials in ``text``, without making it longer or changing line ends."""
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
