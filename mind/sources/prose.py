"""Markdown as plain sentences: drops purely visual markup, keeps code verbatim; pure."""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from mind.documents.markdown import Block
from mind.documents.markdown import fenced as between_fences
from mind.domain.entry import unfenced

_TARGET = r"(?:\((?:[^()\n]|\([^()\n]*\))*\)|\[[^\]\n]*\])"
_PICTURE = re.compile(rf"\[?!\[[^\[\]]*\]{_TARGET}(?:\]{_TARGET})?|!\[\[[^\[\]\n]*\]\]")
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\](?:\([^()\s]*(?:\s+\"[^\"]*\")?\)|\[[^\[\]\n]*\])")
_COMMENT = re.compile(
    r"(?P<code>(?<!`)(`++).+?(?<!`)\2(?!`))|<!--(?:(?!<!--).)*?-->|%%.*?%%", re.DOTALL
)
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w-]*)(?P<more>(?:\s[^<>]*)?/?)>")
_HTML = frozenset(
    """a abbr article aside b big blockquote body br caption center code dd del details div dl dt em
    figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hr html i iframe img ins kbd li link
    main mark meta nav ol p picture pre q s samp script section small source span strike strong
    style sub summary sup table tbody td tfoot th thead tr tt u ul var video wbr""".split()
)
_INLINE = frozenset("a abbr b code del em font i ins kbd mark s samp small span strong u".split())
"""Elements of :data:`_HTML` inside of words."""
_ITEM_ENDS = (".", "!", "?", "。", ",", "，")
_LISTED = re.compile(r"\s+\S|(?:[-*+]|\d{1,9}[.)])\s")
"""Matches a line of a list."""
_BLOCK = re.compile(r"\s|[-*+>]\s|#{1,6}\s|[|<(]|\d{1,9}[.)]\s|```|~~~|\$\$")
"""Matches the first line of what is no paragraph."""
_MARKS = re.compile(r"^\s*(?:>\s?)*(?:(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?|#{1,6}\s+)?")

_INNER = re.compile(r"^\s*(?:>\s?)*(?:[-*]\s+(?:\[[ xX]\]\s+)?|#{1,6}\s+)?")
"""As above, for further lines: a list that begins with 3 does not interrupt a paragraph."""


def plain(raw: str) -> str:
    """Return ``raw`` on one line, without images, comments, tags and bullets; code is unchanged."""
    parts = _uncommented(raw).split("`")
    bare = "`".join(
        one if at % 2 else _untagged(_PICTURE.sub("", one)) for at, one in enumerate(parts)
    )
    first, *others = bare.split("\n")
    lines = (_MARKS.sub("", first), *(_INNER.sub("", line) for line in others))
    return " ".join(" ".join(lines).split())


def _uncommented(raw: str) -> str:
    return _COMMENT.sub(lambda found: found["code"] or " ", raw)


def told(raw: str) -> str:
    """Return ``raw`` as it is, but for comments and images that have their data in the address."""
    lines = _uncommented(_PICTURE.sub(_shown, raw)).split("\n")
    return "\n".join(line.rstrip() for line in lines if line.strip()).lstrip()


def _shown(picture: re.Match[str]) -> str:
    return "(image)" if "](data:" in picture[0] else picture[0]


def _untagged(text: str) -> str:
    """Return ``text`` without tags; placeholders such as ``<name>`` are none."""
    closed = {tag["name"] for tag in _TAG.finditer(text) if tag["end"]}

    def kept(tag: re.Match[str]) -> str:
        is_element = tag["name"].lower() in _HTML or tag["name"] in closed
        if tag["name"].lower() in _INLINE:
            return ""
        return " " if is_element or "=" in tag["more"] or "/" in tag["more"] else tag[0]

    return _TAG.sub(kept, text)


def unlinked(text: str) -> str:
    """Replace links in ``text`` by their words."""
    return _LINK.sub(r"\1", text)


def fenced(block: Block) -> str:
    """Return a block of code between fences; "" if it is empty."""
    said = between_fences(block)
    return said if unfenced(said).strip() else ""


_DEFINITION = re.compile(
    r"^ {0,3}\[([^\[\]\n^][^\[\]\n]{0,200})\]:[ \t]*<?([^\s<>]{1,2000})>?(?=\s|$)"
)
_MOST_ADDED = 200_000
"""Maximum number of characters that the addresses of links add to a text."""
_REFERENCE = re.compile(r"(?<![\]!)A-Za-z0-9_])\[([^\[\]\n]{1,400})\]\[(?!\^)([^\[\]\n]{0,200})\]")


_FENCE = re.compile(r"\s*(?:[-*+>]\s+)?(?P<sign>`{3,}+(?!.*`)|~{3,})(?P<rest>.*)")


class Fence(NamedTuple):
    """The line that opens a block of code, and the line that closes it."""

    opening: str
    sign: str


def fences(lines: Iterable[str]) -> Iterator[tuple[bool, Fence | None]]:
    """Yield for each line whether it is code or a fence, and the fence that is open after it."""
    fence: Fence | None = None
    for line in lines:
        found = _FENCE.match(line)
        is_inside = bool(fence or found)
        if found and not fence:
            fence = Fence(line.strip(), found["sign"])
        elif found and fence and found["sign"].startswith(fence.sign) and not found["rest"].strip():
            fence = None
        yield is_inside, fence


def in_fences(lines: Iterable[str]) -> list[bool]:
    """Return for each line whether it is in a block of code between fences, or is one."""
    return [inside for inside, _ in fences(lines)]


