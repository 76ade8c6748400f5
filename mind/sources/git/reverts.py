"""Reverts: commits that take earlier ones back."""

import re

_SUBJECT = re.compile(
    r"(?:[a-z]+(?:\([^()\n]*\))?!?: )?revert(?:: ?|(?P<quote> \")| )"
    r"(?P<what>.+?)(?(quote)\")(?: \(#\d+\))*",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\bThis reverts commit ([0-9a-f]{7,64})\b[^\n]*(?:\nchanges made to .*)?")
_AGAIN = re.compile(r"\W*(?:revert|reapply)\b", re.IGNORECASE)
_LABEL = re.compile(r"reason(?: for (?:the )?revert(?:ing)?)?:[ \t]*", re.IGNORECASE)
_NO_REASON = re.compile(  # items, quotations, fences, trailers and mere references
    r"[-*+>`~]|[A-Za-z][\w-]*:[ \t]|(?:[A-Za-z]+ )?\S*#\d+\.?$"
)


def reverted(message: str) -> tuple[str, ...]:
    """The commits that ``message`` says it reverts, as they are written there."""
    return tuple(_NAMED.findall(message))


def turned_down(message: str) -> str:
    """The change that a revert takes back, with the reason given; "" if it gives none.

    Without one, nobody knows whether the change was wrong or early: many come back. A
    change that was reverted and is brought back by reverting that is turned down no longer.

    Args:
        message: Of a commit.
    """
    subject, _, body = message.partition("\n")
    found = _SUBJECT.fullmatch(subject.strip())
    if found is None or not (found["quote"] or reverted(body)) or _AGAIN.match(found["what"]):
        return ""
    reason = _reason(body)
    return f"{found['what'].strip()} - {reason}" if reason else ""


def _reason(body: str) -> str:
    """The first paragraph of prose that is not git's own sentence."""
    for paragraph in re.split(r"\n\s*\n", _NAMED.sub("", body)):
        lines = [_LABEL.sub("", line.strip(), count=1) for line in paragraph.splitlines()]
        prose = " ".join(line for line in lines if line and not _NO_REASON.match(line))
        if any(character.isalnum() for character in prose):
            return prose
    return ""
