"""The base class of games that are answered by expressions."""

from bot.games.expressions import answer_parser
from bot.rounds.game import Game, P


class ExpressionGame(Game[P]):
    """A game that is answered by an expression anywhere in a message."""

    def looks_like_answer(self, text: str) -> bool:
        return answer_parser.looks_like_answer(text)

    def is_answer(self, text: str) -> bool:
        return answer_parser.is_answer(text)

    def may_contain_answer(self, text: str) -> bool:
        return answer_parser.may_contain_answer(text)
