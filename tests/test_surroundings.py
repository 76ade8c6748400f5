"""How alike two texts are, by what stands around them: pure."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.similarity import NEIGHBOURS, Surroundings, alike, similarity
from tests.test_similarity import DIFFERENT, OPPOSITE, SAME

NOTHING = Surroundings()
CRASHES = [
    f"Intermittent shop.test.{name}Test | java.lang.NullPointerException: handle is null"
    for name in "Cart Basket Order Stock Parcel Refund Coupon Tax Login Search Price Label "
    "Stamp Pallet Invoice Return Gift Voucher Ledger Report".split()
]
ONE, OTHER = CRASHES[0], CRASHES[1]
KNOWN = Surroundings(texts=CRASHES[2:], entries=2_000)


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_idea_is_over_the_threshold_where_nothing_is_known(a: str, b: str) -> None:
    assert alike(a, b, NOTHING, NOTHING) >= 0.60


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_unrelated_ideas_stay_far_below(a: str, b: str) -> None:
    assert alike(a, b, NOTHING, NOTHING) < 0.40
    assert alike(a, b, NOTHING, NOTHING, 0.2) < 0.40


@pytest.mark.parametrize(("a", "b"), OPPOSITE)
def test_opposite_directions_are_never_a_repeat(a: str, b: str) -> None:
    for cosine in (None, 0.99):
        assert alike(a, b, NOTHING, NOTHING, cosine) < 0.60


def test_what_everything_around_shares_is_no_likeness() -> None:
    assert similarity(ONE, OTHER) > 0.80
    assert alike(ONE, OTHER, NOTHING, NOTHING) > 0.80
    assert alike(ONE, OTHER, KNOWN, KNOWN) < 0.60
    assert alike(ONE, ONE, KNOWN, KNOWN) == 1.0
    again = f"{ONE} in CI"
    assert alike(ONE, again, KNOWN, KNOWN) > 0.60


def test_a_memory_of_few_entries_tells_little() -> None:
    def among(entries: int) -> float:
        around = Surroundings(texts=CRASHES[2:], entries=entries)
        return alike(ONE, OTHER, around, around)

    scores = [among(entries) for entries in (0, 10, 100, 10_000)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1] + 0.2


def test_an_idea_that_was_noted_five_times_is_found_the_sixth_time() -> None:
    idea = "keep sessions in Redis"
    before = [f"{idea}, {when} try" for when in ("first", "second", "third", "fourth", "fifth")]
    around = Surroundings(texts=before[1:], entries=500)
    assert alike(idea, before[0], around, around) > 0.60


@pytest.mark.parametrize("often", range(1, 6))
def test_an_idea_in_other_words_counts_as_much_the_sixth_time_as_the_second(often: int) -> None:
    idea, first = "Keep the sessions in Redis for the web app", "Use Redis for session storage"
    others = ["Keep sessions in Redis again", "Redis as the session store in the shop"]
    others += ["store the sessions in Redis for the api", "Redis for session storage, again"]
    others += ["Redis keeps the sessions per user"]
    around = Surroundings(texts=others[:often], entries=500)
    alone = Surroundings(entries=500)
    assert alike(idea, first, around, around) == alike(idea, first, alone, alone) > 0.60


def test_what_is_near_by_meaning_counts_half() -> None:
    a, b = "people cannot sign in on Fridays", "logins fail at the end of the week"
    far, near = (alike(a, b, NOTHING, NOTHING, cosine) for cosine in (0.1, 0.9))
    assert alike(a, b, NOTHING, NOTHING) < 0.1
    assert far < 0.2 < near
    crowded = Surroundings(entries=500, cosines=[0.8] * 20)
    assert alike(a, b, crowded, crowded, 0.9) < near
    assert alike(a, b, NOTHING, NOTHING, -1.0) == 0.0


_WORDS = st.lists(st.sampled_from("the cache of sessions in Redis is emptied at night v2".split()))
_TEXTS = _WORDS.map(" ".join)
_AROUND = st.builds(
    Surroundings,
    texts=st.lists(_TEXTS, max_size=NEIGHBOURS),
    entries=st.integers(0, 50_000),
    cosines=st.lists(st.floats(-1, 1), max_size=20),
)


@given(_TEXTS, _TEXTS, _AROUND, _AROUND, st.none() | st.floats(-1, 1))
def test_scores_are_symmetric_and_between_0_and_1(
    a: str, b: str, around_a: Surroundings, around_b: Surroundings, cosine: float | None
) -> None:
    score = alike(a, b, around_a, around_b, cosine)
    assert 0.0 <= score <= 1.0
    assert math.isclose(score, alike(b, a, around_b, around_a, cosine), abs_tol=1e-9)
