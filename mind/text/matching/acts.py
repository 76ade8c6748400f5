"""Acts before words: what a command, an edit or a sentence does.

Hooks import this module, so it imports little.
"""

import re
from itertools import pairwise

from mind.text.matching import programs
from mind.text.matching.stemmed import fold, stems

TYPE_CHECKING = False  # typing takes milliseconds, and hooks wait for them
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST = 40_000
"""Characters that are taken apart."""
PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".org")
_MANIFESTS = frozenset(
    """package.json pyproject.toml pipfile setup.py setup.cfg cargo.toml go.mod gemfile
    composer.json pom.xml build.gradle build.gradle.kts settings.gradle libs.versions.toml
    pubspec.yaml mix.exs rebar.config podfile package.swift cartfile build.sbt deps.edn project.clj
    shard.yml environment.yml environment.yaml conda.yml dub.json dune-project stack.yaml
    package.yaml vcpkg.json conanfile.txt conanfile.py bower.json deno.json import_map.json
    brewfile packages.config directory.packages.props paket.dependencies elm.json gleam.toml
    project.toml description cpanfile platformio.ini requirements.in chart.yaml
    shard.lock rockspec buf.yaml module.bazel workspace dependencies.gradle""".split()
)
_MANIFEST_ENDINGS = (
    ".csproj", ".fsproj", ".vbproj", ".gemspec", ".podspec", ".cabal", ".opam", ".nimble",
    ".rockspec",
)  # fmt: skip
_DECLARING = frozenset(
    """version versions pod gem dependency dependencies implementation api testimplementation
    compileonly runtimeonly annotationprocessor kapt ksp groupid artifactid scope package
    packagereference include from url name path git branch tag rev exact uptonextmajor https http
    github com org www features optional require required source platform type target true false
    dev-dependencies devdependencies dev test tests runtime build default hex mix apply plugin
    plugins classpath id alias add use sha sha256 hash registry workspace import product products
    net io main master only in group rails_env extras workspace:* latest next the is for with and
    maven central google module label update privateassets all""".split()
)
"""Words of manifests that name no package."""
_COMMENT = (
    r"(?m)^[ \t]*(?:#(?![!{\[a-z]*\()|//|/?\*(?![=\w])|--[ \t]|<!--|;;|%|\"\"\"|''').*|"
    r"(?<=[\s;,{}()])(?://|#)[ \t].*|/\*.*?\*/|<!--.*?-->"
)
_ABSENCE = (
    r"\.not\.|\brefute\b|not_to\b|to_not\b|\bassert\w*\W+(?:not|\w*\bnot in)\b|"
    r"assert(?:Not|_not|False|Null|_false|_nil|DoesNot)|NotContain|notContain|should_not|"
    r"shouldNot|\bnot in\b|no-restricted|absent|forbid"
)
"""A line of a test that asserts that something is not there."""
_IMPORT = (
    r"(?m)^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+([\w ,]+)|"
    r"import[ \t]+(?:static[ \t]+)?([\w.,/ ]+)|(?:pub[ \t]+)?use[ \t]+([\w:\\]+)|"
    r"using[ \t]+(?:static[ \t]+)?([\w.]+)|#[ \t]*include[ \t]*[<\"]([\w./+-]+)|"
    r"(?:extern[ \t]+crate|require|require_relative|alias|@import|library)[ \t(]+"
    r"['\"]?([\w./:-]+))|"
    r"(?:\bfrom|\bimport|require|import|resolve)[ \t]*\(?[ \t]*['\"]([^'\"\n]+)['\"]"
)
_QUOTED = (
    r"(?m)['\"]([@A-Za-z][\w@./:+\[\]-]*)|^[ \t]*(?:-[ \t]+)?([@A-Za-z][\w./-]*)|"
    r">([A-Za-z][\w.-]+)<|:([a-z]\w+)\b|\b([\w-]+/[\w./-]+)"
)
_NAME = r"[A-Za-z_@<][\w$.-]*[\w>]|\*|\d\w+"
_SQUASHED = r"[^a-z0-9+#]+"
_VERSION = r"(?:\[[^\]]*\])?(?:(?:[=<>~!^]=?|@|:)[~^<>=v]*[\d*][^\s]*|@(?:latest|next|beta|\w+))?$"


