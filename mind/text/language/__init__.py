"""The language of a text, and its tone: what is known of an entry without understanding it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mind.text.language.feeling import mood, tone
    from mind.text.language.guessing import foreign, language

__all__ = ["LANGUAGES", "foreign", "language", "mood", "tone"]

LANGUAGES = ("en", "de", "es", "fr", "pt", "ru", "uk", "zh", "ja", "ko")
"""What a text may be in (ISO 639-1)."""
_WHERE = {"foreign": "guessing", "language": "guessing", "mood": "feeling", "tone": "feeling"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Load the words when something is told by them: they take 10 ms."""
    if name not in _WHERE:
        raise AttributeError(name)
    return getattr(import_module(f"mind.text.language.{_WHERE[name]}"), name)
