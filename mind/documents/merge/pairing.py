"""Which unit of one version is which of another: by its words, its id, or its likeness."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from mind.documents.merge.parts import parts
from mind.documents.merge.units import Key, Text, Unit

Pairs = dict[int, int]
"""Numbers of one version → numbers of the other."""

_ALIKE = 0.60
"""From here an entry of a section that went and one that came are the same, edited."""
_RESEMBLING = 0.30
"""The same, where it stands in the very place."""
_BESIDE = 0.20
"""What it counts that two things stand beside the same: paragraphs may be alike as twins."""
_MOST = 40_000
"""Pairs of one section that are compared."""
_BASE_ID = re.compile(rb"-\d+$")
_UNESCAPED = re.compile(r"\\([\\|^])")


def sections(old: Text, new: Text) -> Pairs:
    """Number of each section of ``new`` that ``old`` has → its number there.

    By its headings; one that has other headings now, by what stands in it.
    """
    found = _in_order(_numbered(new.sections), _numbered(old.sections))
    left = [at for at in range(len(old.sections)) if at not in set(found.values())]
    missing = [at for at in range(len(new.sections)) if at not in found]
    if not left or not missing:
        return found
    was, now = _contents(old), _contents(new)
    for at in missing:
        shared = [(len(now[at] & was[one]), -one) for one in left]
        most, one = max(shared, default=(0, 0))
        if most * 2 >= min(len(was[-one]), len(now[at])) and most:
            found[at] = -one
            left.remove(-one)
    return found


def _numbered(keys: Iterable[Key]) -> list[Hashable]:
    """Keys that tell repeats apart."""
    seen: dict[Key, int] = defaultdict(int)
    told: list[Hashable] = []
    for key in keys:
        seen[key] += 1
        told.append((key, seen[key]))
    return told


def _contents(text: Text) -> dict[int, set[bytes]]:
    found: dict[int, set[bytes]] = defaultdict(set)
    for one in text.units:
        if one.kind != "heading":
            found[one.section].add(one.body)
    return found


def _in_order(new: Sequence[Hashable | None], old: Sequence[Hashable | None]) -> Pairs:
    """Pairs of equal keys, the first with the first; None is equal to nothing."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for at in range(len(old) - 1, -1, -1):
        if old[at] is not None:
            places[old[at]].append(at)
    return {at: places[key].pop() for at, key in enumerate(new) if key is not None and places[key]}


