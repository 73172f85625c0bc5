"""Turn the lines that people type into Telegram's updates.

Lines are what people say in one group. `@ann TEXT` speaks as Ann, whose username is ann, from then on, `!N`
presses button N as it was printed, and `> TEXT` is said to the bot in private. A line that is nothing but an
expression replies to the last deal, and one that a setting waits for replies to the settings.
"""

import re
from collections.abc import AsyncIterator, Callable
from typing import Any

from bot.admin.settings import preferences as preferences
from bot.console.fake_telegram import (
    BOT_USER,
    GROUP_ID,
    HOST,
    FakeTelegram,
    compute_player_id,
    make_message,
    make_user,
)
from bot.console.screen import Message, Screen
from bot.database import Tx
from bot.i18n import Words
from bot.modes.contest import queries as contests
from bot.players import queries as people
from bot.rounds import queries as rounds
from bot.rounds.registry import is_answer
from bot.rounds.rules import Round
from bot.service import Service
from bot.telegram import messages

# Makes an address that opens the board once, of a user and whether it is the private board
MakeLink = Callable[[dict[str, Any], bool], str]
BOARD_COMMAND = "/board"  # the line that asks for a link to a board
START_LINK = re.compile(r"https://t\.me/[A-Za-z0-9_]+\?start=([A-Za-z0-9_-]+)")
SETTING_PREFIX = "o:"  # begins the data of the buttons under the settings
# A digit and a sign, and only characters of expressions; perhaps not a valid one
EXPRESSION = re.compile(
    r"(?=.*[0-9０-９])(?=.*[+\-−–*×·/÷:xX＋－＊／：(（])"
    r"[0-9AJQKajqkxX\s+\-−–*×·/÷:=()\[\]{}０-９＋－＊／（）＝：]+"
)
# A score, a time, a date or a telephone number
SCORE_OR_DATE = re.compile(r"\s*[0-9]{1,6}(?:\s*[-–:/]\s*[0-9]{1,6}){1,2}\s*")


