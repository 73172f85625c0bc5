"""Apply the verdict on an answer to its round, and reply.

`bot.rounds.answers` finds the round. The verdict on a secret answer goes to its author alone.
"""

from bot.admin import reactions
from bot.admin.private_replies import queries as private
from bot.admin.settings import preferences
from bot.database import Tx
from bot.i18n import Html, make_mention
from bot.modes.duel import queries as duels
from bot.modes.lesson import commands as lesson
from bot.modes.practice import commands as practice
from bot.players import queries as people
from bot.rounds import attempts, rules, secrecy, secret_answers
from bot.rounds import queries as rounds
from bot.rounds.commands import make_notice, react, reply
from bot.rounds.puzzle import Entry, Find, Kind, Verdict, VerdictKind
from bot.rounds.registry import GAMES
from bot.rounds.round_end import end_round, show_end_and_deal_next
from bot.rounds.rules import Round, State, is_in_time
from bot.rounds.secret_answers import tell_author
from bot.standings.leaderboard import queries as boards
from bot.telegram import messages
from bot.telegram.context import Context
from bot.telegram.messages import Request

WRONG_VALUE, WRONG_NUMBERS, UNREADABLE, WON, ALSO_RIGHT, FOUND_BEFORE = "👎", "👀", "🤔", "🏆", "👏", "🤝"
ENTRY_STORED, NOT_COUNTED = "👌", "👀"
SCORING_KINDS = (Kind.FIRST, Kind.ALL, Kind.BEST)


def get_reaction(verdict: Verdict) -> str:
    """Return the emoji for an answer that is not right."""
    emojis = {VerdictKind.WRONG: WRONG_VALUE, VerdictKind.WRONG_NUMBERS: WRONG_NUMBERS}
    return emojis.get(verdict.kind, UNREADABLE)


def get_author_id(context: Context) -> int:
    """Return the player's id; `ANONYMOUS_ID` for an anonymous admin or a channel."""
    return context.player.id if context.player else attempts.ANONYMOUS_ID


