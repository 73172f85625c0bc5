"""What one person has done in a chat, for those who play there."""

import pytest

from tests.stories.conftest import Evening
from tests.stories.hours import Hours
from tests.telegram import Chat, Message, User, World

START = 1_763_726_400.0


async def _wins(bot: Evening, hours: Hours, user: User, chat: Chat, seconds: float) -> None:
    hours.pass_(60)
    deal = await bot.dealt(user, chat, 1, 2, 3, 4)
    hours.pass_(seconds)
    await bot.says(user, chat, "1*2*3*4", reply_to=deal)


async def _stats(
    bot: Evening, user: User, chat: Chat, of: str = "", reply_to: Message | None = None
) -> list[str]:
    await bot.says(user, chat, f"/stats@{bot.world.bot.username} {of}".rstrip(), reply_to=reply_to)
    return bot.world.posts(chat)[-1].text.splitlines()


async def test_own_figures(bot: Evening, hours: Hours, ann: User, bob: User, family: Chat) -> None:
    bob.language_code = "es"
    assert await _stats(bot, ann, family) == [
        "\u2068Ann\u2069 has not played a round here yet. /play deals a hand."
    ]
    await _wins(bot, hours, bob, family, 5)
    for seconds in (10, 20, 30):
        await _wins(bot, hours, ann, family, seconds)
    deal = await bot.dealt(ann, family, 3, 8, 3, 8)
    await bot.says(ann, family, "8*3-8/3", reply_to=deal)
    lines = await _stats(bot, ann, family)
    assert lines[:4] == ["\u2068Ann\u2069", "4 rounds played", "3 rounds won", "3 points"]
    assert "rank here: 1" in lines
    assert "mean time: 20 seconds" in lines
    assert "best time: 10 seconds" in lines
    assert "people usually need for the same hands: 6 seconds" in lines
    assert "easy: 3 right, mean 20 s, best 10 s, usual 6 s" in lines
    assert "rounds won in a row: 3 now, 3 at best" in lines
    his = await _stats(bot, bob, family)
    assert his[0] == "\u2068Bob\u2069"
    assert "fácil: 1 acierto, media 5 s, mejor 5 s, lo normal 6 s" in his


async def test_figures_of_others_only_where_they_play(
    bot: Evening, world: World, hours: Hours, ann: User, bob: User
) -> None:
    ann.username, bob.username = "ann24", "bobby"
    family, club = world.group("Family", ann, bob), world.group("Club", bob)
    await _wins(bot, hours, ann, family, 10)
    said = await bot.says(ann, family, "well then")
    for lines in (
        await _stats(bot, bob, family, "@Ann24"),
        await _stats(bot, bob, family, reply_to=said),
    ):
        assert lines[:3] == ["\u2068Ann\u2069", "1 round played", "1 round won"]
    elsewhere = await _stats(bot, bob, club, "@Ann24")
    stranger = await _stats(bot, bob, club, "@nobody_at_all")
    assert elsewhere == ["\u2068@Ann24\u2069 has not played a round here yet. /play deals a hand."]
    assert [line.replace("@nobody_at_all", "@Ann24") for line in stranger] == elsewhere


async def test_the_daily_streak_is_among_the_figures(
    bot: Evening, world: World, hours: Hours, ann: User, family: Chat
) -> None:
    await _wins(bot, hours, ann, family, 10)
    for _ in range(2):
        hours.pass_(86_400)
        bot.rig(3, 8, 3, 8)
        await bot.says(ann, world.place(ann), "/daily")
        await bot.says(ann, world.place(ann), "8/(3-8/3)")
    assert (await _stats(bot, ann, family))[-1] == "daily hands solved: 2, 2 days in a row"


@pytest.mark.parametrize("privacy", [False])
async def test_a_username_is_whose_it_is_now(
    bot: Evening, world: World, hours: Hours, ann: User, bob: User
) -> None:
    ann.username, eve = "Ann24", world.user("Eve")
    family = world.group("Family", ann, bob, eve)
    for player in (ann, bob):
        await _wins(bot, hours, player, family, 10)

    async def named() -> str:
        return (await _stats(bot, eve, family, "@ANN24"))[0]

    assert await named() == "\u2068Ann\u2069"
    ann.username, bob.username = None, "aNN24"
    await bot.says(bob, family, "/stats")
    assert await named() == "\u2068Bob\u2069"
    ann.username, bob.username = "ann24", None
    await bot.says(bob, family, "/stats")  # dropped
    assert (await named()).startswith("\u2068@ANN24\u2069 has not played")
    await bot.says(ann, family, "/stats")
    assert await named() == "\u2068Ann\u2069"
    ann.username, eve.username = None, "Ann24"
    await bot.says(eve, family, "good morning")  # she never plays, and is nobody that is known
    assert (await named()).startswith("\u2068@ANN24\u2069 has not played")


@pytest.mark.parametrize("privacy", [False])
async def test_a_username_seen_in_a_reply_or_given_up_with_all_else(
    bot: Evening, world: World, hours: Hours, ann: User, bob: User
) -> None:
    ann.username, eve = "ann24", world.user("Eve")
    family = world.group("Family", ann, bob, eve)
    for player in (ann, bob):
        await _wins(bot, hours, player, family, 10)
    ann.username, eve.username = None, "ann24"
    said = world.say(eve, family, "hello", hear=False)
    await bot.says(bob, family, "hello Eve", reply_to=said)
    assert "has not played" in (await _stats(bot, bob, family, "@ann24"))[0]
    ann.username, eve.username = "ann24", None
    await bot.says(ann, family, "/stats")
    await bot.says(ann, world.place(ann), "/forgetme")
    await world.answer_to(world.press(ann, world.posts(ann)[-1], 0))
    await bot.settled()
    ann.username, bob.username = None, "Ann24"
    await bot.says(bob, family, "/stats")
    assert (await _stats(bot, eve, family, "@ann24"))[0] == "\u2068Bob\u2069"
