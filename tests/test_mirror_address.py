"""Where the mirror is: whose setting that is, who can read it, and how safe the wire is."""

import json
import os
import ssl
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest

from mind.domain.errors import ConfigError, DependencyMissing, MirrorError
from mind.domain.settings import Settings, load_around
from mind.memory.memory import Memory
from mind.storage.mirror.postgres import address, connected
from mind.storage.project import Project
from tests.postgres import Database
from tests.proxy import proxied

pytestmark = pytest.mark.xdist_group("postgres")
Run = Callable[..., tuple[int, str, str]]
FAR = "postgresql://anna@db.example.org/memory"


def mode(dsn: str, tls: str = "verify-full") -> str:
    return address(Settings(mirror_dsn=dsn, mirror_tls=tls)).parameters["sslmode"]


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://localhost/m",
        "postgresql://127.0.0.1:5433/m",
        "dbname=m",
        "host=/var/run/postgresql dbname=m",
        "postgresql://[::1]/m",
    ],
)
def test_this_machine_needs_no_certificate(dsn: str) -> None:
    assert mode(dsn) == "prefer"


@pytest.mark.parametrize(
    "dsn",
    [
        FAR,
        "host=localhost hostaddr=203.0.113.7 dbname=m",
        "host=localhost,db.example.org dbname=m",
        "service=memory",
        "postgresql://127.0.0.1.example.org/m",
    ],
)
def test_another_machine_has_to_prove_who_it_is(dsn: str) -> None:
    found = address(Settings(mirror_dsn=dsn))
    assert found.parameters["sslmode"] == "verify-full"
    assert found.parameters["sslrootcert"] == "system"


@pytest.mark.parametrize("weaker", ["disable", "allow", "prefer", "require", "verify-ca"])
def test_it_is_not_weakened_in_passing(weaker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"mirror\.tls"):
        mode(f"{FAR}?sslmode={weaker}")
    monkeypatch.setenv("PGSSLMODE", weaker)
    with pytest.raises(ConfigError, match=r"mirror\.tls"):
        mode(FAR)


def test_who_means_it_says_so_in_a_setting() -> None:
    assert mode(FAR, "require") == "require"
    assert mode(f"{FAR}?sslmode=verify-ca", "require") == "verify-ca"
    with pytest.raises(ConfigError, match="Set it to verify-full"):
        mode(FAR, "allow")


def test_authorities_that_are_named_are_kept(tmp_path: Path) -> None:
    found = address(Settings(mirror_dsn=f"{FAR}?sslrootcert={tmp_path}/ca.pem"))
    assert found.parameters["sslrootcert"] == f"{tmp_path}/ca.pem"


def test_a_repository_cannot_say_where_memory_is_sent(
    project: Project, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    project.config.write_text(json.dumps({"mirror": {"dsn": FAR}}), encoding="utf-8")
    settings, problems = load_around(project.config, None)
    assert settings.mirror_dsn == ""
    assert "is a user setting" in problems[0]
    project.config.unlink()
    code, _, err = mind("config", "mirror.dsn", FAR)
    assert (code, "mind config --user mirror.dsn" in err) == (2, True)


def test_a_password_is_shown_to_nobody(
    project: Project, home: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    secret = FAR.replace("anna@", "anna:hunter2@")
    mind("config", "--user", "mirror.dsn", secret)
    path = home / ".mind" / "config.toml"
    assert path.stat().st_mode & 0o777 == 0o600
    assert "hunter2" not in "".join(mind("config")[1:])
    assert "anna:***@db.example.org" in mind("config", "mirror.dsn")[1]
    assert "hunter2" not in address(Project(project.root).settings).shown
    path.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        address(Project(project.root).settings)
    monkeypatch.setenv("MIND_MIRROR_DSN", secret)
    assert address(Project(project.root).settings).parameters["password"] == "hunter2"  # noqa: S105


def test_a_dsn_that_cannot_be_understood_is_not_repeated() -> None:
    with pytest.raises(ConfigError, match="cannot be understood") as told:
        address(Settings(mirror_dsn="host=x password='hunter2"))
    assert "hunter2" not in str(told.value)


@pytest.mark.parametrize("lacking", ["psycopg", "pgvector"])
def test_what_is_missing_is_named_with_the_command(
    lacking: str, mirrored: Memory, database: Database
) -> None:
    mirrored.close()
    code = f"import sys; sys.modules[{lacking!r}] = None; sys.argv = ['mind', 'mirror', 'sync']; "
    code += "from mind.__main__ import main; main()"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            code,
        ],
        cwd=mirrored.project.root,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env=os.environ.copy(),
    )
    assert "pip install 'mind-lens[postgres]'" in done.stderr
    assert done.returncode == DependencyMissing.exit_code


def certificate(folder: Path, name: str) -> tuple[Path, ssl.SSLContext]:
    """A certificate for a name, and a context that shows it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName(
                [x509.IPAddress(ip_address(name)) if name[0].isdigit() else x509.DNSName(name)]
            ),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret = folder / "key.pem"
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, secret)
    return path, context


def test_a_server_with_the_right_certificate_is_spoken_to(
    database: Database, tmp_path: Path
) -> None:
    path, context = certificate(tmp_path, "127.0.0.1")
    with proxied(database.server.port, context) as wire:
        dsn = f"{database.dsn(port=wire.port)}?sslmode=verify-full&sslrootcert={path}"
        with connected(address(Settings(mirror_dsn=dsn))) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize("wrong", ["name", "authority", "plain"])
def test_a_server_that_cannot_prove_who_it_is_gets_nothing(
    wrong: str, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MIND_MIRROR_DSN")
    path, context = certificate(tmp_path, "db.example.org" if wrong == "name" else "127.0.0.1")
    if wrong == "authority":
        path = tmp_path / "other"
        path.mkdir()
        path, _ = certificate(path, "127.0.0.1")
    with proxied(database.server.port, None if wrong == "plain" else context) as wire:
        dsn = f"{database.dsn(port=wire.port)}?sslmode=verify-full&sslrootcert={path}"
        with pytest.raises(MirrorError), connected(address(Settings(mirror_dsn=dsn))):
            pass
