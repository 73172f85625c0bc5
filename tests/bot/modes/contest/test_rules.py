"""Deadline and awards of a contest."""

import pytest

from bot.modes.contest.rules import (
    LAST_CALL_SECONDS,
    PlayerCard,
    collect_totals,
    compute_awards,
    compute_deadline,
    have_all_finished,
)
from bot.rounds.contest_game import CONTEST_LIFETIME

OPENED = 1000.0


def make_finished(who: int, total: int, at: float = OPENED) -> PlayerCard:
    return PlayerCard(who, None, at, turns_played=13, total=total)


def make_unfinished(who: int, done: int = 3, at: float = OPENED) -> PlayerCard:
    return PlayerCard(who, None, at, turns_played=done)


@pytest.mark.parametrize(
    ("standings", "until"),
    [
        ([], OPENED + CONTEST_LIFETIME),
        ([make_unfinished(1)], OPENED + CONTEST_LIFETIME),
        ([make_finished(1, 200, OPENED + 50)], OPENED + CONTEST_LIFETIME),
        (
            [make_finished(1, 200, OPENED + 50), make_finished(2, 100, OPENED + 70)],
            OPENED + 70 + LAST_CALL_SECONDS,
        ),
        ([make_finished(1, 200), make_finished(2, 100), make_unfinished(3, 0)], OPENED + CONTEST_LIFETIME),
        ([make_finished(1, 200), make_unfinished(2)], OPENED + CONTEST_LIFETIME),
        ([make_finished(1, 200, OPENED + CONTEST_LIFETIME - 10)], OPENED + CONTEST_LIFETIME),
    ],
)
def test_deadline_follows_the_last_finished_card(standings: list[PlayerCard], until: float) -> None:
    assert compute_deadline(OPENED, standings) == until


def test_private_contest_ends_with_its_card() -> None:
    assert compute_deadline(OPENED, [make_finished(1, 200, OPENED + 50)], alone=True) == OPENED + 50
    assert compute_deadline(OPENED, [make_unfinished(1)], alone=True) == OPENED + CONTEST_LIFETIME


def test_contest_without_players_is_not_finished() -> None:
    assert not have_all_finished([])
    assert have_all_finished([make_finished(1, 0)])
    assert not have_all_finished([make_finished(1, 200), make_unfinished(2, 12)])
    assert collect_totals([make_finished(1, 0), make_unfinished(2, 12)]) == {1: 0}


def test_first_of_several_wins_and_equals_share_it() -> None:
    worth = {1: 20, 2: 27, 3: 27, 4: 5}
    found = compute_awards(
        [make_finished(1, 200), make_finished(2, 271), make_finished(3, 271), make_unfinished(4)], worth
    )
    assert [(a.player_id, a.points, a.is_win) for a in found] == [
        (2, 27, True),
        (3, 27, True),
        (1, 20, False),
    ]
    assert len({a.part for a in found}) == 3
    assert all(a.part and a.seconds < 0 for a in found)


def test_players_who_left_are_not_waited_for() -> None:
    left = PlayerCard(2, None, OPENED + 20, turns_played=5, has_left=True)
    assert (
        compute_deadline(OPENED, [make_finished(1, 200), left, make_finished(3, 90, OPENED + 9)])
        == OPENED + 20 + LAST_CALL_SECONDS
    )
    assert not have_all_finished([left])
    assert [each.is_playing for each in (make_unfinished(1), left, make_finished(3, 90))] == [
        True,
        False,
        False,
    ]


def test_single_finished_card_earns_nothing() -> None:
    assert compute_awards([make_finished(1, 271), make_unfinished(2)], {1: 27}) == []
    assert compute_awards([make_unfinished(1)], {}) == []
