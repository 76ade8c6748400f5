"""Detect that a later statement replaces an earlier one, from the two texts alone.

Two kinds of evidence count. *A changed value*: both state the same about the same subject except
for one value (a number with its unit, a path, a name). It must be in the position of the value, not
of the subject: "staging uses 8081" and "production uses 8080" both hold. *A stated change*: the
later text says that something ended, moved or was wrong, or negates the earlier one, about the same
subject. Anything else is an addition, however similar the texts are.

Each clause of the earlier text is compared with each of the later one; the most likely pair counts.
Overlap alone is no evidence, but evidence is weighted by it. Closed word classes (articles,
negations, units, words of change) are data in ``change.toml``. The weights are a logistic
regression on pairs of notes, with similar commits of two projects as pairs that both hold.
"""

import itertools
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property
from typing import NamedTuple

from mind.domain import caching
from mind.text import lazy_pattern, table
from mind.text.similarity import opposed, weight, without_shared_choice
from mind.text.similarity.words import stem

LEAST = 0.25
"""Minimum likelihood at which to ask whether a statement is replaced."""
_BIAS = -4.4
_WEIGHTS = {
    "typed": 3.2, "told": 1.65, "begins": -1.85, "about": 1.25, "of_clause": 1.4, "in_text": 3.0,
    "of_text": 1.35, "events": -1.0, "adds": -0.45, "chances": -0.25,
}  # fmt: skip
_LONGEST, _MOST_CLAUSES = 500, 4
_NAME_WEIGHT, _RAREST, _ROOM, _NEAR = 6.0, 8.0, 3.0, 40
_VALUES = ("number", "name")
_LEAST_SHARED = 2
"""Words that two clauses have in common at least if they differ in one position."""
_HEAD = 5
"""Characters that words have in common to be the same up to their ending."""
_TOKEN = lazy_pattern(
    r"""
 (?P<name>`[^`]+`|https?://[^\s<>()\[\]]*[\w/]
   |[\#@/~]\w[\w./-]*|[A-Za-z]\w*(?:[_./:-]\w+)+(?:\(\))?|\w+\(\)|\.\w+)
|(?P<number>[$€£]?\d[\d.,:]*(?:e-?\d+)?(?:[-/–]\d[\d.,:]*)?(?:\s?%|\s?°\s?[CF]?|[A-Za-zµ]{1,4}\b)?)
|(?P<script>[\u30a0-\u30ff]+|[\u4e00-\u9fff]+|[\u3040-\u309f]+)
|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)
|(?P<mark>[:=(])
""",
    re.VERBOSE,
)
_FIGURE = lazy_pattern(r"[$€£]?\d(?:[\d.,:]*\d)?")
_CLOCK = lazy_pattern(r"\d{1,2}:\d\d")
_HIRAGANA = lazy_pattern(r"[\u3040-\u309f]{1,3}")
_CAPITALS = lazy_pattern(r"[A-Z][A-Z0-9]+s?|[A-Z]?[a-z]+[A-Z]\w*")
_PART = lazy_pattern(r"[;.。?!](?=\s|$)|\s[-–]\s|\s\(|,\s|:\s")
_SOURCE = lazy_pattern(
    r"(?:\(|\b(?:see|siehe|vgl\.?|cf\.?|voir|véase|vedi|zie)\s<?)$", re.IGNORECASE
)
"""Before a link to where a statement comes from, which is no value of it."""
_QUESTION = lazy_pattern(r"[?？](?:\s|$)")
_SENTENCE = lazy_pattern(r"[.:;?!。？！]\s*$")
_BODY = lazy_pattern(r"(?<=[.!?])(?=\s+[^\sa-z])|(?<=[。！？])|(?=:\s+[A-Z][a-z]+\s)")
"""After the first sentence, or the title before a colon."""


