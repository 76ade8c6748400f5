r"""Changes between two texts, in a form that a model reads and a program applies.

An answer is the text itself, or begins with a line in brackets that carries a digest of the text
it stands for::

    [mind_read 5f3a91bc: 1 change since you read it]
    @@ -10,2 +10,3 @@ def parse(text):
    -    return text
    -
    +    if not text:
    +        return ""
    +    return text

Hunks are those of a unified diff without context. The line of the text above it that begins at its
margin stands behind each, as git shows it. Of many removed lines only the first are told: their
number stands in the hunk's head, and who applies it needs no more. A line that nothing ends is
followed by ``\ No newline at end of file``.
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
"""Removed lines that a hunk tells before it only counts them."""
_SHORTENED = 3
_LONGEST_PLACE = 60
_COSTLY = 100_000
"""Pairs of lines beyond which they are not compared one by one."""
_PLACE = re.compile(r"[^\W\d]|[$#]")
_HEAD = re.compile(r"\[mind_read ([0-9a-f]{8}): ([^\n]*)\](?:\n|\Z)")
_SINCE = re.compile(r"(?:unchanged|(\d+) changes?) since you read it")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ENDLESS = "\\ No newline at end of file\n"

Block = tuple[int, int, int, int]
"""Lines [a, b) of the old text became lines [c, d) of the new one."""


def digest(text: str) -> str:
    """Eight characters that tell a text from others."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def lines_of(text: str) -> list[str]:
    """The lines of ``text`` with their ends; only a line feed ends one."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def changed(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """The blocks of lines that differ, in order; nothing if the texts are the same.

    Lines that stand once in both texts hold them together (patience diff, Bram Cohen); what lies
    between two of them is compared line by line where it is small. So it takes no longer than
    some sorting, whatever the texts.
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
    """``block`` without what is the same at its beginning and at its end."""
    a, b, c, d = block
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return a, b, c, d


def _compared(old: Sequence[str], new: Sequence[str], block: Block) -> Iterator[Block]:
    from difflib import SequenceMatcher  # noqa: PLC0415 - only where texts differ

    a, b, c, d = block
    for tag, *found in SequenceMatcher(None, old[a:b], new[c:d], autojunk=False).get_opcodes():
        if tag != "equal":
            yield a + found[0], a + found[1], c + found[2], c + found[3]


def _once_in_both(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The longest run of lines, in the order of both, of those that stand once in each."""
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
    """The hunks of ``blocks``, as :func:`apply` reads them."""
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


def apply(previous: str, answer: str) -> str:
    """The text that ``answer`` stands for.

    Args:
        previous: The text that the last answer to the same question stood for; "" before.
        answer: Of :func:`mind.memory.file_reads.giving.give`.

    Raises:
        ValueError: It was made for another text than ``previous``.
    """
    head = _HEAD.match(answer)
    if head is None:
        return answer
    rest = answer[head.end() :]
    is_told = _SINCE.search(head[2]) is not None
    text = _patched(lines_of(previous), lines_of(rest)) if is_told else rest
    if digest(text) != head[1]:
        raise ValueError("the answer was made for another text")
    return text


def is_like_an_answer(text: str) -> bool:
    """True if ``text`` begins as answers do, and cannot be one by itself."""
    return _HEAD.match(text) is not None


def _patched(old: Sequence[str], rows: Sequence[str]) -> str:
    parts: list[str] = []
    done = at = 0
    while at < len(rows):
        head = _HUNK.match(rows[at])
        if head is None:
            raise ValueError(f"no hunk: {rows[at]}")
        start, removed, added = (int(number or 1) for number in head.groups(default=""))
        first = start - 1 if removed else start
        parts += old[done:first]
        done, at = first + removed, at + 1
        while at < len(rows) and rows[at].startswith(("-", "\\")):
            at += 1
        for row in rows[at : at + added]:
            parts.append(row[1:])
        at += added
        if at < len(rows) and rows[at].startswith("\\"):
            parts[-1] = parts[-1].removesuffix("\n")
            at += 1
    return "".join((*parts, *old[done:]))


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
class ShownFile:
    """A file as it is shown.

    Attributes:
        lines: With their ends, as they are in the file.
        size: Characters of the file: no answer has more.
        note: What is to be told about it; "" if nothing.
    """

    lines: tuple[str, ...]
    size: int
    note: str = ""


def content(data: bytes, name: str) -> ShownFile:
    """The content of the file ``name``.

    UTF-8 comes as it is, with its byte order mark and its line ends. UTF-16 and UTF-32 with a mark
    are told. What is no text of either is replaced, and counted. Credentials are masked by no more
    characters than they have, and no line is lost.

    Raises:
        InputError: It is no text.
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
