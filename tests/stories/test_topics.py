"""Forums: each topic has its own hand, and a group may tie the game to one topic."""

import pytest

from bot.queue import queries
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.stories.test_weekly import MONDAY
from tests.telegram import Chat, Message, Topic, User, World

pytestmark = pytest.mark.long


async def open_settings(bot: LiveBot, admin: User, forum: Chat, topic: Topic | None) -> Message:
    bot.world.say(admin, forum, f"/settings@{bot.world.bot.username}", topic=topic)
    return await bot.world.next_post(forum)


async def press_labels(bot: LiveBot, admin: User, message: Message, *labels: str) -> None:
    for label in labels:
        await bot.world.answer_to(bot.world.press(admin, message, label))
        await bot.settle()


@pytest.mark.parametrize("privacy", [False])
async def test_each_topic_has_its_own_hand(bot: LiveBot, world: World, ann: User, bob: User) -> None:
    club = world.group("Club", ann, bob, forum=True)
    chess, maths = world.topic(club, "Chess", ann), world.topic(club, "Maths", ann)
    for topic, hand in ((chess, (3, 8, 3, 8)), (maths, (1, 2, 3, 4)), (None, (4, 4, 10, 10))):
        bot.rig(*hand)
        world.say(ann, club, f"/play@{world.bot.username}", topic=topic)
        deal = await world.next_post(club, "→ 24")
        assert deal.topic is topic
        assert f"{' '.join(map(str, hand))} → 24" in deal.text
    world.say(bob, club, "8/(3-8/3)", topic=maths)
    await bot.settle()
    deals = [post for post in world.posts(club) if "→ 24" in post.text]
    assert [("Bob" in post.text) for post in deals] == [False, False, False]
    world.say(bob, club, "8/(3-8/3)", topic=chess)
    await bot.settle()
    assert [("Bob" in post.text) for post in deals] == [True, False, False]


