"""Takes taps on a board: checks them, and puts each into the inbox as an ordinary update of the person."""

import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from sqlalchemy import bindparam, select
from starlette.exceptions import HTTPException
from telegram import Bot

from bot.board import queries as boards
from bot.board import round_details, schemas, view
from bot.board.live_views import LiveViews
from bot.board.rules import OfflineOutcome, Person, Place
from bot.board.view import SharedView
from bot.board.view import load_shared_view as seen
from bot.database import Store, Tx
from bot.database.schema import inbox
from bot.i18n import Words, choose_language, escape_value, format_name, get_words
from bot.modes.daily import group_tables
from bot.modes.daily import queries as days
from bot.modes.daily import view as daily
from bot.modes.daily.group_tables import GroupLinks
from bot.modes.daily.rules import Attempt, get_day_date
from bot.players import queries as people
from bot.queue.queries import load_waiting_updates
from bot.rounds.message_lines import render_unsolved
from bot.rounds.puzzle import Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.telegram import board_updates
from bot.telegram.api import call_api
from bot.telegram.messages import Request, add_picture, edit_message, format_short_duration
from bot.web.server import make_retry_after_header

RESULT = "result"  # How the id of a result that is passed on begins


def judge_offline_solution(
    tx: Tx, person: Person, day: str, answer: str, at: float, now: float, way: GroupLinks
) -> tuple[tuple[OfflineOutcome, str], list[Request]]:
    """Take in a hand of a day that was solved at `at` by the page's clock; what its solver is told of it.

    With that the requests by which the hand's own message and groups' tables of the day, whose buttons lead
    that `way`, show it.
    """
    speech = get_words(choose_language(person.language))
    outcome, claimed = boards.insert_offline_solution(tx, person.id, day, answer, at, now)
    told = outcome, describe_offline_outcome(speech, outcome, day, claimed)
    attempt = days.load_attempt(tx, day, person.id) if outcome is OfflineOutcome.KEPT else None
    return told, [
        *_in_chat(tx, person, attempt),
        *group_tables.make_table_edits(tx, way, attempt, now),
    ] if attempt else []


def _in_chat(tx: Tx, person: Person, attempt: Attempt) -> list[Request]:
    """What takes the place of the hand in its message in private, where its player has it before them."""
    hand = days.load_hand(tx, attempt.day)
    if hand is None or attempt.message_id is None:
        return []
    language = people.load_chat(tx, person.id, "private").language or choose_language(person.language)
    text = daily.render_offline_hand(get_words(language), hand, attempt)
    changed = edit_message(person.id, attempt.message_id, text)
    return [add_picture(changed, "", language, shown_key=attempt.photo) if attempt.photo else changed]


def describe_offline_outcome(words: Words, outcome: OfflineOutcome, day: str, claimed: float) -> str:
    """What became of it, at the time that is kept; it may stand under another hand, so it says of which."""
    date = get_day_date(day)
    if outcome is OfflineOutcome.KEPT:
        return words.translate_plain(
            "Right! The hand of {day}, solved offline at {clock} UTC by your clock: no points.",
            day=date,
            clock=f"{datetime.fromtimestamp(claimed, UTC):%Y-%m-%d %H:%M}",
        )
    return {
        OfflineOutcome.DUPLICATE: words.translate_plain("You have solved that day’s hand offline already."),
        OfflineOutcome.FINISHED: words.translate_plain("You have done that day’s hand already."),
        OfflineOutcome.EXPIRED: words.translate_plain("That day’s hand is over."),
        OfflineOutcome.UNKNOWN: words.translate_plain("There is no such hand."),
        OfflineOutcome.NOT_DEALT: words.translate_plain(
            "You were never dealt that hand, so its answer can’t count. /daily has today’s."
        ),
        OfflineOutcome.WRONG: words.translate_plain(
            "That is not right. The hand of {day} is still yours to solve.", day=date
        ),
    }[outcome]


