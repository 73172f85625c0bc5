"""The game of Yahtzee: a contest of thirteen private turns."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import partial

import solver
from bot.database import parse_object
from bot.games.yahtzee import roll_parser, rules, view
from bot.games.yahtzee.rules import DICE_COUNT, TURN_COUNT, UPPER_COUNT, Card, Deal, Roll
from bot.games.yahtzee.view import format_roll, list_category_names
from bot.i18n import Html, Words, escape_value
from bot.pictures.values import RollPicture, ScoreCardPicture, ScoreRow
from bot.players.choices import StoredChoices
from bot.rounds.contest_game import CardLayout, ContestGame, LayoutLine
from bot.rounds.puzzle import Audience, DealError, Find, Options
from bot.rounds.rules import Round
from bot.workers.pool import SolverPool

VERSION = 1
MIN_COMMON_ROLLS = 7  # Of 11,170,023 pairs of random deals 37 had as many rolls in common


class Yahtzee(ContestGame[Deal, Card]):
    key = command = "yahtzee"
    title = "Yahtzee"
    turn_count = TURN_COUNT

    def render_menu_line(self, words: Words) -> str:
        return words.translate_plain("13 rolls, the same for all")

    def render_about(self, words: Words) -> Html:
        return words.translate(
            "<b>Yahtzee</b>: thirteen rolls, the same for everybody.\n"
            "Each goes to one category; none is thrown again.\n"
            "Straights 25 and 35, full house 40, five of a kind 50."
        )

    def task(self, words: Words, round: Round, finds: Sequence[Find], audience: Audience) -> Html:
        return words.translate("One point on the boards for every ten of your total.")

    async def deal(self, pool: SolverPool, settings: StoredChoices, options: Options, seed: int) -> Deal:
        return await pool.run_task(rules.deal_rolls, seed)

    def pack(self, puzzle: Deal) -> str:
        rolls = ["".join(map(str, roll)) for roll in puzzle.rolls]
        best = puzzle.best.categories
        return json.dumps({"v": VERSION, "rolls": rolls, "best": best})

    def unpack(self, packed: str, level: str, expected: float) -> Deal:
        stored = parse_object(packed)
        if stored.get("v") != VERSION:
            raise ValueError("no deal of a known version")
        rolls = tuple(tuple(map(int, roll)) for roll in stored["rolls"])
        return Deal(rolls, Card(tuple(stored["best"])))

    def list_dealt_numbers(self, puzzle: Deal) -> tuple[int, ...]:
        return tuple(die for roll in puzzle.rolls for die in roll)

    def create_card(self) -> Card:
        return Card()

    def pack_card(self, card: Card) -> object:
        return {"v": VERSION, "put": list(card.categories)}

    def unpack_card(self, packed: object) -> Card:
        match packed:
            case {"v": version, "put": [*categories]} if version == VERSION:
                return Card(tuple(categories))
        raise ValueError("no card of a known version")

    def count_turns_played(self, card: Card) -> int:
        return card.turn

    def play_turn(self, card: Card, turn: int, choice: int) -> Card | None:
        """Return the card with a roll in category `choice`; None if that is taken or another turn is due."""
        if turn != card.turn or choice not in card.open_categories:
            return None
        return Card((*card.categories, choice))

    def compute_total(self, puzzle: Deal, card: Card) -> int:
        return rules.score_card(puzzle.rolls, card).points

    def compute_points(self, total: int) -> int:
        return total // 10

    # Rolls that a player gives to be solved

    def parse_known_deal(self, text: str, above: str) -> tuple[Roll, ...] | None:
        """Return the rolls in `text`; if it is empty, those in `above`, or None if it has none.

        Raises DealError with what is wrong with them, or the usage for a text that is not meant as rolls.
        """
        text = text.strip()
        try:
            return roll_parser.parse_rolls(text) if text else roll_parser.find_rolls(above)
        except roll_parser.NotRollsError as error:
            render_rolls_error = partial(view.render_rolls_error, error=error)
        is_meant_as_rolls = not text or "\n" in text or roll_parser.count_digits(text) >= DICE_COUNT
        if is_meant_as_rolls:
            raise DealError(render_rolls_error)
        raise DealError(lambda words: self.options.render_usage(words, self.command, text))

    async def solve_known_deal(self, pool: SolverPool, words: Words, rolls: tuple[Roll, ...]) -> Html:
        """Render the best card for the rolls. Raises SolvingError if it can't be found in time."""
        best_card = await pool.run_task(rules.find_best_card, rolls)
        return view.render_solved_rolls(words, rolls, best_card)

    def is_revealed_by(self, puzzle: Deal, rolls: tuple[Roll, ...]) -> bool:
        """Whether a deal has so many of these rolls, in any order, that they are hardly those of another."""
        own_rolls = Counter(tuple(sorted(roll)) for roll in puzzle.rolls)
        known_rolls = Counter(tuple(sorted(roll)) for roll in rolls)
        return (own_rolls & known_rolls).total() >= MIN_COMMON_ROLLS

    # Texts and pictures of a card

    def render_turn(self, words: Words, puzzle: Deal, card: Card) -> list[Html]:
        heading = words.translate("Roll {n} of {all}", n=card.turn + 1, all=TURN_COUNT)
        present_roll = format_roll(puzzle.rolls[card.turn])
        turn = [Html(f"🎲 {heading}"), Html(escape_value(present_roll))]
        if card.turn:
            return turn
        return [
            *turn,
            words.translate("Tap where this roll counts; the number is what it scores. No second throw."),
        ]

    def list_choices(self, words: Words, puzzle: Deal, card: Card) -> list[tuple[str, int]]:
        """Return each open category: its name with what the present roll would score there, and its index."""
        scores = solver.yahtzee.category_scores(puzzle.rolls[card.turn])
        names = list_category_names(words)
        return [(f"{names[category]} {scores[category]}", category) for category in card.open_categories]

    def render_played_turn(self, words: Words, puzzle: Deal, card: Card) -> str:
        """Render the category of the roll that was placed last, and its score. The card must not be empty."""
        category = card.categories[-1]
        placed_roll = puzzle.rolls[card.turn - 1]
        score = solver.yahtzee.category_scores(placed_roll)[category]
        return f"{list_category_names(words)[category]} {score}"

    def render_card(self, words: Words, puzzle: Deal, card: Card, *, over: bool) -> list[Html]:
        """Render the card in two columns, its total, and what lacks for the bonus if that can be reached."""
        score = rules.score_card(puzzle.rolls, card)
        total = words.translate("Total: <b>{total}</b>", total=score.points)
        # Five equal dice in each open upper category; the one for face n has the index n - 1
        reachable = sum(DICE_COUNT * (c + 1) for c in card.open_categories if c < UPPER_COUNT)
        if not over and 0 < score.bonus_missing <= reachable:
            more = words.translate("{n} more in the left column for the bonus", n=score.bonus_missing)
            return [view.render_columns(words, score, open_bonus=True), total, more]
        return [view.render_columns(words, score), total]

    def render_hindsight(self, words: Words, puzzle: Deal, card: Card) -> Html:
        """Compare a full card with the best total, and name the exchange of two rolls that gains most."""
        own, best = self.compute_total(puzzle, card), self.compute_total(puzzle, puzzle.best)
        if own == best:
            return words.translate("You {total}: nobody could have done better.", total=own)
        exchange = rules.find_best_exchange(puzzle.rolls, card)
        if exchange is None:
            return words.translate("You {total}, best {best}.", total=own, best=best)
        return words.translate(
            "You {total}, best {best}: the {roll} belonged in {category} (+{gain}).",
            total=own,
            best=best,
            roll=format_roll(puzzle.rolls[exchange.roll_index]),
            category=list_category_names(words)[exchange.category].lower(),
            gain=exchange.gain,
        )

    def render_revealed_deal(self, words: Words, puzzle: Deal) -> list[Html]:
        """Render the best total, the best card in two columns, and the rolls in their order."""
        score = rules.score_card(puzzle.rolls, puzzle.best)
        best = words.translate("Best possible: <b>{total}</b>", total=score.points)
        rolls = (Html(format_roll(roll)) for roll in puzzle.rolls)
        return [best, view.render_columns(words, score), words.translate("The rolls:"), *rolls]

    def build_layout(self, words: Words, puzzle: Deal, card: Card) -> CardLayout:
        """Return the card and its present roll for a page; an open category has what the roll would score."""
        card_score = rules.score_card(puzzle.rolls, card)
        roll: Roll = ()  # If the card is full
        previews = [0] * TURN_COUNT
        if not card.is_full:
            roll = puzzle.rolls[card.turn]
            previews = list(solver.yahtzee.category_scores(roll))
        lines: list[LayoutLine] = []
        for category, name in enumerate(list_category_names(words)):
            score = card_score.scores[category]
            if score is None:
                lines.append(LayoutLine(name, score=None, preview=previews[category], choice=category))
            else:
                lines.append(LayoutLine(name, score))
        return CardLayout(roll, tuple(lines), card_score.points, card_score.bonus, card_score.bonus_missing)

    def build_card_picture(
        self, words: Words, puzzle: Deal, card: Card, title: str, *, over: bool
    ) -> RollPicture | ScoreCardPicture:
        """Return the picture of the present roll; of the card if it is full or `over`."""
        if not over and not card.is_full:
            return RollPicture(puzzle.rolls[card.turn])
        score = rules.score_card(puzzle.rolls, card)
        placed = {category: puzzle.rolls[turn] for turn, category in enumerate(card.categories)}
        rows = [
            ScoreRow(name, score.scores[category], dice=placed.get(category, ()))
            for category, name in enumerate(list_category_names(words))
        ]
        upper, lower = rows[:UPPER_COUNT], rows[UPPER_COUNT:]
        bonus = ScoreRow(words.translate_plain("Bonus"), score.bonus)
        total_label = words.translate_plain("Total")
        return ScoreCardPicture(title, upper, bonus, lower, total=score.points, total_label=total_label)
