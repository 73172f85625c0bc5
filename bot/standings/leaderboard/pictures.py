"""What is to be seen of a leaderboard's week: who has how many points, and on which days."""

from collections.abc import Mapping, Sequence

from bot.i18n import INVISIBLE_NAME, Words, strip_tags
from bot.pictures.values import RankedLine, RankingPicture, WeekPicture
from bot.standings.leaderboard import view
from bot.standings.leaderboard.queries import Standing

THIS_WEEK = "w"


def make_week_picture(
    words: Words, leaders: Sequence[Standing], points: Mapping[int, Sequence[int]], scope: str, game: str = ""
) -> WeekPicture:
    """The leaders of this week, with the points of each of its days so far (`queries.by_day`)."""
    return WeekPicture(
        title=strip_tags(view.render_heading(words, words.translate("Leaderboard"), scope, THIS_WEEK, game)),
        days=view.get_weekday_names(words),
        lines=[
            (RankedLine(leader.rank, _name(leader, scope), leader.points), points[leader.player_id])
            for leader in leaders
        ],
    )


def make_table_picture(words: Words, leaders: Sequence[Standing], scope: str, period: str, game: str = "") -> RankingPicture:
    """The leaders of any other time; of nobody, the title alone."""
    title = strip_tags(view.render_heading(words, words.translate("Leaderboard"), scope, period, game))
    lines = [RankedLine(leader.rank, _name(leader, scope), leader.points) for leader in leaders]
    return RankingPicture(title, lines, "" if lines else strip_tags(view.render_nobody_scored(words, game)))


def _name(leader: Standing, scope: str) -> str:
    """As the board's text has it: masked outside its chats, where it is to be hidden."""
    hidden = scope == view.ALL_CHATS_SCOPE and leader.masked
    return (view.mask_name(leader.name) if hidden else leader.name) or INVISIBLE_NAME
