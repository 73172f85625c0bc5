"""Where somebody's card is shown: on a message of their own, which nobody else sees.

That is a message in the private chat with the bot. This is the one place that decides it: `place` says in
which chat the message stands, `reaches` whether the bot may write there, and `show` makes the request that
draws it as it stands when its turn comes.
"""

from dataclasses import replace
from typing import Any

from bot.admin.settings import rules as preferences
from bot.admin.settings.rules import Pictures
from bot.database import Store, Tx
from bot.i18n import NAMELESS, Html, words
from bot.modes.contest import queries as contests
from bot.modes.contest import view
from bot.modes.contest.rules import Sheet
from bot.pictures.told import told
from bot.players import queries as people
from bot.queue.queries import DRAWN_POST
from bot.rounds import queries as rounds
from bot.rounds.known import CONTESTS
from bot.rounds.rules import Round, State
from bot.rounds.scene import to_board
from bot.telegram import messages
from bot.telegram.captions import SOME, beside, shows
from bot.telegram.messages import BoardAt, Request, pictured
from bot.telegram.routes import Delivered, Lost, Routes

METHOD = f"{DRAWN_POST}card"
CARD = "card"  # The kind of receipt of a card that was posted
RECENT = 60.0  # Seconds for which a card that was posted is still in sight


def place(player_id: int) -> int:
    """The chat in which a player's card is shown."""
    return player_id


def reaches(tx: Tx, player_id: int) -> bool:
    """Whether a card can be shown to the player without their doing."""
    return people.hears(tx, player_id)


def show(round: Round, player_id: int) -> Request:
    """Draw a card as it stands when the request's turn comes: an edit, or a post where nothing shows it."""
    asked = {"round": round.id, "player": player_id}
    return Request(place(player_id), {"method": METHOD, "params": asked})


def show_below(tx: Tx, round: Round, own: Sheet, now: float, *, recent: float = RECENT) -> list[Request]:
    """Draw a card where its player sees it: in a new message, unless it was posted less than `recent` ago."""
    if own.message_id is None or now - own.shown < recent:
        return [show(round, own.player_id)]
    contests.keep(tx, round, replace(own, message_id=None))
    return [moved(own, own.message_id), show(round, own.player_id)]


def moved(own: Sheet, message_id: int) -> Request:
    """Take the buttons off a message that showed the card before."""
    changed = messages.edit(place(own.player_id), message_id, view.card_below(words(own.language)))
    return pictured(changed, "", own.language, shown=own.photo) if own.photo else changed


def begin(tx: Tx, round: Round, new: Sheet) -> Sheet:
    """The player's card, a new one where there is none; it is being looked at by somebody who is there."""
    contests.come_back(tx, round, new.player_id)
    known = contests.sheet(tx, round, new.player_id)
    if known is None:
        contests.keep(tx, round, new)
        contests.settle(tx, round)
        return new
    if known.language != new.language or known.left:
        known = replace(known, language=new.language, left=False)
        contests.keep(tx, round, known)
        contests.settle(tx, round)
    return known


async def drawn(
    store: Store, body: dict[str, Any], now: float, board: BoardAt = messages.no_board
) -> dict[str, Any] | None:
    """The request that shows a card as it stands; None where there is none."""
    number, player_id = int(body["params"]["round"]), int(body["params"]["player"])
    return await store.read(lambda tx: _drawn(tx, number, player_id, board))


def _drawn(tx: Tx, number: int, player_id: int, board: BoardAt) -> dict[str, Any] | None:
    round = rounds.by_id(tx, number)
    own = contests.sheet(tx, round, player_id) if round and round.game in CONTESTS else None
    if round is None or own is None:
        return None
    if own.message_id is None and not reaches(tx, player_id):
        return None  # whoever plays on a page need not have opened the chat
    speech = words(own.language)
    text, keyboard = view.card(speech, round, own)
    if keyboard:
        keyboard = [*keyboard, *to_board(round, speech, board(round.chat_id, round.topic, round.id))]
    if own.message_id is not None:
        changed = messages.edit(place(player_id), own.message_id, text, keyboard).body
        return changed | (_shows(tx, round, own, text) if own.photo else {})
    about = f"{CARD}:{round.id}:{player_id}"
    posted = messages.post(place(player_id), text, keyboard=keyboard, about=about).body
    chosen = preferences.of(people.find_chat(tx, place(player_id), "private")).pictures
    return posted | (_shows(tx, round, own, text) if chosen is not Pictures.OFF else {})


def _shows(tx: Tx, round: Round, own: Sheet, text: str) -> dict[str, Any]:
    """The picture of a card: what is to be placed now, or the whole of it once nothing is."""
    title = people.names(tx, [own.player_id]).get(own.player_id, NAMELESS)
    over = round.state is not State.RUNNING
    seen = CONTESTS[round.game].card_seen(words(own.language), round.puzzle, own.card, title, over=over)
    if seen is None and not own.photo:
        return {}
    return {"photo": shows(seen, own.language, beside(Html(text), [told(seen)]), own.photo)}


def posted(tx: Tx, card: Delivered) -> None:
    """A card was posted: that message shows it from now on."""
    _, number, player_id = card.about.split(":")
    round = rounds.by_id(tx, int(number))
    own = contests.sheet(tx, round, int(player_id)) if round else None
    if round and own and own.message_id is None:
        message, photo = int(card.result["message_id"]), SOME if card.result.get("content") else ""
        contests.keep(tx, round, replace(own, message_id=message, shown=card.at, photo=photo))


def lost(tx: Tx, message: Lost) -> bool:
    """Somebody deleted the message of their card; it is posted anew as long as there is something to play."""
    for round, own in contests.cards_of(tx, message.chat_id):
        if own.message_id == message.message_id:
            contests.keep(tx, round, replace(own, message_id=None))
            return round.state is State.RUNNING
    return False


ROUTES = Routes(linking={METHOD: drawn}, receipts={CARD: posted}, losing=[lost])
