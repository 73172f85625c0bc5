"""The post about its week that a group gets on Monday: who won it, the fastest answer, the hardest hand.

A week goes from Monday to Sunday in the group's time zone. Its post is due on the Monday after it, for a day
from the hour that the group chose, but not in the group's quiet hours.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from functools import lru_cache, partial
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Select, and_, bindparam, exists, func, select

from bot import zones
from bot.admin import topics
from bot.admin.settings.post_hours import read_post_preferences
from bot.admin.settings.preferences import Pictures, Preferences, get_quiet_end, read_preferences
from bot.database import Store, Tx
from bot.database.schema import FORGOTTEN_PLAYER, are_valid_times, awards, chats, equals_any, rounds
from bot.durations import DAY, MINUTE, WEEK
from bot.i18n import INVISIBLE_NAME, Html, Words, format_name, get_words, make_mention, strip_tags
from bot.pictures.values import PodiumFact, PodiumPicture, RankedLine, RankingPicture
from bot.players import queries as people
from bot.queue import scheduled_posts
from bot.queue.queries import DRAWN_POST_PREFIX
from bot.queue.scheduled_posts import BEFORE_ALL_CHATS, ScheduledPost
from bot.queue.timers import TimedTask, TimerContext, make_hourly_cleanup
from bot.rounds.rules import State, rank_by_points
from bot.standings.leaderboard.view import MEDALS
from bot.telegram.messages import Request, add_picture, format_duration, format_short_duration, post_message
from bot.telegram.photo_messages import DescribedPicture
from bot.telegram.routes import DeliveredRequest, Routes


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
    return Week(_format_week(last_monday), since, until)


FIRST_ZONE, LAST_ZONE = ZoneInfo("Etc/GMT-14"), ZoneInfo("Etc/GMT+12")  # Where a day begins first and last


def get_week_to_post(now: float) -> str | None:
    """Return the name of the only week whose post may be due anywhere; None if none can be."""
    monday = _get_monday(FIRST_ZONE, now)
    # A day for the hour that the group chose, and one for the post
    last_due_at = zones.get_time_on_day(LAST_ZONE, monday) + 2 * DAY
    if now > last_due_at:
        return None
    return _format_week(monday - timedelta(days=7))


def _get_monday(zone: ZoneInfo, now: float) -> date:
    """Return the Monday of the week of `now`."""
    today = zones.get_local_date(zone, now)
    return today - timedelta(days=today.weekday())


def _format_week(day: date) -> str:
    week = day.isocalendar()
    return f"{week.year}-W{week.week:02}"


POST_KIND = "week"  # The kind of the scheduled posts
CHATS_PER_PAGE = 200  # On a Monday all chats are looked through, page by page

# Statements are built once: building one takes longer than running it
IN_WEEK = and_(
    awards.c.chat_id == bindparam("chat"),
    *(awards.c.at >= bindparam("since"), awards.c.at < bindparam("until")),
)
ANY_AWARD = select(awards.c.id).where(IN_WEEK).limit(1)
NEXT_CHATS = (
    select(chats.c.id).where(chats.c.id > bindparam("after")).order_by(chats.c.id).limit(bindparam("limit"))
)


def find_due_groups(
    tx: Tx, now: float, after_chat_id: int = BEFORE_ALL_CHATS, limit: int = CHATS_PER_PAGE
) -> tuple[list[int], int | None]:
    """Find up to `limit` groups whose post is due and who played in that week, in the next page of chats.

    Return with them the chat after which the next page begins; None if none is left or no post can be due.
    """
    week_name = get_week_to_post(now)
    if week_name is None:
        return [], None
    page = tx.scalars(NEXT_CHATS, {"after": after_chat_id, "limit": CHATS_PER_PAGE}).all()
    if not page:
        return [], None
    lately = now - WEEK - 3 * DAY  # The week began later than that wherever its post is due
    bounds = {"after": after_chat_id, "last": page[-1], "lately": lately}
    due = list[int]()
    for chat_id in tx.scalars(_build_groups_without_post(week_name), bounds).all():
        week = find_due_week(tx, chat_id, now)
        if week and tx.execute(ANY_AWARD, _make_parameters(chat_id, week)).first():
            due.append(chat_id)
        if len(due) == limit:  # The next page begins in the middle of this one
            return due, chat_id
    return due, page[-1]


@lru_cache(maxsize=1)
def _build_groups_without_post(week_name: str) -> Select[Any]:
    """Build the SELECT of groups in a range of ids that played lately and have no post about that week."""
    played = exists().where(awards.c.chat_id == chats.c.id, awards.c.at >= bindparam("lately"))
    has_post = scheduled_posts.build_claimed_condition(chats.c.id, POST_KIND, week_name)
    in_range = select(chats.c.id).where(chats.c.id > bindparam("after"), chats.c.id <= bindparam("last"))
    groups = in_range.where(chats.c.kind != "private", chats.c.gone == 0)
    return groups.where(played, ~has_post).order_by(chats.c.id)


def find_due_week(tx: Tx, chat_id: int, now: float) -> Week | None:
    """Load a group's preferences, and return the week whose post is due there; None if there is none."""
    return get_due_week(read_preferences(people.load_group(tx, chat_id)), now)


