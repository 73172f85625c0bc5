"""/solve and inline mode: what solves a hand, a hand to post in any chat."""

import re
from contextlib import suppress
from dataclasses import replace

import solver
from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.games.twentyfour import dealing, view
from bot.games.twentyfour.asked import LONGEST, Asked, is_playable, offered, read
from bot.games.twentyfour.dealing import in_a_pack
from bot.games.twentyfour.game import TwentyFour
from bot.games.twentyfour.hand import CODE, LARGEST_TARGET, chosen
from bot.games.twentyfour.why.commands import asked_of, show_steps
from bot.games.written import reading, spelling
from bot.games.written.wording import unreadable
from bot.i18n import Html, plain
from bot.queue.intake import Work
from bot.rounds import secrecy
from bot.rounds.answers import is_for_a_hand, other_text
from bot.rounds.commands import hindered, new_round, open_hand, out_of_date, play, refusing, sorry
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Explained, Kind, Options
from bot.telegram.context import Context, Effect, nothing, saying
from bot.telegram.messages import Request, edit
from bot.telegram.routes import Button, Command, Other, Routes, Text
from bot.workers.pool import SolvingError


async def solve(context: Context) -> Effect:
    """List the ideas that solve a hand, unless the asker may not see them."""
    asked = read(context.words, context.argument)
    if isinstance(asked, Asked):
        return await _solutions(context, asked, page=0)
    found = reading.first(context.argument) if len(context.argument) <= LONGEST else None
    if isinstance(found, solver.Expression | solver.Working):
        return show_steps(context, found, view.way_to_why(context.words, found))
    if found is not None and spelling.emoji_amid_signs(context.argument):
        asked = unreadable(context.words, found.reason, found.fragment)
    return saying(context.say(asked))


PAGE = re.compile(r"v:([0-9,]{1,50})=([0-9]{1,7}):([0-9]{1,3})")


async def page_pressed(context: Context) -> Effect:
    """A button under a long list: show another page of it."""
    match = PAGE.fullmatch(context.pressed) if context.offered else None
    asked = read(context.words, f"{match[1]}={match[2]}") if match else None
    if match is None or not isinstance(asked, Asked):
        return out_of_date(context)
    return await _solutions(context, asked, page=int(match[3]))


async def _solutions(context: Context, asked: Asked, page: int) -> Effect:
    try:
        found = await dealing.solutions(context.services.solving, asked.numbers, asked.target)
    except SolvingError:
        return sorry(context)
    text, keyboard = view.solutions(
        context.words, asked.numbers, asked.target, found.ideas, complete=found.complete, page=page
    )
    below = await _as_tiles(context, asked) if page == 0 else None
    if below is not None:
        text = Html(f"{text}\n\n{below.text(context.words)}")
    if context.query and context.message:
        shown = [edit(context.chat.id, context.message.message_id, text, keyboard), *context.answer()]
    else:
        shown = [context.say(text, keyboard=keyboard)]
    return secrecy.show(context, asked.numbers, shown, solved=bool(found.ideas or below))


async def _as_tiles(context: Context, asked: Asked) -> Explained | None:
    """What is told of numbers that are tiles of another game rather than cards."""
    question = None if is_playable(asked) else asked_of(context, str(asked))
    if question is None:
        return None
    with suppress(SolvingError):
        return await question[0].explain(context.services.solving, asked.line)
    return None


async def inline(context: Context) -> Effect:
    """Answer an inline query."""
    query = context.update.inline_query
    if query is None or context.player is None:
        return nothing
    if not context.argument:
        return await _offer_hand(context, query.id)
    asked = read(context.words, context.argument)
    if not isinstance(asked, Asked):
        return saying(_only(context, query.id, context.words.plain("Type a hand: 3 8 3 8 = 24")))
    return await _offer_solutions(context, query.id, asked)


async def _offer_hand(context: Context, query_id: str) -> Effect:
    """A fresh hand, by what the person chose in private."""
    usual, services = chosen(context.chat.settings), context.services
    try:
        hand = await dealing.deal(
            services.solving, services.seed(), usual.cards, usual.highest, usual.target, usual.level
        )
    except (SolvingError, ValueError):
        return saying(_only(context, query_id, context.words.plain("Play with me")))
    offer = view.offered_hand(context.words, hand.numbers, hand.target, services.me.username or "")
    button = (context.words.plain("Play with me"), "play")
    return saying(view.answer_inline(context.chat.id, query_id, [offer], button))


