"""Lines of a transcript: the person's messages, tool calls, and their results.

The format is internal to the client and may change. Damaged, too long and unknown lines are
skipped.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

Record = dict[str, Any]

_LONGEST = 32 * 1024 * 1024
"""Maximum length of a line, in bytes; longer ones are skipped."""
_SPOKEN = re.compile(rb'"type"\s*:\s*"(?:user|assistant|queued_command)"')
"""Matches lines that may be a message; those typed while the agent is working are queued."""
_TYPES = frozenset({"user", "assistant", "attachment"})
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_MOST = 20_000
"""Maximum number of characters read of a message."""
_ASIDE = re.compile(r"<(system-reminder|ide_\w+)>.*?(?:</\1>|\Z)", re.DOTALL)
"""Matches text that the client adds to the person's messages."""
_BY_PROGRAM = re.compile(
    r"\s*(?:<[a-z][\w-]*(?:\s[^<>]*)?>|\[Request interrupted|Caveat: |"
    r"This session is being continued|"
    r"API Error|\w+ hook feedback|\[Image|Implement the following plan:|"
    r"Base directory for this skill)"
)
_NOT_RUN = re.compile(
    r"\s*(?:Error: )?(?:The user doesn't want to (?:proceed|take this action)|"
    r"Claude requested permissions|"
    r"Permission (?:to use \w+ .*|for this tool use was )(?:denied|not been granted)|"
    r"\w+ operation blocked by hook|"
    r"PreToolUse:|"
    r"<tool_use_error>|\[Request interrupted|This command requires approval)"
)
_REFUSED = re.compile(
    r"(?:the user said|the following reason for the rejection):\s*(?P<words>.+?)"
    r"(?=\s*\n\s*Note: The user|\Z)",
    re.DOTALL,
)
"""Matches the person's reason for refusing a call."""
_IDENTIFIER = re.compile(r"[A-Za-z0-9._-]{8,40}")
_FLAGS = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage", "agentId")


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message of the person."""

    text: str


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """A message of the agent."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call of the agent.

    Attributes:
        tool: Name of the tool.
        given: Arguments.
    """

    tool: str
    given: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call; ``failed`` if the client marked it as an error."""

    failed: bool


Part = UserMessage | AgentMessage | ToolUse | ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A line of a transcript.

    Attributes:
        uuid: ID of the line, kept when a resumed or forked session repeats it.
        session: ID of the session.
        at: Timestamp.
        folder: Working folder of the session.
        parts: Parts in order.
    """

    uuid: str
    session: str
    at: datetime | None
    folder: str
    parts: tuple[Part, ...]


@contextmanager
def looked_at(path: Path, size: int | None = None, start: int = 0) -> Iterator[Iterator[bytes]]:
    """Yield the lines of a file; none if it is missing, not a regular file, or a link.

    Args:
        path: The file.
        size: Maximum number of bytes to read; None for all.
        start: Number of bytes to skip.
    """
    try:
        handle = os.open(path, os.O_RDONLY | _NO_LINK)
    except OSError:
        yield iter(())
        return
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        yield iter(())
        return
    with os.fdopen(handle, "rb", buffering=1 << 20) as source:
        source.seek(start)
        yield lines(source, size)


def lines(source: BinaryIO, size: int | None = None) -> Iterator[bytes]:
    """Yield lines up to ``size`` bytes, skipping those that are too long."""
    done, skips = 0, False
    while size is None or done < size:
        try:
            line = source.readline(_LONGEST)
        except OSError:  # disk failure
            return
        if not line:
            return
        done += len(line)
        ends = line.endswith(b"\n")
        if not skips and (ends or len(line) < _LONGEST):
            yield line
        skips = not ends


def records(source: Iterator[bytes]) -> Iterator[Record]:
    """Yield the records of the person and the agent; other lines are not parsed."""
    for line in source:
        record = _parsed(line) if _SPOKEN.search(line) else None
        if record is not None and record.get("type") in _TYPES:
            yield record


def _parsed(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def turn(record: Record) -> Turn | None:
    """Return a record's turn; None if it came from a subagent or the client itself."""
    if any(record.get(flag) for flag in _FLAGS):
        return None
    attached = record.get("type") == "attachment"
    parts = tuple(_queued(record) if attached else _of_message(record))
    if not parts:
        return None
    return Turn(
        uuid=_identifier(record),
        session=str(record.get("sessionId") or "")[:64],
        at=_time(record.get("timestamp")),
        folder=str(record.get("cwd") or ""),
        parts=parts,
    )


