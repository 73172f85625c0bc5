"""/play all: the round that stays open until every idea is found."""

import re
from itertools import islice

import pytest
from sqlalchemy import update

import solver
from bot.database.schema import rounds
from bot.formats import format_expression
from bot.games.twentyfour.dealing import build_hand
from bot.games.twentyfour.rules import MAX_IDEAS
from bot.i18n import choose_language, get_words
from bot.rounds.registry import GAMES
from tests.stories.clock import Clock
from tests.stories.conftest import PICTURES, LiveBot, read_reactions
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.long

CROWDED = (1, 2, 3, 4, 5, 6)  # Cards with far more ideas than a list holds
IDEAS = ("1*2*3*4", "4*(1+2+3)", "(1+3)*(2+4)")
IDEAS_LINE = 2 - PICTURES  # A picture takes the place of the line above, with the cards


async def deal_three_ideas(bot: LiveBot, user: User, chat: Chat) -> Message:
    """Let `user` ask for all ideas of a hand with three, and return the deal."""
    bot.rig(1, 2, 3, 4)
    bot.world.say(user, chat, f"/play@{bot.world.bot.username} all")
    deal = await bot.world.next_post(chat, "1 2 3 4 → 24")
    await bot.settle()
    return deal


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_each_new_idea_scores_until_all_are_found(
    bot: LiveBot, ann: User, bob: User, family: Chat
) -> None:
    deal = await deal_three_ideas(bot, ann, family)
    figures = re.findall(r"\d+", deal.text.splitlines()[IDEAS_LINE])
    assert figures == ["24", "0", "3", "1", "0"]  # ×1 and +0 too
    first = await bot.say(ann, family, "2*3*4*1", reply_to=deal)
    assert read_reactions(first) == "🏆"
    assert "2×3×4×1 = 24" in deal.text
    assert IDEAS[1] not in deal.text
    await bot.say(bob, family, "(2+4)*(3+1)", reply_to=deal)
    assert len(deal.buttons) == 2  # still open
    await bot.say(bob, family, "(1+2+3)*4", reply_to=deal)
    assert len(deal.buttons) == 1
    table = [line for line in deal.text.splitlines() if line[:2] in ("1.", "2.")]
    assert table == ["1. \u2068Ann\u2069, \u2068Bob\u2069 — 2"]  # hers easy, and the day's first
    own = await bot.say(ann, family, "4*3*2*1", reply_to=deal)
    assert read_reactions(own) == "👏"
    assert "👏" not in deal.text  # she had that idea before
    late = await bot.say(ann, family, "4*(3+2+1)", reply_to=deal)
    assert read_reactions(late) == "👏"
    assert [line[:1] for line in deal.text.splitlines()].count("👏") == 1


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_repeated_idea_is_answered_with_its_finder(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await deal_three_ideas(bot, ann, family)
    await bot.say(ann, family, "2*3*4*1", reply_to=deal)
    again = await bot.say(bob, family, "4*3*2/1", reply_to=deal)
    assert read_reactions(again) == "🤝"
    (note,) = (line for line in deal.text.splitlines() if line.startswith("🤝"))
    assert re.findall("Ann|Bob|[0-9×÷]{7}", note) == ["Bob", "Ann", "2×3×4×1", "4×3×2÷1"]
    await bot.say(ann, family, "3*4*2*1", reply_to=deal)
    note = [line for line in deal.text.splitlines() if line.startswith("🤝")][-1]
    assert re.findall("Ann|Bob", note) == ["Ann"]
    assert world.posts(family) == [deal]
    await bot.say(ann, family, "/leaderboard@TwentyFourTestBot")
    assert [line for line in world.posts(family)[-1].text.splitlines() if line[:1] == "1"] == [
        "1. \u2068Ann\u2069 — 2"
    ]


async def test_inverted_part_worth_1_is_the_same_idea(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    """Published lists count 5*5-(5+8)/13 and 5*5-13/(5+8) as two ideas; players find one."""
    bot.rig(5, 5, 5, 8, 13)
    world.say(ann, family, f"/play@{world.bot.username} all")
    deal = await world.next_post(family, "5 5 5 8 13 → 24")
    await bot.settle()
    assert "4" in deal.text.splitlines()[IDEAS_LINE]
    await bot.say(ann, family, "5*5-13/(5+8)", reply_to=deal)
    again = await bot.say(bob, family, "5*5-(8+5)/13", reply_to=deal)
    assert read_reactions(again) == "🤝"
    (note,) = (line for line in deal.text.splitlines() if line.startswith("🤝"))
    assert re.findall("Ann|Bob|[0-9×÷()+−]{11,}", note) == ["Bob", "Ann", "5×5−13÷(5+8)", "5×5−(8+5)÷13"]
    for answer in ("5*(13-8)-5/5", "5*5-8/(13-5)", "5*5-5/(13-8)"):
        assert len(deal.buttons) == 2
        await bot.say(bob, family, answer, reply_to=deal)
    assert len(deal.buttons) == 1  # every one is found
    await bot.say(ann, family, "/solve@TwentyFourTestBot 5 5 5 8 13")
    ideas = re.findall("[0-9×÷()+−]{12,}", world.posts(family)[-1].text)
    assert ideas == ["5×5−(5+8)÷13", "5×(13−8)−5÷5", "5×5−(13−5)÷8", "5×5−(13−8)÷5"]


async def test_expired_round_shows_the_ideas_nobody_found(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    deal = await deal_three_ideas(bot, ann, family)
    await bot.say(ann, family, "1*2*3*4", reply_to=deal)
    clock.advance(700)
    await bot.run_timers()
    missed = [line for line in deal.text.splitlines() if line.startswith("💭")]
    assert missed == [f"💭 {format_expression(idea)} = 24" for idea in IDEAS[1:]]
    assert "1. \u2068Ann\u2069 — 2" in deal.text
    assert "1×2×3×4 = 24 · +2 points (one for the first of the day)" in deal.text
    assert len(world.posts(family)) == 1


@pytest.mark.parametrize(("finder_count", "shown"), [(1, 5), (3, 3)])
async def test_five_missing_ideas_are_shown_if_they_fit(
    bot: LiveBot,
    world: World,
    clock: Clock,
    ann: User,
    bob: User,
    family: Chat,
    finder_count: int,
    shown: int,
) -> None:
    carl = world.user("Carl")
    world.join(carl, family)
    bot.rig(2, 4, 8, 10)
    await bot.say(ann, family, f"/play@{world.bot.username} all")
    deal = world.posts(family)[-1]
    clock.advance(20)
    finds = ((ann, "2+4+8+10"), (bob, "2+4*8-10"), (carl, "8+2*10-4"))
    for user, answer in finds[:finder_count]:
        await bot.say(user, family, answer, reply_to=deal)
    clock.advance(700)
    await bot.run_timers()
    lines = deal.text.splitlines()
    assert sum(line.startswith("💭") for line in lines) == shown
    assert len(lines) <= 13


async def test_answer_to_a_hand_given_up_is_not_praised_as_late(
    bot: LiveBot, ann: User, family: Chat
) -> None:
    deal = await deal_three_ideas(bot, ann, family)
    await bot.say(ann, family, "/skip@TwentyFourTestBot")
    copied = await bot.say(ann, family, IDEAS[1], reply_to=deal)
    assert read_reactions(copied) == "👏"
    assert "👏" not in deal.text


async def test_hands_with_one_idea_are_not_dealt(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    for numbers in ((3, 8, 3, 8), (1, 1, 2, 8), (2, 4, 8, 10)):
        bot.rig(*numbers)
    world.say(ann, family, "/play@TwentyFourTestBot all")
    await world.next_post(family, "2 4 8 10 → 24")


async def test_next_hand_collects_all_ideas_too(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    first = await deal_three_ideas(bot, ann, family)
    await bot.say(ann, family, "/skip@TwentyFourTestBot")
    bot.rig(2, 4, 8, 10)
    world.press(bob, first, 0)
    second = await world.next_post(family, "2 4 8 10 → 24")
    await bot.settle()
    await bot.say(bob, family, "2+4+8+10", reply_to=second)
    assert len(second.buttons) == 2  # ten more to find


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_hand_with_too_many_ideas_is_not_dealt(bot: LiveBot, ann: User, family: Chat) -> None:
    bot.rig(*CROWDED)
    deal = await deal_three_ideas(bot, ann, family)
    assert str(len(IDEAS)) in deal.text.splitlines()[IDEAS_LINE]


async def test_deal_is_refused_if_all_hands_have_too_many_ideas(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    bot.solving.too_many_ideas = True
    await bot.say(ann, family, "/play@TwentyFourTestBot all 6")
    (answer,) = world.posts(family)
    assert "→" not in answer.text
    assert "/play all 5" in answer.text


async def store_hand_of_older_version(bot: LiveBot, user: User, chat: Chat) -> Message:
    """Replace the puzzle of a new deal by one with a cut list of ideas, which is not dealt any more."""
    deal = await deal_three_ideas(bot, user, chat)
    crowded = build_hand(CROWDED, 24)
    assert len(crowded.ideas) == MAX_IDEAS
    old = {"line": crowded.line, "puzzle": GAMES["24"].pack(crowded)}
    await bot.services.store.write(lambda tx: tx.execute(update(rounds).values(old)).rowcount)
    return deal


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("language", ["en", "ru"])
async def test_round_with_cut_list_of_ideas_stays_open(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, language: str
) -> None:
    deal = await store_hand_of_older_version(bot, ann, family)
    *listed, unlisted = map(str, islice(solver.tricks(CROWDED), MAX_IDEAS + 1))
    for count, idea in enumerate([unlisted, *listed], 1):
        right = await bot.say(ann, family, idea, reply_to=deal)
        assert read_reactions(right) == "🏆"
        assert "s:" in deal.button(-1)["callback_data"]  # open: nobody knows whether there are more
        assert re.findall(r"\d+", deal.text.splitlines()[IDEAS_LINE]) == [str(count)]
    clock.advance(700)
    await bot.run_timers()
    assert str(MAX_IDEAS + 1) in deal.text.splitlines()[IDEAS_LINE]
    assert get_words(choose_language(language)).translate_plain("Every way is found!") not in deal.text
    assert "…" not in deal.text


@pytest.mark.long
@pytest.mark.parametrize(("way", "more"), [("skip", 6), ("win", 8), ("time", 6)])
async def test_number_of_further_ideas_is_shown_for_complete_lists_only(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, way: str, more: int
) -> None:
    tails = {CROWDED: "… and there are more ways.", (2, 4, 8, 10): f"… and {more} more ways."}
    for numbers, tail in tails.items():
        deal = await bot.deal(ann, family, *numbers)
        if way == "skip":
            await bot.say(ann, family, "/skip@TwentyFourTestBot")
        if way == "win":
            await bot.say(ann, family, str(next(solver.ideas(numbers))), reply_to=deal)
        if way == "time":
            clock.advance(700)
            await bot.run_timers()
        assert [line for line in deal.text.splitlines() if line.startswith("…")] == [tail]
