"""The round's text as a caption: what matters least goes first, until it fits below a picture.

What every round must say (the line, the winner with the answer and the points, the best there was) stays; of
names that are too long the beginning does.
"""

from collections.abc import Iterator
from dataclasses import replace

from bot.i18n import Html, Words
from bot.queue.queries import DRAWN_POST_PREFIX
from bot.rounds.rules import Round, State
from bot.rounds.scene import Snapshot
from bot.rounds.view import render_message
from bot.telegram.captions import CAPTION_LIMIT, truncate_caption, truncate_name, count_utf16_units
from bot.telegram.messages import Keyboard

# The method of the request for the reply with all seeds, where a caption has no room for them.
SEEDS_METHOD = f"{DRAWN_POST_PREFIX}seeds"
# Hands up to which a caption holds what each was committed to, and its seed, if it has room for that.
PROVEN_BELOW = 5
SHORTEST = 8  # UTF-16 units of a name of which no more is cut off


def render_caption(round: Round, words: Words, scene: Snapshot) -> tuple[Html, Keyboard]:
    """The round's text, folded as far as it has to be, and its buttons."""
    text, keyboard = render_message(round, words, scene)
    if not has_room_for_seeds(round, words, scene):
        scene = replace(scene, proofs=(), proven=False)
        text, _ = render_message(round, words, scene)
    for leaner in _leaner(scene):
        if count_utf16_units(text) <= CAPTION_LIMIT:
            break
        text, _ = render_message(round, words, leaner)
    return truncate_caption(text), keyboard


def has_room_for_seeds(round: Round, words: Words, scene: Snapshot) -> bool:
    """Whether the caption of a round that is over, or of its race, has room for all seeds; while it is open,
    none is told.

    That goes by what stays as it is from then on, so that whenever it is drawn the answer is the same.
    """
    if round.state is State.OPEN:
        return True
    if len(scene.earlier_proofs) >= PROVEN_BELOW:
        return False
    names = dict.fromkeys(scene.names, "n" * SHORTEST)
    return count_utf16_units(render_message(round, words, replace(_leanest(scene), names=names))[0]) <= CAPTION_LIMIT


def _leaner(scene: Snapshot) -> Iterator[Snapshot]:
    """The scene with less and less beside the round."""
    scene = replace(scene, notes=scene.notes[-4:], miss=None)
    yield scene
    scene = replace(scene, names=_shortened(scene, 32))
    yield scene
    scene = replace(scene, notes=scene.notes[-2:], honours=scene.honours[:2], names=_shortened(scene, 16))
    yield scene
    yield (scene := replace(scene, notes=(), honours=(), names=_shortened(scene, 12)))
    yield (scene := replace(scene, most=8))
    yield (scene := replace(scene, names=_shortened(scene, SHORTEST)))
    yield (scene := _leanest(scene))
    yield replace(scene, proofs=(), proven=False)


def _leanest(scene: Snapshot) -> Snapshot:
    """The scene with nothing beside the round but what was dealt, found and proven."""
    return replace(scene, notes=(), miss=None, honours=(), waiting=(), most=8)


def _shortened(scene: Snapshot, most: int) -> dict[int, str]:
    return {who: truncate_name(name, most) for who, name in scene.names.items()}
