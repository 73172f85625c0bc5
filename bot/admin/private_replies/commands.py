"""Tells one person of a group what nobody else may read, by the first way that is open.

`Context.to_one` says which ways there are, `delivery.secret` why; here each is drawn when its turn comes, and
followed by the next where it failed.
"""

from typing import Any

from bot.admin.private_replies import queries as private
from bot.admin.private_replies.queries import (
    ROUND_KEY,
    UNRELATED_KEY,
    SentReply,
    WaitingReply,
    make_round_key,
)
from bot.database import Store, Tx
from bot.i18n import Html, Words, find_mentions, get_words, insert_names, strip_tags
from bot.players import queries as people
from bot.queue import private_delivery
from bot.queue.queries import TELL_PRIVATELY
from bot.queue.timers import make_hourly_cleanup
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Keyboard, Link, Request, post_message, show_round_by_id
from bot.telegram.routes import ButtonRoute, DeliveredRequest, Routes

REPLIES_LINK = "word"  # The payload of the link that leads to what waits


def render_trial(words: Words) -> Html:
    """The first ephemeral message in a chat, which everybody may read where the server is too old."""
    return Html(f"🤫 {words.translate('What you answer secretly stays between you and me.')}")


def render_group_notice(words: Words, username: str) -> tuple[Html, Keyboard]:
    """Says that a word waits, with the way to it."""
    text = Html(f"📬 {words.translate('I have a word for some of you that is not for everybody.')}")
    return text, [
        [(words.translate_plain("Read mine"), Link(f"https://t.me/{username}?start={REPLIES_LINK}"))]
    ]


def render_nothing_waits(words: Words) -> Html:
    """Said to whoever asks for a word and has none."""
    return words.translate("No word waits for you.")


REPLY_RECEIPT, TRIAL_RECEIPT = "one", "trial"  # Kinds of receipts
SHUT = 60.0  # Seconds for which a private chat that was shut is taken to be so for words of the same key
TEXT = ("text", "parse_mode", "link_preview_options", "reply_markup")  # What an edit takes over of a post


