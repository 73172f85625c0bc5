"""Players at the board, the bot's web page, in stories."""

import json
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from bot.board import queries as boards
from bot.board import view
from bot.board.page_state import PageState, encode_state
from bot.board.rules import Person, Place, StoredReply
from bot.board.schemas import Entry, OfflineSolution
from bot.board.submissions import OWN_CHAT_PREFIXES, Submissions
from bot.database import Tx
from bot.modes.daily.group_tables import GroupLinks
from bot.queue.updates import Submission
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User

PRESS_NUMBERS = count(1)


def make_person(user: User) -> Person:
    """Convert a user to a person of the board."""
    return Person(user.id, user.first_name, user.username, user.language_code or "en")


async def read_state(
    bot: LiveBot, place: Place, reader_id: int | None, language: str = "en"
) -> dict[str, Any]:
    """Return what a page shows to that reader, None for a spectator."""

    def load(tx: Tx) -> PageState:
        now = bot.service.inbox.now()
        return view.build_state(tx, view.load_shared_view(tx, place, language, now), reader_id)

    loaded: dict[str, Any] = json.loads(encode_state(await bot.services.store.read(load)))
    return loaded


@dataclass
class Page:
    """A player's page at the board of a chat."""

    bot: LiveBot
    user: User
    chat: Chat
    place: Place
    numbers: Any = field(default_factory=lambda: PRESS_NUMBERS)

    @property
    def now(self) -> float:
        return self.bot.service.inbox.now()

    async def read_state(self, language: str = "en") -> dict[str, Any]:
        """Return what the page shows."""

        return await read_state(self.bot, self.place, self.user.id, language)

    async def answer(self, text: str, *, round_id: int = 0, press_id: str = "") -> str:
        """Send an answer; return the id of the press."""
        press = press_id or f"press-{next(self.numbers):016}"
        await self._deliver(self.make_submission(press, answer=text, round_id=round_id))
        return press

    async def answer_daily(self, day: str, text: str, *, press_id: str = "", settle: bool = True) -> str:
        """Send an answer to the hand of that day; return the id of the press. Raises HTTPException."""
        press = press_id or f"press-{next(self.numbers):016}"
        await self._submissions.accept_entry(
            self.place, make_person(self.user), Entry(press, day=day, answer=text)
        )
        if settle:
            await self.bot.settle()
        return press

    async def send_offline_solution(self, day: str, text: str, ago: float = 10) -> str:
        """Send a solution found offline `ago` seconds ago; return the reply. Raises HTTPException."""
        solution = OfflineSolution(f"press-{next(self.numbers):016}", day, text, self.now - ago)
        return (await self._submissions.accept_offline_solution(make_person(self.user), solution))[1]

    async def press(self, label: str) -> str:
        """Press the button whose label contains `label`; return the id of the press."""
        shown = await self.read_state()
        every = [button for row in shown["buttons"] for button in row]
        return await self.press_data(next(each["press"] for each in every if label in each["label"]))

    async def press_data(self, data: str) -> str:
        """Press a button with that data, shown or not; return the id of the press."""
        press = f"press-{next(self.numbers):016}"
        await self._deliver(self.make_submission(press, button=data))
        return press

    def make_submission(self, press: str, **content: Any) -> Submission:
        """Make the submission of an answer or a press, offered or not."""
        who = make_person(self.user)
        chat_id, kind, topic = self.place.chat_id, self.chat.type, self.place.topic
        if content.get("button", "").startswith(OWN_CHAT_PREFIXES) or "day" in content:
            chat_id, kind, topic = who.id, "private", 0
        return Submission(
            who.id,
            who.name,
            who.username,
            who.language,
            chat_id,
            kind,
            topic,
            press,
            int(self.now),
            **content,
        )

    async def read_replies(self) -> list[StoredReply]:
        """Return the replies to this player alone."""
        return await self.bot.services.store.read(
            lambda tx: boards.load_board_replies_since(tx, self.user.id, 0)[0]
        )

    @property
    def _submissions(self) -> Submissions:
        service = self.bot.service
        accept, run_transaction = service.inbox.accept, service.dispatcher.run_transaction
        links = GroupLinks(self.bot.world.bot.username or "", "secret")
        return Submissions(self.bot.services.store, accept, run_transaction, service.inbox.now, links)

    async def _deliver(self, submission: Submission) -> None:
        await self.bot.service.inbox.accept([submission])
        await self.bot.settle()


def open_page(bot: LiveBot, user: User, chat: Chat, *, topic: int = 0, round_id: int = 0) -> Page:
    """Open a user's page at the board of a chat."""
    return Page(bot, user, chat, Place(chat.id, topic, round_id))
