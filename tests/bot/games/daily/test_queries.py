"""What the database keeps of the daily hand."""

from dataclasses import replace

from bot.database import Tx
from bot.games.daily import queries as daily
from bot.games.daily.rules import LIFE, Daily, Progress, day_of, given_up, solved, went_wrong
from bot.games.puzzle import Query
from bot.games.twentyfour.hand import Hand
from tests.bot.databases import Database

NOON = 1_763_726_400.0
DAY = day_of(NOON)
HAND = Daily(DAY, "24", Hand((3, 8, 3, 8), 24, "hard", 30.0, ("8/(3-8/3)",)))


async def test_the_first_hand_of_a_day_holds(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert daily.hand(tx, DAY) is None
        assert daily.keep_hand(tx, HAND) == HAND
        assert daily.keep_hand(tx, replace(HAND, puzzle=Hand((1, 2, 3, 4), 24, "easy", 9.0, ()))) == HAND
        assert daily.hand(tx, DAY) == HAND

    await db(story)


async def test_an_attempt_is_begun_once_and_ended_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        daily.keep_hand(tx, HAND)
        begun = daily.begin(tx, DAY, 7, NOON)
        assert daily.begin(tx, DAY, 7, NOON + 60) == begun
        assert daily.keep(tx, went_wrong(begun, NOON + 1))
        assert daily.open_attempts(tx, 7, NOON + 2) == [(HAND, replace(begun, wrong=1))]
        assert daily.keep(tx, solved(begun, "8/(3-8/3)", NOON + 9))
        assert not daily.keep(tx, given_up(begun, NOON + 10))
        ended = daily.attempt(tx, DAY, 7)
        assert ended
        assert (ended.state, ended.seconds, ended.answer) == (Progress.SOLVED, 9.0, "8/(3-8/3)")
        assert daily.open_attempts(tx, 7, NOON + 11) == []
        assert daily.solved_days(tx, 7) == [DAY]

    await db(story)


async def test_the_hand_is_sealed_for_whoever_may_still_solve_it(db: Database) -> None:
    def sealed(tx: Tx, player: int | None, at: float = NOON) -> bool:
        return daily.sealed(tx, player, [Query("8 8 3 3 → 24")], at)

    def story(tx: Tx) -> None:
        assert not sealed(tx, 7)
        daily.keep_hand(tx, HAND)
        assert sealed(tx, 7)
        assert sealed(tx, None)
        assert not daily.sealed(tx, 7, [Query("8 8 3 3 → 25")], NOON)
        assert daily.sealed(tx, 7, [Query("8 8 3 3 1 → 25")], NOON)
        begun = daily.begin(tx, DAY, 7, NOON)
        assert sealed(tx, 7)
        assert sealed(tx, 7, NOON + LIFE)
        assert sealed(tx, 8, NOON + LIFE)  # somebody is still at it
        assert sealed(tx, None, NOON + LIFE)
        assert not sealed(tx, 8, NOON + LIFE + 1)
        daily.keep(tx, given_up(begun, NOON + 5))
        assert not sealed(tx, 7)
        assert sealed(tx, None)
        assert not sealed(tx, None, NOON + LIFE)

    await db(story)


async def test_a_table_lists_who_took_a_seat_and_moves_with_its_chat(db: Database) -> None:
    def story(tx: Tx) -> None:
        begun = daily.begin(tx, DAY, 7, NOON)
        daily.begin(tx, DAY, 8, NOON)
        for _ in range(2):
            daily.take_seat(tx, DAY, -1, 7)
        shown = daily.Followed(DAY, -1, 55, "en")
        daily.follow(tx, replace(shown, message_id=44))
        daily.follow(tx, shown)
        assert daily.seated(tx, DAY, -1) == [begun]
        assert daily.followers(tx, DAY, 7) == [shown]
        assert daily.followers(tx, DAY, 8) == []
        daily.move(tx, -1, -2)
        assert daily.seated(tx, DAY, -2) == [begun]
        assert daily.followers(tx, DAY, 7) == []

    await db(story)


async def test_a_table_that_waits_for_somebody_is_told_once(db: Database) -> None:
    table = daily.Followed(DAY, -5, 9, "en")
    end = NOON - NOON % LIFE + 2 * LIFE

    def story(tx: Tx) -> None:
        daily.keep_hand(tx, HAND)
        for player in (7, 8):
            daily.begin(tx, DAY, player, NOON)
            for chat in (-5, -6):
                daily.take_seat(tx, DAY, chat, player)
        daily.begin(tx, DAY, 9, NOON)
        daily.take_seat(tx, DAY, -7, 9)
        daily.keep(tx, given_up(daily.begin(tx, DAY, 9, NOON), NOON + 1))
        daily.follow(tx, table)
        daily.follow(tx, replace(table, chat_id=-7))
        assert daily.ended(tx, end - 1) == []
        assert daily.ended(tx, end) == [table]
        assert daily.ended(tx, end) == []
        assert daily.ended(tx, end + 5 * LIFE) == []
        assert daily.ended(tx, end) == [table]  # the clock was wrong, and has been set back
        assert daily.ended(tx, end) == []

    await db(story)
