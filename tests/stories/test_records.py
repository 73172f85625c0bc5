"""/records: the records of a group."""

import pytest

from tests.stories.clock import Clock
from tests.stories.conftest import RestartBot
from tests.telegram import Chat, User, World


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "en",
            (
                "There are no records here yet. /play deals a hand.",
                "Records of this chat",
                "⏱ easy · \u2068Bob\u2069 · 6 s · 21 Nov",
                "🔥 in a row · \u2068Ann\u2069 · 2 · 21 Nov",
                "📈 points in a day (UTC) · \u2068Ann\u2069 · 3 · 21 Nov",
            ),
        ),
        (
            "ru",
            (
                "Здесь пока нет рекордов. /play раздаст карты.",
                "Рекорды этого чата",
                "⏱ легко · \u2068Bob\u2069 · 6 с · 21 нояб.",
                "🔥 подряд · \u2068Ann\u2069 · 2 · 21 нояб.",
                "📈 очков за день (UTC) · \u2068Ann\u2069 · 3 · 21 нояб.",
            ),
        ),
    ],
)
async def test_records_name_their_holders_after_restart(
    restart_bot: RestartBot,
    world: World,
    clock: Clock,
    ann: User,
    bob: User,
    family: Chat,
    language: str,
    texts: tuple[str, ...],
) -> None:
    bot = await restart_bot(world)
    await bot.say(ann, family, f"/records@{world.bot.username}")
    assert world.posts(family)[-1].text == texts[0]
    for user, seconds in ((ann, 20), (ann, 9), (bob, 6)):
        deal = await bot.deal(user, family, 1, 2, 3, 4)
        clock.advance(seconds)
        await bot.say(user, family, "1*2*3*4", reply_to=deal)
    bot = await restart_bot(world)
    await bot.say(bob, family, f"/records@{world.bot.username}")
    assert world.posts(family)[-1].text.splitlines() == list(texts[1:])


async def test_deleted_player_holds_no_record(
    restart_bot: RestartBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    bot = await restart_bot(world)
    for user, seconds in ((bob, 6), (ann, 20)):
        deal = await bot.deal(user, family, 1, 2, 3, 4)
        clock.advance(seconds)
        await bot.say(user, family, "1*2*3*4", reply_to=deal)
    await bot.say(bob, world.chat_of(bob), "/forgetme")
    await world.answer_to(world.press(bob, world.posts(bob)[-1], 0))
    await bot.settle()
    await bot.say(ann, family, f"/records@{world.bot.username}")
    text = world.posts(family)[-1].text
    assert "Ann" in text
    assert "Bob" not in text
    assert "•" not in text
