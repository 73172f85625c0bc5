"""Aliases in place of the ids of forgotten players."""

from sqlalchemy import insert, select

from bot.database import Tx
from bot.database.schema import meta
from bot.players import aliases
from tests.bot.databases import Database

ANN, BOB = 7, 8


def load_key(tx: Tx) -> str:
    return str(tx.scalar(select(meta.c.value).where(meta.c.key == aliases.KEY_FACT)))


async def test_alias_is_the_same_for_the_same_person(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert aliases.load_ids(tx, ANN) == (ANN,)
        other = aliases.make_alias(tx, ANN)
        assert other < aliases.MAX_ALIAS
        assert aliases.load_ids(tx, ANN) == (ANN, other)
        assert aliases.make_alias(tx, ANN) == other
        assert aliases.make_alias(tx, BOB) not in (other, ANN, BOB)
        assert len(bytes.fromhex(load_key(tx))) == 32

    await db(story)


async def test_alias_follows_from_the_stored_key(db: Database) -> None:
    def story(tx: Tx) -> None:
        tx.execute(insert(meta).values(key=aliases.KEY_FACT, value="0f" * 32))
        assert aliases.load_ids(tx, ANN) == (ANN, -4061843468448463088)
        assert load_key(tx) == "0f" * 32

    await db(story)
