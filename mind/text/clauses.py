"""The words, values and clauses of a statement.

Closed word classes (articles, negations, units, words of change) are data in ``change.toml``.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from mind.domain import caching
from mind.text import lazy_pattern, table
from mind.text.similarity.words import stem

_MOST_CLAUSES = 4
HEAD = 5
"""Characters that words have in common to be the same up to their ending."""
_SPACED = r"[^\W\u3040-\u30ff\u4e00-\u9fff]"
"""A letter of a script with spaces: in one without, a word in Latin letters has none around it."""
_TOKEN = lazy_pattern(
    rf"""
 (?P<name>`[^`]+`|https?://[^\s<>()\[\]]*[\w/]
   |[\#@/~]\w[\w./-]*|[A-Za-z]{_SPACED}*(?:[_./:-]{_SPACED}+)+(?:\(\))?|{_SPACED}+\(\)|\.\w+)
|(?P<number>[$€£]?\d[\d.,:]*(?:e-?\d+)?(?:[-/–]\d[\d.,:]*)?
   (?:\s?%|\s?°\s?[CF]?|[A-Za-zµ]{{1,4}}(?!{_SPACED}))?)
|(?P<script>[\u30a0-\u30ff]+|[\u4e00-\u9fff]+|[\u3040-\u309f]+)
|(?P<word>(?:(?![\d_]){_SPACED})+(?:['’][^\W\d_]+)*)
|(?P<mark>[:=(])
""",
    re.VERBOSE,
)
_FIGURE = lazy_pattern(r"[$€£]?\d(?:[\d.,:]*\d)?")
_CLOCK = lazy_pattern(r"\d{1,2}:\d\d")
_HIRAGANA = lazy_pattern(r"[\u3040-\u309f]{1,3}")
_CAPITALS = lazy_pattern(r"[A-Z][A-Z0-9]+s?|[A-Z]?[a-z]+[A-Z]\w*")
_PART = lazy_pattern(r"[;.。?!](?=\s|$)|\s[-–]\s|\s\(|,\s|:\s")
_PAUSE = lazy_pattern(r"[,;:.()]")
_SOURCE = lazy_pattern(
    r"(?:\(|\b(?:see|siehe|vgl\.?|cf\.?|voir|véase|vedi|zie)\s<?)$", re.IGNORECASE
)
"""Before a link to where a statement comes from, which is no value of it."""
_ATTRIBUTE = lazy_pattern(r"[a-z]+ed(?=\s+\w)")
"""A participle before a word. After an article it describes that: "a moved comma"."""
SENTENCE = lazy_pattern(r"[.:;?!。？！]\s*$")
EVENT = lazy_pattern(
    r"\W*(?:add|fix|remov|drop|updat|bump|merg|refactor|document|test|renam|mov|chang|mak|allow|"
    r"support|improv|implement|introduc|clean|tweak|correct|deprecat|revert|switch|show|handl|"
    r"rais|expos|ensur|adjust|creat|includ|mention|lint|pin|releas|prepar|initial|first|new|"
    r"replac|delet|extract|minor|typo|link|docs?|upgrad|enabl|disabl|avoid|expand|rewrit|simplif|"
    r"split|more|better)\w*\b|(?:feat|chore|[\w-]+\([^)]*\))!?:\s",
    re.IGNORECASE,
)
"""Beginnings of entries about past actions, which stay true whatever follows."""


@dataclass(frozen=True, eq=False)
class Token:
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


class Words(list[Token]):
    """Content words that are looked up by their beginnings."""

    @cached_property
    def _by_head(self) -> dict[str, list[Token]]:
        found: dict[str, list[Token]] = {}
        for one in self:
            found.setdefault(one.key[:HEAD], []).append(one)
        return found

    def have(self, one: Token) -> bool:
        """Return whether a word is the same as ``one``."""
        return any(is_same(one, other) for other in self._by_head.get(one.key[:HEAD], ()))


@dataclass(frozen=True, eq=False)
class Clause:
    """A clause: its text, all tokens, and its content words."""

    text: str
    tokens: tuple[Token, ...]
    content: Words

    @cached_property
    def told(self) -> list[re.Match[str]]:
        """Its words of change, but for attributes and those that state a condition."""
        return [
            cue
            for cue in phrases("changing").finditer(self.text)
            if not _is_aside(self.text[: cue.start()], cue.group(), self.text[cue.end() :])
        ]

    @cached_property
    def denies(self) -> bool:
        """Return whether it has a negation."""
        return phrases("denying").search(self.text) is not None

    @cached_property
    def adds(self) -> bool:
        """Return whether it says that it adds something."""
        return phrases("adding").search(self.text) is not None

    @cached_property
    def is_event(self) -> bool:
        """Return whether it reports an action."""
        return EVENT.match(self.text) is not None

    @cached_property
    def heads(self) -> frozenset[str]:
        """The beginnings of its words."""
        return frozenset(one.key[:HEAD] for one in self.tokens)

    @cached_property
    def plain(self) -> list[Token]:
        """Its words except articles."""
        return [one for one in self.tokens if one.form.casefold() not in lexicon().article]


def _is_aside(before: str, cue: str, rest: str) -> bool:
    """Return whether a word of change does not say what happened.

    It is a mere attribute ("a moved comma"), or happens whenever a condition is met ("kept until
    the job is cancelled").
    """
    if _is_conditional(before, cue):
        return True
    is_described = _last(before) in lexicon().determining
    return is_described and _ATTRIBUTE.match(cue + rest) is not None


def _is_conditional(before: str, cue: str) -> bool:
    """Return whether a word of change after ``before`` is part of a condition.

    A word that contrasts ("now", "instead of") belongs to the verb before it; if the condition has
    none ("once a day now"), or the sentence has another one since, it belongs to the sentence.
    """
    for one in reversed(list(phrases("conditional").finditer(before))):
        told = before[one.end() :].strip()
        if _last(before[: one.start()]) in lexicon().determining or told[:1].isdigit():
            continue  # a noun ("a while ago") or a preposition before a limit ("bis 10 MB")
        if not told or _PAUSE.search(told):  # "until now" has no condition
            return False
        is_verb = phrases("contrasting").fullmatch(cue) is None
        return is_verb or len(phrases("finite").findall(told)) == 1
    return False


def _last(text: str) -> str:
    return "".join(text.split()[-1:]).casefold()


class Lexicon(NamedTuple):
    """The closed word classes."""

    function: frozenset[str]
    equal: frozenset[str]
    article: frozenset[str]
    determining: frozenset[str]
    references: frozenset[str]
    joining: frozenset[str]
    numbers: dict[str, str]
    units: dict[str, str]


@cache
def lexicon() -> Lexicon:
    """Return the word classes of all languages."""
    data = table("change")
    counting = dict(data["counting"])
    numbers = counting.pop("numbers")
    references = counting.pop("references")
    joining = {name: frozenset(words.split()) for name, words in data["joining"].items()}
    return Lexicon(
        function=_words_of(data["function"]),
        equal=joining["equal"],
        article=joining["article"],
        determining=_words_of(data["determining"]),
        references=frozenset(references.split()),
        joining=joining["other"] | {"="},
        numbers={word: str(at) for at, line in enumerate(numbers) for word in line.split()},
        units={word: name for name, words in counting.items() for word in words.split()},
    )


def _words_of(languages: Mapping[str, str]) -> frozenset[str]:
    return frozenset(word for line in languages.values() for word in line.split())


@cache
def phrases(name: str) -> re.Pattern[str]:
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
def _tokens(text: str) -> tuple[Token, ...]:
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        form, last = match.group(), found[-1] if found else None
        match match.lastgroup:
            case "number":
                made = _number(form)
            case "name":
                is_source = "://" in form and _SOURCE.search(text[: match.start()])
                sort = "channel" if form[0] in "#@" else ""
                sort = "path" if "/" in form and not is_source else sort
                made = Token(form, form.casefold().strip("`"), "name", sort)
                is_place = last and last.kind == "function" and not form[1:2].isdigit()
                if form[0] == "#" and not is_place:
                    made = Token(form, form.strip(".,:"), "number", "label")  # an issue or a tag
            case "mark":
                made = Token(form, "=" if form in ":=" else form, "mark")
            case "script":
                kind = "function" if _HIRAGANA.fullmatch(form) else "word"
                made = Token(form, form, kind)
            case _:
                begins = last is None or SENTENCE.search(text[: match.start()]) is not None
                made = _word(form, begins=begins)
                unit = lexicon().units.get(form.casefold())
                if unit and last and last.kind == "number" and not last.type:
                    form = f"{last.form} {form}"
                    found[-1] = Token(form, f"{last.key} {made.key}", "number", unit)
                    continue
        found.append(made)
    return tuple(_labelled(found))


