"""Where a group is spoken to that did not ask, and in which language."""

from dataclasses import dataclass

from sqlalchemy import bindparam, select

from bot.admin.settings import hours
from bot.admin.settings import rules as preferences
from bot.admin.settings.rules import GENERAL_TOPIC
from bot.database import Tx
from bot.database.schema import rounds
from bot.i18n import SOURCE
from bot.players import queries as people


@dataclass(frozen=True, slots=True)
class PostTarget:
    """Where and how."""

    topic: int  # The topic's thread, 0 where there is none
    language: str


LATEST = (
    select(rounds.c.topic, rounds.c.language)
    .where(rounds.c.chat_id == bindparam("chat"))
    .order_by(rounds.c.id.desc())
    .limit(1)
)


def load_post_target(tx: Tx, chat_id: int) -> PostTarget:
    """What the group chose; where it chose nothing, where and as its last hand was dealt."""
    chat = people.load_chat(tx, chat_id, "supergroup")
    last = tx.execute(LATEST, {"chat": chat_id}).first()
    chosen = preferences.read_preferences(chat)
    topic = chosen.topic or (last.topic if last else 0)
    language = chat.language or (last.language if last else hours.read_language(chosen)) or SOURCE
    return PostTarget(0 if topic == GENERAL_TOPIC else topic, language)
