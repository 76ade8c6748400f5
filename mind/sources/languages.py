"""Comment syntax by language, to separate comments from code and strings.

A file's name and first line select a :class:`Syntax`; one scanner handles all of them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath

WINDOW = 50_000
_PARAGRAPH = 2_000

DOUBLE = r'"(?:\\.|[^"\\\n]){0,2000}+"'
SINGLE = r"'(?:\\.|[^'\\\n]){0,2000}+'"
CHARACTER = r"'(?:\\[^\n'][^'\n]{0,10}|\\'|[^'\\\n])'"
DOUBLED = r'"(?:""|[^"\n]){0,2000}+"'
DOUBLED_SINGLE = r"'(?:''|[^'\n]){0,2000}+'"
REGEX = (
    r"[=(,:\[!&|?{};]\s*+/(?![/*])(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n]){0,200}\]|[^/\\\n\[]){1,500}+/"
)


@dataclass(frozen=True, slots=True)
class LongString:
    """A string that may span lines.

    Attributes:
        opening: Pattern of the opening mark.
        end: Takes the text, the opening mark, the offset after it and the limit; returns the
            offset after the string, or the given offset if there is no string.
    """

    opening: str
    end: Callable[[str, str, int, int], int]


def _behind(text: str, closing: str, at: int, limit: int) -> int:
    found = text.find(closing, at, limit)
    return limit if found < 0 else found + len(closing)


def _triple_end(text: str, opening: str, at: int, limit: int) -> int:
    closing = opening[-3:]
    found = text.find(closing, at, limit)
    while found > 0 and _is_escaped(text, found, at):
        found = text.find(closing, found + 1, limit)
    return limit if found < 0 else found + 3


def _is_escaped(text: str, place: int, start: int) -> bool:
    backslashes = place
    while backslashes > start and text[backslashes - 1] == "\\":
        backslashes -= 1
    return (place - backslashes) % 2 == 1


def _plain_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, opening, at, limit)


def _rust_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, '"' + "#" * opening.count("#"), at, limit)


def _cpp_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, ")" + opening.partition('"')[2][:-1] + '"', at, limit)


def _levels_end(text: str, opening: str, at: int, limit: int) -> int:
    return _behind(text, opening.replace("[", "]"), at, limit)


_VERBATIM = re.compile(r'(?:""|[^"])*+"')


def _verbatim_end(text: str, _opening: str, at: int, limit: int) -> int:
    found = _VERBATIM.match(text, at, limit)
    return found.end() if found else at


_WORD = re.compile(r"\w+\Z")


def _here_end(text: str, opening: str, at: int, limit: int) -> int:
    word = _WORD.search(opening)
    tag = re.escape(word[0]) if word else ""
    last = re.compile(rf"^[ \t]*+{tag}\b", re.MULTILINE)
    found = last.search(text, at, min(limit, at + WINDOW))
    return found.end() if found else at


def _fence_end(text: str, opening: str, at: int, limit: int) -> int:
    marks = opening.lstrip("-*+>0123456789.) \t")
    last = re.compile(rf"^[ \t>]*+{marks[0]}{{{len(marks)},}}[ \t]*+$", re.MULTILINE)
    found = last.search(text, at, limit)
    return found.end() if found else limit


def _ticks_end(text: str, opening: str, at: int, limit: int) -> int:
    last = re.compile(rf"(?<!`){opening}(?!`)")
    limit = min(limit, at + _PARAGRAPH)
    blank = text.find("\n\n", at, limit)
    found = last.search(text, at, limit if blank < 0 else blank)
    return found.end() if found else at


_IN_TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)
_IN_EXPRESSION = re.compile(rf"{DOUBLE}|{SINGLE}|//[^\n]*+|[`{{}}]", re.DOTALL)
_CONTEXT_END = "MIND:END"


def _template_end(text: str, _opening: str, at: int, limit: int) -> int:
    """Find the end of a template; expressions in it may contain strings, braces and templates."""
    within = ["`"]
    place = at
    limit = min(limit, at + WINDOW)
    while within:
        in_template = within[-1] == "`"
        found = (_IN_TEMPLATE if in_template else _IN_EXPRESSION).search(text, place, limit)
        if found is None:
            return at
        place = found.end()
        token = found[0]
        if token == ("`" if in_template else "}"):
            within.pop()
        elif token in ("${", "{", "`"):
            within.append(token)
    return place


def _context_end(text: str, _opening: str, at: int, limit: int) -> int:
    return _behind(text, _CONTEXT_END, at, limit)


TRIPLE = LongString(r'"""|\'\'\'', _triple_end)
TRIPLE_DOUBLE = LongString(r'"""', _triple_end)
RAW_RUST = LongString(r'\bb?r\#*"', _rust_end)
RAW_CPP = LongString(r'\b(?:u8|[uUL])?R"[^()\\\s"]{0,16}\(', _cpp_end)
RAW_GO = LongString(r"`", _plain_end)
VERBATIM = LongString(r'(?:@\$?|\$@)"', _verbatim_end)
LEVELS = LongString(r"\[=*\[", _levels_end)
HERE = LongString(r"<<[-~]?(?:['\"][A-Za-z_]|[A-Z_])\w*+", _here_end)
HERE_SHELL = LongString(r"(?<!<)<<-?[ \t]*[\\'\"]?[A-Za-z_]\w*+", _here_end)
HERE_PHP = LongString(r"<<<[ \t]*['\"]?[A-Za-z_]\w*+", _here_end)
TEMPLATE = LongString(r"`", _template_end)
FENCE = LongString(r"^[ \t>]*+(?:[-*+]|\d+[.)])?[ \t]*+(?:`{3,}+|~{3,}+)", _fence_end)
TICKS = LongString(r"`++", _ticks_end)
CONTEXT = LongString(r"<!-- ?MIND:CONTEXT\b", _context_end)


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A comment between two marks.

    Attributes:
        opening: Pattern of the opening mark.
        closing: The closing mark.
        inner: The opening mark as text if such comments nest; else "".
    """

    opening: str
    closing: str
    inner: str = ""


@dataclass(frozen=True, slots=True)
class Syntax:
    """Comment syntax of a language, and constructs that look like comments.

    Attributes:
        line: Patterns of marks that run to the end of the line.
        blocks: Comments between two marks.
        strings: Patterns of whole strings, which are neither code nor comment.
        long: Strings that may span lines.
        documents: True if a triple-quoted string that forms a statement is a comment.
        regions: Syntax inside ``<script>`` and ``<style>``.
    """

    line: tuple[str, ...] = ()
    blocks: tuple[Enclosed, ...] = ()
    strings: tuple[str, ...] = ()
    long: tuple[LongString, ...] = ()
    documents: bool = False
    regions: "Syntax | None" = None


@dataclass(frozen=True, slots=True)
class SourceComment:
    """A comment in a text.

    Attributes:
        start: Offset of its mark.
        first: Offset of its content.
        end: Offset after its content, before a closing mark.
        mark: The first character of its mark, to tell styles apart; "" for a block.
    """

    start: int
    first: int
    end: int
    mark: str


_DOCUMENT = r"^[ \t]*+(?:@\w*doc[ \t]+~?[sS]?)?[rRuU]?(?:\"\"\"|''')"
_REGION = r"<(?i:script|style)\b[^>]{0,500}>"
_PATIENCE = 50  # failed searches after which a text is considered unbalanced
_REGION_END = re.compile(r"</(?:script|style)\b", re.IGNORECASE)


def remarks(text: str, syntax: Syntax) -> Iterator[SourceComment]:
    """Yield the comments of ``text``, in order."""
    return _Reader(text, syntax, 0, len(text)).run()


class _Reader:
    """One pass over a section of a text."""

    def __init__(self, text: str, syntax: Syntax, start: int, end: int) -> None:
        self._text = text
        self._syntax = replace(syntax, long=(CONTEXT, *syntax.long))
        self._at = start
        self._end = end
        self._depth = 0
        self._missing: set[str] = set()
        self._patience = _PATIENCE

    def run(self) -> Iterator[SourceComment]:
        steps = {
            "mark": self._mark,
            "document": self._document,
            "region": self._region,
            "block": self._block,
            "long": self._long,
            "bracket": self._bracket,
            "string": self._string,
        }
        pattern = _pattern(self._syntax)
        while found := pattern.search(self._text, self._at, self._end):
            self._at = found.end()
            name = found.lastgroup or ""
            yield from steps[name.rstrip("0123456789")](found, name)

    def _string(self, _found: re.Match[str], _name: str) -> Iterator[SourceComment]:
        return iter(())

    def _mark(self, found: re.Match[str], _name: str) -> Iterator[SourceComment]:
        end = self._text.find("\n", found.end(), self._end)
        self._at = self._end if end < 0 else end
        lead = len(found[0]) - len(found[0].lstrip())
        mark = found[0].strip()[0].lower()
        yield SourceComment(found.start() + lead, found.end(), self._at, mark)

    def _block(self, found: re.Match[str], name: str) -> Iterator[SourceComment]:
        block = self._syntax.blocks[int(name.removeprefix("block"))]
        end = self._nested_end(block) if block.inner and self._patience else -1
        if end < 0 and block.closing not in self._missing:
            end = self._text.find(block.closing, self._at, self._end)
        if end < 0:  # not closed: not a comment, and no later one closes either
            self._missing.add(block.closing)
            return
        self._at = end + len(block.closing)
        yield SourceComment(found.start(), found.end(), end, "")

    def _nested_end(self, block: Enclosed) -> int:
        either = re.compile(f"{re.escape(block.inner)}|{re.escape(block.closing)}")
        depth = 1
        for found in either.finditer(self._text, self._at, min(self._end, self._at + WINDOW)):
            depth += 1 if found[0] == block.inner else -1
            if not depth:
                return found.start()
        self._patience -= 1
        return -1

    def _document(self, found: re.Match[str], _name: str) -> Iterator[SourceComment]:
        self._at = TRIPLE.end(self._text, found[0], found.end(), self._end)
        continues = self._text.endswith("\\\n", 0, found.start())
        if not self._depth and not continues:
            closed = self._text.endswith(found[0][-3:], found.end(), self._at)
            yield SourceComment(
                found.start(), found.end(), self._at - 3 if closed else self._at, ""
            )

    def _long(self, found: re.Match[str], name: str) -> Iterator[SourceComment]:
        long = self._syntax.long[int(name.removeprefix("long"))]
        if self._patience:
            self._at = long.end(self._text, found[0], found.end(), self._end)
            self._patience -= self._at == found.end()
        return iter(())

    def _region(self, found: re.Match[str], _name: str) -> Iterator[SourceComment]:
        close = _REGION_END.search(self._text, found.end(), self._end)
        end = close.start() if close else self._end
        inner = self._syntax.regions or Syntax()
        yield from _Reader(self._text, inner, found.end(), end).run()
        self._at = end

    def _bracket(self, found: re.Match[str], _name: str) -> Iterator[SourceComment]:
        self._depth = max(0, self._depth + (1 if found[0] in "([{" else -1))
        return iter(())


@lru_cache(maxsize=64)
def _pattern(syntax: Syntax) -> re.Pattern[str]:
    groups = [(f"long{number}", long.opening) for number, long in enumerate(syntax.long[:1])]
    groups += [("document", _DOCUMENT)] if syntax.documents else []
    groups += [("region", _REGION)] if syntax.regions else []
    groups += [(f"block{number}", block.opening) for number, block in enumerate(syntax.blocks)]
    groups += [(f"long{number}", long.opening) for number, long in enumerate(syntax.long) if number]
    groups += [("string", "|".join(syntax.strings))] if syntax.strings else []
    groups += [("mark", "|".join(syntax.line))] if syntax.line else []
    groups += [("bracket", r"[()\[\]{}]")] if syntax.documents else []
    return re.compile(
        "|".join(f"(?P<{name}>{pattern})" for name, pattern in groups), re.MULTILINE | re.DOTALL
    )


_SLASHES = r"(?<!:)//+[!<]?"
_NUMBER = r"\#+[!:|']?"
_APART = r"(?<!\S)\#+[!:|']?"  # `#` is a comment only after white space: $#, a#b, url#part
_DASHES = r"(?<![!#$%&*+./<=>?@\\^|~-])--+(?![!#$%&*+./<=>?@\\^|~\[])"
_SEMICOLON = r"(?<!\\);+"
_PERCENT = r"(?<![\\$])%+"

_LEADING = r"^[ \t]*(?:\#+|//+|--+|;+|%+)(?=[ \t])"

_STARS = Enclosed(r"/\*", "*/")
_NESTED_STARS = Enclosed(r"/\*", "*/", "/*")
_ARROWS = Enclosed(r"<!--", "-->")
_PARENS = Enclosed(r"\(\*(?!\))", "*)", "(*")
_ALL_C = (DOUBLE, CHARACTER)
_BOTH = (DOUBLE, SINGLE)

_C = Syntax((_SLASHES,), (_STARS,), _ALL_C, (RAW_CPP,))
_JAVA = Syntax((_SLASHES,), (_STARS,), _ALL_C, (TRIPLE_DOUBLE,))
_KOTLIN = Syntax((_SLASHES,), (_NESTED_STARS,), _ALL_C, (TRIPLE_DOUBLE,))
_CSHARP = Syntax((_SLASHES,), (_STARS,), _ALL_C, (TRIPLE_DOUBLE, VERBATIM))
_DART = Syntax((_SLASHES,), (_NESTED_STARS,), _BOTH, (TRIPLE,))
_RUST = Syntax((_SLASHES,), (_NESTED_STARS,), _ALL_C, (RAW_RUST,))
_GO = Syntax((_SLASHES,), (_STARS,), _ALL_C, (RAW_GO,))
_SCRIPT = Syntax((_SLASHES,), (_STARS,), (*_BOTH, REGEX), (TEMPLATE,))
_COFFEE = Syntax((_NUMBER,), (Enclosed(r"\#{3}", "###"),), _BOTH, (TRIPLE,))
_BLADE = Enclosed(r"\{\{--", "--}}")
_PHP = Syntax(
    (_SLASHES, r"\#+(?!\[)"), (_STARS, _ARROWS, _BLADE), _BOTH, (HERE_PHP,)
)  # fmt: skip
_GROOVY = Syntax((_SLASHES,), (_STARS,), _BOTH, (TRIPLE,))
_D = Syntax((_SLASHES,), (_STARS, Enclosed(r"/\+", "+/", "/+")), _ALL_C, (RAW_GO,))
_PYTHON = Syntax((_NUMBER,), (), _BOTH, (TRIPLE,), documents=True)
_JULIA = Syntax(
    (_NUMBER,), (Enclosed(r"\#=", "=#", "#="),), _ALL_C, (TRIPLE,), documents=True
)  # fmt: skip
_ELIXIR = Syntax((_APART,), (), _BOTH, (TRIPLE,), documents=True)
_TOML = Syntax((_NUMBER,), (), (DOUBLE, r"'[^'\n]*+'"), (TRIPLE,))
_SHELL = Syntax((_APART,), (), _BOTH, (HERE_SHELL,))
_RUBY = Syntax(
    (_APART,), (Enclosed(r"^=begin\b", "\n=end"), Enclosed(r"<%\#", "%>")), _BOTH, (HERE,)
)  # fmt: skip
_PERL = Syntax((_APART,), (Enclosed(r"^=\w+", "\n=cut"),), _BOTH, (HERE,))
_POWERSHELL = Syntax((_APART,), (Enclosed(r"<\#", "#>"),), (DOUBLED, DOUBLED_SINGLE))
_YAML = Syntax((_APART,), (), (DOUBLE, DOUBLED_SINGLE))
_TERRAFORM = Syntax((_APART, _SLASHES), (_STARS,), (DOUBLE,), (HERE_SHELL,))
_NIX = Syntax((_APART,), (_STARS,), (DOUBLE,))
_NIM = Syntax((_NUMBER,), (Enclosed(r"\#{1,2}\[", "]#"),), _ALL_C, (TRIPLE_DOUBLE,))
_GRAPHQL = Syntax((_NUMBER,), (Enclosed(r'"""', '"""'),), (DOUBLE,))
_SQL = Syntax(
    (_DASHES, r"(?<!\S)\#+"), (_NESTED_STARS,), (DOUBLED, DOUBLED_SINGLE)
)  # fmt: skip
_LUA = Syntax(
    (_DASHES,), tuple(Enclosed(rf"--\[{'=' * n}\[", f"]{'=' * n}]") for n in range(4)), _BOTH,
    (LEVELS,),
)  # fmt: skip
_ADA = Syntax((r"--+",), (), (DOUBLED, r"'.'"))
_HASKELL = Syntax((_DASHES,), (Enclosed(r"\{-", "-}", "{-"),), _ALL_C)
_APPLE = Syntax((_DASHES, _NUMBER), (_PARENS,), (DOUBLE,))
_LISP = Syntax((_SEMICOLON,), (Enclosed(r"\#\|", "|#", "#|"),), (r'"(?:\\.|[^"\\]){0,20000}+"',))
_INI = Syntax((r"(?<!\S);+", _APART))
_ASSEMBLY = Syntax(
    (_SLASHES, r"(?<!\S)[;\#@!|]+"), (_STARS,), (DOUBLE,)
)  # fmt: skip
_TEX = Syntax((_PERCENT,), (Enclosed(r"\\begin\{comment\}", r"\end{comment}"),))
_ERLANG = Syntax((_PERCENT,), (_STARS,), _BOTH)
_MATLAB = Syntax(
    (_PERCENT, _SLASHES, r"(?<!\S)\#+"), (Enclosed(r"^[ \t]*%\{[ \t]*$", "%}"), _STARS),
    (DOUBLE,),
)  # fmt: skip
_ML = Syntax((r"(?<![:\w])//+",), (_PARENS,), _ALL_C, (TRIPLE_DOUBLE,))
_PASCAL = Syntax((_SLASHES,), (_PARENS, Enclosed(r"\{", "}")), (DOUBLED_SINGLE,))
_FORTRAN = Syntax((r"!+",), (), (DOUBLED, DOUBLED_SINGLE))
_OLD_FORTRAN = Syntax((r"!+", r"^[cC*]"), (), (DOUBLED, DOUBLED_SINGLE))
_BASIC = Syntax((r"'+", r"(?:^|(?<=:))[ \t]*(?i:rem)\b"), (), (DOUBLED,))
_BATCH = Syntax((r"(?:^|(?<=&))[ \t]*@?(?i:rem)\b", r"^[ \t]*::+"))
_VIM = Syntax((r'^[ \t]*"+', _APART), (), (DOUBLED_SINGLE,))
_COBOL = Syntax((r"\*>+", r"^.{6}\*"), (), (DOUBLED, DOUBLED_SINGLE))
_MAKE = Syntax((_APART,))
_STYLE = Syntax((), (_STARS,), _BOTH)
_STYLE_LINES = Syntax((r"(?<![:\w])//+",), (_STARS,), _BOTH)
_TEMPLATES = (
    Enclosed(r"\{\#", "#}"), Enclosed(r"\{\{!--", "--}}"), Enclosed(r"\{\{!", "}}"),
    Enclosed(r"\{\{-?[ \t]*/\*", "*/"), Enclosed(r"<%--", "--%>"), Enclosed(r"<%\#", "%>"),
    Enclosed(r"@\*", "*@"), Enclosed(r"\{%-?\s*comment\b[^%]*%\}", "{%"), Enclosed(r"\{\*", "*}"),
)  # fmt: skip
_MARKUP = Syntax(blocks=(_ARROWS, *_TEMPLATES), regions=_SCRIPT)
_TEMPLATE = Syntax((_LEADING,), (_ARROWS, *_TEMPLATES), regions=_SCRIPT)
_JSX_LIKE = Syntax(blocks=(_ARROWS, Enclosed(r"\{/\*", "*/")), regions=_SCRIPT)
_PLAIN_MARKUP = Syntax(blocks=(_ARROWS,))
_MARKDOWN = Syntax(
    blocks=(_ARROWS,), strings=(r"^(?: {4}|\t)[^\n]*",), long=(FENCE, TICKS)
)  # fmt: skip
_LINES = Syntax((r"^[ \t]*//+",), (Enclosed(r"^[ \t]*/\*", "*/"),))
_UNKNOWN = Syntax((_LEADING,), (Enclosed(r"^[ \t]*/\*", "*/"), _ARROWS))

_BY_SUFFIX: dict[str, Syntax] = {
    suffix: syntax
    for syntax, suffixes in (
        (
            _C,
            """c h cc cpp cxx c++ hpp hh hxx h++ inl ipp ino mm cu cuh glsl hlsl vert frag comp
            wgsl metal proto thrift sol zig odin idl re l y yy ll cl cairo circom move v sv svh
            vh dts dtsi jsonc json5 jsonnet libsonnet hjson tsp fbs capnp pcss as hx vala""",
        ),
        (_JAVA, "java"),
        (_KOTLIN, "kt kts swift scala sc"),
        (_CSHARP, "cs csx"),
        (_DART, "dart"),
        (_RUST, "rs"),
        (_GO, "go mod work templ"),
        (_SCRIPT, "js mjs cjs jsx ts mts cts tsx es6 qml gs pug jade"),
        (_COFFEE, "coffee"),
        (_PHP, "php php3 php4 php5 phtml inc"),
        (_GROOVY, "groovy gradle gvy"),
        (_D, "d di"),
        (_PYTHON, "py pyi pyx pxd pyw bzl star sage rpy gd gdshader"),
        (_JULIA, "jl"),
        (_ELIXIR, "ex exs"),
        (_TOML, "toml"),
        (_SHELL, "sh bash zsh fish ksh csh tcsh bats ebuild envrc env awk sed tcl expect"),
        (_RUBY, "rb rake gemspec ru podspec erb rabl cr thor"),
        (_PERL, "pl pm t pod raku rakumod"),
        (_POWERSHELL, "ps1 psm1 psd1"),
        (
            _YAML,
            """yml yaml conf cfg cnf properties service timer socket desktop editorconfig gitignore
            dockerignore gitattributes npmrc po pot r rmd rprofile feature rego bicep cypher
            meson ninja nginx htaccess prolog robot gn gni hosts ledger puppet pp cue""",
        ),
        (_TERRAFORM, "tf tfvars hcl nomad"),
        (_NIX, "nix"),
        (_NIM, "nim nims nimble"),
        (_GRAPHQL, "graphql gql graphqls"),
        (_SQL, "sql psql pgsql mysql ddl dml plsql cql hql"),
        (_LUA, "lua luau"),
        (_ADA, "adb ads ada vhd vhdl"),
        (_HASKELL, "hs lhs elm purs idr agda lean dhall"),
        (_APPLE, "applescript scpt"),
        (_LISP, "lisp lsp cl el clj cljs cljc cljd edn scm ss rkt fnl hy janet kdl"),
        (_INI, "ini inf reg url gitconfig flake8 pylintrc coveragerc"),
        (_ASSEMBLY, "asm s nasm a51"),
        (_TEX, "tex sty cls ltx bib dtx ps eps"),
        (_ERLANG, "erl hrl yrl xrl escript pro plg"),
        (_MATLAB, "m mlx octave"),
        (_ML, "ml mli fs fsx fsi sml sig mll mly wl"),
        (_PASCAL, "pas dpr lpr dfm"),
        (_FORTRAN, "f90 f95 f03 f08 f18"),
        (_OLD_FORTRAN, "f for ftn f77"),
        (_BASIC, "vb vbs bas frm vba brs"),
        (_BATCH, "bat cmd"),
        (_VIM, "vim vimrc"),
        (_COBOL, "cob cbl cpy"),
        (_MAKE, "mk mak make am cmake dockerfile containerfile just"),
        (_STYLE, "css"),
        (_STYLE_LINES, "scss sass less styl"),
        (
            _MARKUP,
            """html htm xhtml jsp jspx asp aspx ascx cshtml razor vbhtml hbs handlebars mustache
            twig njk liquid ejs eex heex leex ftl""",
        ),
        (_TEMPLATE, "j2 jinja jinja2 tmpl gotmpl tpl template"),
        (_JSX_LIKE, "vue svelte astro"),
        (
            _PLAIN_MARKUP,
            """xml xsd xsl xslt svg csproj vbproj fsproj props targets xaml axml plist storyboard
            xib ui qrc resx config nuspec wsdl rss atom kml gpx fxml pom""",
        ),
        (_MARKDOWN, "md markdown mdown mdc mdx qmd mkd"),
        (_LINES, "adoc asciidoc"),
        (Syntax((r"^\.\.(?=[ \t])",)), "rst"),
        (Syntax((r"^[ \t]*\#(?=[ \t])",)), "org"),
    )
    for suffix in suffixes.split()
}

_BY_NAME: dict[str, Syntax] = {
    name: syntax
    for syntax, names in (
        (
            _MAKE,
            """makefile gnumakefile bsdmakefile dockerfile containerfile justfile procfile
            cmakelists.txt codeowners kconfig caddyfile brewfile snakefile tiltfile""",
        ),
        (_SHELL, ".env .bashrc .zshrc .profile .bash_profile .envrc pkgbuild gradlew"),
        (_RUBY, "gemfile rakefile vagrantfile podfile guardfile fastfile dangerfile"),
        (_GROOVY, "jenkinsfile"),
        (_PYTHON, "sconstruct sconscript wscript build workspace build.bazel workspace.bazel"),
        (_C, "tsconfig.json jsconfig.json .eslintrc .babelrc devcontainer.json"),
        (_VIM, ".vimrc _vimrc"),
    )
    for name in names.split()
}

_PROSE = frozenset(
    """txt text json jsonl ndjson geojson webmanifest map ipynb csv tsv lock log out diff patch rej
    orig rtf eml mbox wiki textile pem crt key asc sum har snap srt vtt ics vcf bak swp""".split()
)
_PROSE_NAMES = re.compile(
    r"(?:readme|license|licence|copying|notice|authors|contributors|maintainers|changelog|changes|"
    r"history|news|todo|install|version|contributing|security|support|thanks|credits)$"
)
_REQUIREMENTS = re.compile(r"(?:requirements|constraints)[\w.-]*\.(?:txt|in)$")
_INTERPRETERS = (
    (re.compile(r"\b(?:python|pypy|sage)"), _PYTHON),
    (re.compile(r"\b(?:node|deno|bun|tsx|ts-node|zx)\b"), _SCRIPT),
    (re.compile(r"\bruby\b"), _RUBY),
    (re.compile(r"\bperl\b"), _PERL),
    (re.compile(r"\bphp\b"), _PHP),
    (re.compile(r"\blua"), _LUA),
    (re.compile(r"\b(?:guile|racket|sbcl|clojure|bb)\b"), _LISP),
    (re.compile(r"\b(?:runghc|stack)\b"), _HASKELL),
    (re.compile(r"\bpwsh\b"), _POWERSHELL),
)


def syntax_of(path: str, first_line: str = "") -> Syntax | None:
    """Return the syntax of a file.

    Args:
        path: Path of the file, with ``/``.
        first_line: Names the interpreter of a script without a suffix.

    Returns:
        None for prose and data, which have no comments. For unknown names and first lines, a
        syntax in which lines that begin with a common mark are comments.
    """
    name = PurePosixPath(path).name.lower()
    suffix = name.rpartition(".")[2]
    if _REQUIREMENTS.search(name):
        return _MAKE
    known = _BY_NAME.get(name) or _BY_SUFFIX.get(suffix if "." in name else "")
    if known is not None:
        return known
    if first_line.startswith("#!"):
        return next((syntax for run, syntax in _INTERPRETERS if run.search(first_line)), _SHELL)
    if ("." in name and suffix in _PROSE) or _PROSE_NAMES.match(name):
        return None
    return _UNKNOWN
