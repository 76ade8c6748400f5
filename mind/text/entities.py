"""Entities in a text: paths, identifiers, acronyms, issues, links, versions, names.

Different spellings of an entity share one key: ``parse_date``, ``parseDate`` and ``ParseDate``.
"""

import re
import unicodedata
from collections.abc import Container, Iterator
from typing import NamedTuple

from mind.domain import caching
from mind.text import lazy_pattern, table


def _words(name: str) -> frozenset[str]:
    return frozenset(table("entities")[name].split())


NOT_ACRONYMS = _words("not_acronyms")
NOT_NAMES = _words("not_names")
_GERMAN = _words("german")
_FILES = _words("files")
_FOLDERS = _words("folders")
_DOMAINS = _words("domains")
VERSIONED = _words("versioned")


_LONGEST = 200
"""Maximum characters of a word; longer ones are data."""


class FoundEntity(NamedTuple):
    """An entity in a text, or in a word of it.

    In a word, some depend on the context: "capital" for a capitalised word, "digits", and
    "decimal" for a possible version.

    Attributes:
        start: First character in the text.
        end: After the last one.
        kind: path, identifier, flag, code (in backticks), acronym, issue, link (``[[wikilink]]``),
            host, version, package, name, or start: possibly just the start of a sentence.
        key: Equal for other spellings of the same entity.
    """

    start: int
    end: int
    kind: str
    key: str

    def behind(self, at: int) -> "FoundEntity":
        """The same, found in the text from character ``at``."""
        return self._replace(start=self.start + at, end=self.end + at)


_URL = lazy_pattern(r"(?:[a-z][a-z0-9+.-]{1,9}://(?:[^\s/@]*@)?|git@)([^\s/?#:@]+)", re.IGNORECASE)
_PACKAGE = lazy_pattern(
    r"(@[a-z0-9][\w.-]*/[a-z0-9][\w.-]*)(?:/[\w./-]*)?(?:@[\w.^~-]+)?", re.IGNORECASE
)
_ISSUE = lazy_pattern(
    r"(?P<repo>[\w.-]+/[\w.-]+#\d{1,7})|[#!](?P<number>\d{1,7})|GH-(?P<gh>\d{1,7})|"
    r"(?P<ticket>(?!(?:UTF|ISO|SHA|MD|AES|RSA|GPT|COVID|BASE|TLS|SSL|HTTP|MP|USB|ES|LATIN)-)"
    r"[A-Z][A-Z0-9]{1,9}-\d{1,6}|CVE-\d{4}-\d{4,7})"
)
_FLAG = lazy_pattern(r"--[A-Za-z][\w-]*")
_SUFFIX = r"(?:[-+.]?(?:alpha|beta|dev|post|pre|rc|a|b)[.-]?\d*)"
_VERSION = lazy_pattern(
    rf"[vV](?P<v>\d+(?:\.(?:\d+|x))*{_SUFFIX}?)|"
    rf"(?P<three>\d+\.\d+\.(?:\d+|x){_SUFFIX}?)|(?P<two>\d+\.(?:\d+{_SUFFIX}|x))"
)
_DATE = lazy_pattern(r"(?:19|20)\d\d\.\d\d?\.\d\d?|\d\d?\.\d\d?\.(?:19|20)\d\d")
_ADDRESS = lazy_pattern(r"(\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?")
_DECIMAL = lazy_pattern(r"\d+\.\d+")
_NAME = r"[^\W\d]\w*"
_IDENTIFIER = lazy_pattern(rf"\$?{_NAME}(?:(?:\.|::|->|#){_NAME})*(?:\(\))?")
_CAMEL = lazy_pattern(r"[a-z]+[0-9]*[A-Z]\w*|(?:[A-Z][a-z0-9]+){2,}[A-Z]?")
_MIXED = lazy_pattern(r"(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z0-9])[A-Za-z]*[A-Z]{2}[A-Za-z0-9]*")
_LETTER_DIGITS = lazy_pattern(r"[A-Z]\d+[a-z]+")
_ACRONYM = lazy_pattern(r"([A-Z][A-Z0-9]{1,9})(?:(?<=[A-Z])(?:s|es))?")
_SHELF = lazy_pattern(r"[PQ]\d{1,2}")
_HEADER = lazy_pattern(r"[A-Z][a-z]+(?:-[A-Z][a-z]*)+")
_PLACE = lazy_pattern(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?|::[\w\[\]:.-]+)$")
_SEGMENT = lazy_pattern(r"[\w.@+~%$-]+")
_TRAILING = ".:!?-&^%+~\\"
_LEADING = "!?:&^%+"
_JOINTS = lazy_pattern(r"[_\s-]+")


