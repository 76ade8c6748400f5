"""What holds for any text: chunks tile, sections add up, Mind's own lines come back."""

import sys

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mind.documents import parser
from mind.documents.parser.lexicon import CANONICAL
from mind.domain.entry import Kind
from mind.domain.settings import Settings
from tests.effort import tries

SETTINGS = Settings()

LINES = st.sampled_from(
    [
        "",
        "# Memory",
        "# Decision Log",
        "## Gotchas",
        "## Key Decisions",
        "## Decision",
        "## Rationale",
        "## Implementation Details",
        "## 2026-02-03",
        "## 2026-02-04 | moved | mood: good",
        "### Decision 4: one queue",
        "### Use one queue over two",
        "### Summary",
        "## [LRN-20260203-001] correction",
        "#### Why",
        "## Next Steps",
        "## Project State",
        "## Relations",
        "decided: one queue - order",
        "  with more",
        "**Problem:** login fails",
        "**Fix:** press twice",
        "- **What**: one queue",
        "- Ports are fixed here -> look",
        "  - nested detail",
        "  - Learned: order matters",
        "- [x] fixed it all",
        "- [ ] call Tom",
        "[2026-02-05 10:00:00] - One more",
        "[2026-02-06] - **Another**",
        "We chose tea over coffee because of Tom.",
        "Decisions:",
        "| Decision | Why |",
        "|---|---|",
        "| tea | Tom |",
        "```",
        "<!--",
        "-->",
        "---",
        "===",
        "> quoted",
        "Title",
    ]
)
DOCUMENTS = st.lists(LINES, max_size=24).map("\n".join)
NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])


@settings(max_examples=tries(40, 400), deadline=None)
@given(DOCUMENTS, NEWLINES)
@example("- [2026-02-05] x\n[2026-02-05 10:00:00] - One more\n---\n", "\n")
@example("[2026-02-05 10:00:00] - One\n<!--\n## Gotchas\n-->\n[2026-02-06] - **Another**", "\n")
def test_parsing_chunk_by_chunk_equals_parsing_the_whole(text: str, newline: str) -> None:
    source = text.replace("\n", newline).encode()
    whole = parser.parse(source, "MEMORY.md", SETTINGS)
    chunks = parser.chunks(source, "MEMORY.md", SETTINGS)
    at = 0
    parts = []
    for chunk in chunks:
        assert chunk.span.start == at
        at = chunk.span.end
        start = parser.ChunkStart(chunk.headings, chunk.line, chunk.span.start)
        part = source[chunk.span.start : chunk.span.end]
        assert len(parser.chunks(part, "MEMORY.md", SETTINGS, start)) == 1
        parts += parser.parse(part, "MEMORY.md", SETTINGS, start)
    assert at == len(source)
    assert parts == whole


@settings(max_examples=tries(30, 300), deadline=None)
@given(st.binary(max_size=200) | DOCUMENTS.map(str.encode))
def test_any_bytes_are_read_and_every_entry_lies_in_the_file(source: bytes) -> None:
    lines = source.count(b"\n") + source.count(b"\r") + 1
    for entry in parser.parse(source, "MEMORY.md", SETTINGS):
        assert entry.text
        assert 0 <= entry.span.start < entry.span.end <= len(source)
        assert 1 <= entry.line <= entry.end <= lines
        assert 0 <= entry.confidence <= 1


MESSAGES = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=60
).filter(lambda text: text.strip() and "::" not in text and "^" not in text)


@settings(max_examples=tries(30, 300), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(sorted(CANONICAL)), MESSAGES), min_size=1, max_size=6),
    DOCUMENTS,
)
def test_minds_own_lines_come_back_as_exactly_one_entry_each(
    logged: list[tuple[str, str]], before: str
) -> None:
    lines = [f"{word}: {' '.join(message.split())}" for word, message in logged]
    text = "## 2026-11-20\n\n" + "\n".join(lines) + "\n"
    found = parser.parse(text.encode(), "MEMORY.md", SETTINGS)
    assert [(entry.kind, entry.text) for entry in found] == [
        (CANONICAL[word], " ".join(message.split())) for word, message in logged
    ]
    if "```" in before or "<!--" in before:
        return
    joined = f"{before}\n\n## 2026-11-20\n\n{lines[0]}\n".encode()
    last = parser.parse(joined, "MEMORY.md", SETTINGS)[-1]
    word, message = logged[0]
    assert (last.kind, last.text) == (CANONICAL[word], " ".join(message.split()))


@settings(max_examples=tries(20, 200), deadline=None)
@given(st.lists(MESSAGES, min_size=1, max_size=4))
def test_continuation_lines_come_back_in_the_same_entry(parts: list[str]) -> None:
    lines = [" ".join(part.split()) for part in parts]
    lines = [line for line in lines if line and not line.startswith("\\")]
    if not lines or "\\" in "".join(lines):
        return
    text = "decided: first\n" + "".join(f"  {line}\n" for line in lines) + "learned: second\n"
    found = parser.parse(f"## 2026-11-20\n\n{text}".encode(), "MEMORY.md", SETTINGS)
    assert [entry.text for entry in found] == [" ".join(["first", *lines]), "second"]


def _steps(text: str) -> int:
    """How many lines of the parser's own code run to read ``text``."""
    count = 0

    def trace(_frame: object, event: str, _: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        parser.parse(text.encode(), "decisions.md", SETTINGS)
    finally:
        sys.settrace(before)
    return count


def test_work_grows_with_the_file_not_with_its_square() -> None:
    shapes = ["fixed a\n", "- a: b\n", "### Decision\n#### Why\n", "[2026-01-02] - a\n", "| a |\n"]
    for shape in shapes:
        short, long = _steps(shape * 40), _steps(shape * 80)
        assert long < 2.5 * short


def test_lines_of_a_hundred_thousand_characters_are_read() -> None:
    filler = ["x ", "[", "[[a", "*", "`", "#a", "- ", "a: ", "tried ", "(", "|", "\\", "~~", '"']
    for part in filler:
        long = part * (100_000 // len(part))
        for line in (f"decided: {long}", f"- {long}", long, f"**Decided:** {long}"):
            assert len(parser.parse(line.encode(), "GOTCHAS.md", SETTINGS)) <= 1
    assert len(parser.parse(("- a\n" * 5000).encode(), "MEMORY.md", SETTINGS)) == 5000
    nested = "".join(f"{'  ' * depth}- Decided: a{depth}\n" for depth in range(60))
    assert parser.parse(nested.encode(), "MEMORY.md", SETTINGS)[0].kind is Kind.DECISION


def test_ten_thousand_entries_are_read_whole() -> None:
    day = "\n## 2026-02-03\n\n" + "decided: one queue over two - order\n- **Problem:** x y\n" * 50
    found = parser.parse((day * 100).encode(), "MEMORY.md", SETTINGS)
    assert len(found) == 10_000
    assert len({entry.id for entry in parser.number_and_resolve(found)}) == 10_000


def test_parsing_imports_nothing_heavy() -> None:
    import subprocess

    code = (
        "import sys; from mind.documents import parser; from mind.domain.settings import Settings;"
        "parser.parse(b'decided: x', 'M.md', Settings());"
        "heavy = ('markdown_it', 'dateparser', 'mcp', 'typer', 'rich');"
        "print([name for name in heavy if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert shown.stdout.strip() == "[]"
