"""What of the user's could get into an answer: files behind links, cited paths, git's pointers."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from tests.hostile_repositories.calls import Call, hook, mind, served
from tests.hostile_repositories.hostile import Build, Hostile, calling
from tests.hostile_repositories.site import Site, git, put, remove
from tests.hostile_repositories.template import DECISION

_WORKS = ("mind log -t decision", "mind search sqlite secret")


def _comment(site: Site) -> str:
    return f"# MEMORY: decided: {site.marker} sqlite secret - of the user\nx = 1\n"


def _record(site: Site) -> str:
    return f"# 7. {site.marker} queue\n\n## Status\n\nAccepted\n\n## Decision\n\n{site.marker}.\n"


def _bank(site: Site) -> str:
    return f"# Decision log\n\n- {site.marker} is where we keep the keys\n"


def _linked(site: Site, name: str, text: Callable[[Site], str], *, relative: bool = False) -> None:
    """A file of the repository is a link to one outside."""
    secret = site.secret("home/private/linked", text(site))
    site.link(name, site.relative(name, secret) if relative else secret)
    site.commit()


def _linked_folder(site: Site, name: str, file: str, text: Callable[[Site], str]) -> None:
    site.secret(f"home/private/{file}", text(site))
    site.link(name, site.home / "private")
    site.commit()


def _swapped(site: Site) -> None:
    """A folder that git knows as a folder is a link by now."""
    site.secret("home/private/app.py", _comment(site))
    remove(site.repo / "src")
    site.link("src", site.home / "private")


def _swapped_file(site: Site) -> None:
    secret = site.secret("home/private/app.py", _comment(site))
    site.link("src/app.py", secret)


def _moved_file(site: Site, name: str, to: str) -> None:
    site.moved(name, to)
    site.commit()


_LINKED: dict[str, tuple[str, Callable[[Site], str], str]] = {
    "source": ("src/more.py", _comment, "src/app.py"),
    "record": ("docs/adr/0007-queue.md", _record, "docs/adr/0001-queue.md"),
    "memory bank": ("memory-bank/progress.md", _bank, "memory-bank/decisionLog.md"),
    "note": ("notes/tea.md", _bank, "notes/tea.md"),
    "manifest": ("package.json", lambda site: f'{{"dependencies": {{"{site.marker}": "1"}}}}',
                 "package.json"),
    "lock file": ("requirements.txt", lambda site: f"{site.marker}==1.0\n", "package.json"),
    "changelog": ("CHANGELOG.md", lambda site: f"# Changes\n\n- {site.marker}\n", "README.md"),
    "readme": ("README.md", _bank, "README.md"),
    "export": ("export.jsonl", lambda site: f'{{"record": "{site.marker}"}}\n', "export.jsonl"),
    "ignored names": (".gitignore", lambda site: f"{site.marker}\n", "README.md"),
    "mailmap": (".mailmap", lambda site: f"{site.marker} <stranger@example.org>\n", "README.md"),
    "attributes": (".gitattributes", lambda site: f"* {site.marker}\n", "README.md"),
}  # fmt: skip
_FOLDERS: dict[str, tuple[str, str, Callable[[Site], str], str]] = {
    "source folder": ("lib", "more.py", _comment, "src"),
    "records": ("docs/adr", "0007-queue.md", _record, "docs/adr"),
    "records elsewhere": ("doc/decisions", "0007-queue.md", _record, "docs/adr"),
    "documents": ("docs", "adr/0007-queue.md", _record, "docs"),
    "memory bank folder": ("memory-bank", "decisionLog.md", _bank, "memory-bank"),
    "hidden memory bank": (".memory-bank", "decisionLog.md", _bank, "memory-bank"),
    "notes folder": ("notes", "tea.md", _bank, "notes"),
}


def _cited(site: Site, *paths: str) -> None:
    """Entries that cite files outside, with names that are defined there."""
    secret = site.secret("secret.py", f"def secret_function():\n    return '{site.marker}'\n")
    rows = []
    for number, path in enumerate(paths):
        named = path.format(secret=secret, home=site.home)
        rows.append(f"- decided: use `secret_function()` of `{named}` ^f1f1f1f{number}")
        rows.append(f"- todo: run `cat {named}` and look at [it]({named}) ^f2f2f2f{number}")
    with (site.mind / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.write("\n## Cited\n\n" + "\n".join(rows) + "\n")
    site.commit()


_CITED = (
    "../../outside/secret.py",
    "{secret}",
    "~/.bashrc",
    "file://{secret}",
    "src/../../../outside/secret.py",
)


def _cited_inside(site: Site) -> None:
    with (site.mind / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.write("\n- decided: use `connect()` of `src/app.py` and `src/../README.md`\n")
    site.commit()


def _cited_uses(site: Site) -> list[Call]:
    return [
        mind("show", "f1f1f1f0", "f1f1f1f1", "f2f2f2f0"),
        mind("search", "secret function"),
        mind("verify"),
        mind("health"),
        served(
            [("mind_get", {"ids": ["f1f1f1f0"]}), ("mind_search", {"query": "secret_function"}),
             ("mind_health", {})],
            "tools on cited paths",
        ),
    ]  # fmt: skip


def _ways_out(site: Site) -> None:
    """Links that tools are asked to follow."""
    site.secret("secret.py", _comment(site))
    site.link("out.py", site.outside / "secret.py")
    site.link("out", site.outside)
    site.link("up", "..")
    site.commit()


def _asked_paths(site: Site) -> list[str]:
    return [
        "out.py", "out/secret.py", "up/../outside/secret.py", "../../outside/secret.py",
        str(site.outside / "secret.py"), "src/../../../outside/secret.py", "out/home/.bashrc",
        f"file://{site.outside}/secret.py", "./out/../out/secret.py", "/proc/self/environ", "up",
    ]  # fmt: skip


def _asked(site: Site) -> list[Call]:
    paths = _asked_paths(site)
    edit = {"tool_name": "Edit", "tool_response": {}}
    hooks = [
        hook(site, name, f"{name} {path}", **edit, tool_input={
            "file_path": str(site.repo / path), "old_string": "", "new_string": "redis()",
        })
        for path in paths[:3] for name in ("PreToolUse", "PostToolUse")
    ]  # fmt: skip
    return [
        served([("mind_read", {"path": one}) for one in paths], "mind_read of ways out"),
        served([("mind_read", {"path": one, "whole": True}) for one in paths], "mind_read whole"),
        served([("mind_file_history", {"path": one}) for one in paths], "mind_file_history out"),
        *(mind("history", one) for one in paths),
        *hooks,
        mind("sync"),
        mind("recall"),
    ]


def _ways_in(site: Site) -> None:
    site.link("in.py", "src/app.py")
    site.link("in", "src")
    site.commit()


def _another(site: Site) -> str:
    """A repository of the user's, with secrets in its commits."""
    there = site.outside / "other"
    there.mkdir()
    git(there, "init", "--quiet", "--template=", "--initial-branch=main")
    put(there / "src/app.py", _comment(site))
    put(there / ".mind/MEMORY.md", f"- decided: {site.marker} sqlite secret\n")
    git(there, "add", "--force", ".")
    git(there, "commit", "--quiet", "--message", f"Hide\n\nDecision: {site.marker} is the key")
    return str(there)


