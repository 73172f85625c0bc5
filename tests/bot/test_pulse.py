"""When something last went well."""

from bot.pulse import Pulse


def test_silence_counts_from_the_last_success_or_the_start() -> None:
    pulse = Pulse(100.0)
    assert pulse.silent(130.0) == 30.0
    pulse.beat(120.0)
    assert (pulse.silent(130.0), pulse.beats) == (10.0, 1)
    pulse.beat(110.0)  # one that began earlier and came back later
    assert (pulse.silent(130.0), pulse.beats) == (10.0, 2)
    assert pulse.silent(90.0) == 0.0


def test_a_reason_is_no_success_and_holds_until_there_is_one() -> None:
    pulse = Pulse(100.0)
    assert (pulse.hindrance, pulse.unheard(130.0)) == ("", 30.0)
    pulse.hinder(120.0, "refused")
    assert (pulse.hindrance, pulse.silent(130.0), pulse.unheard(130.0)) == ("refused", 30.0, 10.0)
    pulse.beat(125.0)
    assert (pulse.hindrance, pulse.silent(130.0), pulse.unheard(130.0)) == ("", 5.0, 5.0)
