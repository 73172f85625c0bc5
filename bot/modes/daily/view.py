"""Render the daily hand for its player, its result, its picture and the group's table of the day."""

from collections.abc import Collection, Mapping, Sequence
from urllib.parse import quote, urlencode

from bot.formats import format_date, format_duration
from bot.i18n import Html, Words, escape_value, get_words, list_languages, make_mention, strip_tags
from bot.modes.daily import rules
from bot.modes.daily.rules import Attempt
from bot.pictures.values import DailyPicture
from bot.queue.outgoing import Outgoing
from bot.rounds import view
from bot.rounds.game import require
from bot.rounds.registry import DAILY_GAMES, GAMES
from bot.rounds.rules import State, is_in_time, is_slow
from bot.rounds.view import EarnedTitles
from bot.telegram import messages
from bot.telegram.messages import Button, CopyText, Keyboard, Link

MAX_SOLUTIONS = 5  # Shown after giving up
MAX_QUOTED = 40  # Characters of a player's text that are quoted
CALENDAR = "🗓"
HAND_PICTURE = "daily hand"  # A kind of picture

# Keys with which the data of buttons begins
HINT_BUTTON = "dh"
ASK_BUTTON, GIVE_UP_BUTTON, KEEP_BUTTON = "dg", "dy", "dk"  # Before giving up the first asks
OTHER_GAME_BUTTON, TODAY_BUTTON = "do", "qn"  # These open today's hand
TURN_ON_BUTTON, TURN_OFF_BUTTON = "qr", "qs"  # of reminders


def get_names_by_title() -> dict[str, str]:
    """Return the names in `DAILY_GAMES` of all games but the default, by the titles of the games."""
    return {game.title: name for name, game in DAILY_GAMES.items() if name}


def get_link_prefix(game: str) -> str:
    """Return how the payload of a deep link to a game's daily hand begins; "" is the default game."""
    return f"daily-{game}".rstrip("-")


def make_deep_link(username: str, payload: str) -> Link:
    """Make a link that opens the private chat with the bot and sends it the payload."""
    return Link(f"https://t.me/{username}?start={payload}")


def render_usage(words: Words, fragment: str) -> Html:
    return words.translate(
        "“{fragment}”? /daily has the hand of the day, and these games have one too: {names}.",
        fragment=fragment[:MAX_QUOTED],
        names=", ".join(f"/daily {name}" for name in DAILY_GAMES if name),
    )


def render_hand(
    words: Words, attempt: Attempt, *, offers_hints: bool, has_picture: bool
) -> tuple[Html, Keyboard]:
    """Render an open hand with the hints shown so far. `offers_hints` adds a button for more.

    With `has_picture` the only line that shows the deal is the one with its numbers.
    """
    row = [(words.translate_plain("Give up"), f"{ASK_BUTTON}:{attempt.day}")]
    if offers_hints and attempt.hints_shown < GAMES[attempt.game].hints.count(attempt.puzzle):
        row.insert(0, (words.translate_plain("Hint"), f"{HINT_BUTTON}:{attempt.day}"))
    return Html("\n".join(_render_open_hand(words, attempt, has_picture=has_picture))), [row]


def render_give_up_question(words: Words, attempt: Attempt, *, has_picture: bool) -> tuple[Html, Keyboard]:
    """Render an open hand with the question whether to give it up."""
    lines = _render_open_hand(words, attempt, has_picture=has_picture)
    lines.append(Html(f"🏳 {words.translate('Give up? There is no other until tomorrow.')}"))
    yes = (words.translate_plain("Yes, show me"), f"{GIVE_UP_BUTTON}:{attempt.day}")
    no = (words.translate_plain("No"), f"{KEEP_BUTTON}:{attempt.day}")
    return Html("\n".join(lines)), [[yes, no]]


def _render_open_hand(words: Words, attempt: Attempt, *, has_picture: bool) -> list[Html]:
    """Return the lines of the deal, the rule, the hints shown so far and the count of wrong answers."""
    game = GAMES[attempt.game]
    render_task = require(game.daily).render_task
    lines = [
        _render_title(words, attempt.day),
        *([Html(escape_value(attempt.line))] if has_picture else game.render_deal(attempt.puzzle)),
        *([render_task(words)] if render_task else []),
        *view.render_solved_share(attempt, words),
        words.translate(
            "Send your answer, as often as you like."
            " The clock runs from your first look; answers count for 24 hours."
        ),
        *view.render_hints(attempt, words),
    ]
    wrong = attempt.wrong_answers
    if wrong:
        lines.append(words.translate_plural("{n} wrong answer so far", "{n} wrong answers so far", wrong))
    return lines