def _pointer(site: Site, text: str) -> None:
    """``.git`` is a file that names another repository."""
    there = _another(site)
    remove(site.repo / ".git")
    named = {"absolute": there, "relative": site.relative(".git", site.outside / "other")}[text]
    put(site.repo / ".git", f"gitdir: {named}/.git\n")


def _linked_git(site: Site) -> None:
    there = _another(site)
    site.link(".git", f"{there}/.git")


def _common(site: Site) -> None:
    """Refs and objects of another repository."""
    there = _another(site)
    put(site.repo / ".git/commondir", f"{there}/.git\n")


def _alternates(site: Site) -> None:
    """Objects of another repository, and a branch that names one of its commits."""
    there = _another(site)
    put(site.repo / ".git/objects/info/alternates", f"{there}/.git/objects\n")
    known = git(site.outside / "other", "rev-parse", "HEAD")
    put(site.repo / ".git/refs/heads/main", f"{known}\n")


def _linked_part(site: Site, name: str) -> None:
    """A part of ``.git`` is a link to that of another repository."""
    there = _another(site)
    site.link(f".git/{name}", f"{there}/.git/{name}")


def _worktree_elsewhere(site: Site, name: str) -> None:
    there = _another(site)
    site.git(
        "config", "core.worktree", {"absolute": there, "parent": "../../../outside/other"}[name]
    )


