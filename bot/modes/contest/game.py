"""What a game must provide that is played as a contest: turn by turn, by each for themselves, on a card.

All of it is pure but `deal` and `best_of`, which ask the workers. A card is a value that only its game reads.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Generic, NoReturn, TypeVar, cast

from bot.database import UNREADABLE_ERRORS, parse_object
from bot.i18n import Html, Words
from bot.modes.contest.rules import CardLayout, has_expired
from bot.pictures.values import Picture
from bot.rounds.game import Game
from bot.rounds.puzzle import DealError, Kind, Level, Options, PlayerResult, Puzzle, Verdict, VerdictKind
from bot.rounds.rules import Round
from bot.standings.ratings.rules import Match, Result
from bot.workers.pool import SolverPool

# The place of a card that was begun and not finished: a full one has that of its total, below zero or 0.
LAST = 1

P = TypeVar("P", bound=Puzzle)
C = TypeVar("C")


class KnownDealError(ValueError):
    """What somebody gave can't be read; `why` says so to them."""

    def __init__(self, why: Callable[[Words], Html]) -> None:
        super().__init__("can't be read")
        self.why = why


class ContestGame(Game[P], Generic[P, C]):
    """One such game."""

    default_kind = Kind.CONTEST
    turn_count: ClassVar[int]  # Of a card

    # A card

    @abstractmethod
    def create_card(self) -> C:
        """The card with which everybody begins."""

    @abstractmethod
    def pack_card(self, card: C) -> dict[str, Any]:
        """The card as JSON, with the version `v` of that."""

    @abstractmethod
    def unpack_card(self, packed: Mapping[str, Any]) -> C:
        """The card again. Raises ValueError for one that nobody could play on."""

    @abstractmethod
    def count_turns_played(self, card: C) -> int:
        """How many turns of it are played."""

    @abstractmethod
    def play_turn(self, card: C, turn: int, choice: int) -> C | None:
        """The card with that turn (from 0) played so; None where it is another turn, or no such choice."""

    @abstractmethod
    def compute_total(self, puzzle: P, card: C) -> int:
        """What the card comes to so far."""

    @abstractmethod
    def compute_best_total(self, puzzle: P) -> int:
        """The best total possible."""

    @abstractmethod
    def compute_points(self, total: int) -> int:
        """What a finished card is worth on the boards."""

    # What people know and want to be solved

    @abstractmethod
    def parse_known_deal(self, text: str, above: str) -> Any:
        """What is to be solved, by the words behind the command or else by the message `above`, to which it
        replies; None where nothing is. Raises GivenError for what can't be read.
        """

    @abstractmethod
    async def solve_known_deal(self, pool: SolverPool, words: Words, given: Any) -> Html:
        """The best that could be made of what was given. Raises SolvingError when it can't be had in time."""

    @abstractmethod
    def is_revealed_by(self, puzzle: P, given: Any) -> bool:
        """Whether solving what was given would tell how this puzzle is best played."""

    # What is said

    @abstractmethod
    def render_turn(self, words: Words, puzzle: P, card: C) -> list[Html]:
        """The turn that is to be played now: which one it is, and what was dealt for it."""

    @abstractmethod
    def list_choices(self, words: Words, puzzle: P, card: C) -> Sequence[tuple[str, int]]:
        """What can be chosen now: how its button is labelled, and its number (below 100)."""

    @abstractmethod
    def render_played_turn(self, words: Words, puzzle: P, card: C) -> str:
        """What the turn played last came to, in a word or two."""

    @abstractmethod
    def render_card(self, words: Words, puzzle: P, card: C, *, over: bool) -> list[Html]:
        """The card as it stands; `over`: nothing more will be played on it."""

    @abstractmethod
    def render_hindsight(self, words: Words, puzzle: P, card: C) -> Html:
        """A full card beside the best possible, with the one thing that would have helped most."""

    @abstractmethod
    def render_revealed_deal(self, words: Words, puzzle: P) -> list[Html]:
        """At the end: the best card, and all that was dealt."""

    # What is seen

    def build_layout(self, words: Words, puzzle: P, card: C) -> CardLayout | None:
        """The card with its present turn to be tapped; None where it isn't played so."""
        return None

    def build_card_picture(
        self, words: Words, puzzle: P, card: C, title: str, *, over: bool
    ) -> Picture | None:
        """The picture of what a player has before them, or of the card as it ended; `title`: whose it is."""
        return None

    # How it is rated

    def make_rating_match(self, round: Round, played: Sequence[PlayerResult]) -> Match:
        """Those who finished against each other, by their totals; chance alone dealt what they had.

        Below them all, in one place, are those who played a turn and gave up, or let the week run out: else
        nobody would finish a card that loses. Who was still playing when others ended it took no part.
        """
        places = {one.player_id: self._place(round, one.entry) for one in played}
        return Match([Result(who, place) for who, place in places.items() if place is not None])

    def _place(self, round: Round, entry: str | None) -> int | None:
        """Where a card stands, the lower the better; None for one that takes no part or can't be read."""
        with suppress(*UNREADABLE_ERRORS):
            kept = parse_object(entry)
            card, lost = self.unpack_card(kept["card"]), bool(kept.get("given_up"))
            done = self.count_turns_played(card)
            if done == self.turn_count and not lost:
                return -self.compute_total(cast(P, round.puzzle), card)
            return LAST if done and (lost or has_expired(round.opened, round.closed)) else None
        return None

    # What such a game is not

    def check(self, puzzle: P, text: str) -> Verdict:
        """Nothing that people write is an answer."""
        return Verdict(VerdictKind.TALK)

    def get_race_options(self, level: Level | None) -> NoReturn:
        """There are none: a card takes as long as it takes. Raises DealError."""
        title = self.title

        def why(words: Words) -> Html:
            return words.translate("{game} has no races: /{name} deals it.", game=title, name=self.command)

        raise DealError(why)

    def unpack_options(self, packed: Mapping[str, Any], kind: Kind) -> Options:
        """There is nothing to be asked for."""
        return Options(kind=Kind.CONTEST)
