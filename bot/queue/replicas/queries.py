"""Who is there, who serves which chat, who leads. All times are by the database's own clock, the only one
that all of them share.

Whoever does not say in time that it is there is *buried*: its row is deleted, and with it all its claims end.
It learns that when it speaks again, since it has no row then.
"""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Double,
    and_,
    any_,
    bindparam,
    case,
    cast,
    column,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    table,
    text,
    union,
    update,
)
from sqlalchemy.dialects.postgresql import insert as insert_or

from bot.database import SERVER_TIME, Tx
from bot.database.schema import inbox, lanes, outbox, paces, replicas
from bot.queue.queries import (
    SELECT_WAITING_REQUESTS,
    SELECT_WAITING_UPDATES,
    QueuedRequest,
    QueuedUpdate,
    read_requests,
    read_updates,
)
from bot.queue.replicas.settings_comparison import SharedSettings, choose_secret, find_conflict

LEADER_LANE = -(2**62)  # The lane that stands for what one bot does for all; no chat has such a number
JOINING = 0x24_24_27  # The lock of whoever joins the others, for as long as that takes
POSTS = "posts"  # The pace of new messages
# Seconds ahead for which a bot can't be there beyond its lease, nor a place have been taken, unless the
# server's clock was set back since; for places so many more for each bot, whose thirty posts that are under
# way may each have taken one.
FARTHEST, EACH = 10.0, 1.5
NOBODY = ""
# One that stands still in it holds the others up for two seconds.
IN_TURN = text(
    "SELECT set_config('idle_in_transaction_session_timeout', '2s', true), pg_advisory_xact_lock(:key)"
)
NOTIFY = text("SELECT pg_notify(:channel, :told)")

# FOR SHARE: until the transaction is over nobody takes the chat; where one did since it began, it is run
# again and sees that.
SELECT_TOKEN = (
    select(lanes.c.token)
    .where(lanes.c.lane == bindparam("lane"), lanes.c.owner == bindparam("owner"))
    .with_for_update(read=True)
)
_LIVING = exists().where(replicas.c.name == lanes.c.owner)
_UPDATES = inbox.c.state == "waiting"
_REQUESTS = outbox.c.state == "waiting"
_FREE = (lanes.c.lane != LEADER_LANE, ~_LIVING)


def _those(name: str) -> Any:
    """Any of many numbers, which are one argument together: a statement may have 32 767 of them."""
    return any_(bindparam(name, type_=ARRAY(BigInteger)))


def _count(table: Any, *which: Any) -> Any:
    return select(func.count()).select_from(table).where(*which).scalar_subquery()


# Built once, since they are asked again and again and building takes longer than the database does

