"""Answers in signs that people or their apps write otherwise than the bot does."""

import pytest

from tests.stories.conftest import Evening, emoji
from tests.telegram import Chat, User, World


@pytest.mark.parametrize(
    ("hand", "text"), [((1, 2, 6, 8), "8*6*½"), ((1, 1, 3, 3, 6), "3*6*(1+⅓)"), ((1, 1, 3, 3, 6), "3*6*1⅓")]
)
async def test_fractions_in_one_sign_win(
    bot: Evening, ann: User, bob: User, family: Chat, hand: tuple[int, ...], text: str
) -> None:
    deal = await bot.dealt(ann, family, *hand)
    assert emoji(await bot.says(ann, family, text, reply_to=deal)) == "🏆"
    await bot.dealt(ann, family, *hand)
    assert emoji(await bot.says(bob, family, f"/a {text}")) == "🏆"


async def test_fractions_in_one_sign_are_explained(bot: Evening, world: World, ann: User) -> None:
    place = world.place(ann)
    await bot.says(ann, place, "/why 8*6*½")
    assert world.posts(place)[-1].text.splitlines()[0] == "8*6*1/2 = 24, step by step:"
    await bot.says(ann, place, "/solve 8*6½")
    assert "8*(6+1/2)" in world.posts(place)[-1].text
