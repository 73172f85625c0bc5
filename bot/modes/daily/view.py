"""Render the daily hand for its player, its result, its picture and the group's table of the day."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from bot.i18n import Html, Words, escape_value, strip_tags
from bot.modes.daily import rules
from bot.modes.daily.rules import Attempt, AttemptState, DailyHand
from bot.pictures.values import DailyPicture
from bot.rounds import message_lines
from bot.rounds.puzzle import render_level
from bot.rounds.registry import DAILY_GAMES, GAMES
from bot.standings.achievements.view import join_titles
from bot.telegram import messages
from bot.telegram.messages import Button, CopyText, Keyboard, Link

MAX_SOLUTIONS = 5  # Shown after giving up
MAX_QUOTED = 40  # Characters of a player's text that are quoted
CALENDAR = "🗓"

# Keys with which the data of buttons begins
HINT_BUTTON, GIVE_UP_BUTTON = "dh", "dg"
OTHER_GAME_BUTTON, TODAY_BUTTON = "do", "qn"  # These open today's hand
TURN_ON_BUTTON, TURN_OFF_BUTTON = "qr", "qs"  # of reminders

NAMES_BY_TITLE = {game.title: name for name, game in DAILY_GAMES.items() if name}


def get_link_prefix(game: str) -> str:
    """Return how the payload of a deep link to a game's daily hand begins; "" is the default game."""
    return f"daily-{game}".rstrip("-")


def make_deep_link(username: str, payload: str) -> Link:
    """Make a link that opens the private chat with the bot and sends it the payload."""
    return Link(f"https://t.me/{username}?start={payload}")


def render_usage(words: Words, fragment: str) -> Html:
    """Render the reply to `/daily` with an unknown game."""
    return words.translate(
        "“{fragment}”? /daily has the hand of the day, and these games have one too: {names}.",
        fragment=fragment[:MAX_QUOTED],
        names=", ".join(f"/daily {name}" for name in DAILY_GAMES if name),
    )


def render_hand(
    words: Words, hand: DailyHand, attempt: Attempt, *, offers_hints: bool
) -> tuple[Html, Keyboard]:
    """Render an open hand with the hints shown so far. `offers_hints` adds a button for more."""
    game = GAMES[hand.game]
    task = game.render_daily_task(words)
    lines = [
        _render_title(words, hand.day),
        *game.render_deal(hand.puzzle),
        *([task] if task else []),
        words.translate("Send your answer, as often as you like. Your time runs, for 24 hours at most."),
        *_render_proof(hand, over=False),
    ]
    lines += [Html(f"💡 {game.render_hint(words, hand.puzzle, number)}") for number in range(attempt.hints)]
    wrong = attempt.wrong_answers
    if wrong:
        lines.append(words.translate_plural("{n} wrong answer so far", "{n} wrong answers so far", wrong))
    row = [(words.translate_plain("Give up"), f"{GIVE_UP_BUTTON}:{hand.day}")]
    if offers_hints and attempt.hints < game.count_hints(hand.puzzle):
        row.insert(0, (words.translate_plain("Hint"), f"{HINT_BUTTON}:{hand.day}"))
    return Html("\n".join(lines)), [row]


def render_result(
    words: Words,
    hand: DailyHand,
    attempt: Attempt,
    streak: int,
    username: str,
    achievements: Sequence[str] = (),
    *,
    offers_reminder: bool = False,
    covers_answer: bool = False,
) -> tuple[Html, Keyboard]:
    """Render a solved hand with its streak, achievements and buttons to share it.

    `offers_reminder` adds a button to turn reminders on. `covers_answer` hides the numbers and the answer
    until they are tapped, so that a forwarded result picture does not give them away.
    """
    game = GAMES[hand.game]
    answer = escape_value(game.format_answer(hand.puzzle, attempt.answer or ""))
    hand_lines = [Html(escape_value(hand.puzzle.line)), Html(f"🏆 <b>{answer}</b>")]
    if covers_answer:
        hand_lines = [Html(f"<tg-spoiler>{line}</tg-spoiler>") for line in hand_lines]
    time_line, streak_line = render_time_and_streak(words, attempt, streak)
    lines = [_render_title(words, hand.day), *hand_lines, time_line]
    if attempt.hints:
        lines.append(Html(f"💡 {words.translate_plural('{n} hint', '{n} hints', attempt.hints)}"))
    if game.is_time_measured(hand.puzzle):
        usual = messages.format_short_duration(words, hand.puzzle.expected)
        lines.append(words.translate("Practised players: about {usual}", usual=usual))
    lines.append(streak_line)
    if achievements:
        lines.append(Html(f"🏅 {join_titles(words, achievements)}"))
    lines += _render_proof(hand, over=True)
    share_text = render_share_text(words, hand, attempt, streak)
    buttons = _make_result_buttons(words, hand.day, share_text, username, offers_reminder=offers_reminder)
    return Html("\n".join(lines)), buttons


