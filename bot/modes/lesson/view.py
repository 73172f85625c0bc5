"""The lesson's one message: the offer, and the hand that takes its place, as it stands."""

from bot.i18n import Html, Words, escape_value
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.telegram.messages import Keyboard


def render_offer(words: Words) -> tuple[Html, Keyboard]:
    """The first hand is offered."""
    buttons = [
        (f"🎓 {words.translate_plain('Try it: 20 seconds')}", "st:learn"),
        (words.translate_plain("No, thanks"), "st:no"),
    ]
    return words.translate("First time here? Try an easy hand."), [buttons]


def render_declined(words: Words) -> Html:
    """It is not wanted."""
    return words.translate("All right. /play deals a hand any time.")


def render_lesson_message(
    round: Round, words: Words, *, for_spectator: bool = False
) -> tuple[Html, Keyboard]:
    """The hand, or its kind end with the way to a real one; `looks_on`: for who only reads."""
    game = GAMES[round.game]
    if round.state is State.OPEN:
        task = (
            game.render_rule(words, round, ()) if for_spectator else game.task(words, round, (), private=True)
        )
        lines = [
            Html(f"🎓 {words.translate('Your first hand: 20 seconds, no points.')}"),
            *game.render_deal(round.puzzle),
            task,
            *(
                Html(f"💡 {game.render_hint(words, round.puzzle, number)}")
                for number in range(round.hints_shown)
            ),
        ]
        return Html("\n".join(lines)), [[(words.translate_plain("Show me"), f"s:{round.id}")]]
    lines = [*game.render_deal(round.puzzle), *_end(round, words)]
    return Html("\n".join(lines)), [[(words.translate_plain("Next hand"), f"n:{round.id}")]]


def _end(round: Round, words: Words) -> list[Html]:
    game = GAMES[round.game]
    if round.state is State.WON:
        shown = escape_value(game.format_answer(round.puzzle, round.answer or ""))
        return [Html(f"🏆 <b>{shown}</b>"), words.translate("That’s it, well done! Now one for points?")]
    told = (
        words.translate("Time’s up – no harm done.")
        if round.state is State.EXPIRED
        else words.translate("Like this:")
    )
    way = Html(f"💭 <b>{escape_value(game.solution(round.puzzle))}</b>")
    return [told, way, words.translate("A real hand gives you more time.")]
