"""A tool: what it takes, how it is described to a model, and what it calls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mind.domain.errors import InputError

if TYPE_CHECKING:
    from mind.memory.memory import Memory

TEXT = {"type": "string"}
"""The schema of a parameter that is a text."""
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
        name: As called.
        title: For people.
        description: For the model: what it does and when to use it.
        properties: JSON Schema of each parameter.
        required: Parameters without a default.
        reads_only: It writes nothing that a person would miss.
        idempotent: Calling it twice is like calling it once.
        rooted: It may leave the project for the roots that the client states; ``run`` is given
            them as ``roots``, a sequence of paths.
        always: Claude Code shows it to the model from the first turn, where others wait until
            the model looks for them. It costs tokens in every session.
        run: Does it, and renders the answer.
    """

    name: str
    title: str
    description: str
    properties: Mapping[str, Mapping[str, Any]]
    run: Callable[["Memory", Mapping[str, Any]], str]
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
            raise InputError(f"{self.name} needs {missing[0]!r}", remedy="Call it again with that.")
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
        raise InputError(f"{name!r} must be {kind}", remedy="Correct it and call again.")
    if "enum" in schema and value not in schema["enum"]:
        raise InputError(
            f"{name!r} is {value!r}", remedy=f"Use one of: {', '.join(schema['enum'])}."
        )
