"""The memory's texts: whether they can be read, and what is understood of them."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.memory import agenda
from mind.memory.doubles import doubles, settle
from mind.setup.doctor.finding import Finding, Mending, fine, several, typed, warning
from mind.setup.doctor.site import Site
from mind.storage import files

_CONFLICT = re.compile(rb"^(?:<{7}|>{7}) .*$", re.MULTILINE)
_LABEL = re.compile(r"[\w *]{1,40}:[ *]*(?:None|none|-)?")
_ITEM = re.compile(rb"[ \t]*(?:[-*+|]|\d+[.)])")
_FEW = 10
_MOST_CREDENTIALS = 20
_LONG = 400
_ENDS = tuple(".!?:;…)]}\"'`»”’。！？）」*_~|")


def memory(site: Site) -> Finding:
    """Whether MEMORY.md is there, is text and holds no conflict."""
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
    """What is wrong with a text that can still be read around it."""
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
    """How many of MEMORY.md's items and paragraphs are understood as entries."""
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
    """Whether long entries end as sentences do: what was cut off does not, and no list either."""
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
    """Whether there are credentials in what memory reads: they are masked wherever it is shown."""
    from mind.sources.git import exposed  # noqa: PLC0415 - beside the other checks of texts

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
    """Whether every reminder has a time that is understood."""
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
    """Whether what was forgotten can be read, and is gone from memory."""
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