def folded(text: str) -> str:
    """``text`` in normalised Unicode and folded case."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def joined(text: str) -> str:
    """The key of a name of several words, however they are joined."""
    key = folded(text)
    return _JOINTS.sub("", key) or key.strip() or key


@caching.of_words
def parts(word: str) -> tuple[FoundEntity, ...]:
    """The entities in ``word``, in order."""
    start = len(word) - len(word.lstrip(_LEADING if not word[1:2].isdigit() else "?:&^%+"))
    end = len(word.rstrip(_TRAILING))
    core = word[start:end]
    if core.isdigit() and len(core) < _LONGEST:
        return (FoundEntity(start, end, "digits", core),)
    if end - start < 2 or end - start > _LONGEST:
        return ()
    return tuple(one.behind(start) for one in _parts(core))


def _parts(core: str) -> Iterator[FoundEntity]:
    found = _special(core) or _code(core)
    if found:
        yield found
    elif "/" in core:
        yield from _pieces(core, "/")
    elif "-" in core:
        yield from _pieces(core, "-")
    elif core[0].isupper() and core[1:].islower() and core.isalpha():
        yield FoundEntity(0, len(core), "capital", folded(core))


def _pieces(core: str, joint: str) -> Iterator[FoundEntity]:
    """Yield the entities between slashes or hyphens."""
    at = 0
    for piece in core.split(joint)[:8]:
        if len(piece) > 1 and not piece.isdigit():
            for one in _parts(piece):
                if one.kind != "decimal":
                    yield one.behind(at)
        at += len(piece) + 1


def _special(core: str) -> FoundEntity | None:
    """Return an entity recognised by a symbol: hosts, packages, issues, flags, versions."""
    first = core[0]
    if first == "-":
        flag = _FLAG.fullmatch(core)
        return FoundEntity(0, len(core), "flag", f"--{joined(core)}") if flag else None
    if first == "@":
        package = _PACKAGE.fullmatch(core)
        return FoundEntity(0, package.end(1), "package", folded(package[1])) if package else None
    if first.isdigit():
        return _numeric(core)
    return _host(core) or _issue(core) or _version(core)


def _host(core: str) -> FoundEntity | None:
    found = _URL.match(core) if ":" in core else None
    if found:
        return _host_part(core, found.start(1), found.end(1))
    if core == "localhost" or core.startswith("localhost:"):
        return FoundEntity(0, 9, "host", "localhost")
    labels = core.split("/", 1)[0].split(".")
    if len(labels) > 1 and labels[-1] in _DOMAINS and all(labels) and "@" not in core:
        return _host_part(core, 0, len(".".join(labels)))
    return None


def _host_part(core: str, start: int, end: int) -> FoundEntity | None:
    key = folded(core[start:end]).removeprefix("www.").rstrip(".")
    return FoundEntity(start, end, "host", key) if key else None


def _issue(core: str) -> FoundEntity | None:
    found = _ISSUE.fullmatch(core)
    if not found:
        return None
    number = found["number"] or found["gh"]
    return FoundEntity(0, len(core), "issue", f"#{number}" if number else folded(core))


def _numeric(core: str) -> FoundEntity | None:
    address = _ADDRESS.fullmatch(core)
    if address:
        return FoundEntity(0, address.end(1), "host", address[1])
    if _DECIMAL.fullmatch(core):
        return FoundEntity(0, len(core), "decimal", core)
    return None if _DATE.fullmatch(core) else _version(core)


def _version(core: str) -> FoundEntity | None:
    found = _VERSION.fullmatch(core)
    if not found:
        return None
    return FoundEntity(
        0, len(core), "version", folded(found["v"] or found["three"] or found["two"])
    )


def _code(core: str) -> FoundEntity | None:
    """Return an entity recognised by its letters: paths, identifiers, acronyms."""
    path = _path(core)
    if path:
        return path
    if _IDENTIFIER.fullmatch(core):
        return _identifier(core)
    if _HEADER.fullmatch(core):
        return FoundEntity(0, len(core), "name", joined(core))
    return None


def _path(core: str) -> FoundEntity | None:
    place = _PLACE.search(core)
    name = core[: place.start()] if place else core
    plain = name.replace("\\", "/") if "\\" in name else name
    if not _is_path(plain):
        return None
    return FoundEntity(0, len(name), "path", path_key(plain))


def path_key(path: str) -> str:
    """The key of a path: folded, with slashes, without leading "./" and trailing slash."""
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
    if name[0] == "/" or name.endswith("/") or segments[0] in _FOLDERS or _is_file(last):
        return True
    return any(one[0] == "." or "_" in one for one in segments)


def _is_file(name: str) -> bool:
    stem, dot, extension = name.rpartition(".")
    if not dot:
        return name in ("Makefile", "Dockerfile", "Procfile", "Gemfile", "Rakefile", "Jenkinsfile")
    if not stem:
        return len(extension) > 2 and extension.isalpha()
    return extension.lower() in _FILES and stem[-1] != "." and (len(stem) > 1 or len(extension) > 1)


def _identifier(core: str) -> FoundEntity | None:
    size = len(core)
    bare = core.removesuffix("()").lstrip("$")
    if "." in bare or "::" in bare or "->" in bare or "#" in bare:
        return _dotted(bare, size)
    inner = bare.strip("_")
    told = len(bare) < size or "_" in inner or (bare.startswith("__") and bare.endswith("__"))
    private = bare[0] == "_" and bare[-1] != "_"
    if inner and (told or private):
        return FoundEntity(0, size, "identifier", joined(inner))
    return _cased(bare, size) if inner == bare else None


def _dotted(bare: str, size: int) -> FoundEntity | None:
    names = re.split(r"\.|::|->|#", bare)
    if max(map(len, names)) < 2 or (len(names[0]) < 2 and len(names) == 2 and len(names[1]) < 3):
        return None  # e.g., U.S.A
    return FoundEntity(0, size, "identifier", ".".join(map(joined, names)))


def _cased(bare: str, size: int) -> FoundEntity | None:
    """Names recognised by capitals within them."""
    acronym = _ACRONYM.fullmatch(bare)
    if acronym:
        key = acronym[1].lower()
        shouted = key in NOT_ACRONYMS or bare.lower() in NOT_ACRONYMS or _SHELF.fullmatch(bare)
        return None if shouted else FoundEntity(0, size, "acronym", key)
    if _CAMEL.fullmatch(bare):
        return FoundEntity(0, size, "identifier", folded(bare))
    if _MIXED.fullmatch(bare) or _LETTER_DIGITS.fullmatch(bare):
        return FoundEntity(0, size, "acronym", folded(bare))
    return None


_ASCII_APART = r"\s,;\"'()\[\]{}<>=|*`\x01"
_APART = (
    rf"{_ASCII_APART}“”‘’«»„—–…"
    r"\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef"
)
_ASCII_WORD, _WORD = (
    lazy_pattern(
        rf"(?<![^{apart}])(?![a-z]*+[.:!?]*+(?:(?!\(\))[{apart}]|\Z))[^{apart}]++(?:\(\))?"
    )
    for apart in (_ASCII_APART, _APART)
)
"""Any word except plain lower-case ones; the ranges of other scripts take long to compile."""
LINK = lazy_pattern(r"\[\[([^\[\]|\n]{1,200})(?:\|[^\[\]\n]{0,200})?\]\]")
_TICKS = lazy_pattern(r"`+")
_SENTENCE = lazy_pattern(r"(?:\A|[.!?:。！？：…\n])[\s\"'(*_\[“‘«„>#+-]*\Z")
_ABBREVIATED = ("e.g. ", "i.e. ", "vs. ", "cf. ", "incl. ", "resp. ")
_NUMBERED = ("pr ", "issue ", "bug ", "ticket ", "request ", "issue: ", "mr ")
_RELEASED = lazy_pattern(r" (?:release|branch|version|milestone|beta|series)\b")
_LONGEST_CODE = 80
_MOST_WORDS = 4
"""Maximum capitalised words in a row; more are a heading."""
_FILLED = "\x01"


def scan(text: str) -> list[FoundEntity]:
    """Entities in order of appearance; nested ones only in code."""
    found: list[FoundEntity] = []
    capitals: list[FoundEntity] = []
    shown = _links(text, found) if "[[" in text else text
    shown = _code_spans(shown, found) if "`" in shown else shown
    for word in (_ASCII_WORD if shown.isascii() else _WORD).finditer(shown):
        for part in parts(word.group()):
            one = part.behind(word.start())
            if one.kind == "capital":
                capitals.append(one)
            elif one.kind in ("digits", "decimal"):
                found += _numbered(shown, one)
            else:
                found.append(one)
    if capitals:
        found += _names(shown, capitals)
    found.sort()
    return found


def _links(text: str, found: list[FoundEntity]) -> str:
    def filled(link: re.Match[str]) -> str:
        target = link[1].strip()
        key = key_of(page_of(target))
        if any(map(str.isalnum, key)):
            start = link.start(1) + link[1].find(target)
            found.append(FoundEntity(start, start + len(target), "link", key))
        return _FILLED * len(link[0])

    return LINK.sub(filled, text)


def page_of(target: str) -> str:
    """Return the page of a link's target, without the heading; ``#`` and a number is an issue."""
    page, _, rest = target.partition("#")
    return target if not rest or rest[0].isdigit() or not page else page


