"""What is decided or warned of in so many words.

A pattern alone decides nothing: what is asked, supposed, reported of others, meant for the moment
or said about a person is left out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mind import durability
from mind.entry import Kind
from mind.sources.transcripts import causes, facts, headed, orders, phrases
from mind.sources.transcripts.paragraph import capital, is_prose, size
from mind.sources.transcripts.prose import Sentence, sentences

_FEWEST, _LONGEST = 4, 400
_PASTED = 1_000
"""Characters of a message of a person that is rather a document, if it is laid out like one."""
_LINES = 12
_ABOUT = re.compile(r"\b(?:i|me|my|you)\b", re.IGNORECASE)
_GRANTS, _GRANTED = 2, 6
"""Sentences behind a granted point that may be about it, and words that one must have."""
_AFTER = 2
"""Sentences that may go on about how things are now."""
_LAID_OUT = re.compile(r"^(?: {0,3}#{1,6} |\s*```|\s*\||<\w+|.{0,60}:\s*\*\*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Statement:
    """A decision or a warning.

    Attributes:
        kind: Which.
        text: In the words of who said it, less what introduces it.
        source: The sentence that it is.
        proposed: The agent decided it by itself; the person may object.
        is_answer: What it is about may stand in the question only.
    """

    kind: Kind
    text: str
    source: str
    proposed: bool = False
    is_answer: bool = False


def by_person(text: str, said: Sequence[Sentence] | None = None) -> list[Statement]:
    """What the person decides, and warns of; ``said`` are the sentences of ``text``."""
    if phrases.JOKE.search(text) or phrases.BRIEF.match(text):
        return []
    if len(text) > _PASTED and _is_document(text):
        return []
    pasted = phrases.PASTES.search(text)
    found: list[Statement] = []
    if pasted or said is None:
        said = sentences(text[: pasted.start()] if pasted else text)
    for number, one in enumerate(said):
        if phrases.SPEAKER.match(one.said):
            continue
        statement = _warning(one, by_agent=False) or _priority(one)
        statement = statement or _rule(one, said[number - 1] if number else None)
        statement = statement or _reasoned(one, said[number + 1 : number + 2])
        statement = statement or _laid_down(one, said[number + 1 : number + 1 + _AFTER])
        is_told = any(one.text in other.text for other in found)
        if statement is not None and is_lasting(statement.text) and not is_told:
            found.append(statement)
    return found


def by_agent(text: str, said: Sequence[Sentence] | None = None) -> list[Statement]:
    """What the agent decides and has found out; ``said`` are the sentences of ``text``."""
    said = sentences(text) if said is None else said
    offers = any(one.question or phrases.OFFER.search(one.said) for one in said)
    sums_up = phrases.SUMMARY.search(text) is not None
    found = [Statement(kind, capital(item), item) for kind, item in headed.items(text)]
    found = [one for one in found + _granted(said) if is_lasting(one.text)]
    for one in said:
        statement = (None if sums_up else _warning(one, by_agent=True)) or _choice(one)
        if statement is None or (statement.proposed and offers):
            continue
        if is_lasting(statement.text):
            found.append(statement)
    return found


def claims(said: Sequence[Sentence], *, untouched: bool, looked: bool) -> list[Statement]:
    """What the agent says about the code and its tools, which the person may know better."""
    found = facts.facts(said, untouched=untouched, looked=looked)
    return [
        Statement(kind, capital(text), source) for kind, text, source in found if is_lasting(text)
    ]


def _is_document(text: str) -> bool:
    """Whether a long message was laid out rather than said to the agent."""
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > _LINES or _LAID_OUT.search(text) is not None


def objects(text: str) -> bool:
    """Whether the person is against what was proposed."""
    return phrases.AGAINST.search(text[:500]) is not None


def _priority(one: Sentence) -> Statement | None:
    """What counts most for the person; "I" is no reason against it here."""
    if one.question or not phrases.PRIORITY.search(one.said) or phrases.OF_NOW.search(one.said):
        return None
    if phrases.POINTS.match(one.said):
        return None
    text = phrases.OPENING.sub("", one.text)
    return Statement(Kind.DECISION, capital(text), one.text) if _fits(one.text) else None


def _reasoned(one: Sentence, after: Sequence[Sentence]) -> Statement | None:
    """An order that is given its reason first: "since the link is in a fence …, move it out"."""
    if not phrases.GIVEN.match(one.said) or one.question:
        return None
    told = [one]
    if not phrases.SO.search(one.said):
        told += [one for one in after if phrases.SO.match(one.said) and not one.question]
    said = " ".join(one.said for one in told)
    text = " ".join(one.text for one in told)
    order = next((found for one in told if (found := phrases.SO.search(one.said))), None)
    if order is None or phrases.OF_TASK.search(order.string, order.start()) or not _fits(text):
        return None
    if any(row.search(said) for row in (phrases.OF_NOW, phrases.TALK, phrases.ERRAND, _ABOUT)):
        return None
    return Statement(Kind.DECISION, capital(phrases.OPENING.sub("", text)), one.text)


def _laid_down(one: Sentence, after: Sequence[Sentence]) -> Statement | None:
    text = phrases.OPENING.sub("", orders.order(one, after))
    return Statement(Kind.DECISION, capital(text), one.text) if text else None


def _granted(said: Sequence[Sentence]) -> list[Statement]:
    """What is no good, once the agent has granted the person a point."""
    if not said or not causes.grants(said[0]):
        return []
    for one in said[1 : 1 + _GRANTS]:
        if one.question or not _fits(one.text) or phrases.POINTS.match(one.said):
            continue
        if phrases.SELF.search(one.said) or phrases.OF_NOW.search(one.said):
            continue
        if size(one.text) >= _GRANTED and causes.NO_GOOD.search(one.said):
            more = said[said.index(one) + 1 :][:1]
            text = " ".join([one.text, *(next_.text for next_ in more if _goes_on(next_))])
            return [Statement(Kind.REJECTED, capital(text), one.text)]
    return []


def _goes_on(one: Sentence) -> bool:
    """Whether a sentence says more about what was said, rather than what is to be done."""
    return not one.question and _fits(one.text) and not causes.LEADS_ON.match(one.said)


def _rule(one: Sentence, before: Sentence | None = None) -> Statement | None:
    found = phrases.rule(one.said)
    if found is None or one.question or phrases.OF_NOW.search(one.said):
        return None
    if phrases.SUPPOSED.search(one.said[: found.start()]) or phrases.SUPPOSED.match(
        found[0].lstrip(" ,;:(")
    ):
        return None
    if phrases.ORDER.match(found[0]) and not phrases.SCOPE.search(one.said):
        return None
    if "instead" in found[0].lower() and phrases.OF_TASK.search(found[0]):
        return None
    unclear = phrases.ABOUT_ME.search(one.said) or phrases.TALK.search(one.said)
    unclear = unclear or phrases.OBJECT_POINTS.search(one.said)
    if unclear or not _fits(one.text):
        return None
    text = phrases.WHEN.sub(r"\1", phrases.OPENING.sub("", one.text))
    if before and not before.question and phrases.WHAT.search(one.said) and _fits(before.text):
        text = f"{capital(phrases.OPENING.sub('', before.text))} {capital(text)}"
    return Statement(Kind.DECISION, capital(text), one.text)


def _choice(one: Sentence) -> Statement | None:
    found = phrases.CHOICE.match(one.said) or _chosen(one)
    if found is None or one.question or not _fits(one.text):
        return None
    start, end = found.span("act")
    if not phrases.GENERIC.sub("", one.text[start:end]) or phrases.ERRAND.search(
        one.text[start:end]
    ):
        return None
    if phrases.FOR_YOU.search(found["why"]) or phrases.OF_NOW.search(one.said):
        return None
    if causes.STATE.search(one.said):
        return None
    start = min(start, found.start("why"))
    return Statement(
        Kind.DECISION, capital(one.text[start:]), one.text, proposed=True, is_answer=True
    )


def _chosen(one: Sentence) -> re.Match[str] | None:
    """A choice of which the reason comes first, and is none of the agent's own."""
    found = phrases.CHOSEN.match(one.said)
    if found is None or phrases.SELF.search(found["why"]) or phrases.POINTS.match(found["why"]):
        return None
    return None if phrases.AT_WORK.search(found["why"]) else found


