"""Which entries a later one replaced, and how every answer shows it."""

from datetime import timedelta

import pytest

from mind.memory.as_json import entry_json
from mind.memory.memory import Memory
from mind.server.mcp.tools import chosen
from mind.storage.project import Project
from mind.text.changes import change
from tests.conftest import Clock

VALUES = [
    ("The retry limit is 5.", "The retry limit is 8.", ("5", "8")),
    ("Uploads may have at most 25 MB.", "Uploads may have at most 100 MB.", ("25 MB", "100 MB")),
    ("Logs are shipped to /var/spool/a.", "Logs are shipped to /srv/logs.", None),
    ("La copia se guarda en Madrid.", "La copia se guarda en Sevilla.", ("Madrid", "Sevilla")),
    ("Der Export läuft montags um 9.", "Der Export läuft freitags um 9.", None),
    ("The web gateway uses Redis for sessions.", "The web gateway uses Valkey for sessions.", None),
    ("Alerts of the shop go to #ops.", "Alerts of the shop go to #shop.", ("#ops.", "#shop.")),
    ("Staging is at https://a.org/x", "Staging is at https://b.org/y", None),
    ("Build artifacts go to the nexus.", "Build artifacts go to the registry.", None),
    ("Retries are disabled for refunds.", "Retries are enabled for refunds.", None),
    ("Le paiement passe par Stripe.", "Le paiement passe par Adyen.", ("Stripe", "Adyen")),
]
STATED = [
    ("Sessions are kept in Redis.", "We moved sessions out of Redis, cookies carry them now."),
    ("The export needs the VPN.", "The export no longer needs the VPN."),
    ("npm workspaces over pnpm", "a monorepo in pnpm workspaces instead of npm"),
    ("Kafka over RabbitMQ for orders", "Orders go through Redis instead of Kafka"),
    ("Contractors may not merge.", "Contractors may merge after one review now."),
    ("Die Rechnungen gehen per Fax raus.", "Fax ist abgeschaltet, Rechnungen gehen per Mail raus."),
    ("The cache lives in Redis.", "Redis is no longer used."),
    ("Mail goes through Mailgun instead of Sendgrid.", "Mail goes by Brevo instead of Mailgun."),
    ("The API now returns JSON instead of XML.", "The API now returns protobuf instead of JSON."),
    ("Der Cache liegt in Redis statt in Dateien.", "Der Cache liegt in Postgres statt in Redis."),
    ("Mails are sent once an hour.", "Mails are sent once a minute instead of once an hour."),
    ("Deploys go through Jenkins.", "A while ago we switched deploys from Jenkins to Actions."),
    ("Los builds fallidos se reintentan.", "Cuando falla un build ya no se reintenta."),
    ("Entwürfe bleiben bis Abmeldung da.", "Entwürfe bleiben bis zum Löschen statt Abmeldung da."),
    ("Se admiten hasta 10 MB.", "Se admiten hasta 25 MB en lugar de 10 MB."),
    ("メールはMailgunで送信する。", "メールはMailgunではなくPostmarkで送信する。"),
    ("キャッシュはRedisに置く。", "キャッシュはRedisをやめてメモリに置く。"),
    ("データベースはMySQLを使う。", "データベースをMySQLからPostgreSQLに移行した。"),
]
BOTH_HOLD = [
    ("Staging uses port 8081.", "Production uses port 8080."),
    ("The API times out after 30 s.", "The worker times out after 5 min."),
    ("Dock 3 leaks when it rains.", "Dock 8 leaks when it rains."),
    ("The free plan includes 3 seats.", "The team plan includes 50 seats."),
    ("The admin UI is written in Vue.", "The admin UI has a dark theme."),
    ("Backups are kept for 30 days.", "Should backups be kept for 90 days instead?"),
    ("The parser reads TOML.", "The office plants are watered on Mondays."),
    ("Dev notes are in #186.", "Dev notes are in #340."),
    ("Step 2 of the move is done.", "Step 3 of the move is done."),
    ("The linter rejects default exports.", "The linter rejects relative imports."),
    ("Lena maintains the importer for banks.", "Lena maintains the exporter for taxes."),
    ("The ledger is closed on the 3rd of a month.", "The ledger costs 2,100 a month."),
    ("The ledger is closed at 04:00 each month.", "The ledger costs 2,100 a month."),
    ("Mail goes out at night #mail", "Mail goes out at night #post"),
    ("npm workspaces over pnpm - one tool less", "a monorepo in npm workspaces instead of pnpm"),
    ("REST over GraphQL for the API", "Use REST, not GraphQL, for the public API"),
    ("fetch statt axios im Frontend", "Im Frontend nehmen wir fetch anstelle von axios"),
    ("pnpm over npm", "use pnpm, never npm, in scripts"),
    ("pnpm, nicht npm, in Skripten", "pnpm statt npm"),
    ("Users are anonymised after 5 years.", "Users are anonymised after five years."),
    ("Bills are made with fpdf, see https://a.org/fpdf/", "Bills go to S3, see https://b.org/s3"),
    ("strip keeps blanks since 2.1.0 (issue77).", "dump keeps blanks since 2.3.0 (issue91)."),
    ("The export reads cached rows.", "The export reads a cached row until the cache is replaced."),
    ("The printer tray is switched off.", "The printer fan is switched off."),
    ("The audit export moved to the nightly job.", "The audit import moved to the nightly job."),
    ("The cache holds parsed files.", "Close a file when the cache is no longer needed."),
    ("The printer keeps comments.", "A comment before a moved comma swallows it in the printer."),
]


