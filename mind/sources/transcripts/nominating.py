"""Nomination of sentences worth noting; the agent or the person decides.

A message is split into paragraphs, list items and sentences, without quotations, code and logs.
Sentences are scored by speech act, not subject: general or momentary, reason or choice, hedged,
about the work or about those who talk; by speaker; and by what precedes them: a denial, a rule,
work with tools. The speech act is recognised by closed-class words, one file per
language. The person's sentences count as rules, choices and facts that the code does not show; the
agent's as findings. The points are those of a logistic regression over the roles.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cache, partial
from typing import Any, NamedTuple

from mind.domain.entry import Kind
from mind.domain.settings import Settings
from mind.sources.git.messages import entries_in
from mind.sources.transcripts.turns import AgentMessage, ToolResult, ToolUse, Turn, UserMessage
from mind.text import languages, lazy_pattern, secrets, table
from mind.text.durability import spoken
from mind.text.language import language

_WRAPPED = 50
"""Minimum length of a wrapped line, in characters."""
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_SHOWN = re.compile(
    r"\s*(?:>|\||#{1,6}\s|    \S|\t|\[\w+\]|\d{4}-\d\d-\d\d[T ]\d\d:|at \S+\(|[+@-]{2,})"
)
"""Matches quoted or displayed lines: quotation, table, heading, code, log."""
_ITEM = re.compile(r"^\s*(?:[-*•+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_ENDED = re.compile(r"[.!?:;…。！？：]['\"”)*`]*$")
_BREAK = re.compile(
    r"(?<!\b[A-Z]\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bz\.B\.)"
    r"(?<=[.!?])[\"'”)*]*\s+(?=\S)|(?<=[。！？])"
)


def sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line; quotations and code do not end one."""
    said, start = spoken(line), 0
    for end in [*(one.start() for one in _BREAK.finditer(said)), len(line)]:
        sentence, start = line[start:end].strip(), end
        if sentence:
            yield sentence


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield paragraphs and list items, each on one line, with True for an item."""
    gathered, is_item = "", False
    for line in [*_FENCE.sub("\n\n", text).splitlines(), ""]:
        bare = "" if _SHOWN.match(line) else " ".join(_ITEM.sub("", line).split())
        starts = bool(_ITEM.match(line))
        if gathered and (not bare or starts or _is_new(gathered, bare)):
            yield gathered, is_item
            gathered = ""
        if bare:
            is_item = starts if not gathered else is_item
            gathered = f"{gathered} {bare}".strip()


def _is_new(before: str, line: str) -> bool:
    """Return True if ``line`` begins a sentence rather than continuing a wrapped one."""
    return bool(_ENDED.search(before)) or not line[0].islower() or len(before) < _WRAPPED


_FEWEST_WORDS, _MOST_WORDS = 3, 60
"""Minimum and maximum number of words of a sentence worth noting."""
_SIZES = {"sentence": 8, "long": 14, "very_long": 20}
"""Minimum number of words of a full statement, of one with a reason, and of an explanation."""
_OPENING = 3
"""Number of words at the start of a message in which a denial is recognised."""
_NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*\D+\d")
"""Matches two numbers, as of a measurement."""
_NO = re.compile(r"^(?:\w+ )?(?:no|nah|nope|nein|nee|non|não|нет)\s*[,!.:]\s*", re.IGNORECASE)
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WRITTEN_TOGETHER = lazy_pattern(f"[{_CJK}]")
_RUN = lazy_pattern(rf"[{_CJK}]+|[^\W{_CJK}]+")
_QUESTION = re.compile(r"[?？]['\"”)*\s]*$")


def roles_of(sentence: str, language: str) -> set[str]:
    """Return the speech-act roles of a sentence.

    Questions, quotations, and too short or too long sentences have none.
    """
    said = _NO.sub("", spoken(sentence).replace("’", "'").replace("\0", " ").strip())
    size = _size(said)
    if _QUESTION.search(said) or not _FEWEST_WORDS <= size <= _MOST_WORDS:
        return set()
    found = {role for role, pattern in _patterns(language).items() if pattern.search(said)}
    found |= {role for role, least in _SIZES.items() if size >= least}
    found |= {"numbers"} if _NUMBERS.search(sentence) else set()
    return found if found & {"self", "listener"} else found | {"impersonal"}


def denies(message: str, language: str) -> bool:
    """Return True if a message begins by rejecting the previous one."""
    found = _patterns(language)["deny"].search(message)
    return found is not None and _size(message[: found.end()]) <= _OPENING


def is_question(message: str) -> bool:
    """Return True if a message ends with a question."""
    return _QUESTION.search(message) is not None


def same(one: str, other: str, share: float) -> bool:
    """Return True if at least this share of the shorter text's words is in the other."""
    first, second = words(one), words(other)
    least = min(len(first), len(second))
    return least > 0 and len(first & second) >= share * least


