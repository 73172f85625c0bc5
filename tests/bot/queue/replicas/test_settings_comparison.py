"""Conflicts between the settings of bots on one database, and their common secret."""

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
POLLING_BOT, WEBHOOK_BOT, ELSEWHERE = (
    make_shared_settings(7, None),
    make_shared_settings(7, URL),
    make_shared_settings(7, OTHER),
)
OLDER = SharedSettings(7, None)


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        (POLLING_BOT, [], ""),
        (POLLING_BOT, [POLLING_BOT, OLDER], ""),
        (WEBHOOK_BOT, [WEBHOOK_BOT, OLDER], ""),
        (WEBHOOK_BOT, [WEBHOOK_BOT, ELSEWHERE], ANOTHER_ADDRESS),
        (WEBHOOK_BOT, [OLDER, POLLING_BOT], OTHERS_POLL),
        (POLLING_BOT, [WEBHOOK_BOT], NO_ADDRESS),
        (POLLING_BOT, [make_shared_settings(8, None)], ANOTHER_BOT),
        (WEBHOOK_BOT, [make_shared_settings(8, URL)], ANOTHER_BOT),
    ],
)
def test_bots_with_other_settings_conflict(
    mine: SharedSettings, theirs: list[SharedSettings], expected: str
) -> None:
    assert find_conflict(mine, theirs) == expected


def make_settings(*secrets: str, registered: str | None = None) -> SharedSettings:
    """Return the settings of a bot with these secrets, and the one registered with Telegram."""
    return SharedSettings(7, "here", secrets, registered)


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        (make_settings("new"), [], "new"),
        (make_settings("new", "old"), [make_settings("old")], "old"),
        (make_settings("new", "old"), [make_settings("new", "old", registered="old"), OLDER], "new"),
        (make_settings("new"), [make_settings("new", "old", registered="old")], "new"),
        (make_settings("new"), [make_settings("new", "old"), make_settings("old")], None),
        (make_settings("new"), [make_settings("old")], None),
        (POLLING_BOT, [POLLING_BOT], None),
    ],
)
def test_first_secret_that_all_accept_is_chosen(
    mine: SharedSettings, theirs: list[SharedSettings], expected: str | None
) -> None:
    assert choose_secret(mine, theirs) == expected
    assert find_conflict(mine, theirs) == ("" if expected or mine is POLLING_BOT else NONE_ACCEPTED)


@pytest.mark.parametrize(
    ("mine", "registered", "expected"),
    [
        (make_settings("new", "old"), "old", "old"),
        (make_settings("old"), "new", None),
        (make_settings("new", "old"), None, "new"),
    ],
)
def test_rejoining_bot_needs_the_registered_secret(
    mine: SharedSettings, registered: str | None, expected: str | None
) -> None:
    theirs = [make_settings("new", "old", registered=registered)]
    assert choose_secret(mine, theirs, rejoining=True) == expected
    assert find_conflict(mine, theirs, rejoining=True) == ("" if expected else ANOTHER_REGISTERED)


def test_shared_settings_are_stable_and_hold_no_address() -> None:
    assert make_shared_settings(7, URL) == WEBHOOK_BOT
    assert (POLLING_BOT.webhook_digest, len(str(WEBHOOK_BOT.webhook_digest))) == (POLLING, 32)
    with_secrets = make_shared_settings(7, URL, ("canary", "old"))
    assert "canary" not in repr(with_secrets)
    assert with_secrets.secret_digests[1:] == make_shared_settings(7, URL, ["old"]).secret_digests
    assert WEBHOOK_BOT.webhook_digest not in {
        ELSEWHERE.webhook_digest,
        make_shared_settings(8, URL).webhook_digest,
    }
