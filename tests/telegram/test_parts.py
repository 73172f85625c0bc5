"""Parts of the fake Telegram on their own."""

from itertools import count
from random import Random

import pytest

from tests.telegram.chats import Chat, Member, Message, User
from tests.telegram.checks import Checks
from tests.telegram.clock import Clock
from tests.telegram.directory import Directory
from tests.telegram.errors import ApiError
from tests.telegram.feed import Feed
from tests.telegram.limits import Flood, Limits
from tests.telegram.presses import Presses
from tests.telegram.privacy import PrivacyMode
from tests.telegram.schema import bot_api
from tests.telegram.signal import Signal
from tests.telegram.updates import Updates
from tests.telegram.uploads import Uploads

BOT = User(24, "Twenty-Four", username="TwentyFourTestBot", is_bot=True)
ANN = User(7, "Ann")


@pytest.mark.parametrize(("privacy", "heard"), [(True, [False, True]), (False, [True, True])])
def test_privacy_mode_hides_messages_that_are_no_commands(privacy: bool, heard: list[bool]) -> None:
    privacy_mode = PrivacyMode(BOT, privacy=privacy)
    group = Chat(-100, "supergroup", "Family")
    group.members = {user.id: Member(user, reads_all=privacy_mode.reads_all(user)) for user in (ANN, BOT)}
    answer, command = Message(group, 1, 0, ANN), Message(group, 2, 0, ANN)
    answer.set_text("8/(3-8/3)")
    command.set_text("/play@TwentyFourTestBot")
    assert [privacy_mode.passes(answer), privacy_mode.passes(command)] == heard


def test_directory_adds_users_groups_and_private_chats() -> None:
    directory = Directory(BOT, count(1), PrivacyMode(BOT, privacy=True))
    ann = directory.user("Ann")
    group = directory.group("Family", ann)
    assert (ann.id, group.id) == (5_000_000_001, -1_001_000_000_002)
    assert [(m.user, m.status, m.reads_all) for m in group.members.values()] == [
        (ann, "creator", True),
        (BOT, "member", False),
    ]
    assert directory.chat_of(ann) is directory.chat_of(ann) is directory.chats[ann.id]


def test_flood_limits_posts_but_not_edits() -> None:
    now = [1_800_000_000.0]
    flood, group = Flood(Clock(lambda: now[0])), Chat(-100, "supergroup", "Family")
    for _ in range(2):
        flood.admit(group)
    flood.limits = Limits(chat_burst=1)
    flood.admit(group)
    flood.admit(group, edit=True)
    with pytest.raises(ApiError) as refusal:
        flood.admit(group)
    assert refusal.value.parameters == {"retry_after": 3}


def test_press_is_queued_and_answered() -> None:
    updates = Updates(Signal(), Random(7))
    presses = Presses(Random(7), Clock(lambda: 9.0), Feed(updates, Checks(bot_api(), validate=False)))
    press = presses.press(ANN, Message(Chat(7, "private", user=ANN), 1, 0, BOT), data="n")
    assert [update.body["callback_query"] for update in updates.sent] == [press.json()]
    assert presses.answerCallbackQuery({"callback_query_id": press.id, "text": "ok"}, {}) is True
    assert (press.answer_text, press.answered_at, presses.answered) == ("ok", 9.0, [press])


def test_uploaded_photo_is_stored() -> None:
    uploads = Uploads(count(5))
    assert uploads.store_photo(b"cards") == {
        "file_id": "file-5",
        "file_unique_id": "u-file-5",
        "file_size": 5,
        "width": 320,
        "height": 320,
    }
    assert uploads.files == {"file-5": b"cards"}


def test_errors_of_the_fake_are_recorded() -> None:
    checks = Checks(bot_api(), validate=True)
    checks.update({"update_id": 7.5})
    checks.result("getMe", {"id": 24, "is_bot": True})
    assert checks.violations == [
        "an error of the fake in an update: ['Update.update_id: not of type Integer: 7.5']",
        "an error of the fake in the result of getMe: ['User.first_name: missing']",
    ]
