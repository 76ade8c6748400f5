"""Comments that a file can hold, by its name and its first line."""

import re
from pathlib import PurePosixPath

from mind.sources import syntax
from mind.sources.syntax import Block, Syntax

_SLASHES = r"(?<!:)//+[!<]?"
_NUMBER = r"\#+[!:|']?"
_APART = r"(?<!\S)\#+[!:|']?"  # `#` is a comment only after white space: $#, a#b, url#part
_DASHES = r"(?<![!#$%&*+./<=>?@\\^|~-])--+(?![!#$%&*+./<=>?@\\^|~\[])"
_SEMICOLON = r"(?<!\\);+"
_PERCENT = r"(?<![\\$])%+"

_LEADING = r"^[ \t]*(?:\#+|//+|--+|;+|%+)(?=[ \t])"

_STARS = Block(r"/\*", "*/")
_NESTED_STARS = Block(r"/\*", "*/", "/*")
_ARROWS = Block(r"<!--", "-->")
_PARENS = Block(r"\(\*(?!\))", "*)", "(*")
_ALL_C = (syntax.DOUBLE, syntax.CHARACTER)
_BOTH = (syntax.DOUBLE, syntax.SINGLE)

_C = Syntax((_SLASHES,), (_STARS,), _ALL_C, (syntax.RAW_CPP,))
_JAVA = Syntax((_SLASHES,), (_STARS,), _ALL_C, (syntax.TRIPLE_DOUBLE,))
_KOTLIN = Syntax((_SLASHES,), (_NESTED_STARS,), _ALL_C, (syntax.TRIPLE_DOUBLE,))
_CSHARP = Syntax((_SLASHES,), (_STARS,), _ALL_C, (syntax.TRIPLE_DOUBLE, syntax.VERBATIM))
_DART = Syntax((_SLASHES,), (_NESTED_STARS,), _BOTH, (syntax.TRIPLE,))
_RUST = Syntax((_SLASHES,), (_NESTED_STARS,), _ALL_C, (syntax.RAW_RUST,))
_GO = Syntax((_SLASHES,), (_STARS,), _ALL_C, (syntax.RAW_GO,))
_SCRIPT = Syntax((_SLASHES,), (_STARS,), (*_BOTH, syntax.REGEX), (syntax.TEMPLATE,))
_COFFEE = Syntax((_NUMBER,), (Block(r"\#{3}", "###"),), _BOTH, (syntax.TRIPLE,))
_BLADE = Block(r"\{\{--", "--}}")
_PHP = Syntax(
    (_SLASHES, r"\#+(?!\[)"), (_STARS, _ARROWS, _BLADE), _BOTH, (syntax.HERE_PHP,)
)  # fmt: skip
_GROOVY = Syntax((_SLASHES,), (_STARS,), _BOTH, (syntax.TRIPLE,))
_D = Syntax((_SLASHES,), (_STARS, Block(r"/\+", "+/", "/+")), _ALL_C, (syntax.RAW_GO,))
_PYTHON = Syntax((_NUMBER,), (), _BOTH, (syntax.TRIPLE,), documents=True)
_JULIA = Syntax(
    (_NUMBER,), (Block(r"\#=", "=#", "#="),), _ALL_C, (syntax.TRIPLE,), documents=True
)  # fmt: skip
_ELIXIR = Syntax((_APART,), (), _BOTH, (syntax.TRIPLE,), documents=True)
_TOML = Syntax((_NUMBER,), (), (syntax.DOUBLE, r"'[^'\n]*+'"), (syntax.TRIPLE,))
_SHELL = Syntax((_APART,), (), _BOTH, (syntax.HERE_SHELL,))
_RUBY = Syntax(
    (_APART,), (Block(r"^=begin\b", "\n=end"), Block(r"<%\#", "%>")), _BOTH, (syntax.HERE,)
)  # fmt: skip
_PERL = Syntax((_APART,), (Block(r"^=\w+", "\n=cut"),), _BOTH, (syntax.HERE,))
_POWERSHELL = Syntax((_APART,), (Block(r"<\#", "#>"),), (syntax.DOUBLED, syntax.DOUBLED_SINGLE))
_YAML = Syntax((_APART,), (), (syntax.DOUBLE, syntax.DOUBLED_SINGLE))
_TERRAFORM = Syntax((_APART, _SLASHES), (_STARS,), (syntax.DOUBLE,), (syntax.HERE_SHELL,))
_NIX = Syntax((_APART,), (_STARS,), (syntax.DOUBLE,))
_NIM = Syntax((_NUMBER,), (Block(r"\#{1,2}\[", "]#"),), _ALL_C, (syntax.TRIPLE_DOUBLE,))
_GRAPHQL = Syntax((_NUMBER,), (Block(r'"""', '"""'),), (syntax.DOUBLE,))
_SQL = Syntax(
    (_DASHES, r"(?<!\S)\#+"), (_NESTED_STARS,), (syntax.DOUBLED, syntax.DOUBLED_SINGLE)
)  # fmt: skip
_LUA = Syntax(
    (_DASHES,), tuple(Block(rf"--\[{'=' * n}\[", f"]{'=' * n}]") for n in range(4)), _BOTH,
    (syntax.LEVELS,),
)  # fmt: skip
_ADA = Syntax((r"--+",), (), (syntax.DOUBLED, r"'.'"))
_HASKELL = Syntax((_DASHES,), (Block(r"\{-", "-}", "{-"),), _ALL_C)
_APPLE = Syntax((_DASHES, _NUMBER), (_PARENS,), (syntax.DOUBLE,))
_LISP = Syntax((_SEMICOLON,), (Block(r"\#\|", "|#", "#|"),), (r'"(?:\\.|[^"\\]){0,20000}+"',))
_INI = Syntax((r"(?<!\S);+", _APART))
_ASSEMBLY = Syntax(
    (_SLASHES, r"(?<!\S)[;\#@!|]+"), (_STARS,), (syntax.DOUBLE,)
)  # fmt: skip
_TEX = Syntax((_PERCENT,), (Block(r"\\begin\{comment\}", r"\end{comment}"),))
_ERLANG = Syntax((_PERCENT,), (_STARS,), _BOTH)
_MATLAB = Syntax(
    (_PERCENT, _SLASHES, r"(?<!\S)\#+"), (Block(r"^[ \t]*%\{[ \t]*$", "%}"), _STARS),
    (syntax.DOUBLE,),
)  # fmt: skip
_ML = Syntax((r"(?<![:\w])//+",), (_PARENS,), _ALL_C, (syntax.TRIPLE_DOUBLE,))
_PASCAL = Syntax((_SLASHES,), (_PARENS, Block(r"\{", "}")), (syntax.DOUBLED_SINGLE,))
_FORTRAN = Syntax((r"!+",), (), (syntax.DOUBLED, syntax.DOUBLED_SINGLE))
_OLD_FORTRAN = Syntax((r"!+", r"^[cC*]"), (), (syntax.DOUBLED, syntax.DOUBLED_SINGLE))
_BASIC = Syntax((r"'+", r"(?:^|(?<=:))[ \t]*(?i:rem)\b"), (), (syntax.DOUBLED,))
_BATCH = Syntax((r"(?:^|(?<=&))[ \t]*@?(?i:rem)\b", r"^[ \t]*::+"))
_VIM = Syntax((r'^[ \t]*"+', _APART), (), (syntax.DOUBLED_SINGLE,))
_COBOL = Syntax((r"\*>+", r"^.{6}\*"), (), (syntax.DOUBLED, syntax.DOUBLED_SINGLE))
_MAKE = Syntax((_APART,))
_STYLE = Syntax((), (_STARS,), _BOTH)
_STYLE_LINES = Syntax((r"(?<![:\w])//+",), (_STARS,), _BOTH)
_TEMPLATES = (
    Block(r"\{\#", "#}"), Block(r"\{\{!--", "--}}"), Block(r"\{\{!", "}}"),
    Block(r"\{\{-?[ \t]*/\*", "*/"), Block(r"<%--", "--%>"), Block(r"<%\#", "%>"),
    Block(r"@\*", "*@"), Block(r"\{%-?\s*comment\b[^%]*%\}", "{%"), Block(r"\{\*", "*}"),
)  # fmt: skip
_MARKUP = Syntax(blocks=(_ARROWS, *_TEMPLATES), regions=_SCRIPT)
_TEMPLATE = Syntax((_LEADING,), (_ARROWS, *_TEMPLATES), regions=_SCRIPT)
_JSX_LIKE = Syntax(blocks=(_ARROWS, Block(r"\{/\*", "*/")), regions=_SCRIPT)
_PLAIN_MARKUP = Syntax(blocks=(_ARROWS,))
_MARKDOWN = Syntax(
    blocks=(_ARROWS,), strings=(r"^(?: {4}|\t)[^\n]*",), long=(syntax.FENCE, syntax.TICKS)
)  # fmt: skip
_LINES = Syntax((r"^[ \t]*//+",), (Block(r"^[ \t]*/\*", "*/"),))
_UNKNOWN = Syntax((_LEADING,), (Block(r"^[ \t]*/\*", "*/"), _ARROWS))

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
    """The syntax of a file.

    Args:
        path: Of the file, with ``/``.
        first_line: Names the interpreter of a script without a suffix.

    Returns:
        None for prose and data, which hold no comments. Where neither name nor first line tell,
        lines that begin with a common mark are comments.
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
