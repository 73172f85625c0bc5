"""The base class of games that are played as contests: each player alone, turn by turn, on a card.

All methods but `deal` and `solve_known_deal`, which use the workers, are pure. Only the game reads a card's
value.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, cast

from bot.database import parse_object
from bot.i18n import Html, Words
from bot.pictures.values import Picture
from bot.rounds.game import Game
from bot.rounds.puzzle import Kind, Match, PlayerResult, Puzzle, Result, Verdict, VerdictKind
from bot.rounds.rules import Round
from bot.workers.pool import SolverPool

P = TypeVar("P", bound=Puzzle)
C = TypeVar("C")  # The value of a card

CONTEST_LIFETIME = 7 * 86_400.0  # Seconds after the deal
LAST_PLACE = 1  # Shared behind all full cards, whose places are at most 0


@dataclass(frozen=True, slots=True)
class LayoutLine:
    """One category of a card on a page."""

    name: str
    score: int | None  # None for an open category
    preview: int | None = None  # The score of the present turn in an open category
    choice: int | None = None  # The number of that choice


@dataclass(frozen=True, slots=True)
class CardLayout:
    """A card with its present turn, as a page shows it."""

    dice: tuple[int, ...]  # Of the present turn; empty once the card is full
    lines: tuple[LayoutLine, ...]
    total: int
    bonus: int = 0
    bonus_missing: int = 0  # Points that lack for the bonus


class ContestGame(Game[P], Generic[P, C]):
    turn_count: ClassVar[int]  # Turns of a card

    @property
    def default_kind(self) -> Kind:
        return Kind.CONTEST

    # Cards

    @abstractmethod
    def create_card(self) -> C:
        """Return an empty card."""

    @abstractmethod
    def pack_card(self, card: C) -> object:
        """Return the card as a JSON value, with its version `v`."""

    @abstractmethod
    def unpack_card(self, packed: object) -> C:
        """Return the card. Raises ValueError if it can't be played on."""

    @abstractmethod
    def count_turns_played(self, card: C) -> int: ...

    @abstractmethod
    def play_turn(self, card: C, turn: int, choice: int) -> C | None:
        """Return the card after a turn (from 0); None if it is another turn, or there is no such choice."""

    @abstractmethod
    def compute_total(self, puzzle: P, card: C) -> int: ...

    @abstractmethod
    def compute_points(self, total: int) -> int:
        """Return the points that a full card earns on the boards."""

    # Deals that a player knows and gives to be solved

    @abstractmethod
    def parse_known_deal(self, text: str, above: str) -> Any:
        """Return the deal in the text after the command, or else in the message `above` that it replies to.

        None if there is none. Raises DealError if it can't be read.
        """

    @abstractmethod
    async def solve_known_deal(self, pool: SolverPool, words: Words, given: Any) -> Html:
        """Render the best card for a given deal. Raises SolvingError if it can't be found in time."""

    @abstractmethod
    def is_revealed_by(self, puzzle: P, given: Any) -> bool:
        """Whether the best card for a given deal tells how this puzzle is best played."""

    # Texts and pictures

    @abstractmethod
    def render_turn(self, words: Words, puzzle: P, card: C) -> list[Html]:
        """Render the number of the present turn and its deal."""

    @abstractmethod
    def list_choices(self, words: Words, puzzle: P, card: C) -> Sequence[tuple[str, int]]:
        """Return the choices of the present turn: the label of a button and a number below 100."""

    @abstractmethod
    def render_played_turn(self, words: Words, puzzle: P, card: C) -> str:
        """Render the result of the last turn in a few words."""

    @abstractmethod
    def render_card(self, words: Words, puzzle: P, card: C, *, over: bool) -> list[Html]:
        """Render the card; `over`: no more turns are played."""

    @abstractmethod
    def render_hindsight(self, words: Words, puzzle: P, card: C) -> Html:
        """Compare a full card with the best possible, and name the change that would have helped most."""

    @abstractmethod
    def render_revealed_deal(self, words: Words, puzzle: P) -> list[Html]:
        """Render the best card and the whole deal, for the end of the contest."""

    @abstractmethod
    def build_layout(self, words: Words, puzzle: P, card: C) -> CardLayout:
        """Return the card with its present turn for a page."""

    @abstractmethod
    def build_card_picture(self, words: Words, puzzle: P, card: C, title: str, *, over: bool) -> Picture:
        """Return the picture of a card with its player's name."""

    # Ratings

    def make_rating_match(self, round: Round, played: Sequence[PlayerResult]) -> Match:
        """Rank the players by their totals, without the puzzle as an opponent.

        Players who gave up after a turn, or let the week expire, share the last place: otherwise nobody would
        finish a card that loses. Players who were still playing when others ended the contest take no part.
        """
        places = {player.player_id: self._get_place(round, player.entry) for player in played}
        return Match([Result(player_id, place) for player_id, place in places.items() if place is not None])

    def _get_place(self, round: Round, entry: str | None) -> int | None:
        """Return the place of a stored card, the lowest being the best; None if it is not rated.

        That is minus a full card's total, or `LAST_PLACE` if the card was given up or expired after a turn.
        """
        if entry is None:
            return None
        stored = parse_object(entry)
        card = self.unpack_card(stored["card"])
        given_up = bool(stored.get("given_up"))
        turns = self.count_turns_played(card)
        if turns == self.turn_count and not given_up:
            return -self.compute_total(cast(P, round.puzzle), card)
        has_expired = (round.closed or 0.0) >= round.opened + CONTEST_LIFETIME
        has_lost = turns > 0 and (given_up or has_expired)
        return LAST_PLACE if has_lost else None

    # Parts of other games that contests lack

    def check(self, puzzle: P, text: str) -> Verdict:
        """Return TALK: texts are no answers."""
        return Verdict(VerdictKind.TALK)

    def solutions(self, puzzle: P) -> tuple[str, ...]:
        """Return none: `render_revealed_deal` shows the best card."""
        return ()
