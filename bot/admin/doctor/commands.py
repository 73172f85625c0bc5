"""/doctor: what keeps the bot from hearing, writing or dealing in a chat, and how to mend it."""

from typing import Any

from telegram.constants import ChatMemberStatus
from telegram.error import TelegramError

from bot.admin import reactions, topics
from bot.admin.doctor import queries as lanes
from bot.admin.doctor.view import Condition, findings
from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.durations import DAY, HOUR
from bot.queue.intake import Work
from bot.rounds import queries as rounds
from bot.rounds.commands import refusing
from bot.telegram.context import Context, Effect, nothing, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Command, Routes


async def doctor(context: Context) -> Effect:
    """One message with every finding, for whoever runs the chat."""
    if not await context.is_admin():
        refusal = context.words.say("Only admins can call the doctor here.")
        return refusing(context, refusal) if context.player else nothing
    try:
        condition = await _examined(context)
    except TelegramError:
        return saying(
            context.say(context.words.say("Telegram doesn't tell me enough just now. Please try again."))
        )
    said = context.say(findings(context.words, condition))
    return saying(said) if context.chat.private else lambda tx: _noted(tx, condition, said)


def _noted(tx: Tx, condition: Condition, said: Request) -> list[Request]:
    """Store what the group forbids by now, and lift its tie to a topic that is gone, as is said."""
    reactions.store(tx, condition.chat_id, condition.forbidden)
    if condition.topic_gone:
        topics.leave(tx, condition.chat_id, condition.chosen.topic)
    return [said]


async def _examined(context: Context) -> Condition:
    """Ask Telegram and the store. Raises TelegramError."""
    chat_id, chosen = context.chat.id, preferences.of(context.chat)
    me = await context.lookup("getMe")
    chat = await context.lookup("getChat", chat_id=chat_id)
    member = (
        {}
        if context.chat.private
        else await context.lookup("getChatMember", chat_id=chat_id, user_id=me["id"])
    )
    read = context.services.store.read
    most = chosen.rounds_an_hour or 1
    opened = await read(lambda tx: rounds.opened_since(tx, chat_id, context.now - HOUR, most))
    return Condition(
        chat_id=chat_id,
        private=context.chat.private,
        chosen=chosen,
        now=context.now,
        hears_all=bool(me.get("can_read_all_group_messages")),
        admin=member.get("status") == ChatMemberStatus.ADMINISTRATOR,
        may_write=context.chat.private or _may(chat, member, "can_send_messages"),
        may_show=context.chat.private or _may(chat, member, "can_send_photos"),
        slow_mode=float(chat.get("slow_mode_delay", 0)),
        forbidden=reactions.forbidden_in(chat),
        forum=bool(chat.get("is_forum")),
        topic_gone=await topics.was_deleted(context, chosen),
        waiting=await read(lambda tx: lanes.waiting(tx, chat_id)),
        refused=await read(lambda tx: lanes.refused(tx, chat_id, context.now - DAY)),
        full_until=preferences.full_until(chosen, opened, context.now),
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
        Command(
            "doctor",
            doctor,
            Work.LOOKUP,
            lambda speech: speech.plain("what is in my way, for admins"),
        )
    ]
)
