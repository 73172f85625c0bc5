"""Render the lesson's hand."""

from bot.i18n import Html, Words, escape_value
from bot.rounds.message_lines import NEXT_BUTTON, SKIP_BUTTON
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.telegram.messages import Keyboard


def render_lesson_message(
    round: Round, words: Words, *, for_spectator: bool = False
) -> tuple[Html, Keyboard]:
    """Render the lesson's hand, open or over. `for_spectator` leaves out how to answer."""
    game = GAMES[round.game]
    if round.state is not State.OPEN:
        lines = [*game.render_deal(round.puzzle), *_render_end(round, words)]
        return Html("\n".join(lines)), [[(words.translate_plain("Next hand"), f"{NEXT_BUTTON}:{round.id}")]]
    if for_spectator:
        rule = game.render_rule(words, round, finds=())
    else:
        rule = game.task(words, round, finds=(), private=True)
    lines = [
        Html(f"🎓 {words.translate('Your first hand: 20 seconds, no points.')}"),
        *game.render_deal(round.puzzle),
        rule,
        *(Html(f"💡 {game.render_hint(words, round.puzzle, number)}") for number in range(round.hints_shown)),
    ]
    return Html("\n".join(lines)), [[(words.translate_plain("Show me"), f"{SKIP_BUTTON}:{round.id}")]]


def _render_end(round: Round, words: Words) -> list[Html]:
    """Render the player's answer if it was right; else that the time is up, or no answer, and a solution."""
    game = GAMES[round.game]
    if round.state is State.WON:
        answer = escape_value(game.format_answer(round.puzzle, round.answer or ""))
        return [Html(f"🏆 <b>{answer}</b>"), words.translate("That’s it, well done! Now one for points?")]
    heading = words.translate("Like this:")
    if round.state is State.EXPIRED:
        heading = words.translate("Time’s up – no harm done.")
    return [
        heading,
        Html(f"💭 <b>{escape_value(game.solution(round.puzzle))}</b>"),
        words.translate("A real hand gives you more time."),
    ]
