"""Caches of results for words and texts: large while a call works, small between calls.

A call that reads a whole memory needs the same words and texts again and again. A server that
answers for weeks sees ever new ones, and needs hardly any of them twice.
"""

from functools import lru_cache, wraps

TYPE_CHECKING = False  # typing takes milliseconds, and hooks wait for them
if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import _lru_cache_wrapper
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")

_MOST_WORDS, _MOST_TEXTS = 50_000, 4_096
_KEPT_WORDS, _KEPT_TEXTS = 512, 64
"""Between calls; what a text is taken apart into has 20 times its length."""
_LONGEST = 1_000
"""Characters of a text that is worth keeping."""
_caches: "list[tuple[_lru_cache_wrapper[object], int]]" = []


def of_words(work: "Callable[[str], T]") -> "_lru_cache_wrapper[T]":
    """Keep what ``work`` gives for words."""
    kept = lru_cache(maxsize=_MOST_WORDS)(work)
    _caches.append((kept, _KEPT_WORDS))
    return kept


def of_texts(work: "Callable[P, T]") -> "Callable[P, T]":
    """Keep what ``work`` gives for a text or a pair of texts, unless they are long."""
    kept = lru_cache(maxsize=_MOST_TEXTS)(work)
    _caches.append((kept, _KEPT_TEXTS))

    @wraps(work)
    def of(*texts: "P.args", **no: "P.kwargs") -> "T":
        is_short = sum(len(str(one)) for one in texts) <= _LONGEST
        return kept(*texts) if is_short else work(*texts, **no)

    return of


def trim() -> None:
    """Forget what has grown beyond what is kept between calls."""
    for kept, most in _caches:
        if kept.cache_info().currsize > most:
            kept.cache_clear()