class Conversation:
    def __init__(
        self,
        service: Service,
        telegram: FakeTelegram,
        screen: Screen,
        language: str,
        link: MakeLink | None = None,
    ) -> None:
        self._service = service
        self._telegram = telegram
        self._screen = screen
        self._language = language
        self._make_link = link  # None without a board
        self._speaker = HOST
        self._speakers = {HOST.casefold(): None}  # usernames, in the order of their first words

    async def run(self, lines: AsyncIterator[str]) -> None:
        """Greet, show the open rounds, then handle lines until the end of input."""
        speech = self._screen.speech
        self._print_lines(
            speech.translate_plain(
                "Twenty-Four in the terminal. /play deals a hand; answer with an expression such as"
                " 8/(3-8/3)."
            ),
            _render_line_syntax(speech),
            speech.translate_plain("/help tells the rest; Ctrl-D ends."),
            *self._render_board_link(is_private=False),
        )
        await self._service.load_backlog()
        live = await self._service.services.store.read(_load_live_rounds)
        await self._service.dispatcher.run_effect(lambda _: [messages.show_round(round) for round in live])
        await self._service.wait_until_idle()
        async for line in lines:
            await self.handle_line(line)
        await self._service.wait_until_idle()

    def get_prompt(self) -> str:
        """Return the prompt: the speaker's name, without characters that would disturb the line."""
        name = "".join(char for char in self._get_display_name() if char.isprintable())
        return f"{name}> "

    def get_completions(self) -> dict[str, str]:
        """Return the words to complete with their meanings: commands, and names of those who have spoken."""
        speech = self._screen.speech
        meanings = dict[str, str]()
        for command in self._service.routes.commands:
            meanings[f"/{command.name}"] = command.menu(speech) if command.menu else ""
        if self._make_link:
            meanings[BOARD_COMMAND] = speech.translate_plain("a link to a board to tap")
        return meanings | {f"@{name}": "" for name in self._speakers}

    async def handle_line(self, line: str) -> None:
        """Send what a line says and wait until the bot has answered; /board prints a link instead.

        A line that begins with @ first changes the speaker, and may say nothing else.
        """
        text = line.strip()
        if text.startswith("@"):
            # With a blank at the end, there are two parts even if nothing follows the name.
            name, text = re.split(r"\s+", f"{text[1:]} ", maxsplit=1)
            self._change_speaker(name)
        is_private = text.startswith(">")
        text = text.lstrip("> ").strip() if is_private else text.strip()
        press = re.fullmatch(r"!([0-9]{1,4})", text)
        if text == BOARD_COMMAND:
            no_board = self._screen.speech.translate_plain(
                "There is no board: no port is free on this machine."
            )
            lines = self._render_board_link(is_private=is_private) or [no_board]
            self._print_lines(*lines)
        elif press:
            await self._deliver(self._make_press_update(number=int(press[1])))
        elif text:
            chat_id = compute_player_id(self._speaker) if is_private else GROUP_ID
            update = self._make_message_update(text, chat_id)
            if not is_private:
                await self._add_reply(update["message"])
            await self._deliver(update)

    def _change_speaker(self, name: str) -> None:
        """Let this person speak from now on; the host also by the name that is shown, or by none."""
        host_name = self._screen.speech.translate_plain("Player")
        if name.casefold() in ("", host_name.casefold()):
            self._speaker = HOST
        else:
            self._speaker = name[:1].upper() + name[1:]
        self._speakers[self._speaker.casefold()] = None  # a dict as a set that keeps its order

    async def _deliver(self, update: dict[str, Any] | None) -> None:
        """Send an update and wait for the answer, then follow opened links and print hints; ignore None."""
        if update is None:
            return
        await self._service.inbox.accept([update])
        await self._service.wait_until_idle()
        while self._telegram.opened_links:  # a press has led to the private chat
            link = START_LINK.fullmatch(self._telegram.opened_links.pop(0))
            if link is not None:
                payload = link[1]
                await self._service.inbox.accept([self._make_start_update(payload)])
                await self._service.wait_until_idle()
        self._print_hints(update)

    def _print_hints(self, update: dict[str, Any]) -> None:
        """Print hints about the terminal after /help.

        After a press on the group's settings, or /settings there, tell others than the host, its admin, how
        to speak as the host.
        """
        speech = self._screen.speech
        if "message" in update:
            message = update["message"]
            first_word, _, _ = message["text"].partition(" ")
            command = first_word.partition("@")[0].lower()  # without the bot's name, as in /help@bot
            is_about_settings = command == "/settings"
        else:
            query = update["callback_query"]
            message = query["message"]
            command = ""
            is_about_settings = query["data"].startswith(SETTING_PREFIX)
        if command == "/help":
            board = speech.translate_plain(
                "/board prints a link that opens a board to tap, for whoever speaks; > /board one in private."
            )
            hints = [board] if self._make_link else []
            self._print_lines(_render_line_syntax(speech), *hints, _render_admin_hint(speech))
        elif is_about_settings and message["chat"]["id"] == GROUP_ID and self._speaker != HOST:
            self._print_lines(_render_admin_hint(speech))

    def _print_lines(self, *lines: str) -> None:
        self._screen.print_paragraph("\n".join(lines) + "\n")

    def _render_board_link(self, *, is_private: bool) -> list[str]:
        """Return the line with a link to the board for the speaker; an empty list without a board."""
        if self._make_link is None:
            return []
        link = self._make_link(self._make_speaker(), is_private)
        return [render_board_link(self._screen.speech, self._get_display_name(), link, is_private=is_private)]

    def _get_display_name(self) -> str:
        return self._screen.speech.translate_plain("Player") if self._speaker == HOST else self._speaker

    def _make_speaker(self) -> dict[str, Any]:
        """Return the speaker as Telegram's user, whom the fake Telegram knows from then on."""
        user = make_user(self._speaker, self._language, self._get_display_name())
        self._telegram.people[user["id"]] = user
        return user

    def _make_start_update(self, payload: str) -> dict[str, Any]:
        return self._make_message_update(f"/start {payload}", compute_player_id(self._speaker))

    def _make_message_update(self, text: str, chat_id: int) -> dict[str, Any]:
        """Return the update of a new message by the speaker; keep its line, which reactions show."""
        message = make_message(self._telegram.take_next_id(), self._make_speaker(), text, chat_id)
        self._telegram.typed_lines[message["message_id"]] = f"{self._get_display_name()}: {text}"
        if text.startswith("/"):
            length = len(text.split(maxsplit=1)[0])  # of the command
            message["entities"] = [{"type": "bot_command", "offset": 0, "length": length}]
        return {"update_id": message["message_id"], "message": message}

    async def _add_reply(self, message: Message) -> None:
        """Make an answer reply to the last deal, and the host's line to the settings that await it."""
        text = message["text"]
        bot_messages = self._telegram.messages
        if text.startswith("/"):
            return
        group = await self._service.services.store.read(lambda tx: people.load_chat(tx, GROUP_ID, "group"))
        awaited = preferences.read_awaited_value(group) if self._speaker == HOST else None
        if awaited is not None:
            number = awaited.message_id  # an earlier run may have sent that message
            message["reply_to_message"] = bot_messages.get(number) or make_message(number, BOT_USER, text="")
        elif self._telegram.last_deal is not None and looks_like_answer(text):
            message["reply_to_message"] = bot_messages[self._telegram.last_deal]

    def _make_press_update(self, number: int) -> dict[str, Any] | None:
        """Return the update of a press, or of /start if the button links to the bot.

        None if there is no such button, or it sends nothing: that or its text is printed.
        """
        button = self._screen.get_button(number)
        if button is None:
            unknown = self._screen.speech.translate_plain("There is no button {number}.", number=number)
            self._screen.print_paragraph(unknown)
            return None
        link = START_LINK.fullmatch(button.link)
        if link is not None:
            payload = link[1]
            return self._make_start_update(payload)
        if not button.data:
            self._screen.print_paragraph(f"{button.text or button.link}\n")
            return None
        query_id = self._telegram.take_next_id()
        query = {
            "id": str(query_id),
            "from": self._make_speaker(),
            "chat_instance": "console",
            "message": self._telegram.get_message(button.message_id),
            "data": button.data,
        }
        return {"update_id": query_id, "callback_query": query}


