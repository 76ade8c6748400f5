"""What the service answers, over a real connection to a real process."""

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote

import pytest

from mind.memory.memory import Memory
from tests.http_service import Running, at_home, project_at, serving


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    folder = tmp_path_factory.mktemp("api")
    home = folder / "home"
    with at_home(home):
        root = project_at(
            folder / "shop",
            ("decision", "SQLite over Postgres because it is one file #db"),
            ("gotcha", "redis loses its keys on restart -> use AOF #db #ops"),
            ("problem", "the checkout is slow when the cache is cold"),
        )
    with serving(home, "--project", str(root), "--rate", "0", "--toolsets", "all") as running:
        yield running, root


@pytest.fixture
def running(place: tuple[Running, Path]) -> Running:
    return place[0]


def test_a_search_finds_filters_pages_and_counts(running: Running) -> None:
    found = running.ask("GET", "/api/v1/search?q=sqlite&facets=true").json
    assert found["hits"][0]["text"].startswith("SQLite over Postgres")
    assert found["facets"]["tags"]["db"] >= 1
    only = running.ask("GET", "/api/v1/search?q=redis+file&kind=gotcha&limit=1").json
    assert [hit["kind"] for hit in only["hits"]] == ["gotcha"]
    listed = running.ask("GET", "/api/v1/search?q=tag:db&limit=1&offset=1&facets=true").json
    assert (listed["offset"], len(listed["hits"]), listed["total"]) == (1, 1, 2)
    assert listed["facets"]["complete"]
    assert listed["facets"]["kinds"] == {"decision": 1, "gotcha": 1}
    assert listed["understood"]["filters"] == {"tag": "db"}
    assert only["facets"] is None
    narrowed = running.ask("GET", "/api/v1/search?q=sqlite&tag=ops&status=open&lang=en&lang=de")
    assert narrowed.json["hits"] == []


def test_an_entry_is_recorded_read_corrected_forgotten_and_restored(running: Running) -> None:
    made = running.ask("POST", "/api/v1/entries", {"message": "pnpm over npm", "type": "decision"})
    assert made.status == 201
    one = made.json["entry"]["id"]
    read = running.ask("GET", f"/api/v1/entries/{one}")
    assert read.json["text"] == "pnpm over npm"
    path = f"/api/v1/entries/{one}"
    tag = {"If-Match": read.headers["etag"]}
    done = running.ask("PATCH", path, {"text": "pnpm over npm - one store"}, headers=tag)
    assert done.status == 200
    now = done.json["entry"]["id"]
    stale = running.ask("PATCH", f"/api/v1/entries/{now}", {"text": "bun"}, headers=tag)
    assert stale.status == 412
    assert "Read it again" in stale.json["remedy"]
    past = running.ask("GET", f"/api/v1/entries/{now}/history").json
    assert past["entry"]["text"] == "pnpm over npm - one store"
    gone = running.ask("POST", f"/api/v1/entries/{now}/forget", {"reason": "we use bun"})
    assert gone.status == 200
    assert running.ask("GET", f"/api/v1/entries/{now}").status == 404
    assert running.ask("GET", "/api/v1/archive?q=bun").json["archived"][0]["id"] == now
    past = running.ask("GET", f"/api/v1/entries/{now}/history").json
    assert past["entry"] is None
    assert past["earlier"][0]["reason"] == "we use bun"
    assert running.ask("POST", f"/api/v1/entries/{now}/restore").status == 200
    assert running.ask("POST", f"/api/v1/entries/{now}/verify", {"note": "asked"}).status == 200
    assert running.ask("GET", "/api/v1/entries/nothing/history").status == 404


def test_keywords_are_set_and_removed_without_the_text(running: Running) -> None:
    body = {"message": "timers in the web process", "type": "rejected", "keywords": ["cron"]}
    path = f"/api/v1/entries/{running.ask('POST', '/api/v1/entries', body).json['entry']['id']}"

    def keywords() -> str | None:
        fields = running.ask("GET", path).json["fields"]
        assert isinstance(fields, dict)
        return fields.get("keywords")

    assert running.ask("PATCH", path, {"keywords": ["setInterval", "celery"]}).status == 200
    assert keywords() == "setInterval, celery"
    assert running.ask("PATCH", path, {"keywords": []}).status == 200
    assert keywords() is None
    nothing = running.ask("PATCH", path, {})
    assert (nothing.status, nothing.json["detail"]) == (422, "nothing to change.")


