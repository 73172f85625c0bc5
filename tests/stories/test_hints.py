"""Hints: up to three for a hand, each costs a point."""

import pytest

from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User, World


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_each_of_three_hints_costs_a_point(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    points = []
    for way in ("press", "say", "press"):
        if way == "press":
            press = world.press(bob, deal, 0)
            assert await world.answer_to(press) == ""
        else:
            world.say(bob, family, "/hint@TwentyFourTestBot")
        await bot.settle()
        points.append(next(n for n in (1, 2, 3, 4, 5) if f"· {n}" in deal.text))
    assert points == [4, 3, 2]
    hints = [line for line in deal.text.splitlines() if line.startswith("💡")]
    assert len(hints) == 3
    assert "÷" in hints[0]
    assert "8" in hints[1]
    assert len(deal.buttons) == 1  # no further hint is offered
    await bot.say(bob, family, "/hint")
    assert len(world.posts(family)) == 2
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert "+3" in deal.text  # two points, and one for the first win of the day


async def test_hint_for_a_finished_hand_is_refused(
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


async def test_hints_can_be_switched_off(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
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
