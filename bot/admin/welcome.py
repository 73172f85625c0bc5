"""/start, the greeting in a new group, and groups that become supergroups."""

from collections.abc import Sequence
from dataclasses import replace

from bot.admin import chat_migration
from bot.database import Tx
from bot.i18n import Html, Words
from bot.modes import tutorial
from bot.modes.contest import queries as contests
from bot.modes.daily.commands import show_daily
from bot.modes.duel import queries as duels
from bot.modes.duel.view import make_challenge_message
from bot.players import queries as people
from bot.players.preferences import read_preferences
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import Outgoing
from bot.rounds import queries as rounds
from bot.rounds import topics
from bot.rounds.commands import deal_default_game, refuse_old_button
from bot.rounds.registry import GAMES
from bot.telegram.context import Context, Effect, Handler, Response, do_nothing, send_only
from bot.telegram.menus import make_secret_menu_requests
from bot.telegram.messages import ANSWER_PRESS, Keyboard, Link, post_message, show_round
from bot.telegram.routes import START_COMMAND, ButtonRoute, CommandRoute, OtherUpdate, Routes

# /start and the greeting

GREETING_LINK = "hello"  # The payload of the link that adds the bot to a group
GREETED_KEY = "greeted"  # A setting: the group has been greeted


async def show_start(context: Context) -> Effect:
    """Reply with the ways to begin."""
    if not context.chat.private:
        greeting, buttons = render_greeting(context.words)
        return send_only(context.reply(greeting, keyboard=buttons))
    return lambda tx: [render_start(context, tx)]


def render_start(context: Context, tx: Tx) -> Response:
    """Render the ways to begin in private, with the tutorial for those who can take it."""
    words = context.words
    lines = [GAMES.default.render_about(words), words.translate("/help shows what else I can do.")]
    link = Link(make_group_link(str(context.services.me.username)))
    deal = (words.translate_plain("Deal a hand"), "st:deal")
    daily = (words.translate_plain("Today’s hand"), "st:daily")
    keyboard: Keyboard = [[deal, daily], [(words.translate_plain("Add me to a group"), link)]]
    if context.player is not None and tutorial.can_take_tutorial(tx, context.player.id):
        lines.append(words.translate("First time here? Try an easy hand."))
        keyboard = [[(f"🎓 {words.translate_plain('Try it')}", "st:learn")], *keyboard]
    return context.reply(Html("\n".join(lines)), keyboard=keyboard)


def make_group_link(username: str) -> str:
    """Return the address that adds the bot to a group, where it then greets."""
    return f"https://t.me/{username}?startgroup={GREETING_LINK}"


def render_greeting(words: Words) -> tuple[Html, Keyboard]:
    lines = [
        GAMES.default.render_greeting(words),
        Html(f"/play — {words.translate('deal a hand')}"),
        words.translate("/help shows what else I can do."),
    ]
    return Html("\n".join(lines)), [[(words.translate_plain("Deal a hand"), "st:deal")]]


async def press_start_button(context: Context) -> Effect:
    """Do what a button of the first messages says: deal a hand, today's hand or the tutorial's."""
    handlers: dict[str, Handler] = {
        "st:deal": deal_default_game,
        "st:daily": show_daily,
        "st:learn": tutorial.begin_tutorial,
    }
    game = next((each for each in GAMES.values() if context.button_data == f"st:play:{each.command}"), None)
    if game is not None:  # a tab of the board
        commands = {command.name: command.handler for command in context.services.commands}
        handlers[context.button_data] = commands[game.command]
    if context.button_data not in handlers or not context.is_genuine_press:
        return refuse_old_button(context)
    button_effect = await handlers[context.button_data](context)

    def effect(tx: Tx) -> Sequence[Response]:
        responses = button_effect(tx)
        requests = [response for response in responses if isinstance(response, Outgoing)]
        is_answered = any(request.method == ANSWER_PRESS for request in requests)
        return responses if is_answered else [*responses, *context.answer_press()]

    return effect


async def greet_new_group(context: Context) -> Effect:
    """Greet a group that added the bot by a link, unless it has been greeted; show the start in private."""
    if context.chat.private:
        return await show_start(context)
    return lambda tx: _greet_once(context, tx)


async def record_bot_membership(context: Context) -> Effect:
    """Note that the bot was added or removed, blocked or unblocked; greet a new group where it may write."""
    change = context.incoming.membership
    if change is None:
        return do_nothing

    def mark_gone(tx: Tx) -> list[Outgoing]:
        people.mark_chat_gone(tx, context.chat.id)
        return []

    if not change.is_in_chat:
        return mark_gone
    is_new = not context.chat.private and not change.was_in_chat
    if not is_new or not change.may_write:
        return send_only()  # Says nothing, but unlike `do_nothing` has the chat stored
    return lambda tx: _greet_once(context, tx)


def _greet_once(context: Context, tx: Tx) -> list[Outgoing]:
    """Return the greeting, and store that the group has been greeted; empty if it had been."""
    chat = people.load_chat(tx, context.chat.id, context.chat.kind)
    if chat.settings.get_switch(GREETED_KEY):
        return []
    people.store_setting(tx, context.chat.id, GREETED_KEY, value=True)
    text, keyboard = render_greeting(context.words)
    return [post_message(context.chat.id, text, topic=context.topic, keyboard=keyboard)]


# Supergroups


async def move_to_supergroup(context: Context) -> Effect:
    """Move everything of a group to the id that it has as a supergroup, and show its open rounds there.

    Telegram reports the change in both chats, in either order; the second report changes nothing.
    """
    old = context.incoming.migrated_from or context.chat.id
    new = context.incoming.migrated_to or context.chat.id

    def effect(tx: Tx) -> list[Outgoing]:
        # Only those with a message: requests that wait follow once Telegram refuses them in the old chat
        challenges = [
            replace(challenge, chat_id=new, message_id=None)
            for challenge in duels.load_open_challenges(tx, old)
            if challenge.message_id is not None
        ]
        chat_migration.move_chat(tx, old, new)
        open_rounds = rounds.load_open_rounds_in_chat(tx, new)
        running_contests = contests.load_running_contests(tx, chat_id=new)
        # The move forgot their messages
        unshown = [each.id for each in (*open_rounds, *running_contests) if each.message_id is None]
        requests = [show_round(new, round_id, new=True) for round_id in unshown]
        requests += [make_challenge_message(challenge) for challenge in challenges]
        if read_preferences(people.load_group(tx, new)).secret_answers:
            requests += make_secret_menu_requests(context.services.commands, new, on=True)
        return requests

    return effect


ROUTES = Routes(
    commands=[CommandRoute(START_COMMAND, show_start, UpdateKind.DEAL)],
    buttons=[ButtonRoute("st", press_start_button, UpdateKind.DEAL_PRESS)],
    deep_links={GREETING_LINK: greet_new_group},
    other_updates={
        OtherUpdate.BOT_MEMBERSHIP: record_bot_membership,
        OtherUpdate.CHAT_MIGRATION: move_to_supergroup,
        OtherUpdate.TOPIC_CLOSED: topics.leave_closed_topic,
    },
)
