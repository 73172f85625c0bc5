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

import solver
from bot import daily as rules
from bot import reply
from bot.cover import question
from bot.handlers import solve
from bot.handlers.play import sorry
from bot.intake import looks_like_answer
from bot.reply import Keyboard, Outgoing, edit
from bot.reply import daily as words_of
from bot.reply.verdicts import wrong
from bot.solving import SolvingError
from bot.store import Tx, reveals, rounds
from bot.store import daily as store
from bot.turn import Move, Turn, saying
from bot.words import Html, mention, words

SOLVED, WRONG = "🏆", "👎"
MEMBERS = {
    ChatMemberStatus.OWNER,
    ChatMemberStatus.ADMINISTRATOR,
    ChatMemberStatus.MEMBER,
    ChatMemberStatus.RESTRICTED,
}


async def daily(turn: Turn) -> Move:
    """In private: today's hand. In a group: its table of the day, and the way to the hand."""
    if turn.chat.private:
        return await _open(turn, None)
    return lambda tx: _invite(turn, tx)


async def entered(turn: Turn) -> Move:
    """A link led here: today's hand, and a seat in the table of the group that the link is from."""
    if not turn.chat.private:
        return await daily(turn)
    group = _group_of(turn)
    return await _open(turn, group if group and await _is_member(turn, group) else None)


def _invite(turn: Turn, tx: Tx) -> list[Outgoing]:
    day = rules.day_of(turn.now)
    text, keyboard = _table(turn, tx, store.Followed(day, turn.chat.id, 0, turn.words.language))
    return [turn.say(text, keyboard=keyboard, about=f"daily:{day}:{turn.chat.id}:{turn.words.language}")]


def followed(tx: Tx, about: str, message_id: int) -> None:
    """A group's table was posted: results change it from now on."""
    _, day, chat_id, language = about.split(":")
    store.follow(tx, store.Followed(day, int(chat_id), message_id, language))


def leaving(tx: Tx, about: str, now: float) -> bool:
    """A hand is about to be sent; whether for the first time."""
    _, day, player_id = about.split(":")
    return store.leaving(tx, day, int(player_id), now)


def shown(tx: Tx, about: str, at: float | None) -> None:
    """A hand that left for the first time has arrived at `at`, or (None) came to nothing."""
    _, day, player_id = about.split(":")
    store.shown(tx, day, int(player_id), at)


def unfollowed(tx: Tx, chat_id: int, message_id: int) -> None:
    """A group's table, if it is one, was deleted: nothing is written into it any more."""
    store.unfollow(tx, chat_id, message_id)


def _table(turn: Turn, tx: Tx, shown: store.Followed) -> tuple[Html, Keyboard]:
    said, text = words(shown.language), _drawn(tx, shown, turn.now)
    address = words_of.link(str(turn.services.me.username), f"daily_{_payload(turn, shown.chat_id)}")
    return text, [[(said.plain("Solve today’s hand"), address)]]


def _drawn(tx: Tx, shown: store.Followed, now: float) -> Html:
    """The text of a group's table as it stands at `now`."""
    attempts = store.seated(tx, shown.day, shown.chat_id)
    ids = [a.player_id for a in attempts]
    streaks = {i: rules.streak(store.solved_days(tx, i), shown.day) for i in ids}
    names = {i: mention(i) for i in ids}
    return words_of.table(words(shown.language), shown.day, attempts, names, streaks, now)


def ended(tx: Tx, now: float) -> list[Outgoing]:
    """Draw a last time the tables that wait for somebody, of the days whose hand nobody can solve any more.

    Today's hand has a table of its own by then, and a button.
    """
    waiting = store.ended(tx, now)
    return [edit(t.chat_id, t.message_id, _drawn(tx, t, now)) for t in waiting]


async def _open(turn: Turn, group: int | None) -> Move:
    """Show today's hand; the player's time runs from when it first arrives."""
    day = rules.day_of(turn.now)
    known = await turn.services.store.read(lambda tx: store.hand(tx, day))
    try:
        dealt = known or await _deal(turn, day)
    except (SolvingError, ValueError):
        return saying(sorry(turn))

    def move(tx: Tx) -> list[Outgoing]:
        if turn.player is None:
            return []
        hand = store.keep_hand(tx, dealt)
        attempt = store.begin(tx, day, turn.player.id, turn.now)
        if group is not None:
            store.take_seat(tx, day, group, turn.player.id)
        return [_shown(turn, tx, hand, attempt), *_follow(turn, tx, attempt)]

    return move


async def _deal(turn: Turn, day: str) -> rules.Daily:
    level = rules.level_of(day)
    seed = rules.seed_of(day, await turn.services.store.write(store.key))
    hand = await turn.services.solving.deal(seed, rules.CARDS, rules.HIGHEST, rules.TARGET, level)
    return rules.Daily(day, hand.numbers, hand.target, hand.level, hand.expected, hand.ideas)


def _shown(turn: Turn, tx: Tx, hand: rules.Daily, attempt: rules.Attempt) -> Outgoing:
    """The hand, or what became of it."""
    if attempt.state is rules.Progress.OPEN:
        text, keyboard = words_of.hand(turn.words, hand, attempt)
        about = f"hand:{hand.day}:{attempt.player_id}"
        return turn.say(text, keyboard=keyboard, about=about, timed=True)
    if attempt.state is rules.Progress.GIVEN_UP and (refused := _sealed(turn, tx, hand)):
        return refused[0]
    row = rules.streak(store.solved_days(tx, attempt.player_id), attempt.day)
    result = words_of.over(turn.words, hand, attempt, row, str(turn.services.me.username))
    return turn.say(result[0], keyboard=result[1])


