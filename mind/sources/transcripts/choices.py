"""What the person chooses when asked: answers to questions, and calls that are refused."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mind.entry import Kind
from mind.sources.transcripts import orders, phrases
from mind.sources.transcripts.lesson import Words
from mind.sources.transcripts.paragraph import capital, cut
from mind.sources.transcripts.prose import Sentence, sentences
from mind.sources.transcripts.reasons import announced
from mind.sources.transcripts.statements import Statement, by_person, is_lasting

_OPEN = re.compile(
    r"\b(?:which|should|shall|do you (?:want|prefer)|would you (?:like|prefer|rather))\b",
    re.IGNORECASE,
)
"""It can be decided; what the state of things is cannot."""
_STATE = re.compile(
    r"^(?:have|has|did|does|is|are|was|were|do (?:you|we) (?:have|see|know|get))\b|\bready\b|"
    r"\bwhich (?:error|browser|page|version) (?:do|does|did|is|are)\b|\byour (?:name|experience|"
    r"level|role|budget|time\w*|background|email)\b|\bhow (?:familiar|experienced)\b",
    re.IGNORECASE,
)
_ERRAND = re.compile(
    r"\b(?:proceed|continue|go ahead|commit|push|pull request|pr\b|merge|next|start|begin|first|"
    r"now|this session|today|run|rerun|retry|try|approve|plan|tasks?|todo|help|work on|"
    r"look at|focus on|investigate|check|this time|for now|later|tackle|prioriti[sz]e|address|"
    r"(?:want|like|prefer) me|implement|fix)\b|"
    r"\b(?:should|shall) i (?!use|store|keep|name|call|put|model|represent)\b",
    re.IGNORECASE,
)
"""It is about what the agent does next."""
_NO_CHOICE = re.compile(
    r"^\W*(?:skip|none|other|not (?:sure|yet)|don['’]?t know|no (?:idea|preference)|you (?:decide|"
    r"choose)|whatever|either|both|any|later|cancel|stop|wait|let me|need to|i['’]?ll|i will|"
    r"i need|i have)\b",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"\b(?:because|since|so|as (?:we|it|they|the)|instead|rather|otherwise|already|too|never|"
    r"always|must|we (?:use|have|need|want|don['’]?t|do not|never|already)|(?:is|are) not|"
    r"doesn['’]?t|won['’]?t|isn['’]?t|can['’]?t|prefer|deprecated|porque|pero|mejor|em vez|"
    r"en vez|weil|stattdessen|parce que|plutôt|perché|invece)\b|因为|不要|而不是|代わり",
    re.IGNORECASE,
)
"""Why something is turned down, or what is to be done in its place."""
_FOR_NOW = re.compile(
    r"\b(?:i['’]?(?:ll|m|ve)|i (?:will|already|just|am|have|did|want to)|myself|first|explain|"
    r"show me|tell me|wait|stop|yet|later|continue|go on|try again|what are you|why (?:are|do|did) "
    r"you|you (?:already|just|forgot|should have|keep|are|did))\b",
    re.IGNORECASE,
)
"""It is about the order of work, or what the agent is doing."""
_HINT = re.compile(r"\s*\((?:recommended|default|suggested)\)\s*$", re.IGNORECASE)
_HARM = re.compile(
    r"\b(?:kill(?:ed|s)|crash(?:ed|es)|fr(?:oze|eezes)|bricked|hung|nuked|wiped|corrupted|"
    r"overloaded) "
    r"(?:my|the|our) (?:whole |entire )?(?:computer|machine|laptop|pc|mac\w*|system|server|desktop|"
    r"box|database|db|prod\w*|disk|network)\b",
    re.IGNORECASE,
)
"""What was done did harm beyond the code."""
_FEWEST, _LONGEST_ANSWER = 6, 160
_TOLD = 2
"""Sentences in which somebody who refuses says why."""


def answered(asked: object, text: str, told: Mapping[str, str]) -> Iterator[Statement]:
    """Decisions in the answers to questions.

    Args:
        asked: The questions, as the agent put them.
        text: How the client passes the answers on: ``"QUESTION"="ANSWER", …``.
        told: Question → answer, where the client keeps that too.
    """
    for question, answer in {**dict(_pairs(asked, text)), **told}.items():
        statement = _chosen(" ".join(question.split()), _HINT.sub("", " ".join(answer.split())))
        if statement is not None:
            yield statement
        else:
            yield from by_person(answer)


def told(asked: object) -> list[Sentence]:
    """What the agent tells in its questions before it asks."""
    return [one for row in _rows(asked) for one in sentences(str(row.get("question") or ""))]


def headers(asked: object) -> list[str]:
    """What the questions are about, where they name it themselves: "Logo", not "Approach"."""
    named = [(str(row.get("header") or ""), str(row.get("question"))) for row in _rows(asked)]
    return [name for name, question in named if name and name.lower() in question.lower()]


def harmed(said: Sequence[Sentence], before: list[Words]) -> list[Statement]:
    """What was tried last, if the person says that it did harm."""
    intent = announced(before)
    harm = next((one for one in said[:2] if _HARM.search(one.said) and not one.question), None)
    if harm is None or not intent:
        return []
    came = phrases.OPENING.sub("", harm.text)
    text = f"{capital(intent)} - what came of it: {came}"
    return [Statement(Kind.REJECTED, text, harm.text)]


def forbidden(said: Sequence[Sentence]) -> list[Statement]:
    """What the person does not want done at all, who has just refused a call."""
    text = orders.forbidden(said)
    return [Statement(Kind.DECISION, text, text)] if text and is_lasting(text) else []


def refused(words: str, file: str, before: list[Words]) -> Statement | None:
    """What was turned down in refusing a call, if the person says why or what else to do.

    Args:
        words: The person's.
        file: That it was about to change; "" if none.
        before: What was said before, the nearest first.
    """
    said = sentences(words)
    intent = announced(before)
    if not said or len(words.split()) < _FEWEST or not (intent or file):
        return None
    told = " ".join(one.said for one in said[:_TOLD])
    if not _WHY.search(told) or phrases.OF_NOW.search(told):
        return None
    if _FOR_NOW.search(told) or phrases.TALK.search(told):
        return None
    where = f" ({file})" if file and file not in intent else ""
    words = " ".join(one.text for one in said[:_TOLD]).rstrip(" .")
    what = f"{capital(intent)}{where}" if intent else f"A change of {file}"
    text = f"{what} - refused: {cut(words, 170)}"
    return Statement(Kind.REJECTED, text, said[0].text)


def _rows(asked: object) -> list[dict[str, Any]]:
    return [one for one in (asked if isinstance(asked, list) else []) if isinstance(one, dict)]


def _pairs(asked: object, text: str) -> Iterator[tuple[str, str]]:
    """The answers of which the question is known, whatever quotes they have within."""
    known = [str(one["question"]) for one in _rows(asked) if one.get("question")]
    marks = [(text.find(f'"{one}"="'), one) for one in known]
    places = sorted((at, one) for at, one in marks if at >= 0)
    for number, (at, question) in enumerate(places):
        end = places[number + 1][0] if number + 1 < len(places) else len(text)
        answer = text[at + len(question) + 4 : end].rstrip(" ,")
        yield question, answer[: answer.rfind('"')] if '"' in answer else answer


def _chosen(question: str, answer: str) -> Statement | None:
    asked = sentences(question)
    said = sentences(answer)
    if not asked or not said or said[0].question or _NO_CHOICE.match(answer):
        return None
    last = asked[-1]
    if not last.question or _STATE.match(last.said) or not _OPEN.search(last.said):
        return None
    if _ERRAND.search(last.said) or phrases.OF_NOW.search(answer) or phrases.TALK.search(last.said):
        return None
    text = f"{cut(last.text, 130)} {cut(said[0].text.rstrip('.'), _LONGEST_ANSWER)}"
    return Statement(Kind.DECISION, text, f"{question} {answer}") if is_lasting(text) else None
