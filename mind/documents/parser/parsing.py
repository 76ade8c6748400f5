"""Parse a file, or a chunk of it, into entries."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from mind.documents import markdown
from mind.documents.parser import drafts, kinds
from mind.documents.parser.drafts import REMEDY, Draft
from mind.documents.parser.lexicon import (
    Lexicon,
    canonical,
    lexicon,
    pattern,
    read,
    set_off,
    state_of,
)
from mind.documents.parser.place import (
    ANNOUNCED,
    ChunkStart,
    HeadingContext,
    SectionHeading,
    groups,
    is_record,
    place,
)
from mind.documents.parser.reader import Reader
from mind.documents.parser.statements import LeftOut, Statement
from mind.documents.secret_entries import covered
from mind.domain import caching
from mind.domain.entry import ORIGIN, Entry, Kind, Span, Status, is_fixed, normalise, number_repeats
from mind.domain.settings import Settings
from mind.text import lazy_pattern

_CONFLICT = lazy_pattern(
    rb"^(?:<{7} [^\r\n]*|\|{7} [^\r\n]*|={7}|>{7} [^\r\n]*)(?=\r?$)", re.MULTILINE
)


def chunks(
    source: bytes, path: str, settings: Settings, start: ChunkStart | None = None
) -> list[markdown.Section]:
    """Cut ``source`` into sections, joining those of one record; they tile it.

    Parsing each with its headings, line and offset as ``start`` gives the same entries as
    parsing the whole.
    """
    found = groups(_unmarked(source), path, lexicon(settings), start or ChunkStart())
    return [
        markdown.Section(
            Span(one[0].section.span.start, one[-1].section.span.end),
            one[0].section.line,
            one[0].section.headings,
        )
        for one in found
    ]


def parse(
    source: bytes, path: str, settings: Settings, start: ChunkStart | None = None
) -> list[Entry]:
    """The entries of ``source`` in line order, without secrets.

    Args:
        source: A Markdown file, or one of its ``chunks``.
        path: Of the file, relative to the project; its name may give the kind (GOTCHAS.md).
        settings: Languages, extra keywords and minimum confidence.
        start: Where ``source`` begins in its file.
    """
    return list(explain(source, path, settings, start)[0])


@caching.of_files
def explain(
    source: bytes, path: str, settings: Settings, start: ChunkStart | None = None
) -> tuple[Sequence[Entry], Sequence[LeftOut]]:
    """The entries of ``source``, and the lines left out with the reason."""
    start = start or ChunkStart()
    words = lexicon(settings)
    entries: list[Entry] = []
    left: list[LeftOut] = []
    source = _unmarked(source)
    for group in groups(source, path, words, start):
        here = place(group[0].section.headings, path, words)
        one = _Section(
            group,
            source[group[0].section.span.start : group[-1].section.span.end],
            here,
            (group[0].section.line - 1, group[0].section.span.start + start.offset),
            left,
        )
        for draft in one.drafts(words):
            entry = draft.finish(here, path, settings)
            if entry is not None:
                entries.append(entry)
            else:
                left.append(LeftOut(draft.line, draft.end, "empty"))
    above = "".join(f"# {title}\n" for _, title in start.headings)
    said = above + source.decode("utf-8", "surrogateescape")
    entries.sort(key=lambda entry: (entry.line, entry.span.start))
    return covered(entries, said, source, start.offset), sorted(
        left, key=lambda gone: (gone.line, gone.end)
    )


def _unmarked(source: bytes) -> bytes:
    """Blank out git's conflict markers in ``source``, so that both sides are parsed."""
    if b"<<<<<<< " in source or b">>>>>>> " in source:
        return _CONFLICT.sub(lambda found: b" " * len(found[0]), source)
    return source


