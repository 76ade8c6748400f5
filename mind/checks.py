"""Checking what somebody is about to do against what is known to go wrong."""

from collections.abc import Sequence

from mind import agenda, files, gotchas, loops
from mind.answers import Checked
from mind.entry import Kind, normalise
from mind.gotchas import Gotcha
from mind.home import home
from mind.index import Filter, Index
from mind.project import Project
from mind.terms import query_terms


def check(
    project: Project, index: Index, intent: str, code: str = "", stack: Sequence[str] = ()
) -> Checked:
    """Gotchas and rejected approaches that ``intent`` or ``code`` meets; ``index`` is current."""
    stacks = list(stack) or gotchas.detect_stacks(project.root)
    known = _of_project(index, f"{intent} {code}") + _global()
    if project.settings.gotchas_builtin:
        known += gotchas.load_builtin()
    return Checked(
        edges=tuple(gotchas.check(intent, code, stacks, known)),
        loops=loops.find(index, intent, project.settings),
        stacks=tuple(stacks),
        reminders=agenda.triggered(project, f"{intent} {code}"),
    )


def of_every_project(project: Project) -> tuple[Gotcha, ...]:
    """Gotchas of this user that concern what ``project`` is made with."""
    stacks = set(gotchas.detect_stacks(project.root))
    return tuple(one for one in _global() if not one.stacks or stacks & set(one.stacks))


def add_global(added: Gotcha) -> None:
    """Keep a gotcha for every project of this user, instead of one with the same title."""
    path = home() / "global_edges.json"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with files.lock(path.with_name("lock")):
        known = gotchas.load_global(files.read_json(path))
        others = [one for one in known if normalise(one.title) != normalise(added.title)]
        files.write_json(path, gotchas.dump_global([*others, added]))


def _of_project(index: Index, text: str) -> list[Gotcha]:
    which = Filter(kinds=(Kind.GOTCHA,))
    found = index.match(query_terms(text), which, limit=40, postings=3_000)
    return [gotchas.from_entry(entry) for entry, _ in found]


def _global() -> list[Gotcha]:
    return gotchas.load_global(files.read_json(home() / "global_edges.json"))
