"""The language that a text is in: by its script, else by the words that it cannot do without.

The words of languages in Latin letters are data: ``mind/data/language``.
"""

import re
from collections.abc import Set as AbstractSet
from functools import cache
from typing import NamedTuple

from mind.text import languages, table

LANGUAGES = ("en", "de", "es", "fr", "pt", "ru", "uk", "zh", "ja", "ko")
"""What a text may be in (ISO 639-1)."""
_READ = 300
"""Characters that are read: what language a text is in shows soon."""
_ENOUGH = 2
_CODE = re.compile(r"(?<!`)`+[^`]+`+|https?://\S+")
_EDGES = '.,;:!?()[]{}"*_~“”„«»¿¡…'
_MARKED = 2
"""What one letter weighs that others of these languages do not have."""

_ENDED = 2
"""What a word weighs by its end."""
_SHORT = 5
"""Letters of words whose end says nothing: "red", "thing"."""

_NO_LATIN = re.compile(r"[\u0400-\u04ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]+")
_HANGUL = re.compile(r"[\uac00-\ud7af]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]+")
_ASCII = re.compile(r"[A-Za-z]+")
_UKRAINIAN = re.compile(
    r"[іїєґІЇЄҐ]|\b(?:та|що|це|але|або|бо|щоб|якщо|вже|лише|коли|тому|немає|буде|виправлено|додано"
    r"|видалено|оновлено)\b",
    re.IGNORECASE,
)
_NOT_RUSSIAN = re.compile(r"[ђјљњћџўѓќЂЈЉЊЋЏЎЃЌ]")
_JAPANESE = re.compile(
    "[検実対変発続読権込働価様応総単戻売気収覧験択広拡継経関転帰両労厳圧壊専巻弾従悪拠挙処図済証辺]"
)
"""Characters as only Japanese writes them: a note of a few words may do without kana."""
_SYLLABLE = 2
_IDEOGRAPH = 3
"""How many letters of an alphabet one character stands for."""


def language(text: str) -> str:
    """The language of ``text``: one of :data:`LANGUAGES`, or "" when unsure.

    A text is in the script that says most of it: kana is Japanese, Hangul Korean, Han Chinese,
    Cyrillic Russian, or Ukrainian where it has letters of it. A text in Latin letters is in the
    language whose function words weigh most, each once; one that few languages have weighs more.
    Notes as short as "fix flaky parser" are told by words that developers write. Code in
    backticks, links, paths and names made of several words say nothing. 300 characters are read.
    """
    text = text[:_READ]
    if "`" in text or "://" in text:
        text = _CODE.sub(" ", text)
    if text.isascii() or not _NO_LATIN.search(text):
        return _by_words(text)
    by_script, share = _by_script(text)
    if share >= _count(_ASCII, text):
        return by_script
    return _by_words(text) or by_script


def foreign(text: str) -> str:
    """The language of ``text`` where it is worth telling: not English, and sure."""
    told = language(text)
    return "" if told == "en" else told


def _by_script(text: str) -> tuple[str, int]:
    """The language that the script tells, and how many Latin letters as much would take."""
    cyrillic = _count(_CYRILLIC, text)
    han, kana, hangul = (_count(one, text) for one in (_HAN, _KANA, _HANGUL))
    share = cyrillic + han * _IDEOGRAPH + (kana + hangul) * _SYLLABLE
    if cyrillic > han + kana + hangul:
        return _in_cyrillic(text), share
    if hangul > kana:
        return "ko", share
    # one kana stands in Chinese too, as a sign or a name
    return "ja" if kana > han // 8 or _JAPANESE.search(text) else "zh", share


def _count(letters: re.Pattern[str], text: str) -> int:
    return len("".join(letters.findall(text)))


def _in_cyrillic(text: str) -> str:
    if _NOT_RUSSIAN.search(text):
        return ""
    return "uk" if _UKRAINIAN.search(text) else "ru"


class _Known(NamedTuple):
    """Marks by which languages in Latin letters are known.

    Attributes:
        letters: Language → letters that the others do not have.
        endings: Language → ends of its words.
        weights: Word → languages that it speaks for, and how much.
        words: All of them.
        nothing: A score of 0 for each language, and for "" those that are not told.
    """

    letters: dict[str, re.Pattern[str]]
    endings: dict[str, tuple[str, ...]]
    weights: dict[str, tuple[tuple[str, int], ...]]
    words: frozenset[str]
    nothing: dict[str, int]


@cache
def _known() -> _Known:
    tables = {name: table(f"language/{name}") for name in languages("language")}
    found: dict[str, dict[str, int]] = {}
    for kind, weight in (("working", 2), ("function", 4)):
        for name, lists in tables.items():
            for word in lists[kind].split():
                found.setdefault(word, {})[name] = weight
    for weights in found.values():
        for name in weights:
            weights[name] = max(1, weights[name] // len(weights))
    for word in table("language/others")["function"].split():
        weights = found.setdefault(word, {})
        weights[""] = max(weights.values(), default=4)
    return _Known(
        letters={
            name: re.compile(f"[{lists['letters']}]+")
            for name, lists in tables.items()
            if "letters" in lists
        },
        endings={name: tuple(lists["endings"].split()) for name, lists in tables.items()},
        weights={word: tuple(weights.items()) for word, weights in found.items()},
        words=frozenset(found),
        nothing=dict.fromkeys((*tables, ""), 0),
    )


def _by_words(text: str) -> str:
    text = text.lower()
    if "'" in text or "’" in text:
        text = text.replace("’", "'").replace("'", "' ")
    words = set(text.split())
    scores = _scores(words)
    if not text.isascii():
        for name, letters in _known().letters.items():
            scores[name] += _count(letters, text) * _MARKED
    return _best(scores) or _looking_closer(words, scores)


def _scores(words: AbstractSet[str]) -> dict[str, int]:
    known = _known()
    scores = dict(known.nothing)
    for word in known.words & words:
        for name, weight in known.weights[word]:
            scores[name] += weight
    return scores


def _looking_closer(words: AbstractSet[str], scores: dict[str, int]) -> str:
    """Words in brackets and before commas count too, and how words end: "pooling", "Umstellung"."""
    bare = {word.strip(_EDGES) for word in words}
    for name, score in _scores(bare - words).items():
        scores[name] += score
    whole = [word for word in bare if word.isalpha() and len(word) > _SHORT]
    for name, endings in _known().endings.items():
        scores[name] += sum(word.endswith(endings) for word in whole) * _ENDED
    return _best(scores)


def _best(scores: dict[str, int]) -> str:
    """The language with the highest score, if that says enough and no other has the same."""
    name = max(scores, key=scores.__getitem__)
    best = scores[name]
    return name if best >= _ENOUGH and [*scores.values()].count(best) == 1 else ""
