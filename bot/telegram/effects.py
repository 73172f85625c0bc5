"""Runs the effect of an update, with what is kept of whoever caused it and where."""

from telegram import Chat, Message, Update, User

from bot.database import Tx
from bot.players import queries as people
from bot.telegram.context import Effect, SendOnly, find_sender, do_nothing, read_board_mark
from bot.telegram.messages import Request


def run_update_effect(tx: Tx, update: Update, effect: Effect) -> list[Request]:
    """Run the effect. It finds its chat and person stored; who leaves no trace by it goes again.

    Somebody's private chat is not opened by what they tap on a page: the bot may still not write there.
    """
    chat, who = update.effective_chat, None if effect is do_nothing else find_sender(update)
    store_usernames(tx, update, who)
    if effect is do_nothing:
        return []
    private = chat is None or chat.type == "private"
    if private and read_board_mark(update.effective_message):
        chat = None
    if isinstance(effect, SendOnly) and private:
        return _say(tx, chat, who, effect)
    if chat is not None:
        people.load_or_insert_chat(tx, chat.id, chat.type)
    stranger = who is not None and people.insert_or_update_player(tx, who)
    caused = effect(tx)
    if who is not None and stranger:
        people.delete_inactive_player(tx, who.id)
    return caused


def _say(tx: Tx, chat: Chat | None, who: people.Player | None, effect: SendOnly) -> list[Request]:
    """What is said in private leaves no trace of a stranger, so nothing is stored to be deleted again."""
    known = who is None or people.update_known_player(tx, who)
    if chat is not None and known:
        people.load_or_insert_chat(tx, chat.id, chat.type)
    elif chat is not None:
        people.mark_chat_back(tx, chat.id)
    return effect(tx)


def store_usernames(tx: Tx, update: Update, who: people.Player | None = None) -> None:
    """Store who holds a username now; of `who`, whom the effect keeps, that is stored with the name."""
    for user in _users(update):
        if who is None or user.id != who.id:
            people.clear_username_of_others(tx, user.id, user.username)


def _users(update: Update) -> list[User]:
    """Whoever an update shows with the username that they have now."""
    message = update.effective_message
    replied = message.reply_to_message if isinstance(message, Message) else None
    shown = (update.effective_user, replied.from_user if replied else None)
    return [user for user in shown if user is not None]
