"""What is said of superseded facts is what was served."""

import json
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from tests.bench.superseded import Mind, Topic, made, measured, published

FILE = {
    "topics": [
        {
            "id": "t1",
            "kind": "supersession",
            "values": {"old": "8443", "new": "94 43"},
            "current": "new",
            "statements": [
                {"role": "f1", "text": "The auth service listens on port 8443 in the cluster."},
                {"role": "f2", "text": "The auth service moved to port 9443; 8443 is closed."},
            ],
            "query": "Which port does the auth service listen on?",
        },
        {
            "id": "t2",
            "kind": "distractor",
            "values": {"old": "board-summit"},
            "current": "old",
            "statements": [
                {"role": "f1", "text": "The monitor's dashboard is board-summit."},
                {"role": "d", "text": "The monitor leaves cancelled orders out."},
            ],
            "query": "Which dashboard has the monitor?",
        },
    ]
}


@pytest.fixture
def topics(tmp_path: Path) -> list[Topic]:
    file = tmp_path / "topics.json"
    file.write_text(json.dumps(FILE), encoding="utf-8")
    return published(file)


class Shelf:
    """Serves everything, in a given order and with given signs."""

    def __init__(self, *, newest_first: bool, signs: Iterable[str] = ()) -> None:
        self.texts: list[str] = []
        self.sessions: list[str] = []
        self._newest_first = newest_first
        self._signs = tuple(signs)

    def session(self, name: str) -> None:
        self.sessions.append(name)

    def write(self, text: str) -> bool:
        if "cancelled" in text:
            return False
        self.texts.append(text)
        return True

    def ask(self, query: str) -> list[tuple[str, bool]]:
        assert query
        order = self.texts[::-1] if self._newest_first else self.texts
        return [(text, any(sign in text for sign in self._signs)) for text in order]

    def close(self) -> None:
        self.texts.clear()


def test_values_are_known_however_they_are_written(topics: list[Topic]) -> None:
    port, board = topics
    assert port.judge("It is 94-43 now, no longer `8443`") == "current"
    assert port.judge("It was 8443") == "stale"
    assert port.judge("It was 80") == "other"
    assert board.judge("See Board Summit") == "current"


@pytest.mark.parametrize(
    ("newest_first", "signs", "first", "unsignalled"),
    [
        (True, (), 1, 1),
        (True, ("listens",), 1, 0),
        (False, ("listens",), 0, 0),
        (False, ("auth",), 0, 1),
        (False, (), 0, 1),
    ],
)
def test_a_sign_that_all_bear_counts_for_nothing(
    topics: list[Topic], *, newest_first: bool, signs: tuple[str, ...], first: int, unsignalled: int
) -> None:
    shelf = Shelf(newest_first=newest_first, signs=signs)
    told = measured(shelf, topics, apart=True)
    assert told["supersession"]["before stale"] == first
    assert told["supersession"]["unsignalled"] == unsignalled
    assert told["all"]["refused"] == 1
    assert shelf.sessions == ["round-f1", "round-f2", "round-d"]


def test_mind_is_measured_through_its_server(topics: list[Topic], tmp_path: Path) -> None:
    folder = tmp_path / "mind"
    folder.mkdir()
    with closing(Mind(folder, tmp_path / "no-models")) as mind:
        told = measured(mind, topics, apart=True)
    for kind in ("supersession", "distractor"):
        assert told[kind]["current first"] == 1
        assert told[kind]["unsignalled"] == 0
        assert told[kind]["wronged"] == 0
    assert told["all"]["refused"] == 0


def test_the_made_up_facts_are_told_by_their_whole_text() -> None:
    for topic in made():
        judged = [topic.judge(text) for _, text in topic.said]
        assert judged == ["stale"] * (len(judged) - 1) + ["current"]
