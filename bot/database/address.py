"""Describe database addresses without passwords, find mistakes in them, and read their options."""

import os
import re
from urllib.parse import urlencode

from sqlalchemy.engine import URL

DEFAULT_PORT = 5432


def describe_location(url: URL) -> str:
    """Return the quoted path of a file, or the host and port of a server."""
    if url.get_backend_name() == "sqlite":
        return repr(str(url.database))
    host = url.host or url.query.get("host") or "localhost"
    return f"{host}:{url.port or DEFAULT_PORT}"


def describe_database(url: URL) -> str:
    """Return the name and the location of the database, without user and password."""
    if url.get_backend_name() == "sqlite":
        return describe_location(url)
    name = url.database or url.username or ""  # without a name the server takes the user's
    return f"{name!r} at {describe_location(url)}"


TLS_FILES = ("sslrootcert", "sslcert", "sslkey", "sslcrl")
# psql's options for TLS, with the same meaning:
# https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION
TLS_OPTIONS = ("sslmode", *TLS_FILES)
SYSTEM_AUTHORITIES = "system"  # the value of `sslrootcert` for the authorities that this machine trusts
# How many statements the driver keeps prepared; a pooler may need 0.
CACHE_SIZE_OPTIONS = ("statement_cache_size", "prepared_statement_cache_size")
# Options that may stand behind the question mark: the driver's names, some of which differ from psql's.
KNOWN_OPTIONS = {
    *TLS_OPTIONS,
    *CACHE_SIZE_OPTIONS,
    *("host", "port", "ssl", "direct_tls", "passfile", "service", "servicefile", "target_session_attrs"),
    *("gsslib", "krbsrvname"),
}
ENCODING_HINT = "percent-encoded: @ as %40, / as %2F, : as %3A, % as %25"
# A database name that holds the end of a server's address, as an unencoded @ or / makes it.
MISREAD_NAME = re.compile(r"@[^/@]+/[^/]+\Z")


def find_address_mistake(url: URL) -> str | None:
    """Return what is wrong with a server's address, in a line without a password; None if nothing is."""
    if url.get_backend_name() == "sqlite":
        return None
    if "@" in (url.host or "") or MISREAD_NAME.search(url.database or ""):
        return f"an @ or a / of its user or password stands there as it is; write each {ENCODING_HINT}"
    unknown = sorted(set(url.query) - KNOWN_OPTIONS)
    if unknown:
        return f"{unknown[0]!r} is no option of the address here; leave it out"
    for name in CACHE_SIZE_OPTIONS:
        if name in url.query and not re.fullmatch(r"[0-9]{1,6}", str(url.query[name])):
            return f"{name!r} is no whole number; write {name}=0, or leave it out"
    return _find_tls_mistake(url)


def _find_tls_mistake(url: URL) -> str | None:
    """Return which option for TLS is wrong, or which of their files can't be read; None if all are right."""
    uses_system = url.query.get("sslrootcert") == SYSTEM_AUTHORITIES
    if uses_system and url.query.get("sslmode") not in {None, "verify-full"}:
        return "'sslrootcert=system' goes with sslmode=verify-full alone; write that, or name a file"
    for name in TLS_FILES:
        path = str(url.query.get(name, ""))
        is_file = path and path != SYSTEM_AUTHORITIES
        if is_file and not os.access(path, os.R_OK):
            return f"{name!r} names a file that can't be read, {path!r}; is it there, for the bot's own user?"
    return None


def get_driver_options(url: URL) -> dict[str, int | str]:
    """Return those options of the address that asyncpg takes only as arguments; empty if there are none."""
    options: dict[str, int | str] = {}
    for name in CACHE_SIZE_OPTIONS:
        if name in url.query:
            options[name] = int(str(url.query[name]))
    if url.query.get("sslrootcert") == SYSTEM_AUTHORITIES:
        options["ssl"] = True  # with the authorities of this machine, and the host's name checked
        return options
    tls = {name: str(url.query[name]) for name in TLS_OPTIONS if name in url.query}
    if tls:  # asyncpg reads these from a DSN alone, which holds nothing else here
        options["dsn"] = f"postgresql://?{urlencode(tls)}"
    return options
