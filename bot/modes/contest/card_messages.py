"""Show each player's card in a message of its own, in the private chat with the bot.

The id of that chat is the player's.
"""

from dataclasses import replace

from bot.database import Tx
from bot.i18n import INVISIBLE_NAME, Html, get_words
from bot.modes.contest import queries as contests
from bot.modes.contest import view
from bot.modes.contest.rules import PlayerCard
from bot.pictures.alt_text import render_alt_text
from bot.players import preferences
from bot.players import queries as people
from bot.players.preferences import Pictures
from bot.queue.outgoing import DRAWN_POST_PREFIX, Outgoing
from bot.queue.rendering import (
    UNKNOWN_CONTENT,
    MessagePhoto,
    RenderedRequest,
    append_description,
    make_message_photo,
)
from bot.rounds import queries as rounds
from bot.rounds.registry import CONTEST_GAMES
from bot.rounds.rules import Round, State
from bot.rounds.view import make_board_button
from bot.telegram import messages
from bot.telegram.messages import NO_PICTURE, MakeBoardUrl, add_picture
from bot.telegram.routes import DeliveredRequest, RenderContext, Routes

CARD_METHOD = f"{DRAWN_POST_PREFIX}card"


def build_card_request(round: Round, player_id: int) -> Outgoing:
    """Build the request that edits the card's message or posts one.

    The card is rendered when the request is sent, so that it is up to date.
    """
    return Outgoing(player_id, CARD_METHOD, {"round": round.id, "player": player_id})


VISIBLE_SECONDS = 60.0  # How long a posted card stays in sight


def show_card_below(
    tx: Tx, round: Round, card: PlayerCard, now: float, *, repost_after: float = VISIBLE_SECONDS
) -> list[Outgoing]:
    """Edit a message newer than `repost_after` seconds; else post the card, with a pointer in the old one."""
    draw = build_card_request(round, card.player_id)
    if card.message_id is None or now - card.posted_at < repost_after:
        return [draw]
    # `draw` posts a card for which no message is stored
    contests.store_card(tx, round, replace(card, message_id=None))
    return [build_pointer_edit(card, card.message_id), draw]


def build_pointer_edit(card: PlayerCard, message_id: int) -> Outgoing:
    """Build the edit of a card's former message to a pointer without buttons; a photo keeps its picture."""
    text = view.render_pointer(get_words(card.language).translate("Your card is below."))
    edit = messages.edit_message(card.player_id, message_id, text)
    if not card.photo:
        return edit
    return add_picture(edit, NO_PICTURE, card.language, shown_key=card.photo)


def open_card(tx: Tx, round: Round, player_id: int, now: float, language: str) -> PlayerCard:
    """Return the player's card, in this language and not marked as left; store it if that is new."""
    contests.restore_card_from_alias(tx, round, player_id)  # of a player who was deleted and came back
    card = contests.load_card(tx, round, player_id)
    if card is not None and card.language == language and not card.has_left:
        return card
    if card is None:
        card = PlayerCard(
            player_id, CONTEST_GAMES[round.game].create_card(), changed_at=now, language=language
        )
    card = replace(card, language=language, has_left=False)
    contests.store_card(tx, round, card)
    contests.update_deadline(tx, round)  # one more player to wait for may move it
    return card


async def render_card_request(context: RenderContext, request: Outgoing) -> RenderedRequest | None:
    """Render a stored card request when it is sent; None as for `render_card_message`."""
    round_id, player_id = request.params["round"], request.params["player"]
    return await context.store.read(
        lambda tx: render_card_message(tx, round_id, player_id, context.make_board_url)
    )


def render_card_message(
    tx: Tx, round_id: int, player_id: int, make_board_url: MakeBoardUrl
) -> RenderedRequest | None:
    """Render the request that edits or posts a card; None if there is no card, or no private chat for it."""
    round = rounds.load_round(tx, round_id)
    if round is None or round.game not in CONTEST_GAMES:
        return None
    card = contests.load_card(tx, round, player_id)
    if card is None:
        return None
    if card.message_id is None and not people.can_write_to_player(tx, player_id):
        return None  # the player uses a page and never opened the private chat
    words = get_words(card.language)
    text, keyboard = view.render_card(words, round, card)
    if keyboard:
        board_url = make_board_url(round.chat_id, round.topic, round.id)
        keyboard = [*keyboard, *make_board_button(round, words, board_url)]
    if card.message_id is not None:
        message = messages.edit_message(player_id, card.message_id, text, keyboard)
        has_picture = bool(card.photo)
    else:
        about = f"{RECEIPT}:{round.id}:{player_id}"
        message = messages.post_message(player_id, text, keyboard=keyboard, about=about)
        chat = people.load_chat(tx, player_id, kind="private")  # the kind of a chat that is not stored yet
        has_picture = preferences.read_preferences(chat).pictures is not Pictures.OFF
    return RenderedRequest(message, _load_photo(tx, round, card, text) if has_picture else None)


def _load_photo(tx: Tx, round: Round, card: PlayerCard, text: str) -> MessagePhoto:
    """Return the card's picture, with the player's name as its title, and `text` as its caption."""
    title = people.load_names(tx, [card.player_id]).get(card.player_id, INVISIBLE_NAME)
    is_over = round.state is not State.RUNNING
    game, words = CONTEST_GAMES[round.game], get_words(card.language)
    picture = game.build_card_picture(words, round.puzzle, card.card, title, over=is_over)
    caption = append_description(Html(text), [render_alt_text(picture)])
    return make_message_photo(picture, card.language, caption, card.photo)


RECEIPT = "card"  # The kind of receipt of a posted card


def store_card_message(tx: Tx, delivered: DeliveredRequest) -> None:
    """Store which message shows a card that was posted; do nothing if another message does already."""
    _, round_id, player_id = delivered.about.split(":")
    round = rounds.load_round(tx, int(round_id))
    card = contests.load_card(tx, round, int(player_id)) if round else None
    if round is None or card is None or card.message_id is not None:
        return
    photo = UNKNOWN_CONTENT if delivered.picture_key else ""
    posted = replace(card, message_id=delivered.message_id, posted_at=delivered.delivered_at, photo=photo)
    contests.store_card(tx, round, posted)


ROUTES = Routes(
    renderers={CARD_METHOD: render_card_request},
    delivery_handlers={RECEIPT: store_card_message},
    # A card whose message its player deleted is posted again
    lost_message_handlers=[lambda tx, lost: contests.forget_card_message(tx, lost.chat_id, lost.message_id)],
)
