"""Two clones of a repository whose memories grow apart and are merged by git, again and again.

What has to come of a merge is worked out here from the three versions of each file, by the parser
and by marks in the texts, with nothing of the code that merges.
"""

import os
import random
import re
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mind.documents import archive, parser, reminders
from mind.domain.errors import MindError
from mind.domain.settings import Settings
from mind.memory.memory import Memory
from mind.setup import install
from mind.storage.project import Project

ROOT = Path(__file__).parents[1]
MARK = re.compile(r"\b[aboz]\d+q\b")
FILES = ("MEMORY.md", "REMINDERS.md", "ARCHIVE.md")
_CONFLICT = re.compile(r"^<{7} .*?\n(.*?)^={7}\r?\n(.*?)^>{7} .*?\n", re.DOTALL | re.MULTILINE)
_WORDS = (
    "cache queue index token session worker schema branch commit deploy server client parser lexer "
    "router proxy socket thread mutex buffer stream packet header cookie cursor column table view "
    "replica shard cluster region bucket object vector matrix tensor kernel driver plugin adapter "
    "gateway broker topic partition offset consumer producer retry timeout backoff circuit breaker "
    "latency throughput percentile histogram gauge counter sampler tracer span profile heap stack"
).split()
_BEGAN = "2026-03-02T09:00:00Z"
_KINDS = ("decision", "learning", "problem", "progress")


def program(folder: Path) -> None:
    """Put a ``mind`` of this checkout in ``folder``, which PATH is to begin with."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "mind"
    path.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m mind "$@"\n', encoding="utf-8"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@dataclass
class Told:
    """What a run came to."""

    merges: int = 0
    operations: Counter[str] = field(default_factory=Counter)
    entries: int = 0
    conflicts: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    needless: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing went wrong."""
        return not (self.lost or self.doubled or self.needless or self.wrong)


