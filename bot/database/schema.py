"""The tables. Times are seconds since 1970 as Telegram dates them; ids are Telegram's own 64-bit ones.

On SQLite every table is STRICT, so a text never hides in a number's column.
"""

import json
from typing import Any

from sqlalchemy import (
    REAL,
    BigInteger,
    Column,
    ColumnElement,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    and_,
    or_,
    text,
)
from sqlalchemy.types import TypeEngine

BigInt = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

MAX_SECONDS = (
    2.0**36
)  # Seconds that are no moment since 1970 and no time that anything took, but a broken row
FORGOTTEN_PLAYER = 0  # Stands in a row for whoever was forgotten

metadata = MetaData()


def table(name: str, *parts: Any) -> Table:
    """A table of this database."""
    return Table(name, metadata, *parts, sqlite_strict=True)


def are_valid_times(*seconds: ColumnElement[float]) -> ColumnElement[bool]:
    """The condition that what is stored as moments or times is such."""
    return and_(*(each.between(0.0, MAX_SECONDS) for each in seconds))


def equals_any(column: ColumnElement[str], *values: str) -> ColumnElement[bool]:
    """The condition that a column holds one of values that never change.

    An IN, whose list may be longer the next time, is written anew whenever its statement is run.
    """
    return or_(*(column == value for value in values))


def flag(name: str, default: int = 0) -> Column[Any]:
    """A column that is 0 or 1."""
    return Column(name, Integer, nullable=False, server_default=text(str(default)))


# What a reader of stored values raises for one that nobody of ours wrote.
UNREADABLE_ERRORS = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)

MAX_INTEGER = 2**63 - 1  # The largest number that a column holds


def parse_object(text: str | None) -> dict[str, Any]:
    """The JSON object that is stored; an empty one where there is none."""
    try:
        read = json.loads(text or "")
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def parse_number(text: str) -> int | None:
    """The id or the count that is stored, 0 at least; None where there is none."""
    is_one = text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_INTEGER))
    return int(text) if is_one and int(text) <= MAX_INTEGER else None


