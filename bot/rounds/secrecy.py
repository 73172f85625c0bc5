"""Decide who may see a solution, and record who has seen one.

While a hand is open in a chat where a player is known to play, the bot shows that player no solution of
numbers that include all numbers of the hand, whatever the target and wherever the player asks. For a daily
hand that holds until the player has finished it. In the chat of the hand nobody is shown one. A player who
was shown one before playing there gets no points with it: the right answer ends the round.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import bindparam, or_, select, union

from bot.database import Tx, build_insert_if_new, delete_batch
from bot.database.schema import BigInt, duels, reveals, rounds, tallies, votes
from bot.durations import DAY
from bot.i18n import escape_value, strip_tags
from bot.players import aliases
from bot.rounds.mode import is_solution_secret
from bot.rounds.puzzle import includes_hand, parse_hand_numbers
from bot.rounds.queries import is_in_state
from bot.rounds.rules import Round, State
from bot.telegram.context import Context, Effect, Response, do_nothing, send_only
from bot.telegram.routes import OtherUpdate, Routes

REVEAL_LIFETIME = 7 * DAY  # Seconds; longer than any round stays open

# Statements for most answers are built once: building one takes longer than executing it.

PLAYER = bindparam("player", type_=BigInt)
CHAT_OF_ROUND = select(rounds.c.chat_id)
IN_DUEL = or_(duels.c.challenger_id == PLAYER, duels.c.opponent_id == PLAYER)
CHATS_OF_PLAYER = union(
    CHAT_OF_ROUND.where(rounds.c.dealer_id == PLAYER),
    CHAT_OF_ROUND.join(votes, votes.c.round_id == rounds.c.id).where(votes.c.player_id == PLAYER),
    select(duels.c.chat_id).where(duels.c.race_id.is_not(None), IN_DUEL),
    select(tallies.c.chat_id).where(tallies.c.player_id == PLAYER),
)


def has_played_in_chat(tx: Tx, player_id: int, chat_id: int) -> bool:
    """Whether the player has dealt, answered, voted or duelled in that chat, or it is their private chat."""
    return chat_id == player_id or chat_id in tx.scalars(CHATS_OF_PLAYER, {"player": player_id}).all()


# One chat at a time: for several chats at once databases choose the wrong index.
OPEN_LINES = select(rounds.c.line).where(
    rounds.c.chat_id == bindparam("chat"), is_in_state(State.OPEN), rounds.c.id != bindparam("except")
)


def explain_secret(context: Context, tx: Tx, numbers: Collection[int]) -> str | None:
    """Explain why the player may not see a solution of these numbers here; None if the player may."""
    player_id = context.player.id if context.player else None
    chat_id = find_open_hand(tx, player_id, context.chat.id, numbers)
    if chat_id is not None:
        return render_open_hand(context, chat_id)
    if is_solution_secret(tx, player_id, numbers, context.sent_at):
        return context.words.translate_plain("That is the hand of the day: no peeking before it is solved!")
    return None


def find_open_hand(
    tx: Tx, player_id: int | None, chat_id: int, numbers: Collection[int], *, except_round_id: int = 0
) -> int | None:
    """Return the chat, this one or one where the player plays, in which these numbers include an open hand.

    None if they include none.
    """
    chat_ids = [chat_id]
    if player_id is not None:
        chat_ids += tx.scalars(CHATS_OF_PLAYER, {"player": player_id})
    for each in chat_ids:
        lines = tx.scalars(OPEN_LINES, {"chat": each, "except": except_round_id})
        if any(includes_hand(numbers, line) for line in lines):
            return each
    return None


def render_open_hand(context: Context, chat_id: int) -> str:
    """Say that the hand is open in this chat, else in another one, which is not named."""
    if chat_id == context.chat.id:
        return context.words.translate_plain("That hand is on the table here: no peeking! /giveup shows it.")
    return context.words.translate_plain("That hand is on the table in a chat where you play: no peeking!")


def refuse_open_hand(context: Context, tx: Tx, numbers: Collection[int]) -> list[Response] | None:
    """Return the refusal if these numbers include an open hand, here or where the player plays; else None."""
    player_id = context.player.id if context.player else None
    chat_id = find_open_hand(tx, player_id, context.chat.id, numbers)
    return None if chat_id is None else refuse_solution(context, render_open_hand(context, chat_id))


def show_unless_secret(
    context: Context, numbers: Collection[int], responses: Sequence[Response], *, solved: bool = True
) -> Effect:
    """Return the effect that refuses a secret solution, or sends it and, if `solved`, records it as shown."""

    def effect(tx: Tx) -> Sequence[Response]:
        reason = explain_secret(context, tx, numbers)
        if reason is not None:
            return refuse_solution(context, reason)
        if context.player is not None and solved:
            record_solution_shown(tx, context.player.id, numbers, context.sent_at)
        return responses

    return effect


def refuse_solution(context: Context, reason: str) -> list[Response]:
    """Give the reason in an alert to a press, else in a reply."""
    return context.answer_press(reason, alert=True) or [context.reply(escape_value(reason))]


def record_solution_shown(tx: Tx, player_id: int, numbers: Collection[int], now: float) -> None:
    """Store, under the player's alias, that the player was shown a solution of these numbers."""
    reader = aliases.make_alias(tx, player_id)
    row = {"reader": reader, "numbers": " ".join(map(str, sorted(numbers))), "at": now}
    tx.execute(build_insert_if_new(tx.dialect.name, reveals), row)


def find_players_shown_solution(tx: Tx, round: Round, players: Collection[int], now: float) -> set[int]:
    """Return those of the players who were shown a solution of the round between its deal and `now`.

    That is a solution of any numbers that include the hand's. Messages are dated in whole seconds: a solution
    shown within the same second counts as shown before.
    """
    owners = aliases.load_owners(tx, players)  # by the number under which `reveals` knows each player
    is_between = (reveals.c.at >= int(round.opened), reveals.c.at < int(now) + 1)
    shown = set()
    for row in tx.execute(select(reveals).where(reveals.c.reader.in_(owners), *is_between)):
        if includes_hand(parse_hand_numbers(row.numbers), round.line):
            shown.add(owners[row.reader])
    return shown


def delete_old_reveals(tx: Tx, now: float) -> bool:
    """Delete some records of solutions shown long ago; return whether there may be more."""
    return delete_batch(tx, reveals, reveals.c.at < now - REVEAL_LIFETIME)


async def ask_to_slow_down(context: Context) -> Effect:
    """Ask somebody who exceeds the rate limit to slow down; do nothing for an inline query."""
    if context.incoming.inline_query_id:
        return do_nothing
    text = context.words.translate("That’s a lot at once! Please ask again, one at a time.")
    if context.is_press:
        return send_only(*context.answer_press(strip_tags(text)))
    return send_only(context.reply(text))


ROUTES = Routes(other_updates={OtherUpdate.RATE_LIMITED: ask_to_slow_down})