async def _offer_solutions(context: Context, query_id: str, asked: Asked) -> Effect:
    """Offer what solves the hand, unless the person may not see it."""
    try:
        found = await dealing.solutions(context.services.solving, asked.numbers, asked.target)
    except SolvingError:
        return saying(_only(context, query_id, context.words.plain("That took too long.")))
    articles = view.offered_solutions(
        context.words, asked.numbers, asked.target, found.ideas, complete=found.complete
    )
    button = (context.words.plain("Play with me"), "play")

    def effect(tx: Tx) -> list[Request]:
        if secrecy.find_secret(context, tx, asked.numbers):
            refusal = context.words.plain("That hand is live for you: no peeking!")
            return [_only(context, query_id, refusal)]
        if found.ideas:
            secrecy.remember(tx, context.chat.id, asked.numbers, context.now)
        return [view.answer_inline(context.chat.id, query_id, articles, button)]

    return effect


def _only(context: Context, query_id: str, line: str) -> Request:
    """No offers, but a line above them that opens the private chat."""
    return view.answer_inline(context.chat.id, query_id, [], (line, "help"))


async def given(context: Context) -> Effect:
    """`?start=hand_3-8-3-8-24`: deal this hand, in private."""
    if not context.chat.private or not CODE.fullmatch(context.argument):
        return await play(replace(context, argument=""))
    *numbers, target = map(int, context.argument.split("-"))
    if target > LARGEST_TARGET:
        return refusing(context, view.no_such_hand(context.words))
    return await _deal(context, Asked(tuple(numbers), target))


async def _deal(context: Context, asked: Asked) -> Effect:
    if (instead := await hindered(context)) is not None:
        return instead
    try:
        hand = await dealing.of(context.services.solving, asked.numbers, asked.target)
    except SolvingError:
        return sorry(context)
    except ValueError:
        return _unsolved(context, asked)
    limit = preferences.of(context.chat).seconds
    new = new_round(context, GAMES[TwentyFour.key], hand, Options(kind=Kind.CHOSEN), limit)

    def effect(tx: Tx) -> list[Request]:
        secret = secrecy.find_secret(context, tx, asked.numbers)
        return secrecy.refuse(context, secret) if secret else open_hand(context, tx, new)

    return effect


def _unsolved(context: Context, asked: Asked) -> Effect:
    """Why that hand is not dealt; that it has no solution is told where /solve tells it."""
    if not in_a_pack(asked.numbers):
        return refusing(context, view.no_such_hand(context.words))
    text = view.no_way(context.words, asked.numbers, asked.target)
    shown = context.answer(plain(text)) or [context.say(text)]
    return secrecy.show(context, asked.numbers, shown, solved=False)


def is_hand(text: str) -> bool:
    """Whether a text is hardly more than a hand's numbers, perhaps with a target."""
    return offered(text) is not None


async def typed(context: Context) -> Effect:
    """Numbers alone, in private, that answer no hand: offer to show how they are done, or to play them."""
    asked = offered(context.argument)
    if asked is None or await context.services.store.read(lambda tx: is_for_a_hand(context, tx)):
        return await other_text(context)
    text, keyboard = view.choice(context.words, asked.numbers, asked.target, playable=is_playable(asked))
    return saying(context.say(text, keyboard=keyboard))


async def play_pressed(context: Context) -> Effect:
    """The button of such an offer: deal that hand."""
    code = context.pressed.partition(":")[2]
    if not context.offered or not context.chat.private or not CODE.fullmatch(code):
        return out_of_date(context)
    return await given(replace(context, argument=code))


ROUTES = Routes(
    commands=[
        Command(
            "solve", solve, Work.SEARCH, lambda speech: speech.plain("how a hand is done: /solve 3 8 3 8")
        ),
    ],
    buttons=[Button("v", page_pressed, Work.PAGE), Button("y", play_pressed, Work.DEALING)],
    texts=[Text(is_hand, typed)],
    others={Other.INLINE: inline},
    doors={"hand": given},
)
