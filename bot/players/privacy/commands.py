"""/privacy, /export and /forgetme: show, hand out and delete what is stored of a person."""

import json
from hashlib import sha256
from typing import Any

from bot.board import queries as pages
from bot.database import Store, Tx
from bot.durations import HOUR, MINUTE
from bot.i18n import Html, Words, get_words
from bot.players import queries as people
from bot.players.privacy import deletion_requests, queries
from bot.players.privacy.deletion_requests import COPY, INFORMED, LAST_MESSAGE, QUESTION, UndeliveredRequest
from bot.queue.admission import UpdateKind
from bot.queue.queries import DELETION_KINDS, SEND_PERSONAL_DATA
from bot.queue.timers import TimedTask, TimerContext
from bot.rounds.commands import refuse_old_button
from bot.telegram.context import Context, Effect, do_nothing, send_only
from bot.telegram.messages import Keyboard, Link, Request, edit_message, post_message
from bot.telegram.routes import ButtonRoute, CommandRoute, DeliveredRequest, Routes

MASK, SHOW = "pv:m", "pv:u"  # Buttons under /privacy


async def show_privacy(context: Context) -> Effect:
    """Reply with what is stored, and in private with how the leaderboard of all chats shows the sender."""

    def effect(tx: Tx) -> list[Request]:
        player = context.player if context.chat.private else None
        is_masked = people.is_name_masked(tx, player.id) if player else None
        text, keyboard = _render_privacy(context, is_masked)
        return [context.reply(text, keyboard=keyboard)]

    return effect


def _render_privacy(context: Context, is_masked: bool | None) -> tuple[Html, Keyboard]:
    """Return the text about stored data and its buttons; none is marked in a group: `is_masked` is None."""
    words = context.words
    lines = [
        words.translate(
            "Kept of you: your id, first name and username, your answers, points, rating and daily hands."
        ),
        words.translate("Other talk is never kept. Nothing is passed on to anybody."),
        words.translate("/export hands you everything, /forgetme takes it away."),
    ]
    mask_label = words.translate_plain("Mask my name")
    show_label = words.translate_plain("Show my name")
    if is_masked is not None:
        lines.append(Html(_render_masking(words, is_masked=is_masked)))
        mask_label = f"✓ {mask_label}" if is_masked else mask_label
        show_label = show_label if is_masked else f"✓ {show_label}"
    return Html("\n".join(lines)), [[(mask_label, MASK), (show_label, SHOW)]]


def _render_masking(words: Words, *, is_masked: bool) -> str:
    if is_masked:
        return words.translate_plain("The board of all chats shows only the first letter of your name.")
    return words.translate_plain("The board of all chats shows your name.")


async def press_name_choice(context: Context) -> Effect:
    """Mask or show the presser's name in the leaderboard of all chats."""
    player, message = context.player, context.message
    button = context.button_data
    if player is None or message is None or button not in {MASK, SHOW} or not context.is_genuine_press:
        return refuse_old_button(context)
    is_masked = button == MASK

    def effect(tx: Tx) -> list[Request]:
        queries.store_name_choice(tx, player.id, is_shown=not is_masked)
        confirmation = context.answer_press(_render_masking(context.words, is_masked=is_masked))
        if not context.chat.private:  # a group's message shows nobody's choice
            return confirmation
        text, keyboard = _render_privacy(context, is_masked)
        return [edit_message(context.chat.id, message.message_id, text, keyboard), *confirmation]

    return effect


async def send_export(context: Context) -> Effect:
    """Send the sender a file with everything that is stored of them."""
    player = context.player
    if player is None:
        return do_nothing
    if not context.chat.private:
        return _refer_to_private_chat(context, payload="export")
    caption = context.words.translate_plain("This is everything that is kept of you.")

    def effect(tx: Tx) -> list[Request]:
        people.delete_inactive_player(tx, player.id)  # stored a moment ago, with this very message
        file = _make_file(player.id, _make_export(tx, player.id), caption)
        return [Request(player.id, file)]

    return effect


def _make_export(tx: Tx, player_id: int) -> str:
    return json.dumps(queries.load_export(tx, player_id), ensure_ascii=False, indent=1)


