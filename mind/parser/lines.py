"""One line or sentence: what it announces, and whether it announces anything at all."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mind.entry import Kind
from mind.parser.lexicon import EMPTY, Lexicon, fold

Force = Literal["mind", "marker", "opener", "sentence", "sign"]

CANONICAL = {
    "decided": Kind.DECISION,
    "problem": Kind.PROBLEM,
    "learned": Kind.LEARNING,
    "progress": Kind.PROGRESS,
    "rejected": Kind.REJECTED,
    "blocker": Kind.BLOCKER,
    "assumption": Kind.ASSUMPTION,
    "experience": Kind.EXPERIENCE,
    "gotcha": Kind.GOTCHA,
    "goal": Kind.GOAL,
    "todo": Kind.TODO,
    "note": Kind.NOTE,
}
"""The keywords that Mind itself writes, at the very start of a line."""

_CANONICAL = re.compile(rf"({'|'.join(CANONICAL)}): (?=\s*\S)")
_SIGNS = {
    "✅": Kind.PROGRESS,
    "☑": Kind.PROGRESS,
    "✔": Kind.PROGRESS,
    "✓": Kind.PROGRESS,
    "⚠": Kind.GOTCHA,
    "💡": Kind.LEARNING,
    "🐛": Kind.PROBLEM,
    "🚫": Kind.REJECTED,
}
_SIGN = re.compile(rf"({'|'.join(_SIGNS)})\ufe0f?\s*")
_FLAG = re.compile(
    r"(?:\*\*|__)?(?:KEY|IMPORTANT|important|Important|Key|CRITICAL|NB)(?:\*\*|__)?"
    r"\s*[:：](?:\*\*|__)?\s*"
)
_QUOTE = re.compile(r"[\"“”„«‘`'「『]")
_STAMP = re.compile(
    r"^\[?(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?[^\]\s]*(?: \d\d?:\d\d[^\]\s]*)?\]?"
    r"\s*[-–—:|]?\s+"
)
_COLON = re.compile(r"[:：](?![:/\\])(?!\d)")
_ADVERB = re.compile(
    r"(?:today|yesterday|finally|also|just|then|now|so|hoy|ayer|finalmente|por fin|también|heute|"
    r"gestern|endlich|auch|jetzt|aujourd'hui|hier|enfin|aussi|hoje|ontem|também|сегодня|вчера|"
    r"наконец|также)[,:]?\s+|(?:今天|昨天|今日|終於|终于|最终)[,，、]?",
    re.IGNORECASE,
)
_DASH = re.compile(r"\s+(?:--|[-–—])\s+")
_BRACKET = re.compile(r"\[([^\[\]\n]{2,40})\]\s+(?=\S)")
_PLACEHOLDER = re.compile(
    r"(?:\([^()]*\)|<[^<>]*>|\[[^\[\]]*\]|\{+[^{}]*\}+|（[^（）]*）|_{2,}|\.{2,}|…+)[.:]?"
)

_LABEL_WINDOW = 90
_SENTENCE_WINDOW = 400

_NOT = (
    r"\b(?:not|n't|never|no|none|without|if|unless|whether|should|could|would|might|may|undecided|"
    r"until|before|once|cannot|can't|haven't|hasn't|isn't|wasn't|aren't|either|maybe|perhaps|"
    r"potentially|todo|nobody|nothing|nicht|kein|keine|ob|wenn|falls|si|no se|pas|aucun|sans|"
    r"não|sem|se|не|нет|если|без|нельзя)\b|n't\b"
)
_NEGATED = re.compile(_NOT, re.IGNORECASE)
_HYPOTHETICAL = re.compile(
    r"^(?:if|unless|whether|should|could|would|might|may|maybe|perhaps|when|once|until|before|"
    r"undecided|not|no|none|nothing|never|wenn|falls|ob|sollen|sollten|si|faut-il|devrait|"
    r"deberíamos|devemos|se|если|нужно ли|стоит ли)\b|"
    r"^(?:如果|是否|要不要|もし|未决定)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^\s*(?:yet\b|later\b|tomorrow\b|if\b|whether\b|pending\b|\?|none\b|nothing\b|soon\b|by\s+"
    r"(?:tomorrow|friday|monday|next)\b)",
    re.IGNORECASE,
)

_SENTENCES: tuple[tuple[Kind, "re.Pattern[str]"], ...] = (
    (
        Kind.REJECTED,
        re.compile(
            r"\b(?:(?:we|i|team)\s+(?:\w+\s+)?(?:decided against|rejected|abandoned|ruled out|"
            r"gave up on|discarded|chose not to|decided not to)|"
            r"tried\b.{1,80}\b(?:but|didn'?t work|did not work|failed|without success|no luck)|"
            r"probamos\b.{1,80}\bpero|"
            r"essayé\b.{1,80}\bmais|versucht\b.{1,80}\baber|tentamos\b.{1,80}\bmas|"
            r"пробовали\b.{1,80}\bно)\b|尝试.{1,60}(?:但|失败)|試した.{0,60}(?:が|けど)",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.DECISION,
        re.compile(
            r"\b(?:(?:we|i|team|they|user|client|owner)(?:'ve| have| has|'re| are)?\s+"
            r"(?:(?:finally|now|also|then|just|all|both)\s+)?(?:decided|chose|agreed|settled on|"
            r"opted|picked|going with|went with|switched to|sticking with|selected)|"
            r"(?:going|went) with\b|decision (?:is|was) (?:made )?to|was decided|were chosen|"
            r"was chosen|decidimos|optamos por|elegimos|escolhemos|"
            r"haben (?:wir )?(?:uns )?entschieden|"
            r"entschieden(?: wir)?,? (?:für|dass)|uns für\b.{1,80}\bentschieden|"
            r"(?:nous avons|on a) (?:décidé|choisi|opté)|мы решили|мы выбрали|было решено|"
            r"решили|выбрали)(?!\w)|我们(?:决定|选择|采用)|最终(?:决定|选择)|"
            r"(?:決定した|採用した|することにした|に決めた)",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.BLOCKER,
        re.compile(
            r"\b(?:blocked (?:on|by|until)|"
            r"(?:is|are|am|we're|i'm|still|currently) (?:blocked|stuck)|"
            r"stuck on|waiting (?:on|for) (?:the |a |an |their |his |her )?(?:api|access|approval|"
            r"credentials|review|key|keys|answer|response|reply|team|client|vendor|legal|"
            r"permission|feedback|decision)|can(?:'t|not) (?:proceed|continue)|"
            r"bloquead[oa]s? por|blockiert (?:durch|von)|bloqué(?:e|s)? par|заблокирован\w* |"
            r"ждём |ждем )|(?:被阻塞|卡在|ブロックされて)",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.LEARNING,
        re.compile(
            r"\b(?:turns out|turned out (?:that|to)|(?:we|i) (?:\w+ )?(?:learned|learnt|realized|"
            r"realised|discovered|found out|figured out|noticed)|lesson (?:learned|here)|"
            r"root cause (?:is|was)|the trick (?:is|was)|resulta que|aprendimos que|"
            r"stellte sich heraus|haben (?:wir )?gelernt|il s'avère|on a appris|aprendemos que|"
            r"оказалось|выяснилось)(?!\w)|(?:原来|事实证明|学んだ|判明した|わかった。)",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.PROBLEM,
        re.compile(
            r"\b(?:(?:hit|ran into|running into|encountered|facing|seeing|having|found|got) "
            r"(?:an?|the|some|another|this|weird|strange|intermittent)?\s*(?:\w+ )?(?:issues?|"
            r"problems?|bugs?|errors?|trouble|regressions?|crash|crashes)|"
            r"(?:is|are|was|were|still|seems|got) broken|crash(?:es|ed)|"
            r"(?:does not|doesn'?t|do not|don'?t|did not|didn'?t|won'?t|isn'?t|aren'?t|stopped|"
            r"not) work(?:ing)?|keeps? (?:failing|crashing|hanging)|(?:is|are|keep) failing|fails? "
            r"(?:on|with|when|after|in|because|to|silently|at|for)|timed out|times out|"
            r"leaks? memory|tenemos un problema|hay un (?:problema|error)|no funciona|"
            r"funktioniert nicht|ne (?:fonctionne|marche) pas|não funciona|не работает|"
            r"возникла (?:проблема|ошибка)|stürzt ab|schlägt fehl)(?!\w)|"
            r"(?:不工作|无法使用|报错|出错|動かない|エラーになる|エラーが発生|失敗する)",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.GOTCHA,
        re.compile(
            r"\b(?:watch out for|beware of|be careful (?:with|to|when)|careful with|"
            r"don'?t forget to|cuidado con|vorsicht (?:bei|mit)|attention à|cuidado com|"
            r"осторожно с)(?!\w)",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.ASSUMPTION,
        re.compile(
            r"\b(?:(?:we|i)(?:'m| am|'re| are)? (?:assume|assuming)|assuming that)(?!\w)",
            re.IGNORECASE,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a line announces.

    Attributes:
        kind: The kind announced.
        text: The line without the keyword, the list marker and the keyword's emphasis.
        force: How: Mind's own form, a keyword with a colon, an opening phrase, a sentence, a sign.
        why: The same for a person.
        strong: The keyword speaks also against the section it stands in.
    """

    kind: Kind
    text: str
    force: Force
    why: str
    strong: bool = False


