"""How well Mind tells the same from the different: `python -m tests.bench.pairs [PAIRS.json]`.

All texts are entries of one memory, in which each pair is compared as a rejected approach is with
an earlier one (:mod:`mind.likeness`): by words, and with the model of the user's folder if there is
one. Beside it stands the plain similarity of two texts, which knows of no memory.
"""

import json
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from sklearn.metrics import roc_auc_score

from mind.entry import Entry, Kind
from mind.home import home
from mind.likeness import Likeness
from mind.meaning import Meaning
from mind.memory import Memory
from mind.project import Project
from mind.similarity import similarity
from tests.bench.retrieval import own_home

_STORED, _ROUNDS = 30, 100
_REPORTED = 0.60


@dataclass(frozen=True)
class Pair:
    """Two texts.

    Attributes:
        a: The one.
        b: The other.
        same: Whether they say the same.
        source: Where they are from; "flip" says that they pull in opposite directions, "mrpc" that
            they are news.
        stratum: "random" if they were put together by chance.
    """

    a: str
    b: str
    same: bool
    source: str = ""
    stratum: str = ""


OWN = [
    Pair("Redis for session storage", "store sessions in Redis", same=True),
    Pair("use websockets for live updates", "switch to websockets for live updates", same=True),
    Pair("cache rendered pages in memory", "in-memory cache for rendered pages", same=True),
    Pair("Postgres for the job queue", "job queue in PostgreSQL", same=True),
    Pair("mock the database in tests", "mocking the db for tests", same=True),
    Pair("Redis for session storage", "SQLite for full-text search", same=False, stratum="random"),
    Pair("use websockets for live updates", "rename the settings page", same=False),
    Pair("retry failed downloads", "compress uploaded images", same=False, stratum="random"),
    Pair("add a cache for pages", "remove the cache for pages", same=False, source="flip"),
    Pair("Postgres over SQLite", "SQLite over Postgres", same=False, source="flip"),
]

Compare = Callable[[str, str], float]
Pairs = AbstractSet[tuple[str, str]]


def load(path: Path) -> list[Pair]:
    """Pairs of a file that have ``a``, ``b``, ``label``, ``source`` and ``stratum``."""
    return [
        Pair(
            a=" ".join(one["a"].split()),
            b=" ".join(one["b"].split()),
            same=bool(one["label"]),
            source=one["source"].split("/")[0],
            stratum=one["stratum"],
        )
        for one in json.loads(path.read_text(encoding="utf-8"))["pairs"]
    ]


class Compared:
    """A memory that holds texts, in which two of them are compared."""

    def __init__(self, root: Path, texts: Sequence[str], models: Path) -> None:
        root.mkdir()
        Memory.apply(Memory.plan(root))
        project = Project(root)
        lines = [f"note: {text}" for text in texts]
        project.memory.write_text("\n".join(["# Memory", "", *lines, ""]), encoding="utf-8")
        meaning = Meaning(project.settings, models)
        self.memory = Memory(project, meaning=lambda _project: meaning)
        self.memory.build_index()
        self._likeness: dict[str, Likeness] = {}

    def __call__(self, a: str, b: str) -> float:
        """How alike they are."""
        if a not in self._likeness:
            sense = self.memory.meaning.at_hand(a, self.memory.index)
            self._likeness[a] = Likeness(self.memory.index, a, sense)
        return self._likeness[a].of(Entry(id="", kind=Kind.NOTE, text=b))


def show(name: str, pairs: Sequence[Pair], compare: Compare) -> None:
    """Print a line of areas under the curve, and one for each threshold."""
    flips = [one for one in pairs if one.source == "flip"]
    judged = [one for one in pairs if one.source != "flip"]
    scores = [compare(one.a, one.b) for one in judged]
    labels = [one.same for one in judged]
    by_chance = [one.same or one.stratum == "random" for one in judged]
    no_news = [keep and one.source != "mrpc" for keep, one in zip(by_chance, judged, strict=True)]
    areas = [_area(labels, scores, kept) for kept in ([True] * len(judged), by_chance, no_news)]
    print(
        f"{name:24} AUC {areas[0]:.3f}, against random {areas[1]:.3f} ({areas[2]:.3f} without news)"
    )
    for threshold in (_REPORTED, 0.80, 0.95):
        said = [label for label, score in zip(labels, scores, strict=True) if score >= threshold]
        chance = [
            score >= threshold
            for one, score in zip(judged, scores, strict=True)
            if one.stratum == "random"
        ]
        precision = sum(said) / len(said) if said else float("nan")
        print(
            f"  {threshold:.2f}: precision {precision:.2f} recall {sum(said) / sum(labels):.2f}, "
            f"of random pairs {statistics.fmean(chance):.3f}"
        )
    repeats = sum(compare(one.a, one.b) >= _REPORTED for one in flips)
    print(f"  opposite directions called a repeat: {repeats} of {len(flips)}")


def _area(labels: Sequence[bool], scores: Sequence[float], kept: Sequence[bool]) -> float:
    pairs = [
        pair for pair, keep in zip(zip(labels, scores, strict=True), kept, strict=True) if keep
    ]
    return float(roc_auc_score([label for label, _ in pairs], [score for _, score in pairs]))


def false_warnings(texts: Sequence[str], same: Pairs, folder: Path, models: Path) -> float:
    """How often 30 rejections, all there is in a memory, warn about a text that none is like."""
    chance = random.Random(1)
    warned = 0
    for number in range(_ROUNDS):
        asked, *stored = chance.sample(texts, min(_STORED + 1, len(texts)))
        stored = [one for one in stored if (asked, one) not in same]
        compare = Compared(folder / str(number), stored, models)
        warned += any(compare(asked, one) >= _REPORTED for one in stored)
        compare.memory.close()
    return warned / _ROUNDS


def warn(pairs: Sequence[Pair], folder: Path, models: Path) -> None:
    """Print how often rejections warn in vain, by where the texts are from."""
    same = {two for one in pairs if one.same for two in ((one.a, one.b), (one.b, one.a))}
    for source in sorted({one.source for one in pairs} - {"mrpc", "flip"}):
        texts = sorted({one.a for one in pairs if one.source == source})
        (folder / f"by {source}").mkdir()
        rate = false_warnings(texts, same, folder / f"by {source}", models)
        print(f"{source}: of {_ROUNDS} texts, {rate:.2f} are warned about by {_STORED} others")


def main(path: Path | None) -> None:
    """Print the table for the pairs in ``path``, or for a few of its own."""
    pairs = load(path) if path else OWN
    texts = sorted({text for one in pairs for text in (one.a, one.b)})
    models = home()
    with tempfile.TemporaryDirectory() as made, own_home(Path(made) / "home"):
        folder = Path(made)
        print(f"{len(pairs)} pairs, {len(texts)} texts")
        show("two texts alone", pairs, similarity)
        by_words = Compared(folder / "words", texts, folder / "none")
        show("in a memory, by words", pairs, by_words)
        with_model = Compared(folder / "both", texts, models)
        profile = with_model.memory.meaning.profile
        if profile:
            show("and by meaning", pairs, with_model)
        warn(pairs, folder, models if profile else folder / "none")
        by_words.memory.close()
        with_model.memory.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
