"""Players at the board, the bot's web page, in stories."""

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

PRESS_NUMBERS = count(1)


def make_person(user: User) -> Person:
    """Convert a user to a person of the board."""
    return Person(user.id, user.first_name, user.username, user.language_code or "en")


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

        def build_state(tx: Any) -> dict[str, Any]:
            return view.build_state(
                tx, view.load_shared_view(tx, self.place, language, self.now), self.user.id
            )

        return await self.bot.services.store.read(build_state)

    async def answer(self, text: str, *, round_id: int = 0, press_id: str = "") -> str:
        """Send an answer; return the id of the press."""
        press = press_id or f"press-{next(self.numbers):016}"
        update = board_updates.make_answer_update(
            self.place, self.chat.type, make_person(self.user), press, text, self.now, round_id=round_id
        )
        await self._deliver(update)
        return press

    async def answer_daily(self, day: str, text: str, *, press_id: str = "", settle: bool = True) -> str:
        """Send an answer to the hand of that day; return the id of the press. Raises HTTPException."""
        press = press_id or f"press-{next(self.numbers):016}"
        body = {"id": press, "day": day, "answer": text}
        await self._submissions.accept_submission(self.place, make_person(self.user), body)
        if settle:
            await self.bot.settle()
        return press

    async def send_offline_solution(self, day: str, text: str, ago: float = 10) -> str:
        """Send a solution found offline `ago` seconds ago; return the reply. Raises HTTPException."""
        body = {"id": f"press-{next(self.numbers):016}", "day": day, "answer": text, "at": self.now - ago}
        return (await self._submissions.accept_offline_solution(make_person(self.user), body))[1]

    async def press(self, label: str) -> str:
        """Press the button whose label contains `label`; return the id of the press."""
        shown = await self.read_state()
        every = [button for row in shown["buttons"] for button in row]
        return await self.press_data(next(each["press"] for each in every if label in each["label"]))

    async def press_data(self, data: str) -> str:
        """Press a button with that data, shown or not; return the id of the press."""
        press = f"press-{next(self.numbers):016}"
        await self._deliver(
            board_updates.make_press_update(
                self.place, self.chat.type, make_person(self.user), press, data, self.now
            )
        )
        return press

    async def read_replies(self) -> list[BoardReply]:
        """Return the replies to this player alone."""
        return await self.bot.services.store.read(
            lambda tx: boards.load_board_replies_since(tx, self.user.id, 0)[0]
        )

    @property
    def _submissions(self) -> Submissions:
        service = self.bot.service
        accept, answer = partial(service.inbox.accept, from_board=True), service.dispatcher.run_transaction
        links = GroupLinks(self.bot.world.bot.username or "", "secret")
        return Submissions(self.bot.services.store, accept, answer, service.inbox.now, links)

    async def _deliver(self, update: Any) -> None:
        await self.bot.service.inbox.accept([update], from_board=True)
        await self.bot.settle()


def open_page(bot: LiveBot, user: User, chat: Chat, *, topic: int = 0, round_id: int = 0) -> Page:
    """Open a user's page at the board of a chat."""
    return Page(bot, user, chat, Place(chat.id, topic, round_id))
