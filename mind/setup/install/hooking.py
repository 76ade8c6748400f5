"""Steps that add and remove Claude Code's hooks, and remove skills that Mind installed."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from mind.setup.clients import claude_hooks, skill_text
from mind.setup.install.steps import Step, edited, hollow_of, kept
from mind.storage import files


def hooked(root: Path, *, private: bool) -> Step:
    """The step that adds Mind's hooks to the settings; with ``private``, to this machine's only."""
    name = claude_hooks.OWN if private else claude_hooks.SHARED
    program = claude_hooks.program(root)
    step = edited(root / name, lambda text: claude_hooks.add(text, program, shared=not private))
    if step.before is None or step.action == "keep":
        return step
    text = files.decode(step.before, step.path)
    return step if claude_hooks.present(text) else replace(step, hollow=claude_hooks.hollow(text))


def unhooked(root: Path) -> list[Step]:
    """The steps that remove Mind's hooks from the settings, and the skills that Mind installed."""
    settings = (root / claude_hooks.SHARED, root / claude_hooks.OWN)
    steps = [
        kept(edited(path, partial(claude_hooks.remove, was=hollow_of(path))))
        for path in settings
        if path.exists()
    ]
    for name in dict.fromkeys(skill_text.FOLDERS.values()):
        path = root / name / skill_text.NAME / skill_text.FILE
        before = files.read(path) if path.exists() else None
        if before and skill_text.is_own(before.decode("utf-8", "replace")):
            steps.append(Step(path=path, before=before, after=None))
    return steps
