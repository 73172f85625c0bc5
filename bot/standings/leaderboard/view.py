"""Leaderboards."""

from collections.abc import Mapping, Sequence

from bot.i18n import Html, Words, name, safe
from bot.rounds.known import GAMES, USUAL
from bot.standings.leaderboard.queries import Board, Standing
from bot.standings.leaderboard.totals import ALL_CHATS, ALL_TIME, within
from bot.telegram.captions import shortened
from bot.telegram.messages import Keyboard

HIDDEN = "•••"
PERIODS = ("d", "w", "m", "a")  # Codes of today, this week, this month and all time, as buttons carry them
RUNNING = PERIODS[:-1]  # Codes of the periods that begin anew
HERE, WORLD = "h", "w"  # Codes of this chat and all chats
LENGTHS = (64, 24, 12, 0)  # UTF-16 units of the names beside a picture, from the most to none at all
MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}  # By rank
NAMED = 2  # People who share a medal up to whom they are named; of more, how many they are


def masked(shown: str) -> str:
    """The first letter of a name, and nothing else of it."""
    letter = next((c for c in shown if c.isalnum()), None)
    first = letter or next((c for c in shown if c.isprintable() and not c.isspace()), "")
    return first + HIDDEN


def leaderboard(
    words: Words, board: Board, scope: str, period: str, reader: str | None, game: str = ""
) -> tuple[Html, Keyboard]:
    """The leaders, one line each, and always the line of the reader, who is named `reader`.

    `game` is the key of the one game whose points are shown; empty for all of them.
    """
    lines = [headed(words, words.say("Leaderboard"), scope, period, game)]
    own = board.own.player_id if board.own else None
    lines += podium(
        [(s.rank, shown_name(s.name, scope, hide=s.masked)) for s in board.leaders if s.rank in MEDALS]
    )
    lines += [_standing(s, scope, own=s.player_id == own) for s in board.leaders]
    if board.own and all(own != s.player_id for s in board.leaders):
        lines += [Html("…"), _standing(board.own, scope, own=True)]
    if not board.leaders:
        lines.append(nobody(words, game))
    elif board.own is None and reader is not None:
        lines.append(words.say("{name} has no points here yet.", name=shown_name(reader, scope, hide=True)))
    lines += counting(words, scope)
    return Html("\n".join(lines)), switches(words, scope, period, game)


def nobody(words: Words, game: str = "") -> Html:
    """Nobody has scored; what begins a game, or that game."""
    if game in ("", USUAL.key):
        return words.say("Nobody has scored here yet. /play deals a hand.")
    return words.say("Nobody has scored here yet. /{command} begins a game.", command=GAMES[game].command)


def headed(words: Words, title: Html, scope: str, period: str, game: str) -> Html:
    """The first line of a board: what it is, and of what."""
    parts = [f"<b>{title}</b>", scopes(words)[scope], named_periods(words)[period]]
    return Html(" · ".join([*parts, *([safe(titled(game))] if game else [])]))


def podium(ranked: Sequence[tuple[int, Html]]) -> list[Html]:
    """A line with the first three and their medals; none of nobody.

    It stands by itself, since others rely on it that a board's own lines end after the points.
    """
    places = {rank: [who for r, who in ranked if r == rank] for rank in MEDALS}
    shared = {rank: " ".join(who) if len(who) <= NAMED else f"×{len(who)}" for rank, who in places.items()}
    medals = " ".join(f"{MEDALS[rank]} {who}" for rank, who in shared.items() if who)
    return [Html(medals)] if medals else []


def _standing(s: Standing, scope: str, *, own: bool) -> Html:
    line = f"{s.rank}. {shown_name(s.name, scope, hide=s.masked)} — {s.points}"
    return Html(f"<b>{line}</b>" if own else line)


def shown_name(whole: str, scope: str, *, hide: bool) -> Html:
    """A name as a board shows it: masked outside its chats, where it is to be hidden."""
    return name(masked(whole) if scope == WORLD and hide else whole)


def counting(words: Words, scope: str) -> list[Html]:
    """Which chats the board of all chats sums up, and by which clock."""
    line = words.say(
        "Groups count here in which three people won within 30 days. Days, weeks and months go by UTC."
    )
    return [line] if scope == WORLD else []


def by_day(
    words: Words,
    leaders: Sequence[Standing],
    points: Mapping[int, Sequence[int]],
    scope: str,
    longest: int = LENGTHS[0],
) -> Html:
    """The points of each leader on the days of this week that brought some, folded away.

    Names have as many UTF-16 units as the `longest`; for 0, ranks stand for them.
    """
    days, between = weekdays(words), " · " if longest == LENGTHS[0] else " "
    lines = []
    for s in leaders:
        scored = between.join(f"{day} {n}" for day, n in zip(days, points[s.player_id], strict=False) if n)
        who = shown_name(shortened(s.name, longest), scope, hide=s.masked) if longest else f"{s.rank}"
        lines.append(f"{who}: {safe(scored)}")
    return Html("<blockquote expandable>{}</blockquote>".format("\n".join(lines)))


def weekdays(words: Words) -> list[str]:
    """Short names of the days of a week, Monday's first."""
    return words.plain("Mo Tu We Th Fr Sa Su").split()


def scopes(words: Words) -> dict[str, str]:
    """What this chat and all chats are called, by code."""
    return {HERE: words.plain("this chat"), WORLD: words.plain("all chats")}


def named_periods(words: Words) -> dict[str, str]:
    """What the periods are called, by code."""
    today, week = words.plain("today"), words.plain("this week")
    return dict(zip(PERIODS, (today, week, words.plain("this month"), words.plain("all time")), strict=True))


def titled(game: str) -> str:
    """What a game is called."""
    return GAMES[game].title


def switches(words: Words, scope: str, period: str, game: str, prefix: str = "lb") -> Keyboard:
    """Buttons for every board; the one shown is ticked. `prefix` begins what they send."""

    def data(*shown: str) -> str:
        return ":".join([prefix, *filter(None, shown)])

    games = {"": words.plain("all games"), **{key: titled(key) for key in sorted(GAMES)}}
    rows = (
        [(label, s == scope, data(s, period, game)) for s, label in scopes(words).items()],
        [(label, p == period, data(scope, p, game)) for p, label in named_periods(words).items()],
        [(label, key == game, data(scope, period, key)) for key, label in games.items()],
    )
    where, when, which = ([(ticked(label, on=on), sent) for label, on, sent in row] for row in rows)
    return [where, when[:2], when[2:], *([which] if len(GAMES) > 1 else [])]


def ticked(label: str, *, on: bool) -> str:
    """What a switch says; whether it is `on`."""
    return f"✓ {label}" if on else label


def board_key(
    chat_id: int, scope: str, period: str, now: tuple[str, str, str, str], game: str = ""
) -> tuple[int, str]:
    """The chat and period of a board in the store, of those that are running `now`."""
    all_time, month, week, day = now
    keys = dict(zip(PERIODS, (day, week, month, all_time), strict=True))
    return (ALL_CHATS if scope == WORLD else chat_id), within(keys.get(period, ALL_TIME), game)
