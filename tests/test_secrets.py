"""Credentials in texts: found in every form, told by kind and place, and never by value."""

import random
import string
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind.domain.errors import InputError
from mind.memory.memory import Memory
from mind.text import secrets
from mind.text.secrets import Secret, find, finding, mask
from mind.text.secrets.shapes import SHAPES, checksum, entropy
from tests.effort import tries
from tests.secret_cases import (
    HEX,
    URL,
    WORD,
    Case,
    cases,
    drawn,
    harmless_files,
    near_misses,
    pem,
    summed,
    uuid,
    web_token,
)

CASES = list(cases())
NEAR_MISSES = list(near_misses())
TOKEN = summed("gh" + "p_", "token")
KIND = "GitHub personal access token"


def kinds(text: str) -> list[str]:
    return [one.name for one in find(text)]


def left_of(value: str, case: Case, masked: str) -> list[str]:
    """Six characters in a row of a value that are still there, and are there because of it."""
    elsewhere = case.text.replace(value, " ") + f"[{case.kind} removed]"
    runs = {value[at : at + 6] for at in range(len(value) - 5)}
    return sorted(run for run in runs if run in masked and run not in elsewhere)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
def test_a_credential_is_found_and_named(case: Case) -> None:
    assert kinds(case.text) == [case.kind]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
def test_nothing_of_it_is_left_or_shown(case: Case) -> None:
    found = find(case.text)
    masked = mask(case.text)
    assert left_of(case.value, case, masked) == []
    assert mask(masked) == masked
    assert left_of(case.value, case, f"{found!r} {found[0]}") == []


def test_there_are_kinds_enough() -> None:
    assert len({case.kind for case in CASES}) >= 100
    assert len(NEAR_MISSES) >= 60


@pytest.mark.parametrize(
    ("before", "is_one"),
    [("GLS key: ", True), ("the DHL key is ", True), ("Cache key: ", False),
     ("Primary key: ", False), ("SSH key: SHA256:", False)],
)  # fmt: skip
def test_a_name_before_a_key_makes_a_long_value_a_secret(before: str, is_one: bool) -> None:
    assert bool(find(f"{before}{drawn('carrier', 32, HEX)}")) == is_one
    assert not find(f"{before}{drawn('carrier', 10, HEX)}")


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert kinds(text) == []
    assert mask(text) == text


FILES = dict(harmless_files())


@pytest.mark.parametrize("name", FILES)
def test_files_of_hashes_ids_and_encoded_data_have_no_masks(name: str) -> None:
    text = FILES[name]
    assert kinds(text) == []
    assert mask(f"decided: {name} says\n\n```\n{text}\n```\n").count(" removed]") == 0


MARKS = ("`{}`", "**{}**", '"{}"', "'{}'", "({}),", "<{}>", "| {} |", "> {}.", "- {}")
SHAPED = [case for case in CASES if f" {case.value} " in f" {case.text} "]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
def test_a_sentence_with_it_may_stand_in_any_marks(case: Case) -> None:
    assert [marks for marks in MARKS if not find(marks.format(case.text))] == []


@pytest.mark.parametrize("case", SHAPED, ids=lambda case: case.kind)
def test_it_may_stand_in_any_marks_itself_where_its_shape_gives_it_away(case: Case) -> None:
    texts = {marks: marks.format(case.value) for marks in MARKS}
    if kinds(case.value):
        assert [marks for marks, text in texts.items() if kinds(text) != [case.kind]] == []