def canonical(text: str) -> Reading | None:
    """The line ``text`` if it is written as Mind writes entries."""
    found = _CANONICAL.match(text)
    if found is None:
        return None
    word = found.group(1)
    return Reading(CANONICAL[word], text[found.end() :].strip(), "mind", f'keyword "{word}:"', True)


def read(text: str, words: Lexicon) -> Reading | None:
    """What the line ``text`` (without list marker and box) announces, if anything."""
    text = _STAMP.sub("", text, count=1).strip()
    if not text or is_placeholder(text):
        return None
    sign, text = _sign(text)
    if not text or _QUOTE.match(text.lstrip("*_ ")):
        return sign
    flag = _FLAG.match(text)
    found = _announced(text[flag.end() :], words) if flag else None
    if found is not None:
        return found
    if not flag:
        found = _announced(text, words)
        return found if found is not None else sign
    rest = text[flag.end() :].strip()
    if is_empty(rest):
        return None
    return Reading(Kind.LEARNING, rest, "sign", f'keyword "{text[: flag.end()].strip(" *_")}"')


def _announced(text: str, words: Lexicon) -> Reading | None:
    return marker(text, words) or opening(text, words) or sentence(text)


def _sign(text: str) -> tuple[Reading | None, str]:
    found = _SIGN.match(text)
    if found is None:
        return None, text
    rest = text[found.end() :].strip()
    if is_empty(rest):
        return None, ""
    kind = _SIGNS[found.group(1)]
    return Reading(kind, rest, "sign", f"sign {found.group(1)}"), rest


