"""Words for the full-text index: what is stored beside a text, and what a query becomes."""

import re
from collections.abc import Iterable, Iterator

_WORD = re.compile(r"\w+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_MOST_TERMS = 32

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


def body(text: str) -> str:
    """What is indexed for ``text``: itself, the parts of its camelCase names, CJK bigrams."""
    clean = _storable(text)
    return " ".join((clean, *_parts(clean)))


def _storable(text: str) -> str:
    """``text`` without NUL and lone surrogates, which SQLite does not take."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _parts(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        if _CJK.search(word):
            for run in _CJK.findall(word):
                yield from _bigrams(run)
        else:
            parts = _CAMEL.findall(word)
            if len(parts) > 1 and not word.islower():
                yield from parts


def _bigrams(run: str) -> Iterable[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def query_terms(query: str) -> list[str]:
    """The words of a query that carry meaning, in order, each once; all of them if none does.

    At most 32 terms are used: past that a query is a text, and its first words say what it is
    about.
    """
    words = list(dict.fromkeys(word for word in _WORD.findall(_storable(query))))
    telling = [word for word in words if word.casefold() not in STOP_WORDS]
    return (telling or words)[:_MOST_TERMS]


def expression(terms: Iterable[str]) -> str:
    """An FTS5 expression that matches any of ``terms``; every term is quoted, none is syntax."""
    phrases = dict.fromkeys(phrase for term in terms for phrase in _phrases(term))
    return " OR ".join(f'"{phrase}"' for phrase in phrases)


def _phrases(term: str) -> Iterator[str]:
    clean = term.replace('"', " ")
    if _CJK.search(clean):
        for run in _CJK.findall(clean):
            yield from _bigrams(run)
        return
    yield clean
    parts = [part for part in _CAMEL.findall(clean) if len(part) > 1]
    if len(parts) > 1 and not clean.islower():
        yield from parts
