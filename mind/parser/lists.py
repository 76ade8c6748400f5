"""Lists → entries: one for each item that is remembered, with what is nested in it."""

from mind.entry import Kind
from mind.markdown import Block
from mind.parser.drafts import Draft
from mind.parser.lexicon import CJK, FOLDED, SILENT, field_of, is_one_of
from mind.parser.lines import Reading, is_empty, is_question, label_of, marker, read
from mind.parser.paragraphs import COLON_END, first_field, fold_lines
from mind.parser.scene import IN_SILENCE, OF_STATE, Lead, Scene, add_field, below, flat, own_text
from mind.relations import relation

_GENERAL = frozenset(
    {Kind.PROBLEM, Kind.PROGRESS, Kind.NOTE, Kind.TODO, Kind.GOAL, Kind.EXPERIENCE}
)
_OPEN_TO_THEM = frozenset({Kind.PROBLEM, Kind.PROGRESS, Kind.NOTE})
_OWN_WHEN_NESTED = frozenset({Kind.LEARNING, Kind.GOTCHA, Kind.DECISION, Kind.REJECTED})
_BOXED = frozenset({None, Kind.TODO, Kind.PROGRESS})
_NO_LABELS = frozenset({"date", "status", "meta"})


def read_list(scene: Scene, block: Block, lead: Lead) -> None:
    """Read the items of ``block`` that stands below ``lead``."""
    if lead.draft is not None:
        for item in block.children:
            add_field(lead.draft, lead.name, flat(item))
        scene.reach(lead.draft, block)
        return
    previous: Draft | None = None
    for item in block.children:
        if previous is not None and _continues(scene, item, previous):
            head, rest = label_of(own_text(item))
            add_field(previous, field_of(head), rest)
            _fold_children(scene, item, previous)
            scene.reach(previous, item)
        else:
            previous = _item(scene, item, lead)


def _continues(scene: Scene, item: Block, previous: Draft) -> bool:
    """Whether ``- Rationale: …`` goes on with the ``- Decision: …`` before it."""
    text = own_text(item)
    name = field_of(label_of(text)[0])
    if not name or name == "what":
        return False
    found = marker(text, scene.words)
    return previous.why.startswith("keyword") and (found is None or not found.strong)


def _item(scene: Scene, item: Block, lead: Lead) -> Draft | None:
    fields = first_field(item.lines)
    text = " ".join(line.text for line in item.lines[:fields]).strip()
    if not text or _leads(scene, item, text, lead):
        return None
    if scene.place.mode in ("relation", "state"):
        draft = _special(scene, item, text)
    else:
        draft = _draft(scene, item, text, lead)
    if draft is not None:
        scene.found.append(draft)
        fold_lines(draft, item.lines[fields:])
        _fold_children(scene, item, draft)
    elif not lead.silent and item.checked is None:
        for child in item.children:
            if child.type == "list":
                read_list(scene, child, lead)
    return draft


def _leads(scene: Scene, item: Block, text: str, lead: Lead) -> bool:
    """Whether an item only names the list below it (``- Decisions:``); that is read then."""
    if not item.children or not COLON_END.search(text):
        return False
    label = text.rstrip(":：").strip("*_ :：")
    nested = _nested_lead(scene, label, lead)
    if nested is None:
        return False
    for child in item.children:
        if child.type == "list":
            read_list(scene, child, nested)
    return True


def _nested_lead(scene: Scene, label: str, lead: Lead) -> Lead | None:
    form = scene.words.label_form(label)
    kind = scene.words.labels.get(form)
    if form in FOLDED:
        return None
    if scene.place.announces or lead.kind or lead.silent:
        known = kind is None or kind in (scene.place.kind, lead.kind)
        return None if known or form not in scene.words.strong else Lead(kind=kind, name=label)
    if kind is not None:
        return Lead(kind=kind, name=label)
    return Lead(silent=True) if is_one_of(label, SILENT) else None


def _special(scene: Scene, item: Block, text: str) -> Draft | None:
    """An item of the relations, or a filled-in one of the project's state."""
    if scene.place.mode == "relation":
        found = Reading(Kind.RELATION, text, "sign", f'section "{scene.place.name}"')
        return scene.of_item(item, found, 0.9) if "[[" in text or relation(text) else None
    told = marker(text, scene.words)
    if told is None or told.kind not in OF_STATE:
        return None
    return scene.of_item(item, told, 0.8)


def _draft(scene: Scene, item: Block, text: str, lead: Lead) -> Draft | None:
    reading = read(text, scene.words)
    if lead.silent or (scene.place.mode == "silent" and lead.kind is None):
        return _in_silence(scene, item, reading)
    by_title = scene.place.weight == "title" and lead.kind is None
    base, why = _base(scene, lead)
    if item.checked is not None and (by_title or base in _BOXED):
        return _boxed(scene, item, text, reading, ticked=base is Kind.PROGRESS)
    if base is not None and not (by_title and reading is not None):
        return _in_section(scene, item, reading, Reading(base, text, "sign", why))
    if reading is None or not scene.speaks(reading):
        return None
    return scene.of_item(item, reading, scene.sure(reading))


