"""Answers: replies to the deal, /a EXPRESSION, and plain expressions where the bot may read them."""

from bot.admin.settings import preferences as preferences
from bot.database import Tx
from bot.modes.daily import commands as daily
from bot.modes.duel import queries as duels
from bot.queue.admission import UpdateKind
from bot.rounds import answer_target, private_answers, secret_answers, verdicts
from bot.rounds import queries as rounds
from bot.rounds.commands import make_notice, point_to_open_hand, react, reply, reply_no_open_hand
from bot.rounds.puzzle import Verdict, VerdictKind
from bot.rounds.registry import DEFAULT_GAME, GAMES, is_answer, looks_like_answer, suggest_command
from bot.rounds.rules import Round, is_in_time
from bot.telegram.context import Context, Effect, do_nothing
from bot.telegram.messages import Request
from bot.telegram.routes import CommandRoute, Routes

MEANT_FOR_ANOTHER = (
    VerdictKind.WRONG_NUMBERS,
    VerdictKind.TALK,
)  # What a text is to a hand, if it may be an answer to another one


async def answer_command(context: Context) -> Effect:
    """/a EXPRESSION."""
    if not context.is_new_message:
        return do_nothing
    if not context.argument:
        return lambda tx: _how_to_answer(context, tx)
    return await private_answers.refuse_former_member(context) or _addressed(
        await secret_answers.decide_message_deletion(context)
    )


def _how_to_answer(context: Context, tx: Tx) -> list[Request]:
    """An example for who wrote no answer, of the game that is or was on the table here."""
    here = answer_target.find_table_round(context, tx)
    example = (GAMES[here.game] if here else DEFAULT_GAME).example_answer
    return make_notice(
        context,
        tx,
        context.words.translate("Write your answer after the command: /a {example}", example=example),
    )


def _addressed(context: Context) -> Effect:
    """The judgement on what was meant for the bot, by the hand on the table here, or the one that it fits."""
    if context.chat.private:
        return lambda tx: _in_private(context, tx)
    return lambda tx: _judge(context, tx, answer_target.find_table_round(context, tx), addressed=True)


async def answer_text(context: Context) -> Effect:
    """Any other message: an answer if it replies to a deal and reads so, or is made of what was dealt."""
    if not context.is_new_message or context.message is None or not context.argument:
        return do_nothing
    if (shut := await private_answers.refuse_former_member(context)) is not None:
        return shut
    if context.replied_bot_message or looks_like_answer(context.argument):
        context = await secret_answers.decide_message_deletion(context)
    return _judged(context)


def _judged(context: Context) -> Effect:
    """The judgement on a message, by what it replies to or by the hand on the table here."""
    if context.chat.private or context.ephemeral_id:
        return _addressed(context)
    if (replied := context.replied_bot_message) is not None:
        quoted = replied.text or replied.caption or ""
        return lambda tx: _judge_reply(context, tx, replied.message_id, quoted)
    if (
        not looks_like_answer(context.argument)
        or not preferences.read_preferences(context.chat).reads_plain_answers
    ):
        return do_nothing
    return lambda tx: _judge(context, tx, answer_target.find_table_round(context, tx), addressed=False)


def _in_private(context: Context, tx: Tx) -> list[Request]:
    """The judgement on what was written in private: by its numbers first.

    Where it has those of no hand, it goes to the one that it replies to, else to the one on the table or to
    an open hand of a day.
    """
    if (of_day := daily.judge_board_answer(context, tx)) is not None:
        return of_day
    if (tapped := answer_target.find_board_round(context, tx)) is not None:
        return _judge(context, tx, tapped, addressed=True)
    if (told := private_answers.judge_linked_answer(context, tx)) is not None:
        return told
    above = context.replied_bot_message
    shown = rounds.load_round_of_message(tx, context.chat.id, above.message_id) if above else None
    if (told := _by_numbers(context, tx, shown)) is not None:
        return told
    if (told := daily.judge_reply(context, tx)) is not None:
        return told
    waiting = daily.load_unfinished_hands(context, tx)
    if (
        waiting
        and shown is None
        and rounds.load_open_round(tx, *answer_target.get_chat_and_topic(context)) is None
    ):
        return daily.judge_answer(context, tx, waiting[0])
    return _judge(context, tx, shown or answer_target.find_table_round(context, tx), addressed=True)


def _by_numbers(context: Context, tx: Tx, shown: Round | None) -> list[Request] | None:
    """The judgement by the hand whose numbers a text has; None where it has those of none.

    That is the one that it replies to, the one on the table, an open hand of a day, or the one just over.
    """
    text, live = context.argument, rounds.load_open_round(tx, *answer_target.get_chat_and_topic(context))
    if (day := daily.load_replied_hand(context, tx)) is not None and daily.is_answer_to(day, text):
        return daily.judge_reply(context, tx)
    for round in filter(None, (shown, live)):
        if answer_target.fits_round(round, text):
            return _judge(context, tx, round, addressed=True)
    for one in daily.load_started_hands(context, tx):
        if daily.is_answer_to(one[0], text):
            return daily.judge_answer(context, tx, one)
    before = answer_target.find_just_ended_round(context, tx, live)
    return _judge(context, tx, before, addressed=True) if before else None


