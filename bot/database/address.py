"""Where a database is, as it may be said to anybody, and what can be wrong with how that is written."""

import re

from sqlalchemy.engine import URL

PORT = 5432
REST = re.compile(r"@[^/@]+/[^/]+\Z")
"""How the end of a server's address looks where it was taken for the database's name."""
OPTIONS = {
    *("host", "port", "ssl", "direct_tls", "passfile", "service", "servicefile", "target_session_attrs"),
    *("gsslib", "krbsrvname", "statement_cache_size", "prepared_statement_cache_size"),
}
"""What may stand behind a question mark: the driver's names, of which some are not psql's."""
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
    return f"{unknown[0]!r} is no option of the address here; leave it out" if unknown else None
