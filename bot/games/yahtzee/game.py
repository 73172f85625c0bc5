"""Yahtzee as a game among others: a contest of thirteen private turns."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.games.yahtzee import dealing, given, pictures, rules, view
from bot.games.yahtzee.rules import Card, Deal, Roll
from bot.i18n import Html, Words
from bot.modes.contest.game import ContestGame, GivenError
from bot.modes.contest.rules import Layout
from bot.pictures.values import Picture
from bot.rounds.puzzle import Find, Options
from bot.rounds.rules import Round
from bot.workers.pool import Pool


class Yahtzee(ContestGame[Deal, Card]):
    """Thirteen rolls, none of them thrown again."""

    key = command = "yahtzee"
    title = "Yahtzee"
    levels = False
    turns = rules.GAME

    def menu(self, words: Words) -> str:
        return view.menu(words)

    def about(self, words: Words) -> Html:
        return view.about(words)

    async def deal(self, pool: Pool, chosen: Mapping[str, Any], options: Options, seed: int) -> Deal:
        return await pool.ask(dealing.deal, seed)

    def pack(self, puzzle: Deal) -> dict[str, Any]:
        return rules.pack_deal(puzzle)

    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> Deal:
        return rules.unpack_deal(packed)

    def proof(self, puzzle: Deal) -> str:
        return puzzle.proof

    # A card

    def blank(self) -> Card:
        return Card()

    def pack_card(self, card: Card) -> dict[str, Any]:
        return rules.pack(card)

    def unpack_card(self, packed: Mapping[str, Any]) -> Card:
        return rules.unpack(packed)

    def done(self, card: Card) -> int:
        return card.at

    def play(self, card: Card, turn: int, choice: int) -> Card | None:
        return rules.place(card, turn, choice)

    def total(self, puzzle: Deal, card: Card) -> int:
        return rules.total(puzzle.rolls, card).points

    def best(self, puzzle: Deal) -> int:
        return self.total(puzzle, puzzle.best)

    def points(self, total: int) -> int:
        return rules.points(total)

    # Rolls of somebody's own

    def given(self, text: str, above: str) -> tuple[Roll, ...] | None:
        """The thirteen rolls behind the command, or in the message above it."""
        try:
            return given.rolls(text) if text.strip() else given.listed(above)
        except given.NotRollsError as error:
            why = error
        if text.strip() and not given.looks_like_rolls(text):
            raise GivenError(lambda words: self.usage(words, text.strip()))
        raise GivenError(lambda words: view.not_rolls(words, why))

    async def best_of(self, pool: Pool, words: Words, given: tuple[Roll, ...]) -> Html:
        return view.solved(words, given, await pool.ask(dealing.best, given))

    def gives_away(self, puzzle: Deal, given: tuple[Roll, ...]) -> bool:
        return rules.alike(puzzle.rolls, given)

    # What is said

    def task(self, words: Words, round: Round, found: Sequence[Find], *, private: bool) -> Html:
        return words.say("One point on the boards for every ten of your total.")

    def turn(self, words: Words, puzzle: Deal, card: Card) -> list[Html]:
        return view.turn(words, puzzle, card)

    def choices(self, words: Words, puzzle: Deal, card: Card) -> list[tuple[str, int]]:
        return view.choices(words, puzzle, card)

    def played(self, words: Words, puzzle: Deal, card: Card) -> str:
        return view.played(words, puzzle, card)

    def sheet(self, words: Words, puzzle: Deal, card: Card, *, over: bool) -> list[Html]:
        return view.sheet(words, puzzle, card, over=over)

    def hindsight(self, words: Words, puzzle: Deal, card: Card) -> Html:
        return view.hindsight(words, puzzle, card)

    def revealed(self, words: Words, puzzle: Deal) -> list[Html]:
        return view.revealed(words, puzzle)

    # What is seen

    def layout(self, words: Words, puzzle: Deal, card: Card) -> Layout:
        return view.layout(words, puzzle, card)

    def card_seen(self, words: Words, puzzle: Deal, card: Card, title: str, *, over: bool) -> Picture:
        """The roll that is to be placed, and the card once nothing is."""
        return (pictures.sheet if over else pictures.of)(words, puzzle, card, title)
