"""SQL of the board: its replies to players, openings of pages, and daily hands that were solved offline."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from sqlalchemy import bindparam, delete, func, insert, select, update

from bot.board.rules import MAX_OFFLINE_DAYS, OfflineOutcome, Person, Place, StoredReply
from bot.database import Tx, build_insert_if_new, build_upsert
from bot.database.schema import board_offline, board_openings, board_words, rounds
from bot.durations import DAY, HOUR
from bot.i18n import Html, find_mentions, insert_names, strip_tags
from bot.modes.daily import queries as days
from bot.modes.daily.rules import Attempt, DailyHand, get_day_start
from bot.players import aliases
from bot.players import queries as people
from bot.queue.timers import make_hourly_cleanup
from bot.queue.updates import Submission
from bot.rounds.game import check_daily
from bot.rounds.puzzle import Kind, VerdictKind
from bot.rounds.registry import GAMES
from bot.rounds.rules import State
from bot.telegram.context import BoardReply
from bot.telegram.routes import Routes

# Statements are built once: building one takes longer than the database takes to run it.
CHAT_AND_KIND_OF_ROUND = select(rounds.c.chat_id, rounds.c.topic, rounds.c.kind).where(
    rounds.c.id == bindparam("round")
)


def resolve_migrated_place(tx: Tx, place: Place) -> Place:
    """Return the place with the present id of its group, read from its round; unchanged without a round."""
    if place.chat_id > 0 or not place.round_id:  # a private chat never migrates
        return place
    row = tx.execute(CHAT_AND_KIND_OF_ROUND, {"round": place.round_id}).one_or_none()
    if row is None or row.chat_id > 0:  # the round is gone, or is one of a private chat
        return place
    return replace(place, chat_id=int(row.chat_id))


def is_round_on_table(tx: Tx, place: Place, round_id: int) -> bool:
    """Whether a round is or was on the table of a place; False for contests, which have cards instead."""
    row = tx.execute(CHAT_AND_KIND_OF_ROUND, {"round": round_id}).one_or_none()
    if row is None or row.kind == Kind.CONTEST.value:
        return False
    return bool(row.chat_id == place.chat_id and row.topic == place.topic)


def apply_chosen_language(tx: Tx, person: Person) -> Person:
    """Return the person with the language chosen in their private chat; unchanged if none was chosen."""
    locale = people.load_chat(tx, person.id, "private").language  # such as zh_Hans; "" for none
    if not locale:
        return person
    return replace(person, language=locale.replace("_", "-"))


# Openings of pages

PAGE_OF_OPENING = select(board_openings.c.page).where(board_openings.c.digest == bindparam("digest"))
REPLACE_PAGE = (
    update(board_openings)
    .where(board_openings.c.digest == bindparam("opening"), board_openings.c.page == bindparam("before"))
    .values(page=bindparam("after"))
)
MAX_UNANSWERED_OPENINGS = 64  # requests in a row that a page may have sent without getting an answer


def record_opening(tx: Tx, digest: str, now: float, page: str | None = None) -> bool:
    """Record that the initData with this digest opened a page; return True, or False if it is used up.

    A page that got no answer may ask again with a `page` that hashes to the one it sent before: nobody who
    saw the earlier value can compute that (L. Lamport, Password authentication with insecure communication,
    1981; RFC 2289).
    """
    row = {"digest": digest, "at": now, "page": page}
    inserted = tx.execute(build_insert_if_new(tx.dialect.name, board_openings), row)
    if inserted.rowcount == 1:
        return True
    if not page:
        return False
    stored_page = tx.scalar(PAGE_OF_OPENING, {"digest": digest})
    hashed = page
    for _ in range(MAX_UNANSWERED_OPENINGS):  # hash once for each request that may have got lost
        hashed = sha256(hashed.encode()).hexdigest()
        if hashed == stored_page:
            values = {"opening": digest, "before": stored_page, "after": page}
            replaced_count: int = tx.execute(REPLACE_PAGE, values).rowcount
            return replaced_count == 1  # 0 if another request was first
    return False


# The table of openings also holds when players closed their pages: with this prefix and an alias as `digest`.
CLOSING_PREFIX = "closed:"


def close_pages(tx: Tx, player_id: int, now: float) -> None:
    """Record that all pages the player has opened so far are closed, under an alias of the player's id."""
    key = f"{CLOSING_PREFIX}{aliases.make_alias(tx, player_id)}"
    upsert = build_upsert(tx.dialect.name, board_openings, updated=("at",))
    tx.execute(upsert, {"digest": key, "at": now})


TIME_OF_OPENING = select(board_openings.c.at).where(board_openings.c.digest == bindparam("digest"))


def is_closed_since(tx: Tx, player_id: int, opened_at: float) -> bool:
    """Whether the player's pages were closed at or after the time `opened_at`."""
    alias = aliases.load_alias(tx, player_id)  # under which `close_pages` stored the time, if it did
    closed_at = tx.scalar(TIME_OF_OPENING, {"digest": f"{CLOSING_PREFIX}{alias}"})
    return closed_at is not None and closed_at >= opened_at


# Replies to players

MAX_REPLY_CHARS = 400
INSERT_REPLY = insert(board_words)


