"""An expression worked out, one line for each sign."""

from fractions import Fraction

import solver
from bot.games.twentyfour.view import mixed
from bot.i18n import Html, Words, safe


def steps(words: Words, expression: solver.Expression) -> Html:
    """Every step with its exact result; a fraction above one is also told as people write it."""
    lines = [_step(number, step) for number, step in enumerate(expression.steps(), start=1)]
    whole = words.say(
        "{expression} = {value}, step by step:", expression=expression, value=mixed(expression.value)
    )
    return Html("\n".join([Html(f"<b>{whole}</b>"), *lines]))


def _step(number: int, step: str) -> Html:
    worked, _, shown = step.rpartition(" = ")
    result = Fraction(shown)
    mixed_too = mixed(result).replace("−", "-") != shown
    if worked == shown:  # a fraction of two cards says its own value
        return Html(safe(f"{number}. {worked} = {mixed(result)}" if mixed_too else f"{number}. {step}"))
    return Html(safe(f"{number}. {step} = {mixed(result)}" if mixed_too else f"{number}. {step}"))
