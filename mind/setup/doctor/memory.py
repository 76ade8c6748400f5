"""Checks of the memory's texts and of what is derived from them: index, vectors, mirror."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.domain.errors import ModelError
from mind.memory import agenda, sync
from mind.memory import mirror as mirroring
from mind.memory.doubles import doubles, settle
from mind.search.embedding import manifest
from mind.search.semantic import NO_MODEL, OFF, Meaning
from mind.setup.doctor.finding import Finding, Mending, Site, broken, fine, several, typed, warning
from mind.storage import files
from mind.storage.home import home
from mind.storage.index import Index, discard
from mind.storage.mirror import postgres

_CONFLICT = re.compile(rb"^(?:<{7}|>{7}) .*$", re.MULTILINE)
_LABEL = re.compile(r"[\w *]{1,40}:[ *]*(?:None|none|-)?")
_ITEM = re.compile(rb"[ \t]*(?:[-*+|]|\d+[.)])")
_FEW = 10
_MOST_CREDENTIALS = 20
_LONG = 400
_ENDS = tuple(".!?:;…)]}\"'`»”’。！？）」*_~|")


def memory(site: Site) -> Finding:
    """True if MEMORY.md is there, is text and holds no conflict."""
    if not site.project.memory.exists():
        name = site.name(site.project.memory)
        return warning(
            f"{name} is missing",
            f"Run `git checkout -- {name}` if git has it, else `mind init` to create it.",
        )
    return _fault(site, site.project.memory, site.memory) or fine(
        f"{len(site.entries)} entries understood"
    )


def _fault(site: Site, path: Path, source: bytes) -> Finding | None:
    """Faults of a text that can still be read around them."""
    name = site.name(path)
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = _line(source, error.start)
        return warning(
            f"{name}:{line} is not UTF-8",
            "Save it as UTF-8; the rest of it is read. From Latin-1: "
            f"`iconv -f LATIN1 -t UTF-8 {typed([name])} > new; cp new {typed([name])}; rm new`.",
        )
    conflict = _CONFLICT.search(source)
    if conflict:
        return warning(
            f"{name}:{_line(source, conflict.start())} holds a merge conflict",
            f"Run `git mergetool {typed([name])}`, or edit it; both sides are read until then.",
        )
    return None


def _line(source: bytes, offset: int) -> int:
    return source.count(b"\n", 0, offset) + 1


def coverage(site: Site) -> Finding:
    """The share of MEMORY.md's items and paragraphs that are read as entries."""
    read = {line for entry in site.entries for line in range(entry.line, entry.end + 1)}
    lines = [block.line for block in _stated(markdown.parse(site.memory).blocks)]
    lost = [line for line in lines if line not in read]
    share = f"{len(lines) - len(lost)} of {len(lines)} items and paragraphs are entries"
    if not lost:
        return fine(share)
    name = site.name(site.project.memory)
    detail = f"{share}; not {several([f'{name}:{line}' for line in lost])}"
    if len(lines) < _FEW or 2 * len(lost) < len(lines):
        return fine(detail)
    return warning(
        detail,
        "Begin them as in `decided: …`, `problem: …` or `learned: …`; `mind parse` shows what is "
        "understood.",
    )


def _stated(blocks: Sequence[Block]) -> Iterator[Block]:
    """Items and paragraphs that say something, outermost first: no labels without a value."""
    for block in blocks:
        text = "\n".join(line.text for line in block.lines).strip()
        if block.type in ("item", "paragraph") and text and not _LABEL.fullmatch(text):
            yield block
        if block.type in ("list", "item"):
            yield from _stated(block.children)


def whole(site: Site) -> Finding:
    """True if long entries end as sentences do: what was cut off does not, and no list either."""
    lines = site.memory.splitlines()
    cut = [
        f"{entry.source}:{entry.end}"
        for entry in site.entries
        if len(entry.text) > _LONG
        and not entry.text.rstrip().endswith(_ENDS)
        and (entry.end == entry.line or not _ITEM.match(lines[entry.end - 1]))
    ]
    if cut:
        count = "1 long entry ends" if len(cut) == 1 else f"{len(cut)} long entries end"
        name, _, line = cut[0].rpartition(":")
        return warning(
            f"{count} in the middle of a sentence: {several(cut)}",
            "Complete what was cut off, or end it with a full stop, as with "
            f"`$EDITOR +{line} {name}`.",
        )
    return fine("no long entry ends in the middle of a sentence")


def credentials(site: Site) -> Finding:
    """True if there are credentials in what memory reads: they are masked wherever it is shown."""
    from mind.sources import exposed  # noqa: PLC0415 - beside the other checks of texts

    project = site.project
    found = list(exposed.in_files(project.root, project.folder))
    if not (site.quick or project.is_own):
        found += exposed.in_sources(project.root, project.settings)
    if not found:
        return fine("none in what memory reads")
    count = "1 credential" if len(found) == 1 else f"{len(found)} credentials"
    told = several([f"{one.where} ({one.name})" for one in found], _MOST_CREDENTIALS)
    return warning(
        f"{count} in what memory reads, masked wherever it is shown: {told}",
        "Revoke each at its issuer and make a new one, then remove it from the file or rewrite the "
        "commit. `mind scan --history` lists all, and those in earlier versions of the files.",
    )


