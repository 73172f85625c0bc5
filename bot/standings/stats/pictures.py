"""What is to be seen of a profile: figures, best times, the last days, what was earned."""

from bot.i18n import Words, plain
from bot.modes.daily.rules import day_of
from bot.modes.daily.view import clock
from bot.pictures.values import Badge, Profile
from bot.rounds.puzzle import level_name
from bot.standings.achievements.view import titles
from bot.standings.leaderboard import view
from bot.standings.stats import queries, rules
from bot.standings.stats.queries import Tally

MOST_FIGURES = 4


def of(words: Words, name: str, profile: queries.Profile, now: float, game: str = "") -> Profile:
    """The profile of `name`, with nothing that its text does not tell to the same reader.

    `game` is the key of the one game whose figures are shown; empty for all of them.
    """
    titled = titles(words)
    days, active = [*profile.days, *profile.other_days], any(profile.points)
    return Profile(
        name=name,
        figures=_figures(words, profile)[:MOST_FIGURES],
        best_title=words.plain("Best times"),
        best=[(plain(level_name(words, level)), clock(best)) for level, best in profile.best.items()],
        points_title=words.plain("30 days"),
        points=profile.points if active else (),
        days_title=words.plain("Daily hands: {n}", n=len(days)),
        days=rules.days_shown(days, day_of(now)) if days else (),
        badges_title=words.plain("Achievements"),
        badges=[Badge(titled[key][0], plain(titled[key][1])) for key in profile.earned if key in titled],
        game=view.titled(game) if game else "",
    )


def _figures(words: Words, profile: queries.Profile) -> list[tuple[str, str]]:
    """In all chats where that may be told, else here; the rank is always the one here."""
    tally = profile.across or profile.here or Tally(0, 0, 0)
    figures = [
        (str(tally.points), plain(words.count("point", "points", tally.points))),
        (str(tally.wins), plain(words.count("win", "wins", tally.wins))),
    ]
    if profile.here and profile.here.rank:
        figures.append((words.plain("#{rank}", rank=profile.here.rank), words.plain("here")))
    if profile.streak:
        figures.append((str(profile.streak), words.plain("in a row")))
    return figures
