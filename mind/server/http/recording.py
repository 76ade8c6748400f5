"""Operations that write: recording, correcting, forgetting, reminding."""

from collections.abc import Callable
from typing import Any

from mind.documents.reminders import Reminder
from mind.domain.entry import Kind
from mind.memory import overview, plain
from mind.memory.answers import Curated, Logged, Related, Synced
from mind.memory.overview import Claim, Outlook
from mind.memory.tidy import Plan
from mind.server.http import shapes
from mind.server.http.finding import ID, entry_of
from mind.server.http.matching import check_match
from mind.server.http.operation import Call, Operation
from mind.server.http.schema import Field, Schema, text
from mind.server.http.shapes import Shapes, members, nullable, ref
from mind.storage.pending import Pending
from mind.storage.tokens import Scope

_LOGGED: Schema = {
    "type": "string",
    "enum": [kind.value for kind in Kind if kind is not Kind.RELATION],
    "default": Kind.EXPERIENCE.value,
}
_MESSAGE = text(20_000, minLength=1, pattern=r"\S")
_FLAG: Schema = {"type": "boolean", "default": False}


def _said(name: str, schema: Schema, about: str, *, required: bool = False) -> Field:
    return Field(name=name, schema=schema, about=about, place="body", required=required)


def _curated(made: Shapes) -> shapes.Json:
    return members(
        {
            "entry": ref("Entry"),
            "file": shapes.TEXT,
            "archived": nullable(ref("Archived")),
            "pending": made.of(Pending),
            "along": shapes.several(ref("Entry")),
            "protected": shapes.several(shapes.TEXT),
        },
        optional=("pending", "along", "protected"),
    )


def _log(call: Call) -> Any:  # noqa: ANN401 - JSON
    return plain.plain(
        call.project.log(
            call["message"],
            call["type"],
            acknowledge=call["acknowledge"],
            replaces=call["replaces"],
        )
    )


def _preview(call: Call) -> Any:  # noqa: ANN401 - JSON
    given = (call["message"], call["type"])
    at = call.project.workspace
    seen = overview.outlook(at, *given, instead=call["instead"])
    return plain.entry_json(overview.preview(at, *given)) | {"outlook": plain.plain(seen)}


def _preview_shape(made: Shapes) -> shapes.Json:
    return {"allOf": [ref("Entry"), members({"outlook": made.of(Outlook)})]}


def _update(call: Call) -> Any:  # noqa: ANN401 - JSON
    done = overview.correct(
        call.project.workspace,
        call["id"],
        call["text"],
        lambda: check_match(call.if_match, lambda: entry_of(call)),
        acknowledge=call["acknowledge"],
    )
    return plain.curated_json(done)


def _forget(call: Call) -> Any:  # noqa: ANN401 - JSON
    def forgotten() -> Any:  # noqa: ANN401 - JSON
        check_match(call.if_match, lambda: entry_of(call))
        return plain.curated_json(
            call.project.forget(
                call["id"],
                call["reason"],
                replaced_by=call["replaced_by"],
                acknowledge=call["acknowledge"],
            )
        )

    return call.project.workspace.alone(forgotten)


def _confirm(call: Call) -> Any:  # noqa: ANN401 - JSON
    done = call.project.confirm(call["id"], accept=call["accept"])
    summed = done.steps if isinstance(done, Plan) else ()
    return {
        "recorded": plain.plain(done) if isinstance(done, Logged) else None,
        "corrected": plain.curated_json(done) if isinstance(done, Curated) else None,
        "summed_up": plain.plain([entry for step in summed for entry in step.entries]),
        "dropped": plain.plain(done) if isinstance(done, Pending) else None,
    }


def _pending(call: Call) -> Any:  # noqa: ANN401 - JSON
    return {"claims": plain.plain(overview.claims(call.project.workspace))}


def _reminders(call: Call) -> Any:  # noqa: ANN401 - JSON
    return {"reminders": plain.plain(call.project.reminders(everything=call["all"]))}


def _relate(call: Call) -> Any:  # noqa: ANN401 - JSON
    return plain.plain(call.project.relate(call["subject"], call["predicate"], call["object"]))


def _of(kind: type) -> Callable[[Shapes], shapes.Json]:
    return lambda made: made.of(kind)


