"""The developers' manual: its code runs, and what it says of the code is so."""

import re
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from bot import features
from bot.features import FEATURES
from bot.i18n import get_words
from bot.rounds.game import Game
from bot.rounds.registry import GAMES
from bot.telegram.routes import Routes, merge_routes
from tests.catalogues import find_marked_sentences
from tests.games import add_game
from tests.games.hundred.game import MakeHundred
from tests.on_postgresql import ON_POSTGRESQL
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, User, World

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r'^```python(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def read_page(name: str) -> str:
    return (ROOT / "docs" / "developers" / f"{name}.md").read_text("utf-8")


def list_blocks(page: str, file: str) -> list[str]:
    """Return the Python blocks of a page that are meant for a file; "" for those without a title."""
    return [code for title, code in BLOCK.findall(read_page(page)) if title == file]


def execute(code: str) -> dict[str, Any]:
    """Return the names that a block of a page defines."""
    names: dict[str, Any] = {"__name__": "manual"}
    exec(code, names)  # noqa: S102 - the manual's own code
    return names


# A walk of an answer

STEP = re.compile(r"^\d+\. `([\w.]+)` \(`((?:bot|solver)/[\w/]+\.py)`\)", re.MULTILINE)


Calls = dict[tuple[str, str], None]  # Functions with their files, in the order of their first calls


@contextmanager
def record_calls() -> Iterator[Calls]:
    """Yield the functions of the bot and the solver that are called in this thread and those begun within."""
    calls: Calls = {}

    def profile(frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(f"{ROOT}/"):
            calls[frame.f_code.co_qualname, file.removeprefix(f"{ROOT}/")] = None

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


@pytest.mark.skipif(ON_POSTGRESQL, reason="the manual walks through the steps with a file")
async def test_walk_names_functions_in_the_order_of_their_calls(
    world: World, database: Path, ann: User, bob: User, family: Chat
) -> None:
    steps = STEP.findall(read_page("answer"))
    numbers = re.findall(r"^(\d+)\. ", read_page("answer"), re.MULTILINE)
    assert numbers == [str(number) for number in range(1, len(steps) + 1)]
    with record_calls() as calls:
        async with run_bot(world, database) as bot:
            deal = await bot.deal(ann, family, 3, 8, 3, 8)
            calls.clear()
            await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert [call for call in calls if call in steps] == steps


# Add a command


def add_command(code: str) -> Routes:
    """Return the bot's routes with the command of the page, also where somebody has followed the page."""
    others = [routes for routes in FEATURES if "coin" not in {command.name for command in routes.commands}]
    return merge_routes([*others, execute(code)["ROUTES"]])


COIN, COIN_STORY = "bot/admin/coin.py", "tests/stories/test_coin.py"


@pytest.mark.parametrize("code", list_blocks("add-command", COIN))
async def test_command_of_the_page_answers(
    world: World, database: Path, code: str, ann: User, family: Chat
) -> None:
    (story,) = list_blocks("add-command", COIN_STORY)
    async with run_bot(world, database, routes=add_command(code)) as bot:
        await execute(story)["test_coin_shows_a_side"](bot, ann, family)


async def test_tosses_of_the_page_are_counted(world: World, database: Path, ann: User, family: Chat) -> None:
    _, code = list_blocks("add-command", COIN)
    async with run_bot(world, database, routes=add_command(code)) as bot:
        for _ in range(2):
            await bot.say(ann, family, "/coin@TwentyFourTestBot")
    assert [message.text.split(":")[0] for message in world.posts(family)[-2:]] == ["Toss 1", "Toss 2"]


# Add a game


@pytest.fixture
async def hundred(world: World, database: Path) -> AsyncIterator[LiveBot]:
    """A bot with the page's game."""
    with add_game("tests.games.hundred.game.MakeHundred") as (_, routes):
        async with run_bot(world, database, routes=routes) as opened:
            yield opened


async def test_story_of_the_game_passes(hundred: LiveBot, ann: User, bob: User, family: Chat) -> None:
    (story,) = list_blocks("add-game", "tests/stories/test_hundred.py")
    await execute(story)["test_first_hundred_wins"](hundred, ann, bob, family)


def test_page_describes_every_member_that_a_game_needs() -> None:
    table = read_page("add-game").partition("| Member |")[2].partition("\n\n")[0]
    described = [
        name
        for cell in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
        for name in re.findall(r"\w+", cell)
    ]
    assert set(described) == {"key", "command", *Game.__abstractmethods__}


def test_page_lists_every_capability_with_a_game_that_has_it() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| `(\w+)` \|$", read_page("add-game"), re.MULTILINE)
    capabilities = Path(ROOT, "bot/rounds/game.py").read_text("utf-8")
    listed = capabilities.partition("# Capabilities\n")[2].partition("def ")[0]
    assert sorted(name for name, _ in rows) == sorted(
        re.findall(r"^    (\w+): ClassVar", listed, re.MULTILINE)
    )
    games = {type(game).__name__: type(game) for game in GAMES.values()} | {"MakeHundred": MakeHundred}
    assert [name for name, game in rows if getattr(games[game], name) is getattr(Game, name)] == []


def test_page_registers_the_games_of_the_bot_and_one_more() -> None:
    (block,) = list_blocks("add-game", "bot/features.py")
    source = Path(features.__file__).read_text("utf-8")
    one_more = '    "bot.games.hundred.game.MakeHundred",\n'
    assert block.replace(one_more, "") in source.replace(one_more, "")


# Add a language


def test_first_sentences_to_translate_are_in_the_catalogues() -> None:
    sentences = re.findall(r"^    - `(.+)`$", read_page("add-language"), re.MULTILINE)
    in_code = {each.sentence for each in find_marked_sentences()}
    singular = {sentence[0] if isinstance(sentence, tuple) else sentence for sentence in in_code}
    assert len(sentences) > 5
    assert set(sentences) <= singular


def test_terms_are_those_of_the_catalogues() -> None:
    rows = re.findall(r"^\| ([^|]+?) \| (.+) \|$", read_page("add-language"), re.MULTILINE)
    terms = {term: cells.split(" | ") for term, cells in rows if term not in ("English", "---")}
    languages = ("zh_Hans", "zh_Hant", "es", "ru")
    assert len(terms) > 10
    assert terms == {
        term: [get_words(language).translate_plain(term) for language in languages] for term in terms
    }
