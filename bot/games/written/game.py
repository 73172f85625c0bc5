"""What games share whose answers are expressions that people write."""

from typing import TypeVar

from bot.games.game import Game
from bot.games.puzzle import Puzzle
from bot.games.written import looks, reading

P = TypeVar("P", bound=Puzzle)


class Written(Game[P]):
    """A game that is answered by an expression, wherever in a message that stands."""

    def looks_like_answer(self, text: str) -> bool:
        return looks.looks_like_answer(text)

    def is_answer(self, text: str) -> bool:
        """Whether it is an expression with a sign in it, and no word beside it."""
        return reading.is_answer(text)

    def is_likely(self, text: str) -> bool:
        return looks.is_likely(text)

    def may_tell(self, text: str) -> bool:
        return looks.may_tell(text)
