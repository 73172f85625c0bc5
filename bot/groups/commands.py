"""/start and /help; one greeting in a new group, which keeps all it has when it gets another id."""

from telegram import ChatMember
from telegram.constants import ChatMemberStatus

from bot.database import Tx
from bot.delivery.intake import Work
from bot.games.known import GAMES, USUAL
from bot.games.rounds import queries as rounds
from bot.i18n import Html, Words, safe
from bot.people import queries as people
from bot.telegram.context import Context, Effect, nothing, saying
from bot.telegram.messages import Request, post, show
from bot.telegram.routes import START, Command, Other, Routes

GREETED = "greeted"
"""The setting that remembers the first word, so that a bot that is added again says it once."""


def help_text(words: Words, *, group: bool) -> Html:
    """How to play, on one screen."""
    lines = [
        USUAL.about(words),
        Html(""),
        words.say("/play deals a hand; /play hard, /play 36 and /play all choose one"),
        *(
            Html(f"/{game.command} — {safe(game.menu(words))}")
            for game in GAMES.values()
            if game is not USUAL
        ),
        words.say("/a 8/(3-8/3) answers it") if group else words.say("Send an expression to answer it"),
        words.say("/hint shows a hint"),
        words.say("/skip gives the hand up and shows how it is done"),
        words.say("/race deals ten hands, one after the other"),
        words.say("/daily is the hand of the day, the same for everybody who plays with this bot"),
        words.say("/solve 3 8 3 8 shows how any hand is done"),
        words.say("/why 8/(3-8/3) works an expression out, step by step"),
        words.say("/leaderboard shows who leads here"),
        words.say("/stats shows your own figures"),
        words.say("/settings sets the game up, /doctor looks for what is in its way"),
        words.say("/privacy says what is kept of you, and takes it away"),
    ]
    if group:
        lines += [Html(""), words.say("In a group, reply to the deal with your expression, or use /a.")]
    return Html("\n".join(lines))


async def help_(context: Context) -> Effect:
    """How to play."""
    return saying(context.say(help_text(context.words, group=not context.chat.private)))


async def came_or_went(context: Context) -> Effect:
    """The bot was added, removed, blocked or let in again: one short greeting in a new group at most."""
    change = context.update.my_chat_member
    if change is None:
        return nothing
    if not _there(change.new_chat_member):
        return lambda tx: _gone(context, tx)
    if context.chat.private or _there(change.old_chat_member) or not _may_speak(change.new_chat_member):
        return saying()  # nothing to say, but the chat is known to be there
    return lambda tx: _greet(context, tx)


def _gone(context: Context, tx: Tx) -> list[Request]:
    people.left(tx, context.chat.id)
    return []


def _greet(context: Context, tx: Tx) -> list[Request]:
    known = people.find_chat(tx, context.chat.id, context.chat.kind)
    if known.settings.get(GREETED):
        return []
    people.choose(tx, context.chat.id, GREETED, True)
    hello = USUAL.greeting(context.words)
    return [post(context.chat.id, hello)]


def _there(member: ChatMember) -> bool:
    return member.status not in {ChatMemberStatus.LEFT, ChatMemberStatus.BANNED}


def _may_speak(member: ChatMember) -> bool:
    return member.status != ChatMemberStatus.RESTRICTED or bool(getattr(member, "can_send_messages", False))


async def migrated(context: Context) -> Effect:
    """Move scores, settings and the live round to the new id, and deal that round there once more.

    Both chats report the change, in either order; the second report finds nothing left to do.
    """
    message = context.message
    if message is None:
        return nothing
    old = message.migrate_from_chat_id or context.chat.id
    new = message.migrate_to_chat_id or context.chat.id

    def effect(tx: Tx) -> list[Request]:
        people.move_chat(tx, old, new)
        return [show(round, new=True) for round in rounds.live_in_chat(tx, new) if round.message_id is None]

    return effect


ROUTES = Routes(
    commands=[
        Command(START, help_, Work.DEAL),
        Command("help", help_, Work.QUESTION, lambda said: said.plain("how to play")),
    ],
    others={Other.MEMBERSHIP: came_or_went, Other.UPGRADE: migrated},
)
