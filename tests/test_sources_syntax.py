"""Which text of a file is a MEMORY: comment, language by language."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.entry import Kind
from mind.domain.settings import Settings
from mind.sources.comments import entries_in
from mind.sources.languages import syntax_of

SETTINGS = Settings()


def texts(path: str, source: str) -> list[str]:
    return [entry.text for entry in entries_in(source.encode(), path, SETTINGS)]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", "x = 1  # MEMORY: keep"),
        ("a.py", 'def f():\n    """MEMORY: keep"""\n'),
        ("a.py", 'def f():\n    r"""Do.\n\n    - MEMORY: keep\n    """\n'),
        ("a.py", "'''\nMEMORY: keep\n'''"),
        ("a.jl", '"""\nMEMORY: keep\n"""\nf(x) = x'),
        ("a.ex", '@moduledoc """\nMEMORY: keep\n"""'),
        ("a.graphql", 'type A {\n  """\n  MEMORY: keep\n  """\n  id: ID\n}'),
        ("a.c", "int a; // MEMORY: keep"),
        ("a.c", "/* MEMORY: keep */"),
        ("a.c", "/**\n * MEMORY: keep\n **/"),
        ("a.cpp", "/// MEMORY: keep"),
        ("a.java", "/*\n   MEMORY: keep\n */"),
        ("a.js", "const f = () => { /* MEMORY: keep */ }"),
        ("a.jsx", "<a>don't {/* MEMORY: keep */}</a>"),
        ("a.ts", "const a = `x ${b ? `http://c` : ''}`; // MEMORY: keep"),
        ("a.ts", 'const quote = /["`]/; // MEMORY: keep'),
        ("a.go", "// MEMORY: keep"),
        ("a.rs", "fn f<'a>(x: &'a str) {} // MEMORY: keep"),
        ("a.rs", "/* outer /* inner */ */ //! MEMORY: keep"),
        ("a.kt", "/* MEMORY: keep */"),
        ("a.cs", 'var a = @"c:\\"; // MEMORY: keep'),
        ("a.php", "<?php # MEMORY: keep"),
        ("a.blade.php", "{{-- MEMORY: keep --}}"),
        ("a.rb", "a << b\n# MEMORY: keep\nb"),
        ("a.rb", "=begin\nMEMORY: keep\n=end\n"),
        ("a.pl", "=pod\n\nMEMORY: keep\n\n=cut\n"),
        ("a.sh", "echo it\\'s # MEMORY: keep"),
        ("a.ps1", "<#\nMEMORY: keep\n#>"),
        ("a.yaml", "a: 1  # MEMORY: keep"),
        ("a.toml", "a = 'it'  # MEMORY: keep"),
        ("a.tf", "// MEMORY: keep"),
        ("a.sql", "select 1 -- MEMORY: keep"),
        ("a.lua", "--[==[\nMEMORY: keep\n]==]"),
        ("a.lua", "x = 1 -- MEMORY: keep"),
        ("a.adb", "-- MEMORY: keep"),
        ("a.hs", "{- MEMORY: keep -}"),
        ("a.hs", "-- | MEMORY: keep"),
        ("a.elm", "x = 1 -- MEMORY: keep"),
        ("a.ml", "let x' = 1 (* MEMORY: keep *)"),
        ("a.fs", "// MEMORY: keep"),
        ("a.pas", "{ MEMORY: keep }"),
        ("a.lisp", ";;; MEMORY: keep"),
        ("a.clj", "(f) ; MEMORY: keep"),
        ("a.rkt", "#| MEMORY: keep |#"),
        ("a.ini", "; MEMORY: keep"),
        ("a.asm", "mov ax, bx ; MEMORY: keep"),
        ("a.tex", "50\\% done % MEMORY: keep"),
        ("a.erl", "%% MEMORY: keep"),
        ("a.m", "% MEMORY: keep"),
        ("a.f90", "print *, '!' ! MEMORY: keep"),
        ("a.jl", "#= MEMORY: keep =#"),
        ("a.tf", "a = 1 // MEMORY: keep"),
        ("a.sql", "# MEMORY: keep"),
        ("a.vb", "Dim a = \"'\" ' MEMORY: keep"),
        ("a.vb", "REM MEMORY: keep"),
        ("a.bat", "@rem MEMORY: keep"),
        ("a.cmd", ":: MEMORY: keep"),
        ("a.vim", '" MEMORY: keep'),
        ("a.nim", "#[ MEMORY: keep ]#"),
        ("a.nix", "# MEMORY: keep"),
        ("a.r", "x <- 1 #' MEMORY: keep"),
        ("a.css", "/* MEMORY: keep */"),
        ("a.scss", "// MEMORY: keep"),
        ("a.html", "<!-- MEMORY: keep -->"),
        ("a.html", "<script>\n// MEMORY: keep\n</script>"),
        ("a.html", "<style>/* MEMORY: keep */</style>"),
        ("a.html", "<script>/* MEMORY: keep */"),
        ("a.xml", "<!--\n  MEMORY: keep\n-->"),
        ("a.vue", "<script setup lang='ts'>\nconst a = 1 // MEMORY: keep\n</script>"),
        ("a.twig", "{# MEMORY: keep #}"),
        ("a.html", "{#- MEMORY: keep -#}"),
        ("a.hbs", "{{!-- MEMORY: keep --}}"),
        ("a.jsp", "<%-- MEMORY: keep --%>"),
        ("a.cshtml", "@* MEMORY: keep *@"),
        ("a.ejs", "<%# MEMORY: keep %>"),
        ("a.liquid", "{% comment %}\nMEMORY: keep\n{% endcomment %}"),
        ("a.conf.j2", "# MEMORY: keep"),
        ("a.md", "text\n\n<!-- MEMORY: keep -->\n"),
        ("a.rst", ".. MEMORY: keep"),
        ("a.adoc", "// MEMORY: keep"),
        ("a.org", "# MEMORY: keep"),
        ("go.mod", "// MEMORY: keep"),
        ("Makefile", "# MEMORY: keep"),
        ("Dockerfile", "# MEMORY: keep"),
        ("CMakeLists.txt", "# MEMORY: keep"),
        ("requirements-dev.txt", "flask # MEMORY: keep"),
        ("tsconfig.json", "{} // MEMORY: keep"),
        ("Jenkinsfile", "// MEMORY: keep"),
        (".env", "A=1 # MEMORY: keep"),
        ("run", "#!/usr/bin/env python3\nx = 1 # MEMORY: keep"),
        ("run", "#!/bin/sh\n: # MEMORY: keep"),
        ("run", "#!/usr/bin/env node\n// MEMORY: keep"),
        ("unheard.of", "# MEMORY: keep"),
        ("unheard.of", "    -- MEMORY: keep"),
        ("a.py", "#: **MEMORY:** keep"),
        ("a.py", "\ufeff# MEMORY: keep"),
        ("a.py", "# MEMORY: keep\r\nx = 1\r\n"),
    ],
)
def test_a_comment_of_any_language_is_read(path: str, source: str) -> None:
    assert texts(path, source) == ["keep"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", 'x = "MEMORY: no"'),
        ("a.py", 'x = "# MEMORY: no"'),
        ("a.py", "x = '# MEMORY: no'"),
        ("a.py", 'x = """\nMEMORY: no\n# MEMORY: no\n"""'),
        ("a.py", 'call(\n    """\n    MEMORY: no\n    """\n)'),
        ("a.py", 'x = """a \\"""\n# MEMORY: no\n"""'),
        ("a.py", "// MEMORY: no"),
        ("a.py", "/* MEMORY: no */"),
        ("a.py", "MEMORY: int = 3"),
        ("a.py", "# see MEMORY: no"),
        ("a.py", "# the MEMORY: comments are read"),
        ("a.py", "# memory: no"),
        ("a.py", "# MEMORY:"),
        ("a.py", "# MEMORY: ..."),
        ("a.py", "# MEMORYMAP: no"),
        ("a.py", '"""\n>>> x = "MEMORY: no"\n"""'),
        ("a.c", "# MEMORY: no"),
        ("a.c", 'char *a = "// MEMORY: no";'),
        ("a.c", 'char *a = "\\"// MEMORY: no";'),
        ("a.c", "/* MEMORY: never closed"),
        ("a.c", 'char q = \'"\'; char *a = "// MEMORY: no";'),
        ("a.cpp", 'auto a = R"x(\n// MEMORY: no\n)x";'),
        ("a.js", "const a = `\n// MEMORY: no\n`"),
        ("a.go", "a := `\n// MEMORY: no\n`"),
        ("a.rs", 'let a = r#"\n// MEMORY: no\n"#;'),
        ("a.rs", "/* /* */ MEMORY: no */".replace("MEMORY", "x MEMORY")),
        ("a.java", 'String a = """\n// MEMORY: no\n""";'),
        ("a.cs", 'var a = @"\n// MEMORY: no "" \n// MEMORY: no";'),
        ("a.toml", 'a = """\n# MEMORY: no\n"""'),
        ("a.lua", "a = [[\n-- MEMORY: no\n]]"),
        ("a.sh", "cat <<EOF\n# MEMORY: no\nEOF\n"),
        ("a.sh", "cat <<-'EOF'\n\t# MEMORY: no\n\tEOF\n"),
        ("a.sh", "echo ${a#MEMORY: no}"),
        ("a.rb", "a = <<~TEXT\n  # MEMORY: no\nTEXT\n"),
        ("a.php", "<?php $a = <<<X\n// MEMORY: no\nX;\n"),
        ("a.sql", "select '-- MEMORY: no'"),
        ("a.lisp", '"\n; MEMORY: no\n"'),
        ("a.vb", 'a = "\' MEMORY: no"'),
        ("a.tex", "50\\% MEMORY: no"),
        ("a.yaml", "MEMORY: 512Mi"),
        ("a.yaml", "env:\n  MEMORY: 512Mi\n"),
        ("a.yaml", "a: '# MEMORY: no'"),
        ("a.sh", "cat <<'eof'\n# MEMORY: no\neof"),
        ("a.yaml", "a: http://b#MEMORY: no"),
        ("a.html", "<p>MEMORY: no</p>"),
        ("a.html", "<script>\nconst a = '// MEMORY: no'\n</script>"),
        ("a.md", "MEMORY: no"),
        ("a.md", "# MEMORY: no"),
        ("a.md", "```html\n<!-- MEMORY: no -->\n```"),
        ("a.md", "~~~\n<!-- MEMORY: no -->"),
        ("a.md", "- ```\n  <!-- MEMORY: no -->\n  ```"),
        ("a.md", "Write `<!-- MEMORY: no -->` anywhere."),
        ("a.md", "Write\n\n    <!-- MEMORY: no -->\n"),
        ("CLAUDE.md", "<!-- MIND:CONTEXT - x -->\n<!-- MEMORY: no -->\n<!-- MIND:END -->\n"),
        (".rules", "<!-- MIND:CONTEXT - x -->\n# MEMORY: no\n<!-- MIND:END -->\n"),
        ("CLAUDE.md", "<!-- MIND:CONTEXT - x -->\n<!-- MEMORY: no -->\n"),
        ("a.txt", "# MEMORY: no"),
        ("a.json", "// MEMORY: no"),
        ("a.csv", "# MEMORY: no"),
        ("README", "# MEMORY: no"),
        ("unheard.of", "x # MEMORY: no"),
        ("run", "MEMORY: no"),
    ],
)
def test_strings_prose_and_code_are_not_comments(path: str, source: str) -> None:
    assert texts(path, source) == []


