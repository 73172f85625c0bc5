"""What follows an answer: right, wrong, or too late. Which round it is for is found in `answers`.

Where nobody else may read what is handed in, the verdict comes by the way on which the answer came.
"""

from bot.admin import reactions
from bot.admin.private_replies import queries as private
from bot.admin.settings import preferences as preferences
from bot.database import Tx
from bot.i18n import Html, Words, make_mention
from bot.modes.duel import queries as duels
from bot.modes.lesson import commands as lesson
from bot.modes.practice import commands as practice
from bot.players import queries as people
from bot.rounds import attempts, secrecy, secret_answers
from bot.rounds import attempts as handing
from bot.rounds import queries as rounds
from bot.rounds.commands import make_notice, react, reply
from bot.rounds.puzzle import Entry, Find, Kind, Verdict, VerdictKind
from bot.rounds.registry import GAMES
from bot.rounds.round_end import end_round, show_end_and_deal_next
from bot.rounds.rules import (
    Round,
    State,
    award_find,
    count_streak,
    is_in_time,
    mark_ended,
    shorten_deadline,
    win_round,
)
from bot.rounds.secret_answers import tell_author
from bot.standings.leaderboard import queries as boards
from bot.telegram import messages
from bot.telegram.context import Context
from bot.telegram.messages import Request

WRONG_VALUE, WRONG_NUMBERS, UNREAD, WON, ALSO_RIGHT, FOUND_BEFORE = "👎", "👀", "🤔", "🏆", "👏", "🤝"
HANDED_IN, NOT_COUNTED = "👌", "👀"
SCORING = (Kind.FIRST, Kind.ALL, Kind.BEST)  # the kinds of rounds on a table that earn points


def get_reaction(verdict: Verdict) -> str:
    """The reaction to a wrong answer."""
    return {VerdictKind.WRONG: WRONG_VALUE, VerdictKind.WRONG_NUMBERS: WRONG_NUMBERS}.get(
        verdict.kind, UNREAD
    )


def get_author_id(context: Context) -> int:
    """Whose answer it is: people's alone are judged."""
    return context.player.id if context.player else attempts.ANONYMOUS_ID


