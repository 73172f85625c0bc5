"""Answers: replies to the deal, /a EXPRESSION, and plain expressions where the bot may read them."""

from bot.database import Tx
from bot.delivery.intake import Work
from bot.games.daily import commands as daily
from bot.games.known import GAMES, USUAL, looks_like_answer
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
    """The judgement on what was meant for the bot, by the hand on the table here."""
    return lambda tx: daily.answered(context, tx) or _judge(context, tx, _here(context, tx), addressed=True)


async def other_text(context: Context) -> Effect:
    """Any other message: an answer if it replies to a deal, or is made of what was dealt."""
    if not context.fresh or context.message is None or not context.argument:
        return await giveaways.overheard(context)
    context = await giveaways.prepared(context)
    judged = _judged(context)
    return (lambda tx: giveaways.told(context, tx) or judged(tx)) if context.telling else judged


def _judged(context: Context) -> Effect:
    """The judgement on a message, by what it replies to or by the hand on the table here."""
    replied = context.message.reply_to_message if context.message else None
    if replied and replied.from_user and replied.from_user.id == context.services.me.id:
        quoted = replied.text or ""
        return lambda tx: daily.answered(context, tx) or _judge_reply(context, tx, replied.message_id, quoted)
    if context.chat.private:
        return _addressed(context)
    if not looks_like_answer(context.argument) or not preferences.of(context.chat).plain:
        return nothing
    return lambda tx: _judge(context, tx, _here(context, tx), addressed=False)


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
    if verdict.fit is Fit.OTHER and (given := giveaways.earlier(context, tx, round)):
        return giveaways.kind_word(context, tx, given)
    if verdict.fit is Fit.OTHER and (before := _just_over(context, tx, round)):
        return _too_late(context, tx, before)
    if not (addressed or verdict.fit is Fit.WRONG):
        return []
    if not in_time(round, context.now):
        return _wrong_and_late(context, tx, round, verdict) if addressed else []
    return _wrong(context, tx, round, verdict)


def _nothing_to_judge(context: Context, tx: Tx, over: Round | None) -> list[Request]:
    """No hand to answer: a reply to an old deal is shown the live one, and talk below it is just talk."""
    if over is None or not _replies(context):
        return nothing_open(context, tx)
    return already(context, tx, quiet=True) if looks_like_answer(context.argument) else []


def _wrong_and_late(context: Context, tx: Tx, over: Round, verdict: Verdict) -> list[Request]:
    """Wrong, and after the end: in a group no more than a look, and nothing for talk about the hand."""
    if context.chat.private:
        return _nothing_to_judge(context, tx, over)
    if _replies(context) and not looks_like_answer(context.argument):
        return []
    return react(context, _emoji(verdict))


def _replies(context: Context) -> bool:
    """Whether it is a reply to a message rather than a command."""
    message = context.message
    return bool(message and message.reply_to_message and not (message.text or "").startswith("/"))


def _emoji(verdict: Verdict) -> str:
    return {Fit.WRONG: WRONG_VALUE, Fit.OTHER: WRONG_NUMBERS}.get(verdict.fit, UNREAD)


def _just_over(context: Context, tx: Tx, round: Round) -> Round | None:
    """The hand of the race before this one, if the text solves that: its author was beaten to it."""
    before = rounds.previous(tx, round) if round.race_id is not None else None
    if before is None or before.race_id != round.race_id:
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
    score = {Kind.FIRST: _first, Kind.ALL: _one_more, Kind.BEST: _handed_in}[round.kind]
    return score(context, tx, round, answer)


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
    return _told(context, tx, round, ALSO_RIGHT, text, context.words.plain("right as well"))


def _wrong(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """A reaction each time, and the reason: in private always, in a group once for a player and round.

    What people say about a hand by replying to it is no answer, and nothing is kept of it.
    """
    if verdict.fit is Fit.UNREADABLE and _replies(context) and not looks_like_answer(context.argument):
        return []
    first = tries.went_wrong(tx, round.id, _author(context)) == 1
    if verdict.value is not None:
        miss = tries.Miss(_author(context), verdict.answer, verdict.value)
        tries.missed(tx, round, miss, verdict.off)
    if not (first or context.chat.private):
        return react(context, _emoji(verdict))
    reason = verdict.why(context.words) if verdict.why else Html("")
    return _told(context, tx, round, _emoji(verdict), reason)


def _told(context: Context, tx: Tx, round: Round, emoji: str, text: Html, noted: str = "") -> list[Request]:
    """React, and say why: in a reply while the chat bears another post, else in the deal's message."""
    if context.chat.private or people.spend_budget(tx, context.chat.id):
        return [*react(context, emoji), reply(context, text)]
    tries.note(tx, round.id, _author(context), noted or text)
    return [*react(context, emoji), messages.show(round)]


ROUTES = Routes(
    commands=[
        Command("a", answered, Work.ANSWER, lambda said: said.plain("answer: /a 8/(3-8/3)"), groups_only=True)
    ]
)
