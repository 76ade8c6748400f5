"""Caches of results for words and texts: large during a call, empty between calls.

A call that reads a whole memory needs the same words and texts many times. A server that runs for
weeks keeps seeing new ones; what a few calls left behind would fragment its memory.
"""

from functools import lru_cache, wraps

TYPE_CHECKING = False  # typing takes milliseconds, and hooks wait for them
if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import _lru_cache_wrapper
    from typing import Concatenate, ParamSpec, TypeVar

    P = ParamSpec("P")
    S = TypeVar("S", str, bytes)
    T = TypeVar("T")

_MOST_WORDS, _MOST_TEXTS = 50_000, 4_096
_LONGEST = 1_000
"""Maximum length in characters of a cached text."""
_FILE, _MOST_FILES = 20_000, 4
"""Minimum length of a text that counts as a whole file, and how many are cached."""
_caches: "list[_lru_cache_wrapper[object]]" = []


def of_words(work: "Callable[[str], T]") -> "_lru_cache_wrapper[T]":
    """Cache the results of ``work`` for words."""
    kept = lru_cache(maxsize=_MOST_WORDS)(work)
    _caches.append(kept)
    return kept


def of_texts(work: "Callable[P, T]") -> "Callable[P, T]":
    """Cache the results of ``work`` for a text or a pair of texts, unless they are long."""
    kept = lru_cache(maxsize=_MOST_TEXTS)(work)
    _caches.append(kept)

    @wraps(work)
    def of(*texts: "P.args", **no: "P.kwargs") -> "T":
        is_short = sum(len(str(one)) for one in texts) <= _LONGEST
        return kept(*texts) if is_short else work(*texts, **no)

    return of


def of_files(work: "Callable[Concatenate[S, P], T]") -> "Callable[Concatenate[S, P], T]":
    """Cache the results of ``work`` for the last few whole files, its first argument."""
    kept = lru_cache(maxsize=_MOST_FILES)(work)
    _caches.append(kept)

    @wraps(work)
    def of(source: "S", /, *rest: "P.args", **no: "P.kwargs") -> "T":
        return (kept if len(source) > _FILE else work)(source, *rest, **no)  # type: ignore[arg-type]

    return of


def clear() -> None:
    """Clear the caches; called at the end of a call."""
    for kept in _caches:
        kept.cache_clear()
