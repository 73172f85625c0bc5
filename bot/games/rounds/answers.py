"""Answers: replies to the deal, /a EXPRESSION, and plain expressions where the bot may read them."""

from bot.database import Tx
from bot.delivery.intake import Work
from bot.games.daily import commands as daily
from bot.games.duel import queries as duels
from bot.games.known import GAMES, USUAL, instead, is_answer, looks_like_answer
from bot.games.lesson import commands as lesson
from bot.games.practice import commands as practice
from bot.games.puzzle import Entry, Find, Fit, Kind, Verdict
from bot.games.rounds import giveaways, meant, reveals, tries
from bot.games.rounds import queries as rounds
from bot.games.rounds.commands import SEEN, already, aside, nothing_open, react, reply
from bot.games.rounds.endings import end, follow
from bot.games.rounds.rules import Round, State, ended, find, hurried, in_time, streak, win
from bot.groups.settings import rules as preferences
from bot.i18n import Html, mention, safe
from bot.people import queries as people
from bot.people.leaderboard import queries as boards
from bot.telegram import messages
from bot.telegram.context import Context, Effect, nothing
from bot.telegram.messages import Request
from bot.telegram.routes import Command, Routes

WRONG_VALUE, WRONG_NUMBERS, UNREAD, WON, ALSO_RIGHT, FOUND_BEFORE = "👎", "👀", "🤔", "🏆", "👏", "🤝"
HANDED_IN = "👌"
MEANT_FOR_ANOTHER = (Fit.OTHER, Fit.TALK)
"""What a text is to a hand, if it may be an answer to another one."""


async def answered(context: Context) -> Effect:
    """/a EXPRESSION."""
    if not context.fresh:
        return nothing
    return _addressed(context) if context.argument else lambda tx: _how_to_answer(context, tx)


def _how_to_answer(context: Context, tx: Tx) -> list[Request]:
    """An example for who wrote no answer, of the game that is or was on the table here."""
    here = meant.here(context, tx)
    example = (GAMES[here.game] if here else USUAL).example
    return aside(
        context, tx, context.words.say("Write your answer after the command: /a {example}", example=example)
    )


def _addressed(context: Context) -> Effect:
    """The judgement on what was meant for the bot, by the hand on the table here, or the one that it fits."""
    if context.chat.private:
        return lambda tx: _in_private(context, tx)
    return lambda tx: _judge(context, tx, meant.here(context, tx), addressed=True)


async def other_text(context: Context) -> Effect:
    """Any other message: an answer if it replies to a deal and reads so, or is made of what was dealt."""
    if not context.fresh or context.message is None or not context.argument:
        return await giveaways.overheard(context)
    context = await giveaways.prepared(context)
    judged = _judged(context)
    return (lambda tx: giveaways.told(context, tx) or judged(tx)) if context.telling else judged


def _judged(context: Context) -> Effect:
    """The judgement on a message, by what it replies to or by the hand on the table here."""
    if context.chat.private:
        return _addressed(context)
    if (replied := context.replied) is not None:
        quoted = replied.text or ""
        return lambda tx: _judge_reply(context, tx, replied.message_id, quoted)
    if not looks_like_answer(context.argument) or not preferences.of(context.chat).plain:
        return nothing
    return lambda tx: _judge(context, tx, meant.here(context, tx), addressed=False)


def _in_private(context: Context, tx: Tx) -> list[Request]:
    """The judgement on what was written in private: by its numbers first.

    Where it has those of no hand, it goes to the one that it replies to, else to the one on the table or to
    an open hand of a day.
    """
    above = context.replied
    shown = rounds.by_message(tx, context.chat.id, above.message_id) if above else None
    if (told := _by_numbers(context, tx, shown)) is not None:
        return told
    if (told := daily.replied(context, tx)) is not None:
        return told
    waiting = daily.waiting(context, tx)
    if waiting and shown is None and rounds.live(tx, *meant.place(context)) is None:
        return daily.judged(context, tx, waiting[0])
    return _judge(context, tx, shown or meant.here(context, tx), addressed=True)


def _by_numbers(context: Context, tx: Tx, shown: Round | None) -> list[Request] | None:
    """The judgement by the hand whose numbers a text has; None where it has those of none.

    That is the one that it replies to, the one on the table, an open hand of a day, or the one just over.
    """
    text, live = context.argument, rounds.live(tx, *meant.place(context))
    if (day := daily.replied_hand(context, tx)) is not None and daily.fits(day, text):
        return daily.replied(context, tx)
    for round in filter(None, (shown, live)):
        if meant.fits(round, text):
            return _judge(context, tx, round, addressed=True)
    for one in daily.waiting(context, tx):
        if daily.fits(one[0], text):
            return daily.judged(context, tx, one)
    before = meant.just_over(context, tx, live)
    return _judge(context, tx, before, addressed=True) if before else None


