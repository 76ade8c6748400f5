"""The wordings of somebody who has found a cause, grants a point, or sees that it was not it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mind.sources.transcripts import phrases
from mind.sources.transcripts.prose import Sentence

_THING = (
    r"(?:issue|problem|bug|cause|root cause|bottleneck|leak|regression|mismatch|discrepancy|"
    r"reason|culprit|error|mistake|problema|causa|fallo|"
    r"problème|erreur|fehler|ursache|errore|guasto|erro)"
)
_FOUND = re.compile(
    rf"^\W*(?:(?:perfect|great|excellent|good|ah+|aha|ok(?:ay)?|now|yes|wait|so|and|but|ja|bien|"
    rf"sí|sim|"
    rf"perfecto|perfeito|genau|parfait)\W+)*"
    rf"(?:(?:i(?:['’]ve| have| can| now)? )?(?:found|see|spotted|identified|located|know|"
    rf"understand)(?: now)? (?:it|(?:the|what the|a) (?:\w+ )?{_THING})|"
    rf"there(?:['’]s| is) (?:the|(?:also )?another) {_THING}|"
    rf"i see(?: now)?(?= ?[:—–]| - )|"
    rf"(?:encontrei|achei|identifiquei|vejo|encontré|encontrado|he encontrado|veo|ya veo|trovato|"
    rf"ho trovato|vedo|j['’]ai trouvé|trouvé|je vois|ich sehe) (?:(?:o|a|el|la|il|le|das|den|die) )"
    rf"{_THING}|(?:encontrei|encontré|trouvé|trovato|gefunden)(?=\s*[!:.])|"
    rf"ich habe (?:das|den|die) {_THING} gefunden|"
    rf"(?:找到|发现|發現)了?(?:问题|原因|問題)?|(?:原因|问题|問題)找到了|(?:原因|問題)点?(?:を|が)\w+)",
    re.IGNORECASE,
)
"""Somebody has found the cause, and says it next."""
_NEXT = re.compile(r"[^.!?:—–]{0,30}(?:[:：—–]| - )\s*(?=\S)")
"""What leads from that to the cause in the same sentence."""
_NAMED = re.compile(
    rf"^\W*(?:(?:ah+|aha|ok(?:ay)?|so|and|but|now i see|i see)\W+)*"
    rf"(?:the (?:real |actual |root |underlying |main |core )?{_THING}(?: here)?"
    rf"(?: (?:of|for|behind|with|in) [^.:;—,]{{2,50}}?)?(?: (?:is|was)\b(?! (?:still|unresolved|"
    rf"unsolved|fixed|gone|solved|resolved|open|back|now|already)\b)(?: that\b|:)?|:)|"
    rf"(?:root cause|problem|issue|cause)\s*:|"
    rf"(?:o|el|il) problema (?:é|es|è|era) (?:que|che)|la causa (?:es|è|era)(?: que| che)?|"
    rf"le problème (?:est|vient du fait) que|das problem (?:ist|war|liegt daran)(?:,? dass)?|"
    rf"die ursache (?:ist|war)(?:,? dass)?|(?:问题|問題|原因)(?:在于|在於|是|出在|は)[:：]?)\s*",
    re.IGNORECASE,
)
"""The cause is named in the sentence itself."""
_FAILED = re.compile(
    r"^\W*(?:(?:ah+|ok(?:ay)?|so|and|but)\W+)*(?:(?P<points>this|that|it|"
    r"the (?:previous |last |first |earlier )?(?:command|attempt|call|run|one))|"
    r"the(?: [`\w./-]+){1,3}?|[`\w./-]+) (?P<failed>"
    r"(?:failed|fails?|(?:is|are) failing|was failing|crashed|crashes|"
    r"hangs|hung|broke|breaks) (?:because|since|as)) ",
    re.IGNORECASE,
)
_GRANTED = re.compile(
    r"^\W*(?:(?:no|yes|ah+|oh|ok(?:ay)?)\W+)*(?:you(?:['’]re| are)(?: \w+)? (?:right|correct)|"
    r"good (?:catch|point)|(?:that['’]s a )?(?:good|fair|great) (?:catch|point)|fair enough|"
    r"(?:você|tu) (?:está|tem) (?:cert[oa]|razão)|tienes razón|du hast recht|sie haben recht|"
    r"tu as raison|vous avez raison|hai ragione|你说得对|您说得对)",
    re.IGNORECASE,
)
"""The agent grants a point to the person."""
TELLS = re.compile(
    r"\b(?:because|since|due to|but|while|instead of|without|missing|never|only|still|no longer|"
    r"wrong|stale|outdated|renamed|moved|removed|expects?|requires?|needs?|undefined|null|empty|"
    r"should (?:be|have been|match|equal|point|use)|before|after|disabled?s?|duplicates?|"
    r"already|always|twice|both|each|every|hard-?coded|mismatch\w*|"
    r"conflicts?|overwrit\w+|ignor\w+|cannot|can['’]t|won['’]t|isn['’]t|wasn['’]t|aren['’]t|"
    r"weren['’]t|doesn['’]t|didn['’]t|don['’]t|not|no|"
    r"porque|pero|mas|mais|sino|sem|sin|falta\w*|não|nao|ya que|já que|parce que|car|pas|sans|"
    r"manque|weil|aber|nicht|kein\w*|fehlt|ohne|perché|però|non|senza|manca)\b|"
    r"因为|因為|但|没有|沒有|缺少|不|无|無|未|ない|ません|ため(?!に)|だから|ですから",
    re.IGNORECASE,
)
"""It says how things differ from what was expected."""
WHY = re.compile(
    r"\b(?:because|due to|caused by|so that|which means|porque|ya que|já que|debido a|devido a|"
    r"parce que|à cause|weil|wegen|perché|a causa)\b|因为|因為|由于|由於|ため(?!に)",
    re.IGNORECASE,
)
UNSURE = re.compile(
    r"\b(?:might|maybe|perhaps|probably|could|may|looks? like|seems?|appears?|possibl[ey]|likely|"
    r"flaky|not sure|suspect|i think|i believe|should (?:work|fix|be (?:it|fixed|fine|ok\w*|"
    r"able|good|enough|working|resolved|gone|there)\b)|let me|let['’]s|talvez|"
    r"provavelmente|pode ser|parece|quizás?|tal vez|probablemente|puede|peut-être|semble|"
    r"vielleicht|vermutlich|scheint|könnte|forse|sembra|probabilmente)\b|可能|也许|也許|似乎|かも|でしょう",
    re.IGNORECASE,
)
SLIP = re.compile(
    r"\b(?:typos?|indentation|syntax errors?|sed|grep|heredoc|wrong (?:directory|folder|path)|"
    r"sorry|"
    r"apologi\w+|the (?:edit|write|read|bash) tool|old_string|string to replace|permission|"
    r"closing (?:brace|bracket|tag|paren\w*|quote)|missing (?:comma|semicolon|imports?|brackets?|"
    r"braces?|paren\w*)|unused|timed out|(?:no|multiple|several) match(?:es)?|not been read|"
    r"file (?:was|has|is) (?:\w+ )?(?:modified|changed|updated|created|been|too)|"
    r"(?:you|the user) (?:want|asked|mean|meant|said|mentioned|were)\w*|"
    r"we (?:need|should|must|can|could|have to|haven['’]t)|needs? to be \w+ed|"
    r"(?:edits?|changes?|updates?|fix) (?:was|were|did|has|have)(?:n['’]t| not))\b",
    re.IGNORECASE,
)
"""A slip of the agent's own, or what the person wants now: it teaches nothing."""
STATE = re.compile(
    r"\b(?:is|are|was)(?:n['’]t| not) (?:available|installed|accessible|reachable)\b|"
    r"\b\d{2,5} (?:is|was) (?:already )?(?:taken|in use|busy)\b|"
    r"\b(?:server|container|process|port|service|daemon|app|docker|database|emulator)(?: \S+)? "
    r"(?:is|was|isn['’]t|wasn['’]t) (?:not |already |still )?(?:running|started|up|in use|taken|"
    r"listening|down)\b|\b(?:file|folder|directory|path|module|command|tool|package|branch|script|"
    r"it)(?: \S+)? (?:(?:doesn['’]t|does not|didn['’]t) exist|(?:is|was)(?:n['’]t|"
    r" not)? (?:installed|"
    r"found|there)|not found)\b",
    re.IGNORECASE,
)
"""How things stood at that moment on that machine."""
LEADS_ON = re.compile(
    r"^\W*(?:(?:now|so|ok(?:ay)?|and|then|first)\W+)*(?:let me|let['’]s|i['’]?ll|i will|i need|"
    r"we need|i should|next|would you|should i|vou|voy a|je vais|ich werde|让我|我来)\b",
    re.IGNORECASE,
)
"""What is to be done, rather than what is."""
_STILL = re.compile(
    r"\bstill (?:\w+ ){0,3}?(?:see\w*|fail\w*|show\w*|appear\w*|not|the same|get\w*|broken|wrong|"
    r"errors?|have|has|having|crash\w*|hang\w*|happen\w*|there|missing|empty|isn['’]t|doesn['’]t|"
    r"can['’]t|2|two|red|failing)\b|"
    r"\b(?:isn['’]t|not|didn['’]t|doesn['’]t|does not|did not) (?:work(?:ing)?|help|fix|solve|"
    r"the (?:issue|cause|problem|culprit))\b|\bsame (?:error|problem|issue|result)\b|"
    r"\b(?:a |another )?different approach\b|\bwasn['’]t (?:it|the)\b|"
    r"\bi was (?:wrong|mistaken)\b|\bmisdiagnos\w+\b|"
    r"\b(?:ainda não|todavía no|sigue sin|toujours pas|immer noch|ancora non)\b|仍然|还是|還是",
    re.IGNORECASE,
)
"""What was done about it has not helped."""
_DOUBT = re.compile(
    r"\b(?:still|same (?:error|problem|issue|thing)|"
    r"(?:doesn['’]?t|didn['’]?t|not|isn['’]?t|won['’]?t) "
    r"(?:work\w*|help|fix\w*|load\w*|run\w*|open\w*)|not fixed|"
    r"(?:is|was)(?:n['’]?t| not) (?:it(?!\s*\?)|the (?:issue|cause|problem|reason|case))|"
    r"nope|wrong|revert|undo|"
    r"ainda|todavía|sigue|toujours (?:pas|rien|l[ea] même|vide)|immer noch|"
    r"ancora|não funciona|nao funciona|no funciona|ne marche pas|geht nicht|non funziona)\b|まだ|"
    r"不对|不對|还是|還是|没用|沒用|"
    r"^\W*(?:same|no(?:thing)?)\b|\b(?:nothing|no) (?:change[ds]?|happen\w*|difference|effect)\b",
    re.IGNORECASE,
)


