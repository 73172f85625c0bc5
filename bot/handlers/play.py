"""/play, and the buttons under a deal: a hand is dealt, given up, followed by the next."""

from bot import reply
from bot.reply import Outgoing
from bot.round import VOTES_TO_SKIP, Kind, Round, State, buy_hint, skip
from bot.solving import Hand, SolvingError
from bot.store import Tx, people, rounds
from bot.turn import Move, Turn, saying

CARDS, HIGHEST, TARGET = 4, 13, 24
TIME_LIMIT = 600.0
"""Seconds that a round stays open."""


async def play(turn: Turn) -> Move:
    """Deal a hand, unless one is on the table."""
    live = await turn.services.store.read(lambda tx: rounds.live(tx, turn.chat.id, turn.topic))
    if live is not None:
        return lambda tx: _already(turn, tx)
    try:
        hand = await deal(turn)
    except SolvingError:
        return saying(sorry(turn), *turn.answer())
    return lambda tx: open_hand(turn, tx, hand)


async def deal(turn: Turn) -> Hand:
    """A hand from the pool. Raises SolvingError when it can't be had."""
    return await turn.services.solving.deal(turn.services.seed(), CARDS, HIGHEST, TARGET, None)


def open_hand(turn: Turn, tx: Tx, hand: Hand) -> list[Outgoing]:
    """Open a round with `hand` in the turn's chat and topic."""
    new = Round(
        id=0,
        chat_id=turn.chat.id,
        topic=turn.topic,
        kind=Kind.FIRST,
        numbers=hand.numbers,
        target=hand.target,
        level=hand.level,
        expected=hand.expected,
        ideas=hand.ideas,
        hint_values=hand.hints,
        dealer_id=turn.player.id if turn.player else 0,
        language=turn.words.language,
        opened=turn.now,
        deadline=turn.now + TIME_LIMIT,
    )
    opened = rounds.open_round(tx, new)
    if opened is None:
        return _already(turn, tx)
    people.regain_patience(tx, turn.chat.id)
    return [reply.show(opened, new=True), *turn.answer()]


def _already(turn: Turn, tx: Tx) -> list[Outgoing]:
    live = rounds.live(tx, turn.chat.id, turn.topic)
    if live is None:
        return [turn.say(turn.words.say("That hand is over. /play deals the next.")), *turn.answer()]
    if turn.query:
        return turn.answer(turn.words.plain("A hand is on the table: {line}", line=live.line))
    text = turn.words.say("This hand is still open:\n{line}\n/skip gives it up.", line=live.line)
    on_table = live.message_id or (turn.message.message_id if turn.message else None)
    return [turn.say(text, reply_to=on_table)]


async def skip_hand(turn: Turn) -> Move:
    """/skip: end the live round and show its solutions."""
    live = await turn.services.store.read(lambda tx: rounds.live(tx, turn.chat.id, turn.topic))
    return await _skip(turn, live)


async def skip_pressed(turn: Turn) -> Move:
    """The button under a deal: end that round, if it is still the live one."""
    pressed = await pressed_round(turn)
    return await _skip(turn, pressed)


async def _skip(turn: Turn, round: Round | None) -> Move:
    if round is None or round.state is not State.OPEN:
        return saying(*_nothing_open(turn))
    if turn.player is None and not await turn.is_admin():
        return saying(*turn.answer())
    at_once = turn.player is not None and turn.player.id == round.dealer_id
    at_once = at_once or await turn.is_admin()

    def move(tx: Tx) -> list[Outgoing]:
        present = rounds.by_id(tx, round.id)
        if present is None or present.state is not State.OPEN:
            return _nothing_open(turn)
        votes = VOTES_TO_SKIP if at_once or turn.player is None else rounds.vote(tx, round.id, turn.player.id)
        if votes >= VOTES_TO_SKIP:
            rounds.close(tx, skip(present, turn.now))
        said = turn.words.plain(
            "Skip {votes}/{needed}", votes=min(votes, VOTES_TO_SKIP), needed=VOTES_TO_SKIP
        )
        return [reply.show(present), *turn.answer(said)]

    return move


def _nothing_open(turn: Turn) -> list[Outgoing]:
    if turn.query:
        return turn.answer(turn.words.plain("That hand is over."))
    return [turn.say(turn.words.say("No hand is on the table. /play deals one."))]


async def next_pressed(turn: Turn) -> Move:
    """The button under a round that is over: deal the next hand."""
    pressed = await pressed_round(turn)
    if pressed is None or pressed.state is State.OPEN or turn.player is None:
        return saying(*turn.answer(turn.words.plain("That button is out of date.")))
    return await play(turn)


async def hint(turn: Turn) -> Move:
    """/hint: show one more hint in the deal's message."""
    return lambda tx: _hint(turn, tx, rounds.live(tx, turn.chat.id, turn.topic))


async def hint_pressed(turn: Turn) -> Move:
    """The button under a deal: the same for that round."""
    pressed = await pressed_round(turn)
    return lambda tx: _hint(turn, tx, rounds.by_id(tx, pressed.id) if pressed else None)


def _hint(turn: Turn, tx: Tx, round: Round | None) -> list[Outgoing]:
    if round is None or round.state is not State.OPEN:
        return _nothing_open(turn)
    if turn.player is None:
        return turn.answer()
    bought = buy_hint(round)
    if bought == round:
        enough = turn.words.plain("There are no more hints for this hand.")
        return turn.answer(enough) or [turn.say(turn.words.say("There are no more hints for this hand."))]
    rounds.show_hints(tx, bought)
    return [reply.show(bought), *turn.answer()]


async def pressed_round(turn: Turn) -> Round | None:
    """The round that a button's data names, if it belongs to the chat and message where it was pressed.

    Callback data is public: whoever makes it up or presses an old one gets None.
    """
    data = turn.query.data if turn.query and isinstance(turn.query.data, str) else ""
    number = data.partition(":")[2]
    if not (number.isascii() and number.isdigit() and len(number) <= 18) or turn.message is None:
        return None
    found = await turn.services.store.read(lambda tx: rounds.by_id(tx, int(number)))
    if found is None or found.chat_id != turn.chat.id:
        return None
    return found if found.message_id in (None, turn.message.message_id) else None


def sorry(turn: Turn) -> Outgoing:
    """When the solver could not help in time."""
    return turn.say(turn.words.say("Sorry, that took too long. Please try again."))
