"""A month on a real repository, replayed: `python -m tests.bench.month [REPOSITORY] [--seed 1]`.

The last commits of a history are made again in a scratch clone, with the same trees, parents and
order, spread over thirty days. After each one a few entries are noted that cite files which are
there, and now and then one is verified. Every evening the memory is tidied, and what Mind says of
each entry is compared with what git says, worked out here on its own: names are followed from one
commit to the next by ``git diff-tree``, and commits are counted by ``git log`` for each file alone.
Behind the true history come days on which files are renamed, moved, deleted, edited and made anew,
since few histories do much of that. In the end, all that was archived is restored.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from mind.domain.entry import Entry
from mind.memory import curation, sync, tidy
from mind.memory.memory import Memory
from mind.ranking import heat
from mind.setup import install
from mind.sources import staleness
from mind.storage.index import Filter
from mind.storage.project import Project
from tests.bench import retrieval

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAYS = 30
WINDOW = 300
"""Commits that are replayed at most."""
CHURN_DAYS = 15
_LIKELY = 0.98
_PLAIN = re.compile(r"[\w./-]+")
_KINDS = ("decision", "learning", "progress", "note", "problem", "gotcha", "goal", "todo")
_WORDS = """anchor basin cedar delta ember fjord glade harbor inlet jungle kelp lagoon meadow nectar
    orchard prairie quarry river summit tundra valley willow yonder zenith""".split()


def git(root: Path, *arguments: str, when: datetime | None = None, told: str = "") -> str:
    """What a git command prints."""
    dates = {}
    if when:
        dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), when.isoformat())
    who = {f"GIT_{one}_{key}": "x" for one in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", "-c", "core.quotePath=false", "-C", str(root), *arguments],
        check=True,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        input=told,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(root), **who, **dates},
    )
    return done.stdout


@dataclass(slots=True)
class Following:
    """A file that an entry cites: as it was called then, as it is called now, what changed it."""

    cited: str
    now: str
    days: list[date] = field(default_factory=list)


@dataclass(slots=True)
class Score:
    """What was told rightly, wrongly, and not at all, by sort."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def compare(self, where: str, told: Iterable[str], true: Iterable[str]) -> None:
        """Count the flags of one entry."""
        told, true = set(told), set(true)
        self.right.update(map(_sort, told & true))
        self.wrong.update(map(_sort, told - true))
        self.missed.update(map(_sort, true - told))
        if told != true:
            self.examples.append(f"{where}: told {sorted(told)}, but {sorted(true)}")

    def rates(self, sort: str = "") -> tuple[int, float, float]:
        """How many there were, precision and recall."""
        right, wrong, missed = (
            one[sort] if sort else one.total() for one in (self.right, self.wrong, self.missed)
        )
        return right + missed, right / max(1, right + wrong), right / max(1, right + missed)


def _sort(flag: str) -> str:
    for sort, pattern in (("renamed", " is now "), ("gone", " is gone"), ("checked", "verified ")):
        if pattern in flag:
            return sort
    return "commits"


