"""/doctor: examine what keeps the bot from reading, writing or dealing in a chat, and say how to solve it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import func, select
from telegram.constants import ChatMemberStatus
from telegram.error import TelegramError

from bot.admin.settings.view import format_quiet_hours
from bot.database import Tx
from bot.database.schema import outbox
from bot.durations import DAY, HOUR
from bot.formats import format_duration
from bot.i18n import Html, Words, translate_later
from bot.players import queries as people
from bot.players.preferences import (
    Pictures,
    Preferences,
    get_next_round_time,
    get_quiet_end,
    read_preferences,
)
from bot.queue.admission import UpdateKind
from bot.rounds import queries as rounds
from bot.rounds import topics
from bot.rounds.commands import make_notice
from bot.rounds.topics import render_topic_link
from bot.telegram.context import Context, Effect, Response, do_nothing, send_only
from bot.telegram.routes import CommandRoute, Routes


@dataclass(frozen=True, slots=True)
class ChatCondition:
    chat_id: int
    private: bool
    preferences: Preferences
    now: float
    is_privacy_mode_off: bool
    is_admin: bool
    may_write: bool
    may_send_photos: bool
    slow_mode: float  # Seconds between two messages of a person; 0 is off
    forbidden_reactions: tuple[str, ...]
    is_forum: bool
    is_topic_deleted: bool  # The only topic in which the bot plays
    waiting: int  # Requests that wait for Telegram's limit
    refusal: str | None  # Telegram's reason for the latest refusal of the last day
    next_round_at: float | None  # If no more rounds may be dealt in this hour


async def show_findings(context: Context) -> Effect:
    """Reply to an admin with all findings; store the forbidden reactions, and leave a deleted topic."""
    words = context.words
    if not await context.is_admin():
        refusal = words.translate("Only admins can use /doctor here.")
        return (lambda tx: make_notice(context, tx, refusal)) if context.player else do_nothing
    try:
        condition = await _examine(context)
    except TelegramError:
        failed = words.translate("Telegram doesn’t tell me enough just now. Please try again.")
        return send_only(context.reply(failed))

    def effect(tx: Tx) -> list[Response]:
        people.store_forbidden_reactions(tx, condition.chat_id, condition.forbidden_reactions)
        if condition.is_topic_deleted:
            topics.leave_topic(tx, condition.chat_id, condition.preferences.topic)
        return [context.reply(render_findings(words, condition))]

    return effect


async def _examine(context: Context) -> ChatCondition:
    """Ask Telegram and the database for the state of the chat. Raises TelegramError."""
    chat_id = context.chat.id
    private = context.chat.private
    now = context.sent_at
    preferences = read_preferences(context.chat)
    read = context.services.store.read
    me = await context.call_api("getMe")
    chat = await context.call_api("getChat", chat_id=chat_id)
    # The bot as a member of the group
    member = {} if private else await context.call_api("getChatMember", chat_id=chat_id, user_id=me["id"])
    is_admin = member.get("status") == ChatMemberStatus.ADMINISTRATOR
    is_restricted = member.get("status") == ChatMemberStatus.RESTRICTED
    rights = member if is_restricted else chat.get("permissions", {})  # Neither applies to admins
    has_all_rights = private or is_admin
    is_allowed_by_default = not is_restricted  # Where the rights don't say
    waiting, refusal = await read(lambda tx: _load_waiting_and_refusal(tx, chat_id, now - DAY))
    limit = preferences.rounds_an_hour or 1  # Without a limit, the times are not used
    opened = await read(lambda tx: rounds.load_opening_times(tx, chat_id, now - HOUR, limit))
    return ChatCondition(
        chat_id=chat_id,
        private=private,
        preferences=preferences,
        now=now,
        is_privacy_mode_off=bool(me.get("can_read_all_group_messages")),
        is_admin=is_admin,
        may_write=has_all_rights or rights.get("can_send_messages", is_allowed_by_default),
        may_send_photos=has_all_rights or rights.get("can_send_photos", is_allowed_by_default),
        slow_mode=float(chat.get("slow_mode_delay", 0)),
        forbidden_reactions=_find_forbidden_reactions(chat.get("available_reactions")),
        is_forum=bool(chat.get("is_forum")),
        is_topic_deleted=await topics.is_topic_deleted(context, preferences),
        waiting=waiting,
        refusal=refusal,
        next_round_at=get_next_round_time(preferences, opened, now),
    )


USED_REACTIONS = ("👎", "👀", "🤔", "🏆", "👏", "👌", "🤝")


def _find_forbidden_reactions(available: Iterable[Mapping[str, str]] | None) -> tuple[str, ...]:
    """Return those of the bot's reactions that are not available in a chat by `getChat`; None is all."""
    if available is None:
        return ()
    allowed = {reaction.get("emoji") for reaction in available}
    return tuple(emoji for emoji in USED_REACTIONS if emoji not in allowed)


def _load_waiting_and_refusal(tx: Tx, chat_id: int, since: float) -> tuple[int, str | None]:
    """Return how many requests wait, and Telegram's reason for the latest refusal since then or None."""
    in_lane = outbox.c.lane == chat_id
    waiting = select(func.count()).where(in_lane, outbox.c.state == "waiting")
    refusals = select(outbox.c.trouble).where(in_lane, outbox.c.state == "dead")
    latest = refusals.where(outbox.c.at > since).order_by(outbox.c.id.desc()).limit(1)
    return tx.scalar(waiting) or 0, tx.scalar(latest)


