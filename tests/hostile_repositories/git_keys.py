"""Git's own configuration, attributes and hooks, which run programs of the repository."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from tests.hostile_repositories.calls import Call, hook, mind
from tests.hostile_repositories.hostile import Hostile, nothing
from tests.hostile_repositories.site import Site, git, put
from tests.hostile_repositories.template import DECISION

_WORKS = ("mind log -t decision", "mind search sqlite secret")
_HOOKS = (
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "post-commit",
    "post-checkout", "post-merge", "pre-push", "pre-rebase", "post-rewrite", "pre-auto-gc",
    "post-index-change", "reference-transaction", "fsmonitor-watchman", "prepare-commit-msg",
    "commit-msg", "pre-merge-commit", "update", "pre-receive", "post-receive", "proc-receive",
)  # fmt: skip
_KEYS = (
    "core.fsmonitor", "core.pager", "pager.log", "pager.blame", "pager.diff", "pager.grep",
    "pager.show", "core.editor", "sequence.editor", "core.askPass", "core.sshCommand",
    "core.gitProxy", "core.alternateRefsCommand", "credential.helper", "diff.external",
    "gpg.program", "gpg.ssh.program", "gpg.x509.program", "gpg.openpgp.program",
    "interactive.diffFilter", "uploadpack.packObjectsHook", "gc.recentObjectsHook",
    "receive.procReceiveRefs", "trailer.see.command", "trailer.see.cmd", "merge.tool",
    "mergetool.evil.cmd", "difftool.evil.cmd", "diff.tool", "man.viewer", "web.browser",
    "sendemail.smtpServer", "instaweb.httpd", "submodule.x.update", "core.fsyncMethod",
    "remote.origin.uploadpack", "remote.origin.receivepack", "remote.origin.vcs",
)  # fmt: skip
"""Keys whose value is, or may be, a command."""
_ALIASES = (
    "log", "diff", "show", "status", "blame", "grep", "rev-parse", "ls-files", "cat-file", "config",
    "check-attr", "check-ignore", "rev-list", "for-each-ref", "ls-tree", "hash-object", "version",
)  # fmt: skip


def _changed(site: Site) -> None:
    """Files that git compares with what it has, with new times and new bytes."""
    with (site.repo / "src/app.py").open("a", encoding="utf-8") as file:
        file.write("# MEMORY: learned: more\n")
    with (site.mind / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.write("- learned: the tracked memory was changed\n")


def _evil(site: Site, trace: str) -> str:
    return str(site.script(f"tools/{trace}", trace))


def _all_keys(site: Site) -> None:
    program = _evil(site, "key")
    for key in _KEYS:
        site.git("config", key, f"!{program}" if key.endswith(".update") else program)
    site.git("config", "log.showSignature", "true")
    _changed(site)


def _key(site: Site, key: str) -> None:
    site.git("config", key, _evil(site, "key"))
    _changed(site)


def _aliases(site: Site) -> None:
    for name in _ALIASES:
        site.git("config", f"alias.{name}", f"!{_evil(site, 'alias')}")


def _attributes(site: Site, lines: str, keys: Mapping[str, str], *, tracked: bool = True) -> None:
    program = _evil(site, "driver")
    for key, value in keys.items():
        site.git("config", key, value.format(program=program))
    put(site.repo / (".gitattributes" if tracked else ".git/info/attributes"), lines)
    _changed(site)


_DRIVERS: dict[str, tuple[str, Mapping[str, str]]] = {
    "filter clean": ("* filter=x\n", {"filter.x.clean": "{program} %f"}),
    "filter smudge": (
        "* filter=x\n", {"filter.x.smudge": "{program}", "filter.x.required": "true"},
    ),
    "filter process": ("* filter=x\n", {"filter.x.process": "{program}"}),
    "filter by another name": (
        "*.md filter=lfs\n* filter=y.z=1\n",
        {"filter.lfs.process": "{program}", "filter.lfs.clean": "{program}",
         "filter.y.z=1.clean": "{program}"},
    ),
    "filter like Mind's": ("* filter=mind\n", {"filter.mind.process": "{program}"}),
    "diff textconv": (
        "* diff=x\n", {"diff.x.textconv": "{program}", "diff.x.cachetextconv": "true"},
    ),
    "diff command": ("* diff=x\n", {"diff.x.command": "{program}"}),
    "diff external": ("* diff\n", {"diff.external": "{program}"}),
    "merge driver": ("* merge=x\n", {"merge.x.driver": "{program} %O %A %B"}),
    "merge driver mind": ("* merge=mind\n", {"merge.mind.driver": "{program} %O %A %B"}),
    "macro": ("[attr]evil filter=x diff=x\n* evil\n", {"filter.x.clean": "{program}"}),
    "encoding": ("* working-tree-encoding=UTF-16 filter=x\n", {"filter.x.clean": "{program}"}),
}  # fmt: skip


def _own_filter(site: Site) -> None:
    """A filter as git LFS has one, whose program is the user's and does nothing here."""
    site.git("config", "filter.lfs.clean", "cat")
    put(site.repo / ".gitattributes", "*.bin filter=lfs\n")
    site.commit()


