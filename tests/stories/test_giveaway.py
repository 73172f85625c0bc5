"""Somebody answers with what they had looked up: no points for them, and another hand for everybody else."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.games.twentyfour.hand import Hand
from bot.workers.pool import TooSlowError
from tests.stories.conftest import Evening, emoji, evening
from tests.stories.hours import Hours, time_left
from tests.telegram import Chat, Message, User, World

LINE, SOLUTION = "3 8 3 8 → 24", "8/(3-8/3)"
NEXT, NEXT_SOLUTION = (1, 5, 5, 5), "5*(5-1/5)"
THIRD, THIRD_SOLUTION = (1, 3, 4, 6), "6/(1-3/4)"


@dataclass
class Place:
    """A group with Bob, who deals, and Ann and Cid, who never played there."""

    world: World
    hours: Hours
    ann: User
    bob: User
    cid: User
    group: Chat
    other: Chat

    async def looks_up(self, bot: Evening, user: User, hand: str = "8 8 3 3") -> str:
        """What /solve tells the user in private."""
        await bot.says(user, self.world.place(user), f"/solve {hand}")
        return self.world.posts(user)[-1].text

    async def points(self, bot: Evening, user: User) -> int:
        """The user's points in the group."""
        await bot.says(user, self.group, f"/leaderboard@{self.world.bot.username}")
        lines = self.world.posts(self.group)[-1].text.splitlines()
        own = [line for line in lines if line[:1].isdigit() and f"\u2068{user.first_name}\u2069" in line]
        return int(own[0].split("— ")[1]) if own else 0


@pytest.fixture
def place(world: World, hours: Hours, ann: User, bob: User, language: str | None) -> Place:
    cid = world.user("Cid", language_code=language)
    group, other = world.group("Group", bob, ann, cid), world.group("Other", cid, ann)
    return Place(world, hours, ann, bob, cid, group, other)


PHOTO = {"photo": [{"file_id": "p", "file_unique_id": "u", "width": 1, "height": 1}]}


@pytest.mark.parametrize("language", ["en", "ru"])
async def test_a_caption_is_read_by_all_and_gives_it_away(bot: Evening, place: Place) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    assert SOLUTION in await place.looks_up(bot, place.ann)
    bot.rig(*NEXT)
    place.world.say(place.ann, place.group, f"look: {SOLUTION}", content=PHOTO, hear=True)
    await bot.settled()
    assert LINE not in deal.text
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    await bot.says(place.cid, place.group, SOLUTION, reply_to=deal)
    assert await place.points(bot, place.cid) == 0


@pytest.mark.parametrize("language", ["en", "es"])
async def test_a_message_that_is_changed_into_it_gives_it_away(bot: Evening, place: Place) -> None:
    written = place.world.say(place.ann, place.group, "hm", hear=True)
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    place.hours.pass_(30)
    assert SOLUTION in await place.looks_up(bot, place.ann)
    bot.rig(*NEXT)
    place.world.edit(written, SOLUTION, hear=True)
    await bot.settled()
    assert LINE not in deal.text
    await bot.says(place.cid, place.group, SOLUTION, reply_to=deal)
    assert await place.points(bot, place.cid) == 0


async def test_a_message_that_is_changed_is_no_answer(bot: Evening, place: Place) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    written = await bot.says(place.ann, place.group, "8+8+8", reply_to=deal)
    place.world.edit(written, SOLUTION, hear=True)
    await bot.settled()
    assert LINE in deal.text
    await bot.says(place.cid, place.group, SOLUTION, reply_to=deal)
    assert await place.points(bot, place.cid) > 0