@pytest.mark.parametrize(
    "divided",
    [
        "the token gh**p_{}**{} is old",
        "the token `gh`p_{}`{}` is old",
        "- the token, as it is: ghp_{}\n  {} is old",
        "> the token, as it is: ghp_{}\n> {} is old",
        "the token ghp_{}\\\n{} is old",
        "the token ghp\\_{}{} is old",
        "the token ghp_{}\u200b{} is old",
        "the token ghp_{}\u00ad{} is old",
        "the token ghp_{}\r\n  {} is old",
        "the token ghp_{}\n\n{} is old",
        "# the token ghp_{}\n#   {} is old",
        " * the token ghp_{}\n * {} is old",
        "- the token ghp_{}\n- {} is old",
        "the token ghp_{}\u2060\ufe0f{} is old",
        "the token ghp_{}' + '{} is old",
        'the token ghp_{}" \\\n  "{} is old',
        "the token ghp_{}' '{} is old",
        "the token ghp_{}' . '{} is old",
        'the token ghp_{}" || "{} is old',
        "the token ghp_{}` + `{} is old",
    ],
)
def test_marks_and_line_ends_within_a_token_hide_nothing(divided: str) -> None:
    body = TOKEN[4:]
    text = divided.format(body[:20], body[20:])
    assert kinds(text) == [KIND]
    masked = mask(text)
    assert masked.endswith((f"[{KIND} removed] is old", "removed]` is old"))
    assert body[:6] not in masked
    assert body[30:] not in masked


def marked(value: str) -> Iterator[str]:
    """``value`` as an editor, a page or a table may have it."""
    middle = next(at for at in range(len(value) // 2, len(value)) if value[at].isalnum())
    left, right = value[:middle], value[middle:]
    if "_" in value:
        for sign in ("\\_", "&#95;", "&#x5F;", "%5F", "\\u005f", "\uff3f"):
            yield value.replace("_", sign)
    for mark in ("\u200b", "<wbr/>", "<!-- a remark -->", "~~", "`", "' + '"):
        yield f"{left}{mark}{right}"
    yield f"{left}**{right}**"


LINES = (
    "",
    "<br>and so on",
    "\n- learned: the other\n",
    "\n\nAnother paragraph\n",
    "\n## Next\n",
    "\nand so on",
)


@pytest.mark.parametrize("case", SHAPED, ids=lambda case: case.kind)
def test_marks_within_it_hide_nothing_whatever_follows(case: Case) -> None:
    if kinds(case.value) and "\n" not in case.value:
        hidden = f"the one is [{case.kind} removed]"
        for value in marked(case.value):
            end = "**" if value.endswith("**") else ""
            for line in LINES:
                assert mask(f"the one is {value}{line}") == f"{hidden}{end}{line}"


@pytest.mark.parametrize("line", [*LINES, "**and** so on"])
def test_a_token_may_end_with_any_of_the_lines_that_it_is_divided_into(line: str) -> None:
    token = "hf" + f"_{drawn('lines', 34)}"
    for at, joint in ((10, "\n"), (20, "\n  "), (30, "\n> "), (25, "<br>")):
        text = f"the one is {token[:at]}{joint}{token[at:]}{line}"
        assert mask(text) == f"the one is [Hugging Face token removed]{line}"


@pytest.mark.parametrize(
    "token",
    [
        "whsec" + f"_{drawn('stripe', 24)}==",
        "dapi" + f"{drawn('databricks', 32, HEX)}-2",
        "AQVN" + drawn("yandex", 35),
    ],
)
def test_a_token_may_be_followed_by_what_could_be_part_of_it(token: str) -> None:
    for more in ("X", "-of-the-test-project-in-europe"):
        assert token[:36] not in mask(f"the one is {token}{more}")


@pytest.mark.parametrize(
    "text",
    [
        "the password is hun**ter2**x!",
        "password: hun`ter2x!`",
        'password = "hun" + "ter2x!"',
        "password = 'hun' . 'ter2x!'",
        "pass\u200bword: hunter2x!",
        "password: hunt\u2060er2x!",
        "password: hunt\\\ner2x!",
    ],
)
def test_nor_do_those_within_what_words_tell(text: str) -> None:
    assert kinds(text) == ["password"]
    assert "er2x" not in mask(text)


def test_a_long_value_is_masked_up_to_its_end_on_the_next_line() -> None:
    key = drawn("wrapped", 44)
    for form in ("api_key: {}\n  {}", "Authorization: Bearer {}\n{}", 'api_key = "{}\n  {}"'):
        masked = mask(form.format(key[:30], key[30:]))
        assert key[:6] not in masked
        assert key[30:] not in masked
    assert mask(f"api_key: {key}\nthen restart").endswith("removed]\nthen restart")
    assert mask(f"api_key: {key}\nuser-2 has it").endswith("removed]\nuser-2 has it")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# Staging password\n\n{}\n", "password"),
        ("## API key\n- `{}`\n", "API key or token"),
        ("### Tokens\n\n- deploy: {}\n", "API key or token"),
        ("## Password of the shop\n\n**Value:** {}\n", "password"),
    ],
)
def test_a_heading_tells_what_the_value_below_it_is(text: str, kind: str) -> None:
    assert kinds(text.format(drawn("headed", 32))) == [kind]
    assert kinds(text.format("see the vault of the team")) == []
    assert kinds(text.format("rotated-every-month")) == []


