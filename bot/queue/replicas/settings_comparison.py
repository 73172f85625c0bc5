"""Compare the settings that bots on one database must share: bot, webhook address and a webhook secret.

Telegram posts to one address, or to none; a bot that registered another one would end all others. With each
update Telegram sends the secret that it was told last. So each bot that starts registers the first of its
secrets that all bots accept, and doesn't start if there is none. The database holds digests of them alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import pbkdf2_hmac

POLLING = "polling"
ANOTHER_BOT = "a bot with another token already runs on this database"
_ALL_ALIKE = "give all the same, or stop all of them before you change it"
ANOTHER_ADDRESS = f"WEBHOOK_URL: the bots that run on this database have another one; {_ALL_ALIKE}"
NO_ADDRESS = f"WEBHOOK_URL: missing, and the bots that run on this database have one; {_ALL_ALIKE}"
OTHERS_POLL = f"WEBHOOK_URL: the bots that run on this database have none; {_ALL_ALIKE}"
NONE_ACCEPTED = (
    "WEBHOOK_SECRET: none here that the bots on this database take; to change it, give them new,old one after"
    " the other, and then new"
)
ANOTHER_REGISTERED = "WEBHOOK_SECRET: Telegram was told another one meanwhile; give this bot the others'"


@dataclass(frozen=True, slots=True)
class SharedSettings:
    """The settings that a bot shows to the others."""

    bot_id: int  # Telegram's
    webhook_digest: str | None = POLLING  # of the webhook's address; None in versions that don't store it
    secret_digests: tuple[str, ...] = ()  # of the webhook's secrets; none while polling, or in old versions
    chosen_secret: str | None = None  # the digest of the one that Telegram was told


def make_shared_settings(bot_id: int, webhook_url: str | None, secrets: Sequence[str] = ()) -> SharedSettings:
    """Hash the webhook's address (None: it polls) and secrets into shared settings. Takes 50 ms for each."""
    if webhook_url is None:
        return SharedSettings(bot_id)
    digests = tuple(hash_secret(bot_id, secret) for secret in secrets)
    return SharedSettings(bot_id, hash_secret(bot_id, webhook_url), digests)


HASH_ROUNDS = 100_000  # some 50 ms, so that nobody who reads the database guesses a short secret soon


def hash_secret(bot_id: int, secret: str) -> str:
    """Return a digest that shows whether two bots have the same secret, but not which."""
    salt = f"twentyfour {bot_id}".encode()
    return pbkdf2_hmac("sha256", secret.encode(), salt, HASH_ROUNDS, dklen=16).hex()


def find_conflict(mine: SharedSettings, others: Sequence[SharedSettings], *, rejoining: bool = False) -> str:
    """Return why this bot can't run beside the others (token, address, secret), in one line; "" if it can."""
    for other in others:
        if other.bot_id != mine.bot_id:
            return ANOTHER_BOT
        if other.webhook_digest in {None, mine.webhook_digest}:  # None: its version doesn't tell
            continue
        if mine.webhook_digest == POLLING:
            return NO_ADDRESS
        return OTHERS_POLL if other.webhook_digest == POLLING else ANOTHER_ADDRESS
    if mine.secret_digests and choose_secret(mine, others, rejoining=rejoining) is None:
        return ANOTHER_REGISTERED if rejoining else NONE_ACCEPTED
    return ""


def choose_secret(
    mine: SharedSettings, others: Sequence[SharedSettings], *, rejoining: bool = False
) -> str | None:
    """Return the first of this bot's secrets that all accept, to be registered at Telegram; None if none is.

    A bot that is `rejoining` after it lost its lease registers nothing: it must accept what others have.
    """
    accepted_by_each = [other.secret_digests for other in others if other.secret_digests]
    chosen = {other.chosen_secret for other in others if other.chosen_secret}
    if rejoining and chosen:
        accepted_by_each.append(tuple(chosen))
    for secret in mine.secret_digests:
        if all(secret in accepted for accepted in accepted_by_each):
            return secret
    return None