@pytest.mark.parametrize(("old", "new", "values"), VALUES)
def test_another_value_of_the_same_attribute_replaces_it(
    old: str, new: str, values: tuple[str, str] | None
) -> None:
    found = change(old, new)
    assert found
    assert found.how == "value"
    assert values is None or (found.old, found.new) == values


@pytest.mark.parametrize(("old", "new"), STATED)
def test_a_stated_change_about_the_same_subject_replaces_it(old: str, new: str) -> None:
    assert change(old, new)


@pytest.mark.parametrize(("old", "new"), BOTH_HOLD)
def test_what_is_said_of_something_else_or_only_asked_replaces_nothing(old: str, new: str) -> None:
    assert change(old, new) is None


def test_a_search_tells_of_the_later_fact_first_and_marks_the_earlier(
    memory: Memory, clock: Clock
) -> None:
    old = memory.log("Login sessions are kept in Redis, one key for each login", "decision")
    clock.forward(days=9)
    new = memory.log("Login sessions are kept in signed cookies now, not on the server", "decision")
    hits = memory.search("where are login sessions kept").hits
    assert [hit.entry.id for hit in hits] == [new.entry.id, old.entry.id]
    assert hits[0].stale == ()
    assert hits[1].verdict.by == new.entry.id
    assert hits[1].verdict.old == "Redis"


def test_two_sessions_of_one_day_tell_the_later_fact_from_the_earlier(
    memory: Memory, clock: Clock
) -> None:
    old = memory.log("Attachments of the app may have 25 MB at most.", "decision")
    clock.forward(hours=2)
    memory.recall()
    new = memory.log("Attachments of the app may have at most 100 MB.", "decision")
    assert old.entry.date == new.entry.date
    hits = memory.search("how large may attachments of the app be").hits
    assert [hit.entry.id for hit in hits] == [new.entry.id, old.entry.id]
    assert hits[1].stale[0].startswith(f"superseded by {new.entry.id}")


def test_work_that_carries_out_a_decision_does_not_supersede_it(
    memory: Memory, clock: Clock
) -> None:
    done = "Background jobs now run on Celery with RabbitMQ, deployed yesterday."
    old = memory.log("Background jobs run on Celery with RabbitMQ.", "decision")
    clock.forward(days=1)
    memory.log(done, "progress")
    assert memory.get([old.entry.id]).verdicts[old.entry.id].state == "unchecked"


def test_work_that_changed_a_value_supersedes_the_decision(memory: Memory, clock: Clock) -> None:
    old = memory.log("The cache TTL for product pages is 5 minutes.", "decision")
    clock.forward(days=1)
    new = memory.log("The cache TTL for product pages is 60 seconds now.", "progress")
    verdict = memory.get([old.entry.id]).verdicts[old.entry.id]
    assert (verdict.state, verdict.by) == ("superseded", new.entry.id)


def test_a_filter_keeps_out_what_superseded_a_hit(memory: Memory, clock: Clock) -> None:
    memory.log("The payments service listens on port 8081 locally.", "learning")
    clock.forward(days=1)
    memory.log("The payments service listens on port 8090 locally.", "decision")
    query = "payments service port"
    assert [hit.entry.kind for hit in memory.search(query).hits] == ["decision", "learning"]
    found = memory.search(f"{query} kind:learning")
    assert ([hit.entry.kind for hit in found.hits], found.total) == (["learning"], 1)
    assert found.hits[0].stale


def test_an_id_alone_finds_its_entry(memory: Memory) -> None:
    one = memory.log("Redis holds the queue", "decision").entry
    found = memory.search(one.id)
    assert ([hit.entry.id for hit in found.hits], found.total) == ([one.id], 1)


