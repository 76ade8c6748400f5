"""How memories age: what expires, what is warm, and what may be let go of."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.documents import parser
from mind.domain.entry import Entry, Kind, Layer, importance, is_pinned
from mind.domain.settings import Settings
from mind.ranking.heat import (
    TTL,
    Band,
    Uses,
    band,
    expires,
    heat,
    idle,
    is_expired,
    is_protected,
    risk,
)

NO_USES = Uses()

TODAY = date(2026, 11, 20)
DAYS = st.dates(date(2020, 1, 1), TODAY)
AGES = st.integers(0, 2000)
SHARES = st.floats(0, 1)


def entry(kind: Kind = Kind.DECISION, day: date | None = TODAY, **fields: str) -> Entry:
    return Entry(id="a", kind=kind, text="x", date=day, fields=fields)


def ago(days: int) -> date:
    return TODAY - timedelta(days=days)


# How long it lives


@pytest.mark.parametrize(
    ("layer", "days"),
    [
        (Layer.GOAL, None),
        (Layer.CONTEXT, 30),
        (Layer.EMOTION, 14),
        (Layer.IMPLEMENTATION, 90),
        (Layer.REALIZE, None),
        (Layer.LEARNING, 365),
    ],
)
def test_each_layer_lives_as_long_as_the_design_says(layer: Layer, days: int | None) -> None:
    assert TTL[layer] == days


@pytest.mark.parametrize(
    ("one", "last"),
    [
        (entry(Kind.NOTE, date(2026, 11, 1)), date(2026, 12, 1)),
        (entry(Kind.PROGRESS, date(2026, 1, 1)), date(2026, 4, 1)),
        (entry(Kind.DECISION, date(2026, 1, 1)), date(2027, 1, 1)),
        (entry(Kind.NOTE, date(2026, 11, 1), layer="emotion"), date(2026, 11, 15)),
        (entry(Kind.NOTE, date(2026, 11, 1), expires="2026-11-05"), date(2026, 11, 5)),
        (entry(Kind.NOTE, None, expires=" 2026-11-05T10:00 "), date(2026, 11, 5)),
        (entry(Kind.GOTCHA, date(2026, 11, 1), expires="2026-11-05"), date(2026, 11, 5)),
        (entry(Kind.NOTE, date(2026, 11, 1), expires="some day"), date(2026, 12, 1)),
        (entry(Kind.NOTE, date(2026, 11, 1), expires="Never"), None),
        (entry(Kind.GOTCHA, date(2026, 11, 1)), None),
        (entry(Kind.GOAL, date(2026, 11, 1)), None),
        (entry(Kind.NOTE, date(2026, 11, 1), pinned="yes"), None),
        (entry(Kind.NOTE, None), None),
        (entry(Kind.NOTE, date(9999, 12, 31)), None),
    ],
)
def test_an_entry_expires_when_it_says_so_or_when_its_layer_does(
    one: Entry, last: date | None
) -> None:
    assert expires(one) == last


def test_a_note_that_a_person_wrote_does_not_expire() -> None:
    text = b"## 2026-11-01\n\nThe staging database is small.\n\nnote: it is restored on Sundays\n"
    by_hand, logged = parser.parse(text, "MEMORY.md", Settings())
    assert expires(by_hand) is None
    assert expires(logged) == date(2026, 12, 1)


def test_an_imported_entry_keeps_its_day_and_expires_only_if_its_source_says_so() -> None:
    text = b"## 2016-02-12\n\ndecided: dates are ISO 8601 [from:: adr:0008]\n"
    text += b"\nprogress: the kiln is built [from:: chest:12]\n"
    text += b"\nnote: the kiln is rented [from:: chest:13] [expires:: 2016-03-01]\n"
    record, progress, rented = parser.parse(text, "MEMORY.md", Settings())
    assert record.date == date(2016, 2, 12)
    assert expires(record) is None
    assert expires(progress) is None
    assert expires(rented) == date(2016, 3, 1)


def test_a_life_counts_from_the_last_check() -> None:
    old = entry(Kind.NOTE, date(2026, 9, 1))
    assert is_expired(old, TODAY)
    assert expires(old, since=date(2026, 11, 10)) == date(2026, 12, 10)
    assert not is_expired(old, TODAY, since=date(2026, 11, 10))
    assert expires(old, since=date(2026, 1, 1)) == date(2026, 10, 1)


def test_the_last_day_still_counts() -> None:
    one = entry(expires="2026-11-20")
    assert not is_expired(one, TODAY)
    assert is_expired(one, TODAY + timedelta(days=1))
    assert not is_expired(entry(Kind.GOAL), date(2100, 1, 1))


# What matters


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("0.9", 0.9),
        ("1", 1),
        (" 0 ", 0),
        ("", 0.5),
        ("high", 0.5),
        ("9", 0.5),
        ("-1", 0.5),
        ("nan", 0.5),
    ],
)
def test_importance_is_a_share_or_a_half(said: str, value: float) -> None:
    assert importance(entry(importance=said).fields) == value


def test_what_was_not_rated_is_of_middling_importance() -> None:
    assert importance(entry().fields) == 0.5


@pytest.mark.parametrize(
    ("fields", "pinned"),
    [
        ({"pinned": "yes"}, True),
        ({"pinned": "True"}, True),
        ({"pinned": "no"}, False),
        ({"importance": "0.9"}, True),
        ({"importance": "0.89"}, False),
        ({}, False),
    ],
)
def test_it_is_pinned_by_word_or_by_importance(fields: dict[str, str], pinned: bool) -> None:
    one = Entry(id="a", kind=Kind.DECISION, text="x", fields=fields)
    assert is_pinned(one.fields) == pinned
    assert is_protected(one) == pinned


@pytest.mark.parametrize("kind", list(Kind))
def test_goals_and_lessons_are_protected_and_nothing_else(kind: Kind) -> None:
    lessons = {Kind.GOAL, Kind.PROBLEM, Kind.GOTCHA, Kind.REJECTED, Kind.BLOCKER}
    assert is_protected(entry(kind)) == (kind in lessons)


# How warm it is


def test_uses_are_counted_by_the_days_they_lie_back() -> None:
    days = [ago(0), ago(0), ago(29), ago(30), ago(89), ago(90), ago(400)]
    assert Uses.of(days, TODAY) == Uses(last_30=3, last_90=5, total=7, last=TODAY)


def test_a_day_to_come_counts_as_today() -> None:
    assert Uses.of([TODAY + timedelta(days=3)], TODAY) == Uses(1, 1, 1, TODAY)


def test_without_uses_there_is_no_last_one() -> None:
    assert Uses.of([], TODAY) == NO_USES


@pytest.mark.parametrize(
    ("uses", "day", "score"),
    [
        (NO_USES, ago(0), 27.5),  # 20 recency, 7.5 importance
        (NO_USES, ago(7), 27.5),
        (NO_USES, ago(8), 7.5),
        (NO_USES, ago(90), 7.5),
        (NO_USES, ago(91), 0),
        (NO_USES, None, 7.5),
        (Uses(4, 6, 6, ago(2)), ago(300), 12 + 6 + 3 + 20 + 7.5),
        (Uses(0, 5, 10, ago(40)), ago(300), 5 + 5 + 7.5),
        (Uses(0, 0, 10, ago(200)), ago(300), 5 - 10 + 7.5),
        (Uses(90, 90, 90, ago(0)), ago(300), 30 + 20 + 15 + 20 + 7.5),
    ],
)
def test_heat_adds_frequency_recency_tenure_and_importance(
    uses: Uses, day: date | None, score: float
) -> None:
    assert heat(uses, entry(day=day), TODAY) == score


def test_what_is_used_daily_and_matters_most_is_as_hot_as_can_be() -> None:
    assert heat(Uses(90, 90, 90, TODAY), entry(importance="1"), TODAY) == 100


@pytest.mark.parametrize(
    ("score", "name"),
    [
        (100, Band.HOT),
        (70, Band.HOT),
        (69.9, Band.WARM),
        (40, Band.WARM),
        (39.9, Band.COLD),
        (20, Band.COLD),
        (19.9, Band.FROZEN),
        (0, Band.FROZEN),
    ],
)
def test_bands_begin_at_70_40_and_20(score: float, name: Band) -> None:
    assert band(score) is name


def test_idle_time_counts_from_the_later_of_writing_and_use() -> None:
    used = Uses(1, 1, 1, ago(5))
    assert idle(used, entry(day=ago(50)), TODAY) == 5
    assert idle(used, entry(day=ago(2)), TODAY) == 2
    assert idle(NO_USES, entry(day=TODAY + timedelta(days=2)), TODAY) == 0
    assert idle(NO_USES, entry(day=None), TODAY) is None


@given(st.lists(DAYS), DAYS, st.one_of(st.none(), SHARES))
def test_heat_is_bounded(days: list[date], day: date, weight: float | None) -> None:
    one = entry(day=day, importance="" if weight is None else str(weight))
    assert 0 <= heat(Uses.of(days, TODAY), one, TODAY) <= 100


@given(st.lists(DAYS), DAYS, SHARES, SHARES)
def test_what_matters_more_is_not_colder(days: list[date], day: date, a: float, b: float) -> None:
    uses = Uses.of(days, TODAY)
    low, high = (heat(uses, entry(day=day, importance=f"{x:.3f}"), TODAY) for x in sorted((a, b)))
    assert low <= high


@given(st.lists(DAYS), DAYS, AGES)
def test_nothing_gets_warmer_by_waiting(days: list[date], day: date, later: int) -> None:
    then = TODAY + timedelta(days=later)
    one = entry(day=day)
    assert heat(Uses.of(days, then), one, then) <= heat(Uses.of(days, TODAY), one, TODAY)


# What may be let go of


def test_risk_is_heat_times_importance_times_time() -> None:
    assert risk(NO_USES, entry(day=ago(30)), TODAY) == pytest.approx(0.925 * 0.5 * 30 * 2)
    used = Uses(0, 0, 2, ago(120))
    assert risk(used, entry(day=ago(400), importance="0.2"), TODAY) == pytest.approx(
        (1 - 0 / 100) * 0.8 * 120 * 5
    )


@given(st.sampled_from([Kind.GOAL, Kind.GOTCHA, Kind.REJECTED]), DAYS)
def test_what_is_protected_is_never_at_risk(kind: Kind, day: date) -> None:
    assert risk(NO_USES, entry(kind, day), TODAY) == 0
    assert risk(NO_USES, entry(day=day, pinned="yes"), TODAY) == 0


def test_what_has_no_day_is_not_at_risk() -> None:
    assert risk(NO_USES, entry(day=None), TODAY) == 0


@given(st.lists(DAYS), DAYS, AGES)
def test_risk_only_grows_by_waiting(days: list[date], day: date, later: int) -> None:
    then = TODAY + timedelta(days=later)
    one = entry(day=day)
    before = risk(Uses.of(days, TODAY), one, TODAY)
    assert 0 <= before <= risk(Uses.of(days, then), one, then)


@given(st.lists(DAYS), DAYS, SHARES, SHARES)
def test_what_matters_more_is_less_at_risk(days: list[date], day: date, a: float, b: float) -> None:
    uses = Uses.of(days, TODAY)
    low, high = (risk(uses, entry(day=day, importance=f"{x:.3f}"), TODAY) for x in sorted((a, b)))
    assert high <= low


@given(st.integers(0, 100), st.integers(0, 100), DAYS, SHARES)
def test_what_is_warmer_is_less_at_risk(a: int, b: int, day: date, weight: float) -> None:
    one = entry(day=day, importance=f"{weight:.3f}")
    few, many = (risk(Uses(x, x, x, day), one, TODAY) for x in sorted((a, b)))
    assert many <= few
