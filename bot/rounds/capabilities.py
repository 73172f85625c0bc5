"""The capabilities that a game may have: each is an object in a class attribute of the game."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import solver
from bot.i18n import Html, Words
from bot.pictures.values import Node, Picture
from bot.players.choices import Setting, StoredChoices
from bot.rounds.puzzle import (
    Entry,
    Explanation,
    Find,
    Kind,
    Match,
    Options,
    PlayerResult,
    PracticeWish,
    Puzzle,
    Skill,
    Tiles,
    UnknownWordError,
    Verdict,
    split_argument,
)
from bot.rounds.rules import Award, Round
from bot.telegram.messages import Keyboard
from bot.workers.pool import SolverPool

P = TypeVar("P", bound=Puzzle)


class DealOptions(Generic[P]):
    """The options of a deal and the settings of a chat; by default there are none."""

    takes_levels: ClassVar[bool] = False  # Whether players may ask for a level

    def parse(self, words: Words, text: str, kind: Kind) -> Options:
        """Parse the text behind the command; `kind` is the game's usual one.

        Raises UnknownWordError, here for any word.
        """
        for word in split_argument(text):
            raise UnknownWordError(word)
        return Options(kind=kind)

    def unpack(self, packed: str, kind: Kind) -> Options:
        """Return options from `pack_options` again, without those that can't be read."""
        return Options(kind=kind)

    def find_similar(self, puzzle: P, kind: Kind) -> Options:
        """Return the options that deal another puzzle of the same sort; here without a level."""
        return Options(kind=kind)

    def get_quick_words(self) -> Collection[str]:
        """Return the normalized words of all languages that need no long search; empty by default."""
        return ()

    def render_usage(self, words: Words, command: str, fragment: str) -> Html:
        """Explain the command to somebody who wrote `fragment` behind it."""
        return words.translate(
            "“{fragment}”? Send /{name} with nothing after it.", fragment=fragment, name=command
        )

    def list_settings(self, words: Words, stored: StoredChoices) -> Sequence[Setting]:
        """Return what admins may choose, by default nothing; `stored` are their present choices."""
        return ()


class BareAnswers(ABC):
    """Answers that are no replies and follow no command, where the bot may read all messages."""

    @abstractmethod
    def is_answer(self, text: str) -> bool:
        """Whether a text can be parsed as an answer to some puzzle of the game."""

    def looks_like_answer(self, text: str) -> bool:
        """Whether a text may be an answer, by a quick test; by default `is_answer`."""
        return self.is_answer(text)

    def may_contain_answer(self, text: str) -> bool:
        """Whether a text may contain an answer, else it is not stored; by default `is_answer`."""
        return self.is_answer(text)


class TypedPuzzles(ABC):
    @abstractmethod
    async def build(self, pool: SolverPool, text: str) -> Puzzle:
        """Return the puzzle in a text. Raises RefusalError if it is none or has no solution, SolvingError."""

    @abstractmethod
    def render_offer(self, words: Words, text: str, *, private: bool) -> tuple[Html, Keyboard | None] | None:
        """Offer what can be done with a puzzle behind the command; None for other texts."""

    @abstractmethod
    def suggest_command(self, words: Words, text: str) -> Html | None:
        """Suggest what to write instead of a text that answers no hand; None for nothing."""


class Hints(Generic[P]):
    """Hints; by default there are none."""

    def find_hinted(self, puzzle: P, finds: Sequence[Find]) -> P:
        """Return the puzzle with hints for what is still to be found; by default unchanged."""
        return puzzle

    def count(self, puzzle: P) -> int:
        return 0

    def render(self, words: Words, puzzle: P, number: int) -> Html:
        """Render the hint with that number, counted from 0 and below `count`."""
        raise IndexError(number)

    def render_first(self, words: Words, puzzle: P, count: int) -> list[Html]:
        return [self.render(words, puzzle, number) for number in range(count)]


