"""Words that announce entries, compiled from ``mind/data/words``.

Each language has a file with labels (before a colon, as a heading or column header), phrases that
begin a sentence, and expressions within a sentence. ``structure.toml`` describes the structure of
files, in every language.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from mind.domain.entry import LOGGED, Kind
from mind.domain.settings import Settings
from mind.text import languages, lazy_pattern, table
from mind.text.dates import only_day

CJK = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SPACE = lazy_pattern(r"\s+")
_DRESS = lazy_pattern(r"[*_`~\"“”„«»]+")
_EDGE = lazy_pattern(r"^[\W_]++|(?<![\W_])[\W_]++$")
_BRACKETED = lazy_pattern(r"(?<=\S)\s*[(\[（【][^()\[\]（）【】]{0,60}[)\]）】]")
_NUMBERING = lazy_pattern(
    r"^(?:[§#]?\s*\d{1,3}(?:\.\d{1,3}){0,2}[.):\s-]\s*)|(?:\s+[#№]?\d{1,4})$|^第\d{1,3}[章节節]\s*"
)
_CJK_SUFFIX = lazy_pattern(
    r"\s*\d{1,4}$|(?:记录|記錄|日志|一览|一覧|事項|事项|列表|まとめ|ログ|点|项)$"
)

_LONGEST = 64
_STRONGEST = 3


_STRUCTURE = table("words/structure")
_ORDER: list[str] = _STRUCTURE["order"]
_TITLES: Mapping[str, list[str]] = _STRUCTURE["titles"]
_TEXT: Mapping[str, list[str]] = _STRUCTURE["text"]

DESCRIPTIONS = frozenset(_TITLES["descriptions"])
PLANS = frozenset(_TITLES["plans"])
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
    return lazy_pattern("|".join(_STRUCTURE["patterns"][name]), re.IGNORECASE)


def fold(text: str) -> str:
    """Normalise a label: lower case, no emphasis, outer emoji or double spaces."""
    plain = _DRESS.sub("", text.replace("’", "'")).casefold()
    return _EDGE.sub("", _SPACE.sub(" ", plain))


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """The words that announce each kind.

    Attributes:
        labels: Folded label → kind.
        strong: Labels that override the kind of their section.
        openers: First word → (phrase, kind), longest phrase first; "" has those in scripts
            without spaces.
        sentences: Expressions that a sentence of a kind contains, in the order they are tried.
        hints: Expressions used only if nothing else announces a kind.
    """

    labels: dict[str, Kind]
    strong: frozenset[str]
    openers: dict[str, tuple[tuple[str, Kind], ...]]
    sentences: tuple[tuple[Kind, re.Pattern[str]], ...]
    hints: tuple[tuple[Kind, re.Pattern[str]], ...]

    def label(self, text: str) -> Kind | None:
        """The kind of the label ``text`` ("Key Decisions:", "4. 決定事項")."""
        return self.labels.get(self.label_form(text))

    def heading(self, text: str) -> Kind | None:
        """The kind of the label ``text`` above a list."""
        if len(text) > _LONGEST:
            return None
        forms = label_forms(text)
        named = next((TITLE_KINDS[form] for form in forms if form in TITLE_KINDS), None)
        planned = Kind.TODO if any(form in PLANS for form in forms) else None
        return named or self.label(text) or planned

    def label_form(self, text: str) -> str:
        """The known label within ``text``, without decoration; "" if none."""
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


@lru_cache(maxsize=4096)
def label_forms(text: str) -> tuple[str, ...]:
    """``text`` folded, then successively without brackets, numbering and qualifiers."""
    form = fold(text)
    forms = [form]
    form = fold(_BRACKETED.sub(" ", text))
    forms.append(form)
    form = fold(_NUMBERING.sub("", form))
    forms += [form, form.replace("-", " ")]
    if CJK.search(form):
        return (*forms, _CJK_SUFFIX.sub("", form))
    words = re.split(r"[ /&,+]+", form)
    while len(words) > 1 and words[0] in _QUALIFIERS:
        words = words[1:]
        forms.append(" ".join(words))
    while len(words) > 1 and words[-1] in _QUALIFIERS:
        words = words[:-1]
        forms.append(" ".join(words))
    return tuple(forms)


def is_one_of(text: str, words: frozenset[str]) -> bool:
    """Return whether ``text`` as a label is among ``words``."""
    return len(text) <= _LONGEST and any(form in words for form in label_forms(text))


def field_of(text: str) -> str:
    """The record field that the label ``text`` names ("why", "date" …); "" if none."""
    if not text or len(text) > _LONGEST:
        return ""
    return next((FIELDS[form] for form in label_forms(text) if form in FIELDS), "")


def state_of(text: str) -> str:
    """The state in a status column or field ("resolved", "rejected" …); "" if none."""
    if not text or len(text) > _LONGEST:
        return ""
    forms = label_forms(text)
    found = next((STATES[form] for form in forms if form in STATES), "")
    return found or STATES.get(forms[0].split(" ", 1)[0].rstrip(",;:"), "")


def lexicon(settings: Settings) -> Lexicon:
    """The vocabulary for ``settings``, compiled once."""
    extra = tuple((kind, tuple(words)) for kind, words in sorted(settings.parser_keywords.items()))
    known = sorted(languages("words"), key="en".__ne__)  # English first
    chosen = settings.parser_languages or known
    return _compiled(tuple(one for one in chosen if one in known), extra)


@lru_cache(maxsize=16)
def _compiled(chosen: tuple[str, ...], extra: tuple[tuple[str, tuple[str, ...]], ...]) -> Lexicon:
    known = {kind.value for kind in Kind}
    labels: dict[str, Kind] = {}
    strong: set[str] = set()
    for kind, words in extra:
        if kind in known:
            labels |= {fold(word): Kind(kind) for word in words}
            strong |= {fold(word) for word in words}
    phrases: list[tuple[str, Kind]] = []
    files = [table(f"words/{language}") for language in chosen]
    for own in files:
        for kind, words in own["labels"].items():
            for word in words:
                labels.setdefault(word, Kind(kind))
            strong |= set(words[:_STRONGEST])
        for kind, words in own.get("openers", {}).items():
            phrases += [(word, Kind(kind)) for word in words]
    return Lexicon(
        labels,
        frozenset(strong),
        _by_first_word(phrases),
        _expressions(files, "sentences"),
        _expressions(files, "hints"),
    )


def _expressions(
    files: Iterable[Mapping[str, Any]], name: str
) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    """The expressions of all languages, joined by kind, in the order they are tried."""
    own = [one.get(name, {}) for one in files]
    joined = ((kind, [part for one in own for part in one.get(kind, ())]) for kind in _ORDER)
    return tuple(
        (Kind(kind), lazy_pattern("|".join(parts), re.IGNORECASE))
        for kind, parts in joined
        if parts
    )


def _by_first_word(
    phrases: Iterable[tuple[str, Kind]],
) -> dict[str, tuple[tuple[str, Kind], ...]]:
    grouped: dict[str, list[tuple[str, Kind]]] = {}
    for phrase, kind in phrases:
        key = "" if CJK.match(phrase) else phrase.split(" ", 1)[0].rstrip(":,.")
        grouped.setdefault(key, []).append((phrase, kind))
    return {
        key: tuple(sorted(found, key=lambda pair: -len(pair[0]))) for key, found in grouped.items()
    }


Force = Literal["mind", "marker", "opener", "sentence", "sign"]

CANONICAL = {kind.traits.keyword: kind for kind in LOGGED}
"""The keywords that Mind itself writes, at the very start of a line."""

_CANONICAL = lazy_pattern(
    rf"(?P<bold>\*\*)?(?P<word>{'|'.join(CANONICAL)}):(?(bold)\*\*) (?=\s*\S)"
)
_SIGNS = {
    **dict.fromkeys("✅☑✔✓", Kind.PROGRESS),
    **dict.fromkeys("⚠🚨💣🔥🪤", Kind.GOTCHA),
    **dict.fromkeys("🐛🐞❗", Kind.PROBLEM),
    **dict.fromkeys("🔜⏳📋⬜🔲☐🗓", Kind.TODO),
    **dict.fromkeys("🚫🗑", Kind.REJECTED),
    **dict.fromkeys("⛔🛑", Kind.BLOCKER),
    **dict.fromkeys("🎯🏁", Kind.GOAL),
    "💡": Kind.LEARNING,
    "🧠": Kind.LEARNING,
}
_SIGN = lazy_pattern(rf"({'|'.join(_SIGNS)})\ufe0f?\s*")
_PICTOGRAPH = lazy_pattern(
    r"([\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff])\ufe0f?\s*(?=\S)"
)
_FLAG = lazy_pattern(
    r"(?:\*\*|__)?(?:KEY|IMPORTANT|important|Important|Key|CRITICAL|NB)(?:\*\*|__)?"
    r"\s*[:：](?:\*\*|__)?\s*"
)
_QUOTE = lazy_pattern(r"[\"“”„«‘`'「『]")
_STAMP = lazy_pattern(
    r"^\[?(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?[^\]\s]*(?: \d\d?:\d\d[^\]\s]*)?\]?"
    r"\s*[-–—:|]?\s+"
)
_DATED = lazy_pattern(
    r"(?:\*\*|__)?(?:\[\s?(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?[^\]\n]{0,20}\](?:\*\*|__)?\s*[-–—:|]?\s*|"
    r"(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?(?:[T ]\d\d?:\d\d(?::\d\d)?Z?)?(?:\*\*|__)?"
    r"\s*(?:[-–—|]|:(?!\d))\s*(?:\*\*|__)?\s*)(?=\S)"
)
_COLON = lazy_pattern(r"[:：](?![:/\\])(?!\d)")
_ADVERB = pattern("adverbs")
_DASH = lazy_pattern(r"\s+(?:--|[-–—])\s+")
_BRACKET = lazy_pattern(r"\[([^\[\]\n]{2,40})\]\s+(?=\S)")
_PLACEHOLDER = lazy_pattern(
    r"(?:\([^()]*\)|<[^<>]*>|\[[^\[\]]*\]|\{+[^{}]*\}+|（[^（）]*）|_{2,}|\.{2,}|…+|(?:\.{3}|…)[^.…]+(?:\.{3}|…))[.:]?"
)

_LABEL_WINDOW = 90
_SENTENCE_WINDOW = 400

_NEGATED = pattern("negations")
_HYPOTHETICAL = pattern("hypothetical")


@dataclass(frozen=True, slots=True)
class Announcement:
    """The meaning of a line that announces an entry.

    Attributes:
        kind: The kind announced.
        text: The line without the keyword, the list marker and the keyword's emphasis.
        force: Form: Mind's own, a keyword with a colon, an opening phrase, a sentence, a symbol.
        why: The form as a readable explanation.
        strong: Whether the keyword overrides the kind of its section.
    """

    kind: Kind
    text: str
    force: Force
    why: str
    strong: bool = False


def canonical(text: str) -> Announcement | None:
    """Parse ``text`` as a line in Mind's own format; None if it is not one."""
    found = _CANONICAL.match(text)
    if found is None:
        return None
    word = found["word"]
    return Announcement(
        CANONICAL[word], text[found.end() :].strip(), "mind", f'keyword "{word}:"', True
    )


