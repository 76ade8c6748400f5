"""Secrets recognised by the words around them."""

import re
from base64 import b64decode, urlsafe_b64decode
from binascii import Error
from collections.abc import Iterator
from typing import NamedTuple

from mind.text.secrets import shapes
from mind.text.secrets.shapes import (
    UUID,
    FoundSecret,
    is_code,
    is_key,
    is_password,
    is_stand_in,
    is_weak,
)

_ALONE = re.compile(r"(?<![^\W_])\Z")
"""Short words that count only by themselves: ``pass``, not ``compass``."""
_KEY_OF = re.compile(
    r"(?:api|access|private|secret|signing|encryption|master|account|auth|license|subscription"
    r"|webhook|shared|storage|service|deploy|app|functions|client|consumer)[ _-]?\Z"
    r"|(?-i:\b[A-Z]\w{1,14}) \Z",
    re.IGNORECASE,
)
_OF_NAME = re.compile(r"\b[A-Z]\w{1,14} \Z")
"""A name before "key", as in "DHL key": only a long value is a secret then."""
_UNDERSCORE = re.compile(r"_\Z")
_ANY = re.compile(r"\Z")
_FRENCH = re.compile(r"\bmots? de \Z", re.IGNORECASE)
_BEFORE = {
    **dict.fromkeys("pass pwd pw pin".split(), _ALONE),
    **dict.fromkeys("passwd passphrase password passwort kennwort contraseña senha".split(), _ANY),
    **dict.fromkeys("пароль 密码 口令 パスワード 비밀번호".split(), _ANY),
    **dict.fromkeys("secret token credential".split(), _ANY),
    "passe": _FRENCH,
    "key": _KEY_OF,
    "auth": _UNDERSCORE,
}
"""Lower-case words, and what must precede each."""
_OF_KEYS = frozenset("secret token credential key auth".split())
WORDS = ("pass", "pwd", "pw", "pin", *(word for word in _BEFORE if not word.startswith("p")))
"""Words of which at least one must occur."""

