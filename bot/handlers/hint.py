"""/hint, and the button under a deal: one more hint in the deal's message."""

from bot import preferences, reply
from bot.handlers.play import aside, nothing_open, out_of_time, pressed_round
from bot.reply import Outgoing
from bot.round import Round, State, buy_hint, in_time
from bot.store import Tx, reveals, rounds
from bot.turn import Move, Turn


async def hint(turn: Turn) -> Move:
    """/hint: for the round that is live here."""
    return lambda tx: _hint(turn, tx, rounds.live(tx, turn.chat.id, turn.topic))


async def hint_pressed(turn: Turn) -> Move:
    """The button: for the round above it."""
    pressed = await pressed_round(turn)
    return lambda tx: _hint(turn, tx, rounds.by_id(tx, pressed.id) if pressed else None)


def _hint(turn: Turn, tx: Tx, round: Round | None) -> list[Outgoing]:
    if round is None or round.state is not State.OPEN:
        return nothing_open(turn, tx)
    if not in_time(round, turn.now):
        return out_of_time(turn, tx)
    if turn.player is None:
        return turn.answer()
    if not preferences.of(turn.chat).hints:
        return aside(turn, tx, turn.words.say("This chat plays without hints."))
    bought = buy_hint(round)
    if bought == round:
        return aside(turn, tx, turn.words.say("There are no more hints for this hand."), quiet=True)
    rounds.show_hints(tx, bought)
    shown, asked = bought.hints, [reveals.hand(round)]
    reveals.remember(tx, [turn.chat.id, turn.player.id], asked, turn.now, but=round.id, hints=shown)
    return [reply.show(bought), *turn.answer()]
