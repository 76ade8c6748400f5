"""Code as far as it does something: without comments, and of a diff only what it adds."""

import re

_HUNK = re.compile(r"^@@ .*@@", re.MULTILINE)
_ADDED = re.compile(r"^\+", re.MULTILINE)
_REMOVED = re.compile(r"^-.*", re.MULTILINE)
_ASIDE = re.compile(r"^[ \t]*(?:#(?![!{])|//|/?\*|--[ \t]|<!--).*", re.MULTILINE)


def written(code: str) -> str:
    """``code`` without comments of a whole line and what a diff takes away; lines stay lines."""
    if "@@" in code and _HUNK.search(code):
        code = _ADDED.sub("", _REMOVED.sub("", code))
    return _ASIDE.sub("", code)
