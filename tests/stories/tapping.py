"""People at pages of the bot's own, in stories."""

from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from bot.board import queries as boards
from bot.board import view
from bot.board.rules import BoardReply, Person, Place
from bot.board.submissions import Submissions
from bot.modes.daily.group_tables import GroupLinks
from bot.telegram import board_updates
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User

NUMBERS = count(1)


def make_person(user: User) -> Person:
    """The user as a page knows them."""
    return Person(user.id, user.first_name, user.username, user.language_code or "en")


@dataclass
class Page:
    """Somebody's page, at a chat's table."""

    bot: LiveBot
    user: User
    chat: Chat
    place: Place
    numbers: Any = field(default_factory=lambda: NUMBERS)

    @property
    def now(self) -> float:
        return self.bot.service.inbox.now()

    async def read_state(self, language: str = "en") -> dict[str, Any]:
        """What it shows."""

        def looked(tx: Any) -> dict[str, Any]:
            return view.build_state(
                tx, view.load_shared_view(tx, self.place, language, self.now), self.user.id
            )

        return await self.bot.services.store.read(looked)

    async def answer(self, text: str, *, round_id: int = 0, press_id: str = "") -> str:
        """Hand something in; what the tap is called."""
        press = press_id or f"press-{next(self.numbers):016}"
        update = board_updates.make_answer_update(
            self.place, self.chat.type, make_person(self.user), press, text, self.now, round_id=round_id
        )
        await self._tapped(update)
        return press

    async def answer_daily(self, day: str, text: str, *, press_id: str = "", settles: bool = True) -> str:
        """Hand something in for the hand of that day; what the tap is called. Raises HTTPException."""
        press = press_id or f"press-{next(self.numbers):016}"
        body = {"id": press, "day": day, "answer": text}
        await self._entries.accept_submission(self.place, make_person(self.user), body)
        if settles:
            await self.bot.settle()
        return press

    async def send_offline_solution(self, day: str, text: str, ago: float = 10) -> str:
        """Send in that the day's hand was solved offline; what is said of it. Raises HTTPException."""
        body = {"id": f"press-{next(self.numbers):016}", "day": day, "answer": text, "at": self.now - ago}
        return (await self._entries.accept_offline_solution(make_person(self.user), body))[1]

    async def press(self, label: str) -> str:
        """Press what the page offers by that name."""
        shown = await self.read_state()
        every = [button for row in shown["buttons"] for button in row]
        return await self.press_data(next(each["press"] for each in every if label in each["label"]))

    async def press_data(self, data: str) -> str:
        """Press a button of that data, whether it is offered or not."""
        press = f"press-{next(self.numbers):016}"
        await self._tapped(
            board_updates.make_press_update(
                self.place, self.chat.type, make_person(self.user), press, data, self.now
            )
        )
        return press

    async def read_replies(self) -> list[BoardReply]:
        """What was said to them alone."""
        return await self.bot.services.store.read(
            lambda tx: boards.load_board_replies_since(tx, self.user.id, 0)[0]
        )

    @property
    def _entries(self) -> Submissions:
        """What takes them, as on a server."""
        service = self.bot.service
        accept, answer = partial(service.inbox.accept, from_board=True), service.dispatcher.run_transaction
        way = GroupLinks(self.bot.world.bot.username or "", "secret")
        return Submissions(self.bot.services.store, accept, answer, service.inbox.now, way)

    async def _tapped(self, update: Any) -> None:
        await self.bot.service.inbox.accept([update], from_board=True)
        await self.bot.settle()


def open_page(bot: LiveBot, user: User, chat: Chat, *, topic: int = 0, round_id: int = 0) -> Page:
    """A page of that person's at the chat's table."""
    return Page(bot, user, chat, Place(chat.id, topic, round_id))
