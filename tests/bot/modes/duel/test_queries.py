"""Queries of challenges and duels."""

from dataclasses import replace

import pytest
from sqlalchemy import insert, update

from bot.database import Tx
from bot.database.schema import duels as table
from bot.database.schema import outbox
from bot.modes.duel import queries as duels
from bot.modes.duel.rules import CHALLENGE_SECONDS, Duel, DuelState, mark_given_up
from bot.modes.race import queries as races
from bot.rounds import ledger
from bot.rounds import queries as rounds
from bot.rounds.mode import end_race
from bot.rounds.puzzle import DealtPuzzle
from bot.rounds.rules import Round, State, mark_ended, win_round
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

ANN, BOB, CID, CLUB = 1, 2, 3, -7
NEW = Duel(
    0,
    CLUB,
    4,
    ANN,
    BOB,
    "24",
    NOON + CHALLENGE_SECONDS,
    opponent_name="Bob",
    language="ru",
    options='{"level": "hard"}',
)


def begin_duel(tx: Tx, challenger: int = ANN, opponent: int = BOB, chat: int = CLUB) -> tuple[Duel, Round]:
    """Begin a duel; return it with its first open hand."""
    offered = duels.insert_challenge(
        tx, replace(NEW, chat_id=chat, challenger_id=challenger, opponent_id=opponent)
    )
    hand = make_round(chat_id=chat, dealer_id=challenger)
    race_id = races.insert_race(tx, hand, [DealtPuzzle(hand.puzzle)] * 4)
    hand = store_round(tx, replace(hand, race_id=race_id))
    duels.begin_duel(tx, offered.id, opponent, race_id)
    duel = duels.load_duel(tx, offered.id)
    assert duel
    return duel, hand


def win_hand(tx: Tx, hand: Round, player: int) -> None:
    result = win_round(hand, player, "8/(3-8/3)", NOON + 9)
    assert isinstance(result, tuple)
    assert rounds.close_round(tx, result[0])
    assert ledger.insert_award(tx, *result, 7, NOON + 9)


async def test_challenge_is_loaded_as_it_was_stored(db: Database) -> None:
    def story(tx: Tx) -> None:
        offered = duels.insert_challenge(tx, NEW)
        assert duels.load_duel(tx, offered.id) == offered == replace(NEW, id=offered.id)
        assert duels.load_open_challenge(tx, CLUB, ANN) == offered
        assert duels.load_open_challenge(tx, CLUB, BOB) is None
        assert duels.load_open_challenge(tx, -8, ANN) is None
        anybody = duels.insert_challenge(tx, replace(NEW, opponent_id=None, opponent_name=""))
        assert duels.load_duel(tx, anybody.id) == anybody

    await db(story)


async def test_challenge_expires_five_minutes_after_delivery(db: Database) -> None:
    def story(tx: Tx) -> None:
        offered = duels.insert_challenge(tx, NEW)
        waits = {"lane": CLUB, "body": "{}", "state": "waiting", "at": NOON}
        key = tx.execute(insert(outbox).values(waits)).inserted_primary_key
        assert key
        assert duels.load_expired_challenges(tx, NOON + CHALLENGE_SECONDS + 1) == [], "it is still on its way"
        duels.update_challenge_message(tx, offered.id, 99, NOON + 50)
        duels.update_challenge_message(tx, offered.id, 100, NOON + 80)
        (known,) = duels.load_expired_challenges(tx, NOON + CHALLENGE_SECONDS + 51)
        assert (known.message_id, known.expires_at) == (99, NOON + CHALLENGE_SECONDS + 50)
        assert duels.load_expired_challenges(tx, NOON + CHALLENGE_SECONDS + 50) == []
        assert duels.delete_challenge(tx, offered.id)
        assert not duels.delete_challenge(tx, offered.id)
        assert duels.load_duel(tx, offered.id) is None

    await db(story)


async def test_undeliverable_challenge_expires_too(db: Database) -> None:
    def story(tx: Tx) -> None:
        offered = duels.insert_challenge(tx, NEW)
        assert duels.load_expired_challenges(tx, NOON + CHALLENGE_SECONDS + 1) == [offered]
        assert duels.load_open_challenges(tx, CLUB) == [offered]
        duels.update_challenge_message(tx, offered.id, 99, NOON)
        assert len(duels.load_open_challenges(tx, CLUB)) == 1
        assert duels.load_open_challenges(tx, CLUB - 1) == []
        assert duels.delete_challenge(tx, offered.id)
        assert duels.load_open_challenges(tx, CLUB) == []

    await db(story)


