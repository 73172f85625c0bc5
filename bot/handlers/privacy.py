"""/privacy, /export and /forgetme: what is kept of a person, for that person to see, take and take away."""

import json
from typing import Any

from bot.reply import Keyboard, Link, Outgoing, edit, post
from bot.store import Store, Tx, farewells, people
from bot.store import privacy as store
from bot.turn import Move, Turn, nothing, saying
from bot.words import Html, Words, words

FILE = "twenty-four.json"
SEND, WITHOUT, KEEP = "fm:y", "fm:w", "fm:n"
"""Buttons: forget me once my copy is here, forget me without it, keep everything."""
FORGETTING = {SEND, WITHOUT}
TIME_TO_ANSWER = 3600.0
"""Seconds for which somebody is not forgotten yet who was told that the file may not have come."""


async def privacy(turn: Turn) -> Move:
    """What is kept, and how the board of all chats shows the caller."""
    return lambda tx: [_told(turn, tx)]


def _told(turn: Turn, tx: Tx) -> Outgoing:
    text, keyboard = _page(turn, _is_masked(turn, tx) if turn.chat.private else None)
    return turn.say(text, keyboard=keyboard)


def _page(turn: Turn, masked: bool | None) -> tuple[Html, Keyboard]:
    """The text and its buttons; `masked` is None where more people than one read it."""
    say = turn.words.say
    lines = [
        say("Kept of you: your id, first name and username, your answers, points and daily hands."),
        say("Other talk is never kept. Nothing is passed on to anybody."),
        say("/export hands you everything, /forgetme takes it away."),
    ]
    if masked is not None:
        lines.append(Html(_how_shown(turn, masked=masked)))
    choices = [("pv:m", turn.words.plain("Mask my name")), ("pv:u", turn.words.plain("Show my name"))]
    chosen = {True: "pv:m", False: "pv:u"}.get(masked) if masked is not None else None
    row = [(f"✓ {said}" if data == chosen else said, data) for data, said in choices]
    return Html("\n".join(lines)), [row]


def _how_shown(turn: Turn, *, masked: bool) -> str:
    if masked:
        return turn.words.plain("The board of all chats shows only the first letter of your name.")
    return turn.words.plain("The board of all chats shows your name.")


def _is_masked(turn: Turn, tx: Tx) -> bool:
    return turn.player is None or people.saw(tx, turn.player).masked


async def chosen(turn: Turn) -> Move:
    """A button under /privacy: whoever presses it is masked from now on, or shown."""
    player, message, choice = turn.player, turn.message, turn.pressed
    if player is None or message is None or choice not in {"pv:m", "pv:u"} or not turn.offered:
        return saying(*turn.answer(turn.words.plain("That button is out of date.")))

    def move(tx: Tx) -> list[Outgoing]:
        store.show_name(tx, player.id, shown=choice == "pv:u")
        said = _how_shown(turn, masked=choice == "pv:m")
        if not turn.chat.private:
            return turn.answer(said)
        return [edit(turn.chat.id, message.message_id, *_page(turn, choice == "pv:m")), *turn.answer(said)]

    return move


async def export(turn: Turn) -> Move:
    """Everything that is kept of the caller, as a file."""
    player = turn.player
    if player is None:
        return nothing
    if not turn.chat.private:
        return _in_private(turn, "export")
    caption = turn.words.plain("This is everything that is kept of you.")

    def move(tx: Tx) -> list[Outgoing]:
        people.let_strangers_go(tx, player.id)  # who asks is known while the answer is made, and not after it
        return [Outgoing(player.id, _file(player.id, _text(tx, player.id), caption))]

    return move


def _text(tx: Tx, player_id: int) -> str:
    return json.dumps(store.export(tx, player_id), ensure_ascii=False, indent=1)


def _file(player_id: int, text: str, caption: str, about: str = "") -> dict[str, Any]:
    params = {"chat_id": player_id, "document": {"name": FILE, "text": text}, "caption": caption}
    return {"method": "sendDocument", "params": params, "about": about}


async def forget_me(turn: Turn) -> Move:
    """Ask whether the caller means it."""
    if turn.player is None:
        return nothing
    if not turn.chat.private:
        return _in_private(turn, "forgetme")
    text = turn.words.say(
        "Your points, streaks and figures will be gone for good, in every chat. You get a copy of them first."
    )
    stays = turn.words.say(
        "What you were shown of live hands stays for 7 days and your last daily hands for 3,"
        " without your id or name."
    )
    text = Html(f"{text}\n\n{stays}")
    buttons = [[(turn.words.plain("Forget me"), SEND), (turn.words.plain("Keep everything"), KEEP)]]
    return saying(turn.say(text, keyboard=buttons))


def _in_private(turn: Turn, door: str) -> Move:
    address = Link(f"https://t.me/{turn.services.me.username}?start={door}")
    text = turn.words.say("That is between you and me: here is the way.")
    return saying(turn.say(text, keyboard=[[(turn.words.plain("Open our private chat"), address)]]))


