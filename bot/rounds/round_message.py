"""Draw the message of a round when its turn to be sent comes, and record its delivery or loss."""

import logging
from dataclasses import replace
from typing import Any

from bot import logs
from bot.admin.private_replies import queries as private
from bot.admin.settings import preferences
from bot.admin.settings.preferences import Pictures
from bot.database import Store, Tx, is_database_failure
from bot.durations import HOUR
from bot.i18n import Html, Words, clean_name, find_mentions, get_words, strip_tags
from bot.modes.duel import queries as duels
from bot.modes.duel.view import make_duel_picture
from bot.modes.practice import queries as practices
from bot.modes.race import queries as races
from bot.modes.race.view import RaceHand, RaceStandings, make_race_picture
from bot.pictures.alt_text import render_alt_text
from bot.pictures.values import Picture, SolutionPicture
from bot.players import queries as people
from bot.queue.queries import SHOW_ROUND
from bot.queue.timers import TimedTask, TimerContext, make_hourly_cleanup
from bot.rounds import attempts, message_lines, private_answers, secrecy
from bot.rounds import queries as rounds
from bot.rounds.deadlines import DEADLINES
from bot.rounds.puzzle import Find, Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, start_clock
from bot.rounds.view import PROOFS_METHOD, Snapshot, has_room_for_proofs, render_caption, render_message
from bot.standings.achievements import queries as achievements
from bot.standings.leaderboard import queries as boards
from bot.telegram import messages
from bot.telegram.messages import Keyboard, MakeBoardUrl
from bot.telegram.photo_messages import append_description, make_message_photo
from bot.telegram.routes import DRAWN_ROUND, DeliveredRequest, LostMessage, Routes

log = logging.getLogger(__name__)

DEAL_RECEIPT = "deal"


def load_snapshot(
    tx: Tx, round_id: int, now: float, make_board_url: MakeBoardUrl = messages.make_no_board_url
) -> tuple[Round, Snapshot] | None:
    """Return the round and its snapshot; for any round of a race, its last hand. None if it can't be read."""
    round = rounds.load_round(tx, round_id)
    if round is None:
        return None
    hands, standings = _load_shown_hands(tx, round)
    *earlier_hands, round = hands
    is_private = round.is_private
    is_over = round.state is not State.OPEN
    kind = "private" if is_private else "supergroup"  # for a chat that is not stored: its default choices
    chosen = preferences.read_preferences(people.load_chat(tx, round.chat_id, kind))
    round_key = private.make_round_key(round.id)
    duel = standings.duel if standings else None
    snapshot = Snapshot(
        now=now,
        notes=attempts.load_notes(tx, round.id),
        skip_votes=len(attempts.load_skip_voters(tx, round.id)),
        points=sum(boards.load_round_points(tx, round.id).values()) if is_over else 0,
        is_private=is_private,
        reads_all_messages=is_private or chosen.hears_all,
        offers_hints=duel is None and chosen.hints,
        finds=rounds.load_finds(tx, round.id) if round.kind is not Kind.FIRST else [],
        entries=attempts.load_entries(tx, round) if round.kind in (Kind.BEST, Kind.CONTEST) else [],
        nearest_miss=attempts.load_nearest_miss(tx, round.id) if is_over else None,
        standings=standings,
        earlier_proofs=[GAMES[hand.game].get_proof(hand.puzzle) for hand in earlier_hands],
        best_seconds=boards.load_best_seconds(tx, round, round.winner_id) if round.winner_id else None,
        waiting_players=[] if is_private else private.load_waiting_players(tx, round.chat_id, round_key),
        answer_link=private_answers.make_answer_link(tx, round),
        board_link=make_board_url(round.chat_id, round.topic, round.id),
        achievements=achievements.load_round_achievements(tx, [hand.id for hand in hands]),
        practice_session=practices.load_report(tx, round) if round.kind is Kind.PRACTICE else None,
        pictures=chosen.pictures,
        shown_picture=rounds.load_shown_picture(tx, round.chat_id, round.message_id),
    )
    return round, replace(snapshot, names=people.load_names(tx, _list_players(round, snapshot)))


def _load_shown_hands(tx: Tx, round: Round) -> tuple[list[Round], RaceStandings | None]:
    """Return the hands that the message of a round shows, and the standings of its race.

    A single round has no standings. A race shows all its hands at the end, before that the last two.
    """
    if round.race_id is None:
        return [round], None
    hands = rounds.load_race_rounds(tx, round.race_id)
    standings = _load_standings(tx, hands)
    if standings and standings.race.is_open:
        hands = hands[-2:]
    return hands, standings


