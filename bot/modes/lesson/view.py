"""The lesson's one message: the offer, and the hand that takes its place, as it stands."""

from bot.i18n import Html, Words, safe
from bot.rounds.known import GAMES
from bot.rounds.rules import Round, State
from bot.telegram.messages import Keyboard


def offer(words: Words) -> tuple[Html, Keyboard]:
    """The first hand is offered."""
    buttons = [(f"🎓 {words.plain('Try it: 20 seconds')}", "st:learn"), (words.plain("No, thanks"), "st:no")]
    return words.say("First time here? Try an easy hand."), [buttons]


def declined(words: Words) -> Html:
    """It is not wanted."""
    return words.say("All right. /play deals a hand any time.")


def living(round: Round, words: Words, *, looks_on: bool = False) -> tuple[Html, Keyboard]:
    """The hand, or its kind end with the way to a real one; `looks_on`: for who only reads."""
    game = GAMES[round.game]
    if round.state is State.OPEN:
        task = game.rule(words, round, ()) if looks_on else game.task(words, round, (), private=True)
        lines = [
            Html(f"🎓 {words.say('Your first hand: 20 seconds, no points.')}"),
            *game.dealt(round.puzzle),
            task,
            *(Html(f"💡 {game.hint(words, round.puzzle, number)}") for number in range(round.hints)),
        ]
        return Html("\n".join(lines)), [[(words.plain("Show me"), f"s:{round.id}")]]
    lines = [*game.dealt(round.puzzle), *_end(round, words)]
    return Html("\n".join(lines)), [[(words.plain("Next hand"), f"n:{round.id}")]]


def _end(round: Round, words: Words) -> list[Html]:
    game = GAMES[round.game]
    if round.state is State.WON:
        shown = safe(game.shown(round.puzzle, round.answer or ""))
        return [Html(f"🏆 <b>{shown}</b>"), words.say("That’s it, well done! Now one for points?")]
    told = words.say("Time’s up – no harm done.") if round.state is State.EXPIRED else words.say("Like this:")
    way = Html(f"💭 <b>{safe(game.solution(round.puzzle))}</b>")
    return [told, way, words.say("A real hand gives you more time.")]
