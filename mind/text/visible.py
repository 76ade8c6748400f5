"""Escape characters that control a terminal or reverse the text direction.

Memory is written by others. An escape sequence could rewrite the screen or set a window title; a
bidirectional override displays words in another order. Hooks import this module.
"""

_STEERING = (*range(0x20), *range(0x7F, 0xA0))
"""Control characters: C0, DEL and C1."""
_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Bidirectional embeddings, overrides and isolates."""
_KEPT = "\t\n"

_TABLE = {
    **{code: f"\\x{code:02x}" for code in _STEERING if chr(code) not in _KEPT},
    **{code: f"\\u{code:04x}" for code in _TURNING},
}
_IN_JSON = {code: f"\\u{code:04x}" for code in (*_STEERING[0x20:], *_TURNING)}


def visible(text: str) -> str:
    """``text`` with control characters escaped; tabs and line ends stay."""
    if text.isprintable():  # true for nearly every line
        return text
    return text.replace("\r\n", "\n").translate(_TABLE)


def visible_json(text: str) -> str:
    """JSON with those characters escaped that JSON leaves unescaped."""
    return text if text.isascii() and "\x7f" not in text else text.translate(_IN_JSON)
