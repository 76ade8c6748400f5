"""Git calls that start no other program and respect a time limit; tracked files.

The configuration, attributes and hooks of a repository can name programs. Only commands that run
none of them are used (docs/decisions/0013-git.md).
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import NamedTuple

from mind.domain.errors import FileError, LeadsOutside
from mind.sources import MARK
from mind.storage import files, gitindex, process
from mind.storage.files.content import allow
from mind.storage.process import GIT_SECONDS, Patience, Unanswered
from mind.text import lazy_pattern

_TRUE = ("true", "yes", "on", "1")
_LINKED = ("", "objects", "objects/pack", "objects/info")
"""Subfolders of the git folder that are checked for links."""


def elsewhere(top: Path, git: Path) -> tuple[str, str] | None:
    """Return the path that redirects git from ``top`` to another repository, and its target.

    The git folder of a linked worktree or a submodule is elsewhere too, but points back to the
    worktree and was set up by the user. One from ``git init --separate-git-dir`` does not point
    back, and belongs to no other worktree.

    Args:
        top: The top of a worktree.
        git: The git folder that ``.git`` is or points to.
    """
    real, worktree = os.path.realpath(git), os.path.realpath(top)
    if not gitindex.holds(worktree, real):
        return None if _serves(Path(real), worktree) else (str(top / ".git"), real)
    for path, target in _pointers(git):
        led = os.path.realpath(target)
        if not gitindex.holds(worktree, led):
            return path, led
    return None


def _serves(git: Path, worktree: str) -> bool:
    """Return True if ``git`` points back to ``worktree``, or is separate and serves no other."""
    pointer = text_of(git / "gitdir")
    settings = text_of(git / "config") + "\n" + text_of(git / "config.worktree")
    named = settings_named("worktree", settings)
    if pointer:
        return os.path.realpath(git / pointer) == str(Path(worktree, ".git"))
    if named:
        return os.path.realpath(git / named[0].strip('"')) == worktree
    return git.name != ".git" and not is_bare(settings)


def settings_named(key: str, content: str) -> list[str]:
    """Return the values of ``key`` in every section of a git configuration."""
    return [value for _, name, value in gitindex.settings(content) if name == key and value]


def is_bare(settings: str) -> bool:
    """Return True if a git configuration says that its repository has no worktree."""
    return any(one.lower() in _TRUE for one in settings_named("bare", settings))


def _pointers(git: Path) -> Iterator[tuple[str, str]]:
    """Yield every path in the git folder that redirects to another one, with its target."""
    common = git / "commondir"
    if text_of(common):
        yield str(common), str(git / text_of(common))
    alternates = git / "objects" / "info" / "alternates"
    for line in text_of(alternates).splitlines():
        yield str(alternates), str(git / "objects" / line.strip('"'))
    for folder in (*_LINKED, *(at for at, _, _ in os.walk(git / "refs"))):
        yield from ((path, path) for path in _links(git / folder))


def _links(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return [one.path for one in found if one.is_symlink()]
    except OSError:
        return []


def text_of(path: Path) -> str:
    """Return the stripped text of one of git's small files; "" if unreadable."""
    return gitindex.read(path).decode("utf-8", "surrogateescape").strip()


_DIFFING = ("--no-ext-diff", "--no-textconv", "--no-color")
_COMMANDS: dict[str, tuple[str, ...]] = {
    "cat-file": (),
    "check-attr": (),
    "check-ignore": (),
    "config": (),
    "diff-index": ("--cached", *_DIFFING),
    "for-each-ref": (),
    "grep": ("--no-textconv", "--no-color", "--no-recurse-submodules"),
    "log": (*_DIFFING, "--submodule=short", "--no-show-signature", "--no-notes", "--no-mailmap"),
    "ls-files": (),
    "ls-tree": (),
    "merge-base": (),
    "rev-parse": (),
}
"""Commands that run no program, with the options that each needs for this.

None compares a worktree file with git's version, as ``status`` and ``diff`` do: that runs the
repository's filters, and git again in each submodule.
"""
_OPTIONS = (
    "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
    "-c", "core.quotePath=false", "-c", "grep.fullName=false",
    "-c", "safe.bareRepository=explicit",  # a folder of the worktree can look like a repository
)  # fmt: skip
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",  # read-only: do not refresh the user's index
    "GIT_ALLOW_PROTOCOL": "",  # a partial clone would fetch missing objects
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ASKPASS": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_LITERAL_PATHSPECS": "0",
    "GIT_GLOB_PATHSPECS": "0",
    "GIT_NOGLOB_PATHSPECS": "0",
    "GIT_ICASE_PATHSPECS": "0",
    "LANGUAGE": "C",
    "LC_ALL": "C",  # its messages are parsed
}

