"""What the bot that leads hears of Telegram, heard by all."""

from bot.database import Watch
from bot.pulse import Pulse
from bot.replicas import queries

FOLLOWED = 30.0
"""Seconds since the bot that leads heard of Telegram up to which that holds for all."""


async def shared_pulse(watch: Watch, pulse: Pulse, name: str, *, leads: bool, now: float) -> None:
    """Who leads says when it heard of Telegram; for the others that holds as well."""
    if leads:
        if pulse.beats and pulse.silent(now) < FOLLOWED:
            await watch.run(lambda tx: queries.beats(tx, name))
        return
    pulse.followed = True
    if await watch.run(queries.heard) < FOLLOWED:
        pulse.beat(now)
