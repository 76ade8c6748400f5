"""Two people's changes to one text, put together by lines; pure."""

from collections.abc import Iterator, Sequence

Lines = list[bytes]


def merge(base: bytes, one: bytes, other: bytes) -> bytes:
    """What ``one`` and ``other`` each changed in ``base``, together.

    Where both changed the same lines differently, both versions are kept, ``one`` first: nothing
    is lost, and a person can see it.
    """
    if other in (one, base):
        return one
    if one == base:
        return other
    old = base.splitlines(keepends=True)
    left, right = one.splitlines(keepends=True), other.splitlines(keepends=True)
    result: Lines = []
    at = first = second = 0
    for start, end, a, b in [
        *_common(old, left, right),
        (len(old), len(old), len(left), len(right)),
    ]:
        result += _together(old[at:start], left[first:a], right[second:b])
        result += old[start:end]
        at, first, second = end, a + end - start, b + end - start
    return b"".join(_with_line_ends(result))


def _together(old: Lines, left: Lines, right: Lines) -> Lines:
    if left in (old, right):
        return right
    if right == old:
        return left
    return left + [line for line in right if line not in left]


def _common(
    old: Sequence[bytes], left: Sequence[bytes], right: Sequence[bytes]
) -> Iterator[tuple[int, int, int, int]]:
    """Runs of ``old`` that are in both: (start, end, start in left, start in right)."""
    in_left, in_right = _matching(old, left), _matching(old, right)
    at = 0
    while at < len(old):
        if at not in in_left or at not in in_right:
            at += 1
            continue
        end = at + 1
        while (
            in_left.get(end) == in_left[at] + end - at
            and in_right.get(end) == in_right[at] + end - at
        ):
            end += 1
        yield at, end, in_left[at], in_right[at]
        at = end


def _matching(old: Sequence[bytes], new: Sequence[bytes]) -> dict[int, int]:
    from difflib import SequenceMatcher  # noqa: PLC0415 - only when two saves met

    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return {one.a + n: one.b + n for one in blocks for n in range(one.size)}


def _with_line_ends(lines: Lines) -> Lines:
    """A last line without a line end may have come before others."""
    return [
        line if line.endswith(b"\n") or at == len(lines) - 1 else line + b"\n"
        for at, line in enumerate(lines)
    ]