def test_two_who_correct_the_same_entry_do_not_lose_an_edit(running: Running) -> None:
    body = {"message": "the queue holds 100 jobs", "type": "learning"}
    one = running.ask("POST", "/api/v1/entries", body).json["entry"]["id"]
    tag = running.ask("GET", f"/api/v1/entries/{one}").headers["etag"]
    found: list[int] = []

    def correct(number: int) -> None:
        text = {"text": f"the queue holds {number} jobs"}
        found.append(
            running.ask("PATCH", f"/api/v1/entries/{one}", text, headers={"If-Match": tag}).status
        )

    threads = [threading.Thread(target=correct, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found.count(200) == 1
    assert set(found) <= {200, 404, 412}


def test_what_was_read_is_not_sent_again(running: Running) -> None:
    path = "/api/v1/recent?limit=3"
    first = running.ask("GET", path)
    again = running.ask("GET", path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    running.ask("POST", "/api/v1/entries", {"message": "a new fact: uv is fast", "type": "note"})
    assert running.ask("GET", path, headers={"If-None-Match": first.headers["etag"]}).status == 200


def test_reminders_are_set_listed_and_done(running: Running) -> None:
    body = {"message": "renew the certificate", "when": "tomorrow 9am"}
    one = running.ask("POST", "/api/v1/reminders", body)
    assert one.status == 201
    listed = running.ask("GET", "/api/v1/reminders").json["reminders"]
    assert one.json["id"] in [each["id"] for each in listed]
    assert running.ask("POST", f"/api/v1/reminders/{one.json['id']}/done").status == 200
    wrong = running.ask("POST", "/api/v1/reminders", {"message": "x", "when": "sometime soonish"})
    assert wrong.status == 422
    assert "next session" in wrong.json["remedy"]
    assert running.ask("POST", "/api/v1/reminders/nothing/done").status == 404


def test_relations_are_recorded_and_walked(running: Running) -> None:
    body = {"subject": "auth", "predicate": "depends-on", "object": "redis"}
    assert running.ask("POST", "/api/v1/relations", body).status == 201
    walk = running.ask("GET", "/api/v1/graph?start=redis&direction=in&depth=2").json
    assert [(one["subject"], one["predicate"]) for one in walk["steps"]] == [("auth", "depends-on")]


def test_time_tags_status_and_health_are_told(running: Running) -> None:
    one = running.ask("GET", "/api/v1/recent?limit=1").json["entries"][0]["id"]
    line = running.ask("GET", f"/api/v1/timeline?anchor={one}&before=2&after=0").json
    assert line["anchor"]["id"] == one
    assert len(line["before"]) == 2
    assert running.ask("GET", "/api/v1/around?anchor=today").json["total"] >= 3
    body = {"message": "cron for the backups - it cannot retry", "type": "rejected"}
    note = running.ask("POST", "/api/v1/entries", body).json["entry"]["id"]
    line = running.ask("GET", f"/api/v1/timeline?anchor={note}&before=3&after=0").json
    assert len(line["before"]) == 3
    assert "db" in [tag["name"] for tag in running.ask("GET", "/api/v1/tags").json["tags"]]
    assert running.ask("GET", "/api/v1/status").json["project"] == "shop"
    assert running.ask("GET", "/api/v1/health?days=7").json["days"] == 7
    assert running.ask("POST", "/api/v1/checkpoint").json["entries"] >= 3
    assert running.ask("POST", "/api/v1/index/rebuild").json["entries"] >= 3
    batch = running.ask("POST", "/api/v1/entries/batch", {"ids": [one, "nothing"]}).json
    assert batch["missing"] == ["nothing"]


def test_a_preview_writes_nothing(place: tuple[Running, Path]) -> None:
    running, root = place
    before = (root / ".mind" / "MEMORY.md").read_bytes()
    body = {"message": "Kafka over SQS - we replay #ops", "type": "decision"}
    seen = running.ask("POST", "/api/v1/preview", body).json
    assert (seen["kind"], seen["alternatives"], seen["tags"]) == ("decision", ["SQS"], ["ops"])
    secret = {"message": "the key is AKIAIOSFODNN7EXAMPLA", "type": "note"}
    assert running.ask("POST", "/api/v1/preview", secret).status == 422
    assert seen["outlook"]["verdict"] == "written"
    body = {"message": "the build is broken at the moment", "type": "note"}
    seen = running.ask("POST", "/api/v1/preview", body).json["outlook"]
    assert (seen["verdict"], seen["may_acknowledge"]) == ("transient", True)
    assert (root / ".mind" / "MEMORY.md").read_bytes() == before


def test_an_outlook_tells_what_memory_says_already(running: Running) -> None:
    def seen(message: str, kind: str, instead: str = "") -> dict[str, object]:
        body = {"message": message, "type": kind, "instead": instead}
        told: dict[str, object] = running.ask("POST", "/api/v1/preview", body).json["outlook"]
        return told

    for message, kind in (
        ("MongoDB for the ledger - we need joins", "rejected"),
        ("the ledger is written twice", "learning"),
        ("the ledger is read once", "learning"),
    ):
        made = running.ask("POST", "/api/v1/entries", {"message": message, "type": kind})
        assert made.status == 201
    other = made.json["entry"]["id"]
    loop = seen("MongoDB for the ledger - it is fast", "rejected")
    assert (loop["verdict"], loop["may_acknowledge"]) == ("loop", False)
    assert "different this time" in str(loop["remedy"])
    paper = "the ledger is written on paper - it burns"
    told = seen(paper, "rejected")
    assert told["verdict"] == "written"
    done = running.ask("POST", "/api/v1/entries", {"message": paper, "type": "rejected"}).json
    assert told["related"] == done["related"] != []
    assert seen("the ledger stays small", "assumption")["file"] == ".mind/SESSION.md"
    assert seen("The ledger is written twice.", "learning")["verdict"] == "known"
    repeated = seen("the ledger is written twice", "learning", other)
    assert (repeated["verdict"], repeated["may_acknowledge"]) == ("repeated", True)
    assert seen("the ledger is read twice a day", "learning", other)["verdict"] == "written"


def test_a_claim_about_a_person_waits_for_a_yes(running: Running) -> None:
    body = {"message": "the user prefers tabs over spaces", "type": "learning"}
    waits = running.ask("POST", "/api/v1/entries", body).json["pending"]["id"]
    dropped = running.ask("POST", f"/api/v1/pending/{waits}/confirm", {"accept": False}).json
    assert dropped["recorded"] is None
    assert dropped["dropped"]["id"] == waits
    again = running.ask("POST", "/api/v1/entries", body).json["pending"]["id"]
    waiting = running.ask("GET", "/api/v1/pending").json["claims"]
    assert [(one["pending"]["id"], one["entries"]) for one in waiting] == [(again, [])]
    done = running.ask("POST", f"/api/v1/pending/{again}/confirm", {}).json
    assert done["recorded"]["file"].endswith("MEMORY.md")
    assert running.ask("GET", "/api/v1/pending").json == {"claims": []}


def test_a_correction_that_waited_is_told_as_one(running: Running) -> None:
    made = running.ask("POST", "/api/v1/entries", {"message": "tabs are wide", "type": "learning"})
    known = made.json["entry"]["id"]
    sent = {"text": "the user prefers wide tabs"}
    waits = running.ask("PATCH", f"/api/v1/entries/{known}", sent).json["pending"]["id"]
    claim = running.ask("GET", "/api/v1/pending").json["claims"][0]
    assert [one["text"] for one in claim["entries"]] == ["tabs are wide"]
    done = running.ask("POST", f"/api/v1/pending/{waits}/confirm", {}).json
    assert done["corrected"]["entry"]["text"] == "the user prefers wide tabs"
    assert (done["recorded"], done["summed_up"], done["dropped"]) == (None, [], None)


def test_a_claim_that_waits_tells_what_it_replaces(running: Running) -> None:
    told = {"message": "hyphens are narrow", "type": "learning"}
    made = running.ask("POST", "/api/v1/entries", told)
    known = made.json["entry"]["id"]
    sent = {"message": "the user prefers long dashes", "type": "learning", "replaces": known}
    waits = running.ask("POST", "/api/v1/entries", sent).json["pending"]
    assert waits["replaces"] == known
    claim = running.ask("GET", "/api/v1/pending").json["claims"][0]
    assert (claim["pending"], [one["id"] for one in claim["entries"]]) == (waits, [known])
    done = running.ask("POST", f"/api/v1/pending/{waits['id']}/confirm", {}).json["recorded"]
    assert done["replaced"]["entry"]["id"] == known
    assert done["replaced"]["archived"]["replaced_by"] == done["entry"]["id"]


def test_several_that_are_summed_up_wait_too(place: tuple[Running, Path]) -> None:
    running, root = place
    facts = ("tabs are four wide in Python", "tabs are eight wide in Go")
    sent = [{"message": one, "type": "learning"} for one in facts]
    ids = [running.ask("POST", "/api/v1/entries", one).json["entry"]["id"] for one in sent]
    memory = Memory.open(root)
    waits = memory.consolidate(ids, "the user prefers tabs in every language").pending
    memory.close()
    assert waits is not None
    done = running.ask("POST", f"/api/v1/pending/{waits.id}/confirm", {}).json
    assert sorted(one["id"] for one in done["summed_up"]) == sorted(ids)
    assert done["corrected"] is None


def test_what_a_new_entry_replaces_goes_to_the_archive(running: Running) -> None:
    sent = {"message": "the cache holds for an hour", "type": "learning"}
    old = running.ask("POST", "/api/v1/entries", sent).json["entry"]["id"]
    sent = {"message": "the cache holds for a day", "type": "learning", "replaces": old}
    assert running.ask("POST", "/api/v1/entries", sent).json["replaced"]["entry"]["id"] == old
    again = {"message": "the cache holds for an hour", "type": "learning"}
    refused = running.ask("POST", "/api/v1/entries", again)
    assert (refused.status, refused.json["code"], refused.json["id"]) == (422, "forgotten", old)
    assert running.ask("POST", "/api/v1/entries", sent | {"replaces": "nowhere"}).status == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "said"),
    [
        ("GET", "/api/v1/search", None, 400, "q: Field required"),
        ("GET", "/api/v1/search?q=", None, 400, "q: String should have at least 1"),
        ("GET", "/api/v1/search?q=%20", None, 400, "q: String should match"),
        ("GET", "/api/v1/search?q=a&limit=0", None, 400, "limit: Input should be greater"),
        (
            "GET",
            "/api/v1/search?q=a&limit=1e3",
            None,
            400,
            "limit: Input should be a valid integer",
        ),
        ("GET", "/api/v1/search?q=a&limit=1&limit=2", None, 400, "limit is given more than once"),
        ("GET", "/api/v1/search?q=a&kind=wish", None, 400, "kind: Input should be '"),
        ("GET", "/api/v1/search?q=a&since=whenever", None, 422, "since is"),
        ("GET", "/api/v1/search?q=a&nonsense=1", None, 400, "unknown parameter 'nonsense'"),
        ("GET", "/api/v1/search?q=" + "a" * 2_001, None, 400, "q: String should have at most"),
        ("GET", "/api/v1/reminders?all=yes", None, 400, "all must be true or false"),
        ("GET", "/api/v1/status?project=other", None, 404, "no such project"),
        ("GET", "/api/v1/nothing", None, 404, "nothing exists at this address"),
        ("PUT", "/api/v1/entries", {}, 405, "not allowed here"),
        ("POST", "/api/v1/entries", None, 400, "the body: Field required"),
        ("POST", "/api/v1/entries", [], 400, "the body: Input should be a valid dictionary"),
        ("POST", "/api/v1/entries", b"{", 400, "the body: JSON decode error"),
        ("POST", "/api/v1/entries", b"[" * 100_000, 400, "not valid JSON"),
        ("POST", "/api/v1/entries", b"\xff\xfe", 400, "the body: JSON decode error"),
        ("POST", "/api/v1/entries", {"message": 1}, 400, "message: Input should be a valid string"),
        (
            "POST",
            "/api/v1/entries",
            {"message": "x", "more": 1},
            400,
            "more: Extra inputs are not permitted",
        ),
        ("POST", "/api/v1/entries/batch", {"ids": []}, 400, "ids: List should have at least"),
        (
            "POST",
            "/api/v1/entries/batch",
            {"ids": ["a"] * 51},
            400,
            "ids: List should have at most",
        ),
        ("POST", "/api/v1/entries/batch", {"ids": [1]}, 400, "ids: Input should be a valid string"),
        ("POST", "/api/v1/checkpoint", {"a": 1}, 400, "takes no body"),
    ],
)
def test_what_does_not_fit_is_told_with_what_to_do(  # noqa: PLR0917 - a row of the table
    running: Running, method: str, path: str, body: object, status: int, said: str
) -> None:
    answer = running.ask(method, path, body)
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["status"] == status
    assert said in answer.json["detail"]
    assert answer.json["remedy"]


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/v1/entries/batch", "POST"),
        ("/api/v1/entries/some", "GET, PATCH"),
        ("/api/v1/entries", "POST"),
    ],
)
def test_a_refused_method_is_told_with_those_of_the_address(
    running: Running, path: str, methods: str
) -> None:
    answer = running.ask("OPTIONS", path)
    assert (answer.status, answer.headers["allow"]) == (405, methods)
    assert answer.json["remedy"] == f"Use {methods}."


