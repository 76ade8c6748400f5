"""Made-up credentials of every kind, put together at run time, and texts that only look like some.

Nothing here was ever issued. Values are made of pieces so that no scanner takes this file for a
leak, and are the same in every run.
"""

import hashlib
import zlib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from typing import NamedTuple

DIGITS = "0123456789"
LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
HEX = DIGITS + "abcdef"
WORD = DIGITS + UPPER + LOWER
URL = WORD + "_-"
BASE64 = WORD + "+/"


class Case(NamedTuple):
    """A credential: its kind, its value, and a text in which it stands."""

    kind: str
    value: str
    text: str


def drawn(seed: str, count: int, letters: str = WORD) -> str:
    """``count`` characters, random to the eye, that depend on ``seed``; both ends alphanumeric."""
    made = ""
    block = 0
    while len(made) < count:
        digest = hashlib.sha256(f"{seed}:{block}".encode()).digest()
        made += "".join(letters[byte % len(letters)] for byte in digest)
        block += 1
    made = made[:count]
    if not made[-1].isalnum():
        made = made[:-1] + letters[0]
    return letters[1] + made[1:] if not made[0].isalnum() else made


def summed(prefix: str, seed: str) -> str:
    """A token of GitHub's or npm's form, with its checksum."""
    body = drawn(seed, 30)
    rest, digits = zlib.crc32(body.encode()), ""
    while rest:
        rest, digit = divmod(rest, 62)
        digits = (DIGITS + UPPER + LOWER)[digit] + digits
    return prefix + body + digits.rjust(6, "0")


def uuid(seed: str) -> str:
    """A UUID."""
    digits = drawn(seed, 32, HEX)
    return "-".join(
        (digits[:8], digits[8:12], "4" + digits[13:16], "a" + digits[17:20], digits[20:])
    )


def web_token(seed: str) -> str:
    """A JSON Web Token with a signature that is none."""
    parts = (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"42","name":"' + seed.encode() + b'"}')
    head = [urlsafe_b64encode(part).decode().rstrip("=") for part in parts]
    return ".".join((*head, drawn(seed, 43, URL)))


def pem(kind: str, seed: str) -> str:
    """A private key in PEM form that is none."""
    title = f"{kind} PRIVATE KEY".strip() + (" BLOCK" if kind == "PGP" else "")
    lines = "\n".join(drawn(f"{seed}{line}", 64, BASE64) for line in range(6))
    dashes = "-" * 5
    return f"{dashes}BEGIN {title}{dashes}\n{lines}\n{dashes}END {title}{dashes}"


