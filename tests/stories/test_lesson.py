"""The first hand of somebody who never played: offered once, twenty seconds, nothing at stake."""

import json

import pytest
from sqlalchemy import select

from bot.database import Tx
from bot.database.schema import awards, rounds, tries
from bot.games.twentyfour.rules import LESSON_HANDS
from bot.i18n import Words, get_words
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.telegram import Message, User, World

LANGUAGES = pytest.mark.parametrize(
    ("language", "said"), [("en", get_words("en")), ("zh-hant", get_words("zh_Hant"))]
)


async def offer(bot: LiveBot, ann: User) -> Message:
    """The last thing that is said to her after /start."""
    await bot.say(ann, bot.world.chat_of(ann), "/start")
    return bot.world.posts(ann)[-1]


async def taken(bot: LiveBot, ann: User, said: Words) -> Message:
    """The lesson that she asked for."""
    await press(bot, ann, await offer(bot, ann), said.translate_plain("Try it: 20 seconds"))
    return bot.world.posts(ann)[-1]


async def press(bot: LiveBot, ann: User, message: Message, button: str) -> str:
    told = await bot.world.answer_to(bot.world.press(ann, message, button))
    await bot.settle()
    return told


def offers(message: Message, said: Words) -> bool:
    return any(said.translate_plain("Try it: 20 seconds") in label for label in message.labels)


def answer(message: Message) -> str:
    """What solves one of the first hands."""
    (line,) = [line for line in message.text.splitlines() if "→ 24" in line]
    numbers = line.removesuffix(" → 24").split()
    return "*".join(numbers) if "1" in numbers else "+".join(numbers)


async def stored(bot: LiveBot) -> tuple[list[str], int, int]:
    """Kinds of the rounds, and how many awards and wrong answers there are."""

    def read(tx: Tx) -> tuple[list[str], int, int]:
        kinds = list(tx.scalars(select(rounds.c.kind)))
        return kinds, len(tx.execute(select(awards)).all()), len(tx.execute(select(tries)).all())

    return await bot.services.store.read(read)


@pytest.mark.long
@LANGUAGES
async def test_a_lesson_is_won_and_earns_nothing(bot: LiveBot, world: World, ann: User, said: Words) -> None:
    offered = await offer(bot, ann)
    assert offered.labels == [
        f"🎓 {said.translate_plain('Try it: 20 seconds')}",
        said.translate_plain("No, thanks"),
    ]
    assert offered.text == said.translate_plain("First time here? Try an easy hand.")
    first = world.posts(ann)[0]
    assert len(first.text.splitlines()) == len(first.labels) == 3
    await press(bot, ann, offered, said.translate_plain("Try it: 20 seconds"))
    lesson = offered
    assert world.posts(ann) == [first, lesson], "it takes the offer's place"
    assert lesson.text.startswith(f"🎓 {said.translate_plain('Your first hand: 20 seconds, no points.')}")
    right = await bot.say(ann, world.chat_of(ann), answer(lesson))
    assert read_reactions(right) == "🏆"
    assert said.translate_plain("That’s it, well done! Now one for points?") in lesson.text
    assert f"{answer(lesson)} = 24" in lesson.text
    assert await stored(bot) == (["lesson"], 0, 0)
    await press(bot, ann, lesson, said.translate_plain("Next hand"))
    assert (await stored(bot))[0] == ["lesson", "first"]
    assert not offers(await offer(bot, ann), said)


@LANGUAGES
async def test_each_wrong_try_brings_one_nudge(bot: LiveBot, world: World, ann: User, said: Words) -> None:
    lesson = await taken(bot, ann, said)
    posts = len(world.posts(ann))
    for nudges in (1, 2, 3, 3):
        wrong = await bot.say(ann, world.chat_of(ann), "8*8")
        assert read_reactions(wrong) == "👎"
        assert lesson.text.count("💡") == nudges
    assert len(world.posts(ann)) == posts + 4
    await bot.say(ann, world.chat_of(ann), answer(lesson))
    assert said.translate_plain("That’s it, well done! Now one for points?") in lesson.text
    assert await stored(bot) == (["lesson"], 0, 0)


@LANGUAGES
async def test_it_ends_kindly_by_itself_also_after_a_restart(
    world: World, clock: Clock, ann: User, restart_bot: RestartBot, said: Words
) -> None:
    before = await restart_bot(world)
    lesson = await taken(before, ann, said)
    await before.say(ann, world.chat_of(ann), "8*8")
    clock.advance(15)
    after = await restart_bot(world)
    await after.run_timers()
    assert said.translate_plain("Show me") in lesson.labels, "five seconds are left"
    assert lesson.text.count("💡") == 1
    clock.advance(10)
    await after.run_timers()
    assert said.translate_plain("Time’s up – no harm done.") in lesson.text
    assert said.translate_plain("A real hand gives you more time.") in lesson.text
    assert f"{answer(lesson)} = 24" in lesson.text
    assert lesson.labels == [said.translate_plain("Next hand")]
    assert await stored(after) == (["lesson"], 0, 0)
    late = await after.say(ann, world.chat_of(ann), answer(lesson))
    assert read_reactions(late) == "👏"
    assert world.posts(ann)[-1].text == said.translate_plain("Right, but the hand was over. Well found!")


