"""Accept what players submit on a page, referee their answers, and tell them there what became of these."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from sqlalchemy import bindparam, select
from starlette.exceptions import HTTPException
from telegram import Bot

from bot.board import queries as boards
from bot.board import view
from bot.board.rules import OfflineOutcome, Person, Place
from bot.board.schemas import Entry, OfflineSolution
from bot.database import Store, Tx
from bot.database.schema import inbox
from bot.formats import format_date, format_duration
from bot.i18n import Words, choose_language, escape_value, format_name, get_words
from bot.modes.daily import group_tables
from bot.modes.daily import queries as days
from bot.modes.daily import view as daily_view
from bot.modes.daily.group_tables import GroupLinks
from bot.modes.daily.rules import Attempt, format_utc_date, get_day_date
from bot.players import queries as people
from bot.queue.outgoing import Outgoing
from bot.queue.queries import load_waiting_updates
from bot.queue.updates import Submission, decode_update
from bot.rounds import answer as referee
from bot.rounds.answer_view import explain_outcome, make_answer, redraw_round
from bot.rounds.puzzle import Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.rounds.view import render_unsolved
from bot.telegram.api import call_api
from bot.telegram.context import BoardReply, Context, Effect, Response, do_nothing
from bot.telegram.routes import OtherUpdate, Routes
from bot.web.server import make_retry_after_header


def judge_offline_solution(
    tx: Tx, person: Person, solution: OfflineSolution, now: float, links: GroupLinks
) -> tuple[tuple[OfflineOutcome, str], list[Outgoing]]:
    """Store a daily hand solved offline, if the answer is right; return the outcome, its text and requests.

    The requests update the hand's own message and the tables of the day in the player's groups; none if
    nothing was stored.
    """
    words = get_words(choose_language(person.language))
    day = solution.day
    outcome, solved_at = boards.insert_offline_solution(tx, person.id, day, solution.answer, solution.at, now)
    result = outcome, describe_offline_outcome(words, outcome, day, solved_at)
    attempt = days.load_attempt(tx, day, person.id)
    if outcome is not OfflineOutcome.KEPT or attempt is None:
        return result, []
    hand_edits = _make_hand_edits(tx, person, attempt)
    return result, [*hand_edits, *group_tables.make_table_edits(tx, links, attempt, now)]


def _make_hand_edits(tx: Tx, person: Person, attempt: Attempt) -> list[Outgoing]:
    """Return the edit that shows the offline solution in the daily hand's message; [] without a message."""
    if attempt.message_id is None:
        return []
    chosen_language = people.load_chat(tx, person.id, "private").language
    words = get_words(chosen_language or choose_language(person.language))
    text = daily_view.render_offline_hand(words, attempt)
    return [daily_view.edit_hand_message(words, attempt, text)]


def describe_offline_outcome(words: Words, outcome: OfflineOutcome, day: str, solved_at: float) -> str:
    """Return the outcome as a sentence; it names the day, since the page may show another hand by then."""
    date = format_date(words, get_day_date(day))
    match outcome:
        case OfflineOutcome.KEPT:
            solved_on = format_date(words, format_utc_date(solved_at))
            return words.translate_plain(
                "Right! The hand of {day}, solved offline at {clock} UTC by your clock: no points.",
                day=date,
                clock=f"{solved_on}, {datetime.fromtimestamp(solved_at, UTC):%H:%M}",
            )
        case OfflineOutcome.DUPLICATE:
            return words.translate_plain("You have solved that day’s hand offline already.")
        case OfflineOutcome.FINISHED:
            return words.translate_plain("You have done that day’s hand already.")
        case OfflineOutcome.EXPIRED:
            return words.translate_plain("That day’s hand is over.")
        case OfflineOutcome.UNKNOWN:
            return words.translate_plain("There is no such hand.")
        case OfflineOutcome.NOT_DEALT:
            return words.translate_plain(
                "You were never dealt that hand, so its answer can’t count. /daily has today’s."
            )
        case OfflineOutcome.WRONG:
            return words.translate_plain(
                "That is not right. The hand of {day} is still yours to solve.", day=date
            )


def build_shared_result(
    tx: Tx, place: Place, person: Person, language: str, now: float = 0.0, round_id: int = 0
) -> dict[str, Any] | None:
    """Return the inline result with the winner of the round on a place's page; None unless it is over.

    Where the page shows two rounds, `round_id` may choose the second one. The text has no solution: others
    may still play.
    """
    words = get_words(language)
    shared = view.load_shared_view(tx, place, language, now)
    part = shared
    for each in shared.parts:
        if each.round and each.round.id == round_id:
            part = each
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
    winner = view.choose_winner(part.winners, reader_id)
    if winner is None:
        race_end = view.render_race_end(part.snapshot, words, reader_id=None)
        return escape_value(race_end) if race_end else render_unsolved(round, words)
    seconds = (round.closed or 0.0) - round.opened
    result = f"🏆 {format_name(winner.name)}"
    # Elsewhere the winner's time means nothing: several answers count, or the clock decides.
    is_timed = round.kind is Kind.FIRST and round.race_id is None and round.state is State.WON
    if is_timed and seconds >= 0:
        result += f" · ⏱ {format_duration(words, seconds)}"
    return result


Answer = TypeVar("Answer")


class TransactionRunner(Protocol):
    """Run `work` in a transaction between updates, send the requests it returns, and return its answer."""

    async def __call__(self, work: Callable[[Tx], tuple[Answer, list[Outgoing]]], /) -> Answer: ...


