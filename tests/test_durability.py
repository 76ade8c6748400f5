"""What will not be true in a week, and what is said about a person."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.text.durability import about_user, transient

PASSING = [
    ("We currently deploy from the develop branch", "currently"),
    ("Currently the importer needs two passes", "currently"),
    ("The parser is currently being rewritten", "currently"),
    ("The staging database is down right now", "right now"),
    ("Keep the old endpoint for now", "for now"),
    ("CORS checks are temporarily disabled", "temporarily"),
    ("Temporarily pinned numpy to 1.26", "temporarily"),
    ("Use the HTTP mirror for the time being", "for the time being"),
    ("At the moment only Linux builds work", "at the moment"),
    ("Presently the cache is off", "at present"),
    ("As it stands the migration is irreversible", "as it stands"),
    ("The upload test is still failing on CI", "still <state>"),
    ("Windows support is not yet implemented", "not yet"),
    ("The release isn't published yet", "not yet"),
    ("CI is red since the runner update", "build is <state>"),
    ("main is broken, do not rebase", "build is <state>"),
    ("Our current focus is the importer", "current <thing> is"),
    ("Fixed the login redirect today", "today"),
    ("Will look at the flaky test tomorrow", "tomorrow"),
    ("Yesterday the quota was raised", "yesterday"),
    ("Deploying tonight with Ana", "tonight"),
    ("This week we move to Postgres 17", "this week"),
    ("The outage happened last Friday", "last week"),
    ("Ship the beta next week", "next week"),
    ("The contract has to be signed by Friday", "by <weekday>"),
    ("The certificate expired three days ago", "<days> ago"),
    ("We just merged the auth branch", "just <done>"),
    ("Just shipped 2.0 to all customers", "just <done>"),
    ("Noted, I just fixed the parser", "just <done>"),
    ("The Migration is in progress", "in progress"),
    ("The tests have just been split", "just <done>"),
    ("Recently switched the queue to NATS", "recently"),
    ("The team recently switched to pnpm", "recently"),
    ("The API was recently redesigned", "recently"),
    ("Recently, the builds got slow", "recently"),
    ("The deadline is tomorrow", "tomorrow"),
    ("We met yesterday and agreed on Redis", "yesterday"),
    ("The disk filled up a few weeks ago", "<days> ago"),
    ("Builds have been slow lately", "lately"),
    ("The latest release broke the plugin loader", "the latest <change>"),
    ("Migration to pnpm is in progress", "in progress"),
    ("Status: in progress", "in progress"),
    ("**Status**: in progress", "in progress"),
    ("The redesign is WIP", "WIP"),
    ("We are in the middle of a database migration", "in the middle of"),
    ("I'm in the middle of porting the tests", "in the middle of"),
    ("We're working on a faster tokenizer", "working on"),
    ("We're waiting for the vendor's answer", "waiting for"),
    ("I'm still trying to reproduce the crash", "still <state>"),
    ("We are migrating to Postgres", "working on"),
    ("Waiting on legal for the license", "waiting for"),
    ("The refactor is almost done", "almost done"),
    ("The migration is 60% complete", "almost done"),
    ("It's been broken for two weeks", "broken for"),
    ("Temporary workaround: skip the cache", "temporary <fix>"),
    ("Left off at the parser's recovery", "next step"),
    ("Next I will wire up the importer", "next step"),
    ("There's an open PR for the retries", "an open PR"),
    ("The branch has unmerged work", "uncommitted"),
    ("We are about to drop Python 3.9", "about to"),
    ("The old host will be switched off soon", "soon"),
    ("PR #42 is open", "pending review"),
    ("Next steps: wire the importer", "next step"),
    ("We have found no leak so far", "so far"),
    ("There are uncommitted changes in the parser", "uncommitted"),
    ("The fix is stashed", "uncommitted"),
    ("The branch is 3 commits ahead of main", "commits ahead"),
    ("The work is on the feature branch", "on branch"),
    ("Callers must move to the new API", "the new"),
    ("The newly introduced flag hides it", "newly"),
    ("Auth now uses JWT", "now uses"),
    ("The cache was replaced in 2026-06. Auth now uses JWT.", "now uses"),
    ("The new pipeline takes 2019-20 jobs at once", "the new"),
    ("As of 2026-11-20 the plan costs 20 euros", "as of <date>"),
    ("As of March 2026 there are 12 tenants", "as of <date>"),
    ("As of today the API has no limits", "as of <date>"),
    ("At the time of writing there is no wheel for 3.14", "at the time of writing"),
    ("CURRENTLY BROKEN: the nightly build", "currently"),
    ("Der Import läuft derzeit nur unter Linux", "derzeit"),
    ("Wir nutzen aktuell Redis 6", "aktuell"),
    ("Heute den Parser umgebaut", "heute"),
    ("Nächste Woche kommt der Umzug", "diese Woche"),
    ("Vor kurzem auf pnpm umgestellt", "kürzlich"),
    ("Der Umbau ist noch in Arbeit", "in Arbeit"),
    ("Stand heute fehlt der Test", "Stand heute"),
    ("Die Umstellung ist noch nicht fertig", "noch nicht"),
    ("Pour l'instant le cache est désactivé", "actuellement"),
    ("La migration est en cours", "en cours"),
    ("Nous venons de changer de fournisseur", "récemment"),
    ("Aujourd’hui le build est cassé", "aujourd'hui"),
    ("La semaine prochaine on change d'hébergeur", "cette semaine"),
    ("Por ahora usamos SQLite", "actualmente"),
    ("La migración está en curso", "en curso"),
    ("Acabamos de cambiar el esquema", "recientemente"),
    ("Hoy desplegamos la versión 2", "hoy"),
    ("La semana que viene cambiamos de servidor", "esta semana"),
]

LASTING = [
    "The current user is resolved from the cookie",
    "Tomorrow is computed in UTC",
    "In progress is a status of a task",
    "A task is open, in progress or done",
    "Set the status to in progress when work begins",
    "The in-progress column is limited to three cards",
    "The currently selected tab is kept in the URL",
    "Returns the number of tasks currently waiting at the barrier",
    "The list shows the currently active sessions",
    "While a sync is in progress, writes are queued",
    "If the migration is in progress, reads go to the replica",
    "When the user is currently typing, do not steal the focus",
    "The lexer understands today, tomorrow and yesterday",
    "The date picker defaults to today",
    "The default is today",
    "Accepts today and next week as well as dates",
    "Evicts what was not used recently",
    "Records older than 30 days ago are deleted",
    "Tokens issued before yesterday are refused",
    "Our feed of This Week in Rust is cached",
    "This Week",
    "today's date comes from the server",
    "Use `today()` rather than now()",
    "The Today Show scrapes our feed",
    "An article in The New Yorker started the project",
    "today.com is on the blocklist",
    "right-now.io hosts the status page",
    "today = clock.now().date() is called once",
    'The label "just now" is shown under a minute',
    "It says “last week” in the header",
    "The filter 'this week' starts on Monday",
    "```\ncurrently broken\n```\nis what the tool prints",
    "See https://example.org/currently/right now/x for it",
    "Backups are written on the last week of the month",
    "Credits roll over to the next month",
    "This year's invoices are numbered from 1",
    "The most recently used file is opened",
    "Least recently used entries are evicted",
    "Get recently updated records within a time frame",
    "The row that was just inserted is returned",
    "The latest version is resolved from the registry",
    "Untracked files are ignored by the scanner",
    "The release script refuses to run with uncommitted changes",
    "If there are uncommitted changes, the switch is refused",
    "Shows how many commits the branch is ahead or behind",
    "A crash in the middle of writing leaves a temporary file",
    "The function is working on a copy of the list",
    "The temporary folder is deleted at exit",
    "The server answers 503 when temporarily overloaded",
    "The new row gets the next id",
    "The old parser and the new parser share a lexer",
    "The new parser falls back to the previous one",
    "The upload tool was replaced on 2026-06-22; pushes now use depotctl",
    "Auth now uses JWT instead of sessions",
    "The new parser is written in C. The old one was too slow.",
    "Since 2026-06 the pipeline now depends on Kafka",
    "Tokens expire soon after the session ends",
    "Close the handle as soon as it is read",
    "The callback runs at the moment of the click",
    "As of version 3 the flag is required",
    "As of 2.0.1 the flag is required",
    "The job waits for the lock",
    "The queue holds jobs that are still waiting",
    "Progress is shown as 60 % in the bar",
    "Feature flags are temporary",
    "Squash WIP commits before merging",
    "Entries that are not yet loaded are fetched on demand",
    "Jobs that have not yet been started are listed",
    "Users may now use callables only through the registry",
    "Just use the standard library",
    "In the present tense",
    "Der aktuelle Benutzer steht im Cookie",
    "Im Moment des Klicks wird gespeichert",
    "Jeden Morgen läuft das Backup",
    "Hier liegt der Cache",
    "Le processus en cours d'exécution est tué",
    "El usuario actual se lee de la cookie",
    "Por la mañana se ejecuta la copia",
    "SQLite over Postgres because there is no server to run",
    "",
]


@pytest.mark.parametrize(("text", "phrase"), PASSING)
def test_what_will_not_be_true_in_a_week_is_marked(text: str, phrase: str) -> None:
    assert [marker.phrase for marker in transient(text)] == [phrase]


@pytest.mark.parametrize("text", LASTING)
def test_what_lasts_is_not_marked(text: str) -> None:
    assert transient(text) == []


def test_a_marker_shows_where_it_is_and_how_to_say_it_instead() -> None:
    text = "The importer was slow, and after a long search we currently believe it is the disk."
    (marker,) = transient(text)
    assert marker.phrase == "currently"
    assert "date" in marker.advice


def test_markers_come_in_the_order_of_the_text_and_each_once() -> None:
    text = "Yesterday CI was slow. For now we skip it. Today, for now, it is fast."
    assert [marker.phrase for marker in transient(text)] == ["yesterday", "for now", "today"]


def test_a_phrase_within_another_is_not_reported_apart() -> None:
    assert [marker.phrase for marker in transient("As of today there is no cap")] == [
        "as of <date>"
    ]


def test_a_paragraph_that_runs_over_lines_is_read_as_one() -> None:
    assert [marker.phrase for marker in transient("We keep it for\nthe time being")] == [
        "for the time being"
    ]
    assert transient("- valid until the\n  next month of the cycle") == []
    assert [marker.phrase for marker in transient("Later.\n- just fixed the parser")] == [
        "just <done>"
    ]


def test_a_condition_holds_for_its_sentence_only() -> None:
    assert transient("If it fails, retry. The cache is off right now")
    assert not transient("If it fails right now, retry")


def test_only_the_beginning_of_a_long_text_is_looked_at() -> None:
    assert transient("x " * 9_000 + "right now")
    assert not transient("x " * 11_000 + "right now")


def test_a_name_needs_title_case_all_along() -> None:
    assert transient("Today we moved the tests")
    assert not transient("Today Show episodes are scraped")
    assert not transient("We scrape Today on Sundays")
    assert transient("We scrape TODAY, not later")


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text: str) -> None:
    for marker in transient(text):
        assert marker.words in text
    about_user(text)


@pytest.mark.parametrize(
    "unit", ["currently ", "if ", "`", '"', "'", "not ", "will a ", "«", "<!--", "[[", "\n- ", "a."]
)
def test_hostile_texts_take_no_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    start = time.process_time()
    transient(text)
    about_user(text)
    assert time.process_time() - start < 5


# About a person

PERSONAL = [
    ("The user prefers short answers", "The user prefers"),
    ("the user strongly dislikes semicolons", "the user strongly dislikes"),
    ("User prefers tabs over spaces", "User prefers"),
    ("The user is a backend developer new to React", "The user is a backend developer"),
    ("The user works at a bank in Madrid", "The user works at"),
    ("The user lives in Berlin", "The user lives in"),
    ("This user always asks for tests first", "This user always asks"),
    ("The user wants me to answer in German", "The user wants me"),
    ("The user wants to be called Alex", "The user wants to be called"),
    ("The user asked me to stop adding comments", "The user asked me"),
    ("The user's time zone is CET", "The user's time zone is"),
    ("I prefer dark mode", "I prefer"),
    ("I hate ORMs", "I hate"),
    ("I always use vim", "I always use"),
    ("I'm a designer by training", "I'm a designer"),
    ("I am left-handed", "I am left-handed"),
    ("I work at the harbour office", "I work at"),
    ("My name is Sam", "My name is"),
    ("my preferred language is Spanish", "my preferred language is"),
    ("Please call me Kim", "call me Kim"),
    ("Anna likes short answers", "Anna likes short"),
    ("Marta prefers dark mode", "Marta prefers dark mode"),
    ("Anna works as a nurse", "Anna works as a nurse"),
    ("Tom is a vegetarian", "Tom is a vegetarian"),
    ("Der Nutzer bevorzugt kurze Antworten", "Der Nutzer bevorzugt"),
    ("ich mag keine Kommentare", "ich mag"),
    ("L'utilisateur préfère le français", "L'utilisateur préfère"),
    ("Je m'appelle Luc", "Je m'appelle"),
    ("El usuario prefiere respuestas cortas", "El usuario prefiere"),
    ("Me gusta el código corto", "Me gusta"),
]

IMPERSONAL = [
    "The user model has a field for the locale",
    "user must be logged in",
    "The user is a member of at most one team",
    "The user is redirected to the login page",
    "The user never sees the raw password",
    "When the user prefers reduced motion, skip the animation",
    "If the user wants to export, show the dialog",
    "Users prefer fewer clicks",
    "A user likes a post once",
    "The user likes table has a composite key",
    "user.prefers is a JSON column",
    "user_prefers_dark is read from the cookie",
    "The user's name is shown in the header of the page `x`",
    "We prefer composition over inheritance",
    "We always squash before merging",
    "Postgres prefers an index scan here",
    "Black prefers double quotes",
    "Gunicorn works as a proxy",
    "Redis likes memory",
    "This is a developer preview",
    'The answer "I prefer tabs" fails the check',
    "`The user prefers tabs` is printed by the demo",
    "I love how the parser turned out",
    "my_name is a variable",
    "",
]


@pytest.mark.parametrize(("text", "phrase"), PERSONAL)
def test_claims_about_a_person_are_told_by_their_words(text: str, phrase: str) -> None:
    assert about_user(text) == phrase


@pytest.mark.parametrize("text", IMPERSONAL)
def test_facts_about_software_are_no_claims_about_a_person(text: str) -> None:
    assert about_user(text) is None


def test_the_first_claim_is_the_one_that_is_told() -> None:
    assert about_user("Noted. I prefer tabs. The user is a nurse.") == "I prefer"
