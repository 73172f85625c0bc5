"""The parts of a hand and their splits."""

from solver.layout import Layout


def test_a_part_is_a_code_in_which_equal_numbers_are_alike() -> None:
    layout = Layout((2, 1))  # as of 3 3 8
    assert layout.whole == 5
    assert [layout.symbols(part) for part in range(6)] == [(), (0,), (0, 0), (1,), (0, 1), (0, 0, 1)]
    assert [layout.size(part) for part in range(6)] == [0, 1, 2, 1, 2, 3]


def test_a_block_holds_the_lowest_number() -> None:
    assert list(Layout((1, 1, 1)).blocks(7)) == [(1, 6), (5, 2), (3, 4)]
    assert list(Layout((2, 1)).blocks(5)) == [(1, 4), (4, 1), (2, 3)], "either 3 may be the lowest"
    assert list(Layout((2,)).blocks(2)) == [(1, 1)]


def test_even_splits_come_first() -> None:
    near, far = Layout((1, 1, 1, 1)).even(15, 2)
    assert all(part.bit_count() == 2 for split in near for part in split)
    assert (len(near), len(far)) == (3, 4)


def test_large_sides_are_used_by_larger_parts() -> None:
    uses = Layout((1, 1, 1, 1)).uses(15, 2, 2)
    assert {*uses} == {15, 14, 13, 11, 7}
    assert uses[15] == []
    assert uses[14] == [(15, 1, False)], "the rest beside the block that is the lowest number"
    assert uses[7] == [(15, 8, True)], "the block beside the highest"


def test_a_large_hand_is_split_one_by_one() -> None:
    layout = Layout((1,) * 40)
    assert next(iter(layout.blocks(layout.whole))) == (1, layout.whole - 1)
