"""Choose the level that follows the players, from a chat's latest hands and the ratings of its players."""

from typing import Any

from sqlalchemy import bindparam, or_, select

from bot.database import Tx
from bot.database.schema import FORGOTTEN_PLAYER, equals_any, rounds, tries
from bot.rounds.puzzle import Kind
from bot.rounds.rules import State
from bot.standings.follow import rules
from bot.standings.ratings.rules import Rating
from bot.standings.ratings.updates import load_ratings
from solver import estimate_solved

COUNTED_STATES = (State.WON.value, State.SKIPPED.value, State.EXPIRED.value)

LATEST_HANDS = (
    select(
        rounds.c.id, rounds.c.state, rounds.c.expected, rounds.c.opened, rounds.c.closed, rounds.c.winner_id
    )
    .where(
        *(rounds.c.chat_id == bindparam("chat_id"), rounds.c.game == bindparam("game")),
        *(rounds.c.kind == Kind.FIRST.value, equals_any(rounds.c.state, *COUNTED_STATES)),
    )
    .order_by(rounds.c.id.desc())
    .limit(rules.LATEST_HANDS)
)
ERRED = or_(tries.c.wrong > 0, tries.c.misread > 0)
WHO_ERRED = select(tries.c.player_id).where(tries.c.round_id.in_(bindparam("ids")), ERRED)


def choose_solved_percentage(tx: Tx, chat_id: int, game: str, asker_id: int) -> int:
    """Return the percentage of people who should find the next hand in a chat: see `rules`.

    Those present are the player who asks for the hand, and all who answered one of the latest.
    """
    rows = tx.execute(LATEST_HANDS, {"chat_id": chat_id, "game": game}).all()
    present = {asker_id, *(row.winner_id for row in rows if row.winner_id)}
    if rows:
        present |= {row.player_id for row in tx.execute(WHO_ERRED, {"ids": [row.id for row in rows]})}
    present = {player_id for player_id in present if player_id > FORGOTTEN_PLAYER}
    known = load_ratings(tx, present)
    ratings = [known.get(player_id, Rating()) for player_id in present]
    share = rules.choose_solved_share(ratings, [_make_ended_hand(row) for row in reversed(rows)])
    return max(1, min(99, round(100 * share)))


def _make_ended_hand(row: Any) -> rules.EndedHand:
    pace = (row.closed - row.opened) / row.expected
    return rules.EndedHand(estimate_solved(row.expected), found=row.state == State.WON.value, pace=pace)