def _hooks(site: Site, folder: str = ".git/hooks") -> None:
    for name in _HOOKS:
        site.script(f"{folder}/{name}", f"hook-{name}")
    _changed(site)


def _hooks_path(site: Site) -> None:
    _hooks(site, "tools/hooks")
    site.git("config", "core.hooksPath", "tools/hooks")


def _harmless_hooks(site: Site) -> None:
    put(site.repo / ".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n", mode=0o755)


def _included(site: Site, path: str) -> None:
    """A file of the repository, tracked, that the configuration includes."""
    program = _evil(site, "included")
    text = f"[core]\n\tfsmonitor = {program}\n\tpager = {program}\n[diff]\n\texternal = {program}\n"
    text += f'[filter "x"]\n\tclean = {program}\n\tprocess = {program}\n'
    put(site.repo / "tools/config", text)
    put(site.repo / ".gitattributes", "* filter=x\n")
    key = "includeIf.gitdir:**.path" if path == "conditional" else "include.path"
    site.git("config", key, "../tools/config")
    _changed(site)


def _own_include(site: Site) -> None:
    put(site.repo / "tools/config", "[core]\n\tabbrev = 12\n")
    site.git("config", "include.path", "../tools/config")


def _worktree_config(site: Site) -> None:
    program = _evil(site, "worktree-config")
    site.git("config", "extensions.worktreeConfig", "true")
    put(
        site.repo / ".git/config.worktree",
        f"[core]\n\tfsmonitor = {program}\n\tpager = {program}\n",
    )
    _changed(site)


def _signed(site: Site) -> None:
    """A commit with a signature, which git shows if it is told to: by a program it is told of."""
    tree, parent = site.git("rev-parse", "HEAD^{tree}"), site.git("rev-parse", "HEAD")
    who = "S <s@example.org> 1793527200 +0000"
    signature = "-----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----"
    text = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\ngpgsig {signature}\n\n"
    made = site.git("hash-object", "-t", "commit", "-w", "--stdin", feed=f"{text}Signed\n")
    site.git("update-ref", "HEAD", made)
    site.git("config", "log.showSignature", "true")
    site.git("config", "gpg.program", _evil(site, "gpg"))


def _lazy(site: Site, keys: Mapping[str, str]) -> None:
    """A partial clone: git would fetch the object that is missing, by a command."""
    put(site.repo / "src/app.py", "# MEMORY: learned: changed\n")
    site.commit("src/app.py")
    blob = site.git("rev-parse", "HEAD~1:src/app.py")
    (site.repo / ".git/objects" / blob[:2] / blob[2:]).unlink()
    tree = site.git("rev-parse", "HEAD~1^{tree}")
    (site.repo / ".git/objects" / tree[:2] / tree[2:]).unlink()
    program = _evil(site, "fetch")
    site.git("config", "core.repositoryFormatVersion", "1")
    site.git("config", "extensions.partialClone", "origin")
    site.git("config", "remote.origin.promisor", "true")
    site.git("config", "protocol.allow", "always")
    for key, value in keys.items():
        site.git("config", key, value.format(program=program, repo=site.repo))


_FETCHES = {
    "ssh": {"remote.origin.url": "ssh://host/x", "core.sshCommand": "{program}"},
    "upload-pack": {"remote.origin.url": "{repo}", "remote.origin.uploadpack": "{program}"},
    "ext": {"remote.origin.url": "ext::{program}", "protocol.ext.allow": "always"},
}


