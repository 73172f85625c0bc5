"""When a contest is over, and what it is worth."""

import pytest

from bot.modes.contest.rules import (
    LAST_CALL,
    LIFE,
    SURE,
    Sheet,
    Standing,
    awards,
    deadline,
    has_run_out,
    is_done,
    still_playing,
    totals,
)

OPENED = 1000.0


def full(who: int, total: int, at: float = OPENED) -> Standing:
    return Standing(who, 13, at, total)


def busy(who: int, done: int = 3, at: float = OPENED) -> Standing:
    return Standing(who, done, at)


@pytest.mark.parametrize(
    ("standings", "until"),
    [
        ([], OPENED + LIFE),
        ([busy(1)], OPENED + LIFE),
        ([full(1, 200, OPENED + 50)], OPENED + LIFE),
        ([full(1, 200, OPENED + 50), full(2, 100, OPENED + 70)], OPENED + 70 + LAST_CALL),
        ([full(1, 200), full(2, 100), busy(3, 0)], OPENED + LIFE),
        ([full(1, 200), busy(2)], OPENED + LIFE),
        ([full(1, 200, OPENED + LIFE - 10)], OPENED + LIFE),
    ],
)
def test_when_it_is_over(standings: list[Standing], until: float) -> None:
    assert deadline(OPENED, standings) == until


def test_alone_with_the_bot_it_is_over_with_the_card() -> None:
    assert deadline(OPENED, [full(1, 200, OPENED + 50)], alone=True) == OPENED + 50
    assert deadline(OPENED, [busy(1)], alone=True) == OPENED + LIFE


def test_all_who_began_have_finished_only_if_anybody_began() -> None:
    assert not is_done([])
    assert is_done([full(1, 0)])
    assert not is_done([full(1, 200), busy(2, 12)])
    assert totals([full(1, 0), busy(2, 12)]) == {1: 0}


def test_who_wants_the_end_is_not_waited_for() -> None:
    standings = [full(1, 200), busy(2), busy(3, 0)]
    assert [still_playing(standings, ending) for ending in ([], [1], [2], [2, 3, 9])] == [2, 2, 1, 0]


def test_the_first_of_several_wins_and_equals_share_it() -> None:
    worth = {1: 20, 2: 27, 3: 27, 4: 5}
    found = awards([full(1, 200), full(2, 271), full(3, 271), busy(4)], worth)
    assert [(a.player_id, a.points, a.won) for a in found] == [(2, 27, True), (3, 27, True), (1, 20, False)]
    assert len({a.part for a in found}) == 3
    assert all(a.part and a.seconds < 0 for a in found)


def test_two_are_enough_to_win_by_their_cards() -> None:
    found = awards([full(1, 200), full(2, 271)], {1: 20, 2: 27})
    assert [(a.player_id, a.points, a.answer, a.won) for a in found] == [
        (2, 27, "271", True),
        (1, 20, "200", False),
    ]


def test_who_has_left_is_not_waited_for_and_their_full_card_counts() -> None:
    left = Standing(2, 5, OPENED + 20, left=True)
    assert deadline(OPENED, [full(1, 200), left, full(3, 90, OPENED + 9)]) == OPENED + 20 + LAST_CALL
    assert not is_done([left])
    assert still_playing([busy(1), left], []) == 1


def test_who_has_just_begun_is_there_and_has_given_nothing_up() -> None:
    sheet = Sheet(1, None, OPENED)
    assert (sheet.shown, sheet.warned, sheet.given_up, sheet.left) == (0.0, 0.0, False, False)
    assert not busy(1).given_up
    assert still_playing([busy(1)], []) == 1


def test_who_finished_alone_has_beaten_nobody_and_earns_nothing() -> None:
    assert awards([full(1, 271), busy(2)], {1: 27}) == []
    assert awards([busy(1)], {}) == []


def test_only_what_lasted_its_week_has_run_out() -> None:
    assert has_run_out(100.0, 100.0 + LIFE)
    assert not has_run_out(100.0, 100.0 + LIFE - 1)
    assert not has_run_out(100.0, None)
    assert (LAST_CALL, SURE, LIFE) == (60.0, 60.0, 7 * 86_400.0)
