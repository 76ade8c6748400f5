"""Sessions in a short form (transcript_cases/README.md), made into real transcripts.

The lines are those that Claude Code 2.1.329 writes: same keys, same order, its book-keeping too.
"""

import json
import re
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "transcript_cases"
ROOT = "/home/dev/shop"
START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
_TOOLS = {"$": "Bash", "EDIT": "Edit", "EDITFAIL": "Edit", "WRITE": "Write", "READ": "Read"}


@dataclass
class Case:
    """A session, line by line."""

    name: str
    lines: list[str] = field(default_factory=list)


def cases() -> list[Case]:
    """The sessions of ``transcript_cases/sessions.txt``."""
    found: list[Case] = []
    for line in (CASES / "sessions.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("==="):
            found.append(Case(line[3:].strip()))
        elif line.strip() and not line.startswith("#"):
            found[-1].lines.append(line)
    return found


class Transcript:
    """A transcript as it grows, line by line."""

    def __init__(self, session: str, root: str = ROOT) -> None:
        self.session = str(uuid.uuid5(uuid.NAMESPACE_URL, session))
        self.root = root
        self.rows: list[dict[str, Any]] = []
        self._count = 0
        self._last: str | None = None
        self.book("mode", mode="normal")
        self.book("queue-operation", operation="enqueue", content="Always use the queue.")

    def book(self, kind: str, **data: object) -> None:
        """A line of book-keeping."""
        self.rows.append({"type": kind, **data, "sessionId": self.session})

    def row(self, kind: str, content: object, /, **more: object) -> dict[str, Any]:
        """A line of the conversation."""
        self._count += 1
        line = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.session}/{self._count}"))
        at = START + timedelta(minutes=self._count)
        said = {"role": kind, "content": content}
        if kind == "assistant":
            said = {"id": f"msg_{self._count}", "type": "message", **said, "stop_reason": None}
        row = {
            "parentUuid": self._last,
            "isSidechain": False,
            **(
                {"type": "user", "message": said}
                if kind == "user"
                else {"message": said, "type": kind}
            ),
            "uuid": line,
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "userType": "external",
            "cwd": self.root,
            "sessionId": self.session,
            "version": "2.1.329",
            "gitBranch": "main",
            **more,
        }
        self._last = line
        self.rows.append(row)
        return row

    def attach(self, text: str) -> None:
        """What the client attaches; it names its type behind its words."""
        row: dict[str, Any] = {"parentUuid": self._last, "isSidechain": False}
        row |= {"attachment": {"type": "x", "content": text}, "type": "attachment"}
        self.rows.append({**row, "uuid": str(uuid.uuid4()), "sessionId": self.session})

    def queue(self, text: object, **more: object) -> None:
        """What the person puts in while the agent is at work."""
        row: dict[str, Any] = {"parentUuid": self._last, "isSidechain": False}
        row["attachment"] = {"type": "queued_command", "prompt": text, **more}
        self._count += 1
        line = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.session}/{self._count}"))
        at = (START + timedelta(minutes=self._count)).isoformat(timespec="milliseconds")
        row |= {"type": "attachment", "uuid": line, "timestamp": at.replace("+00:00", "Z")}
        self.rows.append({**row, "cwd": self.root, "sessionId": self.session})

    def use(
        self, tool: str, given: dict[str, Any], text: str, *, failed: bool = False, **told: object
    ) -> None:
        """A call and its answer."""
        call = f"toolu_{self._count}"
        self.row("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": given}])
        answer: dict[str, Any] = {"tool_use_id": call, "type": "tool_result", "content": text}
        if failed:
            answer["is_error"] = True
        self.row("user", [answer], toolUseResult=f"Error: {text}" if failed else {**told})

    def text(self) -> str:
        return "".join(
            json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in self.rows
        )

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.session}.jsonl"
        path.write_text(self.text(), encoding="utf-8")
        return path


def transcript(case: Case, root: str = ROOT) -> Transcript:
    """The transcript of a session."""
    made = Transcript(case.name, root)
    made.attach("Note that attachments are no words of anybody. We decided to use attachments.")
    steps = [line.replace("\\n", "\n") for line in case.lines]
    for number, line in enumerate(steps):
        following = steps[number + 1] if number + 1 < len(steps) else ""
        _step(made, line, following)
    made.book("last-prompt", lastPrompt="Always use the last prompt.")
    return made


def _step(made: Transcript, line: str, following: str) -> None:
    mark, _, rest = line.partition(" ")
    parts = [part.strip() for part in rest.split(" | ")]
    if mark == "$":
        _command(made, rest, following)
    elif mark == "TOOL":
        made.use(parts[0], {"text": parts[1]}, "done")
    elif mark == "ASK":
        _asked(made, *parts)
    elif mark == "REFUSE":
        _refused(made, parts[:-1], parts[-1])
    elif mark in _TOOLS:
        _file(made, mark, parts)
    else:
        _words(made, mark, rest)


def _words(made: Transcript, mark: str, text: str) -> None:
    if mark == "U:":
        made.row("user", text)
    elif mark == "A:":
        made.row("assistant", [{"type": "thinking", "thinking": "Note that this is a thought."}])
        made.row("assistant", [{"type": "text", "text": text}])
    elif mark == "S:":
        made.row("assistant", [{"type": "text", "text": text}], isSidechain=True, agentId="a1")
    elif mark == "M:":
        made.row("user", text, isMeta=True)
    elif mark == "C:":
        made.row("user", text, isCompactSummary=True)
    elif mark == "QUEUE:":
        made.queue(text)


def _command(made: Transcript, command: str, following: str) -> None:
    answer = re.match(r"(OK|ERR): ?", following)
    text, failed = (following[answer.end() :], answer[1] == "ERR") if answer else ("", False)
    told = {"stdout": text, "stderr": "", "interrupted": False}
    text = f"Exit code 1\n{text}" if failed else text
    made.use("Bash", {"command": command}, text, failed=failed, **told)


def _asked(made: Transcript, question: str, answer: str, header: str = "") -> None:
    told = f'User has answered your questions: "{question}"="{answer}". You can now continue.'
    made.use("AskUserQuestion", {"questions": [{"question": question, "header": header}]}, told)


def _refused(made: Transcript, parts: list[str], words: str) -> None:
    """An edit (file, old, new) or a command that the person does not want; "-" says nothing."""
    given = {"command": parts[0]}
    if len(parts) > 1:
        path = f"{made.root}/{parts[0]}"
        given = {"file_path": path, "old_string": parts[1], "new_string": parts[2]}
    text = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it "
        "was a file edit, the new_string was NOT written to the file). "
    )
    silent = "STOP what you are doing and wait for the user to tell you how to proceed."
    text += f"To tell you how to proceed, the user said:\n{words}" if words != "-" else silent
    made.use("Edit" if len(parts) > 1 else "Bash", given, text, failed=True)


def _file(made: Transcript, mark: str, parts: list[str]) -> None:
    path = f"{made.root}/{parts[0]}"
    if mark == "READ":
        made.use("Read", {"file_path": path}, "".join(f"1\t{part}" for part in parts[1:]))
    elif mark == "WRITE":
        made.use("Write", {"file_path": path, "content": parts[1]}, "File created successfully")
    else:
        given = {"file_path": path, "old_string": parts[1], "new_string": parts[2]}
        failed = mark == "EDITFAIL"
        text = (
            "<tool_use_error>String to replace not found in file.</tool_use_error>"
            if failed
            else "ok"
        )
        made.use("Edit", given, text, failed=failed, filePath=path)
