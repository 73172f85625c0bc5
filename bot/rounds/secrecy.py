"""Decide who may see a solution, and remember who has seen one.

While a hand is open in a chat where somebody is known to play (the hand of the day: until they have finished
it), they are shown no solution of a question whose numbers include all numbers of that hand, whatever its
target and wherever they ask; in that chat itself nobody is shown one. Somebody who was shown one while
unknown there scores nothing with it: their right answer ends the round without points.
"""

from collections.abc import Collection, Sequence
from enum import Enum, auto

from sqlalchemy import bindparam, exists, or_, select, union

from bot.database import Tx, build_insert_if_new, delete_batch
from bot.database.schema import BigInt, duels, reveals, rounds, tallies, votes
from bot.durations import DAY
from bot.i18n import escape_value, strip_tags
from bot.modes.daily import queries as daily
from bot.players.privacy import aliases
from bot.rounds.puzzle import includes_hand, parse_hand_numbers
from bot.rounds.rows import is_in_state
from bot.rounds.rules import Round, State
from bot.telegram.context import Context, Effect, do_nothing, send_only
from bot.telegram.messages import Request
from bot.telegram.routes import OtherUpdate, Routes

# Built once, since every answer may need them and building takes longer than the database does

CHAT, PLAYER = bindparam("chat", type_=BigInt), bindparam("player", type_=BigInt)
IN_CHAT = rounds.c.chat_id == CHAT
IS_IN = or_(duels.c.challenger_id == PLAYER, duels.c.opponent_id == PLAYER)
TRACES = (
    exists().where(IN_CHAT, rounds.c.dealer_id == PLAYER),
    exists().where(IN_CHAT, votes.c.round_id == rounds.c.id, votes.c.player_id == PLAYER),
    exists().where(duels.c.chat_id == CHAT, duels.c.race_id.is_not(None), IS_IN),
    exists().where(tallies.c.chat_id == CHAT, tallies.c.player_id == PLAYER),
)
PLAYS = select(or_(*TRACES))
WHERE = select(rounds.c.chat_id)
CHATS_OF_PLAYER = union(
    WHERE.where(rounds.c.dealer_id == PLAYER),
    WHERE.join(votes, votes.c.round_id == rounds.c.id).where(votes.c.player_id == PLAYER),
    select(duels.c.chat_id).where(duels.c.race_id.is_not(None), IS_IN),
    select(tallies.c.chat_id).where(tallies.c.player_id == PLAYER),
)


def has_played_in_chat(tx: Tx, player_id: int, chat_id: int) -> bool:
    """Whether the person has played in that chat: scored, dealt, tried, voted or duelled there."""
    asked = {"chat": chat_id, "player": player_id}
    return chat_id == player_id or bool(tx.scalar(PLAYS, asked))


KEPT = 7 * DAY  # longer than any round stays open

# Built once, since building takes longer than the database does

# chat by chat: of all open rounds those of some chats are found by the wrong index
OPEN_IN = select(rounds.c.line).where(
    rounds.c.chat_id == bindparam("chat"), is_in_state(State.OPEN), rounds.c.id != bindparam("but")
)
SHOWN = select(reveals.c.reader, reveals.c.numbers).where(
    reveals.c.reader.in_(bindparam("readers", expanding=True)),
    reveals.c.at >= bindparam("since"),
    reveals.c.at < bindparam("until"),
)


class Secret(Enum):
    """The hand whose solution would be shown."""

    HERE = auto()  # it is open in this chat
    ELSEWHERE = auto()  # it is open in another chat where the person plays
    DAILY = auto()  # it is the hand of the day, and the person has not finished it


def find_secret(context: Context, tx: Tx, numbers: Collection[int]) -> Secret | None:
    """Return why the person may see no solution of these numbers, here and now; None if they may."""
    if (secret := find_open_hand(context, tx, numbers)) is not None:
        return secret
    player_id = context.player.id if context.player else None
    return Secret.DAILY if daily.is_solution_secret(tx, player_id, numbers, context.sent_at) else None


