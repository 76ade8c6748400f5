"""Secrets recognised by the words around them, and by their place."""

import re
from base64 import b64decode, urlsafe_b64decode
from binascii import Error
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby
from typing import NamedTuple

from mind.text import languages, lazy_pattern, table
from mind.text.secrets import Secret, shapes
from mind.text.secrets.shapes import (
    UUID,
    is_code,
    is_key,
    is_password,
    is_signed,
    is_stand_in,
    is_strong,
    is_weak,
    lowered,
)

_VOCABULARY = [table(f"secrets/{name}") for name in languages("secrets")]


def _words(part: str) -> list[str]:
    """The words of a part of ``mind/data/secrets``, of all languages, the longest first."""
    said = ", ".join(found[part] for found in _VOCABULARY if part in found)
    return sorted(set(said.split(", ")), key=lambda word: (-len(word), word))


_ALONE = lazy_pattern(r"(?<![^\W_])\Z")
"""Short words that count only by themselves: ``pass``, not ``compass``."""
_KEY_OF = lazy_pattern(
    r"(?:api|access|private|secret|signing|encryption|master|account|auth|license|subscription"
    r"|webhook|shared|storage|service|deploy|app|functions|client|consumer|recovery)[ _-]?\Z",
    re.IGNORECASE,
)
_OF_NAME = lazy_pattern(r"\b[A-Z]\w{1,14} (?:[a-z]{1,8} )?\Z")
"""A name before a key, as in "Consul token": a UUID is a secret then."""
_ANY = lazy_pattern(r"\Z")
_NEVER = lazy_pattern(r"(?!)")
_BEFORE = {
    **dict.fromkeys(_words("login"), _NEVER),
    **dict.fromkeys(_words("password"), _ANY),
    **dict.fromkeys(_words("key"), _KEY_OF),
    **dict.fromkeys("secret token credential".split(), _ANY),
    **dict.fromkeys("pass pwd pw pin mdp".split(), _ALONE),
    "auth": lazy_pattern(r"_\Z"),
}
"""Words, and what precedes each where any value is assigned to it; elsewhere it must be strong."""
_OF_KEYS = frozenset((*_words("key"), "auth"))
_TOKENS = frozenset({"secret", "token", "credential", "auth"})
_LOGINS = frozenset(_words("login"))
_LOOSE = frozenset((*_words("password"), *_words("login")))
"""Words whose value may stand anywhere in the same clause."""


def any_of(words: Iterable[str]) -> str:
    """An expression for the longest of some words, as a tree of letters: many take little time."""
    starts = groupby(sorted(words), key=lambda word: word[:1])
    parts = [re.escape(one) + any_of([word[1:] for word in rest]) for one, rest in starts if one]
    return f"(?:{'|'.join(parts)}){'?' if '' in words else ''}" if parts else ""


