"""Paragraphs, list items and sentences of a message; quotations, code and logs are left out."""

import re
from collections.abc import Iterator

from mind.text.durability import spoken

_WRAPPED = 50
"""Characters of the shortest line that is wrapped."""
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_SHOWN = re.compile(
    r"\s*(?:>|\||#{1,6}\s|    \S|\t|\[\w+\]|\d{4}-\d\d-\d\d[T ]\d\d:|at \S+\(|[+@-]{2,})"
)
"""A line that is shown rather than said: quotation, table, heading, code, log."""
_ITEM = re.compile(r"^\s*(?:[-*•+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_ENDED = re.compile(r"[.!?:;…。！？：]['\"”)*`]*$")
_BREAK = re.compile(
    r"(?<!\b[A-Z]\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bz\.B\.)"
    r"(?<=[.!?])[\"'”)*]*\s+(?=\S)|(?<=[。！？])"
)


def sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line; what is quoted or code does not end one."""
    said, start = spoken(line), 0
    for end in [*(one.start() for one in _BREAK.finditer(said)), len(line)]:
        sentence, start = line[start:end].strip(), end
        if sentence:
            yield sentence


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield paragraphs and list items, each on one line, and whether it is an item."""
    gathered, is_item = "", False
    for line in [*_FENCE.sub("\n\n", text).splitlines(), ""]:
        bare = "" if _SHOWN.match(line) else " ".join(_ITEM.sub("", line).split())
        starts = bool(_ITEM.match(line))
        if gathered and (not bare or starts or _is_new(gathered, bare)):
            yield gathered, is_item
            gathered = ""
        if bare:
            is_item = starts if not gathered else is_item
            gathered = f"{gathered} {bare}".strip()


def _is_new(before: str, line: str) -> bool:
    """Return whether ``line`` begins a sentence rather than continuing a wrapped one."""
    return bool(_ENDED.search(before)) or not line[0].islower() or len(before) < _WRAPPED