@dataclass(frozen=True, slots=True)
class WeekSummary:
    """The winners and other results of a group's week."""

    winners: tuple[int, ...]  # The players with most points
    points: int  # Of each winner
    fastest_player_id: int | None  # Whose right answer took least time; None if no answer was timed
    fastest_seconds: float
    unfound_line: str | None  # The hardest hand that nobody found, such as `3 8 3 8 → 24`


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
    points = load_week_points(tx, chat_id, week)
    if not points:
        return None
    parameters = _make_parameters(chat_id, week)
    fastest = tx.execute(FASTEST, parameters).first()
    most = max(points.values())
    return WeekSummary(
        winners=tuple(sorted(player_id for player_id, total in points.items() if total == most)),
        points=most,
        fastest_player_id=fastest.player_id if fastest else None,
        fastest_seconds=fastest.seconds if fastest else 0.0,
        unfound_line=tx.scalar(HARDEST_UNFOUND, parameters),
    )


POINTS = (
    select(awards.c.player_id, func.sum(awards.c.points).label("total"))
    .where(BY_KNOWN_PLAYERS)
    .group_by(awards.c.player_id)
)


def load_week_points(tx: Tx, chat_id: int, week: Week) -> dict[int, int]:
    """Return everybody's points in a group's week, by player."""
    return {row.player_id: int(row.total) for row in tx.execute(POINTS, _make_parameters(chat_id, week))}


def _make_parameters(chat_id: int, week: Week) -> dict[str, Any]:
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
    lines = [f"🏆 <b>{winners}</b>"]
    if summary.fastest_player_id is not None:
        name = make_mention(summary.fastest_player_id)
        duration = format_duration(words, summary.fastest_seconds)
        lines.append(f"⚡ {words.translate('The fastest answer: {name}, {time}', name=name, time=duration)}")
    if summary.unfound_line:
        lines.append(f"🤷 {words.translate('Nobody found {line}', line=summary.unfound_line)}")
    return Html("\n".join(lines))


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
    title = strip_tags(
        words.translate_plural("The week’s winner", "The week’s winners", len(summary.winners))
    )
    if len(leaders) > MAX_TABLE_LINES:
        return None
    if len(leaders) > MAX_RANKS:
        return RankingPicture(title, leaders)
    return PodiumPicture(title, leaders, _make_facts(words, summary, names))


