"""Queries of contests and cards."""

from dataclasses import replace

import pytest
from sqlalchemy import select, update

from bot.admin.privacy import queries as privacy
from bot.database import Tx
from bot.database.schema import entries, last_wins
from bot.database.schema import rounds as table
from bot.modes.contest import queries as contests
from bot.modes.contest.rules import LAST_CALL_SECONDS, PlayerCard
from bot.modes.contest.rules import compute_awards as earned
from bot.players import queries as people
from bot.rounds import attempts as handing
from bot.rounds import ledger, queries
from bot.rounds import queries as rounds
from bot.rounds.contest_game import CONTEST_LIFETIME
from bot.rounds.puzzle import PlayerResult
from bot.rounds.registry import CONTEST_GAMES
from bot.rounds.rules import Round, State
from bot.standings import weekly_post as weeks
from bot.standings.stats import queries as stats
from bot.standings.stats.queries import Score
from bot.standings.weekly_post import Week, WeekSummary
from tests.bot.databases import Database
from tests.bot.modes.contest.test_view import make_contest
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

ANN, BOB, CLUB = 11, 12, -7
GAME = CONTEST_GAMES["yahtzee"]


def open_contest(tx: Tx, seed: int = 1, topic: int = 0) -> Round:
    """Open a contest in the club."""
    people.load_or_insert_chat(tx, CLUB, "supergroup")
    new = replace(
        make_contest(seed, CLUB), topic=topic, opened=NOON, deadline=NOON + CONTEST_LIFETIME, message_id=None
    )
    stored = rounds.open_round(tx, new)
    assert stored is not None
    return stored


def make_card(who: int, done: int, at: float = NOON) -> PlayerCard:
    card = GAME.unpack_card({"v": 1, "put": list(range(done))})
    return PlayerCard(who, card, at, "es", 5, at, turns_played=done)


async def test_card_that_was_given_up_earns_nothing_and_is_rated_last(db: Database) -> None:
    def story(tx: Tx) -> None:
        stored = open_contest(tx)
        for who in (ANN, BOB):
            contests.store_card(tx, stored, make_card(who, 13))
        contests.give_up_cards(tx, stored, [ANN, 99])
        standings = contests.read_cards(stored, handing.load_entries(tx, stored))
        assert [(s.player_id, s.total is None, s.given_up) for s in standings] == [
            (BOB, False, False),
            (ANN, True, True),
        ]
        played = [
            PlayerResult(each.player_id, entry=each.answer) for each in handing.load_entries(tx, stored)
        ]
        (bob, ann) = GAME.make_rating_match(stored, played).results
        assert (ann.player_id, bob.player_id) == (ANN, BOB)
        assert ann.place > bob.place

    await db(story)


async def test_contest_is_loaded_as_it_was_stored(db: Database) -> None:
    def story(tx: Tx) -> None:
        stored = open_contest(tx)
        assert rounds.load_round(tx, stored.id) == stored
        assert (
            contests.load_running_contest(tx, CLUB, 0)
            == stored
            == contests.load_running_contest(tx, CLUB, 0, game=GAME.key)
        )
        assert contests.load_running_contest(tx, CLUB, 1) is None
        assert contests.load_running_contests(tx, chat_id=CLUB) == [stored]
        full = make_card(BOB, 13)
        cards = [make_card(ANN, 3), replace(full, total=GAME.compute_total(stored.puzzle, full.card))]
        for sheet in cards:
            contests.store_card(tx, stored, sheet)
            assert contests.load_card(tx, stored, sheet.player_id) == sheet
        assert contests.load_cards(tx, stored) == cards
        over = contests.close_contest(tx, stored, NOON + 9)
        assert over is not None
        assert contests.close_contest(tx, stored, NOON + 10) is None
        assert contests.load_running_contests(tx, chat_id=CLUB) == []
        known = rounds.load_round(tx, stored.id)
        assert known is not None
        assert (known.state, known.closed) == (State.OVER, NOON + 9)

    await db(story)


async def test_queries_for_other_rounds_skip_contests(db: Database) -> None:
    def story(tx: Tx) -> None:
        won = store_round(tx, make_round(chat_id=CLUB))
        beside = open_contest(tx)
        tx.execute(update(table).where(table.c.id == beside.id).values(message_id=77))
        assert rounds.load_open_round(tx, CLUB, 0) == won
        assert rounds.load_open_rounds_in_chat(tx, CLUB) == [won]
        assert rounds.load_latest_round(tx, CLUB, 0) == won
        assert rounds.load_round_of_message(tx, CLUB, 77) is None
        due = queries.load_due_clocks(tx, NOON + 10 * CONTEST_LIFETIME)
        assert {clock.round_id: clock.is_contest for clock in due} == {won.id: False, beside.id: True}
        assert queries.load_next_deadline(tx, NOON + 700) is None
        assert rounds.close_round(tx, replace(won, state=State.SKIPPED, closed=NOON + 3))
        between = open_contest(tx, 2)
        contests.close_contest(tx, between, NOON + 4)
        after = store_round(tx, make_round(chat_id=CLUB, numbers=(1, 2, 3, 4)))
        for before in (rounds.load_previous_round(tx, after), rounds.load_previous_scored_round(tx, after)):
            assert before is not None
            assert before.id == won.id

    await db(story)


