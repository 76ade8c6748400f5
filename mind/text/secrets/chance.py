"""Whether a value was made by chance, or stands for one, or is a word: what tells them apart."""

import math
import re
import zlib
from collections import Counter

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_STAND_IN_WORD = re.compile(
    r"example|placeholder|redacted|removed|change[-_]?me|replace[-_]?me|insert[-_]|dummy"
    r"|(?:^|[-_.])your(?:[-_]|$)|^your|[-_]here$|goes[-_]here|not[-_]?a[-_]?real",
    re.IGNORECASE,
)
_FILLED = re.compile(r"([xX*.•#0_?-])\1{7}|^([xX*.•#?])\2*$|\.\.\.|…|\*{3}|•{3}|x{5}|X{5}")
_PIECE = re.compile(
    r"(?:[a-z]+|[A-Z]+|(?:[A-Z]?[a-z]{2,})+)\d{0,4}|[a-z]{1,3}\d{1,4}[a-z]{0,2}|\d{1,4}"
    r"|(?:ed|x|curve)25519"
)
_CASE = re.compile(r"(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]")
_SHOUT = re.compile(r"[A-Z]{5}")
_CAMEL = re.compile(r"(?:[A-Z]{0,8}[a-z]{2,}|[A-Z]{2,8})++")
_PASSWORD = re.compile(
    r"(?:my|your|the|db|user|some)?[-_]?(?:pass(?:word|wd)?|secret|token|pw)\d*!?"
)
_LETTER_BY_DIGIT = re.compile(r"(?<=[^\W\d_])\d|(?<=\d)[^\W\d_]")
_TYPE = re.compile(r"\w[a-z0-9](?:Key|Token|Type|Secret|Password|Provider|Config|Client|Error)s?\Z")
_SEPARATOR = re.compile(r"[-_./:+]+")
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_CODE = re.compile(
    r"[A-Za-z_]+=\w|[$%@]?[({<\[]|(?-i:\$(?:\d|[A-Za-z_]+(?:[.:\[-]|\Z)|[A-Z_][A-Z\d_]*(?:\W|\Z)))"
    r"|%[A-Za-z_]+%|(?:\.{0,2}|~)/|[a-z][a-z0-9+.-]*://|\\|&(?:mut\b|self)|--"
    r"|arn:|(?:os|process|self|this|settings|config|secrets|vars|env|import\.meta)\.[A-Za-z_]",
    re.IGNORECASE,
)
_WITHIN_CODE = re.compile(r"\w\(|\]\(|\$\{|\{\{|\)\.|\w\[['\"\w]|->|=>|::|\*\*|\?\.|&&")
_TEMPLATE = re.compile(
    r"\A(?:[$%@#]?(?:\(.*\)|\{.*\}|\[.*\]|<.*>)s?\Z|\$(?:[A-Za-z_]+|[A-Z_][A-Z\d_]*)\Z"
    r"|(?:\.{0,2}|~)/|[a-z][a-z0-9+.-]*://|--|\\)|\$\{|\{\{|%\(|%[sd]\b|\w\(.*\)"
)
"""The same within quotes, where signs are no code: a template, an option, a path, a call."""
_FILE = re.compile(
    r".*\.(?:py|js|ts|tsx|md|json|ya?ml|toml|txt|pem|key|crt|env|ini|cfg|sh|go|rs|java|html?|lock"
    r"|com|org|net|io|dev|local)(?::\d+)?",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_TECHNICAL = re.compile(
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


def checksum(body: str) -> str:
    """CRC-32 of ``body`` as six digits to base 62: how GitHub and npm end their tokens.

    Source: https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
    """
    rest, digits = zlib.crc32(body.encode("ascii", "replace")), ""
    while rest:
        rest, digit = divmod(rest, 62)
        digits = _DIGITS[digit] + digits
    return digits.rjust(6, "0")


def entropy(value: str) -> float:
    """Bits a character, by the frequencies within ``value`` (Shannon 1948); 0 if it is empty."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


def is_stand_in(value: str) -> bool:
    """Whether it only shows where a credential would stand: ``xxxx``, ``your-key-here``, ``…``."""
    return (
        len(set(value)) < min(6, len(value) // 2)
        or _FILLED.search(value) is not None
        or _STAND_IN_WORD.search(value) is not None
    )


def is_name(value: str) -> bool:
    """Whether it is words or small numbers put together: ``sk-learn-2024``, ``settings.apiKey``."""
    pieces = [piece for piece in _SEPARATOR.split(value) if piece]
    return all(_PIECE.fullmatch(piece) or _TYPE.search(piece, len(piece) - 12) for piece in pieces)


def is_wordy(value: str) -> bool:
    """Whether it has words on both sides of two separators or more, and nothing else."""
    return len(_SEPARATOR.findall(value.strip("-_./:+"))) > 1 and is_name(value)


def is_code(value: str, *, quoted: bool = False) -> bool:
    """Whether it is an expression, a variable, a path or an address, not a value itself.

    Args:
        value: It.
        quoted: It stands as a string of a program does.
    """
    signs = _TEMPLATE.search(value) if quoted else _CODE.match(value) or _WITHIN_CODE.search(value)
    return bool(signs or _FILE.fullmatch(value) or _VARIABLE.fullmatch(value))


def is_weak(value: str) -> bool:
    """Whether it is what stands in every manual: ``postgres``, ``guest``, ``password123``."""
    plain = value.lower()
    return plain in _WEAK or _PASSWORD.fullmatch(plain) is not None


def is_key(value: str, shortest: int = 16) -> bool:
    """Whether a value that is said to be a key or a token looks made by chance."""
    if len(value) < shortest or is_stand_in(value) or is_code(value) or is_name(value):
        return False
    if len(_LETTER_BY_DIGIT.findall(value)) < 2 or _TECHNICAL.fullmatch(value):
        return False
    return entropy(value) >= 3.0


def is_password(value: str, *, quoted: bool = False) -> bool:
    """Whether a value that is said to be a password can be one: letters with digits or symbols.

    A password of few letters in one case cannot be told from a word about passwords.

    Args:
        value: It.
        quoted: It stands as a string of a program does.
    """
    if len(value) < 6 or is_weak(value) or is_stand_in(value) or is_code(value, quoted=quoted):
        return False
    if _TECHNICAL.fullmatch(value) or (_SEPARATOR.search(value) and is_name(value)):
        return False
    if value.isalpha():
        changes = len(_CASE.findall(value))
        shouts = changes > 1 and _SHOUT.search(value) is not None
        joined = value.islower() and len(value) >= 20
        return joined or ((changes > 3 or shouts) and not _CAMEL.fullmatch(value))
    letters = any(map(str.isalpha, value))
    symbols = any(one in "!@#$%^&*+=?~" for one in value)
    return letters and (any(map(str.isdigit, value)) or (symbols and not value.islower()))
