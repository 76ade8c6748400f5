"""What a session says that may be worth keeping, from the transcript to the offer."""

import json
from pathlib import Path

import pytest

from mind.hooks import events
from mind.memory.memory import Memory
from mind.storage.project import Project
from tests.hooking import complaints, event, kept, output
from tests.transcript_sessions import Case, transcript

RULE = "we never store prices as floats here, the tax office rounds per line"
CHOICE = "put the ids in postgres instead of redis, because redis is flushed on every deploy"
FACT = "the export runs in the customer's own account, we can only read there"
OFFER = "These sentences from this session may be worth keeping"


@pytest.fixture
def listening(project: Project) -> Project:
    heard(project, "SessionStart", source="startup")
    return project


def heard(project: Project, name: str, session: str = "a", **fields: object) -> str:
    """Everything that a hook gives to the agent."""
    said: str = output(events.answer(event(project, name, session, **fields))).get(
        "additionalContext", ""
    )
    assert complaints(project) == ""
    return said


class Session:
    """A session that goes on, with its hooks."""

    def __init__(self, project: Project, name: str = "a") -> None:
        self.project = project
        self.name = name
        self.lines: list[str] = []

    @property
    def path(self) -> Path:
        made = transcript(Case(self.name, self.lines), str(self.project.root))
        made.rows.pop()  # the client's book-keeping at the end, which moves as it grows
        return made.write(self.project.cache)

    def turn(self, *lines: str, name: str = "Stop", **fields: object) -> str:
        """A turn; what is told at its end."""
        self.lines += lines
        return self.tell(name, **fields)

    def tell(self, name: str, **fields: object) -> str:
        return heard(self.project, name, self.name, transcript_path=str(self.path), **fields)

    def prompt(self, text: str = "go on") -> str:
        return self.tell("UserPromptSubmit", prompt=text)


def test_what_was_said_is_offered_once_with_the_next_prompt(listening: Project) -> None:
    session = Session(listening)
    assert session.turn("U: make the totals right", "A: I'll use floats.", f"U: no, {RULE}") == ""
    said = session.prompt()
    assert said.startswith(OFFER)
    assert f'- the user: "no, {RULE}"' in said
    assert "`mind_log`" in said
    assert session.prompt() == ""
    assert session.turn("A: Understood.") == ""
    assert session.prompt() == ""


def test_where_several_sentences_wait_the_agent_goes_on_once(listening: Project) -> None:
    session = Session(listening)
    said = session.turn(
        "U: make the totals right", "A: I'll use floats.", f"U: no, {RULE}", "A: Redis then?",
        f"U: no. {CHOICE}", "A: I'll apply it to both regions.", f"U: {FACT}",
    )  # fmt: skip
    assert said.startswith(OFFER)
    assert [line.partition('"')[0] for line in said.splitlines()[1:]] == ["- the user: "] * 3
    more = ["A: Shall I?", f"U: no, {RULE.replace('prices', 'taxes').replace('tax', 'law')}",
            f"U: no, {CHOICE.replace('ids', 'keys').replace('postgres', 'a table')}",
            f"U: {FACT.replace('export', 'importer').replace('read', 'look')}"]  # fmt: skip
    assert session.turn(*more) == ""  # one extra turn a session


def test_an_agent_that_was_stopped_from_stopping_is_let_go(listening: Project) -> None:
    session = Session(listening)
    told = session.turn(f"U: {RULE}", f"U: {CHOICE}", f"U: {FACT}", stop_hook_active=True)
    assert told == ""


def test_what_waits_is_offered_after_a_compaction(listening: Project) -> None:
    session = Session(listening)
    assert session.turn("U: make the totals right", f"U: {RULE}", name="PreCompact") == ""
    assert f'"{RULE}"' in session.tell("SessionStart", source="compact")
    assert RULE not in session.prompt()


def test_what_a_session_leaves_is_offered_to_the_next(listening: Project) -> None:
    session = Session(listening)
    session.turn("U: make the totals right", f"U: {RULE}", name="SessionEnd")
    said = heard(listening, "SessionStart", "b", source="startup")
    assert f'"{RULE}"' in said
    assert "These sentences from an earlier session of this project" in said
    assert RULE not in heard(listening, "SessionStart", "c", source="startup")


