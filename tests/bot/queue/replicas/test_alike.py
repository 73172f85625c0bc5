"""Who may run beside whom."""

import pytest

from bot.queue.replicas.alike import (
    ANOTHER_ADDRESS,
    ANOTHER_BOT,
    NO_ADDRESS,
    NONE_TAKEN,
    POLLING,
    THEY_POLL,
    TOLD_MEANWHILE,
    Alike,
    agreed,
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


def taking(*secrets: str, told: str | None = None) -> Alike:
    """One that takes these, and was told one of them."""
    return Alike(7, "here", secrets, told)


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        (taking("new"), [], "new"),
        (taking("new", "old"), [taking("old")], "old"),
        (taking("new", "old"), [taking("new", "old", told="old"), OLDER], "new"),
        (taking("new"), [taking("new", "old", told="old")], "new"),
        (taking("new"), [taking("new", "old"), taking("old")], None),
        (taking("new"), [taking("old")], None),
        (POLLS, [POLLS], None),
    ],
)
def test_the_first_secret_that_all_take_is_told(
    mine: Alike, theirs: list[Alike], expected: str | None
) -> None:
    assert agreed(mine, theirs) == expected
    assert trouble(mine, theirs) == ("" if expected or mine is POLLS else NONE_TAKEN)


@pytest.mark.parametrize(
    ("mine", "told", "expected"),
    [(taking("new", "old"), "old", "old"), (taking("old"), "new", None), (taking("new", "old"), None, "new")],
)
def test_who_comes_back_takes_what_the_others_have_told(
    mine: Alike, told: str | None, expected: str | None
) -> None:
    theirs = [taking("new", "old", told=told)]
    assert agreed(mine, theirs, again=True) == expected
    assert trouble(mine, theirs, again=True) == ("" if expected else TOLD_MEANWHILE)


def test_what_is_shown_is_the_same_at_each_start_and_holds_no_address() -> None:
    assert alike(7, URL) == HOOKED
    assert (POLLS.way_in, len(str(HOOKED.way_in))) == (POLLING, 32)
    with_secrets = alike(7, URL, ("canary", "old"))
    assert "canary" not in repr(with_secrets)
    assert with_secrets.secrets[1:] == alike(7, URL, ["old"]).secrets
    assert HOOKED.way_in not in {ELSEWHERE.way_in, alike(8, URL).way_in}
