"""How many forms a hand of different positive numbers has, counted without writing one down.

A sum is a set of terms, each added or subtracted; a product a set of factors, each above or below the line.
The sums of a part are counted by taking away each block with its lowest number in turn, and the products too.
Of small parts all values are counted at once, of large ones those that are asked for.
"""

from collections import Counter
from functools import cache
from itertools import combinations

# Values are residues modulo P; sums and products are counted under the one of both signs up to P/2.
P = 2**61 - 1
SMALL = 5  # The most numbers in a part of which all values are counted

Part = tuple[int, ...]
Counts = Counter[int]


def count_forms(numbers: Part, target: int) -> int:
    """The forms that make the target, of two to eight numbers; the target is not 0."""
    whole = tuple(sorted(numbers))
    return sums(whole, target) + products(whole, target)


def fold(value: int) -> int:
    return min(value % P, -value % P)


@cache
def over(value: int) -> int:
    return fold(pow(value, -1, P))


def signs(value: int) -> set[int]:
    """What is added when the value is a term."""
    return {value % P, -value % P}


def sides(value: int) -> set[int]:
    """What multiplies when the value is a factor; 0 is none."""
    return {fold(value), over(fold(value))} if value % P else set()


@cache
def blocks(part: Part) -> list[tuple[Part, Part]]:
    """Each block that has the lowest number, with a rest that is not empty."""
    chosen = [part[:1] + more for size in range(len(part) - 1) for more in combinations(part[1:], size)]
    return [(block, tuple(sorted({*part} - {*block}))) for block in chosen]


def leaf(part: Part) -> Counts:
    return Counter(part if len(part) == 1 else ())


@cache
def all_sums(part: Part) -> Counts:
    found: Counts = Counter()
    for block, rest in blocks(part):
        for b, times in (leaf(block) + all_products(block)).items():
            for r, others in all_terms(rest).items():
                for sign in signs(b):
                    found[(r + sign) % P] += times * others
    # A sum worth 0 was met with either sign.
    return Counter({v: n if v else n // 2 for v, n in found.items() if v <= P // 2})


@cache
def all_products(part: Part) -> Counts:
    found = Counter(all_lines(part))
    for value, times in all_above(part).items():
        found[over(value)] -= times  # all below the line, and nothing above it
    return Counter({**found, 0: zeros(part)})


@cache
def all_lines(part: Part) -> Counts:
    """Two factors or more that are not 0, above or below a line."""
    found: Counts = Counter()
    for block, rest in blocks(part):
        for b, times in (leaf(block) + all_sums(block)).items():
            for r, others in all_factors(rest).items():
                for side in sides(b):
                    found[fold(r * side)] += times * others
    return found


@cache
def all_above(part: Part) -> Counts:
    """Two factors or more above the line that are neither 0 nor 1."""
    found: Counts = Counter()
    for block, rest in blocks(part):
        for b, times in (leaf(block) + all_sums(block)).items():
            for r, others in ups(rest).items() if b > 1 else ():
                found[fold(r * b)] += times * others
    return found


@cache
def ups(part: Part) -> Counts:
    """One factor or more above the line that are neither 0 nor 1."""
    return all_above(part) + Counter({v: n for v, n in (leaf(part) + all_sums(part)).items() if v > 1})


@cache
def all_terms(part: Part) -> Counts:
    """One term or more, with signs, by the value with its sign."""
    found: Counts = Counter()
    for value, times in (leaf(part) + all_products(part)).items():
        for sign in signs(value):
            found[sign] += times
    for value, times in all_sums(part).items():
        found[value] += times
        found[-value % P] += times
    return found


@cache
def all_factors(part: Part) -> Counts:
    """One factor or more that are not 0, above or below a line."""
    found = Counter(all_lines(part))
    for value, times in (leaf(part) + all_sums(part)).items():
        for side in sides(value):
            found[side] += times
    return found


def zeros(part: Part) -> int:
    """Products with a factor worth 0: sets of factors, since above and below mean nothing then."""
    return sets(part, nothing=True) - sets(part, nothing=False)


@cache
def sets(part: Part, *, nothing: bool) -> int:
    """Sets of two factors or more, with or without such as are worth 0."""
    return sum(
        alone(block, nothing=nothing) * (alone(rest, nothing=nothing) + sets(rest, nothing=nothing))
        for block, rest in blocks(part)
    )


def alone(part: Part, *, nothing: bool) -> int:
    return sum(n for value, n in (leaf(part) + all_sums(part)).items() if value or nothing)


@cache
def sums(part: Part, value: int) -> int:
    if len(part) <= SMALL:
        return all_sums(part)[value]
    found = 0
    for block, rest in blocks(part):
        if len(rest) <= len(block):
            found += sum(n * no_sum(block, fold(value - r)) for r, n in all_terms(rest).items())
        else:
            few = leaf(block) + all_products(block)
            found += sum(n * terms(rest, (value - sign) % P) for b, n in few.items() for sign in signs(b))
    return found if value else found // 2


@cache
def products(part: Part, value: int) -> int:
    if len(part) <= SMALL:
        return all_products(part)[value]
    return lines(part, value) - above(part, over(value)) if value else zeros(part)


@cache
def lines(part: Part, value: int) -> int:
    """As `all_lines`, of one value."""
    found = 0
    for block, rest in blocks(part):
        if len(rest) <= len(block):
            few = all_factors(rest)
            found += sum(
                n * no_product(block, side) for r, n in few.items() for side in sides(value * over(r))
            )
        else:
            few = leaf(block) + all_sums(block)
            found += sum(n * factors(rest, fold(value * side)) for b, n in few.items() for side in sides(b))
    return found


@cache
def above(part: Part, value: int) -> int:
    """As `all_above`, of one value."""
    if len(part) <= SMALL:
        return all_above(part)[value]
    found = 0
    for block, rest in blocks(part):
        if len(rest) <= len(block):
            found += sum(
                n * no_product(block, b) for r, n in ups(rest).items() if (b := fold(value * over(r))) > 1
            )
        else:
            for b, n in (leaf(block) + all_sums(block)).items():
                if b > 1:
                    r = fold(value * over(b))
                    found += n * (above(rest, r) + (no_product(rest, r) if r > 1 else 0))
    return found


def no_sum(part: Part, value: int) -> int:
    return leaf(part)[value] + products(part, value)


def no_product(part: Part, value: int) -> int:
    return leaf(part)[value] + sums(part, value)


def terms(part: Part, value: int) -> int:
    if len(part) <= SMALL:
        return all_terms(part)[value]
    return (1 if value else 2) * sums(part, fold(value)) + products(part, fold(value))


def factors(part: Part, value: int) -> int:
    if len(part) <= SMALL:
        return all_factors(part)[value]
    return lines(part, value) + sum(no_product(part, side) for side in sides(value))
