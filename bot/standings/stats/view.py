"""A player's profile, on one screen of a phone."""

from bot.i18n import Html, Words, name, safe
from bot.modes.daily.rules import day_of, longest, streak
from bot.modes.daily.view import clock
from bot.rounds.known import GAMES
from bot.rounds.puzzle import level_name
from bot.standings.achievements.view import BETWEEN, titles
from bot.standings.leaderboard.view import ticked, titled
from bot.standings.ratings.rules import missing, shown
from bot.standings.ratings.view import own_line
from bot.standings.stats.queries import Profile, Tally
from bot.standings.stats.rules import LINES, PREFIX, calendar, filled, sparkline
from bot.telegram.messages import Keyboard


def stats(
    words: Words, who: str, profile: Profile | None, now: float, game: str = "", *, own: bool = False
) -> Html:
    """What somebody has done; None of whom nothing is known here.

    `game` is the key of the one game whose figures are shown; empty for all of them. Who asks for their
    `own` is told how many hands are missing until there is a rating.
    """
    if profile is None or (profile.empty and not game):
        return words.say("{name} has not played a round here yet. /play deals a hand.", name=name(who))
    today = day_of(now)
    lines = [Html(f"<b>{name(who)}</b> · {safe(titled(game))}" if game else f"<b>{name(who)}</b>")]
    if profile.empty:
        return Html("\n".join([*lines, words.say("No round of it yet.")]))
    if profile.here:
        lines.append(_here(words, profile.here))
    if profile.across and profile.across.rounds:
        lines.append(words.say("In all: {score}", score=_score(words, profile.across)))
    lines += _rating(words, profile, now, own=own) if not game else []
    if profile.longest:
        row = {"now": profile.streak, "best": profile.longest}
        lines.append(words.say("Won in a row: {now}, at best {best}", **row))
    lines += _best(words, profile)
    if any(profile.duels):
        won, lost = profile.duels
        beaten, lost_to = words.count("{n} won", "{n} won", won), words.count("{n} lost", "{n} lost", lost)
        lines.append(words.say("Duels: {won}, {lost}", won=beaten, lost=lost_to))
    lines += [*_days(words, profile, today), *_points(words, profile)]
    return Html("\n".join([*lines, *_earned(words, profile, LINES - len(lines))]))


def buttons(words: Words, player_id: int, game: str) -> Keyboard | None:
    """One for each game and one for all of them; the one shown is ticked. None where there is one game."""
    games = {"": words.plain("all games"), **{key: titled(key) for key in sorted(GAMES)}}
    row = [(ticked(label, on=key == game), f"{PREFIX}:{player_id}:{key}") for key, label in games.items()]
    return [row] if len(GAMES) > 1 else None


def _rating(words: Words, profile: Profile, now: float, *, own: bool) -> list[Html]:
    rating = profile.rating
    read = shown(rating, now) if rating else None
    line = own_line(words, read, missing(rating) if own else None)
    return [line] if line else []


def _here(words: Words, tally: Tally) -> Html:
    score = _score(words, tally)
    if not tally.rank:
        return words.say("Here: {score}", score=score)
    return words.say("Here: {score}, #{rank}", score=score, rank=tally.rank)


def _score(words: Words, tally: Tally) -> Html:
    points = words.count("{n} point", "{n} points", tally.points)
    return words.say("{points}, won {won} of {played}", points=points, won=tally.wins, played=tally.rounds)


def _best(words: Words, profile: Profile) -> list[Html]:
    times = [f"{level_name(words, level)} {clock(best)}" for level, best in profile.best.items()]
    return [Html(line) for line in filled(times, BETWEEN, "⏱ ")]


def _days(words: Words, profile: Profile, today: str) -> list[Html]:
    """How many daily hands were solved, in one game also in a row, and the calendar of the last weeks."""
    solved = [*profile.days, *profile.other_days]
    if not solved:
        return []
    row = {"now": streak(profile.days, today), "best": longest(profile.days)}
    if profile.other_days:
        told = words.say("Daily hands: {n}", n=len(solved))
    else:
        told = words.say("Daily hands: {n}, in a row {now}, at best {best}", n=len(solved), **row)
    return [told, Html(calendar(solved, today))]


def _points(words: Words, profile: Profile) -> list[Html]:
    if not any(profile.points):
        return []
    return [words.say("30 days: {line}", line=sparkline(profile.points))]


def _earned(words: Words, profile: Profile, room: int) -> list[Html]:
    """What was earned, by name; by their signs alone, where there is no room for all the names."""
    known = titles(words)
    earned = [known[each] for each in profile.earned if each in known]
    lines = filled([title for _, title in earned], BETWEEN, "🏅 ")
    signs = filled([sign for sign, _ in earned], " ", "🏅 ")
    return [Html(line) for line in (lines if len(lines) <= room else signs)]
