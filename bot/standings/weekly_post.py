"""The post about its week that a group gets on Monday: who won it, the fastest answer, the hardest hand.

Points are those in the game that was played most in that week. A week goes from Monday to Sunday in the
group's time zone. Its post is due on the Monday after it, for a day from the hour that the group chose, but
not in the group's quiet hours.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Select, and_, bindparam, distinct, exists, func, select

from bot import zones
from bot.database import Tx
from bot.database.schema import FORGOTTEN_PLAYER, are_valid_times, awards, chats, equals_any, rounds
from bot.durations import DAY, MINUTE, WEEK
from bot.formats import format_duration
from bot.i18n import (
    INVISIBLE_NAME,
    Html,
    Words,
    escape_value,
    format_name,
    get_words,
    make_mention,
    strip_tags,
)
from bot.pictures.values import PodiumFact, PodiumPicture, RankedLine, RankingPicture
from bot.players import queries as people
from bot.players.choices import StoredChoices
from bot.players.post_hours import read_post_preferences
from bot.players.preferences import (
    Pictures,
    Preferences,
    get_quiet_end,
    read_group_preferences,
    read_preferences,
)
from bot.queue import scheduled_posts
from bot.queue.outgoing import DRAWN_POST_PREFIX, Outgoing, PictureRequest
from bot.queue.rendering import DescribedPicture, RenderedRequest
from bot.queue.scheduled_posts import ScheduledPost
from bot.queue.timers import TimedTask, TimerContext, make_hourly_cleanup
from bot.rounds import topics
from bot.rounds.registry import GAMES
from bot.rounds.rules import State, rank_by_points
from bot.standings.leaderboard.totals import format_week
from bot.standings.leaderboard.view import MEDALS
from bot.telegram.messages import add_picture, post_message
from bot.telegram.routes import DeliveredRequest, RenderContext, Routes


@dataclass(frozen=True, slots=True)
class Week:
    """A week in a group's time zone."""

    name: str  # Such as 2026-W47
    since: float  # The first second …
    until: float  # … and the first one after it, in seconds since 1970


def get_due_week(preferences: Preferences, now: float) -> Week | None:
    """Return the week whose post is due now with these preferences; None if none is, or in quiet hours."""
    posts = read_post_preferences(preferences)
    is_quiet = get_quiet_end(preferences, now) is not None
    if is_quiet or not posts.wants_week:
        return None
    zone = preferences.zone
    monday = _get_monday(zone, now)
    due_at = zones.get_time_on_day(zone, monday, posts.minute)
    if not 0 <= now - due_at <= DAY:
        return None
    last_monday = monday - timedelta(days=7)
    since = zones.get_time_on_day(zone, last_monday)
    until = zones.get_time_on_day(zone, monday)
    return Week(format_week(last_monday), since, until)


FIRST_ZONE, LAST_ZONE = ZoneInfo("Etc/GMT-14"), ZoneInfo("Etc/GMT+12")  # Where a day begins first and last


def get_week_to_post(now: float) -> str | None:
    """Return the name of the only week whose post may be due anywhere; None if none can be."""
    monday = _get_monday(FIRST_ZONE, now)
    # A day for the hour that the group chose, and one for the post
    last_due_at = zones.get_time_on_day(LAST_ZONE, monday) + 2 * DAY
    if now > last_due_at:
        return None
    return format_week(monday - timedelta(days=7))


def _get_monday(zone: ZoneInfo, now: float) -> date:
    today = zones.get_local_date(zone, now)
    return today - timedelta(days=today.weekday())


POST_KIND = "week"  # The kind of the scheduled posts

# Statements are built once: building one takes longer than running it
IN_WEEK = and_(
    awards.c.chat_id == bindparam("chat"),
    *(awards.c.at >= bindparam("since"), awards.c.at < bindparam("until")),
)
ANY_AWARD = select(awards.c.id).where(IN_WEEK).limit(1)


def find_due_groups(tx: Tx, limit: int, now: float) -> list[int]:
    """Find up to `limit` groups whose post is due, who played in that week and whose post is not claimed."""
    week_name = get_week_to_post(now)
    if week_name is None:
        return []
    lately = now - WEEK - 3 * DAY  # The week began later than that wherever its post is due
    due = list[int]()
    for row in tx.execute(_build_groups_without_post(week_name), {"lately": lately}):
        week = get_due_week(read_group_preferences(StoredChoices.parse(row.settings)), now)
        if week and tx.execute(ANY_AWARD, _make_parameters(row.id, week)).first():
            due.append(row.id)
        if len(due) == limit:
            break
    return due


@lru_cache(maxsize=1)
def _build_groups_without_post(week_name: str) -> Select[Any]:
    """Build the SELECT of groups that played lately and have no post about that week."""
    played = exists().where(awards.c.chat_id == chats.c.id, awards.c.at >= bindparam("lately"))
    has_post = scheduled_posts.build_claimed_condition(chats.c.id, POST_KIND, week_name)
    groups = select(chats.c.id, chats.c.settings).where(chats.c.kind != "private", chats.c.gone == 0)
    return groups.where(played, ~has_post).order_by(chats.c.id)


