"""Mask secrets in entries, in the one place that every entry passes.

Ids, positions and dates stay those of the file's text, so that an entry is found, edited and
archived by its id. Everything stored, shown or sent is masked.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from mind.domain.entry import Entry, content_id
from mind.text.secrets import INVISIBLE, find, mask, placeholder

_JOINT = rf"[\s*`~\\>#;%+&.|\"'{INVISIBLE}]"
_BETWEEN = re.compile(rf"{_JOINT}+")
_LONGEST_JOINT = 60
_LEAST = 8
"""Minimum characters of a part masked by itself: a line of a key, not a word of a phrase."""


def covered(entries: Iterable[Entry], source: str) -> list[Entry]:
    """``entries`` with the secrets of their source masked.

    Args:
        entries: The parsed entries.
        source: Their text, with the headings above it: a secret split across lines, entries or
            strings is found only in the whole.
    """
    values = _values(source)
    return [_checked(one, values, source) for one in entries]


def _checked(entry: Entry, values: Sequence[tuple[str, str]], source: str) -> Entry:
    """Check an entry separately if its text is not literally in the source."""
    own = _values(entry.text) if values or entry.text not in source else []
    return _Cover([*values, *own]).over(entry) if values or own else entry


def _values(text: str) -> list[tuple[str, str]]:
    return [(text[one.start : one.end], one.name) for one in find(text)]


def hider(*sources: str) -> Callable[[str], str] | None:
    """Return a function that masks the secrets of ``sources``; None if they have none.

    Args:
        sources: Related texts: a secret found in one is masked in all.
    """
    values = [value for source in sources for value in _values(source)]
    return _Cover(values).hidden if values else None


def masked_below(above: str, text: str) -> str:
    """Mask ``text``, including the rest of a secret that begins above it."""
    parts, last, size = [], 0, len(above)
    for one in find(above + text):
        if one.end > size:
            parts += [text[last : max(0, one.start - size)], placeholder(one.name)]
            last = one.end - size
    return "".join((*parts, text[last:]))


class _Cover:
    """Masks known secrets wherever they occur.

    Args:
        values: Each with its kind.
    """

    def __init__(self, values: Iterable[tuple[str, str]]) -> None:
        parts = {part: name for value, name in values for part in _patterns(value)}
        order = sorted(parts, key=len, reverse=True)
        self._names = [parts[one] for one in order]
        self._pattern = re.compile("|".join(f"({one})" for one in order))
        self._count = 0

    def over(self, entry: Entry) -> Entry:
        """``entry`` with masks; unchanged if it has no secret."""
        text = self.hidden(entry.text)
        count = self._count
        made = replace(
            entry,
            id=entry.id if self.hidden(entry.id) == entry.id else content_id(entry.text),
            text=text,
            why=self.hidden(entry.why),
            reasoning=self.hidden(entry.reasoning),
            beside=self.hidden(entry.beside),
            workaround=self.hidden(entry.workaround),
            alternatives=self._all(entry.alternatives),
            tags=self._all(entry.tags),
            links=self._all(entry.links),
            section=self._all(entry.section),
            fields={self.hidden(name): self.hidden(one) for name, one in entry.fields.items()},
        )
        return replace(made, masked=entry.masked + (count or 1)) if self._count else entry

    def _all(self, texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self.hidden, texts))

    def hidden(self, text: str) -> str:
        """``text`` with masks."""
        known = self._pattern.sub(self._mask, text)
        hidden = mask(known)
        self._count += hidden != known
        return hidden

    def _mask(self, found: re.Match[str]) -> str:
        self._count += 1
        return placeholder(self._names[(found.lastindex or 1) - 1])


def _patterns(value: str) -> Iterator[str]:
    """Expressions for the forms of a value in an entry: folded, or only a part."""
    parts = [part for part in _BETWEEN.split(value) if part]
    yield _bounded(rf"{_JOINT}{{0,{_LONGEST_JOINT}}}".join(map(re.escape, parts)), value)
    if "\n" in value:
        yield from (_bounded(re.escape(one), one) for one in parts if _tells(one))


def _tells(part: str) -> bool:
    """Return whether a part of a value is not an ordinary word."""
    return len(part) >= _LEAST and not (part.isalpha() and part[1:].islower())


def _bounded(pattern: str, value: str) -> str:
    """Bound ``pattern`` at word edges: a short password may be part of another word."""
    before = r"(?<!\w)" if value[:1].isalnum() else ""
    after = r"(?!\w)" if value[-1:].isalnum() else ""
    return f"{before}{pattern}{after}"
