"""Credentials without a prefix of their own: by a mark within them, or by their issuer's name."""

import re
from collections.abc import Callable, Iterator

from mind.text.secrets.chance import UUID, is_name, is_stand_in
from mind.text.secrets.shapes import Found

Finder = Callable[[str], Iterator[Found]]

_SAID = re.compile(r"key|token|secret|auth|password", re.IGNORECASE)
_SAID_OF_AWS = re.compile(r"secret|\bkey|A(?:KI|SI)A[A-Z0-9]{16}|credential", re.IGNORECASE)
_AWS = re.compile(
    r"(?:aws|amazon|secret[ _-]?access[ _-]?key|secretaccesskey|(?:AKIA|ASIA)[A-Z0-9]{16})"
    r"[\s\S]{0,90}?(?<![A-Za-z0-9/+=])([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    re.IGNORECASE,
)


def _marked(name: str, value: str) -> Finder:
    """A finder of a value that stands alone, by what is in it."""
    pattern = re.compile(rf"(?<![A-Za-z0-9_-])(?:{value})(?![A-Za-z0-9_-])", re.ASCII)

    def find(text: str) -> Iterator[Found]:
        for found in pattern.finditer(text):
            if not is_stand_in(found[0]):
                yield Found(*found.span(), name)

    return find


def _near(name: str, vendor: str, value: str) -> Finder:
    """A finder of what is a vendor's only if its name and "key" or the like stand just before."""
    pattern = re.compile(
        rf"(?:{vendor})[^\n]{{0,60}}?(?<![A-Za-z0-9/+_-])(?P<value>{value})(?![A-Za-z0-9/+_-])",
        re.IGNORECASE,
    )

    def find(text: str) -> Iterator[Found]:
        for found in pattern.finditer(text):
            said = _SAID.search(text, found.start(), found.start("value"))
            if said and _is_mixed(found["value"]) and not is_stand_in(found["value"]):
                yield Found(*found.span("value"), name)

    return find


def _is_mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _aws_secret(text: str) -> Iterator[Found]:
    """Forty characters of both cases with digits, said to be secret, or behind the key's id."""
    for found in _AWS.finditer(text):
        value, before = found[1], text[found.start() : found.start(1)]
        said = _SAID_OF_AWS.search(before) is not None and "://" not in before
        if said and _is_varied(value) and not is_name(value):
            yield Found(*found.span(1), "AWS secret key")


def _is_varied(value: str) -> bool:
    """A commit's hash has small letters only."""
    of_both_cases = not value.islower() and not value.isupper()
    return of_both_cases and _is_mixed(value) and len(set(value)) > 9


_HEX = "[0-9a-f]"
RULES: tuple[tuple[tuple[str, ...], Finder], ...] = (
    (("aws", "amazon", "secret", "akia", "asia"), _aws_secret),
    (("twilio",), _near("Twilio auth token", "twilio", f"{_HEX}{{32}}")),
    (("heroku",), _near("Heroku API key", "heroku", UUID.pattern)),
    (("datadog", "dd_"), _near("Datadog key", "datadog|DD_A", f"{_HEX}{{32}}(?:{_HEX}{{8}})?")),
    (
        ("cloudflare", "cf_"),
        _near("Cloudflare token", "cloudflare|CF_", f"[A-Za-z0-9_-]{{40}}|{_HEX}{{37}}"),
    ),
    (("fastly",), _near("Fastly token", "fastly", "[A-Za-z0-9_-]{32}")),
    (("vault",), _near("Vault token", "vault", r"s\.[A-Za-z0-9]{24}")),
    (("okta",), _near("Okta token", "okta", "00[A-Za-z0-9_-]{40}")),
    (("devops", "azdo"), _near("Azure DevOps token", "devops|azdo", "[a-z2-7]{52}")),
    (("azdo",), _marked("Azure DevOps token", "[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}")),
    (("jqqj9",), _marked("Azure API key", "[A-Za-z0-9]{52}JQQJ9[9D][A-Za-z0-9]{25,60}")),
    (
        ("q~",),
        _marked("Azure client secret", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    ),
    (("sig=",), _marked("Azure SAS token", r"(?<=[?&])sig=[A-Za-z0-9%+/_-]{40,100}=?")),
    (
        (".atlasv1.",),
        _marked("Terraform Cloud token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,80}"),
    ),
    (
        ("nral",),
        _marked(
            "New Relic key",
            f"(?:{_HEX}{{32}}|{_HEX}{{36}}|[a-z]{{2}}[0-9]{{2}}xx{_HEX}{{30}})(?:FFFF)?NRAL",
        ),
    ),
    (("-us",), _marked("Mailchimp API key", f"{_HEX}{{32}}-us[0-9]{{1,2}}")),
    (
        ("mailgun", "key", "api"),
        _marked("Mailgun API key", f"{_HEX}{{32}}-{_HEX}{{8}}-{_HEX}{{8}}"),
    ),
    (
        (":aa", "telegram", "bot"),
        _marked("Telegram bot token", "(?:bot)?[0-9]{8,10}:[A-Za-z0-9_-]{35}"),
    ),
)
_DISCORD = re.compile(
    r"[MNO](?<![A-Za-z0-9_-][MNO])[A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"
    r"(?![A-Za-z0-9_-])"
)


def discord(text: str) -> Iterator[Found]:
    """Tokens of Discord's bots: no word announces them, but few words begin so and go on so."""
    for found in _DISCORD.finditer(text):
        if not is_stand_in(found[0]):
            yield Found(*found.span(), "Discord bot token")
