"""The message of a round: drawn as it stands when its turn comes, remembered once it has arrived, or lost."""

import logging
from collections.abc import Iterable
from typing import Any

from bot import logs
from bot.admin.private_replies import queries as private
from bot.admin.private_replies.queries import make_round_key
from bot.admin.settings import preferences as preferences
from bot.admin.settings.preferences import Pictures
from bot.database import Store, Tx, is_database_failure
from bot.durations import HOUR
from bot.i18n import Html, Words, clean_name, find_mentions, get_words, strip_tags
from bot.modes.duel import queries as duels
from bot.modes.duel import view as duel
from bot.modes.practice import queries as practices
from bot.modes.race import queries as races
from bot.modes.race import view as race
from bot.modes.race.view import RaceHand, RaceStandings
from bot.pictures.alt_text import render_alt_text
from bot.pictures.values import Picture, SolutionPicture
from bot.players import queries as people
from bot.queue.queries import SHOW_ROUND
from bot.queue.timers import TimedTask, TimerContext, make_hourly_cleanup
from bot.rounds import attempts, message_lines, private_answers, queries, secrecy
from bot.rounds import attempts as handing
from bot.rounds import queries as rounds
from bot.rounds.deadlines import DEADLINES
from bot.rounds.puzzle import Find, Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, start_clock
from bot.rounds.view import SEEDS_METHOD, Snapshot, has_room_for_seeds, render_caption, render_message
from bot.standings.achievements import queries as achievements
from bot.standings.leaderboard import queries as boards
from bot.telegram import messages
from bot.telegram.messages import Keyboard, MakeBoardUrl
from bot.telegram.photo_messages import append_description, make_message_photo
from bot.telegram.routes import DRAWN_ROUND, DeliveredRequest, LostMessage, Routes


def choose_picture(round: Round, words: Words, scene: Snapshot) -> Picture | None:
    """The picture; None where its game has none. A photo shows what is dealt, whatever its chat chose since.

    A contest is shown in words: each of its players has a roll of their own.
    """
    if round.kind is Kind.CONTEST:
        return None
    end = _end(round, words, scene) if scene.pictures is Pictures.ALL else None
    return end or GAMES[round.game].make_deal_picture(round.puzzle)


def _end(round: Round, words: Words, scene: Snapshot) -> Picture | None:
    """How the round, its race or its duel ended; None while it goes on, and where nobody found anything."""
    standings = scene.standings
    if standings and not standings.race.open:
        if standings.duel:
            return duel.make_duel_picture(words, standings, standings.duel, scene.names)
        return race.make_race_picture(words, standings, scene.names) if standings.points else None
    return _won(round, words, scene) if round.state is not State.OPEN else None


def _won(round: Round, words: Words, scene: Snapshot) -> SolutionPicture | None:
    """The answer of the winner, or of the first of those who came as near."""
    if round.kind is Kind.BEST and scene.finds:
        points = max(find.points for find in scene.finds)
        found = [find for find in scene.finds if find.points == points]
        return _solved(round, words, scene, found[0], others=len(found) - 1)
    if round.state is State.WON and round.winner_id and round.kind is not Kind.ALL:
        return _solved(round, words, scene, Find(round.winner_id, round.answer or "", "", scene.points))
    return None


def _solved(
    round: Round, words: Words, scene: Snapshot, found: Find, others: int = 0
) -> SolutionPicture | None:
    game = GAMES[round.game]
    tree = game.make_solution_tree(round.puzzle, found.answer)
    if tree is None:
        return None
    missed = game.get_missed_target(round.puzzle, found.answer)
    parts = [missed] if missed else []
    if found.points:
        parts.append(f"+{strip_tags(words.translate_plural('{n} point', '{n} points', found.points))}")
    name = clean_name(scene.names.get(found.player_id) or "")
    if others:
        name = strip_tags(
            words.translate_plural("{name} and {n} more", "{name} and {n} more", others, name=name)
        )
    return SolutionPicture(name, " · ".join(parts), tree)


log = logging.getLogger(__name__)

DEAL_RECEIPT = "deal"


