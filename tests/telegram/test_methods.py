"""Methods of the Bot API, and their errors."""

import json
from typing import Any

import pytest

from tests.telegram import Chat, Limits, User, World, busiest
from tests.telegram.conftest import Call, make_caller
from tests.telegram.edits import NOT_MODIFIED
from tests.telegram.errors import ApiError

NO_TEXT_BUTTONS = "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"
KEYBOARD = {"inline_keyboard": [[{"text": "Next", "callback_data": "n"}]]}


@pytest.fixture
def ann(world: World) -> User:
    ann = world.user("Ann")
    world.start(ann)
    return ann


@pytest.fixture
def family(world: World, ann: User) -> Chat:
    return world.group("Family", ann, world.user("Bob"))


async def call_refused(call: Call, method: str, **params: Any) -> str:
    with pytest.raises(ApiError) as refused:
        await call(method, **params)
    return f"{refused.value.code} {refused.value.description}"


async def test_message_is_sent_edited_and_deleted(world: World, ann: User, call: Call) -> None:
    sent = await call(
        "sendMessage", chat_id=ann.id, text="<b>3 8</b>", parse_mode="HTML", reply_markup=KEYBOARD
    )
    where = {"chat_id": ann.id, "message_id": sent["message_id"]}
    assert sent["reply_markup"] == KEYBOARD
    again = await call_refused(
        call, "editMessageText", **where, text="<b>3 8</b>", parse_mode="HTML", reply_markup=KEYBOARD
    )
    assert again == f"400 Bad Request: {NOT_MODIFIED}"
    edited = await call("editMessageText", **where, text="3 8 → 24")
    assert "reply_markup" not in edited
    await call("editMessageReplyMarkup", **where, reply_markup=KEYBOARD)
    (post,) = world.posts(ann)
    assert [text for text, _ in post.edits] == ["3 8", "3 8 → 24"]
    assert post.labels == ["Next"]
    await call("deleteMessage", **where)
    assert world.posts(ann) == []
    assert (
        await call_refused(call, "editMessageText", **where, text="x")
        == "400 Bad Request: message to edit not found"
    )
    assert world.violations == []


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"text": "x" * 4097}, "message is too long"),
        ({"text": "😀" * 2049}, "message is too long"),
        ({"text": " \n"}, "message text is empty"),
        (
            {"text": "<b>x", "parse_mode": "HTML"},
            "can't parse entities: Can't find end tag corresponding to start tag 'b'",
        ),
        ({"text": "\ud800"}, "strings must be encoded in UTF-8"),
        ({"text": "x", "reply_markup": {"inline_keyboard": [[{"text": "y"}]]}}, NO_TEXT_BUTTONS),
        (
            {"text": "x", "reply_markup": {"inline_keyboard": [[{"text": "y", "callback_data": "é" * 33}]]}},
            "BUTTON_DATA_INVALID",
        ),
        (
            {"text": "x", "reply_markup": {"inline_keyboard": [KEYBOARD["inline_keyboard"][0]] * 101}},
            "reply markup is too long",
        ),
        ({"text": "x", "colour": "red"}, "sendMessage.colour: unknown parameter"),
    ],
)
async def test_incorrect_messages_are_violations(
    world: World, ann: User, call: Call, params: dict[str, Any], error: str
) -> None:
    error_text = await call_refused(call, "sendMessage", chat_id=ann.id, **params)
    assert error_text == f"400 Bad Request: {error}"
    assert world.violations == [f"sendMessage: Bad Request: {error}"]
    assert world.posts(ann) == []


async def test_forms_are_parsed_without_checks() -> None:
    world = World(validate=False)
    ann = world.user("Ann")
    world.start(ann)
    form = {"chat_id": str(ann.id), "text": "x", "reply_markup": json.dumps(KEYBOARD), "odd": "1"}
    sent = await make_caller(world)("sendMessage", **form)
    assert (sent["chat"]["id"], sent["text"], sent["reply_markup"]) == (ann.id, "x", KEYBOARD)
    assert world.violations == []


async def test_text_limit_counts_after_parsing(ann: User, call: Call) -> None:
    sent = await call("sendMessage", chat_id=ann.id, text=f"<b>{'&lt;' * 4096}</b>", parse_mode="HTML")
    assert sent["text"] == "<" * 4096


async def test_reply_to_a_deleted_message_is_refused_unless_allowed(
    world: World, ann: User, call: Call
) -> None:
    gone = world.say(ann, ann, "hi")
    world.delete(gone)
    lost = {"message_id": gone.id}
    error_text = await call_refused(call, "sendMessage", chat_id=ann.id, text="x", reply_parameters=lost)
    assert error_text == "400 Bad Request: message to be replied not found"
    lost["allow_sending_without_reply"] = True
    sent = await call("sendMessage", chat_id=ann.id, text="x", reply_parameters=json.dumps(lost))
    assert "reply_to_message" not in sent


