"""What a request may hold, as JSON Schema: the same declaration is published and enforced; pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mind.domain.errors import InputError

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A parameter, or a member of the body.

    Attributes:
        name: As it is sent.
        schema: JSON Schema; of its keywords those that :func:`checked` knows.
        about: What it means, for the document.
        place: "query", "path", "header" or "body".
        required: It has to be there.
    """

    name: str
    schema: Schema
    about: str
    place: str = "query"
    required: bool = False


def text(most: int = 1_000, **more: object) -> Schema:
    """A text of at most so many characters."""
    return {"type": "string", "maxLength": most, **more}


def whole(low: int, high: int, **more: object) -> Schema:
    """A whole number in a range."""
    return {"type": "integer", "minimum": low, "maximum": high, **more}


def texts(items: Schema, most: int, **more: object) -> Schema:
    """Several texts."""
    return {"type": "array", "items": items, "maxItems": most, **more}


_NUMBER = re.compile(r"-?(0|[1-9]\d{0,8})")
_TRUTH = {"true": True, "false": False}


def from_query(fields: Sequence[Field], sent: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Values of the parameters, of the types that their schemas name.

    Args:
        fields: Those that are known.
        sent: Names and values, in order; a list is sent by repeating its name.

    Raises:
        InputError: One is unknown, repeated, missing, or does not fit its schema.
    """
    known = {field.name: field for field in fields}
    given: dict[str, list[str]] = {}
    for name, value in sent:
        if name not in known:
            raise InputError(
                f"there is no parameter {name!r}",
                remedy=f"Parameters: {', '.join(known) or 'none'}.",
                parameter=name,
            )
        given.setdefault(name, []).append(value)
    values: dict[str, Any] = {}
    for name, said in given.items():
        schema = known[name].schema
        if schema["type"] == "array":
            values[name] = said
        elif len(said) > 1:
            raise _wrong(name, "is given more than once")
        else:
            values[name] = _typed(name, said[0], schema)
    return completed(fields, values)


def _typed(name: str, said: str, schema: Schema) -> object:
    if schema["type"] == "integer":
        if not _NUMBER.fullmatch(said):
            raise _wrong(name, "must be a whole number")
        return int(said)
    if schema["type"] == "boolean":
        if said not in _TRUTH:
            raise _wrong(name, "must be true or false")
        return _TRUTH[said]
    return said


def completed(fields: Sequence[Field], sent: Mapping[str, Any]) -> dict[str, Any]:
    """``sent`` with defaults, once all of it is checked.

    Raises:
        InputError: One is unknown, missing, or does not fit its schema.
    """
    known = {field.name: field for field in fields}
    unknown = next((name for name in sent if name not in known), None)
    if unknown is not None:
        raise InputError(
            f"there is no member {unknown!r}",
            remedy=f"Members: {', '.join(known) or 'none'}.",
            parameter=unknown,
        )
    values = {
        name: field.schema["default"] for name, field in known.items() if "default" in field.schema
    }
    for name, field in known.items():
        if name in sent:
            values[name] = checked(name, sent[name], field.schema)
        elif field.required:
            raise _wrong(name, "is missing")
    return values


def checked(name: str, value: object, schema: Schema) -> object:
    """``value``, which fits ``schema``.

    Raises:
        InputError: It does not; the message says in what.
    """
    kind, test = _TYPES[schema["type"]]
    if not test(value):
        raise _wrong(name, f"must be {kind}")
    for keyword, limit in schema.items():
        fits = _KEYWORDS.get(keyword)
        if fits and not fits(value, limit):
            raise _wrong(name, _SAID[keyword].format(limit=limit))
    if isinstance(value, list):
        for one in value:
            checked(name, one, schema["items"])
    return value


def _wrong(name: str, what: str) -> InputError:
    return InputError(f"{name} {what}", remedy="Correct it and send it again.", parameter=name)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_TYPES: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "string": ("a text", lambda value: isinstance(value, str)),
    "integer": ("a whole number", _is_whole),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "array": ("a list", lambda value: isinstance(value, list)),
}
_KEYWORDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, limit: value >= limit,
    "maximum": lambda value, limit: value <= limit,
    "minLength": lambda value, limit: len(value) >= limit,
    "maxLength": lambda value, limit: len(value) <= limit,
    "minItems": lambda value, limit: len(value) >= limit,
    "maxItems": lambda value, limit: len(value) <= limit,
    "enum": lambda value, limit: value in limit,
    "pattern": lambda value, limit: re.search(limit, value) is not None,
}
_SAID = {
    "minimum": "is below {limit}",
    "maximum": "is above {limit}",
    "minLength": "is shorter than {limit} characters",
    "maxLength": "is longer than {limit} characters",
    "minItems": "has fewer than {limit} items",
    "maxItems": "has more than {limit} items",
    "enum": "is none of {limit}",
    "pattern": "does not match {limit}",
}