def _prefixed() -> Iterator[tuple[str, str, str]]:
    """Kind, prefix and the rest of a value, of those that a prefix gives away."""
    for kind, prefix, count, letters in (
        ("GitHub refresh token", "ghr" + "_", 76, WORD),
        ("GitLab personal access token", "glpat" + "-", 20, URL),
        ("GitLab deploy token", "gldt" + "-", 20, URL),
        ("GitLab runner token", "glrt" + "-", 20, URL),
        ("GitLab job token", "glcbt" + "-", 22, WORD),
        ("GitLab trigger token", "glptt" + "-", 40, HEX),
        ("GitLab feed token", "glft" + "-", 20, URL),
        ("GitLab token", "glagent" + "-", 50, URL),
        ("GitLab token", "gloas" + "-", 64, HEX),
        ("GitLab token", "glsoat" + "-", 20, URL),
        ("Stripe live key", "sk" + "_live_", 24, WORD),
        ("Stripe live key", "sk" + "_live_51", 99, WORD),
        ("Stripe test key", "sk" + "_test_", 24, WORD),
        ("Stripe restricted key", "rk" + "_live_", 24, WORD),
        ("Stripe webhook secret", "whsec" + "_", 32, WORD),
        ("OpenAI API key", "sk" + "-", 48, WORD),
        ("OpenAI API key", "sk" + "-proj-", 156, URL),
        ("OpenAI API key", "sk" + "-svcacct-", 120, URL),
        ("OpenAI API key", "sk" + "-admin-", 120, URL),
        ("Anthropic API key", "sk" + "-ant-api03-", 95, URL),
        ("Anthropic API key", "sk" + "-ant-admin01-", 95, URL),
        ("Anthropic API key", "sk" + "-ant-oat01-", 95, URL),
        ("OpenRouter API key", "sk" + "-or-v1-", 64, HEX),
        ("Google API key", "AI" + "za", 35, URL),
        ("Google API key", "AQ" + ".Ab8", 50, URL),
        ("Google OAuth secret", "GOC" + "SPX-", 28, URL),
        ("Google OAuth token", "ya" + "29.a0", 120, URL),
        ("Google refresh token", "1/" + "/0", 60, URL),
        ("Amazon Bedrock key", "AB" + "SK", 128, WORD),
        ("AWS session token", "IQoJ" + "b3JpZ2lu", 300, BASE64),
        ("PyPI token", "pypi" + "-AgEIcHlwaS5vcmc", 120, URL),
        ("Docker Hub token", "dckr" + "_pat_", 27, URL),
        ("Docker Hub token", "dckr" + "_oat_", 32, URL),
        ("Hugging Face token", "hf" + "_", 34, UPPER + LOWER),
        ("DigitalOcean token", "dop" + "_v1_", 64, HEX),
        ("DigitalOcean token", "doo" + "_v1_", 64, HEX),
        ("Heroku API key", "HRKU" + "-AA", 58, URL),
        ("Mailgun API key", "key" + "-", 32, HEX),
        ("Mandrill API key", "md" + "-", 22, URL),
        ("Twilio API key", "S" + "K", 32, HEX),
        ("Shopify token", "shp" + "at_", 32, HEX),
        ("Shopify token", "shp" + "ss_", 32, HEX),
        ("Square token", "sq0" + "atp-", 22, URL),
        ("Square secret", "sq0" + "csp-", 43, URL),
        ("Square token", "EA" + "AA", 60, URL),
        ("Databricks token", "da" + "pi", 32, HEX),
        ("Linear API key", "lin" + "_api_", 40, WORD),
        ("Notion token", "nt" + "n_", 46, WORD),
        ("Notion token", "secret" + "_", 43, WORD),
        ("Figma token", "fig" + "d_", 40, URL),
        ("Grafana Cloud token", "gl" + "c_", 80, BASE64),
        ("New Relic key", "NR" + "AK-", 27, DIGITS + UPPER),
        ("Sentry token", "sntry" + "u_", 64, HEX),
        ("Sentry token", "sntry" + "s_eyJ", 150, WORD),
        ("Vault token", "hv" + "s.", 95, URL),
        ("Vault token", "hv" + "b.", 140, URL),
        ("Doppler token", "dp" + ".pt.", 43, WORD),
        ("Doppler token", "dp" + ".st.dev.", 43, WORD),
        ("Age secret key", "AGE" + "-SECRET-KEY-1", 58, "023456789ACDEFGHJKLMNPQRSTUVWXYZ"),
        ("Atlassian token", "ATA" + "TT3xFfGF0", 180, URL),
        ("Bitbucket token", "AT" + "BB", 32, WORD),
        ("Supabase token", "sb" + "p_", 40, HEX),
        ("Supabase secret key", "sb" + "_secret_", 31, URL),
        ("Netlify token", "nf" + "p_", 40, WORD),
        ("Fly.io token", "fm" + "2_", 160, BASE64),
        ("PlanetScale token", "pscale" + "_tkn_", 43, URL),
        ("Render API key", "rn" + "d_", 32, WORD),
        ("Pulumi token", "pu" + "l-", 40, HEX),
        ("Replicate token", "r" + "8_", 37, WORD),
        ("Groq API key", "gs" + "k_", 52, WORD),
        ("xAI API key", "xa" + "i-", 80, WORD),
        ("Perplexity API key", "pp" + "lx-", 48, WORD),
        ("NVIDIA API key", "nv" + "api-", 64, URL),
        ("RubyGems API key", "ruby" + "gems_", 48, HEX),
        ("crates.io token", "ci" + "o", 32, WORD),
        ("NuGet API key", "oy" + "2", 43, DIGITS + LOWER),
        ("Artifactory token", "AK" + "Cp", 69, WORD),
        ("SonarQube token", "sq" + "u_", 40, HEX),
        ("PostHog personal key", "ph" + "x_", 43, WORD),
        ("Contentful token", "CF" + "PAT-", 43, URL),
        ("Alibaba access key", "LT" + "AI", 20, WORD),
        ("OpenShift token", "sha256" + "~", 43, URL),
        ("AWS access key", "AK" + "IA", 16, UPPER + "234567"),
        ("AWS access key", "AS" + "IA", 16, UPPER + "234567"),
        ("Slack app token", "xa" + "pp-1-A0", 90, LOWER + DIGITS),
    ):
        yield kind, prefix, drawn(prefix, count, letters)


