"""Settings of the repository that name places outside, or that are made to break their reader."""

import json
from collections.abc import Iterator
from functools import partial

from tests.hostile_repositories.calls import Call, mind
from tests.hostile_repositories.hostile import Hostile
from tests.hostile_repositories.site import Site, put

_WORKS = ("mind log -t decision", "mind search sqlite secret")
_DEEP = 100_000


def _targets(site: Site, *names: str) -> None:
    put(site.mind / "config.json", json.dumps({"context": {"targets": list(names)}}))
    site.commit()


def _outside(site: Site, name: str) -> None:
    """Name a target outside; what it may lead to is there."""
    site.secret("home/x.md", f"# {site.marker}\n")
    for there in (site.repo.parent / "x.md", site.base / "x.md"):
        site.guarded.append(put(there, f"# {site.marker}\n"))
    (site.repo / "a").mkdir()
    _targets(site, "CLAUDE.md", name.format(repo=site.repo, home=site.home, base=site.base))


def _untouched(site: Site, name: str) -> None:
    """Name a target in a place that is not for text; it may not change."""
    path = site.repo / name
    if not path.exists():
        put(path, "#!/bin/sh\nexit 0\n", mode=0o755)
    site.guarded.append(path)
    _targets(site, "CLAUDE.md", name)


def _inside(site: Site, name: str = "docs/agents.md") -> None:
    _targets(site, "CLAUDE.md", name)


_OUTSIDE = {
    "parent": "../x.md",
    "absolute": "{home}/x.md",
    "absolute, missing": "{home}/new.md",
    "absolute through the project": "{repo}/../x.md",
    "home": "~/x.md",
    "home, elsewhere": "~/new.md",
    "far parent": "../../x.md",
    "through a folder": "a/../../x.md",
    "through nothing": "nothing/../../x.md",
    "deep": "a/b/../../../../outside/home/x.md",
    "backslashes": "..\\x.md",
    "NUL": "x\0.md",
    "line break": "../x.md\n",
    "surrogate": "x\ud800.md",
    "too long": "x" * 5_000,
    "device": "/dev/stdout",
    "empty": "",
    "folder itself": ".",
    "parent itself": "..",
    "root": "/",
    "variable": "$HOME/x.md",
    "drive": "C:\\x.md",
}
_TWINS = {
    "through a folder": "src/../AGENTS.md",
    "deep": "a/b/c/agents.md",
    "home": "home/x.md",
    "line break": "two words.md",
    "surrogate": "äöü.md",
}
_INTERNAL = (".git/hooks/post-commit", ".git/hooks/post-merge", ".git/HEAD", "src/../.git/HEAD")


def _setting(site: Site, text: str) -> None:
    said = text.replace("HOME", str(site.home)).replace("MARKER", site.marker)
    site.secret("home/zone", f"TZif2{site.marker}")
    site.secret(
        "home/model/manifest.json",
        json.dumps({"name": site.marker, "dimension": 4, "files": {}, "sequence_length": 8}),
    )
    put(site.mind / "config.json", said)
    site.commit()


_SETTINGS = {
    "zone absolute": ('{"time": {"zone": "HOME/zone"}}', '{"time": {"zone": "Europe/Madrid"}}'),
    "zone parent": ('{"time": {"zone": "../../../../HOME/zone"}}', '{"time": {"zone": "UTC"}}'),
    "model": ('{"embedding": {"model": "../../HOME/model"}}', '{"embedding": {"model": ""}}'),
    "model absolute": ('{"embedding": {"model": "HOME/model"}}', '{"embedding": {"model": ""}}'),
    "mirror": (
        '{"mirror": {"dsn": "postgresql://user:pw@127.0.0.1:9/x"}}',
        '{"mirror": {"team": "default"}}',
    ),
    "mirror TLS": ('{"mirror": {"tls": "disable"}}', '{"mirror": {"search": false}}'),
    "mirror search": ('{"mirror": {"search": true, "project": "x"}}', "{}"),
    "links": (
        '{"links": {"allowed": ["HOME/x -> HOME/x"]}, "context": {"targets": ["HOME/x"]}}',
        '{"context": {"targets": ["CLAUDE.md"]}}',
    ),
    "languages": (
        '{"parser": {"languages": ["../../HOME/x"]}}',
        '{"parser": {"languages": ["en"]}}',
    ),
    "deep nesting": ("[" * _DEEP, "{}"),
    "deep objects": ('{"a":' * _DEEP, "{}"),
    "large number": ('{"session": {"gap_minutes": ' + "9" * 5_000 + "}}", "{}"),
    "not UTF-8": ('{"context": {"targets": ["\udcff"]}}', "{}"),
    "a list": ("[1, 2]", "{}"),
}
"""Each setting, and a benign one of its kind."""


def _twin_setting(site: Site, text: str) -> None:
    put(site.mind / "config.json", text)
    site.commit()


def _broken(site: Site, name: str, text: str) -> None:
    put(site.repo / name, text.encode("utf-8", "surrogateescape"))
    site.commit()


_DAMAGED = {
    ".mcp.json deep nesting": (".mcp.json", "[" * _DEEP),
    ".claude/settings.json deep nesting": (".claude/settings.json", '{"hooks":' * _DEEP),
    ".vscode/mcp.json deep comments": (".vscode/mcp.json", "/*" * _DEEP),
    ".codex/config.toml deep nesting": (".codex/config.toml", "a = " + "[" * _DEEP),
    "package.json deep nesting": ("package.json", '{"dependencies":' * _DEEP),
    "MEMORY.md not UTF-8": (".mind/MEMORY.md", "- decided: \udcff\udcfe over \udcfd\n"),
    "MEMORY.md deep lists": (
        ".mind/MEMORY.md", "".join(f"{'  ' * depth}- learned: {depth}\n" for depth in range(300)),
    ),
}  # fmt: skip


def _clients(_site: Site) -> list[Call]:
    return [mind("init", "--hooks"), mind("init", "--client", "vscode"), mind("uninstall", "--yes")]


def hostile() -> Iterator[Hostile]:
    """All of them."""
    for what, name in _OUTSIDE.items():
        named = what in ("parent", "absolute", "far parent", "through a folder", "deep")
        yield Hostile(
            name=f"configured/target {what}",
            does=f"context.targets names {name!r}"[:100],
            build=partial(_outside, name=name),
            twin=partial(_inside, name=_TWINS.get(what, "docs/agents.md")),
            named="x.md" if named else "",
            works=_WORKS,
        )
    for name in _INTERNAL:
        yield Hostile(
            name=f"configured/target {name}",
            does=f"context.targets names {name}, which git reads or runs",
            build=partial(_untouched, name=name),
            twin=partial(_inside, name="docs/agents.md"),
            works=_WORKS,
            calls=lambda _site: [mind("doctor", "--fix"), mind("sync"), mind("recall")],
        )
    for what, (text, benign) in _SETTINGS.items():
        yield Hostile(
            name=f"configured/{what}",
            does=f"config.json holds {text[:60]}",
            build=partial(_broken, name=".mind/config.json", text=text)
            if what == "not UTF-8"
            else partial(_setting, text=text),
            twin=partial(_twin_setting, text=benign),
            works=_WORKS,
        )
    for what, (name, text) in _DAMAGED.items():
        yield Hostile(
            name=f"configured/{what}",
            does=f"{name} is made to break its reader",
            build=partial(_broken, name=name, text=text),
            works=("mind log -t decision",),
            calls=_clients,
        )
