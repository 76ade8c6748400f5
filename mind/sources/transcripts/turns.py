"""What a line of a transcript says: words, calls of tools, and their answers."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mind.sources.transcripts.lines import Record

_MOST = 20_000
"""Characters of what was said that are looked at."""
_HEAD, _TAIL = 2_000, 8_000
"""Characters of an answer that are looked at; errors stand at its end."""
_ASIDE = re.compile(r"<(system-reminder|ide_\w+)>.*?(?:</\1>|\Z)", re.DOTALL)
"""What the client puts beside the words of the person."""
_BY_PROGRAM = re.compile(
    r"\s*(?:<[a-z][\w-]*(?:\s[^<>]*)?>|\[Request interrupted|Caveat: |"
    r"This session is being continued|"
    r"API Error|\w+ hook feedback|\[Image|Implement the following plan:|"
    r"Base directory for this skill)"
)
_NO_ANSWER = re.compile(
    r"\s*(?:API Error|Credit balance|(?:Claude(?: AI)? |You['’]ve (?:hit|reached) )[\w ’']*limit|"
    r"[\w -]{0,20}limit reached|Prompt is too long|No response requested|Invalid API key|"
    r"Please run /login|Request (?:timed out|was aborted)|\[Request interrupted)"
)
"""The client says it in the place of the agent."""
_NOT_RUN = re.compile(
    r"\s*(?:Error: )?(?:The user doesn't want to (?:proceed|take this action)|"
    r"Claude requested permissions|"
    r"Permission (?:to use \w+ .*|for this tool use was )(?:denied|not been granted)|"
    r"\w+ operation blocked by hook|"
    r"PreToolUse:|"
    r"<tool_use_error>|\[Request interrupted|This command requires approval)"
)
_UNWANTED = ("The user doesn't want to", "Error: The user doesn't want to")
_TOLD = re.compile(
    r"(?:the user said|the following reason for the rejection):\s*(?P<words>.+?)"
    r"(?=\s*\n\s*Note: The user|\Z)",
    re.DOTALL,
)
"""What the person says when refusing a call."""
_IDENTIFIER = re.compile(r"[A-Za-z0-9._-]{8,40}")
_FLAGS = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage", "agentId")


@dataclass(frozen=True, slots=True)
class Said:
    """Words of the person, or of the agent.

    Attributes:
        text: They.
        by_person: Whose.
        queued: Put in while the agent was at work; another line may repeat them.
    """

    text: str
    by_person: bool
    queued: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """The agent calls a tool.

    Attributes:
        id: Of the call.
        tool: Its name.
        given: What it is called with.
    """

    id: str
    tool: str
    given: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool answers.

    Attributes:
        id: Of the call.
        text: Data, whatever it reads like; the middle of a long one is left out.
        failed: The client marked it so.
        undone: It was not run to its end: refused, interrupted, or still running.
        original: What an edited file held before, if that is told.
        refusal: What the person said when refusing the call; "" if nothing.
        refused: The person did not want it.
        choices: Question → answer, where the person was asked.
    """

    id: str
    text: str
    failed: bool
    undone: bool = False
    original: str | None = None
    refusal: str = ""
    refused: bool = False
    choices: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One line.

    Attributes:
        uuid: Of the line: the same wherever a resumed or forked session repeats it.
        session: Its id.
        at: When.
        folder: In which the session was at work.
        parts: What it says, in order.
    """

    uuid: str
    session: str
    at: datetime | None
    folder: str
    parts: tuple[Said | Call | Answer, ...]


def turn(record: Record) -> Turn | None:
    """What a record says; None for what a subagent or the client itself put there."""
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


def _queued(record: Record) -> Iterator[Said]:
    """What the person said while the agent was at work."""
    queued = record.get("attachment")
    if not isinstance(queued, dict) or queued.get("type") != "queued_command":
        return
    text = _ASIDE.sub("", _text(queued.get("prompt"))[:_MOST]).strip()
    is_prompt = queued.get("commandMode", "prompt") == "prompt" and _is_typed(queued)
    if text and is_prompt and not queued.get("isMeta") and not _BY_PROGRAM.match(text):
        yield Said(text, by_person=True, queued=True)


def _of_message(record: Record) -> Iterator[Said | Call | Answer]:
    message = record.get("message")
    if not isinstance(message, dict) or message.get("model") == "<synthetic>":
        return
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict):
            part = _part(record, block, by_person=record.get("type") == "user")
            if part is not None:
                yield part


def _part(record: Record, block: Record, *, by_person: bool) -> Said | Call | Answer | None:
    kind = block.get("type")
    if kind == "text":
        text = _ASIDE.sub("", str(block.get("text") or "")[:_MOST]).strip()
        is_said = not (_BY_PROGRAM if by_person else _NO_ANSWER).match(text)
        is_said = is_said and (not by_person or _is_typed(record))
        return Said(text, by_person) if text and is_said else None
    if kind == "tool_use" and not by_person and isinstance(block.get("input"), dict):
        return Call(str(block.get("id")), str(block.get("name")), block["input"])
    return _answer(record, block) if kind == "tool_result" and by_person else None


def _is_typed(record: Record) -> bool:
    origin = record.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else "human"
    return kind == "human" and record.get("promptSource") != "system"


def _answer(record: Record, block: Record) -> Answer:
    text = _text(block.get("content"))
    result = record.get("toolUseResult")
    told = result if isinstance(result, dict) else {}
    undone = bool(told.get("interrupted") or told.get("backgroundTaskId"))
    original = told.get("originalFile")
    refused = _NOT_RUN.match(text) is not None
    said = _TOLD.search(text) if refused else None
    return Answer(
        str(block.get("tool_use_id")),
        text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n…\n{text[-_TAIL:]}",
        block.get("is_error") is True,
        undone or refused,
        original if isinstance(original, str) else None,
        said["words"].strip() if said else "",
        text.lstrip().startswith(_UNWANTED),
        _choices(told.get("answers")),
    )


def _choices(given: object) -> dict[str, str]:
    """What the person answered to which question, where the client keeps that."""
    pairs = given.items() if isinstance(given, dict) else ()
    return {one: answer for one, answer in pairs if isinstance(answer, str)}


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
    """The uuid; for a line without one, what its words and time make."""
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
