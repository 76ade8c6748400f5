"""Edits that add Mind's server to the text of a client's file, and remove it.

The parsed result of each edit is compared with the expected data; an edit that would change
anything else is an error instead.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from mind.documents import jsontext, tomltext
from mind.domain.errors import FileError
from mind.setup.clients.known import Client, Format

Was = tuple[int, str]
"""The text that the entry replaced, and its depth in keys; -1 for the whole file."""


@dataclass(frozen=True, slots=True)
class _Editor:
    load: Callable[[str], dict[str, object]]
    put: Callable[[str, Sequence[str], object], str]
    take: Callable[..., str]
    hollow: Callable[[str, Sequence[str]], Was | None]
    line: Callable[[str, Sequence[str]], int]


_JSON = _Editor(jsontext.load, jsontext.put, jsontext.take, jsontext.hollow, jsontext.line)
_EDITORS = {
    Format.JSON: replace(_JSON, load=partial(jsontext.load, strict=True)),
    Format.JSONC: _JSON,
    Format.TOML: _Editor(
        tomltext.load,
        tomltext.put,
        lambda text, path, **_: tomltext.take(text, path),
        lambda *_: None,  # an emptied table stays in place
        tomltext.line,
    ),
}


def entry(client: Client, command: Sequence[str]) -> dict[str, object]:
    """The entry in the file of ``client`` for a server that ``command`` starts."""
    return {**client.shape.first, **_command(client, command), **client.shape.last}


def _command(client: Client, command: Sequence[str]) -> dict[str, object]:
    shape = client.shape
    if shape.arguments is None:
        return {shape.program: list(command)}
    return {shape.program: command[0], shape.arguments: list(command[1:])}


def snippet(client: Client, command: Sequence[str]) -> str:
    """The text to paste into the file of ``client``: a complete file with only this entry."""
    if client.by_hand:  # JSON is valid YAML
        section, name = client.path
        return f"{section}:\n  {name}: {json.dumps(entry(client, command))}\n"
    return _EDITORS[client.format].put("", client.path, entry(client, command))


def registered(client: Client, text: str) -> list[str] | None:
    """The command that ``text`` registers; None if it registers none.

    Raises:
        FileError: ``text`` cannot be read, or its entry for Mind is invalid.
    """
    editor = _EDITORS[client.format]
    found = _entry(client, editor, text)
    if found is None:
        return None
    said = found.get(client.shape.program)
    rest = found.get(client.shape.arguments, []) if client.shape.arguments else []
    words = [*_list(said), *_list(rest)]
    if not words or not all(isinstance(one, str) for one in words):
        shown = json.dumps(entry(client, ["mind", "mcp"]))
        raise FileError(
            f"{'.'.join(client.path)} has no command",
            remedy=f"Correct it, for example to {shown}, or delete it and run `mind init --client "
            f"{client.name}`.",
            line=editor.line(text, client.path),
        )
    return [str(one) for one in words]


def environment(client: Client, text: str) -> dict[str, str]:
    """Environment variables that ``text`` sets for Mind's server, except those with ``$``."""
    found = _entry(client, _EDITORS[client.format], text) or {}
    said = found.get(client.shape.env)
    return {
        str(key): value
        for key, value in (said.items() if isinstance(said, Mapping) else ())
        if isinstance(value, str) and "$" not in value
    }


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _entry(client: Client, editor: _Editor, text: str) -> Mapping[str, object] | None:
    """Mind's entry; None if it or a key on the path to it is missing."""
    value: object = editor.load(text)
    for depth, key in enumerate(client.path, 1):
        value = value.get(key) if isinstance(value, Mapping) else None
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise FileError(
                f"{'.'.join(client.path[:depth])} is not an object",
                remedy="Correct the file, or add the entry by hand.",
                line=editor.line(text, client.path[:depth]),
            )
    return value if isinstance(value, Mapping) else None


def was(client: Client, text: str) -> Was | None:
    """Return what :func:`unregister` needs to restore ``text`` to its state before the entry."""
    editor = _EDITORS[client.format]
    if not text.strip():
        return -1, text
    hollow = editor.hollow(text, client.path)
    return (-1, text) if hollow is None and editor.load(text) == {} else hollow


def register(client: Client, text: str, command: Sequence[str]) -> str:
    """``text`` with Mind's server; unchanged if it has one, whatever its command.

    Raises:
        FileError: ``text`` is damaged, or in a form that Mind cannot edit.
    """
    editor = _EDITORS[client.format]
    if _entry(client, editor, text) is not None:
        registered(client, text)
        return text
    wanted = entry(client, command)
    after = editor.put(text, client.path, wanted)
    _check(editor, text, after, client.path, wanted)
    return after


def repoint(client: Client, text: str, command: Sequence[str]) -> str:
    """``text`` with ``command`` for Mind's server; everything else is unchanged."""
    editor = _EDITORS[client.format]
    for key, value in _command(client, command).items():
        path = (*client.path, key)
        after = editor.put(text, path, value)
        _check(editor, text, after, path, value)
        text = after
    return text


def _check(editor: _Editor, before: str, after: str, path: Sequence[str], value: object) -> None:
    wanted = _with(editor.load(before), path, value)
    try:
        found: object = editor.load(after)
    except FileError:
        found = None
    if found != wanted:
        raise FileError(
            f"{'.'.join(path)} cannot be set without changing something else",
            remedy="Add the entry by hand; `mind init --client NAME --print` prints it.",
            line=editor.line(before, path),
        )


def _with(data: Mapping[str, object], path: Sequence[str], value: object) -> dict[str, object]:
    inner = data.get(path[0])
    below = inner if isinstance(inner, Mapping) else {}
    return {**data, path[0]: _with(below, path[1:], value) if len(path) > 1 else value}


def unregister(client: Client, text: str, before: Was | None = None) -> str | None:
    """``text`` without Mind's server; None if nothing else was in it.

    Args:
        client: The client.
        text: The text of its file.
        before: The result of :func:`was` before :func:`register`, if known.

    Raises:
        FileError: ``text`` is damaged, or in a form that Mind cannot edit.
    """
    editor = _EDITORS[client.format]
    data = editor.load(text)
    if _at(data, client.path) is None:
        return text
    left = editor.take(text, client.path, was=before)
    found = editor.load(left)
    if _at(found, client.path) is not None or (
        _without(found, client.path) != _without(data, client.path)
    ):
        raise FileError(
            f"{'.'.join(client.path)} cannot be removed without changing something else",
            remedy="Remove it by hand.",
            line=editor.line(text, client.path),
        )
    if before is None:
        return left if left.strip() not in ("", "{}") else None
    said = "".join(before[1].split())
    is_hollow = before[0] < 0 and "".join(left.split()) in ("", "{}", said, said + "{}")
    return before[1] if is_hollow else left


def _at(data: object, path: Sequence[str]) -> object:
    for key in path:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def _without(data: Mapping[str, object], path: Sequence[str]) -> dict[str, object]:
    """``data`` without the value at ``path``, and without containers that this leaves empty."""
    rest = {key: value for key, value in data.items() if key != path[0]}
    inner = data.get(path[0])
    if len(path) == 1 or inner is None:
        return rest
    below = _without(inner, path[1:]) if isinstance(inner, Mapping) else inner
    return {**rest, path[0]: below} if below else rest
