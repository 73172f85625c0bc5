"""Updates about people's actions."""

import json
from random import Random
from typing import Any

import pytest

from tests.telegram import Chat, Gate, User, World
from tests.telegram.conftest import Call


@pytest.fixture
def ann(world: World) -> User:
    return world.user("Ann", username="ann_a", language_code="en")


@pytest.fixture
def family(world: World, ann: User) -> Chat:
    return world.group("Family", ann, world.user("Bob"))


def take_updates(world: World) -> list[dict[str, Any]]:
    """Take the waiting updates."""
    bodies = [update.body for update in world.updates.pending.values()]
    world.updates.drop_all()
    return bodies


def take_texts(world: World) -> list[str]:
    """Take the texts of the waiting messages."""
    return [update["message"]["text"] for update in take_updates(world)]


@pytest.mark.parametrize(
    ("text", "heard_by_bot"),
    [
        ("8/(3-8/3)", False),
        ("hello @TwentyFourTestBot", False),
        ("/play", True),
        ("/play@TwentyFourTestBot", True),
        ("/play@twentyfourtestbot hard", True),
        ("/play@OtherBot", False),
        ("well, /play", False),
    ],
)
def test_privacy_mode_passes_commands_to_the_bot_only(
    world: World, ann: User, family: Chat, text: str, heard_by_bot: bool
) -> None:
    world.say(ann, family, text)
    assert take_texts(world) == ([text] if heard_by_bot else [])


async def test_privacy_mode_passes_replies_to_the_bot(
    world: World, ann: User, family: Chat, call: Call
) -> None:
    deal = await call("sendMessage", chat_id=family.id, text="3 8 3 8 → 24")
    post = family.messages[deal["message_id"]]
    talk = world.say(ann, family, "hm")
    world.say(ann, family, "8*3", reply_to=talk)
    assert take_updates(world) == []
    world.say(ann, family, "8/(3-8/3)", reply_to=post)
    (update,) = take_updates(world)
    assert update["message"]["reply_to_message"]["text"] == "3 8 3 8 → 24"
    assert update["message"]["reply_to_message"]["from"]["id"] == world.bot.id


def test_privacy_off_applies_after_the_bot_is_added_again(world: World, ann: User, family: Chat) -> None:
    world.privacy = False
    world.say(ann, family, "5*5-1")
    assert take_updates(world) == []
    world.leave(world.bot, family)
    world.join(world.bot, family, by=ann)
    take_updates(world)
    world.say(ann, family, "5*5-1")
    assert take_texts(world) == ["5*5-1"]


def test_bot_as_administrator_gets_all_messages(world: World, ann: User, family: Chat) -> None:
    world.promote(world.bot, family)
    assert [list(update)[1] for update in take_updates(world)] == ["my_chat_member"]
    world.say(ann, family, "5*5-1")
    assert take_texts(world) == ["5*5-1"]


async def test_bare_commands_go_to_the_bot_that_posted_last(
    world: World, ann: User, family: Chat, call: Call
) -> None:
    other = world.user("Other", username="OtherBot", is_bot=True)
    world.join(other, family, by=ann)
    world.say(other, family, "I am new here")
    take_updates(world)
    world.say(ann, family, "/play")
    assert take_updates(world) == []
    await call("sendMessage", chat_id=family.id, text="here I am")
    world.say(ann, family, "/play")
    assert take_texts(world) == ["/play"]


def test_anonymous_channel_forwarded_and_edited_messages() -> None:
    world = World(clock=lambda: 1_800_000_000.0)
    ann = world.user("Ann")
    club = world.group("Club", ann)
    world.promote(world.bot, club)
    news = world.channel("News", ann, linked=club)
    take_updates(world)
    world.say_anonymously(club, "/play")
    world.say_as_channel(club, news, "3*8")
    world.post(news, "today's hand")
    world.forward(ann, world.say(ann, ann, "8*3"), club)
    world.edit(world.say(ann, club, "3+8"), "3*8")
    bodies = [
        next(value for key, value in update.items() if key != "update_id") for update in take_updates(world)
    ]
    assert [body["sender_chat"]["id"] for body in bodies[:3]] == [club.id, news.id, news.id]
    assert [body["from"]["id"] for body in bodies[:3]] == [1087968824, 136817688, 777000]
    assert bodies[2]["is_automatic_forward"] is True
    assert bodies[4]["forward_origin"]["sender_user"]["id"] == ann.id
    assert bodies[6]["text"] == "3*8"
    assert bodies[6]["edit_date"] == world.now


