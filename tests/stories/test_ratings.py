"""Ratings: in the table of a group, in the table of all players, and in a profile."""

import json
import re
from pathlib import Path

import pytest

from bot.queue.pacing import Pace
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot, run_bot
from tests.telegram import Chat, Message, User, World

MINE = "@TwentyFourTestBot"
LINE = re.compile(r"(\d+)\. \u2068([^\u2069]+)\u2069 — (\d+) ± (\d+)")
DAY = 86_400.0
UNPACED = Pace(posts_a_minute=1000, redraw_gap=0.0)


async def play_hands(
    bot: LiveBot, clock: Clock, chat: Chat, winner: User, *wrong: User, times: int = 1
) -> None:
    """Let `winner` solve hands in twenty seconds, after wrong answers of `wrong`."""
    for _ in range(times):
        clock.advance(60)
        deal = await bot.deal(winner, chat, 1, 2, 3, 4)
        for user in wrong:
            await bot.say(user, chat, "1+2+3+4", reply_to=deal)
        clock.advance(20)
        await bot.say(winner, chat, "1*2*3*4", reply_to=deal)


async def send_command(bot: LiveBot, user: User, chat: Chat, command: str) -> Message:
    await bot.say(user, chat, f"/{command}{MINE}" if chat.type != "private" else f"/{command}")
    return bot.world.posts(chat)[-1]


async def press_data(bot: LiveBot, user: User, message: Message, data: str) -> str:
    answer = await bot.world.answer_to(bot.world.press(user, message, data=data))
    await bot.settle()
    return answer


def parse_ratings(message: Message) -> list[tuple[str, ...]]:
    """Return rank, name, rating and margin of each line."""
    return [found.groups() for line in message.text.splitlines() if (found := LINE.fullmatch(line))]


