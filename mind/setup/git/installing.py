"""Installing the merge driver: attributes, git's configuration, hooks.

``.mind/.gitattributes`` is committed with the memory: where nobody set Mind up, git merges what
was added to MEMORY.md and REMINDERS.md by keeping both sides. It does not name the driver: git
would take an unknown one for its ordinary merge, and every two logs of a day would be a conflict.
ARCHIVE.md is left to that merge on purpose: keeping both sides of two blocks puts one of them
inside of the other.

In a clone where ``mind init`` ran, ``info/attributes`` names the driver and wins.
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
from mind.sources.git.repository import ask, folder_of
from mind.storage import files
from mind.storage.project import Project
from mind.storage.templates import text as template


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after; None where it does not exist; ``mode`` of a new one."""

    path: Path
    before: bytes | None
    after: bytes | None
    mode: int | None = None


UPDATING, CHECKING = ("post-commit", "post-merge"), ("pre-commit",)
"""Hooks that bring the index up to date, and the one that refuses a commit."""
_THEMSELVES = "`mind index` (pre-commit: `git diff --cached | mind edges -`)"
SHELL = b"#!/bin/sh"
"""What a hook begins with; one that holds no more does nothing."""
DRIVER = (
    "if command -v mind >/dev/null 2>&1; then mind merge-file %O %A %B %P %L; else "
    "case %P in *MEMORY.md|*REMINDERS.md) u=--union;; *) u=;; esac; "
    "git merge-file -q $u --marker-size=%L -L ours -L base -L theirs %A %O %B; fi"
)
"""Where ``mind`` is not found (another PATH, a program with windows), git merges lines, as it does
in a clone that knows no driver: both sides of what was added to a memory are kept."""

_SECTION = re.compile(
    rb'^\[merge "mind"\][ \t]*\r?\n(?:[ \t]+.*(?:\n|\Z)|[ \t]*\r?\n(?=[ \t]))*', re.MULTILINE
)
_SHELL = re.compile(rb"#!.*\b(?:sh|bash|dash|zsh|ksh|ash)\b")


@dataclass(frozen=True, slots=True)
class Places:
    """Files of git's own that serve a project.

    Attributes:
        config: Of the repository.
        attributes: Of this clone.
        hooks: The folder of hooks that git looks in.
        own: That of the repository; it is another one if core.hooksPath names one.
        prefix: The folder of the memory, from the top of the worktree, with ``/`` at its ends.
    """

    config: Path
    attributes: Path
    hooks: Path
    own: Path
    prefix: str


def places(project: Project) -> Places | None:
    """The git folder that serves ``project``; None where there is no repository, or no git.

    A linked worktree shares them with its repository; a submodule has its own.
    """
    if project.apart or folder_of(project.root) is None:
        return None
    told = ask(
        project.root, "rev-parse", "--show-prefix", "--git-path", "config", "--git-path",
        "info/attributes", "--git-path", "hooks",
    )  # fmt: skip
    rows = os.fsdecode(told.output).split("\n")
    if told.status or len(rows) != 5:  # a folder with a line break in its name: leave it
        return None
    prefix, config, attributes = rows[:3]
    return Places(
        config=_beside(project.root, config),
        attributes=_beside(project.root, attributes),
        hooks=_beside(project.root, _named_hooks(project.root) or _own_hooks(project.root)),
        own=_beside(project.root, _own_hooks(project.root)),
        prefix=f"/{prefix}{project.folder.name}/",
    )


def _beside(root: Path, name: str) -> Path:
    """``name``, which git told in ``root``, below ``root`` if it is there.

    No link on the way is resolved: the path is held to the boundary of the project like any other.
    What git keeps elsewhere (of a worktree, of a submodule) is git's own.
    """
    path = os.path.normpath(root / name)
    for top in (str(root), os.path.realpath(root)):
        below = os.path.relpath(path, top)
        if not below.startswith(os.pardir):
            return root / below
    return Path(path)


def _own_hooks(root: Path) -> str:
    common = ask(root, "rev-parse", "--git-common-dir")
    return os.path.join(os.fsdecode(common.output).rstrip("\n"), "hooks")  # noqa: PTH118 - it may be absolute


def _named_hooks(root: Path) -> str:
    """The folder that core.hooksPath names, or "": git itself is asked without any."""
    told = ask(root, "config", "--null", "--type=path", "--get-all", "core.hooksPath")
    named = [os.fsdecode(one) for one in told.output.split(b"\0") if one][:-1]
    if not named:  # but for the one that the question itself sets
        return ""
    top = ask(root, "rev-parse", "--show-toplevel")
    return os.path.join(os.fsdecode(top.output).rstrip("\n"), named[-1])  # noqa: PTH118 - the same


def _is_outside(project: Project, where: Places) -> bool:
    """Tell whether the folder of hooks is outside of the repository, whoever named it."""
    return where.hooks != where.own and not files.is_inside(where.hooks, project.boundary)


