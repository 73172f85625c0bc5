"""What is to be seen of a group's week: the first three, and what else was remarkable."""

from collections.abc import Mapping

from bot.i18n import NAMELESS, Words, plain
from bot.pictures.values import Fact, Line, Place, Podium, Race
from bot.rounds.rules import ranked
from bot.standings.weekly.queries import Story
from bot.telegram.messages import short_time

PLACES, LINES = 3, 10  # Ranks that are shown, and the people who have them: more of these have no picture


def of(
    words: Words, story: Story, points: Mapping[int, int], names: Mapping[int, str]
) -> Podium | Race | None:
    """The podium of the week of which the story is, or a table where more share its three ranks.

    `points` is what everybody scored in the week.
    """
    first = [Line(rank, names.get(who, NAMELESS), n) for rank, who, n in ranked(points) if rank <= PLACES]
    title = plain(words.count("The week’s winner", "The week’s winners", len(story.winners)))
    if len(first) > PLACES:
        return Race(title, first) if len(first) <= LINES else None
    places = [Place(line.rank, line.name, line.points) for line in first]
    return Podium(title, places, _facts(words, story, names))


def _facts(words: Words, story: Story, names: Mapping[int, str]) -> list[Fact]:
    facts = []
    if story.fastest is not None:
        took = plain(short_time(words, story.seconds))
        facts.append(Fact(words.plain("The fastest answer"), took, names.get(story.fastest, NAMELESS)))
    if story.unfound:
        facts.append(Fact(words.plain("Nobody found"), story.unfound))
    return facts