def _composed() -> Iterator[tuple[str, str, str]]:
    """Kind, value and sentence (``{}`` for the value) of those with parts."""
    for kind, prefix in (
        ("GitHub personal access token", "ghp" + "_"),
        ("GitHub OAuth token", "gho" + "_"),
        ("GitHub user token", "ghu" + "_"),
        ("GitHub app token", "ghs" + "_"),
        ("npm token", "npm" + "_"),
    ):
        yield kind, summed(prefix, prefix), "we push with {}, until it expires"
    plain = "the one in use is {} (until May)"
    yield "GitHub app token", "ghs" + "_12345_" + web_token("app"), plain
    pat = "github" + "_pat_"
    yield "GitHub fine-grained token", pat + drawn("a", 22) + "_" + drawn("b", 59), plain
    slack = f"-{drawn('s1', 12, DIGITS)}-{drawn('s2', 13, DIGITS)}-{drawn('s3', 24)}"
    yield "Slack bot token", "xo" + "xb" + slack, plain
    yield "Slack user token", "xo" + "xp" + slack, plain
    yield "Slack token", "xo" + "xe.xoxp-1-" + drawn("xe", 146), plain
    hook = f"/T{drawn('t', 8, UPPER)}/B{drawn('t2', 10, UPPER)}/{drawn('t3', 24)}"
    yield "Slack webhook", "hooks.slack" + ".com/services" + hook, "posts to https://{} at night"
    yield "SendGrid API key", "S" + "G." + drawn("g", 22, URL) + "." + drawn("g2", 43, URL), plain
    yield "Mailchimp API key", drawn("mc", 32, HEX) + "-us" + "21", plain
    yield (
        "Mailgun API key",
        f"{drawn('mg', 32, HEX)}-{drawn('m2', 8, HEX)}-{drawn('m3', 8, HEX)}",
        ("the mailgun key is {} now"),
    )
    yield "Brevo API key", "xkey" + f"sib-{drawn('x', 64, HEX)}-{drawn('x2', 16)}", plain
    yield "Telegram bot token", drawn("tg", 10, "123456789") + ":AA" + drawn("tg2", 33, URL), plain
    bot = urlsafe_b64encode(drawn("d", 18, "123456789").encode()).decode()
    yield "Discord bot token", f"{bot}.{drawn('d2', 6, URL)}.{drawn('d3', 38, URL)}", plain
    yield (
        "Discord webhook",
        "discord" + ".com/api/webhooks/" + drawn("w", 18, "123456789") + "/" + drawn("w2", 68, URL),
        "alerts go to https://{} since June",
    )
    postman = f"{drawn('p', 24, HEX)}-{drawn('p2', 34, HEX)}"
    yield "Postman API key", "PM" + "AK-" + postman, plain
    yield "Grafana token", "gl" + f"sa_{drawn('gr', 32)}_{drawn('gr2', 8, HEX)}", plain
    yield "New Relic key", drawn("nr", 36, HEX) + "NR" + "AL", plain
    terraform = drawn("tf", 14) + ".atlas" + "v1." + drawn("tf2", 67, URL)
    yield "Terraform Cloud token", terraform, plain
    yield "Airtable token", "pa" + "t" + drawn("at", 14) + "." + drawn("at2", 64, HEX), plain
    yield "LangSmith key", "ls" + f"v2_pt_{drawn('l', 32, HEX)}_{drawn('l2', 10, HEX)}", plain
    yield "CircleCI token", "CCI" + f"PAT_{drawn('c', 22)}_{drawn('c2', 40, HEX)}", plain
    yield (
        "Dynatrace token",
        "dt0" + f"c01.{drawn('dt', 24, UPPER)}.{drawn('dt2', 64, UPPER)}",
        plain,
    )
    yield "Resend API key", "r" + f"e_{drawn('re', 8)}_{drawn('re2', 24)}", plain
    yield "HubSpot token", "pat" + "-na1-" + uuid("hs"), plain
    yield "Tailscale key", "ts" + f"key-auth-{drawn('ts', 14)}-{drawn('ts2', 32)}", plain
    yield "Plaid token", "access" + "-production-" + uuid("plaid"), plain
    client = drawn("az", 3) + "8" + "Q~" + drawn("az2", 34, WORD + "_~.")
    yield "Azure client secret", client, plain
    yield (
        "Azure storage key",
        "Account" + "Key=" + drawn("as", 86, BASE64) + "==",
        ("DefaultEndpointsProtocol=https;AccountName=shop;{};EndpointSuffix=core.windows.net"),
    )
    yield (
        "Azure shared access key",
        "SharedAccess" + "Key=" + drawn("ak", 43, BASE64) + "=",
        ("Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=root;{}"),
    )
    yield (
        "Azure SAS token",
        "sig=" + drawn("sas", 43) + "%3D",
        ("https://shop.blob.core.windows.net/a?sv=2024-11-04&se=2027-01-01&sp=r&{} opens it"),
    )
    yield "Azure API key", drawn("aa", 52) + "JQQJ" + "99" + drawn("aa2", 26), plain
    yield "Azure DevOps token", drawn("ado", 76) + "AZ" + "DO" + drawn("ado2", 4), plain
    yield "JSON Web Token", web_token("jwt"), plain
    for kind, name in (
        ("RSA", "RSA private key"),
        ("EC", "EC private key"),
        ("DSA", "DSA private key"),
        ("OPENSSH", "SSH private key"),
        ("PGP", "PGP private key"),
        ("ENCRYPTED", "encrypted private key"),
        ("", "private key"),
    ):
        yield name, pem(kind, name), "the server's key:\n{}\nand its port is 22"
    yield (
        "Google service account key",
        pem("", "gsa").replace("\n", "\\n"),
        ('{{"type": "service_account", "private_key": "{}\\n", "client_id": "1"}}'),
    )


