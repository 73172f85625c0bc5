"""Buttons under a finished round: the next hand, an easier hand, another race."""

from dataclasses import replace

import pytest

from bot.games.twentyfour.dealing import build_hand
from bot.i18n import choose_language, get_words
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot
from tests.telegram import Chat, Message, User, World

MENTION = "@TwentyFourTestBot"
IN_TWO_LANGUAGES = pytest.mark.parametrize("language", ["en", "zh-hans"])
FIVE = (1, 2, 3, 5, 5)  # make 36 in a few ways


def translate_label(language: str | None, sentence: str) -> str:
    """Translate the label of a button."""
    return get_words(choose_language(language)).translate_plain(sentence)


def rig_levels(bot: LiveBot, *levels: str) -> None:
    """Let the next hands be `FIVE` with these levels."""
    bot.solving.hands += [replace(build_hand(FIVE, 36), level=level) for level in levels]


async def send_command(bot: LiveBot, user: User, chat: Chat, text: str) -> Message:
    """Send a command and return the bot's latest message."""
    await bot.say(user, chat, text)
    return bot.world.posts(chat)[-1]


async def press_button(bot: LiveBot, user: User, message: Message, button: str) -> Message:
    """Press a button and return the bot's latest message."""
    await bot.world.answer_to(bot.world.press(user, message, button))
    await bot.settle()
    return bot.world.posts(message.chat)[-1]


@IN_TWO_LANGUAGES
async def test_next_hand_repeats_the_options_after_a_restart(
    world: World, restart_bot: RestartBot, ann: User, family: Chat, language: str
) -> None:
    bot = await restart_bot(world)
    rig_levels(bot, "hard")
    deal = await send_command(bot, ann, family, f"/play{MENTION} hard 36 5 all")
    for _ in range(2):
        assert "1 2 3 5 5 → 36" in deal.text.splitlines()
        await bot.say(ann, family, f"/skip{MENTION}")
        bot = await restart_bot(world)
        rig_levels(bot, "hard")
        before, deal = deal, await press_button(bot, ann, deal, translate_label(language, "Next hand"))
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
async def test_next_hand_repeats_only_the_given_options(
    bot: LiveBot, ann: User, family: Chat, asked: str, dealt: tuple[object, ...]
) -> None:
    rig_levels(bot, "fiendish", "medium")
    deal = await send_command(bot, ann, family, f"/play{MENTION} {asked}")
    await bot.say(ann, family, f"/skip{MENTION}")
    await press_button(bot, ann, deal, "Next hand")
    assert bot.solving.recipes == [dealt] * 2


async def test_next_hand_takes_other_options_from_the_settings(bot: LiveBot, ann: User, family: Chat) -> None:
    rig_levels(bot, "easy", "easy")
    deal = await send_command(bot, ann, family, f"/play{MENTION} easy")
    await bot.say(ann, family, f"/skip{MENTION}")
    for key, value in (("target", 36), ("level", "hard"), ("cards", 5)):
        await bot.choose(family, key, value)
    await press_button(bot, ann, deal, "Next hand")
    assert bot.solving.recipes[-1] == ("draw_hand", 5, 13, 36, "easy")


