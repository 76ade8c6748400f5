"""Private keys, and tokens that carry what they say: PEM, PuTTY and JSON Web Tokens."""

import re
from base64 import urlsafe_b64decode
from binascii import Error
from collections.abc import Iterator

from mind.text.secrets.shapes import Found

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
"""Characters before the first line of a key, and between two."""
_PUTTY = re.compile(
    r"PuTTY-User-Key-File-\d: [\s\S]{0,8000}?Private-Lines: \d{1,4}"
    r"(?:\s{1,3}[A-Za-z0-9+/=]{16,80}+)++"
)
_WEB_TOKEN = re.compile(
    r"(?<![\w.-])eyJ[A-Za-z0-9_-]{8,4000}+\.[A-Za-z0-9_-]{8,8000}+\.[A-Za-z0-9_-]{8,2000}+",
    re.ASCII,
)


def private_keys(text: str) -> Iterator[Found]:
    """Private keys with something in them; a heading that is only quoted is none."""
    for found in _PEM.finditer(text):
        until = text.find("-----", found.end())
        lines = list(_lines(text, found.end(), until if until >= 0 else len(text)))
        if sum(len(line[0]) for line in lines) < 32:
            continue
        closing = _PEM_END.match(text, until) if until >= 0 else None
        name = _PEM_NAMES.get(found["kind"].strip(), "private key")
        if '"private_key"' in text[max(0, found.start() - 20) : found.start()]:
            name = "Google service account key"
        yield Found(found.start(), closing.end() if closing else lines[-1].end(), name)
    for found in _PUTTY.finditer(text):
        yield Found(*found.span(), "SSH private key")


def _lines(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The lines of a key that follow its heading, and each other; headers may stand before."""
    most = _HEADERS
    for line in _LINE.finditer(text, start, end):
        if line.start() - start > most:
            return
        yield line
        start, most = line.end(), _MARGIN


def web_tokens(text: str) -> Iterator[Found]:
    """JSON Web Tokens (RFC 7519): three parts, of which the first names an algorithm."""
    for found in _WEB_TOKEN.finditer(text):
        head = found[0].partition(".")[0]
        try:
            header = urlsafe_b64decode(head + "=" * (-len(head) % 4))
        except Error:
            continue
        if b'"alg"' in header:
            yield Found(*found.span(), "JSON Web Token")
