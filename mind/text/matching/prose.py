"""Extract the proposals of prose: not what it abandons, negates or only mentions."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from mind.text import INSTEAD_OF, lazy_pattern
from mind.text.matching import programs
from mind.text.similarity.words import stem
from mind.text.terms import function_words

LEAVING = frozenset(
    """remove delete drop replace port migrate move switch convert get throw strip retire phase
    uninstall disable deprecate eliminate rip kill clean purge revert undo stop avoid turn
    change swap ditch abandon quit cease prohibit forbid ban block prevent disallow document explain
    describe investigate mention note find search audit verify check review read compare benchmark
    erwähne erwähnen beschreibe beschreiben dokumentiere dokumentieren erkläre erklären prüfe prüfen
    suche suchen vergleiche vergleichen dejar documentar explicar mencionar revisar comprobar buscar
    comparar documenter expliquer mentionner vérifier chercher comparer cesser
    entferne lösche ersetze ersetzen entfernen löschen ablösen abschaffen ausbauen umstellen
    loswerden abbauen deinstallieren vermeide vermeiden
    supprimer supprime enlever retirer remplacer migrer abandonner éviter désinstaller
    quitar quita eliminar elimina borrar reemplazar sustituir retirar migrar evitar desinstalar
    remover remova substituir excluir apagar
    rimuovere rimuovi eliminare sostituire togliere
    verwijder verwijderen vervang vervangen
    usuń usunąć zastąp zastąpić удалить убрать заменить""".split()
)
"""Imperative verbs that mean their object is abandoned."""
_ENDING_VERBS = (
    r"(?i)\b(?:ausbauen|entfernen|l[öo]schen|ersetzen|abl[öo]sen|abschaffen|loswerden|abbauen|"
    r"rausnehmen|rauswerfen|ausmustern|zurückbauen|streichen|abschalten|deaktivieren|vermeiden|"
    r"umstellen|portieren|erwähnen|beschreiben|erklären|dokumentieren|prüfen|"
    r"verwijderen|vervangen)[.!]?\s*$|(?:削除|撤去|廃止|やめ|除去|消す|消し|外す|外し|取り除|使わな|使いませ|説明す|書き換え|置き換え)"
    r"\S{0,8}$|(?:삭제|제거|대체)\S{0,4}$|^\W*(?:移除|删除|去掉|不再|替换)"
)
"""A verb at the end, as in German, Dutch and Japanese."""
_TOWARDS = (
    r"(?i)\b(?:to|by|with|into|in favou?r of|durch|auf|nach|par|vers|por|con|hacia|para|door|"
    r"naar|на)\b|→|->"
)
_REMOVING = (
    r"remove|drop|replace|uninstall|retire|ditch|eliminate|deprecate|forbid|ban|disallow|"
    r"phase out|rip out|throw out"
)
"""Verbs whose object goes; that of others may change or only be looked at."""
_LEFT = (
    rf"(?i)\b(?:(?!(?<![^.;:\n]\s)over)(?P<instead>{INSTEAD_OF})|(?P<origin>(?:away )?from)|"
    r"rid of|deja\w* de|(?P<no>(?P<without>without|ohne|sans|sin|senza|sem|zonder|bez|без|"
    r"not(?=\s+to\b))|no longer|not|never|can(?:no|['’])t|don['’]t|doesn['’]t|isn['’]t|aren['’]t|"
    r"no more|no|nicht mehr|kein(?:e[nrsm]?)?|ne|n['’]\w+|ya no)|"
    rf"(?:to|and|then|can|will|should|must|we|,)\s+(?:{_REMOVING})|"
    r"(?:removing|replacing|dropping|retiring|forbidding|banning|forbids?|bans|disallows|prevents|"
    r"rejects|rejected|avoids?|avoiding|blocks))[\s'’]+"
)
"""Before what is left. "Over" needs something that is chosen over it: not so "over lunch"."""
_ADOPTING = (
    r"use(?! of)|usar?|add|install|adopt|introduce|try|import|require|(?:pull|bring) in|"
    r"(?:be)?nutz\w*|verwend\w*|nimm|nehmen|utilis\w+|ajout\w+|añad\w+"
)
_BECAUSE = (
    r"\b(?:because|since|weil|denn|parce qu|puisqu|porque)\b(?:\s(?:we|they|i|wir|nous)\b[^.;:,]*|"
    rf"(?:(?!\s(?:and|und|et|y)\s+(?:{_ADOPTING}|put)\b)[^.;:,])*)"
)
"""Up to a further proposal: in "because we lint and use mypy", the reason goes on."""
_WHY = (
    r"(?i)\b(?:why|warum|weshalb|wieso|pourquoi|por qu[ée]|perch[ée])\b.*|"
    rf"(?<=[\w,)`]\s){_BECAUSE}|{_BECAUSE},"
)
"""A reason, which only mentions its subject."""
_FIRST = (
    r"(?i)\W*(?:(?:please|finally|also|now|then|next|let['’]?s|we|i|should|will|can|must|have to|"
    r"need to|want to|going to|start|finish|begin|complete|continue|bitte|endlich|jetzt|dann|wir|"
    r"die|der|das|"
    r"den|alle|all|the|enfin|por fin|la|el|le|les|los|las)\W+)*(\w+)"
)
"""The first word of a sentence, if it names the action."""
_DETERMINERS = (
    r"(?:the|an?|our|its?|their|each|every|this|that|these|those|them|"
    r"d(?:er|ie|as|en|em|es)|ein(?:e[nrsm]?)?|unser(?:e[nrsm]?)?|jede[nrsm]?|"
    r"l[ea]s?|une?|des|nos|notre|chaque|el|los?|una?|unos|unas|nuestr[oa]s?|cada)\b"
)
_CLAUSES = lazy_pattern(
    r"(?i)(?:[;.!?:]|\s[-–—]|,?\s(?:and|then|und|dann|et|puis|y|e|luego))\s{1,3}"
    r"(?:(?:then|instead|dann|puis|luego)\s)?"
    rf"(?=(?!{_DETERMINERS})[^\W\d_]{{1,40}}\s{_DETERMINERS}|(?:{_ADOPTING})\s)"
)
"""Between two clauses, of which the second begins with a verb and its object, or with adopting."""
_GONE = (
    r"(?i)\b(?:is|are|was|were|been|be|gets?|got|ist|sind|wird|werden|wurde|wurden|est|sont|"
    r"es|son|fue|fueron)\s+(?:(?:now|finally|already|all|jetzt|nun)\s+)?(?:removed|dropped|deleted|"
    r"gone|replaced|retired|uninstalled|deprecated|rejected|banned|forbidden|out|abandoned|"
    r"entfernt|gelöscht|ersetzt|abgelöst|ausgebaut|abgeschafft|raus|weg|supprimée?s?|retirée?s?|"
    r"remplacée?s?|eliminad[oa]s?|retirad[oa]s?|sustituid[oa]s?)\b"
)
"""A clause stating that something was removed."""
_QUOTED_COMMAND = re.compile(r"`([\w./-]+ [^`\n(){};=]+)`")
_LONGEST_COMMAND = 20
"""In words."""
_STOP = r"[,.;:](?!\w)"
_END = rf"{_STOP}|[()]|\s[-–—]\s|\b(?:and|but|so that|because|since|und|aber|et|y|mais)\b"
_NEAR = 200
"""Maximum length of a phrase in characters."""
_ONWARD = rf"{_TOWARDS}|{_END}"
_RATHER = rf"(?i){_STOP}|\b(?:we|i|let['’]s|wir|ich|nous)\b|\s(?<!\bto\s)(?:{_ADOPTING})\b"
"""End of what a sentence begins with, if no comma does: "Instead of Postgres use Redis"."""


def is_circumstance(phrase: str) -> bool:
    """Return whether a phrase begins as one that names when, where or by whom, and not what."""
    said = phrase.strip()
    first = said.partition(" ")[0].casefold()
    is_denial = re.match(_LEFT, said) or re.match(_DETERMINERS, first)
    return first in function_words() and not is_denial


def proposed(text: str) -> str:
    """The parts of an intent or decision that it proposes, without those that it abandons."""
    spans = _left_spans(text)
    kept, at = [], 0
    for begin, end in sorted(spans):
        if begin >= at:
            kept.append(text[at:begin])
        at = max(at, end)
    kept.append(text[at:])
    return " ".join(kept)


def commands(text: str) -> Iterator[str]:
    """Yield the commands in a text: those in backticks, and others that install something."""
    yield from _QUOTED_COMMAND.findall(text)
    for clause in re.split(r"[,;:!?`]\s|\.\s|`", text):
        given = clause.split()
        for at in range(len(given)):
            said = given[at : at + _LONGEST_COMMAND]
            if programs.installed(said):
                known = function_words()
                ends = (to for to, one in enumerate(said) if to > 1 and one in known)
                yield " ".join(said[: next(ends, None)]).rstrip(".!?")
                break


def is_leaving(word: str) -> bool:
    """Return whether a word is a verb of abandoning: imperative, participle or noun."""
    is_form = word not in function_words() and stem(word) in _leaving_stems()  # "not" is no "note"
    return is_form or word in LEAVING


@cache
def _leaving_stems() -> frozenset[str]:
    return frozenset(map(stem, LEAVING))


def _left_spans(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    denied = 0
    for found in re.finditer(_LEFT, text):
        end = _end_of(text, found.end(), _mark_of(text, found))
        if found["without"] and found.start() < denied:  # "no reason not to" denies a denial
            spans[-1] = (spans[-1][0], found.start())
            denied = 0
        else:
            spans.append((found.end(), end))
            denied = end if found["no"] else 0
    spans += [(_start_of(text, found.start()), found.end())
              for found in re.finditer(_GONE, text)]  # fmt: skip
    spans += [found.span() for found in re.finditer(_WHY, text)]
    if re.search(_ENDING_VERBS, text):
        spans.append((0, len(text)))
    return [*spans, *_left_clauses(text)]


def _mark_of(text: str, found: "re.Match[str]") -> str:
    """The pattern of what ends a phrase that begins with a match of ``_LEFT``."""
    if found["origin"]:
        return _ONWARD
    if not found["instead"] or text[_start_of(text, found.start()) : found.start()].strip():
        return _END
    return _STOP if text.startswith(",", _end_of(text, found.end(), _STOP)) else _RATHER


@cache
def _removing_stems() -> frozenset[str]:
    return frozenset(map(stem, _REMOVING.split("|")))


def _left_clauses(text: str) -> Iterator[tuple[int, int]]:
    """Yield what the clauses abandon that begin with a verb of abandoning.

    After a clause that proposes something, others go on with it: "then read the file as CSV". They
    abandon only what they remove.
    """
    begins = [0, *(found.end() for found in _CLAUSES.finditer(text))]
    is_abandoning = False
    for begin, end in pairwise([*begins, len(text)]):
        first = re.compile(_FIRST).match(text, begin, end)
        verb = first[1].lower() if first else ""
        is_abandoning = is_abandoning or (begin == 0 and is_leaving(verb))
        if first and (is_leaving(verb) if is_abandoning else stem(verb) in _removing_stems()):
            onward = re.compile(_TOWARDS).search(text, first.end(), end)
            yield begin, onward.start() if onward else end


def _start_of(text: str, end: int) -> int:
    """The start of the clause that ends at ``end``."""
    return max(text.rfind(mark, 0, end) for mark in ".;:\n") + 1


def _end_of(text: str, start: int, mark: str) -> int:
    """The end of the phrase at ``start``: at a ``mark``, but after six words at most."""
    found = re.compile(mark).search(text, start, start + _NEAR)
    end = found.start() if found else min(len(text), start + _NEAR)
    upto = re.match(r"\S+(?:\s+\S+){0,5}\s*", text[start:end])
    return start + upto.end() if upto else end
