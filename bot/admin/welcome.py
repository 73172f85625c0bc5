"""/start, /help and commands that are none; one greeting in a new group, which keeps all that it has."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from telegram import ChatMember
from telegram.constants import ChatMemberStatus

from bot.admin import topics
from bot.admin.settings import preferences as preferences
from bot.database import Tx
from bot.i18n import Html, Words, escape_value
from bot.modes.contest import queries as contests
from bot.modes.daily.commands import show_daily
from bot.modes.duel import queries as duels
from bot.modes.duel import view as duel
from bot.modes.lesson import commands as lesson
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds import queries as rounds
from bot.rounds.commands import deal_default_game, make_notice, refuse_old_button
from bot.rounds.game import Game
from bot.rounds.registry import DEFAULT_GAME, GAMES, ask_game_safely
from bot.telegram.context import CommandInfo, Context, Effect, do_nothing, send_only
from bot.telegram.menus import make_secret_menu_requests
from bot.telegram.messages import Keyboard, Link, Request, edit_message, post_message, show_round
from bot.telegram.routes import START_COMMAND, ButtonRoute, CommandRoute, OtherUpdate, Routes

SHORT_HELP_COMMANDS = (
    "play",
    "hint",
    "daily",
    "race",
    "leaderboard",
    "settings",
)  # The commands that the short help names
GREETING_LINK = "hello"  # The payload with which a group adds the bot


def render_start(words: Words, username: str) -> tuple[Html, Keyboard]:
    """The first word in private, with the ways to begin."""
    text = Html(f"{DEFAULT_GAME.render_about(words)}\n{words.translate('/help shows what else I can do.')}")
    add = Link(f"https://t.me/{username}?startgroup={GREETING_LINK}")
    return text, [
        [
            (words.translate_plain("Deal a hand"), "st:deal"),
            (words.translate_plain("Today’s hand"), "st:daily"),
        ],
        [(words.translate_plain("Add me to a group"), add)],
    ]


def render_greeting(words: Words) -> tuple[Html, Keyboard]:
    """The first word in a group."""
    return DEFAULT_GAME.render_greeting(words), [[(words.translate_plain("Deal a hand"), "st:deal")]]


def render_help(words: Words, commands: Sequence[CommandInfo], *, group: bool) -> tuple[Html, Keyboard]:
    """How to play, on one screen."""
    how = (
        words.translate("Reply to the hand, or /a 8/(3-8/3)")
        if group
        else words.translate("Just send your answer.")
    )
    others = [_line(game.command, _menu(words, game)) for game in GAMES.values() if game is not DEFAULT_GAME]
    named = [command for command in commands if command.name in SHORT_HELP_COMMANDS]
    lines = {command.name: _line(command.name, command.menu(words)) for command in named if command.menu}
    usual, *rest = [lines[name] for name in SHORT_HELP_COMMANDS]
    text = Html("\n".join([DEFAULT_GAME.render_about(words), how, Html(""), usual, *others, *rest]))
    return text, [[(words.translate_plain("All commands"), "he:all")]]


def _menu(words: Words, game: Game[Any]) -> str:
    return ask_game_safely(game, lambda game: game.render_menu_line(words), game.title)


def render_all_commands(
    words: Words, commands: Sequence[CommandInfo], *, group: bool
) -> tuple[Html, Keyboard]:
    """Every command of the menu, a line each."""
    listed = [_line(c.name, c.menu(words)) for c in commands if c.menu and (group or not c.groups_only)]
    if group:
        listed.append(words.translate("🤫 under a hand: answer it in private, seen by nobody else."))
    listed.append(Html(f"✏️ {words.translate('An edited message doesn’t count: send a new one.')}"))
    return Html("\n".join(listed)), [[(words.translate_plain("‹ Back"), "he:")]]


def _line(command: str, menu: str) -> Html:
    return Html(f"/{command} — {escape_value(menu)}")


def render_unknown_command(words: Words, near: str | None) -> Html:
    """A kind line for a command that is none."""
    if near is None:
        return words.translate("I don’t know that command. /help shows those I do.")
    return words.translate("I don’t know that one. Did you mean /{command}?", command=near)


MOST_SLIPS = 2  # Letters that may be wrong, missing, too many or swapped with their neighbour in a command
SHORTEST_START = 3  # Letters from which the beginning of a command is taken for the command


def find_nearest_command(typed: str, known: Iterable[str]) -> str | None:
    """The known command that `typed` is nearest to; None where none is near.

    The only one that it begins is near however much is missing. Of those with equally few slips the first
    is taken; a short command bears fewer slips.
    """
    typed, names = typed.lower(), list(known)
    begun = [name for name in names if name.startswith(typed)] if len(typed) >= SHORTEST_START else []
    if len(begun) == 1:
        return begun[0]
    slips = {name: count_edits(typed, name) for name in names}
    near = [name for name in names if slips[name] <= min(MOST_SLIPS, len(name) // 2)]
    return min(near, key=slips.__getitem__, default=None)


def count_edits(one: str, other: str) -> int:
    """The edit distance with swaps of neighbours (optimal string alignment)."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            steps = [rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b)]
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                steps.append(rows[-2][j - 2] + 1)
            row.append(min(steps))
        rows.append(row)
    return rows[-1][-1]


