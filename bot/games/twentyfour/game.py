"""The game of 24: four cards, the four operations, each card once."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import assert_never, cast

import solver
from bot.database import parse_object
from bot.formats import format_expression, format_fraction
from bot.games.expressions.game import BareExpressions, check_expression
from bot.games.twentyfour import dealing, rules, skills, view
from bot.games.twentyfour.hand_parser import is_playable, parse_bare_hand
from bot.games.twentyfour.rules import CARD_COUNTS, MEASURED_CARDS, Hand, HandOptions
from bot.i18n import Html, RefusalError, Words, escape_value, get_words, list_languages, quote_fragment
from bot.levels import ANY_LEVEL, LEVELS, Level, get_levels_by_name, normalize_word, parse_level, render_level
from bot.pictures.values import HandPicture, Node
from bot.players.choices import Setting, StoredChoices, make_number_choices
from bot.rounds.capabilities import (
    Daily,
    DealOptions,
    Finds,
    GamePictures,
    Hints,
    Practice,
    TileBoard,
    TypedPuzzles,
)
from bot.rounds.game import Game
from bot.rounds.puzzle import (
    Audience,
    DealError,
    Find,
    Kind,
    Options,
    PracticeWish,
    Tiles,
    UnknownWordError,
    Verdict,
    VerdictKind,
    parse_number,
    split_argument,
)
from bot.rounds.rules import Round
from bot.telegram.messages import Keyboard
from bot.workers.pool import SolverPool

VERSION = 1


def read_settings(stored: StoredChoices) -> solver.Recipe:
    """Return the recipe that a chat chose; a setting that can't be read or is not allowed has its default."""
    default = solver.Recipe("24")
    highest = stored.get_number("highest", rules.HIGHEST_CARDS) or default.highest
    return rules.apply_options(replace(default, highest=highest), _read_options(stored, Kind.FIRST))


def _read_options(packed: StoredChoices, kind: Kind) -> HandOptions:
    """Return the level, cards and target of a deal; a value that is missing or not allowed is None."""
    cards = packed.get_number("cards", CARD_COUNTS)
    target = packed.get_number("target", range(rules.MAX_TARGET + 1))
    return HandOptions(parse_level(packed.get_text("level")), kind, cards=cards, target=target)


class HandDealOptions(DealOptions[Hand]):
    takes_levels = True

    def parse(self, words: Words, text: str, kind: Kind) -> HandOptions:
        """Parse `hard`, `36` (a target), `5` (cards), `all`, each at most once. Raises UnknownWordError."""
        levels = get_levels_by_name(words)
        all_words = {"all", normalize_word(words.translate_plain("all"))}
        options = HandOptions(kind=kind)
        for word in split_argument(text):
            number = parse_number(word)
            name = normalize_word(word)
            if number in CARD_COUNTS and options.cards is None:
                options = replace(options, cards=number)
            elif number in rules.TARGETS and options.target is None:
                options = replace(options, target=number)
            elif name in levels and options.level is None:
                options = replace(options, level=levels[name])
            elif name in all_words and options.kind is not Kind.ALL:
                options = replace(options, kind=Kind.ALL)
            else:
                raise UnknownWordError(word)
        return options

    def unpack(self, packed: str, kind: Kind) -> HandOptions:
        return _read_options(StoredChoices.parse(packed), kind)

    def find_similar(self, puzzle: Hand, kind: Kind) -> HandOptions:
        """Return options with the same level, number of cards and target."""
        return HandOptions(cast(Level, puzzle.level), kind, cards=len(puzzle.numbers), target=puzzle.target)

    def get_quick_words(self) -> Collection[str]:
        """Return the numbers of cards that are dealt quickly, and all levels; neither `all` nor a target."""
        quick_words = {str(count) for count in dealing.QUICK_CARD_COUNTS}
        for language in list_languages():
            quick_words.update(get_levels_by_name(get_words(language)))
        return quick_words

    def render_usage(self, words: Words, command: str, fragment: str) -> Html:
        return words.translate(
            "“{fragment}”? Say how hard ({easy}, {medium}, {hard}, {fiendish}, {any}), how many cards"
            " ({fewest}–{most}), which target, or “{all}” for every way: /play {hard} 36",
            fragment=quote_fragment(fragment),
            fewest=CARD_COUNTS.start,
            most=CARD_COUNTS.stop - 1,
            all=words.translate_plain("all"),
            **{level: render_level(words, level) for level in (*LEVELS, ANY_LEVEL)},
        )

    def list_settings(self, words: Words, stored: StoredChoices) -> list[Setting]:
        present = read_settings(stored)
        return [
            Setting(
                key="highest",
                title=words.translate_plain("Highest card"),
                value=str(present.highest),
                explanation=words.translate("Cards go from 1, the ace, up to this one."),
                choices=make_number_choices(rules.HIGHEST_CARDS),
                affects_deals=True,
            ),
            Setting(
                key="cards",
                title=words.translate_plain("Cards dealt"),
                value=str(present.cards),
                explanation=words.translate("How many cards a hand has."),
                choices=make_number_choices(CARD_COUNTS),
                affects_deals=True,
            ),
            Setting(
                key="target",
                title=words.translate_plain("Target"),
                value=str(present.target),
                explanation=words.translate("What the cards have to make."),
                choices=make_number_choices(rules.MENU_TARGETS),
                typing_help=words.translate("Type a whole number from 0 to {most}.", most=rules.MAX_TARGET),
                parse=rules.parse_target,
                affects_deals=True,
            ),
        ]


