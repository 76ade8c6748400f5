"""Where hooks complain: a file that only its owner reads."""

import os
import time

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from mind.hooks.place import Place

_LARGEST = 100_000


def complain(place: "Place", message: str) -> None:
    """Write one line into ``hooks.log``, without credentials; a full one becomes ``hooks.log.1``.

    What went wrong may name a file or repeat what was given.
    """
    from mind.hooks.plain import redacted  # noqa: PLC0415 - only where something went wrong

    path = place.of(os.path.join("cache", "hooks.log"))
    line = " ".join(redacted(message.encode("utf-8", "replace").decode()).split())[:2_000]
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path) and os.path.getsize(path) > _LARGEST:
            os.replace(path, f"{path}.1")
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, f"{moment} {line}\n".encode())
        finally:
            os.close(descriptor)
    except OSError:
        return  # a hook has nowhere else to complain
