"""Template files that ship with Mind, in a wheel or beside the package in a checkout."""

from pathlib import Path


def folder(name: str = "_templates", beside: str = "templates") -> Path:
    """Find shipped files: in an installed package, else beside the package in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / name
    return installed if installed.is_dir() else package.parent / beside


def text(name: str, /, **values: str) -> str:
    """The template ``name`` with each ``{key}`` replaced by its value; other braces stay."""
    content = (folder() / name).read_text(encoding="utf-8")
    for key, value in values.items():
        content = content.replace("{" + key + "}", value)
    return content
