"""Models of answers for the OpenAPI document, derived from dataclasses or written by hand."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, GetPydanticSchema, create_model
from pydantic_core import core_schema

from mind.documents import archive
from mind.domain import entry
from mind.domain.entry import Kind, Layer, Span
from mind.memory import answers, gotchas
from mind.storage import pending


def among(values: Iterable[str]) -> GetPydanticSchema:
    """A choice of strings, for use in ``Annotated``."""
    schema = core_schema.literal_schema([str(one) for one in values])
    return GetPydanticSchema(lambda _source, _handler: schema)


def shape(name: str, base: type[BaseModel] | None = None, /, **members: Any) -> type[BaseModel]:  # noqa: ANN401 - types
    """Create a model; members are required unless given as (type, default)."""
    given: dict[str, Any] = {
        key: one if isinstance(one, tuple) else (one, ...) for key, one in members.items()
    }
    return create_model(name, __base__=base, **given)


def members(of: type[BaseModel], found: object, **more: object) -> dict[str, object]:
    """Return the members of a model from ``more``, else from the attributes of ``found``."""
    return {name: more[name] if name in more else getattr(found, name) for name in of.model_fields}


def several(one: Any) -> Any:  # noqa: ANN401 - types
    """Return the type of a list of ``one``."""
    return list[one]


VERDICT = shape(
    "Verdict",
    state=str,
    superseded_by=str | None,
    old_value=str | None,
    new_value=str | None,
    despite=list[str],
)
ENTRY = shape(
    "Entry",
    id=str,
    kind=Annotated[str, among(Kind)],
    status=Annotated[str, among(entry.Status)] | None,
    date=date | None,
    title=str,
    text=str,
    confidence=float,
    why=str,
    reasoning=str,
    alternatives=list[str],
    workaround=str,
    tags=list[str],
    links=list[str],
    fields=dict[str, str],
    section=list[str],
    layer=Annotated[str, among(Layer)],
    file=str,
    line=int,
    end=int,
    commit=str | None,
    language=str | None,
    code=(list[str], []),
    stale=(list[str], []),
    verdict=(VERDICT | None, None),
)
ENTRIES = several(ENTRY)
HIT = shape(
    "Hit",
    ENTRY,
    stale=list[str],
    verdict=VERDICT,
    score=float,
    relevance=str,
    likelihood=float,
    matched=list[str],
    branches=dict[str, int],
    signals=dict[str, float],
    project=str | None,
)
ARCHIVED = shape(
    "Archived",
    id=str,
    archived=date,
    reason=str,
    kind=str | None,
    date=date | None,
    file=str,
    line=int,
    section=list[str],
    replaced_by=str | None,
    text=str,
)
STEP = shape(
    "Step",
    depth=int,
    subject=str,
    predicate=str,
    object=str,
    inward=bool,
    weight=float,
    id=str,
    file=str,
    line=int,
)
PROBLEM_MODEL = shape("Problem", type=str, title=str, status=int, detail=str, remedy=str, code=str)
_WRITTEN: Mapping[Any, Any] = {entry.Entry: ENTRY, archive.Archived: ARCHIVED, Path: str}
"""Classes with their own format in :mod:`mind.memory.as_json`."""
_LATE = {
    **vars(answers),
    "Archived": archive.Archived,
    "Gotcha": gotchas.Gotcha,
    "Edge": gotchas.MatchedGotcha,
    "Pending": pending.Pending,
}
"""Classes in type hints that their modules import only for type checking."""


def model(hint: Any) -> Any:  # noqa: ANN401 - any type
    """Return the type that :func:`mind.memory.as_json.plain` converts a value of this type to."""
    origin, inner = get_origin(hint), get_args(hint)
    kind: Any = origin or hint
    if hint in _WRITTEN:
        return _WRITTEN[hint]
    if is_dataclass(kind):
        return _of_dataclass(kind, inner)  # type: ignore[arg-type] # a class is hashable
    if origin in (Union, UnionType):
        return Union[tuple(model(one) for one in inner)]  # noqa: UP007 - of a tuple
    if origin:
        made = [model(one) for one in inner if one is not Ellipsis]
        return dict[str, made[1]] if issubclass(origin, Mapping) else several(Union[tuple(made)])  # type: ignore[valid-type] # noqa: UP007 - at run time
    if issubclass(kind, StrEnum):
        return Annotated[str, among(kind)]
    return str if issubclass(kind, str) else kind


@cache
def _of_dataclass(kind: Any, inner: Sequence[Any]) -> type[BaseModel]:  # noqa: ANN401 - any dataclass
    given = dict(zip(getattr(kind, "__parameters__", ()), inner, strict=True))
    hints = get_type_hints(kind, localns=_LATE)
    name = kind.__name__ + "".join(one.__name__ for one in inner)
    shown = {one.name: hints[one.name] for one in fields(kind) if hints[one.name] is not Span}
    return shape(name, **{key: model(_filled(hint, given)) for key, hint in shown.items()})


def _filled(hint: Any, given: Mapping[Any, Any]) -> Any:  # noqa: ANN401 - any type
    """Return ``hint`` with its type variables replaced."""
    if isinstance(hint, TypeVar):
        return given[hint]
    variables = getattr(hint, "__parameters__", ())
    return hint[tuple(given[one] for one in variables)] if variables else hint
