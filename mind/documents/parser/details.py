"""What a text says beside itself: reasons, alternatives, workarounds, tags, links, fields, id."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mind.documents.tags import tags_in

_BLOCK_ID = re.compile(r"(?:^|\s)\^([A-Za-z0-9][A-Za-z0-9-]{2,63})\s*$")
_INLINE_FIELD = re.compile(r"\s?\[([A-Za-z][\w -]{0,39})::\s?([^\[\]\n]{0,400})\]")
_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|[^\[\]\n]{0,200})?\]\]")
_CODE = re.compile(r"`[^`\n]{1,400}`")

_REASON = re.compile(
    r"(?<!\w)(?:because|since it|so that|due to|in order to|reason:|weil|damit|wegen|porque|"
    r"debido a|para que|parce qu[e']|car|afin de|grâce à|pois|devido a|потому что|так как|"
    r"чтобы|поскольку|из-за)(?!\w)[:\s]*|因为|因為|由于|为了|理由[:：]|ため、|なぜなら",
    re.IGNORECASE,
)
_DASH = re.compile(r"\s+[-–—]{1,2}\s+")
_ARROW = re.compile(r"\s*(?:->|→|=>|⇒)\s*")
_FIX = re.compile(
    r"(?<!\w)(?:fix|workaround|solution|use instead|fixed by|lösung|abhilfe|umgehung|solución|"
    r"solution de contournement|contournement|solução|contorno|решение|обходной путь|исправление)"
    r"\s*[:：]\s*|(?:解决方案|解决办法|解决方法|对策|対策|回避策|対処法?|解決策)\s*[:：]\s*",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\s(?:over|instead of|rather than|not|vs\.?|versus|en lugar de|en vez de|antes que|"
    r"statt|anstatt|anstelle von|au lieu de|plutôt que|em vez de|ao invés de|вместо|а не)\s+",
    re.IGNORECASE,
)
_OVER_CJK = re.compile(r"(?:而不是|而非|代替|ではなく|の代わりに)")
_CLAUSE_END = re.compile(
    r"\s[-–—]\s|[;:.,!?()](?:\s|$)|[。、；，]|\s(?:because|since|so that|as|for|due to|weil|"
    r"porque|parce que|pois|потому|так как|чтобы|to)\s",
    re.IGNORECASE,
)
_LIST = re.compile(r"\s*(?:,|\bor\b|\band\b|/|\boder\b|\bou\b|\bo\b|\bили\b|、|\bund\b)\s*")

_WINDOW = 4000
"""Only so much of a text is searched for reasons and the like: work stays bounded."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Conventions found in a text, and the text without those that are not part of it."""

    text: str
    block_id: str
    fields: Mapping[str, str]
    tags: tuple[str, ...]
    links: tuple[str, ...]


def marks(text: str) -> Marks:
    """Take the block id and inline fields out of ``text``; find its tags and wikilinks."""
    tail = _BLOCK_ID.search(text[-80:])
    block_id = tail.group(1) if tail else ""
    if tail:
        text = text[: len(text) - len(text[-80:]) + tail.start()]
    fields: dict[str, str] = {}
    if "::" in text:
        for found in _INLINE_FIELD.finditer(text):
            fields[found.group(1).strip().lower()] = found.group(2).strip()
        text = _INLINE_FIELD.sub("", text)
    plain = _CODE.sub(" ", text) if "`" in text else text
    links = tuple(dict.fromkeys(link.strip() for link in _LINK.findall(plain)))
    return Marks(text.strip(), block_id, fields, tags_in(text), links)


def without_fields(text: str) -> str:
    """``text`` without inline fields: what one says is not said by the entry."""
    return _INLINE_FIELD.sub("", text) if "::" in text else text


@dataclass(frozen=True, slots=True)
class Details:
    """Parts of a remembered text that are worth naming."""

    reasoning: str = ""
    alternatives: tuple[str, ...] = ()
    workaround: str = ""


def details(text: str) -> Details:
    """The reasoning, the alternatives ("X over Y") and the workaround that ``text`` gives."""
    head = text[:_WINDOW]
    return Details(reasoning(head), alternatives(head), workaround(head))


def reasoning(text: str) -> str:
    """What follows "because", "so that" …, else what follows a dash; "" if nothing does."""
    found = _REASON.search(text)
    if found and found.start() > 0:
        return _clean(text[found.end() :])
    parts = _DASH.split(text, maxsplit=1)
    return _clean(parts[1]) if len(parts) == 2 else ""


def workaround(text: str) -> str:
    """What follows "Fix:", "Workaround:", an arrow, else a dash; "" if nothing does."""
    for mark in (_FIX, _ARROW, _DASH):
        found = mark.search(text)
        if found and found.end() < len(text):
            return _clean(text[found.end() :])
    return ""


def alternatives(text: str) -> tuple[str, ...]:
    """The Y of "X over Y", one for each of "Y or Z"."""
    found = _OVER.search(text)
    if found is None:
        return _cjk_alternatives(text)
    rest = text[found.end() : found.end() + 200]
    end = _CLAUSE_END.search(rest)
    rest = rest[: end.start()] if end else rest
    return tuple(_clean(one) for one in _LIST.split(rest) if _clean(one))[:8]


def _cjk_alternatives(text: str) -> tuple[str, ...]:
    found = _OVER_CJK.search(text)
    if found is None:
        return ()
    after = found.group() in ("而不是", "而非", "代替")
    part = text[found.end() :] if after else text[: found.start()]
    pieces = re.split(r"[，,。、；;:：（）()\s]+", part.strip())
    chosen = pieces[0] if after else pieces[-1]
    return (chosen,) if chosen else ()


def _clean(text: str) -> str:
    return text.strip(" \t-–—:;,.*_").strip()