def is_answer_to_private_hand(context: Context, tx: Tx) -> bool:
    """Whether the text is made of what somebody has before them in private, in whatever game that is.

    That lies on the table here, on that of a group whose link they opened, or is of a day.
    """
    live = rounds.load_open_round(tx, *answer_target.get_chat_and_topic(context))
    if (
        live is not None and answer_target.fits_round(live, context.argument)
    ) or private_answers.fits_linked_round(context, tx):
        return True
    return any(
        daily.is_answer_to(hand, context.argument) for hand, _ in daily.load_started_hands(context, tx)
    )


def _judge_reply(context: Context, tx: Tx, message_id: int, quoted: str) -> list[Request]:
    """Judge a reply to one of the bot's messages in a group.

    It goes to the round that the message shows, or to the table's if it is made of what was dealt there and
    not of the other's numbers. Below a message that shows none it is like what is said plainly.
    """
    shown = answer_target.find_quoted_round(context, tx, message_id, quoted)
    if shown is None:
        return _judge(context, tx, answer_target.find_table_round(context, tx), addressed=False)
    live = rounds.load_open_round(tx, *answer_target.get_chat_and_topic(context))
    another = (
        live is not None
        and not answer_target.fits_round(shown, context.argument)
        and _suits(context, tx, live)
    )
    return _judge(context, tx, live if another else shown, addressed=True)


def _suits(context: Context, tx: Tx, live: Round) -> bool:
    """Whether the message has the numbers of the table's hand, or solves what was there just before."""
    return (
        answer_target.fits_round(live, context.argument)
        or answer_target.find_solved_previous_round(context, tx, live, addressed=True) is not None
    )


def _judge(context: Context, tx: Tx, round: Round | None, *, addressed: bool) -> list[Request]:
    """The verdict on the message. `addressed`: it was meant for the bot, so every verdict is told."""
    if round is None or answer_target.is_long_over(round, context.sent_at):
        return _nothing_to_judge(context, tx, round) if addressed else []
    to_us = addressed or context.replied_bot_message is not None
    verdict = GAMES[round.game].check(round.puzzle, context.argument)
    if verdict.kind is VerdictKind.RIGHT:
        return verdicts.apply_right_answer(context, tx, round, verdict.answer)
    if verdict.kind in MEANT_FOR_ANOTHER and (
        before := answer_target.find_solved_previous_round(context, tx, round, addressed=to_us)
    ):
        late = GAMES[before.game].check(before.puzzle, context.argument)
        return verdicts.reply_too_late(context, tx, before, late.answer)
    if _is_talk(verdict, context.argument) and not _commands(context):
        return []
    if not (addressed or verdict.kind is VerdictKind.WRONG) or duels.is_duel_spectator(
        tx, round, verdicts.get_author_id(context)
    ):
        return []
    if not is_in_time(round, context.sent_at):
        return _wrong_and_late(context, tx, round, verdict) if addressed else []
    return verdicts.apply_wrong_answer(context, tx, round, verdict)


def _nothing_to_judge(context: Context, tx: Tx, over: Round | None) -> list[Request]:
    """No hand to answer: a reply to an old deal is shown the live one, and talk below it is just talk.

    A page shows what is on the table by itself.
    """
    if over is not None and context.board_round_id:
        return make_notice(context, tx, context.words.translate("That hand is over."), quiet=True)
    if over is None or context.replied_bot_message is None or _commands(context):
        better = suggest_command(context.words, context.argument) if context.chat.private else None
        return reply_no_open_hand(context, tx) if better is None else [context.reply(better)]
    return point_to_open_hand(context, tx, quiet=True) if is_answer(context.argument) else []


def _is_talk(verdict: Verdict, text: str) -> bool:
    """Whether it is no answer, nor anything that looks like one."""
    return verdict.kind is VerdictKind.TALK or (
        verdict.kind is VerdictKind.UNREADABLE and not looks_like_answer(text)
    )


def _wrong_and_late(context: Context, tx: Tx, over: Round, verdict: Verdict) -> list[Request]:
    """Wrong, and after the end: in a group no more than a look, and nothing for talk about the hand."""
    if context.chat.private or context.ephemeral_id:
        return _nothing_to_judge(context, tx, over)
    why = reply(context, verdict.render_reason(context.words)) if verdict.render_reason else None
    return react(context, verdicts.get_reaction(verdict), why)


def _commands(context: Context) -> bool:
    """Whether it is said by a command, and so an answer whatever it is."""
    return bool(context.message and (context.message.text or "").startswith("/"))


ROUTES = Routes(
    commands=[
        CommandRoute(
            "a",
            answer_command,
            UpdateKind.ANSWER,
            lambda speech: speech.translate_plain("answer: /a 8/(3-8/3)"),
            groups_only=True,
        )
    ]
)
