"""Search terms of a text: folded, split and stemmed, the same for entries and queries."""

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate

from mind.domain import caching
from mind.text import content, languages, lazy_pattern, table

_WORD = lazy_pattern(r"\w+(?:[-\u2010'’]\w+)*")
_HYPHENS = lazy_pattern(r"[-\u2010]")
_PARTS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CJK = lazy_pattern(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_FIRST_CJK = "\u3040"
_CYRILLIC = lazy_pattern(r"[\u0400-\u04ff]")
_LONGEST = 64
_MOST_QUERY_TERMS = 32
_MOST_QUERY_CHARACTERS = 4_000
"""Maximum word characters of a query that are read; other characters are not counted."""
_MOST_READ = 200_000

STOP_WORDS = frozenset(
    """a about again all also am an and any are as at be because been before being but by can could
    did do does doing done for from had has have how i if in into is it its just may me might more
    most my no nor not of on once only or our out over so some such than that the their them then
    there these they this those to too under until up us very via was we were what when where which
    while who why will with would you your
    de la el los las un una y en que es por con para se del al lo le les des et est dans pour une
    der die das und ist nicht ein eine zu den von mit im auf für o e da do em os as no na um uma
    и в на не что с по как это для от из за""".split()
)

_FEWEST = 2
"""Function words that show a language: one alone may be English, as "comment", "man" and "war"."""


def terms(text: str) -> list[str]:
    """Every term of ``text`` in order, repeats included.

    A word is folded (case, accents, compatibility forms) and stemmed; a name made of several
    words (``parseDate``, ``parse_date``) is kept whole and split, and so is a hyphenated word
    ("roll-back": "rollback", "roll", "back"); Chinese, Japanese and Korean become pairs of
    characters, apart from other words within them ("用redis做"). Terms have only letters, digits
    and ``_``.
    """
    return [term for word in _words(text) for term in _terms_of(word)]


def query_terms(query: str) -> list[str]:
    """The informative terms of a query, each once, at most 32; all if none is informative.

    A longer query is a text, whose first words are enough.
    """
    return list(dict.fromkeys(term for word in telling(query) for term in _terms_of(word)))[
        :_MOST_QUERY_TERMS
    ]


def telling(query: str) -> list[str]:
    """The words of a query, as written, without stop words and foreign function words."""
    words = _words(query[:_MOST_READ])
    passed = _function_words(words)
    told = [word for word in words if word.casefold() not in STOP_WORDS]
    rest = [word for word in told if word.casefold() not in passed]
    kept = rest or told or words
    ends = accumulate(len(word) + 1 for word in kept)
    return [word for word, end in zip(kept, ends, strict=True) if end <= _MOST_QUERY_CHARACTERS]


def _function_words(words: Sequence[str]) -> frozenset[str]:
    """The function words of the language of ``words``; empty if that is English or uncertain.

    Languages that have as many of these words each are taken together.
    """
    said = {word.casefold() for word in words}
    english, *others = _of_each_language()
    counts = [len(said & one) for one in _not_english()]
    most = max(counts)
    if most < max(_FEWEST, len(said & english)):
        return frozenset()
    found = (one for one, count in zip(others, counts, strict=True) if count == most)
    return frozenset().union(*found)


@cache
def function_words() -> frozenset[str]:
    """The words that tell nothing by themselves, of all languages with a file of their own."""
    listed = (table(f"language/{name}")["function"].split() for name in languages("language"))
    return frozenset(word for words in listed for word in words)


@cache
def _of_each_language() -> tuple[frozenset[str], ...]:
    """The function words of each language, English first."""
    names = sorted((*languages("language"), "others"), key=lambda name: name != "en")
    return tuple(frozenset(table(f"language/{name}")["function"].split()) for name in names)


@cache
def _not_english() -> tuple[frozenset[str], ...]:
    """The function words of each other language that are none of English."""
    english, *others = _of_each_language()
    return tuple(one - english for one in others)


def joined_terms(query: str) -> dict[str, tuple[str, ...]]:
    """The terms of hyphenated words as a whole, each with those of its parts."""
    words = (_terms_of(word) for word in telling(query) if _HYPHENS.search(word))
    return {found[0]: found[1:] for found in words if found[1:]}


def _words(text: str) -> list[str]:
    plain = _apart(unicodedata.normalize("NFKC", text))
    words = _WORD.findall(plain)
    if "'" in plain or "’" in plain:
        words = [_without_apostrophes(word) for word in words]
    return [part for word in words for part in _cut(word)]


def _apart(text: str) -> str:
    """The text with a space between Chinese, Japanese or Korean and what is written without one."""
    return text if text.isascii() else _CJK.sub(r" \g<0> ", text)


def _cut(word: str) -> list[str]:
    """A long word, cut; a sentence without spaces is no word, and keeps all its pairs."""
    if len(word) <= _LONGEST:
        return [word]
    if _CJK.match(word):
        return [word[at : at + _LONGEST] for at in range(0, len(word) - 1, _LONGEST - 1)]
    return [part[:_LONGEST] for part in _HYPHENS.split(word)]


def _without_apostrophes(word: str) -> str:
    return word.replace("’", "'").removesuffix("'s").replace("'", "")


@caching.of_words
def _terms_of(word: str) -> tuple[str, ...]:
    hyphenated = _HYPHENS.split(word)
    if len(hyphenated) > 1:
        own = (part for part in hyphenated if part.casefold() not in STOP_WORDS)
        return (*_whole("".join(hyphenated)), *(term for part in own for term in _terms_of(part)))
    plain = word.isalpha() and word.islower()
    parts = _PARTS.findall(word) if word.isascii() and not plain else word.split("_")
    if len(parts) <= 1:
        return _whole(word)
    return (*_whole(word), *(term for part in parts if len(part) > 1 for term in _whole(part)))


def _whole(word: str) -> tuple[str, ...]:
    folded = word.casefold().strip("_")
    if folded.isascii() or max(folded) < _FIRST_CJK or not _CJK.search(folded):
        return (stem(folded),) if folded else ()
    return tuple(pair for run in _CJK.findall(folded) for pair in _pairs(run))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def stem(word: str) -> str:
    """``word``, in lower case, without English or Russian endings."""
    if word.isascii():
        return str(_stemmer("english")(word)) if word.isalpha() else word
    if _CYRILLIC.search(word):
        return str(_stemmer("russian")(word))
    marked = unicodedata.normalize("NFKD", word)
    bare = "".join(one for one in marked if not unicodedata.combining(one))
    return str(_stemmer("english")(bare)) if bare.isalpha() else bare


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    import Stemmer  # noqa: PLC0415 - only needed for stemming

    uncached: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
    return uncached


_NAMED = lazy_pattern(r"\w(?:[\w.+#-]*[\w+#])?")
_MOST_WORDS = 3
"""Most words of a name."""
_SIGN = lazy_pattern(r"[^\w\s.,@/:&'’-]")
"""A sign that is part of a name but of no term."""


@caching.of_texts
def other_names(text: str) -> tuple[str, ...]:
    """Return the names of what a text names, and those that the same may have elsewhere.

    These are all names of a thing, the members of a kind ("test runner"), and what the kind of a
    member is called. Names that are everyday words are left out, because they mean it only in code,
    and so are names with signs: without these, ``select *`` and ``1.+`` are everyday words too.
    """
    words = _NAMED.findall(_apart(text.lower()))
    lengths = range(1, _MOST_WORDS + 1)
    said = (" ".join(words[at : at + most]) for at in range(len(words)) for most in lengths)
    names = list(dict.fromkeys(said))
    lines_of = _lines_with(names)
    found: list[str] = []
    for name in names:
        for line in lines_of.get(name, ()):
            kind, _, members = line.rpartition(" : ")
            called = _names(kind)
            found += called if kind and name not in called else [*called, *_names(members)]
    return tuple(one for one in dict.fromkeys(found) if not _SIGN.search(one))


def _names(listed: str) -> list[str]:
    """The names in a list, in lower case, as in texts; without those that are everyday words."""
    names = [" ".join(_apart(one).split()) for one in listed.lower().split(", ")]
    return [one.lstrip("=") for one in names if one and not one.startswith("#")]


def _lines_with(names: Sequence[str]) -> dict[str, list[str]]:
    """The lines of ``names.txt`` with any of these names, by name."""
    wanted = {sign + name.encode() for name in names for sign in (b"", b"=")}
    found: dict[str, list[str]] = {}
    for written, listed in _listed():
        if not wanted.isdisjoint(listed):
            line = written.decode()
            for name in _names(line.replace(" : ", ", ")):
                found.setdefault(name, []).append(line)
    return found


@cache
def _listed() -> list[tuple[bytes, list[bytes]]]:
    """The lines of ``names.txt``, and the names in each as bytes, since few are ever decoded."""
    written = [line for line in content("matching/names").splitlines() if line[:2] != b"# "]
    return [(one, one.lower().replace(b" : ", b", ").split(b", ")) for one in written]
