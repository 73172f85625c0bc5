"""What follows an answer: right, wrong, or too late. Which round it is for is found in `answers`.

Where nobody else may read what is handed in, the verdict comes by the way on which the answer came.
"""

from bot.admin import reactions
from bot.admin.privately import queries as private
from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.i18n import Html, Words, mention
from bot.modes.duel import queries as duels
from bot.modes.lesson import commands as lesson
from bot.modes.practice import commands as practice
from bot.players import queries as people
from bot.rounds import entries as handing
from bot.rounds import kept, secrecy, tries
from bot.rounds import queries as rounds
from bot.rounds.commands import aside, react, reply
from bot.rounds.endings import end, follow
from bot.rounds.kept import tell
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Entry, Find, Fit, Kind, Verdict
from bot.rounds.rules import Round, State, ended, find, hurried, in_time, streak, win
from bot.standings.leaderboard import queries as boards
from bot.telegram import messages
from bot.telegram.context import Context
from bot.telegram.messages import Request

WRONG_VALUE, WRONG_NUMBERS, UNREAD, WON, ALSO_RIGHT, FOUND_BEFORE = "👎", "👀", "🤔", "🏆", "👏", "🤝"
HANDED_IN, NOT_COUNTED = "👌", "👀"
SCORING = (Kind.FIRST, Kind.ALL, Kind.BEST)  # the kinds of rounds on a table that earn points


def emoji(verdict: Verdict) -> str:
    """The reaction to a wrong answer."""
    return {Fit.WRONG: WRONG_VALUE, Fit.OTHER: WRONG_NUMBERS}.get(verdict.fit, UNREAD)


def author(context: Context) -> int:
    """Whose answer it is: people's alone are judged."""
    return context.player.id if context.player else tries.NO_PERSON


