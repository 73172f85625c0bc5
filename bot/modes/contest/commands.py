"""The command that deals a contest, the button that gives a card, and those on the card."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.modes.contest import own, view
from bot.modes.contest import queries as contests
from bot.modes.contest.endings import end, redraw
from bot.modes.contest.game import ContestGame, GivenError
from bot.modes.contest.rules import LIFE, Sheet, is_done
from bot.players import queries as people
from bot.queue.intake import Work
from bot.rounds import queries as rounds
from bot.rounds.commands import aside, new_round, out_of_date, pressed_round, refusing, reply, shut, sorry
from bot.rounds.known import CONTESTS, dealt_by
from bot.rounds.puzzle import DealError, Options, Puzzle
from bot.rounds.rules import Round, State
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Handler, is_present, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Button, Command, Routes
from bot.workers.pool import SolvingError

FAR = 20  # Messages below a contest's own after which it is posted anew, so that nobody scrolls for it
PRESSED = re.compile(rf"{view.PUT}:([1-9][0-9]{{0,17}}):([0-9]{{1,3}}):([0-9]{{1,2}})", re.ASCII)

Contest = ContestGame[Any, Any]


def dealing(game: Contest) -> Handler:
    """The command: solve what is given with it, else deal a contest, unless one runs here."""

    async def handler(context: Context) -> Effect:
        if (other := dealt_by(context.words, context.argument, game)) is not None:
            return refusing(context, other)
        above = context.message.reply_to_message if context.message else None
        try:
            given = game.given(context.argument, (above and (above.text or above.caption)) or "")
        except GivenError as error:
            return refusing(context, error.why(context.words))
        return await _deal(context, game) if given is None else await _solved(context, game, given)

    return handler


# What people know, solved


async def _solved(context: Context, game: Contest, given: Any) -> Effect:
    """The best of what was given, unless a contest runs somewhere that this would give away."""
    running = await context.services.store.read(lambda tx: _given_away(tx, game, given))
    if running:
        line = context.words.say("Those are being played just now: no peeking before that game is over!")
        return refusing(context, line)
    try:
        best = await game.best_of(context.services.solving, context.words, given)
    except SolvingError:
        return sorry(context)
    return saying(reply(context, best))


def _given_away(tx: Tx, game: Contest, given: Any) -> bool:
    running = contests.running(tx, game.key)
    return any(game.gives_away(each.puzzle, given) for each in running)


# Dealt


async def _deal(context: Context, game: Contest) -> Effect:
    if context.player is None and context.chat.private:
        return saying()
    live = await context.services.store.read(lambda tx: _going_on(context, tx, game))
    if live is not None:
        return lambda tx: _point(context, tx, game)
    if (why := await shut(context, preferences.of(context.chat))) is not None:
        return refusing(context, why)
    services = context.services
    try:
        puzzle = await game.deal(
            services.solving, context.chat.settings, Options(kind=game.kind), services.seed()
        )
    except SolvingError:
        return sorry(context)
    except DealError as error:
        return refusing(context, error.why(context.words))
    return lambda tx: _begin(context, tx, game, puzzle)


def _running(context: Context, tx: Tx, game: Contest) -> Round | None:
    return contests.running_here(tx, context.chat.id, context.topic, game.key)


def _going_on(context: Context, tx: Tx, game: Contest) -> Round | None:
    """The contest that runs here, unless all who began have finished: another one may follow that."""
    live = _running(context, tx, game)
    over = live is not None and is_done([contests.standing(live, s) for s in contests.sheets(tx, live)])
    return None if over else live


def _begin(context: Context, tx: Tx, game: Contest, puzzle: Puzzle) -> list[Request]:
    if _going_on(context, tx, game) is not None:
        return _point(context, tx, game)
    before = _running(context, tx, game)
    ended = end(tx, before, context.now) if before else []
    new = replace(new_round(context, game, puzzle, Options(kind=game.kind), LIFE), state=State.RUNNING)
    opened = rounds.open_round(tx, new)
    if opened is None:
        return ended
    people.regain_budget(tx, context.chat.id)
    if not context.chat.private or context.player is None:
        return [*ended, messages.show(opened, new=True), *context.answer()]
    own.begin(tx, opened, _blank(context, game, context.player.id))
    return [*ended, own.show(opened, context.player.id), *context.answer()]


def _blank(context: Context, game: Contest, player_id: int) -> Sheet:
    return Sheet(player_id, game.blank(), context.now, context.words.language)


def _point(context: Context, tx: Tx, game: Contest) -> list[Request]:
    """Point to the contest that runs: by a reply to its message, or by that message anew if it is far up."""
    live, message = _running(context, tx, game), context.message
    if live is None or message is None:
        return context.answer()
    if context.chat.private and context.player is not None:
        card = own.begin(tx, live, _blank(context, game, context.player.id))
        return own.show_below(tx, live, card, context.now, recent=0.0)
    shown = live.message_id
    if shown is None:
        return [messages.show(live, new=True)]
    if message.message_id - shown <= FAR:
        return aside(context, tx, view.still_on(context.words), reply_to=shown)
    pointer = messages.edit(live.chat_id, shown, view.goes_on_below(context.words))
    return [pointer, messages.show(contests.move_message(tx, live), new=True)]


# Somebody takes a card


async def play_pressed(context: Context) -> Effect:
    """The button under a contest: a card for whoever pressed it, or theirs again."""
    pressed = await pressed_round(context, contest=True)
    if pressed is None or context.player is None or not context.offered:
        return out_of_date(context)
    player, url = context.player, view.link(str(context.services.me.username), pressed)
    if not context.chat.private and not await context.is_member(pressed.chat_id, player.id):
        return saying(*context.answer(context.words.plain("Only members of this group can play here.")))

    def effect(tx: Tx) -> list[Request]:
        if context.board:
            return _card(context, tx, pressed.id)
        if not own.reaches(tx, player.id):
            return context.answer(url=url)
        waits = context.words.plain("Your card is waiting for you in private.")
        return [*_card(context, tx, pressed.id), *context.answer(waits, url=url)]

    return effect


async def entered(context: Context) -> Effect:
    """A link led here, from a contest's button: the card, for whoever is in its group."""
    number, player = context.argument, context.player
    if player is None or not context.chat.private or not re.fullmatch(r"[1-9][0-9]{0,17}", number, re.ASCII):
        return refusing(context, context.words.say("That link leads nowhere any more."))
    chat_id = await context.services.store.read(lambda tx: _group(tx, int(number)))
    if chat_id is None or not (chat_id == player.id or await context.is_member(chat_id, player.id)):
        return refusing(context, context.words.say("That link leads nowhere any more."))
    return lambda tx: _card(context, tx, int(number))


