"""Lists by rating, and what a rating says."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.i18n import Html, Words
from bot.standings.leaderboard.view import (
    PERIODS,
    get_game_title,
    make_switches,
    render_counting_rule,
    render_heading,
    render_name,
    render_switch_label,
)
from bot.standings.ratings.queries import RatingLine
from bot.standings.ratings.rules import DisplayedRating
from bot.telegram.messages import Keyboard

BY_RATING, BY_POINTS = "r", "p"  # Codes of the two orders, as buttons carry them
BUTTON_PREFIX = "tp"


@dataclass(frozen=True, slots=True)
class UnlistedReader:
    """Who reads a list, and has no line on it."""

    name: str
    missing_hands: int  # Hands until they have a rating; 0 for one that is listed elsewhere


def render_ratings(
    words: Words,
    lines: Sequence[RatingLine],
    own: RatingLine | None,
    reader: UnlistedReader | None,
    scope: str,
    period: str,
    game: str,
) -> Html:
    """Those who play best, one line each, and always the reader's own."""
    mine = own.player_id if own else None
    shown = [render_heading(words, words.translate("Best players"), scope, period, game)]
    shown += [_line(line, scope, own=line.player_id == mine) for line in lines]
    if own and all(line.player_id != mine for line in lines):
        shown += [Html("…"), _line(own, scope, own=True)]
    if not lines:
        shown.append(_nobody(words, period, game))
    if own is None and reader is not None and reader.missing_hands:
        shown.append(_missing(words, reader, scope))
    return Html("\n".join([*shown, *render_counting_rule(words, scope), render_explanation(words)]))


def _line(line: RatingLine, scope: str, *, own: bool) -> Html:
    text = f"{line.rank}. {render_name(line.name, scope, hide=line.masked)} — {format_rating(line.rating)}"
    return Html(f"<b>{text}</b>" if own else text)


def _nobody(words: Words, period: str, game: str) -> Html:
    """Said where nobody is listed: a rating is of all games together, a board of those who played on it."""
    if game:
        return words.translate(
            "Nobody with a rating has played {game} here in this time.", game=get_game_title(game)
        )
    if period != PERIODS[-1]:
        return words.translate("Nobody with a rating has played here in this time.")
    return words.translate("Nobody has a rating here yet: it takes ten hands. /play deals one.")


def _missing(words: Words, reader: UnlistedReader, scope: str) -> Html:
    return words.translate_plural(
        "{name} has a rating after {n} more hand.",
        "{name} has a rating after {n} more hands.",
        reader.missing_hands,
        name=render_name(reader.name, scope, hide=True),
    )


def render_explanation(words: Words) -> Html:
    """What the figures mean, in one line."""
    return words.translate("1500 is usual; 100 more wins two hands of three. ± is how far it may be off.")


def format_rating(rating: DisplayedRating) -> str:
    """`1480 ± 60`."""
    return f"{rating.points} ± {rating.margin}"


def render_profile_rating(
    words: Words, rating: DisplayedRating | None, missing_hands: int | None
) -> Html | None:
    """The line of a profile; None where there is no rating, and nobody is told what is `missing`."""
    if rating is not None:
        return words.translate("Rating: {rating}", rating=format_rating(rating))
    if missing_hands is None:
        return None
    return words.translate_plural(
        "Rating: after {n} more hand", "Rating: after {n} more hands", missing_hands
    )


def make_keyboard(words: Words, by: str, scope: str, period: str, game: str) -> Keyboard:
    """Buttons for the two orders and for every board; what is shown is ticked."""
    orders = {BY_RATING: words.translate_plain("by rating"), BY_POINTS: words.translate_plain("by points")}
    data = ":".join(filter(None, (scope, period, game)))
    first = [
        (render_switch_label(label, is_on=code == by), f"{BUTTON_PREFIX}:{code}:{data}")
        for code, label in orders.items()
    ]
    return [first, *make_switches(words, scope, period, game, f"{BUTTON_PREFIX}:{by}")]