PORT = "which port has the auth service"


@pytest.mark.parametrize("later", [timedelta(hours=2), timedelta(days=1)])
def test_what_a_session_left_behind_is_as_old_as_the_log_says(
    memory: Memory, clock: Clock, later: timedelta
) -> None:
    """It is written into MEMORY.md below what was noted after it, under the day of the end."""
    lesson = "We learned that the auth service listens on port 9443 in the cluster."
    old = memory.log(lesson, "experience")
    clock.forward(minutes=5)
    new = memory.log("The auth service was moved to 9555, since port 9443 is taken.", "decision")
    day = clock().date()
    clock.now += later
    assert [one.entry.id for one in memory.recall().promoted] == [old.entry.id]
    hits = memory.search(PORT).hits
    assert [hit.entry.id for hit in hits] == [new.entry.id, old.entry.id]
    assert hits[0].stale == ()
    assert hits[1].stale[0].startswith(f"superseded by {new.entry.id} of {day}")


@pytest.mark.parametrize("later", [timedelta(hours=2), timedelta(days=3)])
def test_what_was_corrected_in_its_place_is_as_new_as_its_words(
    memory: Memory, clock: Clock, later: timedelta
) -> None:
    one = memory.log("The auth service listens on port 8443 in the cluster.", "decision")
    clock.forward(minutes=5)
    other = memory.log("The auth service moved to port 9443 in the cluster.", "decision")
    clock.now += later
    memory.update(one.entry.id, "The auth service was moved to port 9555 in the cluster.")
    hits = memory.search(PORT).hits
    assert [hit.entry.id for hit in hits] == [one.entry.id, other.entry.id]
    assert hits[0].stale == ()
    assert hits[1].stale[0].startswith(f"superseded by {one.entry.id} of {clock().date()}")


def test_what_was_dated_back_stays_so(memory: Memory, clock: Clock) -> None:
    new = memory.log("The auth service moved to port 9443 in the cluster.", "decision")
    clock.forward(days=1)
    old = memory.log("2026-01-05: The auth service moved to port 8443 in the cluster.", "decision")
    hits = memory.search(PORT).hits
    assert [hit.entry.id for hit in hits] == [new.entry.id, old.entry.id]
    assert hits[0].stale == ()


def test_a_typo_put_right_by_hand_leaves_a_note_in_its_session(
    memory: Memory, clock: Clock
) -> None:
    memory.log("Attachments of the app may have 25 MB at msot.", "decision")
    clock.forward(hours=2)
    memory.recall()
    new = memory.log("Attachments of the app may have at most 100 MB.", "decision")
    path = memory.project.memory
    path.write_bytes(path.read_bytes().replace(b"msot", b"most"))
    hits = memory.search("how large may attachments of the app be").hits
    assert hits[0].entry.id == new.entry.id
    assert hits[1].stale[0].startswith(f"superseded by {new.entry.id}")


def test_a_day_that_a_text_names_is_found_whenever_it_was_noted(
    memory: Memory, clock: Clock
) -> None:
    memory.log("The office moved to the third floor.", "note", acknowledge=True)
    clock.forward(days=20)
    named = memory.log("The CDN outage of 3 October was a stale certificate.", "learning")
    iso = memory.log("Invoices of 2026-10-03 were sent twice.", "problem")
    query = "what happened on 3 October 2026"
    found = [hit.entry.id for hit in memory.search(query).hits[:2]]
    assert {*found} == {named.entry.id, iso.entry.id}
    around = memory.around("2026-10-03", days=0).entries
    assert {one.id for one in around} == {named.entry.id, iso.entry.id}


def test_a_note_names_what_it_contradicts_and_may_replace_several(
    memory: Memory, clock: Clock
) -> None:
    one = memory.log("The retry limit of webhooks is 5.", "decision").entry
    two = memory.log("Webhooks are signed with SHA-1.", "decision").entry
    clock.forward(days=3)
    done = memory.log("The retry limit of webhooks is 8.", "decision")
    assert [(old.id, was, now) for old, was, now in done.contradicts] == [(one.id, "5", "8")]
    both = memory.log(done.entry.id, replaces=[one.id, two.id])
    assert both.replaced
    assert {both.replaced.entry.id, both.replaced_too[0].entry.id} == {one.id, two.id}
    assert [entry.id for entry in memory.index_entries()] == [done.entry.id]