def _base(scene: Scene, lead: Lead) -> tuple[Kind | None, str]:
    """The kind that the lead or the section gives, and how that is told."""
    if lead.kind is not None:
        return lead.kind, f'lead "{lead.name}"'
    if scene.place.announces:
        return scene.place.kind, f'section "{scene.place.name}"'
    return None, ""


def _in_silence(scene: Scene, item: Block, reading: Reading | None) -> Draft | None:
    """Among plans and steps only a plain keyword counts, and no open box."""
    if reading is None or item.checked is False:
        return None
    told = reading.force == "marker" and reading.strong and reading.kind in IN_SILENCE
    return scene.of_item(item, reading, 0.6) if told else None


def _boxed(
    scene: Scene, item: Block, text: str, reading: Reading | None, *, ticked: bool
) -> Draft | None:
    """``- [ ]`` is a todo, ``- [x]`` is progress unless its keyword says otherwise.

    Where the section tells what is done (``ticked``), an open box is a plan.
    """
    if is_empty(text) or (ticked and not item.checked):
        return None
    marked = reading is not None and reading.force == "marker"
    said = reading.text if reading is not None and marked else text
    if not item.checked:
        return scene.of_item(item, Reading(Kind.TODO, said, "sign", "open box"), 0.6)
    told = reading is not None and reading.force != "sentence"
    if reading is None or not told or reading.kind in (Kind.TODO, Kind.GOAL):
        return scene.of_item(item, Reading(Kind.PROGRESS, said, "sign", "ticked box"), 0.55)
    made = Reading(reading.kind, said, reading.force, reading.why, reading.strong)
    return scene.of_item(item, made, scene.sure(reading))


def _in_section(scene: Scene, item: Block, reading: Reading | None, base: Reading) -> Draft | None:
    """An item in a section, or below a lead, that gives its kind: ``base``."""
    text = base.text
    if _says_nothing(scene, item, base):
        return None
    if reading is not None and reading.force == "marker":
        if reading.kind is base.kind or _overrides(reading, base.kind):
            return scene.of_item(item, reading, scene.sure(reading))
    elif reading is not None and reading.force == "sign":
        text = reading.text
    by_title = scene.place.weight == "title" and not base.why.startswith("lead")
    if by_title and _is_a_scrap(text, base.kind):
        return None
    made = Reading(base.kind, text, "sign", base.why)
    return scene.of_item(item, made, 0.5 if by_title else 0.65)


def _is_a_scrap(text: str, kind: Kind) -> bool:
    """Whether an item is too short to count when only the file's title tells its kind."""
    least = 6 if kind is Kind.LEARNING else 3
    return len(text.split()) < least and len(text) < (10 if CJK.search(text) else 60)


def _says_nothing(scene: Scene, item: Block, base: Reading) -> bool:
    """Whether an item is empty, a question, or only says when and by whom."""
    head, rest = label_of(base.text)
    if is_empty(base.text) or (head and is_empty(rest) and not item.children):
        return True
    if is_question(base.text) and base.kind not in (Kind.TODO, Kind.ASSUMPTION):
        return True
    return field_of(head) in _NO_LABELS and scene.words.label(head) is None


def _overrides(reading: Reading, base: Kind) -> bool:
    """Whether an item's own keyword speaks against its section's heading."""
    if not reading.strong or base is Kind.EXPERIENCE:
        return False
    return reading.kind not in _GENERAL or base in _OPEN_TO_THEM


def _fold_children(scene: Scene, item: Block, draft: Draft) -> None:
    """Add nested details to ``draft``; a nested keyword of its own makes its own entry."""
    for child in item.children:
        if child.type == "list":
            for nested in child.children:
                if not _is_own_entry(scene, nested, draft):
                    head, rest = label_of(own_text(nested))
                    name = field_of(head)
                    text = " ".join([rest, *below(nested)]) if name else flat(nested)
                    add_field(draft, name, text)
        elif child.type == "paragraph":
            draft.add("", own_text(child))


def _is_own_entry(scene: Scene, nested: Block, parent: Draft) -> bool:
    text = own_text(nested)
    found = marker(text, scene.words)
    if found is None or not found.strong or found.kind is parent.kind:
        return False
    name = field_of(label_of(text)[0])
    if name and (name != "what" or found.kind not in _OWN_WHEN_NESTED):
        return False
    draft = scene.of_item(nested, found, scene.sure(found))
    scene.found.append(draft)
    _fold_children(scene, nested, draft)
    return True
