"""Secrets with a known format: a distinctive prefix and a body.

The formats are documented by their issuers or observed in their tokens, as of 2026. Keys designed
to be public (Stripe's ``pk_``, a Sentry DSN, PostHog's ``phc_``) are not secrets.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterator
from functools import cache
from typing import NamedTuple

from mind.text import lazy_pattern, table
from mind.text.secrets import Secret

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_STAND_IN_WORD = lazy_pattern(
    r"example|placeholder|redacted|removed|change[-_]?me|replace[-_]?me|insert[-_]|dummy"
    r"|(?:^|[-_.])your(?:[-_]|$)|^your|[-_]here$|goes[-_]here|not[-_]?a[-_]?real",
    re.IGNORECASE,
)
_FILLED = lazy_pattern(r"([xX*.•#0_?-])\1{7}|^([xX*.•#?])\2*$|\.\.\.|…|\*{3}|•{3}|x{5}|X{5}")
_PIECE = lazy_pattern(
    r"(?:[a-z]+|[A-Z]+|[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})*)\d{0,4}|[a-z]{1,3}\d{1,4}[a-z]{0,2}|\d{1,4}"
    r"|(?:ed|x|curve)25519"
)
_CASE = lazy_pattern(r"(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]")
_SHOUT = lazy_pattern(r"[A-Z]{5}")
_CAMEL = lazy_pattern(r"[a-z]?(?:[A-Z]{0,8}[a-z]{2,}|[A-Z]{2,8})++")
_PASSWORD = lazy_pattern(
    r"(?:my|your|the|db|user|some)?[-_]?(?:pass(?:word|wd)?|secret|token|pw)\d*!?"
)
_LETTER_BY_DIGIT = lazy_pattern(r"(?<=[^\W\d_])\d|(?<=\d)[^\W\d_]")
_SIGNS = lazy_pattern(r"[\W_]+", re.ASCII)
_NO_SECRET = lazy_pattern(r"://|\w@\w+(?:-\w+)*\.\w|(?i:sha\d*|md5|blake\w*)[-:=]")
"""Marks of an address or a digest."""
_IDENTIFIER = lazy_pattern(r"0x[0-9a-fA-F]+|[0-9a-f]{24}|[0-9A-HJKMNP-TV-Z]{26}|[#^@][\w-]+")
"""An address in memory, an object's id, a ULID, or a tag, the id of a block or a name."""
DIGEST = lazy_pattern(r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})")
_LONG = 24
"""Characters of a key or token that has no signs and one case, or no digits."""
_TYPE = lazy_pattern(
    r"\w[a-z0-9](?:Key|Token|Type|Secret|Password|Provider|Config|Client|Error)s?\Z"
)
_SEPARATOR = lazy_pattern(r"[-_./:+]+")
UUID = lazy_pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_CODE = lazy_pattern(
    r"[A-Za-z_]+=\w|[$%@]?[({<\[]|(?-i:\$(?:\d|[A-Za-z_]+(?:[.:\[-]|\Z)|[A-Z_][A-Z\d_]*(?:\W|\Z)))"
    r"|%[A-Za-z_]+%|(?:\.{0,2}|~)/|[a-z][a-z0-9+.-]*://|\\|&(?:mut\b|self)|--"
    r"|arn:|(?:os|process|self|this|settings|config|secrets|vars|env|import\.meta)\.[A-Za-z_]",
    re.IGNORECASE,
)
_WITHIN_CODE = lazy_pattern(r"\w\(|\]\(|\$\{|\{\{|\)\.|\w\[['\"\w]|->|=>|::|\*\*|\?\.|&&")
_TEMPLATE = lazy_pattern(
    r"\A(?:[$%@#]?(?:\(.*\)|\{.*\}|\[.*\]|<.*>)s?\Z|\$(?:[A-Za-z_]+|[A-Z_][A-Z\d_]*)\Z"
    r"|(?:\.{0,2}|~)/|[a-z][a-z0-9+.-]*://|--|\\)|\$\{|\{\{|%\(|%[sd]\b|\w\(.*\)"
)
"""Placeholders within quotes, where symbols are not code: a template, option, path or call."""
_FILE = lazy_pattern(
    r".*\.(?:py|js|ts|tsx|md|json|ya?ml|toml|txt|pem|key|crt|env|ini|cfg|sh|go|rs|java|html?|lock"
    r"|com|org|net|io|dev|local)(?::\d+)?",
    re.IGNORECASE,
)
_VARIABLE = lazy_pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_TECHNICAL = lazy_pattern(
    r"(?:argon2(?:id|i|d)?|bcrypt\d*|pbkdf2\w*|scrypt|sha-?\d+\w*|hmac-?sha\d+|md5|base(?:16|32|58|62|64)"
    r"\w*(?:-encoded)?|float\d+\w*|uint8\w*|oauth-?\d?\w*|utf-?8|[hre]s(?:256|384|512)|aes-?\d+\w*|ed25519|rsa-?\d*|2fa|mfa|k8s|i18n"
    r"|x509|pkcs\d+|int\d+|uint\d+|u?int\d+_t|str\d*|uuid-?v?\d?|v?\d+(?:\.\d+)*\w{0,6}"
    r"|(?-i:\d+[-_]?[a-z]{1,12})|\d[\d:./,-]*(?:[TZ][\d:.+Z-]*)?)",
    re.IGNORECASE,
)
_WEAK = frozenset(
    """password passwd passphrase pass pwd pw secret user username root admin administrator postgres
    postgresql mysql mariadb mongo mongodb redis rabbitmq guest test tester testing default dev
    development local localhost token key apikey api_key none null true false undefined string
    required optional empty xxx foo bar baz foobar x-oauth-basic x-access-token oauth2 minio
    minioadmin elastic sa app service database dbpass db_pass""".split()
)


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """An expression of a rule; most texts need few of them, and all take 30 ms to compile."""
    return re.compile(pattern, flags)


