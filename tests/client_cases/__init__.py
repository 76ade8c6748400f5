"""What becomes of each client's file, from every state it may be in: one page a client.

`python -m tests.client_cases` writes the pages anew; a change in them is to be read.
"""

from collections.abc import Iterator
from pathlib import Path

from mind.domain.errors import FileError
from mind.setup.clients import registering
from mind.setup.clients.known import Client, Format

FOLDER = Path(__file__).parent
COMMAND = ["mind", "mcp"]
MOVED = ["/opt/new/mind", "--project", "x", "mcp", "--toolsets", "all"]

_JSON = {
    "empty": "",
    "empty object": "{}\n",
    "existing": """{
    "other": {"a": [1, 2]},
    "KEY": {
        "x": {"command": "y", "env": {"A": "1"}}
    },
    "last": "é // no comment"
}
""",
    "existing, on one line": '{"KEY": {"x": {}}, "z": 1}',
    "commented": """// settings
{
\t"other": [1, 2,], // of the user
\t/* servers */
\t"KEY": {
\t\t// the first
\t\t"x": {"command": "y"}, // the last
\t},
}
""",
    "broken": '{\n  "a": 1\n  "b": 2\n}\n',
    "a list where servers belong": '{\n  "a": 1,\n  "KEY": []\n}\n',
    "a number for an entry": '{\n  "KEY": {\n    "mind": 3\n  }\n}\n',
    "an entry without a command": '{\n  "KEY": {\n    "mind": {"url": "http://x"}\n  }\n}\n',
}
_TOML = {
    "empty": "",
    "existing": """model = "x"

[KEY.x]
command = "y"
args = [
  "a", # first
]
""",
    "commented": """# settings
text = \"\"\"
[KEY.mind]
\"\"\"
[KEY] # servers
[tui]
a = 1
# the end""",
    "broken": "a = 1\nb = \n",
    "a list where servers belong": "a = 1\nKEY = []\n",
    "a number for an entry": "[KEY]\nmind = 3\n",
    "an entry without a command": '[KEY.mind]\nurl = "http://x"\n',
}
_INPUTS = {Format.JSON: _JSON, Format.JSONC: _JSON, Format.TOML: _TOML}


def inputs(client: Client) -> Iterator[tuple[str, str]]:
    """States of the file of ``client``, each with its name."""
    for name, text in _INPUTS[client.format].items():
        yield name, text.replace("KEY", client.path[0])


def page(client: Client) -> str:
    """What becomes of each of them: the file before and after, or the error."""
    parts = [f"# {client.name}\n"]
    for name, text in inputs(client):
        parts.append(f"\n## {name}\n")
        parts += [_fenced(text)] if text else []
        try:
            after = registering.register(client, text, COMMAND)
        except FileError as error:
            parts.append(f"\n{error.data.get('line')}: {error}\n")
            continue
        parts.append(f"\nregistered:\n{_fenced(after)}")
        if name == "existing":
            moved = registering.repoint(client, after, MOVED)
            parts.append(f"\nrepointed:\n{_fenced(moved)}")
    return "".join(parts)


def _fenced(text: str) -> str:
    return f"\n```\n{text}" + ("" if text.endswith("\n") else "⏎\n") + "```\n"