def _told() -> Iterator[tuple[str, str, str]]:
    """The same of those that only the words around them give away."""
    secret = drawn("aws", 40, BASE64)
    yield "AWS secret key", secret, "aws_secret_access_key = {}"
    yield "AWS secret key", secret, "the AWS secret for the bucket is `{}`, in eu-west-1"
    yield "Twilio auth token", drawn("tw", 32, HEX), "TWILIO_AUTH_TOKEN={}"
    yield "Heroku API key", uuid("hk"), "HEROKU_API_KEY={}"
    yield "Datadog key", drawn("dd", 32, HEX), "export DD_API_KEY={}"
    yield "Cloudflare token", drawn("cf", 40, URL), "the Cloudflare token: {}"
    yield "Vault token", "s." + drawn("va", 24), "VAULT_TOKEN={}"
    yield "npm token", uuid("np"), "//registry.npmjs.org/:_authToken={}"
    password = drawn("pw", 12, WORD + "!#%")
    yield "database password", password, "DATABASE_URL is postgres://app:{}@db.internal:5432/shop"
    yield "database password", password, "mongodb+srv://app:{}@cluster0.abcde.mongodb.net/test"
    yield "database password", password, "redis://:{}@cache:6379/0"
    yield (
        "database password",
        password,
        "Server=db;Database=shop;User Id=sa;Password={};Encrypt=yes",
    )
    yield "password in a URL", password, "clone https://deploy:{}@git.shop.example.net/a.git first"
    yield "bearer token", drawn("br", 40), 'curl -H "Authorization: Bearer {}" https://api.shop.net'
    basic = b64encode(f"app:{drawn('bs', 12)}".encode()).decode()
    yield "basic auth header", basic, "Authorization: Basic {}"
    yield "netrc password", password, "machine git.shop.net login deploy password {}"
    yield "password of a command", password, "curl -u deploy:{} https://shop.net/upload"
    yield "password of a command", password, "sshpass -p {} ssh deploy@shop.net"
    for form in (
        "password: {}",
        "password = '{}'",
        'DB_PASSWORD="{}"',
        "the admin password is `{}`.",
        "**Password**: `{}`",
        '{{"password": "{}"}}',
        "the password for the staging box: {}",
        "passwd={}",
        "PGPASSWORD={} psql shop",
        "mysqldump --password={} shop",
        "Passwort: {}",
        "密码：{}",
        "<password>{}</password>",
        "vault write --password {} x",
        "| staging | password | {} |",
        'the body was {{\\"password\\": \\"{}\\"}}',
    ):
        yield "password", password, form
    for value, form in (
        ("1Xrpt" + "zIEhBZn", "the password: {}"),
        ("hunt" + "er2", "password = '{}'"),
        ("correcthorse" + "batterystaple", "my password is {}"),
        ("qX7" + "!vb", "the door's password: {}"),
        ("wQzRT" + "KMVbn", "pw: {}"),
        ("admin" + "123", "user admin, pass: {}"),
    ):
        yield "password", value, form
    yield "recovery phrase", "amber bottle cactus dragon", 'passphrase: "{}"'
    words = "able acid army away baby ball band bank base bath bear beat"
    yield "recovery phrase", words, "seed phrase: {}"
    yield "API key or token", "a1b2" + "c3d4e5", "CLIENT_SECRET={}"
    yield (
        "Telegram bot token",
        "bot123456789:AA" + drawn("tb", 33),
        ("https://api.telegram.org/{}/sendMessage"),
    )
    key = drawn("key", 32)
    for form in (
        "api_key: {}",
        "API key: `{}`",
        "apiKey = '{}'",
        "SECRET_KEY={}",
        "client_secret={}",
        "the token is {}.",
        "X-API-Key: {}",
        "auth_token => '{}'",
        "access token for CI: {}",
        "deploy --token {} now",
        "SIGNING_KEY: {}",
        "webhook secret: {}",
        "```\nexport SHOP_SYNC_TOKEN={}\n```",
        "`GIT_TOKEN={}`",
    ):
        yield "API key or token", key, form
    yield from _in_other_words()
    yield from _elsewhere()


def _in_other_words() -> Iterator[tuple[str, str, str]]:
    """The same where other words, or none, stand between the name and a strong value."""
    strong = "Xq4!n" + "Tz8Lw", "m0ntBl" + "anc&77e", "Ze8ra" + "_44-190!2x", "t7Hq8" + "bWz3yK"
    for at, form in enumerate(
        (
            "the password (staging) is {}",
            "wifi password {} in the office",
            "the password should be {} on the new box",
            "use {} as the password of the wiki",
            "log in as ops with {}",
            "the credentials are admin / {}",
            "Zugangsdaten: admin / {}",
            "das Passwort der Datenbank ist jetzt {}",
            "la contraseña del servidor: {}",
            "le mot de passe est {}",
            "la password è {}",
            "a senha é {}",
            "het wachtwoord is {}",
            "hasło do bazy to {}",
            "пароль от базы {}",
            "パスワードは {} です",
            "密码改成了{}",
            "비밀번호는 {}",
            "define('DB_PASSWORD', '{}');",
            '<property name="password" value="{}"/>',
            "- name: DB_PASSWORD\n  value: {}",
            "const pass = process.env.PASS || '{}'",
            "CREATE USER app IDENTIFIED BY '{}';",
            "DBPASS={}",
            "password: >-\n  {}",
            "Password:\n\n    {}",
            "auth=('deploy', '{}')",
            "| user | password |\n|---|---|\n| admin | {} |",
            "user,password\nadmin,{}\n",
        )
    ):
        yield "password", strong[at % len(strong)], form
    words = "four tall trees 77!"
    yield "password", "with " + words, 'password: "{}"'
    key = drawn("foreign", 32)
    for form in ("API-Schlüssel: {}", "clé secrète : {}", "chave de API: {}", "API 密钥是 {}",
                 "la clave de la API es {}", "the key for the weather API is {}", "Gitea token {}",
                 "TOTP seed {}"):  # fmt: skip
        yield "API key or token", key, form
    yield "API key or token", uuid("acl"), "the Consul ACL token {}"


