"""What is said in a session without a word that announces it."""

from pathlib import Path

import pytest

from mind.sources.transcripts import headed, remembered
from mind.sources.transcripts.prose import sentences
from mind.sources.transcripts.statements import by_person, claims
from tests.transcript_sessions import ROOT, Case, transcript

LOCK = "The lock in `sync.py` was added to prevent two timers from writing together."


def told(folder: Path, *steps: str) -> list[str]:
    path = transcript(Case("a session", list(steps))).write(folder)
    found = remembered([path], Path(ROOT), home=Path("/home/dev"))
    return [f"{one.kind}: {one.text}" for one in found]


def claimed(text: str, *, untouched: bool = True, looked: bool = False) -> list[str]:
    found = claims(sentences(text), untouched=untouched, looked=looked)
    return [f"{one.kind}: {one.text}" for one in found]


# --- the agent ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("gotcha", "The 404 of `/health` is expected until the first worker has registered"),
        ("gotcha", "An empty `Retry-After` is by design when the queue is idle"),
        ("gotcha", "The copy of `schema.json` is kept so that old clients can be tested"),
        (
            "gotcha",
            "The totals are actually computed by a view in `ledger.sql`, not by the service",
        ),
        ("gotcha", "When a tab sleeps, the Chrome engine doesn't run `setInterval` at all"),
        ("gotcha", "Sem o cabeçalho, o proxy do Traefik não repassa o corpo da requisição"),
        ("rejected", "I don't recommend polling here, since the API allows ten calls an hour"),
        (
            "rejected",
            "No recomiendo cron en este proyecto: el contenedor no lo trae ni lo arranca",
        ),
        ("rejected", "这个项目不建议使用线程池，因为驱动不是线程安全的，会丢失数据"),
        ("problem", "Two limitations of `Importer` remain unsolved: dates and nested lists"),
    ],
)
def test_a_fact_is_told_by_how_it_is_said(kind: str, text: str) -> None:
    assert claimed(f"{text}.") == [f"{kind}: {text}."]


@pytest.mark.parametrize(
    "text",
    [
        "Is the 404 of `/health` expected until the first worker has registered?",
        "The failing test of `/health` is expected because nothing answers there so far.",
        "I think that the 404 of `/health` is expected when nobody is there.",
        "It is expected when `limit` is empty and nobody has asked for more.",
        "It was added to prevent `sync.py` from writing twice in a row.",
        "The fix in `sync.py` was added to prevent two timers from writing together.",
        "The error is actually raised by `ledger.sql`, not by the service itself.",
        "When you want that, the Chrome engine doesn't help with `setInterval` at all.",
        "When a tab sleeps, the Chrome engine should not run `setInterval` at all.",
        "When a tab sleeps, the `Clock` doesn't run `setInterval` at all, it seems.",
        "When a tab sleeps, the Clock component doesn't run `setInterval` at all.",
        "I don't recommend this because the API allows ten calls an hour.",
        "I don't recommend polling in a case like that one here.",
        "Everything is always done at once in the shop of the town.",
        "`a` is only `b`",
    ],
)
def test_what_only_sounds_like_a_fact_is_none(text: str) -> None:
    assert claimed(text) == []


def test_what_code_is_there_for_is_told_of_code_that_was_there() -> None:
    assert claimed(LOCK) == [f"gotcha: {LOCK}"]
    assert claimed(LOCK, untouched=False) == []
    but = "But it assumes that both run on one machine."
    assert claimed(f"{LOCK} {but}") == [f"gotcha: {LOCK} {but}"]
    assert claimed(f"{LOCK} Shall it go?") == [f"gotcha: {LOCK}"]
    plain = "The icons are actually read from `sprite.svg`, not from a font."
    assert claimed(f"{plain} {but}") == [f"gotcha: {plain}"]


def test_advice_is_about_the_project_if_somebody_has_looked() -> None:
    advice = "I'd advise against Rust because nobody in the team can read it."
    assert claimed(advice) == []
    assert claimed(advice, looked=True) == [f"rejected: {advice}"]


def test_a_fact_is_told_without_what_announces_it() -> None:
    case = "When a tab sleeps, the Chrome engine doesn't run `setInterval` at all."
    assert claimed(f"The problem: {case[0].lower()}{case[1:]}") == [f"gotcha: {case}"]


def test_the_person_may_know_better(tmp_path: Path) -> None:
    said = f"A: {LOCK}"
    found = [f"gotcha: {LOCK[:-1]}"]
    assert told(tmp_path, said) == found
    assert told(tmp_path, said, "U: ok, is there a second one?") == found
    assert told(tmp_path, said, "U: no, it has another reason") == []
    assert told(tmp_path, said, said) == found
    assert told(tmp_path, "EDIT src/a.py | a | b", said) == []


def test_what_is_left_is_no_problem_if_it_is_done_next(tmp_path: Path) -> None:
    said = "A: Two limitations of `Importer` remain unsolved: dates and nested lists."
    found = [f"problem: {said[3:-1]}"]
    assert told(tmp_path, said, "U: good to know, what is next on the list?") == found
    assert told(tmp_path, said, "U: please do the dates") == []


def test_two_places_that_do_not_fit_are_an_open_problem(tmp_path: Path) -> None:
    cause = "`Form.tsx` sends `zipCode`, but the service reads `zip_code`."
    steps = ["$ cat Form.tsx", f"A: I see the issue: {cause}"]
    thanks = "U: thanks, I will see to it when the others are back"
    found = [f"problem: {cause[:-1]}"]
    assert told(tmp_path, *steps) == found
    assert told(tmp_path, *steps, thanks) == found
    assert told(tmp_path, *steps, thanks, "EDIT Form.tsx | zipCode | zip_code") == []
    assert told(tmp_path, *steps, "U: that is not it, the names are mapped") == []
    assert told(tmp_path, *steps, thanks, *steps[:1], CAUSE) == []


