"""Leaderboards."""

from collections.abc import Mapping, Sequence

from bot.i18n import INVISIBLE_NAME, Html, Words, escape_value, format_name, strip_tags
from bot.pictures.values import RankedLine, RankingPicture, WeekPicture
from bot.rounds.registry import DEFAULT_GAME, GAMES
from bot.standings.leaderboard.queries import Leaderboard, Standing
from bot.standings.leaderboard.totals import ALL_CHATS, ALL_TIME, make_period_key
from bot.telegram.messages import Keyboard
from bot.telegram.photo_messages import truncate_name

HIDDEN = "•••"
PERIODS = ("d", "w", "m", "a")  # Codes of today, this week, this month and all time, as buttons carry them
RUNNING_PERIODS = PERIODS[:-1]  # Codes of the periods that begin anew
THIS_CHAT, ALL_CHATS_SCOPE = "h", "w"  # Codes of this chat and all chats
NAME_LENGTHS = (64, 24, 12, 0)  # UTF-16 units of the names beside a picture, from the most to none at all
MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}  # By rank
NAMED = 2  # People who share a medal up to whom they are named; of more, how many they are


def mask_name(shown: str) -> str:
    """The first letter of a name, and nothing else of it."""
    letter = next((c for c in shown if c.isalnum()), None)
    first = letter or next((c for c in shown if c.isprintable() and not c.isspace()), "")
    return first + HIDDEN


def render_leaderboard(
    words: Words, board: Leaderboard, scope: str, period: str, reader: str | None, game: str = ""
) -> tuple[Html, Keyboard]:
    """The leaders, one line each, and always the line of the reader, who is named `reader`.

    `game` is the key of the one game whose points are shown; empty for all of them.
    """
    lines = [render_heading(words, words.translate("Leaderboard"), scope, period, game)]
    own = board.own.player_id if board.own else None
    lines += render_podium(
        [(s.rank, render_name(s.name, scope, hide=s.masked)) for s in board.leaders if s.rank in MEDALS]
    )
    lines += [_standing(s, scope, own=s.player_id == own) for s in board.leaders]
    if board.own and all(own != s.player_id for s in board.leaders):
        lines += [Html("…"), _standing(board.own, scope, own=True)]
    if not board.leaders:
        lines.append(render_nobody_scored(words, game))
    elif board.own is None and reader is not None:
        lines.append(
            words.translate("{name} has no points here yet.", name=render_name(reader, scope, hide=True))
        )
    lines += render_counting_rule(words, scope)
    return Html("\n".join(lines)), make_switches(words, scope, period, game)


def render_nobody_scored(words: Words, game: str = "") -> Html:
    """Nobody has scored; what begins a game, or that game."""
    if game in ("", DEFAULT_GAME.key):
        return words.translate("Nobody has scored here yet. /play deals a hand.")
    return words.translate(
        "Nobody has scored here yet. /{command} begins a game.", command=GAMES[game].command
    )


def render_heading(words: Words, title: Html, scope: str, period: str, game: str) -> Html:
    """The first line of a board: what it is, and of what."""
    parts = [f"<b>{title}</b>", get_scope_names(words)[scope], get_period_names(words)[period]]
    return Html(" · ".join([*parts, *([escape_value(get_game_title(game))] if game else [])]))


def render_podium(ranked: Sequence[tuple[int, Html]]) -> list[Html]:
    """A line with the first three and their medals; none of nobody.

    It stands by itself, since others rely on it that a board's own lines end after the points.
    """
    places = {rank: [who for r, who in ranked if r == rank] for rank in MEDALS}
    shared = {rank: " ".join(who) if len(who) <= NAMED else f"×{len(who)}" for rank, who in places.items()}
    medals = " ".join(f"{MEDALS[rank]} {who}" for rank, who in shared.items() if who)
    return [Html(medals)] if medals else []


def _standing(s: Standing, scope: str, *, own: bool) -> Html:
    line = f"{s.rank}. {render_name(s.name, scope, hide=s.masked)} — {s.points}"
    return Html(f"<b>{line}</b>" if own else line)


def render_name(whole: str, scope: str, *, hide: bool) -> Html:
    """A name as a board shows it: masked outside its chats, where it is to be hidden."""
    return format_name(mask_name(whole) if scope == ALL_CHATS_SCOPE and hide else whole)


def render_counting_rule(words: Words, scope: str) -> list[Html]:
    """Which chats the board of all chats sums up, and by which clock."""
    line = words.translate(
        "Groups count here in which three people won within 30 days. Days, weeks and months go by UTC."
    )
    return [line] if scope == ALL_CHATS_SCOPE else []


