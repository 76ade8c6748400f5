"""Matching of gotchas with an intent or code, with the reason."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mind.memory.gotchas.known import SEVERITIES, Gotcha
from mind.text import lazy_pattern
from mind.text.similarity import similarity, weight, words
from mind.text.sourcetext import place_of, written
from mind.text.sourcetext.limited import Hits, MatchLimits

SECONDS = 0.3
"""Time limit for all patterns of a check; a few stacks need half for 200,000 characters."""
_MOST_CODE = 200_000
_ALIKE = 0.60
_TELLING, _TELLING_BUILT_IN = 10.0, 26.0
"""Minimum total rarity of shared words: two rare words, or three common ones; of a built-in gotcha
twice as many, since there are hundreds."""
_MOST = 12
_LEAVING = lazy_pattern(
    r"\b(?:replac\w+|remov\w+|drop\w*|avoid\w*|rid of|stop\w*|instead of|away from|without|"
    r"no longer|explain\w*|why)\b(?:\W+\w+){0,1}\W*$",
    re.IGNORECASE,
)
"""Matches the text before something that the intent removes rather than uses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedGotcha:
    """A gotcha that applies.

    Attributes:
        gotcha: The gotcha.
        reason: Reason of the match: pattern and line of the code, or words of the intent.
        score: Confidence, 0–1.
    """

    gotcha: Gotcha
    reason: str
    score: float


def check(
    intent: str,
    code: str,
    stacks: Sequence[str],
    gotchas: Iterable[Gotcha],
    limits: MatchLimits | None = None,
) -> list[MatchedGotcha]:
    """Return at most twelve gotchas that match ``intent`` or ``code``, the most severe first.

    A gotcha applies if one of its stacks is present, or if it has none. A pattern match in the code
    is decisive; otherwise a phrase in the intent, as whole words, or the words that it shares with
    the gotcha. Patterns beyond the time limit of ``limits`` do not match.
    """
    present = {stack.lower() for stack in stacks}
    asked = [one for one in gotchas if not one.stacks or present.intersection(one.stacks)]
    code = written(code[:_MOST_CODE])
    patterns = [pattern for one in asked for pattern in one.patterns] if code else []
    hits = (limits or MatchLimits(SECONDS)).search(patterns, code)
    said = set(words(intent))
    found = []
    for one in asked:
        edge = _by_code(one, code, hits) or _by_phrase(one, intent) or _by_words(one, intent, said)
        if edge is not None:
            found.append(edge)
    return in_order(found)


def in_order(found: Iterable[MatchedGotcha]) -> list[MatchedGotcha]:
    """Return at most twelve matches, the most severe first, then by score."""
    order = sorted(found, key=lambda edge: (-SEVERITIES.index(edge.gotcha.severity), -edge.score))
    return order[:_MOST]


def _by_code(one: Gotcha, code: str, hits: Hits) -> MatchedGotcha | None:
    if any(place_of(cure, code) >= 0 for cure in one.cures):
        return None
    met = [hits[pattern] for pattern in one.patterns if pattern in hits]
    met += [(at, name) for name in one.names if (at := place_of(name, code)) >= 0]
    for at, text in met:
        line = code.count("\n", 0, at) + 1
        shown = " ".join(text.split())[:60]
        return MatchedGotcha(gotcha=one, reason=f"line {line} of the code has `{shown}`", score=1.0)
    return None


def _by_phrase(one: Gotcha, intent: str) -> MatchedGotcha | None:
    spoken = words(intent)
    for phrase in one.phrases:
        wanted = words(phrase)
        is_cut = len(wanted) < 2 <= len(phrase.split())  # of "use any type" only "type" is left
        if wanted and not is_cut and _contains(spoken, wanted) and not _is_left(intent, wanted):
            said = ", ".join(word for word in phrase.split() if words(word))
            return MatchedGotcha(gotcha=one, reason=f"the intent says: {said}", score=0.9)
    return None


def _contains(spoken: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return True if all words of the phrase occur close together, in any order."""
    places = [[at for at, word in enumerate(spoken) if word == one] for one in wanted]
    if not all(places):
        return False
    reach = len(wanted) + 6
    return any(
        all(any(abs(at - first) <= reach for at in listed) for listed in places)
        for first in places[0]
    )


def _is_left(intent: str, wanted: Sequence[str]) -> bool:
    """Return True if the first word directly follows "replace", "avoid" or similar."""
    for found in re.finditer(r"[\w.]+", intent):
        if set(words(found.group())) & set(wanted):
            return _LEAVING.search(intent[: found.start()]) is not None
    return False


def _by_words(one: Gotcha, intent: str, said: set[str]) -> MatchedGotcha | None:
    """Match by shared words; those of a built-in gotcha's stacks, which all of them have, apart."""
    if one.origin == "project" or not said:
        return None
    is_own = one.origin == "global"
    text = f"{one.title} {one.description} {' '.join(one.phrases)}"
    shared = said.intersection(words(text)).difference(*([] if is_own else map(words, one.stacks)))
    telling = sum(weight(word) for word in shared)
    score = 0.0
    if is_own:
        score = max(similarity(intent, one.title), similarity(intent, one.description or one.title))
    telling_least, least = (_TELLING, 2) if is_own else (_TELLING_BUILT_IN, 4)
    if score < _ALIKE and (telling < telling_least or len(shared) < least):
        return None
    written_words = set(re.findall(r"[\w./-]+", intent))
    listed = ", ".join(sorted(word for word in written_words if set(words(word)) & shared))
    return MatchedGotcha(
        gotcha=one, reason=f"matched words: {listed}", score=round(max(score, 0.5), 2)
    )
