"""Measures the built-in gotchas: `python -m tests.bench.gotchas FILE`.

FILE is a list of probes by somebody who has not seen the set, each with a ``stack`` (a list of
names), one of ``intent``, ``code`` and ``command``, and what to ``expect``: words of which the
title or description of a gotcha that is shown has all, or "" for silence.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mind.memory import gotchas


def shown(probe: Mapping[str, Any]) -> list[gotchas.Gotcha]:
    """The built-in gotchas that a probe meets."""
    stacks = gotchas.named_stacks(probe["stack"], Path("/nonexistent"))
    code = probe.get("code", "") or probe.get("command", "")
    found = gotchas.check(probe.get("intent", ""), code, stacks, gotchas.load_builtin())
    return [one.gotcha for one in found]


def is_expected(one: gotchas.Gotcha, expect: str) -> bool:
    """Whether a gotcha has all words that are expected."""
    said = f"{one.title} {one.description} {one.workaround}".lower()
    return all(word in said for word in expect.lower().split())


def main(path: str) -> None:
    """Print how many right ones are shown, and how often there is a wrong one."""
    counts: Counter[str] = Counter()
    for probe in json.loads(Path(path).read_text("utf-8")):
        met, expect = shown(probe), probe["expect"]
        counts["positive" if expect else "negative"] += 1
        if expect:
            counts["right"] += any(is_expected(one, expect) for one in met)
        else:
            counts["alarm"] += bool(met)
    print(f"right {counts['right']}/{counts['positive']}, "
          f"alarms {counts['alarm']}/{counts['negative']}")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])
