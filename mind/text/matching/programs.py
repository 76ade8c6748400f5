"""Command-line programs: read-only ones, wrappers of other commands, and package installers.

Hooks run this for each command, so it has no imports.
"""

_READING = frozenset(
    """grep egrep fgrep rg ag ack cat bat less more head tail ls tree file stat wc diff fd which
    whereis echo printf man cd pwd test true false sleep jq yq sort uniq cut tr whoami mind
    mind-hook select-string get-content get-childitem write-output depcheck find findstr tldr cloc
    tokei sed awk type exit popd pushd read history du df top htop ps pgrep dig nslookup ping host
    lsof netstat ss printenv id uname date cal dmesg journalctl nm objdump readelf ldd strings
    otool xxd hexdump od md5sum sha256sum cmp comm column nl tac zcat zgrep bat exa eza lsd
    pipdeptree madge realpath basename dirname readlink info apropos gh open
    xdg-open clear curl""".split()
)
"""Read-only programs, or programs whose arguments are prose."""
_GIT_LOOKS = frozenset(
    """grep log show diff blame status commit tag fetch branch remote config shortlog reflog
    describe rev-parse ls-files stash notes bisect""".split()
)
_LOOKING = frozenset(
    """show list ls info view why tree search help log diff status blame outdated audit graph
    dependencies deps describe inspect explain query doc docs javadoc licenses ps logs
    version versions provides whatprovides rdepends depends freeze updates insight
    routes history tasks projects outdated which whoami dumpsys
    --version --help -h get validate verify lint fmt format""".split()
)
"""Read-only subcommands."""
_FIXING = frozenset("fix --fix --write --apply".split())
"""Words of a call of such a subcommand that changes files."""
_CLIENTS = frozenset("psql mysql sqlite3 duckdb bq mongosh redis-cli clickhouse-client".split())
_CHANGING = frozenset(
    """insert update delete create alter drop truncate grant revoke load cp mk set del flushall
    flushdb <""".split()
)
"""Database clients, and words of commands that modify data."""
_UNDOING = frozenset("uninstall remove rm purge erase autoremove unlink delete un".split())
_AWAY = frozenset(
    "destroy rm rmi prune clean deintegrate disable revoke stop untap logout detach".split()
)
_GIT_NAMES = frozenset("checkout switch add restore mv worktree pull rm".split())
_REMOVING = frozenset("rm rmdir unlink shred del erase rd remove-item kill pkill killall".split())
"""Subcommands that add nothing new: they remove, or git's that only name a file; programs that
remove."""
_PREFIXES = frozenset(
    """sudo doas time env nohup nice ionice xargs command exec then do npx bunx uvx dlx
    watch caffeinate""".split()
)
_RUNNERS = {
    "python": ("-m",), "python3": ("-m",), "py": ("-m",), "uv": ("run", "tool run", "x"),
    "poetry": ("run",), "pipenv": ("run",), "pdm": ("run",), "hatch": ("run",), "rye": ("run",),
    "bundle": ("exec",), "pnpm": ("exec", "dlx"), "yarn": ("dlx", "exec"), "npm": ("exec", "x"),
    "bun": ("x",), "conda": ("run",), "mise": ("exec", "x"), "pipx": ("run",), "bin": (),
}  # fmt: skip
"""Programs that run other commands, which are the ones that count."""
_INSTALLERS = {
    "pip": "install download wheel", "pip3": "install download", "pipx": "install inject run",
    "uv": "add pip-install tool-install", "poetry": "add", "pipenv": "install", "pdm": "add",
    "rye": "add", "hatch": "", "conda": "install create", "mamba": "install create",
    "micromamba": "install create", "pixi": "add", "npm": "install i add in init create",
    "pnpm": "add install i create dlx", "yarn": "add create dlx global-add", "bun": "add install i",
    "deno": "add install", "jsr": "add", "ni": "", "cargo": "add install", "go": "get install",
    "gem": "install", "bundle": "add", "composer": "require",
    "dotnet": "add-package package-add tool-install",
    "nuget": "install", "install-package": "*", "brew": "install", "apt": "install",
    "apt-get": "install", "aptitude": "install", "apk": "add", "dnf": "install", "yum": "install",
    "zypper": "install in", "pacman": "-S -Sy -Syu", "choco": "install", "winget": "install",
    "scoop": "install", "snap": "install", "flatpak": "install", "nix-env": "-i -iA",
    "nix": "profile-install", "port": "install", "mix": "archive.install igniter.install",
    "dart": "pub-add", "flutter": "pub-add", "helm": "install upgrade repo-add", "pod": "try",
    "opam": "install", "cabal": "install", "luarocks": "install", "cpan": "*", "cpanm": "*",
    "vcpkg": "install add-port", "conan": "install",
    "asdf": "plugin-add install", "mise": "use install",
    "sdk": "install", "rustup": "component-add", "docker": "pull", "podman": "pull",
    "expo": "install", "ng": "add", "rails": "plugin-new", "shards": "add", "lein": "",
    "julia": "", "r": "", "claude": "", "code": "--install-extension", "kubectl": "krew-install",
    "easy_install": "*", "npm-install": "*", "spm": "", "swift": "package-add-dependency",
    "cordova": "plugin-add", "ionic": "", "nvm": "install", "pyenv": "install", "rbenv": "install",
    "gh": "extension-install", "terraform": "", "ansible-galaxy": "install", "pecl": "install",
    "corepack": "enable prepare", "volta": "install", "proto": "install", "hex": "",
    "rebar3": "", "gradle": "", "mvn": "", "pub": "add", "dub": "add", "nimble": "install",
    "zig": "fetch", "elm": "install", "spago": "install", "bower": "install", "jspm": "install",
    "meteor": "add", "wp": "plugin-install theme-install", "drush": "en", "craft": "",
    "flutterfire": "", "arduino-cli": "lib-install core-install", "pio": "pkg-install lib-install",
    "platformio": "lib-install pkg-install", "west": "", "npm-add": "*",
}  # fmt: skip
"""Package managers and their install subcommands; ``*`` if none is needed."""
SORTS = """crate package module library lib dependency gem plugin addon extension framework
bibliothek paket modul abhängigkeit bibliothèque paquet dépendance biblioteca paquete dependencia"""
"""Words for what they install."""


