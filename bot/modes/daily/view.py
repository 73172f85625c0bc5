"""The daily hand: as it is shown to a player, as a result to pass on, and as a group's table."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from bot.i18n import Html, Words, escape_value, strip_tags
from bot.modes.daily.rules import (
    MAX_HINTS,
    Attempt,
    AttemptState,
    DailyHand,
    get_day_date,
    get_day_game,
    get_day_level,
    is_attempt_open,
    make_day_key,
    rank_attempts,
    render_squares,
)
from bot.modes.daily.rules import DailyHand as Dealt
from bot.pictures.values import DailyPicture
from bot.rounds import message_lines
from bot.rounds.puzzle import render_level
from bot.rounds.registry import DAILY_GAMES, GAMES
from bot.standings.achievements.queries import PlayerAchievements
from bot.standings.achievements.view import render_own_achievement_lines
from bot.telegram.messages import (
    Button,
    CopyText,
    Keyboard,
    Link,
    format_duration,
    format_player_name,
    format_short_duration,
)

MAX_SOLUTIONS = 5
MAX_QUOTED = 40  # Characters of what somebody wrote that are said back
CALENDAR = "🗓"
# By what the other games than the usual one are called, what names their hands.
OTHERS = {game.title: name for name, game in DAILY_GAMES.items() if name}
# How a message about the hand of a day begins, in any language.
TITLE = re.compile(
    rf"{CALENDAR}.*?([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})(?:.*? · ({'|'.join(map(re.escape, OTHERS))})$)?",
    re.MULTILINE,
)


def get_link_prefix(game: str) -> str:
    """What begins the payload of a link to the day's hand in that game."""
    return f"daily-{game}".rstrip("-")


def get_day_link_prefix(day: str) -> str:
    """The same for the hand of that name."""
    return get_link_prefix(get_day_game(day))


def render_usage(words: Words, fragment: str) -> Html:
    """What the command takes."""
    return words.translate(
        "“{fragment}”? /daily has the hand of the day, and these games have one too: {names}.",
        fragment=fragment[:MAX_QUOTED],
        names=", ".join(f"/daily {name}" for name in DAILY_GAMES if name),
    )


def make_deep_link(username: str, payload: str) -> Link:
    """What opens the private chat with the bot."""
    return Link(f"https://t.me/{username}?start={payload}")


def render_hand(
    words: Words, daily: DailyHand, attempt: Attempt, *, offers_hints: bool = True
) -> tuple[Html, Keyboard]:
    """The hand, as its player has it before them; `hints` says whether any may be asked for."""
    game = GAMES[daily.game]
    task = game.render_daily_task(words)
    lines = [
        _title(words, daily.day),
        *game.render_deal(daily.puzzle),
        *([task] if task else []),
        words.translate("Send your answer, as often as you like. Your time runs, for 24 hours at most."),
        *message_lines.render_proof(game.get_proof(daily.puzzle), over=False),
    ]
    lines += [Html(f"💡 {game.render_hint(words, daily.puzzle, number)}") for number in range(attempt.hints)]
    if attempt.wrong_answers:
        lines.append(
            words.translate_plural(
                "{n} wrong answer so far", "{n} wrong answers so far", attempt.wrong_answers
            )
        )
    row = [(words.translate_plain("Give up"), f"dg:{daily.day}")]
    if offers_hints and attempt.hints < min(MAX_HINTS, game.count_hints(daily.puzzle)):
        row.insert(0, (words.translate_plain("Hint"), f"dh:{daily.day}"))
    return Html("\n".join(lines)), [row]


