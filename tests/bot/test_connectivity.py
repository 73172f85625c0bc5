"""Since when no request had an answer."""

from bot.connectivity import Connectivity


def test_it_is_lost_from_the_first_request_without_an_answer_until_one_has_one() -> None:
    now = 100.0
    reach = Connectivity(lambda: now)
    assert (reach.outage_seconds, reach.answer_age) == (0.0, float("inf"))
    reach.record_answer()
    now = 110.0
    reach.record_failure(105.0)
    now = 120.0
    reach.record_failure(118.0)
    assert (reach.outage_seconds, reach.answer_age) == (15.0, 20.0)
    reach.record_answer()
    assert (reach.outage_seconds, reach.answer_age) == (0.0, 0.0)


def test_one_that_began_before_the_last_answer_tells_nothing_of_the_time_before_that() -> None:
    now = 100.0
    reach = Connectivity(lambda: now)
    reach.record_answer()
    now = 103.0
    reach.record_failure(95.0)
    assert reach.outage_seconds == 3.0