class HandHints(Hints[Hand]):
    def find_hinted(self, puzzle: Hand, finds: Sequence[Find]) -> Hand:
        """Return the hand with hints for the easiest idea that nobody has found."""
        return rules.choose_hints(puzzle, finds)

    def count(self, puzzle: Hand) -> int:
        return len(puzzle.hints)

    def render(self, words: Words, puzzle: Hand, number: int) -> Html:
        hint = rules.unpack_hint(puzzle.hints[number])
        match hint:
            case solver.LastOperation():
                return words.translate("The last step is {sign}.", sign=format_expression(hint.op))
            case solver.Intermediate():
                value, numbers = format_fraction(hint.value), ", ".join(map(str, hint.numbers))
                return words.translate("Make {value} out of {numbers}.", value=value, numbers=numbers)
            case solver.Skeleton():
                shape = format_expression(hint.text)
                if solver.KEPT_BACK in shape:
                    return words.translate("It looks like this: {shape} (○ is + − × or ÷)", shape=shape)
                return words.translate("It looks like this: {shape}", shape=shape)
            case _:
                assert_never(hint)


class Ideas(Finds):
    def identify(self, puzzle: Hand, answer: str, finds: Sequence[Find]) -> str:
        """Return the listed expression of the answer's idea, else its first find, else the answer itself."""
        known_ideas = [*puzzle.ideas, *(find.part for find in finds)]
        return rules.find_listed_idea(answer, known_ideas)

    def is_complete(self, round: Round, finds: Sequence[Find]) -> bool:
        """Whether every idea was found; False if the list of ideas may have been cut."""
        hand = cast(Hand, round.puzzle)
        return hand.has_all_ideas and not rules.list_missing_ideas(hand, finds)

    def render_progress(self, words: Words, round: Round, finds: Sequence[Find]) -> Html:
        """Say how many ideas were found, and of how many if the list of ideas is complete and not empty."""
        hand = cast(Hand, round.puzzle)
        if not hand.has_all_ideas or not hand.ideas:
            return words.translate_plural("{n} way found", "{n} ways found", len(finds))
        missing = rules.list_missing_ideas(hand, finds)
        if not missing:
            return words.translate("Every way is found!")
        count = len(hand.ideas) - len(missing)
        return words.translate("{found} of {all} ways found", found=count, all=len(hand.ideas))


class HandPractice(Practice[Hand]):
    skills = skills.SKILLS

    def find_skills(self, puzzle: Hand) -> frozenset[str]:
        return skills.find_skills(puzzle)

    def get_skill_name(self, words: Words, skill: str) -> str:
        return {
            skills.DIVISION: words.translate_plain("Divisions"),
            skills.FRACTION: words.translate_plain("Fractions"),
            skills.SUBTRACTION: words.translate_plain("Subtractions"),
            skills.LARGE: words.translate_plain("Large targets"),
            skills.TARGET: words.translate_plain("Other targets"),
            skills.MORE_CARDS: words.translate_plain("Five cards"),
        }[skill]

    def render_advice(self, words: Words, skill: str) -> Html:
        return {
            skills.DIVISION: words.translate(
                "Make 48, 72 or 96 first, then divide; two equal numbers make a 1."
            ),
            skills.FRACTION: words.translate("Divide by a fraction: 8÷(1/3) is 24, and so is 6÷(1/4)."),
            skills.SUBTRACTION: words.translate("Overshoot, then take away: 25−1, 28−4, 30−6."),
            skills.LARGE: words.translate(
                "Multiply first: which two make most of it, and what is missing then?"
            ),
            skills.TARGET: words.translate(
                "Take the target apart first: which card divides it, which is near?"
            ),
            skills.MORE_CARDS: words.translate(
                "Join two cards into one that helps, and it is a hand of four."
            ),
        }[skill]

    async def deal(self, pool: SolverPool, wish: PracticeWish, seed: int) -> Hand:
        return await dealing.draw_rare_hand(pool, dealing.draw_practice_hand, (seed, wish), patience=2)


