"""Edits that were taken back, and approaches that failed and were replaced by one that worked."""

import re
from collections import deque
from dataclasses import dataclass, field

from mind.entry import Kind
from mind.sources.transcripts import failures
from mind.sources.transcripts.lesson import Lesson, Memory, Moment, Words
from mind.sources.transcripts.reasons import PUT_LATER, Reason, heard_on, reasons

_MOST_EDITS, _MOST_REASONS = 200, 60
_NEAR = 12
"""Steps between a failure and the words about it, and between those and an undone edit."""
_BEFORE = 3
_LONGEST = 100_000
_TELLING = 20
"""Characters that do not stand in two places of a file by chance."""
_UNDOES = re.compile(
    r"\bgit (?:-C \S+ )?(?:checkout(?: HEAD\S*)? -- (?P<files>[^&|;]+)|checkout (?P<all>\.)(?=\s|"
    r"$)|"
    r"restore (?!--staged(?! --worktree))(?P<restored>[^&|;]+)|reset --hard(?=\s*(?:HEAD)?\s*(?:$|"
    r"[&|;]))|revert\b)"
)
_DEBUG = re.compile(
    r"console\.(?:log|debug)|\bprint(?:ln!?|f)?\s*\(|\bdbg!|\bdebugger\b|\bbreakpoint\(|\bpdb\b|"
    r"logger?\.debug|fmt\.Print|var_dump|\bputs\b|sleep\(|\.only\b|\bskip\b|TODO|DEBUG"
)


@dataclass(slots=True)
class Edit:
    """An edit that stands.

    Attributes:
        moment: When it was made.
        file: Which file.
        old: What was there; the whole file if it was written anew.
        new: What is there now.
    """

    moment: Moment
    file: str
    old: str
    new: str


@dataclass(slots=True)
class Undone:
    """Edits that were taken back.

    Attributes:
        edits: They.
        number: When that was.
        reasons: Why.
        followed: Something else was done after it.
    """

    edits: list[Edit]
    number: int
    reasons: list[Reason] = field(default_factory=list)
    followed: bool = False


class Attempts:
    """What was tried in a session."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._edits: deque[Edit] = deque(maxlen=_MOST_EDITS)
        self._undone: deque[Undone] = deque(maxlen=_MOST_EDITS)
        self._failure = -_NEAR
        self._reasons: deque[tuple[Reason, bool]] = deque(maxlen=_MOST_REASONS)
        self._worked: list[Reason] = []
        self._listens = 0
        self._acted = -1

    def edited(self, edit: Edit) -> None:
        """The agent has edited a file."""
        self._acted = edit.moment.number
        if len(edit.old) + len(edit.new) > _LONGEST:
            return
        self._again(edit)
        back = next((one for one in reversed(self._edits) if _takes_back(edit, one)), None)
        if back is not None:
            self._edits.remove(back)
            self._undo([back], edit.moment.number)
            return
        for one in self._undone:
            one.followed = True
        self._edits.append(edit)

    def ran(self, command: str, moment: Moment, *, ok: bool) -> None:
        """The agent has run a command."""
        undoes = _UNDOES.search(command) if ok else None
        if undoes is not None:
            self._restored(undoes, moment.number)
        elif not ok:
            self._failure = moment.number if not failures.looks(command) else self._failure
        elif not failures.looks(command):
            self._works(moment.number)
        if undoes is None and not failures.looks(command):
            self._acted = moment.number

    def heard(self, words: Words) -> None:
        """Somebody has said something."""
        if not words.by_person and self._listens:
            self._listens -= 1
            self._reasons = deque(
                ((heard_on(one, words), known) for one, known in self._reasons), _MOST_REASONS
            )
        for one in self._undone:
            if one.reasons:
                one.reasons = [heard_on(reason, words) for reason in one.reasons]
        number = words.moment.number
        new = reasons(words, self._memory.before(number, _BEFORE))
        for one in self._undone if new else ():
            if number - one.number <= _NEAR // 2 and not one.reasons:
                one.reasons += new
        near = number - self._failure <= _NEAR
        self._reasons.extend((one, near and one.strong) for one in new)
        if new:
            self._listens = PUT_LATER

    def lessons(self) -> list[Lesson]:
        """What was tried and given up, once each."""
        found: dict[str, Lesson] = {}
        for undone in self._undone:
            for reason in undone.reasons[:1] if undone.followed else []:
                found.setdefault(reason.sentence, _lesson(reason, undone.edits[0].file))
        for reason in self._worked:
            found.setdefault(reason.sentence, _lesson(reason))
        return list(found.values())

    def _again(self, edit: Edit) -> None:
        """What is done again was not rejected."""
        for one in list(self._undone):
            if any(_same(edit, other) for other in one.edits):
                self._undone.remove(one)

    def _restored(self, undoes: re.Match[str], number: int) -> None:
        named = (undoes["files"] or undoes["restored"] or "").replace("'", "").replace('"', "")
        files = [name.rstrip("/") for name in named.split() if not name.startswith("-")]
        everything = not files or "." in files
        gone = [one for one in self._edits if everything or _is_among(one.file, files)]
        for one in gone:
            self._edits.remove(one)
        if gone:
            self._undo(gone, number)

    def _undo(self, edits: list[Edit], number: int) -> None:
        if all(_DEBUG.search(_added(one)) for one in edits):
            return
        start = edits[0].moment.number
        near = [one for one, _ in self._reasons if start <= one.moment.number]
        self._undone.append(Undone(edits, number, near[-1:]))

    def _works(self, number: int) -> None:
        """Something works: what failed before it, and was replaced, is done with."""
        rest: deque[tuple[Reason, bool]] = deque(maxlen=_MOST_REASONS)
        for reason, failed in self._reasons:
            replaced = self._acted > reason.moment.number or reason.other
            if failed and replaced and number > reason.moment.number:
                self._worked.append(reason)
            rest.append((reason, failed and not replaced))
        self._reasons = rest
        del self._worked[_MOST_REASONS:]


def _lesson(reason: Reason, file: str = "") -> Lesson:
    where = f" ({file})" if file and file not in reason.text else ""
    return Lesson(Kind.REJECTED, reason.text + where, reason.moment, reason.sources)


def _takes_back(edit: Edit, earlier: Edit) -> bool:
    if edit.file != earlier.file:
        return False
    back = edit.new == earlier.old
    return back and (edit.old == earlier.new or len(edit.new.strip()) >= _TELLING)


def _same(edit: Edit, other: Edit) -> bool:
    return edit.file == other.file and edit.old == other.old and edit.new == other.new


def _is_among(file: str, names: list[str]) -> bool:
    return any(file == name or file.endswith(f"/{name}") or f"{name}/" in file for name in names)


def _added(edit: Edit) -> str:
    """The lines that an edit adds."""
    there = set(edit.old.splitlines())
    return "\n".join(line for line in edit.new.splitlines() if line not in there)
