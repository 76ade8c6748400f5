"""Running the hooks as Claude Code does, on a project that is made for it and then deleted.

The user's own project is not touched: a hook that begins a session would end the running one.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from os import environ
from pathlib import Path
from time import monotonic

from mind import files
from mind.clients import jsontext

_OURS = re.compile(r"(?<![\w-])mind(?:-hook(?![\w-])|\.hooks\b)")
_SECONDS = 30
_REMINDER = "mind doctor was here"


@dataclass(frozen=True, slots=True)
class Hook:
    """A command of Mind's, the event that runs it, and the file that says so."""

    event: str
    command: str
    path: Path


@dataclass(frozen=True, slots=True)
class Result:
    """What is wrong with a hook, "" if nothing, and how long it ran."""

    fault: str
    seconds: float


def registered(root: Path) -> list[Hook]:
    """Mind's hooks in the settings of Claude Code: the project's and the user's.

    Raises:
        FileError: The settings cannot be read, or are no JSON object.
    """
    found: dict[Hook, None] = {}
    user = Path(environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    own = root / ".claude"
    for path in (own / "settings.json", own / "settings.local.json", user / "settings.json"):
        text = files.decode(files.read(path), path)
        for event, command in _commands(jsontext.value_at(text, ("hooks",))):
            if _OURS.search(command):
                found[Hook(event, command, path)] = None
    return list(found)


def _commands(hooks: object) -> Iterator[tuple[str, str]]:
    """Events and their commands: ``{"SessionStart": [{"hooks": [{"command": "…"}]}]}``."""
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            inner = group.get("hooks") if isinstance(group, dict) else None
            for one in inner if isinstance(inner, list) else ():
                if isinstance(one, dict) and isinstance(one.get("command"), str):
                    yield str(event), one["command"]


def run(hook: Hook, root: Path) -> Result:
    """Give ``hook`` its event, and see that it ends well and says what it has to say.

    At the beginning of a session that is what is due, so a reminder is made that is.
    """
    began = monotonic()
    with tempfile.TemporaryDirectory(prefix="mind-doctor-", ignore_cleanup_errors=True) as name:
        stage = Path(name)
        (stage / ".mind").mkdir()
        text = f"- [ ] {_REMINDER} | due: 2000-01-01\n"
        (stage / ".mind" / "REMINDERS.md").write_text(text, encoding="utf-8")
        event = {
            "hook_event_name": hook.event,
            "session_id": "mind-doctor",
            "cwd": name,
            "source": "startup",
        }
        fault = _fault(hook, json.dumps(event).encode(), root)
    return Result(fault, monotonic() - began)


def _fault(hook: Hook, event: bytes, root: Path) -> str:
    try:
        done = subprocess.run(  # noqa: S602 - a hook is a line of shell, which the user registered
            hook.command,
            shell=True,
            input=event,
            capture_output=True,
            cwd=root,
            env={**environ, "CLAUDE_PROJECT_DIR": str(root)},
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"does not end within {_SECONDS} s"
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"ends with {done.returncode}: {said[-1] if said else 'it says nothing'}"
    if hook.event == "SessionStart" and _REMINDER.encode() not in done.stdout:
        return "says nothing of a reminder that is due"
    return ""


def program() -> str:
    """The hook's program of this installation."""
    beside = Path(sys.executable).with_name("mind-hook")
    return "mind-hook" if shutil.which("mind-hook") else str(beside)