class TypedHands(TypedPuzzles):
    async def build(self, pool: SolverPool, text: str) -> Hand:
        question = parse_bare_hand(text)
        if question is None or not is_playable(question):
            raise RefusalError(view.render_typed_hand_help)
        try:
            return await pool.run_task(dealing.build_hand, question.numbers, question.target)
        except ValueError:
            raise RefusalError(partial(view.render_unsolvable, question=question)) from None

    def render_offer(self, words: Words, text: str, *, private: bool) -> tuple[Html, Keyboard | None] | None:
        """Offer to show or play a typed hand; outside `private` chats, say how. None for any other text."""
        question = parse_bare_hand(text)
        if question is None:
            return None
        if private:
            return view.render_choice(words, question, playable=is_playable(question))
        hint = words.translate(
            "Numbers of your own? Send them to me in private, or see how it is done: /solve {hand}",
            hand=str(question),
        )
        return hint, None

    def suggest_command(self, words: Words, text: str) -> Html | None:
        """Suggest /solve with spaces for a hand such as `3838`; None for any other text."""
        if not any(c.isdigit() for c in text):
            return None  # A word such as `AJAJ` may have letters of cards only
        separated = rules.separate_cards(text)
        return None if separated is None else view.render_spacing_hint(words, separated)


class HandPictures(GamePictures[Hand]):
    def make_deal_picture(self, puzzle: Hand) -> HandPicture:
        return HandPicture(view.assign_suits(puzzle.numbers), puzzle.target)

    def make_solution_tree(self, puzzle: Hand, answer: str) -> Node | None:
        return view.build_tree(puzzle, answer)


class HandTiles(TileBoard[Hand]):
    def make_tiles(self, puzzle: Hand) -> Tiles:
        labels = tuple(str(view.RANKS.get(number, number)) for number in puzzle.numbers)
        suits = tuple(card.suit for card in view.assign_suits(puzzle.numbers))
        numbers, target = tuple(map(str, puzzle.numbers)), str(puzzle.target)
        return Tiles(numbers, labels, target, uses_all=True, suits=suits)


TASK_EXAMPLES = ("(7-3)*(4+2)", "6+6+6+6")  # The second for a hand that the first one solves
EXAMPLE_ANSWER = "8/(3-8/3)"
EXAMPLES = (*TASK_EXAMPLES, EXAMPLE_ANSWER)


def _choose_example(hand: Hand) -> str:
    """Return an example of an answer, which is none to this hand."""
    solves_hand = sorted(hand.numbers) == sorted(solver.parse(TASK_EXAMPLES[0]).numbers)
    return format_expression(TASK_EXAMPLES[solves_hand])


def render_daily_task(words: Words) -> Html:
    return words.translate("Use all four numbers, each once, with + − × ÷ ( ).")


