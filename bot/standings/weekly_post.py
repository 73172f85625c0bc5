"""The word about its week that a group gets on Monday."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from functools import lru_cache, partial
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Select, and_, bindparam, exists, func, select

from bot import zones
from bot.admin import topics as groups
from bot.admin.settings import preferences as preferences
from bot.admin.settings.post_hours import read_post_preferences
from bot.admin.settings.preferences import Pictures, Preferences, get_quiet_end
from bot.database import Store, Tx
from bot.database.schema import FORGOTTEN_PLAYER, are_valid_times, awards, chats, equals_any, rounds
from bot.durations import DAY, MINUTE, WEEK
from bot.i18n import INVISIBLE_NAME, Html, Words, format_name, get_words, make_mention, strip_tags
from bot.pictures.values import PodiumFact, PodiumPicture, PodiumPlace, RankedLine, RankingPicture
from bot.players import queries as people
from bot.queue import scheduled_posts
from bot.queue.queries import DRAWN_POST_PREFIX
from bot.queue.scheduled_posts import BEFORE_ALL_CHATS
from bot.queue.timers import TimedTask, TimerContext, make_hourly_cleanup
from bot.rounds.rules import State, rank_by_points
from bot.standings.leaderboard.view import MEDALS
from bot.telegram.messages import Request, add_picture, format_duration, format_short_duration, post_message
from bot.telegram.photo_messages import DescribedPicture
from bot.telegram.routes import DeliveredRequest, Routes

# The first zone in which a day begins, and the last.
FIRST_ZONE, LAST_ZONE = ZoneInfo("Etc/GMT-14"), ZoneInfo("Etc/GMT+12")


@dataclass(frozen=True, slots=True)
class Week:
    """A week of a group."""

    name: str  # Such as 2026-W47
    since: float  # Its first second, in seconds since 1970 …
    until: float  # … and the first one after it


def get_due_week(chosen: Preferences, now: float) -> Week | None:
    """The week about which there is a word to be said at `now`, by what the group chose."""
    wanted = read_post_preferences(chosen)
    if not wanted.wants_week or get_quiet_end(chosen, now) is not None:
        return None
    return _over(chosen.zone, wanted.minute, now)


def _over(zone: ZoneInfo, minute: int, now: float) -> Week | None:
    """The week whose word has been due for a day at most."""
    today = zones.get_local_date(zone, now)
    monday = today - timedelta(days=today.weekday())
    moment = zones.get_time_on_day(zone, monday, minute)
    if not 0 <= now - moment <= DAY:
        return None
    before = monday - timedelta(days=7)
    return Week(_name(before), zones.get_time_on_day(zone, before), zones.get_time_on_day(zone, monday))


def get_week_to_post(now: float) -> str | None:
    """The one week about which any group anywhere may be due a word at `now`; None while none can be."""
    monday = zones.get_local_date(FIRST_ZONE, now)
    monday -= timedelta(days=monday.weekday())
    last = zones.get_time_on_day(LAST_ZONE, monday) + 2 * DAY
    return _name(monday - timedelta(days=7)) if now <= last else None


def _name(day: date) -> str:
    week = day.isocalendar()
    return f"{week.year}-W{week.week:02}"


POST_KIND = "week"  # The kind of the posts that are claimed for it
CHATS_PER_PAGE = 200  # Chats that one look goes through: on a Monday all are, minute by minute
UNFOUND = (State.EXPIRED.value, State.SKIPPED.value)


@dataclass(frozen=True, slots=True)
class WeekSummary:
    """What happened in a group's week."""

    winners: tuple[int, ...]  # Who scored most; several where they are equal
    points: int  # That each of them scored
    fastest_player_id: int | None  # Whose right answer took least time, None where no time was taken …
    fastest_seconds: float  # … and how long that was
    unfound_line: str | None  # The line of the hardest hand that nobody found


# Built once: building takes longer than the database does

HERE = and_(
    awards.c.chat_id == bindparam("chat"),
    *(awards.c.at >= bindparam("since"), awards.c.at < bindparam("until")),
)
# The awards of a group's week, but for those of people who were forgotten.
KNOWN = and_(HERE, awards.c.player_id != FORGOTTEN_PLAYER)
SCORED = select(awards.c.id).where(HERE).limit(1)
NEXT_CHATS = (
    select(chats.c.id).where(chats.c.id > bindparam("behind")).order_by(chats.c.id).limit(bindparam("most"))
)
FASTEST = (
    select(awards.c.player_id, awards.c.seconds)
    .where(KNOWN, are_valid_times(awards.c.seconds))
    .order_by(awards.c.seconds, awards.c.id)
    .limit(1)
)
SCORES = (
    select(awards.c.player_id, func.sum(awards.c.points).label("total"))
    .where(KNOWN)
    .group_by(awards.c.player_id)
)
# The hardest hand that nobody found.
HARDEST_UNFOUND = (
    select(rounds.c.line)
    .where(rounds.c.chat_id == bindparam("chat"), equals_any(rounds.c.state, *UNFOUND), rounds.c.line != "")
    .where(rounds.c.closed >= bindparam("since"), rounds.c.closed < bindparam("until"))
    .where(~exists().where(awards.c.round_id == rounds.c.id))
    .order_by(rounds.c.expected.desc(), rounds.c.id.desc())
    .limit(1)
)