def _real_worktree(site: Site) -> None:
    """As ``git worktree add`` makes one."""
    main = site.repo.with_name("main")
    site.repo.rename(main)
    git(main, "worktree", "add", "--quiet", str(site.repo), "HEAD")


def _submodule(site: Site) -> None:
    """As ``git submodule add`` makes one: its git folder is in that of the repository around it."""
    origin, outer = site.base / "origin", site.repo.parent
    site.repo.rename(origin)
    git(outer, "init", "--quiet", "--template=", "--initial-branch=main")
    allowed = ("-c", "protocol.file.allow=always")
    git(outer, *allowed, "submodule", "--quiet", "add", str(origin), site.repo.name)
    git(outer, "commit", "--quiet", "--message", "Add a submodule")


def _ignored_revisions(site: Site, key: str) -> None:
    """Git complains of lines in a file outside, and says what they are."""
    site.git("config", key, str(site.secret("home/private/words.txt", f"{site.marker}\nrest\n")))


_FILE_KEYS = (
    "blame.ignoreRevsFile", "mailmap.file", "core.attributesFile", "core.excludesFile",
    "include.path", "diff.orderFile", "commit.template", "log.excludeDecoration",
    "gpg.ssh.allowedSignersFile",
)  # fmt: skip


def _own_file_key(site: Site, key: str) -> None:
    put(site.repo / "tools/words", "")
    site.git("config", key, str(site.repo / "tools/words"))


def _export(site: Site, name: str) -> None:
    """An export that would be written elsewhere when it is taken in."""
    text = (site.repo / "export.jsonl").read_text(encoding="utf-8")
    put(site.repo / "evil.jsonl", text.replace("MEMORY.md", name.format(home=site.home)))
    put(site.mind / "MEMORY.md", "")
    site.commit()


def _imports(_site: Site) -> list[Call]:
    return [mind("import", "evil.jsonl", "--dry-run"), mind("import", "evil.jsonl")]


def _git_uses(site: Site) -> list[Call]:
    return [
        mind("search", "sqlite", "--at", "HEAD"),
        mind("search", "sqlite", "--at", "main"),
        mind("diff", "HEAD"),
        mind("log-history", DECISION),
        mind("history", ".mind/MEMORY.md"),
        mind("scan", "--history"),
        hook(site, "Stop", "Stop again"),
    ]


def _endless(site: Site) -> None:
    site.link("src/zero.py", "/dev/zero")
    site.link("docs/adr/0002-zero.md", "/dev/zero")
    site.link("package.json", "/dev/zero")
    site.commit()


def _without_git(site: Site, build: Callable[[Site], None]) -> None:
    """The same without git, which does not follow links by itself."""
    build(site)
    remove(site.repo / ".git")


_LOOKING = (
    mind("import", "adr"),
    mind("import", "memory-bank"),
    mind("import", "--list"),
    mind("sync"),
    mind("recall", "--force"),
)


