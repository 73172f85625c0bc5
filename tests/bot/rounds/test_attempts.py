"""Counts of wrong answers, near misses and attempts by others."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine

from bot.database.schema import metadata
from bot.rounds import attempts, ledger
from bot.rounds.rules import Award, Round
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

ANN, BOB = 1, 2


@pytest.fixture
def tx(tmp_path: Path) -> Iterator[Connection]:
    engine = create_engine(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    metadata.create_all(engine)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


@pytest.fixture
def round(tx: Connection) -> Round:
    return store_round(tx, make_round())


def make_miss(value: int, player_id: int = BOB) -> attempts.NearMiss:
    return attempts.NearMiss(player_id, "8+8", Fraction(value))


def test_unreadable_answers_are_counted_apart(tx: Connection, round: Round) -> None:
    assert [attempts.count_answer(tx, round.id, BOB, "misread") for _ in range(2)] == [1, 2]
    assert attempts.count_answer(tx, round.id, BOB, "wrong") == 1
    assert attempts.count_answer(tx, round.id, ANN, "wrong") == 1


def test_nearest_of_several_misses_is_kept(tx: Connection, round: Round) -> None:
    attempts.count_answer(tx, round.id, BOB, "wrong")
    for value, distance in ((22, 2.0), (40, 16.0), (23, 1.0), (22, 2.0)):
        attempts.record_miss(tx, round, make_miss(value), distance)
    assert attempts.load_nearest_miss(tx, round.id) == make_miss(23)


@pytest.mark.long
@pytest.mark.parametrize(("off", "expected"), [(0.1, True), (5.0, True), (5.01, False)])
def test_miss_is_near_within_five(tx: Connection, round: Round, off: float, expected: bool) -> None:
    attempts.count_answer(tx, round.id, BOB, "wrong")
    attempts.record_miss(tx, round, make_miss(22), off)
    assert attempts.load_nearest_miss(tx, round.id) == (make_miss(22) if expected else None)


def test_attempt_by_others_is_found(tx: Connection, round: Round) -> None:
    def seen_by() -> tuple[bool, ...]:
        return tuple(attempts.has_attempt(tx, round.id, except_player_id=who) for who in (ANN, BOB))

    assert seen_by() == (False, False)
    attempts.set_note(tx, round.id, BOB, "only a note")
    attempts.count_answer(tx, round.id, BOB, "late")
    assert seen_by() == (False, False)
    attempts.count_answer(tx, round.id, ANN, "wrong")
    assert seen_by() == (False, True)
    attempts.count_answer(tx, round.id, BOB, "misread")
    assert seen_by() == (True, True)


def test_right_answer_of_others_is_an_attempt(tx: Connection, round: Round) -> None:
    ledger.insert_award(tx, round, Award(BOB, 5, 9.0, "8/(3-8/3)", "one"), 7, NOON)
    assert attempts.has_attempt(tx, round.id, except_player_id=ANN)
    assert not attempts.has_attempt(tx, round.id, except_player_id=BOB)