def _group(tx: Tx, number: int) -> int | None:
    """The chat of that contest."""
    found = rounds.by_id(tx, number)
    return found.chat_id if found and found.game in CONTESTS else None


def _card(context: Context, tx: Tx, number: int) -> list[Request]:
    """Show somebody their card; a new one if they have none, as long as the contest runs."""
    round, player = rounds.by_id(tx, number), context.player
    if round is None or player is None:
        return []
    if round.state is not State.RUNNING:
        over = context.words.say("That game is over.")
        return [] if context.query else aside(context, tx, over)
    before = contests.sheet(tx, round, player.id)
    card = own.begin(tx, round, _blank(context, CONTESTS[round.game], player.id))
    shown = own.show_below(tx, round, card, context.now)
    return [*shown, *([] if before else redraw(tx, round, context.now))]


# Somebody plays a turn


async def put_pressed(context: Context) -> Effect:
    """A button on somebody's card: play the turn so. Anything but their own present turn changes nothing."""
    named = PRESSED.fullmatch(context.pressed)
    player, message = context.player, context.message
    if named is None or player is None or message is None or not context.offered:
        return out_of_date(context)
    if context.chat.id != own.place(player.id):
        return out_of_date(context)
    number, turn, choice = (int(part) for part in named.groups())
    if await _has_left(context, number, turn, player.id):
        return lambda tx: _refused(context, tx, number)
    return lambda tx: _put(context, tx, number, turn, choice)


