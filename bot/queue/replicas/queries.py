"""Queries for the leases of several bots: who is there, who serves which chat, who leads.

All times are by the database's clock, the only one that all bots share. A bot has a row while it renews its
lease; any other bot deletes the row once the lease has expired, and with it all leases of chats end.
Statements that run often are built once, at import: building takes longer than the database does.
"""

import math
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
from bot.database.schema import inbox, lanes, outbox, replicas
from bot.queue.queries import (
    MARK_DONE_BY_SERVER_TIME,
    SELECT_WAITING_REQUESTS,
    SELECT_WAITING_UPDATES,
    QueuedRequest,
    QueuedUpdate,
    read_requests,
    read_updates,
)
from bot.queue.replicas.settings_comparison import SharedSettings, choose_secret, find_conflict


def _build_count(table: Any, *conditions: Any) -> Any:
    return select(func.count()).select_from(table).where(*conditions).scalar_subquery()


def _any_of(name: str) -> Any:
    """Build a comparison with any number of a list in one argument; a statement takes 32 767 at most."""
    return any_(bindparam(name, type_=ARRAY(BigInteger)))


IS_VALID = replicas.c.until > SERVER_TIME  # whether a bot's lease has not expired
NOBODY = ""  # the owner of a free chat

# Bots

JOIN_LOCK = 0x24_24_27  # held by a bot that joins
# A transaction that stands still in the lock holds the others up for two seconds.
LOCK = text(
    "SELECT set_config('idle_in_transaction_session_timeout', '2s', true), pg_advisory_xact_lock(:key)"
)


def insert_replica(
    tx: Tx, name: str, mine: SharedSettings, tag: str, lease: float, *, rejoining: bool = False
) -> str:
    """Insert a bot with a lease of so many seconds, unless bots are there beside which it can't run.

    `mine` are its settings, `tag` names its connections, and `rejoining` says that it lost a lease. All bots
    get the chosen webhook secret. Returns the conflict in one line; "" if the bot was inserted.
    """
    tx.execute(LOCK, {"key": JOIN_LOCK})
    others = load_shared_settings(tx)
    conflict = find_conflict(mine, others, rejoining=rejoining)
    if conflict:
        return conflict
    secret = choose_secret(mine, others, rejoining=rejoining)  # the one that Telegram will be told
    if secret is not None:
        outdated = update(replicas).where(IS_VALID, replicas.c.told != secret)
        tx.execute(outdated.values(told=secret))
    row = insert(replicas).values(
        name=name,
        bot_id=mine.bot_id,
        tag=tag,
        lanes=0,
        pulse=0.0,
        way_in=mine.webhook_digest,
        secrets=" ".join(mine.secret_digests),
        told=secret,
        until=SERVER_TIME + lease,
    )
    tx.execute(row)
    return ""


def load_shared_settings(tx: Tx) -> tuple[SharedSettings, ...]:
    """Load the settings of the bots whose leases have not expired."""
    columns = select(replicas.c.bot_id, replicas.c.way_in, replicas.c.secrets, replicas.c.told)
    settings = list[SharedSettings]()
    for row in tx.execute(columns.where(IS_VALID)):
        digests = tuple(row.secrets.split()) if row.secrets else ()
        settings.append(SharedSettings(row.bot_id, row.way_in, digests, chosen_secret=row.told))
    return tuple(settings)


def load_chosen_secret(tx: Tx) -> str | None:
    """Load the digest of the webhook secret on which the bots have agreed; None if they have none."""
    chosen = select(replicas.c.told).where(IS_VALID, replicas.c.told.is_not(None))
    return tx.scalar(chosen.limit(1))


def count_replicas(tx: Tx) -> int:
    """Count the bots whose leases have not expired."""
    count = select(_build_count(replicas, IS_VALID))
    return int(tx.scalar(count) or 0)


