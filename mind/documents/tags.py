"""Tags in a text: ``#database``, except in code, links and inline fields; pure."""

import re
from collections.abc import Iterator

from mind.documents import markdown
from mind.documents.markdown import Edit
from mind.domain.entry import Span
from mind.text import lazy_pattern

_NAME = r"[^\W\d_](?:[\w/-]|(?<=\d)\.(?=\d)){0,60}"
_TAG = lazy_pattern(rf"(?<![\w#/&])#({_NAME})")
_ELSE = lazy_pattern(
    r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)|\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\([^()\s]*\)|<[^<>\s]+>|\b\w+://\S+|"
    r"\[[A-Za-z][\w -]{0,39}::[^\[\]\n]{0,400}\]"
)
"""Code, links and inline fields."""
_NO_TEXT = frozenset({"heading", "code", "html", "definition", "front_matter", "rule"})


def is_tag(name: str) -> bool:
    """Return whether ``name``, without its hash, can be a tag."""
    return re.fullmatch(_NAME, name) is not None


def tags_in(text: str) -> tuple[str, ...]:
    """The tags of ``text`` without their hash, in order of appearance."""
    return tuple(dict.fromkeys(one[1] for one in _found(text))) if "#" in text else ()


def _found(text: str) -> Iterator[re.Match[str]]:
    shown = _ELSE.sub(lambda one: " " * len(one[0]), text)
    return _TAG.finditer(shown)


def renaming(source: bytes, old: str, new: str) -> list[Edit]:
    """Edits that rename the tag ``old``, ignoring case, to ``new``; headings are unchanged."""
    if b"#" not in source:
        return []
    wanted, text = old.casefold(), new.encode()
    edits = []
    for block in markdown.parse(source).walk():
        if block.type in _NO_TEXT:
            continue
        for line in block.lines:
            for one in _found(line.text) if "#" in line.text else ():
                if one[1].casefold() == wanted:
                    start = line.span.start + len(line.text[: one.start(1)].encode())
                    edits.append(Edit(Span(start, start + len(one[1].encode())), text))
    return edits


def distance(one: str, other: str) -> int:
    """Return the number of edits (insert, delete, replace, swap) from ``one`` to ``other``.

    This is the Levenshtein distance with transpositions (optimal string alignment).
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for to, wanted in enumerate(other, 1):
            cost = min(before[to] + 1, row[-1] + 1, before[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and (letter, wanted) == (other[to - 2], one[at - 2]):
                cost = min(cost, earlier[to - 2] + 1)
            row.append(cost)
    return row[-1]
