"""The tables of what is summed up of rounds and boards of long ago, which themselves are gone.

Points stay in the ledger (`awards`) and in `totals`; here stands what only rounds and single days knew.
"""

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, Text, text

from bot.database.columns import Seconds, Whole, table

past = table(
    "past",  # what a player did in rounds that are gone, by chat and game
    Column("chat_id", Whole, nullable=False),
    Column("player_id", Whole, nullable=False),
    Column("game", Text, nullable=False),
    Column("unpaid", Integer, nullable=False, server_default=text("0")),  # rounds tried without any points
    Column("streak", Integer, nullable=False, server_default=text("0")),  # the most rounds won in a row …
    Column("streak_at", Seconds, nullable=False, server_default=text("0")),  # … and when that was
    Column("mornings", Integer, nullable=False, server_default=text("0")),  # wins that were a day's first
    PrimaryKeyConstraint("chat_id", "player_id", "game"),
    Index("past_of_player", "player_id"),
)

best_days = table(
    "best_days",  # a player's most points on one day in a chat, of the days whose boards are gone
    Column("chat_id", Whole, nullable=False),
    Column("player_id", Whole, nullable=False),
    Column("points", Whole, nullable=False),
    Column("day", Text, nullable=False),  # 2026-11-21, by UTC
    PrimaryKeyConstraint("chat_id", "player_id"),
    Index("best_day_of_player", "player_id"),
)
