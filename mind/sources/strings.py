"""What looks like code or comments but is neither: strings, fences, here-documents.

A string that must end on its line and does not is no string here, so that a lone apostrophe
(a lifetime, a contraction) hides nothing behind it. Searches are bounded: time grows with the
text, whatever is in it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

WINDOW = 50_000
_PARAGRAPH = 2_000

DOUBLE = r'"(?:\\.|[^"\\\n]){0,2000}+"'
SINGLE = r"'(?:\\.|[^'\\\n]){0,2000}+'"
CHARACTER = r"'(?:\\[^\n'][^'\n]{0,10}|\\'|[^'\\\n])'"
DOUBLED = r'"(?:""|[^"\n]){0,2000}+"'
DOUBLED_SINGLE = r"'(?:''|[^'\n]){0,2000}+'"
REGEX = (
    r"[=(,:\[!&|?{};]\s*+/(?![/*])(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n]){0,200}\]|[^/\\\n\[]){1,500}+/"
)


@dataclass(frozen=True, slots=True)
class Long:
    """A string that may go on over lines.

    Attributes:
        opening: Pattern of the opening mark.
        end: From the text, the opening mark, the offset behind it and the limit: the offset
            behind the string; the offset it was given where there is no string.
    """

    opening: str
    end: Callable[[str, str, int, int], int]


def _behind(text: str, closing: str, at: int, limit: int) -> int:
    found = text.find(closing, at, limit)
    return limit if found < 0 else found + len(closing)


def _triple_end(text: str, opening: str, at: int, limit: int) -> int:
    closing = opening[-3:]
    found = text.find(closing, at, limit)
    while found > 0 and _is_escaped(text, found, at):
        found = text.find(closing, found + 1, limit)
    return limit if found < 0 else found + 3


def _is_escaped(text: str, place: int, start: int) -> bool:
    backslashes = place
    while backslashes > start and text[backslashes - 1] == "\\":
        backslashes -= 1
    return (place - backslashes) % 2 == 1


def _plain_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, opening, at, limit)


def _rust_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, '"' + "#" * opening.count("#"), at, limit)


def _cpp_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, ")" + opening.partition('"')[2][:-1] + '"', at, limit)


def _levels_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, opening.replace("[", "]"), at, limit)


_VERBATIM = re.compile(r'(?:""|[^"])*+"')


def _verbatim_end(text: str, _opening: str, at: int, limit: int) -> int:
    found = _VERBATIM.match(text, at, limit)
    return found.end() if found else at


_WORD = re.compile(r"\w+\Z")


def _here_end(text: str, opening: str, at: int, limit: int) -> int:
    word = _WORD.search(opening)
    tag = re.escape(word[0]) if word else ""
    last = re.compile(rf"^[ \t]*+{tag}\b", re.MULTILINE)
    found = last.search(text, at, min(limit, at + WINDOW))
    return found.end() if found else at


def _fence_end(text: str, opening: str, at: int, limit: int) -> int:
    marks = opening.lstrip("-*+>0123456789.) \t")
    last = re.compile(rf"^[ \t>]*+{marks[0]}{{{len(marks)},}}[ \t]*+$", re.MULTILINE)
    found = last.search(text, at, limit)
    return found.end() if found else limit


def _ticks_end(text: str, opening: str, at: int, limit: int) -> int:
    last = re.compile(rf"(?<!`){opening}(?!`)")
    limit = min(limit, at + _PARAGRAPH)
    blank = text.find("\n\n", at, limit)
    found = last.search(text, at, limit if blank < 0 else blank)
    return found.end() if found else at


_IN_TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)
_IN_EXPRESSION = re.compile(rf"{DOUBLE}|{SINGLE}|//[^\n]*+|[`{{}}]", re.DOTALL)
_CONTEXT_END = "MIND:END"


def _template_end(text: str, _opening: str, at: int, limit: int) -> int:
    """Templates hold expressions, which hold strings, braces and templates."""
    within = ["`"]
    place = at
    limit = min(limit, at + WINDOW)
    while within:
        in_template = within[-1] == "`"
        found = (_IN_TEMPLATE if in_template else _IN_EXPRESSION).search(text, place, limit)
        if found is None:
            return at
        place = found.end()
        token = found[0]
        if token == ("`" if in_template else "}"):
            within.pop()
        elif token in ("${", "{", "`"):
            within.append(token)
    return place


def _context_end(text: str, _opening: str, at: int, limit: int) -> int:
    return _behind(text, _CONTEXT_END, at, limit)


TRIPLE = Long(r'"""|\'\'\'', _triple_end)
TRIPLE_DOUBLE = Long(r'"""', _triple_end)
RAW_RUST = Long(r'\bb?r\#*"', _rust_end)
RAW_CPP = Long(r'\b(?:u8|[uUL])?R"[^()\\\s"]{0,16}\(', _cpp_end)
RAW_GO = Long(r"`", _plain_end)
VERBATIM = Long(r'(?:@\$?|\$@)"', _verbatim_end)
LEVELS = Long(r"\[=*\[", _levels_end)
HERE = Long(r"<<[-~]?(?:['\"][A-Za-z_]|[A-Z_])\w*+", _here_end)
HERE_SHELL = Long(r"(?<!<)<<-?[ \t]*[\\'\"]?[A-Za-z_]\w*+", _here_end)
HERE_PHP = Long(r"<<<[ \t]*['\"]?[A-Za-z_]\w*+", _here_end)
TEMPLATE = Long(r"`", _template_end)
FENCE = Long(r"^[ \t>]*+(?:[-*+]|\d+[.)])?[ \t]*+(?:`{3,}+|~{3,}+)", _fence_end)
TICKS = Long(r"`++", _ticks_end)
CONTEXT = Long(r"<!-- ?MIND:CONTEXT\b", _context_end)
