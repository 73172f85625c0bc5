"""/leaderboard: opens the tab, the period or the game that its words name."""

from dataclasses import replace

from bot.i18n import Html, Words, get_words, quote_fragment, translate_later
from bot.levels import normalize_word
from bot.queue.admission import UpdateKind
from bot.rounds.commands import make_notice_effect
from bot.rounds.registry import GAMES, find_game_by_name
from bot.standings.chat_records import show_records
from bot.standings.leaderboard.commands import show_leaderboard
from bot.standings.leaderboard.view import ANY_TIME, PERIODS
from bot.standings.ratings.commands import show_ratings
from bot.standings.stats.commands import show_stats
from bot.telegram.context import Context, Effect, Handler
from bot.telegram.routes import CommandRoute, Routes


async def open_leaderboard(context: Context) -> Effect:
    """Reply with the named tab, or with the points of the named period and game; explain an unknown word."""
    period, game, is_whole = ANY_TIME, "", False
    for word in context.argument.split():
        target = find_target(context.words, word)
        named_game = find_game_by_name(word)
        if isinstance(target, str):
            period = target
        elif target is not None:
            return await target(replace(context, argument=""))
        elif named_game is not None:
            game = named_game.key
        elif _is_everybody(context.words, word):
            is_whole = True
        else:
            return make_notice_effect(context, render_usage(context.words, word))
    return show_leaderboard(context, period, game, is_whole=is_whole)


def _is_everybody(words: Words, word: str) -> bool:
    """Whether a word is the label of the button that lists everybody."""
    return normalize_word(word) == normalize_word(words.translate_plain("Everybody"))


TARGETS: tuple[str | Handler, ...] = (*PERIODS, show_ratings, show_records, show_stats)


def list_names(words: Words) -> list[str]:
    """List the names of the targets, in their order."""
    return words.translate_plain("today week month all ratings records me").split()


def find_target(words: Words, word: str) -> str | Handler | None:
    """Return the period or tab whose name, in English or the reader's language, begins with `word`."""
    begin = normalize_word(word)
    for language in (get_words("en"), words):
        for name, target in zip(list_names(language), TARGETS, strict=True):
            if normalize_word(name).startswith(begin):
                return target
    return None


def render_usage(words: Words, word: str) -> Html:
    return words.translate(
        "“{fragment}”? After /leaderboard you can write one of these: {names}.",
        fragment=quote_fragment(word),
        names=", ".join([*list_names(words), *(game.title for game in GAMES.values())]),
    )


ROUTES = Routes(
    commands=[
        CommandRoute("leaderboard", open_leaderboard, UpdateKind.QUESTION, translate_later("who leads here"))
    ]
)