@LANGUAGES
async def test_it_is_shown_on_demand(bot: LiveBot, ann: User, said: Words) -> None:
    lesson = await taken(bot, ann, said)
    await press(bot, ann, lesson, said.translate_plain("Show me"))
    assert said.translate_plain("Like this:") in lesson.text
    assert f"{answer(lesson)} = 24" in lesson.text


@LANGUAGES
async def test_who_declines_is_not_asked_again(
    world: World, ann: User, restart_bot: RestartBot, said: Words
) -> None:
    before = await restart_bot(world)
    offered = await offer(before, ann)
    assert await press(before, ann, offered, said.translate_plain("No, thanks")) == ""
    assert offered.text == said.translate_plain("All right. /play deals a hand any time.")
    assert offered.labels == []
    after = await restart_bot(world)
    assert not offers(await offer(after, ann), said)


@LANGUAGES
async def test_it_is_offered_once_and_the_offer_stays_good(
    world: World, ann: User, restart_bot: RestartBot, said: Words
) -> None:
    bot = await restart_bot(world)
    offered = await offer(bot, ann)
    for _ in range(2):
        again = await offer(bot, ann)
        assert not offers(again, said)
        assert len(again.text.splitlines()) == len(again.labels) == 3
        bot = await restart_bot(world)
    assert await press(bot, ann, offered, said.translate_plain("Try it: 20 seconds")) == ""
    assert (await stored(bot))[0] == ["lesson"]
    assert said.translate_plain("Show me") in offered.labels


async def test_nothing_is_offered_to_who_begins_another_way(bot: LiveBot, world: World, ann: User) -> None:
    said = get_words("en")
    deal = await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    world.start(ann, "play_3-8-3-8-24")
    world.start(ann, "daily")
    await bot.settle()
    assert not any(offers(post, said) for post in world.posts(ann))
    await bot.say(ann, world.chat_of(ann), "/skip")
    offered = await offer(bot, ann)
    assert offers(offered, said)
    await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    told = await press(bot, ann, offered, "Try it")
    assert told.startswith("A hand is on the table")
    assert offers(offered, said), "it waits"
    assert deal.labels


async def test_who_has_scored_since_learns_no_more(bot: LiveBot, world: World, ann: User) -> None:
    offered = await offer(bot, ann)
    await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    await bot.say(ann, world.chat_of(ann), "8/(3-8/3)")
    assert await press(bot, ann, offered, "Try it") == "That button is out of date."
    assert (await stored(bot))[0] == ["first"]
    assert await press(bot, ann, offered, "No, thanks") == ""
    assert offered.labels == []


async def test_who_took_it_is_not_offered_it_again(bot: LiveBot, world: World, ann: User) -> None:
    offered = await offer(bot, ann)
    button = offered.button(0)["callback_data"]
    await press(bot, ann, offered, "Try it")
    await press(bot, ann, offered, "Show me")
    told = await bot.world.answer_to(bot.world.press(ann, offered, data=button))
    assert told == "That button is out of date."
    assert not offers(await offer(bot, ann), get_words("en"))
    assert (await stored(bot))[0] == ["lesson"]


async def test_who_has_scored_needs_none(bot: LiveBot, ann: User, bob: User) -> None:
    family = bot.world.group("Family", ann, bob)
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert not offers(await offer(bot, ann), get_words("en"))
    assert offers(await offer(bot, bob), get_words("en"))


async def test_asking_leaves_no_trace_and_export_tells_the_choice(
    bot: LiveBot, world: World, ann: User
) -> None:
    offered = await offer(bot, ann)
    await bot.say(ann, world.chat_of(ann), "/export")
    assert json.loads(list(world.files.values())[-1])["private_chat"] == []
    await press(bot, ann, offered, "No, thanks")
    await bot.say(ann, world.chat_of(ann), "/export")
    (chat,) = json.loads(list(world.files.values())[-1])["private_chat"]
    assert json.loads(chat["settings"]) == {"lesson": True}


async def test_whoever_was_forgotten_is_new_again(bot: LiveBot, world: World, ann: User) -> None:
    await press(bot, ann, await offer(bot, ann), "No, thanks")
    await bot.say(ann, world.chat_of(ann), "/forgetme")
    await press(bot, ann, world.posts(ann)[-1], "Forget me")
    assert offers(await offer(bot, ann), get_words("en"))


@LANGUAGES
async def test_it_spoils_no_hand_that_is_live_where_they_play(
    bot: LiveBot, world: World, ann: User, said: Words
) -> None:
    free = (6, 6, 6, 6)  # of which no other is made by a step
    others = [numbers for numbers in LESSON_HANDS if numbers != free]
    lines = [f"{' '.join(map(str, numbers))} → 24" for numbers in others]
    for numbers in others:
        await bot.deal(ann, world.group("Group", ann), *numbers)
    lesson = await taken(bot, ann, said)
    assert "6 6 6 6 → 24" in lesson.text.splitlines()
    assert not set(lines).intersection(lesson.text.splitlines())


@LANGUAGES
async def test_where_all_are_live_it_waits(bot: LiveBot, world: World, ann: User, said: Words) -> None:
    for numbers in LESSON_HANDS:
        await bot.deal(ann, world.group("Group", ann), *numbers)
    first = await offer(bot, ann)
    told = await press(bot, ann, first, said.translate_plain("Try it: 20 seconds"))
    assert told == said.translate_plain("That hand is on the table in a chat where you play: no peeking!")
    assert world.posts(ann)[1:] == [first]
    assert offers(first, said)
