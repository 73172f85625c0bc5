"""Where a database is, as it may be said to anybody, and what can be wrong with how that is written."""

import getpass
import os
import re
from typing import Any
from urllib.parse import urlencode

from sqlalchemy.engine import URL

PORT, HIGHEST = 5432, 65535
# How the end of a server's address looks where it was taken for the database's name.
REST = re.compile(r"@[^/@]+/[^/]+\Z")
MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
TLS_FILES = ("sslrootcert", "sslcert", "sslkey", "sslcrl")
# psql's options for TLS, which mean the same here: https://www.postgresql.org/docs/current/libpq-
# ssl.html#LIBPQ-SSL-PROTECTION
TLS = ("sslmode", *TLS_FILES)
SYSTEM = "system"  # The value of `sslrootcert` that stands for the authorities that this machine trusts
# What may stand behind a question mark: the driver's names, of which some are not psql's.
OPTIONS = {
    *TLS,
    *("host", "port", "ssl", "direct_tls", "passfile", "service", "servicefile", "target_session_attrs"),
    *("gsslib", "krbsrvname", "statement_cache_size", "prepared_statement_cache_size"),
}
# Of these, how many statements are kept prepared: 0 for a pooler that minds.
SIZES = ("statement_cache_size", "prepared_statement_cache_size")
ENCODING_HINT = "percent-encoded: @ as %40, / as %2F, : as %3A, % as %25"


def describe_location(url: URL) -> str:
    """Where it is: a file by its path, a server by host and port."""
    if url.get_backend_name() == "sqlite":
        return repr(str(url.database))
    host = url.host or url.query.get("host") or "localhost"
    return f"{host}:{url.port or PORT}"


def describe_database(url: URL) -> str:
    """The database by its name and where that is, without user and password."""
    if url.get_backend_name() == "sqlite":
        return describe_location(url)
    return f"{url.database or url.username or ''!r} at {describe_location(url)}"


def find_address_mistake(url: URL) -> str | None:
    """What is wrong with a server's address as it is written, in one line that shows no part of a password;
    None if nothing can be seen.
    """
    if url.get_backend_name() == "sqlite":
        return None
    if "@" in (url.host or "") or REST.search(url.database or ""):
        return f"an @ or a / of its user or password stands there as it is; write each {ENCODING_HINT}"
    unknown = sorted(set(url.query) - OPTIONS)
    if unknown:
        return f"{unknown[0]!r} is no option of the address here; leave it out"
    return _mistaken_tls(url) or _no_number(url)


def _mistaken_tls(url: URL) -> str | None:
    """Return what is wrong with the options for TLS, in one line; None if nothing is."""
    mode = url.query.get("sslmode")
    if mode is not None and mode not in MODES:
        return f"'sslmode' is none of {', '.join(MODES)}; write one of them"
    system = url.query.get("sslrootcert") == SYSTEM
    if system and mode not in {None, "verify-full"}:
        return "'sslrootcert=system' goes with sslmode=verify-full alone; write that, or name a file"
    for name in TLS_FILES:
        path = str(url.query.get(name, ""))
        if path and not (name == "sslrootcert" and system) and not os.access(path, os.R_OK):
            return f"{name!r} names a file that can't be read, {path!r}; is it there, for the bot's own user?"
    return None


def _no_number(url: URL) -> str | None:
    """Which of its options should be a number, and is none that the driver could use."""
    for name in SIZES:
        if name in url.query and not re.fullmatch(r"[0-9]{1,6}", str(url.query[name])):
            return f"{name!r} is no whole number; write {name}=0, or leave it out"
    ports = [port for given in url.normalized_query.get("port", ()) for port in given.split(",")]
    if all(re.fullmatch(r"[0-9]{1,5}", port) and 1 <= int(port) <= HIGHEST for port in ports):
        return None
    return f"'port' is no number from 1 to {HIGHEST}; write the server's, or leave it out"


def remove_tls_options(url: URL) -> URL:
    """Return the address without those options that `driver_options` gives the driver in another way."""
    return url.difference_update_query(TLS)


def get_driver_options(url: URL) -> dict[str, Any]:
    """Return those options of the address that the driver doesn't take as the text that stands there.

    It reads psql's options for TLS in an address of its own alone, which has nothing else here.
    """
    sizes = {name: int(str(url.query[name])) for name in SIZES if name in url.query}
    if url.query.get("sslrootcert") == SYSTEM:
        return {**sizes, "ssl": True}
    tls = {name: str(url.query[name]) for name in TLS if name in url.query}
    return {**sizes, "dsn": f"postgresql://?{urlencode(tls)}"} if tls else {**sizes}


def by_socket(url: URL) -> bool:
    """Whether the server is asked by a socket of this machine."""
    return str(url.host or url.query.get("host") or "/").startswith("/")


def get_role(url: URL) -> str:
    """Return the role that logs in: without a name in the address that of whoever runs this."""
    return url.username or os.environ.get("PGUSER") or getpass.getuser()


def get_database_name(url: URL) -> str:
    """Return the database's name: without one in the address the role's."""
    return url.database or os.environ.get("PGDATABASE") or get_role(url)
