"""Masking of credentials: fast for plain words, by all patterns otherwise."""

_LONGEST = 600
_WORD, _PIECE, _NUMBER = 16, 9, 3
"""Maximum letters of a word, of a part joined by signs, and digits of a number: a credential this
short is always named by a word beside it."""
_LEAST, _PARTS = 3, 5
"""Minimum letters of a word in a camel-case name, and maximum words: random strings have adjacent
capitals."""
_LETTERS, _YEAR = 20, 4
"""Maximum letters of a word, and digits of a number, in a file path."""
_JOINTS = str.maketrans("/\\._-", "     ")
_SIGNS = "./_()[]{}<>#,;`"
_AROUND = "\"'`([{<.,;:!?>}])"
_IS = (":", "=", " is ", " was ", " lautet ", " ist ", " est ", " es ", " e ")
_BASE = str.maketrans("äöüßáàâéèêëíìîïóòôúùûñçãõåøæœ", "aousaaaeeeeiiiiooouuuncaoaoao")
"""Accented letters of the languages whose words for credentials are known, mapped to ASCII."""
_NAMING = (
    "pass", "pwd", "pw", "pin", "contrase", "senha", "kennwort", "secret", "token", "credential",
    "key", "auth", "phrase", "seed", "mnemonic", "recovery", "backup",
)  # fmt: skip
"""Words that name a credential when a value follows."""
_ALWAYS = ("bearer", "basic", "curl", "sshpass", "discord")


def redacted(text: str) -> str:
    """Return ``text`` as masked by :func:`mind.text.secrets.mask`."""
    if is_plain(text):
        return text
    from mind.text.secrets import mask  # noqa: PLC0415 - 150 patterns

    return mask(text)


def plain_words(text: str) -> str:
    """Return the plain words of ``text`` if they are free of credentials; else mask it.

    Some omitted words may be harmless, but checking them takes 45 ms.
    """
    bare = [(word, word.translate(_BASE)) for word in text.split()]
    kept = [word if _is_ordinary(base) else "..." for word, base in bare]
    words = " ".join(kept)
    return words if is_plain(words.translate(_BASE)) else redacted(text)


def redacted_path(path: str) -> str:
    """Mask a file path; fast for paths made of words."""
    words = path.translate(_JOINTS)
    if path.isascii() and len(path) <= _LONGEST and all(map(_is_name, words.split())):
        return path
    return redacted(path)


def is_plain(text: str) -> bool:
    """Return whether ``text`` certainly has no credential: fast, no false positives."""
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
    """Return whether a token is a word, a small number, or a path or name of short words."""
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
    return all(_is_name(piece) or _is_short(piece) for piece in core.split())


def _is_short(piece: str) -> bool:
    """Return whether a piece is a short word with a small number: ``utf8``, ``python3``."""
    digits = sum(map(str.isdigit, piece))
    return piece.isalnum() and len(piece) <= _PIECE and digits <= _NUMBER


def _is_name(piece: str) -> bool:
    """Return whether a piece is a word, a small number, or a camel-case name."""
    if piece.isdigit():
        return len(piece) <= _YEAR
    if not piece.isalpha():
        return False
    if len(piece) <= _PIECE or (piece.islower() and len(piece) <= _LETTERS):
        return True
    ends = [at for at, one in enumerate(piece) if at and one.isupper()]
    parts = [end - begin for begin, end in zip([0, *ends], [*ends, len(piece)], strict=True)]
    return len(parts) <= _PARTS and min(parts) >= _LEAST and max(parts) <= _WORD
