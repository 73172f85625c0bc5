"""Secrecy of open hands: players are shown no solution, others score nothing with it.

Bob plays where the hand is open; Ann and others have never been seen there.
"""

import re
from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import select

import solver
from bot.database.schema import reveals
from bot.formats import format_expression
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, User, World

pytestmark = pytest.mark.long

HAND, SOLUTION = (3, 8, 3, 8), "8/(3-8/3)"
DAY = 86_400.0
NO_POINTS = "Right, but you asked me about these numbers after the deal: no points."
VOID = "Found by a spectator, or with my help elsewhere: no points."


async def read_points(bot: LiveBot, user: User, chat: Chat) -> int:
    """Send /leaderboard and return the user's points in it; 0 if absent."""
    await bot.say(user, chat, f"/leaderboard@{bot.world.bot.username}")
    lines = bot.world.posts(chat)[-1].text.splitlines()
    found = [re.fullmatch(rf"\d+\. \u2068{user.first_name}\u2069 — (\d+)", line) for line in lines]
    return next((int(line[1]) for line in found if line), 0)


# Ways to ask for a solution: each returns the reply to the asker

AskFunction = Callable[[LiveBot, User, Chat, Chat, str], Awaitable[str]]


async def ask_in_group(bot: LiveBot, user: User, here: Chat, there: Chat, command: str) -> str:
    return await send_command(bot, user, here, command)


async def ask_in_another_group(bot: LiveBot, user: User, here: Chat, there: Chat, command: str) -> str:
    return await send_command(bot, user, there, command)


async def ask_in_private(bot: LiveBot, user: User, here: Chat, there: Chat, command: str) -> str:
    return await send_command(bot, user, bot.world.chat_of(user), command)


async def send_command(bot: LiveBot, user: User, chat: Chat, command: str) -> str:
    """Send a command to the chat and return the reply."""
    before = len(bot.world.posts(chat))
    name, _, rest = command.partition(" ")
    await bot.say(user, chat, f"{name}@{bot.world.bot.username} {rest}")
    return "\n".join(post.text for post in bot.world.posts(chat)[before:])


async def ask_inline(bot: LiveBot, user: User, here: Chat, there: Chat, command: str) -> str:
    query = bot.world.inline(user, command.partition(" ")[2])
    await bot.world.wait_until(lambda: query.answer is not None, what="an answer")
    await bot.settle()
    return str(query.answer)


async def ask_by_link(bot: LiveBot, user: User, here: Chat, there: Chat, command: str) -> str:
    """Deal the hand in private by a link and give it up."""
    numbers, _, target = command.partition(" ")[2].partition(" = ")
    private = bot.world.chat_of(user)
    before = len(bot.world.posts(private))
    bot.world.start(user, f"hand_{'-'.join([*numbers.split(), target or '24'])}")
    await bot.settle()
    await bot.say(user, private, "/skip")
    return "\n".join(post.text for post in bot.world.posts(private)[before:])


SOLVE = {
    "in another order": "/solve 8 3 8 3",
    "with more numbers": "/solve 1 3 8 3 8",
    "with another target": "/solve 8 8 3 3 = 22",
    "with both": "/solve 8 3 2 8 3 = 20",
}
WHY = {
    "in another order": f"/why {SOLUTION}",
    "with more numbers": f"/why 1*{SOLUTION}",
    "with another target": "/why 8-3+8-3",
}
PLACES: dict[str, AskFunction] = {
    "in private": ask_in_private,
    "in another group": ask_in_another_group,
    "in the group": ask_in_group,
}
WAYS: list[tuple[str, str, AskFunction, str]] = [
    *((place, kind, ask, command) for place, ask in PLACES.items() for kind, command in SOLVE.items()),
    *(
        (place, f"{kind}, why", ask, command)
        for place, ask in PLACES.items()
        for kind, command in WHY.items()
    ),
    *(("inline", kind, ask_inline, command) for kind, command in SOLVE.items()),
    *(("by a link", kind, ask_by_link, command) for kind, command in SOLVE.items()),
]
EVERY_WAY = pytest.mark.parametrize(
    ("ask", "command"),
    [way[2:] for way in WAYS],
    ids=[f"{place}, {kind}" for place, kind, *_ in WAYS],
)


@pytest.fixture
def other(world: World, ann: User, bob: User) -> Chat:
    """Another group, in which nobody has played."""
    return world.group("Other", ann, bob)


