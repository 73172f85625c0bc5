"""The message of a round, which is edited until the round is over."""

import re
from itertools import pairwise

import pytest

from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, User, World

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
    lines = deal.text.splitlines()
    assert lines[1:3] == ["1 2 3 4 → 24", "🏆 \u2068Ann\u2069: 4×(1+2+3) = 24"]
    assert lines[3].split()[0] == "+2"  # an easy hand less a hint, plus the first win of the day
    assert [re.findall(r"\d+", line) for line in lines[4:6]] == [
        ["5"],
        ["6"],
    ]  # Ann's seconds, and the usual ones
    assert lines[6].startswith("🌅")
    assert lines[7:9] == ["💭 1×2×3×4 = 24", "💭 (1+3)×(2+4) = 24"]
    assert re.findall(r"Bob|\(.* = \d+", lines[9]) == ["Bob", "(1+2)×(3+4) = 21"]  # the nearest miss
    assert len(lines) == 10
    assert read_reactions(answer) == "🏆"
    assert len(world.posts(family)) == 2  # the deal, and the reason for Bob's first mistake


@LANGUAGES
async def test_wrong_answer_is_explained_once_and_then_gets_reactions(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    for player in (ann, bob):
        for text, reaction in (("3+8+3+8", "👎"), ("3*8", "👀"), ("3*(8+", "🤔")):
            wrong = await bot.say(player, family, text, reply_to=deal)
            assert read_reactions(wrong) == reaction
    reasons = world.posts(family)[1:]
    assert [reason.reply_to.sender for reason in reasons if reason.reply_to] == [ann, bob]
    assert [re.findall(r"[0-9+]+", reason.text) for reason in reasons] == [["3+8+3+8", "22", "24"]] * 2


async def test_reasons_move_into_the_deal_after_two_posts(bot: LiveBot, world: World) -> None:
    crowd = [world.user(f"Player{n} <b>") for n in range(5)]
    club = world.group("Club", *crowd)
    deal = await bot.deal(crowd[0], club, 3, 8, 3, 8)
    for player in crowd:
        await bot.say(player, club, "8*3-8/3", reply_to=deal)
    assert len(world.posts(club)) == 3
    notes = [line for line in deal.text.splitlines() if line.startswith("💬")]
    why = "8×3−8÷3 = 21 1/3, not 24."
    assert notes == [f"💬 \u2068Player{n} <b>\u2069: {why}" for n in (2, 3, 4)]


@pytest.mark.long
async def test_notes_are_shown_in_order_of_writing(bot: LiveBot, world: World) -> None:
    crowd = [world.user(f"Player{n}") for n in range(9)]
    club = world.group("Club", *crowd)
    deal = await bot.deal(crowd[0], club, 3, 8, 3, 8)
    players = [crowd[n] for n in (8, 0, 7, 1, 6, 2, 5, 3)]
    for player in players:
        await bot.say(player, club, "8*3-8/3", reply_to=deal)
    notes = [line for line in deal.text.splitlines() if line.startswith("💬")]
    assert [player.first_name for player in players[2:]] == [line.split("\u2069")[0][3:] for line in notes]


async def test_changed_note_moves_to_the_end(bot: LiveBot, world: World) -> None:
    ann, *crowd = (world.user(f"Player{n}") for n in range(6))
    club = world.group("Club", ann, *crowd)
    bot.rig(1, 2, 3, 4)
    world.say(ann, club, "/play@TwentyFourTestBot all")
    deal = await world.next_post(club, "→ 24")
    await bot.say(ann, club, "1*2*3*4", reply_to=deal)
    for player in crowd:
        await bot.say(player, club, "1+2+3+4", reply_to=deal)
    await bot.say(crowd[2], club, "4*3*2*1", reply_to=deal)
    notes = [line.split("\u2069")[0][3:] for line in deal.text.splitlines() if line.startswith("💬")]
    assert notes == ["Player4", "Player5", "Player3"]


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
            world.say(ann, club, "3+8+3+8", reply_to=deal)
            await bot.settle()
        if n == 59:
            assert not world.calls("editMessageText")
        await bot.run_timers()
    assert len(world.calls("editMessageText")) == 1  # a minute after the last message
