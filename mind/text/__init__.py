"""Pure functions on strings; their words are data, a TOML file a language under ``mind/data``.

Hooks import this module, so it imports nothing that they do without.
"""

import os

TYPE_CHECKING = False  # typing takes milliseconds, which a hook does not have
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_DATA = f"{os.path.dirname(os.path.dirname(__file__))}/data"
_tables: "dict[str, Mapping[str, Any]]" = {}


def table(name: str) -> "Mapping[str, Any]":
    """The file ``mind/data/NAME.toml``, read once."""
    if name not in _tables:
        import tomllib  # noqa: PLC0415 - only where words are asked for

        with open(f"{_DATA}/{name}.toml", "rb") as file:
            _tables[name] = tomllib.load(file)
    return _tables[name]


def languages(folder: str) -> tuple[str, ...]:
    """The languages that ``mind/data/FOLDER`` has a file for."""
    names = (name for name in os.listdir(f"{_DATA}/{folder}") if len(name) == len("en.toml"))
    return tuple(sorted(name[:2] for name in names))
