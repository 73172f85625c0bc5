"""What a page is told in words: of a day's hand that was solved offline, and a result to pass on."""

from datetime import UTC, datetime
from typing import Any

from bot.board import company, hands
from bot.board import queries as boards
from bot.board.rules import OfflineOutcome, Person, Place
from bot.board.view import SharedView
from bot.board.view import load_shared_view as seen
from bot.database import Tx
from bot.i18n import Words, format_name, escape_value, choose_language, get_words
from bot.modes.daily import queries as days
from bot.modes.daily import tables
from bot.modes.daily import view as daily
from bot.modes.daily.rules import Attempt, get_day_date
from bot.modes.daily.tables import GroupLinks
from bot.players import queries as people
from bot.rounds.ended import render_unsolved
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round, State
from bot.telegram.messages import Request, edit_message, add_picture, format_short_duration

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
    return told, [*_in_chat(tx, person, attempt), *tables.make_table_edits(tx, way, attempt, now)] if attempt else []


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
        OfflineOutcome.WRONG: words.translate_plain("That is not right. The hand of {day} is still yours to solve.", day=date),
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
    won = company.describe_winner(round, shown.scene, reader)
    if won is None:
        drawn = hands.describe_race(shown.scene, words.language, None)["ended"]
        return escape_value(drawn) if drawn else render_unsolved(round, words)
    took = (round.closed or 0.0) - round.opened
    time = f" · ⏱ {format_short_duration(words, took)}" if _is_timed(round) and took >= 0 else ""
    return f"🏆 {format_name(won['name'])}{time}"


def _is_timed(round: Round) -> bool:
    """Whether the winner's time says anything: there is one answer, and it ended all."""
    return round.kind is Kind.FIRST and round.race_id is None and round.state is State.WON
