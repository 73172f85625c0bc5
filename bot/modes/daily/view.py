"""The daily hand: as it is shown to a player, as a result to pass on, and as a group's table."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from bot.i18n import Html, Words, plain, safe
from bot.modes.daily.rules import (
    MOST_HINTS,
    Attempt,
    Daily,
    Progress,
    date_of,
    game_of,
    is_open,
    level_of,
    named,
    ranking,
    squares,
)
from bot.rounds import proof
from bot.rounds.known import DAILY, GAMES
from bot.rounds.puzzle import level_name
from bot.standings.achievements.queries import Honour
from bot.standings.achievements.view import own
from bot.telegram.messages import Button, Copy, Keyboard, Link, player, seconds, short_time

SHOWN = 5
MOST_SHOWN = 40  # Characters of what somebody wrote that are said back
CALENDAR = "🗓"
# By what the other games than the usual one are called, what names their hands.
OTHERS = {game.title: name for name, game in DAILY.items() if name}
# How a message about the hand of a day begins, in any language.
TITLE = re.compile(
    rf"{CALENDAR}.*?([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})(?:.*? · ({'|'.join(map(re.escape, OTHERS))})$)?",
    re.MULTILINE,
)


def door(game: str) -> str:
    """What begins the payload of a link to the day's hand in that game."""
    return f"daily-{game}".rstrip("-")


def door_of(day: str) -> str:
    """The same for the hand of that name."""
    return door(game_of(day))


def usage(words: Words, fragment: str) -> Html:
    """What the command takes."""
    return words.say(
        "“{fragment}”? /daily has the hand of the day, and these games have one too: {names}.",
        fragment=fragment[:MOST_SHOWN],
        names=", ".join(f"/daily {name}" for name in DAILY if name),
    )


def link(username: str, payload: str) -> Link:
    """What opens the private chat with the bot."""
    return Link(f"https://t.me/{username}?start={payload}")


def hand(words: Words, daily: Daily, attempt: Attempt, *, hints: bool = True) -> tuple[Html, Keyboard]:
    """The hand, as its player has it before them; `hints` says whether any may be asked for."""
    game = GAMES[daily.game]
    task = game.task_of_the_day(words)
    lines = [
        _title(words, daily.day),
        *game.dealt(daily.puzzle),
        *([task] if task else []),
        words.say("Send your answer, as often as you like. Your time runs, for 24 hours at most."),
        *proof.lines(game.proof(daily.puzzle), over=False),
    ]
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
    veiled: bool = False,
) -> tuple[Html, Keyboard | None]:
    """The end of an attempt; `row` counts the dates solved in a row, and `honours` is what that earned.

    `remind`: whether a reminder is offered. `veiled`: hand and answer are seen by whoever taps them, so that
    a picture that is passed on with them does not spoil the hand.
    """
    game = GAMES[daily.game]
    proved = proof.lines(game.proof(daily.puzzle), over=True)
    if attempt.state is Progress.GIVEN_UP:
        answers = [game.shown(daily.puzzle, answer) for answer in game.answers(daily.puzzle)]
        led = dict.fromkeys([*filter(None, [game.solution(daily.puzzle)]), *answers])
        shown = [Html(f"<b>{safe(answer)}</b>") for answer in [*led][:SHOWN]]
        return Html(
            "\n".join(
                [_title(words, daily.day), *game.dealt(daily.puzzle), words.say("Given up."), *shown, *proved]
            )
        ), None
    solved, streak = earned(words, attempt, row)
    lines = [
        _title(words, daily.day),
        _veiled(Html(safe(daily.line)), veiled=veiled),
        _veiled(Html(f"🏆 <b>{safe(game.shown(daily.puzzle, attempt.answer or ''))}</b>"), veiled=veiled),
        solved,
        *_usual(words, daily),
        streak,
        *own(words, honours),
        *proved,
    ]
    if attempt.hints:
        lines.insert(4, Html(f"💡 {words.count('{n} hint', '{n} hints', attempt.hints)}"))
    text = share(words, daily, attempt, row)
    address = link(username, door_of(daily.day))
    query = urlencode({"url": address, "text": text}, quote_via=quote)
    buttons: list[list[Button]] = [
        [(words.plain("Share"), Link(f"https://t.me/share/url?{query}"))],
        [(words.plain("Copy the result"), Copy(f"{text}\n{address}"))],
    ]
    if not game_of(daily.day):
        buttons += _others(words)
    if remind and not game_of(daily.day):
        buttons.append([(f"🔔 {words.plain('Remind me every day')}", f"qr:{daily.day}")])
    return Html("\n".join(lines)), buttons