_ANY_NAME = lazy_pattern(any_of(_BEFORE))
_VALUE = (
    r"[*_\\]{0,3}(?:\"(?P<double>[^\"\n]{1,300})\"|'(?P<single>[^'\n]{1,300})'"
    r"|(?P<quote>[\"'])(?P<wrapped>[^\s\"']{8,300}\r?\n[ \t>]{0,40}[^\s\"']{4,300})(?P=quote)"
    r"|`{1,3}(?P<ticks>[^`\n]{1,300})`|(?P<bare>[^\s\"'`<>\[\]{}()|,;]{1,300}))(?P<next>[(\[{]?)"
)
_SPACED = "|".join(word for word in _words("is") if word < "\u3000")
_JOINED = "|".join(word for word in _words("is") if word > "\u3000")
"""Words for "is", those of languages without spaces apart."""
_IS = (
    r"(?:[ \t]{0,20}(?::=|=>|->|={1,3}|[:→：＝|])[ \t]{0,20}[*_]{0,2}[ \t]{0,4}"
    r"(?:(?:\r?\n){1,2}[ \t>]{1,12})?"
    rf"|[ \t]{{1,4}}(?:{_SPACED})(?:[ ](?:now|set to|currently))?"
    r"(?:[ \t]{1,4}|[ \t]{0,4}(?::[ \t]{0,4}|\n[ \t>]{0,12}))"
    rf"|[ \t]?(?:{_JOINED})[ \t]?|>(?=[^<\s]{{6,300}}</))"
)
_NAME = (
    r"(?P<rest>[sS]?\d{0,3}(?:[_-][A-Za-z0-9]{1,20}|[A-Z][a-z0-9]{1,20}){0,3}"
    r"(?:[ ](?:access[ ])?key)?)"
)
"""The end of a name in either style: ``TOKEN_PROD``, ``tokenProd``, ``token2``."""
_HUMP = re.compile(r"(?<![A-Z_-])(?=[A-Z])")
_ASSIGNED = lazy_pattern(
    _NAME
    + r"[\\\"'`*_\])]{0,4}(?:[ ](?:for|of|on|to|in|from)[ ][^\n:=\"'`]{1,40}?)?"
    + _IS
    + _VALUE
)
_OPTION, _GIVEN = (
    lazy_pattern(r"(?<!\S)--?(?:[a-z]{1,20}-){0,3}\Z"),
    lazy_pattern(_NAME + r"[ \t]{1,4}" + _VALUE),
)
_SENTENCE = lazy_pattern(
    r"[\"'`*]{0,4}[ ]?[:=][ ]?[\"'`]?"
    r"(?P<words>(?:[A-Za-z]{3,12}[ ]){3,7}[A-Za-z]*\d{1,6}[!@#$%^&*?]+)"
)
"""A password of several words, in quotes or up to its sign."""
_CLAUSE = lazy_pattern(
    r"s?(?:(?=[\s:=\"'`(),|<>*\[\]])|(?=[^\x00-\x7f])|(?<=[(\u0080-\U0010ffff]))"
    r"[\s:*_=>|`\"'\\-]{0,40}+"
    r"(?P<words>(?:[^\n.;\[]|\[(?![\w-]{1,30}::)|[.;](?!\s)|\n(?=[\s*]{0,8}[\"']?(?:[vV]alue|default)\b)){0,70}+)"
)
"""The words after a name, up to the end of the clause or an inline field."""
_TOKEN = lazy_pattern(r"[^\s\"'`<>|,;(){}\[\]\u0080-\U0010ffff]{8,300}")
_PART = lazy_pattern(r"[\w.-]{1,40}[=:]|[\w.-]{3,40}/")
_NEXT = lazy_pattern(
    rf"s?[\s\"'`*=:,(>|-]*\Z|.*(?:[:=]|\b(?:{_SPACED})\b|{_JOINED})[\s\"'`*(]*\Z", re.DOTALL
)
"""Text between a key's name and its value."""
_USER = lazy_pattern(
    r"s?[\s:*_(\"'`]*(?:[^\s,.]{1,12}\s){0,2}[^\s/:,|]{1,40}\s*[/:,|]\s*[\"'`*]*"
    rf"|\s(?:[^\s,.]{{1,40}}\s){{1,3}}(?:{'|'.join(_words('with'))})\s[\"'`*]*"
)
"""A user's name between the word for a login and the password."""
_LONG_KEY = 24
"""Fewest characters of a key that nothing but "key" names."""
_SPOKEN = 5
"""Fewest letters of a word that names a password wherever it stands, and of one that names a
column: not of "pass", as of tests."""
_IDENTIFIES = lazy_pattern(
    r"\b(?:ids?|hash\w*|digests?|versions?|checksums?|fingerprints?|sha\d*|commits?|encrypted)\b",
    re.IGNORECASE,
)
_AS = lazy_pattern(
    rf"[\"'`)]{{0,2}}[ ](?:{'|'.join(_words('as'))})[ ](?:[^\s,.;]{{1,20}}[ ]){{0,3}}\Z"
)
"""Text between a strong value and the name behind it: "use … as the new password"."""
_TABLE = lazy_pattern(
    r"^(?P<head>[^\n|]*+\|[^\n]*+)\n[ \t>]*+\|?[ ]?:?-{2}[ :|-]*+\n"
    r"(?P<rows>(?:[^\n]*\|[^\n]*(?:\n|\Z))+)"
    r"|^(?P<names>[\w -]{1,40}(?:,[\w -]{1,40}){1,20})\n"
    r"(?P<lines>(?:[^\n,]*,[^\n]*(?:\n|\Z))+)",
    re.MULTILINE,
)
"""A table of Markdown, and one of comma-separated values."""
_CELL = lazy_pattern(r"[\s`*\"']*(?P<bare>[^\s`*\"'|,]{6,300})[\s`*\"']*\Z")
_OTHER_THING = lazy_pattern(
    r"[_-](?:ids?|name|hash(?:ed)?|digest|ur[il]|file(?:name)?|path|count|limit|len(?:gth)?|size"
    r"|type|ttl|expir\w*|age|policy|ref|arn|version|fields?|column|param\w*|header|prefix|format"
    r"|budget|index|usage|bucket|regex|pattern|env|var|class|label|hint|reset|at|date|kind|scopes?"
    r"|endpoint|alg\w*|issuer|audience|source|rounds|manager|store|scan\w*)\Z",
    re.IGNORECASE,
)
"""Suffixes of names that are not secrets: ``token_count``, ``password_hash``."""
_OTHER_LEAD = lazy_pattern(
    r"(?:max|(?<!ad)min|num|start(?:ing)?|change|update|page|next|prev|cursor|idempotency|cache|sync|continuation|commit|hash|sha\d*"
    r"|checksum|digest|pagination|public(?:[ _-]?key)?|publishable|primary|foreign|sort|partition"
    r"|dedupe|site|csrf|xsrf|lock|etag|git|object|blob|row|entry|query)[ _-]?\Z",
    re.IGNORECASE,
)
"""Prefixes of names that are not secrets: ``next_page_token``."""
_OPEN_LEAD = lazy_pattern(
    r"(?:public(?:[ _-]?key)?|publishable|hash|sha\d*|checksum|digest|csrf|xsrf|next[_-]?page"
    r"|continuation|pagination)[ _-]?\Z",
    re.IGNORECASE,
)
"""Prefixes of environment variables that are not secrets."""
_VARIABLE = lazy_pattern(
    r"(?:\A|[\n`\"']|\b(?:export|set|env|ENV|ARG) )[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_\Z"
)
_SURE = lazy_pattern(r"api|secret|auth|access|private|credential|key", re.IGNORECASE)
_LEAD, _LONGEST_NAME, _BEHIND = 16, 64, 120


