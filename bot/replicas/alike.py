"""What bots on one database must have in common: the token's bot, and the way in.

Telegram posts to one address, or to none. A bot that told it another one would end all that are there, one
after the other, each as it leads. What is kept of it for the others to see is a digest, since an address may
hold a secret.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import pbkdf2_hmac

POLLING = "polling"
ROUNDS = 100_000
"""Of the digest: some 50 ms, so that nobody who reads the database guesses a short secret soon."""
ANOTHER_BOT = "a bot with another token already runs on this database"
_ALL_ALIKE = "give all the same, or stop all of them before you change it"
ANOTHER_ADDRESS = f"WEBHOOK_URL: the bots that run on this database have another one; {_ALL_ALIKE}"
NO_ADDRESS = f"WEBHOOK_URL: missing, and the bots that run on this database have one; {_ALL_ALIKE}"
THEY_POLL = f"WEBHOOK_URL: the bots that run on this database have none; {_ALL_ALIKE}"


@dataclass(frozen=True, slots=True)
class Alike:
    """What a bot shows the others of itself."""

    bot_id: int
    """Telegram's."""
    way_in: str | None = POLLING
    """A digest of the webhook's address, or `POLLING`; None for a version that doesn't tell."""


def alike(bot_id: int, webhook_url: str | None) -> Alike:
    """What the bot `bot_id` shows of the address that Telegram posts to, if it does. Takes some 50 ms."""
    return Alike(bot_id, digest(bot_id, webhook_url) if webhook_url else POLLING)


def digest(bot_id: int, secret: str) -> str:
    """What tells that two bots have the same secret, and not which."""
    return pbkdf2_hmac("sha256", secret.encode(), f"twentyfour {bot_id}".encode(), ROUNDS, 16).hex()


def trouble(mine: Alike, theirs: Iterable[Alike]) -> str:
    """Why this bot can't run beside those, in one line; empty where it can."""
    for other in theirs:
        if other.bot_id != mine.bot_id:
            return ANOTHER_BOT
        if other.way_in not in {None, mine.way_in}:
            if mine.way_in == POLLING:
                return NO_ADDRESS
            return THEY_POLL if other.way_in == POLLING else ANOTHER_ADDRESS
    return ""
