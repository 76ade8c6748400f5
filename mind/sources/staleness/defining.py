"""Whether a file still defines something: a symbol, a target, a script, a recipe."""

import json
import os
import re
import stat
from pathlib import Path

from mind.domain.errors import FileError
from mind.sources.staleness.citing import Needle
from mind.storage import files

_LARGEST = 1_000_000
"""Bytes of a file that is looked into."""
_MOST_FILES = 256
_RULE = re.compile(r"([^\s#:=][^#:=]*?)\s*::?(?!=)")
_COMPUTED = re.compile(r"\$[({].*[)}]")
_INCLUDED = re.compile(r"(?m)^(?:-?s?include|import\??|mod\??)[ \t]")

_known: dict[tuple[str, int, int], dict[Needle, bool | None]] = {}
"""File, time of change and size → what was found out about it."""


def defines(file: Path, needle: Needle) -> bool | None:
    """Whether ``file`` defines what is meant; None if that cannot be told. A missing one does not.

    Files are read again only when they changed.
    """
    try:
        now = os.stat(file)  # noqa: PTH116 - the same as Path.stat, in a quarter of the time
    except FileNotFoundError:
        return False
    except OSError:
        return None
    if not stat.S_ISREG(now.st_mode) or now.st_size > _LARGEST:
        return None
    if len(_known) > _MOST_FILES:
        _known.clear()
    known = _known.setdefault((str(file), now.st_mtime_ns, now.st_size), {})
    if needle not in known:
        known[needle] = _looked(file, needle)
    return known[needle]


def _looked(file: Path, needle: Needle) -> bool | None:
    try:
        data = files.read(file)
    except FileError:
        return None
    if b"\0" in data:
        return None
    text = data.decode("utf-8", "replace")
    match needle.program:
        case "make":
            return _has_target(text, needle.word)
        case "npm":
            return _has_script(text, needle.word)
        case "just":
            return _has_recipe(text, needle.word)
        case _:
            return re.search(rf"(?<!\w){re.escape(needle.word)}(?!\w)", text) is not None


def _has_target(text: str, name: str) -> bool | None:
    """None where what make would find is computed, or in another file."""
    surely: bool | None = False if not _INCLUDED.search(text) else None
    for line in text.replace("\\\n", " ").splitlines():
        rule = _RULE.match(line)
        for target in rule[1].split() if rule else ():
            pattern = re.escape(target).replace("%", ".+")
            if re.fullmatch(pattern, name):
                return True
            if _COMPUTED.fullmatch(target):
                surely = None
    return surely


def _has_script(text: str, name: str) -> bool | None:
    try:
        data = json.loads(text)
    except ValueError:
        return None
    scripts = data.get("scripts", {}) if isinstance(data, dict) else None
    return name in scripts if isinstance(scripts, dict) else None


def _has_recipe(text: str, name: str) -> bool | None:
    word = re.escape(name)
    if re.search(rf"(?m)^(?:@?{word}(?:[ \t][^\n]*)?:(?!=)|alias[ \t]+{word}[ \t]*:=)", text):
        return True
    return None if _INCLUDED.search(text) else False