def _judge_reply(context: Context, tx: Tx, message_id: int, quoted: str) -> list[Request]:
    """Judge a reply to one of the bot's messages in a group.

    It goes to the round that the message shows, or to the table's if it is made of what was dealt there and
    not of the other's numbers. Below a message that shows none it is like what is said plainly.
    """
    shown = meant.shown_in(context, tx, message_id, quoted)
    if shown is None:
        return _judge(context, tx, meant.here(context, tx), addressed=False)
    live = rounds.live(tx, *meant.place(context))
    another = live is not None and not meant.fits(shown, context.argument) and _suits(context, tx, live)
    return _judge(context, tx, live if another else shown, addressed=True)


def _suits(context: Context, tx: Tx, live: Round) -> bool:
    """Whether the message has the numbers of the table's hand, or solves what was there just before."""
    if meant.fits(live, context.argument) or giveaways.earlier(context, tx, live) is not None:
        return True
    return meant.solved_before(context, tx, live, addressed=True) is not None


def _judge(context: Context, tx: Tx, round: Round | None, *, addressed: bool) -> list[Request]:
    """The verdict on the message. `addressed`: it was meant for the bot, so every verdict is told."""
    if round is None or meant.is_past(round, context.now):
        return _nothing_to_judge(context, tx, round) if addressed else []
    to_us = addressed or context.replied is not None
    verdict = GAMES[round.game].check(round.puzzle, context.argument)
    if verdict.fit is Fit.RIGHT:
        return _right(context, tx, round, verdict.answer)
    if verdict.fit in MEANT_FOR_ANOTHER and (given := giveaways.earlier(context, tx, round)):
        return giveaways.kind_word(context, tx, given)
    if verdict.fit in MEANT_FOR_ANOTHER and (
        before := meant.solved_before(context, tx, round, addressed=to_us)
    ):
        return _too_late(context, tx, before)
    if _is_talk(verdict, context.argument) and not _commands(context):
        return []
    if not (addressed or verdict.fit is Fit.WRONG) or duels.watches(tx, round, _author(context)):
        return []
    if not in_time(round, context.now):
        return _wrong_and_late(context, tx, round, verdict) if addressed else []
    return _wrong(context, tx, round, verdict)


def _nothing_to_judge(context: Context, tx: Tx, over: Round | None) -> list[Request]:
    """No hand to answer: a reply to an old deal is shown the live one, and talk below it is just talk."""
    if over is None or context.replied is None or _commands(context):
        better = instead(context.words, context.argument) if context.chat.private else None
        return nothing_open(context, tx) if better is None else [context.say(better)]
    return already(context, tx, quiet=True) if is_answer(context.argument) else []


def _is_talk(verdict: Verdict, text: str) -> bool:
    """Whether it is no answer, nor anything that looks like one."""
    return verdict.fit is Fit.TALK or (verdict.fit is Fit.UNREADABLE and not looks_like_answer(text))


def _wrong_and_late(context: Context, tx: Tx, over: Round, verdict: Verdict) -> list[Request]:
    """Wrong, and after the end: in a group no more than a look, and nothing for talk about the hand."""
    if context.chat.private:
        return _nothing_to_judge(context, tx, over)
    return react(context, _emoji(verdict))


def _commands(context: Context) -> bool:
    """Whether it is said by a command, and so an answer whatever it is."""
    return bool(context.message and (context.message.text or "").startswith("/"))


def _emoji(verdict: Verdict) -> str:
    return {Fit.WRONG: WRONG_VALUE, Fit.OTHER: WRONG_NUMBERS}.get(verdict.fit, UNREAD)


def _author(context: Context) -> int:
    """Whose answer it is: people's alone are judged."""
    return context.player.id if context.player else tries.NO_PERSON


