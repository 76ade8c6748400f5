"""Running the hooks as Claude Code does, on a project that is made for it and then deleted.

The user's own project is not touched: a hook that begins a session would end the running one. Only
Mind's own program is run, which Mind finds itself; what else a hook is runs if the user says so.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from mind.documents import jsontext
from mind.setup.clients import claude_hooks
from mind.storage import files, process

_OURS = re.compile(r"(?<![\w-])mind(?:-hook(?![\w-])|\.hooks\b)")
_SECONDS = 30
_REMINDER = "mind doctor was here"


@dataclass(frozen=True, slots=True)
class Hook:
    """A command that speaks of Mind, the event that runs it, and the file that says so.

    Attributes:
        event: Its name.
        command: A line of shell, or a program if there are arguments.
        arguments: None for a line of shell.
        path: The file.
    """

    event: str
    command: str
    arguments: tuple[str, ...] | None
    path: Path

    @property
    def line(self) -> str:
        """The command as it is run."""
        return " ".join((self.command, *(self.arguments or ())))


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
    user = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    own = root / ".claude"
    for path in (own / "settings.json", own / "settings.local.json", user / "settings.json"):
        text = files.decode(files.read(path), path)
        for event, command, arguments in _commands(jsontext.value_at(text, ("hooks",))):
            hook = Hook(event, command, arguments, path)
            if _OURS.search(hook.line):
                found[hook] = None
    return list(found)


def _commands(hooks: object) -> Iterator[tuple[str, str, tuple[str, ...] | None]]:
    """Events and their commands: ``{"SessionStart": [{"hooks": [{"command": "…"}]}]}``."""
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            inner = group.get("hooks") if isinstance(group, dict) else None
            for one in inner if isinstance(inner, list) else ():
                if isinstance(one, dict) and isinstance(one.get("command"), str):
                    given = one.get("args")
                    rest = tuple(map(str, given)) if isinstance(given, list) else None
                    yield str(event), one["command"], rest


def own(hook: Hook, root: Path) -> list[str] | None:
    """How to start Mind's own program, if that is what ``hook`` starts; else None."""
    found = claude_hooks.own(hook.command, hook.arguments or (), root)
    return [found] if found else None


def as_written(hook: Hook) -> list[str]:
    """How to start ``hook`` as the client does."""
    if hook.arguments is not None:
        return [hook.command, *hook.arguments]
    if os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/c", hook.command]
    return ["/bin/sh", "-c", hook.command]


def run(hook: Hook, command: list[str], folder: Path | str, root: Path) -> Result:
    """Give a hook its event, and see that it ends well and says what it has to say.

    At the beginning of a session that is what is due, so a reminder is made that is.

    Args:
        hook: It.
        command: How it is started.
        folder: Where it runs.
        root: What it is told of the project.
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
        env = {**os.environ, "CLAUDE_PROJECT_DIR": str(root)}
        feed = json.dumps(event).encode()
        try:
            done = process.run(command, cwd=folder, env=env, feed=feed, seconds=_SECONDS)
            fault = _fault(hook, done)
        except OSError as error:
            fault = f"cannot be started: {error.strerror}"
        except process.Unanswered as error:
            fault = f"gives {error}"
    return Result(fault, monotonic() - began)


def _fault(hook: Hook, done: process.Done) -> str:
    if done.status:
        said = done.said.decode("utf-8", "replace").strip().splitlines()
        return f"ends with {done.status}: {said[-1] if said else 'it says nothing'}"
    if hook.event == "SessionStart" and _REMINDER.encode() not in done.output:
        return "says nothing of a reminder that is due"
    return ""
