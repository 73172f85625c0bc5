"""Countdown in chats: secret entries until the time is up, then the nearest wins."""

import asyncio
import re

import pytest
import sqlalchemy

import solver
from bot.formats import format_expression
from bot.games.countdown.view import list_steps
from bot.i18n import get_words
from tests.phone_screen import LINES
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.stories.test_deadlines import stop_updates
from tests.telegram import Chat, Message, User, World

MINE = "@TwentyFourTestBot"


def read_draw(message: Message) -> tuple[list[int], int]:
    """Return the tiles and the target that a message shows."""
    line = next(line for line in message.text.splitlines() if re.fullmatch(r"[\d ]+ → \d+", line))
    tiles, _, target = line.partition(" → ")
    return [int(tile) for tile in tiles.split()], int(target)


def find_entry(tiles: list[int], target: int, off: int) -> str:
    """Return an expression whose value is exactly `off` away from the target."""
    for goal in (target + off, target - off):
        if (found := solver.nearest(tiles, goal)).distance == 0:
            return str(found.expression)
    raise AssertionError("no such entry")


def find_give_up_label(deal: Message) -> str:
    """Return the label of the button that gives up."""
    return str(next(b["text"] for b in deal.buttons if b.get("callback_data", "").startswith("s:")))


async def start_countdown(bot: LiveBot, user: User, chat: Chat, behind: str = "") -> Message:
    await bot.say(user, chat, f"/countdown{MINE if chat.type != 'private' else ''} {behind}".strip())
    return bot.world.posts(chat)[-1]


