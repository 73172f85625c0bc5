"""Tell one person of a group what nobody else may read, by the first way that is open.
`Context.tell_privately` lists the ways and stores the reply as a request. This module renders the request for
the present way when it is sent, and replaces it by one for the next way if that fails.
"""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.database import Store, Tx
from bot.i18n import Html, Words, find_mentions, get_words, insert_names, strip_tags
from bot.players import private_replies as queries
from bot.players import queries as people
from bot.players.private_replies import UNRELATED_KEY, make_round_key
from bot.queue.outgoing import TELL_PRIVATELY, Outgoing, PrivateReply, Way, WayClosedError
from bot.queue.rendering import RenderedRequest
from bot.queue.timers import make_hourly_cleanup
from bot.telegram.context import Context, Effect, Response, send_only
from bot.telegram.messages import MAX_ALERT_LENGTH, Link, answer_press, post_message, show_round
from bot.telegram.routes import ButtonRoute, DeliveredRequest, RenderContext, Routes

TRIAL_RECEIPT = "trial"  # The kind of the receipt of a trial


async def render_private_reply(context: RenderContext, request: Outgoing) -> RenderedRequest:
    """Render the request for the present way. Raises WayClosedError if the next one is to be taken."""
    private = _get_private(request)
    match private.way:
        case Way.ALERT:
            return RenderedRequest(await _render_alert(context.store, request, private))
        case Way.EPHEMERAL:
            chat_id = _get_chat(request)
            is_supported = await context.store.read(
                lambda tx: queries.is_ephemeral_supported(tx, chat_id, private.server, context.now)
            )
            return _render_ephemeral(request, private, is_supported)
        case Way.PRIVATE:
            return RenderedRequest(_make_private_post(private, request))
    raise WayClosedError


def _get_private(request: Outgoing) -> PrivateReply:
    if request.private is None:
        raise ValueError(f"{request.method} is told to nobody")
    return request.private


def _get_chat(request: Outgoing) -> int:
    return int(request.params["chat_id"])


async def _render_alert(store: Store, request: Outgoing, private: PrivateReply) -> Outgoing:
    """Render the answer to a press with the players' names. Raises WayClosedError if that is too long."""
    players = list(find_mentions(request.text))
    names = await store.read(lambda tx: people.load_names(tx, players))
    text = strip_tags(insert_names(request.text, names))
    if len(text) > MAX_ALERT_LENGTH:
        raise WayClosedError
    return answer_press(request.lane, private.press_id, text, alert=True)


def _render_ephemeral(request: Outgoing, private: PrivateReply, is_supported: bool | None) -> RenderedRequest:
    """Render an ephemeral message. Raises WayClosedError if none can be sent.

    While it is unknown whether the server supports them (None), render a trial that holds nothing secret.
    """
    can_be_sent = private.is_open or private.is_admin  # only an admin may still send one after the window
    if is_supported is False or not can_be_sent:
        raise WayClosedError
    if is_supported:
        return RenderedRequest(_make_ephemeral_post(private, request), is_ephemeral=True)
    # Everybody sees the trial if the server is too old
    text = get_words(private.language).translate("Nobody else sees what you answer secretly.")
    chat_id = _get_chat(request)
    about = f"{TRIAL_RECEIPT}:{chat_id}:{private.server}"
    trial = post_message(chat_id, f"🤫 {text}", topic=request.topic, about=about)
    return RenderedRequest(_make_ephemeral_post(private, trial), is_ephemeral=True, is_trial=True)


def _make_ephemeral_post(private: PrivateReply, message: Outgoing) -> Outgoing:
    """Return a post of the message that only the receiver sees (Bot API 10.3)."""
    receiver: dict[str, Any] = {"receiver_user_id": private.player_id}
    params = {**message.params, "ephemeral_message_parameters": receiver}
    if private.is_open and private.press_id:
        receiver["callback_query_id"] = private.press_id
    elif private.is_open:  # It answers an ephemeral command
        params["reply_parameters"] = {"ephemeral_message_id": private.ephemeral_id}
    return Outgoing(message.lane, "sendMessage", params, about=message.about)


def _make_private_post(private: PrivateReply, request: Outgoing) -> Outgoing:
    params = {"chat_id": private.player_id, "text": _add_heading(request)}
    for name in ("parse_mode", "link_preview_options", "reply_markup"):  # not the topic, which is the group's
        if name in request.params:
            params[name] = request.params[name]
    return Outgoing(private.player_id, "sendMessage", params)


def _add_heading(request: Outgoing) -> str:
    heading = _get_private(request).heading
    return f"{heading}\n{request.text}" if heading else request.text


