"""The games, as `bot.features` lists them."""

import json
import logging
import re
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pkgutil import resolve_name
from typing import Any, TypedDict, TypeVar

from bot import logs
from bot.i18n import Html, Words
from bot.levels import LevelChoice, normalize_word
from bot.rounds.capabilities import BareAnswers
from bot.rounds.contest_game import ContestGame
from bot.rounds.game import Game
from bot.rounds.puzzle import DealError, DealtPuzzle, Kind, Options, Origin, Puzzle

log = logging.getLogger(__name__)
T = TypeVar("T")

GAME_NAME = re.compile(r"[a-z0-9]{1,32}")  # Telegram allows such commands


class GamesByKey(dict[str, Game[Any]]):
    default: Game[Any]  # Where no game is named


# `register_games` fills these
GAMES = GamesByKey()
CONTEST_GAMES: dict[str, ContestGame[Any, Any]] = {}
# Games with a daily hand, the default one first, by what follows the date in the keys of their hands
DAILY_GAMES: dict[str, Game[Any]] = {}


def register_games(*class_names: str, default: str) -> None:
    """Fill the lists with the games of these classes, such as `bot.games.twentyfour.game.TwentyFour`.

    `default` is the key of the default game. Raises ValueError for a path that leads to no class, and for a
    key or command that is malformed or belongs to two games.
    """
    for class_name in class_names:
        try:
            game_class = resolve_name(class_name)
        except (AttributeError, ImportError) as error:
            raise ValueError(f"the game {class_name!r} can't be imported: {error}") from error
        _refuse_bad_names(game_class)
        GAMES[game_class.key] = game_class()
    GAMES.default = GAMES[default]
    default_first = sorted(GAMES.values(), key=lambda game: game is not GAMES.default)  # False sorts first
    for game in default_first:
        if isinstance(game, ContestGame):
            CONTEST_GAMES[game.key] = game
        if game.daily:
            DAILY_GAMES["" if game is GAMES.default else game.key] = game


def _refuse_bad_names(new: type[Game[Any]]) -> None:
    """Raise ValueError for a key or command that is malformed or that another game has."""
    taken = {name for game in GAMES.values() for name in (game.key, game.command, *game.aliases)}
    for name in (new.key, new.command, *new.aliases):
        if not GAME_NAME.fullmatch(name) or name in taken:
            raise ValueError(f"the name {name!r} of {new.__name__} is malformed or belongs to another game")


def list_solver_modules() -> list[str]:
    """Return the modules of the games with tasks for the solver's workers; some don't exist."""
    return [f"{type(game).__module__.rpartition('.')[0]}.dealing" for game in GAMES.values()]


def find_another_game() -> Game[Any]:
    """Return a game besides the default one that can be raced, for examples; the default one if none."""
    others = (game for key, game in GAMES.items() if game is not GAMES.default and key not in CONTEST_GAMES)
    return next(others, GAMES.default)


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


def get_race_options(game: Game[Any], level: LevelChoice | None) -> Options:
    """Return the options of every hand of a race or duel. Raises DealError if it can't be played so."""
    if level and not game.options.takes_levels:
        raise DealError(lambda words: words.translate("{game} has no levels.", game=game.title))
    if game.default_kind is Kind.CONTEST:
        raise DealError(
            lambda words: words.translate(
                "{game} has no races: /{name} deals it.", game=game.title, name=game.command
            )
        )
    return Options(level, game.default_kind)


class PackedPuzzle(TypedDict):
    """The columns that store a puzzle."""

    game: str
    puzzle: str
    level: str
    expected: float


def pack_puzzle(game: str, puzzle: Puzzle) -> PackedPuzzle:
    """Return the columns that store a puzzle: the arguments of `unpack_puzzle`."""
    packed = GAMES[game].pack(puzzle)
    return {"game": game, "puzzle": packed, "level": puzzle.level, "expected": puzzle.expected}


def unpack_puzzle(game: str, puzzle: object, level: str, expected: float) -> Puzzle:
    """Return a stored puzzle. Raises ValueError or TypeError if it can't be read."""
    packed = puzzle if isinstance(puzzle, str) else json.dumps(puzzle)  # races once stored objects
    if game not in GAMES:
        raise ValueError(f"no puzzle of a known game: {game!r}")
    return GAMES[game].unpack(packed, level, expected)  # type: ignore[no-any-return]


def pack_dealt_puzzle(game: str, dealt: DealtPuzzle) -> dict[str, object]:
    """Return a hand to come as JSON, which `unpack_dealt_puzzle` reads."""
    origin = asdict(dealt.origin) if dealt.origin else None
    return {**pack_puzzle(game, dealt.puzzle), "origin": origin}


def unpack_dealt_puzzle(packed: dict[str, Any]) -> tuple[str, DealtPuzzle]:
    """Return the game and the hand. Raises ValueError or TypeError if it can't be read."""
    columns = {**packed}
    origin = columns.pop("origin", None)
    return packed["game"], DealtPuzzle(unpack_puzzle(**columns), Origin(**origin) if origin else None)


def suggest_command(words: Words, text: str) -> Html | None:
    """Suggest what to write instead of a text that answers no hand; None if no game has a suggestion."""
    for game in GAMES.values():
        if game.typed_puzzles:
            suggest = partial(game.typed_puzzles.suggest_command, words, text)
            suggestion = ask_safely(game, suggest, default=None)
            if suggestion is not None:
                return suggestion
    return None


def looks_like_answer(text: str) -> bool:
    """Whether a text may be an answer to some game, by a quick test."""
    return _is_true_for_any(lambda answers: answers.looks_like_answer(text))


def is_answer(text: str) -> bool:
    """Whether a text can be parsed as an answer to some game."""
    return _is_true_for_any(lambda answers: answers.is_answer(text))


def may_contain_answer(text: str) -> bool:
    """Whether a text may contain an answer to some game among other words."""
    return _is_true_for_any(lambda answers: answers.may_contain_answer(text))


def _is_true_for_any(ask: Callable[[BareAnswers], bool]) -> bool:
    """Whether `ask` is true for the bare answers of any game; also if a game fails."""
    # So the message is handled, and the error costs that message alone.
    return any(
        ask_safely(game, partial(ask, game.bare_answers), default=True)
        for game in GAMES.values()
        if game.bare_answers
    )


def ask_safely(game: Game[Any], ask: Callable[[], T], default: T) -> T:
    """Return what `ask` returns of the game; if it raises, log the error and return `default`."""
    try:
        return ask()
    except Exception as error:  # noqa: BLE001
        logs.log_unexpected_error(log, f"the game {game.key} fails at what it is asked in passing", error)
        return default
