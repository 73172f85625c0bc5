"""This machine's clock may be wrong, or be set while people play: deadlines and looks go by Telegram's."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.database.schema import rounds
from bot.durations import DAY
from bot.queue.watermark import Watermark, read_uptime
from bot.service import build_service
from bot.settings import read_settings
from tests.stories.clock import Clock
from tests.stories.conftest import InProcessPool, LiveBot
from tests.stories.test_deadlines import SOLUTION, delay_deals
from tests.telegram import Chat, User, World, WorldRequest


def set_clock(bot: LiveBot, clock: Clock, by: float) -> None:
    """Somebody sets the machine's clock; Telegram's goes on as before."""
    bot.service.inbox.wall = lambda: clock() + by


@pytest.mark.long
async def test_a_clock_that_is_ahead_takes_nobodys_time(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    """Deadlines count by Telegram's dates; this machine's clock is twenty seconds ahead of them."""
    set_clock(bot, clock, 20)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    clock.advance(590)
    await bot.run_timers()
    assert SOLUTION not in deal.text
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


@pytest.mark.parametrize("ahead", [60.0, -60.0])
async def test_a_look_at_a_hand_is_dated_as_its_answers_are(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, ahead: float
) -> None:
    """Whatever this machine's clock says: who looked the hand up before the answer scores nothing."""
    bot.service.inbox.wall = lambda: clock() + ahead
    await bot.deal(bob, family, 1, 2, 3, 4)
    await bot.say(bob, family, "1*2*3*4")
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    clock.advance(3)
    world.inline(ann, "3 8 3 8")
    await bot.settle()
    clock.advance(3)
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" not in deal.text


@pytest.mark.long
@pytest.mark.parametrize("jump", [60, 200, 3600, -200])
@pytest.mark.parametrize("deals", [0, 2])
async def test_a_clock_that_is_set_takes_nobodys_time(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, jump: int, deals: int
) -> None:
    for _ in range(deals):
        deal = await bot.deal(ann, family, 4, 4, 7, 7)
        await bot.say(ann, family, "7*(4-4/7)", reply_to=deal)
        clock.advance(10)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    set_clock(bot, clock, jump)
    clock.advance(590)
    await bot.run_timers()
    assert SOLUTION not in deal.text
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert f"\u2068Ann\u2069: {SOLUTION} = 24" in deal.text


