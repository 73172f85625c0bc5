"""/privacy, /export and /forgetme: what is kept of a person, for that person to see, take and take away."""

import json
from hashlib import sha256
from typing import Any

from bot.board import queries as pages
from bot.database import Store, Tx
from bot.durations import HOUR, MINUTE
from bot.i18n import Html, Words, get_words
from bot.players import queries as people
from bot.players.privacy import deletion_requests, queries
from bot.queue.admission import UpdateKind
from bot.queue.queries import SEND_PERSONAL_DATA
from bot.queue.timers import TimedTask, TimerContext
from bot.rounds.commands import refuse_old_button
from bot.telegram.context import Context, Effect, do_nothing, send_only
from bot.telegram.messages import Keyboard, Link, Request, edit_message, post_message
from bot.telegram.routes import ButtonRoute, CommandRoute, DeliveredRequest, Routes

FILE = "twenty-four.json"
# Buttons: forget me once my copy is here, forget me without it, keep everything.
SEND, WITHOUT, KEEP = "fm:y", "fm:w", "fm:n"
FORGETTING = {SEND, WITHOUT}
# Seconds for which somebody is not forgotten yet who was told that the file may not have come.
TIME_TO_ANSWER = 3600.0


async def show_privacy(context: Context) -> Effect:
    """What is kept, and how the board of all chats shows the caller."""

    def effect(tx: Tx) -> list[Request]:
        player, private = context.player, context.chat.private
        masked = player is None or people.is_name_masked(tx, player.id) if private else None
        text, keyboard = _page(context, masked)
        return [context.reply(text, keyboard=keyboard)]

    return effect


def _page(context: Context, masked: bool | None) -> tuple[Html, Keyboard]:
    """The text and its buttons; `masked` is None where more people than one read it."""
    say = context.words.translate
    lines = [
        say("Kept of you: your id, first name and username, your answers, points, rating and daily hands."),
        say("Other talk is never kept. Nothing is passed on to anybody."),
        say("/export hands you everything, /forgetme takes it away."),
    ]
    if masked is not None:
        lines.append(Html(_how_shown(context, masked=masked)))
    choices = [
        ("pv:m", context.words.translate_plain("Mask my name")),
        ("pv:u", context.words.translate_plain("Show my name")),
    ]
    chosen = {True: "pv:m", False: "pv:u"}.get(masked) if masked is not None else None
    row = [(f"✓ {label}" if data == chosen else label, data) for data, label in choices]
    return Html("\n".join(lines)), [row]


def _how_shown(context: Context, *, masked: bool) -> str:
    if masked:
        return context.words.translate_plain(
            "The board of all chats shows only the first letter of your name."
        )
    return context.words.translate_plain("The board of all chats shows your name.")


async def press_name_choice(context: Context) -> Effect:
    """A button under /privacy: whoever presses it is masked from now on, or shown."""
    player, message, choice = context.player, context.message, context.button_data
    if player is None or message is None or choice not in {"pv:m", "pv:u"} or not context.is_genuine_press:
        return refuse_old_button(context)

    def effect(tx: Tx) -> list[Request]:
        queries.store_name_choice(tx, player.id, is_shown=choice == "pv:u")
        shown = _how_shown(context, masked=choice == "pv:m")
        if not context.chat.private:
            return context.answer_press(shown)
        return [
            edit_message(context.chat.id, message.message_id, *_page(context, choice == "pv:m")),
            *context.answer_press(shown),
        ]

    return effect


async def send_export(context: Context) -> Effect:
    """Everything that is kept of the caller, as a file."""
    player = context.player
    if player is None:
        return do_nothing
    if not context.chat.private:
        return _in_private(context, "export")
    caption = context.words.translate_plain("This is everything that is kept of you.")

    def effect(tx: Tx) -> list[Request]:
        people.delete_inactive_player(
            tx, player.id
        )  # who asks is known while the answer is made, and not after it
        return [Request(player.id, _file(player.id, _text(tx, player.id), caption))]

    return effect


def _text(tx: Tx, player_id: int) -> str:
    return json.dumps(queries.load_export(tx, player_id), ensure_ascii=False, indent=1)


