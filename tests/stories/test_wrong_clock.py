"""A wrong clock of the machine, or one that is set during a round: times follow Telegram's clock."""

import asyncio

import pytest
from sqlalchemy import update

from bot.database.schema import rounds
from bot.durations import DAY
from bot.formats import format_expression
from bot.queue.updates import Watermark
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.stories.test_deadlines import SOLUTION, delay_deals
from tests.telegram import Chat, User, World

pytestmark = pytest.mark.long


def set_clock(bot: LiveBot, clock: Clock, by: float) -> None:
    """Set the machine's clock ahead of Telegram's by so many seconds."""
    bot.service.inbox.wall = lambda: clock() + by


@pytest.mark.long
@pytest.mark.parametrize("ahead", [20, 250, 3600, 90_000])
async def test_clock_ahead_from_the_start_does_not_shorten_a_hand(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, ahead: int
) -> None:
    set_clock(bot, clock, ahead)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    clock.advance(590)
    await bot.run_timers()
    assert format_expression(SOLUTION) not in deal.text
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


@pytest.mark.parametrize("ahead", [60.0, -60.0])
async def test_inline_solution_before_the_answer_costs_the_points(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, ahead: float
) -> None:
    # The order of the inline query and the answer does not depend on this machine's clock.
    bot.service.inbox.wall = lambda: clock() + ahead
    first = await bot.deal(bob, family, 1, 2, 3, 4)
    await bot.say(bob, family, "1*2*3*4", reply_to=first)
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
async def test_clock_jump_does_not_shorten_a_hand(
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
    assert format_expression(SOLUTION) not in deal.text
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert f"\u2068Ann\u2069: {format_expression(SOLUTION)} = 24" in deal.text


@pytest.mark.parametrize("jump", [60, -60])
async def test_clock_jump_does_not_keep_a_hand_open(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, jump: int
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    set_clock(bot, clock, jump)
    clock.advance(604)
    await bot.run_timers()
    assert f"💭 {format_expression(SOLUTION)} = 24" in deal.text


async def test_clock_set_after_a_standstill_ends_expired_hands(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    # The machine stood still for an hour, then its clock was set: this looks like a clock that runs ahead.
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    bot.service.inbox.read_uptime = lambda: clock() - 3600
    clock.advance(3600)
    await bot.say(ann, world.chat_of(ann), "/help")
    await bot.run_timers()
    assert f"💭 {format_expression(SOLUTION)} = 24" in deal.text


@pytest.mark.parametrize("jump", [10, 60, 3600])
async def test_inline_solution_after_a_clock_jump_costs_the_points(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, jump: int
) -> None:
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    await bot.settle()
    set_clock(bot, clock, jump)
    clock.advance(5)
    asked = world.inline(ann, "3 8 3 8")
    await bot.settle()
    assert format_expression(SOLUTION) in str(asked.results)
    clock.advance(3)
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" not in deal.text


@pytest.mark.parametrize("jump", [0, 10])
async def test_inline_solution_after_sending_the_answer_costs_nothing(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, jump: int
) -> None:
    # The answer is handled only after the inline query, as its chat waited for a slow deal.
    family = world.group("Family", bob, ann, forum=True)
    elsewhere = world.topic(family, "Elsewhere", bob)
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    await bot.settle()
    set_clock(bot, clock, jump)
    deal_allowed = asyncio.Event()
    delay_deals(bot, deal_allowed)
    world.say(bob, family, "/play@TwentyFourTestBot", topic=elsewhere)
    world.say(ann, family, SOLUTION, reply_to=deal)
    await world.wait_until_taken()
    clock.advance(5)
    asked = world.inline(ann, "3 8 3 8")
    await world.wait_until(lambda: asked.results, 60, "the result of the inline query")
    deal_allowed.set()
    await bot.settle()
    assert f"\u2068Ann\u2069: {format_expression(SOLUTION)} = 24" in deal.text


async def test_dates_of_edits_tell_how_far_the_clock_is_ahead(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    # The bot was restarted with a clock that is ahead, and nobody deals.
    await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    bot.service.inbox.watermark = Watermark()  # as after a start where somebody had just spoken
    bot.service.inbox.watermark.is_compared = True
    set_clock(bot, clock, 60)
    clock.advance(70)
    await bot.run_timers()
    assert 58 < bot.service.inbox.watermark.clock_ahead <= 60


async def test_post_with_an_unknown_outcome_tells_nothing_of_clocks(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    # Such a post has no date of Telegram's; the time of the hand still starts when it was sent.
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
    assert f"💭 {format_expression(SOLUTION)} = 24" in deal.text


async def test_expired_rows_are_deleted_only_while_the_clock_is_right(
    bot: LiveBot, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    deletions = list[float]()
    monkeypatch.setattr("bot.queue.queries.delete_expired_rows", lambda tx, now: deletions.append(now))
    await bot.run_timers()
    for by in (-36 * 3600, 90, 400 * DAY):
        set_clock(bot, clock, by)
        clock.advance(3601)
        await bot.run_timers()
    assert len(deletions) == 1
    set_clock(bot, clock, 0)
    await bot.run_timers()
    assert deletions[1:] == [clock()]


@pytest.mark.parametrize("ahead", [400 * DAY, -400 * DAY])
async def test_hand_dealt_by_a_wrong_clock_ends_once_the_clock_is_right(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, ahead: float
) -> None:
    # Nothing is deleted or ended by time while the clock is wrong.
    set_clock(bot, clock, ahead)
    bot.service.inbox.watermark.observe_response(clock(), clock() + ahead)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert "⏳ 10 min left" in deal.text
    clock.advance(700)
    await bot.run_timers()
    assert format_expression(SOLUTION) not in deal.text
    set_clock(bot, clock, 0)
    await bot.run_timers()
    assert f"💭 {format_expression(SOLUTION)} = 24" in deal.text


async def test_hands_dated_in_the_future_end_and_do_not_fill_the_hour(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    # An earlier version may have stored such hands.
    await bot.choose(family, "rounds_an_hour", 1)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    later = {"opened": clock() + 400 * DAY, "deadline": clock() + 400 * DAY + 600}
    await bot.services.store.write(lambda tx: tx.execute(update(rounds).values(**later)))
    await bot.run_timers()
    assert f"💭 {format_expression(SOLUTION)} = 24" in deal.text
    await bot.deal(ann, family, 4, 4, 7, 7)
