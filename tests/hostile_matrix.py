"""Every hostile repository through every interface: what leaked, was written, deleted or started.

``python -m tests.hostile_matrix [WORD …]`` tries those whose names contain a word (with a slash:
begin with it), or all. The first of each kind is used for a day, one use after the other, and so is
its benign twin. If it is one of :data:`ALONE`, it is used in every way before, each time as it is
when nobody did anything yet; then for an hour after it was ordinary, as after a pull. The others of
the kind, which differ in a name, are used for an hour. ``--hour`` uses all for an hour, no twins.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from tempfile import mkdtemp

from tests.hostile_repositories import calls as uses
from tests.hostile_repositories import every
from tests.hostile_repositories.hostile import Hostile
from tests.hostile_repositories.running import Runner, Wrong, attack, lives, warm
from tests.hostile_repositories.site import remove, site, template

ALONE = (
    *("links/" + name for name in ("MEMORY.md", "SESSION.md", "SESSION.last.md", "REMINDERS.md",
      "ARCHIVE.md", "config.json", "state.json", "events.jsonl", "pending.json", ".gitignore",
      ".gitattributes", "cache")),
    *("links/.mind " + form for form in ("folder with a memory", "the user's own memory")),
    *("targets/" + name for name in ("CLAUDE.md", "AGENTS.md file", ".mcp.json", ".claude/settings",
      ".github/copilot-instructions.md", ".cursor/mcp.json file", ".codex", ".git/")),
    *("configured/target " + what for what in ("parent", "absolute", "home", "through", "NUL")),
    *("configured/" + what for what in ("zone parent", "model", "deep nesting", "links")),
    *("state/" + name for name in ("state.json", "SESSION", "events.jsonl", "pending.json",
      "cache", "everything")),
    *("starting/.mcp.json " + what for what in ("shell", "mind elsewhere", "search", "remote")),
    *("starting/" + what for what in ("settings.json before", "modules", "PATH dot first")),
    *("git/" + what for what in ("every key", "core.fsmonitor", "filter process", "diff textconv",
      "hooks", "include.path", "gpg", "partial clone by ssh", "folder like")),
    *("reading/" + what for what in ("source", "record", "a folder", "cited", "asked", "gitdir",
      "commondir", "core.worktree")),
    *("deletion/" + what for what in ("cache absolute", ".mind", "cache by hand")),
)  # fmt: skip
"""Beginnings of names."""
_ONE_FORM = ("relative", "missing", "chain", "to a folder", "behind", "in a linked", "pipe")
COLUMNS = ("command", "hook", "tool", "http", "a day", "pulled", "told", "twin")
_MOST = 8
"""Findings of one repository that are printed."""


def is_alone(one: Hostile) -> bool:
    """Whether ``one`` is used in every way, each time as it was built."""
    form = one.name.partition(" ")[2]
    return one.name.startswith(ALONE) and not form.startswith(_ONE_FORM)


def _column(row: Wrong) -> str:
    if row.twin:
        return "twin"
    if not row.use:
        return "told"
    if row.when != "alone":
        return row.when
    kinds = {"mind": "command", "hook": "hook", "http": "http"}
    return kinds.get(row.use.partition(" ")[0], "tool")


def _told(made: Callable[..., object]) -> Hashable:
    """What makes two functions one: partial ones by what they were given."""
    if isinstance(made, partial):
        return made.func, made.args, tuple(sorted(made.keywords.items()))
    return made.__code__, tuple(map(id, made.__closure__ or ()))


def firsts(hostile: Iterable[Hostile]) -> tuple[frozenset[str], frozenset[str]]:
    """Names of the first of each kind, by how it is built; and by what its twin is."""
    kinds: dict[Hashable, str] = {}
    twins: dict[Hashable, str] = {}
    for one in hostile:
        build = one.build.func if isinstance(one.build, partial) else one.build
        kinds.setdefault((build, one.real), one.name)
        twins.setdefault((_told(one.twin), _told(one.calls), one.stay, one.real), one.name)
    return frozenset(kinds.values()), frozenset(twins.values())


def tried(runner: Runner, one: Hostile, number: int, *, day: bool, twin: bool) -> Iterator[Wrong]:
    """Everything that is wrong with a repository, and with its twin."""
    base = runner.folder / "site"
    here = site(base, number)
    if day and is_alone(one):
        calls = [*uses.every(here), uses.HTTP, *one.calls(here)]
        yield from attack(runner, one, here, calls, fresh=True)
        here = site(base, number)
        calls = uses.an_hour(here)
        yield from attack(runner, one, here, calls, fresh=False, before=calls[:-1])
        here = site(base, number)
    some = uses.a_day if day else uses.an_hour
    yield from attack(runner, one, here, [*some(here), *one.calls(here)], fresh=False)
    if twin:
        here = site(base, number)
        yield from lives(runner, one, here, [*some(here), *one.calls(here)])


def _can_trace() -> bool:
    if shutil.which("strace") is None:
        sys.stdout.write("strace is not installed (apt install strace): only Python is audited.\n")
        return False
    tried_out = subprocess.run(
        ["strace", "-f", "--seccomp-bpf", "-o", os.devnull, "true"],
        capture_output=True,
        check=False,
    )
    if tried_out.returncode:
        sys.stdout.write("strace may not trace here: only Python is audited.\n")
    return not tried_out.returncode


def _matrix(chosen: Sequence[Hostile], *, hour: bool, jobs: int, most: int) -> list[Wrong]:
    """Try all, and print a row for each as it is done."""
    folder = Path(mkdtemp(prefix="mind-hostile-"))
    template()
    wrong: list[Wrong] = []
    width = max(len(one.name) for one in chosen)
    kinds, twins = firsts(chosen)
    with ExitStack() as stack:
        free: SimpleQueue[Runner] = SimpleQueue()
        traced = _can_trace()
        for job in range(jobs):
            free.put(stack.enter_context(warm(folder / str(job), traced=traced)))

        def work(given: tuple[int, Hostile]) -> tuple[Hostile, list[Wrong]]:
            number, one = given
            runner = free.get()
            try:
                day = one.name in kinds and not hour
                twin = one.name in twins and not hour
                return one, list(tried(runner, one, number, day=day, twin=twin))
            finally:
                free.put(runner)

        pool = stack.enter_context(ThreadPoolExecutor(jobs))
        sys.stdout.write(f"{'repository':{width}}  {'  '.join(COLUMNS)}\n")
        for one, found in pool.map(work, enumerate(chosen, 1)):
            wrong += found
            _print(one, found, width, most)
    remove(folder)
    return wrong


def _print(one: Hostile, found: Sequence[Wrong], width: int, most: int) -> None:
    counts = Counter(map(_column, found))
    cells = (f"{counts[name] or 'ok':>{len(name)}}" for name in COLUMNS)
    sys.stdout.write(f"{one.name:{width}}  {'  '.join(cells)}\n")
    rows = list(dict.fromkeys(found))
    for row in rows[:most]:
        where = ": ".join(filter(None, (_column(row), row.use[:70])))
        sys.stdout.write(f"    {where}: {row.what}\n")
    if rows[most:]:
        sys.stdout.write(f"    … and {len(rows) - most} more: --details\n")
    sys.stdout.flush()


def _is_meant(one: Hostile, word: str) -> bool:
    """Whether ``word`` is part of its name; with a slash, whether the name begins like that."""
    return one.name.startswith(word) if "/" in word else word in one.name


def main() -> int:
    """Run the matrix; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--hour", action="store_true", help="a short day for all, no twins")
    parser.add_argument("--details", action="store_true", help="print every finding")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    words = given.words
    chosen = [one for one in every() if not words or any(_is_meant(one, word) for word in words)]
    if not chosen:
        parser.error(f"no repository is called {words}")
    began = time.monotonic()
    most = sys.maxsize if given.details else _MOST
    wrong = _matrix(chosen, hour=given.hour, jobs=given.jobs, most=most)
    bad = {row.repository for row in wrong}
    sys.stdout.write("\nfamily        repositories  wrong\n")
    for family, count in Counter(one.family for one in chosen).items():
        broken = sum(name.startswith(f"{family}/") for name in bad)
        sys.stdout.write(f"{family:12}  {count:12}  {broken:5}\n")
    sys.stdout.write(
        f"{'all':12}  {len(chosen):12}  {len(bad):5}    {len(wrong)} findings, "
        f"{time.monotonic() - began:.0f} s\n"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
