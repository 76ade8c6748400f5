"""Names of code in texts, and whether the tree still has all that a text names."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from mind.sources.git.repository import ask
from mind.storage.process import Patience

_CODE = re.compile(r"(?<!`)`([^`\n]{1,80})`(?!`)")
_BLOCKS = re.compile(r"^ {0,8}(```+|~~~+).*?(?:^ {0,8}\1|\Z)", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"[\\@$]*(?P<name>[\w./][\w.:/\\-]*?)/?(?:\(\))?")
_PARTED = re.compile(r".[^\W\d]*?(?:[_.:/\\-]|(?<=[^\W_A-Z])[A-Z])")
"""Matches a name that is no ordinary word: it has several parts."""
_LEAST, _MOST = 5, 2_000
"""Letters of a name that tells something, and maximum names that are looked up."""
_SECONDS = 4.0
_DOCUMENTS = ("md", "markdown", "mdx", "rst", "adoc", "txt", "org")


def names(text: str) -> set[str]:
    """Return the names of files and symbols in code within a text, without their namespaces."""
    found = (_NAME.fullmatch(one) for one in _CODE.findall(_BLOCKS.sub("", text)))
    last = (re.split(r"\\|::", one["name"])[-1].removeprefix("./") for one in found if one)
    return {one for one in last if len(one) >= _LEAST and _PARTED.match(one)}


def still_true(root: Path, texts: Mapping[str, str]) -> set[str]:
    """Return the keys of texts that name code, all of which is there outside of documents.

    Args:
        root: Top of the worktree.
        texts: Texts by key.
    """
    named = {key: found for key, text in texts.items() if (found := names(text))}
    wanted = sorted(set().union(*named.values()))[:_MOST]
    if not wanted:
        return set()
    pattern = "|".join(map(re.escape, wanted))  # faster than many strings
    without = (f":(exclude,icase)*.{one}" for one in _DOCUMENTS)
    with Patience(_SECONDS):
        used = ask(root, "grep", "-h", "-o", "-I", "-E", pattern, "--", ".", *without).output
        files = ask(root, "ls-files", "-z").output
    told = b"\n".join({*used.split(b"\n"), *files.split(b"\0")})
    there = {one for one in wanted if os.fsencode(one) in told}
    return {key for key, found in named.items() if found <= there}