def render_points_by_day(
    words: Words,
    leaders: Sequence[Standing],
    points: Mapping[int, Sequence[int]],
    scope: str,
    name_length: int = NAME_LENGTHS[0],
) -> Html:
    """The points of each leader on the days of this week that brought some, folded away.

    Names have as many UTF-16 units as the `longest`; for 0, ranks stand for them.
    """
    days, between = get_weekday_names(words), " · " if name_length == NAME_LENGTHS[0] else " "
    lines = []
    for s in leaders:
        scored = between.join(f"{day} {n}" for day, n in zip(days, points[s.player_id], strict=False) if n)
        who = (
            render_name(truncate_name(s.name, name_length), scope, hide=s.masked)
            if name_length
            else f"{s.rank}"
        )
        lines.append(f"{who}: {escape_value(scored)}")
    return Html("<blockquote expandable>{}</blockquote>".format("\n".join(lines)))


def get_weekday_names(words: Words) -> list[str]:
    """Short names of the days of a week, Monday's first."""
    return words.translate_plain("Mo Tu We Th Fr Sa Su").split()


def get_scope_names(words: Words) -> dict[str, str]:
    """What this chat and all chats are called, by code."""
    return {
        THIS_CHAT: words.translate_plain("this chat"),
        ALL_CHATS_SCOPE: words.translate_plain("all chats"),
    }


def get_period_names(words: Words) -> dict[str, str]:
    """What the periods are called, by code."""
    today, week = words.translate_plain("today"), words.translate_plain("this week")
    return dict(
        zip(
            PERIODS,
            (today, week, words.translate_plain("this month"), words.translate_plain("all time")),
            strict=True,
        )
    )


def get_game_title(game: str) -> str:
    """What a game is called."""
    return GAMES[game].title


def make_switches(words: Words, scope: str, period: str, game: str, prefix: str = "lb") -> Keyboard:
    """Buttons for every board; the one shown is ticked. `prefix` begins what they send."""

    def data(*shown: str) -> str:
        return ":".join([prefix, *filter(None, shown)])

    games = {"": words.translate_plain("all games"), **{key: get_game_title(key) for key in sorted(GAMES)}}
    rows = (
        [(label, s == scope, data(s, period, game)) for s, label in get_scope_names(words).items()],
        [(label, p == period, data(scope, p, game)) for p, label in get_period_names(words).items()],
        [(label, key == game, data(scope, period, key)) for key, label in games.items()],
    )
    where, when, which = (
        [(render_switch_label(label, is_on=on), sent) for label, on, sent in row] for row in rows
    )
    return [where, when[:2], when[2:], *([which] if len(GAMES) > 1 else [])]


def render_switch_label(label: str, *, is_on: bool) -> str:
    """What a switch says; whether it is `on`."""
    return f"✓ {label}" if is_on else label


def make_leaderboard_key(
    chat_id: int, scope: str, period: str, now: tuple[str, str, str, str], game: str = ""
) -> tuple[int, str]:
    """The chat and period of a board in the store, of those that are running `now`."""
    all_time, month, week, day = now
    keys = dict(zip(PERIODS, (day, week, month, all_time), strict=True))
    return (ALL_CHATS if scope == ALL_CHATS_SCOPE else chat_id), make_period_key(
        keys.get(period, ALL_TIME), game
    )


THIS_WEEK = "w"


def make_week_picture(
    words: Words, leaders: Sequence[Standing], points: Mapping[int, Sequence[int]], scope: str, game: str = ""
) -> WeekPicture:
    """The leaders of this week, with the points of each of its days so far (`queries.by_day`)."""
    return WeekPicture(
        title=strip_tags(render_heading(words, words.translate("Leaderboard"), scope, THIS_WEEK, game)),
        days=get_weekday_names(words),
        lines=[
            (RankedLine(leader.rank, _name(leader, scope), leader.points), points[leader.player_id])
            for leader in leaders
        ],
    )


def make_table_picture(
    words: Words, leaders: Sequence[Standing], scope: str, period: str, game: str = ""
) -> RankingPicture:
    """The leaders of any other time; of nobody, the title alone."""
    title = strip_tags(render_heading(words, words.translate("Leaderboard"), scope, period, game))
    lines = [RankedLine(leader.rank, _name(leader, scope), leader.points) for leader in leaders]
    return RankingPicture(title, lines, "" if lines else strip_tags(render_nobody_scored(words, game)))


def _name(leader: Standing, scope: str) -> str:
    """As the board's text has it: masked outside its chats, where it is to be hidden."""
    hidden = scope == ALL_CHATS_SCOPE and leader.masked
    return (mask_name(leader.name) if hidden else leader.name) or INVISIBLE_NAME
