"""Many open hands: their solutions stay secret, and questions about them delay no deal."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import insert, select

import solver
from bot.database import Store, Tx
from bot.database.schema import awards, chats, rounds
from bot.queue.pacing import Pace
from bot.rounds.puzzle import parse_hand_numbers
from bot.settings import read_settings
from tests.faults.conftest import BotFactory, choose_amount, relax_limit, report
from tests.faults.test_searches import measure_reply
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.stories.test_secrecy import WAYS, AskFunction, ask_in_group
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults
HANDS, STRANGERS = choose_amount(20_000, 2_000), 30
DEALS, USUAL_DEALS = 8, 3
ALLOWED = relax_limit(1.0)  # seconds that a deal may take more than usual
WHY = ("/why 8/(3-8/3)", "/why 25 50 7 3 9 1 = 573", "/why 5*(5-1/5)")
SOLVE = ("/solve 3 8 3 8", "/solve 1 5 5 5 1", "/solve 2 4 8 10")
ASKED_FOR = choose_amount(300, 30)
UNPACED = Pace(posts_a_minute=60_000, redraw_gap=0.0)


def insert_open_hands(tx: Tx, now: float) -> None:
    """Store HANDS chats, each with an open hand."""
    dice, ids = Random(24), range(-1_002_000_000_000, -1_002_000_000_000 - HANDS, -1)
    hands = [tuple(dice.randint(1, 13) for _ in range(4)) for _ in ids]
    tx.execute(insert(chats), [{"id": number, "kind": "supergroup"} for number in ids])
    common = {"kind": "first", "level": "easy", "expected": 9.0, "state": "open", "dealer_id": 5}
    common |= {"opened": now, "deadline": now + 86_400.0, "shown": now}
    rows = [
        {
            "chat_id": number,
            "message_id": 7,
            "line": f"{' '.join(map(str, hand))} → 24",
            "puzzle": f'{{"v": 1, "numbers": {list(hand)}, "target": 24, "ideas": [], "hints": []}}',
        }
        for number, hand in zip(ids, hands, strict=True)
    ]
    tx.execute(insert(rounds), [common | row for row in rows])


def has_replies(world: World, stranger: User) -> bool:
    """Whether each question has a reply. Questions that waited too long share one, the refusal."""
    posts = world.posts(stranger)
    return len(posts) >= len(WHY + SOLVE) or any("one at a time" in post.text for post in posts)


@pytest.mark.exhaustive
async def test_questions_about_many_open_hands_delay_no_deal(make_bot: BotFactory) -> None:
    world = World()
    bob = world.user("Bob")
    strangers = [world.user(f"P{number}") for number in range(STRANGERS)]
    tables = [world.group(f"Table {number}", bob) for number in range(DEALS + USUAL_DEALS + 1)]
    async with BotApi(world) as api:
        process = make_bot(world, api.url, SOLVER_WORKERS="2")
        store = await Store.open(
            read_settings({"DATABASE_URL": process.environment["DATABASE_URL"]}).database
        )
        await store.write(lambda tx: insert_open_hands(tx, world.clock()))
        await store.close()
        process.start()
        await process.wait_for_log("is ready")
        play = f"/play@{world.bot.username}"
        await measure_reply(world, bob, tables.pop(), play, "→ 24")
        usual = [await measure_reply(world, bob, tables.pop(), play, "→ 24") for _ in range(USUAL_DEALS)]
        began = time.monotonic()
        for question in (*WHY, *SOLVE):
            for stranger in strangers:
                world.say(stranger, world.chat_of(stranger), question)
        deals = []
        for table in tables:
            deals.append(await measure_reply(world, bob, table, play, "→ 24"))
            await asyncio.sleep(0.2)
        await world.wait_until(lambda: all(has_replies(world, one) for one in strangers), 60, "all answers")
        whole = time.monotonic() - began
    report(
        f"{HANDS} open hands, {STRANGERS} strangers with 6 questions each: a deal elsewhere takes "
        f"{max(deals):.2f} s at most (before {max(usual):.2f}); all is answered after {whole:.1f} s"
    )
    assert max(deals) < max(usual) + ALLOWED


def make_question(number: int, numbers: Sequence[int], right: str) -> tuple[AskFunction, str]:
    """Return a way of asking about a hand and the command; each number gives another way."""
    _, how, ask, command = WAYS[number % len(WAYS)]
    another_target = "target" in how or "both" in how
    if command.startswith("/why"):
        expression = "+".join(map(str, numbers)) if another_target else right
        return ask, f"/why 1*({expression})" if "more" in how else f"/why {expression}"
    more = [1] if "more" in how or "both" in how else []
    target = sum([*numbers, *more]) if another_target else 24
    return ask, f"/solve {' '.join(map(str, [*more, *reversed(numbers)]))} = {target}"


async def test_open_hands_are_secret_from_their_players(tmp_path: Path) -> None:
    """Bob plays in every group; strangers ask as well."""
    world = World(clock=(clock := Clock()))
    async with run_bot(world, tmp_path / "twentyfour.sqlite3", UNPACED) as opened:
        await ask_about_all_hands(opened, world, clock)


async def ask_about_all_hands(bot: LiveBot, world: World, clock: Clock) -> None:
    bob = world.user("Bob")
    elsewhere, hands = world.group("Elsewhere", bob), list[tuple[User, Chat, Message]]()
    for number in range(ASKED_FOR):
        stranger = world.user(f"P{number}")
        group = world.group(f"Group {number}", bob, stranger)
        await bot.choose(group, "seconds", 86_400)
        world.join(stranger, elsewhere)
        hands.append((stranger, group, await bot.deal(bob, group)))
    asked, readers = list[tuple[AskFunction, Chat, str]](), set[int]()
    for number, (stranger, group, deal) in enumerate(hands):
        clock.advance(10)  # so that no question is refused as one too many
        numbers = parse_hand_numbers(next(line for line in deal.text.splitlines() if "→" in line))
        right = str(next(solver.solve(numbers, 24)))
        ask, command = make_question(number, numbers, right)
        assert "no peeking" in await ask(bot, bob, group, elsewhere, command), command
        reply = await ask(bot, stranger, group, elsewhere, command)
        assert ("no peeking" in reply) is (ask is ask_in_group), command
        if ask is not ask_in_group and "no way" not in reply:
            readers.add(stranger.id)
        await bot.say(stranger, group, right, reply_to=deal)
        asked.append((ask, group, command))
    scored = set(await bot.services.store.read(lambda tx: list(tx.scalars(select(awards.c.player_id)))))
    assert len(readers) > ASKED_FOR / 2
    assert readers & scored == set()
    assert {stranger.id for stranger, _, _ in hands} - readers == scored
    for ask, group, command in asked:
        clock.advance(10)
        reply = await ask(bot, bob, group, elsewhere, command)
        assert reply
        assert "no peeking" not in reply, command
