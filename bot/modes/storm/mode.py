"""The storm: three minutes for as many hands as possible, each harder than the ones before.

Five right answers in a row bring three seconds; a wrong answer or a skipped hand takes ten. Puzzle sites play
storms by such rules (https://lichess.org/storm).
"""

from dataclasses import replace

from bot.durations import MINUTE
from bot.formats import format_duration
from bot.i18n import Html, Words
from bot.modes.runs.mode import RunMode
from bot.modes.runs.rules import Run
from bot.modes.runs.view import RunTexts
from bot.rounds.puzzle import Kind, Verdict, VerdictKind
from bot.rounds.rules import Round, State, mark_ended

SECONDS = 3 * MINUTE
MISS_COST = 10.0  # Seconds
ROW_LENGTH, ROW_BONUS = 5, 3.0  # Right answers in a row, and seconds that they bring


def _render_rules(words: Words) -> Html:
    return words.translate(
        "Just send your answers. {row} in a row: +{bonus} s. A wrong one: −{cost} s.",
        row=ROW_LENGTH,
        bonus=int(ROW_BONUS),
        cost=int(MISS_COST),
    )


class StormMode(RunMode):
    kind = Kind.STORM
    hand_count = 40
    seconds = SECONDS
    texts = RunTexts(
        icon="⚡",
        title=lambda words: words.translate_plain("Storm"),
        rules=_render_rules,
        skip=lambda words: words.translate_plain("Skip: −{cost} s", cost=int(MISS_COST)),
        bonus=lambda words, in_a_row: (
            "" if in_a_row % ROW_LENGTH else f"+{format_duration(words, ROW_BONUS)}"
        ),
    )

    def get_next_deadline(self, run: Run, over: Round, now: float) -> float | None:
        deadline = over.deadline or now
        if over.state is State.WON and run.in_a_row % ROW_LENGTH == 0:
            deadline += ROW_BONUS
        if over.state is State.SKIPPED:
            deadline -= MISS_COST
        is_over = over.state is State.EXPIRED or deadline <= now
        return None if is_over else deadline

    def charge(self, round: Round, verdict: Verdict, sent_at: float) -> Round | None:
        if verdict.kind is not VerdictKind.WRONG or round.deadline is None:
            return None
        charged = replace(round, deadline=round.deadline - MISS_COST)
        has_time = round.deadline - MISS_COST > sent_at
        return charged if has_time else mark_ended(charged, State.EXPIRED, sent_at)

    def render_time_left(self, round: Round, words: Words, now: float) -> list[Html]:
        """Return the line with the time left to the second: the message changes with each answer anyway."""
        left = format_duration(words, max(0.0, (round.deadline or now) - now))
        return [Html(f"⏳ {words.translate('{time} left', time=left)}")]