CAUSE = "A: The problem is that nobody has told the others, but they need to know."


def test_questions_tell_before_they_ask(tmp_path: Path) -> None:
    fact = "The logo is actually drawn by `Mascot.tsx`, not read from a file."
    asked = f"{fact} What should the readme show as the logo?"
    assert told(tmp_path, f"ASK {asked} | no idea") == [f"gotcha: {fact[:-1]}"]


# --- lists ----------------------------------------------------------------------------------


def items(text: str) -> list[str]:
    return [f"{kind}: {said}" for kind, said in headed.items(text)]


def test_what_was_measured_has_findings() -> None:
    rows = "| 8 | 0.61 |\n| 16 | 0.74 |\n| 32 | 0.75 |\n| 64 | 0.72 |\n\n"
    said = (
        "**Key findings:**\n✅ 16 layers do nearly as well as 32 at half the cost\n"
        "- 64 is worse than 32 on every set of the three\n- Model saved: model-32.pkl\n"
        "- All tests pass with 32 layers, none is skipped\n- ❌ The disk is full, so 128 did not\n"
        "- The layers of the model come in blocks of eight\n"
    )
    assert items(f"{rows}{said}") == [
        "learning: 16 layers do nearly as well as 32 at half the cost",
        "learning: 64 is worse than 32 on every set of the three",
    ]
    assert items(said) == []


# --- the person -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("btw redux is no longer used, see the stores", "Redux is no longer used, see the stores"),
        (
            "mysql isn't needed any more. ok? we have moved entirely to postgres. nice",
            "Mysql isn't needed any more. we have moved entirely to postgres.",
        ),
        (
            "refatore a tela, não mexa no esquema do banco em hipótese alguma",
            "Não mexa no esquema do banco em hipótese alguma",
        ),
        (
            "look at both, the sheet rates.xlsx is the source of truth, is that clear?",
            "The sheet rates.xlsx is the source of truth",
        ),
        ("看一下 rates.xlsx，以这个表格为准，可以吗？", "看一下 rates.xlsx，以这个表格为准"),
        ("先跑一遍测试，后续优先处理有标签的样本", "后续优先处理有标签的样本"),
        ("we don't need offline support", "We don't need offline support"),
        (
            "the retry limit should be 3, not 5",
            "The retry limit should be 3, not 5",
        ),
    ],
)
def test_a_person_lays_down_in_passing(text: str, kept: str) -> None:
    assert [one.text for one in by_person(text)] == [kept]


@pytest.mark.parametrize(
    "text",
    [
        "is redux no longer used here?",
        "it is no longer used here at all",
        "the zip code is no longer required, that is a bug",
        "maybe redux is no longer used by the shop",
        "is rates.xlsx the source of truth?",
        "if rates.xlsx is the source of truth, read it",
        "do not touch it under any circumstances",
        "under no circumstances",
        "we don't need the second import",
        "this should be 3, not 5",
        "the title should be blue, not green",
    ],
)
def test_a_person_lays_down_nothing(text: str) -> None:
    assert by_person(text) == []


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        ("is it slow? I don't want you to start the emulator", "Do not start the emulator"),
        ("please don't rebuild the search index", "Do not rebuild the search index"),
        ("don't go up", ""),
        ("don't commit yet", ""),
        ("don't open that", ""),
        ("don't explain the whole plan again", ""),
        ("don't shout in the readme of the shop now", ""),
        ("what about the readme?", ""),
        ("stop it", ""),
        ("don't tell me all of that in such long answers", ""),
        ("don't x", ""),
        ("never `a`, ok", ""),
    ],
)
def test_who_refuses_a_call_may_say_why_next(tmp_path: Path, after: str, kept: str) -> None:
    steps = ["A: Let me start it.", "REFUSE emulator -avd one | -", f"U: {after}"]
    found = [one for one in told(tmp_path, *steps) if one.startswith("decision: Do not")]
    assert found == ([f"decision: {kept}"] if kept else [])


def test_harm_is_told_with_what_was_tried(tmp_path: Path) -> None:
    tried = "A: Let me raise the batch size to 64."
    harm = "U: that crashed my laptop"
    assert told(tmp_path, tried, harm) == [
        "rejected: Raise the batch size to 64 - what came of it: that crashed my laptop"
    ]
    assert told(tmp_path, harm) == []
    assert told(tmp_path, tried, "U: what if that crashed my laptop?") == []


def test_what_is_asked_again_was_not_settled(tmp_path: Path) -> None:
    first = "ASK Which font should the headings use? | Inter, because we have a licence"
    again = "ASK Inter has no Greek. Which font should the headings use? | can you look for one?"
    assert len(told(tmp_path, first)) == 1
    assert len(told(tmp_path, first, again)) == 1
    assert told(tmp_path, f"{first} | Font", f"{again} | Font") == []
    assert len(told(tmp_path, f"{first} | Approach", f"{again} | Approach")) == 1


def test_why_an_edit_was_taken_back_may_be_said_later(tmp_path: Path) -> None:
    steps = ["EDIT src/a.py | threads | fork", "EDIT src/a.py | fork | threads"]
    why = "A: Forked workers don't work here because the driver keeps one socket for all of them."
    assert told(tmp_path, *steps, why, "EDIT src/b.py | a | b") == [
        (
            "rejected: Forked workers don't work here because the driver keeps one socket for all "
            "of them. (src/a.py)"
        )
    ]