def _warning(one: Sentence, *, by_agent: bool) -> Statement | None:
    labelled = phrases.LABELLED.match(one.said)
    found = labelled or phrases.TOLD.match(one.said)
    if found is None or one.question or phrases.OF_NOW.search(one.said):
        return None
    rest = one.text[found.end() :]
    about = one.said[found.end() :]
    if not _fits(rest) or phrases.SELF.search(about) or phrases.POINTS.match(about):
        return None
    label = labelled["label"].lower() if labelled else ""
    if by_agent and (_asks(about) or (labelled and not phrases.VERB.search(rest))):
        return None
    sure = label in phrases.LABELS if labelled else bool(found["whole"])
    if by_agent and not sure and not _tells(rest, one.said[found.end() :], found):
        return None
    if labelled is not None:
        kind = phrases.LABELS.get(label, Kind.GOTCHA)
        proposed = by_agent and kind is Kind.DECISION
        return Statement(kind, capital(rest), one.text, proposed=proposed)
    return _found_out(one, found, rest)


def _asks(said: str) -> bool:
    """Whether the agent only asks the person to do a thing, and does not say why."""
    return phrases.FOR_READER.match(said) is not None and not phrases.SCOPE.search(said)


def _tells(rest: str, said: str, found: re.Match[str]) -> bool:
    """Whether what the agent notes is about something, and says why that matters."""
    learnt = "learn" in found.re.groupindex and found["learn"]
    return phrases.ANCHOR.search(rest) is not None and bool(learnt or phrases.WEIGHTY.search(said))


def _found_out(one: Sentence, found: re.Match[str], rest: str) -> Statement:
    if found["whole"]:
        return Statement(Kind.LEARNING, capital(one.text[found.start("whole") :]), one.text)
    kind = Kind.GOTCHA if found["warn"] else Kind.LEARNING
    return Statement(kind, capital(rest), one.text)


def _fits(text: str) -> bool:
    return size(text) >= _FEWEST and len(text) <= _LONGEST and is_prose(text)


def revokes(text: str) -> bool:
    """Whether the person takes back what was said before."""
    return phrases.REVOKES.search(text[:500]) is not None


def is_lasting(text: str) -> bool:
    """Whether it is about the project, and for longer than this week."""
    return durability.about_user(text) is None and not durability.transient(text)
