"""Since when no request had an answer."""

from bot.connectivity import Connectivity


def test_it_is_lost_from_the_first_request_without_an_answer_until_one_has_one() -> None:
    now = 100.0
    reach = Connectivity(lambda: now)
    assert (reach.lost, reach.ago) == (0.0, float("inf"))
    reach.answered()
    now = 110.0
    reach.failed(105.0)
    now = 120.0
    reach.failed(118.0)
    assert (reach.lost, reach.ago) == (15.0, 20.0)
    reach.answered()
    assert (reach.lost, reach.ago) == (0.0, 0.0)


def test_one_that_began_before_the_last_answer_tells_nothing_of_the_time_before_that() -> None:
    now = 100.0
    reach = Connectivity(lambda: now)
    reach.answered()
    now = 103.0
    reach.failed(95.0)
    assert reach.lost == 3.0
