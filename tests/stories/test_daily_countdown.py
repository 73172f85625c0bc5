"""The daily draw of Countdown, beside the daily hand of 24."""

import re
from itertools import combinations

import pytest

import solver
from bot.formats import format_expression
from tests.stories.clock import NOON, Clock
from tests.stories.conftest import LiveBot, RestartBot
from tests.stories.test_countdown import read_draw
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.long

DAY = 86_400.0
MINE = "@TwentyFourTestBot"


async def send_privately(bot: LiveBot, user: User, text: str) -> Message:
    await bot.say(user, bot.world.chat_of(user), text)
    return bot.world.posts(user)[-1]


async def press_button(bot: LiveBot, user: User, message: Message, label: str | int) -> str:
    answer = await bot.world.answer_to(bot.world.press(user, message, label))
    await bot.settle()
    return answer


def find_best(message: Message) -> str:
    return str(solver.nearest(*read_draw(message)).expression)


def find_improvable(message: Message) -> str:
    """Return an expression that is not the best one of the draw."""
    tiles, target = read_draw(message)
    best = solver.nearest(tiles, target)
    ways = ((f"{one}+{other}", one + other) for one, other in combinations(tiles, 2))
    return next(text for text, value in ways if abs(value - target) > best.distance)


@pytest.mark.parametrize(
    ("language", "title", "nearer"),
    [
        ("en", "The hand of 21 Nov", "It can be done nearer."),
        ("es", "La mano del 21 nov", "Se puede llegar más cerca."),
    ],
)
async def test_only_the_best_answer_ends_the_daily_draw(
    bot: LiveBot, clock: Clock, ann: User, language: str, title: str, nearer: str
) -> None:
    ann.language_code = language
    hand = await send_privately(bot, ann, "/daily numbers")
    assert hand.text.splitlines()[0] == f"🗓 {title} · Countdown"
    clock.advance(90)  # a round would be over
    improvable = await send_privately(bot, ann, find_improvable(hand))
    assert improvable.text.endswith(nearer)
    clock.advance(30)
    over = await send_privately(bot, ann, find_best(hand))
    assert any(
        line.startswith(f"🏆 {format_expression(find_best(hand))} = ") for line in over.text.splitlines()
    )
    copied = over.button(1)["copy_text"]["text"]
    assert re.match(r"Countdown 21 [Nn]ov · \w+ · 🟥🟩 ⏱ 2 min 🔥 1\n", copied)
    assert copied.endswith("?start=daily-countdown")
    assert (await send_privately(bot, ann, "/daily countdown")).text == over.text


async def test_daily_draw_has_no_hints(bot: LiveBot, ann: User) -> None:
    await send_privately(bot, ann, "/daily countdown")
    assert (await send_privately(bot, ann, "/hint")).text == "There are no hints for this one."