@pytest.mark.parametrize("text", ["half \\ud83d an emoji", "a \\u0000 NUL", "\\u202e turned"])
def test_odd_characters_neither_break_an_answer_nor_get_lost(running: Running, text: str) -> None:
    body = f'{{"message": "we noted {text} once", "type": "note"}}'.encode()
    answer = running.ask("POST", "/api/v1/entries", body)
    assert answer.status in (201, 422)
    assert running.ask("GET", "/api/v1/recent").status == 200
    assert running.ask("GET", f"/api/v1/search?q={quote(text)}").status == 200


def test_the_document_describes_every_route(running: Running) -> None:
    document = running.ask("GET", "/openapi.json", token="").json
    assert document["openapi"] == "3.1.0"
    named = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document))
    assert set(named) <= set(document["components"]["schemas"])
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            assert told["summary"], (path, method)
            assert "503" in told["responses"], (path, method)
            assert all(HTTPStatus(int(status)) for status in told["responses"])


def test_capabilities_and_health(running: Running) -> None:
    assert running.ask("GET", "/healthz", token="").json == {"status": "ok"}
    assert running.ask("GET", "/readyz", token="").json == {"status": "ready"}
    told = running.ask("GET", "/capabilities", token="").json
    assert told["api"]["version"] == "1.0"
    assert "2026-07-28" in told["mcp"]["protocols"]


