"""SIGKILL in the midst of a storm: its time and its score stand, and it goes on."""

import asyncio
import random
from pathlib import Path

import pytest

from tests.faults.conftest import BotFactory, choose_amount, fetch_rows, report, solve_deal
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

PATIENCE = 60.0  # Seconds


@pytest.mark.exhaustive
async def test_storm_goes_on_after_kills(make_bot: BotFactory, database: Path) -> None:
    world, rng = World(seed=50), random.Random(50)
    ann = world.user("Ann")
    kills = choose_amount(12, 3)
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        world.say(ann, ann, "/storm")
        run = await world.next_post(ann, "→ 24", timeout=PATIENCE)
        await world.wait_until_taken()
        # A kill between the arrival of a post and its mark repeats the post (`bot/queue/pacing.py`).
        async with asyncio.timeout(PATIENCE):
            while fetch_rows(database, "SELECT id FROM outbox WHERE state = 'waiting'"):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        (deadline,) = fetch_rows(database, "SELECT deadline FROM rounds")[0]
        solved = 0
        for _ in range(kills):
            answer = world.say(ann, ann, solve_deal(run))
            await asyncio.sleep(rng.uniform(0, 0.05))
            process.kill()
            process.start()
            solved += 1
            await world.wait_until(lambda: f"· {solved} solved" in run.text, PATIENCE, "the next hand")  # noqa: B023
            await world.wait_until(lambda: answer.deleted, PATIENCE, "the deletion")  # noqa: B023
        (now,) = fetch_rows(database, "SELECT deadline FROM rounds WHERE state = 'open'")[0]
        scores = fetch_rows(database, "SELECT score FROM runs")
        hands = fetch_rows(database, "SELECT count(*) FROM run_hands")
    posts = world.posts(ann)
    report(f"storm: {kills} kills, {solved} answers, score {scores}, {len(posts)} message")
    assert scores == [(solved,)]
    assert hands == [(solved + 1,)]
    assert now == pytest.approx(deadline + 3 * (solved // 5))
    assert posts == [run]
    assert not world.violations
