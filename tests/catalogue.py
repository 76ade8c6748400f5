"""Rejections without an index: rows and matches of a list of entries."""

from collections.abc import Iterable, Mapping, Sequence

from mind.text.matching import acts, score
from mind.text.matching.candidates import Rarity, Row, rows_of, weights
from mind.text.matching.subjects import subjects_of

Told = tuple[str, str, str]


def rows(
    entries: Iterable[Told], project: str = "", keywords: Mapping[str, Sequence[str]] | None = None
) -> list[Row]:
    """The rows of entries (id, kind, text), as the index prepares them."""
    listed = list(entries)
    advising = (text for _, kind, text in listed if subjects_of(kind, text))
    rarity = Rarity(advising, project, [text for _, _, text in listed])
    return [
        {"id": identifier, **row}
        for identifier, kind, text in listed
        for row in rows_of(kind, text, rarity, (keywords or {}).get(identifier, ()))
    ]


class Catalogue:
    """The rejections of entries, found as the index finds them."""

    def __init__(
        self,
        entries: Iterable[Told],
        project: str = "",
        keywords: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.rows = rows(entries, project, keywords)
        self._keys: dict[str, list[int]] = {}
        for at, row in enumerate(self.rows):
            for key in score.keys_of(row):
                self._keys.setdefault(key, []).append(at)

    def met(self, act: acts.Act) -> list[score.Met]:
        """The rejections that match an act, most certain first."""
        found = score.likely(act, lambda key: self._keys.get(key, ()))
        return score.matches(act, [self.rows[at] for at in found], weights(), len(self.rows))
