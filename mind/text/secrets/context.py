"""What the words around a credential give away, and which words those are."""

from collections.abc import Iterator

from mind.text.secrets import assigned, keys, logins, vendors
from mind.text.secrets.shapes import Found

_Rules = tuple[tuple[tuple[str, ...], vendors.Finder], ...]

_LONG: _Rules = (
    (("eyj",), keys.web_tokens),
    *vendors.RULES,
)
"""Of credentials that are no shorter than those with a shape."""
_RULES: _Rules = (
    (("-----begin", "putty-user"), keys.private_keys),
    (("://",), logins.addresses),
    (("password", "pwd"), logins.connections),
    (("_auth", "_password"), logins.registries),
    (("bearer", "basic", "authorization"), logins.headers),
    (("login",), logins.netrc),
    (("login", "curl", "sshpass"), logins.commands),
    (assigned.WORDS, assigned.assignments),
    (("# ",), assigned.titled),
    (("phrase", "seed", "mnemonic", "recovery"), assigned.phrases),
    (("--", "</"), assigned.options),
)


def _by_word(rules: _Rules) -> list[tuple[str, int]]:
    return [(word, at) for at, (words, _) in enumerate(rules) for word in words]


_BY_WORD = [(_RULES, _by_word(_RULES))]
_ALL_BY_WORD = [(_LONG, _by_word(_LONG)), *_BY_WORD]


def told(text: str, *, words: str) -> Iterator[Found]:
    """What the words around it give away; a rule is asked where one of its words occurs.

    Args:
        text: Where.
        words: Its long words (:func:`mind.text.secrets.shapes.long_words`).
    """
    small = text.lower()
    for rules, by_word in _ALL_BY_WORD if words else _BY_WORD:
        for at in sorted({at for word, at in by_word if word in small}):
            yield from rules[at][1](text)
    if words:
        yield from vendors.discord(text)
