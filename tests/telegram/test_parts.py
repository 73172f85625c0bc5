"""Parts of the double on their own, each with nothing but what it's given."""

import ast
from itertools import count
from pathlib import Path
from random import Random

import pytest

from tests.telegram.chats import Chat, Member, Message, User
from tests.telegram.checks import Checks
from tests.telegram.clock import Clock
from tests.telegram.directory import Directory
from tests.telegram.errors import ApiError
from tests.telegram.feed import Feed
from tests.telegram.hearing import Hearing
from tests.telegram.limits import Flood, Limits
from tests.telegram.presses import Presses
from tests.telegram.schema import bot_api
from tests.telegram.signal import Signal
from tests.telegram.updates import Updates
from tests.telegram.uploads import Uploads

BOT = User(24, "Twenty-Four", username="TwentyFourTestBot", is_bot=True)
ANN = User(7, "Ann")


@pytest.mark.parametrize(("privacy", "heard"), [(True, [False, True]), (False, [True, True])])
def test_hearing(privacy: bool, heard: list[bool]) -> None:
    hearing = Hearing(BOT, privacy=privacy)
    group = Chat(-100, "supergroup", "Family")
    group.members = {user.id: Member(user, reads_all=hearing.reads_all(user)) for user in (ANN, BOT)}
    answer, command = Message(group, 1, 0, ANN), Message(group, 2, 0, ANN)
    answer.set_text("8/(3-8/3)")
    command.set_text("/play@TwentyFourTestBot")
    assert [hearing.hears(answer), hearing.hears(command)] == heard


def test_directory() -> None:
    directory = Directory(BOT, count(1), Hearing(BOT, privacy=True))
    ann = directory.user("Ann")
    group = directory.group("Family", ann)
    assert (ann.id, group.id) == (5_000_000_001, -1_001_000_000_002)
    assert [(m.user, m.status, m.reads_all) for m in group.members.values()] == [
        (ann, "creator", True),
        (BOT, "member", False),
    ]
    assert directory.chat_of(ann) is directory.chat_of(ann) is directory.chats[ann.id]


def test_flood() -> None:
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


def test_presses() -> None:
    updates = Updates(Signal(), Random(7))
    presses = Presses(Random(7), Clock(lambda: 9.0), Feed(updates, Checks(bot_api(), validate=False)))
    press = presses.press(ANN, Message(Chat(7, "private", user=ANN), 1, 0, BOT), data="n")
    assert [update.body["callback_query"] for update in updates.sent] == [press.json()]
    assert presses.answerCallbackQuery({"callback_query_id": press.id, "text": "ok"}, {}) is True
    assert (press.answer_text, press.answered_at, presses.answered) == ("ok", 9.0, [press])


def test_uploads() -> None:
    uploads = Uploads(count(5))
    assert uploads.photo(b"cards") == {
        "file_id": "file-5",
        "file_unique_id": "u-file-5",
        "file_size": 5,
        "width": 320,
        "height": 320,
    }
    assert uploads.files == {"file-5": b"cards"}


def test_the_doubles_own_faults_are_written_down() -> None:
    checks = Checks(bot_api(), validate=True)
    checks.update({"update_id": 7.5})
    checks.result("getMe", {"id": 24, "is_bot": True})
    assert checks.violations == [
        "the double's own fault in an update: ['Update.update_id: not of type Integer: 7.5']",
        "the double's own fault in the result of getMe: ['User.first_name: missing']",
    ]


@pytest.mark.long
def test_no_part_inherits_from_another() -> None:
    """What a part does stands in its own file or is handed to it."""
    ours = Path(__file__).parent
    trees = [ast.parse(path.read_text("utf-8")) for path in ours.glob("*.py")]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    names = {node.name for node in classes} - {"ApiError"}
    bases = {node.name: [b.id for b in node.bases if isinstance(b, ast.Name)] for node in classes}
    assert {name: found for name, found in bases.items() if names.intersection(found)} == {}
