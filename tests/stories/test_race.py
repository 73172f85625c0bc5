"""A race: hands one after the other in one message."""

import re
from pathlib import Path

import pytest

from bot.formats import format_expression
from bot.queue.pacing import Pace
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, read_reactions, run_bot
from tests.stories.test_practice import find_solution
from tests.telegram import Chat, Message, User, World

HANDS = [((1, 1, 2, 8), "1*8*(1+2)"), ((2, 2, 6, 6), "2*6+2*6"), ((3, 8, 3, 8), "8/(3-8/3)")]


async def start_race(bot: LiveBot, user: User, chat: Chat, hands: int = 3) -> Message:
    """Start a race whose first hands are `HANDS`, and return its message."""
    for numbers, _ in HANDS[:hands]:
        bot.rig(*numbers)
    bot.world.say(user, chat, f"/race@{bot.world.bot.username} {hands}")
    message = await bot.world.next_post(chat, "1 1 2 8 → 24")
    await bot.settle()
    return message


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_race_is_one_message_with_a_table_at_the_end(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    race = await start_race(bot, ann, family)
    assert read_time_left(race) == 1
    assert "1" in race.text.splitlines()[0]
    assert "3" in race.text.splitlines()[0]
    for winner, (numbers, solution) in zip((bob, ann, bob), HANDS, strict=True):
        assert f"{' '.join(map(str, numbers))} → 24" in race.text.splitlines()
        clock.advance(7)
        right = await bot.say(winner, family, solution, reply_to=race)
        assert read_reactions(right) == "🏆"
    *lines, earned = race.text.splitlines()
    assert earned.startswith("🏅 \u2068Bob\u2069: ")
    # an easy and a fiendish hand; the point for the day's first counts in the leaderboard alone
    assert lines[1:4] == ["1. \u2068Bob\u2069 — 6", "2. \u2068Ann\u2069 — 1", ""]
    assert [line.partition(" · ")[0] for line in lines[4:]] == [
        f"#{number} 🏆 \u2068{winner}\u2069: {format_expression(solution)} = 24"
        for number, (winner, (_, solution)) in enumerate(zip(("Bob", "Ann", "Bob"), HANDS, strict=True), 1)
    ]
    assert len(world.posts(family)) == 1


async def test_point_for_the_first_of_the_day_decides_no_race(
    bot: LiveBot, ann: User, bob: User, family: Chat
) -> None:
    race = await start_race(bot, ann, family)
    for winner, (_, solution) in zip((ann, bob), HANDS, strict=False):
        await bot.say(winner, family, solution, reply_to=race)
    first, second = (line for line in race.text.splitlines() if line.startswith("#"))
    assert first.endswith(" · +1 point (🌅 one more in the leaderboard)")
    assert second.endswith(" · +1 point")
    await bot.say(ann, family, "/stop@TwentyFourTestBot")
    assert "1. \u2068Ann\u2069, \u2068Bob\u2069 — 1" in race.text.splitlines()


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_race_without_answers_ends_after_three_hands(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    race = await start_race(bot, ann, family, 10)
    for _ in range(400):
        clock.advance(1)
        await bot.timers.run_all()
        await bot.service.outbox.wait_until_idle()
    lines = race.text.splitlines()
    assert sum(line.startswith("#") for line in lines) == 3
    assert re.findall(r"\d+", " ".join(lines[:2])) == ["3"]
    assert len(race.buttons) == 2
    assert len(world.posts(family)) == 1
    clock.advance(3600)
    await bot.run_timers()
    assert race.text.splitlines() == lines


async def test_race_continues_after_a_skipped_or_expired_hand(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    race = await start_race(bot, ann, family)
    await bot.say(bob, family, "1+1+2+8", reply_to=race)
    await bot.say(ann, family, "/skip@TwentyFourTestBot")
    assert "2 2 6 6 → 24" in race.text.splitlines()
    assert "#1" in race.text
    clock.advance(63)
    await bot.run_timers()
    assert "3 8 3 8 → 24" in race.text.splitlines()
    late = await bot.say(bob, family, "6*2+6*2", reply_to=race)  # right for the hand before
    assert read_reactions(late) == "👏"
    await bot.say(bob, family, "8/(3-8/3)", reply_to=race)
    assert "1. \u2068Bob\u2069 — 5" in race.text


async def test_wrong_answer_to_the_hand_just_over_counts_for_no_hand(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    race = await start_race(bot, ann, family)
    await bot.say(ann, family, "1*8*(1+2)", reply_to=race)
    late = await bot.say(bob, family, "1+1+2+8", reply_to=race)
    assert read_reactions(late) == "👎"
    assert "👎 \u2068Bob\u2069: 1+1+2+8 = 12, for the hand before" in race.text.splitlines()
    clock.advance(5)
    await bot.say(ann, family, "/skip@TwentyFourTestBot")
    assert "3 8 3 8 → 24" in race.text.splitlines(), "nobody else has tried the second hand"


@pytest.mark.parametrize("privacy", [False])
async def test_plain_wrong_answer_to_the_hand_just_over_gets_a_note(
    bot: LiveBot, ann: User, bob: User, family: Chat
) -> None:
    race = await start_race(bot, ann, family)
    await bot.say(ann, family, "1*8*(1+2)")
    await bot.say(bob, family, "1+1+2+8")
    assert "👎 \u2068Bob\u2069: 1+1+2+8 = 12, for the hand before" in race.text.splitlines()


async def test_race_moves_below_a_lot_of_talk(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    race = await start_race(bot, ann, family)
    for n in range(25):
        world.say(bob, family, f"so much to say ({n})")
    await bot.say(ann, family, HANDS[0][1], reply_to=race)
    below = world.posts(family)[-1]
    assert below is not race
    assert "2 2 6 6 → 24" in below.text.splitlines()
    assert "→" not in race.text
    assert not race.buttons
    await bot.say(ann, family, HANDS[1][1], reply_to=below)
    await bot.say(ann, family, HANDS[2][1], reply_to=below)
    assert "#3" in below.text
    assert "1. \u2068Ann\u2069 — 7" in below.text
    assert len(world.posts(family)) == 2


async def request_race(bot: LiveBot, user: User, chat: Chat, asked: str = "") -> str:
    """Send /race and return the text of the reply."""
    await bot.say(user, chat, f"/race@{bot.world.bot.username} {asked}".rstrip())
    return bot.world.posts(chat)[-1].text


async def test_each_hand_of_a_race_counts_for_the_hourly_limit(
    world: World, clock: Clock, ann: User, family: Chat, database: Path
) -> None:
    # more replies than a group may get in a minute
    async with run_bot(world, database, Pace(posts_a_minute=60, redraw_gap=0.0)) as bot:
        await bot.choose(family, "rounds_an_hour", 5)
        assert "/race 5" in await request_race(bot, ann, family, "6")
        deal = await bot.deal(ann, family, 1, 1, 2, 8)
        await bot.say(ann, family, "1*8*(1+2)", reply_to=deal)
        clock.advance(60)
        assert "/race 4" in await request_race(bot, ann, family, "5")
        race = await start_race(bot, ann, family, 4)
        for _ in range(4):
            await bot.say(ann, family, find_solution(race), reply_to=race)
        assert "#4 🏆" in race.text
        assert "The next hand in" in await request_race(bot, ann, family, "2")
        clock.advance(3605)
        assert "/race 5" in await request_race(bot, ann, family, "20")


async def test_race_reserves_its_hands_against_other_topics(bot: LiveBot, world: World, ann: User) -> None:
    club = world.group("Club", ann, forum=True)
    maths, chess = world.topic(club, "Maths", ann), world.topic(club, "Chess", ann)
    await bot.choose(club, "rounds_an_hour", 4)
    for numbers, _ in HANDS:
        bot.rig(*numbers)
    world.say(ann, club, "/race@TwentyFourTestBot 3", topic=maths)
    race = await world.next_post(club, "1 1 2 8 → 24")
    bot.rig(1, 2, 3, 4)
    for command in ("play", "skip", "play"):
        world.say(ann, club, f"/{command}@TwentyFourTestBot", topic=chess)
        await bot.settle()
    _, other = world.posts(club)
    assert other.text.endswith("The next hand in 1 h")
    bot.solving.hands.clear()
    for _, solution in HANDS:
        await bot.say(ann, club, solution, reply_to=race)
    assert "#3 🏆" in race.text


@pytest.mark.parametrize("asked", ["1", "99", "ten", "5 6"])
async def test_race_of_invalid_length_is_refused(
    bot: LiveBot, world: World, ann: User, family: Chat, asked: str
) -> None:
    await bot.say(ann, family, f"/race@TwentyFourTestBot {asked}")
    (reply,) = world.posts(family)
    assert f"“{asked.split()[-1]}”" in reply.text


async def test_hint_and_play_apply_to_the_running_race(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    race = await start_race(bot, ann, family)
    press = world.press(bob, race, 0)
    assert await world.answer_to(press) == ""
    await bot.settle()
    assert "💡" in race.text
    clock.advance(10)
    for command in ("play", "race"):
        refused = await bot.say(bob, family, f"/{command}@TwentyFourTestBot")
        assert read_reactions(refused) == "👀"
    note = "👀 \u2068Bob\u2069: A race is on: hand 1 of 3. /stop asks to end it"
    assert note in race.text.splitlines()
    assert world.posts(family) == [race]
    assert "1 1 2 8 → 24" in race.text.splitlines()
    assert "Give up and race" not in race.labels


async def test_race_stays_in_its_topic(bot: LiveBot, world: World, ann: User) -> None:
    club = world.group("Club", ann, forum=True)
    maths, chess = world.topic(club, "Maths", ann), world.topic(club, "Chess", ann)
    for numbers in ((1, 1, 2, 8), (2, 2, 6, 6), (3, 8, 3, 8)):
        bot.rig(*numbers)
    world.say(ann, club, "/race@TwentyFourTestBot 2", topic=maths)
    race = await world.next_post(club, "1 1 2 8 → 24")
    await bot.settle()
    world.say(ann, club, "/play@TwentyFourTestBot", topic=chess)
    other = await world.next_post(club, "3 8 3 8 → 24")
    await bot.settle()
    assert (race.topic, other.topic) == (maths, chess)
    await bot.say(ann, club, "1*8*(1+2)", reply_to=race)
    assert "2 2 6 6 → 24" in race.text.splitlines()
    await bot.say(ann, club, "2*6+2*6", reply_to=race)
    assert "#2 🏆" in race.text
    assert len(other.buttons) == 2


async def test_open_hand_is_given_up_for_a_race(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, "8+8+3+3", reply_to=deal)
    clock.advance(10)
    await bot.say(bob, family, f"/race@{world.bot.username} 3")
    assert "👀 \u2068Bob\u2069: This hand is still open" in deal.text.splitlines()
    vote = world.press(bob, deal, "Give up and race")
    assert await world.answer_to(vote) == "1 of 2 agree: 1 more needed."
    await bot.settle()
    assert "🏳 \u2068Bob\u2069 gives up. 1 more and the solution is shown." in deal.text.splitlines()
    assert world.posts(family) == [deal]
    for numbers, _solution in HANDS:
        bot.rig(*numbers)
    world.press(ann, deal, "Give up and race")
    race = await world.next_post(family, "1 1 2 8 → 24")
    assert race.text.startswith("🏁 Race: hand 1 of 3")
    assert "Given up." in deal.text.splitlines()
    assert "Give up and race" not in deal.labels


async def test_private_hand_is_given_up_for_a_race_below_the_answer(
    bot: LiveBot, world: World, ann: User
) -> None:
    private = world.chat_of(ann)
    world.start(ann)
    deal = await bot.deal(ann, private, 3, 8, 3, 8)
    await bot.say(ann, private, "/practice")
    answer = world.posts(ann)[-1]
    assert (answer.text, answer.labels) == ("This hand is still open.", ["Give up"])
    await bot.say(ann, private, "/race 3")
    answer = world.posts(ann)[-1]
    assert answer.labels == ["Give up", "Give up and race"]
    for numbers, _solution in HANDS:
        bot.rig(*numbers)
    world.press(ann, answer, "Give up and race")
    race = await world.next_post(private, "1 1 2 8 → 24")
    assert race.text.startswith("🏁 Race: hand 1 of 3")
    assert "Given up." in deal.text.splitlines()