def _right(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    if giveaways.is_spoiled(context, tx, round, answer):
        return giveaways.spoiled(context, tx, round)
    if giveaways.is_copied(context, tx, round, answer):
        return react(context, SEEN)
    round = reveals.helped(tx, round, _author(context), context.now)
    if round.kind is Kind.PRACTICE:
        return practice.right(context, tx, round, answer) or _too_late(context, tx, round)
    score = {Kind.FIRST: _first, Kind.ALL: _one_more, Kind.BEST: _handed_in}
    return score.get(round.kind, _for_nothing)(context, tx, round, answer)


def _first(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """A right answer where the first one wins."""
    row = streak(rounds.previous(tx, round), _author(context))
    day_first = rounds.first_of_the_day(tx, round.chat_id, context.now)
    result = win(round, _author(context), answer, context.now, streak=row, day_first=day_first)
    if result is None:
        return _too_late(context, tx, round)
    won, award = result
    message_id = context.message.message_id if context.message else 0
    if not rounds.close(tx, won) or not boards.award(tx, won, award, message_id, context.now):
        return _too_late(context, tx, rounds.by_id(tx, round.id) or round)
    return [*react(context, WON), *follow(tx, won, context.begins, message_id)]


def _for_nothing(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """A right answer that ends a lesson or a hand that was chosen, and earns nothing."""
    result = win(round, _author(context), answer, context.now, streak=0)
    if result is None or not rounds.close(tx, result[0]):
        return _too_late(context, tx, round)
    return [*react(context, WON), messages.show(result[0])]


def _handed_in(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """An answer that stands until its author hands in another; nobody else is told what it is."""
    if not in_time(round, context.now):
        return _too_late(context, tx, round)
    rounds.hand_in(tx, round.id, Entry(_author(context), answer, context.now))
    after = hurried(round, GAMES[round.game].closes(round, rounds.handed_in(tx, round)))
    if after != round:
        rounds.set_deadline(tx, after)
    return [*react(context, HANDED_IN), messages.show(round)]


def _one_more(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """A right answer where all is to be found."""
    game, found = GAMES[round.game], rounds.finds(tx, round.id)
    new = Find(_author(context), answer, game.part(round, answer, found))
    day_first = rounds.first_of_the_day(tx, round.chat_id, context.now)
    result = find(round, found, new, context.now, day_first=day_first)
    if result is None:
        return _too_late(context, tx, round)
    if isinstance(result, Find):
        return _told(context, tx, round, FOUND_BEFORE, _whose(context, answer, result))
    message_id = context.message.message_id if context.message else 0
    if not boards.award(tx, round, result, message_id, context.now):
        return []  # this very message was counted before
    if game.is_done(round, [*found, new]):
        over = ended(round, State.WON, context.now)
        return [*react(context, WON), *end(tx, over, context.begins, message_id)]
    return [*react(context, WON), messages.show(round)]


def _whose(context: Context, answer: str, before: Find) -> Html:
    """Whose idea it was."""
    trick = {"one": before.answer, "other": answer}
    same = before.answer == answer
    if before.player_id == _author(context):
        if same:
            return context.words.say("You have found that one already.")
        return context.words.say("You have that idea already: {one} and {other} are the same trick.", **trick)
    name = mention(before.player_id)
    if same:
        return context.words.say("Right as well! {name} was first.", name=name)
    return context.words.say(
        "Same idea as {name}’s: {one} and {other} are the same trick.", name=name, **trick
    )


def _too_late(context: Context, tx: Tx, round: Round) -> list[Request]:
    """Right as well: a kind word, once."""
    beaten = round.race_id is not None or round.winner_id == _author(context)
    if beaten or tries.came_late(tx, round.id, _author(context)) > 1:
        return react(context, ALSO_RIGHT)
    if round.winner_id is None:
        text = context.words.say("Right, but the hand was over. Well found!")
    else:
        text = context.words.say("Right as well! {name} was first.", name=mention(round.winner_id))
    if context.chat.private:
        return [*react(context, ALSO_RIGHT), context.say(text)]
    told = people.spend_budget(tx, context.chat.id)
    return [*react(context, ALSO_RIGHT), *([reply(context, text)] if told else [])]


def _wrong(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """A reaction each time, and the reason: in private always, in a group as `_is_first` says."""
    if round.kind is Kind.LESSON:
        return lesson.nudged(context, tx, round, verdict)
    if round.kind is Kind.BEST:
        return _kept_private(context, tx, round, verdict)
    if not (_is_first(context, tx, round, verdict) or context.chat.private):
        return react(context, _emoji(verdict))
    reason = verdict.why(context.words) if verdict.why else Html("")
    typo = verdict.fit is Fit.UNREADABLE
    return _told(context, tx, round, _emoji(verdict), reason, leaving=1.0 if typo else 0.0)


def _kept_private(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """A reaction, and the reason where nobody else reads it: others still hand in.

    That is the private chat, if the author has opened it.
    """
    tries.went_wrong(tx, round.id, _author(context))
    reason = verdict.why(context.words) if verdict.why else None
    told = list[Request]()
    if reason and context.chat.private:
        told = [reply(context, reason)]
    elif reason and people.hears(tx, _author(context)):
        told = [messages.post(_author(context), Html(f"{safe(round.line)}\n{reason}"))]
    return [*react(context, _emoji(verdict)), *told]


def _is_first(context: Context, tx: Tx, round: Round, verdict: Verdict) -> bool:
    """Count what was wrong; whether its author is to be told why.

    A first wrong value is, whatever was wrong before it. What can't be read is counted apart, and takes no
    reason away from an answer.
    """
    if verdict.fit is Fit.UNREADABLE:
        return tries.was_misread(tx, round.id, _author(context)) == 1
    first = tries.went_wrong(tx, round.id, _author(context)) == 1
    if verdict.value is None:
        return first
    miss = tries.Miss(_author(context), verdict.answer, verdict.value)
    return tries.missed(tx, round, miss, verdict.off)


def _told(
    context: Context, tx: Tx, round: Round, emoji: str, text: Html, *, leaving: float = 0.0
) -> list[Request]:
    """React, and say why: in a reply while the chat bears another post, else in the deal's message.

    What only comes before posts that matter more must be `leaving` room for them, and takes no note's place.
    """
    if context.chat.private or people.spend_budget(tx, context.chat.id, leaving=leaving):
        return [*react(context, emoji), reply(context, text)]
    if leaving and tries.is_noted(tx, round.id, _author(context)):
        return react(context, emoji)
    tries.note(tx, round.id, _author(context), text)
    return [*react(context, emoji), messages.show(round)]


ROUTES = Routes(
    commands=[
        Command("a", answered, Work.ANSWER, lambda said: said.plain("answer: /a 8/(3-8/3)"), groups_only=True)
    ]
)
