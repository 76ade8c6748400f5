"""The language of a text, and its tone: what is known of an entry without understanding it."""

from mind.language.feeling import mood, tone
from mind.language.guessing import LANGUAGES, foreign, language

__all__ = ["LANGUAGES", "foreign", "language", "mood", "tone"]
