"""Queries of played and practised hands, and reports."""

from dataclasses import replace

from sqlalchemy import delete, func, select

from bot.database import Tx
from bot.database.schema import practised
from bot.database.schema import rounds as rounds_
from bot.games.twentyfour.rules import Hand
from bot.modes.daily import queries as daily
from bot.modes.daily.rules import DailyHand
from bot.modes.practice import queries
from bot.modes.practice.rules import PracticeOptions
from bot.rounds import attempts, ledger
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Award, Round, State, mark_ended
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round

NOW, ANN, BOB = 1_763_726_400.0, 5, 6
OPTIONS = PracticeOptions("division", is_chosen=False, reports_all_skills=True)


DAILY_HAND = DailyHand("2026-11-21", "24", Hand((3, 8, 3, 8), 24, "hard", 30.0, ("8/(3-8/3)",)))


IDEAS: dict[tuple[int, ...], tuple[str, ...]] = {
    (8, 9, 10, 7): ("8*9/(10-7)",),
    (3, 8, 3, 8): ("8/(3-8/3)",),
    (6, 6, 6, 6): ("6+6+6+6", "6*6-6-6"),
}


def end_practised_hand(tx: Tx, state: State, seconds: float, **more: object) -> Round:
    """Store a practised hand of Ann's that ended after so many seconds."""
    dealt = make_round(
        chat_id=ANN, numbers=(8, 9, 10, 7), ideas=IDEAS[8, 9, 10, 7], dealer_id=ANN, opened=NOW, deadline=None
    )
    stored = store_round(tx, replace(dealt, kind=Kind.PRACTICE, options=str(OPTIONS)))
    done = replace(mark_ended(stored, state, NOW + seconds), **more)  # type: ignore[arg-type]
    assert rounds.close_round(tx, done)
    return done


async def test_practised_hand_is_stored_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        won = end_practised_hand(tx, State.WON, 30.0)
        attempts.count_answer(tx, won.id, ANN, "wrong")
        queries.insert_practised_hand(tx, won)
        queries.insert_practised_hand(tx, replace(won, closed=NOW + 99))
        (kept,) = queries.load_practised_hands(tx, ANN)
        assert (kept.skills, kept.asked, kept.seconds) == ({"division"}, "division", 30.0)
        queries.insert_practised_hand(tx, end_practised_hand(tx, State.EXPIRED, 600.0))  # nobody was there
        assert len(queries.load_practised_hands(tx, ANN)) == 1
        queries.insert_practised_hand(tx, end_practised_hand(tx, State.SKIPPED, 9.0))
        assert [one.seconds for one in queries.load_practised_hands(tx, ANN)] == [30.0, None]
        assert queries.load_practised_hands(tx, BOB) == []
        assert tx.scalar(select(practised.c.at).where(practised.c.seconds.is_(None))) == NOW + 9.0

    await db(story)


async def test_played_hands_leave_out_lessons_and_other_kinds(db: Database) -> None:
    def played(tx: Tx, kind: Kind, numbers: tuple[int, ...], *, won: bool, chat: int = -1) -> None:
        dealt = make_round(
            chat_id=chat, numbers=numbers, ideas=IDEAS[numbers], level="easy", dealer_id=BOB, opened=NOW
        )
        stored = store_round(tx, replace(dealt, kind=kind))
        attempts.count_answer(tx, stored.id, ANN, "wrong")
        if won:
            assert ledger.insert_award(tx, stored, Award(ANN, 3, 9.0, "…", ""), 7, NOW)
        assert rounds.close_round(tx, mark_ended(stored, State.WON if won else State.EXPIRED, NOW + 9))

    def story(tx: Tx) -> None:
        played(tx, Kind.FIRST, (8, 9, 10, 7), won=True)
        played(tx, Kind.FIRST, (3, 8, 3, 8), won=False)
        played(tx, Kind.TUTORIAL, (8, 9, 10, 7), won=False)
        played(tx, Kind.CHOSEN, (8, 9, 10, 7), won=False)
        played(tx, Kind.FIRST, (6, 6, 6, 6), won=True)  # which needs no skill
        queries.insert_practised_hand(tx, end_practised_hand(tx, State.WON, 30.0))
        found = queries.load_played_hands(tx, ANN)
        assert [hand.seconds for hand in found] == [30.0, 9.0, None, 9.0]
        assert [len(hand.skills) for hand in found] == [2, 0, 3, 2]
        assert found[0].numbers == (7, 8, 9, 10)
        assert queries.load_played_hands(tx, BOB) == []

    await db(story)


async def test_daily_hands_storms_and_streaks_count(db: Database) -> None:
    def run(tx: Tx, kind: Kind, state: State) -> None:
        dealt = make_round(
            chat_id=ANN, numbers=(8, 9, 10, 7), ideas=IDEAS[8, 9, 10, 7], dealer_id=ANN, opened=NOW
        )
        stored = store_round(tx, replace(dealt, kind=kind))
        assert rounds.close_round(tx, mark_ended(stored, state, NOW + stored.id))

    def story(tx: Tx) -> None:
        run(tx, Kind.STORM, State.WON)
        run(tx, Kind.STORM, State.EXPIRED)  # its time was up
        run(tx, Kind.STREAK, State.SKIPPED)
        hand = daily.insert_hand(tx, DAILY_HAND)
        attempt = daily.open_attempt(tx, hand, ANN, NOW)
        assert daily.update_open_attempt(tx, replace(attempt, state=State.SKIPPED, closed=NOW + 99.0))
        found = queries.load_played_hands(tx, ANN)
        assert [hand.seconds for hand in found] == [None, None, 1.0]
        latest = queries.load_played_hands(tx, ANN, limit=1)  # of each sort
        assert [hand.seconds for hand in latest] == [None, None]
        assert all(hand.skills for hand in found)

    await db(story)


async def test_practised_hand_outlives_its_round(db: Database) -> None:
    def story(tx: Tx) -> None:
        for seconds in (30.0, 60.0):
            queries.insert_practised_hand(tx, end_practised_hand(tx, State.WON, seconds))
        before = queries.load_played_hands(tx, ANN)
        first = tx.scalar(select(func.min(rounds_.c.id)))
        tx.execute(delete(rounds_).where(rounds_.c.id == first))
        found = queries.load_played_hands(tx, ANN)
        assert found[0] == before[0]
        assert (found[1].seconds, found[1].skills) == (30.0, {"division"})

    await db(story)


async def test_report_stays_the_same_whenever_it_is_rendered(db: Database) -> None:
    def story(tx: Tx) -> None:
        hands = [
            end_practised_hand(tx, State.WON, seconds) for seconds in (90, 91, 92, 93, 94, 9, 8, 7, 6, 5)
        ]
        for hand in hands:
            queries.insert_practised_hand(tx, hand)
        result = [queries.load_report(tx, hand) for hand in hands]
        assert [bool(each.gains) for each in result] == [False] * 9 + [True]
        assert [each.gives_advice for each in result] == [number == 5 for number in range(1, 11)]
        fresh = replace(hands[0], id=hands[-1].id + 1, state=State.OPEN, closed=None)
        assert queries.load_report(tx, fresh).gains == result[-1].gains
        later_hand = str(replace(OPTIONS, reports_all_skills=False))
        assert not queries.load_report(tx, replace(fresh, options=later_hand)).gains
        assert queries.load_latest_skills(tx, ANN) == {"division", "subtraction"}
        assert queries.load_latest_skills(tx, BOB) == set()

    await db(story)
