"""`kill -9` around the moment at which groups hear who won their week: nobody hears it twice."""

import asyncio
import random
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.conftest import Process, Started, answer_to, change, figure, none, rows, show
from tests.telegram import BotApi, Chat, User, World

pytestmark = pytest.mark.faults

GROUPS = 4
DAY = 86_400.0
MONDAY = 1_795_428_000.0  # Ten o'clock by UTC on 23 November 2026
SAID = "The week’s winner"


@dataclass
class Shifted:
    """This machine's clock, ahead by so many seconds; the bot's and Telegram's agree."""

    by: float = 0.0

    def __call__(self) -> float:
        return time.time() + self.by

    def show(self, at: float) -> None:
        """Let it show that moment now."""
        self.by = at - time.time()


def told(world: World, groups: list[Chat]) -> list[int]:
    """How often each group was told who won a week."""
    return [sum(SAID in post.text for post in world.posts(group)) for group in groups]


def start(process: Process, clock: Shifted) -> None:
    """Start it under that clock."""
    shift = process.log.with_suffix(".shift")
    shift.write_text(str(clock.by))
    process.environment["SHIFT"] = str(shift)
    process.start()


async def play(world: World, player: User, group: Chat) -> None:
    """A hand that is won."""
    world.say(player, group, f"/play@{world.bot.username}")
    deal = await world.next_post(group, "→ 24", timeout=60)
    world.say(player, group, answer_to(deal), reply_to=deal)
    await world.wait_until(lambda: "🏆" in deal.text, 60, "the win")


def win_in_the_week_before(database: Path, monday: float) -> None:
    """Let every hand have been won two days before."""
    then = monday - 2 * DAY
    change(database, "UPDATE awards SET at = ?", then)
    change(database, "UPDATE rounds SET opened = ?, closed = ?", then, then)


async def kill_around(world: World, process: Process, clock: Shifted, kills: int, rng: random.Random) -> None:
    """Start it and kill it, each time within a moment of some request."""
    for _ in range(kills):
        start(process, clock)
        seen = len(world.requests) + rng.randrange(3, 14)
        try:
            await world.signal.wait_until(lambda: len(world.requests) >= seen, 4.0)  # noqa: B023
        except TimeoutError:
            assert process.process.poll() is None, process.said()[-3000:]
        await asyncio.sleep(rng.uniform(0, 0.02))
        process.kill()


@pytest.mark.exhaustive
async def test_a_week_is_told_once_however_often_the_bot_is_killed(bot: Started, database: Path) -> None:
    clock, rng = Shifted(), random.Random(11)
    clock.show(MONDAY - 3 * DAY)
    world = World(seed=11, clock=clock)
    ann = world.user("Ann")
    groups = [world.group(f"Group {n}", ann) for n in range(GROUPS)]
    weeks, kills = figure(40, 3), 3
    before, lost, doubled = [0] * GROUPS, 0, 0
    async with BotApi(world) as api:
        process = bot(world, api.url)
        process.arguments = ("-m", "tests.faults.bot_with_wrong_clock")
        start(process, clock)
        for group in groups:
            await play(world, ann, group)
        await world.wait_until_taken()
        process.kill()
        for week in range(weeks):
            moment = MONDAY + week * 7 * DAY
            win_in_the_week_before(database, moment)
            clock.show(moment - rng.uniform(0, 4))
            await kill_around(world, process, clock, kills, rng)
            clock.show(max(clock(), moment + 1))
            start(process, clock)
            claimed = f"SELECT count(*) FROM scheduled_posts WHERE at >= {moment - 60}"  # noqa: S608
            await world.wait_until(lambda: rows(database, claimed) == [(GROUPS,)], 60, "the claims")  # noqa: B023
            await none(database, process, "outbox WHERE state = 'waiting'")
            process.kill()
            now = told(world, groups)
            each = [after - earlier for after, earlier in zip(now, before, strict=True)]
            before = now
            lost += each.count(0)
            doubled += sum(n > 1 for n in each)
    show(
        f"{weeks * GROUPS} words about weeks through {weeks * (kills + 1)} kills: {doubled} told twice, "
        f"{lost} not told (killed while it went out)"
    )
    assert doubled == 0
    assert lost <= weeks * (kills + 1) // 10
    assert not world.violations