class _Named(NamedTuple):
    """A word that can name a secret: its start and end, and its context."""

    word: str
    start: int
    end: int
    lead: str


def named(text: str) -> Iterator[Secret]:
    """Yield values of passwords, keys and tokens: assigned ones, and strong ones nearby."""
    for one in _names(text):
        yield from _assigned(text, one) or _near(text, one)


def _names(text: str) -> Iterator[_Named]:
    for found in _ANY_NAME.finditer(lowered(text)):
        start, end = found.span()
        yield _Named(found[0], start, end, text[max(0, start - _LEAD) : start])


def _assigned(text: str, one: _Named) -> list[Secret]:
    """The value assigned to a name, if the name is that of a secret."""
    if not _BEFORE[one.word].search(one.lead):
        return []
    sentence = None if one.word in _OF_KEYS else _SENTENCE.match(text, one.end)
    if sentence:
        return [Secret("password", *sentence.span("words"))]
    found = _ASSIGNED.match(text, one.end)
    if not found and _OPTION.search(one.lead):
        found = _GIVEN.match(text, one.end)
    if not found or found["next"] or _OTHER_THING.search(_HUMP.sub("_", found["rest"])):
        return []
    is_part = _BEFORE[one.word] is _ALONE and found["rest"][:1].isupper()  # ``passThrough``
    if is_part or (one.word == "pin" and not (found["bare"] or "").isdigit()):  # "N": a number
        return []
    of_key = one.word in _OF_KEYS or "key" in found["rest"].lower()
    if of_key and _names_another_thing(text, one):
        return []
    sure = _SURE.search(one.lead + one.word + found["rest"]) is not None
    return list(_judged(found, of_key=of_key, sure=sure))


def _names_another_thing(text: str, one: _Named) -> bool:
    """Return whether the name is not a secret's: ``sync_token`` is a list's cursor."""
    is_variable = (
        text.startswith("=", one.end)
        and text[one.start : one.end].isupper()
        and _VARIABLE.search(text, max(0, one.start - _LONGEST_NAME), one.start)
    )
    is_part = one.lead.endswith(":") and text.startswith(":", one.end)  # as in Amazon's ARNs
    return is_part or (_OPEN_LEAD if is_variable else _OTHER_LEAD).search(one.lead) is not None