def find_due_week(tx: Tx, chat_id: int, now: float) -> Week | None:
    """Load a group's preferences, and return the week whose post is due there; None if there is none."""
    return get_due_week(read_preferences(people.load_group(tx, chat_id)), now)


@dataclass(frozen=True, slots=True)
class WeekSummary:
    """The winners and other results of a group's week."""

    winners: tuple[int, ...]  # The players with most points in the game
    points: int  # Of each winner
    fastest_player_id: int | None  # Whose right answer took least time; None if no answer was timed
    fastest_seconds: float
    unfound_line: str | None  # The hardest hand that nobody found, such as `3 8 3 8 → 24`
    game: str  # In which the points count


BY_KNOWN_PLAYERS = and_(IN_WEEK, awards.c.player_id != FORGOTTEN_PLAYER)
FASTEST = (
    select(awards.c.player_id, awards.c.seconds)
    .where(BY_KNOWN_PLAYERS, are_valid_times(awards.c.seconds))
    .order_by(awards.c.seconds, awards.c.id)
    .limit(1)
)
HARDEST_UNFOUND = (
    select(rounds.c.line)
    .where(rounds.c.chat_id == bindparam("chat"), rounds.c.line != "")
    .where(equals_any(rounds.c.state, State.EXPIRED.value, State.SKIPPED.value))
    .where(rounds.c.closed >= bindparam("since"), rounds.c.closed < bindparam("until"))
    .where(~exists().where(awards.c.round_id == rounds.c.id))
    .order_by(rounds.c.expected.desc(), rounds.c.id.desc())
    .limit(1)
)


def load_week_summary(tx: Tx, chat_id: int, week: Week) -> WeekSummary | None:
    """Return what happened in a group's week; None if no known player scored."""
    game = load_week_game(tx, chat_id, week)
    if game is None:
        return None
    points = load_week_points(tx, chat_id, week, game)
    parameters = _make_parameters(chat_id, week)
    fastest = tx.execute(FASTEST, parameters).first()
    most = max(points.values())
    return WeekSummary(
        winners=tuple(sorted(player_id for player_id, total in points.items() if total == most)),
        points=most,
        fastest_player_id=fastest.player_id if fastest else None,
        fastest_seconds=fastest.seconds if fastest else 0.0,
        unfound_line=tx.scalar(HARDEST_UNFOUND, parameters),
        game=game,
    )


WEEK_GAME = (
    select(awards.c.game)
    .where(BY_KNOWN_PLAYERS)
    .group_by(awards.c.game)
    .order_by(func.count(distinct(awards.c.round_id)).desc(), awards.c.game)
    .limit(1)
)


def load_week_game(tx: Tx, chat_id: int, week: Week) -> str | None:
    """Return the game with most rounds that gave points in a group's week; None if none gave any."""
    return tx.scalar(WEEK_GAME, _make_parameters(chat_id, week))


TOTAL = func.sum(awards.c.points).label("total")
POINTS = (
    select(awards.c.player_id, TOTAL)
    .where(BY_KNOWN_PLAYERS, awards.c.game == bindparam("game"))
    .group_by(awards.c.player_id)
)


def load_week_points(tx: Tx, chat_id: int, week: Week, game: str) -> dict[int, int]:
    """Return everybody's points in a game in a group's week, by player."""
    parameters = {**_make_parameters(chat_id, week), "game": game}
    return {row.player_id: int(row.total) for row in tx.execute(POINTS, parameters)}


def _make_parameters(chat_id: int, week: Week) -> dict[str, float]:
    return {"chat": chat_id, "since": week.since, "until": week.until}


MAX_NAMED = 3  # Winners who are named; more are only counted


def render_week_summary(words: Words, summary: WeekSummary) -> Html:
    """Render the winners (many are only counted), the fastest answer and the hand that nobody found."""
    points = words.translate_plural("{n} point", "{n} points", summary.points)
    if len(summary.winners) <= MAX_NAMED:
        names = Html(", ".join(map(make_mention, summary.winners)))
        winners = words.translate("The week’s winner: {name}, {points}", name=names, points=points)
    else:
        winners = words.translate_plural(
            "{n} player won the week, with {points}",
            "{n} players share the week, with {points} each",
            len(summary.winners),
            points=points,
        )
    lines = [f"🏆 <b>{winners}</b>{_render_game(summary)}"]
    if summary.fastest_player_id is not None:
        name = make_mention(summary.fastest_player_id)
        duration = format_duration(words, summary.fastest_seconds)
        lines.append(f"⚡ {words.translate('The fastest answer: {name}, {time}', name=name, time=duration)}")
    if summary.unfound_line:
        lines.append(f"🤷 {words.translate('Nobody found {line}', line=summary.unfound_line)}")
    return Html("\n".join(lines))


def _render_game(summary: WeekSummary) -> str:
    """Render the title of the game behind what it is about; empty for the default game."""
    return "" if summary.game == GAMES.default.key else f" · {escape_value(GAMES[summary.game].title)}"


