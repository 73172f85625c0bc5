"""Draw the message of a round when its turn to be sent comes, and record its delivery or loss."""

import logging
from dataclasses import replace
from typing import Any

from bot import logs
from bot.database import Tx, is_database_failure
from bot.durations import HOUR
from bot.i18n import Html, Words, clean_name, find_mentions, get_words, strip_tags
from bot.pictures.alt_text import render_alt_text
from bot.pictures.values import Picture, SolutionPicture
from bot.players import preferences
from bot.players import private_replies as private
from bot.players import queries as people
from bot.players.preferences import Pictures
from bot.queue.outgoing import Outgoing
from bot.queue.rendering import MessagePhoto, RenderedRequest, append_description, make_message_photo
from bot.queue.timers import TimedTask, TimerContext, make_hourly_cleanup
from bot.rounds import attempts, chains, ledger, secrecy, secret_answers
from bot.rounds import queries as rounds
from bot.rounds.mode import SINGLE_HAND, find_mode
from bot.rounds.puzzle import RUN_KINDS, Find, Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, start_clock
from bot.rounds.view import (
    TITLE_LOADERS,
    Snapshot,
    render_caption,
    render_message,
)
from bot.telegram import messages
from bot.telegram.messages import SHOW_ROUND, Keyboard, MakeBoardUrl
from bot.telegram.routes import DRAWN_ROUND, DeliveredRequest, LostMessage, RenderContext, Routes

log = logging.getLogger(__name__)

DEAL_RECEIPT = "deal"
MIN_SITTING = 3  # Hands from which the chat is offered to review them


def load_snapshot(
    tx: Tx, round_id: int, now: float, make_board_url: MakeBoardUrl = messages.make_no_board_url
) -> tuple[Round, Snapshot] | None:
    """Return the round and its snapshot; for any round of a race, its last hand. None if it can't be read."""
    round = rounds.load_round(tx, round_id)
    if round is None:
        return None
    mode = find_mode(round)
    frame = mode.load_frame(tx, round)
    hands = frame.shown_rounds or [round]
    round = hands[-1]
    is_private = round.is_private
    is_over = round.state is not State.OPEN
    kind = "private" if is_private else "supergroup"  # for a chat that is not stored: its default choices
    chosen = preferences.read_preferences(people.load_chat(tx, round.chat_id, kind))
    round_key = private.make_round_key(round.id)
    skip_voters = attempts.load_skip_voters(tx, round.id)
    snapshot = Snapshot(
        now=now,
        notes=attempts.load_notes(tx, round.id),
        skip_voters=skip_voters,
        late_players=attempts.load_late_players(tx, round) if is_over else [],
        votes_needed=round.votes_needed,
        points=sum(ledger.load_round_points(tx, round.id).values()) if is_over else 0,
        is_early=rounds.is_early(tx, round),
        reads_all_messages=is_private or chosen.hears_all,
        offers_hints=chosen.hints and mode.refuse_hint(tx, round) is None,
        offers_review=is_over and mode is SINGLE_HAND and _has_sitting(tx, round),
        finds=rounds.load_finds(tx, round.id) if round.kind is not Kind.FIRST else [],
        entries=attempts.load_entries(tx, round) if round.kind in (Kind.BEST, Kind.CONTEST) else [],
        nearest_miss=attempts.load_nearest_miss(tx, round.id) if is_over else None,
        frame=frame,
        fair_link=chains.make_fair_link(tx, round),
        best_seconds=ledger.load_best_seconds(tx, round, round.winner_id) if round.winner_id else None,
        waiting_players=[] if is_private else private.load_waiting_players(tx, round.chat_id, round_key),
        answer_link=secret_answers.make_answer_link(tx, round),
        board_link=make_board_url(round.chat_id, round.topic, round.id),
        achievements=[titles for load_titles in TITLE_LOADERS for titles in load_titles(tx, hands)],
        pictures=chosen.pictures,
        shown_picture=rounds.load_shown_picture(tx, round.chat_id, round.message_id),
    )
    return round, replace(snapshot, names=people.load_names(tx, _list_players(round, snapshot)))


def _has_sitting(tx: Tx, round: Round) -> bool:
    """Whether so many hands were played one by one up to this round that a review is worth a button."""
    return len(rounds.load_sitting(tx, round, MIN_SITTING)) == MIN_SITTING


def _list_players(round: Round, snapshot: Snapshot) -> list[int]:
    """Return all players whom the message may name, some of them several times."""
    answers: list[Any] = [*snapshot.notes, *snapshot.finds, *snapshot.entries]
    if snapshot.nearest_miss:
        answers.append(snapshot.nearest_miss)
    players = [answer.player_id for answer in answers]
    for note in snapshot.notes:
        players += find_mentions(note.text)
    players += [titles.player_id for titles in snapshot.achievements]
    players += [*snapshot.waiting_players, *snapshot.skip_voters, *snapshot.late_players]
    if round.winner_id:
        players.append(round.winner_id)
    return [*players, *snapshot.frame.list_players()]


async def draw_round(context: RenderContext, request: Outgoing) -> RenderedRequest | None:
    """Return the request that shows a round as it is now: a post the first time, later an edit.

    Before the first post the time left is counted from now. None if the round no longer exists. If it can't
    be rendered, its message says so. Raises only errors of the database.
    """
    round_id, store, now = request.key, context.store, context.now
    try:
        found = await store.read(lambda tx: load_snapshot(tx, round_id, now, context.make_board_url))
        if found is None:
            return None
        round, snapshot = found
        if round.message_id is None and not round.was_displayed:
            round = start_clock(round, now)
        text, keyboard = render_message(round, get_words(round.language), snapshot)
        return RenderedRequest(_make_request(round, text, keyboard), _make_photo(round, snapshot))
    except Exception as error:
        if is_database_failure(error):
            raise
        logs.log_unexpected_error(log, f"round {round_id} can't be shown", error)
    # The round itself may still be readable; its language and message are enough for an apology.
    unrenderable = await store.read(lambda tx: rounds.load_round(tx, round_id))
    if unrenderable is None:
        return None
    text = get_words(unrenderable.language).translate("This hand can’t be shown: something is wrong with it.")
    return RenderedRequest(_make_request(unrenderable, text, keyboard=None))


