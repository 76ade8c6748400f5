"""Text and key of an imported memory; pure."""

import bisect
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, tzinfo
from itertools import zip_longest
from pathlib import Path

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.documents.parser.lexicon import is_empty
from mind.documents.tags import is_tag, tags_in
from mind.domain.entry import Kind, normalise
from mind.sources import prose
from mind.text.relations import Relation, predicate_of, relation

MOST = 1_500
"""Maximum length of an imported note, in characters."""
_LEAST_LETTERS = 8
_LONGEST_KEY = 64
_LONGEST_BODY, _LONGEST_PARAGRAPH = 200_000, 20_000
_NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9._-]+")
_FIELD = re.compile(r"\[([A-Za-z][\w -]{0,39})::")
_MARK = re.compile(r"\s\^[A-Za-z0-9-]+\s*\Z")
_SENTENCE = re.compile(r"(?<!\s\d)(?<!\s\d\d)[.!?;](?=\s)|[。！？]")
"""Matches the end of a sentence or item, but not the number of an item."""
_END = re.compile(rf"\n|{_SENTENCE.pattern}")
_WORD = re.compile(r"[^\W\d_]", re.UNICODE)
_FORMULA = re.compile(r"^[ \t]*\$\$|\$\$[ \t]*$", re.MULTILINE)
"""Matches the signs before and after a formula on lines of its own."""
_LONGEST_FORMULA = _LONGEST_CODE = 6_000
"""Maximum length of a formula or of code that is not cut."""
DAY = r"(?:19|20)\d\d-\d\d-\d\d"
_CLOCK = r"(?:,?[ T]\d\d?:\d\d(?::\d\d)?(?:\.\d+)?(?: ?(?:Z|UTC|[AP]M|[+-]\d\d:?\d\d)\b)?)?"
_STAMP = re.compile(
    rf"(?P<before>[^\w\[]{{0,8}}?)(?P<opens>\\?\[{{1,2}})?(?P<day>{DAY})"
    rf"{_CLOCK}(?(opens)(?P<beside>[^\[\]\n]{{0,24}})\](?!\()|(?!\]\())(?P<closes>[*_`~)\]】」]{{0,4}})"
    r"(?P<ends>(?:\s*(?:[–—:：|，、。]+|[-.,;!]+(?=[\s*_`]|$)|$)|\s){1,2}|(?(opens)|(?!)))\s*"
)
"""Matches the date and time that a line of a log begins with; not a link or the name of a file."""
_ZONE = re.compile(r"[A-Z]{1,5}(?:[+-]\d\d?(?::?\d\d)?)?|[A-Z][a-z]+/[A-Z]\w+")
_EMPHASIS = re.compile(r"[^*_~`]+")
_QUERIES = frozenset({"dataview", "dataviewjs", "tasks", "query", "button"})
_STRUCTURED = re.compile(r"(?:[-*+]|\d{1,9}[.)]) |```|~~~|\||\$\$\s*\n")
"""Matches the first line of a list, code, a table or a formula."""
_ADDRESS_LAST = re.compile(r"(?<!\]\()(?<!\w)\w{2,10}://\S+\Z")
"""Matches an address at the end, but not that of a Markdown link."""
_TO_HEADING = re.compile(r"\W{0,3}\[.{1,200}\]\(#[^()\s]+\)\W{0,3}")
_WITHIN = re.compile(r"[.!?:;](?=\s)|[。！？：；](?=.)")
"""Matches the end of a sentence that is not the last."""
_BARE = re.compile(r"[\W_]+")
_NOTHING = re.compile(
    r"\A(?:untitled|new note|readme|index|notes?|todo|tbd|wip)?\W*\Z", re.IGNORECASE
)
INDEXED = re.compile(r"(?:\[\[[^\[\]]*\]\]|\[[^\[\]]+\]\([^()\s]+\))\s*(?:[-–—:：]\s|$)")
"""Matches an item of an index: a link, and at most what it is about."""


