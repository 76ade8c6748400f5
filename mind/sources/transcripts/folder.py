"""The folders in which Claude Code keeps the transcripts of a project.

A session is written to ``projects/<slug>/<session>.jsonl`` below ``~/.claude`` or
``CLAUDE_CONFIG_DIR``. The slug is the path of its folder with ``-`` for all but ASCII letters and
digits; beyond 200 characters it is cut and a hash appended. As slugs are ambiguous, the folder
named in the session itself decides.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePath

from mind.sources.git.repository import folder_of, is_top, text_of
from mind.sources.transcripts.turns import looked_at, records

_LONGEST = 200
_LOOKED_AT = 64 * 1024 * 1024
_RECORDS = 20
_PLAIN = re.compile(r"[^a-zA-Z0-9]")


def found(root: Path, projects: Path) -> list[Path]:
    """Return the transcripts of sessions in ``root``, below it, and in its repository's worktrees.

    Args:
        root: The project.
        projects: The folder with the transcripts of all projects.

    Returns:
        Files, the least recently written first, so that forks follow their originals. Without
        subagents' transcripts and links to other places.
    """
    roots = [one for folder in _worktrees(root) for one in _names(folder)]
    slugs = {_slug(str(one)) for one in roots}
    files: dict[Path, float] = {}
    for folder in _folders(projects):
        if any(_may_be(folder.name, slug) for slug in slugs):
            files |= {path: at for path, at in _transcripts(folder) if _is_of(path, roots)}
    return sorted(files, key=lambda path: (files[path], path.name))


def _slug(path: str) -> str:
    return _PLAIN.sub("-", path)


def _may_be(name: str, slug: str) -> bool:
    """Return True if a folder may have sessions of the folder with that slug, or below it."""
    if len(slug) > _LONGEST:
        return name.startswith(slug[:_LONGEST] + "-")
    # below a short path, a slug can be cut
    return name == slug or name.startswith(slug + "-")


def _folders(projects: Path) -> list[Path]:
    try:
        inside = projects.resolve()
        return [
            one for one in projects.iterdir() if one.is_dir() and one.resolve().parent == inside
        ]
    except OSError:
        return []


def _transcripts(folder: Path) -> Iterator[tuple[Path, float]]:
    for path in folder.glob("*.jsonl"):
        if path.name.startswith("agent-") or path.is_symlink():
            continue
        try:
            yield path, path.stat().st_mtime
        except OSError:  # deleted meanwhile
            continue


def _is_of(path: Path, roots: list[Path]) -> bool:
    """Return True if the first folder in a transcript is one of ``roots``, or below one."""
    with looked_at(path, _LOOKED_AT) as source:
        for record in islice(records(source), _RECORDS):
            folder = record.get("cwd")
            if isinstance(folder, str):
                return _is_inside(folder, roots)
    return False


def _is_inside(folder: str, roots: list[Path]) -> bool:
    known = {PurePath(one) for one in roots}
    for step in (PurePath(folder), *PurePath(folder).parents):
        if step in known:
            return True
        if (Path(step) / ".git").exists() or (Path(step) / ".mind").is_dir():
            return False  # a nested repository
    return False


def _names(folder: Path) -> list[Path]:
    """Return a folder's path, and its path with links resolved."""
    return list(dict.fromkeys((folder.absolute(), folder.resolve())))


def _worktrees(root: Path) -> list[Path]:
    """Return ``root`` and the worktrees of its repository, from git's own files."""
    git = folder_of(root) if is_top(root) else None
    if git is None:
        return [root]
    common = (git / text_of(git / "commondir")).resolve()
    main = [common.parent] if common.name == ".git" else []
    named = [text_of(one) for one in sorted(common.glob("worktrees/*/gitdir"))]
    return list(dict.fromkeys([root, *main, *((common / one).parent for one in named if one)]))