def _refuse_outside(project: Project, where: Places) -> None:
    if not _is_outside(project, where):
        return
    folder = where.hooks.resolve()
    raise ProjectError(
        f"git looks for hooks in {folder} (core.hooksPath), outside of this repository, where "
        "other repositories use them too; nothing was written",
        remedy="Run `git config core.hooksPath .git/hooks` if this one is to have hooks of its own "
        f"instead, or have a hook there run {_THEMSELVES}, or leave --git-hooks out.",
    )


def changes(
    project: Project,
    targets: Sequence[Path] = (),
    *,
    private: bool = False,
    hooks: Sequence[str] = (),
) -> list[Change]:
    """Changes of ``mind init`` that let git merge the memory of ``project`` by entries.

    Args:
        project: Whose memory.
        targets: Files that carry the context block, which is made anew after a merge.
        private: Git keeps nothing of it: then what is there for it is taken back.
        hooks: Hooks that git gets, of ``UPDATING`` and ``CHECKING``.

    Raises:
        ProjectError: The folder of hooks is shared with other repositories.
        FileError: A hook is there that is no shell script.
    """
    if private:
        return list(_removals(project))
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


def removals(project: Project) -> list[Change]:
    """Changes of ``mind uninstall``; a memory that stays keeps its own attributes."""
    return list(_removals(project))


def _removals(project: Project) -> Iterator[Change]:
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


def _change(path: Path, change: Callable[[bytes], bytes]) -> Change:
    before = files.read(path) if path.exists() else None
    after = change(before or b"")
    return Change(path, before, after or (b"" if before == b"" else None))


def _tracked(source: bytes) -> bytes:
    """The attributes that are committed; lines of somebody else stay."""
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


def _lines(project: Project, where: Places, targets: Sequence[Path]) -> list[str]:
    """Attributes of the files that the driver merges; of links git merges where they lead to."""
    above = where.prefix.removesuffix(f"{project.folder.name}/")
    carrying = [
        above + project.relative(path)
        for path in targets
        if path.is_relative_to(project.root) and not path.is_symlink()
    ]
    names = [*(where.prefix + name for name in MERGED), *carrying]
    return [f"{pattern(name)} merge=mind" for name in names]


def pattern(path: str) -> str:
    """``path`` from the top of a worktree as the pattern of an attribute that fits only it."""
    literal = re.sub(r"([*?\[\\])", r"\\\1", path)
    if re.fullmatch(r"[!-~]+", literal) and '"' not in literal:
        return literal
    told = "".join(_quoted(one) for one in literal.encode("utf-8", "surrogateescape"))
    return f'"{told}"'


def _quoted(byte: int) -> str:
    if byte in b'"\\':
        return "\\" + chr(byte)
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def _hooked(path: Path, project: Project, where: Places) -> Change:
    before = files.read(path) if path.exists() else None
    script = before if before and before.strip() else b""
    if script and not _SHELL.match(script):
        raise FileError(
            f"{path} is no shell script, so that nothing can be added to it",
            remedy=f"Let it run {_THEMSELVES} itself, or leave --git-hooks and --pre-commit out.",
        )
    mind = f"mind --project {shlex.quote(os.path.relpath(project.root, _top(project.root)))}"
    lines = _checking(mind) if path.name in CHECKING else _updating(mind)
    after = marked_block.put(script or SHELL + b"\n", lines, where.prefix, after_first=True)
    return Change(path, before, after, mode=0o755)


def _updating(mind: str) -> list[str]:
    return [
        "# In the background: a commit waits for nothing, and fails for nothing.",
        f"({mind} index >/dev/null 2>&1 </dev/null &)",
    ]


def _checking(mind: str) -> list[str]:
    diff = "git diff --cached --no-ext-diff --no-color"
    told = "{ printf '%s\\n' \"$said\" >&2; exit 1; }"
    return [
        "# Stops a commit that brings back what was rejected. To commit it: git commit --no-verify",
        f"said=$({diff} | {mind} edges - 2>&1) || [ $? -ne {REJECTED_BEFORE} ] || {told}",
    ]


def _top(root: Path) -> str:
    told = ask(root, "rev-parse", "--show-toplevel")
    return os.fsdecode(told.output).rstrip("\n") or str(root)


def _unhooked(source: bytes, where: Places) -> bytes:
    left = marked_block.take(source, where.prefix)
    return b"" if left != source and left.strip() == SHELL else left


def state(project: Project) -> str | None:
    """The obstacle to merging the memory by entries; "" if none, None if git has no part."""
    where = places(project)
    if where is None:
        return None
    told = ask(project.root, "config", "--get", "merge.mind.driver")
    if b"merge-file" not in told.output:
        return "git knows no merge driver for the memory"
    name = f"{project.folder.name}/{MERGED[0]}"
    found = ask(project.root, "check-attr", "-z", "merge", "--", name)
    value = found.output.split(b"\0")[2:3]
    return "" if value == [b"mind"] else f"git merges {name} as {os.fsdecode(b''.join(value))}"