def list_button_data(message: Message) -> list[str]:
    rows = (message.markup or {})["inline_keyboard"]
    return [button["callback_data"] for row in rows for button in row]


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "en",
            (
                "Rating: after 1 more hand (daily too)",
                "Nobody has a rating here yet",
                "Rating: ",
                "two of three hands",
            ),
        ),
        (
            "ru",
            (
                "Рейтинг: ещё 1 раздача, считая дневные",
                "пока ни у кого нет",
                "Рейтинг: ",
                "две раздачи из трёх",
            ),
        ),
    ],
)
async def test_rating_needs_ten_hands_and_grows_unsure_with_time(
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
    await play_hands(bot, clock, family, ann, bob, times=9)
    assert texts[0] in (await send_command(bot, ann, family, "stats")).text.splitlines()
    best = await send_command(bot, ann, family, "top")
    assert texts[1] in best.text
    assert parse_ratings(best) == []
    bot = await restart_bot(world)
    await play_hands(bot, clock, family, ann, bob)
    best = await send_command(bot, bob, family, "top")
    ((first, one, points, margin), (second, other, *_)) = parse_ratings(best)
    assert (first, one, second, other) == ("1", "Ann", "2", "Bob")  # who never scored here
    assert int(points) > 1500
    assert texts[3] in best.text
    assert (
        f"{texts[2]}{points} ± {margin}" in (await send_command(bot, ann, family, "stats")).text.splitlines()
    )
    await play_hands(bot, clock, family, bob)
    (line, lower) = parse_ratings(await send_command(bot, ann, family, "top"))
    assert line == ("1", "Ann", points, margin)
    assert (lower[0], lower[1]) == ("2", "Bob")
    assert int(lower[2]) < int(points)
    clock.advance(60 * DAY)
    bot = await restart_bot(world)
    ((_, _, later, wider), _) = parse_ratings(await send_command(bot, ann, family, "top"))
    assert later == points
    assert int(wider) > int(margin)


@pytest.mark.long
async def test_buttons_switch_the_table_in_place(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await play_hands(bot, clock, family, ann, bob, times=10)
    best = await send_command(bot, ann, family, "top")
    posts = len(world.posts(family))
    assert list_button_data(best)[:2] == ["lb:h:a", "tp:h:a"]
    await press_data(bot, bob, best, "lb:h:a")
    assert "1. \u2068Ann\u2069 — 11" in best.text.splitlines()
    assert "\u2068Bob\u2069 has no points here yet." in best.text
    await press_data(bot, bob, best, "tp:h:a")
    assert [line[1] for line in parse_ratings(best)] == ["Ann", "Bob"]
    clock.advance(DAY)
    await press_data(bot, bob, best, "tp:h:d")
    assert "Nobody with a rating has played here in this time." in best.text.splitlines()
    before = best.text
    for data in ("tp:r:h:a", "tp:x:a", "tp:", "tp:h"):
        assert "out of date" in await press_data(bot, ann, best, data)
    assert best.text == before
    assert len(world.posts(family)) == posts


@pytest.mark.long
async def test_private_table_lists_all_players_with_masked_names(
    database: Path, world: World, clock: Clock, ann: User, bob: User
) -> None:
    async with run_bot(world, database, UNPACED) as bot:  # thirty hands in one chat
        cleo, dan = world.user("Cleo"), world.user("Dan")
        club = world.group("Club", ann, bob, cleo)
        for player in (ann, bob, cleo):
            await play_hands(bot, clock, club, player, times=10)
        page = await send_command(bot, bob, world.chat_of(bob), "privacy")
        await bot.world.answer_to(bot.world.press(bob, page, "Show my name"))
        await bot.settle()
        best = await send_command(bot, dan, world.chat_of(dan), "top")
        assert sorted(line[1] for line in parse_ratings(best)) == ["A•••", "Bob", "C•••"]
        assert "Groups count here" in best.text
        assert "\u2068D•••\u2069 has a rating after 10 more hands." in best.text
        await press_data(bot, dan, best, "tp:h:a")
        assert parse_ratings(best) == []


async def test_daily_hands_count_for_a_rating_and_chosen_hands_do_not(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    async def read_missing_hands(user: User) -> int:
        text = (await send_command(bot, user, world.chat_of(user), "stats")).text
        found = re.search(r"Rating: after (\d+) more", text)
        return int(found[1]) if found else 0

    await play_hands(bot, clock, family, ann, times=2)
    assert await read_missing_hands(ann) == 8
    deal = await send_command(bot, ann, world.chat_of(ann), "play 3 8 3 8")
    await bot.say(ann, world.chat_of(ann), "8/(3-8/3)", reply_to=deal)
    assert await read_missing_hands(ann) == 8
    bot.rig(1, 2, 3, 4)
    await bot.say(bob, world.chat_of(bob), "/daily")
    await bot.say(bob, world.chat_of(bob), "1*2*3*4")
    assert "1×2×3×4 = 24" in "\n".join(post.text for post in world.posts(bob))
    assert await read_missing_hands(bob) == 9


@pytest.mark.texts
async def test_profile_shows_each_game_as_far_as_the_reader_may_see(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    club = world.group("Club", ann)
    await play_hands(bot, clock, family, ann, bob, times=2)
    await play_hands(bot, clock, club, ann, times=3)
    profile = await send_command(bot, ann, family, "stats")
    posts = len(world.posts(family))
    assert list_button_data(profile)[4:6] == [f"pf:{ann.id}:24", f"pf:{ann.id}:countdown"]
    # a point a hand, and one more for each chat's first of the day
    assert profile.text.splitlines()[:5] == [
        "\u2068Ann\u2069 · Twenty-Four",
        "Here: 3 points, #1",
        "In all: 7 points",
        "Answered 5 hands, won 5",
        "Rating: after 5 more hands (daily too)",
    ]
    await press_data(bot, ann, profile, f"pf:{ann.id}:countdown")
    assert profile.text.splitlines() == ["\u2068Ann\u2069 · Countdown", "No round of it yet."]
    await press_data(bot, bob, profile, f"pf:{ann.id}:24")
    assert "In all" not in profile.text  # Bob may see what she did here
    assert "Here: 3 points, #1" in profile.text
    before = profile.text
    for data in (f"pf:{bob.id}:24", f"pf:{ann.id}:chess", "pf:0:", "pf::24", f"pf:{ann.id}:"):
        assert "out of date" in await press_data(bot, bob, profile, data)
    assert profile.text == before
    await press_data(bot, bob, profile, "pf:")
    assert profile.text.startswith("\u2068Bob\u2069 · Twenty-Four")
    assert len(world.posts(family)) == posts


@pytest.mark.long
async def test_rating_is_exported_and_deleted(
    database: Path, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    async with run_bot(world, database, UNPACED) as bot:
        await play_hands(bot, clock, family, ann, times=10)
        await play_hands(bot, clock, family, bob, times=10)
        await bot.say(ann, world.chat_of(ann), "/export")
        (file,) = world.documents
        (rating,) = json.loads(file)["rating"]
        assert rating["hands"] == 10
        assert len(parse_ratings(await send_command(bot, bob, family, "top"))) == 2
        await bot.say(ann, world.chat_of(ann), "/forgetme")
        await world.answer_to(world.press(ann, world.posts(ann)[-1], "Forget me"))
        await bot.settle()
        assert [line[1] for line in parse_ratings(await send_command(bot, bob, family, "top"))] == ["Bob"]
