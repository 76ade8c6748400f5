"""Credentials that are known by their shape: a prefix of their own, and what follows it.

The formats are those that their issuers document or that their tokens have, as of 2026. Keys that
are made to be public (Stripe's ``pk_``, a Sentry DSN, PostHog's ``phc_``) are no credentials.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from mind.text.secrets.chance import checksum, is_stand_in, is_wordy

_W = "[A-Za-z0-9]"
_U = "[A-Za-z0-9_-]"
_X = "[0-9a-fA-F]"
_BASE64 = "[A-Za-z0-9+/]"
_END = f"(?!{_W})"
_UUID = f"{_X}{{8}}-{_X}{{4}}-{_X}{{4}}-{_X}{{4}}-{_X}{{12}}"


class Found(NamedTuple):
    """A credential from ``start`` to ``end``."""

    start: int
    end: int
    name: str


class Shape(NamedTuple):
    """What a kind of credential looks like; matching costs no more than its length.

    Attributes:
        name: Its kind, in words.
        prefix: What it begins with, exactly.
        body: What follows.
        check: Whether a body of this form is one indeed.
    """

    name: str
    prefix: str
    body: re.Pattern[str]
    check: Callable[[str], bool]


def _is_random(body: str) -> bool:
    return not is_stand_in(body) and not is_wordy(body)


def _is_filled(body: str) -> bool:
    """Examples of AWS end in EXAMPLE: by shape they are keys, and are treated as such."""
    return len(set(body)) > 4


def _shapes(check: Callable[[str], bool], rows: str) -> Iterator[Shape]:
    """Rows ``name | prefix prefix … | body``, where W, U, X, B stand for classes of characters."""
    classes = {"{W}": _W, "{U}": _U, "{X}": _X, "{B}": _BASE64, "{UUID}": _UUID}
    for row in rows.strip().splitlines():
        name, prefixes, body = (part.strip() for part in row.split(" | "))
        for short, whole in classes.items():
            body = body.replace(short, whole)
        for prefix in prefixes.split():
            yield Shape(name, prefix, re.compile(body + _END, re.ASCII), check)


_PLAIN = r"""
GitHub fine-grained token | github_pat_ | {W}{22}_{W}{59}
GitHub app token | ghs_ | [A-Za-z0-9._-]{37,}+
GitLab personal access token | glpat- | [A-Za-z0-9_.-]{20,}+
GitLab deploy token | gldt- | {U}{20,}+
GitLab runner token | glrt- glrtr- GR1348941 | [A-Za-z0-9_.-]{20,}+
GitLab job token | glcbt- | [A-Za-z0-9_.-]{20,}+
GitLab trigger token | glptt- | {U}{20,}+
GitLab feed token | glft- | {U}{20,}+
GitLab token | glimt- glagent- glsoat- gloas- glffct- glwt- | {U}{20,}+
Slack bot token | xoxb- | {U}{20,}+
Slack user token | xoxp- | {U}{20,}+
Slack token | xoxa- xoxr- xoxs- xoxo- xoxe- xoxe. xoxc- xoxd- | [A-Za-z0-9_.%-]{20,}+
Slack app token | xapp- | {U}{20,}+
Slack webhook | hooks.slack.com/ | (?:services|workflows|triggers)/{W}{8,15}/{W}{8,20}/{W}{16,60}
Stripe live key | sk_live_ | {W}{10,}+
Stripe test key | sk_test_ | {W}{10,}+
Stripe restricted key | rk_live_ rk_test_ | {W}{10,}+
Stripe webhook secret | whsec_ | {B}{24,}+={0,2}
Anthropic API key | sk-ant- | {U}{32,}+
OpenRouter API key | sk-or-v1- | {X}{64}
Langfuse secret key | sk-lf- | {UUID}
OpenAI API key | sk-proj- sk-svcacct- sk-admin- sk-None- | {U}{32,}+
OpenAI API key | sk- | {W}{32,}+
Google API key | AIza | {U}{35}
Google API key | AQ. | {U}{50,}+
Google OAuth secret | GOCSPX- | {U}{24,}+
Google OAuth token | ya29. | {U}{30,}+
Google refresh token | 1//0 | {U}{40,}+
Firebase server key | AAAA | {U}{7}:{U}{140}
Amazon MWS token | amzn.mws. | {UUID}
Amazon Bedrock key | ABSK | {B}{100,}+={0,2}
Amazon Bedrock key | bedrock-api-key- | [A-Za-z0-9+/=_-]{60,}+
AWS session token | IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz | [A-Za-z0-9+/=%]{80,}+
Azure storage key | AccountKey= | {B}{86}==
Azure shared access key | SharedAccessKey= | {B}{43}=
PyPI token | pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZ pypi- | {U}{50,}+
Docker Hub token | dckr_pat_ dckr_oat_ | {U}{24,}+
Hugging Face token | hf_ api_org_ | {W}{34}
DigitalOcean token | dop_v1_ doo_v1_ dor_v1_ | {X}{64}
Heroku API key | HRKU- | (?:AA{U}{50,}+|{UUID})
SendGrid API key | SG. | {U}{16,32}\.{U}{32,64}
Mailgun API key | key- | [0-9a-z]{32}
Mandrill API key | md- | {U}{22}
Brevo API key | xkeysib- xsmtpsib- | {X}{64}-{W}{16}
Twilio API key | SK | {X}{32}
Discord webhook | discord.com/api/webhooks/ discordapp.com/api/webhooks/ | [0-9]{17,20}/{U}{60,}+
Shopify token | shpat_ shpca_ shppa_ shpss_ shpua_ shptka_ | {X}{32}
Square token | sq0atp- | {U}{22}
Square token | EAAA | {U}{60}
Square secret | sq0csp- | {U}{43}
Databricks token | dapi dose | {X}{32}(?:-[0-9])?
Linear API key | lin_api_ lin_oauth_ lin_wh_ | {W}{32,}+
Notion token | ntn_ | {W}{40,}+
Notion token | secret_ | {W}{43}
Figma token | figd_ figu_ figo_ figor_ | {U}{35,}+
Postman API key | PMAK- | {X}{24}-{X}{34}
Postman token | PMAT- | {W}{26}
Grafana token | glsa_ | {W}{32}_{X}{8}
Grafana Cloud token | glc_ | {B}{32,}+={0,2}
New Relic key | NRAK- NRII- NRRA- NRIQ- NRSP- | {U}{27,}+
Sentry token | sntrys_ sntryu_ sntrya_ sntryi_ | [A-Za-z0-9+/=_-]{40,}+
Vault token | hvs. hvb. hvr. | {U}{24,}+
Doppler token | dp.pt. dp.ct. dp.sa. dp.scim. dp.audit. | {W}{40,44}
Doppler token | dp.st. | (?:[a-z0-9_-]{2,35}\.)?{W}{40,44}
Age secret key | AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1 | [02-9AC-HJ-NP-Z]{58,}+
Airtable token | pat | {W}{14}\.{X}{64}
Atlassian token | ATATT3 ATCTT3 | [A-Za-z0-9_=-]{60,}+
Bitbucket token | ATBB BBDC- | {W}{28,}+
Cloudflare token | cfut_ cfat_ cfk_ | {U}{40,}+
Cloudflare origin key | v1.0- | {X}{24}-{X}{146}
Supabase token | sbp_ sbp_v0_ | {X}{40}
Supabase secret key | sb_secret_ | {U}{31,}+
Netlify token | nfp_ nfc_ nfo_ nfu_ nfb_ | {W}{36,}+
Vercel token | vcp_ vci_ vca_ vcr_ vck_ | {W}{24,}+
Vercel Blob token | vercel_blob_rw_ | {W}{16}_{W}{30}
Fly.io token | fo1_ | {U}{43}
Fly.io token | fm1_ fm1r_ fm1a_ fm2_ | [A-Za-z0-9+/=_-]{80,}+
PlanetScale token | pscale_tkn_ pscale_pw_ pscale_oauth_ | [A-Za-z0-9_=.-]{32,}+
Neon API key | napi_ | {W}{60,}+
Render API key | rnd_ | {W}{28,32}
Pulumi token | pul- | {X}{40}
Replicate token | r8_ | {W}{37}
Groq API key | gsk_ | {W}{48,}+
xAI API key | xai- | {W}{70,}+
Perplexity API key | pplx- | {W}{40,}+
Tavily API key | tvly- | {U}{32,}+
LangSmith key | lsv2_pt_ lsv2_sk_ | {X}{32}_{X}{10}
Pinecone API key | pcsk_ | [A-Za-z0-9_]{50,}+
NVIDIA API key | nvapi- | {U}{60,}+
Firecrawl API key | fc- | {X}{32}
Jina API key | jina_ | {U}{50,}+
RubyGems API key | rubygems_ | {X}{48}
crates.io token | cio | {W}{32}
NuGet API key | oy2 | [a-z0-9]{43}
Packagist token | packagist_ort_ packagist_uut_ packagist_oru_ | {X}{60,}+
Clojars token | CLOJARS_ | {X}{60}
Artifactory token | AKCp | {W}{69}
Artifactory token | cmVmdGtu | {W}{56}
SonarQube token | squ_ sqp_ sqa_ | {X}{40}
CircleCI token | CCIPAT_ CCIPRJ_ | {W}{22}_{X}{40}
Buildkite token | bkua_ | [0-9a-z]{40}
PostHog personal key | phx_ | {W}{40,}+
Sourcegraph token | sgp_ | (?:local_|{X}{16}_)?{X}{40}
Plaid token | access-sandbox- access-production- access-development- | {UUID}
Dropbox token | sl. | {U}{120,}+
Meta access token | EAACEdEose0cBA EAAC EAAG EAAB EAAM EAAJ EAAD | {W}{90,}+
Adafruit key | aio_ | {W}{28}
Dynatrace token | dt0c01. dt0s01. dt0s02. | [A-Z0-9]{8,24}\.[A-Z0-9]{64}
EasyPost API key | EZAK EZTK | {W}{54}
Shippo token | shippo_live_ shippo_test_ | {X}{40}
Typeform token | tfp_ | [A-Za-z0-9_.=-]{40,}+
Contentful token | CFPAT- | {U}{43}
Resend API key | re_ | {W}{8}_{W}{20,}+
HubSpot token | pat-na1- pat-na2- pat-na3- pat-eu1- pat-ap1- | {UUID}
Tailscale key | tskey- | (?:auth|api|client|scim|webhook)-{W}{8,20}-{W}{20,}+
1Password service account token | ops_eyJ | {B}{200,}+={0,3}
1Password secret key | A3- | [A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}
Alibaba access key | LTAI | {W}{12,24}
Mapbox secret token | sk.eyJ | {U}{40,}+\.{U}{20,}+
OpenShift token | sha256~ | {U}{43}
Aiven password | AVNS_ | {U}{19}
Deno Deploy token | ddp_ ddo_ | {W}{36}
Weights & Biases key | wandb_v1_ | {U}{40,}+
LaunchDarkly key | sdk- | {UUID}
Prefect token | pnu_ pnb_ | {W}{36}
Infracost key | ico- | {W}{32}
ReadMe key | rdme_ | [a-z0-9]{70}
Scaleway key | SCW | [A-Z0-9]{17}
MongoDB Atlas secret | mdb_sa_sk_ | {U}{40}
Flutterwave key | FLWSECK-  FLWSECK_TEST- | {X}{12,32}-X
Duffel token | duffel_live_ duffel_test_ | {U}{43}
Yandex key | AQVN | {U}{35,38}
Algolia key | ALGOLIA_ | {X}{32}
Snyk token | snyk_ | {U}{36,}+
"""
_AWS = r"""
AWS access key | AKIA ASIA ABIA ACCA | [A-Z0-9]{16}
"""
_SUMMED = r"""
GitHub personal access token | ghp_ | {W}{36}
GitHub OAuth token | gho_ | {W}{36}
GitHub user token | ghu_ | {W}{36}
GitHub app token | ghs_ | {W}{36}
GitHub refresh token | ghr_ | {W}{36,}+
npm token | npm_ | {W}{36}
"""
SHAPES = (
    *_shapes(_is_random, _SUMMED),
    *_shapes(_is_random, _PLAIN),
    *_shapes(_is_filled, _AWS),
)
_SUMS = {shape.prefix: shape.name for shape in _shapes(_is_random, _SUMMED)}
_SHORTEST = 18
"""Characters of the shortest of them, a key of Stripe's."""
_ESCAPED = re.compile(r"\\[nrt]|%[0-9A-Fa-f]{2}")