class Clone:
    """One clone, and the person who works in it."""

    def __init__(self, root: Path, sign: str, dice: random.Random, run: Callable[..., str]) -> None:
        self.root, self.sign, self.dice, self.git = root, sign, dice, run
        self.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self._count = 0
        self.fresh = (
            "none"  # what both noted since the last merge: changed, it is no longer the same
        )
        self.times = Counter[str]()  # edits since the last merge: after many it is another entry
        self.memory = Memory(Project(root), clock=lambda: self.now)

    def file(self, name: str) -> Path:
        return self.root / ".mind" / name

    def mark(self) -> str:
        self._count += 1
        return f"{self.sign}{self._count}q"

    def text(self, mark: str) -> str:
        return f"{mark} " + " ".join(self.dice.sample(_WORDS, 14))  # as long as what people note

    def entries(self) -> list[str]:
        return [
            one.id
            for one in self.memory.index_entries()
            if one.source.endswith("MEMORY.md")
            and re.match(MARK, one.text)
            and not one.text.startswith(self.fresh)
        ]

    def wait(self) -> None:
        """As if some seconds went by: what an editor saves over an entry just added is put back."""
        for path in self.file(".recent.tmp").glob("*"):
            path.unlink()

    def work(self, told: Told) -> None:
        """Do one thing."""
        self.wait()
        ways = {
            "log": 6, "edit": 2, "hand": 2, "forget": 2, "restore": 1, "verify": 2, "remind": 1,
            "complete": 1, "remindedit": 1, "prose": 1, "newprose": 1,
        }  # fmt: skip
        way = self.dice.choices(list(ways), list(ways.values()))[0]
        self.now += timedelta(seconds=1)
        try:
            done = getattr(self, way)()
        except MindError as error:  # nothing there to be edited, or already so
            told.operations[f"{way} refused: {type(error).__name__}"] += 1
            return
        told.operations[way if done is not False else f"{way} without anything"] += 1

    def log(self) -> None:
        self.memory.log(self.text(self.mark()), self.dice.choice(_KINDS), acknowledge=True)

    def pick(self) -> str:
        found = self.entries()
        recent = found[-40:]
        return self.dice.choice(recent or [""])

    def edit(self) -> None:
        one = self.memory.get([self.pick()]).entries[0]
        if self.may_reword(one.text):
            self.memory.update(one.id, self.reworded(one.text))

    def may_reword(self, text: str) -> bool:
        mark = MARK.search(text)
        self.times[mark.group() if mark else ""] += 1
        return self.times[mark.group() if mark else ""] <= 2

    def reworded(self, text: str) -> str:
        words = text.split()
        words[self.dice.randrange(1, len(words))] = self.dice.choice(_WORDS) + str(self._count)
        self._count += 1
        return " ".join(words)

    def hand(self) -> bool:
        """Change a word of an entry in the file, as an editor does."""
        path = self.file("MEMORY.md")
        lines = path.read_text(encoding="utf-8").split("\n")
        places = [
            at
            for at, line in enumerate(lines)
            if re.match(r"[a-z]+: [abz]\d+q ", line) and self.fresh not in line
        ][-40:]
        if not places:
            return False
        at = self.dice.choice(places)
        if not self.may_reword(lines[at]):
            return False
        words = lines[at].split(" ")
        words[self.dice.randrange(2, min(len(words), 8))] = f"hand{self._count}"
        self._count += 1
        lines[at] = " ".join(words)
        path.write_text("\n".join(lines), encoding="utf-8")
        return True

    def forget(self) -> None:
        why = f"no longer so {self.dice.randrange(99)}"
        self.memory.forget(self.pick(), why, acknowledge=True)

    def restore(self) -> bool:
        blocks = self.memory.archive().blocks  # an earlier wording would stand beside the later
        found = [one.id for one in blocks if not one.reason.startswith("corrected")][:10]
        if not found:
            return False
        self.memory.restore(self.dice.choice(found))
        return True

    def verify(self) -> None:
        self.memory.verify(self.pick())

    def remind(self) -> None:
        self.memory.remind(self.text(self.mark()), "in 300 days")

    def complete(self) -> bool:
        found = self.memory.reminders()
        if not found:
            return False
        self.memory.reminder_done(self.dice.choice(found).id)
        return True

    def remindedit(self) -> bool:
        path = self.file("REMINDERS.md")
        lines = path.read_text(encoding="utf-8").split("\n")
        places = [at for at, line in enumerate(lines) if line.startswith("- [ ] ")]
        if not places:
            return False
        at = self.dice.choice(places)
        lines[at] = re.sub(r"( \w+) \|", rf" later{self._count} |", lines[at], count=1)
        self._count += 1
        path.write_text("\n".join(lines), encoding="utf-8")
        return True

    def prose(self) -> bool:
        """Change a paragraph under "How we work"."""
        path = self.file("MEMORY.md")
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"^Paragraph \w+ .*$", text, re.MULTILINE)
        if not found:
            return False
        one = self.dice.choice(found)
        path.write_text(text.replace(one, self.reworded_prose(one)), encoding="utf-8")
        return True

    def reworded_prose(self, text: str) -> str:
        head, _, rest = text.partition("(")
        self._count += 1
        return f"{head}({self.sign}-v{self._count}) {rest.partition(') ')[2]}"

    def newprose(self) -> None:
        path = self.file("MEMORY.md")
        text = path.read_text(encoding="utf-8")
        words = " ".join(self.dice.sample(_WORDS, 12))
        new = f"Paragraph {self.mark()} (first) {words}\nin a second line.\n\n"
        path.write_text(text.replace("## Session Log\n", new + "## Session Log\n", 1), "utf-8")


def run_git(*arguments: str, cwd: Path, check: bool = True) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=cwd, capture_output=True, encoding="utf-8", check=False
    )
    if check and done.returncode:
        raise AssertionError(f"git {arguments}: {done.stdout}{done.stderr}")
    return done.stdout


Things = dict[str, tuple[object, ...]]


