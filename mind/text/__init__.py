"""Pure functions on strings; their vocabularies are TOML files by language in ``mind/data``.

Hooks import this module, so it imports only what they need.
"""

import os
from functools import cache

TYPE_CHECKING = False  # importing typing takes milliseconds, which matters in hooks
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence
    from typing import Any, AnyStr

LANGUAGES = ("en", "de", "es", "fr", "pt", "ru", "uk", "zh", "ja", "ko")
"""Languages of a text that :mod:`mind.text.language` can detect (ISO 639-1)."""
RATHER_THAN = (
    r"(?:instead of|rather than|statt|anstatt|anstelle von|plut[ôo]t que?|au lieu d(?:es?|u)?|"
    r"en vez de|en lugar de|invece di|em vez de|ao invés de|in plaats van|вместо)"
)
INSTEAD_OF = rf"(?:over(?!\s+(?:to|from|into|onto)\s)|{RATHER_THAN})"
"""Between what is chosen and what is not; in "switch over to Y", Y is what is chosen."""
_DENYING = """am are be been being can cannot could did do does had has have is may might must need
ought shall should was were will would ['’]d ['’]ll ['’]m ['’]re ['’]s ['’]ve
he i it she some that they this those we what which who you
and as because but if or since so than though to when whether while why a an the by for of with"""
"""Auxiliaries, pronouns, conjunctions and articles: after one, "not" denies what follows."""
_UNDENIED = "".join(rf"(?<!\b{one}\snot)" for one in _DENYING.split())
NOT = rf"not{_UNDENIED}(?!\s+{INSTEAD_OF}\s)"
"""The "not" of "tabs not spaces": not that of "is not used" or "not over the VPN"."""
NOR = r"(?:no|not|never|nicht|kein\w*|pas|et non|non|não|niet|geen)"
"""After a comma: before what is not chosen."""
_DATA = f"{os.path.dirname(os.path.dirname(__file__))}/data"
_tables: "dict[str, Mapping[str, Any]]" = {}


def table(name: str) -> "Mapping[str, Any]":
    """Load ``mind/data/NAME.toml``, cached."""
    if name not in _tables:
        import tomllib  # noqa: PLC0415 - only needed to load a vocabulary

        with open(f"{_DATA}/{name}.toml", "rb") as file:
            _tables[name] = tomllib.load(file)
    return _tables[name]


def word_weights(name: str) -> "Mapping[str, float]":
    """Load ``mind/data/NAME.txt``, a weight and its words on each line; cached."""
    if name not in _tables:
        with open(f"{_DATA}/{name}.txt", encoding="ascii") as file:
            lines = [line.split() for line in file]
        _tables[name] = {word: float(weight) for weight, *words in lines for word in words}
    return _tables[name]


def content(name: str) -> bytes:
    """Read ``mind/data/NAME.txt``."""
    with open(f"{_DATA}/{name}.txt", "rb") as file:
        return file.read()


def lines(name: str) -> "list[str]":
    """Read ``mind/data/NAME.txt``, without empty lines and comments."""
    found = content(name).decode().split("\n")
    return [line.strip() for line in found if line.strip() and not line.startswith("# ")]


@cache
def languages(folder: str) -> tuple[str, ...]:
    """The languages with a file in ``mind/data/FOLDER``."""
    names = (name for name in os.listdir(f"{_DATA}/{folder}") if len(name) == len("en.toml"))
    return tuple(sorted(name[:2] for name in names))


def interpolated(value: float, knots: "Sequence[tuple[float, float]]") -> float:
    """Piecewise linear interpolation between ``knots``, the last of which is the maximum."""
    for (x0, y0), (x1, y1) in zip(knots, knots[1:], strict=False):  # noqa: RUF007 - saves an import
        if value <= x1:
            return y0 + (y1 - y0) * (value - x0) / (x1 - x0)
    return knots[-1][1]  # pragma: no cover - only by rounding


def lazy_pattern(pattern: "AnyStr", flags: int = 0) -> "re.Pattern[AnyStr]":
    """Like ``re.compile``, but compiles on first use.

    For constants of modules: a command uses one in five of those that it imports.
    """
    return LazyPattern(pattern, flags)  # type: ignore[return-value]


class LazyPattern:
    """A regular expression that is compiled when one of its attributes is first read."""

    def __init__(self, *given: object) -> None:
        self._given: Any = given
        self.pattern = given[0]

    def __getattr__(self, name: str) -> object:
        """An attribute of the compiled expression; later reads find it without this method."""
        if name.startswith("__"):  # copying asks before there is an expression
            raise AttributeError(name)
        import re  # noqa: PLC0415 - hooks that match nothing do not need it

        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)
        return found