def make_fallback_requests(tx: Tx, request: Outgoing, is_server_too_old: bool, now: float) -> list[Outgoing]:
    """Return the reply by its next way, or store one that has to wait; [] if no way is left."""
    if is_server_too_old:
        queries.record_ephemeral_failure(tx, _get_private(request).server, now)
    remaining = request.take_next_way()
    private = _get_private(remaining)
    match private.way:
        case "":
            return []
        case Way.WAITING:
            return _store_waiting_reply(tx, remaining, private, now)
        case Way.EPHEMERAL:  # it counts as a message in the group
            return [replace(remaining, lane=_get_chat(remaining))]
    return [replace(remaining, lane=private.player_id)]


def _store_waiting_reply(tx: Tx, request: Outgoing, private: PrivateReply, now: float) -> list[Outgoing]:
    """Store the reply, and show the group that one waits: in the round's message, or by a single notice."""
    chat_id = _get_chat(request)
    round_id = private.shown_key
    words = get_words(private.language)
    key = f"{UNRELATED_KEY}:{secrets.token_hex(8)}"  # Replaces no other reply
    if round_id:
        key = make_round_key(round_id)
    reply = queries.WaitingReply(chat_id, key, _add_heading(request), request.params.get("reply_markup"))
    queries.store_waiting_reply(tx, private.player_id, reply, now)
    if round_id:
        return [show_round(chat_id, round_id)]
    if not queries.record_group_notice(tx, chat_id, now):
        return []  # It has had the notice
    text = f"📬 {words.translate('Some of you have a private reply from me.')}"
    username = people.load_fact(tx, people.USERNAME_FACT)
    link = Link(f"https://t.me/{username}?start={REPLIES_LINK}")
    keyboard = [[(words.translate_plain("Read mine"), link)]]
    return [post_message(chat_id, text, topic=request.topic, keyboard=keyboard)]


def record_trial_delivery(tx: Tx, message: DeliveredRequest) -> None:
    """Store that ephemeral messages work in the chat and on the server of the trial."""
    _, chat_id, server = message.about.split(":", 2)
    queries.record_ephemeral_success(tx, int(chat_id), server)


async def show_waiting_replies(context: Context) -> Effect:
    """Post what waits for the sender in this private chat, or say that nothing does."""

    def effect(tx: Tx) -> Sequence[Response]:
        posts = take_waiting_posts(context, tx)
        return posts or [context.reply(render_nothing_waits(context.words))]

    return effect


def take_waiting_posts(context: Context, tx: Tx) -> list[Outgoing]:
    """Delete and return as posts what waits for the sender, and show the rounds anew; [] in a group."""
    if context.player is None or not context.chat.private:
        return []
    player_id = context.player.id
    replies = queries.load_waiting_replies(tx, player_id)
    queries.delete_waiting_replies(tx, player_id, replies)
    posts = list[Outgoing]()
    rounds = list[Outgoing]()  # Their messages name the players for whom a reply waits
    for reply in replies:
        post = post_message(player_id, Html(reply.text))
        if reply.markup:
            post = replace(post, params={**post.params, "reply_markup": reply.markup})
        posts.append(post)
        round_id = queries.parse_round_key(reply.key)
        if round_id:
            rounds.append(show_round(reply.chat_id, round_id))
    return [*posts, *rounds]


async def press_reply_button(context: Context) -> Effect:
    """Delete and tell what waits for the presser under a round (`wd:ROUND`), and show the round again."""
    number = context.button_argument
    nothing = context.answer_press(strip_tags(render_nothing_waits(context.words)))
    if context.player is None or not context.is_genuine_press or not number.isdecimal():
        return send_only(*nothing)
    player_id = context.player.id
    round_id = int(number)

    def effect(tx: Tx) -> list[Response]:
        replies = queries.load_waiting_replies(tx, player_id, (context.chat.id, make_round_key(round_id)))
        if not replies:
            return nothing
        queries.delete_waiting_replies(tx, player_id, replies)
        reply = context.tell_privately(replies[0].text, round_id=round_id)  # One at most waits for a round
        answer = [] if _is_alert(reply) else context.answer_press()  # An alert answers the press itself
        return [reply, *answer, show_round(context.chat.id, round_id)]

    return effect


def _is_alert(reply: Response) -> bool:
    return isinstance(reply, Outgoing) and _get_private(reply).way == Way.ALERT


REPLIES_LINK = "word"  # The payload of the link to what waits


def render_nothing_waits(words: Words) -> Html:
    return words.translate("No private reply is waiting for you.")


ROUTES = Routes(
    buttons=[ButtonRoute("wd", press_reply_button)],
    deep_links={REPLIES_LINK: show_waiting_replies},
    renderers={TELL_PRIVATELY: render_private_reply},
    delivery_handlers={TRIAL_RECEIPT: record_trial_delivery},
    timed_tasks=[make_hourly_cleanup("private replies that nobody read", queries.delete_old_replies)],
)
