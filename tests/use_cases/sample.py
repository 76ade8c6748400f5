"""The sample: a small shop whose memory has every kind of entry, and the user who works on it."""

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
"""Friday morning, when a transcript begins."""

SETUP = NOW - timedelta(days=1)
"""When Mind was set up in the sample, with the commands of `FIRST`."""

GOTCHA = (
    "'SQLite locks the whole file' -d 'Two writers at once fail with database is locked' "
    "-w 'Open it in WAL mode with a busy timeout' --stack python --pattern 'sqlite3\\.connect'"
)

FIRST: Sequence[str] = (
    "mind init",
    "mind log -t rejected 'Redis for sessions - one more server to run'",
    "mind log -t experience 'Running the checkout tests in parallel was slow: SQLite locks'",
    "mind log -t assumption 'The vendor keeps sending prices in cents'",
    "mind remind 'renew the payment certificate' --when '2026-11-20 09:00'",
    "mind remind 'look at the failing import first' --when 'next session'",
    "mind remind 'the token table has no index' --when 'when I mention auth'",
    "mind remind 'read the error log' --when 'every monday'",
    f"mind add-global-edge {GOTCHA}",
)

README = "# Shop\n\nSells tea. Start it with `python -m shop`.\n"

PRICES = """\
\"\"\"Prices are whole cents.\"\"\"

# MEMORY: gotcha: the vendor's API counts pages from 1 -> start the loop at 1


def total(cents: list[int]) -> int:
    return sum(cents)
"""

CHECKOUT = """\
from shop.prices import total


# MEMORY: decision: checkout rounds once, at the end - else VAT is off by a cent
def checkout(cents: list[int], vat: float) -> int:
    return round(total(cents) * (1 + vat))
"""

PYPROJECT = """\
[project]
name = "shop"
version = "1.1"
dependencies = ["fastapi", "sqlalchemy"]
"""

CLAUDE = "# Working on the shop\n\nRun `pytest` before every commit.\n"

MEMORY = """\
# Memory

## Project State

- Goal: sell tea online before Christmas
- Stack: FastAPI, SQLAlchemy, SQLite
- Blocked: the bank has not opened the payment sandbox yet

## 2026-10-05

- decided: SQLite over Postgres - one file, no server to run #db
- decided: prices are whole cents (`shop/prices.py`) - floats lose a cent #money
- learned: the vendor's feed has two rows for a tea that is sold out [verified:: 2026-11-10]
- rejected: GraphQL for the public API - three clients, all of them ours

## 2026-10-19

- problem: the import stops at the first broken row #import
- fixed: the import reads cp1252 now #import
- gotcha: FastAPI runs `def` routes in a thread pool -> open the SQLite connection per request #db
- todo: show VAT on the invoice #money
- assumption: no customer orders more than 99 bags
- note: [[checkout]] is what the accountant looks at [expires:: 2026-12-31]
- learned: search by name needs an index on lower(name) [pinned:: yes] ^teaindex

## Teas

| tea | supplier | note |
| --- | --- | --- |
| Assam | Brahma | strong, sells in winter |
| Sencha | Uji | store it cold |

## Relations

- [[checkout]] depends-on [[prices]]
- [[prices]] uses [[vendor feed]]
"""

LATER = """\
## 2026-11-12

- decided: Postgres for the order history - two workers write at once #db
- experience: nights are quiet, deploy after nine
- blocker: the payment sandbox refuses our certificate
- progress: invoices are written as PDF
- Die Rechnung braucht die Steuernummer des Käufers.
"""


@dataclass(frozen=True)
class Commit:
    """A commit of the sample: when, by whom, its message, and the files it writes."""

    day: str
    author: str
    message: str
    files: Mapping[str, str]
    tag: str = ""


