"""Duels on a page: a challenge that its reader may answer, and whose duel it is that others look at."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.board.rules import Place
from bot.database import Tx
from bot.i18n import Words, format_name, strip_tags
from bot.modes.duel import queries as duels
from bot.modes.duel import view
from bot.modes.duel.rules import Duel
from bot.players import queries as people
from bot.rounds.rules import Round, State
from bot.rounds.scene import Snapshot
from bot.telegram.messages import Keyboard, format_player_name


@dataclass(frozen=True, slots=True)
class PendingChallenge:
    """One that waits at a place."""

    duel: Duel
    challenger_name: str | None  # The challenger's name, where it is known


def load_pending_challenges(tx: Tx, place: Place) -> Sequence[PendingChallenge]:
    """Those at a place whose messages stand there: only from then on can they be answered."""
    if place.watch_only or place.chat_id > 0:
        return ()
    offered = duels.load_open_challenges(tx, place.chat_id)
    here = [each for each in offered if each.topic == place.topic and each.message_id is not None]
    names = people.load_names(tx, [each.challenger_id for each in here]) if here else {}
    return [PendingChallenge(each, names.get(each.challenger_id)) for each in here]


def list_challenge_players(challenges: Sequence[PendingChallenge]) -> Collection[int]:
    """Whoever challenges or is challenged, as far as they are known by their ids."""
    return {who for each in challenges for who in each.duel.player_ids}


def find_challenge_for(challenges: Sequence[PendingChallenge], reader: int | None) -> PendingChallenge | None:
    """The newest that the reader may answer or take back, one that is meant for them before those for all."""
    if reader is None:
        return None
    own = [each for each in challenges if each.duel.is_for_anybody or reader in each.duel.player_ids]
    return max(own, key=lambda each: (reader in each.duel.player_ids, each.duel.id), default=None)


def render_challenge_buttons(words: Words, challenge: PendingChallenge, reader: int) -> Keyboard:
    """What its reader may press."""
    if reader == challenge.duel.challenger_id:
        return [[view.make_take_back_button(words, challenge.duel)]]
    return [[*view.make_challenge_buttons(words, challenge.duel)[: 1 if challenge.duel.is_for_anybody else 2]]]


def list_forbidden_press_prefixes(around: Snapshot, reader: int) -> Collection[str]:
    """How the data of buttons begins that only the two of a duel may press, where the reader is neither."""
    return () if _between_others(around, reader) is None else ("s", "dr")


def _between_others(around: Snapshot, reader: int | None) -> Duel | None:
    """The duel that goes on, or is over, without the reader."""
    duel = around.standings.duel if around.standings else None
    return None if duel is None or reader in duel.player_ids else duel


def render_duel_notice(
    round: Round | None, around: Snapshot, challenge: PendingChallenge | None, words: Words, reader: int | None
) -> str:
    """What its reader is told beside the hand: that it is another two's, or of a challenge."""
    duel = _between_others(around, reader)
    if reader is not None and duel is not None and round is not None and round.state is State.OPEN:
        one, other = (format_player_name(around.names, who) for who in (*duel.player_ids, 0)[:2])
        line = words.translate(
            "This is {one} and {other}’s duel: a right answer of yours gives no points.", one=one, other=other
        )
        return strip_tags(line)
    return strip_tags(view.render_challenge(words, challenge.duel, format_name(challenge.challenger_name))) if challenge else ""