class TwentyFour(Game[Hand]):
    key = "24"
    command = "play"
    full_title = "Twenty-Four"
    example_answer = EXAMPLE_ANSWER

    options = HandDealOptions()
    bare_answers = BareExpressions()
    typed_puzzles = TypedHands()
    hints = HandHints()
    finds = Ideas()
    daily = Daily(render_task=render_daily_task)
    practice = HandPractice()
    pictures = HandPictures()
    tile_board = HandTiles()

    async def deal(self, pool: SolverPool, settings: StoredChoices, options: Options, seed: int) -> Hand:
        """Deal a hand by the options, and by the settings where an option is not chosen. Raises DealError.

        For a round of kind *all*, deal one with several ideas but not too many; an easy one for a tutorial.
        """
        if options.kind is Kind.TUTORIAL:
            numbers = rules.TUTORIAL_HANDS[seed % len(rules.TUTORIAL_HANDS)]
            return await pool.run_task(dealing.build_hand, numbers, rules.MEASURED_TARGET)
        recipe = rules.apply_options(read_settings(settings), options)
        try:
            return await dealing.deal_hand(pool, seed, recipe, with_all_ideas=options.kind is Kind.ALL)
        except dealing.TooManyIdeasError:
            raise DealError(
                lambda words: words.translate(
                    "Hands of {cards} cards mostly have too many ways to find them all."
                    " This works: /play all {fewer}",
                    cards=recipe.cards,
                    fewer=max(CARD_COUNTS.start, recipe.cards - 1),
                )
            ) from None
        except ValueError:
            raise DealError(view.render_no_such_hand) from None

    def pack(self, puzzle: Hand) -> str:
        return json.dumps(
            {
                "v": VERSION,
                "numbers": puzzle.numbers,
                "target": puzzle.target,
                "ideas": puzzle.ideas,
                "hints": puzzle.hints,
                "recipe": puzzle.recipe,
            }
        )

    def unpack(self, packed: str, level: str, expected: float) -> Hand:
        stored = parse_object(packed)
        if stored.get("v") != VERSION or level not in LEVELS:
            raise ValueError("no hand of a known version and level")
        return Hand(
            numbers=tuple(map(int, stored["numbers"])),
            target=int(stored["target"]),
            level=level,
            expected=expected,
            ideas=tuple(stored.get("ideas", ())),
            hints=tuple(stored.get("hints", ())),
            recipe=stored.get("recipe", ""),
        )

    def check(self, puzzle: Hand, text: str) -> Verdict:
        """Judge an answer. A single number is talk, and the bot's own example gets a reason of its own."""
        if parse_number(text) >= 0:
            render_reason = partial(view.render_number_alone, hand=puzzle, example=_choose_example(puzzle))
            return Verdict(VerdictKind.TALK, render_reason=render_reason)
        verdict = check_expression(text, puzzle.numbers, puzzle.target)
        if verdict.kind is VerdictKind.WRONG_NUMBERS and verdict.answer in EXAMPLES:
            return replace(verdict, render_reason=partial(view.render_own_example, hand=puzzle))
        return verdict

    def format_answer(self, puzzle: Hand, answer: str) -> str:
        return f"{format_expression(answer)} = {puzzle.target}"

    def solutions(self, puzzle: Hand) -> tuple[str, ...]:
        """Return the ideas, the one that the hints describe first."""
        return rules.sort_hinted_first(puzzle, puzzle.ideas)

    def render_solutions(self, words: Words, round: Round, finds: Sequence[Find], limit: int) -> list[Html]:
        """Render up to `limit` ideas that nobody found, and a line with the number of the others.

        The idea that the hints describe comes first. A single idea is not left out.
        """
        hand = cast(Hand, round.puzzle)
        winning_answer = None if round.kind is Kind.ALL else round.answer
        missing = rules.list_missing_ideas(hand, finds, winning_answer)
        ideas = rules.sort_hinted_first(hand, missing)
        # The line for a single idea that is left out would be as long as the idea
        shown = ideas if len(ideas) == limit + 1 else ideas[:limit]
        lines = [Html(f"💭 <b>{escape_value(self.format_answer(hand, idea))}</b>") for idea in shown]
        more = len(ideas) - len(shown)
        if more and hand.has_all_ideas:
            lines.append(words.translate_plural("… and {n} more way.", "… and {n} more ways.", more))
        elif more:
            lines.append(words.translate("… and there are more ways."))
        return lines

    def render_menu_line(self, words: Words) -> str:
        return words.translate_plain("deal a hand")

    def render_about(self, words: Words) -> Html:
        return words.translate(
            "<b>Twenty-Four</b>: I deal four numbers.\nUse each once to make 24: + − × ÷ ( )."
        )

    def render_greeting(self, words: Words) -> Html:
        return words.translate("Hi! Four numbers make 24. Who’s first?")

    def render_deal(self, puzzle: Hand) -> list[Html]:
        cards = escape_value(view.render_cards(puzzle.numbers))
        return [Html(f"🃏 <b>{cards}</b>"), Html(escape_value(puzzle.line))]

    def explain_task(self, words: Words, round: Round, audience: Audience) -> Html | None:
        hand = cast(Hand, round.puzzle)
        if round.kind not in (Kind.FIRST, Kind.TUTORIAL) or len(hand.numbers) != MEASURED_CARDS:
            return None
        example = _choose_example(hand)
        if audience is Audience.HEARD:
            return words.translate(
                "Use all four numbers, each once, with + − × ÷ ( ).\nSend your answer, for example {example}",
                example=example,
            )
        if audience is Audience.GROUP:
            return words.translate(
                "Use all four numbers, each once, with + − × ÷ ( ).\nReply to this, for example {example}",
                example=example,
            )
        return None

    def explain_more(self, words: Words) -> Html:
        return words.translate("K = 13, Q = 12, J = 11, A = 1. /hint helps.")

    def task(self, words: Words, round: Round, finds: Sequence[Find], audience: Audience) -> Html:
        """Render the task; in a round of the kind *all* with the number of ideas that were found."""
        hand = cast(Hand, round.puzzle)
        if round.kind is Kind.ALL and not hand.has_all_ideas:
            return words.translate("Find every way: {found} so far. Use each number once.", found=len(finds))
        if round.kind is Kind.ALL:
            return words.translate(
                "Find every way to make {target}: {found} of {all}. Use each number once;"
                " another order, ×1 or +0 is no new way.",
                target=hand.target,
                found=len(hand.ideas) - len(rules.list_missing_ideas(hand, finds)),
                all=len(hand.ideas),
            )
        if audience is Audience.HEARD:
            return words.translate("Use each number once. Send your answer.")
        if audience is Audience.GROUP:
            return words.translate("Use each number once. Reply to answer.")
        return words.translate("Use each number once.")
