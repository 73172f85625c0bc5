"""What is to be seen of a daily hand that was solved: the result to pass on."""

from bot.i18n import Words, strip_tags
from bot.modes.daily import view
from bot.modes.daily.rules import Attempt, get_day_date, get_day_game, get_day_level
from bot.modes.daily.rules import DailyHand as Dealt
from bot.pictures.values import DailyPicture
from bot.rounds.known import GAMES
from bot.rounds.puzzle import render_level


def make_result_picture(words: Words, dealt: Dealt, attempt: Attempt, row: int) -> DailyPicture:
    """The result, which tells nothing of the hand but its level; `row` counts the dates solved in a row."""
    day, other = get_day_date(dealt.day), get_day_game(dealt.day)
    level = dealt.puzzle.level if other else get_day_level(day)
    return DailyPicture(
        title=f"{GAMES[dealt.game].title} {day}" if other else words.translate_plain("Twenty-Four {day}", day=day),
        level=strip_tags(render_level(words, level)),
        wrong=attempt.wrong_answers,
        hints=attempt.hints,
        time=view.format_clock(attempt.seconds),
        streak=row,
        streak_title=strip_tags(words.translate_plural("day in a row", "days in a row", row)),
    )