def load_snapshot(
    tx: Tx, round_id: int, now: float, board: MakeBoardUrl = messages.make_no_board_url
) -> tuple[Round, Snapshot] | None:
    """The round and its scene; of a race, the hand on the table, whichever of its rounds was asked for."""
    asked = rounds.load_round(tx, round_id)
    if asked is None:
        return None
    standings, shown, round = None, list[Round](), asked
    if asked.race_id is not None:
        hands = rounds.load_race_rounds(tx, asked.race_id)
        round, shown = hands[-1], hands[:-1]
        standings = _standings(tx, hands)
        if standings and standings.race.open:
            shown = shown[-1:]  # what the hand before this one earned has no other place
    notes = attempts.load_notes(tx, round.id)
    finds = rounds.load_finds(tx, round.id) if round.kind is not Kind.FIRST else []
    entries = handing.load_entries(tx, round) if round.kind in (Kind.BEST, Kind.CONTEST) else []
    over = round.state is not State.OPEN
    miss = attempts.load_nearest_miss(tx, round.id) if over else None
    honours = achievements.load_round_achievements(tx, [each.id for each in (*shown, round)])
    people_shown = [n.player_id for n in notes] + [who for n in notes for who in find_mentions(n.text)]
    people_shown += [f.player_id for f in finds]
    people_shown += [entry.player_id for entry in entries]
    people_shown += [who for who in (round.winner_id, miss.player_id if miss else None) if who]
    people_shown += list(standings.points) if standings else []
    duel = standings.duel if standings else None
    people_shown += duel.player_ids if duel else ()
    people_shown += [honour.player_id for honour in honours]
    kind = "private" if round.chat_id > 0 else "supergroup"
    chosen = preferences.read_preferences(people.load_chat(tx, round.chat_id, kind))
    waiting = (
        [] if round.chat_id > 0 else private.load_waiting_players(tx, round.chat_id, make_round_key(round.id))
    )
    people_shown += waiting
    best = boards.load_best_seconds(tx, round, round.winner_id) if round.winner_id else None
    return round, Snapshot(
        now=now,
        names=people.load_names(tx, people_shown),
        notes=notes,
        skip_votes=attempts.count_skip_votes(tx, round.id),
        points=sum(boards.load_round_points(tx, round.id).values()) if over else 0,
        is_private=round.chat_id > 0,
        reads_all_messages=round.chat_id > 0 or chosen.hears_all,
        offers_hints=duel is None and chosen.hints,
        finds=finds,
        entries=entries,
        nearest_miss=miss,
        standings=standings,
        earlier_proofs=_proofs(shown),
        best_seconds=best,
        waiting_players=waiting,
        answer_link=private_answers.make_answer_link(tx, round),
        board_link=board(round.chat_id, round.topic, round.id),
        honours=honours,
        practice_session=practices.load_report(tx, round) if round.kind is Kind.PRACTICE else None,
        pictures=chosen.pictures,
        shown_picture=queries.load_shown_picture(tx, round.chat_id, round.message_id),
    )


def _proofs(hands: Iterable[Round]) -> list[str]:
    return [GAMES[hand.game].get_proof(hand.puzzle) for hand in hands]


def _standings(tx: Tx, hands: list[Round]) -> RaceStandings | None:
    race = races.load_race(tx, hands[0].race_id or 0)
    if race is None:
        return None
    legs = [_leg(tx, hand) for hand in hands if hand.state is not State.OPEN]
    duel = duels.load_duel_of_race(tx, race.id)
    return RaceStandings(
        race,
        legs,
        races.load_points(tx, race.id),
        attempts.count_stop_votes(tx, race.id),
        duel,
        duels.load_score(tx, duel) if duel else {},
    )


def _leg(tx: Tx, hand: Round) -> RaceHand:
    found = rounds.load_finds(tx, hand.id) if hand.kind is Kind.BEST else []
    return RaceHand(hand, boards.load_round_points(tx, hand.id), found[0].answer if found else "")


async def draw_round(
    store: Store, body: dict[str, Any], now: float, board: MakeBoardUrl = messages.make_no_board_url
) -> dict[str, Any] | None:
    """The request that shows a round as it stands: a post the first time, an edit from then on."""
    try:
        found = await store.read(lambda tx: load_snapshot(tx, body["round"], now, board))
        if found is None:
            return None
        round, around = found
        if round.message_id is None and not round.was_displayed:
            round = start_clock(round, now)
        return _request(round, around) | _shows(round, around)
    except Exception as error:
        if is_database_failure(error):
            raise
        logs.log_unexpected_error(log, f"round {body['round']} can't be shown", error)
    broken = await store.read(lambda tx: rounds.load_round(tx, body["round"]))
    if broken is None:
        return None
    told = get_words(broken.language).translate("This hand can’t be shown: something is wrong with it.")
    return _addressed(broken, told, None)


