"""/race: hands one after the other in one message, and what follows when a round is over."""

import logging
from dataclasses import asdict, replace
from math import isfinite
from typing import Any

from bot.database import Tx
from bot.delivery.intake import Kind as Work
from bot.games.race import queries as races
from bot.games.rounds import queries as rounds
from bot.games.rounds.commands import (
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
from bot.games.rounds.rules import (
    LONGEST_RACE,
    POINTS,
    RACE_SECONDS,
    SHORTEST_RACE,
    Kind,
    Race,
    Round,
    next_hand,
)
from bot.games.twentyfour.options import OptionError, Options, RaceOptions, race_options
from bot.games.twentyfour.solving import Hand, SolvingError
from bot.groups.settings import rules as preferences
from bot.groups.settings.rules import Preferences
from bot.i18n import Html, Words, quoted, words
from bot.people import queries as people
from bot.telegram import messages
from bot.telegram.context import Context, Effect, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Command, Routes

log = logging.getLogger(__name__)

FAR = 20
"""Messages below the race's own after which the next hand is a new post, so that nobody scrolls for it."""


async def race(context: Context) -> Effect:
    """Start a race, unless a hand is on the table. All its hands are dealt now: a race waits for nothing."""
    try:
        asked = race_options(context.argument, level_names(context.words))
    except OptionError as error:
        refused = _no_such_option(context.words, error.fragment)
        return lambda tx: aside(context, tx, refused)
    live = await context.services.store.read(lambda tx: rounds.live(tx, context.chat.id, context.topic))
    if live is not None:
        return lambda tx: already(context, tx)
    chosen = preferences.of(context.chat)
    why = await shut(context, chosen) or await _too_long(context, chosen, asked.length)
    if why is not None:
        return lambda tx: aside(context, tx, why)
    try:
        hands = await _hands(context, chosen, asked)
    except SolvingError:
        return saying(sorry(context))
    except ValueError:
        return lambda tx: aside(context, tx, no_such_hand(context.words))
    return lambda tx: _start(context, tx, hands)


def _no_such_option(words: Words, fragment: str) -> Html:
    return words.say(
        "“{fragment}”? /race takes {fewest}–{most} for the hands, and a level: /race 5 hard",
        fragment=quoted(fragment),
        fewest=SHORTEST_RACE,
        most=LONGEST_RACE,
    )


async def _too_long(context: Context, chosen: Preferences, length: int) -> Html | None:
    """Why a race of so many hands doesn't fit into the hour; None where it does. Each hand is a round."""
    free = preferences.room(chosen, await opened_lately(context, chosen), context.now)
    if free is None or length <= free:
        return None
    if free < SHORTEST_RACE:
        return context.words.say("One more hand can be dealt here within the hour: /play, but no race.")
    return context.words.say(
        "A race of {length} hands is more than this hour allows here. This works: /race {most}",
        length=length,
        most=free,
    )


async def _hands(context: Context, chosen: Preferences, asked: RaceOptions) -> list[Hand]:
    options = Options(level=asked.level)
    return [await deal(context, chosen, options) for _ in range(asked.length)]


def _start(context: Context, tx: Tx, hands: list[Hand]) -> list[Request]:
    first = rounds.open_round(tx, new_round(context, hands[0], Kind.FIRST, RACE_SECONDS))
    if first is None:
        return already(context, tx)
    new = Race(
        id=0,
        chat_id=context.chat.id,
        topic=context.topic,
        starter_id=first.dealer_id,
        length=len(hands),
        opened=context.now,
    )
    stored = races.start(tx, new, [asdict(hand) for hand in hands[1:]])
    rounds.join_race(tx, first.id, stored.id)
    people.regain_budget(tx, context.chat.id)
    return [messages.show(first, new=True)]


def follow(tx: Tx, over: Round, now: float, said: int | None = None) -> list[Request]:
    """Show the round that is just `over`; in a race, deal the next hand, whose clock starts at `now`.

    `said` is the message that ended it, if one did: where that stands far below the race's own message,
    the next hand is shown in a new one.
    """
    present = races.by_id(tx, over.race_id) if over.race_id is not None else None
    if present is None or not present.open:
        return [messages.show(over)]
    after = next_hand(present, answered=rounds.tried(tx, over.id))
    hand = _taken(tx, present.id) if after.open else None
    after = replace(after, open=hand is not None)
    races.advance(tx, after)
    if hand is None:
        return [messages.show(over)]
    moved = said is not None and over.message_id is not None and said - over.message_id > FAR
    opened = rounds.open_round(tx, _next_round(after, over, hand, now, moved=moved))
    if opened is None:
        races.advance(tx, replace(after, open=False))
        return [messages.show(over)]
    return [*_pointer(over, moved=moved), messages.show(opened, new=opened.message_id is None)]


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


def _pointer(over: Round, *, moved: bool) -> list[Request]:
    """What the race's former message says once the race has moved on."""
    if not moved or over.message_id is None:
        return []
    text = words(over.language).say("The race goes on below.")
    return [messages.edit(over.chat_id, over.message_id, f"🏁 {text} ⬇️")]


ROUTES = Routes(
    commands=[Command("race", race, Work.DEAL, lambda said: said.plain("ten hands, one after the other"))]
)
