"""Pure functions on strings; their words are data, a TOML file a language under ``mind/data``.

Hooks import this module, so it imports nothing.
"""

TYPE_CHECKING = False  # typing takes milliseconds, which a hook does not have
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_tables: "dict[str, Mapping[str, Any]]" = {}


def table(name: str) -> "Mapping[str, Any]":
    """The file ``mind/data/NAME.toml``, read once."""
    if name not in _tables:
        import tomllib  # noqa: PLC0415 - only where words are asked for
        from importlib.resources import files  # noqa: PLC0415 - the same

        text = files("mind").joinpath(f"data/{name}.toml").read_text(encoding="utf-8")
        _tables[name] = tomllib.loads(text)
    return _tables[name]


def languages(folder: str) -> tuple[str, ...]:
    """The languages that ``mind/data/FOLDER`` has a file for."""
    from importlib.resources import files  # noqa: PLC0415 - as above

    names = (path.name for path in files("mind").joinpath("data", folder).iterdir())
    return tuple(sorted(name[:2] for name in names if len(name) == len("en.toml")))
