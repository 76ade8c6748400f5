"""What a session taught, before it is put as a memory; and the words that it is taken from."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from mind.entry import Kind
from mind.sources.transcripts.prose import Sentence, sentences

_MOST_WORDS = 80


@dataclass(frozen=True, slots=True)
class Moment:
    """A place in a session.

    Attributes:
        number: Of what was said and done before it.
        uuid: Of the line.
        at: When.
    """

    number: int
    uuid: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Words:
    """What was said at a moment, in sentences."""

    moment: Moment
    by_person: bool
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson.

    Attributes:
        kind: Which.
        text: In words, not yet cleaned and cut.
        moment: Where it was said, or where what failed was tried.
        sources: The sentences that it is made of; the first tells it from others of its moment.
        topic: Lessons that deny one another share it; "" for none.
    """

    kind: Kind
    text: str
    moment: Moment
    sources: tuple[str, ...]
    topic: str = ""


class Memory:
    """The last words of a session."""

    def __init__(self) -> None:
        self._words: deque[Words] = deque(maxlen=_MOST_WORDS)

    def keep(self, moment: Moment, text: str, *, by_person: bool) -> Words:
        """Remember what was said."""
        words = Words(moment, by_person, tuple(sentences(text)))
        self._words.append(words)
        return words

    def last(self) -> tuple[Sentence, ...]:
        """The sentences that were kept last."""
        return self._words[-1].sentences if self._words else ()

    def since(self, number: int) -> Iterator[Words]:
        """What was said at or after a moment, in order."""
        return (one for one in self._words if one.moment.number >= number)

    def before(self, number: int, most: int) -> list[Words]:
        """The last words before a moment, the nearest first."""
        earlier = (one for one in reversed(self._words) if one.moment.number < number)
        return list(islice(earlier, most))