def test_head_is_answered_like_get_without_a_body(running: Running) -> None:
    answer = running.ask("HEAD", "/healthz")
    assert (answer.status, answer.body) == (200, b"")
    stream = running.ask("HEAD", "/api/v1/events")
    assert (stream.status, stream.body) == (200, b"")
    assert running.ask("INVENTED", "/healthz").status == 405


def test_events_tell_which_files_changed(place: tuple[Running, Path]) -> None:
    running, root = place
    with socket.create_connection(("127.0.0.1", running.port), timeout=15) as sock:
        head = f"Host: localhost\r\nAuthorization: Bearer {running.token}\r\n"
        sock.sendall(f"GET /api/v1/events HTTP/1.1\r\n{head}\r\n".encode())
        stream = sock.makefile("rb")
        first = _event(stream)
        assert first["event"] == "hello"
        with (root / ".mind" / "MEMORY.md").open("a", encoding="utf-8") as file:
            file.write("\n- a line by hand\n")
        second = _event(stream)
        assert second["event"] == "changed"
        assert "MEMORY.md" in second["data"]
        assert second["id"] != first["id"]
        stream.close()
    with socket.create_connection(("127.0.0.1", running.port), timeout=15) as sock:
        sock.sendall(
            f"GET /api/v1/events HTTP/1.1\r\n{head}Last-Event-ID: {first['id']}\r\n\r\n".encode()
        )
        stream = sock.makefile("rb")
        assert _event(stream)["event"] == "changed"
        stream.close()


