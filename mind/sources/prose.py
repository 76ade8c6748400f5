"""Markdown as plain sentences: drops purely visual markup, keeps code verbatim; pure."""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from textwrap import dedent

from mind.documents.markdown import Block

_PICTURE = re.compile(
    r"\[?!\[[^\[\]]*\](?:\([^()\n]*\)|\[[^\]\n]*\])(?:\](?:\([^()\n]*\)|\[[^\]\n]*\]))?|!\[\[[^\[\]\n]*\]\]"
)
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
_WIDE = re.compile(r"[\u2e80-\uffff]")
_WORD = re.compile(r"\S+")
_STOPS = (".", "!", "?", "。", "！", "？", ";", ":", "：", ",")
_ITEM_ENDS = (".", "!", "?", "。", ",", "，")
_LEAST_WRAPPED = 50
"""Minimum width, in columns, at which text is wrapped."""
_MARKS = re.compile(r"^\s*(?:>\s?)*(?:(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?|#{1,6}\s+)?")

_INNER = re.compile(r"^\s*(?:>\s?)*(?:[-*]\s+(?:\[[ xX]\]\s+)?|#{1,6}\s+)?")
"""As above, for further lines: a list that begins with 3 does not interrupt a paragraph."""


def plain(raw: str) -> str:
    """Return ``raw`` on one line, without images, comments, tags and bullets; code is unchanged."""
    return _plain(raw, _MARKS)


def _plain(raw: str, marks: re.Pattern[str]) -> str:
    parts = _uncommented(raw).split("`")
    bare = "`".join(
        one if at % 2 else _untagged(_PICTURE.sub("", one)) for at, one in enumerate(parts)
    )
    first, *others = bare.split("\n")
    lines = (marks.sub("", first), *(_INNER.sub("", line) for line in others))
    return " ".join(" ".join(lines).split())


def _uncommented(raw: str) -> str:
    return _COMMENT.sub(lambda found: found["code"] or " ", raw)


def lines(raw: str) -> str:
    """Return ``raw`` as :func:`plain` does, with ⏎ at the line ends that the author meant."""
    first, *others = _uncommented(raw).split("\n")
    said = [one for one in (plain(first), *(_plain(line, _INNER) for line in others)) if one]
    is_split = any(one.count("`") % 2 for one in said)
    if len(said) < 2 or is_split or not _is_meant(said):
        return plain(raw)
    made = said[0]
    for one in said[1:]:
        goes_on = made.endswith(_STOPS) and not one[0].islower()
        made = f"{made} {one}" if goes_on else f"{made} ⏎ {one}"
    return made


def _is_meant(said: Sequence[str]) -> bool:
    """Return True for lines that no program or person wrapped at a width.

    Wrapped lines are full: the next word did not fit. An edit may leave a few that are not.
    """
    widths = [len(one) + len(_WIDE.findall(one)) for one in said]
    longest = max(widths)
    free = sum(
        width + 1 + len((_WIDE.match(one) or _WORD.match(one) or [one])[0]) <= longest
        for width, one in zip(widths, said[1:], strict=False)
    )
    return longest < _LEAST_WRAPPED or 2 * free >= len(said) - 1


def _untagged(text: str) -> str:
    """Return ``text`` without tags; placeholders such as ``<name>`` are none."""
    closed = {tag["name"] for tag in _TAG.finditer(text) if tag["end"]}

    def kept(tag: re.Match[str]) -> str:
        is_element = tag["name"].lower() in _HTML or tag["name"] in closed
        return " " if is_element or "=" in tag["more"] or "/" in tag["more"] else tag[0]

    return _TAG.sub(kept, text)


def unlinked(text: str) -> str:
    """Replace links in ``text`` by their words."""
    return _LINK.sub(r"\1", text)


def code(raw: str) -> str:
    """Return a code block in backticks on one line, without fences, with ⏎ for line ends."""
    lines = [line.rstrip() for line in raw.split("\n") if line.strip()]
    fenced = bool(lines) and lines[0].lstrip().startswith(("```", "~~~"))
    lines = lines[1:] if fenced else lines
    if fenced and lines and not lines[-1].strip(" \t`~"):
        lines.pop()
    said = " ⏎ ".join(dedent("\n".join(lines)).split("\n"))
    marks = "`" * (1 + max(map(len, re.findall("`+", said)), default=0))
    gap = " " if said[:1] == "`" or said[-1:] == "`" else ""
    return f"{marks}{gap}{said}{gap}{marks}" if said else ""


IMAGE = "(image)"


def is_image(block: Block) -> bool:
    """Return True for a paragraph that has nothing but images."""
    raw = "\n".join(line.text for line in block.lines)
    return _PICTURE.search(raw) is not None and not plain(raw)


_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]\n^][^\[\]\n]{0,200})\]:[ \t]*<?([^\s<>]+)>?(?=\s|$)")
_REFERENCE = re.compile(r"(?<![\]!)A-Za-z0-9_])\[([^\[\]\n]{1,400})\]\[(?!\^)([^\[\]\n]{0,200})\]")


_FENCE = re.compile(r"\s*(?:[-*+>]\s+)?(?P<sign>`{3,}(?!.*`)|~{3,})(?P<rest>.*)")


def in_fences(lines: Iterable[str]) -> list[bool]:
    """Return for each line whether it is in a code block between fences, or is one."""
    told, fence = list[bool](), ""
    for line in lines:
        found = _FENCE.match(line)
        told.append(bool(fence or found))
        if found and not fence:
            fence = found["sign"]
        elif found and found["sign"].startswith(fence) and not found["rest"].strip():
            fence = ""
    return told


def resolved(body: str) -> str:
    """Return Markdown with the addresses of its link definitions where the links stand."""
    lines = body.split("\n")
    fenced = in_fences(lines)
    told = [not one and line.count("`") % 2 == 0 for line, one in zip(lines, fenced, strict=True)]
    found = (_DEFINITION.match(line) for line, one in zip(lines, told, strict=True) if one)
    targets = {" ".join(one[1].casefold().split()): one[2] for one in found if one}

    def link(found: re.Match[str]) -> str:
        target = targets.get(" ".join((found[2] or found[1]).casefold().split()))
        return f"[{found[1]}]({target})" if target else found[0]

    for at, line in enumerate(lines) if targets else ():
        if told[at] and "][" in line:
            parts = line.split("`")  # code is in every second one
            parts[::2] = [_REFERENCE.sub(link, one) for one in parts[::2]]
            lines[at] = "`".join(parts)
    return "\n".join(lines)


def own(block: Block) -> str:
    """Return a block's own text as sentences."""
    raw = "\n".join(line.text for line in block.lines)
    return code(raw) if block.type == "code" else plain(raw)


def whole(block: Block) -> str:
    """Return a block's text including nested blocks: ``item: below; below``."""
    if block.type == "row":
        return "; ".join(filter(None, map(plain, block.cells)))
    is_numbered = block.type == "item" and block.marker[:1].isdigit()
    number = f"{block.marker} " if is_numbered else ""
    return joined([f"{number}{own(block)}"], map(whole, block.children))


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


def text(blocks: Iterable[Block]) -> str:
    """Return the joined text of blocks."""
    said = ""
    for block in blocks:
        if block.type in ("heading", "rule", "definition", "front_matter"):
            continue
        more = whole(block)
        if not said or not more:
            said = said or more
        elif said.rstrip("*_").endswith((".", "!", "?", ":", "：", "。", ";")):
            said = f"{said} {more}"
        else:
            said = f"{said}. {more}"
    return said
