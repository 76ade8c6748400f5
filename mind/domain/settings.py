"""Settings: what can be set, what it means, and what is set here.

A key is looked up in the project's ``.mind/config.json``, then in the user's
``~/.mind/config.toml``, then it has the default below. The reference page of the settings is
generated from the field metadata.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from mind import __version__
from mind.domain.errors import ConfigError

Value = bool | int | float | str | list[str] | dict[str, list[str]] | dict[str, float]


def _setting(  # noqa: PLR0913 - what a setting has, by name
    default: Value,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    own: bool = False,
    among: tuple[str, ...] = (),
) -> Any:  # noqa: ANN401 - a dataclass field, typed where it stands
    meta = {"doc": doc, "low": low, "high": high, "own": own, "among": among}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: copy(default), metadata=meta)
    return field(default=default, metadata=meta)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Every setting with its default; names are ``section_key``, written ``section.key``."""

    session_gap_minutes: int = _setting(
        30, "Idle minutes after which a new session begins.", low=1, high=10080
    )
    context_budget_tokens: int = _setting(
        1500, "Size of the context block, at 4 characters a token.", low=200, high=20000
    )
    context_targets: list[str] = _setting(
        [],
        "Files that carry the context block, relative to the project; `mind init` fills it.",
    )
    parser_languages: list[str] = _setting(
        [],
        'Languages whose keywords are understood, as in ["en", "de"]; empty: all that Mind knows.',
    )
    parser_keywords: dict[str, list[str]] = _setting(
        {}, 'Extra keywords by kind, as in {"gotcha": ["trap"]}.'
    )
    parser_min_confidence: float = _setting(
        0.3, "Entries the parser is less sure of are left out.", low=0, high=1
    )
    capture_comments: bool = _setting(True, "Read MEMORY: comments in the source.")
    capture_documents: bool = _setting(
        True, "Search the project's own documents and manifests, where they stand."
    )
    capture_commits: bool = _setting(
        True, "Read marks (`decided:`, `MEMORY:`) and reasoned reverts in git commits."
    )
    capture_max_commits: int = _setting(
        2000, "How many commits back to read the first time.", low=0, high=1000000
    )
    similarity_moderate: float = _setting(
        0.60, "Similarity from which a repeated approach is reported.", low=0, high=1
    )
    similarity_high: float = _setting(
        0.80, "Similarity from which it is reported as very similar.", low=0, high=1
    )
    similarity_critical: float = _setting(
        0.95, "Similarity from which it is reported as the same.", low=0, high=1
    )
    promotion_link: float = _setting(
        0.70,
        "Similarity from which a session item is linked to, or supersedes, the known one.",
        low=0,
        high=1,
    )
    search_limit: int = _setting(10, "Hits of a search when none are asked for.", low=1, high=100)
    search_weights: dict[str, float] = _setting(
        {},
        'How much signals of a search count, as in {"meaning": 0}; `mind search --explain` '
        "names them all.",
        low=0,
        high=100,
    )
    search_reranker: str = _setting(
        "", "An installed entry point of mind.rerankers that reads the best hits again."
    )
    search_reranker_seconds: float = _setting(
        0.5, "How long it may take before its order is not waited for.", low=0.01, high=60
    )
    reply_max_characters: int = _setting(12000, "Cap of one tool answer.", low=1000, high=50000)
    embedding_model: str = _setting(
        "", "Embedding model that search uses; empty: the only one, or the first by name."
    )
    embedding_backend: str = _setting(
        "auto",
        "What runs it: auto, coreml or onnx; off: none.",
    )
    embedding_compute_units: str = _setting(
        "cpu_only", "What Core ML may use: cpu_only, cpu_and_gpu, cpu_and_ne or all."
    )
    embedding_threads: int = _setting(
        1, "Threads that one text may use, with ONNX Runtime.", low=1, high=64
    )
    events_enabled: bool = _setting(
        True,
        "Keep a log of what is searched, read and used, in .mind/events.jsonl; without it, only "
        "which id an entry got when it was edited by hand.",
    )
    events_max_bytes: int = _setting(
        10_000_000,
        "Size at which that log is compressed and a new one begins.",
        low=10_000,
        high=60_000_000,
    )
    events_queries: bool = _setting(
        True, "Keep the words of searches in it, up to 200 characters; else only a hash."
    )
    tidy_automatic: bool = _setting(
        True, "A server archives what Mind wrote, and nobody used, once it has lived its time."
    )
    tidy_interval_hours: int = _setting(
        24, "Hours from one such sweep to the next.", low=1, high=8760
    )
    scopes_allowed: list[str] = _setting(
        [], "Tags that new entries may have, without their hash; empty: any."
    )
    mirror_dsn: str = _setting(
        "",
        "PostgreSQL that mirrors the projects you sync: a URL or key=value words. Yours alone, in "
        "~/.mind/config.toml; MIND_MIRROR_DSN wins. See docs/how-to/mirror.md.",
        own=True,
    )
    mirror_tls: str = _setting(
        "verify-full",
        "The weakest sslmode that is accepted for a host that is not this machine: verify-full, "
        "verify-ca, require or disable. Yours alone.",
        own=True,
    )
    mirror_project: str = _setting(
        "",
        "Name of the project in the mirror, the same in all its clones; `mind mirror sync` "
        "fills it.",
    )
    mirror_team: str = _setting("default", "Team in the mirror that the project belongs to.")
    mirror_search: bool = _setting(
        False, "Search in the mirror; here if it does not answer, or lacks something."
    )
    gotchas_builtin: bool = _setting(True, "Check the built-in platform gotchas too.")
    hooks_enabled: bool = _setting(True, "Answer the client's hooks at all.")
    hooks_recall: bool = _setting(
        True, "At the start of a session: begin it, refresh the block, say what is due."
    )
    hooks_reminders: bool = _setting(True, "Show reminders that a prompt brings up.")
    hooks_titles: bool = _setting(
        True, "Show with a prompt up to three entries that it is very likely about, once a session."
    )
    hooks_warnings: bool = _setting(
        True, "Show gotchas and rejected approaches that an edit or a command walks into."
    )
    hooks_ask: str = _setting(
        "critical",
        "Have the user asked before what is critical: critical or never.",
        among=("critical", "never"),
    )
    hooks_edits: bool = _setting(
        True, "Note which files are edited, and why, in the usage log (events.enabled)."
    )
    hooks_snapshot: bool = _setting(
        True, "Before a compaction keep what is being worked on, and show it after."
    )
    hooks_harvest: bool = _setting(
        True, "At the end of a turn read commits and comments that are new."
    )
    hooks_capture: str = _setting(
        "ask",
        "Sentences of the session that may be worth keeping: ask offers them to the agent, auto "
        "records those that the person asks to keep, off reads nothing.",
        among=("ask", "off", "auto"),
    )
    links_allowed: list[str] = _setting(
        [],
        "Links that may lead out of their repository, as in `/app/CLAUDE.md -> /notes/CLAUDE.md`. "
        "Yours alone, in ~/.mind/config.toml.",
        own=True,
    )
    time_zone: str = _setting("", "IANA name such as Europe/Madrid; empty: the system's.")

    def describe(self) -> list[tuple[str, str, Value, str]]:
        """Rows of (key, type, value, documentation), in the order of definition."""
        return [
            (dotted(f.name), type_name(f), _shown(getattr(self, f.name)), f.metadata["doc"])
            for f in fields(self)
        ]

    @property
    def reading(self) -> str:
        """A digest of what decides which entries a text holds, Mind's version among it."""
        decides = (__version__, self.parser_languages, self.parser_keywords)
        said = repr((*decides, self.parser_min_confidence))
        return hashlib.blake2b(said.encode(), digest_size=4).hexdigest()


