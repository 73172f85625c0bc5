"""Answers: replies to the deal, /a EXPRESSION, and plain expressions where the bot may read them."""

import solver
from bot import reply
from bot.reply import Outgoing
from bot.reply.verdicts import wrong
from bot.round import Round, State, TooLate, in_time, win
from bot.store import Tx, boards, people, rounds
from bot.turn import Move, Turn, nothing, saying

WRONG_VALUE, WRONG_NUMBERS, UNREAD, WON, ALSO_RIGHT = "👎", "👀", "🤔", "🏆", "👏"
AFTERMATH = 120.0
"""Seconds after a round's end in which a right answer still gets a kind word."""


async def answered(turn: Turn) -> Move:
    """/a EXPRESSION."""
    if not turn.fresh:
        return nothing
    if not turn.argument:
        return saying(turn.say(turn.words.say("Write your answer behind it: /a 8/(3-8/3)")))
    return lambda tx: _judge(turn, tx, _round_here(turn, tx), addressed=True)


async def said(turn: Turn) -> Move:
    """Any other message: an answer if it replies to a deal, or is an expression over the dealt numbers."""
    if not turn.fresh or turn.message is None or not turn.argument:
        return nothing
    replied = turn.message.reply_to_message
    if replied and replied.from_user and replied.from_user.id == turn.services.me.id:
        return lambda tx: _judge_reply(turn, tx, replied.message_id, replied.text or "")
    if not turn.chat.private and not _looks_like_answer(turn.argument):
        return nothing
    return lambda tx: _judge(turn, tx, _round_here(turn, tx), addressed=turn.chat.private)


def _looks_like_answer(text: str) -> bool:
    """A quick look that spares ordinary talk a transaction's work."""
    return len(text) <= 256 and any(c.isdigit() for c in text)


def _round_here(turn: Turn, tx: Tx) -> Round | None:
    return rounds.live(tx, turn.chat.id, turn.topic) or rounds.latest(tx, turn.chat.id, turn.topic)


def _judge_reply(turn: Turn, tx: Tx, message_id: int, quoted: str) -> list[Outgoing]:
    """Judge a reply to one of the bot's messages by the round that message shows, and by no other."""
    round = rounds.by_message(tx, turn.chat.id, message_id)
    if round is None:
        live = rounds.live(tx, turn.chat.id, turn.topic)
        shows = live is not None and live.line in quoted.splitlines()
        # a message that names the live hand (or shows it, unrecorded because of a crash) stands for the deal
        round = live if shows or turn.chat.private else None
    if round is None:
        return []
    return _judge(turn, tx, round, addressed=True)


def _judge(turn: Turn, tx: Tx, round: Round | None, *, addressed: bool) -> list[Outgoing]:
    """The verdict on the turn's text. `addressed`: it was meant for the bot, so every verdict is told."""
    if round is None or (round.state is not State.OPEN and turn.now - (round.closed or 0) > AFTERMATH):
        return [turn.say(turn.words.say("No hand is on the table. /play deals one."))] if addressed else []
    verdict = solver.check(turn.argument, round.numbers, round.target)
    if isinstance(verdict, solver.Correct):
        return _right(turn, tx, round, str(verdict.expression))
    over_dealt_numbers = isinstance(verdict, solver.WrongValue)
    if not (addressed or over_dealt_numbers) or not in_time(round, turn.now):
        return []
    return _wrong(turn, tx, round, verdict)


def _right(turn: Turn, tx: Tx, round: Round, expression: str) -> list[Outgoing]:
    if turn.player is None or turn.message is None:
        return []
    result = win(round, turn.player.id, expression, turn.now)
    if isinstance(result, TooLate):
        return _too_late(turn, tx, round)
    won, award = result
    if not rounds.close(tx, won) or not boards.award(tx, won, award, turn.message.message_id, turn.now):
        return _too_late(turn, tx, rounds.by_id(tx, round.id) or round)
    return [reply.react(turn.chat.id, turn.message.message_id, WON), reply.show(won)]


def _too_late(turn: Turn, tx: Tx, round: Round) -> list[Outgoing]:
    """Right as well: a kind word, as a post if the chat bears one, else in the deal's message."""
    if turn.player is None or turn.message is None:
        return []
    clap = reply.react(turn.chat.id, turn.message.message_id, ALSO_RIGHT)
    if round.winner_id == turn.player.id or rounds.went_wrong(tx, round.id, turn.player.id) > 1:
        return [clap]
    if round.winner_id is None:
        text = turn.words.say("Right, but the hand was over. Well found!")
    else:
        first = reply.player(people.names(tx, [round.winner_id]), round.winner_id)
        text = turn.words.say("Right as well! {name} was first.", name=first)
    if turn.chat.private or people.spend_patience(tx, turn.chat.id):
        return [clap, turn.say(text)]
    rounds.note(tx, round.id, turn.player.id, turn.words.plain("right as well"))
    return [clap, reply.show(round)]


def _wrong(turn: Turn, tx: Tx, round: Round, verdict: solver.Verdict) -> list[Outgoing]:
    """A reaction each time, and the reason: in private always, in a group once for a player and round."""
    if turn.player is None or turn.message is None:
        return []
    emoji = {solver.WrongValue: WRONG_VALUE, solver.WrongNumbers: WRONG_NUMBERS}.get(type(verdict), UNREAD)
    reaction = reply.react(turn.chat.id, turn.message.message_id, emoji)
    first = rounds.went_wrong(tx, round.id, turn.player.id) == 1
    reason = wrong(turn.words, verdict, round.target)
    if turn.chat.private:
        return [reaction, turn.say(reason, reply_to=turn.message.message_id)]
    if not first:
        return [reaction]
    if people.spend_patience(tx, turn.chat.id):
        return [reaction, turn.say(reason)]
    rounds.note(tx, round.id, turn.player.id, reason)
    return [reaction, reply.show(round)]
