"""One line or sentence: what it announces, and whether it announces anything at all."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mind.documents.parser.lexicon import EMPTY, Lexicon, fold, pattern
from mind.domain.entry import Kind

Force = Literal["mind", "marker", "opener", "sentence", "sign"]

CANONICAL = {
    "decided": Kind.DECISION,
    "problem": Kind.PROBLEM,
    "learned": Kind.LEARNING,
    "progress": Kind.PROGRESS,
    "rejected": Kind.REJECTED,
    "blocker": Kind.BLOCKER,
    "assumption": Kind.ASSUMPTION,
    "experience": Kind.EXPERIENCE,
    "gotcha": Kind.GOTCHA,
    "goal": Kind.GOAL,
    "todo": Kind.TODO,
    "note": Kind.NOTE,
}
"""The keywords that Mind itself writes, at the very start of a line."""

_CANONICAL = re.compile(rf"({'|'.join(CANONICAL)}): (?=\s*\S)")
_SIGNS = {
    **dict.fromkeys("✅☑✔✓", Kind.PROGRESS),
    **dict.fromkeys("⚠🚨💣🔥🪤", Kind.GOTCHA),
    **dict.fromkeys("🐛🐞❗", Kind.PROBLEM),
    **dict.fromkeys("🔜⏳📋⬜🔲☐🗓", Kind.TODO),
    **dict.fromkeys("🚫🗑", Kind.REJECTED),
    **dict.fromkeys("⛔🛑", Kind.BLOCKER),
    **dict.fromkeys("🎯🏁", Kind.GOAL),
    "💡": Kind.LEARNING,
    "🧠": Kind.LEARNING,
}
_SIGN = re.compile(rf"({'|'.join(_SIGNS)})\ufe0f?\s*")
_PICTOGRAPH = re.compile(
    r"([\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff])\ufe0f?\s*(?=\S)"
)
_FLAG = re.compile(
    r"(?:\*\*|__)?(?:KEY|IMPORTANT|important|Important|Key|CRITICAL|NB)(?:\*\*|__)?"
    r"\s*[:：](?:\*\*|__)?\s*"
)
_QUOTE = re.compile(r"[\"“”„«‘`'「『]")
_STAMP = re.compile(
    r"^\[?(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?[^\]\s]*(?: \d\d?:\d\d[^\]\s]*)?\]?"
    r"\s*[-–—:|]?\s+"
)
_DATED = re.compile(
    r"(?:\*\*|__)?(?:\[\s?(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?[^\]\n]{0,20}\](?:\*\*|__)?\s*[-–—:|]?\s*|"
    r"(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?(?:[T ]\d\d?:\d\d(?::\d\d)?Z?)?(?:\*\*|__)?"
    r"\s*(?:[-–—|]|:(?!\d))\s*(?:\*\*|__)?\s*)(?=\S)"
)
_COLON = re.compile(r"[:：](?![:/\\])(?!\d)")
_ADVERB = pattern("adverbs")
_DASH = re.compile(r"\s+(?:--|[-–—])\s+")
_BRACKET = re.compile(r"\[([^\[\]\n]{2,40})\]\s+(?=\S)")
_PLACEHOLDER = re.compile(
    r"(?:\([^()]*\)|<[^<>]*>|\[[^\[\]]*\]|\{+[^{}]*\}+|（[^（）]*）|_{2,}|\.{2,}|…+|(?:\.{3}|…)[^.…]+(?:\.{3}|…))[.:]?"
)

_LABEL_WINDOW = 90
_SENTENCE_WINDOW = 400

_NEGATED = pattern("negations")
_HYPOTHETICAL = pattern("hypothetical")
_AFTER = pattern("undecided")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a line announces.

    Attributes:
        kind: The kind announced.
        text: The line without the keyword, the list marker and the keyword's emphasis.
        force: How: Mind's own form, a keyword with a colon, an opening phrase, a sentence, a sign.
        why: The same for a person.
        strong: The keyword speaks also against the section it stands in.
    """

    kind: Kind
    text: str
    force: Force
    why: str
    strong: bool = False


def canonical(text: str) -> Reading | None:
    """The line ``text`` if it is written as Mind writes entries."""
    found = _CANONICAL.match(text)
    if found is None:
        return None
    word = found.group(1)
    return Reading(CANONICAL[word], text[found.end() :].strip(), "mind", f'keyword "{word}:"', True)


def read(text: str, words: Lexicon) -> Reading | None:
    """What the line ``text`` (without list marker and box) announces, if anything."""
    text = _STAMP.sub("", text, count=1).strip()
    if not text or is_placeholder(text):
        return None
    sign, text = _sign(text)
    if not text or _QUOTE.match(text.lstrip("*_ ")):
        return sign
    flag = _FLAG.match(text)
    found = _announced(text[flag.end() :], words) if flag else None
    if found is not None:
        return found
    if not flag:
        found = _announced(text, words)
        return found if found is not None else sign
    rest = text[flag.end() :].strip()
    if is_empty(rest):
        return None
    return Reading(Kind.LEARNING, rest, "sign", f'keyword "{text[: flag.end()].strip(" *_")}"')


