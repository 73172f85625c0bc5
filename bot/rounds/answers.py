"""Judge answers: replies to a deal, /a EXPRESSION, and plain expressions where the bot may read them."""

from bot.admin.settings import preferences
from bot.database import Tx
from bot.modes.daily import commands as daily
from bot.modes.duel import queries as duels
from bot.queue.admission import UpdateKind
from bot.rounds import answer_target, private_answers, secret_answers, verdicts
from bot.rounds import queries as rounds
from bot.rounds.answer_target import find_table_round, fits_round, load_open_round_here
from bot.rounds.commands import make_notice, point_to_open_hand, react, reply, reply_no_open_hand
from bot.rounds.puzzle import Verdict, VerdictKind
from bot.rounds.registry import DEFAULT_GAME, GAMES, is_answer, looks_like_answer, suggest_command
from bot.rounds.rules import Round, is_in_time
from bot.telegram.context import Context, Effect, do_nothing
from bot.telegram.messages import Request
from bot.telegram.routes import CommandRoute, Routes


async def answer_command(context: Context) -> Effect:
    """Handle /a: judge the expression behind it, or explain the command; ignore an edited message."""
    if not context.is_new_message:
        return do_nothing
    if context.argument:
        refusal = await private_answers.refuse_former_member(context)
        if refusal is not None:
            return refusal
        return _make_addressed_effect(await secret_answers.decide_message_deletion(context))

    def explain(tx: Tx) -> list[Request]:
        """Reply with an example for the game of the round here, else for the default game."""
        table_round = find_table_round(context, tx)
        example = (GAMES[table_round.game] if table_round else DEFAULT_GAME).example_answer
        text = context.words.translate("Write your answer after the command: /a {example}", example=example)
        return make_notice(context, tx, text)

    return explain


async def answer_text(context: Context) -> Effect:
    """Judge a new message as an answer: in private or in reply to the bot always.

    Other messages of a group only if they look like an answer and the group lets the bot read them.
    """
    if not context.is_new_message or context.message is None or not context.argument:
        return do_nothing
    refusal = await private_answers.refuse_former_member(context)
    if refusal is not None:
        return refusal
    may_be_answer = looks_like_answer(context.argument)
    replied = context.replied_bot_message
    if replied or may_be_answer:
        context = await secret_answers.decide_message_deletion(context)
    if context.chat.private or context.ephemeral_id:
        return _make_addressed_effect(context)
    if replied is not None:
        replied_text = replied.text or replied.caption or ""
        return lambda tx: _judge_group_reply(context, tx, replied.message_id, replied_text)
    if not may_be_answer or not preferences.read_preferences(context.chat).reads_plain_answers:
        return do_nothing
    return lambda tx: _judge(context, tx, find_table_round(context, tx), addressed=False)


def _make_addressed_effect(context: Context) -> Effect:
    """Return the effect that judges an answer which is addressed to the bot."""
    if context.chat.private:
        return lambda tx: _judge_private_answer(context, tx)
    return lambda tx: _judge(context, tx, find_table_round(context, tx), addressed=True)


def _judge_private_answer(context: Context, tx: Tx) -> list[Request]:
    """Judge an answer in a private chat: from a board page by the hand of that page, else by its numbers.

    If no hand has its numbers, it is judged by the hand that it replies to, else by the open one here, else
    by an unfinished daily hand, else by the last one here.
    """
    board_round = answer_target.find_board_round(context, tx)
    judged = daily.judge_board_answer(context, tx)
    if judged is None and board_round is not None:
        judged = _judge(context, tx, board_round, addressed=True)
    if judged is None:
        judged = private_answers.judge_linked_answer(context, tx)
    if judged is not None:
        return judged
    replied = context.replied_bot_message
    replied_round = None
    if replied is not None:
        replied_round = rounds.load_round_of_message(tx, context.chat.id, replied.message_id)
    judged = _judge_by_numbers(context, tx, replied_round)
    if judged is None:
        judged = daily.judge_reply(context, tx)
    if judged is not None:
        return judged
    unfinished = daily.load_unfinished_hands(context, tx)
    if unfinished and replied_round is None and load_open_round_here(context, tx) is None:
        return daily.judge_answer(context, tx, unfinished[0])  # the latest
    return _judge(context, tx, replied_round or find_table_round(context, tx), addressed=True)


def _judge_by_numbers(context: Context, tx: Tx, replied_round: Round | None) -> list[Request] | None:
    """Judge an answer by the hand that has its numbers; None if no hand has them.

    In this order: the daily hand or round that it replies to, the open round, a started daily hand, the round
    that has just ended.
    """
    text = context.argument
    live = load_open_round_here(context, tx)
    replied_hand = daily.load_replied_hand(context, tx)
    if replied_hand is not None and daily.is_answer_to(replied_hand, text):
        return daily.judge_reply(context, tx)
    for round in (replied_round, live):
        if round is not None and fits_round(round, text):
            return _judge(context, tx, round, addressed=True)
    for started in daily.load_started_hands(context, tx):
        daily_hand, _attempt = started
        if daily.is_answer_to(daily_hand, text):
            return daily.judge_answer(context, tx, started)
    just_ended = answer_target.find_just_ended_round(context, tx, live)
    if just_ended is None:
        return None
    return _judge(context, tx, just_ended, addressed=True)


