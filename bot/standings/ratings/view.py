"""Lists by rating, and ratings in profiles."""

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

BY_RATING, BY_POINTS = "r", "p"  # Codes of the two orders in the data of buttons
BUTTON_PREFIX = "tp"


@dataclass(frozen=True, slots=True)
class UnlistedReader:
    """A reader who may have no line in the list."""

    name: str
    missing_hands: int  # Hands until the reader has a rating; 0 for one who has


def render_ratings(
    words: Words,
    lines: Sequence[RatingLine],
    own: RatingLine | None,
    reader: UnlistedReader | None,
    scope: str,
    period: str,
    game: str,
) -> Html:
    """Render the best players and the reader's own line."""
    own_id = own.player_id if own else None
    texts = [render_heading(words, words.translate("Best players"), scope, period, game)]
    texts += [_render_line(line, scope, is_own=line.player_id == own_id) for line in lines]
    if own and all(line.player_id != own_id for line in lines):
        texts += [Html("…"), _render_line(own, scope, is_own=True)]
    if not lines:
        texts.append(_render_nobody_rated(words, period, game))
    if own is None and reader is not None and reader.missing_hands:
        texts.append(_render_missing_hands(words, reader, scope))
    return Html("\n".join([*texts, *render_counting_rule(words, scope), render_explanation(words)]))


def _render_line(line: RatingLine, scope: str, *, is_own: bool) -> Html:
    text = f"{line.rank}. {render_name(line.name, scope, hide=line.masked)} — {format_rating(line.rating)}"
    return Html(f"<b>{text}</b>" if is_own else text)


def _render_nobody_rated(words: Words, period: str, game: str) -> Html:
    if game:
        title = get_game_title(game)
        return words.translate("Nobody with a rating has played {game} here in this time.", game=title)
    if period != PERIODS[-1]:
        return words.translate("Nobody with a rating has played here in this time.")
    return words.translate("Nobody has a rating here yet: it takes ten hands. /play deals one.")


def _render_missing_hands(words: Words, reader: UnlistedReader, scope: str) -> Html:
    return words.translate_plural(
        "{name} has a rating after {n} more hand.",
        "{name} has a rating after {n} more hands.",
        reader.missing_hands,
        name=render_name(reader.name, scope, hide=True),
    )


def render_explanation(words: Words) -> Html:
    return words.translate("1500 is usual; 100 more wins two hands of three. ± is how far it may be off.")


def format_rating(rating: DisplayedRating) -> str:
    """Format a rating, such as `1480 ± 60`."""
    return f"{rating.points} ± {rating.margin}"


def make_keyboard(words: Words, order: str, scope: str, period: str, game: str) -> Keyboard:
    """Make buttons for both orders and for every scope, period and game, with ticks at the present ones."""
    orders = {BY_RATING: words.translate_plain("by rating"), BY_POINTS: words.translate_plain("by points")}
    data = ":".join(filter(None, (scope, period, game)))
    first_row = [
        (render_switch_label(label, is_on=code == order), f"{BUTTON_PREFIX}:{code}:{data}")
        for code, label in orders.items()
    ]
    return [first_row, *make_switches(words, scope, period, game, f"{BUTTON_PREFIX}:{order}")]
