"""An error in a game affects its own round or message only."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select, update

import solver
from bot.database.schema import rounds
from bot.rounds.registry import GAMES
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.stories.test_yahtzee import start_yahtzee, take_card
from tests.telegram import Chat, User, World

pytestmark = pytest.mark.long

SOLUTION = "8/(3-8/3)"


def make_game_fail(
    monkeypatch: pytest.MonkeyPatch, method: str, when: Callable[[Any], bool], key: str = "24"
) -> None:
    """Let a method of a game or of its capability raise where its first argument meets a condition."""
    capability, _, name = method.rpartition(".")
    owner = getattr(GAMES[key], capability) if capability else GAMES[key]
    original = getattr(owner, name)

    def raise_or_call(given: Any, *more: Any, **named: Any) -> Any:
        if when(given):
            raise AssertionError("unforeseen")
        return original(given, *more, **named)

    monkeypatch.setattr(type(owner), name, staticmethod(raise_or_call))


@pytest.mark.parametrize("method", ["is_answer", "may_contain_answer", "looks_like_answer"])
@pytest.mark.parametrize("key", ["24", "countdown"])
async def test_failing_text_check_does_not_block_answers(
    bot: LiveBot,
    world: World,
    ann: User,
    bob: User,
    family: Chat,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    key: str,
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    make_game_fail(monkeypatch, f"bare_answers.{method}", lambda text: "boom" in text, key)
    world.say(bob, family, "boom 1+2", hear=True)
    world.say(bob, bob, "/help")
    await bot.settle()
    assert "/play" in world.posts(bob)[-1].text
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


@pytest.mark.parametrize("method", ["pack", "solutions", "hints.count", "render_solutions"])
async def test_failure_at_the_deadline_affects_only_its_own_round(
    bot: LiveBot,
    world: World,
    clock: Clock,
    ann: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    method: str,
) -> None:
    club, office = world.group("Club", ann, bob), world.group("Office", ann, bob)
    bad = await bot.deal(ann, club, 3, 8, 3, 8)
    good = await bot.deal(bob, office, 1, 1, 2, 8)
    make_game_fail(monkeypatch, method, lambda given: tuple(getattr(given, "numbers", ())) == (3, 8, 3, 8))
    clock.advance(700)
    with caplog.at_level(logging.CRITICAL):
        await bot.run_timers()
    assert "Nobody found it in time." in good.text
    monkeypatch.undo()
    again = await bot.deal(ann, club, 1, 1, 2, 8)
    assert again is not bad
    await bot.say(bob, club, "1*8*(1+2)", reply_to=again)
    assert "🏆" in again.text


async def test_unreadable_stored_hand_makes_room_for_the_next(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    club, office = world.group("Club", ann, bob), world.group("Office", ann, bob)
    await bot.deal(ann, club, 3, 8, 3, 8)
    good = await bot.deal(bob, office, 1, 1, 2, 8)
    make_game_fail(monkeypatch, "unpack", lambda packed: "[3, 3, 8, 8]" in packed)
    make_game_fail(monkeypatch, "unpack", lambda packed: "[3, 8, 3, 8]" in packed)
    clock.advance(700)
    await bot.run_timers()
    assert "Nobody found it in time." in good.text
    again = await bot.deal(ann, club, 1, 1, 2, 8)
    await bot.say(bob, club, "1*8*(1+2)", reply_to=again)
    assert "🏆" in again.text


@pytest.mark.parametrize("method", ["render_deal", "task", "hints.count"])
async def test_hand_that_cannot_be_rendered_says_so(
    bot: LiveBot,
    world: World,
    ann: User,
    bob: User,
    family: Chat,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    method: str,
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    for name in ("render_deal", "format_answer", method):
        make_game_fail(monkeypatch, name, lambda given: True)
    with caplog.at_level(logging.CRITICAL):
        await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert deal.text == "This hand can’t be shown: something is wrong with it."
    monkeypatch.undo()
    await bot.say(bob, family, "/leaderboard@TwentyFourTestBot")
    assert "Bob" in world.posts(family)[-1].text


async def test_cancelled_deal_is_tried_again(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_task, cancelled = bot.solving.run_task, list[int]()

    async def cancel_once(task: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if not cancelled:
            cancelled.append(1)
            raise asyncio.CancelledError
        return await run_task(task, *arguments, **options)

    monkeypatch.setattr(bot.solving, "run_task", cancel_once)
    await bot.say(ann, family, "/play@TwentyFourTestBot")
    assert cancelled
    assert "→ 24" in world.posts(family)[-1].text
    await bot.say(bob, family, "/help@TwentyFourTestBot")
    assert "/play" in world.posts(family)[-1].text


@pytest.mark.parametrize(
    ("method", "command", "expected"),
    [
        ("typed_puzzles.suggest_command", "good evening", "/help"),
        ("options.list_settings", "/settings", "Level"),
        ("questions.claims_expression", "/why 8/(3-8/3)", "8 ÷ 3"),
        ("questions.can_explain", "/why 3 8 3 8", "/solve 3 8 3 8"),
        ("questions.render_error", "/why 3 8 3 8", "/solve 3 8 3 8"),
    ],
)
async def test_failing_game_does_not_break_commands_of_all_games(
    bot: LiveBot,
    world: World,
    ann: User,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    method: str,
    command: str,
    expected: str,
) -> None:
    key = "24" if method.startswith("typed_puzzles") else "countdown"
    make_game_fail(monkeypatch, method, lambda given: True, key)
    with caplog.at_level(logging.CRITICAL):
        await bot.say(ann, world.chat_of(ann), command)
    assert expected in world.posts(ann)[-1].text


@pytest.mark.parametrize("key", ["24", "countdown"])
async def test_points_are_kept_when_the_rating_fails(
    bot: LiveBot,
    world: World,
    clock: Clock,
    ann: User,
    bob: User,
    family: Chat,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    key: str,
) -> None:
    if key == "24":
        monkeypatch.setattr("bot.standings.ratings.updates.make_match", _raise_error)
    else:
        make_game_fail(monkeypatch, "entries.make_rating_match", lambda given: True, key)
    with caplog.at_level(logging.CRITICAL):
        if key == "24":
            deal = await bot.deal(ann, family, 3, 8, 3, 8)
            await bot.say(bob, family, SOLUTION, reply_to=deal)
        else:
            await bot.say(ann, family, f"/countdown@{world.bot.username}")
            deal = world.posts(family)[-1]
            line = next(line for line in deal.text.splitlines() if "→" in line)
            tiles, _, target = line.partition(" → ")
            found = solver.nearest([int(tile) for tile in tiles.split()], int(target)).expression
            await bot.say(bob, family, str(found), reply_to=deal)
            clock.advance(700)
            await bot.run_timers()
        await bot.say(bob, family, f"/leaderboard@{world.bot.username}")
    assert "1. \u2068Bob\u2069 — " in world.posts(family)[-1].text


async def start_contests(bot: LiveBot, world: World, ann: User, bob: User) -> tuple[Chat, Chat]:
    """Start a Yahtzee contest with a card of Ann's in two groups and return the groups."""
    groups = world.group("Club", ann, bob), world.group("Office", ann, bob)
    for group in groups:
        await take_card(bot, ann, await start_yahtzee(bot, ann, group))
    return groups


