"""The lines of a transcript: the words of the person, calls of tools, and their answers.

Its format is internal to the client and changes. Whatever is damaged, too long or unknown is
passed over.
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
"""Bytes of a line that is read; a longer one is passed over."""
_BEGINNING = 400
"""Bytes of a line in which its type and attachment stand."""
_FIRST = re.compile(rb'\{\s*"type"\s*:\s*"(?!user"|assistant")')
"""The beginning of a line of bookkeeping: they name their type first."""
_ATTACHED = re.compile(rb'"attachment"\s*:\s*[{"]')
_QUEUED = re.compile(rb'"attachment"\s*:\s*\{\s*"type"\s*:\s*"queued_command"')
"""What the person says while the agent is at work is attached."""
_SPOKEN = re.compile(rb'"type"\s*:\s*"(?:user|assistant)"')
_TYPES = frozenset({"user", "assistant", "attachment"})
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_MOST = 20_000
"""Characters of a message that are read."""
_HEAD, _TAIL = 2_000, 8_000
"""Characters of an answer that are read; errors stand at its end."""
_ASIDE = re.compile(r"<(system-reminder|ide_\w+)>.*?(?:</\1>|\Z)", re.DOTALL)
"""What the client puts beside the words of the person."""
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
"""What the person says when refusing a call."""
_IDENTIFIER = re.compile(r"[A-Za-z0-9._-]{8,40}")
_FLAGS = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage", "agentId")


@dataclass(frozen=True, slots=True)
class UserMessage:
    """Words of the person."""

    text: str


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """Words of the agent."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of a tool by the agent.

    Attributes:
        id: Of the call.
        tool: Its name.
        given: Its arguments.
    """

    id: str
    tool: str
    given: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer of a tool.

    Attributes:
        id: Of the call.
        text: Data, whatever it reads like; the middle of a long one is left out.
        failed: Marked so by the client.
        undone: Not run to its end: refused, interrupted, or still running.
    """

    id: str
    text: str
    failed: bool
    undone: bool = False


Part = UserMessage | AgentMessage | ToolUse | ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One line.

    Attributes:
        uuid: Of the line: the same wherever a resumed or forked session repeats it.
        session: Its id.
        at: When.
        folder: In which the session was at work.
        parts: In order.
    """

    uuid: str
    session: str
    at: datetime | None
    folder: str
    parts: tuple[Part, ...]


@contextmanager
def looked_at(path: Path, size: int | None = None, start: int = 0) -> Iterator[Iterator[bytes]]:
    """Give the lines of a file; none if it is not there, no file, or a link.

    Args:
        path: Which.
        size: Bytes after which nothing more is read; None for all.
        start: Bytes that are passed over.
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
    """Yield lines, without those that are too long, until ``size`` bytes are read."""
    done, skips = 0, False
    while size is None or done < size:
        try:
            line = source.readline(_LONGEST)
        except OSError:  # a disk that fails
            return
        if not line:
            return
        done += len(line)
        ends = line.endswith(b"\n")
        if not skips and (ends or len(line) < _LONGEST):
            yield line
        skips = not ends


def records(source: Iterator[bytes]) -> Iterator[Record]:
    """Yield what the person or the agent said or did; other lines are not even parsed."""
    for line in source:
        record = None if _is_noise(line) else _parsed(line)
        if record is not None and record.get("type") in _TYPES:
            yield record


def _is_noise(line: bytes) -> bool:
    head = line[:_BEGINNING]
    if _QUEUED.search(head):
        return False
    if _FIRST.match(head) or not _SPOKEN.search(line):
        return True
    attached, said = _ATTACHED.search(head), head.find(b'"message"')
    return attached is not None and (said < 0 or attached.start() < said)


def _parsed(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def turn(record: Record) -> Turn | None:
    """Return what a record says; None for what a subagent or the client itself put there."""
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
    """Yield what the person said while the agent was at work."""
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
            yield ToolUse(str(block.get("id")), str(block.get("name")), block["input"])


def _of_user(record: Record, block: Record) -> Iterator[Part]:
    if block.get("type") == "text":
        yield from _said(record, str(block.get("text") or ""))
    elif block.get("type") == "tool_result":
        yield from _answer(record, block)


def _said(record: Record, text: str) -> Iterator[UserMessage]:
    """Yield the words of a message that was typed, up to the last whole line that is read."""
    origin = record.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else "human"
    if kind != "human" or record.get("promptSource") == "system":
        return
    if len(text) > _MOST:
        text = text[:_MOST].rpartition("\n")[0]
    text = _ASIDE.sub("", text).strip()
    if text and not _BY_PROGRAM.match(text):
        yield UserMessage(text)


def _answer(record: Record, block: Record) -> Iterator[Part]:
    """Yield an answer, and what the person said when refusing the call."""
    text = _text(block.get("content"))
    result = record.get("toolUseResult")
    result = result if isinstance(result, dict) else {}
    undone = bool(result.get("interrupted") or result.get("backgroundTaskId"))
    failed = block.get("is_error") is True
    not_run = _NOT_RUN.match(text) is not None
    short = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n…\n{text[-_TAIL:]}"
    yield ToolResult(str(block.get("tool_use_id")), short, failed, undone or not_run)
    refused = _REFUSED.search(text) if failed and not_run else None
    if refused:
        yield from _said({}, refused["words"])


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
    """Return the uuid; for a line without one, a hash of its words and time."""
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
