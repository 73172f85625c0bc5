"""/stats: the statistics of one player, for those who play in the same chat."""

import re

import pytest

from bot.durations import DAY
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot
from tests.stories.test_runs import begin, solve
from tests.telegram import Chat, Message, User, World


async def win_hand(bot: LiveBot, clock: Clock, user: User, chat: Chat, seconds: float) -> None:
    clock.advance(60)
    deal = await bot.deal(user, chat, 1, 2, 3, 4)
    clock.advance(seconds)
    await bot.say(user, chat, "1*2*3*4", reply_to=deal)


async def read_stats(
    bot: LiveBot, user: User, chat: Chat, of: str = "", reply_to: Message | None = None
) -> list[str]:
    await bot.say(user, chat, f"/stats@{bot.world.bot.username} {of}".rstrip(), reply_to=reply_to)
    return bot.world.posts(chat)[-1].text.splitlines()


@pytest.mark.texts
@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "en",
            (
                "Here: 3 points, #1",
                "In all: 3 points",
                "Answered 4 hands, won 3",
                "Rating: after 7 more hands (daily too)",
                "Won in a row: 3, at best 3",
                "⏱ easy 10 s",
                "Points a day, for 30 days",
            ),
        ),
        (
            "es",
            (
                "Aquí: 3 puntos, #1",
                "En total: 3 puntos",
                "Respuestas en 4 manos, ganó 3",
                "Valoración: faltan 7 manos (o del día)",
                "Victorias seguidas: 3, máximo 3",
                "⏱ fácil 10 s",
                "Puntos por día, últimos 30 días",
            ),
        ),
    ],
)
async def test_own_statistics_survive_restart(
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
    (empty,) = await read_stats(bot, ann, family)
    assert empty.startswith("\u2068Ann\u2069 ")
    assert "/play" in empty
    await win_hand(bot, clock, bob, family, 5)
    for seconds in (10, 20, 30):
        await win_hand(bot, clock, ann, family, seconds)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8*3-8/3", reply_to=deal)
    bot = await restart_bot(world)
    assert await read_stats(bot, ann, family) == [
        "\u2068Ann\u2069 · Twenty-Four",
        *texts,
        "▁" * 29 + "█",
    ]


async def test_private_statistics_name_no_chat(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    club = world.group("Club", ann)
    for chat, seconds in ((family, 20), (club, 7), (family, 30)):
        await win_hand(bot, clock, ann, chat, seconds)
    lines = await read_stats(bot, ann, world.chat_of(ann))
    assert lines[:6] == [
        "\u2068Ann\u2069 · Twenty-Four",
        "In all: 5 points",
        "Answered 3 hands, won 3",
        "Rating: after 7 more hands (daily too)",
        "Won in a row: 2, at best 2",
        "⏱ easy 7 s",
    ]
    in_group = await read_stats(bot, ann, family)
    assert in_group[1:4] == ["Here: 3 points, #1", "In all: 5 points", "Answered 3 hands, won 3"]
    assert not any("Club" in line or "Family" in line for line in (*lines, *in_group))


@pytest.mark.texts
@pytest.mark.long
async def test_statistics_list_achievements(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    await win_hand(bot, clock, ann, family, 3)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    clock.advance(60)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert (await read_stats(bot, ann, family))[-1] == "🏅 Hard nut · Lightning"


@pytest.mark.texts
async def test_statistics_of_others_are_shown_in_common_groups_only(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    ann.username, bob.username = "ann24", "bobby"
    family, club, den = world.group("Family", ann, bob), world.group("Club", bob), world.group("Den", ann)
    await win_hand(bot, clock, ann, family, 10)
    await win_hand(bot, clock, ann, den, 6)
    message = await bot.say(ann, family, "well then")
    for lines in (
        await read_stats(bot, bob, family, "@Ann24"),
        await read_stats(bot, bob, family, reply_to=message),
    ):
        assert lines[:5] == [
            "\u2068Ann\u2069 · Twenty-Four",
            "Here: 2 points, #1",
            "Answered 1 hand, won 1",
            "Won in a row: 1, at best 1",
            "⏱ easy 10 s",
        ]
        assert len(lines) == 7
    for chat in (club, world.chat_of(bob)):
        elsewhere = await read_stats(bot, bob, chat, "@Ann24")
        stranger = await read_stats(bot, bob, chat, "@nobody_at_all")
        assert elsewhere == ["\u2068@Ann24\u2069 has not answered a hand here yet. /play deals a hand."]
        assert [line.replace("@nobody_at_all", "@Ann24") for line in stranger] == elsewhere


async def test_player_with_a_public_name_shows_statistics_of_all_chats(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    ann.username = "ann24"
    den = world.group("Den", ann)
    for chat in (family, den):
        await win_hand(bot, clock, ann, chat, 10)
    await bot.say(ann, world.chat_of(ann), "/privacy")
    await world.answer_to(world.press(ann, world.posts(ann)[-1], "Show my name"))
    await bot.settle()
    lines = await read_stats(bot, bob, family, "@ann24")
    assert lines[1:3] == ["Here: 2 points, #1", "In all: 4 points"]


async def test_statistics_count_daily_hands(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    await win_hand(bot, clock, ann, family, 10)
    for _ in range(2):
        clock.advance(86_400)
        bot.rig(3, 8, 3, 8)
        await bot.say(ann, world.chat_of(ann), "/daily")
        clock.advance(60)
        await bot.say(ann, world.chat_of(ann), "8/(3-8/3)")
    lines = await read_stats(bot, ann, family)
    at = lines.index("Daily hands: 2, in a row 2, at best 2")
    assert lines[at + 1] == "□□□□□□□ □□□□□□□ □□□□□□□ □□□□□□■ ■"
    assert lines[at + 2] == "□ missed ■ solved"


@pytest.mark.parametrize("privacy", [False])
async def test_username_names_its_present_owner(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    ann.username, eve = "Ann24", world.user("Eve")
    family = world.group("Family", ann, bob, eve)
    for player in (ann, bob):
        await win_hand(bot, clock, player, family, 10)

    async def read_name() -> str:
        return (await read_stats(bot, eve, family, "@ANN24"))[0]

    assert await read_name() == "\u2068Ann\u2069 · Twenty-Four"
    ann.username, bob.username = None, "aNN24"
    await bot.say(bob, family, "/stats")
    assert await read_name() == "\u2068Bob\u2069 · Twenty-Four"
    ann.username, bob.username = "ann24", None
    await bot.say(bob, family, "/stats")  # dropped
    assert (await read_name()).startswith("\u2068@ANN24\u2069 has not answered a hand")
    await bot.say(ann, family, "/stats")
    assert await read_name() == "\u2068Ann\u2069 · Twenty-Four"
    ann.username, eve.username = None, "Ann24"
    await bot.say(eve, family, "good morning")  # Eve never plays, so the bot does not know her
    assert (await read_name()).startswith("\u2068@ANN24\u2069 has not answered a hand")


@pytest.mark.parametrize("privacy", [False])
async def test_username_of_replied_or_deleted_player_is_dropped(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    ann.username, eve = "ann24", world.user("Eve")
    family = world.group("Family", ann, bob, eve)
    for player in (ann, bob):
        await win_hand(bot, clock, player, family, 10)
    ann.username, eve.username = None, "ann24"
    message = world.say(eve, family, "hello", hear=False)
    await bot.say(bob, family, "hello Eve", reply_to=message)
    assert "has not answered a hand" in (await read_stats(bot, bob, family, "@ann24"))[0]
    ann.username, eve.username = "ann24", None
    await bot.say(ann, family, "/stats")
    await bot.say(ann, world.chat_of(ann), "/forgetme")
    await world.answer_to(world.press(ann, world.posts(ann)[-1], 0))
    await bot.settle()
    ann.username, bob.username = None, "Ann24"
    await bot.say(bob, family, "/stats")
    assert (await read_stats(bot, eve, family, "@ann24"))[0] == "\u2068Bob\u2069 · Twenty-Four"


async def test_statistics_are_found_by_name(bot: LiveBot, world: World, clock: Clock, ann: User) -> None:
    bob, twin = world.user("Bob"), world.user("Eve", username="bob")
    family = world.group("Family", ann, bob, twin)
    await win_hand(bot, clock, bob, family, 10)
    for typed in ("bob", "Bob", "BOB"):
        assert (await read_stats(bot, ann, family, typed))[:2] == [
            "\u2068Bob\u2069 · Twenty-Four",
            "Here: 2 points, #1",
        ]
    (unknown,) = await read_stats(bot, ann, family, "Zoe")
    assert unknown == "\u2068Zoe\u2069 has not answered a hand here yet. /play deals a hand."
    await win_hand(bot, clock, twin, family, 10)
    (several,) = await read_stats(bot, ann, family, "bob")
    assert several.startswith("Several people here are called \u2068bob\u2069.")
    (elsewhere,) = await read_stats(bot, ann, world.chat_of(ann), "bob")
    assert elsewhere == "\u2068bob\u2069 has not answered a hand here yet. /play deals a hand."


async def test_pace_of_the_month_is_told_once_it_is_no_noise(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    private = world.chat_of(ann)
    for seconds in (2, 3, 2, 3, 2, 3, 2, 3, 2):
        await win_hand(bot, clock, ann, private, seconds)
    assert not any("time than usual" in line for line in await read_stats(bot, ann, private))
    await win_hand(bot, clock, ann, private, 3)
    (line,) = [line for line in await read_stats(bot, ann, private) if "time than usual" in line]
    assert re.fullmatch(r"Nov: solved in \d+ % less time than usual \(\d+–\d+ %\)", line)
    clock.advance(31 * DAY)
    assert not any("time than usual" in line for line in await read_stats(bot, ann, private))


@pytest.mark.texts
async def test_who_has_played_only_storms_is_told_the_pace(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    run = await begin(bot, ann)
    assert await read_stats(bot, ann, family) == [
        "\u2068Ann\u2069 · Twenty-Four",
        "Rating: after 10 more hands (daily too)",
    ]
    for seconds in (2, 3) * 6:
        clock.advance(seconds)
        await solve(bot, ann, run)
    lines = await read_stats(bot, ann, world.chat_of(ann))
    assert lines[2].startswith("Nov: solved in ")