_VALUE = (
    r"[*_\\]{0,3}(?:\"(?P<double>[^\"\n]{1,300})\"|'(?P<single>[^'\n]{1,300})'"
    r"|(?P<quote>[\"'])(?P<wrapped>[^\s\"']{8,300}\r?\n[ \t>]{0,40}[^\s\"']{4,300})(?P=quote)"
    r"|`{1,3}(?P<ticks>[^`\n]{1,300})`|(?P<bare>[^\s\"'`<>\[\]{}()|,;]{1,300}))(?P<next>[(\[{]?)"
)
_IS = (
    r"(?:[ \t]{0,20}(?::=|=>|->|={1,3}|[:→：＝|])[ \t]{0,20}[*_]{0,2}[ \t]{0,4}(?:\n[ \t>]{1,12})?"
    r"|[ \t]{1,4}(?:is|was|lautet|ist|est|es|è)(?:[ ](?:now|set to|currently))?"
    r"(?:[ \t]{1,4}|[ \t]{0,4}(?::[ \t]{0,4}|\n[ \t>]{0,12})))"
)
_ASSIGNED = re.compile(
    r"(?![a-rt-zA-RT-Z])(?P<rest>s?(?:[_-][A-Za-z0-9]{1,20}){0,3}(?:[ ](?:access[ ])?key)?)"
    r"[\\\"'`*_\])]{0,4}(?:[ ](?:for|of|on|to|in|from)[ ][^\n:=\"'`]{1,40}?)?" + _IS + _VALUE
)
_OPTION = re.compile(
    r"--?(?P<key>(?:[a-z]{1,20}-){0,3}(?:password|passwd|passphrase|pass|token|secret|api-?key|key))"
    r"[ \t]{1,4}" + _VALUE,
    re.IGNORECASE,
)
_ELEMENT = re.compile(
    r"<(?P<key>[\w.:-]{0,40}?(?:password|passwd|secret|token|api-?key))>"
    r"(?P<bare>[^<\s]{6,300})</",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"(?:seed|mnemonic|recovery|backup)(?:[ _-]?(?:phrase|words?))?[\"'`*]{0,4}(?:[ ]?[:=]|[ ]is)"
    r"[\s\"'`*]{1,6}(?P<words>(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})|passphrase[\"'`*]{0,4}"
    r"(?:[ ]?[:=]|[ ]is)[ ]?"
    r"(?P<quote>[\"'`])(?P<said>(?:[a-z]{3,12}[ -]){3,11}[a-z]{3,12})(?P=quote)"
)
_TITLED = re.compile(
    r"^#{1,6}[ ][^\n]{0,80}?\b(?P<key>passwords?|passwd|passphrase|passwort|secrets?|tokens?"
    r"|(?:api|access|private)[ _-]?keys?|credentials?)\b[^\n]{0,30}\n(?:[ \t]*\n){0,2}"
    r"[ \t>]{0,8}(?:[-*+][ ]+)?(?:[*_]{0,2}\w[\w ]{0,30}[:=][*_]{0,2}[ ]+)?"
    r"[`*\"']{0,3}(?P<bare>[^\s`*\"']{6,300})[`*\"']{0,3}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_OTHER_THING = re.compile(
    r"[_-](?:ids?|name|hash(?:ed)?|digest|ur[il]|file(?:name)?|path|count|limit|len(?:gth)?|size"
    r"|type|ttl|expir\w*|age|policy|ref|arn|version|fields?|column|param\w*|header|prefix|format"
    r"|budget|index|usage|bucket|regex|pattern|env|var|class|label|hint|reset|at|date|kind|scopes?"
    r"|endpoint|alg\w*|issuer|audience|source|rounds|manager|store|scan\w*)\Z",
    re.IGNORECASE,
)
"""Suffixes of names that are not secrets: ``token_count``, ``password_hash``."""
_OTHER_LEAD = re.compile(
    r"(?:max|min|num|start(?:ing)?|change|update|page|next|prev|cursor|idempotency|cache|sync|continuation|commit|hash|sha\d*"
    r"|checksum|digest|pagination|public(?:[ _-]?key)?|publishable|primary|foreign|sort|partition"
    r"|dedupe|csrf|xsrf|lock|etag|git|object|blob|row|entry|query)[ _-]?\Z",
    re.IGNORECASE,
)
"""Prefixes of names that are not secrets: ``next_page_token``."""
_OPEN_LEAD = re.compile(
    r"(?:public(?:[ _-]?key)?|publishable|hash|sha\d*|checksum|digest|csrf|xsrf|next[_-]?page"
    r"|continuation|pagination)[ _-]?\Z",
    re.IGNORECASE,
)
"""Prefixes of environment variables that are not secrets."""
_VARIABLE = re.compile(
    r"(?:\A|[\n`\"']|\b(?:export|set|env|ENV|ARG) )[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_\Z"
)
_SURE = re.compile(r"api|secret|auth|access|private|credential|key", re.IGNORECASE)
_DIGEST = re.compile(r"(?:sha\d*|md5|blake\w*)[-:]", re.IGNORECASE)
_LEAD, _LONG_KEY = 16, 24
_LONGEST_NAME = 64


class _Named(NamedTuple):
    """A word that can name a secret: its end, and its context."""

    word: str
    end: int
    lead: str


def assignments(text: str) -> Iterator[FoundSecret]:
    """Yield values assigned to a password, key or token."""
    for one in _names(text):
        found = _ASSIGNED.match(text, one.end)
        if not found or found["next"] or _OTHER_THING.search(found["rest"]):
            continue
        of_key = one.word in _OF_KEYS or "key" in found["rest"].lower()
        is_part = one.lead.endswith(":") and text.startswith(":", one.end)  # as in Amazon's ARNs
        if of_key and (is_part or _names_another_thing(text, one)):
            continue
        sure = _SURE.search(one.lead + one.word + found["rest"]) is not None
        if one.word == "key" and _OF_NAME.search(one.lead) and not _SURE.search(one.lead):
            sure = False
            if len(found["bare"] or "") < _LONG_KEY:
                continue
        yield from _judged(found, of_key=of_key, sure=sure)