def long_words(text: str) -> str:
    """The words of ``text`` that are as long as the shortest credential with a shape."""
    return " ".join([word for word in text.split() if len(word) >= _SHORTEST])


def shaped(text: str, words: str) -> Iterator[Found]:
    """What in ``text`` has the shape of a credential.

    Args:
        text: Where.
        words: Its :func:`long_words`.
    """
    if not words:
        return
    for shape in SHAPES:
        if shape.prefix in words:
            yield from _occurrences(text, shape)
    for prefix, name in _SUMS.items():
        if prefix in words:
            yield from _summed(text, prefix, name)


def _occurrences(text: str, shape: Shape) -> Iterator[Found]:
    at = text.find(shape.prefix)
    while at >= 0:
        following = at + len(shape.prefix)
        if _begins(text, at):
            body = shape.body.match(text, following)
            if body:
                following = body.end()
                if shape.check(body[0].rstrip(".-")):
                    yield Found(at, _end(text, following), shape.name)
        at = text.find(shape.prefix, following)


def _begins(text: str, at: int) -> bool:
    """Whether no word goes on here; an escaped line end or URL character is no word."""
    if at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum()):
        return True
    return _ESCAPED.match(text, max(0, at - 2), at) is not None or (
        at > 2 and _ESCAPED.match(text, at - 3, at) is not None
    )


def _end(text: str, end: int) -> int:
    """A full stop behind it ends the sentence, not the token."""
    while text[end - 1] == ".":
        end -= 1
    return end


def _summed(text: str, prefix: str, name: str) -> Iterator[Found]:
    """Tokens with a right checksum, also where a word is stuck to them."""
    at = text.find(prefix)
    while at >= 0:
        body = text[at + len(prefix) : at + len(prefix) + 36]
        if (
            len(body) == 36
            and body.isascii()
            and body.isalnum()
            and checksum(body[:30]) == body[30:]
        ):
            yield Found(at, at + len(prefix) + 36, name)
        at = text.find(prefix, at + 1)
