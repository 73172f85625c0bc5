"""Answers to the hand of a day: what is written in private, judged by the attempt that it is meant for."""

from dataclasses import replace

from bot.database import Tx
from bot.i18n import Html
from bot.modes.daily import commands as daily
from bot.modes.daily import queries as days
from bot.modes.daily import rules, tables
from bot.modes.daily import view as words_of
from bot.rounds.commands import react, reply
from bot.rounds.known import GAMES, DEFAULT_GAME
from bot.rounds.puzzle import VerdictKind
from bot.standings.achievements import queries as achievements
from bot.standings.achievements.rules import Feat
from bot.standings.ratings import played as ratings
from bot.telegram.context import Context
from bot.telegram.messages import Request

SOLVED_REACTION, WRONG_REACTION = "🏆", "👎"

StartedHand = tuple[rules.DailyHand, rules.Attempt]  # A hand of a day, and the attempt at it


def load_unfinished_hands(context: Context, tx: Tx) -> list[StartedHand]:
    """The hands of days that the person has before them in private, the latest first."""
    return [one for one in load_started_hands(context, tx) if not one[1].is_over]


def load_started_hands(context: Context, tx: Tx) -> list[StartedHand]:
    """The same with those that the person has solved offline: an answer to one is told that."""
    if not context.chat.private or context.player is None:
        return []
    return days.load_open_attempts(tx, context.player.id, context.sent_at)


def is_answer_to(hand: rules.DailyHand, text: str) -> bool:
    """Whether a text is made of that hand's numbers."""
    return GAMES[hand.game].check_daily(hand.puzzle, text).kind in (VerdictKind.RIGHT, VerdictKind.WRONG)


def judge_reply(context: Context, tx: Tx) -> list[Request] | None:
    """The verdict on a reply to a hand of a day; None where it replies to something else."""
    hand = load_replied_hand(context, tx)
    if hand is None or context.player is None:
        return None
    if GAMES[hand.game].check_daily(hand.puzzle, context.argument).kind is VerdictKind.TALK:
        return []
    return _in_time(context, tx, hand, context.player.id)


def judge_board_answer(context: Context, tx: Tx) -> list[Request] | None:
    """The verdict on what was tapped on a page for the hand of a day; None for what was not."""
    if not context.board_day or context.player is None:
        return None
    hand = days.load_hand(tx, context.board_day)
    return [] if hand is None else _in_time(context, tx, hand, context.player.id)


def _in_time(context: Context, tx: Tx, hand: rules.DailyHand, player_id: int) -> list[Request]:
    """The verdict by that hand, or that it can't be solved any more."""
    days.restore_attempts_from_alias(tx, player_id)
    attempt = days.load_attempt(tx, hand.day, player_id)
    if attempt is None or not rules.is_attempt_open(attempt, context.sent_at):
        return [reply(context, words_of.render_too_late(context.words, attempt))]
    return judge_answer(context, tx, (hand, attempt))


def load_replied_hand(context: Context, tx: Tx) -> rules.DailyHand | None:
    """The hand to whose message, or result, this is a reply in private."""
    above = context.replied_bot_message if context.chat.private else None
    day = words_of.parse_day_in_title(above.text or above.caption or "") if above else None
    return days.load_hand(tx, day) if day else None


def judge_answer(context: Context, tx: Tx, one: StartedHand) -> list[Request]:
    """The verdict on a text as an answer to that hand. Talk has none, unless it came by a command."""
    hand, attempt = one
    verdict = GAMES[hand.game].check_daily(hand.puzzle, context.argument)
    by_command = bool(context.message and (context.message.text or "").startswith("/"))
    if context.player is None or (verdict.kind is VerdictKind.TALK and not by_command):
        return []
    if attempt.offline_answer:
        return [reply(context, words_of.render_too_late(context.words, attempt))]
    days.restore_attempts_from_alias(tx, context.player.id)
    attempt = replace(attempt, player_id=context.player.id)
    if verdict.kind is VerdictKind.RIGHT:
        return _solved(context, tx, hand, rules.mark_solved(attempt, verdict.answer, context.sent_at))
    if verdict.kind in (VerdictKind.WRONG, VerdictKind.WRONG_NUMBERS):
        days.update_open_attempt(tx, rules.add_wrong_answer(attempt, context.sent_at))
    reason = verdict.render_reason(context.words) if verdict.render_reason else Html("")
    return [*react(context, WRONG_REACTION), reply(context, reason)]


def _solved(context: Context, tx: Tx, hand: rules.DailyHand, attempt: rules.Attempt) -> list[Request]:
    if not days.update_open_attempt(tx, attempt):
        return []
    ratings.rate_daily_attempt(tx, hand, attempt)
    if hand.game == DEFAULT_GAME.key:  # what is quick, and what a row of days is, is told by its hands
        feat = _feat(context, tx, hand, attempt)
        achievements.insert_daily_achievements(tx, attempt.player_id, attempt.day, feat, context.sent_at)
    return [
        *react(context, SOLVED_REACTION),
        *_told(context, tx, attempt),
        daily.make_attempt_message(context, tx, hand, attempt),
        *tables.redraw_tables(context, tx, attempt),
    ]


def _told(context: Context, tx: Tx, attempt: rules.Attempt) -> list[Request]:
    """On a page the result in two lines: all of it is posted in the chat, which may not be in sight."""
    if not context.board_press_id:
        return []
    row = days.load_streak(tx, attempt.player_id, attempt.day)
    return [context.reply(Html("\n".join(words_of.render_time_and_streak(context.words, attempt, row))))]


def _feat(context: Context, tx: Tx, hand: rules.DailyHand, attempt: rules.Attempt) -> Feat:
    """What it is to have solved it, for whoever did."""
    return Feat(
        is_fiendish=hand.puzzle.level == achievements.FIENDISH,
        seconds=attempt.seconds,
        wrong_answers=attempt.wrong_answers,
        hour=achievements.load_local_hour(tx, context.chat.id, context.sent_at),
        daily_streak=days.load_streak(tx, attempt.player_id, attempt.day),
    )
