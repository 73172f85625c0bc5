"""Leaderboards as text, as pictures and as rows of buttons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.i18n import INVISIBLE_NAME, Html, Words, escape_value, format_name, strip_tags
from bot.pictures.values import RankedLine, RankingPicture, WeekPicture
from bot.players.choices import tick
from bot.queue.rendering import truncate_name
from bot.rounds.commands import explain_deal
from bot.rounds.registry import GAMES
from bot.standings.leaderboard.queries import Leaderboard, Standing
from bot.standings.leaderboard.totals import ALL_CHATS, get_periods
from bot.telegram.messages import Button, Keyboard

# Codes in the data of buttons; a game stands there by its key
PERIODS = ("d", "w", "m", "a")  # Today, this week, this month and all time
*RUNNING_PERIODS, ANY_TIME = PERIODS
THIS_WEEK = "w"
THIS_CHAT, ALL_CHATS_SCOPE = "h", "w"
WHOLE = "all"


@dataclass(frozen=True, slots=True)
class LeaderboardChoice:
    """A chat, and which leaderboard is shown there, in the codes of the buttons."""

    chat: int
    scope: str = THIS_CHAT
    period: str = ANY_TIME
    game: str = ""  # Empty in lists by rating, which is about all games
    whole: bool = False  # Whether to list everybody, not only the first ten

    @property
    def is_private(self) -> bool:
        """Whether it is the list of a private chat, where nobody else plays."""
        return self.chat > 0 and self.scope == THIS_CHAT

    @property
    def code(self) -> str:
        """The choice in the data of a button, as in `h:w:countdown`, with `:all` if it is whole."""
        return ":".join(filter(None, (self.scope, self.period, self.game, WHOLE if self.whole else "")))


def make_chat_and_period(choice: LeaderboardChoice, now: float) -> tuple[int, str]:
    """Return the stored chat of a list and the name of its period that runs at `now`, without a game."""
    all_time, month, week, day = get_periods(now)
    periods = dict(zip(PERIODS, (day, week, month, all_time), strict=True))
    stored_chat_id = ALL_CHATS if choice.scope == ALL_CHATS_SCOPE else choice.chat
    return stored_chat_id, periods[choice.period]


def render_leaderboard(
    words: Words,
    board: Leaderboard[int],
    choice: LeaderboardChoice,
    reader: str | None,
    points_elsewhere: int = 0,
    *,
    admins_deal: bool = False,
) -> Html:
    """Render the leaders and the reader's own line; `reader` is the reader's name or None.

    In private it tells what counts there, and the reader's `points_elsewhere`: in groups. An empty list tells
    who deals, with `admins_deal` that admins alone do.
    """
    scope = choice.scope
    lines = [render_heading(words, words.translate("Leaderboard"), choice)]
    lines += render_podium(
        [(each.rank, render_name(each.name, scope, hide=each.masked)) for each in board.leaders]
    )
    lines += render_standings(words, board, scope)
    if choice.is_private:
        lines += _render_private_rule(words, points_elsewhere)
    elif not board.leaders:
        how = explain_deal(words, admins_deal=admins_deal, game=choice.game)
        lines.append(Html(f"{words.translate('Nobody has scored here yet.')} {how}"))
    elif board.own is None and reader is not None:
        name = render_name(reader, scope, hide=True)
        lines.append(words.translate("{name} has no points here yet.", name=name))
    lines += render_counting_rule(words, scope)
    return Html("\n".join(lines))


def _render_private_rule(words: Words, points_elsewhere: int) -> list[Html]:
    """Say that a private leaderboard counts private hands alone, and the points in groups, if any."""
    rule = words.translate(
        "Only hands that you play in private count here. In a group /leaderboard shows who leads there."
    )
    if not points_elsewhere:
        return [rule]
    points = words.translate_plural("{n} point", "{n} points", points_elsewhere)
    return [rule, words.translate("In your groups: {points}", points=points)]


def render_standings(words: Words, board: Leaderboard[Any], scope: str) -> list[Html]:
    """Render a line for each leader, and how many others have as much as the last one.

    The reader's own line is bold, and below `…` if it is not among them.
    """
    own_id = board.own.player_id if board.own else None
    lines = [_render_standing(each, scope, is_bold=each.player_id == own_id) for each in board.leaders]
    is_among_leaders = any(leader.player_id == own_id for leader in board.leaders)
    has_own_below = board.own is not None and not is_among_leaders
    equal_count = board.equal_below
    if board.own and has_own_below and board.own.score == board.leaders[-1].score:
        equal_count -= 1
    if equal_count > 0:
        score = board.leaders[-1].score
        lines.append(
            words.translate_plural(
                "… and {n} more with {points}", "… and {n} more with {points}", equal_count, points=score
            )
        )
    elif has_own_below:
        lines.append(Html("…"))
    if board.own and has_own_below:
        lines.append(_render_standing(board.own, scope, is_bold=True))
    return lines


def _render_standing(standing: Standing[Any], scope: str, *, is_bold: bool) -> Html:
    name = render_name(standing.name, scope, hide=standing.masked)
    line = f"{standing.rank}. {name} — {standing.score}"
    return Html(f"<b>{line}</b>" if is_bold else line)


def render_heading(words: Words, title: Html, choice: LeaderboardChoice) -> Html:
    period = get_period_names(words)[choice.period]
    parts = [f"<b>{title}</b>", get_scope_names(words)[choice.scope], period]
    if choice.game:
        parts.append(escape_value(GAMES[choice.game].full_title))
    return Html(" · ".join(parts))


MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}  # By rank
MAX_NAMED = 3  # Players named beside one medal


def render_podium(ranked: Sequence[tuple[int, Html]]) -> list[Html]:
    """Render one line with the medals and names of the first three ranks; no line if too many share one.

    The medals have a line of their own, since programs rely on a leaderboard's lines ending after the points.
    """
    parts = []
    for medal_rank, medal in MEDALS.items():
        names = [name for rank, name in ranked if rank == medal_rank]
        if len(names) > MAX_NAMED:
            return []
        if names:
            parts.append(f"{medal} {' '.join(names)}")
    return [Html(" ".join(parts))] if parts else []


def render_counting_rule(words: Words, scope: str) -> list[Html]:
    """Render the rule for the lists of all chats; no line for those of one chat."""
    if scope != ALL_CHATS_SCOPE:
        return []
    return [
        words.translate(
            "Groups count here in which three people won within 30 days. Days, weeks and months go by UTC."
        )
    ]


def render_name(name: str, scope: str, *, hide: bool) -> Html:
    """Render a name for a list; `hide` masks it in the lists of all chats."""
    is_masked = scope == ALL_CHATS_SCOPE and hide
    return format_name(mask_name(name) if is_masked else name)


def mask_name(name: str) -> str:
    """Return the first letter of a name (or its first visible character) and three dots."""
    letters = [c for c in name if c.isalnum()]
    visible = [c for c in name if c.isprintable() and not c.isspace()]
    shown = letters or visible or [""]
    return f"{shown[0]}•••"


def get_scope_names(words: Words) -> dict[str, str]:
    here, everywhere = words.translate_plain("this chat"), words.translate_plain("all chats")
    return {THIS_CHAT: here, ALL_CHATS_SCOPE: everywhere}


def get_period_names(words: Words) -> dict[str, str]:
    today, week = words.translate_plain("today"), words.translate_plain("this week")
    month, all_time = words.translate_plain("this month"), words.translate_plain("all time")
    return dict(zip(PERIODS, (today, week, month, all_time), strict=True))


POINTS_PREFIX, RATINGS_PREFIX, RECORDS_PREFIX, PROFILE_PREFIX = "lb", "tp", "rc", "pf"  # Of buttons' data


def make_tabs(words: Words, chat_id: int, present: str) -> list[Button]:
    """Make the row of buttons that turn one message into each list, with a tick at the `present` prefix."""
    ratings_scope = ALL_CHATS_SCOPE if chat_id > 0 else THIS_CHAT  # In private nobody else plays
    tabs = [
        (words.translate_plain("Points"), f"{POINTS_PREFIX}:{THIS_CHAT}:{ANY_TIME}"),
        (words.translate_plain("Ratings"), f"{RATINGS_PREFIX}:{ratings_scope}:{ANY_TIME}"),
        (words.translate_plain("Records"), f"{RECORDS_PREFIX}:"),
        (words.translate_plain("Me"), f"{PROFILE_PREFIX}:"),
    ]
    return [(tick(label, is_on=data.startswith(f"{present}:")), data) for label, data in tabs]


def make_switches(words: Words, choice: LeaderboardChoice, prefix: str, *, is_cut: bool = False) -> Keyboard:
    """Make the tabs and buttons for every scope and period, and for every game if the list has one.

    The present ones are ticked; `prefix` begins the data of all but the tabs. If the list `is_cut`, a button
    shows everybody, and then the first ten again.
    """

    def make_button(label: str, target: LeaderboardChoice) -> tuple[str, str]:
        return tick(label, is_on=target == choice), f"{prefix}:{target.code}"

    scopes = [make_button(name, replace(choice, scope=code)) for code, name in get_scope_names(words).items()]
    periods = [
        make_button(name, replace(choice, period=code)) for code, name in get_period_names(words).items()
    ]
    rows = [make_tabs(words, choice.chat, prefix), scopes, periods[:2], periods[2:]]
    if choice.game:
        rows.append([make_button(game.title, replace(choice, game=key)) for key, game in GAMES.items()])
    if is_cut or (choice.whole and choice.scope == THIS_CHAT):
        label = tick(words.translate_plain("Everybody"), is_on=choice.whole)
        rows.append([(label, f"{prefix}:{replace(choice, whole=not choice.whole).code}")])
    return rows


def make_week_picture(
    words: Words,
    leaders: Sequence[Standing[int]],
    points: Mapping[int, Sequence[int]],
    choice: LeaderboardChoice,
) -> WeekPicture:
    """Make the picture of this week's leaders; `points` has each leader's points by day."""
    title = strip_tags(render_heading(words, words.translate("Leaderboard"), choice))
    lines = [(_make_picture_line(leader, choice.scope), points[leader.player_id]) for leader in leaders]
    return WeekPicture(title, get_weekday_names(words), lines)


def make_table_picture(
    words: Words, leaders: Sequence[Standing[int]], choice: LeaderboardChoice
) -> RankingPicture:
    """Make the picture of the leaders of any period, or with the line of an empty leaderboard."""
    title = strip_tags(render_heading(words, words.translate("Leaderboard"), choice))
    lines = [_make_picture_line(leader, choice.scope) for leader in leaders]
    return RankingPicture(title, lines, "" if lines else words.translate_plain("Nobody has scored here yet."))


def _make_picture_line(leader: Standing[int], scope: str) -> RankedLine:
    return RankedLine(leader.rank, format_picture_name(leader, scope), leader.score)


def format_picture_name(leader: Standing[Any], scope: str) -> str:
    """Format a name for a picture, masked in lists of all chats unless its player lets them show it."""
    is_hidden = scope == ALL_CHATS_SCOPE and leader.masked
    return (mask_name(leader.name) if is_hidden else leader.name) or INVISIBLE_NAME


NAME_LENGTHS = (64, 24, 12, 0)  # UTF-16 units of names beside a picture, for ever longer lists; 0 is no name


def render_points_by_day(
    words: Words,
    leaders: Sequence[Standing[int]],
    points: Mapping[int, Sequence[int]],
    scope: str,
    name_length: int = NAME_LENGTHS[0],
) -> Html:
    """Render leaders' points by day in a folded quotation, names cut to `name_length`; 0 shows ranks."""
    days = get_weekday_names(words)
    has_room = name_length == NAME_LENGTHS[0]  # The first version of a description is the longest
    separator = " · " if has_room else " "
    lines = []
    for leader in leaders:
        by_day = zip(days, points[leader.player_id], strict=False)  # The points end today
        scored = separator.join(f"{day} {n}" for day, n in by_day if n)
        label = str(leader.rank)
        if name_length > 0:
            label = render_name(truncate_name(leader.name, name_length), scope, hide=leader.masked)
        lines.append(f"{label}: {escape_value(scored)}")
    return Html("<blockquote expandable>{}</blockquote>".format("\n".join(lines)))


def get_weekday_names(words: Words) -> list[str]:
    return words.translate_plain("Mo Tu We Th Fr Sa Su").split()
