"""The tables of what must not be lost on its way: updates that wait, and requests to Telegram.

Beside them, what need not be sent twice.
"""

from sqlalchemy import Column, Index, Integer, Text, text

from bot.database.columns import Seconds, Whole, table

inbox = table(
    "inbox",  # updates: waiting, done (remembered so that a repeat is known) or dead (set aside)
    Column("update_id", Whole, primary_key=True, autoincrement=False),
    Column("lane", Whole, nullable=False),  # the chat, or the person where there is none
    Column("body", Text, nullable=False),  # JSON as it came; emptied when done
    Column("state", Text, nullable=False),
    Column("tries", Integer, nullable=False, server_default=text("0")),
    Column("trouble", Text),  # what went wrong the last time
    Column("at", Seconds, nullable=False),  # when it was accepted, or finished
    Column("press", Text),  # the callback query's own id: one press may come under two update ids
    Index("inbox_state", "state", "lane", "at"),
    Index("inbox_press", "press"),
)

outbox = table(
    "outbox",  # requests to Telegram that are not known to have arrived
    Column("id", Whole, primary_key=True),
    Column("lane", Whole, nullable=False),  # the chat, or the person for answers to buttons
    Column("body", Text, nullable=False),  # JSON of a telegram.messages.Request's body
    Column("state", Text, nullable=False),  # waiting, sent, dead, again, wish (see delivery.queries)
    Column("trouble", Text),
    Column("at", Seconds, nullable=False),
    Index("outbox_state", "state", "lane", "id"),
)

uploads = table(
    "uploads",  # pictures that Telegram has
    Column("content", Text, primary_key=True),  # what names the picture, by all that it shows
    Column("file_id", Text, nullable=False),  # Telegram's, by which this bot sends it again
    Column("until", Seconds, nullable=False),  # when that is forgotten
    Index("upload_until", "until"),
)
