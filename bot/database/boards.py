"""The tables of pages to tap on: words for whoever sits there, keys used, hands of days done offline."""

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, Text

from bot.database.columns import Seconds, Whole, table

board_words = table(
    "board_words",  # what was said to one person alone about what they tapped
    Column("id", Whole, primary_key=True),
    Column("player_id", Whole, nullable=False),
    Column("press", Text, nullable=False),  # what the page calls the tap
    Column("text", Text, nullable=False),
    Column("is_right", Integer),  # 1: what was handed in counts; NULL: that is not the question
    Column("at", Seconds, nullable=False),
    Index("board_word_of_player", "player_id", "id"),
    Index("board_word_at", "at"),
)

board_openings = table(
    "board_openings",  # what opened a page, each once: a digest of it; whose pages were closed, by alias
    Column("digest", Text, primary_key=True),
    Column("at", Seconds, nullable=False),
    Column("page", Text),  # what the page that asked last proves itself by; NULL where it can't
    Index("board_opening_at", "at"),
)

board_offline = table(
    "board_offline",  # hands of days that were solved while the page had no way to the bot
    Column("day", Text, nullable=False),
    Column("player_id", Whole, nullable=False),
    Column("answer", Text, nullable=False),
    Column("claimed", Seconds, nullable=False),  # when, by the page's own clock
    Column("received", Seconds, nullable=False),
    PrimaryKeyConstraint("day", "player_id"),
    Index("board_offline_of_player", "player_id"),
    Index("board_offline_received", "received"),
)