def find_open_hand(
    context: Context, tx: Tx, numbers: Collection[int], *, except_round_id: int = 0
) -> Secret | None:
    """Return where a hand is open whose numbers are all among these: in this chat, or in one where the person
    plays; None without one. The round with the id `but` is left out.
    """
    elsewhere = tx.scalars(CHATS_OF_PLAYER, {"player": context.player.id}).all() if context.player else ()
    for chat_id in (context.chat.id, *elsewhere):
        lines = tx.scalars(OPEN_IN, {"chat": chat_id, "but": except_round_id})
        if any(includes_hand(numbers, line) for line in lines):
            return Secret.HERE if chat_id == context.chat.id else Secret.ELSEWHERE
    return None


def refuse_open_hand(
    context: Context, tx: Tx, numbers: Collection[int], *, except_round_id: int = 0
) -> list[Request] | None:
    """Refuse to show more of a hand where `find_open_hand` finds one; None where it may be shown."""
    secret = find_open_hand(context, tx, numbers, except_round_id=except_round_id)
    return None if secret is None else refuse_solution(context, secret)


def show_solution(
    context: Context, numbers: Collection[int], shown: Sequence[Request], *, solved: bool = True
) -> Effect:
    """Send what solves these numbers and remember who asked for it, or refuse that.

    Where nothing does (not `solved`) there is nothing to remember.
    """

    def effect(tx: Tx) -> list[Request]:
        if (secret := find_secret(context, tx, numbers)) is not None:
            return refuse_solution(context, secret)
        if context.player is not None and solved:
            record_solution_shown(tx, context.player.id, numbers, context.sent_at)
        return list(shown)

    return effect


def refuse_solution(context: Context, secret: Secret) -> list[Request]:
    """Say why the solution is not shown."""
    words = context.words
    reason = {
        Secret.HERE: words.translate_plain("That hand is on the table here: no peeking!"),
        Secret.ELSEWHERE: words.translate_plain(
            "That hand is on the table in a chat where you play: no peeking!"
        ),
        Secret.DAILY: words.translate_plain("That is the hand of the day: no peeking before it is solved!"),
    }[secret]
    return context.answer_press(reason, alert=True) or [context.reply(escape_value(reason))]


def record_solution_shown(tx: Tx, player_id: int, numbers: Collection[int], now: float) -> None:
    """Store that the person was shown a solution of these numbers.

    Under their alias: they need not be a player, and nobody scores by being forgotten.
    """
    reader = aliases.load_or_create_alias(tx, player_id)
    row = {"reader": reader, "numbers": " ".join(map(str, sorted(numbers))), "at": now}
    tx.execute(build_insert_if_new(tx.dialect.name, reveals), row)


def find_players_shown_solution(tx: Tx, round: Round, players: Collection[int], now: float) -> set[int]:
    """Return those of the people who were shown a solution of the round between its deal and `now`.

    Messages are dated in whole seconds: what was shown within the same second counts as shown before.
    """
    owners = aliases.load_owners(tx, players)
    asked = {"readers": list(owners), "since": int(round.opened), "until": int(now) + 1}
    found = tx.execute(SHOWN, asked)
    return {owners[row.reader] for row in found if includes_hand(parse_hand_numbers(row.numbers), round.line)}


def delete_old_reveals(tx: Tx, now: float) -> bool:
    """Delete what was shown more than a week ago; return whether there may be more."""
    return delete_batch(tx, reveals, reveals.c.at < now - KEPT)


async def turn_away(context: Context) -> Effect:
    """Say one kind line to somebody who asks for more than can be done; answer no inline query."""
    if context.update.inline_query:
        return do_nothing
    line = context.words.translate("That’s a lot at once! Please ask again, one at a time.")
    return send_only(*(context.answer_press(strip_tags(line)) or [context.reply(line)]))


ROUTES = Routes(other_updates={OtherUpdate.RATE_LIMITED: turn_away})
