"""What the person lays down in passing: in a clause, by its strength, or as how things are now."""

import re
from collections.abc import Sequence

from mind.sources.transcripts import phrases
from mind.sources.transcripts.paragraph import is_prose, size
from mind.sources.transcripts.prose import Sentence

_FEWEST, _LONGEST = 4, 300
_CLAUSE = re.compile(
    r"[,;:，；：]\s*|\s[-–—]\s|\s(?:and|but|y|e|und|et) (?=(?:do|don['’]?t|no|não|nicht|never)\b)"
)
_NEVER = re.compile(
    r"\bunder (?:no|any) circumstances?\b|\bat all costs?\b|\bno matter what\b|"
    r"\b(?:em|sob|en|bajo|in|sotto) (?:hip[oó]tese|circunst[aâ]ncia|hip[oó]tesis) (?:alguma|"
    r"nenhuma|"
    r"alguna|ninguna)\b|\b(?:em|sob|en|bajo|in) (?:nenhum\w*|ning[uú]n\w*|nessun\w*) "
    r"(?:hip[oó]tese|"
    r"circunst\w+|caso|concepto|motivo|momento|modo)\b|\bde (?:jeito nenhum|ninguna manera)\b|"
    r"\bauf (?:gar )?keinen fall\b|\bunter (?:gar )?keinen umständen\b|\ben aucun cas\b|"
    r"\bsous aucun prétexte\b|绝对不(?:要|能|可)|千万(?:不要|别)|絶対に",
    re.IGNORECASE,
)
"""It holds without exception."""
_SOURCE = re.compile(
    r"\bsource of truth\b|\b(?:is|are) authoritative\b|\btakes? precedence\b|以.{1,20}[为為]准|"
    r"\bfuente de (?:la )?verdad\b|\bfonte da verdade\b|\bmaßgeblich\b|\bfait (?:foi|autorité)\b",
    re.IGNORECASE,
)
"""What counts where two sources differ."""
_FROM_NOW = re.compile(
    r"(?:以后|今后|后续|後續|以後|今後)(?:都|优先|優先|要|不要|请|請|只|统一|統一|一律)"
)
_HENCE = re.compile(
    r"\b(?:is|are|was|were)(?:n['’]?t| not) (?:used|needed|required|supported|relevant|necessary|"
    r"maintained|part of)\b.{0,40}\bany ?more\b|"
    r"\b(?:is|are) no longer (?:used|needed|required|supported|relevant|maintained|part of)\b|"
    r"\b(?:we|the (?:whole )?(?:project|app|application|team|code ?base|repo|backend|frontend|site|"
    r"service|company)) (?:(?:has|have|is|are|was|were) )?(?:(?:now|already|all|completely|"
    r"entirely|"
    r"fully|been|recently) )*(?:moved|migrated|switched|shifted|ported|converted|transitioned) "
    r"(?:(?:over|away|entirely|completely|fully) )*(?:from|to|off)\b|"
    r"\bwe['’]ve (?:\w+ )?(?:moved|migrated|switched|shifted|ported) (?:\w+ )?(?:from|to|off)\b|"
    r"\b(?:has|have) been (?:fully |completely )?(?:replaced|superseded|deprecated|retired|"
    r"abandoned)\b|\bya no (?:se )?(?:usa\w*|necesita\w*|hace falta)\b|"
    r"\bnão (?:usamos|precisamos|se usa|é usado|é necessário) mais\b|"
    r"\bn['’](?:est|sont) plus (?:utilisée?s?|nécessaires?)\b|"
    r"\bnicht mehr (?:gebraucht|benötigt|verwendet|genutzt)\b|\bnon (?:serve|usiamo|si usa) più\b|"
    r"(?:已经|已)?不再(?:使用|需要|用)",
    re.IGNORECASE,
)
"""How things are from here on, where they were otherwise."""
_THIS = re.compile(
    r"^\W*(?:this|that|it|they|these|those|he|she|isso|isto|eso|esto|das|ça|questo)\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"\b(?:it|them|isso|isto|eso|esto|ça)\b|\b(?:this|that|these|those)\b(?! \w)", re.IGNORECASE
)
_POINTS_BACK = re.compile(r"[这這]|\b(?:it|this|that)\b", re.IGNORECASE)
_AMISS = re.compile(
    r"\b(?:bugs?|mistakes?|accident\w*|broken|suddenly|restore|put (?:\w+ )?back|why|wrong\w*|"
    r"fails?|errors?)\b",
    re.IGNORECASE,
)
"""It is so, and it should not be."""
_WANTS = re.compile(
    r"^\W*(?:(?:please|and|also|but|no|stop)\W+)*(?:i (?:do not|don['’]?t|never) want (?:you )?to|"
    r"(?:please )?(?:do not|don['’]?t|never)) (?P<what>[a-z]+ .+)$",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\b(?:yet|first|now|until|before|again|wait|ask|worry|know|think|care|understand|see|get|"
    r"stop|mind|commit|push|tasks?|prompt|request|plan|spec|ticket|scope)\b",
    re.IGNORECASE,
)


def order(one: Sentence, after: Sequence[Sentence] = ()) -> str:
    """What a sentence lays down; "" if nothing."""
    clauses = _clauses(one)
    found = _strong(one, clauses)
    if not found and one.question:
        return ""
    return found or _now_so(one, after)


def forbidden(said: Sequence[Sentence]) -> str:
    """What the agent is told not to do, after a call of it was refused; "" if nothing."""
    for one in said:
        found = None if one.question else _WANTS.match(one.said)
        if found is None or _ASIDE.search(one.said) or phrases.OF_NOW.search(one.said):
            continue
        first = _CLAUSE.split(found["what"])[0]
        if phrases.TALK.search(one.said) or _OBJECT.search(first):
            continue
        what = one.text[found.start("what") :]
        if _fits(what, 2):
            return f"Do not {what}"
    return ""


def _clauses(one: Sentence) -> list[tuple[int, int]]:
    """Where the clauses of a sentence begin and end."""
    ends = [found.span() for found in _CLAUSE.finditer(one.said)]
    starts = [0, *(end for _, end in ends)]
    return list(zip(starts, [*(start for start, _ in ends), len(one.text)], strict=True))


def _strong(one: Sentence, clauses: list[tuple[int, int]]) -> str:
    """The clause that holds without exception, or from now on, or says what counts."""
    # what is asked in the last clause was said in those before it
    for number, (start, end) in enumerate(clauses[:-1] if one.question else clauses):
        clause = one.said[start:end]
        source = _SOURCE.search(clause)
        found = source or _NEVER.search(clause) or _FROM_NOW.match(clause)
        if found is None or phrases.SUPPOSED.search(clause[: found.start()]):
            continue
        back = source and number and _POINTS_BACK.search(clause)
        text = one.text[clauses[number - 1][0] if back else start : end]
        if (
            not _THIS.match(text)
            and not _OBJECT.search(text)
            and _fits(text, _FEWEST - bool(source))
        ):
            return text
    return ""


def _now_so(one: Sentence, after: Sequence[Sentence]) -> str:
    """How things are from now on, in one sentence or more."""
    if not _is_new_state(one) or _THIS.match(one.said):
        return ""
    told = [one.text]
    for following in after:
        if not _is_new_state(following):
            continue
        told.append(following.text)
    text = " ".join(told)
    return text if _fits(text, _FEWEST) else one.text


def _is_new_state(one: Sentence) -> bool:
    found = _HENCE.search(one.said)
    return (
        found is not None
        and not one.question
        and not phrases.SUPPOSED.search(one.said[: found.start()])
        and not phrases.OF_NOW.search(one.said)
        and not phrases.ABOUT_ME.search(one.said)
        and not _AMISS.search(one.said)
        and _fits(one.text, _FEWEST)
    )


def _fits(text: str, fewest: int) -> bool:
    return size(text) >= fewest and len(text) <= _LONGEST and is_prose(text)
