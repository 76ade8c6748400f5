"""Every name in ``.mind`` as a link out of the repository, of every kind there is."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial

from tests.hostile_repositories.hostile import Build, Hostile, Named, nothing
from tests.hostile_repositories.site import Site, index_of_another, put, remove

Said = Callable[[Site], str | bytes]


def _memory(site: Site) -> str:
    return f"# notes\n\n## 2026-11-01\n- decided: {site.marker} sqlite secret - of the user\n"


def _reminders(site: Site) -> str:
    return f"# Reminders\n\n- [ ] {site.marker} call the bank | due: 2026-11-02\n"


def _archive(site: Site) -> str:
    return f"# Archive\n\n## 2026-11-01 - obsolete\n\n- decided: {site.marker} ^a1b2c3d5\n"


def _config(site: Site) -> str:
    return json.dumps({"scopes": {"allowed": [site.marker]}})


def _state(site: Site) -> str:
    return json.dumps(
        {"schema_version": 1, "last_activity": 1_700_000_000_000, "muted": [site.marker],
         "session_started": 1_700_000_000_000, "session_ids": [site.marker]}
    )  # fmt: skip


def _events(site: Site) -> str:
    moment = datetime.now(UTC).isoformat()
    row = {"at": moment, "event": "search", "query": site.marker, "ids": ["a1b2c3d1"]}
    return json.dumps(row) + "\n"


def _pending(site: Site) -> str:
    return json.dumps(
        [{"id": "c1c1c1c1", "kind": "learning", "message": f"the user likes {site.marker}",
          "phrase": "the user likes", "asked": datetime.now(UTC).isoformat()}]
    )  # fmt: skip


def _text(site: Site) -> str:
    return f"*\n# {site.marker}\n"


def _known(site: Site) -> str:
    return json.dumps({"format": 1, "root": str(site.repo), "note": site.marker})


FILES: Mapping[str, Said] = {
    "MEMORY.md": _memory,
    "SESSION.md": _memory,
    "SESSION.last.md": _memory,
    "REMINDERS.md": _reminders,
    "ARCHIVE.md": _archive,
    "config.json": _config,
    "state.json": _state,
    "events.jsonl": _events,
    "pending.json": _pending,
    ".gitignore": _text,
    ".gitattributes": _text,
    "cache/index.db": index_of_another,
    "cache/lock": _text,
    "cache/hooks.log": _text,
    "cache/hooks/known.json": _known,
    "cache/hooks/notes.jsonl": _text,
    "cache/hooks/touched": _text,
    "cache/hooks/session-s2.json": _known,
}
"""What each name would hold outside."""
FOLDERS = ("cache", "cache/hooks", "cache/reads")
TRACKED = ("MEMORY.md", "REMINDERS.md", "ARCHIVE.md", "config.json", ".gitignore", ".gitattributes")
"""What belongs into git; the rest is machine state."""
_SEVERAL = (
    "MEMORY.md",
    "SESSION.md",
    "SESSION.last.md",
    "state.json",
    "REMINDERS.md",
    "cache/index.db",
)


def _an_old_session(site: Site) -> None:
    """A session that ended long ago, so that the next one takes its notes over."""
    put(site.mind / "SESSION.md", "# Session\n\n- learned: always source the shed script\n")
    put(site.mind / "state.json", _state(site).replace(site.marker, "s0"))


def _begun(site: Site, name: str) -> None:
    if name not in ("SESSION.md", "state.json"):
        _an_old_session(site)


def _absolute(site: Site, name: str) -> None:
    """To a file that is there, and tracked by git as in a clone."""
    _begun(site, name)
    secret = site.secret(f"home/{name.replace('/', '_')}", FILES[name](site))
    site.link(f".mind/{name}", secret)
    site.commit()


def _missing(site: Site, name: str) -> None:
    """To a file that would be created, and not tracked, as in an archive that was unpacked."""
    _begun(site, name)
    site.link(f".mind/{name}", site.relative(f".mind/{name}", site.home / ".profile"))


def _relative(site: Site, name: str) -> None:
    _begun(site, name)
    site.secret("home/.profile", FILES[name](site))
    _missing(site, name)


def _chain(site: Site, name: str) -> None:
    """To a link in the repository, which leads to another, which leads out."""
    _begun(site, name)
    secret = site.secret("home/chained", FILES[name](site))
    site.link("docs/last", secret)
    site.link("docs/first", "last")
    site.link(f".mind/{name}", site.relative(f".mind/{name}", site.repo / "docs/first"))
    site.commit()


def _through_a_folder(site: Site, name: str) -> None:
    """To a file behind a folder of the repository that is a link."""
    _begun(site, name)
    site.secret("home/private/file", FILES[name](site))
    site.link("docs/private", site.home / "private")
    inside = site.repo / "docs/private/file"
    site.link(f".mind/{name}", site.relative(f".mind/{name}", inside))
    site.commit()


def _dangling_chain(site: Site, name: str) -> None:
    _begun(site, name)
    site.link("docs/next", site.home / "not-yet")
    site.link(f".mind/{name}", site.relative(f".mind/{name}", site.repo / "docs/next"))


def _to_a_folder(site: Site, name: str) -> None:
    """A file's name as a link to a folder."""
    _begun(site, name)
    site.link(f".mind/{name}", site.home / "docs")
    site.commit()