def marker(text: str, words: Lexicon) -> Reading | None:
    """A keyword set off by a colon, brackets or a dash, in any dress, with something after it."""
    for head, rest in _splits(text):
        form = words.label_form(head)
        if form and not is_empty(rest):
            return Reading(
                words.labels[form],
                rest,
                "marker",
                f'keyword "{head.strip(" *_")}:"',
                form in words.strong,
            )
    return None


def label_of(text: str) -> tuple[str, str]:
    """The label before the first colon of ``text`` and what follows it; ("", text) if none."""
    return next(_splits(text), ("", text))


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """Ways to take ``text`` for a label and what it labels."""
    head = text[:_LABEL_WINDOW]
    bracket = _BRACKET.match(head)
    if bracket:
        yield bracket.group(1), text[bracket.end() :].strip()
    colon = _COLON.search(head)
    if colon:
        yield head[: colon.start()].strip(), _rest(text, colon.start(), colon.end())
    dash = _DASH.search(head)
    if dash and (colon is None or dash.start() < colon.start()):
        yield head[: dash.start()].strip(), _rest(text, dash.start(), dash.end())


def _rest(text: str, start: int, end: int) -> str:
    """What follows a label, without the emphasis that closes around or opened before the label."""
    head, rest = text[:start], text[end:].strip()
    for mark in ("**", "__", "~~"):
        if head.count(mark) % 2:
            if rest.startswith(mark):
                return rest[len(mark) :].strip()
            first, closing, last = rest.partition(mark)
            return (first.rstrip() + last if closing else first).strip()
    return rest


def opening(text: str, words: Lexicon) -> Reading | None:
    """A phrase that opens the sentence and needs no colon ("decided to", "TIL", "fixed")."""
    bare = text.lstrip("*_ ")
    if is_question(text):
        return None
    found = words.opener(bare)
    adverb = None if found else _ADVERB.match(bare)
    if adverb:
        bare = bare[adverb.end() :]
        found = words.opener(bare)
    if found is None:
        found = words.closer(text)
        if found is None or _HYPOTHETICAL.match(bare):
            return None
    elif _AFTER.match(bare[len(found[0]) :].lstrip("*_")):
        return None
    phrase, kind = found
    if is_empty(bare[len(phrase) :].strip(" *_:")) and not words.closer(text):
        return None
    return Reading(kind, text.strip(), "opener", f'words "{phrase}"')


def sentence(text: str) -> Reading | None:
    """A remembered thing told in a sentence ("we are blocked on API access")."""
    head = text[:_SENTENCE_WINDOW]
    if is_question(text) or _HYPOTHETICAL.match(head.lstrip("*_ ")):
        return None
    for kind, pattern in _SENTENCES:
        found = pattern.search(head)
        if found and not _is_negated(head, found.start()):
            return Reading(kind, text.strip(), "sentence", f'sentence "{found.group()[:40]}"')
    return None


def _is_negated(text: str, at: int) -> bool:
    clause = re.split(r"[.;:!?,。、；，]\s?|\s[-–—]\s|\bbut\b", text[max(0, at - 60) : at])[-1]
    return bool(_NEGATED.search(clause))


def is_question(text: str) -> bool:
    """Whether ``text`` ends in a question mark."""
    return text.rstrip(" *_)").endswith(("?", "？"))


def is_empty(text: str) -> bool:
    """Whether ``text`` holds nothing: no word, "None", "n/a", a placeholder."""
    folded = fold(text[:_LABEL_WINDOW])
    if not folded:
        return not re.search(r"\w", text)
    return (len(text) < _LABEL_WINDOW and folded in EMPTY) or is_placeholder(text)


def is_placeholder(text: str) -> bool:
    """Whether all of ``text`` is a template's blank: ``(add your stack)``, ``<name>``, ``…``."""
    bare = text.strip().strip("*_ ")
    return len(bare) < 200 and not bare.startswith("[[") and bool(_PLACEHOLDER.fullmatch(bare))
