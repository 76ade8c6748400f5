"""Words that bring a reminder up: how they are said, and whether they come up in a text."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile

from mind.domain import caching
from mind.domain.entry import normalise
from mind.text.dates.days import fold

_EAST = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LONGEST = 500
_WHEN = "(?:when(?:ever)?|if|once|as soon as|(?:the )?next time|every time)"
_SAID = (
    (
        rf"{_WHEN} (?:(?:i|we|you|they|someone|somebody|anyone) )?"
        r"(?:(?:am|are|is) )?(?:start |begin )?(?:mention(?:s|ed|ing)?|talk(?:s|ed|ing)? about|"
        r"discuss(?:es|ed|ing)?|says?|brings? up|asks? about|work(?:s|ed|ing)? (?:on|with)|"
        r"touch(?:es|ed|ing)?|edit(?:s|ed|ing)?|chang(?:es?|ed|ing)|modif(?:y|ies|ied|ying)|"
        r"open(?:s|ed|ing)?|starts? (?:on|with)|(?:come|get|goe?)s? (?:back )?to|see|looks? at|"
        r"deals? with|refactor(?:s|ing)?|review(?:s|ing)?|implement(?:s|ing)?) (?P<what>.+)"
    ),
    (
        rf"{_WHEN} (?P<what>.+?) (?:comes? up|"
        r"(?:is|are|gets?) (?:mentioned|touched|discussed|changed|edited))(?: again)?"
    ),
    r"on (?:any )?mention of (?P<what>.+)",
    (
        r"cuando (?:yo )?(?:se )?(?:mencion(?:e|emos)|habl(?:e|emos) de|"
        r"trabaj(?:e|emos) (?:en|con)|toqu(?:e|emos)|salga|aparezca|surja) (?P<what>.+)"
    ),
    (
        r"wenn (?:ich|wir|man) (?:an |mit |über |von )?(?P<what>.+?) (?:erwähnen?|erwähnt|"
        r"arbeiten?|arbeitet|reden?|redet|sprechen?|spricht|anfassen?|ändern?)"
    ),
    r"wenn (?P<what>.+?) (?:aufkommt|erwähnt wird|zur sprache kommt)",
    (
        r"(?:quand|lorsque|dès que) (?:je|nous|on) (?:mentionn(?:e|ons)|parl(?:e|ons) d(?:e |')|"
        r"travaill(?:e|ons) (?:sur|avec)|touch(?:e|ons)(?: à)?) ?(?P<what>.+)"
    ),
    (
        r"quando (?:eu |nós |a gente )?(?:mencionar(?:mos)?|falar(?:mos)? (?:de|do|da|sobre)|"
        r"trabalhar(?:mos)? (?:em|no|na|com)|mexer(?:mos)? (?:em|no|na)|surgir) (?P<what>.+)"
    ),
    (
        r"когда (?:я|мы) (?:упомян\w+|(?:за)?говор\w+ об?|(?:буд\w+ )?работа\w+ (?:над|с)|"
        r"тро\w+|меня\w+) (?P<what>.+)"
    ),
    r"когда (?:речь )?зайд[её]т (?:речь )?об? (?P<what>.+)",
    (
        r"(?:每?当)?(?:我们?|咱们)?再?次?(?:提到|提及|说到|谈到|讨论|处理|修改) ?"
        r"(?P<what>.+?)(?:的?时候?)?"
    ),
    (
        r"(?P<what>.+?)(?:に触れ(?:たら|るとき)|に言及したら|(?:について|のことを)話(?:したら|すとき)|"
        r"の話が出たら|が話題になったら|を(?:触る|変更する|修正する)とき|(?:に取り組む|の作業をする)とき)"
    ),
)
_BETWEEN = re.compile(
    r"\s*(?:[,;、，；]|(?<!\w)(?:or|o|oder|ou|или)(?!\w)|或者?|または|もしくは)\s*"
)
_AROUND = " \t.\"'`“”‘’«»„「」『』()"
_ARTICLES = re.compile(
    r"^(?:(?:either|the|an?|our|my|your|any|this|that|el|la|los|las|le|les|der|die|das|den|dem|os|as)"
    r"\s+)+(?=\S)",
    re.IGNORECASE,
)
_COMMON = frozenset(
    "a an and any anything as at be by for from had has he her here his how i if in into is it its "
    "me my no not of on or our out she so some something stuff that the their them then there "
    "these they thing things this those to up us was we what when which who with you your "
    "de el en es la los que y der die das und le les et o os e и в на это".split()
)


@cache
def _patterns() -> "tuple[re.Pattern[str], ...]":
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in _SAID)


def trigger_in(text: str) -> tuple[str, ...]:
    """The phrases in "when I mention X", "when we work on X or Y" …; empty if it is none."""
    said = _said(text)
    return phrases(said) if said else ()


def _said(text: str) -> str:
    """The X in "when I mention X"; "" if it says nothing of the kind."""
    plain = " ".join(text[:_LONGEST].split()).rstrip(".!。")
    found = (pattern.fullmatch(plain) for pattern in _patterns())
    return next((match["what"] for match in found if match), "")


def phrases(text: str) -> tuple[str, ...]:
    """Phrases of a ``trigger`` field or of the X in "when I mention X".

    Phrases that come up in every text ("it", "a") are left out.
    """
    parts = _BETWEEN.split(_said(text) or text)
    bare = (_ARTICLES.sub("", part.strip(_AROUND), count=1).strip(_AROUND) for part in parts)
    return tuple(dict.fromkeys(part for part in bare if _tells(part)))


def _tells(phrase: str) -> bool:
    words = list(_words(phrase))
    if re.search(f"[{_EAST}]", phrase) or _symbols(phrase):
        return True
    return any(len(word) > 1 and word not in _COMMON for word in words)


def _symbols(phrase: str) -> bool:
    """Whether it is told by its signs: C++, C#."""
    return bool(re.search(r"\w[+#]+$", phrase))


