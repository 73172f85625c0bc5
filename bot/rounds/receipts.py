"""The message of a round: drawn as it stands when its turn comes, remembered once it has arrived, or lost."""

import logging
from collections.abc import Iterable
from typing import Any

from bot import logs
from bot.admin.privately import queries as private
from bot.admin.privately.queries import key_of
from bot.admin.settings import rules as preferences
from bot.admin.settings.rules import Pictures
from bot.database import Store, Tx, storage_trouble
from bot.durations import HOUR
from bot.i18n import Html, mentioned, words
from bot.modes.duel import queries as duels
from bot.modes.practice import queries as practices
from bot.modes.race import queries as races
from bot.modes.race.view import Leg, Standings
from bot.pictures.told import told
from bot.players import queries as people
from bot.queue.queries import SHOW
from bot.queue.timers import Running, TimedWork, hourly
from bot.rounds import entries as handing
from bot.rounds import photos, proof, secrecy, secretly, tries
from bot.rounds import queries as rounds
from bot.rounds.deadlines import DEADLINES
from bot.rounds.folding import SEEDS, caption, tells_seeds
from bot.rounds.known import GAMES
from bot.rounds.pictures import picture
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round, State, starting
from bot.rounds.scene import Scene
from bot.rounds.view import living
from bot.standings.achievements import queries as achievements
from bot.standings.leaderboard import queries as boards
from bot.telegram import messages
from bot.telegram.captions import beside, shows
from bot.telegram.messages import BoardAt, Keyboard
from bot.telegram.routes import DRAWN, Delivered, Lost, Routes

log = logging.getLogger(__name__)

DEAL = "deal"


def scene(
    tx: Tx, round_id: int, now: float, board: BoardAt = messages.no_board
) -> tuple[Round, Scene] | None:
    """The round and its scene; of a race, the hand on the table, whichever of its rounds was asked for."""
    asked = rounds.by_id(tx, round_id)
    if asked is None:
        return None
    standings, shown, round = None, list[Round](), asked
    if asked.race_id is not None:
        hands = rounds.in_race(tx, asked.race_id)
        round, shown = hands[-1], hands[:-1]
        standings = _standings(tx, hands)
        if standings and standings.race.open:
            shown = shown[-1:]  # what the hand before this one earned has no other place
    notes = tries.notes(tx, round.id)
    finds = rounds.finds(tx, round.id) if round.kind is not Kind.FIRST else []
    entries = handing.handed_in(tx, round) if round.kind in (Kind.BEST, Kind.CONTEST) else []
    over = round.state is not State.OPEN
    miss = tries.nearest_miss(tx, round.id) if over else None
    honours = achievements.told_in(tx, [each.id for each in (*shown, round)])
    people_shown = [n.player_id for n in notes] + [who for n in notes for who in mentioned(n.note)]
    people_shown += [f.player_id for f in finds]
    people_shown += [entry.player_id for entry in entries]
    people_shown += [who for who in (round.winner_id, miss.player_id if miss else None) if who]
    people_shown += list(standings.points) if standings else []
    duel = standings.duel if standings else None
    people_shown += duel.players if duel else ()
    people_shown += [honour.player_id for honour in honours]
    kind = "private" if round.chat_id > 0 else "supergroup"
    chosen = preferences.of(people.find_chat(tx, round.chat_id, kind))
    waiting = [] if round.chat_id > 0 else private.waiting_for(tx, round.chat_id, key_of(round.id))
    people_shown += waiting
    best = boards.best_time(tx, round, round.winner_id) if round.winner_id else None
    return round, Scene(
        now=now,
        names=people.names(tx, people_shown),
        notes=notes,
        votes=tries.vote_count(tx, round.id),
        points=sum(boards.earned(tx, round.id).values()) if over else 0,
        private=round.chat_id > 0,
        heard=round.chat_id > 0 or chosen.heard,
        hints=duel is None and chosen.hints,
        finds=finds,
        entries=entries,
        miss=miss,
        standings=standings,
        proofs=_proofs(shown),
        best=best,
        waiting=waiting,
        door=secretly.address(tx, round),
        board=board(round.chat_id, round.topic, round.id),
        honours=honours,
        practice=practices.session(tx, round) if round.kind is Kind.PRACTICE else None,
        pictures=chosen.pictures,
        photo=photos.shown(tx, round.chat_id, round.message_id),
    )


def _proofs(hands: Iterable[Round]) -> list[str]:
    return [GAMES[hand.game].proof(hand.puzzle) for hand in hands]


