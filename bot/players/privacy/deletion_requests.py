"""Those who asked to be forgotten and wait for the copy of what is kept of them.

A wish is a stored request: *waiting* until the file has arrived, a *wish* when Telegram did not take it, or
may not have. So it outlives the process like every other request, and goes with the person's lane in the end.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, delete, or_, select, update

from bot.database import Tx, parse_number, parse_object
from bot.database.schema import outbox
from bot.queue.queries import DELETION_KINDS, SEND_PERSONAL_DATA, insert_request

COPY, QUESTION, LAST_WORD = DELETION_KINDS
TOLD = "told"  # The trouble of a file that may not have come, once the person knows
# What Telegram says when a person can't be written to any more.
UNREACHABLE = ("forbidden", "blocked", "deactivated", "chat not found", "peer_id_invalid")
UNSURE = "may have arrived"


@dataclass(frozen=True, slots=True)
class UndeliveredRequest:
    """A request of somebody's wish that was not delivered."""

    id: int
    player_id: int
    kind: str  # FILE, QUESTION or LAST_WORD
    trouble: str
    at: float  # When it was asked for; of a file, when the person was told that it may not have come
    language: str

    @property
    def is_informed(self) -> bool:
        """Whether the person knows that the file may not have come."""
        return self.trouble == TOLD

    @property
    def may_have_arrived(self) -> bool:
        """Whether it may have come all the same."""
        return self.trouble.startswith(UNSURE)

    @property
    def is_unreachable(self) -> bool:
        """Whether nothing can be said to the person any more."""
        return any(sign in self.trouble.lower() for sign in UNREACHABLE)


def load_undelivered_requests(tx: Tx) -> list[UndeliveredRequest]:
    """The requests of wishes that were not delivered."""
    return _requests(tx, outbox.c.state == "wish")


def _requests(tx: Tx, which: ColumnElement[bool]) -> list[UndeliveredRequest]:
    rows = tx.execute(select(outbox).where(which).order_by(outbox.c.id))
    return [request for row in rows if (request := _failed(row))]


def _failed(row: Row[Any]) -> UndeliveredRequest | None:
    """The request; None for a row that can't be read."""
    body = parse_object(row.body)
    kind, _, number = str(body.get("about")).partition(":")
    player_id, language = parse_number(number), str(body.get("language", "en"))
    return (
        UndeliveredRequest(row.id, player_id, kind, row.trouble or "", row.at, language)
        if player_id
        else None
    )


def is_request_waiting(tx: Tx, player_id: int, kind: str) -> bool:
    """Whether such a request is on its way to the person."""
    mine = (outbox.c.lane == player_id, outbox.c.state == "waiting", _about(f'{kind}:{player_id}"'))
    return tx.execute(select(outbox.c.id).where(*mine)).first() is not None


def is_question_stored(tx: Tx, player_id: int) -> bool:
    """Whether the question is stored: on its way, or not delivered."""
    mine = (outbox.c.lane == player_id, _about(f'{QUESTION}:{player_id}"'))
    return tx.execute(select(outbox.c.id).where(*mine)).first() is not None


def delete_requests(tx: Tx, player_id: int) -> None:
    """The person is not to be forgotten after all, or asks anew."""
    mine = or_(*(_about(f'{kind}:{player_id}"') for kind in (COPY, QUESTION, LAST_WORD)))
    tx.execute(delete(outbox).where(outbox.c.lane == player_id, mine))


def mark_informed(tx: Tx, player_id: int, now: float) -> None:
    """The person knows since `now` that the file may not have come."""
    mine = (outbox.c.lane == player_id, outbox.c.state == "wish", _about(f'{COPY}:{player_id}"'))
    tx.execute(update(outbox).where(*mine).values(trouble=TOLD, at=now))


def enqueue_copy_again(tx: Tx, player_id: int, language: str, now: float) -> None:
    """The file that arrived was out of date already: another one is due."""
    again = insert_request(tx, player_id, make_copy_request(player_id, language), now)
    tx.execute(update(outbox).where(outbox.c.id == again.id).values(state="again"))


def delete_request(tx: Tx, request: UndeliveredRequest) -> None:
    """Delete a request."""
    tx.execute(delete(outbox).where(outbox.c.id == request.id))


def make_copy_request(player_id: int, language: str) -> dict[str, Any]:
    """The stored request of a person's copy, which is drawn when it is sent."""
    about = f"{COPY}:{player_id}"
    return {"method": SEND_PERSONAL_DATA, "player": player_id, "language": language, "about": about}


def _about(what: str) -> ColumnElement[bool]:
    return outbox.c.body.contains(f'"about": "{what}', autoescape=True)