def test_a_session_that_runs_keeps_what_it_said(listening: Project) -> None:
    session = Session(listening)
    session.turn("U: make the totals right", f"U: {RULE}")
    assert RULE not in heard(listening, "SessionStart", "b", source="startup")
    assert RULE in session.prompt()


def test_what_the_agent_logged_is_not_offered(listening: Project) -> None:
    for name, call in (
        ("a", f"TOOL mcp__mind__mind_log | {RULE}"), ("b", f"$ mind log -t decision '{RULE}'"),
    ):  # fmt: skip
        session = Session(listening, name)
        session.turn("U: make the totals right", f"U: {RULE}", call, "OK: logged", "A: Noted.")
        assert session.prompt() == ""


def test_what_memory_says_is_not_offered(listening: Project) -> None:
    Memory(listening).log(f"{RULE}", "decision")
    session = Session(listening)
    session.turn("U: make the totals right", f"U: {RULE}")
    assert OFFER not in session.prompt()


def test_a_request_to_remember_is_offered_at_once(listening: Project) -> None:
    session = Session(listening)
    text = "Remember this: releases are tagged without a v prefix"
    said = session.prompt(text)
    assert said.startswith("The user asks to remember this.")
    assert '"Remember this: releases are tagged without a v prefix"' in said
    assert session.turn(f"U: {text}", "A: Fine.") == ""
    assert session.prompt() == ""


@pytest.mark.parametrize(
    "text",
    [
        "do you remember which port it was?",
        "i'll remember that forever",
        "please fix the header",
        "next to the time of the build, show its number",
    ],
)
def test_talk_of_remembering_is_no_request(listening: Project, text: str) -> None:
    assert "asks to remember" not in Session(listening).prompt(text)


@pytest.mark.parametrize(
    "lines",
    [
        (f"U: {RULE}", "U: no wait, scratch that"),
        (f"U: {RULE}. never mind, leave it",),
        ("U: dont push yet, i want to look at it after lunch",),
        ("U: should we never store prices as floats, because the tax office rounds per line?",),
        ('U: someone wrote: "never mix these two, we banned it because it locks"',),
        ("U: maybe we should always use postgres instead of redis here, not sure",),
        ("A: You should never block the loop, because it can't switch to another task then.",),
        ("A: All 58 tests pass, nothing was skipped because everything ran.",),
    ],
)
def test_what_no_colleague_would_note_is_not_offered(
    listening: Project, lines: tuple[str, ...]
) -> None:
    session = Session(listening)
    session.turn("U: make the totals right", *lines)
    assert session.prompt() == ""


CAUSE = "`build.sh` only works with `--offline`, since the proxy can't reach the registry."
FURTHER = "The cache keeps every package for only 30 of the 90 days, so old branches fail there."


def test_findings_of_the_agent_are_offered_with_what_the_person_said(listening: Project) -> None:
    work = ("U: make the build work", "$ ./build.sh", "ERR: timeout", f"A: {CAUSE}")
    session = Session(listening)
    session.turn(*work)
    assert session.prompt() == ""
    session.turn(f"U: {RULE}")
    said = session.prompt()
    assert f'- you: "{CAUSE}"' in said
    assert f'- the user: "{RULE}"' in said


def test_weaker_sentences_are_offered_if_there_are_several(listening: Project) -> None:
    session = Session(listening)
    facts = [
        "the importer reads the ledger of the bank, which keeps none of the bookings of a branch",
        "without an address, a customer gets a letter instead of a parcel, which the depot drops",
    ]
    session.turn("U: make the totals right", f"U: {facts[0]}", "A: Fine.")
    assert session.prompt() == ""
    assert not session.turn(f"U: {facts[1]}", "$ ./build.sh", "OK: built", f"A: {FURTHER}")
    said = session.prompt()  # they wait for it: none is worth a turn of its own
    assert [line.partition('"')[2].rstrip('"') for line in said.splitlines()[1:]] == [
        *facts, FURTHER,
    ]  # fmt: skip


def test_length_alone_tells_nothing(listening: Project) -> None:
    session = Session(listening)
    said = [
        f"the {one} is read by the importer that runs in the container of the depot in the morning"
        for one in ("ledger", "order book", "price list", "address file", "stock list")
    ]
    session.turn("U: how does the import work?", *(f"A: {one}." for one in said))
    assert session.prompt() == ""


def test_a_correction_with_its_reason_is_offered(listening: Project) -> None:
    session = Session(listening)
    rule = "no, use integer cents instead, because the tax office rounds per line"
    session.turn("U: add the totals", "A: I'll store them as floats.", f"U: {rule}")
    assert f'- the user: "{rule}"' in session.prompt()


