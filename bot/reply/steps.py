"""An expression worked out, one line for each sign."""

from fractions import Fraction

import solver
from bot.reply import mixed
from bot.words import Html, Words, safe


def steps(words: Words, expression: solver.Expression) -> Html:
    """Every step with its exact result; a fraction above one is also told as people write it."""
    lines = [_step(number, step) for number, step in enumerate(expression.steps(), start=1)]
    whole = words.say(
        "{expression} = {value}, step by step:", expression=expression, value=mixed(expression.value)
    )
    return Html("\n".join([Html(f"<b>{whole}</b>"), *lines]))


def _step(number: int, step: str) -> Html:
    result = Fraction(step.rpartition(" = ")[2])
    also = "" if str(result) == mixed(result).replace("−", "-") else f" = {mixed(result)}"
    return Html(safe(f"{number}. {step}{also}"))
