"""Who has been shown how a hand is done while it was live: such a person scores no point for it.

A hand may be live in several chats, and a person may sit in more than one of them. Nobody is shown what gives
away a hand that is live where they play; who sees it elsewhere (in private, in a chat where such a hand is
over) has seen it for every chat. Hints are seen in the same way, and cost what they cost on the table.

In a group everybody reads an answer. So none is shown there of a hand that is live where anybody plays who
plays in that group as well: an outsider could take each of its hands from a group.

Who answers with what they asked for gives the hand away to everybody else. Who does that twice within an hour
is shown nothing of a live hand anywhere, until an hour after the last time; and where channels or anonymous
admins do, nobody is shown the hands of that chat for as long: who wrote it can't be told.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite
from typing import Any

from sqlalchemy import bindparam, exists, func, or_, select, update

from bot.database import Tx, cause, delete_some, inserting, new_rows
from bot.database.schema import giveaways, reveals, rounds
from bot.games.daily import queries as dailies
from bot.games.daily import rules as daily
from bot.games.known import GAMES, covers, identity, in_passing, unpack
from bot.games.puzzle import Query
from bot.games.rounds.presence import places, players, plays
from bot.games.rounds.rows import are_in, is_in
from bot.games.rounds.rules import Round, State, with_hints
from bot.people.privacy import aliases

log = logging.getLogger(__name__)

COPYING = 2.0
"""Seconds it takes to read another's answer in one chat and send it in another: who is quicker had it too."""
KEPT = 7 * 86_400.0
"""Seconds for which a reveal is remembered: longer than any round stays open."""
BARRED = 3600.0
"""Seconds within which giving away a second hand has a consequence, and for which that lasts."""
ENDED = (State.WON, State.SKIPPED, State.EXPIRED, State.GIVEN_AWAY)
LATEST = 500
"""Rounds of a forgotten person's chats that are looked at."""

# Built once, since most answers need some of them and building takes longer than the database does

OPEN, OVER = is_in(State.OPEN), are_in(ENDED)
ON_TABLES = select(rounds.c.game, rounds.c.line).where(OPEN)
LIVE = select(rounds.c.chat_id, rounds.c.game, rounds.c.line, rounds.c.opened).where(
    OPEN, rounds.c.id != bindparam("but")
)
THEN = (reveals.c.at >= bindparam("since"), reveals.c.at < bindparam("until"))
READERS = select(reveals.c.reader, reveals.c.hints).where(reveals.c.hand == bindparam("hand"), *THEN)
SHOWN, HINTED = READERS.where(reveals.c.hints == 0), READERS.where(reveals.c.hints > 0)
PUZZLE = select(rounds.c.game, rounds.c.puzzle, rounds.c.level, rounds.c.expected).where(
    rounds.c.id == bindparam("id")
)
OVER_ELSEWHERE = select(
    rounds.c.id, rounds.c.chat_id, rounds.c.winner_id, rounds.c.game, rounds.c.line
).where(
    OVER,
    rounds.c.deadline >= bindparam("opened"),  # it was open then; the index knows
    rounds.c.closed.between(bindparam("since"), bindparam("until")),
    or_(~is_in(State.WON), rounds.c.closed <= bindparam("copied")),
    rounds.c.id != bindparam("this"),
    # an earlier hand of the same table was over before this one was dealt
    or_(
        rounds.c.id > bindparam("this"),
        rounds.c.chat_id != bindparam("chat"),
        rounds.c.topic != bindparam("topic"),
    ),
)
SHARED = select(exists().where(players(bindparam("chat")).c.who == players(bindparam("other")).c.who))
MINE = giveaways.c.player_id.in_(bindparam("ids", expanding=True))
LATEST_GIVEN = select(giveaways.c.at).where(MINE).order_by(giveaways.c.at.desc()).limit(2)


@cache
def _keeping(dialect: str) -> Any:
    """An INSERT of reveals; of two within one moment the one that tells more holds."""
    statement = inserting(dialect, reveals)
    told = statement.excluded.hints
    more = (reveals.c.hints > 0) & ((told == 0) | (told > reveals.c.hints))
    key = ["hand", "reader", "at"]
    return statement.on_conflict_do_update(index_elements=key, set_={"hints": told}, where=more)


@dataclass(frozen=True, slots=True)
class Live:
    """A puzzle on a table."""

    chat_id: int
    game: str
    line: str
    opened: float

    @property
    def key(self) -> str:
        """What names it in `reveals`."""
        return identity(self.game, self.line)


def ended(round: Round) -> Query:
    """What a round asks for, with the answers that are shown at its end."""
    return Query(round.line, GAMES[round.game].answers(round.puzzle))


def on_tables(tx: Tx) -> list[tuple[str, str]]:
    """Game and line of what is on the tables of all chats."""
    return [(row.game, row.line) for row in tx.execute(ON_TABLES) if row.game in GAMES]


