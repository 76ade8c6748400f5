"""Measure what sessions nominate: `python -m tests.bench.nominations FOLDER`.

FOLDER holds sessions, ``NAME.jsonl`` as Claude Code writes them, each with ``NAME.gold.json``: what
a colleague would have noted (``durable``: ``quotes`` with their ``message`` and ``quote``, and
whether it is ``needed``). A message is told by its number among the lines of type user and
assistant. A nomination is right if it has half of the words of a quote of its message; one of what
is only nice to have counts neither way.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mind.sources.transcripts import nominating
from mind.sources.transcripts.nominating import ListenedSession, Nomination
from mind.sources.transcripts.turns import Turn, turn

HALF = 0.5


def nominated(path: Path) -> Iterator[tuple[int, Nomination]]:
    """What is offered of a session, with the number of its message."""
    talk, places, number = ListenedSession(), dict[int, int](), -1
    for line in path.read_text(encoding="utf-8").splitlines():
        record: dict[str, Any] = json.loads(line)
        number += record.get("type") in {"user", "assistant"}
        one: Turn | None = turn(record)
        if one is not None:
            before = talk.messages
            talk.hear([one])
            places |= dict.fromkeys(range(before + 1, talk.messages + 1), number)
    for found in talk.offered():
        yield places[found.at], found


def hits(item: dict[str, Any], message: int, text: str) -> bool:
    """Whether words of a message carry a thing to note."""
    said = nominating.words(text)
    for one in item["quotes"]:
        quoted = nominating.words(one["quote"])
        if one["message"] == message and len(quoted & said) >= HALF * len(quoted) > 0:
            return True
    return False


def measure(folder: Path) -> dict[str, float]:
    """Figures of a folder of sessions."""
    needed = covered = right = wrong = total = empty = disturbed = sessions = 0
    for path in sorted(folder.glob("*.gold.json")):
        gold = json.loads(path.read_text(encoding="utf-8"))
        found = list(nominated(folder / gold["file"]))
        sessions += 1
        total += len(found)
        seen = set[int]()
        for message, one in found:
            met = [at for at, item in enumerate(gold["durable"]) if hits(item, message, one.text)]
            right += any(gold["durable"][at]["needed"] for at in met)
            wrong += not met
            seen.update(met)
        wanted = {at for at, item in enumerate(gold["durable"]) if item["needed"]}
        needed, covered = needed + len(wanted), covered + len(wanted & seen)
        empty += not gold["durable"]
        disturbed += bool(found) and not gold["durable"]
    return {
        "sessions": sessions,
        "needed": needed,
        "covered": covered / max(1, needed),
        "precision": right / max(1, right + wrong),
        "per session": total / max(1, sessions),
        "without anything durable": empty,
        "of these with an offer": disturbed,
    }


if __name__ == "__main__":
    for name, value in measure(Path(sys.argv[1])).items():
        print(f"{name:26} {value:.2f}" if isinstance(value, float) else f"{name:26} {value}")
