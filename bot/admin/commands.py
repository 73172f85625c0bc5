"""/start, /help and commands that are none; one greeting in a new group, which keeps all that it has."""

from dataclasses import replace

from telegram import ChatMember
from telegram.constants import ChatMemberStatus

from bot.admin import topics, view
from bot.admin.rules import nearest
from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.i18n import Html
from bot.modes.contest import queries as contests
from bot.modes.daily.commands import daily
from bot.modes.duel import queries as duels
from bot.modes.duel import view as duel
from bot.modes.lesson import commands as lesson
from bot.players import queries as people
from bot.queue.intake import Work
from bot.rounds import queries as rounds
from bot.rounds.commands import aside, out_of_date, play
from bot.telegram.context import Context, Effect, nothing, saying
from bot.telegram.menus import secret_menus
from bot.telegram.messages import Keyboard, Request, edit, post, show
from bot.telegram.routes import START, Button, Command, Other, Routes

# The setting that remembers the first word, so that a bot that is added again says it once.
GREETED = "greeted"


async def start(context: Context) -> Effect:
    """/start: the first word, and the ways to begin; behind the very first one, the lesson."""
    if not context.chat.private:
        return saying(_said(context, view.greeting(context.words)))
    first = _said(context, view.start(context.words, str(context.services.me.username)))
    return lambda tx: [first, *lesson.offered(context, tx)]


def _said(context: Context, shown: tuple[Html, Keyboard]) -> Request:
    return context.say(shown[0], keyboard=shown[1])


def _shown_here(context: Context, shown: tuple[Html, Keyboard]) -> list[Request]:
    """Another text in the message whose button was pressed."""
    return [edit(context.chat.id, context.message.message_id, *shown)] if context.message else []


async def start_pressed(context: Context) -> Effect:
    """A button of the first word (`st:deal`, `st:daily`) or of the offer behind it (`st:learn`, `st:no`)."""
    ways = {"st:deal": play, "st:daily": daily, "st:learn": lesson.begin, "st:no": lesson.decline}
    if context.pressed not in ways or not context.offered:
        return out_of_date(context)
    effect = await ways[context.pressed](context)
    return lambda tx: _answered(context, effect(tx))


def _answered(context: Context, caused: list[Request]) -> list[Request]:
    """The requests, with an answer to the press among them."""
    told = any(request.body.get("method") == "answerCallbackQuery" for request in caused)
    return caused if told else [*caused, *context.answer()]


async def help_(context: Context) -> Effect:
    """How to play, in short."""
    return saying(_said(context, _help(context)))


def _help(context: Context) -> tuple[Html, Keyboard]:
    return view.help_text(context.words, context.services.commands, group=not context.chat.private)


async def help_pressed(context: Context) -> Effect:
    """The button under the help: all commands, `he:all`, or back to the short one, `he:`."""
    if context.pressed not in ("he:all", "he:") or not context.offered:
        return out_of_date(context)
    group = not context.chat.private
    whole = view.all_commands(context.words, context.services.commands, group=group)
    shown = whole if context.pressed == "he:all" else _help(context)
    return saying(*_shown_here(context, shown), *context.answer())


async def unknown(context: Context) -> Effect:
    """A command that is none: which one was meant. In a group only where the bot is named."""
    text = (context.message.text or "") if context.message else ""
    typed, _, whose = text[1:].split(maxsplit=1)[0].partition("@") if len(text) > 1 else ("", "", "")
    mine = whose.lower() == str(context.services.me.username).lower()
    if not context.fresh or not (mine or (context.chat.private and not whose)):
        return nothing
    line = view.no_such_command(context.words, nearest(typed, _known(context)))
    return lambda tx: aside(context, tx, line, quiet=True)


def _known(context: Context) -> list[str]:
    group = not context.chat.private
    return [c.name for c in context.services.commands if group or not c.groups_only]


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
    text, keyboard = view.greeting(context.words)
    return [post(context.chat.id, text, topic=context.topic, keyboard=keyboard)]


async def hello(context: Context) -> Effect:
    """A group added the bot through the button of its first word: the greeting, unless it was said."""
    if context.chat.private:
        return await start(context)
    return lambda tx: _greet(context, tx)


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
        # what is not delivered yet follows by itself, once it is refused where the group was
        shown = [each for each in duels.offered_in(tx, old) if each.message_id is not None]
        offered = [replace(each, chat_id=new, message_id=None) for each in shown]
        people.move_chat(tx, old, new)
        here = (*rounds.live_in_chat(tx, new), *contests.running_in_chat(tx, new))
        dealt = [show(round, new=True) for round in here if round.message_id is None]
        return [*dealt, *map(duel.challenge, offered), *_secret_menus(context, tx, new)]

    return effect


def _secret_menus(context: Context, tx: Tx, chat_id: int) -> list[Request]:
    """A group's own menus have to be set for its new id."""
    if not preferences.of(people.find_chat(tx, chat_id, "supergroup")).secret:
        return []
    return secret_menus(context.services.commands, chat_id, on=True)


ROUTES = Routes(
    commands=[
        Command(START, start, Work.DEAL),
        Command("help", help_, Work.QUESTION, lambda speech: speech.plain("how to play")),
    ],
    buttons=[Button("st", start_pressed, Work.DEALING), Button("he", help_pressed)],
    doors={view.HELLO: hello},
    others={
        Other.MEMBERSHIP: came_or_went,
        Other.UPGRADE: migrated,
        Other.TOPIC_CLOSED: topics.closed,
        Other.UNKNOWN: unknown,
    },
)
