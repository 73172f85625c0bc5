"""The list of games. A new one is a folder beside this file, and an import here."""

import json
from collections.abc import Mapping
from inspect import isabstract
from typing import Any

from bot.database import read_object
from bot.games.contest.game import ContestGame
from bot.games.countdown.game import Countdown as Countdown
from bot.games.game import Game
from bot.games.puzzle import LEVELS, Puzzle, folded
from bot.games.twentyfour.game import TwentyFour
from bot.games.yahtzee.game import Yahtzee as Yahtzee
from bot.i18n import Html, Words

GAMES: dict[str, Game[Any]] = {
    game.key: game()
    for game in list(vars().values())
    if isinstance(game, type) and issubclass(game, Game) and not isabstract(game)
}
"""Every game that is imported above, by its key."""
CONTESTS: dict[str, ContestGame[Any, Any]] = {
    key: game for key, game in GAMES.items() if isinstance(game, ContestGame)
}
"""Those of them that are played as contests."""
USUAL = GAMES[TwentyFour.key]
"""The game of what is asked without naming one: a race, the daily hand."""
DAILY = {
    "" if game is USUAL else key: game
    for key, game in sorted(GAMES.items(), key=lambda one: one[1] is not USUAL)
    if game.of_the_day(LEVELS[0]) is not None
}
"""The games that have a hand of the day, the usual one first, by what names their hands behind the date."""


LAID = tuple(game.laid for game in GAMES.values() if game.laid)
"""What a chat may draw of their messages."""


def called(word: str) -> Game[Any] | None:
    """The game of which a word is the title, the command or another name of that; None for any other word."""
    named = (g for g in GAMES.values() if folded(word) in (g.key, g.command, *g.aliases, folded(g.title)))
    return next(named, None) if word.strip() else None


def dealt_by(words: Words, word: str, but: Game[Any]) -> Html | None:
    """How the game is dealt that a word behind another one's command names; None for any other word."""
    game = called(word)
    if game is None or game is but:
        return None
    return words.say("{game} is dealt by /{name}.", game=game.title or game.key, name=game.command)


def packed(game: str, puzzle: Puzzle) -> dict[str, Any]:
    """What is stored of a puzzle: the columns of a row, and so what `unpack` takes."""
    text = json.dumps(GAMES[game].pack(puzzle), ensure_ascii=False)
    return {"game": game, "puzzle": text, "level": puzzle.level, "expected": puzzle.expected}


def unpack(game: str, puzzle: object, level: str, expected: float) -> Puzzle:
    """A stored puzzle. Raises ValueError or TypeError for one that nobody could play here."""
    read = read_object(puzzle) if isinstance(puzzle, str) else puzzle  # as races once stored theirs
    if game not in GAMES or not isinstance(read, Mapping):
        raise ValueError(f"no puzzle of a known game: {game!r}")
    return GAMES[game].unpack(read, level, expected)  # type: ignore[no-any-return]


def instead(words: Words, text: str) -> Html | None:
    """What to write instead of a text that no hand is for, where one of the games knows."""
    return next(
        (instead for game in GAMES.values() if (instead := game.instead(words, text)) is not None), None
    )


def looks_like_answer(text: str) -> bool:
    """Whether it may be an answer to some game, at a quick look."""
    return any(game.looks_like_answer(text) for game in GAMES.values())


def is_answer(text: str) -> bool:
    """Whether it can be read as an answer to some game."""
    return any(game.is_answer(text) for game in GAMES.values())


def may_tell(text: str) -> bool:
    """Whether an answer to some game may stand in it, in the midst of words or of a list."""
    return any(game.may_tell(text) for game in GAMES.values())
