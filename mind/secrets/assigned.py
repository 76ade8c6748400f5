"""Credentials that are assigned: ``password = …``, ``--token …``, "the password is …"."""

import re
from collections.abc import Iterator

from mind.secrets.chance import UUID, is_key, is_password
from mind.secrets.shapes import Found

_VALUE = (
    r"[*_]{0,2}(?:\"(?P<v1>[^\"\n]{1,300})\"|'(?P<v2>[^'\n]{1,300})'|`{1,3}(?P<v3>[^`\n]{1,300})`"
    r"|(?P<v4>[^\s\"'`<>\[\]{}()|,;]{1,300}))(?P<next>[(\[{]?)"
)
WORDS = (
    *"pass pwd pw pin secret token key credential auth kennwort contrase senha".split(),
    *"пароль 密码 口令 パスワード 비밀번호 passe".split(),
)
"""Of which one must occur."""
_ASSIGNED = re.compile(
    r"(?P<key>pass(?:word|wd|phrase)s?|passw[oö]rt|kennwort|mots? de passe|contraseña|senha|пароль"
    r"|密码|口令|パスワード|비밀번호|pwd|(?<![a-z])(?:pass|pw|pin)(?![a-z])"
    r"|(?:api|access|private|secret|signing|encryption|master|account|auth|license|subscription"
    r"|webhook|shared|storage|service|deploy|app|functions)[ _-]?(?:key|token|secret)"
    r"|(?:client|consumer|app)[ _-]?secret|secret|token|credential|(?<=_)(?:auth|key)(?![a-z]))"
    r"(?P<rest>(?:[_-][a-z0-9]{1,20}){0,3}s?)"
    r"(?P<lead>[\"'`*_\])]{0,4}(?:[ ](?:for|of|on|to|in|from)[ ][^\n:=\"'`]{1,40}?)?)"
    r"(?:[ \t]{0,20}(?::=|=>|->|={1,3}|:|→|：|＝)[ \t]{0,20}[*_]{0,2}[ \t]{0,4}(?:\n[ \t>]{1,12})?"
    r"|[ \t]{1,4}(?:is|was|lautet|ist|est|es|è)(?:[ ](?:now|set to|currently))?"
    r"(?:[ \t]{1,4}|[ \t]{0,4}(?::[ \t]{0,4}|\n[ \t>]{0,12})))" + _VALUE,
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"--?(?P<key>(?:[a-z]{1,20}-){0,3}(?:password|passwd|passphrase|pass|token|secret|api-?key|key))"
    r"[ \t]{1,4}" + _VALUE,
    re.IGNORECASE,
)
_ELEMENT = re.compile(
    r"<(?P<key>[\w.:-]{0,40}?(?:password|passwd|secret|token|api-?key))>(?P<v4>[^<\s]{6,300})</",
    re.IGNORECASE,
)
_OTHER_THING = re.compile(
    r"(?:^|[_-])(?:ids?|name|hash(?:ed)?|digest|ur[il]|file(?:name)?|path|count|limit|len(?:gth)?"
    r"|size|type|ttl|expir\w*|age|policy|ref|arn|version|fields?|column|param\w*|header|prefix"
    r"|format|budget|index|usage|bucket|regex|pattern|env|var|class|label|hint|reset|at|date|kind"
    r"|scopes?|endpoint|alg\w*|issuer|audience|key[_-]?ref|salt[_-]?rounds|manager|store|scan\w*)$",
    re.IGNORECASE,
)
_OTHER_LEAD = re.compile(
    r"(?:max|min|num|page|next|prev|cursor|idempotency|cache|sync|continuation|commit|hash|sha\d*"
    r"|checksum|digest|pagination|public|publishable|primary|foreign|sort|partition|hot|site|dedupe"
    r"|csrf|xsrf|lock|etag|git|object|blob|s3|row|entry|query|storage)[ _-]?$",
    re.IGNORECASE,
)
_SURE = re.compile(r"api|secret|auth|access|private|credential", re.IGNORECASE)
_DIGEST = re.compile(r"(?:sha\d*|md5|blake\w*)[-:]|[0-9a-f]{7,12}$", re.IGNORECASE)


def _value(found: re.Match[str]) -> tuple[int, int]:
    """Where the value stands, without what ends a sentence or an emphasis."""
    groups = found.re.groupindex
    name = next(one for one in ("v1", "v2", "v3", "v4") if one in groups and found[one] is not None)
    start, end = found.span(name)
    if name == "v4":
        while end > start and found.string[end - 1] in ".,:;*_\\":
            end -= 1
    return start, end


def assignments(text: str) -> Iterator[Found]:
    """What a text says that a password, a key or a token is."""
    for found in _each(_ASSIGNED, text):
        lead = text[max(0, found.start() - 16) : found.start()]
        if found["rest"] and _OTHER_THING.search(found["rest"]):
            continue
        if _OTHER_LEAD.search(lead) and "password" not in found["key"].lower():
            continue
        if not found["next"]:
            yield from _judged(found, found["key"])


def options(text: str) -> Iterator[Found]:
    """Options of commands, and elements of XML."""
    for pattern in (_OPTION, _ELEMENT):
        for found in _each(pattern, text):
            yield from _judged(found, found["key"])


def _each(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches, each begun behind the last one's key: a value can be the key of the next."""
    found = pattern.search(text)
    while found:
        yield found
        found = pattern.search(text, found.end("key"))


def _judged(found: re.Match[str], key: str) -> Iterator[Found]:
    start, end = _value(found)
    value = found.string[start:end]
    secretive = _SURE.search(key) is not None
    if UUID.fullmatch(value):
        if secretive:
            yield Found(start, end, "API key or token")
        return
    if _is_of_key(key):
        if is_key(value) and not _DIGEST.match(value):
            yield Found(start, end, "API key or token")
    elif " " not in value and is_password(value):
        yield Found(start, end, "password")


def _is_of_key(key: str) -> bool:
    return re.search(r"key|token|secret|credential|auth", key, re.IGNORECASE) is not None