async def test_play_elsewhere_points_to_the_tied_topic(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    club = world.group("Club", ann, bob, forum=True)
    chess, maths = world.topic(club, "Chess", ann), world.topic(club, "Maths <3", ann)
    message = await open_settings(bot, ann, club, maths)
    assert message.topic is maths
    await press_labels(bot, ann, message, "Topic", "this topic")
    world.say(bob, club, f"/play@{world.bot.username}", topic=chess)
    notice = await world.next_post(club)
    assert notice.topic is chess
    assert "Maths <3" in notice.text
    (link,) = [entity for entity in notice.entities if entity["type"] == "text_link"]
    assert link["url"] == f"https://t.me/c/{-club.id - 10**12}/{maths.id}"
    world.say(bob, club, f"/play@{world.bot.username}", topic=maths)
    assert (await world.next_post(club, "→ 24")).topic is maths
    world.say(ann, club, f"/doctor@{world.bot.username}", topic=chess)
    assert "Maths <3" in (await world.next_post(club, "✅")).text


async def test_group_can_be_tied_to_general(bot: LiveBot, world: World, ann: User) -> None:
    club = world.group("Club", ann, forum=True)
    chess = world.topic(club, "Chess", ann)
    message = await open_settings(bot, ann, club, None)
    await press_labels(bot, ann, message, "Topic", "this topic")
    world.say(ann, club, f"/play@{world.bot.username}", topic=chess)
    assert (await world.next_post(club)).text == "This group plays in General: see you there!"
    world.say(ann, club, f"/play@{world.bot.username}")
    deal = await world.next_post(club, "→ 24")
    assert deal.topic is None
    await press_labels(bot, ann, message, "any topic")
    await bot.say(ann, club, f"/skip@{world.bot.username}")
    world.say(ann, club, f"/play@{world.bot.username}", topic=chess)
    assert (await world.next_post(club, "→ 24")).topic is chess


async def test_old_button_elsewhere_names_tied_topic_in_plain_text(
    bot: LiveBot, world: World, ann: User
) -> None:
    club = world.group("Club", ann, forum=True)
    chess, maths = world.topic(club, "Chess", ann), world.topic(club, "Maths <3", ann)
    world.say(ann, club, f"/play@{world.bot.username}", topic=chess)
    deal = await world.next_post(club, "→ 24")
    world.say(ann, club, f"/skip@{world.bot.username}", topic=chess)
    await bot.settle()
    await press_labels(bot, ann, await open_settings(bot, ann, club, maths), "Topic", "this topic")
    notice = await world.answer_to(world.press(ann, deal, "Next"))
    assert "\u2068Maths <3\u2069" in notice
    assert "href" not in notice


TOPIC_GONE = (
    "My topic is closed or gone, so I deal in every topic now. Admins can choose one in /settings. "
    "In a closed topic I can write only as an admin."
)


async def tie_to_topic(bot: LiveBot, admin: User, people: User) -> tuple[Chat, Topic]:
    """Create a forum and tie its games to one topic."""
    club = bot.world.group("Club", admin, people, forum=True)
    maths = bot.world.topic(club, "Maths", admin)
    await press_labels(bot, admin, await open_settings(bot, admin, club, maths), "Topic", "this topic")
    return club, maths


async def test_play_is_dealt_in_group_if_tied_topic_is_deleted(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    club, maths = await tie_to_topic(bot, ann, bob)
    world.delete_topic(club, maths)
    bot.rig(3, 8, 3, 8)
    await bot.say(bob, club, f"/play@{world.bot.username}")
    notice, deal = world.posts(club)
    assert notice.text == TOPIC_GONE
    assert "3 8 3 8 → 24" in deal.text
    assert deal.topic is None
    await bot.say(bob, club, "8/(3-8/3)", reply_to=deal)
    await bot.say(bob, club, f"/play@{world.bot.username}")
    assert [post.text for post in world.posts(club)].count(TOPIC_GONE) == 1


@pytest.mark.parametrize("pictures", [False, True])
async def test_hand_moves_to_group_if_topic_is_deleted(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, pictures: bool
) -> None:
    club, maths = await tie_to_topic(bot, ann, bob)
    bot.rig(3, 8, 3, 8)
    world.say(bob, club, f"/play@{world.bot.username}", topic=maths)
    await world.next_post(club, "→ 24")
    await bot.settle()
    world.delete_topic(club, maths)
    clock.advance(61)
    await bot.run_timers()
    notice, deal = sorted(world.posts(club), key=lambda post: "→ 24" in post.text)
    assert notice.text == TOPIC_GONE
    assert deal.topic is None
    assert deal.is_photo is pictures
    assert "3 8 3 8 → 24" in deal.text
    await bot.say(bob, club, "8/(3-8/3)", reply_to=deal)
    assert "🏆 \u2068Bob\u2069" in deal.text
    assert not await bot.services.store.read(queries.load_dead_requests)


@pytest.mark.parametrize("chosen", [True, False])
async def test_weekly_result_moves_to_group_if_topic_is_deleted(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, chosen: bool
) -> None:
    club, maths = await tie_to_topic(bot, ann, bob)
    if not chosen:
        await bot.choose(club, "topic", None)
    bot.rig(3, 8, 3, 8)
    world.say(bob, club, f"/play@{world.bot.username}", topic=maths)
    deal = await world.next_post(club, "→ 24")
    await bot.settle()
    await bot.say(bob, club, "8/(3-8/3)", reply_to=deal)
    world.delete_topic(club, maths)
    clock.now = MONDAY
    await bot.run_timers()
    word, *notice = sorted(world.posts(club), key=lambda post: post.text == TOPIC_GONE)
    assert "The week’s winner: \u2068Bob\u2069" in word.text
    assert word.topic is None
    assert [post.text for post in notice] == [TOPIC_GONE] * chosen
    assert not await bot.services.store.read(queries.load_dead_requests)


async def test_hand_of_deleted_topic_ends_if_group_has_one(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    club, maths = await tie_to_topic(bot, ann, bob)
    await bot.choose(club, "topic", None)
    bot.rig(3, 8, 3, 8)
    world.say(bob, club, f"/play@{world.bot.username}", topic=maths)
    await world.next_post(club, "3 8 3 8 → 24")
    here = await bot.deal(bob, club, 1, 2, 3, 4)
    world.delete_topic(club, maths)
    clock.advance(61)
    await bot.run_timers()
    (over,) = [post for post in world.posts(club) if "3 8 3 8 → 24" in post.text]
    assert "8÷(3−8÷3)" in over.text
    await bot.say(bob, club, "1*2*3*4", reply_to=here)
    assert "🏆 \u2068Bob\u2069" in here.text


async def test_commands_in_deleted_topic_are_answered_in_group(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    club, maths = await tie_to_topic(bot, ann, bob)
    gone = f"/play@{world.bot.username}", f"/help@{world.bot.username}"
    for text in gone:
        world.say(bob, club, text, topic=maths)
    world.delete_topic(club, maths)
    await bot.settle()
    notice, help_, deal = sorted(
        world.posts(club), key=lambda post: ("→ 24" in post.text, "/leaderboard" in post.text)
    )
    assert notice.text == TOPIC_GONE
    assert "→ 24" in deal.text
    assert "/leaderboard" in help_.text


async def test_doctor_reports_deleted_topic(bot: LiveBot, world: World, ann: User, bob: User) -> None:
    club, maths = await tie_to_topic(bot, ann, bob)
    doctor = f"/doctor@{world.bot.username}"
    await bot.say(ann, club, doctor)
    assert "✅ I deal in \u2068Maths\u2069 only, as chosen in /settings." in world.posts(club)[-1].text
    world.delete_topic(club, maths)
    await bot.say(ann, club, doctor)
    assert f"⚠️ {TOPIC_GONE}" in world.posts(club)[-1].text
    await bot.say(ann, club, doctor)
    assert "✅ I deal in every topic." in world.posts(club)[-1].text
    assert [post.text for post in world.posts(club)].count(TOPIC_GONE) == 0


@pytest.mark.parametrize("pictures", [False, True])
async def test_hand_moves_to_group_if_topic_is_closed(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    club, maths = await tie_to_topic(bot, ann, bob)
    bot.rig(3, 8, 3, 8)
    world.say(bob, club, f"/play@{world.bot.username}", topic=maths)
    before = await world.next_post(club, "→ 24")
    await bot.settle()
    world.close_topic(club, maths, ann)
    await bot.settle()
    notice, deal = sorted(world.posts(club)[-2:], key=lambda post: "→ 24" in post.text)
    assert notice.text == TOPIC_GONE
    assert deal is not before
    assert notice.topic is deal.topic is None
    clock.advance(10)
    await bot.say(bob, club, f"/play@{world.bot.username}")
    assert "👀 \u2068Bob\u2069: This hand is still open" in deal.text.splitlines()
    await bot.say(bob, club, "8/(3-8/3)", reply_to=deal)
    assert "🏆 \u2068Bob\u2069" in deal.text
    await bot.say(ann, club, f"/doctor@{world.bot.username}")
    assert "✅ I deal in every topic." in world.posts(club)[-1].text
    assert [post.text for post in world.posts(club)].count(TOPIC_GONE) == 1


async def test_commands_in_closed_topic_are_answered_in_group(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    club, maths = await tie_to_topic(bot, ann, bob)
    world.promote(world.bot, club)
    await bot.settle()
    world.close_topic(club, maths, ann)
    await bot.settle()
    bot.rig(3, 8, 3, 8)
    world.say(ann, club, f"/play@{world.bot.username}", topic=maths)
    assert (await world.next_post(club, "→ 24")).topic is maths  # An admin may write there
    await bot.settle()
    world.demote(world.bot, club)
    await bot.settle()
    doctor = f"/doctor@{world.bot.username}"
    for text in (f"/leaderboard@{world.bot.username}", doctor):
        world.say(ann, club, text, topic=maths)
        await bot.settle()
    posts = [post for post in world.posts(club) if post.topic is None]
    (deal,) = [post for post in posts if "3 8 3 8 → 24\n" in post.text and "⏳" in post.text]
    assert [post.text for post in posts].count(TOPIC_GONE) == 1
    assert "✅ I deal in every topic." in posts[-1].text
    await bot.say(bob, club, "8/(3-8/3)", reply_to=deal)
    assert "🏆 \u2068Bob\u2069" in deal.text
    assert not await bot.services.store.read(queries.load_dead_requests)


async def test_play_in_closed_topic_is_dealt_in_group(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    club, maths = await tie_to_topic(bot, ann, bob)
    world.close_topic(club, maths, ann)
    await bot.settle()
    bot.rig(3, 8, 3, 8)
    world.say(ann, club, f"/play@{world.bot.username}", topic=maths)
    await bot.settle()
    notice, deal = world.posts(club)[-2:]
    assert notice.text == TOPIC_GONE
    assert "3 8 3 8 → 24" in deal.text
    assert deal.topic is None


async def test_closing_another_topic_keeps_the_tie(bot: LiveBot, world: World, ann: User, bob: User) -> None:
    club, _ = await tie_to_topic(bot, ann, bob)
    world.close_topic(club, world.topic(club, "Chess", ann), ann)
    await bot.say(bob, club, f"/play@{world.bot.username}")
    assert world.posts(club)[-1].text == "This group plays in \u2068Maths\u2069: see you there!"


@pytest.mark.long
async def test_comment_on_channel_post_gets_deal_as_reply(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    group = world.group("Readers", ann, bob)
    news = world.channel("News", ann, linked=group)
    world.post(news, "Good morning")
    await bot.settle()
    post = next(message for message in group.said if message.automatic)
    bot.rig(3, 8, 3, 8)
    comment = world.say(ann, group, f"/play@{world.bot.username}", reply_to=post)
    deal = await world.next_post(group, "→ 24")
    assert deal.reply_to is comment
    await bot.say(bob, group, "8/(3-8/3)", reply_to=deal)
    assert "Bob" in deal.text
    deal.thread = post.id  # The fake Telegram leaves a bot's comment outside of the thread
    await world.answer_to(world.press(ann, deal, "Next"))
    assert (await world.next_post(group, "→ 24")).reply_to is deal
    deal = await bot.deal(ann, world.group("Family", ann))
    assert deal.reply_to is None