async def test_lost_message_is_forgotten(db: Database) -> None:
    def story(tx: Tx) -> None:
        stored = open_contest(tx)
        rounds.record_deal_message(tx, stored.id, 77, NOON)
        assert rounds.record_lost_message(tx, CLUB, 77, clock_only=False)
        known = rounds.load_round(tx, stored.id)
        assert known is not None
        assert known.message_id is None
        assert rounds.load_round_of_message(tx, CLUB, 77) is None

    await db(story)


@pytest.mark.parametrize("stored", ["", '{"card": 3}', '{"card": {"v": 2}}'])
async def test_other_cards_are_loaded_beside_a_broken_one(db: Database, stored: str) -> None:
    def story(tx: Tx) -> None:
        present = open_contest(tx)
        for who in (ANN, BOB):
            contests.store_card(tx, present, make_card(who, 2))
        tx.execute(update(entries).where(entries.c.player_id == ANN).values(answer=stored))
        assert contests.load_cards(tx, present) == [make_card(BOB, 2)]
        assert contests.load_card(tx, present, ANN) is None
        contests.move_cards_to_alias(tx, ANN)
        assert contests.load_cards(tx, present) == [make_card(BOB, 2)]

    await db(story)


async def test_contest_is_due_when_all_players_have_finished(db: Database) -> None:
    def story(tx: Tx) -> None:
        present = open_contest(tx)
        for who, done in ((ANN, 13), (BOB, 12)):
            contests.store_card(tx, present, make_card(who, done))
        contests.update_deadline(tx, present)
        assert queries.load_due_clocks(tx, NOON + CONTEST_LIFETIME - 1) == []
        contests.store_card(tx, present, make_card(BOB, 13, NOON + 50))
        contests.update_deadline(tx, present)
        assert queries.load_due_clocks(tx, NOON + 50 + LAST_CALL_SECONDS) == []
        assert [clock.round_id for clock in queries.load_due_clocks(tx, NOON + 51 + LAST_CALL_SECONDS)] == [
            present.id
        ]

    await db(story)


async def test_contest_with_progress_is_redrawn_after_a_while(db: Database) -> None:
    def story(tx: Tx) -> None:
        present = open_contest(tx)
        rounds.record_deal_message(tx, present.id, 77, NOON)
        assert contests.load_stale_contests(tx, NOON + 20) == []
        contests.store_card(tx, present, make_card(ANN, 2, NOON + 5))
        assert contests.load_stale_contests(tx, NOON + 10) == []
        assert contests.load_stale_contests(tx, NOON + 15) != []
        rounds.record_redraw(tx, present.id, NOON + 15)
        assert contests.load_stale_contests(tx, NOON + 100) == []

    await db(story)


async def test_deleted_player_is_not_waited_for(db: Database) -> None:
    def story(tx: Tx) -> None:
        present = open_contest(tx)
        for who, done in ((ANN, 13), (BOB, 12), (13, 13)):
            people.insert_or_update_player(tx, people.Player(who, f"P{who}"))
            contests.store_card(tx, present, make_card(who, done))
        contests.update_deadline(tx, present)
        privacy.forget_player(tx, BOB)
        assert [sheet.player_id for sheet in contests.load_cards(tx, present)] == [ANN, 13]
        assert [clock.round_id for clock in queries.load_due_clocks(tx, NOON + 1 + LAST_CALL_SECONDS)] == [
            present.id
        ]
        contests.restore_card_from_alias(tx, present, BOB)
        assert len(contests.load_cards(tx, present)) == 3
        privacy.forget_player(tx, BOB)
        contests.delete_alias_cards(tx, present)
        assert len(tx.execute(select(entries)).all()) == 2

    await db(story)


async def test_second_place_earns_points_and_no_win(db: Database) -> None:
    def story(tx: Tx) -> None:
        present = open_contest(tx)
        for who in (ANN, BOB):
            contests.store_card(tx, present, make_card(who, 13))
        over = contests.close_contest(tx, present, NOON)
        assert over is not None
        standings = [replace(s, total=200 - s.player_id) for s in contests.load_cards(tx, over)]
        for award in earned(standings, {ANN: 18, BOB: 17}):
            assert ledger.insert_award(tx, over, award, 7, NOON)
        assert stats.load_profile(tx, CLUB, ANN, NOON, "yahtzee", all_chats=False).in_chat == Score(
            1, 1, 18, 1
        )
        second = stats.load_profile(tx, CLUB, BOB, NOON, "yahtzee", all_chats=False)
        assert second.in_chat == Score(1, 0, 17, 2)
        assert second.best_seconds == {}
        assert list(tx.scalars(select(last_wins.c.player_id))) == [ANN]
        week = Week("2026-W47", NOON - 86_400, NOON + 86_400)
        assert weeks.load_week_summary(tx, CLUB, week) == WeekSummary((ANN,), 18, None, 0.0, None, "yahtzee")

    await db(story)