class Text:
    """A text that phrases are looked for in; taken apart once."""

    def __init__(self, text: str) -> None:
        self._folded = fold(text)
        self._dense = "".join(normalise(text).split())
        self._readings = _readings(text)
        self._places = [_places(words) for words in self._readings]

    def has(self, phrase: str) -> bool:
        """Whether ``phrase`` comes up: its words one after the other, inflected or continued.

        "auth" comes up in "authentication" and in ``user_auth``, but three letters or fewer only
        as a word of their own. Chinese and Japanese have no spaces: there any place counts.
        """
        if re.search(f"[{_EAST}]", phrase):
            return "".join(normalise(phrase).split()) in self._dense
        if _symbols(phrase):
            return bool(re.search(rf"(?<!\w){re.escape(fold(phrase))}(?![\w+#])", self._folded))
        return any(
            _follows(wanted, words, places)
            for wanted in _readings(phrase)
            for words, places in zip(self._readings, self._places, strict=True)
        )


def beginnings(phrase: str) -> list[list[str]]:
    """What an ASCII text that has ``phrase`` contains, in lower case: all of one of the lists."""
    return [
        [_shared(word) for word in words]
        for words in _readings(phrase)
        if words and all(map(str.isascii, words))
    ]


def _shared(word: str) -> str:
    """What each form of a word, and each that leads to one of them, begins with."""
    forms = [form.removesuffix("y") for form in _forms(word)]
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
    """A common form, or one of four letters or more that the word begins with."""
    forms, others = _forms(wanted), _forms(word)
    if forms & others:
        return True
    return any(len(form) >= 4 and one.startswith(form) for form in forms for one in others)


def _readings(text: str) -> list[list[str]]:
    """The words of ``text``, and those with CamelCase taken apart if there is any."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    texts = (text,) if apart == text else (text, apart)
    return [list(_words(one)) for one in texts]


def _words(text: str) -> Iterator[str]:
    yield from re.findall(rf"[^\W_{_EAST}]+", fold(text))


@caching.of_words
def _forms(word: str) -> frozenset[str]:
    return frozenset((word, _stem(word)))


def _stem(word: str) -> str:
    """Without the endings of number, tense and case, as far as spelling tells."""
    if "\u0400" <= word[0] <= "\u04ff":
        return re.sub("(?<=..)[аеиоуыэюяь]{1,3}$", "", word)
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and re.search("[aeiouy]", rest):
            doubled = rest[-1] == rest[-2] and rest[-1] not in "aeiouslz"
            return (rest[:-1] if doubled else rest).removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word
