"""The tables. Times are seconds since 1970 by Telegram's clock; ids are Telegram's 64-bit ids.

On SQLite every table is STRICT: a column of numbers holds no text.
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

metadata = MetaData()


def table(name: str, *parts: Any) -> Table:
    """Add a table to `metadata`."""
    return Table(name, metadata, *parts, sqlite_strict=True)


def flag(name: str, default: int = 0) -> Column[Any]:
    """Make a column that is 0 or 1."""
    return Column(name, Integer, nullable=False, server_default=text(str(default)))


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """Make an index of the rows that meet the condition `where`."""
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


MAX_SECONDS = 2.0**36  # more is neither a moment since 1970 nor a duration, but a broken row


def are_valid_times(*seconds: ColumnElement[float]) -> ColumnElement[bool]:
    """Build the condition that all these columns hold valid moments or durations."""
    return and_(*(each.between(0.0, MAX_SECONDS) for each in seconds))


def equals_any(column: ColumnElement[str], *values: str) -> ColumnElement[bool]:
    """Build the condition that a column holds one of some constant values."""
    # No IN: its list may differ in length, so it would be compiled again at each use
    return or_(*(column == value for value in values))


# Exceptions from reading a stored value that this bot has not written.
UNREADABLE_ERRORS = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)
MAX_INTEGER = 2**63 - 1  # the largest number that a column holds
FORGOTTEN_PLAYER = 0  # the id that replaces the id of a player whose data were deleted


def parse_object(text: str | None) -> dict[str, Any]:
    """Return a stored JSON object; an empty one for anything else."""
    try:
        value = json.loads(text or "")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def parse_number(text: str) -> int | None:
    """Return a stored id or count, at least 0; None for anything else, `02` included."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(MAX_INTEGER)):
        return None
    number = int(text)
    return number if number <= MAX_INTEGER and text == str(number) else None


meta = table(
    "meta",  # facts about this database, such as the command menus last set
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

IS_COUNTED = "counted = 1"

# Conditions on chats, in exactly the words of the indexes below.
HAS_CHOSEN_POSTS = """settings LIKE '%"posts"%'"""
HAS_CHOSEN_REMINDER = """settings LIKE '%"reminder"%'"""
HAS_CHOSEN_SECRET = """settings LIKE '%"secret": true%'"""  # noqa: S105 - a condition

chats = table(
    "chats",
    Column("id", BigInt, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),  # private, group, supergroup
    Column("language", Text),  # chosen in settings; NULL follows whoever speaks
    Column("settings", Text, nullable=False, server_default=text("'{}'")),
    Column("patience", Seconds, nullable=False, server_default=text("2")),  # posts left beside deals
    Column("counted_until", Seconds, nullable=False, server_default=text("0")),  # in the global board
    flag("counted"),
    flag("gone"),  # the bot was removed or blocked
    partial_index("chat_that_counts", "counted_until", where=IS_COUNTED),
    partial_index("chat_that_chose_posts", "settings", where=HAS_CHOSEN_POSTS),
    partial_index("chat_that_chose_a_reminder", "settings", where=HAS_CHOSEN_REMINDER),
    partial_index("chat_that_chose_secret_answers", "settings", where=HAS_CHOSEN_SECRET),
)

players = table(
    "players",
    Column("id", BigInt, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),  # as last seen
    Column("username", Text),  # unique: a player seen with it takes it from its former owner
    flag("masked", 1),  # shown as A••• in the global board
    Index("player_of_username", text("lower(username)")),
)

HAS_KNOWN_PICTURE = "picture <> '-'"  # condition on rounds

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
    Column("language", Text, nullable=False, server_default=text("'en'")),  # of its message
    Column("race_id", BigInt),
    Column("message_id", BigInt),  # of the deal; NULL until it was delivered
    Column("asked_id", BigInt),  # of the message in a thread that asked for the deal; NULL outside threads
    Column("opened", Seconds, nullable=False),
    Column("deadline", Seconds),
    Column("closed", Seconds),
    Column("winner_id", BigInt),
    Column("expression", Text),  # the winner's
    Column("streak", Integer, nullable=False, server_default=text("0")),  # rounds the winner won in a row
    flag("day_first"),  # the win was the day's first in the chat
    Column("shown", Seconds, nullable=False, server_default=text("0")),  # last update of its message
    Column("game", Text, nullable=False, server_default=text("'24'")),
    Column("puzzle", Text, nullable=False, server_default=text("'{}'")),  # JSON that only its game reads
    Column("line", Text, nullable=False, server_default=text("''")),  # the puzzle as text: 3 8 3 8 → 24
    Column("standing", Text, nullable=False, server_default=text("'{}'")),  # JSON; see `pack_game_state`
    Column("options", Text, nullable=False, server_default=text("'{}'")),  # JSON of the options of the deal
    Column("picture", Text),  # key of the picture in its message; -: unknown; NULL: a text message
    Column("chain_id", BigInt),  # of the link that dealt the hand; NULL if it can't be verified
    Column("link", Integer),  # the link's number in its chain
    Column("asked_by", BigInt),  # of the message that asked for the hand; 0: a page
    Column("ordinal", Integer),  # of the hand among those that the message asked for
    partial_index("live_round", "chat_id", "topic", where="state = 'open'", unique=True),
    Index("round_message", "chat_id", "message_id"),
    partial_index("round_of_picture", "closed", where=HAS_KNOWN_PICTURE),
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
    Column("miss_value", Text),  # the value of that answer, as a fraction
    Column("miss_off", Seconds),  # the distance of that value from the target
    Column("noted", Integer, nullable=False, server_default=text("0")),  # order of the notes in a round
    Column("misread", Integer, nullable=False, server_default=text("0")),  # messages that could not be read
    PrimaryKeyConstraint("round_id", "player_id"),
    Index("try_of_player", "player_id", "round_id"),
)

