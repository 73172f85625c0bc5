"""/race: hands one after the other in one message, and what follows when a round is over."""

import logging
from dataclasses import asdict, replace
from math import isfinite
from typing import Any

from bot import preferences, reply
from bot.handlers.play import (
    already,
    aside,
    deal,
    level_names,
    new_round,
    no_such_hand,
    opened_lately,
    shut,
    sorry,
)
from bot.options import OptionError, Options, RaceOptions, race_options
from bot.preferences import Preferences
from bot.reply import Outgoing
from bot.round import LONGEST_RACE, POINTS, RACE_SECONDS, SHORTEST_RACE, Kind, Race, Round, next_hand
from bot.solving import Hand, SolvingError
from bot.store import Tx, people, races, rounds
from bot.turn import Move, Turn, saying
from bot.words import Html, Words, quoted, words

log = logging.getLogger(__name__)

FAR = 20
"""Messages below the race's own after which the next hand is a new post, so that nobody scrolls for it."""


async def race(turn: Turn) -> Move:
    """Start a race, unless a hand is on the table. All its hands are dealt now: a race waits for nothing."""
    try:
        asked = race_options(turn.argument, level_names(turn.words))
    except OptionError as error:
        refused = _no_such_option(turn.words, error.fragment)
        return lambda tx: aside(turn, tx, refused)
    live = await turn.services.store.read(lambda tx: rounds.live(tx, turn.chat.id, turn.topic))
    if live is not None:
        return lambda tx: already(turn, tx)
    chosen = preferences.of(turn.chat)
    why = await shut(turn, chosen) or await _too_long(turn, chosen, asked.length)
    if why is not None:
        return lambda tx: aside(turn, tx, why)
    try:
        hands = await _hands(turn, chosen, asked)
    except SolvingError:
        return saying(sorry(turn))
    except ValueError:
        return lambda tx: aside(turn, tx, no_such_hand(turn.words))
    return lambda tx: _start(turn, tx, hands)


def _no_such_option(words: Words, fragment: str) -> Html:
    return words.say(
        "“{fragment}”? /race takes {fewest}–{most} for the hands, and a level: /race 5 hard",
        fragment=quoted(fragment),
        fewest=SHORTEST_RACE,
        most=LONGEST_RACE,
    )


async def _too_long(turn: Turn, chosen: Preferences, length: int) -> Html | None:
    """Why a race of so many hands doesn't fit into the hour; None where it does. Each hand is a round."""
    free = preferences.room(chosen, await opened_lately(turn, chosen), turn.now)
    if free is None or length <= free:
        return None
    if free < SHORTEST_RACE:
        return turn.words.say("One more hand can be dealt here within the hour: /play, but no race.")
    return turn.words.say(
        "A race of {length} hands is more than this hour allows here. This works: /race {most}",
        length=length,
        most=free,
    )


async def _hands(turn: Turn, chosen: Preferences, asked: RaceOptions) -> list[Hand]:
    options = Options(level=asked.level)
    return [await deal(turn, chosen, options) for _ in range(asked.length)]


def _start(turn: Turn, tx: Tx, hands: list[Hand]) -> list[Outgoing]:
    first = rounds.open_round(tx, new_round(turn, hands[0], Kind.FIRST, RACE_SECONDS))
    if first is None:
        return already(turn, tx)
    new = Race(
        id=0,
        chat_id=turn.chat.id,
        topic=turn.topic,
        starter_id=first.dealer_id,
        length=len(hands),
        opened=turn.now,
    )
    stored = races.start(tx, new, [asdict(hand) for hand in hands[1:]])
    rounds.join_race(tx, first.id, stored.id)
    people.regain_patience(tx, turn.chat.id)
    return [reply.show(first, new=True)]


def follow(tx: Tx, over: Round, now: float, said: int | None = None) -> list[Outgoing]:
    """Show the round that is just `over`; in a race, deal the next hand, whose clock starts at `now`.

    `said` is the message that ended it, if one did: where that stands far below the race's own message,
    the next hand is shown in a new one.
    """
    present = races.by_id(tx, over.race_id) if over.race_id is not None else None
    if present is None or not present.open:
        return [reply.show(over)]
    after = next_hand(present, answered=rounds.tried(tx, over.id))
    hand = _taken(tx, present.id) if after.open else None
    after = replace(after, open=hand is not None)
    races.advance(tx, after)
    if hand is None:
        return [reply.show(over)]
    moved = said is not None and over.message_id is not None and said - over.message_id > FAR
    opened = rounds.open_round(tx, _next_round(after, over, hand, now, moved=moved))
    if opened is None:
        races.advance(tx, replace(after, open=False))
        return [reply.show(over)]
    return [*_pointer(over, moved=moved), reply.show(opened, new=opened.message_id is None)]


def _taken(tx: Tx, race_id: int) -> Hand | None:
    """The race's next hand, read back from how it was stored; None if there is none that can be read."""
    try:
        packed = races.take_hand(tx, race_id)
        return None if packed is None else _unpacked(packed)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        log.warning("race %s ends: its next hand can't be read (%s)", race_id, type(error).__name__)
        return None


def _unpacked(packed: dict[str, Any]) -> Hand:
    """A stored hand. Raises ValueError or TypeError for one that nobody could play."""
    lists = {key: tuple(value) for key, value in packed.items() if isinstance(value, list)}
    hand = Hand(**{**packed, **lists})
    whole = all(type(n) is int and n >= 0 for n in (*hand.numbers, hand.target))
    texts = all(isinstance(text, str) for text in (*hand.ideas, *hand.hints))
    if not (whole and texts and hand.numbers and hand.level in POINTS and isfinite(hand.expected)):
        raise ValueError("no hand")
    return hand


def _next_round(race: Race, over: Round, hand: Hand, now: float, *, moved: bool) -> Round:
    return Round(
        id=0,
        chat_id=over.chat_id,
        topic=over.topic,
        kind=Kind.FIRST,
        numbers=hand.numbers,
        target=hand.target,
        level=hand.level,
        expected=hand.expected,
        ideas=hand.ideas,
        hint_values=hand.hints,
        dealer_id=race.starter_id,
        language=over.language,
        race_id=race.id,
        message_id=None if moved else over.message_id,
        asked_id=over.asked_id,
        opened=now,
        deadline=now + race.seconds,
    )


def _pointer(over: Round, *, moved: bool) -> list[Outgoing]:
    """What the race's former message says once the race has moved on."""
    if not moved or over.message_id is None:
        return []
    text = words(over.language).say("The race goes on below.")
    return [reply.edit(over.chat_id, over.message_id, f"🏁 {text} ⬇️")]
