"""Mask secrets in entries, in the one place that every entry passes.

Ids, positions and dates stay those of the file's text, so that an entry is found, edited and
archived by its id. Everything stored, shown or sent is masked.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from operator import itemgetter

from mind.domain.entry import Entry, content_id
from mind.text import lazy_pattern
from mind.text.secrets import INVISIBLE, find, mask, placeholder

_JOINT = rf"[\s*`~\\>#;%+&.|\"'{INVISIBLE}]"
_BETWEEN = lazy_pattern(rf"{_JOINT}+")
_SOLID = lazy_pattern(_JOINT.replace("[", "[^", 1) + "+")
_LONGEST_JOINT = 60
_LEAST = 8
"""Minimum characters of a part masked by itself: a line of a key, not a word of a phrase."""
_HEAD = 8
"""Characters that find the values which can begin at a place."""


def covered(
    entries: Iterable[Entry], source: str, written: bytes = b"", offset: int = 0
) -> list[Entry]:
    """``entries`` with the secrets of their source masked.

    Args:
        entries: The parsed entries.
        source: Their text, with the headings above it: a secret split across lines, entries or
            strings is found only in the whole.
        written: The bytes that the spans of the entries refer to; only makes it faster.
        offset: Of ``written`` in its file.
    """
    known = _Cover(_values(source))
    made: list[Entry] = []
    for one in entries:
        place = written[max(0, one.span.start - offset) : max(0, one.span.end - offset)]
        texts = (place.decode("utf-8", "surrogateescape"), source)
        made.append(_checked(one, known, texts))
    return made


def _checked(entry: Entry, known: "_Cover", texts: Iterable[str]) -> Entry:
    """Check an entry separately if its text is not literally in one of its source's ``texts``."""
    is_literal = not known.ranks and any(entry.text in text for text in texts)
    own = [] if is_literal else _values(entry.text)
    return _Cover(own, known).over(entry) if known.ranks or own else entry


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
    """Masks known secrets wherever they occur, the longest first.

    Values are looked up by their characters, without those that markup can put between them:
    the time does not depend on the number of values.

    Args:
        values: Each with its kind.
        known: Masks other values too.

    Attributes:
        ranks: Order of each form of a value.
    """

    def __init__(self, values: Iterable[tuple[str, str]], known: "_Cover | None" = None) -> None:
        parts = {part: (bare, name) for value, name in values for part, bare in _patterns(value)}
        before = known.ranks if known else {}
        self._known = known
        self.ranks: dict[str, tuple[int, int]] = {
            part: before.get(part, (-len(part), len(before) + at)) for at, part in enumerate(parts)
        }
        self._lengths: dict[str, set[int]] = {}
        self._forms: dict[str, list[_Form]] = {}
        for part, (bare, name) in parts.items():
            self._lengths.setdefault(bare[:_HEAD], set()).add(len(bare))
            self._forms.setdefault(bare, []).append((self.ranks[part], re.compile(part), name))
        self._heads = {len(head) for head in self._lengths}
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
            code=self._all(entry.code),
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
        known = self._replaced(text)
        hidden = mask(known)
        self._count += hidden != known
        return hidden

    def _replaced(self, text: str) -> str:
        places = [at for solid in _SOLID.finditer(text) for at in range(*solid.span())]
        bare = _BETWEEN.sub("", text)
        parts, last = [], 0
        for begin, at in enumerate(places):
            forms = self.forms_at(bare, begin) if at >= last else []
            hits = ((pattern.match(text, at), name) for _, pattern, name in forms)
            found, name = next((hit for hit in hits if hit[0]), (None, ""))
            if found:
                parts += [text[last:at], placeholder(name)]
                last = found.end()
                self._count += 1
        return "".join((*parts, text[last:]))

    def forms_at(self, bare: str, begin: int) -> "list[_Form]":
        """Forms of values whose characters are at ``begin``, best first."""
        forms = [
            form
            for head in self._heads
            for length in self._lengths.get(bare[begin : begin + head], ())
            for form in self._forms.get(bare[begin : begin + length], ())
        ]
        forms += self._known.forms_at(bare, begin) if self._known else []
        return sorted(forms, key=itemgetter(0)) if len(forms) > 1 else forms


_Form = tuple[tuple[int, int], re.Pattern[str], str]
"""Rank, expression and kind."""


def _patterns(value: str) -> Iterator[tuple[str, str]]:
    """Expressions for the forms of a value in an entry: folded, or only a part.

    Each with its characters, without those that are between its parts.
    """
    parts = [part for part in _BETWEEN.split(value) if part]
    joint = rf"{_JOINT}{{0,{_LONGEST_JOINT}}}"
    yield _bounded(joint.join(map(re.escape, parts)), value), "".join(parts)
    if "\n" in value:
        yield from ((_bounded(re.escape(one), one), one) for one in parts if _tells(one))


def _tells(part: str) -> bool:
    """Return whether a part of a value is not an ordinary word."""
    return len(part) >= _LEAST and not (part.isalpha() and part[1:].islower())


def _bounded(pattern: str, value: str) -> str:
    """Bound ``pattern`` at word edges: a short password may be part of another word."""
    before = r"(?<!\w)" if value[:1].isalnum() else ""
    after = r"(?!\w)" if value[-1:].isalnum() else ""
    return f"{before}{pattern}{after}"