def _event(stream: object) -> dict[str, str]:
    found: dict[str, str] = {}
    for raw in stream:  # type: ignore[attr-defined] # a file
        name, _, value = raw.decode().strip().partition(": ")
        if name in ("event", "id", "data"):
            found[name] = value
        if not raw.strip() and found:
            return found
    raise AssertionError("the stream has ended")


def test_listeners_are_counted_and_let_go(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / "p")
    with serving(home, "--project", str(root), "--rate", "0") as running:
        head = f"Host: localhost\r\nAuthorization: Bearer {running.token}\r\n\r\n"
        open_ones = []
        for _ in range(32):
            sock = socket.create_connection(("127.0.0.1", running.port), timeout=15)
            sock.sendall(f"GET /api/v1/events HTTP/1.1\r\n{head}".encode())
            assert sock.recv(12) == b"HTTP/1.1 200"
            open_ones.append(sock)
        refused = running.ask("GET", "/api/v1/events")
        assert refused.status == 503
        assert refused.headers["retry-after"] == "1"
        for sock in open_ones:
            sock.close()
        answered = b""
        while answered != b"HTTP/1.1 200":  # once the service has noticed that one is gone
            last = socket.create_connection(("127.0.0.1", running.port), timeout=15)
            last.sendall(f"GET /api/v1/events HTTP/1.1\r\n{head}".encode())
            answered = last.recv(12)
        # somebody who still listens does not keep the service from ending
        running.process.terminate()
        assert running.process.wait(timeout=15) == 0
        last.close()