PASSWORDS = ("pa=ss", "s3c%40ret%2F!", "p&ss*w(o)rd", "a,b;c!d", "pa~ss?x#y", "$ecr3t!x", "p@ss@1",
             "q[1]{2}w", "hunter=2=x", "pa'ss-9", "o'neil7")  # fmt: skip


@pytest.mark.parametrize("password", PASSWORDS)
def test_a_password_in_an_address_may_have_any_sign(password: str) -> None:
    for scheme, kind in (("https", "password in a URL"), ("postgres", "database password")):
        text = f"{scheme}://user:{password}@db.example.net/x"
        assert (
            mask(f"see {text} there")
            == f"see {scheme}://user:[{kind} removed]@db.example.net/x there"
        )


@pytest.mark.parametrize(
    "password",
    ["$PASSWORD", "${DB_PASS}", "{password}", "<password>", "%PASSWORD%", "%s", "%(password)s",
     "[token]", ":password", "DB_PASSWORD", "8080", "443?mail=a", "secret", "xxxxxxxx", "%70ass"],
)  # fmt: skip
def test_what_a_password_is_put_in_place_of_is_none(password: str) -> None:
    text = f"https://user:{password}@db.example.net/x"
    assert mask(text) == text


@pytest.mark.parametrize("end", ["", ":x-oauth-basic", ":"])
def test_a_token_in_the_place_of_a_user_is_found(end: str) -> None:
    token = drawn("user", 40, "0123456789abcdef")
    masked = f"clone https://[token in a URL removed]{end}@github.com/a/b.git"
    assert mask(f"clone https://{token}{end}@github.com/a/b.git") == masked
    harmless = f"see https://github.com/a/b/commit/{token} and https://github.com/a/b@{token}"
    assert mask(harmless) == harmless


def test_addresses_side_by_side_are_no_password() -> None:
    text = "hosts = ['https://db.example.net:8080','ann@example.net']"
    assert mask(text) == text


@pytest.mark.parametrize("value", ["tr0ub=4dor", "$ecr3t!x9", "ab::cd9!x", "x&&1qW9z"])
def test_signs_of_code_in_a_quoted_password_are_its_own(value: str) -> None:
    assert kinds(f"password = '{value}'") == ["password"]


def test_a_key_of_any_length_goes_on_behind_a_line_end_only_where_it_looks_so() -> None:
    key = "sk" + "-proj-" + drawn("long", 100, URL)
    assert mask(f"use {key}\nand nothing else") == "use [OpenAI API key removed]\nand nothing else"
    assert mask(f"use {key}\nNothing else") == "use [OpenAI API key removed]\nNothing else"
    assert mask(f"use {key[:60]}\n  {key[60:]} now") == "use [OpenAI API key removed] now"


def test_words_below_each_other_are_no_wrapped_token() -> None:
    words = "\n".join(["cio", *"where there before behind beneath between beyond 1763".split()])
    assert kinds(words) == []