async def confirmed(turn: Turn) -> Move:
    """The answer: the copy is sent, and once it has arrived the person is forgotten (see `Farewells`)."""
    player, message, choice = turn.player, turn.message, turn.pressed
    if player is None or message is None or not turn.chat.private or not turn.offered:
        return saying(*turn.answer(turn.words.plain("That button is out of date.")))

    def move(tx: Tx) -> list[Outgoing]:
        twice = choice == SEND and farewells.waits(tx, player.id, farewells.FILE)
        if not twice:
            farewells.take_back(tx, player.id)
        kept, gone = turn.words.say("Everything is kept."), turn.words.say("You will be forgotten.")
        shown = edit(turn.chat.id, message.message_id, gone if choice in FORGETTING else kept)
        return [shown, *turn.answer(), *([] if twice else _forgetting(turn, player.id))]

    return move


def _forgetting(turn: Turn, player_id: int) -> list[Outgoing]:
    """What ends in the person being forgotten, once it has arrived."""
    if turn.pressed == SEND:
        return [Outgoing(player_id, farewells.letter(player_id, turn.words.language))]
    if turn.pressed == WITHOUT:
        return [_last_word(player_id, turn.words.say("You are forgotten. Farewell!"))]
    return []


def _last_word(player_id: int, text: Html) -> Outgoing:
    return post(player_id, text, about=f"{farewells.LAST_WORD}:{player_id}")


class Farewells:
    """Hands over the copies of those who want to be forgotten, and forgets them once theirs has arrived."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sent: dict[int, tuple[str, dict[str, Any]]] = {}
        """By person: what the file under way holds, and the letter that asked for it."""

    async def copy(self, letter: dict[str, Any]) -> dict[str, Any] | None:
        """The file as of now, with what was played meanwhile; None if it isn't wanted any more."""
        player_id, said = int(letter["player"]), words(str(letter["language"]))
        caption = said.plain("This was kept of you. With this message it is gone. Farewell!")

        def look(tx: Tx) -> str | None:
            return _text(tx, player_id) if farewells.waits(tx, player_id, farewells.FILE) else None

        text = await self._store.read(look)
        if text is None:
            return None
        self._sent[player_id] = text, letter
        return _file(player_id, text, caption, about=letter["about"])

    def arrived(self, tx: Tx, kind: str, player_id: int, now: float) -> None:
        """A letter of a wish has arrived, and is not struck yet."""
        if kind == farewells.QUESTION:
            farewells.tell(tx, player_id, now)
        if not farewells.waits(tx, player_id, kind) or kind == farewells.QUESTION:
            return
        text, letter = self._sent.pop(player_id, (None, {}))
        if kind == farewells.FILE and text is not None and text != _text(tx, player_id):
            farewells.hand_over_again(tx, letter, player_id, now)
            return
        store.forget(tx, player_id)


def sweep(tx: Tx, now: float) -> list[Outgoing]:
    """Go on with those whose letters were not delivered."""
    return [said for letter in farewells.failed(tx) for said in _gone_on(tx, letter, now)]


def _gone_on(tx: Tx, letter: farewells.Failed, now: float) -> list[Outgoing]:
    """What follows a letter of a wish that was not delivered.

    Whoever can't be reached is forgotten. Where the file may have come or not, the person is asked, and
    forgotten an hour after the question came, unless they want it otherwise. Where it can't come, the
    person is told.
    """
    since, said = now - letter.at, words(letter.language)
    last = letter.kind == farewells.LAST_WORD
    if letter.unreachable or last or (letter.told and since >= TIME_TO_ANSWER):
        store.forget(tx, letter.player_id)
    elif letter.kind == farewells.QUESTION and (not letter.unsure or since >= TIME_TO_ANSWER):
        farewells.drop(tx, letter)
        return [_last_word(letter.player_id, _untaken(said))] if not letter.unsure else []
    elif letter.kind == farewells.FILE and letter.unsure and not farewells.asks(tx, letter.player_id):
        return [_question(letter.player_id, said)]
    elif letter.kind == farewells.FILE and not letter.unsure and not letter.told:
        farewells.drop(tx, letter)
        return [_last_word(letter.player_id, _untaken(said))]
    return []


def _untaken(said: Words) -> Html:
    return said.say(
        "Your copy can't be delivered: Telegram does not take it. With this message everything is gone."
        " Farewell!"
    )


def _question(player_id: int, said: Words) -> Outgoing:
    text = said.say(
        "I can't tell whether your copy has reached you."
        " In an hour you will be forgotten, unless you decide otherwise."
    )
    row = [(said.plain("Forget me"), WITHOUT), (said.plain("Send it again"), SEND)]
    keyboard = [row, [(said.plain("Keep everything"), KEEP)]]
    return post(player_id, text, keyboard=keyboard, about=f"{farewells.QUESTION}:{player_id}")
