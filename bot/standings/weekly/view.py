"""The word about a group's week."""

from bot.i18n import Html, Words, mention, name
from bot.pictures.values import Podium, Race
from bot.standings.leaderboard.view import MEDALS
from bot.standings.weekly.queries import Story
from bot.telegram.messages import seconds

NAMED = 3  # Winners who are named where several have the same points


def word(words: Words, story: Story) -> Html:
    """Who won it, whose answer was the fastest, and the hand that nobody found."""
    points = words.count("{n} point", "{n} points", story.points)
    if len(story.winners) <= NAMED:
        names = Html(", ".join(map(mention, story.winners)))
        won = words.say("The week’s winner: {name}, {points}", name=names, points=points)
    else:
        n = len(story.winners)
        won = words.count(
            "{n} player won the week, with {points}",
            "{n} players share the week, with {points} each",
            n,
            points=points,
        )
    lines = [Html(f"🏆 <b>{won}</b>")]
    if story.fastest is not None:
        time = seconds(words, story.seconds)
        quick = words.say("The fastest answer: {name}, {time}", name=mention(story.fastest), time=time)
        lines.append(Html(f"⚡ {quick}"))
    if story.unfound:
        lines.append(Html(f"🤷 {words.say('Nobody found {line}', line=story.unfound)}"))
    return Html("\n".join(lines))


def places(shown: Podium | Race) -> Html:
    """Who stands where, in a line that can't be taken for a board's; nothing where only one scored."""
    all_ = shown.places if isinstance(shown, Podium) else shown.lines
    parts = [f"{MEDALS[place.rank]} {name(place.name)} {place.points}" for place in all_]
    return Html(" · ".join(parts) if len(parts) > 1 else "")