def _names(text: str) -> Iterator[_Named]:
    small = text.replace("İ", "i").lower()  # the only character whose lower case is longer
    for word, before in _BEFORE.items():
        at = small.find(word)
        while at >= 0:
            lead = text[max(0, at - _LEAD) : at]
            if before.search(lead):
                yield _Named(word, at + len(word), lead)
            at = small.find(word, at + len(word))


def _names_another_thing(text: str, one: _Named) -> bool:
    """Return whether the name is not a secret's: ``sync_token`` is a list's cursor."""
    begin = one.end - len(one.word)
    is_variable = (
        text.startswith("=", one.end)
        and text[begin : one.end].isupper()
        and _VARIABLE.search(text, max(0, begin - _LONGEST_NAME), begin)
    )
    return (_OPEN_LEAD if is_variable else _OTHER_LEAD).search(one.lead) is not None


def phrases(text: str) -> Iterator[FoundSecret]:
    """Yield seed phrases of wallets and keys."""
    for found in _PHRASE.finditer(text):
        group = "words" if found["words"] else "said"
        yield FoundSecret(*found.span(group), "recovery phrase")


def titled(text: str) -> Iterator[FoundSecret]:
    """Yield values alone under a heading that names a secret."""
    for found in _TITLED.finditer(text):
        of_key = not found["key"].lower().startswith("pass")
        yield from _judged(found, of_key=of_key, sure=False)


def options(text: str) -> Iterator[FoundSecret]:
    """Yield values of command options and XML elements."""
    for pattern in (_OPTION, _ELEMENT):
        for found in pattern.finditer(text):
            key = found["key"].lower()
            of_key = any(word in key for word in _OF_KEYS)
            if not _OTHER_LEAD.search(key.rpartition("-")[0]):
                yield from _judged(found, of_key=of_key, sure=_SURE.search(key) is not None)


def _judged(found: re.Match[str], *, of_key: bool, sure: bool) -> Iterator[FoundSecret]:
    """Yield the value if it looks like a secret; a UUID only if it is certainly a key."""
    start, end = _value(found)
    value = found.string[start:end]
    if "\n" in value:
        value = "".join(value.split())
    if of_key:
        shortest = 10 if sure else 16
        is_one = is_key(value, shortest) and not _DIGEST.match(value)
        if sure if UUID.fullmatch(value) else is_one:
            yield FoundSecret(start, end, "API key or token")
    elif " " not in value and is_password(value, quoted=_is_quoted(found)):
        yield FoundSecret(start, end, "password")


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


