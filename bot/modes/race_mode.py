"""Races and duels as a mode of rounds: hands one after the other, in one message."""

from collections.abc import Callable
from dataclasses import replace

from bot.database import Tx
from bot.i18n import Html, Words, make_mention
from bot.modes.duel import queries as duels
from bot.modes.duel.view import DuelStandings
from bot.modes.race import queries as races
from bot.modes.race.rules import Race, finish_hand
from bot.modes.race.view import RaceHand, RaceStandings
from bot.rounds import attempts, ledger
from bot.rounds import queries as rounds
from bot.rounds.mode import Mode
from bot.rounds.puzzle import DealtPuzzle, Kind
from bot.rounds.rules import FIRST_OF_DAY_BONUS, Round, State
from bot.rounds.view import NO_FRAME, Frame


class RaceMode(Mode):
    """A race. A duel is a race of two players; all others in the chat are its spectators."""

    has_races = True

    def is_spectator(self, tx: Tx, round: Round, player_id: int) -> bool:
        return duels.is_duel_spectator(tx, round, player_id)

    def explain_no_points(self, tx: Tx, round: Round, player_id: int, words: Words) -> Html | None:
        duel = duels.load_duel_of_race(tx, round.race_id)
        if duel is None or player_id in duel.player_ids:
            return None
        one, other = (make_mention(player) for player in duel.player_ids)
        return words.translate(
            "Right, but this is {one} and {other}’s duel: no points.", one=one, other=other
        )

    def refuse_hint(self, tx: Tx, round: Round) -> Callable[[Words], Html] | None:
        if duels.load_duel_of_race(tx, round.race_id) is None:
            return None
        return lambda words: words.translate("A duel is played without hints.")

    def refuse_skip(self, tx: Tx, round: Round, player_id: int | None) -> Callable[[Words], Html] | None:
        if not duels.is_duel_spectator(tx, round, player_id):
            return None
        return lambda words: words.translate(
            "Only the two who duel can give this hand up. /stop votes to end the duel."
        )

    def is_skipped_by_votes_alone(self, tx: Tx, round: Round) -> bool:
        return duels.load_duel_of_race(tx, round.race_id) is not None

    def open_next_hand(self, tx: Tx, over: Round, now: float, *, in_new_message: bool) -> Round | None:
        """Store the race's next hand and its state, and return the hand; None if the race ends."""
        race = races.load_race(tx, over.race_id) if over.race_id is not None else None
        if race is None or not race.is_open:
            return None
        # A void hand was solved by somebody who may not score
        tried = over.state is State.VOID or attempts.has_attempt(tx, over.id)
        race = finish_hand(race, tried=tried, replaced=bool(_load_spectators(tx, over)))
        goes_on = race.is_open and not duels.is_duel_decided(tx, race.id)
        dealt = races.take_next_hand(tx, race.id) if goes_on else None
        opened = None
        if dealt is not None:
            game, hand = dealt
            new = _make_next_round(over, race, game, hand, now)
            opened = rounds.open_round(tx, replace(new, message_id=None) if in_new_message else new)
        races.update_race(tx, replace(race, is_open=opened is not None))
        if opened is None:
            duels.settle_duel(tx, race.id)
        return opened

    def describe_progress(self, tx: Tx, round: Round, player_id: int, words: Words) -> Html | None:
        race = races.load_race(tx, round.race_id) if round.race_id is not None else None
        if race is None or not race.is_open:
            return None
        parts = {"number": race.hands_played + 1, "length": race.length}
        duel = duels.load_duel_of_race(tx, race.id)
        if duel is not None and player_id in duel.player_ids:
            return words.translate("A duel is on: hand {number} of {length}. /stop ends it.", **parts)
        if duel is not None:
            return words.translate("A duel is on: hand {number} of {length}. /stop asks to end it.", **parts)
        if player_id == race.starter_id:
            return words.translate("A race is on: hand {number} of {length}. /stop ends it.", **parts)
        return words.translate("A race is on: hand {number} of {length}. /stop asks to end it.", **parts)

    def render_pointer(self, tx: Tx, over: Round, words: Words) -> Html:
        if duels.load_duel_of_race(tx, over.race_id) is not None:
            return Html(f"⚔️ {words.translate('The duel goes on below.')} ⬇️")
        return Html(f"🏁 {words.translate('The race goes on below.')} ⬇️")

    def end_race(self, tx: Tx, race_id: int) -> None:
        races.end_race(tx, race_id)
        duels.settle_duel(tx, race_id)

    def load_frame(self, tx: Tx, round: Round) -> Frame:
        """Load the standings with the last two hands of the race; with all of them once it is over."""
        race = races.load_race(tx, round.race_id or 0)  # 0: no race
        if race is None:
            return NO_FRAME
        hands = rounds.load_race_rounds(tx, race.id)
        ended = [_load_ended_hand(tx, hand) for hand in hands if hand.state is not State.OPEN]
        stop_voters = attempts.load_stop_voters(tx, race.id) if race.is_open else []
        # Beside the open hand, the one before: its achievements are announced with it
        shown = hands[-2:] if race.is_open else hands
        duel, votes_needed = duels.load_duel_of_race(tx, race.id), hands[-1].stop_votes_needed
        if duel is None:
            return RaceStandings(race, ended, stop_voters, votes_needed, shown)
        return DuelStandings(race, ended, stop_voters, votes_needed, shown, duel=duel)

    def count_hands_to_come(self, tx: Tx, chat_id: int) -> int:
        return races.count_hands_to_come(tx, chat_id)


def _load_ended_hand(tx: Tx, hand: Round) -> RaceHand:
    finds = rounds.load_finds(tx, hand.id) if hand.kind is Kind.BEST else []
    points = ledger.load_round_points(tx, hand.id)
    if hand.day_first and hand.winner_id in points:
        points[hand.winner_id] -= FIRST_OF_DAY_BONUS  # no race is decided by it
    return RaceHand(
        hand,
        points,
        answer=finds[0].answer if finds else "",
        spectators=_load_spectators(tx, hand),
    )


def _load_spectators(tx: Tx, hand: Round) -> list[int]:
    """Return the spectators who solved a hand of a duel, so that it is void; empty for any other hand."""
    duel = duels.load_duel_of_race(tx, hand.race_id) if hand.state is State.VOID else None
    if duel is None:
        return []
    return [player for player in attempts.load_late_players(tx, hand) if player not in duel.player_ids]


def _make_next_round(over: Round, race: Race, game: str, dealt: DealtPuzzle, now: float) -> Round:
    return Round(
        id=0,  # until it is stored
        chat_id=over.chat_id,
        topic=over.topic,
        kind=over.kind,
        game=game,
        puzzle=dealt.puzzle,
        origin=dealt.origin,
        options=over.options,
        dealer_id=race.starter_id,
        language=over.language,
        race_id=race.id,
        stop_votes_needed=over.stop_votes_needed,
        message_id=over.message_id,
        asked_id=over.asked_id,
        opened=now,
        deadline=now + race.seconds,
    )
