"""Gotchas and their sources, and detection of a project's stacks from its files and manifests."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

from mind.domain.entry import Entry
from mind.domain.errors import InputError
from mind.sources import manifests
from mind.storage import files
from mind.storage.boundary import home
from mind.storage.templates import folder
from mind.text import lazy_pattern
from mind.text.secrets import mask
from mind.text.sourcetext.grammar import LONGEST, problem

_NESTS = frozenset({"packages", "apps", "services", "libs", "modules", "crates", "cmd", "src"})
_MOST_FOLDERS = 40
_ALIASES = "aliases"
_MOST_LOADED = 8
"""Sets of stacks whose gotchas are kept: those that callers name differ without end."""


@cache
def _rules() -> dict[str, dict[str, list[str]]]:
    text = (folder() / "stacks.toml").read_text(encoding="utf-8")
    rules: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return rules


def detect_stacks(root: Path) -> list[str]:
    """Return the stacks found at ``root`` and one level below, in the order of ``stacks.toml``.

    Of broken, huge or unreadable manifests, only the name counts.
    """
    names: set[str] = set()
    packages: set[str] = set()
    for place in _places(root):
        listed = _listed(place)
        names |= listed
        for name in filter(manifests.is_manifest, listed):
            made = manifests.read(place / name)
            packages.update(one.lower() for one in (made.packages if made else ()))
    rules = _rules().items()
    return [one for one, rule in rules if one != _ALIASES and _applies(rule, names, packages)]


def named_stacks(named: Sequence[str], root: Path) -> list[str]:
    """Return stacks by name or alias; unknown or missing names add the detected stacks."""
    rules = _rules()
    found: list[str] = []
    for one in filter(str.strip, dict.fromkeys(map(str.lower, named))):
        found += [
            one,
            *(rules[_ALIASES].get(one, [one]) if _is_known(one) else detect_stacks(root)),
        ]
    return list(dict.fromkeys(found)) or detect_stacks(root)


def unknown_stacks(named: Sequence[str]) -> list[str]:
    """Return the names that match no stack, each once."""
    return list(dict.fromkeys(one for one in named if one.strip() and not _is_known(one.lower())))


def _is_known(name: str) -> bool:
    return name != _ALIASES and (name in _rules() or name in _rules()[_ALIASES])


def _applies(rule: dict[str, list[str]], names: set[str], packages: set[str]) -> bool:
    if any(name in names for name in rule.get("files", ())):
        return True
    if any(name.endswith(tuple(rule.get("endings", ())) or ("\0",)) for name in names):
        return True
    return any(package in packages for package in rule.get("packages", ()))


def _places(root: Path) -> Iterator[Path]:
    yield root
    try:
        below = sorted(one for one in root.iterdir() if one.is_dir() and one.name[:1] != ".")
        nested = [root / ".github" / "workflows"]
        for one in below[:_MOST_FOLDERS]:
            yield one
            if one.name in _NESTS:
                nested += sorted(inner for inner in one.iterdir() if inner.is_dir())
    except OSError:
        return
    yield from (place for place in nested[:_MOST_FOLDERS] if place.is_dir())


def _listed(place: Path) -> set[str]:
    try:
        return {*(one.name for one in place.iterdir()), f"{place.name}/"}
    except OSError:
        return set()


SEVERITIES = ("low", "medium", "high", "critical")
_CODE = lazy_pattern(r"`([^`\n]{3,80})`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gotcha:
    """A known pitfall.

    Attributes:
        title: Short title.
        description: The failure and its cause.
        workaround: The remedy.
        stacks: Stacks it applies to; all if empty.
        patterns: Regular expressions that match affected code.
        names: Identifiers in affected code, matched as whole names.
        cures: Names in code that applies the workaround.
        phrases: Phrases of an affected intent, matched as a whole.
        severity: low, medium, high or critical.
        reference: Link to its documentation.
        origin: "project", "global" or "built-in".
        where: Location of a project's gotcha, as ``file:line``.
    """

    title: str
    description: str = ""
    workaround: str = ""
    stacks: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    cures: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    severity: str = "medium"
    reference: str = ""
    origin: str = "global"
    where: str = ""


def from_entry(entry: Entry) -> Gotcha:
    """Convert an entry of kind gotcha; names in backticks are matched in code.

    Names in the workaround count as remedies. ``[severity:: critical]`` sets the severity.
    """
    bad = entry.text.replace(entry.workaround, " ") if entry.workaround else entry.text
    severity = entry.fields.get("severity", "").lower()
    return Gotcha(
        title=entry.title,
        description=entry.told,
        workaround=entry.workaround,
        names=tuple(_CODE.findall(bad)),
        cures=tuple(_CODE.findall(entry.workaround)),
        severity=severity if severity in SEVERITIES else "high",
        origin="project",
        where=entry.where,
    )


@lru_cache(maxsize=_MOST_LOADED)
def load_builtin(stacks: frozenset[str] | None = None) -> tuple[Gotcha, ...]:
    """Return the gotchas that come with Mind, for all stacks or at least for these."""
    found: list[Gotcha] = []
    for path in sorted((folder() / "gotchas").glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        rows = tomllib.loads(text if stacks is None else _only(text, stacks)).get("gotcha", ())
        found += [_from_row(row, "built-in") for row in rows]
    return tuple(found)


_ROW, _STACKS = "[[gotcha]]\n", "\nstacks = ["


def _only(text: str, stacks: frozenset[str]) -> str:
    """The rows of a file that may apply to ``stacks``: to parse all takes longer than a check."""
    quoted = [f'"{one.lower()}"' for one in stacks]
    kept = []
    for row in text.split(_ROW)[1:]:
        listed, closed, _ = row.partition(_STACKS)[2].partition("]\n")
        if not (closed and listed) or any(one in listed for one in quoted):
            kept.append(row)
    return "".join(f"{_ROW}{row}" for row in kept)


def _from_row(row: Mapping[str, object], origin: str) -> Gotcha:
    return Gotcha(
        title=str(row["title"]),
        description=str(row.get("description", "")),
        workaround=str(row.get("workaround", "")),
        stacks=tuple(_strings(row.get("stacks"))),
        patterns=tuple(_strings(row.get("patterns"))),
        cures=tuple(_strings(row.get("cures"))),
        phrases=tuple(_strings(row.get("phrases"))),
        severity=str(row.get("severity", "medium")),
        reference=str(row.get("reference", "")),
        origin=origin,
    )


def _strings(value: object) -> Iterator[str]:
    """Yield the strings of a value, a single string as one item; other types are skipped."""
    items: Iterable[object] = [value] if isinstance(value, str) else ()
    if isinstance(value, list | tuple):
        items = value
    return (item for item in items if isinstance(item, str) and item.strip())


def load_global(data: object) -> list[Gotcha]:
    """Parse ``global_edges.json`` leniently, skipping unusable parts.

    Accepts a list of objects, alone or under ``edges``; also ``detection`` (a phrase, a list of
    phrases, or an object with ``patterns`` or ``code`` and ``intent``) and ``stack_tags``.
    """
    return [_covered(_lenient(row)) for row in _rows(data)]


def of_user() -> list[Gotcha]:
    """Return the user's gotchas for all projects."""
    return load_global(files.read_json(home() / "global_edges.json"))


