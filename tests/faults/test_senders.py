"""Only a new message of a real person scores."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults.stored_state import read_state
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Message, World

pytestmark = pytest.mark.faults
HAND, SOLUTION = (3, 8, 3, 8), "8/(3-8/3)"


class Scene:
    """A group with a live round, and other senders who might answer it."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.bots_meet = True
        self.ann, self.bob = world.user("Ann"), world.user("Bob")
        self.robot = world.user("Robot", username="RobotBot", is_bot=True)
        self.group = world.group("Group", self.ann, self.bob, self.robot)
        self.channel = world.channel("News", self.ann, bot=True, linked=self.group)
        self.deal: Message
        self.old: Message

    async def deal_hands(self, bot: LiveBot) -> None:
        """Play one round to its end and deal the next."""
        self.old = await bot.deal(self.ann, self.group, 1, 2, 3, 4)
        await bot.say(self.ann, self.group, f"/skip@{self.world.bot.username}")
        self.deal = await bot.deal(self.ann, self.group, *HAND)

    def publish_answer(self, **changes: Any) -> None:
        """Publish an update with Bob's answer and these changes of its fields; None removes a field."""
        message = Message(self.group, 900, self.world.now, self.bob, SOLUTION, reply_to=self.deal)
        body = message.json() | changes
        body = {key: value for key, value in body.items() if value is not None}
        self.world.publish("message", body, self.group.id)


def send_edited(s: Scene) -> None:
    message = s.world.say(s.bob, s.group, "well", reply_to=s.deal, hear=False)
    s.world.edit(message, SOLUTION, hear=True)


def edit_channel_post(s: Scene) -> None:
    s.world.edit(s.world.post(s.channel, "well"), SOLUTION, hear=True)


def forward_answer(s: Scene) -> None:
    private = s.world.say(s.bob, s.bob, SOLUTION, hear=False)
    s.world.forward(s.bob, private, s.group, hear=True)


def forward_as_a_reply(s: Scene) -> None:
    s.publish_answer(forward_origin={"type": "hidden_user", "date": 0, "sender_user_name": "Cid"})


def send_through_a_bot(s: Scene) -> None:
    s.world.say(s.bob, s.group, SOLUTION, reply_to=s.deal, via_bot=s.robot, hear=True)


def send_through_this_bot(s: Scene) -> None:
    s.world.say(s.bob, s.group, SOLUTION, reply_to=s.deal, via_bot=s.world.bot, hear=True)


def send_as_a_bot(s: Scene) -> None:
    s.world.say(s.robot, s.group, SOLUTION, reply_to=s.deal, hear=True)


def send_command_as_a_bot(s: Scene) -> None:
    s.world.say(s.robot, s.group, f"/a@{s.world.bot.username} {SOLUTION}", hear=True)


def post_in_a_channel(s: Scene) -> None:
    s.world.post(s.channel, SOLUTION)


def send_as_a_channel(s: Scene) -> None:
    s.world.say_as_channel(s.group, s.channel, SOLUTION, reply_to=s.deal, hear=True)


def send_as_an_anonymous_admin(s: Scene) -> None:
    s.world.say_anonymously(s.group, SOLUTION, reply_to=s.deal, hear=True)


def send_command_as_an_anonymous_admin(s: Scene) -> None:
    s.world.say_anonymously(s.group, f"/a@{s.world.bot.username} {SOLUTION}", hear=True)


def forward_automatically(s: Scene) -> None:
    s.publish_answer(is_automatic_forward=True)


def send_without_a_sender(s: Scene) -> None:
    s.publish_answer(**{"from": None})


def answer_the_hand_before(s: Scene) -> None:
    s.world.say(s.bob, s.group, "1*2*3*4", reply_to=s.old, hear=True)


def send_as_a_caption(s: Scene) -> None:
    s.publish_answer(text=None, caption=SOLUTION, photo=[])


def answer_the_hand_before_by_command(s: Scene) -> None:
    s.world.say(s.bob, s.group, f"/a@{s.world.bot.username} 1*2*3*4", hear=True)


KINDS: list[Callable[[Scene], None]] = [
    send_edited,
    edit_channel_post,
    forward_answer,
    forward_as_a_reply,
    send_through_a_bot,
    send_through_this_bot,
    send_as_a_bot,
    send_command_as_a_bot,
    post_in_a_channel,
    send_as_a_channel,
    send_as_an_anonymous_admin,
    send_command_as_an_anonymous_admin,
    forward_automatically,
    send_without_a_sender,
    answer_the_hand_before,
    send_as_a_caption,
    answer_the_hand_before_by_command,
]


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[tuple[Scene, LiveBot]]:
    world = World(privacy=False)
    scene = Scene(world)
    async with run_bot(world, tmp_path / "twentyfour.sqlite3") as bot:
        await scene.deal_hands(bot)
        yield scene, bot


async def read_scores(bot: LiveBot) -> tuple[object, object]:
    """Return the awards, and the winners of rounds."""
    rows = await read_state(bot.services.store)
    return rows["awards"], [(row["id"], row["winner_id"]) for row in rows["rounds"] if row["winner_id"]]


async def is_round_open(bot: LiveBot) -> bool:
    """Whether the round is still open."""
    rows = await read_state(bot.services.store)
    line = f"{' '.join(map(str, HAND))} → 24"
    return any(row["state"] == "open" and row["line"] == line for row in rows["rounds"])


async def test_only_a_new_message_of_a_person_scores(table: tuple[Scene, LiveBot]) -> None:
    scene, bot = table
    before = await read_scores(bot)
    scored: list[str] = []
    for kind in KINDS:
        kind(scene)
        await bot.settle()
        if await read_scores(bot) != before:
            scored.append(kind.__name__)
        assert await is_round_open(bot), kind.__name__
    print(f"{len(KINDS)} kinds of messages that are not new ones of a person: {len(scored)} scored")
    assert not scored
    scene.publish_answer()
    await bot.settle()
    assert await read_scores(bot) != before  # the same message without any of these changes
