"""Settings: their names, types, defaults and descriptions, and how they are read.

A setting is looked up in the project's ``.mind/config.json``, then in the user's
``~/.mind/config.toml``; otherwise it has the default below. The settings reference is generated
from the field metadata.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from copy import copy
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from mind import __version__
from mind.domain.errors import ConfigError

Value = bool | int | float | str | list[str] | dict[str, list[str]] | dict[str, float]


def _setting(  # noqa: PLR0913 - the attributes of a setting, by name
    default: Value,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    own: bool = False,
    among: tuple[str, ...] = (),
) -> Any:  # noqa: ANN401 - a dataclass field, typed where it is declared
    meta = {"doc": doc, "low": low, "high": high, "own": own, "among": among}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: copy(default), metadata=meta)
    return field(default=default, metadata=meta)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings with their defaults; a field ``section_key`` is the setting ``section.key``."""

    session_gap_minutes: int = _setting(
        30, "Idle minutes after which a new session begins.", low=1, high=10080
    )
    context_budget_tokens: int = _setting(
        1500,
        "Maximum size of the context block in tokens, at 4 characters per token.",
        low=200,
        high=20000,
    )
    context_targets: list[str] = _setting(
        [],
        "Files that contain the context block, relative to the project. Set by `mind init`.",
    )
    parser_languages: list[str] = _setting(
        [],
        'Languages whose keywords are recognised, such as ["en", "de"]. Empty: all supported '
        "languages.",
    )
    parser_keywords: dict[str, list[str]] = _setting(
        {}, 'Extra keywords by kind, such as {"gotcha": ["trap"]}.'
    )
    parser_min_confidence: float = _setting(
        0.3, "Minimum parser confidence; entries below it are left out.", low=0, high=1
    )
    capture_comments: bool = _setting(True, "Read MEMORY: comments in source code.")
    capture_documents: bool = _setting(
        True, "Search the project's own documents and manifests, in place."
    )
    capture_commits: bool = _setting(
        True, "Read marked lines (`decided:`, `MEMORY:`) in git commits, and search their text."
    )
    capture_max_commits: int = _setting(
        2000, "Maximum number of commits to read the first time.", low=0, high=1000000
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
        "Similarity from which a session note is linked to an existing entry, or supersedes it.",
        low=0,
        high=1,
    )
    search_limit: int = _setting(10, "Default number of search results.", low=1, high=100)
    search_weights: dict[str, float] = _setting(
        {},
        'Weights of search signals, such as {"meaning": 0}; `mind search --explain` lists the '
        "signals.",
        low=0,
        high=100,
    )
    search_lowercase_names: bool = _setting(
        True, "Also find capitalised names that a query has in lower case."
    )
    search_reranker: str = _setting(
        "", "Installed entry point in the group mind.rerankers that re-ranks the best results."
    )
    search_reranker_seconds: float = _setting(
        0.5,
        "Timeout of the reranker in seconds; after it, its order is not used.",
        low=0.01,
        high=60,
    )
    reply_max_characters: int = _setting(
        12000, "Maximum length of a tool's answer, in characters.", low=1000, high=50000
    )
    embedding_model: str = _setting(
        "", "Embedding model for search. Empty: the only one installed, or the first by name."
    )
    embedding_backend: str = _setting(
        "auto",
        "Backend that runs the model: auto, coreml or onnx; off disables search by meaning.",
    )
    embedding_compute_units: str = _setting(
        "cpu_only", "Compute units for Core ML: cpu_only, cpu_and_gpu, cpu_and_ne or all."
    )
    embedding_threads: int = _setting(1, "Threads per text, with ONNX Runtime.", low=1, high=64)
    events_enabled: bool = _setting(
        True,
        "Keep a usage log of searches, reads and uses in .mind/events.jsonl. If false, only the "
        "new id of a manually edited entry is logged.",
    )
    events_max_bytes: int = _setting(
        10_000_000,
        "Size in bytes at which the usage log is set aside and a new one begins.",
        low=10_000,
        high=60_000_000,
    )
    events_queries: bool = _setting(
        True, "Log the text of queries, up to 200 characters; if false, only a hash."
    )
    tidy_automatic: bool = _setting(
        True, "Let the server archive expired entries that Mind wrote and nobody used."
    )
    tidy_interval_hours: int = _setting(24, "Hours between such automatic runs.", low=1, high=8760)
    scopes_allowed: list[str] = _setting(
        [], "Tags allowed on new entries, without `#`. Empty: any."
    )
    mirror_dsn: str = _setting(
        "",
        "PostgreSQL database for the mirror: a URL or key=value pairs. User setting only "
        "(~/.mind/config.toml); MIND_MIRROR_DSN overrides it. See docs/how-to/mirror.md.",
        own=True,
    )
    mirror_tls: str = _setting(
        "verify-full",
        "Weakest sslmode accepted for a remote host: verify-full, verify-ca, require or disable. "
        "User setting only.",
        own=True,
    )
    mirror_project: str = _setting(
        "",
        "Key of the project in the mirror, the same in all clones. Set by `mind mirror sync`.",
    )
    mirror_name: str = _setting(
        "",
        "Name of the project in answers of the mirror. Empty: the folder that was first sent.",
    )
    mirror_team: str = _setting("default", "Team in the mirror that the project belongs to.")
    mirror_search: bool = _setting(
        False,
        "Search the mirror; fall back to this machine if it does not answer or lacks something.",
    )
    gotchas_builtin: bool = _setting(True, "Also check the built-in platform gotchas.")
    hooks_enabled: bool = _setting(True, "Answer the client's hooks.")
    hooks_recall: bool = _setting(
        True, "At session start, begin the session, refresh the block and show what is due."
    )
    hooks_reminders: bool = _setting(True, "Show reminders that a prompt triggers.")
    hooks_titles: bool = _setting(
        True, "Show the entry that a prompt is very likely about, each once per session."
    )
    hooks_warnings: bool = _setting(
        True, "Show gotchas and rejected approaches that match an edit or a command."
    )
    hooks_ask: str = _setting(
        "critical",
        "When to ask the user before an action with a warning: critical (for critical ones) or "
        "never.",
        among=("critical", "never"),
    )
    hooks_edits: bool = _setting(
        True, "Log which files are edited, and why, in the usage log (events.enabled)."
    )
    hooks_snapshot: bool = _setting(
        True, "Before a compaction, save the current work, and show it afterwards."
    )
    hooks_harvest: bool = _setting(True, "At the end of a turn, read new commits and comments.")
    hooks_capture: str = _setting(
        "ask",
        "Sentences of the session that may be worth keeping: ask offers them to the agent, auto "
        "records those that the user asks to keep, off reads nothing.",
        among=("ask", "off", "auto"),
    )
    links_allowed: list[str] = _setting(
        [],
        "Links that may lead out of their repository, such as "
        "`/app/CLAUDE.md -> /notes/CLAUDE.md`. User setting only (~/.mind/config.toml).",
        own=True,
    )
    time_zone: str = _setting("", "IANA time zone, such as Europe/Madrid. Empty: the system's.")

    def describe(self) -> list[tuple[str, str, Value, str]]:
        """Rows of (key, type, value, description), in the order of definition."""
        return [
            (dotted(f.name), type_name(f), _shown(getattr(self, f.name)), f.metadata["doc"])
            for f in fields(self)
        ]

    def __hash__(self) -> int:
        return hash(self.reading)

    def allows(self, tag: str) -> bool:
        """Return whether a new entry may have ``tag``: ``scopes.allowed`` lists it, or nothing."""
        allowed = {one.lstrip("#").casefold() for one in self.scopes_allowed}
        return not allowed or tag.casefold() in allowed

    @property
    def reading(self) -> str:
        """A digest of everything that affects parsing, including Mind's version."""
        decides = (__version__, self.parser_languages, self.parser_keywords)
        said = repr((*decides, self.parser_min_confidence))
        return hashlib.blake2b(said.encode(), digest_size=4).hexdigest()