_PASSWORD = re.compile(r"(://[^:/?#@\s]*:)[^@/\s]*(?=@)|(\bpassword\s*=\s*)('[^']*'|[^\s&]+)")


def _shown(value: Value) -> Value:
    """A value without its password."""
    return _PASSWORD.sub(r"\1\2***", value) if isinstance(value, str) else value


def dotted(name: str) -> str:
    """``session_gap_minutes`` → ``session.gap_minutes``."""
    return name.replace("_", ".", 1)


def known(key: str) -> None:
    """Do nothing for a setting.

    Raises:
        ConfigError: There is none of this name; the message names one that is written like it.
    """
    if key not in _FIELDS:
        raise ConfigError(f"there is no setting {key!r}{_nearest(key)}", key=key)


def type_name(spec: "Field[Any]") -> str:
    """``bool``, ``list[str]`` … as written in the definition."""
    return spec.type.__name__ if type(spec.type) is type else str(spec.type)


_FIELDS = {dotted(f.name): f for f in fields(Settings)}
_OWN = {key for key, spec in _FIELDS.items() if spec.metadata["own"]}
"""What only the user can set: a repository of somebody else must not send memory away."""


def load(project_file: Path | None, user_file: Path | None) -> Settings:
    """Read both files and merge them over the defaults.

    Raises:
        ConfigError: A file is not valid JSON or TOML, or a key, type or value is wrong; it names
            the file, the key and what is accepted.
    """
    merged: dict[str, Any] = {}
    for path in (user_file, project_file):
        if path is not None and path.is_file():
            merged |= _validated(_renamed(_flatten(_read(path))), path)
    return Settings(**{_FIELDS[key].name: value for key, value in merged.items()})


def load_around(
    project_file: Path | None, user_file: Path | None
) -> tuple[Settings, tuple[str, ...]]:
    """As :func:`load`, but a file that is wrong is left out, and what is wrong with it returned.

    A typing error in a settings file must not take the memory away.
    """
    files: list[Path | None] = []
    problems: list[str] = []
    for path in (user_file, project_file):
        try:
            load(path, None)
            files.append(path)
            problems += _told(path)
        except ConfigError as error:
            files.append(None)
            problems.append(f"{error} Until then its settings have no effect.")
    return load(files[1], files[0]), tuple(problems)