def apply_right_answer(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """What follows a right answer, by the kind of the round."""
    if (why := _why_no_points(context, tx, round)) is not None:
        return _without_points(context, tx, round, why)
    if round.kind is Kind.PRACTICE:
        return practice.apply_right_answer(context, tx, round, answer) or reply_too_late(
            context, tx, round, answer
        )
    score = {Kind.FIRST: _first, Kind.ALL: _one_more, Kind.BEST: _handed_in}
    return score.get(round.kind, _for_nothing)(context, tx, round, answer)


def _why_no_points(context: Context, tx: Tx, round: Round) -> Html | None:
    """Why a right answer in time earns nothing; None where it may earn something."""
    if not is_in_time(round, context.sent_at) or round.kind not in SCORING:
        return None
    who = get_author_id(context)
    duel = duels.load_duel_of_race(tx, round.race_id)
    if duel is not None and who not in duel.player_ids:
        one, other = (make_mention(player) for player in duel.player_ids)
        return context.words.translate(
            "Right, but this is {one} and {other}’s duel: no points.", one=one, other=other
        )
    if secrecy.find_players_shown_solution(tx, round, [who], context.sent_at):
        return context.words.translate(
            "Right, but you asked me about these numbers after the deal: no points."
        )
    return None


def _without_points(context: Context, tx: Tx, round: Round, why: Html) -> list[Request]:
    """End the round and say why nobody gets points.

    Where everybody hands in until the end, the answer does not count and the round goes on: nobody else knows
    it. So does a duel if nobody else has read the answer.
    """
    unread = secret_answers.is_hidden_from_group(context, round)
    if round.kind is Kind.BEST or (unread and duels.is_duel_spectator(tx, round, get_author_id(context))):
        return [*_mark_uncounted(context, NOT_COUNTED), *tell_author(context, round, why)]
    told = tell_author(context, round, why) if unread else make_notice(context, tx, why, quiet=True)
    void = mark_ended(round, State.VOID, context.sent_at)
    return [
        *told,
        *end_round(
            tx, void, context.clock_start, secret_answers.get_group_message_id(context, round) or None
        ),
    ]


def _first(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """A right answer where the first one wins."""
    row = count_streak(rounds.load_previous_scored_round(tx, round), get_author_id(context))
    zone = preferences.read_preferences(context.chat).zone
    day_first = boards.is_first_win_of_day(tx, round.chat_id, zone, context.sent_at)
    result = win_round(
        round, get_author_id(context), answer, context.sent_at, streak=row, day_first=day_first
    )
    if result is None:
        return reply_too_late(context, tx, round, answer)
    won, award = result
    number = secret_answers.get_group_message_id(context, round)
    if not rounds.close_round(tx, won) or not boards.insert_award(tx, won, award, number, context.sent_at):
        return reply_too_late(context, tx, rounds.load_round(tx, round.id) or round, answer)
    private.discard_waiting_reply(tx, round.chat_id, get_author_id(context), private.make_round_key(round.id))
    return [*react(context, WON), *show_end_and_deal_next(tx, won, context.clock_start, number or None)]


def _for_nothing(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """A right answer that ends a lesson or a hand that was chosen, and earns nothing."""
    result = win_round(round, get_author_id(context), answer, context.sent_at, streak=0)
    if result is None or not rounds.close_round(tx, result[0]):
        return reply_too_late(context, tx, round, answer)
    return [*react(context, WON), messages.show_round(result[0])]


def _handed_in(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """An answer that stands until its author hands in another; nobody else is told what it is."""
    if not is_in_time(round, context.sent_at):
        return reply_too_late(context, tx, round, answer)
    handing.store_entry(tx, round.id, Entry(get_author_id(context), answer, context.sent_at))
    private.discard_waiting_reply(tx, round.chat_id, get_author_id(context), private.make_round_key(round.id))
    entries = handing.load_entries(tx, round)
    after = shorten_deadline(round, GAMES[round.game].get_early_deadline(round, entries, context.handled_at))
    if after != round:
        rounds.update_deadline(tx, after)
    return [*_stands(context, round, answer), messages.show_round(round)]


def _mark_uncounted(context: Context, emoji: str) -> list[Request]:
    """Mark an answer of which its author alone is told why; where the chat forbids the reaction, in words."""
    return secret_answers.delete_or_react(
        context, emoji, reply(context, _without_reason(context.words, emoji))
    )


def _without_reason(words: Words, emoji: str) -> Html:
    """Say as much as the reaction does, and where the answer's author reads the reason."""
    if emoji == WRONG_VALUE:
        return words.translate(
            "That isn’t right. To learn why, press 🤫 under the hand: nobody else sees it."
        )
    if emoji == UNREAD:
        return words.translate(
            "I can’t read that. To learn why, press 🤫 under the hand: nobody else sees it."
        )
    return words.translate("That doesn’t count. To learn why, press 🤫 under the hand: nobody else sees it.")


def _stands(context: Context, round: Round, answer: str) -> list[Request]:
    """Mark an answer that stands; say so where no reaction can, or where nobody else has read the answer."""
    shown = handing.format_entry(round, answer)
    text = context.words.translate("{entry} — that stands now. Your last one counts.", entry=shown)
    told = tell_author(context, round, text, waits=context.can_hide_message)
    if context.can_hide_message or secret_answers.is_hidden_from_group(context, round):
        return [*secret_answers.delete_or_react(context, HANDED_IN), *told]
    return react(context, HANDED_IN, *told)


def _one_more(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """A right answer where all is to be found."""
    game, found = GAMES[round.game], rounds.load_finds(tx, round.id)
    new = Find(get_author_id(context), answer, game.identify_part(round, answer, found))
    zone = preferences.read_preferences(context.chat).zone
    day_first = boards.is_first_win_of_day(tx, round.chat_id, zone, context.sent_at)
    result = award_find(round, found, new, context.sent_at, day_first=day_first)
    if result is None:
        return reply_too_late(context, tx, round, answer)
    if isinstance(result, Find):
        return _told(context, tx, round, FOUND_BEFORE, _whose(context, answer, result))
    number = secret_answers.get_group_message_id(context, round)
    if not boards.insert_award(tx, round, result, number, context.sent_at):
        return []  # this very message was counted before
    if game.is_everything_found(round, [*found, new]):
        over = mark_ended(round, State.WON, context.sent_at)
        return [*react(context, WON), *end_round(tx, over, context.clock_start, number or None)]
    return [*react(context, WON), messages.show_round(round)]


def _whose(context: Context, answer: str, before: Find) -> Html:
    """Whose idea it was."""
    trick = {"one": before.answer, "other": answer}
    same = before.answer == answer
    if before.player_id == get_author_id(context):
        if same:
            return context.words.translate("You have found that one already.")
        return context.words.translate(
            "You have that idea already: {one} and {other} are the same trick.", **trick
        )
    name = make_mention(before.player_id)
    if same:
        return context.words.translate("Right as well! {name} was first.", name=name)
    return context.words.translate(
        "Same idea as {name}’s: {one} and {other} are the same trick.", name=name, **trick
    )


def reply_too_late(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """Right as well, or at least near: a kind word, once."""
    if context.ephemeral_id:
        return tell_author(context, round, _was_over(context, round, answer), waits=False)
    beaten = round.race_id is not None or round.winner_id == get_author_id(context)
    if beaten or attempts.count_late_answer(tx, round.id, get_author_id(context)) > 1:
        return react(context, ALSO_RIGHT)
    if round.winner_id is None:
        text = _was_over(context, round, answer)
    else:
        text = context.words.translate("Right as well! {name} was first.", name=make_mention(round.winner_id))
    if context.chat.private:
        return [*react(context, ALSO_RIGHT), context.reply(text)]
    if people.spend_budget(tx, context.chat.id):
        return [*react(context, ALSO_RIGHT), reply(context, text)]
    return react(context, ALSO_RIGHT, reply(context, text))


def _was_over(context: Context, round: Round, answer: str) -> Html:
    if handing.is_exact_answer(round, answer):
        return context.words.translate("Right, but the hand was over. Well found!")
    return context.words.translate(
        "{entry}, but the hand was over.", entry=handing.format_entry(round, answer)
    )


def apply_wrong_answer(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """A reaction each time, and the reason: in private always, in a group as `_is_first` says.

    In a group that forbids the reaction, the reason is told each time.
    """
    if round.kind is Kind.LESSON:
        return lesson.explain_and_show_hint(context, tx, round, verdict)
    if context.ephemeral_id or secret_answers.has_secret_answers(tx, round):
        return _kept_private(context, tx, round, verdict)
    reason = verdict.render_reason(context.words) if verdict.render_reason else Html("")
    if not (_is_first(context, tx, round, verdict) or context.chat.private):
        return react(context, get_reaction(verdict), reply(context, reason))
    typo = verdict.kind is VerdictKind.UNREADABLE
    return _told_openly(context, tx, round, get_reaction(verdict), reason, leaving=1.0 if typo else 0.0)


def _kept_private(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """The reason where nobody else reads it: others still try."""
    if verdict.kind is VerdictKind.UNREADABLE:
        attempts.count_unreadable_answer(tx, round.id, get_author_id(context))
    else:
        attempts.count_wrong_answer(tx, round.id, get_author_id(context))
    reason = verdict.render_reason(context.words) if verdict.render_reason else None
    return [
        *_mark_uncounted(context, get_reaction(verdict)),
        *(tell_author(context, round, reason) if reason else []),
    ]


def _is_first(context: Context, tx: Tx, round: Round, verdict: Verdict) -> bool:
    """Count what was wrong; whether its author is to be told why.

    A first wrong value is, whatever was wrong before it. What can't be read is counted apart, and takes no
    reason away from an answer.
    """
    if verdict.kind is VerdictKind.UNREADABLE:
        return attempts.count_unreadable_answer(tx, round.id, get_author_id(context)) == 1
    first = attempts.count_wrong_answer(tx, round.id, get_author_id(context)) == 1
    if verdict.value is None:
        return first
    miss = attempts.NearMiss(get_author_id(context), verdict.answer, verdict.value)
    return attempts.record_miss(tx, round, miss, verdict.distance)


def _told(context: Context, tx: Tx, round: Round, emoji: str, text: Html) -> list[Request]:
    """React, and say why: to all, or to the author alone where others still try."""
    if context.ephemeral_id or secret_answers.has_secret_answers(tx, round):
        return [*_mark_uncounted(context, emoji), *tell_author(context, round, text)]
    return _told_openly(context, tx, round, emoji, text)


def _told_openly(
    context: Context, tx: Tx, round: Round, emoji: str, text: Html, *, leaving: float = 0.0
) -> list[Request]:
    """React, and say why: in a reply while the chat bears another post, else in the deal's message.

    Where the chat forbids the reaction, it is always a reply.
    What only comes before posts that matter more must be `leaving` room for them, and takes no note's place.
    """
    if context.chat.private or people.spend_budget(tx, context.chat.id, reserve=leaving):
        return [*react(context, emoji), reply(context, text)]
    if leaving and attempts.has_note(tx, round.id, get_author_id(context)):
        return react(context, emoji, reply(context, text))
    if reactions.is_reaction_forbidden(context.chat, emoji):
        return [reply(context, text)]
    attempts.set_note(tx, round.id, get_author_id(context), text)
    return [*react(context, emoji), messages.show_round(round)]
