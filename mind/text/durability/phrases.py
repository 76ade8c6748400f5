"""The phrases of statements that will not be true in a week, and how to say it instead.

A row is ``phrase: pattern``, and goes on in indented lines. Facts about programs often have the
words of a passing state ("in progress", "the latest", "untracked"): such a pattern also asks for
the words around them that only a state has.
"""

import re
from functools import cache
from typing import NamedTuple

from mind.text.durability.wording import unfolded

DONE = (
    r"(?:shipped|merged|deployed|released|fixed|finished|added|started|pushed|switched|migrated|"
    r"renamed|moved|upgraded|landed|noticed|discovered|found|realised|realized|tried|changed|"
    r"updated|removed|implemented|completed|published|created|wrote|installed|bumped|refactored|"
    r"replaced|converted|introduced|rewrote|rewritten|split|reverted|enabled|disabled)"
)
_PART = (
    r"(?:apis?|(?:\w+ )?system|design|architecture|implementation|ui|parser|backend|frontend|"
    r"pipeline|library|framework|approach|setup|workflow|dashboard|website|engine|feature|"
    r"test suite|code|codebase|tooling|stack)"
)
_WORK = (
    r"(?:migrat\w+|refactor\w*|rewrit\w+|upgrad\w+|rollout|review|investigation|implementation|"
    r"fix|port|porting|work|development|redesign|transition|testing|release|switch|cleanup)"
)
_UNIT = r"(?:week|month|quarter|sprint|year|weekend)"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_SELECTED = (
    r"(?:selected|active|open|focused|logged|signed|playing|running|visible|displayed|loaded|"
    r"installed|configured|set|edited|executing|viewed|authenticated|connected|supported|held|"
    r"being|waiting|alive|suspended|in use|defined)"
)
_NO_CASE = r"(?<!that have )(?<!that are )(?<!which are )(?<!that is )(?<!which is )"
_VISITED = r"(?:used|viewed|accessed|opened|active|seen|played|visited)"
_START = r"(?:\A|(?<=\n)|(?<=[.:;!?*-] ))"
_WE = r"(?:we are|we['’]re|i am|i['’]m)"
_OPEN = (
    r"(?:merged|deployed|released|shipped|implemented|decided|done|finished|fixed|ready|written|"
    r"tested|pushed|published|live|started|reviewed|documented|migrated|committed|working)"
)
_BROKEN = r"(?:red|green|broken|failing|passing|down|flaky|on fire)"

STATE = "Say since which date it is so, or what was decided; leave the passing state out."
CALENDAR = 'Give the date, as in "on 2026-11-20": the day on which it is read is another one.'
RECENT = "Say what was done and why, without how long ago; entries carry their date."
FLIGHT = (
    "Say what was decided or found out, or log it as a todo; where the work stands will change."
)
REPOSITORY = "Leave it out: git tells the state of the working tree, and it changes by the hour."
NOVELTY = 'Name it, or say what it replaced; "new" and "now" wear off.'
DATED = "Say what was decided or measured on that date, rather than how things are as of it."

