"""Yahtzee in a chat: the same thirteen rolls for all players, each card in its own private message."""

import asyncio
import json
import random
import re
from collections.abc import Sequence

import pytest
from sqlalchemy import text

import solver
from bot.admin.privacy import queries as privacy_of
from bot.database import Tx
from bot.i18n import get_words, strip_tags
from tests.bot.games.yahtzee.test_rules import compute_total, find_largest_gain
from tests.stories.clock import Clock
from tests.stories.conftest import PICTURES, LiveBot, RestartBot, read_reactions
from tests.telegram import Chat, Message, User, World

MINE = "@TwentyFourTestBot"
DAY = 86_400.0
ROLL = re.compile(r"[1-6]( [1-6]){4}")
RANK = re.compile(r"(\d+)\. \u2068(.+)\u2069 — (\d+)")
Rolls = Sequence[tuple[int, ...]]


def parse_rolls(shown: str) -> list[tuple[int, ...]]:
    """Return the rolls in a message, each on its own line."""
    return [tuple(map(int, line.split())) for line in shown.splitlines() if ROLL.fullmatch(line)]


def parse_ranks(shown: str) -> list[tuple[int, str, int]]:
    """Return ranks, names and totals in a message."""
    found = (RANK.fullmatch(line) for line in shown.splitlines())
    return [(int(line[1]), line[2], int(line[3])) for line in found if line]


async def start_yahtzee(bot: LiveBot, user: User, chat: Chat) -> Message:
    """Send /yahtzee to `chat` and return the latest message there."""
    await bot.say(user, chat, f"/yahtzee{MINE if chat.type != 'private' else ''}")
    return bot.world.posts(chat)[-1]


async def take_card(bot: LiveBot, user: User, game: Message) -> Message:
    """Take a card by the button, or by its link if the private chat is not open; return the card."""
    press = bot.world.press(user, game, 0)
    await bot.world.answer_to(press)
    await bot.settle()
    url = str((press.answer or {}).get("url", ""))
    assert re.fullmatch(r"https://t\.me/TwentyFourTestBot\?start=card_\d+", url)
    if not press.answer_text:
        bot.world.start(user, url.partition("start=")[2])
        await bot.settle()
    return bot.world.posts(bot.world.chat_of(user))[-1]


async def press_button(bot: LiveBot, user: User, card: Message, label: str) -> str:
    """Press a button of a card or game and return the answer to the press."""
    told = await bot.world.answer_to(bot.world.press(user, card, label))
    await bot.settle()
    return told


async def play_turns(
    bot: LiveBot, user: User, card: Message, rng: random.Random, turns: int = 13
) -> list[tuple[tuple[int, ...], int]]:
    """Play turns with random categories; return the rolls with their categories."""
    played = []
    for _ in range(turns):
        if not card.labels:
            break
        (roll,), label = parse_rolls(card.text), rng.choice(card.labels)
        played.append((roll, int(str(card.button(label)["callback_data"]).rpartition(":")[2])))
        assert await press_button(bot, user, card, label) == label
    return played