def read(text: str, words: Lexicon) -> Announcement | None:
    """Parse the line ``text`` (without list marker and checkbox); None if it announces nothing."""
    sign, text = _sign(_after_day(_STAMP.sub("", text, count=1).strip()))
    if not text or _QUOTE.match(text.lstrip("*_ ")):
        return sign
    flag = _FLAG.match(text)
    rest = text[flag.end() :].strip() if flag else text
    found = marker(rest, words) or opening(rest, words) or sentence(rest, words)
    found = found or (None if flag else sign)
    if found is not None or flag is None:
        return found
    return Announcement(Kind.LEARNING, rest, "sign", f'keyword "{text[: flag.end()].strip(" *_")}"')


_DAY_END = lazy_pattern(r"[:：|)\]]\s*(?:\*\*|__)?\s+|(?:\*\*|__)[:：]?\s+|\s+[-–—]\s+")
_LONGEST_DAY = 40


def _after_day(text: str) -> str:
    """``text`` without a day and its mark at the start: ``(3 April 2026) we chose …``."""
    if not any(mark.isdigit() for mark in text[:_LONGEST_DAY]):
        return text
    ends = _DAY_END.finditer(text[: _LONGEST_DAY + 4])
    found = next((one for one in ends if only_day(text[: one.start()])), None)
    return text[found.end() :] if found else text