def _make_file(player_id: int, text: str, caption: str, about: str = "") -> dict[str, Any]:
    """Return the body of a request that sends the text as a file; `about` names its delivery handler."""
    document = {"name": "twenty-four.json", "text": text}
    parameters = {"chat_id": player_id, "document": document, "caption": caption}
    return {"method": "sendDocument", "params": parameters, "about": about}


def _refer_to_private_chat(context: Context, payload: str) -> Effect:
    """Reply with a link that opens the private chat and sends the bot `payload`, which names a command."""
    link = Link(f"https://t.me/{context.services.me.username}?start={payload}")
    text = context.words.translate("That is between you and me: here is the way.")
    keyboard = [[(context.words.translate_plain("Open our private chat"), link)]]
    return send_only(context.reply(text, keyboard=keyboard))


FORGET_WITH_COPY, FORGET_WITHOUT_COPY, KEEP = "fm:y", "fm:w", "fm:n"  # Buttons of /forgetme


async def ask_to_forget(context: Context) -> Effect:
    """Ask whether the sender wants to be forgotten."""
    if context.player is None:
        return do_nothing
    if not context.chat.private:
        return _refer_to_private_chat(context, payload="forgetme")
    words = context.words
    text = words.translate(
        "Your points, streaks and figures will be gone for good, in every chat. You get a copy of them first."
    )
    stays = words.translate(
        "What you were shown of live hands stays for 7 days and your last daily hands for 3,"
        " without your id or name."
    )
    forget, keep = words.translate_plain("Forget me"), words.translate_plain("Keep everything")
    keyboard = [[(forget, FORGET_WITH_COPY), (keep, KEEP)]]
    return send_only(context.reply(Html(f"{text}\n\n{stays}"), keyboard=keyboard))


async def press_forget_choice(context: Context) -> Effect:
    """Start to forget the presser, with a copy of the data or without one; or withdraw all such requests."""
    player, message = context.player, context.message
    button = context.button_data
    if player is None or message is None or not context.chat.private or not context.is_genuine_press:
        return refuse_old_button(context)
    words = context.words

    def effect(tx: Tx) -> list[Request]:
        next_requests: list[Request] = []
        if button == KEEP:
            text = words.translate("Everything is kept.")
            deletion_requests.delete_requests(tx, player.id, *DELETION_KINDS)
        else:
            text = words.translate("You will be forgotten.")
            next_requests = _start_deletion(tx, player, words, with_copy=button == FORGET_WITH_COPY)
        edit = edit_message(context.chat.id, message.message_id, text)
        return [edit, *context.answer_press(), *next_requests]

    return effect


def _start_deletion(tx: Tx, player: people.Player, words: Words, *, with_copy: bool) -> list[Request]:
    """Forget the username now, and request the copy or the last message; its arrival deletes the person.

    It replaces the person's earlier requests. Empty if a copy is wanted and already waits to be sent.
    """
    queries.forget_username(tx, player.username)
    if with_copy and _is_copy_wanted(tx, player.id):
        return []
    deletion_requests.delete_requests(tx, player.id, *DELETION_KINDS)
    if with_copy:
        return [Request(player.id, deletion_requests.make_copy_request(player.id, words.language))]
    return [_make_last_message(player.id, words.translate("You are forgotten. Farewell!"))]


def _is_copy_wanted(tx: Tx, player_id: int) -> bool:
    return deletion_requests.is_request_stored(tx, player_id, COPY, "waiting")


def _make_last_message(player_id: int, text: Html) -> Request:
    return post_message(player_id, text, about=f"{LAST_MESSAGE}:{player_id}")


async def render_copy(store: Store, request: dict[str, Any], _: float) -> dict[str, Any] | None:
    """Return the request that sends the copy as of now; None if it is no longer wanted."""
    player_id = int(request["player"])
    language = str(request["language"])

    def load(tx: Tx) -> str | None:
        return _make_export(tx, player_id) if _is_copy_wanted(tx, player_id) else None

    text = await store.read(load)
    if text is None:
        return None
    caption = get_words(language).translate_plain(
        "This was kept of you. With this message it is gone. Farewell!"
    )
    # `record_delivery` compares the digest with the data that is stored when the copy has arrived.
    return _make_file(player_id, text, caption, about=f"{request['about']}:{_digest(text)}:{language}")


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def record_delivery(tx: Tx, delivered: DeliveredRequest) -> None:
    """Forget the person whose copy or last message arrived; if the copy is out of date, send another.

    When a question arrived, only record that the person was informed. Ignore requests that were taken back.
    """
    kind, number, *copy_parts = delivered.about.split(":")
    player_id = int(number)
    if kind == QUESTION:
        deletion_requests.mark_informed(tx, player_id, delivered.now)
        return
    if not deletion_requests.is_request_stored(tx, player_id, kind, "waiting"):
        return  # it was taken back
    if copy_parts:  # empty for a last message
        digest, language = copy_parts
        if digest != _digest(_make_export(tx, player_id)):
            deletion_requests.enqueue_copy_again(tx, player_id, language, delivered.now)
            return
    _forget(tx, player_id, delivered.now)