def _standings(tx: Tx, hands: list[Round]) -> Standings | None:
    race = races.by_id(tx, hands[0].race_id or 0)
    if race is None:
        return None
    legs = [_leg(tx, hand) for hand in hands if hand.state is not State.OPEN]
    duel = duels.of_race(tx, race.id)
    return Standings(
        race,
        legs,
        races.points(tx, race.id),
        tries.stop_count(tx, race.id),
        duel,
        duels.score(tx, duel) if duel else {},
    )


def _leg(tx: Tx, hand: Round) -> Leg:
    found = rounds.finds(tx, hand.id) if hand.kind is Kind.BEST else []
    return Leg(hand, boards.earned(tx, hand.id), found[0].answer if found else "")


async def drawn(
    store: Store, body: dict[str, Any], now: float, board: BoardAt = messages.no_board
) -> dict[str, Any] | None:
    """The request that shows a round as it stands: a post the first time, an edit from then on."""
    try:
        found = await store.read(lambda tx: scene(tx, body["round"], now, board))
        if found is None:
            return None
        round, around = found
        if round.message_id is None and not round.seen:
            round = starting(round, now)
        return _request(round, around) | _shows(round, around)
    except Exception as error:
        if storage_trouble(error):
            raise
        logs.unforeseen(log, f"round {body['round']} can't be shown", error)
    broken = await store.read(lambda tx: rounds.by_id(tx, body["round"]))
    if broken is None:
        return None
    told = words(broken.language).say("This hand can’t be shown: something is wrong with it.")
    return _addressed(broken, told, None)


async def seeds(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The reply to a photo that tells the seeds for which its caption has no room; None where it has."""
    found = await store.read(lambda tx: scene(tx, body["params"].get("round"), now))
    if found is None:
        return None
    round, around = found
    if not around.photo or tells_seeds(round, words(round.language), around):
        return None
    told = proof.folded([*around.proofs, *_proofs([round])])
    if not told:
        return None
    return messages.post(round.chat_id, told[0], topic=round.topic, reply_to=round.message_id).body


def _shows(round: Round, around: Scene) -> dict[str, Any]:
    """The picture for a photo, or for a post that may become one; nothing for a message of text."""
    speech = words(round.language)
    posts = round.message_id is None
    if (posts and around.pictures is Pictures.OFF) or not (posts or around.photo):
        return {}
    found = picture(round, speech, around)
    if found is None and posts:
        return {}
    text = beside(caption(round, speech, around)[0], [told(found)])
    return {"photo": shows(found, speech.language, text, around.photo)}


def _request(round: Round, around: Scene) -> dict[str, Any]:
    """The round as a message of text."""
    return _addressed(round, *living(round, words(round.language), around))


def _addressed(round: Round, text: Html, keyboard: Keyboard | None) -> dict[str, Any]:
    """What the round's message is to say, as the request that says it."""
    if round.message_id is not None:
        redrawn = messages.edit(round.chat_id, round.message_id, text, keyboard).body
        return {**redrawn, "about": f"{DRAWN}:{round.id}"}
    return messages.post(
        round.chat_id,
        text,
        topic=round.topic,
        reply_to=round.asked_id,
        keyboard=keyboard,
        about=f"{DEAL}:{round.id}",
    ).body


def dealt(tx: Tx, deal: Delivered) -> None:
    """A round was posted: it is known by its message from now on, and its time runs."""
    message = int(deal.result["message_id"])
    rounds.dealt(tx, deal.number, message, deal.at, deal.since)
    photos.posted(tx, deal.number, message, deal.result.get("content"))


def redrawn(tx: Tx, edit: Delivered) -> None:
    """A round's message was drawn anew: its time runs, if that is how it was first shown."""
    rounds.first_shown(tx, edit.number, edit.now)
    if "content" in edit.result:
        photos.posted(tx, edit.number, int(edit.result["message_id"]), edit.result["content"])


def lost(tx: Tx, message: Lost) -> bool:
    """A round's message can't be changed any more; whether the round is to get a new one."""
    if message.about.partition(":")[0] != DRAWN:
        return False
    return rounds.lose_message(tx, message.chat_id, message.message_id, unasked=message.unasked)


async def _delete_old(running: Running, now: float) -> bool:
    """Delete some rounds that were over long ago; False where there may be more, so that the next look goes
    on.
    """
    if not running.kept:
        return True
    return not await running.store.write(lambda tx: rounds.delete_old(tx, now - running.kept))


ROUTES = Routes(
    draws={SEEDS: seeds},
    linking={SHOW: drawn},
    receipts={DEAL: dealt, DRAWN: redrawn},
    losing=[lost],
    timed=[
        DEADLINES,
        hourly("what people were shown long ago", secrecy.sweep),
        hourly("what photos showed", photos.sweep),
        TimedWork("rounds of long ago", HOUR, _delete_old),
    ],
)
