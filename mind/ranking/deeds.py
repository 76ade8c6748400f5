"""What an entry or a query says was done: added, mended, dropped, renamed, tested.

Two texts about the same thing share its words whether one adds it and the other drops it, or only
writes about it in the manual.
"""

from collections.abc import Iterable
from enum import Enum
from functools import cache

from mind.text.terms import terms


class Deed(Enum):
    """What was done, and the words that say so."""

    ADD = "add introduce include create implement new support allow expose provide enable accept"
    MEND = "fix bug crash resolve handle correct error"
    DROP = "drop remove deprecate delete longer"
    RENAME = "rename"
    IMPROVE = "speed faster performance improve optimise optimize"
    DOCUMENT = "docs documentation readme typo changelog docstring clarify"
    TEST = "test coverage ci lint mypy flake8 travis"
    RELEASE = "release version bump"


BESIDE = frozenset({Deed.DOCUMENT, Deed.TEST, Deed.RELEASE})
"""What is done about a change rather than the change itself."""


def deeds(of: Iterable[str]) -> list[Deed]:
    """Those that the terms speak of, in their order, repeats included."""
    known = _known()
    return [known[term] for term in of if term in known]


@cache
def _known() -> dict[str, Deed]:
    return {term: deed for deed in Deed for term in terms(deed.value)}
