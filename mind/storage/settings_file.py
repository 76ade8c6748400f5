"""Setting one key in a settings file."""

from pathlib import Path

from mind.documents import jsontext
from mind.domain.errors import ConfigError
from mind.domain.settings import check_place, parse_value
from mind.storage import files


def configure(path: Path, key: str, value: str | None) -> None:
    """Set one key in a settings file (JSON, or TOML for the user's own); None removes it.

    Raises:
        ConfigError: The key is unknown or the value is invalid; nothing is written.
    """
    section, _, name = key.partition(".")
    check_place(key, path)
    wanted = parse_value(key, value) if value is not None else None
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".toml":
        _configure_toml(path, section, name, wanted)
        return

    def change(source: bytes) -> bytes:
        text = files.decode(source, path)
        if wanted is None:
            return jsontext.take(text, (section, name)).encode()
        return jsontext.put(text, (section, name), wanted).encode()

    files.edit(path, change, create=True)


def _configure_toml(path: Path, section: str, name: str, wanted: object) -> None:
    from mind.documents import tomltext  # noqa: PLC0415 - only the user's settings are TOML

    def change(source: bytes) -> bytes:
        text = files.decode(source, path)
        data = tomltext.load(text)
        table = data.setdefault(section, {})
        if not isinstance(table, dict):
            raise _by_hand(path, section)
        if wanted is None or isinstance(wanted, dict):
            text = tomltext.take(text, (section, name)) if name in table else text
            table.pop(name, None)
        if wanted is not None:
            within = bool(table) or isinstance(wanted, dict)
            path_of, value = ((section, name), wanted) if within else ((section,), {name: wanted})
            text = tomltext.put(text, path_of, value)
            table[name] = wanted
        elif not table:
            text = tomltext.take(text, (section,))
        said = {key: inner for key, inner in tomltext.load(text).items() if inner != {}}
        if said != {key: inner for key, inner in data.items() if inner != {}}:
            raise _by_hand(path, section)
        return text.encode()

    files.edit(path, change, create=True)
    if (section, name) == ("mirror", "dsn"):
        path.chmod(0o600)  # it may hold a password


def _by_hand(path: Path, section: str) -> ConfigError:
    return ConfigError(
        f"{section} is written in a form that Mind cannot edit", remedy=f"Set it in {path} by hand."
    )
