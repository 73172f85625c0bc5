"""A player's profile, on one screen of a phone."""

from bot.i18n import Html, Words, escape_value, format_name
from bot.modes.daily.rules import count_longest_streak, count_streak, format_utc_date
from bot.modes.daily.view import format_clock
from bot.rounds.puzzle import render_level
from bot.rounds.registry import GAMES
from bot.standings.achievements.view import SEPARATOR, get_achievement_titles
from bot.standings.leaderboard.view import get_game_title, render_switch_label
from bot.standings.ratings.rules import count_missing_hands, make_displayed_rating
from bot.standings.ratings.view import render_profile_rating
from bot.standings.stats.queries import Profile, Score
from bot.standings.stats.rules import BUTTON_PREFIX, LINES, render_calendar, render_sparkline, wrap_parts
from bot.telegram.messages import Keyboard


def render_stats(
    words: Words, who: str, profile: Profile | None, now: float, game: str = "", *, own: bool = False
) -> Html:
    """What somebody has done; None of whom nothing is known here.

    `game` is the key of the one game whose figures are shown; empty for all of them. Who asks for their
    `own` is told how many hands are missing until there is a rating.
    """
    if profile is None or (profile.is_empty and not game):
        return words.translate(
            "{name} has not played a round here yet. /play deals a hand.", name=format_name(who)
        )
    today = format_utc_date(now)
    lines = [
        Html(
            f"<b>{format_name(who)}</b> · {escape_value(get_game_title(game))}"
            if game
            else f"<b>{format_name(who)}</b>"
        )
    ]
    if profile.is_empty:
        return Html("\n".join([*lines, words.translate("No round of it yet.")]))
    if profile.here:
        lines.append(_here(words, profile.here))
    if profile.across and profile.across.rounds_answered:
        lines.append(words.translate("In all: {score}", score=_score(words, profile.across)))
    lines += _rating(words, profile, now, own=own) if not game else []
    if profile.longest:
        row = {"now": profile.streak, "best": profile.longest}
        lines.append(words.translate("Won in a row: {now}, at best {best}", **row))
    lines += _best(words, profile)
    if any(profile.duels):
        won, lost = profile.duels
        beaten, lost_to = (
            words.translate_plural("{n} won", "{n} won", won),
            words.translate_plural("{n} lost", "{n} lost", lost),
        )
        lines.append(words.translate("Duels: {won}, {lost}", won=beaten, lost=lost_to))
    lines += [*_days(words, profile, today), *_points(words, profile)]
    return Html("\n".join([*lines, *_earned(words, profile, LINES - len(lines))]))


def make_game_buttons(words: Words, player_id: int, game: str) -> Keyboard | None:
    """One for each game and one for all of them; the one shown is ticked. None where there is one game."""
    games = {"": words.translate_plain("all games"), **{key: get_game_title(key) for key in sorted(GAMES)}}
    row = [
        (render_switch_label(label, is_on=key == game), f"{BUTTON_PREFIX}:{player_id}:{key}")
        for key, label in games.items()
    ]
    return [row] if len(GAMES) > 1 else None


def _rating(words: Words, profile: Profile, now: float, *, own: bool) -> list[Html]:
    rating = profile.rating
    read = make_displayed_rating(rating, now) if rating else None
    line = render_profile_rating(words, read, count_missing_hands(rating) if own else None)
    return [line] if line else []


def _here(words: Words, tally: Score) -> Html:
    score = _score(words, tally)
    if not tally.rank:
        return words.translate("Here: {score}", score=score)
    return words.translate("Here: {score}, #{rank}", score=score, rank=tally.rank)


def _score(words: Words, tally: Score) -> Html:
    points = words.translate_plural("{n} point", "{n} points", tally.points)
    return words.translate(
        "{points}, won {won} of {played}", points=points, won=tally.wins, played=tally.rounds_answered
    )


def _best(words: Words, profile: Profile) -> list[Html]:
    times = [f"{render_level(words, level)} {format_clock(best)}" for level, best in profile.best.items()]
    return [Html(line) for line in wrap_parts(times, SEPARATOR, "⏱ ")]


def _days(words: Words, profile: Profile, today: str) -> list[Html]:
    """How many daily hands were solved, in one game also in a row, and the calendar of the last weeks."""
    solved = [*profile.days, *profile.other_days]
    if not solved:
        return []
    row = {"now": count_streak(profile.days, today), "best": count_longest_streak(profile.days)}
    if profile.other_days:
        told = words.translate("Daily hands: {n}", n=len(solved))
    else:
        told = words.translate("Daily hands: {n}, in a row {now}, at best {best}", n=len(solved), **row)
    return [told, Html(render_calendar(solved, today))]


def _points(words: Words, profile: Profile) -> list[Html]:
    if not any(profile.points):
        return []
    return [words.translate("30 days: {line}", line=render_sparkline(profile.points))]


def _earned(words: Words, profile: Profile, room: int) -> list[Html]:
    """What was earned, by name; by their signs alone, where there is no room for all the names."""
    known = get_achievement_titles(words)
    earned = [known[each] for each in profile.earned if each in known]
    lines = wrap_parts([title for _, title in earned], SEPARATOR, "🏅 ")
    signs = wrap_parts([sign for sign, _ in earned], " ", "🏅 ")
    return [Html(line) for line in (lines if len(lines) <= room else signs)]
