"""The fake Telegram: its parts connected, with their methods for tests."""

import time
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Final

from tests.telegram.access import ChatAccess
from tests.telegram.chat_methods import ChatMethods
from tests.telegram.chats import User
from tests.telegram.checks import Checks
from tests.telegram.clock import Clock
from tests.telegram.directory import Directory
from tests.telegram.edits import Edits
from tests.telegram.ephemeral import Ephemerals
from tests.telegram.faults import Faults
from tests.telegram.feed import Feed
from tests.telegram.history import History
from tests.telegram.inline import InlineQueries
from tests.telegram.limits import Flood, Limits
from tests.telegram.membership import Membership
from tests.telegram.methods import Methods, SchemaAnswers
from tests.telegram.observer import Observer
from tests.telegram.pins import Pins
from tests.telegram.posts import Posts
from tests.telegram.presses import Presses
from tests.telegram.privacy import PrivacyMode
from tests.telegram.profile import Profile
from tests.telegram.reactions import Reactions
from tests.telegram.record import Record
from tests.telegram.schema import bot_api
from tests.telegram.signal import Signal
from tests.telegram.subscription import Subscription
from tests.telegram.talk import Talk
from tests.telegram.topics import Topics
from tests.telegram.updates import Updates
from tests.telegram.uploads import PNG, Uploads

TOKEN: Final = "7024000024:AAF-double_of_Telegram_0123456789abc"  # noqa: S105 - opens nothing


class World:
    """Telegram with one bot under test; make one for each test.

    Each part has one task and gets the parts that it needs. The methods for tests (`world.say(…)`,
    `world.posts(…)`) are the parts' own.
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
        """`clock` returns Unix seconds; `validate=False` skips the checks by the schema, for speed."""
        self.token = token
        self.bot = User(int(token.split(":")[0]), "Twenty-Four", username="TwentyFourTestBot", is_bot=True)
        self.rng = Random(seed)
        self.clock = Clock(clock)
        self.signal = Signal()
        self.faults = Faults()
        self.checks = Checks(bot_api(), validate=validate)
        self.record = Record()
        self.updates = Updates(self.signal, self.rng)
        self.privacy_mode = PrivacyMode(self.bot, privacy=privacy)
        self.flood = Flood(self.clock)
        self._build(count(1))
        self._lend_verbs_of_people()
        self._lend_views_of_the_bot()

    def rotate(self) -> str:
        """Give the bot a new token and return it; the old one is refused from now on."""
        number, _, secret = self.token.partition(":")
        self.token = f"{number}:{secret[1:]}{secret[0]}"
        return self.token

    def _build(self, ids: Iterator[int]) -> None:
        """Create the parts that need others; `ids` are numbers unique in this world."""
        bot, rng, clock, signal = self.bot, self.rng, self.clock, self.signal
        self.feed = feed = Feed(self.updates, self.checks)
        self.directory = directory = Directory(bot, ids, self.privacy_mode)
        self.history = history = History(ids, clock, signal, self.privacy_mode, feed)
        access = ChatAccess(bot, directory, history)
        self.talk = Talk(clock, signal, directory, history)
        self.topics = Topics(clock, history)
        self.membership = Membership(bot, clock, signal, self.privacy_mode, directory, history, feed)
        self.presses = Presses(rng, clock, feed)
        self.inline_queries = InlineQueries(bot, rng, clock, directory, history, feed)
        self.reactions = Reactions(bot, clock, signal, feed, access)
        self.profile = Profile(bot, self.privacy_mode, access)
        self.uploads = Uploads(ids)
        self.ephemerals = Ephemerals(
            bot, ids, clock, signal, directory, access, self.presses, feed, self.flood
        )
        self.observer = Observer(bot, signal, directory, self.updates, self.record, self.checks)
        self.methods = self._methods(access)

    def _methods(self, access: ChatAccess) -> Methods:
        """Create the methods of the Bot API."""
        bot, flood, uploads = self.bot, self.flood, self.uploads
        posts = Posts(bot, self.rng, self.clock, self.history, access, flood, uploads, self.ephemerals)
        parts = [
            posts,
            Edits(bot, self.clock, access, flood, uploads),
            Pins(access),
            self.ephemerals,
            ChatMethods(bot, self.directory, self.membership, access),
            Subscription(self.updates),
            *(self.presses, self.inline_queries, self.reactions, self.profile),
        ]
        return Methods(self.checks.schema, parts, SchemaAnswers(self.checks.schema, access, posts))

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
        seen = self.observer
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
        """Return the sent files in order, without pictures."""
        return [file for file in self.files.values() if not file.startswith(PNG)]

    @property
    def now(self) -> int:
        """Return whole Unix seconds, as in messages."""
        return self.clock.now

    @property
    def limits(self) -> Limits | None:
        """Return the active flood limits."""
        return self.flood.limits

    @limits.setter
    def limits(self, limits: Limits | None) -> None:
        self.flood.limits = limits

    @property
    def privacy(self) -> bool:
        """Whether privacy mode is on; a change holds in groups to which the bot is added afterwards."""
        return self.privacy_mode.privacy

    @privacy.setter
    def privacy(self, on: bool) -> None:
        self.privacy_mode.privacy = on

    @property
    def bots_meet(self) -> bool:
        """Whether the bot gets other bots' messages."""
        return self.privacy_mode.bots_meet

    @bots_meet.setter
    def bots_meet(self, meet: bool) -> None:
        self.privacy_mode.bots_meet = meet
