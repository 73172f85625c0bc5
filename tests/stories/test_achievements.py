"""Achievements: earned once, shown in the message of the hand, exported and deleted on request."""

import json

import pytest

from tests.stories.clock import NOON, Clock
from tests.stories.conftest import LiveBot, RestartBot
from tests.telegram import Chat, Message, User, World

DAY = 86_400.0


async def win_hand(
    bot: LiveBot, clock: Clock, user: User, chat: Chat, *numbers: int, answer: str, seconds: float = 20
) -> Message:
    deal = await bot.deal(user, chat, *numbers)
    clock.advance(seconds)
    await bot.say(user, chat, answer, reply_to=deal)
    return deal


async def win_easy_hand(bot: LiveBot, clock: Clock, user: User, chat: Chat, seconds: float = 20) -> Message:
    return await win_hand(bot, clock, user, chat, 1, 2, 3, 4, answer="1*2*3*4", seconds=seconds)


def list_achievements(message: Message) -> list[str]:
    return [line for line in message.text.splitlines() if line.startswith("🏅")]


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", ("Hard nut (a very hard hand)", "Ten in a row")),
        ("es", ("Hueso duro (una mano muy difícil)", "Diez seguidas")),
    ],
)
async def test_fiendish_hand_and_ten_wins_in_a_row_survive_restarts(
    restart_bot: RestartBot,
    world: World,
    clock: Clock,
    ann: User,
    family: Chat,
    language: str,
    names: tuple[str, str],
) -> None:
    bot = await restart_bot(world)
    first = await win_hand(bot, clock, ann, family, 3, 8, 3, 8, answer="8/(3-8/3)")
    assert list_achievements(first) == [f"🏅 \u2068Ann\u2069: {names[0]}"]
    for _ in range(8):
        assert list_achievements(await win_easy_hand(bot, clock, ann, family)) == []
    bot = await restart_bot(world)
    tenth = await win_easy_hand(bot, clock, ann, family)
    assert list_achievements(tenth) == [f"🏅 \u2068Ann\u2069: {names[1]}"]
    again = await win_hand(bot, clock, ann, family, 3, 8, 3, 8, answer="8/(3-8/3)")
    assert list_achievements(again) == []
    assert len(world.posts(family)) == 11


async def test_two_achievements_of_a_win_are_explained(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 1, 2, 3, 4)
    for wrong in ("1+2+3+4", "1*2+3+4", "4*3-2-1"):
        await bot.say(bob, family, wrong, reply_to=deal)
    clock.advance(4)
    await bot.say(bob, family, "1*2*3*4", reply_to=deal)
    assert list_achievements(deal) == ["🏅 \u2068Bob\u2069: Lightning (in under 5 s)"]
    assert "   Undaunted (after three wrong answers)" in deal.text.splitlines()


async def test_players_with_the_same_achievement_share_a_line(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    people = [ann, bob, world.user("Cem"), world.user("Dan")]
    club = world.group("Club", *people)
    bot.rig(1, 2, 3, 8)
    await bot.say(ann, club, f"/play@{world.bot.username} all")
    deal = world.posts(club)[-1]
    ideas = ("2*(1+3+8)", "3*8*(2-1)", "(1+3)*(8-2)", "8/(1-2/3)")
    for person, idea in zip(people, ideas, strict=True):
        await bot.say(person, club, idea, reply_to=deal)
    assert list_achievements(deal) == [
        "🏅 \u2068Ann\u2069, \u2068Bob\u2069, \u2068Cem\u2069 … and 1 more: Lightning (in under 5 s)"
    ]
    assert all(f"\u2068{person.first_name}\u2069: " in deal.text for person in people), "each find is listed"


async def test_player_who_finds_every_idea_earns_achievement(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    bot.rig(1, 2, 3, 4)
    await bot.say(ann, family, f"/play@{world.bot.username} all")
    deal = world.posts(family)[-1]
    clock.advance(20)
    for idea in ("1*2*3*4", "4*(1+2+3)", "(1+3)*(2+4)"):
        assert list_achievements(deal) == []
        await bot.say(ann, family, idea, reply_to=deal)
    assert list_achievements(deal) == ["🏅 \u2068Ann\u2069: Every way (all found alone)"]


async def test_race_shows_achievements_of_the_previous_hand(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    for numbers in ((3, 8, 3, 8), (1, 2, 3, 4), (2, 2, 6, 6)):
        bot.rig(*numbers)
    await bot.say(ann, family, f"/race@{world.bot.username} 3")
    race = world.posts(family)[-1]
    clock.advance(10)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=race)
    assert list_achievements(race) == ["🏅 \u2068Ann\u2069: Hard nut (a very hard hand)"]
    clock.advance(10)
    await bot.say(ann, family, "1*2*3*4", reply_to=race)
    assert list_achievements(race) == []
    clock.advance(2)
    await bot.say(ann, family, "2*6+2*6", reply_to=race)
    assert list_achievements(race) == ["🏅 \u2068Ann\u2069: Hard nut (a very hard hand)"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "name"),
    [("en", "Seven days (daily hands in a row)"), ("ru", "Семь дней (раздач дня подряд)")],
)
async def test_seven_daily_hands_in_a_row_earn_achievement(
    bot: LiveBot, world: World, clock: Clock, ann: User, language: str, name: str
) -> None:
    for day in range(7):
        clock.now = NOON + day * DAY
        bot.rig(1, 2, 3, 4)
        await bot.say(ann, world.chat_of(ann), "/daily")
        clock.advance(60)
        await bot.say(ann, world.chat_of(ann), "1*2*3*4")
        result = world.posts(ann)[-1]
        assert list_achievements(result) == ([] if day < 6 else [f"🏅 {name}"])
    await bot.say(ann, world.chat_of(ann), "/daily")
    assert world.posts(ann)[-1].text == result.text


async def test_achievements_are_exported_deleted_and_earned_again(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    first = await win_hand(bot, clock, ann, family, 3, 8, 3, 8, answer="8/(3-8/3)")
    private = world.chat_of(ann)
    await bot.say(ann, private, "/export")
    exported = json.loads(list(world.files.values())[-1])
    assert [row["name"] for row in exported["achievements"]] == ["fiendish"]
    assert exported["achievements"][0]["at"] == "2026-11-21T12:00:20+00:00"
    await bot.say(ann, private, "/forgetme")
    await world.answer_to(world.press(ann, world.posts(ann)[-1], 0))
    await bot.settle()
    await bot.say(ann, private, "/export")
    assert json.loads(list(world.files.values())[-1])["achievements"] == []
    again = await win_hand(bot, clock, ann, family, 3, 8, 3, 8, answer="8/(3-8/3)")
    assert (
        list_achievements(again)
        == list_achievements(first)
        == ["🏅 \u2068Ann\u2069: Hard nut (a very hard hand)"]
    )
