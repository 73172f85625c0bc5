"""/privacy, /export and /forgetme: show, hand out and delete what is stored of a person."""

from collections.abc import Callable

from sqlalchemy import ColumnElement, and_, delete, or_, select

from bot.admin.privacy import queries
from bot.database import Tx
from bot.database.schema import outbox
from bot.durations import HOUR, MINUTE
from bot.i18n import Html, Words, get_words, translate_later
from bot.players import queries as people
from bot.players.choices import tick
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import Outgoing, decode
from bot.queue.queries import DELETION_KINDS
from bot.queue.rendering import RenderedRequest
from bot.queue.timers import TimedTask, TimerContext
from bot.rounds.commands import refuse_old_button
from bot.telegram.context import Context, Effect, Response, do_nothing, send_only
from bot.telegram.messages import Keyboard, Link, post_message
from bot.telegram.routes import ButtonRoute, CommandRoute, DeliveredRequest, RenderContext, Routes

MASK, SHOW = "pv:m", "pv:u"  # Buttons under /privacy


async def show_privacy(context: Context) -> Effect:
    """Reply with what is stored, and in private with how the leaderboard of all chats shows the sender."""

    def effect(tx: Tx) -> list[Response]:
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
            "Stored about you: your id, first name and username, answers, points, rating and daily hands."
        ),
        words.translate("Other messages are never stored. Nothing is passed on to anybody."),
        words.translate("/export sends you everything, /forgetme deletes it."),
    ]
    if is_masked is not None:
        lines.append(Html(_render_masking(words, is_masked=is_masked)))
    mask_label = tick(words.translate_plain("Mask my name"), is_on=is_masked is True)
    show_label = tick(words.translate_plain("Show my name"), is_on=is_masked is False)
    return Html("\n".join(lines)), [[(mask_label, MASK), (show_label, SHOW)]]


def _render_masking(words: Words, *, is_masked: bool) -> str:
    if is_masked:
        return words.translate_plain("The board of all chats shows only the first letter of your name.")
    return words.translate_plain("The board of all chats shows your name.")


async def press_name_choice(context: Context) -> Effect:
    """Mask or show the presser's name in the leaderboard of all chats."""
    player = context.player
    button = context.button_data
    is_valid = context.message is not None and button in {MASK, SHOW} and context.is_genuine_press
    if player is None or not is_valid:
        return refuse_old_button(context)
    is_masked = button == MASK

    def effect(tx: Tx) -> list[Response]:
        queries.store_name_choice(tx, player.id, is_shown=not is_masked)
        confirmation = context.answer_press(_render_masking(context.words, is_masked=is_masked))
        if not context.chat.private:  # a group's message shows nobody's choice
            return confirmation
        text, keyboard = _render_privacy(context, is_masked)
        return [context.edit(text, keyboard=keyboard), *confirmation]

    return effect


async def send_export(context: Context) -> Effect:
    """Send the sender a file with everything that is stored of them."""
    player = context.player
    if player is None:
        return do_nothing
    if not context.chat.private:
        return _refer_to_private_chat(context, payload="export")
    caption = context.words.translate_plain("This is everything that is stored about you.")

    def effect(tx: Tx) -> list[Outgoing]:
        people.delete_inactive_player(tx, player.id)  # stored a moment ago, with this very message
        return [_make_file(player.id, queries.load_export(tx, player.id), caption)]

    return effect


def _make_file(player_id: int, text: str, caption: str, about: str = "") -> Outgoing:
    """Request that the text be sent as a file; `about` names its delivery handler."""
    document = {"name": "twenty-four.json", "text": text}
    parameters = {"chat_id": player_id, "document": document, "caption": caption}
    return Outgoing(player_id, "sendDocument", parameters, about=about)


def _refer_to_private_chat(context: Context, payload: str) -> Effect:
    """Reply with a link that opens the private chat and sends the bot `payload`, which names a command."""
    link = Link(f"https://t.me/{context.services.me.username}?start={payload}")
    text = context.words.translate("Let’s continue in private: press the button.")
    keyboard = [[(context.words.translate_plain("Open our private chat"), link)]]
    return send_only(context.reply(text, keyboard=keyboard))


FORGET, KEEP = "fm:y", "fm:n"  # Buttons of /forgetme


async def ask_to_forget(context: Context) -> Effect:
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
    keyboard = [[(forget, FORGET), (keep, KEEP)]]
    return send_only(context.reply(Html(f"{text}\n\n{stays}"), keyboard=keyboard))


async def press_forget_choice(context: Context) -> Effect:
    """Start to forget the presser, or withdraw what was started."""
    player = context.player
    button = context.button_data
    if player is None or context.message is None or not context.chat.private or not context.is_genuine_press:
        return refuse_old_button(context)
    words = context.words

    def effect(tx: Tx) -> list[Response]:
        next_requests: list[Outgoing] = []
        if button == KEEP:
            text = words.translate("Nothing was deleted.")
            _delete_requests(tx, player.id)
        else:
            text = words.translate("You will be forgotten.")
            next_requests = _start_deletion(tx, player, words.language)
        return [context.edit(text), *context.answer_press(), *next_requests]

    return effect


# A person is forgotten once a copy of the stored data, or a last message, has arrived. Its request waits
# in the outbox like any other, and stays there in the state *wish* if it was refused or may not have arrived.
COPY, LAST_MESSAGE = DELETION_KINDS
SEND_COPY = "hand over"  # The method of a request for the copy


