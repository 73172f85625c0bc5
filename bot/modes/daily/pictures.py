"""What is to be seen of a daily hand that was solved: the result to pass on."""

from bot.i18n import Words, plain
from bot.modes.daily import view
from bot.modes.daily.rules import Attempt, date_of, game_of, level_of
from bot.modes.daily.rules import Daily as Dealt
from bot.pictures.values import Daily
from bot.rounds.known import GAMES
from bot.rounds.puzzle import level_name


def of(words: Words, dealt: Dealt, attempt: Attempt, row: int) -> Daily:
    """The result, which tells nothing of the hand but its level; `row` counts the dates solved in a row."""
    day, other = date_of(dealt.day), game_of(dealt.day)
    level = dealt.puzzle.level if other else level_of(day)
    return Daily(
        title=f"{GAMES[dealt.game].title} {day}" if other else words.plain("Twenty-Four {day}", day=day),
        level=plain(level_name(words, level)),
        wrong=attempt.wrong,
        hints=attempt.hints,
        time=view.clock(attempt.seconds),
        streak=row,
        streak_title=plain(words.count("day in a row", "days in a row", row)),
    )
