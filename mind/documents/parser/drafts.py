"""An entry while it is being read: its text, the fields that belong to it, and where it stands."""

import re
from dataclasses import dataclass, field
from datetime import date

from mind.documents.parser.details import Details, details, marks, without_fields
from mind.documents.parser.lexicon import CJK, pattern, state_of
from mind.documents.parser.lines import is_empty
from mind.documents.parser.place import Place
from mind.domain.entry import Entry, Kind, Span, Status, content_id
from mind.domain.settings import Settings
from mind.text.dates import heading_date

_STRUCK = re.compile(r"^~~(?P<text>.+?)~~")
_SAYS_RESOLVED = pattern("resolved")
_REMEDY = pattern("remedy")
_UNRESOLVED = pattern("unresolved")
_BLOCKED = pattern("blocked")
_NOT_BLOCKED = pattern("unblocked")
_WITHDRAWN = pattern("withdrawn")
_OWN_DATE = re.compile(
    r"^\[?((?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?)|[(\[]((?:19|20)\d\d-\d\d-\d\d)[)\]]\s*$"
)
_WITH_STATUS = frozenset({Kind.PROBLEM, Kind.BLOCKER, Kind.TODO})
_END = re.compile(r"[.!?:;。！？：；…]$")

NAMES = {
    "why": "Why",
    "context": "Context",
    "impact": "Impact",
    "alternatives": "Alternatives",
    "fix": "Fix",
}


@dataclass(slots=True)
class Draft:
    """What will be an entry.

    Attributes:
        text: Without keyword.
        confidence: Before reasons and vagueness are weighed.
        parts: Texts by field name ("why", "fix", "date" …), in order of appearance.
        said: The item as it stands, with its keyword: evidence for status and date.
        beside: What is searched with it and no part of its text: code below it, the heading above.
    """

    kind: Kind
    text: str
    confidence: float
    why: str
    line: int
    end: int
    span: Span
    said: str = ""
    beside: str = ""
    checked: bool | None = None
    exact: bool = False
    parts: dict[str, list[str]] = field(default_factory=dict)
    more: list[str] = field(default_factory=list)

    def add(self, name: str, text: str) -> None:
        """Add ``text`` as (more of) the field ``name``; "" for plain details."""
        text = " ".join(text.split())
        if is_empty(text):
            return
        if name:
            self.parts.setdefault(name, []).append(text)
        else:
            self.more.append(text)

    def reach(self, line: int, end: int) -> None:
        """Let the entry reach to ``line``, byte ``end``."""
        if end > self.span.end:
            self.end = max(self.end, line)
            self.span = Span(self.span.start, end)

    def finish(self, place: Place, path: str, settings: Settings) -> Entry | None:
        """The entry, or None if it says nothing or is less sure than the settings ask for."""
        struck = None if self.exact else _STRUCK.match(self.said) or _STRUCK.match(self.text)
        base = self.text if self.exact else _STRUCK.sub(r"\g<text>", self.text, count=1)
        whole = " ".join([base, *self.more]) if self.exact else _joined(base, self.more)
        found = marks(" ".join(whole.split()))
        if is_empty(found.text) and not self.exact:
            return None
        confidence, named = self._weighed(found.text)
        if confidence < settings.parser_min_confidence:
            return None
        if struck is not None:
            self._strike(self.said[struck.end() :] if self.said.startswith("~~") else "")
        text = found.text or " ".join(base.split())
        full = " ".join([text, *self._tail()])
        return Entry(
            id=found.block_id or content_id(full),
            kind=self.kind,
            text=full,
            date=self._date() or place.date,
            status=self._status(struck=struck is not None),
            confidence=round(confidence, 2),
            why=self.why,
            reasoning=" ".join(self.parts.get("why", ())) or named.reasoning,
            alternatives=tuple(self.parts.get("alternatives", ())) or named.alternatives,
            workaround=self._workaround() or named.workaround,
            tags=found.tags,
            links=found.links,
            fields=found.fields,
            section=place.section,
            source=path,
            line=self.line,
            end=self.end,
            span=self.span,
            beside=self.beside,
        )

    def _weighed(self, text: str) -> tuple[float, Details]:
        named = details(text)
        reasoned = bool(named.reasoning or self.parts.get("why"))
        confidence = self.confidence + (0.2 if reasoned else 0.0)
        vague = len(text) < (6 if CJK.search(text) else 12)
        docked = vague and not self.exact and self.confidence < 0.9
        return min(1.0, confidence - (0.2 if docked else 0.0)), named

    def _workaround(self) -> str:
        if self.kind not in (Kind.PROBLEM, Kind.GOTCHA, Kind.LEARNING, Kind.BLOCKER):
            return ""
        return " ".join(self.parts.get("fix", ()))

    def _tail(self) -> list[str]:
        return [
            f"{NAMES[name]}: {_sentence('; '.join(texts))}"
            for name, texts in self.parts.items()
            if name in NAMES
        ]

    def _date(self) -> date | None:
        for text in self.parts.get("date", ()):
            if day := heading_date(text[:80]):
                return day
        found = _OWN_DATE.search(self.said[:40]) or _OWN_DATE.search(self.said[-40:])
        return heading_date(found.group(1) or found.group(2)) if found else None

    def _strike(self, after: str) -> None:
        """What is struck through holds no longer: a decision is withdrawn, a problem resolved."""
        withdrawn = bool(_WITHDRAWN.match(after.strip()))
        if withdrawn or self.kind in (Kind.DECISION, Kind.GOAL, Kind.ASSUMPTION):
            self.kind = Kind.REJECTED

    def _status(self, *, struck: bool) -> Status | None:
        told = state_of(" ".join(self.parts.get("status", ()))[:80].strip())
        said = without_fields(self.said)[:2000]
        reopened = bool(_UNRESOLVED.search(said))
        if self.kind not in _WITH_STATUS:
            return Status.RESOLVED if struck and not reopened else None
        if told in ("open", "blocked"):
            return Status(told)
        says = self.kind is not Kind.TODO and (_SAYS_RESOLVED.search(said) or _remedied(self, said))
        if self.checked or told or ((struck or says) and not reopened):
            return Status.RESOLVED
        stuck = _BLOCKED.search(said[:400]) and not _NOT_BLOCKED.search(said[:400])
        return Status.BLOCKED if self.kind is Kind.BLOCKER or stuck else Status.OPEN


def _remedied(draft: Draft, said: str) -> bool:
    return draft.kind is Kind.PROBLEM and _REMEDY.search(said) is not None


def _joined(text: str, more: list[str]) -> str:
    if not more:
        return text
    head = text.rstrip()
    return (
        f"{head} {'; '.join(more)}"
        if _END.search(head.rstrip("*_ "))
        else f"{head}: {'; '.join(more)}"
    )


def _sentence(text: str) -> str:
    return text if _END.search(text) else f"{text}."
