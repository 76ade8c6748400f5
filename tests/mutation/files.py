"""Mutants of mind/storage/files, with one kind more: a statement that is left out.

    python -m tests.mutation.files [MODULE]…

MODULE is a name such as appending, several may be given; all of them by default, which takes
about an hour. A mutant
has to get past test_files.py, then test_files_faults.py, then test_files_concurrency.py. What
survives is printed. Lines that only another system runs are left out.
"""

import ast
import copy
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.mutation.__main__ import ROOT, changes, survives

MODULES = (
    "appending",
    "recent",
    "replacing",
    "inplace",
    "beside",
    "locks",
    "content",
)
TESTS = ("test_files.py", "test_files_faults.py", "test_files_concurrency.py")
_STATEMENTS = ast.Expr | ast.Raise | ast.AugAssign | ast.Continue | ast.Break | ast.Delete


def left_out(node: ast.AST) -> Iterator[int]:
    """Leave each statement in ``node`` out in turn, in place; its line."""
    for name in ("body", "orelse", "finalbody"):
        found = getattr(node, name, None)
        block: list[ast.stmt] = found if isinstance(found, list) else []
        for at, statement in enumerate(block):
            docstring = isinstance(statement, ast.Expr) and isinstance(
                statement.value, ast.Constant
            )
            if isinstance(statement, _STATEMENTS) and not docstring:
                block[at] = ast.copy_location(ast.Pass(), statement)
                yield statement.lineno
                block[at] = statement


def elsewhere(source: str, tree: ast.AST) -> set[int]:
    """Lines that this system never runs."""
    lines = source.splitlines()
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and "pragma: no cover" in lines[node.lineno - 1]:
            for part in node.body if isinstance(node, ast.If) else [node]:
                found |= set(range(part.lineno, (part.end_lineno or part.lineno) + 1))
            found.add(node.lineno)
    return found


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """(line, change, source) of every mutant."""
    tree = ast.parse(source)
    skipped = elsewhere(source, tree)
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    for node in dict.fromkeys(inner for one in functions for inner in ast.walk(one)):
        for name in changes(node):
            line = getattr(node, "lineno", 0)
            if line not in skipped:
                yield line, name, _written(tree)
        for line in left_out(node):
            if line not in skipped:
                yield line, "left out", _written(tree)


def _written(tree: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree)))


def passes(folder: Path) -> bool:
    """Whether all the tests pass on what is in ``folder``."""
    return all(survives(folder, f"tests/{one}", 90) for one in TESTS)


def examine(folder: Path, module: str) -> int:
    """How many mutants of ``module`` survive."""
    path = folder / "mind" / "files" / f"{module}.py"
    original = path.read_text(encoding="utf-8")
    lines = original.splitlines()
    survivors = total = 0
    for line, name, text in mutants(original):
        total += 1
        path.write_text(text, encoding="utf-8")
        if passes(folder):
            survivors += 1
            print(f"  survived: {module}.py:{line} {name}: {lines[line - 1].strip()}", flush=True)
    path.write_text(original, encoding="utf-8")
    if not passes(folder):
        raise SystemExit("The tests fail without any mutant, so that nothing was shown.")
    print(f"{module}.py: {total - survivors} of {total} mutants noticed", flush=True)
    return survivors


def main() -> int:
    """Examine the modules named, or all."""
    with tempfile.TemporaryDirectory(prefix="mind-mutation-") as name:
        folder = Path(name)
        ignore = shutil.ignore_patterns("node_modules", "__pycache__")
        for part in ("mind", "tests", "templates"):
            shutil.copytree(ROOT / part, folder / part, ignore=ignore)
        shutil.copy(ROOT / "pyproject.toml", folder)
        if not passes(folder):
            raise SystemExit("The tests fail without any mutant.")
        return 1 if sum(examine(folder, one) for one in sys.argv[1:] or MODULES) else 0


if __name__ == "__main__":
    raise SystemExit(main())
