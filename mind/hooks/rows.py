"""Gotchas and rejected approaches as rows for fast matching, with lookup tables."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mind.domain.entry import Entry, Kind
from mind.domain.settings import Settings
from mind.hooks import deed
from mind.hooks.wording import clean, short
from mind.memory.gotchas import Gotcha
from mind.text.matching import score
from mind.text.matching.candidates import Catalogue, weights
from mind.text.sourcetext import folded
from mind.text.sourcetext.grammar import required

Row = dict[str, object]

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
        "where": clean(gotcha.where) or gotcha.origin,
    }
    if gotcha.origin != "project":
        found = endings_of(gotcha.stacks) if gotcha.origin == "built-in" else []
        return row | {"patterns": list(gotcha.patterns), "endings": found}
    bad = gotcha.description[:_MOST_TEXT]
    if gotcha.workaround:
        bad = bad.replace(gotcha.workaround, " ")
    named = [*_CODE.findall(bad), *_CALLED.findall(bad)]
    paths = [name for name in dict.fromkeys([*named, *_PATH.findall(bad)]) if _is_path(name)]
    paths += [name for name in dict.fromkeys(_FILE.findall(bad)) if name not in paths]
    names = [one for one in dict.fromkeys(named) if not _ORDINARY.fullmatch(one)]
    row["cures"] = _CODE.findall(gotcha.workaround)
    row["names"] = [one for one in names if one not in paths]
    row["paths"] = paths
    head = _HEAD.match(bad)
    row["head"] = deed.head(head[1].split()) if head else ""
    return row


def _told(gotcha: Gotcha) -> str:
    text = short(gotcha.description or gotcha.title, 300)
    if gotcha.workaround and gotcha.workaround not in gotcha.description:
        text += f" → {short(gotcha.workaround, 160)}"
    return text if gotcha.origin == "project" else f"{short(gotcha.title, 120)}: {text}"


def _is_path(name: str) -> bool:
    return _PATH.fullmatch(name) is not None


def of_entries(entries: Iterable[Entry]) -> Iterator[Row]:
    """Yield the rows of the entries that warn."""
    from mind.memory.gotchas import from_entry  # noqa: PLC0415 - beside the others

    listed = list(entries)
    catalogue = Catalogue((one.id, one.kind.value, one.text) for one in listed)
    subjects: dict[str, list[Row]] = {}
    for row in catalogue.rows:
        subjects.setdefault(row["id"], []).append(row)
    for entry in listed:
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
        "severity": "",
        "title": short(entry.title, 160),
        "text": short(entry.text, 300) + day,
        "where": clean(entry.where),
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
            yield of_gotcha(one, name=f"{one.origin}: {clean(one.title)}")


def stored(rows: Iterable[Row], generation: str) -> bytes:
    """Return the content of the file that :class:`mind.hooks.noticing.Notes` reads."""
    keys: dict[str, dict[str, list[int]]] = {"names": {}, "heads": {}, "paths": {}, "subjects": {}}
    candidates = 0
    literals: dict[str, list[int]] = {}
    always: list[int] = []
    lines, at = [], 0
    for row in rows:
        candidates += len(_rows(row))
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
    subjects = _sorted(keys.pop("subjects"))
    first = {"generation": generation, "literals": list(literals.items()), "always": always,
             "subjects": len(subjects), "candidates": candidates, "weights": weights()}  # fmt: skip
    return json.dumps(first | keys).encode() + b"\n" + subjects + b"".join(lines)


def _sorted(table: Mapping[str, Sequence[int]]) -> bytes:
    """Return a table for binary search: one line per key, in byte order."""
    lines = [f"{key}\t{' '.join(map(str, listed))}\n".encode() for key, listed in table.items()]
    return b"".join(sorted(lines))


def _keys(row: Row) -> Iterator[tuple[str, str]]:
    """Yield keys that a matching text must contain; "" where none can be derived."""
    for pattern in _texts(row, "patterns"):
        for one in required(pattern) or [""]:
            yield ("literals", folded(one)) if one else ("names", "")
    for name in _texts(row, "names"):
        yield "names", max(re.findall(r"\w+", name), key=len, default="")
    for path in _texts(row, "paths"):
        yield "paths", path.rsplit("/", 1)[-1]
    if row.get("head"):
        yield "heads", str(row["head"])
    for key in {key for one in _rows(row) for key in score.keys_of(one)}:
        yield "subjects", key


def _rows(row: Row) -> list[dict[str, Any]]:
    """Return the things that an entry rejected."""
    value = row.get("subjects")
    return value if isinstance(value, list) else []


def _texts(row: Row, key: str) -> list[str]:
    value = row.get(key)
    return value if isinstance(value, list) else []


def settings_of(settings: Settings) -> dict[str, object]:
    """Return the settings that hooks need."""
    from dataclasses import fields  # noqa: PLC0415 - beside the others

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
