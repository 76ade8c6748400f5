"""Setting a memory up and taking it away: the half of `Memory` that needs none to be there."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mind.deferred import Deferred

if TYPE_CHECKING:
    from mind import installation
    from mind.clients.registrations import Registration
    from mind.installation import Plan
else:
    installation = Deferred("installation")


class Installing:
    """What ``mind init``, ``clients`` and ``uninstall`` do (see :mod:`mind.installation`)."""

    @staticmethod
    def plan(  # noqa: PLR0913 - independent options, by name only
        root: Path | None = None,
        *,
        private: bool = False,
        targets: Sequence[str] = (),
        clients: Sequence[str] = (),
        user: bool = False,
        hooks: bool = False,
        git_hooks: bool = False,
    ) -> "Plan":
        """What setting Mind up in ``root`` would write."""
        return installation.plan(
            root,
            private=private,
            targets=targets,
            clients=clients,
            user=user,
            hooks=hooks,
            git_hooks=git_hooks,
        )

    @staticmethod
    def plan_removal(
        root: Path | None = None, *, purge: bool = False, clients: Sequence[str] = ()
    ) -> "Plan":
        """What taking Mind out of ``root`` would write."""
        return installation.plan_removal(root, purge=purge, clients=clients)

    @staticmethod
    def apply(planned: "Plan") -> None:
        """Write what a plan says."""
        installation.apply(planned)

    @staticmethod
    def snippets(
        root: Path | None = None, *, clients: Sequence[str] = (), user: bool = False
    ) -> list[tuple[str, str, str]]:
        """Each client's name, its file, and what to paste there."""
        return installation.snippets(root, clients=clients, user=user)

    @staticmethod
    def registrations(start: Path | None = None) -> "list[Registration]":
        """Every file in which a client would find Mind."""
        return installation.registrations(start)

    @staticmethod
    def shown(path: Path, root: Path | None = None) -> str:
        """``path`` as a person would write it."""
        return installation.shown(path, root)