# The setting that remembers the first word, so that a bot that is added again says it once.
GREETED = "greeted"


async def show_start(context: Context) -> Effect:
    """/start: the first word, and the ways to begin; behind the very first one, the lesson."""
    if not context.chat.private:
        return send_only(_said(context, render_greeting(context.words)))
    first = _said(context, render_start(context.words, str(context.services.me.username)))
    return lambda tx: [first, *lesson.offer_lesson(context, tx)]


def _said(context: Context, shown: tuple[Html, Keyboard]) -> Request:
    return context.reply(shown[0], keyboard=shown[1])


def _shown_here(context: Context, shown: tuple[Html, Keyboard]) -> list[Request]:
    """Another text in the message whose button was pressed."""
    return [edit_message(context.chat.id, context.message.message_id, *shown)] if context.message else []


async def press_start_button(context: Context) -> Effect:
    """A button of the first word (`st:deal`, `st:daily`) or of the offer behind it (`st:learn`, `st:no`)."""
    ways = {
        "st:deal": deal_default_game,
        "st:daily": show_daily,
        "st:learn": lesson.begin_lesson,
        "st:no": lesson.decline_lesson,
    }
    if context.button_data not in ways or not context.is_genuine_press:
        return refuse_old_button(context)
    effect = await ways[context.button_data](context)
    return lambda tx: _answered(context, effect(tx))


def _answered(context: Context, caused: list[Request]) -> list[Request]:
    """The requests, with an answer to the press among them."""
    told = any(request.body.get("method") == "answerCallbackQuery" for request in caused)
    return caused if told else [*caused, *context.answer_press()]


async def show_help(context: Context) -> Effect:
    """How to play, in short."""
    return send_only(_said(context, _help(context)))


def _help(context: Context) -> tuple[Html, Keyboard]:
    return render_help(context.words, context.services.commands, group=not context.chat.private)


async def press_help_button(context: Context) -> Effect:
    """The button under the help: all commands, `he:all`, or back to the short one, `he:`."""
    if context.button_data not in ("he:all", "he:") or not context.is_genuine_press:
        return refuse_old_button(context)
    group = not context.chat.private
    whole = render_all_commands(context.words, context.services.commands, group=group)
    shown = whole if context.button_data == "he:all" else _help(context)
    return send_only(*_shown_here(context, shown), *context.answer_press())


async def suggest_command(context: Context) -> Effect:
    """A command that is none: which one was meant. In a group only where the bot is named."""
    text = (context.message.text or "") if context.message else ""
    typed, _, whose = text[1:].split(maxsplit=1)[0].partition("@") if len(text) > 1 else ("", "", "")
    mine = whose.lower() == str(context.services.me.username).lower()
    if not context.is_new_message or not (mine or (context.chat.private and not whose)):
        return do_nothing
    line = render_unknown_command(context.words, find_nearest_command(typed, _known(context)))
    return lambda tx: make_notice(context, tx, line, quiet=True)