entries = table(
    "entries",  # answers in games where several players count; the last one of each counts
    Column("round_id", BigInt, ForeignKey("rounds.id", ondelete="CASCADE"), nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("answer", Text, nullable=False),
    Column("at", Seconds, nullable=False),
    Column("heard", Integer, nullable=False, server_default=text("0")),  # its place in the round
    PrimaryKeyConstraint("round_id", "player_id"),
    Index("entry_of_player", "player_id"),
)

lost_messages = table(
    "lost_messages",  # messages of deals that were deleted or can't be edited any more
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

IS_PART_OF_ROUND = "idea <> ''"  # condition on awards: those of rounds with several winners

awards = table(
    "awards",  # the ledger: rows are only added
    Column("id", BigInt, primary_key=True),
    Column("round_id", BigInt, nullable=False),
    Column("idea", Text, nullable=False),  # '' in a round with one winner, which makes the row unique
    Column("chat_id", BigInt, nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("points", Integer, nullable=False),
    Column("seconds", Seconds, nullable=False),
    Column("level", Text, nullable=False),
    Column("expected", Seconds, nullable=False),
    Column("expression", Text, nullable=False),
    Column("message_id", BigInt, nullable=False),  # of the answer
    Column("at", Seconds, nullable=False),
    Column("game", Text, nullable=False),  # of its round, which is deleted earlier
    Column("kind", Text, nullable=False),  # of its round
    UniqueConstraint("round_id", "idea"),
    Index("award_of_chat", "chat_id", "at"),
    # ends with all other columns that a profile sums up: the rows of one player are on many pages
    Index(
        "award_of_player",
        *("player_id", "chat_id", "level", "seconds"),
        *("idea", "points", "at", "round_id", "game"),
    ),
    Index("award_by_seconds", "chat_id", "level", "seconds", "id"),
    partial_index("award_of_part", "chat_id", where=IS_PART_OF_ROUND),
)

totals = table(
    "totals",  # sums of the ledger, updated in the same transaction
    Column("chat_id", BigInt, nullable=False),  # 0: all chats
    Column("period", Text, nullable=False),  # 24 all; of all chats also 24 2026-11, 2026-W47, 2026-11-21
    Column("player_id", BigInt, nullable=False),
    Column("points", BigInt, nullable=False),
    Column("wins", BigInt, nullable=False),
    PrimaryKeyConstraint("chat_id", "period", "player_id"),
    Index("board", "chat_id", "period", text("points DESC"), "player_id"),
)

# Leaderboards

histogram = Table(
    "histogram",  # the number of players of a board with so many points: a rank is a short sum
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
    "last_wins",  # shows whether a chat has enough winners to count in the global board
    Column("chat_id", BigInt, nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("chat_id", "player_id"),
    Index("last_win_in_chat", "chat_id", "at"),
)

ratings = table(
    "ratings",  # a player's strength, by all hands that they played anywhere
    Column("player_id", BigInt, primary_key=True, autoincrement=False),
    Column("mu", Seconds, nullable=False),  # the estimated strength …
    Column("sigma", Seconds, nullable=False),  # … and its standard deviation
    Column("hands", Integer, nullable=False),
    Column("at", Seconds, nullable=False),  # when it was last changed
    Index("rating_floor", text("(mu - 2.0 * sigma) DESC"), "player_id"),
)

races = table(
    "races",  # hands one after the other; `rounds.race_id` refers to a race
    Column("id", BigInt, primary_key=True),
    Column("chat_id", BigInt, nullable=False),
    Column("topic", BigInt, nullable=False, server_default=text("0")),
    Column("starter_id", BigInt, nullable=False),
    Column("state", Text, nullable=False),  # open, over
    Column("length", Integer, nullable=False),  # number of hands
    Column("played", Integer, nullable=False, server_default=text("0")),  # hands that ended
    Column("unanswered", Integer, nullable=False, server_default=text("0")),  # of the last hands
    Column("hands", Text, nullable=False),  # JSON of the hands to come
    Column("seconds", Seconds, nullable=False),  # for each hand
    Column("opened", Seconds, nullable=False),
    Index("race_of_chat", "chat_id"),
)

stops = table(
    "stops",  # votes to stop a race or a duel
    Column("race_id", BigInt, ForeignKey("races.id", ondelete="CASCADE"), nullable=False),
    Column("player_id", BigInt, nullable=False),
    PrimaryKeyConstraint("race_id", "player_id"),
    Index("stop_of_player", "player_id"),
)

duels = table(
    "duels",  # challenges, and the races that they become
    Column("id", BigInt, primary_key=True),
    Column("chat_id", BigInt, nullable=False),
    Column("topic", BigInt, nullable=False, server_default=text("0")),
    Column("challenger_id", BigInt, nullable=False),
    Column("opponent_id", BigInt),  # NULL: the first who accepts
    Column("opponent", Text, nullable=False, server_default=text("''")),  # the name, until acceptance
    Column("state", Text, nullable=False),  # offered, open, won, given up, drawn, stopped
    Column("language", Text, nullable=False, server_default=text("'en'")),
    Column("game", Text, nullable=False),
    Column("options", Text, nullable=False, server_default=text("'{}'")),  # JSON of the options of its hands
    Column("message_id", BigInt),  # of the challenge; NULL until it was delivered
    Column("until", Seconds, nullable=False),  # when the challenge expires
    Column("race_id", BigInt),
    Column("winner_id", BigInt),
    Column("picture", Text),  # key of the picture in the challenge's message; NULL: a text message
    Index("duel_of_chat", "chat_id"),
    Index("duel_lapsing", "state", "until"),
    Index("duel_of_race", "race_id"),
    Index("duel_of_challenger", "challenger_id"),
    Index("duel_of_opponent", "opponent_id"),
)

# Fair play

chains = table(
    "chains",  # secret links, each of which deals the hands of one request: see solver/fair.py
    Column("id", BigInt, primary_key=True),
    Column("chat_id", BigInt, nullable=False),  # 0: the hands of the day
    Column("seed_chat_id", BigInt, nullable=False),  # the chat's id when the chain was made
    Column("game", Text, nullable=False),
    Column("secret", Text, nullable=False),  # the last link, from which the others are computed
    Column("used", Integer, nullable=False, server_default=text("0")),  # number of links used
    Index("chain_of_chat", "chat_id", "game"),
)

reveals = table(
    "reveals",  # who was shown which solution lately
    Column("reader", BigInt, nullable=False),  # a person's alias
    Column("at", Seconds, nullable=False),
    Column("numbers", Text, nullable=False),  # the numbers of the question, sorted: 3 3 8 8
    PrimaryKeyConstraint("reader", "at", "numbers"),
    Index("reveal_at", "at"),
)

# Achievements and scheduled posts

achievements = table(
    "achievements",  # a player's achievements, each once
    Column("player_id", BigInt, nullable=False),
    Column("name", Text, nullable=False),
    Column("at", Seconds, nullable=False),
    Column("round_id", BigInt),  # the round whose message announces it; NULL for a daily hand
    Column("day", Text),  # the daily hand whose result announces it; NULL for a round
    Column("chat_id", BigInt),  # where it was earned; NULL for a daily hand
    PrimaryKeyConstraint("player_id", "name"),
    Index("achievement_of_round", "round_id"),
    Index("achievement_of_chat", "chat_id"),
)

scheduled_posts = table(
    "scheduled_posts",  # posts that the bot makes by itself, one for each chat and period
    Column("chat_id", BigInt, nullable=False),
    Column("what", Text, nullable=False),  # the weekly post, the daily hand's table, a reminder
    Column("period", Text, nullable=False),  # 2026-W47, 2026-11-21
    Column("at", Seconds, nullable=False),  # when it was claimed
    Column("sent", Seconds),  # when it was sent; NULL until then
    PrimaryKeyConstraint("chat_id", "what", "period"),
    Index("scheduled_post_of_period", "what", "period"),
    Index("scheduled_post_at", "at"),
)

# The hand of the day

dailies = table(
    "dailies",  # the hand of each day that somebody opened
    Column("day", Text, primary_key=True),  # 2026-11-21, in UTC
    Column("level", Text, nullable=False),
    Column("expected", Seconds, nullable=False),
    Column("game", Text, nullable=False, server_default=text("'24'")),
    Column("puzzle", Text, nullable=False, server_default=text("'{}'")),  # JSON that only its game reads
)

attempts = table(
    "attempts",  # a player's attempt at the hand of a day
    Column("day", Text, nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("state", Text, nullable=False),  # open, solved, given up
    Column("opened", Seconds, nullable=False),  # when the player opened the hand
    Column("closed", Seconds),
    Column("wrong", Integer, nullable=False, server_default=text("0")),
    Column("expression", Text),
    Column("shown", Seconds),  # when it was (or may have been) first delivered; NULL until then
    Column("hints", Integer, nullable=False, server_default=text("0")),  # number of hints shown, anywhere
    Column("message_id", BigInt),  # of the latest delivered message with the hand
    Column("picture", Text),  # key of the picture in that message; NULL: a text message
    PrimaryKeyConstraint("day", "player_id"),
    Index("attempt_of_player", "player_id", "day"),
)

seats = table(
    "seats",  # the groups whose table of a day lists the player
    Column("day", Text, nullable=False),
    Column("chat_id", BigInt, nullable=False),
    Column("player_id", BigInt, nullable=False),
    PrimaryKeyConstraint("day", "chat_id", "player_id"),
    Index("seat_of_player", "player_id", "day"),
    Index("seat_of_chat", "chat_id"),
)

daily_tables = table(
    "daily_tables",  # the message with a group's table of the hand of a day
    Column("day", Text, nullable=False),
    Column("chat_id", BigInt, nullable=False),
    Column("message_id", BigInt, nullable=False),
    Column("language", Text, nullable=False),
    PrimaryKeyConstraint("day", "chat_id"),
    Index("daily_table_of_chat", "chat_id"),
)

# Figures that outlast the rounds

tallies = table(
    "tallies",  # a player's counts in a chat, by game
    Column("chat_id", BigInt, nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("game", Text, nullable=False),
    Column("rounds", Integer, nullable=False, server_default=text("0")),  # rounds that they answered
    Column("first_wins", Integer, nullable=False, server_default=text("0")),  # first wins of a day
    Column("streak", Integer, nullable=False, server_default=text("0")),  # the most rounds won in a row …
    Column("streak_at", Seconds, nullable=False, server_default=text("0")),  # … and when
    PrimaryKeyConstraint("chat_id", "player_id", "game"),
    Index("tally_of_player", "player_id"),
)

best_days = table(
    "best_days",  # a player's most points on one day in a chat, by game
    Column("chat_id", BigInt, nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("game", Text, nullable=False),
    Column("points", BigInt, nullable=False),
    Column("day", Text, nullable=False),  # 2026-11-21, by UTC
    Column("last_points", BigInt, nullable=False),  # points on the last day with points …
    Column("last_day", Text, nullable=False),  # … and that day
    PrimaryKeyConstraint("chat_id", "player_id", "game"),
    Index("best_day_of_player", "player_id"),
)

# Messages to one player, and practice

private_words = table(
    "private_words",  # messages to one member of a group that wait until the member asks
    Column("chat_id", BigInt, nullable=False),  # the group
    Column("player_id", BigInt, nullable=False),  # 0: the group's message that says that messages wait
    Column("key", Text, nullable=False),  # the subject, one message for each: round:7
    Column("waiting", Text),  # JSON of the message that could not be sent yet
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("chat_id", "player_id", "key"),
    Index("private_word_of_player", "player_id"),
    Index("private_word_of_key", "chat_id", "key"),
    Index("private_word_at", "at"),
)

ephemeral_chats = table(
    "ephemeral_chats",  # chats where ephemeral messages work; 0: the server that has none, and when
    Column("chat_id", BigInt, primary_key=True, autoincrement=False),
    Column("server", Text, nullable=False),
)

secret_doors = table(
    "secret_doors",  # the rounds of groups that a player may answer in the private chat
    Column("player_id", BigInt, nullable=False),
    Column("round_id", BigInt, nullable=False),
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("player_id", "round_id"),
    Index("secret_door_of_round", "round_id"),
    Index("secret_door_at", "at"),
)

practised = table(
    "practised",  # results of practice hands
    Column("round_id", BigInt, primary_key=True, autoincrement=False),
    Column("player_id", BigInt, nullable=False),
    Column("skill", Text, nullable=False),  # the practised skill
    Column("level", Text, nullable=False),
    Column("at", Seconds, nullable=False),
    Column("seconds", Seconds),  # NULL: not solved
    Column("expected", Seconds, nullable=False),  # seconds that people usually need
    Column("wrong", Integer, nullable=False),
    Column("hints", Integer, nullable=False),
    Index("practised_by_player", "player_id", "round_id"),
)

# Storms and streaks: see bot/modes/runs

runs = table(
    "runs",
    Column("id", BigInt, primary_key=True),
    Column("player_id", BigInt, nullable=False),
    Column("mode", Text, nullable=False),  # storm, streak
    Column("group_id", BigInt),  # the group that led to it; NULL for none
    Column("hands", Text, nullable=False),  # JSON list of all its hands; empty once it is over
    Column("opened", Seconds, nullable=False),
    Column("score", Integer, nullable=False, server_default=text("0")),  # hands solved
    Column("in_a_row", Integer, nullable=False, server_default=text("0")),  # solved since the last miss
    Index("run_of_player", "player_id", "mode", "opened"),
    Index("run_of_group", "group_id", "mode", "opened"),
)

run_hands = table(
    "run_hands",  # the rounds of runs
    Column("round_id", BigInt, ForeignKey("rounds.id", ondelete="CASCADE"), primary_key=True),
    Column("run_id", BigInt, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),  # of the hand in its run, from 1
    UniqueConstraint("run_id", "number"),
)

# For the review of what went wrong

wrong_answers = table(
    "wrong_answers",
    Column("id", BigInt, primary_key=True),
    Column("player_id", BigInt, nullable=False),
    Column("hand", Text, nullable=False),  # the id of its round, or the day of a daily hand
    Column("answer", Text, nullable=False),  # as typed or tapped
    Column("at", Seconds, nullable=False),
    Index("wrong_answer_of_player", "player_id", "hand"),
    Index("wrong_answer_at", "at"),
)

# Classes: see bot/modes/classroom

classes = table(
    "classes",
    Column("id", BigInt, primary_key=True, autoincrement=False),  # random: it is part of keys
    Column("code", Text, nullable=False, unique=True),  # that pupils type
    Column("teacher_id", BigInt),  # the Telegram user; NULL in a class without Telegram
    Column("opened", Seconds, nullable=False),
    Column("active", Seconds, nullable=False),  # when a hand was dealt last, or the lesson ended
    Column("closed", Seconds),  # when the teacher ended the class; NULL while it goes on
    flag("locked"),  # nobody else may join
    flag("kept"),  # the teacher keeps the report
    Index("class_of_teacher", "teacher_id"),
)

pupils = table(
    "pupils",
    Column("id", BigInt, primary_key=True, autoincrement=False),  # of the guest and of their chat
    Column("class_id", BigInt, ForeignKey("classes.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),  # equal for names that look alike
    Column("place", Integer, nullable=False),  # in the teacher's list
    flag("joined"),  # somebody plays under the name
    flag("taken"),  # nobody else may join under it
    Column("device", Text, nullable=False, server_default=text("''")),  # random id of the browser that joined
    UniqueConstraint("class_id", "name_key"),
)

lessons = table(
    "lessons",
    Column("id", BigInt, primary_key=True),
    Column("class_id", BigInt, ForeignKey("classes.id", ondelete="CASCADE"), nullable=False),
    Column("game", Text, nullable=False),
    Column("pace", Text, nullable=False),  # together, own
    Column("hands", Text, nullable=False),  # JSON list of the columns that store a puzzle
    Column("length", Integer, nullable=False),  # number of hands
    Column("seconds", Seconds),  # for each hand; NULL: no clock
    Column("due", Seconds),  # when homework ends; NULL: when the teacher ends it
    Column("opened", Seconds, nullable=False),
    Column("closed", Seconds),
    Column("number", Integer, nullable=False, server_default=text("1")),  # of the present hand, together
    flag("shown"),  # the solutions of the present hand are shown, together
    Index("lesson_of_class", "class_id", "id"),
)

class_hands = table(
    "class_hands",  # the rounds of pupils
    Column("round_id", BigInt, ForeignKey("rounds.id", ondelete="CASCADE"), primary_key=True),
    Column("lesson_id", BigInt, ForeignKey("lessons.id", ondelete="CASCADE"), nullable=False),
    Column("pupil_id", BigInt, nullable=False),
    Column("number", Integer, nullable=False),  # of the hand in its lesson, from 1
    UniqueConstraint("lesson_id", "pupil_id", "number"),
    Index("class_hand_of_pupil", "pupil_id"),
)

mistakes = table(
    "mistakes",  # wrong answers of pupils
    Column("id", BigInt, primary_key=True),
    Column("round_id", BigInt, ForeignKey("class_hands.round_id", ondelete="CASCADE"), nullable=False),
    Column("answer", Text, nullable=False),  # as typed or tapped
    Column("kind", Text, nullable=False),  # of the mistake
    Column("at", Seconds, nullable=False),
    Index("mistake_of_round", "round_id", "id"),
)

# The board

board_words = table(
    "board_words",  # replies of the board to one player
    Column("id", BigInt, primary_key=True),
    Column("player_id", BigInt, nullable=False),
    Column("press", Text, nullable=False),  # the page's id of the tap
    Column("text", Text, nullable=False),
    Column("is_right", Integer),  # 1: the answer counts; NULL: the tap was no answer
    Column("at", Seconds, nullable=False),
    Index("board_word_of_player", "player_id", "id"),
    Index("board_word_at", "at"),
)

board_openings = table(
    "board_openings",  # digests of used one-time keys; aliases of players whose pages were closed
    Column("digest", Text, primary_key=True),
    Column("at", Seconds, nullable=False),
    Column("page", Text),  # digest of the proof of the last page; NULL without one
    Index("board_opening_at", "at"),
)

board_offline = table(
    "board_offline",  # daily hands that were solved while the page was offline
    Column("day", Text, nullable=False),
    Column("player_id", BigInt, nullable=False),
    Column("answer", Text, nullable=False),
    Column("claimed", Seconds, nullable=False),  # when, by the page's clock
    Column("received", Seconds, nullable=False),
    PrimaryKeyConstraint("day", "player_id"),
    Index("board_offline_of_player", "player_id"),
    Index("board_offline_received", "received"),
)

# Updates and requests that must not be lost, and uploads that need not be repeated

inbox = table(
    "inbox",  # updates: waiting, done (kept to recognise repeats) or dead
    Column("update_id", BigInt, primary_key=True, autoincrement=False),
    Column("lane", BigInt, nullable=False),  # the chat, or the person if there is none
    Column("body", Text, nullable=False),  # JSON as received; empty when done
    Column("state", Text, nullable=False),
    Column("tries", Integer, nullable=False, server_default=text("0")),
    Column("trouble", Text),  # the last error
    Column("at", Seconds, nullable=False),  # when it was stored, or finished
    Column("press", Text),  # id of the callback query: one press may come under two update ids
    Index("inbox_state", "state", "lane", "at"),
    Index("inbox_press", "press"),
)

outbox = table(
    "outbox",  # requests to Telegram until they are known to have arrived
    Column("id", BigInt, primary_key=True),
    Column("lane", BigInt, nullable=False),  # the chat, or the person for answers to button presses
    Column("body", Text, nullable=False),  # JSON of a queue.outgoing.Outgoing
    Column("state", Text, nullable=False),  # waiting, sent, dead, again, wish (see queue.queries)
    Column("trouble", Text),
    Column("at", Seconds, nullable=False),
    Index("outbox_state", "state", "lane", "id"),
)

uploads = table(
    "uploads",  # pictures that Telegram stores
    Column("content", Text, primary_key=True),  # key of the picture
    Column("file_id", Text, nullable=False),  # Telegram's id for sending it again
    Column("until", Seconds, nullable=False),  # when the row is deleted
    Index("upload_until", "until"),
)

# Coordination of several bots on one database. True at the moment only, so a move leaves these tables out;
# they stay empty on SQLite.

replicas = table(
    "replicas",  # the bots on this database
    Column("name", Text, primary_key=True),  # new at each start
    Column("bot_id", BigInt, nullable=False),  # Telegram's id of the bot
    Column("until", Seconds, nullable=False),  # end of its lease, by the database's clock
    Column("tag", Text, nullable=False),  # application name of its connections
    Column("lanes", BigInt, nullable=False),  # number of chats that it serves
    Column("pulse", Seconds, nullable=False),  # when it last heard from Telegram, if it leads
    # The next three are digests; NULL if unknown
    Column("way_in", Text),  # its source of updates, see bot/queue/replicas/settings_comparison.py
    Column("secrets", Text),  # accepted webhook secrets, the one for Telegram first; '': none
    Column("told", Text),  # the secret that Telegram was told, the same for all replicas
    Column("reaches", Seconds),  # when Telegram last answered, see bot/queue/replicas/telegram_contact.py
)

lanes = table(
    "lanes",  # the chats that are served now, and by which bot
    Column("lane", BigInt, primary_key=True, autoincrement=False),
    Column("owner", Text, nullable=False),  # name of the replica; '' for none
    Column("token", BigInt, nullable=False),  # new for each owner: a former owner's writes are refused
    Index("lane_of_owner", "owner"),
)

TRANSIENT_TABLES = (replicas, lanes)  # not moved to another database
