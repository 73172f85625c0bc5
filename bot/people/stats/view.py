"""A player's figures."""

from collections.abc import Sequence

from bot.games.puzzle import level_name
from bot.i18n import Html, Words, name
from bot.people.stats.queries import Record, Times
from bot.telegram.messages import seconds


def stats(words: Words, who: str, record: Record | None, daily: tuple[int, int]) -> Html:
    """A player's figures in this chat; `daily` holds the daily hands solved and the dates in a row."""
    if record is None:
        return words.say("{name} has not played a round here yet. /play deals a hand.", name=name(who))
    lines = [
        Html(f"<b>{name(who)}</b>"),
        words.count("{n} round played", "{n} rounds played", record.rounds),
        words.count("{n} round won", "{n} rounds won", record.wins),
        words.count("{n} point", "{n} points", record.points),
    ]
    if record.rank:
        lines.append(words.say("rank here: {rank}", rank=record.rank))
    if record.times:
        lines += _times(words, record.times)
    lines += _levels(words, record)
    lines += _streaks(words, record, *daily)
    return Html("\n".join(lines))


def _times(words: Words, times: Times) -> list[Html]:
    return [
        words.say("mean time: {time}", time=seconds(words, times.mean)),
        words.say("best time: {time}", time=seconds(words, times.best)),
        words.say("people usually need for the same hands: {time}", time=seconds(words, times.expected)),
    ]


def _levels(words: Words, record: Record) -> Sequence[Html]:
    """One line a level, with the same figures in the same order."""
    return [
        words.count(
            "{level}: {n} right, mean {mean} s, best {best} s, usual {usual} s",
            "{level}: {n} right, mean {mean} s, best {best} s, usual {usual} s",
            times.answers,
            level=level_name(words, known),
            mean=round(times.mean),
            best=round(times.best),
            usual=round(times.expected),
        )
        for known, times in record.levels.items()
    ]


def _streaks(words: Words, record: Record, days_solved: int, days_in_a_row: int) -> list[Html]:
    lines = []
    if record.longest_streak:
        lines.append(
            words.say(
                "rounds won in a row: {now} now, {longest} at best",
                now=record.streak,
                longest=record.longest_streak,
            )
        )
    if days_solved:
        lines.append(
            words.count(
                "daily hands solved: {solved}, {n} day in a row",
                "daily hands solved: {solved}, {n} days in a row",
                days_in_a_row,
                solved=days_solved,
            )
        )
    return lines
