"""Relations between names, one per line: ``[[auth]] depends-on [[redis]]``.

Also parses ``[[a]] --uses--> [[b]]``, ``[[a]] uses b``, ``a depends-on b``, ``a → b``.
"""

import itertools
import re
from dataclasses import dataclass

from mind.domain.entry import SAME_AS
from mind.text import lazy_pattern
from mind.text.entities import LINK, key_of, page_of

RELATED_TO = "related-to"
"""The predicate of an arrow without a label."""

_SAME = frozenset(
    "same-as sameas same alias alias-of is-alias-of an-alias-of aka a.k.a also-known-as equals "
    "is-the-same-as is-same-as = == ≡ short-for abbreviates stands-for".split()
)
_NO_PREDICATE = frozenset(
    "and or & + , ; und oder y o et ou e и или vs versus the a an this that".split()
)
_PREPOSITIONS = (
    "on|to|of|by|from|with|for|in|into|as|at|a|an|the|than|over|before|after|through|via|upon"
)
_VERBS = (
    "affects affords blocks breaks builds calls causes configures connects consumes contains "
    "controls creates defines depends deploys documents emits enables explains exposes extends "
    "feeds fixes follows generates handles has holds hosts implements imports includes inherits "
    "introduces is isn't knows listens loads maintains manages needs notifies owns parses points "
    "precedes prevents processes produces provides publishes reads receives references refines "
    "relates renders replaces requires returns runs schedules sends serves starts stores "
    "subscribes supersedes supports talks tests tracks triggers updates used uses validates wraps "
    "writes"
)
_ITEM = lazy_pattern(r"\s*(?:[-*+]\s+|\d{1,9}[.)]\s+)?")
_LABEL = r"(?:\s*\|?\s*([^\W\d_](?:[\w ./]|-(?![->]))*?)\s*\|?\s*[-=~]{1,3})?"
_ARROW = lazy_pattern(
    rf"\s*(?:<?[-=~]{{1,3}}{_LABEL}>|(?P<back><[-=~]{{1,3}}{_LABEL}|[←⇐⟵])|[→⇒⟶⟹])"
    r"(?:\|([^|]{1,60})\|)?\s*"
)
_BEFORE = lazy_pattern(rf"(?P<name>.*?)\s+(?P<word>[\w'-]+(?:\s+(?:{_PREPOSITIONS}))*)", re.DOTALL)
_AFTER = lazy_pattern(
    rf"(?P<word>[\w'-]+(?:\s+(?:{_PREPOSITIONS})(?=\s))*)\s+(?P<name>.+)", re.DOTALL
)
_CLAUSE = lazy_pattern(r"\s[-–—]\s|\s\(|[,;:]\s|\.(?:\s|$)|\s(?:because|since|so that|when|if)\s")
_HUMP = lazy_pattern(r"(?<=[a-z])(?=[A-Z])")
_DRESS = " \t-–—=~<>→⇒⟶⟹←⇐⟵:|*_()[]`\"'.,;"
_LONGEST = 1_000
_MOST_WORDS = 6
_MOST_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation: ``predicate`` links ``subject`` to ``object``.

    Attributes:
        subject: A name, as written.
        predicate: In small letters, words joined by hyphens: ``depends-on``.
        object: A name, as written.
    """

    subject: str
    predicate: str
    object: str

    @property
    def keys(self) -> tuple[str, str, str]:
        """Equal for the same relation in other spellings."""
        return key_of(self.subject), self.predicate, key_of(self.object)

    def __str__(self) -> str:
        return f"[[{self.subject}]] {self.predicate} [[{self.object}]]"


def relation(text: str) -> Relation | None:
    """The relation in a line; None if there is none."""
    return next(iter(relations(text)), None)


def relations(text: str) -> tuple[Relation, ...]:
    """All relations in a line: ``[[a]] uses [[b]], [[c]]`` has two."""
    head = text[:_LONGEST]
    line = _ITEM.sub("", head, count=1).strip()
    links = list(LINK.finditer(line))
    found = _linked(line, links) if links else [_plain(line.strip("* "))]
    made = [_made(one) for one in found if one is not None]
    return tuple(dict.fromkeys(one for one in made if one is not None))


def predicate_of(words: str) -> str:
    """``words`` as a predicate: ``depends on``, ``depends_on`` and ``dependsOn`` are equal."""
    plain = _HUMP.sub(" ", words.strip(_DRESS)) if words.strip(" ") not in _SAME else words.strip()
    joined = "-".join(plain.replace("_", " ").replace("-", " ").casefold().split())
    return SAME_AS if joined in _SAME else joined


def name_of(text: str) -> str:
    """A name without the markup of a link, code or emphasis."""
    bare = text.strip()
    link = LINK.fullmatch(bare)
    if link:
        bare = page_of(link[1])
    return bare.strip().strip("*`\"'“”").strip()


def _made(found: Relation) -> Relation | None:
    """A relation with bare names; None if it is none."""
    subject, object_ = page_of(name_of(found.subject)), page_of(name_of(found.object))
    words = predicate_of(found.predicate)
    made = Relation(subject, words, object_)
    is_long = words.count("-") >= _MOST_WORDS or len(words) > _MOST_CHARACTERS
    if is_long or not words or words in _NO_PREDICATE or not subject or not object_:
        return None
    if not set("[]\n").isdisjoint(subject + object_):
        return None
    return made if made.keys[0] != made.keys[2] else None


def _linked(line: str, links: list[re.Match[str]]) -> list[Relation | None]:
    first = links[0]
    before = line[: first.start()].strip(" *_`(\"'")
    if before:
        return [_before(before, name) for name in _listed(line, links)]
    rest = line[first.end() :]
    if len(links) == 1:
        return [_after(first[1], rest.strip(" *`"))]
    middle = line[first.end() : links[1].start()].strip(" *_`()\"'")
    arrow = _ARROW.fullmatch(middle)
    names = _listed(line, links[1:])
    if arrow:
        return [_by_arrow(first[1], arrow, name) for name in names]
    return [Relation(first[1], middle, name) for name in names]


def _listed(line: str, links: list[re.Match[str]]) -> list[str]:
    """The first of ``links``, and those joined by a comma or "and"."""
    names = [links[0][1]]
    for one, other in itertools.pairwise(links):
        if line[one.end() : other.start()].strip(" ,").casefold() not in ("", "and", "&", "und"):
            break
        names.append(other[1])
    return names


def _before(text: str, name: str) -> Relation | None:
    """``auth depends-on`` followed by a link."""
    arrow = _ARROW.search(text)
    if arrow and arrow.end() == len(text) and arrow.start():
        return _by_arrow(text[: arrow.start()], arrow, name)
    found = _BEFORE.fullmatch(text)
    return Relation(found["name"], found["word"], name) if found else None


def _after(name: str, text: str) -> Relation | None:
    """A link followed by ``depends-on redis``."""
    arrow = _ARROW.match(text)
    if arrow and arrow.end() < len(text):
        return _by_arrow(name, arrow, _clause(text[arrow.end() :]))
    found = _AFTER.fullmatch(text)
    return Relation(name, found["word"], _clause(found["name"])) if found else None


def _by_arrow(subject: str, arrow: re.Match[str], object_: str) -> Relation:
    label = next((arrow[at] for at in (1, 3, 4) if arrow[at]), RELATED_TO)
    return Relation(object_, label, subject) if arrow["back"] else Relation(subject, label, object_)


def _clause(text: str) -> str:
    end = _CLAUSE.search(text)
    return text[: end.start()] if end else text


def _plain(line: str) -> Relation | None:
    """A relation without links: an arrow between names, or ``name verb name``."""
    arrow = _ARROW.search(line)
    if arrow and arrow.start() and arrow.end() < len(line):
        made = _by_arrow(line[: arrow.start()], arrow, _clause(line[arrow.end() :]))
        return made if max(made.subject.count(" "), made.object.count(" ")) < 4 else None
    words = _clause(line).split()
    if not 3 <= len(words) <= 5:
        return None
    middle = " ".join(words[1:-1])
    known = (
        words[1].casefold() in _VERBS.split() or "-" in words[1] or predicate_of(middle) == SAME_AS
    )
    is_short = len(words) == 3 or bool(re.fullmatch(_PREPOSITIONS, words[2]))
    return Relation(words[0], middle, words[-1]) if known and is_short else None
