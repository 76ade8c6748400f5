"""The words by which people announce what they remember, from ``mind/data/words``, compiled.

Each language has a file: labels that stand before a colon, as a heading or over a column; phrases
that begin a sentence; expressions that a sentence contains. ``structure.toml`` has what gives a
file its structure, in every language.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from mind.domain.entry import Kind
from mind.domain.settings import Settings

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
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


@cache
def table(name: str) -> Mapping[str, Any]:
    """A file of words, read once."""
    text = files("mind").joinpath(f"data/words/{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


_STRUCTURE = table("structure")
_ORDER: list[str] = _STRUCTURE["order"]
_TITLES: Mapping[str, list[str]] = _STRUCTURE["titles"]
_TEXT: Mapping[str, list[str]] = _STRUCTURE["text"]

DESCRIPTIONS = frozenset(_TITLES["descriptions"])
PLANS = frozenset(_TITLES["plans"])
STATE = frozenset(_TITLES["state"])
LOG = frozenset(_TITLES["log"])
TEMPLATE = frozenset(_TITLES["template"])
NOUNS = frozenset(_TITLES["nouns"])
TITLE_KINDS: Mapping[str, Kind] = {
    word: Kind(kind) for kind, words in _STRUCTURE["title_kinds"].items() for word in words
}
CONTENTS = frozenset(_TITLES["contents"])
COMPOUNDS = tuple(_TITLES["compounds"])
PENDING = tuple(_TITLES["pending"])
EMPTY = frozenset(_TEXT["empty"])
NOT_TITLES = frozenset(_TEXT["not_titles"])
GENERIC = frozenset(_TEXT["generic"])
STATES: Mapping[str, str] = {
    word: state for state, words in _STRUCTURE["states"].items() for word in words
}
"""Words of a status column or field → resolved, open, blocked, rejected, decision …"""
_QUALIFIERS = frozenset(_TEXT["qualifiers"])
FIELDS: Mapping[str, str] = {
    word: name for name, words in _STRUCTURE["fields"].items() for word in words
}


def pattern(name: str) -> re.Pattern[str]:
    """An expression of ``structure.toml``: its alternatives joined."""
    return re.compile("|".join(_STRUCTURE["patterns"][name]), re.IGNORECASE)


def fold(text: str) -> str:
    """``text`` as a label: lower case, without emphasis, emoji at its edges and double spaces."""
    plain = _DRESS.sub("", text.replace("’", "'")).casefold()
    return _EDGE.sub("", _SPACE.sub(" ", plain))


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Which words announce which kind.

    Attributes:
        labels: Folded label → kind.
        strong: Labels that announce their kind anywhere, also in a section of another kind.
        openers: First word → (phrase, kind), longest phrase first; "" holds those in scripts
            without spaces.
        closers: Phrases that end a Japanese sentence, with their kind.
        sentences: Expressions that a sentence of a kind contains, in the order they are tried.
        hints: The same, which count only where nothing else announces a kind.
    """

    labels: dict[str, Kind]
    strong: frozenset[str]
    openers: dict[str, tuple[tuple[str, Kind], ...]]
    closers: tuple[tuple[str, Kind], ...]
    sentences: tuple[tuple[Kind, re.Pattern[str]], ...]
    hints: tuple[tuple[Kind, re.Pattern[str]], ...]

    def label(self, text: str) -> Kind | None:
        """The kind that ``text`` announces as a label ("Key Decisions:", "4. 決定事項")."""
        form = self.label_form(text)
        return self.labels[form] if form else None

    def heading(self, text: str) -> Kind | None:
        """The kind that ``text`` announces as a label over a list."""
        if len(text) > _LONGEST:
            return None
        forms = label_forms(text)
        named = next((TITLE_KINDS[form] for form in forms if form in TITLE_KINDS), None)
        planned = Kind.TODO if any(form in PLANS for form in forms) else None
        return named or self.label(text) or planned

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


@lru_cache(maxsize=4096)
def label_forms(text: str) -> tuple[str, ...]:
    """``text`` folded, then without brackets, numbering and qualifiers, one after another."""
    form = fold(text)
    forms = [form]
    form = fold(_BRACKETED.sub(" ", text))
    forms.append(form)
    form = fold(_NUMBERING.sub("", form))
    forms += [form, form.replace("-", " ")]
    if CJK.search(form):
        return (*forms, _CJK_SUFFIX.sub("", form))
    words = re.split(r"[ /&,+]+", form)
    if len(words) > 7:
        return tuple(forms)
    while len(words) > 1 and words[0] in _QUALIFIERS:
        words = words[1:]
        forms.append(" ".join(words))
    while len(words) > 1 and words[-1] in _QUALIFIERS:
        words = words[:-1]
        forms.append(" ".join(words))
    return tuple(forms)


def is_one_of(text: str, words: frozenset[str]) -> bool:
    """Whether ``text`` as a label is among ``words``."""
    return len(text) <= _LONGEST and any(form in words for form in label_forms(text))


def field_of(text: str) -> str:
    """The field of a record that the label ``text`` names ("why", "date" …); "" if none."""
    if not text or len(text) > _LONGEST:
        return ""
    return next((FIELDS[form] for form in label_forms(text) if form in FIELDS), "")


def state_of(text: str) -> str:
    """The state that a status column or field gives ("resolved", "rejected" …); "" if none."""
    if not text or len(text) > _LONGEST:
        return ""
    forms = label_forms(text)
    found = next((STATES[form] for form in forms if form in STATES), "")
    return found or STATES.get(forms[0].split(" ", 1)[0].rstrip(",;:"), "")


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
    for kind, words in extra:
        if kind in known:
            labels |= {fold(word): Kind(kind) for word in words}
            strong |= {fold(word) for word in words}
    phrases: list[tuple[str, Kind]] = []
    closers: list[tuple[str, Kind]] = []
    for language in languages:
        if language not in _STRUCTURE["languages"]:
            continue
        own = table(language)
        for kind, words in own["labels"].items():
            for word in words:
                labels.setdefault(word, Kind(kind))
            strong |= set(words[:_STRONGEST])
        for kind, words in own["openers"].items():
            found = [(word, Kind(kind)) for word in words]
            (closers if language == "ja" else phrases).extend(found)
    return Lexicon(
        labels,
        frozenset(strong),
        _by_first_word(phrases),
        tuple(_longest_first(closers)),
        _expressions(languages, "sentences"),
        _expressions(languages, "hints"),
    )


def _expressions(languages: Iterable[str], name: str) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    """The expressions of all ``languages``, joined by kind, in the order they are tried."""
    own = [table(one)[name] for one in languages if one in _STRUCTURE["languages"]]
    joined = ((kind, [part for one in own for part in one.get(kind, ())]) for kind in _ORDER)
    return tuple(
        (Kind(kind), re.compile("|".join(parts), re.IGNORECASE)) for kind, parts in joined if parts
    )


def _by_first_word(
    phrases: Iterable[tuple[str, Kind]],
) -> dict[str, tuple[tuple[str, Kind], ...]]:
    grouped: dict[str, list[tuple[str, Kind]]] = {}
    for phrase, kind in phrases:
        key = "" if CJK.match(phrase) else phrase.split(" ", 1)[0].rstrip(":,.")
        grouped.setdefault(key, []).append((phrase, kind))
    return {key: tuple(_longest_first(found)) for key, found in grouped.items()}


def _longest_first(phrases: list[tuple[str, Kind]]) -> list[tuple[str, Kind]]:
    return sorted(phrases, key=lambda pair: -len(pair[0]))