def insert_board_replies(tx: Tx, submission: Submission, replies: Sequence[BoardReply], now: float) -> None:
    """Store the replies as one for the player's pages, without tags, cut at 400 characters, with the first
    verdict among them.
    """
    html = Html("\n".join(reply.text for reply in replies if reply.text))
    names = people.load_names(tx, list(find_mentions(html)))
    text = strip_tags(insert_names(html, names))
    if len(text) > MAX_REPLY_CHARS:
        text = f"{text[: MAX_REPLY_CHARS - 1]}…"
    verdicts = [int(reply.is_right) for reply in replies if reply.is_right is not None]
    row = {
        "player_id": submission.player_id,
        "press": submission.press_id,
        "text": text,
        "is_right": verdicts[0] if verdicts else None,
        "at": now,
    }
    tx.execute(INSERT_REPLY, row)


MAX_REPLIES = 100
LATEST_REPLY = select(func.max(board_words.c.id)).where(board_words.c.player_id == bindparam("player"))
REPLIES = (
    select(board_words)
    .where(board_words.c.player_id == bindparam("player"), board_words.c.id > bindparam("after"))
    .order_by(board_words.c.id)
    .limit(MAX_REPLIES)
)


def load_board_replies_since(
    tx: Tx, player_id: int, after_id: int | None
) -> tuple[list[StoredReply], int, str | None]:
    """Return up to 100 replies to a player, the id after which to ask next, and the chosen language.

    The replies are those after the one with the id `after_id`. If that is None (for a new page) none are
    returned, and all stored so far are skipped. The language is None if the player has chosen none.
    """
    language = people.load_chat(tx, player_id, "private").language
    if after_id is None:
        latest_id = int(tx.scalar(LATEST_REPLY, {"player": player_id}) or 0)
        return [], latest_id, language
    replies = list[StoredReply]()
    for row in tx.execute(REPLIES, {"player": player_id, "after": after_id}):
        is_right = None if row.is_right is None else bool(row.is_right)
        replies.append(StoredReply(row.id, row.press, row.text, is_right))
    last_id = replies[-1].id if replies else after_id
    return replies, last_id, language


# Daily hands that were solved offline


def insert_offline_solution(
    tx: Tx, player_id: int, day: str, answer: str, claimed_at: float, now: float
) -> tuple[OfflineOutcome, float]:
    """Store the solution of a daily hand if it is right and allowed; the page's clock timed it `claimed_at`.

    Return the outcome, which is KEPT only if the solution was stored, and the time at which the hand counts
    as solved: never before it was dealt to the player or after now.
    """
    hand = days.load_hand(tx, day)
    if hand is None:
        return OfflineOutcome.UNKNOWN, now
    attempt = days.load_attempt(tx, day, player_id)
    dealt_at = attempt.opened if attempt else get_day_start(day)
    solved_at = min(max(claimed_at, dealt_at), now)  # the page's clock may be wrong
    obstacle = _find_offline_obstacle(hand, attempt, now)
    if obstacle is not None:
        return obstacle, solved_at
    verdict = check_daily(GAMES[hand.game], hand.puzzle, answer)
    if verdict.kind is not VerdictKind.RIGHT:
        return OfflineOutcome.WRONG, solved_at
    days.restore_attempts_from_alias(tx, player_id)  # the player may have deleted their data since the deal
    row = {
        "day": day,
        "player_id": player_id,
        "answer": verdict.answer,
        "claimed": solved_at,
        "received": now,
    }
    tx.execute(build_insert_if_new(tx.dialect.name, board_offline), row)
    return OfflineOutcome.KEPT, solved_at


def _find_offline_obstacle(hand: DailyHand, attempt: Attempt | None, now: float) -> OfflineOutcome | None:
    """Return why no offline solution of the hand is accepted; None if one is."""
    if now - get_day_start(hand.day) > MAX_OFFLINE_DAYS * DAY:
        return OfflineOutcome.EXPIRED
    if attempt is None:
        return OfflineOutcome.NOT_DEALT
    if attempt.state is State.VOID:  # solved offline before
        return OfflineOutcome.DUPLICATE
    return None if attempt.state is State.OPEN else OfflineOutcome.FINISHED


REPLY_SECONDS = HOUR  # a page that was away longer than this misses replies
OPENING_SECONDS = 2 * HOUR  # longer than initData can be used
CLOSING_SECONDS = 13 * HOUR  # longer than a session lasts
OFFLINE_SECONDS = 90 * DAY
# Kept at any age: SQLite would number the next reply from 1, and pages that were open before would miss it.
NEWEST_REPLY_ID = select(func.max(board_words.c.id)).scalar_subquery()


def delete_expired_rows(tx: Tx, now: float) -> None:
    """Delete replies, openings and offline solutions that no page asks for any more."""
    is_old_reply = (board_words.c.at < now - REPLY_SECONDS) & (board_words.c.id < NEWEST_REPLY_ID)
    tx.execute(delete(board_words).where(is_old_reply))
    is_opening = ~board_openings.c.digest.startswith(CLOSING_PREFIX)
    tx.execute(delete(board_openings).where(board_openings.c.at < now - OPENING_SECONDS, is_opening))
    tx.execute(delete(board_openings).where(board_openings.c.at < now - CLOSING_SECONDS))  # the closings
    tx.execute(delete(board_offline).where(board_offline.c.received < now - OFFLINE_SECONDS))


ROUTES = Routes(timed_tasks=[make_hourly_cleanup("old replies on pages", delete_expired_rows)])
