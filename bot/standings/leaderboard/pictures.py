"""What is to be seen of a leaderboard's week: who has how many points, and on which days."""

from collections.abc import Mapping, Sequence

from bot.i18n import NAMELESS, Words, plain
from bot.pictures.values import Line, Race, Week
from bot.standings.leaderboard import view
from bot.standings.leaderboard.queries import Standing

THIS_WEEK = "w"


def week(
    words: Words, leaders: Sequence[Standing], points: Mapping[int, Sequence[int]], scope: str, game: str = ""
) -> Week:
    """The leaders of this week, with the points of each of its days so far (`queries.by_day`)."""
    return Week(
        title=plain(view.headed(words, words.say("Leaderboard"), scope, THIS_WEEK, game)),
        days=view.weekdays(words),
        lines=[
            (Line(leader.rank, _name(leader, scope), leader.points), points[leader.player_id])
            for leader in leaders
        ],
    )


def table(words: Words, leaders: Sequence[Standing], scope: str, period: str, game: str = "") -> Race:
    """The leaders of any other time; of nobody, the title alone."""
    title = plain(view.headed(words, words.say("Leaderboard"), scope, period, game))
    lines = [Line(leader.rank, _name(leader, scope), leader.points) for leader in leaders]
    return Race(title, lines, "" if lines else plain(view.nobody(words, game)))


def _name(leader: Standing, scope: str) -> str:
    """As the board's text has it: masked outside its chats, where it is to be hidden."""
    hidden = scope == view.WORLD and leader.masked
    return (view.masked(leader.name) if hidden else leader.name) or NAMELESS