# Also if it is done
STORED_UPDATE_ID = select(inbox.c.update_id).where(inbox.c.update_id == bindparam("number"))


class Submissions:
    """Accepts submissions; `get_now` is Telegram's clock, `links` lead from groups to the private chat."""

    def __init__(
        self,
        store: Store,
        accept_submissions: Callable[[Sequence[Submission]], Awaitable[None]],
        run_transaction: TransactionRunner,
        get_now: Callable[[], float],
        links: GroupLinks,
    ) -> None:
        self._store = store
        self._accept_submissions = accept_submissions
        self._run_transaction = run_transaction
        self._get_now = get_now
        self._links = links

    async def accept_entry(self, place: Place, person: Person, entry: Entry) -> None:
        """Put an answer or press into the inbox.

        Raises HTTPException 409 if the page does not offer it, unless it was stored before: a page that got
        no response sends it again.
        """
        now = self._get_now()

        def make_accepted_submission(tx: Tx) -> Submission | None:
            """Return the submission; None if it can't be accepted."""
            submission, is_offered = _make_submission(tx, place, person, entry, now)
            is_stored = tx.scalar(STORED_UPDATE_ID, {"number": submission.update_id}) is not None
            return submission if is_offered or is_stored else None

        submission = await self._store.read(make_accepted_submission)
        if submission is None:
            raise HTTPException(409)
        await self._accept_submissions([submission])

    async def accept_offline_solution(
        self, person: Person, solution: OfflineSolution
    ) -> tuple[OfflineOutcome, str]:
        """Judge and store a daily hand that was solved offline; return the outcome and its text.

        Raises HTTPException 503 while an answer sent with a connection waits: that one is worth more points.
        """
        now = self._get_now()

        def judge(tx: Tx) -> tuple[tuple[OfflineOutcome, str], list[Outgoing]]:
            """Return the outcome, its text and requests. Raises HTTPException while an answer waits."""
            for waiting in load_waiting_updates(tx, [person.id]):
                update = decode_update(waiting)
                if isinstance(update, Submission) and update.day == solution.day:
                    raise HTTPException(503, headers=make_retry_after_header(seconds=1))
            return judge_offline_solution(tx, person, solution, now, self._links)

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
        parameters = {
            "user_id": person.id,
            "result": json.dumps(result),
            "allow_user_chats": True,
            "allow_group_chats": True,
        }
        prepared = await call_api(bot, "savePreparedInlineMessage", parameters)
        return str(prepared["id"])


OWN_CHAT_PREFIXES = ("ct:",)  # of the data of buttons whose message is in the player's private chat: a card's


def _make_submission(
    tx: Tx, place: Place, person: Person, entry: Entry, now: float
) -> tuple[Submission, bool]:
    """Return the submission, and whether the page offers it: a press if it is on a button.

    An answer must be for a round that is or was on the table, or for a daily hand that was dealt to the
    person; whether it is late is judged later.
    """
    submission = Submission(
        person.id,
        person.name,
        person.username,
        person.language,
        chat_id=place.chat_id,
        chat_kind="private" if place.chat_id > 0 else people.load_chat(tx, place.chat_id, "group").kind,
        topic=place.topic,
        press_id=entry.id,
        sent_at=now if place.is_guests else float(int(now)),  # messages have whole seconds
        button=entry.press,
        answer=entry.answer,
        round_id=entry.round,
        day=entry.day,
    )
    if submission.day or submission.button.startswith(OWN_CHAT_PREFIXES):
        submission = replace(submission, chat_id=person.id, chat_kind="private", topic=0)
    if submission.button:
        shared = view.load_shared_view(tx, place, choose_language(person.language), now)
        state = view.build_state(tx, shared, person.id)
        is_offered = submission.button in state.presses
    elif submission.day:
        is_offered = days.load_attempt(tx, submission.day, person.id) is not None
    else:
        is_offered = boards.is_round_on_table(tx, place, submission.round_id)
    return submission, is_offered


# Answers in the inbox


async def answer_on_board(context: Context) -> Effect:
    """Judge an answer from the board; its page gets the reply, and the chat sees what it changed."""
    answer = make_answer(context)
    if answer is None:
        return do_nothing

    def effect(tx: Tx) -> Sequence[Response]:
        outcome = referee.referee_answer(tx, answer)
        replies = _make_replies(context.words, tx, answer, outcome)
        return [*replies, *redraw_round(context, tx, outcome)]

    return effect


def _make_replies(words: Words, tx: Tx, answer: referee.Answer, outcome: referee.Outcome) -> list[BoardReply]:
    """Return the reply to an answer for a round; none to one that is ignored."""
    match outcome:
        case referee.Ignored():
            return []
        case referee.WrongAndLate():
            return [BoardReply(words.translate("That hand is over."))]
    text = explain_outcome(words, tx, answer, outcome)
    match outcome:
        case referee.NoOpenHand():
            return [BoardReply(text or words.translate("That hand is over."))]
        case referee.Won() | referee.EntryStored() | referee.FoundBefore():
            return [BoardReply(text, is_right=True)]
        case referee.Wrong() | referee.WrongInRun() | referee.WrongInTutorial() | referee.NotCounted():
            return [BoardReply(text, is_right=False)]
    return [BoardReply(text)]  # `TooLate`: a right answer that no longer counts as one


ROUTES = Routes(other_updates={OtherUpdate.BOARD_ANSWER: answer_on_board})
