"""A player's profile: as text that fits one screen of a phone, and as a picture."""

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from math import ceil

from bot.formats import format_duration, get_month_name
from bot.i18n import Html, Words, count_columns, escape_value, format_name, strip_tags
from bot.levels import render_level
from bot.modes.daily.rules import count_longest_streak, count_streak, format_utc_date
from bot.pictures.values import Badge, ProfilePicture
from bot.players.choices import tick
from bot.rounds.commands import explain_deal
from bot.rounds.registry import GAMES
from bot.standings.achievements import SEPARATOR, get_achievement_titles
from bot.standings.leaderboard.view import PROFILE_PREFIX, make_tabs
from bot.standings.ratings.rules import Rating, count_missing_hands, render_rating
from bot.standings.stats.pace import MonthPace
from bot.standings.stats.queries import Profile, Score
from bot.telegram.messages import Keyboard

WIDTH, MAX_LINES = 40, 15  # Columns and lines that a phone shows whole


def render_stats(
    words: Words, name: str, profile: Profile, now: float, game: str, *, is_own: bool = False
) -> Html:
    """Render a profile; `is_own` adds how many hands are missing for a rating."""
    lines = [Html(f"<b>{format_name(name)}</b> · {escape_value(GAMES[game].full_title)}")]
    if profile.is_empty:
        return Html("\n".join([*lines, words.translate("No round of it yet.")]))
    lines += _render_scores(words, profile)
    lines += _render_rating(words, profile.rating, now, is_own=is_own)
    lines += _render_rounds(words, profile)
    lines += _render_pace(words, profile.pace)
    lines += _render_daily_hands(words, profile, format_utc_date(now))
    if any(profile.points_by_day):
        lines += [words.translate("Points a day, for 30 days"), Html(render_sparkline(profile.points_by_day))]
    lines_left = MAX_LINES - len(lines)
    return Html("\n".join([*lines, *_render_achievements(words, profile, lines_left)]))


def render_no_profile(words: Words, name: str, *, admins_deal: bool = False) -> Html:
    nothing = words.translate("{name} has not answered a hand here yet.", name=format_name(name))
    return Html(f"{nothing} {explain_deal(words, admins_deal=admins_deal)}")


def _render_rounds(words: Words, profile: Profile) -> list[Html]:
    """Render win streaks, best times and duels, each only if there are any."""
    lines = []
    if profile.longest_win_streak:
        streaks = {"now": profile.win_streak, "best": profile.longest_win_streak}
        if profile.win_streak:
            lines.append(words.translate("Won in a row: {now}, at best {best}", **streaks))
        else:
            lines.append(words.translate("Won in a row: at best {best}", best=profile.longest_win_streak))
    times = profile.best_seconds.items()
    parts = [f"{render_level(words, level)} {format_duration(words, seconds)}" for level, seconds in times]
    lines += map(Html, wrap_parts(parts, SEPARATOR, "⏱ "))
    duels_won, duels_lost = profile.duels
    if duels_won or duels_lost:
        won = words.translate_plural("{n} won", "{n} won", duels_won)
        lost = words.translate_plural("{n} lost", "{n} lost", duels_lost)
        lines.append(words.translate("Duels: {won}, {lost}", won=won, lost=lost))
    return lines


def _render_scores(words: Words, profile: Profile) -> list[Html]:
    """Render the points here, with any rank, and in all; then the hands, of all chats if they are shown."""
    lines, here, across = list[Html](), profile.in_chat, profile.in_all_chats
    if here and here.rank:
        lines.append(
            words.translate("Here: {score}, #{rank}", score=_render_points(words, here), rank=here.rank)
        )
    elif here:
        lines.append(words.translate("Here: {score}", score=_render_points(words, here)))
    if across and across.rounds_answered:
        lines.append(words.translate("In all: {score}", score=_render_points(words, across)))
    widest = across or here
    if widest and widest.rounds_answered:
        n, won = widest.rounds_answered, widest.wins
        lines.append(
            words.translate_plural(
                "Answered {n} hand, won {won}", "Answered {n} hands, won {won}", n, won=won
            )
        )
    return lines


def _render_rating(words: Words, rating: Rating | None, now: float, *, is_own: bool) -> list[Html]:
    """Render the rating; without one, how many hands are missing, only if the profile is the reader's own."""
    displayed = render_rating(rating, now) if rating else None
    if displayed:
        return [words.translate("Rating: {rating}", rating=displayed)]
    if not is_own:
        return []
    missing = count_missing_hands(rating)
    return [
        words.translate_plural(
            "Rating: after {n} more hand (daily too)", "Rating: after {n} more hands (daily too)", missing
        )
    ]


def _render_pace(words: Words, pace: MonthPace | None) -> list[Html]:
    """Render how much less or more time than usual the player took this month."""
    if pace is None:
        return []
    n, *bounds = (round(100 * abs(1 - each)) for each in (pace.mean, pace.low, pace.high))
    figures = {"month": get_month_name(words, pace.month), "n": n, "low": min(bounds), "high": max(bounds)}
    if pace.mean < 1:
        return [words.translate("{month}: solved in {n} % less time than usual ({low}–{high} %)", **figures)]
    return [words.translate("{month}: solved in {n} % more time than usual ({low}–{high} %)", **figures)]