async def draw_seeds(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The reply to a photo that tells the seeds for which its caption has no room; None where it has."""
    found = await store.read(lambda tx: load_snapshot(tx, body["params"].get("round"), now))
    if found is None:
        return None
    round, around = found
    if not around.shown_picture or has_room_for_seeds(round, get_words(round.language), around):
        return None
    told = message_lines.render_folded_proofs([*around.earlier_proofs, *_proofs([round])])
    if not told:
        return None
    return messages.post_message(round.chat_id, told[0], topic=round.topic, reply_to=round.message_id).body


def _shows(round: Round, around: Snapshot) -> dict[str, Any]:
    """The picture for a photo, or for a post that may become one; nothing for a message of text."""
    speech = get_words(round.language)
    posts = round.message_id is None
    if (posts and around.pictures is Pictures.OFF) or not (posts or around.shown_picture):
        return {}
    found = choose_picture(round, speech, around)
    if found is None and posts:
        return {}
    text = append_description(render_caption(round, speech, around)[0], [render_alt_text(found)])
    return {"photo": make_message_photo(found, speech.language, text, around.shown_picture)}


def _request(round: Round, around: Snapshot) -> dict[str, Any]:
    """The round as a message of text."""
    return _addressed(round, *render_message(round, get_words(round.language), around))


def _addressed(round: Round, text: Html, keyboard: Keyboard | None) -> dict[str, Any]:
    """What the round's message is to say, as the request that says it."""
    if round.message_id is not None:
        redrawn = messages.edit_message(round.chat_id, round.message_id, text, keyboard).body
        return {**redrawn, "about": f"{DRAWN_ROUND}:{round.id}"}
    return messages.post_message(
        round.chat_id,
        text,
        topic=round.topic,
        reply_to=round.asked_id,
        keyboard=keyboard,
        about=f"{DEAL_RECEIPT}:{round.id}",
    ).body


def record_deal(tx: Tx, deal: DeliveredRequest) -> None:
    """A round was posted: it is known by its message from now on, and its time runs."""
    message = int(deal.result["message_id"])
    rounds.record_deal_message(tx, deal.about_id, message, deal.delivered_at, deal.first_sent_at)
    queries.update_shown_picture(tx, deal.about_id, message, deal.result.get("content"))


def record_edit(tx: Tx, edit: DeliveredRequest) -> None:
    """A round's message was drawn anew: its time runs, if that is how it was first shown."""
    rounds.record_first_display(tx, edit.about_id, edit.now)
    if "content" in edit.result:
        queries.update_shown_picture(
            tx, edit.about_id, int(edit.result["message_id"]), edit.result["content"]
        )


def handle_lost_message(tx: Tx, message: LostMessage) -> bool:
    """A round's message can't be changed any more; whether the round is to get a new one."""
    if message.about.partition(":")[0] != DRAWN_ROUND:
        return False
    return rounds.record_lost_message(tx, message.chat_id, message.message_id, clock_only=message.is_refresh)


async def _delete_old(running: TimerContext, now: float) -> bool:
    """Delete some rounds that were over long ago; False where there may be more, so that the next look goes
    on.
    """
    if not running.keep_seconds:
        return True
    return not await running.store.write(lambda tx: rounds.delete_old_rounds(tx, now - running.keep_seconds))


ROUTES = Routes(
    renderers={SEEDS_METHOD: draw_seeds},
    linked_renderers={SHOW_ROUND: draw_round},
    delivery_handlers={DEAL_RECEIPT: record_deal, DRAWN_ROUND: record_edit},
    lost_message_handlers=[handle_lost_message],
    timed_tasks=[
        DEADLINES,
        make_hourly_cleanup("what people were shown long ago", secrecy.delete_old_reveals),
        make_hourly_cleanup("what photos showed", queries.forget_old_pictures),
        TimedTask("rounds of long ago", HOUR, _delete_old),
    ],
)