def test_messages_of_other_bots_are_sent_only_if_bots_meet(world: World, ann: User, family: Chat) -> None:
    other = world.user("Other", username="OtherBot", is_bot=True)
    world.promote(world.bot, family)
    take_updates(world)
    world.say(other, family, "/play")
    assert take_updates(world) == []
    world.bots_meet = True
    world.say(other, family, "/play")
    assert [update["message"]["from"] for update in take_updates(world)] == [other.json()]


def test_messages_in_topics_have_thread_ids(world: World, ann: User) -> None:
    forum = world.group("Forum", ann, forum=True)
    maths = world.topic(forum, "Maths", ann)
    first = world.say(ann, forum, "/play", topic=maths)
    world.say(ann, forum, "/play@TwentyFourTestBot", reply_to=first)
    general = world.say(ann, forum, "/play")
    world.say(ann, forum, "/skip", reply_to=general)
    opened, asked, again, in_general, chained = (update["message"] for update in take_updates(world))
    assert opened["forum_topic_created"]["name"] == "Maths"
    assert asked["message_thread_id"] == again["message_thread_id"] == maths.id
    assert asked["is_topic_message"] is True
    assert asked["reply_to_message"]["message_id"] == maths.id
    assert "message_thread_id" not in in_general
    assert chained["message_thread_id"] == general.id
    assert "is_topic_message" not in chained


async def test_bot_posts_to_open_topics_only(world: World, ann: User, call: Call) -> None:
    forum = world.group("Forum", ann, forum=True)
    maths = world.topic(forum, "Maths", ann)
    sent = await call("sendMessage", chat_id=forum.id, text="hi", message_thread_id=maths.id)
    assert (sent["message_thread_id"], sent["is_topic_message"]) == (maths.id, True)
    for wrong in (1, 999):
        with pytest.raises(Exception, match="Bad Request: message thread not found"):
            await call("sendMessage", chat_id=forum.id, text="hi", message_thread_id=wrong)
    inherited = await call(
        "sendMessage", chat_id=forum.id, text="hi", reply_parameters={"message_id": sent["message_id"]}
    )
    assert inherited["message_thread_id"] == maths.id
    world.close_topic(forum, maths, ann)
    with pytest.raises(Exception, match="TOPIC_CLOSED"):
        await call("sendMessage", chat_id=forum.id, text="hi", message_thread_id=maths.id)


async def test_migrated_group_refuses_posts_and_names_the_supergroup(
    world: World, ann: User, call: Call
) -> None:
    group = world.group("School", ann, basic=True)
    new = world.migrate(group)
    old_side, new_side = (update["message"] for update in take_updates(world))
    assert (old_side["chat"]["id"], old_side["migrate_to_chat_id"]) == (group.id, new.id)
    assert (new_side["chat"]["id"], new_side["migrate_from_chat_id"]) == (new.id, group.id)
    with pytest.raises(Exception, match="upgraded to a supergroup") as refusal:
        await call("sendMessage", chat_id=group.id, text="hi")
    assert refusal.value.parameters == {"migrate_to_chat_id": new.id}  # type: ignore[attr-defined]
    assert (await call("sendMessage", chat_id=new.id, text="hi"))["chat"]["id"] == new.id


def test_only_allowed_kinds_of_updates_are_sent(world: World, ann: User, family: Chat) -> None:
    world.promote(world.bot, family)
    message = world.say(ann, family, "nice")
    world.react(ann, message, "👍")
    world.join(world.user("Cy"), family)
    kinds = [list(update)[1] for update in take_updates(world)]
    assert kinds == ["my_chat_member", "message", "message"]
    world.updates.allowed = ["message_reaction", "chat_member"]
    world.react(ann, message, "🎉")
    world.join(world.user("Di"), family)
    reaction, member = take_updates(world)
    assert reaction["message_reaction"]["old_reaction"] == [{"type": "emoji", "emoji": "👍"}]
    assert member["chat_member"]["new_chat_member"]["status"] == "member"