def test_a_token_is_found_where_a_word_is_stuck_to_it() -> None:
    assert kinds(f"{TOKEN}and more") == [KIND]
    assert kinds(f"x{TOKEN}") == [KIND]
    assert kinds(f"line\\n{TOKEN}") == [KIND]
    assert kinds(f"url?t%3D{'gl' + 'pat-'}{drawn('p', 20)}") == ["GitLab personal access token"]
    wrong = TOKEN[:-1] + ("A" if TOKEN[-1] != "A" else "B")
    assert kinds(wrong) == [KIND]  # a shape is enough where it stands alone
    assert kinds(f"x{wrong}") == []


def test_the_checksum_is_that_of_githubs_tokens() -> None:
    # A revoked token that GitHub's article on its formats was explained with.
    assert checksum("zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ") == "0mLq17"
    assert checksum("").rjust(6, "0") == "000000"


def test_examples_from_manuals_are_credentials_by_shape() -> None:
    assert kinds("AK" + "IAIOSFODNN7" + "EXAMPLE") == ["AWS access key"]
    assert kinds("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY") == [
        "AWS secret key"
    ]


def test_several_are_told_in_order_and_apart() -> None:
    key = "AK" + "IA" + drawn("k", 16, "ABCDEFGHIJKLMNOP")
    text = f"{key} first, then {TOKEN} and {TOKEN}; {pem('RSA', 'x')}"
    found = find(text)
    assert [one.name for one in found] == ["AWS access key", KIND, KIND, "RSA private key"]
    assert text[found[1].start : found[1].end] == TOKEN
    assert found[0] == Secret("AWS access key", 0, 20)


def test_a_token_within_an_address_or_an_assignment_is_named_once() -> None:
    assert kinds(f"https://x-access-token:{TOKEN}@github.com/a/b") == [KIND]
    assert kinds(f"GITHUB_TOKEN={TOKEN}") == [KIND]
    assert kinds(f"Authorization: Bearer {web_token('x')}") == ["JSON Web Token"]
    assert kinds(f"https://{TOKEN}:x-oauth-basic@github.com") == [KIND]


def test_a_private_key_is_masked_as_a_whole() -> None:
    key = pem("OPENSSH", "y")
    assert mask(f"a\n{key}\nb") == "a\n[SSH private key removed]\nb"
    quoted = "> " + key.replace("\n", "\n> ")
    assert mask(f"a\n{quoted}\nb") == "a\n> [SSH private key removed]\nb"
    cut = key[: key.rindex("\n")]
    assert mask(f"a\n{cut}\nand so on") == "a\n[SSH private key removed]\nand so on"
    lines = "\n".join(drawn(f"putty{at}", 64) for at in range(4))
    putty = f"PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 4\n{lines}"
    assert mask(f"{putty}\nPrivate-MAC: x") == "[SSH private key removed]\nPrivate-MAC: x"


def test_what_only_has_the_parts_of_a_web_token_is_none() -> None:
    parts = [drawn("a", 20), drawn("b", 20), drawn("c", 20)]
    assert kinds("eyJ" + ".".join(parts)) == []
    assert kinds("eyJ" + "A" * 14 + "." + ".".join(parts[1:])) == []


def test_a_uuid_is_a_key_only_where_it_is_said_to_be_one() -> None:
    assert kinds(f"api_key: {uuid('a')}") == ["API key or token"]
    assert kinds(f"token: {uuid('a')}") == []
    assert kinds(f"token: sha256:{drawn('d', 64, HEX)}") == []


def test_a_token_of_no_certain_use_is_one_only_if_it_is_long() -> None:
    assert kinds("the token: a1b2" + "c3d4e5") == []
    assert kinds("the token: a1b2" + "c3d4e5f6g7h8") == ["API key or token"]


def test_an_address_without_a_scheme_or_with_a_shown_password_is_none() -> None:
    assert kinds("://app:s3cr3t-x@db/shop") == []
    assert kinds("Server=db;User Id=sa;Password=<password>") == []
    assert kinds("//registry.npmjs.org/:_authToken=" + "x" * 36) == []
    assert kinds("the AWS secret is " + "a1B" + "a" * 37) == []
    assert kinds("M" + "x" * 24 + "." + "y" * 6 + "." + "z" * 30) == []
    assert kinds("Authorization: Basic " + drawn("b", 12)) == []