def _near(text: str, one: _Named) -> Iterator[Secret]:
    """Yield the first strong value in the clause after a name, else that said to be it before."""
    of_key = one.word in _OF_KEYS
    of_name = of_key and _OF_NAME.search(one.lead)
    for start, end in chain(_after(text, one), _before(text, one)):
        value = text[start:end]
        if is_strong(value) or (of_name and UUID.fullmatch(value)):
            is_other = of_key and (_names_another_thing(text, one) or _is_plain_key(one, value))
            if not (is_other or (not of_key and shapes.DIGEST.fullmatch(value))):
                kind = "password" if one.word in _LOOSE else "API key or token"
                yield Secret(kind, start, end)
            return


def _is_plain_key(one: _Named, value: str) -> bool:
    """Return whether a value may be the key of a table or map."""
    is_sure = _KEY_OF.search(one.lead) or is_signed(value) or len(value) >= _LONG_KEY
    return one.word not in _TOKENS and not is_sure


def _after(text: str, one: _Named) -> Iterator[tuple[int, int]]:
    """The spans of what may be the value of a name before it."""
    alone = len(one.word) >= len("pass") or _ALONE.search(one.lead) or one.word > "\u0370"
    clause = _CLAUSE.match(text, one.end) if alone else None
    for start, end in _tokens(text, *clause.span("words")) if clause else ():
        between = text[one.end : start]
        if _IDENTIFIES.search(between) or not _leads(one.word, between):
            return
        yield start, end


def _leads(word: str, between: str) -> bool:
    """Return whether the words after a name lead to its value."""
    if word in _LOGINS:
        return _USER.fullmatch(between) is not None
    is_loose = word in _LOOSE and (len(word) >= _SPOKEN or word > "\u0370")
    return is_loose or _NEXT.match(between) is not None


def _before(text: str, one: _Named) -> Iterator[tuple[int, int]]:
    """The span of what is said to be what a name behind it names."""
    start = max(0, one.start - _BEHIND)
    said = _AS.search(text, start, one.start)
    if said:
        yield from (span for span in _tokens(text, start, said.start()) if span[1] == said.start())


