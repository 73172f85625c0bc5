"""Accept what players submit on a page: answers and presses become Telegram updates of the player."""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from sqlalchemy import bindparam, select
from starlette.exceptions import HTTPException
from telegram import Bot

from bot.board import queries as boards
from bot.board import round_details, view
from bot.board.rules import OfflineOutcome, Person, Place
from bot.database import Store, Tx
from bot.database.schema import inbox
from bot.i18n import Words, choose_language, escape_value, format_name, get_words
from bot.modes.daily import group_tables
from bot.modes.daily import queries as days
from bot.modes.daily import view as daily_view
from bot.modes.daily.group_tables import GroupLinks
from bot.modes.daily.rules import Attempt, DailyHand, get_day_date
from bot.players import queries as people
from bot.queue.queries import load_waiting_updates
from bot.rounds.message_lines import render_unsolved
from bot.rounds.puzzle import Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.telegram import board_updates
from bot.telegram.api import call_api
from bot.telegram.messages import NO_PICTURE, Request, add_picture, edit_message, format_short_duration
from bot.web.server import make_retry_after_header


def judge_offline_solution(
    tx: Tx, person: Person, day: str, answer: str, claimed_at: float, now: float, links: GroupLinks
) -> tuple[tuple[OfflineOutcome, str], list[Request]]:
    """Store a daily hand solved offline, if the answer is right; return the outcome, its text and requests.

    `claimed_at` is when it was solved by the page's clock. The requests update the hand's own message and
    the tables of the day in the player's groups; none if nothing was stored.
    """
    words = get_words(choose_language(person.language))
    outcome, solved_at = boards.insert_offline_solution(tx, person.id, day, answer, claimed_at, now)
    result = outcome, describe_offline_outcome(words, outcome, day, solved_at)
    hand = days.load_hand(tx, day)
    attempt = days.load_attempt(tx, day, person.id)
    if outcome is not OfflineOutcome.KEPT or hand is None or attempt is None:
        return result, []
    hand_edits = _make_hand_edits(tx, person, hand, attempt)
    return result, [*hand_edits, *group_tables.make_table_edits(tx, links, attempt, now)]


def _make_hand_edits(tx: Tx, person: Person, hand: DailyHand, attempt: Attempt) -> list[Request]:
    """Return the edit by which the daily hand's message shows the offline solution; [] without a message."""
    if attempt.message_id is None:
        return []
    language = people.load_chat(tx, person.id, "private").language or choose_language(person.language)
    text = daily_view.render_offline_hand(get_words(language), hand, attempt)
    request = edit_message(person.id, attempt.message_id, text)
    if attempt.photo:  # the picture that the message shows
        request = add_picture(request, kind=NO_PICTURE, language=language, shown_key=attempt.photo)
    return [request]


