"""Storms and streaks: hands one after the other in one private message, without points."""

from pathlib import Path

import pytest

import solver
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.stories.tapping import Page, open_page
from tests.stories.test_practice import find_solution, press_button
from tests.telegram import Chat, Message, User, World


def read_heading(message: Message) -> str:
    return message.text.splitlines()[0]


async def begin(bot: LiveBot, user: User, command: str = "/storm") -> Message:
    """Send the command in private, and return the message of the run."""
    await bot.say(user, bot.world.chat_of(user), command)
    return bot.world.posts(user)[-1]


async def solve(bot: LiveBot, user: User, run: Message, count: int = 1) -> None:
    for _ in range(count):
        await bot.say(user, bot.world.chat_of(user), find_solution(run))


async def let_time_pass(bot: LiveBot, clock: Clock, seconds: float) -> None:
    clock.advance(seconds)
    await bot.run_timers()


async def test_storm_is_one_message_in_which_each_answer_brings_the_next_hand(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    run = await begin(bot, ann)
    assert read_heading(run) == "⚡ Storm · 0 solved"
    assert "⏳ 3 min left" in run.text
    hands = set[str]()
    for solved in range(1, 5):
        hands.add(run.text)
        clock.advance(1)
        answer = await bot.say(ann, world.chat_of(ann), find_solution(run))
        assert answer.deleted
        assert read_heading(run) == f"⚡ Storm · {solved} solved"
    assert len(hands) == 4
    assert "4 in a row" in run.text
    await let_time_pass(bot, clock, 200)
    assert run.text.splitlines()[:2] == ["⚡ Storm · 4 solved", "Your best: 4 today, 4 this week, 4 ever"]
    assert world.posts(ann) == [run]  # one message in all


async def test_storm_is_played_with_four_cards_to_24_whatever_the_chat_chose(
    bot: LiveBot, world: World, ann: User
) -> None:
    await bot.say(ann, world.chat_of(ann), "/help")
    await bot.choose(world.chat_of(ann), "target", 36)
    run = await begin(bot, ann)
    assert " → 24" in run.text


async def test_five_in_a_row_bring_three_seconds(bot: LiveBot, clock: Clock, ann: User) -> None:
    run = await begin(bot, ann)
    await solve(bot, ann, run, 5)
    assert " · 5 in a row · +3 s" in run.text
    await let_time_pass(bot, clock, 181)
    assert "left" in run.text  # 2 seconds
    await let_time_pass(bot, clock, 5)
    assert "left" not in run.text


async def test_wrong_answer_and_skipped_hand_take_ten_seconds(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    run = await begin(bot, ann)
    clock.advance(100)
    numbers = run.text.splitlines()[3].split(" → ")[0].split()
    wrong = await bot.say(ann, world.chat_of(ann), "+".join(numbers))
    assert wrong.deleted
    assert " · −10 s" in run.text
    assert "⏳ 1 min 10 s left" in run.text
    typo = await bot.say(ann, world.chat_of(ann), "+".join(numbers) + "*/2")
    assert typo.deleted
    assert "⏳ 1 min 10 s left" in run.text
    before = run.text
    await press_button(bot, ann, run, "Skip: −10 s")
    assert "⏳ 1 min left" in run.text
    assert run.text != before
    assert world.posts(ann) == [run]
    await let_time_pass(bot, clock, 49)
    for _ in range(3):
        await bot.say(ann, world.chat_of(ann), "1+1")  # other numbers cost nothing
    assert "left" in run.text
    await bot.say(ann, world.chat_of(ann), "hello there")
    assert "🤔 Storm: still on. /stop ends it." in run.text
    assert world.posts(ann) == [run]
    clock.advance(6)
    await press_button(bot, ann, run, "Skip: −10 s")
    assert read_heading(run) == "⚡ Storm · 0 solved"
    assert "Your best: 0 today" in run.text


async def test_streak_has_no_clock_and_ends_at_the_first_wrong_answer(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    run = await begin(bot, ann, "/streak")
    assert "left" not in run.text
    await solve(bot, ann, run, 3)
    await let_time_pass(bot, clock, 3600)
    await solve(bot, ann, run)
    assert read_heading(run) == "🔥 Streak · 4 solved"
    numbers = run.text.splitlines()[2].split(" → ")[0].split()
    await bot.say(ann, world.chat_of(ann), "+".join(numbers))
    assert "Your best: 4 today, 4 this week, 4 ever" in run.text
    assert ", not 24." in run.text
    await press_button(bot, ann, run, "Again")
    assert read_heading(world.posts(ann)[-1]) == "🔥 Streak · 0 solved"


async def test_bests_of_the_day_the_week_and_ever(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    for count, pause in ((3, 8 * 24 * 3600), (2, 26 * 3600), (1, 0)):
        run = await begin(bot, ann, "/streak")
        await solve(bot, ann, run, count)
        await press_button(bot, ann, run, "Give up")
        clock.advance(pause)
    assert run.text.splitlines()[1].startswith("Your best: 1 today, ")
    assert run.text.splitlines()[1].endswith(", 3 ever")


async def test_group_is_shown_the_weeks_table_and_ways_to_play(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(bob, family, 6, 6, 6, 6)
    await bot.say(bob, family, "6+6+6+6", reply_to=deal)
    run = await begin(bot, bob)  # listed since he has played there
    await solve(bot, bob, run, 2)
    await bot.say(bob, world.chat_of(bob), "/stop")
    await bot.say(ann, family, "/storm")
    table = world.posts(family)[-1]
    world.start(ann, str(table.button(0)["url"]).partition("start=")[2])
    await bot.settle()
    run = world.posts(ann)[-1]
    await bot.say(ann, world.chat_of(ann), "/stop")
    await press_button(bot, ann, run, "Again")
    run = world.posts(ann)[-1]
    await solve(bot, ann, run, 3)
    await bot.say(ann, world.chat_of(ann), "/stop")
    await bot.say(bob, family, "/storm")
    lines = world.posts(family)[-1].text.replace("\u2068", "").replace("\u2069", "").splitlines()
    assert lines[-2:] == ["1. Ann — 3", "2. Bob — 2"]


async def test_storm_survives_a_restart(world: World, clock: Clock, database: Path, ann: User) -> None:
    async with run_bot(world, database) as bot:
        run = await begin(bot, ann)
        clock.advance(60)
        await solve(bot, ann, run, 3)
    clock.advance(30)
    async with run_bot(world, database) as bot:
        await solve(bot, ann, run)
        assert run.text.splitlines()[:2] == ["⚡ Storm · 4 solved", "⏳ 1 min 30 s left"]
        assert world.posts(ann) == [run]


@pytest.mark.parametrize("command", ["/storm", "/streak"])
async def test_run_gives_no_points_and_no_hints(bot: LiveBot, world: World, ann: User, command: str) -> None:
    run = await begin(bot, ann, command)
    await bot.say(ann, world.chat_of(ann), "/hint")
    assert "without hints" in world.posts(ann)[-1].text
    await solve(bot, ann, run)
    await bot.say(ann, world.chat_of(ann), "/stop")
    await bot.say(ann, world.chat_of(ann), "/leaderboard")
    assert "Ann" not in world.posts(ann)[-1].text


def make_page(bot: LiveBot, user: User) -> Page:
    return open_page(bot, user, bot.world.chat_of(user))


async def test_page_may_answer_ahead_of_the_bot(bot: LiveBot, world: World, ann: User) -> None:
    await bot.say(ann, world.chat_of(ann), "/help")
    page = make_page(bot, ann)
    state = await page.read_state()
    presses = [button["press"] for row in state["buttons"] for button in row]
    assert {"ru:storm", "ru:streak"} <= set(presses)
    await page.press("Storm")
    state = await page.read_state()
    (first, ahead) = state["round"]["id"], state["round"]["run"]["ahead"]
    assert state["round"]["race_hand"] == "⚡ Storm · 0 solved"
    assert len(ahead) == 5
    assert all("solution" not in str(tiles) for tiles in ahead)
    for tiles in [state["round"], *ahead[:3]]:
        answer = solve_tiles(tiles)
        await page.answer(answer, round_id=first)
    assert [reply.is_right for reply in await page.read_replies()] == [True] * 4
    state = await page.read_state()
    assert state["round"]["run"]["number"] == 5
    assert state["round"]["numbers"] == ahead[3]["numbers"]
    assert len(world.posts(ann)) == 2  # the help and the run
    before = state["round"]["deadline"]
    await page.answer("+".join(state["round"]["numbers"]), round_id=first)
    assert (await page.read_state())["round"]["deadline"] == before - 10


async def test_page_offers_what_comes_after_a_run(bot: LiveBot, world: World, ann: User) -> None:
    await bot.say(ann, world.chat_of(ann), "/storm")
    page = make_page(bot, ann)
    state = await page.read_state()
    assert [[button["label"] for button in row] for row in state["buttons"]] == [["Skip: −10 s"]]
    await page.answer("+".join(state["round"]["numbers"]), round_id=state["round"]["id"])
    await bot.say(ann, world.chat_of(ann), "/stop")
    state = await page.read_state()
    labels = [[button["label"] for button in row] for row in state["buttons"]]
    assert labels[:3] == [["Again", "Review"], ["Deal a hand"], ["🔥 Streak"]]
    await page.press("Review")
    assert (await page.read_replies())[-1].text == "The review is in the chat with the bot."
    assert "1/1" in world.posts(ann)[-1].text
    await page.press("Streak")
    assert (await page.read_state())["round"]["race_hand"] == "🔥 Streak · 0 solved"


def solve_tiles(tiles: dict[str, list[str]]) -> str:
    return str(next(iter(solver.ideas([int(number) for number in tiles["numbers"]], 24))))