def earned(words: Words, attempt: Attempt, row: int) -> tuple[Html, Html]:
    """The time that it took, and the dates solved in a row with it."""
    return (
        words.say("Solved in {time}.", time=seconds(words, attempt.seconds)),
        words.count("Your streak: {n} day", "Your streak: {n} days", row),
    )


def offline(words: Words, daily: Daily, attempt: Attempt) -> Html:
    """The hand with the answer that its player gave offline, and what that is worth."""
    game = GAMES[daily.game]
    answer = Html(f"<b>{safe(game.shown(daily.puzzle, attempt.offline))}</b>")
    proved = proof.lines(game.proof(daily.puzzle), over=True)
    lines = [_title(words, daily.day), *game.dealt(daily.puzzle), answer, _done_offline(words), *proved]
    return Html("\n".join(lines))


def _done_offline(words: Words) -> Html:
    return words.say("You have solved this hand offline. Well done! It counts for no streak and no ranking.")


def _veiled(line: Html, *, veiled: bool) -> Html:
    return Html(f"<tg-spoiler>{line}</tg-spoiler>") if veiled else line


def wrong(words: Words, attempt: Attempt) -> Html:
    """How many wrong answers there were before the right one; nothing where there was none."""
    return words.count("{n} wrong answer", "{n} wrong answers", attempt.wrong) if attempt.wrong else Html("")


def _others(words: Words) -> list[list[Button]]:
    """The way to today's hands of the other games."""
    return [
        [(f"🔢 {words.plain('{game} of the day', game=game.title)}", f"do:{name}")]
        for name, game in DAILY.items()
        if name
    ]


def share(words: Words, daily: Daily, attempt: Attempt, row: int) -> str:
    """A result to pass on in one line: it tells nothing of the hand but its level."""
    day = date_of(daily.day)
    if game_of(daily.day):
        level = plain(level_name(words, daily.puzzle.level))
        head = words.plain("{game} {day} · {level}", game=GAMES[daily.game].title, day=day, level=level)
    else:
        level = plain(level_name(words, level_of(day)))
        head = words.plain("Twenty-Four {day} · {level}", day=day, level=level)
    return f"{head} · {_result(attempt, row)}"


def _result(attempt: Attempt, row: int) -> str:
    return f"{squares(attempt)} ⏱ {clock(attempt.seconds)} 🔥 {row}"


def too_late(words: Words, attempt: Attempt | None) -> Html:
    """What an answer gets to a hand that can't be solved any more."""
    if attempt is not None and attempt.state is Progress.SOLVED:
        return words.say("You have solved that hand already. /daily has today’s.")
    if attempt is not None and attempt.state is Progress.GIVEN_UP:
        return words.say("You have given that hand up already. /daily has today’s.")
    if attempt is not None and attempt.offline:
        return _done_offline(words)
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
    offline = [a for a in attempts if a.offline and a.state is Progress.OPEN]
    if attempts and not lines and not offline:
        lines.append(words.say("Nobody here has solved it."))
    lines += [words.say("{name} · solved offline", name=player(names, a.player_id)) for a in offline]
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
    return named(found[1], OTHERS.get(found[2] or "", "")) if found else None


def _title(words: Words, day: str) -> Html:
    hand = words.say("The hand of {day}", day=date_of(day))
    other = DAILY[game_of(day)].title if game_of(day) else ""
    return Html(f"{CALENDAR} <b>{hand}</b> · {other or level_name(words, level_of(day))}")


def _usual(words: Words, daily: Daily) -> list[Html]:
    """The time that practised players need, where that is known."""
    if not GAMES[daily.game].is_measured(daily.puzzle):
        return []
    return [words.say("Practised players: about {usual}", usual=short_time(words, daily.puzzle.expected))]


def clock(amount: float) -> str:
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
