"""Running the uses of Mind on a site, and what was wrong with each."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import IO

from tests.hostile_repositories import judging, tracing
from tests.hostile_repositories.calls import LOGGED, Call, mind
from tests.hostile_repositories.hostile import Hostile
from tests.hostile_repositories.judging import Result
from tests.hostile_repositories.site import PROGRAMS, Site, remove
from tests.hostile_repositories.tracing import Trace

SECONDS = 30
ROOT = Path(__file__).parents[2]
_AUDIT = """\
import os, sys
from pathlib import Path
from tests.hostile_repositories.forked import audit
audit(Path(os.environ["HOSTILE_AUDIT"]))
"""


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that must not be.

    Attributes:
        repository: Its name.
        use: What was used; "" for all of it.
        what: Happened.
        when: "alone", if nothing was done before; "a day", "pulled".
        twin: It is the benign one.
    """

    repository: str
    use: str
    what: str
    when: str = "alone"
    twin: bool = False


@dataclass(frozen=True)
class Runner:
    """What runs a use: a warm process, or one that is really started.

    Attributes:
        folder: For what it keeps.
        asked: Where requests go; None to start each anew.
        answers: Where answers come from.
        trace: What strace sees of the warm process; None without it.
    """

    folder: Path
    asked: IO[str] | None = None
    answers: IO[str] | None = None
    trace: Trace | None = None

    def run(self, site: Site, call: Call, *, real: bool = False) -> Result:
        """Run ``call`` in the repository of ``site``."""
        environment = site.environment() | dict(call.environment or {})
        folder = site.repo / call.inside
        if call.program == "http":
            return self._served(call, folder, environment)
        if real or self.asked is None or self.answers is None:
            return self._started(call, folder, environment)
        request = {
            "program": call.program,
            "arguments": call.arguments,
            "stdin": call.stdin,
            "environment": environment,
            "folder": str(folder),
            "seconds": SECONDS,
        }
        self.asked.write(json.dumps(request) + "\n")
        self.asked.flush()
        told = json.loads(self.answers.readline())
        return Result(
            call, told["status"], told["out"], told["err"], told["started"], told["late"],
            told["process"],
        )  # fmt: skip

    def _served(self, call: Call, folder: Path, environment: dict[str, str]) -> Result:
        """The service in a process of its own; its status is 1 if it fails at a request."""
        command = [str(PROGRAMS / "mind"), "serve", "--port", "0", "--rate", "0"]
        with (self.folder / "service.log").open("w+", encoding="utf-8") as log:
            process = subprocess.Popen(
                [*command, "--project", str(folder)], cwd=folder, env=environment,
                stdout=subprocess.PIPE, stderr=log, encoding="utf-8",
            )  # fmt: skip
            line = process.stdout.readline() if process.stdout else ""
            said = [line]
            try:
                if line.startswith("Serving at "):
                    said += _asked(line.split()[-1], json.loads(call.stdin))
            finally:
                process.terminate()
                process.communicate(timeout=SECONDS)
            log.seek(0)
            failed = any(one.startswith("500") for one in said)
            return Result(call, int(failed), "\n".join(said), log.read(), process=process.pid)

    def _started(self, call: Call, folder: Path, environment: dict[str, str]) -> Result:
        """A process of its own: an audit hook is loaded as the interpreter starts."""
        log = self.folder / "audit.jsonl"
        log.write_bytes(b"")
        loaded = self.folder / "path"
        loaded.mkdir(exist_ok=True)
        (loaded / "sitecustomize.py").write_text(_AUDIT, encoding="utf-8")
        paths = [str(loaded), str(ROOT), *environment.get("PYTHONPATH", "").split(os.pathsep)]
        environment |= {
            "HOSTILE_AUDIT": str(log),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }
        late = False
        process = subprocess.Popen(
            [str(PROGRAMS / call.program), *call.arguments], cwd=folder, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        try:
            out, err = process.communicate(call.stdin.encode(), timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, err = process.communicate()
            late = True
        rows = [json.loads(row) for row in log.read_text(encoding="utf-8").splitlines()]
        said = (out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))
        return Result(call, process.returncode, *said, rows, late, process.pid)


def _asked(address: str, requests: Iterable[tuple[str, str, object]]) -> Iterator[str]:
    """Status and body of each answer; ``address`` ends with the token of the run."""
    where, _, token = address.partition("/#token=")
    connection = HTTPConnection(where.removeprefix("http://").rstrip("/"), timeout=SECONDS)
    for method, path, body in requests:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, headers)
        answer = connection.getresponse()
        yield f"{answer.status} {answer.read().decode('utf-8', 'replace')}"
    connection.close()