def test_no_credential_is_offered_or_kept(listening: Project) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    session = Session(listening)
    session.turn("U: begin", f"U: we always deploy with {secret}, because nothing else works")
    assert secret not in session.prompt()
    assert secret not in json.dumps(kept(listening))


def test_only_what_is_new_is_read(listening: Project) -> None:
    session = Session(listening)
    session.turn("U: make the totals right", f"U: {RULE}")
    assert kept(listening)["heard"] == session.path.stat().st_size
    text = session.path.read_bytes()
    session.path.write_bytes(b"x" * len(text))  # what was heard is not looked at again
    session.lines.append("A: Fine.")
    assert RULE in session.prompt()


def test_what_a_resumed_session_said_before_is_not_offered_again(listening: Project) -> None:
    session = Session(listening, "b")
    session.lines += ["U: make the totals right", f"U: {RULE}"]
    session.tell("SessionStart", source="fork")
    session.turn("U: go on", "A: I do.")
    assert session.prompt() == ""


def settings(project: Project, **hooks: object) -> None:
    project.config.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")


def test_listening_can_be_switched_off(listening: Project) -> None:
    settings(listening, capture="off")
    session = Session(listening)
    session.turn("U: make the totals right", f"U: {RULE}")
    assert session.prompt(f"remember: {RULE}") == ""
    assert "talk" not in kept(listening)


def test_automatically_only_what_was_asked_for_is_recorded(listening: Project) -> None:
    settings(listening, capture="auto")
    session = Session(listening)
    session.turn("U: make the totals right", f"U: {CHOICE}", f"U: From now on {RULE}")
    text = listening.memory.read_text(encoding="utf-8")
    (line,) = [one for one in text.splitlines() if RULE in one]
    assert line.startswith(f"- decided: From now on {RULE} [from:: claude-code:")
    assert CHOICE not in text
    session.turn("A: Fine.")
    assert listening.memory.read_text(encoding="utf-8") == text


def test_marks_are_those_of_the_settings(listening: Project) -> None:
    mark = {"keywords": {"gotcha": ["trap"]}, "languages": ["en"]}
    listening.config.write_text(json.dumps({"parser": mark}), encoding="utf-8")
    said = "the tests need port 8025"
    heard(listening, "Stop", prompt="go on", prompt_response="done")
    heard(listening, "Stop", prompt=f"trap: {said}", prompt_response="done")
    session = Session(listening, "b")
    session.turn("U: make the totals right", f"U: trap: {said}", f"U: Entschieden: {CHOICE}")
    for name in "ab":
        waiting = kept(listening, name)["talk"]["waiting"]
        assert [one["text"] for one in waiting if one["kind"] == "gotcha"] == [said]
        assert not [one for one in waiting if one["text"] == CHOICE]
    assert f'- the user: "{said}"' in session.prompt(f"trap: {said}")


def test_importing_shows_what_sessions_nominate_and_takes_what_is_chosen(
    listening: Project,
) -> None:
    session = Session(listening)
    session.lines += ["U: make the totals right", f"U: {RULE}", f"U: no, {CHOICE}"]
    memory = Memory(listening)
    rows = memory.import_from("claude-code", session.path, dry_run=True).rows
    assert [row.text for row in rows] == [RULE, f"no, {CHOICE}"]
    memory.import_from("claude-code", session.path, only={rows[1].key})
    text = listening.memory.read_text(encoding="utf-8")
    assert RULE not in text
    assert f"decided: no, {CHOICE} [from:: {rows[1].key}]" in text


def test_a_client_whose_event_has_the_words_is_heard_without_a_transcript(
    listening: Project,
) -> None:
    words = {"prompt": f"no, {RULE}", "prompt_response": "Fine."}
    assert heard(listening, "AfterAgent", **words, transcript_path="/nowhere.json") == ""
    said = output(events.answer(event(listening, "BeforeAgent", prompt="go on")))
    assert said["hookEventName"] == "BeforeAgent"
    assert f'"no, {RULE}"' in said["additionalContext"]
    given = {"file_path": "src/app.py", "content": "x"}
    heard(listening, "AfterTool", tool_name="write_file", tool_input=given)
    assert kept(listening)["edits"] == [["src/app.py", "Write"]]