def is_answer_to_private_hand(context: Context, tx: Tx) -> bool:
    """Whether the text has the numbers of an open, linked or daily hand that the player may answer here."""
    text = context.argument
    live = load_open_round_here(context, tx)
    if live is not None and fits_round(live, text):
        return True
    if private_answers.fits_linked_round(context, tx):
        return True
    return any(daily.is_answer_to(hand, text) for hand, _ in daily.load_started_hands(context, tx))


def _judge_group_reply(context: Context, tx: Tx, message_id: int, message_text: str) -> list[Request]:
    """Judge a reply to that message of the bot in a group.

    It is judged by the round in that message, or by the open one if only that, or the hand just before it,
    fits. If the message shows no round, the reply is judged like a plain message.
    """
    replied_round = answer_target.find_quoted_round(context, tx, message_id, message_text)
    if replied_round is None:
        return _judge(context, tx, find_table_round(context, tx), addressed=False)
    live = load_open_round_here(context, tx)
    if live is not None and not fits_round(replied_round, context.argument):
        solved_previous = answer_target.find_solved_previous_round(context, tx, live, addressed=True)
        if fits_round(live, context.argument) or solved_previous is not None:
            return _judge(context, tx, live, addressed=True)
    return _judge(context, tx, replied_round, addressed=True)


def _judge(context: Context, tx: Tx, round: Round | None, *, addressed: bool) -> list[Request]:
    """Judge the message as an answer to the round and apply the verdict.

    A message that is not `addressed` to the bot is ignored unless it is right, has a wrong value, or solves
    the hand before. Ignores talk, and any answer but a right one from a spectator of a duel.
    """
    if round is None or answer_target.is_long_over(round, context.sent_at):
        return _reply_without_round(context, tx, round) if addressed else []
    verdict = GAMES[round.game].check(round.puzzle, context.argument)
    if verdict.kind is VerdictKind.RIGHT:
        return verdicts.apply_right_answer(context, tx, round, verdict.answer)
    if verdict.kind in (VerdictKind.WRONG_NUMBERS, VerdictKind.TALK):
        # A reply to a message without a round is not `addressed`, but may solve the hand before.
        is_to_bot = addressed or context.replied_bot_message is not None
        previous = answer_target.find_solved_previous_round(context, tx, round, addressed=is_to_bot)
        if previous is not None:
            late_verdict = GAMES[previous.game].check(previous.puzzle, context.argument)
            return verdicts.reply_too_late(context, tx, previous, late_verdict.answer)
    if not addressed and verdict.kind is not VerdictKind.WRONG:
        return []
    if _is_talk(context, verdict) or duels.is_duel_spectator(tx, round, verdicts.get_author_id(context)):
        return []
    if is_in_time(round, context.sent_at):
        return verdicts.apply_wrong_answer(context, tx, round, verdict)
    return _reply_to_late_wrong_answer(context, tx, round, verdict) if addressed else []


def _is_talk(context: Context, verdict: Verdict) -> bool:
    """Whether a message other than a command is talk, or so unreadable that it may be talk."""
    if _is_command(context):
        return False
    if verdict.kind is VerdictKind.UNREADABLE:
        return not looks_like_answer(context.argument)
    return verdict.kind is VerdictKind.TALK


def _reply_to_late_wrong_answer(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """React in a group, or reply with the reason where that is forbidden; else say that no hand is open."""
    if context.chat.private or context.ephemeral_id:
        return _reply_without_round(context, tx, round)
    fallback = reply(context, verdict.render_reason(context.words)) if verdict.render_reason else None
    return react(context, verdicts.get_reaction(verdict), fallback=fallback)


def _reply_without_round(context: Context, tx: Tx, over: Round | None) -> list[Request]:
    """Reply that no hand is open for a message; `over` is the ended round that it belongs to.

    In private the reply may suggest a command instead. A reply to an old deal is pointed to the open hand if
    it is an answer to some game, else it is ignored.
    """
    if over is not None and context.board_round_id:
        return make_notice(context, tx, context.words.translate("That hand is over."), quiet=True)
    is_plain_reply = context.replied_bot_message is not None and not _is_command(context)
    if over is None or not is_plain_reply:
        suggestion = suggest_command(context.words, context.argument) if context.chat.private else None
        return reply_no_open_hand(context, tx) if suggestion is None else [context.reply(suggestion)]
    if not is_answer(context.argument):
        return []
    return point_to_open_hand(context, tx, quiet=True)


def _is_command(context: Context) -> bool:
    return bool(context.message and (context.message.text or "").startswith("/"))


ROUTES = Routes(
    commands=[
        CommandRoute(
            "a",
            answer_command,
            UpdateKind.ANSWER,
            lambda words: words.translate_plain("answer: /a 8/(3-8/3)"),
            groups_only=True,
        )
    ]
)