_EVENT = lazy_pattern(
    r"\W*(?:add|fix|remov|drop|updat|bump|merg|refactor|document|test|renam|mov|chang|mak|allow|"
    r"support|improv|implement|introduc|clean|tweak|correct|deprecat|revert|switch|show|handl|"
    r"rais|expos|ensur|adjust|creat|includ|mention|lint|pin|releas|prepar|initial|first|new|"
    r"replac|delet|extract|minor|typo|link|docs?|upgrad|enabl|disabl|avoid|expand|rewrit|simplif|"
    r"split|more|better)\w*\b|(?:feat|chore|[\w-]+\([^)]*\))!?:\s",
    re.IGNORECASE,
)
"""Beginnings of entries about past actions, which stay true whatever follows."""


class ChangedValue(NamedTuple):
    """The result: a later statement replaces an earlier one.

    Attributes:
        likelihood: 0–1.
        how: The evidence, "value" or "stated".
        old: The outdated value, "" if unknown.
        new: The current value.
    """

    likelihood: float
    how: str
    old: str = ""
    new: str = ""


@caching.of_texts
def change(old: str, new: str) -> ChangedValue | None:
    """Return the evidence that ``new`` replaces ``old``; None if it does not."""
    old, new = old[:_LONGEST], new[:_LONGEST]
    shared = opening(old)
    if shared != opening(new):
        old, new = shared, opening(new)
    elif old != shared != new:  # what changed stands in what follows
        old, new = old[len(shared) :], new[len(shared) :]
    old, new = without_shared_choice(old, new)
    found = signals(old, new)
    if found is None:
        return None
    likelihood = 1 / (1 + math.exp(-_score(found.numbers) - _BIAS))
    if likelihood < LEAST:
        return None
    how = "value" if found.old and not found.numbers["told"] else "stated"
    return ChangedValue(likelihood, how, found.old, found.new)


class ChangeSignals(NamedTuple):
    """Features of two texts: what they share, and the values that differ."""

    numbers: dict[str, float]
    old: str
    new: str


def signals(old: str, new: str) -> ChangeSignals | None:
    """The evidence for a change; None if there is none, or one text is only a question."""
    if _QUESTION.search(old) or _QUESTION.search(new):
        return None
    texts = before, after = _content(old), _content(new)
    gone = [(one, _unique(one, after)) for one in _clauses(old)]
    come = [(other, _unique(other, before)) for other in _clauses(new)]
    found = [
        made
        for one, was in gone
        for other, now in come
        if (made := _evidence(one, other, texts, (was, now)))
    ]
    if not found:
        return None
    best = max(found, key=lambda made: _score(made.numbers))
    best.numbers["chances"] = math.log(len(_clauses(old)) * len(_clauses(new)))
    return best


def _score(numbers: dict[str, float]) -> float:
    return sum(_WEIGHTS[name] * number for name, number in numbers.items())


@dataclass(frozen=True, eq=False)
class _Token:
    """A word, number or name.

    Attributes:
        form: As written.
        key: Folded and stemmed.
        kind: "word", "name", "number", "function" or "mark".
        type: Of a value: its unit, "path", "channel", a noun before or after a number.
    """

    form: str
    key: str
    kind: str
    type: str = ""

    @property
    def tells(self) -> bool:
        """Return whether it is a content word."""
        return self.kind in ("word", "name", "number")


class _Words(list[_Token]):
    """Content words that are looked up by their beginnings."""

    @cached_property
    def _by_head(self) -> dict[str, list[_Token]]:
        found: dict[str, list[_Token]] = {}
        for one in self:
            found.setdefault(one.key[:_HEAD], []).append(one)
        return found

    def have(self, one: _Token) -> bool:
        """Return whether a word is the same as ``one``."""
        return any(_is_same(one, other) for other in self._by_head.get(one.key[:_HEAD], ()))


