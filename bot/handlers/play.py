"""/play, and the button under a round that is over: a hand is dealt."""

import re
import time
from dataclasses import replace
from functools import cache

from bot import preferences, reply
from bot.cover import question
from bot.options import CARDS, LEVELS, TARGETS, OptionError, Options, play_options
from bot.preferences import Preferences
from bot.reply import Outgoing, topics
from bot.round import Kind, Round, State, in_time
from bot.solving import Hand, Level, SolvingError, TooManyIdeasError
from bot.store import Tx, daily, people, races, rounds
from bot.turn import Move, Turn, saying
from bot.words import Html, Words, languages, plain, quoted
from bot.words import words as spoken_in

OTHER_DRAWS = 3
"""Hands that are drawn at most in the place of one that gives a daily hand away."""
SEEN = "👀"


async def play(turn: Turn) -> Move:
    """Deal a hand as asked for, unless one is on the table."""
    try:
        options = play_options(turn.argument, level_names(turn.words), turn.words.plain("all"))
    except OptionError as error:
        refused = _no_such_option(turn.words, error.fragment)
        return lambda tx: aside(turn, tx, refused)
    return await _play(turn, options)


async def next_pressed(turn: Turn) -> Move:
    """The button under a round that is over: deal the next hand."""
    pressed = await pressed_round(turn)
    if pressed is None or pressed.state is State.OPEN or turn.player is None or turn.message is None:
        return saying(*turn.answer(turn.words.plain("That button is out of date.")))
    return await _play(turn, Options(kind=pressed.kind))


async def _play(turn: Turn, options: Options) -> Move:
    live = await turn.services.store.read(lambda tx: rounds.live(tx, turn.chat.id, turn.topic))
    if live is not None:
        return lambda tx: already(turn, tx)
    chosen = preferences.of(turn.chat)
    if (why := await shut(turn, chosen)) is not None:
        return lambda tx: aside(turn, tx, why)
    try:
        hand = await deal(turn, chosen, options)
    except SolvingError:
        return saying(sorry(turn), *turn.answer())
    except TooManyIdeasError:
        crowded = _too_many_ideas(turn.words, options.cards or chosen.cards)
        return lambda tx: aside(turn, tx, crowded)
    except ValueError:
        return lambda tx: aside(turn, tx, no_such_hand(turn.words))
    new = new_round(turn, hand, options.kind, chosen.seconds)
    return lambda tx: open_hand(turn, tx, new)


def level_names(words: Words) -> dict[str, Level]:
    """The levels by what they are called in this language."""
    known: tuple[Level, ...] = ("easy", "medium", "hard", "fiendish")
    return {str(reply.level(words, level)).casefold(): level for level in known}


@cache
def all_level_names() -> frozenset[str]:
    """What the levels are called, in all languages."""
    return frozenset(LEVELS).union(*(level_names(spoken_in(language)) for language in languages()))


def _no_such_option(words: Words, fragment: str) -> Html:
    return words.say(
        "“{fragment}”? /play takes a level (easy, medium, hard, fiendish), {fewest}–{most} for the cards, "
        "a bigger number for the target, and “all” to find every idea: /play hard 36",
        fragment=quoted(fragment),
        fewest=CARDS.start,
        most=CARDS.stop - 1,
    )


def no_such_hand(words: Words) -> Html:
    """When no hand is as it was asked for."""
    return words.say(
        "I found no such hand. Try another level, or another target from {least} to {most}.",
        least=TARGETS.start,
        most=TARGETS.stop - 1,
    )


async def shut(turn: Turn, chosen: Preferences) -> Html | None:
    """Why no hand is dealt here and now, by what the chat chose; None where one is."""
    if preferences.astray(chosen, turn.topic):
        return topics.elsewhere(turn.words, turn.chat.id, chosen)
    until = preferences.quiet_until(chosen, turn.now)
    if until is not None and chosen.quiet:
        clock = time.strftime("%H:%M", time.gmtime(until + chosen.quiet.offset * 60))
        return turn.words.say("These are quiet hours here. Hands are dealt again at {clock}.", clock=clock)
    free = preferences.full_until(chosen, await opened_lately(turn, chosen), turn.now)
    if free is None:
        return None
    wait = max(1, round((free - turn.now) / 60))
    return turn.words.count(
        "This chat has played enough for an hour. The next hand in {n} minute.",
        "This chat has played enough for an hour. The next hand in {n} minutes.",
        wait,
    )


async def opened_lately(turn: Turn, chosen: Preferences) -> list[float]:
    """When the hands of the last hour were dealt, where their number is limited.

    Those that a race under way will still deal count as dealt now.
    """
    most = chosen.rounds_an_hour
    if most is None:
        return []
    since, chat_id = turn.now - preferences.HOUR, turn.chat.id
    opened = await turn.services.store.read(lambda tx: rounds.opened_since(tx, chat_id, since, most))
    promised = await turn.services.store.read(lambda tx: races.to_come(tx, chat_id))
    return [*opened, *[turn.now] * promised]


def _too_many_ideas(words: Words, cards: int) -> Html:
    """When no hand was found whose ideas can all be listed: fewer cards have fewer."""
    return words.say(
        "Hands of {cards} cards mostly have too many ideas to find them all. This works: /play all {fewer}",
        cards=cards,
        fewer=max(CARDS.start, cards - 1),
    )


