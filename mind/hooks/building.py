"""Building the hook cache: gotchas and rejected approaches as rows with lookup tables.

This is the slow path, taken only when something in the memory is new.
"""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

from mind import __version__
from mind.documents.reminders import Reminder
from mind.documents.reminders.triggers import beginnings
from mind.domain.entry import Entry, Kind, judgement
from mind.domain.settings import Settings
from mind.hooks import cache, matching, noticing, tool_call
from mind.hooks.cache import GIT, HookCache
from mind.hooks.place import HookProject, put, redacted_path
from mind.hooks.wording import short
from mind.memory.checks import PreparedChecks
from mind.memory.gotchas import Gotcha, from_entry
from mind.memory.memory import Memory
from mind.sources.transcripts.nominating import keeping
from mind.storage import files
from mind.storage.boundary import user_folder
from mind.storage.files.beside import discard, orphans
from mind.storage.gitindex import stamp
from mind.storage.project import Project
from mind.storage.templates import text as template
from mind.text.matching import score
from mind.text.matching.candidates import weights
from mind.text.sourcetext import folded
from mind.text.sourcetext.grammar import required
from mind.text.visible import inert

Row = dict[str, Any]

_MOST_TEXT = 4_000
"""Maximum characters searched for names: some expressions take quadratic time."""
_CODE = re.compile(r"`([^`\n]{3,80})`")
_CALLED = re.compile(r"(?<![\w.`])(?:[A-Za-z]\w*\.)*(?:[a-z]\w*_\w+|[A-Z][A-Z0-9]*_[A-Z0-9_]+)")
_PATH = re.compile(r"(?<![\w/:@.])(?:[\w.-]+/)+[\w-]+\.\w{1,8}(?![\w/])")
_FILE = re.compile(
    r"(?<![\w/:@.`])`?((?:[a-z_][\w.-]*|\.[\w.-]+)\.(?:py|[jt]sx?|rb|go|rs|java|kts?|sql|ya?ml|toml|"
    r"json|cfg|ini|lock|sh|tf|s?css|html|vue|svelte|php|cs|swift|dart|exs?|gradle|xml)|"
    r"Dockerfile|Makefile|Gemfile|Podfile|Procfile|Jenkinsfile)(?![\w./(])"
)
"""A file name without a folder."""
_ORDINARY = re.compile(r"[a-z]+|[A-Z][a-z]+|[A-Z]+|[\d.]+|\w{1,3}")
_HEAD = re.compile(
    r"(?:(?:please )?(?:never|do not|don['’]t|avoid|no)(?: (?:use|run|running|using|call|do))? )?"
    r"`?([a-z][\w.+-]*(?: [a-z][\w.:+-]*){1,2})",
    re.IGNORECASE,
)
"""A command at the start of a gotcha, or one it says never to run."""


_SCRIPTS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")
_ENDINGS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("python django fastapi pandas".split(), (".py", ".pyi", ".ipynb")),
    **dict.fromkeys("node react nextjs vue svelte angular typescript".split(), _SCRIPTS),
    **dict.fromkeys("java spring".split(), (".java", ".kt")),
    **dict.fromkeys("rust tokio".split(), (".rs",)),
    **dict.fromkeys("ruby rails".split(), (".rb", ".erb", ".rake")),
    **dict.fromkeys("php laravel".split(), (".php",)),
    "go": (".go",),
    "dotnet": (".cs", ".cshtml", ".razor"),
    "elixir": (".ex", ".exs", ".heex"),
    "swift": (".swift",),
    "flutter": (".dart",),
    "docker": ("dockerfile", ".dockerfile", "compose.yml", "compose.yaml"),
    "kubernetes": (".yaml", ".yml"),
    "github-actions": (".yaml", ".yml"),
    "terraform": (".tf",),
}
"""File endings of a stack: its gotchas do not apply to other files or to commands."""


def endings_of(stacks: Sequence[str]) -> list[str]:
    """Return the file endings that gotchas of ``stacks`` apply to; empty for any file."""
    if not all(stack in _ENDINGS for stack in stacks):
        return []
    return list(dict.fromkeys(ending for stack in stacks for ending in _ENDINGS[stack]))