async def _has_left(context: Context, number: int, turn: int, player_id: int) -> bool:
    """Whether a card is not to be finished: this is its last turn, and its player is in its group no more."""
    group = await context.services.store.read(lambda tx: _group(tx, number))
    if group is None or group > 0 or not any(turn == game.turns - 1 for game in CONTESTS.values()):
        return False
    member = await context.member(group, player_id)
    return member is not None and not is_present(member)


def _refused(context: Context, tx: Tx, number: int) -> list[Request]:
    """The card is not waited for any more, until its player is back."""
    told = context.answer(context.words.plain("Only members of this group can play here."))
    round, player = rounds.by_id(tx, number), context.player
    card = contests.sheet(tx, round, player.id) if round and player else None
    if round is None or card is None or round.state is not State.RUNNING or card.left:
        return told
    if CONTESTS[round.game].done(card.card) != CONTESTS[round.game].turns - 1:
        return told
    contests.keep(tx, round, replace(card, left=True, at=context.now))
    contests.settle(tx, round)
    return [*redraw(tx, round, context.now), *told]


def _put(context: Context, tx: Tx, number: int, turn: int, choice: int) -> list[Request]:
    round, player = rounds.by_id(tx, number), context.player
    card = contests.sheet(tx, round, player.id) if round and player and round.game in CONTESTS else None
    if round is None or card is None:
        return out_of_date(context)(tx)
    card, strays = _seen(context, card)
    if round.state is not State.RUNNING:
        over = context.words.plain("That game is over.")
        return [*strays, own.show(round, card.player_id), *context.answer(over)]
    after = CONTESTS[round.game].play(card.card, turn, choice)
    if after is None:
        contests.keep(tx, round, card)
        done = context.words.plain("That is done already: here is your card as it stands.")
        return [*strays, own.show(round, card.player_id), *context.answer(done)]
    played = replace(card, card=after, at=context.now, language=context.words.language, left=False)
    contests.keep(tx, round, played)
    return [*strays, *_played(context, tx, round, played)]


def _seen(context: Context, card: Sheet) -> tuple[Sheet, list[Request]]:
    """The card with the message that shows it, and what is done to another copy that was pressed."""
    pressed = context.message.message_id if context.message and not context.board else None
    if pressed is None or pressed == card.message_id:
        return card, []
    if card.message_id is None:
        return replace(card, message_id=pressed, shown=context.now), []
    return card, [own.moved(card, pressed)]


def _played(context: Context, tx: Tx, round: Round, card: Sheet) -> list[Request]:
    """What follows a turn: the next one, or the end of the card, which may end it all."""
    game = CONTESTS[round.game]
    told = context.answer(game.played(context.words, round.puzzle, card.card))
    shown = [own.show(round, card.player_id), *told]
    if game.done(card.card) < game.turns:
        return shown
    contests.settle(tx, round)
    if round.chat_id > 0:
        return [*shown, *end(tx, round, context.now)]
    return [*shown, *redraw(tx, round, context.now)]


def _work(words: Sequence[str]) -> Work:
    """A deal, or a search for the best of what stands behind the command."""
    return Work.SEARCH if words else Work.DEAL


ROUTES = Routes(
    commands=[
        *(Command(game.command, dealing(game), _work, game.menu) for game in CONTESTS.values()),
        *(Command(name, dealing(game), _work) for game in CONTESTS.values() for name in game.aliases),
    ],
    buttons=[Button(view.PLAY, play_pressed), Button(view.PUT, put_pressed)],
    doors={view.DOOR: entered},
)
