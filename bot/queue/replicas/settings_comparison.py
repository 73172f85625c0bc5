"""What bots on one database must have in common: the token's bot, the way in, a secret of the webhook's.

Telegram posts to one address, or to none. A bot that told it another one would end all that are there, one
after the other, each as it leads. It sends one secret along to whichever of them, the one that it was told
last. So each that starts tells it the first of its own that all take, and doesn't start where there is none.
What is kept of all that for the others to see are digests.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import pbkdf2_hmac

POLLING = "polling"
# Of the digest: some 50 ms, so that nobody who reads the database guesses a short secret soon.
ROUNDS = 100_000
ANOTHER_BOT = "a bot with another token already runs on this database"
_ALL_ALIKE = "give all the same, or stop all of them before you change it"
ANOTHER_ADDRESS = f"WEBHOOK_URL: the bots that run on this database have another one; {_ALL_ALIKE}"
NO_ADDRESS = f"WEBHOOK_URL: missing, and the bots that run on this database have one; {_ALL_ALIKE}"
OTHERS_POLL = f"WEBHOOK_URL: the bots that run on this database have none; {_ALL_ALIKE}"
NO_COMMON_SECRET = (
    "WEBHOOK_SECRET: none here that the bots on this database take; to change it, give them new,old one after"
    " the other, and then new"
)
SECRET_CHANGED = "WEBHOOK_SECRET: Telegram was told another one meanwhile; give this bot the others'"


@dataclass(frozen=True, slots=True)
class SharedSettings:
    """What a bot shows the others of itself."""

    bot_id: int  # Telegram's
    # A digest of the webhook's address, or `POLLING`; None for a version that doesn't tell.
    webhook_digest: str | None = POLLING
    secret_digests: tuple[
        str, ...
    ] = ()  # Digests of what the webhook takes; none where it polls, or doesn't tell
    chosen_secret: str | None = None  # Which of them Telegram is told


def make_shared_settings(bot_id: int, webhook_url: str | None, secrets: Sequence[str] = ()) -> SharedSettings:
    """What the bot `bot_id` shows of the address that Telegram posts to, if it does, and of what that takes.

    Takes some 50 ms for each of them.
    """
    if webhook_url is None:
        return SharedSettings(bot_id)
    return SharedSettings(
        bot_id, hash_secret(bot_id, webhook_url), tuple(hash_secret(bot_id, secret) for secret in secrets)
    )


def hash_secret(bot_id: int, secret: str) -> str:
    """What tells that two bots have the same secret, and not which."""
    return pbkdf2_hmac("sha256", secret.encode(), f"twentyfour {bot_id}".encode(), ROUNDS, 16).hex()


def find_conflict(mine: SharedSettings, theirs: Sequence[SharedSettings], *, rejoining: bool = False) -> str:
    """Why this bot can't run beside those, in one line; empty where it can. `again`: see `agreed`."""
    for other in theirs:
        if other.bot_id != mine.bot_id:
            return ANOTHER_BOT
        if other.webhook_digest not in {None, mine.webhook_digest}:
            if mine.webhook_digest == POLLING:
                return NO_ADDRESS
            return OTHERS_POLL if other.webhook_digest == POLLING else ANOTHER_ADDRESS
    if mine.secret_digests and choose_secret(mine, theirs, rejoining=rejoining) is None:
        return SECRET_CHANGED if rejoining else NO_COMMON_SECRET
    return ""


def choose_secret(
    mine: SharedSettings, theirs: Sequence[SharedSettings], *, rejoining: bool = False
) -> str | None:
    """The first of its secrets that all take, which it tells Telegram; None where there is none.

    One that was taken for dead and comes back `again` tells Telegram nothing: it must take what they told.
    """
    taken = [other.secret_digests for other in theirs if other.secret_digests]
    told = {other.chosen_secret for other in theirs if other.chosen_secret}
    if rejoining and told:
        taken.append(tuple(told))
    return next((secret for secret in mine.secret_digests if all(secret in each for each in taken)), None)