def _render_points(words: Words, score: Score) -> Html:
    return words.translate_plural("{n} point", "{n} points", score.points)


def _render_daily_hands(words: Words, profile: Profile, today: str) -> list[Html]:
    """Render the number of solved daily hands, their streaks, and a calendar with its legend."""
    solved = profile.solved_days
    if not solved:
        return []
    streaks = {"now": count_streak(solved, today), "best": count_longest_streak(solved)}
    line = words.translate("Daily hands: {n}, in a row {now}, at best {best}", n=len(solved), **streaks)
    return [line, Html(render_calendar(solved, today)), words.translate("□ missed ■ solved")]


def _render_achievements(words: Words, profile: Profile, max_lines: int) -> list[Html]:
    """Render the titles of achievements; their emoji alone if the titles need more than `max_lines`."""
    titles = get_achievement_titles(words)
    known = [titles[name] for name in profile.achievements if name in titles]
    lines = wrap_parts([title for _, title in known], SEPARATOR, "🏅 ")
    if len(lines) > max_lines:
        lines = wrap_parts([emoji for emoji, _ in known], " ", "🏅 ")
    return [Html(line) for line in lines]


def wrap_parts(parts: Sequence[str], separator: str, begin: str = "") -> list[str]:
    """Join the parts in as few lines as hold them, without breaking one; `begin` opens the first line."""
    lines: list[str] = []
    for part in parts:
        if not lines:
            lines.append(begin + part)
            continue
        longer_line = f"{lines[-1]}{separator}{part}"
        if count_columns(longer_line) > WIDTH:
            lines.append(part)
        else:
            lines[-1] = longer_line
    return lines


CALENDAR_WEEKS = 5


def get_solved_flags(solved_days: Collection[str], today: str) -> list[bool]:
    """Return for each day of the last weeks, from a Monday up to today, whether its hand was solved."""
    last = date.fromisoformat(today)
    this_monday = last - timedelta(days=last.weekday())
    first = this_monday - timedelta(weeks=CALENDAR_WEEKS - 1)
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    return [day.isoformat() in solved_days for day in days]


def render_calendar(solved_days: Collection[str], today: str) -> str:
    """Render the last weeks up to today as squares, full ones for days whose hand was solved."""
    squares = "".join("■" if is_solved else "□" for is_solved in get_solved_flags(solved_days, today))
    return " ".join(squares[at : at + 7] for at in range(0, len(squares), 7))  # Week by week


BARS = "▁▂▃▄▅▆▇█"


def render_sparkline(amounts: Sequence[int]) -> str:
    """Render a bar for each amount; only amounts of 0 or less have the lowest one."""
    most = max(amounts, default=0)
    highest = len(BARS) - 1
    bars = []
    for amount in amounts:
        height = ceil(highest * amount / most) if amount > 0 else 0  # Rounded up, so above the lowest one
        bars.append(BARS[height])
    return "".join(bars)


def make_buttons(words: Words, chat_id: int, player_id: int, game: str) -> Keyboard:
    """Make the tabs and a button for each game, with a tick at the present one."""
    games = [
        (tick(each.title, is_on=key == game), f"{PROFILE_PREFIX}:{player_id}:{key}")
        for key, each in GAMES.items()
    ]
    return [make_tabs(words, chat_id, PROFILE_PREFIX), games]


MAX_FIGURES = 4  # Large figures of a picture


def make_profile_picture(words: Words, name: str, profile: Profile, now: float, game: str) -> ProfilePicture:
    """Make the picture of a profile; it holds nothing that the text does not tell the same reader."""
    titles = get_achievement_titles(words)
    days = profile.solved_days
    times = profile.best_seconds.items()
    known = [titles[name] for name in profile.achievements if name in titles]
    return ProfilePicture(
        name=name,
        figures=_make_figures(words, profile)[:MAX_FIGURES],
        best_title=words.translate_plain("Best times"),
        best=[
            (strip_tags(render_level(words, level)), format_duration(words, seconds))
            for level, seconds in times
        ],
        points_title=words.translate_plain("Points a day, for 30 days"),
        points=profile.points_by_day if any(profile.points_by_day) else (),
        days_title=words.translate_plain("Daily hands: {n}", n=len(days)),
        days=get_solved_flags(days, format_utc_date(now)) if days else (),
        badges_title=words.translate_plain("Achievements"),
        badges=[Badge(emoji, strip_tags(title)) for emoji, title in known],
        game=GAMES[game].full_title,
    )


def _make_figures(words: Words, profile: Profile) -> list[tuple[str, str]]:
    """Return points and wins (of all chats, if the reader may see them), the rank here and the win streak."""
    score = profile.in_all_chats or profile.in_chat or Score(rounds_answered=0, wins=0, points=0)
    figures = [
        (str(score.points), strip_tags(words.translate_plural("point", "points", score.points))),
        (str(score.wins), strip_tags(words.translate_plural("win", "wins", score.wins))),
    ]
    if profile.in_chat and profile.in_chat.rank:
        rank = words.translate_plain("#{rank}", rank=profile.in_chat.rank)
        figures.append((rank, words.translate_plain("here")))
    if profile.win_streak:
        figures.append((str(profile.win_streak), words.translate_plain("in a row")))
    return figures