def reminders(site: Site) -> Finding:
    """True if every reminder has a time that is understood."""
    source = files.read(site.project.reminders)
    fault = _fault(site, site.project.reminders, source)
    if fault:
        return fault
    pending = agenda.pending(site.project, datetime.now(UTC))
    unclear = [one for one in pending if not (one.due or one.trigger or one.next_session)]
    if unclear:
        return warning(
            f"line {unclear[0].line} of REMINDERS.md has no time that is understood"
            + (f": {unclear[0].unclear!r}" if unclear[0].unclear else ""),
            "Write `due: 2026-12-20`, `due: next session` or `trigger: word`.",
        )
    return fine(f"{len(pending)} pending")


def archive(site: Site) -> Finding:
    """True if what was forgotten can be read, and is gone from memory."""
    source = files.read(site.project.archive)
    fault = _fault(site, site.project.archive, source)
    if fault:
        return fault
    twice = doubles(site.project, source)
    if twice:
        ids = several(list(dict.fromkeys(one.id for one in twice)))
        return warning(
            f"{ids} stands in memory and in the archive: a process was killed over it",
            f"Run `mind doctor --fix`, or `mind forget {twice[0].id} -r …` if it is to leave.",
            Mending("take it out of the archive", partial(settle, site.project)),
        )
    return fine(f"{len(source):,} bytes" if source else "nothing was archived yet")


def index(site: Site) -> Finding:
    """True if the index is a sound one of this version."""
    if not site.index.exists():
        return fine("there is none yet; the first call makes it")
    found = site.soundness
    if found.busy:
        return fine("not looked at: another process writes it, or it is read-only")
    if found.fault:
        severity = warning if found.outdated else broken
        return severity(
            f"{site.name(site.index)} {found.fault}",
            "Run `mind index --rebuild`; nothing is lost, the files are the memory.",
            Mending("make it anew from the files", partial(_made_anew, site)),
        )
    return fine(f"sound, with {found.entries:,} entries")


def _made_anew(site: Site) -> None:
    discard(site.index)
    with closing(Index(site.index)) as fresh:
        sync.refresh(site.project, fresh)


def vectors(site: Site) -> Finding:
    """True if search can go by meaning too."""
    meaning = Meaning(site.project.settings, home())
    if not meaning.profile:
        with closing(Index(None)) as nothing:
            return _without(meaning.lacking(nothing))
    if not site.index.exists() or site.soundness.fault or site.soundness.busy:
        return fine(f"none yet of {meaning.profile}")
    with closing(Index(site.index)) as opened:
        there, texts = opened.count_vectors(meaning.profile)
    told = f"{there:,} of {texts:,} texts have one of {meaning.profile}"
    if texts and not there:
        return warning(told, "Run `mind index`; words alone are compared until then.")
    return fine(told)


def _without(reason: str) -> Finding:
    if reason in (NO_MODEL, OFF):
        return fine(f"none, so words alone are compared: {reason}")
    said, _, remedy = reason.partition(". ")
    return warning(f"words alone are compared: {said}", remedy or "Run `mind models`.")


def models(site: Site) -> Finding:
    """True if every model is what was installed; ``quick`` trusts what was checked before."""
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
                f"It is not used. Run `mind models remove {name}`, then "
                f"`mind models add {_origin(model.manifest.source)} --name {name}`."
            )
            faults.append(ModelError(error.message, remedy=remedy))
    if faults:
        return broken("; ".join(error.message for error in faults), faults[0].remedy)
    if not found:
        return fine("none is installed")
    return fine(several([f"{one.folder.name} ({one.size // 1_000_000} MB)" for one in found]))


def _origin(source: str) -> str:
    """The argument for a model's source: ``folder:PATH``, ``package:NAME==1.0``, ``hub:…``.

    Of the hub it is OWNER/MODEL@REVISION, in the middle of an address.
    """
    kind, _, place = source.partition(":")
    if kind == "package":
        return place.partition("==")[0]
    if kind == "hub":
        model, _, revision = place.strip("/").partition("/resolve/")
        return "/".join(model.split("/")[-2:]) + (f"@{revision}" if revision else "")
    return place or "SOURCE"


def mirror(site: Site) -> Finding:
    """The state of the mirror; ``quick`` asks nothing of it."""
    meaning = Meaning(site.project.settings, home())
    if not postgres.is_configured(site.project.settings):
        return fine("none is configured")
    with closing(Index(site.index)) as opened:
        found = mirroring.state(site.project, opened, meaning, ask=not site.quick)
    if found.problem:
        said, _, remedy = found.problem.partition(". ")
        return broken(said, remedy or "Run `mind mirror status`.")
    if not found.chosen:
        return fine("this project is not mirrored; `mind mirror sync` begins it")
    if found.warnings:
        said, _, remedy = found.warnings[0].partition(". ")
        return warning(said, remedy)
    told = f"{found.backlog.pending:,} changes wait" if found.backlog.pending else "all was sent"
    return fine(f"{found.place}: {found.entries:,} entries, {told}")
