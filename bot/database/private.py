"""The tables of what is between one person and the bot alone: words of a group for them, and practice."""

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, Text, text

from bot.database.columns import Seconds, Whole, table

private_words = table(
    "private_words",  # what was told to one person of a group, or waits to be
    Column("chat_id", Whole, nullable=False),  # the group
    Column("player_id", Whole, nullable=False),  # 0: the message of the group that says that words wait
    Column("key", Text, nullable=False),  # what it is about, of which a person has one word: round:7
    Column("place_id", Whole),  # the chat of its message: the group, or the person's own; NULL while it waits
    Column("message_id", Whole, nullable=False, server_default=text("0")),  # 0: the message is ephemeral
    Column("ephemeral_id", Whole, nullable=False, server_default=text("0")),
    Column("waiting", Text),  # JSON of what no way led to yet
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("chat_id", "player_id", "key"),
    Index("private_word_of_player", "player_id"),
    Index("private_word_of_key", "chat_id", "key"),
    Index("private_word_at", "at"),
)

ephemeral_chats = table(
    "ephemeral_chats",  # where ephemeral messages were seen to be such; 0: by which server not, and when
    Column("chat_id", Whole, primary_key=True, autoincrement=False),
    Column("server", Text, nullable=False),
)

secret_doors = table(
    "secret_doors",  # the rounds of groups that a person may answer from the private chat
    Column("player_id", Whole, nullable=False),
    Column("round_id", Whole, nullable=False),
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("player_id", "round_id"),
    Index("secret_door_of_round", "round_id"),
    Index("secret_door_at", "at"),
)

practised = table(
    "practised",  # how hands went that somebody practised by themselves
    Column("round_id", Whole, primary_key=True, autoincrement=False),
    Column("player_id", Whole, nullable=False),
    Column("skill", Text, nullable=False),  # that it was for
    Column("level", Text, nullable=False),  # that was asked for
    Column("at", Seconds, nullable=False),
    Column("seconds", Seconds),  # NULL: it was not solved
    Column("expected", Seconds, nullable=False),  # seconds that people usually need
    Column("wrong", Integer, nullable=False),
    Column("hints", Integer, nullable=False),
    Index("practised_by_player", "player_id", "round_id"),
)
