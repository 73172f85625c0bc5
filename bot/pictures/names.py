"""What people call themselves, made fit to be drawn: nothing that would show as an empty box."""

from collections.abc import Sequence
from unicodedata import category, normalize

from bot.i18n import INVISIBLE_NAME
from bot.pictures.faces import EMOJI_SELECTOR, Weight, find_face

JOINER = "\u200d"
TAGS = range(0xE0020, 0xE0080)  # They spell which flag a flag is
TONES = range(0x1F3FB, 0x1F400)
LETTERS = range(0x1F1E6, 0x1F200)  # Two of them are a flag
# Accents on one letter, and how many are drawn: more would cover the lines around it.
ACCENTS, MOST_ACCENTS = range(0x300, 0x370), 2
MOST_MARKS = 4  # Of all marks that one letter bears, as some scripts need
LONGEST = 16  # Characters that are drawn as one: the longest emoji there are have fewer
MARKS = {"Mn", "Mc", "Me"}
UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
ELLIPSIS = "…"


def split_into_clusters(text: str) -> list[str]:
    """The text in what people read as one character each, near enough to Unicode's annex 29 for names."""
    found: list[str] = []
    for c in text:
        if found and (_extends(c) or _follows(found[-1], c)):
            found[-1] += c
        else:
            found.append(c)
    return found


def _extends(c: str) -> bool:
    return category(c) in MARKS or c in "\u200c\u200d" or ord(c) in TONES or ord(c) in TAGS


def _follows(cluster: str, c: str) -> bool:
    """Whether `c` belongs to the cluster before it: joined to it, or the second letter of a flag."""
    if cluster[-1] == JOINER:
        return category(c) == "So"
    return ord(c) in LETTERS and len(cluster) == 1 and ord(cluster) in LETTERS


def make_drawable(text: str, weight: Weight) -> list[str]:
    """The clusters of a text that can be drawn, each as it is or as near to it as there are letters for.

    What no typeface has is left out with its space; of a name of nothing else, a dot is shown.
    """
    kept: list[str] = []
    for cluster in split_into_clusters(normalize("NFC", text)):
        shown = " " if cluster.isspace() else _nearest(cluster, weight)
        if shown.strip() or (shown and kept and kept[-1] != " "):
            kept.append(shown)
    while kept and kept[-1] == " ":
        kept.pop()
    return kept if kept or not text else [INVISIBLE_NAME]


def _nearest(cluster: str, weight: Weight) -> str:
    """The cluster, or it in ordinary letters, or without accents and joints; empty where nothing is left."""
    if any(category(c) in UNSEEN for c in cluster[:1]):
        return ""
    plain = _calm(cluster)
    ways = (
        plain,
        normalize("NFKC", plain),
        plain.replace(EMOJI_SELECTOR, ""),
        plain[:1],
        normalize("NFKD", plain)[:1],
    )
    return next((way for way in ways if way.strip("\u200d\ufe0f") and find_face(way, weight)), "")


def _calm(cluster: str) -> str:
    """The cluster without what only piles up, or goes on and on."""
    accents, marks, kept = 0, 0, ""
    for c in cluster:
        accents += ord(c) in ACCENTS
        marks += category(c) in MARKS
        if not (
            (accents > MOST_ACCENTS and ord(c) in ACCENTS) or (marks > MOST_MARKS and category(c) in MARKS)
        ):
            kept += c
    return kept[:LONGEST].rstrip(JOINER)


def shorten(shown: Sequence[str], kept: int) -> list[str]:
    """The first so many clusters and an ellipsis, close to the last letter."""
    whole = list(shown[:kept])
    while whole and whole[-1].isspace():
        whole.pop()
    return [*whole, ELLIPSIS]
