"""Count the forms of a hand of different positive numbers without listing them.

A sum is a set of terms, each added or subtracted; a product is a set of factors, each above or below the
fraction line. The sums and products of a part are counted by taking away each block with its lowest number in
turn. Small parts count all their values at once (`count_all_...`), large ones a single value.
"""

from collections import Counter
from functools import cache
from itertools import combinations

# Values are residues modulo P; x and -x are counted together, as the one up to P/2.
P = 2**61 - 1
SMALL = 5  # The largest part that counts all its values

Part = tuple[int, ...]
Counts = Counter[int]


def count_forms(numbers: Part, target: int) -> int:
    """Count the forms of two to eight numbers that make a target other than 0."""
    whole = tuple(sorted(numbers))
    return count_sums(whole, target) + count_products(whole, target)


def fold_sign(value: int) -> int:
    return min(value % P, -value % P)


@cache
def invert(value: int) -> int:
    return fold_sign(pow(value, -1, P))


def list_signs(value: int) -> set[int]:
    """Return what a term with this value may add to a sum."""
    return {value % P, -value % P}


def list_sides(value: int) -> set[int]:
    """Return what a factor with this value may multiply by; nothing for 0."""
    return {fold_sign(value), invert(fold_sign(value))} if value % P else set()


@cache
def list_blocks(part: Part) -> list[tuple[Part, Part]]:
    """Return each block that contains the lowest number, with the rest, which is not empty."""
    chosen = [part[:1] + more for size in range(len(part) - 1) for more in combinations(part[1:], size)]
    return [(block, tuple(sorted({*part} - {*block}))) for block in chosen]


def count_leaf(part: Part) -> Counts:
    return Counter(part if len(part) == 1 else ())


@cache
def count_all_sums(part: Part) -> Counts:
    found: Counts = Counter()
    for block, rest in list_blocks(part):
        for b, times in (count_leaf(block) + count_all_products(block)).items():
            for r, others in count_all_terms(rest).items():
                for sign in list_signs(b):
                    found[(r + sign) % P] += times * others
    # A sum worth 0 was counted with either sign.
    return Counter({v: n if v else n // 2 for v, n in found.items() if v <= P // 2})


@cache
def count_all_products(part: Part) -> Counts:
    found = Counter(count_all_fractions(part))
    for value, times in count_all_numerators(part).items():
        found[invert(value)] -= times  # all factors below the line, and nothing above it
    return Counter({**found, 0: count_zero_products(part)})


@cache
def count_all_fractions(part: Part) -> Counts:
    """Count sets of two factors or more, other than 0, above or below the line."""
    found: Counts = Counter()
    for block, rest in list_blocks(part):
        for b, times in count_not_products(block).items():
            for r, others in count_all_factors(rest).items():
                for side in list_sides(b):
                    found[fold_sign(r * side)] += times * others
    return found


@cache
def count_all_numerators(part: Part) -> Counts:
    """Count sets of two factors or more above the line, other than 0 and 1."""
    found: Counts = Counter()
    for block, rest in list_blocks(part):
        for b, times in count_not_products(block).items():
            for r, others in count_numerators(rest).items() if b > 1 else ():
                found[fold_sign(r * b)] += times * others
    return found


@cache
def count_numerators(part: Part) -> Counts:
    """Count sets of one factor or more above the line, other than 0 and 1."""
    single = Counter({value: n for value, n in count_not_products(part).items() if value > 1})
    return count_all_numerators(part) + single


@cache
def count_all_terms(part: Part) -> Counts:
    """Count sets of one term or more with signs; here x and -x are counted apart."""
    found: Counts = Counter()
    for value, times in (count_leaf(part) + count_all_products(part)).items():
        for sign in list_signs(value):
            found[sign] += times
    for value, times in count_all_sums(part).items():
        found[value] += times
        found[-value % P] += times
    return found


@cache
def count_all_factors(part: Part) -> Counts:
    """Count sets of one factor or more, other than 0, above or below the line."""
    found = Counter(count_all_fractions(part))
    for value, times in count_not_products(part).items():
        for side in list_sides(value):
            found[side] += times
    return found


def count_zero_products(part: Part) -> int:
    """Count products with a factor 0: sets of factors, since above and below the line are the same then."""
    return count_factor_sets(part, with_zero=True) - count_factor_sets(part, with_zero=False)


@cache
def count_factor_sets(part: Part, *, with_zero: bool) -> int:
    """Count sets of two factors or more, with or without factors 0."""
    found = 0
    for block, rest in list_blocks(part):
        rest_sets = count_single_factors(rest, with_zero=with_zero) + count_factor_sets(
            rest, with_zero=with_zero
        )
        found += count_single_factors(block, with_zero=with_zero) * rest_sets
    return found


def count_single_factors(part: Part, *, with_zero: bool) -> int:
    return sum(n for value, n in count_not_products(part).items() if value or with_zero)


@cache
def count_sums(part: Part, value: int) -> int:
    if len(part) <= SMALL:
        return count_all_sums(part)[value]
    found = 0
    for block, rest in list_blocks(part):
        if len(rest) <= len(block):
            for r, n in count_all_terms(rest).items():
                found += n * count_not_sum(block, fold_sign(value - r))
        else:
            for b, n in (count_leaf(block) + count_all_products(block)).items():
                found += sum(n * count_terms(rest, (value - sign) % P) for sign in list_signs(b))
    return found if value else found // 2


@cache
def count_products(part: Part, value: int) -> int:
    if len(part) <= SMALL:
        return count_all_products(part)[value]
    if not value:
        return count_zero_products(part)
    return count_fractions(part, value) - count_numerators_worth(part, invert(value))


@cache
def count_fractions(part: Part, value: int) -> int:
    """Count as `count_all_fractions` does, for one value."""
    found = 0
    for block, rest in list_blocks(part):
        if len(rest) <= len(block):
            for r, n in count_all_factors(rest).items():
                found += sum(n * count_not_product(block, side) for side in list_sides(value * invert(r)))
        else:
            for b, n in count_not_products(block).items():
                found += sum(n * count_factors(rest, fold_sign(value * side)) for side in list_sides(b))
    return found


@cache
def count_numerators_worth(part: Part, value: int) -> int:
    """Count as `count_all_numerators` does, for one value."""
    if len(part) <= SMALL:
        return count_all_numerators(part)[value]
    found = 0
    for block, rest in list_blocks(part):
        if len(rest) <= len(block):
            for r, n in count_numerators(rest).items():
                b = fold_sign(value * invert(r))
                found += n * count_not_product(block, b) if b > 1 else 0
        else:
            for b, n in count_not_products(block).items():
                if b > 1:
                    r = fold_sign(value * invert(b))
                    single = count_not_product(rest, r) if r > 1 else 0
                    found += n * (count_numerators_worth(rest, r) + single)
    return found


def count_not_products(part: Part) -> Counts:
    return count_leaf(part) + count_all_sums(part)


def count_not_sum(part: Part, value: int) -> int:
    return count_leaf(part)[value] + count_products(part, value)


def count_not_product(part: Part, value: int) -> int:
    return count_leaf(part)[value] + count_sums(part, value)


def count_terms(part: Part, value: int) -> int:
    if len(part) <= SMALL:
        return count_all_terms(part)[value]
    return (1 if value else 2) * count_sums(part, fold_sign(value)) + count_products(part, fold_sign(value))


def count_factors(part: Part, value: int) -> int:
    if len(part) <= SMALL:
        return count_all_factors(part)[value]
    return count_fractions(part, value) + sum(count_not_product(part, side) for side in list_sides(value))