def of_gotcha(gotcha: Gotcha, *, name: str) -> Row:
    """Return the row of a gotcha.

    A gotcha that is not the project's own matches by its patterns. The project's own gotchas match
    by the names in their text that are not ordinary words.
    """
    row: Row = {
        "id": name,
        "kind": "gotcha",
        "severity": gotcha.severity if gotcha.origin != "built-in" else "known",
        "title": short(gotcha.title, 160),
        "text": _told(gotcha),
        "where": inert(gotcha.where) or gotcha.origin,
    }
    if gotcha.origin != "project":
        found = endings_of(gotcha.stacks) if gotcha.origin == "built-in" else []
        ways = {"patterns": list(gotcha.patterns), "endings": found}
        return row | ways | ({"cures": list(gotcha.cures)} if gotcha.cures else {})
    bad = gotcha.description[:_MOST_TEXT]
    if gotcha.workaround:
        bad = bad.replace(gotcha.workaround, " ")
    named = [*_CODE.findall(bad), *_CALLED.findall(bad)]
    paths = [one for one in dict.fromkeys([*named, *_PATH.findall(bad)]) if _PATH.fullmatch(one)]
    paths += [name for name in dict.fromkeys(_FILE.findall(bad)) if name not in paths]
    names = [one for one in dict.fromkeys(named) if not _ORDINARY.fullmatch(one)]
    row["cures"] = _CODE.findall(gotcha.workaround)
    row["names"] = [one for one in names if one not in paths]
    row["paths"] = paths
    head = _HEAD.match(bad)
    row["head"] = tool_call.head(head[1].split()) if head else ""
    return row


def _told(gotcha: Gotcha) -> str:
    text = short(gotcha.description or gotcha.title, 300)
    if gotcha.workaround and gotcha.workaround not in gotcha.description:
        text += f" → {short(gotcha.workaround, 160)}"
    return text if gotcha.origin == "project" else f"{short(gotcha.title, 120)}: {text}"


def of_entries(entries: Iterable[Entry], subjects: Mapping[str, Sequence[Row]]) -> Iterator[Row]:
    """Yield the rows of the entries of a project that warn, with what they advise against by id."""
    for entry in entries:
        if entry.kind is Kind.GOTCHA:
            row = of_gotcha(from_entry(entry), name=entry.id)
        elif entry.id in subjects:
            row = _of_rejection(entry)
        else:
            continue
        yield row | {"subjects": subjects.get(entry.id, [])}


def _of_rejection(entry: Entry) -> Row:
    day = f" ({entry.date.isoformat()})" if entry.date else ""
    return {
        "id": entry.id,
        "kind": "rejected",
        "label": judgement(entry.kind).capitalize(),
        "severity": "",
        "title": short(entry.title, 160),
        "text": short(entry.told, 300) + day,
        "where": inert(entry.where),
    }


