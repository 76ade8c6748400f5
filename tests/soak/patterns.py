"""Patterns of Mind whose time on a hostile text grows faster than the text.

Floods are made of what a pattern itself consists of: its literals and classes, alone and in pairs,
behind the beginnings of a match; and of the openings of its gaps, such as ``<!--`` in
``<!--.*?-->``, one kind after the other, without the end. Each finding is a question, not an error:
many patterns only meet texts that are short, or whose spaces are collapsed.

``python -m tests.soak.patterns [WORD …]`` tries the modules whose names contain a word, or all.
"""

import ast
import importlib
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as sre  # type: ignore[attr-defined]
from typing import Any, NamedTuple, cast

import mind
from mind.text import LazyPattern

SIZES = (4_000, 8_000, 16_000)
_FLOOR = 0.003
"""CPU seconds at the first size below which a pattern counts as linear."""
_GROWTH = 3.0
"""Factor at twice the size; 2 is linear, 4 quadratic."""
_LIMIT = 1.0
_SHORT = 240
"""Characters at which only a pattern that is exponential takes that long."""
BOUNDED = {
    ("mind.hooks.building", "_KEPT"): "names of files",
    ("mind.setup.install.made", "_DERIVED"): "names of files",
    ("mind.sources.languages", "_REQUIREMENTS"): "names of files",
    ("mind.sources.importers.free_text", "_PLACEHOLDER"): "the first 2,000 characters of a note",
    ("mind.sources.importers.adr", "_CODE"): "a record is cut to 8,000 characters",
    ("mind.text.entities", "_PLACE"): "one word",
    ("mind.text.matching.subjects", "_JAPANESE_OVER"): "the first 1,500 characters of an entry",
    ("mind.text.matching.subjects", "_PATH"): "the first 1,500 characters of an entry",
    ("mind.text.relations", "_BEFORE"): "the first 1,000 characters of a line",
    ("mind.text.secrets.shapes", "_NO_SECRET"): "a value of at most 300 characters",
    ("mind.text.secrets.shapes", "_TEMPLATE"): "a value of at most 300 characters",
}
"""Why patterns that openings without an end make slow only meet short texts."""
_ALWAYS = ("\n", " ", "\t", "a", "1", "a.", "a\n", " \n")
_CLASSES = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}
_MOST, _MOST_OPENINGS = 14, 40
"""Maximum number of units that are combined, and of floods of openings."""


class Flood(NamedTuple):
    """A text without an end: a beginning, a repeated unit, and one repeated as often after it."""

    begin: str
    unit: str
    after: str = ""

    def text(self, size: int, sample: "str | bytes") -> Any:
        """The flood as a text of about ``size`` characters, of the type of ``sample``."""
        times = size // len(self.unit + self.after) + 1
        text = (self.begin + self.unit * times + self.after * times)[:size] + "\0"
        return text if isinstance(sample, str) else text.encode("utf-8", "surrogatepass")


class Use(NamedTuple):
    """A pattern, and the way that a module uses it."""

    module: str
    name: str
    pattern: "re.Pattern[Any]"
    method: str


class Finding(NamedTuple):
    """A flood that takes a pattern too long."""

    use: Use
    flood: Flood
    seconds: tuple[float, ...]


# --- patterns -----------------------------------------------------------------------------

_RANK = ("match", "fullmatch", "search", "finditer")
_OTHERS = ("sub", "subn", "split", "findall")