def _code_spans(text: str, found: list[FoundEntity]) -> str:
    """Record the code in backticks; remove it from the text if it is one word."""
    shown, last = [], 0
    for start, end in _spans(text):
        inner = text[start:end]
        name = inner.strip()
        if not name or len(name) > _LONGEST_CODE or "\n" in name:
            continue
        at = start + inner.find(name)
        key = key_of(name)
        if any(map(str.isalnum, key)):
            found.append(FoundEntity(at, at + len(name), "code", key))
        if " " not in name:
            shown += [text[last:start], _FILLED * (end - start)]
            last = end
    return "".join([*shown, text[last:]]) if shown else text


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans between backtick runs of equal length (CommonMark code spans)."""
    runs = [one.span() for one in _TICKS.finditer(text)]
    following: dict[int, list[int]] = {}
    for at in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[at][1] - runs[at][0], []).append(at)
    at = 0
    while at < len(runs):
        start, end = runs[at]
        same = following[end - start]
        while same and same[-1] <= at:
            same.pop()
        if same:
            at = same[-1]
            yield end, runs[at][0]
        at += 1


def _numbered(text: str, part: FoundEntity) -> Iterator[FoundEntity]:
    """A number that its context makes an issue or a version."""
    before = text[max(0, part.start - 20) : part.start].lower()
    if part.kind == "digits":
        if before.endswith(_NUMBERED) and len(part.key) < 8:
            yield part._replace(kind="issue", key=f"#{part.key}")
    elif _is_versioned(before) or _RELEASED.match(text, part.end):
        yield part._replace(kind="version")


def _is_versioned(before: str) -> bool:
    words = before.split(" ")
    return len(words) > 1 and not words[-1] and words[-2].strip(":") in VERSIONED


def _names(text: str, capitals: list[FoundEntity]) -> Iterator[FoundEntity]:
    """Names consisting of capitalised words."""
    sure: list[FoundEntity] = []
    unsure: list[FoundEntity] = []
    for row in _rows(text, capitals):
        begins = _begins_sentence(text, row[0].start)
        words = _named(row)
        if not words or len(words) > _MOST_WORDS:
            continue
        start, end = words[0].start, words[-1].end
        told = len(words) > 1 or not (begins and words[0] is row[0])
        name = FoundEntity(start, end, "name" if told else "start", joined(text[start:end]))
        (sure if told else unsure).append(name)
    known = {one.key for one in sure}
    unsure = [one._replace(kind="name") if one.key in known else one for one in unsure]
    if len(sure) > 2 and len(_GERMAN.intersection(text.split())) > 1:
        sure = [one._replace(kind="start") for one in sure]
    yield from sure
    yield from unsure


def _rows(text: str, capitals: list[FoundEntity]) -> Iterator[list[FoundEntity]]:
    """Sequences of capitalised words separated by single spaces."""
    row = capitals[:1]
    for one in capitals[1:]:
        if one.start == row[-1].end + 1 and text[row[-1].end] == " ":
            row.append(one)
        else:
            yield row
            row = [one]
    yield row


def _named(row: list[FoundEntity]) -> list[FoundEntity]:
    """The sequence without leading and trailing words that are not part of a name."""
    first, last = 0, len(row)
    while first < last and _is_plain(row[first].key):
        first += 1
    while last > first and _is_plain(row[last - 1].key):
        last -= 1
    return row[first:last]


def _is_plain(word: str) -> bool:
    return word in NOT_NAMES or (len(word) > 5 and word.endswith(("ing", "ed")))


def _begins_sentence(text: str, start: int) -> bool:
    near = text[max(0, start - 12) : start]
    found = _SENTENCE.search(near)
    if not found or (found.start() == 0 and start > 12 and near[:1] not in ".!?:。！？：…\n"):
        return False
    return not near.lower().endswith(_ABBREVIATED)


def key_of(name: str) -> str:
    """The key of the entity ``name``; equal for its other spellings."""
    plain = name.strip()
    found = parts(plain)
    if len(found) == 1 and (found[0].start, found[0].end) == (0, len(plain)):
        key = found[0].key
        if found[0].kind not in ("digits", "decimal", "capital"):
            return key
    return joined(plain.strip("`*_\"' ")) if plain.isprintable() else joined(folded(plain))


_PLAIN_WORD = lazy_pattern(r"[^\s,;:!?\"'()\[\]{}<>=|*`“”‘’«»„]+")
_LONGEST_NAME = 4
"""Maximum words in a name."""


def windows(text: str) -> Iterator[list[tuple[str, int, int]]]:
    """Yield for each word the candidate names there, longest first: (key, start, end)."""
    words = [one.span() for one in _PLAIN_WORD.finditer(text)]
    for at, (start, _) in enumerate(words):
        ends = [end for _, end in words[at : at + _LONGEST_NAME]]
        yield [_window(text, start, end) for end in reversed(ends)]


def _window(text: str, start: int, end: int) -> tuple[str, int, int]:
    name = text[start:end].rstrip(".")
    return key_of(name), start, start + len(name)


def phrases(text: str, keys: Container[str]) -> Iterator[tuple[str, int, int]]:
    """(key, start, end) of names in ``keys``, not nested."""
    last = 0
    for window in windows(text):
        for key, start, end in window:
            if start >= last and key in keys:
                yield key, start, end
                last = end
                break
