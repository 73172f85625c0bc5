"""Reading any text takes linear time, also a hostile one of Telegram's longest size."""

import ast
import gc
import re
import string
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import bot
import solver
from bot import zones
from bot.board import authentication
from bot.console import conversation
from bot.features import FEATURES
from bot.games.countdown.rules import Draw
from bot.games.expressions import answer_parser
from bot.games.twentyfour import hand_parser, rules
from bot.games.twentyfour.rules import Hand
from bot.i18n import get_words
from bot.modes.practice import rules as practice
from bot.modes.race import rules as race
from bot.players import preferences as preferences
from bot.queue import admission, updates
from bot.rounds import registry
from bot.rounds.contest_game import ContestGame
from bot.rounds.puzzle import DealError, UnknownWordError
from bot.rounds.registry import GAMES
from bot.telegram.dispatch import MessageFilter
from bot.telegram.routes import merge_routes

pytestmark = pytest.mark.long

LONGEST = 4096
# Seconds of a thread's own time where a million numbers are added in `USUAL`; more where it takes longer.
ALLOWED = 0.015
USUAL = 0.03
TRIES = 7  # A text is slow if it is so each time: something else may hold up a single try
METHODS = {"match", "fullmatch", "search", "findall", "finditer", "split", "sub"}
# Modules with a pattern that is made when it is needed. Some of the readers below use spelling's, dispatch's
# repeats nothing, and the others never see what people send.
MADE_LATER = {
    "bot.games.twentyfour.rules",
    "bot.games.expressions.spelling",
    "bot.logs",
    "bot.settings",
}


def read_modules() -> Iterator[tuple[ModuleType, ast.AST]]:
    """Yield every module of the program with its syntax tree."""
    for package in (bot, solver):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root.parent).with_suffix("").parts
            if "migrations" not in parts and parts[-1] != "__main__":
                yield (
                    import_module(".".join(parts).removesuffix(".__init__")),
                    ast.parse(path.read_text("utf-8")),
                )


def get_value(node: ast.expr, module: ModuleType) -> Any:
    """Return the value of a name in a module; None if only a function knows it."""
    if isinstance(node, ast.Attribute):
        return getattr(get_value(node.value, module), node.attr, None)
    return vars(module).get(node.id) if isinstance(node, ast.Name) else None


def evaluate(node: ast.expr, module: ModuleType) -> Any:
    """Evaluate an expression in a module. Raises NameError if only a function knows a name."""
    return eval(compile(ast.Expression(node), "<pattern>", "eval"), dict(vars(module)))  # noqa: S307


def find_patterns() -> tuple[dict[re.Pattern[str], set[str]], set[str]]:
    """Return the patterns with the methods called on them, and the modules that make patterns later."""
    found, later = defaultdict[re.Pattern[str], set[str]](set), set[str]()
    for module, tree in read_modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                pattern = get_value(node.value, module)
                if isinstance(pattern, re.Pattern):
                    found[pattern].add(node.attr)
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if get_value(node.func.value, module) is not re or node.func.attr not in {*METHODS, "compile"}:
                continue
            try:
                if node.func.attr == "compile":
                    found[evaluate(node, module)] |= set()
                else:
                    found[re.compile(evaluate(node.args[0], module))].add(node.func.attr)
            except (NameError, TypeError):
                later.add(module.__name__)
    return found, later


USES: dict[str, Callable[[re.Pattern[str], str], object]] = {
    "match": re.Pattern.match,
    "fullmatch": re.Pattern.fullmatch,
    "search": re.Pattern.search,
    "findall": lambda pattern, text: pattern.sub("", text),
    "finditer": lambda pattern, text: pattern.sub("", text),
    "split": lambda pattern, text: pattern.sub("", text),
    "sub": lambda pattern, text: pattern.sub("", text),
}