def test_confidence_and_source_are_kept_and_a_claim_can_be_declared(memory: Memory) -> None:
    done = memory.log(
        "The queue drops messages over 1 MB.", "learning", confidence=0.6, source="call [ops]"
    )
    fields = memory.get([done.entry.id]).entries[0].fields
    assert fields == {"confidence": "0.6", "source": "call ops"}
    assert memory.log("Short answers, in German.", "learning", about="user").pending
    assert not memory.log("The user prefers dark mode.", "learning", about="project").pending


def test_what_is_said_again_corroborates_and_is_no_use(memory: Memory) -> None:
    one = memory.log("The queue drops messages over 1 MB.", "learning").entry
    assert memory.log("The queue drops messages over 1 MB.", "learning").known
    assert one.id not in memory.index.usage.days()
    assert b'"corroborate"' in memory.project.events.read_bytes()


@pytest.mark.parametrize("state", ["contradicted", "superseded", "unchecked"])
def test_every_interface_gives_the_same_verdict(memory: Memory, clock: Clock, state: str) -> None:
    old = memory.log("The ledger service listens on port 8443.", "decision").entry
    clock.forward(days=3)
    if state == "contradicted":
        memory.record_use([old.id], "contradicted")
    if state == "superseded":
        memory.log("The ledger service listens on port 9443.", "decision")
    hits = {hit.entry.id: hit.verdict for hit in memory.search("port of the ledger service").hits}
    wanted = hits[old.id]
    assert wanted.state == state
    assert memory.get([old.id]).verdicts[old.id] == wanted
    assert memory.timeline(old.id).verdicts[old.id] == wanted
    assert memory.around(old.id).verdicts[old.id] == wanted
    assert {hit.entry.id: hit.verdict for hit in memory.recent().hits}[old.id] == wanted
    assert entry_json(old, wanted)["verdict"]["state"] == state
    assert (old.text in memory.recall(block=True).context) is (state == "unchecked")
    assert (old.id in {one.id for one in memory.recall().omitted}) is False
    owed = {one.entry.id: (one.why, one.stale) for one in memory.debt().owed}
    assert owed.get(old.id) == ((state, wanted.reasons) if wanted.reasons else None)
    health = memory.health()
    assert health.verdicts[state] == 1
    assert [one.entry.id for one in health.contradictions.shown] == [old.id] * (
        state == "contradicted"
    )
    replaced = [(one.entry.id, one.by, one.told) for one in health.superseded.shown]
    wanted_there = [(old.id, wanted.by, *wanted.reasons)] if state == "superseded" else []
    assert replaced == wanted_there
    for name, arguments in (
        ("mind_search", {"query": "port of the ledger service"}),
        ("mind_get", {"ids": [old.id]}),
        ("mind_timeline", {"anchor": old.id}),
        ("mind_recall_around", {"anchor": old.id}),
        ("mind_list_recent", {}),
        ("mind_health", {}),
    ):
        (tool,) = (one for one in chosen("all") if one.name == name)
        said = tool.run(memory, **tool.check(arguments))
        for reason in wanted.reasons:
            assert reason in said
        assert ("superseded by" in said) is (state == "superseded")


def test_an_entry_verified_since_is_not_superseded_by_evidence(
    memory: Memory, clock: Clock
) -> None:
    old = memory.log("The ledger service listens on port 8443.", "decision").entry
    clock.forward(days=3)
    memory.log("The ledger service listens on port 9443.", "decision")
    assert memory.get([old.id]).verdicts[old.id].state == "superseded"
    memory.verify(old.id)
    assert memory.get([old.id]).verdicts[old.id].state == "checked"
    assert memory.debt().owed == ()


def test_a_further_trouble_does_not_supersede_another(memory: Memory, clock: Clock) -> None:
    memory.log("The crawler of the shop fails on redirects.", "problem")
    clock.forward(days=3)
    memory.log("The crawler of the shop fails on timeouts.", "problem")
    assert [hit.verdict.state for hit in memory.search("crawler fails").hits] == ["unchecked"] * 2


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [("", "", 1), ("adr:1", "adr:8", 0), ("", "markdown:a", 0), ("markdown:a", "", 1)],
)
def test_an_imported_text_supersedes_nothing_by_its_words(
    memory: Memory, old: str, new: str, count: int
) -> None:
    """A passage of a document states nothing of today; decision records have a status."""
    memory.project.memory.write_text(
        f"## 2016-02-12\n\n- decided: dates are written as dd/mm/yyyy [from:: {old}]\n\n"
        f"## 2017-02-21\n\n- decided: dates are written as yyyy-mm-dd [from:: {new}]\n".replace(
            " [from:: ]", ""
        ),
        encoding="utf-8",
    )
    found = memory.search("dates are written as").hits
    assert sum("superseded" in " ".join(one.stale) for one in found) == count


