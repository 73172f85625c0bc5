"""The lesson: a first hand for new players, without a clock or points."""

import json

import pytest
from sqlalchemy import select

from bot.database import Tx
from bot.database.schema import awards, rounds, tries
from bot.formats import format_expression
from bot.games.twentyfour.rules import TUTORIAL_HANDS
from bot.i18n import Words, get_words
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.telegram import Chat, Message, User, World

LANGUAGES = pytest.mark.parametrize(
    ("language", "words"), [("en", get_words("en")), ("zh-hant", get_words("zh_Hant"))]
)


async def start_chat(bot: LiveBot, ann: User) -> Message:
    """Send /start; return the bot's last post."""
    await bot.say(ann, bot.world.chat_of(ann), "/start")
    return bot.world.posts(ann)[-1]


async def take_lesson(bot: LiveBot, ann: User, words: Words) -> Message:
    """Start the lesson; return its message."""
    await press(bot, ann, await start_chat(bot, ann), words.translate_plain("Try it"))
    return bot.world.posts(ann)[-1]


async def press(bot: LiveBot, ann: User, message: Message, button: str) -> str:
    reply = await bot.world.answer_to(bot.world.press(ann, message, button))
    await bot.settle()
    return reply


def has_offer(message: Message, words: Words) -> bool:
    return any(words.translate_plain("Try it") in label for label in message.labels)


def solve_lesson(message: Message) -> str:
    """Return an answer to the hand of the lesson."""
    (line,) = [line for line in message.text.splitlines() if "→ 24" in line]
    numbers = line.removesuffix(" → 24").split()
    return "*".join(numbers) if "1" in numbers else "+".join(numbers)


async def count_rows(bot: LiveBot) -> tuple[list[str], int, int]:
    """Return the kinds of all rounds and the numbers of awards and wrong answers."""

    def read(tx: Tx) -> tuple[list[str], int, int]:
        kinds = list(tx.scalars(select(rounds.c.kind)))
        return kinds, len(tx.execute(select(awards)).all()), len(tx.execute(select(tries)).all())

    return await bot.services.store.read(read)


@pytest.mark.long
@LANGUAGES
async def test_won_lesson_earns_no_points(bot: LiveBot, world: World, ann: User, words: Words) -> None:
    offered = await start_chat(bot, ann)
    assert offered.text.splitlines()[-1] == words.translate_plain("First time here? Try an easy hand.")
    assert len(offered.text.splitlines()) == len(offered.labels) == 4
    await press(bot, ann, offered, words.translate_plain("Try it"))
    first, lesson = world.posts(ann)
    assert first is offered
    assert lesson.text.startswith(f"🎓 {words.translate_plain('Your first hand: no clock, no points.')}")
    right = await bot.say(ann, world.chat_of(ann), solve_lesson(lesson))
    assert read_reactions(right) == "🏆"
    assert words.translate_plain("That’s it, well done! Now one for points?") in lesson.text
    assert f"{format_expression(solve_lesson(lesson))} = 24" in lesson.text
    assert await count_rows(bot) == (["lesson"], 0, 0)
    await press(bot, ann, lesson, words.translate_plain("Next hand"))
    assert (await count_rows(bot))[0] == ["lesson", "first"]
    assert not has_offer(await start_chat(bot, ann), words)


async def test_command_deals_the_lesson_once_more(bot: LiveBot, world: World, ann: User) -> None:
    lesson = await take_lesson(bot, ann, get_words("en"))
    await bot.say(ann, world.chat_of(ann), solve_lesson(lesson))
    await bot.say(ann, world.chat_of(ann), "/lesson")
    again = world.posts(ann)[-1]
    assert again is not lesson
    assert again.text.startswith("🎓 Your first hand: no clock, no points.")


