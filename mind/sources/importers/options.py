"""Options that a decision record weighed and turned down, each with its reason; pure.

An option is an item or a heading in the record's section of options or alternatives. It is turned
down if the record says so of it, or names another one of them as its choice; one that shares its
names with that choice is left out.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from mind.documents.markdown import Block
from mind.sources import prose
from mind.sources.importers import records, wording
from mind.text.entities import scan

_LABEL = re.compile(
    r"(?P<bold>[*_]*)(?:(?P<word>[^\W\d_]+)\s+)?(?P<label>[A-Z]|\d{1,2})"
    r"(?:\s*[.):：—–]+\s*|\s+-+\s+)(?P<rest>.+)"
)
"""Matches a title after its number: "Option A: …", "2. …"."""
_LEAD = re.compile(
    r"\W{0,2}\*\*(?P<bold>.{1,160}?)\*\*(?P<after>.*)"
    r"|(?P<title>.{1,120}?)(?:\s+[—–-]+\s+|[:：]\s+)(?P<rest>.*)"
)
_ASIDE = re.compile(r"\s*\((?P<said>[^()]{2,20})\)")
_FORM = re.compile(r"[\[{<].{0,80}[\]}>]|.*\boption \d\W*\Z|.{0,2}\Z", re.IGNORECASE)
"""Matches the title of a template's option, and one too short for a subject."""
_ENDS = " \t*_:：.,;—–-"
_ITEM = "- "
_QUOTED = re.compile(r"\A[\"“](?P<said>[^\"“”]+)[\"”]\Z")
_NOT = "".join(rf"(?<!\b{no}\W{{{n}}})" for no in ("not", "nicht", "no", "non") for n in (1, 2, 3))
_LONGEST, _SHORT, _MOST, _SENTENCE = 300, 3, 30, 1_000
"""Lengths of a reason and of a title, number of options (more are a list), characters read."""


class Option(NamedTuple):
    """An option: its number or letter, its title, and what the record says of it, by line."""

    label: str
    title: str
    said: list[str]

    def whys(self, name: str) -> list[str] | None:
        """Return what follows words of this meaning; None if there are none."""
        found = list(_words(name).finditer("\n".join(self.said)))
        whys = (one["why"].strip(_ENDS).removeprefix(")").strip() for one in found)
        return [why for why in whys if why] if found else None


@cache
def _words(name: str) -> re.Pattern[str]:
    """A pattern of words at the beginning of a line, for some also of a sentence or an aside."""
    told, why = ("|".join(records.data()["options"][one]) for one in (name, "because"))
    starts, ends = {
        "chosen": (rf"(?:^|(?<=\W)){_NOT}", r"(?:\W{0,3}\s*[:：]|\W*$)"),
        "bad": (r"^", rf"[*_`]{{0,2}}\s*(?:[,:：]|(?=(?:{why})\b))"),
        "rejected": (r"(?:^|(?<=[.(—–])\s?)", r"(?!\w)"),
    }[name]
    return re.compile(
        rf"{starts}\W{{0,4}}(?:{told}){ends}(?:\W{{0,3}}\s*(?:{why})\b)?(?P<why>.*)$",
        re.IGNORECASE | re.MULTILINE,
    )


def turned_down(body: str, title: str, decision: str) -> Iterator[tuple[str, str]]:
    """Yield title and reason of each option that a record turned down.

    Args:
        body: The record.
        title: Its title, which may be that of the chosen option.
        decision: Its decision.
    """
    options = _options(body)
    if len(options) > _MOST:
        return
    found = _words("chosen").search(decision)
    named = _named(options, found["why"]) if found else []
    chosen = named + [one for one in options if one not in named and _is_chosen(one, title)]
    others = (title, *(one.title for one in chosen))
    taken = {one.key for said in others for one in scan(said)}
    for one in options:
        rejected, subject = one.whys("rejected"), _subject(one.title, others, taken)
        if one in chosen or (rejected is None and not chosen) or _FORM.match(subject):
            continue
        reasons = rejected or one.whys("bad")
        if not reasons:  # what is said of it may be a reason or only describe it
            items = [said for said in one.said if said.startswith(_ITEM)]
            first = next((said for said in one.said if said not in items), "")
            told = _words("rejected").sub("", first).strip(" .,;—–-")
            if not told and rejected is not None:  # nothing but a list below "X (rejected)"
                told = "; ".join(said.removeprefix(_ITEM) for said in items)
            told = wording.cut(told, _LONGEST)
            reasons = [*filter(None, [told]), *(f"chosen: {other.title}" for other in chosen[:1])]
        yield subject, wording.cut("; ".join(reasons), 2 * _LONGEST)