@pytest.mark.long
async def test_answers_find_their_hand_while_both_are_open(bot: LiveBot, clock: Clock, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    cards = await send_privately(bot, ann, "/daily")
    tiles = await send_privately(bot, ann, "/daily countdown")
    assert "3 8 3 8 → 24" in cards.text.splitlines()
    clock.advance(5)
    assert "8÷(3−8÷3) = 24" in (await send_privately(bot, ann, "8/(3-8/3)")).text
    assert format_expression(find_best(tiles)) in (await send_privately(bot, ann, find_best(tiles))).text


async def test_solved_daily_hand_offers_the_daily_draw(bot: LiveBot, clock: Clock, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    await send_privately(bot, ann, "/daily")
    clock.advance(5)
    over = await send_privately(bot, ann, "8/(3-8/3)")
    await press_button(bot, ann, over, "🔢 Countdown of the day")
    tiles = bot.world.posts(ann)[-1]
    assert tiles.text.splitlines()[0].endswith(" · Countdown")
    assert "Countdown of the day" not in " ".join((await send_privately(bot, ann, find_best(tiles))).labels)


async def test_each_game_has_its_own_streak_of_days(bot: LiveBot, clock: Clock, ann: User) -> None:
    for day in range(2):
        clock.now = NOON + day * DAY
        tiles = await send_privately(bot, ann, "/daily countdown")
        assert f"Your streak: {day + 1} day" in (await send_privately(bot, ann, find_best(tiles))).text
    bot.rig(1, 2, 3, 4)
    await send_privately(bot, ann, "/daily")
    clock.advance(5)
    assert "Your streak: 1 day" in (await send_privately(bot, ann, "1*2*3*4")).text.splitlines()


@pytest.mark.parametrize("both", [True, False])
async def test_statistics_count_daily_draws(bot: LiveBot, clock: Clock, ann: User, *, both: bool) -> None:
    tiles = await send_privately(bot, ann, "/daily countdown")
    await send_privately(bot, ann, find_best(tiles))
    if both:
        bot.rig(3, 8, 3, 8)
        await send_privately(bot, ann, "/daily")
        clock.advance(5)
        await send_privately(bot, ann, "8/(3-8/3)")
    shown = await send_privately(bot, ann, "/stats")
    assert "won 0 of 0" not in shown.text
    await press_button(bot, ann, shown, "Countdown")
    assert "Daily hands: 1, in a row 1, at best 1" in shown.text.splitlines()
    await press_button(bot, ann, shown, "24")
    assert ("Daily hands: 1, in a row 1, at best 1" in shown.text.splitlines()) is both


async def test_group_table_follows_the_draw_and_solution_is_refused(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/daily{MINE} numbers")
    table = world.posts(family)[-1]
    assert table.text.splitlines()[0].endswith(" · Countdown")
    world.open_link(ann, table, 0)
    await bot.settle()
    tiles = world.posts(ann)[-1]
    assert "1 player is still at it." in table.text
    numbers, target = read_draw(tiles)
    asked = f"/solve {' '.join(map(str, numbers))} = {target}"
    assert find_best(tiles) not in (await send_privately(bot, bob, asked)).text
    clock.advance(42)
    await send_privately(bot, ann, find_best(tiles))
    assert table.text.splitlines()[1] == "1. \u2068Ann\u2069 · 🟩 ⏱ 42 s 🔥 1"
    assert len(world.posts(family)) == 1


async def test_given_up_draw_shows_the_best_answer(bot: LiveBot, ann: User) -> None:
    tiles = await send_privately(bot, ann, "/daily numbers")
    await press_button(bot, ann, tiles, "Give up")
    await press_button(bot, ann, tiles, "Yes, show me")
    best = solver.nearest(*read_draw(tiles))
    assert f"{format_expression(best.expression)} = {best.value}" in tiles.text.splitlines()


async def test_unknown_game_of_the_day_is_refused_in_a_line(bot: LiveBot, ann: User) -> None:
    answer = await send_privately(bot, ann, "/daily chess")
    assert answer.text == (
        "“chess”? /daily has the hand of the day, and these games have one too: /daily countdown."
    )


async def test_forged_press_changes_nothing(bot: LiveBot, world: World, clock: Clock, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    await send_privately(bot, ann, "/daily")
    clock.advance(5)
    over = await send_privately(bot, ann, "8/(3-8/3)")
    posts = len(world.posts(ann))
    for data in ("do:", "do:chess", "do:24", "do:countdown:x"):
        assert await world.answer_to(world.press(ann, over, data=data))
        await bot.settle()
    assert len(world.posts(ann)) == posts


async def test_open_daily_draw_survives_restart(
    restart_bot: RestartBot, world: World, clock: Clock, ann: User
) -> None:
    bot = await restart_bot(world)
    tiles = await send_privately(bot, ann, "/daily numbers")
    bot = await restart_bot(world)
    clock.advance(60)
    over = await send_privately(bot, ann, find_best(tiles))
    _, line, answer, *_ = over.text.splitlines()
    assert line == next(x for x in tiles.text.splitlines() if " → " in x)
    assert answer.startswith("🏆 ")
