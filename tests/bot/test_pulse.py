"""Times of the last success, failure and answer."""

from bot.metrics import Connectivity, Pulse


def test_success_age_counts_from_the_last_success_or_the_start() -> None:
    pulse = Pulse(100.0)
    assert pulse.get_success_age(130.0) == 30.0
    pulse.record_success(120.0)
    assert (pulse.get_success_age(130.0), pulse.success_count) == (10.0, 1)
    pulse.record_success(110.0)  # one that began earlier and came back later
    assert (pulse.get_success_age(130.0), pulse.success_count) == (10.0, 2)
    assert pulse.get_success_age(90.0) == 0.0


def test_failure_reason_holds_until_a_success() -> None:
    pulse = Pulse(100.0)
    assert (pulse.failure_reason, pulse.get_news_age(130.0)) == ("", 30.0)
    pulse.record_failure(120.0, "refused")
    assert (pulse.failure_reason, pulse.get_success_age(130.0), pulse.get_news_age(130.0)) == (
        "refused",
        30.0,
        10.0,
    )
    pulse.record_success(125.0)
    assert (pulse.failure_reason, pulse.get_success_age(130.0), pulse.get_news_age(130.0)) == ("", 5.0, 5.0)


def test_outage_lasts_from_the_first_failure_to_an_answer() -> None:
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


def test_outage_does_not_reach_before_the_last_answer() -> None:
    now = 100.0
    reach = Connectivity(lambda: now)
    reach.record_answer()
    now = 103.0
    reach.record_failure(95.0)
    assert reach.outage_seconds == 3.0
