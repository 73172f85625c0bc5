"""Tell one person of a group what nobody else may read, by the first way that is open.
`Context.tell_privately` lists the ways and stores the reply as a request. This module renders the request for
the present way when it is sent, and replaces it by one for the next way if that fails.
"""

import secrets
from typing import Any

from bot.admin.private_replies import queries
from bot.admin.private_replies.queries import ROUND_KEY, UNRELATED_KEY, SentReply, make_round_key
from bot.database import Store, Tx
from bot.i18n import Html, Words, find_mentions, get_words, insert_names, strip_tags
from bot.players import queries as people
from bot.queue import private_delivery
from bot.queue.queries import TELL_PRIVATELY
from bot.queue.timers import make_hourly_cleanup
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Link, Request, post_message, show_round_by_id
from bot.telegram.routes import ButtonRoute, DeliveredRequest, Routes

REPLY_RECEIPT, TRIAL_RECEIPT = "one", "trial"  # Kinds of receipts
FALL_BACK = {"method": private_delivery.FALL_BACK}  # Rendered for a way that is not open


async def render_private_reply(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """Render the request for the present way, or the instruction to take the next one."""
    match private_delivery.get_current_way(body):
        case private_delivery.ALERT:
            return await _render_alert(store, body)
        case private_delivery.EPHEMERAL:
            sent, is_supported = await store.read(
                lambda tx: (
                    _load_sent_reply(tx, body),
                    queries.is_ephemeral_supported(tx, _get_chat(body), body["server"], now),
                )
            )
            return _render_ephemeral(body, sent, is_supported)
        case private_delivery.PRIVATE:
            sent = await store.read(lambda tx: _load_sent_reply(tx, body))
            content = {"chat_id": body["to"], **_pick_content(body["params"]), "text": _add_heading(body)}
            if sent is not None and sent.message_id:
                return {"method": "editMessageText", "params": {**content, "message_id": sent.message_id}}
            return {"method": "sendMessage", "params": content, "about": _make_about(body)}
    return FALL_BACK


def _get_chat(body: dict[str, Any]) -> int:
    return int(body["params"]["chat_id"])


def _make_about(body: dict[str, Any]) -> str:
    """Make the receipt by which a reply with a key can be changed later; empty for one without."""
    return f"{REPLY_RECEIPT}:{_get_chat(body)}:{body['to']}:{body['key']}" if body["key"] else ""


def _load_sent_reply(tx: Tx, body: dict[str, Any]) -> SentReply | None:
    """Return the message that the reply changes; None if it is a new message, as without a key."""
    return queries.load_sent_reply(tx, _get_chat(body), body["to"], body["key"]) if body["key"] else None


async def _render_alert(store: Store, body: dict[str, Any]) -> dict[str, Any]:
    """Render the answer to a press with the players' names; `FALL_BACK` if it is too long with them."""
    html = str(body["params"]["text"])
    names = await store.read(lambda tx: people.load_names(tx, list(find_mentions(html))))
    text = strip_tags(insert_names(html, names))
    if len(text) > private_delivery.MAX_ALERT_LENGTH:
        return FALL_BACK
    params = {"callback_query_id": body["press"], "text": text, "show_alert": True}
    return {"method": "answerCallbackQuery", "params": params}


def _render_ephemeral(
    body: dict[str, Any], sent: SentReply | None, is_supported: bool | None
) -> dict[str, Any]:
    """Render an edit, a new ephemeral message, a harmless one to try the server, or `FALL_BACK`."""
    params, chat_id = body["params"], _get_chat(body)
    is_sent_privately = sent is not None and sent.message_id != 0
    if is_supported is False or is_sent_privately:
        return FALL_BACK
    if sent is not None and len(str(params["text"])) <= private_delivery.MAX_EDIT_LENGTH:
        message = {"chat_id": chat_id, "receiver_user_id": body["to"]}
        message |= {"ephemeral_message_id": sent.ephemeral_id, **_pick_content(params)}
        return {"method": private_delivery.EDIT_METHOD, "params": message, "server": body["server"]}
    if not (body["open"] or body["admin"]):  # Too late to answer a press, and the bot is no administrator
        return FALL_BACK
    if is_supported is None:
        # Everybody sees it if the server is too old
        text = get_words(body["language"]).translate("What you answer secretly stays between you and me.")
        trial = post_message(chat_id, f"🤫 {text}").body["params"]
        if params.get("message_thread_id"):
            trial["message_thread_id"] = params["message_thread_id"]
        about = f"{TRIAL_RECEIPT}:{chat_id}:{body['server']}"
        return _make_ephemeral_post(body, trial, private_delivery.TRIAL, about)
    return _make_ephemeral_post(body, params, private_delivery.EPHEMERAL, _make_about(body))


def _make_ephemeral_post(
    body: dict[str, Any], params: dict[str, Any], kind: str, about: str
) -> dict[str, Any]:
    """Add the parameters that make a message ephemeral (Bot API 10.3)."""
    receiver: dict[str, Any] = {"receiver_user_id": body["to"]}
    params = {**params, "ephemeral_message_parameters": receiver}
    if body["open"] and body["press"]:
        receiver["callback_query_id"] = body["press"]
    elif body["open"]:
        params["reply_parameters"] = {"ephemeral_message_id": body["reply"]}
    return {"method": "sendMessage", "params": params, "ephemeral": kind, "about": about}


def _pick_content(params: dict[str, Any]) -> dict[str, Any]:
    """Return what an edit takes over from a post."""
    names = ("text", "parse_mode", "link_preview_options", "reply_markup")
    return {name: params[name] for name in names if name in params}


def _add_heading(body: dict[str, Any]) -> str:
    text = str(body["params"]["text"])
    return f"{body['above']}\n{text}" if body["above"] else text


def make_fallback_requests(tx: Tx, body: dict[str, Any], why: str) -> list[Request]:
    """Return what is sent in place of a reply whose present way failed; store one that now has to wait."""
    if why == private_delivery.EDIT_FAILED:  # The message is gone: the same way leads to a new one
        queries.delete_sent_reply(tx, _get_chat(body), body["to"], body["key"])
        # Without the mark that the delivery of the edit is uncertain
        return [Request(_get_lane(body), {k: v for k, v in body.items() if k != "doubt"})]
    if why == private_delivery.SERVER_TOO_OLD:
        queries.record_ephemeral_failure(tx, body["server"], body["now"])
    remaining = private_delivery.drop_current_way(body)
    way = private_delivery.get_current_way(remaining)
    if way == private_delivery.WAITING:
        return _store_waiting_reply(tx, remaining)
    return [Request(_get_lane(remaining), remaining)] if way else []


def _get_lane(body: dict[str, Any]) -> int:
    """Return the group for an ephemeral message, which counts there, else the person's own chat."""
    is_ephemeral = private_delivery.get_current_way(body) == private_delivery.EPHEMERAL
    return _get_chat(body) if is_ephemeral else int(body["to"])


def _store_waiting_reply(tx: Tx, body: dict[str, Any]) -> list[Request]:
    """Store the reply, and tell the group that one waits: in the round's message, or once for each key."""
    chat_id, round_id, words = _get_chat(body), body["round"], get_words(body["language"])
    key = f"{UNRELATED_KEY}:{secrets.token_hex(8)}"  # Replaces no other reply
    if body["key"]:
        key = body["key"]
    elif round_id:
        key = make_round_key(round_id)
    waiting = {"text": _add_heading(body), "markup": body["params"].get("reply_markup")}
    queries.store_waiting_reply(tx, chat_id, body["to"], key, waiting, body["now"])
    if round_id:
        return [show_round_by_id(chat_id, round_id)]
    if not queries.record_group_notice(tx, chat_id, body["key"] or UNRELATED_KEY, body["now"]):
        return []
    text = f"📬 {words.translate('I have a word for some of you that is not for everybody.')}"
    link = Link(f"https://t.me/{people.load_fact(tx, people.USERNAME_FACT)}?start={REPLIES_LINK}")
    keyboard = [[(words.translate_plain("Read mine"), link)]]
    topic = int(body["params"].get("message_thread_id", 0))
    return [post_message(chat_id, text, topic=topic, keyboard=keyboard)]


def record_reply_delivery(tx: Tx, message: DeliveredRequest) -> None:
    """Store the message of a reply with a key, so that it can be changed."""
    _, chat_id, player_id, key = message.about.split(":", 3)
    ephemeral_id = int(message.result.get("ephemeral_message_id") or 0)
    place_id = int(chat_id if ephemeral_id else player_id)
    sent = SentReply(place_id, int(message.result["message_id"]), ephemeral_id)
    queries.store_sent_reply(tx, int(chat_id), int(player_id), key, sent, message.now)


def record_trial_delivery(tx: Tx, message: DeliveredRequest) -> None:
    """Store that ephemeral messages work in the chat and on the server of the trial."""
    _, chat_id, server = message.about.split(":", 2)
    queries.record_ephemeral_success(tx, int(chat_id), server)


async def show_waiting_replies(context: Context) -> Effect:
    return lambda tx: take_waiting_posts(context, tx) or [context.reply(render_nothing_waits(context.words))]


def take_waiting_posts(context: Context, tx: Tx) -> list[Request]:
    """Delete and return as posts what waits for the sender, and show the rounds anew; [] in a group."""
    if context.player is None or not context.chat.private:
        return []
    player_id, posts, rounds = context.player.id, list[Request](), list[Request]()
    replies = queries.load_waiting_replies(tx, player_id)
    queries.delete_waiting_replies(tx, player_id, replies)
    for reply in replies:
        kind = reply.key.partition(":")[0]
        has_own_key = kind not in (ROUND_KEY, UNRELATED_KEY)
        about = f"{REPLY_RECEIPT}:{reply.chat_id}:{player_id}:{reply.key}" if has_own_key else ""
        post = post_message(player_id, Html(reply.text), about=about)
        if reply.markup:
            post.body["params"]["reply_markup"] = reply.markup
        posts.append(post)
        round_id = queries.parse_key_number(reply.key)
        if kind == ROUND_KEY and round_id:
            rounds.append(show_round_by_id(reply.chat_id, round_id))
    return [*posts, *rounds]


async def press_reply_button(context: Context) -> Effect:
    """Delete what waits for the presser under a round's message (`wd:ROUND`), and tell it to them."""
    number = context.button_data.partition(":")[2]
    nothing = context.answer_press(strip_tags(render_nothing_waits(context.words)))
    if context.player is None or not context.is_genuine_press or not number.isdecimal():
        return send_only(*nothing)
    player_id, round_id = context.player.id, int(number)

    def effect(tx: Tx) -> list[Request]:
        replies = queries.load_waiting_replies(tx, player_id, (context.chat.id, make_round_key(round_id)))
        if not replies:
            return nothing
        queries.delete_waiting_replies(tx, player_id, replies)
        reply = context.tell_privately(replies[0].text, round_id=round_id)
        is_alert = private_delivery.get_current_way(reply.body) == private_delivery.ALERT
        answer = [] if is_alert else context.answer_press()
        return [reply, *answer, show_round_by_id(context.chat.id, round_id)]

    return effect


REPLIES_LINK = "word"  # The payload of the link to what waits


def render_nothing_waits(words: Words) -> Html:
    return words.translate("No word waits for you.")


ROUTES = Routes(
    buttons=[ButtonRoute("wd", press_reply_button)],
    deep_links={REPLIES_LINK: show_waiting_replies},
    renderers={TELL_PRIVATELY: render_private_reply},
    delivery_handlers={REPLY_RECEIPT: record_reply_delivery, TRIAL_RECEIPT: record_trial_delivery},
    fallback_handlers=[make_fallback_requests],
    timed_tasks=[make_hourly_cleanup("words that nobody asked for", queries.delete_old_replies)],
)
