"""Takes taps on a board: checks them, and puts each into the inbox as an ordinary update of the person."""

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Protocol, TypeVar

from sqlalchemy import bindparam, select
from starlette.exceptions import HTTPException
from telegram import Bot

from bot.board import queries as boards
from bot.board import said, schemas, view
from bot.board.limits import make_retry_after_header
from bot.board.rules import OfflineOutcome, Person, Place
from bot.board.scenes import LiveViews
from bot.database import Store, Tx
from bot.database.schema import inbox
from bot.i18n import choose_language
from bot.modes.daily import queries as days
from bot.modes.daily.tables import GroupLinks
from bot.players import queries as people
from bot.queue.queries import load_waiting_updates
from bot.telegram import taps
from bot.telegram.api import call_api
from bot.telegram.messages import Request

Answer = TypeVar("Answer")


class TransactionRunner(Protocol):
    """Runs work in one transaction beside all updates, sends its requests and returns its answer."""

    async def __call__(self, work: Callable[[Tx], tuple[Answer, list[Request]]], /) -> Answer: ...


class Submissions:
    """Takes what is tapped; `now` is Telegram's clock, `way` leads from groups to the private chat."""

    def __init__(
        self,
        store: Store,
        accept: Callable[[list[Any]], Awaitable[None]],
        answer: TransactionRunner,
        scenes: LiveViews,
        now: Callable[[], float],
        way: GroupLinks,
    ) -> None:
        self._store, self._accept, self._scenes, self._now = store, accept, scenes, now
        self._answer, self._way = answer, way

    async def accept_submission(self, place: Place, person: Person, body: dict[str, Any]) -> None:
        """Take a tap of any kind. Raises HTTPException: 400 for an unknown schema, 409 as below."""
        if schemas.is_answer(body):
            await self.accept_answer(place, person, body)
        elif schemas.is_press(body):
            await self.accept_press(place, person, body)
        elif schemas.is_daily_answer(body):
            await self.accept_daily_answer(person, body)
        else:
            schemas.raise_bad_request()

    async def accept_answer(self, place: Place, person: Person, body: dict[str, Any]) -> None:
        """Put an answer to a round into the inbox; the round's rules say whether it is in time.

        Raises HTTPException 409 if no such round is on the table, and the entry was not stored before.
        """
        now, round_id = self._now(), body["round"]

        def look(tx: Tx) -> tuple[dict[str, Any], bool]:
            kind = _load_chat_kind(tx, place)
            update = taps.make_answer_update(place, kind, person, body["id"], body["answer"], now, round_id=round_id)
            here = boards.is_round_on_table(tx, place, round_id)
            return update, here or is_update_stored(tx, update["update_id"])

        update, known = await self._store.read(look)
        if not known:
            raise HTTPException(409)
        await self._accept([update])

    async def accept_daily_answer(self, person: Person, body: dict[str, Any]) -> None:
        """Put an answer to the hand of a day into the inbox.

        Raises HTTPException 409 if the person was not dealt that hand, and the entry was not stored before.
        """
        day = body["day"]
        update = taps.make_daily_answer_update(person, body["id"], day, body["answer"], self._now())

        def look(tx: Tx) -> bool:
            return days.load_attempt(tx, day, person.id) is not None or is_update_stored(tx, update["update_id"])

        if not await self._store.read(look):
            raise HTTPException(409)
        await self._accept([update])

    async def accept_press(self, place: Place, person: Person, body: dict[str, Any]) -> None:
        """Put a press into the inbox. Raises HTTPException 409 if it is not offered, and was not stored."""
        now, data = self._now(), body["press"]

        def look(tx: Tx) -> tuple[str, bool]:
            kind = _load_chat_kind(tx, place)
            update = taps.make_press_update(place, kind, person, body["id"], data, now)
            if is_update_stored(tx, update["update_id"]):
                return kind, True
            state = view.build_state(tx, view.load_shared_view(tx, place, choose_language(person.language), now), person.id)
            return kind, data in list_offered_presses(state)

        kind, known = await self._store.read(look)
        if not known:
            raise HTTPException(409)
        await self._accept([taps.make_press_update(place, kind, person, body["id"], data, now)])

    async def accept_offline_solution(self, person: Person, body: dict[str, Any]) -> tuple[OfflineOutcome, str]:
        """Judge a day's hand that was solved offline; return the outcome and its text.

        Raises HTTPException 503 while an answer waits that came with a connection: it is judged first, since
        it is worth more.
        """
        day, answer, at, now = body["day"], body["answer"], float(body["at"]), self._now()

        def work(tx: Tx) -> tuple[tuple[OfflineOutcome, str], list[Request]]:
            before = load_waiting_updates(tx, [person.id])
            if any(taps.is_daily_answer_update(json.loads(update.body), day) for update in before):
                raise HTTPException(503, headers=make_retry_after_header(1))
            return said.judge_offline_solution(tx, person, day, answer, at, now, self._way)

        return await self._answer(work)

    async def load_shared_result(self, place: Place, person: Person, round_id: int) -> dict[str, Any] | None:
        """Return the inline result that shows what the person won; None if there is nothing to share."""
        now, language = self._now(), choose_language(person.language)
        return await self._store.read(lambda tx: said.build_shared_result(tx, place, person, language, now, round_id))

    async def prepare_shared_message(self, bot: Bot, person: Person, result: dict[str, Any]) -> str:
        """Let Telegram keep a result for the person to share, and return its id. Raises TelegramError."""
        chats = {"allow_user_chats": True, "allow_group_chats": True}
        asked = {"user_id": person.id, "result": json.dumps(result), **chats}
        kept = await call_api(bot, "savePreparedInlineMessage", asked)
        return str(kept["id"]) if isinstance(kept, dict) and "id" in kept else ""


STORED = select(inbox.c.update_id).where(inbox.c.update_id == bindparam("number"))


def is_update_stored(tx: Tx, update_id: int) -> bool:
    """Whether that update was stored before, be it handled or not."""
    return tx.scalar(STORED, {"number": update_id}) is not None


def _load_chat_kind(tx: Tx, place: Place) -> str:
    """Return the kind of chat: private, group, supergroup."""
    if place.chat_id > 0:
        return "private"
    return people.load_chat(tx, place.chat_id, "group").kind


def list_offered_presses(state: dict[str, Any]) -> set[str]:
    """Return the data of all buttons in a state, and in what stands beside it."""
    return {press for part in (state, state.get("beside") or {}) for press in _presses(part)}


def _presses(state: dict[str, Any]) -> Iterator[str]:
    for row in state.get("buttons") or ():
        yield from (str(button["press"]) for button in row)
    card = state.get("card") or {}
    yield from (str(row["press"]) for row in card.get("rows", ()) if row.get("press"))
