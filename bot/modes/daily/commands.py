"""/daily: the hand of the day, opened in private, and followed by groups."""

from collections.abc import Mapping
from typing import Any

from bot.admin.settings import hours
from bot.admin.settings import rules as preferences
from bot.admin.settings.photos import pictured
from bot.admin.settings.rules import Pictures
from bot.database import Tx
from bot.i18n import Html, plain, words
from bot.modes.daily import pictures, rules, seats, tables
from bot.modes.daily import queries as days
from bot.modes.daily import view as words_of
from bot.queue.intake import Work
from bot.queue.timers import hourly
from bot.rounds import secrecy
from bot.rounds.commands import out_of_date, refusing, sorry
from bot.rounds.game import Game
from bot.rounds.known import DAILY, GAMES, USUAL, called
from bot.rounds.puzzle import DealError, Options, numbers_of
from bot.standings.achievements import queries as achievements
from bot.standings.ratings import played as ratings
from bot.telegram.captions import SOME, Seen
from bot.telegram.context import Context, Effect, Handler
from bot.telegram.messages import Keyboard, Request, edit
from bot.telegram.routes import Button, Command, Delivered, Routes
from bot.workers.pool import SolvingError

HAND, AGAIN = "hand", "again"  # Kinds of receipts
HAND_SEEN, RESULT_SEEN = "daily hand", "daily result"  # Kinds of pictures


async def daily(context: Context) -> Effect:
    """In private: today's hand. In a group: its table of the day, and the way to the hand.

    Behind the command a game may be named.
    """
    meant = _meant(context.argument)
    if meant is None:
        return refusing(context, words_of.usage(context.words, context.argument))
    return await _daily(context, meant)


async def todays(context: Context) -> Effect:
    """Today's hand in the usual game, whatever was pressed."""
    return await _daily(context, "")


async def _daily(context: Context, game: str) -> Effect:
    if context.chat.private:
        return await _open(context, game, None)
    return lambda tx: tables.invite(context, tx, game)


def _meant(text: str) -> str | None:
    """What names the hands of the game that was asked for; None where it has none, or is none."""
    game = called(text.strip()) if text.strip() else USUAL
    return next((name for name, one in DAILY.items() if one is game), None)


async def _entered(context: Context, game: str) -> Effect:
    """A link led here: today's hand, and a seat in the table of the group that the link is from."""
    if not context.chat.private:
        return await _daily(context, game)
    return await _open(context, game, await tables.group_of(context))


def _door(game: str) -> Handler:
    return lambda context: _entered(context, game)


async def another(context: Context) -> Effect:
    """The button under a result: today's hand of another game."""
    game = context.pressed.partition(":")[2]
    if game not in DAILY or not context.chat.private or not context.offered:
        return out_of_date(context)
    return await _open(context, game, None)


def leaving(tx: Tx, about: str, now: float) -> bool:
    """A hand is about to be sent; whether for the first time."""
    _, day, player_id = about.split(":")
    return days.leaving(tx, day, int(player_id), now)


def shown(tx: Tx, hand: Delivered) -> None:
    """A hand that left for the first time has arrived, or came to nothing."""
    _, day, player_id = hand.about.split(":")
    days.shown(tx, day, int(player_id), hand.at if hand.result else None)
    if hand.result:
        _placed(tx, hand, day, int(player_id))


def _placed(tx: Tx, hand: Delivered, day: str, player_id: int) -> None:
    days.placed(tx, day, player_id, int(hand.result["message_id"]), hand.result.get("content", ""))


def shown_again(tx: Tx, hand: Delivered) -> None:
    """A hand has arrived that its player had been shown before, or so it seemed."""
    _, day, player_id = hand.about.split(":")
    attempt = days.attempt(tx, day, int(player_id))
    if attempt is not None and attempt.shown is None:
        days.shown(tx, day, int(player_id), hand.at)
    _placed(tx, hand, day, int(player_id))


async def _open(context: Context, game: str, group: int | None) -> Effect:
    """Show today's hand; the player's time runs from when it first arrives. A press is answered."""
    day = rules.named(rules.day_of(context.now), game)
    known = await context.services.store.read(lambda tx: days.hand(tx, day))
    try:
        dealt = known or await _deal(context, day, DAILY[game])
    except (SolvingError, DealError):
        return sorry(context)

    def effect(tx: Tx) -> list[Request]:
        if context.player is None:
            return []
        hand = days.keep_hand(tx, dealt)
        attempt = days.begin(tx, day, context.player.id, context.now)
        if group is not None:
            seats.take_seat(tx, day, group, context.player.id)
        shown = [standing(context, tx, hand, attempt), *context.answer()]
        return [*shown, *tables.follow(context, tx, attempt)]

    return effect


async def _deal(context: Context, day: str, game: Game[Any]) -> rules.Daily:
    seed = rules.seed_of(day, await context.services.store.write(days.key))
    options = game.of_the_day(rules.level_of(day)) or Options()
    return rules.Daily(day, game.key, await game.deal(context.services.solving, {}, options, seed))


