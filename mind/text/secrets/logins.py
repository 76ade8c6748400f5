"""Credentials in addresses, connection strings, headers, commands and ``.npmrc``."""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator

from mind.text.secrets.chance import UUID, is_code, is_key, is_stand_in, is_weak
from mind.text.secrets.shapes import Found

_ADDRESS = re.compile(
    r"://(?P<user>[^\s/:@\"'<>`|]{0,80}):(?P<value>[^\s/\"'<>`|]{1,200})@(?=[\w\[$%.-])"
)
_PORT = re.compile(r"\d{2,5}(?![^?#&,;)\]}|])")
_VARIABLE = re.compile(
    r"\$(?:[A-Za-z_]+|[A-Z_][A-Z\d_]*)|[$%@#]?(?:\(.*\)|\{.*\}|\[.*\]|<.*>)s?|.*\$\{.*"
    r"|%[A-Za-z_]\w*%|%[sd]|:[A-Za-z_]+|[A-Z][A-Z\d]*(?:_[A-Z\d]+)+",
    re.DOTALL,
)
"""What a password is put in the place of: ``$PASSWORD``, ``{password}``, ``%PASSWORD%``."""
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


def addresses(text: str) -> Iterator[Found]:
    """Passwords in URLs."""
    for found in _ADDRESS.finditer(text):
        scheme = _SCHEME.search(text, max(0, found.start() - 30), found.start())
        if scheme and _is_password_of(found["user"], found["value"]):
            kind = "database password" if _DATABASE.match(scheme[0]) else "password in a URL"
            yield Found(*found.span("value"), kind)


def _is_password_of(user: str, value: str) -> bool:
    """Whether it is no port, stands for no password and in no manual, whatever signs it has.

    Where it stands says that it is a password: nothing else has to look like one.
    """
    plain = _unescaped(value)
    if plain == _unescaped(user) or _PORT.match(value) or _VARIABLE.fullmatch(value):
        return False
    return not (len(plain) < 4 or is_weak(plain) or is_stand_in(plain))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def connections(text: str) -> Iterator[Found]:
    """Passwords in connection strings of ADO and ODBC."""
    for found in _CONNECTION.finditer(text):
        if not _is_shown(found["value"]):
            yield Found(*found.span("value"), "database password")


def headers(text: str) -> Iterator[Found]:
    """What an Authorization header carries."""
    for found in _HEADER.finditer(text):
        start = found.start("value")
        value = found["value"].rstrip("._~-")
        if found["kind"].lower() == "basic":
            if _is_basic(value):
                yield Found(start, start + len(value), "basic auth header")
        elif len(value) >= 20 and is_key(value) and not UUID.fullmatch(value):
            yield Found(start, start + len(value), "bearer token")


def registries(text: str) -> Iterator[Found]:
    """What stands in an ``.npmrc``."""
    for found in _REGISTRY.finditer(text):
        if not _is_shown(found["value"]):
            yield Found(*found.span("value"), "npm token")


def commands(text: str) -> Iterator[Found]:
    """Passwords of ``curl -u`` and of ``sshpass -p``."""
    for found in _COMMAND.finditer(text):
        group = "value" if found["value"] else "other"
        if not (found[group].isdigit() or _is_shown(found[group])):
            yield Found(*found.span(group), "password of a command")


def netrc(text: str) -> Iterator[Found]:
    """Passwords in a ``.netrc``."""
    for found in _NETRC.finditer(text):
        if not (found["value"].isdigit() or _is_shown(found["value"])):
            yield Found(*found.span("value"), "netrc password")


def _is_shown(password: str) -> bool:
    """Whether it only shows where a password goes, stands in every manual, or is a port."""
    return (
        len(password) < 4
        or (password.isdigit() and len(password) < 6)
        or is_weak(password)
        or is_stand_in(password)
        or is_code(password)
    )


def _is_basic(value: str) -> bool:
    """Whether it is ``user:password`` to base 64."""
    try:
        user, colon, password = b64decode(value, validate=True).decode("utf-8").partition(":")
    except (Error, ValueError):
        return False
    shown = (user + password).isprintable() and user
    return bool(colon and shown) and not _is_shown(password)