def render_result(
    words: Words,
    daily: DailyHand,
    attempt: Attempt,
    row: int,
    username: str,
    honours: Sequence[PlayerAchievements] = (),
    *,
    offers_reminder: bool = False,
    spoiler: bool = False,
) -> tuple[Html, Keyboard | None]:
    """The end of an attempt; `row` counts the dates solved in a row, and `honours` is what that earned.

    `remind`: whether a reminder is offered. `veiled`: hand and answer are seen by whoever taps them, so that
    a picture that is passed on with them does not spoil the hand.
    """
    game = GAMES[daily.game]
    proved = message_lines.render_proof(game.get_proof(daily.puzzle), over=True)
    if attempt.state is AttemptState.GIVEN_UP:
        answers = [
            game.format_answer(daily.puzzle, answer) for answer in game.list_best_answers(daily.puzzle)
        ]
        led = dict.fromkeys([*filter(None, [game.solution(daily.puzzle)]), *answers])
        shown = [Html(f"<b>{escape_value(answer)}</b>") for answer in [*led][:MAX_SOLUTIONS]]
        return Html(
            "\n".join(
                [
                    _title(words, daily.day),
                    *game.render_deal(daily.puzzle),
                    words.translate("Given up."),
                    *shown,
                    *proved,
                ]
            )
        ), None
    solved, streak = render_time_and_streak(words, attempt, row)
    lines = [
        _title(words, daily.day),
        _veiled(Html(escape_value(daily.line)), veiled=spoiler),
        _veiled(
            Html(f"🏆 <b>{escape_value(game.format_answer(daily.puzzle, attempt.answer or ''))}</b>"),
            veiled=spoiler,
        ),
        solved,
        *_usual(words, daily),
        streak,
        *render_own_achievement_lines(words, honours),
        *proved,
    ]
    if attempt.hints:
        lines.insert(4, Html(f"💡 {words.translate_plural('{n} hint', '{n} hints', attempt.hints)}"))
    text = render_share_text(words, daily, attempt, row)
    address = make_deep_link(username, get_day_link_prefix(daily.day))
    query = urlencode({"url": address, "text": text}, quote_via=quote)
    buttons: list[list[Button]] = [
        [(words.translate_plain("Share"), Link(f"https://t.me/share/url?{query}"))],
        [(words.translate_plain("Copy the result"), CopyText(f"{text}\n{address}"))],
    ]
    if not get_day_game(daily.day):
        buttons += _others(words)
    if offers_reminder and not get_day_game(daily.day):
        buttons.append([(f"🔔 {words.translate_plain('Remind me every day')}", f"qr:{daily.day}")])
    return Html("\n".join(lines)), buttons


def render_time_and_streak(words: Words, attempt: Attempt, row: int) -> tuple[Html, Html]:
    """The time that it took, and the dates solved in a row with it."""
    return (
        words.translate("Solved in {time}.", time=format_duration(words, attempt.seconds)),
        words.translate_plural("Your streak: {n} day", "Your streak: {n} days", row),
    )


def render_offline_hand(words: Words, daily: DailyHand, attempt: Attempt) -> Html:
    """The hand with the answer that its player gave offline, and what that is worth."""
    game = GAMES[daily.game]
    answer = Html(f"<b>{escape_value(game.format_answer(daily.puzzle, attempt.offline_answer))}</b>")
    proved = message_lines.render_proof(game.get_proof(daily.puzzle), over=True)
    lines = [_title(words, daily.day), *game.render_deal(daily.puzzle), answer, _done_offline(words), *proved]
    return Html("\n".join(lines))


def _done_offline(words: Words) -> Html:
    return words.translate(
        "You have solved this hand offline. Well done! It counts for no streak and no ranking."
    )


def _veiled(line: Html, *, veiled: bool) -> Html:
    return Html(f"<tg-spoiler>{line}</tg-spoiler>") if veiled else line


def render_wrong_count(words: Words, attempt: Attempt) -> Html:
    """How many wrong answers there were before the right one; nothing where there was none."""
    return (
        words.translate_plural("{n} wrong answer", "{n} wrong answers", attempt.wrong_answers)
        if attempt.wrong_answers
        else Html("")
    )


def _others(words: Words) -> list[list[Button]]:
    """The way to today's hands of the other games."""
    return [
        [(f"🔢 {words.translate_plain('{game} of the day', game=game.title)}", f"do:{name}")]
        for name, game in DAILY_GAMES.items()
        if name
    ]


def render_share_text(words: Words, daily: DailyHand, attempt: Attempt, row: int) -> str:
    """A result to pass on in one line: it tells nothing of the hand but its level."""
    day = get_day_date(daily.day)
    if get_day_game(daily.day):
        level = strip_tags(render_level(words, daily.puzzle.level))
        head = words.translate_plain(
            "{game} {day} · {level}", game=GAMES[daily.game].title, day=day, level=level
        )
    else:
        level = strip_tags(render_level(words, get_day_level(day)))
        head = words.translate_plain("Twenty-Four {day} · {level}", day=day, level=level)
    return f"{head} · {_result(attempt, row)}"


def _result(attempt: Attempt, row: int) -> str:
    return f"{render_squares(attempt)} ⏱ {format_clock(attempt.seconds)} 🔥 {row}"