def live(tx: Tx, asked: Sequence[Query], *, but: int = 0) -> list[Live]:
    """What is on the tables of all chats and given away by an answer; `but` is a round that doesn't count."""
    on_table = (Live(*row) for row in tx.execute(LIVE, {"but": but}))
    return [one for one in on_table if isfinite(one.opened) and covers(one.game, one.line, asked)]


def kept_back(tx: Tx, over: Round) -> Round:
    """The round that is over, without its solutions if nobody dealt it and they give away a live hand.

    Whoever reads them in a chat where a nameless one deals leaves no trace there.
    """
    nameless = not over.dealer_id and over.state is not State.OPEN
    if not nameless or not live(tx, [ended(over)], but=over.id):
        return over
    return replace(over, puzzle=GAMES[over.game].without_answers(over.puzzle))


def live_before(tx: Tx, player_id: int | None, chat_id: int, shown: Iterable[Live]) -> int | None:
    """A chat in which the person sees one of the hands, `chat_id` itself first; None without one."""
    chats = {one.chat_id for one in shown}
    if chat_id in chats:
        return chat_id
    if player_id is None:
        return None
    return next((chat for chat in chats if plays(tx, player_id, chat)), None)


def shared(
    tx: Tx, chat_id: int, shown: Iterable[Live], asked: Sequence[Query], answers: Sequence[str]
) -> bool:
    """Whether somebody who plays in a group plays where a hand is live, too, that all who read learn of."""
    tables = sorted({one.chat_id for one in shown if _is_sure(one, asked, answers)})
    return any(tx.scalar(SHARED, {"chat": chat_id, "other": table}) for table in tables)


def remember(
    tx: Tx,
    readers: Sequence[int],
    asked: Sequence[Query],
    now: float,
    answers: Sequence[str] = (),
    *,
    but: int = 0,
    hints: int = 0,
) -> None:
    """The answer is shown to `readers` (people, or chats with everybody in them) at `now`; or `hints` hints.

    It is held against a person if it may give a hand away, and against a chat, where others read it too, if
    it is sure to; `answers` are those that were shown.

    Kept for each live hand that it gives away, and not at all if there is none; a solution read before the
    deal is a memory like any other. What is live was dealt before, whatever the clocks say: a press is dated
    by ours, a deal by Telegram's. `but` as in `live`.
    """
    shown = live(tx, asked, but=but) + (_daily(tx, asked, now) if hints else [])
    if not shown:
        return
    sweep(tx, now)
    alone = max(readers) < 0
    sure = {one.key for one in shown if _is_sure(one, asked, answers)}
    rows = {
        (one.key, reader): {"at": max(now, one.opened), "hints": hints}
        for one in sorted(shown, key=lambda one: one.opened)
        for reader in readers
        if reader > 0 or alone or one.key in sure
    }
    _keep(tx, [{"hand": key, "reader": reader, **row} for (key, reader), row in rows.items()])


def _daily(tx: Tx, asked: Sequence[Query], now: float) -> list[Live]:
    """The hands of these days, of which hints say as much as those of a hand on a table."""
    return [Live(0, one.game, one.line, daily.begins(one.day)) for one in dailies.covered(tx, asked, now)]


def _is_sure(one: Live, asked: Sequence[Query], answers: Sequence[str]) -> bool:
    """Whether everybody who reads the answer learns of it."""
    if covers(one.game, one.line, asked, sure=True):
        return True
    return in_passing(GAMES[one.game], lambda game: game.lists(one.line, answers), True)


def _keep(tx: Tx, rows: Sequence[dict[str, Any]]) -> None:
    """Store reveals."""
    if rows:
        tx.execute(_keeping(tx.dialect.name), rows)


def seen(tx: Tx, round: Round, player_id: int, now: float) -> bool:
    """Whether the person was shown a solution of the live `round` between its deal and `now`.

    Messages are dated in whole seconds: what was shown within the same second counts as shown before.
    """
    return player_id in seen_by(tx, round, [player_id], now)


def seen_by(tx: Tx, round: Round, players: Sequence[int], now: float) -> set[int]:
    """Those of the people who were shown a solution, as in `seen`."""
    readers = _shown(tx, round, now)
    over = _over_elsewhere(tx, round, players, now)
    return {who for who in players if (there := readers | over[who]) and _among(tx, who, there)}


def helped(tx: Tx, round: Round, player_id: int, now: float) -> Round:
    """The round as it counts for the person: with the hints that they were shown of it anywhere."""
    hints = hints_seen(tx, round.game, round.line, player_id, round.opened, now)
    return with_hints(round, hints) if hints > round.hints else round


def hints_seen(tx: Tx, game: str, line: str, player_id: int, since: float, now: float) -> int:
    """The hints that the person was shown of a hand anywhere between `since` and `now`."""
    rows = tx.execute(HINTED, _window(game, line, since, now)).all()
    return max((row.hints for row in rows if _among(tx, player_id, [row.reader])), default=0)