def make_hostile_texts(signs: str) -> Iterator[str]:
    """Yield texts of the longest size that repeat one or two signs and end otherwise."""
    for sign in signs:
        yield sign * (LONGEST - 1) + "\0"
        yield "8" + sign * (LONGEST - 2) + "\0"
    for one, other in combinations(signs, 2):
        yield (one + other) * (LONGEST // 2 - 1) + "\0"


def list_signs(pattern: re.Pattern[str]) -> str:
    """Return a sign of each usual kind and those that the pattern names."""
    named = dict.fromkeys(c for c in pattern.pattern if c in string.punctuation)
    others = [c for c in pattern.pattern if not c.isascii()][:2]
    return "".join(dict.fromkeys(["8", "a", "K", " ", "\n", *others, *named]))


def find_slow_texts(read: Callable[[str], object], texts: Iterator[str]) -> list[str]:
    """Return the beginnings of texts that take too long at every try."""
    bound = measure_allowed_seconds()
    return [text[:9] for text in texts if all(measure_seconds(read, text) > bound for _ in range(TRIES))]


def measure_allowed_seconds() -> float:
    """Return the allowed seconds, longer on a slow machine."""
    return ALLOWED * max(1.0, min(measure_seconds(add_numbers) for _ in range(9)) * 10 / USUAL)


def add_numbers(_: str) -> None:
    total = 0
    for number in range(100_000):
        total += number


def measure_seconds(read: Callable[[str], object], text: str = "") -> float:
    begun = time.thread_time()
    read(text)
    return time.thread_time() - begun


@pytest.fixture
def _no_garbage_collection() -> Iterator[None]:
    """Switch the garbage collector off: it takes longer than any text may."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.exhaustive
@pytest.mark.usefixtures("_no_garbage_collection")
def test_regular_expressions_are_linear() -> None:
    found, later = find_patterns()
    assert later == MADE_LATER
    assert len(found) > 100
    wrong = [
        (pattern.pattern, method, texts)
        for pattern, methods in found.items()
        for method in methods or {"fullmatch"}
        if (texts := find_slow_texts(partial(USES[method], pattern), make_hostile_texts(list_signs(pattern))))
    ]
    assert wrong == []


EN = get_words("en")
HAND = Hand((3, 8, 3, 8), 24, "fiendish", 30.0, ())
DRAW = Draw((25, 50, 7, 3, 9, 1), 573, "", 0, "hard", 30.0)
KINDS = merge_routes(FEATURES).kind_rules
EAR = MessageFilter(9, "me", KINDS.commands, registry.may_contain_answer)


def make_message(text: str) -> dict[str, Any]:
    return {
        "message": {"message_id": 1, "chat": {"id": -1, "type": "group"}, "from": {"id": 1}, "text": text}
    }


def is_kept(text: str) -> bool:
    """Return whether the filter keeps a group's message, without its cache."""
    answer_parser.may_contain_answer.cache_clear()
    return not EAR.is_talk(make_message(text))


READERS: dict[str, Callable[[str], object]] = {
    "parse": solver.parse,
    "work_out": solver.work_out,
    "check": lambda text: solver.check(text, HAND.numbers),
    "judge": lambda text: answer_parser.judge_answer(text, HAND.numbers, 24),
    "24": lambda text: GAMES["24"].check(HAND, text),
    "countdown": lambda text: GAMES["countdown"].check(DRAW, text),
    "first": answer_parser.find_computation,
    "solve": lambda text: hand_parser.parse_hand(EN, text),
    "typed": hand_parser.parse_bare_hand,
    "target": rules.parse_target,
    "race": lambda text: race.parse_race_options(text, {}, {}),
    "practice": lambda text: practice.parse_skill(text, {}),
    "quiet": lambda text: preferences.parse_quiet_hours(text),
    "zone": zones.find_zone,
    "zone suggested": zones.suggest_zones,
    "hour": lambda text: preferences.parse_minute(text),
    "command": lambda text: updates.normalize_command(f"/{text}", KINDS.commands),
    "console": conversation.looks_like_answer,
    "initdata": lambda text: authentication.verify_init_data(text, "24:token", 0.0),
    "kind": lambda text: admission.classify_update(make_message(text), KINDS, "me"),
    "kind of command": lambda text: admission.classify_update(make_message(f"/why {text}"), KINDS, "me"),
    "group": is_kept,
    "group's command": lambda text: is_kept(f"/{text}"),
    "looks": registry.looks_like_answer,
    "instead": lambda text: registry.suggest_command(EN, text),
}
for key, game in GAMES.items():
    READERS[f"{key} options"] = partial(game.options.parse, EN, kind=game.default_kind)
    if game.typed_puzzles:
        READERS[f"{key} typed"] = partial(game.typed_puzzles.render_offer, EN, private=True)
    if isinstance(game, ContestGame):
        READERS[f"{key} given"] = partial(game.parse_known_deal, above="")
        READERS[f"{key} given above"] = partial(game.parse_known_deal, "")
REFUSALS = (solver.ExpressionError, UnknownWordError, DealError, authentication.InitDataError)
SIGNS = "8aK \n-/:.,;()*=+x½😍@#<⚅1"
MORE = [
    *("12345" + " " * 4000 + "x", "1=" + " " * 4000 + "x"),
    *("(1+" * 1365, "1\n" * 2048, "9**" * 1365, "8:30 +" * 682, "12345\n" * 682, "e" + "\u0301" * 4095),
]


@pytest.mark.usefixtures("_no_garbage_collection")
@pytest.mark.parametrize("reader", READERS)
def test_parsers_are_linear(reader: str) -> None:
    def read(text: str) -> None:
        with suppress(*REFUSALS):
            READERS[reader](text)

    assert find_slow_texts(read, iter([*MORE, *make_hostile_texts(SIGNS)])) == []