@dataclass(frozen=True, eq=False)
class _Clause:
    text: str
    tokens: tuple[_Token, ...]
    content: _Words

    @cached_property
    def told(self) -> list[re.Match[str]]:
        """Its words of change."""
        return list(_phrases("changing").finditer(self.text))

    @cached_property
    def denies(self) -> bool:
        return _phrases("denying").search(self.text) is not None

    @cached_property
    def adds(self) -> bool:
        return _phrases("adding").search(self.text) is not None

    @cached_property
    def is_event(self) -> bool:
        return _EVENT.match(self.text) is not None

    @cached_property
    def heads(self) -> frozenset[str]:
        """The beginnings of its words."""
        return frozenset(one.key[:_HEAD] for one in self.tokens)

    @cached_property
    def plain(self) -> list[_Token]:
        """Its words except articles."""
        return [one for one in self.tokens if one.form.casefold() not in _lexicon().article]


class _Slot(NamedTuple):
    """The position where two clauses differ: the similarity of the rest, and the two values."""

    share: float = 0.0
    old: Sequence[_Token] = ()
    new: Sequence[_Token] = ()
    is_subject: bool = False


class _Lexicon(NamedTuple):
    function: frozenset[str]
    equal: frozenset[str]
    article: frozenset[str]
    joining: frozenset[str]
    numbers: dict[str, str]
    units: dict[str, str]


@cache
def _lexicon() -> _Lexicon:
    data = table("change")
    counting = dict(data["counting"])
    numbers = counting.pop("numbers")
    joining = {name: frozenset(words.split()) for name, words in data["joining"].items()}
    return _Lexicon(
        function=frozenset(word for line in data["function"].values() for word in line.split()),
        equal=joining["equal"],
        article=joining["article"],
        joining=joining["other"] | {"="},
        numbers={word: str(at) for at, line in enumerate(numbers) for word in line.split()},
        units={word: name for name, words in counting.items() for word in words.split()},
    )


@cache
def _phrases(name: str) -> re.Pattern[str]:
    """An expression for the phrases of a part of ``change.toml``, of all languages."""
    phrases = [phrase for line in table("change")[name].values() for phrase in line.split()]
    whole = [one for one in phrases if "\u3040" <= one[0] <= "\u9fff"]
    spaced = [
        re.escape(one).replace(r"\*", r"\w*").replace("_", r"\s+").replace("'", "['’]")
        for one in phrases
        if one.isascii() or (one[0].isalpha() and one not in whole)
    ]
    return re.compile("|".join([rf"\b(?:{'|'.join(spaced)})\b", *whole]), re.IGNORECASE)


@caching.of_texts
def _tokens(text: str) -> tuple[_Token, ...]:
    found: list[_Token] = []
    for match in _TOKEN.finditer(text):
        form, last = match.group(), found[-1] if found else None
        match match.lastgroup:
            case "number":
                made = _number(form)
            case "name":
                is_source = "://" in form and _SOURCE.search(text[: match.start()])
                sort = "channel" if form[0] in "#@" else ""
                sort = "path" if "/" in form and not is_source else sort
                made = _Token(form, form.casefold().strip("`"), "name", sort)
                is_place = last and last.kind == "function" and not form[1:2].isdigit()
                if form[0] == "#" and not is_place:
                    made = _Token(form, form.strip(".,:"), "number", "label")  # an issue or a tag
            case "mark":
                made = _Token(form, "=" if form in ":=" else form, "mark")
            case "script":
                kind = "function" if _HIRAGANA.fullmatch(form) else "word"
                made = _Token(form, form, kind)
            case _:
                begins = last is None or _SENTENCE.search(text[: match.start()]) is not None
                made = _word(form, begins=begins)
                unit = _lexicon().units.get(form.casefold())
                if unit and last and last.kind == "number" and not last.type:
                    form = f"{last.form} {form}"
                    found[-1] = _Token(form, f"{last.key} {made.key}", "number", unit)
                    continue
        found.append(made)
    return tuple(_labelled(found))