_PASSWORD = re.compile(r"(://[^:/?#@\s]*:)[^@/\s]*(?=@)|(\bpassword\s*=\s*)('[^']*'|[^\s&]+)")


def _shown(value: Value) -> Value:
    """``value`` with a password replaced by ``***``."""
    return _PASSWORD.sub(r"\1\2***", value) if isinstance(value, str) else value


def dotted(name: str) -> str:
    """``session_gap_minutes`` → ``session.gap_minutes``."""
    return name.replace("_", ".", 1)


def known(key: str) -> None:
    """Check that there is a setting ``key``.

    Raises:
        ConfigError: There is none; the message suggests a similar name.
    """
    if key not in _FIELDS:
        raise ConfigError(f"there is no setting {key!r}{_nearest(key)}", key=key)


def type_name(spec: "Field[Any]") -> str:
    """The type as written in the definition, such as ``bool`` or ``list[str]``."""
    return spec.type.__name__ if type(spec.type) is type else str(spec.type)


_FIELDS = {dotted(f.name): f for f in fields(Settings)}
_OWN = {key for key, spec in _FIELDS.items() if spec.metadata["own"]}
"""Settings that only the user can make: a repository must not be able to send memory elsewhere."""


def load(project_file: Path | None, user_file: Path | None) -> Settings:
    """Read both files and merge them over the defaults.

    Raises:
        ConfigError: A file is not valid JSON or TOML, or a key, type or value is invalid; it names
            the file, the key and the accepted values.
    """
    merged: dict[str, Any] = {}
    for path in (user_file, project_file):
        if path is not None and path.is_file():
            merged |= _validated(_flatten(_read(path)), path)
    return Settings(**{_FIELDS[key].name: value for key, value in merged.items()})