def _sealed(turn: Turn, tx: Tx, hand: rules.Daily) -> list[Outgoing]:
    """Why the hand's solutions are not shown, where it is on a table as well; else it is remembered."""
    asked = [question(hand.numbers, hand.target)]
    if (spoiled := solve.spoils_round(turn, tx, asked)) is not None:
        return solve.refused(turn, spoiled)
    reveals.remember(tx, solve.readers(turn), asked, turn.now)
    return []


def _follow(turn: Turn, tx: Tx, attempt: rules.Attempt) -> list[Outgoing]:
    """Redraw the tables that list the player."""
    tables = store.followers(tx, attempt.day, attempt.player_id)
    return [edit(t.chat_id, t.message_id, *_table(turn, tx, t)) for t in tables]


def answered(turn: Turn, tx: Tx) -> list[Outgoing] | None:
    """The verdict on a private message as an answer to a daily hand; None if it is meant for a round.

    A reply to a hand is meant for that one. Else a round in the same chat comes first, and then the latest
    hand.
    """
    if not (turn.chat.private and turn.player and turn.message) or not _may_answer(turn.argument):
        return None
    store.come_back(tx, turn.player.id)
    day = _replied_to(turn)
    hand = store.hand(tx, day) if day else None
    if hand is not None:
        attempt = store.attempt(tx, hand.day, turn.player.id)
        if attempt is None or not rules.is_open(attempt, turn.now):
            return [turn.say(words_of.too_late(turn.words, attempt), reply_to=turn.message.message_id)]
        return _judged(turn, tx, hand, attempt)
    before = store.open_attempt(tx, turn.player.id, turn.now)
    if before is None or rounds.live_in_chat(tx, turn.chat.id):
        return None
    return _judged(turn, tx, *before)


def _may_answer(text: str) -> bool:
    """Talk has no digit, and more letters than the cards'."""
    return any(map(str.isdigit, text)) or looks_like_answer(text)


def _replied_to(turn: Turn) -> str | None:
    """The day of the hand to whose message this is a reply."""
    replied = turn.message.reply_to_message if turn.message else None
    if replied is None or replied.from_user is None or replied.from_user.id != turn.services.me.id:
        return None
    return words_of.told_of(replied.text or "")


def _judged(turn: Turn, tx: Tx, hand: rules.Daily, attempt: rules.Attempt) -> list[Outgoing]:
    if turn.message is None:
        return []
    verdict = solver.check(turn.argument, hand.numbers, hand.target)
    if isinstance(verdict, solver.Correct):
        return _solved(turn, tx, hand, rules.solved(attempt, str(verdict.expression), turn.now))
    if not isinstance(verdict, solver.Unreadable):
        store.keep(tx, rules.went_wrong(attempt, turn.now))
    said = turn.message.message_id
    reason = wrong(turn.words, verdict, hand.target)
    return [reply.react(turn.chat.id, said, WRONG), turn.say(reason, reply_to=said)]


def _solved(turn: Turn, tx: Tx, hand: rules.Daily, attempt: rules.Attempt) -> list[Outgoing]:
    if turn.message is None or not store.keep(tx, attempt):
        return []
    react = reply.react(turn.chat.id, turn.message.message_id, SOLVED)
    return [react, _shown(turn, tx, hand, attempt), *_follow(turn, tx, attempt)]


async def given_up(turn: Turn) -> Move:
    """The button under one's own hand: see how it is done."""
    day = turn.pressed.partition(":")[2]
    late = saying(*turn.answer(turn.words.plain("That button is out of date.")))
    player, message = turn.player, turn.message
    if player is None or message is None or not turn.chat.private or not turn.offered:
        return late

    def move(tx: Tx) -> list[Outgoing]:
        hand, attempt = store.hand(tx, day), store.attempt(tx, day, player.id)
        if hand is None or attempt is None or attempt.state is not rules.Progress.OPEN:
            return late(tx)
        if refused := _sealed(turn, tx, hand):
            return refused
        after = rules.given_up(attempt, turn.now)
        store.keep(tx, after)
        text, keyboard = words_of.over(turn.words, hand, after, 0, str(turn.services.me.username))
        ended = edit(turn.chat.id, message.message_id, text, keyboard)
        return [ended, *turn.answer(), *_follow(turn, tx, after)]

    return move


def _payload(turn: Turn, chat_id: int) -> str:
    """What names a group in a link: its id with a signature."""
    number = chat_id.to_bytes(8, "big", signed=True)
    return urlsafe_b64encode(number + _signature(turn, number)).decode().rstrip("=")


def _group_of(turn: Turn) -> int | None:
    """The group that the link's payload names; None for none and for one that was made up."""
    try:
        raw = urlsafe_b64decode(turn.argument + "=" * (-len(turn.argument) % 4))
    except (NotBase64, ValueError):
        return None
    number, signature = raw[:8], raw[8:]
    if not hmac.compare_digest(signature, _signature(turn, number)):
        return None
    return int.from_bytes(number, "big", signed=True)


def _signature(turn: Turn, number: bytes) -> bytes:
    key = f"daily {turn.services.settings.token or turn.services.me.id}".encode()
    return hmac.digest(key, number, sha256)[:10]


async def _is_member(turn: Turn, group: int) -> bool:
    if turn.player is None:
        return False
    try:
        member = await turn.services.bot.get_chat_member(group, turn.player.id)
    except TelegramError:
        return False
    return member.status in MEMBERS