def things(name: str, source: bytes) -> tuple[Things, Counter[str]]:
    """What a file holds by mark, and how often each is there."""
    count: Counter[str] = Counter()
    found: Things = {}
    if name == "MEMORY.md":
        for one in parser.parse(source, name, Settings()):
            mark = MARK.search(one.text)
            if mark and not one.text.startswith("Paragraph"):
                count[mark.group()] += 1
                found[mark.group()] = (one.text, one.fields.get("verified", ""))
        for text in re.findall(rb"^Paragraph .*\n.*$", source, re.MULTILINE):
            mark = MARK.search(text.decode())
            assert mark
            count[f"p-{mark.group()}"] += 1
            found[f"p-{mark.group()}"] = (text.decode(),)
    elif name == "REMINDERS.md":
        for item in reminders.parse(source, UTC):
            mark = MARK.search(item.text)
            assert mark
            count[mark.group()] += 1
            found[mark.group()] = (item.text, item.done is not None)
    else:
        for block in archive.blocks(source):
            key = f"{block.id} {block.text!r}"
            count[key] += 1
            found[key] = ("",)
    return found, count


def expected(
    base: Things, ours: Things, theirs: Things, *, is_archive: bool
) -> tuple[Things, set[str]]:
    """What has to be there after a merge, and what a person has to decide."""
    wanted: Things = {}
    open_ones = set()
    for mark in {**base, **ours, **theirs}:
        old, one, other = base.get(mark), ours.get(mark), theirs.get(mark)
        if one is None or other is None:
            left = one or other
            if left is not None and (old is None or (left != old and not is_archive)):
                wanted[mark] = left
            continue
        parts = []
        for place in range(len(one)):
            was = old[place] if old else None
            values = {one[place], other[place]}
            if len(values) == 1 or other[place] == was:
                parts.append(one[place])
            elif one[place] == was:
                parts.append(other[place])
            elif place == 0:
                open_ones.add(mark)
                parts.append(one[place])
            else:
                parts.append(max(values, key=str))
        wanted[mark] = tuple(parts)
    return wanted, open_ones


def check(name: str, versions: list[bytes], merged: bytes, open_ones: set[str], told: Told) -> None:
    """Compare a merged file, its conflicts settled for ours, with what has to be in it."""
    base, ours, theirs = (things(name, one)[0] for one in versions)
    wanted, _ = expected(base, ours, theirs, is_archive=name == "ARCHIVE.md")
    found, count = things(name, merged)
    usual = Counter[str]()
    for one in versions[1:]:
        usual |= things(name, one)[1]
    told.lost += [f"{name}: {mark} {wanted[mark]}" for mark in wanted if mark not in found]
    told.doubled += [
        f"{name}: {mark} x{times}" for mark, times in count.items() if times > max(1, usual[mark])
    ]
    told.wrong += [
        f"{name}: {mark} is {found[mark]}, not {wanted.get(mark)}"
        for mark in found
        if found[mark] != wanted.get(mark) and mark not in open_ones
    ]


def settle(name: str, merged: str, open_ones: set[str], told: Told) -> str:
    """The file with every conflict decided for ours; needless ones are noted."""

    def decided(found: re.Match[str]) -> str:
        marks = {mark.group() for mark in MARK.finditer(found[1] + found[2])}
        sides = [set(MARK.findall(found[at])) for at in (1, 2)]
        known = marks & {mark.removeprefix("p-") for mark in open_ones}
        told.conflicts += 1
        if len(marks) != 1 or sides[0] != sides[1] or not known:
            told.needless.append(f"{name}: {found.group()}")
        return found[1]

    return _CONFLICT.sub(decided, merged)