def _known(context: Context) -> list[str]:
    group = not context.chat.private
    return [c.name for c in context.services.commands if group or not c.groups_only]


async def record_bot_membership(context: Context) -> Effect:
    """The bot was added, removed, blocked or let in again: one short greeting in a new group at most."""
    change = context.update.my_chat_member
    if change is None:
        return do_nothing
    if not _there(change.new_chat_member):
        return lambda tx: _gone(context, tx)
    if context.chat.private or _there(change.old_chat_member) or not _may_speak(change.new_chat_member):
        return send_only()  # nothing to say, but the chat is known to be there
    return lambda tx: _greet(context, tx)


def _gone(context: Context, tx: Tx) -> list[Request]:
    people.mark_chat_gone(tx, context.chat.id)
    return []


def _greet(context: Context, tx: Tx) -> list[Request]:
    known = people.load_chat(tx, context.chat.id, context.chat.kind)
    if known.settings.get(GREETED):
        return []
    people.store_setting(tx, context.chat.id, GREETED, True)
    text, keyboard = render_greeting(context.words)
    return [post_message(context.chat.id, text, topic=context.topic, keyboard=keyboard)]


async def greet_new_group(context: Context) -> Effect:
    """A group added the bot through the button of its first word: the greeting, unless it was said."""
    if context.chat.private:
        return await show_start(context)
    return lambda tx: _greet(context, tx)


def _there(member: ChatMember) -> bool:
    return member.status not in {ChatMemberStatus.LEFT, ChatMemberStatus.BANNED}


def _may_speak(member: ChatMember) -> bool:
    return member.status != ChatMemberStatus.RESTRICTED or bool(getattr(member, "can_send_messages", False))


async def move_to_supergroup(context: Context) -> Effect:
    """Move scores, settings and the live round to the new id, and deal that round there once more.

    Both chats report the change, in either order; the second report finds nothing left to do.
    """
    message = context.message
    if message is None:
        return do_nothing
    old = message.migrate_from_chat_id or context.chat.id
    new = message.migrate_to_chat_id or context.chat.id

    def effect(tx: Tx) -> list[Request]:
        # what is not delivered yet follows by itself, once it is refused where the group was
        shown = [each for each in duels.load_open_challenges(tx, old) if each.message_id is not None]
        offered = [replace(each, chat_id=new, message_id=None) for each in shown]
        people.move_chat(tx, old, new)
        here = (*rounds.load_open_rounds_in_chat(tx, new), *contests.load_running_contests_in_chat(tx, new))
        dealt = [show_round(round, new=True) for round in here if round.message_id is None]
        return [*dealt, *map(duel.make_challenge_message, offered), *_secret_menus(context, tx, new)]

    return effect


def _secret_menus(context: Context, tx: Tx, chat_id: int) -> list[Request]:
    """A group's own menus have to be set for its new id."""
    if not preferences.read_preferences(people.load_chat(tx, chat_id, "supergroup")).secret_answers:
        return []
    return make_secret_menu_requests(context.services.commands, chat_id, on=True)


ROUTES = Routes(
    commands=[
        CommandRoute(START_COMMAND, show_start, UpdateKind.DEAL),
        CommandRoute(
            "help", show_help, UpdateKind.QUESTION, lambda speech: speech.translate_plain("how to play")
        ),
    ],
    buttons=[
        ButtonRoute("st", press_start_button, UpdateKind.DEAL_PRESS),
        ButtonRoute("he", press_help_button),
    ],
    deep_links={GREETING_LINK: greet_new_group},
    other_updates={
        OtherUpdate.BOT_MEMBERSHIP: record_bot_membership,
        OtherUpdate.CHAT_MIGRATION: move_to_supergroup,
        OtherUpdate.TOPIC_CLOSED: topics.leave_closed_topic,
        OtherUpdate.UNKNOWN_COMMAND: suggest_command,
    },
)
