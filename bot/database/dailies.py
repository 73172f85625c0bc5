"""The tables of the daily hand: what it is, who tried it, and who follows whom."""

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, Text, text

from bot.database.columns import Seconds, Whole, table

dailies = table(
    "dailies",  # the hand of each day, from the moment when somebody opened it
    Column("day", Text, primary_key=True),  # 2026-11-21, in UTC
    Column("level", Text, nullable=False),
    Column("expected", Seconds, nullable=False),
    Column("game", Text, nullable=False, server_default=text("'24'")),
    Column("puzzle", Text, nullable=False, server_default=text("'{}'")),  # JSON that only its game reads
)

attempts = table(
    "attempts",  # a player's one try at the hand of a day
    Column("day", Text, nullable=False),
    Column("player_id", Whole, nullable=False),
    Column("state", Text, nullable=False),  # open, solved, given up
    Column("opened", Seconds, nullable=False),  # when the player asked for it
    Column("closed", Seconds),
    Column("wrong", Integer, nullable=False, server_default=text("0")),
    Column("expression", Text),
    Column("shown", Seconds),  # when it was first delivered, or may have been; NULL until then
    Column("hints", Integer, nullable=False, server_default=text("0")),  # that were shown of it, anywhere
    Column("message_id", Whole),  # the latest message that shows it, once delivered
    Column("picture", Text),  # what names the picture in that message; NULL for a text
    PrimaryKeyConstraint("day", "player_id"),
    Index("attempt_of_player", "player_id", "day"),
)

seats = table(
    "seats",  # the groups whose table of a day lists a player
    Column("day", Text, nullable=False),
    Column("chat_id", Whole, nullable=False),
    Column("player_id", Whole, nullable=False),
    PrimaryKeyConstraint("day", "chat_id", "player_id"),
    Index("seat_of_player", "player_id", "day"),
    Index("seat_of_chat", "chat_id"),
)

daily_tables = table(
    "daily_tables",  # the message in which a group follows the hand of a day
    Column("day", Text, nullable=False),
    Column("chat_id", Whole, nullable=False),
    Column("message_id", Whole, nullable=False),
    Column("language", Text, nullable=False),
    PrimaryKeyConstraint("day", "chat_id"),
    Index("daily_table_of_chat", "chat_id"),
)
