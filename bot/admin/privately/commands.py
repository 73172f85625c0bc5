"""Tells one person of a group what nobody else may read, by the first way that is open.

`Context.to_one` says which ways there are, `delivery.secret` why; here each is drawn when its turn comes, and
followed by the next where it failed.
"""

from typing import Any

from bot.admin.privately import queries as private
from bot.admin.privately import view
from bot.admin.privately.queries import ROUND, WORD, Told, Waiting, key_of
from bot.database import Store, Tx
from bot.i18n import Html, mentioned, named, plain, words
from bot.players import queries as people
from bot.queue import secret
from bot.queue.queries import TO_ONE
from bot.queue.timers import hourly
from bot.telegram.context import Context, Effect, saying
from bot.telegram.messages import Request, post, show_again
from bot.telegram.routes import Button, Delivered, Routes

TOLD, TRIED = "one", "trial"  # Kinds of receipts
SHUT = 60.0  # Seconds for which a private chat that was shut is taken to be so for words of the same key
TEXT = ("text", "parse_mode", "link_preview_options", "reply_markup")  # What an edit takes over of a post


async def drawn(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The request by which the present way is gone."""
    match secret.way(body):
        case secret.ALERT:
            return await _alert(store, body)
        case secret.EPHEMERAL:
            known = await store.read(
                lambda tx: (_told(tx, body), private.works(tx, _chat(body), body["server"], now))
            )
            return _ephemeral(body, *known)
        case secret.PRIVATE:
            there, shut = await store.read(lambda tx: (_told(tx, body), _is_shut(tx, body, now)))
            return {"method": secret.FALLS} if shut else _private(body, there)
    return {"method": secret.FALLS}


def _is_shut(tx: Tx, body: dict[str, Any], now: float) -> bool:
    """Whether the private chat was shut a moment ago: a flood of words does not try that door each time."""
    key = _subject(body)
    return private.waits_since(tx, _chat(body), body["to"], key, now - SHUT)


def _subject(body: dict[str, Any]) -> str:
    """What a word is about: its own key, its round, or nothing that another word is about."""
    return body["key"] or (key_of(body["round"]) if body["round"] else WORD)


def _chat(body: dict[str, Any]) -> int:
    return int(body["params"]["chat_id"])


def _told(tx: Tx, body: dict[str, Any]) -> Told | None:
    """The message that the request changes; None where it makes one."""
    return private.told(tx, _chat(body), body["to"], body["key"]) if body["key"] else None


async def _alert(store: Store, body: dict[str, Any]) -> dict[str, Any]:
    text = str(body["params"]["text"])
    names = await store.read(lambda tx: people.names(tx, list(mentioned(text))))
    shown = plain(named(text, names))
    if len(shown) > secret.MOST_ALERT:
        return {"method": secret.FALLS}
    params = {"callback_query_id": body["press"], "text": shown, "show_alert": True}
    return {"method": "answerCallbackQuery", "params": params}


def _ephemeral(body: dict[str, Any], there: Told | None, works: bool | None) -> dict[str, Any]:
    """A message that only the receiver sees: changed, new, or the trial whether the server knows such."""
    params, to = body["params"], body["to"]
    if works is False or (there is not None and there.message_id):
        return {"method": secret.FALLS}
    if there is not None and len(str(params["text"])) <= secret.MOST_EDIT:
        which = {"chat_id": _chat(body), "receiver_user_id": to, "ephemeral_message_id": there.ephemeral_id}
        return {"method": secret.EDIT, "params": {**which, **_text(params)}, "server": body["server"]}
    if not (body["open"] or body["admin"]):
        return {"method": secret.FALLS}
    if works is None:
        params = post(_chat(body), view.trial(words(body["language"]))).body["params"]
        about = f"{TRIED}:{_chat(body)}:{body['server']}"
        return _sent(body, {**params, **_topic(body)}, secret.TRIAL, about)
    return _sent(body, params, secret.EPHEMERAL, _about(body))


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
    return f"{TOLD}:{_chat(body)}:{body['to']}:{body['key']}" if body["key"] else ""


def _text(params: dict[str, Any]) -> dict[str, Any]:
    return {name: params[name] for name in TEXT if name in params}


def _private(body: dict[str, Any], there: Told | None) -> dict[str, Any]:
    """A message in the person's own chat, under a line that says what it is about."""
    shown = {**_text(body["params"]), "text": _headed(body)}
    if there is not None and there.message_id:
        params = {"chat_id": body["to"], "message_id": there.message_id, **shown}
        return {"method": "editMessageText", "params": params}
    return {"method": "sendMessage", "params": {"chat_id": body["to"], **shown}, "about": _about(body)}


def _headed(body: dict[str, Any]) -> str:
    text = str(body["params"]["text"])
    return f"{body['above']}\n{text}" if body["above"] else text


def fallen(tx: Tx, body: dict[str, Any], why: str) -> list[Request]:
    """What is sent instead, where the present way failed."""
    if why == secret.CHANGED:  # the message is gone: the same way leads to a new one
        private.forget_message(tx, _chat(body), body["to"], body["key"])
        return [Request(_lane(body), {k: v for k, v in body.items() if k != "doubt"})]
    if why == secret.PUBLIC:
        private.seen_to_fail(tx, body["server"], body["now"])
    after = secret.left(body)
    match secret.way(after):
        case secret.WAITING:
            return _waits(tx, after)
        case "":
            return []
    return [Request(_lane(after), after)]


def _lane(body: dict[str, Any]) -> int:
    """Where it waits for its turn: in the group's lane, where it is a message there."""
    return _chat(body) if secret.way(body) == secret.EPHEMERAL else int(body["to"])


def _waits(tx: Tx, body: dict[str, Any]) -> list[Request]:
    """Keep the word, and let the group see that one waits: once for each key, or in the round's message."""
    chat_id, key = _chat(body), _subject(body)
    waiting = {"text": _headed(body), "markup": body["params"].get("reply_markup")}
    own = private.next_word(tx, chat_id, body["to"]) if key == WORD else key
    private.keep_waiting(tx, chat_id, body["to"], own, waiting, body["now"])
    if body["round"]:
        return [show_again(chat_id, body["round"])]
    if not private.point(tx, chat_id, key, body["now"]):
        return []
    text, keyboard = view.pointer(words(body["language"]), people.fact(tx, people.USERNAME) or "")
    topic = int(body["params"].get("message_thread_id", 0))
    return [post(chat_id, text, topic=topic, keyboard=keyboard)]


def arrived(tx: Tx, message: Delivered) -> None:
    """A message with a key arrived: it can be changed from now on."""
    _, chat_id, player_id, key = message.about.split(":", 3)
    number, ephemeral = int(message.result["message_id"]), message.result.get("ephemeral_message_id") or 0
    place = int(chat_id) if ephemeral else int(player_id)
    told = Told(place, number, int(ephemeral))
    private.remember_message(tx, int(chat_id), int(player_id), key, told, message.now)


def tried(tx: Tx, message: Delivered) -> None:
    """A trial was seen by its receiver alone."""
    _, chat_id, server = message.about.split(":", 2)
    private.seen_to_work(tx, int(chat_id), server)


async def word(context: Context) -> Effect:
    """The link of the message that says that words wait: they are told here."""
    return lambda tx: said_here(context, tx) or [context.say(view.nothing_waits(context.words))]


def said_here(context: Context, tx: Tx) -> list[Request]:
    """All that waits for the person, told in their private chat."""
    if context.player is None or not context.chat.private:
        return []
    words_ = private.waiting(tx, context.player.id)
    private.heard(tx, context.player.id, words_)
    kept = [(w.chat_id, private.number_of(w.key)) for w in words_ if _is_of_round(w)]
    shown = [show_again(chat_id, number) for chat_id, number in kept if number]
    return [*(_said(context.player.id, w) for w in words_), *shown]


def _is_of_round(word: Waiting) -> bool:
    return word.key.partition(":")[0] == ROUND


def _said(player_id: int, word: Waiting) -> Request:
    plain_word = _is_of_round(word) or word.key.partition(":")[0] == WORD
    about = "" if plain_word else f"{TOLD}:{word.chat_id}:{player_id}:{word.key}"
    request = post(player_id, Html(word.text), about=about)
    if word.markup:
        request.body["params"]["reply_markup"] = word.markup
    return request


async def pressed(context: Context) -> Effect:
    """The button of a round's message, `wd:ROUND`: the word that waits for whoever pressed."""
    number = context.pressed.partition(":")[2]
    if context.player is None or not context.offered or not number.isdecimal():
        return saying(*context.answer(plain(view.nothing_waits(context.words))))
    player_id, key = context.player.id, key_of(int(number))

    def effect(tx: Tx) -> list[Request]:
        words_ = private.waiting(tx, player_id, (context.chat.id, key))
        if not words_:
            return context.answer(plain(view.nothing_waits(context.words)))
        private.heard(tx, player_id, words_)
        told = context.to_one(words_[0].text, round_id=int(number))
        silent = [] if secret.way(told.body) == secret.ALERT else context.answer()
        return [told, *silent, show_again(context.chat.id, int(number))]

    return effect


ROUTES = Routes(
    buttons=[Button("wd", pressed)],
    doors={view.WORD: word},
    draws={TO_ONE: drawn},
    receipts={TOLD: arrived, TRIED: tried},
    falling=[fallen],
    timed=[hourly("words that nobody asked for", private.sweep)],
)