def apply_right_answer(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """Apply a right answer as the kind of the round demands, or reply why it earns nothing."""
    reason = _explain_no_points(context, tx, round)
    if reason is not None:
        return _apply_without_points(context, tx, round, reason)
    if round.kind is Kind.PRACTICE:
        requests = practice.apply_right_answer(context, tx, round, answer)
        if not requests:  # the round is over, or another player's
            return reply_too_late(context, tx, round, answer)
        return requests
    by_kind = {Kind.FIRST: _win, Kind.ALL: _award_find, Kind.BEST: _store_entry}
    apply = by_kind.get(round.kind, _end_unscored)
    return apply(context, tx, round, answer)


def _explain_no_points(context: Context, tx: Tx, round: Round) -> Html | None:
    """Explain that the author watches a duel or was shown a solution; None if neither, or if too late."""
    if not is_in_time(round, context.sent_at) or round.kind not in SCORING_KINDS:
        return None
    author_id = get_author_id(context)
    duel = duels.load_duel_of_race(tx, round.race_id)
    if duel is not None and author_id not in duel.player_ids:
        one, other = (make_mention(player) for player in duel.player_ids)
        return context.words.translate(
            "Right, but this is {one} and {other}’s duel: no points.", one=one, other=other
        )
    if secrecy.find_players_shown_solution(tx, round, [author_id], context.sent_at):
        return context.words.translate(
            "Right, but you asked me about these numbers after the deal: no points."
        )
    return None


def _apply_without_points(context: Context, tx: Tx, round: Round, reason: Html) -> list[Request]:
    """End the round without points and say why, in a race with the next hand.

    A round of the kind *best* goes on: nobody else knows the answer. So does a duel if nobody else has read
    the spectator's answer.
    """
    is_hidden = secret_answers.is_hidden_from_group(context, round)
    is_unread_in_duel = is_hidden and duels.is_duel_spectator(tx, round, get_author_id(context))
    if round.kind is Kind.BEST or is_unread_in_duel:
        return [*_mark_secretly(context, NOT_COUNTED), *tell_author(context, round, reason)]
    if is_hidden:
        replies = tell_author(context, round, reason)
    else:
        replies = make_notice(context, tx, reason, quiet=True)
    void = rules.mark_ended(round, State.VOID, context.sent_at)
    message_id = secret_answers.get_group_message_id(context, round)
    return [*replies, *end_round(tx, void, context.clock_start, message_id)]


def _win(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """End a round of the kind *first* with an award, and go on with its race; or say "too late"."""
    author_id = get_author_id(context)
    streak = rules.count_streak(rounds.load_previous_scored_round(tx, round), author_id)
    day_first = _is_first_win_of_day(context, tx, round)
    result = rules.win_round(round, author_id, answer, context.sent_at, streak=streak, day_first=day_first)
    if result is None:
        return reply_too_late(context, tx, round, answer)
    won, award = result
    message_id = secret_answers.get_group_message_id(context, round)
    # Another transaction may have closed the round, or counted this very message.
    is_closed = rounds.close_round(tx, won)
    if not is_closed or not boards.insert_award(tx, won, award, message_id, context.sent_at):
        return reply_too_late(context, tx, rounds.load_round(tx, round.id) or round, answer)
    # A reply to an earlier answer is of no use any more.
    private.discard_waiting_reply(tx, round.chat_id, author_id, private.make_round_key(round.id))
    return [*react(context, WON), *show_end_and_deal_next(tx, won, context.clock_start, message_id)]


def _is_first_win_of_day(context: Context, tx: Tx, round: Round) -> bool:
    zone = preferences.read_preferences(context.chat).zone
    return boards.is_first_win_of_day(tx, round.chat_id, zone, context.sent_at)


def _award_find(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """Award a find in a round of the kind *all*, end it if all is found; explain a late or repeated one."""
    if not is_in_time(round, context.sent_at):
        return reply_too_late(context, tx, round, answer)
    game = GAMES[round.game]
    author_id = get_author_id(context)
    found = rounds.load_finds(tx, round.id)
    new = Find(author_id, answer, game.identify_part(round, answer, found))
    earlier = next((find for find in found if find.part == new.part), None)
    if earlier is not None:
        reason = _explain_repeat(context, answer, earlier)
        return _react_and_explain(context, tx, round, FOUND_BEFORE, reason)
    day_first = _is_first_win_of_day(context, tx, round)
    award = rules.make_award(round, author_id, answer, context.sent_at, part=new.part, day_first=day_first)
    message_id = secret_answers.get_group_message_id(context, round)
    if not boards.insert_award(tx, round, award, message_id, context.sent_at):
        return []  # this very message was counted before
    if game.is_everything_found(round, [*found, new]):
        over = rules.mark_ended(round, State.WON, context.sent_at)
        return [*react(context, WON), *end_round(tx, over, context.clock_start, message_id)]
    return [*react(context, WON), messages.show_round(round)]


def _explain_repeat(context: Context, answer: str, earlier: Find) -> Html:
    """Say who found the idea of the answer earlier, and by which answer if it differs."""
    words = context.words
    is_same = earlier.answer == answer
    pair = {"one": earlier.answer, "other": answer}
    if earlier.player_id == get_author_id(context):
        if is_same:
            return words.translate("You have found that one already.")
        return words.translate("You have that idea already: {one} and {other} are the same trick.", **pair)
    name = make_mention(earlier.player_id)
    if is_same:
        return words.translate("Right as well! {name} was first.", name=name)
    return words.translate("Same idea as {name}’s: {one} and {other} are the same trick.", name=name, **pair)


def _store_entry(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """Store an entry in a round of the kind *best*, and confirm it to its author; or say "too late".

    The game may bring the deadline forward. A visible message gets a reaction, or a reply if that is
    forbidden. A message that is deleted or that nobody else can read is also confirmed in words.
    """
    if not is_in_time(round, context.sent_at):
        return reply_too_late(context, tx, round, answer)
    game = GAMES[round.game]
    author_id = get_author_id(context)
    attempts.store_entry(tx, round.id, Entry(author_id, answer, context.sent_at))
    private.discard_waiting_reply(tx, round.chat_id, author_id, private.make_round_key(round.id))
    deadline = game.get_early_deadline(round, attempts.load_entries(tx, round), context.handled_at)
    shortened = rules.shorten_deadline(round, deadline)
    if shortened != round:
        rounds.update_game_state(tx, shortened)
    entry = game.format_answer(round.puzzle, answer)
    text = context.words.translate("{entry} — that stands now. Your last one counts.", entry=entry)
    replies = tell_author(context, round, text, may_wait=context.can_hide_message)
    if context.can_hide_message or secret_answers.is_hidden_from_group(context, round):
        confirmation = [*secret_answers.delete_or_react(context, ENTRY_STORED), *replies]
    else:
        fallback = replies[0] if replies else None
        confirmation = react(context, ENTRY_STORED, fallback=fallback)
    return [*confirmation, messages.show_round(round)]


def _end_unscored(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """End a lesson or a chosen hand, which earns nothing; if it is over, say "too late"."""
    result = rules.win_round(round, get_author_id(context), answer, context.sent_at, streak=0)
    if result is None:
        return reply_too_late(context, tx, round, answer)
    won, _ = result  # without its award
    if not rounds.close_round(tx, won):
        return reply_too_late(context, tx, round, answer)
    return [*react(context, WON), messages.show_round(won)]


def reply_too_late(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """React to a right answer that came too late, and count it; reply to a player's first one in the round.

    Only a reaction, uncounted, in a race and to the winner; only a private text to an ephemeral message.
    """
    if context.ephemeral_id:
        return tell_author(context, round, _render_too_late(context, round, answer), may_wait=False)
    author_id = get_author_id(context)
    if round.race_id is not None or round.winner_id == author_id:
        return react(context, ALSO_RIGHT)
    if attempts.count_answer(tx, round.id, author_id, "late") > 1:
        return react(context, ALSO_RIGHT)
    if round.winner_id is None:
        text = _render_too_late(context, round, answer)
    else:
        text = context.words.translate("Right as well! {name} was first.", name=make_mention(round.winner_id))
    if context.chat.private:
        return [*react(context, ALSO_RIGHT), context.reply(text)]
    if people.spend_budget(tx, context.chat.id):
        return [*react(context, ALSO_RIGHT), reply(context, text)]
    return react(context, ALSO_RIGHT, fallback=reply(context, text))


def _render_too_late(context: Context, round: Round, answer: str) -> Html:
    """Say that the answer was right but too late; of an entry that missed the target, say just its value."""
    right = context.words.translate("Right, but the hand was over. Well found!")
    if round.kind is not Kind.BEST:
        return right
    game = GAMES[round.game]
    # Only an entry with the target itself brings the deadline forward; whose, and when, does not matter.
    only_entry = [Entry(player_id=0, answer=answer, sent_at=0.0)]
    if game.get_early_deadline(rules.restore_deadline(round), only_entry, received=0.0) is not None:
        return right
    entry = game.format_answer(round.puzzle, answer)
    return context.words.translate("{entry}, but the hand was over.", entry=entry)


def apply_wrong_answer(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """Count an answer that is not right, keep a near miss, react, and give the reason where it may be told.

    In private and to the author of a secret answer always; in a group for a player's first wrong answer, and
    where the reaction is forbidden. In a lesson nothing is counted: its own hint follows.
    """
    if round.kind is Kind.LESSON:
        return lesson.explain_and_show_hint(context, tx, round, verdict)
    author_id = get_author_id(context)
    emoji = get_reaction(verdict)
    reason = verdict.render_reason(context.words) if verdict.render_reason else Html("")
    is_unreadable = verdict.kind is VerdictKind.UNREADABLE
    is_secret = _is_for_author_alone(context, tx, round)
    count = attempts.count_answer(tx, round.id, author_id, "misread" if is_unreadable else "wrong")
    is_first = count == 1
    if verdict.value is not None and not is_secret:
        miss = attempts.NearMiss(author_id, verdict.answer, verdict.value)
        is_first = attempts.record_miss(tx, round, miss, verdict.distance)  # the first with a value
    is_explained = is_first or is_secret or context.chat.private
    if not is_explained:
        return react(context, emoji, fallback=reply(context, reason))
    reserve = 1.0 if is_unreadable else 0.0  # an unreadable answer leaves one reply to the others
    return _react_and_explain(context, tx, round, emoji, reason, reserve=reserve)


def _is_for_author_alone(context: Context, tx: Tx, round: Round) -> bool:
    return bool(context.ephemeral_id) or secret_answers.has_secret_answers(tx, round)


def _mark_secretly(context: Context, emoji: str) -> list[Request]:
    """Delete the message, or react without the reason; where the reaction is forbidden, reply instead."""
    words = context.words
    # Each text stands here in full, so that it is found for translation.
    if emoji == WRONG_VALUE:
        text = words.translate(
            "That isn’t right. To learn why, press 🤫 under the hand: nobody else sees it."
        )
    elif emoji == UNREADABLE:
        text = words.translate(
            "I can’t read that. To learn why, press 🤫 under the hand: nobody else sees it."
        )
    else:
        text = words.translate(
            "That doesn’t count. To learn why, press 🤫 under the hand: nobody else sees it."
        )
    return secret_answers.delete_or_react(context, emoji, fallback=reply(context, text))


def _react_and_explain(
    context: Context, tx: Tx, round: Round, emoji: str, reason: Html, *, reserve: float = 0.0
) -> list[Request]:
    """React and give the reason: to the author alone where answers are secret, else to all.

    To all in a reply while the chat's budget for posts lasts, or if the chat forbids the reaction; else in a
    note in the round's message. With a `reserve` that much of the budget is left for other replies, and an
    earlier note of the author stays.
    """
    if _is_for_author_alone(context, tx, round):
        replies = tell_author(context, round, reason) if reason else []
        return [*_mark_secretly(context, emoji), *replies]
    if context.chat.private or people.spend_budget(tx, context.chat.id, reserve=reserve):
        return [*react(context, emoji), reply(context, reason)]
    author_id = get_author_id(context)
    has_note = any(note.player_id == author_id for note in attempts.load_notes(tx, round.id))
    if reserve and has_note:
        return react(context, emoji, fallback=reply(context, reason))
    if reactions.is_reaction_forbidden(context.chat, emoji):
        return [reply(context, reason)]
    attempts.set_note(tx, round.id, author_id, reason)
    return [*react(context, emoji), messages.show_round(round)]