def _folder(site: Site, name: str) -> None:
    _begun(site, name)
    site.link(f".mind/{name}", site.home / "docs")
    site.commit()


def _missing_folder(site: Site, name: str) -> None:
    _begun(site, name)
    site.link(f".mind/{name}", site.relative(f".mind/{name}", site.home / "new-folder"))


def _moved_in(site: Site, name: str) -> None:
    """The same name as a link that stays in the repository; machine state is not tracked."""
    if name in TRACKED:
        site.moved(f".mind/{name}", f"kept/{name.lstrip('.')}")
        site.commit()
        return
    put(site.repo / ".git/info/exclude", ".local/\n.mind/SESSION*\n.mind/cache\n")
    if name in FOLDERS:
        (site.repo / f".local/{name}").mkdir(parents=True)
    site.moved(f".mind/{name}", f".local/{name}")


_FORMS: Mapping[str, Named] = {
    "relative, there": _relative,
    "chain of links": _chain,
    "behind a linked folder": _through_a_folder,
    "chain to nothing": _dangling_chain,
    "to a folder": _to_a_folder,
}


_UNTRACKED = ("relative, missing, untracked", "relative, there", "chain to nothing")
"""Machine state that git tracks is ignored, wherever it leads."""


def _one(name: str, form: str, build: Named) -> Hostile:
    # The lock is opened without following links, wherever one leads: nobody has one there.
    twin = partial(_moved_in, name=name)
    tracked = name in TRACKED
    return Hostile(
        name=f"links/{name} {form}",
        does=f".mind/{name} is a link out of the repository ({form})",
        build=partial(build, name=name),
        twin=twin if name not in ("cache/lock", "cache/index.db") else nothing,
        named=".mind/cache" if name.startswith("cache/") else f".mind/{name}",
        leads="outside" if tracked or form in _UNTRACKED else "",
        stay=(f".mind/{name}",) if tracked else (),
    )


def _whole(site: Site) -> None:
    """All of ``.mind`` is a folder of the user's, with a memory in it."""
    there = site.secret("other/.mind/MEMORY.md", _memory(site)).parent
    put(there / "REMINDERS.md", _reminders(site))
    put(there / "config.json", "{}\n")
    site.link(".mind", there)
    site.commit()


def _whole_relative(site: Site) -> None:
    _whole(site)
    site.link(".mind", site.relative(".mind", site.outside / "other/.mind"))


def _whole_docs(site: Site) -> None:
    site.link(".mind", site.home / "docs")
    site.commit()


def _whole_missing(site: Site) -> None:
    site.link(".mind", site.home / "new-memory")


def _whole_own(site: Site) -> None:
    """The user's own memory, which belongs to no project."""
    own = put(site.own / "memory/MEMORY.md", _memory(site)).parent
    site.guarded.append(own)
    site.link(".mind", own)


def _whole_inside(site: Site) -> None:
    site.moved(".mind", "docs/memory")
    site.commit()


def _loop(site: Site) -> None:
    site.link(".mind/MEMORY.md", "MEMORY.md")
    site.commit()