def _make_result_buttons(
    words: Words, day: str, share_text: str, username: str, *, offers_reminder: bool
) -> Keyboard:
    """Make the buttons to share a result; for the default game also other games' and the reminder's."""
    address = make_deep_link(username, get_link_prefix(rules.get_day_game(day)))
    query = urlencode({"url": address, "text": share_text}, quote_via=quote)
    rows: list[list[Button]] = [
        [(words.translate_plain("Share"), Link(f"https://t.me/share/url?{query}"))],
        [(words.translate_plain("Copy the result"), CopyText(f"{share_text}\n{address}"))],
    ]
    if rules.get_day_game(day):  # not the default game
        return rows
    for title, name in NAMES_BY_TITLE.items():
        label = f"🔢 {words.translate_plain('{game} of the day', game=title)}"
        rows.append([(label, f"{OTHER_GAME_BUTTON}:{name}")])
    if offers_reminder:
        rows.append([(f"🔔 {words.translate_plain('Remind me every day')}", f"{TURN_ON_BUTTON}:{day}")])
    return rows


def render_given_up(words: Words, hand: DailyHand) -> Html:
    """Render a hand that its player gave up, with at most `MAX_SOLUTIONS` different solutions."""
    game = GAMES[hand.game]
    answers = [game.format_answer(hand.puzzle, answer) for answer in game.list_best_answers(hand.puzzle)]
    solution = game.solution(hand.puzzle)
    if solution:
        answers.insert(0, solution)
    different_answers = list(dict.fromkeys(answers))
    lines = [Html(f"<b>{escape_value(answer)}</b>") for answer in different_answers[:MAX_SOLUTIONS]]
    return _render_over(words, hand, words.translate("Given up."), *lines)


def render_offline_hand(words: Words, hand: DailyHand, attempt: Attempt) -> Html:
    """Render a hand that its player solved offline."""
    answer = escape_value(GAMES[hand.game].format_answer(hand.puzzle, attempt.offline_answer))
    return _render_over(words, hand, Html(f"<b>{answer}</b>"), _render_solved_offline(words))


def _render_over(words: Words, hand: DailyHand, *lines: Html) -> Html:
    """Render a hand that can't be solved any more, with these lines below it."""
    deal = GAMES[hand.game].render_deal(hand.puzzle)
    return Html("\n".join([_render_title(words, hand.day), *deal, *lines, *_render_proof(hand, over=True)]))


def _render_proof(hand: DailyHand, *, over: bool) -> list[Html]:
    """Render the commitment to the deal, and the proof once it is over; empty if the deal has none."""
    return message_lines.render_proof(GAMES[hand.game].get_proof(hand.puzzle), over=over)


def render_time_and_streak(words: Words, attempt: Attempt, streak: int) -> tuple[Html, Html]:
    """Render one line with the time of a solved attempt and one with the streak."""
    return (
        words.translate("Solved in {time}.", time=messages.format_duration(words, attempt.seconds)),
        words.translate_plural("Your streak: {n} day", "Your streak: {n} days", streak),
    )


def _render_solved_offline(words: Words) -> Html:
    return words.translate(
        "You have solved this hand offline. Well done! It counts for no streak and no ranking."
    )


def render_share_text(words: Words, hand: DailyHand, attempt: Attempt, streak: int) -> str:
    """Render a result in one line to share; it reveals nothing of the hand but its level."""
    date = rules.get_day_date(hand.day)
    level = _render_level(words, hand)
    if rules.get_day_game(hand.day):
        game = GAMES[hand.game].title
        head = words.translate_plain("{game} {day} · {level}", game=game, day=date, level=level)
    else:
        head = words.translate_plain("Twenty-Four {day} · {level}", day=date, level=level)
    return f"{head} · {_render_outcome(attempt, streak)}"


def _render_level(words: Words, hand: DailyHand) -> str:
    """Render the day's level for the default game, which is dealt by it; else the puzzle's own."""
    level = hand.puzzle.level if rules.get_day_game(hand.day) else rules.get_day_level(hand.day)
    return strip_tags(render_level(words, level))


def _render_outcome(attempt: Attempt, streak: int) -> str:
    return f"{rules.render_squares(attempt)} ⏱ {format_clock(attempt.seconds)} 🔥 {streak}"