# Set inside git hooks and `git rebase --exec`; they would lead to another repository or index.
_LOCAL = frozenset(
    """GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_COMMON_DIR GIT_OBJECT_DIRECTORY
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE GIT_SHALLOW_FILE GIT_GRAFT_FILE
    GIT_IMPLICIT_WORK_TREE GIT_INTERNAL_SUPER_PREFIX GIT_EXTERNAL_DIFF""".split()
)


class GitAnswer(NamedTuple):
    """Result of a git command.

    Attributes:
        status: Exit status; -1 if it did not start or did not end.
        output: Standard output.
        problem: Cause of a failure, with a remedy; "" after status 0 or 1.
        is_late: The command timed out, or the use case has no time left.
    """

    status: int
    output: bytes = b""
    problem: str = ""
    is_late: bool = False


def ask(
    root: Path, command: str, *arguments: str, seconds: float = 0, feed: bytes | None = None
) -> GitAnswer:
    """Run a read-only git command in ``root``.

    Args:
        root: A folder in the worktree.
        command: One of the commands that start no program.
        arguments: Arguments of the command.
        seconds: Time limit; 0 for the rest of the use case's budget.
        feed: Standard input.
    """
    options = _COMMANDS[command]
    folder = root.absolute()
    top = top_of(folder)
    program = process.find("git", folder) if top else None
    if top is None or program is None:
        return GitAnswer(128) if top is None else GitAnswer(-1, problem=_MISSING)
    refused = _refusal(top)
    if refused is not None:
        return GitAnswer(-1, problem=f"git is not asked: {refused.message}. {refused.remedy}")
    patience = process.patience() or Patience(GIT_SECONDS)
    allowed = min(seconds or patience.left, patience.left)
    if allowed <= 0:
        if not patience.problem:
            patience.end("no answer in time")
        return GitAnswer(-1, problem=patience.problem, is_late=True)
    began = monotonic()
    try:
        done = process.run(
            [program, *_OPTIONS, command, *options, *arguments],
            cwd=folder, env=_environment(top), seconds=allowed, feed=feed,
        )  # fmt: skip
    except Unanswered as error:
        patience.end(str(error))
        return GitAnswer(-1, problem=patience.problem, is_late=True)
    except OSError as error:
        return GitAnswer(-1, problem=f"git cannot be started: {error.strerror}. {_LOOK}")
    patience.left -= monotonic() - began
    return _answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"), folder)


_LOOK = "Run `git status` to see why."
_MISSING = (
    "git cannot be started, so commit messages are not read. Install git, or run "
    "`mind config capture.commits false`."
)


def _environment(top: Path) -> dict[str, str]:
    """Return an environment without variables of a surrounding git command, bound to ``top``."""
    own = {name: value for name, value in os.environ.items() if name not in _LOCAL}
    place = {"GIT_WORK_TREE": str(top), "GIT_CEILING_DIRECTORIES": os.path.realpath(top.parent)}
    return own | _ENVIRONMENT | place


def _answer(status: int, output: bytes, said: str, folder: Path) -> GitAnswer:
    if status in (0, 1):
        return GitAnswer(status, output)
    if "dubious ownership" in said:
        remedy = f"If you trust it, run `git config --global --add safe.directory {folder}`."
        return GitAnswer(status, problem=f"git refuses {folder}: another user owns it. {remedy}")
    if "not a git repository" in said:
        return GitAnswer(status)
    reason = (said.strip().splitlines() or [f"exit status {status}"])[0]
    return GitAnswer(status, problem=f"git cannot read {folder}: {reason}. {_LOOK}")


def grep(root: Path, word: str) -> tuple[list[str] | None, str]:
    """Return paths below ``root`` of text files that contain ``word``; None if git cannot answer.

    Covers tracked files and untracked ones that are not ignored; no submodules. A folder that an
    outer repository ignores gives None. The second value is the problem if git timed out.
    """
    found = ask(root, "grep", "-l", "-z", "-I", "--untracked", "-F", "-e", word, "--", ".")
    if found.status not in (0, 1):
        return None, found.problem if found.is_late else ""
    if not found.output and not is_top(root):
        ignored = ask(root, "check-ignore", "-q", ".")
        if ignored.is_late or not ignored.status:
            return None, ignored.problem
    return [os.fsdecode(name) for name in found.output.split(b"\0") if name], ""


_PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".org")
_OUTSIDE = ("/", "\\", "~", "./", "../")
_SHORT = 4
"""Maximum letters of a word that counts only at the beginning of a word of the code."""