def test_what_follows_tells_the_kind() -> None:
    source = (
        "# MEMORY: decided SQLite over Postgres because one file is enough\n\n"
        "# MEMORY: gotcha: the vendor's API counts pages from 1\n\n"
        "# MEMORY: learned: retries double the bill\n\n"
        "# MEMORY: the columns are in step with schema.sql\n"
    )
    entries = entries_in(source.encode(), "a.py", SETTINGS)
    assert [entry.kind for entry in entries] == [
        Kind.DECISION,
        Kind.GOTCHA,
        Kind.LEARNING,
        Kind.NOTE,
    ]
    assert entries[0].reasoning == "one file is enough"
    assert all(entry.confidence >= 0.7 for entry in entries)


def test_consecutive_comment_lines_continue_the_entry() -> None:
    source = "# MEMORY: one\n#   two\n# three\n#\n# four\n"
    (entry,) = entries_in(source.encode(), "a.py", SETTINGS)
    assert (entry.text, entry.line, entry.end) == ("one two three", 1, 3)


def test_another_mention_begins_another_entry() -> None:
    assert texts("a.py", "# MEMORY: one\n# MEMORY: two\n# more\n") == ["one", "two more"]


def test_block_comments_continue_without_their_decoration() -> None:
    source = "/*\n * Header.\n *\n * MEMORY: one\n *   two\n * -----\n * three\n */\n"
    (entry,) = entries_in(source.encode(), "a.c", SETTINGS)
    assert (entry.text, entry.line, entry.end) == ("one two", 4, 5)