class Pairing:
    """Pairs units of ``new`` with those of ``old``.

    Args:
        old: One version.
        new: Another.
        within: Numbers of sections of ``new`` → those of ``old``.
        reminder: They are reminders.
        only: Numbers of ``old`` and of ``new`` that are paired; all by default.
    """

    def __init__(
        self,
        old: Text,
        new: Text,
        within: Pairs,
        *,
        reminder: bool,
        only: tuple[Iterable[int], Iterable[int]] | None = None,
    ) -> None:
        self.old, self.new = old, new
        self.found: Pairs = {}
        self._within = within
        self._reminder = reminder
        some = only or (range(len(old.units)), range(len(new.units)))
        self._open_old, self._open_new = set(some[0]), set(some[1])
        self._headings()

    def _headings(self) -> None:
        was = {self.old.units[at].section: at for at in self._open_old if self._is_heading(at)}
        self._open_old -= set(was.values())
        for at in sorted(self._open_new):
            one = self.new.units[at]
            if one.kind == "heading":
                self._open_new.discard(at)
                there = was.get(self._within.get(one.section, -1))
                if there is not None:
                    self.found[at] = there

    def _is_heading(self, at: int) -> bool:
        return self.old.units[at].kind == "heading"

    def same(self) -> None:
        """What has the same bytes, in its section first, then anywhere."""
        self.by(lambda one: one.body, anywhere=False)
        self.by(lambda one: one.body, anywhere=True)

    def here(self) -> None:
        """What has the same bytes in the same section."""
        self.by(lambda one: one.body, anywhere=False)

    def named(self) -> None:
        """What has the same id, be it written or made from the words."""
        self.by(self._written, anywhere=True)
        new = self._ids(self._open_new, self.new, self._open_old, self.old)
        old = self._ids(self._open_old, self.old, self._open_new, self.new)
        self._all(new, old)

    def _ids(
        self, own: Iterable[int], text: Text, others: Iterable[int], other: Text
    ) -> dict[int, Hashable]:
        """The ids of units, written or made from the words where one of ``others`` has it written.

        An entry gets its id written when it is first edited, and that is made from its old words.
        """
        known = {at: self._written(text.units[at]) for at in own}
        wanted = {
            _BASE_ID.sub(b"", name) for at in others if (name := self._written(other.units[at]))
        }
        found: dict[int, Hashable] = {}
        for at, name in known.items():
            if name:
                found[at] = _BASE_ID.sub(b"", name)
            elif wanted and text.units[at].is_entry:
                made = self._made(text.units[at])
                if made in wanted:
                    found[at] = made
        return found

    def _all(self, new: dict[int, Hashable], old: dict[int, Hashable]) -> None:
        came, went = sorted(new), sorted(old)
        pairs = _in_order([new[at] for at in came], [old[at] for at in went])
        for at, there in pairs.items():
            self._pair(went[there], came[at])

    def _made(self, one: Unit) -> bytes:
        """The id that an entry without a written one has."""
        if self._reminder:
            from mind.domain.entry import content_id  # noqa: PLC0415 - few merges need one

            words = parts(one.body, reminder=True).words.decode("utf-8", "replace")
            return b"r" + content_id(_UNESCAPED.sub(r"\1", words))[:7].encode()
        from mind.documents import parser  # noqa: PLC0415 - its words of eight languages take 30 ms
        from mind.domain.settings import Settings  # noqa: PLC0415 - the same

        found = parser.parse_line(one.body.decode("utf-8", "surrogateescape"), Settings())
        return found.id.encode() if found else b""

    def worded(self, *, anywhere: bool) -> None:
        """What says the same, with other fields or another box."""
        self.by(self._words, anywhere=False)
        if anywhere:
            self.by(self._words, anywhere=True)

    @property
    def unknown(self) -> set[int]:
        """Numbers of ``new`` that are no part of a pair."""
        return {at for at in range(len(self.new.units)) if at not in self.found}

    def drop(self, numbers: Iterable[int]) -> None:
        """Pair these of ``new`` with nothing."""
        self._open_new -= set(numbers)

    def leave(self, kind: str) -> None:
        """Pair nothing more by likeness that is of this kind."""
        self._open_old = {at for at in self._open_old if self.old.units[at].kind != kind}
        self._open_new = {at for at in self._open_new if self.new.units[at].kind != kind}

    def alike(self) -> None:
        """What says nearly the same in the same section, and what alone came where one went."""
        by_section: dict[int, list[int]] = defaultdict(list)
        for at in sorted(self._open_old):
            by_section[self.old.units[at].section].append(at)
        fresh: dict[int, list[int]] = defaultdict(list)
        for at in sorted(self._open_new):
            there = self._within.get(self.new.units[at].section)
            if there in by_section:
                fresh[there].append(at)
        for there, came in fresh.items():
            if len(came) * len(by_section[there]) <= _MOST:
                self._nearest(by_section[there], came)
        self._in_place()

    def _nearest(self, went: Sequence[int], came: Sequence[int]) -> None:
        from mind.text.similarity import similarity  # noqa: PLC0415 - few merges have to compare

        said_old = {at: self._said(self.old.units[at]) for at in went}
        said_new = {at: self._said(self.new.units[at]) for at in came}
        scored = [
            (score + _BESIDE * self._is_beside(old, new), -old, -new)
            for old in went
            for new in came
            if self.old.units[old].is_entry == self.new.units[new].is_entry
            and (score := similarity(said_old[old], said_new[new])) >= _ALIKE
        ]
        for _, old, new in sorted(scored, reverse=True):
            if -old in self._open_old and -new in self._open_new:
                self._pair(-old, -new)

    def _is_beside(self, old: int, new: int) -> bool:
        """Whether two things stand beside the same thing."""
        return any(self.found.get(new + by) == old + by for by in (-1, 1))

    def _in_place(self) -> None:
        """What came just where something of its kind went; an entry must resemble it a little."""
        back = {old: new for new, old in self.found.items()}
        for at in sorted(self._open_old):
            one = self.old.units[at]
            before = back.get(at - 1) if at else -1
            after = back.get(at + 1) if at + 1 < len(self.old.units) else len(self.new.units)
            if before is None or after != before + 2 or before + 1 not in self._open_new:
                continue
            other = self.new.units[before + 1]
            if other.kind == one.kind and (not one.is_entry or self._resembles(one, other)):
                self._pair(at, before + 1)

    def _resembles(self, one: Unit, other: Unit) -> bool:
        from mind.text.similarity import similarity  # noqa: PLC0415 - few merges have to compare

        return similarity(self._said(one), self._said(other)) >= _RESEMBLING

    def _said(self, one: Unit) -> str:
        return parts(one.body, reminder=self._reminder).words.decode("utf-8", "replace")

    def _written(self, one: Unit) -> bytes | None:
        return parts(one.body, reminder=self._reminder).id or None if one.is_entry else None

    def _words(self, one: Unit) -> Hashable | None:
        return parts(one.body, reminder=self._reminder).words or None if one.is_entry else None

    def by(self, key: Callable[[Unit], Hashable | None], *, anywhere: bool) -> None:
        """Pair what has the same key, in the same section or ``anywhere``; None is no key."""
        if not self._open_old or not self._open_new:
            return
        new, old = sorted(self._open_new), sorted(self._open_old)
        pairs = _in_order(
            [self._key(self.new.units[at], key, self._place(at), anywhere) for at in new],
            [self._key(one := self.old.units[at], key, one.section, anywhere) for at in old],
        )
        for at, there in pairs.items():
            self._pair(old[there], new[at])

    @staticmethod
    def _key(
        one: Unit, key: Callable[[Unit], Hashable | None], section: int | None, anywhere: bool
    ) -> Hashable | None:
        value = key(one)
        if value is None or section is None:
            return value if anywhere else None
        return value if anywhere else (section, value)

    def _place(self, at: int) -> int | None:
        return self._within.get(self.new.units[at].section)

    def _pair(self, old: int, new: int) -> None:
        self.found[new] = old
        self._open_old.discard(old)
        self._open_new.discard(new)
