"""Comments told from code and strings, for any language that a :class:`Syntax` describes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from mind.sources.strings import CONTEXT, TRIPLE, WINDOW, Long


@dataclass(frozen=True, slots=True)
class Block:
    """A comment between two marks.

    Attributes:
        opening: Pattern of the opening mark.
        closing: The closing mark.
        inner: The opening mark as text, where such comments nest; "" where they do not.
    """

    opening: str
    closing: str
    inner: str = ""


@dataclass(frozen=True, slots=True)
class Syntax:
    """How the comments of a language look, and what only looks like one.

    Attributes:
        line: Patterns of marks that run to the end of the line.
        blocks: Comments between two marks.
        strings: Patterns of what is neither code nor comment, from end to end.
        long: Strings that may go on over lines.
        documents: A triple-quoted string that is a statement by itself is a comment.
        regions: Of what stands in ``<script>`` and ``<style>``.
    """

    line: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    strings: tuple[str, ...] = ()
    long: tuple[Long, ...] = ()
    documents: bool = False
    regions: "Syntax | None" = None


@dataclass(frozen=True, slots=True)
class Remark:
    """One comment in a text.

    Attributes:
        start: Offset of its mark.
        first: Offset of what it says.
        end: Offset behind what it says, before a closing mark.
        mark: The first character of its mark, to tell styles apart; "" for a block.
    """

    start: int
    first: int
    end: int
    mark: str


_DOCUMENT = r"^[ \t]*+(?:@\w*doc[ \t]+~?[sS]?)?[rRuU]?(?:\"\"\"|''')"
_REGION = r"<(?i:script|style)\b[^>]{0,500}>"
_PATIENCE = 50  # searches without a result, after which a text is taken to be unbalanced
_REGION_END = re.compile(r"</(?:script|style)\b", re.IGNORECASE)


def remarks(text: str, syntax: Syntax) -> Iterator[Remark]:
    """The comments of ``text``, in order."""
    return _Reader(text, syntax, 0, len(text)).run()


class _Reader:
    """One pass over a stretch of a text."""

    def __init__(self, text: str, syntax: Syntax, start: int, end: int) -> None:
        self._text = text
        self._syntax = replace(syntax, long=(CONTEXT, *syntax.long))
        self._at = start
        self._end = end
        self._depth = 0
        self._missing: set[str] = set()
        self._patience = _PATIENCE

    def run(self) -> Iterator[Remark]:
        steps = {
            "mark": self._mark,
            "document": self._document,
            "region": self._region,
            "block": self._block,
            "long": self._long,
            "bracket": self._bracket,
            "string": self._string,
        }
        pattern = _pattern(self._syntax)
        while found := pattern.search(self._text, self._at, self._end):
            self._at = found.end()
            name = found.lastgroup or ""
            yield from steps[name.rstrip("0123456789")](found, name)

    def _string(self, _found: re.Match[str], _name: str) -> Iterator[Remark]:
        return iter(())

    def _mark(self, found: re.Match[str], _name: str) -> Iterator[Remark]:
        end = self._text.find("\n", found.end(), self._end)
        self._at = self._end if end < 0 else end
        lead = len(found[0]) - len(found[0].lstrip())
        mark = found[0].strip()[0].lower()
        yield Remark(found.start() + lead, found.end(), self._at, mark)

    def _block(self, found: re.Match[str], name: str) -> Iterator[Remark]:
        block = self._syntax.blocks[int(name.removeprefix("block"))]
        end = self._nested_end(block) if block.inner and self._patience else -1
        if end < 0 and block.closing not in self._missing:
            end = self._text.find(block.closing, self._at, self._end)
        if end < 0:  # not closed: not a comment, and no later one closes either
            self._missing.add(block.closing)
            return
        self._at = end + len(block.closing)
        yield Remark(found.start(), found.end(), end, "")

    def _nested_end(self, block: Block) -> int:
        either = re.compile(f"{re.escape(block.inner)}|{re.escape(block.closing)}")
        depth = 1
        for found in either.finditer(self._text, self._at, min(self._end, self._at + WINDOW)):
            depth += 1 if found[0] == block.inner else -1
            if not depth:
                return found.start()
        self._patience -= 1
        return -1

    def _document(self, found: re.Match[str], _name: str) -> Iterator[Remark]:
        self._at = TRIPLE.end(self._text, found[0], found.end(), self._end)
        continues = self._text.endswith("\\\n", 0, found.start())
        if not self._depth and not continues:
            closed = self._text.endswith(found[0][-3:], found.end(), self._at)
            yield Remark(found.start(), found.end(), self._at - 3 if closed else self._at, "")

    def _long(self, found: re.Match[str], name: str) -> Iterator[Remark]:
        long = self._syntax.long[int(name.removeprefix("long"))]
        if self._patience:
            self._at = long.end(self._text, found[0], found.end(), self._end)
            self._patience -= self._at == found.end()
        return iter(())

    def _region(self, found: re.Match[str], _name: str) -> Iterator[Remark]:
        close = _REGION_END.search(self._text, found.end(), self._end)
        end = close.start() if close else self._end
        inner = self._syntax.regions or Syntax()
        yield from _Reader(self._text, inner, found.end(), end).run()
        self._at = end

    def _bracket(self, found: re.Match[str], _name: str) -> Iterator[Remark]:
        self._depth = max(0, self._depth + (1 if found[0] in "([{" else -1))
        return iter(())


@lru_cache(maxsize=64)
def _pattern(syntax: Syntax) -> re.Pattern[str]:
    groups = [(f"long{number}", long.opening) for number, long in enumerate(syntax.long[:1])]
    groups += [("document", _DOCUMENT)] if syntax.documents else []
    groups += [("region", _REGION)] if syntax.regions else []
    groups += [(f"block{number}", block.opening) for number, block in enumerate(syntax.blocks)]
    groups += [(f"long{number}", long.opening) for number, long in enumerate(syntax.long) if number]
    groups += [("string", "|".join(syntax.strings))] if syntax.strings else []
    groups += [("mark", "|".join(syntax.line))] if syntax.line else []
    groups += [("bracket", r"[()\[\]{}]")] if syntax.documents else []
    return re.compile(
        "|".join(f"(?P<{name}>{pattern})" for name, pattern in groups), re.MULTILINE | re.DOTALL
    )
