"""Aliases: numbers that stand for a person of whom the id is not kept.
They stand in rows that stay some days after a person was forgotten, and in rows about people who never
played. A person's alias is always the same, and follows from a key that only this database holds: whoever
comes back is recognised, but nobody can read the person off an alias. Its size tells it from real ids.
"""

import hmac
import secrets
from collections.abc import Iterable

from sqlalchemy import select

from bot.database import Tx, build_upsert
from bot.database.schema import meta

KEY_FACT = "alias key"
STORED_KEY = select(meta.c.value).where(meta.c.key == KEY_FACT)
MAX_ALIAS = -(2**61)  # Aliases are below it; Telegram's ids are not


def load_ids(tx: Tx, player_id: int) -> tuple[int, ...]:
    """Return the numbers that rows of the person may have: the id, and the alias if there can be one."""
    return tuple(load_owners(tx, [player_id]))


def load_alias(tx: Tx, player_id: int) -> int | None:
    """Return the person's alias; None if no row can have it, since nobody has an alias yet."""
    key = _load_key(tx)
    return None if key is None else _derive_alias(key, player_id)


def load_owners(tx: Tx, players: Iterable[int]) -> dict[int, int]:
    """Map the ids and the aliases of these players to their ids: a row may have either."""
    owners = {player_id: player_id for player_id in players}
    key = _load_key(tx)
    if key is None:
        return owners
    owners_by_alias = {_derive_alias(key, player_id): player_id for player_id in owners}
    return owners | owners_by_alias


def make_alias(tx: Tx, player_id: int) -> int:
    """Return the person's alias, to be stored; the first one stores the key from which all follow."""
    key = _load_key(tx)
    if key is None:
        key = secrets.token_bytes(32)
        upsert = build_upsert(tx.dialect.name, meta, updated=("value",))
        tx.execute(upsert, {"key": KEY_FACT, "value": key.hex()})
    return _derive_alias(key, player_id)


def _load_key(tx: Tx) -> bytes | None:
    stored = tx.scalar(STORED_KEY)
    return None if stored is None else bytes.fromhex(stored)


def _derive_alias(key: bytes, player_id: int) -> int:
    """Return an alias: a hash of the id with the key, below `MAX_ALIAS`."""
    digest = hmac.digest(key, str(player_id).encode(), "sha256")
    hash_61 = int.from_bytes(digest[:8]) % 2**61  # so that the alias fits into 64 bits
    return MAX_ALIAS - 1 - hash_61