def of_every_project(root: Path) -> tuple[Gotcha, ...]:
    """Return the user's gotchas for the stacks of the project at ``root``."""
    known = of_user()
    stacks = set(detect_stacks(root)) if any(one.stacks for one in known) else set[str]()
    return tuple(one for one in known if not one.stacks or stacks & set(one.stacks))


def _rows(data: object) -> list[Mapping[str, object]]:
    if isinstance(data, dict):
        data = data.get("edges", data.get("global_edges"))
    if not isinstance(data, list):
        return []
    rows = [row for row in data if isinstance(row, dict) and isinstance(row.get("title"), str)]
    return [row for row in rows if row["title"].strip()]


def _covered(one: Gotcha) -> Gotcha:
    """Mask credentials in the fields of ``one``."""
    return replace(
        one,
        title=mask(one.title),
        description=mask(one.description),
        workaround=mask(one.workaround),
        reference=mask(one.reference),
        stacks=tuple(map(mask, one.stacks)),
        phrases=tuple(map(mask, one.phrases)),
        patterns=tuple(pattern for pattern in one.patterns if mask(pattern) == pattern),
    )


def _lenient(row: Mapping[str, object]) -> Gotcha:
    phrases = [*_strings(row.get("phrases")), *_strings(_detection(row).get("intent"))]
    stacks = [*_strings(row.get("stacks")), *_strings(row.get("stack_tags"))]
    severity = str(row.get("severity", "medium")).lower()
    return _from_row(
        {
            **row,
            "patterns": [pattern for pattern in _patterns(row) if problem(pattern) is None],
            "phrases": phrases,
            "stacks": [stack.lower() for stack in stacks],
            "severity": severity if severity in SEVERITIES else "medium",
        },
        "global",
    )


