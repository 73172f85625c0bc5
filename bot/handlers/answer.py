"""Answers: replies to the deal, /a EXPRESSION, and plain expressions where the bot may read them."""

import solver
from bot import preferences, reply
from bot.handlers import daily, giveaway
from bot.handlers.play import already, aside, nothing_open
from bot.handlers.race import follow
from bot.intake import looks_like_answer
from bot.reply import Outgoing
from bot.reply.verdicts import wrong
from bot.round import Find, Kind, Repeated, Round, State, TooLate, find, in_time, streak, win
from bot.store import Tx, boards, people, reveals, rounds
from bot.turn import Move, Turn, nothing
from bot.words import Html, mention

WRONG_VALUE, WRONG_NUMBERS, UNREAD, WON, ALSO_RIGHT, FOUND_BEFORE = "👎", "👀", "🤔", "🏆", "👏", "🤝"
AFTERMATH = 120.0
"""Seconds after a round's end in which a right answer still gets a kind word."""


async def answered(turn: Turn) -> Move:
    """/a EXPRESSION."""
    if not turn.fresh:
        return nothing
    if not turn.argument:
        how = turn.words.say("Write your answer after the command: /a 8/(3-8/3)")
        return lambda tx: aside(turn, tx, how)
    return _addressed(turn)


def _addressed(turn: Turn) -> Move:
    """The judgement on what was meant for the bot, by the hand on the table here."""
    return lambda tx: daily.answered(turn, tx) or _judge(turn, tx, _round_here(turn, tx), addressed=True)


async def said(turn: Turn) -> Move:
    """Any other message: an answer if it replies to a deal, or is an expression over the dealt numbers."""
    if not turn.fresh or turn.message is None or not turn.argument:
        return await giveaway.overheard(turn)
    turn = await giveaway.prepared(turn)
    judged = _judged(turn)
    return (lambda tx: giveaway.told(turn, tx) or judged(tx)) if turn.telling else judged


def _judged(turn: Turn) -> Move:
    """The judgement on a message, by what it replies to or by the hand on the table here."""
    replied = turn.message.reply_to_message if turn.message else None
    if replied and replied.from_user and replied.from_user.id == turn.services.me.id:
        quoted = replied.text or ""
        return lambda tx: daily.answered(turn, tx) or _judge_reply(turn, tx, replied.message_id, quoted)
    if turn.chat.private:
        return _addressed(turn)
    if not looks_like_answer(turn.argument) or not preferences.of(turn.chat).plain:
        return nothing
    return lambda tx: _judge(turn, tx, _round_here(turn, tx), addressed=False)


def _round_here(turn: Turn, tx: Tx) -> Round | None:
    return rounds.live(tx, turn.chat.id, turn.topic) or rounds.latest(tx, turn.chat.id, turn.topic)


def _judge_reply(turn: Turn, tx: Tx, message_id: int, quoted: str) -> list[Outgoing]:
    """Judge a reply to one of the bot's messages by the round that message shows, and by no other."""
    round = rounds.by_message(tx, turn.chat.id, message_id)
    if round is None:
        here = _round_here(turn, tx)
        shows = here is not None and here.line in quoted.splitlines()
        # a message that names the hand (or shows it, unrecorded because of a crash) stands for the deal
        round = here if shows or turn.chat.private else None
    if round is None:
        return []
    return _judge(turn, tx, round, addressed=True)


def _judge(turn: Turn, tx: Tx, round: Round | None, *, addressed: bool) -> list[Outgoing]:
    """The verdict on the turn's text. `addressed`: it was meant for the bot, so every verdict is told."""
    if round is None or (round.state is not State.OPEN and turn.now - (round.closed or 0) > AFTERMATH):
        return _nothing_to_judge(turn, tx, round) if addressed else []
    verdict = solver.check(turn.argument, round.numbers, round.target)
    if isinstance(verdict, solver.Correct):
        return _right(turn, tx, round, str(verdict.expression))
    if isinstance(verdict, solver.WrongNumbers) and (given := giveaway.earlier(turn, tx, round)):
        return giveaway.kind_word(turn, tx, given)
    if isinstance(verdict, solver.WrongNumbers) and (before := _just_over(turn, tx, round)):
        return _too_late(turn, tx, before)
    over_dealt_numbers = isinstance(verdict, solver.WrongValue)
    if not (addressed or over_dealt_numbers):
        return []
    if not in_time(round, turn.now):
        return _wrong_and_late(turn, tx, round, verdict) if addressed else []
    return _wrong(turn, tx, round, verdict)


def _nothing_to_judge(turn: Turn, tx: Tx, over: Round | None) -> list[Outgoing]:
    """No hand to answer: a reply to an old deal is shown the live one, and talk below it is just talk."""
    if over is None or not _replies(turn):
        return nothing_open(turn, tx)
    return already(turn, tx, quiet=True) if looks_like_answer(turn.argument) else []


def _wrong_and_late(turn: Turn, tx: Tx, over: Round, verdict: solver.Verdict) -> list[Outgoing]:
    """Wrong, and after the end: in a group no more than a look, and nothing for talk about the hand."""
    if turn.chat.private:
        return _nothing_to_judge(turn, tx, over)
    if turn.message is None or (_replies(turn) and not looks_like_answer(turn.argument)):
        return []
    return [reply.react(turn.chat.id, turn.message.message_id, _emoji(verdict))]


def _replies(turn: Turn) -> bool:
    """Whether it is a reply to a message rather than a command."""
    message = turn.message
    return bool(message and message.reply_to_message and not (message.text or "").startswith("/"))


def _emoji(verdict: solver.Verdict) -> str:
    return {solver.WrongValue: WRONG_VALUE, solver.WrongNumbers: WRONG_NUMBERS}.get(type(verdict), UNREAD)