def find_due_groups(
    tx: Tx, now: float, after_chat_id: int = BEFORE_ALL_CHATS, limit: int = CHATS_PER_PAGE
) -> tuple[list[int], int | None]:
    """Of the next few chats the groups that are due a word at `now` and have played in their week, `most` of
    them at most.

    With them the last of the chats that were looked at, behind which the next ones are; None: there are none.
    """
    name = get_week_to_post(now)
    some = {"behind": after_chat_id, "most": CHATS_PER_PAGE}
    here = tx.scalars(NEXT_CHATS, some).all() if name is not None else []
    if name is None or not here:
        return [], None
    asked = {"behind": after_chat_id, "last": here[-1], "lately": now - WEEK - 3 * DAY}
    found = list[int]()
    for number in tx.scalars(_untold(name), asked).all():
        if (week := find_due_week(tx, number, now)) and _played(tx, number, week):
            found.append(number)
        if len(found) == limit:
            return found, number
    return found, here[-1]


@lru_cache(maxsize=1)
def _untold(week: str) -> Select[Any]:
    """Of the chats from one to another those groups that played lately and were not told of that week."""
    scored = exists().where(awards.c.chat_id == chats.c.id, awards.c.at >= bindparam("lately"))
    told = scheduled_posts.build_claimed_condition(chats.c.id, POST_KIND, week)
    of_some = select(chats.c.id).where(chats.c.id > bindparam("behind"), chats.c.id <= bindparam("last"))
    return of_some.where(chats.c.kind != "private", chats.c.gone == 0, scored, ~told).order_by(chats.c.id)


def find_due_week(tx: Tx, chat_id: int, now: float) -> Week | None:
    """The week about which the group is due a word, as it chose."""
    return get_due_week(preferences.read_preferences(people.load_chat(tx, chat_id, "supergroup")), now)


def _played(tx: Tx, chat_id: int, week: Week) -> bool:
    return tx.execute(SCORED, _in(chat_id, week)).first() is not None


def load_week_summary(tx: Tx, chat_id: int, week: Week) -> WeekSummary | None:
    """What happened in the group's week; None where nobody scored who is known."""
    points = load_week_points(tx, chat_id, week)
    fastest = tx.execute(FASTEST, _in(chat_id, week)).first()
    if not points:
        return None
    most = max(points.values())
    winners = tuple(sorted(who for who, n in points.items() if n == most))
    who, took = (fastest.player_id, fastest.seconds) if fastest else (None, 0.0)
    return WeekSummary(winners, most, who, took, _unfound(tx, chat_id, week))


def load_week_points(tx: Tx, chat_id: int, week: Week) -> dict[int, int]:
    """What everybody scored in the group's week, by player."""
    return {row.player_id: int(row.total) for row in tx.execute(SCORES, _in(chat_id, week))}


def _unfound(tx: Tx, chat_id: int, week: Week) -> str | None:
    line = tx.scalar(HARDEST_UNFOUND, _in(chat_id, week))
    return None if line is None else str(line)


def _in(chat_id: int, week: Week) -> dict[str, Any]:
    """What the statements about a group's week ask for."""
    return {"chat": chat_id, "since": week.since, "until": week.until}


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
        quick = words.translate(
            "The fastest answer: {name}, {time}", name=make_mention(story.fastest_player_id), time=time
        )
        lines.append(Html(f"⚡ {quick}"))
    if story.unfound_line:
        lines.append(Html(f"🤷 {words.translate('Nobody found {line}', line=story.unfound_line)}"))
    return Html("\n".join(lines))


def render_places(shown: PodiumPicture | RankingPicture) -> Html:
    """Who stands where, in a line that can't be taken for a board's; nothing where only one scored."""
    all_ = shown.places if isinstance(shown, PodiumPicture) else shown.lines
    parts = [f"{MEDALS[place.rank]} {format_name(place.name)} {place.points}" for place in all_]
    return Html(" · ".join(parts) if len(parts) > 1 else "")


MAX_RANKS, MAX_TABLE_LINES = (
    3,
    10,
)  # Ranks that are shown, and the people who have them: more of these have no picture


def make_podium_picture(
    words: Words, story: WeekSummary, points: Mapping[int, int], names: Mapping[int, str]
) -> PodiumPicture | RankingPicture | None:
    """The podium of the week of which the story is, or a table where more share its three ranks.

    `points` is what everybody scored in the week.
    """
    first = [
        RankedLine(rank, names.get(who, INVISIBLE_NAME), n)
        for rank, who, n in rank_by_points(points)
        if rank <= MAX_RANKS
    ]
    title = strip_tags(words.translate_plural("The week’s winner", "The week’s winners", len(story.winners)))
    if len(first) > MAX_RANKS:
        return RankingPicture(title, first) if len(first) <= MAX_TABLE_LINES else None
    places = [PodiumPlace(line.rank, line.name, line.points) for line in first]
    return PodiumPicture(title, places, _facts(words, story, names))


