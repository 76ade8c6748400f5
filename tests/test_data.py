"""The words and shapes under ``mind/data``: each file can be used, and a new one needs no code."""

import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest

import mind
from mind.domain.entry import Kind
from mind.text import LazyPattern, lazy_pattern

DATA = Path(mind.__file__).parent / "data"
MEANINGS = re.compile(r"[a-z_]+ (?:-?\d+(?:\.\d)?|[a-z]+)(?: \+ [a-z_]+ (?:-?\d+|[a-z]+))*")

WORDS = """
[labels]
decision = ["besloten", "beslissing", "beslissingen"]
gotcha = ["let op", "valkuil", "valkuilen"]
[openers]
decision = ["we kozen voor"]
"""
DATES = """
[months]
full = ["januari februari maart april mei juni juli augustus september oktober november december"]
[meanings]
"day -1" = "gisteren"
"rel -1" = "vorige, afgelopen"
"unit week" = "week, weken"
"in 0" = "in"
"ago 0" = "geleden"
"day 2" = "overmorgen"
"ahead 0" = "over"
"number 3" = "drie"
"""
PROGRAM = """
import mind
from datetime import UTC, date, datetime
from pathlib import Path
from mind.documents import parser
from mind.domain.settings import Settings
from mind.memory.gotchas.known import named_stacks
from mind.text.dates import heading_date, moment
from mind.text.dates.asked import parse_period
from mind.text.dates.lexicon import may_name_a_time
print(Path(mind.__file__).parent.parent == Path.cwd())
source = b"# Notities\\n\\n- Besloten: Redis voor de sessies\\n- Let op: de cache is koud\\n"
print([one.kind.value for one in parser.parse(source, "MEMORY.md", Settings())])
print(heading_date("3 maart 2026"), parse_period("vorige week", date(2026, 11, 20)))
now = datetime(2026, 11, 20, 12, tzinfo=UTC)
print(moment("overmorgen", now), moment("over drie weken", now), may_name_a_time("vorige maart"))
print(named_stacks(["reactjs-nl"], Path()))
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package and its templates, to be added to."""
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(DATA.parent, tmp_path / "mind", ignore=skipped)
    if not (tmp_path / "mind" / "_templates").is_dir():
        shutil.copytree(DATA.parents[1] / "templates", tmp_path / "templates")
    return tmp_path


def run(copy: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.splitlines()


def test_a_language_and_an_alias_are_added_by_data_alone(copy: Path) -> None:
    before = run(copy)
    assert before[0] == "True"
    assert before[1:4] == ["['note', 'note']", "None None", "None None False"]
    (copy / "mind" / "data" / "words" / "nl.toml").write_text(WORDS, encoding="utf-8")
    (copy / "mind" / "data" / "dates" / "nl.toml").write_text(DATES, encoding="utf-8")
    stacks = next(copy.rglob("stacks.toml"))
    text = stacks.read_text(encoding="utf-8")
    stacks.write_text(text.replace("[aliases]\n", '[aliases]\nreactjs-nl = ["react"]\n'), "utf-8")
    after = run(copy)
    assert after[1] == "['decision', 'gotcha']"
    assert after[2].startswith("2026-03-03 Period(start=datetime.date(2026, 11, 9)")
    assert after[3] == "2026-11-22 09:00:00+00:00 2026-12-11 09:00:00+00:00 True"
    assert after[4] == "['reactjs-nl', 'react']"


@pytest.mark.parametrize("path", sorted(DATA.rglob("*.toml")), ids=lambda path: path.stem)
def test_every_file_is_toml(path: Path) -> None:
    assert tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "path", sorted((DATA / "dates").glob("*.toml")), ids=lambda path: path.stem
)
def test_words_about_time_have_a_meaning(path: Path) -> None:
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    assert set(found) <= {"months", "meanings", "moments", "relative", "examples"}
    assert all(MEANINGS.fullmatch(one) for one in found["meanings"])
    for length in ("full", "short"):
        for names in found.get("months", {}).get(length, ()):
            assert len(names.split()) == date.max.month
    assert set(found["relative"]) == {"past", "future", "days", "units"}
    assert len(found["relative"]["days"].split()) == 4
    assert len(found["relative"]["units"].split("|")) == 6
    assert all(form.strip() for said in found["meanings"].values() for form in said.split(","))


@pytest.mark.parametrize(
    "path", sorted((DATA / "words").glob("??.toml")), ids=lambda path: path.stem
)
def test_words_of_the_parser_announce_kinds(path: Path) -> None:
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    assert set(found) <= {"labels", "openers", "sentences", "hints"}
    assert {kind for part in found.values() for kind in part} <= {kind.value for kind in Kind}
    structure = tomllib.loads((DATA / "words" / "structure.toml").read_text(encoding="utf-8"))
    tried = {kind for name in ("sentences", "hints") for kind in found.get(name, ())}
    assert tried <= set(structure["order"])


def test_patterns_that_compile_on_first_use_are_expressions() -> None:
    """An invalid one would be found only by the command that uses it."""
    names = [one.name for one in pkgutil.walk_packages(mind.__path__, "mind.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    late = [one for of in modules for one in vars(of).values() if isinstance(one, LazyPattern)]
    assert len(late) > 40
    assert all(one.pattern for one in late)


def test_a_pattern_that_compiles_on_first_use_is_like_any_other() -> None:
    pattern = lazy_pattern(r"(\w)-\1", re.IGNORECASE)
    assert pattern.sub("x", "A-a b-c d-d") == "x b-c x"
    assert pattern.findall("A-a b-c d-d") == ["A", "d"]
    assert lazy_pattern(rb"\d").search(b"a1") is not None
    with pytest.raises(re.error):
        lazy_pattern("(").search("a")


def test_names_are_found_in_any_case() -> None:
    from mind.text.terms import other_names

    assert {"redis", "valkey"} <= set(other_names("ReDiS cluster"))
    assert "pytest" in other_names("a test runner")
    raw = (DATA / "matching" / "names.txt").read_bytes()
    assert raw.lower().decode() == raw.decode().lower()  # the search for them is in bytes


def test_shapes_of_credentials_are_expressions() -> None:
    from mind.text.secrets import shapes

    assert len(shapes.SHAPES) > 200
    assert all(shape.prefix for shape in shapes.SHAPES)
    assert all(shapes.compiled(shape.body, re.ASCII) for shape in shapes.SHAPES)
    assert all(words and all(word == word.lower() for word in words) for words, _ in shapes.RULES)
