"""Tags of a memory: how to list, rename and mute them."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path

from mind.documents import archive as archives
from mind.documents import markdown, parser
from mind.documents.markdown import Edit
from mind.documents.tags import distance, is_tag, renaming
from mind.domain.entry import Span
from mind.domain.errors import InputError, NotFound
from mind.memory import session
from mind.memory.workspace import Workspace
from mind.storage import files
from mind.storage import project as projects
from mind.storage.project import Project
from mind.text import lazy_pattern

_RARE, _COMMON = 2, 4
"""Maximum entries of a misspelled tag, and minimum entries of the right one."""
_SHORTEST, _SHORT, _LONGEST = 4, 6, 40
"""Lengths of misspelled tags: minimum; maximum with one wrong letter; maximum with two."""
_DIGIT = lazy_pattern(r"\d")
_MOST_MUTED = 50
_FIELD = lazy_pattern(
    rb"\[[A-Za-z][\w -]{0,39}::[^\[\]\n]{0,400}\]|^- replaced by:[^\n]*$", re.MULTILINE
)
"""Places where ids of entries occur: inline fields, and "replaced by" in the archive."""
_ID = lazy_pattern(rb"(?<![\w-])[0-9a-z]{8}(?:-\d+)?(?![\w-])")


@dataclass(frozen=True, slots=True, kw_only=True)
class TagCount:
    """A tag.

    Attributes:
        name: Its most common spelling, without #.
        entries: Number of entries with it.
        share: Share of all entries, 0–1.
        last: Latest date of these entries.
        like: Common tag that it may be a misspelling of; "" if none.
        muted: True if this session's searches exclude it.
    """

    name: str
    entries: int
    share: float
    last: date | None = None
    like: str = ""
    muted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TagOverview:
    """The tags of a memory.

    Attributes:
        tags: The tags, most common first.
        untagged: Number of entries without a tag.
        allowed: Tags that new entries may have; empty for any.
        project: Name of this project.
        others: Other registered projects; they are searched only on request.
    """

    tags: tuple[TagCount, ...]
    untagged: int
    allowed: tuple[str, ...]
    project: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A renamed tag, with the number of changes by file, relative to the project."""

    old: str
    new: str
    files: dict[str, int]
    dry_run: bool = False


def overview(at: Workspace) -> TagOverview:
    """Return the tags of a memory, most common first, and the user's other projects."""
    project, muted = at.project, at.visit().state.muted
    others = projects.registered() if at.sees_others else []
    spelled: dict[str, Counter[str]] = defaultdict(Counter)
    last: dict[str, date] = {}
    entries = untagged = 0
    for one in at.refreshed().entries():
        entries += 1
        untagged += not one.tags
        for key, tag in {tag.casefold(): tag for tag in one.tags}.items():
            spelled[key][tag] += 1
            last[key] = max(last.get(key, date.min), one.date or date.min)
    counts = {key: names.total() for key, names in spelled.items()}
    found = [
        TagCount(
            name=max(names.items(), key=lambda one: (one[1], one[0]))[0],
            entries=counts[key],
            share=counts[key] / entries,
            last=last[key] if last[key] > date.min else None,
            like=like(key, counts),
            muted=key in muted,
        )
        for key, names in spelled.items()
    ]
    return TagOverview(
        tags=tuple(sorted(found, key=lambda one: (-one.entries, one.name))),
        untagged=untagged,
        allowed=tuple(project.settings.scopes_allowed),
        project=project.name,
        others=tuple(root.name for root in others if root != project.root),
    )


def like(name: str, counts: Mapping[str, int]) -> str:
    """Return the common tag that a rare one may misspell; "" if none.

    Tags of up to three letters are often two names (``ui``, ``ux``), as are those that differ by a
    digit (``v1``, ``v2``).
    """
    if counts[name] > _RARE or not _SHORTEST <= len(name) <= _LONGEST:
        return ""
    most = 1 if len(name) <= _SHORT else 2
    near = [
        (distance(name, other), -count, other)
        for other, count in counts.items()
        if count >= _COMMON
        and len(other) >= _SHORTEST
        and len(set(name) ^ set(other)) <= 2 * most  # quicker: an edit changes at most two
        and _DIGIT.findall(name) == _DIGIT.findall(other)
    ]
    apart, _, other = min(near, default=(most + 1, 0, ""))
    return other if apart <= most else ""


def named(tag: str) -> str:
    """Return ``tag`` without #.

    Raises:
        InputError: It is not a valid tag.
    """
    name = tag.strip().removeprefix("#")
    if not is_tag(name):
        raise InputError(
            f"{tag!r} is not a tag",
            remedy="Start with a letter, then use letters, digits, - _ or /.",
        )
    return name


