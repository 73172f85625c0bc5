"""Lists by rating agree with plain sorting."""

import random

from sqlalchemy import insert

from bot.database import Tx
from bot.database.schema import players, ratings, tallies
from bot.rounds import attempts
from bot.rounds import attempts as handing
from bot.rounds.puzzle import Entry, Match, Result
from bot.standings.ratings import queries as store
from bot.standings.ratings import updates
from bot.standings.ratings.queries import RatingScope
from bot.standings.ratings.rules import Rating, get_lower_bound, rate_match, render_rating
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

HERE, ELSEWHERE = RatingScope(-1), RatingScope(-2)


def insert_player(tx: Tx, who: int, rating: Rating, *boards: RatingScope) -> None:
    row = {"mu": rating.mu, "sigma": rating.sigma, "hands": rating.hands, "at": rating.at}
    tx.execute(insert(players).values(id=who, name=f"P{who}", masked=who % 2))
    tx.execute(insert(ratings).values(player_id=who, **row))
    for board in boards:
        tx.execute(insert(tallies).values(chat_id=board.chat_id, player_id=who, game="24", rounds=1))


async def test_matches_update_the_stored_ratings(db: Database) -> None:
    def story(tx: Tx) -> None:
        matches = [(NOON + n, Match([Result(1, -1), Result(2, 1)], expected=14.0)) for n in range(3)]
        by_hand: dict[int, Rating] = {}
        for at, match in matches:
            updates.apply_match(tx, match, at)
            by_hand |= rate_match(by_hand, match, at)
        assert updates.load_ratings(tx, [1, 2, 3]) == by_hand
        assert (updates.load_rating(tx, 1), updates.load_rating(tx, 3)) == (by_hand[1], None)

    await db(story)


async def test_lists_are_ordered_by_the_present_lower_bound(db: Database) -> None:
    def story(tx: Tx) -> None:
        rng = random.Random(24)
        people = {}
        for who in range(1, 301):
            at = NOON - rng.choice([-30, 0, 300, 1000, 1000]) * 86_400 + rng.random()
            rating = Rating(rng.gauss(25, 6), rng.uniform(0.8, 7), rng.randint(5, 60), at)
            people[who] = rating
            insert_player(tx, who, rating, HERE if who % 3 else ELSEWHERE)
        mine = {who: get_lower_bound(r, NOON) for who, r in people.items() if who % 3 and r.hands >= 10}
        best = sorted(mine, key=lambda who: -mine[who])
        lines = store.load_best_players(tx, HERE, NOON)
        assert [line.player_id for line in lines] == best[:10]
        assert [line.rank for line in lines] == list(range(1, 11))
        assert [line.score for line in lines] == [render_rating(people[who], NOON) for who in best[:10]]
        assert [(line.name, line.masked) for line in lines] == [
            (f"P{who}", who % 2 == 1) for who in best[:10]
        ]
        for rank, who in list(enumerate(best, start=1))[::7]:
            line = store.load_rating_line(tx, HERE, who, NOON)
            assert line is not None
            assert (line.rank, line.player_id) == (rank, who)
        assert store.load_rating_line(tx, ELSEWHERE, best[0], NOON) is None
        assert store.load_best_players(tx, RatingScope(-9), NOON) == []

    await db(story)


async def test_equal_players_share_a_rank_and_ten_hands_are_needed(db: Database) -> None:
    def story(tx: Tx) -> None:
        for who in (1, 2, 3):
            insert_player(tx, who, Rating(30.0, 2.0, 10, NOON), HERE)
        insert_player(tx, 4, Rating(20.0, 2.0, 10, NOON), HERE)
        insert_player(tx, 5, Rating(40.0, 2.0, 9, NOON), HERE)
        assert [line.rank for line in store.load_best_players(tx, HERE, NOON)] == [1, 1, 1, 4]
        ranks = [line.rank for who in range(1, 6) if (line := store.load_rating_line(tx, HERE, who, NOON))]
        assert ranks == [1, 1, 1, 4]

    await db(story)


async def test_players_who_only_answered_are_listed_in_their_chat_only(db: Database) -> None:
    def story(tx: Tx) -> None:
        for who in (1, 2, 3, 4):
            insert_player(tx, who, Rating(30.0 - who, 2.0, 10, NOON))
        first, second = (
            store_round(tx, make_round(chat_id=-1, topic=n, opened=NOON + n * 9)) for n in (0, 1)
        )
        attempts.count_answer(tx, first.id, 1, "wrong")
        attempts.set_note(tx, first.id, 2, "…")
        handing.store_entry(tx, second.id, Entry(3, "50", NOON))
        attempts.count_answer(tx, store_round(tx, make_round(chat_id=-2)).id, 4, "misread")

        def listed(board: RatingScope) -> list[int]:
            return [line.player_id for line in store.load_best_players(tx, board, NOON)]

        assert listed(HERE) == [1, 3]
        assert listed(RatingScope(-1, "2025-11-21", since=NOON + 5)) == [3]
        assert listed(RatingScope(0)) == []

    await db(story)
