"""The message of a round, which is edited until the round is over."""

import re
from itertools import pairwise

import pytest

from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, Message, User, World

LANGUAGES = pytest.mark.parametrize("language", ["en", "zh-hans"])


@LANGUAGES
async def test_whole_round_is_one_message(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 1, 2, 3, 4)
    clock.advance(5)
    await bot.say(bob, family, "1+2+3+4", reply_to=deal)
    await bot.say(bob, family, "(1+2)*(3+4)", reply_to=deal)
    world.press(bob, deal, 0)
    await bot.settle()
    answer = await bot.say(ann, family, "4*(1+2+3)", reply_to=deal)
    lines = deal.text[deal.text.index("1 2 3 4 → 24") :].splitlines()  # no suits stand above in a caption
    assert lines[1] == "🏆 \u2068Ann\u2069: 4×(1+2+3) = 24"
    assert lines[2].split()[0] == "+2"  # an easy hand less a hint, plus the first win of the day
    assert [set(re.findall(r"\d+", line)) for line in lines[3:5]] == [
        {"5", "6"},  # Ann's seconds, and the usual ones
        {"9", "10"},  # So many people find it
    ]
    assert lines[5:7] == ["💭 1×2×3×4 = 24", "💭 (1+3)×(2+4) = 24"]
    assert re.findall(r"Bob|\(.* = \d+", lines[7]) == ["Bob", "(1+2)×(3+4) = 21"]  # the nearest miss
    # In a caption the picture of the solution follows in words
    assert lines[8:] in ([], ["1 + 2 = 3 · 3 + 3 = 6 · 4 × 6 = 24"])
    assert read_reactions(answer) == "🏆"
    assert len(world.posts(family)) == 1


def list_notes(deal: Message) -> list[str]:
    """Return the lines about wrong answers and refused commands below an open hand."""
    return [line for line in deal.text.splitlines() if line.startswith(("👎", "🤔", "🤝", "👀"))]


