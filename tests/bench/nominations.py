"""Measure what sessions nominate, and fit its weights.

`python -m tests.bench.nominations FOLDER` measures, `python -m tests.bench.nominations --fit
FOLDER…` fits: each folder holds the sessions of one author, those of the tests are one more; each
author is judged by weights that are fitted to the others, and the weights of all are printed.

A folder holds sessions, ``NAME.jsonl`` as Claude Code writes them, each with ``NAME.gold.json``:
what a colleague would have noted (``durable``: ``quotes`` with their ``message`` and ``quote``, and
whether it is ``needed``). A message is told by its number among the lines of type user and
assistant. A nomination is right if it has half of the words of a quote of its message; one of what
is only nice to have counts neither way.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sklearn.linear_model import LogisticRegression

from mind.sources.transcripts import nominating
from mind.sources.transcripts.nominating import WEIGHTS, ListenedSession, Nomination, Weights
from mind.sources.transcripts.turns import Turn, turn
from tests.transcript_sessions import CASES, cases, transcript

HALF = 0.5
TIED = "", "sentence", "long", "very_long", "impersonal", "general", "doubt"
"""Roles whose points are those of both speakers, apart from the first."""
ROLES = {
    "person": (*TIED, "denies", "we", "choice", "reason", "passing", "opens", "joke"),
    "agent": (*TIED, "numbers", "worked", "idle"),
}
"""Roles that earn their place where an author is left out."""
FEWEST = 3
"""Minimum number of sentences with a role."""
COVERED = 0.88
"""Share of the needed things that are nominated, if not offered."""
STEPS = [number / 10 for number in range(-40, 41)]
NEVER, ANY = 99.0, -99.0


@dataclass
class Session:
    """A session, its turns with the numbers of their messages, and what is durable in it."""

    turns: list[tuple[int, Turn]]
    durable: list[dict[str, Any]]

    @property
    def needed(self) -> set[int]:
        return {at for at, item in enumerate(self.durable) if item["needed"]}

    def met(self, message: int, text: str) -> set[int]:
        """What words of a message carry."""
        return {at for at, item in enumerate(self.durable) if hits(item, message, text)}


def of_folder(folder: Path) -> list[Session]:
    """The sessions of a folder."""
    found = []
    for path in sorted(folder.glob("*.gold.json")):
        gold = json.loads(path.read_text(encoding="utf-8"))
        text = (folder / gold["file"]).read_text(encoding="utf-8")
        found.append(Session(list(numbered(map(json.loads, text.splitlines()))), gold["durable"]))
    return found


def of_tests() -> list[Session]:
    """The sessions of the tests."""
    listed = (CASES / "durable.txt").read_text(encoding="utf-8").splitlines()
    quotes = [line for line in listed if line and not line.startswith("#")]
    found = []
    for case in cases():
        turns = list(numbered(transcript(case).rows))
        said = [(number, str(getattr(part, "text", ""))) for number, one in turns
                for part in one.parts]  # fmt: skip
        durable = [
            {"needed": True, "quotes": [{"message": number, "quote": quote}]}
            for number, text in said for quote in quotes if quote in text
        ]  # fmt: skip
        found.append(Session(turns, durable))
    return found


def numbered(records: Iterable[dict[str, Any]]) -> Iterator[tuple[int, Turn]]:
    """The turns of records, with the numbers of their messages."""
    number = -1
    for record in records:
        number += record.get("type") in {"user", "assistant"}
        one = turn(record)
        if one is not None:
            yield number, one


def hits(item: Mapping[str, Any], message: int, text: str) -> bool:
    """Whether words of a message carry a thing to note."""
    said = nominating.words(text)
    for one in item["quotes"]:
        quoted = nominating.words(one["quote"])
        if one["message"] == message and len(quoted & said) >= HALF * len(quoted) > 0:
            return True
    return False


def nominated(session: Session, weights: Weights) -> Iterator[tuple[int, Nomination]]:
    """What is offered of a session, with the number of its message."""
    talk, places = ListenedSession(weights=weights), dict[int, int]()
    for number, one in session.turns:
        before = talk.messages
        talk.hear([one])
        places |= dict.fromkeys(range(before + 1, talk.messages + 1), number)
    for found in talk.offered():
        yield places[found.at], found


def measure(sessions: Sequence[Session], weights: Sequence[Weights]) -> dict[str, float]:
    """Figures of sessions, each with its weights."""
    needed = covered = right = wrong = total = empty = disturbed = 0
    for session, chosen in zip(sessions, weights, strict=True):
        found = list(nominated(session, chosen))
        total += len(found)
        wanted, seen = session.needed, set[int]()
        for message, one in found:
            met = session.met(message, one.text)
            right += bool(met & wanted)
            wrong += not met
            seen |= met
        needed, covered = needed + len(wanted), covered + len(wanted & seen)
        empty += not session.durable
        disturbed += bool(found) and not session.durable
    return {
        "sessions": len(sessions),
        "needed": needed,
        "covered": covered / max(1, needed),
        "precision": right / max(1, right + wrong),
        "per session": total / max(1, len(sessions)),
        "without anything durable": empty,
        "of these with an offer": disturbed,
    }


@dataclass(slots=True)
class Recorded(ListenedSession):
    """A session that keeps the roles of its sentences."""

    rows: list[tuple[int, str, str, frozenset[str]]] = field(default_factory=list)

    def _weigh(
        self,
        one: nominating.Sentence,
        by: str,
        roles: set[str],
        when: datetime | None,  # noqa: ARG002 - as in the class above
    ) -> None:
        self.rows.append((self.messages, by, one.text, frozenset(roles)))


def examples(session: Session) -> Iterator[tuple[set[str], bool]]:
    """Roles of the sentences of a session, and whether they are needed."""
    talk = Recorded()
    for number, one in session.turns:
        talk.rows.clear()
        talk.hear([one])
        for _, by, text, roles in talk.rows:
            met = session.met(number, text)
            if not met or met & session.needed:
                yield {name_of(by, role) for role in ROLES[by] if role in {"", *roles}}, bool(met)


def name_of(by: str, role: str) -> str:
    """Name of a role in the regression."""
    return role if role in TIED[1:] else f"{by} {role}"


def regressed(sessions: Iterable[Session]) -> Weights:
    """Weights of a logistic regression over the roles, which nominate everything."""
    rows = [row for session in sessions for row in examples(session)]
    every = sorted({role for row, _ in rows for role in row})
    names = [name for name in every if sum(name in row for row, _ in rows) >= FEWEST]
    table = [[float(name in row) for name in names] for row, _ in rows]
    model = LogisticRegression(max_iter=1000).fit(table, [right for _, right in rows])
    points = dict(zip(names, model.coef_[0], strict=True))
    points[""] = float(model.intercept_[0])
    both = {
        by: {role: round(float(points.get(name_of(by, role), 0.0)), 1) for role in roles}
        for by, roles in ROLES.items()
    }
    for of_speaker in both.values():
        of_speaker[""] = round(of_speaker[""] + points[""], 1)
    return Weights(both["person"], both["agent"], least=ANY, strong=ANY)


def fit(authors: Sequence[Sequence[Session]]) -> Weights:
    """Weights and limits; the limits are chosen on sessions that the weights are not fitted to."""
    all_sessions = [session for author in authors for session in author]
    weights = [
        [regressed(other for other in all_sessions if other is not session) for session in author]
        for author in authors
    ]

    def mean(least: float, strong: float) -> tuple[float, float]:
        """Mean shares of what is covered, and of the sessions without any that get an offer."""
        figures = [
            measure(author, [replace(one, least=least, strong=strong) for one in chosen])
            for author, chosen in zip(authors, weights, strict=True)
        ]
        covered = sum(one["covered"] for one in figures)
        empty = sum(
            one["of these with an offer"] / max(1, one["without anything durable"])
            for one in figures
        )
        return covered / len(figures), empty / len(figures)

    least = max((step for step in STEPS if mean(step, ANY)[0] >= COVERED), default=STEPS[0])
    found = [(mean(least, step), step) for step in STEPS]
    strong = max((covered - empty, step) for (covered, empty), step in found)[1]
    return replace(regressed(all_sessions), least=least, strong=strong)


def main(arguments: Sequence[str]) -> None:
    """Measure a folder, or fit to folders."""
    if arguments[0] != "--fit":
        sessions = of_folder(Path(arguments[0]))
        for name, value in measure(sessions, [WEIGHTS] * len(sessions)).items():
            print(f"{name:26} {value:.2f}" if isinstance(value, float) else f"{name:26} {value}")
        return
    authors = [*(of_folder(Path(one)) for one in arguments[1:]), of_tests()]
    for at, author in enumerate(authors):
        weights = fit([*authors[:at], *authors[at + 1 :]])
        figures = measure(author, [weights] * len(author))
        print(*(f"{name} {value:.2f}" for name, value in figures.items()), sep=", ")
    print(fit(authors))


if __name__ == "__main__":
    main(sys.argv[1:])
