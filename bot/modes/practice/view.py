"""Render the message of a practice round: the hand, how it ended, and progress or advice."""

from collections.abc import Sequence

from bot.i18n import Html, Words, escape_value, quote_fragment
from bot.modes.practice.rules import HALF_LENGTH, PracticeReport, SkillGain
from bot.rounds.message_lines import HINT_BUTTON, SKIP_BUTTON
from bot.rounds.puzzle import Find, render_level
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.telegram.messages import Keyboard, format_short_duration

NEXT_BUTTON = "pr"  # The key with which the data of the button begins
GAMES_BY_SKILL = {skill: game for game in GAMES.values() for skill in game.skills}
MAX_SOLUTIONS = 3
MAX_GAINS = 3


def render_practice_message(
    round: Round, words: Words, report: PracticeReport, clock: Sequence[Html], *, for_spectator: bool = False
) -> tuple[Html, Keyboard]:
    """Render a practice round, open or over. `for_spectator` leaves out how to answer."""
    game = GAMES[round.game]
    heading = Html(f"🏋️ {words.translate('Practice · {skill}', skill=get_skill_name(words, report.skill))}")
    progress = _render_progress(words, report)
    if round.state is not State.OPEN:
        lines = [heading, *game.render_deal(round.puzzle), *_render_end(round, words, report), *progress]
        return Html("\n".join(lines)), [[(words.translate_plain("Next"), f"{NEXT_BUTTON}:{round.id}")]]
    if for_spectator:
        rule = game.render_rule(words, round, finds=())
    else:
        rule = game.task(words, round, finds=(), private=True)
    lines = [
        *progress,
        heading,
        *game.render_deal(round.puzzle),
        rule,
        words.translate("{level} · no points", level=render_level(words, round.level)),
        *clock,
        *_render_entry(round, words, report),
        *(Html(f"💡 {game.render_hint(words, round.puzzle, number)}") for number in range(round.hints_shown)),
    ]
    row = [(words.translate_plain("Give up"), f"{SKIP_BUTTON}:{round.id}")]
    if round.hints_shown < game.count_hints(round.puzzle):
        row.insert(0, (words.translate_plain("Hint"), f"{HINT_BUTTON}:{round.id}"))
    return Html("\n".join(lines)), [row]


def get_skill_name(words: Words, skill: str) -> str:
    """Return the translated name of a skill."""
    return GAMES_BY_SKILL[skill].get_skill_name(words, skill)


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
        return [answer_line, _render_time(round, words), *game.render_solutions(words, round, finds, limit=1)]
    heading = words.translate("Like this:")
    if round.state is State.EXPIRED:
        heading = words.translate("Time’s up – no harm done.")
    return [
        *_render_entry(round, words, report),
        heading,
        *game.render_solutions(words, round, finds, limit=MAX_SOLUTIONS),
    ]


def _render_time(round: Round, words: Words) -> Html:
    """Render the time taken, and the usual time if it was measured."""
    seconds = max(0.0, (round.closed or 0.0) - round.opened)
    times = {"took": format_short_duration(words, seconds)}
    if not GAMES[round.game].is_time_measured(round.puzzle):
        return Html(f"⏱ {times['took']}")
    times["usual"] = format_short_duration(words, round.expected)
    if seconds <= round.expected:
        return Html(f"⏱ {words.translate('{took}: the usual is {usual}. Well done!', **times)}")
    return Html(f"⏱ {words.translate('{took}; the usual is {usual}.', **times)}")


def _render_progress(words: Words, report: PracticeReport) -> list[Html]:
    """Render the skills that improved; else advice if it is due."""
    if report.gains:
        return [Html(f"📈 {_render_gain(words, gain)}") for gain in report.gains[:MAX_GAINS]]
    if not report.gives_advice:
        return []
    advice = GAMES_BY_SKILL[report.skill].render_advice(words, report.skill)
    return [Html(f"💭 {words.translate('Worth a try:')} {advice}")]


def _render_gain(words: Words, gain: SkillGain) -> Html:
    """Render how the median time fell, or else how many more hands were solved."""
    skill = get_skill_name(words, gain.skill)
    if gain.median_seconds is not None:
        before, after = (format_short_duration(words, seconds) for seconds in gain.median_seconds)
        return words.translate(
            "{skill}: {before} → {after} over your last ten", skill=skill, before=before, after=after
        )
    return words.translate(
        "{skill}: {before} → {after} of {all} found over your last ten",
        skill=skill,
        all=HALF_LENGTH,
        before=gain.solved_counts[0],
        after=gain.solved_counts[1],
    )


def render_usage(words: Words, fragment: str) -> Html:
    """Render the reply to `/practice` with an unknown skill."""
    return words.translate(
        "“{fragment}”? Behind /practice there is room for one of these: {names}.",
        fragment=quote_fragment(fragment),
        names=", ".join(get_skill_name(words, skill) for skill in GAMES_BY_SKILL),
    )


def render_no_free_hand(words: Words) -> Html:
    """Render the reply if every hand that was drawn is secret for the player."""
    return words.translate("I have no such hand free at the moment. Please try again.")
