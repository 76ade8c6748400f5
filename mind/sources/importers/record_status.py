"""The status of a decision record: whether it holds, ended, was rejected or is proposed; pure.

The words are data (``mind/data/records.toml``).
"""

import re
import unicodedata
from functools import cache

from mind.sources.importers import records

_FIRST_WORDS = 3


@cache
def _validity() -> dict[str, re.Pattern[str]]:
    """A pattern of the beginnings of words for each state of a record."""
    return {
        state: re.compile("|".join(one if one >= "\u2e80" else rf"\b{one}" for one in names))
        for state, names in records.data()["status"].items()
    }


def validity(status: str) -> str:
    """Return the state that a record's status gives: ended, rejected, proposed, or "" for valid.

    A record ends by a word anywhere ("Accepted, superseded by 7"); the first of the words at the
    beginning tells the rest: "Accepted, the other proposal was withdrawn" holds.
    """
    folded = _folded(status)
    states = _validity()
    if states["ended"].search(folded):
        return "ended"
    first = " ".join(re.findall(r"[^\W\d_]+", folded)[:_FIRST_WORDS])
    found = {
        state: match.start() for state, words in states.items() if (match := words.search(first))
    }
    told = min(found, key=lambda state: found[state], default="")
    return {"accepted": "", "withdrawn": "ended"}.get(told, told)


def has_ended(status: str) -> bool:
    """Return True if a status is its end or tells its successor.

    Unlike "Accepted. Replaced the old API" and "To be superseded by 7".
    """
    end = rf"(?:{_validity()['ended'].pattern})"
    begun = rf"(?:{end}|{_validity()['withdrawn'].pattern})"
    first = rf"^[\W\d_]*{begun}(?!\w*\s(?:the|an?)\b)"
    last = rf"[,;(~]\W{{0,3}}(?:\w+ )?{end}\w*\W*$"
    by = r"\w*\W+(?!adr|rfc)[^\W\d_]+\W+?(?:\[|adr|rfc|\d)"
    by = rf"(?<!\bbe )(?<!\bnot )(?<!\buntil ){end}{by}"
    after = rf"\d\W?(?:\(\S{{1,200}}\))?\s?(?=[\u2e80-\uffff]){end}"
    return re.search(f"{first}|{last}|{by}|{after}", _folded(status)) is not None


def _folded(status: str) -> str:
    """Return a status without what says that it ends another record."""
    folded = unicodedata.normalize("NFC", status.casefold())
    return re.sub(r"\bsuper[sc]edes\b|を[^（）()。]{0,40}?置換", "", folded)
