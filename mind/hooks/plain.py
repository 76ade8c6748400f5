"""Credentials out of what is kept: at once where it is plain words, by all rules otherwise."""

_LONGEST = 600
_WORD, _PIECE, _NUMBER = 16, 9, 3
"""Letters of a word, and of what signs join to another: no credential is so short without a word
beside it that names it."""
_SIGNS = "./_"
_AROUND = "\"'(.,;:!?)"
_IS = (":", " is ", " was ", " lautet ", " ist ", " est ", " es ")
_NAMING = (
    "pass", "pwd", "pw", "pin", "contrase", "senha", "kennwort", "secret", "token", "credential",
    "key", "auth", "phrase", "seed", "mnemonic", "recovery", "backup",
)  # fmt: skip
"""Words that name a credential where something is said to be it."""
_ALWAYS = ("bearer", "basic", "curl", "sshpass", "discord")


def redacted(text: str) -> str:
    """``text`` as :func:`mind.secrets.mask` has it."""
    if is_plain(text):
        return text
    from mind.secrets import mask  # noqa: PLC0415 - 150 patterns

    return mask(text)


def is_plain(text: str) -> bool:
    """Whether ``text`` surely holds no credential: cheap, and never wrong when it says yes."""
    folded = text.lower()
    if len(text) > _LONGEST or not text.isascii() or any(word in folded for word in _ALWAYS):
        return False
    if "login" in folded and "password" in folded:
        return False
    said = any(mark in folded for mark in _IS)
    if said and any(word in folded for word in _NAMING):
        return False
    return all(map(_is_ordinary, text.split()))


def _is_ordinary(token: str) -> bool:
    """Whether it is a word, a small number, or a path or name of short words."""
    core = token.strip(_AROUND)
    if core.startswith("-"):  # an option, and what follows may be its value
        return False
    core = core.replace("-", "").replace("'", "")
    if core.isalpha() or not core:
        return len(core) <= _WORD
    if core.isdigit():
        return len(core) <= _NUMBER
    for sign in _SIGNS:
        core = core.replace(sign, " ")
    return all(piece.isalpha() and len(piece) <= _PIECE for piece in core.split())
