"""/practice: hands by what is hard for somebody, in private, for nothing but their own record."""

import json
from pathlib import Path

import pytest

import solver
from bot.games.twentyfour import dealing, skills
from bot.games.twentyfour.rules import Hand
from bot.i18n import choose_language, get_words
from bot.telegram.messages import format_short_duration
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, read_reactions, run_bot
from tests.stories.test_countdown import find_entry, read_draw
from tests.telegram import Chat, Message, User, World

DIVISIONS = {"en": "divisions", "es": "DIVISIONES", "ru": "деление", "zh-hans": "除法"}


def solution(deal: Message) -> str:
    numbers, target = read_draw(deal)
    return str(next(iter(solver.ideas(numbers, target))))


def hand_of(deal: Message) -> Hand:
    numbers, target = read_draw(deal)
    return dealing.build_hand(tuple(numbers), target)


def _pace(deal: Message) -> str:
    (line,) = [line for line in deal.text.splitlines() if line.startswith("⏱")]
    return line


async def pressed(bot: LiveBot, user: User, message: Message, which: str | int) -> None:
    """Press the button; what it brings is there."""
    await bot.world.answer_to(bot.world.press(user, message, which))
    await bot.settle()


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "ru"])
async def test_hands_of_a_skill_and_what_improved_also_after_a_restart(
    world: World, clock: Clock, database: Path, ann: User, language: str
) -> None:
    said, place = get_words(language), world.chat_of(ann)
    async with run_bot(world, database) as bot:
        await bot.say(ann, place, f"/practice {DIVISIONS[language]}")
        deal = world.posts(ann)[-1]
        assert deal.text.startswith(
            f"🏋️ {said.translate('Practice · {skill}', skill=said.translate_plain('Divisions'))}"
        )
        assert skills.DIVISION in skills.find_skills(hand_of(deal))
        assert read_time_left(deal) == 10
        await pressed(bot, ann, deal, said.translate_plain("Hint"))
        assert deal.text.count("💡") == 1
        assert read_reactions(await bot.say(ann, place, "1+1")) == "👀"
    async with run_bot(world, database) as bot:
        lines, seconds = set[str](), [300, 280, 310, 290, 305, 2, 2, 2, 2, 2]
        times = {"before": "5:00", "after": said.translate("{n} s", n=2)}
        name = said.translate_plain("Divisions")
        better = said.translate("{skill}: {before} → {after} over your last ten", skill=name, **times)
        for count, took in enumerate(seconds, 1):
            lines.add(str(read_draw(deal)))
            clock.advance(took)
            assert read_reactions(await bot.say(ann, place, solution(deal))) == "🏆"
            assert f"🏆 {solution(deal)} = 24" in deal.text.splitlines()
            assert _pace(deal).startswith(f"⏱ {format_short_duration(said, took)}")
            assert len(_pace(deal)) > len(
                f"⏱ {format_short_duration(said, took)}"
            )  # the usual time stands beside it
            assert (said.translate("Worth a try:") in deal.text) is (count == 5)
            assert (f"📈 {better}" in deal.text.splitlines()) is (count == 10)
            await pressed(bot, ann, deal, said.translate_plain("Next"))
            deal = world.posts(ann)[-1]
        assert len(lines) == len(seconds)
        await bot.say(ann, place, "/skip")
        assert said.translate("Like this:") in deal.text
        await bot.say(ann, place, "/practice")
        assert f"📈 {better}" not in world.posts(ann)[-1].text  # the last one was given up
        await bot.say(ann, place, "/leaderboard")
        assert "Ann — " not in world.posts(ann)[-1].text.replace("\u2069", "")
    assert world.violations == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "asked"),
    [("en", "large targets"), ("es", "OBJETIVOS grandes"), ("ru", "большие цели"), ("zh-hans", "大目标")],
)
async def test_large_targets_are_practised_by_their_name(
    bot: LiveBot, world: World, clock: Clock, language: str, asked: str, ann: User
) -> None:
    await bot.say(ann, world.chat_of(ann), f"/practice {asked}")
    deal = world.posts(ann)[-1]
    assert asked.casefold() in deal.text.splitlines()[0].casefold()
    assert read_draw(deal)[1] >= skills.LARGE_FROM
    clock.advance(7)
    await bot.say(ann, world.chat_of(ann), solution(deal))
    assert (
        _pace(deal) == f"⏱ {format_short_duration(get_words(choose_language(language)), 7)}"
    )  # people's times are known for 24 alone