def _word(form: str, *, begins: bool) -> _Token:
    low, known = form.casefold(), _lexicon()
    if low in known.numbers:
        return _Token(form, known.numbers[low], "number")
    if known.units.get(low.removesuffix("s")) == "weekday":
        return _Token(form, low.removesuffix("s"), "number", "weekday")
    if low in known.function:
        return _Token(form, "=" if low in known.equal else low, "function")
    is_name = _CAPITALS.fullmatch(form) or (form[0].isupper() and not begins)
    return _Token(form, _key(low), "name" if is_name else "word")


@caching.of_words
def _key(word: str) -> str:
    bare = unicodedata.normalize("NFKD", word)
    return stem("".join(one for one in bare if not unicodedata.combining(one)))


def _number(form: str) -> _Token:
    figure = _FIGURE.match(form)
    unit = form[figure.end() :].strip().casefold() if figure else ""
    units = _lexicon().units
    sort = units.get(unit) or units.get(form[0]) or ("clock" if _CLOCK.match(form) else "")
    shown = form.strip(".,: ")
    return _Token(shown, shown.casefold(), "number", sort)


def _labelled(found: Sequence[_Token]) -> Iterator[_Token]:
    """Numbers with the noun that they count or number."""
    for at, one in enumerate(found):
        if one.kind != "number" or one.type:
            yield one
            continue
        after = found[at + 1] if at + 1 < len(found) else None
        before = found[at - 1] if at else None
        sort = ""
        if before and before.kind in ("word", "name"):
            sort = f"no. {before.key}"
        elif after and after.kind == "word":
            sort = after.key
        yield _Token(one.form, one.key, "number", sort)


@caching.of_texts
def _content(text: str) -> _Words:
    return _Words(one for one in _tokens(text) if one.tells)


@caching.of_texts
def _clauses(text: str) -> tuple[_Clause, ...]:
    """The clauses of a text: three words or more, each with its condition."""
    cuts = [0, *(one.end() for one in _PART.finditer(text)), len(text)]
    dependent = (one.start() for one in _phrases("dependent").finditer(text))
    cuts = sorted({*cuts, *itertools.dropwhile(lambda at: len(_content(text[:at])) < 3, dependent)})
    found: list[tuple[int, int]] = []
    start = 0
    for end in cuts[1:]:
        part = text[start:end]
        is_condition = not start and _phrases("dependent").match(part.lstrip())
        if len(_content(part)) > 2 and not (is_condition and not _PART.search(part[:-2])):
            found.append((start, end))
            start = end
    if start < len(text):
        found = [*found[:-1], (found[-1][0], len(text))] if found else [(0, len(text))]
    made = [_Clause(text[a:b], _tokens(text[a:b]), _content(text[a:b])) for a, b in found]
    return tuple(made[:_MOST_CLAUSES])


def opening(text: str) -> str:
    """The first sentence of a text or its title: what it states. The rest explains it."""
    ends = (one.start() for one in _BODY.finditer(text[:_LONGEST]))
    return next((text[:at] for at in ends if len(_content(text[:at])) > 2), text[:_LONGEST])


def states(text: str, *, is_decided: bool = False) -> bool:
    """Return whether a text states a fact, rather than an action or a title.

    It must be a sentence, have a form of be, have or must, or a colon before a value; a decision
    may be a mere phrase.
    """
    said = opening(text)
    first = _clauses(said)[:1]
    has_verb = any(_phrases("stating").search(one.text) for one in first)
    is_told = any(one.form == ":" for part in first for one in part.tokens)
    is_told = is_told or is_decided or _SENTENCE.search(said) is not None
    return has_verb or (is_told and not _EVENT.match(text))


def _is_same(a: _Token, b: _Token) -> bool:
    """Return whether two words are equal up to their ending."""
    one, other = a.key, b.key
    if one == other:
        return True
    if one[:_HEAD] != other[:_HEAD] or "number" in (a.kind, b.kind):
        return False
    least = min(len(one), len(other))
    common = next((at for at in range(least) if one[at] != other[at]), least)
    return common >= max(_HEAD, 0.7 * max(len(one), len(other)))


