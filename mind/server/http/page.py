"""The page's files: read once, told apart by type, and under a policy that lets nothing else in."""

from collections.abc import Mapping
from pathlib import Path

from mind.storage import templates

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
"""Content-Security-Policy of the page: nothing inline, nothing from elsewhere."""
_TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
"""What a page is made of; a file of another type is not served."""


def folder() -> Path:
    """Where the files are."""
    return templates.folder() / "page"


def files() -> dict[str, tuple[Path, str]]:
    """What is served: path → the file, and its media type. A path that is not listed is nothing.

    Nothing that a request says is ever joined to a folder.
    """
    found = {}
    for path in sorted(folder().rglob("*")):
        media = _TYPES.get(path.suffix)
        hidden = any(part.startswith(".") for part in path.relative_to(folder()).parts)
        if media and not hidden and path.is_file():
            found["/" + path.relative_to(folder()).as_posix()] = (path, media)
    if "/index.html" in found:
        found["/"] = found["/index.html"]
    return found