async def too_slow(*_: object, **__: object) -> Hand:
    """No hand comes in time."""
    raise TooSlowError


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_the_same_message_shows_another_hand_until_the_same_deadline(
    bot: Evening, place: Place
) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await bot.settled()
    place.world.press(place.bob, deal, 0)  # a hint
    await bot.settled()
    assert deal.text.count("💡") == 1
    assert SOLUTION in await place.looks_up(bot, place.ann)
    place.hours.pass_(300)
    bot.rig(*NEXT)
    await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
    assert LINE not in deal.text
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    assert deal.text.count("💡") == 1
    assert time_left(deal) == 5
    assert len(deal.buttons) == 2
    assert "Ann" in deal.text
    assert len(place.world.posts(place.group)) == 2  # and the word to her
    late = await bot.says(place.cid, place.group, "8/(3-(8/3))", reply_to=deal)
    assert emoji(late) == "👏"
    await bot.says(place.bob, place.group, NEXT_SOLUTION, reply_to=deal)
    assert "+5" in deal.text  # fiendish, less a hint, and the day's first
    assert [await place.points(bot, who) for who in (place.ann, place.bob, place.cid)] == [0, 5, 0]
    later = await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
    assert emoji(later) == "👏"


async def test_whoever_comes_across_scaled_numbers_has_seen_nothing(bot: Evening, place: Place) -> None:
    """Neither in a chat where somebody else asked, nor in a hand of their own."""
    there = await bot.dealt(place.ann, place.other, 1, 1, 11, 11)  # so Ann plays there
    await bot.says(place.ann, place.other, "(11+1)*(1+1)", reply_to=there)
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    place.hours.pass_(30)
    await bot.says(place.cid, place.other, f"/solve@{place.world.bot.username} 3 6 16 16")
    assert "16/(6-16/3)" in place.world.posts(place.other)[-1].text
    await bot.dealt(place.ann, place.world.place(place.ann), 3, 6, 16, 16)
    place.hours.pass_(30)
    await bot.says(place.ann, place.world.place(place.ann), "16/(6-16/3)")
    place.hours.pass_(30)
    bot.rig(*NEXT)
    hers = await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
    assert emoji(hers) == "🏆"
    assert "Ann" in deal.text
    assert LINE in deal.text


async def test_two_give_it_away_at_once_and_one_hand_takes_its_place(bot: Evening, place: Place) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    for who in (place.ann, place.cid):
        await place.looks_up(bot, who, "3 8 3 8 1 = 25")
    bot.rig(*NEXT)
    bot.rig(*THIRD)
    for who in (place.ann, place.cid):
        place.world.say(who, place.group, SOLUTION, reply_to=deal)
    await bot.settled()
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    honest = await bot.says(place.bob, place.group, NEXT_SOLUTION, reply_to=deal)
    assert emoji(honest) == "🏆"


async def test_a_streak_and_the_rounds_an_hour_do_not_mind(bot: Evening, place: Place) -> None:
    await bot.choose(place.group, "rounds_an_hour", 3)
    for n in range(3):
        hand, solution = ((1, 1, 2, 8), "1*8*(1+2)") if n < 2 else ((3, 8, 3, 8), NEXT_SOLUTION)
        deal = await bot.dealt(place.bob, place.group, *hand)
        if n == 2:
            await place.looks_up(bot, place.ann)
            bot.rig(*NEXT)
            await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
        await bot.says(place.bob, place.group, solution, reply_to=deal)
        place.hours.pass_(5)
    assert "🔥" in deal.text
    place.hours.pass_(3590)
    await bot.dealt(place.bob, place.group)


@pytest.mark.parametrize("way", ["/a@TwentyFourTestBot 8/(3-8/3)", "8/(3-8/3)"])
@pytest.mark.parametrize("privacy", [False])
async def test_however_it_is_given_away(bot: Evening, place: Place, way: str) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await place.looks_up(bot, place.ann)
    bot.rig(*NEXT)
    await bot.says(place.ann, place.group, way)
    assert "1 5 5 5 → 24" in deal.text.splitlines()


