"""Groups that forbid reactions or posts, or that have removed the bot."""

import logging

import pytest

from bot.formats import format_expression
from bot.queue import queries
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.stories.test_countdown import find_entry, read_draw, start_countdown
from tests.telegram import Chat, User, World

pytestmark = pytest.mark.long

WRONG = ("8*3-8/3", "8+8+3+3", "8*8/3+3")
UNREAD, BRACKET = "8*(3", "A closing bracket ) is missing."
NOTES = {
    WRONG[0]: "👎 \u2068Bob\u2069: 8×3−8÷3 = 21 1/3",
    WRONG[1]: "👎 \u2068Bob\u2069: 8+8+3+3 = 22",
    UNREAD: "🤔 \u2068Bob\u2069: A closing bracket ) is missing",
}


async def answer_and_read_replies(bot: LiveBot, who: User, chat: Chat, *answers: str) -> list[str]:
    """Send the answers to the first post; return the reaction and text that each of them gets."""
    replies = []
    for answer in answers:
        before = len(bot.world.posts(chat))
        message = await bot.say(who, chat, answer, reply_to=bot.world.posts(chat)[0])
        posts = bot.world.posts(chat)[before:]
        assert all(post.reply_to is message for post in posts)
        replies.append(read_reactions(message) + "".join(post.text for post in posts))
    return replies


def list_requested_reactions(world: World) -> list[str]:
    """Return the reactions that the bot has requested."""
    return [call.params["reaction"][0]["emoji"] for call in world.calls("setMessageReaction")]


async def load_dead_requests(bot: LiveBot) -> list[queries.DeadLetter]:
    return await bot.services.store.read(queries.load_dead_requests)


async def test_wrong_answers_are_told_why_where_reactions_are_forbidden(
    restart_bot: RestartBot,
    world: World,
    ann: User,
    bob: User,
    family: Chat,
    caplog: pytest.LogCaptureFixture,
) -> None:
    family.reactions = frozenset("🏆")
    bot = await restart_bot(world)
    with caplog.at_level(logging.WARNING):
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        for answer, note in NOTES.items():
            assert await answer_and_read_replies(bot, bob, family, answer) == [""]
            assert note in deal.text.splitlines()
        assert list_requested_reactions(world) == ["👎", "🤔"]
        bot = await restart_bot(world)
        assert await answer_and_read_replies(bot, ann, family, *NOTES) == [""] * len(NOTES)
    assert list_requested_reactions(world) == ["👎", "🤔"]
    assert read_reactions(await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)) == "🏆"
    assert caplog.messages == []
    assert not await load_dead_requests(bot)


async def test_entry_is_confirmed_to_its_author_in_private(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    world.start(bob)
    family.reactions = frozenset()
    deal = await start_countdown(bot, ann, family)
    entries = [find_entry(*read_draw(deal), off) for off in (3, 2)]
    for entry in entries:
        await bot.say(bob, family, entry, reply_to=deal)
    confirmations = [
        post.text for post in world.posts(bob) if "that stands now. Your last one counts." in post.text
    ]
    assert len(confirmations) == 2
    assert all(format_expression(entry) in text for entry, text in zip(entries, confirmations, strict=True))
    assert list_requested_reactions(world) == ["👌"]


NOT_RIGHT = "That isn’t right. To learn why, press 🤫 under the hand: nobody else sees it."
NOT_READ = "I can’t read that. To learn why, press 🤫 under the hand: nobody else sees it."
NOT_COUNTED = "That doesn’t count. To learn why, press 🤫 under the hand: nobody else sees it."


async def test_secret_verdict_in_text_hides_the_value(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    family.reactions = frozenset()
    await bot.choose(family, "secret", True)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    answers = [*WRONG, "8+8", UNREAD]
    assert await answer_and_read_replies(bot, bob, family, *answers) == [NOT_RIGHT] * 4 + [NOT_READ]
    assert list_requested_reactions(world) == ["👎", "🤔"]
    assert "📬 \u2068Bob\u2069" in deal.text
    world.open_link(bob, deal, "🤫")
    await bot.settle()
    assert BRACKET in "".join(post.text for post in world.posts(bob))
    assert not await load_dead_requests(bot)


async def test_invalid_entries_get_text(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    family.reactions = frozenset()
    deal = await start_countdown(bot, ann, family)
    answers = ["1234567+1", find_entry(*read_draw(deal), 30), "25*(3"]
    assert await answer_and_read_replies(bot, bob, family, *answers) == [NOT_RIGHT, NOT_RIGHT, NOT_READ]


async def test_known_idea_gets_text(bot: LiveBot, world: World, ann: User, bob: User, family: Chat) -> None:
    family.reactions = frozenset()
    await bot.choose(family, "secret", True)
    bot.rig(1, 2, 3, 4)
    await bot.say(ann, family, f"/play@{world.bot.username} all")
    assert await answer_and_read_replies(bot, ann, family, "1*2*3*4") == [""]
    assert await answer_and_read_replies(bot, bob, family, "1*2*3*4") == [NOT_COUNTED]


async def test_doctor_refreshes_allowed_reactions(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    family.reactions = frozenset("🏆")
    await bot.say(ann, family, f"/doctor@{world.bot.username}")
    assert "👎 👀 🤔 👏 👌 🤝" in world.posts(family)[-1].text
    world.delete(world.posts(family)[-1])
    await bot.deal(ann, family, 3, 8, 3, 8)
    await answer_and_read_replies(bot, bob, family, *WRONG)
    assert list_requested_reactions(world) == []
    family.reactions = None
    await bot.say(ann, family, f"/doctor@{world.bot.username}")
    assert "reactions" not in world.posts(family)[-1].text
    assert await answer_and_read_replies(bot, bob, family, *WRONG) == ["👎"] * 3


@pytest.mark.parametrize(
    ("status", "how"),
    [
        (400, "Bad Request: not enough rights to send text messages to the chat"),
        (400, "Bad Request: have no rights to send a message"),
        (400, "Bad Request: CHAT_WRITE_FORBIDDEN"),
        (403, "Forbidden: CHAT_WRITE_FORBIDDEN"),
        (400, "Bad Request: CHAT_SEND_PLAIN_FORBIDDEN"),
        (400, "Bad Request: TOPIC_CLOSED"),
        (403, "Forbidden: bot was kicked from the supergroup chat"),
        (403, "Forbidden: bot is not a member of the supergroup chat"),
        (400, "Bad Request: chat not found"),
    ],
)
async def test_forbidden_requests_leave_no_dead_letter(
    bot: LiveBot,
    world: World,
    ann: User,
    bob: User,
    family: Chat,
    caplog: pytest.LogCaptureFixture,
    status: int,
    how: str,
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    for method in ("send*", "edit*", "setMessageReaction"):
        world.faults.add(method, status=status, description=how)
    with caplog.at_level(logging.INFO):
        await bot.say(bob, family, "8*3-8/3", reply_to=deal)
        await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert not await load_dead_requests(bot)
    records = [record for record in caplog.records if "is not allowed" in record.message]
    assert {record.levelname for record in records} == {"INFO"}
    world.faults.clear()
    await bot.deal(ann, family, 1, 2, 3, 4)
