"""Again means again: the next hand, another race, an easier hand."""

from dataclasses import replace

import pytest

from bot.games.twentyfour.dealing import build_hand
from bot.i18n import choose_language, get_words
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot
from tests.telegram import Chat, Message, User, World

MINE = "@TwentyFourTestBot"
IN_TWO = pytest.mark.parametrize("language", ["en", "zh-hans"])
FIVE = (1, 2, 3, 5, 5)  # Cards that make 36 in a few ways


def label(language: str | None, sentence: str) -> str:
    """What stands on a button in that language."""
    return get_words(choose_language(language)).translate_plain(sentence)


def rig(bot: LiveBot, *levels: str) -> None:
    """Let the next hands be these five cards, as if they were so hard."""
    bot.solving.hands += [replace(build_hand(FIVE, 36), level=level) for level in levels]


async def posted(bot: LiveBot, user: User, chat: Chat, text: str) -> Message:
    """`user` writes it, and the bot posts."""
    await bot.say(user, chat, text)
    return bot.world.posts(chat)[-1]


async def pressed(bot: LiveBot, user: User, message: Message, button: str) -> Message:
    """`user` presses it, and the bot posts."""
    await bot.world.answer_to(bot.world.press(user, message, button))
    await bot.settle()
    return bot.world.posts(message.chat)[-1]


@IN_TWO
async def test_the_next_hand_is_as_the_first_was_asked_for_also_after_a_restart(
    world: World, restart_bot: RestartBot, ann: User, family: Chat, language: str
) -> None:
    bot = await restart_bot(world)
    rig(bot, "hard")
    deal = await posted(bot, ann, family, f"/play{MINE} hard 36 5 all")
    for _ in range(2):
        assert "1 2 3 5 5 → 36" in deal.text.splitlines()
        await bot.say(ann, family, f"/skip{MINE}")
        bot = await restart_bot(world)
        rig(bot, "hard")
        before, deal = deal, await pressed(bot, ann, deal, label(language, "Next hand"))
        assert deal is not before
        assert bot.solving.recipes == [("draw_hand_with_all_ideas", 5, 13, 36, "hard")]


@pytest.mark.long
@pytest.mark.parametrize(
    ("asked", "dealt"),
    [
        ("", ("draw_hand", 4, 13, 24, None)),
        ("easy", ("draw_hand", 4, 13, 24, "easy")),
        ("48", ("draw_hand", 4, 13, 48, None)),
        ("5", ("draw_hand", 5, 13, 24, None)),
        ("all", ("draw_hand_with_all_ideas", 4, 13, 24, None)),
    ],
)
async def test_what_was_asked_is_kept_and_no_more(
    bot: LiveBot, ann: User, family: Chat, asked: str, dealt: tuple[object, ...]
) -> None:
    rig(bot, "fiendish", "medium")
    deal = await posted(bot, ann, family, f"/play{MINE} {asked}")
    await bot.say(ann, family, f"/skip{MINE}")
    await pressed(bot, ann, deal, "Next hand")
    assert bot.solving.recipes == [dealt] * 2


async def test_what_was_not_asked_for_follows_the_settings(bot: LiveBot, ann: User, family: Chat) -> None:
    rig(bot, "easy", "easy")
    deal = await posted(bot, ann, family, f"/play{MINE} easy")
    await bot.say(ann, family, f"/skip{MINE}")
    for key, value in (("target", 36), ("level", "hard"), ("cards", 5)):
        await bot.choose(family, key, value)
    await pressed(bot, ann, deal, "Next hand")
    assert bot.solving.recipes[-1] == ("draw_hand", 5, 13, 36, "easy")


