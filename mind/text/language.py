"""Detect the language of a text by its script, or by function words.

The vocabularies of languages in Latin script are data: ``mind/data/language``.
"""

import re
from collections.abc import Set as AbstractSet
from functools import cache
from typing import NamedTuple

from mind.text import languages, lazy_pattern, table

_READ = 300
"""Characters that are read, which is enough to detect the language."""
_ENOUGH = 2
_CODE = lazy_pattern(r"(?<!`)`+[^`]+`+|https?://\S+")
_EDGES = '.,;:!?()[]{}"*_~“”„«»¿¡…'
_MARKED = 2
"""Weight of a letter that is unique to one of these languages."""

_ENDED = 2
"""Weight of a word's ending."""
_SHORT = 5
"""Length up to which a word's ending is not evidence: "red", "thing"."""

_NO_LATIN = lazy_pattern(r"[\u0400-\u04ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_KANA = lazy_pattern(r"[\u3041-\u3096\u30a1-\u30fa]+")
_HANGUL = lazy_pattern(r"[\uac00-\ud7af]+")
_HAN = lazy_pattern(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_CYRILLIC = lazy_pattern(r"[\u0400-\u04ff]+")
_ASCII = lazy_pattern(r"[A-Za-z]+")
_UKRAINIAN = lazy_pattern(
    r"[іїєґІЇЄҐ]|\b(?:та|що|це|але|або|бо|щоб|якщо|вже|лише|коли|тому|немає|буде|виправлено|додано"
    r"|видалено|оновлено)\b",
    re.IGNORECASE,
)
_NOT_RUSSIAN = lazy_pattern(r"[ђјљњћџўѓќЂЈЉЊЋЏЎЃЌ]")
_JAPANESE = lazy_pattern(
    "[検実対変発続読権込働価様応総単戻売気収覧験択広拡継経関転帰両労厳圧壊専巻弾従悪拠挙処図済証辺]"
)
"""Characters used only in Japanese: a short note may have no kana."""
_SYLLABLE = 2
_IDEOGRAPH = 3
"""Number of Latin letters that one ideograph counts for."""


def language(text: str) -> str:
    """The language of ``text``: one of :data:`LANGUAGES`, or "" if uncertain.

    The script with the largest share decides: kana is Japanese, Hangul Korean, Han Chinese,
    Cyrillic Russian, or Ukrainian if it has letters specific to it. For Latin script, function
    words decide, each counted once and weighted higher if few languages share it. Notes as short as
    "fix flaky parser" are detected by developers' vocabulary. Code in backticks, links, paths and
    compound names are ignored. 300 characters are read.
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
    """The language of ``text`` if it is certain and not English; else ""."""
    told = language(text)
    return "" if told == "en" else told


def _by_script(text: str) -> tuple[str, int]:
    """The language of the script, and its share as an equivalent number of Latin letters."""
    cyrillic = _count(_CYRILLIC, text)
    han, kana, hangul = (_count(one, text) for one in (_HAN, _KANA, _HANGUL))
    share = cyrillic + han * _IDEOGRAPH + (kana + hangul) * _SYLLABLE
    if cyrillic > han + kana + hangul:
        return _in_cyrillic(text), share
    if hangul > kana:
        return "ko", share
    # a single kana also occurs in Chinese, as a symbol or in a name
    return "ja" if kana > han // 8 or _JAPANESE.search(text) else "zh", share


def _count(letters: re.Pattern[str], text: str) -> int:
    return len("".join(letters.findall(text)))


def _in_cyrillic(text: str) -> str:
    if _NOT_RUSSIAN.search(text):
        return ""
    return "uk" if _UKRAINIAN.search(text) else "ru"


class _Known(NamedTuple):
    """Features of languages in Latin script.

    Attributes:
        letters: Language → letters unique to it.
        endings: Language → word endings.
        weights: Word → languages that it indicates, with weights.
        nothing: A score of 0 for each language, and for "", languages that are not reported.
    """

    letters: dict[str, re.Pattern[str]]
    endings: dict[str, tuple[str, ...]]
    weights: dict[str, tuple[tuple[str, int], ...]]
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
    for word in known.weights.keys() & words:
        for name, weight in known.weights[word]:
            scores[name] += weight
    return scores


def _looking_closer(words: AbstractSet[str], scores: dict[str, int]) -> str:
    """Also count words in brackets and before commas, and endings: "pooling", "Umstellung"."""
    bare = {word.strip(_EDGES) for word in words}
    for name, score in _scores(bare - words).items():
        scores[name] += score
    whole = [word for word in bare if word.isalpha() and len(word) > _SHORT]
    for name, endings in _known().endings.items():
        scores[name] += sum(word.endswith(endings) for word in whole) * _ENDED
    return _best(scores)


def _best(scores: dict[str, int]) -> str:
    """The language with the highest score if that is sufficient and unique; else ""."""
    name = max(scores, key=scores.__getitem__)
    best = scores[name]
    return name if best >= _ENOUGH and [*scores.values()].count(best) == 1 else ""