def make_result_picture(words: Words, hand: DailyHand, attempt: Attempt, streak: int) -> DailyPicture:
    """Make the picture of a result to share; it reveals nothing of the hand but its level."""
    date = rules.get_day_date(hand.day)
    title = f"{GAMES[hand.game].title} {date}"
    if not rules.get_day_game(hand.day):  # the default game
        title = words.translate_plain("Twenty-Four {day}", day=date)
    return DailyPicture(
        title=title,
        level=_render_level(words, hand),
        wrong=attempt.wrong_answers,
        hints=attempt.hints,
        time=format_clock(attempt.seconds),
        streak=streak,
        streak_title=strip_tags(words.translate_plural("day in a row", "days in a row", streak)),
    )


def render_too_late(words: Words, attempt: Attempt | None) -> Html:
    """Render why a hand can't be solved: solved, given up, solved offline, or (also for None) out of time."""
    if attempt is not None:
        if attempt.state is AttemptState.SOLVED:
            return words.translate("You have solved that hand already. /daily has today’s.")
        if attempt.state is AttemptState.GIVEN_UP:
            return words.translate("You have given that hand up already. /daily has today’s.")
        if attempt.offline_answer:
            return _render_solved_offline(words)
    return words.translate("That hand’s 24 hours are over, so this counts neither way. /daily has today’s.")


def render_group_table(
    words: Words,
    day: str,
    attempts: Sequence[Attempt],
    names: Mapping[int, str],
    streaks: Mapping[int, int],
    now: float,
) -> Html:
    """Render a group's table of the day: the ranking, how many still play, who solved offline or gave up."""

    def get_name(attempt: Attempt) -> Html:
        return messages.format_player_name(names, attempt.player_id)

    lines = [
        Html(f"{rank}. {get_name(a)} · {_render_outcome(a, streaks[a.player_id])}")
        for rank, a in rules.rank_attempts(attempts)
    ]
    open_count = len([a for a in attempts if rules.is_attempt_open(a, now)])
    if open_count:
        lines.append(
            words.translate_plural("{n} player is still at it.", "{n} players are still at it.", open_count)
        )
    offline = [a for a in attempts if a.offline_answer and a.state is AttemptState.OPEN]
    if attempts and not lines and not offline:  # all gave up, or their time is over
        lines.append(words.translate("Nobody here has solved it."))
    given_up = [a for a in attempts if a.state is AttemptState.GIVEN_UP]
    lines += [words.translate("{name} · solved offline", name=get_name(a)) for a in offline]
    lines += [words.translate("{name} · gave up", name=get_name(a)) for a in given_up]
    if not attempts:
        lines.append(
            words.translate("The same hand for everybody who plays with this bot. Who solves it first here?")
        )
    return Html("\n".join([_render_title(words, day), *lines]))


def _render_title(words: Words, day: str) -> Html:
    """Render the date with the day's level, or with the title of a game that is not the default."""
    title = words.translate("The hand of {day}", day=rules.get_day_date(day))
    game = rules.get_day_game(day)
    about = DAILY_GAMES[game].title if game else render_level(words, rules.get_day_level(day))
    return Html(f"{CALENDAR} <b>{title}</b> · {about}")


TITLE = re.compile(
    rf"{CALENDAR}.*?([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})"
    rf"(?:.*? · ({'|'.join(map(re.escape, NAMES_BY_TITLE))})$)?",
    re.MULTILINE,
)


def parse_day_in_title(text: str) -> str | None:
    """Parse the day key in the first line of a bot message; None if the message shows no daily hand."""
    match = TITLE.match(text)
    if match is None:
        return None
    title = match[2] or ""  # Absent for the default game, whose name is empty
    return rules.make_day_key(match[1], NAMES_BY_TITLE.get(title, ""))


def format_clock(seconds: float) -> str:
    """Format a duration in digits, such as `0:42` or `1:00:00`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours}:{minutes_left:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def render_reminder(words: Words, streak: int, *, is_last: bool) -> tuple[Html, Keyboard]:
    """Render a reminder of today's hand; the last one says so and has no button to turn reminders off."""
    lines = [Html(f"🔔 {words.translate('Today’s hand is waiting for you.')}")]
    if streak:
        lines.append(words.translate_plural("Your streak: {n} day", "Your streak: {n} days", streak))
    if is_last:
        lines.append(words.translate("I won’t remind you again for now. /settings brings reminders back."))
    rows: list[list[Button]] = [[(words.translate_plain("Solve today’s hand"), f"{TODAY_BUTTON}:")]]
    if not is_last:
        rows.append([(words.translate_plain("No more reminders"), f"{TURN_OFF_BUTTON}:")])
    return Html("\n".join(lines)), rows