def _word(form: str, *, begins: bool) -> Token:
    low, known = form.casefold(), lexicon()
    if low in known.numbers:
        return Token(form, known.numbers[low], "number")
    if known.units.get(low.removesuffix("s")) == "weekday":
        return Token(form, low.removesuffix("s"), "number", "weekday")
    if low in known.function:
        return Token(form, "=" if low in known.equal else low, "function")
    is_name = _CAPITALS.fullmatch(form) or (form[0].isupper() and not begins)
    return Token(form, key(low), "name" if is_name else "word")


@caching.of_words
def key(word: str) -> str:
    """Return the stem of a word, without accents."""
    bare = unicodedata.normalize("NFKD", word)
    return stem("".join(one for one in bare if not unicodedata.combining(one)))


def _number(form: str) -> Token:
    figure = _FIGURE.match(form)
    unit = form[figure.end() :].strip().casefold() if figure else ""
    units = lexicon().units
    sort = units.get(unit) or units.get(form[0]) or ("clock" if _CLOCK.match(form) else "")
    shown = form.strip(".,: ")
    return Token(shown, shown.casefold(), "number", sort)


def _labelled(found: Sequence[Token]) -> Iterator[Token]:
    """Numbers with the noun that they count or number."""
    for at, one in enumerate(found):
        if one.kind != "number" or one.type:
            yield one
            continue
        after = found[at + 1] if at + 1 < len(found) else None
        before = found[at - 1] if at else None
        sort = ""
        if before and before.kind in ("word", "name"):
            is_reference = before.form.casefold() in lexicon().references
            sort = "label" if is_reference else f"no. {before.key}"
        elif after and after.kind == "word":
            sort = after.key
        yield Token(one.form, one.key, "number", sort)