def _elsewhere() -> Iterator[tuple[str, str, str]]:
    """The same of those that their place gives away."""
    password = drawn("placed", 12, WORD + "#%")
    for form in (
        "mysql -h db -u root -p{} shop", "docker login -u bot -p {}", "redis-cli -h c -a {} ping",
        "sqlcmd -S db -P {}", "ldapsearch -x -w {}", "htpasswd -b .htpasswd admin {}",
        "openssl rsa -passin pass:{} -in k.pem", "echo '{}' | sudo -S reboot",
        "echo {} | docker login --password-stdin", "passwd --stdin ops <<< {}",
        "sqlplus scott/{}@orcl", "smbclient //x/y -U bob%{}",
    ):  # fmt: skip
        yield "password of a command", password, form
    token = drawn("parameter", 32)
    yield "token in a URL", token, "https://x.io/feed?token={}"
    yield "token in a URL", token, "https://x.io/f?X-Amz-Signature={}"
    yield "token in a URL", token, "the alerts go to https://chat.x.io/hooks/{}"
    yield "session cookie", token, "Set-Cookie: sid={}; HttpOnly"
    yield "bearer token", uuid("genie"), "Authorization: GenieKey {}"
    yield "database password", password, "app:{}@tcp(db:3306)/shop"
    yield "recovery phrase", "84c39-ab49d 97c0b-c1af3", "recovery codes: {}"


def cases() -> Iterator[Case]:
    """Every credential in an ordinary sentence."""
    for kind, prefix, rest in _prefixed():
        yield Case(kind, prefix + rest, f"learned: CI uses {prefix + rest} to deploy the shop")
    for kind, value, form in (*_composed(), *_told()):
        yield Case(kind, value, form.format(value))


def _hashes() -> Iterator[str]:
    commit, digest = drawn("commit", 40, HEX), drawn("digest", 64, HEX)
    yield f"fixed in {commit}"
    yield f"see commit {commit[:12]} and {commit}"
    yield f"sha256:{digest}"
    yield f"the digest is {digest}, the md5 {drawn('md5', 32, HEX)}"
    yield f"integrity sha512-{drawn('sri', 86, BASE64)}=="
    yield f"image: shop@sha256:{digest}"
    yield f"request id {uuid('rq')} failed"
    yield f"token id: {uuid('tid')}"
    yield f"ETag: {drawn('etag', 32, HEX)}"
    yield f"cache key: {drawn('ck', 40, HEX)}"
    yield f"idempotency_key={uuid('ik')}"
    yield f"AWS deploys commit {commit} by itself"
    yield f"heroku release {uuid('hr')}"
    yield f"data:image/png;base64,{'iVBORw0KGgo' + drawn('png', 400, BASE64)}"
    yield b64encode(b"The quick brown fox jumps over the lazy dog, twice a day.").decode()
    yield f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{drawn('pub', 43, BASE64)} me@shop"
    yield f"next_page_token: {drawn('npt', 40)}"
    yield f"syncToken={drawn('syn', 40)}"
    yield f"CSRF_TOKEN={drawn('cst', 32)}"
    yield f"export NEXT_PAGE_TOKEN={drawn('nxt', 40)}"
    yield f"CONTINUATION_TOKEN={drawn('cnt', 40)}"
    yield f"csrf_token = {drawn('csrf', 32)}"
    yield f"public_key: {drawn('pk', 43, BASE64)}"
    yield f"pk_live_{drawn('pkl', 24)} is the publishable key"
    yield f"phc_{drawn('phc', 43)} is public"
    yield f"https://{drawn('dsn', 32, HEX)}@o1.ingest.sentry.io/42"
    yield f"AROA{drawn('role', 16, UPPER)} is a role"
    yield f"the account is AC{drawn('ac', 32, HEX)}"
    yield f"arn:aws:iam::123456789012:role/{drawn('arn', 12)}"
    yield f"file_{drawn('fl', 24)}.json"
    yield f"{'-' * 5}BEGIN PUBLIC KEY{'-' * 5}\n{drawn('pem', 64, BASE64)}\n"
    yield f"a file that begins with {'-' * 5}BEGIN RSA PRIVATE KEY{'-' * 5} is in PEM form"
    yield f"{'-' * 5}BEGIN CERTIFICATE{'-' * 5}\n{drawn('crt', 64, BASE64)}\n"


