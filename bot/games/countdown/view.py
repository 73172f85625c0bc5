"""What is said of a draw: how it is dealt, why something does not count, and how it could have been done."""

from collections.abc import Sequence

import solver
from bot.admin.settings.choices import Setting, numbered
from bot.games.countdown.rules import LENGTHS, REACH, TARGETS, Barred, Draw
from bot.games.countdown.steps import worked
from bot.i18n import Html, Words, safe
from bot.rounds.puzzle import Tiles

EXAMPLE = 573  # A target, to show where one stands


def menu(words: Words) -> str:
    """The command's line in the menu."""
    return words.plain("six tiles and a target")


def about(words: Words) -> Html:
    """The rules in two short lines."""
    return words.say(
        "<b>Countdown</b>: six tiles and a target.\nCome as near as you can, each tile at most once."
    )


def dealt(draw: Draw) -> list[Html]:
    """The target, and the line."""
    return [Html(f"🎯 <b>{draw.target}</b>"), Html(safe(draw.line))]


def tiles(draw: Draw) -> Tiles:
    """The tiles, as a page lays them out."""
    numbers = tuple(map(str, draw.tiles))
    return Tiles(numbers, numbers, str(draw.target), every=False, whole=True, near=True)


def task(words: Words, *, private: bool) -> Html:
    """What is to be done."""
    if private:
        return words.say("Come near: each tile at most once.\nSend as many answers as you like.")
    return words.say("Come near: each tile at most once.\nReply to answer; your last one counts.")


def rule(words: Words) -> Html:
    """What the others do."""
    return words.say("Come near: each tile at most once.")


def task_of_the_day(words: Words) -> Html:
    """What is to be done alone, where only the best ends it."""
    return words.say("Make the target. Where nobody can, come as near as these tiles allow.")


def nearer(words: Words, draw: Draw, value: int) -> Html:
    """Said of the hand of a day, of an answer that others can do better than."""
    off = abs(value - draw.target)
    return words.say(
        "{value} is {off} away from {target}. It can be done nearer.",
        value=value,
        off=off,
        target=draw.target,
    )


def usage(words: Words, fragment: str) -> Html:
    """What the command takes."""
    return words.say(
        "“{fragment}”? Behind the command there is room for one number:"
        " how many large tiles, 0 to 4, as in /countdown 2.",
        fragment=fragment,
    )


def wrong_tiles(words: Words, draw: Draw, extra: Sequence[int]) -> Html:
    """Said of an entry with numbers that were not dealt, or too often."""
    strange = [number for number in extra if number not in draw.tiles]
    each = ", ".join(map(str, dict.fromkeys(strange or extra)))
    told = {"extra": each, "tiles": " ".join(map(str, draw.tiles))}
    if strange:
        return words.say("Not among the tiles: {extra}. There are {tiles}.", **told)
    return words.say("Too often: {extra}. There are {tiles}.", **told)


def not_whole(words: Words, why: Barred) -> Html:
    """Said of an entry that has a fraction or less than nothing on the way."""
    part, value = str(why.part), str(why.value)
    if why.value < 0:
        return words.say("{part} = {value}: nothing below zero on the way.", part=part, value=value)
    if why.value.denominator != 1:
        return words.say("{part} = {value}: only whole numbers on the way.", part=part, value=value)
    return words.say("{part} divides by zero.", part=part)


def too_far(words: Words, draw: Draw, value: int) -> Html:
    """Said of an entry that is too far from the target to count."""
    return words.say(
        "{value} is {off} away from {target}: only up to {most} away counts.",
        value=value,
        off=abs(value - draw.target),
        target=draw.target,
        most=REACH,
    )


def shown(answer: str) -> str:
    """An entry with what it makes."""
    return f"{answer} = {solver.parse(answer).value}"


def solutions(words: Words, draw: Draw, *, exact: bool) -> list[Html]:
    """The best that could be made, step by step, unless somebody made the target; and what is in reach."""
    lines = []
    if not exact and draw.best:  # it is kept back where nobody may see it
        lines.append(words.say("Best: <b>{best}</b>", best=shown(draw.best)))
        lines += [Html(f"   {safe(step)}") for step in worked(solver.parse(draw.best))]
    reach = words.say("These tiles reach {reach} of {all} targets.", reach=draw.reach, all=len(TARGETS))
    return [*lines, reach]


def explained(words: Words, target: int, answer: str) -> Html:
    """The best of a question with its steps, and that the target is out of reach where it is."""
    best = solver.parse(answer)
    lines = [Html(safe(f"{number}. {step}")) for number, step in enumerate(worked(best), start=1)]
    whole = words.say("Best: <b>{best}</b>", best=shown(answer))
    if best.value == target:
        return Html("\n".join([whole, *lines]))
    away = words.say(
        "{target} is out of reach: this is {off} away.", target=target, off=abs(best.value - target)
    )
    return Html("\n".join([away, whole, *lines]))


def no_target(words: Words, numbers: Sequence[int]) -> Html:
    """Said to who asks for what can be no target, or names none."""
    return words.say(
        "A target is a whole number from {least} to {most}: /why {numbers} = {example}",
        least=TARGETS.start,
        most=TARGETS.stop - 1,
        numbers=" ".join(map(str, numbers)),
        example=EXAMPLE,
    )


def advice(words: Words) -> Html:
    """What to try, for somebody who finds draws hard."""
    return words.say("Make a large tile times a small one come near first; the rest mends what is missing.")


def settings(words: Words, seconds: int) -> list[Setting]:
    """How long a round lasts, where `seconds` holds."""
    return [
        Setting(
            "countdown_seconds",
            words.plain("Countdown’s clock"),
            words.plain("{n} s", n=seconds),
            words.say("How long a round of Countdown lasts."),
            numbered(LENGTHS),
        )
    ]
