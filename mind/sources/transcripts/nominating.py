"""Nominate sentences of a session that a colleague would note; the agent or the person decides.

A sentence counts by its speech act, not by its subject: whether it holds in general or only now,
gives a reason or a choice, is hedged, names something; who says it, and whether it answers or
turns down what was said before. Words of the person lay down rules, choices and facts that the
code does not show; those of the agent count less, as findings.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from mind.domain.entry import Kind
from mind.domain.settings import Settings
from mind.sources.git.messages import entries_in
from mind.sources.transcripts import speech
from mind.sources.transcripts.sentences import lines, sentences
from mind.sources.transcripts.turns import Answer, Call, Said, Told, Turn
from mind.text import secrets
from mind.text.language import language

MOST = 5
"""Nominations that are offered at once."""
_PERSON = {
    "general": 2.0, "must": 1.5, "we": 1.5, "rule": 2.0, "reason": 1.5, "choice": 1.0,
    "name": 1.0, "sentence": 1.0, "long": 1.5, "answers": 1.0, "denies": 1.0, "opens": -1.5,
    "passing": -1.5, "self": -1.5, "joke": -1.0,
}  # fmt: skip
_AGENT = {
    "general": 1.5, "must": 1.0, "not": 0.5, "reason": 0.5, "consequence": 1.0, "name": 1.0,
    "sentence": 1.0, "long": 1.0, "sums_up": 1.0, "failed": 0.5, "undone": 3.0, "passing": -0.5,
    "self": -1.5, "past": -0.5,
}  # fmt: skip
"""Points of what a sentence does, and of where it stands in the talk."""
_LEAST, _STRONG = 2.5, 5.0
"""Points from which a sentence is nominated, and of one there must be for any to be offered."""
_ASKED = 9.0
"""Points of what the person asks to keep."""
_ALIKE = 0.6
"""Share of the words from which one sentence repeats another."""
_KEPT = ("messages", "language", "asked", "failed", "done", "stated")
_MOST_DONE, _MOST_STATED, _LONGEST = 60, 8, 600
_MARK = re.compile(r"\W*\w[\w' ]{1,30}[*_]*[:：]")
_LOGS = re.compile(r"(?:^|__)mind_(?:log|update)$")
_LOGS_BY_HAND = re.compile(r"(?:^|[;&|]\s*)mind log\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Nomination:
    """A sentence that may be worth noting.

    Attributes:
        text: As it was said.
        by: "person" or "agent".
        kind: What it would be noted as.
        points: How much speaks for it.
        explicit: The person asked to keep it.
        is_strong: Worth an offer; others go along with it.
        at: Number of its message: what is taken back is in the latest.
        said: When.
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
        """Plain values, for :meth:`read`."""
        said = self.said.isoformat() if self.said else ""
        return asdict(self) | {"kind": self.kind.value, "said": said}

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> "Nomination":
        """The nomination that :meth:`stored` gave."""
        said = datetime.fromisoformat(row["said"]) if row["said"] else None
        return cls(**{**row, "kind": Kind(row["kind"]), "said": said})


