"""Which comments a file can hold, by its name."""

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Syntax:
    """Comment marks: those that run to the end of the line, and pairs that enclose text."""

    line: tuple[str, ...] = ()
    block: tuple[tuple[str, str], ...] = ()


_C = Syntax(("//",), (("/*", "*/"),))
_HASH = Syntax(("#",))
_PYTHON = Syntax(("#",), (('"""', '"""'), ("'''", "'''")))
_DASH = Syntax(("--",), (("/*", "*/"),))
_LISP = Syntax((";",))
_TEX = Syntax(("%",))
_MARKUP = Syntax((), (("<!--", "-->"),))
_STYLE = Syntax((), (("/*", "*/"),))
_MIXED = Syntax(("//",), (("/*", "*/"), ("<!--", "-->")))
_OTHER = Syntax(("#", "//", "--", ";"), (("/*", "*/"), ("<!--", "-->")))

_BY_SUFFIX = {
    **dict.fromkeys(
        "c h cc cpp cxx hpp hh m mm java js mjs cjs jsx ts mts cts tsx go rs swift kt kts scala cs "
        "dart groovy gradle proto zig v sol glsl hlsl wgsl cu jsonc json5 less scss sass d".split(),
        _C,
    ),
    **dict.fromkeys(
        "sh bash zsh fish rb pl pm yml yaml toml tf hcl r jl mk cmake ps1 psm1 nix ex exs cr awk "
        "dockerfile conf cfg properties graphql gql nim tcl gd".split(),
        _HASH,
    ),
    **dict.fromkeys(["py", "pyi", "pyx"], _PYTHON),
    "php": Syntax(("//", "#"), (("/*", "*/"),)),
    **dict.fromkeys(["sql"], _DASH),
    **dict.fromkeys(["lua"], Syntax(("--",), (("--[[", "]]"),))),
    **dict.fromkeys(["hs", "elm", "purs"], Syntax(("--",), (("{-", "-}"),))),
    **dict.fromkeys(["lisp", "el", "clj", "cljs", "edn", "scm", "rkt", "asm", "s", "ini"], _LISP),
    **dict.fromkeys(["tex", "sty", "erl", "hrl", "mat"], _TEX),
    **dict.fromkeys(["ml", "mli", "fs", "fsx", "pas"], Syntax(("//",), (("(*", "*)"),))),
    **dict.fromkeys(["html", "htm", "xml", "svg", "xhtml", "csproj", "plist"], _MARKUP),
    **dict.fromkeys(["vue", "svelte", "astro"], _MIXED),
    **dict.fromkeys(["css"], _STYLE),
    **dict.fromkeys(["vb", "vbs", "bas"], Syntax(("'",))),
    **dict.fromkeys(["bat", "cmd"], Syntax(("REM ", "rem ", "::"))),
    **dict.fromkeys(["f90", "f95", "f03", "f08"], Syntax(("!",))),
    **dict.fromkeys(["vim"], Syntax(('"',))),
    **dict.fromkeys(["j2", "jinja", "jinja2", "twig", "njk"], Syntax((), (("{#", "#}"),))),
    **dict.fromkeys(["jsp", "asp", "aspx"], Syntax((), (("<%--", "--%>"),))),
}
_BY_NAME = dict.fromkeys(
    ("makefile", "dockerfile", "gemfile", "rakefile", "jenkinsfile", "vagrantfile", "justfile",
     ".gitignore", ".env", "cmakelists.txt", "podfile", "brewfile", "caddyfile"),
    _HASH,
)  # fmt: skip
_PROSE = frozenset("md markdown mdx mdc rst txt adoc org json lock csv tsv log ipynb".split())


def of(path: str) -> Syntax | None:
    """The syntax of the file at ``path``; None for prose and data, which have no comments."""
    name = PurePosixPath(path).name.lower()
    suffix = name.rpartition(".")[2]
    known = _BY_NAME.get(name) or _BY_SUFFIX.get(suffix)
    if known is not None or suffix in _PROSE:
        return known
    return _OTHER