def _list_players(round: Round, snapshot: Snapshot) -> list[int]:
    """Return all players whom the message may name, some of them several times."""
    answers: list[Any] = [*snapshot.notes, *snapshot.finds, *snapshot.entries]
    if snapshot.nearest_miss:
        answers.append(snapshot.nearest_miss)
    players = [answer.player_id for answer in answers]
    for note in snapshot.notes:
        players += find_mentions(note.text)
    players += [player_id for player_id, _ in snapshot.achievements]
    players += snapshot.waiting_players
    if round.winner_id:
        players.append(round.winner_id)
    if snapshot.standings:
        players += snapshot.standings.points  # the keys
        players += snapshot.standings.duel.player_ids if snapshot.standings.duel else ()
    return players


def _load_standings(tx: Tx, hands: list[Round]) -> RaceStandings | None:
    """Return the standings of the race, or duel, with these hands; None if the race does not exist."""
    race = races.load_race(tx, hands[0].race_id or 0)  # 0: no race
    if race is None:
        return None
    ended: list[RaceHand] = []
    for hand in hands:
        if hand.state is not State.OPEN:
            finds = rounds.load_finds(tx, hand.id) if hand.kind is Kind.BEST else []
            best_answer = finds[0].answer if finds else ""
            ended.append(RaceHand(hand, boards.load_round_points(tx, hand.id), best_answer))
    points = races.load_points(tx, race.id)
    stop_votes = len(attempts.load_stop_voters(tx, race.id))
    duel = duels.load_duel_of_race(tx, race.id)
    duel_score = duels.load_score(tx, duel) if duel else {}
    return RaceStandings(race, ended, points, stop_votes, duel, duel_score)


async def draw_round(
    store: Store, body: dict[str, Any], now: float, make_board_url: MakeBoardUrl = messages.make_no_board_url
) -> dict[str, Any] | None:
    """Return the request that shows a round as it is now: a post the first time, later an edit.

    Before the first post the time left is counted from `now`. None if the round no longer exists. If it can't
    be rendered, its message says so. Raises only errors of the database.
    """
    try:
        found = await store.read(lambda tx: load_snapshot(tx, body["round"], now, make_board_url))
        if found is None:
            return None
        round, snapshot = found
        if round.message_id is None and not round.was_displayed:
            round = start_clock(round, now)
        text, keyboard = render_message(round, get_words(round.language), snapshot)
        return _make_request(round, text, keyboard) | _make_photo(round, snapshot)
    except Exception as error:
        if is_database_failure(error):
            raise
        logs.log_unexpected_error(log, f"round {body['round']} can't be shown", error)
    # The round itself may still be readable; its language and message are enough for an apology.
    unrenderable = await store.read(lambda tx: rounds.load_round(tx, body["round"]))
    if unrenderable is None:
        return None
    text = get_words(unrenderable.language).translate("This hand can’t be shown: something is wrong with it.")
    return _make_request(unrenderable, text, keyboard=None)


def _make_request(round: Round, text: Html, keyboard: Keyboard | None) -> dict[str, Any]:
    """Return the edit of the round's message; if it has none, the post of one."""
    if round.message_id is not None:
        edit = messages.edit_message(round.chat_id, round.message_id, text, keyboard).body
        return {**edit, "about": f"{DRAWN_ROUND}:{round.id}"}
    return messages.post_message(
        round.chat_id,
        text,
        topic=round.topic,
        reply_to=round.asked_id,
        keyboard=keyboard,
        about=f"{DEAL_RECEIPT}:{round.id}",
    ).body


def _make_photo(round: Round, snapshot: Snapshot) -> dict[str, Any]:
    """Return what makes a request a photo; empty for an edit of a text, and if the chat shows no pictures."""
    is_post = round.message_id is None
    if is_post and snapshot.pictures is Pictures.OFF:
        return {}
    if not is_post and not snapshot.shown_picture:
        return {}  # a text can't become a photo
    words = get_words(round.language)
    picture = choose_picture(round, words, snapshot)
    if picture is None and is_post:
        return {}  # an edit of a photo would change only its caption
    caption, _ = render_caption(round, words, snapshot)
    text = append_description(caption, [render_alt_text(picture)])
    return {"photo": make_message_photo(picture, words.language, text, snapshot.shown_picture)}


def choose_picture(round: Round, words: Words, snapshot: Snapshot) -> Picture | None:
    """Return the picture of the deal, or of the end where the chat chose all pictures.

    None for a contest, where each player has another roll, and if the game draws none. Every name and number
    in the picture also stands in the message's text or below it (`bot.pictures.alt_text`).
    """
    if round.kind is Kind.CONTEST:
        return None
    end = _make_end_picture(round, words, snapshot) if snapshot.pictures is Pictures.ALL else None
    return end or GAMES[round.game].make_deal_picture(round.puzzle)


