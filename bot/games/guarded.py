"""What of a puzzle may not be told while it is on a table, and how that is known in what people write."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from bot.games.puzzle import Puzzle, Query
from bot.games.rounds.rules import Round

P = TypeVar("P", bound=Puzzle)


class Guarded(Generic[P]):
    """What a game says of texts and questions, as far as they may give a puzzle away."""

    def looks_like_answer(self, text: str) -> bool:
        """A quick look that spares ordinary talk its work."""
        return self.is_answer(text)

    def is_answer(self, text: str) -> bool:
        """Whether a text can be read as an answer to some puzzle of it."""
        return False

    def is_likely(self, text: str) -> bool:
        """A quick look whether anything in a text is written like an answer."""
        return self.may_tell(text)

    def may_tell(self, text: str) -> bool:
        """Whether an answer may stand anywhere in a text, in the midst of words or of a list."""
        return False

    def tells(self, round: Round, text: str, *, partly: bool) -> Sequence[str]:
        """The right answers that a text tells to whoever reads it, or (`partly`) a step that leads to one."""
        return ()

    def identity(self, line: str) -> str:
        """What names a puzzle by its line, the same for all lines that ask for the same."""
        return line

    def covers(self, line: str, asked: Sequence[Query], *, sure: bool = False, deep: bool = True) -> bool:
        """Whether showing what is asked gives that line's puzzle away.

        `deep`: also in disguise. `sure`: also to somebody who doesn't have it in mind.
        """
        return any(query.line == line for query in asked)

    def lists(self, line: str, shown: Sequence[str]) -> bool:
        """Whether a list of answers to another question holds one to the puzzle of that line, as it is."""
        return False
