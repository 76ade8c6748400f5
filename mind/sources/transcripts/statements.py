"""Explicit statements of a person: marks, and sentences that open with a request to keep them.

A pattern is looked for where a line or a sentence begins, never within running prose. Quotations,
code and questions are left out, and so is what is about a person or short-lived.
"""

import re
from collections.abc import Iterator

from mind.domain.entry import Kind
from mind.domain.settings import Settings
from mind.sources import MARK
from mind.sources.git.messages import entries_in
from mind.text import durability
from mind.text.durability import spoken

_SHORTEST = 15
"""Bytes of the shortest sentence: three words, or five characters of Chinese."""
_WRAPPED = 50
"""Characters of the shortest line that is wrapped."""

_REMEMBER = (
    r"remember|merk dir|merke dir|denk daran|recuerda|retiens|souviens-toi|n['’]oublie pas|"
    r"lembre-se|lembra|запомни|记住|覚えて"
)
_FROM_NOW_ON = (
    r"from now on|ab jetzt|ab sofort|a partir de ahora|de ahora en adelante|désormais|dorénavant|"
    r"à partir de maintenant|a partir de agora|de agora em diante|отныне|с этого момента|впредь|"
    r"从现在起|今后|今後"
)
_LEAD = r"(?:(?:please|and|also|but|so|ok|okay|yes|no)\W+|\w+[,!]\s+){0,3}"
_END = r"(?![a-zà-ÿа-яё])"
_LABEL = re.compile(
    rf"{_LEAD}(?:{_REMEMBER})(?: (?:this|that|das|esto|ça|isso))?\s*[:：]\s*", re.IGNORECASE
)
"""What the rest of the line follows: "remember this: …"."""
_ASKS = re.compile(rf"{_LEAD}(?:{_REMEMBER}){_END}", re.IGNORECASE)
_LAYS_DOWN = re.compile(
    rf"{_LEAD}(?:(?:{_FROM_NOW_ON}){_END}|we (?:always|never|only)\b)|"
    rf".*[\s,](?:{_FROM_NOW_ON})[.!]*$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_SHOWN = re.compile(
    r"\s*(?:>|\||#{1,6}\s|    \S|\t|\[\w+\]|\d{4}-\d\d-\d\d[T ]\d\d:|at \S+\(|[+@-]{2,})"
)
"""A line that is shown rather than said: quotation, table, heading, code, log."""
_ITEM = re.compile(r"^\s*(?:[-*•+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_ENDED = re.compile(r"[.!?:;…。！？：]['\"”)*`]*$")
_BREAK = re.compile(
    r"(?<!\b[A-Z]\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bz\.B\.)"
    r"(?<=[.!?])[\"'”)*]*\s+(?=\S)|(?<=[。！？])"
)


def stated(text: str, settings: Settings) -> Iterator[tuple[Kind, str]]:
    """Yield kind and words of each statement in a message.

    Args:
        text: The message.
        settings: Languages and keywords of marks.
    """
    for line in lines(text):
        marked = _marked(line, settings)
        found = [marked] if marked else [_laid_down(one, settings) for one in sentences(line)]
        yield from (one for one in found if one and _is_lasting(one[1]))


def _marked(line: str, settings: Settings) -> tuple[Kind, str] | None:
    """Return what follows a mark such as ``decided:``, ``MEMORY:`` or ``remember this:``."""
    label = _LABEL.match(line)
    line = f"{MARK} {line[label.end() :]}" if label else line
    entries = [] if _is_question(line) else entries_in(line, settings, standing=False)
    if not entries:
        return None
    text = entries[0].text
    if "\\" in line:  # which the parser takes for an escape of Markdown
        text = line.partition(":")[2].removeprefix("**").strip()
    return entries[0].kind, text


def _laid_down(sentence: str, settings: Settings) -> tuple[Kind, str] | None:
    """Return a sentence that is to be remembered, or that holds from now on."""
    said = spoken(sentence)
    if _is_question(said) or len(sentence.encode("utf-8", "replace")) < _SHORTEST:
        return None
    if _LAYS_DOWN.match(said):
        return Kind.DECISION, sentence
    if not _ASKS.match(said):
        return None
    entries = entries_in(f"{MARK} {sentence}", settings, standing=False)
    return (entries[0].kind if entries else Kind.NOTE), sentence


def _is_question(said: str) -> bool:
    return said.rstrip(" \"'”)*").endswith(("?", "？"))


def _is_lasting(text: str) -> bool:
    """Return whether it is about the project, and for longer than this week."""
    return durability.about_user(text) is None and not durability.transient(text)


def sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line; what is quoted or code does not end one."""
    said, start = spoken(line), 0
    for end in [*(one.start() for one in _BREAK.finditer(said)), len(line)]:
        sentence, start = line[start:end].strip(), end
        if sentence:
            yield sentence


def lines(text: str) -> Iterator[str]:
    """Yield paragraphs and list items, each on one line; what follows a bare label has it."""
    label, is_used = "", False
    for line in _joined(_FENCE.sub("\n\n", text)):
        if _LABEL.fullmatch(line) or (line.endswith((":", "：")) and _LAYS_DOWN.match(line)):
            label, is_used = line, False
        elif line:
            yield f"{label} {line}" if label else line
            is_used = True
        elif is_used:
            label = ""


def _joined(text: str) -> Iterator[str]:
    """Yield lines with those that continue them; "" for a blank line behind text."""
    gathered = ""
    for line in [*text.splitlines(), ""]:
        shown = _SHOWN.match(line) is not None
        bare = "" if shown else " ".join(_ITEM.sub("", line).split())
        if gathered and (not bare or _ITEM.match(line) or _is_new(gathered, bare)):
            yield gathered
            gathered = ""
            if not bare:
                yield ""
        gathered = f"{gathered} {bare}".strip()


def _is_new(before: str, line: str) -> bool:
    """Return whether ``line`` begins a sentence rather than continuing a wrapped one."""
    return bool(_ENDED.search(before)) or not line[0].islower() or len(before) < _WRAPPED