NO_ANSWER = -1.0  # stands for the age of Telegram's last answer to a bot that it answers no more
ANSWER_AGE = bindparam("age", type_=Double)
RENEW = (
    update(replicas)
    .where(replicas.c.name == bindparam("who"))
    .values(
        until=SERVER_TIME + bindparam("lease"),
        lanes=bindparam("served"),
        reaches=case((ANSWER_AGE < 0, NO_ANSWER), else_=SERVER_TIME - ANSWER_AGE),
    )
)


def renew_lease(tx: Tx, name: str, served: int, lease: float, answer_age: float) -> bool:
    """Renew a bot's lease; store its number of chats and an answer's age. False if its row is deleted."""
    row = {"who": name, "lease": lease, "served": served, "age": answer_age}
    return bool(tx.execute(RENEW, row).rowcount)


def delete_replica(tx: Tx, name: str, channel: str) -> None:
    """Delete a bot that leaves, free its chats, and notify the others."""
    tx.execute(delete(replicas).where(replicas.c.name == name))
    own_lanes = update(lanes).where(lanes.c.owner == name)
    tx.execute(own_lanes.values(owner=NOBODY))
    notify(tx, channel)


# A lease that ends more than its length and these seconds from now was renewed before the server's clock was
# set back.
CLOCK_TOLERANCE = 10.0
EXPIRED = or_(
    replicas.c.until < SERVER_TIME, replicas.c.until > SERVER_TIME + bindparam("lease") + CLOCK_TOLERANCE
)
DELETED = delete(replicas).where(EXPIRED).returning(replicas.c.tag).cte("gone")
ACTIVITY = table("pg_stat_activity", column("pid"), column("usesysid"), column("application_name"))
THEIR_CONNECTIONS = and_(
    ACTIVITY.c.application_name == DELETED.c.tag, func.pg_has_role(ACTIVITY.c.usesysid, "USAGE")
)
# One statement: if the bot that runs it died after the deletion, nobody would ever end the connections. Those
# of a role that it may not end stay, and are no obstacle.
DELETE_EXPIRED = select(DELETED.c.tag, func.pg_terminate_backend(ACTIVITY.c.pid)).select_from(
    DELETED.outerjoin(ACTIVITY, THEIR_CONNECTIONS)
)


def delete_expired_replicas(tx: Tx, lease: float) -> int:
    """Delete bots whose leases have expired, and end their connections with what they lock. Return how many.

    After the server's clock was set back, leases end too far in the future; these are deleted as well, and a
    bot that lives renews its lease or comes back under another name.
    """
    rows = tx.execute(DELETE_EXPIRED, {"lease": lease})
    return len({row.tag for row in rows})  # a bot has a row for each of its connections


def store_leader_contact(tx: Tx, name: str) -> None:
    """Store that Telegram has answered the leader just now."""
    tx.execute(update(replicas).where(replicas.c.name == name).values(pulse=SERVER_TIME))


def load_leader_contact(tx: Tx) -> tuple[float, bool]:
    """Load the seconds since Telegram last answered a leader, and whether it answers some bot no more."""
    age = SERVER_TIME - func.max(replicas.c.pulse)
    is_unanswered = func.bool_or(replicas.c.reaches == NO_ANSWER)
    seconds, is_any_unanswered = tx.execute(select(age, is_unanswered)).one()
    if seconds is None:  # no bot is there
        return float("inf"), False
    return float(seconds), bool(is_any_unanswered)


def do_others_reach_telegram(tx: Tx, name: str, seconds: float) -> bool:
    """Whether Telegram has answered another bot within so many seconds."""
    is_answered = replicas.c.reaches > SERVER_TIME - seconds  # `reaches`: the time of the last answer
    other_bot = exists().where(replicas.c.name != name, IS_VALID, is_answered)
    return bool(tx.scalar(select(other_bot)))


# The lead

LEADER_LANE = -(2**62)  # the lane whose owner leads; no chat has this number
IS_LEAD = lanes.c.lane == LEADER_LANE
HAS_OWNER = exists().where(replicas.c.name == lanes.c.owner)


