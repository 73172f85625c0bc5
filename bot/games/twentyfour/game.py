"""24 as a game among others: four cards, the four operations, each card once."""

import json
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import solver
from bot.admin.settings.choices import Setting
from bot.games.expressions import answer_parser
from bot.games.expressions.game import ExpressionGame
from bot.games.expressions.view import OPERATION_SIGNS
from bot.games.twentyfour import dealing, rules, skills, view
from bot.games.twentyfour.hand_parser import is_playable, parse_bare_hand
from bot.games.twentyfour.rules import (
    CARD_COUNTS,
    LESSON_HANDS,
    MEASURED_TARGET,
    Hand,
    HandOptions,
    sort_hinted_first,
)
from bot.games.twentyfour.view import (
    build_tiles,
    format_mixed_number,
    list_skill_names,
    render_advice,
    render_cards,
    render_choice,
    render_no_such_hand,
    render_own_numbers_hint,
    render_spacing_hint,
    render_too_many_ideas,
    render_usage,
    render_wrong_answer,
)
from bot.i18n import Html, Words, escape_value, list_languages
from bot.i18n import get_words as spoken_in
from bot.pictures.values import HandPicture, Node
from bot.rounds.puzzle import (
    LEVELS,
    DealError,
    Find,
    Kind,
    Level,
    Options,
    Tiles,
    Verdict,
    VerdictKind,
    get_levels_by_name,
)
from bot.rounds.rules import Round
from bot.telegram.messages import Keyboard
from bot.workers.pool import SolverPool


