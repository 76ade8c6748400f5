"""Patterns of ``re`` that ``regex`` searches for: the same matches, for whatever pattern."""

import re
import time
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mind.text.sourcetext import folded, place_of
from mind.text.sourcetext.grammar import Unusable, parsed, problem, required
from mind.text.sourcetext.limited import MatchLimits, slow_text
from tests.effort import THOROUGH, tries
from tests.soak.patterns import BOUNDED, Use, finding, floods, is_exponential, openings, uses

ATOMS = st.sampled_from(
    [*"abcikKsß_1é .^$", r"\w", r"\W", r"\s", r"\S", r"\d", r"\D", r"\b", r"\B",
     r"\A", r"\Z", r"\n", r"[a-c]", r"[^a-c]", r"[^\w]", r"[\W1]", r"[^\Wa]", r"[\s\d]", r"[i-k]",
     r"[^i]", r"[^\s]", r"[^\W\S]", r"[à-é]", r"[]a]", r"[^]a]", r"[[a]", r"[{e}]",
     r"[[:alpha:]]", r"[^]i[:alpha:]]", r"\[[:1]", "{i}", '"{e}"', "(?:ab){1<=e<=2}", "{2i+1d<=4}",
     r"(a)", r"\1", r"\{i\}", r"\{", "{", "{ i", "{}", "{x}", r'"', r"(?:)"]
)  # fmt: skip
REPEATS = st.sampled_from(
    ["?", "*", "+", "{1,2}", "{2}", "??", "*?", "+?", "?+", "*+", "++", "{0,1}?", "{,2}"]
)
GROUPS = st.sampled_from(
    ["({})", "(?={})", "(?!{})", "(?i:{})", "(?-i:{})", "(?s:{})", "(?m:{})", "(?-m:{})",
     "(?>{})", "(a)?(?(1){}|b)"]
)  # fmt: skip


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.tuples(inner, inner).map("|".join),
        st.builds(lambda one, times: f"(?:{one}){times}", inner, REPEATS),
        st.builds(lambda one, group: group.replace("{}", one), inner, GROUPS),
        st.builds(lambda one, sign: f"(?<{sign}{one})", ATOMS, st.sampled_from("=!")),
    )


PATTERNS = st.builds(
    lambda flags, pattern: flags + pattern,
    st.sampled_from(["", "", "(?i)", "(?s)", "(?a)"]),
    st.recursive(ATOMS, larger, max_leaves=8),
)
TEXTS = st.text('abcikKsSß_ éÉ\n\t1.{}e"[]', min_size=1, max_size=10)
"""Not combining marks, fractions, a dotted I and the like: ``regex`` classes them otherwise."""


@settings(max_examples=tries(150, 1_500), suppress_health_check=[HealthCheck.too_slow])
@given(PATTERNS, TEXTS)
def test_every_pattern_finds_what_re_finds(pattern: str, text: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = re.compile(pattern, re.MULTILINE).search(text)
    except re.error:
        assert problem(pattern) is not None
        return
    assert problem(pattern) is None
    limits = MatchLimits(5)
    hit = limits.search([pattern], text).get(pattern)
    assert limits.slow == []
    assert hit == ((wanted.start(), wanted.group()) if wanted else None)


@given(st.text() | st.text("()[]{}|*+?^$\\.a1,:=!<>P"))
def test_whatever_a_pattern_is_it_has_an_answer(pattern: str) -> None:
    assert isinstance(required(pattern), list)
    found = MatchLimits(1).search([pattern], "a1()")
    assert problem(pattern) is None or found == {}


@given(PATTERNS, TEXTS)
def test_a_match_has_one_of_the_texts_that_its_pattern_requires(pattern: str, text: str) -> None:
    doubled = pattern.replace("a", "abc").replace("i", "iıİ")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = re.search(doubled, text + "abciIıABCabc", re.MULTILINE)
    except re.error:
        return
    texts = required(doubled)
    said = folded(text + "abciIıABCabc")
    assert not found or not texts or any(folded(one) in said for one in texts)


@given(st.text("ab._²", min_size=1, max_size=3), st.text("ab._² é", max_size=12))
def test_a_name_is_whole(name: str, text: str) -> None:
    found = re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)
    assert place_of(name, text) == (found.start() if found else -1)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("x" * 301, "more than 300 characters"),
        ("(", "does not compile: missing )"),
        ("(?au)x", "does not compile"),
        ("a{99999999999999999999}", "does not compile: the repetition number is too large"),
        (r"(?<=a+)b", "look-behind requires fixed-width"),
        (r"(?a:\w)", "sets the flag a, u or L for a part of itself"),
        ("(" * 60 + "a" + ")" * 60, "is nested too deeply"),
        ("(?:.{99}){99}", "has more than 3,000 parts"),
        ("(a{1000}){1000}", "has more than 3,000 parts"),
    ],
)
def test_a_pattern_that_cannot_be_used_says_why(pattern: str, said: str) -> None:
    assert said in (problem(pattern) or "")
    with pytest.raises(Unusable):
        parsed(pattern)


