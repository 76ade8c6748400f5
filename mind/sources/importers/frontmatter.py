"""Front matter of a note: the part of YAML that note tools write, read without a YAML parser; pure.

Keys with a text, a list (``[a, b]`` or ``- a`` lines), a block (``|``, ``>``) or keys of their own
(``{a: b}`` too); of those, one level is read as ``outer.inner``. What is deeper is passed over.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

LARGEST = 64 * 1024
"""Characters of front matter that are read; more is no front matter."""

_KEY = re.compile(
    r"(?P<indent> *)(?P<name>\"[^\"]+\"|'[^']+'|[\w][\w .@/-]*?)\s*:(?:\s+(?P<value>.*))?$"
)
_ITEM = re.compile(r"(?P<indent> *)-(?:\s+(?P<value>.*))?$")
_PAIR = re.compile(r"([\w-]+)\s*:\s*([^,{}]+)")
_BLOCK = re.compile(r"[|>][+-]?\d?\s*$")


class Broken(ValueError):
    """The text begins with front matter that has no end or is none."""


@dataclass(slots=True)
class Note:
    """A text with its front matter.

    Attributes:
        body: Without front matter.
        fields: Texts and lists by name in small letters; of a list, each text.
    """

    body: str
    fields: dict[str, list[str]] = field(default_factory=dict)

    def text(self, *names: str) -> str:
        """Return what the first of ``names`` that is there says."""
        return next((self.fields[name][0] for name in names if self.fields.get(name)), "")

    def texts(self, *names: str) -> list[str]:
        """Everything that ``names`` say; a list on one line, with commas, is a list."""
        found = [text for name in names for text in self.fields.get(name, ())]
        if len(found) == 1 and "," in found[0]:
            found = found[0].split(",")
        return [text.strip() for text in found if text.strip()]


def split(text: str) -> Note:
    """``text`` apart from its front matter.

    Raises:
        Broken: It begins with ``---``, and what follows has no end or is none.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    first, _, rest = text.partition("\n")
    if first.rstrip() != "---" or not _may_be(rest):
        return Note(text)
    lines = rest[:LARGEST].split("\n")
    end = next((at for at, line in enumerate(lines) if line.rstrip() in ("---", "...")), None)
    if end is None:
        raise Broken("front matter without an end")
    made = Note("\n".join(rest.split("\n")[end + 1 :]))
    _read(lines[:end], made.fields)
    if not made.fields and any(line.strip() for line in lines[:end]):
        raise Broken("no front matter")
    return made


def _may_be(rest: str) -> bool:
    """Return whether a first line of ``---`` is no rule above a text."""
    line = rest.partition("\n")[0]
    return bool(_KEY.match(line)) or line.rstrip() in ("---", "...") or line.startswith("#")


def _read(lines: Sequence[str], fields: dict[str, list[str]]) -> None:
    outer, name, block = "", "", -1
    for line in lines:
        depth = len(line) - len(line.lstrip(" "))
        if block >= 0 and (depth > block or not line.strip()):
            fields[name] = [f"{fields[name][0]} {line.strip()}".strip()]
            continue
        block = -1
        item, found = _ITEM.match(line), _KEY.match(line)
        if item and name:
            _add(fields, name, item["value"])
        elif found:
            own = found["name"].strip("\"'").casefold()
            outer = own if not depth else outer
            name = f"{outer}.{own}" if depth else own
            value = (found["value"] or "").strip()
            if _BLOCK.match(value):
                fields[name], block = [""], depth
            else:
                fields.setdefault(name, [])
                _add(fields, name, value)


def _add(fields: dict[str, list[str]], name: str, value: str | None) -> None:
    text = (value or "").strip()
    if text.startswith("{") and text.endswith("}"):
        for own, said in _PAIR.findall(text[1:-1]):
            fields.setdefault(f"{name}.{own.casefold()}", []).append(_scalar(said))
    elif text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        fields[name] += [_scalar(one) for one in text[1:-1].split(",") if one.strip()]
    elif text:
        fields[name].append(_scalar(text))


def _scalar(text: str) -> str:
    text = text.strip()
    for quote in "\"'":
        if len(text) > 1 and text.startswith(quote):
            end = text.find(quote, 1)
            return text[1:end] if end > 0 else text[1:]
    return text.split(" #", 1)[0].strip()
