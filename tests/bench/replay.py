"""Replays commits against memories: `python -m tests.bench.replay DATA.json [--detail]`.

Each file that a commit changes is an edit, and each commit the commands that make it (`git add`,
`git rm`, `git commit -m`). A call is warned of as the hook would warn before it; gotchas that are
met by a pattern or a name are not replayed. The data name repositories, memories written from
their own discussions, and violations that were planted:

    {"repositories": [{"name", "git": a bare git directory, "commits": how many, "skip": of the
      newest, "memory": [{"id", "kind", "text"}], "wanted": [[commit, id]] (warnings a colleague
      would give), "planted": [{"command"} or {"edit": {"path", "new", "old"}, "expect": [ids]}]}]}
"""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mind.sources.git.repository import using
from mind.text.matching import acts
from mind.text.matching.candidates import weights
from mind.text.matching.score import doubt
from tests.catalogue import Catalogue

Call = tuple[str, acts.Act]
Memory = Mapping[str, Any]


def git(folder: str, *arguments: str) -> str:
    """What git prints."""
    command = ["git", "-C", folder, *arguments]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def commits(one: Memory) -> list[str]:
    """The newest commits that are no merges."""
    skipped = f"--skip={one.get('skip', 0)}"
    listed = git(one["git"], "log", "--no-merges", "--format=%H", skipped, f"-n{one['commits']}")
    return listed.split()


def calls(folder: str, commit: str) -> Iterator[Call]:
    """The edits and commands of a commit, each with what it is called."""
    diff = git(folder, "show", "--format=", "--no-ext-diff", "--no-textconv", "-M", commit)
    for part in diff.split("\ndiff --git "):
        for act in acts.of_diff(f"diff --git {part.removeprefix('diff --git ')}"):
            yield f"edit {part.partition(' b/')[2].partition(chr(10))[0]}", act
    status = git(folder, "show", "--format=", "--name-status", commit)
    for line in status.splitlines():
        how, *paths = line.split("\t")
        verb = {"D": "git rm", "R": "git mv"}.get(how[0], "git add")
        yield f"{verb} {' '.join(paths)}", acts.of_command(f"{verb} {' '.join(paths)}")
    subject = git(folder, "log", "-1", "--format=%s", commit).strip()
    command = f"git commit -m {json.dumps(subject, ensure_ascii=False)}"
    yield command, acts.of_command(command)


def spread(folder: str, tree: str, act: acts.Act) -> Callable[[str], int]:
    """The number of other files of a tree that have a word."""

    def count(word: str) -> int:
        given = using(word, [act.path])
        at = given.index("--")
        command = ["git", "-C", folder, "grep", *given[:at], tree, *given[at:]]
        return subprocess.run(command, capture_output=True, check=False).stdout.count(b"\0")

    return cache(count)


def warned(
    catalogue: Catalogue, act: acts.Act, used: Callable[[str], int] = lambda _: 0
) -> list[str]:
    """The ids of the entries that a call is warned of, three at most."""
    met = catalogue.met(act)
    doubt(act, met, weights(), used)
    return [one.row["id"] for one in met if one.score >= weights()["least"]][:3]


def replayed(one: Memory, counts: Counter[str], *, detail: bool) -> None:
    """Replay the commits of a repository."""
    entries = ((it["id"], it["kind"], it["text"]) for it in one["memory"])
    catalogue = Catalogue(entries, one["name"])
    wanted = {(commit, name) for commit, name in one.get("wanted", ())}
    for commit in commits(one):
        for called, act in calls(one["git"], commit):
            counts["calls"] += 1
            ids = warned(catalogue, act, spread(one["git"], f"{commit}^", act))
            fine = bool(ids) and all((commit[:8], name) in wanted for name in ids)
            counts["wanted" if fine else "unwanted"] += bool(ids)
            if ids and detail:
                print(f"  {'wanted' if fine else 'ALARM '} {commit[:8]} {called[:80]} {ids}")
    for planted in one["planted"]:
        act = act_of(planted)
        used = spread(one["git"], "HEAD", act)
        hit = bool(set(warned(catalogue, act, used)) & set(planted["expect"]))
        counts["planted"] += 1
        counts["caught"] += hit
        if not hit and detail:
            print(f"  MISSED {planted}")


def act_of(planted: Memory) -> acts.Act:
    """What a planted violation does."""
    if "command" in planted:
        return acts.of_command(planted["command"])
    edit = planted["edit"]
    return acts.of_edit(edit["path"], edit["new"], edit.get("old", ""))


def main(given: Sequence[str]) -> None:
    """Print how many calls were warned of, and how many planted violations were caught."""
    (path,) = (one for one in given if not one.startswith("--"))
    whole: Counter[str] = Counter()
    for one in json.loads(Path(path).read_text("utf-8"))["repositories"]:
        began, counts = time.process_time(), Counter[str]()
        replayed(one, counts, detail="--detail" in given)
        counts["ms"] = round(1000 * (time.process_time() - began))
        show(f"{one['name']}, {len(one['memory'])} entries", counts)
        whole += counts
    show("all", whole)


def show(name: str, counts: Counter[str]) -> None:
    """Print a row."""
    calls = counts["calls"] or 1
    print(
        f"{name:24} {counts['calls']:5} calls  unwanted {counts['unwanted']:3} "
        f"({100 * counts['unwanted'] / calls:.2f} %)  wanted {counts['wanted']:3}  "
        f"caught {counts['caught']}/{counts['planted']}  {counts['ms'] / calls:.1f} ms a call"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
