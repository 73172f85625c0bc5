"""What stands in the place of a person's id where nothing else is kept of them: of somebody who was forgotten
where a row has to stay for some days, and of somebody who never played where they are told something once.

It is the same for the same person, follows from a key that only this database holds, and is told from real
ids by its size: whoever comes back is recognised, and who it was can't be read off it.
"""

import hmac
import secrets

from sqlalchemy import insert, select

from bot.database import Tx
from bot.database.schema import meta

KEY = "alias key"
"""The fact that holds the key; there is none until somebody needs an alias."""
HIGHEST = -(2**61)
"""Aliases are below this; Telegram's ids are not."""


def ids(tx: Tx, player_id: int) -> tuple[int, ...]:
    """The numbers under which rows of the person may be found: the id, and the alias if there can be one."""
    key = tx.scalar(select(meta.c.value).where(meta.c.key == KEY))
    return (player_id,) if key is None else (player_id, _alias(key, player_id))


def alias(tx: Tx, player_id: int) -> int:
    """The person's alias."""
    key = tx.scalar(select(meta.c.value).where(meta.c.key == KEY))
    if key is None:
        key = secrets.token_hex(32)
        tx.execute(insert(meta).values(key=KEY, value=key))
    return _alias(key, player_id)


def _alias(key: str, player_id: int) -> int:
    digest = hmac.digest(bytes.fromhex(key), str(player_id).encode(), "sha256")
    return HIGHEST - 1 - int.from_bytes(digest[:8]) % 2**61
