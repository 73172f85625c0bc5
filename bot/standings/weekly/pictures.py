"""What is to be seen of a group's week: the first three, and what else was remarkable."""

from collections.abc import Mapping

from bot.i18n import INVISIBLE_NAME, Words, strip_tags
from bot.pictures.values import PodiumFact, RankedLine, PodiumPlace, PodiumPicture, RankingPicture
from bot.rounds.rules import rank_by_points
from bot.standings.weekly.queries import WeekSummary
from bot.telegram.messages import format_short_duration

MAX_RANKS, MAX_TABLE_LINES = 3, 10  # Ranks that are shown, and the people who have them: more of these have no picture


def make_podium_picture(
    words: Words, story: WeekSummary, points: Mapping[int, int], names: Mapping[int, str]
) -> PodiumPicture | RankingPicture | None:
    """The podium of the week of which the story is, or a table where more share its three ranks.

    `points` is what everybody scored in the week.
    """
    first = [RankedLine(rank, names.get(who, INVISIBLE_NAME), n) for rank, who, n in rank_by_points(points) if rank <= MAX_RANKS]
    title = strip_tags(words.translate_plural("The week’s winner", "The week’s winners", len(story.winners)))
    if len(first) > MAX_RANKS:
        return RankingPicture(title, first) if len(first) <= MAX_TABLE_LINES else None
    places = [PodiumPlace(line.rank, line.name, line.points) for line in first]
    return PodiumPicture(title, places, _facts(words, story, names))


def _facts(words: Words, story: WeekSummary, names: Mapping[int, str]) -> list[PodiumFact]:
    facts = []
    if story.fastest_player_id is not None:
        took = strip_tags(format_short_duration(words, story.fastest_seconds))
        facts.append(PodiumFact(words.translate_plain("The fastest answer"), took, names.get(story.fastest_player_id, INVISIBLE_NAME)))
    if story.unfound_line:
        facts.append(PodiumFact(words.translate_plain("Nobody found"), story.unfound_line))
    return facts
