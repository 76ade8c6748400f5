"""The mirror of a project: what waits for it, sending, comparing, and searching it.

Nothing here is waited for by what writes memory: a server sends in the background, `mind mirror
sync` when it is called, and whatever fails is told and tried again.
"""

from mind.memory.mirror.draining import Drainer
from mind.memory.mirror.searching import everywhere, find
from mind.memory.mirror.sending import Sent, choose, drain, pause, rebuild
from mind.memory.mirror.standing import State, state, warnings
from mind.memory.mirror.verifying import Parity, Verified, parity, verify
from mind.storage.mirror.address import is_configured

__all__ = [
    "Drainer",
    "Parity",
    "Sent",
    "State",
    "Verified",
    "choose",
    "drain",
    "everywhere",
    "find",
    "is_configured",
    "parity",
    "pause",
    "rebuild",
    "state",
    "verify",
    "warnings",
]
