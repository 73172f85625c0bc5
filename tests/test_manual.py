"""The manual's pages: their length, how easy they are to read, their order, and their examples."""

import re
from pathlib import Path

import pytest
import yaml

import solver
from bot.features import FEATURES
from bot.games.countdown.rules import Draw
from bot.games.expressions.answer_parser import judge_answer
from bot.games.twentyfour.dealing import build_hand
from bot.levels import LEVELS
from bot.rounds.puzzle import Puzzle
from bot.telegram.routes import merge_routes
from docs.draw.family import ROUND
from docs.draw.images import FOLDER
from tests import exchange

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = {str(path.relative_to(DOCS)): path.read_text("utf-8") for path in sorted(DOCS.rglob("*.md"))}
EASY_PAGES = [name for name in PAGES if name == "index.md" or name.startswith(("players/", "teachers/"))]
MAX_WORDS = 1500
MIN_READING_EASE = 60.0


@pytest.mark.parametrize("name", PAGES)
def test_page_is_short(name: str) -> None:
    assert len(PAGES[name].split()) <= MAX_WORDS


def test_navigation_lists_each_page_once() -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    assert sorted(_list_pages(config["nav"])) == sorted(PAGES)


def _list_pages(entry: object) -> list[str]:
    """Return the pages of an entry of the navigation: a page, a list, or a title with either."""
    if isinstance(entry, str):
        return [entry]
    assert isinstance(entry, list | dict)
    parts = entry if isinstance(entry, list) else entry.values()
    return [page for part in parts for page in _list_pages(part)]


INCLUDED = re.compile(r"^.*8 ?<.*$", re.MULTILINE)


def test_included_files_exist() -> None:
    # Formatters rewrite the mark in a block of Python, and then the site shows it in place of the file.
    marks = [mark for page in PAGES.values() for mark in INCLUDED.findall(page)]
    names = [mark.removeprefix('--8<-- "').removesuffix('"') for mark in marks]
    assert names
    assert [mark for mark, name in zip(marks, names, strict=True) if not (ROOT / name).is_file()] == []


# Pictures

PICTURE = re.compile(r'<img[^>]* src="([^":]+)"[^>]* alt="[^"]{20,}"|!\[[^]]{20,}\]\(([^):]+)\)')


def test_each_picture_is_described_on_a_page() -> None:
    documents = {DOCS / name: page for name, page in PAGES.items()}
    documents[ROOT / "README.md"] = (ROOT / "README.md").read_text("utf-8")
    shown = {
        (path.parent / (tag or mark)).resolve()
        for path, text in documents.items()
        for tag, mark in PICTURE.findall(text)
    }
    assert sorted(path for path in shown if path.parent == FOLDER) == sorted(FOLDER.iterdir())
    pictures = sum(len(re.findall(r"<img|!\[", text)) for text in documents.values())
    assert pictures == sum(len(PICTURE.findall(text)) for text in documents.values())


# Reading ease


@pytest.mark.parametrize("name", EASY_PAGES)
def test_page_is_easy_to_read(name: str) -> None:
    assert measure_reading_ease(extract_prose(PAGES[name])) >= MIN_READING_EASE


def extract_prose(page: str) -> str:
    """Return the sentences of a page in Markdown, without code blocks, headings, tables and pictures."""
    text = re.sub(r"^```(?s:.*?)^```$|<img[^>]*>|!\[[^]]*\]\([^)]*\)|^[#|].*$", "", page, flags=re.MULTILINE)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    # A list item ends a sentence, even without a full stop.
    return re.sub(r"(?<![.!?])\n+(?= *(?:[-*]|\d+\.) |\n)", ".\n", text)


def measure_reading_ease(prose: str) -> float:
    """Return Flesch's reading ease: 100 is very easy, 60 plain English, 0 hard.

    The usual library fetches a dictionary from the Internet, so vowels are counted here.
    """
    words = re.findall(r"[A-Za-z]+(?:[’'][A-Za-z]+)?", prose)
    sentences = len(re.findall(r"[.!?](?=\s|$)", prose))
    syllables = sum(_count_syllables(word.lower()) for word in words)
    return 206.835 - 1.015 * len(words) / sentences - 84.6 * syllables / len(words)