@pytest.mark.parametrize(("commands", "counts"), [(["/hint"], False), ([], True)])
async def test_hint_by_a_link_earns_nothing_in_the_group(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, commands: list[str], counts: bool
) -> None:
    deal = await bot.deal(bob, family, *HAND)
    world.start(ann, "hand_3-8-3-8-24")
    await bot.settle()
    for command in commands:
        await bot.say(ann, world.chat_of(ann), command)
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert (await read_points(bot, ann, family) > 0) is counts


async def test_hand_begun_by_a_link_before_the_deal_is_not_given_up(
    bot: LiveBot, world: World, bob: User, family: Chat
) -> None:
    await bot.deal(bob, family, 1, 2, 3, 4)
    await bot.say(bob, family, "/skip")
    world.start(bob, "hand_3-8-3-8-24")
    await bot.settle()
    deal = await bot.deal(bob, family, *HAND)
    await bot.say(bob, world.chat_of(bob), "/skip")
    assert "no peeking" in world.posts(world.chat_of(bob))[-1].text
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert await read_points(bot, bob, family) > 0


@EVERY_WAY
async def test_player_of_an_open_hand_is_shown_no_solution(
    bot: LiveBot, ann: User, bob: User, family: Chat, other: Chat, ask: AskFunction, command: str
) -> None:
    deal = await bot.deal(bob, family, *HAND)
    assert "no peeking" in await ask(bot, bob, family, other, command)
    answer = await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert read_reactions(answer) == "🏆"
    assert "no peeking" not in await ask(bot, bob, family, other, command)


@EVERY_WAY
async def test_stranger_scores_nothing_with_a_shown_solution(
    bot: LiveBot, ann: User, bob: User, family: Chat, other: Chat, ask: AskFunction, command: str
) -> None:
    deal = await bot.deal(bob, family, *HAND)
    reply = await ask(bot, ann, family, other, command)
    if ask is ask_in_group:
        assert "no peeking" in reply, "nobody is shown it in that group"
        await bot.say(ann, family, SOLUTION, reply_to=deal)
        assert "🏆" in deal.text
        return
    assert "no peeking" not in reply
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert f"👏 \u2068Ann\u2069: {NO_POINTS.rstrip('.')}" in deal.text.splitlines()
    assert VOID in deal.text
    assert await read_points(bot, ann, family) == 0


@pytest.mark.parametrize("language", ["es", "ru", "zh-hans", "zh-hant"])
async def test_shown_solution_is_refused_in_each_language(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, language: str
) -> None:
    deal = await bot.deal(bob, family, *HAND)
    await bot.say(ann, world.chat_of(ann), "/solve 3 8 3 8")
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert VOID not in deal.text
    assert "🏆" not in deal.text
    assert "👏 \u2068Ann\u2069: " in deal.text
    assert NO_POINTS.rstrip(".") not in deal.text
    assert world.posts(family) == [deal]


async def test_other_questions_and_earlier_ones_cost_no_points(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, world.chat_of(ann), "/solve 3 8 3 8")
    clock.advance(5)
    deal = await bot.deal(bob, family, *HAND)
    for question in ("/solve 3 8 8", "/solve 3 3 8 7 = 24", "/why 8/3", "/solve 16 6 16 3"):
        assert "no peeking" not in await send_command(bot, bob, world.chat_of(bob), question)
        await bot.say(ann, world.chat_of(ann), question)
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text
    assert await read_points(bot, ann, family) > 0


