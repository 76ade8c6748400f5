"""Trigger phrases of reminders: how they are expressed, and matching them in a text."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from mind.domain import caching
from mind.domain.entry import normalise
from mind.text import lazy_pattern, table
from mind.text.dates.days import fold
from mind.text.terms import stem

_EAST = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LONGEST = 500
_MARK = lazy_pattern(r"[,;:](?=\s)|[，、；：]")
_AROUND = " \t.\"'`“”‘’«»„「」『』()"


@cache
def _words_for(part: str) -> frozenset[str]:
    """The words of a part of the data, in all languages."""
    return frozenset(word for rows in _languages() for word in rows.get(part, "").split())


@cache
def _patterns() -> "tuple[tuple[re.Pattern[str], str], ...]":
    """Patterns of conditions, each with the prepositions of its language."""
    return tuple(
        (_pattern(one, rows), rows.get("prepositions", ""))
        for rows in _languages()
        for one in rows["triggers"]
    )


@cache
def _next_session() -> "re.Pattern[str]":
    return _pattern("|".join(rows["next_session"] for rows in _languages()))


@cache
def _conditions() -> "tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]":
    """Patterns of texts that begin with a condition, of openings, and of "the next time"."""
    begins = (f"(?:{one})" for one in _of_each("condition", "(?:{when}) "))
    opens = (f"(?:{one})" for one in _of_each("when"))
    again = (rf"(?<!\w)(?:{one})(?:[ ']|(?<=[{_EAST}]))\w" for one in _of_each("again"))
    return _pattern("|".join(begins)), _pattern("|".join(opens)), _pattern("|".join(again))


@cache
def _requests() -> "tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]":
    """By language: a pattern of "remind me (to)", and of "to" alone."""
    found = []
    for rows in _languages():
        if "request" in rows:
            link = rf"(?:{rows['link']})(?:,\s*|\s+|(?<='))" if "link" in rows else r"(?!)"
            request = rf"(?:{rows['request']})(?!-|[^\W{_EAST}])[\s,:]*(?P<link>{link})?"
            found.append((_pattern(request), _pattern(link)))
    return tuple(found)


def without_request(text: str) -> tuple[str, "re.Pattern[str] | None"]:
    """Split "remind me to" from the beginning of ``text``.

    Returns:
        The rest, and a pattern of "to" if that may follow a time: "remind me tomorrow to …".
    """
    plain = _plain(text)
    for request, link in _requests():
        found = request.match(plain)
        if found and text[found.end() :]:
            return text[found.end() :], None if found["link"] else link
    return text, None


def without_link(text: str, link: "re.Pattern[str] | None") -> str:
    """``text`` without a "to" at its beginning; ``link`` is the pattern of that."""
    found = link.match(_plain(text)) if link else None
    return text[found.end() :] if found else text


def _of_each(part: str, default: str = "") -> Iterator[str]:
    """A part of each language that has it, with placeholders filled in."""
    for rows in _languages():
        text = rows.get(part) or (default if "when" in rows else "")
        if text:
            yield _filled(text, rows)


def _languages() -> "Collection[Mapping[str, Any]]":
    return table("reminders").values()


def _filled(text: str, rows: "Mapping[str, Any]") -> str:
    """Fill in the placeholders of ``text`` for its language: ``{when}`` and so on."""
    text = text.replace("{when}", f"(?:{rows.get('when', '')})")
    text = text.replace("{again}", f"(?:{rows.get('again', '')})")
    return text.replace("{prep}", _leading(rows.get("prepositions", "").split()))


def _leading(words: Iterable[str]) -> str:
    """A pattern of one of these words before another; elided ones have no space: l'API."""
    ends = (re.escape(word) + ("" if word.endswith("'") else r"\s+") for word in words)
    return f"(?:{'|'.join(ends)})"


def _pattern(text: str, rows: "Mapping[str, Any]" = MappingProxyType({})) -> "re.Pattern[str]":
    return re.compile(_filled(re.sub(r"\n\s*", "", text), rows), re.IGNORECASE)


def is_next_session(text: str) -> bool:
    """Return whether the text means "next session", in any language."""
    return _next_session().fullmatch(text) is not None


def has_condition(text: str) -> bool:
    """Return whether a text begins with a condition or "the next time"."""
    begins, _, again = _conditions()
    plain = _plain(text)
    return begins.match(plain) is not None or again.search(plain) is not None


def conditioned(text: str) -> tuple[str, str] | None:
    """(Y, condition) of "when I mention X, Y"; None if ambiguous, or if X is nearly everywhere."""
    begins, opens, _ = _conditions()
    plain = _plain(text)
    if not begins.match(plain):
        return None
    opened = opens.match(plain)
    marks = list(_MARK.finditer(text, opened.end() if opened else 0))
    if len(marks) != 1:
        return None
    condition, rest = text[: marks[0].start()], text[marks[0].end() :].strip()
    is_everywhere = _words_for("everywhere").issuperset(trigger_in(condition))
    return (rest, condition) if rest and not is_everywhere else None