@pytest.mark.parametrize("below", ["older deal", "help"])
async def test_whatever_message_it_replies_to(bot: Evening, place: Place, below: str) -> None:
    replied = await bot.dealt(place.bob, place.group, 1, 2, 3, 4)
    await bot.says(place.bob, place.group, "1*2*3*4", reply_to=replied)
    if below == "help":
        await bot.says(place.bob, place.group, f"/help@{place.world.bot.username}")
        replied = place.world.posts(place.group)[-1]
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await place.looks_up(bot, place.ann)
    bot.rig(*NEXT)
    await bot.says(place.ann, place.group, SOLUTION, reply_to=replied)
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    assert await place.points(bot, place.ann) == 0
    late = await bot.says(place.cid, place.group, SOLUTION, reply_to=replied)
    assert emoji(late) == "👏"


async def test_what_another_group_was_shown_is_given_away_too(bot: Evening, place: Place) -> None:
    own = await bot.dealt(place.ann, place.other, 1, 1, 11, 11)
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await bot.says(place.cid, place.other, "/solve@TwentyFourTestBot 3 8 3 8 0")
    assert SOLUTION in place.world.posts(place.other)[-1].text
    bot.rig(*NEXT)
    await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    assert "1 1 11 11 → 24" in own.text.splitlines()


async def test_no_group_is_shown_what_some_of_its_players_have_on_another_table(
    bot: Evening, place: Place
) -> None:
    """Cid, who plays nowhere, could take every hand of the group from Ann by asking where she reads it."""
    own = await bot.dealt(place.ann, place.other, 1, 1, 11, 11)
    earlier = await bot.dealt(place.ann, place.group, 1, 2, 3, 4)
    await bot.says(place.ann, place.group, "1*2*3*4", reply_to=earlier)
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await bot.says(place.cid, place.other, "/solve@TwentyFourTestBot 3 8 3 8")
    told = place.world.posts(place.other)[-1].text
    assert told == "That hand is on the table in a chat where some of you play: no peeking!"
    hers = await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
    assert emoji(hers) == "🏆"
    assert "1 1 11 11 → 24" in own.text.splitlines()


async def test_who_only_reads_what_others_asked_is_not_held_to_give_hands_away(
    bot: Evening, place: Place
) -> None:
    await bot.dealt(place.ann, place.other, 1, 1, 11, 11)
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await bot.says(place.cid, place.other, "/solve@TwentyFourTestBot 3 8 3 8")
    bot.rig(*NEXT)
    await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
    assert LINE not in deal.text.splitlines()
    assert (await _export(bot, place, place.ann))["hands_given_away"] == []


@pytest.mark.parametrize("said", ["8/(3-8/3", "+8/(+3-8/3)", "8//(3-8//3)", "[8/(3-8/3"])
async def test_what_everybody_reads_as_the_solution_is_one(bot: Evening, place: Place, said: str) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await place.looks_up(bot, place.ann)
    bot.rig(*NEXT)
    await bot.says(place.ann, place.group, said, reply_to=deal)
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    await bot.says(place.cid, place.group, SOLUTION, reply_to=deal)
    assert await place.points(bot, place.cid) == 0


async def test_a_solution_posted_through_inline_mode(bot: Evening, place: Place) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    inline = place.world.inline(place.ann, "3 8 3 8")
    await place.world.until(lambda: inline.answer is not None, what="an answer")
    bot.rig(*NEXT)
    text = f"{LINE}\n{SOLUTION} = 24"
    place.world.say(place.ann, place.group, text, via_bot=place.world.bot)
    await bot.settled()
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    await bot.says(place.bob, place.group, SOLUTION, reply_to=deal)
    assert await place.points(bot, place.bob) == 0


