"""A clone does no harm: a sample of the hostile repositories that `make hostile` tries all of."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile_repositories import every
from tests.hostile_repositories.calls import an_hour, mind
from tests.hostile_repositories.running import Runner, attack, lives, warm
from tests.hostile_repositories.site import site, template

pytestmark = pytest.mark.xdist_group("hostile")

_ALL = {one.name: one for one in every()}
_TRIED = (
    "links/SESSION.last.md absolute, tracked",
    "links/MEMORY.md behind a linked folder",
    "links/.mind folder with a memory",
    "links/CLAUDE.md into .git/hooks/post-commit",
    "targets/CLAUDE.md missing",
    "targets/.cursor/rules/mind.mdc behind a linked folder",
    "configured/target far parent",
    "state/SESSION.md",
    "starting/settings.json before",
    "git/filter process",
    "reading/gitdir relative",
    "deletion/cache absolute",
)
_LIVE = (
    "links/MEMORY.md behind a linked folder",
    "links/.mind folder with a memory",
    "targets/CLAUDE.md missing",
    "targets/.cursor/rules/mind.mdc behind a linked folder",
    "reading/gitdir relative",
)
_STARTS = ("starting/",)


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    template()
    with warm(tmp_path_factory.mktemp("hostile")) as one:
        yield one


@pytest.mark.parametrize("name", _TRIED)
def test_a_hostile_repository_reads_writes_deletes_and_starts_nothing(
    name: str, runner: Runner, tmp_path: Path
) -> None:
    here = site(tmp_path / "site", _TRIED.index(name))
    calls = [*an_hour(here)[:-1], *([mind("doctor")] if name.startswith(_STARTS) else [])]
    wrong = attack(runner, _ALL[name], here, [*calls, mind("uninstall", "--yes")], fresh=False)
    assert [f"{one.use}: {one.what}" for one in wrong] == []


@pytest.mark.parametrize("name", _LIVE)
def test_everything_works_in_its_benign_twin(name: str, runner: Runner, tmp_path: Path) -> None:
    here = site(tmp_path / "site", _LIVE.index(name))
    wrong = lives(runner, _ALL[name], here, an_hour(here))
    assert [f"{one.use}: {one.what}" for one in wrong] == []


def test_the_registry_has_many_repositories_of_each_family() -> None:
    names = list(_ALL)
    assert len(names) == len(every())
    assert len(names) >= 300
    families = {one.family for one in _ALL.values()}
    assert families >= {"links", "targets", "configured", "state", "starting", "git", "reading"}