@dataclass(slots=True)
class _Section:
    """A section, or the sections of one record, during parsing."""

    group: list[SectionHeading]
    text: bytes
    here: HeadingContext
    shift: tuple[int, int]
    left: list[LeftOut] = field(default_factory=list)

    def drafts(self, words: Lexicon) -> Iterator[Draft]:
        """Yield the drafts of its entries."""
        heading, body = _divided(self.text)
        one_line = b"\r" not in heading.rstrip(b"\r\n")
        if len(self.group) == 1 and one_line and body.strip() and drafts.is_plain(body):
            return self._with_topic(self._plain(heading, body))
        if not body.strip() and (alone := _alone(self.here, heading, self.shift)) is not None:
            return iter([alone])
        document = markdown.parse(self.text)
        titled = any(one.title is not None for one in self.group)
        if titled and (len(self.group) > 1 or is_record(self.group[0])):
            made = drafts.draft(self.group, document, self.shift)
            return iter([] if made is None else [made])
        summary = _summary(self.here, heading, self.shift) if heading else ()
        return self._with_topic([*summary, *self._stated(document, words)])

    def _with_topic(self, found: Iterable[Draft]) -> Iterator[Draft]:
        """Yield ``found``, searchable by the heading above if that names a topic."""
        made, head = list(found), self.group[0]
        title = head.title
        if title is not None and head.level > 1 and title.role in ("neutral", "record"):
            if len(made) == 1 and self.here.kind in ANNOUNCED:
                made[0].under(title.text)
            for one in made:
                one.beside = f"{self.here.section[-1]}\n{one.beside}".strip()
        return iter(made)

    def _plain(self, heading: bytes, body: bytes) -> Iterator[Draft]:
        line = self.shift[0] + 1
        if heading:
            yield from _summary(self.here, heading, self.shift)
            self.left.append(LeftOut(line, line, "heading"))
            line += 1
        yield from drafts.drafts(body, line, self.shift[1] + len(heading))

    def _stated(self, document: markdown.Document, words: Lexicon) -> list[Draft]:
        reader = Reader(self.text, words, self.here.mode, self.here.kind)
        reader.read(document.blocks)
        first = self.shift[0]
        self.left += (
            replace(one, line=one.line + first, end=one.end + first) for one in reader.left
        )
        found: list[Draft] = []
        below = Counter(made.lead for made in reader.found)
        for made in reader.found:
            if made.form == "mind":
                found.append(_own(made, self.shift))
                continue
            draft = kinds.draft(made, self.here, words, self.shift)
            if below[made.lead] == 1 and draft.beside and self.here.kind in ANNOUNCED:
                draft.under(draft.beside)
            if REMEDY.match(f"; {made.text}", 2):
                _settle(found)
            found.append(draft)
        return found


def _settle(found: list[Draft]) -> None:
    """Resolve the last problem before its remedy."""
    last = next((one for one in reversed(found) if one.kind is Kind.PROBLEM), None)
    if last is not None and not last.exact:
        last.add("status", "resolved")


def _alone(here: HeadingContext, heading: bytes, shift: tuple[int, int]) -> Draft | None:
    """The entry of a heading without content, under a heading that gives a kind."""
    title = here.title
    if title is None or here.kind is None or title.role != "neutral":
        return None
    by_section = here.weight == "section" and len(title.text.split()) > 2
    if not (by_section or (title.dated and title.text)):
        return None
    line, span = shift[0] + 1, Span(shift[1], shift[1] + len(heading))
    return Draft(here.kind, title.text, 0.55, f'section "{here.name}"', line, line, span)


def _divided(text: bytes) -> tuple[bytes, bytes]:
    """The line of an ATX heading, and what follows it."""
    if not text.lstrip(b"\xef\xbb\xbf").startswith(b"#"):
        return b"", text
    end = text.find(b"\n") + 1 or len(text)
    return text[:end], text[end:]


def _own(made: Statement, shift: tuple[int, int]) -> Draft:
    """A draft of a line in Mind's own format and its continuation lines."""
    first, *rest = made.lines
    reading = canonical(first.text)
    assert reading is not None  # noqa: S101 - this form always parses
    span = made.span
    draft = drafts.from_reading(
        reading, first.number + shift[0], Span(span.start + shift[1], span.end + shift[1])
    )
    for line in rest:
        drafts.continue_with(draft, line.text, line.number + shift[0], span.end + shift[1])
    for name, text in made.parts:
        draft.add(name, text)
    draft.end = made.last + shift[0]
    draft.day, draft.code, draft.checked = made.day, tuple(made.code), made.checked
    return draft


def _summary(here: HeadingContext, heading: bytes, shift: tuple[int, int]) -> Iterator[Draft]:
    """A low-confidence summary from ``## 2026-01-20 | what happened | mood: good``."""
    title = here.title
    if title is None or not title.dated or "|" not in title.text:
        return
    text = title.text.split("|")[0].strip()
    line = shift[0] + 1
    if text:
        span = Span(shift[1], shift[1] + len(heading))
        yield Draft(Kind.PROGRESS, text, 0.35, "summary in a heading", line, line, span)


def labelled(message: str, settings: Settings) -> tuple[Kind, str] | None:
    """The kind that a label at the start of ``message`` gives, and the message without it."""
    found = set_off(message.lstrip(), lexicon(settings))
    if found is None or found[0] is Kind.RELATION:
        return None
    within = labelled(found[1], settings)
    return within if within and within[0] is found[0] else found


def keyword_line(text: str, settings: Settings) -> Kind | None:
    """The kind that a line announces with a keyword; None without one.

    Of phrases without a colon only those of lessons count ("we decided against"): too many ordinary
    lines begin with "fixed" or "blocked", and "the problem was" may be one that is solved.
    """
    words = lexicon(settings)
    found = canonical(text.strip()) or read(text, words)
    if found is None or found.force == "sentence":
        return None
    if found.force == "opener":
        return found.kind if found.kind.traits.lesson else None
    counts = found.strong or found.force == "sign" or found.kind in ANNOUNCED
    return found.kind if counts else None


