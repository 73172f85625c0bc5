"""Whether a PostgreSQL server lets the bots have as many connections as they may take."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import text

from bot.checkup.finding import Finding, note, wrong
from bot.database import Tx
from bot.database.pools import TAG
from bot.database.postgresql import MOST

FEWEST = 3
"""Connections without which a bot answers nobody: one writes, one lasts, one reads."""
LIMITS = text(
    "WITH others AS (SELECT datname, usename FROM pg_stat_activity"
    " WHERE datid IS NOT NULL AND usesysid IS NOT NULL"
    " AND NOT (datname = current_database() AND starts_with(application_name, :tag)))"
    " SELECT session_user AS role, current_database() AS database, rolsuper, rolconnlimit, datconnlimit,"
    " current_setting('max_connections')::int AS most,"
    " current_setting('superuser_reserved_connections')::int AS for_superusers,"
    " CASE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = 'pg_use_reserved_connections'"
    " AND pg_has_role(session_user, oid, 'USAGE')) THEN 0"
    " ELSE coalesce(current_setting('reserved_connections', true), '0')::int END AS reserved,"  # from 16 on
    " (SELECT count(*) FROM others) AS everywhere,"
    " (SELECT count(*) FROM others WHERE datname = current_database()) AS here,"
    " (SELECT count(*) FROM others WHERE usename = session_user) AS so_named"
    " FROM pg_roles, pg_database WHERE rolname = session_user AND datname = current_database()"
)


class Limit(NamedTuple):
    """How many connections somebody lets all have who share it."""

    of: str
    """`server`, `database` or `role`."""
    name: str
    most: int
    others: int
    """How many of these other programs have just now."""
    kept: int = 0
    """How many more there are, for others alone."""


def limits(tx: Tx) -> list[Limit]:
    """All that hold for whoever asks. A superuser minds no limit but the server's own."""
    row = tx.execute(LIMITS, {"tag": TAG}).one()
    kept = 0 if row.rolsuper else row.for_superusers + row.reserved
    found = [Limit("server", "", row.most - kept, row.everywhere, kept)]
    if row.datconnlimit >= 0 and not row.rolsuper:
        found.append(Limit("database", row.database, row.datconnlimit, row.here))
    if row.rolconnlimit >= 0 and not row.rolsuper:
        found.append(Limit("role", row.role, row.rolconnlimit, row.so_named))
    return found


def too_few(limits: Iterable[Limit], bots: int) -> list[Finding]:
    """Each limit that leaves too few for the bots that run, or for the one that would."""
    bots = max(1, bots)
    return [_told(limit, bots) for limit in limits if limit.most - limit.others < bots * MOST]


def _told(limit: Limit, bots: int) -> Finding:
    who = f"a bot takes up to {MOST}" if bots == 1 else f"{bots} bots take up to {MOST} each"
    there = f", of which other programs have {limit.others} just now" if limit.others else ""
    enough = bots * MOST + limit.others
    whose, remedy = _of_the_server(limit, enough) if limit.of == "server" else _own(limit, enough)
    how = wrong if limit.most - limit.others < bots * FEWEST else note
    return how("connections", f"{whose}{there}, and {who} in a busy moment", remedy)


def _of_the_server(limit: Limit, enough: int) -> tuple[str, str]:
    but = f" without the {limit.kept} that it keeps for others" if limit.kept else ""
    fewer = "; or let the others take fewer" if limit.others else ""
    remedy = f"set max_connections to at least {enough + limit.kept}, and restart the server{fewer}"
    return f"the server lets all have {limit.most} (max_connections{but})", remedy


def _own(limit: Limit, enough: int) -> tuple[str, str]:
    lift = f"'ALTER {limit.of.upper()} \"{limit.name}\" CONNECTION LIMIT -1'"
    remedy = f"sudo -u postgres psql -c {lift} lifts it; or at least {enough}"
    return f"the {limit.of} {limit.name!r} may have {limit.most}", remedy