_ENGLISH = {
    DATED: rf"""
as of <date>: as of (?:today|now|yesterday|tonight|this (?:writing|commit|week|month|morning)
    |writing|(?:early |mid-?|late )?(?:\d{{4}}-\d\d(?:-\d\d)?|{_MONTH}\b)|\d{{1,2}}(?:st|nd|rd
    |th)? {_MONTH}\b|(?:early |mid-?|late )?20\d\d\b(?!\.\d))
at the time of writing: at (?:the )?time of (?:this )?writing
""",
    STATE: rf"""
currently: (?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bany )(?<!\beach )(?<!\bevery )(?<!\ball )
    (?<!\bno )(?<!\bnot )currently(?! {_SELECTED})|(?:is|are) currently being {DONE}
right now: right now
for now: for now(?! (?:eol|unsupported|deprecated|defunct)\b)
temporarily: temporarily (?:disabled|removed|using|uses?|pinned|commented|reverted|blocked|broken
    |down|hard-?coded|skipp\w+|switched|turned|moved|set to|worked around)|(?:is|are|we|have|has
    |been) temporarily
for the time being: for the time being
at the moment: at the moment(?! (?:of|when|that|the|it|a|they|you)\b)
at present: at present\b(?! no\b)|presently
as it stands: as (?:it|things) (?:currently )?stands?
still <state>: {_NO_CASE}still (?:failing|broken|open|pending|waiting|unresolved|in progress
    |investigating|debugging|trying to|looking (?:for|into)|working on|to do|todo|tbd|flaky|wip
    |to be (?:done|decided|merged|fixed)|not (?:working|fixed|done|merged|deployed|released|ready))
not yet: {_NO_CASE}(?:not|\w+n['’]t) yet (?:been )?{_OPEN}
    |(?:not|\w+n['’]t) (?:been )?{_OPEN} yet|yet to be {_OPEN}
build is <state>: (?:the )?(?:ci|build|builds|tests|test suite|pipeline|main|master|staging|prod
    |production|trunk) (?:is|are) (?:currently |now |still |all )?{_BROKEN}
current <thing> is: (?:our|my|the) current (?:focus|priority|task|blocker|sprint|branch|goal|work
    |milestone|phase) is
""",
    CALENDAR: rf"""
today: today(?!['’]s| ?=)
tonight: tonight(?!['’]s)
yesterday: yesterday(?!['’]s)
tomorrow: tomorrow(?!['’]s)
this week: (?:earlier |later |until |by |end of )?this (?:{_UNIT}|morning|afternoon
    |evening)(?!['’]s)
last week: (?<!\bthe )(?<!\ba )(?<!\bof )(?<!\bper )last (?:{_UNIT}|night|{_WEEKDAY})(?!['’]s| of\b)
next week: (?<!\bthe )(?<!\ba )(?<!\bof )(?<!\bto )(?<!\binto )next (?:{_UNIT}
    |{_WEEKDAY})(?!['’]s| of\b)
by <weekday>: (?:by|due|due on|until) (?:this |next )?{_WEEKDAY}
<days> ago: (?:an?|(?:a )?(?:few|couple of)|one|two|three|several|\d+) (?:minutes?|hours?|days?
    |weeks?|months?) ago
""",
    RECENT: rf"""
just <done>: (?:we|i|they|have|has|\w+['’]ve|team) (?:have |has )?just (?:been )?(?:now )?{DONE}
just <done>: {_START}just (?:now )?{DONE}
recently: {_START}recently(?: {DONE}|(?=,))
    |(?<!\bmost )(?<!\bleast )(?<!\bmore )recently {DONE} (?:to|from|the|a|our|all|it|away|over
    |off|out|on|in|into)
    |(?:was|were|has|have|we|i|they|been) recently(?! {_VISITED})
    |(?<!\bmost )(?<!\bused )recently(?=[.;!]|\Z)
lately: lately
the latest <change>: the latest (?:commit|change|changes|build|deploy|deployment|release|update
    |push|pr|refactor|migration|merge) (?:is|was|has|broke|breaks|fixed|fixes|adds|added|introduced)
""",
    FLIGHT: rf"""
in progress: {_WORK} (?:of \w+ |to \w+ )?(?:is |are |still |now |currently )*in progress
    |status\W{{0,3}}:\W{{0,4}}in progress
WIP: (?:is|are|still|currently) (?:a )?wip\b|\(wip\)|\[wip\]|{_START}wip\b ?[:-]
in the middle of: (?:am|are|is|\w+['’](?:re|m)|were|still|currently) in the middle of (?:\w+ing
    |(?:a|an|the|our|this) (?:\w+ )?{_WORK})
working on: (?:{_WE}|they are|they['’]re|been|still|team is|now|currently) working on
working on: {_WE} (?:still |now |currently )?(?:migrat|mov|switch|rewrit|port|refactor|upgrad|debugg
    |investigat|fix|implement|test|convert|replac|split)t?ing
waiting for: (?:{_WE}|still) (?:still )?(?:waiting (?:for|on)|awaiting)|{_START}waiting (?:for|on)
almost done: (?:almost|nearly|half|partly|\d+ ?%) (?:done|finished|complete|completed|migrated)
broken for: been (?:broken|down|failing|red|flaky) (?:for|since)
temporary <fix>: temporary (?:workaround|fix|hack|solution|patch)
about to: {_WE} (?:just )?about to
soon: (?:coming|very|pretty) soon|will (?:\w+ ){{0,4}}soon(?! as\b)|soon (?:be|to be|we)
pending review: (?:is |are )pending (?:code )?(?:review|merge|approval)|pr (?:\#?\d+ )?(?:is
    |are) (?:still )?(?:open|up|pending|in review|awaiting|waiting)
next step: {_START}(?:(?:the )?next steps? ?:|next,? (?:i|we)(?: will|['’]ll)|left off (?:at|with))
an open PR: there(?:['’]s| is| are) (?:an? |\d+ )?open (?:prs?|pull requests?)
so far: (?:have|has|\w+n['’]t|we['’]ve|i['’]ve) (?:\w+ ){{1,6}}so far
""",
    REPOSITORY: r"""
uncommitted: (?:have|has|there (?:is|are)|left|my|our|still|\d+) (?:(?:some|several|many
    |\d+) )?(?:unpushed|uncommitted|unstaged|unmerged
    |untracked|stashed)|(?:changes?|work|fix|files?
    |commits?|it|they|everything) (?:is|are) (?:still )?(?:unpushed|uncommitted|unstaged|unmerged
    |stashed)
commits ahead: (?:\d+|one|two|three|few|several) commits? (?:ahead|behind)
on branch: (?:work|changes?|fix|code) (?:is|are|lives?) (?:still )?on (?:(?:the
    |a) )?(?:feature )?branch
""",
    NOVELTY: rf"""
the new: the (?:brand[- ])?new {_PART}(?! of each)
newly: newly (?:introduced|released|shipped)
now uses: (?<!\bcan )(?<!\bmay )(?<!\bcould )(?<!\bto )now (?:uses?|using|rel(?:y|ies) on
    |depends? on)(?! (?:of|case))
""",
}
_GERMAN = {
    DATED: """
Stand heute: stand heute|stand jetzt
""",
    STATE: """
derzeit: derzeit|zurzeit|zur zeit(?! der| des)|momentan|im moment(?! (?:der|des|in))
    |im augenblick(?! (?:der|des))
aktuell: (?:ist|sind|wird|werden|läuft|laufen|hat|haben|nutzt|nutzen|verwenden
    |verwendet) aktuell\\b|\\baktuell (?:ist|sind|wird|werden|läuft|nutzen|nutzt|verwenden
    |verwendet|noch|nicht|kein)
vorerst: vorerst|bis auf weiteres|vorübergehend (?:deaktiviert|entfernt|abgeschaltet|auskommentiert)
noch nicht: noch nicht (?:fertig|gemergt|deployt|umgesetzt|implementiert|entschieden|getestet
    |veröffentlicht|erledigt|committet|gepusht)
""",
    CALENDAR: """
heute: heute|gestern|vorgestern|übermorgen|heute abend|heute morgen
diese Woche: (?:diese|letzte|vorige|nächste|kommende)r? woche|(?:diesen|letzten|nächsten
    |kommenden) monat|(?:dieses|letztes|nächstes) (?:jahr|quartal)
""",
    RECENT: """
kürzlich: kürzlich|vor kurzem|neulich|soeben|gerade eben
""",
    FLIGHT: """
in Arbeit: (?:ist|sind|noch) in arbeit|arbeiten? (?:gerade|derzeit) an|sind gerade dabei
    |bin gerade dabei
""",
}
_FRENCH = {
    STATE: """
actuellement: actuellement|en ce moment|pour l['’]instant|pour le moment
pas encore: (?:pas encore) (?:fini|fusionné|déployé|implémenté|décidé|testé|publié|terminé|prêt)\\w*
provisoirement: (?:provisoirement|temporairement) (?:désactivé|supprimé|retiré|remplacé)\\w*
""",
    CALENDAR: """
aujourd'hui: aujourd['’]hui|avant-hier|hier (?:soir|matin)|depuis hier|après-demain|demain
cette semaine: cette semaine|ce mois-ci|cette année|(?:la semaine|l['’]année) (?:dernière
    |prochaine)|le mois (?:dernier|prochain)
""",
    RECENT: """
récemment: récemment|(?:venons|viens|vient) (?:de|d['’])
""",
    FLIGHT: """
en cours: (?:est|sont|travail|travaux|migration|toujours) en cours(?! d['’]exécution)
""",
}
_SPANISH = {
    STATE: """
actualmente: actualmente|ahora mismo|por ahora|de momento|por el momento|en este momento
todavía no: (?:todavía|aún) no (?:está|hemos|se ha|han|ha)
temporalmente: (?:temporalmente|provisionalmente) (?:desactivad|eliminad|quitad|deshabilitad)\\w*
""",
    CALENDAR: """
hoy: hoy|ayer|anteayer|anoche|pasado mañana|mañana mismo
esta semana: esta semana|este mes|la semana pasada|la próxima semana|la semana que viene
    |el mes pasado|el próximo mes
""",
    RECENT: """
recientemente: recientemente|acab(?:o|a|amos|an) de
""",
    FLIGHT: """
en curso: (?:está|están|sigue|siguen) en (?:curso|marcha|progreso)
""",
}


class Phrase(NamedTuple):
    """What to look for.

    Attributes:
        name: The phrase, as people are told it.
        pattern: It, and the words around it that it takes.
        advice: How to say it instead.
        english: Whether it is English.
    """

    name: str
    pattern: re.Pattern[str]
    advice: str
    english: bool


@cache
def phrases() -> tuple[Phrase, ...]:
    """Every phrase; where two of them fit, the earlier one names it."""
    found = []
    for table in (_ENGLISH, _GERMAN, _FRENCH, _SPANISH):
        for advice, rows in table.items():
            for row in unfolded(rows):
                name, pattern = row.split(": ", 1)
                whole = re.compile(
                    rf"(?<![\w@/.\-])(?:{pattern})(?![\w@/\-(=]|\.\w)", re.IGNORECASE
                )
                found.append(Phrase(name, whole, advice, table is _ENGLISH))
    return tuple(found)