def test_a_value_on_the_next_line_is_found() -> None:
    assert kinds(f"the API key is\n  `{drawn('nl', 32)}`") == ["API key or token"]
    assert kinds(f"password:\n  {drawn('nl', 10)}7") == ["password"]


def test_entropy_is_in_bits_a_character() -> None:
    assert entropy("") == 0
    assert entropy("aaaa") == 0
    assert entropy("abcd") == 2


def test_no_shape_is_found_in_the_source_of_the_table() -> None:
    assert all(len(shape.prefix) > 1 for shape in SHAPES)
    assert not [shape for shape in SHAPES if kinds(f"the prefix {shape.prefix} says it")]


@given(st.text())
def test_any_text_is_looked_through(text: str) -> None:
    inside(text)


PARTS = st.sampled_from(
    [*(shape.prefix for shape in SHAPES), *(case.value for case in CASES), "password: ", "token=",
     "://", "@", ":", "=", "\n", "**", "`", "\\", "'", '"', "-----BEGIN ", "PRIVATE KEY-----", " ",
     "eyJ", ".", "İ", "ß", "\u200b", "Bearer ", "Basic ", "login x password ", "api key", "\r\n> ",
     drawn("part", 40), drawn("part", 20, HEX)]
)  # fmt: skip


@settings(max_examples=tries(30, 300), deadline=None)
@given(st.lists(PARTS, max_size=30).map("".join))
def test_any_mixture_is_looked_through(text: str) -> None:
    inside(text)


ORDINARY = (
    "password token secret key pass pin: api_key Bearer Basic twilio AWS Heroku vault is = auth "
    "GitHub src/auth.py next-session 2026-11-20 10:30 #12 don't (see) the, Passwort: ist user "
    "deploys everything twice. PR 42 README.md well-known correct horse battery staple"
).split()


@given(st.lists(st.sampled_from(ORDINARY), max_size=20), st.sampled_from([" ", "\n", "\n  "]))
def test_what_is_not_looked_through_has_none(words: list[str], joint: str) -> None:
    """Plain words are told from the rest before the rules are loaded."""
    text = joint.join(words)
    assert bool(find(text)) == bool(list(finding.find(text)))


def inside(text: str) -> None:
    found = find(text)
    edges = [0, *(at for one in found for at in (one.start, one.end)), len(text)]
    assert edges == sorted(edges)
    assert all(one.start < one.end for one in found)
    assert len(mask(text)) == len(text) + sum(
        len(f"[{one.name} removed]") - (one.end - one.start) for one in found
    )


