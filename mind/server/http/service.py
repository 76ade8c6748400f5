"""Operations about the service itself: what it serves, what it can, who may use it."""

import logging
from typing import Any

from mind import __version__
from mind.domain.errors import MindError
from mind.server.http import shapes
from mind.server.http.operation import Call, Operation
from mind.server.http.problem import Refused
from mind.server.http.schema import Field, text
from mind.server.http.served import Place, Served
from mind.server.http.shapes import members, nullable, several
from mind.storage import tokens
from mind.storage.tokens import Scope

API = "1.0"
"""Version of the REST API: the first number changes when what worked does not any more."""
PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""Revisions of MCP that are spoken at /mcp."""
_log = logging.getLogger("mind.http")


def _projects(call: Call) -> dict[str, Any]:
    return {
        "projects": [
            {"id": place.id, "name": place.project.name} for place in call.served.places(call.grant)
        ]
    }


def _capabilities(_: Call) -> dict[str, Any]:
    return {
        "name": "mind",
        "version": __version__,
        "api": {"version": API, "base": "/api/v1", "openapi": "/openapi.json"},
        "mcp": {"endpoint": "/mcp", "protocols": list(PROTOCOLS), "stateless": True},
        "auth": {"scheme": "bearer", "scopes": [one.value for one in Scope]},
        "features": ["facets", "etag", "if-match", "events", "metrics"],
    }


def _tokens(_: Call) -> dict[str, Any]:
    return {
        "tokens": [
            {
                "name": one.name,
                "scope": one.scope.value,
                "created": one.created.isoformat(),
                "expires": one.expires.isoformat() if one.expires else None,
                "used": one.used.isoformat() if one.used else None,
                "projects": list(one.projects),
            }
            for one in tokens.listed()
        ]
    }


def _opens(served: Served, place: Place) -> bool:
    """Whether a memory is there and can be opened; why it cannot goes to the log."""
    if not place.project.folder.is_dir():  # the index would be made in memory instead
        return False
    try:
        memory = served.open(place)
        try:
            memory.index.meta("memory_hash")
        finally:
            memory.close()
    except MindError:
        _log.exception("not ready")
        return False
    return True


def _ready(call: Call) -> dict[str, Any]:
    """Whether a memory can be opened.

    Raises:
        Refused: It cannot (503). It is not told which one, or why: nobody has shown a token.
    """
    for place in call.served.places(call.grant)[:1]:
        if not _opens(call.served, place):
            raise Refused(
                503, "the memory cannot be opened", remedy="Run `mind doctor` where it is served."
            )
    return {"status": "ready"}


def _revoke(call: Call) -> dict[str, Any]:
    return {"revoked": tokens.revoke(call["name"]).name}


def _rebuilt(call: Call) -> dict[str, Any]:
    made = call.project.build_index(rebuild=True)
    return {"entries": made.entries, "vectors": made.vectors, "problems": list(made.problems)}


_STATE = members({"status": shapes.TEXT})
_TOKEN = members(
    {
        "name": shapes.TEXT,
        "scope": shapes.TEXT,
        "created": shapes.DAY,
        "expires": nullable({"type": "string", "format": "date-time"}),
        "used": nullable(shapes.DAY),
        "projects": shapes.TEXTS,
    }
)

SERVICE = (
    Operation(
        name="healthz",
        method="GET",
        path="/healthz",
        group="Service",
        about="The process answers.",
        scope=None,
        of_project=False,
        run=lambda _: {"status": "ok"},
        answer=lambda _: _STATE,
    ),
    Operation(
        name="readyz",
        method="GET",
        path="/readyz",
        group="Service",
        about="A memory can be opened.",
        scope=None,
        of_project=False,
        run=_ready,
        answer=lambda _: _STATE,
    ),
    Operation(
        name="capabilities",
        method="GET",
        path="/capabilities",
        group="Service",
        about="Versions and abilities, for clients that have to choose.",
        scope=None,
        of_project=False,
        run=_capabilities,
        answer=lambda _: members(
            {
                "name": shapes.TEXT,
                "version": shapes.TEXT,
                "api": members(
                    {"version": shapes.TEXT, "base": shapes.TEXT, "openapi": shapes.TEXT}
                ),
                "mcp": members(
                    {
                        "endpoint": shapes.TEXT,
                        "protocols": shapes.TEXTS,
                        "stateless": shapes.TRUTH,
                    }
                ),
                "auth": members({"scheme": shapes.TEXT, "scopes": shapes.TEXTS}),
                "features": shapes.TEXTS,
            }
        ),
    ),
    Operation(
        name="session",
        method="POST",
        path="/api/v1/session",
        group="Service",
        about="The token of this run, for the code in the address that `mind ui` opened; once.",
        scope=None,
        of_project=False,
        fields=(
            Field(
                name="code",
                schema=text(200, minLength=1),
                about="What stood behind #code=.",
                place="body",
                required=True,
            ),
        ),
        run=lambda call: {"token": call.exchange(call["code"])},
        answer=lambda _: members({"token": shapes.TEXT}),
        refusals=(404,),
    ),
    Operation(
        name="projects",
        method="GET",
        path="/api/v1/projects",
        group="Service",
        about="The projects that the token opens.",
        of_project=False,
        run=_projects,
        answer=lambda _: members(
            {"projects": several(members({"id": shapes.TEXT, "name": shapes.TEXT}))}
        ),
    ),
    Operation(
        name="tokens",
        method="GET",
        path="/api/v1/tokens",
        group="Service",
        about="The tokens there are; nothing of their secrets.",
        scope=Scope.ADMIN,
        of_project=False,
        of_all=True,
        run=_tokens,
        answer=lambda _: members({"tokens": several(_TOKEN)}),
    ),
    Operation(
        name="revoke",
        method="DELETE",
        path="/api/v1/tokens/{name}",
        group="Service",
        about="Take a token away; it opens nothing from now on.",
        scope=Scope.ADMIN,
        of_project=False,
        of_all=True,
        fields=(
            Field(
                name="name",
                schema=text(64, minLength=1, pattern=r"^[^/?#]+$"),
                about="Of the token.",
                place="path",
                required=True,
            ),
        ),
        run=_revoke,
        answer=lambda _: members({"revoked": shapes.TEXT}),
        refusals=(404,),
    ),
    Operation(
        name="rebuild",
        method="POST",
        path="/api/v1/index/rebuild",
        group="Service",
        about="Throw the derived index away and make it anew.",
        scope=Scope.ADMIN,
        run=_rebuilt,
        answer=lambda _: members(
            {"entries": shapes.WHOLE, "vectors": shapes.WHOLE, "problems": shapes.TEXTS}
        ),
    ),
)
