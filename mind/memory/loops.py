"""Loops: detection of rejected approaches that are proposed again, with severity and reason."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import takewhile

from mind.domain.entry import Entry, Kind, normalise
from mind.domain.settings import Settings
from mind.memory.answers import Loop
from mind.storage.index import Filter, Index, Sense
from mind.text.matching import acts
from mind.text.matching.candidates import Catalogue, weights
from mind.text.matching.score import Met, least_related, likeness, words_met
from mind.text.matching.subjects import subjects_of
from mind.text.similarity import severity

_MOST, _MOST_RELATED = 3, 2
_SAME, _MEANT, _NEAREST = 1.0, 0.3, 5
"""Score of identical words; minimum cosine of a semantic match, and number of such candidates."""
_WAY_OUT = (
    "Stop and say what is different this time. If nothing is, take another approach, or log the "
    "blocker with mind_blocker."
)
COMPARED = frozenset({Kind.DECISION, Kind.REJECTED, Kind.PROGRESS, Kind.BLOCKER})
"""Kinds of notes that may repeat a rejected approach."""
TURNING_DOWN = (Kind.REJECTED, Kind.GOTCHA, Kind.DECISION, Kind.LEARNING)
"""Kinds of entries that may say what not to do."""


@dataclass(frozen=True, slots=True)
class Returning:
    """Entries that speak against an act.

    Attributes:
        loops: Repeated rejections, best match first, at most three.
        traps: Matching gotchas of the project, with score and matched words.
        related: Entries that may apply, at most two.
    """

    loops: tuple[Loop, ...] = ()
    traps: tuple[tuple[Entry, float, str], ...] = ()
    related: tuple[Entry, ...] = ()


_known: dict[object, "Known"] = {}
_MOST_KNOWN = 4


@dataclass(frozen=True, slots=True)
class Known:
    """Rejected approaches of a memory, indexed by id and by words.

    Attributes:
        catalogue: Lookup by the words of an act.
        entries: Entries by id.
        said: Ids by the words of the entry.
    """

    catalogue: Catalogue
    entries: dict[str, Entry]
    said: dict[str, str]


def _catalogue(index: Index) -> Known:
    """Return the rejections of an index, cached until its sources change."""
    mark = (*sorted(index.stamps().items()), index.meta("memory_hash"))
    known = _known.get(mark)
    if known is None:
        entries = {one.id: one for one in turning_down(index)}
        made = Catalogue((one.id, one.kind.value, one.text) for one in entries.values())
        while len(_known) >= _MOST_KNOWN:
            _known.pop(next(iter(_known)))
        said = {normalise(entries[row["id"]].text): row["id"] for row in made.rows}
        known = _known[mark] = Known(made, entries, said)
    return known


def turning_down(index: Index) -> list[Entry]:
    """Return the entries that say what not to do."""
    listed = index.entries(Filter(kinds=TURNING_DOWN))
    return [one for one in listed if subjects_of(one.kind.value, one.text)]


def find(
    index: Index,
    done: Iterable[acts.Act],
    settings: Settings,
    text: str = "",
    sense: Sense | None = None,
) -> Returning:
    """Return earlier rejections that acts repeat.

    Args:
        index: The index, up to date.
        done: The acts about to be done, or just rejected.
        settings: Settings with the thresholds.
        text: The text about them; an entry with the same words is a match.
        sense: Embedding of the text, if a model is available.
    """
    known = _catalogue(index)
    best: dict[str, Met] = {}
    for act in done:
        for one in known.catalogue.met(act):
            earlier = best.get(one.row["id"])
            if earlier is None or earlier.score < one.score:
                best[one.row["id"]] = one
    same = known.said.get(normalise(text), "") if text else ""
    for row in known.catalogue.rows if same else ():
        if row["id"] == same:
            best[same] = Met(row, [row["subject"]], {})
            best[same].score = _SAME
    met = sorted(best.values(), key=lambda one: -one.score)
    found = _graded(met, known, settings, same, text)
    return replace(found, related=_with_meant(found, known, index, sense))


def _with_meant(
    found: Returning, known: Known, index: Index, sense: Sense | None
) -> tuple[Entry, ...]:
    """Return at most two related entries, by words, then by meaning.

    By meaning, only entries more similar than every entry that rejects nothing.
    """
    named = {loop.earlier.id for loop in found.loops} | {one.id for one, _, _ in found.traps}
    near = index.nearest(sense, Filter(), _NEAREST) if sense else []
    first = takewhile(lambda one: one[0].id in known.entries and one[1] >= _MEANT, near)
    meant = [one for one, _ in first if one.id not in named]
    return tuple({one.id: one for one in (*found.related, *meant)}.values())[:_MOST_RELATED]


def of_note(
    index: Index, message: str, kind: Kind, settings: Settings, sense: Sense | None = None
) -> Returning:
    """Return earlier rejections that a note repeats."""
    if kind not in COMPARED:
        return Returning()
    act = acts.of_prose(message, repeats=kind is Kind.REJECTED)
    return find(index, [act], settings, message if kind is Kind.REJECTED else "", sense)


def _graded(met: list[Met], known: Known, settings: Settings, same: str, said: str) -> Returning:
    loops: list[Loop] = []
    traps: list[tuple[Entry, float, str]] = []
    related: list[Entry] = []
    table = weights()
    least = least_related(table, len(known.catalogue.rows))
    for one in met:
        earlier = known.entries[one.row["id"]]
        score = _SAME if earlier.id == same else round(likeness(one.score, table), 3)
        level = severity(score, settings)
        words = ", ".join(words_met(one.why, earlier.text, said))
        if level is None:
            related += [earlier] if one.score >= least else []
        elif one.row["sort"] == "gotcha":
            traps.append((earlier, score, words))
        else:
            loops.append(
                Loop(severity=level, score=score, earlier=earlier, way_out=_WAY_OUT,
                     subject=one.row["subject"], alternative=one.row["instead"], matched=words)
            )  # fmt: skip
    return Returning(tuple(loops[:_MOST]), tuple(traps), tuple(related[:_MOST_RELATED]))


def of_code(code: str) -> list[acts.Act]:
    """Return the acts of code about to be written; for a diff, one per file."""
    if "\n+++ " in code or code.startswith("+++ "):
        return list(acts.of_diff(code))
    return [acts.of_edit("", code)] if code.strip() else []
