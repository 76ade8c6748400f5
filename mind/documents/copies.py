"""Where a text stands in a Markdown file, by whole lines and under its headings; pure."""

from collections.abc import Iterator, Sequence

from mind.documents import markdown

_LINE_ENDS = (b"\n", b"\r")
_BOM = b"\xef\xbb\xbf"


def places(source: bytes, text: bytes, section: Sequence[str]) -> list[int]:
    """Offsets of ``text`` in ``source``, below headings with these texts, outermost first."""
    found = list(_anywhere(source, text.rstrip(b"\r\n")))
    if not found:
        return []
    spans = [
        (one.span, tuple(heading.strip() for _, heading in one.headings))
        for one in markdown.sections(source)
    ]
    wanted = tuple(section)
    return [
        at
        for at in found
        if any(
            span.start <= at < span.end
            and (headings == wanted or (at == span.start and headings[:-1] == wanted))
            for span, headings in spans
        )
    ]


def count(source: bytes, text: bytes, section: Sequence[str]) -> int:
    """How often :func:`places` finds ``text``, which is there, in ``source``; 1 at least."""
    found = _anywhere(source, text.rstrip(b"\r\n"))
    next(found, None)
    if next(found, None) is None:  # headings need not be read
        return 1
    return max(1, len(places(source, text, section)))


def _anywhere(source: bytes, core: bytes) -> Iterator[int]:
    """Offsets of whole lines that are ``core``."""
    at = source.find(core) if core else -1
    while at >= 0:
        end = at + len(core)
        begins = at == 0 or source[at - 1 : at] in _LINE_ENDS or source[:at] == _BOM
        if begins and source[end : end + 1] in (b"", *_LINE_ENDS):
            yield at
        at = source.find(core, at + 1)
