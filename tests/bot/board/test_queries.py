"""Queries of the board."""

import json
from dataclasses import replace
from hashlib import sha256

from sqlalchemy import func, select, update

from bot.admin import chat_migration
from bot.admin.privacy import queries as privacy
from bot.board import queries as boards
from bot.board.authentication import SESSION_SECONDS
from bot.board.rules import OfflineOutcome, Place, StoredReply
from bot.database import Tx
from bot.database.schema import board_offline, board_openings, board_words, rounds
from bot.games.twentyfour.rules import Hand
from bot.i18n import make_mention
from bot.modes.daily import queries as days
from bot.modes.daily import rules
from bot.modes.daily.rules import DailyHand, format_utc_date
from bot.players import queries as people
from bot.queue.updates import Submission
from bot.rounds.rules import State
from bot.telegram.context import BoardReply
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round

OLD, NEW = -4_000_000_001, -1_001_000_000_001
NOON, ANN, BOB = 1_763_726_400.0, 5_000_000_001, 5_000_000_002
DAY = format_utc_date(NOON)
HAND = DailyHand(DAY, "24", Hand((3, 8, 3, 8), 24, "hard", 30.0, ("8/(3-8/3)",)))
RIGHT = "8/(3-8/3)"


def insert_reply(tx: Tx, player_id: int, press: str, text: str, is_right: bool | None, now: float) -> None:
    submission = Submission(player_id, "x", None, "en", OLD, "group", 0, press, now)
    boards.insert_board_replies(tx, submission, [BoardReply(text, is_right)], now)


def load_offline_solutions(tx: Tx) -> list[tuple[int, str]]:
    """Return the player and the answer of each offline solution of the day."""
    found = tx.execute(select(board_offline).where(board_offline.c.day == DAY))
    return [(row.player_id, row.answer) for row in found]


