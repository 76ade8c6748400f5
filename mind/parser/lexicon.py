"""The vocabulary compiled for the languages and extra keywords that are set."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from mind.config import Settings
from mind.entry import Kind
from mind.parser import structure_words
from mind.parser.openers import OPENERS
from mind.parser.vocabulary import LABELS

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SPACE = re.compile(r"\s+")
_DRESS = re.compile(r"[*_`~\"“”„«»]+")
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")
_BRACKETED = re.compile(r"(?<=\S)\s*[(\[（【][^()\[\]（）【】]{0,60}[)\]）】]")
_NUMBERING = re.compile(
    r"^(?:[§#]?\s*\d{1,3}(?:\.\d{1,3}){0,2}[.):\s-]\s*)|(?:\s+[#№]?\d{1,4})$|^第\d{1,3}[章节節]\s*"
)
_CJK_SUFFIX = re.compile(
    r"\s*\d{1,4}$|(?:记录|記錄|日志|一览|一覧|事項|事项|列表|まとめ|ログ|点|项)$"
)

_LONGEST = 64
_STRONGEST = 3


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in text.split("|") if word)


EMPTY = _words(structure_words.EMPTY)
SILENT = _words(structure_words.SILENT)
STATE = _words(structure_words.STATE)
LOG = _words(structure_words.LOG)
NOT_TITLES = _words(structure_words.NOT_TITLES)
DECIDING = _words(structure_words.DECIDING)
FAILING = _words(structure_words.FAILING)
GENERIC = _words(structure_words.GENERIC)
FOLDED = _words(structure_words.FOLDED)
TEMPLATE = _words(structure_words.TEMPLATE)
NOUNS = _words(structure_words.NOUNS)
COMPOUNDS = tuple(structure_words.COMPOUNDS.split("|"))
PENDING = tuple(structure_words.PENDING.split("|"))
_QUALIFIERS = _words(structure_words.QUALIFIERS)
FIELDS = {word: name for name, words in structure_words.FIELDS.items() for word in words.split("|")}


def fold(text: str) -> str:
    """``text`` as a label: lower case, without emphasis, emoji at its edges and double spaces."""
    plain = _DRESS.sub("", text.replace("’", "'")).casefold()
    return _EDGE.sub("", _SPACE.sub(" ", plain))


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """What words announce which kind.

    Attributes:
        labels: Folded label → kind.
        strong: Labels that announce their kind anywhere, also in a section of another kind.
        openers: First word → (phrase, kind), longest phrase first; "" holds those in scripts
            without spaces.
        closers: Phrases that end a Japanese sentence, with their kind.
    """

    labels: dict[str, Kind]
    strong: frozenset[str]
    openers: dict[str, tuple[tuple[str, Kind], ...]]
    closers: tuple[tuple[str, Kind], ...]

    def label(self, text: str) -> Kind | None:
        """The kind that ``text`` announces as a label ("Key Decisions:", "4. 決定事項")."""
        form = self.label_form(text)
        return self.labels[form] if form else None

    def label_form(self, text: str) -> str:
        """The label that ``text`` announces, without what stands around it; "" if none."""
        if len(text) > _LONGEST:
            return ""
        return next((form for form in label_forms(text) if form in self.labels), "")

    def opener(self, text: str) -> tuple[str, Kind] | None:
        """The phrase that opens the sentence ``text``, and its kind."""
        head = _SPACE.sub(" ", _DRESS.sub("", text[:_LONGEST].replace("’", "'"))).casefold()
        head = head.strip()
        first = head.split(" ", 1)[0].rstrip(":,.")
        for phrase, kind in self.openers.get(first, ()):
            rest = head[len(phrase) : len(phrase) + 1]
            if head.startswith(phrase) and not (rest.isalnum() or rest in ("_", "-", "/", ".")):
                return phrase, kind
        for phrase, kind in self.openers.get("", ()):
            if head.startswith(phrase):
                return phrase, kind
        return None

    def closer(self, text: str) -> tuple[str, Kind] | None:
        """The phrase that ends the sentence ``text``, and its kind."""
        tail = text.rstrip(" 。.!！*_")[-24:]
        for phrase, kind in self.closers:
            if tail.endswith(phrase):
                return phrase, kind
        return None


def label_forms(text: str) -> Iterable[str]:
    """``text`` folded, then without brackets, numbering and qualifiers, one after another."""
    form = fold(text)
    yield form
    form = fold(_BRACKETED.sub(" ", text))
    yield form
    form = fold(_NUMBERING.sub("", form))
    yield form
    yield form.replace("-", " ")
    if CJK.search(form):
        yield _CJK_SUFFIX.sub("", form)
        return
    words = re.split(r"[ /&,+]+", form)
    if len(words) > 7:
        return
    while len(words) > 1 and words[0] in _QUALIFIERS:
        words = words[1:]
        yield " ".join(words)
    while len(words) > 1 and words[-1] in _QUALIFIERS:
        words = words[:-1]
        yield " ".join(words)


def is_one_of(text: str, words: frozenset[str]) -> bool:
    """Whether ``text`` as a label is among ``words``."""
    return len(text) <= _LONGEST and any(form in words for form in label_forms(text))


def field_of(text: str) -> str:
    """What the label ``text`` says within a record ("why", "date" …); "" if it is none."""
    if len(text) > _LONGEST:
        return ""
    for form in label_forms(text):
        name = FIELDS.get(form)
        if name:
            return name
    return ""


def lexicon(settings: Settings) -> Lexicon:
    """The vocabulary for ``settings``, compiled once."""
    extra = tuple((kind, tuple(words)) for kind, words in sorted(settings.parser_keywords.items()))
    return _compiled(tuple(settings.parser_languages), extra)


@lru_cache(maxsize=16)
def _compiled(
    languages: tuple[str, ...], extra: tuple[tuple[str, tuple[str, ...]], ...]
) -> Lexicon:
    known = {kind.value for kind in Kind}
    labels: dict[str, Kind] = {}
    strong: set[str] = set()
    phrases: list[tuple[str, Kind]] = []
    closers: list[tuple[str, Kind]] = []
    for kind, words in extra:
        if kind in known:
            labels |= {fold(word): Kind(kind) for word in words}
            strong |= {fold(word) for word in words}
    for language in languages:
        for kind, text in LABELS.get(language, {}).items():
            for place, word in enumerate(text.split("|")):
                labels.setdefault(word, Kind(kind))
                if place < _STRONGEST:
                    strong.add(word)
        for kind, text in OPENERS.get(language, {}).items():
            found = [(word, Kind(kind)) for word in text.split("|")]
            (closers if language == "ja" else phrases).extend(found)
    return Lexicon(
        labels, frozenset(strong), _by_first_word(phrases), tuple(_longest_first(closers))
    )


def _by_first_word(
    phrases: list[tuple[str, Kind]],
) -> dict[str, tuple[tuple[str, Kind], ...]]:
    grouped: dict[str, list[tuple[str, Kind]]] = {}
    for phrase, kind in phrases:
        key = "" if CJK.match(phrase) else phrase.split(" ", 1)[0].rstrip(":,.")
        grouped.setdefault(key, []).append((phrase, kind))
    return {key: tuple(_longest_first(found)) for key, found in grouped.items()}


def _longest_first(phrases: list[tuple[str, Kind]]) -> list[tuple[str, Kind]]:
    return sorted(phrases, key=lambda pair: -len(pair[0]))