def edit_hand_message(
    words: Words, attempt: Attempt, text: Html, keyboard: Keyboard | None = None
) -> Outgoing:
    """Replace the text of the hand's message, or a photo's caption; a photo shows the hand still."""
    edit = messages.edit_message(attempt.player_id, attempt.message_id or 0, text, keyboard)
    if not attempt.photo:
        return edit
    kind = HAND_PICTURE if attempt.state is State.OPEN else messages.NO_PICTURE
    return messages.add_picture(edit, kind, words.language, shown_key=attempt.photo, day=attempt.day)


def render_result(
    words: Words,
    attempt: Attempt,
    streak: int,
    username: str,
    achievements: Sequence[EarnedTitles] = (),
    *,
    offers_reminder: bool = False,
    covers_answer: bool = False,
) -> tuple[Html, Keyboard]:
    """Render a solved hand with its streak, achievements and buttons to share it.

    `offers_reminder` adds a button to turn reminders on. `covers_answer` hides the numbers and the answer
    until they are tapped, so that a forwarded result picture does not give them away.
    """
    answer = escape_value(GAMES[attempt.game].format_answer(attempt.puzzle, attempt.answer or ""))
    hand_lines = [Html(escape_value(attempt.line)), Html(f"🏆 <b>{answer}</b>")]
    if covers_answer:
        hand_lines = [Html(f"<tg-spoiler>{line}</tg-spoiler>") for line in hand_lines]
    time_line, streak_line = render_time_and_streak(words, attempt, streak)
    lines = [_render_title(words, attempt.day), *hand_lines, time_line]
    lines += _render_help_and_errors(words, attempt)
    lines += [*view.render_solved_share(attempt, words), streak_line]
    lines += [Html(f"🏅 {titles.render(words)}") for titles in achievements]
    share_text = render_share_text(words, attempt, streak)
    buttons = _make_result_buttons(words, attempt.day, share_text, username, offers_reminder=offers_reminder)
    review = [[view.make_review_button(words, attempt)]] if is_slow(attempt, attempt.seconds) else []
    return Html("\n".join(lines)), [*buttons, *review]


def _render_help_and_errors(words: Words, attempt: Attempt) -> list[Html]:
    """Return a line with the number of wrong answers and of hints; empty if there were none."""
    wrong, hints = attempt.wrong_answers, attempt.hints_shown
    parts = []
    if wrong:
        parts.append(f"🟥 {words.translate_plural('{n} wrong answer', '{n} wrong answers', wrong)}")
    if hints:
        parts.append(f"💡 {words.translate_plural('{n} hint', '{n} hints', hints)}")
    return [Html(" · ".join(parts))] if parts else []


def _make_result_buttons(
    words: Words, day: str, share_text: str, username: str, *, offers_reminder: bool
) -> Keyboard:
    """Make the buttons to share a result; for the default game also other games' and the reminder's."""
    address = _make_day_link(day, username)
    rows: list[list[Button]] = [
        [(words.translate_plain("Share"), make_share_link(share_text, day, username))],
        [(words.translate_plain("Copy the result"), CopyText(f"{share_text}\n{address}"))],
    ]
    if rules.get_day_game(day):  # not the default game
        return rows
    for title, name in get_names_by_title().items():
        label = f"🔢 {words.translate_plain('{game} of the day', game=title)}"
        rows.append([(label, f"{OTHER_GAME_BUTTON}:{name}")])
    if offers_reminder:
        rows.append([(f"🔔 {words.translate_plain('Remind me every day')}", f"{TURN_ON_BUTTON}:{day}")])
    return rows


def _make_day_link(day: str, username: str) -> Link:
    return make_deep_link(username, get_link_prefix(rules.get_day_game(day)))


def make_share_link(share_text: str, day: str, username: str) -> Link:
    """Make a link that lets the player choose whom to send a result, with a link to the day's hand."""
    query = urlencode({"url": _make_day_link(day, username), "text": share_text}, quote_via=quote)
    return Link(f"https://t.me/share/url?{query}")


def render_given_up(words: Words, attempt: Attempt) -> Html:
    """Render a hand that its player gave up, with at most `MAX_SOLUTIONS` different solutions."""
    game = GAMES[attempt.game]
    answers = [game.format_answer(attempt.puzzle, answer) for answer in game.solutions(attempt.puzzle)]
    lines = [Html(f"<b>{escape_value(answer)}</b>") for answer in answers[:MAX_SOLUTIONS]]
    return _render_over(words, attempt, words.translate("Given up."), *lines)


def render_offline_hand(words: Words, attempt: Attempt) -> Html:
    answer = escape_value(GAMES[attempt.game].format_answer(attempt.puzzle, attempt.answer or ""))
    return _render_over(words, attempt, Html(f"<b>{answer}</b>"), _render_solved_offline(words))


