"""Time limits, and rounds across restarts."""

import itertools

import pytest

from bot.formats import format_expression
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, RestartBot
from tests.stories.test_practice import find_solution
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.long

SOLUTION = "8÷(3−8÷3) = 24"


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_hand_ends_and_shows_a_solution_after_its_time(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    clock.advance(601)
    await bot.run_timers()
    assert format_expression(SOLUTION) not in deal.text  # an answer sent in time may still be under way
    clock.advance(2)
    await bot.run_timers()
    assert format_expression(SOLUTION) in deal.text
    assert len(world.posts(family)) == 1


@pytest.mark.long
async def test_silent_chat_gets_no_requests(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    for _ in range(70):
        clock.advance(10)
        await bot.timers.run_all()
        await bot.service.outbox.wait_until_idle()
    before = len(world.requests)
    for _ in range(48):
        clock.advance(1800)
        await bot.timers.run_all()
        await bot.service.outbox.wait_until_idle()
    assert [r.method for r in world.requests[before:] if r.method != "getUpdates"] == []
    assert len(world.posts(family)) == 1


@pytest.mark.long
@pytest.mark.parametrize("command", ["/play", "/race"])
async def test_end_of_an_undelivered_deal_is_not_posted(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat, command: str
) -> None:
    world.mute(world.bot, family)
    await bot.say(ann, family, f"{command}@{world.bot.username}")
    world.demote(world.bot, family)
    for _ in range(5):
        clock.advance(700)
        await bot.run_timers()
    assert world.posts(family) == []
    await bot.deal(ann, family, 3, 8, 3, 8)


async def test_answer_sent_in_time_wins_if_received_late(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    sent = world.now + 599
    clock.advance(601)
    world.say(ann, family, "8/(3-8/3)", reply_to=deal, date=sent)
    await bot.settle()
    assert "🏆" in deal.text


async def test_chat_sets_its_own_time_limit(bot: LiveBot, clock: Clock, ann: User, family: Chat) -> None:
    await bot.choose(family, "seconds", 45)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert read_time_left(deal) == 45
    clock.advance(48)
    await bot.run_timers()
    assert format_expression(SOLUTION) in deal.text


async def test_deadline_while_the_bot_is_stopped_ends_the_hand(
    world: World, clock: Clock, ann: User, family: Chat, restart_bot: RestartBot
) -> None:
    bot = await restart_bot(world)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    bot = await restart_bot(world)
    await bot.run_timers()
    assert format_expression(SOLUTION) not in deal.text
    clock.advance(7200)
    bot = await restart_bot(world)
    await bot.run_timers()
    assert format_expression(SOLUTION) in deal.text
    assert len(world.posts(family)) == 1


@pytest.mark.long
async def test_votes_and_hints_survive_a_restart(
    world: World, ann: User, bob: User, restart_bot: RestartBot
) -> None:
    cem, dan = world.user("Cem"), world.user("Dan")
    family = world.group("Family", cem, ann, bob, dan)
    bot = await restart_bot(world)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    world.press(bob, deal, 0)
    world.press(bob, deal, -1)
    await bot.settle()
    bot = await restart_bot(world)
    world.press(dan, deal, 0)
    await bot.settle()
    assert deal.text.count("💡") == 2
    assert "1/2" in deal.labels[-1]
    bot = await restart_bot(world)
    world.press(dan, deal, -1)
    await bot.settle()
    assert format_expression(SOLUTION) in deal.text


ANSWERS = ("1*2*3*4", "1+2+3+4", "4*3*2*1", "4*(1+2+3)", "(1+3)*(2+4)")


@pytest.mark.long
@pytest.mark.parametrize("restarts", [*itertools.combinations(range(1, 6), 1), tuple(range(1, 6))])
async def test_round_for_all_ideas_survives_restarts(
    world: World, ann: User, bob: User, family: Chat, restart_bot: RestartBot, restarts: tuple[int, ...]
) -> None:
    bot = await restart_bot(world)
    bot.rig(1, 2, 3, 4)
    world.say(ann, family, "/play@TwentyFourTestBot all")
    deal = await world.next_post(family, "→ 24")
    for number, text in enumerate(ANSWERS, 1):
        if number in restarts:
            bot = await restart_bot(world)
        await bot.say((ann, bob)[number % 2], family, text, reply_to=deal)
    assert "1. \u2068Bob\u2069 — 3" in deal.text
    assert "2. \u2068Ann\u2069 — 1" in deal.text


@pytest.mark.long
@pytest.mark.parametrize("restart", range(4))
async def test_race_survives_a_restart_at_any_hand(
    world: World, ann: User, family: Chat, restart_bot: RestartBot, restart: int
) -> None:
    bot = await restart_bot(world)
    hands = [((1, 1, 2, 8), "1*8*(1+2)"), ((2, 2, 6, 6), "2*6+2*6"), ((3, 8, 3, 8), "8/(3-8/3)")]
    for numbers, _ in hands:
        bot.rig(*numbers)
    world.say(ann, family, "/race@TwentyFourTestBot 3")
    race: Message = await world.next_post(family, "1 1 2 8 → 24")
    for number, (_, solution) in enumerate(hands):
        if number == restart:
            world.say(ann, family, solution, reply_to=race)  # while the bot is stopped, or just before
            bot = await restart_bot(world)
            await bot.settle()
        else:
            await bot.say(ann, family, solution, reply_to=race)
    if restart == 3:
        bot = await restart_bot(world)
        await bot.run_timers()
    assert "1. \u2068Ann\u2069 — 7" in race.text
    assert len(world.posts(family)) == 1


@pytest.mark.long
async def test_race_continues_after_a_long_stop(
    world: World, clock: Clock, ann: User, family: Chat, restart_bot: RestartBot
) -> None:
    bot = await restart_bot(world)
    world.say(ann, family, "/race@TwentyFourTestBot 3")
    race = await world.next_post(family, "→ 24")
    await bot.settle()
    clock.advance(86_400)
    bot = await restart_bot(world)
    await bot.run_timers()
    assert "#1" in race.text
    assert read_time_left(race) == 1
    await bot.say(ann, family, find_solution(race), reply_to=race)
    assert "#2 🏆" in race.text
    assert len(world.posts(family)) == 1
