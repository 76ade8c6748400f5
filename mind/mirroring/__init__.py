"""The mirror of a project: what waits for it, sending, comparing, and searching it.

Nothing here is waited for by what writes memory: a server sends in the background, `mind mirror
sync` when it is called, and whatever fails is told and tried again.
"""

from mind.mirror.address import is_configured
from mind.mirroring.draining import Drainer
from mind.mirroring.searching import everywhere, find
from mind.mirroring.sending import Sent, choose, drain, pause, rebuild
from mind.mirroring.standing import State, state, warnings
from mind.mirroring.verifying import Parity, Verified, parity, verify

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