def _sign(text: str) -> tuple[Announcement | None, str]:
    found = _SIGN.match(text)
    if found is None:
        return None, text
    rest = text[found.end() :].strip()
    kind = _SIGNS[found.group(1)]
    return Announcement(kind, rest, "sign", f"sign {found.group(1)}"), rest


def marker(text: str, words: Lexicon) -> Announcement | None:
    """A keyword set off by a colon, brackets or a dash, in any markup, followed by text."""
    for head, rest in _splits(text):
        form = words.label_form(head)
        if form and not is_empty(rest):
            return Announcement(
                words.labels[form],
                rest,
                "marker",
                f'keyword "{head.strip(" *_")}:"',
                form in words.strong,
            )
    return None


_QUOTES = frozenset('"“”„«»`')
_GLUED = lazy_pattern(r":[^\s*_]")
_BEGINNING = lazy_pattern(r"[^\n:：]*[:：]\s*[^\n]*|[^\n]*")


def set_off(text: str, words: Lexicon) -> tuple[Kind, str] | None:
    """The kind that the label of a message gives ("Entschieden: Rust"), and the rest; else None.

    Only labels that override the kind of a section count.
    """
    beginning = _BEGINNING.match(text)
    first = beginning.group() if beginning else text
    for head, rest in _splits(first):
        kind = words.labels.get(form := fold(head)) if _QUOTES.isdisjoint(head) else None
        if kind and form in words.strong and not (_GLUED.match(first, len(head)) or is_empty(rest)):
            return kind, rest + text[len(first) :]
    return None


