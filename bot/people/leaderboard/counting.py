"""Which chats count in the boards of all chats: those in which `WINNERS` people won within `WINDOW`.

When a chat begins to count all of its totals are added there, and when it ceases to they are taken off again.
In years a chat comes to thousands of them: a few change in the same transaction, and the others piece by
piece soon after. Until then `switching` says of which of its boards that is still to come, and what is won
meanwhile counts in these as it did before. A chat changes again once it is through.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, func, select, text, update

from bot.database import Tx, all_know, come_to_know
from bot.database.schema import COUNTED, SWITCHING, chats, last_wins, totals
from bot.people.leaderboard import sums

WINNERS = 3
"""Different people who must have won in a chat for it to count in the board of all chats …"""
WINDOW = 30 * 86_400.0
"""… within this many seconds."""
NEVER = -1.0
"""Until then a chat counts in which too few have won."""
AT_ONCE = 25
"""Totals, more or less, that one transaction adds or takes off."""
BY_PIECES, REVISION = "chats switch by pieces", "0024"
"""The fact that says from when on; until then all change at once, as the version before had it."""

THIS = chats.c.id == bindparam("this_chat")
LATEST = last_wins.c.chat_id == bindparam("this_chat")
THIRD = select(last_wins.c.at).where(LATEST).order_by(last_wins.c.at.desc()).offset(WINNERS - 1).limit(1)
COUNTING = (
    update(chats)
    .where(THIS)
    .values(counted_until=func.coalesce(THIRD.scalar_subquery() + WINDOW, NEVER))
    .returning(chats.c.counted, chats.c.counted_until, chats.c.switching)
)
"""Notes until when a chat's last wins let it count."""
OTHERWISE = update(chats).where(
    THIS, chats.c.counted == bindparam("counted_before"), chats.c.switching.is_(None)
)
LEFT = update(chats).where(THIS)
OVER = (
    select(chats.c.id)
    .where(text(COUNTED), chats.c.counted_until < bindparam("now"))
    .order_by(chats.c.counted_until)
    .limit(1)
)
UNDERWAY = select(chats.c.id).where(text(SWITCHING)).order_by(chats.c.id).limit(1)
"""In order, so that the index is gone through also by a server that knows nothing of that column yet."""
COUNTS = select(chats.c.counted).where(THIS)
BOARDS = (
    select(totals.c.period, func.count().label("lines"))
    .where(totals.c.chat_id == bindparam("this_chat"))
    .group_by(totals.c.period)
    .order_by(totals.c.period)
)
Pieces = list[list[str]]
"""Boards of a chat, together those that one transaction changes."""


@dataclass(frozen=True, slots=True)
class Counting:
    """Whether a chat counts."""

    counted: bool = False
    until: float = NEVER
    """Until when its last wins let it."""
    pieces: Sequence[Sequence[str]] = ()
    """Those of its boards of which that isn't so yet."""

    def counts_in(self, board: str) -> bool:
        """Whether what is won in the chat counts in the board of all chats of that name."""
        return self.counted != any(board in piece for piece in self.pieces)


def counts(tx: Tx, chat_id: int) -> bool:
    """Whether the chat counts in the board of all chats."""
    return bool(tx.scalar(COUNTS, {"this_chat": chat_id}))


def counting(tx: Tx, chat_id: int) -> Counting:
    """Whether the chat counts now, and until when its last wins let it; that is kept with it."""
    row = tx.execute(COUNTING, {"this_chat": chat_id}).first()
    return Counting() if row is None else Counting(bool(row.counted), row.counted_until, _read(row.switching))


def recount(tx: Tx, chat_id: int, now: float) -> None:
    """Let the chat count in the board of all chats, or no more, as its last wins have it."""
    switch(tx, chat_id, counting(tx, chat_id).until >= now)


def switch(tx: Tx, chat_id: int, counts: bool, *, at_once: bool = False) -> None:
    """Begin to add the chat's boards to those of all chats, or to take them off; `at_once`: do all of it.

    Nothing if they already are, or while the chat is still at the last change.
    """
    if at_once:
        _end(tx, chat_id)
    changed = {"counted_before": int(not counts), "counted": int(counts)}
    if tx.execute(OTHERWISE, {"this_chat": chat_id, **changed}).rowcount:
        whole = at_once or not all_know(tx, BY_PIECES)
        _go_on(tx, chat_id, counts, _pieces(tx, chat_id, whole=whole))


def sweep(tx: Tx, now: float) -> bool:
    """Go on with a chat that has begun to count or ceased to, or let one cease to whose winners have stayed
    away for too long; whether there may be more to do.
    """
    come_to_know(tx, now, BY_PIECES, REVISION)
    chat_id, left = tx.scalar(UNDERWAY), False
    if chat_id is None:
        chat_id = tx.scalar(OVER, {"now": now})
    else:
        known = counting(tx, chat_id)
        _go_on(tx, chat_id, known.counted, known.pieces)
        left = len(known.pieces) > 1
    if chat_id is not None and not left:
        recount(tx, chat_id, now)
    return chat_id is not None


def _end(tx: Tx, chat_id: int) -> None:
    """Do all that is still to come of the last change."""
    while (known := counting(tx, chat_id)).pieces:
        _go_on(tx, chat_id, known.counted, known.pieces)


def _pieces(tx: Tx, chat_id: int, *, whole: bool) -> Pieces:
    """The boards of the chat, as many together as have some lines; `whole`: all of them."""
    pieces: Pieces = []
    room = 0
    for board in tx.execute(BOARDS, {"this_chat": chat_id}):
        if not pieces or (room <= 0 and not whole):
            pieces.append([])
            room = AT_ONCE
        pieces[-1].append(board.period)
        room -= board.lines
    return pieces


def _go_on(tx: Tx, chat_id: int, counts: bool, pieces: Sequence[Sequence[str]]) -> None:
    """Add the first of the pieces, or take it off, and keep which are left."""
    if pieces:
        sums.merge(tx, chat_id, pieces[0], 1 if counts else -1)
    left = json.dumps(pieces[1:]) if pieces[1:] else None
    tx.execute(LEFT, {"this_chat": chat_id, "switching": left})


def _read(switching: str | None) -> Pieces:
    """The pieces as they are stored; none for what nobody of ours wrote."""
    try:
        pieces = json.loads(switching or "[]")
    except (ValueError, RecursionError):
        return []
    is_one = isinstance(pieces, list) and all(isinstance(piece, list) for piece in pieces)
    return pieces if is_one else []
