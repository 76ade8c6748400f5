"""Source text as it is searched for what goes wrong; cheap to import, for the hooks' sake."""

import re
from functools import cache

_HUNK = re.compile(r"^@@ .*@@", re.MULTILINE)
_ASIDE = r"^[ \t]*(?:#(?![!{])|//|/?\*|--[ \t]|<!--).*"
_REMOVED = r"^-.*"


def written(code: str) -> str:
    """``code`` without comments of a whole line and what a diff takes away; lines stay lines."""
    if "@@" in code and _HUNK.search(code):
        code = re.sub(r"^\+", "", compiled(_REMOVED).sub("", code), flags=re.MULTILINE)
    return compiled(_ASIDE).sub("", code)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """``pattern``, where ``^`` and ``$`` are the ends of lines."""
    return re.compile(pattern, re.MULTILINE)


def whole_name(name: str) -> str:
    """A pattern for ``name`` where it is not a part of another name."""
    return rf"(?<![\w.]){re.escape(name)}(?!\w)"
