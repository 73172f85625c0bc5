"""Hints: up to three for a hand, each costs a point."""

import pytest

import solver
from bot.formats import format_expression
from solver.difficulty import compute_costs
from tests.stories.conftest import LiveBot, read_reactions
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
    assert read_reactions(await bot.say(bob, family, "/hint")) == "👀"
    assert len(world.posts(family)) == 1
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


async def test_hints_help_with_the_easiest_idea_that_nobody_has_found(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    hand = (1, 2, 3, 5)
    bot.rig(*hand)
    world.say(ann, family, "/play@TwentyFourTestBot all")
    deal = await world.next_post(family, "→ 24")
    worth = deal.text.splitlines()[3]
    easiest_first = [idea.solution for idea in sorted(compute_costs(hand), key=lambda idea: idea.cost)]
    for found, easiest in enumerate(easiest_first[:-1]):
        for _ in range(3):
            await bot.say(bob, family, "/hint@TwentyFourTestBot")
        skeleton = list(solver.hints(hand, found=easiest_first[:found]))[-1]
        assert isinstance(skeleton, solver.Skeleton)
        shown = [line for line in deal.text.splitlines() if line.startswith("💡")]
        assert len(shown) == 3
        assert format_expression(shown[-1]).endswith(format_expression(skeleton.text))
        await bot.say(ann, family, str(easiest), reply_to=deal)
        assert "💡" not in deal.text  # they were for what is found now
        assert deal.text.splitlines()[3] == worth
