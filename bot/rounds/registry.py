"""The list of games. A new one is a folder under `bot/games` and an import here."""

import json
import logging
from collections.abc import Callable, Mapping
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

# Every game class imported above, by key
GAMES: dict[str, Game[Any]] = {
    game.key: game()
    for game in list(vars().values())
    if isinstance(game, type) and issubclass(game, Game) and not isabstract(game)
}
# Modules with tasks for the solver's workers; some don't exist
SOLVER_MODULES = [f"{type(game).__module__.rpartition('.')[0]}.dealing" for game in GAMES.values()]
CONTEST_GAMES: dict[str, ContestGame[Any, Any]] = {
    key: game for key, game in GAMES.items() if isinstance(game, ContestGame)
}
DEFAULT_GAME = GAMES[TwentyFour.key]  # Where no game is named
# A game besides the default one that can be raced, for examples
ANOTHER_GAME = next(
    (game for game in GAMES.values() if game is not DEFAULT_GAME and game.key not in CONTEST_GAMES),
    DEFAULT_GAME,
)
# Games with a daily hand, the default one first, by what follows the date in the keys of their hands
DAILY_GAMES = {
    "" if game is DEFAULT_GAME else key: game
    for key, game in sorted(GAMES.items(), key=lambda item: item[1] is not DEFAULT_GAME)
    if game.get_daily_options(LEVELS[0]) is not None
}


def find_game_by_name(word: str) -> Game[Any] | None:
    """Return the game with that key, title, command or alias; None if there is none."""
    if not word.strip():
        return None
    name = normalize_word(word)
    for game in GAMES.values():
        if name in (game.key, game.command, *game.aliases, normalize_word(game.title)):
            return game
    return None


def render_other_game_command(words: Words, word: str, current: Game[Any]) -> Html | None:
    """Name the command of the game that `word` names; None if it names none or the `current` one."""
    game = find_game_by_name(word)
    if game is None or game is current:
        return None
    return words.translate("{game} is dealt by /{name}.", game=game.title, name=game.command)


def get_race_options(game: Game[Any], level: Level | None) -> Options:
    """Return the options of every hand of a race or duel. Raises DealError if it can't be played so."""
    if level and not game.has_levels:
        raise DealError(lambda words: words.translate("{game} has no levels.", game=game.title))
    return game.get_race_options(level)


def pack_puzzle(game: str, puzzle: Puzzle) -> dict[str, Any]:
    """Return the columns that store a puzzle: the arguments of `unpack_puzzle`."""
    text = json.dumps(GAMES[game].pack(puzzle), ensure_ascii=False)
    return {"game": game, "puzzle": text, "level": puzzle.level, "expected": puzzle.expected}


def unpack_puzzle(game: str, puzzle: object, level: str, expected: float) -> Puzzle:
    """Return a stored puzzle. Raises ValueError or TypeError if it can't be read."""
    packed = parse_object(puzzle) if isinstance(puzzle, str) else puzzle  # races once stored objects
    if game not in GAMES or not isinstance(packed, Mapping):
        raise ValueError(f"no puzzle of a known game: {game!r}")
    return GAMES[game].unpack(packed, level, expected)  # type: ignore[no-any-return]


def suggest_command(words: Words, text: str) -> Html | None:
    """Suggest what to write instead of a text that answers no hand; None if no game has a suggestion."""
    for game in GAMES.values():
        suggestion = ask_game_safely(game, lambda game: game.suggest_command(words, text), None)
        if suggestion is not None:
            return suggestion
    return None


def looks_like_answer(text: str) -> bool:
    """Whether a text may be an answer to some game, by a quick test."""
    return _is_true_for_any(lambda game: game.looks_like_answer(text))


def is_answer(text: str) -> bool:
    """Whether a text can be parsed as an answer to some game."""
    return _is_true_for_any(lambda game: game.is_answer(text))


def may_contain_answer(text: str) -> bool:
    """Whether a text may contain an answer to some game among other words."""
    return _is_true_for_any(lambda game: game.may_contain_answer(text))


def _is_true_for_any(ask: Callable[[Game[Any]], bool]) -> bool:
    """Whether `ask` is true for any game; also if a game fails."""
    # So the message is handled, and the error costs that message alone.
    return any(ask_game_safely(game, ask, True) for game in GAMES.values())


def ask_game_safely(game: Game[Any], ask: Callable[[Game[Any]], T], default: T) -> T:
    """Return the result of `ask`; if it raises, log the error and return `default`."""
    try:
        return ask(game)
    except Exception as error:  # noqa: BLE001
        logs.log_unexpected_error(log, f"the game {game.key} fails at what it is asked in passing", error)
        return default
