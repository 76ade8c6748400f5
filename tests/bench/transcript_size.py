"""What a large transcript takes: `python -m tests.bench.transcript_size [MB] [--talk]`.

The file is made of the labelled sessions over and over, as one session that goes on, between what
Claude Code writes besides: attachments, requests, lines of 700 KB. With ``--talk`` there is nothing
but the conversation, so that every line has to be parsed. The peak is that of a process
of its own that reads the file, less that of one that reads an empty one.
"""

import json
import re
import resource
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

from tests.transcript_sessions import ROOT, cases, transcript

_READ = """
import resource, sys
from pathlib import Path
from mind.sources.transcripts import remembered
count = sum(1 for _ in remembered([Path(sys.argv[1])], Path(sys.argv[2])))
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def make(path: Path, size: int, *, talk: bool = False) -> int:
    """Write a transcript of about ``size`` bytes; how many lines it has."""
    sessions = [transcript(case) for case in cases()]
    written = lines = turn = 0
    with path.open("w", encoding="utf-8") as target:
        while written < size:
            rows = [json.dumps(row) for row in sessions[turn % len(sessions)].rows]
            fresh = uuid.uuid4().hex[:8]  # the same words said again are another line
            rows = [re.sub(r'"uuid": ".{8}', f'"uuid": "{fresh}', row) for row in rows]
            for row in rows if talk else [*rows, *_besides(turn)]:
                written += target.write(row + "\n")
                lines += 1
            turn += 1
    return lines


def _besides(turn: int) -> list[str]:
    """What stands between the lines of a conversation."""
    attached: dict[str, object] = {"parentUuid": "p", "attachment": {"content": "y" * 20_000}}
    attached["type"] = "attachment"
    rows: list[dict[str, object]] = [
        {"type": "api-request-blob", "message": "x" * 60_000},
        attached,
    ]
    if turn % 5 == 0:
        rows.append({"type": "api-request-shape", "shape": "z" * 700_000})
    if turn % 9 == 0:
        answer = {"type": "tool_result", "tool_use_id": "t", "content": "w" * 700_000}
        message = {"role": "user", "content": [answer]}
        rows.append({"type": "user", "uuid": uuid.uuid4().hex, "message": message})
    return [json.dumps(row) for row in rows]


def read(path: Path) -> tuple[int, float, float]:
    """Lessons, CPU seconds and peak RSS in MB of a process that reads ``path``."""
    before = _cpu()
    program = [sys.executable, "-c", _READ, str(path), ROOT]
    done = subprocess.run(program, check=True, capture_output=True, encoding="utf-8")
    count, peak = done.stdout.split()
    return int(count), _cpu() - before, int(peak) / 1024


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: list[str]) -> None:
    """Print the figures."""
    talk = "--talk" in arguments
    size = int(next(iter(one for one in arguments if one.isdigit()), 300))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.jsonl"
        path.write_bytes(b"")
        _, _, empty = read(path)
        lines = make(path, size * 1_000_000, talk=talk)
        count, seconds, peak = read(path)
        mb = path.stat().st_size / 1_000_000
        print(f"{mb:.0f} MB, {lines} lines: {count} lessons")
        print(f"{seconds:.1f} CPU s, {mb / seconds:.0f} MB/s")
        print(f"peak RSS {peak:.0f} MB; {empty:.0f} MB for an empty file")


if __name__ == "__main__":
    main(sys.argv[1:])
