"""/daily: the hand of the day, opened and answered in private, and followed by groups.

A group's button leads to the private chat with a payload that names the group. The payload is signed, so
that nobody can make one up, and whoever comes with it is listed only as a member of that group.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from hashlib import sha256

from telegram.constants import ChatMemberStatus
from telegram.error import TelegramError

from bot.database import Tx
from bot.delivery.intake import Work
from bot.delivery.queries import MINUTE
from bot.delivery.timers import TimedWork, hourly
from bot.games.daily import queries as store
from bot.games.daily import rules
from bot.games.daily import view as words_of
from bot.games.known import GAMES, USUAL, looks_like_answer
from bot.games.puzzle import DealError, Fit, Options, Query
from bot.games.rounds import queries as rounds
from bot.games.rounds import reveals, secrets
from bot.games.rounds.commands import out_of_date, react, reply, sorry
from bot.i18n import Html, mention, words
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Keyboard, Request, edit
from bot.telegram.routes import Button, Command, Delivered, Lost, Routes
from bot.workers.pool import SolvingError

SOLVED, WRONG = "🏆", "👎"
TABLE, HAND = "daily", "hand"
"""Kinds of receipts."""
MEMBERS = {
    ChatMemberStatus.OWNER,
    ChatMemberStatus.ADMINISTRATOR,
    ChatMemberStatus.MEMBER,
    ChatMemberStatus.RESTRICTED,
}


async def daily(context: Context) -> Effect:
    """In private: today's hand. In a group: its table of the day, and the way to the hand."""
    if context.chat.private:
        return await _open(context, None)
    return lambda tx: _invite(context, tx)


async def entered(context: Context) -> Effect:
    """A link led here: today's hand, and a seat in the table of the group that the link is from."""
    if not context.chat.private:
        return await daily(context)
    group = _group_of(context)
    return await _open(context, group if group and await _is_member(context, group) else None)


def _invite(context: Context, tx: Tx) -> list[Request]:
    day = rules.day_of(context.now)
    text, keyboard = _table(context, tx, store.Followed(day, context.chat.id, 0, context.words.language))
    about = f"{TABLE}:{day}:{context.chat.id}:{context.words.language}"
    return [context.say(text, keyboard=keyboard, about=about)]


def followed(tx: Tx, table: Delivered) -> None:
    """A group's table was posted: results change it from now on."""
    _, day, chat_id, language = table.about.split(":")
    store.follow(tx, store.Followed(day, int(chat_id), int(table.result["message_id"]), language))


def leaving(tx: Tx, about: str, now: float) -> bool:
    """A hand is about to be sent; whether for the first time."""
    _, day, player_id = about.split(":")
    return store.leaving(tx, day, int(player_id), now)


def shown(tx: Tx, hand: Delivered) -> None:
    """A hand that left for the first time has arrived, or came to nothing."""
    _, day, player_id = hand.about.split(":")
    store.shown(tx, day, int(player_id), hand.at if hand.result else None)


def lost(tx: Tx, message: Lost) -> bool:
    """A group's table, if it is one, was deleted: nothing is written into it any more."""
    if not message.about:
        store.unfollow(tx, message.chat_id, message.message_id)
    return False


def _table(context: Context, tx: Tx, shown: store.Followed) -> tuple[Html, Keyboard]:
    said, text = words(shown.language), _drawn(tx, shown, context.now)
    address = words_of.link(str(context.services.me.username), f"daily_{_payload(context, shown.chat_id)}")
    return text, [[(said.plain("Solve today’s hand"), address)]]


def _drawn(tx: Tx, shown: store.Followed, now: float) -> Html:
    """The text of a group's table as it stands at `now`."""
    attempts = store.seated(tx, shown.day, shown.chat_id)
    ids = [a.player_id for a in attempts]
    streaks = {i: rules.streak(store.solved_days(tx, i), shown.day) for i in ids}
    names = {i: mention(i) for i in ids}
    return words_of.table(words(shown.language), shown.day, attempts, names, streaks, now)