_ADDRESS = re.compile(
    r"://(?P<user>[^\s/:@\"'<>`|]{0,80}):(?P<value>(?:[^\s/\"'<>`|]|'(?=\w)){1,200})@(?=[\w\[$%.-])"
)
_TOKEN_IN_ADDRESS = re.compile(r"://(?P<value>[0-9a-f]{40})(?::[\w-]{0,30})?@(?=\w)")
_PORT = re.compile(r"\d{2,5}(?![^?#&,;)\]}|])")
_NAMED_VARIABLE = re.compile(
    r"\$(?:[A-Za-z_]+|[A-Z_][A-Z\d_]*)|[$%@#]?(?:\(.*\)|\{.*\}|\[.*\]|<.*>)s?|.*\$\{.*"
    r"|%[A-Za-z_]\w*%|%[sd]|:[A-Za-z_]+|[A-Z][A-Z\d]*(?:_[A-Z\d]+)+",
    re.DOTALL,
)
"""Placeholders for a password: ``$PASSWORD``, ``{password}``, ``%PASSWORD%``."""
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{0,30}\Z", re.IGNORECASE)
_DATABASE = re.compile(
    r"postgres|mysql|mariadb|mongo|redis|amqp|mssql|sqlserver|oracle|cockroach|clickhouse|cassandra"
    r"|neo4j|bolt|couch|influx|snowflake|redshift|jdbc",
    re.IGNORECASE,
)
_CONNECTION = re.compile(
    r"\b(?:Server|Data Source|Host|User Id|Uid|Initial Catalog|Database)[ ]?=[^;\n\"']{1,200};"
    r"(?:[^;\n\"'=]{1,40}=[^;\n\"']{0,200};){0,8}?[ ]?(?:Password|Pwd)[ ]?=[ ]?"
    r"(?P<value>[^;\s\"'`]{4,200})",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\b(?P<kind>Bearer|Basic|(?<=authorization: )(?:Token|Api-?Key))"
    r"[ \t:=]{1,4}[\"'`*]{0,2}"
    r"(?P<value>[A-Za-z0-9._~+/=-]{8,4000}+)",
    re.IGNORECASE,
)
_REGISTRY = re.compile(
    r"(?<!\w)_(?:authToken|auth|password)[ ]?=[ ]?\"?"
    r"(?P<value>[A-Za-z0-9+/_=-]{16,200})(?![A-Za-z0-9])"
)
_NETRC = re.compile(
    r"[lL](?<!\w[lL])(?i:ogin\s{1,8}\S{1,100}\s{1,8}password)\s{1,8}[\"'`*]{0,2}"
    r"(?P<value>[^\s\"'`*]{4,200})"
)
_COMMAND = re.compile(
    r"s(?<!\ws)shpass[ ]{1,4}-p[ ]?[\"']?(?P<value>[^\s\"'`*]{4,200})"
    r"|-(?<=\s-)(?:u|-user)[ =]?[\"'`]?[\w.@+-]{0,80}:(?P<other>[^\s\"'`*]{4,200})"
)


def addresses(text: str) -> Iterator[FoundSecret]:
    """Yield passwords in URLs."""
    for found in _ADDRESS.finditer(text):
        scheme = _SCHEME.search(text, max(0, found.start() - 30), found.start())
        if scheme and _is_password_of(found["user"], found["value"]):
            kind = "database password" if _DATABASE.match(scheme[0]) else "password in a URL"
            yield FoundSecret(*found.span("value"), kind)
    for found in _TOKEN_IN_ADDRESS.finditer(text):
        yield FoundSecret(*found.span("value"), "token in a URL")


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


def connections(text: str) -> Iterator[FoundSecret]:
    """Yield passwords in ADO and ODBC connection strings."""
    for found in _CONNECTION.finditer(text):
        if not _is_shown(found["value"]):
            yield FoundSecret(*found.span("value"), "database password")


def headers(text: str) -> Iterator[FoundSecret]:
    """Yield credentials in Authorization headers."""
    for found in _HEADER.finditer(text):
        start = found.start("value")
        value = found["value"].rstrip("._~-")
        if found["kind"].lower() == "basic":
            if _is_basic(value):
                yield FoundSecret(start, start + len(value), "basic auth header")
        elif len(value) >= 20 and is_key(value) and not UUID.fullmatch(value):
            yield FoundSecret(start, start + len(value), "bearer token")


def registries(text: str) -> Iterator[FoundSecret]:
    """Yield secrets in an ``.npmrc``."""
    for found in _REGISTRY.finditer(text):
        if not _is_shown(found["value"]):
            yield FoundSecret(*found.span("value"), "npm token")


def commands(text: str) -> Iterator[FoundSecret]:
    """Yield passwords of ``curl -u`` and ``sshpass -p``."""
    for found in _COMMAND.finditer(text):
        group = "value" if found["value"] else "other"
        if not (found[group].isdigit() or _is_shown(found[group])):
            yield FoundSecret(*found.span(group), "password of a command")


