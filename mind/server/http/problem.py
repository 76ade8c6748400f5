"""What goes wrong, as RFC 9457 problem details: a status, what happened, and what to do; pure."""

import json
from collections.abc import Mapping
from typing import Any

from mind.domain import errors
from mind.domain.errors import MindError
from mind.memory import validation

MEDIA = "application/problem+json"
"""The media type of a problem (RFC 9457, section 3)."""
_DOCUMENT = "https://mind-lens.invalid/problems/"
"""Begins the identifier of a kind of problem; nothing is there to be fetched."""
STATUS: Mapping[type[MindError], int] = {
    errors.NotFound: 404,
    errors.InputError: 422,
    errors.Protected: 409,
    errors.ChangedMeanwhile: 409,
    errors.NotText: 409,
    errors.MarkersDamaged: 409,
    errors.ConfigError: 409,
    errors.LockTimeout: 503,
    errors.DependencyMissing: 501,
    errors.ProjectError: 404,
    errors.NewerVersion: 409,
}
"""The status of an error and of what is derived from it; of any other, 500."""
_TITLES = {
    400: "The request does not fit its description",
    401: "A token is needed",
    403: "Not allowed",
    404: "Not found",
    405: "Not done here",
    408: "The request took too long",
    409: "It cannot be done as things are",
    412: "It was changed meanwhile",
    413: "Too large",
    415: "Of another media type",
    421: "Another host",
    422: "It cannot be used",
    429: "Too many requests",
    500: "It failed",
    501: "Not installed",
    503: "Busy",
}


class Refused(MindError):
    """A request that the service itself refuses.

    Args:
        status: HTTP's.
        message: What happened.
        remedy: What to do about it.
        headers: More that the answer carries.
    """

    code = "refused"
    default_remedy = "See /openapi.json for what this service does."

    def __init__(
        self,
        status: int,
        message: str,
        *,
        remedy: str | None = None,
        headers: Mapping[str, str] | None = None,
        **data: object,
    ) -> None:
        super().__init__(message, remedy=remedy, **data)
        self.status = status
        self.headers = dict(headers or {})


def status_of(error: MindError) -> int:
    """The status that an error is answered with."""
    if isinstance(error, Refused):
        return error.status
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)


def details(error: MindError) -> dict[str, Any]:
    """The members of a problem."""
    status = status_of(error)
    more = {
        name: validation.told(error, value) if isinstance(value, str) else value
        for name, value in error.data.items()
        if isinstance(value, str | int | float) and name not in ("path", "status")
    }
    return {
        "type": _DOCUMENT + error.code,
        "title": _TITLES.get(status, "It failed"),
        "status": status,
        "detail": f"{validation.told(error, error.message)}.",
        "remedy": error.remedy,
        "code": error.code,
        **more,
    }


def encoded(value: object) -> bytes:
    """``value`` as JSON; half characters, which no reader takes, become question marks."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace")
