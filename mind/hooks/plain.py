"""Credentials out of what is kept: at once where it is plain words, by all rules otherwise."""

import re

_WORD = r"[A-Za-z]{1,16}(?:['’-][A-Za-z]{1,12})?"
_PLAIN = re.compile(rf"(?:[\"'(]?(?:{_WORD}(?:[./_]{_WORD}){{0,5}}|\d{{1,3}})[.,;:!?)\"']{{0,2}} ?)+")
_SUSPECT = (
    "pass", "pwd", "pw", "pin", "contrase", "senha", "kennwort", "secret", "token", "credential",
    "key", "auth", "login", "seed", "mnemonic", "recovery", "backup", "bearer", "basic", "user",
    "server", "host", "uid", "database", "cookie", "session", "jwt", "otp", "code", "sid", "basic",
)  # fmt: skip
_LONGEST = 600


def redacted(text: str) -> str:
    """``text`` as :func:`mind.secrets.mask` has it."""
    if is_plain(text):
        return text
    from mind.secrets import mask  # noqa: PLC0415 - 150 patterns

    return mask(text)


def is_plain(text: str) -> bool:
    """Whether ``text`` surely holds no credential: cheap, and never wrong when it says yes."""
    folded = text.lower()
    if len(text) > _LONGEST or any(word in folded for word in _SUSPECT):
        return False
    return _PLAIN.fullmatch(text) is not None
