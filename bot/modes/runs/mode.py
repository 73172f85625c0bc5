"""A run as a mode of rounds: hands one after the other, each brought by the answer to the one before."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from bot.database import Tx
from bot.i18n import Html, Words
from bot.modes.runs import queries as runs
from bot.modes.runs.rules import Run
from bot.modes.runs.view import RunFrame, RunTexts
from bot.rounds import attempts
from bot.rounds import queries as rounds
from bot.rounds.mode import Mode
from bot.rounds.puzzle import Kind, Verdict
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.rounds.view import NO_FRAME, Frame

HANDS_AHEAD = 5  # Which a page may show before the bot has judged the answer to the present one


class RunMode(Mode):
    kind: ClassVar[Kind]
    deletes_answers = True
    hand_count: ClassVar[int]  # Hands of a run; it ends when all are solved
    seconds: ClassVar[float]  # Of the first hand
    texts: ClassVar[RunTexts]

    @abstractmethod
    def get_next_deadline(self, run: Run, over: Round, now: float) -> float | None:
        """Return the deadline of the hand after an ended one, which `run` counts; None if the run is over."""

    def render_time_left(self, round: Round, words: Words, now: float) -> list[Html]:
        """Return the line with the time left; empty without a clock."""
        return []

    def refuse_hint(self, tx: Tx, round: Round) -> Callable[[Words], Html] | None:
        return lambda words: words.translate("Here you play without hints.")

    def record_end(self, tx: Tx, over: Round) -> None:
        place = runs.load_run_hand(tx, over.id)
        if place is None:
            return
        run = replace(place.run, in_a_row=0)
        if over.state is State.WON:
            run = replace(run, score=place.run.score + 1, in_a_row=place.run.in_a_row + 1)
        runs.update_run(tx, run)

    def open_next_hand(self, tx: Tx, over: Round, now: float, *, in_new_message: bool) -> Round | None:
        place = runs.load_run_hand(tx, over.id)
        if place is None:
            return None
        deadline = self.get_next_deadline(place.run, over, now)
        following = runs.load_hands(tx, place.run.id, after=place.number, count=1)
        if deadline is None or not following:
            runs.delete_hands(tx, place.run.id)
            return None
        ((game, dealt),) = following
        new = replace(
            over,
            id=0,  # until it is stored
            game=game,
            puzzle=dealt.puzzle,
            origin=dealt.origin,
            state=State.OPEN,
            message_id=None if in_new_message else over.message_id,
            opened=now,
            deadline=deadline,
            closed=None,
            winner_id=None,
            answer=None,
            was_displayed=False,
        )
        opened = rounds.open_round(tx, new)
        if opened is not None:
            rounds.record_first_display(tx, opened.id, now)  # its time began with the answer before
            runs.insert_run_hand(tx, place.run.id, opened.id, place.number + 1)
        return opened

    def charge_wrong_answer(self, tx: Tx, round: Round, verdict: Verdict, sent_at: float) -> Round | None:
        place = runs.load_run_hand(tx, round.id)
        charged = self.charge(round, verdict, sent_at)
        if place is not None and charged is not None:
            runs.update_run(tx, replace(place.run, in_a_row=0))
        return charged

    @abstractmethod
    def charge(self, round: Round, verdict: Verdict, sent_at: float) -> Round | None:
        """Return the round after an answer that is not right; None if it costs nothing."""

    def load_present_hand(self, tx: Tx, round: Round) -> Round:
        place = runs.load_run_hand(tx, round.id)
        return (rounds.load_round(tx, place.latest_round_id) if place else None) or round

    def describe_progress(self, tx: Tx, round: Round, player_id: int, words: Words) -> Html:
        return words.translate("{title}: still on. /stop ends it.", title=self.texts.title(words))

    def load_frame(self, tx: Tx, round: Round) -> Frame:
        place = runs.load_run_hand(tx, round.id)
        latest = rounds.load_round(tx, place.latest_round_id) if place else None
        place = runs.load_run_hand(tx, latest.id) if latest else None
        if place is None or latest is None:
            return NO_FRAME
        run, before = place.run, rounds.load_previous_round(tx, latest)
        last_answer = before.answer if before and place.number > 1 and before.state is State.WON else None
        ahead = runs.load_hands(tx, run.id, after=place.number, count=HANDS_AHEAD)
        return RunFrame(
            self.texts,
            run,
            place.number,
            runs.load_bests(tx, run.player_id, run.kind, latest.closed or latest.opened),
            last_answer=GAMES[latest.game].format_answer(latest.puzzle, last_answer) if last_answer else "",
            note=next((note.text for note in reversed(attempts.load_notes(tx, latest.id))), ""),
            time_left=self.render_time_left,
            hands_ahead=[dealt.puzzle for _, dealt in ahead] if latest.state is State.OPEN else (),
            shown_rounds=[latest],
        )
