"""Change one thing at a time in a module, and see that its tests notice.

    python -m tests.mutation [MODULE TESTS]…

MODULE is a path below the repository such as mind/documents/markdown/sections.py, TESTS the file
that should
notice, or several joined by commas. Without arguments: the modules that say which bytes an edit
takes. Survivors are printed with the line that was changed; the exit code is 1 if there are any
that are not known to behave as the original does.

Each run starts with the same seed and without examples kept from an earlier one: an example that
fails for another reason would let every mutant after it look noticed. For the same reason the
tests have to pass on the original before and after.
"""

import ast
import copy
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEFAULT = (
    ("mind/documents/markdown/sections.py", "tests/test_markdown.py"),
    ("mind/documents/markdown/blocks.py", "tests/test_markdown.py"),
)
EQUIVALENT: dict[tuple[str, str, str], str] = {}
"""(module, change, line without indentation) of mutants that behave as the original, and why."""
_OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--hypothesis-seed=0")
_STATEMENTS = ast.Expr | ast.Assign | ast.AugAssign | ast.Raise | ast.Continue | ast.Break
_COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}


def changes(node: ast.AST) -> Iterator[str]:
    """Make each change to ``node`` in turn, in place; what it was called."""
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            other = _COMPARISONS.get(type(operator))
            if other:
                node.ops[at] = other()
                yield "comparison"
                node.ops[at] = operator
    elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        before, node.op = node.op, _ARITHMETIC[type(node.op)]()
        yield "arithmetic"
        node.op = before
    elif isinstance(node, ast.BoolOp):
        before_bool = node.op
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and, or"
        node.op = before_bool
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        value = node.value
        node.value = not value if isinstance(value, bool) else value + 1
        yield "constant"
        node.value = value
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        test = node.test
        node.test = ast.UnaryOp(ast.Not(), test)
        yield "condition"
        node.test = test


def left_out(node: ast.AST) -> Iterator[str]:
    """Leave each statement in the body of ``node`` out in turn, in place; what it was called."""
    for name in ("body", "orelse"):
        found = getattr(node, name, None)
        block: list[ast.stmt] = found if isinstance(found, list) else []
        for at, statement in enumerate(block):
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(statement, _STATEMENTS) and not isinstance(value, ast.Constant):
                block[at] = ast.copy_location(ast.Pass(), statement)
                yield f"left out {statement.lineno}"
                block[at] = statement


def swapped(node: ast.AST) -> Iterator[str]:
    """Swap ``min`` and ``max``, ``lstrip`` and ``rstrip``, and leave out ``not``."""
    names = {"min": "max", "max": "min", "lstrip": "rstrip", "rstrip": "lstrip", "strip": "lstrip"}
    if isinstance(node, ast.Name) and node.id in names:
        before, node.id = node.id, names[node.id]
        yield "name"
        node.id = before
    elif isinstance(node, ast.Attribute) and node.attr in names:
        before, node.attr = node.attr, names[node.attr]
        yield "name"
        node.attr = before
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        operand = node.operand
        node.operand = ast.UnaryOp(ast.Not(), operand)
        yield "not"
        node.operand = operand


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """(line, change, source) of every mutant."""
    tree = ast.parse(source)
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    bodies = [part for one in functions for part in one.body]
    nodes = dict.fromkeys(inner for part in bodies for inner in ast.walk(part))
    for node in [*functions, *(one for one in nodes if one not in functions)]:
        changed = left_out(node) if node in functions else _changed(node)
        for name in changed:
            line = (
                int(name.split()[-1]) if name.startswith("left out") else getattr(node, "lineno", 0)
            )
            text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree)))
            yield line, name.removesuffix(f" {line}"), text


def _changed(node: ast.AST) -> Iterator[str]:
    yield from changes(node)
    yield from swapped(node)
    yield from left_out(node)


def survives(folder: Path, tests: str, timeout: float) -> bool:
    """Whether the tests pass on what is in ``folder``; an endless loop does not."""
    shutil.rmtree(folder / ".hypothesis", ignore_errors=True)
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "pytest", *_OPTIONS, *tests.split(",")],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
            check=False,
            capture_output=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def examine(folder: Path, module: str, tests: str) -> int:
    """How many mutants of ``module`` survive ``tests``."""
    path = folder / module
    original = path.read_text(encoding="utf-8")
    lines = original.splitlines()
    begun = time.monotonic()
    if not survives(folder, tests, 600):
        raise SystemExit(f"{tests} fails without any mutant.")
    timeout = 20 + 5 * (time.monotonic() - begun)
    survivors = known = total = 0
    for line, name, text in mutants(original):
        total += 1
        path.write_text(text, encoding="utf-8")
        if survives(folder, tests, timeout):
            shown = lines[line - 1].strip()
            if (module, name, shown) in EQUIVALENT:
                known += 1
                continue
            survivors += 1
            print(f"  survived: {module}:{line} {name}: {shown}", flush=True)
    path.write_text(original, encoding="utf-8")
    if not survives(folder, tests, 600):
        raise SystemExit(f"{tests} fails without any mutant, so that nothing was shown.")
    noticed = total - survivors - known
    print(f"{module}: {noticed} of {total} mutants noticed, {known} the same as it", flush=True)
    return survivors


def main() -> int:
    """Examine the modules named, or those that put bytes into files."""
    named = sys.argv[1:]
    pairs = list(zip(named[::2], named[1::2], strict=True)) or list(DEFAULT)
    with tempfile.TemporaryDirectory(prefix="mind-mutation-") as name:
        folder = Path(name)
        for part in ("mind", "tests", "templates", "pyproject.toml"):
            source = ROOT / part
            ignore = shutil.ignore_patterns("node_modules", "__pycache__")
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=ignore)
            else:
                shutil.copy(source, folder / part)
        return 1 if sum(examine(folder, *pair) for pair in pairs) else 0


if __name__ == "__main__":
    raise SystemExit(main())
