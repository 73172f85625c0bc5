"""What is said of posts with a wrong secret."""

import pytest

from bot.web.visitors import SELDOM, Visitors


def test_a_flood_is_a_line_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = [5.0]
    visitors = Visitors(lambda: now[0])
    for _ in range(1000):
        visitors.refuse()
    now[0] += SELDOM - 0.01
    visitors.refuse()
    assert [record.args for record in caplog.records] == [(1,)]
    now[0] += 0.01
    visitors.refuse()
    visitors.refuse()
    assert [record.args for record in caplog.records] == [(1,), (1001,)]
    assert all("WEBHOOK_SECRET" in message for message in caplog.messages)
