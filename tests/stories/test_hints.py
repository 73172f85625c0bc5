"""Hints: three steps, each a point."""

import pytest

from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User, World


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_three_hints_by_button_and_command_cost_a_point_each(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    worth = []
    for ask in ("press", "say", "press"):
        if ask == "press":
            press = world.press(bob, deal, 0)
            assert await world.answer_to(press) == ""
        else:
            world.say(bob, family, "/hint@TwentyFourTestBot")
        await bot.settle()
        worth.append(next(n for n in (1, 2, 3, 4, 5) if f"· {n}" in deal.text))
    assert worth == [4, 3, 2]
    hints = [line for line in deal.text.splitlines() if line.startswith("💡")]
    assert len(hints) == 3
    assert "÷" in hints[0]
    assert "8" in hints[1]
    assert len(deal.buttons) == 1  # nothing is left to buy
    await bot.say(bob, family, "/hint")
    assert len(world.posts(family)) == 2
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert "+3" in deal.text  # two, and the day's first


async def test_a_hint_for_a_hand_that_is_over_is_refused_in_the_bubble(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    button = deal.button(0)["callback_data"]
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    text = deal.text
    press = world.press(ann, deal, data=button)
    assert await world.answer_to(press) == "That hand is over."
    await bot.settle()
    assert deal.text == text


async def test_a_chat_may_play_without_hints(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    first = await bot.deal(ann, family, 3, 8, 3, 8)
    button = first.button(0)["callback_data"]
    await bot.choose(family, "hints", False)
    press = world.press(ann, first, data=button)
    assert await world.answer_to(press) == "This chat plays without hints."
    await bot.settle()
    assert "💡" not in first.text
    await bot.say(ann, family, "/skip")
    second = await bot.deal(ann, family, 3, 8, 3, 8)
    assert len(second.buttons) == 1
