"""Parse acts into words: the content of a command, an edit or a sentence.

Hooks import this module, so it imports little.
"""

import re
from itertools import pairwise

from mind.text import lazy_pattern
from mind.text.matching import programs
from mind.text.similarity.words import words

TYPE_CHECKING = False  # importing typing takes milliseconds, which matters in hooks
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HIRAGANA = r"[\u3040-\u309f]"
_KATAKANA = r"[\u30a0-\u30ff]"
_EAST = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"
_SCRIPTS = (
    rf"{_KATAKANA}+|{_HIRAGANA}+|[\u3400-\u4dbf\u4e00-\u9fff]+|[\uac00-\ud7af]+|"
    r"[^\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+"
)
_PLURAL = r"\b([A-Z]{2,})s\b"
_NON_ASCII = r"[^\x00-\x7f]+"
_MOST, _MOST_SAID = 40_000, 8_000
"""Maximum characters of code, and of prose, that are read."""
_DOCUMENTS = frozenset(
    """md markdown mdx rst txt adoc asciidoc org tex po pot feature log patch diff doc docs adr adrs
    changelog changelogs changes authors notice license licence readme contributing copying
    history news todo""".split()
)
"""Extensions of prose files, and names of files and folders with prose."""
_TESTS = frozenset("test tests spec specs e2e fixture fixtures mock mocks".split())
_MANIFESTS = frozenset(
    """package.json pyproject.toml pipfile setup.py setup.cfg cargo.toml go.mod gemfile
    composer.json pom.xml build.gradle build.gradle.kts settings.gradle libs.versions.toml
    pubspec.yaml mix.exs rebar.config podfile package.swift cartfile build.sbt deps.edn project.clj
    shard.yml environment.yml environment.yaml conda.yml dub.json dune-project stack.yaml
    package.yaml vcpkg.json conanfile.txt conanfile.py bower.json deno.json import_map.json
    brewfile packages.config directory.packages.props paket.dependencies elm.json gleam.toml
    project.toml description cpanfile platformio.ini requirements.in chart.yaml
    shard.lock rockspec buf.yaml module.bazel workspace dependencies.gradle cmakelists.txt
    versions.tf providers.tf dependencies.scala meson.build flake.nix .tool-versions pixi.toml
    .pre-commit-config.yaml renv.lock aptfile deps.ts directory.build.props global.json""".split()
)
_DOCS = frozenset({"doc", "docs", "documentation", "specs", "spec"})
_MANIFEST_ENDINGS = (
    ".csproj", ".fsproj", ".vbproj", ".gemspec", ".podspec", ".cabal", ".opam", ".nimble",
    ".rockspec", ".cmake", ".sbt", ".nix",
)  # fmt: skip
_DECLARING = frozenset(
    """version versions pod gem dependency dependencies implementation api testimplementation
    compileonly runtimeonly annotationprocessor kapt ksp groupid artifactid scope package
    packagereference include from url name path git branch tag rev exact uptonextmajor https http
    github com org www features optional require required source platform type target true false
    dev-dependencies devdependencies dev test tests runtime build default hex mix apply plugin
    plugins classpath id alias add use sha sha256 hash registry workspace import product products
    git_repository git_tag url_hash fetchcontent_declare find_package version_greater imports
    build-depends net io main master only in group rails_env extras workspace:* latest next the is
    for with and
    maven central google module label update privateassets all""".split()
)
"""Words in manifests that are not package names."""
_COMMENT = (
    r"(?m)^[ \t]*(?:#(?![!{\[a-z]*\(|include[ \t]*[<\"]|define[ \t]+\w)|"
    r"//|/?\*(?![=\w])|--[ \t]|<!--|;;|%|\"\"\"|''').*|"
    r"(?<=[\s;,{}()])(?://|#)[ \t].*|/\*.*?\*/|<!--.*?-->"
)
_BLOCK = (
    r"(?s)<exclusions?>.{0,2000}?</exclusions?>|/\*.{0,2000}?\*/|<!--.{0,2000}?-->|"
    r"^\s*(?:\"\"\"|''').{0,2000}?(?:\"\"\"|''')|(?<!\")\"\"\"[^=]{0,2000}?\"\"\"(?=\s*\n)"
)
"""Block comments and docstrings. Of a row of quotation marks only the first may begin one."""
_ABSENCE = (
    r"\.not\.|\brefute\b|not_to\b|to_not\b|\bassert\w*\W+(?:not|\w*\bnot in)\b|"
    r"assert(?:Not|_not|False|Null|_false|_nil|DoesNot)|NotContain|notContain|should_not|"
    r"shouldNot|\bnot in\b|\babsent|\bexclude\b"
)
"""A line of a test that asserts the absence of something."""
_FORBIDDING = (
    r"(?i)no-restricted|\bbanned[-_]|\bforbidden[-_](?:imports?|modules?|apis?)|\bdisallowed[-_]|"
    r"\bblocklist|\bdenylist|noClasses\(\)"
)
"""Rules that prevent something; their paragraph is not an act."""
_IMPORT = (
    r"(?m)^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+([\w ,]+)|"
    r"import[ \t]+(?:static[ \t]+)?([\w.,/ ]+)|(?:pub[ \t]+)?use[ \t]+([\w:\\]+)|"
    r"using[ \t]+(?:static[ \t]+)?([\w.]+)|#[ \t]*include[ \t]*[<\"]([\w./+-]+)|"
    r"FROM[ \t]+(\S+)|(?:-[ \t]+)?(?:image|uses):[ \t]*['\"]?([\w./@:-]+)|"
    r"(?:extern[ \t]+crate|require|require_relative|alias|@import|library)[ \t(]+"
    r"['\"]?([\w./:-]+))|"
    r"(?:\bfrom|\bimport|require|import|resolve)[ \t]*\(?[ \t]*['\"]([^'\"\n]+)['\"]"
)
_QUOTED = (
    r"(?m)['\"]([@A-Za-z][\w@./:+\[\]-]*)|^[ \t]*(?:-[ \t]+)?([@A-Za-z][\w./-]*)|"
    r">([A-Za-z][\w.-]+)<|:([a-z]\w+)\b|\b([\w-]{1,200}/[\w./-]+)|[\[({][ \t]*:?([A-Za-z][\w./-]*)|"
    r"[:,][ \t]*([A-Za-z][\w.-]*)(?=[ \t]*(?:[,><=~^(]|$))"
)
_NAME = r"(?a)[A-Za-z_@<][\w$.-]*[\w>]|\*|\d\w+"
_PIECE = r"[A-Z]+(?![a-z])|[A-Z]?[a-z\d]+|\d+"
_SQUASHED = r"[^a-z0-9+#]+"
_VERSION = r"(?:\[[^\]]*\])?(?:(?:[=<>~!^]=?|@|:)[~^<>=v]*[\d*][^\s]*|@(?:latest|next|beta|\w+))?$"


