"""What is decided or warned of in so many words.

A pattern alone decides nothing: what is asked, supposed, reported of others, meant for the moment
or said about a person is left out.
"""

import re
from dataclasses import dataclass

from mind import durability
from mind.durability.wording import unfolded
from mind.entry import Kind
from mind.sources.transcripts.paragraph import capital, is_prose
from mind.sources.transcripts.prose import Sentence, sentences

_ACT = (
    r"(?:use|run|write|put|add|call|import|commit|push|log|store|keep|return|throw|catch|mock|edit|"
    r"touch|change|name|prefix|deploy|merge|rebase|squash|format|pin|hard-?code|create|make|set|"
    r"check|validate|escape|include|generate|delete|remove|modify|expose|test|type|declare|wrap|"
    r"pass|read|send|load|build|install|update|upgrade|bump|raise|swallow|cast|assume|trust|rely|"
    r"access|query|mutate|share|reuse|inline|export|render|sort|open|write|document|prefer|ship)"
)
_LEAD = (
    r"(?:^(?:(?:no|ok(?:ay)?|and|but|also|so|please|note|remember|reminder|important|btw|hey|yes|"
    r"right|well|good|great|thanks|ah)\W+)*"
    r"|[,;:(–—-] ?|\b(?:and|but|so|then|please|we|you should|we should|you must|must|should|"
    r"also|repo|project|codebase|here|want you to) )"
)
_SUBJECT = r"(?:(?:this|that|the) (?:repo|project|codebase|team|module|package|service)|here)"
_THING = (
    r"(?!(?:the |a |an )?(?:line|row|column|cell|option|variant|version|first|second|third|other|"
    r"last|next|previous|same|one|blue|red|green|left|right|new|old|it|this|that|these|those|them|"
    r"sudo|my|your|\d+)\b)\S+"
)
_WHY = r"(?:because|since|so that|as (?:it|we|they|the)\b|otherwise|due to|in order to)"
_RULES = rf"""
{_LEAD}(?:always|never) {_ACT}\b
{_LEAD}(?:we|the team)(?: (?:have|had|all|already|just)|['’]ve)*
    (?: (?:decided|agreed|settled|chose|standardi[sz]ed|committed)) (?:on|to|that|against|not|for
    |last|yesterday|today|\S+ over)\b
{_LEAD}(?:from now on|going forward|as a rule|by convention|our (?:convention|rule|policy) is)\b
{_LEAD}we (?:don['’]?t|do not|never|always|only|no longer) (?:ever )?{_ACT}\b
{_LEAD}(?:in|for) {_SUBJECT},? (?:we|you|please|always|never|use|don['’]?t|do not)\b
{_LEAD}(?:do not|don['’]?t|never) {_ACT} {_THING}(?:.{{0,80}}?(?:[,;]|\s[-–—]|(?: but)) ?(?:please )?
    (?:{_ACT} {_THING}|{_WHY})|.{{0,80}}? (?:{_WHY}|instead)\b|.{{0,60}} (?:in|anywhere in) {_SUBJECT})
{_LEAD}(?:use|prefer) {_THING}.{{0,60}}?(?:,? (?:not|instead of|rather than|over)|(?: and not)) {_THING}
{_LEAD}(?:let['’]?s )?(?:use|keep|store|go with|stick (?:with|to)|stay with) \S+.{{0,60}}?(?:,
    |(?: {_WHY})) ?(?:we (?:don['’]?t|already|have|need|want|can)|{_WHY}|.{{0,60}} is (?:too|already)\b)
\bwir haben (?:uns )?.{{0,40}}?\b(?:entschieden|beschlossen|festgelegt)\b
\b(?:benutz|verwend|nutz|nimm|schreib)\w* (?:\w+ ){{0,2}}(?:immer|nie|niemals|grundsätzlich)\b
(?:^|[,;:] )(?:immer|nie|niemals) .{{2,60}} (?:verwenden|benutzen|nutzen|nehmen)\b
\b(?:on|nous) (?:a|avons) décidé (?:de|d['’]|que)\b|(?:^|[,;:] )utilis\w+ (?:toujours|jamais)\b
(?:^|[,;:] )n['’]utilis\w+ (?:jamais|plus)\b
\b(?:hemos decidido|decidimos)\b|(?:^|[,;:] )(?:usa siempre|siempre usa|nunca uses)\b
"""
_PERSON = re.compile("|".join(f"(?:{row})" for row in unfolded(_RULES)), re.IGNORECASE)
_LABELLED = re.compile(
    r"^(?P<label>decision|decided|gotcha|caveat|pitfall|lesson(?: learned)?|learning|learned|"
    r"root cause|important|warning|careful|be careful|heads[- ]up|fyi|key insight)\s*:\s*(?=\S)",
    re.IGNORECASE,
)
_LABELS = {
    "decision": Kind.DECISION,
    "decided": Kind.DECISION,
    "lesson": Kind.LEARNING,
    "lesson learned": Kind.LEARNING,
    "learning": Kind.LEARNING,
    "learned": Kind.LEARNING,
    "root cause": Kind.LEARNING,
    "key insight": Kind.LEARNING,
}
_GOES_WITH = re.compile(
    r"^(?:(?:ok(?:ay)?|so|then|therefore|given that|in that case|alright|right|good|i think)\W+)*"
    r"(?:i['’]ll|i will|i['’]m going to|i am going to|let['’]s|we['’]ll|we should|i) "
    r"(?P<act>(?:go with|stick with|stay with|settle on|opt for|choose|chose|decided on|decided to|"
    r"keep|store|use|switch to|model|represent|pick)\b.*?) "
    r"(?:because|since|so that|as (?:it|we|they|the)\b|given that)\b(?P<why>.*)",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"\b(?:go with|stick with|stay with|settle on|opt for|choose|chose|decided on|decided to|keep|"
    r"store|use|switch to|model|represent|pick|with|the|a|an|this|that|it|them|one|ones|change|"
    r"approach|option|version|way|variant|fix|solution|simple|simpler|simplest|small|smaller|"
    r"minimal|safe|safer|safest|first|second|third|recommended|same|current|existing|quick|better|"
    r"new|old|changes|here|for|now|instead|both)\b|\W",
    re.IGNORECASE,
)
_ERRAND = re.compile(
    r"\b(?:grep|rg|ripgrep|sed|awk|find|git|curl|ls|cat|jq|wc|diff|subagents?|agents?|tool|tools|"
    r"script|todo ?(?:list|write)|plan mode|parallel|bash|read|edit|glob|ahead|rename|search|heredoc|"
    r"python3? -c)\b",
    re.IGNORECASE,
)
_FOR_YOU = re.compile(
    r"\b(?:you (?:asked|confirmed|said|want|wanted|told|prefer|mentioned)|i (?:was|am|do|don['’]t|need|have)|"
    r"i['’](?:m|ve)|it['’]?s (?:faster|quicker|easier) to (?:see|find|read))",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"^(?:(?:and|but|also|please|ah|oh|ok(?:ay)?|hm+|yes|good|works|however|interesting(?:ly)?|"
    r"one (?:more )?thing|another thing|great|right|so|btw|by the way|aha)[\s,.:!–—-]+)*"
    r"(?:(?P<warn>(?:(?:please )?(?:also )?(?:note|beware|(?:be )?(?:careful|aware)|keep in mind|bear in mind|"
    r"watch out|mind)(?: also)?(?: here)?(?:,| that| of| with| for|:| -| –| —)"
    r"|(?:the |one )?(?:gotcha|catch|pitfall|caveat|trap)(?: here| is| was|:)+(?: that)?))"
    r"|(?P<learn>it (?:just )?turns out(?: that|,)?|turns out(?: that|,)?|turned out(?: that)?"
    r"|as it turns out,?)"
    r"|(?P<whole>the (?:trick|key|catch|secret|root cause|underlying cause|real cause|culprit)"
    r"(?: here)? (?:is|was)|(?:was|the) root cause))\s+",
    re.IGNORECASE,
)
_OF_NOW = re.compile(
    r"\b(?:this time|for now|right now|for the moment|for this (?:one|commit|pr|change|file|page|"
    r"test|case|once)|just this|this once|this one|yet|before you|after you|again|while you|"
    r"when you['’]?(?:re| are) done|in a moment|at once|still need|"
    r"the (?:diff|draft|plan|above|summary|change is|changes are|message|messages|conversation)|"
    r"this (?:diff|draft|plan|message|change|is (?:only|just)|was (?:only|just)|session|answer)|these messages|"
    r"see (?:above|below)|as (?:above|mentioned|discussed|requested))\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|what if|suppose|supposing|imagine|maybe|perhaps|probably|could|might|should we|do we|"
    r"would|wonder(?:ing)?|let['’]?s say|hypothetically|in theory|for example|e\.g\.|when|unless|"
    r"said|says|say|told|wrote|writes|claim(?:s|ed)?|asked|they|he|she|customers?|boss|colleague|"
    r"clients?|someone|somebody|people|article|blog|tutorial|according to|"
    r"at (?:my|the|our) (?:last|previous|old)|in my|i thought|i think|used to|option [a-z0-9])\b",
    re.IGNORECASE,
)
_JOKE = re.compile(
    r"\b(?:lo+l|ha(?:ha)+|lmao|rofl|jk|kidding|joking|sarcasm|obviously not)\b|[:;]-?[DP)](?!\w)|"
    r"😂|🤣|😅|😉|🙃|(?<!\w)/s\b|xD\b",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?:I|I['’](?:m|ve|ll|d)|my|me|you were|you are right|you['’]re)\b")
