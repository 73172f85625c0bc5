"""Lists by rating, and what a rating says."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.i18n import Html, Words
from bot.standings.leaderboard.view import PERIODS, counting, headed, shown_name, switches, ticked, titled
from bot.standings.ratings.queries import Line
from bot.standings.ratings.rules import Shown
from bot.telegram.messages import Keyboard

RATING, POINTS = "r", "p"  # Codes of the two orders, as buttons carry them
PREFIX = "tp"


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a list, and has no line on it."""

    name: str
    missing: int  # Hands until they have a rating; 0 for one that is listed elsewhere


def top(
    words: Words,
    lines: Sequence[Line],
    own: Line | None,
    reader: Reader | None,
    scope: str,
    period: str,
    game: str,
) -> Html:
    """Those who play best, one line each, and always the reader's own."""
    mine = own.player_id if own else None
    shown = [headed(words, words.say("Best players"), scope, period, game)]
    shown += [_line(line, scope, own=line.player_id == mine) for line in lines]
    if own and all(line.player_id != mine for line in lines):
        shown += [Html("…"), _line(own, scope, own=True)]
    if not lines:
        shown.append(_nobody(words, period, game))
    if own is None and reader is not None and reader.missing:
        shown.append(_missing(words, reader, scope))
    return Html("\n".join([*shown, *counting(words, scope), explained(words)]))


def _line(line: Line, scope: str, *, own: bool) -> Html:
    text = f"{line.rank}. {shown_name(line.name, scope, hide=line.masked)} — {written(line.rating)}"
    return Html(f"<b>{text}</b>" if own else text)


def _nobody(words: Words, period: str, game: str) -> Html:
    """Said where nobody is listed: a rating is of all games together, a board of those who played on it."""
    if game:
        return words.say("Nobody with a rating has played {game} here in this time.", game=titled(game))
    if period != PERIODS[-1]:
        return words.say("Nobody with a rating has played here in this time.")
    return words.say("Nobody has a rating here yet: it takes ten hands. /play deals one.")


def _missing(words: Words, reader: Reader, scope: str) -> Html:
    return words.count(
        "{name} has a rating after {n} more hand.",
        "{name} has a rating after {n} more hands.",
        reader.missing,
        name=shown_name(reader.name, scope, hide=True),
    )


def explained(words: Words) -> Html:
    """What the figures mean, in one line."""
    return words.say("1500 is usual; 100 more wins two hands of three. ± is how far it may be off.")


def written(rating: Shown) -> str:
    """`1480 ± 60`."""
    return f"{rating.points} ± {rating.margin}"


def own_line(words: Words, rating: Shown | None, missing: int | None) -> Html | None:
    """The line of a profile; None where there is no rating, and nobody is told what is `missing`."""
    if rating is not None:
        return words.say("Rating: {rating}", rating=written(rating))
    if missing is None:
        return None
    return words.count("Rating: after {n} more hand", "Rating: after {n} more hands", missing)


def keyboard(words: Words, by: str, scope: str, period: str, game: str) -> Keyboard:
    """Buttons for the two orders and for every board; what is shown is ticked."""
    orders = {RATING: words.plain("by rating"), POINTS: words.plain("by points")}
    data = ":".join(filter(None, (scope, period, game)))
    first = [(ticked(label, on=code == by), f"{PREFIX}:{code}:{data}") for code, label in orders.items()]
    return [first, *switches(words, scope, period, game, f"{PREFIX}:{by}")]
