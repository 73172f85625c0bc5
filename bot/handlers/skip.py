"""/skip, and the button under a deal: who dealt and admins end the round, others vote."""

from bot import reply
from bot.handlers.play import nothing_open, out_of_time, pressed_round
from bot.handlers.race import follow
from bot.handlers.solve import Spoiled, refused
from bot.reply import Outgoing
from bot.round import VOTES_TO_SKIP, Round, State, in_time, skip
from bot.store import Tx, reveals, rounds
from bot.turn import Move, Turn, saying

COUNTED = "👌"


async def skip_hand(turn: Turn) -> Move:
    """/skip: end the live round and show its solutions."""
    live = await turn.services.store.read(lambda tx: rounds.live(tx, turn.chat.id, turn.topic))
    return await _skip(turn, live)


async def skip_pressed(turn: Turn) -> Move:
    """The button: end the round above it, if it is still the live one."""
    return await _skip(turn, await pressed_round(turn))


async def _skip(turn: Turn, round: Round | None) -> Move:
    if round is None or round.state is not State.OPEN:
        return lambda tx: nothing_open(turn, tx)
    dealt = turn.player is not None and turn.player.id == round.dealer_id
    at_once = dealt or await turn.is_admin()
    if turn.player is None and not at_once:
        return saying(*turn.answer())
    return lambda tx: _end_or_vote(turn, tx, round.id, at_once=at_once)


def _end_or_vote(turn: Turn, tx: Tx, round_id: int, *, at_once: bool) -> list[Outgoing]:
    present = rounds.by_id(tx, round_id)
    if present is None or present.state is not State.OPEN:
        return nothing_open(turn, tx)
    if not in_time(present, turn.now):
        return out_of_time(turn, tx)
    if turn.player is None and reveals.live(tx, [reveals.hand(present)], but=present.id):
        return refused(turn, Spoiled.NOBODY)
    if at_once or turn.player is None:
        return [*_end(turn, tx, present), *turn.answer()]
    votes = rounds.vote(tx, round_id, turn.player.id)
    said = turn.words.plain("Skip {votes}/{needed}", votes=votes, needed=VOTES_TO_SKIP)
    if votes >= VOTES_TO_SKIP:
        return [*_end(turn, tx, present), *turn.answer(said)]
    if turn.query or turn.message is None:
        return [reply.show(present), *turn.answer(said)]
    return [reply.show(present), reply.react(turn.chat.id, turn.message.message_id, COUNTED)]


def _end(turn: Turn, tx: Tx, present: Round) -> list[Outgoing]:
    skipped = skip(present, turn.now)
    said = turn.message.message_id if turn.message and not turn.query else None
    if not rounds.close(tx, skipped):
        return []
    if turn.player:  # an admin who never played here counts as no player of this chat
        reveals.remember(tx, [turn.player.id], [reveals.ended(present)], turn.now)
    return follow(tx, skipped, turn.begins, said)