def _render_over(words: Words, attempt: Attempt, *lines: Html) -> Html:
    """Render a hand that can't be solved any more, with these lines below it."""
    heading = [_render_title(words, attempt.day), Html(escape_value(attempt.line))]
    return Html("\n".join([*heading, *lines]))


def render_time_and_streak(words: Words, attempt: Attempt, streak: int) -> tuple[Html, Html]:
    """Render one line with the time of a solved attempt and one with the streak."""
    return (
        words.translate("Solved in {time}.", time=format_duration(words, attempt.seconds)),
        words.translate_plural("Your streak: {n} day", "Your streak: {n} days", streak),
    )


def _render_solved_offline(words: Words) -> Html:
    return words.translate(
        "You have solved this hand offline. Well done! It counts for no streak and no ranking."
    )


def render_share_text(words: Words, attempt: Attempt, streak: int) -> str:
    """Render a result in one line to share; it reveals nothing of the hand but its difficulty."""
    title, difficulty = _render_game_and_date(words, attempt), view.render_difficulty(attempt, words)
    return f"{title} · {strip_tags(difficulty)} · {_render_outcome(words, attempt, streak)}"


def _render_game_and_date(words: Words, attempt: Attempt) -> str:
    date = format_date(words, rules.get_day_date(attempt.day))
    if rules.get_day_game(attempt.day):  # not the default game
        return f"{GAMES[attempt.game].title} {date}"
    return words.translate_plain("Twenty-Four {day}", day=date)


def _render_outcome(words: Words, attempt: Attempt, streak: int) -> str:
    return f"{rules.render_squares(attempt)} ⏱ {format_duration(words, attempt.seconds)} 🔥 {streak}"


def make_result_picture(words: Words, attempt: Attempt, streak: int) -> DailyPicture:
    """Make the picture of a result to share; it reveals nothing of the hand but its difficulty."""
    return DailyPicture(
        title=_render_game_and_date(words, attempt),
        difficulty=strip_tags(view.render_difficulty(attempt, words)),
        wrong=attempt.wrong_answers,
        hints=attempt.hints_shown,
        time=format_duration(words, attempt.seconds),
        streak=streak,
        streak_title=strip_tags(words.translate_plural("day in a row", "days in a row", streak)),
    )


def render_too_late(words: Words, attempt: Attempt) -> Html:
    """Render why a hand can't be solved any more: it is solved, given up, solved offline or out of time."""
    if attempt.state is State.WON:
        return words.translate("You have solved that hand already. /daily has today’s.")
    if attempt.state is State.SKIPPED:
        return words.translate("You have given that hand up already. /daily has today’s.")
    if attempt.state is State.VOID:
        return _render_solved_offline(words)
    return words.translate("That hand’s 24 hours are over, so this counts neither way. /daily has today’s.")


def render_group_table(
    words: Words, day: str, attempts: Sequence[Attempt], streaks: Mapping[int, int], now: float
) -> Html:
    """Render a group's table of the day: the ranking, how many still play, who solved offline or gave up."""
    lines = [
        Html(f"{rank}. {make_mention(a.player_id)} · {_render_outcome(words, a, streaks[a.player_id])}")
        for rank, a in rules.rank_attempts(attempts)
    ]
    open_count = len([a for a in attempts if is_in_time(a, now)])
    if open_count:
        lines.append(
            words.translate_plural("{n} player is still at it.", "{n} players are still at it.", open_count)
        )
    offline = [a for a in attempts if a.state is State.VOID]
    if attempts and not lines and not offline:  # all gave up, or their time is over
        lines.append(words.translate("Nobody here has solved it."))
    given_up = [a for a in attempts if a.state is State.SKIPPED]
    lines += [words.translate("{name} · solved offline", name=make_mention(a.player_id)) for a in offline]
    lines += [words.translate("{name} · gave up", name=make_mention(a.player_id)) for a in given_up]
    if not attempts:
        lines.append(
            words.translate("The same hand for everybody who plays with this bot. Who solves it first here?")
        )
    return Html("\n".join([_render_title(words, day), *lines]))


def _render_title(words: Words, day: str) -> Html:
    """Render the date, with the title of a game that is not the default."""
    title = words.translate("The hand of {day}", day=format_date(words, rules.get_day_date(day)))
    game = rules.get_day_game(day)
    about = f" · {DAILY_GAMES[game].title}" if game else ""
    return Html(f"{CALENDAR} <b>{title}</b>{about}")


def find_shown_day(text: str, days: Collection[str]) -> str | None:
    """Find which of the day keys a message of the bot shows, in any language; None if it shows none."""
    titles = {
        strip_tags(_render_title(get_words(code), day)): day for code in list_languages() for day in days
    }
    return titles.get(text.partition("\n")[0])


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
