"""Keywords: names by which an entry is found, and by which what it rejected comes back."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from mind.domain.entry import Entry
from mind.domain.errors import InputError
from mind.memory.memory import Memory
from mind.storage import files
from mind.storage.project import Project
from mind.text.matching import acts
from mind.text.matching.candidates import weights
from mind.text.matching.score import affirm
from tests.catalogue import Catalogue
from tests.conftest import Clock, Run
from tests.hooking import command, start

TIMERS = "Timers in the web process - lost mails at each deploy"
NAMES = ("node-cron", "in-process worker", "setInterval")
INTERRUPTS = weights()["least"]


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


@pytest.mark.parametrize(
    ("code", "is_warned"),
    [
        ('import cron from "node-cron"\ncron.schedule("* * * * *", send)\n', True),
        ("setInterval(() => send(), 1000)\n", True),
        ('import mail from "nodemailer"\n', False),
        ("const interval = 1000\n", False),
    ],
)
def test_a_keyword_in_code_warns_where_the_code_has_it_nowhere_else(
    memory: Memory, git: Callable[..., str], code: str, is_warned: bool
) -> None:
    logged(memory)
    assert bool(memory.edges("add the mails", code).loops) is is_warned
    for at in range(3):
        path = memory.project.root / "src" / f"m{at}.js"
        path.parent.mkdir(exist_ok=True)
        path.write_text(code, encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "x")
    assert not memory.edges("add the mails", code).loops


@pytest.mark.parametrize(
    ("text", "keywords", "act"),
    [
        ("beartype for checks of arguments - slow", ["beartype"], "import beartype\n"),
        ("Checks of arguments with beartype", ["typeguard"], "from typeguard import typechecked\n"),
        ("Copies of all modules in the tree", ["go mod vendor"], "go mod vendor"),
        ("Splitting the tests by environments - slow", ["tox", "nox"], "tox -e py311"),
        ("This did not scale past ten workers", ["celery"], "import celery\n"),
        ("A second queue. Two outages with celery last year", ["celery"], "import celery\n"),
        ("A virtual DOM - too large. Use Preact.", ["react"], "import React from 'react'\n"),
        ("Parking work in progress - forgotten", ["git stash pop"], "git stash pop"),
        ("Secrets in a file on disk", [".env"], "load('.env')\n"),
        ("Panics in handlers", [".unwrap()"], "let x = found.unwrap();\n"),
    ],
)
def test_a_keyword_is_enough(text: str, keywords: list[str], act: str) -> None:
    known = Catalogue([("a", "rejected", text)], keywords={"a": keywords})
    path = "a.py" if act.startswith(("import b", "import c", "from")) else "a.ts"
    done = acts.of_edit(path, act) if act.endswith("\n") else acts.of_command(act)
    met = known.met(done)
    affirm(met, weights(), lambda _: 0)
    assert [one.row["id"] for one in met if one.score >= INTERRUPTS] == ["a"]


@pytest.mark.parametrize(
    ("kind", "text", "keywords", "act"),
    [
        ("decision", "Postgres over MongoDB for orders", ["postgres"], "import postgres\n"),
        ("rejected", "Moment.js. Use date-fns.", ["date-fns"], "import {f} from 'date-fns'\n"),
        ("rejected", "Two kinds of layout - old browsers", ["css grid"], "x = 'css grids'\n"),
        ("rejected", "Threads", ["Concurrent::Pool"], "Concurrent::Pooled.new\n"),
        ("rejected", "Secrets in a file", [".env"], "const port = process.env.PORT\n"),
        ("rejected", "Fetching in tests", ["node-fetch"], "import f from 'node-fetch-native'\n"),
    ],
)
def test_a_keyword_of_the_alternative_or_within_a_word_is_none(
    kind: str, text: str, keywords: list[str], act: str
) -> None:
    met = Catalogue([("a", kind, text)], keywords={"a": keywords}).met(acts.of_edit("a.ts", act))
    affirm(met, weights(), lambda _: 0)
    assert [one.row["id"] for one in met if one.score >= INTERRUPTS] == []


@pytest.mark.parametrize(
    ("text", "keyword", "code"),
    [
        ("Don't add a second datastore", "redis", "import redis\n"),
        ("Never block the event loop in handlers", "time.sleep", "time.sleep(3)\n"),
        ("SQLite over a server database - one file", "psycopg2", "import psycopg2\n"),
    ],
)
def test_a_keyword_of_a_decision_names_what_it_rejects(text: str, keyword: str, code: str) -> None:
    met = Catalogue([("a", "decision", text)], keywords={"a": [keyword]}).met(
        acts.of_edit("a.py", code)
    )
    affirm(met, weights(), lambda _: 0)
    assert [one.row["id"] for one in met if one.score >= INTERRUPTS] == ["a"]


def test_a_keyword_with_signs_is_found_and_one_that_was_there_is_not_new() -> None:
    row = ("a", "rejected", "A pool of threads - one more dependency")
    known = Catalogue([row], keywords={"a": ["Concurrent::FixedThreadPool"]})
    code = "@pool = Concurrent::FixedThreadPool.new(5)\n"
    for old, expected in (("", ["a"]), (code.replace("5", "4"), [])):
        met = known.met(acts.of_edit("a.rb", code, old))
        affirm(met, weights(), lambda _: 0)
        assert [one.row["id"] for one in met if one.score >= INTERRUPTS] == expected


def test_an_everyday_keyword_counts_only_where_it_is_imported() -> None:
    known = Catalogue([("a", "rejected", "A second store - slow")], keywords={"a": ["moment"]})
    for act, expected in (
        (acts.of_edit("a.tsx", "<p>One moment please</p>\n"), []),
        (acts.of_prose("wait a moment before the retry"), []),
        (acts.of_edit("a.ts", 'import moment from "moment"\n'), ["a"]),
    ):
        met = known.met(act)
        affirm(met, weights(), lambda _: 0)
        assert [one.row["id"] for one in met if one.score >= INTERRUPTS] == expected


@pytest.mark.parametrize(
    ("keyword", "intent", "is_met"),
    [
        ("request", "npm install request", True),
        ("request", "fetch the schema: run `npm i request` first", True),
        ("request", "then we npm install request. Done", True),
        ("request", "add `request`", False),
        ("request", "rename the `request` column of the schema", False),
        ("next", "add next and previous buttons to the schema", False),
        ("request", "add request logging", False),
        ("request", "use the request to find the user", False),
        ("request", "remove request", False),
        ("elk", "let's pull in ELK for nicer diagrams", True),
        ("elk", "use ELK for the label of the button", False),
        ("black", "use black for the labels", False),
        ("black", "use black text on white", False),
        ("black", "run `black .` before each commit", True),
        ("sharp", "verwende sharp für die Diagramme", True),
        ("sharp", "add a sharp corner", False),
        ("click", "open the dialog with a click", False),
    ],
)
def test_in_a_plan_an_everyday_keyword_counts_where_it_is_used_as_a_name(
    memory: Memory, keyword: str, intent: str, *, is_met: bool
) -> None:
    text = "One more dependency for diagrams of the schema - too much"
    memory.log(text, "rejected", keywords=[keyword])
    assert bool(memory.edges(intent).loops) is is_met


@pytest.mark.parametrize(
    ("keyword", "intent", "is_met"),
    [
        ("preview environments", "spin up a preview environment for each PR", True),
        ("preview environments", "show a preview of the environment variables", False),
        ("http client", "pass the header to httpClient", False),
        ("good_job", "use GoodJob for mails", True),
        ("delayed_job", "switch from Sidekiq to Delayed::Job", True),
    ],
)
def test_a_keyword_is_met_in_another_number_or_spelling(
    keyword: str, intent: str, *, is_met: bool
) -> None:
    entry = ("a", "rejected", "One more thing to run in the background - costs")
    met = Catalogue([entry], keywords={"a": [keyword]}).met(acts.of_prose(intent))
    affirm(met, weights(), lambda _: 0)
    assert bool([one for one in met if one.score >= INTERRUPTS]) is is_met


def test_a_name_that_many_rejections_have_says_little() -> None:
    login = ("a", "rejected", "GOV.UK One Login in place of Devise - it knows no organisations")
    names = "Redis Kafka Celery Svelte Mustache Docker".split()
    others = [(one, "rejected", f"{one} for the GOV.UK header - no") for one in names]
    known = Catalogue([login, *others], keywords={"a": ["OIDC", "omniauth"]})
    for intent, expected in (
        ("use GOV.UK Frontend components on the login page", []),
        ("use GOV.UK One Login for partners", ["a"]),
    ):
        met = known.met(acts.of_prose(intent))
        assert [one.row["id"] for one in met if one.score >= INTERRUPTS] == expected


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


def test_an_empty_keyword_alone_removes_all(memory: Memory) -> None:
    identifier = logged(memory)
    done = memory.update(identifier, keywords=[""])
    assert (done.entry.text, done.entry.keywords) == (TIMERS, ())
    assert f"- rejected: {TIMERS}\n" in read(memory.project, "session")
    with pytest.raises(InputError, match="nothing to change"):
        memory.update(identifier)


def test_keywords_and_a_new_text_are_written_together(memory: Memory) -> None:
    identifier = logged(memory)
    done = memory.update(identifier, "No timers in the web process", keywords=["bullmq"])
    assert (done.entry.text, done.entry.keywords) == ("No timers in the web process", ("bullmq",))


def test_keywords_that_no_field_holds_change_nothing(memory: Memory) -> None:
    keywords = [f"some-rather-long-package-name-number-{at}" for at in range(20)]
    identifier = logged(memory)
    before = read(memory.project, "session")
    with pytest.raises(InputError, match="keywords"):
        memory.log("Another way", "rejected", keywords=keywords)
    with pytest.raises(InputError, match="keywords"):
        memory.update(identifier, "Another wording of it", keywords=keywords)
    assert read(memory.project, "session") == before


def test_keywords_never_hide_the_name_of_what_was_rejected() -> None:
    entry = [("a", "rejected", "Luxon for dates, too big")]
    for given in ({}, {"a": ("dayjs", "moment")}):
        for act in (acts.of_prose("use luxon for dates"), acts.of_command("npm i luxon")):
            met = Catalogue(entry, keywords=given).met(act)
            assert [one for one in met if one.score >= INTERRUPTS], (given, act.channel)


def test_stop_words_and_single_letters_are_no_keywords() -> None:
    entry = [("a", "rejected", "Hand-made retry of uploads - lost half of them")]
    known = Catalogue(entry, keywords={"a": ("on", "it", "x", "+", "/")})
    assert [one.score for one in known.met(acts.of_prose("It is on a list, no change in x"))] == []


def test_the_keywords_of_a_nested_entry_are_its_own(memory: Memory) -> None:
    source = (
        "- learned: the parent of things ^parent1\n"
        "  - gotcha: a nested retry triples -> cap it [keywords:: bbb] ^child1\n"
    )
    files.write(memory.project.memory, source.encode())
    assert memory.update("parent1", keywords=["aaa"]).entry.keywords == ("aaa",)
    assert entry(memory, "child1").keywords == ("bbb",)


def test_a_claim_about_a_person_keeps_its_keywords(memory: Memory) -> None:
    identifier = memory.log("The app is written in Swift", "decision").entry.id
    done = memory.update(identifier, "The user prefers Swift for the app", keywords=["UIKit"])
    assert done.pending
    memory.confirm(done.pending.id)
    found = entry(memory, identifier)
    assert (found.text, found.keywords) == ("The user prefers Swift for the app", ("UIKit",))


def test_promotion_adds_its_own_relation(memory: Memory, clock: Clock) -> None:
    old = "- decided: use Postgres for the billing service ^pg-bill1\n"
    files.write(memory.project.memory, old.encode())
    memory.log("a note of this session", "experience")
    path = memory.project.session
    more = "use Postgres for the billing service and reports [supersedes:: nope1234]"
    files.write(path, path.read_bytes() + f"- decided: {more}\n".encode())
    clock.forward(days=2)
    memory.recall()
    assert "[supersedes:: pg-bill1, nope1234]" in read(memory.project, "memory")


def test_promotion_keeps_a_link_of_the_note(memory: Memory, clock: Clock) -> None:
    files.write(memory.project.memory, b"- decided: use Postgres for billing ^pgbill1\n")
    memory.log("a note of this session", "experience")
    path = memory.project.session
    more = b"- decided: Use Kafka between shops [related:: pgbill1]\n"
    files.write(path, path.read_bytes() + more)
    clock.forward(days=2)
    memory.recall()
    assert "Use Kafka between shops [related:: pgbill1]" in read(memory.project, "memory")


def test_promotion_keeps_words_in_the_field_of_a_link(memory: Memory, clock: Clock) -> None:
    files.write(memory.project.memory, b"- decided: use Postgres for billing ^pgbill1\n")
    memory.log("a note of this session", "experience")
    path = memory.project.session
    more = b"- decided: use Postgres for billing too [related:: see https://x.org/a-b for more]\n"
    files.write(path, path.read_bytes() + more)
    clock.forward(days=2)
    memory.recall()
    assert "see https://x.org/a-b for more]" in read(memory.project, "memory")


def test_a_note_again_adds_its_keywords_to_those_of_the_entry(memory: Memory, clock: Clock) -> None:
    text = "Cents, not floats -> round at the end"
    source = f"- gotcha: {text} [keywords:: parseFloat] ^cents001\n"
    files.write(memory.project.memory, source.encode())
    memory.log(text, "gotcha", keywords=["decimal.js"])
    assert entry(memory, "cents001").keywords == ("parseFloat", "decimal.js")
    first, again = "- decided: ship on Mondays", "- decided: Ship on Mondays [keywords:: release]"
    memory.log("a note of this session", "experience")
    path = memory.project.session
    files.write(path, path.read_bytes() + f"{first}\n{again}\n".encode())
    clock.forward(days=2)
    memory.recall()
    assert "ship on Mondays [keywords:: release]" in read(memory.project, "memory")


def test_digits_of_an_abbreviation_are_no_keyword() -> None:
    entry = [("a", "rejected", "Translations in gettext - nobody translates")]
    known = Catalogue(entry, keywords={"a": ("i18n", "l10n")})
    assert known.met(acts.of_prose("add 18 tests and 10 fixtures")) == []


def test_a_correction_that_changes_nothing_is_refused_beside_keywords(memory: Memory) -> None:
    identifier = memory.log("Use redis for the cache of carts", "decision").entry.id
    with pytest.raises(InputError, match="already says that"):
        memory.update(identifier, "Use **redis** for the cache of Carts", keywords=["ioredis"])
    assert entry(memory, identifier).keywords == ()
    with pytest.raises(InputError, match="the keywords are empty"):
        memory.update(identifier, keywords=["[]"])


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
    assert mind("update", listed.split()[0], "-k", "")[0] == 0
    assert "[keywords::" not in read(here, "session")


@pytest.mark.parametrize(
    "name", ["arr[0]", "a::b", "#tag", "^abcd1234", "x\ny", "日本語", "<!-- x -->", "`c`"]
)
def test_a_keyword_of_odd_characters_leaves_the_entry_as_it_is(memory: Memory, name: str) -> None:
    identifier = memory.log(TIMERS, "rejected", keywords=[name, "last"]).entry.id
    found = entry(memory, identifier)
    kept = " ".join(name.replace("[", " ").replace("]", " ").split())
    assert (found.text, found.keywords) == (TIMERS, (kept, "last"))
    assert memory.update(identifier, keywords=["last", name]).entry.keywords == ("last", kept)


def test_a_repeated_note_gives_the_known_one_its_keywords(memory: Memory, clock: Clock) -> None:
    known = memory.log("Cents, not floats -> round at the end", "gotcha").entry.id
    again = memory.log("Cents, not floats -> round at the end", "gotcha", keywords=["parseFloat"])
    assert (again.known, entry(memory, known).keywords) == (True, ("parseFloat",))
    memory.log(TIMERS, "rejected")
    clock.forward(days=2)
    memory.recall()
    memory.log(TIMERS, "rejected", keywords=NAMES)
    clock.forward(days=2)
    memory.recall()
    lines = [line for line in read(memory.project, "memory").splitlines() if TIMERS in line]
    assert lines == [f"- rejected: {TIMERS} [keywords:: {', '.join(NAMES)}]"]