def build_shared_result(
    tx: Tx, place: Place, person: Person, language: str, now: float = 0.0, round_id: int = 0
) -> dict[str, Any] | None:
    """The result of the hand that is just over at a place, as a message that its reader may pass on.

    Where a contest stands beside a hand, `round_id` says which of the two is meant. None where nothing is
    over. It tells nobody how the hand is done, since others may still play it.
    """
    looked, speech = seen(tx, place, language, now), get_words(language)
    shown = next((part for part in looked.parts if part.round and part.round.id == round_id), looked)
    round = shown.round
    if round is None or round.state in (State.OPEN, State.RUNNING):
        return None
    username = people.load_fact(tx, people.USERNAME_FACT)
    lines = [escape_value(_title(round)), _outcome(speech, shown, round, person.id)]
    text = "\n".join([*lines, *([f"https://t.me/{username}"] if username else [])])
    content = {"message_text": text, "parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}
    number = f"{RESULT}-{round.id}-{person.id}"
    return {"type": "article", "id": number, "title": _title(round), "input_message_content": content}


def _title(round: Round) -> str:
    """What was dealt; of a contest, whose line only tells what its deal was committed to, its game."""
    return GAMES[round.game].title if round.kind is Kind.CONTEST else round.line


def _outcome(words: Words, shown: SharedView, round: Round, reader: int) -> str:
    won = round_details.describe_winner(round, shown.scene, reader)
    if won is None:
        drawn = round_details.describe_race(shown.scene, words.language, None)["ended"]
        return escape_value(drawn) if drawn else render_unsolved(round, words)
    took = (round.closed or 0.0) - round.opened
    time = f" · ⏱ {format_short_duration(words, took)}" if _is_timed(round) and took >= 0 else ""
    return f"🏆 {format_name(won['name'])}{time}"


def _is_timed(round: Round) -> bool:
    """Whether the winner's time says anything: there is one answer, and it ended all."""
    return round.kind is Kind.FIRST and round.race_id is None and round.state is State.WON


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
            update = board_updates.make_answer_update(
                place, kind, person, body["id"], body["answer"], now, round_id=round_id
            )
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
        update = board_updates.make_daily_answer_update(person, body["id"], day, body["answer"], self._now())

        def look(tx: Tx) -> bool:
            return days.load_attempt(tx, day, person.id) is not None or is_update_stored(
                tx, update["update_id"]
            )

        if not await self._store.read(look):
            raise HTTPException(409)
        await self._accept([update])

    async def accept_press(self, place: Place, person: Person, body: dict[str, Any]) -> None:
        """Put a press into the inbox. Raises HTTPException 409 if it is not offered, and was not stored."""
        now, data = self._now(), body["press"]

        def look(tx: Tx) -> tuple[str, bool]:
            kind = _load_chat_kind(tx, place)
            update = board_updates.make_press_update(place, kind, person, body["id"], data, now)
            if is_update_stored(tx, update["update_id"]):
                return kind, True
            state = view.build_state(
                tx, view.load_shared_view(tx, place, choose_language(person.language), now), person.id
            )
            return kind, data in list_offered_presses(state)

        kind, known = await self._store.read(look)
        if not known:
            raise HTTPException(409)
        await self._accept([board_updates.make_press_update(place, kind, person, body["id"], data, now)])

    async def accept_offline_solution(
        self, person: Person, body: dict[str, Any]
    ) -> tuple[OfflineOutcome, str]:
        """Judge a day's hand that was solved offline; return the outcome and its text.

        Raises HTTPException 503 while an answer waits that came with a connection: it is judged first, since
        it is worth more.
        """
        day, answer, at, now = body["day"], body["answer"], float(body["at"]), self._now()

        def work(tx: Tx) -> tuple[tuple[OfflineOutcome, str], list[Request]]:
            before = load_waiting_updates(tx, [person.id])
            if any(board_updates.is_daily_answer_update(json.loads(update.body), day) for update in before):
                raise HTTPException(503, headers=make_retry_after_header(1))
            return judge_offline_solution(tx, person, day, answer, at, now, self._way)

        return await self._answer(work)

    async def load_shared_result(self, place: Place, person: Person, round_id: int) -> dict[str, Any] | None:
        """Return the inline result that shows what the person won; None if there is nothing to share."""
        now, language = self._now(), choose_language(person.language)
        return await self._store.read(
            lambda tx: build_shared_result(tx, place, person, language, now, round_id)
        )

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