def _endless(site: Site) -> None:
    site.link(".mind/MEMORY.md", "/dev/zero")
    site.commit()


def _process(site: Site) -> None:
    site.link(".mind/MEMORY.md", "/proc/self/environ")
    site.commit()


def _pipe(site: Site, name: str) -> None:
    """A pipe that nobody writes into, as an archive can bring it: who opens it waits for ever."""
    _begun(site, name.removeprefix(".mind/"))
    path = site.repo / name
    remove(path)
    os.mkfifo(path)


_GIT_OWN = (".git/HEAD", ".git/refs", ".git/objects", ".git/hooks", ".git/packed-refs")


def _into_git(site: Site, name: str, to: str) -> None:
    """To a file of git's own, which it would read or run; git clones such a link."""
    put(site.repo / ".git/hooks/post-commit", "#!/bin/sh\nexit 0\n", mode=0o755)
    site.guarded.extend(site.repo / one for one in _GIT_OWN)
    _begun(site, name)
    if name == "CLAUDE.md":
        site.link(name, to)
    else:
        site.link(f".mind/{name}", f"../{'../' * name.count('/')}{to}")


_INTO_GIT = (
    ("MEMORY.md", ".git/config"), ("ARCHIVE.md", ".git/config"), ("REMINDERS.md", ".git/config"),
    ("SESSION.md", ".git/hooks/post-commit"), ("MEMORY.md", ".git/hooks/pre-commit"),
    ("SESSION.last.md", ".git/HEAD"), ("state.json", ".git/packed-refs"),
    ("CLAUDE.md", ".git/hooks/post-commit"), ("CLAUDE.md", ".git/config"), ("cache", ".git/hooks"),
    ("cache/hooks", ".git/hooks"), (".gitignore", ".git/hooks/post-merge"),
)  # fmt: skip
_PIPES = (".mind/MEMORY.md", ".mind/SESSION.md", ".mind/state.json", ".mind/config.json",
          ".mind/cache", "CLAUDE.md", "package.json", "src/more.py", ".mcp.json")  # fmt: skip
_WHOLE: Mapping[str, Build] = {
    "folder with a memory": _whole,
    "relative": _whole_relative,
    "folder of documents": _whole_docs,
    "missing folder": _whole_missing,
    "the user's own memory": _whole_own,
}


def _wholes() -> Iterator[Hostile]:
    for form, whole in _WHOLE.items():
        yield Hostile(
            name=f"links/.mind {form}",
            does=f".mind is a link out of the repository ({form})",
            build=whole,
            twin=_whole_inside,
            named=".mind",
            leads="" if "own" in form else "outside",
            stay=(".mind",),
        )


def _specials() -> Iterator[Hostile]:
    for name, to in _INTO_GIT:
        yield Hostile(
            name=f"links/{name} into {to}",
            does=f"{name} is a link to {to}",
            build=partial(_into_git, name=name, to=to),
            twin=partial(_moved_in, name=name) if name in TRACKED else nothing,
        )
    for name in _PIPES:
        yield Hostile(
            name=f"links/{name.removeprefix('.mind/')} pipe",
            does=f"{name} is a pipe that nobody writes into",
            build=partial(_pipe, name=name),
        )
    for form, whole in {"itself": _loop, "endless device": _endless, "process": _process}.items():
        yield Hostile(
            name=f"links/MEMORY.md to {form}",
            does=f".mind/MEMORY.md is a link to {form}",
            build=whole,
            twin=partial(_moved_in, name="MEMORY.md"),
            named=".mind/MEMORY.md",
            stay=(".mind/MEMORY.md",),
        )


def hostile() -> Iterator[Hostile]:
    """All of them."""
    for name in FILES:
        yield _one(name, "absolute, tracked", _absolute)
        yield _one(name, "relative, missing, untracked", _missing)
    for name in _SEVERAL:
        for form, build in _FORMS.items():
            yield _one(name, form, build)
    for name in FOLDERS:
        yield _one(name, "absolute folder, tracked", _folder)
        yield _one(name, "relative, missing folder", _missing_folder)
    yield from _wholes()
    yield from _specials()