def _announced(text: str, words: Lexicon) -> Reading | None:
    return marker(text, words) or opening(text, words) or sentence(text, words)


def _sign(text: str) -> tuple[Reading | None, str]:
    found = _SIGN.match(text)
    if found is None:
        return None, text
    rest = text[found.end() :].strip()
    if is_empty(rest):
        return None, ""
    kind = _SIGNS[found.group(1)]
    return Reading(kind, rest, "sign", f"sign {found.group(1)}"), rest


def marker(text: str, words: Lexicon) -> Reading | None:
    """A keyword set off by a colon, brackets or a dash, in any dress, with something after it."""
    for head, rest in _splits(text):
        form = words.label_form(head)
        if form and not is_empty(rest):
            return Reading(
                words.labels[form],
                rest,
                "marker",
                f'keyword "{head.strip(" *_")}:"',
                form in words.strong,
            )
    return None


def label_of(text: str) -> tuple[str, str]:
    """The label before the first colon of ``text`` and what follows it; ("", text) if none."""
    return next(_splits(text), ("", text))


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """Ways to take ``text`` for a label and what it labels."""
    head = text[:_LABEL_WINDOW]
    bracket = _BRACKET.match(head)
    if bracket:
        yield bracket.group(1), text[bracket.end() :].strip()
    colon = _COLON.search(head)
    if colon:
        yield head[: colon.start()].strip(), _rest(text, colon.start(), colon.end())
    dash = _DASH.search(head)
    if dash and (colon is None or dash.start() < colon.start()):
        yield head[: dash.start()].strip(), _rest(text, dash.start(), dash.end())


def _rest(text: str, start: int, end: int) -> str:
    """What follows a label, without the emphasis that closes around or opened before the label."""
    head, rest = text[:start], text[end:].strip()
    for mark in ("**", "__", "~~"):
        if head.count(mark) % 2:
            if rest.startswith(mark):
                return rest[len(mark) :].strip()
            first, closing, last = rest.partition(mark)
            return (first.rstrip() + last if closing else first).strip()
    return rest


def opening(text: str, words: Lexicon) -> Reading | None:
    """A phrase that opens the sentence and needs no colon ("decided to", "TIL", "fixed")."""
    bare = text.lstrip("*_ ")
    if is_question(text):
        return None
    found = words.opener(bare)
    adverb = None if found else _ADVERB.match(bare)
    if adverb:
        bare = bare[adverb.end() :]
        found = words.opener(bare)
    if found is None:
        found = words.closer(text)
        if found is None or _HYPOTHETICAL.match(bare):
            return None
    elif _AFTER.match(bare[len(found[0]) :].lstrip("*_")):
        return None
    phrase, kind = found
    if is_empty(bare[len(phrase) :].strip(" *_:")) and not words.closer(text):
        return None
    return Reading(kind, text.strip(), "opener", f'words "{phrase}"')


def sentence(text: str, words: Lexicon) -> Reading | None:
    """A remembered thing told in a sentence ("we are blocked on API access")."""
    head = text[:_SENTENCE_WINDOW]
    if is_question(text) or _HYPOTHETICAL.match(head.lstrip("*_ ")):
        return None
    for kind, expression in words.sentences:
        found = expression.search(head)
        if found and not is_negated(head, found.start()):
            return Reading(kind, text.strip(), "sentence", f'sentence "{found.group()[:40]}"')
    return None


def is_hypothetical(text: str) -> bool:
    """Whether ``text`` only asks, or says what would be."""
    return bool(_HYPOTHETICAL.match(text.lstrip("*_ ")))


def is_negated(text: str, at: int) -> bool:
    """Whether the clause before ``at`` denies what follows."""
    clause = re.split(r"[.;:!?,。、；，]\s?|\s[-–—]\s|\bbut\b", text[max(0, at - 60) : at])[-1]
    return bool(_NEGATED.search(clause))


def is_dated_line(text: str) -> bool:
    """Whether ``text`` begins with a date in brackets, or a date and a dash, and goes on."""
    return bool(undated(text))


def undated(text: str) -> str:
    """What follows the date that ``text`` begins with; "" if it does not begin with one."""
    found = _DATED.match(text)
    return text[found.end() :].strip() if found else ""


def sign_of(text: str) -> str:
    """The pictograph that ``text`` begins with; "" if none."""
    found = _PICTOGRAPH.match(text)
    return found.group(1) if found else ""


def is_question(text: str) -> bool:
    """Whether ``text`` ends in a question mark."""
    return text.rstrip(" *_)").endswith(("?", "？"))


def is_empty(text: str) -> bool:
    """Whether ``text`` holds nothing: no word, "None", "n/a", a placeholder."""
    folded = fold(text[:_LABEL_WINDOW])
    if not folded:
        return not re.search(r"\w", text)
    return (len(text) < _LABEL_WINDOW and folded in EMPTY) or is_placeholder(text)


def is_placeholder(text: str) -> bool:
    """Whether all of ``text`` is a template's blank: ``(add your stack)``, ``<name>``, ``…``."""
    bare = text.strip().strip("*_ ")
    return len(bare) < 200 and not bare.startswith("[[") and bool(_PLACEHOLDER.fullmatch(bare))