async def load_contest_ends(bot: LiveBot) -> dict[int, bool]:
    """Return for each chat whether its contest is over."""
    found = await bot.services.store.read(
        lambda tx: tx.execute(select(rounds.c.chat_id, rounds.c.state)).all()
    )
    return {row.chat_id: row.state == "over" for row in found}


@pytest.mark.parametrize("method", ["unpack_card", "count_turns_played", "compute_total"])
async def test_contest_ends_despite_a_failing_card(
    bot: LiveBot,
    world: World,
    clock: Clock,
    ann: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    method: str,
) -> None:
    bad, good = await start_contests(bot, world, ann, bob)
    monkeypatch.setattr(type(GAMES["yahtzee"]), method, staticmethod(_raise_error))
    clock.advance(8 * 86_400)
    with caplog.at_level(logging.CRITICAL):
        for _ in range(2):
            await bot.run_timers()
            clock.advance(61)
    assert await load_contest_ends(bot) == {bad.id: True, good.id: True}


@pytest.mark.long
@pytest.mark.parametrize(
    "broken",
    [
        {"game": "none"},
        {"puzzle": "{"},
        {"standing": '{"v": 99}'},
    ],
    ids=lambda broken: "-".join(broken),
)
async def test_unreadable_contest_ends_when_its_time_is_over(
    bot: LiveBot,
    world: World,
    clock: Clock,
    ann: User,
    bob: User,
    caplog: pytest.LogCaptureFixture,
    broken: dict[str, Any],
) -> None:
    bad, good = await start_contests(bot, world, ann, bob)
    this = update(rounds).where(rounds.c.chat_id == bad.id).values(**broken)
    await bot.services.store.write(lambda tx: tx.execute(this).rowcount)
    with caplog.at_level(logging.CRITICAL):
        for days in (8, 30):
            clock.advance(days * 86_400)
            await bot.run_timers()
    assert await load_contest_ends(bot) == {bad.id: True, good.id: True}


async def test_race_with_an_unreadable_next_hand_keeps_its_points(
    bot: LiveBot,
    world: World,
    ann: User,
    bob: User,
    family: Chat,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    bot.rig(3, 8, 3, 8)
    bot.rig(1, 1, 2, 8)
    await bot.say(ann, family, f"/race@{world.bot.username} 2")
    race = world.posts(family)[-1]
    make_game_fail(monkeypatch, "unpack", lambda packed: "[1, 1, 2, 8]" in packed)
    with caplog.at_level(logging.CRITICAL):
        await bot.say(bob, family, SOLUTION, reply_to=race)
    assert "The race is over" in race.text
    await bot.say(bob, family, f"/leaderboard@{world.bot.username}")
    assert "1. \u2068Bob\u2069 — " in world.posts(family)[-1].text


async def test_round_of_a_removed_game_does_not_block_other_answers(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    clock.advance(2)
    await bot.deal(ann, world.chat_of(ann), 1, 1, 2, 8)
    await bot.say(ann, world.chat_of(ann), "/skip")
    gone = update(rounds).where(rounds.c.chat_id == ann.id).values(game="none")
    await bot.services.store.write(lambda tx: tx.execute(gone).rowcount)
    clock.advance(30)
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


def _raise_error(*_: Any, **__: Any) -> Any:
    raise AssertionError("unforeseen")
