"""What the signals read: entries with what stands around them, and figures of all of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from mind.text.terms import STOP_WORDS

_SPEAKER = re.compile(r"(?:\[[^\]]*\]\s*)?([^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*)?):\s")


@dataclass(frozen=True, slots=True)
class Nearness:
    """Cosines of the query and each candidate, in their order; None where there is no vector.

    Attributes:
        own: Of the entry itself.
        around: In a conversation, of the entry with three before it and two after it.
    """

    own: Sequence[float | None]
    around: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the index knows of all entries.

    Attributes:
        documents: How many there are.
        length: Mean number of terms of one.
        frequency: Term of the query → how many entries have it.
    """

    documents: int
    length: float
    frequency: Mapping[str, int]


class Passage:
    """An entry's text as the signals read it.

    Args:
        text: Its text.
        terms: Of the text, in order.
        title: How many of them belong to its first sentence.
        wanted: Terms of the query.
        content: A hash of the text.
    """

    __slots__ = ("_speaker", "content", "found", "terms", "text", "title")

    def __init__(
        self,
        text: str,
        terms: Sequence[str],
        title: int,
        wanted: frozenset[str],
        content: int = 0,
    ) -> None:
        self.content = content
        self.text = text
        self.terms = terms
        self.title = title
        self.found = {term: terms.count(term) for term in wanted.intersection(terms)}
        self._speaker: re.Match[str] | bool | None = False

    @property
    def speaker(self) -> re.Match[str] | None:
        """The name it begins with, as in "Anna: …"."""
        if isinstance(self._speaker, bool):
            self._speaker = _SPEAKER.match(self.text)
        return self._speaker


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may answer.

    Attributes:
        row: Its number in the index.
        own: Itself.
        before: Up to three entries before it in its section, nearest last.
        after: Up to two after it, nearest first.
        day: Its date, ISO; "" when it has none.
    """

    row: int
    own: Passage
    before: Sequence[Passage] = ()
    after: Sequence[Passage] = ()
    day: str = ""

    @property
    def is_talk(self) -> bool:
        """Whether it is said in a conversation: it and a neighbour begin with a name."""
        return self.own.speaker is not None and any(
            one.speaker for one in (*self.before[-1:], *self.after[:1])
        )


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The candidates for a query, and what the signals know of them beside their text.

    Attributes:
        candidates: Entries that may answer.
        corpus: Figures of all entries.
        nearness: If there is a model.
        named: Share of the query's things that each candidate names, rarer ones counting more, 0–1;
            None if the query names nothing that is known.
        standing: More signals, each for all candidates: how they are used, and what they say of
            themselves.
    """

    candidates: Sequence[Candidate]
    corpus: Corpus
    nearness: Nearness | None = None
    named: Sequence[float] | None = None
    standing: Mapping[str, Sequence[float]] = field(default_factory=dict)


def pairs_of(of: Sequence[str]) -> set[tuple[str, str]]:
    """Neighbours once stop words are left out."""
    kept = [term for term in of if term not in STOP_WORDS]
    return set(pairwise(kept))
