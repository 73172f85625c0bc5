"""What is said of a card, how it looks, and what would have been better."""

from collections.abc import Sequence
from unicodedata import east_asian_width

import solver
from bot.games.yahtzee import rules
from bot.games.yahtzee.roll_parser import NotRollsError
from bot.games.yahtzee.rules import TURN_COUNT, UPPER_COUNT, Card, Deal, Roll
from bot.i18n import Html, Words, escape_value
from bot.modes.contest.rules import CardLayout, LayoutLine

EMPTY = "·"  # Stands where a category is open
BETWEEN = "  "
DICE = 5


def render_menu_line(words: Words) -> str:
    """The command's line in the menu."""
    return words.translate_plain("13 rolls, the same for all")


def render_rules(words: Words) -> Html:
    """The rules in two short lines."""
    return words.translate(
        "<b>Yahtzee</b>: thirteen rolls, the same for everybody.\n"
        "Each goes to one category; none is thrown again."
    )


def list_category_names(words: Words) -> tuple[str, ...]:
    """What the categories are called, in their order."""
    return (
        words.translate_plain("Ones"),
        words.translate_plain("Twos"),
        words.translate_plain("Threes"),
        words.translate_plain("Fours"),
        words.translate_plain("Fives"),
        words.translate_plain("Sixes"),
        words.translate_plain("Chance"),
        words.translate_plain("Three of a kind"),
        words.translate_plain("Four of a kind"),
        words.translate_plain("Five of a kind"),
        words.translate_plain("Short straight"),
        words.translate_plain("Long straight"),
        words.translate_plain("Full house"),
    )


def format_roll(roll: Roll) -> str:
    """Five dice as every line shows them."""
    return " ".join(map(str, roll))


def render_turn(words: Words, deal: Deal, card: Card) -> list[Html]:
    """The roll that is to be put somewhere."""
    which = words.translate("Roll {n} of {all}", n=card.turn + 1, all=TURN_COUNT)
    return [Html(f"🎲 {which}"), Html(escape_value(format_roll(deal.rolls[card.turn])))]


def list_choices(words: Words, deal: Deal, card: Card) -> list[tuple[str, int]]:
    """The open categories, each with what the roll would score there."""
    scores, names = solver.yahtzee.category_scores(deal.rolls[card.turn]), list_category_names(words)
    return [(f"{names[category]} {scores[category]}", category) for category in card.open_categories]


def render_played_turn(words: Words, deal: Deal, card: Card) -> str:
    """Where the last roll went, and what it scored there."""
    category = card.categories[-1]
    score = solver.yahtzee.category_scores(deal.rolls[card.turn - 1])[category]
    return f"{list_category_names(words)[category]} {score}"


def build_layout(words: Words, deal: Deal, card: Card) -> CardLayout:
    """The card with the roll that is to be put somewhere, and what it would score in each open category."""
    made, names = rules.score_card(deal.rolls, card), list_category_names(words)
    roll = () if card.is_full else deal.rolls[card.turn]
    scores = solver.yahtzee.category_scores(roll) if roll else [0] * TURN_COUNT
    lines = tuple(
        LayoutLine(names[category], score)
        if score is not None
        else LayoutLine(names[category], None, scores[category], category)
        for category, score in enumerate(made.scores)
    )
    return CardLayout(roll, lines, made.points, made.bonus, made.bonus_missing)


def render_card(words: Words, deal: Deal, card: Card, *, over: bool) -> list[Html]:
    """The card in two columns, what it comes to, and how far the bonus is, as long as it can be reached."""
    made = rules.score_card(deal.rolls, card)
    total = words.translate("Total: <b>{total}</b>", total=made.points)
    reach = sum(DICE * (category + 1) for category in card.open_categories if category < rules.UPPER_COUNT)
    if not over and 0 < made.bonus_missing <= reach:
        more = words.translate("{n} more in the left column for the bonus", n=made.bonus_missing)
        return [_columns(words, made, open_bonus=True), total, more]
    return [_columns(words, made), total]


def _columns(words: Words, made: rules.Score, *, open_bonus: bool = False) -> Html:
    """The card's two columns; `open_bonus`: it is not settled yet whether there is one."""
    names, scores = list_category_names(words), [EMPTY if s is None else str(s) for s in made.scores]
    left = [
        *zip(names[:UPPER_COUNT], scores[:UPPER_COUNT], strict=True),
        (words.translate_plain("Bonus"), EMPTY if open_bonus else str(made.bonus)),
    ]
    right = list(zip(names[UPPER_COUNT:], scores[UPPER_COUNT:], strict=True))
    rows = (BETWEEN.join(pair) for pair in zip(_column(left), _column(right), strict=True))
    return Html(f"<pre>{escape_value(chr(10).join(rows))}</pre>")


def _column(lines: Sequence[tuple[str, str]]) -> list[str]:
    """Names to the left, scores to the right."""
    wide = max(_width(name) for name, _ in lines)
    return [f"{name}{' ' * (wide - _width(name))} {score:>2}" for name, score in lines]


def _width(text: str) -> int:
    """Columns that a text takes: two for each wide character."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def render_hindsight(words: Words, deal: Deal, card: Card) -> Html:
    """The card beside the best one, and the largest improvement by one exchange, if there is one."""
    own, best = (rules.score_card(deal.rolls, each).points for each in (card, deal.best))
    if own == best:
        return words.translate("You {total}: nobody could have done better.", total=own)
    better = rules.find_best_exchange(deal.rolls, card)
    if better is None:
        return words.translate("You {total}, best {best}.", total=own, best=best)
    return words.translate(
        "You {total}, best {best}: the {roll} belonged in {category} (+{gain}).",
        total=own,
        best=best,
        roll=format_roll(deal.rolls[better.roll_index]),
        category=list_category_names(words)[better.category].lower(),
        gain=better.gain,
    )


def render_revealed_deal(words: Words, deal: Deal) -> list[Html]:
    """The best card and the rolls."""
    made = rules.score_card(deal.rolls, deal.best)
    best = words.translate("Best possible: <b>{total}</b>", total=made.points)
    rolls = (Html(format_roll(roll)) for roll in deal.rolls)
    return [best, _columns(words, made), words.translate("The rolls:"), *rolls]


def render_solved_rolls(words: Words, rolls: Sequence[Roll], card: Card) -> Html:
    """The best card for rolls of somebody's own: what goes where."""
    made, names = rules.score_card(rolls, card), list_category_names(words)
    lines = [
        Html(
            f"{escape_value(names[category])}: {format_roll(rolls[card.categories.index(category)])} → {made.scores[category]}"
        )
        for category in range(TURN_COUNT)
    ]
    bonus = words.translate("Bonus: {bonus}", bonus=made.bonus)
    return Html("\n".join([*lines, bonus, words.translate("Total: <b>{total}</b>", total=made.points)]))


def render_rolls_error(words: Words, why: NotRollsError) -> Html:
    """What is wrong with what somebody gave."""
    if why.line_number:
        return words.translate(
            "Line {line}, “{text}”, is no roll of five dice from 1 to 6. Read before it: {n} of {all}.",
            line=why.line_number,
            text=why.text,
            n=why.read_count,
            all=TURN_COUNT,
        )
    return words.translate_plural(
        "That is {n} roll; a game has {all}, a line each, for example 6 6 6 1 1",
        "That is {n} rolls; a game has {all}, a line each, for example 6 6 6 1 1",
        why.read_count,
        all=TURN_COUNT,
    )
