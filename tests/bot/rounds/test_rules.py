"""Transitions of a round."""

from dataclasses import replace

import pytest

from bot.levels import POINTS_BY_LEVEL
from bot.rounds.puzzle import Kind
from bot.rounds.rules import (
    PLACE_PREFIX,
    Award,
    Round,
    State,
    add_hint,
    count_streak,
    expire_if_due,
    get_displayed_time_left,
    is_in_time,
    make_award,
    mark_ended,
    rank_by_points,
    shorten_deadline,
    start_clock,
    win_round,
)
from tests.sample_rounds import SEVERAL_IDEAS, change_round, make_round

ANN, BOB = 1, 2
OPENED, DEADLINE = 1000.0, 1060.0
HAND = make_round(id=7, hint_values=("[]", "[]", "[]"), dealer_id=ANN, opened=OPENED, deadline=DEADLINE)
MANY = change_round(HAND, kind=Kind.ALL, **SEVERAL_IDEAS)
SOLVED = "8/(3-8/3)"


def test_deadline_is_shortened_once() -> None:
    assert (
        shorten_deadline(HAND, None)
        == shorten_deadline(HAND, DEADLINE)
        == shorten_deadline(HAND, DEADLINE + 1)
        == HAND
    )
    soon = shorten_deadline(HAND, OPENED + 15)
    assert (soon.deadline, soon.first_deadline) == (OPENED + 15, DEADLINE)
    for closes in (None, OPENED + 9, OPENED + 40):
        assert shorten_deadline(soon, closes) == soon
    endless = replace(HAND, deadline=None)
    assert shorten_deadline(endless, OPENED + 15) == endless


def test_clock_starts_when_deal_is_seen() -> None:
    late = start_clock(HAND, OPENED + 7)
    assert (late.opened, late.deadline) == (OPENED + 7, DEADLINE + 7)
    assert late == replace(HAND, opened=OPENED + 7, deadline=DEADLINE + 7)
    unlimited = start_clock(replace(HAND, deadline=None), OPENED + 7)
    assert (unlimited.opened, unlimited.deadline) == (OPENED + 7, None)


def test_clock_behind_takes_no_time() -> None:
    early = start_clock(HAND, OPENED - 7)
    assert (early.opened, early.deadline) == (OPENED - 7, DEADLINE)


def test_ended_round_is_not_started() -> None:
    over = expire_if_due(HAND, DEADLINE + 1)
    assert start_clock(over, OPENED + 7) == over


def win(round: Round, player: int = ANN, at: float = OPENED + 9) -> tuple[Round, Award]:
    result = win_round(round, player, SOLVED, at)
    assert result is not None
    return result


def test_first_right_answer_wins_with_its_time() -> None:
    after, award = win(HAND)
    assert after.state is State.WON
    assert (after.winner_id, after.answer, after.closed) == (ANN, SOLVED, OPENED + 9)
    assert award == Award(ANN, 5, 9.0, SOLVED, "")


def test_answer_before_deal_took_no_time() -> None:
    assert win(HAND, at=OPENED - 3)[1].seconds == 0.0


@pytest.mark.parametrize("at", [DEADLINE, DEADLINE + 0.5])
def test_deadline_itself_is_in_time(at: float) -> None:
    assert is_in_time(HAND, at) == (at == DEADLINE)
    assert (win_round(HAND, ANN, SOLVED, at) is None) == (at > DEADLINE)


def test_ended_round_never_changes() -> None:
    after, _ = win(HAND)
    assert mark_ended(after, State.SKIPPED, DEADLINE + 9) == after
    assert expire_if_due(after, DEADLINE + 9) == after
    assert add_hint(after, 3) == after
    assert win_round(after, BOB, SOLVED, OPENED + 10) is None


@pytest.mark.parametrize(("level", "worth"), POINTS_BY_LEVEL.items())
@pytest.mark.parametrize("hints", range(4))
def test_hints_cost_all_points_but_one(level: str, worth: int, hints: int) -> None:
    assert win(change_round(HAND, level=level, hints=hints))[1].points == max(1, worth - hints)


def test_unknown_level_earns_one_point() -> None:
    assert win(change_round(HAND, level="impossible"))[1].points == 1


def test_hints_are_added_until_none_is_left() -> None:
    round, seen = HAND, []
    for _ in range(5):
        round = add_hint(round, 4)
        seen.append(round.hints_shown)
    assert seen == [1, 2, 3, 4, 4]


def test_first_of_day_earns_bonus() -> None:
    result = win_round(change_round(HAND, hints=3), ANN, SOLVED, OPENED, day_first=True)
    assert result is not None
    assert (result[0].day_first, result[1].points) == (True, 3)


def test_round_is_skipped_or_expired_once() -> None:
    assert mark_ended(HAND, State.SKIPPED, 1010.0).state is State.SKIPPED
    assert expire_if_due(HAND, DEADLINE) == HAND
    assert expire_if_due(HAND, DEADLINE + 1).state is State.EXPIRED
    assert expire_if_due(replace(HAND, deadline=None), 1e12).state is State.OPEN


def test_streak_ends_with_another_winner() -> None:
    assert count_streak(None, ANN) == 1
    after = replace(win(HAND)[0], streak=4)
    assert count_streak(after, ANN) == 5
    assert count_streak(after, BOB) == 1
    assert count_streak(mark_ended(HAND, State.SKIPPED, 1010.0), ANN) == 1
    assert win(HAND)[0].streak == 1


def test_new_find_scores() -> None:
    award = make_award(MANY, BOB, "6*4*1", OPENED + 5, part="4*6")
    assert award == Award(BOB, 3, 5.0, "6*4*1", "4*6")


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (86_400, 86_400),
        (82_799, 82_800),
        (7201, 10_800),
        (7200, 7200),
        (7199, 7200),
        (600, 600),
        (599.5, 600),
        (541, 600),
        (540, 540),
        (121, 180),
        (120, 120),
        (106, 120),
        (105, 105),
        (1, 15),
    ],
)
def test_time_left_is_rounded_up(seconds: float, shown: int) -> None:
    assert get_displayed_time_left(DEADLINE, DEADLINE - seconds) == shown


def test_no_time_left_after_or_without_deadline() -> None:
    assert get_displayed_time_left(DEADLINE, DEADLINE) is None
    assert get_displayed_time_left(None, OPENED) is None


def test_time_left_changes_every_15_seconds_at_most() -> None:
    shown = [get_displayed_time_left(DEADLINE + 600, OPENED + second) for second in range(600)]
    changes = [at for at in range(1, 600) if shown[at] != shown[at - 1]]
    assert changes == [60, 120, 180, 240, 300, 360, 420, 480, 540, 555, 570, 585]


def test_equal_points_share_a_rank() -> None:
    assert rank_by_points({BOB: 3, ANN: 3, 4: 1, 3: 7}) == [(1, 3, 7), (2, ANN, 3), (2, BOB, 3), (4, 4, 1)]


def test_only_an_open_round_becomes_void() -> None:
    void = mark_ended(HAND, State.VOID, OPENED + 5)
    assert (void.state, void.closed) == (State.VOID, OPENED + 5)
    assert not is_in_time(void, OPENED + 6)
    assert mark_ended(win(HAND)[0], State.VOID, OPENED + 20) == win(HAND)[0]
    assert mark_ended(void, State.SKIPPED, OPENED + 20) == expire_if_due(void, DEADLINE + 20) == void


def test_place_with_points_is_no_win() -> None:
    parts = ("", "4*6", f"{PLACE_PREFIX}2")
    assert [Award(ANN, 3, 5.0, "4*6", part).is_win for part in parts] == [True, True, False]
