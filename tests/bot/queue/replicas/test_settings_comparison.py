"""Who may run beside whom."""

import pytest

from bot.queue.replicas.settings_comparison import (
    ANOTHER_ADDRESS,
    ANOTHER_BOT,
    ANOTHER_REGISTERED,
    NO_ADDRESS,
    NONE_ACCEPTED,
    OTHERS_POLL,
    POLLING,
    SharedSettings,
    choose_secret,
    find_conflict,
    make_shared_settings,
)

URL, OTHER = "https://bot.example/canary", "https://bot.example/canary2"
POLLS, HOOKED, ELSEWHERE = (
    make_shared_settings(7, None),
    make_shared_settings(7, URL),
    make_shared_settings(7, OTHER),
)
OLDER = SharedSettings(7, None)


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        (POLLS, [], ""),
        (POLLS, [POLLS, OLDER], ""),
        (HOOKED, [HOOKED, OLDER], ""),
        (HOOKED, [HOOKED, ELSEWHERE], ANOTHER_ADDRESS),
        (HOOKED, [OLDER, POLLS], OTHERS_POLL),
        (POLLS, [HOOKED], NO_ADDRESS),
        (POLLS, [make_shared_settings(8, None)], ANOTHER_BOT),
        (HOOKED, [make_shared_settings(8, URL)], ANOTHER_BOT),
    ],
)
def test_bots_with_other_settings_conflict(
    mine: SharedSettings, theirs: list[SharedSettings], expected: str
) -> None:
    assert find_conflict(mine, theirs) == expected


def taking(*secrets: str, told: str | None = None) -> SharedSettings:
    """One that takes these, and was told one of them."""
    return SharedSettings(7, "here", secrets, told)


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
def test_first_secret_that_all_accept_is_chosen(
    mine: SharedSettings, theirs: list[SharedSettings], expected: str | None
) -> None:
    assert choose_secret(mine, theirs) == expected
    assert find_conflict(mine, theirs) == ("" if expected or mine is POLLS else NONE_ACCEPTED)


@pytest.mark.parametrize(
    ("mine", "told", "expected"),
    [(taking("new", "old"), "old", "old"), (taking("old"), "new", None), (taking("new", "old"), None, "new")],
)
def test_rejoining_bot_needs_the_registered_secret(
    mine: SharedSettings, told: str | None, expected: str | None
) -> None:
    theirs = [taking("new", "old", told=told)]
    assert choose_secret(mine, theirs, rejoining=True) == expected
    assert find_conflict(mine, theirs, rejoining=True) == ("" if expected else ANOTHER_REGISTERED)


def test_shared_settings_are_stable_and_hold_no_address() -> None:
    assert make_shared_settings(7, URL) == HOOKED
    assert (POLLS.webhook_digest, len(str(HOOKED.webhook_digest))) == (POLLING, 32)
    with_secrets = make_shared_settings(7, URL, ("canary", "old"))
    assert "canary" not in repr(with_secrets)
    assert with_secrets.secret_digests[1:] == make_shared_settings(7, URL, ["old"]).secret_digests
    assert HOOKED.webhook_digest not in {
        ELSEWHERE.webhook_digest,
        make_shared_settings(8, URL).webhook_digest,
    }