_DECIDED_WHEN = re.compile(
    r"(\b(?:decided|agreed|settled)) (?:last (?:week|month|year|sprint|time)|yesterday|today|"
    r"recently|earlier|a while ago|some time ago)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:(?:no|nope|ok(?:ay)?|and|but|also|so|please|yes|hm+|well|actually|remember|btw|hey)\b\W*)+(?=\w)",
    re.IGNORECASE,
)
"""What leads over from what was said before."""
_OFFER = re.compile(
    r"\b(?:would you like|shall i|should i|do you want|let me know (?:if|which|what)|"
    r"which (?:one|do you)|option (?:a|1)\b)",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"^\W*(?:(?:hm+|well|ok(?:ay)?,? but|sorry|ehm?|uh+|ah|oh|hey)\W+)*(?:no\b(?! problem)|nope\b|nah\b|don['’]?t\b|"
    r"do not\b|not\b|stop\b|wait\b|actually\b|instead\b|rather\b|please don|wrong\b|revert\b|undo\b|"
    r"why not\b|why (?:are|did|do|would)|i['’]d rather|i would rather|let['’]?s not|never\b|"
    r"nein\b|non\b|nicht\b)|\binstead\b|\brather (?:use|than)\b|\bi disagree\b",
    re.IGNORECASE,
)
_FEWEST, _LONGEST = 4, 400


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


