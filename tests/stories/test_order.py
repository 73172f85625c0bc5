"""Order of handling: messages of one person take effect in the order in which they were sent."""

from bot.formats import format_expression
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User, World

SOLUTION = "8/(3-8/3)"


async def test_answer_is_handled_before_later_questions(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    world.say(bob, family, SOLUTION, reply_to=deal)
    world.say(bob, family, "/solve@TwentyFourTestBot 3 8 3 8")
    world.say(bob, family, "/stats@TwentyFourTestBot")
    world.say(ann, family, "/leaderboard@TwentyFourTestBot")
    await bot.settle()
    assert f"🏆 \u2068Bob\u2069: {format_expression(SOLUTION)} = 24" in deal.text.splitlines()
    solved, board, figures = sorted(post.text.splitlines() for post in world.posts(family)[1:])
    assert solved == ["3 8 3 8 → 24", f"{format_expression(SOLUTION)} = 24", "1 way"]
    assert board[2] == "1. \u2068Bob\u2069 — 6"
    assert figures[:2] == ["\u2068Bob\u2069 · Twenty-Four", "Here: 6 points, #1"]


async def test_waiting_repeats_of_a_question_get_one_reply(bot: LiveBot, world: World) -> None:
    # And they do not delay a deal.
    people = [world.user(f"P{n}") for n in range(12)]
    family = world.group("Family", *people)
    hang = world.faults.add("sendMessage", retry_after=20)  # each try counts as a post of this minute
    for person in people:
        world.say(person, family, "/help@TwentyFourTestBot")
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()
    bot.rig(3, 8, 3, 8)
    world.say(people[0], family, "/play@TwentyFourTestBot")
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()
    world.faults.remove(hang)
    await bot.settle()
    texts = [post.text for post in world.posts(family)]
    assert "3 8 3 8 → 24" in texts[0].splitlines()
    assert sum("/race" in text for text in texts) == 1