def standing(context: Context, tx: Tx, hand: rules.Daily, attempt: rules.Attempt) -> Request:
    """The hand, or what became of it."""
    if attempt.state is rules.Progress.OPEN and attempt.offline:
        return context.say(words_of.offline(context.words, hand, attempt))
    if attempt.state is rules.Progress.OPEN:
        before = drawn(context, hand, attempt)
        first = attempt.shown is None
        about = f"{HAND if first else AGAIN}:{hand.day}:{attempt.player_id}"
        request = context.say(before[0], keyboard=before[1], about=about, timed=first)
        return pictured(context, request, HAND_SEEN, least=Pictures.CARDS, day=hand.day)
    if attempt.state is rules.Progress.GIVEN_UP and (refused := _show_solution(context, tx, hand)):
        return refused[0]
    text, keyboard = result(
        context, tx, hand, attempt, remind=hours.reminder(preferences.of(context.chat)) is None
    )
    request = context.say(text, keyboard=keyboard)
    if attempt.state is rules.Progress.GIVEN_UP:
        return request
    return pictured(context, request, RESULT_SEEN, day=hand.day, player=attempt.player_id)


def hand_seen(tx: Tx, asked: Mapping[str, Any], _: float) -> Seen | None:
    """The picture of a hand of a day; None where its game has none."""
    hand = days.hand(tx, asked["day"])
    table = GAMES[hand.game].table(hand.puzzle) if hand else None
    return Seen(table) if table else None


def result_seen(tx: Tx, asked: Mapping[str, Any], _: float) -> Seen | None:
    """The picture of a result, and how often it went wrong before."""
    hand, attempt = days.hand(tx, asked["day"]), days.attempt(tx, asked["day"], asked["player"])
    if hand is None or attempt is None or attempt.state is not rules.Progress.SOLVED:
        return None
    speech, row = words(asked["language"]), days.streak(tx, attempt.player_id, attempt.day)
    return Seen(pictures.of(speech, hand, attempt, row), [words_of.wrong(speech, attempt)])


def photo(context: Context, attempt: rules.Attempt, message_id: int) -> str:
    """What names the picture in a message that shows somebody's hand; empty for a text."""
    seen = next((m for m in (context.message, context.replied) if m and m.message_id == message_id), None)
    if seen is not None:
        return SOME if seen.photo else ""
    return attempt.photo if message_id == attempt.message_id else ""


def result(
    context: Context, tx: Tx, hand: rules.Daily, attempt: rules.Attempt, *, remind: bool
) -> tuple[Html, Keyboard | None]:
    """What became of an attempt, with what that earned; `remind` offers a reminder of the next ones."""
    row = days.streak(tx, attempt.player_id, attempt.day)
    honours = achievements.told_on(tx, attempt.day, attempt.player_id)
    username = str(context.services.me.username)
    veiled = preferences.of(context.chat).pictures is Pictures.ALL
    return words_of.over(context.words, hand, attempt, row, username, honours, remind=remind, veiled=veiled)


def drawn(context: Context, hand: rules.Daily, attempt: rules.Attempt) -> tuple[Html, Keyboard]:
    """The hand as its player has it before them."""
    return words_of.hand(context.words, hand, attempt, hints=preferences.of(context.chat).hints)


def _show_solution(context: Context, tx: Tx, hand: rules.Daily) -> list[Request]:
    """Refuse the solution of a hand that is also open in a chat where the person plays; else remember it."""
    numbers = numbers_of(hand.line)
    refused = secrecy.refuse_open_hand(context, tx, numbers)
    if refused is None and context.player is not None:
        secrecy.remember(tx, context.player.id, numbers, context.now)
    return refused or []


async def given_up(context: Context) -> Effect:
    """The button under one's own hand: see how it is done."""
    day = context.pressed.partition(":")[2]
    late = out_of_date(context)
    player, message = context.player, context.message
    if player is None or message is None or not context.chat.private or not context.offered:
        return late

    def effect(tx: Tx) -> list[Request]:
        hand, attempt = days.hand(tx, day), days.attempt(tx, day, player.id)
        if hand is None or attempt is None or attempt.state is not rules.Progress.OPEN:
            return late(tx)
        if attempt.offline:
            text = words_of.offline(context.words, hand, attempt)
            told = plain(words_of.too_late(context.words, attempt))
            return [_in_place(context, message.message_id, text), *context.answer(told)]
        if refused := _show_solution(context, tx, hand):
            return refused
        after = rules.given_up(attempt, context.now)
        if days.keep(tx, after):
            ratings.attempt_over(tx, hand, after)
        text, keyboard = words_of.over(context.words, hand, after, 0, str(context.services.me.username))
        ended = _in_place(context, message.message_id, text, keyboard)
        return [ended, *context.answer(), *tables.follow(context, tx, after)]

    return effect


def _in_place(context: Context, message_id: int, text: Html, keyboard: Keyboard | None = None) -> Request:
    """What takes the place of a hand in its message, with no picture of it any more."""
    return pictured(context, edit(context.chat.id, message_id, text, keyboard), "")


ROUTES = Routes(
    commands=[
        Command(
            "daily",
            daily,
            Work.QUESTION,
            lambda speech: speech.plain("the hand of the day"),
        )
    ],
    buttons=[Button("dg", given_up), Button("do", another, Work.DEALING)],
    doors={words_of.door(game): _door(game) for game in DAILY},
    receipts={HAND: shown, AGAIN: shown_again},
    looks={HAND_SEEN: hand_seen, RESULT_SEEN: result_seen},
    leaving={HAND: leaving},
    timed=[
        hourly("hands of the day long ago", days.sweep),
        hourly("tables of the day long ago", seats.sweep),
    ],
)
