"""/play, and the button under a round that is over: a hand is dealt."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from bot.database import Tx
from bot.delivery.intake import Kind as Work
from bot.games.daily import queries as daily
from bot.games.race import queries as races
from bot.games.rounds import queries as rounds
from bot.games.rounds.rules import Kind, Round, State, in_time
from bot.games.twentyfour.cover import question
from bot.games.twentyfour.futile import QUICK_CARDS
from bot.games.twentyfour.options import CARDS, LEVELS, TARGETS, OptionError, Options, play_options
from bot.games.twentyfour.solving import Hand, Level, SolvingError, TooManyIdeasError
from bot.groups.settings import rules as preferences
from bot.groups.settings.rules import Preferences
from bot.groups.topics import view as topics
from bot.i18n import Html, Words, languages, plain, quoted
from bot.i18n import words as spoken_in
from bot.people import queries as people
from bot.telegram import messages
from bot.telegram.context import Context, Effect, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Button, Command, Routes

OTHER_DRAWS = 3
"""Hands that are drawn at most in the place of one that gives a daily hand away."""
SEEN = "👀"


async def play(context: Context) -> Effect:
    """Deal a hand as asked for, unless one is on the table."""
    try:
        options = play_options(context.argument, level_names(context.words), context.words.plain("all"))
    except OptionError as error:
        refused = _no_such_option(context.words, error.fragment)
        return lambda tx: aside(context, tx, refused)
    return await _play(context, options)


async def next_pressed(context: Context) -> Effect:
    """The button under a round that is over: deal the next hand."""
    pressed = await pressed_round(context)
    if pressed is None or pressed.state is State.OPEN or context.player is None or context.message is None:
        return saying(*context.answer(context.words.plain("That button is out of date.")))
    return await _play(context, Options(kind=pressed.kind))


async def _play(context: Context, options: Options) -> Effect:
    live = await context.services.store.read(lambda tx: rounds.live(tx, context.chat.id, context.topic))
    if live is not None:
        return lambda tx: already(context, tx)
    chosen = preferences.of(context.chat)
    if (why := await shut(context, chosen)) is not None:
        return lambda tx: aside(context, tx, why)
    try:
        hand = await deal(context, chosen, options)
    except SolvingError:
        return saying(sorry(context), *context.answer())
    except TooManyIdeasError:
        crowded = _too_many_ideas(context.words, options.cards or chosen.cards)
        return lambda tx: aside(context, tx, crowded)
    except ValueError:
        return lambda tx: aside(context, tx, no_such_hand(context.words))
    new = new_round(context, hand, options.kind, chosen.seconds)
    return lambda tx: open_hand(context, tx, new)


def level_names(words: Words) -> dict[str, Level]:
    """The levels by what they are called in this language."""
    known: tuple[Level, ...] = ("easy", "medium", "hard", "fiendish")
    return {str(messages.level(words, level)).casefold(): level for level in known}


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


async def shut(context: Context, chosen: Preferences) -> Html | None:
    """Why no hand is dealt here and now, by what the chat chose; None where one is."""
    if preferences.is_wrong_topic(chosen, context.topic):
        return topics.elsewhere(context.words, context.chat.id, chosen)
    until = preferences.quiet_until(chosen, context.now)
    if until is not None and chosen.quiet:
        clock = time.strftime("%H:%M", time.gmtime(until + chosen.quiet.offset * 60))
        return context.words.say("These are quiet hours here. Hands are dealt again at {clock}.", clock=clock)
    free = preferences.full_until(chosen, await opened_lately(context, chosen), context.now)
    if free is None:
        return None
    wait = max(1, round((free - context.now) / 60))
    return context.words.count(
        "This chat has played enough for an hour. The next hand in {n} minute.",
        "This chat has played enough for an hour. The next hand in {n} minutes.",
        wait,
    )


async def opened_lately(context: Context, chosen: Preferences) -> list[float]:
    """When the hands of the last hour were dealt, where their number is limited.

    Those that a race under way will still deal count as dealt now.
    """
    most = chosen.rounds_an_hour
    if most is None:
        return []
    since, chat_id = context.now - preferences.HOUR, context.chat.id
    opened = await context.services.store.read(lambda tx: rounds.opened_since(tx, chat_id, since, most))
    promised = await context.services.store.read(lambda tx: races.to_come(tx, chat_id))
    return [*opened, *[context.now] * promised]


def _too_many_ideas(words: Words, cards: int) -> Html:
    """When no hand was found whose ideas can all be listed: fewer cards have fewer."""
    return words.say(
        "Hands of {cards} cards mostly have too many ideas to find them all. This works: /play all {fewer}",
        cards=cards,
        fewer=max(CARDS.start, cards - 1),
    )


async def deal(context: Context, chosen: Preferences, options: Options) -> Hand:
    """A hand that gives no daily one away, as long as there is another.

    Where every idea is to be found, one that has several, and not too many. Raises SolvingError when it can't
    be had in time, TooManyIdeasError or ValueError if there is none.
    """
    hand = await _drawn(context, chosen, options)
    for _ in range(OTHER_DRAWS):
        if not await _is_daily(context, hand):
            break
        hand = await _drawn(context, chosen, options)
    return hand


async def _is_daily(context: Context, hand: Hand) -> bool:
    asked = [question(hand.numbers, hand.target)]
    return await context.services.store.read(lambda tx: daily.sealed(tx, None, asked, context.now))


async def _drawn(context: Context, chosen: Preferences, options: Options) -> Hand:
    """A hand from the pool."""
    solving = context.services.solving
    draw = solving.deal_all if options.kind is Kind.ALL else solving.deal
    return await draw(
        context.services.seed(),
        options.cards or chosen.cards,
        chosen.highest,
        options.target or chosen.target,
        options.level or chosen.level,
    )


async def like(context: Context, round: Round) -> Hand:
    """Another hand of the level, the cards and the target of `round`, at once. Raises as `deal`."""
    services = replace(context.services, solving=context.services.solving.urgently())
    options = Options(round.level, len(round.numbers), round.target, round.kind)  # type: ignore[arg-type]
    return await deal(replace(context, services=services), preferences.of(context.chat), options)


def new_round(context: Context, hand: Hand, kind: Kind, limit: float) -> Round:
    """A round with `hand`, on the turn's table for `limit` seconds."""
    return Round(
        id=0,
        chat_id=context.chat.id,
        topic=context.topic,
        kind=kind,
        numbers=hand.numbers,
        target=hand.target,
        level=hand.level,
        expected=hand.expected,
        ideas=hand.ideas,
        hint_values=hand.hints,
        dealer_id=context.player.id if context.player else 0,
        language=context.words.language,
        opened=context.now,
        deadline=context.now + limit,
        asked_id=_asked_in_thread(context),
    )