def uses(*words: str) -> list[Use]:
    """Every pattern of every module, with the most expensive way that it is used.

    Args:
        words: Only modules whose names contain one of them.
    """
    trees = {}
    for one in pkgutil.walk_packages(mind.__path__, "mind."):
        if one.name.endswith("__main__") or not any(word in one.name for word in words or [""]):
            continue
        with suppress(ImportError):
            module = importlib.import_module(one.name)
            path = Path(str(module.__file__))
            trees[one.name] = (module, ast.parse(path.read_text(encoding="utf-8")))
    every = tuple(tree for _, tree in trees.values())
    found: dict[tuple[Any, int], Use] = {}
    for module_name, (module, tree) in trees.items():
        named = [
            (name, pattern, method)
            for name, value in vars(module).items()
            for pattern in _patterns(value)
            for method in _ways(tree if name[:1] == "_" else None, every).get(name, {"finditer"})
        ]
        named = [(name, pattern, method) for name, pattern, method in named if pattern.pattern]
        for name, pattern, method in [*named, *_written(tree, vars(module))]:
            kind = method if method in _RANK else "finditer"
            key = pattern.pattern, pattern.flags
            known = found.get(key)
            if known is None or _RANK.index(kind) > _RANK.index(known.method):
                found[key] = Use(known.module if known else module_name, name, pattern, kind)
    return list(found.values())


def _patterns(value: object) -> "Iterator[re.Pattern[Any]]":
    if isinstance(value, (re.Pattern, LazyPattern)):
        yield cast("re.Pattern[Any]", value)
    elif isinstance(value, dict):
        yield from _patterns(tuple(value.values()))
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _patterns(one)


@cache
def _nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree))


@cache
def _ways(tree: "ast.Module | None", trees: "tuple[ast.Module, ...]") -> dict[str, set[str]]:
    """Methods by the name of a pattern, in its module or, without ``tree``, in all."""
    found: dict[str, set[str]] = {}
    for one in [tree] if tree else trees:
        for node in _nodes(one):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=method):
                    found.setdefault(name, set()).add(method)
                case ast.Attribute(value=ast.Attribute(attr=name), attr=method):
                    found.setdefault(name, set()).add(method)
                case _:
                    pass
    return {name: methods & {*_RANK, *_OTHERS} or {"finditer"} for name, methods in found.items()}


def _written(
    tree: ast.Module, names: dict[str, Any]
) -> "Iterator[tuple[str, re.Pattern[Any], str]]":
    """Patterns written in calls within functions, if they depend on no variable."""
    used = {
        id(node.value): node.attr
        for node in _nodes(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call)
    }
    named = {
        id(node.value)
        for node in _nodes(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, "attr", "") == "compile"
    }
    for node in _nodes(tree):
        if id(node) in named:  # a global, or used by its name within the function
            continue
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[first, *_]
            ):
                with suppress(Exception):
                    scope = {"re": re, **names}
                    text = _value(first, scope)
                    flags = [
                        _value(one.value, scope) for one in node.keywords if one.arg == "flags"
                    ]
                    flags += [_value(one, scope) for one in node.args[2:]
                              if method not in ("sub", "split")]  # fmt: skip
                    if method == "compile" and len(node.args) > 1:
                        flags = [_value(node.args[1], scope)]
                    yield (
                        f"line {node.lineno}",
                        re.compile(text, *flags[:1]),
                        used.get(id(node), method),
                    )
            case _:
                pass


def _value(node: ast.expr, scope: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "", "eval"), scope)  # noqa: S307 - Mind's own code


# --- floods -------------------------------------------------------------------------------


def _sample(tree: Any) -> str:
    """A text that a parsed pattern matches, about."""
    return "".join(_sampled(*item) for item in tree)


def _sampled(kind: Any, value: Any) -> str:  # noqa: C901, PLR0911 - one case for each operation
    match kind:
        case op.LITERAL:
            return chr(value)
        case op.NOT_LITERAL:
            return "a" if value != ord("a") else "b"
        case op.ANY:
            return "a"
        case op.IN:
            return _member(value)
        case op.BRANCH:
            return _sample(value[1][0])
        case op.SUBPATTERN:
            return _sample(value[3])
        case op.ATOMIC_GROUP:
            return _sample(value)
        case op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT:
            return _sample(value[2]) * max(1, min(int(value[0]), 8))
        case _:
            return ""