def _file(player_id: int, text: str, caption: str, about: str = "") -> dict[str, Any]:
    params = {"chat_id": player_id, "document": {"name": FILE, "text": text}, "caption": caption}
    return {"method": "sendDocument", "params": params, "about": about}


async def ask_to_forget(context: Context) -> Effect:
    """Ask whether the caller means it."""
    if context.player is None:
        return do_nothing
    if not context.chat.private:
        return _in_private(context, "forgetme")
    text = context.words.translate(
        "Your points, streaks and figures will be gone for good, in every chat. You get a copy of them first."
    )
    stays = context.words.translate(
        "What you were shown of live hands stays for 7 days and your last daily hands for 3,"
        " without your id or name."
    )
    text = Html(f"{text}\n\n{stays}")
    buttons = [
        [
            (context.words.translate_plain("Forget me"), SEND),
            (context.words.translate_plain("Keep everything"), KEEP),
        ]
    ]
    return send_only(context.reply(text, keyboard=buttons))


def _in_private(context: Context, door: str) -> Effect:
    address = Link(f"https://t.me/{context.services.me.username}?start={door}")
    text = context.words.translate("That is between you and me: here is the way.")
    return send_only(
        context.reply(text, keyboard=[[(context.words.translate_plain("Open our private chat"), address)]])
    )


async def press_forget_choice(context: Context) -> Effect:
    """The answer: the copy is sent, and once it has arrived the person is forgotten (see `arrived`)."""
    player, message, choice = context.player, context.message, context.button_data
    if player is None or message is None or not context.chat.private or not context.is_genuine_press:
        return refuse_old_button(context)

    def effect(tx: Tx) -> list[Request]:
        twice = choice == SEND and deletion_requests.is_request_waiting(tx, player.id, deletion_requests.COPY)
        if not twice:
            deletion_requests.delete_requests(tx, player.id)
        if choice in FORGETTING:
            queries.forget_username(tx, player.username)
        kept, gone = (
            context.words.translate("Everything is kept."),
            context.words.translate("You will be forgotten."),
        )
        shown = edit_message(context.chat.id, message.message_id, gone if choice in FORGETTING else kept)
        return [shown, *context.answer_press(), *([] if twice else _forgetting(context, player.id))]

    return effect


def _forgetting(context: Context, player_id: int) -> list[Request]:
    """What ends in the person being forgotten, once it has arrived."""
    if context.button_data == SEND:
        return [Request(player_id, deletion_requests.make_copy_request(player_id, context.words.language))]
    if context.button_data == WITHOUT:
        return [_last_word(player_id, context.words.translate("You are forgotten. Farewell!"))]
    return []


def _last_word(player_id: int, text: Html) -> Request:
    return post_message(player_id, text, about=f"{deletion_requests.LAST_WORD}:{player_id}")


async def render_copy(store: Store, request: dict[str, Any], _: float) -> dict[str, Any] | None:
    """The file as of now, with what was played meanwhile; None if it isn't wanted any more."""
    player_id, language = int(request["player"]), str(request["language"])
    caption = get_words(language).translate_plain(
        "This was kept of you. With this message it is gone. Farewell!"
    )

    def look(tx: Tx) -> str | None:
        return (
            _text(tx, player_id)
            if deletion_requests.is_request_waiting(tx, player_id, deletion_requests.COPY)
            else None
        )

    text = await store.read(look)
    if text is None:
        return None
    about = f"{request['about']}:{_digest(text)}:{language}"
    return _file(player_id, text, caption, about)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def record_delivery(tx: Tx, delivered: DeliveredRequest) -> None:
    """A request of a wish has arrived, and is not marked so yet: with the file or the last word, forget.

    Where something was played while the file was under way, another file is sent first.
    """
    kind, number, *file = delivered.about.split(":")
    player_id = int(number)
    if kind == deletion_requests.QUESTION:
        deletion_requests.mark_informed(tx, player_id, delivered.now)
    elif deletion_requests.is_request_waiting(tx, player_id, kind):
        if file and file[0] != _digest(_text(tx, player_id)):
            deletion_requests.enqueue_copy_again(tx, player_id, file[1], delivered.now)
        else:
            _forget(tx, player_id, delivered.now)


