"""Who has been shown how a hand is done while it was live: such a person scores no point for it.

A hand may be live in several chats, and a person may sit in more than one of them. Nobody is shown the
solutions of a hand that is live where they play; who sees them elsewhere (in private, in a chat where the
same hand is over) has seen them for every chat.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, exists, or_, select

from bot.round import Round, State
from bot.schema import reveals, rounds, totals, tries, votes
from bot.store import Tx
from bot.store.mail import upsert

COPYING = 2.0
"""Seconds it takes to read another's answer in one chat and send it in another: who is quicker had it too."""
KEPT = 7 * 86_400.0
"""Seconds for which a reveal is remembered: longer than any round stays open."""


def live_before(
    tx: Tx, player_id: int | None, chat_id: int, numbers: Sequence[int], target: int
) -> int | None:
    """A chat in which the person sees the hand live, `chat_id` itself first; None without one."""
    chats = _live(tx, numbers, target)
    if chat_id in chats:
        return chat_id
    if player_id is None:
        return None
    return next((chat for chat in chats if plays(tx, player_id, chat)), None)


def remember(tx: Tx, readers: Iterable[int], numbers: Sequence[int], target: int, now: float) -> None:
    """The solutions are shown to `readers` (people, or chats with everybody in them) at `now`.

    Kept only if the hand is live somewhere; a solution read before the deal is a memory like any other.
    """
    if not _live(tx, numbers, target):
        return
    tx.execute(delete(reveals).where(reveals.c.at < now - KEPT))
    for reader in set(readers):
        row = {"reader": reader, "hand": _hand(numbers, target), "at": now}
        tx.execute(upsert(tx, reveals).values(row).on_conflict_do_nothing())


def seen(tx: Tx, round: Round, player_id: int, now: float) -> bool:
    """Whether the person was shown a solution of the live `round` between its deal and `now`.

    Messages are dated in whole seconds: what was shown within the same second counts as shown before.
    """
    since, until = int(round.opened), int(now) + 1
    this = (reveals.c.hand == _hand(round.numbers, round.target), reveals.c.at < until)
    shown = tx.scalars(select(reveals.c.reader).where(*this, reveals.c.at >= since))
    readers = set(shown) | _over_elsewhere(tx, round, player_id, now)
    return player_id in readers or any(plays(tx, player_id, reader) for reader in readers)


def plays(tx: Tx, player_id: int, chat_id: int) -> bool:
    """Whether the person has played in that chat: scored, dealt, tried or voted there."""
    here = (rounds.c.chat_id == chat_id,)
    traces = (
        exists().where(totals.c.chat_id == chat_id, totals.c.player_id == player_id),
        exists().where(*here, rounds.c.dealer_id == player_id),
        exists().where(*here, tries.c.round_id == rounds.c.id, tries.c.player_id == player_id),
        exists().where(*here, votes.c.round_id == rounds.c.id, votes.c.player_id == player_id),
    )
    return chat_id == player_id or bool(tx.scalar(select(or_(*traces))))


def _live(tx: Tx, numbers: Sequence[int], target: int) -> list[int]:
    """The chats in which the hand is live."""
    found = select(rounds.c.chat_id, rounds.c.numbers).where(
        rounds.c.state == State.OPEN.value, rounds.c.target == target
    )
    hand = _hand(numbers, target)
    return [row.chat_id for row in tx.execute(found) if _stored(row.numbers, target) == hand]


def _over_elsewhere(tx: Tx, round: Round, player_id: int, now: float) -> set[int]:
    """Chats where the same hand ended after the deal, and not by this person's own answer."""
    found = select(rounds.c.chat_id, rounds.c.numbers, rounds.c.winner_id).where(
        rounds.c.state.in_([State.WON.value, State.SKIPPED.value, State.EXPIRED.value]),
        rounds.c.deadline >= round.opened,  # it was open then; the index knows
        rounds.c.target == round.target,
        rounds.c.closed.between(int(round.opened), int(now) + 1),
        or_(rounds.c.state != State.WON.value, rounds.c.closed <= now - COPYING),
        rounds.c.id != round.id,
        # an earlier hand of the same table was over before this one was dealt
        or_(rounds.c.id > round.id, rounds.c.chat_id != round.chat_id, rounds.c.topic != round.topic),
    )
    hand = _hand(round.numbers, round.target)
    rows = [row for row in tx.execute(found) if _stored(row.numbers, round.target) == hand]
    return {row.chat_id for row in rows if row.winner_id != player_id}


def _hand(numbers: Iterable[int], target: int) -> str:
    return f"{' '.join(map(str, sorted(numbers)))} → {target}"


def _stored(numbers: str, target: int) -> str:
    return _hand(map(int, numbers.split()), target)
