"""The folders in which Claude Code keeps the transcripts of a project.

A session that was started in a folder is written to ``projects/<slug>/<session>.jsonl`` below
``~/.claude`` or ``CLAUDE_CONFIG_DIR``. The slug is the folder's path with ``-`` for whatever is no
letter or digit of ASCII, cut after 200 characters, when a hash follows. Two folders can have the
same slug, so that what counts is the folder that the session itself names.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path, PurePath

from mind.sources.transcripts.turns import looked_at, records

_LONGEST = 200
_LOOKED_AT = 64 * 1024 * 1024
_RECORDS = 20
_PLAIN = re.compile(r"[^a-zA-Z0-9]")


def found(root: Path, home: Path, env: Mapping[str, str]) -> list[Path]:
    """The transcripts of the sessions in ``root``, below it, and in worktrees of its repository.

    Args:
        root: The project.
        home: The user's folder.
        env: The environment, for ``CLAUDE_CONFIG_DIR``.

    Returns:
        Files, the one that was written to least lately first, so that a fork comes behind what it
        is a fork of. Those of subagents are not among them, nor are links to other places.
    """
    own = env.get("CLAUDE_CONFIG_DIR")
    projects = (Path(own).expanduser() if own else home / ".claude") / "projects"
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
    """Tell whether a folder may hold sessions of the folder with that slug, or below it."""
    if len(slug) > _LONGEST:
        return name.startswith(slug[:_LONGEST] + "-")
    # what lies below a short path can have a slug that is cut
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
        except OSError:  # gone meanwhile
            continue


def _is_of(path: Path, roots: list[Path]) -> bool:
    """Return whether the first folder that a transcript names is one of ``roots``, or below one."""
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
            return False  # a repository of its own within this one
    return False


def _names(folder: Path) -> list[Path]:
    """A folder as it is named, and as it is called once links are followed."""
    return list(dict.fromkeys((folder.absolute(), folder.resolve())))


def _worktrees(root: Path) -> list[Path]:
    """``root``, and the worktrees of its repository, as git's own files name them."""
    pointer = root / ".git"
    kept = pointer
    if pointer.is_file():
        kept = Path(_first_line(pointer).removeprefix("gitdir:").strip())
        kept = root / kept
        shared = _first_line(kept / "commondir")
        kept = kept / shared if shared else kept
    trees = [root]
    if kept.name and kept.is_dir():
        kept = kept.resolve()
        trees += [kept.parent] if kept.name == ".git" else []
        named = [_first_line(one) for one in sorted(kept.glob("worktrees/*/gitdir"))]
        trees += [(kept / one).parent for one in named if one]
    return list(dict.fromkeys(trees))


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError):
        return ""
