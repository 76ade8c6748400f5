"""The log: a line of JSON an event, with nothing of secrets, queries, bodies or ids."""

import json
import logging
import sys
from datetime import UTC, datetime

NAME = "mind.http"
_KEPT = ("event", "request", "route", "method", "status", "ms", "token", "client", "reason")


class Lines(logging.Formatter):
    """Records as lines of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        told: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        told |= {name: vars(record)[name] for name in _KEPT if name in vars(record)}
        if record.exc_info and record.exc_info[0]:
            told["error"] = record.exc_info[0].__name__
            told["at"] = _innermost(record)
        return json.dumps(told, ensure_ascii=False)


def _innermost(record: logging.LogRecord) -> str:
    """Where an error came up; its words may hold what somebody sent, and are not told."""
    trace = record.exc_info[2] if record.exc_info else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"


def begin(level: int = logging.INFO) -> None:
    """Write the log to standard error."""
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(Lines())
    for name in (NAME, "mind.server", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [shown]
        logger.setLevel(level if name == NAME else logging.WARNING)
        logger.propagate = False
