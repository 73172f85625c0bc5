"""A small Telegram: its parts put together, and their verbs at hand for tests."""

import time
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Final

from tests.telegram.chats import User
from tests.telegram.checks import Checks
from tests.telegram.clock import Clock
from tests.telegram.company import Company
from tests.telegram.directory import Directory
from tests.telegram.edits import Edits
from tests.telegram.ephemeral import Ephemerals
from tests.telegram.faults import Faults
from tests.telegram.feed import Feed
from tests.telegram.hearing import Hearing
from tests.telegram.history import History
from tests.telegram.inline import InlineQueries
from tests.telegram.limits import Flood, Limits
from tests.telegram.membership import Membership
from tests.telegram.methods import Methods, Unmodelled
from tests.telegram.pins import Pins
from tests.telegram.posts import Posts
from tests.telegram.presses import Presses
from tests.telegram.profile import Profile
from tests.telegram.reactions import Reactions
from tests.telegram.record import Record
from tests.telegram.room import Room
from tests.telegram.schema import bot_api
from tests.telegram.signal import Signal
from tests.telegram.subscription import Subscription
from tests.telegram.talk import Talk
from tests.telegram.topics import Topics
from tests.telegram.updates import Updates
from tests.telegram.uploads import PNG, Uploads
from tests.telegram.watching import Watching

TOKEN: Final = "7024000024:AAF-double_of_Telegram_0123456789abc"  # noqa: S105 - opens nothing


class World:
    """Telegram with one bot under test; make one for each test.

    Each part does one thing and can be read alone; the world hands it the parts that it needs. What tests
    say (`world.say(…)`, `world.posts(…)`) is the parts' own methods.
    """

    def __init__(
        self,
        token: str = TOKEN,
        *,
        privacy: bool = True,
        seed: int | None = None,
        clock: Callable[[], float] = time.time,
        validate: bool = True,
    ) -> None:
        """`clock` gives Unix seconds; `validate=False` leaves out the checks by the schema, for raw speed."""
        self.token = token
        self.bot = User(int(token.split(":")[0]), "Twenty-Four", username="TwentyFourTestBot", is_bot=True)
        self.rng = Random(seed)
        self.clock = Clock(clock)
        self.signal = Signal()
        self.faults = Faults()
        self.checks = Checks(bot_api(), validate=validate)
        self.record = Record()
        self.updates = Updates(self.signal, self.rng)
        self.hearing = Hearing(self.bot, privacy=privacy)
        self.flood = Flood(self.clock)
        self._build(count(1))
        self._lend_verbs_of_people()
        self._lend_views_of_the_bot()

    def rotate(self) -> str:
        """The bot's owner asks BotFather for another token: the one before is refused from now on."""
        number, _, secret = self.token.partition(":")
        self.token = f"{number}:{secret[1:]}{secret[0]}"
        return self.token

    def _build(self, ids: Iterator[int]) -> None:
        """The parts that need others; `ids` are numbers that nothing in this world has had yet."""
        bot, rng, clock, signal = self.bot, self.rng, self.clock, self.signal
        self.feed = feed = Feed(self.updates, self.checks)
        self.directory = directory = Directory(bot, ids, self.hearing)
        self.history = history = History(ids, clock, signal, self.hearing, feed)
        room = Room(bot, directory, history)
        self.talk = Talk(clock, signal, directory, history)
        self.topics = Topics(clock, history)
        self.membership = Membership(bot, clock, signal, self.hearing, directory, history, feed)
        self.presses = Presses(rng, clock, feed)
        self.inline_queries = InlineQueries(bot, rng, clock, directory, history, feed)
        self.reactions = Reactions(bot, clock, signal, feed, room)
        self.profile = Profile(bot, self.hearing, room)
        self.uploads = Uploads(ids)
        self.ephemerals = Ephemerals(bot, ids, clock, signal, directory, room, self.presses, feed, self.flood)
        self.watching = Watching(bot, signal, directory, self.updates, self.record, self.checks)
        self.methods = self._methods(room)

    def _methods(self, room: Room) -> Methods:
        """Everything that the bot can ask for."""
        bot, flood, uploads = self.bot, self.flood, self.uploads
        posts = Posts(bot, self.rng, self.clock, self.history, room, flood, uploads, self.ephemerals)
        parts = [
            posts,
            Edits(bot, self.clock, room, flood, uploads),
            Pins(room),
            self.ephemerals,
            Company(bot, self.directory, self.membership, room),
            Subscription(self.updates),
            *(self.presses, self.inline_queries, self.reactions, self.profile),
        ]
        return Methods(self.checks.schema, parts, Unmodelled(self.checks.schema, room, posts))

    def _lend_verbs_of_people(self) -> None:
        who, talk, rank = self.directory, self.talk, self.membership
        self.user, self.group, self.channel, self.chat_of = who.user, who.group, who.channel, who.chat_of
        self.topic, self.close_topic = self.topics.topic, self.topics.close_topic
        self.delete_topic = self.topics.delete_topic
        self.say, self.post, self.start, self.open_link = talk.say, talk.post, talk.start, talk.open_link
        self.say_anonymously, self.say_as_channel = talk.say_anonymously, talk.say_as_channel
        self.edit, self.forward, self.delete = talk.edit, talk.forward, talk.delete
        self.press, self.press_again = self.presses.press, self.presses.press_again
        self.inline, self.choose = self.inline_queries.inline, self.inline_queries.choose
        self.react = self.reactions.react
        self.join, self.leave, self.migrate, self.rename = rank.join, rank.leave, rank.migrate, rank.rename
        self.promote, self.demote, self.mute, self.permit = rank.promote, rank.demote, rank.mute, rank.permit
        self.block, self.unblock = rank.block, rank.unblock
        self.publish = self.feed.publish
        self.say_secretly = self.ephemerals.say

    def _lend_views_of_the_bot(self) -> None:
        seen = self.watching
        self.users, self.chats = self.directory.users, self.directory.chats
        self.requests, self.calls = self.record.requests, self.record.calls
        self.violations, self.schema = self.checks.violations, self.checks.schema
        self.answered, self.files = self.presses.answered, self.uploads.files
        self.posts, self.next_post, self.pace, self.log = seen.posts, seen.next_post, seen.pace, seen.log
        self.told, self.seen_by = self.ephemerals.told, self.ephemerals.seen_by
        self.wait_until, self.wait_until_taken = seen.wait_until, seen.wait_until_taken
        self.answer_to = seen.answer_to

    @property
    def documents(self) -> list[bytes]:
        """The files that were sent, in their order, but for pictures."""
        return [file for file in self.files.values() if not file.startswith(PNG)]

    @property
    def now(self) -> int:
        """Whole Unix seconds, as messages carry them."""
        return self.clock.now

    @property
    def limits(self) -> Limits | None:
        """The flood limits in force."""
        return self.flood.limits

    @limits.setter
    def limits(self, limits: Limits | None) -> None:
        self.flood.limits = limits

    @property
    def privacy(self) -> bool:
        """BotFather's privacy mode; a change holds in groups to which the bot is added afterwards."""
        return self.hearing.privacy

    @privacy.setter
    def privacy(self, on: bool) -> None:
        self.hearing.privacy = on

    @property
    def bots_meet(self) -> bool:
        """Does the bot hear other bots' messages?"""
        return self.hearing.bots_meet

    @bots_meet.setter
    def bots_meet(self, meet: bool) -> None:
        self.hearing.bots_meet = meet
