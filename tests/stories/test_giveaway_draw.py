"""A draw of Countdown is given away: what was handed in before counts, and nobody gains by it."""

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


NEARER = "that one was given away: only what comes nearer counts now."
BEFORE = "that one was given away: what was handed in before counts."


@pytest.mark.parametrize("language", ["en", "ru"])
async def test_the_draw_goes_on_and_only_what_comes_nearer_counts_from_then_on(
    world: World, hours: Hours, database: Path, ann: User, bob: User, language: str
) -> None:
    cid, dee = world.user("Cid", language_code=language), world.user("Dee")
    group = world.group("Group", bob, ann, cid, dee)
    async with evening(world, database) as bot:
        deal = await begun(bot, bob, group)
        one, three, five = (off_by(*drawn(deal), off) for off in (1, 3, 5))
        await looked_up(bot, ann, deal)
        assert emoji(await bot.says(bob, group, five, reply_to=deal)) == "👌"
        hours.pass_(10)
        await bot.says(ann, group, three, reply_to=deal)
        assert f"💬 \u2068Ann\u2069: {words(language).say(NEARER)}" in deal.text.splitlines()
        assert time_left(deal) == 60  # nobody's time is cut
        hours.pass_(2)
        assert (
            emoji(await bot.says(cid, group, three, reply_to=deal)) == "👌"
        )  # nobody copies as fast as that
        hours.pass_(1)
        for text in (three, five):
            assert emoji(await bot.says(dee, group, text, reply_to=deal)) == "👀"
    async with evening(world, database) as bot:
        hours.pass_(10)
        assert emoji(await bot.says(dee, group, three, reply_to=deal)) == "👀"
        assert emoji(await bot.says(bob, group, one, reply_to=deal)) == "👌"
        hours.pass_(60)
        await bot.looked()
        assert scores(deal) == [f"🏆 \u2068Bob\u2069: {one} = {solver.parse(one).value} · +7"]
        lines = deal.text.splitlines()
        assert f"\u2068Cid\u2069: {three} = {solver.parse(three).value}" in lines
        assert "Dee" not in deal.text
        assert [await points(bot, who, group) for who in (ann, bob, cid, dee)] == [0, 7, 0, 0]


@pytest.mark.parametrize("privacy", [False])
@pytest.mark.parametrize("others", [True, False])
async def test_the_target_given_away_ends_it_in_five_seconds_and_what_was_handed_in_counts(
    bot: Evening,
    world: World,
    hours: Hours,
    monkeypatch: pytest.MonkeyPatch,
    ann: User,
    bob: User,
    others: bool,
) -> None:
    cid = world.user("Cid")
    group = world.group("Group", bob, ann, cid)
    deal = await begun(bot, bob, group)
    await looked_up(bot, ann, deal)
    near, exact = off_by(*drawn(deal), 1), off_by(*drawn(deal), 0)
    await bot.says(bob, group, near, reply_to=deal)
    if not others:
        monkeypatch.setattr(bot.solving, "ask", too_slow)
    hours.pass_(10)
    await bot.says(ann, group, exact, reply_to=deal)
    assert BEFORE in deal.text
    assert "five more seconds" in deal.text
    hours.pass_(4)
    for text in (exact, near):
        assert emoji(await bot.says(cid, group, text, reply_to=deal)) == "👀"
    hours.pass_(4)
    await bot.looked()
    assert scores(deal) == [f"🏆 \u2068Bob\u2069: {near} = {solver.parse(near).value} · +7"]
    assert "⏳" not in deal.text


@pytest.mark.parametrize("privacy", [False])
async def test_what_is_near_in_a_draw_that_was_given_away_is_not_called_right(
    bot: Evening, hours: Hours, ann: User, bob: User, family: Chat
) -> None:
    deal = await begun(bot, bob, family)
    await looked_up(bot, ann, deal)
    near, exact = off_by(*drawn(deal), 1), off_by(*drawn(deal), 0)
    hours.pass_(10)
    await bot.says(ann, family, exact, reply_to=deal)
    hours.pass_(2)
    await bot.says(bob, family, near, reply_to=deal)
    said = bot.world.posts(family)[-1].text
    assert said == f"{near} = {solver.parse(near).value}, but that hand was given away."


@pytest.mark.parametrize("privacy", [False])
async def test_without_another_draw_it_stays_and_nobody_copies_it(
    bot: Evening, world: World, hours: Hours, monkeypatch: pytest.MonkeyPatch, ann: User, bob: User
) -> None:
    group = world.group("Group", bob, ann)
    deal = await begun(bot, bob, group)
    line = drawn(deal)
    await looked_up(bot, ann, deal)
    monkeypatch.setattr(bot.solving, "ask", too_slow)
    await bot.says(ann, group, off_by(*line, 2), reply_to=deal)
    assert (drawn(deal), NEARER in deal.text) == (line, True)
    hours.pass_(3)
    assert emoji(await bot.says(bob, group, off_by(*line, 2), reply_to=deal)) == "👀"
    assert emoji(await bot.says(bob, group, off_by(*line, 1), reply_to=deal)) == "👌"


@pytest.mark.long
@pytest.mark.parametrize("who", ["a channel", "an anonymous admin"])
async def test_nobody_gains_by_letting_a_channel_give_it_away_however_often(
    bot: Evening, world: World, hours: Hours, ann: User, bob: User, who: str
) -> None:
    group, channel = world.group("Group", ann, bob), world.channel("Bobs", bob)

    async def given_away(text: str) -> None:
        if who == "a channel":
            world.say_as_channel(group, channel, text, reply_to=deal)
        else:
            world.say_anonymously(group, text, reply_to=deal)
        await bot.settled()

    for worth in (0, 7, 14):
        deal = await begun(bot, ann, group)
        two, three, four = (off_by(*drawn(deal), off) for off in (2, 3, 4))
        hours.pass_(3)
        assert emoji(await bot.says(bob, group, two, reply_to=deal)) == "👌"
        await given_away(three if worth != 7 else four)
        assert scores(deal) == []
        assert NEARER in deal.text
        assert emoji(await bot.says(ann, group, two, reply_to=deal)) == "👌"
        hours.pass_(60)
        await bot.looked()
        assert len(scores(deal)) == 2
        assert await points(bot, ann, group) == await points(bot, bob, group) == worth + 7


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


@pytest.mark.long
async def test_in_a_race_too_it_goes_on_and_the_next_draw_follows(
    bot: Evening, world: World, hours: Hours, ann: User, bob: User
) -> None:
    group = world.group("Group", bob, ann)
    await bot.says(bob, group, f"/race@{world.bot.username} countdown 2")
    race = world.posts(group)[-1]
    first = drawn(race)
    near = off_by(*first, 3)
    await bot.says(bob, group, near, reply_to=race)
    await looked_up(bot, ann, race)
    await bot.says(ann, group, off_by(*first, 0), reply_to=race)
    assert drawn(race) == first
    assert BEFORE in race.text
    hours.pass_(8)
    await bot.looked()
    second = drawn(race)
    assert second != first
    assert time_left(race) == 60
    assert f"#1 🏆 \u2068Bob\u2069 7: {near} = {solver.parse(near).value}" in race.text.splitlines()
    best = solver.nearest(*second)
    await bot.says(bob, group, str(best.expression), reply_to=race)
    hours.pass_(70)
    await bot.looked()
    assert f"1. \u2068Bob\u2069 — {7 + rules.points(best.distance)}" in race.text.splitlines()


@pytest.mark.long
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