def unwrapped(words: list[str]) -> list[str]:
    """The command itself, without environment settings and wrappers."""
    words = list(words)
    while words:
        first = words[0].strip("()").rsplit("/", 1)[-1].lower()
        second = words[1] if len(words) > 1 else ""
        if (
            first in _PREFIXES
            or ("=" in first and not first.startswith("-"))
            or first.startswith("-")
        ):
            words.pop(0)
        elif second in _RUNNERS.get(first, ()):
            words = words[2:]
        elif _goes_on(first, second) and (rest := words[3 if second in _VALUED else 2 :]):
            words = [first, *rest]
        else:
            words[0] = first
            return words
    return words


def _goes_on(program: str, option: str) -> bool:
    """Return whether a subcommand follows an option, or yarn's "workspace"."""
    ways = "clone" if program == "git" else _INSTALLERS.get(program) or "*"
    is_option = option.startswith("-") and option not in _LOOKING and option not in ways.split()
    return ways != "*" and (is_option or (program, option) == ("yarn", "workspace"))


def only_looks(words: list[str]) -> bool:
    """Return whether a command only reads or removes."""
    program, rest = words[0], words[1:5]
    if program in ("find", "fd"):
        return not {"-exec", "-delete", "-execdir", "-ok"} & set(words)
    if program == "sed":
        return not any(one.startswith("-i") for one in words)
    if program == "git":
        is_listing = rest[:1] != ["stash"] or rest[1:2] in (["list"], ["show"])
        return bool(rest) and rest[0] in _GIT_LOOKS and is_listing
    if program in _CLIENTS:
        return not _CHANGING.intersection(one.strip("'\"").lower() for one in words)
    plain = [one for one in rest if not one.startswith("-")]
    parts = {part for one in plain for part in (one.lower(), *_parts(one))}
    looks = not _LOOKING.isdisjoint((*parts, *rest)) and _FIXING.isdisjoint((*parts, *words))
    looks = looks or program in _READING
    return (looks and not installed(words)) or not _UNDOING.isdisjoint(parts)