def _asked_in_thread(context: Context) -> int | None:
    """The message to reply to so that the deal stands among the comments where it was asked for."""
    message = context.message
    return message.message_id if message and message.message_thread_id and not context.topic else None


def open_hand(context: Context, tx: Tx, new: Round) -> list[Request]:
    """Put a new round on its table and show it."""
    opened = rounds.open_round(tx, new)
    if opened is None:
        return already(context, tx)
    people.regain_budget(tx, context.chat.id)
    return [messages.show(opened, new=True), *context.answer()]


def already(context: Context, tx: Tx, *, quiet: bool = False) -> list[Request]:
    """Point to the hand that is on the table. `quiet` as in `aside`."""
    live = rounds.live(tx, context.chat.id, context.topic)
    if live is None:
        return aside(context, tx, context.words.say("That hand is over. /play deals the next."), quiet=quiet)
    if not in_time(live, context.begins):
        return out_of_time(context, tx)
    if context.query:
        return context.answer(context.words.plain("A hand is on the table: {line}", line=live.line))
    text = context.words.say("This hand is still open:\n{line}\n/skip gives it up.", line=live.line)
    return aside(context, tx, text, reply_to=live.message_id, quiet=quiet)


def aside(
    context: Context, tx: Tx, text: Html, reply_to: int | None = None, *, quiet: bool = False
) -> list[Request]:
    """Answer a wish that changes nothing. `quiet`: by a mere look where the chat bears no other post now."""
    if context.query:
        return context.answer(plain(text))
    if context.message is None:
        return []
    if context.chat.private or not quiet or people.spend_budget(tx, context.chat.id):
        return [context.say(text, reply_to=reply_to or context.message.message_id)]
    return [messages.react(context.chat.id, context.message.message_id, SEEN)]


def out_of_time(context: Context, tx: Tx) -> list[Request]:
    """When a hand's time is over, and answers that were sent in time may still be on their way."""
    text = context.words.say("Time is up for that hand. Answers sent in time may still arrive; then it ends.")
    return aside(context, tx, text, quiet=True)


def nothing_open(context: Context, tx: Tx) -> list[Request]:
    """When there is no hand to do something with."""
    if context.query:
        return context.answer(context.words.plain("That hand is over."))
    return aside(context, tx, context.words.say("No hand is on the table. /play deals one."), quiet=True)


async def pressed_round(context: Context) -> Round | None:
    """The round that a button's data names, if it belongs to the chat and message where it was pressed.

    Callback data is public: whoever makes it up or presses an old one gets None.
    """
    number = context.pressed.partition(":")[2]
    above = context.query.message.message_id if context.query and context.query.message else 0
    if not above or not re.fullmatch(r"[1-9][0-9]{0,17}", number):
        return None

    def look(tx: Tx) -> tuple[Round | None, bool]:
        found = rounds.by_id(tx, int(number))
        return found, found is not None and rounds.was_shown_in(tx, found, above)

    found, shown = await context.services.store.read(look)
    if found is None or found.chat_id != context.chat.id:
        return None
    unrecorded = found.message_id is None and context.offered
    return found if shown or unrecorded else None


def sorry(context: Context) -> Request:
    """When the solver could not help in time."""
    return context.say(context.words.say("Sorry, that took too long. Please try again."))


def _work(words: Sequence[str]) -> Work:
    """A deal; a wish where other words stand behind it than those with which a hand is found at once."""
    usual = all_level_names() | {str(cards) for cards in QUICK_CARDS}
    return Work.DEAL if usual.issuperset(word.casefold() for word in words) else Work.WISH


ROUTES = Routes(
    commands=[Command("play", play, _work, lambda said: said.plain("deal a hand"))],
    buttons=[Button("n", next_pressed, Work.DEALING)],
    doors={"play": play},
)