async def render_private_reply(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The request by which the present way is gone."""
    match private_delivery.get_current_way(body):
        case private_delivery.ALERT:
            return await _alert(store, body)
        case private_delivery.EPHEMERAL:
            known = await store.read(
                lambda tx: (
                    _told(tx, body),
                    private.is_ephemeral_supported(tx, _chat(body), body["server"], now),
                )
            )
            return _ephemeral(body, *known)
        case private_delivery.PRIVATE:
            there, shut = await store.read(lambda tx: (_told(tx, body), _is_shut(tx, body, now)))
            return {"method": private_delivery.FALL_BACK} if shut else _private(body, there)
    return {"method": private_delivery.FALL_BACK}


def _is_shut(tx: Tx, body: dict[str, Any], now: float) -> bool:
    """Whether the private chat was shut a moment ago: a flood of words does not try that door each time."""
    key = _subject(body)
    return private.has_reply_waiting_since(tx, _chat(body), body["to"], key, now - SHUT)


def _subject(body: dict[str, Any]) -> str:
    """What a word is about: its own key, its round, or nothing that another word is about."""
    return body["key"] or (make_round_key(body["round"]) if body["round"] else UNRELATED_KEY)


def _chat(body: dict[str, Any]) -> int:
    return int(body["params"]["chat_id"])


def _told(tx: Tx, body: dict[str, Any]) -> SentReply | None:
    """The message that the request changes; None where it makes one."""
    return private.load_sent_reply(tx, _chat(body), body["to"], body["key"]) if body["key"] else None


async def _alert(store: Store, body: dict[str, Any]) -> dict[str, Any]:
    text = str(body["params"]["text"])
    names = await store.read(lambda tx: people.load_names(tx, list(find_mentions(text))))
    shown = strip_tags(insert_names(text, names))
    if len(shown) > private_delivery.MAX_ALERT_LENGTH:
        return {"method": private_delivery.FALL_BACK}
    params = {"callback_query_id": body["press"], "text": shown, "show_alert": True}
    return {"method": "answerCallbackQuery", "params": params}


def _ephemeral(body: dict[str, Any], there: SentReply | None, works: bool | None) -> dict[str, Any]:
    """A message that only the receiver sees: changed, new, or the trial whether the server knows such."""
    params, to = body["params"], body["to"]
    if works is False or (there is not None and there.message_id):
        return {"method": private_delivery.FALL_BACK}
    if there is not None and len(str(params["text"])) <= private_delivery.MAX_EDIT_LENGTH:
        which = {"chat_id": _chat(body), "receiver_user_id": to, "ephemeral_message_id": there.ephemeral_id}
        return {
            "method": private_delivery.EDIT_METHOD,
            "params": {**which, **_text(params)},
            "server": body["server"],
        }
    if not (body["open"] or body["admin"]):
        return {"method": private_delivery.FALL_BACK}
    if works is None:
        params = post_message(_chat(body), render_trial(get_words(body["language"]))).body["params"]
        about = f"{TRIAL_RECEIPT}:{_chat(body)}:{body['server']}"
        return _sent(body, {**params, **_topic(body)}, private_delivery.TRIAL, about)
    return _sent(body, params, private_delivery.EPHEMERAL, _about(body))


def _topic(body: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in body["params"].items() if k == "message_thread_id"}


def _sent(body: dict[str, Any], params: dict[str, Any], kind: str, about: str) -> dict[str, Any]:
    """The post, with what makes it ephemeral since Bot API 10.3."""
    receiver: dict[str, Any] = {"receiver_user_id": body["to"]}
    more: dict[str, Any] = {}
    if body["open"] and body["press"]:
        receiver["callback_query_id"] = body["press"]
    elif body["open"]:
        more["reply_parameters"] = {"ephemeral_message_id": body["reply"]}
    params = {**params, **more, "ephemeral_message_parameters": receiver}
    return {"method": "sendMessage", "params": params, "ephemeral": kind, "about": about}


def _about(body: dict[str, Any]) -> str:
    return f"{REPLY_RECEIPT}:{_chat(body)}:{body['to']}:{body['key']}" if body["key"] else ""


def _text(params: dict[str, Any]) -> dict[str, Any]:
    return {name: params[name] for name in TEXT if name in params}


def _private(body: dict[str, Any], there: SentReply | None) -> dict[str, Any]:
    """A message in the person's own chat, under a line that says what it is about."""
    shown = {**_text(body["params"]), "text": _headed(body)}
    if there is not None and there.message_id:
        params = {"chat_id": body["to"], "message_id": there.message_id, **shown}
        return {"method": "editMessageText", "params": params}
    return {"method": "sendMessage", "params": {"chat_id": body["to"], **shown}, "about": _about(body)}


def _headed(body: dict[str, Any]) -> str:
    text = str(body["params"]["text"])
    return f"{body['above']}\n{text}" if body["above"] else text


def make_fallback_requests(tx: Tx, body: dict[str, Any], why: str) -> list[Request]:
    """What is sent instead, where the present way failed."""
    if why == private_delivery.EDIT_FAILED:  # the message is gone: the same way leads to a new one
        private.delete_sent_reply(tx, _chat(body), body["to"], body["key"])
        return [Request(_lane(body), {k: v for k, v in body.items() if k != "doubt"})]
    if why == private_delivery.SERVER_TOO_OLD:
        private.record_ephemeral_failure(tx, body["server"], body["now"])
    after = private_delivery.drop_current_way(body)
    match private_delivery.get_current_way(after):
        case private_delivery.WAITING:
            return _waits(tx, after)
        case "":
            return []
    return [Request(_lane(after), after)]


def _lane(body: dict[str, Any]) -> int:
    """Where it waits for its turn: in the group's lane, where it is a message there."""
    return (
        _chat(body)
        if private_delivery.get_current_way(body) == private_delivery.EPHEMERAL
        else int(body["to"])
    )


def _waits(tx: Tx, body: dict[str, Any]) -> list[Request]:
    """Keep the word, and let the group see that one waits: once for each key, or in the round's message."""
    chat_id, key = _chat(body), _subject(body)
    waiting = {"text": _headed(body), "markup": body["params"].get("reply_markup")}
    own = private.find_unrelated_key(tx, chat_id, body["to"]) if key == UNRELATED_KEY else key
    private.store_waiting_reply(tx, chat_id, body["to"], own, waiting, body["now"])
    if body["round"]:
        return [show_round_by_id(chat_id, body["round"])]
    if not private.record_group_notice(tx, chat_id, key, body["now"]):
        return []
    text, keyboard = render_group_notice(
        get_words(body["language"]), people.load_fact(tx, people.USERNAME_FACT) or ""
    )
    topic = int(body["params"].get("message_thread_id", 0))
    return [post_message(chat_id, text, topic=topic, keyboard=keyboard)]


def record_reply_delivery(tx: Tx, message: DeliveredRequest) -> None:
    """A message with a key arrived: it can be changed from now on."""
    _, chat_id, player_id, key = message.about.split(":", 3)
    number, ephemeral = int(message.result["message_id"]), message.result.get("ephemeral_message_id") or 0
    place = int(chat_id) if ephemeral else int(player_id)
    told = SentReply(place, number, int(ephemeral))
    private.store_sent_reply(tx, int(chat_id), int(player_id), key, told, message.now)


def record_trial_delivery(tx: Tx, message: DeliveredRequest) -> None:
    """A trial was seen by its receiver alone."""
    _, chat_id, server = message.about.split(":", 2)
    private.record_ephemeral_success(tx, int(chat_id), server)


async def open_waiting_replies(context: Context) -> Effect:
    """The link of the message that says that words wait: they are told here."""
    return lambda tx: make_waiting_posts(context, tx) or [context.reply(render_nothing_waits(context.words))]


def make_waiting_posts(context: Context, tx: Tx) -> list[Request]:
    """All that waits for the person, told in their private chat."""
    if context.player is None or not context.chat.private:
        return []
    words_ = private.load_waiting_replies(tx, context.player.id)
    private.delete_waiting_replies(tx, context.player.id, words_)
    kept = [(w.chat_id, private.parse_key_number(w.key)) for w in words_ if _is_of_round(w)]
    shown = [show_round_by_id(chat_id, number) for chat_id, number in kept if number]
    return [*(_said(context.player.id, w) for w in words_), *shown]


def _is_of_round(word: WaitingReply) -> bool:
    return word.key.partition(":")[0] == ROUND_KEY


def _said(player_id: int, word: WaitingReply) -> Request:
    plain_word = _is_of_round(word) or word.key.partition(":")[0] == UNRELATED_KEY
    about = "" if plain_word else f"{REPLY_RECEIPT}:{word.chat_id}:{player_id}:{word.key}"
    request = post_message(player_id, Html(word.text), about=about)
    if word.markup:
        request.body["params"]["reply_markup"] = word.markup
    return request


async def press_reply_button(context: Context) -> Effect:
    """The button of a round's message, `wd:ROUND`: the word that waits for whoever pressed."""
    number = context.button_data.partition(":")[2]
    if context.player is None or not context.is_genuine_press or not number.isdecimal():
        return send_only(*context.answer_press(strip_tags(render_nothing_waits(context.words))))
    player_id, key = context.player.id, make_round_key(int(number))

    def effect(tx: Tx) -> list[Request]:
        words_ = private.load_waiting_replies(tx, player_id, (context.chat.id, key))
        if not words_:
            return context.answer_press(strip_tags(render_nothing_waits(context.words)))
        private.delete_waiting_replies(tx, player_id, words_)
        told = context.tell_privately(words_[0].text, round_id=int(number))
        silent = (
            []
            if private_delivery.get_current_way(told.body) == private_delivery.ALERT
            else context.answer_press()
        )
        return [told, *silent, show_round_by_id(context.chat.id, int(number))]

    return effect


ROUTES = Routes(
    buttons=[ButtonRoute("wd", press_reply_button)],
    deep_links={REPLIES_LINK: open_waiting_replies},
    renderers={TELL_PRIVATELY: render_private_reply},
    delivery_handlers={REPLY_RECEIPT: record_reply_delivery, TRIAL_RECEIPT: record_trial_delivery},
    fallback_handlers=[make_fallback_requests],
    timed_tasks=[make_hourly_cleanup("words that nobody asked for", private.delete_old_replies)],
)