@pytest.mark.parametrize(
    "source",
    [
        "# MEMORY: one\n\n# other\n",
        "# MEMORY: one\nx = 1  # other\n",
        "# MEMORY: one\n    # other\n",
        "# MEMORY: one\n# TODO: other\n",
        "# MEMORY: one\n# noqa: X\n",
        '"""\nMEMORY: one\n\nother\n"""\n# other\n',
        '"""MEMORY: one"""\n"""other"""\n',
        "x = 1  # MEMORY: one\ny = 2  # other\n",
    ],
)
def test_what_belongs_to_something_else_does_not_continue_it(source: str) -> None:
    assert texts("a.py", source) == ["one"]


def test_a_trailing_comment_goes_on_below_itself() -> None:
    assert texts("a.py", "x = 1  # MEMORY: one\n       # two\n") == ["one two"]


def test_tags_of_a_documentation_comment_do_not_continue_it() -> None:
    assert texts("a.js", "/**\n * MEMORY: one\n * @param x\n */") == ["one"]


def test_a_package_name_is_not_such_a_tag() -> None:
    assert texts("a.ts", "// MEMORY: pin\n// @angular/core\n") == ["pin @angular/core"]


def test_an_entry_is_at_most_thirty_lines() -> None:
    (entry,) = entries_in(("# MEMORY: one\n" + "# more\n" * 99).encode(), "a.py", SETTINGS)
    assert entry.end == 30


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "é = 'ü'\n\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_span_and_lines_are_those_of_the_file(newline: str, start: str, encoding: str) -> None:
    if encoding == "latin-1" and start == "\ufeff":
        start = "é\n"
    text = f"{start}x = 1  # MEMORY: décidé\n       # encore\ny = 2\n".replace("\n", newline)
    source = text.encode(encoding)
    (entry,) = entries_in(source, "a.py", SETTINGS)
    said = source[entry.span.start : entry.span.end].decode(encoding)
    assert said == f"MEMORY: décidé{newline}       # encore"
    assert source[: entry.span.start].count(b"\n") == entry.line - 1
    assert (entry.end - entry.line, entry.text) == (1, "décidé encore")