def label_of(text: str) -> tuple[str, str]:
    """The label before the first colon of ``text`` and what follows it; ("", text) if none."""
    return next(_splits(text), ("", text))


def bare(text: str) -> str:
    """A label without its emphasis and colon."""
    return text.strip("*_ ").rstrip(":：").strip("*_ ")


def has_subject(text: str) -> bool:
    """Return whether ``text`` begins with its subject, or is one: "Redux: too slow", "MongoDB"."""
    head, _ = label_of(text)
    named = (head or text).split()
    is_name = text[-1:].isalnum() and all(word[0].isupper() for word in named)
    return len(named) in (1, 2) and (not field_of(head) if head else is_name)


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """Yield ways to split ``text`` into a label and its text."""
    head = text[:_LABEL_WINDOW]
    bracket = _BRACKET.match(head)
    if bracket:
        yield bracket.group(1), text[bracket.end() :].strip()
    colon = _COLON.search(head)
    if colon:
        yield head[: colon.start()].strip(), _rest(text, colon.start(), colon.end())
    dash = _DASH.search(head)
    if dash and (colon is None or dash.start() < colon.start()):
        yield head[: dash.start()].strip(), _rest(text, dash.start(), dash.end())


def _rest(text: str, start: int, end: int) -> str:
    """The text after a label, without the emphasis around the label or the whole."""
    head, rest = text[:start], text[end:].strip()
    for mark in ("**", "__", "~~"):
        if head.count(mark) % 2:
            if rest.startswith(mark):
                return rest[len(mark) :].strip()
            first, closing, last = rest.partition(mark)
            return (first.rstrip() + last if closing else first).strip()
    return rest


def opening(text: str, words: Lexicon) -> Announcement | None:
    """A phrase that opens the sentence and needs no colon ("decided to", "TIL", "fixed")."""
    bare = text.lstrip("*_ ")
    if is_question(text):
        return None
    found = words.opener(bare)
    adverb = None if found else _ADVERB.match(bare)
    if adverb:
        bare = bare[adverb.end() :]
        found = words.opener(bare)
    if found is None:
        return None
    phrase, kind = found
    return Announcement(kind, text.strip(), "opener", f'words "{phrase}"')


def sentence(text: str, words: Lexicon) -> Announcement | None:
    """A sentence that announces an entry ("we are blocked on API access")."""
    head = text[:_SENTENCE_WINDOW]
    if is_question(text) or _HYPOTHETICAL.match(head.lstrip("*_ ")):
        return None
    for kind, expression in words.sentences:
        found = expression.search(head)
        if found and not is_negated(head, found.start()):
            return Announcement(kind, text.strip(), "sentence", f'sentence "{found.group()[:40]}"')
    return None


def is_hypothetical(text: str) -> bool:
    """Return whether ``text`` is a question or hypothetical."""
    return bool(_HYPOTHETICAL.match(text.lstrip("*_ ")))


def is_negated(text: str, at: int) -> bool:
    """Return whether the clause before ``at`` negates the rest."""
    clause = re.split(r"[.;:!?,。、；，]\s?|\s[-–—]\s|\bbut\b", text[max(0, at - 60) : at])[-1]
    return bool(_NEGATED.search(clause))


def undated(text: str) -> str:
    """Return the text after a date in brackets, or a date and a dash; "" without one."""
    found = _DATED.match(text)
    return text[found.end() :].strip() if found else ""


def sign_of(text: str) -> str:
    """The leading pictograph of ``text``; "" if none."""
    found = _PICTOGRAPH.match(text)
    return found.group(1) if found else ""


def is_question(text: str) -> bool:
    """Return whether ``text`` ends in a question mark."""
    return text.rstrip(" *_)").endswith(("?", "？"))


def is_empty(text: str) -> bool:
    """Return whether ``text`` has no content: no word, "None", "n/a", a placeholder."""
    folded = fold(text[:_LABEL_WINDOW])
    if not folded:
        return not re.search(r"\w", text)
    return (len(text) < _LABEL_WINDOW and folded in EMPTY) or is_placeholder(text)


def is_placeholder(text: str) -> bool:
    """Return whether ``text`` is a placeholder of a template: ``<name>``, ``(add …)`` or ``…``."""
    bare = text.strip().strip("*_ ")
    return len(bare) < 200 and not bare.startswith("[[") and bool(_PLACEHOLDER.fullmatch(bare))