def render_too_late(words: Words, attempt: Attempt | None) -> Html:
    """What an answer gets to a hand that can't be solved any more."""
    if attempt is not None and attempt.state is AttemptState.SOLVED:
        return words.translate("You have solved that hand already. /daily has today’s.")
    if attempt is not None and attempt.state is AttemptState.GIVEN_UP:
        return words.translate("You have given that hand up already. /daily has today’s.")
    if attempt is not None and attempt.offline_answer:
        return _done_offline(words)
    return words.translate("That hand’s 24 hours are over, so this counts neither way. /daily has today’s.")


def render_group_table(
    words: Words,
    day: str,
    attempts: Sequence[Attempt],
    names: Mapping[int, str],
    streaks: Mapping[int, int],
    now: float,
) -> Html:
    """A group's table of the day as it stands at `now`, the quickest first; who gave up comes last."""
    lines = [
        Html(f"{rank}. {format_player_name(names, a.player_id)} · {_result(a, streaks[a.player_id])}")
        for rank, a in rank_attempts(attempts)
    ]
    busy = sum(is_attempt_open(a, now) for a in attempts)
    if busy:
        lines.append(
            words.translate_plural("{n} player is still at it.", "{n} players are still at it.", busy)
        )
    offline = [a for a in attempts if a.offline_answer and a.state is AttemptState.OPEN]
    if attempts and not lines and not offline:
        lines.append(words.translate("Nobody here has solved it."))
    lines += [
        words.translate("{name} · solved offline", name=format_player_name(names, a.player_id))
        for a in offline
    ]
    lines += [
        words.translate("{name} · gave up", name=format_player_name(names, a.player_id))
        for a in attempts
        if a.state is AttemptState.GIVEN_UP
    ]
    if not attempts:
        everybody = words.translate(
            "The same hand for everybody who plays with this bot. Who solves it first here?"
        )
        lines.append(everybody)
    return Html("\n".join([_title(words, day), *lines]))


def parse_day_in_title(text: str) -> str | None:
    """The day whose hand a message of the bot is about, by its first line; None if it is about none."""
    found = TITLE.match(text)
    return make_day_key(found[1], OTHERS.get(found[2] or "", "")) if found else None


def _title(words: Words, day: str) -> Html:
    hand = words.translate("The hand of {day}", day=get_day_date(day))
    other = DAILY_GAMES[get_day_game(day)].title if get_day_game(day) else ""
    return Html(f"{CALENDAR} <b>{hand}</b> · {other or render_level(words, get_day_level(day))}")


def _usual(words: Words, daily: DailyHand) -> list[Html]:
    """The time that practised players need, where that is known."""
    if not GAMES[daily.game].is_time_measured(daily.puzzle):
        return []
    return [
        words.translate(
            "Practised players: about {usual}", usual=format_short_duration(words, daily.puzzle.expected)
        )
    ]


def format_clock(amount: float) -> str:
    """A time in digits, `0:42`."""
    whole = round(amount)
    hours, rest = divmod(whole, 3600)
    short = f"{rest // 60}:{rest % 60:02}"
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else short


def render_reminder(words: Words, row: int, *, is_last: bool) -> tuple[Html, Keyboard]:
    """Today's hand waits for somebody whose streak is `row`; `last`: they are not reminded again."""
    lines = [Html(f"🔔 {words.translate('Today’s hand is waiting for you.')}")]
    if row:
        lines.append(words.translate_plural("Your streak: {n} day", "Your streak: {n} days", row))
    if is_last:
        lines.append(words.translate("I won’t remind you again for now. /settings brings reminders back."))
    solve = (words.translate_plain("Solve today’s hand"), "qn:")
    off = (words.translate_plain("No more reminders"), "qs:")
    return Html("\n".join(lines)), [[solve], *([] if is_last else [[off]])]


def render_reminders_off(words: Words) -> Html:
    """What stands in a reminder's place once somebody wants none."""
    return words.translate("No more reminders. /settings brings them back.")


def make_result_picture(words: Words, dealt: Dealt, attempt: Attempt, row: int) -> DailyPicture:
    """The result, which tells nothing of the hand but its level; `row` counts the dates solved in a row."""
    day, other = get_day_date(dealt.day), get_day_game(dealt.day)
    level = dealt.puzzle.level if other else get_day_level(day)
    return DailyPicture(
        title=f"{GAMES[dealt.game].title} {day}"
        if other
        else words.translate_plain("Twenty-Four {day}", day=day),
        level=strip_tags(render_level(words, level)),
        wrong=attempt.wrong_answers,
        hints=attempt.hints,
        time=format_clock(attempt.seconds),
        streak=row,
        streak_title=strip_tags(words.translate_plural("day in a row", "days in a row", row)),
    )