def _size(text: str) -> int:
    """Return the number of words of a text.

    In scripts without spaces, two characters count as a word.
    """
    return sum(
        (len(run) + 1) // 2 if _WRITTEN_TOGETHER.match(run) else 1 for run in _RUN.findall(text)
    )


def words(text: str) -> set[str]:
    """Return the words of a text; in scripts without spaces, its pairs of characters."""
    found: set[str] = set()
    for run in _RUN.findall(text.lower()):
        if _WRITTEN_TOGETHER.match(run):
            found.update(run[at : at + 2] for at in range(max(1, len(run) - 1)))
        else:
            found.add(run)
    return found


def keeping() -> list[str]:
    """Return the words of all languages that ask to remember something, and Mind's own mark."""
    listed = (table(f"speech/{name}")["keep"] for name in languages("speech"))
    return sorted({"memory:", *(word for words in listed for word in words)})


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    name = language if language in languages("speech") else "en"
    return {role: _either(words) for role, words in table(f"speech/{name}").items()}


def _either(words: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern of whole words, or of substrings in scripts without spaces."""
    apart = [re.escape(word) for word in words if not _WRITTEN_TOGETHER.search(word)]
    together = [re.escape(word) for word in words if _WRITTEN_TOGETHER.search(word)]
    rows = [rf"(?<!\w)(?:{'|'.join(apart)})(?!\w)"] if apart else []
    return re.compile("|".join([*rows, *together]), re.IGNORECASE)


MOST = 5
"""Maximum number of nominations offered at once."""
_TELLING = {
    "general", "must", "not", "choice", "deny", "denies", "numbers", "reason", "undone", "we",
    "worked",
}  # fmt: skip
"""Roles of which a sentence needs one: length alone tells nothing."""
_NO_RULE = {"joke", "doubt", "passing", "self", "past"}
"""Roles of a sentence that states no rule, though it says "we" and "always"."""
_WORKED = 4
"""Minimum number of tool results that precede a finding which took effort."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Points of sentences, and how many are needed.

    Points are log odds of being worth noting.

    Attributes:
        person: Points of the person's sentences by role; those of any sentence under "".
        agent: The same for the agent's.
        least: Minimum points of a nomination.
        strong: Minimum points of an offer: of its best sentence, or of several together.
    """

    person: Mapping[str, float]
    agent: Mapping[str, float]
    least: float
    strong: float

    def points(self, by: str, roles: Iterable[str]) -> float:
        """Return the points of a sentence with these roles; the order of the sum tells nothing."""
        table = self.person if by == "person" else self.agent
        return round(sum(table.get(role, 0.0) for role in {"", *roles}), 6)


WEIGHTS = Weights(
    person={
        "": -4.2, "sentence": 1.2, "long": 1.2, "very_long": 1.4, "impersonal": 1.2,
        "general": 1.0, "doubt": -1.0, "denies": 1.2, "we": 1.6, "choice": 0.9,
        "reason": 0.7, "passing": -0.9, "opens": -1.1, "joke": -0.8,
    },
    agent={
        "": -5.0, "sentence": 1.2, "long": 1.2, "very_long": 1.4, "impersonal": 1.2,
        "general": 1.0, "doubt": -1.0, "numbers": 0.8, "worked": 0.7, "idle": -1.0,
    },
    least=-1.8,
    strong=1.7,
)  # fmt: skip
"""Printed by ``python -m tests.bench.nominations --fit``."""
_ASKED = 9.0
"""Points of an explicit request to remember."""
_ALIKE = 0.6
"""Minimum share of common words for a sentence to repeat another."""
_KEPT = ("messages", "language", "results", "done", "stated")
_MOST_DONE, _MOST_STATED, _LONGEST = 60, 8, 600
_MARK = re.compile(r"\W*\w[\w' ]{1,30}[*_]*[:：]")
_LOGS = re.compile(r"(?:^|__)mind_(?:log|update)$")
_LOGS_BY_HAND = re.compile(r"(?:^|[;&|]\s*)mind log\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Nomination:
    """A sentence that may be worth noting.

    Attributes:
        text: Verbatim.
        by: "person" or "agent".
        kind: Kind of the entry.
        points: Its score, see :class:`Weights`.
        explicit: The person asked to remember it.
        is_strong: Sufficient for an offer by itself.
        at: Number of its message; a retraction drops those of the latest.
        said: Timestamp.
    """

    text: str
    by: str
    kind: Kind
    points: float
    explicit: bool = False
    is_strong: bool = False
    at: int = 0
    said: datetime | None = None

    def stored(self) -> dict[str, Any]:
        """Return plain values for :meth:`read`."""
        said = self.said.isoformat() if self.said else ""
        return asdict(self) | {"kind": self.kind.value, "said": said}

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> "Nomination":
        """Restore a nomination from :meth:`stored`."""
        said = datetime.fromisoformat(row["said"]) if row["said"] else None
        return cls(**{**row, "kind": Kind(row["kind"]), "said": said})


@dataclass(slots=True)
class ListenedSession:
    """State of a session up to the last message read.

    Attributes:
        waiting: Pending nominations, in order.
        messages: Number of messages read.
        language: Language of the person.
        results: Number of tool results since the person's last message.
        done: Texts already offered or noted, which are not nominated again.
        stated: The person's last statement.
        settings: Languages and keywords of marks such as ``decided:``.
        weights: Points by role, and how many are needed.
    """

    waiting: list[Nomination] = field(default_factory=list)
    messages: int = 0
    language: str = "en"
    results: int = 0
    done: list[str] = field(default_factory=list)
    stated: list[str] = field(default_factory=list)
    settings: Settings = field(default_factory=Settings)
    weights: Weights = WEIGHTS

    def stored(self) -> dict[str, Any]:
        """Return plain values for :meth:`read`."""
        kept = {name: getattr(self, name) for name in _KEPT}
        return kept | {"waiting": [one.stored() for one in self.waiting]}

    @classmethod
    def read(cls, data: Mapping[str, Any], settings: Settings) -> "ListenedSession":
        """Restore a session from :meth:`stored`; a new one if damaged."""
        try:
            waiting = [Nomination.read(row) for row in data.get("waiting", [])]
            return cls(waiting, settings=settings, **{key: data[key] for key in _KEPT})
        except (KeyError, TypeError, ValueError):
            return cls(settings=settings)

    def hear(self, turns: Iterable[Turn]) -> "ListenedSession":
        """Process further turns; drops nominations that are retracted, logged or repeated."""
        for turn in turns:
            for part in turn.parts:
                self.messages += 1
                if isinstance(part, UserMessage):
                    self._said(part.text, turn.at)
                elif isinstance(part, AgentMessage):
                    self._told(part.text, turn.at)
                elif isinstance(part, ToolResult):
                    self.results += 1
                elif logged := _logged(part):
                    self.settle(logged)
        return self

    def settle(self, said: str) -> None:
        """Drop a nomination that was offered or is already noted."""
        self.done = [*self.done, said[:_LONGEST]][-_MOST_DONE:]
        self._drop(said)

    def _drop(self, said: str) -> None:
        self.waiting = [one for one in self.waiting if not same(one.text, said, _ALIKE)]

    def offered(self) -> list[Nomination]:
        """Return the best pending nominations, in order; none if they are weak together.

        Sessions without anything durable have weak nominations, too, but few.
        """
        best = sorted(self.waiting, key=lambda one: (-one.points, -one.at))[:MOST]
        if sum(math.exp(one.points) for one in best) < math.exp(self.weights.strong):
            return []
        return [one for one in self.waiting if one in best]

    def _said(self, text: str, when: datetime | None) -> None:
        self.language = language(text) or self.language
        around = {"opens"} if self.messages == 1 else set[str]()
        around |= {"denies"} if denies(text, self.language) else set()
        self.results = 0
        for number, one in enumerate(_sentences(text, self.language)):
            add = partial(self._nominate, one, by="person", when=when)
            marked = _marked(one.text, self.settings)
            roles = roles_of(one.text, self.language)
            if marked:
                add(text=marked[1], kind=marked[0], points=_ASKED)
            elif one.wanted or ("keep" in roles and "self" not in roles):
                add(kind=Kind.DECISION, points=_ASKED)
            elif "retract" in roles:
                self._take_back(before=number == 0)
            elif roles:
                self._weigh(one, "person", roles | around, when)

    def _told(self, text: str, when: datetime | None) -> None:
        spoken_in = language(text) or self.language
        around = {"worked"} if self.results >= _WORKED else set[str]()
        around |= set[str]() if self.results else {"idle"}
        for one in _sentences(text, spoken_in):
            roles = roles_of(one.text, spoken_in)
            if roles:
                self._weigh(one, "agent", roles | around, when)

    def _weigh(self, one: "Sentence", by: str, roles: set[str], when: datetime | None) -> None:
        """Nominate a sentence by its roles, if they give it enough points."""
        kind = Kind.DECISION if by == "person" else Kind.LEARNING
        kind = Kind.REJECTED if by == "agent" and "undone" in roles else kind
        points = self.weights.points(by, roles)
        if by == "person" and _is_rule(roles):
            points = max(points, self.weights.strong)
        if points >= self.weights.least and roles & _TELLING:
            self._nominate(one, by=by, kind=kind, points=points, when=when)

    def _nominate(  # noqa: PLR0913 - all of a nomination, by name
        self, one: "Sentence", *, by: str, kind: Kind, points: float,
        when: datetime | None, text: str = "",
    ) -> None:  # fmt: skip
        """Add a sentence; append it to the previous one if that was nominated."""
        new = Nomination(
            text=text or one.text, by=by, kind=kind, points=points, explicit=points >= _ASKED,
            is_strong=points >= self.weights.strong,
            at=self.messages, said=when,
        )  # fmt: skip
        last = self.waiting[-1] if self.waiting else None
        both = f"{last.text} {new.text}" if last else ""
        if last and last.at == new.at and both in one.line:
            new = replace(
                new, text=both, kind=last.kind, points=max(last.points, points),
                explicit=last.explicit or new.explicit, is_strong=last.is_strong or new.is_strong,
            )  # fmt: skip
        else:
            alike = [one for one in self.waiting if same(one.text, new.text, _ALIKE)]
            if any(_outweighs(one, new) for one in alike) or any(
                same(said, new.text, _ALIKE) for said in self.done
            ):
                return
        self._drop(new.text)
        self.waiting.append(new)
        if new.is_strong and by == "person":
            self.stated = [*self.stated, new.text[:_LONGEST]][-_MOST_STATED:]

    def _take_back(self, *, before: bool) -> None:
        """Drop the person's last statement, in this message or in the previous one."""
        theirs = [one for one in self.waiting if one.by == "person"]
        last = theirs[-1].at if theirs else 0
        if theirs and (before or last == self.messages):
            gone = [one.text for one in theirs if one.at == last]
            self.waiting = [one for one in self.waiting if one.text not in gone]
            self.stated = [one for one in self.stated if one not in gone]


def _outweighs(one: Nomination, new: Nomination) -> bool:
    """Return True if a sentence is kept over another that repeats it."""
    return one.points >= new.points or (one.by == new.by == "person" and not new.explicit)


def asks_to_keep(text: str, settings: Settings) -> list[Nomination]:
    """Return the sentences of a prompt that explicitly ask to be remembered."""
    talk = ListenedSession(settings=settings)
    turn = Turn(uuid="", session="", at=None, folder="", parts=(UserMessage(text),))
    return [one for one in talk.hear([turn]).waiting if one.explicit]


def _is_rule(roles: set[str]) -> bool:
    """Return True for a rule of those who work on the project, and a correction with its reason.

    As in "we never …", and "no, use … because …".
    """
    is_correction = "denies" in roles and bool(roles & {"general", "reason"})
    return (is_correction or {"we", "general"} <= roles) and not roles & _NO_RULE


class Sentence(NamedTuple):
    """A sentence, its line, and True if a request to remember precedes it."""

    text: str
    line: str
    wanted: bool


def _sentences(text: str, spoken_in: str) -> Iterator[Sentence]:
    """Yield the sentences of a message that contain no credential."""
    wanted = False
    masked = secrets.mask(text)
    for line, is_item in lines(masked):
        wanted = wanted and is_item
        for sentence in sentences(line):
            if masked == text or sentence in " ".join(text.split()):
                yield Sentence(sentence, line, wanted)
        if line.endswith((":", "：")):
            wanted = "keep" in roles_of(line, spoken_in)


def _marked(sentence: str, settings: Settings) -> tuple[Kind, str] | None:
    """Return the kind and text after a mark such as ``decided:`` or ``MEMORY:``."""
    if not _MARK.match(sentence) or is_question(sentence):
        return None
    entries = entries_in(sentence, settings)
    return (entries[0].kind, entries[0].text) if entries else None


def _logged(call: ToolUse) -> str:
    """Return the text that a tool call records in memory; "" if it records nothing."""
    if _LOGS.search(call.tool):
        return " ".join(str(value) for value in call.given.values())
    command = str(call.given.get("command") or "")
    return command if _LOGS_BY_HAND.search(command) else ""
