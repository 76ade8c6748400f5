"""Checks of the memory's files and of the data derived from them: index, vectors, mirror."""

import re
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from mind.domain.entry import counted
from mind.domain.errors import ModelError
from mind.memory import mirror as mirroring
from mind.memory import reminders as agenda
from mind.memory import sync
from mind.memory.duplicates import doubles, settle
from mind.search.embedding import manifest
from mind.search.semantic import NO_MODEL, OFF, ProjectVectors
from mind.setup.doctor.finding import (
    ExaminedProject,
    Finding,
    Mending,
    broken,
    fine,
    several,
    typed,
    warning,
)
from mind.storage import files
from mind.storage.boundary import home
from mind.storage.index import Index, discard
from mind.storage.mirror import postgres

_CONFLICT = re.compile(rb"^(?:<{7}|>{7}) .*$", re.MULTILINE)
_MOST_CREDENTIALS = 20


def memory(site: ExaminedProject) -> Finding:
    """Check that MEMORY.md exists, is UTF-8 and has no merge conflict and no open block."""
    if not site.project.memory.exists():
        name = site.name(site.project.memory)
        return warning(
            f"{name} is missing",
            f"Run `git checkout -- {name}` if it is committed, else `mind init` to create it.",
        )
    return _fault(site, site.project.memory, site.memory) or fine(
        counted(len(site.entries), "entry")
    )


def _fault(site: ExaminedProject, path: Path, source: bytes) -> Finding | None:
    """The first fault of a file whose rest can still be read; None if there is none."""
    name = site.name(path)
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = _line(source, error.start)
        return warning(
            f"{name}:{line} is not UTF-8",
            "Save it as UTF-8; until then, only the rest of it is read. To convert from Latin-1: "
            f"`iconv -f LATIN1 -t UTF-8 {typed([name])} > new; cp new {typed([name])}; rm new`.",
        )
    conflict = _CONFLICT.search(source)
    if conflict:
        return warning(
            f"{name}:{_line(source, conflict.start())} contains a merge conflict",
            f"Run `git mergetool {typed([name])}`, or edit it; until then, both sides are read.",
        )
    line, end = sync.left_open(source)
    if line:
        return warning(f"{name}:{line} {sync.OPEN}", f"Add a line {end} where it ends.")
    return None


def _line(source: bytes, offset: int) -> int:
    return source.count(b"\n", 0, offset) + 1


def credentials(site: ExaminedProject) -> Finding:
    """Check that the files, comments and commits that memory reads contain no secrets."""
    from mind.sources import exposed  # noqa: PLC0415 - imports the sources, only for this check

    project = site.project
    found = list(exposed.in_files(project.root, project.folder))
    if not (site.quick or project.is_own):
        found += exposed.in_sources(project.root, project.settings)
    if not found:
        return fine("none in the files, comments and commits that memory reads")
    count = "1 secret" if len(found) == 1 else f"{len(found)} secrets"
    told = several([f"{one.where} ({one.name})" for one in found], _MOST_CREDENTIALS)
    return warning(
        f"{count} in the text that memory reads, masked in all output: {told}",
        "Revoke each with its issuer and create a new one, then remove it from the file or rewrite "
        "the commit. `mind scan --history` lists all, including those in the git history.",
    )


def reminders(site: ExaminedProject) -> Finding:
    """Check that the time of every reminder is understood."""
    source = files.read(site.project.reminders)
    fault = _fault(site, site.project.reminders, source)
    if fault:
        return fault
    pending = agenda.pending(site.project, datetime.now(UTC))
    unclear = [one for one in pending if not (one.due or one.trigger or one.next_session)]
    if unclear:
        return warning(
            f"the time in line {unclear[0].line} of REMINDERS.md is not understood"
            + (f": {unclear[0].unclear!r}" if unclear[0].unclear else ""),
            "Write `due: 2026-12-20`, `due: next session` or `trigger: word`.",
        )
    return fine(f"{len(pending)} pending")