def _forget(tx: Tx, player_id: int, now: float) -> None:
    """Remove a person from every table, and close the person's board pages."""
    queries.forget_player(tx, player_id)
    pages.close_pages(tx, player_id, now)


async def _continue_deletions(timer: TimerContext, now: float) -> None:
    await timer.run_effect(lambda tx: continue_undelivered_requests(tx, now))


def continue_undelivered_requests(tx: Tx, now: float) -> list[Request]:
    """Take the next step for everybody whose request was not delivered."""
    next_requests = []
    for undelivered in deletion_requests.load_undelivered_requests(tx):
        next_requests += _take_next_step(tx, undelivered, now)
    return next_requests


TIME_TO_ANSWER = HOUR  # The question whether to go on with the deletion


def _take_next_step(tx: Tx, request: UndeliveredRequest, now: float) -> list[Request]:
    """Forget the person of an undelivered request, or return the question or last message to send.

    People who can't be reached, or not by the last message, are forgotten. If Telegram refuses the copy, they
    are told so, and forgotten. If the copy may have arrived, they are asked, and forgotten an hour later
    unless they decide otherwise.
    """
    player_id, kind = request.player_id, request.kind
    words = get_words(request.language)
    is_informed = request.trouble == INFORMED
    is_time_up = now - request.waits_since >= TIME_TO_ANSWER
    if request.is_unreachable or kind == LAST_MESSAGE or (is_informed and is_time_up):
        _forget(tx, player_id, now)
        return []
    if is_informed:
        return []
    if request.trouble.startswith("may have arrived"):  # as the outbox records it
        if kind == QUESTION and is_time_up:
            deletion_requests.delete_requests(tx, player_id, QUESTION)  # the copy's next turn asks again
        is_asked = deletion_requests.is_request_stored(tx, player_id, QUESTION, "waiting", "wish")
        if kind == QUESTION or is_asked:
            return []
        return [_make_question(player_id, words)]
    deletion_requests.delete_requests(tx, player_id, kind)  # Telegram refused it
    refused = words.translate(
        "Your copy can't be delivered: Telegram does not take it. With this message everything is gone."
        " Farewell!"
    )
    return [_make_last_message(player_id, refused)]


def _make_question(player_id: int, words: Words) -> Request:
    text = words.translate(
        "I can't tell whether your copy has reached you."
        " In an hour you will be forgotten, unless you decide otherwise."
    )
    keyboard = [
        [
            (words.translate_plain("Forget me"), FORGET_WITHOUT_COPY),
            (words.translate_plain("Send it again"), FORGET_WITH_COPY),
        ],
        [(words.translate_plain("Keep everything"), KEEP)],
    ]
    return post_message(player_id, text, keyboard=keyboard, about=f"{QUESTION}:{player_id}")


async def _vacuum_if_needed(timer: TimerContext, _: float) -> bool:
    """Rewrite the database file if its unused parts may hold deleted data; return False if they don't."""
    if await timer.store.read(lambda tx: people.load_fact(tx, queries.TRACES_FACT)) is None:
        return False  # Asked again at the next check, so that deleted data is gone soon
    if await timer.store.vacuum():
        await timer.store.write(lambda tx: people.delete_fact(tx, queries.TRACES_FACT))
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
    delivery_handlers=dict.fromkeys(DELETION_KINDS, record_delivery),
    timed_tasks=[
        TimedTask("farewells", MINUTE, _continue_deletions),
        TimedTask("traces of what was deleted", HOUR, _vacuum_if_needed),
    ],
)
