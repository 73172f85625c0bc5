"""What is said of a text that is no expression, whatever the game."""

from bot.games.written.spelling import OF_APPS
from bot.i18n import Html, Words


def unreadable(words: Words, reason: str, fragment: str) -> Html:
    """Why a text is no expression, in one line. The reasons are the solver's own codes."""
    if reason == "unknown" and fragment in tuple(OF_APPS):
        return words.say(
            "Your app turned signs into {emoji}. Write them without spaces, or turn off automatic emoji.",
            emoji=fragment,
        )
    sentences = {
        "empty": words.say("Write it like this: 8/(3-8/3)"),
        "too long": words.say("Too long: 256 characters at most."),
        "too many": words.say("Too long: 64 numbers and signs at most."),
        "too deep": words.say("Too many brackets in brackets: 16 at most."),
        "number too long": words.say("Numbers have at most 9 digits."),
        "unknown": words.say("I don’t know what “{fragment}” means.", fragment=fragment),
        "no name": words.say("I read only numbers and A J Q K, not “{fragment}”.", fragment=fragment),
        "no power": words.say("No powers here, only + − × ÷."),
        "no decimal": words.say("Whole numbers only, please."),
        "no sign": words.say("No minus in front of a number: write 27−3, not −3+27."),
        "no operator": words.say("A sign such as × is missing before “{fragment}”.", fragment=fragment),
        "no number": words.say("A number is missing before “{fragment}”.", fragment=fragment),
        "unfinished": words.say("A number is missing at the end."),
        "unclosed": words.say("A bracket is never closed."),
        "unopened": words.say("A bracket is closed that was never opened."),
        "unexpected": words.say("“{fragment}” can't stand there.", fragment=fragment),
        "other target": words.say("The target is another number than {fragment}.", fragment=fragment),
        "division by zero": words.say("That divides by zero: {fragment}", fragment=fragment),
    }
    return sentences.get(reason) or words.say("Sorry, I can’t read that.")