def _bare(site: Site) -> None:
    """A folder that looks like a repository: git takes it for one, and a clone brings it along."""
    inner = site.repo / "packages/app"
    inner.mkdir(parents=True)
    git(inner, "init", "--quiet", "--template=", "--bare", ".")
    program = site.script("packages/app/fsmonitor", "bare")
    git(inner, "config", "core.bare", "false")
    git(inner, "config", "core.worktree", "..")
    for key in ("core.fsmonitor", "diff.external", "core.pager", "gpg.program"):
        git(inner, "config", key, str(program))
    put(inner / "refs/.keep", "")
    put(inner / "objects/.keep", "")
    for name in ("MEMORY.md", "REMINDERS.md", "config.json", ".gitignore"):
        put(inner / ".mind" / name, (site.mind / name).read_bytes())
    put(inner / "src/app.py", "# MEMORY: learned: inner\n")
    site.commit()


def _inner_project(site: Site) -> None:
    inner = site.repo / "packages/app"
    for name in ("MEMORY.md", "REMINDERS.md", "config.json", ".gitignore"):
        put(inner / ".mind" / name, (site.mind / name).read_bytes())
    put(inner / "src/app.py", "# MEMORY: learned: inner\n")
    site.commit()


def _in_bare(site: Site) -> list[Call]:
    inside = "packages/app"
    return [
        *(mind(*words, inside=inside) for words in (
            ("recall",), ("status",), ("history", "src/app.py"), ("blame", DECISION), ("diff",),
            ("search", "sqlite", "--at", "HEAD"), ("doctor",), ("init",), ("uninstall", "--yes"),
        )),
        hook(site, "SessionStart", "SessionStart inside", source="startup",
             cwd=str(site.repo / inside)),
        hook(site, "Stop", "Stop inside", cwd=str(site.repo / inside)),
    ]  # fmt: skip


def _noisy(site: Site) -> None:
    """Settings that change what git prints."""
    for key, value in {
        "color.ui": "always", "format.pretty": "evil %H", "log.date": "raw",
        "log.showRoot": "false", "log.decorate": "full", "diff.noprefix": "true",
        "diff.renames": "false", "diff.orderFile": "nothing", "core.quotePath": "true",
        "i18n.logOutputEncoding": "UTF-16", "core.abbrev": "4", "log.follow": "true",
        "core.precomposeUnicode": "true", "grep.patternType": "perl", "grep.lineNumber": "true",
        "blame.showEmail": "true", "blame.coloring": "highlightRecent", "status.short": "true",
        "core.commentChar": "-", "core.ignoreCase": "true", "push.default": "x",
    }.items():  # fmt: skip
        site.git("config", key, value)


def _uses(site: Site) -> list[Call]:
    return [
        mind("init", "--git-hooks"),
        mind("sync"),
        mind("diff", "HEAD~1"),
        mind("doctor", "--fix"),
        hook(site, "Stop", "Stop again"),
        mind("uninstall", "--yes"),
    ]


def _one(name: str, build: Callable[[Site], None], twin: Callable[[Site], None]) -> Hostile:
    return Hostile(
        name=f"git/{name}",
        does=f"git's configuration runs a program of the repository ({name})",
        build=build,
        twin=twin,
        works=_WORKS,
        calls=_uses,
    )


def hostile() -> Iterator[Hostile]:
    """All of them."""
    yield _one("every key", _all_keys, _own_include)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "credential.helper"):
        yield _one(key, partial(_key, key=key), _own_include)
    yield _one("aliases", _aliases, nothing)
    for name, (lines, keys) in _DRIVERS.items():
        yield _one(name, partial(_attributes, lines=lines, keys=keys), _own_filter)
    lines, keys = _DRIVERS["filter process"]
    hidden = partial(_attributes, lines=lines, keys=keys, tracked=False)
    yield _one("filter in info/attributes", hidden, _own_filter)
    yield _one("hooks", _hooks, _harmless_hooks)
    yield _one("core.hooksPath", _hooks_path, _harmless_hooks)
    yield _one("include.path", partial(_included, path="plain"), _own_include)
    yield _one("includeIf", partial(_included, path="conditional"), _own_include)
    yield _one("config.worktree", _worktree_config, _own_include)
    yield _one("gpg.program and a signed commit", _signed, nothing)
    for name, fetch in _FETCHES.items():
        yield _one(f"partial clone by {name}", partial(_lazy, keys=fetch), nothing)
    yield Hostile(
        name="git/folder like a bare repository",
        does="a tracked folder is a repository of its own to git, and has a memory",
        build=_bare,
        twin=_inner_project,
        calls=_in_bare,
    )
    yield _one("output", _noisy, _own_include)
