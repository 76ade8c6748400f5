"""Credentials out of what is kept: at once where it is plain words, by all rules otherwise."""

_LONGEST = 600
_WORD, _PIECE, _NUMBER = 16, 9, 3
"""Letters of a word, and of what signs join to another: no credential is so short without a word
beside it that names it."""
_LEAST, _PARTS = 3, 5
"""Letters of a word in a name that capitals join, at least, and how many words: what is random has
capitals side by side."""
_LETTERS, _YEAR = 20, 4
"""Letters of a word, and digits of a number, in the path of a file."""
_JOINTS = str.maketrans("/\\._-", "     ")
_SIGNS = "./_()[]{}<>#,;`"
_AROUND = "\"'`([{<.,;:!?>}])"
_IS = (":", "=", " is ", " was ", " lautet ", " ist ", " est ", " es ", " e ")
_BASE = str.maketrans("äöüßáàâéèêëíìîïóòôúùûñçãõåøæœ", "aousaaaeeeeiiiiooouuuncaoaoao")
"""Letters of the languages in which credentials are named as in ASCII."""
_NAMING = (
    "pass", "pwd", "pw", "pin", "contrase", "senha", "kennwort", "secret", "token", "credential",
    "key", "auth", "phrase", "seed", "mnemonic", "recovery", "backup",
)  # fmt: skip
"""Words that name a credential where something is said to be it."""
_ALWAYS = ("bearer", "basic", "curl", "sshpass", "discord")


def redacted(text: str) -> str:
    """``text`` as :func:`mind.text.secrets.mask` has it."""
    if is_plain(text):
        return text
    from mind.text.secrets import mask  # noqa: PLC0415 - 150 patterns

    return mask(text)


def plain_words(text: str) -> str:
    """``text`` with only its plain words, where that is surely without credentials; else masked.

    The words that are left out may be harmless: to know that takes 45 ms.
    """
    bare = [(word, word.translate(_BASE)) for word in text.split()]
    kept = [word if _is_ordinary(base) else "..." for word, base in bare]
    words = " ".join(kept)
    return words if is_plain(words.translate(_BASE)) else redacted(text)


def redacted_path(path: str) -> str:
    """The same for the path of a file, most of which are words."""
    words = path.translate(_JOINTS)
    if path.isascii() and len(path) <= _LONGEST and all(map(_is_name, words.split())):
        return path
    return redacted(path)


def is_plain(text: str) -> bool:
    """Tell whether ``text`` surely holds no credential: cheap, and a yes is never wrong."""
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
    """Return whether it is a word, a small number, or a path or name of short words."""
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
    """Return whether it is a short word with a small number: ``utf8``, ``python3``."""
    digits = sum(map(str.isdigit, piece))
    return piece.isalnum() and len(piece) <= _PIECE and digits <= _NUMBER


def _is_name(piece: str) -> bool:
    """Return whether it is a word, a small number, or words that capitals join, as classes have."""
    if piece.isdigit():
        return len(piece) <= _YEAR
    if not piece.isalpha():
        return False
    if len(piece) <= _PIECE or (piece.islower() and len(piece) <= _LETTERS):
        return True
    ends = [at for at, one in enumerate(piece) if at and one.isupper()]
    parts = [end - begin for begin, end in zip([0, *ends], [*ends, len(piece)], strict=True)]
    return len(parts) <= _PARTS and min(parts) >= _LEAST and max(parts) <= _WORD