@dataclass(slots=True)
class Talk:
    """A session as far as it was heard.

    Attributes:
        waiting: What it nominates, in the order in which it was said.
        messages: How many were heard.
        language: That the person speaks.
        asked: The agent's last message asked something.
        failed: A command failed since the person last said something.
        done: Texts that were offered or noted, which are not nominated again.
        stated: What the person laid down last.
        settings: Languages and keywords of marks such as ``decided:``.
    """

    waiting: list[Nomination] = field(default_factory=list)
    messages: int = 0
    language: str = "en"
    asked: bool = False
    failed: bool = False
    done: list[str] = field(default_factory=list)
    stated: list[str] = field(default_factory=list)
    settings: Settings = field(default_factory=Settings)

    def stored(self) -> dict[str, Any]:
        """Plain values, for :meth:`read`."""
        kept = {name: getattr(self, name) for name in _KEPT}
        return kept | {"waiting": [one.stored() for one in self.waiting]}

    @classmethod
    def read(cls, data: Mapping[str, Any], settings: Settings) -> "Talk":
        """The session that :meth:`stored` gave; one that begins if that was damaged."""
        try:
            waiting = [Nomination.read(row) for row in data.get("waiting", [])]
            return cls(waiting, settings=settings, **{key: data[key] for key in _KEPT})
        except (KeyError, TypeError, ValueError):
            return cls(settings=settings)

    def hear(self, turns: Iterable[Turn]) -> "Talk":
        """Go on listening; what is taken back, logged or repeated does not wait any more."""
        for turn in turns:
            for part in turn.parts:
                self.messages += 1
                if isinstance(part, Said):
                    self._said(part.text, turn.at)
                elif isinstance(part, Told):
                    self._told(part.text, turn.at)
                elif isinstance(part, Answer):
                    self.failed = self.failed or part.failed
                elif logged := _logged(part):
                    self.settle(logged)
        return self

    def settle(self, said: str) -> None:
        """Drop what was offered, or is noted already."""
        self.done = [*self.done, said[:_LONGEST]][-_MOST_DONE:]
        self._drop(said)

    def _drop(self, said: str) -> None:
        self.waiting = [one for one in self.waiting if not speech.same(one.text, said, _ALIKE)]

    def offered(self) -> list[Nomination]:
        """The best of what waits, in the order in which it was said; none if nothing is strong.

        A session with nothing durable has weak nominations, too.
        """
        if not any(one.is_strong for one in self.waiting):
            return []
        ranked = sorted(self.waiting, key=lambda one: (-one.points, -one.at))
        return [one for one in self.waiting if one in ranked[:MOST]]

    def _said(self, text: str, when: datetime | None) -> None:
        self.language = language(text) or self.language
        around = {"opens"} if self.messages == 1 else set[str]()
        around |= {"answers"} if self.asked else set()
        around |= {"denies"} if speech.denies(text, self.language) else set()
        self.asked = self.failed = False
        for number, one in enumerate(_sentences(text, self.language)):
            add = partial(self._nominate, one, by="person", when=when)
            marked = _marked(one.text, self.settings)
            roles = speech.roles(one.text, self.language)
            if marked:
                add(text=marked[1], kind=marked[0], points=_ASKED)
            elif one.wanted or ("keep" in roles and "self" not in roles):
                add(kind=Kind.DECISION, points=_ASKED)
            elif "retract" in roles:
                self._take_back(before=number == 0)
            elif roles and "doubt" not in roles:
                rule = {"rule"} if {"we", "general"} <= roles else set[str]()
                add(kind=Kind.DECISION, points=_points(_PERSON, roles | around | rule))

    def _told(self, text: str, when: datetime | None) -> None:
        spoken_in = language(text) or self.language
        self.asked = speech.is_question(text)
        around = {"failed"} if self.failed else set[str]()
        around |= {"sums_up"} if "\n" in text.strip() else set()
        for one in _sentences(text, spoken_in):
            roles = speech.roles(one.text, spoken_in)
            if roles and not roles & {"doubt", "listener"}:
                kind = Kind.REJECTED if "undone" in roles else Kind.LEARNING
                points = _points(_AGENT, roles | around)
                self._nominate(one, by="agent", kind=kind, points=points, when=when)

    def _nominate(  # noqa: PLR0913 - all of a nomination, by name
        self, one: "_Sentence", *, by: str, kind: Kind, points: float,
        when: datetime | None, text: str = "",
    ) -> None:  # fmt: skip
        """Add a sentence that says enough; to the one before it if that was nominated, too."""
        if points < _LEAST:
            return
        new = Nomination(
            text=text or one.text, by=by, kind=kind, points=points, explicit=points >= _ASKED,
            is_strong=points >= _STRONG and (by == "person" or self.failed),
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
            alike = [one for one in self.waiting if speech.same(one.text, new.text, _ALIKE)]
            if any(_outweighs(one, new) for one in alike) or any(
                speech.same(said, new.text, _ALIKE) for said in self.done
            ):
                return
        self._drop(new.text)
        self.waiting.append(new)
        if new.is_strong and by == "person":
            self.stated = [*self.stated, new.text[:_LONGEST]][-_MOST_STATED:]

    def _take_back(self, *, before: bool) -> None:
        """Drop what the person said last: in this message, or in the one before."""
        theirs = [one for one in self.waiting if one.by == "person"]
        last = theirs[-1].at if theirs else 0
        if theirs and (before or last == self.messages):
            gone = [one.text for one in theirs if one.at == last]
            self.waiting = [one for one in self.waiting if one.text not in gone]
            self.stated = [one for one in self.stated if one not in gone]


def _outweighs(one: Nomination, new: Nomination) -> bool:
    """Return whether a sentence stays where another repeats it."""
    return one.points >= new.points or (one.by == new.by == "person" and not new.explicit)


def asks_to_keep(text: str, settings: Settings | None = None) -> list[Nomination]:
    """The sentences of a prompt that ask to be kept."""
    talk = Talk(settings=settings or Settings())
    turn = Turn(uuid="", session="", at=None, folder="", parts=(Said(text),))
    return [one for one in talk.hear([turn]).waiting if one.explicit]


def _points(table: Mapping[str, float], roles: Iterable[str]) -> float:
    return sum(table.get(role, 0.0) for role in roles)


class _Sentence(NamedTuple):
    """A sentence, the line that it is in, and whether a request to keep stands above it."""

    text: str
    line: str
    wanted: bool


def _sentences(text: str, spoken_in: str) -> Iterator[_Sentence]:
    """Yield the sentences of a message that have no credential."""
    wanted = False
    masked = secrets.mask(text)
    for line, is_item in lines(masked):
        wanted = wanted and is_item
        for sentence in sentences(line):
            if masked == text or sentence in " ".join(text.split()):
                yield _Sentence(sentence, line, wanted)
        if line.endswith((":", "：")):
            wanted = "keep" in speech.roles(line, spoken_in)


def _marked(sentence: str, settings: Settings) -> tuple[Kind, str] | None:
    """Return what follows a mark such as ``decided:`` or ``MEMORY:``."""
    if not _MARK.match(sentence) or speech.is_question(sentence):
        return None
    entries = entries_in(sentence, settings, standing=False)
    return (entries[0].kind, entries[0].text) if entries else None


def _logged(call: Call) -> str:
    """Return what a call notes in memory; "" if it notes nothing."""
    if _LOGS.search(call.tool):
        return " ".join(str(value) for value in call.given.values())
    command = str(call.given.get("command") or "")
    return command if _LOGS_BY_HAND.search(command) else ""