def by_person(text: str) -> list[Statement]:
    """What the person decides, and warns of."""
    if _JOKE.search(text):
        return []
    found = []
    for one in sentences(text):
        statement = _warning(one, by_agent=False) or _rule(one)
        if statement is not None and _is_lasting(statement.text):
            found.append(statement)
    return found


def by_agent(text: str) -> list[Statement]:
    """What the agent decides and has found out."""
    said = sentences(text)
    offers = any(one.question or _OFFER.search(one.said) for one in said)
    found = []
    for one in said:
        statement = _warning(one, by_agent=True) or _choice(one)
        if statement is None or (statement.proposed and offers):
            continue
        if _is_lasting(statement.text):
            found.append(statement)
    return found


def objects(text: str) -> bool:
    """Whether the person is against what was proposed."""
    return _AGAINST.search(text[:500]) is not None


def _rule(one: Sentence) -> Statement | None:
    found = _PERSON.search(one.said)
    if found is None or one.question or _OF_NOW.search(one.said):
        return None
    if _SUPPOSED.search(one.said[: found.start()]) or _SUPPOSED.match(found[0].lstrip(" ,;:(")):
        return None
    if not _fits(one.text):
        return None
    text = _DECIDED_WHEN.sub(r"\1", _OPENING.sub("", one.text))
    return Statement(Kind.DECISION, capital(text), one.text)


def _choice(one: Sentence) -> Statement | None:
    found = _GOES_WITH.match(one.said)
    if found is None or one.question or not _fits(one.text):
        return None
    start, end = found.span("act")
    if not _GENERIC.sub("", one.text[start:end]) or _ERRAND.search(one.text[start:end]):
        return None
    if _FOR_YOU.search(found["why"]) or _OF_NOW.search(one.said):
        return None
    return Statement(
        Kind.DECISION, capital(one.text[start:]), one.text, proposed=True, is_answer=True
    )


def _warning(one: Sentence, *, by_agent: bool) -> Statement | None:
    labelled = _LABELLED.match(one.said)
    found = labelled or _TOLD.match(one.said)
    if found is None or one.question or _OF_NOW.search(one.said):
        return None
    rest = one.text[found.end() :]
    if not _fits(rest) or _SELF.search(one.said[found.end() :]):
        return None
    if labelled is not None:
        kind = _LABELS.get(labelled["label"].lower(), Kind.GOTCHA)
        return Statement(kind, capital(rest), one.text, proposed=by_agent and kind is Kind.DECISION)
    if found["whole"]:
        return Statement(Kind.LEARNING, capital(one.text[found.start("whole") :]), one.text)
    kind = Kind.GOTCHA if found["warn"] else Kind.LEARNING
    return Statement(kind, capital(rest), one.text)


def _fits(text: str) -> bool:
    return len(text.split()) >= _FEWEST and len(text) <= _LONGEST and is_prose(text)


def _is_lasting(text: str) -> bool:
    """Whether it is about the project, and for longer than this week."""
    return durability.about_user(text) is None and not durability.transient(text)
