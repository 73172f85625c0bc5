"""A draw of Countdown is given away: what was handed in before counts, and another draw takes its place."""

import re
from pathlib import Path

import pytest

import solver
from bot.games.countdown import rules
from bot.i18n import words
from tests.stories.conftest import Evening, emoji, evening
from tests.stories.hours import Hours, time_left
from tests.stories.test_countdown import begun, drawn, off_by
from tests.stories.test_giveaway import too_slow
from tests.telegram import Chat, Message, User, World


async def looked_up(bot: Evening, user: User, deal: Message) -> str:
    """What /why tells somebody in private who never played in the group."""
    tiles, target = drawn(deal)
    await bot.says(user, bot.world.place(user), f"/why {' '.join(map(str, tiles))} = {target}")
    best = str(solver.nearest(tiles, target).expression)
    assert best in bot.world.posts(user)[-1].text
    return best


def scores(message: Message) -> list[str]:
    return [line for line in message.text.splitlines() if line.startswith("🏆")]


async def points(bot: Evening, user: User, chat: Chat) -> int:
    await bot.says(user, chat, f"/leaderboard@{bot.world.bot.username}")
    lines = bot.world.posts(chat)[-1].text.splitlines()
    found = [re.fullmatch(rf"\d+\. \u2068{user.first_name}\u2069 — (\d+)", line) for line in lines]
    return next((int(line[1]) for line in found if line), 0)


@pytest.mark.parametrize("language", ["en", "ru"])
async def test_what_was_handed_in_before_counts_and_another_draw_has_the_same_deadline(
    world: World, hours: Hours, database: Path, ann: User, bob: User, language: str
) -> None:
    cid = world.user("Cid", language_code=language)
    group = world.group("Group", bob, ann, cid)
    async with evening(world, database) as bot:
        deal = await begun(bot, bob, group)
        first = drawn(deal)
        near, exact = off_by(*first, 3), off_by(*first, 0)
        await looked_up(bot, ann, deal)
        assert emoji(await bot.says(bob, group, near, reply_to=deal)) == "👌"
        hours.pass_(15)
        assert emoji(await bot.says(cid, group, exact, reply_to=deal)) == "👌"  # five seconds more
        hours.pass_(1)
        ways = (off_by(*first, off) for off in (1, 2, 4, 5, 6))
        another = next(way for way in ways if exact not in way and near not in way)
        await bot.says(ann, group, another, reply_to=deal)
        second = drawn(deal)
        assert second != first
        assert time_left(deal) == 45  # 44 s, as the message rounds them
        assert "✋" not in deal.text
        value = solver.parse(exact).value
        assert scores(deal) == [f"🏆 \u2068Cid\u2069: {exact} = {value} · +10"]
        said = words(language)
        why = said.say("that one was given away: what was handed in before counts, and this is another.")
        assert f"💬 \u2068Ann\u2069: {why}" in deal.text.splitlines()
        assert emoji(await bot.says(bob, group, exact, reply_to=deal)) == "👏"  # now everybody knows it
    async with evening(world, database) as bot:
        again = off_by(*second, 2)
        assert emoji(await bot.says(bob, group, again, reply_to=deal)) == "👌"
        hours.pass_(60)
        await bot.looked()
        assert scores(deal) == [
            f"🏆 \u2068Bob\u2069: {again} = {solver.parse(again).value} · +7",
            f"🏆 \u2068Cid\u2069: {exact} = {value} · +10",
        ]
        assert [await points(bot, who, group) for who in (ann, bob, cid)] == [0, 7, 10]


@pytest.mark.parametrize("language", ["en", "es"])
async def test_without_another_draw_it_is_over_and_counts(
    bot: Evening, world: World, monkeypatch: pytest.MonkeyPatch, ann: User, bob: User
) -> None:
    group = world.group("Group", bob, ann)
    deal = await begun(bot, bob, group)
    best = await looked_up(bot, ann, deal)
    near = off_by(*drawn(deal), 1)
    await bot.says(bob, group, near, reply_to=deal)
    monkeypatch.setattr(bot.solving, "ask", too_slow)
    await bot.says(ann, group, best, reply_to=deal)
    assert scores(deal) == [f"🏆 \u2068Bob\u2069: {near} = {solver.parse(near).value} · +7"]
    assert "⏳" not in deal.text


async def test_before_anybody_is_in_it_is_another_draw_and_nothing_else(
    bot: Evening, world: World, ann: User, bob: User
) -> None:
    group = world.group("Group", bob, ann)
    deal = await begun(bot, bob, group)
    first = drawn(deal)
    await bot.says(ann, group, await looked_up(bot, ann, deal), reply_to=deal)
    assert drawn(deal) != first
    assert scores(deal) == []
    assert "so this is another: same time, same points." in deal.text


async def test_in_a_race_it_is_over_and_the_next_draw_follows(
    bot: Evening, world: World, hours: Hours, ann: User, bob: User
) -> None:
    group = world.group("Group", bob, ann)
    await bot.says(bob, group, f"/race@{world.bot.username} countdown 2")
    race = world.posts(group)[-1]
    first = drawn(race)
    near = off_by(*first, 3)
    await bot.says(bob, group, near, reply_to=race)
    await bot.says(ann, group, await looked_up(bot, ann, race), reply_to=race)
    second = drawn(race)
    assert second != first
    assert any(line.startswith("#1 🏆 \u2068Bob\u2069 7: ") for line in race.text.splitlines())
    assert "what was handed in before counts." in race.text
    best = solver.nearest(*second)
    await bot.says(bob, group, str(best.expression), reply_to=race)
    hours.pass_(70)
    await bot.looked()
    assert f"1. \u2068Bob\u2069 — {7 + rules.points(best.distance)}" in race.text.splitlines()


@pytest.mark.parametrize("who", ["a watcher", "a peeker"])
async def test_who_repeats_what_was_handed_in_takes_nothing_from_anybody(
    bot: Evening, world: World, hours: Hours, ann: User, bob: User, who: str
) -> None:
    cid = world.user("Cid")
    club = world.group("Club", ann, bob, cid)
    if who == "a watcher":
        await bot.says(ann, club, f"/duel@{world.bot.username} countdown")
        world.press(bob, world.posts(club)[-1], "Accept")
        await bot.settled()
    else:
        await bot.says(ann, club, f"/countdown@{world.bot.username}")
    deal = world.posts(club)[-1]
    line = next(line for line in deal.text.splitlines() if " → " in line)
    if who == "a peeker":
        await bot.says(cid, world.place(cid), f"/solve {line.replace('→', '=')}")
    tiles, target = drawn(deal)
    near = off_by(tiles, target, 2)
    await bot.says(ann, club, near, reply_to=deal)
    assert emoji(await bot.says(cid, club, near, reply_to=deal)) == "👀"
    assert line in deal.text.splitlines()
    assert "Cid" not in deal.text
    hours.pass_(70)
    await bot.looked()
    assert (near if who == "a peeker" else "#1 🏆 \u2068Ann\u2069 7") in deal.text
    assert "Cid" not in deal.text