def _facts(words: Words, story: WeekSummary, names: Mapping[int, str]) -> list[PodiumFact]:
    facts = []
    if story.fastest_player_id is not None:
        took = strip_tags(format_short_duration(words, story.fastest_seconds))
        facts.append(
            PodiumFact(
                words.translate_plain("The fastest answer"),
                took,
                names.get(story.fastest_player_id, INVISIBLE_NAME),
            )
        )
    if story.unfound_line:
        facts.append(PodiumFact(words.translate_plain("Nobody found"), story.unfound_line))
    return facts


WEEKLY_POST = f"{DRAWN_POST_PREFIX}weekly word"
PAGES = 5  # So many times some chats are looked through in one look, where none of them is due anything
PODIUM_PICTURE = "podium"  # The kind of picture


async def _look(running: TimerContext, _: float) -> bool:
    """Claim the word of some groups that are due one, by Telegram's clock; False where there may be more."""
    now = running.inbox.now()
    if not await scheduled_posts.has_capacity(running, now):
        return False
    for _page in range(PAGES):
        behind = running.progress.get(POST_KIND, scheduled_posts.BEFORE_ALL_CHATS)
        asked = partial(find_due_groups, now=now, after_chat_id=behind, limit=scheduled_posts.CLAIM_LIMIT)
        due, last = await running.store.read(asked)
        if last is None:
            running.progress.pop(POST_KIND, None)
            return True
        await scheduled_posts.claim_for_chats(running, due, partial(_claimed, now=now))
        running.progress[POST_KIND] = last
        if due:
            break
    return False


def _claimed(tx: Tx, chat_id: int, now: float) -> list[Request]:
    week = find_due_week(tx, chat_id, now)
    claimed = scheduled_posts.claim_post(tx, chat_id, POST_KIND, week.name, now) if week else None
    return [] if claimed is None else [claimed.make_request(WEEKLY_POST)]


async def render_weekly_post(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The word as it is said now; None where it is none any more, or the group must not be stirred."""
    asked = scheduled_posts.read_post(POST_KIND, body)
    week = await store.read(lambda tx: _still_due(tx, asked, now))
    if week is None:
        await store.write(lambda tx: scheduled_posts.release_post(tx, asked))
        return None
    return await store.read(lambda tx: _said(tx, asked, week))


def _still_due(tx: Tx, asked: scheduled_posts.ScheduledPost, now: float) -> Week | None:
    week = find_due_week(tx, asked.chat_id, now)
    return week if week and week.name == asked.period and scheduled_posts.is_waiting(tx, asked) else None


def _said(tx: Tx, asked: scheduled_posts.ScheduledPost, week: Week) -> dict[str, Any] | None:
    story, place = load_week_summary(tx, asked.chat_id, week), groups.load_post_target(tx, asked.chat_id)
    if story is None:
        return None
    text = render_week_summary(get_words(place.language), story)
    request = post_message(asked.chat_id, text, topic=place.topic, about=asked.about, timed=True)
    if (
        preferences.read_preferences(people.load_chat(tx, asked.chat_id, "supergroup")).pictures
        is Pictures.ALL
    ):
        request = add_picture(request, PODIUM_PICTURE, place.language, chat=asked.chat_id, week=asdict(week))
    return {**request.body, "began": True}


def load_podium_picture(tx: Tx, asked: Mapping[str, Any], _: float) -> DescribedPicture | None:
    """The podium of a week, and who stands on it below the first."""
    week, speech = Week(**asked["week"]), get_words(asked["language"])
    story = load_week_summary(tx, asked["chat"], week)
    if story is None:
        return None
    points = load_week_points(tx, asked["chat"], week)
    names = people.load_names(tx, [*points, *([story.fastest_player_id] if story.fastest_player_id else [])])
    shown = make_podium_picture(speech, story, points, names)
    return DescribedPicture(shown, [render_places(shown)]) if shown else None


def record_delivery(tx: Tx, receipt: DeliveredRequest) -> None:
    """The word arrived; or it came to nothing, and may be sent again."""
    if not receipt.result:
        scheduled_posts.mark_unsent(tx, receipt.about)


ROUTES = Routes(
    renderers={WEEKLY_POST: render_weekly_post},
    picture_finders={PODIUM_PICTURE: load_podium_picture},
    before_send_handlers={POST_KIND: scheduled_posts.mark_sent},
    delivery_handlers={POST_KIND: record_delivery},
    timed_tasks=[
        TimedTask("words about weeks", MINUTE, _look),
        make_hourly_cleanup("what was posted unasked long ago", scheduled_posts.delete_old_posts),
    ],
)
