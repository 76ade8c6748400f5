"""Comments told from code and strings, for any language that a :class:`Syntax` describes."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

WINDOW = 50_000
_PARAGRAPH = 2_000

DOUBLE = r'"(?:\\.|[^"\\\n]){0,2000}+"'
SINGLE = r"'(?:\\.|[^'\\\n]){0,2000}+'"
CHARACTER = r"'(?:\\[^\n'][^'\n]{0,10}|\\'|[^'\\\n])'"
DOUBLED = r'"(?:""|[^"\n]){0,2000}+"'
DOUBLED_SINGLE = r"'(?:''|[^'\n]){0,2000}+'"
REGEX = (
    r"[=(,:\[!&|?{};]\s*+/(?![/*])(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n]){0,200}\]|[^/\\\n\[]){1,500}+/"
)


@dataclass(frozen=True, slots=True)
class Long:
    """A string that may go on over lines.

    Attributes:
        opening: Pattern of the opening mark.
        end: From the text, the opening mark, the offset behind it and the limit: the offset
            behind the string; the offset it was given where there is no string.
    """

    opening: str
    end: Callable[[str, str, int, int], int]


def _behind(text: str, closing: str, at: int, limit: int) -> int:
    found = text.find(closing, at, limit)
    return limit if found < 0 else found + len(closing)


def _triple_end(text: str, opening: str, at: int, limit: int) -> int:
    closing = opening[-3:]
    found = text.find(closing, at, limit)
    while found > 0 and _is_escaped(text, found, at):
        found = text.find(closing, found + 1, limit)
    return limit if found < 0 else found + 3


def _is_escaped(text: str, place: int, start: int) -> bool:
    backslashes = place
    while backslashes > start and text[backslashes - 1] == "\\":
        backslashes -= 1
    return (place - backslashes) % 2 == 1


def _plain_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, opening, at, limit)


def _rust_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, '"' + "#" * opening.count("#"), at, limit)


def _cpp_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, ")" + opening.partition('"')[2][:-1] + '"', at, limit)


def _levels_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, opening.replace("[", "]"), at, limit)


_VERBATIM = re.compile(r'(?:""|[^"])*+"')


def _verbatim_end(text: str, _opening: str, at: int, limit: int) -> int:
    found = _VERBATIM.match(text, at, limit)
    return found.end() if found else at


_WORD = re.compile(r"\w+\Z")


def _here_end(text: str, opening: str, at: int, limit: int) -> int:
    word = _WORD.search(opening)
    tag = re.escape(word[0]) if word else ""
    last = re.compile(rf"^[ \t]*+{tag}\b", re.MULTILINE)
    found = last.search(text, at, min(limit, at + WINDOW))
    return found.end() if found else at


def _fence_end(text: str, opening: str, at: int, limit: int) -> int:
    marks = opening.lstrip("-*+>0123456789.) \t")
    last = re.compile(rf"^[ \t>]*+{marks[0]}{{{len(marks)},}}[ \t]*+$", re.MULTILINE)
    found = last.search(text, at, limit)
    return found.end() if found else limit


def _ticks_end(text: str, opening: str, at: int, limit: int) -> int:
    last = re.compile(rf"(?<!`){opening}(?!`)")
    limit = min(limit, at + _PARAGRAPH)
    blank = text.find("\n\n", at, limit)
    found = last.search(text, at, limit if blank < 0 else blank)
    return found.end() if found else at


_IN_TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)
_IN_EXPRESSION = re.compile(rf"{DOUBLE}|{SINGLE}|//[^\n]*+|[`{{}}]", re.DOTALL)
_CONTEXT_END = "MIND:END"


def _template_end(text: str, _opening: str, at: int, limit: int) -> int:
    """Templates hold expressions, which hold strings, braces and templates."""
    within = ["`"]
    place = at
    limit = min(limit, at + WINDOW)
    while within:
        in_template = within[-1] == "`"
        found = (_IN_TEMPLATE if in_template else _IN_EXPRESSION).search(text, place, limit)
        if found is None:
            return at
        place = found.end()
        token = found[0]
        if token == ("`" if in_template else "}"):
            within.pop()
        elif token in ("${", "{", "`"):
            within.append(token)
    return place


def _context_end(text: str, _opening: str, at: int, limit: int) -> int:
    return _behind(text, _CONTEXT_END, at, limit)


TRIPLE = Long(r'"""|\'\'\'', _triple_end)
TRIPLE_DOUBLE = Long(r'"""', _triple_end)
RAW_RUST = Long(r'\bb?r\#*"', _rust_end)
RAW_CPP = Long(r'\b(?:u8|[uUL])?R"[^()\\\s"]{0,16}\(', _cpp_end)
RAW_GO = Long(r"`", _plain_end)
VERBATIM = Long(r'(?:@\$?|\$@)"', _verbatim_end)
LEVELS = Long(r"\[=*\[", _levels_end)
HERE = Long(r"<<[-~]?(?:['\"][A-Za-z_]|[A-Z_])\w*+", _here_end)
HERE_SHELL = Long(r"(?<!<)<<-?[ \t]*[\\'\"]?[A-Za-z_]\w*+", _here_end)
HERE_PHP = Long(r"<<<[ \t]*['\"]?[A-Za-z_]\w*+", _here_end)
TEMPLATE = Long(r"`", _template_end)
FENCE = Long(r"^[ \t>]*+(?:[-*+]|\d+[.)])?[ \t]*+(?:`{3,}+|~{3,}+)", _fence_end)
TICKS = Long(r"`++", _ticks_end)
CONTEXT = Long(r"<!-- ?MIND:CONTEXT\b", _context_end)


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
    """Comment syntax of a language, and what only looks like it.

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