def ended(tx: Tx, now: float) -> list[Request]:
    """Draw a last time the tables that wait for somebody, of the days whose hand nobody can solve any more.

    Today's hand has a table of its own by then, and a button.
    """
    waiting = store.ended(tx, now)
    return [edit(t.chat_id, t.message_id, _drawn(tx, t, now)) for t in waiting]


async def _open(context: Context, group: int | None) -> Effect:
    """Show today's hand; the player's time runs from when it first arrives."""
    day = rules.day_of(context.now)
    known = await context.services.store.read(lambda tx: store.hand(tx, day))
    try:
        dealt = known or await _deal(context, day)
    except (SolvingError, DealError):
        return sorry(context)

    def effect(tx: Tx) -> list[Request]:
        if context.player is None:
            return []
        hand = store.keep_hand(tx, dealt)
        attempt = store.begin(tx, day, context.player.id, context.now)
        if group is not None:
            store.take_seat(tx, day, group, context.player.id)
        return [_shown(context, tx, hand, attempt), *_follow(context, tx, attempt)]

    return effect


async def _deal(context: Context, day: str) -> rules.Daily:
    seed = rules.seed_of(day, await context.services.store.write(store.key))
    options = Options(rules.level_of(day))
    return rules.Daily(day, USUAL.key, await USUAL.deal(context.services.solving, {}, options, seed))


def _shown(context: Context, tx: Tx, hand: rules.Daily, attempt: rules.Attempt) -> Request:
    """The hand, or what became of it."""
    if attempt.state is rules.Progress.OPEN:
        text, keyboard = words_of.hand(context.words, hand, attempt)
        about = f"{HAND}:{hand.day}:{attempt.player_id}"
        return context.say(text, keyboard=keyboard, about=about, timed=True)
    if attempt.state is rules.Progress.GIVEN_UP and (refused := _sealed(context, tx, hand)):
        return refused[0]
    row = rules.streak(store.solved_days(tx, attempt.player_id), attempt.day)
    result = words_of.over(context.words, hand, attempt, row, str(context.services.me.username))
    return context.say(result[0], keyboard=result[1])


def _sealed(context: Context, tx: Tx, hand: rules.Daily) -> list[Request]:
    """Why the hand's solutions are not shown, where it is on a table as well; else it is remembered."""
    asked = [Query(hand.line)]
    if (spoiled := secrets.spoils_round(context, tx, asked)) is not None:
        return secrets.refused(context, spoiled)
    reveals.remember(tx, secrets.readers(context), asked, context.now)
    return []


def _follow(context: Context, tx: Tx, attempt: rules.Attempt) -> list[Request]:
    """Redraw the tables that list the player."""
    tables = store.followers(tx, attempt.day, attempt.player_id)
    return [edit(t.chat_id, t.message_id, *_table(context, tx, t)) for t in tables]


def answered(context: Context, tx: Tx) -> list[Request] | None:
    """The verdict on a private message as an answer to a daily hand; None if it is meant for a round.

    A reply to a hand is meant for that one. Else a round in the same chat comes first, and then the latest
    hand.
    """
    if not (context.chat.private and context.player and context.message) or not _may_answer(context.argument):
        return None
    store.come_back(tx, context.player.id)
    day = _replied_to(context)
    hand = store.hand(tx, day) if day else None
    if hand is not None:
        attempt = store.attempt(tx, hand.day, context.player.id)
        if attempt is None or not rules.is_open(attempt, context.now):
            return [reply(context, words_of.too_late(context.words, attempt))]
        return _judged(context, tx, hand, attempt)
    before = store.open_attempt(tx, context.player.id, context.now)
    if before is None or rounds.live_in_chat(tx, context.chat.id):
        return None
    return _judged(context, tx, *before)