def _links() -> Iterator[Hostile]:
    for what, (name, text, ordinary) in _LINKED.items():
        build = partial(_linked, name=name, text=text)
        to = f"kept/{ordinary.rpartition('/')[2]}"
        one = Hostile(
            name=f"reading/{what}",
            does=f"{name} is a link to a file of the user's",
            build=build,
            twin=partial(_moved_file, name=ordinary, to=to),
            works=_WORKS,
            stay=(ordinary,),
            calls=calling(*_LOOKING, served([("mind_read", {"path": name})], f"mind_read {name}")),
        )
        yield one
        if what in ("source", "manifest"):
            yield replace(
                one, name=f"{one.name} without git", build=partial(_without_git, build=build)
            )
        if what in ("source", "record"):
            yield replace(one, name=f"{one.name} relative", build=partial(build, relative=True))
    for what, (name, file, text, ordinary) in _FOLDERS.items():
        build = partial(_linked_folder, name=name, file=file, text=text)
        one = Hostile(
            name=f"reading/{what}",
            does=f"{name} is a link to a folder of the user's",
            build=build,
            twin=partial(_moved_file, name=ordinary, to=f"kept/{ordinary.rpartition('/')[2]}"),
            works=_WORKS,
            stay=(ordinary,),
            calls=calling(
                *_LOOKING, served([("mind_read", {"path": f"{name}/{file}"})], f"mind_read {name}")
            ),
        )
        yield one
        if what == "source folder":
            yield replace(
                one, name=f"{one.name} without git", build=partial(_without_git, build=build)
            )
    for what, swap in {"a folder swapped": _swapped, "a file swapped": _swapped_file}.items():
        yield Hostile(
            name=f"reading/{what}",
            does="what git knows as ordinary is a link by now",
            build=swap,
            twin=partial(_moved_file, name="src", to="lib"),
            works=_WORKS,
            calls=calling(mind("sync"), mind("recall", "--force")),
        )


def _pointers() -> Iterator[Hostile]:
    builds: dict[str, tuple[Build, Build]] = {
        "gitdir absolute": (partial(_pointer, text="absolute"), _real_worktree),
        "gitdir relative": (partial(_pointer, text="relative"), _submodule),
        ".git as a link": (_linked_git, _real_worktree),
        "commondir": (_common, _real_worktree),
        "alternates": (_alternates, _real_worktree),
        "refs": (partial(_linked_part, name="refs"), _submodule),
        "objects": (partial(_linked_part, name="objects"), _submodule),
        "HEAD": (partial(_linked_part, name="HEAD"), _submodule),
        "core.worktree": (partial(_worktree_elsewhere, name="absolute"), _submodule),
        "core.worktree relative": (partial(_worktree_elsewhere, name="parent"), _submodule),
    }
    for what, (build, twin) in builds.items():
        yield Hostile(
            name=f"reading/{what}",
            does=f"git's folder leads to another repository of the user's ({what})",
            build=build,
            twin=twin,
            calls=_git_uses,
        )
    for key in _FILE_KEYS:
        yield Hostile(
            name=f"reading/{key}",
            does=f"git's {key} names a file of the user's",
            build=partial(_ignored_revisions, key=key),
            twin=partial(_own_file_key, key=key),
            calls=_git_uses,
        )


def hostile() -> Iterator[Hostile]:
    """All of them."""
    yield from _links()
    yield Hostile(
        name="reading/cited paths",
        does="entries cite files outside",
        build=lambda site: _cited(site, *_CITED),
        twin=_cited_inside,
        works=_WORKS,
        calls=_cited_uses,
    )
    yield Hostile(
        name="reading/asked paths",
        does="links that lead out, for tools that are asked to read them",
        build=_ways_out,
        twin=_ways_in,
        works=_WORKS,
        calls=_asked,
    )
    yield Hostile(
        name="reading/endless devices",
        does="a source, a record and a manifest are links to /dev/zero",
        build=_endless,
        works=_WORKS,
        calls=calling(*_LOOKING),
    )
    yield from _pointers()
    for name in ("../../../outside/home/x.md", "{home}/x.md", "../CLAUDE.md", "cache/../../x.md"):
        yield Hostile(
            name=f"reading/export {name}",
            does=f"an export holds a file called {name}",
            build=partial(_export, name=name),
            works=("mind log -t decision",),
            calls=_imports,
        )