HOSTILE = {
    "one letter": "a",
    "one word": "password",
    "assignments": "password=",
    "keys": "api_key: ",
    "secret words": "secret key for ",
    "is": "token is ",
    "addresses": "a://b:c",
    "ats": "://a:@",
    "web tokens": "eyJ-",
    "web token parts": "eyJaaaaaaaaaa.",
    "PEM heads": "-----BEGIN RSA PRIVATE KEY-----",
    "PuTTY heads": "PuTTY-User-Key-File-3: ",
    "aws": "aws ",
    "vendors": "twilio token heroku key cloudflare ",
    "OpenAI": "sk-proj-",
    "GitHub": "ghp_",
    "app": "ghs_a.",
    "Slack": "xoxb-",
    "connections": "Host=Server=",
    "connection parts": "Host=a;",
    "netrc": "login x ",
    "basic": "Basic ",
    "Discord": "M.",
    "marks": "*`",
    "backslashes": "\\_",
    "line ends": "a\n  ",
    "quotes": 'password="',
    "options": "--a-a-a-a-token ",
    "elements": "<a.token",
    "spaces": "password  ",
    "wrapped": "sk-proj-\n",
    "dots": "SG.",
    "phrases": "seed phrase: able acid ",
    "passphrases": "passphrase: 'able acid ",
    "all prefixes": "".join(shape.prefix for shape in SHAPES),
    "digits": "12345678:",
    "sums": '"a" + ',
    "adjacent strings": "'a' ",
    "strings on lines": "'a'\n",
    "invisible": "\u200b",
    "comment lines": "# a1b2c3d4\n",
    "blank lines": "a1\n\n",
    "headings": "# password\n",
    "titles": "## the secrets of it\n\n- value: ",
    "escapes": "://a:%41%42@",
    "hex": drawn("hostile", 32, HEX) + "-",
    "key by key": f"{'gl' + 'pat-'}{drawn('gl', 20)} ",
    "clauses": "password a1B! ",
    "said before": "Ab3#x9 as the password ",
    "tables": "| password |\n|---|\n| a |\n",
    "rows": "user,password\n",
    "cells": "|a",
    "programs": "mysql -p ",
    "pipes": "echo a1b2c3 | ",
    "parameters": "?token=",
    "hooks": "://a/hook/",
    "cookies": "session=; ",
    "codes": "backup codes: a1b2-c3d4 ",
    "Chinese": "密码",
    "newlines": "\n",
    "blanks": " ",
    "mixed": drawn("mixed", 997, WORD + "+/=_-.:@ \n`*"),
}


def spent(pattern: str, size: int) -> Iterator[float]:
    """Yield seconds of CPU of up to three runs."""
    text = (pattern * (size // len(pattern) + 1))[:size]
    for _ in range(3):
        began = time.process_time()
        find(text)
        yield time.process_time() - began


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_the_length_and_no_faster(name: str) -> None:
    """Ten times the text takes ten times as long; twice as much is left for noise."""
    short = min(spent(HOSTILE[name], 5_000))
    assert any(long < 0.1 or long < 30 * short for long in spent(HOSTILE[name], 50_000))


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        *((name, True) for name in ("dbPasswordProd", "apiKeyLive", "APIKeyV2", "apikey2")),
        *((name, True) for name in ("JWTSecretProd", "oauthClientSecretForTests", "token_prod2")),
        *((name, False) for name in ("passwordHash", "tokenCount", "secretName", "apiKeyId")),
        *((name, False) for name in ("passwordless", "tokenizerProd", "secretary2", "passThrough")),
    ],
)
def test_what_follows_in_the_name_of_a_secret_is_read_in_camel_case_too(
    memory: Memory, name: str, is_secret: bool
) -> None:
    value = "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=32))  # noqa: S311 - no secret
    text = f"the job reads {name}: '{value}'"
    if not is_secret:
        assert memory.log(text, "learning").entry.text == text
        return
    with pytest.raises(InputError, match="password|API key"):
        memory.log(text, "learning")
    assert value not in memory.project.memory.read_text(encoding="utf-8")


@pytest.mark.parametrize("said", ["api_key = {}", 'TOKEN = "{}"', "https://a.example/?token={}"])
def test_a_long_word_with_digits_takes_no_time(said: str) -> None:
    """Parts of camel case that may begin anywhere can be told apart in millions of ways."""
    word = "".join(random.Random(1).choices(string.ascii_lowercase, k=38))  # noqa: S311 - no secret
    text = said.format(f"{word}1a2b3")
    assert min(spent(text, len(text))) < 0.5
    assert kinds(text) != []


def test_random_texts_hold_nothing() -> None:
    """Chance alone makes none: the shapes are not what random letters have."""
    letters = random.Random(4)  # noqa: S311 - a text, not a secret
    texts = ["".join(letters.choices(WORD + "-_. /\n", k=200)) for _ in range(500)]
    assert [kinds(text) for text in texts if kinds(text)] == []


def test_the_package_offers_no_value() -> None:
    assert secrets.__all__ == ["Secret", "find", "mask", "mask_bytes", "masks_in", "placeholder"]
    assert [*Secret.__dataclass_fields__] == ["name", "start", "end"]
