"""JSON without importing ``json``, whose regular expressions take 5 ms to load.

It uses the C parts of that module where they exist, as in CPython; else the module itself.
"""

from types import SimpleNamespace

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from typing import Any


def loads(source: bytes) -> "Any":  # noqa: ANN401 - any JSON value
    """Parse ``source``.

    Raises:
        ValueError: It is not JSON in UTF-8.
        RecursionError: It is nested too deeply.
    """
    text = source.decode("utf-8").strip()
    try:
        from _json import make_scanner  # noqa: PLC0415 - not everywhere

        value, end = make_scanner(_STRICT)(text, 0)  # type: ignore[arg-type] # it asks for no more
        if end == len(text):
            return value
    except (ImportError, StopIteration, SystemError):  # the module raises the right error
        pass
    from json import loads as slowly  # noqa: PLC0415 - see above

    return slowly(text)


_STRICT = SimpleNamespace(
    strict=True,
    object_hook=None,
    object_pairs_hook=None,
    parse_float=float,
    parse_int=int,
    parse_constant=float,
    memo={},
)
"""Options that the scanner reads."""


def listed(lines: bytes, key: str) -> bytes:
    """Return the rest of the line that starts with a key and a tab; empty if there is none.

    Args:
        lines: The lines, which are sorted.
        key: The key.
    """
    wanted, low, high = f"{key}\t".encode("utf-8", "replace"), 0, len(lines)
    while low < high:
        begin = lines.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = lines.index(b"\n", begin)
        found = lines[begin:end]
        if found.startswith(wanted):
            return found[len(wanted) :]
        low, high = (end + 1, high) if found < wanted else (low, begin)
    return b""


def line(value: object, *, is_ascii: bool = False) -> str:
    """Return what ``json.dumps(…, ensure_ascii=is_ascii, separators=(",", ":"))`` does."""
    try:
        import _json  # noqa: PLC0415 - not everywhere

        quoted = _json.encode_basestring_ascii if is_ascii else _json.encode_basestring
        options = (quoted, None, ":", ",", False, False, True)
        return "".join(_json.make_encoder({}, None, *options)(value, 0))  # type: ignore[arg-type] # None: no other types
    except (ImportError, TypeError):  # the module raises the right error
        from json import dumps  # noqa: PLC0415 - see above

        return dumps(value, ensure_ascii=is_ascii, separators=(",", ":"))


def ascii_line(value: object) -> str:
    """Return the same as :func:`line` in ASCII, for programs of any encoding."""
    return line(value, is_ascii=True)


def indented(value: "dict[str, Any]") -> str:
    """Return an object of plain values and lists of them as ``json.dumps(…, indent=2)`` does."""
    rows = [f"  {line(key)}: {_nested(one)}" for key, one in value.items()]
    return "{\n" + ",\n".join(rows) + "\n}"


def _nested(value: object) -> str:
    if not isinstance(value, list) or not value:
        return line(value)
    return "[\n" + ",\n".join(f"    {line(one)}" for one in value) + "\n  ]"