def using(word: str, without: Iterable[str] = ()) -> list[str]:
    """Return arguments of ``git grep`` that list the code that has ``word`` in any spelling.

    Args:
        word: A name or the stem of a word; ``execfilesync`` finds ``exec_file_sync``.
        without: Paths that do not count, relative to the folder; nor does documentation.
    """
    letters = [_literal(sign) for sign in word if sign not in "-_ <>~"]
    is_short = len(letters) < _SHORT
    pattern = f"(^|[^[:alnum:]]){''.join(letters)}" if is_short else "[-_ .]?".join(letters)
    aside = [f":(exclude,icase)*{ending}" for ending in _PROSE]
    own = [one for one in without if one and "\0" not in one and not one.startswith(_OUTSIDE)]
    aside += [f":(exclude,literal){path}" for path in (".mind", *own)]
    aside += [f":(exclude,top,literal){path}" for path in own]  # a diff has paths from the top
    return ["-l", "-z", "-I", "-i", "-E", "-e", pattern, "--", ".", *aside]


def _literal(sign: str) -> str:
    return "." if sign in "^\\" else sign if sign.isalnum() else f"[{sign}]"


def spread(root: Path, word: str, without: Iterable[str] = ()) -> int:
    """Return the number of tracked files of code that have ``word`` (see :func:`using`).

    0 if git cannot answer, and for a word without letters or digits.
    """
    if not any(map(str.isalnum, word)):
        return 0
    found = os.fsdecode(ask(root, "grep", *using(word, without)).output).split("\0")
    return sum(bool(one) and is_source(one) for one in found)


def top_of(folder: Path) -> Path | None:
    """Return the top of the worktree of ``folder``; None outside of a repository."""
    for one in (folder, *folder.parents):
        if _git_of(one) is not None:
            return one
        if _is_bare(one) or not _same_device(one, one.parent):
            return None
    return None


def _is_bare(folder: Path) -> bool:
    """Return True if git would use ``folder`` itself as a repository, including its configuration.

    Git before 2.38 does not know ``safe.bareRepository``.
    """
    return (folder / "HEAD").is_file() and any(
        os.path.lexists(folder / name) for name in ("objects", "commondir")
    )


def is_top(root: Path) -> bool:
    """Return True if ``root`` is the top of a worktree, not a subfolder."""
    return _git_of(root) is not None


def folder_of(root: Path) -> Path | None:
    """Return the git folder of ``root``'s worktree.

    None if there is none, or if it leads to another repository.
    """
    top = top_of(root.absolute())
    return _git_of(top) if top and not _refusal(top) else None


def _refusal(top: Path) -> LeadsOutside | None:
    """Return the reason not to read the repository of ``top``; None if it is safe."""
    git = _git_of(top)
    leading = elsewhere(top, git) if git else None
    try:
        if leading is not None:
            allow(*leading)
    except LeadsOutside as error:
        return error
    return None


def _git_of(folder: Path) -> Path | None:
    git = folder / ".git"
    if git.is_file():
        git = folder / text_of(git).removeprefix("gitdir:").strip()
    return git if os.path.lexists(git / "HEAD") else None


def _same_device(folder: Path, parent: Path) -> bool:
    """Return False at a file system boundary, where git stops looking too."""
    try:
        return folder.stat().st_dev == parent.stat().st_dev
    except OSError:
        return False


HASH = lazy_pattern(r"[0-9a-f]{40}|[0-9a-f]{64}")

_MOST_STEPS = 5
_OWN = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")


def head(root: Path) -> str | None:
    """Return the hash of the current commit; None before the first, and outside of git.

    Equal to ``git rev-parse HEAD``, in worktrees too. Git is started only if references are not
    stored as files.
    """
    folder = folder_of(root)
    if folder is None:
        return None
    named = text_of(folder / "commondir")
    common = folder / named if named else folder
    if (common / "reftable").is_dir():
        return _asked(root)
    name = "HEAD"
    for _ in range(_MOST_STEPS):
        text = _loose(folder, common, name) or _packed(common, name)
        if HASH.fullmatch(text):
            return text
        if not text.startswith("ref:"):
            return None
        name = text.removeprefix("ref:").strip()
    return None


def _loose(folder: Path, common: Path, name: str) -> str:
    own = not name.startswith("refs/") or name.startswith(_OWN)
    return text_of((folder if own else common) / name)


def _packed(common: Path, name: str) -> str:
    data = b"\n" + gitindex.read(common / "packed-refs")
    end = data.find(b" " + name.encode("utf-8", "surrogateescape") + b"\n")
    start = data.rfind(b"\n", 0, max(end, 0))
    return data[start + 1 : max(end, 0)].decode("ascii", "replace")


def _asked(root: Path) -> str | None:
    text = ask(root, "rev-parse", "--verify", "--quiet", "HEAD").output.decode("ascii", "replace")
    return text.strip() or None


LARGEST = 1_000_000

