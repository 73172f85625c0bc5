"""/play, and the button under a round that is over: a hand is dealt."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.admin import reactions, topics
from bot.admin.settings import rules as preferences
from bot.admin.settings.rules import Pictures, Preferences
from bot.admin.settings.view import elsewhere
from bot.database import Tx
from bot.durations import HOUR
from bot.i18n import Html, plain
from bot.modes.daily import queries as daily
from bot.modes.race import queries as races
from bot.players import queries as people
from bot.queue.intake import Sorting, Work
from bot.rounds import queries as rounds
from bot.rounds.game import Game
from bot.rounds.known import GAMES, USUAL, dealt_by
from bot.rounds.puzzle import DealError, Kind, Options, Puzzle, UnknownWordError, easier, folded, numbers_of
from bot.rounds.rules import Round, State, in_time
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Handler, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Button, Command, Routes
from bot.workers.pool import SolvingError

DRAWS = 4  # Hands that are drawn at most to get one that is no hand of the day
SEEN = "👀"


def dealing(game: Game[Any]) -> Handler:
    """The command that deals a game: as asked for, unless something is on the table."""

    async def handler(context: Context) -> Effect:
        try:
            options = game.options(context.words, context.argument)
        except UnknownWordError as error:
            return _instead(context, game, error.fragment)
        return await _play(context, game, options)

    return handler


def _instead(context: Context, game: Game[Any], fragment: str) -> Effect:
    """What works, for who wrote what asks for nothing: a puzzle of their own, or `fragment`."""
    if (other := dealt_by(context.words, fragment, game)) is not None:
        return refusing(context, other)
    own = game.own(context.words, context.argument, private=context.chat.private)
    if own is None:
        return refusing(context, game.usage(context.words, fragment))
    text, keyboard = own
    return saying(context.say(text, keyboard=keyboard))


play = dealing(USUAL)


async def next_pressed(context: Context) -> Effect:
    """The button under a round that is over: deal the next hand."""
    pressed = await pressed_round(context)
    if pressed is None or pressed.state is State.OPEN or context.player is None or context.message is None:
        return out_of_date(context)
    game = GAMES[pressed.game]
    if pressed.kind in (Kind.LESSON, Kind.CHOSEN, Kind.PRACTICE):
        return await _play(context, game, Options(kind=pressed.kind.after))
    return await _play(context, game, game.unpack_options(pressed.options, pressed.kind))


async def easier_pressed(context: Context) -> Effect:
    """The button under a hand that nobody found in time: deal such a hand, but an easier one."""
    pressed = await pressed_round(context)
    level = easier(pressed.level) if pressed and context.offered else None
    if pressed is None or pressed.state is not State.EXPIRED or level is None or context.player is None:
        return out_of_date(context)
    game = GAMES[pressed.game]
    return await _play(context, game, replace(game.alike(pressed.puzzle, pressed.kind.after), level=level))


async def _play(context: Context, game: Game[Any], options: Options) -> Effect:
    if (instead := await hindered(context)) is not None:
        return instead
    try:
        puzzle = await deal(context, game, options)
    except SolvingError:
        return sorry(context)
    except DealError as error:
        return refusing(context, error.why(context.words))
    new = new_round(context, game, puzzle, options, limit(context, game))
    return lambda tx: open_hand(context, tx, new)


def limit(context: Context, game: Game[Any]) -> float:
    """Seconds that a round lasts here."""
    own = game.seconds(context.chat.settings)
    return preferences.of(context.chat).seconds if own is None else own


async def hindered(context: Context) -> Effect | None:
    """What is said instead of a deal: a hand is on the table, or the chat chose to have none now."""
    live = await context.services.store.read(lambda tx: rounds.live(tx, context.chat.id, context.topic))
    if live is not None:
        return lambda tx: already(context, tx)
    why = await shut(context, preferences.of(context.chat))
    return None if why is None else refusing(context, why)


async def shut(context: Context, chosen: Preferences) -> Html | None:
    """Why no hand is dealt here and now, by what the chat chose; None where one is."""
    if preferences.is_wrong_topic(chosen, context.topic) and not await topics.left(context, chosen):
        return elsewhere(context.words, context.chat.id, chosen)
    until = preferences.quiet_until(chosen, context.now)
    if until is not None:
        clock = f"{datetime.fromtimestamp(until, chosen.zone):%H:%M}"
        return context.words.say("Quiet hours here until {clock}. See you then!", clock=clock)
    free = preferences.full_until(chosen, await opened_lately(context, chosen), context.now)
    if free is None:
        return None
    wait = max(1, round((free - context.now) / 60))
    return context.words.count(
        "That was plenty for one hour. The next hand in {n} minute.",
        "That was plenty for one hour. The next hand in {n} minutes.",
        wait,
    )


async def opened_lately(context: Context, chosen: Preferences) -> list[float]:
    """When the hands of the last hour were dealt, where their number is limited.

    Those that a race under way will still deal count as dealt now.
    """
    most = chosen.rounds_an_hour
    if most is None:
        return []
    since, chat_id = context.now - HOUR, context.chat.id
    return await context.services.store.read(
        lambda tx: rounds.opened_since(tx, chat_id, since, most) + [context.now] * races.to_come(tx, chat_id)
    )


async def deal(context: Context, game: Game[Any], options: Options) -> Puzzle:
    """A puzzle that is no hand of the day, as long as there is another.

    Raises SolvingError when it can't be had in time, DealError if there is none.
    """
    services = context.services
    for _ in range(DRAWS):
        puzzle: Puzzle = await game.deal(services.solving, context.chat.settings, options, services.seed())
        if not await _is_daily(context, puzzle):
            break
    foresee(context, game, puzzle)
    return puzzle


def foresee(context: Context, game: Game[Any], puzzle: Puzzle) -> None:
    """Have the picture of a puzzle drawn while the rest is done, where the chat sees such."""
    table = game.table(puzzle)
    if table and preferences.of(context.chat).pictures is not Pictures.OFF:
        context.services.foresee(context.chat.id, table, context.words.language)


async def _is_daily(context: Context, puzzle: Puzzle) -> bool:
    numbers = numbers_of(puzzle.line)
    return await context.services.store.read(lambda tx: daily.is_secret(tx, None, numbers, context.now))


def new_round(context: Context, game: Game[Any], puzzle: Puzzle, options: Options, limit: float) -> Round:
    """A round with that puzzle, dealt by those options where they were asked for, for `limit` seconds."""
    message = context.message
    threaded = message is not None and message.message_thread_id and not (context.topic or context.ephemeral)
    in_thread = message if threaded else None
    return Round(
        id=0,
        chat_id=context.chat.id,
        topic=context.topic,
        kind=options.kind,
        game=game.key,
        puzzle=puzzle,
        options=game.pack_options(options),
        dealer_id=context.player.id if context.player else 0,
        language=context.words.language,
        opened=context.now,
        deadline=context.now + limit,
        asked_id=in_thread.message_id if in_thread else None,
    )


def open_hand(context: Context, tx: Tx, new: Round) -> list[Request]:
    """Put a new round on its table and show it."""
    opened = rounds.open_round(tx, new)
    if opened is None:
        return already(context, tx)
    people.regain_budget(tx, context.chat.id)
    return [messages.show(opened, new=opened.message_id is None), *context.answer()]


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
    if context.chat.private or context.ephemeral or not quiet or people.spend_budget(tx, context.chat.id):
        return [context.say(text, reply_to=reply_to or context.message.message_id)]
    return react(context, SEEN, reply(context, text))


def refusing(context: Context, text: Html) -> Effect:
    """The effect of `aside`."""
    return lambda tx: aside(context, tx, text)


def react(context: Context, emoji: str, instead: Request | None = None) -> list[Request]:
    """React to the message, or send `instead` where the chat forbids that reaction.

    There is no reaction to an ephemeral message, and to a tap it is a mark on its page.
    """
    if context.board and context.player is not None:
        return [messages.mark(context.player.id, emoji)]
    sent = None if context.ephemeral else context.message
    if sent is None:
        return []
    if reactions.is_forbidden(context.chat, emoji):
        return [instead] if instead else []
    return [messages.react(context.chat.id, sent.message_id, emoji, instead)]


def reply(context: Context, text: Html) -> Request:
    """Say it to the message, also in private."""
    return context.say(text, reply_to=context.message.message_id if context.message else None)


def out_of_date(context: Context) -> Effect:
    """When a button was pressed that the bot offers no more, or never did."""
    return saying(*context.answer(context.words.plain("That button is out of date.")))


def out_of_time(context: Context, tx: Tx) -> list[Request]:
    """When a hand's time is over, and answers that were sent in time may still be on their way."""
    text = context.words.say("Time’s up! I only wait for answers that were sent in time.")
    return aside(context, tx, text, quiet=True)