def left_open(text: str) -> Fence | None:
    """Return the fence of the block of code in which a text ends."""
    return next(reversed([one for _, one in fences(text.split("\n"))]), None)


def resolved(body: str) -> str:
    """Return Markdown with the addresses of its link definitions where the links stand.

    Addresses that make the text much longer are left where they are defined.
    """
    room = _MOST_ADDED
    lines = body.split("\n")
    fenced = in_fences(lines)
    told = [not one and line.count("`") % 2 == 0 for line, one in zip(lines, fenced, strict=True)]
    found = (_DEFINITION.match(line) for line, one in zip(lines, told, strict=True) if one)
    targets = {" ".join(one[1].casefold().split()): one[2] for one in found if one}

    def link(found: re.Match[str]) -> str:
        nonlocal room
        target = targets.get(" ".join((found[2] or found[1]).casefold().split()), "")
        room -= len(target)
        return f"[{found[1]}]({target})" if target and room >= 0 else found[0]

    for at, line in enumerate(lines) if targets else ():
        if told[at] and "][" in line:
            parts = line.split("`")  # code is in every second one
            parts[::2] = [_REFERENCE.sub(link, one) for one in parts[::2]]
            lines[at] = "`".join(parts)
    return "\n".join(lines)


def own(block: Block) -> str:
    """Return a block's own text on one line."""
    if block.type == "code":
        return " ".join("\n".join(fenced(block).split("\n")[1:-1]).split())
    return plain("\n".join(line.text for line in block.lines))


def whole(block: Block) -> str:
    """Return a block's text including nested blocks: ``item: below; below``."""
    if block.type == "row":
        return "; ".join(filter(None, map(plain, block.cells)))
    is_numbered = block.type == "item" and block.marker[:1].isdigit()
    number = f"{block.marker} " if is_numbered else ""
    return joined([f"{number}{own(block)}"], map(whole, block.children))


def markdown(block: Block) -> str:
    """Return a block as Markdown: text as in :func:`told`, lists, tables and code as they are."""
    if block.type == "code":
        return fenced(block)
    if block.type == "list":
        items = ((markdown(one), one.marker) for one in block.children)
        return "\n".join(listed(text, marker) for text, marker in items if text)
    if block.type == "table":
        rows = [told(one.lines[0].text) for one in block.children]
        return "\n".join((rows[0], "|---" * len(block.children[0].cells) + "|", *rows[1:]))
    box = {True: "[x] ", False: "[ ] ", None: ""}[block.checked]
    own = told("\n".join(f"{' ' * line.indent}{line.text}" for line in block.lines))
    return stacked((f"{box}{own}", *map(markdown, block.children)))


def listed(text: str, marker: str = "-") -> str:
    """Return an item of a list with further lines indented below its text."""
    marker = marker if marker[:1].isdigit() else "-"
    return f"{marker} {text}".replace("\n", f"\n{' ' * (len(marker) + 1)}").rstrip()


def unlisted(text: str, *, whole: bool = False) -> str:
    """Return a list of one item as its text; other texts as they are.

    Args:
        text: Markdown.
        whole: The text stands alone, so that the item can have a list below it.
    """
    first, *others = text.split("\n")
    is_one = first.startswith("- ") and all(not one or one.startswith("  ") for one in others)
    is_one = is_one and (whole or not any(_LISTED.match(one[2:]) for one in others))
    return "\n".join((first[2:], *(one[2:] for one in others))) if is_one else text


def stacked(parts: Iterable[str], *, paragraphs: bool = False) -> str:
    """Join blocks of Markdown, with a blank line only where two would run together.

    Args:
        parts: The blocks.
        paragraphs: Paragraphs are blocks too, not lines of one.
    """
    made = ""
    for part in filter(None, parts):
        last = made.rpartition("\n")[2]
        runs_on = _LISTED.match(last) is not None and not _LISTED.match(part)
        runs_on = runs_on or (last.startswith(">") and not part.startswith(">"))
        is_table = last.endswith("|") or part.startswith("|")
        begins = _LISTED.match(part) is not None and part[0].isdigit() and part[:2] != "1."
        begins = begins and not _LISTED.match(last)
        is_prose = paragraphs and not (_BLOCK.match(last) or _BLOCK.match(part))
        gap = "\n\n" if runs_on or is_table or begins or is_prose else "\n"
        made = f"{made}{gap if made else ''}{part}"
    return made


def in_state(block: Block, states: Container[bool | None], own: bool | None = None) -> Block | None:
    """Return a block with only what is in one of ``states``; None if nothing is.

    Args:
        block: The block.
        states: States of tasks: True for done, False for open, None for what is in no task.
        own: State of what the block is in; its own box, if it has one, overrides it.
    """
    own = own if block.checked is None else block.checked
    inner = tuple(one for part in block.children if (one := in_state(part, states, own)))
    return replace(block, children=inner) if inner or own in states else None


def joined(heads: Iterable[str], items: Iterable[str]) -> str:
    """Join sentences and the items that they introduce on one line."""
    head = " ".join(filter(None, heads))
    below = ""
    for one in filter(None, items):
        between = " " if below.endswith(_ITEM_ENDS) else "; "
        below = f"{below}{between if below else ''}{one.rstrip(' ;')}"
    if not head or not below:
        return head or below
    is_open = head.rstrip("*_").endswith((":", "：", ".", "!", "?"))
    return f"{head} {below}" if is_open else f"{head}: {below}"
