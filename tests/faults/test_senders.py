"""Only a fresh message of a real person scores."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.telegram.context import Context, make_player
from tests.faults.stored_state import state
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Message, World

pytestmark = pytest.mark.faults
HAND, SOLUTION = (3, 8, 3, 8), "8/(3-8/3)"


class Scene:
    """A live deal, and everybody who might pretend to answer it."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.bots_meet = True
        self.ann, self.bob = world.user("Ann"), world.user("Bob")
        self.robot = world.user("Robot", username="RobotBot", is_bot=True)
        self.group = world.group("Group", self.ann, self.bob, self.robot)
        self.channel = world.channel("News", self.ann, bot=True, linked=self.group)
        self.deal: Message
        self.old: Message

    async def open(self, bot: LiveBot) -> None:
        """Play one round to its end, and deal the next."""
        self.old = await bot.deal(self.ann, self.group, 1, 2, 3, 4)
        await bot.say(self.ann, self.group, f"/skip@{self.world.bot.username}")
        self.deal = await bot.deal(self.ann, self.group, *HAND)

    def published(self, **changes: Any) -> None:
        """An update with Bob's answer, changed by hand where no verb of the world does it."""
        message = Message(self.group, 900, self.world.now, self.bob, SOLUTION, reply_to=self.deal)
        body = message.json() | changes
        body = {key: value for key, value in body.items() if value is not None}
        self.world.publish("message", body, self.group.id)


def edited(s: Scene) -> None:
    message = s.world.say(s.bob, s.group, "well", reply_to=s.deal, hear=False)
    s.world.edit(message, SOLUTION, hear=True)


def edited_channel_post(s: Scene) -> None:
    s.world.edit(s.world.post(s.channel, "well"), SOLUTION, hear=True)


def forwarded(s: Scene) -> None:
    private = s.world.say(s.bob, s.bob, SOLUTION, hear=False)
    s.world.forward(s.bob, private, s.group, hear=True)


def forwarded_as_a_reply(s: Scene) -> None:
    s.published(forward_origin={"type": "hidden_user", "date": 0, "sender_user_name": "Cid"})


def through_a_bot(s: Scene) -> None:
    s.world.say(s.bob, s.group, SOLUTION, reply_to=s.deal, via_bot=s.robot, hear=True)


def through_this_bot(s: Scene) -> None:
    s.world.say(s.bob, s.group, SOLUTION, reply_to=s.deal, via_bot=s.world.bot, hear=True)


def by_a_bot(s: Scene) -> None:
    s.world.say(s.robot, s.group, SOLUTION, reply_to=s.deal, hear=True)


def by_a_bot_with_a_command(s: Scene) -> None:
    s.world.say(s.robot, s.group, f"/a@{s.world.bot.username} {SOLUTION}", hear=True)


def posted_in_a_channel(s: Scene) -> None:
    s.world.post(s.channel, SOLUTION)


def as_a_channel(s: Scene) -> None:
    s.world.say_as_channel(s.group, s.channel, SOLUTION, reply_to=s.deal, hear=True)


def as_an_anonymous_admin(s: Scene) -> None:
    s.world.say_anonymously(s.group, SOLUTION, reply_to=s.deal, hear=True)


def as_an_anonymous_admin_with_a_command(s: Scene) -> None:
    s.world.say_anonymously(s.group, f"/a@{s.world.bot.username} {SOLUTION}", hear=True)


def automatically_forwarded(s: Scene) -> None:
    s.published(is_automatic_forward=True)


def without_a_sender(s: Scene) -> None:
    s.published(**{"from": None})


def of_the_hand_before(s: Scene) -> None:
    s.world.say(s.bob, s.group, "1*2*3*4", reply_to=s.old, hear=True)


def as_a_caption(s: Scene) -> None:
    s.published(text=None, caption=SOLUTION, photo=[])


def from_before_the_deal(s: Scene) -> None:
    s.world.say(s.bob, s.group, f"/a@{s.world.bot.username} 1*2*3*4", hear=True)


KINDS: list[Callable[[Scene], None]] = [
    edited,
    edited_channel_post,
    forwarded,
    forwarded_as_a_reply,
    through_a_bot,
    through_this_bot,
    by_a_bot,
    by_a_bot_with_a_command,
    posted_in_a_channel,
    as_a_channel,
    as_an_anonymous_admin,
    as_an_anonymous_admin_with_a_command,
    automatically_forwarded,
    without_a_sender,
    of_the_hand_before,
    as_a_caption,
    from_before_the_deal,
]


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[tuple[Scene, LiveBot]]:
    world = World(privacy=False)
    scene = Scene(world)
    async with run_bot(world, tmp_path / "twentyfour.sqlite3") as opened:
        await scene.open(opened)
        yield scene, opened


async def scores(opened: LiveBot) -> tuple[object, object]:
    """The ledger, and which rounds were won by whom."""
    rows = await state(opened.services.store)
    return rows["awards"], [(row["id"], row["winner_id"]) for row in rows["rounds"] if row["winner_id"]]


async def lies_there(opened: LiveBot) -> bool:
    """Whether the hand is still on the table."""
    rows = await state(opened.services.store)
    line = f"{' '.join(map(str, HAND))} → 24"
    return any(row["state"] == "open" and row["line"] == line for row in rows["rounds"])


async def test_no_other_message_scores(table: tuple[Scene, LiveBot]) -> None:
    scene, opened = table
    before = await scores(opened)
    scored: list[str] = []
    for kind in KINDS:
        kind(scene)
        await opened.settle()
        if await scores(opened) != before:
            scored.append(kind.__name__)
        assert await lies_there(opened), kind.__name__
    print(f"{len(KINDS)} kinds of messages that are no fresh ones of a person: {len(scored)} scored")
    assert not scored
    scene.published()
    await opened.settle()
    assert await scores(opened) != before  # the very same message without any of these marks


@pytest.mark.parametrize("kind", [forwarded_as_a_reply, through_a_bot, automatically_forwarded])
async def test_control_without_the_check_it_would_score(
    table: tuple[Scene, LiveBot], kind: Callable[[Scene], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, opened = table
    monkeypatch.setattr(Context, "is_new_message", True)
    for module in ("context", "dispatch"):
        monkeypatch.setattr(
            f"bot.telegram.{module}.find_sender", lambda update: make_player(update.effective_user)
        )
    before = await scores(opened)
    kind(scene)
    await opened.settle()
    assert await scores(opened) != before