RECORDING = (
    Operation(
        name="log",
        method="POST",
        path="/api/v1/entries",
        group="Recording",
        about="Record one fact; what memory says already is not written again.",
        scope=Scope.WRITE,
        status=201,
        fields=(
            _said("message", _MESSAGE, "The fact, with its reason.", required=True),
            _said("type", _LOGGED, "What it is."),
            _said(
                "acknowledge",
                _FLAG,
                "It is to stay although it will not be true for long, or was forgotten before; "
                "with `replaces`, also archive a protected entry.",
            ),
            _said("replaces", text(200, default=""), "Id of an entry that no longer holds."),
        ),
        run=_log,
        answer=_of(Logged),
        refusals=(404, 409),
    ),
    Operation(
        name="preview",
        method="POST",
        path="/api/v1/preview",
        group="Recording",
        about="The entry that recording a fact would make, and what would come of it; "
        "nothing is written.",
        fields=(
            _said("message", _MESSAGE, "The fact, with its reason.", required=True),
            _said("type", _LOGGED, "What it is."),
            _said("instead", text(200, default=""), "Id of the entry whose new words they are."),
        ),
        run=_preview,
        answer=_preview_shape,
    ),
    Operation(
        name="update",
        method="PATCH",
        path="/api/v1/entries/{id}",
        group="Recording",
        about="Correct an entry in its place; the old words go to the archive.",
        scope=Scope.WRITE,
        fields=(
            ID,
            _said("text", _MESSAGE, "The whole new text.", required=True),
            _said(
                "acknowledge",
                _FLAG,
                "Also if it will not be true for long, another entry says the same, or the same "
                "was forgotten before.",
            ),
        ),
        run=_update,
        answer=_curated,
        may_match=True,
        refusals=(404, 409, 412),
    ),
    Operation(
        name="forget",
        method="POST",
        path="/api/v1/entries/{id}/forget",
        group="Recording",
        about="Move an entry to the archive.",
        scope=Scope.WRITE,
        fields=(
            ID,
            _said("reason", text(1_024, minLength=1, pattern=r"\S"), "Why.", required=True),
            _said("replaced_by", text(200, default=""), "Id of what is true instead."),
            _said("acknowledge", _FLAG, "Also if it is protected: a goal, a lesson or pinned."),
        ),
        run=_forget,
        answer=_curated,
        may_match=True,
        refusals=(404, 409, 412),
    ),
    Operation(
        name="restore",
        method="POST",
        path="/api/v1/entries/{id}/restore",
        group="Recording",
        about="Put an archived entry back where it stood.",
        scope=Scope.WRITE,
        fields=(ID,),
        run=lambda call: plain.curated_json(call.project.restore(call["id"])),
        answer=_curated,
        refusals=(404, 409),
    ),
    Operation(
        name="verify",
        method="POST",
        path="/api/v1/entries/{id}/verify",
        group="Recording",
        about="Note that an entry was checked today and still holds.",
        scope=Scope.WRITE,
        fields=(ID, _said("note", text(1_000, default=""), "How it was checked.")),
        run=lambda call: plain.curated_json(call.project.verify(call["id"], call["note"])),
        answer=_curated,
        refusals=(404, 409),
    ),
    Operation(
        name="pending",
        method="GET",
        path="/api/v1/pending",
        group="Recording",
        about="Claims about a person that wait for a yes, with what they would change.",
        run=_pending,
        answer=lambda made: members({"claims": shapes.several(made.of(Claim))}),
    ),
    Operation(
        name="confirm",
        method="POST",
        path="/api/v1/pending/{id}/confirm",
        group="Recording",
        about="Record a claim about a person that waits, or drop it.",
        scope=Scope.WRITE,
        fields=(ID, _said("accept", {"type": "boolean", "default": True}, "Record it.")),
        run=_confirm,
        answer=lambda made: members(
            {
                "recorded": nullable(made.of(Logged)),
                "corrected": nullable(_curated(made)),
                "summed_up": shapes.several(ref("Entry")),
                "dropped": nullable(made.of(Pending)),
            }
        ),
        refusals=(404, 409),
    ),
    Operation(
        name="relate",
        method="POST",
        path="/api/v1/relations",
        group="Recording",
        about="Record how two things are related, once.",
        scope=Scope.WRITE,
        status=201,
        fields=(
            _said("subject", text(200, minLength=1), "A thing.", required=True),
            _said("predicate", text(200, minLength=1), "As in depends-on.", required=True),
            _said("object", text(200, minLength=1), "Another thing.", required=True),
        ),
        run=_relate,
        answer=_of(Related),
        refusals=(409,),
    ),
    Operation(
        name="reminders",
        method="GET",
        path="/api/v1/reminders",
        group="Reminders",
        about="Pending reminders.",
        fields=(
            Field(
                name="all",
                schema={"type": "boolean", "default": False},
                about="Completed ones too.",
            ),
        ),
        run=_reminders,
        answer=lambda made: members({"reminders": shapes.several(made.of(Reminder))}),
    ),
    Operation(
        name="remind",
        method="POST",
        path="/api/v1/reminders",
        group="Reminders",
        about="Set a reminder.",
        scope=Scope.WRITE,
        status=201,
        fields=(
            _said("message", text(2_000, minLength=1, pattern=r"\S"), "Of what.", required=True),
            _said(
                "when",
                text(200, default=""),
                '"next session", "tomorrow 9am", "in 3 days", "every monday", '
                '"when I mention auth"; without it, the time that the message begins or ends '
                "with, else the next session.",
            ),
        ),
        run=lambda call: plain.plain(call.project.remind(call["message"], call["when"])),
        answer=_of(Reminder),
        refusals=(409,),
    ),
    Operation(
        name="reminder_done",
        method="POST",
        path="/api/v1/reminders/{id}/done",
        group="Reminders",
        about="Tick a reminder off.",
        scope=Scope.WRITE,
        fields=(ID, _said("dismiss", _FLAG, "Give it up: it does not come back.")),
        run=lambda call: plain.plain(
            call.project.reminder_done(call["id"], dismiss=call["dismiss"])
        ),
        answer=_of(Reminder),
        refusals=(404, 409),
    ),
    Operation(
        name="checkpoint",
        method="POST",
        path="/api/v1/checkpoint",
        group="Recording",
        about="Read everything that changed: files, comments, commits; refresh the context block.",
        scope=Scope.WRITE,
        run=lambda call: plain.plain(call.project.checkpoint()),
        answer=_of(Synced),
        refusals=(409,),
    ),
)
