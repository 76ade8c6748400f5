"""Keeping a memory in order: tags, use, health, tidying, export and import."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Unpack

from mind.domain.errors import InputError, NotFound
from mind.memory import curation, sync
from mind.memory import debt as debts
from mind.memory import scopes as tags
from mind.memory import tidy as tidying
from mind.memory import validation as gate
from mind.memory.amend import NOTE
from mind.memory.answers import (
    Used,
)
from mind.memory.workspace import Workspace
from mind.search import timeline as history
from mind.storage import files


class Outcome(StrEnum):
    """The outcome of reading an entry.

    It helped; it did not matter; it is wrong; it was wrong and stands corrected now.
    """

    APPLIED = "applied"
    IGNORED = "ignored"
    CONTRADICTED = "contradicted"
    CORRECTED = "corrected"


_NOTE = 200

"""Characters of a note that the usage log keeps."""


def _outcome(name: str) -> Outcome:
    try:
        return Outcome(name.strip().lower())
    except ValueError:
        accepted = ", ".join(Outcome)
        raise InputError(f"unknown outcome {name!r}", remedy=f"Use one of: {accepted}.") from None


if TYPE_CHECKING:
    from mind.documents.archive import Archived
    from mind.memory.adopting import Adopted, How
    from mind.memory.debt import Debt
    from mind.memory.exporting import Exported, Format
    from mind.memory.health import Health, Limits
    from mind.memory.importing import Imported, Progress
    from mind.memory.scopes import Renamed, Scopes
    from mind.memory.tidy import Plan

    Taken = TypeVar("Taken", Imported, Adopted)


def debt(at: Workspace, limit: int = 20) -> "Debt":
    """Entries that most need somebody to check whether they still hold.

    Raises:
        InputError: The limit is not 1 to 1000.
    """
    if not 1 <= limit <= 1000:
        raise InputError(f"limit is {limit}", remedy="Use a limit from 1 to 1000.")
    today = at.visit().now.date()
    return debts.owed(at.project, at.current(), today, limit)


def scopes(at: Workspace) -> "Scopes":
    """The tags of this memory, the most common first, and the other projects there are."""
    muted = at.visit().state.muted
    found = tags.overview(at.project, at.current(), muted)
    return found if at.sees_others else replace(found, others=())


def rename_scope(
    at: Workspace, old: str, new: str, *, archive: bool = True, dry_run: bool = False
) -> "Renamed":
    """Give a tag another name everywhere (see :func:`mind.memory.scopes.rename`).

    Raises:
        InputError: One cannot be a tag, both are the same, or the new one is not allowed.
        NotFound: Nothing has the old one.
    """
    visit = at.visit()
    done = tags.rename(at.project, old, new, archived=archive, dry_run=dry_run)
    if not dry_run:
        at.note(visit, "rename")
    return done


def mute_scope(at: Workspace, tag: str) -> tuple[str, ...]:
    """Leave a tag's entries out of what this session searches and recalls; all muted ones.

    Raises:
        InputError: It cannot be a tag.
    """
    return tags.mute(at.project, at.visit(), tag, muted=True)


def has_scope(at: Workspace, tag: str) -> bool:
    """True if an entry has a tag, whatever its case.

    Raises:
        InputError: It cannot be a tag.
    """
    name = tags.named(tag).casefold()
    return any(one.name.casefold() == name for one in scopes(at).tags)


def unmute_scope(at: Workspace, tag: str) -> tuple[str, ...]:
    """No longer leave a tag's entries out; the ones that are still muted.

    Raises:
        InputError: It cannot be a tag.
    """
    return tags.mute(at.project, at.visit(), tag, muted=False)


def record_use(at: Workspace, ids: Sequence[str], outcome: str, note: str = "") -> Used:
    """Note in the usage log what became of entries that were read.

    Args:
        at: Whose memory.
        ids: Theirs, 1 to 50.
        outcome: One of :class:`Outcome`.
        note: In what way; 200 characters of it are kept.

    Raises:
        InputError: An unknown outcome, no ids or too many, or a credential in the note.
        NotFound: Nothing has any of the ids.
    """
    wanted = _outcome(outcome)
    gate.refuse_secrets(note)
    visit = at.visit()
    found = history.details(at.current(), ids)
    if not found.entries:
        raise NotFound(
            f"nothing has the id {', '.join(found.missing)}", remedy="Search for it again."
        )
    known = [one.id for one in found.entries]
    problem = at.note(visit, "use", known, outcome=wanted.value, note=" ".join(note.split())[:NOTE])
    if not at.project.settings.events_enabled:
        problem = "Nothing was kept: the setting events.enabled is off."
    return Used(entries=found.entries, outcome=wanted.value, missing=found.missing, problem=problem)


def health(at: Workspace, days: int = 30, limits: "Limits | None" = None) -> "Health":
    """The health of this memory (see :func:`mind.memory.health.examine`).

    Raises:
        InputError: The days are out of range.
    """
    from mind.memory import health  # noqa: PLC0415 - searches do without

    visit = at.visit()
    return health.examine(at.project, at.index, visit.now, days, limits)


def write_health(found: "Health", path: Path) -> None:
    """Write an examination as a page that everybody may read.

    Raises:
        InputError: There is another file at ``path``; it stays as it is.
        FileError: The page cannot be written.
    """
    from mind.memory.health import page  # noqa: PLC0415 - only for a page

    known = files.read(path)
    if known and page.GENERATOR.encode() not in known[:2_000]:
        raise InputError(f"{path} is another file", remedy="Name a file that is not there yet.")
    files.write(path, page.html(found).encode(), mode=0o644)


def prune(at: Workspace, older_than: int, *, dry_run: bool = False) -> "Sequence[Archived]":
    """Delete from the archive for good what was taken out longer ago than some days.

    Raises:
        InputError: The days are below 1.
    """
    if older_than < 1:
        raise InputError("the days must be 1 or more")
    before = at.now().date() - timedelta(days=older_than)
    return curation.prune(at.project, before, dry_run=dry_run)


def export(
    at: Workspace,
    how: "Format" = "jsonl",
    *,
    with_archive: bool = True,
    with_reminders: bool = True,
) -> "Exported":
    """This memory in one file; no session begins (see :mod:`mind.memory.exporting`)."""
    from mind.memory import exporting  # noqa: PLC0415 - hardly ever needed

    today = at.now().date()
    return exporting.export(
        at.project, today, how, with_archive=with_archive, with_reminders=with_reminders
    )


def import_(
    at: Workspace,
    path: Path,
    *,
    dry_run: bool = False,
    progress: "Progress" = lambda _what, _done, _total: None,
) -> "Imported":
    """Take in what an export holds (see :mod:`mind.memory.importing`).

    Args:
        at: Whose memory.
        path: What :meth:`export` made.
        dry_run: Only say what would be done; no session begins.
        progress: Told how far it is.

    Raises:
        NotFound: There is no such file.
        NotAnExport: A line of it is none of an export; nothing was changed.
        FileError: A file cannot be read or written.
    """
    from mind.memory import importing  # noqa: PLC0415 - hardly ever needed

    if not path.is_file():
        raise NotFound(f"{path} is not a file", remedy="Name a file of `mind export`.")
    return _taken_in(
        at,
        lambda now: importing.run(
            at.project, at.index, path, now=now, dry_run=dry_run, progress=progress
        ),
        dry_run,
    )


def import_from(
    at: Workspace, source: str, path: Path | None = None, **how: "Unpack[How]"
) -> "Adopted":
    """Take in what another tool remembers (see :func:`mind.memory.adopting.run`).

    Raises:
        InputError: There is no tool of this name.
        NotFound: Nothing of it is there.
        FileError: The store cannot be read, or MEMORY.md not written.
    """
    from mind.memory import adopting  # noqa: PLC0415 - hardly ever needed

    return _taken_in(
        at,
        lambda now: adopting.run(at.project, at.index, source, path, now=now, **how),
        how.get("dry_run", False),
    )


def _taken_in(at: Workspace, work: "Callable[[datetime], Taken]", dry_run: bool) -> "Taken":
    visit = None if dry_run else at.visit()
    sync.refresh_whole(at.project, at.index)
    done = work(visit.now if visit else at.now())
    if visit and done.written:
        at.note(visit, "import", added=done.count("added"), refused=done.count("refused"))
    return done


def tidy(at: Workspace, *, dry_run: bool = False, by_hand: bool = True) -> "Plan":
    """Archive what lived its time and what says the same twice; list what one can sum up.

    Args:
        at: Whose memory.
        dry_run: Only say what would be done.
        by_hand: Somebody asked for it; else only what Mind wrote is looked at.
    """
    visit = at.visit()
    today = visit.now.date()
    alone = nullcontext() if dry_run else files.lock(at.project.lock)
    with alone:  # of two sweeps at once, the second finds nothing left
        planned = tidying.plan(at.project, at.current(), today, by_hand=by_hand)
        if planned.steps and not dry_run:
            tidying.carry_out(at.project, planned.steps, today)
    if planned.steps and not dry_run:
        ids = [one.id for step in planned.steps for one in step.entries]
        at.note(visit, "tidy", ids)
    return replace(planned, done=not dry_run)


def tidy_if_due(at: Workspace) -> "Plan | None":
    """As :meth:`tidy`, by itself: at most once in a while, unless that is switched off."""
    if not at.project.settings.tidy_automatic or not tidying.is_due(at.project, at.now()):
        return None
    return tidy(at, by_hand=False)
