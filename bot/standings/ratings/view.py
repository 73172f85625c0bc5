"""Lists by rating, and ratings in profiles."""

from bot.i18n import Html, Words
from bot.rounds.registry import GAMES
from bot.standings.leaderboard import view as leaderboards
from bot.standings.leaderboard.queries import Leaderboard
from bot.standings.ratings.rules import DisplayedRating
from bot.telegram.messages import Keyboard

BY_RATING, BY_POINTS = "r", "p"  # Codes of the two orders in the data of buttons
BUTTON_PREFIX = "tp"


def render_ratings(
    words: Words,
    board: Leaderboard[DisplayedRating],
    scope: str,
    period: str,
    game: str,
    reader: str = "",
    missing_hands: int = 0,
) -> Html:
    """Render the best players and the reader's own line, or how many hands the reader needs for a rating."""
    texts = [leaderboards.render_heading(words, words.translate("Best players"), scope, period, game)]
    texts += leaderboards.render_standings(board, scope)
    if not board.leaders:
        texts.append(_render_nobody_rated(words, period, game))
    if board.own is None and missing_hands:
        line = words.translate_plural(
            "{name} has a rating after {n} more hand.",
            "{name} has a rating after {n} more hands.",
            missing_hands,
            name=leaderboards.render_name(reader, scope, hide=True),
        )
        texts.append(line)
    scale = words.translate("1500 is usual; 100 more wins two hands of three. ± is how far it may be off.")
    return Html("\n".join([*texts, *leaderboards.render_counting_rule(words, scope), scale]))


def _render_nobody_rated(words: Words, period: str, game: str) -> Html:
    if game:
        title = GAMES[game].title
        return words.translate("Nobody with a rating has played {game} here in this time.", game=title)
    all_time = leaderboards.PERIODS[-1]
    if period != all_time:
        return words.translate("Nobody with a rating has played here in this time.")
    return words.translate("Nobody has a rating here yet: it takes ten hands. /play deals one.")


def make_keyboard(words: Words, order: str, scope: str, period: str, game: str) -> Keyboard:
    """Make buttons for both orders and for every scope, period and game, with ticks at the present ones."""
    orders = {BY_RATING: words.translate_plain("by rating"), BY_POINTS: words.translate_plain("by points")}
    data = ":".join(filter(None, (scope, period, game)))
    first_row = [
        (leaderboards.render_switch_label(label, is_on=code == order), f"{BUTTON_PREFIX}:{code}:{data}")
        for code, label in orders.items()
    ]
    return [first_row, *leaderboards.make_switches(words, scope, period, game, f"{BUTTON_PREFIX}:{order}")]
