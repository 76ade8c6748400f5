"""What uninstalling, tidying and rebuilding could delete of the user's."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from tests.hostile_repositories.calls import Call, mind
from tests.hostile_repositories.hostile import Hostile
from tests.hostile_repositories.site import Site, index_of_another, put

_KEPT = "home/kept"


def _documents(site: Site) -> None:
    for name in ("letter.txt", "deep/thesis.md", "index.db", "lock", "hooks/known.json", "reads/a"):
        site.secret(f"{_KEPT}/{name}", f"{name} {site.marker}\n")
    site.secret(f"{_KEPT}/index.db", index_of_another(site))


def _cache(site: Site) -> None:
    _documents(site)
    site.link(".mind/cache", site.outside / _KEPT)
    site.commit()


def _cache_relative(site: Site) -> None:
    _documents(site)
    site.link(".mind/cache", site.relative(".mind/cache", site.outside / _KEPT))


def _in_cache(site: Site, name: str) -> None:
    """A folder in the cache that is a link."""
    _documents(site)
    site.link(f".mind/cache/{name}", site.outside / _KEPT)


def _file_in_cache(site: Site, name: str) -> None:
    _documents(site)
    site.link(f".mind/cache/{name}", site.outside / _KEPT / "letter.txt")


def _memory(site: Site) -> None:
    _documents(site)
    for name in ("MEMORY.md", "REMINDERS.md", "config.json", "cache/index.db", "thesis.txt"):
        text = "{}\n" if name == "config.json" else f"# {site.marker}\n"
        put(site.outside / _KEPT / name, text)
    site.link(".mind", site.outside / _KEPT)
    site.commit()


def _folder_in_memory(site: Site) -> None:
    _documents(site)
    site.link(".mind/old", site.outside / _KEPT)
    site.commit()


def _git_folder(site: Site) -> None:
    """Folders that are empty once a hook is taken back would be deleted, too."""
    _documents(site)
    block = "# >>> mind /.mind/ >>>\n(mind index &)\n# <<< mind /.mind/ <<<\n"
    for name in ("post-commit", "post-merge"):
        site.secret(f"home/only-hooks/{name}", f"#!/bin/sh\n{block}")
    site.link(".git/hooks", site.home / "only-hooks")


def _skill(site: Site) -> None:
    _documents(site)
    site.link(".claude/skills/mind", site.outside / _KEPT)
    site.commit()


def _removals(site: Site) -> list[Call]:
    del site
    return [
        mind("tidy"),
        mind("recall", "--force"),
        mind("index", "--rebuild"),
        mind("archive", "prune", "--older-than", "1", "--yes"),
        mind("skills", "remove"),
        mind("uninstall", "--yes"),
        mind("uninstall", "--purge", "--yes"),
    ]


def _inside(site: Site, name: str, to: str) -> None:
    """A link that stays in the repository, but leads to what the user works on."""
    put(site.repo / "src/new.py", "# not committed yet\n")
    put(site.repo / ".git/hooks/pre-push", "#!/bin/sh\nexit 0\n", mode=0o755)
    site.guarded.extend(site.repo / ".git" / one for one in ("HEAD", "refs", "objects", "hooks"))
    works = (one for folder in ("src", "docs", "notes") for one in (site.repo / folder).rglob("*"))
    site.guarded.extend(one for one in works if one.is_file())
    site.link(name, to)


_INSIDE = {
    "cache to the sources": (".mind/cache", "../src"),
    "cache to git's folder": (".mind/cache", "../.git"),
    "cache to git's objects": (".mind/cache", "../.git/objects"),
    "cache to the root": (".mind/cache", ".."),
    "cache to itself": (".mind/cache", "."),
    "cache to the memory": (".mind/cache", "../.mind"),
    "folder in the cache to the sources": (".mind/cache/hooks", "../../src"),
    "reads to the sources": (".mind/cache/reads", "../../src"),
    "skill to the sources": (".claude/skills/mind", "../../src"),
}
_BY_HAND = ("notes by hand.txt", "hooks/mine.sh", "my/own/folder.md")


def _made_by_hand(site: Site) -> None:
    """Files in the cache that Mind did not make, and that are no links."""
    for name in _BY_HAND:
        path = put(site.mind / "cache" / name, f"by hand {name}\n")
        site.guarded.append(path)


def _ordinary(site: Site) -> None:
    """A cache on another disk, as a link that stays in the repository."""
    (site.repo / ".local/cache").mkdir(parents=True)
    put(site.repo / ".git/info/exclude", ".local/\n.mind/cache\n")
    site.link(".mind/cache", "../.local/cache")


_FORMS: Mapping[str, Callable[[Site], None]] = {
    "cache absolute": _cache,
    "cache relative": _cache_relative,
    "cache/hooks": partial(_in_cache, name="hooks"),
    "cache/reads": partial(_in_cache, name="reads"),
    "cache/docs": partial(_in_cache, name="docs"),
    "cache/index.db": partial(_file_in_cache, name="index.db"),
    "cache/index.db-wal": partial(_file_in_cache, name="index.db-wal"),
    "cache/lock": partial(_file_in_cache, name="lock"),
    "cache/hooks/old.tmp": partial(_file_in_cache, name="hooks/.known.json.1-deadbeef.tmp"),
    ".mind": _memory,
    ".mind/old": _folder_in_memory,
    ".git/hooks": _git_folder,
    ".claude/skills/mind": _skill,
}


def hostile() -> Iterator[Hostile]:
    """All of them."""
    for name, build in _FORMS.items():
        yield Hostile(
            name=f"deletion/{name}",
            does=f"{name} leads to documents that `mind uninstall` would delete",
            build=build,
            twin=_ordinary if name.startswith("cache") else lambda _site: None,
            calls=_removals,
        )
    for what, (name, to) in _INSIDE.items():
        yield Hostile(
            name=f"deletion/{what}",
            does=f"{name} leads to {to}, whose files `mind uninstall` would delete",
            build=partial(_inside, name=name, to=to),
            twin=_ordinary,
            calls=_removals,
        )
    yield Hostile(
        name="deletion/cache by hand",
        does="the cache holds files that Mind did not make",
        build=_made_by_hand,
        calls=_removals,
    )
