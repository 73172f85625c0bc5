"""Giving a hand up."""

import pytest

from tests.stories.conftest import Opened
from tests.telegram import World

SOLUTION = "8/(3-8/3) = 24"


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_two_votes_skip_a_hand_and_one_person_has_one(opened: Opened, language: str) -> None:
    world = World()
    cem, ann, bob = (world.user(name, language_code=language) for name in ("Cem", "Ann", "Bob"))
    dan = world.user("Dan", language_code=language)
    family = world.group("Family", cem, dan, ann, bob)
    evening = await opened(world)
    deal = await evening.dealt(dan, family, 3, 8, 3, 8)
    press = world.press(ann, deal, -1)
    assert "1/2" in await world.answer_to(press)
    await evening.settled()
    assert "1/2" in deal.labels[-1]
    again = await evening.says(ann, family, "/skip@TwentyFourTestBot")
    assert again.reactions
    assert "1/2" in deal.labels[-1]
    assert SOLUTION not in deal.text
    await evening.says(bob, family, "/skip@TwentyFourTestBot")
    assert SOLUTION in deal.text
    assert len(world.posts(family)) == 1
    assert not world.violations


@pytest.mark.parametrize("who", ["dealer", "owner", "anonymous"])
async def test_dealers_and_admins_skip_at_once(opened: Opened, who: str) -> None:
    world = World()
    owner, ann = world.user("Cem"), world.user("Ann")
    family = world.group("Family", owner, ann)
    evening = await opened(world)
    deal = await evening.dealt(ann, family, 3, 8, 3, 8)
    if who == "anonymous":
        world.say_anonymously(family, "/skip@TwentyFourTestBot")
    else:
        world.press(ann if who == "dealer" else owner, deal, -1)
    await evening.settled()
    assert SOLUTION in deal.text
    assert not world.violations


async def test_in_private_a_hand_is_skipped_at_once(opened: Opened) -> None:
    world = World()
    ann = world.user("Ann")
    evening = await opened(world)
    evening.rig(3, 8, 3, 8)
    world.start(ann)
    world.say(ann, ann, "/play")
    deal = await world.next_post(ann, "→ 24")
    await evening.says(ann, world.place(ann), "/skip")
    assert SOLUTION in deal.text
    assert not world.violations


async def test_there_may_be_nothing_to_skip(opened: Opened) -> None:
    world = World()
    ann = world.user("Ann")
    family = world.group("Family", ann)
    evening = await opened(world)
    for _ in range(5):
        await evening.says(ann, family, "/skip@TwentyFourTestBot")
    said = [m for m in family.said if m.sender is ann]
    assert len(world.posts(family)) == 2  # then a look is enough
    assert [bool(m.reactions) for m in said] == [False, False, True, True, True]
    assert not world.violations