def of_others(gotchas: Sequence[Gotcha], stacks: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of applicable gotchas that are not the project's own.

    Built-in gotchas are included only if their severity is high or critical.
    """
    present = set(stacks)
    for one in gotchas:
        if one.origin == "built-in" and one.severity not in ("high", "critical"):
            continue
        if one.patterns and (not one.stacks or present.intersection(one.stacks)):
            yield of_gotcha(one, name=f"{one.origin}: {inert(one.title)}")


def stored(rows: Iterable[Row], generation: str) -> bytes:
    """Return the content of the file that :class:`mind.hooks.noticing.WarningNotes` reads."""
    keys: dict[str, dict[str, list[int]]] = {"names": {}, "heads": {}, "paths": {}, "subjects": {}}
    candidates = 0
    literals: dict[str, list[int]] = {}
    always: list[int] = []
    lines, at = [], 0
    for row in rows:
        candidates += len(row.get("subjects", ()))
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        for kind, key in _keys(row):
            if kind == "literals":
                literals.setdefault(key, []).append(at)
            elif key:
                keys[kind].setdefault(key, []).append(at)
            else:
                always.append(at)
        lines.append(line + b"\n")
        at += len(line) + 1
    first = {"generation": generation, "literals": list(literals.items()), "always": always,
             "candidates": candidates, "weights": weights()}  # fmt: skip
    return json.dumps(first | keys).encode() + b"\n" + b"".join(lines)


def _keys(row: Row) -> Iterator[tuple[str, str]]:
    """Yield keys that a matching text must contain; "" where none can be derived."""
    for pattern in row.get("patterns", ()):
        for one in required(pattern) or [""]:
            yield ("literals", folded(one)) if one else ("names", "")
    for name in row.get("names", ()):
        yield "names", max(re.findall(r"\w+", name), key=len, default="")
    for path in row.get("paths", ()):
        yield "paths", path.rsplit("/", 1)[-1]
    if row.get("head"):
        yield "heads", row["head"]
    for key in {key for one in row.get("subjects", ()) for key in score.keys_of(one)}:
        yield "subjects", key


def settings_of(settings: Settings) -> dict[str, object]:
    """Return the settings that hooks need."""
    named = [one.name for one in fields(settings) if one.name.startswith("hooks_")]
    return {
        **{name.removeprefix("hooks_"): getattr(settings, name) for name in named},
        "events": settings.events_enabled,
        "events_max": settings.events_max_bytes,
        "queries": settings.events_queries,
        "gap_minutes": settings.session_gap_minutes,
        "high": settings.similarity_high,
        "comments": settings.capture_comments,
        "commits": settings.capture_commits,
    }


_STATE = re.compile(r"state\.json")
_KEPT = re.compile(r"(?:known|session-[\w-]+)\.json|notes\.jsonl|entries\.txt")
_SECONDS = 2.0
"""Time limit for updating the index in one event; the next events continue."""
_GROUPS = ("settings", "reminders", "stacks")


def opened(place: HookProject, session: str = "") -> Memory:
    """Open the memory at ``place`` for the client's session."""
    root, folder = Path(place.root), Path(place.folder)
    project = Project(root) if folder == root / ".mind" else Project(root, folder)
    return Memory(project, session_id=session or None, seconds=_SECONDS)


class Stamps:
    """Stamps of the files a recall reads, taken before it."""

    def __init__(self, place: HookProject) -> None:
        self.paths = {"stacks": [os.path.join(place.root, name) for name in cache.MANIFESTS]}
        self.stamps = cache.stamps(place, _GROUPS, {"paths": self.paths})
        self.edges = stamp(os.path.join(user_folder(), "global_edges.json"))
        self.git = cache.git_paths(place.root)
        self.heads = [stamp(path) for path in self.git]


def build(  # noqa: PLR0913 - independent options, by name only
    memory: Memory, place: HookProject, before: Stamps, *, due: Sequence[Reminder] | None = None,
    problems: Sequence[str] = (), prompts: bool = True,
) -> HookCache:  # fmt: skip
    """Build the data that hooks answer from, and store it.

    Args:
        memory: The open memory.
        place: Its location.
        before: Stamps taken before anything was read.
        due: The reminders in the block, if comments, commits and the block were updated since
            ``before``; None if not.
        problems: Problems of that update; with any, the next session takes the slow path again.
        prompts: Also build the entries to match prompts against, which takes longest.
    """
    _sweep(place)
    os.makedirs(place.hooks, mode=0o700, exist_ok=True)
    if due is not None:  # they were noted as shown
        before.stamps |= cache.stamps(place, ("reminders",), {})
    made, settings = memory.prepared(), memory.project.settings
    data: dict[str, Any] = {
        "format": cache.FORMAT,
        "version": __version__,
        "root": place.root,
        "home": user_folder(),
        "settings": settings_of(settings),
        "marks": {
            "parser_languages": settings.parser_languages,
            "parser_keywords": settings.parser_keywords,
        },
        "paths": before.paths,
        "stamps": before.stamps | {"entries": _entries(memory, made, before)},
        "reminders": [_reminder(one) for one in made.pending],
        "keep": keeping(),
        "partial": memory.index.partial,
    }
    data["notes"] = _notes(memory, place, made, before)
    last = cache.load(place)
    data["prompts"] = last.data["prompts"] if last else {}
    if prompts:
        made_from = {"entries": data["stamps"]["entries"], "settings": data["stamps"]["settings"]}
        data["prompts"] = made_from | {"generation": _prompts(memory, place)}
    if due is None:
        data["settled"] = last.data.get("settled") if last else None
    else:
        settled = _settled(memory, place, made, before, data, due)
        data["settled"] = {**settled, "fine": not problems}
    cache.save(place, data)
    return HookCache(place, data)


def _sweep(place: HookProject) -> None:
    """Delete what hooks that were killed left of files that only Mind writes."""
    for folder, names in ((place.folder, _STATE), (place.hooks, _KEPT)):
        with contextlib.suppress(OSError):
            for left in orphans(Path(folder), names):
                discard(left)


def _entries(memory: Memory, made: PreparedChecks, before: Stamps) -> list[str]:
    """Return the stamps of the files as read, in the order of :func:`known.stamps`."""
    project = memory.project
    names = [project.relative(path) for path in (project.memory, project.session)]
    return [*(made.stamps.get(name, "").partition("|")[0] for name in names), before.edges]


def _reminder(one: Reminder) -> dict[str, object]:
    return {
        "id": one.id,
        "text": short(one.text),
        "due": one.due.timestamp() if one.due and not one.is_over else None,
        "next": not one.is_over and (one.next_session or bool(one.unclear)),
        "trigger": _ways(one),
        "phrases": list(one.trigger),
    }


def _ways(one: Reminder) -> list[list[str]]:
    """Return substrings of an ASCII prompt that triggers the reminder.

    A trigger without any gets an alternative that never matches an ASCII prompt.
    """
    ways = [way for phrase in one.trigger for way in beginnings(phrase)]
    return ways or ([["\0"]] if one.trigger else [])


def _notes(memory: Memory, place: HookProject, made: PreparedChecks, before: Stamps) -> str:
    """Write the entries that warn, unless stored already; return their generation, "" for none."""
    settings = memory.project.settings
    if not (settings.hooks_enabled and settings.hooks_warnings):
        return ""
    told = [
        (
            one.id,
            one.kind,
            one.text,
            one.workaround,
            one.where,
            one.date,
            sorted(one.fields.items()),
        )
        for one in made.entries
    ]  # the inputs of rows: most new entries change none of them
    generation = _generation(told, made.stacks, before.edges, before.stamps["settings"])
    if noticing.load(place, generation) is None:
        own = of_entries(made.entries, made.subjects)
        found = [*own, *of_others(made.gotchas, made.stacks)]
        put(noticing.path_of(place), stored(found, generation))
    return generation


def _prompts(memory: Memory, place: HookProject) -> str:
    """Write the entries to match prompts against, unless stored; return their generation."""
    settings = memory.project.settings
    entries = memory.current() if settings.hooks_enabled and settings.hooks_titles else []
    if not entries:
        return ""
    generation = _generation([(one.id, one.kind, one.text, one.where, one.date) for one in entries])
    if matching.load(place, generation) is None:
        put(matching.path_of(place), matching.stored(entries, map(_line, entries), generation))
    return generation


def _generation(*told: object) -> str:
    """Return a digest of what a stored file is made from."""
    said = repr((__version__, cache.FORMAT, *told)).encode("utf-8", "replace")
    return hashlib.blake2b(said, digest_size=8).hexdigest()


def _line(entry: Entry) -> str:
    day = f" ({entry.date})" if entry.date and str(entry.date.year) not in entry.text else ""
    return f"- {entry.kind.value}: {short(entry.told)}{day} ({entry.id}, {inert(entry.where)})"


def _settled(  # noqa: PLR0913, PLR0917 - needs all of them
    memory: Memory, place: HookProject, made: PreparedChecks, before: Stamps, data: dict[str, Any],
    due: Sequence[Reminder],
) -> dict[str, Any]:  # fmt: skip
    """Return the state of files, day and reminders that block and index were last built from."""
    now = memory.now()
    day = datetime.combine(now.date(), time(), tzinfo=now.tzinfo)
    project = memory.project
    commented = [os.path.join(place.root, path) for path in made.commented]
    stamps = [made.stamps[path].rpartition(":")[0] for path in made.commented]
    targets, marks = _without_secrets([str(path) for path in made.targets])
    git, heads = _without_secrets(before.git, before.heads)
    return {
        "day": [day.timestamp(), (day + timedelta(days=1)).timestamp()],
        "due": sorted(one.id for one in due),
        "blank": project.session.exists()
        and files.read(project.session) == template("SESSION.md").encode(),
        "paths": {**before.paths, GIT: git, "commented": commented, "targets": targets},
        "stamps": {
            **data["stamps"],
            GIT: heads,
            "commented": stamps,
            "targets": marks,
        },
    }


def _without_secrets(
    paths: Sequence[str], stamps: Sequence[str] | None = None
) -> tuple[list[str], list[str]]:
    """Return ``paths`` with credentials masked (branch names may have some), and their stamps.

    A masked path never compares as unchanged, so the next session takes the slow path.
    """
    shown = [redacted_path(path) for path in paths]
    found = map(stamp, paths) if stamps is None else stamps
    rows = zip(shown, paths, found, strict=True)
    return shown, [mark if one == path else "?" for one, path, mark in rows]
