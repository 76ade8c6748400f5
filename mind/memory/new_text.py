"""New text of entries: how it is read, and the checks before it is written.

Everything that records, corrects, summarises, confirms or previews a text reads it with
:func:`read` or :func:`correcting` and checks it with :meth:`NewText.examine`, in this order:
credentials, form, kind and tags; short-lived statements; claims about the user; the archive;
earlier rejections; duplicates and similar entries.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from mind.documents import memory_file, parser
from mind.domain.entry import KEYWORDS, LOGGED, Entry, Kind, content_id, parse_kind
from mind.domain.errors import InputError
from mind.domain.settings import Settings
from mind.memory import checks, sync, validation
from mind.memory.answers import Loop
from mind.search import supersession
from mind.storage import pending
from mind.text import durability

if TYPE_CHECKING:
    from mind.memory.session import Visit
    from mind.memory.workspace import Workspace
    from mind.storage.pending import Pending

UNCHECKED = InputError("the text was not checked", remedy="Examine it first.")
_READ = frozenset(LOGGED) - {Kind.GOAL, Kind.NOTE}


@dataclass(slots=True, kw_only=True)
class NewText:
    """The text of a new entry, or of entries that it corrects, with the results of its checks.

    Attributes:
        kind: Kind of the entry.
        text: The text, without a label that gives its kind.
        message: The text with inline fields.
        line: Its lines in the file (see :func:`memory_file.line_for`).
        day: Day of the entry.
        corrects: Ids of the entries whose text it replaces; empty for a new entry.
        replaces: Ids of the entries that a new one supersedes.
        overridden: Acknowledged short-lived phrases.
        claim: Phrase that makes it a claim about the user, which must be confirmed; "" if none.
        refusal: Reason not to write it: UNCHECKED until the checks without the index are done, then
            Transient, Repeated, Forgotten or None.
        same: Entry that says it already; a new entry is not written then.
        loops: Earlier rejections that it repeats or contradicts.
        perhaps: Rejections and gotchas that may apply.
        contradicts: Entries that it contradicts, each with the old and the new value.
        related: These and other similar entries, which it may supersede, at most three.
        is_twin: True if a similar entry may have the same words, and thus the same id.
    """

    kind: Kind
    text: str
    message: str
    line: str
    day: date
    corrects: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    overridden: tuple[str, ...] = ()
    claim: str = ""
    refusal: InputError | None = UNCHECKED
    same: Entry | None = None
    loops: tuple[Loop, ...] = ()
    perhaps: tuple[Entry, ...] = ()
    contradicts: tuple[tuple[Entry, str, str], ...] = ()
    related: tuple[Entry, ...] = ()
    is_twin: bool = False

    def entry(self, settings: Settings) -> Entry:
        """Return the entry that it becomes when it is recorded."""
        text = " ".join(self.text.split())
        entry = parser.parse_line(self.line, settings)
        base = entry or Entry(id=content_id(text), kind=self.kind, text=text)
        return replace(base, kind=self.kind, date=self.day)

    def examine(self, at: "Workspace", *, about: str = "", acknowledge: bool = False) -> None:
        """Check the text; nothing is written or counted.

        If the index fails, the results of the checks before it are set; a new entry may be written.

        Args:
            at: The workspace.
            about: "user" for a claim about the user, "project" for none, "" to decide by its words.
            acknowledge: Allow what is short-lived or was archived, and a repeating correction.
        """
        passing = validation.transient(self.text, self.kind)
        if passing and not acknowledge:
            self.refusal = passing
            return
        self.overridden = tuple(passing.data["phrases"]) if passing else ()
        self.claim = validation.claim(self.text, self.kind, about)
        self.refusal = (
            None
            if self.claim or acknowledge
            else validation.forgotten(
                at.project, self.text, self.kind, at.now().date(), self.corrects
            )
        )
        if self.claim or (self.corrects and acknowledge):
            return
        perhaps = () if self.corrects else self._compare(at)
        if self.replaces or self.kind in validation.NAMING:
            is_one_line = "\n" not in self.line
            self.same = validation.duplicate(
                at.project,
                at.index,
                self.text if is_one_line else self.entry(at.project.settings).whole,
                self.kind,
                once=bool(self.replaces),
                day=None if self.corrects else self.day,
                besides=self.corrects,
            )
        if self.same is not None:
            self.refusal = validation.repeated(self.same) if self.corrects else None
        elif not self.corrects:
            self._relate(at, perhaps)

    def _compare(self, at: "Workspace") -> tuple[Entry, ...]:
        """Find the rejections that it repeats; return those that may apply."""
        if self.kind not in checks.REPEATING:
            return ()
        sync.refresh(at.project, at.index, sources=False)
        back = checks.of_note(
            at.project, at.index, self.text, self.kind, at.meaning.at_hand(self.text, at.index)
        )
        self.loops = tuple(one for one in back.loops if one.earlier.id not in self.replaces)
        against = [one.earlier.id for one in self.loops if one.severity != "moderate"]
        self.line = memory_file.linked(self.line, self.kind, against)
        return back.related

    def _relate(self, at: "Workspace", perhaps: Sequence[Entry]) -> None:
        """Find the entries that it may supersede."""
        named = {*self.replaces, *(loop.earlier.id for loop in self.loops)}
        near: dict[str, Entry] = {}
        if self.replaces or self.kind in validation.NAMING:
            changed = supersession.replaced_by(at.index, self.text, self.kind)
            self.contradicts = tuple(
                (one, how.old, how.new) for one, how in changed if one.id not in named
            )
            similar = validation.similar_to(
                at.index, self.text, self.kind, at.meaning.at_hand(self.text, at.index)
            )
            near = {one.id: one for one in (*(one for one, *_ in self.contradicts), *similar)}
        self.related = tuple(one for one in near.values() if one.id not in named)[
            : validation.MOST_NAMED
        ]
        own = self.entry(at.project.settings).id
        self.perhaps = tuple(one for one in perhaps if one.id not in named.union(near, [own]))
        self.is_twin = own in near

    def admit(self, at: "Workspace", visit: "Visit", *, acknowledge: bool) -> "Pending | None":
        """Queue a claim about the user, which must be confirmed, and return it.

        Raises:
            Transient: It is short-lived; the usage log counts the phrases.
            Repeated: Another entry already says this.
            Forgotten: It was archived before.
        """
        if isinstance(self.refusal, validation.Transient):
            at.note(visit, "refused", markers=self.refusal.data["phrases"])
        if self.refusal:
            raise self.refusal
        if not self.claim:
            return None
        return pending.add(
            at.project,
            self.kind,
            self.message,
            self.claim,
            visit.now,
            self.corrects,
            " ".join(self.replaces),
            acknowledged=acknowledge,
        )


def read(  # noqa: PLR0913 - the fields of an entry, by name only
    at: "Workspace",
    message: str,
    kind: str = "",
    *,
    confidence: float | None = None,
    source: str = "",
    keywords: Sequence[str] = (),
) -> NewText:
    """Return the text of a new entry.

    Raises:
        SecretRefused: There is a credential.
        InputError: The text is empty or oversized, has a tag that is not allowed, or one of the
            fields is invalid.
    """
    validation.refuse_secrets(message, kind, source, *keywords)
    if confidence is not None and not 0 <= confidence <= 1:
        raise InputError(f"confidence is {confidence}", remedy="Use a number from 0 to 1.")
    if len(source) > memory_file.LONGEST_FIELD:
        raise InputError(
            f"the source has {len(source):,} characters, more than {memory_file.LONGEST_FIELD}",
            remedy="Name the file, page or person, without its text.",
        )
    fields = {
        "confidence": "" if confidence is None else f"{confidence:g}",
        "source": source,
        KEYWORDS: keywords_field(keywords),
    }
    wanted, said = _as_read(
        message, parse_kind(kind, LOGGED) if kind else None, at.project.settings
    )
    line = memory_file.with_fields(memory_file.line_for(wanted, said, at.project.settings), fields)
    text = memory_file.unlabelled(wanted, said)
    validation.refuse_tags(text, at.project.settings)
    return NewText(
        kind=wanted,
        text=text,
        message=memory_file.with_fields(text, fields),
        line=line,
        day=at.now().date(),
    )


def correcting(at: "Workspace", entry: Entry, message: str) -> NewText:
    """Return the new text of an entry.

    Raises:
        SecretRefused: There is a credential.
        InputError: As for a new entry; or it begins with the label of another kind.
    """
    new = read(at, message, entry.kind.value)
    kind, _ = parser.labelled(message, at.project.settings) or (entry.kind, "")
    if kind is not entry.kind and memory_file.unlabelled(kind, message) != message.lstrip():
        raise InputError(
            f"the text begins like a {kind.value}, and {entry.id} is a {entry.kind.value}",
            remedy=f"Log it as {kind.value}, replacing {entry.id}, or leave out the label.",
        )
    new.corrects = (entry.id,)
    return new


def keywords_field(keywords: Sequence[str]) -> str:
    """Return the keywords as the value of their field.

    Raises:
        InputError: They are too long for a field.
    """
    plain = (c if c.isprintable() and c not in "[]" else " " for c in ",".join(keywords))
    parts = (" ".join(one.split()) for one in "".join(plain).split(","))
    value = ", ".join(dict.fromkeys(one for one in parts if one))
    if keywords and not value:
        raise InputError(
            "the keywords are empty", remedy="Name packages, calls, commands and synonyms."
        )
    if len(value) > memory_file.LONGEST_FIELD:
        raise InputError(
            f"the keywords have {len(value):,} characters, more than {memory_file.LONGEST_FIELD}",
            remedy="Name up to ten packages, calls, commands and synonyms.",
        )
    return value


def _as_read(message: str, kind: Kind | None, settings: Settings) -> tuple[Kind, str]:
    """Return the kind of a message, and the message without a label that gives it.

    By default it is the kind that the message announces ("We decided against X", "Bug: …") unless
    that is short-lived. Others are experiences, and a goal needs its label.
    """
    label = parser.labelled(message, settings)
    if label and kind in (None, label[0]):
        return label
    if kind is None:
        said = parser.keyword_line(message, settings)
        is_lasting = said in _READ and not durability.transient(message)
        kind = said if said and is_lasting else Kind.EXPERIENCE
    return kind, message
