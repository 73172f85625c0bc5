"""Move a group that has become a supergroup, which gives it another id."""

from typing import Any

from sqlalchemy import Row, delete, select, update

from bot.database import Tx, build_upsert
from bot.database.schema import chains, chats, duels, lost_messages, races, rounds, runs
from bot.modes.daily import queries as daily
from bot.players import private_replies
from bot.players.choices import StoredChoices
from bot.players.preferences import AWAITED_KEY
from bot.players.queries import CHAT
from bot.queue import scheduled_posts
from bot.rounds.ledger import move_tallies
from bot.standings.leaderboard import queries as boards


def move_chat(tx: Tx, old: int, new: int) -> None:
    """Move everything of chat `old` to chat `new` and delete `old`; do nothing if `old` is not stored.

    An open hand of `old` ends where `new` has one in the same topic.
    """
    row = tx.execute(CHAT, {"number": old}).first()
    if old == new or row is None:
        return
    _move_choices(tx, old=row, new_id=new)
    open_topics = select(rounds.c.topic).where(rounds.c.chat_id == new, rounds.c.state == "open")
    is_second_hand = (rounds.c.chat_id == old, rounds.c.state == "open", rounds.c.topic.in_(open_topics))
    tx.execute(update(rounds).where(*is_second_hand).values(state="skipped", closed=rounds.c.opened))
    # Messages keep their numbers in the old chat only: an open hand is shown again in the new one
    tx.execute(
        update(rounds).where(rounds.c.chat_id == old).values(chat_id=new, message_id=None, asked_id=None)
    )
    tx.execute(update(races).where(races.c.chat_id == old).values(chat_id=new))
    tx.execute(update(chains).where(chains.c.chat_id == old).values(chat_id=new))
    tx.execute(update(runs).where(runs.c.group_id == old).values(group_id=new))
    tx.execute(update(duels).where(duels.c.chat_id == old).values(chat_id=new, message_id=None))
    tx.execute(delete(lost_messages).where(lost_messages.c.chat_id == old))
    boards.move_awards(tx, old, new)
    daily.move_seats(tx, old, new)
    scheduled_posts.move_posts(tx, old, new)
    private_replies.move_replies(tx, old, new)
    move_tallies(tx, old, new)
    tx.execute(delete(chats).where(chats.c.id == old))


def _move_choices(tx: Tx, old: Row[Any], new_id: int) -> None:
    """Store the new chat with the choices of chat `old`; if it is stored already, its own take precedence."""
    new = tx.execute(CHAT, {"number": new_id}).first()
    # The settings menu that waits for a value is a message of the old chat
    settings = StoredChoices.parse(old.settings).replace(AWAITED_KEY, value=None)
    for key, value in StoredChoices.parse(new.settings if new else None).values.items():
        settings = settings.replace(key, value)
    values = {
        "kind": "supergroup",
        "language": (new.language if new else None) or old.language,
        "settings": str(settings),
        "patience": new.patience if new else old.patience,
    }
    tx.execute(build_upsert(tx.dialect.name, chats, updated=tuple(values)), {"id": new_id, **values})