class Month:
    """The replay.

    Args:
        source: The repository whose history it is.
        root: A folder for the scratch clone.
        seed: For what is noted, and when.
    """

    def __init__(self, source: Path, root: Path, seed: int) -> None:
        self.random = random.Random(seed)
        git(root.parent, "clone", "--quiet", "--no-checkout", str(source), str(root))
        self.root = root
        self.steps = self._replayed()
        git(root, "checkout", "--quiet", "--detach", "--force", self.steps[0][0])
        install.apply(install.plan(root, private=True))
        self.now = START
        self.memory = Memory(Project(root), clock=lambda: self.now)
        self.following: dict[str, Following] = {}
        self.score = Score()
        self.archived: dict[str, bytes] = {}
        self.protected: list[str] = []
        self.sweeps: Counter[str] = Counter()
        self.checked = 0
        self._head = self.steps[0][0]
        self._said: dict[tuple[str, str], list[date]] = {}
        self._count = 0

    def _replayed(self) -> list[tuple[str, datetime]]:
        """The history made again: the commits of the main line in the window, and when."""
        source = git(self.root, "rev-list", "--reverse", "--topo-order", "--parents", "HEAD")
        rows = [line.split() for line in source.splitlines()]
        main = set(git(self.root, "rev-list", "--first-parent", "HEAD").split())
        first = max(0, len(rows) - WINDOW)
        made: dict[str, str] = {}
        steps = []
        span = len(rows) - first
        for number, (commit, *parents) in enumerate(rows):
            day = max(-5, (number - first) * DAYS // span) if number >= first else -5
            when = START + timedelta(days=day, seconds=number)
            flags = [part for one in parents for part in ("-p", made[one])]
            new = git(self.root, "commit-tree", f"{commit}^{{tree}}", *flags, when=when, told="x")
            made[commit] = new.strip()
            if number >= first and commit in main:
                steps.append((made[commit], when))
        self.replayed = span
        return steps

    def run(self) -> None:
        """The true history, and what is made up behind it."""
        for commit, when in self.steps:
            self._evenings(when)
            self._check_out(commit)
            self._work(when)
        self._evenings(self.steps[-1][1] + timedelta(days=1))
        self.true, self.score = self.score, Score()
        for _ in range(CHURN_DAYS):
            for number in range(6):
                when = self.now.replace(hour=12, minute=number)
                self._churn(when)
                self._work(when)
            self._evenings(self.now + timedelta(days=1))

    def _evenings(self, when: datetime) -> None:
        """Every evening up to ``when``."""
        while self.now.date() < when.date():
            self._compare()
            self._tidy()
            self.now += timedelta(days=1)

    def _check_out(self, commit: str) -> None:
        git(self.root, "checkout", "--quiet", "--force", "--detach", commit)
        self._advance(commit)

    def _advance(self, commit: str) -> None:
        """Follow the files of every entry through the commits that came."""
        came = f"{self._head}..{commit}"
        for one in git(self.root, "rev-list", "--reverse", "--topo-order", came).split():
            day = date.fromisoformat(git(self.root, "show", "-s", "--format=%cs", one).strip())
            options = ("-r", "-M", "-z", "--name-status", "--no-commit-id")
            renamed, deleted, changed = _changes(git(self.root, "diff-tree", *options, one))
            for follow in self.following.values():
                if follow.now in renamed:
                    follow.now = renamed[follow.now]
                elif follow.now in deleted:
                    follow.now = ""
                elif follow.now in changed:
                    follow.days.append(day)
                elif not follow.now and follow.cited in changed:
                    follow.now = follow.cited
        self._head = commit

    def _work(self, when: datetime) -> None:
        self.now = when + timedelta(seconds=30)
        files = [one for one in git(self.root, "ls-files", "-z").split("\0") if self._fits(one)]
        for _ in range(self.random.choice((1, 1, 2))):
            cited = self.random.choice(files)
            self._count += 1
            words = " ".join(self.random.sample(_WORDS, 5))
            field = self.random.choice(("", "", "", " [expires:: {}]", " [layer:: emotion]"))
            last = self.now.date() + timedelta(days=self.random.randint(1, 20))
            text = f"the {words} of case {self._count} is kept in `{cited}`{field.format(last)}"
            kind = self.random.choice(_KINDS)
            logged = self.memory.log(text, kind, acknowledge=True)
            if logged.known or logged.pending:
                continue
            self.following[logged.entry.id] = Following(cited, cited)
            if self.random.random() < 0.2:
                self.memory.log(f"{text} today", kind, acknowledge=True)
        if self.random.random() < 0.2 and self.following:
            one = self.random.choice(self._entries())
            self.memory.verify(one.id)
            self.checked += 1

    def _fits(self, name: str) -> bool:
        path = self.root / name
        return bool(_PLAIN.fullmatch(name)) and path.is_file() and not path.is_symlink()

    def _entries(self) -> list[Entry]:
        sync.refresh(self.memory.project, self.memory.index)
        return [
            one
            for one in self.memory.index.entries(Filter(families=("memory",)))
            if one.id in self.following
        ]

    def _compare(self) -> None:
        entries = self._entries()
        told = staleness.of_entries(self.root, entries, self.now.date())
        for entry, flags in zip(entries, told, strict=True):
            true = self._true(entry, self.following[entry.id])
            self.score.compare(f"{self.now.date()} {entry.id}", flags, true)

    def _true(self, entry: Entry, follow: Following) -> list[str]:
        checked = re.search(r"\d{4}-\d\d-\d\d", entry.fields.get("verified", ""))
        verified = date.fromisoformat(checked[0]) if checked else None
        known = max(day for day in (entry.date, verified) if day)
        found = []
        if (self.root / follow.cited).is_file():
            days, name = self._logged(follow.cited), follow.cited
        elif follow.now:
            days, name = follow.days, follow.now
            found.append(f"{follow.cited} is now {name}")
        else:
            days, name = [], ""
            found.append(f"{follow.cited} is gone")
        count = sum(day > known for day in days)
        if count:
            commits = "1 commit" if count == 1 else f"{count} commits"
            found.append(f"{commits if count < 100 else 'over 99 commits'} to {name} since")
        age = (self.now.date() - verified).days if verified else 0
        return [*found, f"verified {age} days ago"] if age > 90 else found

    def _logged(self, name: str) -> list[date]:
        """Days of the commits to a file, as git tells them of it alone."""
        if (self._head, name) not in self._said:
            said = git(
                self.root, "log", "--full-history", "--format=%cs", "HEAD", "--", name
            ).split()
            self._said[self._head, name] = [date.fromisoformat(day) for day in said]
        return self._said[self._head, name]

    def _churn(self, when: datetime) -> None:
        """One commit of what happens to files."""
        files = [one for one in git(self.root, "ls-files", "-z").split("\0") if self._fits(one)]
        for _ in range(self.random.randint(1, 3)):
            name = files.pop(self.random.randrange(len(files)))
            folder, _, last = name.rpartition("/")
            match self.random.randint(0, 5):
                case 0:
                    self._rename(name, f"{folder}/new_{last}" if folder else f"new_{last}")
                case 1:
                    self._rename(name, f"area{self.random.randint(1, 9)}/{self._count}_{last}")
                case 2:
                    git(self.root, "rm", "--quiet", name)
                case 3:
                    git(self.root, "rm", "--quiet", name)
                    self._write(f"{folder or 'made'}/made_{self._count}_{last}", "made anew\n" * 9)
                case _:
                    with (self.root / name).open("a", encoding="utf-8") as file:
                        file.write("one line more\n")
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--allow-empty", "--message", "x", when=when)
        self._advance(git(self.root, "rev-parse", "HEAD").strip())

    def _rename(self, old: str, new: str) -> None:
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        git(self.root, "mv", old, new)

    def _write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def _tidy(self) -> None:
        """A sweep: nothing protected may leave, and what leaves is remembered by its bytes."""
        project, today = self.memory.project, self.now.date()
        sync.refresh(project, self.memory.index)
        planned = tidy.plan(project, self.memory.index, today, by_hand=True)
        source = project.memory.read_bytes()
        for step in planned.steps:
            self.sweeps[step.what] += len(step.entries)
            for one in step.entries:
                self.archived[one.id] = source[one.span.start : one.span.end]
                if heat.is_protected(one):
                    self.protected.append(one.id)
        tidy.carry_out(project, planned.steps, today)

    def age(self, weeks: int) -> None:
        """Weeks in which nothing happens but sweeps, and checks grow old."""
        for _ in range(weeks):
            self.now += timedelta(days=7)
            self._compare()
            self._tidy()

    def restored(self) -> tuple[int, list[str]]:
        """How many entries were put back, and those that are not what they were."""
        project, odd = self.memory.project, []
        for identifier, text in reversed(self.archived.items()):
            back = curation.restore(project, identifier).entry
            now = project.memory.read_bytes()[back.span.start : back.span.end]
            if now.strip(b"\r\n") != text.strip(b"\r\n"):
                odd.append(f"{identifier}: {text!r} is now {now!r}")
        return len(self.archived), odd


def _changes(told: str) -> tuple[dict[str, str], set[str], set[str]]:
    """Of a commit: new names by the old ones, what was deleted, and what came or was changed."""
    parts = iter(told.split("\0"))
    renamed: dict[str, str] = {}
    deleted: set[str] = set()
    changed: set[str] = set()
    for status in parts:
        if status.startswith("R"):
            old = next(parts)
            renamed[old] = next(parts)
        elif status == "D":
            deleted.add(next(parts))
        elif status:
            changed.add(next(parts))
    return renamed, deleted, changed


def _table(name: str, score: Score) -> float:
    """Print the rates; the lowest of precision and recall."""
    print(f"\n{name:22}{'flags':>8}{'precision':>11}{'recall':>8}")
    for sort in ("gone", "renamed", "commits", "checked", ""):
        count, precision, recall = score.rates(sort)
        if count:
            print(f"  {sort or 'all':20}{count:8,}{precision:11.4f}{recall:8.4f}")
    for example in score.examples[:5]:
        print(f"    {example}")
    return min(score.rates()[1:])


def replay(source: Path, seed: int) -> bool:
    """One month, and what came of it; whether all was as it must be."""
    with tempfile.TemporaryDirectory() as folder, retrieval.own_home(Path(folder) / "home"):
        month = Month(source, Path(folder) / "scratch", seed)
        month.run()
        made, month.score = month.score, Score()
        month.age(60)
        aged = month.score
        print(f"\n{source} (seed {seed}): {month.replayed} commits in {DAYS} days, then ", end="")
        print(f"{CHURN_DAYS} days of churn and 60 weeks of rest")
        print(f"{len(month.following)} entries with a file, {month.checked} checks")
        scores = [
            _table(name, score)
            for name, score in (("true history", month.true), ("churn", made), ("rest", aged))
        ]
        swept = ", ".join(f"{count} {what}" for what, count in month.sweeps.items())
        count, odd = month.restored()
        print(f"\nswept: {swept or 'nothing'}; protected that left: {len(month.protected)}")
        print(f"restored: {count}, not as they were: {len(odd)}")
        print("".join(f"    {one}\n" for one in odd[:5]), end="")
        left = month.memory.index.entries()
        print(f"entries left after all: {len(left)}")
        month.memory.close()
    return min(scores) >= _LIKELY and not month.protected and not odd


def main(arguments: Sequence[str]) -> int:
    """Exit status."""
    parser = argparse.ArgumentParser(description="A month on a real repository, replayed.")
    parser.add_argument("repository", nargs="?", type=Path, default=Path.cwd())
    parser.add_argument("--seed", type=int, action="append")
    given = parser.parse_args(arguments)
    verdicts = [replay(given.repository.absolute(), seed) for seed in given.seed or [1]]
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
