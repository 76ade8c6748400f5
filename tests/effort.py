"""How much the tests try: a part in `make test`, all of it with THOROUGH=1 (`make soak-tests`)."""

import os

THOROUGH = os.environ.get("THOROUGH", "0") != "0"


def tries(usual: int, thorough: int) -> int:
    """How often to try what is tried with other values each time, or for how long."""
    return thorough if THOROUGH else usual
