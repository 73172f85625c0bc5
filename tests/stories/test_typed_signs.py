"""Answers with Unicode fractions, or with signs that an app has replaced by emoji."""

import pytest

from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, User, World


@pytest.mark.parametrize(
    ("hand", "text"), [((1, 2, 6, 8), "8*6*½"), ((1, 1, 3, 3, 6), "3*6*(1+⅓)"), ((1, 1, 3, 3, 6), "3*6*1⅓")]
)
async def test_unicode_fractions_win(
    bot: LiveBot, ann: User, bob: User, family: Chat, hand: tuple[int, ...], text: str
) -> None:
    deal = await bot.deal(ann, family, *hand)
    assert read_reactions(await bot.say(ann, family, text, reply_to=deal)) == "🏆"
    await bot.deal(ann, family, *hand)
    assert read_reactions(await bot.say(bob, family, f"/a {text}")) == "🏆"


async def test_unicode_fractions_are_explained(bot: LiveBot, world: World, ann: User) -> None:
    place = world.chat_of(ann)
    await bot.say(ann, place, "/why 8*6*½")
    assert world.posts(place)[-1].text.splitlines()[0] == "8×6×1÷2 = 24, step by step:"
    await bot.say(ann, place, "/solve 8*6½")
    assert "8×(6+1÷2)" in world.posts(place)[-1].text


@pytest.mark.parametrize("text", ["(4 + 😍 * 2 * 1", "2*1*(4+😍"])
async def test_signs_replaced_by_emoji_win(
    bot: LiveBot, ann: User, bob: User, family: Chat, text: str
) -> None:
    deal = await bot.deal(ann, family, 1, 2, 4, 8)
    assert read_reactions(await bot.say(ann, family, text, reply_to=deal)) == "🏆"
    await bot.deal(ann, family, 1, 2, 4, 8)
    assert read_reactions(await bot.say(bob, family, f"/a {text}")) == "🏆"


@pytest.mark.parametrize("privacy", [False])
@pytest.mark.parametrize("text", ["8 🙁 3 - 8 : 3)", "8☹️3-8/3)"])
async def test_signs_replaced_by_emoji_win_without_reply(
    bot: LiveBot, ann: User, family: Chat, text: str
) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    assert read_reactions(await bot.say(ann, family, text)) == "🏆"


async def test_signs_replaced_by_emoji_are_explained(bot: LiveBot, world: World, ann: User) -> None:
    place = world.chat_of(ann)
    for command in ("why", "solve"):
        await bot.say(ann, place, f"/{command} (4 + 😍 * 2")
        assert "(4+8)×2" in world.posts(place)[-1].text
    message = await bot.say(ann, place, "(4 + 😍 * 2")
    await bot.say(ann, place, "/why", reply_to=message)
    assert world.posts(place)[-1].text.splitlines()[0] == "(4+8)×2 = 24, step by step:"


async def test_unreadable_emoji_gets_advice(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    advice = "Your app turned signs into 😕. Write them without spaces, or turn off automatic emoji."
    deal = await bot.deal(ann, family, 1, 2, 4, 8)
    await bot.say(ann, family, "(4 😕 2 * 1 + 8", reply_to=deal)
    assert f"🤔 \u2068Ann\u2069: {advice.rstrip('.')}" in deal.text.splitlines()
    await bot.say(bob, family, "/a 4 😕 2")
    together = f"🤔 \u2068Ann\u2069, \u2068Bob\u2069: {advice.rstrip('.')}"
    assert together in deal.text.splitlines()
    place = world.chat_of(ann)
    for command in ("why", "solve"):
        await bot.say(ann, place, f"/{command} (4 😕 2) * 3")
        assert world.posts(place)[-1].text == advice
    message = await bot.say(ann, place, "(4 😕 2) * 3")
    await bot.say(ann, place, "/why", reply_to=message)
    assert world.posts(place)[-1].text == advice