def parse_line(text: str, settings: Settings) -> Entry | None:
    """Parse one line (with its continuation) as an entry without provenance."""
    item = text.strip().removeprefix("- ")
    first, *rest = item.split("\n")
    reading = canonical(first)
    if rest and reading is not None and not drafts.is_plain(f"- {item}".encode()):
        text = f"- {item}"  # with a list or a fence
    elif reading is not None:
        draft = drafts.from_reading(reading, 0, Span(0, 0))
        for line in rest:
            drafts.continue_with(draft, line, 0, 0)
        entry = draft.finish(HeadingContext(), "", settings)
        return covered([entry], text)[0] if entry else None
    entries = parse(text.encode("utf-8", "surrogateescape"), "", settings)
    return replace(entries[0], line=0, end=0, span=Span(0, 0)) if entries else None


_WORD = lazy_pattern(r"[^\W_]{2,}|[\u3040-\u30ff\u3400-\u9fff]")
_CJK_RUN = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")
_STOP = frozenset(
    "the and for with from that this was were are is to of in on at by an as it its be been not no "
    "now by so or but if when then than after before into out over we our they you can will have "
    "has had did does do doesn don didn isn wasn won using use used instead via all also only just "
    "fixed fix fixes resolved resolve solved bug bugs issue issues problem problems error errors "
    "solution done problem: works working work added add set get got made make still "
    "der die das und mit ein eine ist nicht auf für von zu im den dem bei nach "
    "el la los las un una con por para que del en no se es al le les des une dans pour pas sur est "
    "os as um uma com na em não "
    "и в на с по не для из к от что это при была был было".split()
)
_SUFFIX = lazy_pattern(r"(?:ing|ed|es|s)$")


def number_and_resolve(entries: Sequence[Entry]) -> list[Entry]:
    """Give the entries of one file unique ids, and resolve problems fixed by later entries.

    Of entries with the same id, those with a fixed id come first.
    """
    often = Counter(entry.id for entry in entries)
    order = sorted(
        range(len(entries)),
        key=lambda at: often[(one := entries[at]).id] > 1 and not is_fixed(one.id, one.text),
    )
    numbered = list(entries)
    for at, identifier in zip(order, number_repeats(entries[at].id for at in order), strict=True):
        if identifier != entries[at].id:
            numbered[at] = replace(entries[at], id=identifier)
    by_word: dict[str, list[int]] = {}
    for at, entry in enumerate(numbered):
        if entry.kind.traits.trouble and entry.status is not Status.RESOLVED:
            for word in _content(entry.text):
                by_word.setdefault(word, []).append(at)
        elif entry.kind is Kind.PROGRESS:
            _settle_last(numbered, at, by_word)
    return numbered


def _settle_last(entries: list[Entry], at: int, by_word: dict[str, list[int]]) -> None:
    """Resolve the open problem before ``at`` that best matches the fix there."""
    fix = entries[at]
    shared: dict[int, int] = {}
    for word in _content(fix.text):
        for earlier in by_word.get(word, ())[-_NEAREST:]:
            shared[earlier] = shared.get(earlier, 0) + 1
    for earlier, _ in sorted(shared.items(), key=lambda pair: (-pair[1], -pair[0])):
        problem = entries[earlier]
        if problem.status is not Status.RESOLVED and resolves(fix, problem):
            entries[earlier] = replace(problem, status=Status.RESOLVED)
            return


_NEAREST = 50
"""Problems compared per shared word, so that a common word does not make this quadratic."""


def resolves(fix: Entry, problem: Entry) -> bool:
    """Return whether ``fix`` says that something is fixed, and shares the words of ``problem``.

    Words alone do not tell a fix from other work on the same part. The caller ensures that the fix
    is the later one; imported entries are in no order of time.
    """
    if not problem.kind.traits.trouble or fix.kind is not Kind.PROGRESS:
        return False
    if (ORIGIN in fix.fields and fix.date is None) or not _says_fixed(fix):
        return False
    ours, theirs = _content(fix.text), _content(problem.text)
    shared = len(ours & theirs)
    least = min(len(ours), len(theirs))
    return (shared >= 2 and shared / least >= 0.4) or shared == least == 1


_LABEL = re.compile(r'"(.+?):?"')
_FIXED, _UNFIXED = pattern("fixed"), pattern("unfixed")


def _says_fixed(fix: Entry) -> bool:
    """Return whether the box, label, heading or text of an entry says that something is fixed."""
    named = _LABEL.search(fix.why)
    label = named[1] if named else ""
    said = f"{label}: {fix.text}"
    if drafts.UNRESOLVED.search(said):
        return False
    told = [label, *fix.section[-1:]]
    if fix.why == kinds.TICKED or any(state_of(one) == "resolved" for one in told):
        return True
    return _FIXED.search(_UNFIXED.sub(" ", f"{said}\n{fix.section[-1:]}")) is not None


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    plain = normalise(text[:2000])
    words = {_stem(word) for word in _WORD.findall(plain) if word not in _STOP}
    for run in _CJK_RUN.findall(plain):
        words |= {run[at : at + 2] for at in range(len(run) - 1)}
    return frozenset(word for word in words if word not in _STOP)


def _stem(word: str) -> str:
    short = _SUFFIX.sub("", word) if word.isascii() and len(word) > 4 else word
    return short if len(short) > 2 else word
