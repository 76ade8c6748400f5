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
_LEFT = (
    rf"(?i)\b(?:{INSTEAD_OF}|no longer|not|never|without|rid of|"
    r"(?P<origin>(?:away )?from)|don['’]t|doesn['’]t|isn['’]t|aren['’]t|no more|no|nicht mehr|"
    r"kein(?:e[nrsm]?)?|ohne|sans|ne|n['’]\w+|ya no|deja\w* de|sin|"
    r"(?:to|and|then|can|will|should|must|we|,)\s+(?:remove|drop|replace|uninstall|retire|ditch|"
    r"eliminate|deprecate|forbid|ban|disallow|phase out|rip out|throw out)|"
    r"(?:removing|replacing|dropping|retiring|forbidding|banning|forbids?|bans|disallows|prevents|"
    r"rejects|rejected|avoids?|avoiding|blocks)|"
    r"senza|sem|zonder|bez|без)[\s'’]+"
)
_WHY = r"(?i)\b(?:why|warum|weshalb|wieso|pourquoi|por qu[ée]|perch[ée])\b.*"
"""Beginning of a reason, which only mentions its subject."""
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
    rf"(?=(?!{_DETERMINERS})[^\W\d_]{{1,40}}\s{_DETERMINERS})"
)
"""Between two clauses, of which the second begins with a verb and its object."""
_THROUGH = re.compile(
    r"(?i).*\b(?:send|sent|publish|stream|transmit|deliver|forward|push|pull|fetch|expos|serv|run|"
    r"transfer|copy|tunnel|rout|sync|replicat|broadcast|emit|dispatch|prox|connect|talk|download|"
    r"upload)(?:e?s|i?ed|ing|e|y)?\b"
)
"""A clause that sends something over a medium; a choice is made over another."""
_REMOVALS = frozenset(
    """removal deletion replacement migration retirement entfernung ablösung abschaffung löschung
    umstellung suppression retrait remplacement eliminación retirada sustitución migración
    remoção substituição rimozione sostituzione""".split()
)
_GONE = (
    r"(?i)\b(?:is|are|was|were|been|be|gets?|got|ist|sind|wird|werden|wurde|wurden|est|sont|"
    r"es|son|fue|fueron)\s+(?:(?:now|finally|already|all|jetzt|nun)\s+)?(?:removed|dropped|deleted|"
    r"gone|replaced|retired|uninstalled|deprecated|rejected|banned|forbidden|out|abandoned|"
    r"entfernt|gelöscht|ersetzt|abgelöst|ausgebaut|abgeschafft|raus|weg|supprimée?s?|retirée?s?|"
    r"remplacée?s?|eliminad[oa]s?|retirad[oa]s?|sustituid[oa]s?)\b"
)
"""A clause stating that something was removed."""
_SORT = rf"(?:{'|'.join(programs.SORTS.split())})\b"
_ADOPTED = lazy_pattern(
    r"\b(?:us(?:e|ing|ar?)|add(?:ing)?|install(?:ing)?|adopt(?:ing)?|introduc(?:e|ing)|try|import|"
    r"require|(?:pull|bring)(?:ing)? in|with|via|"
    r"(?:switch|mov|migrat|port|chang|convert)\w*\s(?:[^\s.;:]+\s){0,4}?to|"
    r"(?:be)?nutz\w*|verwend\w*|nimm|nehmen|mit|auf|utilis\w+|ajout\w+|avec|añad\w+|con)\s+"
    rf"(?:(?:the|an?|das|die|le|la|el)\s+(?=\S+\s+{_SORT}))?"
    r"['\"“„]?(?P<name>@?\w[\w@/-]*(?:\.\w+)*)['\"”“]?"
    rf"(?=\s+{_SORT}|\W*$|[,.;:!?)]|\s[-–—(\d]|\s+(?P<next>[^\W\d]+))",
    re.IGNORECASE,
)
"""Matches what something is done with, and the next word: in "add request logging", no name."""
_QUOTED_NAME = re.compile(r"`([^`\s]+)`")
_QUOTED_COMMAND = re.compile(r"`([\w./-]+ [^`\n(){};=]+)`")
_LONGEST_COMMAND = 20
"""In words."""
_END = r"[,.;:()]|\s[-–—]\s|\b(?:and|but|so that|because|since|und|aber|et|y|mais)\b"
_NEAR = 200
"""Maximum length of a phrase in characters."""
_ONWARD = rf"{_TOWARDS}|{_END}"
_NOT_LEFT = r"(?i)^(?:\W*(?:only|just|need|needed|sure|yet|longer|more))\b"
_JAPANESE_LEFT = r"(?<![\w.+#-])[\w.+#-]{1,60}(?=\s*(?:ではなく|でなく|なしで|をやめ|の代わりに))"


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


def named(text: str) -> set[str]:
    """Return the words that a text uses as names, which they need not be elsewhere."""
    adopted = [one.group("name", "next") for one in _ADOPTED.finditer(text)]
    ends = {None, *function_words()}
    return {*_QUOTED_NAME.findall(text), *(name for name, follows in adopted if follows in ends)}


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
    return word in LEAVING or stem(word) in _leaving_stems() or word in _REMOVALS


@cache
def _leaving_stems() -> frozenset[str]:
    return frozenset(map(stem, LEAVING))


def _left_spans(text: str) -> list[tuple[int, int]]:
    spans = [(found.end(), _end_of(text, found.end(), _ONWARD if found["origin"] else _END))
             for found in re.finditer(_LEFT, text)
             if not re.match(_NOT_LEFT, text[found.end() : found.end() + _NEAR])
             and not _is_through(text, found)]  # fmt: skip
    spans += [found.span() for found in re.finditer(_JAPANESE_LEFT, text)]
    spans += [(_start_of(text, found.start()), found.end())
              for found in re.finditer(_GONE, text)]  # fmt: skip
    spans += [found.span() for found in re.finditer(_WHY, text)]
    if re.search(_ENDING_VERBS, text):
        spans.append((0, len(text)))
    first = re.match(_FIRST, text)
    if first is not None and is_leaving(first[1].lower()):
        spans += _left_clauses(text, first.end())
    return spans


def _left_clauses(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield what a text abandons whose first word, up to ``start``, is a verb of abandoning.

    So do later clauses that begin with one; the others propose something.
    """
    begins = [start, *(found.end() for found in _CLAUSES.finditer(text, start))]
    for begin, end in pairwise([*begins, len(text)]):
        first = re.compile(_FIRST).match(text, begin, end)
        if begin == start or (first is not None and is_leaving(first[1].lower())):
            onward = re.compile(_TOWARDS).search(text, begin, end)
            yield begin, onward.start() if onward else end


def _is_through(text: str, found: "re.Match[str]") -> bool:
    """Return whether "over" names a medium: "send the events over Kafka"."""
    before = text[_start_of(text, found.start()) : found.start()]
    return found[0].lower().startswith("over") and _THROUGH.match(before) is not None


def _start_of(text: str, end: int) -> int:
    """The start of the clause that ends at ``end``."""
    return max(text.rfind(mark, 0, end) for mark in ".;:\n") + 1


def _end_of(text: str, start: int, mark: str) -> int:
    """The end of the phrase at ``start``: at a ``mark``, but after six words at most."""
    found = re.compile(mark).search(text, start, start + _NEAR)
    end = found.start() if found else min(len(text), start + _NEAR)
    upto = re.match(r"\S+(?:\s+\S+){0,5}\s*", text[start:end])
    return start + upto.end() if upto else end