async def test_presses_send_callback_queries(world: World, ann: User, family: Chat, call: Call) -> None:
    keyboard = {"inline_keyboard": [[{"text": "Skip 0/2", "callback_data": "s"}]]}
    await call("sendMessage", chat_id=family.id, text="deal", reply_markup=keyboard)
    (post,) = world.posts(family)
    with pytest.raises(LookupError, match=r"no button 'Hint' among \['Skip 0/2'\]"):
        world.press(ann, post, "Hint")
    press = world.press(ann, post, "Skip")
    forged = world.press(ann, post, data="x" * 64)
    world.press_again(press)
    queries = [update["callback_query"] for update in take_updates(world)]
    assert [query["data"] for query in queries] == ["s", "x" * 64, "s"]
    assert queries[0]["id"] == queries[2]["id"] != queries[1]["id"]
    await call("answerCallbackQuery", callback_query_id=forged.id, text="no")
    assert await world.answer_to(forged) == "no"
    assert world.answered == [forged]


async def test_link_button_opens_the_private_chat(world: World, ann: User, family: Chat, call: Call) -> None:
    url = "https://t.me/TwentyFourTestBot?start=daily-7"
    await call(
        "sendMessage",
        chat_id=family.id,
        text="today's",
        reply_markup={"inline_keyboard": [[{"text": "Go", "url": url}]]},
    )
    (post,) = world.posts(family)
    assert world.open_link(ann, post, "Go").text == "/start daily-7"
    (update,) = take_updates(world)
    assert update["message"]["chat"]["type"] == "private"
    with pytest.raises(AssertionError, match="no start parameter"):
        world.start(ann, "a b")


async def test_inline_result_is_posted_and_edited(world: World, ann: User, family: Chat, call: Call) -> None:
    inline = world.inline(ann, "3 8 3 8")
    content = {"message_text": "8/(3-8/3)"}
    keyboard = {"inline_keyboard": [[{"text": "More", "callback_data": "m"}]]}
    result = {
        "type": "article",
        "id": "1",
        "title": "x",
        "input_message_content": content,
        "reply_markup": keyboard,
    }
    await call("answerInlineQuery", inline_query_id=inline.id, results=[result])
    take_updates(world)
    posted = world.choose(inline, 0, family)
    message, chosen = take_updates(world)
    assert message["message"]["via_bot"]["id"] == world.bot.id
    assert chosen["chosen_inline_result"]["inline_message_id"] == posted.inline_id
    assert await call("editMessageText", inline_message_id=posted.inline_id, text="steps") is True
    assert posted.text == "steps"


async def test_failed_wait_shows_the_log(world: World, ann: User) -> None:
    world.say(ann, ann, "/start")
    with pytest.raises(AssertionError, match=r"(?s)a post with 'hello'.*did not happen.*/start.*message"):
        await world.next_post(ann, "hello", timeout=0.01)


def test_supergroups_have_their_own_message_ids(world: World, ann: User) -> None:
    basic, club = world.group("School", ann, basic=True), world.group("Club", ann)
    ids = [world.say(ann, place, "hi").id for place in (ann, basic, ann, club)]
    assert ids == [1, 2, 3, 2]


def test_update_ids_jump_after_an_idle_week(world: World, ann: User) -> None:
    world.start(ann)
    world.updates.skip_ids()
    world.start(ann)
    before, after = world.updates.sent
    luck = Random(7)  # as the world's own
    assert [before.id, after.id] == [luck.randrange(10**8, 9 * 10**8) for _ in range(2)]


async def test_update_can_be_queued_again(world: World, ann: User) -> None:
    world.start(ann)
    (first,) = await world.updates.poll(0, 100, 0)
    assert await world.updates.poll(first["update_id"] + 1, 100, 0) == []
    world.updates.requeue(world.updates.sent[0])
    assert await world.updates.poll(0, 100, 0) == [first]
    assert world.updates.deliveries[first["update_id"]] == 2


async def test_fault_answers_with_its_description() -> None:
    world = World()
    ann = world.user("Ann")
    world.say(ann, ann, "hello")
    world.faults.add("sendMessage", status=400, description="Bad Request: MESSAGE_ID_INVALID", count=1)
    answer = await Gate(world).answer(world.token, "sendMessage", {"chat_id": ann.id, "text": "x"}, {})
    error = {"ok": False, "error_code": 400, "description": "Bad Request: MESSAGE_ID_INVALID"}
    assert (answer.status, json.loads(answer.body)) == (400, error)