def archive(site: ExaminedProject) -> Finding:
    """Check that the archive can be read, and that no entry is both archived and active."""
    source = files.read(site.project.archive)
    fault = _fault(site, site.project.archive, source)
    if fault:
        return fault
    twice = doubles(site.project, source)
    if twice:
        ids = several(list(dict.fromkeys(one.id for one in twice)))
        return warning(
            f"{ids} is both active and archived: a process was killed while moving it",
            f"Run `mind doctor --fix` to keep it, or `mind forget {twice[0].id} -r …` to archive "
            "it.",
            Mending("remove it from the archive", partial(settle, site.project)),
        )
    return fine(f"{len(source):,} bytes" if source else "no archived entries")


def index(site: ExaminedProject) -> Finding:
    """Check that the index is intact and has the format of this version."""
    if not site.index.exists():
        return fine("not built yet; the first call builds it")
    found = site.soundness
    if found.busy:
        return fine("not checked: another process is writing it, or it is read-only")
    if found.fault:
        severity = warning if found.outdated else broken
        return severity(
            f"{site.name(site.index)} {found.fault}",
            "Run `mind index --rebuild`; nothing is lost, as it is built from the files.",
            Mending("rebuild it from the files", partial(_made_anew, site)),
        )
    return fine(f"intact, {counted(found.entries, 'entry')}")


def _made_anew(site: ExaminedProject) -> None:
    discard(site.index)
    with closing(Index(site.index)) as fresh:
        sync.refresh(site.project, fresh)


def vectors(site: ExaminedProject) -> Finding:
    """Check that search can use an embedding model and its vectors."""
    meaning = ProjectVectors(site.project.settings, home())
    if not meaning.profile:
        with closing(Index(None)) as nothing:
            return _without(meaning.lacking(nothing))
    if not site.index.exists() or site.soundness.fault or site.soundness.busy:
        return fine(f"none built yet for {meaning.profile}")
    with closing(Index(site.index)) as opened:
        there, texts = opened.count_vectors(meaning.profile)
    told = f"{there:,} of {texts:,} built for {meaning.profile}"
    if texts and not there:
        return warning(told, "Run `mind index`; until then, search is lexical only.")
    return fine(told)


def _without(reason: str) -> Finding:
    if reason in (NO_MODEL, OFF):
        return fine(f"none, search is lexical only: {reason}")
    said, _, remedy = reason.partition(". ")
    return warning(f"search is lexical only: {said}", remedy or "Run `mind models`.")


def models(site: ExaminedProject) -> Finding:
    """Check the files of every installed model; ``quick`` trusts earlier checks."""
    found, faults = manifest.installed(home())
    for model in found:
        memo = manifest.memo(home(), model.folder.name)
        try:
            manifest.check(
                model.folder,
                model.manifest,
                model.manifest.files,
                memo=memo if site.quick else None,
            )
        except ModelError as error:
            name = model.folder.name
            remedy = (
                f"Mind does not use it. Run `mind models remove {name}`, then "
                f"`mind models add SOURCE --name {name}`; it came from {model.manifest.source}."
            )
            faults.append(ModelError(error.message, remedy=remedy))
    if faults:
        return broken("; ".join(error.message for error in faults), faults[0].remedy)
    if not found:
        return fine("none installed")
    return fine(several([f"{one.folder.name} ({one.size // 1_000_000} MB)" for one in found]))


def mirror(site: ExaminedProject) -> Finding:
    """Check the mirror; with ``quick``, without connecting to it."""
    meaning = ProjectVectors(site.project.settings, home())
    if not postgres.is_configured(site.project.settings):
        return fine("none configured")
    with closing(Index(site.index)) as opened:
        found = mirroring.state(site.project, opened, meaning, ask=not site.quick)
    if found.problem:
        said, _, remedy = found.problem.partition(". ")
        return broken(said, remedy or "Run `mind mirror status`.")
    if not found.chosen:
        return fine("this project is not mirrored; run `mind mirror sync` to start")
    if found.warnings:
        said, _, remedy = found.warnings[0].partition(". ")
        return warning(said, remedy)
    pending = found.backlog.pending
    told = f"{pending:,} changes pending" if pending else "up to date"
    return fine(f"{found.place}: {found.entries:,} entries, {told}")