async def test_every_wrong_answer_is_told_why_below_the_hand(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    for text, note in (
        ("3+8+3+8", "👎 3+8+3+8 = 22"),
        ("8*3-8/3", "👎 8×3−8÷3 = 21 1/3"),
        ("3*8", "👎 3×8 = 24, but the other 3, 8 are missing"),
        ("8*3-8", "👎 8×3−8 = 16, but the other 3 is missing"),
        ("3*8+3-8/8", "👎 3×8+3−8÷8 = 26, but the 8 is one too many"),
        ("3*(3+3)+8", "👎 3×(3+3)+8 = 26, but the 3 is one too many; the other 8 is missing"),
        ("4*(8-3)", "👎 4×(8−3) = 20, but 4 is not in this hand: 3 8 3 8"),
        ("5+7+5", "👎 5+7+5 = 17, but 5, 7 are not in this hand: 3 8 3 8"),
        ("(7−3)×(4+2)", "👎 That is only my example. This hand is 3 8 3 8"),
        ("/a@TwentyFourTestBot 12/5", "👎 12÷5 = 2 2/5, but 5, 12 are not in this hand: 3 8 3 8"),
        ("10-4", "👎 10−4 = 6, but 4, 10 are not in this hand: 3 8 3 8"),
        ("8+3=11, 11-8=3", "👎 11−8 = 3, but the other 3 is missing"),
        ("3*(8+", "🤔 A number is missing at the end"),
        ("8:(3-3)+8", "🤔 Nobody can divide by zero"),
        ("3!*8/(8-3)", "🤔 No factorials or roots here, only + − × ÷"),
        ("√8*3+8-3", "🤔 No factorials or roots here, only + − × ÷"),
        ("8*3-8-3 =26", "👎 8×3−8−3 = 13"),
        ("3*:8+8+3", "🤔 A number is missing before “÷”"),
    ):
        wrong = await bot.say(bob, family, text, reply_to=deal)
        assert read_reactions(wrong) == note[0]
        assert list_notes(deal) == [f"{note[0]} \u2068Bob\u2069: {note[2:]}"]
    assert world.posts(family) == [deal]


async def test_latest_three_notes_name_all_whom_they_tell(bot: LiveBot, world: World) -> None:
    crowd = [world.user(f"P{n} <b>") for n in range(6)]
    club = world.group("Club", *crowd)
    deal = await bot.deal(crowd[0], club, 3, 8, 3, 8)
    for n, text in ((0, "8+3+8+3"), (1, "8*3-8/3"), (2, "8+8+3*3"), (3, "8*8+3*3"), (2, "8*8-3*3")):
        await bot.say(crowd[n], club, text, reply_to=deal)
    assert list_notes(deal) == [
        "👎 \u2068P1 <b>\u2069: 8×3−8÷3 = 21 1/3",
        "👎 \u2068P3 <b>\u2069: 8×8+3×3 = 73",
        "👎 \u2068P2 <b>\u2069: 8×8−3×3 = 55",
    ]
    for pupil in (crowd[4], crowd[5], crowd[0]):
        await bot.say(pupil, club, "8*8+3*3", reply_to=deal)
    together = "\u2068P3 <b>\u2069, \u2068P4 <b>\u2069, \u2068P5 <b>\u2069 … and 1 more"
    assert list_notes(deal)[-1] == f"👎 {together}: 8×8+3×3 = 73"
    assert world.posts(club) == [deal]


async def test_notes_vanish_at_the_end_and_later_ones_stand(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, "8*3-8/3", reply_to=deal)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert list_notes(deal) == []
    assert read_reactions(await bot.say(bob, family, "8+3+8+3", reply_to=deal)) == "👎"
    assert list_notes(deal) == ["👎 \u2068Bob\u2069: 8+3+8+3 = 22"]
    assert read_reactions(await bot.say(bob, family, "/skip@TwentyFourTestBot")) == "👌", "it is over"
    assert list_notes(deal) == ["👎 \u2068Bob\u2069: 8+3+8+3 = 22"]
    assert read_reactions(await bot.say(bob, family, "/hint@TwentyFourTestBot")) == "👀"
    assert list_notes(deal) == ["👀 \u2068Bob\u2069: No hand is on the table. /play deals a hand"]
    assert world.posts(family) == [deal]
    clock.advance(120)
    refused = [await bot.say(bob, family, "/skip@TwentyFourTestBot") for _ in range(3)]
    assert [read_reactions(message) for message in refused] == ["", "", ""]
    assert len(world.posts(family)) == 3, "as the budget for posts allows"


async def test_written_steps_are_judged_together(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 12, 9, 1, 6)
    for text, note in (
        ("1+12=13, 13-9=4", "13−9 = 4, but the 6 is missing"),
        ("1+12=13, 6*4=24", "6×4 = 24, but 4 is not in this hand: 12 9 1 6"),
        ("1+12=13\n9-6", "9−6 = 3, but the 13 is missing"),
        ("1+12=14, 14-9=5", "1+12 = 13, but 6, 9 are missing"),
        ("12+12=24", "12+12 = 24, but the 12 is there only once; 1, 6, 9 are missing"),
    ):
        await bot.say(bob, family, text, reply_to=deal)
        assert list_notes(deal) == [f"👎 \u2068Bob\u2069: {note}"]
    assert read_reactions(await bot.say(bob, family, "1+12=13, 13-9=4, 4*6=24", reply_to=deal)) == "🏆"


MORE_THAN_RULE = "K = 13, Q = 12, J = 11, A = 1. /hint helps"
NUMBER_ALONE = "Tell me how you make 24 from 3 8 3 8, for example (7−3)×(4+2)"


@pytest.mark.parametrize("privacy", [False])
async def test_words_for_the_bot_get_a_note(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    for text, note in (
        ("I give up!", "/giveup shows the solution"),
        ("Hi, how do we play?", MORE_THAN_RULE),
        ("Me rindo…", "/giveup shows the solution"),
        ("Hola, ¿cómo se juega, por favor?", MORE_THAN_RULE),
        ("Я сдаюсь", "/giveup shows the solution"),
        ("@TwentyFourTestBot and what am I to do?", MORE_THAN_RULE),
        ("我放弃了！", "/giveup shows the solution"),
        ("请问怎么玩？", MORE_THAN_RULE),
    ):
        said = await bot.say(bob, family, text)
        assert list_notes(deal) == [f"👀 \u2068Bob\u2069: {note}"]
        assert read_reactions(said) == "👀"
    for text in ("24", "@ann how do we play?", "I give up on you", "what shall we eat?", "help", "12/5"):
        assert read_reactions(await bot.say(bob, family, text)) == ""
    assert read_reactions(await bot.say(ann, family, "24!", reply_to=deal)) == "👀"
    assert list_notes(deal)[-1] == f"👀 \u2068Ann\u2069: {NUMBER_ALONE}"
    assert read_reactions(await bot.say(ann, family, "is it hard?", reply_to=deal)) == ""
    assert world.posts(family) == [deal]


@pytest.mark.parametrize("privacy", [False])
async def test_words_for_the_bot_without_a_hand(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    for text in ("I give up", "How do we play?", "How does this work?"):
        await bot.say(ann, family, text)
    assert world.posts(family) == []
    await bot.say(ann, family, "Hi @TwentyFourTestBot, how do we play?")
    assert "/play deals a hand." in world.posts(family)[-1].text


async def test_found_idea_is_named_below_the_hand(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot.rig(1, 2, 3, 4)
    world.say(ann, family, "/play@TwentyFourTestBot all")
    deal = await world.next_post(family, "→ 24")
    await bot.say(ann, family, "1*2*3*4", reply_to=deal)
    assert read_reactions(await bot.say(bob, family, "1*2*3*4", reply_to=deal)) == "🤝"
    assert list_notes(deal) == ["🤝 \u2068Bob\u2069: Right as well! \u2068Ann\u2069 was first"]
    await bot.say(bob, family, "(1+3)*(2+4)", reply_to=deal)
    assert list_notes(deal) == []


async def test_class_that_asks_at_once_gets_one_hand_without_words(bot: LiveBot, world: World) -> None:
    pupils = [world.user(f"P{n}") for n in range(8)]
    school = world.group("7b", world.user("Teacher"), *pupils)
    for pupil in pupils:
        world.say(pupil, school, "/play@TwentyFourTestBot")
    await bot.settle()
    (deal,) = world.posts(school)
    assert list_notes(deal) == []


async def test_refusals_stand_below_a_hand_in_sight(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert read_reactions(await bot.say(bob, family, "/play@TwentyFourTestBot")) == "👌", "just dealt"
    assert list_notes(deal) == []
    clock.advance(10)
    for command, note in (
        ("/play", "This hand is still open"),
        ("/settings", "Only admins can change the settings here"),
    ):
        refused = await bot.say(bob, family, f"{command}@TwentyFourTestBot")
        assert read_reactions(refused) == "👀"
        assert list_notes(deal) == [f"👀 \u2068Bob\u2069: {note}"]
    assert world.posts(family) == [deal]
    for n in range(15):
        world.say(bob, family, f"and {n}?")
    await bot.say(bob, family, "/play@TwentyFourTestBot")
    below = world.posts(family)[-1]
    assert "3 8 3 8 → 24" in below.text.splitlines()
    assert below.labels == ["Hint", "Give up"]
    assert deal.text == "⬇️"
    assert read_reactions(await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)) == "🏆"
    assert "🏆 \u2068Bob\u2069: 8÷(3−8÷3) = 24" in below.text.splitlines()


async def test_win_far_below_the_deal_is_posted_in_two_lines(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    for talk, posts in ((14, 1), (15, 2)):
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        for n in range(talk):
            world.say(bob, family, f"hm {n}")
        before = len(world.posts(family))
        await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
        assert "🏆 \u2068Bob\u2069: 8÷(3−8÷3) = 24" in deal.text.splitlines()
        assert len(world.posts(family)) - before == posts - 1
    won = world.posts(family)[-1]
    assert won.text.splitlines() == ["🏆 \u2068Bob\u2069: 8÷(3−8÷3) = 24", "+5 points"]
    bot.rig(1, 2, 3, 4)
    world.press(ann, won, "Next hand")
    await world.next_post(family, "1 2 3 4 → 24")


@pytest.mark.long
@LANGUAGES
async def test_time_left_is_redrawn_at_most_every_15_seconds(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert read_time_left(deal) == 10
    for _ in range(598):
        clock.advance(1)
        await bot.timers.run_all()
        await bot.service.outbox.wait_until_idle()
    times = [request.at for request in world.calls("editMessageText")]
    gaps = [b - a for a, b in pairwise(times)]
    assert len(times) == 15  # each minute at first, then each quarter of a minute
    assert min(gaps) >= 15
    assert read_time_left(deal) == 15
    assert len(world.posts(family)) == 1


@pytest.mark.long
async def test_time_left_is_not_redrawn_in_a_busy_group(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    club = world.group("Club", ann)
    deal = await bot.deal(ann, club, 3, 8, 3, 8)
    for n in range(90):
        clock.advance(2)
        if n < 60:
            world.say(ann, club, "hm", reply_to=deal)
            await bot.settle()
        if n == 59:
            assert not world.calls("editMessageText")
        await bot.run_timers()
    assert len(world.calls("editMessageText")) == 1  # a minute after the last message