meta = table(
    "meta",  # facts about this database: its instance lock, the menus last set, …
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

IS_COUNTED = "counted = 1"

HAS_CHOSEN_POSTS = """settings LIKE '%"posts"%'"""
HAS_CHOSEN_REMINDER = """settings LIKE '%"reminder"%'"""
# Of chats: those that chose these, word for word as their indexes have it.
HAS_CHOSEN_SECRET = """settings LIKE '%"secret": true%'"""  # noqa: S105 - a condition

chats = table(
    "chats",
    Column("id", BigInt, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),  # private, group, supergroup
    Column("language", Text),  # chosen in settings; NULL follows whoever speaks
    Column("settings", Text, nullable=False, server_default=text("'{}'")),
    # its budget: posts it bears beside deals; and till when it counts in the global board
    Column("patience", Seconds, nullable=False, server_default=text("2")),
    Column("counted_until", Seconds, nullable=False, server_default=text("0")),
    flag("counted"),
    flag("gone"),  # the bot was removed or blocked
    Index(
        "chat_that_counts", "counted_until", sqlite_where=text(IS_COUNTED), postgresql_where=text(IS_COUNTED)
    ),
    *(
        Index(f"chat_that_chose_{what}", "settings", sqlite_where=text(so), postgresql_where=text(so))
        for what, so in (
            ("posts", HAS_CHOSEN_POSTS),
            ("a_reminder", HAS_CHOSEN_REMINDER),
            ("secret_answers", HAS_CHOSEN_SECRET),
        )
    ),
)

players = table(
    "players",
    Column("id", BigInt, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),  # as last seen
    Column("username", Text),  # of nobody else: who is seen with it takes it from whoever had it
    flag("masked", 1),  # shown as A••• in the global board
    Index("player_of_username", text("lower(username)")),
)

HAS_KNOWN_PICTURE = "picture <> '-'"  # Of rounds: those of which it is known what their photo shows
IS_PART_OF_ROUND = "idea <> ''"  # Of awards: those of rounds that have several

rounds = table(
    "rounds",
    Column("id", BigInt, primary_key=True),
    Column("chat_id", BigInt, nullable=False),
    Column("topic", BigInt, nullable=False, server_default=text("0")),  # 0: no topic
    Column("kind", Text, nullable=False),  # first: the first right answer wins; all: find them all
    Column("level", Text, nullable=False),
    Column("expected", Seconds, nullable=False),  # seconds that people usually need
    Column("state", Text, nullable=False),  # open, won, skipped, expired, void; of a contest running, over
    Column("dealer_id", BigInt, nullable=False),
    Column("language", Text, nullable=False, server_default=text("'en'")),  # that its message speaks
    Column("race_id", BigInt),
    Column("message_id", BigInt),  # of the deal; NULL until it was delivered
    Column("asked_id", BigInt),  # of the message in a thread that asked for it; NULL outside of threads
    Column("opened", Seconds, nullable=False),
    Column("deadline", Seconds),
    Column("closed", Seconds),
    Column("winner_id", BigInt),
    Column("expression", Text),  # the winner's
    Column("streak", Integer, nullable=False, server_default=text("0")),  # rounds the winner won in a row
    flag("day_first"),  # the win was the day's first in the chat
    Column("shown", Seconds, nullable=False, server_default=text("0")),  # when it was last drawn; 0 before
    Column("game", Text, nullable=False, server_default=text("'24'")),
    Column("puzzle", Text, nullable=False, server_default=text("'{}'")),  # JSON that only its game reads
    Column("line", Text, nullable=False, server_default=text("''")),  # that shows the puzzle: 3 8 3 8 → 24
    Column("standing", Text, nullable=False, server_default=text("'{}'")),  # JSON: how it stands in its game
    Column("options", Text, nullable=False, server_default=text("'{}'")),  # JSON: what was asked of the deal
    Column("picture", Text),  # names what its message shows; -: not known by now; NULL: a text
    Index(
        "live_round",
        "chat_id",
        "topic",
        unique=True,
        sqlite_where=text("state = 'open'"),
        postgresql_where=text("state = 'open'"),
    ),
    Index("round_message", "chat_id", "message_id"),
    Index(
        "round_of_picture",
        "closed",
        sqlite_where=text(HAS_KNOWN_PICTURE),
        postgresql_where=text(HAS_KNOWN_PICTURE),
    ),
    Index("round_deadline", "state", "deadline"),
    Index("round_of_chat", "chat_id", "id"),
    Index("round_closed", "closed"),
    Index("round_of_dealer", "dealer_id"),
    Index("round_of_race", "race_id"),
)

tries = table(
    "tries",  # a player's wrong answers in a round
    Column("round_id", BigInt, ForeignKey("rounds.id", ondelete="CASCADE"), nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("wrong", Integer, nullable=False),
    Column("late", Integer, nullable=False, server_default=text("0")),  # right answers after the end
    Column("note", Text, nullable=False, server_default=text("''")),  # shown in the deal's message
    Column("miss", Text),  # the wrong answer that came nearest
    Column("miss_value", Text),  # what it makes, as a fraction
    Column("miss_off", Seconds),  # how far that is from right
    Column("noted", Integer, nullable=False, server_default=text("0")),  # orders the notes of a round
    Column("misread", Integer, nullable=False, server_default=text("0")),  # messages that could not be read
    PrimaryKeyConstraint("round_id", "player_id"),
    Index("try_of_player", "player_id", "round_id"),
)

entries = table(
    "entries",  # what players handed in, in games in which everybody may; the last one counts
    Column("round_id", BigInt, ForeignKey("rounds.id", ondelete="CASCADE"), nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("answer", Text, nullable=False),
    Column("at", Seconds, nullable=False),
    Column("heard", Integer, nullable=False, server_default=text("0")),  # its place among those of its round
    PrimaryKeyConstraint("round_id", "player_id"),
    Index("entry_of_player", "player_id"),
)

lost_messages = table(
    "lost_messages",  # that showed a deal, and were deleted or can't be changed any more
    Column("chat_id", BigInt, nullable=False),
    Column("message_id", BigInt, nullable=False),
    Column("round_id", BigInt, ForeignKey("rounds.id", ondelete="CASCADE"), nullable=False),
    PrimaryKeyConstraint("chat_id", "message_id"),
    Index("lost_message_of_round", "round_id"),
)

votes = table(
    "votes",  # to skip a round
    Column("round_id", BigInt, ForeignKey("rounds.id", ondelete="CASCADE"), nullable=False),
    Column("player_id", BigInt, nullable=False),
    PrimaryKeyConstraint("round_id", "player_id"),
    Index("vote_of_player", "player_id"),
)

# Of awards: what an index has beside what it is in order of.
TOLD = ("idea", "points", "at", "round_id", "game")

awards = table(
    "awards",  # the ledger: rows are only ever added
    Column("id", BigInt, primary_key=True),
    Column("round_id", BigInt, nullable=False),
    Column("idea", Text, nullable=False),  # '' in a round that has one winner: the row is then unique
    Column("chat_id", BigInt, nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("points", Integer, nullable=False),
    Column("seconds", Seconds, nullable=False),
    Column("level", Text, nullable=False),
    Column("expected", Seconds, nullable=False),
    Column("expression", Text, nullable=False),
    Column("message_id", BigInt, nullable=False),  # of the answer
    Column("at", Seconds, nullable=False),
    Column("game", Text, nullable=False),  # of its round, which is deleted long before
    Column("kind", Text, nullable=False),  # of its round
    UniqueConstraint("round_id", "idea"),
    Index("award_of_chat", "chat_id", "at"),
    # it has all that a profile adds up: of whoever won a thousand times each row is on another page
    Index("award_of_player", "player_id", "chat_id", "level", "seconds", *TOLD),
    Index("award_by_seconds", "chat_id", "level", "seconds", "id"),
    Index(
        "award_of_part",
        "chat_id",
        sqlite_where=text(IS_PART_OF_ROUND),
        postgresql_where=text(IS_PART_OF_ROUND),
    ),
)

totals = table(
    "totals",  # the ledger summed up, kept in the same transaction
    Column("chat_id", BigInt, nullable=False),  # 0: all chats
    Column("period", Text, nullable=False),  # all; of all chats also 2026-11, 2026-W47, 24 2026-11-21
    Column("player_id", BigInt, nullable=False),
    Column("points", BigInt, nullable=False),
    Column("wins", BigInt, nullable=False),
    PrimaryKeyConstraint("chat_id", "period", "player_id"),
    Index("board", "chat_id", "period", text("points DESC"), "player_id"),
)

# Leaderboards

histogram = Table(
    "histogram",  # how many players of a board have that many points: a rank is a short sum over it
    metadata,
    Column("chat_id", BigInt, nullable=False),  # 0: all chats
    Column("period", Text, nullable=False),
    Column("points", BigInt, nullable=False),
    Column("players", BigInt, nullable=False),
    PrimaryKeyConstraint("chat_id", "period", "points"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)

last_wins = table(
    "last_wins",  # tells whether a chat has enough winners to count in the board of all chats
    Column("chat_id", BigInt, nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("chat_id", "player_id"),
    Index("last_win_in_chat", "chat_id", "at"),
)

ratings = table(
    "ratings",  # how strong a person plays, by all hands that they played anywhere
    Column("player_id", BigInt, primary_key=True, autoincrement=False),
    Column("mu", Seconds, nullable=False),  # what is believed of the strength …
    Column("sigma", Seconds, nullable=False),  # … and how little is known of it
    Column("hands", Integer, nullable=False),
    Column("at", Seconds, nullable=False),  # when it changed last
    Index("rating_floor", text("(mu - 2.0 * sigma) DESC"), "player_id"),
)

races = table(
    "races",  # hands one after the other; the rounds name their race
    Column("id", BigInt, primary_key=True),
    Column("chat_id", BigInt, nullable=False),
    Column("topic", BigInt, nullable=False, server_default=text("0")),
    Column("starter_id", BigInt, nullable=False),
    Column("state", Text, nullable=False),  # open, over
    Column("length", Integer, nullable=False),  # hands in all
    Column("played", Integer, nullable=False, server_default=text("0")),  # hands that are over
    Column("unanswered", Integer, nullable=False, server_default=text("0")),  # of these, the latest in a row
    Column("hands", Text, nullable=False),  # JSON: the hands that are still to come
    Column("seconds", Seconds, nullable=False),  # for each hand
    Column("opened", Seconds, nullable=False),
    Index("race_of_chat", "chat_id"),
)

stops = table(
    "stops",  # votes to end a race or a duel
    Column("race_id", BigInt, ForeignKey("races.id", ondelete="CASCADE"), nullable=False),
    Column("player_id", BigInt, nullable=False),
    PrimaryKeyConstraint("race_id", "player_id"),
    Index("stop_of_player", "player_id"),
)

duels = table(
    "duels",  # challenges, and the races of two that they become
    Column("id", BigInt, primary_key=True),
    Column("chat_id", BigInt, nullable=False),
    Column("topic", BigInt, nullable=False, server_default=text("0")),
    Column("challenger_id", BigInt, nullable=False),
    Column("opponent_id", BigInt),  # NULL: whoever accepts first
    Column("opponent", Text, nullable=False, server_default=text("''")),  # the name, until it is accepted
    Column("state", Text, nullable=False),  # offered, open, won, given up, drawn, stopped
    Column("language", Text, nullable=False, server_default=text("'en'")),
    Column("game", Text, nullable=False),
    Column("options", Text, nullable=False, server_default=text("'{}'")),  # JSON: what was asked of its hands
    Column("message_id", BigInt),  # of the challenge; NULL until it was delivered
    Column("until", Seconds, nullable=False),  # when a challenge lapses that nobody took
    Column("race_id", BigInt),
    Column("winner_id", BigInt),
    Column("picture", Text),  # what names the one in the challenge's message; NULL for a text
    Index("duel_of_chat", "chat_id"),
    Index("duel_lapsing", "state", "until"),
    Index("duel_of_race", "race_id"),
    Index("duel_of_challenger", "challenger_id"),
    Index("duel_of_opponent", "opponent_id"),
)

# Fair play

reveals = table(
    "reveals",  # who was shown a solution lately
    Column("reader", BigInt, nullable=False),  # a person's alias
    Column("at", Seconds, nullable=False),
    Column("numbers", Text, nullable=False),  # those of the question, sorted: 3 3 8 8
    PrimaryKeyConstraint("reader", "at", "numbers"),
    Index("reveal_at", "at"),
)

# Pride

achievements = table(
    "achievements",  # what a person earned, each once
    Column("player_id", BigInt, nullable=False),
    Column("name", Text, nullable=False),
    Column("at", Seconds, nullable=False),
    Column("round_id", BigInt),  # the round whose message tells it; NULL for one of a daily hand
    Column("day", Text),  # the daily hand whose result tells it; NULL for one of a round
    Column("chat_id", BigInt),  # where it was earned; NULL for one of a daily hand
    PrimaryKeyConstraint("player_id", "name"),
    Index("achievement_of_round", "round_id"),
    Index("achievement_of_chat", "chat_id"),
)

scheduled_posts = table(
    "scheduled_posts",  # what the bot posts by itself, once for each chat and period
    Column("chat_id", BigInt, nullable=False),
    Column("what", Text, nullable=False),  # the weekly word, the daily hand's table, a reminder
    Column("period", Text, nullable=False),  # 2026-W47, 2026-11-21
    Column("at", Seconds, nullable=False),  # when it was claimed
    Column("sent", Seconds),  # when it went out; NULL until then
    PrimaryKeyConstraint("chat_id", "what", "period"),
    Index("scheduled_post_of_period", "what", "period"),
    Index("scheduled_post_at", "at"),
)

# The hand of the day

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
    Column("player_id", BigInt, nullable=False),
    Column("state", Text, nullable=False),  # open, solved, given up
    Column("opened", Seconds, nullable=False),  # when the player asked for it
    Column("closed", Seconds),
    Column("wrong", Integer, nullable=False, server_default=text("0")),
    Column("expression", Text),
    Column("shown", Seconds),  # when it was first delivered, or may have been; NULL until then
    Column("hints", Integer, nullable=False, server_default=text("0")),  # that were shown of it, anywhere
    Column("message_id", BigInt),  # the latest message that shows it, once delivered
    Column("picture", Text),  # what names the picture in that message; NULL for a text
    PrimaryKeyConstraint("day", "player_id"),
    Index("attempt_of_player", "player_id", "day"),
)

seats = table(
    "seats",  # the groups whose table of a day lists a player
    Column("day", Text, nullable=False),
    Column("chat_id", BigInt, nullable=False),
    Column("player_id", BigInt, nullable=False),
    PrimaryKeyConstraint("day", "chat_id", "player_id"),
    Index("seat_of_player", "player_id", "day"),
    Index("seat_of_chat", "chat_id"),
)

daily_tables = table(
    "daily_tables",  # the message in which a group follows the hand of a day
    Column("day", Text, nullable=False),
    Column("chat_id", BigInt, nullable=False),
    Column("message_id", BigInt, nullable=False),
    Column("language", Text, nullable=False),
    PrimaryKeyConstraint("day", "chat_id"),
    Index("daily_table_of_chat", "chat_id"),
)

# Figures that outlast the rounds

tallies = table(
    "tallies",  # what a player has done in a chat, by game
    Column("chat_id", BigInt, nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("game", Text, nullable=False),
    Column("rounds", Integer, nullable=False, server_default=text("0")),  # in which they answered
    Column("mornings", Integer, nullable=False, server_default=text("0")),  # wins that were a day's first
    Column("streak", Integer, nullable=False, server_default=text("0")),  # the most rounds won in a row …
    Column("streak_at", Seconds, nullable=False, server_default=text("0")),  # … and when that was
    PrimaryKeyConstraint("chat_id", "player_id", "game"),
    Index("tally_of_player", "player_id"),
)

best_days = table(
    "best_days",  # a player's most points on one day in a chat
    Column("chat_id", BigInt, nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("points", BigInt, nullable=False),
    Column("day", Text, nullable=False),  # 2026-11-21, by UTC
    Column("last_points", BigInt, nullable=False),  # on the day on which they scored last
    Column("last_day", Text, nullable=False),
    PrimaryKeyConstraint("chat_id", "player_id"),
    Index("best_day_of_player", "player_id"),
)

# What is between one person and the bot alone: words of a group for them, and practice

private_words = table(
    "private_words",  # what was told to one person of a group, or waits to be
    Column("chat_id", BigInt, nullable=False),  # the group
    Column("player_id", BigInt, nullable=False),  # 0: the message of the group that says that words wait
    Column("key", Text, nullable=False),  # what it is about, of which a person has one word: round:7
    Column(
        "place_id", BigInt
    ),  # the chat of its message: the group, or the person's own; NULL while it waits
    Column("message_id", BigInt, nullable=False, server_default=text("0")),  # 0: the message is ephemeral
    Column("ephemeral_id", BigInt, nullable=False, server_default=text("0")),
    Column("waiting", Text),  # JSON of what no way led to yet
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("chat_id", "player_id", "key"),
    Index("private_word_of_player", "player_id"),
    Index("private_word_of_key", "chat_id", "key"),
    Index("private_word_at", "at"),
)

ephemeral_chats = table(
    "ephemeral_chats",  # where ephemeral messages were seen to be such; 0: by which server not, and when
    Column("chat_id", BigInt, primary_key=True, autoincrement=False),
    Column("server", Text, nullable=False),
)

secret_doors = table(
    "secret_doors",  # the rounds of groups that a person may answer from the private chat
    Column("player_id", BigInt, nullable=False),
    Column("round_id", BigInt, nullable=False),
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("player_id", "round_id"),
    Index("secret_door_of_round", "round_id"),
    Index("secret_door_at", "at"),
)

practised = table(
    "practised",  # how hands went that somebody practised by themselves
    Column("round_id", BigInt, primary_key=True, autoincrement=False),
    Column("player_id", BigInt, nullable=False),
    Column("skill", Text, nullable=False),  # that it was for
    Column("level", Text, nullable=False),  # that was asked for
    Column("at", Seconds, nullable=False),
    Column("seconds", Seconds),  # NULL: it was not solved
    Column("expected", Seconds, nullable=False),  # seconds that people usually need
    Column("wrong", Integer, nullable=False),
    Column("hints", Integer, nullable=False),
    Index("practised_by_player", "player_id", "round_id"),
)

# Pages to tap on

board_words = table(
    "board_words",  # what was said to one person alone about what they tapped
    Column("id", BigInt, primary_key=True),
    Column("player_id", BigInt, nullable=False),
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
    Column("player_id", BigInt, nullable=False),
    Column("answer", Text, nullable=False),
    Column("claimed", Seconds, nullable=False),  # when, by the page's own clock
    Column("received", Seconds, nullable=False),
    PrimaryKeyConstraint("day", "player_id"),
    Index("board_offline_of_player", "player_id"),
    Index("board_offline_received", "received"),
)

# What must not be lost on its way; and beside it, what need not be sent twice

inbox = table(
    "inbox",  # updates: waiting, done (remembered so that a repeat is known) or dead (set aside)
    Column("update_id", BigInt, primary_key=True, autoincrement=False),
    Column("lane", BigInt, nullable=False),  # the chat, or the person where there is none
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
    Column("id", BigInt, primary_key=True),
    Column("lane", BigInt, nullable=False),  # the chat, or the person for answers to buttons
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

# Who of several bots on one database is there, serves which chat, and how fast all may post: true at the
# moment only, so no move takes it along. On SQLite, which one bot has to itself, these stay empty.

replicas = table(
    "replicas",  # the bots that run on this database
    Column("name", Text, primary_key=True),  # made anew at each start
    Column("bot_id", BigInt, nullable=False),  # Telegram's, of the token that it has
    Column("until", Seconds, nullable=False),  # by the database's clock: from then on it counts as dead
    Column("tag", Text, nullable=False),  # the name of its connections at the server
    Column("lanes", BigInt, nullable=False),  # how many chats it serves
    Column("pulse", Seconds, nullable=False),  # when the one that leads last heard of Telegram
    # Of these three digests alone; NULL where it doesn't tell
    Column("way_in", Text),  # how its updates come, see bot/queue/replicas/settings_comparison.py
    Column("secrets", Text),  # what its webhook takes, the one that it would tell Telegram first; '' for none
    Column("told", Text),  # which of them Telegram is told; the same for all who are there
    Column("reaches", Seconds),  # when Telegram answered it, see bot/queue/replicas/telegram_contact.py
)

lanes = table(
    "lanes",  # chats that are served just now, and by which bot
    Column("lane", BigInt, primary_key=True, autoincrement=False),
    Column("owner", Text, nullable=False),  # a replica's name; '' for nobody
    Column("token", BigInt, nullable=False),  # anew with each owner: whoever has another one comes too late
    Index("lane_of_owner", "owner"),
)

paces = table(
    "paces",  # how fast all of them together may post
    Column("key", Text, primary_key=True),
    Column("next", Seconds, nullable=False),  # when the next post may go
)

TRANSIENT_TABLES = (replicas, lanes, paces)  # Tables of the moment
