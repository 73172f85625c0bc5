"""When something last went well."""

from bot.pulse import Pulse


def test_silence_counts_from_the_last_success_or_the_start() -> None:
    pulse = Pulse(100.0)
    assert pulse.get_success_age(130.0) == 30.0
    pulse.record_success(120.0)
    assert (pulse.get_success_age(130.0), pulse.success_count) == (10.0, 1)
    pulse.record_success(110.0)  # one that began earlier and came back later
    assert (pulse.get_success_age(130.0), pulse.success_count) == (10.0, 2)
    assert pulse.get_success_age(90.0) == 0.0


def test_a_reason_is_no_success_and_holds_until_there_is_one() -> None:
    pulse = Pulse(100.0)
    assert (pulse.failure_reason, pulse.get_news_age(130.0)) == ("", 30.0)
    pulse.record_failure(120.0, "refused")
    assert (pulse.failure_reason, pulse.get_success_age(130.0), pulse.get_news_age(130.0)) == ("refused", 30.0, 10.0)
    pulse.record_success(125.0)
    assert (pulse.failure_reason, pulse.get_success_age(130.0), pulse.get_news_age(130.0)) == ("", 5.0, 5.0)