_STASH = frozenset("git stash push pop apply list show drop clear branch save create store".split())
_SENTENCE = lazy_pattern(r"(?<=[.!?])\s+(?=\S)|;\s+|[。;]\s*|\s*(?:->|→|=>)\s*")
REASON = lazy_pattern(
    r"\s+[-–—|]+\s+|:\s+|\s*\((?=[^)]*\s[^)]*\s)|,\s+|\s+(?:because|since|as it|so that|"
    r"due to|weil|denn|parce que|porque|car)\b"
)
"""Before the reason of a rejection."""
_ONWARD = (":", ",", "->", "→", "=>")
"""Signs that may also follow a label."""
WIDE = {
    ord(one): other
    for one, other in {
        "：": ": ",
        "，": ", ",
        "、": ", ",
        "；": "; ",
        "（": " (",
        "）": ") ",
    }.items()
}
"""Punctuation of Chinese and Japanese, and what stands for it here."""


class Act:
    """An act that is about to happen.

    Attributes:
        channel: "prose", "repeat" for a new rejection, "code", "command", or "install" for
            installing packages.
        said: The new text.
        path: File that it edits; "" if it edits none.
        tests: Whether it edits a test.
        packages: Packages that it adds, without punctuation; ``~`` before a part of a name.
        names: Complete new names, in lower case.
        stems: Stems of all new words.
        prefixes: Stems by their first letters.
        lower: The text in small letters, once it was needed; of prose, its words as stems too.
        before: The text that it replaces, in small letters.
        subject: What a new rejection is about, without its reasons; None for other acts.
    """

    __slots__ = (
        "before", "channel", "lower", "names", "packages", "path", "prefixes", "said",
        "stems", "subject", "tests",
    )  # fmt: skip

    def __init__(self, channel: str, said: str = "") -> None:
        self.channel = channel
        self.said = said
        self.path = self.lower = self.before = ""
        self.tests = False
        self.packages: set[str] = set()
        self.names: set[str] = set()
        self.stems: set[str] = set()
        self.prefixes: dict[str, list[str]] = {}
        self.subject: Act | None = None

    @property
    def is_silent(self) -> bool:
        """Return whether it does nothing that an entry could object to."""
        return not (self.stems or self.packages)

    def parts(self, about: "set[str]") -> "Iterator[Act]":
        """Yield groups of a few lines of a long text that share a word with ``about``.

        Words that are far apart are not evidence together.
        """
        lines = [line for line in self.said.split("\n") if line.strip()]
        for at in range(0, max(1, len(lines) - _LINES // 2), _LINES // 2):
            said = "\n".join(lines[at : at + _LINES])
            lower = said.lower()
            if not any(one[:_SHARED] in lower for one in about):
                continue
            part = Act(self.channel, said)
            part.packages, part.tests = self.packages, self.tests
            yield part.finish()

    @property
    def is_long(self) -> bool:
        """Return whether it has more than a few lines."""
        return self.channel == "code" and self.said.count("\n") >= _LINES

    def finish(self, before: str = "") -> "Act":
        """Compute the derived attributes, ignoring text that ``before`` already has."""
        self.stems |= set(stems(self.said))
        self.names |= names(self.said)
        if before:
            self.before = before.lower()
            there = set(stems(before))
            self.stems -= there
            self.names -= names(before)
            self.packages -= {squash(one) for one in names(before)}
        for stem in self.stems:
            if len(stem) > _SHARED:
                self.prefixes.setdefault(stem[:_SHARED], []).append(stem)
        return self


_SHARED, _LINES = 4, 6
"""Prefix length shared by equal words; lines that count as context of each other."""


def fold(text: str) -> str:
    """``text`` without accents on Latin letters."""
    return text if text.isascii() else re.sub(_NON_ASCII, _plain, text)


def _plain(found: "re.Match[str]") -> str:
    import unicodedata  # noqa: PLC0415 - only needed for non-ASCII text

    taken = []
    for character in found.group():
        base = unicodedata.normalize("NFKD", character)
        taken.append(base[0] if base[0].isascii() and base[0].isalpha() else character)
    return "".join(taken).replace("ß", "ss")


def stems(text: str) -> tuple[str, ...]:
    """The content words of ``text`` as stems, without accents.

    Text is split by script. Katakana words stay whole; ideographs are split into pairs.
    """
    text = re.sub(_PLURAL, r"\1", text)
    if text.isascii():
        return words(text)
    found: list[str] = []
    for part in re.findall(_SCRIPTS, fold(text)):
        if not re.match(_EAST, part):
            found += words(part)
        elif re.match(_KATAKANA, part):
            found.append(part)
        elif not re.match(_HIRAGANA, part):
            found += words(part)
    return tuple(found)


def phrase(text: str) -> str:
    """The words of ``text`` as stems, in order, with those that tell nothing."""
    return " ".join(" ".join(stems(one)) or one for one in re.findall(r"\w+", text.lower()))


def names(text: str) -> set[str]:
    """The names in ``text`` as written, and the parts of dotted ones, in lower case."""
    found: set[str] = set()
    for name in re.findall(_NAME, text):
        whole = name.lower()
        found.add(whole)
        if not whole.isalnum():
            found.update(filter(None, re.split(r"[._$-]", whole)))
    return found


def squash(name: str) -> str:
    """A name without punctuation: ``Matter.js`` and ``matter-js`` are equal."""
    return re.sub(_SQUASHED, "", fold(name).lower())


def package_names(name: str) -> set[str]:
    """The names of a package, without version, path and extras; ``~`` before a part."""
    plain = re.sub(_VERSION, "", name.strip("'\"(),;")).rstrip("/").removesuffix(".git")
    parts = [one for one in re.split(r"[/:\\]", plain.lstrip("@")) if one]
    found = {squash(plain), *map(squash, parts)}
    if ":" in plain and parts and parts[0].count(".") > 1:  # the group of a Maven package
        found.add(squash(parts[0].rsplit(".", 1)[-1]))
    found.update("~" + squash(one) for part in parts for one in re.findall(_PIECE, part))
    return {one for one in found if len(one) > 1 and one not in _DECLARING}


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, and what arrows and semicolons separate."""
    return [one.strip(" .") for one in _SENTENCE.split(text) if one.strip(" .")]


def without_reason(text: str) -> str:
    """Return the beginning of a rejection, which says what is rejected, up to a reason.

    Before a colon, a comma or an arrow may be a label or the circumstances, as in what begins with
    such a word as "for" or "after": then what follows says it.
    """
    from mind.text.matching import prose  # noqa: PLC0415 - hooks have no rejections to record

    said = " ".join(text.translate(WIDE).split())
    cuts = [one for pattern in (_SENTENCE, REASON) for one in pattern.finditer(said, 2)]
    at = 0
    for cut in sorted(cuts, key=lambda one: one.start()):
        if cut.group().strip() not in _ONWARD and not prose.is_circumstance(said[at : cut.start()]):
            return said[: cut.start()]
        at = max(at, cut.end())
    return said


def first_of(pattern: "re.Pattern[str]", text: str) -> "re.Match[str] | None":
    """Return the first match that does not begin the text."""
    return next((one for one in pattern.finditer(text) if one.start() > 1), None)


def halves(pattern: "re.Pattern[str]", text: str) -> tuple[str, str, str]:
    """Return a text before :func:`first_of`, its match, and the rest."""
    found = first_of(pattern, text)
    if found is None:
        return text, "", ""
    return text[: found.start()], found.group(), text[found.end() :]


def of_prose(text: str, *, repeats: bool = False) -> Act:
    """Parse an intent, a decision or a rejection."""
    text = text[:_MOST_SAID]
    from mind.text.matching import prose  # noqa: PLC0415 - hooks have no prose

    if not repeats:
        return _worded("prose", prose.proposed(text))
    act = _worded("repeat", text)
    act.subject = _worded("repeat", without_reason(text))
    return act


def _worded(channel: str, said: str) -> Act:
    act = Act(channel, said).finish()
    spoken = [squash(one) for one in re.findall(r"(?a)[\w.+#-]+", fold(said))]
    named = [bool(words(one)) for one in spoken]  # "a DB" is no name "adb"
    pairs = zip(pairwise(spoken), pairwise(named), strict=True)
    act.packages = {*spoken, *("".join(pair) for pair, told in pairs if all(told))}
    act.names |= {squash(one) for one in said.split()}
    act.lower = f"{said.lower()}\n{phrase(said)}"
    return act


def of_intent(text: str) -> "Iterator[Act]":
    """Parse an intent and the commands in it."""
    from mind.text.matching import prose  # noqa: PLC0415 - hooks have no prose

    text = text[:_MOST_SAID]
    done = {one: of_command(one) for one in prose.commands(prose.proposed(text))}
    for command, act in done.items():
        text = text.replace(f"`{command}`", " ") if act.is_silent else text
    yield of_prose(text)
    yield from done.values()


def of_command(command: str, said: str = "") -> Act:
    """Parse a shell command; silent if it only reads or removes.

    Args:
        command: The command.
        said: Its description; ignored if it describes abandoning something.
    """
    act = Act("command")
    doing = []
    for part in programs.parts(command[:_MOST]):
        given = part.split()
        words = programs.unwrapped(given)
        if not words or programs.only_looks(words) or programs.brings_nothing(words):
            continue
        if words[:2] == ["git", "stash"]:  # without names and messages
            words = [one for one in words if one in _STASH or one.startswith("-")]
        packages = programs.installed(words)
        if packages:
            act.channel = "install"
            act.packages.add(squash(words[0]))  # who installs with it uses it
            for one in packages:
                act.packages |= package_names(one)
        else:
            act.packages.add(squash(words[0]))
        act.names |= {one.lower() for one in given if "=" in one}
        doing.append(" ".join(words))
    first = re.match(r"\w+", said) if doing else None
    if first is not None:
        from mind.text.matching import prose  # noqa: PLC0415 - most hooks do not need it

        doing += [] if prose.is_leaving(first.group().lower()) else [said[:500]]
    act.said = "\n".join(doing)
    return act.finish()


def is_manifest(path: str) -> bool:
    """Return whether a file lists the packages of a project."""
    name = path.rsplit("/", 1)[-1].lower()
    if name in _MANIFESTS or name.endswith(_MANIFEST_ENDINGS):
        return True
    folders = path.lower().split("/")[:-1]
    is_listed = folders[-1:] == ["requirements"] and _DOCS.isdisjoint(folders)
    return name.endswith((".txt", ".in")) and ("requirements" in name or is_listed)


def of_edit(path: str, new: str, old: str = "") -> Act:
    """Parse an edit's additions; silent for prose and comments."""
    if _is_prose(path) and not is_manifest(path):
        return Act("code")
    added = _added(new[:_MOST], old[:_MOST])
    if any(one in added for one in ("/*", "<!--", "<excl", '"""', "'''")):
        added = re.sub(_BLOCK, "", added)
    added = re.sub(_COMMENT, "", added)
    act = Act("install" if is_manifest(path) else "code")
    act.path = path
    act.said = added
    if act.channel == "install":
        act.packages = {*_declared(added), squash(path.rsplit("/", 1)[-1])}
        return act.finish(old)
    for name in _imported(act.said):
        act.packages |= package_names(name)
    act.finish(old)
    parts = "/".join(path.lower().split("/")[-4:]).replace(".", "/").replace("_", "/")
    act.tests = not _TESTS.isdisjoint(parts.replace("-", "/").split("/"))
    return act


def _imported(code: str) -> "Iterator[str]":
    """The names that code imports."""
    for found in re.finditer(_IMPORT, code):
        for one in filter(None, found.groups()):
            yield from re.split(r"[ ,]+", one)


def _is_prose(path: str) -> bool:
    *folders, name = path.lower().split("/")
    parts = name.split(".")
    return not _DOCUMENTS.isdisjoint((parts[0], parts[-1])) or not _FOLDERS.isdisjoint(folders)


_FOLDERS = frozenset(("doc", "docs", "adr", "adrs", "changelogs"))
"""Folders of prose."""


def _added(new: str, old: str) -> str:
    """Added lines, without those of a test that assert an absence."""
    if re.search(_FORBIDDING, new):
        new = "\n\n".join(one for one in new.split("\n\n") if not re.search(_FORBIDDING, one))
    if old:
        before = {line.strip() for line in old.split("\n")}
        new = "\n".join(line for line in new.split("\n") if line.strip() not in before)
    kept, at = [], 0
    for found in re.finditer(_ABSENCE, new):
        if found.start() >= at:
            kept.append(new[at : new.rfind("\n", 0, found.start()) + 1])
            at = new.find("\n", found.end()) + 1 or len(new)
    return "".join([*kept, new[at:]])


def _declared(text: str) -> "Iterator[str]":
    for found in re.finditer(_QUOTED, text):
        for one in filter(None, found.groups()):
            yield from package_names(one)


def files_of(diff: str) -> "Iterator[tuple[str, str]]":
    """Yield the files of a unified diff: path, and what follows it."""
    for part in re.split(r"^diff --git .*\n|(?=^--- )", diff, flags=re.MULTILINE):
        named = re.search(r"^\+\+\+ (?:[bciow]/)?(\S+)", part, re.MULTILINE)
        if named is not None and named[1] != "/dev/null":
            yield named[1], part[named.end() :]


def of_diff(diff: str) -> "Iterable[Act]":
    """Parse a unified diff, file by file."""
    for path, changed in files_of(diff):
        lines = changed.split("\n")
        new = "\n".join(one[1:] for one in lines if one.startswith("+"))
        old = "\n".join(one[1:] for one in lines if one.startswith("-"))
        yield of_edit(path, new, old)
