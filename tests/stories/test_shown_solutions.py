"""The summary of a finished round: usual time, other ideas, nearest miss."""

import re

import pytest

import solver
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User, World

pytestmark = pytest.mark.long

LANGUAGES = pytest.mark.parametrize("language", ["en", "zh-hans"])


@pytest.mark.texts
@LANGUAGES
async def test_won_hand_shows_usual_time_other_ideas_and_near_miss(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, language: str
) -> None:
    cem = world.user("Cem", language_code=language)
    family = world.group("Family", ann, bob, cem)
    deal = await bot.deal(ann, family, 2, 4, 8, 10)
    await bot.say(bob, family, "2*8+10-4", reply_to=deal)
    await bot.say(cem, family, "2*10-4+8/1", reply_to=deal)
    await bot.say(cem, family, "(10+8)/4*2", reply_to=deal)
    await bot.say(bob, family, "10*2+8/4", reply_to=deal)
    clock.advance(5)
    await bot.say(ann, family, "2*10+8-4", reply_to=deal)
    usual = round(solver.rate((2, 4, 8, 10)).seconds)
    lines = deal.text.splitlines()
    assert re.findall(r"\d+", lines[4]) == ["5", str(usual)]
    ideas = [line.split()[1] for line in lines if line.startswith("💭")]
    assert len(ideas) == 2
    assert solver.idea(solver.parse("2*10+8-4")) not in [solver.idea(solver.parse(e)) for e in ideas]
    assert [re.findall(r"\d+", line) for line in lines if "…" in line] == [["8"]]  # eleven ideas less three
    (miss,) = [line for line in lines if "Bob" in line or "Cem" in line]
    assert re.findall(r"Bob|Cem|[0-9×+−]{4,}|\d+", miss) == ["Bob", "2×8+10−4", "22"]


@LANGUAGES
async def test_nearest_miss_is_chosen_exactly(bot: LiveBot, ann: User, bob: User, family: Chat) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, "8*3-8/3", reply_to=deal)
    await bot.say(bob, family, "3*8+3/8", reply_to=deal)
    await bot.say(bob, family, "3+8+3+8", reply_to=deal)
    await bot.say(ann, family, "/skip@TwentyFourTestBot")
    *_, share, miss = deal.text.splitlines()
    assert set(re.findall(r"\d+", share)) == {"4", "10"}  # of so many people so many find it
    assert re.findall("Bob|[0-9].*[0-9]", miss) == ["Bob", "3×8+3÷8 = 24 3/8"]


async def test_hand_with_one_idea_shows_no_other_ideas(bot: LiveBot, ann: User, family: Chat) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert "💭" not in deal.text
    lines = deal.text.splitlines()
    assert len(lines) <= 10
    assert any(line.startswith("🏅") for line in lines)