def _member(members: Any) -> str:
    if members[0][0] == op.NEGATE:
        excluded = re.compile("[" + "".join(_member_source(one) for one in members[1:]) + "]")
        return next((one for one in "a1 -\n.\0" if not excluded.match(one)), "é")
    kind, value = members[0]
    if kind == op.LITERAL:
        return chr(value)
    if kind == op.RANGE:
        return chr(value[0])
    return _CLASSES.get(str(value), "!")


def _member_source(member: Any) -> str:
    kind, value = member
    if kind == op.LITERAL:
        return re.escape(chr(value))
    if kind == op.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    shapes = {
        "CATEGORY_DIGIT": r"\d", "CATEGORY_SPACE": r"\s", "CATEGORY_WORD": r"\w",
        "CATEGORY_NOT_DIGIT": r"\D", "CATEGORY_NOT_SPACE": r"\S", "CATEGORY_NOT_WORD": r"\W",
    }  # fmt: skip
    return shapes[str(value)]


def _pieces(tree: Any) -> Iterator[str]:  # noqa: C901 - one case for each operation
    """Samples of the parts of a pattern: literals in a row, classes, repeats and groups."""
    run = ""
    for kind, value in tree:
        if kind == op.LITERAL:
            run += chr(value)
            continue
        if run:
            yield run
        run = ""
        match kind:
            case op.BRANCH:
                for one in value[1][:6]:
                    yield from _pieces(one)
            case op.SUBPATTERN:
                yield _sample(value[3])
                yield from _pieces(value[3])
            case op.ATOMIC_GROUP:
                yield from _pieces(value)
            case op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT:
                yield from _pieces(value[2])
            case op.ASSERT | op.ASSERT_NOT:
                yield from _pieces(value[1])
            case op.IN:
                yield _member(value)
            case _:
                pass
    if run:
        yield run


def _beginnings(tree: Any) -> Iterator[str]:
    for at in range(len(tree)):
        yield _sample(tree[:at])
        kind, value = tree[at]
        inner = value[3] if kind == op.SUBPATTERN else value[2] if kind == op.MAX_REPEAT else []
        for end in range(1, len(inner)):
            yield _sample(tree[:at]) + _sample(inner[:end])


_GAPS = (op.ANY, op.NOT_LITERAL)


def _is_gap(kind: Any, value: Any) -> bool:
    """Return True for a repeat without a limit of many characters, such as ``.*?``."""
    if kind not in (op.MAX_REPEAT, op.MIN_REPEAT) or value[1] != op.MAXREPEAT:
        return False
    inner = list(value[2])
    return len(inner) != 1 or inner[0][0] in (*_GAPS, op.IN, op.SUBPATTERN)


def _between_gaps(tree: Any) -> Iterator[list[str]]:
    """Samples of what is between the gaps of each row that has one; the last is a row's end."""
    rows: list[list[str]] = [[""]]
    found = False
    for kind, value in tree:
        if _is_gap(kind, value):
            found = True
            rows = [[*row, ""] for row in rows]
        elif kind in (op.BRANCH, op.SUBPATTERN):
            inner = value[1] if kind == op.BRANCH else [value[3]]
            for one in inner:
                yield from _between_gaps(one)
            shapes = list(dict.fromkeys(_sample(one) for one in inner))[:4]
            rows = [[*row[:-1], row[-1] + one] for row in rows[:4] for one in shapes]
        else:
            rows = [[*row[:-1], row[-1] + _sampled(kind, value)] for row in rows]
    if found:
        yield from rows


def _openings(tree: Any) -> Iterator[Flood]:
    """Each opening of a gap many times, also apart and on lines, and then as often a later one."""
    for row in _between_gaps(tree):
        for at, first in enumerate(row[:-1]):
            for gap in ("", " ", "\n") if first.strip() else ():
                yield Flood("", first + gap)
                yield from (Flood("", first + gap, one + gap) for one in row[at + 1 : -1])