def checksum(body: str) -> str:
    """CRC-32 of ``body`` as six base-62 digits, the suffix of GitHub and npm tokens.

    Source: https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
    """
    rest, digits = zlib.crc32(body.encode("ascii", "replace")), ""
    while rest:
        rest, digit = divmod(rest, 62)
        digits = _DIGITS[digit] + digits
    return digits.rjust(6, "0")


def entropy(value: str) -> float:
    """Shannon entropy of ``value`` in bits per character (Shannon 1948); 0 if it is empty."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


def is_stand_in(value: str) -> bool:
    """Return whether it is a placeholder: ``xxxx``, ``your-key-here``, ``…``."""
    return (
        len(set(value)) < min(6, len(value) // 2)
        or _FILLED.search(value) is not None
        or _STAND_IN_WORD.search(value) is not None
    )


def is_name(value: str) -> bool:
    """Return whether it is made of words or small numbers: ``sk-learn-2024``."""
    pieces = [piece for piece in _SEPARATOR.split(value) if piece]
    return all(_PIECE.fullmatch(piece) or _TYPE.search(piece, len(piece) - 12) for piece in pieces)


def is_wordy(value: str) -> bool:
    """Return whether it consists only of words joined by two separators or more."""
    return len(_SEPARATOR.findall(value.strip("-_./:+"))) > 1 and is_name(value)


def is_code(value: str, *, quoted: bool = False) -> bool:
    """Return whether it is an expression, a variable, a path or an address, not a literal value.

    Args:
        value: The value.
        quoted: Whether it is in quotes, as a string literal.
    """
    signs = _TEMPLATE.search(value) if quoted else _CODE.match(value) or _WITHIN_CODE.search(value)
    return bool(signs or _FILE.fullmatch(value) or _VARIABLE.fullmatch(value))


def is_weak(value: str) -> bool:
    """Return whether it is a manual's example: ``postgres``, ``guest``, ``password123``."""
    plain = value.lower()
    return plain in _WEAK or _PASSWORD.fullmatch(plain) is not None


def is_key(value: str, shortest: int = 16) -> bool:
    """Return whether a value labelled as key or token looks random."""
    if len(value) < shortest or is_code(value) or is_stand_in(value) or is_name(value):
        return False
    if len(value) >= _LONG and _is_jumbled(value):
        return True
    if len(_LETTER_BY_DIGIT.findall(value)) < 2 or _TECHNICAL.fullmatch(value):
        return False
    if _NO_SECRET.match(value):
        return False
    return entropy(value) >= 3.0


def _is_jumbled(value: str) -> bool:
    """Return whether capitals stand among small letters as by chance."""
    letters = "".join(filter(str.isalpha, value))
    return value.isalnum() and len(_CASE.findall(letters)) > 5 and not _CAMEL.fullmatch(letters)


def is_strong(value: str) -> bool:
    """Return whether a value looks like a generated or mixed password or key, in any context.

    Some part of it is no word with a number, and letters, digits and signs alternate.
    """
    if not (any(map(str.isalpha, value)) and _may_be_strong(value)):
        return False
    if len(value) >= _LONG and _is_jumbled(value):
        return True
    alternations, cases = len(_LETTER_BY_DIGIT.findall(value)), _is_of_both_cases(value)
    if is_signed(value) and len(value) < _LONG:
        return len(value) >= 8 and any(map(str.isdigit, value)) and (cases or alternations > 1)
    longest = max(map(len, _SIGNS.split(value)))
    return alternations > 2 and longest >= (10 if cases else _LONG)