def _subject(title: str, others: Sequence[str], taken: Container[str]) -> str:
    """Return what tells an option from the record's title and choice, if they share names.

    A warning about "PostgreSQL with Prisma" must not be one about PostgreSQL. It is "" unless only
    another name stands in the same place.
    """
    names = scan(title)
    left = [one for one in names if one.key not in taken]
    if len(left) == len(names):
        return title
    for one in left if len(left) == 1 else ():
        around = (title[: one.start], title[one.end :])
        if any(said.startswith(around[0]) and said.endswith(around[1]) for said in others):
            return title[one.start : one.end].strip("`")
    return ""


def _is_chosen(option: Option, title: str) -> bool:
    """Return True for an option with the record's title, or the mark."""
    return wording.same(option.title, title) or option.whys("chosen") is not None


def _named(options: Sequence[Option], what: str) -> list[Option]:
    """Return the options that a sentence names first, by number, title or a title's beginning.

    What follows is argument, but for names joined to the first: "A, B and C", "A for x and B for
    y". In a sentence that begins with other words, each title counts.
    """
    known = records.data()["options"]
    cut = rf"(?<=\w)\W+(?:{'|'.join(known['because'])})\b|(?-i:(?<![A-Z\d]))[.!?]\s"
    what = re.split(cut, what[:_SENTENCE], maxsplit=1, flags=re.IGNORECASE)[0]
    called = _called(options, what)
    forms = sorted((form for form, _ in called.values()), key=len, reverse=True)
    title = rf"(?<![^\W_])(?:{'|'.join(forms) or '(?!)'})(?![^\W_])"
    joins = rf"[\W_]{{0,5}}(?:\b(?:{'|'.join(known['and'])})\b|[+&])[\W_]{{0,5}}"
    comma = r"[\W_]{0,5}[,、][\W_]{0,5}"
    count = Counter(one.label for one in options if one.label)
    label = rf"(?-i:{'|'.join(one for one in count if count[one] == 1) or '(?!)'})\b"
    number = rf"({label})(?!\.?\d)"
    alone = rf"{number}(?=[.:),\"”»*]|\W*$|\s+[(—–-]|{joins}{label})"
    number = rf"(?:(?:{'|'.join(known['names'])})s?\s+{number}|\b{alone})"
    name = rf"(?:{number}(?:[\W_]{{1,5}}{title})?|({title}))"
    alike = rf"\W+(?P<how>\w+)\b(?:.{{0,80}}?(?:{joins}|{comma}){name}\W+(?P=how)\b)+"
    joined = rf"{joins}{name}|{comma}{name}(?![^\w,、]?\s+(?!{joins})\w)"
    last = rf"(?:(?!{title}).){{0,80}}?{joins}{name}\W*$"
    first = re.match(rf"[\W_]*{name}(?:{alike}|{last}|(?:{joined})*)", what, re.IGNORECASE)
    found: list[Option] = []
    for one in re.finditer(name, first[0] if first else what, re.IGNORECASE):
        told = one[1] or one[2]
        numbered = [option for option in options if first and option.label == told]
        found += numbered if told else called.get(_bare(one[3]), ("", []))[1]
    return [one for at, one in enumerate(found) if one not in found[:at]]