@contextmanager
def warm(folder: Path, *, traced: bool = False) -> Iterator[Runner]:
    """A runner with a warm process, seen by strace if it is to be ``traced``."""
    folder.mkdir(parents=True, exist_ok=True)
    trace = Trace(folder / "trace") if traced else None
    process = subprocess.Popen(
        [
            *(tracing.command(trace.log) if trace else ()),
            *(sys.executable, "-m", "tests.hostile_repositories.forked", str(folder)),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        yield Runner(folder, process.stdin, process.stdout, trace)
    finally:
        if process.stdin:
            process.stdin.close()
        process.wait(timeout=60)
        if process.stdout:
            process.stdout.close()


State = tuple[judging.Snapshot, judging.Snapshot]
"""What is outside of a site's repository, and what is inside."""


def _state(site: Site) -> State:
    return judging.outside(site), judging.inside(site)


def used(
    runner: Runner, hostile: Hostile, site: Site, call: Call, before: State
) -> tuple[Result, list[str], State]:
    """Run ``call``; its result, what was wrong, and the state after it.

    Traces of what was started are cleared.
    """
    result = runner.run(site, call, real=hostile.real)
    after = _state(site)
    wrong = [
        *judging.changed(before[0], after[0], site, call),
        *judging.leaked(site, before[1], after[1]),
        *judging.wrong(result, site, forged=hostile.forged),
        *(runner.trace.news(site, opened=hostile.opened) if runner.trace else ()),
    ]
    _clear(site)
    works = call.name.startswith(hostile.works) if hostile.works else False
    if works and result.status:
        wrong.append(f"does not work: {result.said.strip().splitlines()[-1:]}")
    return result, wrong, after


def _clear(site: Site) -> None:
    """Delete the traces of what was started."""
    for trace in site.started.iterdir():
        trace.unlink()


class Fresh:
    """A site as it was built, for each use anew."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.kept = site.base.with_name(f"{site.base.name}.kept")
        remove(self.kept)
        shutil.copytree(site.base, self.kept, symlinks=True)
        self.state = _state(site)

    def again(self, after: State) -> State:
        """Put everything back as it was, unless nothing changed."""
        if after != self.state:
            remove(self.site.base)
            shutil.copytree(self.kept, self.site.base, symlinks=True)
            self.state = _state(self.site)
        return self.state

    def done(self) -> None:
        """Delete everything."""
        remove(self.kept)
        remove(self.site.base)


def attack(
    runner: Runner, hostile: Hostile, site: Site, calls: Iterable[Call], *, fresh: bool,
    before: Iterable[Call] = (),
) -> Iterator[Wrong]:  # fmt: skip
    """Use a hostile repository in every way.

    Args:
        runner: That runs them.
        hostile: The repository.
        site: Where it is; empty but for the ordinary one.
        calls: The uses.
        fresh: Each on a repository in which nothing was done yet, else one after the other.
        before: Done while the repository is ordinary, as before what is hostile is pulled.
    """
    for call in before:
        runner.run(site, call)
    when = "alone" if fresh else "pulled" if before else "a day"
    try:
        hostile.build(site)
    except (OSError, subprocess.CalledProcessError) as error:
        yield Wrong(hostile.name, "", f"cannot be built: {error}", when)
        return
    _clear(site)  # git may run filters as the repository is built
    site.brought.update(judging.brought(site))
    kept = Fresh(site) if fresh else None
    said = []
    state = _state(site)
    for call in calls:
        if kept:
            state = kept.again(state)
        result, wrong, state = used(runner, hostile, site, call, state)
        said.append(result.said)
        yield from (Wrong(hostile.name, call.name, one, when) for one in wrong)
    if hostile.named and not any(hostile.named in one and hostile.leads in one for one in said):
        leads = f" and that it leads {hostile.leads}" if hostile.leads else ""
        yield Wrong(hostile.name, "", f"no answer names {hostile.named}{leads}")
    if kept:
        kept.done()


_FIND = mind("search", "paint bicycle shed green")


def lives(runner: Runner, hostile: Hostile, site: Site, calls: Iterable[Call]) -> Iterator[Wrong]:
    """Use the benign twin: all that it is used for works, and its links stay links."""
    hostile.twin(site)
    _clear(site)
    noticed = partial(Wrong, hostile.name, twin=True)
    links = {one: (site.repo / one).readlink() for one in hostile.stay if _is_link(site, one)}
    state = _state(site)
    for call in calls:
        result, wrong, state = used(runner, hostile, site, call, state)
        wrong += [f"failed: {result.said.strip()[-200:]}"] if _failed(result) else []
        yield from (noticed(call.name, one) for one in wrong)
        if call.name.startswith("mind log -t decision"):
            found, _, state = used(runner, hostile, site, _FIND, state)
            if LOGGED not in found.out:
                yield noticed(_FIND.name, f"does not find what was logged: {found.said[-200:]}")
    for one, target in links.items():
        if not _is_link(site, one) or (site.repo / one).readlink() != target:
            yield noticed("", f"{one} is no longer a link to {target}")


def _is_link(site: Site, name: str) -> bool:
    return (site.repo / name).is_symlink()


_WARNS = ("mind scan", "mind doctor")
"""Exit status 1 is an answer there."""
_MAY_FAIL = ("mind confirm c1", "mind import", "mind show", "mind verify", "mind history")
"""What it is asked for may not be there."""


def _failed(result: Result) -> bool:
    if result.call.name.startswith(_MAY_FAIL):
        return False
    return result.status > (1 if result.call.name.startswith(_WARNS) else 0)
