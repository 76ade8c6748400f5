"""A text from its first word to its last: which things it names, and where."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from mind.text.entities.tokens import Part, folded, joined, parts
from mind.text.entities.words import NOT_NAMES, NOUNS_HAVE_CAPITALS, VERSIONED

_APART = (
    r"\s,;\"'()\[\]{}<>=|*`“”‘’«»„—–…\x01"
    r"\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef"
)
_WORD = re.compile(
    rf"(?<![^{_APART}])(?![a-z]*+[.:!?]*+(?:(?!\(\))[{_APART}]|\Z))[^{_APART}]++(?:\(\))?"
)
"""Every word but plain ones in small letters."""
_LINK = re.compile(r"\[\[([^\[\]|\n]{1,200})(?:\|[^\[\]\n]{0,200})?\]\]")
_TICKS = re.compile(r"`+")
_SENTENCE = re.compile(r"(?:\A|[.!?:。！？：…\n])[\s\"'(*_\[“‘«„>#+-]*\Z")
_ABBREVIATED = ("e.g. ", "i.e. ", "vs. ", "cf. ", "incl. ", "resp. ")
_NUMBERED = ("pr ", "issue ", "bug ", "ticket ", "request ", "issue: ", "mr ")
_RELEASED = re.compile(r" (?:release|branch|version|milestone|beta|series)\b")
_LONGEST_CODE = 80
_MOST_WORDS = 4
"""Capitalised words in a row; more are a heading."""
_FILLED = "\x01"


class Found(NamedTuple):
    """A thing from ``start`` to ``end``; kind ``start``: it may only begin a sentence."""

    start: int
    end: int
    kind: str
    key: str


class _Capital(NamedTuple):
    start: int
    end: int
    word: str


def scan(text: str) -> list[Found]:
    """Things in the order of the text; one may stand within another only in code."""
    found: list[Found] = []
    capitals: list[_Capital] = []
    shown = _links(text, found) if "[[" in text else text
    shown = _code(shown, found) if "`" in shown else shown
    for word in _WORD.finditer(shown):
        at = word.start()
        for one in parts(word.group()):
            if one.kind == "capital":
                capitals.append(_Capital(at + one.start, at + one.end, one.key))
            elif one.kind in ("digits", "decimal"):
                found += _numbered(shown, one, at)
            else:
                found.append(Found(at + one.start, at + one.end, one.kind, one.key))
    if capitals:
        found += _names(shown, capitals)
    found.sort()
    return found


def _links(text: str, found: list[Found]) -> str:
    def filled(link: re.Match[str]) -> str:
        target = link[1].strip()
        key = key_of(page_of(target))
        if any(map(str.isalnum, key)):
            start = link.start(1) + link[1].find(target)
            found.append(Found(start, start + len(target), "link", key))
        return _FILLED * len(link[0])

    return _LINK.sub(filled, text)


def page_of(target: str) -> str:
    """What a link names, without the heading in it; a number behind ``#`` is an issue."""
    page, _, rest = target.partition("#")
    return target if not rest or rest[0].isdigit() or not page else page


def _code(text: str, found: list[Found]) -> str:
    """Note what stands in backticks; take it out if it is one word."""
    shown, last = [], 0
    for start, end in _spans(text):
        inner = text[start:end]
        name = inner.strip()
        if not name or len(name) > _LONGEST_CODE or "\n" in name:
            continue
        at = start + inner.find(name)
        key = key_of(name)
        if any(map(str.isalnum, key)):
            found.append(Found(at, at + len(name), "code", key))
        if " " not in name:
            shown += [text[last:start], _FILLED * (end - start)]
            last = end
    return "".join([*shown, text[last:]]) if shown else text


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """What stands between runs of equally many backticks (CommonMark's code spans)."""
    runs = [one.span() for one in _TICKS.finditer(text)]
    following: dict[int, list[int]] = {}
    for at in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[at][1] - runs[at][0], []).append(at)
    at = 0
    while at < len(runs):
        start, end = runs[at]
        same = following[end - start]
        while same and same[-1] <= at:
            same.pop()
        if same:
            at = same[-1]
            yield end, runs[at][0]
        at += 1


def _numbered(text: str, part: Part, at: int) -> Iterator[Found]:
    """A number that the words around it make an issue or a version."""
    start, end = at + part.start, at + part.end
    before = text[max(0, start - 20) : start].lower()
    if part.kind == "digits":
        if before.endswith(_NUMBERED) and len(part.key) < 8:
            yield Found(start, end, "issue", f"#{part.key}")
    elif _is_versioned(before) or _RELEASED.match(text, end):
        yield Found(start, end, "version", part.key)


def _is_versioned(before: str) -> bool:
    words = before.split(" ")
    return len(words) > 1 and not words[-1] and words[-2].strip(":") in VERSIONED


def _names(text: str, capitals: list[_Capital]) -> Iterator[Found]:
    """Names of one or more capitalised words."""
    sure: list[Found] = []
    unsure: list[Found] = []
    for row in _rows(text, capitals):
        begins = _begins_sentence(text, row[0].start)
        words = _named(row)
        if not words or len(words) > _MOST_WORDS:
            continue
        start, end = words[0].start, words[-1].end
        told = len(words) > 1 or not (begins and words[0] is row[0])
        name = Found(start, end, "name" if told else "start", joined(text[start:end]))
        (sure if told else unsure).append(name)
    known = {one.key for one in sure}
    unsure = [one._replace(kind="name") if one.key in known else one for one in unsure]
    if len(sure) > 2 and len(NOUNS_HAVE_CAPITALS.intersection(text.split())) > 1:
        sure = [one._replace(kind="start") for one in sure]
    yield from sure
    yield from unsure


def _rows(text: str, capitals: list[_Capital]) -> Iterator[list[_Capital]]:
    """Capitalised words with nothing but a space between them."""
    row = capitals[:1]
    for one in capitals[1:]:
        if one.start == row[-1].end + 1 and text[row[-1].end] == " ":
            row.append(one)
        else:
            yield row
            row = [one]
    yield row


def _named(row: list[_Capital]) -> list[_Capital]:
    """The row without words before and behind that are none of a name."""
    first, last = 0, len(row)
    while first < last and _is_plain(row[first].word):
        first += 1
    while last > first and _is_plain(row[last - 1].word):
        last -= 1
    return row[first:last]


def _is_plain(word: str) -> bool:
    return word in NOT_NAMES or (len(word) > 5 and word.endswith(("ing", "ed")))


def _begins_sentence(text: str, start: int) -> bool:
    near = text[max(0, start - 12) : start]
    found = _SENTENCE.search(near)
    if not found or (found.start() == 0 and start > 12 and near[:1] not in ".!?:。！？：…\n"):
        return False
    return not near.lower().endswith(_ABBREVIATED)


def key_of(name: str) -> str:
    """The key of a thing that is called ``name``; equal for its other spellings."""
    plain = name.strip()
    found = parts(plain)
    if len(found) == 1 and (found[0].start, found[0].end) == (0, len(plain)):
        key = found[0].key
        if found[0].kind not in ("digits", "decimal", "capital"):
            return key
    return joined(plain.strip("`*_\"' ")) if plain.isprintable() else joined(folded(plain))