@pytest.mark.parametrize("pattern", [r"(a|a)*$", r"(x+x+)+y", r"(\d+)*z", r"(?:\s*)*\s*\s*\s*;$"])
def test_a_pattern_is_tried_on_what_takes_it_long(pattern: str) -> None:
    assert slow_text(pattern)


@pytest.mark.parametrize("pattern", [r"\s+$", r"[ \t]+$", "foo", r"(a+)+", r"^.{500,}$", r".*x.*"])
def test_an_ordinary_pattern_is_not_slow(pattern: str) -> None:
    assert slow_text(pattern) == ""


def test_no_pattern_of_mind_is_slow_where_what_it_opens_has_no_end() -> None:
    """``<!--.*?-->`` reads the rest of a text at each of many ``<!--`` without an end."""
    files = () if THOROUGH else ("mind.documents", "mind.sources.importers", "memory.sync")
    slow = [
        (one.module, one.name, found.flood)
        for one in uses(*files)
        if (one.module, one.name) not in BOUNDED
        if (found := finding(one, openings(one.pattern)))
    ]
    assert slow == []


def test_no_pattern_of_mind_is_exponential() -> None:
    """Nor if a part that repeats may be divided in many ways: ``(?:[A-Z]?[a-z]{2,})+1``."""
    files = () if THOROUGH else ("mind.text.secrets",)
    slow = [
        (one.module, one.name, flood)
        for one in uses(*files)
        for flood in floods(one.pattern)
        if is_exponential(one, flood)
    ]
    assert slow == []
    old = Use("mind", "it", re.compile(r"(?:(?:[A-Z]?[a-z]{2,})+\d|curve)"), "fullmatch")
    assert any(is_exponential(old, flood) for flood in floods(old.pattern))


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        (r"(?ms)^<{7} .*?^={7}\r?$.*?^>{7} ", 1_000),
        (r'(?s)"(?:[^"\\\n]|\\.)*"|//[^\r\n]*|/\*.*?\*/', 3_000),
        (r"(?ms)^(```+).*?(?:^\1|\Z)|<!--.*?-->", 3_000),
        (r"[(\[][^()\[\]]*\d[^()\[\]]*[)\]]", 3_000),
    ],
)
def test_the_search_for_such_patterns_finds_those_that_there_were(pattern: str, size: int) -> None:
    use = Use("mind", "it", re.compile(pattern), "finditer")
    assert finding(use, openings(use.pattern), (size, 2 * size, 4 * size))


def test_what_is_slow_for_its_share_has_what_the_others_leave() -> None:
    pattern = r"(?:[^x]|q)*z"
    text = "a" * 100_000 + "z"
    limits = MatchLimits(5)
    assert list(limits.search([pattern, *(f"q{at}" for at in range(500))], text)) == [pattern]
    assert limits.slow == []


def test_a_pattern_that_overruns_leaves_no_time_to_the_others() -> None:
    limits, began = MatchLimits(0.03), time.perf_counter()
    slow = [r"\s+$", *(rf"[\s{at}]+$" for at in range(9))]
    assert limits.search(slow, " " * 200_000 + "!") == {}
    assert sorted(limits.slow) == sorted(slow)
    assert time.perf_counter() - began < 3