def near_misses() -> Iterator[str]:
    """Texts without a credential in them."""
    yield from _hashes()
    fill = "x" * 36
    stand_ins = ("<token>", "YOUR_API_KEY", "${API_KEY}", "xxxxxxxxxxxxxxxxxxxxxxxx", "changeme",
                 "example", "***", "...", "{{ api_key }}", "$TOKEN", "%API_KEY%", "[redacted]",
                 "your-api-key-here", "<your token here>", "process.env.API_KEY", "None", "…",
                 "os.environ['API_KEY']", "settings.api_key", "get_secret('api')", "REDACTED",
                 "replace-me-with-your-own-key")  # fmt: skip
    for one in stand_ins:
        yield f"api_key = {one}"
        yield f"password: {one}"
    yield from (
        "ghp" + f"_{fill}",
        "gh" + "p_<your token>",
        "tokens that begin with " + "gh" + "p_ are personal, " + "gh" + "s_ are the app's",
        "sk" + "-ant-api03-...",
        "sk" + "-your-openai-api-key-goes-here-please",
        "AK" + "IAXXXXXXXXXXXXXXXX",
        "xo" + "xb-your-token-goes-here",
        "sk-learn-extra-classification-toolkit-2024-release",
        "postgres://user:password@localhost/db",
        "postgres://postgres:postgres@localhost:5432/db",
        "postgres://$USER:$PASSWORD@db/shop",
        "https://user:<password>@shop.net",
        "redis://localhost:6379/0",
        "http://localhost:8080/@alice",
        "amqp://guest:guest@rabbit",
        "git@github.com:owner/repository.git",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "Bearer tokens are checked by the middleware",
        "Basic authentication is off",
        "the password is required",
        "password hashing: argon2id",
        "password: bcrypt",
        "the password is hashed with sha256",
        "password = getpass.getpass()",
        "password = input('Password: ')",
        "token = response.json()['access_token']",
        "token: string",
        "token = secrets.token_urlsafe(32)",
        "max_tokens: 4096",
        "max_tokens=1000000000000000000000",
        "secret: my-kubernetes-secret-name",
        "secretName: shop-database-credentials-v2",
        "secret_key_ref: shop/db",
        "the token expires in 3600s",
        "password must have 12characters",
        "the password reset link is at /account/reset/2024",
        "token budget: 12k",
        "tokens: 1_000_000",
        "private key: ~/.ssh/id_ed25519",
        "api_key: str = field(default='')",
        "access_token: Mapped[str | None]",
        "SECRET_KEY = env('DJANGO_SECRET_KEY')",
        "decided: refresh tokens rotate after 30 days, access tokens after 15m",
        "the secret of a good memory is to forget",
        "a compass: north-by-northwest-2024",
        "the tokenizer: bert-base-uncased-2019-v1",
        "key: value, other_key: other-value-2",
        "auth: oauth2",
        "keyboard: K380s-multi-device-v2",
        "docker run -u 1000:1000 shop",
        "curl -u $USER:$PASSWORD https://shop.net",
        "machine shop.net login deploy password <password>",
        "a passage: Psalm119v105",
        "eyJ is how JSON begins in base 64",
        "the token type is JWT; sub, iat and exp are its claims",
        "`git config credential.helper store`",
        "credential: the one in 1Password",
        "seed: 42",
        "arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestSecret-Ca8JGt4Kx9",
        "encryptionKey: arn:aws:kms:us-west-2:417498243647:key/c9fe2447-0795-4fda-afbe",
        "list --starting-token abCDeFGhiJKlm5nOPq7rSTuvwxYZ1aBCd",
        "update --change-token 12cs345-67cd-890b-1cd2-c3a4567d89f1",
        "credential_source=Ec2InstanceMetadata",
        "the AWS page of that key: https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs",
        "see docs.aws.amazon.com/AmazonS3/latest/dev/UploadingObjects",
        "the key is described in AWS/AmazonS3/latest/dev/UploadingObjectsA2",
        "the token was made at: 2024-01-02T10:11:12.123456Z",
        "token: 2024-01-02T10:11:12.123456Z",
        "Authorization: Bearer abcdefghijklmnopqrstuvwxyz",
        "0" * 32 + "-us1",
        "recovery: restore the dump and replay the log until the last day of it all",
        "passphrase: ask the lead",
        "token: mostly-words-and-2024",
        "api_key: string(10)",
        "secret: v2-2024",
        "password: PostgreSQL",
        "private_key: Ed25519PrivateKey",
        "publicKeyToken=b77a5c561934e089",
        "ssl_keyfile_password=ssl_keyfile_password_of_the_server_2",
        "strip the rest--pass `strict=False`",
        "words:\ncio\nwhere\nthere\nbefore\nbehind\nbeneath\nbetween\nbeyond",
        "Monday.meeting.notes-about-the-deployment-pipeline",
        "the pin is GPIO17, and pin 13 drives the LED",
        "Login trace 4bf92f3577b34da6a3ce929d0e0e4736 shows the slow query",
        "Login lambda is auth-LoginFunction-9XK2M4QZ7TPL",
        "Log in with the staging account, then open ticket PROJ-4711#c2A",
        "The CDK key SigningKey9F2C1A7B was renamed",
        "The document key 64b7f1c2e4b0a1b2c3d4e5f6 is of Mongo",
        "Kafka message key is 01HX5Z3K7M8N9P0Q1R2S3T4V5W",
        "der Schlüssel Page2User3Cart4 fehlt in der Übersetzung",
        "Backup: web01-2024 web02-2024",
        "the token was not safe in test 22 #load [from:: store:20261127-ab12cd34]",
        "- decided: one file, no server, no password ^wck2ex51",
        "no password for guests #auth-2v2, says @ops4you2",
        "Pass -Xmx4g -XX:+UseG1GC to the JVM",
        "suite,pass,fail\nlogin,1234567,2",
        "the second pass took 480ms@p95",
        "密码：至少12位，含数字",
        "密码是用 bcrypt 加密的",
        "contraseña: mínimo 8 caracteres",
        "le mot de passe est haché avec argon2id",
        "mot de passe oublié : lien valable 24h",
        "the password is PBKDF2-SHA512 with 210000 rounds",
        "the token is refreshed in fetchWithAuth2",
        "site key 6Ldo" + drawn("site", 36),
        "Kafka key: order-1234567-abc123def456",
        f"the api version hash is {drawn('version', 40, HEX)}",
        f"lock key {drawn('lock', 64, HEX)}",
        f"the token id is {uuid('token id')}",
        "| Token | Meaning |\n|---|---|\n| IDENTIFIER2 | a name |",
        "passwordField = By.id('user_password2')",
        "`kSecAccessControlUserPresence` needs a login with `kSecAccessControlBiometryAny`",
        "docker login --password-stdin < token.txt",
        "mysql -u root -p shop",
        "Checked the connections to mysql port 3306 ⏎ sudo ss -plan| grep :3306",
        "echo $TOKEN | docker login --password-stdin",
        "https://x.io/hooks/getting-started-with-webhooks",
    )  # fmt: skip


