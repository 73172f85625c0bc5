"""The interface of a game.

Rounds, races, daily hands and the board know a game only through this class and the capabilities it may have.
A game is one object without state; a deal of it is a `Puzzle`. Everything is pure but what is awaited, which
asks the solver's workers.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Generic, TypeVar, cast

from bot.i18n import Html, Words, escape_value
from bot.players.choices import StoredChoices
from bot.rounds.capabilities import (
    BareAnswers,
    Daily,
    DealOptions,
    Entries,
    Finds,
    GamePictures,
    Hints,
    Practice,
    Questions,
    TileBoard,
    TypedPuzzles,
)
from bot.rounds.puzzle import Audience, Find, Kind, Options, Puzzle, Verdict
from bot.rounds.rules import Round
from bot.workers.pool import SolverPool

P = TypeVar("P", bound=Puzzle)
T = TypeVar("T")


class Game(ABC, Generic[P]):
    """A game. One that only has what is abstract here works and reveals nothing."""

    key: ClassVar[str]  # Its unique name in the database, for good: small letters and digits
    command: ClassVar[str]  # Deals it
    aliases: ClassVar[tuple[str, ...]] = ()  # Other commands that deal it, in no menu
    title: ClassVar[str] = ""  # Its name in every language; the key if empty
    full_title: ClassVar[str] = ""  # In headings, where the title may look like a score; the title if empty
    example_answer: ClassVar[str] = "…"

    # Capabilities

    options: ClassVar[DealOptions[Any]] = DealOptions()
    bare_answers: ClassVar[BareAnswers | None] = None
    typed_puzzles: ClassVar[TypedPuzzles | None] = None
    hints: ClassVar[Hints[Any]] = Hints()
    finds: ClassVar[Finds | None] = None
    entries: ClassVar[Entries[Any] | None] = None
    daily: ClassVar[Daily | None] = None
    practice: ClassVar[Practice[Any] | None] = None
    questions: ClassVar[Questions | None] = None
    pictures: ClassVar[GamePictures[Any]] = GamePictures()
    tile_board: ClassVar[TileBoard[Any]] = TileBoard()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.title = cls.title or getattr(cls, "key", "")
        cls.full_title = cls.full_title or cls.title

    @property
    def default_kind(self) -> Kind:
        """The kind of its rounds unless the options choose another."""
        return Kind.BEST if self.entries else Kind.FIRST

    @abstractmethod
    def render_menu_line(self, words: Words) -> str:
        """Return the description of the command in Telegram's menu."""

    @abstractmethod
    async def deal(self, pool: SolverPool, settings: StoredChoices, options: Options, seed: int) -> P:
        """Return a puzzle that meets the options; `settings` are the chat's.

        The same seed returns the same puzzle. Raises DealError if there is none, SolvingError if it takes too
        long.
        """

    @abstractmethod
    def pack(self, puzzle: P) -> str:
        """Return the puzzle as a JSON object, with the version of that format as `v`."""

    @abstractmethod
    def unpack(self, packed: str, level: str, expected: float) -> P:
        """Return a puzzle that this or an earlier version packed. Raises ValueError."""

    @abstractmethod
    def check(self, puzzle: P, text: str) -> Verdict:
        """Judge a text as an answer to the puzzle."""

    @abstractmethod
    def task(self, words: Words, round: Round, finds: Sequence[Find], audience: Audience) -> Html:
        """Render the task in a sentence or two, and for players how to answer."""

    @abstractmethod
    def solutions(self, puzzle: P) -> Sequence[str]:
        """Return the right or best answers, the one to be shown first at the head; empty if none is known."""

    # Texts

    def explain_task(self, words: Words, round: Round, audience: Audience) -> Html | None:
        """Render the task for newcomers, with an example of an answer; None if `task` says enough."""
        return None

    def explain_more(self, words: Words) -> Html | None:
        """Render what helps who has read `explain_task` already; None if there is nothing."""
        return None

    def render_about(self, words: Words) -> Html:
        """Describe the game at the top of the help; by default by its line in the menu."""
        return Html(escape_value(self.render_menu_line(words)))

    def render_greeting(self, words: Words) -> Html:
        """Greet a new group, where this is the default game; by default as `render_about`."""
        return self.render_about(words)

    def render_deal(self, puzzle: P) -> list[Html]:
        """Return the lines that show the deal, its own line among them."""
        return [Html(escape_value(puzzle.line))]

    def list_dealt_numbers(self, puzzle: P) -> tuple[int, ...]:
        """Return the numbers that `twentyfour verify` compares; by default all of the puzzle's line."""
        return tuple(map(int, re.findall(r"[0-9]+", puzzle.line)))

    def format_answer(self, puzzle: P, answer: str) -> str:
        """Return a right answer as players read it; unchanged by default."""
        return answer

    def render_solutions(self, words: Words, round: Round, finds: Sequence[Find], limit: int) -> list[Html]:
        """Return a line for each of up to `limit` answers that nobody found."""
        puzzle = cast("P", round.puzzle)
        found = {round.answer, *(find.answer for find in finds)}
        unfound = [answer for answer in self.solutions(puzzle) if answer not in found]
        texts = [escape_value(self.format_answer(puzzle, answer)) for answer in unfound[:limit]]
        return [Html(f"💭 <b>{text}</b>") for text in texts]


def require(capability: T | None) -> T:
    """Return a capability that a game needs for a round of this kind. Raises LookupError if it lacks it."""
    if capability is None:
        raise LookupError("the game lacks a capability that its round needs")
    return capability


def pack_options(options: Options) -> str:
    """Return the options that are not None as a JSON object, without the kind."""
    chosen = {key: value for key, value in asdict(options).items() if value is not None}
    del chosen["kind"]
    return json.dumps(chosen)


def format_solution(game: Game[P], puzzle: P) -> str:
    """Return the first solution as players read it; empty if none is known."""
    return next((game.format_answer(puzzle, answer) for answer in game.solutions(puzzle)), "")


def check_daily(game: Game[P], puzzle: P, text: str) -> Verdict:
    """Judge an answer to a hand of the day."""
    check = require(game.daily).check or game.check
    return check(puzzle, text)


def list_steps(game: Game[Any], answer: str) -> Sequence[str]:
    """Return the steps of a right answer, a line each; empty if the game shows none."""
    return game.questions.list_steps(answer) if game.questions else ()
