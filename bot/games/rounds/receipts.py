"""The message of a round: drawn as it stands when its turn comes, remembered once it has arrived, or lost."""

from typing import Any

from bot.database import Store, Tx
from bot.delivery.queries import SHOW
from bot.delivery.timers import hourly
from bot.games.rounds import queries as rounds
from bot.games.rounds import reveals
from bot.games.rounds.deadlines import DEADLINES
from bot.games.rounds.rules import starting
from bot.games.rounds.scene import scene
from bot.games.rounds.view import living
from bot.i18n import words
from bot.telegram import messages
from bot.telegram.routes import DRAWN, Delivered, Lost, Routes

DEAL = "deal"


async def drawn(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The request that shows a round as it stands: a post the first time, an edit from then on."""
    found = await store.read(lambda tx: scene(tx, body["round"], now))
    if found is None:
        return None
    round, around = found
    if round.message_id is None and not round.seen:
        round = starting(round, now)
    text, keyboard = living(round, words(round.language), around)
    if round.message_id is not None:
        redrawn = messages.edit(round.chat_id, round.message_id, text, keyboard).body
        return {**redrawn, "about": f"{DRAWN}:{round.id}"}
    return messages.post(
        round.chat_id,
        text,
        topic=round.topic,
        reply_to=round.asked_id,
        keyboard=keyboard,
        about=f"{DEAL}:{round.id}",
    ).body


def dealt(tx: Tx, deal: Delivered) -> None:
    """A round was posted: it is known by its message from now on, and its time runs."""
    rounds.dealt(tx, deal.number, int(deal.result["message_id"]), deal.at, deal.since)


def redrawn(tx: Tx, edit: Delivered) -> None:
    """A round's message was drawn anew: its time runs, if that is how it was first shown."""
    rounds.first_shown(tx, edit.number, edit.now)


def lost(tx: Tx, message: Lost) -> bool:
    """A round's message can't be changed any more; whether the round is to get a new one."""
    if message.about.partition(":")[0] != DRAWN:
        return False
    return rounds.lose_message(tx, message.chat_id, message.message_id, unasked=message.unasked)


ROUTES = Routes(
    draws={SHOW: drawn},
    receipts={DEAL: dealt, DRAWN: redrawn},
    losing=[lost],
    timed=[DEADLINES, hourly("what people were shown long ago", reveals.sweep)],
)