async def deal(turn: Turn, chosen: Preferences, options: Options) -> Hand:
    """A hand that gives no daily one away, as long as there is another.

    Where every idea is to be found, one that has several, and not too many. Raises SolvingError when it can't
    be had in time, TooManyIdeasError or ValueError if there is none.
    """
    hand = await _drawn(turn, chosen, options)
    for _ in range(OTHER_DRAWS):
        if not await _is_daily(turn, hand):
            break
        hand = await _drawn(turn, chosen, options)
    return hand


async def _is_daily(turn: Turn, hand: Hand) -> bool:
    asked = [question(hand.numbers, hand.target)]
    return await turn.services.store.read(lambda tx: daily.sealed(tx, None, asked, turn.now))


async def _drawn(turn: Turn, chosen: Preferences, options: Options) -> Hand:
    """A hand from the pool."""
    solving = turn.services.solving
    draw = solving.deal_all if options.kind is Kind.ALL else solving.deal
    return await draw(
        turn.services.seed(),
        options.cards or chosen.cards,
        chosen.highest,
        options.target or chosen.target,
        options.level or chosen.level,
    )


async def like(turn: Turn, round: Round) -> Hand:
    """Another hand of the level, the cards and the target of `round`, at once. Raises as `deal`."""
    services = replace(turn.services, solving=turn.services.solving.urgently())
    options = Options(round.level, len(round.numbers), round.target, round.kind)  # type: ignore[arg-type]
    return await deal(replace(turn, services=services), preferences.of(turn.chat), options)


def new_round(turn: Turn, hand: Hand, kind: Kind, limit: float) -> Round:
    """A round with `hand`, on the turn's table for `limit` seconds."""
    return Round(
        id=0,
        chat_id=turn.chat.id,
        topic=turn.topic,
        kind=kind,
        numbers=hand.numbers,
        target=hand.target,
        level=hand.level,
        expected=hand.expected,
        ideas=hand.ideas,
        hint_values=hand.hints,
        dealer_id=turn.player.id if turn.player else 0,
        language=turn.words.language,
        opened=turn.now,
        deadline=turn.now + limit,
        asked_id=_asked_in_thread(turn),
    )


def _asked_in_thread(turn: Turn) -> int | None:
    """The message to reply to so that the deal stands among the comments where it was asked for."""
    message = turn.message
    return message.message_id if message and message.message_thread_id and not turn.topic else None


def open_hand(turn: Turn, tx: Tx, new: Round) -> list[Outgoing]:
    """Put a new round on its table and show it."""
    opened = rounds.open_round(tx, new)
    if opened is None:
        return already(turn, tx)
    people.regain_patience(tx, turn.chat.id)
    return [reply.show(opened, new=True), *turn.answer()]


def already(turn: Turn, tx: Tx, *, quiet: bool = False) -> list[Outgoing]:
    """Point to the hand that is on the table. `quiet` as in `aside`."""
    live = rounds.live(tx, turn.chat.id, turn.topic)
    if live is None:
        return aside(turn, tx, turn.words.say("That hand is over. /play deals the next."), quiet=quiet)
    if not in_time(live, turn.begins):
        return out_of_time(turn, tx)
    if turn.query:
        return turn.answer(turn.words.plain("A hand is on the table: {line}", line=live.line))
    text = turn.words.say("This hand is still open:\n{line}\n/skip gives it up.", line=live.line)
    return aside(turn, tx, text, reply_to=live.message_id, quiet=quiet)


def aside(
    turn: Turn, tx: Tx, text: Html, reply_to: int | None = None, *, quiet: bool = False
) -> list[Outgoing]:
    """Answer a wish that changes nothing. `quiet`: by a mere look where the chat bears no other post now."""
    if turn.query:
        return turn.answer(plain(text))
    if turn.message is None:
        return []
    if turn.chat.private or not quiet or people.spend_patience(tx, turn.chat.id):
        return [turn.say(text, reply_to=reply_to or turn.message.message_id)]
    return [reply.react(turn.chat.id, turn.message.message_id, SEEN)]


def out_of_time(turn: Turn, tx: Tx) -> list[Outgoing]:
    """When a hand's time is over, and answers that were sent in time may still be on their way."""
    text = turn.words.say("Time is up for that hand. Answers sent in time may still arrive; then it ends.")
    return aside(turn, tx, text, quiet=True)


def nothing_open(turn: Turn, tx: Tx) -> list[Outgoing]:
    """When there is no hand to do something with."""
    if turn.query:
        return turn.answer(turn.words.plain("That hand is over."))
    return aside(turn, tx, turn.words.say("No hand is on the table. /play deals one."), quiet=True)


async def pressed_round(turn: Turn) -> Round | None:
    """The round that a button's data names, if it belongs to the chat and message where it was pressed.

    Callback data is public: whoever makes it up or presses an old one gets None.
    """
    number = turn.pressed.partition(":")[2]
    above = turn.query.message.message_id if turn.query and turn.query.message else 0
    if not above or not re.fullmatch(r"[1-9][0-9]{0,17}", number):
        return None

    def look(tx: Tx) -> tuple[Round | None, bool]:
        found = rounds.by_id(tx, int(number))
        return found, found is not None and rounds.was_shown_in(tx, found, above)

    found, shown = await turn.services.store.read(look)
    if found is None or found.chat_id != turn.chat.id:
        return None
    unrecorded = found.message_id is None and turn.offered
    return found if shown or unrecorded else None


def sorry(turn: Turn) -> Outgoing:
    """When the solver could not help in time."""
    return turn.say(turn.words.say("Sorry, that took too long. Please try again."))
