"""/start and /help, and the first word in a group."""

from bot.turn import Move, Turn, saying
from bot.words import Html, Words


def help_text(words: Words, *, group: bool) -> Html:
    """How to play, on one screen."""
    lines = [
        words.say(
            "<b>Twenty-Four</b>: make the target from all the numbers, each used once,"
            " with + − × ÷ and brackets."
        ),
        Html(""),
        words.say("/play deals a hand"),
        words.say("/a 8/(3-8/3) answers it") if group else words.say("Send an expression to answer it"),
        words.say("/hint shows a hint"),
        words.say("/skip gives the hand up and shows how it is done"),
        words.say("/solve 3 8 3 8 shows how any hand is done"),
        words.say("/leaderboard shows who leads here"),
        words.say("/stats shows your own figures"),
    ]
    if group:
        lines += [Html(""), words.say("In a group, reply to the deal with your expression, or use /a.")]
    return Html("\n".join(lines))


async def help_(turn: Turn) -> Move:
    """How to play."""
    return saying(turn.say(help_text(turn.words, group=not turn.chat.private)))
