"""/doctor: what keeps the bot from hearing, writing or dealing in a chat, and how to mend it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, select
from telegram.constants import ChatMemberStatus
from telegram.error import TelegramError

from bot.admin import reactions, topics
from bot.admin.settings import preferences as preferences
from bot.admin.settings.preferences import Pictures, Preferences, get_quiet_end
from bot.admin.settings.view import format_quiet_hours, render_topic_link
from bot.database import Tx
from bot.database.schema import outbox
from bot.durations import DAY, HOUR
from bot.i18n import Html, Words
from bot.queue.admission import UpdateKind
from bot.rounds import queries as rounds
from bot.rounds.commands import make_notice_effect
from bot.telegram.context import Context, Effect, do_nothing, send_only
from bot.telegram.messages import Request, format_duration
from bot.telegram.routes import CommandRoute, Routes


@dataclass(frozen=True, slots=True)
class ChatCondition:
    """What was examined."""

    chat_id: int
    private: bool
    chosen: Preferences
    now: float
    hears_all: bool  # Privacy mode is off
    admin: bool  # The bot is an admin of the chat
    may_write: bool
    may_show: bool  # The chat lets the bot send photos
    slow_mode: float  # Seconds between two messages of a person; 0 is off
    forbidden: tuple[str, ...]  # Those of the bot's reactions that the chat doesn't allow
    forum: bool
    topic_gone: bool  # Whether the topic to which the chat is tied was deleted
    waiting: int  # Requests that wait for Telegram's limit
    refused: str | None  # Why Telegram refused the latest request of the day that it refused
    full_until: float | None  # When the hour has room for another round, if it is full


def render_findings(words: Words, c: ChatCondition) -> Html:
    """Renders the report."""
    organs = [_hearing(words, c), _limits(words, c), *_trouble(words, c)]
    if not c.private:
        quiet = [*_reactions(words, c), *_pictures(words, c)]
        organs[1:1] = [_rights(words, c), *quiet, _slow_mode(words, c), _topic(words, c)]
    return Html("\n".join(organs))


def _well(sentence: Html) -> Html:
    return Html(f"✅ {sentence}")


def _ill(sentence: Html) -> Html:
    return Html(f"⚠️ {sentence}")


def _hearing(words: Words, c: ChatCondition) -> Html:
    if not c.chosen.reads_plain_answers:
        return _well(
            words.translate("Answers are replies to me or /a: /settings says that I read nothing else.")
        )
    if c.private:
        return _well(words.translate("Here I read every message."))
    if c.admin:
        return _well(words.translate("I read every message, because I am an admin here."))
    if c.hears_all:
        return _well(
            words.translate(
                "I read every message (privacy mode is off). If I miss plain answers, remove me "
                "and add me again."
            )
        )
    return _ill(
        words.translate(
            "I see only commands and replies to me (privacy mode is on). To let me see plain answers, make "
            "me an admin; or send /setprivacy to @BotFather, choose Disable, and add me to the group again."
        )
    )


def _rights(words: Words, c: ChatCondition) -> Html:
    if c.may_write:
        return _well(words.translate("I may write here: that is all I need."))
    return _ill(
        words.translate("I may not write here: allow me to send messages in the group's permissions.")
    )


def _reactions(words: Words, c: ChatCondition) -> Iterator[Html]:
    if c.forbidden:
        yield _ill(
            words.translate(
                "I answer quietly by reactions, and this group doesn't allow these: {reactions}. "
                "An admin can, in the group's reactions.",
                reactions=" ".join(c.forbidden),
            )
        )


def _pictures(words: Words, c: ChatCondition) -> Iterator[Html]:
    """Why there are none, where the chat wants some."""
    if c.chosen.pictures is Pictures.OFF:
        return
    if not c.may_show:
        yield _ill(
            words.translate(
                "Hands come as text, since I may send no photos: allow me to in the group's permissions. I "
                "try again within ten minutes."
            )
        )
    elif c.slow_mode:
        yield _ill(words.translate("Hands come as text while slow mode is on."))


def _slow_mode(words: Words, c: ChatCondition) -> Html:
    if not c.slow_mode:
        return _well(words.translate("Slow mode is off."))
    return _ill(
        words.translate(
            "Slow mode lets each person write once in {time}, answers too. It can be turned off in the "
            "group's permissions.",
            time=format_duration(words, c.slow_mode),
        )
    )


def _topic(words: Words, c: ChatCondition) -> Html:
    if c.topic_gone:
        return _ill(topics.render_topic_gone(words))
    if c.chosen.topic and not c.forum:
        return _ill(
            words.translate("I am tied to a topic, but this group has none: choose “any topic” in /settings.")
        )
    if c.chosen.topic:
        where = render_topic_link(words, c.chat_id, c.chosen)
        return _well(words.translate("I deal in {topic} only: so /settings says.", topic=where))
    if c.forum:
        return _well(
            words.translate("I deal in every topic. /settings can tie me to the one where you call it.")
        )
    return _well(words.translate("This group has no topics."))


def _limits(words: Words, c: ChatCondition) -> Html:
    quiet = get_quiet_end(c.chosen, c.now)
    if quiet is not None and c.chosen.quiet:
        return _ill(
            words.translate(
                "I deal no hand now: quiet hours are {hours}. /settings changes them.",
                hours=format_quiet_hours(c.chosen.quiet),
            )
        )
    if c.full_until is not None:
        wait = format_duration(words, c.full_until - c.now)
        return _ill(
            words.translate(
                "This hour's rounds are played: the next in {time}. /settings has the limit.", time=wait
            )
        )
    if c.waiting:
        return _ill(
            words.translate_plural(
                "{n} message of mine waits: Telegram allows 20 a minute in a group.",
                "{n} messages of mine wait: Telegram allows 20 a minute in a group.",
                c.waiting,
            )
        )
    return _well(words.translate("Nothing holds me up."))


def _trouble(words: Words, c: ChatCondition) -> Iterator[Html]:
    if c.refused:
        yield _ill(
            words.translate("Today Telegram refused a message of mine: “{trouble}”", trouble=c.refused[:200])
        )


WAITING = select(func.count()).where(outbox.c.lane == bindparam("chat"), outbox.c.state == "waiting")
REFUSED = (
    select(outbox.c.trouble)
    .where(outbox.c.lane == bindparam("chat"), outbox.c.state.in_(("dead", "wish")))
    .where(outbox.c.at > bindparam("since"))
    .order_by(outbox.c.id.desc())
    .limit(1)
)


def count_waiting_requests(tx: Tx, chat_id: int) -> int:
    """How many requests wait for their turn in a chat."""
    return int(tx.scalar(WAITING, {"chat": chat_id}) or 0)


def load_latest_refusal(tx: Tx, chat_id: int, since: float) -> str | None:
    """Why Telegram took no notice of the latest request to a chat that it refused after `since`."""
    trouble = tx.scalar(REFUSED, {"chat": chat_id, "since": since})
    return None if trouble is None else str(trouble)


async def show_findings(context: Context) -> Effect:
    """One message with every finding, for whoever runs the chat."""
    if not await context.is_admin():
        refusal = context.words.translate("Only admins can call the doctor here.")
        return make_notice_effect(context, refusal) if context.player else do_nothing
    try:
        condition = await _examined(context)
    except TelegramError:
        return send_only(
            context.reply(
                context.words.translate("Telegram doesn't tell me enough just now. Please try again.")
            )
        )
    said = context.reply(render_findings(context.words, condition))
    return send_only(said) if context.chat.private else lambda tx: _noted(tx, condition, said)


def _noted(tx: Tx, condition: ChatCondition, said: Request) -> list[Request]:
    """Store what the group forbids by now, and lift its tie to a topic that is gone, as is said."""
    reactions.store_forbidden_reactions(tx, condition.chat_id, condition.forbidden)
    if condition.topic_gone:
        topics.leave_topic(tx, condition.chat_id, condition.chosen.topic)
    return [said]


async def _examined(context: Context) -> ChatCondition:
    """Ask Telegram and the store. Raises TelegramError."""
    chat_id, chosen = context.chat.id, preferences.read_preferences(context.chat)
    me = await context.call_api("getMe")
    chat = await context.call_api("getChat", chat_id=chat_id)
    member = (
        {}
        if context.chat.private
        else await context.call_api("getChatMember", chat_id=chat_id, user_id=me["id"])
    )
    read = context.services.store.read
    most = chosen.rounds_an_hour or 1
    opened = await read(lambda tx: rounds.load_opening_times(tx, chat_id, context.sent_at - HOUR, most))
    return ChatCondition(
        chat_id=chat_id,
        private=context.chat.private,
        chosen=chosen,
        now=context.sent_at,
        hears_all=bool(me.get("can_read_all_group_messages")),
        admin=member.get("status") == ChatMemberStatus.ADMINISTRATOR,
        may_write=context.chat.private or _may(chat, member, "can_send_messages"),
        may_show=context.chat.private or _may(chat, member, "can_send_photos"),
        slow_mode=float(chat.get("slow_mode_delay", 0)),
        forbidden=reactions.find_forbidden_reactions(chat),
        forum=bool(chat.get("is_forum")),
        topic_gone=await topics.is_topic_deleted(context, chosen),
        waiting=await read(lambda tx: count_waiting_requests(tx, chat_id)),
        refused=await read(lambda tx: load_latest_refusal(tx, chat_id, context.sent_at - DAY)),
        full_until=preferences.get_next_round_time(chosen, opened, context.sent_at),
    )


def _may(chat: dict[str, Any], member: dict[str, Any], right: str) -> bool:
    """Whether the bot has a right to send something."""
    if member.get("status") == ChatMemberStatus.ADMINISTRATOR:
        return True
    if member.get("status") == ChatMemberStatus.RESTRICTED:
        return bool(member.get(right))
    return bool(chat.get("permissions", {}).get(right, True))


ROUTES = Routes(
    commands=[
        CommandRoute(
            "doctor",
            show_findings,
            UpdateKind.LOOKUP,
            lambda speech: speech.translate_plain("what is in my way, for admins"),
        )
    ]
)
