"""Corpora with queries and what answers them, to measure search on.

A set is a JSON file ``{name, corpora: [{id, docs: [{id, text, meta}], queries: [{id, text, qrels,
meta}]}]}``; ``qrels`` maps the ids of documents that answer the query to a grade. Without such
files, a corpus is made of any repository with a changelog: documents are its commit messages,
queries the lines of the changelog, and the commit that wrote a line answers it.
"""

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mind.text.terms import query_terms

_CHANGELOGS = ("CHANGELOG*", "CHANGES*", "HISTORY*", "NEWS*", "docs/changelog*", "docs/changes*")
_BULLET = re.compile(r"[ \t]*[-*+] +")
_REFERENCE = re.compile(
    r"\(?\[?#\d+\]?(?:\([^)]*\))?\)?|\bby @[\w-]+|:\w+:`[^`]*`|\b[0-9a-f]{7,40}\b"
)
_MOST = 6
"""Lines that a commit may add: one that writes a whole chapter answers none of them."""


@dataclass(frozen=True)
class Query:
    """A query, the ids of the documents that answer it, and which stratum it is of."""

    text: str
    answers: frozenset[str]
    stratum: str


@dataclass(frozen=True)
class Corpus:
    """Documents in order, as (id, text), and queries."""

    name: str
    docs: list[tuple[str, str]]
    queries: list[Query] = field(default_factory=list)


def load(folder: Path) -> dict[str, list[Corpus]]:
    """The sets in ``folder``, by name."""
    return {path.stem: list(_read(path)) for path in sorted(folder.glob("*.json"))}


def _read(path: Path) -> Iterator[Corpus]:
    for one in json.loads(path.read_text(encoding="utf-8"))["corpora"]:
        yield Corpus(
            name=one["id"],
            docs=[(doc["id"], " ".join(doc["text"].split())) for doc in one["docs"]],
            queries=[_query(query) for query in one["queries"]],
        )


def _query(one: dict[str, Any]) -> Query:
    about = one.get("meta", {})
    answers = frozenset(name for name, grade in one["qrels"].items() if grade > 0)
    return Query(one["text"], answers, str(about.get("stratum") or about.get("category") or "all"))


def from_repository(root: Path, most: int = 300) -> Corpus | None:
    """A corpus of the repository's commits and changelog; None if it has no changelog.

    Args:
        root: With a git history.
        most: Most queries.
    """
    log = _git(root, "log", "--reverse", "--format=%H%x1f%B%x1e")
    docs = [
        (commit.strip(), " ".join(body.split()))
        for record in log.split("\x1e")
        if "\x1f" in record
        for commit, body in [record.split("\x1f", 1)]
    ]
    known = dict(docs)
    queries: list[Query] = []
    for path in _git(root, "ls-files", "--", *_CHANGELOGS).splitlines():
        added: dict[str, list[str]] = defaultdict(list)
        for commit, line in _written(root, path):
            if _BULLET.match(line):
                added[commit].append(_plain(line))
        queries += [
            Query(line, frozenset([commit]), _overlap(line, known[commit]))
            for commit, lines in added.items()
            if len(lines) <= _MOST and commit in known
            for line in lines
            if len(line) > 20
        ]
    return Corpus(root.resolve().name, docs, queries[:most]) if queries else None


def _written(root: Path, path: str) -> Iterator[tuple[str, str]]:
    """Yield each line that a commit added to a file, also one that is no longer in it."""
    history = _git(root, "log", "--patch", "--unified=0", "--format=%x1e%H", "--", path)
    for record in history.split("\x1e"):
        commit, _, patch = record.partition("\n")
        for line in patch.splitlines():
            if line.startswith("+") and not line.startswith("+++ "):
                yield commit, line[1:]


def _plain(line: str) -> str:
    return " ".join(_REFERENCE.sub(" ", _BULLET.sub("", line, count=1)).split()).strip(" .")


def _overlap(query: str, text: str) -> str:
    """How many of the query's words the answer has: "high", "mid" or "low"."""
    wanted = set(query_terms(query))
    share = len(wanted & set(query_terms(text))) / (len(wanted) or 1)
    return "high" if share > 0.8 else "mid" if share > 0.4 else "low"


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments],
        cwd=root,
        check=True,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    ).stdout
