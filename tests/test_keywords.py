"""Keywords: names by which an entry is found, and by which what it rejected comes back."""

from datetime import timedelta

import pytest

from mind.domain.entry import Entry
from mind.domain.errors import InputError
from mind.memory.memory import Memory
from mind.storage.project import Project
from mind.text.matching import acts, candidates
from mind.text.matching.candidates import Catalogue
from tests.conftest import Clock, Run
from tests.hooking import command, start

TIMERS = "Timers in the web process - lost mails at each deploy"
NAMES = ("node-cron", "in-process worker", "setInterval")
INTERRUPTS = candidates.weights()["least"]


def logged(memory: Memory) -> str:
    return memory.log(TIMERS, "rejected", keywords=NAMES).entry.id


def test_keywords_stand_behind_the_entry_and_outlive_the_session(
    memory: Memory, clock: Clock
) -> None:
    identifier = logged(memory)
    assert f"- rejected: {TIMERS} [keywords:: {', '.join(NAMES)}]" in read(
        memory.project, "session"
    )
    clock.now += timedelta(days=2)
    memory.recall()
    assert f"{TIMERS} [keywords:: {', '.join(NAMES)}]" in read(memory.project, "memory")
    assert entry(memory, identifier).keywords == NAMES
    assert "node-cron" not in (memory.project.root / "CLAUDE.md").read_text("utf-8")


def entry(memory: Memory, identifier: str) -> Entry:
    (found,) = memory.get([identifier]).entries
    return found


def read(project: Project, file: str) -> str:
    return (project.session if file == "session" else project.memory).read_text("utf-8")


def test_an_entry_is_found_by_its_keywords(memory: Memory) -> None:
    identifier = logged(memory)
    assert [hit.entry.id for hit in memory.search("setInterval").hits] == [identifier]


def test_what_was_rejected_is_recognised_by_its_keywords(memory: Memory) -> None:
    intent = "Schedule the digest in an in-process worker, with node-cron and setInterval"
    plain = memory.log(TIMERS, "rejected").entry.id
    assert not memory.edges(intent).loops
    memory.update(plain, keywords=NAMES)
    (loop,) = memory.edges(intent).loops
    assert (loop.earlier.id, loop.matched) == (plain, "process, node-cron, worker, setInterval")


def test_the_hook_knows_keywords_too(memory: Memory) -> None:
    logged(memory)
    start(memory.project)
    assert TIMERS in command(memory.project, "npm install node-cron")
    assert TIMERS not in command(memory.project, "npm install nodemailer", session="b")


@pytest.mark.parametrize("intent", ["Sort the orders by date", "Keep the invoices in one table"])
def test_everyday_words_are_no_keywords_by_themselves(intent: str) -> None:
    given = {"a": ("orders", "table", "date")}
    met = Catalogue([("a", "rejected", TIMERS)], keywords=given).met(acts.of_prose(intent))
    assert [one for one in met if one.score >= INTERRUPTS] == []


def test_keywords_without_a_hit_do_not_hide_the_text() -> None:
    redux = ("a", "rejected", "Redux for client state - too much boilerplate")
    known = Catalogue([redux], keywords={"a": ("zustand", "mobx")})
    met = known.met(acts.of_command("npm install redux"))
    assert [one.row["id"] for one in met if one.score >= INTERRUPTS] == ["a"]


def test_a_correction_keeps_keywords_and_can_replace_them(memory: Memory) -> None:
    identifier = logged(memory)
    memory.update(identifier, "Timers inside the web server - lost mails at each deploy")
    assert entry(memory, identifier).keywords == NAMES
    done = memory.update(identifier, keywords=["bullmq", "celery, rq"])
    assert done.entry.keywords == ("bullmq", "celery", "rq")
    assert done.archived is None


def test_keywords_and_a_new_text_are_written_together(memory: Memory) -> None:
    identifier = logged(memory)
    done = memory.update(identifier, "No timers in the web process", keywords=["bullmq"])
    assert (done.entry.text, done.entry.keywords) == ("No timers in the web process", ("bullmq",))


@pytest.mark.parametrize("keywords", [[f"n{at}" for at in range(21)], ["long" * 16]])
def test_too_many_or_too_long_keywords_change_nothing(memory: Memory, keywords: list[str]) -> None:
    before = read(memory.project, "session")
    with pytest.raises(InputError, match="keywords"):
        memory.log(TIMERS, "rejected", keywords=keywords)
    assert read(memory.project, "session") == before


def test_a_secret_among_keywords_is_refused(memory: Memory) -> None:
    with pytest.raises(InputError, match="credential"):
        memory.log(TIMERS, "rejected", keywords=["ghp_" + "x7Kq2Vb9Lm4Tz8Rw1Np5Yc3Hd6Js0Fg2Qk9A"])


def test_keywords_on_the_command_line(here: Project, mind: Run) -> None:
    code, _, _ = mind("log", "-t", "rejected", TIMERS, "-k", "celery", "--keyword", "rq")
    assert (code, "[keywords:: celery, rq]" in read(here, "session")) == (0, True)
    _, listed, _ = mind("search", "celery")
    code, said, _ = mind("update", listed.split()[0], "-k", "bullmq")
    assert (code, TIMERS.split(" - ", maxsplit=1)[0] in said) == (0, True)
    assert "[keywords:: bullmq]" in read(here, "session")
