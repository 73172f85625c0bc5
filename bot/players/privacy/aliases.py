"""What stands in the place of a person's id where nothing else is kept of them: of somebody who was forgotten
where a row has to stay for some days, and of somebody who never played where they are told something once.

It is the same for the same person, follows from a key that only this database holds, and is told from real
ids by its size: whoever comes back is recognised, and who it was can't be read off it.
"""

import hmac
import logging
import re
import secrets
from collections.abc import Iterable

from sqlalchemy import select

from bot.database import Tx, build_upsert
from bot.database.schema import meta

log = logging.getLogger(__name__)

KEY = "alias key"  # The fact that holds the key; there is none until somebody needs an alias
STORED = select(meta.c.value).where(meta.c.key == KEY)
WRITTEN = re.compile(r"[0-9a-f]{64}")  # How it is written
MAX_ALIAS = -(2**61)  # Aliases are below this; Telegram's ids are not


def load_ids(tx: Tx, player_id: int) -> tuple[int, ...]:
    """The numbers under which rows of the person may be found: the id, and the alias if there can be one."""
    key = _key(tx)
    return (player_id,) if key is None else (player_id, _alias(key, player_id))


def load_owners(tx: Tx, players: Iterable[int]) -> dict[int, int]:
    """Whose each of the numbers is under which rows of these people may be found."""
    key, people = _key(tx), list(players)
    return {each: each for each in people} | ({_alias(key, each): each for each in people} if key else {})


def load_or_create_alias(tx: Tx, player_id: int) -> int:
    """The person's alias."""
    return _alias(_key(tx) or _new_key(tx), player_id)


def _key(tx: Tx) -> bytes | None:
    """The key; None where there is none, or none that can be read."""
    stored = tx.scalar(STORED) or ""
    return bytes.fromhex(stored) if WRITTEN.fullmatch(stored) else None


def _new_key(tx: Tx) -> bytes:
    """A key made now.

    Where it takes the place of one that can't be read, nothing leads any more from forgotten people to what
    stayed of them under their former aliases. That breaks no promise to them: they are unknown sooner. Who
    comes back within those days isn't recognised, and begins anew.
    """
    made = secrets.token_bytes(32)
    if tx.scalar(STORED) is not None:
        log.warning("the alias key can't be read, and another is made: former aliases are nobody's now")
    tx.execute(build_upsert(tx.dialect.name, meta, "value"), {"key": KEY, "value": made.hex()})
    return made


def _alias(key: bytes, player_id: int) -> int:
    digest = hmac.digest(key, str(player_id).encode(), "sha256")
    return MAX_ALIAS - 1 - int.from_bytes(digest[:8]) % 2**61
