"""Pages on which hands are tapped: words for whoever sits there, keys used, hands of days done offline."""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from math import isfinite

from sqlalchemy import and_, bindparam, delete, func, insert, literal, select, update

from bot.board.rules import MAX_OFFLINE_DAYS, BoardReply, OfflineOutcome, Person, Place
from bot.database import Tx, build_insert_if_new, build_upsert
from bot.database.schema import board_offline, board_openings, board_words, chats, rounds
from bot.durations import DAY, HOUR
from bot.modes.daily import queries as days
from bot.modes.daily.rules import ATTEMPT_SECONDS, Attempt, AttemptState, DailyHand, get_day_start
from bot.players import queries as people
from bot.players.privacy import aliases
from bot.queue.timers import make_hourly_cleanup
from bot.rounds.puzzle import Kind, VerdictKind
from bot.rounds.registry import GAMES
from bot.telegram.routes import Routes

OPENED_FOR = 2 * HOUR  # Seconds for which it is known what opened a page: longer than anything may be used
# Seconds for which it is known that somebody's pages were closed: longer than any is open.
CLOSED_FOR = 13 * HOUR
SAID_FOR = HOUR  # Seconds for which a page that was away learns what was said meanwhile
OFFLINE_FOR = 90 * DAY  # Seconds for which it is kept what was solved offline
CLOSING = "closed:"  # Stands before an alias; no digest begins so
MOST_TEXT = 400  # Characters of a word
MOST_ANSWER = 300  # Characters of an answer that is kept
MOST_WORDS = 100
MOST_TRIES = 64  # How often a page may have asked to be opened without being heard

# Built once, since every tap asks for some of them and building takes longer than the database does

SAY = insert(board_words)
LATER = and_(board_words.c.player_id == bindparam("player"), board_words.c.id > bindparam("after"))
SINCE = (
    select(chats.c.language, board_words)
    .select_from(
        select(literal(1).label("one"))
        .subquery()
        .outerjoin(chats, chats.c.id == bindparam("player"))
        .outerjoin(board_words, LATER)
    )
    .order_by(board_words.c.id)
    .limit(MOST_WORDS)
)
LATEST = (
    select(board_words.c.id)
    .where(board_words.c.player_id == bindparam("player"))
    .order_by(board_words.c.id.desc())
    .limit(1)
)
# Kept, however old: a file would number the next word anew from 1, which no page that was there asks for.
NEWEST = select(func.max(board_words.c.id)).scalar_subquery()
PAGE_OF = select(board_openings.c.page).where(board_openings.c.digest == bindparam("digest"))
ASK_AGAIN = (
    update(board_openings)
    .where(board_openings.c.digest == bindparam("opening"), board_openings.c.page == bindparam("before"))
    .values(page=bindparam("after"))
)
OPENING_AT = select(board_openings.c.at).where(board_openings.c.digest == bindparam("digest"))
TABLE_OF = select(rounds.c.chat_id, rounds.c.topic, rounds.c.kind).where(rounds.c.id == bindparam("round"))
CHAT_OF = select(rounds.c.chat_id).where(rounds.c.id == bindparam("round"))


def resolve_migrated_place(tx: Tx, place: Place) -> Place:
    """The place by the id that its group has now: one that became a supergroup took its rounds along."""
    if place.chat_id > 0 or not place.round_id:
        return place
    found = tx.scalar(CHAT_OF, {"round": place.round_id})
    return place if found is None or found > 0 else replace(place, chat_id=int(found))


def is_round_on_table(tx: Tx, place: Place, round_id: int) -> bool:
    """Whether that round is, or was, on the table of the place, for all to answer: a contest never is."""
    found = tx.execute(TABLE_OF, {"round": round_id}).one_or_none()
    if found is None or found.kind == Kind.CONTEST.value:
        return False
    return (found.chat_id, found.topic) == (place.chat_id, place.topic)


def record_opening(tx: Tx, digest: str, now: float, page: str | None = None) -> bool:
    """Take note that this opened a page; False where it did before.

    A page that did not hear that it was opened may ask again, as no other can: `page` is then what hashes to
    the one that it sent before. Whoever saw that can't turn it round, nor send anything of it twice
    (L. Lamport, Password authentication with insecure communication, 1981; RFC 2289).
    """
    row = {"digest": digest, "at": now, "page": page}
    if tx.execute(build_insert_if_new(tx.dialect.name, board_openings), row).rowcount == 1:
        return True
    before = tx.scalar(PAGE_OF, {"digest": digest})
    if page is None or before is None or before not in _leading_from(page):
        return False
    again = {"opening": digest, "before": before, "after": page}
    return bool(tx.execute(ASK_AGAIN, again).rowcount == 1)


def _leading_from(page: str) -> Iterator[str]:
    """What stood before it in a page's chain: each is the hash of the one behind it."""
    for _ in range(MOST_TRIES):
        page = sha256(page.encode()).hexdigest()
        yield page