def _load_live_rounds(tx: Tx) -> list[Round]:
    """Load the group's open rounds and running contests."""
    return [
        *rounds.load_open_rounds_in_chat(tx, GROUP_ID),
        *contests.load_running_contests(tx, chat_id=GROUP_ID),
    ]


def looks_like_answer(text: str) -> bool:
    """Whether a line is an expression and nothing else, even an invalid one; not a score or a date."""
    if SCORE_OR_DATE.fullmatch(text):
        return False
    return is_answer(text) or EXPRESSION.fullmatch(text) is not None


def _render_line_syntax(speech: Words) -> str:
    return speech.translate_plain(
        "@ann speaks as Ann from then on, !1 presses button 1, > TEXT talks to the bot in private."
    )


def _render_admin_hint(speech: Words) -> str:
    return speech.translate_plain(
        "@ alone speaks as {name} again, the admin here.", name=speech.translate_plain("Player")
    )


def render_board_link(speech: Words, name: str, link: str, *, is_private: bool) -> str:
    """Return the line with a link to the board of the group, or of this person's private chat."""
    if is_private:
        return speech.translate_plain("To tap in private, once, as {name}: {link}", name=name, link=link)
    return speech.translate_plain("To tap instead of typing, once, as {name}: {link}", name=name, link=link)