def take_lead(tx: Tx, name: str, token: int) -> bool:
    """Take the lead. Return False if another bot has it.

    Of several bots that see it free at once, the first finds the token that it saw. The others wait for that
    one; without the token they would take the lead from a bot that joined after they looked.
    """
    is_free = ~HAS_OWNER | (lanes.c.owner == name)
    lead = tx.execute(select(lanes.c.token, is_free.label("free")).where(IS_LEAD)).first()
    seen_token = 0
    if lead is None:  # nobody ever led
        row = insert_or(lanes).values(lane=LEADER_LANE, owner=NOBODY, token=seen_token)
        tx.execute(row.on_conflict_do_nothing())
    elif lead.free:
        seen_token = lead.token
    else:
        return False
    unchanged = update(lanes).where(IS_LEAD, is_free, lanes.c.token == seen_token)
    return bool(tx.execute(unchanged.values(owner=name, token=token)).rowcount)


def is_leader(tx: Tx, name: str, token: int) -> bool:
    """Whether the bot leads, with this token."""
    own_lead = select(lanes.c.token).where(IS_LEAD, lanes.c.owner == name)
    return bool(tx.scalar(own_lead) == token)


def release_lead(tx: Tx, name: str) -> None:
    """Let another bot lead, if this one led."""
    tx.execute(update(lanes).where(IS_LEAD, lanes.c.owner == name).values(owner=NOBODY))


# Chats

# FOR SHARE: until the transaction is over nobody takes the chat; if one did since it began, it is run again
# and sees that.
SELECT_TOKEN_FOR_SHARE = (
    select(lanes.c.token)
    .where(lanes.c.lane == bindparam("lane"), lanes.c.owner == bindparam("owner"))
    .with_for_update(read=True)
)
LEASE_OF_UPDATE = (
    select(lanes.c.lane)
    .where(
        lanes.c.lane == inbox.c.lane, lanes.c.owner == bindparam("owner"), lanes.c.token == bindparam("token")
    )
    .with_for_update(read=True)
)
MARK_LEASED_DONE = MARK_DONE_BY_SERVER_TIME.where(LEASE_OF_UPDATE.exists())


def mark_leased_done(tx: Tx, update: QueuedUpdate, owner: str) -> bool:
    """Lock the lease until `tx` ends, and mark an update as handled, both in one statement, which saves time.
    Return False if the lease is another bot's or the update was not waiting.
    """
    row = {"number": update.update_id, "owner": owner, "token": update.lease_token}
    return bool(tx.execute(MARK_LEASED_DONE, row).rowcount)


IS_MINE = lanes.c.owner == bindparam("name")
IS_WAITING_UPDATE = inbox.c.state == "waiting"
IS_WAITING_REQUEST = outbox.c.state == "waiting"
WAITING_LANES = union(
    select(inbox.c.lane).where(IS_WAITING_UPDATE), select(outbox.c.lane).where(IS_WAITING_REQUEST)
).subquery()
UNKNOWN_LANES = select(WAITING_LANES.c.lane, literal(NOBODY), cast(literal(0), BigInteger)).where(
    ~exists().where(lanes.c.lane == WAITING_LANES.c.lane)
)
INSERT_UNKNOWN_LANES = (
    insert_or(lanes).from_select(["lane", "owner", "token"], UNKNOWN_LANES).on_conflict_do_nothing()
)
IS_FREE = and_(~IS_LEAD, ~HAS_OWNER)
REPLICA_COUNT = _build_count(replicas)
COUNT_FREE_LANES_AND_BOTS = select(_build_count(lanes, IS_FREE), REPLICA_COUNT)
SELECT_FREE_LANES = (
    select(lanes.c.lane)
    .where(IS_FREE)
    .limit(bindparam("share", type_=BigInteger))
    .with_for_update(skip_locked=True, of=lanes)
)
TAKE_LANES = update(lanes).where(lanes.c.lane == _any_of("taken"))