class Planted(NamedTuple):
    """A credential that stands somewhere: in which words, and which pieces of it may not leave."""

    text: str
    pieces: tuple[str, ...]


def planted(place: str) -> list[Planted]:
    """Thirty-eight forms in one line each, in Markdown, with values that only ``place`` has."""
    return [*_plain_forms(place), *_named_forms(place), *_divided_forms(place)]


def _plain_forms(place: str) -> Iterator[Planted]:
    """Those that their shape gives away, in ordinary sentences."""

    def some(name: str, count: int, letters: str = WORD) -> str:
        return drawn(f"{place}:{name}", count, letters)

    values = (
        summed("gh" + "p_", f"{place}:ghp"),
        summed("npm" + "_", f"{place}:npm"),
        "gh" + f"s_{some('ghs', 40)}",
        "github" + f"_pat_{some('fine', 22)}_{some('grained', 59)}",
        "gl" + f"pat-{some('lab', 20)}",
        f"xo{'xb'}-{some('slack', 12, DIGITS)}-{some('bot', 24)}",
        "sk" + f"_live_{some('stripe', 24)}",
        "sk" + f"-proj-{some('openai', 60, URL)}",
        "sk" + f"-ant-api03-{some('anthropic', 93)}",
        "AI" + f"za{some('google', 35, URL)}",
        "AK" + f"IA{some('aws', 16, UPPER + '234567')}",
        "pypi" + f"-AgEIcHlwaS5vcmc{some('pypi', 90)}",
        "dckr" + f"_pat_{some('docker', 27)}",
        "hf" + f"_{some('hugging', 34)}",
        f"{'S'}G.{some('send', 22)}.{some('grid', 43)}",
        f"{some('telegram', 10, '123456789')}:AA{some('gram', 33)}",
        "hv" + f"s.{some('vault', 95)}",
        "dop" + f"_v1_{some('ocean', 64, HEX)}",
        "da" + f"pi{some('bricks', 32, HEX)}",
        web_token(f"{place}:jwt"),
        f"hooks.slack{'.com'}/services/T{some('t', 8)}/B{some('b', 10)}/{some('hook', 24)}",
    )
    for at, value in enumerate(values):
        yield Planted(f"the vault of {place} number {at} opens with {value} today", (value[-16:],))


def _named_forms(place: str) -> Iterator[Planted]:
    """Those that the words around them give away."""

    def some(name: str, count: int, letters: str = WORD) -> str:
        return drawn(f"{place}:{name}", count, letters)

    password, other = (some(name, 10) + "7!" for name in ("password", "other"))
    basic = b64encode(f"app:{some('basic', 14)}".encode()).decode()
    for value, form in (
        (some("secret", 40, BASE64), "the AWS secret of the bucket is `{}` in eu-west-1"),
        (some("twilio", 32, HEX), "we set TWILIO_AUTH_TOKEN={} there"),
        (some("account", 86, BASE64), "uses AccountName=shop;AccountKey={}== for blobs"),
        (some("database", 12), "connects to postgres://app:{}@db.internal:5432/shop at night"),
        (f"{some('sign', 6)}={some('equal', 6)}", "clones https://deploy:{}@git.shop.example/a"),
        (f"{some('left', 6)}%3D{some('right', 6)}", "pulls https://deploy:{}@git.shop.example/b"),
        (password, "the password of the staging box: {}"),
        (other, "set DB_PASSWORD='{}' before the tests"),
        (some("key", 32), "the api_key: `{}` is of the sandbox"),
        (some("bearer", 40), "asks with Authorization: Bearer {} only"),
        (basic, "asks with Authorization: Basic {} only"),
    ):
        yield Planted(f"{place} " + form.format(value), (value[-10:],))


def _divided_forms(place: str) -> Iterator[Planted]:
    """Those that something stands in the middle of."""
    for name, form in (
        ("sum", 'the vault of {place} is "{}" + "{}" joined'),
        ("adjacent", "the vault of {place} is '{}' '{}' joined"),
        ("marks", "the vault of {place} is {}**{}** in bold"),
        ("invisible", "the vault of {place} is {}\u200b{} here"),
    ):
        value = summed("gh" + "p_", f"{place}:{name}")
        parts = value[:22], value[22:]
        yield Planted(form.format(*parts, place=place), (parts[0][6:], parts[1]))
    for name, sign in (("escape", "\\_"), ("entity", "&#95;")):
        body = drawn(f"{place}:{name}", 34)
        yield Planted(f"the vault of {place} is opened by {'h' + 'f'}{sign}{body}", (body[-16:],))


def named(place: str) -> Planted:
    """One that can be part of a name: of a file, a branch, a tag."""
    value = summed("gh" + "p_", f"{place}:named")
    return Planted(value, (value[8:30],))