async def test_a_race_keeps_its_hands(bot: Evening, place: Place) -> None:
    for hand in ((3, 8, 3, 8), (1, 1, 2, 8), (2, 2, 6, 6)):
        bot.rig(*hand)
    place.world.say(place.bob, place.group, "/race@TwentyFourTestBot 3")
    race = await place.world.next_post(place.group, LINE)
    await bot.settled()
    await place.looks_up(bot, place.ann)
    place.hours.pass_(20)
    bot.rig(*NEXT)
    await bot.says(place.ann, place.group, SOLUTION, reply_to=race)
    assert "1 5 5 5 → 24" in race.text.splitlines()
    assert time_left(race) == 45  # 40 s, as the message rounds them
    assert "1" in race.text.splitlines()[0]
    assert "#1" not in race.text
    late = await bot.says(place.cid, place.group, SOLUTION, reply_to=race)
    assert emoji(late) == "👏"
    answers = (NEXT_SOLUTION, "1*8*(1+2)", "2*6+2*6")
    for text in answers:
        await bot.says(place.bob, place.group, text, reply_to=race)
    legs = [line for line in race.text.splitlines() if line.startswith("#")]
    won = [f"#{number} 🏆 \u2068Bob\u2069: {text} = 24" for number, text in enumerate(answers, 1)]
    assert [leg.partition(" · ")[0] for leg in legs] == won
    assert "1. \u2068Bob\u2069 — 9" in race.text


async def test_where_all_ideas_are_sought_the_finds_stay(bot: Evening, place: Place) -> None:
    bot.rig(1, 2, 3, 4)
    place.world.say(place.bob, place.group, "/play@TwentyFourTestBot all")
    deal = await place.world.next_post(place.group, "1 2 3 4 → 24")
    await bot.settled()
    await place.looks_up(bot, place.ann, "1 2 3 4")
    await bot.says(place.bob, place.group, "1*2*3*4", reply_to=deal)
    await bot.says(place.ann, place.group, "2*3*4/1", reply_to=deal)  # his idea: nothing new to anybody
    assert "1 2 3 4 → 24" in deal.text.splitlines()
    bot.rig(2, 4, 8, 10)
    await bot.says(place.ann, place.group, "4*(1+2+3)", reply_to=deal)
    assert "2 4 8 10 → 24" in deal.text.splitlines()
    assert "1*2*3*4 = 24" in deal.text
    assert "0" in next(line for line in deal.text.splitlines() if "idea" in line)
    await bot.says(place.bob, place.group, "2+4+8+10", reply_to=deal)
    assert await place.points(bot, place.bob) == 2 + 3
    assert await place.points(bot, place.ann) == 0
    await bot.says(place.bob, place.group, "/skip@TwentyFourTestBot")
    assert "1. \u2068Bob\u2069 — 5" in deal.text


async def test_in_private_the_hand_ends(bot: Evening, place: Place) -> None:
    deal = await bot.dealt(place.ann, place.world.place(place.ann), 3, 8, 3, 8)
    await bot.dealt(place.cid, place.other, 3, 8, 3, 8)
    assert "no peeking" in await place.looks_up(bot, place.ann)
    await bot.says(place.cid, place.other, "/skip@TwentyFourTestBot")  # Ann has never played there …
    own = await bot.dealt(place.ann, place.other, 1, 1, 11, 11)  # … but does from now on
    await bot.says(place.ann, place.world.place(place.ann), SOLUTION)
    assert "no points" in place.world.posts(place.ann)[-1].text
    assert len(deal.buttons) == 1
    assert "1 1 11 11 → 24" in own.text