def _count_syllables(word: str) -> int:
    """Count groups of vowels, without a silent e at the end."""
    return max(1, len(re.findall(r"[aeiouy]+", re.sub(r"(?<=[^aeiouyl])e[sd]?$", "", word))))


# Examples

BUTTON = re.compile(r"\[!\d+\] (.*?)(?=   |$)", re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in PAGES if "```chat" in PAGES[name]])
async def test_chat_examples_show_what_the_bot_says(name: str) -> None:
    for block in re.findall(r"^```chat\n(.*?)^```$", PAGES[name], re.MULTILINE | re.DOTALL):
        await check_chat(block)


async def check_chat(block: str) -> None:
    """Say the lines of a chat, and check that the bot answers each with the lines below it, in their order.

    A line without indentation is said, as `NAME: TEXT` or `NAME, in private: TEXT`, where `[LABEL]` presses a
    button. The others are lines of the bot, of which an example may leave some out.
    """
    turns = re.findall(r"^(\w+)(, in private)?: (.*)\n((?: +.*\n)*)", block, re.MULTILINE)
    assert len(turns) == len(re.findall(r"^\S", block, re.MULTILINE))
    lines = [
        f"@{name} {'> ' if private else ''}{'!' if text.startswith('[') else ''}{text}"
        for name, private, text, _ in turns
    ]
    answers = await list_answers(lines, find_puzzle(block))
    for (*_, expected), answer in zip(turns, answers, strict=True):
        said = iter(BUTTON.sub(r"[\1]", answer).splitlines())
        missing = [line for line in map(str.strip, expected.splitlines()) if line not in said]
        assert missing == [], answer


async def list_answers(lines: list[str], puzzle: Puzzle) -> list[str]:
    """Say lines, five seconds apart, and return what the bot answers to each."""
    shown = await exchange.record_exchange([(5, line) for line in lines], puzzle)
    return re.split(r"^> @.*$", shown, flags=re.MULTILINE)[1:]


def find_puzzle(block: str) -> Puzzle:
    """Return the first puzzle shown in a chat, a hand or a draw of Countdown, else the README's hand."""
    found = re.search(r"^ *(\d+(?: \d+)*) → (\d+)$", block, re.MULTILINE)
    if found is None:
        return build_hand(ROUND[0], 24)
    numbers, target = tuple(map(int, found[1].split())), int(found[2])
    if len(numbers) < 6:
        return build_hand(numbers, target)
    best = solver.nearest(numbers, target)
    return Draw(numbers, target, str(best.expression), int(best.value), LEVELS[1], 20.0)


def test_ways_to_write_an_answer_are_read() -> None:
    table = PAGES["players/index.md"].partition("| You may write |")[2].partition("\n\n")[0]
    answers = re.findall(r"`([^`]+)`", table)
    assert len(answers) > 4
    for answer in answers:
        verdict, _ = judge_answer(answer, [3, 8, 3, 8], 24)
        assert isinstance(verdict, solver.Correct), answer


def test_table_of_commands_lists_those_of_the_bot() -> None:
    listed = re.findall(r"^\| `/(\w+)", PAGES["players/commands.md"], re.MULTILINE)
    commands = [c.name for c in merge_routes(FEATURES).commands if not c.alias_of]
    assert sorted(listed) == sorted(commands)


async def test_bot_understands_arguments_of_commands() -> None:
    pages = "".join(page for name, page in PAGES.items() if name.startswith("players/"))
    commands = sorted(set(re.findall(r"`(/\w+ [^`]+)`", pages)))
    assert len(commands) > 10
    draw = find_puzzle("50 100 75 3 6 9 → 490")
    for is_draw in (False, True):
        asked = [command for command in commands if ("countdown" in command) == is_draw]
        # The bot knows Bob by name once he has played; afterwards each hand, race or duel is ended.
        before = [] if is_draw else ["@bob /play", "@bob 8/3", "@bob 8/(3-8/3)"]
        lines = before + [line for command in asked for line in (f"@ann {command}", *ENDING)]
        answers = await list_answers(lines, draw if is_draw else find_puzzle(""))
        for command, answer in zip(asked, answers[len(before) :: 1 + len(ENDING)], strict=True):
            assert answer.strip(), command
            assert "”?" not in answer, "the bot asks what the argument means"


ENDING = ("@bob /stop", "@ann /stop", "@bob /giveup", "@ann /giveup")
