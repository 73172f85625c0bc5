"""An answer counts by when it was sent, whatever kept it from being heard."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.games.twentyfour.dealing import draw_hand
from bot.workers.pool import TooSlowError
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, RestartBot
from tests.telegram import Chat, User, World

SOLUTION = "8/(3-8/3)"


async def stop_updates(world: World, somebody: User) -> None:
    """From now on no fetch comes back."""
    fault = world.faults.add("getUpdates", status=502)
    world.say(somebody, somebody, "hm")  # ends the poll that is held open
    await world.wait_until(lambda: fault.hits, 60, "the next fetch")


async def looked(bot: LiveBot) -> None:
    """The timers have looked, and what they did is shown."""
    await bot.run_timers()


async def glanced(bot: LiveBot) -> None:
    """The timers have looked once, as the bot's own do, waiting for nothing."""
    await bot.timers.run_due()
    await bot.service.outbox.wait_until_idle()


def delay_deals(bot: LiveBot, free: asyncio.Event) -> None:
    """From now on a deal waits until `free` is set, and then comes to nothing; its chat waits for it."""

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
async def test_sent_in_time_while_the_bot_was_away(
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
    await glanced(bot)
    assert "🏆" not in deal.text
    assert f"{SOLUTION} = 24" not in deal.text  # nothing is shown while an answer may be on its way
    world.faults.clear()
    await bot.run_timers()
    assert f"\u2068Bob\u2069: {SOLUTION} = 24" in deal.text


async def test_sent_too_late_while_the_bot_was_away(
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
    assert f"💭 {SOLUTION} = 24" in deal.text
    assert "🏆" not in deal.text


async def test_a_race_moves_on_only_when_all_is_heard(
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
    await glanced(bot)
    assert "#1" not in race.text
    world.faults.clear()
    await bot.run_timers()
    assert "#1 🏆 \u2068Bob\u2069" in race.text
    assert read_time_left(race) == 60  # the next hand has its whole time


async def test_stuck_behind_something_slow(
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
    await glanced(bot)
    await bot.service.inbox.watermark.wait_until_received()
    await glanced(bot)
    assert f"{SOLUTION} = 24" not in deal.text
    free.set()
    await bot.run_timers()
    assert f"\u2068Bob\u2069: {SOLUTION} = 24" in deal.text


async def test_talk_that_never_ends_keeps_no_hand_open(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    """Only what was sent before the deadline is waited for."""
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
    await glanced(bot)
    await bot.service.inbox.watermark.wait_until_received()
    await glanced(bot)
    assert f"💭 {SOLUTION} = 24" in deal.text
    stuck.set()
    await bot.settle()


async def test_a_deal_on_its_way_keeps_its_time(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    """The network was away when the hand was dealt: its clock starts when people see it."""
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


@pytest.mark.parametrize(("language", "said"), [("en", "Time’s up"), ("es", "¡Tiempo!")])
async def test_what_is_asked_while_answers_may_still_come(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat, said: str
) -> None:
    """Neither a hint nor a skip, which would show the solution to who answers late."""
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    clock.advance(601)
    world.say(ann, family, "/skip@TwentyFourTestBot")
    world.say(ann, family, "/hint@TwentyFourTestBot")
    for button in (0, -1):
        press = world.press(ann, deal, button)
        await bot.settle()
        assert said in str(press.answer)
    world.say(ann, family, "/play@TwentyFourTestBot")
    await bot.settle()
    assert [m.text for m in world.posts(family)[1:] if said not in m.text] == []
    assert "💡" not in deal.text
    assert SOLUTION not in deal.text
    await bot.run_timers()
    clock.advance(2)
    await bot.run_timers()
    assert SOLUTION in deal.text


async def test_a_queue_that_comes_in_parts_is_heard_to_its_end(
    world: World, clock: Clock, ann: User, bob: User, family: Chat, restart_bot: RestartBot
) -> None:
    """Telegram may hand over less than it holds, one update at a time."""
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
        await glanced(bot)  # the timers look between any two of them
        return await poll(offset, min(limit, 1), seconds)

    world.updates.poll = one  # type: ignore[method-assign]
    bot = await restart_bot(world)
    world.faults.clear()
    await bot.run_timers()
    await world.wait_until(lambda: "\u2068Bob\u2069" in deal.text or "💭" in deal.text, 60, "the end")
    assert f"\u2068Bob\u2069: {SOLUTION} = 24" in deal.text


@pytest.mark.parametrize("privacy", [False])
async def test_an_outage_in_the_second_of_the_deadline(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    """That others were heard in this second tells nothing of what else was sent in it."""
    other = world.group("Other", ann)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    clock.advance(600)
    fault = world.faults.add("getUpdates", status=502)
    world.say(ann, other, "anybody there?")  # the poll that is held open brings this
    await world.wait_until(lambda: fault.hits, 60, "the next fetch")
    world.say(bob, family, SOLUTION, reply_to=deal)
    clock.advance(30)
    await glanced(bot)
    assert SOLUTION not in deal.text
    world.faults.clear()
    await bot.run_timers()
    assert f"\u2068Bob\u2069: {SOLUTION} = 24" in deal.text


@pytest.mark.long
@pytest.mark.parametrize("crowd", [99, 100, 150])
@pytest.mark.parametrize("privacy", [False])
async def test_many_speak_in_the_second_of_the_deadline(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, crowd: int
) -> None:
    """The answer comes only with a later batch than others of its second, and the timers look in between."""
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
        await glanced(bot)
        return await poll(offset, limit, seconds)

    world.updates.poll = slow  # type: ignore[method-assign]
    world.faults.clear()
    await bot.run_timers()
    assert f"\u2068Bob\u2069: {SOLUTION} = 24" in deal.text


@pytest.mark.long
@pytest.mark.parametrize("privacy", [False])
async def test_a_chat_that_never_falls_silent_keeps_no_hand_open(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    """No fetch comes back empty; an update that was sent later shows that the deadline is over."""
    other = world.group("Other", ann)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    await stop_updates(world, ann)
    clock.advance(598)
    poll, closed = world.updates.poll, []

    async def more(offset: int, limit: int, seconds: float) -> list[dict[str, Any]]:
        world.say(ann, other, "and another thing")
        clock.advance(1)
        await glanced(bot)
        closed.append("💭" in deal.text)
        return await poll(offset, limit, seconds)

    world.updates.poll = more  # type: ignore[method-assign]
    world.faults.clear()
    await world.wait_until(lambda: any(closed), 60, "the end")
    world.updates.poll = poll  # type: ignore[method-assign]
    assert len(closed) < 10