async def test_question_without_solution_costs_no_points(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(bob, family, *HAND)
    assert "no way" in await send_command(bot, ann, world.chat_of(ann), "/solve 3 8 3 8 = 999983")
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


async def test_only_the_asker_counts_as_shown(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, other: Chat
) -> None:
    await bot.deal(ann, other, 1, 1, 11, 11)
    deal = await bot.deal(bob, family, *HAND)
    cid = world.user("Cid")
    world.join(cid, other)
    assert format_expression(SOLUTION) in await send_command(bot, cid, other, "/solve 3 8 3 8")
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


async def test_deleted_player_scores_nothing_with_a_shown_solution(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(bob, family, *HAND)
    await bot.say(ann, world.chat_of(ann), "/solve 3 8 3 8")
    await bot.say(ann, world.chat_of(ann), "/forgetme")
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert VOID in deal.text
    kept = await bot.services.store.read(lambda tx: list(tx.scalars(select(reveals.c.reader))))
    assert len(kept) == 1
    assert ann.id not in kept


@pytest.mark.parametrize("ending", ["given up", "over"])
async def test_end_of_a_private_hand_shows_its_solution(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, ending: str
) -> None:
    await bot.choose(family, "seconds", 3600)
    world.start(ann, "hand_3-8-3-8-24")
    await bot.settle()
    deal = await bot.deal(bob, family, *HAND)
    if ending == "over":
        clock.advance(700)
        await bot.run_timers()
    else:
        await bot.say(ann, world.chat_of(ann), "/skip")
    assert format_expression(SOLUTION) in world.posts(ann)[-1].text
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert VOID in deal.text


async def test_player_of_an_open_hand_gets_no_hint_elsewhere(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    world.start(ann, "hand_3-8-3-8-24")
    await bot.settle()
    deal = await bot.deal(bob, family, *HAND)
    await bot.say(ann, family, "8+8+3+3", reply_to=deal)
    assert "no peeking" in await send_command(bot, ann, world.chat_of(ann), "/hint")
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


async def test_ideas_found_before_a_shown_solution_keep_their_points(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot.rig(1, 2, 3, 4)
    world.say(bob, family, f"/play@{world.bot.username} all")
    deal = await world.next_post(family, "1 2 3 4 → 24")
    await bot.say(ann, world.chat_of(ann), "/solve 1 2 3 4")
    await bot.say(bob, family, "1*2*3*4", reply_to=deal)
    await bot.say(ann, family, "4*(1+2+3)", reply_to=deal)
    assert deal.labels == ["Next hand"]
    assert await read_points(bot, bob, family) == 2
    assert await read_points(bot, ann, family) == 0


async def test_race_continues_after_a_shown_solution(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    for hand in (HAND, (1, 1, 2, 8)):
        bot.rig(*hand)
    world.say(bob, family, f"/race@{world.bot.username} 2")
    race = await world.next_post(family, "3 8 3 8 → 24")
    await bot.settle()
    await bot.say(ann, world.chat_of(ann), "/solve 3 8 3 8")
    await bot.say(ann, family, SOLUTION, reply_to=race)
    assert "1 1 2 8 → 24" in race.text.splitlines()
    await bot.say(bob, family, "1*8*(1+2)", reply_to=race)
    assert "1. \u2068Bob\u2069 — " in race.text
    assert "Ann" not in race.text


async def test_shown_draw_entry_does_not_count(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(bob, family, f"/countdown@{world.bot.username}")
    deal = world.posts(family)[-1]
    line = next(line for line in deal.text.splitlines() if "→" in line)
    tiles, target = line.split(" → ")
    exact = str(solver.nearest(list(map(int, tiles.split())), int(target)).expression)
    assert "no peeking" in await send_command(bot, bob, family, f"/why {tiles} = {target}")
    assert "no peeking" not in await send_command(bot, ann, world.chat_of(ann), f"/why {tiles} = {target}")
    await bot.say(ann, family, exact, reply_to=deal)
    await bot.say(bob, family, exact, reply_to=deal)
    clock.advance(100)
    await bot.run_timers()
    assert "🏆 \u2068Bob\u2069" in deal.text
    assert "Ann" not in deal.text


async def test_daily_hand_is_shown_to_those_who_finished_it_only(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    bot.rig(*HAND)
    await bot.say(ann, world.chat_of(ann), "/daily")
    for user, chat in ((ann, world.chat_of(ann)), (bob, world.chat_of(bob)), (bob, family)):
        assert "no peeking" in await send_command(bot, user, chat, "/solve 8 8 3 3 1 = 25")
    await bot.say(ann, world.chat_of(ann), SOLUTION)
    assert format_expression(SOLUTION) in await send_command(bot, ann, world.chat_of(ann), "/solve 8 8 3 3")
    clock.advance(DAY)
    assert format_expression(SOLUTION) in await send_command(bot, bob, world.chat_of(bob), "/solve 8 8 3 3")


async def test_daily_hand_open_in_a_group_has_no_hint(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.deal(ann, family, *HAND)
    bot.rig(*HAND)
    await bot.say(ann, world.chat_of(ann), "/daily")
    mine = world.posts(ann)[-1]
    for button in ("Hint", "Give up"):
        assert "no peeking" in await world.answer_to(world.press(ann, mine, button))
    await bot.settle()
    assert "💡" not in mine.text
