"""The stored requests to Telegram of people who asked to be forgotten.
A person is forgotten once a copy of the stored data, or a last message, has arrived. The request for it waits
in the outbox like any other, and stays there in the state *wish* if Telegram refused it or it may not have
arrived.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, or_, select, update

from bot.database import Tx, parse_object
from bot.database.schema import outbox
from bot.i18n import SOURCE_LANGUAGE
from bot.queue.queries import DELETION_KINDS, SEND_PERSONAL_DATA, insert_request

# The kinds: the copy; the question what to do, if the copy may not have arrived; the last message
COPY, QUESTION, LAST_MESSAGE = DELETION_KINDS
INFORMED = "told"  # The trouble of a copy that may not have arrived, once the person knows that


@dataclass(frozen=True, slots=True)
class UndeliveredRequest:
    """A request that was refused or may not have arrived."""

    player_id: int
    kind: str
    trouble: str
    waits_since: float  # When it was made; of a copy in trouble `INFORMED`, when the person was informed
    language: str

    @property
    def is_unreachable(self) -> bool:
        """Whether Telegram says that the person can't be written to."""
        signs = ("forbidden", "blocked", "deactivated", "chat not found", "peer_id_invalid")
        return any(sign in self.trouble.lower() for sign in signs)


def load_undelivered_requests(tx: Tx) -> list[UndeliveredRequest]:
    """Return the undelivered requests, the oldest first."""
    undelivered = []
    stored = select(outbox).where(outbox.c.state == "wish")  # the state of undelivered ones
    for row in tx.execute(stored.order_by(outbox.c.id)):
        body = parse_object(row.body)
        kind, _, _player_id = body["about"].partition(":")
        language = body.get("language", SOURCE_LANGUAGE)
        undelivered.append(UndeliveredRequest(row.lane, kind, row.trouble or "", row.at, language))
    return undelivered


def _is_request_of(player_id: int, *kinds: str) -> ColumnElement[bool]:
    """Return the condition that a row of the outbox is a person's request of one of these kinds."""
    marks = (f'"about": "{kind}:{player_id}"' for kind in kinds)
    any_mark = or_(*(outbox.c.body.contains(mark, autoescape=True) for mark in marks))
    return and_(outbox.c.lane == player_id, any_mark)


def is_request_stored(tx: Tx, player_id: int, kind: str, *states: str) -> bool:
    """Whether a request of that kind is in one of these states of the outbox."""
    stored = select(outbox.c.id).where(_is_request_of(player_id, kind), outbox.c.state.in_(states))
    return tx.execute(stored).first() is not None


def make_copy_request(player_id: int, language: str) -> dict[str, Any]:
    """Make the stored form of a request whose copy is rendered when it is sent."""
    about = f"{COPY}:{player_id}"
    return {"method": SEND_PERSONAL_DATA, "player": player_id, "language": language, "about": about}


def enqueue_copy_again(tx: Tx, player_id: int, language: str, now: float) -> None:
    """Enqueue another copy, since the one that arrived was out of date."""
    new = insert_request(tx, player_id, make_copy_request(player_id, language), now)
    # The outbox takes up such rows by itself: a delivery handler can't return requests.
    tx.execute(update(outbox).where(outbox.c.id == new.id).values(state="again"))


def mark_informed(tx: Tx, player_id: int, now: float) -> None:
    """Note that the person knows since `now` that the copy may not have arrived."""
    undelivered = update(outbox).where(_is_request_of(player_id, COPY), outbox.c.state == "wish")
    tx.execute(undelivered.values(trouble=INFORMED, at=now))


def delete_requests(tx: Tx, player_id: int, *kinds: str) -> None:
    """Delete a person's requests of these kinds, waiting or undelivered."""
    tx.execute(delete(outbox).where(_is_request_of(player_id, *kinds)))
