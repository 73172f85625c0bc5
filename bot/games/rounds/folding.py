"""The round's text as a caption: what matters least goes first, until it fits below a picture.

What every round must say (the line, the winner with the answer and the points, the best there was) stays; of
names that are too long the beginning does.
"""

from collections.abc import Iterator
from dataclasses import replace

from bot.games.rounds.rules import Round
from bot.games.rounds.scene import Scene
from bot.games.rounds.view import living
from bot.i18n import Html, Words
from bot.telegram.captions import LIMIT, cut, width
from bot.telegram.messages import Keyboard

ELLIPSIS = "…"
PROVEN_BELOW = 5
"""Hands of a race up to which a caption holds what each was committed to, and its seed."""


def caption(round: Round, words: Words, scene: Scene) -> tuple[Html, Keyboard]:
    """The round's text, folded as far as it has to be, and its buttons."""
    text, keyboard = living(round, words, scene)
    for leaner in _leaner(scene):
        if width(text) <= LIMIT:
            break
        text, _ = living(round, words, leaner)
    return cut(text), keyboard


def _leaner(scene: Scene) -> Iterator[Scene]:
    """The scene with less and less beside the round."""
    scene = replace(scene, notes=scene.notes[-4:], miss=None)
    if len(scene.proofs) >= PROVEN_BELOW:  # these are told in a reply
        scene = replace(scene, proofs=(), proven=False)
    yield scene
    scene = replace(scene, earlier=(), names=_shortened(scene, 32))
    yield scene
    scene = replace(scene, notes=scene.notes[-2:], honours=scene.honours[:2], names=_shortened(scene, 16))
    yield scene
    yield (scene := replace(scene, notes=(), honours=(), names=_shortened(scene, 12)))
    yield (scene := replace(scene, most=8))
    yield (scene := replace(scene, names=_shortened(scene, 8)))
    yield (scene := replace(scene, proofs=()))
    yield replace(scene, proven=False)


def _shortened(scene: Scene, most: int) -> dict[int, str]:
    return {who: _short(name, most) for who, name in scene.names.items()}


def _short(name: str, most: int) -> str:
    """The beginning of a name, within so many UTF-16 units."""
    if width(name) <= most:
        return name
    kept = name
    while kept and width(kept) >= most:
        kept = kept[:-1]
    return kept.rstrip("\u200d\ufe0f ") + ELLIPSIS