def assert_no_early_roll(world: World, group: Chat, players: Sequence[User]) -> None:
    """Check that no request shows a roll in the group before the end, or in private before its turn."""
    rolls_by_player = {user.id: [] for user in players}  # type: dict[int, list[tuple[int, ...]]]
    for request in world.record.requests:
        shown = str(request.params.get("text", ""))
        if "🏁" in shown or not parse_rolls(shown):
            continue
        assert request.chat != group.id
        (roll,), seen = parse_rolls(shown), rolls_by_player[request.chat or 0]
        if not seen or seen[-1] != roll:
            seen.append(roll)
    longest = max(rolls_by_player.values(), key=len)
    assert all(seen == longest[: len(seen)] for seen in rolls_by_player.values())


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "es"])
async def test_four_players_get_the_same_rolls_and_the_best_card_wins(
    world: World, clock: Clock, restart_bot: RestartBot, ann: User, bob: User, language: str
) -> None:
    bot, words = await restart_bot(world), get_words(language)
    cem, dee = (world.user(name, language_code=language) for name in ("Cem", "Dee"))
    family, players, rng = world.group("Family", ann, bob, cem, dee), (ann, bob, cem, dee), random.Random(4)
    game = await start_yahtzee(bot, ann, family)
    cards = {user: await take_card(bot, user, game) for user in players[:3]}
    turns = {user: await play_turns(bot, user, cards[user], rng, 5) for user in players[:3]}
    clock.advance(20)
    await bot.run_timers()
    assert "✍️ " + ", ".join(f"\u2068{user.first_name}\u2069 5/13" for user in players[:3]) in game.text
    clock.advance(2 * DAY)
    bot = await restart_bot(world)
    cards[dee] = await take_card(bot, dee, game)
    turns[dee] = []
    for user in players:
        turns[user] += await play_turns(bot, user, cards[user], rng)
        assert cards[user].labels == []
    assert_no_early_roll(world, family, players)
    assert len(world.posts(family)) == 1
    assert "⏳" in game.text
    clock.advance(59)
    await bot.run_timers()
    assert len(world.posts(family)) == 1
    bot = await restart_bot(world)
    clock.advance(5)
    await bot.run_timers()
    assert len(world.posts(family)) == 2
    end, rolls = world.posts(family)[-1].text, [roll for roll, _ in turns[ann]]
    assert game.labels == []
    assert parse_rolls(end) == rolls == [roll for roll, _ in turns[dee]]
    own = {u.first_name: compute_total(rolls, tuple(category for _, category in turns[u])) for u in players}
    told = parse_ranks(end)
    assert {name: total for _, name, total in told} == own
    assert all(rank == 1 + sum(other > total for other in own.values()) for rank, _, total in told)
    best = solver.yahtzee.best_card(rolls).total
    assert strip_tags(words.translate("Best possible: <b>{total}</b>", total=best)) in end.splitlines()
    for user in players:
        final = cards[user].text
        gain = find_largest_gain(rolls, tuple(category for _, category in turns[user]))
        compared = final.splitlines()[-1 - 13 * PICTURES]  # the rolls in each category stand below a picture
        assert f"{own[user.first_name]}" in compared
        assert f"{best}" in compared
        assert (f"(+{gain})" in final) is bool(gain)
    await bot.say(bob, family, f"/leaderboard{MINE}")
    board = world.posts(family)[-1]
    await world.answer_to(world.press(bob, board, "Yahtzee"))
    await bot.settle()
    assert {name: points for _, name, points in parse_ranks(board.text)} == {
        n: t // 10 for n, t in own.items()
    }
    winner = max(players, key=lambda user: own[user.first_name])
    for user in players:
        await bot.say(user, family, f"/stats{MINE}")
    figures = [post.text for post in world.posts(family)[-4:]]
    won = strip_tags(
        words.translate_plural("Answered {n} hand, won {won}", "Answered {n} hands, won {won}", 1, won=1)
    )
    assert [won in shown for shown in figures] == [user is winner for user in players]
    assert world.violations == []


