"""Tables of decisions, risks, lessons: one entry a row."""

import re
from collections.abc import Iterator, Sequence

from mind.entry import Kind
from mind.markdown import Block
from mind.parser.drafts import Draft
from mind.parser.lexicon import NOT_TITLES, Lexicon, field_of, fold
from mind.parser.lines import is_empty

_NUMBER = re.compile(r"[#№]|id|nr\.?|no\.?|n°|num(?:ber)?|номер|编号|番号|序号", re.IGNORECASE)
_KINDS = frozenset(
    {
        Kind.DECISION,
        Kind.REJECTED,
        Kind.LEARNING,
        Kind.GOTCHA,
        Kind.PROBLEM,
        Kind.BLOCKER,
        Kind.ASSUMPTION,
    }
)
_RISK = frozenset("risk|riesgo|risiko|risque|risco|риск|风险|風險|リスク".split("|"))


def rows(table: Block, kind: Kind | None, words: Lexicon, *, silent: bool) -> Iterator[Draft]:
    """The entries of ``table``: of ``kind``, else of the kind that a column's header names."""
    if len(table.children) < 2:
        return
    header = [cell.strip() for cell in table.children[0].cells]
    key, announced = _key(header, words)
    named = announced if kind is None else kind
    if named is None or (silent and announced is None):
        return
    why = f'table column "{header[key]}"' if announced else "table in a section"
    for row in table.children[1:]:
        draft = _row(row, header, key, named, why)
        if draft is not None:
            yield draft


def _key(header: Sequence[str], words: Lexicon) -> tuple[int, Kind | None]:
    """The column that says what is remembered, and the kind its header names."""
    for at, cell in enumerate(header[:3]):
        kind = words.label(cell)
        common = words.label_form(cell) in NOT_TITLES and fold(cell) not in _RISK
        if kind in _KINDS and not common:
            return at, kind
    for at, cell in enumerate(header):
        if not _NUMBER.fullmatch(fold(cell) or "#") and field_of(cell) not in ("date", "status"):
            return at, None
    return 0, None


def _row(row: Block, header: Sequence[str], key: int, kind: Kind, why: str) -> Draft | None:
    cells = [cell.strip() for cell in row.cells]
    if key >= len(cells) or is_empty(cells[key]):
        return None
    draft = Draft(
        kind=kind,
        text=cells[key].strip("*_ "),
        confidence=0.7,
        why=why,
        line=row.line,
        end=row.end,
        span=row.span,
        said=cells[key],
    )
    for at, cell in enumerate(cells[: len(header)]):
        if at == key or _NUMBER.fullmatch(fold(header[at]) or "#"):
            continue
        name = field_of(header[at])
        draft.add("" if name == "what" else name, cell)
    return draft