@pytest.mark.parametrize("jump", [60, -60])
async def test_a_clock_that_is_set_keeps_no_hand_open(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, jump: int
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    set_clock(bot, clock, jump)
    clock.advance(604)
    await bot.run_timers()
    assert f"💭 {SOLUTION} = 24" in deal.text


@pytest.mark.long
@pytest.mark.parametrize("ahead", [250, 3600, 90_000])
async def test_a_clock_that_is_far_ahead_from_the_start(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, ahead: int
) -> None:
    set_clock(bot, clock, ahead)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    clock.advance(590)
    await bot.run_timers()
    assert SOLUTION not in deal.text
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


async def test_a_clock_that_is_set_right_at_last_leaves_no_chat_waiting(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    """The machine stood still for an hour, and its clock was set after that: it looks as if it ran ahead."""
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    bot.service.inbox.read_uptime = lambda: clock() - 3600
    clock.advance(3600)
    await bot.say(ann, world.chat_of(ann), "/help")
    await bot.run_timers()
    assert f"💭 {SOLUTION} = 24" in deal.text


@pytest.mark.parametrize("jump", [10, 60, 3600])
async def test_a_look_at_a_hand_after_the_clock_was_set(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, jump: int
) -> None:
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    await bot.settle()
    set_clock(bot, clock, jump)
    clock.advance(5)
    asked = world.inline(ann, "3 8 3 8")
    await bot.settle()
    assert SOLUTION in str(asked.results)
    clock.advance(3)
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" not in deal.text


@pytest.mark.parametrize("jump", [0, 10])
async def test_a_look_after_an_answer_was_sent_costs_nothing(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, jump: int
) -> None:
    """The answer is heard only after the look, since its chat waited for something slow."""
    family = world.group("Family", bob, ann, forum=True)
    elsewhere = world.topic(family, "Elsewhere", bob)
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    await bot.settle()
    set_clock(bot, clock, jump)
    free = asyncio.Event()
    delay_deals(bot, free)
    world.say(bob, family, "/play@TwentyFourTestBot", topic=elsewhere)
    world.say(ann, family, SOLUTION, reply_to=deal)
    await world.wait_until_taken()
    clock.advance(5)
    asked = world.inline(ann, "3 8 3 8")
    await world.wait_until(lambda: asked.results, 60, "the look")
    free.set()
    await bot.settle()
    assert f"\u2068Ann\u2069: {SOLUTION} = 24" in deal.text


async def test_the_time_left_tells_how_far_the_clock_is_ahead(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    """The bot was started anew with a clock that is ahead, and nobody deals; its edits are dated as well."""
    await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    bot.service.inbox.watermark = Watermark()  # as after a start where somebody had just spoken
    bot.service.inbox.watermark.is_compared = True
    set_clock(bot, clock, 60)
    clock.advance(70)
    await bot.run_timers()
    assert 58 < bot.service.inbox.watermark.clock_ahead <= 60


async def test_a_post_that_was_looked_for_tells_nothing_of_clocks(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    """It has no date that is Telegram's; the hand's time counts from when it went out all the same."""
    set_clock(bot, clock, 60)
    first = await bot.deal(ann, family, 4, 4, 7, 7)
    await bot.say(ann, family, "7*(4-4/7)", reply_to=first)
    clock.advance(10)
    world.faults.add("sendMessage", effect=True, count=1, status=502)
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    deal = await world.next_post(family, "3 8 3 8")
    await bot.settle()
    assert 58 < bot.service.inbox.watermark.clock_ahead <= 60
    clock.advance(604)
    await bot.run_timers()
    assert f"💭 {SOLUTION} = 24" in deal.text


async def test_the_bot_looks_at_a_clock_that_nobody_sets(world: World, database: Path) -> None:
    settings = read_settings({"BOT_TOKEN": world.token, "DATABASE_URL": f"sqlite:///{database}"})
    async with AsyncExitStack() as stack:
        service = await build_service(settings, WorldRequest(world), stack, solver_pool=InProcessPool())
        assert service.inbox.read_uptime is read_uptime


async def test_nothing_is_tidied_by_a_clock_that_was_set_and_all_at_once_when_it_is_right(
    bot: LiveBot, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tidied = list[float]()
    monkeypatch.setattr("bot.queue.queries.delete_expired_rows", lambda tx, now: tidied.append(now))
    await bot.run_timers()
    for by in (-36 * 3600, 90, 400 * DAY):
        set_clock(bot, clock, by)
        clock.advance(3601)
        await bot.run_timers()
    assert len(tidied) == 1
    set_clock(bot, clock, 0)
    await bot.run_timers()
    assert tidied[1:] == [clock()]


@pytest.mark.parametrize("ahead", [400 * DAY, -400 * DAY])
async def test_a_hand_that_is_dealt_while_the_clock_is_wrong_is_dated_by_telegrams(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, ahead: float
) -> None:
    """It ends by the time only once the clock is right, and nothing was deleted or ended meanwhile."""
    set_clock(bot, clock, ahead)
    bot.service.inbox.watermark.observe_response(clock(), clock() + ahead)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert "⏳ 10 minutes left" in deal.text
    clock.advance(700)
    await bot.run_timers()
    assert SOLUTION not in deal.text
    set_clock(bot, clock, 0)
    await bot.run_timers()
    assert f"💭 {SOLUTION} = 24" in deal.text


async def test_hands_that_a_wrong_clock_dated_into_the_future_hold_up_nothing(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    """As a version before has stored them: their time is over, and they don't count for the last hour."""
    await bot.choose(family, "rounds_an_hour", 1)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    later = {"opened": clock() + 400 * DAY, "deadline": clock() + 400 * DAY + 600}
    await bot.services.store.write(lambda tx: tx.execute(update(rounds).values(**later)))
    await bot.run_timers()
    assert f"💭 {SOLUTION} = 24" in deal.text
    await bot.deal(ann, family, 4, 4, 7, 7)
