"""Why an answer doesn't win, in one line."""

from collections.abc import Sequence

import solver
from bot.games.twentyfour.view import mixed
from bot.i18n import Html, Words


def wrong(words: Words, verdict: solver.Verdict, target: int) -> Html:
    """Why an answer doesn't win, in one line."""
    match verdict:
        case solver.WrongValue(value=value, expression=expression):
            return words.say(
                "{expression} = {value}, not {target}.",
                expression=str(expression),
                value=mixed(value),
                target=target,
            )
        case solver.WrongNumbers(missing=missing, extra=extra):
            return _wrong_numbers(words, missing, extra)
        case solver.Unreadable(reason=reason, fragment=fragment):
            return unreadable(words, reason, fragment)
    raise TypeError(f"not a wrong answer: {verdict!r}")


def _wrong_numbers(words: Words, missing: Sequence[int], extra: Sequence[int]) -> Html:
    parts = {"missing": ", ".join(map(str, missing)), "extra": ", ".join(map(str, extra))}
    if missing and extra:
        return words.say("Use each dealt number once. Missing: {missing}; too many: {extra}.", **parts)
    if missing:
        return words.say("Use each dealt number once. Missing: {missing}.", **parts)
    return words.say("Use each dealt number once. Too many: {extra}.", **parts)


def unreadable(words: Words, reason: str, fragment: str) -> Html:
    """Why a text is no expression, in one line. The reasons are the solver's own codes."""
    sentences = {
        "empty": words.say("Write an expression, such as 8/(3-8/3)."),
        "too long": words.say("That is too long to be an answer: 256 characters at most."),
        "too many": words.say("That is too long to be an answer: 64 numbers and signs at most."),
        "too deep": words.say("The brackets are nested too deeply: 16 at most."),
        "number too long": words.say("Numbers have at most 9 digits."),
        "unknown": words.say("“{fragment}” has no meaning here.", fragment=fragment),
        "no name": words.say("Only numbers and A J Q K are read, not “{fragment}”.", fragment=fragment),
        "no power": words.say("Powers are not part of the game, only + − × ÷."),
        "no decimal": words.say("Numbers are whole here, without a point or comma."),
        "no sign": words.say("A number takes no sign of its own: write 27−3, not −3+27."),
        "no operator": words.say("A sign such as × is missing before “{fragment}”.", fragment=fragment),
        "no number": words.say("A number is missing before “{fragment}”.", fragment=fragment),
        "unfinished": words.say("A number is missing at the end."),
        "unclosed": words.say("A bracket is never closed."),
        "unopened": words.say("A bracket is closed that was never opened."),
        "unexpected": words.say("“{fragment}” can't stand there.", fragment=fragment),
        "other target": words.say("The target is another number than {fragment}.", fragment=fragment),
        "division by zero": words.say("That divides by zero: {fragment}", fragment=fragment),
    }
    return sentences.get(reason) or words.say("That is no expression I can read.")