_SPEAKING = (
    "git commit", "git tag", "git notes", "git log ", "git grep ", "git stash ", "gh ", "grep ",
    "egrep ", "fgrep ", "rg ",
)  # fmt: skip
"""Read-only commands with a message or a pattern, which may have the signs between commands."""


def parts(command: str) -> list[str]:
    """Split a command line into commands; a message of git or a pattern of grep is none."""
    cut = command.replace("&&", ";;").replace("|", ";").replace("\n", ";")
    found: list[str] = []
    start = 0
    while start < len(cut):
        end = cut.find(";", start)
        if cut[start : start + 40].lstrip().startswith(_SPEAKING):
            end = _end(command, cut, start)
        end = end if end >= 0 else len(cut)
        found.append(command[start:end])
        start = end + 1
    return found


def _end(command: str, cut: str, start: int) -> int:
    """Return the end of a command whose quotes are read as a shell reads them; -1 without one."""
    at = start
    while True:
        end = cut.find(";", at)
        limit = end if end >= 0 else len(cut)
        marks = [cut.find(sign, at, limit) for sign in ('"', "'", " #")]
        quote = min((one for one in marks if one >= 0), default=-1)
        if quote < 0 or command[quote] == " ":  # a comment may have any signs
            return end
        if command[quote - 1] == "\\":
            at = quote + 1
            continue
        closing = _closing(command, quote)
        if closing < 0:  # the rest is split as it stands
            return end
        at = closing + 1


def _closing(command: str, quote: int) -> int:
    """Return the position of the sign that closes a quote; -1 if there is none."""
    sign = command[quote]
    text = command.find("<<", quote, quote + 20) if command.startswith('"$(', quote) else -1
    if text >= 0:  # "$(cat <<'EOF'": up to its end, whatever stands in it
        name = command[text + 2 :].split("\n", 1)[0].strip(" -'\"")
        over = command.find(f"\n{name}", text)
        return command.find(sign, over) if name and over >= 0 else -1
    at = command.find(sign, quote + 1)
    while sign == '"' and at > 0 and _escapes(command, at) % 2:
        at = command.find(sign, at + 1)
    return at


def _escapes(command: str, at: int) -> int:
    """Return the number of backslashes before a position."""
    count = 0
    while command[at - 1 - count] == "\\":
        count += 1
    return count


def brings_nothing(words: list[str]) -> bool:
    """Return whether a command removes something, or names files and branches known to git."""
    plain = [one for one in words[1:3] if not one.startswith("-")]
    ways = _GIT_NAMES if words[0] == "git" else _AWAY
    away = words[0] in _REMOVING or not ways.isdisjoint(plain[:1])
    return away and not installed(words)


def _parts(word: str) -> list[str]:
    """Split ``dependency:tree`` and ``dependencyInsight`` into words, but no name of a file."""
    apart = "".join(f" {c.lower()}" if c.isupper() else c for c in word)
    return apart.replace(":", " ").replace("-", " ").split() if "." not in word else []


_VALUED = frozenset(
    """-F -c --features --git --branch --tag --rev --path --registry --index -i --index-url
    --extra-index-url --find-links --requirement --constraint --group -G --extras --extra --prefix
    --target -t -p --package --source --channel --python --platform --arch --manifest-path --repo
    --filter --workspace workspace --version -n --namespace --set --values --template --timeout
    --cwd --dir --directory -C --root""".split()
)
"""Options of installers that are followed by a value, which is no package."""
_LISTS = (".txt", ".in", ".yml", ".yaml", ".toml")
"""Endings of files that list packages."""


def _given(words: list[str]) -> list[str]:
    """The words that are neither options nor their values."""
    plain = zip(["", *words], words, strict=False)
    return [
        one
        for before, one in plain
        if one[0] not in "-=" and before not in _VALUED and not one.endswith(_LISTS)
    ]


def installed(words: list[str]) -> list[str] | None:
    """The packages given to an installer; None if it is not one."""
    program = words[0].removesuffix(".exe")
    ways = _INSTALLERS.get(program)
    if ways is None:
        return None
    rest = words[1:]
    if ways == "*":
        return _given(rest)
    for count in (2, 1):
        head = "-".join(rest[:count])
        if len(rest) >= count and head in ways.split():
            return _given(rest[count:])
    return None
