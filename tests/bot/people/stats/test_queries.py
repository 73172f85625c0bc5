"""A player's figures, worked out from what the database keeps."""

from sqlalchemy import update

from bot.database import Tx
from bot.database.schema import rounds as table
from bot.games.puzzle import Entry
from bot.games.rounds import queries as rounds
from bot.games.rounds import tries
from bot.games.rounds.rules import Award
from bot.people import queries as people
from bot.people.leaderboard import queries as boards
from bot.people.stats import queries as records
from bot.people.stats.queries import Times
from tests.bot.databases import Database
from tests.hands import deal, opened

NOW = 1_763_726_400.0


def plays(tx: Tx, chat: int, winner: int | None, seconds: float, level: str = "easy", streak: int = 1) -> int:
    """A round of `chat` that `winner` wins after so many seconds; for None it is given up."""
    stored = opened(tx, deal(chat_id=chat, level=level, expected=30.0, opened=NOW, deadline=None))
    ended = {"state": "won" if winner else "skipped", "winner_id": winner, "streak": streak if winner else 0}
    tx.execute(update(table).where(table.c.id == stored.id).values(ended))
    if winner:
        assert boards.award(tx, stored, Award(winner, 1, seconds, "8/(3-8/3)", ""), 7, NOW)
    return stored.id


async def test_who_never_answered_has_no_record(db: Database) -> None:
    def story(tx: Tx) -> None:
        plays(tx, -1, 2, 9.0)
        assert records.record(tx, -1, 7) is None

    await db(story)


async def test_rounds_wins_times_and_streaks(db: Database) -> None:
    def story(tx: Tx) -> None:
        for n, seconds in enumerate((10.0, 20.0), start=1):
            plays(tx, -1, 7, seconds, streak=n)
        plays(tx, -1, 7, 60.0, level="hard", streak=3)
        tries.went_wrong(tx, plays(tx, -1, 8, 5.0), 7)
        tries.went_wrong(tx, plays(tx, -1, 7, 30.0), 7)
        plays(tx, -2, 7, 1.0)
        found = records.record(tx, -1, 7)
        assert found
        assert (found.rounds, found.wins, found.points, found.rank) == (5, 4, 4, 1)
        assert found.times == Times(4, 30.0, 10.0, 30.0)
        assert found.levels == {"easy": Times(3, 20.0, 10.0, 30.0), "hard": Times(1, 60.0, 60.0, 30.0)}
        assert list(found.levels) == ["easy", "hard"]
        assert (found.streak, found.longest_streak) == (1, 3)
        plays(tx, -1, None, 0.0)
        ended = records.record(tx, -1, 7)
        assert ended
        assert (ended.streak, ended.longest_streak) == (0, 3)

    await db(story)


async def test_wrong_answers_alone_are_a_record_without_times(db: Database) -> None:
    def story(tx: Tx) -> None:
        tries.went_wrong(tx, plays(tx, -1, 8, 5.0), 7)
        found = records.record(tx, -1, 7)
        assert found
        assert (found.rounds, found.wins, found.rank, found.times, found.levels) == (1, 0, 0, None, {})

    await db(story)


async def test_what_was_handed_in_is_a_round_played_whether_or_not_it_won(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat, winner in ((-1, 8), (-1, None), (-1, 7), (-2, None)):
            rounds.hand_in(tx, plays(tx, chat, winner, 5.0), Entry(7, "50", NOW))
        found = records.record(tx, -1, 7)
        assert found
        assert (found.rounds, found.wins) == (3, 1)

    await db(story)


async def test_a_username_is_found_however_it_is_written(db: Database) -> None:
    def story(tx: Tx) -> None:
        ann = people.Player(7, "Ann", "Ann24")
        people.saw(tx, ann)
        assert records.by_username(tx, "aNN24") == ann
        assert records.by_username(tx, "ann") is None

    await db(story)
