"""How an answer is shown step by step."""

from collections.abc import Iterator, Mapping, Sequence

from bot.i18n import Html, Words, escape_value
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Find
from bot.rounds.rules import Round
from bot.telegram.messages import format_player_name

MAX_ALERT_LENGTH = 200  # Characters that Telegram shows above a chat


def number_lines(steps: Sequence[str]) -> list[Html]:
    """The steps, each with its number."""
    return [Html(escape_value(f"{number}. {step}")) for number, step in enumerate(steps, start=1)]


def render_equals_hint(words: Words, numbers: Sequence[int], target: int) -> Html:
    """Said to who names a target as if it were one more number."""
    hand = " ".join(map(str, numbers))
    return words.translate("Write = before the target: /why {hand} = {target}", hand=hand, target=target)


def render_steps_of_game(words: Words, expression: str, value: str, steps: Sequence[str]) -> Html:
    """An expression and what it makes, with its steps."""
    whole = words.translate("{expression} = {value}, step by step:", expression=expression, value=value)
    return Html("\n".join([Html(f"<b>{whole}</b>"), *number_lines(steps)]))


def render_winners(round: Round, finds: Sequence[Find], names: Mapping[int, str]) -> Html:
    """Each line that won a round, with its steps: once, by whoever was first."""
    blocks = []
    for find in _each(finds):
        who, shown = format_player_name(names, find.player_id), GAMES[round.game].format_answer(round.puzzle, find.answer)
        steps = number_lines(GAMES[round.game].list_steps(find.answer))
        blocks.append("\n".join([f"🏆 {who}: <b>{escape_value(shown)}</b>", *steps]))
    return Html("\n".join(blocks))


def render_alert(round: Round, finds: Sequence[Find]) -> str:
    """The same in so few characters that it fits above the chat: as many of the lines as do."""
    blocks = ["\n".join(GAMES[round.game].list_steps(find.answer)) for find in _each(finds)]
    fitting = [block for n, block in enumerate(blocks) if len("\n\n".join(blocks[: n + 1])) <= MAX_ALERT_LENGTH]
    return "\n\n".join(fitting) or blocks[0][:MAX_ALERT_LENGTH]


def _each(finds: Sequence[Find]) -> Iterator[Find]:
    """The first who found each line."""
    first = dict[str, Find]()
    for find in finds:
        first.setdefault(find.answer, find)
    return iter(first.values())
