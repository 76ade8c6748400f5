"""The sentences of what somebody said in a conversation, apart from what is only shown there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mind.durability.wording import spoken

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_SHOWN = re.compile(
    r"\s*(?:>|\||#{1,6}\s|    \S|\t|\[\w+\]|\d{4}-\d\d-\d\d[T ]\d\d:|at \S+\(|[+@-]{2,})"
)
_ITEM = re.compile(r"^\s*(?:[-*•+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_ENDED = re.compile(r"[.!?:;…。！？：]['\"”)*`]*$")
_BREAK = re.compile(
    r"(?<!\b[A-Z]\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bz\.B\.)"
    r"(?<=[.!?])[\"'”)*]*\s+(?=[^\s\d]|\d)|(?<=[。！？])"
)
_MARKED = re.compile(r"[`\"“„«»'‘<~]|://|\[\[")
"""Without one of these nothing is quoted in a line."""
_EMPHASIS = re.compile(r"(\*\*|(?<![\w/.`])__)(?=\S)(.+?)(?<=\S)\1(?!\.\w)")
_MOST = 400
"""Sentences of one message."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence.

    Attributes:
        text: As it stands, on one line, without emphasis.
        said: The same with what it quotes blanked out, as long as ``text``.
        question: It asks.
    """

    text: str
    said: str
    question: bool


def sentences(text: str) -> list[Sentence]:
    """The sentences of a message: no code, quoted lines, tables, headings, logs."""
    found: list[Sentence] = []
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("\n\n", text)
    for line in _lines(text):
        start = 0
        said = spoken(line) if _MARKED.search(line) else line
        for end in [*(one.start() for one in _BREAK.finditer(said)), len(line)]:
            whole = line[start:end]
            begin = start + len(whole) - len(whole.lstrip())
            piece, start = line[begin:end].rstrip(), end
            mute = said[begin : begin + len(piece)]
            found.append(Sentence(piece, mute, mute.rstrip(" \"'”)*").endswith(("?", "？"))))
        if len(found) >= _MOST:
            break
    return [one for one in found[:_MOST] if one.text]


def _lines(text: str) -> Iterator[str]:
    """Paragraphs and list items, each on one line."""
    gathered: list[str] = []
    for line in [*text.splitlines(), ""]:
        shown = _SHOWN.match(line) is not None
        stripped = _ITEM.sub("", line).strip()
        begins = (
            shown
            or not stripped
            or _ITEM.match(line)
            or (gathered and _is_new(gathered[-1], stripped))
        )
        if gathered and begins:
            yield " ".join(gathered)
            gathered = []
        if stripped and not shown:
            marked = "**" in stripped or "__" in stripped
            gathered.append(_EMPHASIS.sub(r"\2", stripped) if marked else stripped)


def _is_new(before: str, line: str) -> bool:
    """Whether a line begins a sentence of its own rather than going on with the one before."""
    return _ENDED.search(before) is not None or not line[0].islower() or len(before) < 50
