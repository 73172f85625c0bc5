"""Rows that can't be read: each costs its own round, race, day or request, and nobody else's."""

import json
import logging
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bot.database import Tx
from bot.queue import dead_letters, queries
from tests.stories.clock import NOON, Clock
from tests.stories.conftest import LiveBot, OpenBot, RestartBot
from tests.stories.test_all_ideas import IDEAS
from tests.stories.test_countdown import start_countdown
from tests.stories.test_race import start_race
from tests.stories.test_secrecy import read_points
from tests.stories.test_secret_entries import WRONG, says_no
from tests.stories.test_yahtzee import parse_ranks, play_turns, start_yahtzee, take_card
from tests.telegram import Chat, Message, User, World

NINES = "9e999"
BYTES = "CAST(x'ff80' AS TEXT)"  # What is no UTF-8, as a flipped bit may leave it
DEEP = "printf('%.60000c', '[')"  # JSON that is nested deeper than anybody reads
NESTED = pytest.param("[" * 60_000, id="deep")
BROKEN_ROUNDS = [
    "puzzle = 'nonsense'",
    "puzzle = '5'",
    "puzzle = '[5]'",
    "puzzle = '{}'",
    "puzzle = json_set(puzzle, '$.v', 24)",
    "puzzle = json_set(puzzle, '$.ideas', 5)",
    "puzzle = json_set(puzzle, '$.ideas', 'nonsense')",
    "puzzle = json_set(puzzle, '$.ideas', json('[5]'))",
    "puzzle = json_set(puzzle, '$.hints', '{')",
    "puzzle = json_set(puzzle, '$.numbers', 'three eight')",
    f"puzzle = {DEEP}",
    f"puzzle = {BYTES}",
    f"level = {BYTES}",
    f"game = {BYTES}",
    f"kind = {BYTES}",
    f"standing = {DEEP}",
    f"standing = {BYTES}",
    "standing = 'nonsense'",
    "standing = json_set(standing, '$.v', 24)",
    "standing = '[1]'",
    'standing = \'{"hints": "two"}\'',
    "game = 'never heard of'",
    "kind = 'never heard of'",
    "level = 'impossible'",
    f"expected = {NINES}",
    f"opened = {NINES}",
]
BROKEN_HANDS = [
    "nonsense",
    "5",
    "[5]",
    '[{"numbers": 5}]',
    "[{}]",
    '{"a": 1}',
    "[[1, 2]]",
    '[{"game": "24"}]',
    '[{"game": "24", "puzzle": 5, "level": "easy", "expected": 1}]',
    '[{"game": "none", "puzzle": {}, "level": "easy", "expected": 1}]',
    '[{"game": "24", "puzzle": {"v": 1, "numbers": ["x"], "target": 24}, "level": "easy", "expected": 1}]',
    '[{"game": "24", "puzzle": {"v": 1, "numbers": [1, 2], "target": 24}, "level": "none", "expected": 1}]',
    NESTED,
]


def mostly_long(values: Sequence[Any], each: int) -> list[Any]:
    """Every so manieth of the values, and the others for the long suite."""
    return [
        value if at % each == 0 else pytest.param(value, marks=pytest.mark.long)
        for at, value in enumerate(values)
    ]


def spoil(database: Path, table: str, change: str, chat: Chat | None = None) -> None:
    """What a bad disk, a bad hand or an old bug may have left in a table, of one chat or of all."""
    key = "id" if table == "chats" else "chat_id"
    where = f" WHERE {key} = {chat.id}" if chat else ""
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        assert connection.execute(f"UPDATE {table} SET {change}{where}").rowcount > 0  # noqa: S608 - a test's own


@pytest.fixture
async def dealt(bot: LiveBot, world: World, ann: User) -> list[Message]:
    """A hand on the table of each of three groups."""
    groups = [world.group(title, ann) for title in ("Family", "Club", "Office")]
    return [await bot.deal(ann, group, 3, 8, 3, 8) for group in groups]