class Act:
    """What is about to happen.

    Attributes:
        channel: "prose", "code", "command", or "install" for what brings packages in.
        said: What it newly says.
        packages: Packages that it brings in, without punctuation; ``~`` before a part of a name.
        names: Whole names that it newly says, in lower case.
        stems: Of all words that it newly says.
        left: Those of what it leaves, or of the file's path.
        prefixes: Stems by their first letters.
    """

    __slots__ = ("channel", "left", "names", "packages", "prefixes", "said", "stems")

    def __init__(self, channel: str, said: str = "") -> None:
        self.channel = channel
        self.said = said
        self.packages: set[str] = set()
        self.names: set[str] = set()
        self.stems: set[str] = set()
        self.left: set[str] = set()
        self.prefixes: dict[str, list[str]] = {}

    @property
    def is_silent(self) -> bool:
        """Whether it does nothing that a memory could have something against."""
        return not (self.stems or self.packages)

    def parts(self, about: "set[str]") -> "Iterator[Act]":
        """Of a long text a few lines at a time that have a word of what it is about.

        Words that are far apart say nothing together.
        """
        lines = [line for line in self.said.split("\n") if line.strip()]
        for at in range(0, max(1, len(lines) - _LINES // 2), _LINES // 2):
            said = "\n".join(lines[at : at + _LINES])
            lower = said.lower()
            if not any(one[:_SHARED] in lower for one in about):
                continue
            part = Act(self.channel, said)
            part.packages, part.left = self.packages, self.left
            yield part.finish()

    @property
    def is_long(self) -> bool:
        """Whether it says more than a few lines."""
        return self.channel == "code" and self.said.count("\n") >= _LINES

    def finish(self, before: str = "") -> "Act":
        """Fill in what is derived from the text; what ``before`` says already is not new."""
        self.stems |= set(stems(self.said))
        self.names |= names(self.said)
        if before:
            there = set(stems(before))
            self.stems -= there
            self.names -= names(before)
            self.packages -= {squash(one) for one in names(before)}
        for stem in self.stems:
            if len(stem) > _SHARED:
                self.prefixes.setdefault(stem[:_SHARED], []).append(stem)
        return self


_SHARED, _LINES = 4, 6
"""Letters that words which may be one begin with; lines that say something together."""


def names(text: str) -> set[str]:
    """The names in ``text`` as they are written, and the parts of dotted ones, in lower case."""
    found: set[str] = set()
    for name in re.findall(_NAME, text):
        whole = name.lower()
        found.add(whole)
        if "." in whole or "-" in whole:
            found.update(whole.replace("-", ".").split("."))
    return found


def squash(name: str) -> str:
    """A name without its punctuation: ``Matter.js`` and ``matter-js`` are one."""
    return re.sub(_SQUASHED, "", fold(name).lower())


def package_names(name: str) -> set[str]:
    """The names that a package may go by, without version, path and extras; ``~`` before a part."""
    plain = re.sub(_VERSION, "", name.strip("'\"(),;")).rstrip("/").removesuffix(".git")
    plain = plain.split("://")[-1]
    parts = [one for one in re.split(r"[/:\\]", plain.lstrip("@")) if one]
    parts = [
        one for one in parts if not re.fullmatch(r"v?\d[\w.]*|com|org|io|github\.com|cmd", one)
    ]
    found = {squash(plain), *map(squash, parts)}
    for part in parts:
        found.add(_unnumbered(squash(part)))
        pieces = [one for one in re.split(r"[._-]", part) if len(one) > 1]
        found.update("~" + squash("".join(pieces[:count])) for count in (1, 2, 3) if pieces)
        found.update("~" + _unnumbered(squash(one)) for one in (*pieces[:1], *pieces[-1:]))
    return {one for one in found if len(one) > 1 and one not in _DECLARING}


def _unnumbered(name: str) -> str:
    return name.rstrip("0123456789") if len(name) > 3 else name


def of_prose(text: str, *, repeats: bool = False) -> Act:
    """What an intent, a decision or a rejection is about."""
    text = text[:_MOST]
    from mind.text.matching import prose  # noqa: PLC0415 - hooks have none

    said, left = (text, "") if repeats else prose.proposed(text)
    act = Act("prose", said).finish()
    spoken = [squash(one) for one in re.findall(r"[\w.+#-]+", said)]
    act.packages = {*spoken, *map("".join, pairwise(spoken))}
    act.left = set(stems(left)) - act.stems
    return act


def of_command(command: str, said: str = "") -> Act:
    """What a shell command does; silent for one that only looks or takes away."""
    act = Act("command")
    doing = []
    for part in re.split(r"&&|\|\|?|;|\n", command[:_MOST]):
        words = programs.unwrapped(part.split())
        if not words or programs.only_looks(words):
            continue
        packages = programs.installed(words)
        if packages:
            act.channel = "install"
            for one in packages:
                act.packages |= package_names(one)
        plain = [squash(one.partition("=")[0]) for one in words[:5]]
        act.names |= {"".join(plain[:count]) for count in range(2, len(plain) + 1)}
        doing.append(" ".join(words))
    if doing:
        doing.append(said[:500])
    act.said = "\n".join(doing)
    return act.finish()


def is_manifest(path: str) -> bool:
    """Whether a file lists the packages of a project."""
    name = path.rsplit("/", 1)[-1].lower()
    if name in _MANIFESTS or name.endswith(_MANIFEST_ENDINGS):
        return True
    return "requirements" in path.lower() and name.endswith((".txt", ".in"))


def of_edit(path: str, new: str, old: str = "") -> Act:
    """What an edit brings in that was not there; silent for prose and comments."""
    if path.lower().endswith(PROSE) and not is_manifest(path):
        return Act("code")
    added = _added(new[:_MOST], old[:_MOST])
    act = Act("install" if is_manifest(path) else "code")
    if act.channel == "install":
        act.packages = {*_declared(added), squash(path.rsplit("/", 1)[-1])}
        act.said = f"{added}\n{path.rsplit('/', 1)[-1]}"
        return act.finish(old)
    act.said = re.sub(_COMMENT, "", added)
    if not act.said.strip():
        return act
    for found in re.finditer(_IMPORT, act.said):
        for one in filter(None, found.groups()):
            for name in re.split(r"[ ,]+", one):
                act.packages |= package_names(name)
    act.finish(old)
    in_path = re.sub(r"\.\w+$", "", "/".join(path.split("/")[-2:]))
    act.left |= set(stems(in_path)) - act.stems
    return act


def _added(new: str, old: str) -> str:
    """Lines that were not there, without those of a test that assert an absence."""
    before = {line.strip() for line in old.split("\n")} if old else set()
    lines = (line for line in new.split("\n") if line.strip() not in before)
    return "\n".join(line for line in lines if not re.search(_ABSENCE, line))


def _declared(text: str) -> "Iterator[str]":
    for found in re.finditer(_QUOTED, text):
        for one in filter(None, found.groups()):
            if one.lower() not in _DECLARING:
                yield from package_names(one)


def of_diff(diff: str) -> "Iterable[Act]":
    """What a unified diff does, file by file."""
    for part in re.split(r"^diff --git .*\n|(?=^--- )", diff, flags=re.MULTILINE):
        named = re.search(r"^\+\+\+ (?:b/)?(\S+)", part, re.MULTILINE)
        if named is None or named[1] == "/dev/null":
            continue
        lines = part[named.end() :].split("\n")
        new = "\n".join(one[1:] for one in lines if one.startswith("+"))
        old = "\n".join(one[1:] for one in lines if one.startswith("-"))
        yield of_edit(named[1], new, old)
