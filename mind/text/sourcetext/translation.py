"""Patterns of ``re`` written for the module ``regex``, where they mean the same.

``regex`` reads the same pattern otherwise here and there: ``"{i}"`` allows errors there, and
``[[:alpha:]]`` is a class. So every part is written in a form that both read alike. They also class
some characters apart: combining marks belong to a word for ``regex`` alone, fractions for ``re``
alone. Where a text has such a character, an *exact* translation spells the classes out, at the
price of speed.
"""

from re import _constants as sre  # type: ignore[attr-defined]

from mind.text.sourcetext.grammar import Unusable, parsed

TYPE_CHECKING = False  # see mind.text.sourcetext.grammar
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from mind.text.sourcetext.grammar import Parts

_ASCII, _IGNORECASE = sre.SRE_FLAG_ASCII, sre.SRE_FLAG_IGNORECASE
_SCOPED = {_IGNORECASE: "i", sre.SRE_FLAG_MULTILINE: "m", sre.SRE_FLAG_DOTALL: "s"}
_DOTTED = "iIıİ"
"""One letter for ``re`` where case is ignored, two for ``regex``."""
_NATIVE = {
    sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s", sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w", sre.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


class _Classes:
    """Classes of characters spelled out, the opposites of some, and the edges of words."""

    def __init__(self, word: str, space: str, digit: str) -> None:
        self.all = {
            sre.CATEGORY_WORD: word, sre.CATEGORY_SPACE: space, sre.CATEGORY_DIGIT: digit,
        }  # fmt: skip
        self.not_all = {
            sre.CATEGORY_NOT_WORD: word, sre.CATEGORY_NOT_SPACE: space,
            sre.CATEGORY_NOT_DIGIT: digit,
        }  # fmt: skip
        begins, ends = f"(?<![{word}])(?=[{word}])", f"(?<=[{word}])(?![{word}])"
        inside, outside = f"(?<=[{word}])(?=[{word}])", f"(?<![{word}])(?![{word}])"
        self.at = {
            sre.AT_BOUNDARY: f"(?:{begins}|{ends})",
            sre.AT_NON_BOUNDARY: f"(?:{inside}|{outside})",
        }


_OF_UNICODE = _Classes(r"\p{L}\p{N}_", r"\s\x1c-\x1f", r"\d")
_OF_ASCII = _Classes("A-Za-z0-9_", r"\t-\r\x20", "0-9")
_AT = {
    sre.AT_BEGINNING: "^", sre.AT_BEGINNING_STRING: r"\A", sre.AT_BOUNDARY: r"\b",
    sre.AT_NON_BOUNDARY: r"\B", sre.AT_END: "$", sre.AT_END_STRING: r"\Z",
}  # fmt: skip
_GREED = {sre.MAX_REPEAT: "", sre.MIN_REPEAT: "?", sre.POSSESSIVE_REPEAT: "+"}


def translated(pattern: str, *, exact: bool = False) -> tuple[str, int]:
    """``pattern`` for ``regex``, and the flags that are set for the whole of it.

    Raises:
        Unusable: See :func:`mind.text.sourcetext.grammar.parsed`.
    """
    parts = parsed(pattern)
    flags: int = parts.state.flags
    if flags & _ASCII:  # regex keeps to it in part only: neither in classes nor for cases
        return _Writer(_OF_ASCII).all(parts, flags), flags & ~(_ASCII | _IGNORECASE)
    return _Writer(_OF_UNICODE if exact else None).all(parts, flags), flags


class _Writer:
    """Writes parts, with classes spelled out if they are given."""

    def __init__(self, classes: _Classes | None) -> None:
        self._classes = classes
        self._ways: dict[object, Callable[[Any, int], str]] = {
            sre.LITERAL: self._literal,
            sre.NOT_LITERAL: lambda code, flags: self._set([(sre.LITERAL, code)], flags, True),
            sre.ANY: lambda _argument, _flags: ".",
            sre.IN: self._in,
            sre.AT: self._at,
            sre.BRANCH: self._branch,
            sre.SUBPATTERN: self._group,
            sre.GROUPREF: self._reference,
            sre.GROUPREF_EXISTS: self._condition,
            sre.ASSERT: lambda given, flags: self._around(given, flags, "="),
            sre.ASSERT_NOT: lambda given, flags: self._around(given, flags, "!"),
            sre.ATOMIC_GROUP: lambda parts, flags: f"(?>{self.all(parts, flags)})",
            sre.FAILURE: lambda _argument, _flags: "(?!)",
        }

    def all(self, parts: "Parts", flags: int) -> str:
        """A sequence of parts, where these flags are set."""
        return "".join(self._one(operator, argument, flags) for operator, argument in parts)

    def _one(self, operator: object, argument: "Any", flags: int) -> str:  # noqa: ANN401 - many types
        if operator in _GREED:
            least, most, parts = argument
            end = "" if most == sre.MAXREPEAT else most
            return f"(?:{self.all(parts, flags)}){{{least},{end}}}{_GREED[operator]}"
        way = self._ways.get(operator)
        if way is None:
            raise Unusable(f"has a part that cannot be used: {operator}")
        return way(argument, flags)

    def _literal(self, code: int, flags: int) -> str:
        same = _same(code, code, flags)
        return f"[{_plain(code)}{same}]" if same and (self._classes or code > 127) else _plain(code)

    def _in(self, items: "Sequence[tuple[object, Any]]", flags: int) -> str:
        negated = items[0][0] is sre.NEGATE
        return self._set(items[1:] if negated else items, flags, negated)

    def _set(self, items: "Sequence[tuple[object, Any]]", flags: int, negated: bool) -> str:
        """A class of characters; several where it has the opposite of an exact class."""
        named = self._classes.all if self._classes else _NATIVE
        opposite = self._classes.not_all if self._classes else {}
        listed, others = "", []
        for operator, argument in items:
            if operator is not sre.CATEGORY:
                listed += _listed(operator, argument, flags)
            elif argument in opposite:
                others.append(f"[^{opposite[argument]}]")
            else:
                listed += named[argument]
        if not others:
            return f"[{'^' if negated else ''}{listed}]"
        either = "|".join([f"[{listed}]", *others] if listed else others)
        return f"(?:(?!{either})(?s:.))" if negated else f"(?:{either})"

    def _at(self, place: object, _flags: int) -> str:
        spelled = self._classes.at if self._classes else {}
        return spelled.get(place, _AT[place])

    def _branch(self, given: "tuple[None, Sequence[Parts]]", flags: int) -> str:
        return f"(?:{'|'.join(self.all(one, flags) for one in given[1])})"

    def _group(self, given: "tuple[int | None, int, int, Parts]", flags: int) -> str:
        number, added, removed, parts = given
        inside = self.all(parts, (flags | added) & ~removed)
        if number is not None:
            return f"({inside})"
        scoped = {flag: sign for flag, sign in _SCOPED.items() if sign != "i" or not flags & _ASCII}
        on = "".join(sign for flag, sign in scoped.items() if added & flag)
        off = "".join(sign for flag, sign in scoped.items() if removed & flag)
        return f"(?{on}{'-' if off else ''}{off}:{inside})"

    def _reference(self, number: int, flags: int) -> str:
        return rf"(?i:\{number})" if flags & _ASCII and flags & _IGNORECASE else rf"(?:\{number})"

    def _condition(self, given: "tuple[int, Parts, Parts | None]", flags: int) -> str:
        number, then, other = given
        return f"(?({number}){self.all(then, flags)}|{self.all(other or (), flags)})"

    def _around(self, given: "tuple[int, Parts]", flags: int, sign: str) -> str:
        direction, parts = given
        return f"(?{'<' if direction < 0 else ''}{sign}{self.all(parts, flags)})"


def _listed(operator: object, argument: "Any", flags: int) -> str:  # noqa: ANN401 - two types
    """A character of a class, or a range of them."""
    first, last = (argument, argument) if operator is sre.LITERAL else argument
    listed = _plain(first) if first == last else f"{_plain(first)}-{_plain(last)}"
    return listed + _same(first, last, flags)


def _same(first: int, last: int, flags: int) -> str:
    """The characters that are the same as one of a range for ``re``, but not for ``regex``."""
    if not flags & _IGNORECASE:
        return ""
    if not flags & _ASCII:
        return _DOTTED if any(first <= ord(one) <= last for one in _DOTTED) else ""
    cased = [(max(first, low), min(last, high)) for low, high in ((65, 90), (97, 122))]
    ranges = [(low ^ 32, high ^ 32) for low, high in cased if low <= high]
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


def _plain(code: int) -> str:
    """A character that stands for itself, wherever it stands."""
    character = chr(code)
    return character if character.isascii() and character.isalnum() else f"\\U{code:08x}"