def has_tag(at: Workspace, tag: str) -> bool:
    """Return whether any entry has this tag; case is ignored.

    Raises:
        InputError: The name is not a valid tag.
    """
    name = named(tag).casefold()
    return any(one.name.casefold() == name for one in overview(at).tags)


def rename(
    at: Workspace, old: str, new: str, *, archive: bool = True, dry_run: bool = False
) -> Renamed:
    """Rename a tag everywhere it is used as one: not in code, links or headings.

    Args:
        at: The workspace.
        old: The tag; case is ignored.
        new: The new tag; an existing tag merges the two.
        archive: Also rename it in the archive.
        dry_run: Only count.

    Raises:
        InputError: A name is not a valid tag, both are the same, or the new one is not allowed.
        NotFound: No entry has the old tag.
    """
    visit, project = at.visit(), at.project
    before, after = named(old), named(new)
    if before == after:
        raise InputError(f"#{after} is the same tag")
    if not project.settings.allows(after):
        raise InputError(
            f"#{after} is not a tag of this project",
            remedy="Add it to the setting scopes.allowed first.",
        )
    counts: dict[str, int] = {}
    ids = _new_ids(project, before, after)
    for path in (project.memory, project.session, *([project.archive] if archive else [])):
        find = _in_archive if path == project.archive else renaming
        edits = partial(find, old=before, new=after)
        found = len(edits(files.read(path)))
        if found:
            counts[project.relative(path)] = found
        if not dry_run and (found or ids) and path.exists():
            files.edit(path, _splicing(edits, ids))
    if not counts:
        raise NotFound(f"no entry has the tag #{before}", remedy="List the tags with `mind tags`.")
    if not dry_run:
        at.note(visit, "rename")
    return Renamed(old=before, new=after, files=counts, dry_run=dry_run)


def _splicing(
    edits: Callable[[bytes], list[Edit]], ids: Mapping[str, str]
) -> Callable[[bytes], bytes]:
    return lambda source: markdown.splice(source, [*edits(source), *_references(source, ids)])


def _new_ids(project: Project, old: str, new: str) -> dict[str, str]:
    """Return old id → new id of entries whose id is derived from the changed text."""
    changed: dict[str, str] = {}
    for path in (project.memory, project.session):
        source = files.read(path)
        edits = renaming(source, old, new)
        after = markdown.splice(source, edits)
        if edits:
            was, now = (_ids(project, path, text) for text in (source, after))
            if len(was) == len(now):
                changed |= {one: other for one, other in zip(was, now, strict=True) if one != other}
    return changed


def _ids(project: Project, path: Path, source: bytes) -> list[str]:
    found = parser.parse(source, project.relative(path), project.settings)
    return [one.id for one in parser.number_and_resolve(found)]


def _references(source: bytes, ids: Mapping[str, str]) -> list[Edit]:
    """Return edits of inline fields and archive facts that refer to an old id."""
    return [
        Edit(Span(one.start(), one.end()), ids[one[0].decode()].encode())
        for field in (_FIELD.finditer(source) if ids else ())
        for one in _ID.finditer(source, field.start(), field.end())
        if one[0].decode() in ids
    ]


def _in_archive(source: bytes, old: str, new: str) -> list[Edit]:
    """Return the edits that rename a tag in the archived texts."""
    edits = []
    for one in archives.blocks(source):
        at = source.rfind(one.text, one.span.start, one.span.end)
        if at < 0:  # masked: it has a credential
            continue
        edits += [
            Edit(Span(at + edit.span.start, at + edit.span.end), edit.text)
            for edit in renaming(one.text, old, new)
        ]
    return edits


def mute(at: Workspace, tag: str) -> tuple[str, ...]:
    """Exclude a tag from this session's searches and recalls; return all muted tags.

    Raises:
        InputError: It is not a valid tag, or too many are muted.
    """
    return _muted(at, named(tag).casefold(), is_muted=True)


def unmute(at: Workspace, tag: str) -> tuple[str, ...]:
    """Undo :func:`mute`; return the tags that are still muted."""
    return _muted(at, named(tag).casefold(), is_muted=False)


def _muted(at: Workspace, name: str, *, is_muted: bool) -> tuple[str, ...]:
    visit = at.visit()
    others = (one for one in visit.state.muted if one != name)
    muted = (*others, name) if is_muted else tuple(others)
    if len(muted) > _MOST_MUTED:
        raise InputError(f"over {_MOST_MUTED} tags are muted", remedy="Unmute some.")
    session.keep(at.project, visit, replace(visit.state, muted=muted))
    return muted