async def test_what_follows_a_void_hand_is_asked_for_in_the_same_words(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot.rig(3, 8, 3, 8)
    deal = await posted(bot, ann, family, f"/play{MINE} fiendish")
    await bot.say(bob, world.chat_of(bob), "/solve 3 8 3 8")
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert "Found, but it counts for nobody." in deal.text
    rig(bot, "fiendish")
    await pressed(bot, ann, deal, "Next hand")
    assert bot.solving.recipes[-1] == ("draw_hand", 4, 13, 24, "fiendish")


@IN_TWO
async def test_a_hand_that_nobody_found_in_time_has_an_easier_one(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, language: str
) -> None:
    next_, easier = label(language, "Next hand"), label(language, "An easier one")
    rig(bot, "fiendish", "hard", "medium", "easy", "easy")
    deal = await posted(bot, ann, family, f"/play{MINE} 5 36 all")
    for level in ("hard", "medium", "easy"):
        clock.advance(700)
        await bot.run_timers()
        assert deal.labels == [next_, easier]
        deal = await pressed(bot, ann, deal, easier)
        assert bot.solving.recipes[-1] == ("draw_hand_with_all_ideas", 5, 13, 36, level)
    clock.advance(700)
    await bot.run_timers()
    assert deal.labels == [next_], "there is nothing easier than easy"
    await pressed(bot, ann, deal, next_)
    assert bot.solving.recipes[-1] == ("draw_hand_with_all_ideas", 5, 13, 36, "easy")


@pytest.mark.parametrize("way", ["8/(3-8/3)", f"/skip{MINE}"])
async def test_only_time_makes_a_hand_easier(bot: LiveBot, ann: User, family: Chat, way: str) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, way, reply_to=deal)
    assert "An easier one" not in deal.labels


async def test_where_somebody_found_an_idea_in_time_nothing_easier_is_offered(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    rig(bot, "hard")
    deal = await posted(bot, ann, family, f"/play{MINE} all")
    await bot.say(ann, family, "(1+5)*(5+3-2)", reply_to=deal)
    clock.advance(700)
    await bot.run_timers()
    assert deal.labels == ["Next hand"]


@pytest.mark.long
async def test_nobody_makes_up_the_button_of_an_easier_hand(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    data = deal.button("Next hand")["callback_data"].replace("n:", "e:")
    press = world.press(ann, deal, data=data)
    assert await world.answer_to(press) == "That button is out of date."
    await bot.settle()
    assert len(world.posts(family)) == 1


async def raced(bot: LiveBot, user: User, race: Message) -> None:
    """`user` wins both hands of the race."""
    for line, right in (("1 1 2 8 → 24", "1*8*(1+2)"), ("2 2 6 6 → 24", "2*6+2*6")):
        assert line in race.text.splitlines()
        await bot.say(user, race.chat, right, reply_to=race)


@pytest.mark.long
@IN_TWO
async def test_a_race_is_run_again_as_it_was(
    world: World, restart_bot: RestartBot, ann: User, bob: User, family: Chat, language: str
) -> None:
    bot = await restart_bot(world)
    again = label(language, "Race again")
    bot.rig(1, 1, 2, 8)
    bot.rig(2, 2, 6, 6)
    race = await posted(bot, ann, family, f"/race{MINE} 2 easy")
    for number in range(2):
        await raced(bot, bob, race)
        assert race.labels == [again]
        bot = await restart_bot(world)
        bot.rig(1, 1, 2, 8)
        bot.rig(2, 2, 6, 6)
        race = await pressed(bot, bob, race, again)
        assert len(world.posts(family)) == number + 2
        assert bot.solving.recipes == [("draw_hand", 4, 13, 24, "easy")] * 2
    await bot.say(bob, family, f"/skip{MINE}")  # whoever pressed has started this one
    assert "#1 — " in race.text


async def test_another_race_is_hindered_by_the_same_things(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    bot.rig(1, 1, 2, 8)
    bot.rig(2, 2, 6, 6)
    race = await posted(bot, ann, family, f"/race{MINE} 2")
    await raced(bot, ann, race)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    press = world.press(ann, race, "Race again")
    assert await world.answer_to(press) == "A hand is on the table: 3 8 3 8 → 24"
    await bot.settle()
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    for most, told in (
        (3, "That was plenty for one hour. The next hand in 60 minutes."),
        (4, "Only one more hand fits into this hour: /play it, no race."),
    ):
        await bot.choose(family, "rounds_an_hour", most)
        press = world.press(ann, race, "Race again")
        assert await world.answer_to(press) == told
        await bot.settle()
    clock.advance(3601)
    again = await pressed(bot, ann, race, "Race again")
    assert again is not race
    assert " → 24" in again.text
