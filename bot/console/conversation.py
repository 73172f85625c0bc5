"""Turn the lines that people type into Telegram's updates.

Lines are what people say in one group. `@ann TEXT` speaks as Ann, whose username is ann, from then on, `!N`
presses button N as it was printed, and `> TEXT` is said to the bot in private. A line that is nothing but an
expression replies to the last deal, and one that a setting waits for replies to the settings.
"""

import re
from collections.abc import AsyncIterator, Callable

from telegram import CallbackQuery, Message, Update, User

from bot.console.fake_telegram import (
    BOT_USER,
    GROUP_ID,
    HOST,
    FakeTelegram,
    compute_player_id,
    make_message,
    make_user,
)
from bot.console.screen import Screen
from bot.database import Tx
from bot.i18n import Words
from bot.modes.contest import queries as contests
from bot.players import preferences as preferences
from bot.players import queries as people
from bot.queue.updates import normalize_command
from bot.rounds import queries as rounds
from bot.rounds.registry import is_answer
from bot.rounds.rules import Round
from bot.service import Service
from bot.telegram import messages

# Makes an address that opens the board once, of a user and whether it is the private board
MakeLink = Callable[[User, bool], str]
BOARD_COMMAND = "/board"  # the line that asks for a link to a board
START_LINK = re.compile(r"https://t\.me/[A-Za-z0-9_]+\?start=(?P<payload>[A-Za-z0-9_-]+)")
PLAIN_COMMAND = re.compile(r"/(?P<name>[A-Za-z0-9_]{1,32})(?=\s|$)")  # Without the name of a bot
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
        self, service: Service, telegram: FakeTelegram, screen: Screen, language: str, link: MakeLink
    ) -> None:
        self._service = service
        self._telegram = telegram
        self._screen = screen
        self._language = language
        self._make_link = link
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
            self._render_board_link(is_private=False),
        )
        await self._service.load_backlog()
        live = await self._service.services.store.read(_load_live_rounds)
        await self._service.dispatcher.run_effect(
            lambda _: [messages.show_round(round.chat_id, round.id) for round in live]
        )
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
        press = re.fullmatch(r"!(?P<number>[0-9]{1,4})", text)
        if text == BOARD_COMMAND:
            self._print_lines(self._render_board_link(is_private=is_private))
        elif press:
            await self._deliver(self._make_press_update(number=int(press["number"])))
        elif text:
            chat_id = compute_player_id(self._speaker) if is_private else GROUP_ID
            reply_to = None if is_private else await self._find_replied_message(text)
            if not is_private:
                text = self._address_unknown_command(text)
            await self._deliver(self._make_message_update(text, chat_id, reply_to))

    def _address_unknown_command(self, text: str) -> str:
        """Add the bot's name to a command that the bot does not know, so that it says so in the group."""
        known = {command.name for command in self._service.routes.commands}
        normal = normalize_command(text, known)
        command = PLAIN_COMMAND.match(normal)
        if command is None or command["name"].lower() in known:
            return text
        return f"{command.group()}@{BOT_USER.username}{normal[command.end() :]}"

    def _change_speaker(self, name: str) -> None:
        """Let this person speak from now on; the host also by the name that is shown, or by none."""
        host_name = self._screen.speech.translate_plain("Player")
        if name.casefold() in ("", host_name.casefold()):
            self._speaker = HOST
        else:
            self._speaker = name[:1].upper() + name[1:]
        self._speakers[self._speaker.casefold()] = None  # a dict as a set that keeps its order

    async def _deliver(self, update: Update | None) -> None:
        """Send an update and wait for the answer, or say that there is none; follow links and print hints."""
        if update is None:
            return
        printed_before = self._screen.paragraph_count
        await self._service.inbox.accept([update.to_dict()])
        await self._service.wait_until_idle()
        while self._telegram.opened_links:  # a press has led to the private chat
            link = START_LINK.fullmatch(self._telegram.opened_links.pop(0))
            if link is not None:
                await self._service.inbox.accept([self._make_start_update(link["payload"]).to_dict()])
                await self._service.wait_until_idle()
        if update.message and self._screen.paragraph_count == printed_before:
            ignored = self._screen.speech.translate_plain("The bot ignores that in a group.")
            self._screen.print_paragraph(f"({ignored})")
        self._print_hints(update)

    def _print_hints(self, update: Update) -> None:
        """Print hints about the terminal after /help.

        After a press on the group's settings, or /settings there, tell others than the host, its admin, how
        to speak as the host.
        """
        speech = self._screen.speech
        command = ""
        is_about_settings = False
        if update.message and update.message.text:
            first_word, _, _ = update.message.text.partition(" ")
            command = first_word.partition("@")[0].lower()  # without the bot's name, as in /help@bot
            is_about_settings = command == "/settings"
        elif update.callback_query and update.callback_query.data:
            is_about_settings = update.callback_query.data.startswith(SETTING_PREFIX)
        chat = update.effective_chat
        if command == "/help":
            board = speech.translate_plain(
                "/board prints a link that opens a board to tap, for whoever speaks; > /board one in private."
            )
            self._print_lines(_render_line_syntax(speech), board, _render_admin_hint(speech))
        elif is_about_settings and chat and chat.id == GROUP_ID and self._speaker != HOST:
            self._print_lines(_render_admin_hint(speech))

    def _print_lines(self, *lines: str) -> None:
        self._screen.print_paragraph("\n".join(lines) + "\n")

    def _render_board_link(self, *, is_private: bool) -> str:
        """Return the line with a link to the board of the group, or of the speaker's private chat."""
        speech, name = self._screen.speech, self._get_display_name()
        values = {"name": name, "link": self._make_link(self._make_speaker(), is_private)}
        if is_private:
            return speech.translate_plain("To tap in private, once, as {name}: {link}", **values)
        return speech.translate_plain("To tap instead of typing, once, as {name}: {link}", **values)

    def _get_display_name(self) -> str:
        return self._screen.speech.translate_plain("Player") if self._speaker == HOST else self._speaker

    def _make_speaker(self) -> User:
        """Return the speaker, whom the fake Telegram knows from then on."""
        user = make_user(self._speaker, self._language, self._get_display_name())
        self._telegram.people[user.id] = user
        return user

    def _make_start_update(self, payload: str) -> Update:
        return self._make_message_update(f"/start {payload}", compute_player_id(self._speaker))

    def _make_message_update(self, text: str, chat_id: int, reply_to: Message | None = None) -> Update:
        """Return the update of a new message by the speaker; keep its line, which reactions show."""
        number = self._telegram.take_next_id()
        self._telegram.typed_lines[number] = f"{self._get_display_name()}: {text}"
        command_length = len(text.split(maxsplit=1)[0]) if text.startswith("/") else 0
        message = make_message(
            number, self._make_speaker(), text, chat_id, reply_to=reply_to, command_length=command_length
        )
        return Update(number, message=message)

    async def _find_replied_message(self, text: str) -> Message | None:
        """Return the settings that await the host's line, or the last deal for an answer; else None."""
        bot_messages = self._telegram.messages
        if text.startswith("/"):
            return None
        group = await self._service.services.store.read(lambda tx: people.load_chat(tx, GROUP_ID, "group"))
        awaited = preferences.read_awaited_value(group) if self._speaker == HOST else None
        if awaited is not None:
            number = awaited.message_id  # an earlier run may have sent that message
            return bot_messages.get(number) or make_message(number, BOT_USER, text="")
        if self._telegram.last_deal is not None and looks_like_answer(text):
            return bot_messages[self._telegram.last_deal]
        return None

    def _make_press_update(self, number: int) -> Update | None:
        """Return the update of a press, or of /start if the button links to the bot.

        None if there is no such button, the speaker can't see it, or it sends nothing: that or its text is
        printed.
        """
        speech, speaker = self._screen.speech, self._make_speaker()
        button = self._screen.get_button(number)
        if button is None:
            unknown = speech.translate_plain("There is no button {number}.", number=number)
            self._screen.print_paragraph(unknown)
            return None
        message = self._telegram.get_message(button.message_id)
        reader = self._telegram.find_reader(message)
        if reader not in (None, speaker):
            hidden = speech.translate_plain("Only {name} sees that button.", name=reader.first_name)
            self._screen.print_paragraph(hidden)
            return None
        link = START_LINK.fullmatch(button.link)
        if link is not None:
            return self._make_start_update(link["payload"])
        if not button.data:
            self._screen.print_paragraph(f"{button.text or button.link}\n")
            return None
        query_id = self._telegram.take_next_id()
        query = CallbackQuery(str(query_id), speaker, "console", message=message, data=button.data)
        return Update(query_id, callback_query=query)


def _load_live_rounds(tx: Tx) -> list[Round]:
    open_rounds = rounds.load_open_rounds_in_chat(tx, GROUP_ID)
    return open_rounds + contests.load_running_contests(tx, chat_id=GROUP_ID)


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
