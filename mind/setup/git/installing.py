"""Installation of the merge driver: attributes, git's configuration, hooks.

``.mind/.gitattributes`` is committed with the memory: in clones without Mind, git merges additions
to MEMORY.md and REMINDERS.md by keeping both sides. It does not name the driver, because for an
unknown driver git uses its ordinary merge, so any two entries of a day would conflict. ARCHIVE.md
is left to the ordinary merge on purpose: keeping both sides of two blocks would put one inside the
other.

In a clone where ``mind init`` ran, ``info/attributes`` names the driver and takes precedence.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mind.documents import marked_block
from mind.domain.errors import REJECTED_BEFORE, FileError, ProjectError
from mind.setup.git.driver import MERGED
from mind.setup.steps import InstallStep
from mind.sources.git.repository import ask, folder_of
from mind.storage import files
from mind.storage.project import Project
from mind.storage.templates import text as template

UPDATING, CHECKING = ("post-commit", "post-merge"), ("pre-commit",)
"""Hooks that update the index, and the one that blocks a commit."""
_THEMSELVES = "`mind index` (pre-commit: `git diff --cached | mind edges -`)"
SHELL = b"#!/bin/sh"
"""First line of a hook; a hook with only this line does nothing."""
DRIVER = (
    "if command -v mind >/dev/null 2>&1; then mind merge-file %O %A %B %P %L; else "
    "case %P in *MEMORY.md|*REMINDERS.md) u=--union;; *) u=;; esac; "
    "git merge-file -q $u --marker-size=%L -L ours -L base -L theirs %A %O %B; fi"
)
"""If ``mind`` is not found (another PATH, a graphical program), git merges by lines, as in a clone
without the driver: both sides of additions to a memory are kept."""

_SECTION = re.compile(
    rb'^\[merge "mind"\][ \t]*\r?\n(?:[ \t]+.*(?:\n|\Z)|[ \t]*\r?\n(?=[ \t]))*', re.MULTILINE
)
_SHELL = re.compile(rb"#!.*\b(?:sh|bash|dash|zsh|ksh|ash)\b")


@dataclass(frozen=True, slots=True)
class GitFiles:
    """Git's own files for a project.

    Attributes:
        config: The repository's configuration file.
        attributes: This clone's attributes file.
        hooks: The hooks folder that git uses.
        own: The repository's own hooks folder; differs if core.hooksPath is set.
        prefix: The memory's folder, relative to the top of the worktree, with ``/`` at both ends.
    """

    config: Path
    attributes: Path
    hooks: Path
    own: Path
    prefix: str


def places(project: Project) -> GitFiles | None:
    """Git's files for ``project``; None if there is no repository, or no git.

    A linked worktree shares them with its repository; a submodule has its own.
    """
    if project.apart or folder_of(project.root) is None:
        return None
    told = ask(
        project.root, "rev-parse", "--show-prefix", "--git-path", "config", "--git-path",
        "info/attributes", "--git-path", "hooks",
    )  # fmt: skip
    rows = os.fsdecode(told.output).split("\n")
    if told.status or len(rows) != 5:  # a folder with a line break in its name: do nothing
        return None
    prefix, config, attributes = rows[:3]
    return GitFiles(
        config=_beside(project.root, config),
        attributes=_beside(project.root, attributes),
        hooks=_beside(project.root, _named_hooks(project.root) or _own_hooks(project.root)),
        own=_beside(project.root, _own_hooks(project.root)),
        prefix=f"/{prefix}{project.folder.name}/",
    )


def _beside(root: Path, name: str) -> Path:
    """The path for ``name``, which git printed in ``root``; below ``root`` if it is inside.

    Links are not resolved, so the path is checked against the project's boundary like any other.
    Files elsewhere (of a worktree, of a submodule) are git's own.
    """
    path = os.path.normpath(root / name)
    for top in (str(root), os.path.realpath(root)):
        below = os.path.relpath(path, top)
        if not below.startswith(os.pardir):
            return root / below
    return Path(path)


def _own_hooks(root: Path) -> str:
    return os.path.join(_rev_parse(root, "--git-common-dir"), "hooks")  # noqa: PTH118 - it may be absolute


def _rev_parse(root: Path, option: str) -> str:
    return os.fsdecode(ask(root, "rev-parse", option).output).rstrip("\n")


def _named_hooks(root: Path) -> str:
    """The folder set by core.hooksPath, or ""; Mind runs git with this setting overridden."""
    told = ask(root, "config", "--null", "--type=path", "--get-all", "core.hooksPath")
    named = [os.fsdecode(one) for one in told.output.split(b"\0") if one][:-1]
    if not named:  # apart from the override that Mind itself passes
        return ""
    return os.path.join(_rev_parse(root, "--show-toplevel"), named[-1])  # noqa: PTH118 - the same


def _is_outside(project: Project, where: GitFiles) -> bool:
    """True if the hooks folder is outside the repository."""
    return where.hooks != where.own and not files.is_inside(where.hooks, project.boundary)


def _refuse_outside(project: Project, where: GitFiles) -> None:
    if not _is_outside(project, where):
        return
    folder = where.hooks.resolve()
    raise ProjectError(
        f"git uses the hooks in {folder} (core.hooksPath), outside this repository, which other "
        "repositories may share; nothing was written",
        remedy="Run `git config core.hooksPath .git/hooks` to give this repository its own hooks, "
        f"or make a hook there run {_THEMSELVES}, or omit --git-hooks and --pre-commit.",
    )


def changes(
    project: Project,
    targets: Sequence[Path] = (),
    *,
    private: bool = False,
    hooks: Sequence[str] = (),
) -> list[InstallStep]:
    """Changes of ``mind init`` that make git merge the memory of ``project`` entry by entry.

    Args:
        project: The project of the memory.
        targets: Files that contain the context block, which is rebuilt after a merge.
        private: The memory is not in git: remove an existing setup instead.
        hooks: Git hooks to install, from ``UPDATING`` and ``CHECKING``.

    Raises:
        ProjectError: The hooks folder is outside the repository.
        FileError: An existing hook is not a shell script.
    """
    if private:
        return list(removals(project))
    where = places(project)
    if where is None:
        return []
    made = [
        _change(project.folder / ".gitattributes", _tracked),
        _change(where.config, _configured),
        _change(
            where.attributes,
            lambda source: marked_block.put(source, _lines(project, where, targets), where.prefix),
        ),
    ]
    if hooks:
        _refuse_outside(project, where)
        made += [_hooked(where.hooks / name, project, where) for name in hooks]
    return made


def removals(project: Project) -> Iterator[InstallStep]:
    """Changes of ``mind uninstall``; ``.mind/.gitattributes`` stays with the memory."""
    where = places(project)
    if where is None:
        return
    attributes = _change(where.attributes, lambda source: marked_block.take(source, where.prefix))
    yield attributes
    if b"merge=mind" not in (attributes.after or b""):
        yield _change(where.config, lambda source: _SECTION.sub(b"", source))
    hooks = () if _is_outside(project, where) else (where.hooks,)
    for folder in dict.fromkeys((*hooks, where.own)):
        for name in (*UPDATING, *CHECKING):
            yield _change(folder / name, lambda source: _unhooked(source, where))


def _change(path: Path, change: Callable[[bytes], bytes]) -> InstallStep:
    before = files.read(path) if path.exists() else None
    after = change(before or b"")
    new = after or (b"" if before == b"" else None)
    return InstallStep(path=path, before=before, after=new)


def _tracked(source: bytes) -> bytes:
    """The committed attributes; other lines in the file are kept."""
    wanted = template("mind.gitattributes").encode()
    if not source:
        return wanted
    known = {line.split()[0] for line in source.splitlines() if line.split()}
    missing = [
        line for line in wanted.splitlines(keepends=True)
        if not line.startswith(b"#") and line.split()[0] not in known
    ]  # fmt: skip
    gap = b"" if source.endswith(b"\n") or not missing else b"\n"
    return source + gap + b"".join(missing)


def _configured(source: bytes) -> bytes:
    newline = b"\r\n" if b"\r\n" in source else b"\n"
    section = newline.join(
        (
            b'[merge "mind"]',
            b"\tname = entries of a memory, one by one",
            b'\tdriver = "' + DRIVER.encode() + b'"',
            b"",
        )
    )
    found = _SECTION.search(source)
    if found:
        return source[: found.start()] + section + source[found.end() :]
    gap = b"" if not source or source.endswith(b"\n") else newline
    return source + gap + section


def _lines(project: Project, where: GitFiles, targets: Sequence[Path]) -> list[str]:
    """Attribute lines of the files that the driver merges; not links, whose target git merges."""
    above = where.prefix.removesuffix(f"{project.folder.name}/")
    carrying = [
        above + project.relative(path)
        for path in targets
        if path.is_relative_to(project.root) and not path.is_symlink()
    ]
    names = [*(where.prefix + name for name in MERGED), *carrying]
    return [f"{pattern(name)} merge=mind" for name in names]


def pattern(path: str) -> str:
    """An attribute pattern that matches only ``path``, given from the top of the worktree."""
    literal = re.sub(r"([*?\[\\])", r"\\\1", path)
    if re.fullmatch(r"[!-~]+", literal) and '"' not in literal:
        return literal
    told = "".join(_quoted(one) for one in literal.encode("utf-8", "surrogateescape"))
    return f'"{told}"'


def _quoted(byte: int) -> str:
    if byte in b'"\\':
        return "\\" + chr(byte)
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def _hooked(path: Path, project: Project, where: GitFiles) -> InstallStep:
    before = files.read(path) if path.exists() else None
    script = before if before and before.strip() else b""
    if script and not _SHELL.match(script):
        raise FileError(
            f"{path} is not a shell script, so nothing can be added to it",
            remedy=f"Make it run {_THEMSELVES} itself, or omit --git-hooks and --pre-commit.",
        )
    top = _rev_parse(project.root, "--show-toplevel") or project.root
    mind = f"mind --project {shlex.quote(os.path.relpath(project.root, top))}"
    lines = _checking(mind) if path.name in CHECKING else _updating(mind)
    after = marked_block.put(script or SHELL + b"\n", lines, where.prefix, after_first=True)
    return InstallStep(path=path, before=before, after=after, mode=0o755)


def _updating(mind: str) -> list[str]:
    return [
        "# In the background, so that it can neither delay a commit nor make it fail.",
        f"({mind} index >/dev/null 2>&1 </dev/null &)",
    ]


def _checking(mind: str) -> list[str]:
    diff = "git diff --cached --no-ext-diff --no-color"
    told = "{ printf '%s\\n' \"$said\" >&2; exit 1; }"
    return [
        "# Blocks commits of rejected approaches. To commit anyway: git commit --no-verify",
        f"said=$({diff} | {mind} edges - 2>&1) || [ $? -ne {REJECTED_BEFORE} ] || {told}",
    ]


def _unhooked(source: bytes, where: GitFiles) -> bytes:
    left = marked_block.take(source, where.prefix)
    return b"" if left != source and left.strip() == SHELL else left


def state(project: Project) -> str | None:
    """The obstacle to merging the memory entry by entry; "" if none, None without a repository."""
    where = places(project)
    if where is None:
        return None
    told = ask(project.root, "config", "--get", "merge.mind.driver")
    if b"merge-file" not in told.output:
        return "git has no merge driver for the memory"
    name = f"{project.folder.name}/{MERGED[0]}"
    found = ask(project.root, "check-attr", "-z", "merge", "--", name)
    value = found.output.split(b"\0")[2:3]
    return "" if value == [b"mind"] else f"git merges {name} as {os.fsdecode(b''.join(value))}"