async def test_opening_is_recorded_once_and_deleted_when_old(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert [boards.record_opening(tx, digest, NOON) for digest in ("a", "b", "a", "a")] == [
            *(True, True),
            *(False, False),
        ]
        boards.delete_expired_rows(tx, NOON + boards.OPENING_SECONDS - 1)
        assert not boards.record_opening(tx, "a", NOON)
        boards.delete_expired_rows(tx, NOON + boards.OPENING_SECONDS + 1)
        assert tx.scalar(select(func.count()).select_from(board_openings)) == 0

    await db(story)


async def test_hash_chain_of_a_page_is_limited(db: Database) -> None:
    chain = ["0" * 64]
    for _ in range(boards.MAX_UNANSWERED_OPENINGS + 1):
        chain.append(sha256(chain[-1].encode()).hexdigest())

    def story(tx: Tx) -> None:
        assert boards.record_opening(tx, "a", NOON, chain[-1])
        assert not boards.record_opening(tx, "a", NOON, chain[0])
        assert boards.record_opening(tx, "a", NOON, chain[1])
        assert boards.record_opening(tx, "a", NOON, chain[0])
        assert not boards.record_opening(tx, "a", NOON, chain[0])

    await db(story)


async def test_place_follows_its_migrated_group(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.load_or_insert_chat(tx, OLD, "group")
        round = store_round(tx, replace(make_round(), chat_id=OLD))
        led, watched = Place(OLD, 3, round.id), Place(OLD, 0, round.id, watch_only=True)
        alone, unknown, no_round = Place(ANN, 0, round.id), Place(OLD, 0, 99), Place(OLD)
        everywhere = [led, watched, alone, unknown, no_round]
        assert [boards.resolve_migrated_place(tx, place) for place in everywhere] == everywhere
        chat_migration.move_chat(tx, OLD, NEW)
        moved = [replace(led, chat_id=NEW), replace(watched, chat_id=NEW)]
        assert [boards.resolve_migrated_place(tx, place) for place in everywhere] == [*moved, *everywhere[2:]]

    await db(story)


async def test_replies_are_loaded_by_player_in_order(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert boards.load_board_replies_since(tx, ANN, None)[1] == 0
        insert_reply(tx, ANN, "p1", "22, not 24.", False, NOON)
        insert_reply(tx, BOB, "p2", "", True, NOON)
        insert_reply(tx, ANN, "p3", "x" * 1000, None, NOON)
        first, second = boards.load_board_replies_since(tx, ANN, 0)[0]
        assert first == StoredReply(first.id, "p1", "22, not 24.", False)
        assert (len(second.text), second.text[-1], second.is_right) == (boards.MAX_REPLY_CHARS, "…", None)
        assert boards.load_board_replies_since(tx, ANN, first.id)[0] == [second]
        assert boards.load_board_replies_since(tx, ANN, None)[1] == second.id
        assert [(w.press_id, w.is_right) for w in boards.load_board_replies_since(tx, BOB, 0)[0]] == [
            ("p2", True)
        ]
        boards.delete_expired_rows(tx, NOON + boards.REPLY_SECONDS + 1)
        assert boards.load_board_replies_since(tx, BOB, 0)[0] == []
        assert boards.load_board_replies_since(tx, ANN, 0)[0] == [second], (
            "the newest of all keeps its number taken"
        )

    await db(story)


async def test_replies_to_one_submission_become_one(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, people.Player(BOB, "<b>Bob", None))
        submission = Submission(ANN, "Ann", None, "en", OLD, "group", 0, "p1", NOON)
        first = BoardReply("<b>22</b>, 1 &lt; 2.")
        named = BoardReply(f"Right as well! {make_mention(BOB)} was first.")
        boards.insert_board_replies(tx, submission, [BoardReply(is_right=False), first, named], NOON)
        ((reply,), _, _) = boards.load_board_replies_since(tx, ANN, 0)
        assert reply.text == "22, 1 < 2.\nRight as well! \u2068<b>Bob\u2069 was first."
        assert reply.is_right is False

    await db(story)


async def test_replies_come_with_the_chosen_language(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert boards.load_board_replies_since(tx, ANN, 0) == ([], 0, None)
        people.load_or_insert_chat(tx, ANN, "private")
        assert boards.load_board_replies_since(tx, ANN, 0) == ([], 0, None)
        people.store_language(tx, ANN, "zh_Hant")
        assert boards.load_board_replies_since(tx, ANN, 0) == ([], 0, "zh_Hant")
        insert_reply(tx, ANN, "p1", "", True, NOON)
        insert_reply(tx, ANN, "p2", "", True, NOON)
        result, _, chosen = boards.load_board_replies_since(tx, ANN, 0)
        assert ([word.press_id for word in result], chosen) == (["p1", "p2"], "zh_Hant")

    await db(story)


async def test_reply_ids_grow_after_deletion(db: Database) -> None:
    # SQLite numbers rows from 1 again once a table is empty.
    def story(tx: Tx) -> None:
        for press in ("p1", "p2", "p3"):
            insert_reply(tx, ANN, press, "22, not 24.", False, NOON)
        heard = boards.load_board_replies_since(tx, ANN, None)[1]
        boards.delete_expired_rows(tx, NOON + boards.REPLY_SECONDS + 1)
        insert_reply(tx, ANN, "p4", "Too late.", None, NOON + boards.REPLY_SECONDS + 2)
        assert [word.press_id for word in boards.load_board_replies_since(tx, ANN, heard)[0]] == ["p4"]

    await db(story)


async def test_offline_solution_outcomes(db: Database) -> None:
    def offline(
        tx: Tx, answer: str = RIGHT, who: int = ANN, day: str = DAY, now: float = NOON
    ) -> OfflineOutcome:
        return boards.insert_offline_solution(tx, who, day, answer, now - 60, now)[0]

    def story(tx: Tx) -> None:
        for day in (DAY, "2026-99-99", "0000-00-00"):
            assert offline(tx, day=day) is OfflineOutcome.UNKNOWN
        days.insert_hand(tx, HAND)
        for right in (RIGHT, "3*8+3-8"):
            assert offline(tx, right) is OfflineOutcome.NOT_DEALT
        assert load_offline_solutions(tx) == []
        for who in (ANN, BOB, 3, 5):
            days.open_attempt(tx, HAND, who, NOON)
        assert offline(tx, "3*8+3-8") is OfflineOutcome.WRONG
        assert offline(tx, "what?") is OfflineOutcome.WRONG
        assert days.load_attempt(tx, DAY, ANN) == rules.make_attempt(HAND, ANN, NOON), (
            "as if nothing had been sent"
        )
        assert load_offline_solutions(tx) == []
        assert offline(tx) is OfflineOutcome.KEPT
        assert offline(tx) is OfflineOutcome.DUPLICATE
        assert load_offline_solutions(tx) == [(ANN, RIGHT)]
        assert offline(tx, who=BOB, now=NOON + 2 * rules.ATTEMPT_SECONDS) is OfflineOutcome.KEPT
        assert offline(tx, who=3, now=NOON + 3 * rules.ATTEMPT_SECONDS) is OfflineOutcome.EXPIRED
        attempt = days.open_attempt(tx, HAND, 4, NOON)
        assert offline(tx, who=5) is OfflineOutcome.KEPT
        days.update_open_attempt(tx, replace(attempt, state=State.SKIPPED, closed=NOON))
        assert offline(tx, who=4) is OfflineOutcome.FINISHED
        assert days.load_solved_dates(tx, ANN) == []

    await db(story)


async def test_offline_solution_is_not_timed_before_the_deal(db: Database) -> None:
    def story(tx: Tx) -> None:
        days.insert_hand(tx, HAND)
        days.open_attempt(tx, HAND, ANN, NOON)
        assert boards.insert_offline_solution(tx, ANN, DAY, RIGHT, NOON - 3600, NOON + 60) == (
            OfflineOutcome.KEPT,
            NOON,
        )

    await db(story)


async def test_offline_solution_time_is_clamped(db: Database) -> None:
    def story(tx: Tx) -> None:
        days.insert_hand(tx, HAND)
        claims, kept = ((1, -1e18), (2, 1e18), (3, NOON - 60)), list[float]()
        for who, at in claims:
            days.open_attempt(tx, HAND, who, NOON - 3600)
            outcome, claimed = boards.insert_offline_solution(tx, who, DAY, RIGHT, at, NOON)
            assert outcome is OfflineOutcome.KEPT
            kept.append(claimed)
        assert kept == [NOON - 3600, NOON, NOON - 60]
        stored = select(board_offline.c.claimed).order_by(board_offline.c.player_id)
        assert list(tx.scalars(stored)) == kept

    await db(story)


async def test_rounds_of_a_table(db: Database) -> None:
    def story(tx: Tx) -> None:
        here, topic = (
            store_round(tx, make_round(chat_id=NEW)),
            store_round(tx, make_round(chat_id=NEW, topic=3)),
        )
        contest = store_round(tx, make_round(chat_id=NEW, topic=5))
        tx.execute(update(rounds).where(rounds.c.id == contest.id).values(kind="contest"))
        for place, found in ((Place(NEW), [here.id]), (Place(NEW, 3), [topic.id]), (Place(NEW, 5), [])):
            assert [number for number in range(9) if boards.is_round_on_table(tx, place, number)] == found
        assert not boards.is_round_on_table(tx, Place(ANN), here.id)

    await db(story)


async def test_closed_pages_are_remembered_for_a_session(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert not boards.is_closed_since(tx, ANN, NOON)
        for moment in (NOON - 9, NOON):
            boards.close_pages(tx, ANN, moment)
        assert [boards.is_closed_since(tx, ANN, NOON + late) for late in (-60, 0, 1)] == [True, True, False]
        assert not boards.is_closed_since(tx, BOB, NOON - 60)
        assert str(ANN) not in repr(list(tx.execute(select(board_openings))))
        boards.delete_expired_rows(tx, NOON + SESSION_SECONDS + 1)
        assert boards.is_closed_since(tx, ANN, NOON)
        boards.delete_expired_rows(tx, NOON + boards.CLOSING_SECONDS + 1)
        assert tx.scalar(select(func.count()).select_from(board_openings)) == 0

    await db(story)


async def test_forgetting_a_player_deletes_board_rows(db: Database) -> None:
    def story(tx: Tx) -> None:
        days.insert_hand(tx, HAND)
        for who in (ANN, BOB):
            insert_reply(tx, who, "p", "psst", None, NOON)
            days.open_attempt(tx, HAND, who, NOON)
            boards.insert_offline_solution(tx, who, DAY, RIGHT, NOON, NOON)
        result = json.loads(privacy.load_export(tx, ANN))
        assert [word["text"] for word in result["messages_on_pages"]] == ["psst"]
        assert [hand["answer"] for hand in result["solved_offline"]] == [RIGHT]
        privacy.forget_player(tx, ANN)
        for table in (board_words, board_offline):
            assert list(tx.scalars(select(table.c.player_id))) == [BOB]

    await db(story)


async def test_offline_solutions_are_kept_for_90_days(db: Database) -> None:
    def story(tx: Tx) -> None:
        days.insert_hand(tx, HAND)
        days.open_attempt(tx, HAND, ANN, NOON)
        boards.insert_offline_solution(tx, ANN, DAY, RIGHT, NOON, NOON)
        boards.delete_expired_rows(tx, NOON + boards.OFFLINE_SECONDS - 1)
        assert load_offline_solutions(tx) == [(ANN, RIGHT)]
        boards.delete_expired_rows(tx, NOON + boards.OFFLINE_SECONDS + 1)
        assert load_offline_solutions(tx) == []

    await db(story)