def _called(options: Sequence[Option], what: str) -> dict[str, tuple[str, list[Option]]]:
    """Return titles, and beginnings of titles, in a sentence: pattern and options of each."""
    within = _bare(what)
    parts = [one for one in re.split(r"[\"“”«»]|\*\*|, ", what) if len(_bare(one)) > _SHORT]
    found: dict[str, tuple[str, list[Option]]] = {}
    titles = [(_bare(one.title), one) for one in options]
    names = [(own, one.title, True) for own, one in titles if own in within]
    names += [(_bare(one), one, False) for one in parts]
    for own, name, is_whole in names:
        same = [
            one for title, one in titles if (title == own if is_whole else title.startswith(own))
        ]
        if same:
            form = r"[\W_]{1,9}".join(map(re.escape, re.findall(r"[^\W_]+", name)))
            found.setdefault(own, (form, same))
    return found


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _options(body: str) -> list[Option]:
    """Return the options of a record, each once."""
    found: dict[str, Option] = {}
    outer = deepest = 0
    is_later = False
    now: list[str] = []
    for depth, title, _, blocks in records.sections(body):
        outer, deepest = (outer, deepest) if depth > outer else (0, 0)
        is_section = not outer and records.role(title) == "options"
        outer, is_later = (depth, bool(found)) if is_section else (outer, is_later)
        if not outer or is_section:
            for item in _items(blocks, is_all=is_section):
                label = item.marker.rstrip(".)") if item.marker[:1].isdigit() else ""
                _add(found, _option(prose.own(item), label)).extend(_lines(item.children))
            continue
        deepest = deepest or depth
        if depth == deepest:
            one = _option(title, is_title=True)
            is_other = is_later and _bare(one.title) not in found  # a listed one by another name
            now = [] if is_other else _add(found, one)
        now.extend(_lines(blocks))
    return list(found.values())


def _items(blocks: Sequence[Block], *, is_all: bool) -> Iterator[Block]:
    """Yield items, or only those of lists that follow a line such as "Options considered:"."""
    for before, block in zip((None, *blocks), blocks, strict=False):
        lead = prose.own(before) if before and before.type == "paragraph" else ""
        if block.type == "list" and (is_all or records.role(lead, exactly=True) == "options"):
            yield from block.children


def _lines(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield paragraphs and items, the latter after a line that announces them, as "Cons:"."""
    lead = ""
    for block in blocks:
        if block.type == "paragraph":
            lead = prose.own(block)
            yield lead
        elif block.type == "list":
            lead = f"{lead} " if lead.rstrip("*_ ").endswith((":", "：")) else ""
            yield from (f"{_ITEM}{lead}{prose.whole(one)}" for one in block.children)


def _add(found: dict[str, Option], one: Option) -> list[str]:
    """Add an option, unless it is among those found; return what is said of it."""
    same = found.setdefault(_bare(one.title), one)
    same.said.extend(one.said if same is not one else ())
    return same.said


def _option(said: str, label: str = "", *, is_title: bool = False) -> Option:
    """Return the option that an item or a heading names, its asides such as "(rejected)" apart."""
    marks = [one["said"] for one in _ASIDE.finditer(said) if _is_mark(one["said"])]
    said = _ASIDE.sub(lambda one: "" if _is_mark(one["said"]) else one[0], said)
    found = _LABEL.fullmatch(said)
    if found and (found["word"] or "option").casefold() in records.data()["options"]["names"]:
        label, said = found["label"], f"{found['bold']}{found['rest']}"
    lead = None if is_title else _LEAD.fullmatch(said)
    title = (lead["bold"] or lead["title"]) if lead else said
    rest = (lead["after"] or lead["rest"] or "").strip(_ENDS) if lead else ""
    title = _QUOTED.sub(r"\g<said>", title.strip(_ENDS))
    return Option(label, title, [one for one in (rest, *marks) if one])


def _is_mark(aside: str) -> bool:
    return any(_words(name).fullmatch(aside) for name in ("chosen", "rejected"))
