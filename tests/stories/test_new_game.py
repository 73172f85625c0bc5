"""A game that somebody adds is played everywhere, with nothing more than its class in the list of games."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.levels import POINTS_BY_LEVEL
from bot.rounds import queries as rounds
from bot.rounds.game import Game, format_solution
from bot.rounds.puzzle import Puzzle, parse_hand_numbers
from bot.telegram.routes import Routes
from tests.games import add_game
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.stories.tapping import open_page
from tests.telegram import Chat, Message, User, World

ME = "@TwentyFourTestBot"


@pytest.fixture(params=["tests.games.sums.game.Sums", "tests.games.hundred.game.MakeHundred"])
def added(request: pytest.FixtureRequest) -> Iterator[tuple[Game[Any], Routes]]:
    with add_game(request.param) as game_and_routes:
        yield game_and_routes


@pytest.fixture
def game(added: tuple[Game[Any], Routes]) -> Game[Any]:
    return added[0]


@pytest.fixture
async def bot(world: World, database: Path, added: tuple[Game[Any], Routes]) -> AsyncIterator[LiveBot]:
    async with run_bot(world, database, routes=added[1]) as opened:
        yield opened


async def send(bot: LiveBot, user: User, chat: Chat, text: str) -> str:
    """Send a text; return that of the latest message in the chat."""
    await bot.say(user, chat, text)
    return bot.world.posts(chat)[-1].text


async def load_puzzle(bot: LiveBot, chat: Chat) -> Puzzle:
    """Load the puzzle of the open round."""
    round = await bot.services.store.read(lambda tx: rounds.load_open_round(tx, chat.id, 0))
    assert round
    return round.puzzle


async def answer(bot: LiveBot, game: Game[Any], user: User, chat: Chat, deal: Message) -> str:
    """Reply to a deal with the right answer, and return it."""
    text = str(game.solutions(await load_puzzle(bot, chat))[0])
    await bot.say(user, chat, text, reply_to=deal)
    return text


async def test_hand_is_listed_judged_scored_and_ranked(
    bot: LiveBot, game: Game[Any], ann: User, bob: User, family: Chat
) -> None:
    assert f"/{game.command} — " in await send(bot, ann, family, f"/help{ME}")
    usage = await send(bot, ann, family, f"/{game.command}{ME} hard")
    assert usage == f"“hard”? Send /{game.command} with nothing after it."
    await bot.say(ann, family, f"/{game.command}{ME}")
    deal = bot.world.posts(family)[-1]
    assert (await open_page(bot, ann, family).read_state())["round"]["game"] == game.title
    await bot.say(bob, family, "1+1", reply_to=deal)
    assert "🤔 \u2068Bob\u2069: " in deal.text or "👎 \u2068Bob\u2069: 1+1 = 2, but 1 is not" in deal.text
    puzzle = await load_puzzle(bot, family)
    points = POINTS_BY_LEVEL[puzzle.level] + 1  # and the first of the day
    right = await answer(bot, game, bob, family, deal)
    assert f"🏆 \u2068Bob\u2069: {game.format_answer(puzzle, right)}" in deal.text
    assert f"+{points} points" in deal.text
    assert f"1. \u2068Bob\u2069 — {points}" in await send(bot, ann, family, f"/leaderboard{ME}")
    assert "Answered 1 hand, won 1" in await send(bot, bob, family, f"/stats{ME}")


async def test_hand_that_nobody_finds_ends_with_its_solution(
    bot: LiveBot, game: Game[Any], clock: Clock, ann: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/{game.command}{ME}")
    deal, puzzle = bot.world.posts(family)[-1], await load_puzzle(bot, family)
    clock.advance(700)
    await bot.run_timers()
    assert f"Nobody found it in time.\n💭 {format_solution(game, puzzle)}" in deal.text


async def test_race_and_duel(bot: LiveBot, game: Game[Any], ann: User, bob: User, family: Chat) -> None:
    assert await send(bot, ann, family, f"/race{ME} 2 hard {game.command}") == f"{game.title} has no levels."
    await bot.say(ann, family, f"/race{ME} 2 {game.command}")
    race, first = bot.world.posts(family)[-1], await load_puzzle(bot, family)
    for player in (ann, bob):
        await bot.say(player, family, f"/skip{ME}")
    assert f"#1 — {format_solution(game, first)}" in race.text
    await answer(bot, game, bob, family, race)
    assert "The race is over" in race.text
    challenge = await send(bot, ann, family, f"/duel{ME} {game.command}")
    assert challenge.endswith(f"First to 3 wins.\n{game.title}")


async def test_live_hand_is_protected(
    bot: LiveBot, world: World, game: Game[Any], ann: User, bob: User, family: Chat
) -> None:
    cem = world.user("Cem")
    world.join(cem, family)
    await bot.say(ann, family, f"/{game.command}{ME}")
    await bot.say(bob, family, f"/skip{ME}")  # so he plays here
    deal = world.posts(family)[-1]
    numbers = [str(number) for number in parse_hand_numbers((await load_puzzle(bot, family)).line)]
    spelled, added = " ".join(numbers), "+".join(numbers)
    for command in (f"/solve{ME} {spelled}", f"/solve{ME} {spelled} 1 = 101", f"/why{ME} 1+{added}"):
        for chat in (family, world.chat_of(bob)):
            assert "no peeking" in await send(bot, bob, chat, command)
    assert "step by step" in await send(bot, cem, world.chat_of(cem), f"/why {added}")
    await answer(bot, game, cem, family, deal)
    no_points = "Right, but you asked me about these numbers after the deal: no points"
    assert f"👏 \u2068Cem\u2069: {no_points}" in deal.text
    assert "Found by a spectator, or with my help elsewhere: no points." in deal.text
    assert "step by step" in await send(bot, bob, world.chat_of(bob), f"/why {added}")
