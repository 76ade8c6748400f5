"""Escape characters that control a terminal, reverse text or hide it, and imitations of markup.

Memory is written by others. An escape sequence could rewrite the screen or set a window title; a
bidirectional override displays words in another order; a model reads characters that nobody sees.
Hooks import this module.
"""

_STEERING = (*range(0x20), *range(0x7F, 0xA0))
"""Control characters: C0, DEL and C1."""
_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Bidirectional embeddings, overrides and isolates."""
_TAGS = (*range(0xE0000, 0xE0100), *range(0xE01F0, 0xE1000))
"""Tags, which can spell hidden text."""
_JOINER, _EMOJI = "\u200d", "\ufe0f"
_HIDDEN = frozenset(map(chr, (
    0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810),
    *range(0x200B, 0x2010), *range(0x2060, 0x2066), *range(0x206A, 0x2070), 0x3164,
    *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0, *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B), *range(0xE0100, 0xE01F0),
)))  # fmt: skip
"""The other invisible characters (Unicode's Default_Ignorable_Code_Point): one joins emoji, ends a
word or breaks a line; several in a row say something that nobody sees."""
_KEPT = "\t\n"
_FRAMES = (
    r"(?i)<!--|(?<=MIND:END )-->|<(?=\s*/?\s*(?:system-|ide_|command-|local-command|task-not|antml:"
    r"|user-prompt|function_|invoke\b|parameter\b|tool_(?:use|result)))"
)
"""The beginning of a comment, the end of a marker of Mind, or a tag in which clients frame text."""


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 0xA0 else f"\\{'u' if code < 0x10000 else 'U000'}{code:04x}"


_TABLE = {
    code: _escaped(code) for code in (*_STEERING, *_TURNING, *_TAGS) if chr(code) not in _KEPT
}
_IN_JSON = {code: f"\\u{code:04x}" for code in (*_STEERING[0x20:], *_TURNING)}


def visible(text: str) -> str:
    """``text`` with control and hidden characters escaped; tabs and line ends stay."""
    if text.isascii() and text.isprintable():  # true for most lines
        return text
    shown = text.replace("\r\n", "\n").translate(_TABLE)
    return shown if _HIDDEN.isdisjoint(shown) else "".join(_without_runs(shown))


def _without_runs(text: str) -> "list[str]":
    """Characters of ``text``; an invisible one after another is escaped."""
    found = []
    before = ""
    for one in text:
        is_run = one in _HIDDEN and before in _HIDDEN
        is_emoji = one == _JOINER and before == _EMOJI
        found.append(_escaped(ord(one)) if is_run and not is_emoji else one)
        before = one
    return found


def visible_json(text: str) -> str:
    """JSON with those characters escaped that JSON leaves unescaped."""
    return text if text.isascii() and "\x7f" not in text else text.translate(_IN_JSON)


def inert(text: str) -> str:
    """``text`` on one line for a model: it cannot open a comment, or close what surrounds it.

    Undecodable bytes become question marks.
    """
    plain = visible(" ".join(text.encode("utf-8", "replace").decode("utf-8").split()))
    if "<" not in plain and "-->" not in plain:
        return plain
    import re  # noqa: PLC0415 - only where there may be markup

    if not _HIDDEN.isdisjoint(plain):  # nothing in ASCII needs one, and tags may be made of both
        inner = f"(?<=[!-~])[{''.join(_HIDDEN)}](?=[!-~])"
        plain = re.sub(inner, lambda found: _escaped(ord(found.group())), plain)
    return re.sub(_FRAMES, lambda found: _apart(found.group()), plain)


def _apart(mark: str) -> str:
    return mark.replace("--", "- -") if len(mark) > 1 else f"{mark} "