async def test_command_in_a_group_links_to_the_lesson(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/lesson@{world.bot.username}")
    assert world.posts(family)[-1].labels == ["🎓 Try it"]
    await bot.say(ann, world.chat_of(ann), "/start lesson")
    assert "→ 24" in world.posts(ann)[-1].text


@LANGUAGES
async def test_each_wrong_answer_adds_one_hint(bot: LiveBot, world: World, ann: User, words: Words) -> None:
    lesson = await take_lesson(bot, ann, words)
    posts = len(world.posts(ann))
    for nudges in (1, 2, 3, 3):
        wrong = await bot.say(ann, world.chat_of(ann), "8*8")
        assert read_reactions(wrong) == "👎"
        assert lesson.text.count("💡") == nudges
    assert len(world.posts(ann)) == posts + 4
    shape = next(line for line in lesson.text.splitlines() if "□" in line)
    assert shape.count("○") == 2  # in the shape, and where it is explained
    await bot.say(ann, world.chat_of(ann), solve_lesson(lesson))
    assert words.translate_plain("That’s it, well done! Now one for points?") in lesson.text
    assert await count_rows(bot) == (["lesson"], 0, 0)


@LANGUAGES
async def test_lesson_has_no_clock(
    world: World, clock: Clock, ann: User, restart_bot: RestartBot, words: Words
) -> None:
    before = await restart_bot(world)
    lesson = await take_lesson(before, ann, words)
    await before.say(ann, world.chat_of(ann), "8*8")
    clock.advance(86_400)
    after = await restart_bot(world)
    await after.run_timers()
    assert words.translate_plain("Show me") in lesson.labels
    assert "⏱" not in lesson.text
    assert read_reactions(await after.say(ann, world.chat_of(ann), solve_lesson(lesson))) == "🏆"
    assert lesson.labels == [words.translate_plain("Next hand")]


async def test_question_in_the_lesson_is_answered(bot: LiveBot, world: World, ann: User) -> None:
    lesson = await take_lesson(bot, ann, get_words("en"))
    (line,) = [line for line in lesson.text.splitlines() if "→ 24" in line]
    for question in ("how do I play?", "?"):
        await bot.say(ann, world.chat_of(ann), question)
        assert world.posts(ann)[-1].text.splitlines() == [
            line,
            "Use all four numbers, each once, with + − × ÷ ( ).",
            "Send your answer, for example (7−3)×(4+2)",
            "/hint helps, /giveup shows how it is done. /help tells the rest.",
        ]
    assert "💡" not in lesson.text


async def test_few_numbers_in_the_lesson_get_a_reason(bot: LiveBot, world: World, ann: User) -> None:
    await take_lesson(bot, ann, get_words("en"))
    for text, reason in (("50-40", "50−40 = 10, but 40, 50 are not"), ("50/40", "50÷40 = 1 1/4, but 40, 50")):
        assert read_reactions(await bot.say(ann, world.chat_of(ann), text)) == "👎"
        assert world.posts(ann)[-1].text.startswith(reason)


async def test_yes_after_the_lesson_deals_the_next_hand(bot: LiveBot, world: World, ann: User) -> None:
    lesson = await take_lesson(bot, ann, get_words("en"))
    await bot.say(ann, world.chat_of(ann), solve_lesson(lesson))
    bot.rig(3, 8, 3, 8)
    await bot.say(ann, world.chat_of(ann), "yes")
    assert "3 8 3 8 → 24" in world.posts(ann)[-1].text.splitlines()


@LANGUAGES
async def test_solution_is_shown_on_demand(bot: LiveBot, ann: User, words: Words) -> None:
    lesson = await take_lesson(bot, ann, words)
    await press(bot, ann, lesson, words.translate_plain("Show me"))
    assert words.translate_plain("Like this:") in lesson.text
    assert f"{format_expression(solve_lesson(lesson))} = 24" in lesson.text


async def test_lesson_is_not_offered_by_other_links(bot: LiveBot, world: World, ann: User) -> None:
    words = get_words("en")
    deal = await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    world.start(ann, "play_3-8-3-8-24")
    world.start(ann, "daily")
    await bot.settle()
    assert not any(has_offer(post, words) for post in world.posts(ann))
    await bot.say(ann, world.chat_of(ann), "/skip")
    offered = await start_chat(bot, ann)
    assert has_offer(offered, words)
    await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    reply = await press(bot, ann, offered, "Try it")
    assert reply.startswith("A hand is on the table")
    assert has_offer(offered, words), "the offer stays"
    assert deal.labels


async def test_lesson_offer_expires_after_scoring(bot: LiveBot, world: World, ann: User) -> None:
    offered = await start_chat(bot, ann)
    await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    await bot.say(ann, world.chat_of(ann), "8/(3-8/3)")
    assert await press(bot, ann, offered, "Try it") == "That button is out of date."
    assert (await count_rows(bot))[0] == ["first"]


async def test_taken_lesson_is_not_offered_again(bot: LiveBot, world: World, ann: User) -> None:
    offered = await start_chat(bot, ann)
    button = offered.button(0)["callback_data"]
    await press(bot, ann, offered, "Try it")
    await press(bot, ann, bot.world.posts(ann)[-1], "Show me")
    reply = await bot.world.answer_to(bot.world.press(ann, offered, data=button))
    assert reply == "That button is out of date."
    assert not has_offer(await start_chat(bot, ann), get_words("en"))
    assert (await count_rows(bot))[0] == ["lesson"]


async def test_lesson_is_not_offered_to_players_with_points(bot: LiveBot, ann: User, bob: User) -> None:
    family = bot.world.group("Family", ann, bob)
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert not has_offer(await start_chat(bot, ann), get_words("en"))
    assert has_offer(await start_chat(bot, bob), get_words("en"))


async def test_export_contains_taken_lesson(bot: LiveBot, world: World, ann: User) -> None:
    offered = await start_chat(bot, ann)
    await bot.say(ann, world.chat_of(ann), "/export")
    assert json.loads(list(world.files.values())[-1])["private_chat"] == []
    await press(bot, ann, offered, "Try it")
    await bot.say(ann, world.chat_of(ann), "/export")
    (chat,) = json.loads(list(world.files.values())[-1])["private_chat"]
    assert json.loads(chat["settings"]) == {"lesson": True}


async def test_deleted_player_is_offered_lesson_again(bot: LiveBot, world: World, ann: User) -> None:
    await take_lesson(bot, ann, get_words("en"))
    await bot.say(ann, world.chat_of(ann), "/forgetme")
    await press(bot, ann, world.posts(ann)[-1], "Forget me")
    assert has_offer(await start_chat(bot, ann), get_words("en"))


@LANGUAGES
async def test_lesson_avoids_live_hands(bot: LiveBot, world: World, ann: User, words: Words) -> None:
    free = (6, 6, 6, 6)  # No step of another hand leads to it
    others = [numbers for numbers in TUTORIAL_HANDS if numbers != free]
    lines = [f"{' '.join(map(str, numbers))} → 24" for numbers in others]
    for numbers in others:
        await bot.deal(ann, world.group("Group", ann), *numbers)
    lesson = await take_lesson(bot, ann, words)
    assert "6 6 6 6 → 24" in lesson.text.splitlines()
    assert not set(lines).intersection(lesson.text.splitlines())


@LANGUAGES
async def test_lesson_waits_while_all_its_hands_are_live(
    bot: LiveBot, world: World, ann: User, words: Words
) -> None:
    for numbers in TUTORIAL_HANDS:
        await bot.deal(ann, world.group("Group", ann), *numbers)
    first = await start_chat(bot, ann)
    reply = await press(bot, ann, first, words.translate_plain("Try it"))
    assert reply == words.translate_plain("That hand is on the table in a chat where you play: no peeking!")
    assert world.posts(ann) == [first]
    assert has_offer(first, words)