def trigger_in(text: str) -> tuple[str, ...]:
    """The phrases in "when I mention X", "when we work on X or Y" …; empty if none match."""
    return phrases(text) if _said(text)[0] else ()


def _said(text: str) -> tuple[str, str]:
    """The X in "when I mention X" and its language's prepositions; "" if there is none."""
    plain = " ".join(_plain(text)[:_LONGEST].split()).rstrip(".!。")
    found = ((pattern.fullmatch(plain), before) for pattern, before in _patterns())
    return next(((match["what"], before) for match, before in found if match), ("", ""))


def _plain(text: str) -> str:
    return text.replace("’", "'")


def phrases(text: str) -> tuple[str, ...]:
    """Phrases of a ``trigger`` field or of the X in "when I mention X".

    Phrases found in nearly every text ("it", "a") are left out.
    """
    said, prepositions = _said(text)
    before = _before(prepositions)
    parts = _between().split(said or text)
    bare = (before.sub("", part.strip(_AROUND)).strip(_AROUND) for part in parts)
    return tuple(dict.fromkeys(part for part in bare if _tells(part)))


@cache
def _between() -> "re.Pattern[str]":
    """A separator or conjunction between two phrases; in scripts without spaces, anywhere."""
    words = sorted(_words_for("or"), key=len, reverse=True)
    east = [word for word in words if re.search(f"[{_EAST}]", word)]
    west = "|".join(word for word in words if word not in east)
    return re.compile(rf"\s*(?:[,;、，；]|(?<!\w)(?:{west})(?!\w)|{'|'.join(east)})\s*")


@cache
def _before(prepositions: str) -> "re.Pattern[str]":
    """Articles, these prepositions and "topic of" before a word."""
    words = _leading((*_words_for("articles"), *prepositions.split()))
    about = "|".join(_of_each("about"))
    return re.compile(rf"\A(?:{words}|(?:{about})\s+)+(?=\S)", re.IGNORECASE)


def _tells(phrase: str) -> bool:
    words = list(_words(phrase))
    if re.search(f"[{_EAST}]", phrase) or _symbols(phrase):
        return True
    return any(len(word) > 1 and word not in _words_for("common") for word in words)


def _symbols(phrase: str) -> bool:
    """Return whether symbols are essential to the phrase: C++, C#."""
    return bool(re.search(r"\w[+#]+$", phrase))


class TriggerText:
    """A text to search for phrases; tokenised once."""

    def __init__(self, text: str) -> None:
        self._folded = fold(text)
        self._dense = "".join(normalise(text).split())
        self._readings = [(words, _places(words)) for words in _readings(text)]

    def has(self, phrase: str) -> bool:
        """Return whether ``phrase`` occurs: its words in sequence, inflected or continued.

        "auth" matches "authentication" and in ``user_auth``, but three letters or fewer only
        as a word of their own. Chinese and Japanese phrases match anywhere.
        """
        if re.search(f"[{_EAST}]", phrase):
            return "".join(normalise(phrase).split()) in self._dense
        if _symbols(phrase):
            return bool(re.search(rf"(?<!\w){re.escape(fold(phrase))}(?![\w+#])", self._folded))
        return any(
            _follows(wanted, words, places)
            for wanted in _readings(phrase)
            for words, places in self._readings
        )


def beginnings(phrase: str) -> list[list[str]]:
    """Lists of lower-case strings; an ASCII text with ``phrase`` contains all of one list."""
    return [
        [_shared(word) for word in words]
        for words in _readings(phrase)
        if words and all(map(str.isascii, words))
    ]


def _shared(word: str) -> str:
    """Return the common prefix of all forms of a word and the words that share them."""
    forms = [re.sub("(?:l|l?[eiy]+)$", "", form) for form in _forms(word)]  # flies, fly: fl
    same = (len(set(letters)) == 1 for letters in zip(*forms, strict=False))
    return forms[0][: len(list(takewhile(bool, same)))]


def _places(words: list[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        places.setdefault(word, []).append(at)
    return places


def _follows(wanted: list[str], words: list[str], places: dict[str, list[int]]) -> bool:
    if not wanted:
        return False
    starts = (at for word in places if _matches(wanted[0], word) for at in places[word])
    return any(
        all(map(_matches, wanted, words[at : at + len(wanted)]))
        for at in starts
        if at + len(wanted) <= len(words)
    )


def _matches(wanted: str, word: str) -> bool:
    """Match a common form, or a prefix of four letters or more."""
    forms, others = _forms(wanted), _forms(word)
    if forms & others:
        return True
    return any(len(form) >= 4 and one.startswith(form) for form in forms for one in others)


def _readings(text: str) -> list[list[str]]:
    """The words of ``text``, and, if it has CamelCase, also with that split."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    texts = (text,) if apart == text else (text, apart)
    return [list(_words(one)) for one in texts]


def _words(text: str) -> Iterator[str]:
    yield from re.findall(rf"[^\W_{_EAST}]+", fold(text))


@caching.of_words
def _forms(word: str) -> frozenset[str]:
    return frozenset((word, stem(word)))
