"""Render a storm or streak in its one message."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.i18n import Html, Words, escape_value, strip_tags
from bot.modes.runs.rules import Bests, Run
from bot.rounds.puzzle import Puzzle
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.rounds.view import Frame, Snapshot, make_review_button, render_deal
from bot.telegram.messages import Keyboard

START_BUTTON, SKIP_BUTTON = "ru", "rk"  # Beginnings of the data of buttons


@dataclass(frozen=True, slots=True)
class RunTexts:
    """The texts of one sort of run."""

    icon: str
    title: Callable[[Words], str]
    rules: Callable[[Words], str]  # In one or two short sentences
    skip: Callable[[Words], str]  # The label of the button
    bonus: Callable[[Words, int], str] = lambda words, in_a_row: ""  # That the last right answer brought

    def make_label(self, words: Words) -> str:
        return f"{self.icon} {self.title(words)}"


@dataclass(frozen=True, slots=True)
class RunFrame(Frame):
    texts: RunTexts
    run: Run
    number: int  # Of the shown hand in the run
    bests: Bests
    time_left: Callable[[Round, Words, float], list[Html]]
    last_answer: str = ""  # To the hand before; empty if that was not solved
    note: str = ""  # On the newest answer to the shown hand that was not right
    hands_ahead: Sequence[Puzzle] = ()
    shown_rounds: Sequence[Round] = ()

    @property
    def is_over(self) -> bool:
        return self.shown_rounds[-1].state is not State.OPEN

    def render_message(self, round: Round, words: Words, snapshot: Snapshot) -> tuple[Html, Keyboard]:
        heading = Html(f"<b>{escape_value(self.render_place(words))}</b>")
        if self.is_over:
            news, last = self._render_news(words), self._render_last(round, words)
            lines = [heading, self._render_bests(words), *news, *last]
            again = (words.translate_plain("Again"), f"{START_BUTTON}:{self.run.kind.value}")
            return Html("\n".join(lines)), [[again, make_review_button(words, round)]]
        lines = [
            heading,
            *self.time_left(round, words, snapshot.now),
            *render_deal(round, snapshot),
            *([Html(self.texts.rules(words))] if self.number == 1 else []),
            *self._render_news(words),
        ]
        return Html("\n".join(lines)), [[(self.texts.skip(words), f"{SKIP_BUTTON}:{round.id}")]]

    def _render_news(self, words: Words) -> list[Html]:
        """Render the newest wrong answer, else the right one to the hand before; empty without both."""
        if self.note or not self.last_answer or self.is_over:
            return [Html(self.note)] if self.note else []
        row, count = words.translate("{n} in a row", n=self.run.in_a_row), self.run.in_a_row
        news = [f"✅ {escape_value(self.last_answer)}", row, self.texts.bonus(words, count)]
        return [Html(" · ".join(filter(None, news)))]

    def _render_bests(self, words: Words) -> Html:
        return words.translate(
            "Your best: {day} today, {week} this week, {ever} ever",
            day=self.bests.day,
            week=self.bests.week,
            ever=self.bests.ever,
        )

    def _render_last(self, round: Round, words: Words) -> list[Html]:
        """Render the hand that was not solved, with a solution; empty if the last one was solved."""
        if round.state is State.WON:
            return [words.translate("You solved every hand there was!")]
        solutions = GAMES[round.game].render_solutions(words, round, [], limit=1)
        return [Html(escape_value(round.line)), *solutions]

    def render_place(self, words: Words) -> str:
        solved = words.translate_plural("{n} solved", "{n} solved", self.run.score)
        return f"{self.texts.make_label(words)} · {strip_tags(solved)}"

    def render_notice(self, round: Round, words: Words, now: float) -> str:
        lines = [*self._render_news(words), self._render_bests(words)] if self.is_over else []
        return strip_tags(Html(" ".join(lines)))