def test_the_entry_knows_its_file() -> None:
    (entry,) = entries_in(b"# MEMORY: one", "src/a.py", SETTINGS)
    assert (entry.source, entry.line, entry.commit) == ("src/a.py", 1, "")
    assert entry.id


@pytest.mark.parametrize(
    "hostile",
    ["/*", "(* ", "<<A\n", "`${", "'''", '"\\', "<!--", "<script>", "--[[", "```\n", "` `` ", "{-",
     "<!-- MIND:CONTEXT", '@"', 'r#"', "=/[", "# MEMORY: x\n", "{%comment%}"],
)  # fmt: skip
def test_no_text_takes_long_to_read(hostile: str) -> None:
    source = hostile * (40_000 // len(hostile)) + " MEMORY:"
    for path in ("a.py", "a.js", "a.rs", "a.sh", "a.ml", "a.html", "a.md", "a.lua", "a.cs", "a.d"):
        began = time.process_time()
        texts(path, source)
        assert time.process_time() - began < 5, path


@given(st.text(alphabet="aé\n\"'`/*#-<!>{}()[]\\$;% MEMORY:=\r", max_size=200))
def test_any_text_is_read_without_an_error_and_spans_stay_inside(text: str) -> None:
    source = text.encode()
    for path in ("a.py", "a.js", "a.rs", "a.sh", "a.html", "a.md", "a.vb", "a.lua", "a.ml"):
        for entry in entries_in(source, path, SETTINGS):
            assert source[entry.span.start :].startswith(b"MEMORY:") or source[
                entry.span.start :
            ].startswith((b"- ", b"* ", b"**MEMORY:**"))
            assert 0 <= entry.span.start < entry.span.end <= len(source)


def test_the_interpreter_decides_for_a_script_without_a_suffix() -> None:
    assert syntax_of("run", "#!/usr/bin/env python3") is syntax_of("a.py")
    assert syntax_of("run", "#!/usr/bin/zsh") is syntax_of("a.sh")
    assert syntax_of("LICENSE", "") is None
