"""How important the fields of an entry say it is."""

from collections.abc import Mapping

DEFAULT_IMPORTANCE = 0.5
"""Of an entry that says nothing."""
PINNED_FROM = 0.9
"""An importance that pins."""
_YES = frozenset({"yes", "true", "on", "1"})


def importance(fields: Mapping[str, str]) -> float:
    """The importance that fields give, 0–1: ``[importance:: 0.9]``, else 0.5.

    A value that is no number, or not within 0–1, is as if it had not been written.
    """
    said = fields.get("importance")
    if not said:  # as of nearly every entry: an error that is caught takes a microsecond
        return DEFAULT_IMPORTANCE
    try:
        value = float(said)
    except ValueError:
        return DEFAULT_IMPORTANCE
    return value if 0 <= value <= 1 else DEFAULT_IMPORTANCE


def is_pinned(fields: Mapping[str, str]) -> bool:
    """Whether somebody wants it kept: ``[pinned:: yes]``, or an importance of 0.9 or more."""
    return fields.get("pinned", "").lower() in _YES or importance(fields) >= PINNED_FROM
