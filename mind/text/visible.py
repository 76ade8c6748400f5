"""Text that shows what is in it: signs that steer a terminal, or turn text round, as escapes.

Memory is written by others. An escape sequence in it could rewrite what a person sees, or name a
window; a bidirectional override shows words in another order than they are in. Hooks import this
module.
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
    """``text`` with control characters as escapes; tabs and line ends stay."""
    if text.isprintable():  # nearly every line is
        return text
    return text.replace("\r\n", "\n").translate(_TABLE)


def visible_json(text: str) -> str:
    """JSON with those characters as escapes that JSON leaves as they are."""
    return text if text.isascii() and "\x7f" not in text else text.translate(_IN_JSON)