def nothing_open(context: Context, tx: Tx) -> list[Request]:
    """When there is no hand to do something with."""
    if context.query:
        return context.answer(context.words.plain("That hand is over."))
    return aside(context, tx, context.words.say("No hand is on the table. /play deals one."), quiet=True)


async def pressed_round(context: Context, *, contest: bool = False) -> Round | None:
    """The round that a button's data names, if it belongs to the chat and message where it was pressed.

    `contest` says which kind of round has such buttons: contests, or those that are on a table.

    Callback data is public: whoever makes it up or presses an old one gets None.
    """
    number = context.pressed.partition(":")[2]
    above = context.query.message.message_id if context.query and context.query.message else 0
    if not (above or context.board) or not re.fullmatch(r"[1-9][0-9]{0,17}", number):
        return None

    def look(tx: Tx) -> Round | None:
        found = rounds.by_id(tx, int(number))
        if found is None or found.chat_id != context.chat.id or (found.kind is Kind.CONTEST) is not contest:
            return None
        unrecorded = found.message_id is None and context.offered
        shown = unrecorded or context.board or rounds.was_shown_in(tx, found, above)
        return found if shown else None

    return await context.services.store.read(look)


def sorry(context: Context) -> Effect:
    """When the solver could not help in time."""
    text = context.words.say("Sorry, that took too long. Please try again.")
    return saying(context.say(text), *context.answer())


def _work(game: Game[Any]) -> Sorting:
    """A deal; a wish where other words stand behind it than those with which a puzzle is found at once."""
    return lambda words: Work.DEAL if set(game.usual()).issuperset(map(folded, words)) else Work.WISH


# The games that are dealt on the table.
TABLED = [game for game in GAMES.values() if game.kind is not Kind.CONTEST]

ROUTES = Routes(
    commands=[
        *(Command(game.command, dealing(game), _work(game), game.menu) for game in TABLED),
        *(Command(name, dealing(game), _work(game)) for game in TABLED for name in game.aliases),
    ],
    buttons=[Button("n", next_pressed, Work.DEALING), Button("e", easier_pressed, Work.DEALING)],
    doors={"play": play},
)
