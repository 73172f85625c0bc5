"""Guests: people without a Telegram account, such as the pupils of a class.

A guest plays in a private chat with the guest's own id, which exists here alone. Nothing is sent there:
the board is its only surface.
"""

import secrets

# Telegram's ids have 52 significant bits at most (https://core.telegram.org/bots/api#chat)
FIRST_GUEST_ID = 2**52
GUEST_IDS = 2**51  # So many ids: JavaScript's numbers hold them exactly
MAX_GUEST_ID = FIRST_GUEST_ID + GUEST_IDS


def make_guest_id() -> int:
    """Return a random id: nobody can guess it, and it is not used again for somebody else."""
    return FIRST_GUEST_ID + secrets.randbelow(GUEST_IDS)


def is_guest(player_id: int) -> bool:
    return FIRST_GUEST_ID <= player_id < MAX_GUEST_ID
