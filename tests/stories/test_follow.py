"""The level follows the players unless one was asked for or set."""

import pytest

import solver
from bot.levels import LEVELS
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.long

MENTION = "@TwentyFourTestBot"


def rate_deal(deal: Message) -> solver.Rating:
    line = next(line for line in deal.text.splitlines() if line.endswith("→ 24"))
    return solver.rate([int(number) for number in line.partition(" →")[0].split()])


def find_answer(deal: Message) -> str:
    line = next(line for line in deal.text.splitlines() if line.endswith("→ 24"))
    return str(next(iter(solver.ideas([int(number) for number in line.partition(" →")[0].split()]))))


async def test_family_begins_with_easy_hands_that_grow_harder_while_they_are_found(
    bot: LiveBot, ann: User, family: Chat
) -> None:
    ratings = []
    for _ in range(8):
        deal = await bot.deal(ann, family)
        ratings.append(rate_deal(deal))
        await bot.say(ann, family, find_answer(deal), reply_to=deal)
    assert ratings[0].level == "easy"
    assert {rating.level for rating in ratings[:3]} <= {"easy", "medium"}
    assert ratings[-1].solved < ratings[3].solved < ratings[0].solved


async def test_hand_after_a_given_up_one_is_easier(bot: LiveBot, ann: User, family: Chat) -> None:
    for _ in range(6):
        deal = await bot.deal(ann, family)
        await bot.say(ann, family, find_answer(deal), reply_to=deal)
    shares = []
    for _ in range(4):
        deal = await bot.deal(ann, family)
        shares.append(rate_deal(deal).solved)
        await bot.say(ann, family, "1+1", reply_to=deal)
        await bot.say(ann, family, f"/skip{MENTION}")
    assert shares[-1] > shares[0]


@pytest.mark.parametrize(("asked", "stored"), [("hard", None), ("", "hard")])
async def test_level_that_was_asked_for_or_set_wins(
    bot: LiveBot, world: World, ann: User, family: Chat, asked: str, stored: str | None
) -> None:
    await bot.choose(family, "level", stored)
    await bot.say(ann, family, f"/play{MENTION} {asked}")
    assert rate_deal(world.posts(family)[-1]).level == "hard"
    assert [recipe[-1] for recipe in bot.solving.recipes] == ["hard"]


@pytest.mark.parametrize(("asked", "stored"), [("any", None), ("any", "hard"), ("", "any")])
async def test_any_is_the_natural_mix_and_stays_with_the_next_hand(
    bot: LiveBot, world: World, ann: User, family: Chat, asked: str, stored: str | None
) -> None:
    await bot.choose(family, "level", stored)
    await bot.say(ann, family, f"/play{MENTION} {asked}")
    levels = set[str]()
    for _ in range(12):
        deal = world.posts(family)[-1]
        levels.add(rate_deal(deal).level)
        await bot.say(ann, family, f"/skip{MENTION}")
        await world.answer_to(world.press(ann, deal, "Next hand"))
        await bot.settle()
    assert len(levels & set(LEVELS)) > 2
    assert {recipe[-1] for recipe in bot.solving.recipes} == {None}
