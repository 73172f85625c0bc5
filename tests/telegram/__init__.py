"""A fake Telegram for tests: people, chats and one bot, behind the Bot API over HTTP or in-process.

    async def test_a_group_plays() -> None:
        world = World()
        ann, bob = world.user("Ann"), world.user("Bob", language_code="zh")
        family = world.group("Family", ann, bob)
        async with BotApi(world) as api:             # BOT_API_URL=api.url, BOT_TOKEN=world.token
            world.say(ann, family, "/play@TwentyFourTestBot")
            deal = await world.next_post(family, "→ 24")
            world.say(bob, family, "8/(3-8/3)", reply_to=deal)
            win = await world.next_post(family)
            press = world.press(ann, win, "Next")
            assert await world.answer_to(press) == ""
        assert not world.violations

People's actions are methods of `World` and take effect at once; `wait_until`, `next_post`, `answer_to` and
`wait_until_taken` wait for the bot. Privacy mode decides which messages the bot gets (`World(privacy=False)`,
or `hear=` on a method). The bot's requests are checked against the Bot API's schema and Telegram's limits;
requests that no correct bot sends are listed in `world.violations`. The bot's actions are in `requests`,
`posts()`, `answered` and each message's `edits` and `reactions`.

`World` connects parts, one task and one file each: actions of people (`directory`, `talk`, `topics`,
`membership`), methods for the bot (`posts`, `edits`, `pins`, `chat_methods`, `profile`, `subscription`), both
sides of `presses`, `inline`, `reactions` and `ephemeral` messages, and between them `history`, `privacy`,
`feed` and `updates`.

`WorldRequest` is the same without HTTP. `world.faults.add("send*", close=True, effect=True, count=1)` causes
failures (see `Fault`), `world.limits = Limits()` enforces the flood limits, and `Delivery` configures the
posts to the webhook.
"""

from tests.telegram.chats import Chat, Member, Message, Topic, User
from tests.telegram.entities import EntityError, parse_html
from tests.telegram.faults import Fault, Faults
from tests.telegram.gate import Answer, Closed, Gate
from tests.telegram.inline import Inline
from tests.telegram.limits import Limits, busiest
from tests.telegram.presses import Press
from tests.telegram.record import Request
from tests.telegram.request import WorldRequest
from tests.telegram.schema import Schema, bot_api
from tests.telegram.server import BotApi, ThreadedBotApi
from tests.telegram.updates import Update, Webhook
from tests.telegram.webhook import Delivery
from tests.telegram.world import TOKEN, World

__all__ = [
    "TOKEN",
    "Answer",
    "BotApi",
    "Chat",
    "Closed",
    "Delivery",
    "EntityError",
    "Fault",
    "Faults",
    "Gate",
    "Inline",
    "Limits",
    "Member",
    "Message",
    "Press",
    "Request",
    "Schema",
    "ThreadedBotApi",
    "Topic",
    "Update",
    "User",
    "Webhook",
    "World",
    "WorldRequest",
    "bot_api",
    "busiest",
    "parse_html",
]
