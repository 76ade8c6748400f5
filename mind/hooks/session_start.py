"""SessionStart: begin a session by its name, refresh the block, say what is due."""

import json
from datetime import UTC, datetime
from pathlib import Path

from mind.answers import Recall
from mind.errors import MindError
from mind.memory import Memory
from mind.project import Project

_LONGEST = 9_000
_LOG_BYTES = 100_000


def run(text: bytes) -> str:
    """The hook's answer to the event in ``text``: facts for the agent, or "" if there are none."""
    try:
        event = json.loads(text)
    except ValueError:
        return ""
    if not isinstance(event, dict) or event.get("hook_event_name") != "SessionStart":
        return ""
    memory = None
    try:
        memory = Memory.open(Path(str(event["cwd"])) if event.get("cwd") else None)
        answer = memory.recall(
            session_id=str(event.get("session_id") or "") or None,
            event=str(event.get("source") or ""),
        )
    except MindError as error:
        if memory is not None:
            _write_down(memory.project.cache / "hooks.log", str(error))
        return ""
    said = _facts(answer, memory.project)
    if not said:
        return ""
    output = {"hookEventName": "SessionStart", "additionalContext": said[:_LONGEST]}
    return json.dumps({"hookSpecificOutput": output})


def _facts(answer: Recall, project: Project) -> str:
    """What the block in CLAUDE.md cannot say, since it was read before this call."""
    kept = [one for one in answer.promoted if one.outcome != "left"]
    lines = [f"Recorded reminder due: {one.text}" for one in answer.due]
    if kept:
        name = project.relative(project.memory)
        lines.append(f"{len(kept)} notes of the last session went into {name}.")
    lines += [f"Memory problem: {problem}" for problem in answer.problems]
    return "\n".join(lines)


def _write_down(path: Path, message: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _LOG_BYTES:
            path.replace(path.with_suffix(".log.1"))
        path.touch(mode=0o600)
        with path.open("a", encoding="utf-8") as log:
            log.write(f"{datetime.now(UTC).isoformat()} {message}\n")
    except OSError:
        return  # a hook has nowhere else to complain
