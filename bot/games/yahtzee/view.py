"""Render category names, cards and errors of Yahtzee."""

from collections.abc import Sequence

from bot.games.yahtzee import rules
from bot.games.yahtzee.roll_parser import NotRollsError
from bot.games.yahtzee.rules import TURN_COUNT, UPPER_COUNT, Card, Roll
from bot.i18n import Html, Words, count_columns, escape_value


def list_category_names(words: Words) -> tuple[str, ...]:
    """Return the names in the order of `solver.yahtzee.CATEGORIES`."""
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
    return " ".join(map(str, roll))


OPEN = "·"  # Stands for the score of an open category


def render_columns(words: Words, score: rules.Score, *, open_bonus: bool = False) -> Html:
    """Render the categories and scores in two columns; with `open_bonus` the bonus is not decided yet."""
    names = list_category_names(words)
    scores = [OPEN if points is None else str(points) for points in score.scores]
    bonus = OPEN if open_bonus else str(score.bonus)
    # Seven lines each: the bonus follows the six upper categories
    left = [
        *zip(names[:UPPER_COUNT], scores[:UPPER_COUNT], strict=True),
        (words.translate_plain("Bonus"), bonus),
    ]
    right = list(zip(names[UPPER_COUNT:], scores[UPPER_COUNT:], strict=True))
    rows = ["  ".join(pair) for pair in zip(_align_column(left), _align_column(right), strict=True)]
    text = "\n".join(rows)
    return Html(f"<pre>{escape_value(text)}</pre>")


def _align_column(lines: Sequence[tuple[str, str]]) -> list[str]:
    """Return the lines as texts of one width, with the names at the left and the scores at the right."""
    width = max(count_columns(name) for name, _ in lines)
    return [f"{name}{' ' * (width - count_columns(name))} {score:>2}" for name, score in lines]


def render_solved_rolls(words: Words, rolls: Sequence[Roll], card: Card) -> Html:
    """Render which roll goes to which category on a full card, with the scores, the bonus and the total."""
    score = rules.score_card(rolls, card)
    lines = []
    for category, name in enumerate(list_category_names(words)):
        roll = format_roll(rolls[card.categories.index(category)])
        lines.append(Html(f"{escape_value(name)}: {roll} → {score.scores[category]}"))
    bonus = words.translate("Bonus: {bonus}", bonus=score.bonus)
    return Html("\n".join([*lines, bonus, words.translate("Total: <b>{total}</b>", total=score.points)]))


def render_rolls_error(words: Words, error: NotRollsError) -> Html:
    if error.line_number:
        return words.translate(
            "Line {line}, “{text}”, is no roll of five dice from 1 to 6. Read before it: {n} of {all}.",
            line=error.line_number,
            text=error.text,
            n=error.read_count,
            all=TURN_COUNT,
        )
    return words.translate_plural(
        "That is {n} roll; a game has {all}, a line each, for example 6 6 6 1 1",
        "That is {n} rolls; a game has {all}, a line each, for example 6 6 6 1 1",
        error.read_count,
        all=TURN_COUNT,
    )
