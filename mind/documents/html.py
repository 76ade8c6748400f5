"""Entries as HTML: mistune renders their Markdown; raw HTML is escaped.

Links may use only http, https and mailto, and images become links, so that a page loads no external
resources.
"""

import re
import textwrap
from functools import cache
from html import escape

import mistune

from mind.documents.parser.drafts import without_fields
from mind.domain.entry import Entry, unfenced
from mind.text import lazy_pattern

_LONGEST = 20_000
"""Characters that are rendered; longer text is shown unrendered."""
_SAFE = lazy_pattern(r"(?:https?://|mailto:)", re.IGNORECASE)
_BULLET = lazy_pattern(r"\s*(?:(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)?")
_QUOTED = lazy_pattern(r"^[^\S\n]*+(?:> ?)+", re.MULTILINE)
_BLOCK_ID = lazy_pattern(r"[ \t]\^[\w-]+[ \t]*$")


class _Renderer(mistune.HTMLRenderer):
    """Renders HTML that is safe in any page."""

    def __init__(self) -> None:
        super().__init__(escape=True)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Render a link."""
        del title
        if not _SAFE.match(url):
            return text
        return f'<a href="{escape(url)}" rel="noopener noreferrer">{text}</a>'

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Render an image as a link to it."""
        return self.link(text or escape(url), url, title)

    def heading(self, text: str, level: int, **_attributes: object) -> str:
        """Render a heading, at a level below the headings of the page."""
        return f"<h{min(level + 3, 6)}>{text}</h{min(level + 3, 6)}>\n"


@cache
def _markdown() -> mistune.Markdown:
    plugins = ["strikethrough", "table", "task_lists", "url"]
    return mistune.create_markdown(renderer=_Renderer(), plugins=plugins)


def rendered(markdown: str) -> str:
    """Render Markdown as HTML."""
    text = markdown.encode("utf-8", "replace").decode()
    if len(text) > _LONGEST:
        return f"<p>{escape(text)}</p>"
    return str(_markdown()(text)).strip()


def source_of(entry: Entry, source: bytes) -> str:
    """Return the Markdown of an entry without its bullet, block id and inline fields."""
    return with_code(entry, _text_of(entry, source))


def with_code(entry: Entry, text: str) -> str:
    """Return ``text`` with the code of an entry that it lacks."""
    there = "".join(text.split())
    lacking = (one for one in entry.code if "".join(unfenced(one).split()) not in there)
    return "\n\n".join((text, *lacking))


def _text_of(entry: Entry, source: bytes) -> str:
    text = source[entry.span.start : entry.span.end].decode("utf-8", "replace").expandtabs(4)
    if text.lstrip().startswith("|"):  # a single row is not a table
        return entry.text
    if text.lstrip().startswith(">"):
        text = _QUOTED.sub("", text)
    first, _, rest = text.partition("\n")
    lines = [_BULLET.sub("", first, count=1), *textwrap.dedent(rest).splitlines()]
    return without_fields("\n".join(_BLOCK_ID.sub("", line) for line in lines))