def netrc(text: str) -> Iterator[FoundSecret]:
    """Yield passwords in a ``.netrc``."""
    for found in _NETRC.finditer(text):
        if not (found["value"].isdigit() or _is_shown(found["value"])):
            yield FoundSecret(*found.span("value"), "netrc password")


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


_PEM = re.compile(
    r"-----BEGIN (?P<kind>(?:[A-Z0-9]{1,12} ){0,3})PRIVATE KEY(?: BLOCK)?-----", re.ASCII
)
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{1,60}-----", re.ASCII)
_PEM_NAMES = {
    "RSA": "RSA private key",
    "EC": "EC private key",
    "DSA": "DSA private key",
    "OPENSSH": "SSH private key",
    "PGP": "PGP private key",
    "ENCRYPTED": "encrypted private key",
}
_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}+")
_HEADERS, _MARGIN = 200, 24
"""Maximum characters before the first line of a key, and between two lines."""
_PUTTY = re.compile(
    r"PuTTY-User-Key-File-\d: [\s\S]{0,8000}?Private-Lines: \d{1,4}"
    r"(?:\s{1,3}[A-Za-z0-9+/=]{16,80}+)++"
)
_WEB_TOKEN = re.compile(
    r"(?<![\w.-])eyJ[A-Za-z0-9_-]{8,4000}+\.[A-Za-z0-9_-]{8,8000}+\.[A-Za-z0-9_-]{8,2000}+",
    re.ASCII,
)


def private_keys(text: str) -> Iterator[FoundSecret]:
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
        yield FoundSecret(found.start(), closing.end() if closing else lines[-1].end(), name)
    for found in _PUTTY.finditer(text):
        yield FoundSecret(*found.span(), "SSH private key")


def _lines(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The consecutive lines of a key after its header; PEM headers may precede them."""
    most = _HEADERS
    for line in _LINE.finditer(text, start, end):
        if line.start() - start > most:
            return
        yield line
        start, most = line.end(), _MARGIN


def web_tokens(text: str) -> Iterator[FoundSecret]:
    """JSON Web Tokens (RFC 7519): three parts, the first of which names an algorithm."""
    for found in _WEB_TOKEN.finditer(text):
        head = found[0].partition(".")[0]
        try:
            header = urlsafe_b64decode(head + "=" * (-len(head) % 4))
        except Error:
            continue
        if b'"alg"' in header:
            yield FoundSecret(*found.span(), "JSON Web Token")


_Rules = tuple[tuple[tuple[str, ...], shapes.Finder], ...]

_LONG: _Rules = (
    (("eyj",), web_tokens),
    *shapes.RULES,
)
"""Rules for secrets that are at least as long as the shortest one with a known format."""
_RULES: _Rules = (
    (("-----begin", "putty-user"), private_keys),
    (("://",), addresses),
    (("password", "pwd"), connections),
    (("_auth", "_password"), registries),
    (("bearer", "basic", "authorization"), headers),
    (("login",), netrc),
    (("login", "curl", "sshpass"), commands),
    (WORDS, assignments),
    (("# ",), titled),
    (("phrase", "seed", "mnemonic", "recovery"), phrases),
    (("--", "</"), options),
)


def _by_word(rules: _Rules) -> list[tuple[str, int]]:
    return [(word, at) for at, (words, _) in enumerate(rules) for word in words]


_BY_WORD = [(_RULES, _by_word(_RULES))]
_ALL_BY_WORD = [(_LONG, _by_word(_LONG)), *_BY_WORD]


def told(text: str, *, words: str) -> Iterator[FoundSecret]:
    """Yield secrets recognised by context; a rule runs only if one of its words occurs.

    Args:
        text: The text to search.
        words: Its long words (:func:`mind.text.secrets.shapes.long_words`).
    """
    small = text.lower()
    for rules, by_word in _ALL_BY_WORD if words else _BY_WORD:
        for at in sorted({at for word, at in by_word if word in small}):
            yield from rules[at][1](text)
    if words:
        yield from shapes.discord(text)