def lease_lanes(tx: Tx, name: str, token: int, limit: int) -> list[int]:
    """Lease this bot's share of the free chats in which something waits, up to `limit`. Return them."""
    tx.execute(INSERT_UNKNOWN_LANES)
    free_count, bot_count = tx.execute(COUNT_FREE_LANES_AND_BOTS).one()
    if not free_count:
        return []
    share = min(limit, math.ceil(free_count / max(1, bot_count)))
    taken = list(tx.scalars(SELECT_FREE_LANES, {"share": share}))
    if taken:
        tx.execute(TAKE_LANES, {"taken": taken, "owner": name, "token": token})
    return taken


def load_lease_tokens(tx: Tx, name: str) -> dict[int, int]:
    """Load this bot's chats with their tokens."""
    tokens = select(lanes.c.lane, lanes.c.token).where(lanes.c.owner == name, ~IS_LEAD)
    return {row.lane: row.token for row in tx.execute(tokens)}


COUNT_LEASED = select(_build_count(lanes, IS_MINE), _build_count(lanes, HAS_OWNER), REPLICA_COUNT)


def count_leased_lanes(tx: Tx, name: str) -> tuple[int, float]:
    """Return how many leases this bot has, of chats and of the lead, and how many a bot has on average."""
    own_count, leased_count, bot_count = tx.execute(COUNT_LEASED, {"name": name}).one()
    return int(own_count), leased_count / max(1, bot_count)


def release_lanes(tx: Tx, name: str, idle: Collection[int]) -> None:
    """Give up these chats, as far as the bot has them; their leases are deleted."""
    releasing = delete(lanes).where(IS_MINE, lanes.c.lane == _any_of("idle"))
    tx.execute(releasing, {"name": name, "idle": list(idle)})


def count_waiting_updates(tx: Tx) -> int:
    """Count the updates that wait, for whichever bot."""
    count = select(_build_count(inbox, IS_WAITING_UPDATE))
    return int(tx.scalar(count) or 0)


MY_LANES = select(lanes.c.lane).where(IS_MINE)
SELECT_UPDATE_IDS = (
    select(inbox.c.update_id, inbox.c.lane)
    .where(IS_WAITING_UPDATE, inbox.c.lane.in_(MY_LANES))
    .order_by(inbox.c.update_id)
)
SELECT_REQUEST_IDS = (
    select(outbox.c.id, outbox.c.lane)
    .where(IS_WAITING_REQUEST, outbox.c.lane.in_(MY_LANES))
    .order_by(outbox.c.id)
)


def load_waiting_ids(tx: Tx, name: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Load id and chat of the updates, and of the requests, that wait in this bot's chats, oldest first."""
    update_rows = tx.execute(SELECT_UPDATE_IDS, {"name": name})
    updates = [(row.update_id, row.lane) for row in update_rows]
    request_rows = tx.execute(SELECT_REQUEST_IDS, {"name": name})
    requests = [(row.id, row.lane) for row in request_rows]
    return updates, requests


SELECT_THESE_UPDATES = SELECT_WAITING_UPDATES.where(inbox.c.update_id == _any_of("ids"))
SELECT_THESE_REQUESTS = SELECT_WAITING_REQUESTS.where(outbox.c.id == _any_of("ids"))


def load_waiting_rows(
    tx: Tx, update_ids: Sequence[int], request_ids: Sequence[int]
) -> tuple[list[QueuedUpdate], list[QueuedRequest]]:
    """Load those of these updates and requests that still wait, oldest first."""
    updates = read_updates(tx, SELECT_THESE_UPDATES, ids=update_ids) if update_ids else []
    requests = read_requests(tx, SELECT_THESE_REQUESTS, ids=request_ids) if request_ids else []
    return updates, requests


NOTIFY = text("SELECT pg_notify(:channel, :payload)")


def notify(tx: Tx, channel: str, payload: str = "") -> None:
    """Notify all bots that listen on the channel, after the commit."""
    tx.execute(NOTIFY, {"channel": channel, "payload": payload})


def notify_all(tx: Tx, payloads: Sequence[tuple[str, str]]) -> None:
    """Notify all bots by these channels and payloads, after the commit."""
    for channel, payload in payloads:
        notify(tx, channel, payload)