MINE, THERE = lanes.c.owner == bindparam("name"), _count(replicas)
_BOOKED = case((paces.c.next > SERVER_TIME + FARTHEST + EACH * THERE, SERVER_TIME), else_=paces.c.next)
_NEXT = func.greatest(_BOOKED, SERVER_TIME - bindparam("spare")) + bindparam("gap")
LIVING = select(_count(replicas, replicas.c.until > SERVER_TIME))
_THERE = replicas.c.until > SERVER_TIME
ALIKE = select(replicas.c.bot_id, replicas.c.way_in, replicas.c.secrets, replicas.c.told).where(_THERE)
TELL = update(replicas).where(_THERE, replicas.c.told != bindparam("now")).values(told=bindparam("now"))
TOLD = select(replicas.c.told).where(_THERE, replicas.c.told.is_not(None)).limit(1)
NO_ANSWER = -1.0  # Stands for when Telegram answered a bot, where it has ceased to
_REACHES = case(
    (bindparam("ago", type_=Double) < 0, NO_ANSWER), else_=SERVER_TIME - bindparam("ago", type_=Double)
)
STAYS = (
    update(replicas)
    .where(replicas.c.name == bindparam("who"))
    .values(until=SERVER_TIME + bindparam("lease"), lanes=bindparam("served"), reaches=_REACHES)
)
_GONE = or_(replicas.c.until < SERVER_TIME, replicas.c.until > SERVER_TIME + bindparam("lease") + FARTHEST)
_BURIED = delete(replicas).where(_GONE).returning(replicas.c.tag).cte("gone")
_ACTIVE = table("pg_stat_activity", column("pid"), column("usesysid"), column("application_name"))
_THEIRS = and_(_ACTIVE.c.application_name == _BURIED.c.tag, func.pg_has_role(_ACTIVE.c.usesysid, "USAGE"))
# One statement: where whoever buries them dies after that, nobody would ever end their connections. Those of
# a role that it may not end stay, and bar no burial.
BURY = select(_BURIED.c.tag, func.pg_terminate_backend(_ACTIVE.c.pid)).select_from(
    _BURIED.outerjoin(_ACTIVE, _THEIRS)
)
BEATS = update(replicas).where(replicas.c.name == bindparam("who")).values(pulse=SERVER_TIME)
HEARD = select(SERVER_TIME - func.max(replicas.c.pulse), func.bool_or(replicas.c.reaches == NO_ANSWER))
OTHERS_REACH = select(
    exists().where(
        replicas.c.name != bindparam("who"),
        _THERE,
        replicas.c.reaches > SERVER_TIME - bindparam("lost", type_=Double),
    )
)
LEAD = insert_or(lanes).values(lane=LEADER_LANE, owner=NOBODY, token=0).on_conflict_do_nothing()
_FREE_OR_MINE = ~_LIVING | MINE
LED = select(lanes.c.token, _FREE_OR_MINE.label("free")).where(lanes.c.lane == LEADER_LANE)
LEADING = update(lanes).where(
    lanes.c.lane == LEADER_LANE, _FREE_OR_MINE, lanes.c.token == bindparam("former")
)
FREE_LEAD = update(lanes).where(lanes.c.lane == LEADER_LANE, MINE).values(owner=NOBODY)
LEADS_NOW = select(lanes.c.token).where(lanes.c.lane == LEADER_LANE, MINE)
_WAITS = union(select(inbox.c.lane).where(_UPDATES), select(outbox.c.lane).where(_REQUESTS)).subquery()
_UNKNOWN = select(_WAITS.c.lane, literal(NOBODY), cast(literal(0), BigInteger)).where(
    ~exists().where(lanes.c.lane == _WAITS.c.lane)
)
MEET = insert_or(lanes).from_select(["lane", "owner", "token"], _UNKNOWN).on_conflict_do_nothing()
SHARES = select(_count(lanes, *_FREE), THERE)
TAKEN = (
    select(lanes.c.lane)
    .where(*_FREE)
    .limit(bindparam("share", type_=BigInteger))
    .with_for_update(skip_locked=True, of=lanes)
)
TAKE = update(lanes).where(lanes.c.lane == _those("taken"))
TOKENS = select(lanes.c.lane, lanes.c.token).where(MINE, lanes.c.lane != LEADER_LANE)
SERVED = select(_count(lanes, MINE), _count(lanes, _LIVING), THERE)
LET_GO = delete(lanes).where(MINE, lanes.c.lane == _those("idle"))
BACKLOG = select(func.count()).select_from(inbox).where(_UPDATES)
_LANES = select(lanes.c.lane).where(MINE)
UPDATE_IDS = (
    select(inbox.c.update_id, inbox.c.lane)
    .where(_UPDATES, inbox.c.lane.in_(_LANES))
    .order_by(inbox.c.update_id)
)
REQUEST_IDS = (
    select(outbox.c.id, outbox.c.lane).where(_REQUESTS, outbox.c.lane.in_(_LANES)).order_by(outbox.c.id)
)
THESE_UPDATES = SELECT_WAITING_UPDATES.where(inbox.c.update_id == _those("ids"))
THESE_REQUESTS = SELECT_WAITING_REQUESTS.where(outbox.c.id == _those("ids"))
PACE = insert_or(paces).values(key=POSTS, next=0.0).on_conflict_do_nothing()
WAIT = update(paces).where(paces.c.key == POSTS).values(next=_NEXT).returning(paces.c.next - SERVER_TIME)


def insert_replica(
    tx: Tx, name: str, mine: SharedSettings, tag: str, lease: float, *, rejoining: bool = False
) -> str:
    """It is there, for `lease` seconds, unless bots are beside which it can't run; `tag` names its
    connections. Returns why not, in one line; empty where it is. `again`: it was, and was taken for dead.
    """
    tx.execute(IN_TURN, {"key": JOINING})
    others = load_shared_settings(tx)
    if why := find_conflict(mine, others, rejoining=rejoining):
        return why
    told = choose_secret(mine, others, rejoining=rejoining)
    tx.execute(TELL, {"now": told})
    shown = {"way_in": mine.webhook_digest, "secrets": " ".join(mine.secret_digests), "told": told}
    row = {"name": name, "bot_id": mine.bot_id, "tag": tag, "lanes": 0, "pulse": 0.0, **shown}
    tx.execute(insert(replicas).values(**row, until=SERVER_TIME + lease))
    return ""


def load_shared_settings(tx: Tx) -> tuple[SharedSettings, ...]:
    """What the bots that are there show of themselves."""
    return tuple(
        SharedSettings(row.bot_id, row.way_in, tuple((row.secrets or "").split()), row.told)
        for row in tx.execute(ALIKE)
    )


def load_chosen_secret(tx: Tx) -> str | None:
    """Which secret Telegram is told, as the bots that are there have agreed; None where none has one."""
    return tx.scalar(TOLD)


def count_replicas(tx: Tx) -> int:
    """How many bots are there."""
    return int(tx.scalar(LIVING) or 0)


def renew_lease(tx: Tx, name: str, served: int, lease: float, ago: float) -> bool:
    """It is still there, for `lease` seconds, and Telegram answered it `ago`, or `ASKING`; False if it was
    buried.
    """
    return bool(tx.execute(STAYS, {"who": name, "lease": lease, "served": served, "ago": ago}).rowcount)


def delete_replica(tx: Tx, name: str, channel: str) -> None:
    """It goes, and all that it has is free, as others hear there."""
    tx.execute(delete(replicas).where(replicas.c.name == name))
    tx.execute(update(lanes).where(lanes.c.owner == name).values(owner=NOBODY))
    notify(tx, channel)


