"""Where somebody's card is shown: on a message of their own, which nobody else sees.

That is a message in the private chat with the bot. This is the one place that decides it: `place` says in
which chat the message stands, `reaches` whether the bot may write there, and `show` makes the request that
draws it as it stands when its turn comes.
"""

from dataclasses import replace
from typing import Any

from bot.admin.settings import preferences as preferences
from bot.admin.settings.preferences import Pictures
from bot.database import Store, Tx
from bot.i18n import INVISIBLE_NAME, Html, get_words
from bot.modes.contest import queries as contests
from bot.modes.contest import view
from bot.modes.contest.rules import PlayerCard
from bot.pictures.alt_text import render_alt_text
from bot.players import queries as people
from bot.queue.queries import DRAWN_POST_PREFIX
from bot.rounds import queries as rounds
from bot.rounds.registry import CONTEST_GAMES
from bot.rounds.rules import Round, State
from bot.rounds.view import make_board_button
from bot.telegram import messages
from bot.telegram.messages import MakeBoardUrl, Request, add_picture
from bot.telegram.photo_messages import UNKNOWN_CONTENT, append_description, make_message_photo
from bot.telegram.routes import DeliveredRequest, LostMessage, Routes

METHOD = f"{DRAWN_POST_PREFIX}card"
CARD = "card"  # The kind of receipt of a card that was posted
RECENT = 60.0  # Seconds for which a card that was posted is still in sight


def get_card_chat(player_id: int) -> int:
    """The chat in which a player's card is shown."""
    return player_id


def can_show_card(tx: Tx, player_id: int) -> bool:
    """Whether a card can be shown to the player without their doing."""
    return people.can_write_to_player(tx, player_id)


def build_card_request(round: Round, player_id: int) -> Request:
    """Draw a card as it stands when the request's turn comes: an edit, or a post where nothing shows it."""
    asked = {"round": round.id, "player": player_id}
    return Request(get_card_chat(player_id), {"method": METHOD, "params": asked})


def show_card_below(
    tx: Tx, round: Round, own: PlayerCard, now: float, *, recent: float = RECENT
) -> list[Request]:
    """Draw a card where its player sees it: in a new message, unless it was posted less than `recent` ago."""
    if own.message_id is None or now - own.posted_at < recent:
        return [build_card_request(round, own.player_id)]
    contests.store_card(tx, round, replace(own, message_id=None))
    return [build_moved_edit(own, own.message_id), build_card_request(round, own.player_id)]


def build_moved_edit(own: PlayerCard, message_id: int) -> Request:
    """Take the buttons off a message that showed the card before."""
    changed = messages.edit_message(
        get_card_chat(own.player_id), message_id, view.render_card_below(get_words(own.language))
    )
    return add_picture(changed, "", own.language, shown_key=own.photo) if own.photo else changed


def open_card(tx: Tx, round: Round, new: PlayerCard) -> PlayerCard:
    """The player's card, a new one where there is none; it is being looked at by somebody who is there."""
    contests.restore_card_from_alias(tx, round, new.player_id)
    known = contests.load_card(tx, round, new.player_id)
    if known is None:
        contests.store_card(tx, round, new)
        contests.update_deadline(tx, round)
        return new
    if known.language != new.language or known.has_left:
        known = replace(known, language=new.language, has_left=False)
        contests.store_card(tx, round, known)
        contests.update_deadline(tx, round)
    return known


async def render_card_request(
    store: Store, body: dict[str, Any], now: float, board: MakeBoardUrl = messages.make_no_board_url
) -> dict[str, Any] | None:
    """The request that shows a card as it stands; None where there is none."""
    number, player_id = int(body["params"]["round"]), int(body["params"]["player"])
    return await store.read(lambda tx: _drawn(tx, number, player_id, board))


def _drawn(tx: Tx, number: int, player_id: int, board: MakeBoardUrl) -> dict[str, Any] | None:
    round = rounds.load_round(tx, number)
    own = contests.load_card(tx, round, player_id) if round and round.game in CONTEST_GAMES else None
    if round is None or own is None:
        return None
    if own.message_id is None and not can_show_card(tx, player_id):
        return None  # whoever plays on a page need not have opened the chat
    speech = get_words(own.language)
    text, keyboard = view.render_card(speech, round, own)
    if keyboard:
        keyboard = [*keyboard, *make_board_button(round, speech, board(round.chat_id, round.topic, round.id))]
    if own.message_id is not None:
        changed = messages.edit_message(get_card_chat(player_id), own.message_id, text, keyboard).body
        return changed | (_shows(tx, round, own, text) if own.photo else {})
    about = f"{CARD}:{round.id}:{player_id}"
    posted = messages.post_message(get_card_chat(player_id), text, keyboard=keyboard, about=about).body
    chosen = preferences.read_preferences(people.load_chat(tx, get_card_chat(player_id), "private")).pictures
    return posted | (_shows(tx, round, own, text) if chosen is not Pictures.OFF else {})


def _shows(tx: Tx, round: Round, own: PlayerCard, text: str) -> dict[str, Any]:
    """The picture of a card: what is to be placed now, or the whole of it once nothing is."""
    title = people.load_names(tx, [own.player_id]).get(own.player_id, INVISIBLE_NAME)
    over = round.state is not State.RUNNING
    seen = CONTEST_GAMES[round.game].build_card_picture(
        get_words(own.language), round.puzzle, own.card, title, over=over
    )
    if seen is None and not own.photo:
        return {}
    return {
        "photo": make_message_photo(
            seen, own.language, append_description(Html(text), [render_alt_text(seen)]), own.photo
        )
    }


def store_card_message(tx: Tx, card: DeliveredRequest) -> None:
    """A card was posted: that message shows it from now on."""
    _, number, player_id = card.about.split(":")
    round = rounds.load_round(tx, int(number))
    own = contests.load_card(tx, round, int(player_id)) if round else None
    if round and own and own.message_id is None:
        message, photo = int(card.result["message_id"]), UNKNOWN_CONTENT if card.result.get("content") else ""
        contests.store_card(
            tx, round, replace(own, message_id=message, posted_at=card.delivered_at, photo=photo)
        )


def forget_deleted_message(tx: Tx, message: LostMessage) -> bool:
    """Somebody deleted the message of their card; it is posted anew as long as there is something to play."""
    for round, own in contests.load_running_cards(tx, message.chat_id):
        if own.message_id == message.message_id:
            contests.store_card(tx, round, replace(own, message_id=None))
            return round.state is State.RUNNING
    return False


ROUTES = Routes(
    linked_renderers={METHOD: render_card_request},
    delivery_handlers={CARD: store_card_message},
    lost_message_handlers=[forget_deleted_message],
)
