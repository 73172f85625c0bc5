"""What a page is told in words: of a day's hand that was solved offline, and a result to pass on."""

from datetime import UTC, datetime
from typing import Any

from bot.board import company, hands
from bot.board import queries as boards
from bot.board.rules import Offline, Person, Place
from bot.board.view import Shown
from bot.board.view import shown as seen
from bot.database import Tx
from bot.i18n import Words, name, safe, spoken, words
from bot.modes.daily import queries as days
from bot.modes.daily import tables
from bot.modes.daily import view as daily
from bot.modes.daily.rules import Attempt, date_of
from bot.modes.daily.tables import Door
from bot.players import queries as people
from bot.rounds.ended import unsolved
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round, State
from bot.telegram.messages import Request, edit, pictured, short_time

RESULT = "result"  # How the id of a result that is passed on begins


def offline(
    tx: Tx, person: Person, day: str, answer: str, at: float, now: float, way: Door
) -> tuple[tuple[Offline, str], list[Request]]:
    """Take in a hand of a day that was solved at `at` by the page's clock; what its solver is told of it.

    With that the requests by which the hand's own message and groups' tables of the day, whose buttons lead
    that `way`, show it.
    """
    speech = words(spoken(person.language))
    outcome, claimed = boards.offline(tx, person.id, day, answer, at, now)
    told = outcome, told_of_offline(speech, outcome, day, claimed)
    attempt = days.attempt(tx, day, person.id) if outcome is Offline.KEPT else None
    return told, [*_in_chat(tx, person, attempt), *tables.redrawn(tx, way, attempt, now)] if attempt else []


def _in_chat(tx: Tx, person: Person, attempt: Attempt) -> list[Request]:
    """What takes the place of the hand in its message in private, where its player has it before them."""
    hand = days.hand(tx, attempt.day)
    if hand is None or attempt.message_id is None:
        return []
    language = people.find_chat(tx, person.id, "private").language or spoken(person.language)
    text = daily.offline(words(language), hand, attempt)
    changed = edit(person.id, attempt.message_id, text)
    return [pictured(changed, "", language, shown=attempt.photo) if attempt.photo else changed]


def told_of_offline(words: Words, outcome: Offline, day: str, claimed: float) -> str:
    """What became of it, at the time that is kept; it may stand under another hand, so it says of which."""
    date = date_of(day)
    if outcome is Offline.KEPT:
        return words.plain(
            "Right! The hand of {day}, solved offline at {clock} UTC by your clock: no points.",
            day=date,
            clock=f"{datetime.fromtimestamp(claimed, UTC):%Y-%m-%d %H:%M}",
        )
    return {
        Offline.KNOWN: words.plain("You have solved that day’s hand offline already."),
        Offline.DONE: words.plain("You have done that day’s hand already."),
        Offline.OVER: words.plain("That day’s hand is over."),
        Offline.UNKNOWN: words.plain("There is no such hand."),
        Offline.UNOPENED: words.plain(
            "You were never dealt that hand, so its answer can’t count. /daily has today’s."
        ),
        Offline.WRONG: words.plain("That is not right. The hand of {day} is still yours to solve.", day=date),
    }[outcome]


def prepared(
    tx: Tx, place: Place, person: Person, language: str, now: float = 0.0, round_id: int = 0
) -> dict[str, Any] | None:
    """The result of the hand that is just over at a place, as a message that its reader may pass on.

    Where a contest stands beside a hand, `round_id` says which of the two is meant. None where nothing is
    over. It tells nobody how the hand is done, since others may still play it.
    """
    looked, speech = seen(tx, place, language, now), words(language)
    shown = next((part for part in looked.parts if part.round and part.round.id == round_id), looked)
    round = shown.round
    if round is None or round.state in (State.OPEN, State.RUNNING):
        return None
    username = people.fact(tx, people.USERNAME)
    lines = [safe(_title(round)), _outcome(speech, shown, round, person.id)]
    text = "\n".join([*lines, *([f"https://t.me/{username}"] if username else [])])
    content = {"message_text": text, "parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}
    number = f"{RESULT}-{round.id}-{person.id}"
    return {"type": "article", "id": number, "title": _title(round), "input_message_content": content}


def _title(round: Round) -> str:
    """What was dealt; of a contest, whose line only tells what its deal was committed to, its game."""
    return GAMES[round.game].title if round.kind is Kind.CONTEST else round.line


def _outcome(words: Words, shown: Shown, round: Round, reader: int) -> str:
    won = company.winner(round, shown.scene, reader)
    if won is None:
        drawn = hands.in_race(shown.scene, words.language, None)["ended"]
        return safe(drawn) if drawn else unsolved(round, words)
    took = (round.closed or 0.0) - round.opened
    time = f" · ⏱ {short_time(words, took)}" if _is_timed(round) and took >= 0 else ""
    return f"🏆 {name(won['name'])}{time}"


def _is_timed(round: Round) -> bool:
    """Whether the winner's time says anything: there is one answer, and it ended all."""
    return round.kind is Kind.FIRST and round.race_id is None and round.state is State.WON