def plain(text: str) -> str:
    """Return ``text`` on one line (see :func:`mind.sources.prose.plain`), made safe."""
    return safe(prose.plain(text[:_LONGEST_PARAGRAPH]))


def safe(text: str) -> str:
    """Remove markup that an entry would interpret from ``text``: fields, and an ID at the end."""
    return _MARK.sub("", _FIELD.sub(r"[ \1::", text))


def says_something(text: str) -> bool:
    """Return False for stubs and template placeholders."""
    letters = len(_WORD.findall(text))
    wide = any(ord(sign) > 0x2E80 for sign in text)
    is_long = letters >= (_LEAST_LETTERS // 2 if wide else _LEAST_LETTERS)
    return is_long and not is_empty(text) and not _NOTHING.match(text)


def cut(text: str, most: int = MOST) -> str:
    """Return ``text``, or as many of its sentences as fit; "…" where a sentence is cut."""
    if len(text) <= most:
        return text
    ends = [found.end() for found in _SENTENCE.finditer(text, 0, most)]
    if ends and ends[-1] >= most // 3:
        return text[: ends[-1]]
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(" ,;:-") + "…"


def split(text: str, most: int) -> list[str]:
    """Return ``text`` in parts of at most ``most`` characters, cut at lines, sentences or words.

    Code and formulas are not cut unless they are far too long; then each part of code has its
    fences.
    """
    parts = []
    while len(text) > most:
        until = max(most, _LONGEST_FORMULA)
        found = [one.end() for one in _END.finditer(text, 0, until)]
        found += [len(text)] if len(text) <= until else []
        last = bisect.bisect_right(found, most)
        near = (*reversed(found[:last]), *(found[last:] if _is_open(text[:most]) else ()))
        ends = (at for at in near if at >= most // 3 and not _is_open(text[:at]))
        blanks = (text.rfind(blank, 0, most) for blank in "\n ")
        at = next(ends, 0) or next((at for at in blanks if at >= most // 3), most)
        head, text = text[:at].strip(), text[at:]
        fence = prose.left_open(head)
        if fence and len(fence.opening) < most // 4:
            head, text = f"{head}\n{fence.sign}", f"{fence.opening}\n{text.lstrip(chr(10))}"
        parts.append(head)
        text = text.lstrip()
    return [*parts, *filter(None, [text.strip()])] or [""]


def _is_open(text: str) -> bool:
    """Return True for a text that ends within code or a formula."""
    return text.count("`") % 2 > 0 or is_in_formula(text)


def is_in_formula(text: str) -> bool:
    """Return True for a text that ends within a formula, unless that is too long to be one."""
    return len(text) <= _LONGEST_FORMULA and len(_FORMULA.findall(text)) % 2 > 0


def blocks(body: str) -> Sequence[Block]:
    """Return the blocks of a Markdown body."""
    return markdown.parse(body[:_LONGEST_BODY].encode("utf-8", "replace")).blocks


def is_contents(block: Block) -> bool:
    """Return True for a list of contents: each of its items only leads to a heading of its file."""
    below = (part for item in block.children for part in item.children)
    links = all(_TO_HEADING.fullmatch(line.text) for item in block.children for line in item.lines)
    return block.type == "list" and links and all(map(is_contents, below))


def without_contents(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks but for lists of contents, each with the one sentence that announces it."""
    for block, below in zip_longest(blocks, blocks[1:]):
        announces = below is not None and is_contents(below) and block.type == "paragraph"
        said = prose.own(block) if announces else ""
        announces = said.endswith((":", "：")) and not _WITHIN.search(said)
        if not is_contents(block) and not announces:
            yield block


def is_stub(text: str) -> bool:
    """Return True if ``text`` is empty or a stub."""
    has_words = _WORD.search(text) is not None
    return not text or (has_words and (is_empty(text) or _NOTHING.match(text) is not None))


def titled(title: str, text: str) -> str:
    """Return ``text`` preceded by ``title``, unless it begins with it."""
    if not title or not text or _begins(title, text):
        return prose.unlisted(text, whole=True)
    return f"{announced(title)}{set_off(text)}"


def set_off(text: str) -> str:
    """Return a text as it follows a title: a list, code or a table on the next line."""
    text = prose.unlisted(text)
    return f"\n{text}" if _STRUCTURED.match(text) else f" {text}"


def announced(title: str) -> str:
    """Return a title or lead-in as it stands before a text: with a colon if it has no other end."""
    has_end = title.rstrip("*_ ").endswith(tuple(".!?:。！？：")) or _ADDRESS_LAST.search(title)
    return title if has_end else f"{title}:"


def dated(said: str) -> tuple[str, str]:
    """Return the day that a text begins with, "" for none, and the text without it.

    A time zone is dropped; what else is in the brackets of a date stays in brackets.
    """
    stamp = _stamp(said)
    if stamp is None:
        return "", said
    opened = _EMPHASIS.sub("", stamp["before"]).removesuffix(_EMPHASIS.sub("", stamp["closes"]))
    rest = said[stamp.end() :]
    is_closed = bool(opened) and rest.startswith(opened)
    rest = rest.removeprefix(opened).lstrip() if is_closed else f"{opened}{rest}"
    beside = _beside(stamp)
    return stamp["day"], f"[{beside}] {rest}" if beside else rest


def form_of_date(said: str) -> tuple[str, ...]:
    """Return how a line writes the date that it begins with; nothing if it has none."""
    stamp = _stamp(said)
    return (stamp["opens"] or "", stamp["closes"], stamp["ends"].strip()) if stamp else ()


def _stamp(said: str) -> "re.Match[str] | None":
    found = _STAMP.match(said)
    is_link = found is not None and (found["opens"] or "").endswith("[[") and _beside(found)
    return None if is_link else found


def _beside(stamp: "re.Match[str]") -> str:
    """Return what stands beside the date in its brackets."""
    said = (stamp["beside"] or "").strip(" -–|,;\\")
    return "" if _ZONE.fullmatch(said) else said


def same(one: str, other: str) -> bool:
    """Return True if two texts differ at most in case, accents, punctuation and spaces."""
    return _letters(one) == _letters(other)


def _begins(title: str, text: str) -> bool:
    named = _letters(title)
    return len(named) > 3 and _letters(text[: 2 * len(title) + 40]).startswith(named)


def _letters(text: str) -> str:
    """Return the letters and digits of a text; names of files often have no accents."""
    return _BARE.sub("", unicodedata.normalize("NFKD", text)).casefold()


def code(block: Block, most: int = _LONGEST_CODE) -> str | None:
    """Return a code block between fences.

    "" if it is empty or a query of Obsidian; None if it is longer than ``most`` characters.
    """
    first = block.lines[0].text.strip()
    is_fenced = first.startswith(("```", "~~~"))
    if is_fenced and first.strip("`~ ").partition(" ")[0].lower() in _QUERIES:
        return ""
    said = prose.fenced(block)
    return None if len(said) > most else said


def title_in(body: str) -> str:
    """Return the title that a Markdown body begins with; "" if it begins otherwise."""
    for block in blocks(body):
        if block.type == "heading":
            return safe(prose.own(block)).strip("#= -") if block.level == 1 else ""
        if block.type in ("paragraph", "list", "code"):
            return ""
    return ""


def key(*parts: str) -> str:
    """Return a readable key for a memory's name.

    Folders end in ":". Characters not allowed in a key, and excess length, are replaced by eight
    digits of a hash.
    """
    name = ":".join(parts).replace("/", ":")
    safe = ":".join(_NOT_IN_KEYS.sub("-", part).strip("-") for part in name.split(":"))
    if safe == name and 0 < len(name) <= _LONGEST_KEY:
        return name
    return f"{safe[: _LONGEST_KEY - 9].rstrip('-:.')}-{digest(name)}"


def part_key(name: str, text: str) -> str:
    """Return the key of a part of a memory, by its text: a part that changed is another one."""
    return key(name, f"part-{digest(text)}")


def digest(text: str) -> str:
    """Return eight hexadecimal digits of BLAKE2b."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()


def tags(names: Iterable[object], text: str = "") -> tuple[str, ...]:
    """Return the valid tags among names, without ``#`` and without those that ``text`` contains."""
    there = {tag.casefold() for tag in tags_in(text)}
    made = ("-".join(str(name).strip().lstrip("#").split()) for name in names)
    return tuple(dict.fromkeys(one for one in made if is_tag(one) and one.casefold() not in there))


def day(value: object, zone: tzinfo = UTC, *, day_first: bool = False) -> date | None:
    """Return the day of a timestamp: ISO 8601, or seconds or milliseconds since 1970.

    Also of a day in words, or in digits if they can be read in only one way or ``day_first``.
    """
    try:
        digits = isinstance(value, str) and value.strip().isdigit() and len(value.strip()) > 8
        digits = digits and not _DAY.fullmatch(str(value).strip())
        if isinstance(value, int | float) or digits:
            seconds = float(str(value))
            seconds = seconds / 1000 if seconds > 1e11 else seconds
            return datetime.fromtimestamp(seconds, zone).date() if seconds > 0 else None
        text = str(value or "").strip()
        first = _DAY_FIRST.match(text)
        if first and (day_first or first[2] == "." or int(first[1]) > 12):  # else maybe the month
            return date(int(first[4]), int(first[3]), int(first[1]))
        if len(text) == 10 or not text:
            return date.fromisoformat(text) if text else None
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError):
        return _day_within(str(value)) or _day_said(str(value))
    return moment.astimezone(zone).date() if moment.tzinfo else moment.date()


_DAY_FIRST = re.compile(r"(\d{1,2})([/.])(\d{1,2})\2((?:19|20)\d\d)(?!\d)")
_DAY = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-_./]?(\d\d)[-_./]?(\d\d)(?:[-_T]?\d{4}(?:\d\d)?)?(?!\d)"
)
"""Matches a day, or a moment in digits, as at the beginning of notes' names."""


def _day_said(text: str) -> date | None:
    """Return the day that a text names in words, as "18. Januar 2026"; None for several."""
    from mind.text.dates.days import days_in, fold  # noqa: PLC0415 - only for such a date

    found = {one for _, _, one in days_in(fold(text[:200]))}
    return found.pop() if len(found) == 1 else None


def _day_within(text: str) -> date | None:
    found = _DAY.search(text)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def day_in_name(path: Path) -> date | None:
    """Return the day that a file's name begins with, as in ``2026-01-31-redis.md``."""
    found = _DAY.match(path.name)
    return _day_within(found.group()) if found else None


def sections(body: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the sections of a Markdown body with their headings."""
    source = body.encode("utf-8", "replace")
    for one in markdown.sections(source):
        text = source[one.span.start : one.span.end].decode("utf-8", "replace")
        yield tuple(plain(text).strip() for _, text in one.headings), text


def about(name: str, said: str) -> str:
    """Return ``said``, made safe, preceded by the name of its subject unless it contains that."""
    named = " ".join(name.split())
    return safe(said if not named or normalise(named) in normalise(said) else f"{named}: {said}")


def related(subject: str, predicate: str, object_: str) -> tuple[str, Kind] | None:
    """Return a relation in Mind's notation; a note of it if a link cannot contain the names.

    None if a part is missing, or for a relation of a name to itself.
    """
    parts = [" ".join(one.split()) for one in (subject, predicate, object_)]
    if not all(parts) or same(parts[0], parts[2]):
        return None
    words = predicate_of(parts[1])
    made = relation(f"[[{parts[0]}]] {words} [[{parts[2]}]]")
    if made == Relation(parts[0], words, parts[2]):
        return str(made), Kind.RELATION
    return safe(f'"{parts[0]}" {parts[1]} "{parts[2]}"'), Kind.NOTE
