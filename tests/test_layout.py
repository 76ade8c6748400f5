"""The house rules that no other tool enforces."""

from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_no_module_is_longer_than_400_lines() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / "mind").rglob("*.py")
    }
    assert {name: lines for name, lines in lengths.items() if lines > 400} == {}


def test_modules_are_named_after_things() -> None:
    names = {path.stem for path in (ROOT / "mind").rglob("*.py")}
    assert not names & {"utils", "helpers", "manager", "base", "common", "misc"}


def test_links_between_documents_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    import re

    broken = [
        (page.name, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []
