"""/privacy, /export and /forgetme: what is kept of a person, for that person to see, take and take away."""

import json

from bot.reply import Keyboard, Link, Outgoing, edit
from bot.store import Tx, people
from bot.store import privacy as store
from bot.turn import Move, Turn, nothing, saying
from bot.words import Html

FILE = "twenty-four.json"


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
    return lambda tx: [
        _file(turn, tx, player.id, turn.words.plain("This is everything that is kept of you."))
    ]


def _file(turn: Turn, tx: Tx, player_id: int, caption: str, about: str = "") -> Outgoing:
    text = json.dumps(store.export(tx, player_id), ensure_ascii=False, indent=1)
    params = {"chat_id": player_id, "document": {"name": FILE, "text": text}, "caption": caption}
    return Outgoing(player_id, {"method": "sendDocument", "params": params, "about": about})


async def forget_me(turn: Turn) -> Move:
    """Ask whether the caller means it."""
    if turn.player is None:
        return nothing
    if not turn.chat.private:
        return _in_private(turn, "forgetme")
    text = turn.words.say(
        "Your points, streaks and figures will be gone for good, in every chat. You get a copy of them first."
    )
    buttons = [[(turn.words.plain("Forget me"), "fm:y"), (turn.words.plain("Keep everything"), "fm:n")]]
    return saying(turn.say(text, keyboard=buttons))


def _in_private(turn: Turn, door: str) -> Move:
    address = Link(f"https://t.me/{turn.services.me.username}?start={door}")
    text = turn.words.say("That is between you and me: here is the way.")
    return saying(turn.say(text, keyboard=[[(turn.words.plain("Open our private chat"), address)]]))


async def confirmed(turn: Turn) -> Move:
    """The answer: the copy is sent, and once it has arrived the person is forgotten (see `handed`)."""
    player, message = turn.player, turn.message
    if player is None or message is None or not turn.chat.private or not turn.offered:
        return saying(*turn.answer(turn.words.plain("That button is out of date.")))
    if turn.pressed != "fm:y":
        kept = edit(turn.chat.id, message.message_id, turn.words.say("Everything is kept."))
        return saying(kept, *turn.answer())
    caption = turn.words.plain("This was kept of you. With this message it is gone. Farewell!")

    def move(tx: Tx) -> list[Outgoing]:
        gone = edit(turn.chat.id, message.message_id, turn.words.say("You will be forgotten."))
        return [gone, *turn.answer(), _file(turn, tx, player.id, caption, about=f"forget:{player.id}")]

    return move


def handed(tx: Tx, player_id: int) -> None:
    """The copy has arrived: forget the person."""
    store.forget(tx, player_id)
