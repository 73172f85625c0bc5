"""What wins are worth, and streaks."""

import pytest

from tests.stories.conftest import Evening, Opened
from tests.stories.hours import Hours
from tests.telegram import Chat, Message, User, World

HANDS = {
    "easy": ((1, 1, 2, 8), "1*8*(1+2)", 1),
    "medium": ((2, 2, 6, 6), "2*6+2*6", 2),
    "hard": ((2, 4, 8, 10), "2+4+8+10", 3),
    "fiendish": ((3, 8, 3, 8), "8/(3-8/3)", 5),
}


async def won(evening: Evening, player: User, chat: Chat, level: str = "easy") -> Message:
    """`player` wins a hand of that level."""
    hand, solution, _ = HANDS[level]
    deal = await evening.dealt(player, chat, *hand)
    await evening.says(player, chat, solution, reply_to=deal)
    return deal


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_points_go_by_level_and_the_days_first_earns_one_more(opened: Opened, language: str) -> None:
    hours = Hours()
    world = World(clock=hours)
    ann = world.user("Ann", language_code=language)
    family, club = world.group("Family", ann), world.group("Club", ann)
    evening = await opened(world)
    for place, (level, (_, _, worth)) in enumerate(HANDS.items()):
        deal = await won(evening, ann, family, level)
        assert f"+{worth + (place == 0)}" in deal.text
        assert ("🌅" in deal.text) == (place == 0)
    assert "+2" in (await won(evening, ann, club)).text  # the first in another chat
    hours.pass_(12 * 3600)
    assert "🌅" in (await won(evening, ann, family)).text  # another day
    assert not world.violations


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_streaks_are_told_from_three_on_and_end(opened: Opened, language: str) -> None:
    world = World()
    ann, bob = (world.user(name, language_code=language) for name in ("Ann", "Bob"))
    family = world.group("Family", ann, bob)
    evening = await opened(world)
    told = []
    for winner in (ann, ann, ann, ann, bob, ann, ann):
        deal = await won(evening, winner, family)
        told += [next((line for line in deal.text.splitlines() if line.startswith("🔥")), "")]
    assert ["3" in told[2], "4" in told[3]] == [True, True]
    assert all("Ann" in line for line in told[2:4])
    assert [bool(line) for line in told] == [False, False, True, True, False, False, False]
    await evening.dealt(ann, family, 3, 8, 3, 8)
    await evening.says(ann, family, "/skip@TwentyFourTestBot")
    assert "🔥" not in (await won(evening, ann, family)).text  # a hand that nobody won lay between
    assert not world.violations
