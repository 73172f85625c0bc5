"""/practice: private hands of the skill that a player finds hard, without points."""

import json
from pathlib import Path

import pytest

import solver
from bot.durations import DAY
from bot.formats import format_duration, format_expression
from bot.games.twentyfour import dealing, skills
from bot.games.twentyfour.rules import Hand
from bot.i18n import choose_language, get_words
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, read_reactions, run_bot
from tests.stories.test_countdown import find_entry, read_draw
from tests.telegram import Chat, Message, User, World

DIVISIONS = {"en": "divisions", "es": "DIVISIONES", "ru": "деление", "zh-hans": "除法"}


def find_solution(deal: Message) -> str:
    numbers, target = read_draw(deal)
    return str(next(iter(solver.ideas(numbers, target))))


def build_hand(deal: Message) -> Hand:
    numbers, target = read_draw(deal)
    return dealing.build_hand(tuple(numbers), target)


def find_time_line(deal: Message) -> str:
    (line,) = [line for line in deal.text.splitlines() if line.startswith("⏱")]
    return line


async def press_button(bot: LiveBot, user: User, message: Message, which: str | int) -> None:
    """Press a button and wait until it is handled."""
    await bot.world.answer_to(bot.world.press(user, message, which))
    await bot.settle()


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", pytest.param("ru", marks=pytest.mark.exhaustive)])
async def test_practice_shows_progress_in_a_skill_across_restarts(
    world: World, clock: Clock, database: Path, ann: User, language: str
) -> None:
    words, private = get_words(language), world.chat_of(ann)
    async with run_bot(world, database) as bot:
        await bot.say(ann, private, f"/practice {DIVISIONS[language]}")
        deal = world.posts(ann)[-1]
        assert deal.text.startswith(
            f"🏋️ {words.translate('Practice · {skill}', skill=words.translate_plain('Divisions'))}"
        )
        assert skills.DIVISION in skills.find_skills(build_hand(deal))
        assert read_time_left(deal) == 10
        await press_button(bot, ann, deal, words.translate_plain("Hint"))
        assert deal.text.count("💡") == 1
        assert read_reactions(await bot.say(ann, private, "1+1")) == "👎"
    async with run_bot(world, database) as bot:
        lines, seconds = set[str](), [300, 280, 310, 290, 305, 2, 2, 2, 2, 2]
        times = {"before": format_duration(words, 300), "after": words.translate("{n} s", n=2)}
        name = words.translate_plain("Divisions")
        better = words.translate("{skill}: {before} → {after} over your last ten", skill=name, **times)
        for count, took in enumerate(seconds, 1):
            lines.add(str(read_draw(deal)))
            clock.advance(took)
            assert read_reactions(await bot.say(ann, private, find_solution(deal))) == "🏆"
            assert f"🏆 {format_expression(find_solution(deal))} = 24" in deal.text.splitlines()
            own_time = f"⏱ {format_duration(words, took)}"
            assert find_time_line(deal).startswith(own_time)
            # Who was quicker is told the usual time
            assert (find_time_line(deal) != own_time) is (took == 2)
            assert (words.translate("Worth a try:") in deal.text) is (count == 5)
            assert (f"📈 {better}" in deal.text.splitlines()) is (count == 10)
            await press_button(bot, ann, deal, words.translate_plain("Next"))
            deal = world.posts(ann)[-1]
        assert len(lines) == len(seconds)
        await bot.say(ann, private, "/skip")
        assert words.translate("Like this:") in deal.text
        await bot.say(ann, private, "/practice")
        assert f"📈 {better}" not in world.posts(ann)[-1].text  # the last one was given up
        await bot.say(ann, private, "/leaderboard")
        assert "Ann — " not in world.posts(ann)[-1].text.replace("\u2069", "")
    assert world.violations == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "asked"),
    [("en", "large targets"), ("es", "OBJETIVOS grandes"), ("ru", "большие цели"), ("zh-hans", "大目标")],
)
async def test_large_targets_can_be_practised_by_name(
    bot: LiveBot, world: World, clock: Clock, language: str, asked: str, ann: User
) -> None:
    await bot.say(ann, world.chat_of(ann), f"/practice {asked}")
    deal = world.posts(ann)[-1]
    assert asked.casefold() in deal.text.splitlines()[0].casefold()
    assert read_draw(deal)[1] >= skills.LARGE_FROM
    clock.advance(7)
    await bot.say(ann, world.chat_of(ann), find_solution(deal))
    assert (
        find_time_line(deal) == f"⏱ {format_duration(get_words(choose_language(language)), 7)}"
    )  # people's times are known for 24 alone


