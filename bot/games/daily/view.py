"""The daily hand: as it is shown to a player, as a result to pass on, and as a group's table."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from bot.games.daily.rules import (
    MOST_HINTS,
    Attempt,
    Daily,
    Progress,
    is_open,
    level_of,
    ranking,
    squares,
)
from bot.games.known import GAMES
from bot.games.puzzle import level_name
from bot.i18n import Html, Words, plain, safe
from bot.people.achievements.queries import Honour
from bot.people.achievements.view import own
from bot.telegram.messages import Button, Copy, Keyboard, Link, player, seconds, short_time

SHOWN = 5
CALENDAR = "🗓"
TITLE = re.compile(rf"{CALENDAR}.*?([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})")
"""How a message about the hand of a day begins, in any language."""


def link(username: str, payload: str) -> Link:
    """What opens the private chat with the bot."""
    return Link(f"https://t.me/{username}?start={payload}")


def hand(words: Words, daily: Daily, attempt: Attempt, *, hints: bool = True) -> tuple[Html, Keyboard]:
    """The hand, as its player has it before them; `hints` says whether any may be asked for."""
    lines = [
        _title(words, daily.day),
        *GAMES[daily.game].dealt(daily.puzzle),
        words.say("Send your answer, as often as you like. Your time runs, for 24 hours at most."),
    ]
    game = GAMES[daily.game]
    lines += [Html(f"💡 {game.hint(words, daily.puzzle, number)}") for number in range(attempt.hints)]
    if attempt.wrong:
        lines.append(words.count("{n} wrong answer so far", "{n} wrong answers so far", attempt.wrong))
    row = [(words.plain("Give up"), f"dg:{daily.day}")]
    if hints and attempt.hints < min(MOST_HINTS, game.hints(daily.puzzle)):
        row.insert(0, (words.plain("Hint"), f"dh:{daily.day}"))
    return Html("\n".join(lines)), [row]


def over(
    words: Words,
    daily: Daily,
    attempt: Attempt,
    row: int,
    username: str,
    honours: Sequence[Honour] = (),
    *,
    remind: bool = False,
) -> tuple[Html, Keyboard | None]:
    """The end of an attempt; `row` counts the dates solved in a row, and `honours` is what that earned.

    `remind`: whether a reminder is offered.
    """
    if attempt.state is Progress.GIVEN_UP:
        game = GAMES[daily.game]
        answers = (game.shown(daily.puzzle, answer) for answer in game.answers(daily.puzzle)[:SHOWN])
        shown = [Html(f"<b>{safe(answer)}</b>") for answer in answers]
        return Html(
            "\n".join([_title(words, daily.day), Html(safe(daily.line)), words.say("Given up."), *shown])
        ), None
    lines = [
        _title(words, daily.day),
        Html(f"🏆 <b>{safe(GAMES[daily.game].shown(daily.puzzle, attempt.answer or ''))}</b>"),
        words.say("Solved in {time}.", time=seconds(words, attempt.seconds)),
        words.say("Practised players: about {usual}", usual=short_time(words, daily.puzzle.expected)),
        words.count("Your streak: {n} day", "Your streak: {n} days", row),
        *own(words, honours),
    ]
    if attempt.hints:
        lines.insert(3, Html(f"💡 {words.count('{n} hint', '{n} hints', attempt.hints)}"))
    text = share(words, daily, attempt, row)
    address = link(username, "daily")
    query = urlencode({"url": address, "text": text}, quote_via=quote)
    buttons: list[list[Button]] = [
        [(words.plain("Share"), Link(f"https://t.me/share/url?{query}"))],
        [(words.plain("Copy the result"), Copy(f"{text}\n{address}"))],
    ]
    if remind:
        buttons.append([(f"🔔 {words.plain('Remind me every day')}", f"qr:{daily.day}")])
    return Html("\n".join(lines)), buttons


def share(words: Words, daily: Daily, attempt: Attempt, row: int) -> str:
    """A result to pass on in one line: it tells nothing of the hand but its level."""
    level = plain(level_name(words, level_of(daily.day)))
    head = words.plain("Twenty-Four {day} · {level}", day=daily.day, level=level)
    return f"{head} · {_result(attempt, row)}"


def _result(attempt: Attempt, row: int) -> str:
    return f"{squares(attempt)} ⏱ {_clock(attempt.seconds)} 🔥 {row}"


def too_late(words: Words, attempt: Attempt | None) -> Html:
    """What an answer gets to a hand that can't be solved any more."""
    if attempt is not None and attempt.state is not Progress.OPEN:
        return words.say("That hand is over for you already. /daily has today’s.")
    return words.say("That hand’s 24 hours are over, so this counts neither way. /daily has today’s.")


def table(
    words: Words,
    day: str,
    attempts: Sequence[Attempt],
    names: Mapping[int, str],
    streaks: Mapping[int, int],
    now: float,
) -> Html:
    """A group's table of the day as it stands at `now`, the quickest first; who gave up comes last."""
    lines = [
        Html(f"{rank}. {player(names, a.player_id)} · {_result(a, streaks[a.player_id])}")
        for rank, a in ranking(attempts)
    ]
    busy = sum(is_open(a, now) for a in attempts)
    if busy:
        lines.append(words.count("{n} player is still at it.", "{n} players are still at it.", busy))
    if attempts and not lines:
        lines.append(words.say("Nobody here has solved it."))
    lines += [
        words.say("{name} · gave up", name=player(names, a.player_id))
        for a in attempts
        if a.state is Progress.GIVEN_UP
    ]
    if not attempts:
        everybody = words.say(
            "The same hand for everybody who plays with this bot. Who solves it first here?"
        )
        lines.append(everybody)
    return Html("\n".join([_title(words, day), *lines]))


def told_of(text: str) -> str | None:
    """The day whose hand a message of the bot is about, by its first line; None if it is about none."""
    found = TITLE.match(text)
    return found[1] if found else None


def _title(words: Words, day: str) -> Html:
    hand = words.say("The hand of {day}", day=day)
    return Html(f"{CALENDAR} <b>{hand}</b> · {level_name(words, level_of(day))}")


def _clock(amount: float) -> str:
    """A time in digits, `0:42`."""
    whole = round(amount)
    hours, rest = divmod(whole, 3600)
    short = f"{rest // 60}:{rest % 60:02}"
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else short


def reminder(words: Words, row: int, *, last: bool) -> tuple[Html, Keyboard]:
    """Today's hand waits for somebody whose streak is `row`; `last`: they are not reminded again."""
    lines = [Html(f"🔔 {words.say('Today’s hand is waiting for you.')}")]
    if row:
        lines.append(words.count("Your streak: {n} day", "Your streak: {n} days", row))
    if last:
        lines.append(words.say("I won’t remind you again for now. /settings brings reminders back."))
    solve = (words.plain("Solve today’s hand"), "qn:")
    off = (words.plain("No more reminders"), "qs:")
    return Html("\n".join(lines)), [[solve], *([] if last else [[off]])]


def no_reminders(words: Words) -> Html:
    """What stands in a reminder's place once somebody wants none."""
    return words.say("No more reminders. /settings brings them back.")
