"""Speech acts of a sentence, by its closed-class words: one file a language."""

import re
from collections.abc import Sequence
from functools import cache

from mind.text import languages, table
from mind.text.durability import spoken

_SHORTEST, _LONGEST = 3, 60
"""Words of a sentence that can be noted."""
_SENTENCE, _LONG = 8, 14
"""Words of a whole statement, and of one that goes on to explain itself."""
_OPENING = 3
"""Words of a message within which it denies what was said before."""
_NAME = re.compile(r"`[^`]+`|\w+[._/:-]\w+|\w*[a-z][A-Z]\w*|[A-Z]{2,}|\w+\(\)|\d")
"""A thing that is named rather than described: code, a path, a number, an acronym."""
_NO = re.compile(r"^(?:\w+ )?(?:no|nah|nope|nein|nee|non|não|нет)\s*[,!.:]\s*", re.IGNORECASE)
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WRITTEN_TOGETHER = re.compile(f"[{_CJK}]")
_RUN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
_QUESTION = re.compile(r"[?？]['\"”)*\s]*$")


def roles(sentence: str, language: str) -> set[str]:
    """Return the roles that are filled in a sentence.

    None are in a question, in one that is too short or too long, and in what is only quoted.
    """
    said = _NO.sub("", spoken(sentence).replace("’", "'").replace("\0", " ").strip())
    size = _size(said)
    if _QUESTION.search(said) or not _SHORTEST <= size <= _LONGEST:
        return set()
    found = {role for role, pattern in _patterns(language).items() if pattern.search(said)}
    shape = {"name": _NAME.search(sentence), "sentence": size >= _SENTENCE, "long": size >= _LONG}
    return found | {role for role, is_so in shape.items() if is_so}


def denies(message: str, language: str) -> bool:
    """Return whether a message begins by turning down what was said before."""
    found = _patterns(language)["deny"].search(message)
    return found is not None and _size(message[: found.end()]) <= _OPENING


def is_question(message: str) -> bool:
    """Return whether a message ends by asking something."""
    return _QUESTION.search(message) is not None


def same(one: str, other: str, share: float) -> bool:
    """Return whether the shorter of two texts has at least this share of its words in the other."""
    first, second = words(one), words(other)
    least = min(len(first), len(second))
    return least > 0 and len(first & second) >= share * least


def _size(text: str) -> int:
    """Return how many words a text has.

    Two characters of what is written without spaces are one.
    """
    return sum(
        (len(run) + 1) // 2 if _WRITTEN_TOGETHER.match(run) else 1 for run in _RUN.findall(text)
    )


def words(text: str) -> set[str]:
    """Return the words of a text; of what is written without spaces, its pairs of characters."""
    found: set[str] = set()
    for run in _RUN.findall(text.lower()):
        if _WRITTEN_TOGETHER.match(run):
            found.update(run[at : at + 2] for at in range(max(1, len(run) - 1)))
        else:
            found.add(run)
    return found


def keeping() -> list[str]:
    """Return the words of all languages that ask to keep something, and Mind's own mark."""
    listed = (table(f"speech/{name}")["keep"] for name in languages("speech"))
    return sorted({"memory:", *(word for words in listed for word in words)})


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    name = language if language in languages("speech") else "en"
    return {role: _either(words) for role, words in table(f"speech/{name}").items()}


def _either(words: Sequence[str]) -> re.Pattern[str]:
    """A pattern of whole words; those of what is written without spaces are found anywhere."""
    apart = [re.escape(word) for word in words if not _WRITTEN_TOGETHER.search(word)]
    together = [re.escape(word) for word in words if _WRITTEN_TOGETHER.search(word)]
    rows = [rf"(?<!\w)(?:{'|'.join(apart)})(?!\w)"] if apart else []
    return re.compile("|".join([*rows, *together]), re.IGNORECASE)
