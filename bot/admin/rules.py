"""Which command somebody may have meant. Pure."""

from collections.abc import Iterable

MOST_SLIPS = 2  # Letters that may be wrong, missing, too many or swapped with their neighbour in a command
SHORTEST_START = 3  # Letters from which the beginning of a command is taken for the command


def find_nearest_command(typed: str, known: Iterable[str]) -> str | None:
    """The known command that `typed` is nearest to; None where none is near.

    The only one that it begins is near however much is missing. Of those with equally few slips the first
    is taken; a short command bears fewer slips.
    """
    typed, names = typed.lower(), list(known)
    begun = [name for name in names if name.startswith(typed)] if len(typed) >= SHORTEST_START else []
    if len(begun) == 1:
        return begun[0]
    slips = {name: count_edits(typed, name) for name in names}
    near = [name for name in names if slips[name] <= min(MOST_SLIPS, len(name) // 2)]
    return min(near, key=slips.__getitem__, default=None)


def count_edits(one: str, other: str) -> int:
    """The edit distance with swaps of neighbours (optimal string alignment)."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            steps = [rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b)]
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                steps.append(rows[-2][j - 2] + 1)
            row.append(min(steps))
        rows.append(row)
    return rows[-1][-1]
