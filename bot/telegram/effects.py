"""Runs the effect of an update, with what is kept of whoever caused it and where."""

from telegram import Chat, Message, Update, User

from bot.database import Tx
from bot.players import queries as people
from bot.telegram.context import Effect, Saying, asker, nothing, tapped
from bot.telegram.messages import Request


def run(tx: Tx, update: Update, effect: Effect) -> list[Request]:
    """Run the effect. It finds its chat and person stored; who leaves no trace by it goes again.

    Somebody's private chat is not opened by what they tap on a page: the bot may still not write there.
    """
    chat, who = update.effective_chat, None if effect is nothing else asker(update)
    note_usernames(tx, update, who)
    if effect is nothing:
        return []
    private = chat is None or chat.type == "private"
    if private and tapped(update.effective_message):
        chat = None
    if isinstance(effect, Saying) and private:
        return _say(tx, chat, who, effect)
    if chat is not None:
        people.chat(tx, chat.id, chat.type)
    stranger = who is not None and people.saw(tx, who)
    caused = effect(tx)
    if who is not None and stranger:
        people.drop_stranger(tx, who.id)
    return caused


def _say(tx: Tx, chat: Chat | None, who: people.Player | None, effect: Saying) -> list[Request]:
    """What is said in private leaves no trace of a stranger, so nothing is stored to be deleted again."""
    known = who is None or people.met(tx, who)
    if chat is not None and known:
        people.chat(tx, chat.id, chat.type)
    elif chat is not None:
        people.is_back(tx, chat.id)
    return effect(tx)


def note_usernames(tx: Tx, update: Update, who: people.Player | None = None) -> None:
    """Store who holds a username now; of `who`, whom the effect keeps, that is stored with the name."""
    for user in _users(update):
        if who is None or user.id != who.id:
            people.holds(tx, user.id, user.username)


def _users(update: Update) -> list[User]:
    """Whoever an update shows with the username that they have now."""
    message = update.effective_message
    replied = message.reply_to_message if isinstance(message, Message) else None
    shown = (update.effective_user, replied.from_user if replied else None)
    return [user for user in shown if user is not None]