COMMITS: Sequence[Commit] = (
    Commit(
        "2026-10-01",
        "Ada",
        "Begin the shop",
        {"README.md": README, "pyproject.toml": PYPROJECT, "CLAUDE.md": CLAUDE},
    ),
    Commit(
        "2026-10-05",
        "Ada",
        "Count prices in cents\n\nlearned: Decimal is ten times slower here than int",
        {"shop/prices.py": PRICES},
        tag="v1.0",
    ),
    Commit("2026-10-19", "Ada", "Write down what we know", {".mind/MEMORY.md": MEMORY}),
    Commit(
        "2026-11-02",
        "Bob",
        "Add the checkout\n\ndecided: the checkout is one function - easy to test",
        {"shop/checkout.py": CHECKOUT},
    ),
    Commit(
        "2026-11-03",
        "Bob",
        "Cache totals in memory",
        {"shop/cache.py": "TOTALS: dict[str, int] = {}\n"},
    ),
    Commit(
        "2026-11-12",
        "Bob",
        "Note what November taught",
        {".mind/MEMORY.md": MEMORY.replace("## Teas", LATER + "\n## Teas")},
        tag="v1.1",
    ),
)


@dataclass(frozen=True)
class Sandbox:
    """A user's folder with the shop in it, and nothing else of this machine."""

    home: Path

    @property
    def shop(self) -> Path:
        """The repository."""
        return self.home / "shop"

    def environment(self) -> dict[str, str]:
        """Everything that a program in it finds in its environment."""
        return {
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "PATH": str(self.home / "bin"),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "80",
            "TERM": "dumb",
            "PYTHONUTF8": "1",
            "GIT_CONFIG_GLOBAL": str(self.home / ".gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_DEFAULT_HASH": "sha1",
        }


GITCONFIG = """\
[user]
    name = Ada
    email = ada@example.org
[init]
    defaultBranch = main
[core]
    abbrev = 7
"""

REPOSITORY = """\
[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
"""
"""What `git init` writes on Linux; other systems add to it."""

PROGRAMS = ("git", "sh", "cat", "echo", "printf", "sed", "rm", "mkdir", "ls")
"""What a line of a transcript may run beside Mind; all else of this machine stays unseen."""


def build(home: Path) -> Sandbox:
    """Make the user's folder and the repository, without anything of Mind's in it yet."""
    sandbox = Sandbox(home)
    programs = home / "bin"
    programs.mkdir(parents=True)
    for name in PROGRAMS:
        (programs / name).symlink_to(str(shutil.which(name)))
    for name in ("mind", "mind-hook"):
        (programs / name).symlink_to(Path(sys.executable).with_name(name))
    (home / ".gitconfig").write_text(GITCONFIG, encoding="utf-8")
    sandbox.shop.mkdir()
    _git(sandbox, {}, "init", "--quiet", "--template=")
    (sandbox.shop / ".git" / "config").write_text(REPOSITORY, encoding="utf-8")
    for commit in COMMITS:
        _commit(sandbox, commit)
    at = {"GIT_COMMITTER_DATE": "2026-11-13T09:00:00Z", "GIT_AUTHOR_DATE": "2026-11-13T09:00:00Z"}
    cached = _git(sandbox, {}, "log", "--format=%H", "--", "shop/cache.py").strip()
    _git(sandbox, at, "revert", "--no-commit", cached)
    why = f"This reverts commit {cached}.\n\nTwo workers showed different totals."
    _git(sandbox, at, "commit", "--quiet", "-m", f'Revert "Cache totals in memory"\n\n{why}')
    _git(sandbox, {}, "gc", "--quiet")  # few files, which are copied for each transcript
    return sandbox


def _commit(sandbox: Sandbox, commit: Commit) -> None:
    for name, text in commit.files.items():
        file = sandbox.shop / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    moment = f"{commit.day}T09:00:00Z"
    who = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in {
            "NAME": commit.author,
            "EMAIL": f"{commit.author.lower()}@example.org",
            "DATE": moment,
        }.items()
    }
    _git(sandbox, who, "add", "--all")
    _git(sandbox, who, "commit", "--quiet", "--message", commit.message)
    if commit.tag:
        _git(sandbox, who, "tag", commit.tag)


def _git(sandbox: Sandbox, more: Mapping[str, str], *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=sandbox.shop,
        env=sandbox.environment() | dict(more),
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout
