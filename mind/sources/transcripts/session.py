"""One session from its first line to its last, and what it taught."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from mind.entry import Kind
from mind.sources.transcripts import causes, choices, facts, failures, phrases, statements
from mind.sources.transcripts.attempts import Attempts, Edit
from mind.sources.transcripts.diagnoses import Diagnoses
from mind.sources.transcripts.fixes import Fixes
from mind.sources.transcripts.lesson import Lesson, Memory, Moment
from mind.sources.transcripts.paragraph import Places, cut
from mind.sources.transcripts.prose import Sentence
from mind.sources.transcripts.statements import Statement
from mind.sources.transcripts.turns import Answer, Call, Said, Turn

_MOST_CALLS, _MOST_LESSONS = 200, 500
_TOPIC, _SAME = 90, 500
_EDITS = frozenset({"Edit", "MultiEdit", "Write"})
_COMMANDS = frozenset({"Bash", "PowerShell"})


class Session:
    """What happens in a session, line after line.

    It keeps a bounded number of the last calls, words, edits and failures, and what it found.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._memory = Memory()
        self._attempts = Attempts(self._memory)
        self._fixes = Fixes(self._memory)
        self._diagnoses = Diagnoses()
        self._calls: OrderedDict[str, Call] = OrderedDict()
        self._stated: list[Lesson] = []
        self._proposed: list[Lesson] = []
        self._queued: set[str] = set()
        self._asked = ""
        self._teaches = False
        self._decided: list[Lesson] = []
        self._claimed: list[Lesson] = []
        self._answers: dict[str, list[Lesson]] = {}
        self._refusal = False
        self._untouched = True
        self._looked = False
        self._number = 0

    def hear(self, turn: Turn) -> None:
        """Take one line in."""
        for part in turn.parts:
            self._number += 1
            moment = Moment(self._number, turn.uuid, turn.at)
            if isinstance(part, Said) and not self._is_repeated(part):
                self._said(part, moment)
            elif isinstance(part, Said):
                continue
            elif isinstance(part, Call):
                self._teaches = False
                self._looked = True
                self._diagnoses.looked()
                self._calls[part.id] = part
                if len(self._calls) > _MOST_CALLS:
                    self._calls.popitem(last=False)
            else:
                self._answered(part, moment)

    def lessons(self) -> Iterator[Lesson]:
        """What the session taught, when it is over; no sentence is used twice."""
        self._stated += self._proposed + self._claimed
        self._proposed, self._claimed = [], []
        rejected = self._attempts.lessons()
        told = {source for one in rejected for source in one.sources}
        fixes = [one for one in self._fixes.lessons() if one.sources[0] not in told]
        told |= {source for one in fixes for source in one.sources}
        fixes += [one for one in self._diagnoses.lessons() if one.sources[0] not in told]
        told |= {source for one in fixes for source in one.sources}
        stated = [one for one in self._stated if one.sources[0] not in told]
        stated = [one for one in stated if not _is_given_up(one, rejected)]
        found = [*rejected, *fixes, *stated][:_MOST_LESSONS]
        yield from sorted(found, key=lambda one: one.moment.number)

    def _is_repeated(self, said: Said) -> bool:
        """Whether it is a prompt that the client has written down in two places."""
        text = " ".join(said.text.split())[:_SAME]
        if said.by_person and text in self._queued:
            self._queued.discard(text)
            return True
        if said.queued and len(self._queued) < _MOST_CALLS:
            self._queued.add(text)
        return False

    def _said(self, said: Said, moment: Moment) -> None:
        words = self._memory.keep(moment, said.text, by_person=said.by_person)
        self._attempts.heard(words)
        self._fixes.heard(words)
        if said.by_person or not self._teaches:
            self._diagnoses.heard(words)
        if said.by_person:
            self._person(said.text, moment)
            self._asked = words.sentences[0].text if words.sentences else ""
            # an answer out of the agent's head, without a look at the project
            teaches = phrases.TAUGHT.search(said.text) is not None
            self._teaches = teaches or (self._teaches and len(said.text) <= _TOPIC)
            return
        if self._teaches:
            return
        for one in statements.by_agent(said.text, words.sentences):
            if one.proposed:
                self._proposed.append(_lesson(one, moment, self._on(one)))
            else:
                self._stated.append(_lesson(one, moment))
        self._claim(words.sentences, moment)
        del self._stated[_MOST_LESSONS:], self._proposed[_MOST_LESSONS:]

    def _person(self, text: str, moment: Moment) -> None:
        """What the person says; it decides over what the agent has proposed."""
        self._looked = False
        said = self._memory.last()
        found = statements.by_person(text, said)
        self._answer_claims(said)
        found += self._experienced(said, moment, decided=bool(found))
        if statements.revokes(text):
            self._stated = [one for one in self._stated if one not in self._decided]
        self._decided = []
        dropped: list[Lesson] = []
        if statements.objects(text):
            dropped = self._proposed
        else:
            self._stated += self._proposed
        self._proposed = []
        decided = next((one for one in found if one.kind is Kind.DECISION), None)
        over = f" (rather than: {cut(dropped[-1].sources[1], 100).rstrip('.')})" if dropped else ""
        for one in found:
            self._decide(_lesson(one, moment, over if one is decided else ""))

    def _claim(self, said: Sequence[Sentence], moment: Moment) -> None:
        """What the agent says about the code, until the person knows better."""
        found = statements.claims(said, untouched=self._untouched, looked=self._looked)
        if not found:
            return
        told = {one.sources[0] for one in (*self._stated, *self._proposed, *self._claimed)}
        self._claimed += [_lesson(one, moment) for one in found if one.source not in told]
        del self._claimed[_MOST_LESSONS:]

    def _answer_claims(self, said: Sequence[Sentence]) -> None:
        if not causes.denies(said):
            self._stated += [
                one
                for one in self._claimed
                if one.kind is not Kind.PROBLEM or not facts.is_taken_up(said)
            ]
        self._claimed = []

    def _experienced(
        self, said: Sequence[Sentence], moment: Moment, *, decided: bool
    ) -> list[Statement]:
        """What came of it, and what the person forbids who has just refused a call."""
        refused, self._refusal = self._refusal, False
        found = choices.harmed(said, self._memory.before(moment.number, 1))
        if refused and not decided:
            found += choices.forbidden(said)
        return found

    def _decide(self, lesson: Lesson) -> None:
        """The person has decided, and may take it back with the next words."""
        self._stated.append(lesson)
        if lesson.kind is Kind.DECISION:
            self._decided.append(lesson)

    def _on(self, one: Statement) -> str:
        """What a proposal is about, where only the person's question tells."""
        if one.is_answer and 0 < len(self._asked) <= _TOPIC:
            return f" (on: {self._asked.rstrip('.!')})"
        return ""

    def _answered(self, answer: Answer, moment: Moment) -> None:
        call = self._calls.pop(answer.id, None)
        if call is None:
            return
        if answer.refusal:
            self._refused(call, answer.refusal, moment)
        self._refusal = answer.refused and not answer.refusal
        if answer.undone or call.given.get("run_in_background"):
            return
        if call.tool == "AskUserQuestion":
            self._chosen(call.given.get("questions"), answer, moment)
        elif call.tool in _COMMANDS:
            command = str(call.given.get("command") or "")[:5_000]
            ok = not failures.failed(command, answer.text, marked=answer.failed)
            self._attempts.ran(command, moment, ok=ok)
            self._fixes.ran(command, answer.text, moment, ok=ok)
            self._diagnoses.ran(command, ok=ok)
        elif call.tool in _EDITS and not answer.failed:
            self._edited(call, answer, moment)

    def _chosen(self, asked: object, answer: Answer, moment: Moment) -> None:
        """The person has answered; what is asked again was not settled before."""
        self._claim(choices.told(asked), moment)
        headers = choices.headers(asked)
        again = [one for name in headers for one in self._answers.get(name, ())]
        self._stated = [one for one in self._stated if one not in again]
        chosen = [
            _lesson(one, moment) for one in choices.answered(asked, answer.text, answer.choices)
        ]
        for lesson in chosen:
            self._decide(lesson)
        if len(headers) == 1 and len(self._answers) < _MOST_CALLS:
            self._answers[headers[0]] = chosen

    def _refused(self, call: Call, words: str, moment: Moment) -> None:
        """The person refuses a call, and says what is wanted instead."""
        file = self._file(call) if call.tool in _EDITS else ""
        before = self._memory.before(moment.number, 1)
        one = choices.refused(words, file, before)
        if one is not None and not statements.by_person(words):
            self._stated.append(_lesson(one, moment))
        self._said(Said(words, by_person=True), moment)

    def _file(self, call: Call) -> str:
        """The file of the project that a call is about; "" if it is none."""
        file = self._places.relative(str(call.given.get("file_path") or "")).replace("\\", "/")
        return "" if file.startswith(("/", "~", ".claude/", "..")) else file

    def _edited(self, call: Call, answer: Answer, moment: Moment) -> None:
        file = self._file(call)
        if not file:
            return
        self._untouched = False
        for old, new in _changes(call, answer):
            self._attempts.edited(Edit(moment, file, old, new))
        self._fixes.edited(file, moment)
        mends = call.tool != "Write" or bool(answer.original)  # a new file mends nothing
        self._diagnoses.edited(file, moment, mends=mends)


def _changes(call: Call, answer: Answer) -> Iterator[tuple[str, str]]:
    """What was there, and what is there now."""
    given = call.given
    if call.tool == "Write":
        yield answer.original or "", str(given.get("content") or "")
        return
    edits = given.get("edits")
    for one in edits if isinstance(edits, list) else [given]:
        if isinstance(one, dict):
            yield str(one.get("old_string") or ""), str(one.get("new_string") or "")


def _lesson(one: Statement, moment: Moment, more: str = "") -> Lesson:
    topic = one.text if one.proposed else ""
    return Lesson(one.kind, one.text.rstrip(" .") + more, moment, (one.source, one.text), topic)


def _is_given_up(one: Lesson, rejected: list[Lesson]) -> bool:
    """Whether the agent has turned down later what it had decided."""
    words = [word for word in one.topic.split()[1:5] if word[:1].isupper() or "`" in word]
    return any(
        word.strip("`,.") in other.text and other.moment.number > one.moment.number
        for word in words
        for other in rejected
    )
