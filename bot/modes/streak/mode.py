"""The streak: hands that become harder, without a clock, until the first miss."""

from bot.durations import DAY
from bot.i18n import translate_later
from bot.modes.runs.mode import RunMode
from bot.modes.runs.rules import Run
from bot.modes.runs.view import RunTexts
from bot.rounds.puzzle import Kind, Verdict, VerdictKind
from bot.rounds.rules import Round, State, mark_ended

HAND_SECONDS = DAY  # A forgotten streak ends then, so that it does not keep the private chat from other hands


class StreakMode(RunMode):
    kind = Kind.STREAK
    hand_count = 60
    seconds = HAND_SECONDS
    texts = RunTexts(
        icon="🔥",
        title=lambda words: words.translate_plain("Streak"),
        rules=translate_later("Just send your answers. No clock; the first wrong one ends it."),
        skip=lambda words: words.translate_plain("Give up"),
    )

    def get_next_deadline(self, run: Run, over: Round, now: float) -> float | None:
        return now + HAND_SECONDS if over.state is State.WON else None

    def charge(self, round: Round, verdict: Verdict, sent_at: float) -> Round | None:
        if verdict.kind is not VerdictKind.WRONG:
            return None
        return mark_ended(round, State.SKIPPED, sent_at)
