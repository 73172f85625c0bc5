"""/doctor: what keeps the bot from hearing, writing or dealing in a chat, and how to mend it."""

from typing import Any

from telegram.constants import ChatMemberStatus
from telegram.error import TelegramError

from bot.admin import reactions, topics
from bot.admin.doctor import queries as lanes
from bot.admin.doctor.view import ChatCondition, render_findings
from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.durations import DAY, HOUR
from bot.queue.intake import UpdateKind
from bot.rounds import queries as rounds
from bot.rounds.commands import make_notice_effect
from bot.telegram.context import Context, Effect, do_nothing, send_only
from bot.telegram.messages import Request
from bot.telegram.routes import CommandRoute, Routes


async def show_findings(context: Context) -> Effect:
    """One message with every finding, for whoever runs the chat."""
    if not await context.is_admin():
        refusal = context.words.translate("Only admins can call the doctor here.")
        return make_notice_effect(context, refusal) if context.player else do_nothing
    try:
        condition = await _examined(context)
    except TelegramError:
        return send_only(
            context.reply(context.words.translate("Telegram doesn't tell me enough just now. Please try again."))
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
        waiting=await read(lambda tx: lanes.count_waiting_requests(tx, chat_id)),
        refused=await read(lambda tx: lanes.load_latest_refusal(tx, chat_id, context.sent_at - DAY)),
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
