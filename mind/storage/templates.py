"""Template files that ship with Mind, in a wheel or beside the package in a checkout."""

from pathlib import Path


def folder() -> Path:
    """Find the templates: inside the installed package, else beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "_templates"
    return installed if installed.is_dir() else package.parent / "templates"


def text(name: str, /, **values: str) -> str:
    """The template ``name`` with each ``{key}`` replaced by its value; other braces stay."""
    content = (folder() / name).read_text(encoding="utf-8")
    for key, value in values.items():
        content = content.replace("{" + key + "}", value)
    return content
