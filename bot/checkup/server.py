"""Why a PostgreSQL server lets nobody in, and what mends each of that."""

from collections.abc import Callable

from sqlalchemy import text
from sqlalchemy.engine import URL

from bot.checkup.finding import Finding, note, wrong
from bot.database import RightsError, StoreError, Tx
from bot.database.address import ENCODED, by_socket, database, place, role
from bot.database.errors import NO_NAME, UNTRUSTED
from bot.database.postgresql import MOST

ABOUT = "DATABASE_URL"
ELSE = "is the server running, and are host, name, user and password as it has them?"
GRANT = "let whoever looks after the server grant that, or name the role that owns the tables"
QUOTED = "python3 -c 'import getpass, urllib.parse; print(urllib.parse.quote(getpass.getpass(), \"\"))'"
"""Prints a password as it stands in an address, and shows it to nobody before."""


def _no_database(url: URL) -> str:
    return (
        f"make it: sudo -u postgres createdb --owner {role(url)} {database(url)}; or name one that is there"
    )


def _no_login(url: URL) -> str:
    how = "createuser" if by_socket(url) else "createuser --pwprompt"
    return f"make the role: sudo -u postgres {how} {role(url)}; or name one that may log in"


def _another_user(url: URL) -> str:
    return (
        f"by a socket the server takes only the system's user of that name: run the bot as {role(url)!r}, or"
        f" write postgresql://{role(url)}:PASSWORD@127.0.0.1/{database(url)}"
    )


def _not_admitted(url: URL) -> str:
    line = f"host {database(url)} {role(url)} ADDRESS/32 scram-sha-256' with the address above"
    if by_socket(url):
        line = f"local {database(url)} {role(url)} peer'"
    return (
        "is that the role and the database? Then let the server's pg_hba.conf admit it, by a line such as"
        f" '{line}, and sudo -u postgres psql -c 'SELECT pg_reload_conf()'"
    )


def _no_password(url: URL) -> str:
    if not url.password:
        where = f"/…?host={url.host or url.query.get('host', '/run/postgresql')}"
        where = where if by_socket(url) else f"{place(url)}/…"
        return f"give its password in the address, as in postgresql://{role(url)}:PASSWORD@{where}"
    return (
        f"is that the role, and is its password written {ENCODED}? This writes it so: {QUOTED};"
        f" and this gives the role a new one: sudo -u postgres psql -c '\\password {role(url)}'"
    )


def _nobody_listens(url: URL) -> str:
    return f"start the server (systemctl start postgresql); or does it listen elsewhere than at {place(url)}?"


def _no_host(_: URL) -> str:
    return f"is the host's name right? A password has its signs {ENCODED}"


def _silent(_: URL) -> str:
    return "is the host right, and does its firewall let this machine in?"


def _full(_: URL) -> str:
    return f"let the server take more (max_connections), or fewer others; each bot holds {MOST} at most"


def _altered(what: str) -> str:
    return f"sudo -u postgres psql -c 'ALTER {what}'"


def _role_full(url: URL) -> str:
    altered = _altered(f'ROLE "{role(url)}" CONNECTION LIMIT -1')
    return (
        f"the limit is the role's own, not max_connections: {altered} lifts it; each bot holds {MOST} at most"
    )


def _database_full(url: URL) -> str:
    altered = _altered(f'DATABASE "{database(url)}" CONNECTION LIMIT -1')
    return (
        f"the limit is the database's own, not max_connections: {altered} lifts it;"
        f" each bot holds {MOST} at most"
    )


def _may_not_log_in(url: URL) -> str:
    altered = _altered(f'ROLE "{role(url)}" LOGIN')
    return f"let it: {altered}; or name one that may log in"


def _no_tls(url: URL) -> str:
    return f"switch TLS on at {place(url)}: ssl = on in its postgresql.conf, with a certificate"


def _another_host(_: URL) -> str:
    return "name the host as its certificate does, or let it have a certificate for that name"


def _untrusted(_: URL) -> str:
    return (
        "name the file of the authority that signed it: sslrootcert=/path/to/ca.crt; for an authority that"
        " this machine trusts write sslrootcert=system"
    )


BY_WORDS: dict[str, Callable[[URL], str]] = {
    "too many connections for role": _role_full,
    "too many connections for database": _database_full,
    "is not permitted to log in": _may_not_log_in,
    "pg_hba.conf": _not_admitted,
    "Peer authentication failed": _another_user,
    "certificate is not valid for": _another_host,
    UNTRUSTED: _untrusted,
    "root certificate file": _untrusted,
    "rejected SSL upgrade": _no_tls,
}
"""By words of the reason, where one code stands for several."""
REMEDIES: dict[str, Callable[[URL], str]] = {
    "3D000": _no_database,
    "28000": _no_login,
    "28P01": _no_password,
    "53300": _full,
    "ECONNREFUSED": _nobody_listens,
    "ENOENT": _nobody_listens,
    NO_NAME: _no_host,
    "ETIMEDOUT": _silent,
    "EHOSTUNREACH": _silent,
    "ENETUNREACH": _silent,
}
"""By PostgreSQL's code, or the system's name for its error."""
LOGIN = ("28000", "28P01", "3D000")
"""Of these, where the server answered and let nobody in."""


UTF8 = "UTF8"
IN_UTF8 = f"with createdb --encoding {UTF8} --template template0"


def encoding(tx: Tx) -> str:
    """How the server keeps this database's texts, by its own name for that."""
    return str(tx.scalar(text("SHOW server_encoding")))


def held(encoding: str) -> list[Finding]:
    """Whether what people write can be held there, in any language and with any sign."""
    if encoding == UTF8:
        return []
    if encoding == "SQL_ASCII":  # which holds any bytes, and knows of none what they mean
        return [note("encoding", f"the database is in {encoding}", f"a new one is better {IN_UTF8}")]
    return [wrong("encoding", f"the database is in {encoding}", f"make it {IN_UTF8}")]


def way_in(error: StoreError, url: URL) -> str:
    """What lets the bot in where the database can't be opened."""
    by_words = next((remedy for words, remedy in BY_WORDS.items() if words in str(error)), None)
    remedy = by_words or REMEDIES.get(error.state)
    return remedy(url) if remedy else ELSE


def shut(error: StoreError, url: URL) -> Finding:
    """What keeps the bot out, in the server's own words; the remedy may be named behind a semicolon."""
    whole = str(error).removeprefix(f"{ABOUT}: ")
    if isinstance(error, RightsError):
        return wrong(ABOUT, whole, GRANT)
    if "can't be opened" in whole:
        return wrong(ABOUT, whole, way_in(error, url))
    told, _, remedied = whole.partition("; ")
    if "newer" in told:
        remedied = "install the version that wrote it, or a later one"
    return wrong(ABOUT, told, remedied)
