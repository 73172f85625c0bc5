"""The list of games. A new one is a folder beside this file, and an import here."""

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from inspect import isabstract
from typing import Any, TypeVar

from bot import logs
from bot.database import parse_object
from bot.games.countdown.game import Countdown as Countdown
from bot.games.twentyfour.game import TwentyFour
from bot.games.yahtzee.game import Yahtzee as Yahtzee
from bot.i18n import Html, Words
from bot.modes.contest.game import ContestGame
from bot.rounds.game import Game
from bot.rounds.puzzle import LEVELS, DealError, Level, Options, Puzzle, normalize_word

log = logging.getLogger(__name__)
T = TypeVar("T")

KEY = re.compile(r"[a-z0-9]+")  # A game's key: buttons carry it between colons


def make_registry(kinds: Iterable[type[Game[Any]]]) -> dict[str, Game[Any]]:
    """A game of each kind. Raises ValueError for a key that buttons can't carry or that two games have."""
    games = dict[str, Game[Any]]()
    for kind in kinds:
        if not KEY.fullmatch(kind.key):
            raise ValueError(f"a game's key has small letters and digits alone: {kind.key!r}")
        if kind.key in games:
            raise ValueError(f"two games have the key {kind.key!r}")
        games[kind.key] = kind()
    return games


# Every game that is imported above, by its key.
GAMES: dict[str, Game[Any]] = make_registry(
    game
    for game in list(vars().values())
    if isinstance(game, type) and issubclass(game, Game) and not isabstract(game)
)
# The modules with their tasks for the solver's workers; a game may have none.
SOLVER_MODULES = [f"{type(game).__module__.rpartition('.')[0]}.dealing" for game in GAMES.values()]
# Those of them that are played as contests.
CONTEST_GAMES: dict[str, ContestGame[Any, Any]] = {
    key: game for key, game in GAMES.items() if isinstance(game, ContestGame)
}
DEFAULT_GAME = GAMES[TwentyFour.key]  # The game of what is asked without naming one: a race, the daily hand
# Another that can be raced, for examples.
ANOTHER_GAME = next(
    (game for game in GAMES.values() if game is not DEFAULT_GAME and game.key not in CONTEST_GAMES),
    DEFAULT_GAME,
)
# The games that have a hand of the day, the usual one first, by what names their hands behind the date.
DAILY_GAMES = {
    "" if game is DEFAULT_GAME else key: game
    for key, game in sorted(GAMES.items(), key=lambda one: one[1] is not DEFAULT_GAME)
    if game.get_daily_options(LEVELS[0]) is not None
}


def find_game_by_name(word: str) -> Game[Any] | None:
    """The game of which a word is the title, the command or another name of that; None for any other word."""
    named = (
        g
        for g in GAMES.values()
        if normalize_word(word) in (g.key, g.command, *g.aliases, normalize_word(g.title))
    )
    return next(named, None) if word.strip() else None


def render_other_game_command(words: Words, word: str, but: Game[Any]) -> Html | None:
    """How the game is dealt that a word behind another one's command names; None for any other word."""
    game = find_game_by_name(word)
    if game is None or game is but:
        return None
    return words.translate("{game} is dealt by /{name}.", game=game.title, name=game.command)


def get_race_options(game: Game[Any], level: Level | None) -> Options:
    """The options of every hand of a race or a duel, of that level. Raises DealError, which says why not."""
    if level and not game.has_levels:
        raise DealError(lambda words: words.translate("{game} has no levels.", game=game.title))
    return game.get_race_options(level)


def pack_puzzle(game: str, puzzle: Puzzle) -> dict[str, Any]:
    """What is stored of a puzzle: the columns of a row, and so what `unpack` takes."""
    text = json.dumps(GAMES[game].pack(puzzle), ensure_ascii=False)
    return {"game": game, "puzzle": text, "level": puzzle.level, "expected": puzzle.expected}


def unpack_puzzle(game: str, puzzle: object, level: str, expected: float) -> Puzzle:
    """A stored puzzle. Raises ValueError or TypeError for one that nobody could play here."""
    read = parse_object(puzzle) if isinstance(puzzle, str) else puzzle  # as races once stored theirs
    if game not in GAMES or not isinstance(read, Mapping):
        raise ValueError(f"no puzzle of a known game: {game!r}")
    return GAMES[game].unpack(read, level, expected)  # type: ignore[no-any-return]


def suggest_command(words: Words, text: str) -> Html | None:
    """What to write instead of a text that no hand is for, where one of the games knows."""
    told = (
        ask_game_safely(game, lambda game: game.suggest_command(words, text), None) for game in GAMES.values()
    )
    return next((instead for instead in told if instead is not None), None)


def looks_like_answer(text: str) -> bool:
    """Whether it may be an answer to some game, at a quick look."""
    return _in_any(lambda game: game.looks_like_answer(text))


def is_answer(text: str) -> bool:
    """Whether it can be read as an answer to some game."""
    return _in_any(lambda game: game.is_answer(text))


def may_contain_answer(text: str) -> bool:
    """Whether an answer to some game may stand in it, also among words."""
    return _in_any(lambda game: game.may_contain_answer(text))


def _in_any(ask: Callable[[Game[Any]], bool]) -> bool:
    """Whether some game says so. What one fails at is in doubt and counts as said: the message is kept, and
    what then fails of it costs that message alone.
    """
    return any(ask_game_safely(game, ask, True) for game in GAMES.values())


def ask_game_safely(game: Game[Any], ask: Callable[[Game[Any]], T], instead: T) -> T:
    """What a game says of something that may concern another one; `instead` where it fails."""
    try:
        return ask(game)
    except Exception as error:  # noqa: BLE001 - no game may cost the others anything
        logs.log_unexpected_error(log, f"the game {game.key} fails at what it is asked in passing", error)
        return instead
