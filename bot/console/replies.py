"""Which lines are meant as answers, and which are talk with digits in it."""

import re

from bot.games.known import is_answer

ANSWER = re.compile(r"[0-9AJQKajqkxX\s+\-−–*×·/÷:=()\[\]{}０-９＋－＊／（）＝：]+")
"""What an expression is written with, and talk is not."""
SIGN = re.compile(r"[+\-−–*×·/÷:xX＋－＊／：(（]")
TALK = re.compile(r"\s*[0-9]{1,6}(?:\s*[-–:/]\s*[0-9]{1,6}){1,2}\s*")
"""Scores, times, dates, telephone numbers: an answer that looks like one needs no reply to be noticed."""


def is_try(text: str) -> bool:
    """Whether a line is meant as an answer: an expression and nothing beside it, also one that is broken."""
    if TALK.fullmatch(text):
        return False
    return is_answer(text) or _is_broken(text)


def _is_broken(text: str) -> bool:
    """Whether a text is written with nothing but what expressions are made of, and has a sign and a digit."""
    return bool(ANSWER.fullmatch(text) and SIGN.search(text) and re.search(r"[0-9０-９]", text))
