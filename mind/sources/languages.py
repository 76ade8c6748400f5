"""Comment syntax by family of languages, to separate comments from code and strings.

A file's name and first line select a :class:`Syntax`; one scanner handles all of them. Rare forms
are left out: nested comments, and strings inside the expressions of template strings.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from mind.text import table

_CONTEXT = ("<!-- ?MIND:CONTEXT\\b", "MIND:END|\\Z")
"""Mind's block, whose entries are read from the memory."""
_MOST_MISSING = 50
"""Number of ends that a text may miss; after that, no beginning is looked at."""
_REQUIREMENTS = re.compile(r"(?:requirements|constraints)[\w.-]*\.(?:txt|in)$")
_INTERPRETERS = (
    (re.compile(r"\b(?:python|pypy|sage)"), "python"),
    (re.compile(r"\b(?:node|deno|bun|tsx|ts-node|zx)\b"), "script"),
    (re.compile(r"\bphp\b"), "php"),
    (re.compile(r"\blua"), "dash"),
)


@dataclass(frozen=True, slots=True)
class Syntax:
    """Comment syntax of a family of languages.

    Attributes:
        pattern: Marks of comments, and beginnings of comments and strings, each a named group.
        ends: Pattern of the end, by name of the group.
    """

    pattern: re.Pattern[str]
    ends: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SourceComment:
    """A comment in a text.

    Attributes:
        start: Offset of its mark.
        first: Offset of its content.
        end: Offset after its content, before a closing mark.
        mark: The first character of its mark, to tell styles apart; "" for a block.
    """

    start: int
    first: int
    end: int
    mark: str


def remarks(text: str, syntax: Syntax) -> Iterator[SourceComment]:
    """Yield the comments of ``text``, in order."""
    at, depth = 0, 0
    missing: set[str] = set()
    while found := syntax.pattern.search(text, at):
        at, name = found.end(), found.lastgroup or ""
        if name == "bracket":
            depth = max(0, depth + (1 if found[0] in "([{" else -1))
        elif name == "mark":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            mark = found[0].lstrip()
            start = found.end() - len(mark)
            yield SourceComment(start, found.end(), at, mark[0].lower())
        elif name in syntax.ends:
            closing = _end(text, found, syntax.ends[name], missing)
            at = closing.end() if closing else at
            if closing and name.startswith("comment") and not depth:
                yield SourceComment(found.start(), found.end(), closing.start(), "")


def _end(text: str, found: re.Match[str], end: str, missing: set[str]) -> re.Match[str] | None:
    """Find the end of a comment or a string; None if it has none, as no later one has."""
    if r"\1" in end:
        end = end.replace(r"\1", re.escape(found[(found.lastindex or 0) + 1]))
    if end in missing or len(missing) > _MOST_MISSING:
        return None
    closing = re.compile(end, re.MULTILINE).search(text, found.end())
    if closing is None:
        missing.add(end)
    return closing


@cache
def _syntax(family: str) -> Syntax:
    data = table("comments")
    own = data["families"][family]
    rows = [("context", *_CONTEXT)]
    rows += [(f"comment{at}", *one) for at, one in enumerate(own.get("comments", ()))]
    rows += [(f"long{at}", *one) for at, one in enumerate(own.get("long", ()))]
    groups = [(name, beginning) for name, beginning, _ in rows]
    strings = [data["strings"][name] for name in own.get("strings", ())]
    groups += [("string", "|".join(strings))] if strings else []
    groups += [("mark", "|".join(own["line"]))] if "line" in own else []
    groups += [("bracket", r"[()\[\]{}]")] if own.get("statements") else []
    pattern = "|".join(f"(?P<{name}>{beginning})" for name, beginning in groups)
    return Syntax(
        re.compile(pattern, re.MULTILINE | re.DOTALL), {name: end for name, _, end in rows}
    )


@cache
def _families() -> dict[str, str]:
    """Return the families of languages by name of a file, or by what follows its last dot."""
    families = table("comments")["families"]
    return {name: family for family, own in families.items() for name in own["files"].split()}


def syntax_of(path: str, first_line: str = "") -> Syntax | None:
    """Return the syntax of a file.

    Args:
        path: Path of the file, with ``/``.
        first_line: Names the interpreter of a script without a suffix.

    Returns:
        None for prose and data, which have no comments. For unknown names and first lines, a
        syntax in which lines that begin with a common mark are comments.
    """
    name = PurePosixPath(path).name.lower()
    known = _families()
    family = known.get(name) or known.get(name.rpartition(".")[2])
    if _REQUIREMENTS.search(name):
        family = "hash"
    elif family is None and first_line.startswith("#!"):
        family = next((one for run, one in _INTERPRETERS if run.search(first_line)), "hash")
    return None if family == "none" else _syntax(family or "other")
