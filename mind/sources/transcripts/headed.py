"""Items of a list whose heading says that they last: gotchas, conventions, decisions."""

import re
from collections.abc import Iterator

from mind.entry import Kind
from mind.sources.transcripts import phrases
from mind.sources.transcripts.paragraph import is_prose, size
from mind.sources.transcripts.prose import Sentence, sentences

_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+)?\W{0,4}(?:\d+[.)][ \t]*)?(?P<heading>[^\n]{2,70}?)\W{0,6}$"
)
_KINDS = (
    (Kind.DECISION, r"(?:design |architecture |technical |key )?decisions(?: made)?"),
    (
        Kind.GOTCHA,
        (
            r"(?:\w+ )?(?:gotchas?|caveats?|pitfalls?|traps?)|known (?:limitations|issues|"
            r"quirks|traps)|"
            r"things to (?:remember|watch(?: out)? for|keep in mind)|"
            r"important (?:constraints|caveats)"
        ),
    ),
    (
        Kind.LEARNING,
        (
            r"(?:key |important )?(?:lessons?(?: learned)?|learnings)|"
            r"key (?:differences|corrections)|(?:\w+ ){0,3}for (?:the )?future(?: \w+)?"
        ),
    ),
)
_FINDINGS = re.compile(
    r"(?:key |main |important |overall )?(?:findings|conclusions?|takeaways|insights|observations)|"
    r"conclusiones|hallazgos|conclus(?:ões|ão)|erkenntnisse|fazit|schlussfolgerung(?:en)?|"
    r"conclusioni|constats?|结论|結論|发现|發現",
    re.IGNORECASE,
)
"""What an experiment has shown, if the message holds what was measured."""
_MEASURED = re.compile(
    r"(?<![\d.:/v])[+-]?\d+(?:\.\d+)?(?: ?%|x\b)|(?<![\d.:/v])\d+\.\d+(?![\d.:])"
)
_FEW = 4
"""Figures that a message with measurements has."""
_LASTING = tuple(
    (kind, re.compile(rf"(?:{row})(?: (?:from|for|with|in|of|to|when|about) .*)?", re.IGNORECASE))
    for kind, row in _KINDS
)
_POINT = re.compile(
    r"^[ \t]{0,3}(?:(?:[-*•+]|\d+[.)])[ \t]+|[✅✓✔☑➜→▸]\ufe0f?[ \t]*)+(?P<text>\S.*)$"
)
_STATUS = re.compile(
    r"^\w+ed (?:\d|all|the|a|an|some|both|every)|\b(?:left|remain\w*|next|todo|tests?|pass(?:ed|"
    r"es|ing)?|coverage|complet\w+|"
    r"successful\w*|saved|created|ready|done|"
    r"running|so far|works? (?:correctly|perfectly|as expected|well|fine|properly)|steps?|"
    r"epochs?)\b",
    re.IGNORECASE,
)
"""How far the work is, rather than what it has shown."""
_ITEM = re.compile(r"^[ \t]{0,3}(?:[-*•+]|\d+[.)])[ \t]+(?P<text>\S.*)$")
_FEWEST, _LONGEST, _MOST = 6, 300, 8
_LABEL = re.compile(r"(?:\w+ ?){1,3}: ")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|can|cannot|will|must|should|do|does|may|need|"
    r"[a-z]{3,}(?:[^s\W]s|ed)"
    r"|\w+n['’]t)\b"
)
"""What stands behind a label is a sentence rather than a note on it."""
_TOLD = re.compile(rf"{_FINITE.pattern}|, not\b|\b(?:instead of|rather than)\b")
"""Or it tells one way from another."""
_COMPARES = re.compile(
    r"\b(?:(?:improve|gain|lose|beat|outperform|reduce|increase|help|hurt)s?|than|half|twice|"
    r"double|same|as (?:well|good|fast|slow|much|many|bad) as|most|best|"
    r"worst|better|worse|more|less|faster|slower|más|menos|mejor|peor|mais|"
    r"melhor|pior|mehr|weniger|besser|schlechter|plus|moins|mieux|meilleur|più|meno|meglio)\b|"
    r"比|更|最",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"^\W*(?:added|fixed|changed|updated|removed|created|implemented|moved|renamed|refactored|"
    r"replaced|introduced|improved|wrote|✅|✓|☑|❌)",
    re.IGNORECASE,
)
"""It reports what was done."""


def items(text: str) -> Iterator[tuple[Kind, str]]:
    """The items below such headings that say something by themselves."""
    if phrases.REPORTS.search(text):
        return
    measured = len(_MEASURED.findall(text)) >= _FEW
    kind: Kind | None = None
    finds = False
    count = 0
    for line in text.splitlines():
        if line.startswith("|"):  # a table may stand before what it shows
            continue
        item = (_POINT if finds else _ITEM).match(line)
        if item and kind and count < _MOST:
            count += 1
            said = _said(item["text"], finds=finds)
            if said:
                yield kind, said
        elif line.strip() and not item and not line.startswith((" ", "\t")):
            heading = _heading(line)
            kind, count = _kind(heading), 0
            finds = kind is None and measured and _FINDINGS.fullmatch(heading) is not None
            kind = Kind.LEARNING if finds else kind


def _heading(line: str) -> str:
    found = _HEADING.match(line)
    return " ".join(found["heading"].split()) if found else ""


def _kind(heading: str) -> Kind | None:
    return next((kind for kind, row in _LASTING if row.fullmatch(heading)), None)


def _said(text: str, *, finds: bool = False) -> str:
    """The first sentence of an item; "" if it says too little."""
    first = next(iter(sentences(f"- {text}")), None)
    if first is None or first.question or _DONE.match(first.text) or first.text.endswith(":"):
        return ""
    labelled = _LABEL.match(first.said)
    tells_apart = _FINITE if finds else _TOLD
    if labelled and not tells_apart.search(first.said, labelled.end()):
        return ""
    unclear = phrases.OF_NOW.search(first.said) or phrases.SELF.search(first.said)
    fits = size(first.text) >= _FEWEST and len(first.text) <= _LONGEST and is_prose(first.text)
    return first.text if _weighs(first, finds=finds) and fits and not unclear else ""


def _weighs(one: Sentence, *, finds: bool) -> bool:
    """Whether it says why that matters; what was measured, how things compare."""
    weighty = phrases.WEIGHTY.search(one.said)
    if finds and _STATUS.search(one.said):
        return False
    if finds:
        return bool(weighty or _COMPARES.search(one.said))
    return bool(weighty and phrases.ANCHOR.search(one.text))
