"""SIGKILL around the time of the weekly winner's post: no group gets it twice."""

import asyncio
import random
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.conftest import (
    BotFactory,
    Process,
    choose_amount,
    execute_sql,
    fetch_rows,
    report,
    solve_deal,
    wait_until_empty,
)
from tests.telegram import BotApi, Chat, User, World

pytestmark = pytest.mark.faults

GROUPS = 4
DAY = 86_400.0
MONDAY = 1_795_428_000.0  # Ten o'clock by UTC on 23 November 2026
WEEKLY_TITLE = "The week’s winner"


@dataclass
class ShiftedClock:
    """A clock that is `by` seconds ahead, for the bot and Telegram."""

    by: float = 0.0

    def __call__(self) -> float:
        return time.time() + self.by

    def set_time(self, at: float) -> None:
        """Set the present time to `at`."""
        self.by = at - time.time()


def count_weekly_posts(world: World, groups: list[Chat]) -> list[int]:
    """Return the number of weekly posts in each group."""
    return [sum(WEEKLY_TITLE in post.text for post in world.posts(group)) for group in groups]


def start_bot(process: Process, clock: ShiftedClock) -> None:
    """Start the bot with this clock."""
    shift = process.log.with_suffix(".shift")
    shift.write_text(str(clock.by))
    process.environment["SHIFT"] = str(shift)
    process.start()


async def play_hand(world: World, player: User, group: Chat) -> None:
    """Play a hand to its win."""
    world.say(player, group, f"/play@{world.bot.username}")
    deal = await world.next_post(group, "→ 24", timeout=60)
    world.say(player, group, solve_deal(deal), reply_to=deal)
    await world.wait_until(lambda: "🏆" in deal.text, 60, "the win")


def date_wins_in_the_week_before(database: Path, monday: float) -> None:
    """Date all wins two days before `monday`."""
    then = monday - 2 * DAY
    execute_sql(database, "UPDATE awards SET at = ?", then)
    execute_sql(database, "UPDATE rounds SET opened = ?, closed = ?", then, then)


async def kill_near_requests(
    world: World, process: Process, clock: ShiftedClock, kills: int, rng: random.Random
) -> None:
    """Start and kill the bot `kills` times, each time shortly after a request."""
    for _ in range(kills):
        start_bot(process, clock)
        seen = len(world.requests) + rng.randrange(3, 14)
        try:
            await world.signal.wait_until(lambda: len(world.requests) >= seen, 4.0)  # noqa: B023
        except TimeoutError:
            assert process.process.poll() is None, process.read_log()[-3000:]
        await asyncio.sleep(rng.uniform(0, 0.02))
        process.kill()


@pytest.mark.exhaustive
async def test_weekly_winner_is_posted_at_most_once_through_kills(
    make_bot: BotFactory, database: Path
) -> None:
    clock, rng = ShiftedClock(), random.Random(11)
    clock.set_time(MONDAY - 3 * DAY)
    world = World(seed=11, clock=clock)
    ann = world.user("Ann")
    groups = [world.group(f"Group {n}", ann) for n in range(GROUPS)]
    weeks, kills = choose_amount(40, 3), 3
    before, lost, doubled = [0] * GROUPS, 0, 0
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.arguments = ("-m", "tests.faults.bot_with_wrong_clock")
        start_bot(process, clock)
        for group in groups:
            await play_hand(world, ann, group)
        await world.wait_until_taken()
        process.kill()
        for week in range(weeks):
            moment = MONDAY + week * 7 * DAY
            date_wins_in_the_week_before(database, moment)
            clock.set_time(moment - rng.uniform(0, 4))
            await kill_near_requests(world, process, clock, kills, rng)
            clock.set_time(max(clock(), moment + 1))
            start_bot(process, clock)
            claimed = f"SELECT count(*) FROM scheduled_posts WHERE at >= {moment - 60}"  # noqa: S608
            await world.wait_until(lambda: fetch_rows(database, claimed) == [(GROUPS,)], 60, "the claims")  # noqa: B023
            await wait_until_empty(database, process, "outbox WHERE state = 'waiting'")
            process.kill()
            now = count_weekly_posts(world, groups)
            each = [after - earlier for after, earlier in zip(now, before, strict=True)]
            before = now
            lost += each.count(0)
            doubled += sum(n > 1 for n in each)
    report(
        f"{weeks * GROUPS} weekly posts through {weeks * (kills + 1)} kills: {doubled} posted twice, "
        f"{lost} not posted (killed while it was sent)"
    )
    assert doubled == 0
    assert lost <= weeks * (kills + 1) // 10
    assert not world.violations
