"""One word of a text, between white space: which things it names."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from mind.domain import caching
from mind.text.entities.words import DOMAINS, FILES, FOLDERS, NOT_ACRONYMS

_LONGEST = 200
"""Characters of a word; past that it is data."""


class Part(NamedTuple):
    """A thing in a word: characters ``start`` to ``end`` of it.

    Beside the kinds of mentions there are those that depend on what stands around: ``capital``
    for a capitalised word, ``digits``, and ``decimal`` for what may be a version.
    """

    kind: str
    key: str
    start: int
    end: int


_URL = re.compile(r"(?:[a-z][a-z0-9+.-]{1,9}://(?:[^\s/@]*@)?|git@)([^\s/?#:@]+)", re.IGNORECASE)
_PACKAGE = re.compile(
    r"(@[a-z0-9][\w.-]*/[a-z0-9][\w.-]*)(?:/[\w./-]*)?(?:@[\w.^~-]+)?", re.IGNORECASE
)
_ISSUE = re.compile(
    r"(?P<repo>[\w.-]+/[\w.-]+#\d{1,7})|[#!](?P<number>\d{1,7})|GH-(?P<gh>\d{1,7})|"
    r"(?P<ticket>(?!(?:UTF|ISO|SHA|MD|AES|RSA|GPT|COVID|BASE|TLS|SSL|HTTP|MP|USB|ES|LATIN)-)"
    r"[A-Z][A-Z0-9]{1,9}-\d{1,6}|CVE-\d{4}-\d{4,7})"
)
_FLAG = re.compile(r"--[A-Za-z][\w-]*")
_SUFFIX = r"(?:[-+.]?(?:alpha|beta|dev|post|pre|rc|a|b)[.-]?\d*)"
_VERSION = re.compile(
    rf"[vV](?P<v>\d+(?:\.(?:\d+|x))*{_SUFFIX}?)|"
    rf"(?P<three>\d+\.\d+\.(?:\d+|x){_SUFFIX}?)|(?P<two>\d+\.(?:\d+{_SUFFIX}|x))"
)
_DATE = re.compile(r"(?:19|20)\d\d\.\d\d?\.\d\d?|\d\d?\.\d\d?\.(?:19|20)\d\d")
_ADDRESS = re.compile(r"(\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?")
_DECIMAL = re.compile(r"\d+\.\d+")
_NAME = r"[^\W\d]\w*"
_IDENTIFIER = re.compile(rf"\$?{_NAME}(?:(?:\.|::|->|#){_NAME})*(?:\(\))?")
_CAMEL = re.compile(r"[a-z]+[0-9]*[A-Z]\w*|(?:[A-Z][a-z0-9]+){2,}[A-Z]?")
_MIXED = re.compile(r"(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z0-9])[A-Za-z]*[A-Z]{2}[A-Za-z0-9]*")
_LETTER_DIGITS = re.compile(r"[A-Z]\d+[a-z]+")
_ACRONYM = re.compile(r"([A-Z][A-Z0-9]{1,9})(?:(?<=[A-Z])(?:s|es))?")
_SHELF = re.compile(r"[PQ]\d{1,2}")
_HEADER = re.compile(r"[A-Z][a-z]+(?:-[A-Z][a-z]*)+")
_PLACE = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?|::[\w\[\]:.-]+)$")
_SEGMENT = re.compile(r"[\w.@+~%$-]+")
_TRAILING = ".:!?-&^%+~\\"
_LEADING = "!?:&^%+"
_JOINTS = re.compile(r"[_\s-]+")


def folded(text: str) -> str:
    """``text`` in one Unicode form and case."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def joined(text: str) -> str:
    """The key of a name made of several words, however they are put together."""
    key = folded(text)
    return _JOINTS.sub("", key) or key.strip() or key


@caching.of_words
def parts(word: str) -> tuple[Part, ...]:
    """The things that ``word`` names, in order."""
    start = len(word) - len(word.lstrip(_LEADING if not word[1:2].isdigit() else "?:&^%+"))
    end = len(word.rstrip(_TRAILING))
    core = word[start:end]
    if core.isdigit() and len(core) < _LONGEST:
        return (Part("digits", core, start, end),)
    if end - start < 2 or end - start > _LONGEST:
        return ()
    return tuple(one._replace(start=one.start + start, end=one.end + start) for one in _parts(core))


def _parts(core: str) -> Iterator[Part]:
    found = _special(core) or _code(core)
    if found:
        yield found
    elif "/" in core:
        yield from _pieces(core, "/")
    elif "-" in core:
        yield from _pieces(core, "-")
    elif core[0].isupper() and core[1:].islower() and core.isalpha():
        yield Part("capital", folded(core), 0, len(core))


def _pieces(core: str, joint: str) -> Iterator[Part]:
    """What the parts between slashes or hyphens name."""
    at = 0
    for piece in core.split(joint)[:8]:
        if len(piece) > 1 and not piece.isdigit():
            for one in _parts(piece):
                if one.kind != "decimal":
                    yield one._replace(start=one.start + at, end=one.end + at)
        at += len(piece) + 1


