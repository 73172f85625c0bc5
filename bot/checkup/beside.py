"""Whether the bot may run beside those that run on its database: a start asks them the same."""

from collections.abc import Sequence

from sqlalchemy import inspect

from bot.checkup.finding import Finding, wrong
from bot.database import Tx
from bot.replicas import queries
from bot.replicas.alike import ANOTHER_BOT, Alike, alike, trouble
from bot.settings import Settings

OWN_DATABASE = "one database is one bot's: is BOT_TOKEN that of those, or DATABASE_URL another one's?"


def shown(tx: Tx) -> tuple[Alike, ...]:
    """What the bots that run on a server's database show of themselves; nothing in tables that are older."""
    columns = {column["name"] for column in inspect(tx).get_columns("replicas")}
    if not columns.issuperset(column.name for column in queries.ALIKE.selected_columns):
        return ()
    return queries.alike(tx)


def looked_at(settings: Settings, theirs: Sequence[Alike]) -> list[Finding]:
    """Why a start would be refused beside those, in its own words; nothing where it would not be."""
    if not settings.token or not theirs:
        return []
    bot_id = int(settings.token.partition(":")[0])
    why = trouble(alike(bot_id, settings.webhook_url, settings.webhook_secrets), theirs)
    if not why:
        return []
    if why == ANOTHER_BOT:
        return [wrong("BOT_TOKEN", why, OWN_DATABASE)]
    about, _, told = why.partition(": ")
    told, _, remedy = told.partition("; ")
    return [wrong(about, told, remedy)]