def harmless_files() -> Iterator[tuple[str, str]]:
    """Thirty files full of hashes, ids and encoded data, as tools write them: name and text."""

    def of(name: str, count: int, letters: str = HEX) -> str:
        return drawn(f"file:{name}", count, letters)

    def sri(name: str) -> str:
        return f"sha512-{of(name, 86, BASE64)}=="

    def lines(form: str, count: int = 12) -> str:
        """``form`` so many times; ``{n}`` is the number, other fields what their name says."""
        return "".join(
            form.format(
                n=at, sha1=of(f"{form}{at}", 40), sha256=of(f"{form}{at}b", 64), sri=sri(f"{at}"),
                md5=of(f"{form}{at}m", 32), uuid=uuid(f"{form}{at}"), b64=of(f"{at}h", 43, BASE64),
                long=of(f"{form}{at}l", 64, BASE64), short=of(f"{form}{at}s", 7),
                b32=of(f"{form}{at}n", 52, DIGITS + "abcdfghijklmnpqrsvwxyz"),
            )
            for at in range(count)
        )  # fmt: skip

    npm = "https://registry.npmjs.org"
    yield (
        "package-lock.json",
        lines(
            f'"node_modules/p{{n}}": {{{{"resolved": "{npm}/p/-/p-1.{{n}}.0.tgz", '
            '"integrity": "{sri}"}}}},\n'
        ),
    )
    yield (
        "yarn.lock",
        lines(
            f'p@^1.{{n}}:\n  version "1.{{n}}.0"\n  resolved "{npm}/p/-/p-1.tgz#{{sha1}}"\n'
            "  integrity {sri}\n\n"
        ),
    )
    yield ".yarnrc checksums", lines("  checksum: 10c0/{sha256}{sha256}\n")
    yield "pnpm-lock.yaml", lines("  /p{n}@1.0.0:\n    resolution: {{integrity: {sri}}}\n")
    yield "bun.lock", lines('    "p{n}": ["p{n}@1.0.0", "", {{}}, "{sri}"],\n')
    yield "Cargo.lock", lines('[[package]]\nname = "p{n}"\nchecksum = "{sha256}"\n\n')
    yield (
        "go.sum",
        lines("example.org/p{n} v1.2.3 h1:{b64}=\nexample.org/p{n} v1.2.3/go.mod h1:{b64}=\n"),
    )
    yield (
        "poetry.lock",
        lines('    {{file = "p-{n}-py3-none-any.whl", hash = "sha256:{sha256}"}},\n'),
    )
    yield (
        "uv.lock",
        lines(
            '    {{ url = "https://files.pythonhosted.org/packages/{short}/p-{n}.whl", '
            'hash = "sha256:{sha256}", size = 4{n} }},\n'
        ),
    )
    yield "Pipfile.lock", lines('                "sha256:{sha256}",\n')
    yield "requirements.txt", lines("p{n}==1.0 \\\n    --hash=sha256:{sha256} \\\n")
    yield "RECORD", lines("p/m{n}.py,sha256={b64},1{n}\n")
    yield "composer.lock", lines('"reference": "{sha1}", "shasum": "", "content-hash": "{md5}",\n')
    yield "Gemfile.lock", lines("  p{n} (1.0.{n}) sha256={sha256}\n")
    yield (
        "mix.lock",
        lines('  "p{n}": {{:hex, :p{n}, "1.0.0", "{sha256}", [:mix], [], "hexpm"}},\n'),
    )
    yield "pubspec.lock", lines('      sha256: "{sha256}"\n')
    yield "Podfile.lock", lines("  P{n}: {sha1}\n")
    yield ".terraform.lock.hcl", lines('    "h1:{b64}=",\n    "zh:{sha256}",\n')
    yield "flake.lock", lines('"narHash": "sha256-{b64}=", "rev": "{sha1}",\n')
    yield "default.nix", lines('  sha256 = "{b32}";\n')
    yield "compose.yaml", lines("    image: registry.example/shop@sha256:{sha256}\n")
    yield "ci.yml", lines("      - uses: actions/checkout@{sha1} # v4.{n}\n")
    yield "git log", lines("commit {sha1}\nMerge: {short} {short}\nindex {short}..{short} 100644\n")
    yield "SHA256SUMS", lines("{sha256}  shop-{n}.tar.gz\n{md5}  shop-{n}.zip\n")
    yield (
        "index.html",
        lines(
            '<script src="a{n}.js" integrity="sha384-{long}" nonce="{md5}"></script>\n'
            "Content-Security-Policy: script-src 'nonce-{b64}=' 'sha256-{b64}='\n"
        ),
    )
    yield (
        "style.css",
        lines("a{n} {{ background: url(data:image/png;base64,iVBORw0KGgo{long}{long}) }}\n"),
    )
    yield "mail.eml", lines("Content-ID: <{uuid}@shop.example>\n/9j/4AAQSkZJRgABAQ{long}\n{long}\n")
    head = f"{'-' * 5}BEGIN CERTIFICATE{'-' * 5}\n"
    yield "chain.pem", head + lines("MII{long}\n") + head.replace("BEGIN", "END")
    yield (
        "known_hosts",
        lines("h{n} ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64}\nh{n} SHA256:{b64}\n"),
    )
    yield (
        "app.min.js",
        lines(
            "!function(e,t){{var n{n}=t._getKeyFor{short}(e),r=e.tokenType{n};return n{n}&&"
            "r.secretName===t.authKeyPath{n}}}(window,document);"
        ),
    )
    yield (
        "app.js.map",
        '{"mappings":"' + ";".join(["AAAA,SAASA,IAAIC,EAAEC", "CAACC,QAAQ"] * 40) + '"}',
    )
    yield (
        "requests.csv",
        lines("{uuid},{n},2026-11-22T10:00:0{n}Z,https://shop.example/o/{uuid}?p={n}\n", 9),
    )
