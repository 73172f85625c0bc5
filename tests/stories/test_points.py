"""Points of a win, and streaks."""

import re

import pytest

from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, Message, User, World

HANDS = {
    "easy": ((1, 1, 2, 8), "1*8*(1+2)", 1),
    "medium": ((2, 4, 8, 10), "2+4+8+10", 2),
    "hard": ((4, 10, 11, 13), "4+10*(13-11)", 3),
    "fiendish": ((3, 8, 3, 8), "8/(3-8/3)", 5),
}


async def win_hand(bot: LiveBot, player: User, chat: Chat, level: str = "easy") -> Message:
    """Win a hand of that level; return its message."""
    hand, solution, _ = HANDS[level]
    deal = await bot.deal(player, chat, *hand)
    await bot.say(player, chat, solution, reply_to=deal)
    return deal


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_points_depend_on_level_and_first_win_of_day(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    club = world.group("Club", ann)
    for place, (level, (_, _, worth)) in enumerate(HANDS.items()):
        deal = await win_hand(bot, ann, family, level)
        assert f"+{worth + (place == 0)}" in deal.text
    assert "+2" in (await win_hand(bot, ann, club)).text  # the first in another chat
    clock.advance(12 * 3600)
    assert "+2" in (await win_hand(bot, ann, family)).text  # another day


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_streak_is_shown_from_three_wins_on(bot: LiveBot, ann: User, bob: User, family: Chat) -> None:
    streak_lines = []
    for winner in (ann, ann, ann, ann, bob, ann, ann):
        deal = await win_hand(bot, winner, family)
        streak_lines += [next((line for line in deal.text.splitlines() if line.startswith("🔥")), "")]
    figures = [re.findall(r"Ann|Bob|\d+", line) for line in streak_lines]
    assert figures == [[], [], ["Ann", "3"], ["Ann", "4"], [], [], []]
    await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "/skip@TwentyFourTestBot")
    assert "🔥" not in (await win_hand(bot, ann, family)).text  # a hand that nobody won lay between
