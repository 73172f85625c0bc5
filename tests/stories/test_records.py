"""A group's own records, by whoever asks there."""

import pytest

from tests.stories.clock import Clock
from tests.stories.conftest import RestartBot
from tests.telegram import Chat, User, World


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (
            "en",
            (
                "There are no records here yet. /play deals a hand.",
                "Records of this chat",
                "⏱ easy · \u2068Bob\u2069 · 6 seconds · 2026-11-21",
                "🔥 in a row · \u2068Ann\u2069 · 2 · 2026-11-21",
                "📈 points in a day (UTC) · \u2068Ann\u2069 · 3 · 2026-11-21",
            ),
        ),
        (
            "ru",
            (
                "Здесь пока нет рекордов. /play раздаёт карты.",
                "Рекорды этого чата",
                "⏱ легко · \u2068Bob\u2069 · 6 секунд · 2026-11-21",
                "🔥 подряд · \u2068Ann\u2069 · 2 · 2026-11-21",
                "📈 очков за день (UTC) · \u2068Ann\u2069 · 3 · 2026-11-21",
            ),
        ),
    ],
)
async def test_who_holds_which_record_also_after_a_restart(
    restart_bot: RestartBot,
    world: World,
    clock: Clock,
    ann: User,
    bob: User,
    family: Chat,
    language: str,
    told: tuple[str, ...],
) -> None:
    bot = await restart_bot(world)
    await bot.say(ann, family, f"/records@{world.bot.username}")
    assert world.posts(family)[-1].text == told[0]
    for user, seconds in ((ann, 20), (ann, 9), (bob, 6)):
        deal = await bot.deal(user, family, 1, 2, 3, 4)
        clock.advance(seconds)
        await bot.say(user, family, "1*2*3*4", reply_to=deal)
    bot = await restart_bot(world)
    await bot.say(bob, family, f"/records@{world.bot.username}")
    assert world.posts(family)[-1].text.splitlines() == list(told[1:])


async def test_whoever_is_forgotten_holds_none(
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