def _forget(tx: Tx, player_id: int, now: float) -> None:
    """Nothing is known of the person from now on."""
    queries.forget_player(tx, player_id)
    pages.close_pages(tx, player_id, now)


def continue_undelivered_requests(tx: Tx, now: float) -> list[Request]:
    """Go on with those to whom a request of their wish was not delivered."""
    return [
        outgoing
        for request in deletion_requests.load_undelivered_requests(tx)
        for outgoing in _gone_on(tx, request, now)
    ]


def _gone_on(tx: Tx, request: deletion_requests.UndeliveredRequest, now: float) -> list[Request]:
    """What follows a request of a wish that was not delivered.

    Whoever can't be reached is forgotten. Where the file may have come or not, the person is asked, and
    forgotten an hour after the question came, unless they want it otherwise. Where it can't come, the
    person is told.
    """
    since, speech = now - request.at, get_words(request.language)
    last = request.kind == deletion_requests.LAST_WORD
    if request.is_unreachable or last or (request.is_informed and since >= TIME_TO_ANSWER):
        _forget(tx, request.player_id, now)
    elif request.kind == deletion_requests.QUESTION and (
        not request.may_have_arrived or since >= TIME_TO_ANSWER
    ):
        deletion_requests.delete_request(tx, request)
        return [_last_word(request.player_id, _untaken(speech))] if not request.may_have_arrived else []
    elif (
        request.kind == deletion_requests.COPY
        and request.may_have_arrived
        and not deletion_requests.is_question_stored(tx, request.player_id)
    ):
        return [_question(request.player_id, speech)]
    elif request.kind == deletion_requests.COPY and not request.may_have_arrived and not request.is_informed:
        deletion_requests.delete_request(tx, request)
        return [_last_word(request.player_id, _untaken(speech))]
    return []


def _untaken(speech: Words) -> Html:
    return speech.translate(
        "Your copy can't be delivered: Telegram does not take it. With this message everything is gone."
        " Farewell!"
    )


def _question(player_id: int, speech: Words) -> Request:
    text = speech.translate(
        "I can't tell whether your copy has reached you."
        " In an hour you will be forgotten, unless you decide otherwise."
    )
    row = [(speech.translate_plain("Forget me"), WITHOUT), (speech.translate_plain("Send it again"), SEND)]
    keyboard = [row, [(speech.translate_plain("Keep everything"), KEEP)]]
    return post_message(player_id, text, keyboard=keyboard, about=f"{deletion_requests.QUESTION}:{player_id}")


async def _go_on(running: TimerContext, now: float) -> None:
    """See to those who asked to be forgotten and whose copy did not arrive."""
    if await running.store.read(lambda tx: bool(deletion_requests.load_undelivered_requests(tx))):
        await running.run_effect(lambda tx: continue_undelivered_requests(tx, now))


async def _scrub(running: TimerContext, _: float) -> bool:
    """Write the file anew if it may hold what was deleted; False if it doesn't."""
    if not await running.store.read(queries.has_traces):
        return False
    if await running.store.vacuum():
        await running.store.write(queries.clear_traces)
    return True


ROUTES = Routes(
    commands=[
        CommandRoute(
            "privacy",
            show_privacy,
            UpdateKind.QUESTION,
            lambda speech: speech.translate_plain("what is kept of you"),
        ),
        CommandRoute("export", send_export, UpdateKind.QUESTION),
        CommandRoute("forgetme", ask_to_forget, UpdateKind.QUESTION),
    ],
    buttons=[ButtonRoute("pv", press_name_choice), ButtonRoute("fm", press_forget_choice)],
    deep_links={"privacy": show_privacy, "export": send_export, "forgetme": ask_to_forget},
    renderers={SEND_PERSONAL_DATA: render_copy},
    delivery_handlers=dict.fromkeys(
        (deletion_requests.COPY, deletion_requests.QUESTION, deletion_requests.LAST_WORD), record_delivery
    ),
    timed_tasks=[
        TimedTask("farewells", MINUTE, _go_on),
        TimedTask("traces of what was deleted", HOUR, _scrub),
    ],
)
