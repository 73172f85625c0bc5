"""What is said of a card, how it looks, and what would have been better."""

from collections.abc import Sequence
from unicodedata import east_asian_width

import solver
from bot.games.yahtzee import rules
from bot.games.yahtzee.given import NotRollsError
from bot.games.yahtzee.rules import GAME, UPPER, Card, Deal, Roll
from bot.i18n import Html, Words, safe
from bot.modes.contest.rules import Layout, Line

EMPTY = "·"  # Stands where a category is open
BETWEEN = "  "
DICE = 5


def menu(words: Words) -> str:
    """The command's line in the menu."""
    return words.plain("13 rolls, the same for all")


def about(words: Words) -> Html:
    """The rules in two short lines."""
    return words.say(
        "<b>Yahtzee</b>: thirteen rolls, the same for everybody.\n"
        "Each goes to one category; none is thrown again."
    )


def categories(words: Words) -> tuple[str, ...]:
    """What the categories are called, in their order."""
    return (
        words.plain("Ones"),
        words.plain("Twos"),
        words.plain("Threes"),
        words.plain("Fours"),
        words.plain("Fives"),
        words.plain("Sixes"),
        words.plain("Chance"),
        words.plain("Three of a kind"),
        words.plain("Four of a kind"),
        words.plain("Five of a kind"),
        words.plain("Short straight"),
        words.plain("Long straight"),
        words.plain("Full house"),
    )


def shown(roll: Roll) -> str:
    """Five dice as every line shows them."""
    return " ".join(map(str, roll))


def turn(words: Words, deal: Deal, card: Card) -> list[Html]:
    """The roll that is to be put somewhere."""
    which = words.say("Roll {n} of {all}", n=card.at + 1, all=GAME)
    return [Html(f"🎲 {which}"), Html(safe(shown(deal.rolls[card.at])))]


def choices(words: Words, deal: Deal, card: Card) -> list[tuple[str, int]]:
    """The open categories, each with what the roll would score there."""
    scores, names = solver.yahtzee.category_scores(deal.rolls[card.at]), categories(words)
    return [(f"{names[category]} {scores[category]}", category) for category in card.free]


def played(words: Words, deal: Deal, card: Card) -> str:
    """Where the last roll went, and what it scored there."""
    category = card.put[-1]
    score = solver.yahtzee.category_scores(deal.rolls[card.at - 1])[category]
    return f"{categories(words)[category]} {score}"


def layout(words: Words, deal: Deal, card: Card) -> Layout:
    """The card with the roll that is to be put somewhere, and what it would score in each open category."""
    made, names = rules.total(deal.rolls, card), categories(words)
    roll = () if card.is_full else deal.rolls[card.at]
    scores = solver.yahtzee.category_scores(roll) if roll else [0] * GAME
    lines = tuple(
        Line(names[category], score)
        if score is not None
        else Line(names[category], None, scores[category], category)
        for category, score in enumerate(made.scores)
    )
    return Layout(roll, lines, made.points, made.bonus, made.missing)


def sheet(words: Words, deal: Deal, card: Card, *, over: bool) -> list[Html]:
    """The card in two columns, what it comes to, and how far the bonus is, as long as it can be reached."""
    made = rules.total(deal.rolls, card)
    total = words.say("Total: <b>{total}</b>", total=made.points)
    reach = sum(DICE * (category + 1) for category in card.free if category < rules.UPPER)
    if not over and 0 < made.missing <= reach:
        more = words.say("{n} more in the left column for the bonus", n=made.missing)
        return [_columns(words, made, open_bonus=True), total, more]
    return [_columns(words, made), total]


def _columns(words: Words, made: rules.Total, *, open_bonus: bool = False) -> Html:
    """The card's two columns; `open_bonus`: it is not settled yet whether there is one."""
    names, scores = categories(words), [EMPTY if s is None else str(s) for s in made.scores]
    left = [
        *zip(names[:UPPER], scores[:UPPER], strict=True),
        (words.plain("Bonus"), EMPTY if open_bonus else str(made.bonus)),
    ]
    right = list(zip(names[UPPER:], scores[UPPER:], strict=True))
    rows = (BETWEEN.join(pair) for pair in zip(_column(left), _column(right), strict=True))
    return Html(f"<pre>{safe(chr(10).join(rows))}</pre>")


def _column(lines: Sequence[tuple[str, str]]) -> list[str]:
    """Names to the left, scores to the right."""
    wide = max(_width(name) for name, _ in lines)
    return [f"{name}{' ' * (wide - _width(name))} {score:>2}" for name, score in lines]


def _width(text: str) -> int:
    """Columns that a text takes: two for each wide character."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def hindsight(words: Words, deal: Deal, card: Card) -> Html:
    """The card beside the best one, and the largest improvement by one exchange, if there is one."""
    own, best = (rules.total(deal.rolls, each).points for each in (card, deal.best))
    if own == best:
        return words.say("You {total}: nobody could have done better.", total=own)
    better = rules.better(deal.rolls, card)
    if better is None:
        return words.say("You {total}, best {best}.", total=own, best=best)
    return words.say(
        "You {total}, best {best}: the {roll} belonged in {category} (+{gain}).",
        total=own,
        best=best,
        roll=shown(deal.rolls[better.roll]),
        category=categories(words)[better.category].lower(),
        gain=better.gain,
    )


def revealed(words: Words, deal: Deal) -> list[Html]:
    """The best card and the rolls."""
    made = rules.total(deal.rolls, deal.best)
    best = words.say("Best possible: <b>{total}</b>", total=made.points)
    rolls = (Html(shown(roll)) for roll in deal.rolls)
    return [best, _columns(words, made), words.say("The rolls:"), *rolls]


def solved(words: Words, rolls: Sequence[Roll], card: Card) -> Html:
    """The best card for rolls of somebody's own: what goes where."""
    made, names = rules.total(rolls, card), categories(words)
    lines = [
        Html(f"{safe(names[category])}: {shown(rolls[card.put.index(category)])} → {made.scores[category]}")
        for category in range(GAME)
    ]
    bonus = words.say("Bonus: {bonus}", bonus=made.bonus)
    return Html("\n".join([*lines, bonus, words.say("Total: <b>{total}</b>", total=made.points)]))


def not_rolls(words: Words, why: NotRollsError) -> Html:
    """What is wrong with what somebody gave."""
    if why.line:
        return words.say(
            "Line {line}, “{text}”, is no roll of five dice from 1 to 6. Read before it: {n} of {all}.",
            line=why.line,
            text=why.text,
            n=why.read,
            all=GAME,
        )
    return words.count(
        "That is {n} roll; a game has {all}, a line each, for example 6 6 6 1 1",
        "That is {n} rolls; a game has {all}, a line each, for example 6 6 6 1 1",
        why.read,
        all=GAME,
    )
