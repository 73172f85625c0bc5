"""The stored requests to Telegram of people who asked to be forgotten.
A person is forgotten once a copy of the stored data, or a last message, has arrived. The request for it waits
in the outbox like any other, and stays there in the state *wish* if Telegram refused it or it may not have
arrived.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, or_, select, update

from bot.database import Tx, parse_number, parse_object
from bot.database.schema import outbox
from bot.queue.queries import DELETION_KINDS, SEND_PERSONAL_DATA, insert_request

# The kinds: the copy; the question what to do, if the copy may not have arrived; the last message
COPY, QUESTION, LAST_WORD = DELETION_KINDS
INFORMED = "told"  # The trouble of a copy that may not have arrived, once the person knows that


@dataclass(frozen=True, slots=True)
class UndeliveredRequest:
    """A request that was refused or may not have arrived."""

    id: int
    player_id: int
    kind: str
    trouble: str
    at: float  # When it was made; of a copy with `is_informed`, when the person was informed
    language: str

    @property
    def is_informed(self) -> bool:
        """Whether the person knows that the copy may not have arrived."""
        return self.trouble == INFORMED

    @property
    def may_have_arrived(self) -> bool:
        """Whether nobody knows if the request has arrived."""
        return self.trouble.startswith("may have arrived")

    @property
    def is_unreachable(self) -> bool:
        """Whether Telegram says that the person can't be written to."""
        signs = ("forbidden", "blocked", "deactivated", "chat not found", "peer_id_invalid")
        return any(sign in self.trouble.lower() for sign in signs)


def load_undelivered_requests(tx: Tx) -> list[UndeliveredRequest]:
    """Return the undelivered requests, the oldest first; rows that can't be read are left out."""
    rows = tx.execute(select(outbox).where(outbox.c.state == "wish").order_by(outbox.c.id))
    return [request for row in rows if (request := _read_request(row))]


def _read_request(row: Row[Any]) -> UndeliveredRequest | None:
    body = parse_object(row.body)
    kind, _, number = str(body.get("about")).partition(":")
    player_id, language = parse_number(number), str(body.get("language", "en"))
    if not player_id:
        return None
    return UndeliveredRequest(row.id, player_id, kind, row.trouble or "", row.at, language)


def _is_of(player_id: int, *kinds: str) -> ColumnElement[bool]:
    """Make the condition that a row of the outbox is a person's request of one of these kinds."""
    marks = (f'"about": "{kind}:{player_id}"' for kind in kinds)
    any_mark = or_(*(outbox.c.body.contains(mark, autoescape=True) for mark in marks))
    return and_(outbox.c.lane == player_id, any_mark)


def is_request_waiting(tx: Tx, player_id: int, kind: str) -> bool:
    """Whether a request of that kind is waiting to be sent or being sent."""
    waiting = select(outbox.c.id).where(_is_of(player_id, kind), outbox.c.state == "waiting")
    return tx.execute(waiting).first() is not None


def is_question_stored(tx: Tx, player_id: int) -> bool:
    """Whether the question is waiting or undelivered."""
    return tx.execute(select(outbox.c.id).where(_is_of(player_id, QUESTION))).first() is not None


def make_copy_request(player_id: int, language: str) -> dict[str, Any]:
    """Make the stored form of a request whose copy is rendered when it is sent."""
    about = f"{COPY}:{player_id}"
    return {"method": SEND_PERSONAL_DATA, "player": player_id, "language": language, "about": about}


def enqueue_copy_again(tx: Tx, player_id: int, language: str, now: float) -> None:
    """Enqueue another copy, since the one that arrived was out of date."""
    again = insert_request(tx, player_id, make_copy_request(player_id, language), now)
    tx.execute(update(outbox).where(outbox.c.id == again.id).values(state="again"))


def mark_informed(tx: Tx, player_id: int, now: float) -> None:
    """Note that the person knows since `now` that the copy may not have arrived."""
    undelivered = update(outbox).where(_is_of(player_id, COPY), outbox.c.state == "wish")
    tx.execute(undelivered.values(trouble=INFORMED, at=now))


def delete_requests(tx: Tx, player_id: int) -> None:
    tx.execute(delete(outbox).where(_is_of(player_id, COPY, QUESTION, LAST_WORD)))


def delete_request(tx: Tx, request: UndeliveredRequest) -> None:
    tx.execute(delete(outbox).where(outbox.c.id == request.id))
