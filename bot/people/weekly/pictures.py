"""What is to be seen of a group's week: the first three, and what else was remarkable."""

from collections.abc import Mapping

from bot.games.rounds.rules import ranked
from bot.i18n import NAMELESS, Words, plain
from bot.people.weekly.queries import Story
from bot.pictures.values import Fact, Place, Podium
from bot.telegram.messages import short_time

PLACES = 3


def of(words: Words, story: Story, points: Mapping[int, int], names: Mapping[int, str]) -> Podium:
    """The podium of the week of which the story is; `points` is what everybody scored in it."""
    places = [Place(rank, names.get(who, NAMELESS), amount) for rank, who, amount in ranked(points)[:PLACES]]
    title = words.count("The week’s winner", "The week’s winners", len(story.winners))
    return Podium(plain(title), places, _facts(words, story, names))


def _facts(words: Words, story: Story, names: Mapping[int, str]) -> list[Fact]:
    facts = []
    if story.fastest is not None:
        took = plain(short_time(words, story.seconds))
        facts.append(Fact(words.plain("The fastest answer"), took, names.get(story.fastest, NAMELESS)))
    if story.unfound:
        facts.append(Fact(words.plain("Nobody found"), story.unfound))
    return facts
