"""Render why an entry does not count, and the best answers to a draw."""

from collections.abc import Sequence

import solver
from bot.games.countdown.rules import MAX_DISTANCE, TARGETS, Draw, evaluate_answer
from bot.games.countdown.steps import list_steps
from bot.games.expressions.view import number_steps
from bot.i18n import Html, Words


def render_too_far(words: Words, draw: Draw, value: int, *, only_best: bool) -> Html:
    """Render why a value is too far from the target; with `only_best`, since a nearer one is possible."""
    target = draw.target
    off = abs(value - target)
    if only_best:
        return words.translate(
            "{value} is {off} away from {target}. It can be done nearer.", value=value, off=off, target=target
        )
    return words.translate(
        "{value} is {off} away from {target}: only up to {most} away counts.",
        value=value,
        off=off,
        target=target,
        most=MAX_DISTANCE,
    )


def render_wrong_tiles(words: Words, draw: Draw, extra: Sequence[int]) -> Html:
    """Name the `extra` numbers of an entry that were not dealt; if all were, those that it has too often."""
    unknown = [number for number in extra if number not in draw.tiles]
    numbers = ", ".join(map(str, dict.fromkeys(unknown or extra)))  # Each once
    tiles = " ".join(map(str, draw.tiles))
    if unknown:
        return words.translate("Not among the tiles: {extra}. There are {tiles}.", extra=numbers, tiles=tiles)
    return words.translate("Too often: {extra}. There are {tiles}.", extra=numbers, tiles=tiles)


def render_violation(words: Words, part: solver.Expression) -> Html:
    """Render the reason against an entry with a negative or fractional intermediate result."""
    if part.value < 0:
        return words.translate(
            "{part} = {value}: nothing below zero on the way.", part=part, value=part.value
        )
    return words.translate("{part} = {value}: only whole numbers on the way.", part=part, value=part.value)


def format_answer(answer: str) -> str:
    """Return the answer with its value: `25*3 = 75`."""
    return f"{answer} = {evaluate_answer(answer)}"


def render_explanation(words: Words, target: int, answer: str) -> Html:
    """Render the best answer to a question with its steps, and how far it is from the target."""
    lines: list[Html] = []
    off = abs(evaluate_answer(answer) - target)
    if off > 0:
        text = words.translate("{target} is out of reach: this is {off} away.", target=target, off=off)
        lines.append(text)
    lines.append(words.translate("Best: <b>{best}</b>", best=format_answer(answer)))
    return Html("\n".join([*lines, *number_steps(list_steps(answer))]))


def render_invalid_target(words: Words, numbers: Sequence[int]) -> Html:
    """Render the reason why these tiles can't be explained: the target is missing or out of range."""
    return words.translate(
        "A target is a whole number from {least} to {most}: /why {numbers} = {example}",
        least=TARGETS.start,
        most=TARGETS.stop - 1,
        numbers=" ".join(map(str, numbers)),
        example=573,  # Any possible target
    )