async def test_chats_without_access_are_refused(world: World, ann: User, family: Chat, call: Call) -> None:
    async def error_text(chat: int) -> str:
        return await call_refused(call, "sendMessage", chat_id=chat, text="x")

    stranger = world.user("Stranger")
    assert world.posts(stranger) == []
    assert await error_text(stranger.id) == "403 Forbidden: bot can't initiate conversation with a user"
    assert await error_text(1) == "400 Bad Request: chat not found"
    world.block(ann)
    assert await error_text(ann.id) == "403 Forbidden: bot was blocked by the user"
    world.permit(family, "can_send_messages")
    no_photos = await call_refused(call, "sendPhoto", chat_id=family.id, photo="file-1")
    assert no_photos == "400 Bad Request: not enough rights to send photos to the chat"
    world.mute(world.bot, family)
    assert (
        await error_text(family.id) == "400 Bad Request: not enough rights to send text messages to the chat"
    )
    world.leave(world.bot, family, by=ann)
    assert await error_text(family.id) == "403 Forbidden: bot was kicked from the supergroup chat"
    world.leave(world.bot, family)
    assert await error_text(family.id) == "403 Forbidden: bot is not a member of the supergroup chat"
    assert world.violations == []


async def test_reactions_and_topics_follow_the_groups_settings(world: World, ann: User, call: Call) -> None:
    club = world.group("Club", ann, forum=True)
    chess = world.topic(club, "Chess", ann)
    said = world.say(ann, club, "hi", topic=chess)
    club.reactions = frozenset("👍")
    like, dislike = ([{"type": "emoji", "emoji": emoji}] for emoji in "👍👎")
    this = {"chat_id": club.id, "message_id": said.id}
    assert await call("setMessageReaction", **this, reaction=like)
    error_text = await call_refused(call, "setMessageReaction", **this, reaction=dislike)
    assert error_text == "400 Bad Request: REACTION_INVALID"
    assert (await call("getChat", chat_id=club.id))["available_reactions"] == like
    opening = {"chat_id": club.id, "message_id": chess.id}
    assert (
        await call_refused(call, "editMessageReplyMarkup", **opening)
        == "400 Bad Request: message can't be edited"
    )
    world.delete_topic(club, chess)
    error_text = await call_refused(
        call, "sendMessage", chat_id=club.id, text="x", message_thread_id=chess.id
    )
    assert error_text == "400 Bad Request: message thread not found"
    error_text = await call_refused(call, "editMessageReplyMarkup", **opening)
    assert error_text == "400 Bad Request: message to edit not found"
    assert said.deleted
    assert world.violations == []


async def test_press_is_answered_once_and_in_time() -> None:
    now = [1_800_000_000.0]
    world = World(clock=lambda: now[0])
    call, ann = make_caller(world), world.user("Ann")
    world.start(ann)
    await call("sendMessage", chat_id=ann.id, text="x", reply_markup=KEYBOARD)
    (post,) = world.posts(ann)
    first, late = world.press(ann, post), world.press(ann, post)
    assert await call("answerCallbackQuery", callback_query_id=first.id) is True
    too_old = "400 Bad Request: query is too old and response timeout expired or query ID is invalid"
    assert await call_refused(call, "answerCallbackQuery", callback_query_id=first.id) == too_old
    now[0] += 151
    assert await call_refused(call, "answerCallbackQuery", callback_query_id=late.id) == too_old
    assert await call_refused(call, "answerCallbackQuery", callback_query_id="0") == too_old


async def test_bot_sets_at_most_one_known_reaction(world: World, ann: User, call: Call) -> None:
    message = world.say(ann, ann, "8*3")
    where = {"chat_id": ann.id, "message_id": message.id}
    thumb = {"type": "emoji", "emoji": "👍"}
    await call("setMessageReaction", **where, reaction=[thumb])
    assert message.reactions[world.bot.id] == ["👍"]
    await call("setMessageReaction", **where, reaction=[])
    assert message.reactions[world.bot.id] == []
    twice = await call_refused(call, "setMessageReaction", **where, reaction=[thumb, thumb])
    assert twice == "400 Bad Request: too many reactions"
    odd = {"type": "emoji", "emoji": "🧮"}
    error_text = await call_refused(call, "setMessageReaction", **where, reaction=[odd])
    assert error_text == "400 Bad Request: REACTION_INVALID"


async def test_menus_are_stored_by_scope_and_language(world: World, family: Chat, call: Call) -> None:
    play = [{"command": "play", "description": "发牌"}]
    scope = {"type": "chat", "chat_id": family.id}
    await call("setMyCommands", commands=play, scope=scope, language_code="zh")
    assert await call("getMyCommands", scope=scope, language_code="zh") == play
    assert await call("getMyCommands") == []
    await call("deleteMyCommands", scope=scope, language_code="zh")
    assert await call("getMyCommands", scope=scope, language_code="zh") == []
    upper = await call_refused(call, "setMyCommands", commands=[{"command": "Play", "description": "x"}])
    assert upper == "400 Bad Request: BOT_COMMAND_INVALID"
    await call("setMyDescription", description="numbers", language_code="en")
    assert await call("getMyDescription", language_code="en") == {"description": "numbers"}