def story(folder: Path, *, rounds: int, operations: int, seed: int) -> Told:
    """Let two clones work apart and be merged so many times."""
    dice = random.Random(seed)  # noqa: S311 - a story, not a secret
    hub, one, other = folder / "hub.git", folder / "one", folder / "other"
    run_git("init", "-q", "--bare", "--initial-branch=main", str(hub), cwd=folder)
    run_git("clone", "-q", str(hub), str(one), cwd=folder)
    install.apply(install.plan(one))
    run_git("add", "-A", cwd=one)
    run_git("commit", "-q", "-m", "begin", cwd=one)
    run_git("push", "-q", "origin", "HEAD:main", cwd=one)
    run_git("clone", "-q", str(hub), str(other), cwd=folder)
    install.apply(install.plan(other))
    clones = [Clone(one, "a", dice, run_git), Clone(other, "b", dice, run_git)]
    told = Told()
    bases = {name: _at(one, "HEAD", name) for name in FILES}
    for number in range(rounds):
        for clone in clones:
            clone.now = datetime(2026, 3, 2, 9, tzinfo=UTC) + timedelta(days=number // 3)
            if number % 2:  # both note the same
                clone.fresh = f"z{number}q "
                clone.memory.log(f"z{number}q the same " + _WORDS[number % 50], "learning")
            clone.now += timedelta(days=dice.choice((0, 0, 0, 1)))
            for _ in range(operations):
                clone.work(told)
            clone.memory.close()
            clone.wait()
            run_git("add", "-A", cwd=clone.root)
            run_git("commit", "-q", "--allow-empty", "-m", f"round {number}", cwd=clone.root)
        into, of = clones if dice.random() < 0.5 else clones[::-1]
        bases = _merge(into, of, told, bases, crossed=dice.random() < 0.3)
    told.entries = len(things("MEMORY.md", clones[0].file("MEMORY.md").read_bytes())[0])
    for clone in clones:
        clone.memory.close()
    return told


def _merge(
    into: Clone, of: Clone, told: Told, bases: dict[str, bytes], *, crossed: bool
) -> dict[str, bytes]:
    """Merge one clone's work into the other's.

    Where both merge (``crossed``), each in its own order, git has two ancestors the next time, and
    merges them first. ``bases`` are the files after the merge before; those after this are given.
    """
    before = told.conflicts
    was = run_git("rev-parse", "HEAD", cwd=into.root).strip()
    run_git("fetch", "-q", str(of.root), "HEAD", cwd=into.root)
    versions = {
        name: [bases[name], *(_at(into.root, rev, name) for rev in ("HEAD", "FETCH_HEAD"))]
        for name in FILES
    }
    run_git("merge", "-q", "-m", "merge", "FETCH_HEAD", cwd=into.root, check=False)
    for name, three in versions.items():
        kinds = [things(name, one)[0] for one in three]
        _, open_ones = expected(kinds[0], kinds[1], kinds[2], is_archive=name == "ARCHIVE.md")
        path = into.file(name)
        if not path.exists():
            continue
        merged = settle(name, path.read_bytes().decode(), open_ones, told)
        path.write_bytes(merged.encode())
        check(name, three, merged.encode(), open_ones, told)
    run_git("add", "-A", cwd=into.root)
    run_git("commit", "-q", "--allow-empty", "-m", "merged", cwd=into.root)
    run_git("fetch", "-q", str(into.root), "HEAD", cwd=of.root)
    if crossed and told.conflicts == before:
        run_git("merge", "-q", "-m", "merge", was, cwd=of.root)
        for name in FILES:
            if into.file(name).exists():
                sides = [things(name, one.file(name).read_bytes()) for one in (into, of)]
                told.wrong += [] if sides[0] == sides[1] else [f"{name} depends on who merges"]
    else:
        run_git("merge", "-q", "--ff-only", "FETCH_HEAD", cwd=of.root)
    into.times.clear()
    of.times.clear()
    told.merges += 1
    return {name: _at(into.root, "HEAD", name) for name in FILES}


def _at(root: Path, revision: str, name: str) -> bytes:
    done = subprocess.run(
        ["git", "show", f"{revision}:.mind/{name}"], cwd=root, capture_output=True, check=False
    )
    return done.stdout


def environment(folder: Path) -> dict[str, str]:
    """What git and Mind need to be alone, with this checkout's ``mind`` first."""
    program(folder / "bin")
    names = {
        f"GIT_{who}_{what}": "t@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    return names | {
        "GIT_AUTHOR_DATE": _BEGAN,  # a seed always gives the same commits
        "GIT_COMMITTER_DATE": _BEGAN,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "MIND_HOME": str(folder / "home"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
