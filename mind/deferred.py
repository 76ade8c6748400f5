"""Modules that are imported when something of them is first asked for."""

from importlib import import_module
from typing import Any


class Deferred:
    """Stands for a module of Mind that only some calls need: ``gate = Deferred("gate")``.

    What a search or a hook never runs costs it nothing to start.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        """``name`` is the module's, below ``mind``."""
        self._name = f"mind.{name}"

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module has
        """What the module has by this name; it is imported unless it is already."""
        return getattr(import_module(self._name), name)
