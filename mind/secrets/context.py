"""What the words around a credential give away, and which words those are."""

from collections.abc import Iterator

from mind.secrets import assigned, keys, logins, vendors
from mind.secrets.shapes import Found

_RULES: tuple[tuple[tuple[str, ...], vendors.Finder], ...] = (
    (("-----begin", "putty-user"), keys.private_keys),
    (("eyj",), keys.web_tokens),
    *vendors.RULES,
    (("://",), logins.addresses),
    (("password", "pwd"), logins.connections),
    (("_auth", "_password"), logins.registries),
    (("bearer", "basic", "authorization"), logins.headers),
    (("login", "curl", "sshpass"), logins.commands),
    (assigned.WORDS, assigned.assignments),
    (("phrase", "seed", "mnemonic", "recovery"), assigned.phrases),
    (("--", "</"), assigned.options),
)


_BY_WORD = [(word, at) for at, (words, _) in enumerate(_RULES) for word in words]


def told(text: str) -> Iterator[Found]:
    """What the words around it give away; a rule is asked where one of its words occurs."""
    small = text.lower()
    for at in sorted({at for word, at in _BY_WORD if word in small}):
        yield from _RULES[at][1](text)
    yield from vendors.discord(text)
