"""The word about a group's week."""

from bot.i18n import Html, Words, make_mention, format_name
from bot.pictures.values import PodiumPicture, RankingPicture
from bot.standings.leaderboard.view import MEDALS
from bot.standings.weekly.queries import WeekSummary
from bot.telegram.messages import format_duration

MAX_NAMED = 3  # Winners who are named where several have the same points


def render_week_summary(words: Words, story: WeekSummary) -> Html:
    """Who won it, whose answer was the fastest, and the hand that nobody found."""
    points = words.translate_plural("{n} point", "{n} points", story.points)
    if len(story.winners) <= MAX_NAMED:
        names = Html(", ".join(map(make_mention, story.winners)))
        won = words.translate("The week’s winner: {name}, {points}", name=names, points=points)
    else:
        n = len(story.winners)
        won = words.translate_plural(
            "{n} player won the week, with {points}",
            "{n} players share the week, with {points} each",
            n,
            points=points,
        )
    lines = [Html(f"🏆 <b>{won}</b>")]
    if story.fastest_player_id is not None:
        time = format_duration(words, story.fastest_seconds)
        quick = words.translate("The fastest answer: {name}, {time}", name=make_mention(story.fastest_player_id), time=time)
        lines.append(Html(f"⚡ {quick}"))
    if story.unfound_line:
        lines.append(Html(f"🤷 {words.translate('Nobody found {line}', line=story.unfound_line)}"))
    return Html("\n".join(lines))


def render_places(shown: PodiumPicture | RankingPicture) -> Html:
    """Who stands where, in a line that can't be taken for a board's; nothing where only one scored."""
    all_ = shown.places if isinstance(shown, PodiumPicture) else shown.lines
    parts = [f"{MEDALS[place.rank]} {format_name(place.name)} {place.points}" for place in all_]
    return Html(" · ".join(parts) if len(parts) > 1 else "")
