"""What is said in a text, apart from what it only quotes, and under which condition."""

import re

MOST_READ = 20_000
"""Characters of a text that are looked at."""

_MENTIONED = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|``[^`].*?``|`[^`\n]+`"
    r'|"[^"\n]{1,300}"|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]|«[^»\n]{1,300}»|»[^«\n]{1,300}«'
    r"|(?<![\w'])'[^'\n]{1,100}'(?![\w'])|‘[^’\n]{1,100}’(?!\w)"
    r"|\b[a-z][a-z0-9+.-]*://[^\s<>]+|<!--.*?(?:-->|\Z)|\[\[[^\]\n]{1,200}\]\]",
    re.DOTALL,
)
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|while(?! (?:we|i)\b)|unless|until|once|whether|in case|as long as|"
    r"wenn|falls|sobald|solange|während|ob|si|lorsque|quand|cuando|mientras|hasta)\b",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?;]\s|\n|[。！？]")
_FOLDED = re.compile(r"(?<=\S)[\n\t](?=[ \t]*[^\s\-*+#>|\d])")
"""A line break within a paragraph."""
_BACK = 80


def spoken(text: str) -> str:
    """``text`` with what it mentions but does not say blanked out: quotations, code, addresses.

    Lines of a paragraph are joined. The result is as long as the part of ``text`` that is looked
    at (:data:`MOST_READ`).
    """
    said = _MENTIONED.sub(lambda found: "\0" * len(found[0]), text[:MOST_READ])
    return _FOLDED.sub(" ", said)


def clause_before(said: str, at: int) -> str:
    """What stands before ``at`` in its sentence, at most 80 characters."""
    before = said[max(0, at - _BACK) : at]
    ends = [found.end() for found in _END.finditer(before)]
    return before[ends[-1] :] if ends else before


def is_conditional(said: str, at: int) -> bool:
    """Whether what is said at ``at`` is a case that is spoken of, as in "while X is running"."""
    return _CONDITION.search(clause_before(said, at)) is not None


def begins_clause(said: str, at: int) -> bool:
    """Whether a sentence, or what follows a colon or dash, begins at ``at``."""
    before = said[:at].rstrip(" \t*_#>([-–—•")
    return not before or before[-1] in ".!?;:\n|"


def unfolded(rows: str) -> list[str]:
    """The rows of a table, of which each begins a line and goes on in indented ones."""
    return re.sub(r"\n +", "", rows.strip()).splitlines()
