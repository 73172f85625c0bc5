"""Answers: replies to the deal, /a EXPRESSION, and plain expressions where the bot may read them."""

from bot.database import Tx
from bot.delivery.intake import Work
from bot.games.daily import commands as daily
from bot.games.duel import queries as duels
from bot.games.known import GAMES, USUAL, instead, is_answer, looks_like_answer
from bot.games.lesson import commands as lesson
from bot.games.puzzle import Entry, Find, Fit, Kind, Verdict
from bot.games.rounds import giveaways, reveals, tries
from bot.games.rounds import queries as rounds
from bot.games.rounds.commands import already, aside, nothing_open, react, reply
from bot.games.rounds.endings import end, follow
from bot.games.rounds.rules import Round, State, ended, find, in_time, streak, win
from bot.groups.settings import rules as preferences
from bot.i18n import Html, mention
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
AFTERMATH = 120.0
"""Seconds after a round's end in which a right answer still gets a kind word."""


async def answered(context: Context) -> Effect:
    """/a EXPRESSION."""
    if not context.fresh:
        return nothing
    return _addressed(context) if context.argument else lambda tx: _how_to_answer(context, tx)


def _how_to_answer(context: Context, tx: Tx) -> list[Request]:
    """An example for who wrote no answer, of the game that is or was on the table here."""
    here = _here(context, tx)
    example = (GAMES[here.game] if here else USUAL).example
    return aside(
        context, tx, context.words.say("Write your answer after the command: /a {example}", example=example)
    )


def _addressed(context: Context) -> Effect:
    """The judgement on what was meant for the bot, by the hand on the table here, or the one that it fits."""
    if context.chat.private:
        return lambda tx: _in_private(context, tx)
    return lambda tx: _judge(context, tx, _here(context, tx), addressed=True)


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
    return lambda tx: _judge(context, tx, _here(context, tx), addressed=False)


def _in_private(context: Context, tx: Tx) -> list[Request]:
    """The judgement on what was written in private.

    A reply is meant for the hand that its message shows. Else the text goes to the hand that it fits: the one
    on the table, an open hand of a day, or the one just over; and where it fits none to the first of these.
    """
    if (told := daily.replied(context, tx)) is not None:
        return told
    replied = context.replied
    shown = rounds.by_message(tx, context.chat.id, replied.message_id) if replied else None
    if shown is not None:
        return _judge(context, tx, shown, addressed=True)
    live, waiting = rounds.live(tx, context.chat.id, context.topic), daily.waiting(context, tx)
    if live is None or not _fits(live, context.argument):
        meant = next((one for one in waiting if daily.fits(one, context.argument)), None)
        if meant is None and live is None and (before := _earlier_here(context, tx)) is not None:
            return _judge(context, tx, before, addressed=True)
        meant = meant or (waiting[0] if waiting and live is None else None)
        if meant is not None:
            return daily.judged(context, tx, meant)
    return _judge(context, tx, _here(context, tx), addressed=True)


def _fits(round: Round, text: str) -> bool:
    """Whether the text is made of what was dealt there."""
    return GAMES[round.game].check(round.puzzle, text).fit in (Fit.RIGHT, Fit.WRONG)


def _earlier_here(context: Context, tx: Tx) -> Round | None:
    """The hand here that was over a moment ago, if the text fits it."""
    over = rounds.latest(tx, context.chat.id, context.topic)
    if over is None or context.now - (over.closed or 0) > AFTERMATH:
        return None
    return over if _fits(over, context.argument) else None


def _here(context: Context, tx: Tx) -> Round | None:
    place = context.chat.id, context.topic
    return rounds.live(tx, *place) or rounds.latest(tx, *place)


def _judge_reply(context: Context, tx: Tx, message_id: int, quoted: str) -> list[Request]:
    """Judge a reply to one of the bot's messages by the round that message shows, and by no other."""
    round = rounds.by_message(tx, context.chat.id, message_id)
    if round is None:
        here = _here(context, tx)
        shows = here is not None and here.line in quoted.splitlines()
        # a message that names the hand (or shows it, unrecorded because of a crash) stands for the deal
        round = here if shows or context.chat.private else None
    return _judge(context, tx, round, addressed=True) if round else []


def _judge(context: Context, tx: Tx, round: Round | None, *, addressed: bool) -> list[Request]:
    """The verdict on the message. `addressed`: it was meant for the bot, so every verdict is told."""
    if round is None or (round.state is not State.OPEN and context.now - (round.closed or 0) > AFTERMATH):
        return _nothing_to_judge(context, tx, round) if addressed else []
    verdict = GAMES[round.game].check(round.puzzle, context.argument)
    if verdict.fit is Fit.RIGHT:
        return _right(context, tx, round, verdict.answer)
    if verdict.fit in MEANT_FOR_ANOTHER and (given := giveaways.earlier(context, tx, round)):
        return giveaways.kind_word(context, tx, given)
    if verdict.fit in MEANT_FOR_ANOTHER and (before := _just_over(context, tx, round, addressed=addressed)):
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


def _just_over(context: Context, tx: Tx, round: Round, *, addressed: bool) -> Round | None:
    """The hand before this one, if the text solves that.

    It was in the same race, or it was over a moment ago and the text is meant for the bot.
    """
    before = rounds.before(tx, round)
    if before is None:
        return None
    raced = round.race_id is not None and before.race_id == round.race_id
    lately = addressed and context.now - (before.closed or 0) <= AFTERMATH
    if not (raced or lately):
        return None
    verdict = GAMES[before.game].check(before.puzzle, context.argument)
    return before if verdict.fit is Fit.RIGHT else None


def _author(context: Context) -> int:
    """Whose answer it is: people's alone are judged."""
    return context.player.id if context.player else tries.NO_PERSON


def _right(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    if giveaways.is_spoiled(context, tx, round, answer):
        return giveaways.spoiled(context, tx, round)
    round = reveals.helped(tx, round, _author(context), context.now)
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
    if not (_is_first(context, tx, round, verdict) or context.chat.private):
        return react(context, _emoji(verdict))
    reason = verdict.why(context.words) if verdict.why else Html("")
    typo = verdict.fit is Fit.UNREADABLE
    return _told(context, tx, round, _emoji(verdict), reason, leaving=1.0 if typo else 0.0)


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