@pytest.mark.long
async def test_practice_prefers_the_skill_that_was_slow_in_groups(
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
    assert skills.DIVISION in skills.find_skills(build_hand(practised))
    assert practised.text.splitlines()[0] == "🏋️ Practice"  # the name of the skill is a hint
    await bot.say(ann, world.chat_of(ann), "/skip")
    assert practised.text.splitlines()[0] in ("🏋️ Practice · Divisions", "🏋️ Practice · Fractions")


@pytest.mark.long
async def test_missed_skill_comes_back_the_next_day_with_other_numbers(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    private = world.chat_of(ann)
    await bot.say(ann, private, "/practice large targets")
    missed = find_practice_deal(world, ann)
    await bot.say(ann, private, "/skip")
    clock.advance(DAY)
    found = []
    for _ in range(3):
        await bot.say(ann, private, "/practice")
        deal = find_practice_deal(world, ann)
        found.append(read_draw(deal))
        await bot.say(ann, private, find_solution(deal))
    assert read_draw(missed) not in found
    assert max(target for _, target in found) >= skills.LARGE_FROM


@pytest.mark.long
async def test_no_two_hands_in_a_row_need_the_same_skill(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    await bot.say(ann, world.chat_of(ann), "/practice")
    latest = frozenset[str]()
    for number in range(8):
        deal = find_practice_deal(world, ann)
        needed = skills.find_skills(build_hand(deal))
        assert needed
        assert needed.isdisjoint(latest)
        latest = needed
        clock.advance(5)
        await bot.say(ann, world.chat_of(ann), "/skip" if number % 3 == 2 else find_solution(deal))
        await press_button(bot, ann, deal, "Next")


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "es"])
async def test_practice_in_a_group_links_to_the_private_chat(
    bot: LiveBot, world: World, ann: User, family: Chat, language: str
) -> None:
    await bot.say(ann, family, f"/practice@{world.bot.username} {DIVISIONS[language]}")
    (reply,) = world.posts(family)
    assert len(reply.text.splitlines()) == 1
    (button,) = reply.buttons
    assert button["url"].endswith("?start=practice_division")
    await bot.say(ann, world.chat_of(ann), "/start practice_division")
    assert get_words(language).translate_plain("Divisions") in world.posts(ann)[-1].text
    await bot.say(ann, world.chat_of(ann), "/practice sums")
    assert get_words(language).translate_plain("Divisions") in world.posts(ann)[-1].text.replace("\n", " ")
    assert "sums" in world.posts(ann)[-1].text


async def test_practice_deals_no_open_hand(
    bot: LiveBot, world: World, monkeypatch: pytest.MonkeyPatch, ann: User, bob: User, family: Chat
) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    bot.rig(1, 5, 5, 5)
    await bot.say(bob, world.chat_of(bob), "/daily")
    coming = [(8, 3, 8, 3), (5, 1, 5, 5), (1, 3, 4, 6)]
    monkeypatch.setattr(dealing, "draw_practice_hand", lambda *_: dealing.build_hand(coming.pop(0), 24))
    await bot.say(ann, world.chat_of(ann), "/practice fractions")
    assert read_draw(world.posts(ann)[-1]) == ([1, 3, 4, 6], 24)
    await bot.say(ann, world.chat_of(ann), "/skip")
    coming += [(8, 3, 8, 3)] * 9
    await bot.say(ann, world.chat_of(ann), "/practice fractions")
    assert world.posts(ann)[-1].text == "I have no such hand free at the moment. Please try again."


async def test_practice_draw_ends_at_the_best_answer(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    private = world.chat_of(ann)
    await bot.say(ann, private, "/practice countdown")
    deal = world.posts(ann)[-1]
    tiles, target = read_draw(deal)
    near = find_entry(tiles, target, 3)
    assert read_reactions(await bot.say(ann, private, near)) == "👌"
    assert "nearer is possible" in world.posts(ann)[-1].text
    assert format_expression(near) in deal.text
    best = str(solver.nearest(tiles, target).expression)
    clock.advance(9)
    assert read_reactions(await bot.say(ann, private, best)) == "🏆"
    assert deal.text.splitlines()[0] == "🏋️ Practice · Countdown"
    assert format_expression(best) in deal.text
    assert find_time_line(deal) == "⏱ 9 s"
    await press_button(bot, ann, deal, "Next")
    later = world.posts(ann)[-1]
    assert later.text.startswith("🏋️ Practice · Countdown")  # as it was chosen
    clock.advance(90)
    await bot.run_timers()
    assert "Time’s up – no harm done." in later.text
    assert "Best: " in later.text


@pytest.mark.long
async def test_practice_is_exported_and_deleted(bot: LiveBot, world: World, ann: User) -> None:
    private = world.chat_of(ann)
    await bot.say(ann, private, "/practice fractions")
    await bot.say(ann, private, find_solution(world.posts(ann)[-1]))
    await bot.say(ann, private, "/export")
    exported = json.loads(world.documents[-1])
    assert [(row["skill"], row["seconds"] is None) for row in exported["practised"]] == [("fraction", False)]
    assert exported["right_answers"] == []
    await bot.say(ann, private, "/forgetme")
    await press_button(bot, ann, world.posts(ann)[-1], 0)
    await bot.say(ann, private, "/export")
    assert not json.loads(world.documents[-1])["practised"]


async def test_forged_and_stale_practice_buttons_are_answered(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    await bot.say(ann, world.chat_of(ann), "/practice")
    deal = world.posts(ann)[-1]
    for data in ("pr:1", "pr:999", "pr:x", "n:1"):
        assert await world.answer_to(world.press(ann, deal, data=data)) != ""
    assert len(world.posts(ann)) == 1


async def test_practice_changes_no_statistics(bot: LiveBot, world: World, ann: User) -> None:
    private = world.chat_of(ann)
    for _ in range(2):
        await bot.deal(ann, private, 6, 6, 6, 6)
        await bot.say(ann, private, "6+6+6+6")
    await bot.say(ann, private, "/stats")
    before = world.posts(ann)[-1].text
    await bot.say(ann, private, "/practice")
    await bot.say(ann, private, "1-1")
    await bot.say(ann, private, find_solution(find_practice_deal(world, ann)))
    await bot.say(ann, private, "/stats")
    assert world.posts(ann)[-1].text == before


def find_practice_deal(world: World, user: User) -> Message:
    return next(post for post in reversed(world.posts(user)) if post.text.startswith("🏋️"))