async def test_challenge_is_accepted_once_and_its_name_is_deleted(db: Database) -> None:
    def story(tx: Tx) -> None:
        duel, _ = begin_duel(tx)
        assert (duel.state, duel.opponent_name, duel.player_ids) == (DuelState.OPEN, "", (ANN, BOB))
        duels.begin_duel(tx, duel.id, CID, 9)
        assert not duels.delete_challenge(tx, duel.id)
        assert duels.load_expired_challenges(tx, NOON + 9 * CHALLENGE_SECONDS) == []
        assert duels.load_duel_of_race(tx, duel.race_id) == duel
        assert duels.load_duel_of_race(tx, None) is None

    await db(story)


async def test_only_other_players_are_spectators(db: Database) -> None:
    def story(tx: Tx) -> None:
        _, hand = begin_duel(tx)
        assert [duels.is_duel_spectator(tx, hand, who) for who in (ANN, BOB, CID)] == [False, False, True]
        assert not duels.is_duel_spectator(tx, replace(hand, race_id=None), CID)

    await db(story)


async def test_duel_runs_while_one_of_its_hands_is_open(db: Database) -> None:
    def story(tx: Tx) -> None:
        duel, hand = begin_duel(tx)
        assert [duels.load_running_duel(tx, who) for who in (ANN, BOB, CID)] == [duel, duel, None]
        assert rounds.close_round(tx, mark_ended(hand, State.SKIPPED, NOON + 5))
        assert duels.load_running_duel(tx, ANN) is None

    await db(story)


@pytest.mark.parametrize(("winner", "state"), [(BOB, DuelState.WON), (None, DuelState.DRAWN)])
async def test_duel_is_settled_by_its_score(db: Database, winner: int | None, state: DuelState) -> None:
    def story(tx: Tx) -> None:
        duel, hand = begin_duel(tx)
        if winner:
            win_hand(tx, hand, winner)
        assert duels.load_score(tx, duel) == {player: int(player == winner) for player in duel.player_ids}
        assert not duels.is_duel_decided(tx, duel.race_id or 0)
        end_race(tx, duel.race_id or 0)
        after = duels.load_duel(tx, duel.id)
        assert after
        assert (after.state, after.winner_id) == (state, winner)

    await db(story)


async def test_duel_that_is_over_is_not_settled_again(db: Database) -> None:
    def story(tx: Tx) -> None:
        duel, hand = begin_duel(tx)
        win_hand(tx, hand, ANN)
        duels.close_duel(tx, mark_given_up(duel, ANN))
        end_race(tx, duel.race_id or 0)
        duels.close_duel(tx, replace(duel, state=DuelState.STOPPED))
        after = duels.load_duel(tx, duel.id)
        assert after
        assert (after.state, after.winner_id) == (DuelState.GIVEN_UP, BOB)

    await db(story)


async def test_won_and_lost_duels_are_counted(db: Database) -> None:
    def story(tx: Tx) -> None:
        for n, (one, other, winner) in enumerate(
            ((ANN, BOB, ANN), (BOB, ANN, ANN), (CID, ANN, CID), (ANN, BOB, None), (BOB, CID, BOB)), 1
        ):
            duel, hand = begin_duel(tx, one, other, -n)
            if winner:
                win_hand(tx, hand, winner)
            end_race(tx, duel.race_id or 0)
        begin_duel(tx, ANN, CID, -99)
        assert {who: duels.count_duels_won_and_lost(tx, who) for who in (ANN, BOB, CID, 4)} == {
            ANN: (2, 1),
            BOB: (1, 2),
            CID: (1, 1),
            4: (0, 0),
        }

    await db(story)


@pytest.mark.parametrize("broken", [{"options": "{"}, {"options": "[]"}])
async def test_broken_row_can_be_loaded(db: Database, broken: dict[str, str]) -> None:
    def story(tx: Tx) -> None:
        duel, hand = begin_duel(tx)
        tx.execute(update(table).values(broken))
        found = duels.load_duel_of_race(tx, hand.race_id)
        assert found
        assert found.player_ids == duel.player_ids
        assert found.options == broken["options"]

    await db(story)