@caching.of_texts
def content(text: str) -> Words:
    """Return the content words of a text."""
    return Words(one for one in _tokens(text) if one.tells)


@caching.of_texts
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text: three words or more, each with its condition."""
    cuts = [0, *(one.end() for one in _PART.finditer(text)), len(text)]
    dependent = (one.start() for one in phrases("dependent").finditer(text))
    cuts = sorted({*cuts, *itertools.dropwhile(lambda at: len(content(text[:at])) < 3, dependent)})
    found: list[tuple[int, int]] = []
    start = 0
    for end in cuts[1:]:
        part = text[start:end]
        is_condition = not start and phrases("dependent").match(part.lstrip())
        if len(content(part)) > 2 and not (is_condition and not _PART.search(part[:-2])):
            found.append((start, end))
            start = end
    if start < len(text):
        found = [*found[:-1], (found[-1][0], len(text))] if found else [(0, len(text))]
    made = [Clause(text[a:b], _tokens(text[a:b]), content(text[a:b])) for a, b in found]
    return tuple(made[:_MOST_CLAUSES])


def is_same(a: Token, b: Token) -> bool:
    """Return whether two words are equal up to their ending."""
    one, other = a.key, b.key
    if one == other:
        return True
    if one[:HEAD] != other[:HEAD] or "number" in (a.kind, b.kind):
        return False
    least = min(len(one), len(other))
    common = next((at for at in range(least) if one[at] != other[at]), least)
    return common >= max(HEAD, 0.7 * max(len(one), len(other)))
