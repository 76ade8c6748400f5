"""Subjects that a memory rejected, with their conditions, reasons and alternatives.

A rejected entry starts with the subject; reason and alternative follow. In "X over Y" the Y is
rejected. A gotcha is a trap and a remedy. The rest is background.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from mind.text import INSTEAD_OF, NOR, RATHER_THAN, lazy_pattern, terms
from mind.text.matching.acts import REASON, WIDE, first_of, halves, sentences, squash, stems

_SEE = r"(?:(?:see|cf\.?|siehe|vgl\.?|voir|véase|vedi|zie)\s|https?://)"
_SOURCE = re.compile(rf"[;,]\s+(?={_SEE})", re.IGNORECASE)
_POINTER = re.compile(rf"{_SEE}|[^(]*(?:https?://|,\s{_SEE})|\([^()]*\)$", re.IGNORECASE)
"""A sentence with its source, or that is only a source or a remark."""
_INSTEAD = re.compile(
    r"\b(?:instead(?! of)|stattdessen|à la place(?! d)|en su lugar|invece(?! di)|em vez disso|"
    r"in plaats daarvan)\b",
    re.IGNORECASE,
)
_TURN = re.compile(rf"(?:[,:]|\s[-–—])\s+(?=[^,:;.]{{0,80}}{_INSTEAD.pattern})", re.IGNORECASE)
"""Before a clause that says what was chosen instead."""
_VERB = lazy_pattern(
    r"(?!\s+(?:kept|held|made|[a-z]{3,}ed)\s+(?:in|as|on|with|by|via|from|to|at|inside)\b)"
    r"\s+(?:(?:was|were|is|are|isn['’]t|aren['’]t|wasn['’]t|had|has|have|did|does|do|can|can['’]t|"
    r"cannot|could|would|will|won['’]t|must|mustn['’]t|made|makes|broke|breaks|bit|gave|gives|got|"
    r"gets|grew|hung|hangs|cost|costs|took|takes|led|leads|lost|loses|kept|keeps|went|goes|came|"
    r"blew|ate|eats|froze|ran|fell|became|caused|causes|leaks?|crashes|fails?|locks|needs|wipes|"
    r"kills|blocks|deadlocks?|proved|turned|seemed|needed|doesn['’]t|didn['’]t|don['’]t|never|"
    r"wird|wurde|wurden|war|waren|ist|sind|hat|haben|macht|liefen|führte|nicht mehr|verworfen|"
    r"abandonné|rejeté|était|étaient|est|sont|fue|fueron|es|son|era|eran|rompe|necesitan)\b"
    r"|(?!(?:based|shared|embedded|nested|distributed|typed|seeded|compressed|generated|hosted|"
    r"managed|cached|signed|scheduled|unused|shed|need|feed|speed|seed|embed|red)\b)[a-z]{3,}ed\b)"
    r"|を試|の案は|は禁止|は却下|は見送|は不採用|のは|でやる|に保存|を使",
    re.IGNORECASE,
)
_LEAD = lazy_pattern(
    r"^(?:\W*(?:(?:we|i|team|ich|wir|on a|nous avons|hemos)\s+)?(?:tried|considered|evaluated|"
    r"(?<=we\s)[a-z]+ed|(?<=i\s)[a-z]+ed|put|wrote|had|let|ran|"
    r"used|kept|tested|looked at|rejected|decision|decided against|entscheidung|probamos|"
    r"essayé|getestet|versucht|verworfen|abgelehnt|do not|don['’]t|never|no longer|avoid|stop|no|"
    r"not|against|nie|niemals|kein[er]?|ne (?:plus|pas|jamais)|no usar|nunca|jamás|evitar|"
    r"using|use|bring|to|utiliser|storing|having|putting|again|"
    r"(?:any(?:thing)?|everything|whatever|alles|cualquier cosa|todo lo|tout ce)\s+"
    r"(?:that|which|was|que|qui)\s+\w+(?:\s+(?:on|upon|von|de|d['’]))?)\b[:\s]*)+",
    re.IGNORECASE,
)
_CONDITION = lazy_pattern(
    r"\s+(?:for|in|into|with|as|to|when|while|if|on|onto|from|at|of|per|inside|through|via|after|"
    r"before|without|between|during|under|above|within|across|behind|against|around|über|für|im|mit|"
    r"bei|beim|zum|zur|als|wenn|auf|von|vom|nach|vor|ohne|zwischen|unter|pro|durch|aus|"
    r"pour|dans|avec|sur|sans|après|chez|entre|des|du|de|para|en|con|sin|cuando|del|que|desde|"
    r"durante|dentro|fuera|por|nel|nella|em|com|sem|voor|bij|van|door|dla|для|в|на|с|при)\s+|の|で|に|を|用来|用于|用作|作为",
    re.IGNORECASE,
)
_OVER = lazy_pattern(
    rf"^(?P<chosen>.+?)[\s,]+(?:{INSTEAD_OF}|and not)[\s'’]+(?P<left>.+)$",
    re.IGNORECASE,
)
_RATHER_THAN = lazy_pattern(rf"\s+{RATHER_THAN}[\s'’]+", re.IGNORECASE)
_JAPANESE_OVER = re.compile(
    r"(?:.*は)?\s*(?P<left>\S+?)\s*(?:ではなく|より|の代わりに|をやめて)(?P<chosen>.+)$"
)
_NOT = re.compile(
    rf"^(?P<chosen>.+?),\s+{NOR}\s+"
    r"(?P<left>(?!later|more|less|matter)\S+(?:\s+\S+){0,9})$",
    re.IGNORECASE,
)
"""A choice that names the rejected option."""
_TURNED_DOWN = lazy_pattern(
    r"\b(?:turned down|rejected|ruled out|not allowed|forbidden|dropped|abandoned|discarded|"
    r"considered|evaluated|thrown out|given up|lost|reverted|abgelehnt|verworfen|verboten|"
    r"zurückgebaut|kommt nicht|raus|abandonné|rejeté|écarté|interdit|descart\w+|rechaz\w+|"
    r"abandonad\w+|prohibid\w+)"
    r"\b|却下|不採用|禁止|見送",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r":\s+|,\s+(?:else|otherwise|sonst)\s+")
_REMEDY = lazy_pattern(
    r"^(?:use|always|take|call|run|set|add|check|go|do|make|put|keep|pass|prefer|only|full|"
    r"instead|join|clone|get|write|read|pick|switch|let|ensure|first|immer|vorher|stattdessen|"
    r"utiliser|usar|passer|lire|usa|必ず)\b|\b(?:only|instead|beforehand)\b",
    re.IGNORECASE,
)
_CHOOSING = re.compile(
    r"^(?:we (?:now )?use|use|now|instead|stattdessen|take|switched to|using|inject|through|"
    r"go with|stick to|stay with|keep|prefer)\b[:\s]*",
    re.IGNORECASE,
)
_ADOPTED = lazy_pattern(
    rf"{_CHOOSING.pattern}|^(?:add|adopt|introduce|choose|chose|install|host on)\b[:\s]*",
    re.IGNORECASE,
)
_MOVED = lazy_pattern(
    r"^(?P<before>.{0,40}?)\b(?:switch|mov|migrat|chang|convert)\w*(?P<what>(?:\s\S+){0,6}?)\s+from\s+"
    r"(?P<left>\S+(?:\s\S+){0,3}?)\s+to\s+(?P<chosen>[^\s,;.]+)",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:in|on|for|at|under|within|of|the|our)\s+(?:the\s+)?(?!team\b)\S+", re.IGNORECASE
)
"""Words in front of a choice that say where it holds."""
_OCCASION = re.compile(
    r"\b(?:after|since|following|because of|at)\b.*?(?=,|:|\bwe\b|$)", re.IGNORECASE
)
"""Words in front of a choice that say when or why it was made."""
_HELD_BACK = re.compile(
    r"\b(?:not|never|no|cannot|nicht|nie|jamais|nunca|consider\w*|revert\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_MEANS = re.compile(r"\b(?:with|on|via|using|mit|auf|avec|sur|con)\s+", re.IGNORECASE)
_DENIED = lazy_pattern(
    r"^(?:don['’]t|do not|never|no|nie|niemals|kein\w*|not|rejected|stop|avoid|pas de|jamais|nunca|"
    r"ning[uú]n\w*|sin|nada de|evitar|geen|nooit)\b",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"\s+(?:in|at|of|under|im|dans|en)\s+`?[\w-]+/(?:[\w.-]+/)*[\w.-]+\.(?:py|[jt]sx?|[cm]js|rb|go|"
    r"rs|java|kts?|php|cs|cpp|[ch]|toml|ya?ml|json|md|sql|sh|s?css|html|vue|svelte|swift|dart|exs?)\b`?",
    re.IGNORECASE,
)
"""Where something is, not what it is."""
_EXAMPLE = re.compile(
    r"(?<=\w)\s+(?:(?:as|wie|como|come|zoals)\s+(?:in|im|bei|en|em|nel|on|with|for)|comme\s+(?:dans|chez))"
    r"\s+[^\s,;.:()]+",
    re.IGNORECASE,
)
"""A thing that has the same already, which is not rejected."""
_NUMBER = re.compile(r"\s*(?:\(#\d+\)|(?<!\w)#\d+)")
"""A pull request or an issue: not part of the subject."""
_LONGEST_CHOICE = 14
"""Maximum words of a sentence that names an alternative; longer ones give reasons."""
_EITHER = re.compile(r",?\s+(?:or|oder|ou|или)\s+|,\s+")
_RARE = 6.5
"""Word weight from which a word is a name rather than an everyday word."""
_MOST = 1_500
_DECIDING = 400
"""Length in characters of the beginning of a decision, which says what it rejects."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject that an entry rejected.

    Attributes:
        sort: "rejected", "over" or "gotcha".
        head: The rejected subject, in as few words as possible.
        condition: The circumstances in which it is rejected.
        reason: The reason, and the rest of the entry.
        chosen: The alternative; "" if the entry has none.
        clause: The clause that names it, for display; "" if it is ``chosen``.
        named: Names of the subject in parentheses: "third-party loggers (zap, logrus)".
        shared: Circumstances named with the alternative, which may be those of both.
    """

    sort: str
    head: str
    condition: str
    reason: str
    chosen: str
    clause: str = ""
    named: tuple[str, ...] = ()
    shared: str = ""


def subjects_of(kind: str, text: str) -> list[Subject]:
    """Return the subjects that an entry rejects; most entries have none."""
    text = " ".join(_NUMBER.sub("", text[:_MOST]).translate(WIDE).split())
    if kind == "gotcha":
        return [_trap(text)]
    if kind == "rejected":
        found = _rejected(text)
        heads = _EITHER.split(found.head.strip())
        is_choice = any(map(_is_rare, heads)) and all(
            " " not in one and (_is_rare(one) or one[:1].isupper()) for one in heads
        )
        return [replace(found, head=one) for one in heads] if is_choice else [found]
    if kind in ("decision", "learning") and _DENIED.match(text):
        found = _rejected(text)
        return [replace(found, sort="over")]
    is_advice = kind == "learning" and (_CHOOSING.match(text) or _REMEDY.match(text))
    return list(_left(text)) if kind == "decision" or is_advice else []


def choices(decision: str) -> list[str]:
    """The names of what a decision chooses, one per clause; "use-x-for-y" is read as words."""
    found: list[str] = []
    for clause in [] if _DENIED.match(decision) else re.split(r"[:;]\s+", decision):
        said = clause if " " in clause else clause.replace("-", " ")
        over = _OVER.match(said)
        said = _ADOPTED.sub("", over["chosen"] if over else said)
        for part in [said, *_MEANS.split(said)[1:]]:
            name = halves(_CONDITION, halves(REASON, f"{part.rstrip(' .')} ")[0])[0]
            found += [] if first_of(_VERB, name) else [name.strip()]
    return found


def overrules(later: str, earlier: str) -> bool:
    """Return whether a decision, as "X over Y" or "from Y to X", leaves the Y of an earlier one.

    If it says where or for what, the earlier one has to say all of that: "for property tests"
    leaves what was chosen "for tests".
    """
    chosen = {squash(one) for one in choices(earlier)} - {""}
    moved = _MOVED.search(later)
    before, what = (moved["before"], moved["what"]) if moved else ("", "")
    later = _MOVED.sub(r"\g<chosen> for\g<what> over \g<left>", later)
    said = {*stems(earlier)}
    for one in subjects_of("decision", later) if chosen else ():
        if not one.clause or chosen.isdisjoint(map(squash, _EITHER.split(one.head))):
            continue
        before = f"{before} {one.clause.rpartition(' ')[0]}"  # the name itself comes last
        if _HELD_BACK.search(before):
            return False
        besides = {*stems(one.head), *function_words()}
        about = {*stems(f"{one.clause} {one.condition}")} - besides
        where = " ".join(_WITHIN.findall(_OCCASION.sub(" ", before)))
        wanted = {*stems(f"{where} {what} {one.condition}")} - besides
        is_shared = about & said or not stems(f"{one.shared} {one.condition}")
        if is_shared and all(word in said for word in wanted if not word.isdigit()):
            return True
    return False


def _is_rare(name: str) -> bool:
    from mind.text.matching.synonyms import usual  # noqa: PLC0415 - only for a choice

    return max(map(usual, stems(name)), default=0.0) >= _RARE


def _rejected(text: str) -> Subject:
    first, *others = sentences(_TURN.sub("; ", _SOURCE.sub(", ", text))) or [text]
    first, listed = _names_aside(first)
    first, kept, shared = _without_kept(first)
    head, condition, reason = _apart(first)
    chosen = _chosen(others, head) or kept
    reasons = " ".join([reason, *(one for one in others if one != chosen)])
    chosen = _INSTEAD.sub("", _CHOOSING.sub("", chosen)).strip(" ,")
    return Subject("rejected", head, condition, reasons, chosen, "", listed, shared)


def _without_kept(sentence: str) -> tuple[str, str, str]:
    """A rejecting sentence without "instead of Y"; that Y, and its circumstances.

    "Over" is left: what is rejected goes "over" a medium more often than it is chosen over another.
    """
    found = _RATHER_THAN.search(sentence)
    cut = first_of(REASON, sentence)
    end = cut.start() if cut else len(sentence)
    if found is None or found.end() > end:
        return sentence, "", ""
    kept, _, shared = halves(_CONDITION, sentence[found.end() : end])
    return sentence[: found.start()] + sentence[end:], kept, shared


_LISTED = re.compile(r"(?<=\w)\s+\(([^()\s]+(?:,?\s[^()\s]+){0,9})\)")
_BETWEEN = re.compile(r"\s*(?:,|/|;|\b(?:or|and|oder|und|ou|et|o|y|e)\b)\s+")
_MOST_VERBS = 3


def _names_aside(sentence: str) -> tuple[str, tuple[str, ...]]:
    """A sentence without the names in parentheses behind its subject, and those names."""
    found = _LISTED.search(sentence)
    if found is None:
        return sentence, ()
    listed = [one for one in _BETWEEN.split(found[1]) if one]
    return sentence[: found.start()] + sentence[found.end() :], tuple(listed)


def _apart(sentence: str) -> tuple[str, str, str]:
    """Head, condition and reason of a rejecting sentence."""
    said = _LEAD.sub("", sentence, count=1) or sentence
    said = _PATH.sub(" ", said) if stems(_PATH.sub(" ", said)) else said
    said = _EXAMPLE.sub("", said)
    for _ in range(_MOST_VERBS):
        cuts = [one for pattern in (REASON, _VERB) if (one := first_of(pattern, said))]
        cut = min(cuts, key=lambda one: one.start(), default=None)
        if cut is None or _names_something(said[: cut.start()]) or not stems(said[cut.end() :]):
            break
        said = _LEAD.sub("", said[cut.end() :].strip(), count=1)  # "we won't use X", "wir haben X"
    at = cut.start() if cut else len(said)
    head, _, condition = halves(_CONDITION, f"{said[:at].rstrip()} ")
    if not stems(head) and stems(condition):
        head, _, condition = halves(_CONDITION, condition)
    return head.strip(), condition.strip(), said[at:].strip(" -–—:,")


@cache
def function_words() -> frozenset[str]:
    """Return the stems of words that tell nothing by themselves, of all languages."""
    return frozenset(stem for word in terms.function_words() for stem in stems(word))


def _names_something(head: str) -> bool:
    """Return whether a head has a telling word, or is the language Go."""
    return head.strip() == "Go" or not function_words().issuperset(stems(head))


def choice(subject: Subject) -> str:
    """Return what was chosen, without its circumstances; "" for none."""
    return halves(_CONDITION, f"{subject.chosen} ")[0].strip()


def _chosen(others: Iterable[str], head: str) -> str:
    """The last sentence that states a choice, or is a name and neither negated nor a reason."""
    listed = list(others)
    for one in reversed([one for one in listed if _INSTEAD.search(one)] or listed):
        if _DENIED.match(one) or _POINTER.match(one) or head.lower() in one.lower():
            continue
        is_name = len(one.split()) <= _LONGEST_CHOICE and not _tells(one)
        if is_name or _CHOOSING.match(one):
            return one
    return ""


def _tells(sentence: str) -> bool:
    """Return whether a sentence has a verb of its own, as a reason has: "lost on restart".

    At its beginning, "dedicated" and the like describe a name.
    """
    found = _VERB.search(f" {sentence}")
    return found is not None and (found.start() > 0 or not found[0].endswith("ed"))


def _left(text: str) -> Iterator[Subject]:
    """Yield the subjects that a decision rejects; further on, it gives reasons and details."""
    for sentence in sentences(text):
        if text.find(sentence) > _DECIDING:
            return
        found = _OVER.match(sentence) or _JAPANESE_OVER.match(sentence) or _NOT.match(sentence)
        if found:
            head, condition, reason = _apart(found["left"])
            clause = _LEAD.sub("", found["chosen"])
            chosen, _, shared = halves(_CONDITION, clause)
            reasons = f"{reason} {text.replace(sentence, ' ')}"
            yield Subject("over", head, condition, reasons, chosen, clause, shared=shared)
        elif _TURNED_DOWN.search(sentence):
            yield from _passive(sentence, text)


def _passive(sentence: str, text: str) -> Iterator[Subject]:
    """The X of "X was evaluated and turned down"."""
    clauses = re.split(r",\s+|:\s+", sentence)
    at = next(at for at, one in enumerate(clauses) if _TURNED_DOWN.search(one))
    head, condition, _ = _apart(clauses[at])
    others = [one for one in clauses if one != clauses[at]]
    chosen = next((one for one in others if len(one.split()) <= _LONGEST_CHOICE), "")
    yield Subject("over", head, condition, text.replace(head, " "), chosen)


def _trap(text: str) -> Subject:
    """The trap of a gotcha, without its remedy."""
    clauses = [one for said in sentences(text) for one in _CLAUSE.split(said) if one]
    first, *others = clauses or [text]
    remedies = [one for one in others if _REMEDY.search(one)]
    traps = [one for one in others if one not in remedies]
    head, condition, rest = _apart(first)
    return Subject("gotcha", head, " ".join([condition, rest, *traps]), "", " ".join(remedies))