def _weight(one: _Token) -> float:
    return weight(one.key) if one.kind == "word" else _NAME_WEIGHT


def _covered(some: Sequence[_Token], others: _Words) -> float:
    """The weighted share of ``some``, except numbers, that is in ``others``.

    Always below 1 for few words.
    """
    words = [one for one in some if one.kind != "number"]
    shared = sum(_weight(one) for one in words if others.have(one))
    return shared / (sum(map(_weight, words)) + _ROOM)


def _same_type(a: _Token, b: _Token) -> bool:
    """Return whether two different values have the same type.

    A bare number may have the type of any count, but two bare numbers may state anything.
    """
    if a.kind != b.kind or a.kind not in _VALUES:
        return False
    if "label" in (a.type, b.type):
        return False
    if a.type == b.type:
        return a.type != ""
    if a.kind == "name" or "" not in (a.type, b.type):
        return False
    sort = a.type or b.type
    return sort != "clock" and sort not in _lexicon().units.values()


def _about(text: str, span: tuple[int, int], old: _Words) -> float:
    """Return the rarity of the earlier statement's words next to the words of change, 0–1."""
    near = _content(text[max(0, span[0] - _NEAR) : span[1] + _NEAR])
    return max((_weight(one) for one in near if old.have(one)), default=0.0) / _RAREST


def _said(tokens: Sequence[_Token]) -> str:
    return " ".join(one.form for one in tokens)


def _operations(
    a: Sequence[_Token], b: Sequence[_Token]
) -> Sequence[tuple[str, int, int, int, int]]:
    known: dict[str, list[tuple[_Token, int]]] = defaultdict(list)
    count = itertools.count()

    def number(one: _Token) -> int:
        alike = known[one.key[:_HEAD]]
        at = next((at for other, at in alike if _is_same(one, other)), None)
        if at is None:
            at = next(count)
            alike.append((one, at))
        return at

    left, right = [number(one) for one in a], [number(one) for one in b]
    return SequenceMatcher(None, left, right, autojunk=False).get_opcodes()


def _slot(one: _Clause, other: _Clause) -> _Slot:
    """The single position where two similarly worded clauses differ."""
    if sum(t.key[:_HEAD] in other.heads for t in one.content) < _LEAST_SHARED:
        return _Slot()
    a, b = one.plain, other.plain
    steps = _operations(a, b)
    shared = [t for tag, i, j, _, _ in steps if tag == "equal" for t in a[i:j] if t.tells]
    count = sum(t.tells for t in a)
    replaced = [
        step
        for step in steps
        if step[0] == "replace" and any(t.tells for t in a[step[1] : step[2]])
    ]
    if len(shared) < _LEAST_SHARED or not replaced:
        return _swapped(one, other)
    share = len(shared) / count
    _, i, j, k, end = replaced[0]
    old, new = a[i:j], b[k:end]
    before = sum(
        t.tells for tag, start, to, _, _ in steps if tag == "equal" and to <= i for t in a[start:to]
    )
    left, value = (a[i - 1] if i else None), next(t for t in old if t.tells)
    is_number = value.kind == "number"
    is_label = value.type.startswith("no. ")
    if value.type == "label":
        return _Slot(is_subject=True)
    follows = a[j] if j < len(a) else None
    is_modifier = (
        follows is not None
        and follows.kind == "word"
        and not is_number
        and end < len(b)
        and _is_same(follows, b[end])
    )
    early = before / len(shared)
    is_predicate = left is not None and left.key == "=" and before > 0
    if (
        not is_predicate
        and share >= 0.5
        and (
            not before
            or is_modifier
            or len(replaced) > 1
            or (early < 0.5 and (is_label or not is_number))
        )
    ):
        return _Slot(is_subject=True)
    is_pure = all(t.kind != "function" for t in old) and (
        not new or new[0].kind != "function" or new[0].key in _lexicon().joining
    )
    stands = left is not None and (left.kind in ("function", "mark", "name") or is_number)
    is_object = (follows is None or not follows.tells) and before >= 2 and len(shared) >= 3
    if share >= 0.4 and is_pure and (stands or is_object) and len(replaced) == 1:
        return _Slot(share, old, _value(new))
    return _Slot()


