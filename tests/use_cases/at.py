"""Run a program of Mind with the clock stopped: ``at.py 2026-11-20T10:00:00+00:00 mind mcp``."""

import sys
from datetime import datetime
from importlib import metadata

import time_machine

time_machine.travel(datetime.fromisoformat(sys.argv[1]), tick=False).start()
del sys.argv[:2]
(program,) = metadata.entry_points(group="console_scripts", name=sys.argv[0])
program.load()()
