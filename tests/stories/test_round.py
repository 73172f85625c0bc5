"""Whole rounds in a group."""

from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, User, World


async def test_round_from_deal_to_leaderboard(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert "3 8 3 8 → 24" in deal.text.splitlines()
    wrong = await bot.say(bob, family, "8*3-8/3", reply_to=deal)
    assert read_reactions(wrong) == "👎"
    assert "👎 \u2068Bob\u2069: 8×3−8÷3 = 21 1/3" in deal.text.splitlines()
    await bot.say(bob, family, "what a hand")
    right = await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆 \u2068Ann\u2069: 8÷(3−8÷3) = 24" in deal.text.splitlines()
    assert read_reactions(right) == "🏆"
    late = await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert read_reactions(late) == "👏"
    await bot.say(bob, family, f"/leaderboard@{world.bot.username}")
    board = world.posts(family)[-1].text
    assert [line for line in board.splitlines() if line[:1].isdigit()] == ["1. \u2068Ann\u2069 — 6"]


async def test_late_answer_is_named_once_below_the_hand(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, "8*3-8/3", reply_to=deal)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    for _ in range(2):
        await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
        assert deal.text.splitlines().count("👏 Right as well: \u2068Bob\u2069") == 1
    assert world.posts(family) == [deal]