MAX_REFUSAL_LENGTH = 200  # Characters of Telegram's reason


def render_findings(words: Words, c: ChatCondition) -> Html:
    """Render a line for each finding; in private only about reading, limits and a refusal."""
    lines = [_render_reading(words, c)]
    if not c.private:
        lines += [*_render_writing(words, c), _render_topic(words, c)]
    lines.append(_render_limits(words, c))
    if c.refusal:
        trouble = c.refusal[:MAX_REFUSAL_LENGTH]
        refused = words.translate(
            "In the last 24 hours Telegram refused a message of mine: “{trouble}”", trouble=trouble
        )
        lines.append(_warn(refused))
    return Html("\n".join(lines))


def _approve(sentence: Html) -> Html:
    return Html(f"✅ {sentence}")


def _warn(sentence: Html) -> Html:
    return Html(f"⚠️ {sentence}")


def _render_reading(words: Words, c: ChatCondition) -> Html:
    """Render which messages the bot reads and why: by the setting, in private, as an admin, by privacy mode.

    A warning if Telegram withholds plain answers.
    """
    if not c.preferences.reads_plain_answers:
        known = words.translate(
            "Answer by a reply to me or by /a. To use plain answers, change it in /settings."
        )
    elif c.private:
        known = words.translate("Here I read every message.")
    elif c.is_admin:
        known = words.translate("I read every message, because I am an admin here.")
    elif c.is_privacy_mode_off:
        known = words.translate(
            "I read every message (privacy mode is off). If I miss plain answers, remove me and add me again."
        )
    else:
        limits = words.translate(
            "I see only commands and replies to me (privacy mode is on). To let me see plain answers, make "
            "me an admin; or send /setprivacy to @BotFather, choose Disable, and add me to the group again."
        )
        return _warn(limits)
    return _approve(known)


def _render_writing(words: Words, c: ChatCondition) -> Iterator[Html]:
    """Render whether the bot may write and react, why hands come as text, and the slow mode."""
    if c.may_write:
        yield _approve(words.translate("I may write here: that is all I need."))
    else:
        yield _warn(
            words.translate("I may not write here: allow me to send messages in the group’s permissions.")
        )
    if c.forbidden_reactions:
        forbidden = words.translate(
            "I answer quietly by reactions, and this group doesn’t allow these: {reactions}. "
            "An admin can, in the group’s reactions.",
            reactions=" ".join(c.forbidden_reactions),
        )
        yield _warn(forbidden)
    wants_pictures = c.preferences.pictures is not Pictures.OFF
    if wants_pictures and not c.may_send_photos:
        no_photos = words.translate(
            "Hands come as text, since I may send no photos: allow me to in the group’s permissions. I "
            "try again within ten minutes."
        )
        yield _warn(no_photos)
    elif wants_pictures and c.slow_mode:
        yield _warn(words.translate("Hands come as text while slow mode is on."))
    yield _render_slow_mode(words, c)


def _render_slow_mode(words: Words, c: ChatCondition) -> Html:
    if not c.slow_mode:
        return _approve(words.translate("Slow mode is off."))
    slow = words.translate(
        "Slow mode lets each person write once in {time}, answers too. It can be turned off in the "
        "group’s permissions.",
        time=format_duration(words, c.slow_mode),
    )
    return _warn(slow)


def _render_topic(words: Words, c: ChatCondition) -> Html:
    """Render where the bot deals, with a warning if its only topic is gone or the group has none."""
    if c.is_topic_deleted:
        return _warn(topics.render_topic_gone(words))
    if c.preferences.topic and not c.is_forum:
        return _warn(
            words.translate("I am tied to a topic, but this group has none: choose “any topic” in /settings.")
        )
    if c.preferences.topic:
        link = render_topic_link(words, c.chat_id, c.preferences)
        return _approve(words.translate("I deal in {topic} only, as chosen in /settings.", topic=link))
    if c.is_forum:
        return _approve(
            words.translate("I deal in every topic. /settings can tie me to the one where you call it.")
        )
    return _approve(words.translate("This group has no topics."))


def _render_limits(words: Words, c: ChatCondition) -> Html:
    """Warn of the first of these: quiet hours now, no more rounds in this hour, messages that wait."""
    if c.preferences.quiet and get_quiet_end(c.preferences, c.now) is not None:
        hours = format_quiet_hours(c.preferences.quiet)
        quiet = words.translate(
            "I deal no hand now: quiet hours are {hours}. /settings changes them.", hours=hours
        )
        return _warn(quiet)
    if c.next_round_at is not None:
        wait = format_duration(words, c.next_round_at - c.now)
        played = words.translate(
            "This hour’s rounds are played: the next in {time}. /settings has the limit.", time=wait
        )
        return _warn(played)
    if c.waiting:
        waiting = words.translate_plural(
            "{n} message of mine waits: Telegram allows 20 a minute in a group.",
            "{n} messages of mine wait: Telegram allows 20 a minute in a group.",
            c.waiting,
        )
        return _warn(waiting)
    return _approve(words.translate("Nothing keeps me from dealing."))


MENU_LINE = translate_later("what keeps me from playing, for admins")
ROUTES = Routes(commands=[CommandRoute("doctor", show_findings, UpdateKind.LOOKUP, MENU_LINE)])