def _detection(row: Mapping[str, object]) -> Mapping[str, object]:
    detection = row.get("detection")
    return detection if isinstance(detection, dict) else {"intent": detection}


def _patterns(row: Mapping[str, object]) -> list[str]:
    fields = _detection(row)
    found = [*_strings(row.get("patterns")), *_strings(row.get("pattern"))]
    return [*found, *_strings(fields.get("patterns")), *_strings(fields.get("code"))]


def skipped(data: object) -> list[str]:
    """List patterns in ``global_edges.json`` that are ignored, always or sometimes, and why."""
    return [
        f"the pattern {_shown(pattern)} of the gotcha {_shown(row['title'])} {trouble}"
        for row in _rows(data)
        for pattern in _patterns(row)
        if (trouble := _trouble(pattern))
    ]


def _shown(value: object) -> str:
    return repr(mask(str(value))[:60])


def dump_global(gotchas: Iterable[Gotcha]) -> dict[str, object]:
    """Return the content of ``global_edges.json`` for ``gotchas``."""
    rows = [
        {
            "title": one.title,
            "description": one.description,
            "workaround": one.workaround,
            "stacks": list(one.stacks),
            "patterns": list(one.patterns),
            "phrases": list(one.phrases),
            "severity": one.severity,
            "reference": one.reference,
        }
        for one in gotchas
    ]
    return {"schema_version": 1, "edges": rows}


_MOST_CHARACTERS = {
    "title": 200, "description": 2_000, "workaround": 2_000, "pattern": 500, "stack": 500,
}  # fmt: skip


def new_global(  # noqa: PLR0913, PLR0917 - the fields of a gotcha
    title: str,
    description: str,
    workaround: str,
    stack: Sequence[str] = (),
    pattern: str = "",
    severity: str = "medium",
) -> Gotcha:
    """Create a gotcha for all projects.

    Raises:
        InputError: Empty or too long title or text, an unknown severity, or an unusable pattern.
    """
    if not title.strip():
        raise InputError("the gotcha has no title", remedy="Name it in a few words.")
    if not (description.strip() or workaround.strip()):
        raise InputError(
            "the gotcha says neither what goes wrong nor what to do",
            remedy="Give a description, a workaround, or both.",
        )
    named = {"title": title, "description": description, "workaround": workaround,
             "pattern": pattern, "stack": ", ".join(stack)}  # fmt: skip
    for name, value in named.items():
        if len(value) > (most := _MOST_CHARACTERS[name]):
            raise InputError(
                f"the {name} has {len(value):,} characters", remedy=f"Shorten it to {most:,}."
            )
    if severity.lower() not in SEVERITIES:
        raise InputError(
            f"unknown severity {severity!r}", remedy=f"Use one of: {', '.join(SEVERITIES)}."
        )
    if pattern and (trouble := _trouble(pattern)):
        raise InputError(
            f"the pattern {trouble}",
            remedy=f"Use a regular expression of at most {LONGEST} characters, in which no "
            "repetition can match the same text in two ways, as in (a|a)* or (a+)+.",
        )
    return Gotcha(
        title=" ".join(title.split()),
        description=" ".join(description.split()),
        workaround=" ".join(workaround.split()),
        stacks=tuple(one.strip().lower() for one in stack if one.strip()),
        patterns=(pattern,) if pattern else (),
        severity=severity.lower(),
    )


def _trouble(pattern: str) -> str:
    """Return the fault of a pattern, as in "the pattern …"; "" if it is usable."""
    from mind.text.sourcetext.limited import slow_text  # noqa: PLC0415 - only when adding one

    trouble = problem(pattern)
    if trouble:
        return trouble
    text = slow_text(pattern)
    return f"is too slow: a search in {text} takes too long" if text else ""
