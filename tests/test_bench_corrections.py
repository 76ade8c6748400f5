"""The corrections that memory is measured on are what they claim to be."""

import re
from collections import Counter
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from mind.domain.entry import Entry, normalise, parse_kind
from mind.search.results import Hit
from mind.text.terms import query_terms
from tests.bench import corrections
from tests.bench.corrections_data import OTHERS, Chain, Noted, chains, controls, others

SAYS_SO = re.compile(
    r"instead|no longer|no more|any ?more|switched|correction|changed|replace|moved|dropped|"
    r"went back|raised .* from|from now on|not .* after all",
    re.IGNORECASE,
)
CHAINS = chains()
BY_NAME = pytest.mark.parametrize("chain", CHAINS, ids=lambda one: one.name)


@pytest.mark.parametrize("name", OTHERS)
def test_the_sets_that_nothing_was_fitted_on_are_whole(name: str) -> None:
    of, pairs = others(name)
    assert Counter(one.group for one in of) == {"explicit": 20, "silent": 25, "long": 15}
    assert len(pairs) == 60
    assert {len(one.queries) for one in [*of, *pairs]} == {2}
    for chain in [*of, *pairs]:
        assert len(chain.versions) >= 2
        assert all(parse_kind(one.kind) for one in chain.versions)


def terms(text: str) -> set[str]:
    return set(query_terms(text))


def test_groups_lengths_and_halves_are_even() -> None:
    assert Counter(one.group for one in CHAINS) == dict.fromkeys(
        ("explicit", "silent", "other words"), 20
    )
    assert Counter(one.corrections for one in CHAINS) == {1: 20, 2: 20, 3: 20}
    halves = {half: [one for one in CHAINS if one.half == half] for half in "ab"}
    a, b = (Counter((one.group, one.corrections) for one in half) for half in halves.values())
    assert a == b
    assert Counter(len(one.versions) for one in controls()) == {2: 30}
    assert Counter(len(one.queries) for one in controls()) == {1: 30}


def test_nothing_stands_there_twice() -> None:
    together = [*CHAINS, *controls()]
    noted = [note.text for one in together for note in one.versions]
    asked = [query for one in together for query in one.queries]
    seen = Counter(map(normalise, [*noted, *asked]))
    assert [text for text, count in seen.items() if count > 1] == []
    names = Counter(one.name for one in together)
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("note", [note for one in CHAINS for note in one.versions])
def test_notes_are_of_a_kind_that_is_kept(note: Noted) -> None:
    assert parse_kind(note.kind).value not in {"experience", "relation"}


@BY_NAME
def test_only_explicit_corrections_say_that_they_are_some(chain: Chain) -> None:
    later = [bool(SAYS_SO.search(note.text)) for note in chain.versions[1:]]
    assert later == [chain.group == "explicit"] * chain.corrections


def test_other_words_are_other_words() -> None:
    """Two chains name even their subject by another word."""
    shares = {
        one.name: max(
            len(terms(before.text) & terms(after.text)) / len(terms(before.text))
            for before, after in pairwise(one.versions)
        )
        for one in CHAINS
        if one.group == "other words"
    }
    assert {name: share for name, share in shares.items() if share > 0.5} == {}


@BY_NAME
def test_a_query_has_no_more_words_of_one_version_than_of_another(chain: Chain) -> None:
    assert len(chain.queries) == 2
    for query in chain.queries:
        shared = [len(terms(query) & terms(note.text)) for note in chain.versions]
        assert min(shared) > 0
        assert max(shared) - min(shared) <= 1


def test_queries_favour_neither_what_holds_nor_what_held() -> None:
    now = before = 0.0
    for chain in CHAINS:
        for query in chain.queries:
            *old, last = (len(terms(query) & terms(note.text)) for note in chain.versions)
            now += last
            before += sum(old) / len(old)
    assert now == pytest.approx(before, rel=0.02)


def test_what_holds_is_as_long_as_what_held() -> None:
    now = before = 0.0
    for chain in CHAINS:
        *old, last = (len(note.text) for note in chain.versions)
        now += last
        before += sum(old) / len(old)
    assert now == pytest.approx(before, rel=0.1)


def test_versions_come_days_apart_and_between_those_of_others() -> None:
    together = [*CHAINS, *controls()]
    order = corrections.schedule(together)
    assert len(order) == len(set(order)) == 240
    for number, one in enumerate(together):
        places = [at for at, (other, _) in enumerate(order) if other == number]
        assert [order[at][1] for at in places] == list(range(len(one.versions)))
        apart = [(after - before) * corrections.APART for before, after in pairwise(places)]
        assert min(apart) >= timedelta(days=2)


def test_unrelated_notes_are_many_and_the_same_each_time() -> None:
    notes = corrections.noise()
    assert len({normalise(note.text) for note in notes}) == corrections.NOISE
    assert notes == corrections.noise()


def hit(text: str, *stale: str) -> Hit:
    entry = Entry(id="x", kind=parse_kind("decision"), text=text)
    return Hit(entry=entry, score=1.0, relevance="high", stale=stale)


def test_an_answer_is_judged_by_order_marks_and_what_is_gone() -> None:
    chain = Chain("port", "silent", (), ("?", "~"))
    known = ["one", "two", "three", "four"]
    hits = [
        hit("else", "newer: x"),
        hit("four"),
        hit("two", "newer: four"),
        hit("one", "a.py is gone"),
    ]
    judged = corrections._judged(chain, "?", hits, known, {"one", "two", "four"}, frozenset())
    assert (judged.first, judged.top, judged.any_top) == (True, False, False)
    assert (judged.marked, judged.archived, judged.unmarked) == (1, 1, 1)
    assert not judged.wronged
    assert judged.others == 1
    told = corrections.figures([judged])
    assert told["unmarked"] == pytest.approx(1 / 3)
    assert (told["first"], told["top"], told["misled"], told["met"]) == (1, 0, 1, 3)


def test_marking_what_holds_is_an_error() -> None:
    chain = Chain("port", "silent", (), ("?", "~"))
    hits = [hit("old"), hit("new", "newer: old")]
    judged = corrections._judged(chain, "?", hits, ["old", "new"], {"old", "new"}, frozenset())
    assert judged.wronged
    assert (judged.first, judged.any_top) == (False, True)


def test_a_small_run_tells_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = [CHAINS[0], CHAINS[30]]
    done = corrections.measured(some, controls()[:1], corrections.noise()[:5], tmp_path)
    told = corrections.report(done)
    assert told["model"] == ""
    assert told["chains"]["all"]["n"] == 4
    assert told["chains"]["at once, last ten chains"]["n"] == 2 * sum(
        one.corrections for one in some
    )
    assert told["controls"]["n"] == 1
    corrections.show(told)
    corrections.show_failures(done)
    assert "control pairs wrongly marked" in capsys.readouterr().out