_MARK = MARK.encode()
_MOST_FILES = 20_000
_VENDORED = frozenset(
    """.git .hg .svn .mind node_modules bower_components jspm_packages vendor vendored third_party
    third-party thirdparty dist build .venv venv site-packages __pycache__ .tox .nox .next .nuxt
    .svelte-kit .yarn .pnpm-store .gradle .terraform .eggs Pods Carthage DerivedData""".split()
)
_BUILT = frozenset(
    """out target bin obj env .cache .pytest_cache .mypy_cache .ruff_cache coverage htmlcov .idea
    .vs .vscode-test tmp log logs deps _build cmake-build-debug cmake-build-release""".split()
)
_GENERATED_NAME = lazy_pattern(
    r"(?:[.-]min\.\w+|\.bundle\.\w+|\.map|\.lock|[-.]lock\.(?:json|ya?ml)|npm-shrinkwrap\.json|"
    r"go\.sum|_pb2(?:_grpc)?\.pyi?|\.pb\.\w+|\.g\.dart|\.freezed\.dart|\.designer\.\w+|"
    r"[._-]generated\.\w+|\.snap)$",
    re.IGNORECASE,
)
_GENERATED = lazy_pattern(
    rb"^\W{0,8}(?:@generated\b|Code generated\b.{0,200}?\bDO NOT EDIT\b|<auto-generated\b|"
    rb"(?:This file (?:is|was) |THIS FILE IS )?auto[- ]?generated\b.{0,200}?\bdo not edit\b)",
    re.MULTILINE | re.IGNORECASE,
)
_UNREADABLE = lazy_pattern("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff]")
_SMALL = 5_000
_WIDE = 500


def candidates(root: Path) -> tuple[list[str] | None, str]:
    """Return paths relative to ``root`` of the source files that contain ``MEMORY:``.

    Returns:
        The sorted paths, None if git timed out; and the problem ("" if none). Covers tracked and
        untracked files that are not ignored; outside of git, all but vendored and build folders.
    """
    listed, problem = grep(root, MARK) if folder_of(root) else (None, "")
    if problem:
        return None, problem
    if listed is not None:
        return _tracked(root, listed)
    paths: list[str] = []
    for count, path in enumerate(_walked(root)):
        if count >= _MOST_FILES:
            return sorted(paths), (
                f"Only {_MOST_FILES:,} files were searched for MEMORY: comments. "
                "Run `git init`, or `mind config capture.comments false`."
            )
        if is_source(path) and not _UNREADABLE.search(path) and _mentions(root / path):
            paths.append(path)
    return sorted(paths), ""


def _tracked(root: Path, listed: Iterable[str]) -> tuple[list[str], str]:
    real = os.path.realpath(root)
    inside: dict[str, bool] = {}
    paths = []
    odd = 0
    for path in sorted({path for path in listed if is_source(path)}):
        folder = str(PurePosixPath(path).parent)
        if folder not in inside:  # a folder may have been replaced by a link out of the tree
            place = os.path.normpath(os.path.join(real, folder))  # noqa: PTH118 - as realpath has it
            inside[folder] = os.path.realpath(place) == place
        readable = not _UNREADABLE.search(path)
        odd += not readable
        if inside[folder] and readable:
            paths.append(path)
    problem = (
        f"MEMORY: comments in {odd} files whose names are not text are not read. Rename the files."
    )
    return paths, problem if odd else ""


def is_source(path: str) -> bool:
    """Return True if ``path`` is the project's own: not vendored, built, generated or Mind's."""
    *folders, name = PurePosixPath(path).parts
    return _VENDORED.isdisjoint(folders) and not _GENERATED_NAME.search(name)


def is_generated(source: bytes) -> bool:
    """Return True if ``source`` is generated (says so in its header) or minified."""
    lines = source.count(b"\n") + 1
    minified = len(source) > _SMALL and len(source) / lines > _WIDE
    return minified or _GENERATED.search(source[:2_000]) is not None


def read(path: Path) -> bytes | None:
    """Return a source file's bytes, empty if binary or generated; None if it cannot be read."""
    try:
        source = files.read(path) if stamp(path) else None
    except FileError:
        return None
    if source is None:
        return None
    return b"" if b"\0" in source[:8_000] or is_generated(source) else source


def stamp(path: Path) -> str | None:
    """Return a stamp that changes with the file; None if it is not a readable file."""
    try:
        status = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
        return None
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"


def _walked(root: Path) -> Iterator[str]:
    for folder, names, contents in os.walk(root):
        place = Path(folder)
        names[:] = sorted(name for name in names if _is_own_folder(place, name))
        for name in sorted(contents):
            yield (place / name).relative_to(root).as_posix()


def _is_own_folder(place: Path, name: str) -> bool:
    return name not in _VENDORED | _BUILT and not os.path.lexists(place / name / ".git")


def _mentions(path: Path) -> bool:
    return _MARK in (read(path) or b"")