def _may_be_strong(value: str) -> bool:
    """Return whether it is no placeholder, code, short path, address, digest, id or name."""
    pieces = [piece for piece in _SIGNS.split(value) if piece]
    return not (
        is_code(value)
        or is_stand_in(value)
        or ("/" in value and len(value) < 32)
        or _TECHNICAL.fullmatch(value)
        or _NO_SECRET.search(value)
        or UUID.search(value)
        or _IDENTIFIER.fullmatch(value)
        or all(map(_PIECE.fullmatch, pieces))
    )


def _is_of_both_cases(value: str) -> bool:
    return not value.islower() and not value.isupper()


def is_password(value: str, *, quoted: bool = False) -> bool:
    """Return whether a value labelled as password can be one: letters with digits or symbols.

    A short single-case password is indistinguishable from an ordinary word.

    Args:
        value: The value.
        quoted: Whether it is in quotes, as a string literal.
    """
    if len(value) < 6 or is_weak(value) or is_stand_in(value) or is_code(value, quoted=quoted):
        return False
    if max(value) > "\u3000":  # a word of Chinese or Japanese
        return False
    if value.isdigit():
        return len(value) <= 12
    if _TECHNICAL.fullmatch(value) or (_SEPARATOR.search(value) and is_name(value)):
        return False
    if value.isalpha():
        changes = len(_CASE.findall(value))
        shouts = changes > 1 and _SHOUT.search(value) is not None
        joined = value.islower() and len(value) >= 20
        return joined or ((changes > 3 or shouts) and not _CAMEL.fullmatch(value))
    letters = any(map(str.isalpha, value))
    symbols = is_signed(value) and not value.islower()
    return letters and (any(map(str.isdigit, value)) or symbols)


def is_signed(value: str) -> bool:
    """Return whether it has signs that names and paths do not have."""
    return "/" not in value and any(one in "!@#$%^&*+=?~" for one in value)


_W = "[A-Za-z0-9]"
_U = "[A-Za-z0-9_-]"
_X = "[0-9a-fA-F]"
_BASE64 = "[A-Za-z0-9+/]"
_UUID = f"{_X}{{8}}-{_X}{{4}}-{_X}{{4}}-{_X}{{4}}-{_X}{{12}}"


class SecretShape(NamedTuple):
    """The format of a type of secret; matching takes linear time.

    Attributes:
        name: Its type, for display.
        prefix: Its exact prefix.
        body: Expression for the rest; compiled when the prefix is found, since there are many.
        check: Predicate that confirms a matching body.
    """

    name: str
    prefix: str
    body: str
    check: Callable[[str], bool]


def _is_random(body: str) -> bool:
    return not is_stand_in(body) and not is_wordy(body)


def _is_filled(body: str) -> bool:
    """Return whether the characters vary; AWS examples ending in EXAMPLE count as keys."""
    return len(set(body)) > 4


def _shapes(check: Callable[[str], bool], part: str) -> Iterator[SecretShape]:
    """The rows ``name | prefix prefix … | body`` of a part of ``mind/data/secrets.toml``."""
    classes = {"{W}": _W, "{U}": _U, "{X}": _X, "{B}": _BASE64, "{UUID}": _UUID}
    for row in table("secrets")[part].splitlines():
        name, prefixes, body = row.split(" | ")
        for short, whole in classes.items():
            body = body.replace(short, whole)
        for prefix in prefixes.split():
            ends_or_is_cut = rf"(?:{body})(?!{_W})|(?:{body})(?P<cut>)"
            yield SecretShape(name, prefix, ends_or_is_cut, check)


SHAPES = (
    *_shapes(_is_random, "summed"),
    *_shapes(_is_random, "plain"),
    *_shapes(_is_filled, "filled"),
)
_BY_PREFIX = tuple((shape.prefix, shape) for shape in SHAPES)
_SUMS = {shape.prefix: shape.name for shape in _shapes(_is_random, "summed")}
_SHORTEST = 18
"""Length of the shortest secret with a known format, a Stripe key."""
_ESCAPED = lazy_pattern(r"\\[nrt]|%[0-9A-Fa-f]{2}")


def long_words(text: str) -> str:
    """The words of ``text`` at least as long as the shortest secret with a known format."""
    return " ".join([word for word in text.split() if len(word) >= _SHORTEST])


def shaped(text: str, words: str, joints: Container[int] = ()) -> Iterator[Secret]:
    """Yield secrets in ``text`` that have a known format.

    Args:
        text: The text to search.
        words: Its :func:`long_words`.
        joints: Offsets where parts were joined, at which a secret may end.
    """
    if not words:
        return
    for prefix, shape in _BY_PREFIX:
        if prefix in words:
            yield from _occurrences(text, shape, joints)
    for prefix, name in _SUMS.items():
        if prefix in words:
            yield from _summed(text, prefix, name)


