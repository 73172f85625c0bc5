"""Yahtzee as a game among others: a contest of thirteen private turns."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.games.yahtzee import dealing, pictures, roll_parser, rules, view
from bot.games.yahtzee.rules import Card, Deal, Roll
from bot.i18n import Html, Words
from bot.modes.contest.game import ContestGame, KnownDealError
from bot.modes.contest.rules import CardLayout
from bot.pictures.values import Picture
from bot.rounds.puzzle import Find, Options
from bot.rounds.rules import Round
from bot.workers.pool import SolverPool


class Yahtzee(ContestGame[Deal, Card]):
    """Thirteen rolls, none of them thrown again."""

    key = command = "yahtzee"
    title = "Yahtzee"
    has_levels = False
    turn_count = rules.TURN_COUNT

    def render_menu_line(self, words: Words) -> str:
        return view.render_menu_line(words)

    def render_about(self, words: Words) -> Html:
        return view.render_rules(words)

    async def deal(self, pool: SolverPool, chosen: Mapping[str, Any], options: Options, seed: int) -> Deal:
        return await pool.run_task(dealing.deal_rolls, seed)

    def pack(self, puzzle: Deal) -> dict[str, Any]:
        return rules.pack_deal(puzzle)

    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> Deal:
        return rules.unpack_deal(packed)

    def get_proof(self, puzzle: Deal) -> str:
        return puzzle.proof

    # A card

    def create_card(self) -> Card:
        return Card()

    def pack_card(self, card: Card) -> dict[str, Any]:
        return rules.pack_card(card)

    def unpack_card(self, packed: Mapping[str, Any]) -> Card:
        return rules.unpack_card(packed)

    def count_turns_played(self, card: Card) -> int:
        return card.turn

    def play_turn(self, card: Card, turn: int, choice: int) -> Card | None:
        return rules.place_roll(card, turn, choice)

    def compute_total(self, puzzle: Deal, card: Card) -> int:
        return rules.score_card(puzzle.rolls, card).points

    def compute_best_total(self, puzzle: Deal) -> int:
        return self.compute_total(puzzle, puzzle.best)

    def compute_points(self, total: int) -> int:
        return rules.compute_points(total)

    # Rolls of somebody's own

    def parse_known_deal(self, text: str, above: str) -> tuple[Roll, ...] | None:
        """The thirteen rolls behind the command, or in the message above it."""
        try:
            return roll_parser.parse_rolls(text) if text.strip() else roll_parser.find_rolls(above)
        except roll_parser.NotRollsError as error:
            why = error
        if text.strip() and not roll_parser.looks_like_rolls(text):
            raise KnownDealError(lambda words: self.render_usage(words, text.strip()))
        raise KnownDealError(lambda words: view.render_rolls_error(words, why))

    async def solve_known_deal(self, pool: SolverPool, words: Words, rolls: tuple[Roll, ...]) -> Html:
        return view.render_solved_rolls(words, rolls, await pool.run_task(dealing.solve_rolls, rolls))

    def is_revealed_by(self, puzzle: Deal, rolls: tuple[Roll, ...]) -> bool:
        return rules.are_alike(puzzle.rolls, rolls)

    # What is said

    def task(self, words: Words, round: Round, found: Sequence[Find], *, private: bool) -> Html:
        return words.translate("One point on the boards for every ten of your total.")

    def render_turn(self, words: Words, puzzle: Deal, card: Card) -> list[Html]:
        return view.render_turn(words, puzzle, card)

    def list_choices(self, words: Words, puzzle: Deal, card: Card) -> list[tuple[str, int]]:
        return view.list_choices(words, puzzle, card)

    def render_played_turn(self, words: Words, puzzle: Deal, card: Card) -> str:
        return view.render_played_turn(words, puzzle, card)

    def render_card(self, words: Words, puzzle: Deal, card: Card, *, over: bool) -> list[Html]:
        return view.render_card(words, puzzle, card, over=over)

    def render_hindsight(self, words: Words, puzzle: Deal, card: Card) -> Html:
        return view.render_hindsight(words, puzzle, card)

    def render_revealed_deal(self, words: Words, puzzle: Deal) -> list[Html]:
        return view.render_revealed_deal(words, puzzle)

    # What is seen

    def build_layout(self, words: Words, puzzle: Deal, card: Card) -> CardLayout:
        return view.build_layout(words, puzzle, card)

    def build_card_picture(
        self, words: Words, puzzle: Deal, card: Card, title: str, *, over: bool
    ) -> Picture:
        """The roll that is to be placed, and the card once nothing is."""
        return (pictures.build_card_picture if over else pictures.build_turn_picture)(
            words, puzzle, card, title
        )
