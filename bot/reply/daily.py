"""The daily hand: as it is shown to a player, as a result to pass on, and as a group's table."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from bot.daily import Attempt, Daily, Progress, level_of, ranking, squares
from bot.reply import Copy, Keyboard, Link, cards, level, player, seconds
from bot.words import Html, Words, safe

IDEAS_SHOWN = 5


def link(username: str, payload: str) -> Link:
    """What opens the private chat with the bot."""
    return Link(f"https://t.me/{username}?start={payload}")


def hand(words: Words, daily: Daily, attempt: Attempt) -> tuple[Html, Keyboard]:
    """The hand, as its player has it before them."""
    lines = [
        _title(words, daily.day),
        Html(f"🃏 <b>{safe(cards(daily.numbers))}</b>"),
        Html(safe(daily.line)),
        words.say("Your time runs until you solve it. Send your answer, as often as you like."),
    ]
    if attempt.wrong:
        lines.append(words.count("{n} wrong answer so far", "{n} wrong answers so far", attempt.wrong))
    return Html("\n".join(lines)), [[(words.plain("Give up"), f"dg:{daily.day}")]]


def over(
    words: Words, daily: Daily, attempt: Attempt, row: int, username: str
) -> tuple[Html, Keyboard | None]:
    """The end of an attempt; `row` counts the dates solved in a row."""
    if attempt.state is Progress.GIVEN_UP:
        shown = [Html(f"<b>{safe(idea)} = {daily.target}</b>") for idea in daily.ideas[:IDEAS_SHOWN]]
        return Html(
            "\n".join([_title(words, daily.day), Html(safe(daily.line)), words.say("Given up."), *shown])
        ), None
    lines = [
        _title(words, daily.day),
        Html(f"🏆 <b>{safe(attempt.expression)} = {daily.target}</b>"),
        words.say(
            "Solved in {time}; people usually need {usual}.",
            time=seconds(words, attempt.seconds),
            usual=seconds(words, daily.expected),
        ),
        words.count("Your streak: {n} day", "Your streak: {n} days", row),
    ]
    text = share(words, daily, attempt, row)
    address = link(username, "daily")
    query = urlencode({"url": address, "text": text}, quote_via=quote)
    return Html("\n".join(lines)), [
        [(words.plain("Share"), Link(f"https://t.me/share/url?{query}"))],
        [(words.plain("Copy the result"), Copy(f"{text}\n{address}"))],
    ]


def share(words: Words, daily: Daily, attempt: Attempt, row: int) -> str:
    """A result to pass on: it tells nothing of the hand but its level."""
    head = words.plain("Twenty-Four, the hand of {day}", day=daily.day)
    return f"{head}\n{_result(attempt, row)}"


def _result(attempt: Attempt, row: int) -> str:
    return f"{squares(attempt)} ⏱ {_clock(attempt.seconds)} 🔥 {row}"


def table(
    words: Words,
    day: str,
    attempts: Sequence[Attempt],
    names: Mapping[int, str],
    streaks: Mapping[int, int],
) -> Html:
    """A group's table of the day, the quickest first."""
    lines = [
        Html(f"{rank}. {player(names, a.player_id)} · {_result(a, streaks[a.player_id])}")
        for rank, a in ranking(attempts)
    ]
    busy = sum(a.state is Progress.OPEN for a in attempts)
    if busy:
        lines.append(words.count("{n} player is still at it.", "{n} players are still at it.", busy))
    if not attempts:
        lines.append(words.say("The same hand for everybody in the world. Who solves it first here?"))
    return Html("\n".join([_title(words, day), *lines]))


def _title(words: Words, day: str) -> Html:
    return Html(f"🗓 <b>{words.say('The hand of {day}', day=day)}</b> · {level(words, level_of(day))}")


def _clock(amount: float) -> str:
    """A time in digits, `0:42`."""
    whole = round(amount)
    hours, rest = divmod(whole, 3600)
    short = f"{rest // 60}:{rest % 60:02}"
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else short