MAX_RANKS = 3  # Ranks that a picture shows
MAX_TABLE_LINES = 10  # Players on these ranks; if there are more, there is no picture


def make_podium_picture(
    words: Words, summary: WeekSummary, points: Mapping[int, int], names: Mapping[int, str]
) -> PodiumPicture | RankingPicture | None:
    """Make a podium, or a table if more than three share the first three ranks; None if over ten do."""
    leaders = [
        RankedLine(rank, names.get(player_id, INVISIBLE_NAME), total)
        for rank, player_id, total in rank_by_points(points)
        if rank <= MAX_RANKS
    ]
    heading = words.translate_plural("The week’s winner", "The week’s winners", len(summary.winners))
    title = strip_tags(Html(heading + _render_game(summary)))
    if len(leaders) > MAX_TABLE_LINES:
        return None
    if len(leaders) > MAX_RANKS:
        return RankingPicture(title, leaders)
    return PodiumPicture(title, leaders, _make_facts(words, summary, names))


def _make_facts(words: Words, summary: WeekSummary, names: Mapping[int, str]) -> list[PodiumFact]:
    """Return the fastest answer and the hand that nobody found, each only if there is one."""
    facts = []
    if summary.fastest_player_id is not None:
        duration = format_duration(words, summary.fastest_seconds)
        name = names.get(summary.fastest_player_id, INVISIBLE_NAME)
        facts.append(PodiumFact(words.translate_plain("The fastest answer"), duration, name))
    if summary.unfound_line:
        facts.append(PodiumFact(words.translate_plain("Nobody found"), summary.unfound_line))
    return facts


def render_places(picture: PodiumPicture | RankingPicture) -> Html:
    """Render one line with the medal, name and points of each player in a picture; empty for one player."""
    places = picture.places if isinstance(picture, PodiumPicture) else picture.lines
    if len(places) < 2:
        return Html("")
    # In one line, since programs take lines that end after the points for a leaderboard
    return Html(" · ".join(f"{MEDALS[each.rank]} {format_name(each.name)} {each.points}" for each in places))


WEEKLY_POST = f"{DRAWN_POST_PREFIX}weekly word"
PODIUM_PICTURE = "podium"  # The kind of picture


async def _claim_due_posts(timer: TimerContext, _now: float) -> bool:
    """Claim and request the due posts of some groups; return False if more may be due."""

    def find_name(tx: Tx, chat_id: int, now: float) -> str | None:
        week = find_due_week(tx, chat_id, now)
        return week.name if week else None

    return await scheduled_posts.claim_batch(timer, POST_KIND, WEEKLY_POST, find_due_groups, find_name)


async def render_weekly_post(context: RenderContext, request: Outgoing) -> RenderedRequest | None:
    """Render the post as it is sent now; None, and release the claim, if it is no longer due."""

    def render(tx: Tx, post: ScheduledPost) -> Outgoing | None:
        """Make the post, with a picture if the group wants all; None if not due or if nobody scored."""
        week = find_due_week(tx, post.chat_id, context.now)
        if week is None or week.name != post.period:
            return None
        summary = load_week_summary(tx, post.chat_id, week)
        if summary is None:
            return None
        target = topics.load_post_target(tx, post.chat_id)
        text = render_week_summary(get_words(target.language), summary)
        message = post_message(post.chat_id, text, topic=target.topic, about=post.about, timed=True)
        chat = people.load_group(tx, post.chat_id)
        if read_preferences(chat).pictures is not Pictures.ALL:
            return message
        return add_picture(message, PODIUM_PICTURE, target.language, chat=post.chat_id, week=asdict(week))

    return await scheduled_posts.render_or_release(context.store, POST_KIND, request, render)


def load_podium_picture(tx: Tx, asked: PictureRequest, _now: float) -> DescribedPicture | None:
    """Return the picture of a week with its places in words; None if nobody scored or too many lead."""
    week = Week(**asked.arguments["week"])
    chat_id = asked.arguments["chat"]
    summary = load_week_summary(tx, chat_id, week)
    if summary is None:
        return None
    points = load_week_points(tx, chat_id, week, summary.game)
    names = people.load_names(tx, [*points, summary.fastest_player_id or 0])
    picture = make_podium_picture(get_words(asked.language), summary, points, names)
    return DescribedPicture(picture, [render_places(picture)]) if picture else None


def mark_undelivered_unsent(tx: Tx, receipt: DeliveredRequest) -> None:
    """Mark a post that was never delivered as unsent, so that it is sent again."""
    if not receipt.has_arrived:
        scheduled_posts.mark_unsent(tx, receipt.about)


ROUTES = Routes(
    renderers={WEEKLY_POST: render_weekly_post},
    picture_finders={PODIUM_PICTURE: load_podium_picture},
    before_send_handlers={POST_KIND: scheduled_posts.mark_sent},
    delivery_handlers={POST_KIND: mark_undelivered_unsent},
    timed_tasks=[
        TimedTask("weekly posts", MINUTE, _claim_due_posts),
        make_hourly_cleanup("records of old scheduled posts", scheduled_posts.delete_old_posts),
    ],
)
