"""Comments told from code and strings, for any language that a :class:`Syntax` describes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_LINE_END = re.compile(r"\n|\Z")
_WINDOW = 50_000


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
        long: Patterns of the opening marks of long strings; group ``of`` in :data:`_CLOSING`.
        documents: A triple-quoted string that is a statement by itself is a comment.
        regions: Whether ``<script>`` and ``<style>`` hold another language.
    """

    line: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    strings: tuple[str, ...] = ()
    long: tuple[str, ...] = ()
    documents: bool = False
    regions: bool = False


@dataclass(frozen=True, slots=True)
class Remark:
    """One comment in a text.

    Attributes:
        start: Offset of its mark.
        first: Offset of what it says.
        end: Offset behind what it says, before a closing mark.
        mark: How its mark begins, to tell styles apart; "" for a block.
    """

    start: int
    first: int
    end: int
    mark: str


# Strings that end on their line. One that is not closed there is no string, so that a lone
# apostrophe (a lifetime, a contraction) hides nothing.
DOUBLE = r'"(?:\\.|[^"\\\n])*+"'
SINGLE = r"'(?:\\.|[^'\\\n])*+'"
CHARACTER = r"'(?:\\[^\n'][^'\n]{0,10}|\\'|[^'\\\n])'"
DOUBLED = r'"(?:""|[^"\n])*+"'
DOUBLED_SINGLE = r"'(?:''|[^'\n])*+'"

# Opening marks of strings that may go on over lines; see `_closing`.
TRIPLE = r'"""|\'\'\''
TRIPLE_DOUBLE = r'"""'
RAW_RUST = r'\bb?r\#*"'
RAW_CPP = r'\b(?:u8|[uUL])?R"[^()\\\s]{0,16}\('
RAW_GO = r"`"
VERBATIM = r'\$?@\$?"(?!")'
LEVELS = r"(?<!-)\[=*\["
HEREDOC = r"<<[-~]?[ \t]*[\\'\"]?[A-Za-z_]\w*(?!\w)"
HEREDOC_PHP = r"<<<[ \t]*['\"]?[A-Za-z_]\w*"
TEMPLATE = r"`"
FENCE = r"^[ \t>]*(?:[-*+]|\d+[.)])?[ \t]*(?:`{3,}|~{3,})"
TICKS = r"`+"

_CONTEXT = r"<!-- ?MIND:CONTEXT\b"
_DOCUMENT = r"^[ \t]*+[rRuU]?(?:\"\"\"|''')"
_REGION = r"<(?:script|style)\b[^>]{0,500}>"
_TEMPLATE_STEP = re.compile(r"\\.|`|\$\{", re.DOTALL)
_EXPRESSION_STEP = re.compile(
    rf"{DOUBLE}|{SINGLE}|//[^\n]*|/\*.*?\*/|`|[{{}}]", re.DOTALL
)  # fmt: skip


@lru_cache(maxsize=64)
def _pattern(syntax: Syntax) -> re.Pattern[str]:
    groups = [("context", _CONTEXT)]
    if syntax.documents:
        groups.append(("document", _DOCUMENT))
    if syntax.regions:
        groups.append(("region", _REGION))
    groups += [(f"block{number}", block.opening) for number, block in enumerate(syntax.blocks)]
    for name, patterns in (
        ("long", syntax.long),
        ("string", syntax.strings),
        ("mark", syntax.line),
    ):
        if patterns:
            groups.append((name, "|".join(patterns)))
    if syntax.documents:
        groups += [("up", r"[(\[{]"), ("down", r"[)\]}]")]
    return re.compile(
        "|".join(f"(?P<{name}>{pattern})" for name, pattern in groups), re.MULTILINE | re.DOTALL
    )


def remarks(
    text: str, syntax: Syntax, embedded: Syntax | None = None, start: int = 0, end: int = -1
) -> Iterator[Remark]:
    """The comments of ``text`` from ``start`` to ``end``, in order.

    Args:
        text: A whole file.
        syntax: Of that part of it.
        embedded: Of ``<script>`` and ``<style>``.
        start: Where to begin.
        end: Where to end; -1 for the end of the text.
    """
    end = len(text) if end < 0 else end
    pattern = _pattern(syntax)
    depth = 0
    at = start
    while found := pattern.search(text, at, end):
        name = found.lastgroup or ""
        at = found.end()
        if name == "up":
            depth += 1
        elif name == "down":
            depth = max(depth - 1, 0)
        elif name == "mark":
            lead = len(found[0]) - len(found[0].lstrip())
            at = min(_LINE_END.search(text, at).start(), end)  # type: ignore[union-attr] - \Z always matches
            yield Remark(found.start() + lead, found.end(), at, found[0].strip()[0].lower())
        elif name == "region" and embedded is not None:
            close = text.find("</", at, end)
            stop = _region_end(text, found[0], at, end)
            del close
            yield from remarks(text, embedded, None, at, stop)
            at = stop
        elif name.startswith("block"):
            block = syntax.blocks[int(name[5:])]
            stop = _block_end(text, block, at, end)
            yield Remark(found.start(), at, stop, "")
            at = min(stop + len(block.closing), end)
        elif name == "document" and not depth and not _continues(text, found.start()):
            stop, after = _quoted_end(text, found[0][-3:], at, end)
            yield Remark(found.start(), at, stop, "")
            at = after
        elif name in ("long", "document", "context"):
            at = _skipped(text, name, found[0], at, end)