def test_what_has_begun_is_ended_before_the_service_leaves(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / "p")
    with serving(home, "--project", str(root)) as running:
        found: list[int] = []
        body = {"message": "the last word before the end", "type": "decision"}
        asking = threading.Thread(
            target=lambda: found.append(running.ask("POST", "/api/v1/entries", body).status)
        )
        with socket.create_connection(("127.0.0.1", running.port), timeout=10):
            asking.start()
            asking.join()
            running.process.terminate()
            assert running.process.wait(timeout=15) == 0
        assert found == [201]
    assert "the last word" in (root / ".mind" / "MEMORY.md").read_text(encoding="utf-8")


def test_a_port_in_use_is_told(tmp_path: Path, running: Running) -> None:
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / "p")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mind", "serve", "--project", str(root)),
            *("--port", str(running.port)),
        ],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=30,
    )
    assert done.returncode == 2
    assert "cannot listen on" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_index_that_somebody_else_is_writing_keeps_nobody_from_reading(
    place: tuple[Running, Path],
) -> None:
    running, root = place
    with Memory.open(root).index.writing():
        assert running.ask("GET", "/api/v1/recent").status == 200


def test_every_protocol_revision_is_spoken(running: Running) -> None:
    accept = {"Accept": "application/json, text/event-stream"}
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
        hello = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        }
        answer = running.ask("POST", "/mcp", hello, headers=accept)
        assert answer.json["result"]["protocolVersion"] == version
        listed = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        named = running.ask(
            "POST", "/mcp", listed, headers=accept | {"MCP-Protocol-Version": version}
        )
        assert "mind_get" in [tool["name"] for tool in named.json["result"]["tools"]]
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    }
    modern = {
        "jsonrpc": "2.0",
        "id": 3,
        "method": "tools/call",
        "params": {"name": "mind_status", "arguments": {}, "_meta": meta},
    }
    head = {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "mind_status",
    }
    answer = running.ask("POST", "/mcp", modern, headers=accept | head)
    assert "shop" in answer.json["result"]["content"][0]["text"]
    wrong = running.ask("POST", "/mcp", modern, headers=accept | head | {"Mcp-Name": "mind_log"})
    assert wrong.status == 400


def test_the_html_of_an_entry_shows_no_credential(place: tuple[Running, Path]) -> None:
    running, root = place
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    path = root / ".mind" / "MEMORY.md"
    kept = path.read_bytes()
    parts = (
        f"> ```\n  > {key}\n  > ```",
        f"<!-- {key} -->",
        f"| a | b |\n  | --- | --- |\n  | c | {key} |",
    )
    added = (f"\n- decided: herons nest {at}\n\n  {one}\n" for at, one in enumerate(parts))
    path.write_bytes(kept + "".join(added).encode())
    found = running.ask("GET", "/api/v1/search?q=herons").json["hits"]
    shown = [running.ask("GET", f"/api/v1/entries/{one['id']}").json["html"] for one in found]
    path.write_bytes(kept)
    assert sum("herons nest" in one for one in shown) == 3
    assert key not in "".join(shown)
