"""Pictures as the bot has them drawn: by the workers, within a deadline."""

import asyncio

from bot.pictures.drawing import draw
from bot.pictures.values import Card, Deal, Picture
from bot.workers.pool import Pool

DEADLINE = 3.0
"""Seconds for a picture to be drawn, and as many to wait for a worker: what is late serves a redraw."""
FIRST = Deal((Card(1, "♠"), Card(13, "♥"), Card(24, "♦")), 24)
"""What each worker draws at the start, so that no deal waits until it has read cards and typefaces."""


async def paint(pool: Pool, picture: Picture, language: str) -> bytes:
    """The PNG of a picture. Raises SolvingError."""
    return await pool.ask(draw, picture, language, deadline=DEADLINE, patience=DEADLINE)


async def warm(pool: Pool, workers: int) -> None:
    """Let each worker draw once; one that can't now draws later."""
    once = (paint(pool, FIRST, "en") for _ in range(workers))
    await asyncio.gather(*once, return_exceptions=True)
