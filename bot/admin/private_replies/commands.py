"""Tell one person of a group what nobody else may read, by the first way that is open.
`Context.tell_privately` lists the ways and stores the reply as a request. This module renders the request for
the present way when it is sent, and replaces it by one for the next way if that fails.
"""

import secrets
from typing import Any

from bot.admin.private_replies import queries
from bot.admin.private_replies.queries import UNRELATED_KEY, make_round_key
from bot.database import Store, Tx
from bot.i18n import Html, Words, find_mentions, get_words, insert_names, strip_tags
from bot.players import queries as people
from bot.queue import private_delivery
from bot.queue.queries import TELL_PRIVATELY
from bot.queue.timers import make_hourly_cleanup
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Link, Request, post_message, show_round_by_id
from bot.telegram.routes import ButtonRoute, DeliveredRequest, Routes

TRIAL_RECEIPT = "trial"  # The kind of the receipt of a trial
FALL_BACK = {"method": private_delivery.FALL_BACK}  # Rendered for a way that is not open


async def render_private_reply(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """Render the request for the present way, or the instruction to take the next one."""
    match private_delivery.get_current_way(body):
        case private_delivery.ALERT:
            return await _render_alert(store, body)
        case private_delivery.EPHEMERAL:
            is_supported = await store.read(
                lambda tx: queries.is_ephemeral_supported(tx, _get_chat(body), body["server"], now)
            )
            return _render_ephemeral(body, is_supported)
        case private_delivery.PRIVATE:
            # Not the topic, which belongs to the group
            copied = ("text", "parse_mode", "link_preview_options", "reply_markup")
            params = {name: body["params"][name] for name in copied if name in body["params"]}
            params |= {"chat_id": body["to"], "text": _add_heading(body)}
            return {"method": "sendMessage", "params": params}
    return FALL_BACK


def _get_chat(body: dict[str, Any]) -> int:
    return int(body["params"]["chat_id"])


async def _render_alert(store: Store, body: dict[str, Any]) -> dict[str, Any]:
    """Render the answer to a press with the players' names; `FALL_BACK` if it is too long with them."""
    html = str(body["params"]["text"])
    names = await store.read(lambda tx: people.load_names(tx, list(find_mentions(html))))
    text = strip_tags(insert_names(html, names))
    if len(text) > private_delivery.MAX_ALERT_LENGTH:
        return FALL_BACK
    params = {"callback_query_id": body["press"], "text": text, "show_alert": True}
    return {"method": "answerCallbackQuery", "params": params}


def _render_ephemeral(body: dict[str, Any], is_supported: bool | None) -> dict[str, Any]:
    """Render an ephemeral message, or `FALL_BACK` if none can be sent.

    While it is unknown whether the server supports them, render a trial that holds nothing secret.
    """
    is_answer_late = not body["open"]  # Then only an administrator may still send one
    if is_supported is False or (is_answer_late and not body["admin"]):
        return FALL_BACK
    chat_id, params = _get_chat(body), body["params"]
    if is_supported:
        return _make_ephemeral_post(body, params, private_delivery.EPHEMERAL)
    # Everybody sees the trial if the server is too old
    text = get_words(body["language"]).translate("What you answer secretly stays between you and me.")
    topic = int(params.get("message_thread_id", 0))
    trial = post_message(chat_id, f"🤫 {text}", topic=topic).body["params"]
    about = f"{TRIAL_RECEIPT}:{chat_id}:{body['server']}"
    return {**_make_ephemeral_post(body, trial, private_delivery.TRIAL), "about": about}


def _make_ephemeral_post(body: dict[str, Any], params: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return a post with `params` that only the receiver sees (Bot API 10.3)."""
    receiver: dict[str, Any] = {"receiver_user_id": body["to"]}
    params = {**params, "ephemeral_message_parameters": receiver}
    is_in_time = body["open"]
    if is_in_time and body["press"]:
        receiver["callback_query_id"] = body["press"]
    elif is_in_time:  # It answers an ephemeral command
        params["reply_parameters"] = {"ephemeral_message_id": body["reply"]}
    return {"method": "sendMessage", "params": params, "ephemeral": kind}


def _add_heading(body: dict[str, Any]) -> str:
    text = str(body["params"]["text"])
    return f"{body['above']}\n{text}" if body["above"] else text


def make_fallback_requests(tx: Tx, body: dict[str, Any], why: str) -> list[Request]:
    """Return the reply by its next way, or store one that has to wait; [] if no way is left."""
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
    """Store the reply, and show the group that one waits: in the round's message, or by a single notice."""
    chat_id, round_id, words = _get_chat(body), body["round"], get_words(body["language"])
    key = make_round_key(round_id)
    if not round_id:
        key = f"{UNRELATED_KEY}:{secrets.token_hex(8)}"  # Replaces no other reply
    waiting = {"text": _add_heading(body), "markup": body["params"].get("reply_markup")}
    queries.store_waiting_reply(tx, chat_id, body["to"], key, waiting, body["now"])
    if round_id:
        return [show_round_by_id(chat_id, round_id)]
    if not queries.record_group_notice(tx, chat_id, body["now"]):
        return []  # It has had the notice
    text = f"📬 {words.translate('I have a word for some of you that is not for everybody.')}"
    link = Link(f"https://t.me/{people.load_fact(tx, people.USERNAME_FACT)}?start={REPLIES_LINK}")
    keyboard = [[(words.translate_plain("Read mine"), link)]]
    topic = int(body["params"].get("message_thread_id", 0))
    return [post_message(chat_id, text, topic=topic, keyboard=keyboard)]


def record_trial_delivery(tx: Tx, message: DeliveredRequest) -> None:
    """Store that ephemeral messages work in the chat and on the server of the trial."""
    _, chat_id, server = message.about.split(":", 2)
    queries.record_ephemeral_success(tx, int(chat_id), server)


async def show_waiting_replies(context: Context) -> Effect:
    """Post what waits for the sender in this private chat, or say that nothing does."""
    return lambda tx: take_waiting_posts(context, tx) or [context.reply(render_nothing_waits(context.words))]


def take_waiting_posts(context: Context, tx: Tx) -> list[Request]:
    """Delete and return as posts what waits for the sender, and show the rounds anew; [] in a group."""
    if context.player is None or not context.chat.private:
        return []
    player_id = context.player.id
    replies = queries.load_waiting_replies(tx, player_id)
    queries.delete_waiting_replies(tx, player_id, replies)
    posts = list[Request]()
    rounds = list[Request]()  # Their messages name the players for whom a reply waits
    for reply in replies:
        post = post_message(player_id, Html(reply.text))
        if reply.markup:
            post.body["params"]["reply_markup"] = reply.markup
        posts.append(post)
        round_id = queries.parse_round_key(reply.key)
        if round_id:
            rounds.append(show_round_by_id(reply.chat_id, round_id))
    return [*posts, *rounds]


async def press_reply_button(context: Context) -> Effect:
    """Delete what waits for the presser under a round's message (`wd:ROUND`), and tell it to them."""
    number = context.button_argument
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
        answer = [] if is_alert else context.answer_press()  # An alert answers the press itself
        return [reply, *answer, show_round_by_id(context.chat.id, round_id)]

    return effect


REPLIES_LINK = "word"  # The payload of the link to what waits


def render_nothing_waits(words: Words) -> Html:
    return words.translate("No word waits for you.")


ROUTES = Routes(
    buttons=[ButtonRoute("wd", press_reply_button)],
    deep_links={REPLIES_LINK: show_waiting_replies},
    renderers={TELL_PRIVATELY: render_private_reply},
    delivery_handlers={TRIAL_RECEIPT: record_trial_delivery},
    fallback_handlers=[make_fallback_requests],
    timed_tasks=[make_hourly_cleanup("words that nobody asked for", queries.delete_old_replies)],
)
