"""The first minute in a repository without a memory: `python -m tests.bench.day_one REPOS GOLD`.

`REPOS` holds a clone for each repository, called ``owner+name``; they are copied, not changed.
`GOLD` holds ``dayone.json`` (facts of a repository, each with its text and the lines it is from)
and ``lines.json`` (lines of commit messages, each to be kept or not).

Measured: which facts the best hits of a search hold, asked in all words of the fact and in four of
them; what enters from commits by itself; and what `mind init` proposes, to be read by people
(`--show`). A text holds a fact if it has 60 % of its words of three letters and more.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mind.domain.entry import Kind
from mind.memory.memory import Memory
from tests.bench.speed import BIN

_SHARE = 0.6
_HITS = 5
_WORDS = 4
_STOP = frozenset(
    """the and for with that this are not but from into its has have was were you your all any can
    when then than also use uses used""".split()
)


@dataclass
class Measured:
    """What was measured in one repository."""

    facts: int = 0
    whole: int = 0
    some: int = 0
    anywhere: int = 0
    kept: list[Mapping[str, Any]] = field(default_factory=list)
    right: int = 0
    wrong: int = 0
    problems: int = 0
    proposed: list[Mapping[str, Any]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def words(text: str) -> set[str]:
    """The words of a text that tell something."""
    return {word for word in re.findall(r"\w{3,}", text.lower()) if word not in _STOP}


def holds(text: str, fact: Mapping[str, str]) -> bool:
    """Whether ``text`` says the fact."""
    told, quote = words(fact["text"]), words(fact["quote"])
    need = told if len(told) <= len(quote) or not quote else quote
    return len(need & words(text)) >= _SHARE * len(need)


def measure(
    source: Path, facts: Sequence[Mapping[str, str]], lines: Sequence[Mapping[str, Any]]
) -> Measured:
    """Set Mind up in a copy of ``source``, and ask it for ``facts``."""
    done = Measured(facts=len(facts))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, source.name.partition("+")[2])
        shutil.copytree(source, root, symlinks=True)
        os.environ |= {"HOME": folder, "MIND_HOME": str(Path(folder, ".mind"))}
        shown = subprocess.run(
            [BIN / "mind", "init", "--yes", "--json"],
            cwd=root, capture_output=True, text=True, check=True,
        )  # fmt: skip
        done.proposed = json.loads(shown.stdout).get("proposed", [])
        memory = Memory.open(root)
        _ask(memory, facts, done)
        _judge(memory, lines, done)
        memory.close()
    return done


def _ask(memory: Memory, facts: Sequence[Mapping[str, str]], done: Measured) -> None:
    pick = random.Random(7)
    for fact in facts:
        found = _best(memory, fact["text"])
        done.whole += any(holds(text, fact) for text in found)
        asked = sorted(words(fact["text"]))
        few = " ".join(pick.sample(asked, min(_WORDS, len(asked))))
        done.some += any(holds(text, fact) for text in _best(memory, few))
        is_there = any(holds(text, fact) for text in _best(memory, fact["text"], 100))
        done.anywhere += is_there
        if not any(holds(text, fact) for text in found):
            done.lost.append(f"{'' if is_there else 'NOT THERE '}{fact['source']}: {fact['text']}")


def _best(memory: Memory, query: str, limit: int = _HITS) -> list[str]:
    return [hit.entry.text for hit in memory.search(query, limit=limit).hits]


def _judge(memory: Memory, lines: Sequence[Mapping[str, Any]], done: Measured) -> None:
    for entry in memory.index_entries():
        if not entry.commit:
            continue
        done.kept.append({"commit": entry.commit, "kind": entry.kind, "text": entry.text})
        done.problems += entry.kind is Kind.PROBLEM
        for line in lines:
            own, told = words(entry.text), words(line["line"])
            same = len(own & told) >= _SHARE * max(1, min(len(own), len(told)))
            if entry.commit.startswith(line["commit"]) and same:
                done.right += bool(line["keep"])
                done.wrong += not line["keep"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each repository."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repos", type=Path)
    parser.add_argument("gold", type=Path)
    parser.add_argument(
        "--show", action="store_true", help="print what is proposed and what is lost"
    )
    given = parser.parse_args(arguments)
    facts = {one["repo"]: one["facts"] for one in _read(given.gold / "dayone.json")}
    lines = _read(given.gold / "lines.json")
    total: Counter[str] = Counter()
    print("repository | facts | found, all words | four words | searchable | commits | proposed")
    for repo, wanted in facts.items():
        source = given.repos / repo.replace("/", "+")
        if not source.is_dir():
            continue
        one = measure(source, wanted, [line for line in lines if line["repo"] == repo])
        row = {
            "facts": one.facts, "whole": one.whole, "some": one.some, "anywhere": one.anywhere,
            "commits": len(one.kept), "proposed": len(one.proposed), "right": one.right,
            "wrong": one.wrong, "problems": one.problems,
        }  # fmt: skip
        total.update(row)
        print(" | ".join([repo, *map(str, list(row.values())[:6])]), flush=True)
        if given.show:
            for entry in one.kept:
                print(f"    by itself {entry['kind']}: {entry['text'][:150]}")
            for proposal in one.proposed:
                print(f"    proposed {proposal['kind']} ({proposal['place']}): {proposal['text']}")
            for text in one.lost:
                print(f"    lost {text[:200]}")
    share = {name: total[name] / total["facts"] for name in ("whole", "some", "anywhere")}
    print(
        f"found: {share['whole']:.2f} in all words, {share['some']:.2f} in four, "
        f"{share['anywhere']:.2f} among 100 hits; from commits {total['commits']} entries, of the "
        f"sampled lines {total['right']} right and {total['wrong']} wrong, "
        f"{total['problems']} open problems; {total['proposed']} proposed"
    )


def _read(path: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return read


if __name__ == "__main__":
    main()
