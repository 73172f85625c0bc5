"""/skip, and the button under a deal: who dealt and admins end the round, others vote."""

from bot.database import Tx
from bot.delivery.intake import Kind as Work
from bot.games.puzzle import Query
from bot.games.rounds import queries as rounds
from bot.games.rounds import reveals, tries
from bot.games.rounds.commands import nothing_open, out_of_time, pressed_round, react
from bot.games.rounds.endings import follow
from bot.games.rounds.rules import VOTES_TO_SKIP, Round, State, ended, in_time
from bot.games.rounds.secrets import Spoiled, refused
from bot.telegram import messages
from bot.telegram.context import Context, Effect, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Button, Command, Routes

COUNTED = "👌"


async def skip_hand(context: Context) -> Effect:
    """/skip: end the live round and show its solutions."""
    live = await context.services.store.read(lambda tx: rounds.live(tx, context.chat.id, context.topic))
    return await _skip(context, live)


async def skip_pressed(context: Context) -> Effect:
    """The button: end the round above it, if it is still the live one."""
    return await _skip(context, await pressed_round(context))


async def _skip(context: Context, round: Round | None) -> Effect:
    if round is None or round.state is not State.OPEN:
        return lambda tx: nothing_open(context, tx)
    dealt = context.player is not None and context.player.id == round.dealer_id
    at_once = dealt or await context.is_admin()
    if context.player is None and not at_once:
        return saying(*context.answer())
    return lambda tx: _end_or_vote(context, tx, round.id, at_once=at_once)


def _end_or_vote(context: Context, tx: Tx, round_id: int, *, at_once: bool) -> list[Request]:
    present = rounds.by_id(tx, round_id)
    if present is None or present.state is not State.OPEN:
        return nothing_open(context, tx)
    if not in_time(present, context.now):
        return out_of_time(context, tx)
    if context.player is None and reveals.live(tx, [Query(present.line)], but=present.id):
        return refused(context, Spoiled.NOBODY)
    if at_once or context.player is None:
        return [*_end(context, tx, present), *context.answer()]
    votes = tries.vote(tx, round_id, context.player.id)
    said = context.words.plain("Skip {votes}/{needed}", votes=votes, needed=VOTES_TO_SKIP)
    if votes >= VOTES_TO_SKIP:
        return [*_end(context, tx, present), *context.answer(said)]
    if context.query or context.message is None:
        return [messages.show(present), *context.answer(said)]
    return [messages.show(present), *react(context, COUNTED)]


def _end(context: Context, tx: Tx, present: Round) -> list[Request]:
    skipped = ended(present, State.SKIPPED, context.now)
    said = context.message.message_id if context.message and not context.query else None
    if not rounds.close(tx, skipped):
        return []
    if context.player:  # an admin who never played here counts as no player of this chat
        reveals.remember(tx, [context.player.id], [reveals.ended(present)], context.now)
    return follow(tx, skipped, context.begins, said)


ROUTES = Routes(
    commands=[
        Command(
            "skip",
            skip_hand,
            Work.COMMAND,
            lambda said: said.plain("give the hand up and see how it is done"),
        )
    ],
    buttons=[Button("s", skip_pressed, Work.DEALING)],
)