def load_around(
    project_file: Path | None, user_file: Path | None
) -> tuple[Settings, tuple[str, ...]]:
    """Like :func:`load`, but skip an invalid file and return its problems.

    A typing error in a settings file must not make the memory unusable.
    """
    files: list[Path | None] = []
    problems: list[str] = []
    for path in (user_file, project_file):
        try:
            load(path, None)
            files.append(path)
        except ConfigError as error:
            files.append(None)
            problems.append(f"{error} Until then, the settings in it are ignored.")
    return load(files[1], files[0]), tuple(problems)


def parse_value(key: str, text: str) -> Value:
    """The value of ``text`` in ``mind config KEY TEXT``: parsed as JSON if valid, else a string.

    Raises:
        ConfigError: The key is unknown, or the value is invalid for it.
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
            remedy=f"Correct {path}, or delete it to use the defaults.",
            path=str(path),
        ) from error
    if not isinstance(data, dict):
        raise ConfigError(
            f"{path} contains {type(data).__name__}, not an object of settings",
            remedy=f"Write a JSON object such as {{}} to {path}.",
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


def check_place(key: str, path: Path) -> None:
    """Check that a setting is allowed in a file.

    Raises:
        ConfigError: It is a user setting, and the file belongs to a project.
    """
    if key in _OWN and path.suffix == ".json":
        raise ConfigError(
            f"{path}: {key} is a user setting, which a project cannot set",
            remedy=f"Remove it there, and run `mind config --user {key} VALUE`.",
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
        wanted = "true or false" if isinstance(default, bool) else type(default).__name__
        return f"must be {wanted}, not {value!r}"
    if isinstance(value, dict):
        fits = all(isinstance(inner, list) for inner in value.values())
        items = [item for inner in value.values() if isinstance(inner, list) for item in inner]
    else:
        fits, items = True, value if isinstance(value, list) else []
    return "" if fits and all(isinstance(item, str) for item in items) else "must contain strings"


def _numbers_problem(value: object, low: float, high: float) -> str:
    if not isinstance(value, dict):
        return f"must be a table of numbers, not {value!r}"
    for name, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            return f"must contain numbers, not {number!r}"
        problem = _range_problem(number, low, high)
        if problem:
            return f"{problem} ({name})"
    return ""


def _range_problem(value: object, low: float | None, high: float | None) -> str:
    if low is None or high is None or not isinstance(value, int | float) or low <= value <= high:
        return ""
    return f"must be between {low} and {high}, not {value}"


def _nearest(key: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only for an error

    close = get_close_matches(key, _FIELDS, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