async def test_next_hand_after_a_void_hand_repeats_the_options(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot.rig(3, 8, 3, 8)
    deal = await send_command(bot, ann, family, f"/play{MENTION} fiendish")
    await bot.say(bob, world.chat_of(bob), "/solve 3 8 3 8")
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert "Found by a spectator, or with my help elsewhere: no points." in deal.text
    rig_levels(bot, "fiendish")
    await press_button(bot, ann, deal, "Next hand")
    assert bot.solving.recipes[-1] == ("draw_hand", 4, 13, 24, "fiendish")


@IN_TWO_LANGUAGES
async def test_expired_hand_offers_an_easier_one(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, language: str
) -> None:
    next_label = translate_label(language, "Next hand")
    easier_label = translate_label(language, "An easier one")
    rig_levels(bot, "fiendish", "hard", "medium", "easy", "easy")
    deal = await send_command(bot, ann, family, f"/play{MENTION} 5 36 all")
    for level in ("hard", "medium", "easy"):
        clock.advance(700)
        await bot.run_timers()
        assert deal.labels[:2] == [next_label, easier_label]
        deal = await press_button(bot, ann, deal, easier_label)
        assert bot.solving.recipes[-1] == ("draw_hand_with_all_ideas", 5, 13, 36, level)
    clock.advance(700)
    await bot.run_timers()
    assert easier_label not in deal.labels, "there is nothing easier than easy"
    await press_button(bot, ann, deal, next_label)
    assert bot.solving.recipes[-1] == ("draw_hand_with_all_ideas", 5, 13, 36, None)


@pytest.mark.parametrize("way", ["8/(3-8/3)", f"/skip{MENTION}"])
async def test_finished_hand_offers_no_easier_one(bot: LiveBot, ann: User, family: Chat, way: str) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, way, reply_to=deal)
    assert "An easier one" not in deal.labels


async def test_expired_hand_with_a_found_idea_offers_no_easier_one(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    rig_levels(bot, "hard")
    deal = await send_command(bot, ann, family, f"/play{MENTION} all")
    await bot.say(ann, family, "(1+5)*(5+3-2)", reply_to=deal)
    clock.advance(700)
    await bot.run_timers()
    assert deal.labels == ["Next hand"]


@pytest.mark.long
async def test_forged_button_for_an_easier_hand_is_refused(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    data = deal.button("Next hand")["callback_data"].replace("n:", "e:")
    press = world.press(ann, deal, data=data)
    assert await world.answer_to(press) == "That button is out of date."
    await bot.settle()
    assert len(world.posts(family)) == 1


async def win_race(bot: LiveBot, user: User, race: Message) -> None:
    """Let a user win both hands of a race."""
    for line, right in (("1 1 2 8 → 24", "1*8*(1+2)"), ("2 2 6 6 → 24", "2*6+2*6")):
        assert line in race.text.splitlines()
        await bot.say(user, race.chat, right, reply_to=race)


@pytest.mark.long
@IN_TWO_LANGUAGES
async def test_race_again_repeats_the_options(
    world: World, restart_bot: RestartBot, ann: User, bob: User, family: Chat, language: str
) -> None:
    bot = await restart_bot(world)
    again = translate_label(language, "Race again")
    bot.rig(1, 1, 2, 8)
    bot.rig(2, 2, 6, 6)
    race = await send_command(bot, ann, family, f"/race{MENTION} 2 easy")
    for number in range(2):
        await win_race(bot, bob, race)
        assert race.labels[0] == again
        bot = await restart_bot(world)
        bot.rig(1, 1, 2, 8)
        bot.rig(2, 2, 6, 6)
        race = await press_button(bot, bob, race, again)
        assert len(world.posts(family)) == number + 2
        assert bot.solving.recipes == [("draw_hand", 4, 13, 24, "easy")] * 2
    await bot.say(bob, family, f"/skip{MENTION}")  # Bob pressed the button, so he may give up his race alone
    assert "#1 — " in race.text


async def test_race_again_is_refused_like_a_new_race(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    bot.rig(1, 1, 2, 8)
    bot.rig(2, 2, 6, 6)
    race = await send_command(bot, ann, family, f"/race{MENTION} 2")
    await win_race(bot, ann, race)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    press = world.press(ann, race, "Race again")
    assert await world.answer_to(press) == "A hand is on the table: 3 8 3 8 → 24"
    await bot.settle()
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    for limit, alert in (
        (3, "That was plenty for one hour. The next hand in 1 h."),
        (4, "Only one more hand fits into this hour: /play it, no race."),
    ):
        await bot.choose(family, "rounds_an_hour", limit)
        press = world.press(ann, race, "Race again")
        assert await world.answer_to(press) == alert
        await bot.settle()
    clock.advance(3601)
    again = await press_button(bot, ann, race, "Race again")
    assert again is not race
    assert " → 24" in again.text
