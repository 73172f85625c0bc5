"""/doctor: what keeps the bot from hearing, writing or dealing in a chat, and how to mend it."""

from datetime import timedelta

from telegram import ChatFullInfo, ChatMember, ChatMemberRestricted, ReactionTypeEmoji
from telegram.constants import ChatMemberStatus
from telegram.error import TelegramError

from bot import preferences
from bot.handlers.play import aside
from bot.reply.findings import REACTIONS, Condition, findings
from bot.store import lanes, rounds
from bot.turn import Move, Turn, nothing, saying

DAY = 86_400.0


async def doctor(turn: Turn) -> Move:
    """One message with every finding, for whoever runs the chat."""
    if not await turn.is_admin():
        refusal = turn.words.say("Only admins can call the doctor here.")
        return (lambda tx: aside(turn, tx, refusal)) if turn.player else nothing
    try:
        condition = await _examined(turn)
    except TelegramError:
        return saying(turn.say(turn.words.say("Telegram doesn't tell me enough just now. Please try again.")))
    return saying(turn.say(findings(turn.words, condition)))


async def _examined(turn: Turn) -> Condition:
    """Ask Telegram and the store. Raises TelegramError."""
    bot, chat_id, chosen = turn.services.bot, turn.chat.id, preferences.of(turn.chat)
    me = await bot.get_me()
    chat = await bot.get_chat(chat_id)
    member = None if turn.chat.private else await bot.get_chat_member(chat_id, me.id)
    read = turn.services.store.read
    most = chosen.rounds_an_hour or 1
    opened = await read(lambda tx: rounds.opened_since(tx, chat_id, turn.now - preferences.HOUR, most))
    return Condition(
        chat_id=chat_id,
        private=turn.chat.private,
        chosen=chosen,
        now=turn.now,
        hears_all=bool(me.can_read_all_group_messages),
        admin=member is not None and member.status == ChatMemberStatus.ADMINISTRATOR,
        may_write=member is None or _may_write(chat, member),
        slow_mode=_seconds(chat.slow_mode_delay),
        forbidden=_forbidden(chat),
        forum=bool(chat.is_forum),
        waiting=await read(lambda tx: lanes.waiting(tx, chat_id)),
        refused=await read(lambda tx: lanes.refused(tx, chat_id, turn.now - DAY)),
        full_until=preferences.full_until(chosen, opened, turn.now),
    )


def _may_write(chat: ChatFullInfo, member: ChatMember) -> bool:
    if member.status == ChatMemberStatus.ADMINISTRATOR:
        return True
    if isinstance(member, ChatMemberRestricted):
        return bool(member.can_send_messages)
    return chat.permissions is None or bool(chat.permissions.can_send_messages)


def _forbidden(chat: ChatFullInfo) -> tuple[str, ...]:
    """Reactions of the bot's that the chat doesn't allow.

    The library tells a chat that allows every one and a chat that allows none in the same way; in the
    latter Telegram refuses them, which is a finding of its own.
    """
    if not chat.available_reactions:
        return ()
    allowed = {r.emoji for r in chat.available_reactions if isinstance(r, ReactionTypeEmoji)}
    return tuple(emoji for emoji in REACTIONS if emoji not in allowed)


def _seconds(delay: int | timedelta | None) -> float:
    return delay.total_seconds() if isinstance(delay, timedelta) else float(delay or 0)
