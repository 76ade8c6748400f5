"""Rebuilding a file from an answer of ``mind_read``, to prove that an answer leaves nothing out."""

import re
from collections.abc import Sequence

from mind.memory.file_reads.changes import digest, lines_of

_HEAD = re.compile(r"\[mind_read ([0-9a-f]{8}): ([^\n]*)\](?:\n|\Z)")
_SINCE = re.compile(r"(?:unchanged|(\d+) changes?) since you read it")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def apply(previous: str, answer: str) -> str:
    """Return the text that ``answer`` represents.

    Args:
        previous: The text that the last answer to the same request represented; "" at first.
        answer: Result of :func:`mind.memory.file_reads.giving.give`.

    Raises:
        ValueError: The answer is based on a text other than ``previous``.
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
