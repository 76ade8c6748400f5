"""Tool: its parameters, its description for the model, and the function it calls."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_origin

from mind.domain.errors import InputError

if TYPE_CHECKING:
    from mind.memory.memory import Memory

Texts = Sequence[str]
Run = TypeVar("Run", bound=Callable[..., str])
_SCHEMAS: Mapping[object, Mapping[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float | None: {"type": "number"},
    Texts: {"type": "array", "items": {"type": "string"}},
}
_PYTHON: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "array": list,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.

    Attributes:
        name: Name of the tool.
        title: Name shown to people.
        description: For the model: what the tool does and when to use it.
        properties: JSON Schema of each parameter.
        required: Parameters without a default.
        reads_only: True if the tool writes nothing that a person would miss.
        idempotent: True if a second call with the same arguments has no further effect.
        rooted: True if it may also read the roots that the client declares; ``run`` receives them
            as ``roots``, a sequence of paths.
        always: Claude Code shows it to the model from the first turn; other tools are listed only
            when the model searches for them. It costs tokens in every session.
        run: Runs the tool and renders its answer. Called with the memory, and the parameters by
            name.
    """

    name: str
    title: str
    description: str
    properties: Mapping[str, Mapping[str, Any]]
    run: Callable[..., str]
    required: tuple[str, ...] = ()
    reads_only: bool = False
    idempotent: bool = False
    rooted: bool = False
    always: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The input schema."""
        schema: dict[str, Any] = {"type": "object", "properties": dict(self.properties)}
        if self.required:
            schema["required"] = list(self.required)
        return schema

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """``arguments`` with defaults filled in.

        Raises:
            InputError: One is unknown, missing, or of the wrong type or value.
        """
        unknown = [name for name in arguments if name not in self.properties]
        if unknown:
            accepted = ", ".join(self.properties) or "none"
            raise InputError(
                f"{self.name} has no parameter {unknown[0]!r}", remedy=f"Parameters: {accepted}."
            )
        given = {
            name: [value]
            if isinstance(value, str) and value and self.properties[name]["type"] == "array"
            else value
            for name, value in arguments.items()
            if value is not None and not (value == "" and self.properties[name]["type"] == "array")
        }
        missing = [name for name in self.required if name not in given]
        if missing:
            remedy = "Call it again with this parameter."
            raise InputError(f"{self.name} needs {missing[0]!r}", remedy=remedy)
        for name, value in given.items():
            _check(name, value, self.properties[name])
        defaults = {
            name: schema["default"]
            for name, schema in self.properties.items()
            if "default" in schema
        }
        return defaults | given


def _check(name: str, value: object, schema: Mapping[str, Any]) -> None:
    wanted = schema["type"]
    wrong = not isinstance(value, _PYTHON[wanted]) or (
        wanted == "integer" and isinstance(value, bool)
    )
    if isinstance(value, list):
        wrong = wrong or not all(isinstance(item, str) for item in value)
    if wrong:
        kind = "an array of strings" if wanted == "array" else f"of type {wanted}"
        raise InputError(f"{name!r} must be {kind}", remedy="Fix it and call again.")
    if "enum" in schema and value not in schema["enum"]:
        raise InputError(
            f"{name!r} cannot be {value!r}",
            remedy=f"Use one of: {', '.join(filter(None, schema['enum']))}.",
        )


class Toolset(list[Tool]):
    """A list of tools that are served together, in the order of their functions."""

    def tool(
        self,
        title: str,
        description: str,
        *,
        reads_only: bool = False,
        idempotent: bool = False,
        always: bool = False,
    ) -> Callable[[Run], Run]:
        """Register a function as a tool named after it: ``_log`` becomes ``mind_log``.

        The schema comes from its parameters: the type, the default, and the description or other
        schema members in ``Annotated``. A tool that only reads is idempotent.
        """

        def added(run: Run) -> Run:
            every = list(inspect.signature(run).parameters.values())[1:]
            taken = [one for one in every if one.kind is not one.KEYWORD_ONLY]
            self.append(
                Tool(
                    name=f"mind{run.__name__}",
                    title=title,
                    description=description,
                    properties={one.name: _schema(one) for one in taken},
                    run=run,
                    required=tuple(one.name for one in taken if one.default is one.empty),
                    reads_only=reads_only,
                    idempotent=idempotent or reads_only,
                    rooted="roots" in (one.name for one in every),
                    always=always,
                )
            )
            return run

        return added


def _schema(parameter: inspect.Parameter) -> Mapping[str, Any]:
    kind, told = parameter.annotation, list[object]()
    if get_origin(kind) is Annotated:
        kind, *told = get_args(kind)
    is_choice = get_origin(kind) is Literal
    schema = {**_SCHEMAS[str], "enum": list(get_args(kind))} if is_choice else {**_SCHEMAS[kind]}
    if parameter.default not in (parameter.empty, None):
        default = parameter.default
        schema["default"] = list(default) if isinstance(default, tuple) else default
    for one in told:
        schema |= one if isinstance(one, dict) else {"description": one}
    return schema


def longest(memory: "Memory") -> int:
    """Return the maximum length of an answer, in characters."""
    return memory.project.settings.reply_max_characters