def close_pages(tx: Tx, player_id: int, now: float) -> None:
    """The person is forgotten: pages that they opened till now are theirs no more, whichever bot opened them.

    An alias stands for them, and goes once no such page could be open any more.
    """
    row = {"digest": _closing(aliases.load_or_create_alias(tx, player_id)), "at": now}
    tx.execute(build_upsert(tx.dialect.name, board_openings, "at"), row)


def is_closed_since(tx: Tx, player_id: int, opened: float) -> bool:
    """Whether the person's pages were closed since that moment."""
    known = aliases.load_ids(tx, player_id)[1:]  # nobody was ever forgotten where there are no aliases
    moments = (tx.scalar(OPENING_AT, {"digest": _closing(alias)}) for alias in known)
    return any(opened <= closed for closed in moments if closed is not None)


def _closing(alias: int) -> str:
    return f"{CLOSING}{alias}"


def insert_board_reply(
    tx: Tx, player_id: int, press_id: str, text: str, right: bool | None, now: float
) -> None:
    """Say something to one person alone about what they tapped; `text` has no tags."""
    said = text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…"
    row = {"player_id": player_id, "press": press_id, "text": said, "at": now}
    tx.execute(SAY, row | {"is_right": None if right is None else int(right)})


def load_board_replies_since(tx: Tx, player_id: int, after_id: int) -> tuple[list[BoardReply], str | None]:
    """What was said to the person since that word, in its order, and the language that they chose, if any."""
    found = tx.execute(SINCE, {"player": player_id, "after": after_id}).all()
    told = [
        BoardReply(row.id, row.press, row.text, None if row.is_right is None else bool(row.is_right))
        for row in found
        if row.id is not None
    ]
    return told, found[0].language


def apply_chosen_language(tx: Tx, person: Person) -> Person:
    """The same, with the language that they chose in their own chat with the bot, if they chose one."""
    chosen = people.load_chat(tx, person.id, "private").language
    return replace(person, language=chosen.replace("_", "-")) if chosen else person


def find_latest_reply_id(tx: Tx, player_id: int) -> int:
    """The number of what was said to the person last; 0 for nothing."""
    return int(tx.scalar(LATEST, {"player": player_id}) or 0)


def insert_offline_solution(
    tx: Tx, player_id: int, day: str, answer: str, at: float, now: float
) -> tuple[OfflineOutcome, float]:
    """Keep a hand of a day that was solved at `at` by the page's clock, where it may be and is right.

    Returns what becomes of it, and when it counts as solved: no clock is before the hand was dealt to that
    person, or ahead of here.
    """
    hand = days.load_hand(tx, day)
    if hand is None:
        return OfflineOutcome.UNKNOWN, now
    attempt = days.load_attempt(tx, day, player_id)
    since = attempt.opened if attempt else get_day_start(day)
    claimed = min(max(at, since), now) if isfinite(at) else now
    return _kept(tx, player_id, hand, attempt, answer, claimed, now), claimed


def _kept(
    tx: Tx, player_id: int, hand: DailyHand, attempt: Attempt | None, answer: str, claimed: float, now: float
) -> OfflineOutcome:
    day = hand.day
    if now - get_day_start(day) > MAX_OFFLINE_DAYS * ATTEMPT_SECONDS:
        return OfflineOutcome.EXPIRED
    if attempt is None:
        return OfflineOutcome.NOT_DEALT
    if attempt.state is not AttemptState.OPEN:
        return OfflineOutcome.FINISHED
    if attempt.offline_answer:
        return OfflineOutcome.DUPLICATE
    verdict = GAMES[hand.game].check_daily(hand.puzzle, answer[:MOST_ANSWER])
    if verdict.kind is not VerdictKind.RIGHT:
        return OfflineOutcome.WRONG
    days.restore_attempts_from_alias(tx, player_id)
    row = {"day": day, "player_id": player_id, "answer": verdict.answer, "received": now, "claimed": claimed}
    tx.execute(build_insert_if_new(tx.dialect.name, board_offline), row)
    return OfflineOutcome.KEPT


def delete_expired_rows(tx: Tx, now: float) -> None:
    """Let go of what no page asks for any more."""
    tx.execute(delete(board_words).where(board_words.c.at < now - SAID_FOR, board_words.c.id < NEWEST))
    opened = ~board_openings.c.digest.startswith(CLOSING)
    tx.execute(delete(board_openings).where(board_openings.c.at < now - OPENED_FOR, opened))
    tx.execute(delete(board_openings).where(board_openings.c.at < now - CLOSED_FOR))
    tx.execute(delete(board_offline).where(board_offline.c.received < now - OFFLINE_FOR))


ROUTES = Routes(timed_tasks=[make_hourly_cleanup("what pages were told", delete_expired_rows)])