def parsed(pattern: "re.Pattern[Any]") -> Any:
    """The tree of a pattern."""
    source = pattern.pattern
    text = source if isinstance(source, str) else source.decode("latin-1")
    return sre.parse(text, pattern.flags & ~re.UNICODE & ~re.LOCALE)


def openings(pattern: "re.Pattern[Any]") -> list[Flood]:
    """The floods of openings alone, which are few."""
    return list(dict.fromkeys(_openings(parsed(pattern))))[:_MOST_OPENINGS]


def floods(pattern: "re.Pattern[Any]") -> list[Flood]:
    """Floods of openings, and of all parts."""
    tree = parsed(pattern)
    units = list(dict.fromkeys(one[:40] for one in (*_pieces(tree), *_ALWAYS) if one))
    units = [*units[:_MOST], *(one for one in _ALWAYS if one not in units[:_MOST])]
    pairs = [a + b for a, b in product(units, units) if a != b]
    begins = list(dict.fromkeys(one[:80] for one in _beginnings(tree)))[:12]
    made = {Flood("", one) for one in (*units, *pairs)}
    made |= {Flood(begin, one) for begin in begins for one in units}
    return list(dict.fromkeys([*openings(pattern), *sorted(made)]))


# --- measuring ----------------------------------------------------------------------------


class Late(Exception):
    """A search that took too long."""


def _stop(*_: object) -> None:
    raise Late


def spent(work: Callable[[], object], limit: float = _LIMIT) -> float:
    """CPU seconds of ``work``, which ends after ``limit``."""
    before = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    began = time.process_time()
    try:
        work()
    except Late:
        return limit
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return time.process_time() - began


def _search(use: Use, text: Any) -> Callable[[], object]:
    if use.method == "finditer":
        return lambda: [None for _ in use.pattern.finditer(text)]
    found: Callable[[Any], object] = getattr(use.pattern, use.method)
    return lambda: found(text)


def growth(measure: Callable[[int], float], sizes: Sequence[int] = SIZES) -> tuple[float, ...]:
    """Seconds at each size if they grow faster than the size, else nothing."""
    first = min(measure(sizes[0]) for _ in range(2)) if measure(sizes[0]) > _FLOOR else 0
    if first <= _FLOOR:
        return ()
    times = [first]
    for size in sizes[1:]:
        times.append(min(measure(size), measure(size)) if times[-1] < _LIMIT else _LIMIT)
        if times[-1] < _LIMIT and times[-1] < _GROWTH * times[-2]:
            return ()
    return tuple(times)


def is_exponential(use: Use, flood: Flood) -> bool:
    """Return whether a pattern takes very long on a short text."""
    return spent(_search(use, flood.text(_SHORT, use.pattern.pattern))) >= _LIMIT


def finding(use: Use, tried: Iterable[Flood], sizes: Sequence[int] = SIZES) -> Finding | None:
    """The first of the floods on which a pattern is not linear."""
    for flood in tried:

        def measure(size: int, flood: Flood = flood) -> float:
            return spent(_search(use, flood.text(size, use.pattern.pattern)))

        if is_exponential(use, flood):
            return Finding(use, flood, (_LIMIT,))
        times = growth(measure, sizes)
        if times:
            return Finding(use, flood, times)
    return None


def main() -> None:
    """Print each pattern that is not linear, with a flood and its seconds at each size."""
    every = uses(*sys.argv[1:])
    sys.stdout.write(f"{len(every)} patterns\n")
    for use in every:
        one = finding(use, floods(use.pattern))
        if one:
            seconds = " ".join(f"{each:.3f}" for each in one.seconds)
            flood = repr(tuple(one.flood))[:90]
            why = BOUNDED.get((use.module, use.name), "")
            why = f" ({why})" if why and one.flood in openings(use.pattern) else ""
            sys.stdout.write(f"{use.module} {use.name} {use.method} {flood} {seconds}{why}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