def _tokens(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of the words that begin from ``start`` to ``end``, and of what they assign."""
    for word in _TOKEN.finditer(text, start, end):
        at, whole = word.start(), _TOKEN.match(text, word.start())
        until = at + len((whole or word)[0].rstrip(".,:;*_\\"))
        yield at, until
        part = _PART.match(text, at, until)
        if part:
            yield part.end(), until


def tables(text: str) -> Iterator[Secret]:
    """Yield the cells below a column's name that names a secret."""
    for found in _TABLE.finditer(text):
        head, rows, sign = ("head", "rows", "|") if found["head"] else ("names", "lines", ",")
        kinds = [_of_column(cell) for cell in found[head].split(sign)]
        start, column = found.start(rows), 0
        for cell in re.findall(rf"[^{sign}\n]*[{sign}\n]?", found[rows]):
            value = _CELL.match(text, start, start + len(cell.rstrip(sign)))
            if value and column < len(kinds) and kinds[column]:
                yield from _judged(value, of_key=kinds[column] == "key", sure=False)
            start, column = start + len(cell), 0 if cell.endswith("\n") else column + 1


def _of_column(cell: str) -> str:
    """Return "key" or "password" for the name of a column, or nothing."""
    cell = cell.strip(" *`\t>")
    for one in _names(cell):
        is_whole = len(one.word) >= _SPOKEN and cell[one.end :] in {"", "s"}
        is_whole = is_whole or (one.word > "\u0370" and not cell[one.end :])
        if is_whole and _BEFORE[one.word].search(one.lead):
            return "key" if one.word in _OF_KEYS else "password"
    return ""


def _judged(found: re.Match[str], *, of_key: bool, sure: bool) -> Iterator[Secret]:
    """Yield the value if it looks like a secret; a UUID only if it is certainly a key."""
    start, end = _value(found)
    value = found.string[start:end]
    if "\n" in value:
        value = "".join(value.split())
    if of_key:
        shortest = 10 if sure else 16
        is_one = is_key(value, shortest) or (sure and is_password(value) and is_signed(value))
        if sure if UUID.fullmatch(value) else is_one:
            yield Secret("API key or token", start, end)
    elif " " not in value and is_password(value, quoted=_is_quoted(found)):
        yield Secret("password", start, end)


def _is_quoted(found: re.Match[str]) -> bool:
    return any(found.groupdict().get(name) for name in ("double", "single"))


def _value(found: re.Match[str]) -> tuple[int, int]:
    """The span of the value, without the end of a sentence, emphasis or escaped string."""
    for name in ("double", "single", "wrapped", "ticks"):
        if found.groupdict().get(name) is not None:
            return found.start(name), found.start(name) + len(found[name].rstrip("\\"))
    start, end = found.span("bare")
    while end > start and found.string[end - 1] in ".,:;*_\\":
        end -= 1
    return start, end


_ADDRESS = lazy_pattern(
    r"://(?P<user>[^\s/:@\"'<>`|]{0,80}):(?P<value>(?:[^\s/\"'<>`|]|'(?=\w)){1,200})@(?=[\w\[$%.-])"
)
_TOKEN_IN_ADDRESS = lazy_pattern(r"://(?P<value>[0-9a-f]{40})(?::[\w-]{0,30})?@(?=\w)")
_PORT = lazy_pattern(r"\d{2,5}(?![^?#&,;)\]}|])")
_NAMED_VARIABLE = lazy_pattern(
    r"\$(?:[A-Za-z_]+|[A-Z_][A-Z\d_]*)|[$%@#]?(?:\(.*\)|\{.*\}|\[.*\]|<.*>)s?|.*\$\{.*"
    r"|%[A-Za-z_]\w*%|%[sd]|:[A-Za-z_]+|[A-Z][A-Z\d]*(?:_[A-Z\d]+)+",
    re.DOTALL,
)
"""Placeholders for a password: ``$PASSWORD``, ``{password}``, ``%PASSWORD%``."""
_ESCAPE = lazy_pattern(r"%([0-9A-Fa-f]{2})")
_SCHEME = lazy_pattern(r"[a-z][a-z0-9+.-]{0,30}\Z", re.IGNORECASE)
_DATABASE = lazy_pattern(
    r"postgres|mysql|mariadb|mongo|redis|amqp|mssql|sqlserver|oracle|cockroach|clickhouse|cassandra"
    r"|neo4j|bolt|couch|influx|snowflake|redshift|jdbc",
    re.IGNORECASE,
)
_HEADER = lazy_pattern(
    r"\b(?:authorization[\"']?:[ ]?[\"']?(?P<scheme>[a-z][\w-]{0,30})|(?P<kind>Bearer|Basic))"
    r"[ \t:=]{1,4}[\"'`*]{0,2}"
    r"(?P<value>[A-Za-z0-9._~+/=-]{8,4000}+)",
    re.IGNORECASE,
)


def addresses(text: str) -> Iterator[Secret]:
    """Yield passwords in URLs."""
    for found in _ADDRESS.finditer(text):
        scheme = _SCHEME.search(text, max(0, found.start() - 30), found.start())
        if scheme and _is_password_of(found["user"], found["value"]):
            kind = "database password" if _DATABASE.match(scheme[0]) else "password in a URL"
            yield Secret(kind, *found.span("value"))
    for found in _TOKEN_IN_ADDRESS.finditer(text):
        yield Secret("token in a URL", *found.span("value"))


def _is_password_of(user: str, value: str) -> bool:
    """Return whether it is a password in any characters: no port, placeholder or manual's example.

    Its position already marks it as a password, so its form does not matter.
    """
    plain = _unescaped(value)
    if plain == _unescaped(user) or _PORT.match(value) or _NAMED_VARIABLE.fullmatch(value):
        return False
    return not (len(plain) < 4 or is_weak(plain) or is_stand_in(plain))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def headers(text: str) -> Iterator[Secret]:
    """Yield credentials in Authorization headers."""
    for found in _HEADER.finditer(text):
        start = found.start("value")
        value = found["value"].rstrip("._~-")
        if (found["scheme"] or found["kind"]).lower() == "basic":
            if _is_basic(value):
                yield Secret("basic auth header", start, start + len(value))
        elif is_key(value, 20) and (found["scheme"] or not UUID.fullmatch(value)):
            yield Secret("bearer token", start, start + len(value))


def _placed() -> Iterator[tuple[tuple[str, ...], shapes.Finder]]:
    """The rules of values that their place gives away."""
    for row in table("secrets")["placed"].splitlines():
        kind, test, words, pattern = row.split(" | ")
        yield tuple(words.split()), _at_place(kind, _TESTS[test], pattern)


def _at_place(kind: str, test: Callable[[str], bool], pattern: str) -> shapes.Finder:
    def find(text: str) -> Iterator[Secret]:
        for found in shapes.compiled(pattern).finditer(lowered(text)):
            if test(text[slice(*found.span("value"))]):
                yield Secret(kind, *found.span("value"))

    return find


def _options() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Programs, and the options that give them a password."""
    for row in table("secrets")["options"].splitlines():
        programs, options = row.split(" | ")
        argument = options.replace(" {V}", "[ \t=]{1,4}{V}").replace("{V}", _ARGUMENT)
        pattern = re.compile(rf"(?<!\S)(?:{argument})")
        yield from ((program, pattern) for program in programs.split(", "))


def commands(text: str) -> Iterator[Secret]:
    """Yield passwords among the options of programs."""
    for program in _PROGRAM.finditer(text):
        line = _COMMAND_LINE.match(text, program.end())
        if line and not text[max(0, program.start() - 1) : program.start()].isalnum():
            for found in _OPTIONS[program[0]].finditer(text, *line.span("options")):
                if _is_given(found["value"]):
                    yield Secret("password of a command", *found.span("value"))


def _is_given(password: str) -> bool:
    return not (password.isdigit() or _is_shown(password))


def _is_key(value: str) -> bool:
    return is_key(value, 20) and not UUID.fullmatch(value)


def _is_shown(password: str) -> bool:
    """Return whether it is a placeholder, a manual's example or a port."""
    return (
        len(password) < 4
        or (password.isdigit() and len(password) < 6)
        or is_weak(password)
        or is_stand_in(password)
        or is_code(password)
    )


def _is_basic(value: str) -> bool:
    """Return whether it is ``user:password`` in base64."""
    try:
        user, colon, password = b64decode(value, validate=True).decode("utf-8").partition(":")
    except (Error, ValueError):
        return False
    shown = (user + password).isprintable() and user
    return bool(colon and shown) and not _is_shown(password)


_TESTS = {"given": _is_given, "key": _is_key, "strong": is_strong}
_ARGUMENT = r"[\"']?(?P<value>[^\s\"'`*]{4,200})"
_OPTIONS = dict(_options())
_PROGRAM = lazy_pattern(any_of(_OPTIONS))
_COMMAND_LINE = lazy_pattern(
    r"[\w-]{0,20}(?P<options>[ \t](?:[^\s\\⏎]|[ \t](?![|;&⏎])|\\[\s\S]){4,300}+)"
)

_PHRASE = lazy_pattern(
    r"(?:(?:(?:[sS]eed|[mM]nemonic)(?:[ _-]?(?:phrase|words?))?"
    r"|(?:[rR]ecovery|[bB]ackup)[ _-]?(?:phrase|words?)|[12][12458][ -]words)"
    r"[\"'`*]{0,4}(?:[ ]?[:=]|[ ]is|[ ]are)[\s\"'`*]{1,6}"
    r"(?P<words>(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})"
    r"|(?:[rR]ecovery|[bB]ackup)[ _-]?codes?[\"'`*]{0,4}(?:[ ]?[:=]|[ ]is|[ ]are)[\s\"'`*-]{1,6}"
    r"(?P<codes>(?:(?=[a-z-]{0,12}\d)[0-9a-z]{4,8}(?:-[0-9a-z]{4,8})+[\s,*-]{0,6}){2,}(?<=\w))"
    r"|passphrase[\"'`*]{0,4}(?:[ ]?[:=]|[ ]is)[ ]?"
    r"(?P<quote>[\"'`])(?P<said>(?:[a-z]{3,12}[ -]){3,11}[a-z]{3,12})(?P=quote))"
)
_PEM = lazy_pattern(
    r"-----BEGIN (?P<kind>(?:[A-Z0-9]{1,12} ){0,3})PRIVATE KEY(?: BLOCK)?-----", re.ASCII
)
_PEM_END = lazy_pattern(r"-----END [A-Z0-9 ]{1,60}-----", re.ASCII)
_PEM_NAMES = {
    "RSA": "RSA private key",
    "EC": "EC private key",
    "DSA": "DSA private key",
    "OPENSSH": "SSH private key",
    "PGP": "PGP private key",
    "ENCRYPTED": "encrypted private key",
}
_LINE = lazy_pattern(r"[A-Za-z0-9+/=]{16,}+")
_HEADERS, _MARGIN = 200, 24
"""Maximum characters before the first line of a key, and between two lines."""
_PUTTY = lazy_pattern(
    r"PuTTY-User-Key-File-\d: [\s\S]{0,8000}?Private-Lines: \d{1,4}"
    r"(?:\s{1,3}[A-Za-z0-9+/=]{16,80}+)++"
)
_WEB_TOKEN = lazy_pattern(
    r"(?<![\w.-])eyJ[A-Za-z0-9_-]{8,4000}+\.[A-Za-z0-9_-]{8,8000}+\.[A-Za-z0-9_-]{8,2000}+",
    re.ASCII,
)


def phrases(text: str) -> Iterator[Secret]:
    """Yield seed phrases of wallets and keys."""
    for found in _PHRASE.finditer(text):
        group = next(name for name in ("words", "said", "codes") if found[name])
        yield Secret("recovery phrase", *found.span(group))


def private_keys(text: str) -> Iterator[Secret]:
    """Yield private keys with content; a quoted header alone does not count."""
    for found in _PEM.finditer(text):
        until = text.find("-----", found.end())
        lines = list(_lines(text, found.end(), until if until >= 0 else len(text)))
        if sum(len(line[0]) for line in lines) < 32:
            continue
        closing = _PEM_END.match(text, until) if until >= 0 else None
        name = _PEM_NAMES.get(found["kind"].strip(), "private key")
        if '"private_key"' in text[max(0, found.start() - 20) : found.start()]:
            name = "Google service account key"
        yield Secret(name, found.start(), closing.end() if closing else lines[-1].end())
    for found in _PUTTY.finditer(text):
        yield Secret("SSH private key", *found.span())


def _lines(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The consecutive lines of a key after its header; PEM headers may precede them."""
    most = _HEADERS
    for line in _LINE.finditer(text, start, end):
        if line.start() - start > most:
            return
        yield line
        start, most = line.end(), _MARGIN


def web_tokens(text: str) -> Iterator[Secret]:
    """JSON Web Tokens (RFC 7519): three parts, the first of which names an algorithm."""
    for found in _WEB_TOKEN.finditer(text):
        head = found[0].partition(".")[0]
        try:
            header = urlsafe_b64decode(head + "=" * (-len(head) % 4))
        except Error:
            continue
        if b'"alg"' in header:
            yield Secret("JSON Web Token", *found.span())


_Rules = tuple[tuple[tuple[str, ...], shapes.Finder], ...]

_LONG: _Rules = (
    (("eyj",), web_tokens),
    *shapes.RULES,
)
"""Rules for secrets that are at least as long as the shortest one with a known format."""
_RULES: _Rules = (
    (("-----begin", "putty-user"), private_keys),
    (("://",), addresses),
    (("bearer", "basic", "authorization"), headers),
    ((" -", "/", " password ", "rabbitmqctl"), commands),
    *_placed(),
    (("",), named),
    (("--", "word,", "pass,", "secret,", "token,"), tables),
    (("phrase", "seed", "mnemonic", "recovery", "backup", "words"), phrases),
)


_ALL_RULES = (*_LONG, *_RULES)


def told(text: str, *, words: str) -> Iterator[Secret]:
    """Yield secrets recognised by context; a rule runs only if one of its words occurs.

    Args:
        text: The text to search.
        words: Its long words (:func:`mind.text.secrets.shapes.long_words`).
    """
    small = text.lower()
    for said, find in _ALL_RULES if words else _RULES:
        for word in said:
            if word in small:
                yield from find(text)
                break
    if words:
        yield from shapes.discord(text)
