"""The wordings of decisions and warnings, and of what only looks like them."""

import re

from mind.durability.wording import unfolded
from mind.entry import Kind

_ACT = (
    r"(?:use|run|write|put|add|call|import|commit|push|log|store|keep|return|throw|catch|mock|edit|"
    r"touch|change|name|prefix|deploy|merge|rebase|squash|format|pin|hard-?code|create|make|set|"
    r"check|validate|escape|include|generate|delete|remove|modify|expose|test|type|declare|wrap|"
    r"pass|read|send|load|build|install|update|upgrade|bump|raise|swallow|cast|assume|trust|rely|"
    r"access|query|mutate|share|reuse|inline|export|render|sort|open|document|prefer|ship|enable|"
    r"disable|retry|skip|bypass|override|overwrite|drop|truncate|alter|lock|cache|fetch|poll|copy|"
    r"move|rename|embed|block|sleep|parse|print|extend|subclass|connect|start|depend|compare|round|"
    r"encode|quote|nest|vendor|publish|release|tag|sign|amend|force|rewrite|restart|go through)"
)
_LEAD = (
    r"(?:^(?:(?:no|ok(?:ay)?|and|but|also|so|please|note|remember|reminder|important|btw|hey|yes|"
    r"right|well|good|great|thanks|ah|wait|hm+)\W+)*"
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
_ROWS = rf"""
{_LEAD}(?:always|never) {_ACT}\b
{_LEAD}(?:we|the team)(?: (?:have|had|all|already|just)|['’]ve)*
    (?: (?:decided|agreed|settled|chose|standardi[sz]ed|committed)) (?:on|to|that|against|not|for
    |last|yesterday|today|\S+ over)\b
{_LEAD}(?:from now on|going forward|as a rule|by convention|our (?:convention|rule|policy) is)\b
{_LEAD}we (?:don['’]?t|do not|never|always|only|no longer) (?:ever )?{_ACT}\b
(?<!\bit )(?<!\bthis )(?<!\bthat )\b(?:must|may) (?:never|always|only) (?:ever )?(?:be \w+|{_ACT}\b)
\bin (?:this|our|the) (?:repo|project|codebase)\b.{{0,30}} (?:never|always|must|only) \w+
{_LEAD}(?:in|for) {_SUBJECT},? (?:we|you|please|always|never|use|don['’]?t|do not)\b
{_LEAD}(?:do not|don['’]?t|never) {_ACT} {_THING}(?:.{{0,80}}?(?:[,;]|\s[-–—]|(?: but)) ?
    (?:please )?(?:{_ACT} {_THING}|{_WHY})|.{{0,80}}? (?:{_WHY}|instead)\b
    |.{{0,60}} (?:in|anywhere in) {_SUBJECT})
{_LEAD}(?:use|prefer) {_THING}.{{0,60}}?(?:,? (?:not|instead of|rather than|over)
    |(?: and not)) {_THING}
{_LEAD}(?:let['’]?s )?(?:use|keep|store|go with|stick (?:with|to)|stay with) \S+.{{0,60}}?(?:,
    |(?: {_WHY})) ?(?:we (?:don['’]?t|already|have|need|want|can)|{_WHY}
    |.{{0,60}} is (?:too|already)\b)
{_LEAD}we (?:really )?(?:don['’]?t|do not|never) (?:ever )?want
    (?: (?!(?:you|it|this|that|these|those|them|to (?:do|go|see|spend|break|lose|waste|get|end|
    have|change|touch|forget))\b)\S+)
{_LEAD}(?:we (?:really )?(?:don['’]?t|do not) (?:need|support|care about)
    |(?:there['’]s )?no need for)
    (?! (?:to|it|this|that|these|those|them|you|the|a|an|all|any|so|my|your|our|another|more|such
    |\d+)\b) [a-z]\S+
{_LEAD}instead of {_THING}.{{0,80}}?,? (?:let['’]?s|please|we should|just )?(?:we )?{_ACT} \S+
{_LEAD}let['’]?s {_ACT} (?!on\b|to\b){_THING}.{{0,80}}? (?:instead of|rather than) {_THING}
\bwir haben (?:uns )?.{{0,40}}?\b(?:entschieden|beschlossen|festgelegt)\b
\b(?:benutz|verwend|nutz|nimm|schreib)\w* (?:\w+ ){{0,2}}(?:immer|nie|niemals|grundsätzlich)\b
(?:^|[,;:] )(?:immer|nie|niemals) .{{2,60}} (?:verwenden|benutzen|nutzen|nehmen)\b
\b(?:on|nous) (?:a|avons) décidé (?:de|d['’]|que)\b|(?:^|[,;:] )utilis\w+ (?:toujours|jamais)\b
(?:^|[,;:] )n['’]utilis\w+ (?:jamais|plus)\b
\b(?:hemos decidido|decidimos)\b|(?:^|[,;:] )(?:usa siempre|siempre usa|nunca uses)\b
\b(?:a partir de ahora|de ahora en adelante|a partir de agora|de agora em diante|d['’]ora in poi
    |désormais|dorénavant|ab (?:jetzt|sofort))\b
(?:^|[,;:] )(?:usa sempre|use sempre|sempre us[ae]|nunca us[ae]r?|non usare mai)\b
(?:以后|今后)(?:都|要|不要|请|只)|(?:不要|别)再(?:用|使用|写)|(?:总是|始终|一律)(?:用|使用)|今後は
"""
_LED = [row[len(_LEAD) :] for row in unfolded(_ROWS) if row.startswith(_LEAD)]
_ALONE = [row for row in unfolded(_ROWS) if not row.startswith(_LEAD)]
# apart, each is found by its first letter: together they take three times as long
_RULES = [re.compile(row, re.IGNORECASE) for row in (f"{_LEAD}(?:{'|'.join(_LED)})", *_ALONE)]
SHOULD = re.compile(
    r"(?:^|[,;:] ?(?:and |but )?)(?!(?:it|this|that|they|there|these|those|which|what|i|you|we)\b)"
    r"(?:\w\S* ){1,6}should (?:always |only )?be (?!\w+ing\b|(?:\w+ ){0,3}(?:bigger|smaller|larger|"
    r"left|right|top|bottom|cent\w+|bold|blue|red|green|white|black|gr[ae]y|yellow|\d+ ?px)\b)"
    r"[^,;]{1,60}?(?:,? not (?!be\b)|,? instead of |,? rather than )\S",
    re.IGNORECASE,
)
"""How a thing has to be, and how it is not to be."""
PRIORITY = re.compile(
    r"\b(?:is|are) (?:what|the thing) (?:i|we)(?:['’](?:m|re)| am| are)? ?"
    r"(?:most|more|mainly|really)? ?(?:interested in|care about)|"
    r"\bmore important (?:to (?:me|us) )?than\b|"
    r"\bnot (?:as |so )?(?:worried|concerned) about .{3,80} as much as\b|"
    r"\b(?:i|we) (?:don['’]?t care|care (?:less|more)) about .{3,80} (?:than|but|as long as)\b",
    re.IGNORECASE,
)
"""What counts most, where two things do not go together."""
LABELLED = re.compile(
    r"^(?P<label>decision|decided|gotcha|caveat|pitfall|lesson(?: learned)?|learning|learned|"
    r"root cause|important|warning|careful|be careful|heads[- ]up(?: for \w+)?|fyi|"
    r"key insight|importante?|attention|achtung|wichtig|atenção|atención|ojo|attenzione|"
    r"注意|重要|警告|决定|決定)\s*[:：]\s*(?=\S)",
    re.IGNORECASE,
)
LABELS = {
    "decision": Kind.DECISION,
    "decided": Kind.DECISION,
    "lesson": Kind.LEARNING,
    "lesson learned": Kind.LEARNING,
    "learning": Kind.LEARNING,
    "learned": Kind.LEARNING,
    "root cause": Kind.LEARNING,
    "key insight": Kind.LEARNING,
    "决定": Kind.DECISION,
    "決定": Kind.DECISION,
}
"""What a label stands for; the others warn."""
_CHOOSE = (
    r"go with|stick with|stay with|settle on|opt for|choose|chose|decided on|decided to|keep|store|"
    r"use|switch to|model|represent|pick"
)
CHOICE = re.compile(
    r"^(?:(?:ok(?:ay)?|so|then|therefore|given that|in that case|alright|right|good|i think)\W+)*"
    r"(?:i['’]ll|i will|i['’]m going to|i am going to|let['’]s|we['’]ll|we should|i) "
    rf"(?P<act>(?:{_CHOOSE})\b.*?) (?:because|since|so that|as (?:it|we|they|the)\b|given that)\b"
    r"(?P<why>.*)",
    re.IGNORECASE,
)
"""What the agent chooses, and why."""
CHOSEN = re.compile(
    r"^(?:(?:ok(?:ay)?|so|but|and|alright|right|good)\W+)*(?P<why>(?:(?:since|because|as|given "
    r"that) "
    r"[^,;]{8,160}|[^,;]{8,160}(?:n['’]t|\bnot|\bcannot|\bonly|\btoo)\b[^,;]{3,120})), (?:so )?"
    rf"(?:i['’]ll|i will|let['’]s|we['’]ll|we should) (?P<act>(?:{_CHOOSE})\b.+)$",
    re.IGNORECASE,
)
"""The same, and the reason first."""
GENERIC = re.compile(
    rf"\b(?:{_CHOOSE}|with|the|a|an|this|that|it|them|one|ones|change|approach|option|version|way|"
    r"variant|fix|solution|simple|simpler|simplest|small|smaller|minimal|safe|safer|safest|first|"
    r"second|third|recommended|same|current|existing|quick|better|new|old|changes|here|for|now|"
    r"instead|both|different|another|alternative|method|technique)\b|\W",
    re.IGNORECASE,
)
"""Words that do not tell what was chosen."""
ERRAND = re.compile(
    r"\b(?:grep|rg|ripgrep|sed|awk|find|git|curl|ls|cat|jq|wc|diff|subagents?|agents?|tools?|"
    r"script|todo ?(?:list|write)|plan mode|parallel|bash|read|edit|glob|ahead|rename|search|"
    r"heredoc|python3? -c|node -e|head|tail|offset|limit|web ?(?:search|fetch)|write tool|"
    r"python script|todos?)\b",
    re.IGNORECASE,
)
"""What the agent chooses for its own work."""
AT_WORK = re.compile(
    r"\b(?:the|this) (?:\w+ )?(?:outputs?|lines?|files?|responses?|commands?|context|edits?|"
    r"matches|results?|diffs?|logs?) (?:is|are|was|were|has|have|contains?)\b",
    re.IGNORECASE,
)
"""What the agent has before it while it works: a reason that is none for what is built."""
FOR_YOU = re.compile(
    r"\b(?:you (?:asked|confirmed|said|want|wanted|told|prefer|mentioned)|"
    r"i (?:was|am|do|don['’]t|need|have)|i['’](?:m|ve)|"
    r"it['’]?s (?:faster|quicker|easier) to (?:see|find|read))",
    re.IGNORECASE,
)
"""A reason that is none for anybody else."""
TOLD = re.compile(
    r"^(?:(?:and|but|also|please|ah|oh|ok(?:ay)?|hm+|yes|good|works|however|interesting(?:ly)?|"
    r"one (?:more )?thing|another thing|great|right|so|btw|by the way|aha)[\s,.:!–—-]+)*"
    r"(?:(?P<warn>(?:(?:please )?(?:also )?(?:note|beware|(?:be )?(?:careful|aware)|keep in mind|"
    r"bear in mind|watch out|mind)(?: also)?(?: here)?(?:,| that| of| with| for|:| -| –| —)"
    r"|(?:the |one )?(?:gotcha|catch|pitfall|caveat|trap)(?: here| is| was|:)+(?: that)?))"
    r"|(?P<learn>it (?:just )?turns out(?: that|,)?|turns out(?: that|,)?|turned out(?: that)?"
    r"|as it turns out,?)"
    r"|(?P<whole>the (?:trick|root cause|underlying cause|real cause|culprit)(?: here)? (?:is|was)|"
    r"the (?:key|catch|secret)(?: here)? (?:is|was)(?= (?:to|that)\b)))\s+(?!down\b)",
    re.IGNORECASE,
)
"""What introduces a warning, or what was found out."""
OF_NOW = re.compile(
    r"\b(?:this time|for now|right now|for the moment|for this (?:one|commit|pr|change|file|page|"
    r"test|case|once)|just this|this once|this one|yet|before you|after you|again|while you|"
    r"when you['’]?(?:re| are) done|in a moment|at once|still need|"
    r"the (?:diff|draft|plan|above|summary|change is|changes are|messages?|conversation)|"
    r"this (?:diff|draft|plan|message|change|is (?:only|just)|was (?:only|just)|session|answer)|"
    r"these messages|see (?:above|below)|(?<!de )ahora|por enquanto|(?<!de )agora|"
    r"pour l['’]instant|maintenant|vorerst|(?<!ab )jetzt|per ora|adesso|as (?:above|mentioned|"
    r"discussed|requested))\b|"
    r"现在|暂时|目前|今は|とりあえず",
    re.IGNORECASE,
)
"""It is meant for this moment, or about this conversation."""
SUPPOSED = re.compile(
    r"\b(?:if|what if|suppose|supposing|imagine|maybe|perhaps|probably|could|might|should we|"
    r"do we|would|wonder(?:ing)?|let['’]?s say|hypothetically|in theory|for example|e\.g\.|when|"
    r"unless|said|says|say|told|wrote|writes|claim(?:s|ed)?|asked|they|he|she|customers?|boss|"
    r"colleague|clients?|someone|somebody|people|article|blog|tutorial|according to|"
    r"at (?:my|the|our) (?:last|previous|old)|in my|i thought|i think|used to|option [a-z0-9])\b",
    re.IGNORECASE,
)
"""Before it: it is only supposed, or somebody else's."""
JOKE = re.compile(
    r"\b(?:lo+l|ha(?:ha)+|lmao|rofl|jk|kidding|joking|sarcasm|as they say|obviously not)\b|"
    r"[:;]-?[DP)](?!\w)|😂|🤣|😅|😉|🙃|(?<!\w)/s\b|xD\b",
    re.IGNORECASE,
)
FOR_READER = re.compile(
    r"(?:please|(?:do not|don['’]t) forget|remember|make sure|be sure|ensure|"
    r"you(?:['’]ll)? (?:\w+ )?(?:need|have to|must|should|can|may|will|want)|update|run|restart|"
    r"set|replace|check|review|test|verify|consider|change|add|install|configure|back up|"
    r"no olvides|lembre|não esqueça|n['’]oubliez pas|vergiss nicht|non dimenticare)\b|请|請|记得",
    re.IGNORECASE,
)
"""The agent asks the person to do a thing."""
SELF = re.compile(r"\b(?:[Ii]|[Ii]['’](?:m|ve|ll|d)|my|me|you were|you are right|you['’]re)\b")
ABOUT_ME = re.compile(r"\b[Ii](?:['’](?:m|ve|ll|d)| (?:will|am|have|was|decided|agreed|can))\b")
BRIEF = re.compile(
    r"\s*(?:you are (?:a|an|the|now)\b|you['’]re (?:a|an|the) \w+ (?:agent|assistant|engineer|"
    r"expert)|"
    r"your (?:task|job|goal|role|mission) is\b|act as (?:a|an|the)\b|(?:context|task|role|"
    r"objective|background|instructions):\s)",
    re.IGNORECASE,
)
"""A prompt that was written rather than said: its rules are those of one task."""
PASTES = re.compile(
    r"\b(?:logs?|outputs?|errors?|traces?|says?|said|reviews?|docs?|documentation|readme|messages?|"
    r"e?mails?|tickets?|issues?|wrote|writes|got|get|gives?|see|shows?|reports?|articles?|pasted?|"
    r"below|comments?|prints?|fails?|response)\b[^\n]{0,40}:[ \t]*\n|"
    r"^(?:Traceback \(|\s+at \S+\(|(?:ERROR|WARN(?:ING)?|INFO|FATAL)\b|[\w.]+(?:Error|Exception): |"
    r"\$ |\d\d:\d\d:\d\d)",
    re.IGNORECASE | re.MULTILINE,
)
"""What a person shows rather than says begins here."""
TALK = re.compile(
    r"\b(?:answers?|reply|replies|respond|explain\w*|talk|speak|words|rhymes|tone|emojis?|"
    r"apologi[sz]e|"
    r"summar\w+|(?:call|ask|tell|show|remind|give|ping) me|repl(?:y|ies)|in (?:english|german|"
    r"french))\b",
    re.IGNORECASE,
)
"""It is about how the agent is to talk, not about the project."""
SPEAKER = re.compile(
    r"(?!(?:no|yes|ok|rule|convention|please|also|note|remember|reminder|decision|decided|gotcha|"
    r"caveat|careful|important|warning|beware|learned|lesson|fyi|btw|wichtig|achtung|"
    r"wait)\b)@?\w+:\s",
    re.IGNORECASE,
)
"""A line of a chat with others."""
SUMMARY = re.compile(
    r"^#{1,6} |\b(?:summary|what (?:i|was|has been) (?:changed|did|done)|changes(?: made)?|"
    r"next steps?|"
    r"here['’]s what)\b\W*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A message that tells what was done: its notes are about that."""
WEIGHTY = re.compile(
    r"\b(?:so|otherwise|because|since|only|must|never|always|ignores?|requires?|needs?|cannot|"
    r"can['’]?t|"
    r"doesn['’]t|does not|don['’]t|won['’]t|isn['’]t|not|but|unless|at most|until|breaks?|fails?|"
    r"silently|"
    r"before|even|without|every|no|"
    r"porque|pero|mas|não|nao|sin|sem|siempre|sempre|nunca|parce que|mais|pas|jamais|toujours|"
    r"sans|weil|aber|nicht|nie|immer|ohne|kein\w*|perché|però|non|mai|senza|necesita|precisa|"
    r"requiere|requer|muss|doit|deve|debe)\b|需要|必须|必須|不能|不要|只能|只有|否则|因为|必要|ない",
    re.IGNORECASE,
)
"""Why a note matters."""
ANCHOR = re.compile(
    r"[`_/\d]|[a-z][A-Z]|\b[A-Z]{2,}|\w\.\w|\w\(|--\w|(?<=[\w,;:] )[A-Z][a-z]+|^[A-Z][a-z]*[A-Z]"
)
"""A name, a number or a piece of code: what a sentence about a project has."""
TAUGHT = re.compile(
    r"\b(?:explain|teach|describe|tell me (?:about|how|what)|difference between|"
    r"how do(?:es)? \S+ work|"
    r"what(?:['’]s| is| are| does| do))\b",
    re.IGNORECASE,
)
"""The person wants to know something in general."""
POINTS = re.compile(
    r"(?:this|these|those|it|they|he|she)\b|that (?:is|was|one|does|did)\b", re.IGNORECASE
)
"""It is about something that was named before."""
OBJECT_POINTS = re.compile(
    rf"\b(?:always|never) {_ACT} (?:it|this|that|them|these|those)\b(?! \w)", re.IGNORECASE
)
WHEN = re.compile(
    r"(\b(?:decided|agreed|settled)) (?:last (?:week|month|year|sprint|time)|yesterday|today|"
    r"recently|earlier|a while ago|some time ago)\b",
    re.IGNORECASE,
)
"""The day on which a thing was decided."""
OPENING = re.compile(
    r"^(?:(?:no|nope|ok(?:ay)?|and|but|also|so|please|yes|hm+|well|actually|remember|btw|hey|wait|"
    r"by the way|pero|mas|mais|aber|ma|però)"
    r"\b\W*)+(?=\w)",
    re.IGNORECASE,
)
"""What leads over from what was said before."""
GIVEN = re.compile(
    r"^(?:(?:and|so|also|but|ok(?:ay)?)\W+)*(?:since|because|given that)\b", re.IGNORECASE
)
"""A reason comes first."""
SO = re.compile(
    rf"(?:^|[,;:–—-] ?)(?:(?:so|then|please)\W+)*(?:(?:let['’]?s|we should|please) {_ACT}|"
    rf"(?:use|keep|store|move|make|put)) (?!(?:on|to)\b)\S+",
    re.IGNORECASE,
)
"""What is to be done, therefore."""
OF_TASK = re.compile(
    r"\b(?:next|phases?|steps?|tasks?|stor(?:y|ies)|tickets?|commit|push|merge|pr|run|start|"
    r"continue|"
    r"finish|wait|try|see|look|check|tests?|later|first|now|branch)\b",
    re.IGNORECASE,
)
"""It is about how the work goes on."""
ORDER = re.compile(
    r"\W*(?:\w+\W+){0,3}?(?:do not|don['’]?t) (?:create|make|run|build|start|change|edit|delete|"
    r"add|update|read|open|generate|install|touch|modify|remove|deploy|restart|move|rename|"
    r"check|test|"
    r"write|fix)\b",
    re.IGNORECASE,
)
"""Somebody is told not to do a thing, which may well be meant for the task at hand."""
SCOPE = re.compile(
    rf"\b(?:always|never|ever|anywhere|in (?:this|our) \w+|here|we)\b|\b{_WHY}",
    re.IGNORECASE,
)
"""It goes beyond the task, or says why."""
REPORTS = re.compile(
    r"\b(?:(?:here['’]s|here is) (?:a|an|the|my) (?:\w+ ){0,2}(?:summary|overview|comparison)|"
    r"based on (?:the|my) (?:\w+ ){0,2}(?:docs|documentation|files?|specs?\w*|readme))\b",
    re.IGNORECASE,
)
"""What documents say is told again."""
WHAT = re.compile(r"^[^,;]{0,40}\b(?:it|them)\b", re.IGNORECASE)
"""It is about what the sentence before named."""
VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|cannot|will|must|should|need|may|might|"
    r"\w+n['’]t|[a-z]{2,}(?:[^s\W]s|ed)|use|run|keep|go|make|set|put|let)\b|[^\x00-\x7f]",
    re.IGNORECASE,
)
"""A sentence has one; other languages are not asked."""
OFFER = re.compile(
    r"\b(?:would you like|shall i|should i|do you want|let me know (?:if|which|what)|"
    r"which (?:one|do you)|option (?:a|1)\b)",
    re.IGNORECASE,
)
AGAINST = re.compile(
    r"^\W*(?:(?:hm+|well|ok(?:ay)?,? but|sorry|ehm?|uh+|ah|oh|hey)\W+)*(?:no\b(?! problem)|nope\b|"
    r"nah\b|don['’]?t\b|do not\b|not\b|stop\b|wait\b|actually\b|instead\b|rather\b|please don|"
    r"wrong\b|revert\b|undo\b|why not\b|why (?:are|did|do|would)|i['’]d rather|i would rather|"
    r"let['’]?s not|never\b|nein\b|non\b|nicht\b)|\binstead\b|\brather (?:use|than)\b|"
    r"\bi disagree\b",
    re.IGNORECASE,
)
"""The person is against what was proposed."""
REVOKES = re.compile(
    r"\b(?:scrap (?:that|it)|forget (?:it|that|about it)|never ?mind|changed (?:my|our) minds?|"
    r"on second thoughts?|undo (?:that|it|this)|revert (?:that|it|this)|cancel (?:that|it)|"
    r"go(?:ing)? back to|rather not|drop (?:that|it)|no longer want)\b",
    re.IGNORECASE,
)
"""The person takes back what was said before."""


def rule(said: str) -> re.Match[str] | None:
    """Where a person says what holds from now on, at its first place in a sentence."""
    found = [one for row in _RULES if (one := row.search(said))]
    if " should " in said and (one := SHOULD.search(said)):
        found.append(one)
    return min(found, key=lambda one: one.start(), default=None)
