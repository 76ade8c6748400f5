"""Queries that an entry should answer, made of its own words; pure.

They are those of known-item search (Azzopardi, de Rijke and Balog, "Building simulated queries for
known-item topics", SIGIR 2007).
"""

from collections.abc import Mapping, Sequence
from math import inf

from mind.domain.entry import Entry
from mind.text.terms import STOP_WORDS, telling, terms

KINDS = ("keywords", "beginning", "rest")
_KEYWORDS = 3
_ENOUGH = 3
"""Words that the rest of an entry has at least, and its beginning before some are left out."""
_REST = 8
"""Words of a query from the rest of an entry, at most: nobody types more."""


def spread(count: int, most: int, seed: int) -> list[int]:
    """Up to ``most`` of the numbers below ``count``: one, by chance, of each of as many parts."""
    from random import Random  # noqa: PLC0415 - other commands do without

    if count <= most:
        return list(range(count))
    chance = Random(seed)  # noqa: S311 - a sample, no secret
    return [chance.randrange(at * count // most, (at + 1) * count // most) for at in range(most)]


def queries_of(entry: Entry, frequency: Mapping[str, int], seed: int) -> dict[str, str]:
    """Queries that ``entry`` should answer, by kind; none where it has too few words.

    "keywords": its three rarest words, in any order. "beginning": the telling words of its first
    sentence without every second one. "rest": telling words that its title does not have.

    Args:
        entry: The one to find.
        frequency: Term → how many entries have it.
        seed: Orders the keywords, together with the text.
    """
    from random import Random  # noqa: PLC0415 - other commands do without

    every, title = words_of(entry.text), words_of(entry.title)
    made: dict[str, Sequence[str]] = {}
    if len(every) >= _KEYWORDS:
        rarest = sorted(every, key=lambda held: min(frequency.get(one, inf) for one in held))
        keywords = [every[held] for held in rarest[:_KEYWORDS]]
        salt = f"{seed} {entry.text}".encode("utf-8", "surrogatepass")
        Random(salt).shuffle(keywords)  # noqa: S311 - an order, no secret
        made["keywords"] = keywords
    if len(title) >= _ENOUGH:
        made["beginning"] = list(title.values())[::2]
    in_title = {term for held in title for term in held}
    rest = [word for held, word in every.items() if in_title.isdisjoint(held)]
    if len(rest) >= _ENOUGH:
        made["rest"] = rest[:_REST]
    return {kind: " ".join(words) for kind, words in made.items()}


def words_of(text: str) -> dict[tuple[str, ...], str]:
    """The terms of each telling word → the word as written; each once, in order.

    Where no spaces part words (Chinese, Japanese), pairs of characters are the words.
    """
    found: dict[tuple[str, ...], str] = {}
    for word in telling(text):
        held = tuple(terms(word))
        if len(held) > 1 and max(map(len, held)) <= 2:
            for pair in held:
                found.setdefault((pair,), pair)
        elif held and word.casefold() not in STOP_WORDS:
            found.setdefault(held, word)
    return found
