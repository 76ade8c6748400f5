"""Reminders."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from mind.documents.reminders import Reminder
from mind.memory import plain
from mind.server.http.routing import At, Body, Id, Resource, member, model, several, shape
from mind.storage.tokens import Scope

resource = Resource("Reminders")


@resource.operation(
    "GET",
    "/api/v1/reminders",
    shape("Reminders", reminders=several(model(Reminder))),
)
async def reminders(
    at: At,
    all: Annotated[bool, Query(description="Completed ones too.")] = False,
) -> Response:
    """Pending reminders."""
    return await at(lambda memory: {"reminders": plain.plain(memory.reminders(everything=all))})


class NewReminder(Body):
    """A reminder to set."""

    message: str = member("Of what.", 2_000)
    when: str = Field(
        default="",
        max_length=200,
        description='"next session", "tomorrow 9am", "in 3 days", "every monday", "when I mention '
        'auth"; without it, the time that the message begins or ends with, else the next session.',
    )


@resource.operation("POST", "/api/v1/reminders", model(Reminder), scope=Scope.WRITE, status=201)
async def remind(at: At, sent: NewReminder) -> Response:
    """Set a reminder."""
    return await at(lambda memory: plain.plain(memory.remind(sent.message, sent.when)))


class Done(Body):
    """The end of a reminder."""

    dismiss: bool = Field(default=False, description="Give it up: it does not come back.")


@resource.operation("POST", "/api/v1/reminders/{id}/done", model(Reminder), scope=Scope.WRITE)
async def reminder_done(at: At, id: Id, sent: Done = Done()) -> Response:  # noqa: B008 - frozen
    """Tick a reminder off."""
    return await at(lambda memory: plain.plain(memory.reminder_done(id, dismiss=sent.dismiss)))
