"""The text of the skill as installed in a client's folder; pure.

An installed skill contains the version and a digest of its own text, which show on any machine
whether Mind wrote it and whether it was edited since.
"""

import re
from enum import StrEnum
from hashlib import blake2b

NAME = "mind"
FILE = "SKILL.md"

_SHARED = ".agents/skills"
FOLDERS = {
    "claude-code": ".claude/skills",
    "amp": _SHARED,
    "cline": _SHARED,
    "codex": _SHARED,
    "continue": ".continue/skills",
    "cursor": _SHARED,
    "gemini-cli": _SHARED,
    "goose": ".goose/skills",
    "junie": ".junie/skills",
    "kiro": ".kiro/skills",
    "opencode": _SHARED,
    "roo": ".roo/skills",
    "vscode": _SHARED,
    "windsurf": ".windsurf/skills",
    "zed": _SHARED,
}
"""The skills folder of each client in a project; Claude Desktop has none."""

_DIGEST = re.compile(r'^  mind-digest: "([0-9a-f]{16})"\n', re.MULTILINE)


class SkillState(StrEnum):
    """The state of a skill file."""

    ABSENT = "absent"
    CURRENT = "installed"
    OLDER = "another version"
    CHANGED = "changed"


def stamped(text: str, version: str) -> str:
    """``text`` with ``version`` and its digest in the front matter."""
    front, body = text.split("\n---\n", 1)
    front = f'{front}\nmetadata:\n  mind-version: "{version}"\n'
    digest = _digest(f"{front}---\n{body}")
    return f'{front}  mind-digest: "{digest}"\n---\n{body}'


def state(found: str | None, wanted: str) -> SkillState:
    """Compare ``found`` with the text to install; None means no file."""
    if found is None:
        return SkillState.ABSENT
    found = found.replace("\r\n", "\n")  # git may have converted line ends
    if found == wanted:
        return SkillState.CURRENT
    return SkillState.OLDER if is_own(found) else SkillState.CHANGED


def is_own(text: str) -> bool:
    """True if any version of Mind installed ``text``, and it was not edited since."""
    text = text.replace("\r\n", "\n")
    said = _DIGEST.search(text)
    return said is not None and said[1] == _digest(text[: said.start()] + text[said.end() :])


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()
