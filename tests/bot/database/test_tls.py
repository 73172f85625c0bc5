"""psql's TLS options in DATABASE_URL, on a server with a certificate for `localhost`."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from sqlalchemy import text

from bot.checkup.database import find_remedy
from bot.database import Store, StoreError, Tx, UnreachableError
from bot.settings import read_settings
from tests.faults import postgres

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificates")
CURVE = ("-pkeyopt", "ec_paramgen_curve:prime256v1")
ENCRYPTED = text("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
UNTRUSTED = "its certificate can't be trusted: "
NO_MATCH = "certificate is not valid for '127.0.0.1'"
NAME_FILE = "name the file of the authority that signed it: sslrootcert="
NAME_HOST = "name the host as its certificate does"


def run_openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_authority(folder: Path, name: str) -> None:
    """Write NAME.crt and NAME.key of an authority."""
    files = ("-keyout", f"{name}.key", "-out", f"{name}.crt", "-subj", f"/CN={name}")
    run_openssl(folder, "req", "-x509", "-newkey", "ec", *CURVE, "-nodes", "-days", "2", *files)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with an authority, a stranger and the server's certificate."""
    folder = tmp_path_factory.mktemp("certificates")
    make_authority(folder, "authority")
    make_authority(folder, "stranger")
    files = ("-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    run_openssl(folder, "req", "-newkey", "ec", *CURVE, "-nodes", *files)
    (folder / "names").write_text("subjectAltName=DNS:localhost")
    signed = ("-CA", "authority.crt", "-CAkey", "authority.key", "-CAcreateserial", "-extfile", "names")
    run_openssl(folder, "x509", "-req", "-in", "server.csr", "-out", "server.crt", "-days", "2", *signed)
    return folder


@pytest.fixture(scope="module")
def server(certificates: Path) -> Iterator[postgres.Server]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with postgres.run_server(port) as made:
        for name in ("server.key", "server.crt"):
            copied = made.folder / name
            shutil.copyfile(certificates / name, copied)
            copied.chmod(0o600)
            shutil.chown(copied, made.folder.owner())
        made.settings = (
            f"-c ssl=on -c ssl_cert_file={made.folder}/server.crt -c ssl_key_file={made.folder}/server.key"
        )
        made.restart()
        yield made


def is_encrypted(tx: Tx) -> bool:
    return bool(tx.scalar(ENCRYPTED))


async def check_encryption(url: str) -> bool:
    """Return whether the connection is encrypted. Raises StoreError if it is refused."""
    return await Store.read_any_version(read_settings({"DATABASE_URL": url}).database, is_encrypted)


@pytest.mark.long
@pytest.mark.parametrize(
    ("host", "options", "encrypted"),
    [
        ("127.0.0.1", "sslmode=disable", False),
        ("127.0.0.1", "sslmode=prefer", True),
        ("127.0.0.1", "sslmode=require", True),
        ("127.0.0.1", "ssl=require", True),
        ("127.0.0.1", "sslmode=require&sslrootcert={folder}/authority.crt", True),
        ("127.0.0.1", "sslmode=verify-ca&sslrootcert={folder}/authority.crt", True),
        ("localhost", "sslmode=verify-full&sslrootcert={folder}/authority.crt", True),
        ("localhost", "ssl=verify-full&sslrootcert={folder}/authority.crt", True),
    ],
)
async def test_server_that_meets_the_options_is_used(
    *, host: str, options: str, encrypted: bool, server: postgres.Server, certificates: Path
) -> None:
    url = server.url.replace("127.0.0.1", host) + "?" + options.format(folder=certificates)
    assert await check_encryption(url) is encrypted


@pytest.mark.long
@pytest.mark.parametrize(
    ("host", "options", "why", "remedy"),
    [
        ("127.0.0.1", "sslmode=require&sslrootcert={folder}/stranger.crt", UNTRUSTED, NAME_FILE),
        ("127.0.0.1", "sslmode=verify-ca&sslrootcert={folder}/stranger.crt", UNTRUSTED, NAME_FILE),
        ("localhost", "sslmode=verify-full&sslrootcert={folder}/stranger.crt", UNTRUSTED, NAME_FILE),
        ("127.0.0.1", "sslmode=verify-full&sslrootcert={folder}/authority.crt", NO_MATCH, NAME_HOST),
        ("localhost", "sslrootcert=system", UNTRUSTED, NAME_FILE),
        ("localhost", "sslmode=verify-full&sslrootcert=system", UNTRUSTED, NAME_FILE),
        ("localhost", "sslmode=verify-full", "root certificate file", NAME_FILE),
        ("localhost", "sslmode=verify-ca", "root certificate file", NAME_FILE),
    ],
)
async def test_server_that_fails_the_options_is_refused(
    host: str,
    options: str,
    why: str,
    remedy: str,
    server: postgres.Server,
    certificates: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # where the driver looks for an authority that nobody names
    url = server.url.replace("127.0.0.1", host) + "?" + options.format(folder=certificates)
    with pytest.raises(StoreError) as caught:
        await check_encryption(url)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, UnreachableError)
    assert caught.value.url is not None
    assert find_remedy(caught.value, caught.value.url).startswith(remedy)


@pytest.mark.long
@pytest.mark.parametrize("options", ["", "?sslmode=require"])
async def test_unix_socket_needs_no_tls(options: str, server: postgres.Server) -> None:
    folder = quote(str(server.folder), safe="")
    assert await check_encryption(f"postgresql://postgres@{folder}:{server.port}/postgres{options}") is False
    with pytest.raises(StoreError) as caught:
        await check_encryption(f"postgresql://postgres@/none?host={server.folder}&port={server.port}")
    assert caught.value.url is not None
    assert find_remedy(caught.value, caught.value.url) == (
        "make it: sudo -u postgres createdb --owner postgres none; or name one that is there"
    )


@pytest.mark.long
@pytest.mark.parametrize("mode", ["require", "verify-ca&sslrootcert={folder}/authority.crt"])
async def test_server_without_tls_gets_no_password(
    mode: str, server: postgres.Server, certificates: Path
) -> None:
    kept, server.settings = server.settings, "-c ssl=off"
    server.restart()
    try:
        with pytest.raises(StoreError, match="rejected SSL upgrade"):
            await check_encryption(f"{server.url}?sslmode={mode.format(folder=certificates)}")
    finally:
        server.settings = kept
        server.restart()
