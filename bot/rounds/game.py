"""The interface of a game.

Rounds, races, daily hands and the board know a game only through this class. A game is one object without
state; a deal of it is a `Puzzle`. Everything is pure but what is awaited, which asks the solver's workers.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar, cast

import solver
from bot.admin.settings.choices import Setting
from bot.i18n import Html, Words, escape_value
from bot.pictures.values import Node, Picture
from bot.rounds.puzzle import (
    LEVELS,
    Entry,
    Explanation,
    Find,
    Kind,
    Level,
    Options,
    PlayerResult,
    Puzzle,
    Tiles,
    UnknownWordError,
    Verdict,
    get_levels_by_name,
    normalize_word,
    render_level,
    split_argument,
    unpack_level,
)
from bot.rounds.rules import Award, Round
from bot.standings.ratings.rules import Match, Result
from bot.telegram.messages import Keyboard
from bot.workers.pool import SolverPool

P = TypeVar("P", bound=Puzzle)


class Game(ABC, Generic[P]):
    """A game. A game that leaves the defaults of members that are not abstract works and reveals nothing."""

    key: ClassVar[str]  # Its unique name in the database, for good: small letters and digits
    command: ClassVar[str]  # Deals it
    aliases: ClassVar[tuple[str, ...]] = ()  # Other commands that deal it, in no menu
    title: ClassVar[str] = ""  # Its name in every language; the key if empty
    has_levels: ClassVar[bool] = True  # Whether players may ask for a level
    default_kind: ClassVar[Kind] = Kind.FIRST  # Of its rounds
    skills: ClassVar[tuple[str, ...]] = ()  # Keys of the skills that can be practised
    example_answer: ClassVar[str] = "…"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.title = cls.title or getattr(cls, "key", "")

    # Dealing

    @abstractmethod
    def render_menu_line(self, words: Words) -> str:
        """Return the description of the command in Telegram's menu."""

    @abstractmethod
    async def deal(self, pool: SolverPool, settings: Mapping[str, Any], options: Options, seed: int) -> P:
        """Return a puzzle that meets the options; `settings` are the chat's.

        The same seed returns the same puzzle. Raises DealError if there is none, SolvingError if it takes too
        long.
        """

    async def deal_lesson(self, pool: SolverPool, seed: int) -> P:
        """Return one of the easiest puzzles, for somebody's first hand. Raises as `deal`."""
        return await self.deal(pool, {}, Options(LEVELS[0]), seed)

    @abstractmethod
    def pack(self, puzzle: P) -> dict[str, Any]:
        """Return the puzzle as JSON, with the version of that format as `v`."""

    @abstractmethod
    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> P:
        """Return a puzzle that this or an earlier version packed. Raises ValueError."""

    def parse_options(self, words: Words, text: str) -> Options:
        """Parse the text behind the command: one level at most. Raises UnknownWordError for anything else."""
        level: Level | None = None
        for word in split_argument(text):
            named_level = get_levels_by_name(words).get(normalize_word(word))
            if named_level is None or level is not None or not self.has_levels:
                raise UnknownWordError(word)
            level = named_level
        return Options(level, self.default_kind)

    def get_race_options(self, level: Level | None) -> Options:
        """Return the options of every hand of a race. A game that can't be raced raises DealError."""
        return Options(level, self.default_kind)

    def pack_options(self, options: Options) -> dict[str, Any]:
        """Return the options as JSON, without the kind."""
        return {"level": options.level} if options.level else {}

    def unpack_options(self, packed: Mapping[str, Any], kind: Kind) -> Options:
        """Return packed options again, without those that can't be read."""
        return Options(unpack_level(packed), kind)

    def get_similar_options(self, puzzle: P, kind: Kind) -> Options:
        """Return the options that deal another puzzle of the same sort; by default without a level."""
        return Options(kind=kind)

    def get_quick_words(self) -> Collection[str]:
        """Return the normalized words of all languages that need no long search; empty by default."""
        return ()

    def render_usage(self, words: Words, fragment: str) -> Html:
        """Explain the command to somebody who wrote `fragment` behind it."""
        if self.has_levels:
            return words.translate(
                "“{fragment}”? /{name} takes a level: {levels}.",
                fragment=fragment,
                name=self.command,
                levels=", ".join(render_level(words, level) for level in LEVELS),
            )
        return words.translate(
            "“{fragment}”? /{name} takes nothing more.", fragment=fragment, name=self.command
        )

    def render_own_puzzle(
        self, words: Words, text: str, *, private: bool
    ) -> tuple[Html, Keyboard | None] | None:
        """Offer what can be done with a puzzle behind the command; None, the default, for other texts."""
        return None

    def list_settings(self, words: Words, stored: Mapping[str, Any]) -> Sequence[Setting]:
        """Return what admins may choose, by default nothing; `stored` are their present choices."""
        return ()

    def get_proof(self, puzzle: P) -> str:
        """Return the proof of a fair deal (see `solver.fair`); empty if there is none, as by default."""
        return ""

    # The daily hand

    def get_daily_options(self, level: Level) -> Options | None:
        """Return the options of a daily hand of that level; None, the default, for no daily hands."""
        return None

    def check_daily(self, puzzle: P, text: str) -> Verdict:
        """Check an answer to a daily hand, which has no time limit and ends with a right answer."""
        return self.check(puzzle, text)

    def render_daily_task(self, words: Words) -> Html | None:
        """Explain the task of a daily hand; None, the default, if its line and the title suffice."""
        return None

    # Answers

    def looks_like_answer(self, text: str) -> bool:
        """Whether a text may be an answer, by a quick test; by default `is_answer`."""
        return self.is_answer(text)

    def is_answer(self, text: str) -> bool:
        """Whether a text can be parsed as an answer to some puzzle of the game; False by default."""
        return False

    def may_contain_answer(self, text: str) -> bool:
        """Whether a text may contain an answer, else it is not stored; by default `is_answer`."""
        return self.is_answer(text)

    @abstractmethod
    def check(self, puzzle: P, text: str) -> Verdict:
        """Judge a text as an answer to the puzzle."""

    def list_best_answers(self, puzzle: P) -> tuple[str, ...]:
        """Return the right or best answers, plainest first, to be shown at the end; none by default."""
        return ()

    def is_best_answer(self, puzzle: P, answer: str) -> bool:
        """Whether nothing is better than this right answer, True by default; in practice it ends the hand."""
        return True

    def get_time_limit(self, settings: Mapping[str, Any]) -> float | None:
        """Return the seconds of a round by the chat's settings; None, the default, for the usual limit."""
        return None

    # Rounds of the kind *all*

    def identify_part(self, round: Round, answer: str, finds: Sequence[Find]) -> str:
        """Return a key that all right answers with the same idea share; by default the answer."""
        return answer

    def is_everything_found(self, round: Round, finds: Sequence[Find]) -> bool:
        """Whether the finds are all there are, so that the round ends; False by default."""
        return False

    # Rounds of the kind *best*

    def is_valid_entry(self, answer: str) -> bool:
        """Whether a stored entry can be read; True by default."""
        return True

    def get_early_deadline(self, round: Round, entries: Sequence[Entry], received: float) -> float | None:
        """Return an earlier deadline that the entries bring about; None, the default, for no change.

        No player has seen the new deadline before `received`, when the last entry was handled.
        """
        return None

    def award_entries(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        """Return the awards at the round's end, best first, less the cost of hints; none by default."""
        return ()

    # Ratings

    def make_rating_match(self, round: Round, played: Sequence[PlayerResult]) -> Match:
        """Return the ranks of the players in an ended round, and how hard it was, for their ratings.

        Here by points: a player with points has beaten the puzzle; rounds of the kind *best* have no such
        opponent. The time counts only in rounds of the kind *first*.
        """
        results = []
        for player in played:
            # A lower place is better, and the puzzle has place 0: behind it is who has no points.
            place = -player.points if player.points else 1
            seconds = player.seconds if round.kind is Kind.FIRST and player.points else None
            results.append(Result(player.player_id, place, seconds))
        expected = None if round.kind is Kind.BEST else round.expected
        return Match(results, expected=expected, hints=round.hints_shown)

    # Explanations

    def list_steps(self, answer: str) -> Sequence[str]:
        """Return the steps of a right answer, a line each; empty, the default, if the game shows none."""
        return ()

    def claims_expression(self, expression: solver.Expression) -> bool:
        """Whether an expression alone looks like an answer to this game, not another; False by default."""
        return False

    def can_explain(self, line: str) -> bool:
        """Whether `explain` has an answer to the question in that line; False by default."""
        return False

    def render_question_error(self, words: Words, line: str) -> Html | None:
        """Explain what is wrong with a line that is nearly a question; None, the default, for other lines."""
        return None

    async def explain(self, pool: SolverPool, line: str) -> Explanation:
        """Return the best answer to a question. Raises SolvingError if too slow, by default LookupError."""
        raise LookupError(f"no question of this game: {line!r}")

    # Practice

    def get_skill_name(self, words: Words, skill: str) -> str:
        """Return the name of a skill for players; by default its key."""
        return skill

    def render_advice(self, words: Words, skill: str) -> Html:
        """Advise somebody who finds the skill hard; empty by default."""
        return Html("")

    def get_skills(self, puzzle: P) -> Collection[str]:
        """Return the skills that the puzzle needs; none by default."""
        return ()

    async def deal_practice(
        self, pool: SolverPool, skill: str, level: Level, seed: int, excluded: Collection[tuple[int, ...]]
    ) -> P:
        """Return a puzzle that needs the skill, near that level and without the sorted numbers in `excluded`.

        Raises ValueError if none is found, SolvingError if it takes too long. By default nothing is practised
        in a game: LookupError.
        """
        raise LookupError(f"nothing is practised in this game: {skill!r}")

    # Texts

    def render_about(self, words: Words) -> Html:
        """Describe the game at the top of the help; by default by its line in the menu."""
        return Html(escape_value(self.render_menu_line(words)))

    def render_greeting(self, words: Words) -> Html:
        """Greet a new group, where this is the default game; by default as `render_about`."""
        return self.render_about(words)

    def render_deal(self, puzzle: P) -> list[Html]:
        """Return the lines that show the deal, its own line among them."""
        return [Html(escape_value(puzzle.line))]

    @abstractmethod
    def task(self, words: Words, round: Round, finds: Sequence[Find], *, private: bool) -> Html:
        """Render the task in a sentence or two; with `private` an answer needs no reply to the deal."""

    def render_rule(self, words: Words, round: Round, finds: Sequence[Find]) -> Html:
        """Render the task for a spectator, who is not asked to answer; by default as in private."""
        return self.task(words, round, finds, private=True)

    def format_answer(self, puzzle: P, answer: str) -> str:
        """Return a right answer as players read it; unchanged by default."""
        return answer

    def format_value(self, value: Fraction) -> str:
        """Return the value of a wrong answer as players read it."""
        return str(value)

    def render_progress(self, words: Words, round: Round, finds: Sequence[Find]) -> Html:
        """Say at the end of a round of the kind *all* how much was found."""
        return words.translate_plural("{n} answer was found.", "{n} answers were found.", len(finds))

    def render_solutions(self, words: Words, round: Round, finds: Sequence[Find], limit: int) -> list[Html]:
        """Return a line for each of up to `limit` answers that nobody found."""
        puzzle = cast("P", round.puzzle)
        found = {round.answer, *(find.answer for find in finds)}
        unfound = [answer for answer in self.list_best_answers(puzzle) if answer not in found]
        texts = [escape_value(self.format_answer(puzzle, answer)) for answer in unfound[:limit]]
        return [Html(f"💭 <b>{text}</b>") for text in texts]

    def solution(self, puzzle: P) -> str:
        """Return one answer in short; empty, the default, if there is none to show."""
        return ""

    def suggest_command(self, words: Words, text: str) -> Html | None:
        """Suggest what to write instead of a text that answers no hand; None, the default, for nothing."""
        return None

    def is_time_measured(self, puzzle: P) -> bool:
        """Whether practised players' time for such puzzles was measured, not estimated; False by default."""
        return False

    def count_hints(self, puzzle: P) -> int:
        """Return how many hints there are; 0 by default."""
        return 0

    def render_hint(self, words: Words, puzzle: P, number: int) -> Html:
        """Render the hint with that number, counted from 0; empty by default."""
        return Html("")

    # Pictures and the board

    def make_deal_picture(self, puzzle: P) -> Picture | None:
        """Return the picture of a deal, the same for the same puzzle; None, the default, for no picture."""
        return None

    def make_solution_tree(self, puzzle: P, answer: str) -> Node | None:
        """Return a right answer as a tree of operations; None, the default, if it can't be drawn."""
        return None

    def get_missed_target(self, puzzle: P, answer: str) -> str:
        """Return the target if the answer has another value; else, and by default, an empty string."""
        return ""

    def get_tiles(self, puzzle: P) -> Tiles | None:
        """Return the dealt numbers as tiles to tap; None, the default, if the game isn't played so."""
        return None