def _just_over(turn: Turn, tx: Tx, round: Round) -> Round | None:
    """The hand of the race before this one, if the text solves that: its author was beaten to it."""
    before = rounds.previous(tx, round) if round.race_id is not None else None
    if before is None or before.race_id != round.race_id:
        return None
    verdict = solver.check(turn.argument, before.numbers, before.target)
    return before if isinstance(verdict, solver.Correct) else None


def _right(turn: Turn, tx: Tx, round: Round, expression: str) -> list[Outgoing]:
    if turn.player is None or turn.message is None:
        return []
    if giveaway.is_spoiled(turn, tx, round, expression):
        return giveaway.spoiled(turn, tx, round)
    round = reveals.helped(tx, round, turn.player.id, turn.now)
    if round.kind is Kind.ALL:
        return _one_more(turn, tx, round, expression)
    result = win(
        round,
        turn.player.id,
        expression,
        turn.now,
        streak=streak(rounds.previous(tx, round), turn.player.id),
        day_first=rounds.first_of_the_day(tx, round.chat_id, turn.now),
    )
    if isinstance(result, TooLate):
        return _too_late(turn, tx, round)
    won, award = result
    said = turn.message.message_id
    if not rounds.close(tx, won) or not boards.award(tx, won, award, said, turn.now):
        return _too_late(turn, tx, rounds.by_id(tx, round.id) or round)
    return [reply.react(turn.chat.id, said, WON), *follow(tx, won, turn.begins, said)]


def _one_more(turn: Turn, tx: Tx, round: Round, expression: str) -> list[Outgoing]:
    """A right answer where every idea is to be found."""
    if turn.player is None or turn.message is None:
        return []
    found = rounds.finds(tx, round.id)
    day_first = rounds.first_of_the_day(tx, round.chat_id, turn.now)
    result = find(round, found, turn.player.id, expression, turn.now, day_first=day_first)
    if isinstance(result, TooLate):
        return _too_late(turn, tx, round)
    if isinstance(result, Repeated):
        return _repeated(turn, tx, round, expression, result.find)
    after, award = result
    if not boards.award(tx, round, award, turn.message.message_id, turn.now):
        return []  # this very message was counted before
    if after.state is not State.OPEN:
        rounds.close(tx, after)
    return [reply.react(turn.chat.id, turn.message.message_id, WON), reply.show(after)]


def _repeated(turn: Turn, tx: Tx, round: Round, expression: str, before: Find) -> list[Outgoing]:
    """Say whose idea it was: in words while the chat bears another post, else in the deal's message."""
    if turn.player is None or turn.message is None:
        return []
    react = reply.react(turn.chat.id, turn.message.message_id, FOUND_BEFORE)
    text = _whose(turn, expression, before)
    if turn.chat.private or people.spend_patience(tx, turn.chat.id):
        return [react, turn.say(text, reply_to=turn.message.message_id)]
    rounds.note(tx, round.id, turn.player.id, text)
    return [react, reply.show(round)]


def _whose(turn: Turn, expression: str, before: Find) -> Html:
    trick = {"one": before.expression, "other": expression}
    same = before.expression == expression
    if turn.player and before.player_id == turn.player.id:
        if same:
            return turn.words.say("You have found that one already.")
        return turn.words.say("You have that idea already: {one} and {other} are the same trick.", **trick)
    name = mention(before.player_id)
    if same:
        return turn.words.say("Right as well! {name} was first.", name=name)
    return turn.words.say("Same idea as {name}’s: {one} and {other} are the same trick.", name=name, **trick)


def _too_late(turn: Turn, tx: Tx, round: Round) -> list[Outgoing]:
    """Right as well: a kind word, as a post if the chat bears one, else in the deal's message."""
    if turn.player is None or turn.message is None:
        return []
    clap = reply.react(turn.chat.id, turn.message.message_id, ALSO_RIGHT)
    beaten = round.race_id is not None or round.winner_id == turn.player.id
    if beaten or rounds.came_late(tx, round.id, turn.player.id) > 1:
        return [clap]
    if round.winner_id is None:
        text = turn.words.say("Right, but the hand was over. Well found!")
    else:
        text = turn.words.say("Right as well! {name} was first.", name=mention(round.winner_id))
    if turn.chat.private or people.spend_patience(tx, turn.chat.id):
        return [clap, turn.say(text)]
    rounds.note(tx, round.id, turn.player.id, turn.words.plain("right as well"))
    return [clap, reply.show(round)]


def _wrong(turn: Turn, tx: Tx, round: Round, verdict: solver.Verdict) -> list[Outgoing]:
    """A reaction each time, and the reason: in private always, in a group once for a player and round.

    What people say about a hand by replying to it is no answer, and nothing is kept of it.
    """
    if turn.player is None or turn.message is None:
        return []
    if _replies(turn) and isinstance(verdict, solver.Unreadable) and not looks_like_answer(turn.argument):
        return []
    reaction = reply.react(turn.chat.id, turn.message.message_id, _emoji(verdict))
    first = rounds.went_wrong(tx, round.id, turn.player.id) == 1
    if isinstance(verdict, solver.WrongValue):
        missed = rounds.Miss(turn.player.id, str(verdict.expression), verdict.value)
        rounds.missed(tx, round, missed)
    reason = wrong(turn.words, verdict, round.target)
    if turn.chat.private:
        return [reaction, turn.say(reason, reply_to=turn.message.message_id)]
    if not first:
        return [reaction]
    if people.spend_patience(tx, turn.chat.id):
        return [reaction, turn.say(reason)]
    rounds.note(tx, round.id, turn.player.id, reason)
    return [reaction, reply.show(round)]
