"""Where a database is, as it may be said to anybody, and what can be wrong with how that is written."""

import re

from sqlalchemy.engine import URL

PORT, HIGHEST = 5432, 65535
REST = re.compile(r"@[^/@]+/[^/]+\Z")
"""How the end of a server's address looks where it was taken for the database's name."""
OPTIONS = {
    *("host", "port", "ssl", "direct_tls", "passfile", "service", "servicefile", "target_session_attrs"),
    *("gsslib", "krbsrvname", "statement_cache_size", "prepared_statement_cache_size"),
}
"""What may stand behind a question mark: the driver's names, of which some are not psql's."""
SIZES = ("statement_cache_size", "prepared_statement_cache_size")
"""Of these, how many statements are kept prepared: 0 for a pooler that minds."""
ENCODED = "percent-encoded: @ as %40, / as %2F, : as %3A, % as %25"


def place(url: URL) -> str:
    """Where it is: a file by its path, a server by host and port."""
    if url.get_backend_name() == "sqlite":
        return repr(str(url.database))
    host = url.host or url.query.get("host") or "localhost"
    return f"{host}:{url.port or PORT}"


def named(url: URL) -> str:
    """The database by its name and where that is, without user and password."""
    if url.get_backend_name() == "sqlite":
        return place(url)
    return f"{url.database or url.username or ''!r} at {place(url)}"


def mistaken(url: URL) -> str | None:
    """What is wrong with a server's address as it is written, in one line that shows no part of a password;
    None if nothing can be seen.
    """
    if url.get_backend_name() == "sqlite":
        return None
    if "@" in (url.host or "") or REST.search(url.database or ""):
        return f"an @ or a / of its user or password stands there as it is; write each {ENCODED}"
    unknown = sorted(set(url.query) - OPTIONS)
    if "sslmode" in unknown:
        return "'sslmode' is no option of the address here; write ssl=require, with the same words behind it"
    if unknown:
        return f"{unknown[0]!r} is no option of the address here; leave it out"
    return _no_number(url)


def _no_number(url: URL) -> str | None:
    """Which of its options should be a number, and is none that the driver could use."""
    for name in SIZES:
        if name in url.query and not re.fullmatch(r"[0-9]{1,6}", str(url.query[name])):
            return f"{name!r} is no whole number; write {name}=0, or leave it out"
    ports = [port for given in url.normalized_query.get("port", ()) for port in given.split(",")]
    if all(re.fullmatch(r"[0-9]{1,5}", port) and 1 <= int(port) <= HIGHEST for port in ports):
        return None
    return f"'port' is no number from 1 to {HIGHEST}; write the server's, or leave it out"


def sizes(url: URL) -> dict[str, int]:
    """The options that are numbers, as the driver takes them: what stands in an address is text."""
    return {name: int(str(url.query[name])) for name in SIZES if name in url.query}
