"""The marked block in a file that belongs to the user."""

import pytest

from mind import context
from mind.entry import Entry, Kind


def material(**more: object) -> context.Material:
    empty: dict[str, object] = {
        "entries": 1, "first": "2026-11-20", "last": "2026-11-20", "due": [], "recent": [],
        "state": [], "decisions": [], "loops": [], "gotchas": [], "latest": None, "warnings": [],
    }  # fmt: skip
    return context.Material(**(empty | more))  # type: ignore[arg-type]


def test_a_gotcha_stands_in_the_block_with_its_workaround() -> None:
    trap = Entry(id="a", kind=Kind.GOTCHA, text="Safari drops cookies", workaround="use the API")
    told = Entry(id="b", kind=Kind.GOTCHA, text="pnpm hoists -> pin it", workaround="pin it")
    body = context.render(material(gotchas=[trap, told]), 1_500)
    assert "Safari drops cookies → use the API" in body
    assert body.count("pin it") == 1


@pytest.mark.parametrize("before", [b"", b"# Rules\n", b"# Rules", b"\xef\xbb\xbf", b"a\r\nb\r\n"])
def test_a_block_comes_and_goes_without_a_trace(before: bytes) -> None:
    placed = context.place(before, "body")
    assert context.remove(placed) == before
    assert context.remove(before) == before
    again = context.place(placed, "other")
    assert again.replace(b"other", b"body") == placed


def test_a_block_at_the_very_end_keeps_its_missing_line_end() -> None:
    placed = context.place(b"# Rules\n", "body").rstrip(b"\n")
    assert context.place(placed, "other") == placed.replace(b"body", b"other")


@pytest.mark.parametrize(
    "before",
    [
        b"# Mine\r\rUse tabs.\r",
        b"# Mine\rUse tabs.",
        b"# Mine\n\n~~~\nnever closed\n",
        b"# Mine\n\n```sh\nnever closed",
        b"# Mine\r\n\r\n~~~\r\nnever closed\r\n",
        b"````\n```\nstill open\n",
    ],
)
def test_old_line_ends_and_fences_that_nothing_closes_come_back_as_they_were(before: bytes) -> None:
    placed = context.place(before, "one\n\n## Two\n- three")
    assert context.block_span(placed) is not None
    again = context.place(placed, "four")
    assert again.count(b"MIND:CONTEXT") == 1
    assert b"three" not in again
    assert context.remove(placed) == before
    assert context.remove(again) == before


def test_a_marker_in_a_closed_fence_is_none() -> None:
    shown = f"```\n{context.OPENING}\n{context.CLOSING}\n```\n".encode()
    assert context.block_span(shown) is None
    assert context.remove(context.place(shown, "one")) == shown