class TwentyFour(ExpressionGame[Hand]):
    """The game of 24."""

    key = "24"
    command = "play"
    example_answer = "8/(3-8/3)"
    skills = skills.SKILLS

    def render_menu_line(self, words: Words) -> str:
        return words.translate_plain("deal a hand")

    def parse_options(self, words: Words, text: str) -> HandOptions:
        """`hard`, `36`, `5`, `all`. Raises UnknownWordError."""
        return rules.parse_options(text, get_levels_by_name(words), words.translate_plain("all"))

    def render_usage(self, words: Words, fragment: str) -> Html:
        return render_usage(words, fragment)

    def render_own_puzzle(
        self, words: Words, text: str, *, private: bool
    ) -> tuple[Html, Keyboard | None] | None:
        """In private the choice that typed numbers get, elsewhere a line."""
        asked = parse_bare_hand(text)
        if asked is None:
            return None
        if not private:
            return render_own_numbers_hint(words, str(asked)), None
        return render_choice(words, asked.numbers, asked.target, playable=is_playable(asked))

    async def deal(self, pool: SolverPool, chosen: Mapping[str, Any], options: Options, seed: int) -> Hand:
        """A hand; where every idea is to be found, one that has several, and not too many."""
        usual, wanted = rules.read_settings(chosen), _wanted(options)
        draw = dealing.deal_hand_with_all_ideas if options.kind is Kind.ALL else dealing.deal_hand
        count = wanted.cards or usual.cards
        try:
            return await draw(
                pool, seed, count, usual.highest, wanted.target or usual.target, options.level or usual.level
            )
        except dealing.TooManyIdeasError:
            raise DealError(lambda words: render_too_many_ideas(words, count)) from None
        except ValueError:
            raise DealError(render_no_such_hand) from None

    async def deal_lesson(self, pool: SolverPool, seed: int) -> Hand:
        """A hand that is done by one kind of step, or nearly."""
        return await dealing.deal_chosen_hand(pool, LESSON_HANDS[seed % len(LESSON_HANDS)], MEASURED_TARGET)

    def get_daily_options(self, level: Level) -> Options:
        return Options(level)

    def get_similar_options(self, puzzle: Hand, kind: Kind) -> HandOptions:
        """The same level, count of cards and target."""
        level = next((known for known in LEVELS if known == puzzle.level), None)
        return HandOptions(level, kind, len(puzzle.numbers), puzzle.target)

    def pack_options(self, options: Options) -> dict[str, Any]:
        return rules.pack_options(_wanted(options))

    def unpack_options(self, packed: Mapping[str, Any], kind: Kind) -> HandOptions:
        return rules.unpack_options(packed, kind)

    def get_quick_words(self) -> Collection[str]:
        """Levels and counts of cards."""
        return _level_names() | {str(count) for count in dealing.QUICK_CARD_COUNTS}

    def list_settings(self, words: Words, stored: Mapping[str, Any]) -> list[Setting]:
        """The highest card, the count of cards, the target."""
        return rules.list_settings(words, rules.read_settings(stored))

    def pack(self, puzzle: Hand) -> dict[str, Any]:
        return rules.pack_hand(puzzle)

    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> Hand:
        return rules.unpack_hand(packed, level, expected)

    def list_best_answers(self, puzzle: Hand) -> tuple[str, ...]:
        """The plainest expression of each idea."""
        return puzzle.ideas

    def get_proof(self, puzzle: Hand) -> str:
        return puzzle.proof

    # Right answers

    def check(self, puzzle: Hand, text: str) -> Verdict:
        """By exact fractions, whatever stands around the answer."""
        verdict, is_one = answer_parser.judge_answer(text, puzzle.numbers, puzzle.target)
        if isinstance(verdict, solver.Correct):
            return Verdict(VerdictKind.RIGHT, str(verdict.expression))

        def why(words: Words) -> Html:
            return render_wrong_answer(words, verdict, puzzle.target)

        if not is_one:
            return Verdict(VerdictKind.TALK, render_reason=why)
        if isinstance(verdict, solver.WrongValue):
            off = float(abs(verdict.value - puzzle.target))
            return Verdict(VerdictKind.WRONG, str(verdict.expression), verdict.value, off, why)
        fit = (
            VerdictKind.WRONG_NUMBERS if isinstance(verdict, solver.WrongNumbers) else VerdictKind.UNREADABLE
        )
        return Verdict(fit, render_reason=why)

    def identify_part(self, round: Round, answer: str, found: Sequence[Find]) -> str:
        """The idea, by its plainest expression or the one that was found first."""
        return rules.find_listed_idea(answer, [*_of(round).ideas, *(f.part for f in found)])

    def is_everything_found(self, round: Round, found: Sequence[Find]) -> bool:
        """Whether every idea is found, where the list is whole."""
        return _of(round).has_all_ideas and not rules.list_missing_ideas(_of(round), found)

    # What can be practised

    def get_skill_name(self, words: Words, skill: str) -> str:
        return list_skill_names(words)[skill]

    def render_advice(self, words: Words, skill: str) -> Html:
        return render_advice(words, skill)

    def get_skills(self, puzzle: Hand) -> frozenset[str]:
        return skills.find_skills(puzzle)

    async def deal_practice(
        self, pool: SolverPool, skill: str, level: Level, seed: int, but: Collection[tuple[int, ...]]
    ) -> Hand:
        return await dealing.deal_practice_hand(pool, skill, level, seed, but)

    # What is said

    def render_about(self, words: Words) -> Html:
        """The rules in two short lines."""
        return words.translate(
            "<b>Twenty-Four</b>: I deal four numbers.\nUse each once to make 24: + − × ÷ ( )."
        )

    def render_greeting(self, words: Words) -> Html:
        """An invitation in one short line."""
        return words.translate("Hi! Four numbers make 24. Who’s first?")

    def render_deal(self, puzzle: Hand) -> list[Html]:
        """The hand as cards, and its line."""
        return [
            Html(f"🃏 <b>{escape_value(render_cards(puzzle.numbers))}</b>"),
            Html(escape_value(puzzle.line)),
        ]

    def make_deal_picture(self, puzzle: Hand) -> HandPicture | None:
        return view.build_deal_picture(puzzle) if len(puzzle.numbers) in CARD_COUNTS else None

    def get_tiles(self, puzzle: Hand) -> Tiles:
        return build_tiles(puzzle)

    def make_solution_tree(self, puzzle: Hand, answer: str) -> Node | None:
        return view.build_tree(puzzle, answer) if len(puzzle.numbers) in CARD_COUNTS else None

    def task(self, words: Words, round: Round, found: Sequence[Find], *, private: bool) -> Html:
        """Each number once; how to answer, or how many ideas are found."""
        held = _of(round)
        if round.kind is Kind.ALL and not held.has_all_ideas:
            return words.translate("Find every idea: {found} so far. Use each number once.", found=len(found))
        if round.kind is Kind.ALL:
            return words.translate(
                "Find every idea: {found} of {all}. Use each number once.",
                found=len(held.ideas) - len(rules.list_missing_ideas(held, found)),
                all=len(held.ideas),
            )
        if private:
            return words.translate("Use each number once. Send your answer.")
        return words.translate("Use each number once. Reply to answer.")

    def render_rule(self, words: Words, round: Round, found: Sequence[Find]) -> Html:
        """Each number once, or how many ideas are found."""
        if round.kind is Kind.ALL:
            return self.task(words, round, found, private=True)
        return words.translate("Use each number once.")

    def format_answer(self, puzzle: Hand, answer: str) -> str:
        """The expression with what it makes."""
        return f"{answer} = {puzzle.target}"

    def render_progress(self, words: Words, round: Round, found: Sequence[Find]) -> Html:
        """How many ideas were found, of how many if that is known."""
        held = _of(round)
        if not (held.has_all_ideas and held.ideas):
            return words.translate_plural("{n} idea was found.", "{n} ideas were found.", len(found))
        left = rules.list_missing_ideas(held, found)
        if not left:
            return words.translate("Every idea is found!")
        count = len(held.ideas) - len(left)
        return words.translate("{found} of {all} ideas were found.", found=count, all=len(held.ideas))

    def render_solutions(self, words: Words, round: Round, found: Sequence[Find], most: int) -> list[Html]:
        """The easiest ideas that nobody found, and how many more there are, if that is known.

        The one on which the hints are comes first; a single one more is shown too.
        """
        held = _of(round)
        left = sort_hinted_first(
            held, rules.list_missing_ideas(held, found, None if round.kind is Kind.ALL else round.answer)
        )
        room = most + 1 if len(left) == most + 1 else most  # a line that counts one could as well show it
        shown = [Html(f"💭 <b>{escape_value(self.format_answer(held, idea))}</b>") for idea in left[:room]]
        more = len(left) - len(shown)
        if more <= 0:
            return shown
        if not held.has_all_ideas:
            return [*shown, words.translate("… and there are more ideas.")]
        return [*shown, words.translate_plural("… and {n} more idea.", "… and {n} more ideas.", more)]

    def suggest_command(self, words: Words, text: str) -> Html | None:
        """The hand with spaces, for one in a word: `3838`. A word of letters may be any word."""
        apart = rules.separate_cards(text) if any(c.isdigit() for c in text) else None
        return None if apart is None else render_spacing_hint(words, apart)

    def solution(self, puzzle: Hand) -> str:
        """The idea on which the hints are, or the easiest."""
        return self.format_answer(puzzle, sort_hinted_first(puzzle, puzzle.ideas)[0]) if puzzle.ideas else ""

    def is_time_measured(self, puzzle: Hand) -> bool:
        return solver.is_measured(puzzle.numbers, puzzle.target)

    def format_value(self, value: Fraction) -> str:
        """`23 1/9`."""
        return format_mixed_number(value)

    def count_hints(self, puzzle: Hand) -> int:
        """Three for most hands."""
        return len(puzzle.hints)

    def render_hint(self, words: Words, puzzle: Hand, number: int) -> Html:
        """One hint in words."""
        kind, *values = json.loads(puzzle.hints[number])
        if kind == "last":
            return words.translate("The last step is {sign}.", sign=OPERATION_SIGNS.get(values[0], values[0]))
        if kind == "make":
            value, numbers = values
            return words.translate(
                "Make {value} out of {numbers}.", value=value, numbers=", ".join(numbers.split())
            )
        return words.translate("It looks like this: {shape}", shape=values[0])


def _wanted(options: Options) -> HandOptions:
    """The options as this game has them."""
    return options if isinstance(options, HandOptions) else HandOptions(options.level, options.kind)


def _of(round: Round) -> Hand:
    if not isinstance(round.puzzle, Hand):
        raise TypeError(f"a round of another game: {round.game!r}")
    return round.puzzle


@cache
def _level_names() -> frozenset[str]:
    """What the levels are called, in all languages."""
    return frozenset(LEVELS).union(
        *(get_levels_by_name(spoken_in(language)) for language in list_languages())
    )
