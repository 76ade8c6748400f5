"""Items of a list whose heading says that they last: gotchas, conventions, decisions."""

import re
from collections.abc import Iterator

from mind.entry import Kind
from mind.sources.transcripts import phrases
from mind.sources.transcripts.paragraph import is_prose, size
from mind.sources.transcripts.prose import sentences

_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+)?\W{0,4}(?:\d+[.)][ \t]*)?(?P<heading>[^\n]{4,70}?)\W{0,6}$"
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
_LASTING = tuple(
    (kind, re.compile(rf"(?:{row})(?: (?:from|for|with|in|of|to|when|about) .*)?", re.IGNORECASE))
    for kind, row in _KINDS
)
_ITEM = re.compile(r"^[ \t]{0,3}(?:[-*•+]|\d+[.)])[ \t]+(?P<text>\S.*)$")
_FEWEST, _LONGEST, _MOST = 6, 300, 8
_LABEL = re.compile(r"(?:\w+ ?){1,3}: ")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|can|cannot|will|must|should|do|does|may|need|[a-z]{3,}(?:[^s\W]s|ed)"
    r"|\w+n['’]t)\b"
)
"""What stands behind a label is a sentence rather than a note on it."""
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
    kind: Kind | None = None
    count = 0
    for line in text.splitlines():
        item = _ITEM.match(line)
        if item and kind and count < _MOST:
            count += 1
            said = _said(item["text"])
            if said:
                yield kind, said
        elif line.strip() and not item and not line.startswith((" ", "\t")):
            kind, count = _kind(line), 0


def _kind(line: str) -> Kind | None:
    found = _HEADING.match(line)
    heading = " ".join(found["heading"].split()) if found else ""
    return next((kind for kind, row in _LASTING if row.fullmatch(heading)), None)


def _said(text: str) -> str:
    """The first sentence of an item; "" if it says too little."""
    first = next(iter(sentences(f"- {text}")), None)
    if first is None or first.question or _DONE.match(first.text) or first.text.endswith(":"):
        return ""
    labelled = _LABEL.match(first.said)
    if labelled and not _FINITE.search(first.said, labelled.end()):
        return ""
    tells = phrases.WEIGHTY.search(first.said) and phrases.ANCHOR.search(first.text)
    unclear = phrases.OF_NOW.search(first.said) or phrases.SELF.search(first.said)
    fits = size(first.text) >= _FEWEST and len(first.text) <= _LONGEST and is_prose(first.text)
    return first.text if tells and fits and not unclear else ""
