"""What is to be seen of a profile: figures, best times, the last days, what was earned."""

from bot.i18n import Words, strip_tags
from bot.modes.daily.rules import format_utc_date
from bot.modes.daily.view import format_clock
from bot.pictures.values import Badge, ProfilePicture
from bot.rounds.puzzle import render_level
from bot.standings.achievements.view import get_achievement_titles
from bot.standings.leaderboard import view
from bot.standings.stats import queries, rules
from bot.standings.stats.queries import Score

MOST_FIGURES = 4


def make_profile_picture(
    words: Words, name: str, profile: queries.Profile, now: float, game: str = ""
) -> ProfilePicture:
    """The profile of `name`, with nothing that its text does not tell to the same reader.

    `game` is the key of the one game whose figures are shown; empty for all of them.
    """
    titled = get_achievement_titles(words)
    days, active = [*profile.days, *profile.other_days], any(profile.points)
    return ProfilePicture(
        name=name,
        figures=_figures(words, profile)[:MOST_FIGURES],
        best_title=words.translate_plain("Best times"),
        best=[
            (strip_tags(render_level(words, level)), format_clock(best))
            for level, best in profile.best.items()
        ],
        points_title=words.translate_plain("30 days"),
        points=profile.points if active else (),
        days_title=words.translate_plain("Daily hands: {n}", n=len(days)),
        days=rules.get_solved_flags(days, format_utc_date(now)) if days else (),
        badges_title=words.translate_plain("Achievements"),
        badges=[Badge(titled[key][0], strip_tags(titled[key][1])) for key in profile.earned if key in titled],
        game=view.get_game_title(game) if game else "",
    )


def _figures(words: Words, profile: queries.Profile) -> list[tuple[str, str]]:
    """In all chats where that may be told, else here; the rank is always the one here."""
    tally = profile.across or profile.here or Score(0, 0, 0)
    figures = [
        (str(tally.points), strip_tags(words.translate_plural("point", "points", tally.points))),
        (str(tally.wins), strip_tags(words.translate_plural("win", "wins", tally.wins))),
    ]
    if profile.here and profile.here.rank:
        figures.append(
            (words.translate_plain("#{rank}", rank=profile.here.rank), words.translate_plain("here"))
        )
    if profile.streak:
        figures.append((str(profile.streak), words.translate_plain("in a row")))
    return figures
