"""Why an approach was given up, in the words of whoever gave it up."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from mind.sources.transcripts.lesson import Moment, Words
from mind.sources.transcripts.paragraph import capital, cut
from mind.sources.transcripts.prose import Sentence

_NOT = (
    r"(?:does(?:n['’]t| not)|do(?:n['’]t| not)|did(?:n['’]t| not)|won['’]t|will not|can['’]?t|"
    r"cannot|"
    r"(?:is|are|was|were)(?:n['’]t| not))"
)
_STRONG = re.compile(
    rf"\b{_NOT} (?:\w+ ){{0,2}}?(?:work|support|possible|compile|scale|fit|suitable|viable|handle|"
    r"allow|compatible|an option|help|survive|reach|propagate|be (?:used|done|shared|"
    r"reused))\w*\b|\btoo (?:slow|large|big|"
    r"brittle|"
    r"fragile|complex|expensive|strict|heavy|coarse|limited)\b|\bincompatible\b|\bdead end\b",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(?:slower|worse|breaks?|broke|fails|failed|deadlocks?|leaks?|crash(?:es|ed)?|blocks|loses|"
    r"lost|"
    r"hangs?|conflicts?|races?|duplicates|runs out|blows up|overflows|ignores?)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|since|due to|without|as (?:it|the|they|we|our)|whenever|when|so (?:this|that|"
    r"the|i['’]ll|i|we|let)\b)|"
    r"[:;—–] | - |, which\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|might|could|would|may|maybe|perhaps|probably|suppose|unless)\b", re.IGNORECASE
)
"""Before what does not work: it is only supposed."""
_UNSURE = re.compile(
    r"\b(?:should work|let me (?:check|see)|perhaps|maybe|probably|typo|misread|heredoc|grep|sed|"
    r"my (?:edit|command|script|regex|patch)|"
    r"the (?:edit|write|read|bash) (?:tool|command)|string (?:was )?not found|apologi[sz]e|sorry|"
    r"my mistake|sandbox|permission)\b",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:because|since|due to)\b", re.IGNORECASE)
_POINTS = re.compile(
    r"^(?:(?:hm+|ok|no|well|but|so|unfortunately|however|right)\W+)*(?:this|that|it|these|they|"
    r"which|"
    r"the (?:first|current|previous|last|same) (?:approach|attempt|version|idea|try|one)|"
    r"the approach)\b"
    r"(?! (?:library|module|package|plugin|function|method|api))",
    re.IGNORECASE,
)
_TRIES = re.compile(
    r"^(?:(?:ok(?:ay)?|first|now|then|next|so)\W+)*(?:let me|let['’]s|i['’]ll|i will|"
    r"i['’]m going to|we can)"
    r" (?:first |now |also |just )*(?:try (?:to |out )?)?(?P<what>.+?)[.:!]*$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"\binstead\b|^(?:so |then |ok(?:ay)?,? )?(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|"
    r"we['’]ll) (?:now )?"
    r"(?:use|switch|go|write|copy|build|move|add|put|store|pass|keep|turn|replace|make|take|load|"
    r"do)\b",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(
    r"^(?:(?:so|then|ok(?:ay)?|and|now)\W+)*(?:(?:instead,? )?(?:let me|let['’]s|i['’]ll|i will|"
    r"i['’]m going to|"
    r"we['’]ll|we)\s+)?(?:now |just )?(?:instead,? )?(?:revert and )?",
    re.IGNORECASE,
)
_ALREADY = re.compile(r",?\s*\binstead\b(?! of)", re.IGNORECASE)
"""It is said by "Instead:" already."""
_SHORT = 6
PUT_LATER = 3
"""Times that the agent speaks until it has said what it does instead."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an approach was given up.

    Attributes:
        moment: When it was said.
        sentence: In which words.
        strong: They say that it does not work, and why; weaker ones need an edit that was undone.
        other: What was done instead; "" as long as nobody has said.
        subject: What was tried, where the sentence itself only points at it.
        sources: The sentences that it is made of.
        heard: Times that the agent has spoken since.
    """

    moment: Moment
    sentence: str
    strong: bool
    other: str = ""
    subject: str = ""
    sources: tuple[str, ...] = ()
    heard: int = 0

    @property
    def text(self) -> str:
        """As one paragraph."""
        said = cut(f"{self.subject}{self.sentence}", 190)
        said = said if said.endswith((".", "!", "…")) else f"{said}."
        return f"{said} Instead: {self.other}" if self.other else said


def reasons(words: Words, before: Iterable[Words]) -> list[Reason]:
    """The reasons in what was said; ``before`` is what was said earlier, the nearest first."""
    found = []
    for index, one in enumerate(words.sentences):
        strong = _weighed(one)
        if strong is None:
            continue
        subject, text = "", one.text
        if _POINTS.match(one.said):
            subject = _tried(words.sentences[:index], before)
            if not subject:
                continue
        elif index and not _WHY.search(one.said) and _WHY.search(words.sentences[index - 1].said):
            text = f"{words.sentences[index - 1].text} {one.text}"
        reason = Reason(words.moment, text, strong, "", subject, (one.text,))
        found.append(_with_other(reason, words.sentences[index + 1 :]))
    return found


def heard_on(reason: Reason, words: Words) -> Reason:
    """The same after the agent has spoken once more, and perhaps said what it does instead."""
    if reason.other or words.by_person or reason.heard >= PUT_LATER:
        return reason
    return replace(_with_other(reason, words.sentences), heard=reason.heard + 1)


def _weighed(one: Sentence) -> bool | None:
    """Whether it is a strong reason; None if it is none."""
    if one.question or _UNSURE.search(one.said) or len(one.text.split()) < _SHORT:
        return None
    strong = _STRONG.search(one.said)
    found = strong or _WEAK.search(one.said)
    if found is None or _SUPPOSED.search(one.said[: found.start()]):
        return None
    caused = _CAUSE.search(one.said) is not None
    return caused if strong else False if caused else None


def _with_other(reason: Reason, after: Iterable[Sentence]) -> Reason:
    for one in after:
        if _INSTEAD.search(one.said) and not one.question:
            other = _ALREADY.sub("", one.text[_introduced(one) :]).rstrip(" .:!,")
            if len(other.split()) > 1:
                return replace(reason, other=other, sources=(*reason.sources, one.text))
    return reason


def _introduced(one: Sentence) -> int:
    found = _INTRODUCES.match(one.said)
    return found.end() if found else 0


def announced(before: Iterable[Words], same: Iterable[Sentence] = (), most: int = 110) -> str:
    """What the agent said last that it would do: "use threads"; "" if nothing."""
    earlier = [one for words in before if not words.by_person for one in reversed(words.sentences)]
    for one in [*reversed(list(same)), *earlier]:
        found = _TRIES.match(one.text)
        if found and len(found["what"].split()) > 1 and not one.question:
            return cut(found["what"], most)
    return ""


def _tried(same: Iterable[Sentence], before: Iterable[Words]) -> str:
    """What was announced last: "Tried to use threads: "; "" if nothing was."""
    what = announced(before, same, 80)
    return capital(f"tried to {what}: ") if what else ""
