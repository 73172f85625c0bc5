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
THEY_POLL = f"WEBHOOK_URL: the bots that run on this database have none; {_ALL_ALIKE}"
NONE_TAKEN = (
    "WEBHOOK_SECRET: none here that the bots on this database take; to change it, give them new,old one after"
    " the other, and then new"
)
TOLD_MEANWHILE = "WEBHOOK_SECRET: Telegram was told another one meanwhile; give this bot the others'"


@dataclass(frozen=True, slots=True)
class Alike:
    """What a bot shows the others of itself."""

    bot_id: int  # Telegram's
    # A digest of the webhook's address, or `POLLING`; None for a version that doesn't tell.
    way_in: str | None = POLLING
    secrets: tuple[str, ...] = ()  # Digests of what the webhook takes; none where it polls, or doesn't tell
    told: str | None = None  # Which of them Telegram is told


def alike(bot_id: int, webhook_url: str | None, secrets: Sequence[str] = ()) -> Alike:
    """What the bot `bot_id` shows of the address that Telegram posts to, if it does, and of what that takes.

    Takes some 50 ms for each of them.
    """
    if webhook_url is None:
        return Alike(bot_id)
    return Alike(bot_id, digest(bot_id, webhook_url), tuple(digest(bot_id, secret) for secret in secrets))


def digest(bot_id: int, secret: str) -> str:
    """What tells that two bots have the same secret, and not which."""
    return pbkdf2_hmac("sha256", secret.encode(), f"twentyfour {bot_id}".encode(), ROUNDS, 16).hex()


def trouble(mine: Alike, theirs: Sequence[Alike], *, again: bool = False) -> str:
    """Why this bot can't run beside those, in one line; empty where it can. `again`: see `agreed`."""
    for other in theirs:
        if other.bot_id != mine.bot_id:
            return ANOTHER_BOT
        if other.way_in not in {None, mine.way_in}:
            if mine.way_in == POLLING:
                return NO_ADDRESS
            return THEY_POLL if other.way_in == POLLING else ANOTHER_ADDRESS
    if mine.secrets and agreed(mine, theirs, again=again) is None:
        return TOLD_MEANWHILE if again else NONE_TAKEN
    return ""


def agreed(mine: Alike, theirs: Sequence[Alike], *, again: bool = False) -> str | None:
    """The first of its secrets that all take, which it tells Telegram; None where there is none.

    One that was taken for dead and comes back `again` tells Telegram nothing: it must take what they told.
    """
    taken = [other.secrets for other in theirs if other.secrets]
    told = {other.told for other in theirs if other.told}
    if again and told:
        taken.append(tuple(told))
    return next((secret for secret in mine.secrets if all(secret in each for each in taken)), None)
