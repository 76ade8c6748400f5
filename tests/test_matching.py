"""Which entries a prompt brings up: exact cases, and the share of five projects' prompts."""

from collections import Counter

import numpy as np
import pytest

from mind.domain.entry import Entry, Kind
from mind.hooks import matching
from tests.bench import prompts


def shown(entries: list[Entry], prompt: str) -> list[str]:
    """Ids of what a prompt brings up."""
    matcher = matching.Matcher(matching.stored(entries, [one.text for one in entries], "g"))
    found = matcher.matches(prompt)
    return [row["id"] for score, row in found if score >= matching.THRESHOLD]


MEMORY = [
    Entry(id="mmap", kind=Kind.REJECTED, text="mmap for reading segments - page faults stall us"),
    Entry(id="ign", kind=Kind.GOTCHA, text="l'API de géocodage limite à 40 requêtes par seconde"),
    Entry(id="tax", kind=Kind.GOTCHA, text="消費税は合計に対して計算し、端数は切り捨て。"),
    Entry(id="label", kind=Kind.GOTCHA, text="Etikettendrucker versteht nur ISO-8859-15, Umlaute"),
    Entry(id="done", kind=Kind.PROGRESS, text="the segments are read ahead"),
]


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("try mmap for the segments, reading should be faster", ["mmap"]),
        ("MMAP the Segments for reading?", ["mmap"]),
        ("augmente les REQUETES par seconde vers l'API de geocodage", ["ign"]),
        ("カートの消費税の端数を計算して", ["tax"]),
        ("Umlaute fehlen am Etikettendrucker", ["label"]),
        ("rename the segment class", []),
        ("go on", []),
        ("", []),
        ("the and of it is", []),
        ("\x00\udc80 ' OR 1=1 --", []),
    ],
)
def test_a_prompt_brings_up_what_it_is_about(prompt: str, wanted: list[str]) -> None:
    assert shown(MEMORY, prompt) == wanted


@pytest.mark.parametrize(
    ("written", "prompt"),
    [("GlitchTip", "glitchtip"), ("glitchtip", "GlitchTip"), ("gRPC", "grpc"), ("grpc", "gRPC")],
)
def test_a_name_with_inner_capitals_is_met_in_any_case(written: str, prompt: str) -> None:
    text = f"{written} on the staging hosts - needs too much memory"
    asked = f"set up {prompt} on the staging hosts please"
    assert shown([Entry(id="it", kind=Kind.REJECTED, text=text)], asked) == ["it"]


CODES = [
    Entry(
        id="lock",
        kind=Kind.GOTCHA,
        text="A killed migration keeps its lock, so the next one fails with ENGINE-12018.",
    ),
    Entry(
        id="seed",
        kind=Kind.GOTCHA,
        text="Start the database first, otherwise the E2E tests fail with ECONNREFUSED.",
    ),
    Entry(id="tree", kind=Kind.DECISION, text="One pass, since two cost 300 ms (astToIr)."),
    Entry(id="fixtures", kind=Kind.DECISION, text="Fixtures grew unmaintainable; FactoryBot."),
]


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("the deployment fails with ENGINE-12018, what now?", ["lock"]),
        ("ENGINE-12018でデプロイが失敗", ["lock"]),
        ("why do the E2E tests fail with ECONNREFUSED", ["seed"]),
        ("let astToIr handle enums", ["tree"]),
        ("the deployment fails with ENGINE-12019, what now?", []),
        ("add a FactoryBot trait for sold out products", []),  # what was chosen
    ],
)
def test_a_name_of_code_that_few_entries_have_brings_them_up(
    prompt: str, wanted: list[str]
) -> None:
    assert shown(CODES, prompt) == wanted


def test_a_name_of_code_that_many_entries_have_is_a_word_like_others() -> None:
    text = "Part {} waits for the others, else it ends with ENGINE-12018."
    many = [Entry(id=str(at), kind=Kind.GOTCHA, text=text.format(at)) for at in range(3)]
    assert shown(many, "the deployment fails with ENGINE-12018") == []


CHOICES = [
    Entry(
        id="push",
        kind=Kind.REJECTED,
        text="Push for every new report: 60% switched it off. Weekly digest mail instead.",
    ),
    Entry(id="cairo", kind=Kind.PROGRESS, text="Charts are drawn with Cairo, tested on Haiku."),
    Entry(id="nacelle", kind=Kind.GOTCHA, text="The nacelle sensor drifts in frost; calibrate it."),
]


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("send a push notification for every new report", ["push"]),
        ("group the weekly digest mail by district", []),  # what was chosen
        ("the charts drawn with Cairo on Haiku are too small", []),  # background
        ("the nacelle sensor shows 4 degrees too much", ["nacelle"]),
        ("calibrate it", []),  # does not name the subject
    ],
)
def test_the_subject_of_an_entry_brings_it_up(prompt: str, wanted: list[str]) -> None:
    assert shown(CHOICES, prompt) == wanted


def test_a_word_says_less_in_a_longer_prompt() -> None:
    matcher = matching.Matcher(matching.stored(CHOICES, ["", "", ""], "g"))
    rest = " ".join(f"zyx{chr(97 + at)}q" for at in range(26))
    (short, _), (long, _) = (
        matcher.matches(prompt)[0]
        for prompt in ("the nacelle sensor", f"the nacelle sensor {rest}")
    )
    assert short > long


def test_an_empty_memory_answers_nothing() -> None:
    assert shown([], "mmap for reading the segments") == []


def test_every_word_of_a_large_memory_is_found() -> None:
    entries = [
        Entry(
            id=str(at), kind=Kind.GOTCHA, text=f"frobnicator{chr(97 + at % 26)}{at} wobbles often"
        )
        for at in range(700)
    ]
    matcher = matching.Matcher(matching.stored(entries, [""] * 700, "g"))
    for at in (0, 1, 350, 698, 699):
        word = matching.terms(entries[at].text)
        found = matcher.candidates(" ".join(word))
        assert str(at) in {row["id"] for _, row in found}


def test_what_is_shown_for_the_prompts_of_five_projects_is_right() -> None:
    counts: Counter[str] = Counter()
    for project in prompts.own():
        counts += prompts.counted(project.cases(), np.array(matching.WEIGHTS), matching.THRESHOLD)
    precision, covered, unanswered, generic = prompts.rates(counts)
    assert precision >= 0.8
    assert covered >= 0.3
    assert unanswered <= 0.08
    assert generic == 0