def _special(core: str) -> Part | None:
    """What is told by a sign: hosts, packages, issues, flags, versions."""
    first = core[0]
    if first == "-":
        flag = _FLAG.fullmatch(core)
        return Part("flag", f"--{joined(core)}", 0, len(core)) if flag else None
    if first == "@":
        package = _PACKAGE.fullmatch(core)
        return Part("package", folded(package[1]), 0, package.end(1)) if package else None
    if first.isdigit():
        return _numeric(core)
    return _host(core) or _issue(core) or _version(core)


def _host(core: str) -> Part | None:
    found = _URL.match(core) if ":" in core else None
    if found:
        return _host_part(core, found.start(1), found.end(1))
    if core == "localhost" or core.startswith("localhost:"):
        return Part("host", "localhost", 0, 9)
    labels = core.split("/", 1)[0].split(".")
    if len(labels) > 1 and labels[-1] in DOMAINS and all(labels) and "@" not in core:
        return _host_part(core, 0, len(".".join(labels)))
    return None


def _host_part(core: str, start: int, end: int) -> Part | None:
    key = folded(core[start:end]).removeprefix("www.").rstrip(".")
    return Part("host", key, start, end) if key else None


def _issue(core: str) -> Part | None:
    found = _ISSUE.fullmatch(core)
    if not found:
        return None
    number = found["number"] or found["gh"]
    return Part("issue", f"#{number}" if number else folded(core), 0, len(core))


def _numeric(core: str) -> Part | None:
    address = _ADDRESS.fullmatch(core)
    if address:
        return Part("host", address[1], 0, address.end(1))
    if _DECIMAL.fullmatch(core):
        return Part("decimal", core, 0, len(core))
    return None if _DATE.fullmatch(core) else _version(core)


def _version(core: str) -> Part | None:
    found = _VERSION.fullmatch(core)
    if not found:
        return None
    return Part("version", folded(found["v"] or found["three"] or found["two"]), 0, len(core))


def _code(core: str) -> Part | None:
    """What is told by its letters: paths, identifiers, acronyms."""
    path = _path(core)
    if path:
        return path
    if _IDENTIFIER.fullmatch(core):
        return _identifier(core)
    if _HEADER.fullmatch(core):
        return Part("name", joined(core), 0, len(core))
    return None


def _path(core: str) -> Part | None:
    place = _PLACE.search(core)
    name = core[: place.start()] if place else core
    plain = name.replace("\\", "/") if "\\" in name else name
    if not _is_path(plain):
        return None
    return Part("path", path_key(plain), 0, len(name))


def path_key(path: str) -> str:
    """The key of a path: folded, with slashes, without "./" before it and a slash behind."""
    key = folded(path)
    while key.startswith("./"):
        key = key[2:]
    return key.rstrip("/") or "/"


def _is_path(name: str) -> bool:
    segments = name.strip("/").split("/")
    if not segments[0] or not all(map(_SEGMENT.fullmatch, segments)):
        return bool(re.match(r"[A-Za-z]:/\w", name))
    last = segments[-1]
    if "/" not in name:
        return _is_file(last)
    if not any(one[-1].isalpha() for one in segments):
        return False  # 24/7, 11/20/2026
    if name[0] == "/" or name.endswith("/") or segments[0] in FOLDERS or _is_file(last):
        return True
    return any(one[0] == "." or "_" in one for one in segments)


def _is_file(name: str) -> bool:
    stem, dot, extension = name.rpartition(".")
    if not dot:
        return name in ("Makefile", "Dockerfile", "Procfile", "Gemfile", "Rakefile", "Jenkinsfile")
    if not stem:
        return len(extension) > 2 and extension.isalpha()
    return extension.lower() in FILES and stem[-1] != "." and (len(stem) > 1 or len(extension) > 1)


def _identifier(core: str) -> Part | None:
    size = len(core)
    bare = core.removesuffix("()").lstrip("$")
    if "." in bare or "::" in bare or "->" in bare or "#" in bare:
        return _dotted(bare, size)
    inner = bare.strip("_")
    told = len(bare) < size or "_" in inner or (bare.startswith("__") and bare.endswith("__"))
    private = bare[0] == "_" and bare[-1] != "_"
    if inner and (told or private):
        return Part("identifier", joined(inner), 0, size)
    return _cased(bare, size) if inner == bare else None


def _dotted(bare: str, size: int) -> Part | None:
    names = re.split(r"\.|::|->|#", bare)
    if max(map(len, names)) < 2 or (len(names[0]) < 2 and len(names) == 2 and len(names[1]) < 3):
        return None  # e.g., U.S.A
    return Part("identifier", ".".join(map(joined, names)), 0, size)


def _cased(bare: str, size: int) -> Part | None:
    """Names told by capitals within them."""
    acronym = _ACRONYM.fullmatch(bare)
    if acronym:
        key = acronym[1].lower()
        shouted = key in NOT_ACRONYMS or bare.lower() in NOT_ACRONYMS or _SHELF.fullmatch(bare)
        return None if shouted else Part("acronym", key, 0, size)
    if _CAMEL.fullmatch(bare):
        return Part("identifier", folded(bare), 0, size)
    if _MIXED.fullmatch(bare) or _LETTER_DIGITS.fullmatch(bare):
        return Part("acronym", folded(bare), 0, size)
    return None