class Finds(ABC):
    """Rounds of the kind *all*, where each idea that is found scores."""

    @abstractmethod
    def identify(self, puzzle: Any, answer: str, finds: Sequence[Find]) -> str:
        """Return a key that all right answers with the same idea share."""

    @abstractmethod
    def is_complete(self, round: Round, finds: Sequence[Find]) -> bool:
        """Whether the finds are all there are, so that the round ends."""

    @abstractmethod
    def render_progress(self, words: Words, round: Round, finds: Sequence[Find]) -> Html:
        """Say at the end how much was found."""


class Entries(ABC, Generic[P]):
    """Rounds of the kind *best*, where each player's last entry counts; a game with entries has only such."""

    @abstractmethod
    def award(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        """Return the awards at the round's end, best first, less the cost of hints."""

    def is_valid(self, answer: str) -> bool:
        """Whether a stored entry can be read; True by default."""
        return True

    def is_best(self, puzzle: P, answer: str) -> bool:
        """Whether nothing is better than this entry, True by default; in practice it ends the hand."""
        return True

    def get_distance(self, puzzle: P, answer: str) -> int:
        """Return how far the entry is from the target; 0, the default, for an exact one."""
        return 0

    def get_time_limit(self, settings: StoredChoices) -> float | None:
        """Return the seconds of a round by the chat's settings; None, the default, for the usual limit."""
        return None

    def get_early_deadline(self, round: Round, entries: Sequence[Entry], received: float) -> float | None:
        """Return an earlier deadline that the entries bring about; None, the default, for no change.

        No player has seen the new deadline before `received`, when the last entry was handled.
        """
        return None

    def make_rating_match(self, round: Round, played: Sequence[PlayerResult]) -> Match | None:
        """Return the places of the players, for their ratings; None, the default, to rank them by points."""
        return None


@dataclass(frozen=True, slots=True)
class Daily:
    """Hands of the day, which have no time limit and end with a right answer."""

    check: Callable[[Any, str], Verdict] | None = None  # Judges an answer; None: as in other rounds
    render_task: Callable[[Words], Html] | None = None  # None: the hand's line and the title suffice


class Practice(ABC, Generic[P]):
    """Hands for skills that a player lacks."""

    skills: ClassVar[Mapping[str, Skill]]  # By their keys

    @abstractmethod
    def get_skill_name(self, words: Words, skill: str) -> str:
        """Return the name of a skill for players."""

    @abstractmethod
    def render_advice(self, words: Words, skill: str) -> Html:
        """Advise somebody who finds the skill hard."""

    @abstractmethod
    def find_skills(self, puzzle: P) -> Collection[str]:
        """Return the skills that the puzzle needs."""

    @abstractmethod
    async def deal(self, pool: SolverPool, wish: PracticeWish, seed: int) -> P:
        """Return the puzzle nearest to the wish of those that are drawn.

        Raises ValueError if none is found, SolvingError if it takes too long.
        """


class Questions(ABC):
    """Questions to `/why`: a puzzle's line, an expression, or the right answer to a round."""

    @abstractmethod
    def list_steps(self, answer: str) -> Sequence[str]:
        """Return the steps of a right answer, a line each."""

    @abstractmethod
    def claims_expression(self, expression: solver.Expression) -> bool:
        """Whether an expression alone looks like an answer to this game, not another."""

    @abstractmethod
    def can_explain(self, line: str) -> bool:
        """Whether `explain` has an answer to the question in that line."""

    @abstractmethod
    def render_error(self, words: Words, line: str) -> Html | None:
        """Explain what is wrong with a line that is nearly a question; None for other lines."""

    @abstractmethod
    async def explain(self, pool: SolverPool, line: str) -> Explanation:
        """Return the best answer to a question. Raises SolvingError if it takes too long."""


class GamePictures(Generic[P]):
    """Pictures; by default there are none."""

    def make_deal_picture(self, puzzle: P) -> Picture | None:
        """Return the picture of a deal, the same for the same puzzle."""
        return None

    def make_solution_tree(self, puzzle: P, answer: str) -> Node | None:
        """Return a right answer as a tree of operations; None if it can't be drawn."""
        return None


class TileBoard(Generic[P]):
    """Tiles to tap on the page; by default answers are typed there."""

    def make_tiles(self, puzzle: P) -> Tiles | None:
        return None