COMMITS = [
    ("chore(deps): bump actions/cache from 5 to 6", "chore(deps): bump actions/stale from 5 to 6"),
    (
        "Stop compiling assets outside production: If specs run in CI we need no assets",
        "Fix: Asset compilation: We switched off asset compilation outside production.",
    ),
    (
        "Show a link to the report: The link is now styled as a link, instead of a button.",
        "Show a link to the upload: The link is now styled as a link, instead of a button.",
    ),
    (
        "We use feature flags. The flag new-checkout is on.",
        "We use feature flags. The flag new-search is off.",
    ),
]


@pytest.mark.parametrize(("old", "new"), COMMITS)
def test_a_commit_text_does_not_supersede_another(
    memory: Memory, clock: Clock, old: str, new: str
) -> None:
    memory.log(old, "decision")
    clock.forward(days=30)
    memory.log(new, "decision")
    assert {one.verdict.state for one in memory.search(new).hits} == {"unchecked"}


OVERRULED = [
    ("use-govuk-paas-for-hosting: All environments run there", "Host all on AWS over GOV.UK PaaS"),
    ("Use JS and CSS bundling with Rollup for our assets", "esbuild over Rollup for the assets"),
    ("add-rollbar-for-application-monitoring", "Switch from Rollbar to Sentry"),
    ("Redis for the cache", "We decided to move from Redis to Valkey"),
    ("Use SQLite for storage", "Update: Postgres over SQLite for storage"),
    ("Use SQLite for storage", "After benchmarks we finally moved from SQLite to Postgres"),
    ("Use Postgres in tests", "In tests we chose SQLite over Postgres - faster"),
]


@pytest.mark.parametrize(("old", "new"), OVERRULED)
def test_a_decision_that_turns_down_an_earlier_choice_comes_first(
    memory: Memory, clock: Clock, old: str, new: str
) -> None:
    memory.log(old, "decision")
    clock.forward(days=30)
    later = memory.log(new, "decision", acknowledge=True).entry.id
    first, second = memory.search(old).hits[:2]
    assert first.entry.text == new
    assert second.stale[0].startswith(f"decided otherwise by {later} of ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use Postgres for orders", "Redis over Postgres for the job queue"),
        ("Use REST for the public API", "gRPC over REST for the internal API"),
        ("Use pytest for tests", "hypothesis over pytest for property tests"),
        ("Use REST for the public API", "Move the internal API from REST to gRPC"),
        ("Redis for the cache", "We will not move from Redis to Valkey - no need"),
        ("Redis for the cache", "Considered moving from Redis to Valkey, but stayed"),
        ("Redis for the cache", "In staging we switched from Redis to Memcached"),
        ("Use Postgres", "In tests SQLite over Postgres - faster"),
        ("Use Postgres", "The demo app migrated from Postgres to SQLite"),
        ("Use Postgres", "Revert: SQLite over Postgres"),
    ],
)
def test_a_choice_for_another_purpose_is_left_alone(
    memory: Memory, clock: Clock, old: str, new: str
) -> None:
    memory.log(old, "decision")
    clock.forward(days=30)
    memory.log(new, "decision", acknowledge=True)
    assert {one.verdict.state for one in memory.search(old).hits} == {"unchecked"}


def test_a_value_that_changes_in_a_later_sentence_is_noticed(memory: Memory, clock: Clock) -> None:
    memory.log("Sessions are stored in Redis. The TTL is 30 minutes", "decision")
    clock.forward(days=30)
    later = memory.log("Sessions are stored in Redis. The TTL is 60 minutes", "decision")
    first = memory.search("session TTL").hits[0]
    assert first.entry.id == later.entry.id


def test_a_change_is_stated_of_what_is_rare_in_the_memory(project: Project, memory: Memory) -> None:
    old = "The worker sorts the due jobs before the first job runs."
    new = "A job that the worker cancelled in the same pass still runs once more."
    notes = [f"The worker gives each job of shop {at} a run of its own." for at in range(400)]
    for others, is_marked in ((notes[:3], True), (notes, False)):
        lines = ["## 2026-01-01", f"- learned: {old}", *(f"- learned: {one}" for one in others)]
        lines += ["", "## 2026-03-01", f"- learned: {new}", ""]
        project.memory.write_text("\n".join(lines), encoding="utf-8")
        hit = next(hit for hit in memory.search(old).hits if hit.entry.text == old)
        assert (hit.verdict.state == "superseded") is is_marked
