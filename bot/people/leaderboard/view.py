"""Leaderboards."""

from collections.abc import Sequence

from bot.games.known import GAMES
from bot.i18n import Html, Words, name, safe
from bot.people.leaderboard.queries import ALL_CHATS, ALL_TIME, Board, Standing, within
from bot.telegram.messages import Keyboard

HIDDEN = "•••"
PERIODS = ("d", "w", "m", "a")
"""Codes of today, this week, this month and all time, as buttons carry them."""
HERE, WORLD = "h", "w"
"""Codes of this chat and all chats."""
MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}
"""By rank."""
NAMED = 2
"""People who share a medal up to whom they are named; of more, how many they are."""


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
    title = f"<b>{words.say('Leaderboard')}</b> · {_scopes(words)[scope]} · {_periods(words)[period]}"
    lines = [Html(f"{title} · {safe(titled(game))}" if game else title)]
    own = board.own.player_id if board.own else None
    lines += podium(
        [(s.rank, _shown(s.name, scope, hide=s.masked)) for s in board.leaders if s.rank in MEDALS]
    )
    lines += [_standing(s, scope, own=s.player_id == own) for s in board.leaders]
    if board.own and all(own != s.player_id for s in board.leaders):
        lines += [Html("…"), _standing(board.own, scope, own=True)]
    if not board.leaders:
        lines.append(words.say("Nobody has scored here yet. /play deals a hand."))
    elif board.own is None and reader is not None:
        lines.append(words.say("{name} has no points here yet.", name=_shown(reader, scope, hide=True)))
    if scope == WORLD:
        lines.append(words.say("Groups count here in which three people won within 30 days."))
    return Html("\n".join(lines)), _switches(words, scope, period, game)


def podium(ranked: Sequence[tuple[int, Html]]) -> list[Html]:
    """A line with the first three and their medals; none of nobody.

    It stands by itself, since others rely on it that a board's own lines end after the points.
    """
    places = {rank: [who for r, who in ranked if r == rank] for rank in MEDALS}
    shared = {rank: " ".join(who) if len(who) <= NAMED else f"×{len(who)}" for rank, who in places.items()}
    medals = " ".join(f"{MEDALS[rank]} {who}" for rank, who in shared.items() if who)
    return [Html(medals)] if medals else []


def _standing(s: Standing, scope: str, *, own: bool) -> Html:
    line = f"{s.rank}. {_shown(s.name, scope, hide=s.masked)} — {s.points}"
    return Html(f"<b>{line}</b>" if own else line)


def _shown(whole: str, scope: str, *, hide: bool) -> Html:
    return name(masked(whole) if scope == WORLD and hide else whole)


def _scopes(words: Words) -> dict[str, str]:
    return {HERE: words.plain("this chat"), WORLD: words.plain("all chats")}


def _periods(words: Words) -> dict[str, str]:
    today, week = words.plain("today"), words.plain("this week")
    return dict(zip(PERIODS, (today, week, words.plain("this month"), words.plain("all time")), strict=True))


def titled(game: str) -> str:
    """What a game is called."""
    return GAMES[game].title or game


def _switches(words: Words, scope: str, period: str, game: str) -> Keyboard:
    """Buttons for every board; the one shown is ticked."""
    games = {"": words.plain("all games"), **{key: titled(key) for key in sorted(GAMES)}}
    rows = (
        [(label, s == scope, _data(s, period, game)) for s, label in _scopes(words).items()],
        [(label, p == period, _data(scope, p, game)) for p, label in _periods(words).items()],
        [(label, key == game, _data(scope, period, key)) for key, label in games.items()],
    )
    scopes, periods, filters = ([(_ticked(label, on=on), data) for label, on, data in row] for row in rows)
    return [scopes, periods[:2], periods[2:], *([filters] if len(GAMES) > 1 else [])]


def _data(scope: str, period: str, game: str) -> str:
    return f"lb:{scope}:{period}" + (f":{game}" if game else "")


def _ticked(label: str, *, on: bool) -> str:
    return f"✓ {label}" if on else label


def board_key(
    chat_id: int, scope: str, period: str, now: tuple[str, str, str, str], game: str = ""
) -> tuple[int, str]:
    """The chat and period of a board in the store, of those that are running `now`."""
    all_time, month, week, day = now
    keys = dict(zip(PERIODS, (day, week, month, all_time), strict=True))
    return (ALL_CHATS if scope == WORLD else chat_id), within(keys.get(period, ALL_TIME), game)