@pytest.mark.long
async def test_twice_within_an_hour_and_no_live_hand_is_shown_for_an_hour(
    place: Place, database: Path
) -> None:
    world, hours = place.world, place.hours
    async with evening(world, database) as bot:
        deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
        await place.looks_up(bot, place.ann)
        bot.rig(*NEXT)
        await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
        # she has not scored, dealt or voted here, and tried only what she knew
        hours.pass_(60)
        elsewhere = world.group("Third", place.bob, place.ann)
        other = await bot.dealt(place.bob, elsewhere, 3, 8, 3, 8)
        assert SOLUTION in await place.looks_up(bot, place.ann)
        bot.rig(*THIRD)
        await bot.says(place.ann, elsewhere, SOLUTION, reply_to=other)
        assert "1 3 4 6 → 24" in other.text
    async with evening(world, database) as bot:
        fourth = world.group("Fourth", place.bob)
        for wait, told in ((0, False), (3500, False), (200, True)):
            hours.pass_(wait)
            await bot.dealt(place.bob, fourth, 3, 8, 3, 8)
            text = await place.looks_up(bot, place.ann, "3 8 3 8 0")
            assert (SOLUTION in text) is told
            assert ("I show you none like it for an hour" in text) is not told
            inline = world.inline(place.ann, "3 8 3 8")
            await bot.settled()
            assert bool(inline.results) is told
            assert SOLUTION in await place.looks_up(bot, place.cid)
            await bot.says(place.bob, fourth, "/skip@TwentyFourTestBot")
        assert "1 idea" in await place.looks_up(bot, place.ann)  # live nowhere