def describe_offline_outcome(words: Words, outcome: OfflineOutcome, day: str, solved_at: float) -> str:
    """Return the outcome as a sentence; it names the day, since the page may show another hand by then."""
    date = get_day_date(day)
    if outcome is OfflineOutcome.KEPT:
        return words.translate_plain(
            "Right! The hand of {day}, solved offline at {clock} UTC by your clock: no points.",
            day=date,
            clock=f"{datetime.fromtimestamp(solved_at, UTC):%Y-%m-%d %H:%M}",
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
    """Return the inline result with the winner of the round on a place's page; None unless it is over.

    Where the page shows two rounds, `round_id` may choose the second one. The text has no solution: others
    may still play.
    """
    words = get_words(language)
    shared = view.load_shared_view(tx, place, language, now)
    chosen_parts = [part for part in shared.parts if part.round and part.round.id == round_id]
    part = chosen_parts[0] if chosen_parts else shared
    round = part.round
    if round is None or round.state in (State.OPEN, State.RUNNING):
        return None
    title = GAMES[round.game].title if round.kind is Kind.CONTEST else round.line
    lines = [escape_value(title), _render_result(words, part, round, person.id)]
    username = people.load_fact(tx, people.USERNAME_FACT)  # the bot's
    if username:
        lines.append(f"https://t.me/{username}")
    preview = {"is_disabled": True}
    content = {"message_text": "\n".join(lines), "parse_mode": "HTML", "link_preview_options": preview}
    result_id = f"result-{round.id}-{person.id}"
    return {"type": "article", "id": result_id, "title": title, "input_message_content": content}


def _render_result(words: Words, part: view.SharedView, round: Round, reader_id: int) -> str:
    """Return the winner with the time taken; without one how the race ended, or that nobody solved it."""
    winner = round_details.describe_winner(round, part.snapshot, reader_id)
    if winner is None:
        race_end = round_details.describe_race(part.snapshot, words, reader_id=None)["ended"]
        return escape_value(race_end) if race_end else render_unsolved(round, words)
    seconds = (round.closed or 0.0) - round.opened
    # Elsewhere the winner's time means nothing: several answers count, or the clock decides.
    is_timed = round.kind is Kind.FIRST and round.race_id is None and round.state is State.WON
    time = f" · ⏱ {format_short_duration(words, seconds)}" if is_timed and seconds >= 0 else ""
    return f"🏆 {format_name(winner['name'])}{time}"


Answer = TypeVar("Answer")


class TransactionRunner(Protocol):
    """Run `work` in a transaction between updates, send the requests it returns, and return its answer."""

    async def __call__(self, work: Callable[[Tx], tuple[Answer, list[Request]]], /) -> Answer: ...


# Also if it is done
STORED_UPDATE_ID = select(inbox.c.update_id).where(inbox.c.update_id == bindparam("number"))


class Submissions:
    """Accepts submissions; `get_now` is Telegram's clock, `links` lead from groups to the private chat."""

    def __init__(
        self,
        store: Store,
        accept_updates: Callable[[list[Any]], Awaitable[None]],
        run_transaction: TransactionRunner,
        get_now: Callable[[], float],
        links: GroupLinks,
    ) -> None:
        self._store, self._get_now, self._links = store, get_now, links
        self._accept_updates, self._run_transaction = accept_updates, run_transaction

    async def accept_submission(self, place: Place, person: Person, body: dict[str, Any]) -> None:
        """Store an answer or press as an update.

        Raises HTTPException 409 if the page does not offer it, unless it was stored before: a page that got
        no response sends it again.
        """
        now = self._get_now()

        def make_accepted_update(tx: Tx) -> dict[str, Any] | None:
            """Return the update of the submission; None if it can't be accepted."""
            update, is_offered = _make_update(tx, place, person, body, now)
            if is_offered or tx.scalar(STORED_UPDATE_ID, {"number": update["update_id"]}) is not None:
                return update
            return None

        update = await self._store.read(make_accepted_update)
        if update is None:
            raise HTTPException(409)
        await self._accept_updates([update])

    async def accept_offline_solution(
        self, person: Person, body: dict[str, Any]
    ) -> tuple[OfflineOutcome, str]:
        """Judge and store a daily hand that was solved offline; return the outcome and its text.

        Raises HTTPException 503 while an answer sent with a connection waits: that one is worth more points.
        """
        day, answer = body["day"], body["answer"]
        solved_at = float(body["at"])
        now = self._get_now()

        def judge(tx: Tx) -> tuple[tuple[OfflineOutcome, str], list[Request]]:
            """Return the outcome, its text and requests. Raises HTTPException while an answer waits."""
            for waiting in load_waiting_updates(tx, [person.id]):
                if board_updates.is_daily_answer_update(json.loads(waiting.body), day):
                    raise HTTPException(503, headers=make_retry_after_header(seconds=1))
            return judge_offline_solution(tx, person, day, answer, solved_at, now, self._links)

        return await self._run_transaction(judge)

    async def prepare_shared_result(
        self, bot: Bot, place: Place, person: Person, round_id: int
    ) -> str | None:
        """Store a result at Telegram and return its id; None if no round is over. Raises TelegramError."""
        now = self._get_now()
        language = choose_language(person.language)
        result = await self._store.read(
            lambda tx: build_shared_result(tx, place, person, language, now, round_id)
        )
        if result is None:
            return None
        chats = {"allow_user_chats": True, "allow_group_chats": True}
        parameters = {"user_id": person.id, "result": json.dumps(result), **chats}
        prepared = await call_api(bot, "savePreparedInlineMessage", parameters)
        return str(prepared["id"])


def _make_update(
    tx: Tx, place: Place, person: Person, body: dict[str, Any], now: float
) -> tuple[dict[str, Any], bool]:
    """Return the update of a submission, and whether the page offers it: a press if it is on a button.

    An answer must be for a round that is or was on the table, or for a daily hand that was dealt to the
    person; whether it is late is judged later.
    """
    chat_kind = "private" if place.chat_id > 0 else people.load_chat(tx, place.chat_id, "group").kind
    press_id = body["id"]
    if "press" in body:
        update = board_updates.make_press_update(place, chat_kind, person, press_id, body["press"], now)
        shared = view.load_shared_view(tx, place, choose_language(person.language), now)
        offered_presses = list_offered_presses(view.build_state(tx, shared, person.id))
        return update, body["press"] in offered_presses
    answer = body["answer"]
    if "day" in body:
        update = board_updates.make_daily_answer_update(person, press_id, body["day"], answer, now)
        return update, days.load_attempt(tx, body["day"], person.id) is not None
    round_id = body["round"]
    make_update = board_updates.make_answer_update
    update = make_update(place, chat_kind, person, press_id, answer, now, round_id=round_id)
    return update, boards.is_round_on_table(tx, place, round_id)


def list_offered_presses(state: dict[str, Any]) -> set[str]:
    """Return the data of all buttons in a page's state."""
    presses = set[str]()
    for part in (state, state.get("beside") or {}):
        presses.update(button["press"] for row in part.get("buttons") or () for button in row)
        card = part.get("card") or {}
        presses.update(row["press"] for row in card.get("rows", ()) if row["press"])
    return presses
