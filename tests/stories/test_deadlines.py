"""Deadlines: an answer counts by the time when it was sent, however late it arrives."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.formats import format_expression
from bot.games.twentyfour.dealing import draw_hand
from bot.workers.pool import TooSlowError
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, RestartBot
from tests.telegram import Chat, User, World

pytestmark = pytest.mark.long

SOLUTION = "8/(3-8/3)"


async def stop_updates(world: World, somebody: User) -> None:
    """Let every fetch of updates fail from now on."""
    fault = world.faults.add("getUpdates", status=502)
    world.say(somebody, somebody, "hm")  # Ends the open long poll
    await world.wait_until(lambda: fault.hits, 60, "the next fetch")


async def run_timers_once(bot: LiveBot) -> None:
    """Run due timers once, without waiting for updates, and send their requests."""
    await bot.timers.run_due()
    await bot.service.outbox.wait_until_idle()


def delay_deals(bot: LiveBot, free: asyncio.Event) -> None:
    """Let every deal wait until `free` is set and then fail; its chat waits meanwhile."""

    ask = bot.solving.run_task

    async def slow(task: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if task is not draw_hand:
            return await ask(task, *arguments, **options)
        await free.wait()
        raise TooSlowError

    bot.solving.run_task = slow  # type: ignore[method-assign]


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("before", [17, 1, 0])
async def test_answer_in_time_during_outage_wins(
    world: World, clock: Clock, ann: User, bob: User, family: Chat, restart_bot: RestartBot, before: int
) -> None:
    bot = await restart_bot(world)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    await stop_updates(world, ann)
    clock.advance(600 - before)
    world.say(bob, family, SOLUTION, reply_to=deal)
    clock.advance(before + 60)
    bot = await restart_bot(world)
    await run_timers_once(bot)
    assert "🏆" not in deal.text
    # No solution while an answer may still arrive
    assert f"{format_expression(SOLUTION)} = 24" not in deal.text
    world.faults.clear()
    await bot.run_timers()
    assert f"\u2068Bob\u2069: {format_expression(SOLUTION)} = 24" in deal.text


async def test_late_answer_during_outage_does_not_win(
    world: World, clock: Clock, ann: User, bob: User, family: Chat, restart_bot: RestartBot
) -> None:
    bot = await restart_bot(world)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    await stop_updates(world, ann)
    clock.advance(601)
    world.say(bob, family, SOLUTION, reply_to=deal)
    clock.advance(60)
    bot = await restart_bot(world)
    world.faults.clear()
    await bot.run_timers()
    assert f"💭 {format_expression(SOLUTION)} = 24" in deal.text
    assert "🏆" not in deal.text


async def test_race_waits_for_all_answers_before_next_hand(
    world: World, clock: Clock, ann: User, bob: User, family: Chat, restart_bot: RestartBot
) -> None:
    bot = await restart_bot(world)
    for _ in range(3):
        bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/race@TwentyFourTestBot 3")
    race = await world.next_post(family, "→ 24")
    await bot.settle()
    await stop_updates(world, ann)
    clock.advance(58)
    world.say(bob, family, SOLUTION, reply_to=race)
    clock.advance(600)
    await run_timers_once(bot)
    assert "#1" not in race.text
    world.faults.clear()
    await bot.run_timers()
    assert "#1 🏆 \u2068Bob\u2069" in race.text
    assert read_time_left(race) == 1  # the next hand has its whole time


async def test_answer_queued_behind_slow_deal_wins(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    family = world.group("Family", ann, bob, forum=True)
    elsewhere = world.topic(family, "Elsewhere", ann)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    free = asyncio.Event()
    delay_deals(bot, free)
    clock.advance(598)
    world.say(ann, family, "/play@TwentyFourTestBot", topic=elsewhere)
    world.say(bob, family, SOLUTION, reply_to=deal)
    await world.wait_until_taken()
    clock.advance(30)
    await run_timers_once(bot)
    await bot.wait_until_received()
    await run_timers_once(bot)
    assert f"{format_expression(SOLUTION)} = 24" not in deal.text
    free.set()
    await bot.run_timers()
    assert f"\u2068Bob\u2069: {format_expression(SOLUTION)} = 24" in deal.text


async def test_updates_after_deadline_do_not_delay_the_end(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    """The bot waits only for updates that were sent before the deadline."""
    family = world.group("Family", ann, bob, forum=True)
    elsewhere = world.topic(family, "Elsewhere", ann)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    stuck = asyncio.Event()
    delay_deals(bot, stuck)
    clock.advance(602)
    for _ in range(3):
        world.say(bob, family, "/play@TwentyFourTestBot", topic=elsewhere)
    await world.wait_until_taken()
    clock.advance(5)
    await run_timers_once(bot)
    await bot.wait_until_received()
    await run_timers_once(bot)
    assert f"💭 {format_expression(SOLUTION)} = 24" in deal.text
    stuck.set()
    await bot.settle()


async def test_delayed_deal_keeps_its_full_time(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    """The time of a hand starts when it is delivered."""
    hang = world.faults.add("sendMessage", retry_after=1)
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()
    clock.advance(700)
    await bot.timers.run_all()
    world.faults.remove(hang)
    deal = await world.next_post(family, "→ 24")
    await bot.settle()
    assert read_time_left(deal) == 10  # minutes: all of its time
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


@pytest.mark.parametrize(("language", "notice"), [("en", "Time’s up"), ("es", "¡Tiempo!")])
async def test_hint_and_skip_are_refused_after_deadline(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat, notice: str
) -> None:
    """They would show the solution while answers may still arrive."""
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    clock.advance(601)
    world.say(ann, family, "/skip@TwentyFourTestBot")
    world.say(ann, family, "/hint@TwentyFourTestBot")
    for button in (0, -1):
        press = world.press(ann, deal, button)
        await bot.settle()
        assert notice in str(press.answer)
    world.say(ann, family, "/play@TwentyFourTestBot")
    await bot.settle()
    assert [m.text for m in world.posts(family)[1:] if notice not in m.text] == []
    assert "💡" not in deal.text
    assert format_expression(SOLUTION) not in deal.text
    await bot.run_timers()
    clock.advance(2)
    await bot.run_timers()
    assert format_expression(SOLUTION) in deal.text


async def test_answer_in_backlog_of_single_updates_wins(
    world: World, clock: Clock, ann: User, bob: User, family: Chat, restart_bot: RestartBot
) -> None:
    """Telegram may return fewer updates than it holds, even one at a time."""
    bot = await restart_bot(world)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await stop_updates(world, ann)
    for _ in range(8):
        world.say(bob, family, "/hint@TwentyFourTestBot")
    clock.advance(590)
    world.say(bob, family, SOLUTION, reply_to=deal)
    clock.advance(60)
    poll = world.updates.poll

    async def one(offset: int, limit: int, seconds: float) -> list[dict[str, Any]]:
        await run_timers_once(bot)  # the timers look between any two of them
        return await poll(offset, min(limit, 1), seconds)

    world.updates.poll = one  # type: ignore[method-assign]
    bot = await restart_bot(world)
    world.faults.clear()
    await bot.run_timers()
    await world.wait_until(lambda: "\u2068Bob\u2069" in deal.text or "💭" in deal.text, 60, "the end")
    assert f"\u2068Bob\u2069: {format_expression(SOLUTION)} = 24" in deal.text


@pytest.mark.parametrize("privacy", [False])
async def test_answer_in_outage_at_deadline_wins(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    """An update of this second does not prove that all updates of it have arrived."""
    other = world.group("Other", ann)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    clock.advance(600)
    fault = world.faults.add("getUpdates", status=502)
    world.say(ann, other, "anybody there?")  # Received by the open long poll
    await world.wait_until(lambda: fault.hits, 60, "the next fetch")
    world.say(bob, family, SOLUTION, reply_to=deal)
    clock.advance(30)
    await run_timers_once(bot)
    assert format_expression(SOLUTION) not in deal.text
    world.faults.clear()
    await bot.run_timers()
    assert f"\u2068Bob\u2069: {format_expression(SOLUTION)} = 24" in deal.text


@pytest.mark.long
@pytest.mark.parametrize("crowd", [99, 100, 150])
@pytest.mark.parametrize("privacy", [False])
async def test_answer_behind_many_updates_at_deadline_wins(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, crowd: int
) -> None:
    """The answer arrives in a later batch than others of its second; timers run in between."""
    other = world.group("Other", ann)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    await stop_updates(world, ann)
    clock.advance(600)
    for number in range(crowd):
        world.say(ann, other, f"chat {number}")
    world.say(bob, family, SOLUTION, reply_to=deal)
    clock.advance(60)
    poll = world.updates.poll

    async def slow(offset: int, limit: int, seconds: float) -> list[dict[str, Any]]:
        await run_timers_once(bot)
        return await poll(offset, limit, seconds)

    world.updates.poll = slow  # type: ignore[method-assign]
    world.faults.clear()
    await bot.run_timers()
    assert f"\u2068Bob\u2069: {format_expression(SOLUTION)} = 24" in deal.text


@pytest.mark.long
@pytest.mark.parametrize("privacy", [False])
async def test_hand_ends_though_updates_never_stop(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    """No fetch returns empty; an update sent after the deadline shows that it is over."""
    other = world.group("Other", ann)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    await stop_updates(world, ann)
    clock.advance(598)
    poll, closed = world.updates.poll, []

    async def more(offset: int, limit: int, seconds: float) -> list[dict[str, Any]]:
        world.say(ann, other, "and another thing")
        clock.advance(1)
        await run_timers_once(bot)
        closed.append("💭" in deal.text)
        return await poll(offset, limit, seconds)

    world.updates.poll = more  # type: ignore[method-assign]
    world.faults.clear()
    await world.wait_until(lambda: any(closed), 60, "the end")
    world.updates.poll = poll  # type: ignore[method-assign]
    assert len(closed) < 10
