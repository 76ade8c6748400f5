"""Draw the plugin's icon: a lens over the lines of a page.

python docs/icon.py plugin/.claude-plugin/icon.png
"""

import struct
import sys
import zlib
from itertools import chain
from math import hypot
from pathlib import Path

SIZE = 512
NIGHT, PAGE, LINE, GLASS, RING = (
    (27, 38, 66),
    (242, 239, 230),
    (150, 160, 184),
    (214, 232, 246),
    (240, 166, 60),
)
Colour = tuple[int, int, int]


def box(
    x: float, y: float, middle: tuple[float, float], half: tuple[float, float], r: float
) -> float:
    """Distance in pixels from (x, y) to a rectangle with round corners; negative inside."""
    dx, dy = abs(x - middle[0]) - half[0] + r, abs(y - middle[1]) - half[1] + r
    return hypot(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - r


def stroke(x: float, y: float, a: tuple[float, float], b: tuple[float, float], r: float) -> float:
    """Distance in pixels to a line from ``a`` to ``b`` with round ends and radius ``r``."""
    ux, uy = b[0] - a[0], b[1] - a[1]
    along = max(0.0, min(1.0, ((x - a[0]) * ux + (y - a[1]) * uy) / (ux * ux + uy * uy)))
    return hypot(x - a[0] - along * ux, y - a[1] - along * uy) - r


def over(below: Colour, colour: Colour, distance: float) -> Colour:
    """``colour`` over ``below`` where ``distance`` is negative, with a soft edge of a pixel."""
    share = max(0.0, min(1.0, 0.5 - distance))
    red, green, blue = (round(b + (c - b) * share) for b, c in zip(below, colour, strict=True))
    return red, green, blue


def pixel(x: float, y: float) -> tuple[int, int, int, int]:
    """The colour at (x, y), with its opacity."""
    outside = box(x, y, (256, 256), (256, 256), 96)
    colour = over(NIGHT, PAGE, box(x, y, (224, 250), (136, 172), 24))
    for row, end in enumerate((316, 290, 316, 252, 300)):
        at = 132 + 58 * row
        colour = over(colour, LINE, stroke(x, y, (132, at), (end, at), 9))
    from_lens = hypot(x - 300, y - 290)
    colour = over(colour, RING, stroke(x, y, (368, 358), (432, 422), 24))
    colour = over(colour, RING, from_lens - 104)
    colour = over(colour, GLASS, from_lens - 78)
    for at, start, end in ((262, 250, 350), (318, 250, 322)):
        colour = over(colour, NIGHT, stroke(x, y, (start, at), (end, at), 13))
    return (*colour, round(255 * max(0.0, min(1.0, 0.5 - outside))))


def chunk(kind: bytes, data: bytes) -> bytes:
    """One part of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png() -> bytes:
    """The icon: RGBA, 8 bits."""
    rows = (
        b"\0" + bytes(chain.from_iterable(pixel(x + 0.5, y + 0.5) for x in range(SIZE)))
        for y in range(SIZE)
    )
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    parts = (
        chunk(b"IHDR", header),
        chunk(b"IDAT", zlib.compress(b"".join(rows), 9)),
        chunk(b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(png())
