"""Commands that failed and passed later in a session, with what was changed in between."""

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath

from mind.sources.transcripts.turns import Answer, Call
from mind.text import secrets

_EDITS = frozenset({"Edit", "MultiEdit", "Write"})
_COMMANDS = frozenset({"Bash", "PowerShell"})
_READING = frozenset(
    """cat ls grep egrep rg find fd git head tail sed awk echo cd pwd which wc file tree stat test [
    sleep ps kill env printenv diff jq mkdir rm cp mv touch chmod type command man""".split()
)
"""Programs that look around or move files: that one of them fails says nothing of the project."""
_AROUND = re.compile(
    r"^(?:cd [^&;|]+(?:&&|;)\s*)+|\s*2>&1|\s*\|\s*(?:tail|head|tee|cat|less)\b[^|]*$"
)
"""The parts of a command that do not change what it checks: folder, redirection, paging."""
_ERROR = re.compile(
    r".*?(?<!\bno )(?<!\b0 )(?:error|exception|fail|panic|fatal)"
    r"[^:(\"']*(?:: | - )\W*\w",
    re.IGNORECASE,
)
"""A line that says which error: the word, and more behind a colon or a dash."""
_MOST_CALLS, _MOST_OPEN, _MOST_FILES = 200, 40, 1_000
_LONGEST_COMMAND, _LONGEST_ERROR = 100, 160
_READ = 300
"""Characters of a line of output in which an error is looked for."""
_NAMED = 3
"""Changed files that are named; more are counted."""


@dataclass(slots=True)
class _Failure:
    """A command that failed last time.

    Attributes:
        error: Line of its output.
        own: Files that the session had edited before the command first failed.
        files: Edited since it last failed.
        commands: That passed since.
    """

    error: str
    own: frozenset[str]
    files: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


class Failures:
    """The failing commands of one session, of which a bounded number is kept."""

    def __init__(self, file_of: Callable[[str], str]) -> None:
        """Begin a session.

        Args:
            file_of: Path → file of the project, relative to it; "" for another file.
        """
        self._file_of = file_of
        self._calls: OrderedDict[str, Call] = OrderedDict()
        self._open: dict[str, _Failure] = {}
        self._edited: OrderedDict[str, None] = OrderedDict()

    def called(self, call: Call) -> None:
        """Take note of a call whose answer follows."""
        self._calls[call.id] = call
        if len(self._calls) > _MOST_CALLS:
            self._calls.popitem(last=False)

    def answered(self, answer: Answer) -> str:
        """Return the problem that a command shows to be fixed; "" for none."""
        call = self._calls.pop(answer.id, None)
        if call is None or answer.undone or call.given.get("run_in_background"):
            return ""
        if call.tool in _COMMANDS:
            return self._ran(str(call.given.get("command") or "")[:2_000], answer)
        if call.tool in _EDITS and not answer.failed:
            self._changed(self._file_of(str(call.given.get("file_path") or "")))
        return ""

    def _changed(self, file: str) -> None:
        if not file:
            return
        self._edited[file] = None
        if len(self._edited) > _MOST_FILES:
            self._edited.popitem(last=False)
        for one in self._open.values():
            if file not in one.files:
                one.files.append(file)

    def _ran(self, command: str, answer: Answer) -> str:
        name = _essence(command)
        if not name or PurePath(name.split()[0]).name in _READING:
            return ""
        before = self._open.pop(name, None)
        # a pipe hides the exit code of what stands before it
        if answer.failed or ("|" in command and any(map(_names_error, answer.text.splitlines()))):
            own = before.own if before else frozenset(self._edited)
            self._open[name] = _Failure(_error(answer.text), own)
            if len(self._open) > _MOST_OPEN:
                del self._open[next(iter(self._open))]
            return ""
        for one in self._open.values():
            one.commands = [*one.commands, name][-2:]
        return _fixed(name, before) if before else ""


def _fixed(name: str, failure: _Failure) -> str:
    """Return what failed and what was changed; "" if that is unclear, or the session's own doing.

    Nothing but files that the session had edited before is its own work in progress.
    """
    if failure.files and not failure.own.issuperset(failure.files):
        shown = ", ".join(failure.files[:_NAMED])
        more = len(failure.files) - _NAMED
        how = f"fixed in {shown}{f' and {more} more' if more > 0 else ''}"
    elif not failure.files and len(set(failure.commands)) == 1:
        how = f"fixed by {_code(failure.commands[0])}"
    else:
        return ""
    what = f"{_code(name)}: {failure.error}" if failure.error else f"{_code(name)} failed"
    return f"{what} - {how}"


def _code(command: str) -> str:
    command = _cut(secrets.mask(command), _LONGEST_COMMAND)
    return command if "`" in command else f"`{command}`"


def _essence(command: str) -> str:
    """Return a command without what surrounds it, which is taken off a few times."""
    command = " ".join(command.split())
    for _ in range(4):
        command = _AROUND.sub("", command).strip()
    return command


def _error(output: str) -> str:
    """Return the first line that says which error, else the last line; "" without output."""
    said = [line.strip() for line in secrets.mask(output).splitlines() if line.strip()]
    if said and said[0].removeprefix("Error: ").startswith("Exit code "):
        del said[0]
    found = next(filter(_names_error, said), said[-1] if said else "")
    return _cut(found, _LONGEST_ERROR).rstrip(".")


def _names_error(line: str) -> bool:
    return _ERROR.match(line[:_READ]) is not None


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"
