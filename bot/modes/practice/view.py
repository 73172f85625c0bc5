"""Render the message of a practice round: the hand, how it ended, and progress or advice."""

from dataclasses import dataclass
from typing import Any

from bot.formats import format_duration
from bot.i18n import Html, Words, escape_value, quote_fragment
from bot.modes.practice.rules import HALF_LENGTH, PracticeReport, SkillGain
from bot.rounds.game import Game, require
from bot.rounds.puzzle import Find
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.rounds.view import (
    HINT_BUTTON,
    SKIP_BUTTON,
    Frame,
    Snapshot,
    render_deal,
    render_difficulty,
    render_hints,
    render_task,
    render_time_left,
    render_time_taken,
)
from bot.telegram.messages import Keyboard

NEXT_BUTTON = "pr"  # The key with which the data of the button begins
MAX_SOLUTIONS = 3
MAX_GAINS = 3


@dataclass(frozen=True, slots=True)
class PracticeFrame(Frame):
    report: PracticeReport
    entry: str = ""

    def render_message(self, round: Round, words: Words, snapshot: Snapshot) -> tuple[Html, Keyboard]:
        game, report = GAMES[round.game], self.report
        heading = Html(f"🏋️ {words.translate('Practice')}")
        # Its name is a hint, unless the player chose it
        if report.is_skill_named:
            skill = get_skill_name(words, report.skill)
            heading = Html(f"🏋️ {words.translate('Practice · {skill}', skill=skill)}")
        progress = _render_progress(words, report)
        if round.state is not State.OPEN:
            lines = [heading, *render_deal(round, snapshot), *_render_end(round, words, report), *progress]
            next_button = (words.translate_plain("Next"), f"{NEXT_BUTTON}:{round.id}")
            return Html("\n".join(lines)), [[next_button]]
        lines = [
            *progress,
            heading,
            *render_deal(round, snapshot),
            render_task(round, words, snapshot),
            words.translate("{level} · no points", level=render_difficulty(round, words)),
            *render_time_left(round, words, snapshot.now),
            *_render_entry(round, words, report),
            *render_hints(round, words),
        ]
        row = [(words.translate_plain("Give up"), f"{SKIP_BUTTON}:{round.id}")]
        if round.hints_shown < game.hints.count(round.puzzle):
            row.insert(0, (words.translate_plain("Hint"), f"{HINT_BUTTON}:{round.id}"))
        return Html("\n".join(lines)), [row]


def list_skills() -> list[str]:
    return [skill for game in GAMES.values() if game.practice for skill in game.practice.skills]


def get_game_of_skill(skill: str) -> Game[Any]:
    return next(game for game in GAMES.values() if game.practice and skill in game.practice.skills)


def get_skill_name(words: Words, skill: str) -> str:
    return require(get_game_of_skill(skill).practice).get_skill_name(words, skill)


def _render_entry(round: Round, words: Words, report: PracticeReport) -> list[Html]:
    if not report.entry:
        return []
    entry = GAMES[round.game].format_answer(round.puzzle, report.entry)
    return [words.translate("Handed in: {shown}", shown=entry)]


def _render_end(round: Round, words: Words, report: PracticeReport) -> list[Html]:
    """Render the answer with its time, or that there was none, and solutions."""
    game = GAMES[round.game]
    answer = round.answer or report.entry
    finds = [Find(round.dealer_id, answer, part="")] if answer else []
    if round.state is State.WON:
        answer_line = Html(f"🏆 <b>{escape_value(game.format_answer(round.puzzle, answer))}</b>")
        seconds = max(0.0, (round.closed or 0.0) - round.opened)
        time_line = render_time_taken(round, words, seconds)
        return [answer_line, time_line, *game.render_solutions(words, round, finds, limit=1)]
    heading = words.translate("Like this:")
    if round.state is State.EXPIRED:
        heading = words.translate("Time’s up – no harm done.")
    return [
        *_render_entry(round, words, report),
        heading,
        *game.render_solutions(words, round, finds, limit=MAX_SOLUTIONS),
    ]


def _render_progress(words: Words, report: PracticeReport) -> list[Html]:
    """Render the skills that improved; else advice if it is due."""
    if report.gains:
        return [Html(f"📈 {_render_gain(words, gain)}") for gain in report.gains[:MAX_GAINS]]
    if not report.gives_advice:
        return []
    advice = require(get_game_of_skill(report.skill).practice).render_advice(words, report.skill)
    return [Html(f"💭 {words.translate('Worth a try:')} {advice}")]


def _render_gain(words: Words, gain: SkillGain) -> Html:
    """Render how the median time fell, or else how many more hands were solved."""
    skill = get_skill_name(words, gain.skill)
    if gain.median_seconds is not None:
        before, after = (format_duration(words, seconds) for seconds in gain.median_seconds)
        return words.translate(
            "{skill}: {before} → {after} over your last ten", skill=skill, before=before, after=after
        )
    solved_before, solved_after = gain.solved_counts
    return words.translate(
        "{skill}: {before} → {after} of {all} found over your last ten",
        skill=skill,
        all=HALF_LENGTH,
        before=solved_before,
        after=solved_after,
    )


def render_usage(words: Words, fragment: str) -> Html:
    return words.translate(
        "“{fragment}”? After /practice you can write one of these: {names}.",
        fragment=quote_fragment(fragment),
        names=", ".join(get_skill_name(words, skill) for skill in list_skills()),
    )


def render_no_free_hand(words: Words) -> Html:
    """Render the reply if every hand that was drawn is secret for the player."""
    return words.translate("I have no such hand free at the moment. Please try again.")