def _make_facts(words: Words, summary: WeekSummary, names: Mapping[int, str]) -> list[PodiumFact]:
    """Return the fastest answer and the hand that nobody found, each only if there is one."""
    facts = []
    if summary.fastest_player_id is not None:
        duration = strip_tags(format_short_duration(words, summary.fastest_seconds))
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
PAGES = 5  # Pages of chats that one run looks through until it finds due groups


async def _claim_due_posts(timer: TimerContext, _now: float) -> bool:
    """Claim and request the due posts of some groups; return whether all chats were looked through."""
    now = timer.inbox.now()
    if not await scheduled_posts.has_capacity(timer, now):
        return False

    def claim(tx: Tx, chat_id: int) -> list[Request]:
        """Claim a group's post, and return its request; empty if it is no longer due or already claimed."""
        week = find_due_week(tx, chat_id, now)
        if week is None:
            return []
        post = scheduled_posts.claim_post(tx, chat_id, POST_KIND, week.name, now)
        return [post.make_request(WEEKLY_POST)] if post else []

    for _page in range(PAGES):
        after = timer.progress.get(POST_KIND, BEFORE_ALL_CHATS)  # Where the last run stopped
        find = partial(find_due_groups, now=now, after_chat_id=after, limit=scheduled_posts.CLAIM_LIMIT)
        due_groups, end_of_page = await timer.store.read(find)
        if end_of_page is None:
            timer.progress.pop(POST_KIND, None)
            return True
        for chat_id in due_groups:
            await timer.run_effect(partial(claim, chat_id=chat_id))
        timer.progress[POST_KIND] = end_of_page
        if due_groups:
            break  # The next run goes on after them
    return False


async def render_weekly_post(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """Render the post as it is sent now; None, and release the claim, if it is no longer due."""

    def render(tx: Tx, post: ScheduledPost) -> Request | None:
        """Make the post, with a picture if the group wants all; None if not due or if nobody scored."""
        week = find_due_week(tx, post.chat_id, now)
        if week is None or week.name != post.period:
            return None
        summary = load_week_summary(tx, post.chat_id, week)
        if summary is None:
            return None
        target = topics.load_post_target(tx, post.chat_id)
        text = render_week_summary(get_words(target.language), summary)
        request = post_message(post.chat_id, text, topic=target.topic, about=post.about, timed=True)
        chat = people.load_group(tx, post.chat_id)
        if read_preferences(chat).pictures is not Pictures.ALL:
            return request
        return add_picture(request, PODIUM_PICTURE, target.language, chat=post.chat_id, week=asdict(week))

    return await scheduled_posts.render_or_release(store, POST_KIND, body, render)


def load_podium_picture(tx: Tx, parameters: Mapping[str, Any], _now: float) -> DescribedPicture | None:
    """Return the picture of a week with its places in words; None if nobody scored or too many lead."""
    week = Week(**parameters["week"])
    chat_id = parameters["chat"]
    summary = load_week_summary(tx, chat_id, week)
    if summary is None:
        return None
    points = load_week_points(tx, chat_id, week)
    names = people.load_names(tx, list(points))  # Also holds the fastest player
    picture = make_podium_picture(get_words(parameters["language"]), summary, points, names)
    return DescribedPicture(picture, [render_places(picture)]) if picture else None


def mark_undelivered_unsent(tx: Tx, receipt: DeliveredRequest) -> None:
    """Mark a post that was never delivered as unsent, so that it is sent again."""
    if not receipt.result:
        scheduled_posts.mark_unsent(tx, receipt.about)


ROUTES = Routes(
    renderers={WEEKLY_POST: render_weekly_post},
    picture_finders={PODIUM_PICTURE: load_podium_picture},
    before_send_handlers={POST_KIND: scheduled_posts.mark_sent},
    delivery_handlers={POST_KIND: mark_undelivered_unsent},
    timed_tasks=[
        TimedTask("words about weeks", MINUTE, _claim_due_posts),
        make_hourly_cleanup("what was posted unasked long ago", scheduled_posts.delete_old_posts),
    ],
)
