"""Duels on a page: a challenge that its reader may answer, and whose duel it is that others look at."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.board.rules import Place
from bot.database import Tx
from bot.i18n import Words, name, plain
from bot.modes.duel import queries as duels
from bot.modes.duel import view
from bot.modes.duel.rules import Duel
from bot.players import queries as people
from bot.rounds.rules import Round, State
from bot.rounds.scene import Scene
from bot.telegram.messages import Keyboard, player


@dataclass(frozen=True, slots=True)
class Challenge:
    """One that waits at a place."""

    duel: Duel
    challenger: str | None  # The challenger's name, where it is known


def waiting(tx: Tx, place: Place) -> Sequence[Challenge]:
    """Those at a place whose messages stand there: only from then on can they be answered."""
    if place.watches or place.chat_id > 0:
        return ()
    offered = duels.offered_in(tx, place.chat_id)
    here = [each for each in offered if each.topic == place.topic and each.message_id is not None]
    names = people.names(tx, [each.challenger_id for each in here]) if here else {}
    return [Challenge(each, names.get(each.challenger_id)) for each in here]


def parties(challenges: Sequence[Challenge]) -> Collection[int]:
    """Whoever challenges or is challenged, as far as they are known by their ids."""
    return {who for each in challenges for who in each.duel.players}


def concerning(challenges: Sequence[Challenge], reader: int | None) -> Challenge | None:
    """The newest that the reader may answer or take back, one that is meant for them before those for all."""
    if reader is None:
        return None
    own = [each for each in challenges if each.duel.is_open or reader in each.duel.players]
    return max(own, key=lambda each: (reader in each.duel.players, each.duel.id), default=None)


def answers(words: Words, challenge: Challenge, reader: int) -> Keyboard:
    """What its reader may press."""
    if reader == challenge.duel.challenger_id:
        return [[view.take_back(words, challenge.duel)]]
    return [[*view.answers(words, challenge.duel)[: 1 if challenge.duel.is_open else 2]]]


def barred(around: Scene, reader: int) -> Collection[str]:
    """How the data of buttons begins that only the two of a duel may press, where the reader is neither."""
    return () if _between_others(around, reader) is None else ("s", "dr")


def _between_others(around: Scene, reader: int | None) -> Duel | None:
    """The duel that goes on, or is over, without the reader."""
    duel = around.standings.duel if around.standings else None
    return None if duel is None or reader in duel.players else duel


def aside(
    round: Round | None, around: Scene, challenge: Challenge | None, words: Words, reader: int | None
) -> str:
    """What its reader is told beside the hand: that it is another two's, or of a challenge."""
    duel = _between_others(around, reader)
    if reader is not None and duel is not None and round is not None and round.state is State.OPEN:
        one, other = (player(around.names, who) for who in (*duel.players, 0)[:2])
        line = words.say(
            "This is {one} and {other}’s duel: a right answer of yours gives no points.", one=one, other=other
        )
        return plain(line)
    return plain(view.challenged(words, challenge.duel, name(challenge.challenger))) if challenge else ""