def _occurrences(text: str, shape: SecretShape, joints: Container[int]) -> Iterator[Secret]:
    at = text.find(shape.prefix)
    while at >= 0:
        following = at + len(shape.prefix)
        if _begins(text, at):
            body = compiled(shape.body, re.ASCII).match(text, following)
            if body and (body["cut"] is None or body.end() in joints):
                following = body.end()
                if shape.check(body[0].rstrip(".-")):
                    yield Secret(shape.name, at, _end(text, following))
        at = text.find(shape.prefix, following)


def _begins(text: str, at: int) -> bool:
    """Return whether a word begins here, ignoring an escaped line end or URL character."""
    if at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum()):
        return True
    return _ESCAPED.match(text, max(0, at - 2), at) is not None or (
        at > 2 and _ESCAPED.match(text, at - 3, at) is not None
    )


def _end(text: str, end: int) -> int:
    """The end without a full stop, which ends the sentence."""
    while text[end - 1] == ".":
        end -= 1
    return end


def _summed(text: str, prefix: str, name: str) -> Iterator[Secret]:
    """Yield tokens with a valid checksum, also with a word attached."""
    at = text.find(prefix)
    while at >= 0:
        body = text[at + len(prefix) : at + len(prefix) + 36]
        if (
            len(body) == 36
            and body.isascii()
            and body.isalnum()
            and checksum(body[:30]) == body[30:]
        ):
            yield Secret(name, at, at + len(prefix) + 36)
        at = text.find(prefix, at + 1)


Finder = Callable[[str], Iterator[Secret]]

_SAID = lazy_pattern(r"key|token|secret|auth|password", re.IGNORECASE)
_SAID_OF_AWS = lazy_pattern(r"secret|\bkey|A(?:KI|SI)A[A-Z0-9]{16}|credential", re.IGNORECASE)
_AWS_SECRET = lazy_pattern(
    r"(?:aws|amazon|secret[ _-]?access[ _-]?key|(?:akia|asia)[a-z0-9]{16})"
    r"[\s\S]{0,90}?(?<![a-z0-9/+=])([a-z0-9/+]{40})(?![a-z0-9/+=])"
)


def lowered(text: str) -> str:
    """``text`` in lower case, of the same length: searched faster than with ``re.IGNORECASE``."""
    return text.replace("İ", "i").lower()  # the only character whose lower case is longer


def _marked(name: str, value: str) -> Finder:
    """A finder for a standalone value with distinctive contents."""
    pattern = rf"(?<![A-Za-z0-9_-])(?:{value})(?![A-Za-z0-9_-])"

    def find(text: str) -> Iterator[Secret]:
        for found in compiled(pattern, re.ASCII).finditer(text):
            if not is_stand_in(found[0]):
                yield Secret(name, *found.span())

    return find


def _near(name: str, vendor: str, value: str) -> Finder:
    """A finder for a value that counts only just after the vendor's name and "key" or similar."""
    pattern = rf"(?:{vendor})[^\n]{{0,60}}?(?<![a-z0-9/+_-])(?P<value>{value})(?![a-z0-9/+_-])"

    def find(text: str) -> Iterator[Secret]:
        for found in compiled(pattern).finditer(lowered(text)):
            said = _SAID.search(text, found.start(), found.start("value"))
            if said and _is_mixed(found["value"]) and not is_stand_in(found["value"]):
                yield Secret(name, *found.span("value"))

    return find


def _is_mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _aws_secret(text: str) -> Iterator[Secret]:
    """Yield 40 mixed-case characters with digits, labelled secret or following the key id."""
    for found in _AWS_SECRET.finditer(lowered(text)):
        value, before = text[slice(*found.span(1))], text[found.start() : found.start(1)]
        said = _SAID_OF_AWS.search(before) is not None and "://" not in before
        if said and _is_varied(value) and not is_name(value):
            yield Secret("AWS secret key", *found.span(1))


def _is_varied(value: str) -> bool:
    """Return whether it is mixed-case and looks random; a commit hash is lower-case only."""
    return _is_of_both_cases(value) and _is_mixed(value) and len(set(value)) > 9


def _rules() -> Iterator[tuple[tuple[str, ...], Finder]]:
    yield ("aws", "amazon", "secret", "akia", "asia"), _aws_secret
    for part, finder in (("near", _near), ("marked", _marked)):
        for row in table("secrets")[part].splitlines():
            name, words, *shape = row.split(" | ")
            yield tuple(words.split()), finder(name, *shape)


RULES = tuple(_rules())
_DISCORD = lazy_pattern(
    r"[MNO](?<![A-Za-z0-9_-][MNO])[A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"
    r"(?![A-Za-z0-9_-])"
)


def discord(text: str) -> Iterator[Secret]:
    """Yield Discord bot tokens: no keyword announces them, but few words have this form."""
    for found in _DISCORD.finditer(text):
        if not is_stand_in(found[0]):
            yield Secret("Discord bot token", *found.span())
