"""The deadline and the awards of a contest."""

import pytest

from bot.modes.contest.rules import (
    CONTEST_LIFETIME,
    LAST_CALL_SECONDS,
    CardProgress,
    collect_totals,
    compute_awards,
    compute_deadline,
    have_all_finished,
)

OPENED = 1000.0


def full(who: int, total: int, at: float = OPENED) -> CardProgress:
    return CardProgress(who, 13, at, total)


def busy(who: int, done: int = 3, at: float = OPENED) -> CardProgress:
    return CardProgress(who, done, at)


@pytest.mark.parametrize(
    ("standings", "until"),
    [
        ([], OPENED + CONTEST_LIFETIME),
        ([busy(1)], OPENED + CONTEST_LIFETIME),
        ([full(1, 200, OPENED + 50)], OPENED + CONTEST_LIFETIME),
        ([full(1, 200, OPENED + 50), full(2, 100, OPENED + 70)], OPENED + 70 + LAST_CALL_SECONDS),
        ([full(1, 200), full(2, 100), busy(3, 0)], OPENED + CONTEST_LIFETIME),
        ([full(1, 200), busy(2)], OPENED + CONTEST_LIFETIME),
        ([full(1, 200, OPENED + CONTEST_LIFETIME - 10)], OPENED + CONTEST_LIFETIME),
    ],
)
def test_the_deadline_of_a_contest(standings: list[CardProgress], until: float) -> None:
    assert compute_deadline(OPENED, standings) == until


def test_the_deadline_of_a_private_contest() -> None:
    assert compute_deadline(OPENED, [full(1, 200, OPENED + 50)], alone=True) == OPENED + 50
    assert compute_deadline(OPENED, [busy(1)], alone=True) == OPENED + CONTEST_LIFETIME


def test_a_contest_without_players_is_not_finished() -> None:
    assert not have_all_finished([])
    assert have_all_finished([full(1, 0)])
    assert not have_all_finished([full(1, 200), busy(2, 12)])
    assert collect_totals([full(1, 0), busy(2, 12)]) == {1: 0}


def test_the_first_of_several_wins_and_equals_share_it() -> None:
    worth = {1: 20, 2: 27, 3: 27, 4: 5}
    found = compute_awards([full(1, 200), full(2, 271), full(3, 271), busy(4)], worth)
    assert [(a.player_id, a.points, a.is_win) for a in found] == [
        (2, 27, True),
        (3, 27, True),
        (1, 20, False),
    ]
    assert len({a.part for a in found}) == 3
    assert all(a.part and a.seconds < 0 for a in found)


def test_players_who_left_are_not_waited_for() -> None:
    left = CardProgress(2, 5, OPENED + 20, has_left=True)
    assert (
        compute_deadline(OPENED, [full(1, 200), left, full(3, 90, OPENED + 9)])
        == OPENED + 20 + LAST_CALL_SECONDS
    )
    assert not have_all_finished([left])
    assert [each.is_playing for each in (busy(1), left, full(3, 90))] == [True, False, False]


def test_a_single_finished_card_earns_nothing() -> None:
    assert compute_awards([full(1, 271), busy(2)], {1: 27}) == []
    assert compute_awards([busy(1)], {}) == []