def _make_end_picture(round: Round, words: Words, snapshot: Snapshot) -> Picture | None:
    """Return the picture of the end of the round or race; None if it is open or nobody scored."""
    standings = snapshot.standings
    if standings and not standings.race.is_open:
        if standings.duel:
            return make_duel_picture(words, standings, standings.duel, snapshot.names)
        if not standings.points:
            return None
        return make_race_picture(words, standings, snapshot.names)
    if round.state is State.OPEN:
        return None
    if round.kind is Kind.BEST and snapshot.finds:
        most_points = max(find.points for find in snapshot.finds)
        winners = [find for find in snapshot.finds if find.points == most_points]
        return _make_solution_picture(round, words, snapshot, winners[0], others=len(winners) - 1)
    if round.state is State.WON and round.winner_id and round.kind is not Kind.ALL:
        winning_find = Find(round.winner_id, round.answer or "", part="", points=snapshot.points)
        return _make_solution_picture(round, words, snapshot, winning_find)
    return None


def _make_solution_picture(
    round: Round, words: Words, snapshot: Snapshot, find: Find, others: int = 0
) -> SolutionPicture | None:
    """Return the picture of an answer, its author and how many `others` tie; None if it can't be drawn."""
    game = GAMES[round.game]
    tree = game.make_solution_tree(round.puzzle, find.answer)
    if tree is None:
        return None
    notes = [game.get_missed_target(round.puzzle, find.answer)]
    if find.points:
        notes.append(f"+{strip_tags(words.translate_plural('{n} point', '{n} points', find.points))}")
    name = clean_name(snapshot.names.get(find.player_id) or "")
    if others:
        name = strip_tags(
            words.translate_plural("{name} and {n} more", "{name} and {n} more", others, name=name)
        )
    return SolutionPicture(name, " · ".join(filter(None, notes)), tree)


async def make_proofs_reply(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """Return the reply to a photo with all proofs; None if they fit into its caption or there are none."""
    found = await store.read(lambda tx: load_snapshot(tx, body["params"].get("round"), now))
    if found is None:
        return None
    round, snapshot = found
    own_proof = GAMES[round.game].get_proof(round.puzzle)
    proofs = message_lines.render_folded_proofs([*snapshot.earlier_proofs, own_proof])
    if not snapshot.shown_picture or not proofs:
        return None
    if has_room_for_proofs(round, get_words(round.language), snapshot):
        return None
    (text,) = proofs  # all in one block that unfolds
    return messages.post_message(round.chat_id, text, topic=round.topic, reply_to=round.message_id).body


def record_deal(tx: Tx, deal: DeliveredRequest) -> None:
    """Record the message that shows a new round, and its picture; start the round's clock."""
    message_id = int(deal.result["message_id"])
    picture = deal.result.get("content")  # none for a text
    rounds.record_deal_message(tx, deal.about_id, message_id, deal.delivered_at, deal.first_sent_at)
    rounds.update_shown_picture(tx, deal.about_id, message_id, picture)


def record_edit(tx: Tx, edit: DeliveredRequest) -> None:
    """Record that an edit first displayed a round, if it did, and the picture that the message shows now."""
    rounds.record_first_display(tx, edit.about_id, edit.now)
    if "content" in edit.result:  # of a photo: the name of its picture
        message_id = int(edit.result["message_id"])
        rounds.update_shown_picture(tx, edit.about_id, message_id, edit.result["content"])


def handle_lost_message(tx: Tx, message: LostMessage) -> bool:
    """Detach a lost message from its round; return whether to post a new one, False for other messages."""
    kind, _, _round_id = message.about.partition(":")
    if kind != DRAWN_ROUND:
        return False
    return rounds.record_lost_message(tx, message.chat_id, message.message_id, clock_only=message.is_refresh)


async def _delete_old_rounds(timer: TimerContext, now: float) -> bool:
    """Delete some old rounds, unless all are kept; return False if there may be more to delete."""
    if not timer.keep_seconds:
        return True
    may_be_more = await timer.store.write(lambda tx: rounds.delete_old_rounds(tx, now - timer.keep_seconds))
    return not may_be_more


ROUTES = Routes(
    renderers={PROOFS_METHOD: make_proofs_reply},
    linked_renderers={SHOW_ROUND: draw_round},
    delivery_handlers={DEAL_RECEIPT: record_deal, DRAWN_ROUND: record_edit},
    lost_message_handlers=[handle_lost_message],
    timed_tasks=[
        DEADLINES,
        make_hourly_cleanup("what people were shown long ago", secrecy.delete_old_reveals),
        make_hourly_cleanup("what photos showed", rounds.forget_old_pictures),
        TimedTask("rounds of long ago", HOUR, _delete_old_rounds),
    ],
)