def right(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """What follows a right answer, by the kind of the round."""
    if (why := _why_no_points(context, tx, round)) is not None:
        return _without_points(context, tx, round, why)
    if round.kind is Kind.PRACTICE:
        return practice.right(context, tx, round, answer) or too_late(context, tx, round, answer)
    score = {Kind.FIRST: _first, Kind.ALL: _one_more, Kind.BEST: _handed_in}
    return score.get(round.kind, _for_nothing)(context, tx, round, answer)


def _why_no_points(context: Context, tx: Tx, round: Round) -> Html | None:
    """Why a right answer in time earns nothing; None where it may earn something."""
    if not in_time(round, context.now) or round.kind not in SCORING:
        return None
    who = author(context)
    duel = duels.of_race(tx, round.race_id)
    if duel is not None and who not in duel.players:
        one, other = (mention(player) for player in duel.players)
        return context.words.say(
            "Right, but this is {one} and {other}’s duel: no points.", one=one, other=other
        )
    if secrecy.find_readers(tx, round, [who], context.now):
        return context.words.say("Right, but you asked me about these numbers after the deal: no points.")
    return None


def _without_points(context: Context, tx: Tx, round: Round, why: Html) -> list[Request]:
    """End the round and say why nobody gets points.

    Where everybody hands in until the end, the answer does not count and the round goes on: nobody else knows
    it. So does a duel if nobody else has read the answer.
    """
    unread = kept.is_unread(context, round)
    if round.kind is Kind.BEST or (unread and duels.watches(tx, round, author(context))):
        return [*_mark_uncounted(context, NOT_COUNTED), *tell(context, round, why)]
    told = tell(context, round, why) if unread else aside(context, tx, why, quiet=True)
    void = ended(round, State.VOID, context.now)
    return [*told, *end(tx, void, context.begins, kept.number_of(context, round) or None)]


def _first(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """A right answer where the first one wins."""
    row = streak(rounds.previous(tx, round), author(context))
    zone = preferences.of(context.chat).zone
    day_first = boards.first_of_the_day(tx, round.chat_id, zone, context.now)
    result = win(round, author(context), answer, context.now, streak=row, day_first=day_first)
    if result is None:
        return too_late(context, tx, round, answer)
    won, award = result
    number = kept.number_of(context, round)
    if not rounds.close(tx, won) or not boards.award(tx, won, award, number, context.now):
        return too_late(context, tx, rounds.by_id(tx, round.id) or round, answer)
    private.let_go(tx, round.chat_id, author(context), private.key_of(round.id))
    return [*react(context, WON), *follow(tx, won, context.begins, number or None)]


def _for_nothing(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """A right answer that ends a lesson or a hand that was chosen, and earns nothing."""
    result = win(round, author(context), answer, context.now, streak=0)
    if result is None or not rounds.close(tx, result[0]):
        return too_late(context, tx, round, answer)
    return [*react(context, WON), messages.show(result[0])]


def _handed_in(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """An answer that stands until its author hands in another; nobody else is told what it is."""
    if not in_time(round, context.now):
        return too_late(context, tx, round, answer)
    handing.hand_in(tx, round.id, Entry(author(context), answer, context.now))
    private.let_go(tx, round.chat_id, author(context), private.key_of(round.id))
    entries = handing.handed_in(tx, round)
    after = hurried(round, GAMES[round.game].closes(round, entries, context.received))
    if after != round:
        rounds.set_deadline(tx, after)
    return [*_stands(context, round, answer), messages.show(round)]


def _mark_uncounted(context: Context, emoji: str) -> list[Request]:
    """Mark an answer of which its author alone is told why; where the chat forbids the reaction, in words."""
    return kept.marked(context, emoji, reply(context, _without_reason(context.words, emoji)))


def _without_reason(words: Words, emoji: str) -> Html:
    """Say as much as the reaction does, and where the answer's author reads the reason."""
    if emoji == WRONG_VALUE:
        return words.say("That isn’t right. To learn why, press 🤫 under the hand: nobody else sees it.")
    if emoji == UNREAD:
        return words.say("I can’t read that. To learn why, press 🤫 under the hand: nobody else sees it.")
    return words.say("That doesn’t count. To learn why, press 🤫 under the hand: nobody else sees it.")


def _stands(context: Context, round: Round, answer: str) -> list[Request]:
    """Mark an answer that stands; say so where no reaction can, or where nobody else has read the answer."""
    shown = handing.shown(round, answer)
    text = context.words.say("{entry} — that stands now. Your last one counts.", entry=shown)
    told = tell(context, round, text, waits=context.hides)
    if context.hides or kept.is_unread(context, round):
        return [*kept.marked(context, HANDED_IN), *told]
    return react(context, HANDED_IN, *told)


def _one_more(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """A right answer where all is to be found."""
    game, found = GAMES[round.game], rounds.finds(tx, round.id)
    new = Find(author(context), answer, game.part(round, answer, found))
    zone = preferences.of(context.chat).zone
    day_first = boards.first_of_the_day(tx, round.chat_id, zone, context.now)
    result = find(round, found, new, context.now, day_first=day_first)
    if result is None:
        return too_late(context, tx, round, answer)
    if isinstance(result, Find):
        return _told(context, tx, round, FOUND_BEFORE, _whose(context, answer, result))
    number = kept.number_of(context, round)
    if not boards.award(tx, round, result, number, context.now):
        return []  # this very message was counted before
    if game.is_done(round, [*found, new]):
        over = ended(round, State.WON, context.now)
        return [*react(context, WON), *end(tx, over, context.begins, number or None)]
    return [*react(context, WON), messages.show(round)]


def _whose(context: Context, answer: str, before: Find) -> Html:
    """Whose idea it was."""
    trick = {"one": before.answer, "other": answer}
    same = before.answer == answer
    if before.player_id == author(context):
        if same:
            return context.words.say("You have found that one already.")
        return context.words.say("You have that idea already: {one} and {other} are the same trick.", **trick)
    name = mention(before.player_id)
    if same:
        return context.words.say("Right as well! {name} was first.", name=name)
    return context.words.say(
        "Same idea as {name}’s: {one} and {other} are the same trick.", name=name, **trick
    )


def too_late(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """Right as well, or at least near: a kind word, once."""
    if context.ephemeral:
        return tell(context, round, _was_over(context, round, answer), waits=False)
    beaten = round.race_id is not None or round.winner_id == author(context)
    if beaten or tries.came_late(tx, round.id, author(context)) > 1:
        return react(context, ALSO_RIGHT)
    if round.winner_id is None:
        text = _was_over(context, round, answer)
    else:
        text = context.words.say("Right as well! {name} was first.", name=mention(round.winner_id))
    if context.chat.private:
        return [*react(context, ALSO_RIGHT), context.say(text)]
    if people.spend_budget(tx, context.chat.id):
        return [*react(context, ALSO_RIGHT), reply(context, text)]
    return react(context, ALSO_RIGHT, reply(context, text))


def _was_over(context: Context, round: Round, answer: str) -> Html:
    if handing.is_it(round, answer):
        return context.words.say("Right, but the hand was over. Well found!")
    return context.words.say("{entry}, but the hand was over.", entry=handing.shown(round, answer))


def wrong(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """A reaction each time, and the reason: in private always, in a group as `_is_first` says.

    In a group that forbids the reaction, the reason is told each time.
    """
    if round.kind is Kind.LESSON:
        return lesson.nudged(context, tx, round, verdict)
    if context.ephemeral or kept.is_kept(tx, round):
        return _kept_private(context, tx, round, verdict)
    reason = verdict.why(context.words) if verdict.why else Html("")
    if not (_is_first(context, tx, round, verdict) or context.chat.private):
        return react(context, emoji(verdict), reply(context, reason))
    typo = verdict.fit is Fit.UNREADABLE
    return _told_openly(context, tx, round, emoji(verdict), reason, leaving=1.0 if typo else 0.0)


def _kept_private(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """The reason where nobody else reads it: others still try."""
    if verdict.fit is Fit.UNREADABLE:
        tries.was_misread(tx, round.id, author(context))
    else:
        tries.went_wrong(tx, round.id, author(context))
    reason = verdict.why(context.words) if verdict.why else None
    return [*_mark_uncounted(context, emoji(verdict)), *(tell(context, round, reason) if reason else [])]


def _is_first(context: Context, tx: Tx, round: Round, verdict: Verdict) -> bool:
    """Count what was wrong; whether its author is to be told why.

    A first wrong value is, whatever was wrong before it. What can't be read is counted apart, and takes no
    reason away from an answer.
    """
    if verdict.fit is Fit.UNREADABLE:
        return tries.was_misread(tx, round.id, author(context)) == 1
    first = tries.went_wrong(tx, round.id, author(context)) == 1
    if verdict.value is None:
        return first
    miss = tries.Miss(author(context), verdict.answer, verdict.value)
    return tries.missed(tx, round, miss, verdict.off)


def _told(context: Context, tx: Tx, round: Round, emoji: str, text: Html) -> list[Request]:
    """React, and say why: to all, or to the author alone where others still try."""
    if context.ephemeral or kept.is_kept(tx, round):
        return [*_mark_uncounted(context, emoji), *tell(context, round, text)]
    return _told_openly(context, tx, round, emoji, text)


def _told_openly(
    context: Context, tx: Tx, round: Round, emoji: str, text: Html, *, leaving: float = 0.0
) -> list[Request]:
    """React, and say why: in a reply while the chat bears another post, else in the deal's message.

    Where the chat forbids the reaction, it is always a reply.
    What only comes before posts that matter more must be `leaving` room for them, and takes no note's place.
    """
    if context.chat.private or people.spend_budget(tx, context.chat.id, leaving=leaving):
        return [*react(context, emoji), reply(context, text)]
    if leaving and tries.is_noted(tx, round.id, author(context)):
        return react(context, emoji, reply(context, text))
    if reactions.is_forbidden(context.chat, emoji):
        return [reply(context, text)]
    tries.note(tx, round.id, author(context), text)
    return [*react(context, emoji), messages.show(round)]
