"""Setting one key in a settings file."""

from pathlib import Path

from mind.documents import jsontext
from mind.domain.settings import check_place, parse_value
from mind.storage import files


def configure(path: Path, key: str, value: str | None) -> None:
    """Set one key in a settings file (JSON, or TOML for the user's own), or remove it with None.

    Raises:
        ConfigError: The key is unknown or the value does not fit; nothing is written.
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
    import tomllib  # noqa: PLC0415 - only the user's settings are TOML

    import tomli_w  # noqa: PLC0415 - the same

    def change(source: bytes) -> bytes:
        data = tomllib.loads(files.decode(source, path))
        table = data.setdefault(section, {})
        table.pop(name, None)
        if wanted is not None:
            table[name] = wanted
        return tomli_w.dumps({key: inner for key, inner in data.items() if inner != {}}).encode()

    files.edit(path, change, create=True)
    if (section, name) == ("mirror", "dsn"):
        path.chmod(0o600)  # it may hold a password
