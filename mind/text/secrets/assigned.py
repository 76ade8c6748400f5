"""Credentials that are assigned: ``password = …``, ``--token …``, "the password is …"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from mind.text.secrets.chance import UUID, is_key, is_password
from mind.text.secrets.shapes import Found

_ALONE = re.compile(r"(?<![^\W_])\Z")
"""Short words count only by themselves: ``pass``, not ``compass``."""
_KEY_OF = re.compile(
    r"(?:api|access|private|secret|signing|encryption|master|account|auth|license|subscription"
    r"|webhook|shared|storage|service|deploy|app|functions|client|consumer)[ _-]?\Z",
    re.IGNORECASE,
)
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
"""Words, in small letters, and what must stand before each."""
_OF_KEYS = frozenset("secret token credential key auth".split())
WORDS = ("pass", "pwd", "pw", "pin", *(word for word in _BEFORE if not word.startswith("p")))
"""Of which one must occur."""

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
"""What ends a name that is not a credential's: ``token_count``, ``password_hash``."""
_OTHER_LEAD = re.compile(
    r"(?:max|min|num|start(?:ing)?|change|update|page|next|prev|cursor|idempotency|cache|sync|continuation|commit|hash|sha\d*"
    r"|checksum|digest|pagination|public(?:[ _-]?key)?|publishable|primary|foreign|sort|partition"
    r"|dedupe|csrf|xsrf|lock|etag|git|object|blob|row|entry|query)[ _-]?\Z",
    re.IGNORECASE,
)
"""The same for what begins it: ``next_page_token``."""
_OPEN_LEAD = re.compile(
    r"(?:public(?:[ _-]?key)?|publishable|hash|sha\d*|checksum|digest|csrf|xsrf|next[_-]?page"
    r"|continuation|pagination)[ _-]?\Z",
    re.IGNORECASE,
)
"""What begins the name of a variable of the environment that is no credential's."""
_VARIABLE = re.compile(
    r"(?:\A|[\n`\"']|\b(?:export|set|env|ENV|ARG) )[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_\Z"
)
_SURE = re.compile(r"api|secret|auth|access|private|credential|key", re.IGNORECASE)
_DIGEST = re.compile(r"(?:sha\d*|md5|blake\w*)[-:]", re.IGNORECASE)
_LEAD = 16
_LONGEST_NAME = 64


class _Named(NamedTuple):
    """A word that can name a credential: where it ends, and what stands around it."""

    word: str
    end: int
    lead: str


def assignments(text: str) -> Iterator[Found]:
    """What a text says that a password, a key or a token is."""
    for one in _names(text):
        found = _ASSIGNED.match(text, one.end)
        if not found or found["next"] or _OTHER_THING.search(found["rest"]):
            continue
        of_key = one.word in _OF_KEYS or "key" in found["rest"].lower()
        if of_key and (_names_another_thing(text, one) or _is_part(text, one)):
            continue
        sure = _SURE.search(one.lead + one.word + found["rest"]) is not None
        yield from _judged(found, of_key=of_key, sure=sure)


def _names(text: str) -> Iterator[_Named]:
    small = text.replace("İ", "i").lower()  # the one character that gets longer
    for word, before in _BEFORE.items():
        at = small.find(word)
        while at >= 0:
            lead = text[max(0, at - _LEAD) : at]
            if before.search(lead):
                yield _Named(word, at + len(word), lead)
            at = small.find(word, at + len(word))


def _names_another_thing(text: str, one: _Named) -> bool:
    """A ``sync_token`` is where a list goes on, ``SYNC_TOKEN=`` of the environment a secret."""
    begin = one.end - len(one.word)
    is_variable = (
        text.startswith("=", one.end)
        and text[begin : one.end].isupper()
        and _VARIABLE.search(text, max(0, begin - _LONGEST_NAME), begin)
    )
    return (_OPEN_LEAD if is_variable else _OTHER_LEAD).search(one.lead) is not None


def _is_part(text: str, one: _Named) -> bool:
    """Whether it is a part of a name with colons, as of Amazon's."""
    return one.lead.endswith(":") and text.startswith(":", one.end)


def phrases(text: str) -> Iterator[Found]:
    """Words that a wallet or a key is restored from."""
    for found in _PHRASE.finditer(text):
        group = "words" if found["words"] else "said"
        yield Found(*found.span(group), "recovery phrase")


def titled(text: str) -> Iterator[Found]:
    """A value that stands alone under a heading that names it."""
    for found in _TITLED.finditer(text):
        of_key = not found["key"].lower().startswith("pass")
        yield from _judged(found, of_key=of_key, sure=False)


def options(text: str) -> Iterator[Found]:
    """Options of commands, and elements of XML."""
    for pattern in (_OPTION, _ELEMENT):
        for found in pattern.finditer(text):
            key = found["key"].lower()
            of_key = any(word in key for word in _OF_KEYS)
            if not _OTHER_LEAD.search(key.rpartition("-")[0]):
                yield from _judged(found, of_key=of_key, sure=_SURE.search(key) is not None)


def _judged(found: re.Match[str], *, of_key: bool, sure: bool) -> Iterator[Found]:
    """The value, if it looks like one; a UUID only where it is surely a key."""
    start, end = _value(found)
    value = found.string[start:end]
    if "\n" in value:
        value = "".join(value.split())
    if of_key:
        shortest = 10 if sure else 16
        is_one = is_key(value, shortest) and not _DIGEST.match(value)
        if sure if UUID.fullmatch(value) else is_one:
            yield Found(start, end, "API key or token")
    elif " " not in value and is_password(value, quoted=_is_quoted(found)):
        yield Found(start, end, "password")


def _is_quoted(found: re.Match[str]) -> bool:
    return any(found.groupdict().get(name) for name in ("double", "single"))


def _value(found: re.Match[str]) -> tuple[int, int]:
    """Where the value stands, without what ends a sentence, an emphasis or an escaped string."""
    for name in ("double", "single", "wrapped", "ticks"):
        if found.groupdict().get(name) is not None:
            return found.start(name), found.start(name) + len(found[name].rstrip("\\"))
    start, end = found.span("bare")
    while end > start and found.string[end - 1] in ".,:;*_\\":
        end -= 1
    return start, end
