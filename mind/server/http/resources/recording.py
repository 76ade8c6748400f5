"""Write operations: record, correct, forget, remind."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import Header, Query
from pydantic import Field

from mind.documents.reminders import Reminder
from mind.domain.entry import LOGGED, Kind
from mind.memory import as_json, overview
from mind.memory.answers import Curated, Logged, Related, Synced
from mind.memory.memory import Memory
from mind.memory.overview import PendingClaim, RecordPreview
from mind.memory.tidy import TidyPlan
from mind.server.http.models import ARCHIVED, ENTRIES, ENTRY, among, model, several, shape
from mind.server.http.resources.finding import entry_of
from mind.server.http.routing import Body, Id, Resource, check_match, member
from mind.storage.pending import Pending
from mind.storage.tokens import Scope

resource = Resource("Recording")
Fact = Annotated[
    str,
    Field(min_length=1, max_length=20_000, pattern=r"\S", description="The fact, with its reason."),
]
KindOfFact = Annotated[Annotated[str, among(LOGGED)], Field(description="Kind of the entry.")]
Thing = Annotated[str, Field(min_length=1, max_length=200, description="Name of a thing.")]
Match = Annotated[
    str, Header(alias="If-Match", description="ETag of the version that the caller last read.")
]
_CURATED = shape(
    "Changed",
    entry=ENTRY,
    file=str,
    archived=ARCHIVED | None,
    pending=(model(Pending), None),
    along=(ENTRIES, []),
    protected=(list[str], []),
)


class NewFact(Body):
    """A fact to record."""

    message: Fact
    type: KindOfFact = Kind.EXPERIENCE.value
    acknowledge: bool = Field(
        default=False,
        description="Record it even if it is short-lived or was forgotten before; with `replaces`, "
        "also archive a protected entry.",
    )
    replaces: str | list[str] = Field(
        default="", description="Id of an entry that this one supersedes, or a list of such ids."
    )
    about: Annotated[str, among(("", "user", "project"))] = Field(
        default="", description="`user`: a claim about the user, which must be confirmed."
    )
    confidence: float | None = Field(default=None, ge=0, le=1, description="Confidence, 0 to 1.")
    source: str = Field(default="", max_length=500, description="Source of the fact.")
    keywords: list[str] = Field(
        default=[],
        max_length=20,
        description="Other names of what it is about: of a rejected approach or a gotcha, those "
        "by which it would come back.",
    )


@resource.operation(
    "POST",
    "/api/v1/entries",
    model(Logged),
    scope=Scope.WRITE,
    status=201,
)
def log(memory: Memory, sent: NewFact) -> object:
    """Record one fact; a duplicate is not written again."""
    return memory.log(
        sent.message,
        sent.type,
        acknowledge=sent.acknowledge,
        replaces=sent.replaces,
        about=sent.about,
        confidence=sent.confidence,
        source=sent.source,
        keywords=sent.keywords,
    )


class Draft(Body):
    """A fact to preview."""

    message: Fact
    type: KindOfFact = Kind.EXPERIENCE.value
    instead: str = member("Id of the entry that it would correct.", default="")


@resource.operation(
    "POST", "/api/v1/preview", shape("Preview", ENTRY, outlook=model(RecordPreview))
)
def preview(memory: Memory, sent: Draft) -> object:
    """Preview the entry a fact would become, with warnings; nothing is written."""
    entry, outlook = overview.outlook(memory, sent.message, sent.type, instead=sent.instead)
    return as_json.entry_json(entry) | {"outlook": outlook}


class NewWords(Body):
    """The new text or keywords of an entry."""

    text: str = member("The full new text; empty to keep it.", 20_000, default="")
    keywords: list[str] | None = Field(
        default=None, max_length=20, description="All its keywords; an empty list removes them."
    )
    acknowledge: bool = Field(
        default=False,
        description="Also if it is short-lived, a duplicate of another entry, or was forgotten "
        "before.",
    )


@resource.operation("PATCH", "/api/v1/entries/{id}", _CURATED, scope=Scope.WRITE, refusals=[412])
def update(memory: Memory, id: Id, sent: NewWords, if_match: Match = "") -> object:
    """Correct an entry in place, or set its keywords; the old version goes to the archive."""
    keywords = (sent.keywords or [""]) if sent.keywords is not None else ()
    return _if_current(
        memory,
        id,
        if_match,
        lambda: memory.update(id, sent.text, keywords=keywords, acknowledge=sent.acknowledge),
    )


def _if_current(
    memory: Memory, identifier: str, match: str, change: Callable[[], Curated]
) -> Mapping[str, Any]:
    """Change an entry, unless it changed since the caller read it; other writers wait."""
    with memory.alone():
        check_match(match, lambda: entry_of(memory, identifier))
        done = change()
    return as_json.curated_json(done)


class Reason(Body):
    """The reason to forget an entry."""

    reason: str = member("The reason.", 1_024)
    replaced_by: str = member("Id of the entry that replaces it.", default="")
    acknowledge: bool = Field(
        default=False, description="Also if it is protected: a goal, a lesson or a pinned entry."
    )


@resource.operation(
    "POST", "/api/v1/entries/{id}/forget", _CURATED, scope=Scope.WRITE, refusals=[412]
)
def forget(memory: Memory, id: Id, sent: Reason, if_match: Match = "") -> object:
    """Archive an entry."""
    return _if_current(
        memory,
        id,
        if_match,
        lambda: memory.forget(
            id, sent.reason, replaced_by=sent.replaced_by, acknowledge=sent.acknowledge
        ),
    )


@resource.operation("POST", "/api/v1/entries/{id}/restore", _CURATED, scope=Scope.WRITE)
def restore(memory: Memory, id: Id) -> object:
    """Restore an archived entry to its place."""
    return as_json.curated_json(memory.restore(id))


class Note(Body):
    """A note on a verification."""

    note: str = member("How the entry was checked.", 1_000, default="")


@resource.operation("POST", "/api/v1/entries/{id}/verify", _CURATED, scope=Scope.WRITE)
def verify(memory: Memory, id: Id, sent: Note = Note()) -> object:  # noqa: B008 - frozen
    """Mark an entry as verified today."""
    return as_json.curated_json(memory.verify(id, sent.note))


@resource.operation("GET", "/api/v1/pending", shape("Claims", claims=several(model(PendingClaim))))
def pending(memory: Memory) -> object:
    """List claims about the user that wait for confirmation, with what they would change."""
    return {"claims": overview.claims(memory)}


class Decision(Body):
    """A decision on a claim."""

    accept: bool = Field(default=True, description="Record the claim; false drops it.")


@resource.operation(
    "POST",
    "/api/v1/pending/{id}/confirm",
    shape(
        "Confirmed",
        recorded=model(Logged) | None,
        corrected=_CURATED | None,
        summed_up=ENTRIES,
        dropped=model(Pending) | None,
    ),
    scope=Scope.WRITE,
)
def confirm(memory: Memory, id: Id, sent: Decision = Decision()) -> object:  # noqa: B008 - frozen
    """Record or drop a pending claim about the user."""
    done = memory.confirm(id, accept=sent.accept)
    summed = done.steps if isinstance(done, TidyPlan) else ()
    return {
        "recorded": done if isinstance(done, Logged) else None,
        "corrected": as_json.curated_json(done) if isinstance(done, Curated) else None,
        "summed_up": [entry for step in summed for entry in step.entries],
        "dropped": done if isinstance(done, Pending) else None,
    }


class Triple(Body):
    """A relation between two things."""

    subject: Thing
    predicate: str = member("For example depends-on.")
    object: Thing


@resource.operation("POST", "/api/v1/relations", model(Related), scope=Scope.WRITE, status=201)
def relate(memory: Memory, sent: Triple) -> object:
    """Record a relation between two things, once."""
    return memory.relate(sent.subject, sent.predicate, sent.object)


@resource.operation("POST", "/api/v1/checkpoint", model(Synced), scope=Scope.WRITE)
def checkpoint(memory: Memory) -> object:
    """Read changed files, comments and commits, and refresh the context block."""
    return memory.checkpoint()


reminding = Resource("Reminders")


@reminding.operation(
    "GET",
    "/api/v1/reminders",
    shape("Reminders", reminders=several(model(Reminder))),
)
def reminders(
    memory: Memory,
    all: Annotated[bool, Query(description="Include completed ones.")] = False,
) -> object:
    """List pending reminders."""
    return {"reminders": memory.reminders(everything=all)}


class NewReminder(Body):
    """A reminder to set."""

    message: str = member("The text of the reminder.", 2_000)
    when: str = Field(
        default="",
        max_length=200,
        description='"next session", "tomorrow 9am", "in 3 days", "every monday", "when I mention '
        'auth"; by default the time or condition at the start or end of the message, else the next '
        "session.",
    )


@reminding.operation("POST", "/api/v1/reminders", model(Reminder), scope=Scope.WRITE, status=201)
def remind(memory: Memory, sent: NewReminder) -> object:
    """Set a reminder."""
    return memory.remind(sent.message, sent.when)


class Done(Body):
    """The end of a reminder."""

    dismiss: bool = Field(default=False, description="Cancel it, even if it recurs.")


@reminding.operation("POST", "/api/v1/reminders/{id}/done", model(Reminder), scope=Scope.WRITE)
def reminder_done(memory: Memory, id: Id, sent: Done = Done()) -> object:  # noqa: B008 - frozen
    """Mark a reminder as done."""
    return memory.reminder_done(id, dismiss=sent.dismiss)
