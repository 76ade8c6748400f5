"""Writing: recording, correcting, forgetting, reminding."""

from typing import TYPE_CHECKING, Annotated

from fastapi import Header
from fastapi.responses import Response
from pydantic import Field

from mind.domain.entry import Kind
from mind.memory import overview, plain
from mind.memory.answers import Curated, Logged, Related, Synced
from mind.memory.overview import Claim, Outlook
from mind.memory.tidy import Plan
from mind.server.http.resources.finding import entry_of
from mind.server.http.routing import (
    ARCHIVED,
    ENTRIES,
    ENTRY,
    Among,
    At,
    Body,
    Id,
    Resource,
    check_match,
    member,
    model,
    several,
    shape,
)
from mind.storage.pending import Pending
from mind.storage.tokens import Scope

if TYPE_CHECKING:
    from mind.memory.memory import Memory

resource = Resource("Recording")
_LOGGED = tuple(kind.value for kind in Kind if kind is not Kind.RELATION)
Fact = Annotated[
    str,
    Field(min_length=1, max_length=20_000, pattern=r"\S", description="The fact, with its reason."),
]
KindOfFact = Annotated[Annotated[str, Among(_LOGGED)], Field(description="What it is.")]
Thing = Annotated[str, Field(min_length=1, max_length=200, description="A thing.")]
Match = Annotated[
    str, Header(alias="If-Match", description="The ETag of the entry as the caller knows it.")
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
        description="It is to stay although it will not be true for long, or was forgotten before; "
        "with `replaces`, also archive a protected entry.",
    )
    replaces: str | list[str] = Field(
        default="", description="Id of an entry that no longer holds, or a list of such ids."
    )
    about: Annotated[str, Among(("", "user", "project"))] = Field(
        default="", description="`user`: a claim about the person, to be confirmed."
    )
    confidence: float | None = Field(default=None, ge=0, le=1, description="How sure, 0 to 1.")
    source: str = Field(default="", max_length=500, description="Where it comes from.")


@resource.operation(
    "POST",
    "/api/v1/entries",
    model(Logged),
    scope=Scope.WRITE,
    status=201,
)
async def log(at: At, sent: NewFact) -> Response:
    """Record one fact; what memory says already is not written again."""
    return await at(
        lambda memory: plain.plain(
            memory.log(
                sent.message,
                sent.type,
                acknowledge=sent.acknowledge,
                replaces=sent.replaces,
                about=sent.about,
                confidence=sent.confidence,
                source=sent.source,
            )
        )
    )


class Draft(Body):
    """A fact to look at."""

    message: Fact
    type: KindOfFact = Kind.EXPERIENCE.value
    instead: str = member("Id of the entry whose new words they are.", default="")


@resource.operation("POST", "/api/v1/preview", shape("Preview", ENTRY, outlook=model(Outlook)))
async def preview(at: At, sent: Draft) -> Response:
    """The entry that recording a fact would make, and what would come of it; nothing is written."""

    def seen(memory: "Memory") -> object:
        given = (memory.workspace, sent.message, sent.type)
        outlook = overview.outlook(*given, instead=sent.instead)
        return plain.entry_json(overview.preview(*given)) | {"outlook": plain.plain(outlook)}

    return await at(seen)


class NewWords(Body):
    """The new text of an entry."""

    text: str = member("All of it.", 20_000)
    acknowledge: bool = Field(
        default=False,
        description="Also if it will not be true for long, another entry says the same, or the "
        "same was forgotten before.",
    )


@resource.operation("PATCH", "/api/v1/entries/{id}", _CURATED, scope=Scope.WRITE, refusals=[412])
async def update(at: At, id: Id, sent: NewWords, if_match: Match = "") -> Response:
    """Correct an entry in its place; the old words go to the archive."""

    def corrected(memory: "Memory") -> object:
        done = overview.correct(
            memory.workspace,
            id,
            sent.text,
            lambda: check_match(if_match, lambda: entry_of(memory, id)),
            acknowledge=sent.acknowledge,
        )
        return plain.curated_json(done)

    return await at(corrected)


class Reason(Body):
    """The reason to forget an entry."""

    reason: str = member("Why.", 1_024)
    replaced_by: str = member("Id of what is true instead.", default="")
    acknowledge: bool = Field(
        default=False, description="Also if it is protected: a goal, a lesson or pinned."
    )


@resource.operation(
    "POST", "/api/v1/entries/{id}/forget", _CURATED, scope=Scope.WRITE, refusals=[412]
)
async def forget(at: At, id: Id, sent: Reason, if_match: Match = "") -> Response:
    """Move an entry to the archive."""

    def forgotten(memory: "Memory") -> object:
        check_match(if_match, lambda: entry_of(memory, id))
        return plain.curated_json(
            memory.forget(
                id, sent.reason, replaced_by=sent.replaced_by, acknowledge=sent.acknowledge
            )
        )

    return await at(lambda memory: memory.workspace.alone(lambda: forgotten(memory)))


@resource.operation("POST", "/api/v1/entries/{id}/restore", _CURATED, scope=Scope.WRITE)
async def restore(at: At, id: Id) -> Response:
    """Put an archived entry back where it stood."""
    return await at(lambda memory: plain.curated_json(memory.restore(id)))


class Note(Body):
    """A note on a check."""

    note: str = member("How it was checked.", 1_000, default="")


@resource.operation("POST", "/api/v1/entries/{id}/verify", _CURATED, scope=Scope.WRITE)
async def verify(at: At, id: Id, sent: Note = Note()) -> Response:  # noqa: B008 - frozen
    """Note that an entry was checked today and still holds."""
    return await at(lambda memory: plain.curated_json(memory.verify(id, sent.note)))


@resource.operation("GET", "/api/v1/pending", shape("Claims", claims=several(model(Claim))))
async def pending(at: At) -> Response:
    """Claims about a person that wait for a yes, with what they would change."""
    return await at(lambda memory: {"claims": plain.plain(overview.claims(memory.workspace))})


class Decision(Body):
    """A decision on a claim."""

    accept: bool = Field(default=True, description="Record it.")


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
async def confirm(at: At, id: Id, sent: Decision = Decision()) -> Response:  # noqa: B008 - frozen
    """Record a claim about a person that waits, or drop it."""

    def decided(memory: "Memory") -> object:
        done = memory.confirm(id, accept=sent.accept)
        summed = done.steps if isinstance(done, Plan) else ()
        return {
            "recorded": plain.plain(done) if isinstance(done, Logged) else None,
            "corrected": plain.curated_json(done) if isinstance(done, Curated) else None,
            "summed_up": plain.plain([entry for step in summed for entry in step.entries]),
            "dropped": plain.plain(done) if isinstance(done, Pending) else None,
        }

    return await at(decided)


class Triple(Body):
    """A relation between two things."""

    subject: Thing
    predicate: str = member("As in depends-on.")
    object: Thing


@resource.operation("POST", "/api/v1/relations", model(Related), scope=Scope.WRITE, status=201)
async def relate(at: At, sent: Triple) -> Response:
    """Record how two things are related, once."""
    return await at(
        lambda memory: plain.plain(memory.relate(sent.subject, sent.predicate, sent.object))
    )


@resource.operation("POST", "/api/v1/checkpoint", model(Synced), scope=Scope.WRITE)
async def checkpoint(at: At) -> Response:
    """Read everything that changed: files, comments, commits; refresh the context block."""
    return await at(lambda memory: plain.plain(memory.checkpoint()))