async def test_members_and_administrators_are_listed(
    world: World, ann: User, family: Chat, call: Call
) -> None:
    assert (await call("getChatMember", chat_id=family.id, user_id=ann.id))["status"] == "creator"
    assert (await call("getChatMember", chat_id=family.id, user_id=world.bot.id))["status"] == "member"
    bob = next(member.user for member in family.members.values() if member.user.first_name == "Bob")
    world.promote(bob, family, "can_delete_messages")
    admins = await call("getChatAdministrators", chat_id=family.id)
    assert [(admin["user"]["first_name"], admin["status"]) for admin in admins] == [
        ("Ann", "creator"),
        ("Bob", "administrator"),
    ]
    world.demote(bob, family)
    assert (await call("getChatMember", chat_id=family.id, user_id=bob.id))["status"] == "member"
    assert await call("getChatMemberCount", chat_id=family.id) == 3
    assert (await call("getChat", chat_id=family.id))["title"] == "Family"


async def test_deleting_and_pinning_need_rights(world: World, ann: User, family: Chat, call: Call) -> None:
    where = {"chat_id": family.id, "message_id": world.say(ann, family, "hi").id}
    bad = "400 Bad Request:"
    assert await call_refused(call, "deleteMessage", **where) == f"{bad} message can't be deleted"
    assert await call_refused(call, "editMessageText", **where, text="x") == f"{bad} message can't be edited"
    no_rights = f"{bad} not enough rights to manage pinned messages in the chat"
    assert await call_refused(call, "pinChatMessage", **where) == no_rights
    world.promote(world.bot, family)
    assert await call("pinChatMessage", **where) is True
    assert family.pinned == [where["message_id"]]
    assert await call("deleteMessage", **where) is True
    assert family.said == []


async def test_other_methods_answer_by_the_schema(world: World, ann: User, call: Call) -> None:
    sent = await call("sendPoll", chat_id=ann.id, question="?", options=[{"text": "a"}])
    assert (sent["chat"]["id"], sent["poll"]["question"]) == (ann.id, "sample")
    assert await call("setChatTitle", chat_id=ann.id, title="x") is True
    error_text = await call_refused(call, "sendPoll", chat_id=ann.id)
    assert error_text == "400 Bad Request: sendPoll.question: missing; sendPoll.options: missing"


async def test_flood_limits_of_a_group_are_enforced() -> None:
    now = [1_800_000_000.0]
    world = World(clock=lambda: now[0])
    call, ann = make_caller(world), world.user("Ann")
    family = world.group("Family", ann)
    world.start(ann)
    world.limits = Limits()
    for _ in range(20):
        await call("sendMessage", chat_id=family.id, text="x")
        now[0] += 1
    with pytest.raises(ApiError, match="Too Many Requests: retry after 40") as flood:
        await call("sendMessage", chat_id=family.id, text="x")
    assert flood.value.parameters == {"retry_after": 40}
    await call("sendMessage", chat_id=ann.id, text="x")
    assert len(world.posts(ann)) == 1
    now[0] += 40
    await call("sendMessage", chat_id=family.id, text="x")
    assert len(world.posts(family)) == 21
    assert world.limits.refusals == 1
    assert world.pace(family) == 20


def test_busiest_window_is_found() -> None:
    assert busiest([0, 1, 59.9, 60, 61]) == 3
    assert busiest([]) == 0


async def test_picture_is_sent_again_by_its_id(world: World, ann: User, call: Call) -> None:
    sent = await call("sendPhoto", chat_id=ann.id, photo=b"PNG", caption="3 8")
    (size,) = sent["photo"]
    again = await call("sendPhoto", chat_id=ann.id, photo=size["file_id"])
    assert again["photo"] == [size]
    assert world.uploads.count == 1
    unknown = await call_refused(call, "sendPhoto", chat_id=ann.id, photo="another bot's")
    assert unknown == "400 Bad Request: wrong file identifier/HTTP URL specified"


async def test_captions_and_texts_have_different_edits(world: World, ann: User, call: Call) -> None:
    photo = await call("sendPhoto", chat_id=ann.id, photo=b"PNG", caption="3 8")
    text = await call("sendMessage", chat_id=ann.id, text="3 8")
    here = {"chat_id": ann.id, "message_id": photo["message_id"]}
    there = {"chat_id": ann.id, "message_id": text["message_id"]}
    another = await call("sendPhoto", chat_id=ann.id, photo=b"OTHER")
    number = another["photo"][0]["file_id"]
    other = {"type": "photo", "media": number, "caption": "1 1"}
    assert "no text in the message to edit" in await call_refused(call, "editMessageText", **here, text="1 1")
    assert "no caption in the message" in await call_refused(
        call, "editMessageCaption", **there, caption="1 1"
    )
    assert "no media in the message" in await call_refused(call, "editMessageMedia", **there, media=other)
    assert NOT_MODIFIED in await call_refused(call, "editMessageCaption", **here, caption="3 8")
    changed = await call("editMessageMedia", **here, media=other)
    assert changed["caption"] == "1 1"
    assert NOT_MODIFIED in await call_refused(call, "editMessageMedia", **here, media=other)
