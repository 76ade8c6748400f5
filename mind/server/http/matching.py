"""Versions of answers: what If-None-Match and If-Match compare."""

import hashlib
from collections.abc import Callable

from mind.server.http.problem import Refused, encoded


def etag(body: bytes) -> str:
    """The strong validator of an answer: its own bytes, so that it can never be out of date.

    What an answer depends on is more than the files of memory: the day, the usage log, what git
    says of cited paths. A hash of the files alone would call an answer current that is not.
    """
    return f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def matches(header: str, tag: str) -> bool:
    """Whether a list of versions names ``tag``; "*" names any (RFC 9110, section 13.1)."""
    named = [one.strip().removeprefix("W/") for one in header.split(",")]
    return "*" in named or tag in named


def check_match(header: str, current: Callable[[], object]) -> None:
    """Nothing, if what there is now is what the caller knows.

    Args:
        header: If-Match, as sent; "" checks nothing.
        current: Gives what there is, in terms of JSON.

    Raises:
        Refused: It is another one (412).
    """
    if not header:
        return
    if not matches(header, etag(encoded(current()))):
        raise Refused(
            412, "the entry was changed meanwhile", remedy="Read it again, and send its new ETag."
        )