async def test_without_another_hand_the_round_goes_on_for_the_others(
    bot: Evening, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await place.looks_up(bot, place.ann)
    monkeypatch.setattr(bot.solving, "ask", too_slow)
    await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
    assert "this one stays" in place.world.posts(place.group)[-1].text
    assert LINE in deal.text.splitlines()
    assert len(deal.buttons) == 2
    await bot.says(place.bob, place.group, SOLUTION, reply_to=deal)
    assert [await place.points(bot, who) for who in (place.ann, place.bob)] == [0, 6]


async def test_it_outlives_a_restart(place: Place, database: Path) -> None:
    async with evening(place.world, database) as bot:
        deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
        await place.looks_up(bot, place.ann)
    async with evening(place.world, database) as bot:
        bot.rig(*NEXT)
        await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
        assert "1 5 5 5 → 24" in deal.text.splitlines()
    async with evening(place.world, database) as bot:
        late = await bot.says(place.cid, place.group, SOLUTION, reply_to=deal)
        assert emoji(late) == "👏"
        await bot.says(place.bob, place.group, NEXT_SOLUTION, reply_to=deal)
        assert await place.points(bot, place.bob) == 6


async def test_hints_of_a_private_hand_cost_what_hints_cost(bot: Evening, place: Place) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    place.world.start(place.ann, "hand_8-3-8-3-24")
    await bot.settled()
    for _ in range(2):
        await bot.says(place.ann, place.world.place(place.ann), "/hint")
    assert place.world.posts(place.ann)[0].text.count("💡") == 2
    await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
    assert "+4" in deal.text  # fiendish, less two, and the day's first


async def test_hints_of_a_hand_that_holds_it_cost_too_and_others_nothing(bot: Evening, place: Place) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    place.world.start(place.ann, "hand_8-3-8-3-1-24")
    await bot.settled()
    for _ in range(4):
        await bot.says(place.ann, place.world.place(place.ann), "/hint")
    await bot.says(place.bob, place.group, SOLUTION, reply_to=deal)
    assert "+6" in deal.text
    place.hours.pass_(5)
    second = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await bot.says(place.ann, place.group, SOLUTION, reply_to=second)
    assert "+5" in second.text  # what she was shown before this deal is a memory


async def _forgets(bot: Evening, place: Place, user: User) -> None:
    await bot.says(user, place.world.place(user), "/forgetme")
    await place.world.answer_to(place.world.press(user, place.world.posts(user)[-1], "Forget me"))
    await bot.settled()


async def _export(bot: Evening, place: Place, user: User) -> dict[str, list[dict[str, object]]]:
    await bot.says(user, place.world.place(user), "/export")
    found: dict[str, list[dict[str, object]]] = json.loads(list(place.world.files.values())[-1])
    return found


@pytest.mark.long
@pytest.mark.parametrize("where", ["alone", "in a group", "on a private table"])
async def test_to_be_forgotten_makes_nothing_unseen(bot: Evening, place: Place, where: str) -> None:
    world = place.world
    await bot.dealt(place.ann, place.other, 1, 1, 11, 11)
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    if where == "alone":
        await place.looks_up(bot, place.ann)
    elif where == "in a group":
        await bot.says(place.cid, place.other, "/solve@TwentyFourTestBot 3 8 3 8")
    else:
        own = await bot.dealt(place.ann, world.place(place.ann), 3, 8, 3, 8, 1)
        world.press(place.ann, own, "Give up")
        await bot.settled()
    await _forgets(bot, place, place.ann)
    bot.rig(*NEXT)
    await bot.says(place.ann, place.group, SOLUTION, reply_to=deal)
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    assert await place.points(bot, place.ann) == 0
    kept = await _export(bot, place, place.ann)
    assert {row["hand"] for row in kept["solutions_shown"]} >= {"3 3 8 8 → 24"}
    assert len(kept["hands_given_away"]) == 1
    place.hours.pass_(8 * 86_400)
    await bot.timers.look()
    kept = await _export(bot, place, place.ann)
    assert kept["solutions_shown"] == kept["hands_given_away"] == []


async def test_to_be_forgotten_resets_no_daily_clock(bot: Evening, place: Place) -> None:
    chat = place.world.place(place.ann)
    bot.rig(3, 8, 3, 8)
    await bot.says(place.ann, chat, "/daily")
    place.hours.pass_(100)
    await _forgets(bot, place, place.ann)
    assert "no peeking" in await place.looks_up(bot, place.ann)
    place.hours.pass_(100)
    await bot.says(place.ann, chat, "/daily")
    place.hours.pass_(100)
    await bot.says(place.ann, chat, SOLUTION)
    assert "Solved in 5 min 0 s" in place.world.posts(place.ann)[-1].text
    await _forgets(bot, place, place.ann)
    await bot.says(place.ann, chat, "/daily")
    assert "Solved in 5 min 0 s" in place.world.posts(place.ann)[-1].text


@pytest.mark.long
async def test_a_daily_hand_given_up_stays_given_up(bot: Evening, place: Place) -> None:
    chat = place.world.place(place.ann)
    bot.rig(3, 8, 3, 8)
    await bot.says(place.ann, chat, "/daily")
    place.world.press(place.ann, place.world.posts(place.ann)[-1], "Give up")
    await bot.settled()
    await _forgets(bot, place, place.ann)
    await bot.says(place.ann, chat, "/daily")
    shown: Message = place.world.posts(place.ann)[-1]
    assert "Given up" in shown.text
    await bot.says(place.ann, chat, SOLUTION)
    assert "Solved" not in place.world.posts(place.ann)[-1].text


async def test_yesterdays_hand_stays_sealed_while_anybody_is_at_it(bot: Evening, place: Place) -> None:
    bot.rig(3, 8, 3, 8)
    place.hours.pass_(11 * 3600)
    await bot.says(place.ann, place.world.place(place.ann), "/daily")
    place.hours.pass_(3 * 3600)
    bot.rig(1, 2, 3, 4)
    await bot.says(place.bob, place.world.place(place.bob), "/daily")
    assert "no peeking" in await place.looks_up(bot, place.bob)
    assert "no peeking" in await place.looks_up(bot, place.bob, "3 8 3 8 1 = 25")
    await bot.says(place.cid, place.other, "/solve@TwentyFourTestBot 8 8 3 3")
    assert "no peeking" in place.world.posts(place.other)[-1].text
    place.world.start(place.bob, "hand_3-8-3-8-24")
    await bot.settled()
    assert "no peeking" in place.world.posts(place.bob)[-1].text
    await bot.says(place.ann, place.world.place(place.ann), SOLUTION)
    assert "Solved" in place.world.posts(place.ann)[-1].text
    assert SOLUTION in await place.looks_up(bot, place.bob)


WORDS = {
    "among words": "it is 8/(3-8/3) lol",
    "behind a card's letter": "ask 8/(3-8/3)",
    "in brackets": "(I think it is 8/(3-8/3))",
    "in another line": "lol\n8/(3-8/3) = 24",
    "with a command": "/a@TwentyFourTestBot it is 8/(3-8/3)",
    "after a long speech": "so " * 200 + "8/(3-8/3)!",
}


@pytest.mark.long
@pytest.mark.parametrize("replied", [True, False])
@pytest.mark.parametrize("how", WORDS)
@pytest.mark.parametrize("privacy", [False])
async def test_wherever_in_a_message_it_stands(bot: Evening, place: Place, how: str, replied: bool) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await bot.says(place.cid, place.group, "it has 3-8/3 in it")  # who was shown nothing may think aloud
    assert LINE in deal.text.splitlines()
    await place.looks_up(bot, place.ann)
    bot.rig(*NEXT)
    await bot.says(place.ann, place.group, WORDS[how], reply_to=deal if replied else None)
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    assert await place.points(bot, place.ann) == 0


BEHIND = {
    f"behind {command}": f"{command} {SOLUTION}"
    for command in ("/help@TwentyFourTestBot", "/hint", "/why", "/solve", "/play", "/race", "/skip", "/foo")
} | {
    "behind another bot's command": "/a@OtherBot 8/(3-8/3)",
    "as a command": "/8/(3-8/3)",
    "with something beside it": "8/(3-8/3)+0",
    "times one": "8/(3-8/3)*1",
    "in the midst": "8*1/(3-8/3)",
    "step by step": "3-8/3=1/3, 8/(1/3)=24",
    "in a list": "1) 8/(3-8/3)",
    "in a list with a colon": "1: 8/(3-8/3)",
    "by number": "#1 8/(3-8/3)",
    "by the clock": "12:30 8/(3-8/3)",
    "before a number": "8/(3-8/3) 24",
    "below many lines": "\n".join(f"1+{i}+1" for i in range(200)) + "\n8/(3-8/3)",
    "below many dates": "\n".join(f"1-{i}-1" for i in range(200)) + "\n8/(3-8/3)",
    "turned around": "-8/(8/3-3)",
    "with decimals": "8.0/(3-8/3.00)",
    "in Arabic digits": "٨/(٣-٨/٣)",
    "in Devanagari digits": "८/(३-८/३)",
    "in full width": "８／（３－８／３）",
    "with the signs of fractions": "8⁄(3−8∕3)",
    "with nothing between": "8/\u200b(3-8/3)",
    "typeset": r"$\frac{8}{3-\frac{8}{3}}$",
    "typeset with brackets": r"8\div\left(3-\frac{8}{3}\right)",
    "in disguise": "8/(3-8/(6/2))",
    "scaled": "16/(6-16/3)",
}


@pytest.mark.long
@pytest.mark.parametrize("replied", [True, False])
@pytest.mark.parametrize("how", BEHIND)
@pytest.mark.parametrize("privacy", [False])
async def test_however_it_is_written(bot: Evening, place: Place, how: str, replied: bool) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await place.looks_up(bot, place.ann)
    bot.rig(*NEXT)
    before = len(place.world.posts(place.group))
    await bot.says(place.ann, place.group, BEHIND[how], reply_to=deal if replied else None)
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    assert not any(SOLUTION in post.text for post in place.world.posts(place.group)[before:])
    await bot.says(place.bob, place.group, SOLUTION, reply_to=deal)
    assert await place.points(bot, place.bob) == 0
    export = await _export(bot, place, place.ann)
    assert len(export["hands_given_away"]) == 1


HARMLESS = (
    "8*(3-8/3)",
    "3*8+3-8",
    "8/(3-8/4)",
    "(8-3)*(8-3)-1",
    "8*3-8/3",
    "8/3",
    "8/3/8",
    "3-8-8 at 3:08",
    "3 8 3 8 → 24 is hard",
    "3 8 3 8, or 3/8 and 8-3",
    "/why 3*8+3-8",
    "/foo 3+8+3+8",
    "/solve 8 8 3",
    "call 838-338-8338",
    "1) 3*8\n2) 3+8\n3) 8-3",
)


@pytest.mark.parametrize("replied", [True, False])
@pytest.mark.parametrize("privacy", [False])
async def test_what_tells_nothing_is_no_giveaway(bot: Evening, place: Place, replied: bool) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await place.looks_up(bot, place.ann)
    for text in HARMLESS:
        await bot.says(place.ann, place.group, text, reply_to=deal if replied else None)
    assert LINE in deal.text.splitlines()
    export = await _export(bot, place, place.ann)
    assert export["hands_given_away"] == []
    await bot.says(place.cid, place.group, "1) 3-8/3")  # who was shown nothing may think aloud
    assert LINE in deal.text.splitlines()
    await bot.says(place.bob, place.group, SOLUTION, reply_to=deal)
    assert await place.points(bot, place.bob) == 6


@pytest.mark.long
@pytest.mark.parametrize("text", ["/play 8/(3-8/3)", "/race 8/(3", "/solve 8/(3-8/3", "/solve 1 = 8/(3"])
@pytest.mark.parametrize("privacy", [False])
async def test_no_answer_repeats_an_expression(bot: Evening, place: Place, text: str) -> None:
    await bot.says(place.cid, place.group, text)
    assert "“…”" in place.world.posts(place.group)[-1].text
    await bot.says(place.cid, place.group, "/play nonsense")
    assert "“nonsense”" in place.world.posts(place.group)[-1].text


async def test_a_step_that_is_found_is_not_taken_amiss_where_nobody_has_a_name(
    bot: Evening, place: Place
) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    place.world.say_anonymously(place.group, "3-8/3", reply_to=deal)
    await bot.settled()
    assert LINE in deal.text.splitlines()


@pytest.mark.parametrize("privacy", [False])
async def test_without_another_hand_it_is_noted_all_the_same(
    bot: Evening, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await place.looks_up(bot, place.ann)
    monkeypatch.setattr(bot.solving, "ask", too_slow)
    await bot.says(place.ann, place.group, "/help 8/(3-8/3)")
    assert LINE in deal.text.splitlines()
    assert "this one stays" in place.world.posts(place.group)[-1].text
    assert len((await _export(bot, place, place.ann))["hands_given_away"]) == 1


@pytest.mark.parametrize("privacy", [False])
async def test_in_another_topic(bot: Evening, place: Place) -> None:
    forum = place.world.group("Forum", place.bob, place.ann, forum=True)
    topic = place.world.topic(forum, "Other", place.bob)
    deal = await bot.dealt(place.bob, forum, 3, 8, 3, 8)
    await place.looks_up(bot, place.ann)
    bot.rig(*NEXT)
    place.world.say(place.ann, forum, SOLUTION, topic=topic)
    await bot.settled()
    assert "1 5 5 5 → 24" in deal.text.splitlines()


@pytest.mark.parametrize("text", [SOLUTION, "it is 8/(3-8/3)", "/a@TwentyFourTestBot 8/(3-8/3)"])
@pytest.mark.parametrize("who", ["an anonymous admin", "a channel"])
async def test_a_right_answer_by_no_person_gives_it_away(
    bot: Evening, place: Place, who: str, text: str
) -> None:
    world = place.world
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    bot.rig(*NEXT)
    if who == "a channel":
        world.say_as_channel(place.group, world.channel("Channel", place.ann), text, reply_to=deal)
    else:
        world.say_anonymously(place.group, text, reply_to=deal)
    await bot.settled()
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    notes = [line for line in deal.text.splitlines() if line.startswith("💬")]
    assert notes == ["💬 that one was given away, so this is another: same time, same points."]
    copied = await bot.says(place.cid, place.group, SOLUTION, reply_to=deal)
    assert emoji(copied) == "👏"
    assert await place.points(bot, place.cid) == 0
