"""Who may run beside whom."""

import pytest

from bot.replicas.alike import (
    ANOTHER_ADDRESS,
    ANOTHER_BOT,
    NO_ADDRESS,
    POLLING,
    THEY_POLL,
    Alike,
    alike,
    trouble,
)

URL, OTHER = "https://bot.example/canary", "https://bot.example/canary2"
POLLS, HOOKED, ELSEWHERE = alike(7, None), alike(7, URL), alike(7, OTHER)
OLDER = Alike(7, None)


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        (POLLS, [], ""),
        (POLLS, [POLLS, OLDER], ""),
        (HOOKED, [HOOKED, OLDER], ""),
        (HOOKED, [HOOKED, ELSEWHERE], ANOTHER_ADDRESS),
        (HOOKED, [OLDER, POLLS], THEY_POLL),
        (POLLS, [HOOKED], NO_ADDRESS),
        (POLLS, [alike(8, None)], ANOTHER_BOT),
        (HOOKED, [alike(8, URL)], ANOTHER_BOT),
    ],
)
def test_who_may_run_beside_whom(mine: Alike, theirs: list[Alike], expected: str) -> None:
    assert trouble(mine, theirs) == expected


def test_what_is_shown_is_the_same_at_each_start_and_holds_no_address() -> None:
    assert alike(7, URL) == HOOKED
    assert (POLLS.way_in, len(str(HOOKED.way_in))) == (POLLING, 32)
    assert "canary" not in repr(HOOKED)
    assert HOOKED.way_in not in {ELSEWHERE.way_in, alike(8, URL).way_in}