def _may_answer(text: str) -> bool:
    """Talk has no digit, and more letters than the cards'."""
    return any(map(str.isdigit, text)) or looks_like_answer(text)


def _replied_to(context: Context) -> str | None:
    """The day of the hand to whose message this is a reply."""
    replied = context.message.reply_to_message if context.message else None
    if replied is None or replied.from_user is None or replied.from_user.id != context.services.me.id:
        return None
    return words_of.told_of(replied.text or "")


def _judged(context: Context, tx: Tx, hand: rules.Daily, attempt: rules.Attempt) -> list[Request]:
    verdict = GAMES[hand.game].check(hand.puzzle, context.argument)
    if verdict.fit is Fit.RIGHT:
        return _solved(context, tx, hand, rules.solved(attempt, verdict.answer, context.now))
    if verdict.fit is not Fit.UNREADABLE:
        store.keep(tx, rules.went_wrong(attempt, context.now))
    reason = verdict.why(context.words) if verdict.why else Html("")
    return [*react(context, WRONG), reply(context, reason)]


def _solved(context: Context, tx: Tx, hand: rules.Daily, attempt: rules.Attempt) -> list[Request]:
    if not store.keep(tx, attempt):
        return []
    return [*react(context, SOLVED), _shown(context, tx, hand, attempt), *_follow(context, tx, attempt)]


async def given_up(context: Context) -> Effect:
    """The button under one's own hand: see how it is done."""
    day = context.pressed.partition(":")[2]
    late = out_of_date(context)
    player, message = context.player, context.message
    if player is None or message is None or not context.chat.private or not context.offered:
        return late

    def effect(tx: Tx) -> list[Request]:
        hand, attempt = store.hand(tx, day), store.attempt(tx, day, player.id)
        if hand is None or attempt is None or attempt.state is not rules.Progress.OPEN:
            return late(tx)
        if refused := _sealed(context, tx, hand):
            return refused
        after = rules.given_up(attempt, context.now)
        store.keep(tx, after)
        text, keyboard = words_of.over(context.words, hand, after, 0, str(context.services.me.username))
        ended = edit(context.chat.id, message.message_id, text, keyboard)
        return [ended, *context.answer(), *_follow(context, tx, after)]

    return effect


def _payload(context: Context, chat_id: int) -> str:
    """What names a group in a link: its id with a signature."""
    number = chat_id.to_bytes(8, "big", signed=True)
    return urlsafe_b64encode(number + _signature(context, number)).decode().rstrip("=")


def _group_of(context: Context) -> int | None:
    """The group that the link's payload names; None for none and for one that was made up."""
    try:
        raw = urlsafe_b64decode(context.argument + "=" * (-len(context.argument) % 4))
    except (NotBase64, ValueError):
        return None
    number, signature = raw[:8], raw[8:]
    if not hmac.compare_digest(signature, _signature(context, number)):
        return None
    return int.from_bytes(number, "big", signed=True)


def _signature(context: Context, number: bytes) -> bytes:
    key = f"daily {context.services.settings.token or context.services.me.id}".encode()
    return hmac.digest(key, number, sha256)[:10]


async def _is_member(context: Context, group: int) -> bool:
    if context.player is None:
        return False
    try:
        member = await context.services.bot.get_chat_member(group, context.player.id)
    except TelegramError:
        return False
    return member.status in MEMBERS


ROUTES = Routes(
    commands=[
        Command(
            "daily",
            daily,
            Work.QUESTION,
            lambda said: said.plain("the hand of the day, the same for everybody who plays with this bot"),
        )
    ],
    buttons=[Button("dg", given_up)],
    doors={"daily": entered},
    receipts={TABLE: followed, HAND: shown},
    leaving={HAND: leaving},
    losing=[lost],
    timed=[
        TimedWork("tables of the day", MINUTE, lambda running, now: running.act(lambda tx: ended(tx, now))),
        hourly("hands of the day long ago", store.sweep),
    ],
)