@pytest.mark.long
@pytest.mark.parametrize("broken", BROKEN_ROUNDS)
async def test_a_round_costs_only_itself(
    bot: LiveBot,
    clock: Clock,
    ann: User,
    dealt: list[Message],
    broken: str,
    database: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    spoil(database, "rounds", broken, dealt[0].chat)
    await bot.say(ann, dealt[1].chat, "8/(3-8/3)", reply_to=dealt[1])
    assert "🏆" in dealt[1].text
    clock.advance(700)
    with caplog.at_level(logging.WARNING):
        await bot.run_timers()
    assert "8/(3-8/3) = 24" in dealt[2].text
    said = [record.getMessage().partition(": ")[0] for record in caplog.records]
    assert said == ["round 1 can't be read", "round 1 is set aside", "round 1 can't be read"]
    assert not any(record.exc_info for record in caplog.records if record.levelno > logging.DEBUG)
    deal = await bot.deal(ann, dealt[0].chat, 1, 1, 2, 8)
    await bot.say(ann, dealt[0].chat, "1*8*(1+2)", reply_to=deal)
    assert "🏆" in deal.text


@pytest.mark.long
@pytest.mark.parametrize("broken", mostly_long([f"deadline = {NINES}", *BROKEN_ROUNDS], 4))
async def test_its_chat_need_not_wait_for_the_deadline(
    bot: LiveBot, ann: User, dealt: list[Message], broken: str, database: Path
) -> None:
    spoil(database, "rounds", broken, dealt[0].chat)
    deal = await bot.deal(ann, dealt[0].chat, 1, 1, 2, 8)
    await bot.say(ann, dealt[0].chat, "1*8*(1+2)", reply_to=deal)
    assert "🏆" in deal.text
    await bot.timers.run_all()


@pytest.mark.long
@pytest.mark.parametrize(
    "broken",
    [
        *("deadline = NULL", "language = 'xx'", "state = 'banana'", f"options = {DEEP}"),
        *(f"{column} = {BYTES}" for column in ("language", "state", "options", "line", "expression")),
    ],
)
async def test_what_is_odd_and_can_be_read_stops_nobody(
    bot: LiveBot, clock: Clock, ann: User, dealt: list[Message], broken: str, database: Path
) -> None:
    spoil(database, "rounds", broken, dealt[0].chat)
    await bot.say(ann, dealt[0].chat, "/skip@TwentyFourTestBot")
    clock.advance(700)
    await bot.run_timers()
    assert all("8/(3-8/3) = 24" in deal.text for deal in dealt[1:])
    await bot.deal(ann, dealt[0].chat, 1, 1, 2, 8)


@pytest.mark.long
@pytest.mark.parametrize("number", [0, -1])
async def test_a_round_of_a_message_that_is_none_is_posted_anew(
    bot: LiveBot, world: World, ann: User, dealt: list[Message], database: Path, number: int
) -> None:
    group = dealt[0].chat
    spoil(database, "rounds", f"message_id = {number}", group)
    await bot.say(ann, group, "/skip@TwentyFourTestBot")
    shown = world.posts(group)[-1]
    assert shown is not dealt[0]
    assert "8/(3-8/3) = 24" in shown.text
    sent = [call.params.get("message_id") for call in world.requests]
    assert number not in sent


BROKEN_SEALS = [
    f"line = {BYTES}",
    f"game = {BYTES}",
    "line = '4 x 7 7 → 24'",
    "line = ''",
    "game = 'never heard of'",
    f"opened = {NINES}",
    f"opened = -{NINES}",
    f"closed = {NINES}",
]


@pytest.mark.long
@pytest.mark.parametrize("over", [False, True], ids=["open", "ended"])
@pytest.mark.parametrize("broken", mostly_long(BROKEN_SEALS, 3))
async def test_a_round_seals_nothing_that_others_ask_or_win(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, broken: str, over: bool, database: Path
) -> None:
    cid = world.user("Cid")
    club = world.group("Club", bob, cid)
    await bot.say(cid, club, "/stats@TwentyFourTestBot")
    deal = await bot.deal(bob, club, 3, 8, 3, 8)
    await bot.deal(ann, family, 4, 4, 7, 7)
    if over:
        await bot.say(ann, family, "/skip@TwentyFourTestBot")
    spoil(database, "rounds", broken, family)
    for user in (ann, cid):
        await bot.say(user, world.chat_of(user), "/solve 4 5 6 7")
        assert "= 24" in world.posts(user)[-1].text
        await bot.say(user, world.chat_of(user), "/why 5*5-7/7")
        assert "7/7 = 1" in world.posts(user)[-1].text
    query = world.inline(cid, "1 2 3 4")
    await bot.settle()
    offers = [offer["title"] for offer in query.results or []]
    assert offers == ["3 ideas", *(f"{idea} = 24" for idea in IDEAS)]
    await bot.say(ann, world.chat_of(ann), "/forgetme")
    await world.answer_to(world.press(ann, world.posts(ann)[-1], "Forget me"))
    await bot.say(bob, club, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text
    assert await bot.services.store.read(queries.load_dead_requests) == []


@pytest.fixture
async def race(bot: LiveBot, ann: User, family: Chat) -> Message:
    """A race in the family."""
    return await start_race(bot, ann, family)


@pytest.fixture
async def other(bot: LiveBot, world: World, ann: User, race: Message) -> Message:
    """A hand in another group, dealt after the race."""
    return await bot.deal(ann, world.group("Club", ann), 3, 8, 3, 8)


@pytest.mark.long
@pytest.mark.parametrize("won", [True, False])
@pytest.mark.parametrize("hands", mostly_long(BROKEN_HANDS, 2))
async def test_a_race_ends_and_the_others_go_on(
    bot: LiveBot,
    clock: Clock,
    ann: User,
    race: Message,
    other: Message,
    hands: str,
    won: bool,
    database: Path,
) -> None:
    spoil(database, "races", f"hands = '{hands}'")
    if won:
        await bot.say(ann, race.chat, "1*8*(1+2)", reply_to=race)
        assert "⁨Ann⁩ — 2" in race.text  # the win before it counts
    clock.advance(700)
    await bot.run_timers()
    assert "8/(3-8/3) = 24" in other.text
    assert "→ 24" not in race.text
    await bot.deal(ann, race.chat, 3, 8, 3, 8)


@pytest.mark.long
@pytest.mark.parametrize("broken", ["length = -5", "state = 'odd'", f"seconds = {NINES}", "played = 99"])
async def test_a_race_with_odd_figures(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, other: Message, broken: str, database: Path
) -> None:
    spoil(database, "races", broken)
    for _ in range(4):
        clock.advance(700)
        await bot.run_timers()
    assert "8/(3-8/3) = 24" in other.text
    await bot.say(ann, family, "/skip@TwentyFourTestBot")
    await bot.deal(ann, family, 3, 8, 3, 8)


@pytest.mark.long
async def test_a_round_whose_end_fails_for_a_reason_nobody_foresaw(
    bot: LiveBot,
    clock: Clock,
    dealt: list[Message],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:

    def follow(tx: Tx, over: object, now: float) -> list[object]:
        if getattr(over, "chat_id", 0) == dealt[1].chat.id:
            raise ZeroDivisionError
        return _follow(tx, over, now)  # type: ignore[arg-type, return-value]

    from bot.rounds import deadlines

    _follow = deadlines.show_end_and_deal_next  # type: ignore[attr-defined]
    monkeypatch.setattr(deadlines, "show_end_and_deal_next", follow)
    clock.advance(700)
    await bot.run_timers()
    assert all("8/(3-8/3) = 24" in deal.text for deal in dealt)
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len([line for line in said if "ZeroDivisionError" in line]) == 1


async def test_a_timer_that_fails_leaves_the_others_alone(
    bot: LiveBot, clock: Clock, dealt: list[Message], monkeypatch: pytest.MonkeyPatch
) -> None:

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    for name in ("bot.queue.queries.delete_expired_rows", "bot.rounds.deadlines.redraw_clocks"):
        monkeypatch.setattr(name, fail)
    for _ in range(8):
        clock.advance(100)
        await bot.run_timers()
    assert all("8/(3-8/3) = 24" in deal.text for deal in dealt)


@pytest.mark.parametrize("stored", ["nonsense", "[1]", "5", "null", NESTED, '{"cards": "many", "quiet": 7}'])
async def test_settings_that_cannot_be_read_are_none(
    bot: LiveBot, world: World, ann: User, dealt: list[Message], stored: str, database: Path
) -> None:
    spoil(database, "chats", f"settings = '{stored}'", dealt[0].chat)
    await bot.say(ann, dealt[0].chat, "8/(3-8/3)", reply_to=dealt[0])
    assert "🏆" in dealt[0].text
    await bot.choose(dealt[0].chat, "cards", 5)
    world.say(ann, dealt[0].chat, f"/play@{world.bot.username}")
    assert len((await world.next_post(dealt[0].chat, "→ 24")).text.splitlines()[1].split()) == 7


@pytest.mark.long
@pytest.mark.parametrize(
    "broken",
    [
        "puzzle = '5'",
        "puzzle = '{'",
        "puzzle = json_set(puzzle, '$.numbers', 'x')",
        "game = 'none'",
        f"puzzle = {DEEP}",
        f"puzzle = {BYTES}",
        f"level = {BYTES}",
    ],
)
async def test_the_hand_of_the_day(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, broken: str, database: Path
) -> None:
    await bot.say(ann, world.chat_of(ann), "/daily")
    spoil(database, "dailies", broken)
    await bot.say(bob, world.chat_of(bob), "/daily")
    assert "→ 24" in world.posts(bob)[-1].text
    await bot.say(ann, family, "/solve@TwentyFourTestBot 1 1 2 8")
    assert [post.text for post in world.posts(family)] == ["1 1 2 8 → 24\n1*8*(1+2) = 24\n1 idea"]


UNSENDABLE = [
    "nonsense",
    "5",
    "null",
    "[]",
    "{}",
    '{"method": 5}',
    '{"method": "show"}',
    '{"method": "sendMessage"}',
    '{"method": "to one", "params": {}, "to": 7, "ways": 5, "until": 1}',
    '{"method": "to one", "params": {}, "to": 7, "ways": ["ephemeral"]}',
    "[" * 60_000,
]


async def test_requests_that_cannot_be_sent_are_set_aside(
    world: World, ann: User, open_bot: OpenBot, database: Path
) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        for row in product((5, -5), (*UNSENDABLE, '{"method": "show", "round": "x"}')):
            connection.execute("INSERT INTO outbox (lane, body, state, at) VALUES (?, ?, 'waiting', 0)", row)
        for lane in (5, -5):
            connection.execute(
                "INSERT INTO outbox (lane, body, state, at) VALUES (?, CAST(x'ff80' AS TEXT), 'waiting', 0)",
                (lane,),
            )
    bot = await open_bot(world)
    await bot.say(ann, world.chat_of(ann), "/help")
    assert [post.text.partition(":")[0] for post in world.posts(ann)] == ["Twenty-Four"]
    dead = await bot.services.store.read(queries.load_dead_requests)
    assert len(dead) == 2 * (len(UNSENDABLE) + 2)
    assert {each.reason for each in dead} == {"can't be read"}
    assert (
        await bot.services.store.write(lambda tx: dead_letters.retry_dead_letters(tx, [f"r{dead[0].id}"]))
        == 1
    )
    assert await bot.services.store.write(queries.requeue_marked) == ([], [])


@pytest.mark.parametrize("body", ["{", "", "x", "-1", "9" * 30, NESTED])
async def test_a_note_of_a_post_that_cannot_be_read_stops_no_start(
    world: World, ann: User, family: Chat, open_bot: OpenBot, database: Path, body: str
) -> None:
    note = "INSERT INTO outbox (lane, body, state, at) VALUES (?, ?, 'sent', ?)"
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute(note, (family.id, body, NOON - 1))
    bot = await open_bot(world)
    await bot.say(ann, family, f"/help@{world.bot.username}")
    assert [post.text.partition(":")[0] for post in world.posts(family)] == ["Twenty-Four"]


async def test_updates_that_cannot_be_read_are_set_aside(
    world: World, ann: User, open_bot: OpenBot, database: Path
) -> None:
    bodies = ["nonsense", "5", "null", "[]", "{}", json.dumps({"update_id": "x", "message": 5})]
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        for number, body in enumerate(bodies):
            connection.execute(
                "INSERT INTO inbox VALUES (?, 5, ?, 'waiting', 0, NULL, 0, NULL)", (number, body)
            )
        connection.execute(
            "INSERT INTO inbox VALUES (999, 5, CAST(x'ff80' AS TEXT), 'waiting', 0, NULL, 0, NULL)"
        )
    bot = await open_bot(world)
    await bot.say(ann, world.chat_of(ann), "/help")
    assert [post.text.partition(":")[0] for post in world.posts(ann)] == ["Twenty-Four"]
    assert await bot.services.store.read(queries.load_waiting_updates) == []


@pytest.mark.long
async def test_a_lane_goes_on_when_even_counting_a_failure_fails(
    bot: LiveBot, world: World, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = []

    def fail(*_: object) -> int:
        failures.append(1)
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(queries, "count_failure", fail)
        patched.setattr(queries, "mark_done", fail)
        world.say(ann, world.chat_of(ann), "/help")
        await world.wait_until(lambda: len(failures) > 1, 60, "two failures")
    await bot.say(ann, world.chat_of(ann), "/help")
    # Of several bots the next one to have the chat takes what one of them left, without a start.
    assert {post.text.partition(":")[0] for post in world.posts(ann)} == {"Twenty-Four"}


@pytest.mark.long
@pytest.mark.parametrize(
    "change",
    [
        *(f"at = {at}" for at in (NINES, f"-{NINES}", "1e18")),
        *(f"seconds = {seconds}" for seconds in (NINES, f"-{NINES}", "-5")),
        "points = -5",
        "level = 'nonsense'",
    ],
)
async def test_a_score_costs_only_itself(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, change: str, database: Path
) -> None:
    for user in (ann, bob):
        deal = await bot.deal(user, family, 3, 8, 3, 8)
        clock.advance(10)
        await bot.say(user, family, "8/(3-8/3)", reply_to=deal)
    spoil(database, "awards", f"{change}", family)
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        connection.execute(
            "UPDATE awards SET at = ?, seconds = 10, points = 5, level = 'fiendish' WHERE id = 2",
            (clock.now,),
        )
    before = len(world.posts(family))
    for user, command in ((ann, "records"), (ann, "stats"), (bob, "stats")):
        await bot.say(user, family, f"/{command}@{world.bot.username}")
    records, own, others = (post.text for post in world.posts(family)[before:])
    assert "\u2069 · 10 seconds · 2026-11-21" in records
    assert own.startswith("\u2068Ann\u2069")
    assert others.startswith("\u2068Bob\u2069")
    clock.advance(2 * 86_400)
    await bot.run_timers()
    assert world.posts(family)[before + 3].text.startswith("🏆"), "the week's word"


@pytest.mark.parametrize("change", [f"closed = {NINES}", "closed = 1e18", "closed = -1e18", "streak = -9"])
async def test_a_round_that_is_over_costs_only_itself(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat, change: str, database: Path
) -> None:
    for _ in range(3):
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        clock.advance(10)
        await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    spoil(database, "rounds", change, family)
    for command in ("records", "stats"):
        await bot.say(ann, family, f"/{command}@{world.bot.username}")
        assert "Ann" in world.posts(family)[-1].text


@pytest.mark.parametrize("day", ["nonsense", "", "20261121", "2026-02-30"])
async def test_a_daily_attempt_costs_only_itself(
    bot: LiveBot, world: World, ann: User, family: Chat, day: str, database: Path
) -> None:
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        row = (day, ann.id)
        connection.execute(
            "INSERT INTO attempts (day, player_id, state, opened) VALUES (?, ?, 'solved', 1)", row
        )
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text
    await bot.say(ann, family, f"/stats@{world.bot.username}")
    assert "Ann" in world.posts(family)[-1].text


async def won(bot: LiveBot, user: User, chat: Chat) -> None:
    """A hand is dealt in the chat, and the user wins it."""
    deal = await bot.deal(user, chat, 3, 8, 3, 8)
    await bot.say(user, chat, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text


def spoil_fact(database: Path, key: str, value: str) -> None:
    """What is kept under that key, whatever it was."""
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


FACTS = [
    "",
    "{",
    NESTED,
    *(
        pytest.param(fact, marks=pytest.mark.long, id=f"{fact!r}")
        for fact in ("x", "null", "-5", "5", "[1]", "{}", "9e999")
    ),
]


@pytest.mark.parametrize("fact", FACTS)
async def test_an_alias_key_that_cannot_be_read_is_nothing_to_anybody(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, fact: str, database: Path
) -> None:
    world.start(ann)
    await bot.settle()
    spoil_fact(database, "alias key", fact)
    for user, commands in ((bob, ["/start"]), (ann, ["/daily", "/daily numbers", "/export"])):
        for command in commands:
            before = len(world.posts(user))
            await bot.say(user, world.chat_of(user), command)
            assert len(world.posts(user)) > before
            assert "wrong" not in world.posts(user)[-1].text
    await won(bot, ann, family)
    await bot.say(ann, world.chat_of(ann), "/forgetme")
    await world.answer_to(world.press(ann, world.posts(ann)[-1], "Forget me"))
    await bot.settle()
    assert await bot.services.store.read(queries.load_dead_updates) == []


@pytest.mark.long
@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize("key", ["daily key", "menus", "health", "username", "forgotten"])
async def test_no_other_fact_stops_play(
    world: World, ann: User, family: Chat, restart_bot: RestartBot, key: str, fact: str, database: Path
) -> None:
    spoil_fact(database, key, fact)
    bot = await restart_bot(world)
    await won(bot, ann, family)
    await bot.say(ann, world.chat_of(ann), "/daily")
    assert "→ 24" in world.posts(ann)[-1].text
    await bot.run_timers()


@pytest.mark.parametrize("key", ["round:x", "round:", "round:-1", "round:99999999999999999999", "x", ""])
async def test_a_word_whose_key_cannot_be_read_is_told_with_the_others(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, key: str, database: Path
) -> None:
    deal = await start_countdown(bot, ann, family)
    await bot.say(bob, family, WRONG, reply_to=deal)
    spoil(database, "private_words", f"key = '{key}'", family)
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        connection.execute(
            "INSERT INTO private_words (chat_id, player_id, key, waiting, at) VALUES (?, ?, 'word:1', ?, ?)",
            (family.id, bob.id, json.dumps({"text": "another"}), NOON),
        )
    world.open_link(bob, deal, "🤫")
    await bot.settle()
    told = [post.text for post in world.posts(bob)]
    assert [says_no(text) for text in told].count(True) == 1
    assert "another" in told
    assert await bot.services.store.read(queries.load_dead_updates) == []


@pytest.mark.parametrize(
    "card",
    [
        "{",
        NESTED,
        pytest.param(
            '{"card": {"v": 1, "put": [0]}, "message": 99999999999999999999, "shown": 0}',
            marks=pytest.mark.long,
        ),
        pytest.param('{"card": {"v": 1, "put": [0, 0]}, "message": 1, "shown": 0}', marks=pytest.mark.long),
        pytest.param('{"card": 5, "shown": "nan"}', marks=pytest.mark.long),
    ],
)
async def test_a_card_costs_only_itself(
    bot: LiveBot,
    world: World,
    clock: Clock,
    ann: User,
    bob: User,
    family: Chat,
    card: str,
    database: Path,
) -> None:
    cid = world.user("Cid")
    world.join(cid, family)
    game = await start_yahtzee(bot, ann, family)
    cards = [(who, await take_card(bot, who, game)) for who in (ann, bob, cid)]
    for who, own in (cards[0], cards[2]):
        await play_turns(bot, who, own, random.Random(who.id), 13)
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        connection.execute("UPDATE entries SET answer = ?, at = 9e999 WHERE player_id = ?", (card, bob.id))
    clock.advance(8 * 86_400)
    await bot.run_timers()
    ranks = parse_ranks(world.posts(family)[-1].text)
    assert sorted(name for _, name, _ in ranks) == ["Ann", "Cid"]
    for who in (ann, cid):
        (total,) = (total for _, name, total in ranks if name == who.first_name)
        assert await read_points(bot, who, family) == total // 10 > 0


@pytest.mark.long
@pytest.mark.parametrize("stored", ["{", NESTED, '{"posts": [1, 1, 5], "quiet": [[], 0, 0]}'])
async def test_the_settings_of_one_group_keep_no_other_waiting_for_its_week(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat, stored: str, database: Path
) -> None:
    club = world.group("Club", ann)
    for chat in (family, club):
        await won(bot, ann, chat)
    spoil(database, "chats", f"settings = '{stored}'", family)
    clock.advance(2 * 86_400)
    await bot.run_timers()
    assert world.posts(club)[-1].text.startswith("🏆 The week")
