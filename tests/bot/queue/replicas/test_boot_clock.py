"""The clock by which leases end."""

import time

import pytest

from bot.queue.replicas.replica import read_boot_clock


def test_boot_clock_counts_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "CLOCK_BOOTTIME", 7, raising=False)
    monkeypatch.setattr(time, "clock_gettime", {7: 5.0}.__getitem__)
    assert read_boot_clock() == 5.0


def test_monotonic_clock_replaces_a_missing_boot_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(time, "CLOCK_BOOTTIME", raising=False)
    before = time.monotonic()
    assert before <= read_boot_clock() <= time.monotonic()
