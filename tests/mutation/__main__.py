"""Change one thing at a time in a module, and see that its tests notice.

    python -m tests.mutation [MODULE TESTS]…

MODULE is a path below the repository such as mind/markdown/values.py, TESTS the file that should
notice. Without arguments: the modules that put bytes into files. Survivors are printed with the
line as it was changed; the exit code is 1 if there are any.
"""

import ast
import copy
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEFAULT = (
    ("mind/markdown/values.py", "tests/test_markdown.py"),
    ("mind/markdown/sections.py", "tests/test_markdown.py"),
    ("mind/markdown/blocks.py", "tests/test_markdown.py"),
)
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


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """(line, change, source) of every mutant."""
    tree = ast.parse(source)
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    bodies = [part for one in functions for part in one.body]
    for node in dict.fromkeys(inner for part in bodies for inner in ast.walk(part)):
        for name in changes(node):
            line = getattr(node, "lineno", 0)
            yield line, name, ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree)))


def survives(folder: Path, tests: str) -> bool:
    """Whether the tests pass on what is in ``folder``."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", tests],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
        capture_output=True,
        timeout=300,
    )
    return done.returncode == 0


def examine(folder: Path, module: str, tests: str) -> int:
    """How many mutants of ``module`` survive ``tests``."""
    path = folder / module
    original = path.read_text(encoding="utf-8")
    lines = original.splitlines()
    if not survives(folder, tests):
        raise SystemExit(f"{tests} fails without any mutant.")
    survivors = total = 0
    for line, name, text in mutants(original):
        total += 1
        path.write_text(text, encoding="utf-8")
        try:
            if survives(folder, tests):
                survivors += 1
                print(f"  survived: {module}:{line} {name}: {lines[line - 1].strip()}", flush=True)
        except subprocess.TimeoutExpired:
            pass  # an endless loop is noticed
    path.write_text(original, encoding="utf-8")
    print(f"{module}: {total - survivors} of {total} mutants noticed", flush=True)
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