def delete_expired_replicas(tx: Tx, lease: float) -> int:
    """Those whose time is over are gone: their claims end, and so do their connections, with what they lock.
    Returns how many.

    After the server's clock was set back a dead bot's time would be over only when the clock is where it was;
    one that lives says anew that it is there before long, or comes back as another one.
    """
    return len({row.tag for row in tx.execute(BURY, {"lease": lease})})


def store_leader_contact(tx: Tx, name: str) -> None:
    """The one that leads has heard of Telegram just now."""
    tx.execute(BEATS, {"who": name})


def load_leader_contact(tx: Tx) -> tuple[float, bool]:
    """Seconds since the one that leads last heard of Telegram, very many where none ever did; and whether one
    that Telegram doesn't answer asks how that is with the others.
    """
    latest, asked = tx.execute(HEARD).one()
    return float(latest) if latest is not None else float("inf"), bool(asked)


def do_others_reach_telegram(tx: Tx, name: str, lost: float) -> bool:
    """Whether Telegram answered another one that is there within so many seconds."""
    return bool(tx.scalar(OTHERS_REACH, {"who": name, "lost": lost}))


def take_lead(tx: Tx, name: str, token: int) -> bool:
    """Take the lead, unless another one that is there has it.

    Of several that see it free at once, one finds it as it saw it. The others wait for that one, and would
    take the lead from it where it came after they looked, since then they don't see that it is there.
    """
    led = tx.execute(LED, {"name": name}).first()
    if led is None:
        tx.execute(LEAD)  # nobody ever did: here alone, since whoever follows asks this at each beat
    elif not led.free:
        return False
    taken = {"name": name, "former": led.token if led else 0, "owner": name, "token": token}
    return bool(tx.execute(LEADING, taken).rowcount)


def is_leader(tx: Tx, name: str, token: int) -> bool:
    """Whether it leads, by this token."""
    return bool(tx.scalar(LEADS_NOW, {"name": name}) == token)


def release_lead(tx: Tx, name: str) -> None:
    """Let another one lead, if it led."""
    tx.execute(FREE_LEAD, {"name": name})


# Chats


def lease_lanes(tx: Tx, name: str, token: int, most: int) -> list[int]:
    """Claim this bot's share of the chats that nobody serves and in which something waits, up to so many."""
    tx.execute(MEET)
    waiting, there = tx.execute(SHARES).one()
    if not waiting:
        return []
    share = min(most, -(-waiting // max(1, there)))
    taken = list(tx.scalars(TAKEN, {"share": share}))
    if taken:
        tx.execute(TAKE, {"taken": taken, "owner": name, "token": token})
    return taken


def load_lease_tokens(tx: Tx, name: str) -> dict[int, int]:
    """The chats that are this bot's, with their tokens."""
    return {row.lane: row.token for row in tx.execute(TOKENS, {"name": name})}


def count_leased_lanes(tx: Tx, name: str) -> tuple[int, float]:
    """How many chats this bot serves, and how many each of them does on the average."""
    has, every, bots = tx.execute(SERVED, {"name": name}).one()
    return int(has), every / max(1, bots)


def release_lanes(tx: Tx, name: str, idle: Collection[int]) -> None:
    """These chats are quiet: whoever hears of them next may have them."""
    tx.execute(LET_GO, {"name": name, "idle": list(idle)})


def count_waiting_updates(tx: Tx) -> int:
    """How many updates wait."""
    return int(tx.scalar(BACKLOG) or 0)


def load_waiting_ids(tx: Tx, name: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The updates and the requests that wait in chats that are this bot's, each by its id and its chat,
    oldest first.
    """
    mine = {"name": name}
    updates, requests = tx.execute(UPDATE_IDS, mine), tx.execute(REQUEST_IDS, mine)
    return [(row.update_id, row.lane) for row in updates], [(row.id, row.lane) for row in requests]


def load_waiting_rows(
    tx: Tx, updates: Sequence[int], requests: Sequence[int]
) -> tuple[list[QueuedUpdate], list[QueuedRequest]]:
    """Those of them that still wait, oldest first."""
    return (
        read_updates(tx, THESE_UPDATES, ids=updates) if updates else [],
        read_requests(tx, THESE_REQUESTS, ids=requests) if requests else [],
    )


def notify(tx: Tx, channel: str, told: str = "") -> None:
    """Hint to all that listen that something waits, or has changed; `told` says what."""
    tx.execute(NOTIFY, {"channel": channel, "told": told})


# Pace


def take_post_slots(tx: Tx, gap: float, burst: int, posts: int) -> float:
    """Take the next places for so many posts; returns the seconds until the last one's time has come.

    One goes every `gap` seconds, and after a pause `burst` of them at once (the generic cell rate algorithm,
    ITU-T I.371).
    """
    spare = {"gap": gap * posts, "spare": gap * burst}
    found = tx.scalar(WAIT, spare)
    if found is None:
        tx.execute(PACE)
        found = tx.scalar(WAIT, spare)
    return float(found or 0.0)
