"""What one person has done in a chat, for those who play there."""

import pytest

from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot
from tests.telegram import Chat, Message, User, World

START = 1_763_726_400.0


async def _wins(bot: LiveBot, clock: Clock, user: User, chat: Chat, seconds: float) -> None:
    clock.advance(60)
    deal = await bot.deal(user, chat, 1, 2, 3, 4)
    clock.advance(seconds)
    await bot.say(user, chat, "1*2*3*4", reply_to=deal)


async def _stats(
    bot: LiveBot, user: User, chat: Chat, of: str = "", reply_to: Message | None = None
) -> list[str]:
    await bot.say(user, chat, f"/stats@{bot.world.bot.username} {of}".rstrip(), reply_to=reply_to)
    return bot.world.posts(chat)[-1].text.splitlines()


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (
            "en",
            (
                "Here: 3 points, won 3 of 4, #1",
                "In all: 3 points, won 3 of 4",
                "Rating: after 7 more hands",
                "Won in a row: 3, at best 3",
                "⏱ easy 0:10",
                "30 days: ",
            ),
        ),
        (
            "es",
            (
                "Aquí: 3 puntos, ganó 3 de 4, #1",
                "En total: 3 puntos, ganó 3 de 4",
                "Valoración: faltan 7 manos",
                "Victorias seguidas: 3, máximo 3",
                "⏱ fácil 0:10",
                "30 días: ",
            ),
        ),
    ],
)
async def test_own_figures_also_after_a_restart(
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
    (nothing,) = await _stats(bot, ann, family)
    assert nothing.startswith("\u2068Ann\u2069 ")
    assert "/play" in nothing
    await _wins(bot, clock, bob, family, 5)
    for seconds in (10, 20, 30):
        await _wins(bot, clock, ann, family, seconds)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8*3-8/3", reply_to=deal)
    bot = await restart_bot(world)
    assert await _stats(bot, ann, family) == ["\u2068Ann\u2069", *told[:-1], told[-1] + "▁" * 29 + "█"]


async def test_alone_with_the_bot_all_chats_are_one_and_none_is_named(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    club = world.group("Club", ann)
    for chat, seconds in ((family, 20), (club, 7), (family, 30)):
        await _wins(bot, clock, ann, chat, seconds)
    lines = await _stats(bot, ann, world.chat_of(ann))
    assert lines[:5] == [
        "\u2068Ann\u2069",
        "In all: 5 points, won 3 of 3",
        "Rating: after 7 more hands",
        "Won in a row: 2, at best 2",
        "⏱ easy 0:07",
    ]
    here = await _stats(bot, ann, family)
    assert here[1:3] == ["Here: 3 points, won 2 of 2, #1", "In all: 5 points, won 3 of 3"]
    assert not any("Club" in line or "Family" in line for line in (*lines, *here))


@pytest.mark.long
async def test_what_was_earned_is_listed(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    await _wins(bot, clock, ann, family, 3)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    clock.advance(60)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert (await _stats(bot, ann, family))[-1] == "🏅 Fiend tamer · Lightning"


async def test_figures_of_others_only_where_they_play(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    ann.username, bob.username = "ann24", "bobby"
    family, club, den = world.group("Family", ann, bob), world.group("Club", bob), world.group("Den", ann)
    await _wins(bot, clock, ann, family, 10)
    await _wins(bot, clock, ann, den, 6)
    said = await bot.say(ann, family, "well then")
    for lines in (
        await _stats(bot, bob, family, "@Ann24"),
        await _stats(bot, bob, family, reply_to=said),
    ):
        assert lines[:4] == [
            "\u2068Ann\u2069",
            "Here: 2 points, won 1 of 1, #1",
            "Won in a row: 1, at best 1",
            "⏱ easy 0:10",
        ]
        assert len(lines) == 5
    for chat in (club, world.chat_of(bob)):
        elsewhere = await _stats(bot, bob, chat, "@Ann24")
        stranger = await _stats(bot, bob, chat, "@nobody_at_all")
        assert elsewhere == ["\u2068@Ann24\u2069 has not played a round here yet. /play deals a hand."]
        assert [line.replace("@nobody_at_all", "@Ann24") for line in stranger] == elsewhere


async def test_who_shows_their_name_to_all_chats_shows_what_they_did_there(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    ann.username = "ann24"
    den = world.group("Den", ann)
    for chat in (family, den):
        await _wins(bot, clock, ann, chat, 10)
    await bot.say(ann, world.chat_of(ann), "/privacy")
    await world.answer_to(world.press(ann, world.posts(ann)[-1], "Show my name"))
    await bot.settle()
    lines = await _stats(bot, bob, family, "@ann24")
    assert lines[1:3] == ["Here: 2 points, won 1 of 1, #1", "In all: 4 points, won 2 of 2"]


async def test_the_daily_hands_are_among_the_figures(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    await _wins(bot, clock, ann, family, 10)
    for _ in range(2):
        clock.advance(86_400)
        bot.rig(3, 8, 3, 8)
        await bot.say(ann, world.chat_of(ann), "/daily")
        clock.advance(60)
        await bot.say(ann, world.chat_of(ann), "8/(3-8/3)")
    lines = await _stats(bot, ann, family)
    at = lines.index("Daily hands: 2, in a row 2, at best 2")
    assert lines[at + 1] == "□□□□□□□ □□□□□□□ □□□□□□□ □□□□□□■ ■"


@pytest.mark.parametrize("privacy", [False])
async def test_a_username_is_whose_it_is_now(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    ann.username, eve = "Ann24", world.user("Eve")
    family = world.group("Family", ann, bob, eve)
    for player in (ann, bob):
        await _wins(bot, clock, player, family, 10)

    async def named() -> str:
        return (await _stats(bot, eve, family, "@ANN24"))[0]

    assert await named() == "\u2068Ann\u2069"
    ann.username, bob.username = None, "aNN24"
    await bot.say(bob, family, "/stats")
    assert await named() == "\u2068Bob\u2069"
    ann.username, bob.username = "ann24", None
    await bot.say(bob, family, "/stats")  # dropped
    assert (await named()).startswith("\u2068@ANN24\u2069 has not played")
    await bot.say(ann, family, "/stats")
    assert await named() == "\u2068Ann\u2069"
    ann.username, eve.username = None, "Ann24"
    await bot.say(eve, family, "good morning")  # she never plays, and is nobody that is known
    assert (await named()).startswith("\u2068@ANN24\u2069 has not played")


@pytest.mark.parametrize("privacy", [False])
async def test_a_username_seen_in_a_reply_or_given_up_with_all_else(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    ann.username, eve = "ann24", world.user("Eve")
    family = world.group("Family", ann, bob, eve)
    for player in (ann, bob):
        await _wins(bot, clock, player, family, 10)
    ann.username, eve.username = None, "ann24"
    said = world.say(eve, family, "hello", hear=False)
    await bot.say(bob, family, "hello Eve", reply_to=said)
    assert "has not played" in (await _stats(bot, bob, family, "@ann24"))[0]
    ann.username, eve.username = "ann24", None
    await bot.say(ann, family, "/stats")
    await bot.say(ann, world.chat_of(ann), "/forgetme")
    await world.answer_to(world.press(ann, world.posts(ann)[-1], 0))
    await bot.settle()
    ann.username, bob.username = None, "Ann24"
    await bot.say(bob, family, "/stats")
    assert (await _stats(bot, eve, family, "@ann24"))[0] == "\u2068Bob\u2069"