def _value(tokens: Sequence[_Token]) -> list[_Token]:
    """The value at the start of ``tokens``: those before the next function word."""
    rest = itertools.dropwhile(lambda one: not one.tells, tokens)
    told = itertools.takewhile(lambda one: one.tells, rest)
    return [one for one in told if not _phrases("changing").fullmatch(one.form)][:3]


def _swapped(one: _Clause, other: _Clause) -> _Slot:
    """The same words in another order, except one value after a verb or preposition."""
    a, b = one.plain, other.plain
    old = [word for word in one.content if not other.content.have(word)]
    count = len(one.content)
    shared = count - len(old)
    if shared < _LEAST_SHARED or not 1 <= len(old) <= 2 or shared < 0.6 * count:
        return _Slot()
    new = [word for word in other.content if not one.content.have(word)]
    if not 1 <= len(new) <= 6:
        return _Slot()
    i, j = a.index(old[0]), b.index(new[0])
    joining = _lexicon().joining
    is_one = a.index(old[-1]) - i == len(old) - 1
    if i and j and is_one and a[i - 1].key in joining and b[j - 1].key in joining:
        return _Slot(0.8 * shared / count, old, new[:1])
    return _Slot()


def _evidence(
    one: _Clause,
    other: _Clause,
    texts: tuple[_Words, _Words],
    unique: tuple[Sequence[_Token], Sequence[_Token]],
) -> ChangeSignals | None:
    """Return the evidence that ``other``, a clause of the later text, replaces ``one``.

    Args:
        one: A clause of the earlier text.
        other: A clause of the later text.
        texts: The words of both texts.
        unique: The values of each clause that the other text does not have.
    """
    before, after = texts
    slot, told = _slot(one, other), other.told
    ends = [cue for cue in told if not _phrases("beginning").fullmatch(cue.group())]
    values = [] if slot.is_subject else _values(*unique)
    if not (slot.share or values or told) and (
        slot.is_subject or not (one.denies != other.denies or opposed(one.text, other.text))
    ):
        return None
    cues = {word.casefold() for found in told for word in found.group().split()}
    olds, news = {*slot.old, *(a for a, _ in values)}, {*slot.new, *(b for _, b in values)}
    left = [token for token in one.content if token not in olds]
    right = [t for t in other.content if t not in news and t.form.casefold() not in cues]
    in_clause, in_text = _covered(left, other.content), _covered(left, after)
    of_clause, of_text = _covered(right, one.content), _covered(right, before)
    both = 2 * in_clause * of_clause / (in_clause + of_clause) if in_clause + of_clause else 0.0
    numbers = {
        "typed": both if values and not values[0][0].type.startswith("no. ") else 0.0,
        "told": both if told else 0.0,
        "begins": both if told and not ends else 0.0,
        "about": max((_about(other.text, cue.span(), one.content) for cue in told), default=0.0),
        "of_clause": of_clause,
        "in_text": in_text,
        "of_text": of_text,
        "events": float(one.is_event) + other.is_event,
        "adds": float(other.adds),
    }
    if slot.share:
        return ChangeSignals(numbers, _said(slot.old), _said(slot.new))
    return ChangeSignals(numbers, *((values[0][0].form, values[0][1].form) if values else ("", "")))


def _unique(clause: _Clause, others: _Words) -> list[_Token]:
    """The values of a clause that ``others`` do not have."""
    return [one for one in clause.content if one.kind in _VALUES and not others.have(one)]


def _values(gone: Sequence[_Token], come: Sequence[_Token]) -> list[tuple[_Token, _Token]]:
    """Pairs of values with the same type, each unique to one of the texts."""
    return [(a, b) for a in gone for b in come if _same_type(a, b)]
