"""Direction in prose: what a sentence proposes, and what it leaves, denies or only mentions."""

import re

LEAVING = frozenset(
    """remove delete drop replace port migrate move switch convert get throw strip retire phase
    uninstall disable deprecate eliminate rip kill clean purge revert undo stop avoid rewrite turn
    change swap ditch abandon quit cease prohibit forbid ban document explain describe investigate
    entferne lösche ersetze ersetzen entfernen löschen ablösen abschaffen ausbauen umstellen
    loswerden abbauen deinstallieren vermeide vermeiden
    supprimer supprime enlever retirer remplacer migrer abandonner éviter désinstaller
    quitar quita eliminar elimina borrar reemplazar sustituir retirar migrar evitar desinstalar
    remover remova substituir excluir apagar
    rimuovere rimuovi eliminare sostituire togliere
    verwijder verwijderen vervang vervangen
    usuń usunąć zastąp zastąpić удалить убрать заменить""".split()
)
"""Verbs in the form of an order that say that what follows them is left."""
_ENDING_VERBS = re.compile(
    r"\b(?:ausbauen|entfernen|l[öo]schen|ersetzen|abl[öo]sen|abschaffen|loswerden|abbauen|"
    r"verwijderen|vervangen)[.!]?\s*$|(?:削除|撤去|廃止|やめ|除去)\S{0,8}$|삭제\S{0,4}$",
    re.IGNORECASE,
)
"""A verb at the end, as German, Dutch and Japanese have it."""
_TOWARDS = re.compile(
    r"\b(?:to|by|with|into|in favou?r of|durch|auf|nach|par|vers|por|con|hacia|para|door|naar|"
    r"на)\b|→|->",
    re.IGNORECASE,
)
_LEFT = re.compile(
    r"\b(?:no longer|not|never|without|instead of|rather than|over|away from|rid of|from|"
    r"don['’]t|doesn['’]t|isn['’]t|aren['’]t|no more|no|nicht mehr|kein(?:e[nrsm]?)?|ohne|"
    r"anstelle von|anstatt|statt|sans|au lieu d[eu]s?|plut[ôo]t que?|sin|en vez de|en lugar de|"
    r"senza|invece di|sem|em vez de|zonder|in plaats van|bez|без|вместо)\s+",
    re.IGNORECASE,
)
_LEFTOVER = re.compile(
    r"\b(?:leftovers?|remnants?|remains|remaining|legacy|obsolete|last|old|former)\b",
    re.IGNORECASE,
)
_END = re.compile(r"[,.;:()]|\s[-–—]\s|\b(?:and|but|so that|because|since|und|aber|et|y|mais)\b")
_NOT_LEFT = re.compile(r"^(?:\W*(?:only|just|need|needed|sure|yet|longer|more))\b", re.IGNORECASE)
_JAPANESE_LEFT = re.compile(r"[\w.+#-]+(?=\s*(?:ではなく|でなく|なしで|をやめ|の代わりに))")


def proposed(text: str) -> tuple[str, str]:
    """The parts of an intent or decision that it proposes, and those that it leaves."""
    spans = _left_spans(text)
    kept, left, at = [], [], 0
    for begin, end in sorted(spans):
        if begin >= at:
            kept.append(text[at:begin])
        left.append(text[max(at, begin) : end])
        at = max(at, end)
    kept.append(text[at:])
    return " ".join(kept), " ".join(left)


def _left_spans(text: str) -> list[tuple[int, int]]:
    spans = [(found.end(), _end_of(text, found.end())) for found in _LEFT.finditer(text)
             if not _NOT_LEFT.match(text[found.end():])]  # fmt: skip
    spans += [found.span() for found in _JAPANESE_LEFT.finditer(text)]
    if _ENDING_VERBS.search(text):
        spans.append((0, len(text)))
    first = re.match(r"\W*(\w+)", text)
    leaves = first is not None and first[1].lower() in LEAVING
    if first is not None and leaves:
        onward = _TOWARDS.search(text, first.end())
        spans.append((first.end(), onward.start() if onward else len(text)))
    elif (found := _LEFTOVER.search(text)) and "leftover" in found.group().lower():
        spans.append((0, len(text)))
    return spans


def _end_of(text: str, start: int) -> int:
    """The end of the phrase that begins at ``start``: four words, or what ends a clause."""
    found = _END.search(text, start)
    end = found.start() if found else len(text)
    upto = re.match(r"(?:\S+\s*){1,4}", text[start:end])
    return start + upto.end() if upto else end