async def test_running_draw_is_not_replaced_and_tells_the_time_left(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await start_countdown(bot, ann, family)
    clock.advance(31)
    assert await start_countdown(bot, bob, family) is deal
    assert "👀 \u2068Bob\u2069: Still running, 30 s left" in deal.text.splitlines()


async def test_nearest_entry_wins_and_entries_stay_secret(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cem, dee = world.user("Cem"), world.user("Dee")
    family = world.group("Family", ann, bob, cem, dee)
    deal = await start_countdown(bot, ann, family, "2")
    tiles, target = read_draw(deal)
    assert [tile > 10 for tile in tiles] == [True] * 2 + [False] * 4
    assert 101 <= target <= 999
    assert read_time_left(deal) == 1
    near, far, beyond = (find_entry(tiles, target, off) for off in (3, 7, 30))
    for user, text, mark in ((ann, near, "👌"), (bob, far, "👌"), (cem, beyond, "👎"), (dee, "1000+1", "👎")):
        assert read_reactions(await bot.say(user, family, text, reply_to=deal)) == mark
    assert "✋ Answered: \u2068Ann\u2069, \u2068Bob\u2069" in deal.text.splitlines()
    assert read_reactions(await bot.say(bob, family, near, reply_to=deal)) == "👌"  # the last one counts
    assert not any(text in deal.text for text in (near, far, beyond))
    assert len(world.posts(family)) == 1
    clock.advance(70)
    await bot.run_timers()
    lines = deal.text.splitlines()
    value = solver.parse(near).value
    assert [line for line in lines if line.startswith("🏆")] == [
        f"🏆 \u2068{name}\u2069: {format_expression(near)} = {value} (3 away) · +7 points"
        for name in ("Ann", "Bob")
    ]
    best = solver.nearest(tiles, target)
    assert f"Best: {format_expression(best.expression)} = {best.value}" in lines
    steps = [line.strip() for line in lines if line.startswith("   ")]
    assert len(steps) == len(best.expression.numbers) - 1
    assert steps[-1].endswith(f"= {best.value}")
    await bot.say(bob, family, f"/leaderboard{MINE}")
    assert "1. \u2068Ann\u2069 — 7" in world.posts(family)[-1].text.splitlines()
    assert world.violations == []


async def test_equal_entries_are_listed_in_order_of_arrival(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await start_countdown(bot, ann, family)
    near = find_entry(*read_draw(deal), 3)
    for user in (bob, ann):
        assert read_reactions(await bot.say(user, family, near, reply_to=deal)) == "👌"
    clock.advance(70)
    await bot.run_timers()
    won = [line for line in deal.text.splitlines() if line.startswith("🏆")]
    assert [line[3:6] for line in won] == ["Bob", "Ann"]


@pytest.mark.texts
@pytest.mark.long
async def test_long_list_of_winners_is_cut(bot: LiveBot, world: World, clock: Clock, ann: User) -> None:
    crowd = [world.user(f"P{n}") for n in range(17)]
    club = world.group("Club", ann, *crowd)
    deal = await start_countdown(bot, ann, club)
    near = find_entry(*read_draw(deal), 3)
    for user in crowd:
        await bot.say(user, club, near, reply_to=deal)
    clock.advance(70)
    await bot.run_timers()
    lines = deal.text.splitlines()
    winners = [f"🏆 \u2068P{n}\u2069: " for n in range(7)]
    assert [line[: len(winner)] for line, winner in zip(lines[2:9], winners, strict=True)] == winners
    assert lines[9] == "… and 10 more"
    assert len(lines) <= LINES


async def test_exact_entry_leaves_five_more_seconds(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await start_countdown(bot, ann, family)
    tiles, target = read_draw(deal)
    exact = find_entry(tiles, target, 0)
    clock.advance(10)
    await bot.say(ann, family, exact, reply_to=deal)
    clock.advance(4)
    late = find_entry(tiles, target, 1)
    assert read_reactions(await bot.say(bob, family, late, reply_to=deal)) == "👌"
    clock.advance(2)
    assert read_reactions(await bot.say(bob, family, exact, reply_to=deal)) == "👏"
    clock.advance(4)
    await bot.run_timers()
    lines = deal.text.splitlines()
    assert f"🏆 \u2068Ann\u2069: {format_expression(exact)} = {target} · +10 points" in lines
    assert f"\u2068Bob\u2069: {format_expression(late)} = {solver.parse(late).value} (1 away)" in lines
    assert not any(line.startswith("Best: ") for line in lines)


@pytest.mark.parametrize("language", ["en", "es"])
async def test_late_entry_is_right_only_if_exact(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat, language: str
) -> None:
    deal = await start_countdown(bot, ann, family)
    near, exact = (find_entry(*read_draw(deal), off) for off in (3, 0))
    clock.advance(70)
    await bot.run_timers()
    words, entry = get_words(language), f"{format_expression(near)} = {solver.parse(near).value}"
    almost = words.translate_plain("{entry}, but the hand was over.", entry=entry)
    assert read_reactions(await bot.say(bob, family, near, reply_to=deal)) == "👏"
    assert f"👏 \u2068Bob\u2069: {almost.rstrip('.')}" in deal.text.splitlines()
    await bot.say(ann, family, exact, reply_to=deal)
    right = words.translate_plain("Right, but the hand was over. Well found!")
    assert f"👏 \u2068Ann\u2069: {right}" in deal.text.splitlines()
    assert bot.world.posts(family) == [deal]
    bot.world.say_secretly(bob, family, f"/a {near}")
    await bot.settle()
    assert bot.world.told(bob, family)[-1].text == almost


async def test_withdrawn_exact_entry_does_not_extend_time(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    """Otherwise a player could move everybody's deadline at will."""
    deal = await start_countdown(bot, ann, family)
    tiles, target = read_draw(deal)
    await bot.say(ann, family, find_entry(tiles, target, 0), reply_to=deal)
    clock.advance(2)
    for off in (2, 0, 2):
        await bot.say(ann, family, find_entry(tiles, target, off), reply_to=deal)
        assert "five more seconds" in deal.text
    assert read_reactions(await bot.say(bob, family, find_entry(tiles, target, 1), reply_to=deal)) == "👌"
    clock.advance(8)
    await bot.run_timers()
    assert next(line for line in deal.text.splitlines() if "🏆" in line).startswith("🏆 \u2068Bob\u2069")


def list_winners(deal: Message) -> list[str]:
    return re.findall(r"^🏆 \u2068(\w+)\u2069", deal.text, re.MULTILINE)


@pytest.mark.parametrize("away", [5, 100])
async def test_five_seconds_start_when_exact_entry_is_received(
    world: World, clock: Clock, ann: User, bob: User, family: Chat, restart_bot: RestartBot, away: int
) -> None:
    """While the bot was away, everybody saw the old deadline."""
    bot = await restart_bot(world)
    deal = await start_countdown(bot, ann, family)
    exact = find_entry(*read_draw(deal), 0)
    await stop_updates(world, ann)
    clock.advance(10)
    first = world.say(ann, family, exact, reply_to=deal)
    clock.advance(20)
    second = world.say(bob, family, exact, reply_to=deal)
    clock.advance(away)
    bot = await restart_bot(world)
    world.faults.clear()
    await bot.run_timers()
    assert [read_reactions(first), read_reactions(second)] == ["👌", "👌"]
    assert ("five more seconds" in deal.text) is (away < 30)
    clock.advance(8)
    await bot.run_timers()
    assert list_winners(deal) == ["Ann", "Bob"]


async def test_delayed_exact_entry_voids_no_other_entry(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    """The author's private chat was busy, perhaps on purpose."""
    deal = await start_countdown(bot, ann, family)
    exact, slow = find_entry(*read_draw(deal), 0), asyncio.Event()
    fault = world.faults.add("getChat", held=slow)
    world.open_link(ann, deal, "🤫")
    await world.wait_until(lambda: fault.hits)
    clock.advance(10)
    world.say(ann, world.chat_of(ann), exact)
    await world.wait_until_taken()
    clock.advance(20)
    near = world.say(bob, family, find_entry(*read_draw(deal), 1), reply_to=deal)
    await world.wait_until(lambda: read_reactions(near) == "👌")
    slow.set()
    await bot.settle()
    clock.advance(4)
    assert read_reactions(await bot.say(bob, family, exact, reply_to=deal)) == "👌"
    clock.advance(8)
    await bot.run_timers()
    assert list_winners(deal) == ["Ann", "Bob"]


@pytest.mark.long
async def test_private_round_explains_errors_and_ends_on_exact_entry(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    alone = world.chat_of(ann)
    deal = await start_countdown(bot, ann, alone, "1")
    tiles, target = read_draw(deal)
    rule = f"Make {target} with + − × ÷ or come within 10.\nEach tile at most once."
    assert f"{rule}\nSend as many answers as you like." in deal.text
    await bot.say(ann, alone, "what now?")
    assert world.posts(alone)[-1].text.endswith("\n/giveup shows how it is done. /help tells the rest.")
    for text, reply in (
        ("1000+1", "Not among the tiles: 1, 1000."),
        (
            f"{tiles[5]}-{tiles[0]}",
            f"{tiles[5]}−{tiles[0]} = −{tiles[0] - tiles[5]}: nothing below zero on the way.",
        ),
    ):
        await bot.say(ann, alone, text)
        if 1 in tiles and "1000" in text:
            reply = reply.replace("1, 1000", "1000")
        assert world.posts(alone)[-1].text == reply
    await bot.say(ann, alone, find_entry(tiles, target, 0))
    clock.advance(3)
    await bot.run_timers()
    assert f"= {target} · +10 points" in deal.text


@pytest.mark.long
async def test_group_errors_are_explained_in_open_private_chats(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    deal = await start_countdown(bot, ann, family)
    for user in (ann, bob):
        assert read_reactions(await bot.say(user, family, "1000+2000", reply_to=deal)) == "👎"
    line, reason = world.posts(world.chat_of(ann))[-1].text.splitlines()
    assert line in deal.text.splitlines()
    assert reason.startswith("Not among the tiles: 1000, 2000.")
    assert world.posts(world.chat_of(bob)) == []
    assert len(world.posts(family)) == 1
    assert world.violations == []


async def test_duel_hand_with_equal_entries_is_won_by_both(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/duel{MINE} countdown")
    duel = world.posts(family)[-1]
    await world.answer_to(world.press(bob, duel, "Accept"))
    await bot.settle()
    for hands in ((1, 0), (2, 0), (3, 1)):
        best = str(solver.nearest(*read_draw(duel)).expression)
        for user in (ann, bob)[: 1 + hands[1]]:
            await bot.say(user, family, best, reply_to=duel)
        clock.advance(70)
        await bot.run_timers()
        assert "⏳" not in duel.text or f"Ann\u2069 {hands[0]} : {hands[1]} \u2068Bob" in duel.text
    assert duel.text.splitlines()[0] == "⚔️ \u2068Ann\u2069 wins the duel against \u2068Bob\u2069, 3:1!"
    assert len(world.posts(family)) == 1
    assert world.violations == []


async def test_race_adds_points_and_deals_next_draw(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/race{MINE} countdown 2")
    race = world.posts(family)[-1]
    first = read_draw(race)
    await bot.say(ann, family, find_entry(*first, 0), reply_to=race)
    clock.advance(8)
    await bot.run_timers()
    second = read_draw(race)
    assert second != first
    await bot.say(bob, family, find_entry(*second, 3), reply_to=race)
    clock.advance(70)
    await bot.run_timers()
    lines = race.text.splitlines()
    assert "1. \u2068Ann\u2069 — 10" in lines
    assert "2. \u2068Bob\u2069 — 7" in lines
    won, near = (line for line in lines if line.startswith("#"))
    assert won.startswith("#1 🏆 \u2068Ann\u2069 10: ")
    assert won.endswith(f" = {first[1]}")
    parts = near.removeprefix("#2 🏆 \u2068Bob\u2069 7: ").partition(" = ")
    assert abs(int(parts[2]) - second[1]) == 3
    assert solver.parse(parts[0]).value == int(parts[2])
    assert len(world.posts(family)) == 1


@pytest.mark.parametrize("language", ["en", "es"])
async def test_command_takes_zero_to_four_large_tiles(bot: LiveBot, world: World, language: str) -> None:
    ann = world.user("Ann", language_code=language)
    await bot.say(ann, world.chat_of(ann), "/numbers 7")
    text = world.posts(world.chat_of(ann))[-1].text
    assert "7" in text
    assert "/countdown 2" in text
    await bot.say(ann, world.chat_of(ann), "/numbers 3")
    tiles, _ = read_draw(world.posts(world.chat_of(ann))[-1])
    assert sum(tile > 10 for tile in tiles) == 3


async def test_live_draw_is_not_solved(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await start_countdown(bot, ann, family)
    tiles, target = read_draw(deal)
    best = find_entry(tiles, target, 0)
    numbers = " ".join(map(str, reversed(tiles)))
    for command in (
        f"/solve{MINE} {numbers} = {target}",
        f"/solve{MINE} {numbers} = {target + 1}",
        f"/why{MINE} {numbers} = {target}",
        f"/why{MINE} {'+'.join(numbers.split())}",
    ):
        before = len(world.posts(family))
        await bot.say(ann, family, command)
        text = "\n".join(post.text for post in world.posts(family)[before:])
        assert best not in text
        assert "no peeking" in text


async def test_round_length_follows_setting(bot: LiveBot, ann: User, family: Chat) -> None:
    await bot.choose(family, "countdown_seconds", 90)
    assert "⏳ 1 min 30 s left" in (await start_countdown(bot, ann, family)).text


async def test_help_lists_countdown(bot: LiveBot, world: World, ann: User) -> None:
    await bot.say(ann, world.chat_of(ann), "/help")
    assert "/countdown — six tiles and a target" in world.posts(world.chat_of(ann))[-1].text.splitlines()


@pytest.mark.parametrize(("language", "reply"), [("en", "doesn’t count"), ("es", "no cuenta")])
async def test_giving_up_forfeits_own_entry(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, language: str, reply: str
) -> None:
    bob.language_code = language
    deal = await start_countdown(bot, bob, family)
    near = find_entry(*read_draw(deal), 1)
    await bot.say(bob, family, near, reply_to=deal)
    clock.advance(5)
    press = world.press(bob, deal, find_give_up_label(deal))
    assert reply in await world.answer_to(press)
    await bot.settle()
    assert "🏆" not in deal.text
    assert format_expression(near) not in deal.text


async def test_others_entries_count_when_admin_skips(
    bot: LiveBot, ann: User, bob: User, family: Chat
) -> None:
    """Ann is the group's admin."""
    deal = await start_countdown(bot, bob, family)
    tiles, target = read_draw(deal)
    near, nearer = find_entry(tiles, target, 3), find_entry(tiles, target, 1)
    await bot.say(bob, family, near, reply_to=deal)
    await bot.say(ann, family, nearer, reply_to=deal)
    await bot.say(ann, family, f"/skip{MINE}")
    (won,) = (line for line in deal.text.splitlines() if line.startswith("🏆"))
    assert won.startswith(f"🏆 \u2068Bob\u2069: {format_expression(near)} = ")


@pytest.mark.long
async def test_two_give_up_votes_void_voters_entries(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    cem, dee = world.user("Cem"), world.user("Dee")
    club = world.group("Club", ann, bob, cem, dee)
    deal = await start_countdown(bot, bob, club)
    tiles, target = read_draw(deal)
    ways = [find_entry(tiles, target, off) for off in (1, 2, 4)]
    for user, way in zip((bob, cem, dee), ways, strict=True):
        await bot.say(user, club, way, reply_to=deal)
    replies = []
    for user in (bob, cem):
        replies.append(await world.answer_to(world.press(user, deal, find_give_up_label(deal))))
        await bot.settle()
    assert replies == [
        "1 of 2 agree: 1 more needed.",
        "Given up: what you handed in doesn’t count.",
    ]
    (won,) = (line for line in deal.text.splitlines() if line.startswith("🏆"))
    assert won.startswith(f"🏆 \u2068Dee\u2069: {format_expression(ways[2])} = ")


@pytest.mark.long
async def test_stopping_a_race_voids_own_entry(bot: LiveBot, ann: User, bob: User, family: Chat) -> None:
    await bot.say(bob, family, f"/race{MINE} countdown 3")
    race = bot.world.posts(family)[-1]
    tiles, target = read_draw(race)
    await bot.say(ann, family, find_entry(tiles, target, 6), reply_to=race)
    await bot.say(bob, family, find_entry(tiles, target, 1), reply_to=race)
    await bot.say(bob, family, f"/stop{MINE}")
    assert next(line for line in race.text.splitlines() if " — " in line) == "1. \u2068Ann\u2069 — 5"
    assert "Bob" not in race.text


async def test_unreadable_stored_entry_is_ignored(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await start_countdown(bot, ann, family)
    tiles, target = read_draw(deal)
    near = find_entry(tiles, target, 2)
    await bot.say(ann, family, near, reply_to=deal)
    await bot.say(bob, family, find_entry(tiles, target, 1), reply_to=deal)
    spoil = sqlalchemy.text("UPDATE entries SET answer = '1/0' WHERE player_id = :who")
    await bot.services.store.write(lambda tx: tx.execute(spoil, {"who": bob.id}))
    clock.advance(70)
    await bot.run_timers()
    assert any(
        line.startswith(f"🏆 \u2068Ann\u2069: {format_expression(near)} = ")
        for line in deal.text.splitlines()
    )
    assert "Give up" not in deal.labels


async def test_near_misses_earn_no_records_or_achievements(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    deal = await start_countdown(bot, ann, family)
    tiles, target = read_draw(deal)
    clock.advance(2)
    await bot.say(ann, family, find_entry(tiles, target, 2), reply_to=deal)
    clock.advance(70)
    await bot.run_timers()
    await bot.say(ann, family, f"/records{MINE}")
    reply = bot.world.posts(family)[-1].text
    assert not any(mark in reply for mark in ("⏱", "🧠"))
    assert not any(feat in deal.text for feat in ("Lightning", "Hard nut"))


QUESTION = ("25 50 7 3 9 1", 573)


def number_steps(expression: str) -> list[str]:
    """Return the steps of an expression as /why numbers them."""
    return [f"{n}. {step}" for n, step in enumerate(list_steps(expression), start=1)]


@pytest.mark.parametrize("language", ["en", "es"])
async def test_why_lists_steps_in_whole_numbers(bot: LiveBot, world: World, ann: User) -> None:
    place = world.chat_of(ann)
    await bot.say(ann, place, "/why (25+50)*7+3")
    steps = ["1. 25 + 50 = 75", "2. 75 × 7 = 525", "3. 525 + 3 = 528"]
    assert world.posts(ann)[-1].text.splitlines()[1:] == steps
    await bot.say(ann, place, "/why 8/(3-8/3)")
    assert "2. 3 − 2 2/3 = 1/3" in world.posts(ann)[-1].text  # fractions are for 24
    tiles, target = QUESTION
    best = solver.nearest(map(int, tiles.split()), target)
    await bot.say(ann, place, f"/why {tiles} = {target}")
    whole, *steps = world.posts(ann)[-1].text.splitlines()
    assert whole.endswith(f"{format_expression(best.expression)} = 573")
    assert steps == number_steps(str(best.expression))
    await bot.say(ann, place, "/why 1 1 2 2 3 3 = 999")
    away, whole, *steps = world.posts(ann)[-1].text.splitlines()
    near = solver.nearest([1, 1, 2, 2, 3, 3], 999)
    assert "999" in away
    assert str(near.distance) in away
    assert whole.endswith(f"= {near.value}")
    assert steps == number_steps(str(near.expression))


async def test_solve_lists_best_way_for_tiles(bot: LiveBot, world: World, ann: User) -> None:
    await bot.say(ann, world.chat_of(ann), "/solve 1 2 3 4 7 25 = 573")
    text = world.posts(ann)[-1].text
    best = solver.nearest([1, 2, 3, 4, 7, 25], 573)
    assert "1+4×(2×3×25−7) = 573" in text
    assert f"Best: {format_expression(best.expression)} = 573" in text
    assert number_steps(str(best.expression)) == text.splitlines()[-len(best.expression.steps()) :]
    await bot.say(ann, world.chat_of(ann), "/solve 1 2 3 4 5 6 = 720")  # cards
    assert "Best: " not in world.posts(ann)[-1].text


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "ru"])
async def test_winning_entry_is_explained_step_by_step(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await start_countdown(bot, ann, family)
    tiles, target = read_draw(deal)
    near = find_entry(tiles, target, 2)
    await bot.say(ann, family, near, reply_to=deal)
    await bot.say(bob, family, near, reply_to=deal)
    await bot.say(ann, family, f"/why{MINE}", reply_to=deal)
    assert not any(step in world.posts(family)[-1].text for step in list_steps(near))
    clock.advance(70)
    await bot.run_timers()
    press = world.press(bob, deal, get_words(ann.language_code or "en").translate_plain("Step by step"))
    assert (await world.answer_to(press)).splitlines() == list_steps(near)
    assert press.answer is not None
    assert press.answer["show_alert"]
    forged = world.press(bob, deal, data="w:99")
    assert await world.answer_to(forged) != ""
    await bot.say(bob, family, f"/why{MINE}", reply_to=deal)
    who, *steps = world.posts(family)[-1].text.splitlines()
    assert who == f"🏆 \u2068Ann\u2069: {format_expression(near)} = {solver.parse(near).value}"
    assert steps == number_steps(near)  # once, though both had it
    assert world.violations == []