async def test_forged_stale_and_repeated_presses_change_nothing(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    game = await start_yahtzee(bot, ann, family)
    card, other = await take_card(bot, ann, game), await take_card(bot, bob, game)
    first = card.text
    label = next(label for label in card.labels if label.startswith("Chance "))
    data = str(card.button(label)["callback_data"])
    _, number, turn, category = data.split(":")
    assert (turn, category) == ("0", "6")
    assert await press_button(bot, ann, card, label) == label
    second = card.text
    assert first != second
    for who, where, forged in (
        (bob, card, f"ct:{number}:1:6"),  # another's card
        (ann, card, f"ct:{number}:1:6"),  # a category that is taken
        (ann, card, f"ct:{number}:1:13"),
        (ann, card, f"ct:{number}:12:5"),  # another roll
        (ann, card, f"ct:{number}:1:5:5"),
        (ann, card, "ct:999:1:5"),
        (ann, card, "ct::1:"),
        (ann, game, f"ct:{number}:1:5"),  # in the group
        (ann, card, f"cp:{number}"),
        (ann, card, f"ce:{number}"),
        (ann, game, f"ce:{number}"),
        (ann, game, f"cp:{int(number) + 1}"),
        (ann, game, f"n:{number}"),
        (ann, game, f"s:{number}"),
        (ann, game, f"h:{number}"),
        (ann, game, f"x:{number}"),
        (ann, game, f"r:{number}"),
        (ann, game, f"e:{number}"),
        (bob, other, f"ct:{number}:0:٣"),
    ):
        told = await world.answer_to(world.press(who, where, data=forged))
        await bot.settle()
        assert told == ("That hand is over." if forged[0] in "sh" else told)
        assert (card.text, other.text) == (second, first)
    press = world.press(bob, other, label)
    for _ in range(3):
        world.press_again(press)
    await bot.settle()
    assert len(parse_rolls(other.text)) == 1
    assert other.text == second
    late = world.press(bob, other, data=data)  # from the older message: the roll has its category already
    await world.answer_to(late)
    assert world.posts(family) == [game]
    assert "2/13" not in game.text
    assert world.violations == []


async def test_late_press_redraws_the_card(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    game = await start_yahtzee(bot, ann, family)
    card = await take_card(bot, ann, game)
    old = card.labels[0]
    presses = [
        world.press(ann, card, old),
        world.press(ann, card, card.labels[1]),
    ]  # before a redraw
    told = [await world.answer_to(press) for press in presses]
    await bot.settle()
    assert told == [old, "That is done already: here is your card as it stands."]
    assert "Roll 2 of 13" in card.text


async def test_press_counts_once_across_restarts(
    world: World, restart_bot: RestartBot, ann: User, family: Chat
) -> None:
    bot = await restart_bot(world)
    card = await take_card(bot, ann, await start_yahtzee(bot, ann, family))
    for turn in range(1, 6):
        press = world.press(ann, card, card.labels[0])  # the restart comes before its effect
        if turn % 2:
            world.press_again(press)
        bot = await restart_bot(world)
        await bot.settle()
        assert f"Roll {turn + 1} of 13" in card.text
    assert world.violations == []


async def test_card_link_starts_the_bot_for_members_only(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(bob, world.chat_of(bob), "/yahtzee")
    game = await start_yahtzee(bot, ann, family)
    press = world.press(ann, game, 0)
    assert await world.answer_to(press) == ""
    await bot.settle()
    url = str((press.answer or {})["url"])
    assert world.posts(world.chat_of(ann)) == []
    assert "Ann" not in game.text
    stranger = world.user("Eve")
    for payload in (url.partition("start=")[2], "card_999", "card_", "card_x"):
        world.start(stranger, payload)
        await bot.settle()
        assert world.posts(world.chat_of(stranger))[-1].text == "That link no longer works."
    world.start(ann, url.partition("start=")[2])
    await bot.settle()
    (card,) = world.posts(world.chat_of(ann))
    assert "Roll 1 of 13" in card.text
    assert "✍️ \u2068Ann\u2069 0/13" in game.text
    again = world.press(ann, game, 0)
    assert await world.answer_to(again) == "Your card is waiting for you in private."
    assert (again.answer or {})["url"] == url
    await bot.settle()
    assert world.posts(world.chat_of(ann)) == [card]
    before = len(world.posts(world.chat_of(bob)))
    assert await world.answer_to(world.press(bob, game, 0)) == "Your card is waiting for you in private."
    await bot.settle()
    assert len(world.posts(world.chat_of(bob))) == before + 1


async def test_removed_member_can_neither_begin_nor_finish(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    cid, eve = world.user("Cid"), world.user("Eve")
    for user in (cid, eve):
        await bot.say(user, world.chat_of(user), "/start")
    club = world.group("Club", ann, bob, cid)
    game = await start_yahtzee(bot, ann, club)
    card = await take_card(bot, cid, game)
    await play_turns(bot, cid, card, random.Random(5), turns=12)
    world.leave(cid, club, by=ann)
    assert await press_button(bot, cid, card, card.labels[0]) == "Only members of this group can play here."
    assert "Roll 13 of 13" in card.text
    assert await world.answer_to(world.press(eve, game, 0)) == "Only members of this group can play here."
    assert "\u2068Eve" not in game.text


@pytest.mark.long
@pytest.mark.parametrize("returns", [False, True])
async def test_game_does_not_wait_for_a_removed_member(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, returns: bool
) -> None:
    cid, rng = world.user("Cid"), random.Random(5)
    club = world.group("Club", ann, bob, cid)
    game = await start_yahtzee(bot, ann, club)
    card = await take_card(bot, cid, game)
    await play_turns(bot, cid, card, rng, turns=12)
    for user in (ann, bob):
        await play_turns(bot, user, await take_card(bot, user, game), rng)
    world.leave(cid, club, by=ann)
    assert "✍️ \u2068Cid\u2069" in game.text
    await press_button(bot, cid, card, card.labels[0])
    assert "✍️" not in game.text
    assert "⏳" in game.text
    if returns:
        world.join(cid, club)
        clock.advance(20)
        assert (
            await press_button(bot, cid, card, card.labels[0]) != "Only members of this group can play here."
        )
    clock.advance(70)
    await bot.run_timers()
    names = sorted(name for _, name, _ in parse_ranks(world.posts(club)[-1].text))
    assert names == ["Ann", "Bob", *(["Cid"] if returns else [])]


@pytest.mark.parametrize("language", ["en", "ru"])
async def test_private_game_is_one_card(
    bot: LiveBot, world: World, clock: Clock, language: str, ann: User
) -> None:
    private, rng = world.chat_of(ann), random.Random(1)
    card = await start_yahtzee(bot, ann, private)
    how = get_words(language).translate_plain(
        "Tap where this roll counts; the number is what it scores. No second throw."
    )
    assert how in card.text
    turns = await play_turns(bot, ann, card, rng, 4)
    assert how not in card.text
    below = await start_yahtzee(bot, ann, private)  # a second command moves the card down
    assert card.labels == []
    assert len(world.posts(private)) == 2
    turns += await play_turns(bot, ann, below, rng)
    rolls = [roll for roll, _ in turns]
    assert parse_rolls(below.text) == rolls
    assert str(compute_total(rolls, tuple(category for _, category in turns))) in below.text
    assert len(world.posts(private)) == 2
    another = await start_yahtzee(bot, ann, private)
    assert parse_rolls(another.text) != rolls[:1]
    await bot.say(ann, private, "/stop")
    assert another.labels == []
    assert "0/13" not in another.text
    assert "🏁" in another.text
    await bot.deal(ann, private, 3, 8, 3, 8)
    assert world.violations == []


async def test_game_stays_in_its_topic_beside_other_rounds(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    club = world.group("Club", ann, bob, forum=True)
    chess, maths = world.topic(club, "Chess", ann), world.topic(club, "Maths", ann)
    games = []
    for topic in (chess, maths):
        world.say(ann, club, f"/yahtzee{MINE}", topic=topic)
        games.append(await world.next_post(club, "Yahtzee"))
        await bot.settle()
    assert [game.topic for game in games] == [chess, maths]
    cards = [await take_card(bot, bob, game) for game in games]
    bot.rig(3, 8, 3, 8)
    world.say(ann, club, f"/play{MINE}", topic=chess)
    deal = await world.next_post(club, "→ 24")
    await bot.settle()
    world.say(bob, club, "1+1", topic=chess, reply_to=games[0])
    await bot.settle()
    assert parse_rolls(cards[0].text) != parse_rolls(cards[1].text)
    other = cards[1].text
    await play_turns(bot, bob, cards[0], random.Random(1))
    assert cards[1].text == other
    world.say(bob, club, "8/(3-8/3)", topic=chess, reply_to=deal)
    await bot.settle()
    assert "🏆 \u2068Bob\u2069: 8÷(3−8÷3) = 24" in deal.text
    world.say(ann, club, f"/skip{MINE}", topic=maths)
    assert "No hand is on the table" in (await world.next_post(club)).text
    clock.advance(700)
    await bot.run_timers()
    assert ["✓ \u2068Bob\u2069" in game.text for game in games] == [True, False]
    assert [parse_ranks(game.text) for game in games] == [[], []]
    assert all(game.labels[0] == "🎲 Play" for game in games)
    await press_button(bot, bob, games[0], "🏁 End")
    end = world.posts(club)[-1]
    assert end.topic is chess
    assert [game.labels for game in games] == [[], ["🎲 Play"]]
    assert world.violations == []


@pytest.mark.long
async def test_second_command_points_to_the_running_game(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    game = await start_yahtzee(bot, ann, family)
    pointed = await start_yahtzee(bot, bob, family)
    assert pointed.reply_to is game
    assert pointed.text == "This game is still on: Play gives you a card. ⬆️"
    for n in range(25):
        world.say(ann, family, f"talk {n}")
    again = await start_yahtzee(bot, bob, family)
    assert again.labels == ["🎲 Play"]
    assert game.labels == []
    assert game.text == "🎲 The game goes on below. ⬇️"
    rng = random.Random(2)
    card, other = await take_card(bot, ann, again), await take_card(bot, bob, again)
    await play_turns(bot, ann, card, rng)
    assert (await start_yahtzee(bot, bob, family)).reply_to is again
    await play_turns(bot, bob, other, rng)
    before = len(world.posts(family))
    await start_yahtzee(bot, bob, family)
    end, new = world.posts(family)[before:]
    assert len(parse_ranks(end.text)) == 2
    assert new.labels == ["🎲 Play"]
    assert again.labels == []
    fresh = await take_card(bot, ann, new)
    assert parse_rolls(fresh.text) != parse_rolls(end.text)[:1]
    clock.advance(100)
    await bot.run_timers()
    assert len(world.posts(family)) == before + 2
    assert world.violations == []


@pytest.mark.long
async def test_game_waits_for_a_player_who_begins_in_the_last_minute(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cem = world.user("Cem")
    family, rng = world.group("Family", ann, bob, cem), random.Random(3)
    game = await start_yahtzee(bot, ann, family)
    for user in (ann, bob):
        await play_turns(bot, user, await take_card(bot, user, game), rng)
    clock.advance(50)
    card = await take_card(bot, cem, game)
    clock.advance(3600)
    await bot.run_timers()
    assert len(world.posts(family)) == 1
    await play_turns(bot, cem, card, rng)
    clock.advance(70)
    await bot.run_timers()
    assert len(parse_ranks(world.posts(family)[-1].text)) == 3


@pytest.mark.long
async def test_unfinished_card_is_closed_after_a_week(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    game = await start_yahtzee(bot, ann, family)
    card, other = await take_card(bot, ann, game), await take_card(bot, bob, game)
    await play_turns(bot, ann, card, random.Random(1))
    turns = await play_turns(bot, bob, other, random.Random(2), 7)
    clock.advance(6.9 * DAY)
    await bot.run_timers()
    assert other.labels != []
    clock.advance(0.2 * DAY)
    await bot.run_timers()
    assert other.labels == []
    assert "The game is over, so your card does not count: 7 of 13." in other.text
    assert "for the bonus" not in other.text
    assert f"Total: {compute_total([r for r, _ in turns], tuple(c for _, c in turns))}" in other.text
    assert [name for _, name, _ in parse_ranks(world.posts(family)[-1].text)] == ["Ann"]
    assert await press_stale_button(bot, bob, other) == "That game is over."
    assert len(world.posts(family)) == 2


async def press_stale_button(bot: LiveBot, user: User, card: Message) -> str:
    """Press a button that the card no longer has, as in an app that shows an older version."""
    shown, card.markup = (
        card.markup,
        {"inline_keyboard": [[{"text": "Chance 1", "callback_data": "ct:1:7:6"}]]},
    )
    press = bot.world.press(user, card, 0)
    card.markup = shown
    told = await bot.world.answer_to(press)
    await bot.settle()
    return told


@pytest.mark.long
async def test_game_without_finished_cards_ends_in_its_own_message(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    game = await start_yahtzee(bot, ann, family)
    await play_turns(bot, bob, await take_card(bot, bob, game), random.Random(2), 3)
    clock.advance(8 * DAY)
    await bot.run_timers()
    assert world.posts(family) == [game]
    assert "Nobody has finished." in game.text
    assert len(parse_rolls(game.text)) == 13
    await bot.say(ann, family, f"/leaderboard{MINE}")
    assert "Nobody has scored here yet." in world.posts(family)[-1].text


@pytest.mark.long
async def test_game_ends_at_once_while_nobody_else_plays(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    dee = world.user("Dee")
    family, rng = world.group("Family", ann, bob, dee), random.Random(5)
    game = await start_yahtzee(bot, bob, family)
    await play_turns(bot, dee, await take_card(bot, dee, game), rng)
    await press_button(bot, ann, game, "🏁 End")  # all players have finished, and she is an admin
    assert parse_ranks(world.posts(family)[-1].text)[0][1] == "Dee"
    game = await start_yahtzee(bot, bob, family)
    await play_turns(bot, dee, await take_card(bot, dee, game), rng)
    await press_button(bot, dee, game, "🏁 End")  # a player who has finished may end it too
    assert parse_ranks(world.posts(family)[-1].text)[0][1] == "Dee"
    for ender in (bob, ann):  # the dealer and the group's admin
        game = await start_yahtzee(bot, bob, family)
        await take_card(bot, ender, game)
        assert read_reactions(await bot.say(ender, family, f"/stop{MINE}")) == "👌"
        assert game.labels == []
    assert world.violations == []


@pytest.mark.long
async def test_leader_who_ends_the_game_by_vote_earns_nothing(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cem, dee, eve = (world.user(name) for name in ("Cem", "Dee", "Eve"))
    family, rng = world.group("Family", ann, bob, cem, dee, eve), random.Random(5)
    game = await start_yahtzee(bot, bob, family)
    cards = {user: await take_card(bot, user, game) for user in (bob, cem, dee)}
    await play_turns(bot, bob, cards[bob], rng)
    await play_turns(bot, cem, cards[cem], rng)
    first = "1 other is still playing. Press once more to vote for the end; your card earns nothing then."
    end_all = "1 other is still playing. Press once more to end it for all; your card earns nothing then."
    by_stop = "1 is still playing. /stop is a vote to end it for all."
    assert await press_button(bot, eve, game, "🏁 End") == by_stop  # she has no card and loses nothing
    assert await press_button(bot, bob, game, "🏁 End") == first  # the dealer
    clock.advance(90)
    assert await press_button(bot, bob, game, "🏁 End") == first  # the first press was too long ago
    assert game.labels == ["🎲 Play", "🏁 End"]
    assert await press_button(bot, bob, game, "🏁 End") == "1 of 2 agree: 1 more needed."
    assert await press_button(bot, bob, game, "🏁 End 1/2") == "1 of 2 agree: 1 more needed."
    assert await press_button(bot, ann, game, "🏁 End 1/2") == by_stop  # no privilege of admins
    assert await press_button(bot, cem, game, "🏁 End 1/2") == end_all
    assert game.labels == ["🎲 Play", "🏁 End 1/2"]
    await press_button(bot, cem, game, "🏁 End 1/2")
    end = world.posts(family)[-1].text
    assert parse_ranks(end) == []
    assert "Given up: \u2068Bob\u2069, \u2068Cem\u2069." in end.splitlines()
    for user in (bob, cem):
        assert "You ended it while others were playing: your card does not count." in cards[user].text
    assert "The game is over, so your card does not count: 0 of 13." in cards[dee].text
    await bot.say(bob, family, f"/leaderboard{MINE}")
    assert "Nobody has scored here yet." in world.posts(family)[-1].text
    assert world.violations == []


async def test_admin_who_stops_the_game_earns_nothing(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    cem = world.user("Cem")
    family, rng = world.group("Family", ann, bob, cem), random.Random(6)
    game = await start_yahtzee(bot, ann, family)
    cards = {user: await take_card(bot, user, game) for user in (ann, bob, cem)}
    for user in (ann, bob):
        await play_turns(bot, user, cards[user], rng)
    await bot.say(ann, family, f"/stop{MINE}")
    assert [name for _, name, _ in parse_ranks(world.posts(family)[-1].text)] == ["Bob"]
    assert "You ended it while others were playing: your card does not count." in cards[ann].text
    assert "Total: " in cards[ann].text


async def start_half_finished_game(
    bot: LiveBot, family: Chat, dealer: User, done: User, other: User, rng: random.Random
) -> tuple[Message, Message]:
    """Start a game in which `done` has filled a card and `other` has begun; return it and the open card."""
    game = await start_yahtzee(bot, dealer, family)
    card, left = await take_card(bot, done, game), await take_card(bot, other, game)
    await play_turns(bot, done, card, rng)
    return game, left


async def test_last_player_can_end_the_game_after_another_vote(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    cem, dee = world.user("Cem"), world.user("Dee")
    family, rng = world.group("Family", ann, bob, cem, dee), random.Random(5)
    game, other = await start_half_finished_game(bot, family, bob, cem, dee, rng)
    for _ in range(2):
        await press_button(bot, cem, game, "🏁 End")
    assert game.labels == ["🎲 Play", "🏁 End 1/2"]
    warning = "Press once more to end it for all; your card is not full, and counts for nothing then."
    assert await press_button(bot, dee, game, "🏁 End 1/2") == warning
    await press_button(bot, dee, game, "🏁 End 1/2")
    assert game.labels == []
    assert other.labels == []


async def test_game_does_not_wait_for_a_player_who_voted_for_the_end(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    cem, dee = world.user("Cem"), world.user("Dee")
    family, rng = world.group("Family", ann, bob, cem, dee), random.Random(5)
    game, other = await start_half_finished_game(bot, family, bob, cem, dee, rng)
    warning = "Press once more to vote for the end; your card is not full, and counts for nothing then."
    assert await press_button(bot, dee, game, "🏁 End") == warning
    assert await press_button(bot, dee, game, "🏁 End") == "1 of 2 agree: 1 more needed."
    assert game.labels == ["🎲 Play", "🏁 End 1/2"]
    await press_button(bot, cem, game, "🏁 End 1/2")
    assert parse_ranks(world.posts(family)[-1].text)[0][1] == "Cem"
    assert other.labels == []
    game = await start_yahtzee(bot, bob, family)
    await play_turns(bot, cem, await take_card(bot, cem, game), rng)
    await take_card(bot, dee, game)
    await bot.say(cem, family, f"/stop{MINE}")
    reply = "1 other is still playing: that was a vote, 1 of 2. Who ends it so earns nothing."
    assert world.posts(family)[-1].text == reply
    await bot.say(bob, family, f"/stop{MINE}")  # the dealer has one vote too
    assert parse_ranks(world.posts(family)[-1].text) == []
    assert world.violations == []


@pytest.mark.long
async def test_other_players_have_the_whole_week(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    game = await start_yahtzee(bot, ann, family)
    await play_turns(bot, ann, await take_card(bot, ann, game), random.Random(1))
    clock.advance(6.9 * DAY)
    await bot.run_timers()
    await play_turns(bot, bob, await take_card(bot, bob, game), random.Random(2))
    clock.advance(70)
    await bot.run_timers()
    assert len(parse_ranks(world.posts(family)[-1].text)) == 2


async def run_timers_while_update_waits(bot: LiveBot) -> None:
    """Run the timers while an update is still unhandled."""
    for _ in range(2):
        await bot.timers.run_due()
        if bot.service.inbox.watermark.is_awaited:
            await bot.wait_until_received()
    await bot.service.outbox.wait_until_idle()


@pytest.fixture
def _long_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer for unhandled updates, since a story's minute passes at once by its clock."""
    monkeypatch.setattr("bot.queue.inbox.PATIENCE", 600.0)


@pytest.mark.long
@pytest.mark.usefixtures("_long_patience")
async def test_press_sent_before_the_deadline_counts_if_handled_later(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    game, rng = await start_yahtzee(bot, ann, family), random.Random(1)
    card, other = await take_card(bot, ann, game), await take_card(bot, bob, game)
    await play_turns(bot, ann, card, rng)
    await play_turns(bot, bob, other, rng, 12)
    clock.advance(7 * DAY - 40)
    await bot.run_timers()
    release = asyncio.Event()
    lookup = world.faults.add("getChatMember", held=release)
    press = world.press(bob, other, other.labels[0])
    await world.wait_until(lambda: lookup.hits)
    clock.advance(60)
    await run_timers_while_update_waits(bot)
    release.set()
    await world.answer_to(press)
    await bot.settle()
    clock.advance(60)
    await bot.run_timers()
    assert sorted(name for _, name, _ in parse_ranks(world.posts(family)[-1].text)) == ["Ann", "Bob"]


@pytest.mark.long
@pytest.mark.usefixtures("_long_patience")
async def test_card_requested_by_link_in_the_last_minute_is_waited_for(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cem = world.user("Cem")
    family, rng = world.group("Family", ann, bob, cem), random.Random(3)
    game = await start_yahtzee(bot, ann, family)
    for user in (ann, bob):
        await play_turns(bot, user, await take_card(bot, user, game), rng)
    press = world.press(cem, game, 0)
    await world.answer_to(press)
    release = asyncio.Event()
    lookup = world.faults.add("getChatMember", held=release)
    clock.advance(20)
    world.start(cem, str((press.answer or {})["url"]).partition("start=")[2])
    await world.wait_until(lambda: lookup.hits)
    clock.advance(60)
    await run_timers_while_update_waits(bot)
    release.set()
    await bot.settle()
    assert "Roll 1 of 13" in world.posts(world.chat_of(cem))[-1].text
    assert world.posts(family) == [game]


@pytest.mark.long
@pytest.mark.parametrize("ending", ["week", "vote", "dealer"])
async def test_player_who_abandons_a_losing_card_loses_rating(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, ending: str
) -> None:
    rng, dealer = random.Random(2), bob if ending == "dealer" else ann
    game = await start_yahtzee(bot, dealer, family)
    await play_turns(bot, ann, await take_card(bot, ann, game), rng)
    await play_turns(bot, bob, await take_card(bot, bob, game), rng, 12)
    assert parse_ranks(game.text) == []
    if ending == "week":
        clock.advance(7 * DAY + 10)
        await bot.run_timers()
    else:
        await bot.say(bob, family, f"/stop{MINE}")
    if ending == "vote":
        await bot.say(ann, family, f"/stop{MINE}")
    assert parse_ranks(world.posts(family)[-1].text)[0][1] == "Ann"
    assert ("Given up: \u2068Bob\u2069." in world.posts(family)[-1].text) is (ending != "week")
    query = text("SELECT player_id, mu FROM ratings")
    mu = await bot.services.store.read(lambda tx: {row.player_id: row.mu for row in tx.execute(query)})
    assert mu[bob.id] < 25 < mu[ann.id]


async def test_stop_ends_a_race_before_the_game(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    game = await start_yahtzee(bot, ann, family)
    await bot.say(ann, family, f"/race{MINE} 3")
    race = world.posts(family)[-1]
    await bot.say(ann, family, f"/stop{MINE}")
    assert "The race is over" in race.text
    assert game.labels == ["🎲 Play"]
    await bot.say(ann, family, f"/race{MINE} 3 yahtzee")
    assert "Yahtzee has no races: /yahtzee deals it" in race.text
    await bot.say(ann, family, f"/stop{MINE}")
    assert game.labels == []


async def test_deleted_card_is_posted_again(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    game = await start_yahtzee(bot, ann, family)
    card = await take_card(bot, ann, game)
    await play_turns(bot, ann, card, random.Random(1), 2)
    world.delete(card)
    new_message = await take_card(bot, ann, game)
    assert new_message is not card
    assert "Roll 3 of 13" in new_message.text
    clock.advance(3600)
    below = await take_card(bot, ann, game)  # after an hour the card is posted below
    assert below is not new_message
    assert new_message.text == "🎲 Your card is below. ⬇️"
    assert below.labels
    await play_turns(bot, ann, below, random.Random(1))
    assert "✓ \u2068Ann\u2069" in game.text
    assert world.violations == []


async def test_deleted_game_message_is_posted_again(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    game = await start_yahtzee(bot, ann, family)
    world.delete(game)
    world.press(ann, game, 0)
    await bot.settle()
    world.start(ann, "card_1")
    await bot.settle()
    new_message = world.posts(family)[-1]
    assert new_message is not game
    assert "✍️ \u2068Ann\u2069 0/13" in new_message.text
    card = await take_card(bot, ann, new_message)
    await play_turns(bot, ann, card, random.Random(1))
    assert "✓ \u2068Ann\u2069" in new_message.text


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_best_card_is_computed_for_given_rolls(
    bot: LiveBot, world: World, language: str, ann: User
) -> None:
    rng, words = random.Random(9), get_words("zh_Hans" if language != "en" else "en")
    rolls = [tuple(rng.choices(range(1, 7), k=5)) for _ in range(13)]
    best = solver.yahtzee.best_card(rolls)
    total = strip_tags(words.translate("Total: <b>{total}</b>", total=best.total))
    lines = [" ".join(map(str, roll)) for roll in rolls]
    for in_group, command in ((True, f"/yahtzee{MINE}"), (False, "/yahtzee")):

        def place(in_group: bool = in_group) -> Chat:
            """Return a new group each time, since a group gets few posts a minute."""
            return world.group("Family", ann) if in_group else world.chat_of(ann)

        for behind in (
            "\n".join(lines),
            "; ".join(lines),
            ",".join(line.replace(" ", "") for line in lines),
            "\n".join(line.replace(" ", ",") for line in lines),
            "\n".join(f"{n}. {line.replace(' ', '-')}" for n, line in enumerate(lines, 1)),
        ):
            chat = place()
            await bot.say(ann, chat, f"{command}\n{behind}")
            shown = world.posts(chat)[-1].text
            assert shown.splitlines()[-1] == total
            told = [re.fullmatch(r".+: ([1-6 ]{9}) → (\d+)", line) for line in shown.splitlines()[:13]]
            assert sorted(line[1] for line in told if line) == sorted(lines)
            assert tuple(int(line[2]) for line in told if line) == best.scores
        chat = place()
        above = world.say(ann, chat, "\n".join(["Our game:", *lines]))
        await bot.say(ann, chat, command, reply_to=above)
        assert world.posts(chat)[-1].text.splitlines()[-1] == total
        await bot.say(ann, chat, f"{command} 3 8 3 8 1")
        assert "3 8 3 8 1" in world.posts(chat)[-1].text
        await bot.say(ann, chat, f"{command} 6 5 4 3 2")
        example = words.translate_plural(
            "That is {n} roll; a game has {all}, a line each, for example 6 6 6 1 1",
            "That is {n} rolls; a game has {all}, a line each, for example 6 6 6 1 1",
            1,
            all=13,
        )
        assert world.posts(chat)[-1].text == example
        await bot.say(ann, chat, f"{command} 66611\n6 6 6 1\n12345")
        wrong = world.posts(chat)[-1].text
        assert "6 6 6 1" in wrong
        assert len(wrong.splitlines()) == 1
        assert await bot.services.store.read(lambda tx: tx.scalar(text("SELECT count(*) FROM rounds"))) == 0
    assert world.violations == []


async def test_best_card_of_a_running_game_is_refused(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    game = await start_yahtzee(bot, ann, family)
    turns = await play_turns(bot, ann, await take_card(bot, ann, game), random.Random(1))
    rolls = ["".join(map(str, roll)) for roll, _ in turns]
    refused = "Those are being played just now: no peeking before that game is over!"
    for rolls_text in (rolls, rolls[::-1], [roll[::-1] for roll in rolls], [*rolls[:12], "11111"]):
        await bot.say(bob, world.chat_of(bob), "/yahtzee " + ",".join(rolls_text))
        assert world.posts(world.chat_of(bob))[-1].text == refused
    clock.advance(7 * DAY + 10)
    await bot.run_timers()
    await bot.say(bob, world.chat_of(bob), "/yahtzee " + ",".join(rolls))
    assert "Total: " in world.posts(world.chat_of(bob))[-1].text
    end = world.posts(family)[-1]
    await bot.say(bob, family, f"/yahtzee{MINE}", reply_to=end)  # the result lists its rolls
    assert "Total: " in world.posts(family)[-1].text


async def test_deleted_player_continues_an_anonymous_card(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    game = await start_yahtzee(bot, bob, family)
    card = await take_card(bot, ann, game)
    turns = await play_turns(bot, ann, card, random.Random(1), 8)
    copy = await bot.services.store.read(lambda tx: privacy_of.load_export(tx, bob.id))
    assert len(json.loads(copy)["rounds_dealt"]) == 1
    assert not any("".join(map(str, roll)) in copy.replace(" ", "") for roll, _ in turns)
    await bot.services.store.write(lambda tx: privacy_of.forget_player(tx, ann.id))

    def load_entries(tx: Tx) -> list[str]:
        return [str(row) for row in tx.execute(text("SELECT player_id, answer FROM entries"))]

    (row,) = await bot.services.store.read(load_entries)
    assert str(ann.id) not in row
    again = await take_card(bot, ann, game)
    assert "Roll 9 of 13" in again.text
    await bot.services.store.write(lambda tx: privacy_of.forget_player(tx, ann.id))
    await play_turns(bot, bob, await take_card(bot, bob, game), random.Random(2))
    clock.advance(7 * DAY + 10)
    await bot.run_timers()
    assert [name for _, name, _ in parse_ranks(world.posts(family)[-1].text)] == ["Bob"]
    assert len(await bot.services.store.read(load_entries)) == 1


@pytest.mark.long
async def test_game_follows_its_group_into_the_supergroup(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    family = world.group("Family", ann, bob, basic=True)
    card = await take_card(bot, ann, await start_yahtzee(bot, ann, family))
    await play_turns(bot, ann, card, random.Random(1), 4)
    club = world.migrate(family)
    moved = await world.next_post(club, "Yahtzee")
    await bot.settle()
    assert "✍️ \u2068Ann\u2069 4/13" in moved.text
    await play_turns(bot, ann, card, random.Random(1))
    await play_turns(bot, bob, await take_card(bot, bob, moved), random.Random(1))
    assert "✓ \u2068Ann\u2069, \u2068Bob\u2069" in moved.text
    assert len(world.posts(club)) == 1


async def test_help_lists_yahtzee(bot: LiveBot, world: World, ann: User) -> None:
    await bot.say(ann, world.chat_of(ann), "/help")
    shown = world.posts(world.chat_of(ann))[-1].text.splitlines()
    assert "/yahtzee — 13 rolls, the same for all" in shown
    bot.world.press(ann, world.posts(world.chat_of(ann))[-1], "Games")
    await bot.settle()
    assert (
        "Straights 25 and 35, full house 40, five of a kind 50." in world.posts(world.chat_of(ann))[-1].text
    )


async def test_yahtzee_is_refused_in_quiet_hours(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    minute = int(clock.now % DAY // 60)
    await bot.choose(family, "quiet", [minute, (minute + 90) % 1440])
    assert (await start_yahtzee(bot, ann, family)).text.startswith("Quiet hours here until ")
