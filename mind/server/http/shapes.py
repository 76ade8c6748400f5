"""The form of answers, as JSON Schema made from the value classes they come from; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from mind.documents import archive
from mind.domain.entry import Entry, Kind, Layer, Span, Status
from mind.memory import answers, gotchas
from mind.storage import pending

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
WHOLE: Json = {"type": "integer"}
NUMBER: Json = {"type": "number"}
TRUTH: Json = {"type": "boolean"}
DAY: Json = {"type": "string", "format": "date"}
TEXTS: Json = {"type": "array", "items": TEXT}
COUNTS: Json = {"type": "object", "additionalProperties": WHOLE}


def nullable(schema: Json) -> Json:
    """``schema``, or nothing."""
    kind = schema.get("type")
    if "enum" in schema:
        return schema | {"type": [kind, "null"], "enum": [*schema["enum"], None]}
    if isinstance(kind, str):
        return schema | {"type": [kind, "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def several(schema: Json) -> Json:
    """A list of them."""
    return {"type": "array", "items": schema}


def ref(name: str) -> Json:
    """The component ``name``."""
    return {"$ref": f"#/components/schemas/{name}"}


def members(given: Mapping[str, Json], optional: Sequence[str] = ()) -> Json:
    """An object of these members."""
    return {
        "type": "object",
        "properties": dict(given),
        "required": [name for name in given if name not in optional],
    }


_ENTRY: Mapping[str, Json] = {
    "id": TEXT,
    "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
    "status": nullable({"type": "string", "enum": [one.value for one in Status]}),
    "date": nullable(DAY),
    "title": TEXT,
    "text": TEXT,
    "confidence": NUMBER,
    "why": TEXT,
    "reasoning": TEXT,
    "alternatives": TEXTS,
    "workaround": TEXT,
    "tags": TEXTS,
    "links": TEXTS,
    "fields": {"type": "object", "additionalProperties": TEXT},
    "section": TEXTS,
    "layer": {"type": "string", "enum": [one.value for one in Layer]},
    "file": TEXT,
    "line": WHOLE,
    "end": WHOLE,
    "commit": nullable(TEXT),
    "language": nullable(TEXT),
    "tone": nullable(NUMBER),
}
_HIT: Mapping[str, Json] = {
    **_ENTRY,
    "stale": TEXTS,
    "score": NUMBER,
    "relevance": TEXT,
    "likelihood": NUMBER,
    "matched": TEXTS,
    "branches": COUNTS,
    "signals": {"type": "object", "additionalProperties": NUMBER},
    "project": nullable(TEXT),
}
_ARCHIVED: Mapping[str, Json] = {
    "id": TEXT,
    "archived": DAY,
    "reason": TEXT,
    "kind": nullable(TEXT),
    "date": nullable(DAY),
    "file": TEXT,
    "line": WHOLE,
    "section": TEXTS,
    "replaced_by": nullable(TEXT),
    "text": TEXT,
}
_STEP: Mapping[str, Json] = {
    "depth": WHOLE,
    "subject": TEXT,
    "predicate": TEXT,
    "object": TEXT,
    "inward": TRUTH,
    "weight": NUMBER,
    "id": TEXT,
    "file": TEXT,
    "line": WHOLE,
}
_LATE = {
    **vars(answers),
    "Archived": archive.Archived,
    "Gotcha": gotchas.Gotcha,
    "Edge": gotchas.Edge,
    "Pending": pending.Pending,
}
"""Classes that hints name and that their modules import only for them."""


class Shapes:
    """Schemas of values, and the components that they refer to."""

    def __init__(self) -> None:
        self.components: dict[str, Json] = {
            "Entry": members({**_ENTRY, "stale": TEXTS}, ["stale"]),
            "Hit": members(_HIT),
            "Archived": members(_ARCHIVED),
            "Step": members(_STEP),
            "Problem": members(
                {
                    "type": {"type": "string", "format": "uri"},
                    "title": TEXT,
                    "status": WHOLE,
                    "detail": TEXT,
                    "remedy": TEXT,
                    "code": TEXT,
                }
            ),
        }

    def of(self, hint: Any, known: Mapping[Any, Any] | None = None) -> Json:  # noqa: ANN401 - any type hint
        """The schema of what :func:`mind.memory.plain.plain` makes of a value of this type.

        Raises:
            TypeError: It has no form as JSON.
        """
        known = known or {}
        hint = known.get(hint, hint) if isinstance(hint, TypeVar) else hint
        origin = get_origin(hint)
        if origin in (Union, UnionType):
            return self._union(get_args(hint), known)
        if origin is not None:
            return self._generic(origin, get_args(hint), known)
        if isinstance(hint, type) and is_dataclass(hint):
            return self._named(hint, hint.__name__, {})
        return _simple(hint)

    def _union(self, kinds: Sequence[Any], known: Mapping[Any, Any]) -> Json:
        schemas = [self.of(one, known) for one in kinds if one is not NoneType]
        made = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        return nullable(made) if NoneType in kinds else made

    def _generic(self, origin: Any, inner: Sequence[Any], known: Mapping[Any, Any]) -> Json:  # noqa: ANN401 - any class
        if isinstance(origin, type) and is_dataclass(origin):
            given: dict[Any, Any] = dict(zip(vars(origin)["__parameters__"], inner, strict=True))
            given = {name: known.get(one, one) for name, one in given.items()}
            whole: str = origin.__qualname__
            name = whole + "".join(one.__name__ for one in given.values())
            return self._named(origin, name[0].upper() + name[1:], given)
        if issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(inner[1], known)}
        if origin is tuple and Ellipsis not in inner:
            return several({"anyOf": [self.of(one, known) for one in inner]})
        return several(self.of(inner[0], known))

    def _named(self, kind: Any, name: str, known: Mapping[Any, Any]) -> Json:  # noqa: ANN401 - any dataclass
        if kind is Entry:
            return ref("Entry")
        if kind is archive.Archived:
            return ref("Archived")
        if name not in self.components:
            self.components[name] = {}
            hints = get_type_hints(kind, localns=_LATE)
            shown = {
                one.name: self.of(hints[one.name], known)
                for one in fields(kind)
                if hints[one.name] is not Span
            }
            self.components[name] = members(shown)
        return ref(name)


def _simple(hint: Any) -> Json:  # noqa: ANN401 - any class
    if issubclass(hint, Enum):
        return {"type": "string", "enum": [one.value for one in hint]}
    for kinds, schema in (
        (bool, TRUTH),
        (int, WHOLE),
        (float, NUMBER),
        (datetime, {"type": "string", "format": "date-time"}),
        (date, DAY),
        ((str, Path), TEXT),
    ):
        if issubclass(hint, kinds):
            return dict(schema)
    raise TypeError(f"{hint} has no form as JSON")