def _start_deletion(tx: Tx, player: people.Player, language: str) -> list[Outgoing]:
    """Forget the username now, and request the copy, whose arrival deletes the person.

    Empty if a copy already waits to be sent.
    """
    queries.forget_username(tx, player.username)
    if _is_waiting(tx, player.id, COPY):
        return []
    _delete_requests(tx, player.id)
    return [make_copy_request(player.id, language)]


def _is_request_of(player_id: int, *kinds: str) -> ColumnElement[bool]:
    """Return the condition that a row of the outbox is a person's request of one of these kinds."""
    marks = (f'"about": "{kind}:{player_id}"' for kind in kinds)
    any_mark = or_(*(outbox.c.body.contains(mark, autoescape=True) for mark in marks))
    return and_(outbox.c.lane == player_id, any_mark)


def _is_waiting(tx: Tx, player_id: int, kind: str) -> bool:
    """Whether a person's request of that kind waits to be sent."""
    waiting = select(outbox.c.id).where(_is_request_of(player_id, kind), outbox.c.state == "waiting")
    return tx.execute(waiting).first() is not None


def _delete_requests(tx: Tx, player_id: int) -> None:
    """Delete a person's requests, waiting or undelivered."""
    tx.execute(delete(outbox).where(_is_request_of(player_id, *DELETION_KINDS)))


def make_copy_request(player_id: int, language: str) -> Outgoing:
    """Make a request whose copy is rendered when it is sent."""
    params = {"player": player_id, "language": language}
    return Outgoing(player_id, SEND_COPY, params, about=f"{COPY}:{player_id}")


async def render_copy(context: RenderContext, request: Outgoing) -> RenderedRequest | None:
    """Return the request that sends the copy as of now; None if it is no longer wanted."""
    player_id, language = int(request.params["player"]), str(request.params["language"])

    def load(tx: Tx) -> str | None:
        return queries.load_export(tx, player_id) if _is_waiting(tx, player_id, COPY) else None

    text = await context.store.read(load)
    if text is None:
        return None
    caption = get_words(language).translate_plain(
        "This was stored about you. With this message it is deleted. Goodbye!"
    )
    return RenderedRequest(_make_file(player_id, text, caption, request.about))


def record_delivery(tx: Tx, delivered: DeliveredRequest) -> None:
    """Forget the person whose copy or last message arrived, unless the request was taken back."""
    kind, number = delivered.about.split(":")
    if _is_waiting(tx, int(number), kind):
        _forget(tx, int(number), delivered.now)


# Called with the id of each forgotten person and the time; `bot.features` fills the list
FORGET_HANDLERS: list[Callable[[Tx, int, float], None]] = []


def _forget(tx: Tx, player_id: int, now: float) -> None:
    queries.forget_player(tx, player_id)
    for handle_forget in FORGET_HANDLERS:
        handle_forget(tx, player_id, now)


def continue_undelivered_requests(tx: Tx, now: float) -> list[Outgoing]:
    """Forget those who can't be reached, or not by the last message; return the next requests to others."""
    next_requests = []
    for row in tx.execute(select(outbox).where(outbox.c.state == "wish")).all():
        request, trouble = decode(row.lane, row.body), row.trouble or ""
        if request is None:
            continue
        if request.about_kind != COPY or _is_unreachable(trouble):
            _forget(tx, request.lane, now)
        else:
            _delete_requests(tx, request.lane)
            next_requests.append(_make_next_request(request, trouble))
    return next_requests


def _is_unreachable(trouble: str) -> bool:
    """Whether Telegram says that the person can't be written to."""
    signs = ("forbidden", "blocked", "deactivated", "chat not found", "peer_id_invalid")
    return any(sign in trouble.lower() for sign in signs)


def _make_next_request(copy: Outgoing, trouble: str) -> Outgoing:
    """Request the copy again if it may have arrived, else the last message: Telegram refused it."""
    language = copy.params["language"]
    if trouble.startswith("may have arrived"):  # as the outbox records it
        return make_copy_request(copy.lane, language)
    text = get_words(language).translate(
        "Your copy can’t be delivered: Telegram does not take it. With this message everything is gone."
        " Goodbye!"
    )
    return post_message(copy.lane, text, about=f"{LAST_MESSAGE}:{copy.lane}")


async def _vacuum_if_needed(timer: TimerContext, _: float) -> bool:
    """Rewrite the database file if its unused parts may hold deleted data; return False if they don't."""
    if await timer.store.read(lambda tx: people.load_fact(tx, queries.TRACES_FACT)) is None:
        return False  # Asked again at the next check, so that deleted data is gone soon
    if await timer.store.vacuum():
        await timer.store.write(lambda tx: people.delete_fact(tx, queries.TRACES_FACT))
    return True


ROUTES = Routes(
    commands=[
        CommandRoute("privacy", show_privacy, UpdateKind.QUESTION, translate_later("what I store about you")),
        CommandRoute("export", send_export, UpdateKind.QUESTION),
        CommandRoute("forgetme", ask_to_forget, UpdateKind.QUESTION),
    ],
    buttons=[ButtonRoute("pv", press_name_choice), ButtonRoute("fm", press_forget_choice)],
    deep_links={"privacy": show_privacy, "export": send_export, "forgetme": ask_to_forget},
    renderers={SEND_COPY: render_copy},
    delivery_handlers=dict.fromkeys(DELETION_KINDS, record_delivery),
    timed_tasks=[
        TimedTask(
            "undelivered deletion requests",
            MINUTE,
            lambda timer, now: timer.run_effect(lambda tx: continue_undelivered_requests(tx, now)),
        ),
        TimedTask("traces of what was deleted", HOUR, _vacuum_if_needed),
    ],
)
