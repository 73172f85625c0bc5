"""What is handed in: what is known to all by then, and what is all that can be wanted."""

from dataclasses import replace

import pytest

from bot.games.rounds import entries
from bot.games.rounds.reveals import COPYING
from tests.bot.games.countdown.test_game import EXACT, ROUND
from tests.hands import deal
from tests.stories.hours import NOON

NEAR = "50*(9+3)-25-1"
TOLD = replace(ROUND, standing={"told": [[NEAR, NOON + 10]]})
"""A draw of which all have read a line that is near."""


@pytest.mark.parametrize(
    ("answer", "at", "known"),
    [
        (NEAR, 10 + COPYING + 1, True),
        (NEAR, 10 + COPYING, False),
        (NEAR, 5.0, False),
        (EXACT, 10 + COPYING + 1, False),
        (EXACT, 5.0, False),
    ],
)
def test_what_all_have_read_counts_no_more_once_there_was_time_to_send_it(
    answer: str, at: float, known: bool
) -> None:
    assert entries.is_known(TOLD, answer, NOON + at) is known


def test_only_the_target_itself_is_all_that_can_be_wanted() -> None:
    assert entries.is_it(ROUND, EXACT)
    assert not entries.is_it(ROUND, NEAR)
    assert entries.is_it(deal(), "8/(3-8/3)")
