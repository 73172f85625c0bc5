"""The tables by which several bots share one database: who is there, who serves which chat, how fast.

They hold what is true at the moment only, so no move between databases takes them along. On SQLite, where one
bot has the file to itself, they stay empty.
"""

from sqlalchemy import Column, Index, Text

from bot.database.columns import Seconds, Whole, table

replicas = table(
    "replicas",  # the bots that run on this database
    Column("name", Text, primary_key=True),  # made anew at each start
    Column("bot_id", Whole, nullable=False),  # Telegram's, of the token that it has
    Column("until", Seconds, nullable=False),  # by the database's clock: from then on it counts as dead
    Column("tag", Text, nullable=False),  # the name of its connections at the server
    Column("lanes", Whole, nullable=False),  # how many chats it serves
    Column("pulse", Seconds, nullable=False),  # when the one that leads last heard of Telegram
    # Of these three digests alone; NULL where a version before 0020 runs
    Column("way_in", Text),  # how its updates come, see bot/replicas/alike.py
    Column("secrets", Text),  # what its webhook takes, the one that it would tell Telegram first; '' for none
    Column("told", Text),  # which of them Telegram is told; the same for all who are there
    Column("reaches", Seconds),  # when Telegram answered it, see bot/replicas/contact.py; NULL before 0026
)

lanes = table(
    "lanes",  # chats that are served just now, and by which bot
    Column("lane", Whole, primary_key=True, autoincrement=False),
    Column("owner", Text, nullable=False),  # a replica's name; '' for nobody
    Column("token", Whole, nullable=False),  # anew with each owner: whoever has another one comes too late
    Index("lane_of_owner", "owner"),
)

paces = table(
    "paces",  # how fast all of them together may post
    Column("key", Text, primary_key=True),
    Column("next", Seconds, nullable=False),  # when the next post may go
)

PASSING = (replicas, lanes, paces)
"""Tables of the moment."""
