"""What is said of a draw: how it is dealt, why something does not count, and how it could have been done."""

from collections.abc import Sequence

import solver
from bot.admin.settings.choices import Setting, make_number_choices
from bot.games.countdown.rules import MAX_DISTANCE, ROUND_LENGTHS, TARGETS, Draw, RuleViolation
from bot.games.countdown.steps import list_steps
from bot.i18n import Html, Words, escape_value
from bot.rounds.puzzle import Tiles

EXAMPLE = 573  # A target, to show where one stands


def render_menu_line(words: Words) -> str:
    """The command's line in the menu."""
    return words.translate_plain("six tiles and a target")


def render_rules(words: Words) -> Html:
    """The rules in two short lines."""
    return words.translate(
        "<b>Countdown</b>: six tiles and a target.\nCome as near as you can, each tile at most once."
    )


def render_deal(draw: Draw) -> list[Html]:
    """The target, and the line."""
    return [Html(f"🎯 <b>{draw.target}</b>"), Html(escape_value(draw.line))]


def build_tiles(draw: Draw) -> Tiles:
    """The tiles, as a page lays them out."""
    numbers = tuple(map(str, draw.tiles))
    return Tiles(
        numbers, numbers, str(draw.target), uses_all=False, whole_numbers_only=True, accepts_near=True
    )


def render_task(words: Words, *, private: bool) -> Html:
    """What is to be done."""
    if private:
        return words.translate("Come near: each tile at most once.\nSend as many answers as you like.")
    return words.translate("Come near: each tile at most once.\nReply to answer; your last one counts.")


def render_rule(words: Words) -> Html:
    """What the others do."""
    return words.translate("Come near: each tile at most once.")


def render_daily_task(words: Words) -> Html:
    """What is to be done alone, where only the best ends it."""
    return words.translate("Make the target. Where nobody can, come as near as these tiles allow.")


def render_not_nearest(words: Words, draw: Draw, value: int) -> Html:
    """Said of the hand of a day, of an answer that others can do better than."""
    off = abs(value - draw.target)
    return words.translate(
        "{value} is {off} away from {target}. It can be done nearer.",
        value=value,
        off=off,
        target=draw.target,
    )


def render_usage(words: Words, fragment: str) -> Html:
    """What the command takes."""
    return words.translate(
        "“{fragment}”? Behind the command there is room for one number:"
        " how many large tiles, 0 to 4, as in /countdown 2.",
        fragment=fragment,
    )


def render_wrong_tiles(words: Words, draw: Draw, extra: Sequence[int]) -> Html:
    """Said of an entry with numbers that were not dealt, or too often."""
    strange = [number for number in extra if number not in draw.tiles]
    each = ", ".join(map(str, dict.fromkeys(strange or extra)))
    told = {"extra": each, "tiles": " ".join(map(str, draw.tiles))}
    if strange:
        return words.translate("Not among the tiles: {extra}. There are {tiles}.", **told)
    return words.translate("Too often: {extra}. There are {tiles}.", **told)


def render_violation(words: Words, why: RuleViolation) -> Html:
    """Said of an entry that has a fraction or less than nothing on the way."""
    part, value = str(why.part), str(why.value)
    if why.value < 0:
        return words.translate("{part} = {value}: nothing below zero on the way.", part=part, value=value)
    if why.value.denominator != 1:
        return words.translate("{part} = {value}: only whole numbers on the way.", part=part, value=value)
    return words.translate("{part} divides by zero.", part=part)


def render_too_far(words: Words, draw: Draw, value: int) -> Html:
    """Said of an entry that is too far from the target to count."""
    return words.translate(
        "{value} is {off} away from {target}: only up to {most} away counts.",
        value=value,
        off=abs(value - draw.target),
        target=draw.target,
        most=MAX_DISTANCE,
    )


def format_answer(answer: str) -> str:
    """An entry with what it makes."""
    return f"{answer} = {solver.parse(answer).value}"


def render_solutions(words: Words, draw: Draw, *, exact: bool) -> list[Html]:
    """The best that could be made, step by step, unless somebody made the target; and what is in reach."""
    lines = []
    if not exact and draw.best:  # it is kept back where nobody may see it
        lines.append(words.translate("Best: <b>{best}</b>", best=format_answer(draw.best)))
        lines += [Html(f"   {escape_value(step)}") for step in list_steps(solver.parse(draw.best))]
    reach = words.translate(
        "These tiles reach {reach} of {all} targets.", reach=draw.reachable_count, all=len(TARGETS)
    )
    return [*lines, reach]


def render_explanation(words: Words, target: int, answer: str) -> Html:
    """The best of a question with its steps, and that the target is out of reach where it is."""
    best = solver.parse(answer)
    lines = [Html(escape_value(f"{number}. {step}")) for number, step in enumerate(list_steps(best), start=1)]
    whole = words.translate("Best: <b>{best}</b>", best=format_answer(answer))
    if best.value == target:
        return Html("\n".join([whole, *lines]))
    away = words.translate(
        "{target} is out of reach: this is {off} away.", target=target, off=abs(best.value - target)
    )
    return Html("\n".join([away, whole, *lines]))


def render_invalid_target(words: Words, numbers: Sequence[int]) -> Html:
    """Said to who asks for what can be no target, or names none."""
    return words.translate(
        "A target is a whole number from {least} to {most}: /why {numbers} = {example}",
        least=TARGETS.start,
        most=TARGETS.stop - 1,
        numbers=" ".join(map(str, numbers)),
        example=EXAMPLE,
    )


def render_advice(words: Words) -> Html:
    """What to try, for somebody who finds draws hard."""
    return words.translate(
        "Make a large tile times a small one come near first; the rest mends what is missing."
    )


def list_settings(words: Words, seconds: int) -> list[Setting]:
    """How long a round lasts, where `seconds` holds."""
    return [
        Setting(
            "countdown_seconds",
            words.translate_plain("Countdown’s clock"),
            words.translate_plain("{n} s", n=seconds),
            words.translate("How long a round of Countdown lasts."),
            make_number_choices(ROUND_LENGTHS),
        )
    ]
