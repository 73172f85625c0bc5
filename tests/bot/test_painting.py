"""Pictures are drawn by the workers."""

import pytest

from bot.painting import FIRST, paint, warm
from bot.pictures.drawing import draw
from bot.workers.pool import Pool


@pytest.mark.long
@pytest.mark.timeout(120)
async def test_a_worker_draws_what_would_be_drawn_here() -> None:
    pool = Pool(2, 30.0)
    try:
        await warm(pool, 2)
        assert await paint(pool, FIRST, "en") == draw(FIRST, "en")
    finally:
        pool.close()