@pytest.mark.long
async def test_what_was_slow_in_groups_is_what_is_practised(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    slow = [((10, 7, 8, 9), "8*9/(10-7)"), ((1, 5, 5, 5), "5*(5-1/5)"), ((3, 8, 3, 8), "8/(3-8/3)")]
    slow += [((11, 12, 8, 8), "11+12+8/8"), ((1, 3, 4, 6), "6/(1-3/4)"), ((1, 4, 5, 6), "4/(1-5/6)")]
    quick = [((6, 6, 6, 6), "6+6+6+6"), ((1, 2, 3, 4), "1*2*3*4"), ((7, 10, 6, 13), "7+10+13-6")]
    for numbers, answer in [*slow, *quick]:
        deal = await bot.deal(ann, family, *numbers)
        clock.advance(200 if (numbers, answer) in slow else 1)
        await bot.say(ann, family, answer, reply_to=deal)
    await bot.say(ann, world.chat_of(ann), "/practice")
    practised = world.posts(ann)[-1]
    assert skills.DIVISION in skills.find_skills(hand_of(practised))
    assert "Divisions" in practised.text


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "es"])
async def test_in_a_group_it_leads_to_the_private_chat(
    bot: LiveBot, world: World, ann: User, family: Chat, language: str
) -> None:
    await bot.say(ann, family, f"/practice@{world.bot.username} {DIVISIONS[language]}")
    (said,) = world.posts(family)
    assert len(said.text.splitlines()) == 1
    (button,) = said.buttons
    assert button["url"].endswith("?start=practice_division")
    await bot.say(ann, world.chat_of(ann), "/start practice_division")
    assert get_words(language).translate_plain("Divisions") in world.posts(ann)[-1].text
    await bot.say(ann, world.chat_of(ann), "/practice sums")
    assert get_words(language).translate_plain("Divisions") in world.posts(ann)[-1].text.replace("\n", " ")
    assert "sums" in world.posts(ann)[-1].text


async def test_what_is_open_where_one_plays_or_of_the_day_is_not_practised(
    bot: LiveBot, world: World, monkeypatch: pytest.MonkeyPatch, ann: User, bob: User, family: Chat
) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    bot.rig(1, 5, 5, 5)
    await bot.say(bob, world.chat_of(bob), "/daily")
    coming = [(8, 3, 8, 3), (5, 1, 5, 5), (1, 3, 4, 6)]
    monkeypatch.setattr(dealing, "draw_hand_for_skill", lambda *_: dealing.build_hand(coming.pop(0), 24))
    await bot.say(ann, world.chat_of(ann), "/practice fractions")
    assert read_draw(world.posts(ann)[-1]) == ([1, 3, 4, 6], 24)
    await bot.say(ann, world.chat_of(ann), "/skip")
    coming += [(8, 3, 8, 3)] * 9
    await bot.say(ann, world.chat_of(ann), "/practice fractions")
    assert world.posts(ann)[-1].text == "I have no such hand free at the moment. Please try again."


async def test_a_draw_is_practised_until_nothing_is_nearer(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    place = world.chat_of(ann)
    await bot.say(ann, place, "/practice countdown")
    deal = world.posts(ann)[-1]
    tiles, target = read_draw(deal)
    near = find_entry(tiles, target, 3)
    assert read_reactions(await bot.say(ann, place, near)) == "👌"
    assert "nearer is possible" in world.posts(ann)[-1].text
    assert near in deal.text
    best = str(solver.nearest(tiles, target).expression)
    clock.advance(9)
    assert read_reactions(await bot.say(ann, place, best)) == "🏆"
    assert deal.text.splitlines()[0] == "🏋️ Practice · Countdown"
    assert best in deal.text
    assert _pace(deal) == "⏱ 9 s"
    await pressed(bot, ann, deal, "Next")
    later = world.posts(ann)[-1]
    assert later.text.startswith("🏋️ Practice · Countdown")  # as it was chosen
    clock.advance(90)
    await bot.run_timers()
    assert "Time’s up – no harm done." in later.text
    assert "Best: " in later.text


@pytest.mark.long
async def test_it_is_handed_out_and_forgotten_with_all_else(bot: LiveBot, world: World, ann: User) -> None:
    place = world.chat_of(ann)
    await bot.say(ann, place, "/practice fractions")
    await bot.say(ann, place, solution(world.posts(ann)[-1]))
    await bot.say(ann, place, "/export")
    kept = json.loads(world.documents[-1])
    assert [(row["skill"], row["seconds"] is None) for row in kept["practised"]] == [("fraction", False)]
    assert kept["right_answers"] == []
    await bot.say(ann, place, "/forgetme")
    await pressed(bot, ann, world.posts(ann)[-1], 0)
    await bot.say(ann, place, "/export")
    assert not json.loads(world.documents[-1])["practised"]


async def test_forged_and_stale_buttons_are_answered(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    await bot.say(ann, world.chat_of(ann), "/practice")
    deal = world.posts(ann)[-1]
    for data in ("pr:1", "pr:999", "pr:x", "n:1"):
        assert await world.answer_to(world.press(ann, deal, data=data)) != ""
    assert len(world.posts(ann)) == 1


async def test_it_ends_no_row_and_counts_among_no_rounds(bot: LiveBot, world: World, ann: User) -> None:
    place = world.chat_of(ann)
    for _ in range(2):
        await bot.deal(ann, place, 6, 6, 6, 6)
        await bot.say(ann, place, "6+6+6+6")
    await bot.say(ann, place, "/stats")
    before = world.posts(ann)[-1].text
    await bot.say(ann, place, "/practice")
    await bot.say(ann, place, "1-1")
    await bot.say(ann, place, solution(_deal(world, ann)))
    await bot.say(ann, place, "/stats")
    assert world.posts(ann)[-1].text == before


def _deal(world: World, user: User) -> Message:
    return next(post for post in reversed(world.posts(user)) if post.text.startswith("🏋️"))