def _make_request(round: Round, text: Html, keyboard: Keyboard | None) -> Outgoing:
    """Return the edit of the round's message; if it has none, the post of one."""
    if round.message_id is not None:
        edit = messages.edit_message(round.chat_id, round.message_id, text, keyboard)
        return replace(edit, about=f"{DRAWN_ROUND}:{round.id}")
    return messages.post_message(
        round.chat_id,
        text,
        topic=round.topic,
        reply_to=round.asked_id,
        keyboard=keyboard,
        about=f"{DEAL_RECEIPT}:{round.id}",
    )


def _make_photo(round: Round, snapshot: Snapshot) -> MessagePhoto | None:
    """Return the message's photo; None for an edit of a text, and if the chat shows no pictures."""
    is_post = round.message_id is None
    if is_post and snapshot.pictures is Pictures.OFF:
        return None
    if not is_post and not snapshot.shown_picture:
        return None  # a text can't become a photo
    words = get_words(round.language)
    picture = choose_picture(round, words, snapshot)
    if picture is None and is_post:
        return None  # an edit of a photo would change only its caption
    caption, _ = render_caption(round, words, snapshot)
    text = append_description(caption, [render_alt_text(picture)])
    return make_message_photo(picture, words.language, text, snapshot.shown_picture)


def choose_picture(round: Round, words: Words, snapshot: Snapshot) -> Picture | None:
    """Return the picture of the deal, or of the end where the chat chose all pictures.

    None for a contest, where each player has another roll, in a run, whose hands change quickly, and if the
    game draws none. Every name and number in the picture also stands in the message's text or below it
    (`bot.pictures.alt_text`).
    """
    if round.kind is Kind.CONTEST or round.kind in RUN_KINDS:
        return None
    end = _make_end_picture(round, words, snapshot) if snapshot.pictures is Pictures.ALL else None
    return end or GAMES[round.game].pictures.make_deal_picture(round.puzzle)


def _make_end_picture(round: Round, words: Words, snapshot: Snapshot) -> Picture | None:
    """Return the picture of the end of the round or race; None if it is open or nobody scored."""
    if snapshot.frame.is_over:
        return snapshot.frame.make_end_picture(words, snapshot.names)
    if round.state is State.OPEN:
        return None
    if round.kind is Kind.BEST and snapshot.finds:
        most_points = max(find.points for find in snapshot.finds)
        first, *others = (find for find in snapshot.finds if find.points == most_points)
        return _make_solution_picture(round, words, snapshot, first, others=len(others))
    if round.state is State.WON and round.winner_id and round.kind is not Kind.ALL:
        winning_find = Find(round.winner_id, round.answer or "", part="", points=snapshot.points)
        return _make_solution_picture(round, words, snapshot, winning_find)
    return None


def _make_solution_picture(
    round: Round, words: Words, snapshot: Snapshot, find: Find, others: int = 0
) -> SolutionPicture | None:
    """Return the picture of an answer, its author and how many `others` tie; None if it can't be drawn."""
    game = GAMES[round.game]
    tree = game.pictures.make_solution_tree(round.puzzle, find.answer)
    if tree is None:
        return None
    distance = game.entries.get_distance(round.puzzle, find.answer) if game.entries else 0
    notes = [words.translate_plain("{n} away", n=distance)] if distance else []
    if find.points:
        notes.append(f"+{strip_tags(words.translate_plural('{n} point', '{n} points', find.points))}")
    name = clean_name(snapshot.names.get(find.player_id) or "")
    if others:
        name = strip_tags(
            words.translate_plural("{name} and {n} more", "{name} and {n} more", others, name=name)
        )
    return SolutionPicture(name, " · ".join(notes), tree)


def record_deal(tx: Tx, deal: DeliveredRequest) -> None:
    """Record the message that shows a new round, and its picture; start the round's clock."""
    rounds.record_deal_message(tx, deal.about_id, deal.message_id, deal.delivered_at, deal.first_sent_at)
    rounds.update_shown_picture(tx, deal.about_id, deal.message_id, deal.picture_key or None)


def record_edit(tx: Tx, edit: DeliveredRequest) -> None:
    """Record that an edit first displayed a round, if it did, and the picture that the message shows now."""
    rounds.record_first_display(tx, edit.about_id, edit.now)
    if edit.picture_key:
        rounds.update_shown_picture(tx, edit.about_id, edit.message_id, edit.picture_key)


def handle_lost_message(tx: Tx, message: LostMessage) -> bool:
    """Detach a lost message from its round; return whether to show the round again, False for others."""
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
    renderers={SHOW_ROUND: draw_round},
    delivery_handlers={DEAL_RECEIPT: record_deal, DRAWN_ROUND: record_edit},
    lost_message_handlers=[handle_lost_message],
    timed_tasks=[
        make_hourly_cleanup("old records of shown solutions", secrecy.delete_old_reveals),
        make_hourly_cleanup("old wrong answers", attempts.delete_old_wrong_answers),
        make_hourly_cleanup("old pictures of rounds", rounds.forget_old_pictures),
        TimedTask("old rounds", HOUR, _delete_old_rounds),
    ],
)