def _queued(record: Record) -> Iterator[UserMessage]:
    """Yield messages that the person typed while the agent was working."""
    queued = record.get("attachment")
    if not isinstance(queued, dict) or queued.get("type") != "queued_command":
        return
    if queued.get("commandMode", "prompt") == "prompt" and not queued.get("isMeta"):
        yield from _said(queued, _text(queued.get("prompt")))


def _of_message(record: Record) -> Iterator[Part]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            continue
        if record.get("type") == "user":
            yield from _of_user(record, block)
        elif block.get("type") == "text":
            yield AgentMessage(str(block.get("text") or "")[:_MOST])
        elif block.get("type") == "tool_use" and isinstance(block.get("input"), dict):
            yield ToolUse(str(block.get("name")), block["input"])


def _of_user(record: Record, block: Record) -> Iterator[Part]:
    if block.get("type") == "text":
        yield from _said(record, str(block.get("text") or ""))
    elif block.get("type") == "tool_result":
        yield from _answer(block)
        for text in _written(record.get("toolUseResult")):
            yield from _said({}, text)


def _said(record: Record, text: str) -> Iterator[UserMessage]:
    """Yield a typed message, cut at the last whole line within the limit."""
    origin = record.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else "human"
    if kind != "human" or record.get("promptSource") == "system":
        return
    if len(text) > _MOST:
        text = text[:_MOST].rpartition("\n")[0]
    text = _ASIDE.sub("", text).strip()
    if text and not _BY_PROGRAM.match(text):
        yield UserMessage(text)


def _answer(block: Record) -> Iterator[Part]:
    """Yield a tool result, and the person's reason for refusing the call."""
    text = _text(block.get("content"))
    failed = block.get("is_error") is True
    yield ToolResult(failed)
    refused = _REFUSED.search(text) if failed and _NOT_RUN.match(text) else None
    if refused:
        yield from _said({}, refused["words"])


def _written(result: object) -> Iterator[str]:
    """Yield what the person wrote to a question of the agent instead of choosing an option."""
    told = result if isinstance(result, dict) else {}
    answers, notes, questions = (told.get(name) for name in ("answers", "annotations", "questions"))
    if not isinstance(answers, dict) or not isinstance(questions, list):
        return
    options = [one for asked in questions for one in _list(asked, "options")]
    labels = {str(one.get("label")) for one in options if isinstance(one, dict)}
    added = notes.values() if isinstance(notes, dict) else ()
    beside = [one.get("notes") for one in added if isinstance(one, dict)]
    for text in (*answers.values(), *beside, told.get("response")):
        if isinstance(text, str) and text not in labels and not labels.issuperset(text.split(", ")):
            yield text


def _list(given: object, name: str) -> list[Any]:
    value = given.get(name) if isinstance(given, dict) else None
    return value if isinstance(value, list) else []


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(
        str(block.get("text") or "")
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "text"
    )


def _identifier(record: Record) -> str:
    """Return the UUID; without one, a hash of text and time."""
    uuid = record.get("uuid")
    if isinstance(uuid, str) and _IDENTIFIER.fullmatch(uuid):
        return uuid
    said = repr((record.get("timestamp"), record.get("message")))
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _time(stamp: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(stamp))
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