def _shown(tx: Tx, round: Round, now: float) -> set[int]:
    """To whom a solution of the round was shown between its deal and `now`."""
    rows = tx.execute(SHOWN, _window(round.game, round.line, round.opened, now))
    return {row.reader for row in rows}


def _window(game: str, line: str, since: float, now: float) -> dict[str, Any]:
    """A hand, and the whole seconds in which reveals of it count."""
    return {"hand": identity(game, line), "since": int(since), "until": int(now) + 1}


def _among(tx: Tx, player_id: int, readers: Iterable[int]) -> bool:
    """Whether one of the readers is the person, or a chat in which they play."""
    there = set(readers)
    if there.intersection(aliases.ids(tx, player_id)):
        return True
    return any(plays(tx, player_id, reader) for reader in there if aliases.HIGHEST < reader < 0)


def _over_elsewhere(tx: Tx, round: Round, players: Sequence[int], now: float) -> dict[int, set[int]]:
    """Chats where a hand ended after the deal that gives this one away, by person.

    Whoever won the same hand there knows it by their own answer; what is listed at the end of another hand
    may be new to its winner too.
    """
    moments = {"opened": round.opened, "since": int(round.opened), "until": int(now) + 1}
    table = {"this": round.id, "chat": round.chat_id, "topic": round.topic}
    rows = tx.execute(OVER_ELSEWHERE, moments | table | {"copied": now - COPYING}).all()
    mine = identity(round.game, round.line)
    return {who: {row.chat_id for row in rows if _tells(tx, row, round, mine, who)} for who in players}


def _tells(tx: Tx, row: Any, round: Round, mine: str, player_id: int) -> bool:
    """Whether the end of that row's round gave this one, which `mine` names, away to the person."""
    over = Query(row.line, _answers(tx, row.id) if row.chat_id == player_id else ())
    told = covers(round.game, round.line, [over], sure=row.chat_id < 0, deep=False)
    return told and (row.winner_id != player_id or identity(row.game, row.line) != mine)


def asked_for(tx: Tx, round: Round, player_id: int, now: float) -> bool:
    """Whether the person was shown a solution themselves, and did not only read it where they play."""
    return not _shown(tx, round, now).isdisjoint(aliases.ids(tx, player_id))


def gave_away(tx: Tx, player_id: int, now: float) -> None:
    """The person answered with what they had asked for; or nobody knows who, in that chat."""
    sweep(tx, now)
    tx.execute(new_rows(tx.dialect.name, giveaways), {"player_id": player_id, "at": now})


def barred(tx: Tx, player_id: int, now: float) -> bool:
    """Whether the person gave away two hands within an hour, the second no longer than that ago.

    For a chat: whether nobody knows who did so there.
    """
    latest = tx.scalars(LATEST_GIVEN, {"ids": aliases.ids(tx, player_id)}).all()
    return len(latest) == 2 and latest[0] - latest[1] <= BARRED and now - latest[0] <= BARRED


def sweep(tx: Tx, now: float) -> bool:
    """Let go of what was shown more than a week ago; whether there may be more."""
    old = [delete_some(tx, table, table.c.at < now - KEPT) for table in (reveals, giveaways)]
    return any(old)


def carry(tx: Tx, player_id: int) -> None:
    """The person is about to be forgotten: what they were shown, also in chats with others, stays.

    It stays as an alias, so that nobody is forgotten in order to score.
    """
    other = aliases.alias(tx, player_id)
    chats = {player_id, *places(tx, player_id)}
    kept = tx.execute(select(reveals).where(reveals.c.reader.in_(chats))).mappings().all()
    _keep(tx, [dict(row) | {"reader": other} for row in kept])
    since = tx.scalar(select(func.min(rounds.c.opened)).where(OPEN))
    if since is not None:
        _carry_ended(tx, player_id, other, chats, since)
    tx.execute(update(giveaways).where(giveaways.c.player_id == player_id).values(player_id=other))


def _carry_ended(tx: Tx, player_id: int, other: int, chats: set[int], since: float) -> None:
    """Reveals for what was shown at the end of rounds, in the person's chats, since hands that are live."""
    there = (rounds.c.chat_id.in_(chats), OVER, rounds.c.closed >= since)
    others = rounds.c.winner_id.is_distinct_from(player_id)
    latest = select(rounds).where(*there, others).order_by(rounds.c.id.desc()).limit(LATEST)
    for row in tx.execute(latest).all():
        if isfinite(row.closed):
            remember(tx, [other], [Query(row.line)], row.closed)


def _answers(tx: Tx, round_id: int) -> tuple[str, ...]:
    """The answers of a round's puzzle; none where they can't be read."""
    try:
        row = tx.execute(PUZZLE, {"id": round_id}).one()
        return GAMES[row.game].answers(unpack(row.game, row.puzzle, row.level, row.expected))
    except Exception as error:  # noqa: BLE001 - it costs that row and no other
        log.warning("the answers of a round can't be read: %s", cause(error))
        return ()