def parse_value(key: str, text: str) -> Value:
    """The value that ``mind config KEY TEXT`` means: JSON if it is, else a plain string.

    Raises:
        ConfigError: The key is unknown or the value does not fit it.
    """
    try:
        raw = json.loads(text)
    except json.JSONDecodeError:
        raw = text
    value: Value = _validated({key: raw}, Path("command line"))[key]
    return value


def _read(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text or "{}")
    except (ValueError, OSError, RecursionError) as error:
        raise ConfigError(
            f"{path} cannot be read: {error}",
            remedy=f"Correct {path}, or delete it to return to the defaults.",
            path=str(path),
        ) from error
    if not isinstance(data, dict):
        raise ConfigError(
            f"{path} holds {type(data).__name__}, not a table of settings",
            remedy=f"Write an object such as {{}} to {path}.",
            path=str(path),
        )
    return data


def _flatten(data: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for section, value in data.items():
        if section in ("schema_version", "$schema"):
            continue
        if isinstance(value, dict) and section not in _FIELDS:
            flat |= {f"{section}.{key}": inner for key, inner in value.items()}
        else:
            flat[section] = value
    return flat


_REPLACED = {"hooks.transcripts": ("hooks.capture", {True: "auto", False: "ask"})}
"""Settings of earlier versions, what they are called now, and their values there."""

_RETIRED = frozenset({"promotion.skip"})
"""Settings of earlier versions that change nothing any more."""


def _renamed(flat: dict[str, Any]) -> dict[str, Any]:
    """``flat`` with settings of earlier versions under their names of today."""
    for old in _RETIRED:
        flat.pop(old, None)
    for old, (new, values) in _REPLACED.items():
        if isinstance(flat.get(old), bool):
            flat.setdefault(new, values[flat.pop(old)])
    return flat


def _told(path: Path | None) -> Iterator[str]:
    """Name the settings of a file that are called otherwise now, or have no effect."""
    flat = _flatten(_read(path)) if path is not None and path.is_file() else {}
    for old, (new, values) in _REPLACED.items():
        if isinstance(flat.get(old), bool):
            value = flat.get(new, values[flat[old]])
            yield f"{path}: {old} is now {new} ({value}). Rename it there."
    for old in sorted(_RETIRED & flat.keys()):
        yield f"{path}: {old} has no effect any more. Remove it there."


def check_place(key: str, path: Path) -> None:
    """True if a setting may stand in a file.

    Raises:
        ConfigError: It is the user's own, and the file a project's.
    """
    if key in _OWN and path.suffix == ".json":
        raise ConfigError(
            f"{path}: {key} is a setting of yours, which a project cannot make",
            remedy=f"Take it out of there, and run `mind config --user {key} VALUE`.",
            key=key,
            path=str(path),
        )


def _validated(flat: Mapping[str, Any], path: Path) -> dict[str, Any]:
    for key, value in flat.items():
        check_place(key, path)
        if key not in _FIELDS:
            raise ConfigError(
                f"{path}: unknown setting {key!r}{_nearest(key)}", key=key, path=str(path)
            )
        _check(key, value, path)
    return dict(flat)


def _check(key: str, value: object, path: Path) -> None:
    spec = _FIELDS[key]
    if spec.type == dict[str, float]:
        problem = _numbers_problem(value, spec.metadata["low"], spec.metadata["high"])
    else:
        problem = _type_problem(getattr(Settings(), spec.name), value) or _range_problem(
            value, spec.metadata["low"], spec.metadata["high"]
        )
    among = spec.metadata["among"]
    if not problem and among and value not in among:
        problem = f"must be {', '.join(among[:-1])} or {among[-1]}, not {value!r}"
    if problem:
        raise ConfigError(f"{path}: {key} {problem}", key=key, path=str(path))


def _type_problem(default: Value, value: object) -> str:
    accepted: tuple[type, ...] = (int, float) if isinstance(default, float) else (type(default),)
    misread = isinstance(value, bool) and not isinstance(default, bool)
    if misread or not isinstance(value, accepted):
        return f"must be {type(default).__name__}, not {value!r}"
    if isinstance(value, dict):
        fits = all(isinstance(inner, list) for inner in value.values())
        items = [item for inner in value.values() if isinstance(inner, list) for item in inner]
    else:
        fits, items = True, value if isinstance(value, list) else []
    return "" if fits and all(isinstance(item, str) for item in items) else "must hold strings"


def _numbers_problem(value: object, low: float, high: float) -> str:
    if not isinstance(value, dict):
        return f"must be a table of numbers, not {value!r}"
    for name, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            return f"must hold numbers, not {number!r}"
        problem = _range_problem(number, low, high)
        if problem:
            return f"{problem} ({name})"
    return ""


def _range_problem(value: object, low: float | None, high: float | None) -> str:
    if low is None or high is None or not isinstance(value, int | float) or low <= value <= high:
        return ""
    return f"must be between {low} and {high}, not {value}"


def _nearest(key: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only when something is wrong

    close = get_close_matches(key, _FIELDS, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
