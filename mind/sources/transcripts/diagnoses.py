"""Causes that the agent says it has found, where what followed does not belie them.

A diagnosis is a claim. It counts once files were changed on its account and nobody said afterwards
that it was not it; one that nothing was done about counts only if it tells why, and if no other
took its place.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mind.entry import Kind
from mind.sources.transcripts import causes, failures, phrases
from mind.sources.transcripts.lesson import Lesson, Moment, Words
from mind.sources.transcripts.paragraph import capital, cut, is_prose, listed, size
from mind.sources.transcripts.prose import Sentence

_MOST, _MOST_FILES = 200, 1_000
_FEWEST = 5
_NEXT = 3
"""Sentences behind an announcement among which the cause stands."""
_ACTED = 12
"""Steps after a diagnosis within which something must be done about it."""
_ASSENT, _NEAR = 3, 40
_PLACE = re.compile(r"[`/_]|\w\.\w|[a-z][A-Z]|\w\(")
"""A piece of code, a file, an address."""
_BEHIND = re.compile(r"&\s*$|\bnohup\b|\btmux\b|\bsleep\b")
"""A command that goes on behind: that it was started tells nothing."""


@dataclass(slots=True)
class Diagnosis:
    """A cause that was named.

    Attributes:
        moment: When.
        text: It.
        source: Its sentence.
        why: It tells why.
        conceded: The agent grants the person that it is so.
        own: Files that the session had changed before.
        files: Those changed on its account.
        passed: A command went well afterwards.
        unclear: It was said without a look, or files were changed, perhaps not on its account.
    """

    moment: Moment
    text: str
    source: str
    why: bool
    conceded: bool
    own: frozenset[str]
    files: list[str] = field(default_factory=list)
    passed: bool = False
    unclear: bool = False

    @property
    def is_mended(self) -> bool:
        """Whether something was changed that the session had not made itself."""
        anew = not self.conceded and not self.own.issuperset(self.files)
        return bool(self.files) and (self.why or anew)


class Diagnoses:
    """What a session found to be the cause of something."""

    def __init__(self) -> None:
        self._open: list[Diagnosis] = []
        self._kept: list[Diagnosis] = []
        self._left: list[Diagnosis] = []
        self._touched: dict[str, None] = {}
        self._failed = ""
        self._looked = False

    def looked(self) -> None:
        """The agent has used a tool: what it says next is about what is there."""
        self._looked = True

    def edited(self, file: str, moment: Moment, *, mends: bool) -> None:
        """A file of the project was changed; ``mends`` if it was there before."""
        self._left = []
        if len(self._touched) < _MOST_FILES:
            self._touched[file] = None
        for one in self._open[-1:]:
            near = moment.number - one.moment.number <= _ACTED or bool(one.files)
            one.unclear = one.unclear or not (near and mends)
            if near and mends and not one.passed and file not in one.files:
                one.files.append(file)

    def ran(self, command: str, *, ok: bool) -> None:
        """A command was run."""
        if not ok:
            self._failed = "" if failures.looks(command) else command
        elif not failures.looks(command) and not _BEHIND.search(command):
            for one in self._open:
                one.passed = one.passed or bool(one.files)

    def heard(self, words: Words) -> None:
        """Somebody has said something."""
        if words.by_person:
            self._answered(words)
            return
        if causes.fails_still(words.sentences):
            self._open = [one for one in self._open if not one.files]
        found = self._diagnosis(words)
        if found is not None:
            # whoever looks for another cause has not found it before
            self._open = [one for one in self._open if one.passed]
            self._open.append(found)
            self._left = []

    def lessons(self) -> list[Lesson]:
        """What turned out to be the cause of what."""
        self._settle()
        return [_lesson(one) for one in self._kept] + [_unsolved(one) for one in self._left]

    def _answered(self, words: Words) -> None:
        """The person speaks, and may know better."""
        if causes.harms(words.sentences):
            for one in self._open:
                one.files.clear()
        elif causes.doubts(words.sentences):
            if not self._open and self._kept and _is_near(self._kept[-1], words.moment):
                self._kept.pop()
            self._open, self._left = [], []
        elif sum(size(one.text) for one in words.sentences) <= _ASSENT:
            return  # "yes", "go on": the work on it goes on
        self._settle()
        self._looked = False

    def _settle(self) -> None:
        self._left = [one for one in self._open if _is_left(one)] or self._left
        self._kept += [one for one in self._open if one.is_mended or _stands_alone(one)]
        self._open = []
        del self._kept[_MOST:]

    def _diagnosis(self, words: Words) -> Diagnosis | None:
        for index, one in enumerate(words.sentences):
            after = words.sentences[index + 1 :]
            if after and causes.therefore(after[0]) and _names(one, one.text, tells=False):
                text = f"{one.text} {after[0].text}"
                return self._made(words, one, text, why=True)
            found = causes.announced(one)
            told = _cause(one, found.rest, after[:_NEXT]) if found else None
            if found is None or told is None or (found.points and not self._failed):
                continue
            sentence, text = told
            if found.points:
                command = failures.essence(self._failed).replace("`", "")
                text = f"`{cut(command, 80)}` {text}"
            why = causes.WHY.search(sentence.said) is not None
            return self._made(words, sentence, text, why=why, conceded=found.conceded)
        return None

    def _made(
        self, words: Words, one: Sentence, text: str, *, why: bool, conceded: bool = False
    ) -> Diagnosis:
        own = frozenset(self._touched)
        made = Diagnosis(words.moment, capital(text), one.text, why, conceded, own)
        made.unclear = not self._looked
        return made


def _cause(
    one: Sentence, rest: int | None, after: Sequence[Sentence]
) -> tuple[Sentence, str] | None:
    """The sentence that names the cause, and its words: what is announced, or what follows."""
    if rest is not None and _names(one, one.text[rest:]):
        return one, one.text[rest:]
    for following in after:
        if causes.LEADS_ON.match(following.said):
            return None
        named = causes.announced(following)
        start = (named.rest or 0) if named else 0
        if _names(following, following.text[start:]):
            return following, following.text[start:]
    return None


def _names(one: Sentence, text: str, *, tells: bool = True) -> bool:
    said = one.said[len(one.said) - len(text) :]
    return (
        not one.question
        and not one.text.endswith((":", "："))
        and size(text) >= _FEWEST
        and is_prose(text)
        and (not tells or causes.TELLS.search(said) is not None)
        and causes.UNSURE.search(one.said) is None
        and causes.SLIP.search(one.said) is None
        and causes.STATE.search(one.said) is None
        and phrases.SELF.search(said) is None
        and phrases.POINTS.match(said) is None
        and phrases.OF_NOW.search(said) is None
    )


def _is_near(one: Diagnosis, moment: Moment) -> bool:
    return moment.number - one.moment.number <= _NEAR


def _stands_alone(one: Diagnosis) -> bool:
    return one.why and not one.conceded and not one.unclear


def _is_left(one: Diagnosis) -> bool:
    """Whether two places of the project that do not fit are named, and nothing was done."""
    idle = not one.files and not one.unclear and not one.conceded and not one.why
    return idle and sum(_PLACE.search(word) is not None for word in one.text.split()) > 1


def _unsolved(one: Diagnosis) -> Lesson:
    text = cut(one.text.rstrip(" .!。！"), 220)
    return Lesson(Kind.PROBLEM, text, one.moment, (one.source,))


def _lesson(one: Diagnosis) -> Lesson:
    text = cut(one.text.rstrip(" .!。！"), 220)
    if not one.is_mended:  # a problem would be an open one
        return Lesson(Kind.GOTCHA, text, one.moment, (one.source,))
    text = f"{text} - fixed in {listed(one.files)}"
    return Lesson(Kind.PROBLEM, text, one.moment, (one.source,))