_HARM = re.compile(
    r"\b(?:kill(?:ed|s)|crash\w*|fr(?:oze|eezes)|worse|broken?|breaks)\b", re.IGNORECASE
)
"""What was done did harm, whatever the cause."""
_THEREFORE = re.compile(
    r"^\W*(?:(?:and|so|yes)\W+)*(?:(?:this|that)(?:['’]s| is| was) (?:why|the reason)|"
    r"(?:this|that) explains|por eso|por isso|c['’]est pour(?:quoi| ça)|deshalb|darum|deswegen|"
    r"ecco perché|这就是为什么|這就是為什麼|そのため)",
    re.IGNORECASE,
)
"""What was said before is the cause."""
NO_GOOD = re.compile(
    r"\b(?:is|are|was|would be|isn['’]t|feels) (?:\w+ ){0,2}?(?:hacky|unreliable|brittle|"
    r"fragile|overkill|"
    r"error-prone|wasteful|redundant|over-?engineered|a bad idea|the wrong (?:approach|place|way|"
    r"tool|layer)|too (?:complex|complicated|slow|heavy|risky|broad|strict)|an anti-?pattern|"
    r"unmaintainable|inefficient|misleading|insecure|unsafe|unnecessary)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Announced:
    """That a cause has been found.

    Attributes:
        rest: Where in the sentence it is named; None if what follows names it.
        points: What failed is only pointed at.
        conceded: The person had said so.
    """

    rest: int | None
    points: bool = False
    conceded: bool = False


def announced(one: Sentence) -> Announced | None:
    """Whether a sentence says that a cause was found, or names one."""
    named = _NAMED.match(one.said)
    if named:
        return Announced(named.end())
    failed = _FAILED.match(one.said)
    if failed:
        start = failed.start("failed") if failed["points"] else 0
        return Announced(start, points=failed["points"] is not None)
    granted = _GRANTED.match(one.said)
    found = granted or _FOUND.match(one.said)
    if found is None:
        return None
    leads = _NEXT.match(one.said, found.end())
    return Announced(leads.end() if leads else None, conceded=granted is not None)


def grants(one: Sentence) -> bool:
    """Whether the agent grants the person a point about the project, not about its own doings."""
    found = _GRANTED.match(one.said)
    return found is not None and not phrases.SELF.search(one.said, found.end())


def therefore(one: Sentence) -> bool:
    """Whether a sentence says that the one before it is a cause."""
    plans = phrases.SELF.search(one.said) or phrases.OF_NOW.search(one.said)
    return _THEREFORE.match(one.said) is not None and not one.question and not plans


def harms(said: Iterable[Sentence]) -> bool:
    """Whether the person says that what was done did harm."""
    return any(_HARM.search(one.said) for one in list(said)[:3])


def fails_still(said: Iterable[Sentence]) -> bool:
    """Whether the agent sees that what it did has not helped."""
    return any(_STILL.search(one.said) and not one.question for one in said)


def denies(said: Iterable[Sentence]) -> bool:
    """Whether the person says that it is not so."""
    told = [one for one in list(said)[:3] if not one.question]
    return any(_DOUBT.search(one.said) or phrases.AGAINST.match(one.said) for one in told)


def doubts(said: Iterable[Sentence]) -> bool:
    """Whether the person says that it was not that."""
    said = list(said)[:3]
    return any(_DOUBT.search(one.said) for one in said) or bool(
        said and phrases.AGAINST.match(said[0].said)
    )
