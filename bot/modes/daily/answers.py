"""Answers to the hand of a day: what is written in private, judged by the attempt that it is meant for."""

from dataclasses import replace

from bot.database import Tx
from bot.i18n import Html
from bot.modes.daily import commands as daily
from bot.modes.daily import queries as days
from bot.modes.daily import rules, tables
from bot.modes.daily import view as words_of
from bot.rounds.commands import react, reply
from bot.rounds.known import GAMES, USUAL
from bot.rounds.puzzle import Fit
from bot.standings.achievements import queries as achievements
from bot.standings.achievements.rules import Feat
from bot.standings.ratings import played as ratings
from bot.telegram.context import Context
from bot.telegram.messages import Request

SOLVED, WRONG = "🏆", "👎"

Waiting = tuple[rules.Daily, rules.Attempt]  # A hand of a day, and the attempt at it


def waiting(context: Context, tx: Tx) -> list[Waiting]:
    """The hands of days that the person has before them in private, the latest first."""
    return [one for one in begun(context, tx) if not one[1].is_over]


def begun(context: Context, tx: Tx) -> list[Waiting]:
    """The same with those that the person has solved offline: an answer to one is told that."""
    if not context.chat.private or context.player is None:
        return []
    return days.open_attempts(tx, context.player.id, context.now)


def fits(hand: rules.Daily, text: str) -> bool:
    """Whether a text is made of that hand's numbers."""
    return GAMES[hand.game].check_of_the_day(hand.puzzle, text).fit in (Fit.RIGHT, Fit.WRONG)


def replied(context: Context, tx: Tx) -> list[Request] | None:
    """The verdict on a reply to a hand of a day; None where it replies to something else."""
    hand = replied_hand(context, tx)
    if hand is None or context.player is None:
        return None
    if GAMES[hand.game].check_of_the_day(hand.puzzle, context.argument).fit is Fit.TALK:
        return []
    return _in_time(context, tx, hand, context.player.id)


def tapped(context: Context, tx: Tx) -> list[Request] | None:
    """The verdict on what was tapped on a page for the hand of a day; None for what was not."""
    if not context.board_day or context.player is None:
        return None
    hand = days.hand(tx, context.board_day)
    return [] if hand is None else _in_time(context, tx, hand, context.player.id)


def _in_time(context: Context, tx: Tx, hand: rules.Daily, player_id: int) -> list[Request]:
    """The verdict by that hand, or that it can't be solved any more."""
    days.come_back(tx, player_id)
    attempt = days.attempt(tx, hand.day, player_id)
    if attempt is None or not rules.is_open(attempt, context.now):
        return [reply(context, words_of.too_late(context.words, attempt))]
    return judged(context, tx, (hand, attempt))


def replied_hand(context: Context, tx: Tx) -> rules.Daily | None:
    """The hand to whose message, or result, this is a reply in private."""
    above = context.replied if context.chat.private else None
    day = words_of.told_of(above.text or above.caption or "") if above else None
    return days.hand(tx, day) if day else None


def judged(context: Context, tx: Tx, one: Waiting) -> list[Request]:
    """The verdict on a text as an answer to that hand. Talk has none, unless it came by a command."""
    hand, attempt = one
    verdict = GAMES[hand.game].check_of_the_day(hand.puzzle, context.argument)
    by_command = bool(context.message and (context.message.text or "").startswith("/"))
    if context.player is None or (verdict.fit is Fit.TALK and not by_command):
        return []
    if attempt.offline:
        return [reply(context, words_of.too_late(context.words, attempt))]
    days.come_back(tx, context.player.id)
    attempt = replace(attempt, player_id=context.player.id)
    if verdict.fit is Fit.RIGHT:
        return _solved(context, tx, hand, rules.solved(attempt, verdict.answer, context.now))
    if verdict.fit in (Fit.WRONG, Fit.OTHER):
        days.keep(tx, rules.went_wrong(attempt, context.now))
    reason = verdict.why(context.words) if verdict.why else Html("")
    return [*react(context, WRONG), reply(context, reason)]


def _solved(context: Context, tx: Tx, hand: rules.Daily, attempt: rules.Attempt) -> list[Request]:
    if not days.keep(tx, attempt):
        return []
    ratings.attempt_over(tx, hand, attempt)
    if hand.game == USUAL.key:  # what is quick, and what a row of days is, is told by its hands
        feat = _feat(context, tx, hand, attempt)
        achievements.solved(tx, attempt.player_id, attempt.day, feat, context.now)
    return [
        *react(context, SOLVED),
        *_told(context, tx, attempt),
        daily.standing(context, tx, hand, attempt),
        *tables.follow(context, tx, attempt),
    ]


def _told(context: Context, tx: Tx, attempt: rules.Attempt) -> list[Request]:
    """On a page the result in two lines: all of it is posted in the chat, which may not be in sight."""
    if not context.board:
        return []
    row = days.streak(tx, attempt.player_id, attempt.day)
    return [context.say(Html("\n".join(words_of.earned(context.words, attempt, row))))]


def _feat(context: Context, tx: Tx, hand: rules.Daily, attempt: rules.Attempt) -> Feat:
    """What it is to have solved it, for whoever did."""
    return Feat(
        fiendish=hand.puzzle.level == achievements.FIENDISH,
        seconds=attempt.seconds,
        wrong=attempt.wrong,
        hour=achievements.hour_in(tx, context.chat.id, context.now),
        days=days.streak(tx, attempt.player_id, attempt.day),
    )
