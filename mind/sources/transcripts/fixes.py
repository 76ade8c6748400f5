"""Errors that a session has mended: a command fails, files change, the same command passes."""

import re
from collections import OrderedDict
from dataclasses import dataclass, field

from mind.entry import Kind
from mind.sources.transcripts import causes, failures
from mind.sources.transcripts.lesson import Lesson, Memory, Moment, Words
from mind.sources.transcripts.paragraph import cut, is_prose, listed
from mind.sources.transcripts.prose import Sentence

_MOST, _MOST_FILES = 40, 1_000
_STATUS = re.compile(
    r"^(?:(?:ok(?:ay)?|so|and|now|good|great|perfect|right|yes|ah|hm+)\W+)*(?:let me|let['’]s|"
    r"i['’]?ll|i will|"
    r"i['’]m|i['’]ve|i have|i (?:\w+ed|need|should|can|will|see|think|had|was|made)|we (?:can|"
    r"need|should)|now|next|done|"
    r"perfect|great|good|fixed|excellent|running|looking|checking|trying|all (?:\d+ )?tests|"
    r"(?:the|all) (?:tests?|build|suite|checks?|linter|type ?checks?|crash|error|bug|problem|"
    r"issue)\b(?:[\w\s]{0,20}) "
    r"(?:pass|passes|passed|is (?:gone|fixed|green|resolved)|are (?:green|fixed)|succeeds?|works?)|"
    r"it (?:works|passes|builds|starts|compiles)|everything|both|that (?:fixed|did)|tests? pass|"
    r"you(?:['’]re| are) right|sorry|try|please|note)",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:because|since|due to|so that|but|while|instead of|without|missing|never|only|still|"
    r"no longer|"
    r"wrong|stale|outdated|renamed|moved|removed|expects?|requires?|needs?|undefined|null|empty|"
    r"the (?:issue|problem|cause|bug|culprit|error|reason|failure|fix)\b.*\b(?:is|was|comes|came)|"
    r"caused|root cause|isn['’]t|wasn['’]t|aren['’]t|weren['’]t|doesn['’]t|didn['’]t|does not|"
    r"did not|not)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:might|maybe|perhaps|probably|could be|looks like|seems?|possibly|flaky|not sure|"
    r"suspect|unresolved|unsolved|let me (?:look|check|see|try|find))\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|since|due to|caused by|the (?:root )?(?:cause|culprit|reason))\b", re.IGNORECASE
)
_EXPECTED = re.compile(
    r"\b(?:as expected|expected to fail|fails? as it should|should fail|failing tests? first|"
    r"fails first|test[- ]driven|tdd|red[- ]green|flaky|typos?|oops|i forgot|my mistake)\b",
    re.IGNORECASE,
)
_FEWEST = 5
_AFTERWARDS = 2
"""Sentences after a command passes that may be about it; what follows sums everything up."""


@dataclass(slots=True)
class Failure:
    """A command that failed.

    Attributes:
        moment: Of its last failure.
        first: When this error appeared.
        line: What names it.
        own: Files that the session had edited before it first failed.
        files: Edited since.
        edited: When the last of them was.
        passed: When the command passed.
    """

    moment: Moment
    first: int
    line: str
    own: frozenset[str]
    files: list[str] = field(default_factory=list)
    edited: int = 0
    passed: int = 0


class Fixes:
    """What failed in a session, and what was mended."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._open: dict[str, Failure] = {}
        self._passing: list[Failure] = []
        self._found: list[Lesson] = []
        self._touched: OrderedDict[str, None] = OrderedDict()

    def edited(self, file: str, moment: Moment) -> None:
        """A file of the project was edited."""
        self._touched[file] = None
        if len(self._touched) > _MOST_FILES:
            self._touched.popitem(last=False)
        for one in self._open.values():
            one.edited = moment.number
            if file not in one.files:
                one.files.append(file)

    def ran(self, command: str, output: str, moment: Moment, *, ok: bool) -> None:
        """A command was run."""
        if failures.looks(command):
            return
        name = failures.essence(command)
        before = self._open.pop(name, None)
        if not ok:
            line = failures.salient(output)
            first, own = moment.number, frozenset(self._touched)
            if before is not None:
                own = before.own
                first = before.first if before.line == line else first
            if line:
                self._open[name] = Failure(moment, first, line, own)
            if len(self._open) > _MOST:
                del self._open[next(iter(self._open))]
        elif before is not None and before.files:
            before.passed = moment.number
            self._passing.append(before)

    def heard(self, words: Words) -> None:
        """What is said right after a command passes may tell why it does."""
        if not words.by_person or self._passing:
            self._settle()

    def lessons(self) -> list[Lesson]:
        """What was mended and explained."""
        self._settle()
        return self._found

    def _settle(self) -> None:
        for one in self._passing:
            told = self._explained(one)
            if told:
                text = f"{one.line.rstrip('.')} - fixed in {listed(one.files)}: {cut(told, 150)}"
                self._found.append(Lesson(Kind.PROBLEM, text, one.moment, (told, one.line)))
        self._passing.clear()
        del self._found[_MOST * 5 :]

    def _explained(self, failure: Failure) -> str:
        """The agent's sentence that says most about why it failed; "" if none does."""
        heard = [one for one in self._memory.since(failure.first) if not one.by_person]
        said = [
            (words.moment.number, one)
            for words in heard
            for one in words.sentences[
                : None if words.moment.number < failure.passed else _AFTERWARDS
            ]
        ]
        if any(_EXPECTED.search(one.said) for _, one in said):
            return ""
        candidates = [(number, one) for number, one in said if _explains(one)]
        telling = [one for _, one in candidates if _TELLS.search(one.said)]
        # what stands between the failure and the last edit is a diagnosis, whatever its words
        telling += [one for number, one in candidates if number < failure.edited]
        if failure.own.issuperset(failure.files):
            telling = [one for one in telling if _CAUSE.search(one.said)]  # its own beginnings
        named = [one for one in telling if causes.announced(one)]
        # a cause that is named again was not the one before; other words say most at first
        return next((one.text for one in (*named[-1:], *telling)), "")


def _explains(one: Sentence) -> bool:
    return not (
        one.question
        or one.text.endswith(":")
        or len(one.text.split()) < _FEWEST
        or _STATUS.match(one.said)
        or _UNSURE.search(one.said)
        or not is_prose(one.text)
    )
