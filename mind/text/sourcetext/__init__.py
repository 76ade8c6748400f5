"""Search source text for names and patterns.

A *name* is searched for literally, by :func:`place_of`. A *pattern* is a regular expression of
Mind, the user or a repository; searching for it is limited in time, see
:class:`mind.text.sourcetext.limited.MatchLimits`. Hooks import this module, so it has no imports.
"""


def place_of(name: str, text: str) -> int:
    """Return the first offset of ``name`` in ``text`` outside longer names.

    -1 if there is none.
    """
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        before, after = text[at - 1 : at] if at else "", text[end : end + 1]
        if not (_is_word(before) or before == "." or _is_word(after)):
            return at
        at = text.find(name, at + 1)
    return -1


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def folded(text: str) -> str:
    """Fold ``text`` so that texts which match alike without case are equal."""
    small = text.casefold()
    return small if small.isascii() else small.replace("ı", "i").replace("i\u0307", "i")


def written(code: str) -> str:
    """``code`` without full-line comments and a diff's removed lines; line structure stays."""
    import re  # noqa: PLC0415 - only needed if something may match

    if "@@" in code and re.search("^@@ .*@@", code, re.MULTILINE):
        code = re.sub("^-.*", "", code, flags=re.MULTILINE)
        code = re.sub(r"^\+", "", code, flags=re.MULTILINE)
    return re.sub(_ASIDE, "", code, flags=re.MULTILINE)


_ASIDE = r"^[ \t]*(?:#(?![!{])|//|/?\*|--[ \t]|<!--).*"
"""A full-line comment."""
