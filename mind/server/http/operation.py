"""An operation: what it takes, what it answers, who may do it, and how it is done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mind.server.http.schema import Field
from mind.server.http.shapes import Json, Shapes
from mind.storage.tokens import Scope

if TYPE_CHECKING:
    from mind.memory.memory import Memory
    from mind.server.http.access import Grant
    from mind.server.http.served import Served


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, checked.

    Attributes:
        given: Its parameters and the members of its body, with defaults.
        memory: Of the project it names; None where an operation needs none.
        served: The projects there are.
        grant: Who asks.
        if_match: The versions that the caller knows, of the header If-Match; "" for none.
        exchange: Gives the token of this run for its code.
    """

    given: Mapping[str, Any]
    served: "Served"
    grant: "Grant"
    exchange: Callable[[str], str]
    memory: "Memory | None" = None
    if_match: str = ""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - whatever was sent
        return self.given[name]

    @property
    def project(self) -> "Memory":
        """The memory, of an operation that needs one."""
        if self.memory is None:
            raise LookupError("this operation has no project")
        return self.memory


Shape = Callable[[Shapes], Json]
"""Makes the schema of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path.

    Attributes:
        name: The operationId.
        method: "GET", "POST" …
        path: With ``{name}`` for parameters of the path.
        about: What it does, in a sentence.
        run: Does it, in a thread of its own, and gives what is answered, in terms of JSON.
        answer: Makes the schema of that.
        scope: What a token has to allow; None: no token is needed.
        fields: Parameters and members of the body.
        status: Of success.
        of_project: It works on one project, which the parameter "project" names.
        of_all: It concerns every project: it is not for a token of chosen ones.
        group: Under which it is documented.
        may_match: It heeds If-Match.
        refusals: Statuses beside those that every operation has.
    """

    name: str
    method: str
    path: str
    about: str
    run: Callable[[Call], Any]
    answer: Shape
    group: str
    scope: Scope | None = Scope.READ
    fields: Sequence[Field] = ()
    status: int = 200
    of_project: bool = True
    of_all: bool = False
    may_match: bool = False
    refusals: Sequence[int] = field(default=())

    def at(self, *places: str) -> list[Field]:
        """What is sent in these places."""
        return [one for one in self.all_fields if one.place in places]

    @property
    def all_fields(self) -> Sequence[Field]:
        """Those of every operation on a project too."""
        return (*self.fields, PROJECT) if self.of_project else self.fields

    @property
    def has_body(self) -> bool:
        """Whether it takes a body."""
        return any(one.place == "body" for one in self.fields)

    @property
    def is_read(self) -> bool:
        """Whether its answer can be asked for again with If-None-Match."""
        return self.method == "GET"


PROJECT = Field(
    name="project",
    schema={"type": "string", "maxLength": 200},
    about="Name or id of the project, as /api/v1/projects lists it; needed if there are several.",
)
